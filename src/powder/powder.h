/* The powder bed: fine grids that follow the beams inside a coarse grid of bed and plate. A melt
   pool is some tenths of a millimetre long and needs cells of a few micrometres; a bed is
   centimetres wide. So cells are fine only in windows around the beams, which move with them.

        top of the bed   ------------------+-----------+------------------
                          coarse cells     | window:   |   coarse cells
                                           | fine cells|
                                           +-----------+
                                    bed, parts, plate
        bottom           ------------------------------------------------   plate_temperature

   All grids hold heat per volume (J/m^3) in cubic cells. The coarse grid holds the whole bed; where
   a window lies, its cells hold the mean of the fine ones. A coarse step:

        windows     follow the beams, meet, part, close                                   window.c
        ghosts      the windows' rims take temperatures of the coarse cells around them
        fine steps  the beams, conduction, melting; heat that crosses the rim is summed
        coarse step conduction elsewhere; cells at a rim take the heat that crossed it
        means       coarse cells under the windows

   One number crosses each face of a rim and is taken from one side and given to the other
   (refluxing, Berger and Colella, 1989), so no heat is lost or made between the levels. What a
   cell, a face or a column does is in cells.inc, pool.inc and beam.inc, for all backends;
   kernels_cpu.c and kernels_cuda.cu run it; advance.c has the order. States of all fine cells of
   the bed (solid, molten, number of meltings) are kept for good, one byte each; temperatures exist
   in windows only.

   Between layers, when nothing is molten, windows are closed and the coarse grid takes long steps.
 */
#ifndef IG_POWDER_H
#define IG_POWDER_H

#include <ingot/ranks.h>
#include "core/room.h"
#include "core/array.h"
#include "core/toolpath.h"
#include "material/keyhole.h"
#include "material/material.h"
#include "material/profile_case.h"
#include "powder/view.h"
#include "scan/hatch.h"

typedef struct {
  ig_src at;
  double cell;   /* m, of the fine grid */
  int64_t ratio; /* fine cells along a coarse one */
  /* of given size; window[0] NaN: fitted to the pools */
  double window[3]; /* m */
  double margin;    /* bed around the parts, m */
  double plate;     /* thickness under the first layer, m */
} ig_powder_grid;

typedef struct {
  ig_src at;
  double radius, depth; /* m: 1/e^2 */
  double order;         /* of a super-Gaussian; NaN or 0: 2 */
  ig_profile_ring ring;
  ig_table profile; /* relative intensity over the distance from the axis, m */
  double loss;      /* share of the light that plume and spatter take */
  /* of cells that are powder; NaN: the material's table for all */
  double powder_absorptivity;
  ig_keyhole_case keyhole;
} ig_powder_beam;

enum { IG_POWDER_PROBES = 64 }; /* at most */
typedef struct {
  ig_src at;
  const char *name;
  double point[3];
} ig_powder_probe;

typedef struct {
  ig_src at;
  double min[3], max[3]; /* m */
  /* IG_MAP_CSV or IG_MAP_VTI */
  int format;
} ig_powder_map_case;
enum { IG_MAP_CSV, IG_MAP_VTI };

typedef struct {
  ig_src at;
  double min[3], max[3]; /* m */
  double layers[2];      /* first and last, from 1; NaN: all */
  double high, low;      /* K; NaN: liquidus, solidus */
  int format;            /* IG_EXACA_TEXT or IG_EXACA_BINARY (io/format/exaca.h) */
} ig_powder_events_case;

typedef struct {
  ig_src at;
  /* the layer that is filmed, from 1; frames over the time of its lines */
  int64_t layer, frames;
  double min[2], max[2]; /* m */
} ig_powder_film_case;

