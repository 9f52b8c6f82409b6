/* Geometric multigrid on regular grids: the levels for new moduli, smoothers, cycles, solves.

        level 0     the grid; matrix-free, single precision in the cycle
        level 1     half as many elements along each axis; Galerkin matrices as stored stencils,
                    in half precision on a GPU
        ...
        coarsest    a dense inverse

   The K-cycle (after Notay and Vassilevski, 2008) visits a coarse level several times and joins the
   results so that the energy of the error becomes as small as possible. Designs of topology
   optimisation need that: thin bars look too stiff on coarse levels, and a V-cycle then corrects
   too little.

   Ranks: upper levels are divided into slabs, with one exchange of ghosts per sweep; from level
   slab->depth on every rank computes all. A failure of one rank is kept (TRY_OP) until the next sum
   over ranks, where all ranks learn of it, since the others would wait for its messages. */
#include "solver/grid/multigrid.h"
#include "backend/backend.h"

#include <math.h>

/* Of several visits to a level the first ones' result is made as long as is best; the next one's,
   which falls short where interpolation is too stiff (thin bars), is lengthened by this: what is
   best for it, too, would take another product. Counted on late designs, 1.3 to 1.6 take fewest
   iterations. */
static const float LONGER = 1.6f;

/* iterations granted to a smoother that is not certain to be stable */
enum { HOPEFUL = 100 };

/* An operation that no other rank takes part in: a failure is kept until all meet in a sum. */
#define TRY_OP(call) IG_SLAB_TRY(m->slab, call)

/* A level that all ranks hold, as their own part of it. */
static ig_level own_part(const ig_multigrid *m, int depth) {
  ig_level own = m->level[depth];
  int from, to;
  ig_slab_range(m->slab, depth, m->slab->rank, &from, &to);
  own.grid.first += from * own.grid.plane;
  own.grid.from = from;
  own.grid.n[2] = to - from - 1;
  if (own.element) {
    const int64_t size = m->brick.size;
    own.element += (int64_t)from * own.grid.n[0] * own.grid.n[1] * size * size;
  }
  return own;
}
/* The first level that every rank holds whole: its right-hand side is made in parts. */
static bool gathered(const ig_multigrid *m, int depth) {
  return m->slab && depth == m->slab->depth;
}

/* --- when the moduli change --- */

/* Element matrices of other ranks: one plane of ghosts, or all. */
static ig_status share_elements(ig_multigrid *m, int l) {
  const ig_level *level = &m->level[l];
  const ig_grid *g = &level->grid;
  const size_t size = (size_t)m->brick.size;
  const size_t plane = (size_t)g->n[0] * (size_t)g->n[1] * size * size * sizeof(float);
  if (!m->slab || l > m->slab->depth)
    return IG_OK;
  return l < m->slab->depth ? ig_slab_lift(g, plane, level->element)
                            : ig_slab_gather(m->slab, l, g->n[2], 1, plane, 0, level->element);
}

/* Springs of all ranks: one near the border adds to a neighbour's stencil, too. A level that is
   whole counts places from the whole grid's first plane. */
static ig_status coarse_springs(ig_multigrid *m, int l) {
  ig_level fine = m->level[0];
  if (!m->springs)
    return IG_OK;
  fine.args.spring = m->spring.dev;
  fine.args.springs = m->springs;
  if (m->slab && l >= m->slab->depth)
    fine.args.first -= fine.grid.from * fine.grid.plane;
  return m->ops->coarse_springs(m->cx, &fine, &m->level[l], l);
}

/* Moduli to single precision, inverse diagonals, coarse matrices level by level, the dense inverse.
   Costs about as much as a few cycles. */
