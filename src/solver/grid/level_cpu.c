/* Coarse levels on the CPU: sweeps over stored stencils, transfers between levels, and the steps
   that join several cycles. Transfers are linear interpolation P and its transpose; a level with an
   odd number of elements has one that reaches beyond the finer grid. */
#include "solver/grid/grid_cpu.h"
#include "solver/krylov/slab.h"
#include "core/threads.h"
#include "backend/backend.h"
#include "kern/hd.h"
#include "solver/grid/level.inc"
#include "solver/krylov/rows_cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* acc[r][i] += S_n x(i + o) + S_n(i - o)^T x(i - o) over a row; no second term for n = 0 */
IG_HD void stencil_row(const int dof, const ig_level *l, int64_t place, const float *x, float *acc,
                       int width) {
  const int64_t stored = l->grid.stored;
  for (int n = 0; n < l->blocks; n++) {
    const int64_t o = l->offset[n];
    /* rows of the block and of its transpose at the neighbour below; values of both neighbours */
    const float *s[9], *back[9], *up[3], *down[3];
    for (int r = 0; r < dof; r++) {
      up[r] = x + r * stored + place + o;
      down[r] = x + r * stored + place - o;
      for (int c = 0; c < dof; c++) {
        s[r * 3 + c] = l->stencil + ((n * dof + r) * dof + c) * stored + place;
        back[r * 3 + c] = l->stencil + ((n * dof + c) * dof + r) * stored + place - o;
      }
    }
    if (n == 0) {
      for (int r = 0; r < dof; r++) {
        float *a = acc + (size_t)r * width;
#pragma GCC ivdep
        for (int i = 0; i < width; i++) {
          float sum = 0;
#pragma GCC unroll 4
          for (int c = 0; c < dof; c++)
            sum += s[r * 3 + c][i] * up[c][i];
          a[i] = sum;
        }
      }
    } else {
      for (int r = 0; r < dof; r++) {
        float *a = acc + (size_t)r * width;
#pragma GCC ivdep
        for (int i = 0; i < width; i++) {
          float sum = 0;
#pragma GCC unroll 4
          for (int c = 0; c < dof; c++)
            sum += s[r * 3 + c][i] * up[c][i] + back[r * 3 + c][i] * down[c][i];
          a[i] += sum;
        }
      }
    }
  }
}

/* The same from half precision: neighbours come scaled, and the sum is scaled last. */
IG_HD void half_row(const int dof, const ig_level *l, int64_t place, const float *x, float *acc,
                    int width) {
  const int64_t stored = l->grid.stored;
  const float *scale = l->scale + place;
  for (int q = 0; q < dof * width; q++)
    acc[q] = 0;
  for (int n = 1; n < l->blocks; n++) {
    const int64_t o = l->offset[n];
    for (int r = 0; r < dof; r++)
      for (int c = 0; c < dof; c++) {
        const ig_half *s = l->half + (((n - 1) * dof + r) * dof + c) * stored + place;
        const ig_half *back = l->half + (((n - 1) * dof + c) * dof + r) * stored + place - o;
        const float *up = x + c * stored + place + o, *down = x + c * stored + place - o;
        float *a = acc + (size_t)r * width;
#pragma GCC ivdep
        for (int i = 0; i < width; i++)
          a[i] += (float)s[i] * (scale[i + o] * up[i]) + (float)back[i] * (scale[i - o] * down[i]);
      }
  }
  for (int r = 0; r < dof; r++)
    for (int c = 0; c < dof; c++) {
      const float *s = l->stencil + (r * dof + c) * stored + place, *u = x + c * stored + place;
      float *a = acc + (size_t)r * width;
#pragma GCC ivdep
      for (int i = 0; i < width; i++)
        a[i] = (c ? a[i] : scale[i] * a[i]) + s[i] * u[i];
    }
}

/* What a sweep makes of a row of A x. Nodes without stiffness have inverse 0: their residual is set
   to 0, so that transfers bring nothing there. */
static void stencil_finish(const ig_level *l, ig_sweep what, int64_t at, float *a, const float *b,
                           const float *x, float *d, float c0, float c1, float *y, int width) {
  const float *inverse = l->inverse + at;
  float *yr = y + at;
  if (what == IG_SWEEP_APPLY) {
    for (int i = 0; i < width; i++)
      yr[i] = a[i];
  } else if (what == IG_SWEEP_RESIDUAL) {
    const float *br = b + at;
#pragma omp simd
    for (int i = 0; i < width; i++)
      yr[i] = inverse[i] == 0 ? 0 : br[i] - a[i];
  } else {
    const float *br = b + at, *xr = x + at;
    const float *dr = d ? d + at : NULL;
#pragma omp simd
    for (int i = 0; i < width; i++)
      a[i] = c1 * inverse[i] * (br[i] - a[i]);
    for (int i = 0; d && i < width; i++)
      a[i] += c0 * dr[i];
    if (d)
      memcpy(d + at, a, (size_t)width * sizeof *a);
#pragma omp simd
    for (int i = 0; i < width; i++)
      yr[i] = xr[i] + a[i];
  }
}

