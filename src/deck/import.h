/* What the parts of ig_deck_build share: entries of a case, written as one line each and parsed
   with the place in the deck they come from.

   Use: ig_import_put and its like write one entry, ig_import_end stores it under a key with the
   place of the deck it comes from. Functions return nothing; `status` has the first failure. */
#ifndef IG_DECK_IMPORT_H
#define IG_DECK_IMPORT_H

#include "deck/deck.h"

/* State of the builder, on the stack of ig_deck_build. `text` is allocated and freed there. */
typedef struct {
  ig_deck *d;
  ig_node *root;
  ig_status status; /* of the first failure: the calls after it do nothing */
  char *text;       /* the entry in work */
  size_t used, space;
  struct {
    ig_node *list, *end;
  } grown[32]; /* lists that were added to, and their last items */
  /* Of each component, whether supports hold it still, or move it: those may replace each other. */
  bool held[6], moved[6];
} ig_importer;

/* Text of an entry, "{set: N1, fix: x}", piece by piece. */
void ig_import_put(ig_importer *b, const char *format, ...) IG_PRINTF(2, 3);
void ig_import_real(ig_importer *b, double value);
void ig_import_name(ig_importer *b, const char *name); /* quoted */
void ig_import_history(ig_importer *b, const ig_deck_history *h);
/* Ends the entry: the value of `key`, or with `list` a further item of the list `key`. A key of
   two parts, "mesh.sets", belongs to a section. */
void ig_import_end(ig_importer *b, const char *key, bool list, ig_src at);
/* The first failure of the builder. */
ig_status ig_import_fail(ig_importer *b, const ig_src *at, const char *format, ...) IG_PRINTF(3, 4);
/* The sets that cards of the mesh name. */
IG_MUST_CHECK ig_status ig_import_names(ig_deck *d);
/* The name of the set that a target is: its own, or one made of the numbered node or element. NULL
   after a failure. */
const char *ig_import_set(ig_importer *b, const ig_src *at, const char *target, ig_set_kind kind);
/* The set that a parameter names: a number is a name, too. */
const char *ig_import_named(ig_importer *b, const ig_src *at, const char *target, ig_set_kind kind);
/* The faces `side` of the elements.
   side: from 1, as Abaqus numbers the sides of the element type. Makes a set of faces on first
   use. */
const char *ig_import_side(ig_importer *b, const ig_src *at, const char *target, int side);

/* Parts of the case, each in a file of its own: import_model.c (materials, sections, joins),
   import_points.c, import_steps.c. */
void ig_import_materials(ig_importer *b);
void ig_import_sections(ig_importer *b);
void ig_import_joins(ig_importer *b);
void ig_import_points(ig_importer *b);
/* Whether a set of elements has none that are part of the mesh: springs, masses.
   elset: without regard to case. False also for a set that no *ELEMENT card makes. */
bool ig_import_is_point(const ig_deck *d, const char *elset);
void ig_import_steps(ig_importer *b);

#endif
