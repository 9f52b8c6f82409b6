/* The levels of the hierarchy made anew for a design, on the CPU: Galerkin coarsening element by
   element. A coarse element's matrix is the sum over its children of T^T k T, T the linear
   interpolation from the parent's corners to the child's. The finest level has moduli only, so the
   first coarse matrices are sums of moduli times tabulated matrices; further ones are made from
   those of the level above. Each level then adds its element matrices to a stencil per node. */
#include "solver/grid/grid.h"
#include "core/threads.h"
#include "backend/backend.h"
#include "kern/hd.h"
#include "solver/grid/level.inc"
#include "solver/krylov/rows_cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ig_status ig_grid_cpu_to_single(ig_ctx *cx, int64_t n, const double *x, float *y) {
#pragma omp parallel for simd schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    y[i] = (float)x[i];
  return IG_OK;
}

/* The diagonal at a node of the finest level is the brick's diagonal times the sum of the moduli
   around: its inverse needs one number per node. Elements outside the grid have modulus 0 in the
   halo. */
ig_status ig_grid_cpu_node_inverse(ig_ctx *cx, const ig_grid_args_f32 *g, float *inverse) {
  const int64_t outer = g->dim == 3 ? g->plane : 0, rows = (int64_t)(g->n[1] + 1) * (g->n[2] + 1);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, rows, IG_WORK_ROW))
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

/* Only half of the symmetric stencil is stored; -1: the block is the mirror image of a stored one.
 */
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

/* parent += T^T k T, by child_rows twice: the first gives (T^T k)^T = k T, as k is symmetric. */
static void add_to_parent(int dim, int dof, int child, const float *k, float *parent) {
  const int size = (1 << dim) * dof;
  float once[576], twice[576];
  child_rows(dim, dof, child, k, once);
  child_rows(dim, dof, child, once, twice);
  for (int i = 0; i < size * size; i++)
    parent[i] += twice[i];
}

/* Elements of coarse levels are counted without a halo. */
static int64_t element_number(const ig_grid *g, int i, int j, int k) {
  return i + (int64_t)g->n[0] * (j + (int64_t)g->n[1] * k);
}

/* Coarse planes are taken in pairs, the children of one plane of the next level; pairs of one
   parity (in the whole grid) at a time touch no node in common, and every node sums in the same
   order always. Of a slab the ghosts below come, too, as plane -1. */
typedef void plane_fn(const void *arg, int k, float *work);
static ig_status for_planes(ig_ctx *cx, const ig_grid *g, size_t work_size, plane_fn *fn,
                            const void *arg) {
  /* in 2D rows of elements take the part of planes */
  const int planes = g->dim == 3 ? ig_grid_layers(g) : g->n[1], pairs = (planes + 1) / 2;
  const int below = ig_grid_below(g), odd = g->from / 2 & 1;
  const int team = ig_team(cx, ig_grid_elements(g), IG_WORK_ROW);
  float *work;
  IG_TRY(IG_NEW(cx, &work, (size_t)team * work_size, "coarsening work space"));
  for (int parity = 0; parity < 2; parity++) {
#pragma omp parallel for schedule(static, 1) num_threads(team)
    for (int t = 0; t < team; t++)
      for (int p = (parity ^ odd) - 2 * below + 2 * t; p < pairs; p += 2 * team)
        for (int k = 2 * p; k < 2 * p + 2 && k < planes; k++)
          if (k >= -below)
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

/* One plane of coarse elements, row by row: moduli of the children are gathered into rows, so that
   the sum over children is a vector loop over elements for each of the size^2 entries. Elements
   with supports have tables of their own (kind > 0) and are done again, one by one. Matrices then
   go to the stencil and, where there is a further level, to their parent's matrix. */
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
    for (int i = 0; a->next && k >= 0 && i < n; i++) {
      for (int m = 0; m < entries; m++)
        one[m] = matrix[(size_t)m * n + i];
      add_to_parent(dim, g->dof, (i & 1) | (j & 1) << 1 | (kk & 1) << 2, one,
                    a->next->element +
                        element_number(&a->next->grid, i / 2, j / 2, kk / 2) * entries);
    }
  }
}

ig_status ig_grid_cpu_scales(ig_ctx *cx, const ig_level *l) {
  EACH_NODE(cx, l, ig_scale_make(l, at));
  return IG_OK;
}

/* A whole stencil in single precision to a level in half. */
static ig_status to_half(ig_ctx *cx, const ig_level *whole, const ig_level *l) {
  const int each = l->grid.dof * l->grid.dof, width = l->grid.n[0] + 1;
  const int64_t rows = row_count(&l->grid), stored = l->grid.stored;
  memcpy(l->stencil, whole->stencil, (size_t)each * (size_t)stored * sizeof(float));
  IG_TRY(ig_grid_cpu_scales(cx, l));
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, rows, IG_WORK_ROW))
  for (int64_t row = 0; row < rows; row++) {
    const int64_t place = row_place(&l->grid, row);
    for (int m = 0; m < (l->blocks - 1) * each; m++) {
      const float *from = whole->stencil + (m + each) * stored + place, *u = l->unscale + place;
      const int64_t o = l->offset[1 + m / each];
      ig_half *to = l->half + m * stored + place;
      for (int i = 0; i < width; i++)
        to[i] = (ig_half)(u[i] * u[i + o] * from[i]);
    }
  }
  return IG_OK;
}

