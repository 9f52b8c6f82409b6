/* The discrete adjoint of a thermal run: derivatives of a figure by everything that the set-up of a
   run hands to the engine.

   A batch (heat_batch.c) is a list of plain numbers: watts, patches of births, lengths of steps.
   With the state at the start and the tables of the materials they determine the run. These are the
   *numbers* of a run, and a *bar* of a number is the derivative of the figure by it.

     1  forward     every batch is written, copied to the tape and run; signals are read after each
                    step; the state is kept every sqrt(steps) steps ("mark")       tape.c
     2  figure      its value, and its derivative by each reading of a signal      figure.c
     3  backward    window by window from the last: the state of the mark, the steps once more with
                    all states kept, then each step transposed                     backward.c
     4  set-up      a case with one key changed is set up again and writes its batches without
                    running them: the sum of bars times differences of numbers     numbers.c

   Steps and births are those of the first run: a derivative by a key that moves them is refused.

   The tape is exact: a figure's derivative by a number has rounding errors only. The derivative of
   a number by a key is a difference of fourth order (src/run/gradient.c): exact for polynomials of
   a key up to degree four, as almost all numbers are. */
#ifndef IG_THERMAL_ADJOINT_H
#define IG_THERMAL_ADJOINT_H

#include "thermal/engine/heat_tables.h"
#include "thermal/thermal.h"

/* Numbers of a patch that have bars; volumes follow in an array of their own. */
enum {
  IG_BAR_HEAT,
  IG_BAR_CAPACITY,
  IG_BAR_TEMPERATURE,
  IG_BAR_HELD,
  IG_BAR_INVERSE,
  IG_BAR_BODY,
  IG_BAR_FILM, /* five: flux, h, h_amb, e, e_amb */
  IG_PATCH_BARS = IG_BAR_FILM + 5
};

/* What a node was before a patch, to go back over it. */
typedef struct {
  double T, H, inverse, body;
  heat_film_f64 film;
} ig_tape_before;

/* One batch: the engine's arrays, their bars, and what patches replaced. */
typedef struct {
  int steps;
  int32_t patches, watts, listed;
  int64_t first; /* steps of the tape before it */
  ig_heat_step *step;
  ig_heat_patch *patch;
  double *volume; /* patches x materials */
  ig_lid *node;   /* listed: nodes that watts go to */
  double *watt;   /* W */
  ig_tape_before *before;
  double *volume_before;                     /* patches x materials */
  double *patch_bar, *volume_bar, *watt_bar; /* patches x IG_PATCH_BARS, x materials; watts */
  double *reach_bar;                         /* steps: of the limit of films */
} ig_tape_batch;

/* Arrays of nodes: numbers at the start, their bars, or bars of what nodes have now. */
typedef struct {
  double *T, *H, *inverse, *body, *volume; /* volume: nodes x materials; H, body: NULL, none */
  double *film;                            /* nodes x 5 */
} ig_tape_nodes;

/* Bars of a table's numbers; of content for capacities. */
typedef struct {
  double x[IG_HEAT_KNOTS], y[IG_HEAT_KNOTS], slope[IG_HEAT_KNOTS], content[IG_HEAT_KNOTS];
} ig_tape_table;

/* Sums over elements and nodes are taken in so many parts, whatever the number of threads, and the
   parts in their order: a gradient has the same bits on any number of threads. */
enum { IG_TAPE_PARTS = 32 };

typedef struct {
  ig_tape_table conductivity, capacity;
} ig_tape_material;

/* The state where a window begins. */
typedef struct {
  int64_t batch; /* its first batch */
  ig_heat_range there;
  double *T, *H;
} ig_tape_mark;

