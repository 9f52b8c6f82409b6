/* Multigrid on a mesh, on the CPU: loops of threads over blocks, nodes and rows (mesh_amg.inc).
   Sums of one entry are taken by one thread, in the order of columns, except in `assemble` with
   atomics. */
#include "backend/backend.h"
#include "core/threads.h"
#include "solver/amg/mesh_amg.h"

#include <math.h>
#include <string.h>

#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "solver/mesh/mesh.inc"
#include "solver/amg/mesh_amg.inc"

enum { IG_DENSE_PIVOTS = 8 }; /* eliminated together */

/* --- values of a level --- */

/* The element's blocks, all pairs of nodes; the lower half is the upper one turned. */
IG_HD void element_blocks(const ig_mesh_args *p, const int nodes, int size, ig_lid e,
                          double modulus, double (*k)[9]) {
  /* positions of up to ten nodes */
  double at[30];
  const double lame = ig_cell_lame(p, e), shear = ig_cell_shear(p, e);
  memset(k, 0, (size_t)(nodes * nodes) * sizeof *k);
  ig_cell_positions(p, nodes, e, at);
  for (int q = 0; q < (nodes == 8 ? 8 : tet_points_f64(nodes)); q++) {
    double cof[9], g[10][3], d[10][3], det, scale;
    if (nodes == 8) {
      scale = modulus * hex_jacobian_f64(at, q, cof);
      for (int n = 0; n < 8; n++)
        hex_gradient_f64(cof, q, n, g[n]);
    } else {
      scale = modulus * tet_jacobian_f64(at, nodes, q, d, cof, &det);
      for (int n = 0; n < nodes; n++)
        tet_gradient_f64(cof, d[n], g[n]);
    }
    for (int i = 0; i < nodes; i++)
      for (int j = i; j < nodes; j++)
        if (size == 1)
          k[nodes * i + j][0] +=
              scale * (g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2]);
        else
          hooke_block_f64(g[i], g[j], scale, lame, shear, k[nodes * i + j]);
  }
  for (int i = 0; i < nodes; i++)
    for (int j = 0; j < i; j++)
      for (int c = 0; c < size * size; c++)
        k[nodes * i + j][c] = k[nodes * j + i][c % size * size + c / size];
}

/* An entry has no slots of its own, so assembly `gather` falls back to atomics here: the matrix of
   a preconditioner may differ in the last bit. With colors it does not. */
static void add_blocks(const ig_mesh_args *p, const int nodes, int how, ig_lid e, double modulus,
                       ig_bsr *a) {
  const int size = a->br, count = size * size;
  const int32_t *node = p->scatter.conn + nodes * (int64_t)e;
  double k[100][9];
  IG_BY_NODES(nodes, element_blocks(p, N, size, e, modulus, k));
  for (int n = 0; n < nodes * nodes; n++) {
    /* by bisection in the row; cheaper than lists of places, which would be as large as the matrix
     */
    const int32_t at = ig_bsr_find(a, node[n / nodes], node[n % nodes]);
    if (at < 0) /* another rank's row */
      continue;
    float *to = a->value + (int64_t)at * count;
    for (int c = 0; c < count; c++) {
      const float value = (float)k[n][c];
      ig_scatter_put_f32(how, 1, &value, 0, 1, to + c);
    }
  }
}

/* Element matrices are computed, added to the blocks of the matrix and forgotten. Zero first: the
   pattern stays from design to design, the values do not. */
static ig_status assemble(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                          const ig_ground *g, const double *modulus, ig_bsr *a) {
  const int how = plan->how == IG_COLOR ? IG_COLOR : IG_ATOMIC; /* entries have no slots */
  memset(a->value, 0, sizeof *a->value * (size_t)a->blocks * (size_t)(a->br * a->br));
  for (int color = 0; color < plan->colors; color++) {
    ig_lid begin, end;
    ig_plan_range(plan, color, plan->elements, &begin, &end);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, end - begin, IG_WORK_ELEMENT))
    for (ig_lid i = begin; i < end; i++) {
      const ig_lid e = ig_scatter_element(&p->scatter, i);
      add_blocks(p, p->scatter.npe, how, e, modulus[e], a);
    }
  }
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, a->blocks, IG_WORK_NODE))
  for (int64_t k = 0; k < a->blocks; k++)
    ig_amg_ground(g, a, k);
  return IG_OK;
}

