/* Regular grids of bricks or rectangles: where nodes and elements lie in memory, the matrix-free
   operator, and the levels of a multigrid hierarchy.

   Node (i, j, k) is stored at first + i + j * row + k * plane, with a halo of one node all around
   (in 2D none in z), so that kernels need no cases at the rim. Element (i, j, k) sits at the place
   of its lowest node. A vector holds component after component, `stored` values each; its halo is
   zero and stays so.

          row           .  .  .  .  .      . halo   o node
                        .  o--o--o  .      element (0, 0) at the place of its lower left node
          i = 0 ...     .  o--o--o  .      n = 2 x 1 elements, 3 x 2 nodes, row = 8 (padded)
                        .  .  .  .  .

   Moduli are 0 and all components are fixed in the halo: elements there add nothing, nodes never
   move. */
#ifndef IG_SOLVER_GRID_GRID_H
#define IG_SOLVER_GRID_GRID_H

#include "core/array.h"
#include "solver/grid/brick.h"
#include "solver/krylov/cg.h"
/* half precision by the compiler at hand; both have the same 16 bits (IEEE 754 binary16) */
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

IG_C_BEGIN

struct ig_slab;
typedef struct ig_grid {
  int dim, dof;
  int n[3];              /* elements along each axis; n[2] is 0 in 2D */
  int64_t row, plane;    /* strides */
  int64_t stored, first; /* places of one component, halo included; place of node (0, 0, 0) */
  /* Of a grid divided between ranks, this one's part (slab.h): n[2] + 1 planes of nodes are its
     own, from plane `from` of a whole with `all` elements along z; halos in z hold `ghosts` planes
     of other ranks. Its last plane of nodes has elements, too, unless it is the whole's last. */
  struct ig_slab *slab; /* NULL: a whole */
  int level, from, all, ghosts;
} ig_grid;

/* Geometry of a grid; allocates nothing. n: elements along dim axes, at least 1 each. Fails
   (IG_ARG) for less, or where unknowns exceed 2e9. */
