/* Grains of a solidifying melt: a cellular automaton on cubic cells (Gandin and Rappaz, 1997; for
   layers of additive manufacturing Rolchigo et al., 2022).

   A cell is solid, liquid or active. An active cell has an octahedron, the envelope of a dendrite
   with its corners along the <100> axes of its grain, whose half diagonal L grows with the speed of
   a dendrite tip at the cell's undercooling u:

        dL/dt = v(u),   v = c1 u + c2 u^2 + c3 u^3

   It captures the liquid neighbours (26) whose centres it contains. A captured cell belongs to the
   same grain and has an octahedron of its own, decentred so that its faces lie in those of the one
   that captured it: the envelope of a grain does not depend on the directions of the grid.

   The temperature is prescribed: by a gradient and a cooling rate, or by events (when a cell melts,
   when it falls through the liquidus, how fast it cools), as ExaCA reads them. Grains come from a
   substrate, from the solid around what melts, from given places and from nuclei whose undercooling
   is normally distributed.

   Arrays are in view.h, the passes of a step in cells.inc:

        own    each cell by itself: captured -> active, melting, growth of the octahedron
        take   liquid cells look at their neighbours: capture, epitaxy, nucleation

   files: options.c (keys), model.c (set-up), substrate.c, nuclei.c (where grains come from),
   events.c (files of events), advance.c (steps), share.c (ranks), checkpoint.c, output.c (history,
   snapshots, summary), measure.c (statistics of grains), tables.c (grains.csv, heights.csv,
   grains.vti), poles.c (pole figure), picture.c (sections). */
#ifndef IG_GRAINS_H
#define IG_GRAINS_H

#include <ingot/ranks.h>
#include "core/room.h"
#include "core/array.h"
#include "grains/view.h"

#include <math.h>

typedef struct {
  ig_src at;
  double cell;           /* m */
  int64_t refine;        /* cells along the spacing of `events` */
  double size[3];        /* m; with `field` */
  double min[3], max[3]; /* m; with `events`: only these, NaN: all */
} ig_grains_grid;

typedef struct {
  ig_src at;
  /* K/m along z; m/s; K/s, NaN: gradient times speed; K at the bottom at the start */
  double gradient, speed, cooling_rate, undercooling;
} ig_grains_field;

typedef struct {
  ig_src at;
  const char *file;
  double start_time; /* s, added to its times */
  double shift[3];   /* m, added to its places */
} ig_grains_file;

enum { IG_GRAINS_IN625, IG_GRAINS_IN718, IG_GRAINS_CUSTOM };
typedef struct {
  ig_src at;
  int law;
  double linear, quadratic, cubic; /* m/(s K), m/(s K^2), m/(s K^3); NaN: the alloy's */
  double limit;                    /* K; NaN: the alloy's */
} ig_grains_growth;

typedef struct {
  ig_src at;
  double grain_size; /* m */
  double top;        /* m; NaN: everywhere */
} ig_grains_substrate;

typedef struct {
  ig_src at;
  double density, mean, deviation; /* 1/m^3, K, K */
} ig_grains_nucleation;

typedef struct {
  ig_src at;
  double point[3]; /* m */
  double euler[3]; /* rad, Bunge's angles (ZXZ); NaN: random */
} ig_grains_seed;

typedef struct {
  ig_src at;
  ig_grains_grid grid;
  ig_grains_field field;
  ig_list events; /* of ig_grains_file */
  ig_grains_growth growth;
  ig_grains_substrate substrate;
  ig_grains_nucleation nucleation;
  ig_list seeds; /* of ig_grains_seed */
  bool periodic;
  double time_step, safety, duration; /* s, cells per step, s */
  int64_t random_seed;
  int ipf_axis;
} ig_grains_case;
extern const ig_option ig_grains_options[];
#define IG_GRAINS_FIELDS "grain|ipf|misorientation|undercooling|melts|state"
#define IG_GRAINS_FIGURES                                                                          \
  "grains|solidified_volume|liquid_fraction|grain_area_mean|aspect_ratio_mean|nucleated_grains|"   \
  "nucleated_fraction|misorientation_mean|undercooling_mean|time_step"

