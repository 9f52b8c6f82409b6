/* Grid kernels on the CPU. */
#include "solver/grid.h"
#include "backend/backend.h"
#include "kern/hd.h"
#include "solver/level_kern.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f32.h"
#include "solver/brick_kern.inc"
#include "solver/grid_cpu.inc"
#include "kern/prec_f64.h"
#include "solver/brick_kern.inc"
#include "solver/grid_cpu.inc"

/* rows of nodes of a level, numbered y fastest */
static int64_t row_count(const ig_grid *g) {
  return (int64_t)(g->n[1] + 1) * (g->n[2] + 1);
}
static int64_t row_place(const ig_grid *g, int64_t row) {
  return ig_grid_place(g, 0, (int)(row % (g->n[1] + 1)), (int)(row / (g->n[1] + 1)));
}

static ig_status apply(ig_ctx *cx, const ig_grid_args_f64 *args, const double *x, double *y,
                       ig_cg_state *state) {
  return grid_sweep_f64(cx, args, IG_SWEEP_APPLY, NULL, x, NULL, 0, 0, y,
                        state ? &state->s.pap : NULL);
}

/* --- stored stencils --- */

/* acc[r][i] += S_n x(i + o) + S_n(i - o)^T x(i - o) over a row; no second term for n = 0 */
IG_HD void stencil_row(const int dof, const ig_level *l, int64_t place, const float *x, float *acc,
                       int width) {
  const int64_t stored = l->grid.stored;
  for (int n = 0; n < l->blocks; n++) {
    const int64_t o = l->offset[n];
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
          IG_FULL_UNROLL
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
          IG_FULL_UNROLL
          for (int c = 0; c < dof; c++)
            sum += s[r * 3 + c][i] * up[c][i] + back[r * 3 + c][i] * down[c][i];
          a[i] += sum;
        }
      }
    }
  }
}

static void stencil_finish(const ig_level *l, ig_sweep what, int64_t at, const float *a,
                           const float *b, const float *x, float *d, float c0, float c1, float *y,
                           int width) {
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
    float *dr = d + at;
#pragma omp simd
    for (int i = 0; i < width; i++) {
      dr[i] = c0 * dr[i] + c1 * inverse[i] * (br[i] - a[i]);
      yr[i] = xr[i] + dr[i];
    }
  }
}

/* Planes of nodes are swept flat, rows and the halo between them alike, in pieces that stay in the
   nearest cache: long loops matter more than a halo's few nodes, where everything is zero. */
enum { PIECE = 512 };

static ig_status sweep(ig_ctx *cx, const ig_level *l, ig_sweep what, const float *b, const float *x,
                       float *d, float c0, float c1, float *y) {
  if (!l->blocks)
    return grid_sweep_f32(cx, &l->args, what, b, x, d, c0, c1, y, NULL);
  const ig_grid *g = &l->grid;
  const int dof = g->dof;
  const int64_t length = g->n[1] * g->row + g->n[0] + 1, pieces = (length + PIECE - 1) / PIECE;
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (int64_t p = 0; p < pieces * (g->n[2] + 1); p++) {
    float acc[3 * PIECE];
    const int64_t from = p % pieces * PIECE, place = g->first + p / pieces * g->plane + from;
    const int width = (int)(length - from < PIECE ? length - from : PIECE);
    if (dof == 3)
      stencil_row(3, l, place, x, acc, width);
    else if (dof == 2)
      stencil_row(2, l, place, x, acc, width);
    else
      stencil_row(1, l, place, x, acc, width);
    for (int c = 0; c < dof; c++)
      stencil_finish(l, what, c * g->stored + place, acc + (size_t)c * width, b, x, d, c0, c1, y,
                     width);
  }
  return IG_OK;
}

