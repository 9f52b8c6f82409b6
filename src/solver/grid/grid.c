/* Grids: layout of their arrays, and the arguments that kernels see. Also the two tables of
   kernels, made from the list IG_GRID_OPS in grid.h: a kernel that one backend lacks does not link.
 */
#include "solver/grid/grid.h"
#include "backend/backend.h"

#include <string.h>

/* Strides and sizes; see the head of grid.h. In 2D a plane is all there is, and n[2] is 0. */
ig_status ig_grid_outline(ig_ctx *cx, ig_grid *g, int dim, int dof, const int *n) {
  memset(g, 0, sizeof *g);
  g->dim = dim;
  g->dof = dof;
  for (int d = 0; d < dim; d++) {
    if (n[d] < 1)
      return IG_FAIL(cx, IG_ARG, "a grid needs at least one element along each axis, not %d", n[d]);
    g->n[d] = n[d];
  }
  /* n + 1 nodes and one place of halo on each side; rows of a multiple of four, so that they start
     at aligned addresses */
  g->row = (n[0] + 3 + 3) / 4 * 4;
  g->plane = g->row * (n[1] + 3);
  g->stored = dim == 3 ? g->plane * (n[2] + 3) : g->plane;
  g->first = 1 + g->row + (dim == 3 ? g->plane : 0);
  g->all = g->n[2];
  g->ghosts = 1;
  return IG_OK;
}

ig_status ig_grid_check(ig_ctx *cx, const ig_grid *g) {
  const double places = (g->n[0] + 3.0) * (g->n[1] + 3.0) * (g->dim == 3 ? g->n[2] + 3.0 : 1);
  /* places are numbered in 32 bits where a kernel can */
  return places * g->dof > 2e9
             ? IG_FAIL(cx, IG_ARG,
                       "a grid of %.3g unknowns is more than one device numbers (2e9): divide it "
                       "between ranks (mpirun -n N)",
                       places * g->dof)
             : IG_OK;
}

ig_status ig_grid_init(ig_ctx *cx, ig_grid *g, int dim, int dof, const int *n) {
  IG_TRY(ig_grid_outline(cx, g, dim, dof, n));
  return ig_grid_check(cx, g);
}

/* No limit on its size: the coarse grid of a whole that ranks share may be as large as theirs. */
ig_status ig_grid_coarsen(ig_ctx *cx, const ig_grid *fine, ig_grid *coarse) {
  int n[3] = {0, 0, 0};
  for (int d = 0; d < fine->dim; d++)
    n[d] = (fine->n[d] + 1) / 2;
  return ig_grid_outline(cx, coarse, fine->dim, fine->dof, n);
}

/* Numbers of the brick in the precision of the kernels; `corner` is the block of corner 0. */
#define FILL(SUFFIX, REAL_)                                                                        \
  void ig_grid_args_fill_##SUFFIX(ig_grid_args_##SUFFIX *args, const ig_grid *g,                   \
                                  const ig_brick *brick) {                                         \
    memset(args, 0, sizeof *args);                                                                 \
    args->dim = g->dim;                                                                            \
    args->dof = g->dof;                                                                            \
    memcpy(args->n, g->n, sizeof args->n);                                                         \
    args->row = g->row;                                                                            \
    args->plane = g->plane;                                                                        \
    args->stored = g->stored;                                                                      \
    args->first = g->first;                                                                        \
    args->below = ig_grid_below(g);                                                                \
    args->above = ig_grid_above(g);                                                                \
    args->level = g->level;                                                                        \
    args->slab = g->slab;                                                                          \
    for (int c = 0; brick && c < g->dof; c++) {                                                    \
      args->diagonal[c] = (REAL_)brick->diagonal[c];                                               \
      args->reciprocal[c] = (REAL_)(1 / brick->diagonal[c]);                                       \
      for (int d = 0; d < g->dof; d++)                                                             \
        args->corner[c][d] = (REAL_)brick->k[c][d];                                                \
      for (int m = 0; m < brick->nodes; m++)                                                       \
        for (int d = 0; d < g->dof; d++)                                                           \
          args->b[m][c][d] = (REAL_)brick->b[m][c][d];                                             \
    }                                                                                              \
  }
FILL(f32, float)
FILL(f64, double)

#define ON_CPU(name, args) .name = ig_grid_cpu_##name,
static const ig_grid_ops on_cpu = {IG_GRID_OPS(ON_CPU)};
#define ON_CUDA(name, args) .name = ig_grid_cuda_##name,
IG_IF_CUDA(static const ig_grid_ops on_cuda = {IG_GRID_OPS(ON_CUDA)};)

const ig_grid_ops *ig_grid_ops_of(const ig_ctx *cx) {
  return IG_OPS_OF(cx, &on_cpu, &on_cuda);
}
