/* A room: one kind of analysis. It declares its options, opens a job, advances it, and says what
   there is to see. The loop around it, with all that is written and when, is run/time_loop.c.
   Listed once, in run/room_list.h. Its verification problems and benchmarks are not part of the
   library: verify/ROOM and bench/ROOM. */
#ifndef IG_CORE_ROOM_H
#define IG_CORE_ROOM_H

#include "core/option.h"
#include "core/output.h"

struct ig_toolpath;

/* The `output` section, common to all rooms; core/schedule.h makes moments of it. */
typedef struct {
  ig_src at;
  int64_t every;           /* snapshot every so many steps, 0: by interval */
  double interval;         /* snapshot every so many seconds of simulated time, NaN: none */
  int64_t count;           /* or this many over the whole run */
  ig_reals times;          /* or at these, rising */
  int64_t history_every;   /* history row every so many steps, 0: a thousand over the whole run */
  double checkpoint_every; /* seconds of wall time between checkpoints, 0: only at the end and where
                              a run is interrupted */
  int64_t compression;     /* 0 to 9 */
  bool one_file;           /* when the run is done, all snapshots in one file besides */
  ig_texts fields;         /* empty: the room's default fields */
} ig_output_case;

/* The state of another run of this process at a time, or at its first step after it, and when that
   run ends. `source` says which; snap NULL: only the end is wanted. The caller frees *snap. */
struct ig_snapshot;
typedef ig_status ig_state_fn(void *user, const char *source, double time, double *end,
                              struct ig_snapshot **snap);

/* A job: one case, ready to run. */
typedef struct ig_job {
  ig_ctx *cx;
  const char *title;
  ig_precision precision;
  ig_assembly assembly; /* a room that may choose says here what it took */
  bool assembly_free;   /* the case leaves it open: `assembly` is gather unless the room chooses */
  const struct ig_room *room; /* NULL: a program's own job */
  const ig_output_case *output;
  const ig_list *materials;  /* of ig_material_case (material/material.h) */
  ig_mesh *mesh;             /* NULL if the room makes its own grid */
  const void *room_case;     /* the struct the room's options fill */
  const ig_node *tree;       /* the case as written, for ig_key_at; NULL: a program's */
  ig_sink *sink;             /* NULL: nobody wants output (benchmarks, verification) */
  const ig_restart *restart; /* NULL: from the start */
  ig_state_fn *state_of;     /* NULL: no other run is at hand */
  void *state_user;
  const struct ig_schedule *schedule; /* when output is due; NULL outside of a run */

  /* filled by the loop */
  int64_t steps; /* since the start of the run, those before a restart among them */
  double seconds_setup, seconds_solve, seconds_output;
  /* filled by the room, at the latest in `tally` */
  int64_t elements, nodes, dofs;
  double element_steps; /* work done: element-steps, or DOF-iterations for implicit rooms */
  double bytes_moved;   /* the bytes that work must move, counted once each */
} ig_job;

/* What `ingot check` prints: lines of "label: value". */
typedef void ig_check_line(void *user, const char *label, const char *value);

/* A step and a time, since the start of a run; where iterations are counted, time is their number.
 */
typedef struct {
  int64_t step;
  double time;
} ig_moment;

/* Output forced at this step, regardless of the schedule. */
enum { IG_SHOW_ROW = 1, IG_SHOW_SNAPSHOT = 2, IG_SHOW_CHECKPOINT = 4 };

/* How far a room has come. */
typedef struct {
  ig_moment at;    /* what the schedule goes by */
  double clock;    /* simulated time, s; differs from at.time where an analysis sets the clock */
  double duration; /* of the whole run, as at.time counts; INFINITY: unknown */
  int64_t steps;   /* of the whole run; 0: unknown, as steps change their length */
  double dt;       /* length of the next step, as at.time counts */
  bool uneven;     /* later steps may be many times as long: dt says nothing about their number */
  bool ended;
  bool iterations; /* steps are iterations, and no time passes */
  bool whole;      /* the run is a single step, with nothing in it to save */
  unsigned show;   /* IG_SHOW_*: the end of an analysis, say */
  int64_t pending; /* steps already prepared: the next advance takes them all */
  double work;     /* element-steps (or DOF-iterations) so far */
  char note[120];  /* a short live figure for the progress line */
} ig_run_status;