/* A level in half precision is summed in single first: sums of rounded terms would lose the small
   entries. */
ig_status ig_grid_cpu_coarsen_fine(ig_ctx *cx, const ig_level *fine, const ig_level *coarse,
                                   const ig_level *next, const uint16_t *kind, const float *table) {
  const ig_grid *g = &coarse->grid;
  const size_t size = (size_t)g->dof << g->dim,
               stencil = (size_t)coarse->blocks * g->dof * g->dof * (size_t)g->stored;
  ig_level whole = *coarse;
  if (coarse->half)
    IG_TRY(IG_NEW(cx, &whole.stencil, stencil, "stencil in single precision"));
  else
    memset(whole.stencil, 0, stencil * sizeof(float));
  if (next)
    memset(next->element, 0, (size_t)ig_grid_elements(&next->grid) * size * size * sizeof(float));
  const coarsen_arg arg = {fine, &whole, next, kind, table};
  ig_status status = for_planes(cx, g, size * size * (size_t)(g->n[0] + 1) + 8 * (size_t)g->n[0],
                                coarsen_fine_plane, &arg);
  if (coarse->half) {
    if (status == IG_OK)
      status = to_half(cx, &whole, coarse);
    free(whole.stencil);
    if (status == IG_OK && coarse->balance)
      EACH_NODE(cx, coarse, ig_half_balance(coarse, at, kind));
  }
  return status;
}

/* Element matrices of the next level from this one's: eight children, each T^T k T. */
static void coarsen_plane(const void *arg, int k, float *work) {
  (void)work;
  const coarsen_arg *a = arg;
  const ig_grid *f = &a->fine->grid, *g = &a->coarse->grid;
  if (k < 0) /* of another rank's parent */
    return;
  const int entries = (f->dof << f->dim) * (f->dof << f->dim), dim = f->dim;
  const int j0 = dim == 3 ? 0 : k, j1 = dim == 3 ? f->n[1] : k + 1, kk = dim == 3 ? k : 0;
  for (int j = j0; j < j1; j++)
    for (int i = 0; i < f->n[0]; i++)
      add_to_parent(dim, f->dof, (i & 1) | (j & 1) << 1 | (kk & 1) << 2,
                    a->fine->element + element_number(f, i, j, kk) * entries,
                    a->coarse->element + element_number(g, i / 2, j / 2, kk / 2) * entries);
}

/* Sums over children go to parents: planes of one parity at a time have no parent in common either.
 */
ig_status ig_grid_cpu_coarsen(ig_ctx *cx, const ig_level *fine, const ig_level *coarse) {
  const ig_grid *g = &coarse->grid;
  const size_t size = (size_t)g->dof << g->dim;
  memset(coarse->element, 0, (size_t)ig_grid_elements(g) * size * size * sizeof(float));
  const coarsen_arg arg = {fine, coarse, NULL, NULL, NULL};
  return for_planes(cx, &fine->grid, 1, coarsen_plane, &arg);
}

/* Transposes a row of element matrices to [entry][element], the form that add_row takes. */
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

ig_status ig_grid_cpu_stencil(ig_ctx *cx, const ig_level *level) {
  const ig_grid *g = &level->grid;
  const size_t size = (size_t)g->dof << g->dim;
  memset(level->stencil, 0,
         (size_t)level->blocks * g->dof * g->dof * (size_t)g->stored * sizeof(float));
  const coarsen_arg arg = {NULL, level, NULL, NULL, NULL};
  return for_planes(cx, g, size * size * (size_t)g->n[0], stencil_plane, &arg);
}

/* Few: one thread, in their order. */
ig_status ig_grid_cpu_coarse_springs(ig_ctx *cx, const ig_level *fine, const ig_level *l,
                                     int depth) {
  (void)cx;
  const int corners = 1 << l->grid.dim;
  for (int s = 0; s < fine->args.springs; s++)
    for (int pair = 0; pair < corners * corners; pair++)
      ig_spring_spread(&fine->args, l, depth, s, pair / corners, pair % corners);
  return IG_OK;
}

/* IG_COARSE_SHIFT raises the diagonal itself, not only its inverse: the operator and its smoother
   agree. */
ig_status ig_grid_cpu_coarse_inverse(ig_ctx *cx, const ig_level *l) {
  const int width = l->grid.n[0] + 1, dof = l->grid.dof;
  const int64_t rows = row_count(&l->grid), stored = l->grid.stored;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, rows, IG_WORK_ROW))
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
