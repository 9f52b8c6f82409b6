/* What the kernels of a powder bed see: numbers and device addresses, in one struct that is passed
   by value. The lists at the end name the kernels: functions powder_NAME of cells.inc and pool.inc,
   loops and launches over their items are made from the lists for both backends. */
#ifndef IG_POWDER_VIEW_H
#define IG_POWDER_VIEW_H

#include "powder/level.h"
#include "material/vapour.h"

/* Limits: lasers; windows at a time; boxes left by beams in which something is still molten. */
enum { IG_POWDER_WITHIN = 256 }; /* rows of the table of a beam's profile */
enum { IG_POWDER_BEAMS = 8, IG_POWDER_WINDOWS = 16, IG_POWDER_BOXES = 16 };
/* State of a fine cell: one byte. The upper six bits count meltings, up to 63. */
enum { IG_POWDER_SOLID = 1, IG_POWDER_MOLTEN = 2, IG_POWDER_MELTS = 2 };
/* Columns of a line's record: largest length, width, depth, volume of its pool; means of width and
   depth; how often it was looked at; the highest temperature; the mean of the ground ahead. */
enum {
  IG_LINE_LENGTH,
  IG_LINE_WIDTH,
  IG_LINE_DEPTH,
  IG_LINE_VOLUME,
  IG_LINE_WIDTH_MEAN,
  IG_LINE_DEPTH_MEAN,
  IG_LINE_LOOKS,
  IG_LINE_HOTTEST,
  IG_LINE_GROUND,
  IG_LINE_COLUMNS
};
/* Of a beam's pool while cells are looked at: largest -x, x, -y, y, ... as keys that sort like the
   numbers; temperature; cells. */
enum { IG_KEY_EXTENT, IG_KEY_HOTTEST = 6, IG_KEY_CELLS, IG_KEYS };
enum { IG_POWDER_KEYS = IG_KEYS * (IG_POWDER_BEAMS + 1) }; /* the last: what counts for none */
/* The pool now (length, width, depth, volume, temperature), then the largest ever of each. */
enum { IG_POOL_NOW, IG_POOL_MOST = 5, IG_POOL_COLUMNS = 10 };

/* What is counted of molten cells: of all windows; of each box that lingers; left by windows;
   blocks of a launch that are done; at a window's side; then of the box of each beam and of each
   that lingers how far they reach, along each axis nf - lowest and highest + 1, 0: none. */
enum {
  IG_MOLTEN_ALL,
  IG_MOLTEN_LINGER,
  IG_MOLTEN_LEFT = IG_MOLTEN_LINGER + IG_POWDER_BOXES,
  IG_MOLTEN_DONE,
  IG_MOLTEN_TOUCH,
  IG_MOLTEN_EXTENT,
  IG_MOLTEN_COUNT = IG_MOLTEN_EXTENT + 6 * (IG_POWDER_BEAMS + IG_POWDER_BOXES)
};

/* Coarse cells `at` to `at` + `size`. */
typedef struct {
  int at[3], size[3];
} ig_powder_box;

/* Fine cells in a box of coarse ones, up to the bed's top. Rim faces are numbered side by side:
   xmin, xmax, ymin, ...; on a side of axis d, axis d + 1 runs faster than axis d + 2. */
typedef struct {
  ig_powder_box box;
  ig_powder_level fine;
  double *rim; /* heat that left through each face of the rim in this coarse step, J */
  int beams, beam[IG_POWDER_BEAMS]; /* those in it */
  int away;                         /* another rank computes it */
} ig_powder_window;

/* What the beam finds: depth of absorption (1/e^2, m; NaN: the topmost cell), and the share of its
   light that goes into a keyhole, with what that absorbs of it. */
typedef struct {
  double depth, share, absorptivity;
} ig_powder_hole;
/* Keyholes of each pair of power and speed in the paths (`kind`), over the temperature of the
   ground ahead of the beam, which counts what neighbouring lines and layers below have left. */
enum { IG_HOLE_ROWS = 16 };
typedef struct {
  const ig_powder_hole *row; /* kinds x IG_HOLE_ROWS; depth 0: none. NULL: no keyholes */
  double T, step;            /* K: of the first row, between two rows */
} ig_powder_holes;

/* A laser's path: points with time (s), place (x 3, m) and power (W) of the piece that begins
   there. Pieces before `piece` are over: searches begin there. */
typedef struct {
  const double *t, *x, *power;
  const int *kind; /* of each piece; NULL: no keyholes */
  int64_t count, piece;
} ig_powder_way;

