/* The design: densities, filters, projection, material interpolation, optimality criteria.
   Everything here acts on arrays of elements in device memory; whether the elements form a grid
   shows only in `ig_taps`.

   The mathematics of one element is in design.inc, compiled for both backends; design_cpu.c and
   design_cuda.cu (sums: design_sums_cuda.cu) are the loops around it. Structs are passed to
   kernels by value: their pointers are device pointers unless marked otherwise. */
#ifndef IG_TOPOPT_KERNELS_DESIGN_H
#define IG_TOPOPT_KERNELS_DESIGN_H

#include "core/array.h"
#include "solver/grid/grid.h"

IG_C_BEGIN

/* What an element is: nothing (halo), free, or held solid or void. IG_LIMITS: constraints beside
   the volume, at most. IG_DUAL_SUMS: a change for every function and the upper triangle of second
   derivatives. */
enum { IG_ROLE_NONE, IG_ROLE_DESIGN, IG_ROLE_SOLID, IG_ROLE_VOID };

/* A convolution kernel with the symmetry of the grid: weights of the offsets (|x|, |y|, |z|). */
typedef struct {
  int reach[3];
  int mirror[3];        /* planes of symmetry along each axis: 1 the lowest side, 2 the highest */
  const double *weight; /* device: [z][y][x], 0 outside the radius */
} ig_taps;

/* Building direction on a grid. Langelaar 2017: an element is built as far as the elements of the
   layer below that touch it, within 45 degrees for cubes, are. */
typedef struct {
  int axis, up; /* up: layers follow the axis */
} ig_overhang;

/* One layer of a part that is built: its elements a, b in arrays of the grid and in an array of one
   layer, where a rank's planes have those of its neighbours beside them. */
typedef struct {
  int n[2], low[2], high[2];      /* own elements; low <= a < high has a value, other ranks' too */
  int64_t first, step[2], down;   /* in arrays of the grid; to the layer below */
  int64_t layer_first, beside[2]; /* in an array of one layer */
  int plate, top;                 /* 1: nothing is below it, or above */
  double most;                    /* elements below one, the largest number */
} ig_print_layer;

/* Draw direction on a grid: layers from `split` on are pulled out along the axis, those below it
   the other way. An element has at least the density of those it is pulled past. */
typedef struct {
  int axis, split;
  double power; /* draw.inc */
} ig_draw;

/* A grid folded into one cell of a pattern: of cell place a along an axis the elements
   order[start[a]] to order[start[a + 1]], of a part its own. Device pointers. */
typedef struct {
  int cells[3];
  const int32_t *start[3], *order[3];
} ig_fold;

/* Elements that share one density, group after group; device pointers. */
typedef struct {
  int64_t count;
  const int64_t *start, *order; /* count + 1; elements by group */
} ig_links;

/* Where a state has component c of node n: n step + c stride. */
typedef struct {
  int64_t nodes, step, stride;
  int size;
} ig_node_layout;

/* From a filtered density to a modulus. Materials that an element may choose from, at most. */
enum { IG_CANDIDATES = 7 };
typedef struct {
  double penalty, least; /* E = least + x^penalty (1 - least) */
  double beta, eta;      /* smoothed step; beta 0: none */
  /* several materials in one element (ordered SIMP): powers between void, at[0], and each next */
  int materials;
  double at[IG_CANDIDATES + 1], modulus[IG_CANDIDATES + 1];
} ig_law;

typedef struct {
  /* Limits of an update, what its volume has to be, and bounds of the search for the multiplier. */
  int relative;                /* move is a share of x */
  double move, damping, gray;  /* limits x by +-move, B^damping, (x B^damping)^gray */
  double x_min;                /* lowest density */
  double keep;                 /* moving asymptotes: least share of x that is left */
  double floor;                /* least factor of x: B is cut off there; 0: nowhere */
  double tolerance;            /* (high - low) / (high + low) of the multiplier */
  int absolute;                /* the tolerance is high - low itself */
  double target, base;         /* wanted sum of dv x; what it leaves out */
  double high, guess;          /* first bound of the multiplier; about what it is, 0: unknown */
  double least, most;          /* a multiplier beyond these is not looked for */
  const double *lower, *upper; /* asymptotes (device): the update is that of moving asymptotes */
  double scale;                /* of dc, for those: 1 / its largest */
  const ig_grid *grid;         /* of the elements, NULL: none (host) */
} ig_oc;

/* Moving asymptotes with several constraints: the objective's slopes first, then theirs. */
enum {
  IG_LIMITS = 31,
  IG_FUNCTIONS = IG_LIMITS + 2,
  IG_DUAL_SUMS = IG_FUNCTIONS + (IG_LIMITS + 1) * (IG_LIMITS + 2) / 2
};
typedef struct {
  int count;                       /* constraints, the volume among them */
  double move, keep;               /* as of ig_oc */
  const double *x, *lower, *upper; /* device */
  const double *slope[IG_FUNCTIONS];
  double scale[IG_FUNCTIONS], multiplier[IG_FUNCTIONS]; /* 1 for the objective */
  double least[IG_FUNCTIONS]; /* curvature added to each function, in units of its largest slope */
  const ig_grid *grid;        /* of the elements, NULL: none (host) */
} ig_topopt_mma;

typedef struct {
  double change, sum, grayness; /* max |x - old|; sum of x; sum of 4 x (1 - x), x from material to
                                   material of a law */
} ig_topopt_design_stats;

