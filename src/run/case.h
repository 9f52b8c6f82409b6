/* A case: the tree built from a file and by ig_case_set, and the structs that it is read into.

   ig_case_open or ig_case_new, ig_case_set…   the tree (include/ingot/run.h)
   ig_case_read                                tree -> common, room, room_case

   Memory: tree, texts and structs are in one arena, freed by ig_case_close. Reading may be repeated
   after a further ig_case_set; what was read before stays valid memory until the case is closed. */
#ifndef IG_RUN_CASE_H
#define IG_RUN_CASE_H

#include <ingot/run.h>
#include "core/room.h"
#include "material/material.h"
#include "geometry/mesh_case.h"

/* One limit of `accept`. Texts: the unit of a figure is known only when the run has given it. */
typedef struct {
  ig_src at;
  const char *figure;
  const char *min, *max; /* NULL: none */
} ig_accept_case;

/* Keys of every case, whatever its physics. */
typedef struct {
  ig_src at;
  const char *physics, *title; /* title is never NULL */
  const char *backend;         /* NULL: the context's own */
  int64_t threads;             /* 0: the context's own */
  int precision;               /* ig_precision */
  int assembly;                /* ig_assembly */
  ig_mesh_case mesh;           /* mesh.at.given says whether there is one */
  ig_list materials;           /* of ig_material_case, material files already folded in */
  ig_output_case output;
  ig_list accept; /* of ig_accept_case */
} ig_common_case;
extern const ig_option ig_common_options[];

/* Public functions are in include/ingot/run.h. */
struct ig_case {
  ig_ctx *cx;
  ig_arena *arena;
  const char *path; /* of the case file, NULL: none */
  /* A map. Nodes keep file, line and column for error messages. */
  ig_node *root; /* a map */
  /* Set by the readers of foreign decks, which have no units: the check of plausible sizes is
     skipped. */
  bool no_units; /* made of a file without units: values may be of any size */
  /* What the reader of a deck passed over and may change results: warnings of every run. */
  struct ig_case_warning {
    const char *text;
    struct ig_case_warning *next;
  } * warning;
  /* Hooks of src/deck and src/chain: a mesh or a state that comes from memory instead of a file. */
  ig_mesh_fn *mesh_make; /* stands for the file that `mesh` names, NULL: it is read */
  void *mesh_user;
  ig_state_fn *state_of; /* of another run, for a room that follows it; NULL: there is none */
  void *state_user;
  ig_mesh *mesh; /* the program's own, NULL: the section `mesh` says which */
  /* Filled by ig_case_read; room is NULL before. */
  const ig_room *room;
  ig_common_case common;
  void *room_case; /* room->case_size bytes */
};

/* IG_OK if the case exists and its context is usable. Every public function asks this first. */
IG_MUST_CHECK ig_status ig_case_usable(const ig_case *c);
/* A copy of the mesh given by ig_case_set_mesh, owned by the caller. c->mesh must not be NULL. */
IG_MUST_CHECK ig_status ig_case_mesh_copy(const ig_case *c, ig_mesh **mesh);
/* ig_case_set for a value from elsewhere (a sweep's table, a chain): error messages start with
   `label` instead of "--set KEY". */
IG_MUST_CHECK ig_status ig_case_set_from(ig_case *c, const char *key, const char *value,
                                         const char *label);
/* Reads the tree through the common table and that of the room named by `physics`. Fails with
   IG_INPUT and one line: place, what was expected, nearest remedy. */
IG_MUST_CHECK ig_status ig_case_read(ig_case *c);
/* The same with another list of rooms, ended by NULL (tests, benchmarks). */
IG_MUST_CHECK ig_status ig_case_read_for(ig_case *c, const ig_room *const *rooms);
/* The tree with material files merged in, in the arena of the case. */
IG_MUST_CHECK ig_status ig_case_fold(ig_case *c, ig_node **root);

/* printf to a text function. At most a path and some words: longer output is cut. */
void ig_text_put(ig_text_fn *text, void *user, const char *format, ...) IG_PRINTF(3, 4);

#endif