/* Planes of nodes are swept flat, rows and the halo between them alike, in pieces that stay in the
   nearest cache: long loops matter more than a halo's few nodes, where everything is zero. */
enum { PIECE = 512 };

/* Arguments of a transfer: `from` is the residual, or the coarse correction. */
typedef struct {
  int64_t place;
  int width;
} piece;
/* Of a plane: from its first own node to its last, halo places between rows included. */
static int64_t piece_count(const ig_grid *g) {
  const int64_t length = g->n[1] * g->row + g->n[0] + 1;
  return (length + PIECE - 1) / PIECE * (g->n[2] + 1);
}
/* Pieces of a plane, plane after plane. */
static piece piece_at(const ig_grid *g, int64_t p) {
  const int64_t length = g->n[1] * g->row + g->n[0] + 1, pieces = (length + PIECE - 1) / PIECE;
  const int64_t from = p % pieces * PIECE;
  return (piece){g->first + p / pieces * g->plane + from,
                 (int)(length - from < PIECE ? length - from : PIECE)};
}

/* A x over a piece, [component][width] */
static void stencil_piece(const ig_level *l, const piece *p, const float *x, float *acc) {
  if (l->half)
    half_row(l->grid.dof, l, p->place, x, acc, p->width);
  else if (l->grid.dof == 3)
    stencil_row(3, l, p->place, x, acc, p->width);
  else if (l->grid.dof == 2)
    stencil_row(2, l, p->place, x, acc, p->width);
  else
    stencil_row(1, l, p->place, x, acc, p->width);
}

/* The finest level is matrix-free and has a sweep of its own. */
ig_status ig_grid_cpu_sweep(ig_ctx *cx, const ig_level *l, ig_sweep what, const float *b,
                            const float *x, float *d, float c0, float c1, float *y) {
  if (!l->blocks)
    return ig_grid_cpu_fine_sweep(cx, &l->args, what, b, x, d, c0, c1, y);
  const ig_grid *g = &l->grid;
  const int64_t pieces = piece_count(g);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, pieces, IG_WORK_ROW))
  for (int64_t q = 0; q < pieces; q++) {
    /* 6 kB: stays in the first-level cache between the product and what is made of it */
    float acc[3 * PIECE];
    const piece p = piece_at(g, q);
    stencil_piece(l, &p, x, acc);
    for (int c = 0; c < g->dof; c++)
      stencil_finish(l, what, c * g->stored + p.place, acc + (size_t)c * p.width, b, x, d, c0, c1,
                     y, p.width);
  }
  return IG_OK;
}

/* The first smoothing step from x = 0 needs no product: x = c1 D^-1 b. On the finest level springs
   are not in the stored diagonal, so their nodes are corrected afterwards. */
ig_status ig_grid_cpu_start(ig_ctx *cx, const ig_level *l, const float *b, float c1, float *x,
                            float *d) {
  const int width = l->grid.n[0] + 1, dof = l->grid.dof;
  const int64_t rows = row_count(&l->grid), stored = l->grid.stored;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, rows, IG_WORK_ROW))
  for (int64_t row = 0; row < rows; row++) {
    const int64_t place = row_place(&l->grid, row);
    for (int c = 0; c < dof; c++) {
      const int64_t at = c * stored + place;
      if (l->blocks) {
#pragma omp simd
        for (int i = 0; i < width; i++)
          x[at + i] = c1 * l->inverse[at + i] * b[at + i];
      } else {
        const float w = c1 * l->args.reciprocal[c];
        const uint8_t *fix = l->args.fix + place;
#pragma omp simd
        for (int i = 0; i < width; i++)
          x[at + i] = fix[i] >> c & 1 ? 0 : w * l->args.inverse[place + i] * b[at + i];
      }
      if (d)
        memcpy(d + at, x + at, (size_t)width * sizeof *d);
    }
  }
  for (int s = 0; !l->blocks && s < l->args.springs; s++) {
    const ig_spring *k = &l->args.spring[s];
    const float d0 = l->args.diagonal[k->component] / l->args.inverse[k->node];
    const int64_t at = k->component * stored + k->node;
    x[at] *= d0 / (d0 + (float)k->stiffness);
    if (d)
      d[at] = x[at];
  }
  return IG_OK;
}