/* Arrays with a host side and a device side, one list so that none is forgotten. Those of the
   last list are the state that a checkpoint has. */
#define IG_GRAINS_FIXED_ARRAYS(X)                                                                  \
  X(event, 0)                                                                                      \
  X(first, IG_I32) X(axes, IG_F32) X(nuclei, IG_I32) X(nucleus, 0) X(count, 0) X(ghosts, 0)
#define IG_GRAINS_SEGMENT_ARRAYS(X) X(flags, IG_U8) X(woken, IG_U8) X(wake, IG_F64)
#define IG_GRAINS_STATE_ARRAYS(X)                                                                  \
  X(state, IG_U8)                                                                                  \
  X(melts, IG_U8)                                                                                  \
  X(grain, IG_I32) X(size, IG_F32) X(centre, IG_F32) X(under, IG_F32) X(next, IG_I32)
#define IG_GRAINS_ARRAYS(X)                                                                        \
  IG_GRAINS_FIXED_ARRAYS(X) IG_GRAINS_SEGMENT_ARRAYS(X) IG_GRAINS_STATE_ARRAYS(X)
typedef struct {
#define X(name, type) ig_array name;
  IG_GRAINS_ARRAYS(X)
#undef X
} ig_grains_arrays;

typedef struct {
  ig_job *job;
  ig_ctx *cx;
  const ig_grains_case *c;
  /* fixed by the case */
  double low[3];                 /* lowest corner of the grid, m */
  double law[3], limit, fastest; /* of growth: SI; K; m/s, what steps are chosen by */
  double dt, duration;           /* s */
  double cooling;                /* the fastest of the events, K/s */
  int32_t substrate_grains;      /* ids: seeds, substrate, powder, nuclei */
  int32_t powder_first, nucleus_first, grains_end;
  int64_t events, skipped; /* taken; outside of the box */
  /* the run */
  ig_grains_arrays array;
  ig_grains_view view;
  int64_t step, tick; /* steps taken; time over dt: time without melt is skipped */
  bool done;          /* nothing is liquid, nothing will melt */
  int side[2];        /* ranks beside this one, below and above in y; -1: none */
} ig_grains_run;

/* Set-up and end. `open` may fail half-way; close it in any case. */
IG_MUST_CHECK ig_status ig_grains_open(ig_job *job, ig_grains_run *r);
void ig_grains_close(ig_grains_run *r);
/* Up to `most` steps; fewer where everything is solid. */
IG_MUST_CHECK ig_status ig_grains_advance(ig_grains_run *r, int64_t most);
IG_MUST_CHECK ig_status ig_grains_count_now(ig_grains_run *r, ig_grains_count *count);
static inline double ig_grains_time(const ig_grains_run *r) {
  return (double)r->tick * r->dt;
}
static inline bool ig_grains_ended(const ig_grains_run *r) {
  return r->done || ig_grains_time(r) >= r->duration * (1 - 1e-12);
}
/* share.c: several ranks. Each computes the cells of its rows in y, and has of the rows beside
   these what the others have computed. Collective; on one rank nothing happens. */
IG_MUST_CHECK ig_status ig_grains_divide(ig_grains_run *r);
/* Between the passes of a step: rows beside its own. */
IG_MUST_CHECK ig_status ig_grains_ghosts(ig_grains_run *r);
/* Sums over all ranks, on all; `status`: of this one. */
IG_MUST_CHECK ig_status ig_grains_count_join(ig_grains_run *r, ig_status status,
                                             ig_grains_count *count);
/* Pulled state of all cells, on all ranks. */
IG_MUST_CHECK ig_status ig_grains_gather(ig_grains_run *r);
/* Sets all segments to be looked at; and the state to the device. */
IG_MUST_CHECK ig_status ig_grains_push(ig_grains_run *r);
IG_MUST_CHECK ig_status ig_grains_pull(ig_grains_run *r);

