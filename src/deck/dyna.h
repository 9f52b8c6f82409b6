/* Decks of LS-DYNA as cases of `dynamics`.

     dyna_cards.c   text   -> cards: a keyword and its data lines, files included; fields;
   parameters dyna.c         which keywords there are; the order in which they become keys of a case
     dyna_curve.c   numbers in SI units, curves
     dyna_model.c   materials, sections, parts  -> materials, sections, bodies
     dyna_motion.c  constraints, loads, initial velocities, walls, contact -> the rest of the case
     dyna_mesh.c    questions to the mesh: parts, segments as faces, axes of beams

   Nodes, elements and sets are those of the reader of meshes (io/mesh/mesh_dyna.h), which the case
   names as its mesh. They are read here, too, since parts say nothing of the family of their
   elements, and segments of loads are faces.

   The tree of the case, notes and names are those of other decks (deck.h, import.h). Numbers have
   no units; with `unit` they are converted to SI, entry by entry. */
#ifndef IG_DECK_DYNA_H
#define IG_DECK_DYNA_H

#include "deck/import.h"
#include "io/mesh/mesh_dyna.h"

/* A data line as it stands. */
typedef struct ig_dyna_line {
  int line;
  const char *text;
  struct ig_dyna_line *next;
} ig_dyna_line;

/* A keyword with its data lines; none of *NODE, *ELEMENT and *SET. */
typedef struct ig_dyna_card {
  ig_src at;
  const char *word; /* in capitals, without star, _TITLE and _ID */
  bool titled;      /* with _TITLE or _ID: a line before the data */
  bool wide;        /* fields of 20 letters */
  ig_dyna_line *line, **last;
  struct ig_dyna_card *next;
} ig_dyna_card;

/* *DEFINE_CURVE with its factors and offsets. */
typedef struct ig_dyna_curve {
  ig_src at;
  int64_t id;
  int count;
  double *x, *y;
  bool static_only; /* of the dynamic relaxation before the run */
  struct ig_dyna_curve *next;
} ig_dyna_curve;

/* *MAT_, *SECTION_, *HOURGLASS: found by number, read where they are used. first: of its data. */
typedef struct ig_dyna_item {
  const ig_dyna_card *card;
  const ig_dyna_line *first;
  int64_t id;
  struct ig_dyna_item *next;
} ig_dyna_item;

/* *PART. set: its elements in the mesh, NULL: it has none. */
typedef struct ig_dyna_part {
  ig_src at;
  int64_t id;
  const ig_dyna_item *section, *material, *hourglass, *state;
  char name[32]; /* of the set: "part_7" */
  const ig_set *set;
  int dim; /* of its elements */
  bool rigid, touches;
  struct ig_dyna_part *next;
} ig_dyna_part;

/* *BOUNDARY_PRESCRIBED_MOTION_RIGID of one part, components of one curve. */
typedef struct ig_dyna_drive {
  ig_src at;
  int64_t part;
  int kind; /* 0 velocity, 1 acceleration, 2 displacement */
  const ig_dyna_curve *curve;
  double value[3]; /* NaN: free */
  struct ig_dyna_drive *next;
} ig_dyna_drive;

typedef struct {
  ig_importer b; /* the tree and the first failure */
  ig_dyna_card *card, **card_last;
  int format, depth; /* columns of the file, included files */
  struct ig_dyna_parameter {
    const char *name;
    double value;
    struct ig_dyna_parameter *next;
  } * parameter;
  /* The model, in the order of the deck. */
  ig_dyna_curve *curve;
  ig_dyna_item *material, *section, *hourglass, *state; /* *EOS */
  ig_dyna_part *part;
  ig_dyna_drive *drive;
  double bulk[2]; /* viscosity: linear, quadratic */
  double hour;    /* hourglass coefficient of *CONTROL_HOURGLASS */
  bool thinning;  /* of shells */
  ig_src end_at, contact_at, interval_at, gravity_at; /* lines they come from */
  double end; /* *CONTROL_TERMINATION, s of the deck; NaN: not given */
  double safety, scaling, damping, interval; /* NaN: not given */
  double gravity[3];
  const ig_dyna_curve *gravity_curve;
  bool contact, overlap;
  double friction;
  /* The mesh, in the units of the deck. */
  ig_mesh *mesh;
  ig_dyna_found found;
  bool turns;                /* nodes have rotations */
  double length, mass, time; /* of the deck's units, SI */
  bool units;                /* they were given */
} ig_dyna;