/* --- diagonal blocks --- */

/* The smoother by blocks of nodes; each node by itself. */
ig_status ig_grid_cpu_blocks(ig_ctx *cx, const ig_level *l) {
  EACH_NODE(cx, l, ig_block_make(l, at));
  return IG_OK;
}

ig_status ig_grid_cpu_relax(ig_ctx *cx, const ig_level *l, const float *r, float c1, bool from_zero,
                            float *x) {
  EACH_NODE(cx, l, ig_block_relax(l, at, r, c1, from_zero, x));
  return IG_OK;
}

/* --- between levels --- */

typedef struct {
  const ig_level *fine, *coarse;
  const float *from;
  float *b, *x, *d, c1;
} transfer;

/* Rows are shared out among the threads, each with work space of its own. */
static ig_status for_rows(ig_ctx *cx, int64_t rows, size_t each,
                          void (*fn)(const transfer *t, int64_t row, float *work),
                          const transfer *t) {
  float *work;
  const int team = ig_team(cx, rows, IG_WORK_ROW);
  IG_TRY(IG_NEW(cx, &work, (size_t)team * each, "transfer work space"));
#pragma omp parallel for schedule(static, 1) num_threads(team)
  for (int p = 0; p < team; p++)
    for (int64_t row = rows * p / team; row < rows * (p + 1) / team; row++)
      fn(t, row, work + (size_t)p * each);
  free(work);
  return IG_OK;
}

/* One row of coarse nodes: the fine rows around it are added with weights 1, 1/2, 1/4 first, then
   neighbours along x, so that each fine value is read once. The first smoothing step on the coarse
   level (from x = 0) is done along with it. */
static void restrict_row(const transfer *t, int64_t row, float *work) {
  const ig_grid *f = &t->fine->grid, *g = &t->coarse->grid;
  const int width = f->n[0] + 1, half = g->n[0] + 1;
  /* coarse node (i, J, K) lies on fine node (2 i, 2 J, 2 K) */
  const int J = (int)(row % (g->n[1] + 1)), K = (int)(row / (g->n[1] + 1));
  /* work is zeroed once: what lies beyond the row is never written */
  float *sum = work + 1; /* from -1; zero past the end */
  for (int c = 0; c < g->dof; c++) {
    for (int i = 0; i < width; i++)
      sum[i] = 0;
    for (int z = -1; z <= 1; z++)
      for (int y = -1; y <= 1; y++) {
        const int j = 2 * J + y, k = 2 * K + z;
        if ((f->dim == 2 && z) || j < 0 || j > f->n[1] || k < -ig_grid_below(f) || k > f->n[2])
          continue;
        const float w = (y ? 0.5f : 1) * (z ? 0.5f : 1);
        const float *from = t->from + c * f->stored + ig_grid_place(f, 0, j, k);
#pragma omp simd
        for (int i = 0; i < width; i++)
          sum[i] += w * from[i];
      }
    const int64_t at = c * g->stored + ig_grid_place(g, 0, J, K);
    const float *inverse = t->coarse->inverse + at;
    for (int i = 0; i < half; i++)
      t->b[at + i] = sum[2 * i] + 0.5f * (sum[2 * i - 1] + sum[2 * i + 1]);
    for (int i = 0; t->c1 != 0 && i < half; i++)
      t->x[at + i] = t->c1 * inverse[i] * t->b[at + i];
    if (t->c1 != 0 && t->d)
      memcpy(t->d + at, t->x + at, (size_t)half * sizeof *t->d);
  }
}

ig_status ig_grid_cpu_restricts(ig_ctx *cx, const ig_level *fine, const float *r,
                                const ig_level *coarse, float *b, float c1, float *x, float *d) {
  const transfer t = {fine, coarse, r, b, x, d, c1};
  return for_rows(cx, row_count(&coarse->grid), (size_t)fine->grid.n[0] + 5, restrict_row, &t);
}

/* One row of fine nodes: the mean of the one, two or four coarse rows around, then along x. Nodes
   that are fixed (or have no stiffness) are left alone. */