static ig_status start(ig_ctx *cx, const ig_level *l, const float *b, float c1, float *x,
                       float *d) {
  const int width = l->grid.n[0] + 1, dof = l->grid.dof;
  const int64_t rows = row_count(&l->grid), stored = l->grid.stored;
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (int64_t row = 0; row < rows; row++) {
    const int64_t place = row_place(&l->grid, row);
    for (int c = 0; c < dof; c++) {
      const int64_t at = c * stored + place;
      if (l->blocks) {
#pragma omp simd
        for (int i = 0; i < width; i++)
          x[at + i] = d[at + i] = c1 * l->inverse[at + i] * b[at + i];
      } else {
        const float w = c1 * l->args.reciprocal[c];
        const uint8_t *fix = l->args.fix + place;
#pragma omp simd
        for (int i = 0; i < width; i++)
          x[at + i] = d[at + i] = fix[i] >> c & 1 ? 0 : w * l->args.inverse[place + i] * b[at + i];
      }
    }
  }
  for (int s = 0; !l->blocks && s < l->args.springs; s++) {
    const ig_spring *k = &l->args.spring[s];
    const float d0 = l->args.diagonal[k->component] / l->args.inverse[k->node];
    const int64_t at = k->component * stored + k->node;
    x[at] = d[at] = x[at] * d0 / (d0 + (float)k->stiffness);
  }
  return IG_OK;
}

/* --- between levels --- */

static ig_status restricts(ig_ctx *cx, const ig_level *fine, const float *r, const ig_level *coarse,
                           float *b) {
  const ig_grid *f = &fine->grid, *g = &coarse->grid;
  const int width = f->n[0] + 1, half = g->n[0] + 1;
  const int64_t rows = row_count(g);
  float *work;
  IG_TRY(IG_NEW(cx, &work, (size_t)cx->threads * (size_t)(width + 4), "restriction work space"));
#pragma omp parallel for schedule(static, 1) num_threads(cx->threads)
  for (int t = 0; t < cx->threads; t++) {
    float *sum = work + (size_t)t * (size_t)(width + 4) + 1; /* from -1; zero past the end */
    for (int64_t row = rows * t / cx->threads; row < rows * (t + 1) / cx->threads; row++) {
      const int J = (int)(row % (g->n[1] + 1)), K = (int)(row / (g->n[1] + 1));
      for (int c = 0; c < g->dof; c++) {
        for (int i = 0; i < width; i++)
          sum[i] = 0;
        for (int z = -1; z <= 1; z++)
          for (int y = -1; y <= 1; y++) {
            const int j = 2 * J + y, k = 2 * K + z;
            if ((f->dim == 2 && z) || j < 0 || j > f->n[1] || k < 0 || k > f->n[2])
              continue;
            const float w = (y ? 0.5f : 1) * (z ? 0.5f : 1);
            const float *from = r + c * f->stored + ig_grid_place(f, 0, j, k);
#pragma omp simd
            for (int i = 0; i < width; i++)
              sum[i] += w * from[i];
          }
        float *to = b + c * g->stored + ig_grid_place(g, 0, J, K);
        for (int i = 0; i < half; i++)
          to[i] = sum[2 * i] + 0.5f * (sum[2 * i - 1] + sum[2 * i + 1]);
      }
    }
  }
  free(work);
  return IG_OK;
}

static ig_status prolong(ig_ctx *cx, const ig_level *coarse, const float *xc, const ig_level *fine,
                         float *x) {
  const ig_grid *f = &fine->grid, *g = &coarse->grid;
  const int width = f->n[0] + 1, half = g->n[0] + 1;
  const int64_t rows = row_count(f);
  float *work;
  IG_TRY(IG_NEW(cx, &work, (size_t)cx->threads * (size_t)(half + 1 + 2 * half),
                "prolongation work space"));
#pragma omp parallel for schedule(static, 1) num_threads(cx->threads)
  for (int t = 0; t < cx->threads; t++) {
    float *sum = work + (size_t)t * (size_t)(half + 1 + 2 * half), *wide = sum + half + 1;
    for (int64_t row = rows * t / cx->threads; row < rows * (t + 1) / cx->threads; row++) {
      const int j = (int)(row % (f->n[1] + 1)), k = (int)(row / (f->n[1] + 1));
      const int64_t place = ig_grid_place(f, 0, j, k);
      for (int c = 0; c < g->dof; c++) {
        const float *base = xc + c * g->stored;
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
        float *to = x + c * f->stored + place;
        if (fine->blocks) {
          const float *inverse = fine->inverse + c * f->stored + place;
#pragma omp simd
          for (int i = 0; i < width; i++)
            to[i] += inverse[i] == 0 ? 0 : wide[i];
        } else {
          const uint8_t *fix = fine->args.fix + place;
#pragma omp simd
          for (int i = 0; i < width; i++)
            to[i] += fix[i] >> c & 1 ? 0 : wide[i];
        }
      }
    }
  }
  free(work);
  return IG_OK;
}

