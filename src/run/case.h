/* A case: the tree that a file and ig_case_set built, and what it says once it is read.

     ig_case_open or ig_case_new, ig_case_set…      the tree (include/ingot/run.h)
     ig_case_read                                   tree -> common, room, room_case

   Reading may be repeated after a further ig_case_set; everything read lives as long as the case.
 */
#ifndef IG_RUN_CASE_H
#define IG_RUN_CASE_H

#include <ingot/run.h>
#include "core/room.h"
#include "material/material.h"
#include "geometry/mesh_case.h"

/* What every case may say, whatever its physics. */
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
} ig_common_case;
extern const ig_option ig_common_options[];

struct ig_case {
  ig_ctx *cx;
  ig_arena *arena;
  const char *path;      /* of the case file, NULL: none */
  ig_node *root;         /* a map */
  bool no_units;         /* made of a file without units: values may be of any size */
  ig_mesh_fn *mesh_make; /* stands for the file that `mesh` names, NULL: it is read */
  void *mesh_user;
  ig_state_fn *state_of; /* of another run, for a room that follows it; NULL: there is none */
  void *state_user;
  ig_mesh *mesh; /* the program's own, NULL: the section `mesh` says which */
  /* filled by ig_case_read */
  const ig_room *room;
  ig_common_case common;
  void *room_case; /* room->case_size bytes */
};

/* Whether there is a case, in a context that was opened; public functions ask first. */
IG_MUST_CHECK ig_status ig_case_usable(const ig_case *c);
/* A copy of the program's own mesh. */
IG_MUST_CHECK ig_status ig_case_mesh_copy(const ig_case *c, ig_mesh **mesh);
/* ig_case_set of a value that stands elsewhere: messages about it begin with `label`, its place. */
IG_MUST_CHECK ig_status ig_case_set_from(ig_case *c, const char *key, const char *value,
                                         const char *label);
/* Resolves the tree through the common table and the table of the room that `physics` names.
   Fails with IG_INPUT and one line that says where, what was expected and the nearest remedy. */
IG_MUST_CHECK ig_status ig_case_read(ig_case *c);
/* The same with rooms of the caller's own, ended by NULL. */
IG_MUST_CHECK ig_status ig_case_read_for(ig_case *c, const ig_room *const *rooms);
/* The case's tree with material files folded in. */
IG_MUST_CHECK ig_status ig_case_fold(ig_case *c, ig_node **root);
/* The case that was read, as a case file that reads to the same again, with its defaults as
   comments. */
IG_MUST_CHECK ig_status ig_case_print(ig_case *c, ig_text_fn *text, void *user);

/* Writes a formatted text, a path and some words at most. */
void ig_text_put(ig_text_fn *text, void *user, const char *format, ...) IG_PRINTF(3, 4);

#endif
