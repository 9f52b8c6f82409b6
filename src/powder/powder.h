/* The powder bed: a fine grid that follows the beam inside a coarse grid of bed and plate.

   Both grids hold heat per volume (J/m^3) in cubic cells. The coarse grid holds the whole bed;
   where the window lies, its cells hold the mean of the fine ones. A coarse step:

     ghosts      the window's rim takes temperatures of the coarse cells around it    window.c
     fine steps  the beam, conduction, melting; heat that crosses the rim is summed   level.c,
   beam.c coarse step conduction elsewhere; cells at the rim take the heat that crossed    level.c
     means       coarse cells under the window                                        window.c

   One number crosses each face of the rim and is taken from one side and given to the other, so no
   heat is lost or made between the levels. */
#ifndef IG_POWDER_H
#define IG_POWDER_H

#include "core/room.h"
#include "core/toolpath.h"
#include "material/material.h"
#include "powder/level.h"
#include "scan/hatch.h"

typedef struct {
  ig_src at;
  double cell;      /* m, of the fine grid */
  int64_t ratio;    /* fine cells along a coarse one */
  double window[3]; /* m */
  double margin;    /* bed around the parts, m */
  double plate;     /* thickness under the first layer, m */
} ig_powder_grid;

typedef struct {
  ig_src at;
  double radius, depth; /* m: 1/e^2 */
  double powder_absorptivity;
} ig_powder_beam;

typedef struct {
  ig_src at;
  const char *name;
  double point[3];
} ig_powder_probe;

typedef struct {
  ig_src at;
  double duration, initial_temperature, powder_temperature, plate_temperature, ambient, convection;
  double emissivity, safety, dwell_change;
  ig_powder_grid grid;
  ig_powder_beam beam;
  ig_hatch_case hatch;
  ig_list probes; /* of ig_powder_probe */
} ig_powder_case;
extern const ig_option ig_powder_options[];
#define IG_POWDER_FIELDS "T|solid|melts"
extern const ig_verify_entry ig_powder_verify[];

/* State of a fine cell: one byte. The upper six bits count meltings, up to 63. */
enum { IG_POWDER_SOLID = 1, IG_POWDER_MOLTEN = 2, IG_POWDER_MELTS = 2 };

/* Heat so far, J. */
typedef struct {
  double source, born, lost, held; /* beam; new layers; through the top; through the bottom */
} ig_powder_ledger;

/* Molten cells now: extents along and across the beam's way, and below the bed's top; m. */
typedef struct {
  double length, width, depth, volume;
} ig_powder_pool;

/* A line of the path: from where the beam goes on to where it goes off. */
typedef struct {
  int64_t first, last; /* pieces of the path */
  ig_powder_pool most; /* the largest of each */
  double width_mean, depth_mean;
  int64_t looks;
} ig_powder_line;

/* A layer, from 0. */
typedef struct {
  double birth;        /* s */
  double z;            /* of its top */
  int64_t line, lines; /* its first line, and how many */
  double interlayer;   /* mean temperature of what was melted of the layer below, K; NaN: none */
  double melted;       /* share of the part's cells in it, once it is done; NaN: not yet */
  int64_t cells;       /* of the part in it */
} ig_powder_layer;