/* --- setting up the levels --- */

static ig_status to_single(ig_ctx *cx, int64_t n, const double *x, float *y) {
#pragma omp parallel for simd schedule(static) num_threads(cx->threads)
  for (int64_t i = 0; i < n; i++)
    y[i] = (float)x[i];
  return IG_OK;
}

static ig_status node_inverse(ig_ctx *cx, const ig_grid_args_f32 *g, float *inverse) {
  const int64_t outer = g->dim == 3 ? g->plane : 0, rows = (int64_t)(g->n[1] + 1) * (g->n[2] + 1);
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (int64_t row = 0; row < rows; row++) {
    const int64_t place = g->first + row % (g->n[1] + 1) * g->row + row / (g->n[1] + 1) * g->plane;
    const float *e = g->modulus + place;
    const int64_t r = g->row;
#pragma omp simd
    for (int i = 0; i <= g->n[0]; i++) {
      float s = (e[i] + e[i - 1]) + (e[i - r] + e[i - 1 - r]);
      if (outer)
        s += (e[i - outer] + e[i - 1 - outer]) + (e[i - r - outer] + e[i - 1 - r - outer]);
      inverse[place + i] = s > 0 ? 1 / s : 0;
    }
  }
  return IG_OK;
}

static int block_of(int dim, int a, int b) {
  return ig_stencil_block(dim, (b & 1) - (a & 1), (b >> 1 & 1) - (a >> 1 & 1),
                          (b >> 2 & 1) - (a >> 2 & 1));
}

/* Adds the matrices of a row of elements, [entry][i], to the stencil of the nodes around. */
static void add_row(const ig_level *l, int64_t place, const float *matrix, int count) {
  const int dim = l->grid.dim, dof = l->grid.dof, nodes = 1 << dim;
  const int64_t stored = l->grid.stored;
  for (int a = 0; a < nodes; a++)
    for (int b = 0; b < nodes; b++) {
      const int n = block_of(dim, a, b);
      if (n < 0)
        continue;
      const int64_t at = place + (a & 1) + (a >> 1 & 1) * l->grid.row + (a >> 2) * l->grid.plane;
      for (int r = 0; r < dof; r++)
        for (int c = 0; c < dof; c++) {
          const float *m =
              matrix + (size_t)((a * dof + r) * nodes * dof + b * dof + c) * (size_t)count;
          float *to = l->stencil + ((n * dof + r) * dof + c) * stored + at;
#pragma omp simd
          for (int i = 0; i < count; i++)
            to[i] += m[i];
        }
    }
}

/* rows of a child's matrix combined to its parent's: T^T k, then transposed; twice is T^T k T */
static void child_rows(int dim, int dof, int child, const float *k, float *out) {
  const int nodes = 1 << dim, size = nodes * dof;
  float m[24][24];
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++)
      m[i][j] = k[i * size + j];
  for (int d = 0; d < dim; d++)
    for (int a = 0; a < nodes; a++)
      if (!(a >> d & 1))
        for (int c = 0; c < dof; c++) {
          float *lo = m[a * dof + c], *hi = m[(a | 1 << d) * dof + c];
          if (child >> d & 1)
#pragma omp simd
            for (int j = 0; j < size; j++) {
              lo[j] *= 0.5f;
              hi[j] += lo[j];
            }
          else
#pragma omp simd
            for (int j = 0; j < size; j++) {
              hi[j] *= 0.5f;
              lo[j] += hi[j];
            }
        }
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++)
      out[j * size + i] = m[i][j];
}

