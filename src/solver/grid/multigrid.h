/* A regular-grid problem ready to be solved again and again as its moduli change: matrix-free
   operator, Jacobi or geometric multigrid preconditioner, conjugate gradients.

   Use: ig_multigrid_new; write moduli to m->modulus.dev (places of ig_grid, halo 0);
   ig_multigrid_update; ig_multigrid_solve as often as wanted, with any right-hand sides;
   ig_multigrid_free. On several ranks all of them are collective. */
#ifndef IG_SOLVER_GRID_MULTIGRID_H
#define IG_SOLVER_GRID_MULTIGRID_H

#include "solver/krylov/replay.h"
#include "solver/grid/grid.h"
#include "solver/krylov/pcg.h"
#include "solver/krylov/slab.h"

IG_C_BEGIN

typedef enum { IG_PRECONDITION_JACOBI, IG_PRECONDITION_MULTIGRID } ig_precondition;
/* Damped Jacobi; the same with the dof x dof blocks of nodes; Chebyshev steps with the diagonal. */
typedef enum { IG_SMOOTH_JACOBI, IG_SMOOTH_BLOCKS, IG_SMOOTH_CHEBYSHEV } ig_smoother;
/* Visits to the next level: one; two; several, joined, where they pay (ig_multigrid_visits). */
typedef enum { IG_CYCLE_V, IG_CYCLE_W, IG_CYCLE_K } ig_cycle;

/* auto: half on a device of its own, where bytes are time */
typedef enum { IG_STORE_AUTO, IG_STORE_SINGLE, IG_STORE_HALF } ig_storage;

typedef struct {
  /* JACOBI: no levels, one division per unknown */
  ig_precondition precondition;
  ig_smoother smoother;
  ig_cycle cycle;
  int visits;         /* of a K-cycle to the first coarse level; 0: as ig_multigrid_usual_visits */
  int fine_steps;     /* smoothing steps before and after the coarse correction: finest level, */
  int steps;          /* and all others */
  double damping;     /* of Jacobi steps, as a share of the largest stable one */
  ig_storage storage; /* of the first coarse level, the largest stored */
  int coarsest;       /* unknowns of a level that is inverted; 0: as many as pay on the device */
  int limit;          /* PCG iterations */
  ig_slab *slab;      /* how the grid is divided between ranks, NULL: it is not; outlives this */
  bool inner;         /* a preconditioner of others alone: no space for solves of its own */
} ig_multigrid_options;
#define IG_MULTIGRID_DEFAULT                                                                       \
  ((ig_multigrid_options){.precondition = IG_PRECONDITION_MULTIGRID,                               \
                          .smoother = IG_SMOOTH_CHEBYSHEV,                                         \
                          .cycle = IG_CYCLE_K,                                                     \
                          .visits = 1,                                                             \
                          .fine_steps = 1,                                                         \
                          .steps = 1,                                                              \
                          .damping = 0.8,                                                          \
                          .limit = 20000})

/* a grid of 2^15 elements along its longest side has as many */
enum { IG_LEVELS = 16 };

typedef struct {
  ig_ctx *cx;
  const ig_grid_ops *ops;
  ig_multigrid_options options;
  ig_brick brick;
  ig_grid_args_f64 args;
  ig_slab *slab; /* NULL: the grid is not divided */
  /* stays true for all later solves */
  bool cautious; /* the smoother's bound is taken in full */
  int levels;
  ig_level level[IG_LEVELS];
  /* fine grid, device: the moduli (set by the caller, then `update`), in both precisions */
  ig_array modulus, modulus32, fix, spring, inverse;
  int springs;           /* of all ranks, in `spring` */
  const uint16_t *kinds; /* in `kind`, of the first own coarse element */
  /* 16-bit numbers of classes; table: classes x children x size x size floats */
  ig_array kind, table; /* classes of coarse elements by what is held in them */
  ig_array arena[IG_LEVELS], pair[IG_LEVELS]; /* each level's vectors; sums */
  ig_array stencil[IG_LEVELS], element[IG_LEVELS], block[IG_LEVELS];
  ig_array half, scale;              /* of the first coarse level */
  ig_array place, dense_work, dense; /* the coarsest level */
  /* unknowns of the coarsest level, and in `place` where each is in its vectors */
  int coarse_n;
  ig_replay replay; /* of a cycle */
  /* work space of solves; empty where options.inner */
  ig_pcg pcg;
} ig_multigrid;

static inline bool ig_multigrid_by_blocks(const ig_multigrid *m) {
  return m->options.smoother == IG_SMOOTH_BLOCKS;
}
/* Three of bodies in space, whose thin bars coarse levels render poorly; of others one is enough.
 */
static inline int ig_multigrid_usual_visits(const ig_grid *g) {
  return g->dim == 3 && g->dof == 3 ? 3 : 1;
}
/* How often a level is visited: what the last visits made is one of the two that the next joins.
   After several to the first coarse level, more to the second pay better than to the third. */
static inline int ig_multigrid_visits(const ig_multigrid *m, int depth) {
  const bool several = m->options.visits > 1;
  if (m->options.cycle != IG_CYCLE_K || depth < 1 || depth > 3 || depth >= m->levels - 1)
    return 1;
  return depth == 1 ? m->options.visits : depth == 2 ? (several ? 3 : 2) : several ? 1 : 2;
}
/* Is this a level where a K-cycle joins visits? */
static inline bool ig_multigrid_paired(const ig_multigrid *m, int depth) {
  return ig_multigrid_visits(m, depth) > 1;
}

/* `fix` (host, stored places: bits of held components) and springs are copied. Of a slab, `grid` is
   this rank's part, `fix` has its ghosts and springs are those of all ranks. */
IG_MUST_CHECK ig_status ig_multigrid_new(ig_ctx *cx, const ig_grid *grid, const ig_brick *brick,
                                         const uint8_t *fix, const ig_spring *spring, int springs,
                                         const ig_multigrid_options *options, ig_multigrid **out);
void ig_multigrid_free(ig_multigrid *m);
/* Levels it will have on a whole grid. */
IG_MUST_CHECK ig_status ig_multigrid_levels(ig_ctx *cx, const ig_grid *whole,
                                            const ig_multigrid_options *options, int *levels);
/* Device memory the same will take, in bytes; nothing is allocated. `grid`: the whole one. */
IG_MUST_CHECK ig_status ig_multigrid_bytes(ig_ctx *cx, const ig_grid *grid,
                                           const ig_multigrid_options *options, double *bytes);
/* As conjugate gradients see it. */
ig_linear ig_multigrid_linear(ig_multigrid *m);
/* The moduli in m->modulus.dev have changed. */
IG_MUST_CHECK ig_status ig_multigrid_update(ig_multigrid *m);
/* A u = f, from the guess in u. f, u: device, dof x stored, halo 0. Ends at |r| <= tolerance |f| or
   after options.limit iterations; report->end says which. Not converging is no failure of the call.
 */
IG_MUST_CHECK ig_status ig_multigrid_solve(ig_multigrid *m, const double *f, double *u,
                                           double tolerance, ig_solve_report *report);

IG_C_END
#endif