/* Reads the deck into the tree *root. unit: "mm-t-s" or NULL. */
IG_MUST_CHECK ig_status ig_dyna_build(ig_deck *d, const char *unit, ig_node **root);
bool ig_dyna_is(const char *path); /* by the ending, .k, .key, .dyn */

/* --- dyna_cards.c */
IG_MUST_CHECK ig_status ig_dyna_cards(ig_dyna *k);
/* The first line after the title, NULL: none. */
const ig_dyna_line *ig_dyna_data(const ig_dyna_card *c);
/* Field `i`, counted from 0, of columns of `width` letters, trimmed; "" where there is none. */
void ig_dyna_text(const ig_dyna_card *c, const ig_dyna_line *row, int i, int width, char text[96]);
/* Numbers of fields of 10 letters; a blank one is the fallback. After a failure they return it. */
double ig_dyna_real(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int i,
                    double fallback);
double ig_dyna_real_of(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int i, int width,
                       double fallback);
int64_t ig_dyna_int(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int i);
ig_src ig_dyna_at(const ig_dyna_card *c, const ig_dyna_line *row);
/* The first failure, at the line: "*WORD: text". */
void ig_dyna_fail(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, const char *format,
                  ...) IG_PRINTF(4, 5);
/* What a case cannot say: a failure, with --lenient a note and a warning. */
void ig_dyna_unanswered(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                        const char *format, ...) IG_PRINTF(4, 5);
void ig_dyna_note(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, const char *format,
                  ...) IG_PRINTF(4, 5);
/* Fails unless the fields [i, end) are blank or 0: what they ask for is not understood. */
void ig_dyna_empty(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int i, int end,
                   const char *what);

/* --- dyna_curve.c */
void ig_dyna_curve_read(ig_dyna *k, const ig_dyna_card *c);
/* The curve of that number; fails at the line where there is none. */
const ig_dyna_curve *ig_dyna_curve_find(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                                        int64_t id);
/* A number times a unit: metres, kilograms and seconds to these powers. */
void ig_dyna_put(ig_dyna *k, double value, int m, int kg, int s);
/* ", history: …" of a curve over time; fails where it does not cover the run. */
void ig_dyna_history(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                     const ig_dyna_curve *curve);

/* --- dyna_model.c */
void ig_dyna_item_read(ig_dyna *k, const ig_dyna_card *c, ig_dyna_item **list, int lines);
void ig_dyna_parts_read(ig_dyna *k, const ig_dyna_card *c);
void ig_dyna_parts_resolve(ig_dyna *k);
void ig_dyna_materials_put(ig_dyna *k);
void ig_dyna_sections_put(ig_dyna *k);
void ig_dyna_bodies_put(ig_dyna *k);

/* --- dyna_motion.c: cards that become entries */
typedef void ig_dyna_reader(ig_dyna *k, const ig_dyna_card *c);
ig_dyna_reader ig_dyna_spc, ig_dyna_motion, ig_dyna_drive_read, ig_dyna_load_node,
    ig_dyna_load_segment, ig_dyna_load_shell, ig_dyna_load_body, ig_dyna_initial, ig_dyna_wall,
    ig_dyna_contact, ig_dyna_rigid_nodes, ig_dyna_probes;
void ig_dyna_fixed_put(ig_dyna *k); /* constraints of *NODE */
/* The set of that kind and number in the mesh; fails at the line where there is none. */
const char *ig_dyna_set(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                        ig_dyna_kind kind, int64_t id);

/* --- dyna_mesh.c */
void ig_dyna_mesh_read(ig_dyna *k);
/* A pressure on segments: entries of `loads` on sets of faces and shells, which are made. */
void ig_dyna_segments_press(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                            const struct ig_dyna_segment *segment, int64_t count, const char *name,
                            double pressure, const ig_dyna_curve *curve);
/* The first axis of the section of a part's beams; false: they differ, or have none. */
bool ig_dyna_beam_axis(ig_dyna *k, const ig_dyna_part *part, double axis[3]);

#endif