static void add_to_parent(int dim, int dof, int child, const float *k, float *parent) {
  const int size = (1 << dim) * dof;
  float once[576], twice[576];
  child_rows(dim, dof, child, k, once);
  child_rows(dim, dof, child, once, twice);
  for (int i = 0; i < size * size; i++)
    parent[i] += twice[i];
}

static int64_t element_number(const ig_grid *g, int i, int j, int k) {
  return i + (int64_t)g->n[0] * (j + (int64_t)g->n[1] * k);
}

/* Coarse planes are taken in pairs, the children of one plane of the next level; pairs of one
   parity at a time touch no node in common, and every node sums in the same order always. */
typedef void plane_fn(const void *arg, int k, float *work);
static ig_status for_planes(ig_ctx *cx, int planes, size_t work_size, plane_fn *fn,
                            const void *arg) {
  float *work;
  IG_TRY(IG_NEW(cx, &work, (size_t)cx->threads * work_size, "coarsening work space"));
  const int pairs = (planes + 1) / 2;
  for (int parity = 0; parity < 2; parity++) {
#pragma omp parallel for schedule(static, 1) num_threads(cx->threads)
    for (int t = 0; t < cx->threads; t++)
      for (int p = parity + 2 * t; p < pairs; p += 2 * cx->threads)
        for (int k = 2 * p; k < 2 * p + 2 && k < planes; k++)
          fn(arg, k, work + work_size * (size_t)t);
  }
  free(work);
  return IG_OK;
}

typedef struct {
  const ig_level *fine, *coarse, *next;
  const uint16_t *kind;
  const float *table;
} coarsen_arg;

static void coarsen_fine_plane(const void *arg, int k, float *work) {
  const coarsen_arg *a = arg;
  const ig_level *l = a->coarse;
  const ig_grid *g = &l->grid, *f = &a->fine->grid;
  const int dim = g->dim, children = 1 << dim, size = children * g->dof, entries = size * size;
  const int n = g->n[0];
  float *matrix = work, *modulus = work + (size_t)entries * n, *one = modulus + (size_t)8 * n;
  /* in 2D planes are rows */
  const int j0 = dim == 3 ? 0 : k, j1 = dim == 3 ? g->n[1] : k + 1, kk = dim == 3 ? k : 0;
  for (int j = j0; j < j1; j++) {
    for (int s = 0; s < children; s++) {
      const float *e =
          a->fine->args.modulus + ig_grid_place(f, s & 1, 2 * j + (s >> 1 & 1), 2 * kk + (s >> 2));
      for (int i = 0; i < n; i++)
        modulus[(size_t)s * n + i] = e[2 * i];
    }
    const uint16_t *kind = a->kind + element_number(g, 0, j, kk);
    for (int m = 0; m < entries; m++) {
      if (!a->next && block_of(dim, m / size / g->dof, m % size / g->dof) < 0)
        continue;
      float *to = matrix + (size_t)m * n;
      float t[8];
      for (int s = 0; s < children; s++)
        t[s] = a->table[(size_t)s * entries + m];
      for (int i = 0; i < n; i++)
        to[i] = 0;
      for (int s = 0; s < children; s++)
#pragma omp simd
        for (int i = 0; i < n; i++)
          to[i] += t[s] * modulus[(size_t)s * n + i];
    }
    for (int i = 0; i < n; i++)
      if (kind[i])
        for (int m = 0; m < entries; m++) {
          float v = 0;
          for (int s = 0; s < children; s++)
            v += a->table[((size_t)kind[i] * children + s) * entries + m] *
                 modulus[(size_t)s * n + i];
          matrix[(size_t)m * n + i] = v;
        }
    add_row(l, ig_grid_place(g, 0, j, kk), matrix, n);
    for (int i = 0; a->next && i < n; i++) {
      for (int m = 0; m < entries; m++)
        one[m] = matrix[(size_t)m * n + i];
      add_to_parent(dim, g->dof, (i & 1) | (j & 1) << 1 | (kk & 1) << 2, one,
                    a->next->element +
                        element_number(&a->next->grid, i / 2, j / 2, kk / 2) * entries);
    }
  }
}