typedef enum { IG_MAP_PRODUCT, IG_MAP_QUOTIENT, IG_MAP_SENSITIVITY } ig_map;

typedef struct ig_topopt_design_ops {
  /* out = sum of weight x in over the elements of the grid. Arrays are device arrays of `n`
     places or of the grid's `stored` places; places without a role are written as 0 or left
     alone. Calls return before a GPU is done, except those that return sums to the host (oc,
     dual, stats). Those are collective where the grid is divided. */
  ig_status (*filter)(ig_ctx *cx, const ig_grid *g, const ig_taps *taps, const uint8_t *role,
                      const double *in, double *out);
  /* node values: share x the elements around; element values: the mean of the nodes */
  ig_status (*to_nodes)(ig_ctx *cx, const ig_grid *g, double share, const double *in, double *out);
  ig_status (*to_elements)(ig_ctx *cx, const ig_grid *g, const uint8_t *role, const double *in,
                           double *out);
  /* the printed density of one layer, also by itself in `now`, of which `below` is the last one's;
     slopes by it become slopes by `in`; `now` are those by the sum below, `above` the last one's */
  ig_status (*print)(ig_ctx *cx, const ig_print_layer *l, const uint8_t *role, const double *in,
                     const double *below, double *out, double *now);
  ig_status (*print_back)(ig_ctx *cx, const ig_print_layer *l, const uint8_t *role,
                          const double *in, const double *printed, const double *above, double *now,
                          double *slope);
  /* the density that can be drawn, of one side of the split (1: below it), and slopes by it back;
     `in` and `out` may not be the same. `carry`, a value per column, is what ranks hand on */
  ig_status (*draw)(ig_ctx *cx, const ig_grid *g, const ig_draw *d, int side, const uint8_t *role,
                    const double *in, double *carry, double *out);
  ig_status (*draw_back)(ig_ctx *cx, const ig_grid *g, const ig_draw *d, int side,
                         const uint8_t *role, const double *in, const double *drawn, double *carry,
                         double *slope);
  /* adds the designed elements of each place of the cell to sum; gives them sum / count */
  ig_status (*fold_sum)(ig_ctx *cx, const ig_grid *g, const ig_fold *f, const uint8_t *role,
                        const double *v, double *sum);
  ig_status (*fold_spread)(ig_ctx *cx, const ig_grid *g, const ig_fold *f, const uint8_t *role,
                           const double *sum, const double *count, double *v);
  /* every element of a group gets the mean of the group; elements in no group stay as they are */
  ig_status (*average)(ig_ctx *cx, const ig_links *links, double *v);
  /* y = w x component by component, 0 where held; out = u . v node by node */
  ig_status (*node_scale)(ig_ctx *cx, const ig_node_layout *l, const uint8_t *fix, const double *w,
                          const double *x, double *y);
  ig_status (*node_dot)(ig_ctx *cx, const ig_node_layout *l, const double *u, const double *v,
                        double *out);
  /* mass of each element over that of the solid, or its slope by the density */
  ig_status (*mass)(ig_ctx *cx, int64_t n, const uint8_t *role, double threshold, bool slope,
                    const double *density, double *out);
  /* out = p a + q b */
  ig_status (*mix)(ig_ctx *cx, int64_t n, double p, const double *a, double q, const double *b,
                   double *out);
  /* out = w |inverse v|^power, with the sign of v where `sign`; 0 where anything is held (fix, may
     be NULL) */
  ig_status (*powers)(ig_ctx *cx, int64_t n, const double *w, const uint8_t *fix, const double *v,
                      double inverse, double power, bool sign, double *out);
  /* physical density of the filtered one, roles imposed; the modulus */
  ig_status (*physical)(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_law *law,
                        const double *filtered, double *density, double *modulus);
  /* dc = -dE/dx energy, dv = 1, both by the filtered density; 0 where held */
  ig_status (*slope)(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_law *law,
                     const double *filtered, const double *density, const double *energy,
                     double *dc, double *dv);
  /* out = a b, a / b, or a / (b max(1e-3, c)); 0 outside */
  ig_status (*map)(ig_ctx *cx, int64_t n, const uint8_t *role, ig_map how, const double *a,
                   const double *b, const double *c, double *out);
  /* asymptotes close in on a density that swings, move away from one that does not */
  ig_status (*asymptotes)(ig_ctx *cx, int64_t n, const uint8_t *role, bool first, double share,
                          const double *x, const double *old, const double *older, double *lower,
                          double *upper);
  /* the update whose volume is the target, by bisection; `work` holds a value per element */
  ig_status (*oc)(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_oc *oc, const double *x,
                  const double *dc, const double *dv, double *work, double *out,
                  double *multiplier);
  /* the minimum for given multipliers: what every function changes by in its approximation, then
     how the constraints' values bend with the multipliers, [i <= j]; or the minimum itself */
  ig_status (*dual)(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_topopt_mma *mma,
                    double *sums);
  ig_status (*mma)(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_topopt_mma *mma,
                   double *out);
  ig_status (*stats)(ig_ctx *cx, const ig_grid *g, int64_t n, const uint8_t *role,
                     const ig_law *law, const double *x, const double *old,
                     ig_topopt_design_stats *stats);
} ig_topopt_design_ops;

extern const ig_topopt_design_ops ig_topopt_design_cpu;
extern const ig_topopt_design_ops ig_topopt_design_cuda;
const ig_topopt_design_ops *ig_topopt_design_ops_of(const ig_ctx *cx);

IG_C_END
#endif