/* Nodes do not depend on each other; the same holds for the loops below, but for dense_invert. */
static ig_status invert(ig_ctx *cx, const ig_bsr *a, const int32_t *place, const uint8_t *fix,
                        float *inverse) {
  const int count = a->br * a->br;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, a->rows, IG_WORK_NODE))
  for (int32_t n = 0; n < a->rows; n++)
    ig_amg_invert(a->value + (int64_t)place[n] * count, a->br, fix ? fix[n] : 0,
                  inverse + (int64_t)n * count);
  return IG_OK;
}

/* Three passes, because a coupling is judged by the largest ones of both its nodes. */
static ig_status norms(ig_ctx *cx, const ig_bsr *a, double *norm, double *largest,
                       uint8_t *strong) {
  const int team = ig_team(cx, a->blocks, IG_WORK_NODE);
#pragma omp parallel for schedule(static) num_threads(team)
  for (int64_t k = 0; k < a->blocks; k++)
    norm[k] = ig_amg_norm(a, k);
#pragma omp parallel for schedule(static) num_threads(team)
  for (int32_t n = 0; n < a->rows; n++)
    largest[n] = ig_amg_largest(a, norm, n);
#pragma omp parallel for schedule(static) num_threads(team)
  for (int64_t k = 0; k < a->blocks; k++)
    strong[k] = ig_amg_strong(a, norm, largest, k);
  return IG_OK;
}

/* The passes below are loops over functions of mesh_amg.inc, which describes them. */
static ig_status diagonal(ig_ctx *cx, const ig_bsr *a, int32_t *place) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, a->rows, IG_WORK_NODE))
  for (int32_t n = 0; n < a->rows; n++)
    place[n] = ig_bsr_diagonal(a, n);
  return IG_OK;
}

static ig_status rows(ig_ctx *cx, const ig_bsr *a, int32_t *row) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, a->rows, IG_WORK_NODE))
  for (int32_t n = 0; n < a->rows; n++)
    for (int32_t k = a->start[n]; k < a->start[n + 1]; k++)
      row[k] = n;
  return IG_OK;
}

static ig_status join(ig_ctx *cx, const ig_bsr *a, const double *norm, const uint8_t *strong,
                      const int32_t *of, int32_t count, int32_t *joined) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, a->rows, IG_WORK_NODE))
  for (int32_t n = 0; n < a->rows; n++)
    joined[n] = of[n] < 0 ? ig_amg_join(a, norm, strong, of, count, n) : -1;
  return IG_OK;
}

static ig_status modes(ig_ctx *cx, const ig_amg_frame *frame, int32_t nodes, int size,
                       const double *x, const uint8_t *fix, double *mode) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, nodes, IG_WORK_NODE))
  for (int32_t n = 0; n < nodes; n++)
    ig_amg_modes(frame, x + 3 * (int64_t)n, size, fix[n], mode + (size == 3 ? 18 : 1) * (int64_t)n);
  return IG_OK;
}

/* A thread per aggregate: no node is in two of them. */
static ig_status orthonormal(ig_ctx *cx, const ig_amg_members *m, int32_t nodes, int size,
                             int count, double *mode, double *coarse_mode, float *tentative) {
  const int64_t values = (int64_t)nodes * size * count;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, m->aggregates, IG_WORK_ROW))
  for (int32_t g = 0; g < m->aggregates; g++)
    ig_amg_orthonormal(m->item + m->start[g], m->start[g + 1] - m->start[g], size, count, mode,
                       coarse_mode + (int64_t)g * (count * count));
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, values, IG_WORK_VALUE))
  for (int64_t i = 0; i < values; i++)
    tentative[i] = (float)mode[i];
  return IG_OK;
}

/* Loops over all blocks of c, their size known to the compiler. */
#define EACH_BLOCK(c, b, m, call)                                                                  \
  {                                                                                                \
    const int team_ = ig_team(cx, (c)->blocks, IG_WORK_NODE);                                      \
    _Pragma("omp parallel for schedule(static) num_threads(team_)") for (int64_t k = 0;            \
                                                                         k < (c)->blocks; k++) {   \
      const int B = b, M = m;                                                                      \
      call;                                                                                        \
    }                                                                                              \
  }
/* B: unknowns per node of the finer level, M: modes of an aggregate; 3 and 6 or 6 and 6 in
   elasticity, 1 and 1 of heat */