typedef struct {
  ig_src at;
  /* s; K; K, NaN: initial; K, NaN: closed; K; W/(m^2 K) */
  double duration, initial_temperature, powder_temperature, plate_temperature, ambient, convection;
  /* 1; share of the critical step; K that a long step between layers may change a cell by */
  double emissivity, safety, dwell_change;
  int checkpoint;             /* IG_CHECKPOINT_EXACT or IG_CHECKPOINT_SMALL */
  int64_t fine_stages;        /* fine steps of a group (ig_powder_stages); 0: 1 */
  double packing;             /* density of powder over that of the solid */
  double liquid_conductivity; /* of the melt over the material's; 0: 1 */
  bool evaporation;

  ig_powder_grid grid;
  ig_powder_beam beam;
  /* paths are made here, or read from files (`paths`) */
  ig_hatch_case hatch;
  ig_list paths; /* of ig_path_case (io/toolpath/path_case.h) */
  /* m; of paths from files */
  double layer_height;
  ig_powder_map_case map;
  ig_powder_events_case events;
  ig_powder_film_case movie;
  ig_list probes; /* of ig_powder_probe */
} ig_powder_case;
enum { IG_CHECKPOINT_EXACT, IG_CHECKPOINT_SMALL };
extern const ig_option ig_powder_options[];
#define IG_POWDER_FIELDS "T|solid|melts|unfused|porosity|keyhole"
#define IG_POWDER_FIGURES                                                                          \
  "layers|stored|source|born|sunk|lost|held|evaporated|energy_gap|T_max|melt_length_max|"          \
  "melt_width_max|melt_depth_max|melt_width_mean|melt_depth_mean|melted_fraction_least|"           \
  "reached_below_least|porosity_most|keyhole_index_most|events|events_lost|time_above|"            \
  "cooling_rate|fine_steps|coarse_steps|window_moves|{probes}_peak"

/* Heat so far, J. */
typedef struct {
  double source, born, lost, held; /* beams; new layers; through the top; through the bottom */
  double sunk;                     /* powder that came down from above as some below it melted */
  double evaporated;               /* with vapour */
} ig_powder_ledger;

/* A line of a path: from where the beam goes on to where it goes off. */
typedef struct {
  int beam;
  int64_t first, last; /* pieces of its path */
} ig_powder_line;

/* A layer, from 0. */
typedef struct {
  double birth;        /* s */
  double z;            /* of its top */
  int64_t line, lines; /* its first line, and how many */
  double interlayer;   /* mean temperature of what was melted of the layer below, K; NaN: none */
  double melted;       /* share of the part's cells in it, once it is done; NaN: not yet */
  int64_t cells;       /* of the part in it */
  double melts;        /* mean number of meltings of those that melted */
  double reached;      /* share of the part's columns that also melted the cell below the layer */
  double hottest;      /* of the coarse cells of the layer below when this one was spread, K */
  double hot[2];       /* where, m */
  /* from the pools of its lines (fusion.c): the largest (h/w)^2 + (l/d)^2 and the middle of that
     line; the share that stays unmelted; the largest keyhole index; NaN: not known */
  double index, weakest[2], porosity, keyhole;
} ig_powder_layer;

/* A level of states that lives on no device (states.c); NULL: all are `all`. */
typedef struct {
  uint8_t *of, all;
} ig_powder_deep;

/* A laser: its path, and the box that goes with it. */
typedef struct {
  ig_toolpath path;
  int64_t cursor; /* a piece of the path not after the time */
  int64_t line;   /* its line in work, or the last one */
  bool has_box;
  ig_powder_box box;
} ig_powder_laser;

/* arrays of a path */
enum { IG_WAY_T, IG_WAY_X, IG_WAY_POWER, IG_WAY_KIND, IG_POWDER_WAY };

/* Events of surface cells in the middle of a line: how many, mean time above the upper temperature
   (s), mean cooling rate (K/s). */
enum { IG_EVENT_LINE_COUNT, IG_EVENT_LINE_ABOVE, IG_EVENT_LINE_COOLING, IG_EVENT_LINE };

/* Arrays with a host side and a device side. One list, so that none is forgotten when they are
   freed: tables of the material; coarse heat, T, resist and old ones of stages; solid, fill and
   shape of coarse cells and levels; states of fine cells; heat in and out by column (source, lost,
   held ...); keys, wet, own_pool, pool, line, molten: what is looked at; probes, map, film. */