ig_status ig_multigrid_update(ig_multigrid *m) {
  ig_ctx *cx = m->cx;
  const ig_grid_ops *ops = m->ops;
  /* the elements of the coarse plane below are made of two */
  IG_TRY(ig_slab_refresh(&m->level[0].grid, 1, sizeof(double), 2, m->modulus.dev));
  TRY_OP(ops->to_single(cx, m->level[0].grid.stored, m->modulus.dev, m->modulus32.dev));
  TRY_OP(ops->node_inverse(cx, &m->level[0].args, m->inverse.dev));
  for (int l = 1; l < m->levels; l++) {
    ig_level *level = &m->level[l];
    if (l == 1) {
      /* of a level that is whole a rank makes its own elements, and receives the others */
      const bool next_gathered = m->levels > 2 && gathered(m, 2);
      const ig_level next = next_gathered ? own_part(m, 2) : m->level[2];
      TRY_OP(ops->coarsen_fine(cx, &m->level[0], level, m->levels > 2 ? &next : NULL, m->kinds,
                               m->table.dev));
    } else {
      const ig_level own = gathered(m, l) ? own_part(m, l) : *level;
      if (l > 2)
        TRY_OP(ops->coarsen(cx, &m->level[l - 1], &own));
      IG_TRY(share_elements(m, l));
      TRY_OP(ops->stencil(cx, level));
    }
    TRY_OP(coarse_springs(m, l));
    TRY_OP(ops->coarse_inverse(cx, level));
  }
  for (int l = 0; l < m->levels; l++)
    if (m->level[l].block)
      TRY_OP(ops->blocks(cx, &m->level[l]));
  if (m->levels > 1)
    TRY_OP(ops->dense_invert(cx, &m->level[m->levels - 1], m->place.dev, m->coarse_n,
                             m->dense_work.dev, m->dense.dev));
  return IG_OK;
}

/* --- the cycle --- */

/* A cycle, with one smoothing step before and after (S), residual and restriction (R), prolongation
   (P) and the dense inverse (D):

         level 0   S R                     P S
         level 1       S R             P S         V: one visit; W: two; K: several visits to
         level 2           S R     P S             levels 1 to 3, joined (ig_multigrid_visits)
         level 3               D

   Memory of a level: x and y, which a sweep reads and writes in turn, d of Chebyshev's recurrence,
   b; coarse levels also the stencil and the inverse diagonal. The residual is in y while it goes
   down. */
static int steps_at(const ig_multigrid *m, const ig_level *l) {
  return l == m->level ? m->options.fine_steps : m->options.steps;
}

/* Coefficients of step i of a smoother: damped Jacobi, or Chebyshev's recurrence for the upper
   part of the spectrum of D^-1 A. The bound of lambda is sharp for lone stiff elements only; a
   share of it smooths real designs of elastic bodies better, and serves until it fails. What lies
   above the share grows with every step: three and more take a larger one, and less below, as two
   do of temperatures. */
static void step_coefficients(const ig_multigrid *m, const ig_level *l, int i, double *rho,
                              float *c0, float *c1) {
  if (m->options.smoother != IG_SMOOTH_CHEBYSHEV) {
    *c0 = 0;
    *c1 = (float)(2 * m->options.damping / l->lambda);
    return;
  }
  const bool several = steps_at(m, l) > (m->brick.dof == 1 ? 1 : 2);
  const double share = m->cautious || m->brick.dof == 1 ? 1 : several ? 0.9 : 0.8;
  const double lambda = share * l->lambda;
  /* 5 % above the bound, as single precision rounds; below, what coarse levels take over */
  const double high = 1.05 * lambda, low = lambda / (several ? 8 : 16);
  const double theta = 0.5 * (high + low), delta = 0.5 * (high - low), sigma = theta / delta;
  if (i == 0) {
    *rho = 1 / sigma;
    *c0 = 0;
    *c1 = (float)(1 / theta);
  } else {
    const double next = 1 / (2 * sigma - *rho);
    *c0 = (float)(next * *rho);
    *c1 = (float)(2 * next / delta);
    *rho = next;
  }
}

/* what x holds when a smoother begins: nothing of use; the first step's result, which a transfer
   has made on the way; a value to go on from */
typedef enum { FROM_ZERO, FROM_FIRST_STEP, FROM_GUESS } from;

/* of the first step on a level, where a transfer makes it: not on the coarsest, which is solved */
static float first_step(const ig_multigrid *m, int depth) {
  double rho;
  float c0, c1 = 0;
  if (depth < m->levels - 1 && !ig_multigrid_by_blocks(m))
    step_coefficients(m, &m->level[depth], 0, &rho, &c0, &c1);
  return c1;
}

/* Ghosts of a vector of a level, which sweeps look at. */
static ig_status refresh(const ig_level *l, float *v) {
  return ig_slab_refresh(&l->grid, l->grid.dof, sizeof *v, 1, v);
}