/* A field of the state: where it is stored on the device, in the mesh's order; NULL: nowhere. */
typedef struct {
  const char *name, *unit;
  ig_location where;
  ig_dtype dtype;
  int components;
  int64_t count;
  bool writable;
  const void *dev;
  int64_t stride[2]; /* bytes: from item to item, from component to component */
} ig_room_field;

/* The functions of a room. `self` is what open made: the state of one run. Where `to` is given,
   results go there (and nowhere else); it is never NULL unless said so. */
typedef struct ig_room {
  const char *name, *about; /* `physics: name` in a case */
  bool needs_mesh;
  bool ranks;    /* runs on several ranks (ranks/ranks.h) with the bits of one */
  bool clusters; /* knows `assembly: cluster` */
  bool pieces;   /* `restore` takes arrays by ig_restart_take (ranks/restart.h): nobody has all */
  size_t case_size;
  const ig_option *options;

  /* Set-up and validation. No output may be written before it returns. On
     failure *self may be set; it is closed in any case. */
  ig_status (*open)(ig_job *job, void **self);
  void (*close)(void *self); /* takes NULL */
  /* The state at the start; or the one a checkpoint holds. One of the two is called, once. */
  ig_status (*begin)(void *self);
  ig_status (*restore)(void *self, const ig_restart *from);
  /* Takes up to `most` steps, at least 1; fewer wherever it likes, so that Ctrl-C is answered. The
     same steps in other portions give the same bits. `ahead`: so many more follow unchanged, and
     may be prepared (ig_run_status.pending). May return before the device is done. */
  ig_status (*advance)(void *self, int64_t most, int64_t ahead);
  /* Waits for the device and tells what faults its kernels met. NULL: a plain wait. */
  ig_status (*wait)(void *self);
  void (*stand)(const void *self, ig_run_status *standing);
  /* A row of the history, as of now; fails where a run has gone wrong (energies out of balance).
     `to` NULL: only look. A room may give no row, no snapshot, no checkpoint (NULL: never). */
  ig_status (*history)(void *self, ig_sink *to);
  ig_status (*snapshot)(void *self, ig_sink *to);
  /* After what is shown at a moment, before a checkpoint of it: whatever is decided anew for the
     next steps, their length, say. NULL: nothing. */
  ig_status (*renew)(void *self);
  /* All that a continuation needs to reach the same bits. */
  ig_status (*save)(void *self, ig_sink *to);
  /* The figures at the end, once. */
  ig_status (*results)(void *self, ig_sink *to);
  /* Fills the job's counts; called after a failure too. */
  void (*tally)(void *self);

  /* For other programs (include/ingot/sim.h); each may be left out. The i-th field, false beyond
     the last. `get` and `set`: count x components, in the mesh's order; `get` is asked for fields
     without `dev` alone. `load` multiplies a load of the case, `support` what a support of the case
     prescribes. Nothing is pending when they are called. */
  bool (*field)(void *self, int i, ig_room_field *field);
  ig_status (*get)(void *self, const char *name, double *values);
  ig_status (*set)(void *self, const char *name, const double *values);
  ig_status (*load)(void *self, int load, double factor);
  ig_status (*support)(void *self, int support, double factor);

  /* The path of a beam of a case, from 0, for `ingot path`; NULL: the room has no beams. */
  ig_status (*path)(ig_ctx *cx, const void *room_case, int beam, struct ig_toolpath *path);

  ig_status (*check)(ig_job *job, ig_check_line *line, void *user);
  const char *elements; /* types of mesh it takes, "tet4|hex8"; NULL: any */
  const char *fields;   /* all it can write into snapshots, "T|T_peak" */
  /* All figures that are numbers, "T_max|melt_width*_max|{probes}_peak": * is anything, {probes}
     the `name` of any of the case's `probes`; NULL: not known. Others give their result in words.
   */
  const char *figures;
  const char *precisions; /* those it computes in, "single|double"; NULL: all */
  /* Keys of every case that this room does not look at, "precision|output.fields"; NULL: none. Who
     gives one is warned. */
  const char *unused;
} ig_room;

#endif