#define IG_POWDER_ARRAYS(X)                                                                        \
  X(tables)                                                                                        \
  X(heat)                                                                                          \
  X(T)                                                                                             \
  X(resist)                                                                                        \
  X(old)                                                                                           \
  X(before)                                                                                        \
  X(solid)                                                                                         \
  X(fill)                                                                                          \
  X(fill_was)                                                                                      \
  X(shape)                                                                                         \
  X(ones)                                                                                          \
  X(state)                                                                                         \
  X(absorb_T)                                                                                      \
  X(absorb)                                                                                        \
  X(within)                                                                                        \
  X(source)                                                                                        \
  X(lost)                                                                                          \
  X(held)                                                                                          \
  X(evaporated)                                                                                    \
  X(light)                                                                                         \
  X(surface)                                                                                       \
  X(coarse_lost)                                                                                   \
  X(coarse_held)                                                                                   \
  X(lost_now)                                                                                      \
  X(lost_before)                                                                                   \
  X(held_now)                                                                                      \
  X(held_before)                                                                                   \
  X(holes)                                                                                         \
  X(ground)                                                                                        \
  X(keys)                                                                                          \
  X(wet)                                                                                           \
  X(own_pool)                                                                                      \
  X(pool)                                                                                          \
  X(line)                                                                                          \
  X(molten)                                                                                        \
  X(sunk)                                                                                          \
  X(probe_at)                                                                                      \
  X(probe_now)                                                                                     \
  X(probe_peak)                                                                                    \
  X(map)                                                                                           \
  X(parcel)                                                                                        \
  X(event_cells)                                                                                   \
  X(event_list)                                                                                    \
  X(event_count)                                                                                   \
  X(film)                                                                                          \
  X(top)                                                                                           \
  X(part_cells)                                                                                    \
  X(part_unfused)                                                                                  \
  X(part_porosity)                                                                                 \
  X(part_keyhole)                                                                                  \
  X(part_melts)                                                                                    \
  X(below)
typedef struct {
#define X(name) ig_array name;
  IG_POWDER_ARRAYS(X)
#undef X
  /* t, x, power and kind of keyhole of each path */
  ig_array way[IG_POWDER_WAY * IG_POWDER_BEAMS];
} ig_powder_arrays;

/* Windows, now or before they were placed anew. */
typedef struct {
  int count;
  ig_powder_window *window; /* of the host; device addresses within */
  ig_array list;            /* the same on the device */
  ig_array own;             /* of these what this rank computes; one rank has none of it */
  /* device memory of each window, which only grows; rim: faces of its six sides */

  ig_array heat[IG_POWDER_WINDOWS], T[IG_POWDER_WINDOWS], resist[IG_POWDER_WINDOWS],
      rim[IG_POWDER_WINDOWS];
} ig_powder_windows;

typedef struct {
  ig_job *job;
  const ig_powder_case *c;
  ig_ctx *cx;
  const ig_material_case *material;
  int beams;
  ig_powder_laser laser[IG_POWDER_BEAMS];
  int r;         /* fine cells along a coarse one */
  double low[3]; /* lowest corner of the bed */
  double cell;   /* edge of the fine ones */
  /* of the beam: its profile, and 2.5 of `radius` hold its light */
  ig_profile across;
  double radius;
  double layer_height;
  ig_powder_level coarse; /* heat: of the host, once it is pulled */
  int64_t nf[3];          /* fine cells of the whole bed */
  int64_t bed;            /* fine cells that are filled, in z */
  int64_t plate;          /* of which are plate */
  ig_powder_tables *tables;
  uint8_t *state; /* fine cells of the whole bed, of the host; from level `live` on (states.c) */
  int64_t live, keep;   /* at least `keep` levels below the top */
  ig_powder_deep *deep; /* levels below, of this rank; NULL: all are live */
  int32_t *melts;       /* sums of coarse cells, for output; NULL: not asked for yet */
  ig_powder_arrays array;
  ig_powder_view view;
  ig_powder_windows set[2]; /* set[now] is in force */
  int now;
  bool moved; /* they were placed anew; their cells are filled before the next step */
  /* of all ranks, as they were pulled or joined: counts of molten cells; cells that sank */
  int molten[IG_MOLTEN_COUNT];
  uint64_t sunk;
  ig_powder_cluster cluster;
  ig_powder_way way[IG_POWDER_BEAMS];    /* the paths, of the host */
  int size[3];                           /* of a window that follows one beam, in coarse cells */
  bool fits;                             /* windows are at least that, and as large as pools need */
  ig_powder_box linger[IG_POWDER_BOXES]; /* left by a beam while molten */
  int lingers;
  /* s: of a fine step; of the next long step between layers, 0: start from the plain one */
  double dt_fine, dt_dwell;
  double time, duration;
  /* where the last coarse step would have ended without `duration`: one that goes on from there
     takes the rest of it first, so that it looks at pools where a run that was not cut does */
  double plan;
  int64_t step, layer, layers; /* layer: how many are born */
  ig_powder_layer *layer_of;
  int64_t lines;
  ig_powder_line *line_of;
  int64_t buried; /* fine levels whose meltings are in array.part_melts instead of `state` */
  ig_powder_ledger ledger; /* born is always right, the others once they are pulled */
  /* heat at the start, J */
  double stored0;
  /* for the summary; moves: how often windows were placed anew */
  int64_t fine_steps, coarse_steps, moves;
  int64_t filmed; /* frames */
  /* events of the present layer that were taken from the device's list; of layers before it, and
     those lost */
  ig_powder_event *event;
  int64_t events, events_room;
  double events_before, events_lost;
  double (*event_lines)[IG_EVENT_LINE]; /* of each line; NULL: events are not asked for */
  /* cell updates so far, fine and coarse ones */
  double work;
  const char *launched; /* the kernel that was launched last; NULL: none */
  /* surfaces of the parts, to see which cells lie in one; NULL where paths come from files */
  ig_scan_body *body; /* the parts */
} ig_powder_run;