/* x and y change places at every step; the result is in l->x afterwards */
static ig_status smooth(ig_multigrid *m, ig_level *l, const float *b, from begin) {
  double rho = 0;
  float c0, c1;
  for (int i = 0; i < steps_at(m, l); i++) {
    step_coefficients(m, l, i, &rho, &c0, &c1);
    if (ig_multigrid_by_blocks(m)) {
      const bool zero = i == 0 && begin == FROM_ZERO;
      if (!zero) {
        IG_TRY(refresh(l, l->x));
        TRY_OP(m->ops->sweep(m->cx, l, IG_SWEEP_RESIDUAL, b, l->x, NULL, 0, 0, l->y));
      }
      TRY_OP(m->ops->relax(m->cx, l, zero ? b : l->y, c1, zero, l->x));
      continue;
    }
    float *d = i + 1 < steps_at(m, l) ? l->d : NULL; /* the last step needs not be remembered */
    if (i == 0 && begin == FROM_ZERO)
      TRY_OP(m->ops->start(m->cx, l, b, c1, l->x, d));
    if (i == 0 && begin != FROM_GUESS)
      continue;
    IG_TRY(refresh(l, l->x));
    TRY_OP(m->ops->sweep(m->cx, l, IG_SWEEP_SMOOTH, b, l->x, i > 0 ? l->d : d, c0, c1, l->y));
    float *swap = l->x;
    l->x = l->y;
    l->y = swap;
  }
  return IG_OK;
}

static ig_status cycle(ig_multigrid *m, int depth, const float *b, from begin);

/* A x = b on a coarse level, the first smoothing step done: by as many cycles as asked for. */
static ig_status correct(ig_multigrid *m, int depth, const float *b) {
  ig_level *l = &m->level[depth];
  const from begin = ig_multigrid_by_blocks(m) ? FROM_ZERO : FROM_FIRST_STEP;
  IG_TRY(cycle(m, depth, b, begin));
  for (int visit = 1; visit < ig_multigrid_visits(m, depth); visit++) {
    IG_TRY(refresh(l, l->x));
    IG_TRY(m->ops->pair_energy(m->cx, l, l->x, b));
    TRY_OP(m->ops->pair_residual(m->cx, l, b, first_step(m, depth)));
    IG_TRY(cycle(m, depth, l->rest, begin));
    TRY_OP(m->ops->pair_join(m->cx, l, LONGER));
  }
  if (m->options.cycle == IG_CYCLE_W && depth < m->levels - 1)
    return cycle(m, depth, b, FROM_GUESS);
  return IG_OK;
}

/* The residual in l->y to the next level, with the first step of its smoother. */
static ig_status go_down(ig_multigrid *m, int depth) {
  ig_level *l = &m->level[depth], *next = l + 1;
  const float c1 = first_step(m, depth + 1);
  /* restriction reads the residual one plane beyond the own ones */
  IG_TRY(refresh(l, l->y));
  if (!gathered(m, depth + 1)) {
    TRY_OP(m->ops->restricts(m->cx, l, l->y, next, next->b, c1, next->x, next->d));
    return IG_OK;
  }
  const ig_level own = own_part(m, depth + 1);
  const ig_grid *g = &next->grid;
  TRY_OP(m->ops->restricts(m->cx, l, l->y, &own, next->b, 0, next->x, next->d));
  IG_TRY(ig_slab_gather(m->slab, depth + 1, g->n[2] + 1, g->dof, (size_t)g->plane * sizeof(float),
                        (size_t)g->stored * sizeof(float), next->b + g->plane));
  return IG_OK;
}

/* From the first level that all ranks hold nothing is sent: one recorded sequence of launches. */
static ig_status whole_levels(void *self, const float *b) {
  ig_multigrid *m = self;
  const int depth = m->slab->depth;
  ig_level *l = &m->level[depth];
  const float c1 = first_step(m, depth);
  if (c1 != 0)
    IG_TRY(m->ops->start(m->cx, l, b, c1, l->x, l->d));
  return correct(m, depth, b);
}
/* Recorded launches have the coefficients of the smoother in them: others once `cautious` is set.
 */
static ig_status go_deeper(ig_multigrid *m, int depth) {
  const float *b = m->level[depth].b;
  if (!gathered(m, depth))
    return correct(m, depth, b);
  TRY_OP(ig_replay_run(m->cx, &m->replay, whole_levels, m, b, m->cautious));
  return IG_OK;
}