/* Fine cells whose history is kept, from `at` on in the bed; columns of each. */
enum { IG_MAP_PEAK, IG_MAP_COOLING, IG_MAP_G, IG_MAP_R, IG_MAP_COLUMNS };
typedef struct {
  int64_t at[3], n[3]; /* n[0] 0: none */
  float *value;        /* cells x IG_MAP_COLUMNS: K, K/s, K/m, m/s; NaN: never frozen */
} ig_powder_map;

/* Fine cells whose meltings are recorded, from `at` on in the bed. Of each its heat at the last
   look, J/m^3; since when it is molten, s, NaN: it is not; when it last fell below the upper
   temperature. */
enum { IG_EVENT_HEAT, IG_EVENT_MELTED, IG_EVENT_COOLED, IG_EVENT_COLUMNS };
typedef struct {
  int64_t cell;                   /* of the box */
  double melted, cooled, cooling; /* s, s, K/s */
} ig_powder_event;
/* Counts: those since the list was emptied, of which `most` are in it; those whose end no window
   has seen. */
enum { IG_EVENTS_LISTED, IG_EVENTS_LOST, IG_EVENTS_COUNTS };
typedef struct {
  int64_t at[3], n[3]; /* n[0] 0: none, or not in this layer */
  double *cell;        /* cells x IG_EVENT_COLUMNS */
  ig_powder_event *list;
  uint64_t *count, most;
  /* between which an event ends: liquidus and solidus, unless others are given; J/m^3, K */
  double high, low, high_T, low_T;
} ig_powder_events;

/* Columns of fine cells that are filmed, from `at` on in the bed. */
typedef struct {
  int64_t at[2], n[2];
  float *T; /* of their topmost cells; NULL: none are */
} ig_powder_film;

/* Numbers of the tables that a look at a cell needs, by value: kernels have them in the constant
   bank. */
typedef struct {
  double start, per;        /* as in the tables */
  double solidus, liquidus; /* J/m^3 */
  double packed;            /* powder at the liquidus, J/m^3 */
  double unpack;            /* solid's density over that of powder */
  double powder; /* resistance of powder, where it is the same at all temperatures; or NaN */
} ig_powder_law;

/* Fine steps come in groups of `count` whose lengths differ: each is a factor of the stability
   polynomial of Runge, Kutta and Legendre, so that a group is stable over count (count + 1) / 2
   steps of equal length. */
enum { IG_POWDER_STAGES = 2 };
typedef struct {
  int count;
  double at[IG_POWDER_STAGES], dt[IG_POWDER_STAGES]; /* s: since the group began; length */
  double all;                                        /* s, of a group */
} ig_powder_stages;

/* Items of `bytes` each in a box of an array, and the same one after the other in a buffer, for
   other ranks. */
typedef struct {
  char *array, *buffer;
  int64_t n[2], at[3], size[3]; /* n: of the array along its first two axes */
  int bytes;                    /* 1 or a multiple of 4 */
  bool into;                    /* from the buffer into the array */
} ig_powder_parcel;

/* Arguments of the launches. */
typedef struct {
  /* set by the host before each launch; most kernels use few of them */
  double time, dt; /* of a step, s; of many fine steps: when the first begins, not used */
  ig_powder_stages stages;
  double look;            /* when cells are looked at, s */
  double mu, nu;          /* a stage: mu heat + nu old + dt x rate; plain steps: 1, 0 */
  int slot;               /* of a window in the list */
  int stage, last;        /* from 1, 0: a plain step; whether it is the last one */
  int rows[2];            /* of coarse cells in y that a launch takes, from and to; 0, 0: all */
  double heat;            /* of new powder, J/m^3 */
  const double *fill_was; /* of levels, before a new layer */
  /* of beams on a line: unit vector along it, and the spot, m; for length and width of pools */
  double direction[IG_POWDER_BEAMS][2], here[IG_POWDER_BEAMS][2];
  double behind[IG_POWDER_BEAMS];     /* length of the line so far, m */
  double ahead[IG_POWDER_BEAMS];      /* how far from the spot its own heat is gone, m */
  int64_t line[IG_POWDER_BEAMS];      /* -1: none */
  int kind[IG_POWDER_BEAMS];          /* of keyholes, one for all steps of a launch; -1: none */
  ig_powder_box box[IG_POWDER_BEAMS]; /* of beams; size 0: none */
  ig_powder_parcel parcel;
} ig_powder_args;