/* --- model.c */
/* Everything before the first step; close the run also after a failure. */
IG_MUST_CHECK ig_status ig_powder_open(ig_job *job, ig_powder_run *run);
void ig_powder_close(ig_powder_run *run);
/* The path of a beam, from 0, for `ingot path`; the caller frees it. */
IG_MUST_CHECK ig_status ig_powder_path(ig_ctx *cx, const void *room_case, int beam,
                                       ig_toolpath *path);

/* --- profile.c */
/* The beam's profile, into the run and the view. */
IG_MUST_CHECK ig_status ig_powder_profile_make(ig_powder_run *run);

/* --- advice.c */
/* Warns of a beam narrower than cells, of more steps than anybody waits for, of a step too coarse
   for vapour. */
void ig_powder_advise(const ig_powder_run *run);
/* How many steps, for `check`. */
void ig_powder_steps_describe(const ig_powder_run *run, ig_check_line *line, void *user);

/* --- device.c: arrays, the view of them; launch.c: launches */
IG_MUST_CHECK ig_status ig_powder_arrays_make(ig_powder_run *run);
void ig_powder_arrays_free(ig_powder_run *run);
/* Fine cells of a box, m, cut to the bed and to whole cells: the first along each axis, and how
   many; false: it is not in the bed. */
bool ig_powder_cells_in(const ig_powder_run *run, const double *min, const double *max, int64_t *at,
                        int64_t *n, double *cells);
/* All items of a kernel, in the window run->view.w or the whole bed. Returns while a device works;
   kernels follow each other in the order of calls. */
IG_MUST_CHECK ig_status ig_powder_do_all(ig_powder_run *run, ig_powder_do what);
/* Arrays that the host has filled, to the device: at the start and after a restart. */
IG_MUST_CHECK ig_status ig_powder_push(ig_powder_run *run);
/* What the host wants to read, bits of ig_powder_pull: coarse heat; sums of heat in and out, which
   also sets run->ledger; pools and counts of molten cells; lines; states of all fine cells (the
   largest array); probes; solid shares; the map. */
enum {
  IG_PULL_HEAT = 1,
  IG_PULL_LEDGER = 2,
  IG_PULL_POOL = 4,
  IG_PULL_LINES = 8,
  IG_PULL_STATE = 16,
  IG_PULL_PROBES = 32,
  IG_PULL_SOLID = 64,
  IG_PULL_MAP = 128,
  IG_PULL_WINDOWS = 256 /* of several ranks: ig_powder_windows_share */
};
IG_MUST_CHECK ig_status ig_powder_pull(ig_powder_run *run, unsigned what);
/* Counts of molten cells after the last step, into run->molten. */
IG_MUST_CHECK ig_status ig_powder_molten_pull(ig_powder_run *run);