/* x += P next x; a whole level is read where this rank's part of it lies. */
static ig_status come_up(ig_multigrid *m, int depth) {
  ig_level *l = &m->level[depth], *next = l + 1;
  IG_TRY(refresh(next, next->x));
  const ig_level own = gathered(m, depth + 1) ? own_part(m, depth + 1) : *next;
  TRY_OP(m->ops->prolong(m->cx, &own, next->x, l, l->x));
  return IG_OK;
}

/* One cycle on a level: smooth, residual to the next level, its correction back, smooth. b:
   right-hand side of this level; the result is in l->x. `begin` says what l->x holds at the start.
 */
static ig_status cycle(ig_multigrid *m, int depth, const float *b, from begin) {
  ig_level *l = &m->level[depth];
  if (depth > 0 && depth == m->levels - 1) {
    TRY_OP(m->ops->dense_solve(m->cx, m->place.dev, m->coarse_n, m->dense.dev, b, l->x));
    return IG_OK;
  }
  IG_TRY(smooth(m, l, b, begin));
  IG_TRY(refresh(l, l->x));
  TRY_OP(m->ops->sweep(m->cx, l, IG_SWEEP_RESIDUAL, b, l->x, NULL, 0, 0, l->y));
  IG_TRY(go_down(m, depth));
  IG_TRY(go_deeper(m, depth + 1));
  IG_TRY(come_up(m, depth));
  return smooth(m, l, b, FROM_GUESS);
}

static ig_status whole_cycle(void *self, const float *r) {
  return cycle(self, 0, r, FROM_ZERO);
}

/* The ghosts of x are refreshed although x is const: they are not this rank's values. */
static ig_status apply(void *self, const double *x, double *y, ig_cg_state *state) {
  ig_multigrid *m = self;
  IG_TRY(ig_slab_refresh(&m->level[0].grid, m->brick.dof, sizeof *x, 1, (double *)x));
  if (state)
    return m->ops->apply(m->cx, &m->args, x, y, state); /* with a sum: all meet in it */
  TRY_OP(m->ops->apply(m->cx, &m->args, x, y, NULL));
  return IG_OK;
}

/* With one level there is no cycle: Jacobi, z = D^-1 r. */
static ig_status precondition(void *self, const float *r, const float **z) {
  ig_multigrid *m = self;
  if (m->levels == 1)
    TRY_OP(m->ops->start(m->cx, &m->level[0], r, 1, m->level[0].x, m->level[0].d));
  else if (m->slab)
    IG_TRY(whole_cycle(m, r)); /* ranks wait for each other in it */
  else
    IG_TRY(ig_replay_run(m->cx, &m->replay, whole_cycle, m, r, m->cautious));
  *z = m->level[0].x;
  return IG_OK;
}

ig_linear ig_multigrid_linear(ig_multigrid *m) {
  return (ig_linear){m,
                     m->level[0].grid.stored * m->level[0].grid.dof,
                     apply,
                     precondition,
                     m->options.cycle == IG_CYCLE_K,
                     &m->level[0].grid,
                     NULL};
}

/* First with the smoother's optimistic bound (step_coefficients); a solve that has not converged
   within HOPEFUL iterations goes on from there with the safe one, and so do all later solves. */
static ig_status solve(ig_multigrid *m, const double *f, double *u, double tolerance,
                       ig_solve_report *report) {
  const ig_linear linear = ig_multigrid_linear(m);
  const bool hopeful = m->levels > 1 && !m->cautious;
  if (hopeful) {
    const int limit = m->options.limit < HOPEFUL ? m->options.limit : HOPEFUL;
    IG_TRY(ig_pcg_solve(m->cx, &m->pcg, &linear, f, u, tolerance, limit, report));
    if (report->end == IG_SOLVE_CONVERGED || limit == m->options.limit)
      return IG_OK;
    m->cautious = true;
    if (!isfinite(report->residual))
      IG_TRY(m->cx->backend->fill(m->cx, u, 0, (size_t)linear.n * sizeof *u));
  }
  const int before = hopeful ? report->iterations : 0;
  IG_TRY(ig_pcg_solve(m->cx, &m->pcg, &linear, f, u, tolerance, m->options.limit, report));
  report->iterations += before;
  return IG_OK;
}

ig_status ig_multigrid_solve(ig_multigrid *m, const double *f, double *u, double tolerance,
                             ig_solve_report *report) {
  IG_TRY(solve(m, f, u, tolerance, report));
  return ig_slab_refresh(&m->level[0].grid, m->brick.dof, sizeof *u, 1, u);
}