typedef struct {
  /* grouped: material; the coarse grid; the bed; surroundings; beams; sums of heat; what is looked
     at; windows; arguments */
  const ig_powder_tables *tables;
  ig_powder_law law;
  ig_powder_level coarse;
  double *old, *before; /* coarse heat of the stage before; coarse T before a long step */
  double *solid;        /* coarse cells: share of their matter that is solid */
  const double *fill;   /* coarse levels: share that is filled */
  uint8_t *state;       /* fine cells of the whole bed */
  int64_t nf[3], bed;   /* their number; filled levels */
  int r;                /* fine cells along a coarse one */
  double low[3];        /* corner of the bed */
  /* K, K, W/(m^2 K), 1; the plate's underside is held at `plate` or closed */
  double plate, ambient, convection, emissivity; /* plate: NaN: closed */
  /* of the beam, m: 1/e^2 radius, and depth of absorption; absorptivity of cells that are still
     powder */
  double radius, depth, powder_absorptivity; /* NaN: none */
  /* m: the smallest length of its profile; of what is no Gaussian the share of its power between
     its axis and x, y, (IG_POWDER_WITHIN + 1)^2 of them, `within_per` to the metre; NULL */
  double narrow, within_per;
  const double *within;
  /* absorptivity of solid and melt over temperature, K: linear between rows */
  int absorb_count;
  const double *absorb_T, *absorb;
  int beams;
  ig_powder_way way[IG_POWDER_BEAMS];
  ig_powder_holes holes;
  double *ground; /* temperature ahead of each beam, K */
  /* vapour: heat flux evaporation / sqrt(T) exp(vapour (1 / boiling - 1 / T)), W/m^2; heat it took
     so far, and light of a step that the topmost cell alone took, J, by column; NULL: there is
     none. The kernel that takes all steps at once has no use for `light` */
  double boiling, vapour, evaporation;
  double *evaporated, *light;
  double
      *surface; /* of columns: the hottest since cells were looked at, K; 0: as the topmost cell */
  /* heat so far, J, by column: of fine cells; of coarse ones, and in the last two stages */
  double *source, *lost, *held, *coarse_lost, *coarse_held, *stage_lost[2], *stage_held[2];
  double liquidus_T, solidus_T;
  bool fits;      /* windows are as large as the pools: how far these reach is looked at */
  uint64_t *keys; /* IG_POWDER_BEAMS + 1 x IG_KEYS; the last: what counts for no beam */
  /* columns of the window in work, a bit each, rows of whole words: those with a molten cell; of
     these what is the pool of each of its beams */
  uint32_t *wet, *own_pool;
  double *pool;   /* IG_POOL_COLUMNS */
  double *line;   /* lines x IG_LINE_COLUMNS */
  int *molten;    /* IG_MOLTEN_COUNT */
  uint64_t *sunk; /* cells that were powder and became solid */
  /* boxes that a beam has left while something in them was molten: they keep a window */
  ig_powder_box linger[IG_POWDER_BOXES];
  int lingers;
  int probes;
  const double *probe_at;
  double *probe_now, *probe_peak;
  ig_powder_map map;
  ig_powder_film film;
  ig_powder_events events;
  const ig_powder_window *windows, *were; /* all now; all before they were placed anew */
  int window_count, were_count;
  const ig_powder_window *own; /* those that this rank computes; on one rank `windows` */
  int own_count;
  ig_powder_window *list; /* where windows are put */
  ig_powder_window w;     /* the one in work */
  ig_powder_args a;
} ig_powder_view;

/* When fine step `n` begins, and its length; the one after the last begins where that ends. */
IG_HD double ig_powder_fine_at(const ig_powder_args *a, int n) {
  const int group = n / a->stages.count;
  return a->time + group * a->stages.all + a->stages.at[n - group * a->stages.count];
}
IG_HD double ig_powder_fine_dt(const ig_powder_args *a, int n) {
  return a->stages.dt[n % a->stages.count];
}

/* The keyhole of a kind in ground at temperature T: between two rows, level beyond them. `given`:
   the least depth, NaN: none. What is less deep than a nanometre heats the surface: no cell would
   be within its reach. */
IG_HD ig_powder_hole ig_powder_hole_at(const ig_powder_holes *h, int kind, double T, double given) {
  double at = (T - h->T) / h->step;
  at = at > 0 ? (at < IG_HOLE_ROWS - 1 ? at : IG_HOLE_ROWS - 1) : 0;
  const int row = at < IG_HOLE_ROWS - 2 ? (int)at : IG_HOLE_ROWS - 2;
  const ig_powder_hole *a = &h->row[kind * IG_HOLE_ROWS + row], *b = a + 1;
  const double share = at - row;
  ig_powder_hole now;
  now.share = a->share + share * (b->share - a->share);
  now.absorptivity = a->absorptivity + share * (b->absorptivity - a->absorptivity);
  now.depth = a->depth + share * (b->depth - a->depth);
  if (!(now.depth > 1e-9) || now.depth < given)
    now.depth = given;
  return now;
}