/* --- share.c: several ranks (ranks/ranks.h). Each computes the fine steps of some windows; the
   coarse grid is computed by all, with the same bits. */

static inline bool ig_powder_ranks(const ig_powder_run *run) {
  return ig_ranks_count(run->cx->ranks) > 1;
}
/* Whether another rank computes a window: set where windows are placed. */
bool ig_powder_away(const ig_powder_run *run, const ig_powder_window *window);
/* What the ranks of a set of windows have of these, to all; bits of IG_PULL_*, and IG_PULL_WINDOWS:
   heat of fine cells. Nothing on one rank. Collective, as all below. */
IG_MUST_CHECK ig_status ig_powder_windows_share(ig_powder_run *run, const ig_powder_windows *set,
                                                unsigned what);
/* After `cross` and `mean` of a window: coarse cells under it and around it. */
IG_MUST_CHECK ig_status ig_powder_coarse_share(ig_powder_run *run, const ig_powder_window *window);
/* Long steps are divided: a rank takes rows of coarse cells in y. False: too few rows, or one rank;
   all take all. */
bool ig_powder_rows(const ig_powder_run *run, int *from, int *to);
/* Before a stage: heat of the rows beside this rank's. After the last one: heat and sums of all. */
IG_MUST_CHECK ig_status ig_powder_rows_beside(ig_powder_run *run);
IG_MUST_CHECK ig_status ig_powder_rows_join(ig_powder_run *run);
/* Pools, counts and probes of all ranks, into the arrays and run->molten, run->sunk. */
IG_MUST_CHECK ig_status ig_powder_looks_join(ig_powder_run *run);

/* --- states.c: states of fine cells. On several ranks only upper levels are on all. */

/* Memory, for the bed as it is; and its release. */
IG_MUST_CHECK ig_status ig_powder_states_make(ig_powder_run *run);
void ig_powder_states_free(ig_powder_run *run);
/* The plate is solid, of the host. */
void ig_powder_states_plate(ig_powder_run *run);
/* Before the bed is `bed` levels high: upper levels live, new ones are powder. Windows are closed.
 */
IG_MUST_CHECK ig_status ig_powder_states_rise(ig_powder_run *run, int64_t bed);
/* Levels from `low` on live, on the device. Pull before the host reads them. */
IG_MUST_CHECK ig_status ig_powder_states_reach(ig_powder_run *run, int64_t low);
/* All levels from the bottom up, of pulled ones: `take` on the first rank gets one after the other.
 */
IG_MUST_CHECK ig_status ig_powder_states_bring(ig_powder_run *run, ig_stream_take *take,
                                               void *user);
/* All levels from a checkpoint, of the host; those from `low` on live. run->bed is set. */
IG_MUST_CHECK ig_status ig_powder_states_take(ig_powder_run *run, const uint8_t *all, int64_t low);
/* Meltings of levels `from` to `to` - 1, of pulled ones: the sum over the cells of each coarse one,
   x fastest, coarse level by coarse level, on all ranks. `forget`: then they are 0. */
typedef void ig_powder_melts_put(void *user, int coarse_level, const int32_t *sum);
IG_MUST_CHECK ig_status ig_powder_melts_sum(ig_powder_run *run, int64_t from, int64_t to,
                                            bool forget, ig_powder_melts_put *put, void *user);

/* --- window.c */

/* Windows where the beams need them from now until `until`; where they change, filling them is left
   to ig_powder_windows_fill. */
IG_MUST_CHECK ig_status ig_powder_windows_follow(ig_powder_run *run, double until);
/* Heat of windows that were placed anew (run->moved), from those before and the coarse cells. */
IG_MUST_CHECK ig_status ig_powder_windows_fill(ig_powder_run *run);
/* No windows any more: what they hold is in the coarse cells already. */
IG_MUST_CHECK ig_status ig_powder_windows_close(ig_powder_run *run);
/* Windows on boxes instead of those there are, filled. */
IG_MUST_CHECK ig_status ig_powder_windows_place(ig_powder_run *run, const ig_powder_box *box,
                                                int count);