typedef struct {
  ig_job *job;
  const ig_powder_case *c;
  ig_ctx *cx;
  ig_powder_tables tables;
  const ig_material_case *material;
  ig_toolpath path;
  int64_t cursor;
  int r;         /* fine cells along a coarse one */
  double low[3]; /* lowest corner of the bed */
  ig_level coarse, fine;
  double *old[2];  /* coarse heat, for long steps */
  double *before;  /* coarse temperatures before one */
  double *solid;   /* coarse cells: share of their matter that is solid */
  double *crossed; /* coarse cells: heat that came through the window's rim, J */
  double *fill;    /* coarse levels: share that is filled */
  double *shape;   /* the same as conduction takes it, and of the window */
  double *ones;
  uint8_t *state; /* fine cells of the whole bed */
  int64_t nf[3];  /* fine cells of the whole bed */
  int64_t bed;    /* fine cells that are filled, in z */
  int64_t plate;  /* of which are plate */
  bool open;      /* there is a window */
  int at[3];      /* its lowest coarse cell */
  int size[3];    /* in coarse cells */
  double dt_fine, dt_dwell;
  double time, duration;
  int64_t step, layer, layers; /* layer: how many are born */
  ig_powder_layer *layer_of;
  int64_t lines, line;
  ig_powder_line *line_of;
  ig_powder_ledger ledger;
  double stored0;
  ig_powder_pool pool, pool_most;
  double hottest, hottest_ever;
  int64_t molten; /* cells of the window */
  int64_t left_molten;
  int64_t fine_steps, coarse_steps, moves;
  double work;
  double *probe_now, *probe_peak;
  ig_scan_body *body; /* the parts */
  double *wx[3];      /* the beam's shares along the window's axes */
} ig_powder_run;

/* --- model.c */
IG_MUST_CHECK ig_status ig_powder_open(ig_job *job, ig_powder_run *run);
void ig_powder_close(ig_powder_run *run);
IG_MUST_CHECK ig_status ig_powder_path(ig_ctx *cx, const void *room_case, int beam,
                                       ig_toolpath *path);

/* --- window.c */

/* Opens the window about a place, or moves it there; returns it to the coarse grid. */
IG_MUST_CHECK ig_status ig_powder_window_place(ig_powder_run *run, const double *x);
void ig_powder_window_close(ig_powder_run *run);
/* Temperatures and resistances of the coarse cells around it, for its rim. */
void ig_powder_window_ghosts(ig_powder_run *run);
/* Heat that a fine step moves through the rim, added to `crossed`. */
void ig_powder_window_cross(ig_powder_run *run, double dt);
/* Means of the fine cells, into the coarse ones under the window. */
void ig_powder_window_mean(ig_powder_run *run);

/* --- beam.c */

/* The beam's heat from `time` to `time` + dt, into the window. */
void ig_powder_beam_heat(ig_powder_run *run, double time, double dt);
/* Where the beam is; whether it is on; when it is on again. */
double ig_powder_beam_at(ig_powder_run *run, double time, double *x);
double ig_powder_beam_next(const ig_powder_run *run, double time);

/* --- advance.c */
IG_MUST_CHECK ig_status ig_powder_advance(ig_powder_run *run);
/* How full the coarse levels are, from the height of the bed. */
void ig_powder_fill(ig_powder_run *run);
double ig_powder_stored(const ig_powder_run *run);
/* Temperature at a place: of the fine cell there, else of the coarse one. */
double ig_powder_temperature(const ig_powder_run *run, const double *x);

/* --- pool.c */
void ig_powder_pool_look(ig_powder_run *run, double time);
IG_MUST_CHECK ig_status ig_powder_layer_done(ig_powder_run *run, int64_t layer);
double ig_powder_interlayer(const ig_powder_run *run);

/* --- checkpoint.c: functions of the room */
IG_MUST_CHECK ig_status ig_powder_save(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_powder_restore(void *self, const ig_restart *from);

/* --- output.c */
IG_MUST_CHECK ig_status ig_powder_history(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_powder_snapshot(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_powder_results(void *self, ig_sink *to);

static inline size_t ig_powder_state_at(const ig_powder_run *r, int64_t i, int64_t j, int64_t k) {
  return ((size_t)k * (size_t)r->nf[1] + (size_t)j) * (size_t)r->nf[0] + (size_t)i;
}
/* A coarse cell in arrays without ghosts. */
static inline size_t ig_powder_cell(const ig_powder_run *r, int i, int j, int k) {
  return ((size_t)k * (size_t)r->coarse.n[1] + (size_t)j) * (size_t)r->coarse.n[0] + (size_t)i;
}

#endif