#define BY_SIZE(c, size, call)                                                                     \
  do {                                                                                             \
    if ((size) == 3)                                                                               \
      EACH_BLOCK(c, 3, 6, call)                                                                    \
    else if ((size) == 6)                                                                          \
      EACH_BLOCK(c, 6, 6, call)                                                                    \
    else                                                                                           \
      EACH_BLOCK(c, 1, 1, call)                                                                    \
  } while (0)

static ig_status prolongator(ig_ctx *cx, const ig_bsr *a, const float *inverse, const int32_t *of,
                             const float *tentative, float omega, ig_bsr *p) {
  BY_SIZE(p, a->br, ig_amg_prolongator(a, inverse, of, tentative, omega, p, k, 0, M, B, M));
  return IG_OK;
}

static ig_status transpose(ig_ctx *cx, const ig_bsr *p, const int32_t *from, ig_bsr *r) {
  const int br = p->br, bc = p->bc;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, r->blocks, IG_WORK_NODE))
  for (int64_t k = 0; k < r->blocks; k++)
    for (int e = 0; e < br * bc; e++)
      r->value[k * (br * bc) + e] = p->value[(int64_t)from[k] * (br * bc) + e % br * bc + e / br];
  return IG_OK;
}

static ig_status times(ig_ctx *cx, const ig_bsr *a, const ig_bsr *p, ig_bsr *ap) {
  BY_SIZE(ap, a->br, ig_amg_times(a, p, ap, k, 0, M, B, M));
  return IG_OK;
}

static ig_status coarse(ig_ctx *cx, const ig_bsr *r, const ig_bsr *ap, ig_bsr *a) {
  BY_SIZE(a, ap->br, ig_amg_coarse(r, ap, a, k, 0, M, B, M));
  return IG_OK;
}

/* One row by one pivot: `own` is the row of the pivot itself, which becomes s times what it was, by
   the same update on zeros. Returns the factor. */
static double dense_row(double *mi, const double *row, int k, double s, bool own, int from,
                        int to) {
  const double f = own ? -s : s * mi[k];
  mi[k] = 0;
  if (own)
    memset(mi + from, 0, (size_t)(to - from) * sizeof *mi);
  for (int j = from; j < to; j++)
    mi[j] -= f * row[j];
  return f;
}

/* A row by IG_DENSE_PIVOTS pivots from k on: their columns one pivot after the other, which gives
   the factors; then the others, of which each is read and written once. */
static void dense_row_by_pivots(double *mi, const double *row, int n, int k, const double *s) {
  double f[IG_DENSE_PIVOTS];
  for (int p = 0; p < IG_DENSE_PIVOTS; p++)
    f[p] = dense_row(mi, row + (size_t)p * (size_t)n, k + p, s[p], false, k, k + IG_DENSE_PIVOTS);
  for (int side = 0; side < 2; side++) {
    const int from = side ? k + IG_DENSE_PIVOTS : 0, to = side ? n : k;
    for (int j = from; j < to; j++) {
      double v = mi[j];
      for (int p = 0; p < IG_DENSE_PIVOTS; p++)
        v -= f[p] * row[(size_t)p * (size_t)n + (size_t)j];
      mi[j] = v;
    }
  }
}

/* Elimination in place, as ig_dense_step has it. IG_DENSE_PIVOTS pivots at a time: first their own
   rows, then all others, so that the matrix goes through the cache once for all of them. Each entry
   has the operations of one pivot at a time, in their order. */