/* Coarse cells along an axis, without the levels that nothing fills yet. */
IG_HD int ig_powder_filled(const ig_powder_view *v, int d) {
  return d < 2 ? v->coarse.n[d] : (int)((v->bed + v->r - 1) / v->r);
}

/* Kernels: name, what an item is. Cells have three indices. */
#define IG_POWDER_CELL_ITEMS(X)                                                                    \
  X(fine_look, fine)                                                                               \
  X(fine_step, fine)                                                                               \
  X(freeze, fine)                                                                                  \
  X(event, fine)                                                                                   \
  X(remap, fine)                                                                                   \
  X(leave, fine)                                                                                   \
  X(enter, fine)                                                                                   \
  X(pool, fine)                                                                                    \
  X(coarse_look, coarse)                                                                           \
  X(near, around)                                                                                  \
  X(far, coarse)                                                                                   \
  X(coarse_step, coarse)                                                                           \
  X(spread, coarse)                                                                                \
  X(change, coarse)                                                                                \
  X(mean, box)
#define IG_POWDER_ITEMS(X)                                                                         \
  X(ghost)                                                                                         \
  X(rim)                                                                                           \
  X(cross) X(column) X(mark) X(flood) X(probe) X(film) X(ahead) X(pool_done) X(put) X(parcel)

typedef enum {
#define X(name, where) IG_POWDER_KERNEL_##name,
  IG_POWDER_CELL_ITEMS(X)
#undef X
#define X(name) IG_POWDER_KERNEL_##name,
      IG_POWDER_ITEMS(X)
#undef X
} ig_powder_do;

IG_C_BEGIN
/* All items of a kernel: `n` cells along the axes, or n[0] items. */
IG_MUST_CHECK ig_status ig_powder_do_cpu(ig_ctx *cx, const ig_powder_view *v, ig_powder_do what,
                                         const int64_t *n);
IG_MUST_CHECK ig_status ig_powder_do_cuda(ig_ctx *cx, const ig_powder_view *v, ig_powder_do what,
                                          const int64_t *n);
/* Whether windows fit into the shared memory of a cluster of blocks: asked once per kernel. */
typedef struct {
  int most;                 /* bytes a block may have */
  unsigned asked, fits;     /* kernels, a bit each */
  void *side, *fork, *join; /* a stream for the coarse step, and where it leaves and comes back */
  /* counts of molten cells after the last step and, behind them, the number of that step: pinned
     memory of the host, into which the device writes. turn: steps launched */
  int *told, turn;
} ig_powder_cluster;
/* `steps` fine steps from v->a.time on (v->a.stages) of this rank's windows, with ghosts from the
   coarse grid; temperatures after them. `window`: all; `ways`: the paths, of the host. *done false:
   one of all windows does not fit, nothing has happened. */
IG_MUST_CHECK ig_status ig_powder_fine_cuda(ig_ctx *cx, const ig_powder_view *v,
                                            const ig_powder_window *window,
                                            const ig_powder_way *ways, int steps,
                                            ig_powder_cluster *is, bool *done);
/* A look at the coarse cells that no window is near to, and the coarse step, beside the fine steps
   that were launched last, from `ig_powder_fork_cuda` on. */
IG_MUST_CHECK ig_status ig_powder_fork_cuda(ig_ctx *cx, ig_powder_cluster *is);
IG_MUST_CHECK ig_status ig_powder_coarse_cuda(ig_ctx *cx, const ig_powder_view *v,
                                              ig_powder_cluster *is);
/* What follows both, for the window v->w: cross, mean, pool; `last` of the windows: pool_done, and
   the counts of molten cells go to the host. */
IG_MUST_CHECK ig_status ig_powder_after_cuda(ig_ctx *cx, const ig_powder_view *v,
                                             ig_powder_cluster *is, bool last);
/* These counts, as soon as the last step has written them: shorter than a copy, which waits for the
   stream. After a step. */
IG_MUST_CHECK ig_status ig_powder_told_cuda(ig_ctx *cx, const ig_powder_cluster *is, int *molten);
/* All that comes before fine steps in one launch: near and ahead; of windows that were placed anew
   also put, leave and remap. now, was: of the host; was NULL: they stay. *done false: there are too
   many, nothing has happened. */
IG_MUST_CHECK ig_status ig_powder_ready_cuda(ig_ctx *cx, const ig_powder_view *v,
                                             const ig_powder_window *now,
                                             const ig_powder_window *was, bool *done);
void ig_powder_cluster_close(ig_powder_cluster *is);
IG_C_END

#endif