static ig_status coarsen_fine(ig_ctx *cx, const ig_level *fine, const ig_level *coarse,
                              const ig_level *next, const uint16_t *kind, const float *table) {
  const ig_grid *g = &coarse->grid;
  const size_t size = (size_t)(g->dof << g->dim),
               stencil = (size_t)coarse->blocks * g->dof * g->dof;
  memset(coarse->stencil, 0, stencil * (size_t)g->stored * sizeof(float));
  if (next)
    memset(next->element, 0, (size_t)ig_grid_elements(&next->grid) * size * size * sizeof(float));
  const coarsen_arg arg = {fine, coarse, next, kind, table};
  return for_planes(cx, g->dim == 3 ? g->n[2] : g->n[1],
                    size * size * (size_t)(g->n[0] + 1) + 8 * (size_t)g->n[0], coarsen_fine_plane,
                    &arg);
}

static void coarsen_plane(const void *arg, int k, float *work) {
  (void)work;
  const coarsen_arg *a = arg;
  const ig_grid *f = &a->fine->grid, *g = &a->coarse->grid;
  const int entries = (f->dof << f->dim) * (f->dof << f->dim), dim = f->dim;
  const int j0 = dim == 3 ? 0 : k, j1 = dim == 3 ? f->n[1] : k + 1, kk = dim == 3 ? k : 0;
  for (int j = j0; j < j1; j++)
    for (int i = 0; i < f->n[0]; i++)
      add_to_parent(dim, f->dof, (i & 1) | (j & 1) << 1 | (kk & 1) << 2,
                    a->fine->element + element_number(f, i, j, kk) * entries,
                    a->coarse->element + element_number(g, i / 2, j / 2, kk / 2) * entries);
}

static ig_status coarsen(ig_ctx *cx, const ig_level *fine, const ig_level *coarse) {
  const ig_grid *g = &coarse->grid;
  const size_t size = (size_t)(g->dof << g->dim);
  memset(coarse->element, 0, (size_t)ig_grid_elements(g) * size * size * sizeof(float));
  const coarsen_arg arg = {fine, coarse, NULL, NULL, NULL};
  return for_planes(cx, g->dim == 3 ? fine->grid.n[2] : fine->grid.n[1], 1, coarsen_plane, &arg);
}

static void stencil_plane(const void *arg, int k, float *work) {
  const coarsen_arg *a = arg;
  const ig_grid *g = &a->coarse->grid;
  const int entries = (g->dof << g->dim) * (g->dof << g->dim), dim = g->dim, n = g->n[0];
  const int j0 = dim == 3 ? 0 : k, j1 = dim == 3 ? g->n[1] : k + 1, kk = dim == 3 ? k : 0;
  for (int j = j0; j < j1; j++) {
    const float *from = a->coarse->element + element_number(g, 0, j, kk) * entries;
    for (int i = 0; i < n; i++)
      for (int m = 0; m < entries; m++)
        work[(size_t)m * n + i] = from[(size_t)i * entries + m];
    add_row(a->coarse, ig_grid_place(g, 0, j, kk), work, n);
  }
}

static ig_status stencil(ig_ctx *cx, const ig_level *level) {
  const ig_grid *g = &level->grid;
  const size_t size = (size_t)(g->dof << g->dim);
  memset(level->stencil, 0,
         (size_t)level->blocks * g->dof * g->dof * (size_t)g->stored * sizeof(float));
  const coarsen_arg arg = {NULL, level, NULL, NULL, NULL};
  return for_planes(cx, g->dim == 3 ? g->n[2] : g->n[1], size * size * (size_t)g->n[0],
                    stencil_plane, &arg);
}

static ig_status coarse_springs(ig_ctx *cx, const ig_level *fine, const ig_level *l, int depth) {
  (void)cx;
  const int corners = 1 << l->grid.dim;
  for (int s = 0; s < fine->args.springs; s++)
    for (int pair = 0; pair < corners * corners; pair++)
      ig_spring_spread(&fine->args, l, depth, s, pair / corners, pair % corners);
  return IG_OK;
}