static ig_status dense_invert(ig_ctx *cx, const ig_bsr *a, int n, double *work, float *inverse) {
  const size_t all = (size_t)n * (size_t)n, line = (size_t)n;
  const int b = a->br;
  /* own: the diagonal before elimination, to which pivots are compared; row: those of the pivots */
  double *m = work, *own = work + all, *row = own + n;
  memset(m, 0, all * sizeof *m);
  for (int64_t k = 0; k < a->blocks; k++)
    for (int e = 0; e < b * b; e++)
      m[(size_t)(a->row[k] * b + e / b) * line + (size_t)(a->column[k] * b + e % b)] =
          (double)a->value[k * b * b + e];
  for (int i = 0; i < n; i++)
    own[i] = m[(size_t)i * line + (size_t)i];
  for (int k = 0, count; k < n; k += count) {
    count = n - k < IG_DENSE_PIVOTS ? 1 : IG_DENSE_PIVOTS;
    double s[IG_DENSE_PIVOTS];
    for (int p = 0; p < count; p++) {
      double *r = row + (size_t)p * line;
      memcpy(r, m + (size_t)(k + p) * line, line * sizeof *r);
      const bool lost = !(r[k + p] > IG_AMG_LOST * own[k + p]) || !(r[k + p] > 0);
      s[p] = lost ? 0 : 1 / r[k + p];
      r[k + p] = 1;
      for (int i = 0; i < count; i++)
        dense_row(m + (size_t)(k + i) * line, r, k + p, s[p], i == p, 0, n);
    }
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, (int64_t)n *n, IG_WORK_VALUE))
    for (int i = 0; i < n; i++)
      if (i >= k && i < k + count)
        continue;
      else if (count == IG_DENSE_PIVOTS)
        dense_row_by_pivots(m + (size_t)i * line, row, n, k, s);
      else
        dense_row(m + (size_t)i * line, row, k, s[0], false, 0, n);
  }
  for (size_t i = 0; i < all; i++)
    inverse[i] = (float)m[i];
  return IG_OK;
}

/* --- a cycle --- */

/* One node's row of a product. br, bc are literals where it is called. */
IG_HD void block_row(const ig_bsr *a, int32_t n, const int br, const int bc, bool add,
                     const float *x, float *y) {
  float s[IG_AMG_BLOCK] = {0};
  for (int32_t i = a->start[n]; i < a->start[n + 1]; i++) {
    const float *v = a->value + (int64_t)i * (br * bc), *xv = x + (int64_t)a->column[i] * bc;
    for (int r = 0; r < br; r++)
      for (int c = 0; c < bc; c++)
        s[r] += v[bc * r + c] * xv[c];
  }
  for (int r = 0; r < br; r++)
    y[(int64_t)n * br + r] = (add ? y[(int64_t)n * br + r] : 0) + s[r];
}

/* The kinds of blocks that occur: 3 x 3 on the mesh, 3 x 6 and 6 x 3 between it and the first
   coarse level, 6 x 6 below, 1 x 1 for heat. A literal size lets the compiler unroll the inner
   loops. */
static ig_status product(ig_ctx *cx, const ig_bsr *a, bool add, const float *x, float *y) {
  const int kind = 10 * a->br + a->bc;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, a->rows, IG_WORK_NODE))
  for (int32_t n = 0; n < a->rows; n++)
    switch (kind) {
    case 33:
      block_row(a, n, 3, 3, add, x, y);
      break;
    case 36:
      block_row(a, n, 3, 6, add, x, y);
      break;
    case 63:
      block_row(a, n, 6, 3, add, x, y);
      break;
    case 66:
      block_row(a, n, 6, 6, add, x, y);
      break;
    default:
      block_row(a, n, 1, 1, add, x, y);
    }
  return IG_OK;
}

/* One step of the smoother; coefficients come from mesh_amg.c. */
static ig_status smooth(ig_ctx *cx, int32_t nodes, int size, const float *inverse,
                        const double *spring, const float *b, const float *ax, bool first, float c0,
                        float c1, float *d, float *x) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, nodes, IG_WORK_NODE))
  for (int32_t n = 0; n < nodes; n++)
    ig_amg_smooth_node(n, size, inverse, spring, b, ax, first, c0, c1, d, x);
  return IG_OK;
}

static ig_status residual(ig_ctx *cx, int64_t n, const double *spring, const float *b,
                          const float *x, float *ax) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    ax[i] = b[i] - ax[i] - (spring ? (float)spring[i] * x[i] : 0);
  return IG_OK;
}

static ig_status dense(ig_ctx *cx, int n, const float *m, const float *b, float *x) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, (int64_t)n *n, IG_WORK_VALUE))
  for (int i = 0; i < n; i++)
    x[i] = ig_amg_dense_row(n, i, 0, 1, m, b);
  return IG_OK;
}

const ig_amg_ops ig_amg_cpu = {.assemble = assemble,
                               .invert = invert,
                               .diagonal = diagonal,
                               .rows = rows,
                               .norms = norms,
                               .join = join,
                               .modes = modes,
                               .orthonormal = orthonormal,
                               .prolongator = prolongator,
                               .transpose = transpose,
                               .times = times,
                               .coarse = coarse,
                               .dense_invert = dense_invert,
                               .product = product,
                               .smooth = smooth,
                               .residual = residual,
                               .dense = dense};
