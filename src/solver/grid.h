/* Regular grids of bricks or rectangles: where nodes and elements lie in memory, the matrix-free
   operator, and the levels of a multigrid hierarchy.

   Node (i, j, k) is stored at first + i + j * row + k * plane, with a halo of one node all around
   (in 2D none in z), so that kernels need no cases at the rim. Element (i, j, k) sits at the place
   of its lowest node. A vector holds component after component, `stored` values each; its halo is
   zero and stays so. */
#ifndef IG_SOLVER_GRID_H
#define IG_SOLVER_GRID_H

#include "core/array.h"
#include "solver/brick.h"

IG_C_BEGIN

typedef struct {
  int dim, dof;
  int n[3];              /* elements along each axis; n[2] is 0 in 2D */
  int64_t row, plane;    /* strides */
  int64_t stored, first; /* places of one component, halo included; place of node (0, 0, 0) */
} ig_grid;

IG_MUST_CHECK ig_status ig_grid_init(ig_ctx *cx, ig_grid *g, int dim, int dof, const int *n);
static inline int64_t ig_grid_place(const ig_grid *g, int i, int j, int k) {
  return g->first + i + j * g->row + k * g->plane;
}
static inline int64_t ig_grid_nodes(const ig_grid *g) {
  return (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
}
static inline int64_t ig_grid_elements(const ig_grid *g) {
  return (int64_t)g->n[0] * g->n[1] * (g->dim == 3 ? g->n[2] : 1);
}
/* the grid of half as many elements; an odd count is rounded up, its last element hangs over */
IG_MUST_CHECK ig_status ig_grid_coarsen(ig_ctx *cx, const ig_grid *fine, ig_grid *coarse);

/* A spring to ground. Sorted by node. */
typedef struct {
  int64_t node; /* place */
  int component;
  double stiffness;
} ig_spring;

enum { IG_FIX_SPRING = 8, IG_FIX_ALL = 7 }; /* bits 0..2 of `fix`: components held */

/* What an operator's kernels see; all pointers are device pointers. */
#include "kern/prec_f32.h"
#include "solver/grid_args.inc"
#include "kern/prec_f64.h"
#include "solver/grid_args.inc"

/* What a sweep over the grid makes of a = A x. */
typedef enum {
  IG_SWEEP_APPLY,    /* y = a */
  IG_SWEEP_RESIDUAL, /* y = b - a */
  IG_SWEEP_SMOOTH,   /* d = c0 d + c1 D^-1 (b - a), y = x + d */
} ig_sweep;

/* A level of the hierarchy, coarse ones with a stored stencil: 3^dim blocks of dof x dof a node,
   the half from the node itself upwards, [block][row][column][place] in single precision. */
enum { IG_STENCIL_HALF = 14 };
typedef struct {
  ig_grid grid;
  ig_grid_args_f32 args; /* of the finest level; of a coarse one: the geometry alone */
  int blocks;            /* stored: 14 in 3D, 5 in 2D; 0: matrix-free */
  int64_t offset[IG_STENCIL_HALF];
  float *stencil;
  float *inverse;       /* coarse: of the diagonal, dof x stored; 0 where there is none */
  float *element;       /* element matrices, coarse levels from the second: size^2 each */
  float *b, *x, *y, *d; /* dof x stored */
  double lambda;        /* bound or estimate of the largest eigenvalue of D^-1 A */
} ig_level;

/* Scalars of a conjugate gradient iteration, in device memory, and room for a device's partial
   sums. The host reads the scalars alone. */
enum { IG_PARTIALS = 16384 };
typedef struct {
  double pap, rr, rz, rz_last;
} ig_cg_scalars;
typedef struct ig_cg_state {
  ig_cg_scalars s;
  unsigned arrived; /* blocks done with the reduction under way */
  double partial[IG_PARTIALS];
} ig_cg_state;

/* The kernels of one backend. */
typedef struct ig_grid_ops {
  /* y = A x in double; state->s.pap = x . y where it is not NULL */
  ig_status (*apply)(ig_ctx *cx, const ig_grid_args_f64 *args, const double *x, double *y,
                     ig_cg_state *state);
  /* single precision, on any level */
  ig_status (*sweep)(ig_ctx *cx, const ig_level *level, ig_sweep what, const float *b,
                     const float *x, float *d, float c0, float c1, float *y);
  /* x = d = c1 D^-1 b: the first step of a smoother from zero */
  ig_status (*start)(ig_ctx *cx, const ig_level *level, const float *b, float c1, float *x,
                     float *d);
  /* coarse b = P^T fine r; fine x += P coarse x, held components left alone */
  ig_status (*restricts)(ig_ctx *cx, const ig_level *fine, const float *r, const ig_level *coarse,
                         float *b);
  ig_status (*prolong)(ig_ctx *cx, const ig_level *coarse, const float *xc, const ig_level *fine,
                       float *x);
  ig_status (*to_single)(ig_ctx *cx, int64_t n, const double *x, float *y);
  /* 1 / (sum of the moduli around a node), in the args' own array */
  ig_status (*node_inverse)(ig_ctx *cx, const ig_grid_args_f32 *args, float *inverse);
  /* the first coarse level's stencil from the moduli: an element's matrix is the sum over its
     children of modulus x table[class][child]; the next level's element matrices too */
  ig_status (*coarsen_fine)(ig_ctx *cx, const ig_level *fine, const ig_level *coarse,
                            const ig_level *next, const uint16_t *kind, const float *table);
  /* element matrices of `coarse` from those of `fine`; the stencil from element matrices */
  ig_status (*coarsen)(ig_ctx *cx, const ig_level *fine, const ig_level *coarse);
  ig_status (*stencil)(ig_ctx *cx, const ig_level *level);
  /* adds springs of the finest level, as P^T k P, to the stencil of the first coarse level;
     `depth` halvings lie between them */
  ig_status (*coarse_springs)(ig_ctx *cx, const ig_level *fine, const ig_level *coarse, int depth);
  /* inverse of the diagonal, with the shift that keeps rounding from making A indefinite */
  ig_status (*coarse_inverse)(ig_ctx *cx, const ig_level *level);
  /* dense inverse of the coarsest level's matrix (n x n double, work n x n), and its use */
  ig_status (*dense_invert)(ig_ctx *cx, const ig_level *level, const int32_t *place, int n,
                            double *work, float *inverse);
  ig_status (*dense_solve)(ig_ctx *cx, const int32_t *place, int n, const float *inverse,
                           const float *b, float *x);
  /* conjugate gradients over n values; scalars on the device */
  ig_status (*cg_residual)(ig_ctx *cx, int64_t n, const double *f, double *r, float *r32,
                           ig_cg_state *state); /* r = f - r, rr */
  ig_status (*cg_update)(ig_ctx *cx, int64_t n, const double *p, const double *ap, double *x,
                         double *r, float *r32, ig_cg_state *state); /* x, r by pap; rr */
  ig_status (*cg_direction)(ig_ctx *cx, int64_t n, const double *r, const float *z, double *p,
                            bool first, ig_cg_state *state); /* rz, p = z + beta p */
  /* out[e] = scale u_e . K0 v_e of the unit brick, added to what is there where `add` */
  ig_status (*energy)(ig_ctx *cx, const ig_grid_args_f64 *args, const double *u, const double *v,
                      double scale, bool add, double *out);
} ig_grid_ops;

extern const ig_grid_ops ig_grid_cpu;
#ifdef INGOT_HAVE_CUDA
extern const ig_grid_ops ig_grid_cuda;
#endif
const ig_grid_ops *ig_grid_ops_of(const ig_ctx *cx);

/* Geometry and material numbers of the arguments; pointers are left to the caller. */
void ig_grid_args_fill_f32(ig_grid_args_f32 *args, const ig_grid *g, const ig_brick *brick);
void ig_grid_args_fill_f64(ig_grid_args_f64 *args, const ig_grid *g, const ig_brick *brick);

IG_C_END
#endif