static ig_status coarse_inverse(ig_ctx *cx, const ig_level *l) {
  const int width = l->grid.n[0] + 1, dof = l->grid.dof;
  const int64_t rows = row_count(&l->grid), stored = l->grid.stored;
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (int64_t row = 0; row < rows; row++) {
    const int64_t place = row_place(&l->grid, row);
    for (int c = 0; c < dof; c++) {
      float *diagonal = l->stencil + (c * dof + c) * stored + place;
      float *inverse = l->inverse + c * stored + place;
      for (int i = 0; i < width; i++) {
        diagonal[i] *= IG_COARSE_SHIFT;
        inverse[i] = diagonal[i] > 0 ? 1 / diagonal[i] : 0;
      }
    }
  }
  return IG_OK;
}

/* --- the coarsest level --- */

static ig_status dense_invert(ig_ctx *cx, const ig_level *l, const int32_t *place, int n, double *a,
                              float *inverse) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[(size_t)i * n + j] = ig_stencil_entry(l, place[i], place[j]);
  for (int p = 0; p < n; p++) {
    double *row = a + (size_t)p * n;
    const double d = row[p], whole = ig_stencil_entry(l, place[p], place[p]);
    const double pivot = d > 1e-9 * whole ? 1 / d : 0; /* nothing there, or nothing left */
    row[p] = 1;
    for (int j = 0; j < n; j++)
      row[j] *= pivot;
#pragma omp parallel for schedule(static) num_threads(cx->threads)
    for (int i = 0; i < n; i++)
      if (i != p) {
        double *to = a + (size_t)i * n;
        const double f = to[p];
        to[p] = 0;
#pragma omp simd
        for (int j = 0; j < n; j++)
          to[j] -= f * row[j];
      }
  }
  for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
    inverse[i] = (float)(0.5 * (a[i] + a[i % (size_t)n * (size_t)n + i / (size_t)n]));
  return IG_OK;
}

static ig_status dense_solve(ig_ctx *cx, const int32_t *place, int n, const float *inverse,
                             const float *b, float *x) {
  float *r;
  IG_TRY(IG_NEW(cx, &r, n, "coarse right-hand side"));
  for (int i = 0; i < n; i++)
    r[i] = b[place[i]];
  for (int i = 0; i < n; i++) {
    const float *row = inverse + (size_t)i * n;
    float s = 0;
#pragma omp simd reduction(+ : s)
    for (int j = 0; j < n; j++)
      s += row[j] * r[j];
    x[place[i]] = s;
  }
  free(r);
  return IG_OK;
}

/* --- conjugate gradients --- */

/* Sums per fixed chunk, then over chunks in order: the same for any number of threads. */
enum { CHUNK = 1 << 13 };
#define CHUNKED(n, sum, body)                                                                      \
  do {                                                                                             \
    const int64_t chunks_ = ((n) + CHUNK - 1) / CHUNK;                                             \
    double *part_;                                                                                 \
    IG_TRY(IG_NEW(cx, &part_, chunks_, "reduction"));                                              \
    _Pragma("omp parallel for schedule(static) num_threads(cx->threads)") for (int64_t c_ = 0;     \
                                                                               c_ < chunks_;       \
                                                                               c_++) {             \
      const int64_t end_ = (c_ + 1) * CHUNK < (n) ? (c_ + 1) * CHUNK : (n);                        \
      double s = 0;                                                                                \
      _Pragma("omp simd reduction(+ : s)") for (int64_t i = c_ * CHUNK; i < end_; i++)             \
          body part_[c_] = s;                                                                      \
    }                                                                                              \
    (sum) = 0;                                                                                     \
    for (int64_t c_ = 0; c_ < chunks_; c_++)                                                       \
      (sum) += part_[c_];                                                                          \
    free(part_);                                                                                   \
  } while (0)

static ig_status cg_residual(ig_ctx *cx, int64_t n, const double *f, double *r, float *r32,
                             ig_cg_state *state) {
  ig_cg_scalars *sc = &state->s;
  CHUNKED(n, sc->rr, {
    r[i] = f[i] - r[i];
    r32[i] = (float)r[i];
    s += r[i] * r[i];
  });
  return IG_OK;
}

