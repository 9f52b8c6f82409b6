/* Plain structs and enums that the heat kernels share with the host, free of precision: of the
   library only kern/hd.h is needed here, so that nvcc and the C compiler see the same layout. Types
   that depend on the precision are in heat_types.inc (tables) and heat_view.inc (what kernels see
   of the engine). */
#ifndef IG_HEAT_TYPES_H
#define IG_HEAT_TYPES_H

#include "kern/hd.h"
#include "material/vapour.h"

/* How element conduction is made: geometry every step; one matrix per class of congruent elements;
   assembled rows, one per class of alike nodes. */
typedef enum { IG_HEAT_RECOMPUTE, IG_HEAT_CLASSES, IG_HEAT_STENCIL } ig_heat_conduction;
/* How surface fluxes are summed. switch and branch: 2x2 points per face, faces that are covered or
   not yet there multiplied by 0 or skipped; lumped: at the nodes, with the area they stand for. */
typedef enum { IG_HEAT_SWITCH, IG_HEAT_BRANCH, IG_HEAT_LUMPED } ig_heat_surface;
/* constant: one number per node; apparent: rho c(T) with the latent heat between solidus and
   liquidus; enthalpy: the node's heat content is the state, temperature follows from it. */
typedef enum { IG_HEAT_CONSTANT, IG_HEAT_APPARENT, IG_HEAT_ENTHALPY } ig_heat_capacity;

/* Flux into the body: flux - (h T - h_amb) - (e T^4 - e_amb), with e = sigma x emissivity. Of a
   square metre, W/m^2; times the area a node stands for, W. boils: the share of it that evaporates,
   or that area, m^2; what vapour takes is solved at the end of a step (heat_boil). */
#define IG_HEAT_FILM(type, name)                                                                   \
  typedef struct {                                                                                 \
    type flux, h, h_amb, e, e_amb, boils;                                                          \
  } name
IG_HEAT_FILM(float, heat_film_f32);
IG_HEAT_FILM(double, heat_film_f64);
#undef IG_HEAT_FILM

/* Size of material tables. 64 knots keep all tables of a material within a few kilobytes, so that
   those of a step stay in the cache of a core or a multiprocessor. Twice as many buckets as knots:
   most buckets then lie in one segment, and a look-up is one load without a search. */
enum { IG_HEAT_KNOTS = 64, IG_HEAT_BUCKETS = 128 };

/* Columns of a node's ledger, J: in through prescribed flux; out by convection, by radiation, into
   nodes with a prescribed temperature; in with newborn elements; in from a body source; in from
   beams. Kept per node, not as one sum: a sum over all nodes in every step would cost as much as
   the step, and its order would depend on the number of threads. */
enum {
  IG_LEDGER_FLUX,
  IG_LEDGER_CONVECTED,
  IG_LEDGER_RADIATED,
  IG_LEDGER_HELD,
  IG_LEDGER_BORN,
  IG_LEDGER_HELD_ANEW, /* into held nodes where a birth or a new temperature changes them */
  IG_LEDGER_BODY,
  IG_LEDGER_SOURCE,
  IG_LEDGER_COLUMNS
};

/* What is kept of each element's past, as floats: see heat_track. */
enum {
  IG_TRACK_LAST,                           /* mean temperature when last looked at, K */
  IG_TRACK_PEAK,                           /* highest, K */
  IG_TRACK_ABOVE,                          /* time above liquidus, s */
  IG_TRACK_MELTS,                          /* how often it became liquid */
  IG_TRACK_COOLING,                        /* rate when it last fell through the solidus, K/s */
  IG_TRACK_GRADIENT,                       /* of temperature, then, K/m */
  IG_TRACK_SPEED,                          /* of the front, then: cooling rate over gradient, m/s */
  IG_TRACK_FIELDS,                         /* the columns up to here are fields of snapshots */
  IG_TRACK_MELTED = IG_TRACK_FIELDS,       /* when it last became liquid, s: two floats */
  IG_TRACK_LIQUIDUS = IG_TRACK_MELTED + 2, /* when it last fell through the liquidus: two */
  IG_TRACK_LIQUIDUS_COOLING = IG_TRACK_LIQUIDUS + 2, /* its cooling rate then, K/s */
  IG_TRACK_COLUMNS
};

/* A mean temperature of an element that rises above the liquidus, falls below it, falls below the
   solidus; times are interpolated between two looks. */
typedef enum { IG_CROSSING_MELTS, IG_CROSSING_COOLS, IG_CROSSING_FREEZES } ig_crossing_kind;
typedef struct {
  double time;   /* s */
  float cooling; /* between the two looks, K/s */
  int32_t kind, element;
  int32_t cell; /* of the part: what kernels fill in; `element` is of the whole */
} ig_heat_crossing;

/* A survey of the state: what is asked besides the ledger, what was found. Sums: the columns of the
   ledger, then heat content, molten volume, temperatures and number of nodes at a height, and of
   the elements that have solidified the number, cooling rates, gradients and speeds. */