/* Parts of the set-up. events.c: arrays `event`, `first` and the grid from the files. */
IG_MUST_CHECK ig_status ig_grains_events_read(ig_grains_run *r);
IG_MUST_CHECK ig_status ig_grains_cells_make(ig_grains_run *r);
void ig_grains_substrate_fill(ig_grains_run *r);
int64_t ig_grains_substrate_count(const ig_grains_run *r);
IG_MUST_CHECK ig_status ig_grains_axes_make(ig_grains_run *r);
IG_MUST_CHECK ig_status ig_grains_nuclei_make(ig_grains_run *r);
/* The cell of a point, false: outside. */
static inline bool ig_grains_cell_of(const ig_grains_run *r, const double *point, int64_t *cell) {
  int at[3];
  for (int d = 0; d < 3; d++) {
    const double x = floor((point[d] - r->low[d]) / r->c->grid.cell + 1e-9);
    if (!(x >= 0 && x < r->view.n[d]))
      return false;
    at[d] = (int)x;
  }
  *cell = ((int64_t)at[2] * r->view.n[1] + at[1]) * r->view.n[0] + at[0];
  return true;
}
/* advice.c: warns of cells too long for the front's undercooling. */
void ig_grains_front_warn(const ig_grains_run *r);
/* Speed of a tip at an undercooling, m/s. */
double ig_grains_speed(const ig_grains_run *r, double under);

/* The room's functions. */
IG_MUST_CHECK ig_status ig_grains_history(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_grains_snapshot(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_grains_results(void *self, ig_sink *to);
bool ig_grains_field_of(void *self, int i, ig_room_field *field);
IG_MUST_CHECK ig_status ig_grains_get(void *self, const char *name, double *values);
IG_MUST_CHECK ig_status ig_grains_save(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_grains_restore(void *self, const ig_restart *from);

/* --- statistics of what has solidified: cells that have melted (or were liquid from the start) and
   are not liquid */
typedef struct {
  int32_t id;
  int64_t cells;
  int low, high;    /* levels */
  double centre[3]; /* m; in the box, parts across a periodic side taken together */
  double aspect;    /* height over the diameter of the mean section */
  double tilt;      /* between z and the nearest <100>, rad */
} ig_grains_grain;
typedef struct {
  int64_t cells, grains;
  double tilt; /* mean over cells, rad */
} ig_grains_level;
typedef struct {
  int64_t grains, cells, nucleated_grains, nucleated_cells;
  ig_grains_grain *grain; /* by id */
  ig_grains_level *level; /* n[2] */
  double tilt, aspect;    /* means over cells */
} ig_grains_measure;
/* Pull first. Freed by ig_grains_measure_free, after a failure too. */
IG_MUST_CHECK ig_status ig_grains_measure_make(const ig_grains_run *r, ig_grains_measure *m);
void ig_grains_measure_free(ig_grains_measure *m);

/* Orientation of a grain: rows are the crystal's axes. Its angle between z and the nearest <100>;
   the colour of direction `axis` in the standard triangle. */
const float *ig_grains_axes_of(const ig_grains_run *r, int32_t grain);
double ig_grains_tilt(const float *axes);
void ig_grains_color(const float *axes, int axis, float rgb[3]);

/* Files at the end of a run. */
IG_MUST_CHECK ig_status ig_grains_tables(const ig_grains_run *r, const ig_grains_measure *m,
                                         ig_sink *to);
IG_MUST_CHECK ig_status ig_grains_image(const ig_grains_run *r, ig_sink *to);
IG_MUST_CHECK ig_status ig_grains_picture(const ig_grains_run *r, ig_sink *to);
IG_MUST_CHECK ig_status ig_grains_poles(const ig_grains_run *r, const ig_grains_measure *m,
                                        ig_sink *to);

#endif