/* The windows of a set on boxes: memory; heat and the list on the device are not set. `beams`:
   those of each, a bit each; NULL: those whose boxes it holds. */
IG_MUST_CHECK ig_status ig_powder_windows_make(ig_powder_run *run, int set,
                                               const ig_powder_box *box, const unsigned *beams,
                                               int count);
/* The list on the device. */
IG_MUST_CHECK ig_status ig_powder_windows_put(ig_powder_run *run);

/* --- beam.c */

/* Where a beam is; how many watts. */
double ig_powder_beam_at(ig_powder_run *run, int beam, double time, double *x);
/* Its direction in the plane; how fast. */
double ig_powder_beam_way(ig_powder_run *run, int beam, double time, double *way);
/* How far behind the beam its line, from piece `first` on, last turned by more than 15 degrees from
   the way it goes now; infinity: nowhere. *corner: there it turns by more than 30 degrees at once:
   no chord of an arc. */
double ig_powder_beam_straight(const ig_powder_run *run, int beam, int64_t first, double time,
                               bool *corner);
/* From now on nothing before `time` is asked for. */
void ig_powder_beams_seek(ig_powder_run *run, double time);
/* When a beam is on again, from `time` on; infinity: never. */
double ig_powder_beam_next(const ig_powder_run *run, int beam, double time);

/* --- keyhole.c */
/* Keyholes of all pieces of all paths, over the temperature of the ground; into the view. */
IG_MUST_CHECK ig_status ig_powder_keyholes_make(ig_powder_run *run);
/* That of a piece in ground at a temperature, of the host. */
ig_powder_hole ig_powder_keyhole_of(const ig_powder_run *run, int beam, int64_t piece, double T);
/* Vapour at the top of the bed, into the view; fails where the material lacks a value. */
IG_MUST_CHECK ig_status ig_powder_vapour(ig_powder_run *run);

/* --- advance.c */
/* One step: layers that are due, then a coarse step with its fine steps, or a long step. Moves
   run->time on. */
IG_MUST_CHECK ig_status ig_powder_advance(ig_powder_run *run);
/* Windows and the coarse grid around them over the same time; windows stay where they are, and the
   time is not moved on. */
IG_MUST_CHECK ig_status ig_powder_both(ig_powder_run *run, double dt);
/* The longest stable coarse step. */
double ig_powder_coarse_step(const ig_powder_run *run);
/* The same as a whole number of groups of fine steps. */
double ig_powder_whole_step(const ig_powder_run *run);
/* Fine steps of all windows, from run->time on, after a look at the coarse grid. */
IG_MUST_CHECK ig_status ig_powder_fine_steps(ig_powder_run *run, double dt);
/* How full the coarse levels are, from the height of the bed. */
IG_MUST_CHECK ig_status ig_powder_fill(ig_powder_run *run);
double ig_powder_stored(const ig_powder_run *run); /* of pulled heat */
/* What is stored beyond what came in, J, of pulled heat and sums; in balance it is round-off. */
double ig_powder_gap(const ig_powder_run *run);

/* --- pool.c */

/* The beams' lines and places at a time, for the next look at their pools. */
void ig_powder_pool_aim(ig_powder_run *run, double time);
/* Counts what of a layer has melted, once its lines are drawn; from 0. */
IG_MUST_CHECK ig_status ig_powder_layer_done(ig_powder_run *run, int64_t layer);
/* Temperatures of the last layer, into this one. */
IG_MUST_CHECK ig_status ig_powder_interlayer(ig_powder_run *run, ig_powder_layer *layer);
/* The states below the layer that has just been spread, to see later which have melted again. */
IG_MUST_CHECK ig_status ig_powder_layer_begin(ig_powder_run *run);

/* Levels of states from the device, into `to`. */
IG_MUST_CHECK ig_status ig_powder_levels_pull(ig_powder_run *run, int64_t from, int64_t count,
                                              uint8_t *to);

/* --- fusion.c */

/* (h/w)^2 + (l/d)^2 of lines h apart, pools w wide and d deep, layers of l: above 1 some of a layer
   stays unmelted. */