typedef struct ig_tape {
  ig_ctx *cx;
  ig_thermal_run run;
  bool opened;
  int64_t batches, batch_room, steps, marks, mark_room;
  ig_tape_batch *batch;
  ig_tape_mark *mark;
  ig_tape_nodes start, bar;    /* bar: of the state now; in the end of the start */
  ig_tape_material *part;      /* IG_TAPE_PARTS x materials */
  ig_tape_table *absorb_bar;   /* of the table of absorptivity */
  heat_material_f64 *material; /* as the run was set up; materials */
  heat_table_f64 absorb;
  /* Signals: the temperature of each probe, K, and where the figure asks for it the volume that is
     hotter than `hot`, m^3. Readings, rows x signals: of step k row 2 k after the births before it,
     row 2 k + 1 at its end. A birth changes temperatures at once. weight: derivative of the figure
     by each reading */
  int probes, signals;
  double hot, hot_width; /* K; hot NaN: none */
  double *reading, *weight;
  double *time; /* steps + 1, s */
  int64_t reading_room, time_room;
  double *flow, *slot;         /* nodes: bar of what flows in, W; elements x 8 */
  double reach[IG_TAPE_PARTS]; /* bar of the step's limit of films */
  double *state;               /* of a window: states before each step; T, then H */
  int64_t state_room;
} ig_tape;

/* --- tape.c */

/* Sets a run up, of element forms only; refuses by name what has no adjoint. `dt` > 0: steps of
   that length, so many. */
IG_MUST_CHECK ig_status ig_tape_open_run(ig_job *job, ig_thermal_run *run, double dt,
                                         int64_t steps);
/* Arrays of nodes, zeros. */
IG_MUST_CHECK ig_status ig_tape_nodes_new(ig_ctx *cx, const ig_heat *h, ig_tape_nodes *a);
/* Runs it from start to end, onto the tape. */
IG_MUST_CHECK ig_status ig_tape_forward(ig_ctx *cx, ig_tape *t);
/* The births before step i of batch b; the step itself. */
IG_MUST_CHECK ig_status ig_tape_births(ig_ctx *cx, ig_tape *t, ig_tape_batch *b, int i);
IG_MUST_CHECK ig_status ig_tape_step(ig_ctx *cx, ig_tape *t, ig_tape_batch *b, int i);
/* Back over the births before step i: arrays of nodes as they were. */
void ig_tape_unpatch(ig_tape *t, const ig_tape_batch *b, int i);
/* Writes the next batch of a run without running it. */
IG_MUST_CHECK ig_status ig_tape_write(ig_ctx *cx, ig_thermal_run *run);
void ig_tape_forget(ig_ctx *cx, ig_thermal_run *run);
void ig_tape_free(ig_ctx *cx, ig_tape *t);

/* --- figure.c */

/* What a figure needs to be read in each step; before ig_tape_forward. */
IG_MUST_CHECK ig_status ig_tape_signals(ig_ctx *cx, ig_tape *t, const char *figure);
/* The share of a node at temperature T that counts as hotter than t->hot, and its derivative by T:
   from 0 at hot - hot_width to 1 at hot + hot_width. */
double ig_tape_hot(const ig_tape *t, double T, double *slope);
/* The value of a figure, and the derivatives by readings (t->weight). */
IG_MUST_CHECK ig_status ig_tape_figure(ig_ctx *cx, ig_tape *t, const char *figure, double *value,
                                       char unit[16]);

/* --- backward.c: bars of all numbers, from t->weight */
IG_MUST_CHECK ig_status ig_tape_backward(ig_ctx *cx, ig_tape *t);
/* Derivatives by the temperature of each node at the start. */
void ig_tape_initial(const ig_tape *t, double *derivative);

/* --- numbers.c */

/* Adds to *sum the bars times (the numbers of another set-up less those of the tape). */
IG_MUST_CHECK ig_status ig_tape_difference(ig_ctx *cx, ig_tape *t, ig_thermal_run *other,
                                           double *sum);
/* Derivatives by the power of each piece of a beam's path, in `piece`; `run` is set up as the
   tape's was. */
IG_MUST_CHECK ig_status ig_tape_powers(ig_ctx *cx, ig_tape *t, ig_thermal_run *run, int beam,
                                       double *piece);

#endif