enum {
  IG_SURVEY_STORED = IG_LEDGER_COLUMNS,
  IG_SURVEY_MOLTEN,
  IG_SURVEY_LAYER,
  IG_SURVEY_LAYER_NODES,
  IG_SURVEY_FROZEN,
  IG_SURVEY_COOLING,
  IG_SURVEY_GRADIENT,
  IG_SURVEY_SPEED,
  IG_SURVEY_EVAPORATED,
  IG_SURVEY_SUMS
};
/* Lowest and highest: temperature; the melt pool along, across, up; the change of temperature; the
   diffusivity over the largest the material can have; of elements, the peak temperature, the time
   above liquidus, the number of meltings. */
enum {
  IG_SURVEY_T,
  IG_SURVEY_POOL,
  IG_SURVEY_CHANGE = IG_SURVEY_POOL + 3,
  IG_SURVEY_STIFF,
  IG_SURVEY_PEAK,
  IG_SURVEY_ABOVE,
  IG_SURVEY_MELTS,
  IG_SURVEY_EXTREMES
};
enum { IG_SURVEY_POOLS = 32 }; /* beams whose melt pools are measured apart */
typedef struct {
  int32_t melt;    /* 1: look for the melt pool, and at the past of elements */
  int32_t stiff;   /* 1: how near are elements to their largest diffusivity? */
  int32_t layered; /* 1: nodes within `thick` of the height `layer`, m */
  double along[2]; /* direction of the melt pool's length, in the plane */
  double layer, thick;
  int32_t picks;       /* temperatures of so many nodes, besides */
  const int32_t *pick; /* on the device */
  double *picked;      /* on the device */
  int32_t change;      /* 1: how far the last long step took temperatures */
  /* melt pools of several beams: a molten element belongs to the nearest of `pools` places. 0: all
     is asked for; else nothing but the pool of place `pool`, from 0 */
  int32_t pools, pool;
  double pool_at[IG_SURVEY_POOLS][2]; /* m, in the plane */
} ig_heat_question;
typedef struct {
  double sum[IG_SURVEY_SUMS];
  double low[IG_SURVEY_EXTREMES], high[IG_SURVEY_EXTREMES];
} ig_heat_survey;

/* What one item adds to the sums of a survey: a node's ledger, heat content, temperature and count
   at a height, heat of vapour; the molten volumes at an element's corners and what it adds to those
   of elements that have solidified; a face's ledger. Ranks add what others have computed. */
enum { IG_SURVEY_NODE = IG_LEDGER_COLUMNS + 4, IG_SURVEY_CELL = 8 + 4, IG_SURVEY_FACE = 3 };
typedef enum { IG_SURVEY_NODES, IG_SURVEY_CELLS, IG_SURVEY_FACES } ig_survey_kind;

/* A change of one node at a birth. Volumes of each material follow in an array of their own. */
enum {
  IG_PATCH_NEW = -1,   /* it was not there: all its heat comes with the newborn elements */
  IG_PATCH_GROWN = -2, /* it was there: its heat and theirs are mixed */
  IG_PATCH_KEEPS = -3, /* it was there and they are born at its temperature */
  IG_PATCH_HELD = -4   /* nothing is born: it is held at a new temperature */
};
typedef struct {
  int32_t node;
  int32_t donor; /* a new node takes this node's temperature; or one of the above */
  int32_t row;   /* stencil: its class of row */
  /* of the newborn elements' share of the node */
  double heat;        /* heat content at their birth temperatures, J */
  double capacity;    /* J/K; constant capacity only */
  double temperature; /* at which they are born, K; NaN: at several */
  double held;        /* the node is held at this, K; NaN: free */
  /* the node after the birth; not in stencil form, where the row says it */
  double inverse;     /* 1 / capacity, K/J; 0: not there, < 0: held */
  double body;        /* body source, W */
  heat_film_f64 film; /* W */
} ig_heat_patch;

/* What is there after so many births. Nodes: one more than the highest in use. */
typedef struct {
  int32_t elements, nodes, faces, event;
} ig_heat_range;

/* A stage of a step longer than the critical one (Runge, Kutta and Legendre, second order): with y
   the state, y0 where it began, y' the state before and f the rate of change,
   y <- y0 + mu (y - y0) + nu (y' - y0) + ahead f(y) + first f(y0). */
typedef struct {
  int32_t number; /* from 1; 0: a plain step, y <- y + dt f(y) */
  double mu, nu, ahead, first;
} ig_heat_stage;

/* What happens in one step, known to the host long before: sources and births depend on the
   toolpath alone. Births come first, then the step, then a look at the elements' past. */
typedef struct {
  double dt, time; /* s; time at the end of the step */
  double weight;   /* what flows counts for so long in the ledger, s: dt, or a
                      stage's share */
  double reach;    /* of a film: how much of the way to equilibrium the step is made for */
  ig_heat_stage stage;
  int32_t first, last;             /* the batch's watts */
  int32_t list;                    /* where their nodes begin, rising, in the batch's lists */
  int32_t patch_first, patch_last; /* births: changes of nodes */
  ig_heat_range there;             /* after the births */
  float look;                      /* s since the last look at the elements; 0: no look */
} ig_heat_step;

/* One kind of kernel of a step, measured apart (benchmarks). */
typedef struct {
  const char *name;
  double seconds;   /* of a step; all its launches */
  int launches;     /* in a step */
  int registers;    /* per thread */
  double occupancy; /* warps that fit on a multiprocessor, of those it can hold */
  double filled;    /* the same with the blocks there really are, mean of the launches */
} ig_heat_kernel_cost;
enum { IG_HEAT_KERNELS = 3 };

#endif
