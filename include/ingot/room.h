/* An analysis of your own, added to a context by a program. Cases with `physics: NAME` then have
   what those of Ingot have: units, ranges and located errors, sets and meshes, history, snapshots,
   checkpoints with restart, interruption, summary, and control by ingot/sim.h.

   An added analysis has numbers in the case, arrays on the mesh and a function that takes a step.
   Everything lies in host memory, in double precision; `duration` is a key of every one.

     static const ig_room_number numbers[] = {{"speed", "m/s", "of the wave", "1", 1e-9, 1e9}, {0}};
     static const ig_room_array arrays[] = {{"u", "m", IG_AT_POINTS, 1, true}, {0}};
     ig_room_add(cx, &(ig_room_description){.size = sizeof(ig_room_description), .name = "wave",
                     .number = numbers, .array = arrays, .begin = begin, .step = step});       */
#ifndef INGOT_ROOM_H
#define INGOT_ROOM_H

#include <ingot/mesh.h>

IG_C_BEGIN

/* A number of the case. */
typedef struct {
  const char *name, *unit; /* the key; the SI unit, "" of a pure number */
  const char *help;
  const char *fallback; /* as it would be written in a case ("20 degC"); NULL: must be given */
  double min, max;      /* in SI; both 0: any finite value */
} ig_room_number;

/* An array of the state: in snapshots, checkpoints and ingot/sim.h. */
typedef struct {
  const char *name, *unit;
  ig_location where; /* IG_AT_POINTS: nodes of the mesh, or IG_AT_ELEMENTS */
  int components;
  bool writable; /* by ig_sim_set */
} ig_room_array;

/* A column of the history, and a figure of the summary at the end. */
typedef struct {
  const char *name, *unit;
} ig_room_figure;

/* One run, as the functions see it. */
typedef struct {
  ig_ctx *cx;
  const ig_mesh *mesh;
  double duration;
  const double *number; /* in the order of the table */
  double *const *array; /* in the order of the table; 0 at the start */
  double time, dt;      /* at the start of the step; its length */
  int64_t step;         /* steps taken */
  void *own;            /* yours */
} ig_room_state;

/* What is not needed is left out; `begin` and `step` must be there. A function that fails returns
   what ig_room_fail returns. */
typedef struct {
  size_t size;                  /* of this struct, as the program was compiled */
  const char *name;             /* `physics: name` */
  const char *about;            /* in one line */
  const char *elements;         /* of its meshes, "tet4|hex8"; NULL: any */
  const ig_room_number *number; /* these three are ended by an entry without a name */
  const ig_room_array *array;
  const ig_room_figure *figure;
  void *user;
  /* Initial values; `state->dt` is set to the longest step it may take. Also called before a
     restart, which then brings the values of the arrays. */
  ig_status (*begin)(void *user, ig_room_state *state);
  ig_status (*step)(void *user, ig_room_state *state); /* from time to time + dt */
  ig_status (*figures)(void *user, ig_room_state *state, double *value);
  void (*end)(void *user, ig_room_state *state); /* frees `own`; after a failure, too */
} ig_room_description;

/* Adds an analysis to the context. Tables and texts must outlive it. IG_INPUT: the name is taken,
   or something is missing; the message says what. */
IG_API IG_MUST_CHECK ig_status ig_room_add(ig_ctx *cx, const ig_room_description *room);
/* Records a message and returns `status` (IG_INPUT, IG_NUMERIC …). */
IG_API ig_status ig_room_fail(ig_ctx *cx, ig_status status, const char *format, ...)
    IG_PRINTF(3, 4);

IG_C_END
#endif
