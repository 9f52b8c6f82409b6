/* The discrete adjoint of a run through time: derivatives of a figure by everything that the set-up
   of a run hands to its steps.

   Masses, material numbers, sections, velocities and states at the start, loads, motions, tools:
   the *inputs* of a run (inputs.c), and a *bar* of a number is the derivative of the figure by it.
   A step n -> n + 1, with q the states of the elements, f their forces, F what acts from outside:

     v+ = keep v + (push / m) (F(x, t) - f),   supports,   tools,   u = dt v+,   x+ = x + u,
     (f+, q+) = E(x+, u, q; numbers)

     1  forward     the run as it is; signals are read after each step; the state is kept every
                    sqrt(steps) steps ("mark")                                      tape.c
     2  figure      its value, and its derivative by each reading                   figure.c
     3  backward    window by window from the last: the state of the mark, the steps once more with
                    all states kept, then each step transposed: elements on a tape (transpose.h),
                    particles, supports, tools and loads by hand                    backward.c
     4  set-up      a case with one key changed is set up again without being run: the sum of bars
                    times differences of inputs                                     gradient.c

   Lengths of steps are those of the first run. Everything is in double precision and summed in an
   order of its own: a gradient has the same bits on any number of threads. */
#ifndef IG_DYNAMICS_ADJOINT_H
#define IG_DYNAMICS_ADJOINT_H

#include "dynamics/adjoint/transpose.h"
#include "dynamics/model/part.h"
#include "dynamics/run.h"

/* Numbers of a tool: at, axis, velocity, travel (3 each), radius, friction. */
enum {
  IG_TOOL_AT,
  IG_TOOL_AXIS = 3,
  IG_TOOL_VELOCITY = 6,
  IG_TOOL_TRAVEL = 9,
  IG_TOOL_RADIUS = 12,
  IG_TOOL_FRICTION,
  IG_TOOL_NUMBERS
};

/* All inputs of a run as one list; members say where each kind begins. */
typedef struct {
  int64_t count;
  double *value;
  int groups;
  int64_t *number, *state;      /* groups: IG_DYN_NUMBERS; slots x states, as they lie */
  int64_t mass, inertia, heavy; /* nodes each; heavy: with gravity */
  int64_t v, x;                 /* nodes x dofs, nodes x 3 */
  int64_t force, face;          /* 6 each, 1 each */
  int64_t scale;                /* kinds of motion x 6 */
  int64_t history;              /* values of the rows of all histories */
  int64_t gravity, tool, damping;
} ig_dyn_inputs;

/* What can be read in a step. */
typedef enum {
  IG_SIGNAL_DISPLACEMENT,
  IG_SIGNAL_VELOCITY,
  IG_SIGNAL_FORCE,
  IG_SIGNAL_REPORT,
  IG_SIGNAL_NONE
} ig_dyn_signal_kind;
typedef struct {
  const char *name; /* of a probe; NULL: as the figure has it */
  ig_dyn_signal_kind kind;
  int component; /* or of the report */
  double share;  /* of each node */
  ig_lid nodes;
  const ig_lid *node;
  ig_lid single;  /* a probe's node */
  double *weight; /* reports: of each element of the mesh */
} ig_dyn_signal;

typedef struct {
  int64_t step;
  double *state;
} ig_dyn_mark;

/* Elements are taken in so many parts, whatever the number of threads, and sums of parts in their
   order. */
enum { IG_DYN_TAPE_PARTS = 32 };
enum { IG_DYN_TAPE_TOOLS = 32 }; /* at most */

typedef struct {
  ig_ctx *cx;
  ig_dyn_job *run;
  ig_dyn_inputs in;
  double *bar; /* in.count */
  int64_t steps, step_room;
  double *dt, *time; /* steps; steps + 1, s */
  /* signals: rows (steps + 1) x signals. each: all rows are read, not the last alone */
  int signals;
  bool each;
  ig_dyn_signal *signal;
  double *reading, *weight;
  int64_t reading_room, measured;
  size_t size; /* numbers of a state: x, v, f, states of groups */
  int64_t marks, mark_room;
  ig_dyn_mark *mark;
  double *window;
  /* bars of the state now: positions, velocities, forces, states; of what acts from outside */
  double *x, *v, *f, *q, *outside;
  /* bars at corners, a list per group; and where those of a node are: group << 40 | place */
  double **corner_x, **corner_u;
  int64_t *corner_first, *corner;
  double *part;                 /* IG_DYN_TAPE_PARTS x groups x IG_DYN_NUMBERS */
  double **thickness;           /* groups of shells: bar of each slot's thickness */
  ig_dyn_transpose **transpose; /* a tape per thread */
} ig_dyn_tape;

/* --- inputs.c */
IG_MUST_CHECK ig_status ig_dyn_inputs_take(ig_ctx *cx, const ig_dyn_model *m, ig_dyn_inputs *in);
void ig_dyn_inputs_free(ig_dyn_inputs *in);
/* Adds to *sum the bars times (the inputs of another model less those of the tape). */
IG_MUST_CHECK ig_status ig_dyn_inputs_difference(const ig_dyn_tape *t, const ig_dyn_model *other,
                                                 const char *key, double *sum);

/* --- tape.c */
/* Opens a run at its start; refuses by name what has no adjoint. */
IG_MUST_CHECK ig_status ig_dyn_tape_open(ig_job *job, const char *figure, ig_dyn_tape **t);
void ig_dyn_tape_free(ig_dyn_tape *t);
/* To the end: with steps as they come, and marks; or with those of another run. */
IG_MUST_CHECK ig_status ig_dyn_tape_forward(ig_dyn_tape *t, const ig_dyn_tape *like);
/* States to and from the model; the clock at step k. */
IG_MUST_CHECK ig_status ig_dyn_tape_state(ig_dyn_tape *t, double *to);
IG_MUST_CHECK ig_status ig_dyn_tape_go(ig_dyn_tape *t, int64_t k, const double *from);
/* One step, the k-th. */
IG_MUST_CHECK ig_status ig_dyn_tape_step(ig_dyn_tape *t, int64_t k);

/* --- figure.c: signals that a figure needs; readings of the state now into a row; the value and
   the derivatives by readings; bars of a row's readings. */
IG_MUST_CHECK ig_status ig_dyn_tape_signals(ig_dyn_tape *t, const char *figure);
IG_MUST_CHECK ig_status ig_dyn_tape_read(ig_dyn_tape *t, int64_t row);
IG_MUST_CHECK ig_status ig_dyn_tape_figure(ig_dyn_tape *t, const char *figure, double *value,
                                           char unit[16]);
void ig_dyn_tape_signals_free(ig_dyn_tape *t);

/* --- backward.c: bars of all inputs, from t->weight. */
IG_MUST_CHECK ig_status ig_dyn_tape_backward(ig_dyn_tape *t);

#endif