static ig_status cg_update(ig_ctx *cx, int64_t n, const double *p, const double *ap, double *x,
                           double *r, float *r32, ig_cg_state *state) {
  ig_cg_scalars *sc = &state->s;
  const double alpha = sc->pap != 0 ? sc->rz / sc->pap : 0;
  CHUNKED(n, sc->rr, {
    x[i] += alpha * p[i];
    r[i] -= alpha * ap[i];
    r32[i] = (float)r[i];
    s += r[i] * r[i];
  });
  return IG_OK;
}

static ig_status cg_direction(ig_ctx *cx, int64_t n, const double *r, const float *z, double *p,
                              bool first, ig_cg_state *state) {
  ig_cg_scalars *sc = &state->s;
  const double last = sc->rz;
  CHUNKED(n, sc->rz, { s += r[i] * (double)z[i]; });
  sc->rz_last = last;
  const double beta = first || last == 0 ? 0 : sc->rz / last;
#pragma omp parallel for simd schedule(static) num_threads(cx->threads)
  for (int64_t i = 0; i < n; i++)
    p[i] = (double)z[i] + beta * p[i];
  return IG_OK;
}

/* --- sensitivities --- */

IG_HD void energy_row(const int dim, const int dof, const ig_grid_args_f64 *g, int64_t place,
                      const double *u, const double *v, double scale, double keep, double *out) {
  const int nodes = 1 << dim;
#pragma GCC ivdep
  for (int i = 0; i < g->n[0]; i++) {
    double a[24], b[24], w[24], s = 0;
    IG_FULL_UNROLL
    for (int c = 0; c < dof; c++) {
      IG_FULL_UNROLL
      for (int q = 0; q < nodes; q++) {
        const int64_t at =
            c * g->stored + place + i + (q & 1) + (q >> 1 & 1) * g->row + (q >> 2) * g->plane;
        a[c * 8 + q] = u[at];
        b[c * 8 + q] = v[at];
      }
    }
    IG_FULL_UNROLL
    for (int d = 0; d < dim; d++) {
      butterfly_f64(dim, dof, d, a);
      butterfly_f64(dim, dof, d, b);
    }
    mode_product_f64(dim, dof, g->b, 1, b, w);
    IG_FULL_UNROLL
    for (int c = 0; c < dof; c++) {
      IG_FULL_UNROLL
      for (int m = 0; m < nodes; m++)
        s += a[c * 8 + m] * w[c * 8 + m];
    }
    out[place + i] = scale * s + (keep != 0 ? out[place + i] : 0);
  }
}

static ig_status energy(ig_ctx *cx, const ig_grid_args_f64 *g, const double *u, const double *v,
                        double scale, bool add, double *out) {
  const int nz = g->dim == 3 ? g->n[2] : 1;
  const int64_t rows = (int64_t)g->n[1] * nz;
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (int64_t row = 0; row < rows; row++) {
    const int64_t place = g->first + row % g->n[1] * g->row + row / g->n[1] * g->plane;
    if (g->dim == 3 && g->dof == 3)
      energy_row(3, 3, g, place, u, v, scale, add, out);
    else if (g->dim == 3)
      energy_row(3, 1, g, place, u, v, scale, add, out);
    else if (g->dof == 2)
      energy_row(2, 2, g, place, u, v, scale, add, out);
    else
      energy_row(2, 1, g, place, u, v, scale, add, out);
  }
  return IG_OK;
}

const ig_grid_ops ig_grid_cpu = {.apply = apply,
                                 .sweep = sweep,
                                 .start = start,
                                 .restricts = restricts,
                                 .prolong = prolong,
                                 .to_single = to_single,
                                 .node_inverse = node_inverse,
                                 .coarsen_fine = coarsen_fine,
                                 .coarsen = coarsen,
                                 .stencil = stencil,
                                 .coarse_springs = coarse_springs,
                                 .coarse_inverse = coarse_inverse,
                                 .dense_invert = dense_invert,
                                 .dense_solve = dense_solve,
                                 .cg_residual = cg_residual,
                                 .cg_update = cg_update,
                                 .cg_direction = cg_direction,
                                 .energy = energy};