double ig_fusion_index(double h, double w, double l, double d);
/* The share of a layer that stays unmelted between two lines h apart with pools a and b. turned:
   lines of following layers lie otherwise. */
typedef struct {
  double width, depth; /* m; 0: none */
} ig_fusion_pool;
double ig_fusion_porosity(double h, double l, const ig_fusion_pool *a, const ig_fusion_pool *b,
                          bool turned);
/* The share of a line that has been drawn. And whether it is cut before its pool is what it will
   be: so far it was drawn for less than twice the length of that. */
double ig_powder_drawn(const ig_powder_run *r, const ig_powder_line *l);
bool ig_powder_undeveloped(const ig_powder_run *r, int64_t line);
/* Heat of the spot over what melting takes: the keyhole index of a line; NaN: not known. */
double ig_powder_enthalpy(const ig_powder_run *run, const ig_powder_line *line);
/* Of a layer that is done, into it and into the maps. */
IG_MUST_CHECK ig_status ig_powder_fusion(ig_powder_run *run, ig_powder_layer *layer);

/* --- events.c */

/* The box, its memory; fails where it is not in the bed. */
IG_MUST_CHECK ig_status ig_powder_events_make(ig_powder_run *run);
/* Takes what has ended since the last call from the device's list. */
IG_MUST_CHECK ig_status ig_powder_events_drain(ig_powder_run *run);
/* Mean of a column of event_lines over all lines. */
double ig_powder_events_mean(const ig_powder_run *run, int column);
/* Writes the events of the present layer. */
IG_MUST_CHECK ig_status ig_powder_events_write(ig_powder_run *run, ig_sink *to);
/* Before a layer is spread: those of the one before are written and let go. */
IG_MUST_CHECK ig_status ig_powder_events_spread(ig_powder_run *run);
/* Whether the present layer is one of those recorded; into the view. */
void ig_powder_events_aim(ig_powder_run *run, int64_t layer);
/* Room for that many of the present layer. */
IG_MUST_CHECK ig_status ig_powder_events_reserve(ig_powder_run *run, int64_t count);
/* Sizes, for `check`. */
void ig_powder_events_describe(const ig_powder_run *run, ig_check_line *line, void *user);

/* --- movie.c */
/* Whether the time of a frame has come since this was asked last. */
bool ig_powder_film_due(ig_powder_run *run);
/* Writes a frame: temperatures of the bed's top in the rectangle that is filmed. */
IG_MUST_CHECK ig_status ig_powder_film_frame(ig_powder_run *run, ig_sink *to);

/* --- checkpoint.c: functions of the room */
IG_MUST_CHECK ig_status ig_powder_save(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_powder_restore(void *self, const ig_restart *from);

/* --- output.c */
IG_MUST_CHECK ig_status ig_powder_history(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_powder_snapshot(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_powder_results(void *self, ig_sink *to);
/* Fields of all coarse cells, x fastest; NaN where nothing is yet. */
bool ig_powder_field(void *self, int i, ig_room_field *field);
IG_MUST_CHECK ig_status ig_powder_get(void *self, const char *name, double *values);

/* --- report.c */
IG_MUST_CHECK ig_status ig_powder_tables_write(ig_powder_run *run, ig_sink *to);
void ig_powder_warn(const ig_powder_run *run); /* of pulled lines and counts */

/* Of new powder, K. */
static inline double ig_powder_new_T(const ig_powder_run *r) {
  return r->c->powder_temperature == r->c->powder_temperature ? r->c->powder_temperature
                                                              : r->c->initial_temperature;
}
static inline size_t ig_powder_state_at(const ig_powder_run *r, int64_t i, int64_t j, int64_t k) {
  return ((size_t)k * (size_t)r->nf[1] + (size_t)j) * (size_t)r->nf[0] + (size_t)i;
}
/* A coarse cell in arrays without ghosts. */
static inline size_t ig_powder_cell(const ig_powder_run *r, int i, int j, int k) {
  return ((size_t)k * (size_t)r->coarse.n[1] + (size_t)j) * (size_t)r->coarse.n[0] + (size_t)i;
}
/* An array as numbers, on the host. */
static inline double *ig_powder_host(const ig_array *a) {
  return a->host;
}

#endif