IG_MUST_CHECK ig_status ig_grid_init(ig_ctx *cx, ig_grid *g, int dim, int dof, const int *n);
/* The same for a grid that no device holds as a whole: of any size. Sizes and strides alone. */
IG_MUST_CHECK ig_status ig_grid_outline(ig_ctx *cx, ig_grid *g, int dim, int dof, const int *n);
/* Fails if one device cannot number its unknowns. */
IG_MUST_CHECK ig_status ig_grid_check(ig_ctx *cx, const ig_grid *g);
static inline int64_t ig_grid_place(const ig_grid *g, int i, int j, int k) {
  return g->first + i + j * g->row + k * g->plane;
}
/* Of this rank's part: own planes alone. */
static inline int64_t ig_grid_nodes(const ig_grid *g) {
  return (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
}
static inline bool ig_grid_divided(const ig_grid *g) {
  return g && g->slab;
}
/* Whether the grid goes on below and above; planes of elements. */
static inline int ig_grid_below(const ig_grid *g) {
  return g->from > 0;
}
static inline int ig_grid_above(const ig_grid *g) {
  return g->from + g->n[2] < g->all;
}
static inline int ig_grid_layers(const ig_grid *g) {
  return g->dim == 3 ? g->n[2] + ig_grid_above(g) : 1;
}
static inline int64_t ig_grid_elements(const ig_grid *g) {
  return (int64_t)g->n[0] * g->n[1] * ig_grid_layers(g);
}
/* the grid of half as many elements; an odd count is rounded up, its last element hangs over */
IG_MUST_CHECK ig_status ig_grid_coarsen(ig_ctx *cx, const ig_grid *fine, ig_grid *coarse);

/* A spring to ground. Sorted by node. */
typedef struct {
  int64_t node; /* its place in a component of a vector */
  int component;
  double stiffness; /* N/m; of conduction W/K */
} ig_spring;

/* a node's byte: bits of held components, and whether it has springs, which few have to search for
 */
enum { IG_FIX_SPRING = 8, IG_FIX_ALL = 7 }; /* bits 0..2 of `fix`: components held */

/* What an operator's kernels see; all pointers are device pointers. */
#include "kern/prec_f32.h"
#include "solver/grid/grid_args.inc"
#include "kern/prec_f64.h"
#include "solver/grid/grid_args.inc"

/* What a sweep over the grid makes of a = A x. */
typedef enum {
  /* three uses of one kernel: what is made of A x while it is in registers saves a pass over memory
   */
  IG_SWEEP_APPLY,    /* y = a */
  IG_SWEEP_RESIDUAL, /* y = b - a */
  IG_SWEEP_SMOOTH,   /* d = c0 d + c1 D^-1 (b - a), y = x + d; d NULL: 0, and not remembered */
} ig_sweep;

#ifdef __CUDACC__
typedef __half ig_half;
#else
typedef _Float16 ig_half;
#endif

/* A level of the hierarchy, coarse ones with a stored stencil: 3^dim blocks of dof x dof per node,
   the half from the node itself upwards, [block][row][column][place] in single precision. */
enum { IG_STENCIL_HALF = 14 };
typedef struct {
  ig_grid grid;
  ig_grid_args_f32 args; /* of the finest level; of a coarse one: the geometry alone */
  int blocks;            /* stored: 14 in 3D, 5 in 2D; 0: matrix-free */
  /* offset: from a node to the other node of each block, in places */
  int64_t offset[IG_STENCIL_HALF];
  /* [block][row][column][place]; block 0 is the diagonal one. Blocks of the other half are the
     transposes of these at the neighbour */
  float *stencil;
  /* blocks off the diagonal in half precision, entries over the `scale` (one per node, the root of
     its largest diagonal entry) of both their nodes; then `stencil` holds the diagonal blocks alone
   */
  ig_half *half;
  float *scale, *unscale; /* unscale: 1 / scale, 0 where there is nothing */
  bool balance;           /* in half, where translations carry no force: nor do they here */
  float *inverse;         /* coarse: of the diagonal, dof x stored; 0 where there is none */
  float *element;         /* element matrices, coarse levels from the second: size^2 each */
  float *block; /* inverses of the diagonal blocks, dof x dof x stored; NULL: not asked for */
  float *b, *x, *y, *d; /* dof x stored */
  /* where several cycles are joined: what the first ones made, its image under A, the residual it
     leaves; sums */
  float *first, *image, *rest;
  struct ig_pair_state *pair;
  double lambda; /* bound or estimate of the largest eigenvalue of D^-1 A */
} ig_level;

/* What cycles made so far, c for the right-hand side b: c.Ac, c.b. partial, arrived: of the
   device's blocks, whose last adds up (reduce.cuh); the CPU allocates none of `partial`. */
typedef struct ig_pair_state {
  double sum[2];
  unsigned arrived;
  double partial[2 * 16384];
} ig_pair_state;

/* The kernels of one backend: X(name, arguments). */
#define IG_GRID_OPS(X)                                                                             \
  /* y = A x in double; state->s.pap = x . y where it is not NULL */                               \
  X(apply,                                                                                         \
    (ig_ctx * cx, const ig_grid_args_f64 *args, const double *x, double *y, ig_cg_state *state))   \
  /* single precision, on any level */                                                             \
  X(sweep, (ig_ctx * cx, const ig_level *level, ig_sweep what, const float *b, const float *x,     \
            float *d, float c0, float c1, float *y))                                               \
  /* x = d = c1 D^-1 b: the first step of a smoother from zero */                                  \
  X(start, (ig_ctx * cx, const ig_level *level, const float *b, float c1, float *x, float *d))     \
  /* inverses of the nodes' diagonal blocks, on any level; x += c1 D^-1 r by them (x = from zero)  \
   */                                                                                              \
  X(blocks, (ig_ctx * cx, const ig_level *level))                                                  \
  X(relax,                                                                                         \
    (ig_ctx * cx, const ig_level *level, const float *r, float c1, bool from_zero, float *x))      \
  /* coarse b = P^T fine r, and the first step of its smoother unless c1 is 0 */                   \
  X(restricts, (ig_ctx * cx, const ig_level *fine, const float *r, const ig_level *coarse,         \
                float *b, float c1, float *x, float *d))                                           \
  /* fine x += P coarse x, held components left alone */                                           \
  X(prolong,                                                                                       \
    (ig_ctx * cx, const ig_level *coarse, const float *xc, const ig_level *fine, float *x))        \
  /* Several cycles on a coarse level: image and sums of what they made so far, x; then x made as  \
     long as takes most energy from the error, what it leaves of b, and the first step of the next \
     cycle; then `weight` times that one's result added, in x. */                                  \
  X(pair_energy, (ig_ctx * cx, const ig_level *level, const float *x, const float *b))             \
  X(pair_residual, (ig_ctx * cx, const ig_level *level, const float *b, float c1))                 \
  X(pair_join, (ig_ctx * cx, const ig_level *level, float weight))                                 \
  X(to_single, (ig_ctx * cx, int64_t n, const double *x, float *y))                                \
  /* 1 / (sum of the moduli around a node), in the args' own array */                              \
  X(node_inverse, (ig_ctx * cx, const ig_grid_args_f32 *args, float *inverse))                     \
  /* the first coarse level's stencil from the moduli: an element's matrix is the sum over its     \
     children of modulus x table[class][child]; the next level's element matrices too */           \
  X(coarsen_fine, (ig_ctx * cx, const ig_level *fine, const ig_level *coarse,                      \
                   const ig_level *next, const uint16_t *kind, const float *table))                \
  /* element matrices of `coarse` from those of `fine`; the stencil from element matrices */       \
  X(coarsen, (ig_ctx * cx, const ig_level *fine, const ig_level *coarse))                          \
  X(stencil, (ig_ctx * cx, const ig_level *level))                                                 \
  /* `scale` and `unscale` of a level in half precision, from its diagonal */                      \
  X(scales, (ig_ctx * cx, const ig_level *level))                                                  \
  /* adds springs of the finest level, as P^T k P, to the stencil of a coarse one; `depth`         \
     halvings lie between them */                                                                  \
  X(coarse_springs, (ig_ctx * cx, const ig_level *fine, const ig_level *coarse, int depth))        \
  /* inverse of the diagonal, with the shift that keeps rounding from making A indefinite */       \
  X(coarse_inverse, (ig_ctx * cx, const ig_level *level))                                          \
  /* inverse of the coarsest level's matrix (work: 2 n n + n), and its use */                      \
  X(dense_invert, (ig_ctx * cx, const ig_level *level, const int32_t *place, int n, double *work,  \
                   float *inverse))                                                                \
  X(dense_solve,                                                                                   \
    (ig_ctx * cx, const int32_t *place, int n, const float *inverse, const float *b, float *x))    \
  /* out[e] = scale u_e . K0 v_e of the unit brick, added to what is there where `add` */          \
  X(energy, (ig_ctx * cx, const ig_grid_args_f64 *args, const double *u, const double *v,          \
             double scale, bool add, double *out))

#define IG_GRID_OP(name, args) ig_status(*name) args;
#define IG_ON_CPU(name, args) ig_status ig_grid_cpu_##name args;
#define IG_ON_CUDA(name, args) ig_status ig_grid_cuda_##name args;
typedef struct ig_grid_ops {
  IG_GRID_OPS(IG_GRID_OP)
} ig_grid_ops;
IG_GRID_OPS(IG_ON_CPU)
IG_GRID_OPS(IG_ON_CUDA)
#undef IG_GRID_OP
#undef IG_ON_CPU
#undef IG_ON_CUDA
const ig_grid_ops *ig_grid_ops_of(const ig_ctx *cx);

/* Geometry and material numbers of the arguments; pointers are left to the caller. brick NULL:
   geometry alone. */
void ig_grid_args_fill_f32(ig_grid_args_f32 *args, const ig_grid *g, const ig_brick *brick);
void ig_grid_args_fill_f64(ig_grid_args_f64 *args, const ig_grid *g, const ig_brick *brick);

IG_C_END
#endif