static void prolong_row(const transfer *t, int64_t row, float *work) {
  const ig_grid *f = &t->fine->grid, *g = &t->coarse->grid;
  const int width = f->n[0] + 1, half = g->n[0] + 1;
  const int j = (int)(row % (f->n[1] + 1)), k = (int)(row / (f->n[1] + 1));
  const int64_t place = ig_grid_place(f, 0, j, k);
  float *sum = work, *wide = sum + half + 1;
  for (int c = 0; c < g->dof; c++) {
    const float *base = t->from + c * g->stored;
    const float *r00 = base + ig_grid_place(g, 0, j / 2, k / 2);
    const float *r10 = base + ig_grid_place(g, 0, (j + 1) / 2, k / 2);
    const float *r01 = base + ig_grid_place(g, 0, j / 2, (k + 1) / 2);
    const float *r11 = base + ig_grid_place(g, 0, (j + 1) / 2, (k + 1) / 2);
#pragma omp simd
    for (int i = 0; i < half; i++)
      sum[i] = 0.25f * ((r00[i] + r10[i]) + (r01[i] + r11[i]));
    for (int i = 0; i + 1 < half; i++) {
      wide[2 * i] = sum[i];
      wide[2 * i + 1] = 0.5f * (sum[i] + sum[i + 1]);
    }
    wide[2 * half - 2] = sum[half - 1];
    float *to = t->x + c * f->stored + place;
    if (t->fine->blocks) {
      const float *inverse = t->fine->inverse + c * f->stored + place;
#pragma omp simd
      for (int i = 0; i < width; i++)
        to[i] += inverse[i] == 0 ? 0 : wide[i];
    } else {
      const uint8_t *fix = t->fine->args.fix + place;
#pragma omp simd
      for (int i = 0; i < width; i++)
        to[i] += fix[i] >> c & 1 ? 0 : wide[i];
    }
  }
}

ig_status ig_grid_cpu_prolong(ig_ctx *cx, const ig_level *coarse, const float *xc,
                              const ig_level *fine, float *x) {
  const transfer t = {.fine = fine, .coarse = coarse, .from = xc, .x = x};
  return for_rows(cx, row_count(&fine->grid), 3 * (size_t)coarse->grid.n[0] + 4, prolong_row, &t);
}

/* --- several cycles joined --- */

/* image = A x, and the sums x . A x and x . b; parts of planes in the order of planes, as all sums.
 */
ig_status ig_grid_cpu_pair_energy(ig_ctx *cx, const ig_level *l, const float *x, const float *b) {
  const ig_grid *g = &l->grid;
  const int64_t pieces = piece_count(g);
  /* of each piece, added in their order afterwards */
  double(*part)[2] = NULL;
  ig_status status = IG_NEW(cx, &part, pieces, "sums of a level");
  if (status != IG_OK && !g->slab)
    return status;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, pieces, IG_WORK_ROW))
  for (int64_t q = 0; q < (part ? pieces : 0); q++) {
    float acc[3 * PIECE];
    const piece p = piece_at(g, q);
    double s0 = 0, s1 = 0;
    stencil_piece(l, &p, x, acc);
    for (int c = 0; c < g->dof; c++) {
      const int64_t at = c * g->stored + p.place;
      const float *a = acc + (size_t)c * p.width, *xr = x + at, *br = b + at;
#pragma omp simd reduction(+ : s0, s1)
      for (int i = 0; i < p.width; i++) {
        s0 += (double)xr[i] * (double)a[i];
        s1 += (double)xr[i] * (double)br[i];
      }
      memcpy(l->image + at, a, (size_t)p.width * sizeof *a);
    }
    part[q][0] = s0;
    part[q][1] = s1;
  }
  if (g->slab)
    status = ig_slab_total(g->slab, g->level, 1, pieces / (g->n[2] + 1), 2,
                           part ? &part[0][0] : NULL, l->pair->sum);
  for (int m = 0; m < 2 && !g->slab; m++) {
    l->pair->sum[m] = 0;
    for (int64_t q = 0; q < pieces; q++)
      l->pair->sum[m] += part[q][m];
  }
  free(part);
  return status;
}

/* first = step x with the step that minimizes the energy of the error, rest = b - A first; x
   restarts from the first smoothing step for `rest`. */
ig_status ig_grid_cpu_pair_residual(ig_ctx *cx, const ig_level *l, const float *b, float c1) {
  const int64_t n = l->grid.stored * l->grid.dof;
  const float step = ig_pair_step(l->pair);
#pragma omp parallel for simd schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++) {
    l->first[i] = step * l->x[i];
    l->rest[i] = b[i] - step * l->image[i];
    l->x[i] = l->d[i] = c1 * l->inverse[i] * l->rest[i];
  }
  return IG_OK;
}

/* Over the halo, too: all is zero there. */
ig_status ig_grid_cpu_pair_join(ig_ctx *cx, const ig_level *l, float weight) {
  const int64_t n = l->grid.stored * l->grid.dof;
#pragma omp parallel for simd schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    l->x[i] = l->first[i] + weight * l->x[i];
  return IG_OK;
}
