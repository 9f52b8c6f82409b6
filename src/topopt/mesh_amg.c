/* Smoothed aggregation: the hierarchy, made on the host, and the cycle.

     matrix of a level, blocks of 3x3 (then 6x6)
       strong neighbours form aggregates
       rigid-body modes, cut to aggregates and made orthonormal: the tentative prolongator
       one Jacobi step on it: the prolongator P
       P^T A P: the matrix of the next level
     until a dense inverse is cheap  */
#include "topopt/mesh_amg.h"
#include "backend/backend.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { MODES = IG_AMG_BLOCK, DENSE = 400, POWER_STEPS = 15 };
static const double STRONG = 0.08; /* |a_ij|^2 > STRONG^2 |a_ii| |a_jj| */
static const double RANGE = 8;     /* the smoother takes care of the upper part of the spectrum */

struct ig_amg {
  ig_ctx *cx;
  const ig_amg_ops *ops;
  ig_amg_problem problem;
  ig_ebe op; /* single precision */
  ig_csr around;
  ig_coloring coloring;
  ig_lid *start, *column; /* pattern of the finest matrix */
  double *host_modulus;
  ig_array modulus, dense;
  int dense_n, levels;
  ig_amg_level level[IG_AMG_LEVELS];
};

/* --- block matrices on the host --- */

typedef struct {
  ig_lid rows, cols;
  int br, bc;
  ig_lid *start, *column;
  double *value;
} matrix;

static void matrix_free(matrix *m) {
  free(m->start);
  free(m->column);
  free(m->value);
  memset(m, 0, sizeof *m);
}

static int thread_now(void) {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

static bool is_zero(const double *v, int n) {
  for (int i = 0; i < n; i++)
    if (v[i] != 0)
      return false;
  return true;
}

/* c = a b; blocks of a that are zero count as absent. */
static ig_status multiply(ig_ctx *cx, const matrix *a, const matrix *b, matrix *c) {
  const int br = a->br, bk = a->bc, bc = b->bc;
  ig_lid *marks = NULL;
  *c = (matrix){.rows = a->rows, .cols = b->cols, .br = br, .bc = bc};
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &c->start, (size_t)a->rows + 1, "multigrid matrix"));
  IG_TRY_GOTO(status, done,
              IG_NEW(cx, &marks, (size_t)cx->threads * (size_t)b->cols, "multigrid setup"));
  for (int pass = 0; pass < 2; pass++) { /* count, then fill */
    memset(marks, 0xff, sizeof *marks * (size_t)cx->threads * (size_t)b->cols);
#pragma omp parallel for schedule(static) num_threads(cx->threads)
    for (ig_lid i = 0; i < a->rows; i++) {
      ig_lid *mark = marks + (size_t)thread_now() * (size_t)b->cols;
      const ig_lid first = pass ? c->start[i] : 0;
      ig_lid n = first;
      for (ig_lid k = a->start[i]; k < a->start[i + 1]; k++) {
        const double *av = a->value + (size_t)k * (size_t)(br * bk);
        if (is_zero(av, br * bk))
          continue;
        const ig_lid row = a->column[k];
        for (ig_lid j = b->start[row]; j < b->start[row + 1]; j++) {
          const ig_lid col = b->column[j];
          if (!pass) {
            n += mark[col] != i;
            mark[col] = i;
            continue;
          }
          if (mark[col] < first || mark[col] >= n) {
            mark[col] = n;
            c->column[n++] = col;
          }
          const double *bv = b->value + (size_t)j * (size_t)(bk * bc);
          double *cv = c->value + (size_t)mark[col] * (size_t)(br * bc);
          for (int r = 0; r < br; r++)
            for (int m = 0; m < bk; m++)
              for (int s = 0; s < bc; s++)
                cv[r * bc + s] += av[r * bk + m] * bv[m * bc + s];
        }
      }
      if (!pass)
        c->start[i + 1] = n;
    }
    if (pass == 0) {
      for (ig_lid i = 0; i < a->rows; i++)
        c->start[i + 1] += c->start[i];
      const size_t blocks = (size_t)c->start[a->rows];
      IG_TRY_GOTO(status, done, IG_NEW(cx, &c->column, blocks, "multigrid matrix"));
      IG_TRY_GOTO(status, done,
                  IG_NEW(cx, &c->value, blocks * (size_t)(br * bc), "multigrid matrix"));
    }
  }
done:
  free(marks);
  if (status != IG_OK)
    matrix_free(c);
  return status;
}

static ig_status transpose(ig_ctx *cx, const matrix *a, matrix *t) {
  const int br = a->br, bc = a->bc;
  const size_t blocks = (size_t)a->start[a->rows];
  *t = (matrix){.rows = a->cols, .cols = a->rows, .br = bc, .bc = br};
  ig_status status;
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &t->start, (size_t)a->cols + 2, "multigrid matrix"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &t->column, blocks, "multigrid matrix"));
  IG_TRY_GOTO(status, failed,
              IG_NEW(cx, &t->value, blocks * (size_t)(br * bc), "multigrid matrix"));
  for (size_t k = 0; k < blocks; k++)
    t->start[a->column[k] + 2]++;
  for (ig_lid i = 0; i <= a->cols; i++)
    t->start[i + 1] += t->start[i];
  for (ig_lid i = 0; i < a->rows; i++)
    for (ig_lid k = a->start[i]; k < a->start[i + 1]; k++) {
      const ig_lid at = t->start[a->column[k] + 1]++;
      t->column[at] = i;
      for (int r = 0; r < br; r++)
        for (int c = 0; c < bc; c++)
          t->value[(size_t)at * (size_t)(br * bc) + (size_t)(c * br + r)] =
              a->value[(size_t)k * (size_t)(br * bc) + (size_t)(r * bc + c)];
    }
  return IG_OK;
failed:
  matrix_free(t);
  return status;
}

static double *block_at(const matrix *a, ig_lid i, ig_lid j) {
  for (ig_lid k = a->start[i]; k < a->start[i + 1]; k++)
    if (a->column[k] == j)
      return a->value + (size_t)k * (size_t)(a->br * a->bc);
  return NULL;
}

/* Inverse of a small symmetric matrix by elimination; directions without stiffness get none. */
static void small_invert(int n, const double *a, double *inverse) {
  double m[MODES][2 * MODES] = {{0}};
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      m[i][j] = a[i * n + j];
    m[i][n + i] = 1;
  }
  for (int k = 0; k < n; k++) {
    if (!(m[k][k] > 1e-12 * fabs(a[k * n + k])) || !(m[k][k] > 0)) {
      for (int i = 0; i < n; i++)
        m[i][k] = m[k][i] = m[k][n + i] = 0;
      continue;
    }
    const double s = 1 / m[k][k];
    for (int j = 0; j < 2 * n; j++)
      m[k][j] *= s;
    for (int i = 0; i < n; i++)
      if (i != k && m[i][k] != 0) {
        const double f = m[i][k];
        for (int j = 0; j < 2 * n; j++)
          m[i][j] -= f * m[k][j];
      }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      inverse[i * n + j] = 0.5 * (m[i][n + j] + m[j][n + i]);
}

/* --- the finest matrix --- */

/* Gradients of the shape functions at a point, and the determinant. */
static double gradients(const double *x, int q, double g[8][3]) {
  const double s = 0.57735026918962576;
  const double at[3] = {q & 1 ? s : -s, q & 2 ? s : -s, q & 4 ? s : -s};
  double dn[8][3], j[3][3] = {{0}};
  for (int a = 0; a < 8; a++) {
    const double sign[3] = {(a & 3) == 1 || (a & 3) == 2 ? 1 : -1, a & 2 ? 1 : -1, a & 4 ? 1 : -1};
    for (int d = 0; d < 3; d++) {
      dn[a][d] = 0.125 * sign[d] * (1 + sign[(d + 1) % 3] * at[(d + 1) % 3]) *
                 (1 + sign[(d + 2) % 3] * at[(d + 2) % 3]);
      for (int c = 0; c < 3; c++)
        j[d][c] += dn[a][d] * x[3 * a + c];
    }
  }
  double cof[3][3];
  for (int d = 0; d < 3; d++)
    for (int c = 0; c < 3; c++) {
      const int d1 = (d + 1) % 3, d2 = (d + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      cof[d][c] = j[d1][c1] * j[d2][c2] - j[d1][c2] * j[d2][c1];
    }
  const double det = j[0][0] * cof[0][0] + j[0][1] * cof[0][1] + j[0][2] * cof[0][2];
  for (int a = 0; a < 8; a++)
    for (int c = 0; c < 3; c++)
      g[a][c] = (dn[a][0] * cof[0][c] + dn[a][1] * cof[1][c] + dn[a][2] * cof[2][c]) / det;
  return det;
}

static int by_number(const void *a, const void *b) {
  return (*(const ig_lid *)a > *(const ig_lid *)b) - (*(const ig_lid *)a < *(const ig_lid *)b);
}

/* Which nodes share an element, in rising order. */
static ig_status make_pattern(ig_amg *s) {
  const ig_lid nodes = s->problem.nodes;
  ig_lid *mark, *list;
  IG_TRY(IG_NEW(s->cx, &s->start, (size_t)nodes + 1, "multigrid pattern"));
  IG_TRY(IG_NEW(s->cx, &mark, nodes, "multigrid setup"));
  ig_status status = IG_OK;
  for (int pass = 0; pass < 2 && status == IG_OK; pass++) {
    memset(mark, 0xff, sizeof *mark * (size_t)nodes);
    for (ig_lid n = 0; n < nodes; n++) {
      ig_lid count = 0;
      list = pass ? s->column + s->start[n] : NULL;
      for (ig_lid i = s->around.start[n]; i < s->around.start[n + 1]; i++)
        for (int a = 0; a < 8; a++) {
          const ig_lid m = s->problem.conn[8 * (size_t)s->around.item[i] + (size_t)a];
          if (mark[m] == n)
            continue;
          mark[m] = n;
          if (pass)
            list[count] = m;
          count++;
        }
      if (pass)
        qsort(list, (size_t)count, sizeof *list, by_number);
      else
        s->start[n + 1] = s->start[n] + count;
    }
    if (pass == 0)
      status = IG_NEW(s->cx, &s->column, (size_t)s->start[nodes], "multigrid pattern");
  }
  free(mark);
  return status;
}

static void add_element(const ig_amg *s, ig_lid e, double lame, double shear, matrix *a) {
  const ig_lid *node = s->problem.conn + 8 * (size_t)e;
  double x[24], g[8][8][3], w[8];
  for (int i = 0; i < 24; i++)
    x[i] = s->problem.x[3 * (size_t)node[i / 3] + (size_t)(i % 3)];
  for (int q = 0; q < 8; q++)
    w[q] = s->host_modulus[e] * gradients(x, q, g[q]);
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      double k[9] = {0}, *to;
      for (int q = 0; q < 8; q++) {
        const double *p = g[q][i], *r = g[q][j];
        const double dot = shear * w[q] * (p[0] * r[0] + p[1] * r[1] + p[2] * r[2]);
        for (int c = 0; c < 3; c++) {
          for (int d = 0; d < 3; d++)
            k[3 * c + d] += w[q] * (lame * p[c] * r[d] + shear * p[d] * r[c]);
          k[4 * c] += dot;
        }
      }
      const ig_lid *row = s->column + s->start[node[i]];
      const ig_lid *at = bsearch(&node[j], row, (size_t)(s->start[node[i] + 1] - s->start[node[i]]),
                                 sizeof *row, by_number);
      to = a->value + 9 * (size_t)(at - s->column);
      for (int c = 0; c < 9; c++)
        to[c] += k[c];
    }
}

static ig_status assemble(ig_amg *s, matrix *a) {
  const ig_amg_problem *p = &s->problem;
  const size_t blocks = (size_t)s->start[p->nodes];
  const double shear = 0.5 / (1 + p->poisson),
               lame = p->poisson / ((1 + p->poisson) * (1 - 2 * p->poisson));
  *a = (matrix){.rows = p->nodes, .cols = p->nodes, .br = 3, .bc = 3};
  ig_status status;
  IG_TRY_GOTO(status, failed, IG_NEW(s->cx, &a->start, (size_t)p->nodes + 1, "multigrid matrix"));
  IG_TRY_GOTO(status, failed, IG_NEW(s->cx, &a->column, blocks, "multigrid matrix"));
  IG_TRY_GOTO(status, failed, IG_NEW(s->cx, &a->value, 9 * blocks, "multigrid matrix"));
  memcpy(a->start, s->start, sizeof *a->start * ((size_t)p->nodes + 1));
  memcpy(a->column, s->column, sizeof *a->column * blocks);
  for (int color = 0; color < s->coloring.colors; color++)
#pragma omp parallel for schedule(static) num_threads(s->cx->threads)
    for (ig_lid i = s->coloring.start[color]; i < s->coloring.start[color + 1]; i++)
      add_element(s, s->coloring.order[i], lame, shear, a);
      /* springs; held unknowns are cut off, their diagonal stays */
#pragma omp parallel for schedule(static) num_threads(s->cx->threads)
  for (ig_lid n = 0; n < p->nodes; n++)
    for (ig_lid k = a->start[n]; k < a->start[n + 1]; k++) {
      const ig_lid m = a->column[k];
      double *v = a->value + 9 * (size_t)k;
      for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++) {
          if (n == m && c == d)
            v[4 * c] += p->spring ? p->spring[3 * (size_t)n + (size_t)c] : 0;
          else if ((p->fix[n] >> c & 1) || (p->fix[m] >> d & 1))
            v[3 * c + d] = 0;
        }
    }
  return IG_OK;
failed:
  matrix_free(a);
  return status;
}

/* Rigid-body motions about the middle of the mesh, 0 where held: nodes x 3 x 6. */
static ig_status rigid_modes(const ig_amg *s, double **modes) {
  const ig_amg_problem *p = &s->problem;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double size = 0;
  for (size_t i = 0; i < 3 * (size_t)p->nodes; i++) {
    low[i % 3] = fmin(low[i % 3], p->x[i]);
    high[i % 3] = fmax(high[i % 3], p->x[i]);
  }
  for (int d = 0; d < 3; d++)
    size = fmax(size, high[d] - low[d]);
  IG_TRY(IG_NEW(s->cx, modes, 18 * (size_t)p->nodes, "rigid-body modes"));
  for (ig_lid n = 0; n < p->nodes; n++) {
    double *m = *modes + 18 * (size_t)n, y[3];
    for (int d = 0; d < 3; d++)
      y[d] = (p->x[3 * (size_t)n + (size_t)d] - 0.5 * (low[d] + high[d])) / size;
    const double all[18] = {1,     0, 0,    0, y[2], -y[1], 0,    1,     0,
                            -y[2], 0, y[0], 0, 0,    1,     y[1], -y[0], 0};
    for (int i = 0; i < 18; i++)
      m[i] = p->fix[n] >> (i / 6) & 1 ? 0 : all[i];
  }
  return IG_OK;
}

/* --- coarsening --- */

static double norm2(const double *v, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += v[i] * v[i];
  return s;
}

/* Aggregates of strongly coupled nodes: -1 where a node is coupled to none. */
static ig_status aggregate(ig_ctx *cx, const matrix *a, double strong, ig_lid *of, ig_lid *count) {
  const int size = a->br * a->bc;
  double *diagonal;
  uint8_t *strength;
  IG_TRY(IG_NEW(cx, &diagonal, a->rows, "aggregation"));
  ig_status status = IG_NEW(cx, &strength, (size_t)a->start[a->rows], "aggregation");
  if (status != IG_OK) {
    free(diagonal);
    return status;
  }
  for (ig_lid i = 0; i < a->rows; i++) {
    const double *d = block_at(a, i, i);
    diagonal[i] = d ? sqrt(norm2(d, size)) : 0;
    of[i] = -1;
  }
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (ig_lid i = 0; i < a->rows; i++)
    for (ig_lid k = a->start[i]; k < a->start[i + 1]; k++)
      strength[k] = a->column[k] != i && norm2(a->value + (size_t)k * (size_t)size, size) >
                                             strong * strong * diagonal[i] * diagonal[a->column[k]];
  *count = 0;
  for (int pass = 0; pass < 3; pass++)
    for (ig_lid i = 0; i < a->rows; i++) {
      if (of[i] >= 0)
        continue;
      bool any = false, taken = false;
      ig_lid join = -1;
      for (ig_lid k = a->start[i]; k < a->start[i + 1]; k++)
        if (strength[k]) {
          const ig_lid n = of[a->column[k]];
          any = true;
          taken |= n >= 0;
          if (join < 0 && n >= 0 && n < *count)
            join = n;
        }
      if (!any)
        continue;
      if (pass == 1) { /* left over between aggregates: joins one of the first pass */
        if (join >= 0)
          of[i] = join;
        continue;
      }
      if (pass == 0 && taken) /* a root wants all its neighbours to itself */
        continue;
      of[i] = *count;
      for (ig_lid k = a->start[i]; k < a->start[i + 1]; k++)
        if (strength[k] && of[a->column[k]] < 0)
          of[a->column[k]] = *count;
      ++*count;
    }
  free(diagonal);
  free(strength);
  return IG_OK;
}

/* The modes cut to aggregates and made orthonormal, one block a node; what is lost are the modes of
   the aggregates. Columns that an aggregate cannot tell apart stay empty. */
static ig_status tentative(ig_ctx *cx, ig_lid nodes, int size, const ig_lid *of, ig_lid count,
                           const double *modes, matrix *p, double **coarse) {
  ig_csr members = {0};
  ig_status status;
  *p = (matrix){.rows = nodes, .cols = count, .br = size, .bc = MODES};
  *coarse = NULL;
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &p->start, (size_t)nodes + 1, "prolongator"));
  for (ig_lid i = 0; i < nodes; i++)
    p->start[i + 1] = p->start[i] + (of[i] >= 0);
  const size_t blocks = (size_t)p->start[nodes], width = (size_t)size * MODES;
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &p->column, blocks, "prolongator"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &p->value, blocks * width, "prolongator"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, coarse, (size_t)count * MODES * MODES, "coarse modes"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &members.start, (size_t)count + 2, "aggregates"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &members.item, blocks, "aggregates"));
  for (ig_lid i = 0; i < nodes; i++)
    if (of[i] >= 0)
      members.start[of[i] + 2]++;
  for (ig_lid g = 0; g <= count; g++)
    members.start[g + 1] += members.start[g];
  for (ig_lid i = 0; i < nodes; i++)
    if (of[i] >= 0) {
      members.item[members.start[of[i] + 1]++] = i;
      p->column[p->start[i]] = of[i];
      memcpy(p->value + (size_t)p->start[i] * width, modes + (size_t)i * width,
             width * sizeof *modes);
    }
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (ig_lid g = 0; g < count; g++) {
    const ig_lid *item = members.item + members.start[g];
    const ig_lid n = members.start[g + 1] - members.start[g];
    double *r = *coarse + (size_t)g * MODES * MODES;
#define EACH(v)                                                                                    \
  for (ig_lid m = 0; m < n; m++)                                                                   \
    for (double *v = p->value + (size_t)p->start[item[m]] * width, *v##_end = v + width;           \
         v < v##_end; v += MODES)
    for (int c = 0; c < MODES; c++) {
      double before = 0, after = 0;
      EACH(v) before += v[c] * v[c];
      for (int again = 0; again < 2; again++)
        for (int o = 0; o < c; o++) {
          double dot = 0;
          EACH(v) dot += v[c] * v[o];
          EACH(v) v[c] -= dot * v[o];
          r[o * MODES + c] += dot;
        }
      EACH(v) after += v[c] * v[c];
      const double norm = after > 1e-14 * before && after > 0 ? sqrt(after) : 0;
      EACH(v) v[c] = norm > 0 ? v[c] / norm : 0;
      r[c * MODES + c] = norm;
    }
#undef EACH
  }
  ig_csr_free(&members);
  return IG_OK;
failed:
  ig_csr_free(&members);
  matrix_free(p);
  free(*coarse);
  *coarse = NULL;
  return status;
}

/* Largest eigenvalue of D^-1 A, from below, by power steps; a margin on top. */
static ig_status largest(ig_ctx *cx, const matrix *a, const double *inverse, double *lambda) {
  const int b = a->br;
  const size_t n = (size_t)a->rows * (size_t)b;
  double *x, *y;
  uint32_t seed = 1;
  IG_TRY(IG_NEW(cx, &x, 2 * n, "power iteration"));
  y = x + n;
  for (size_t i = 0; i < n; i++) {
    seed = 1664525U * seed + 1013904223U;
    x[i] = (double)seed / 4294967296.0 - 0.5;
  }
  *lambda = 1;
  for (int step = 0; step < POWER_STEPS; step++) {
    double s = 0;
#pragma omp parallel for schedule(static) num_threads(cx->threads)
    for (ig_lid i = 0; i < a->rows; i++) {
      double r[MODES] = {0};
      for (ig_lid k = a->start[i]; k < a->start[i + 1]; k++) {
        const double *v = a->value + (size_t)k * (size_t)(b * b);
        const double *xv = x + (size_t)a->column[k] * (size_t)b;
        for (int c = 0; c < b; c++)
          for (int d = 0; d < b; d++)
            r[c] += v[c * b + d] * xv[d];
      }
      for (int c = 0; c < b; c++) {
        double t = 0;
        for (int d = 0; d < b; d++)
          t += inverse[((size_t)i * (size_t)b + (size_t)c) * (size_t)b + (size_t)d] * r[d];
        y[(size_t)i * (size_t)b + (size_t)c] = t;
      }
    }
    for (size_t i = 0; i < n; i++)
      s += y[i] * y[i];
    s = sqrt(s);
    double before = 0;
    for (size_t i = 0; i < n; i++)
      before += x[i] * x[i];
    *lambda = before > 0 && s > 0 ? s / sqrt(before) : 1;
    for (size_t i = 0; i < n; i++)
      x[i] = s > 0 ? y[i] / s : 0;
  }
  *lambda *= 1.1;
  free(x);
  return IG_OK;
}

/* p0 becomes p = (I - 4 / (3 lambda) D^-1 A) p0. */
static ig_status smooth_prolongator(ig_ctx *cx, const matrix *a, const double *inverse,
                                    double lambda, const matrix *p0, matrix *p) {
  const int b = a->br;
  const double omega = 4 / (3 * lambda);
  IG_TRY(multiply(cx, a, p0, p));
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (ig_lid i = 0; i < p->rows; i++)
    for (ig_lid k = p->start[i]; k < p->start[i + 1]; k++) {
      double *v = p->value + (size_t)k * (size_t)(b * MODES), t[MODES * MODES] = {0};
      const double *d = inverse + (size_t)i * (size_t)(b * b);
      for (int r = 0; r < b; r++)
        for (int m = 0; m < b; m++)
          for (int c = 0; c < MODES; c++)
            t[r * MODES + c] -= omega * d[r * b + m] * v[m * MODES + c];
      const bool own = p0->start[i] < p0->start[i + 1] && p0->column[p0->start[i]] == p->column[k];
      const double *q = own ? p0->value + (size_t)p0->start[i] * (size_t)(b * MODES) : NULL;
      for (int r = 0; r < b * MODES; r++)
        v[r] = t[r] + (q ? q[r] : 0);
    }
  return IG_OK;
}

/* --- to the device --- */

static ig_status push_single(ig_ctx *cx, ig_array *to, const double *from, size_t n) {
  IG_TRY(ig_array_new(cx, to, n, sizeof(float), "multigrid"));
  for (size_t i = 0; i < n; i++)
    ((float *)to->host)[i] = (float)from[i];
  return ig_array_push(cx, to);
}

static ig_status push_matrix(ig_ctx *cx, const matrix *m, ig_array *start, ig_array *column,
                             ig_array *value, ig_bsr *view) {
  const size_t blocks = (size_t)m->start[m->rows];
  IG_TRY(ig_array_from(cx, start, m->start, (size_t)m->rows + 1, sizeof(ig_lid), "multigrid"));
  IG_TRY(ig_array_from(cx, column, m->column, blocks, sizeof(ig_lid), "multigrid"));
  IG_TRY(push_single(cx, value, m->value, blocks * (size_t)(m->br * m->bc)));
  *view = (ig_bsr){m->rows, m->br, m->bc, start->dev, column->dev, value->dev};
  return IG_OK;
}

static ig_status push_dense(ig_amg *s, const matrix *a) {
  const int b = a->br, n = a->rows * b;
  double *m, *inverse;
  ig_status status;
  IG_TRY(IG_NEW(s->cx, &m, 2 * (size_t)n * (size_t)n, "coarsest matrix"));
  inverse = m + (size_t)n * (size_t)n;
  for (ig_lid i = 0; i < a->rows; i++)
    for (ig_lid k = a->start[i]; k < a->start[i + 1]; k++)
      for (int e = 0; e < b * b; e++)
        m[(size_t)(i * b + e / b) * (size_t)n + (size_t)(a->column[k] * b + e % b)] =
            a->value[(size_t)k * (size_t)(b * b) + (size_t)e];
  /* Cholesky; a pivot lost to rounding takes its unknown out */
  for (int j = 0; j < n; j++) {
    double *mj = m + (size_t)j * (size_t)n, d = mj[j];
    const double own = d;
    for (int k = 0; k < j; k++)
      d -= mj[k] * mj[k];
    mj[j] = d > 1e-13 * own && d > 0 ? sqrt(d) : 0;
#pragma omp parallel for schedule(static) num_threads(s->cx->threads) if (n - j > 200)
    for (int i = j + 1; i < n; i++) {
      double *mi = m + (size_t)i * (size_t)n, t = mi[j];
      for (int k = 0; k < j; k++)
        t -= mi[k] * mj[k];
      mi[j] = mj[j] > 0 ? t / mj[j] : 0;
    }
  }
#pragma omp parallel for schedule(static) num_threads(s->cx->threads)
  for (int c = 0; c < n; c++) { /* row c of the inverse, which is symmetric */
    double *x = inverse + (size_t)c * (size_t)n;
    for (int i = c; i < n; i++) {
      const double *mi = m + (size_t)i * (size_t)n;
      double t = i == c;
      for (int k = c; k < i; k++)
        t -= mi[k] * x[k];
      x[i] = mi[i] > 0 ? t / mi[i] : 0;
    }
    for (int i = n - 1; i >= 0; i--) {
      double t = x[i];
      for (int k = i + 1; k < n; k++)
        t -= m[(size_t)k * (size_t)n + (size_t)i] * x[k];
      const double d = m[(size_t)i * (size_t)n + (size_t)i];
      x[i] = d > 0 ? t / d : 0;
    }
  }
  s->dense_n = n;
  status = push_single(s->cx, &s->dense, inverse, (size_t)n * (size_t)n);
  free(m);
  return status;
}

static void level_free(ig_ctx *cx, ig_amg_level *l) {
  ig_array *const arrays[] = {&l->inverse,  &l->a_start, &l->a_column, &l->a_value,  &l->p_start,
                              &l->p_column, &l->p_value, &l->r_start,  &l->r_column, &l->r_value,
                              &l->b,        &l->x,       &l->d,        &l->ax};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(cx, arrays[i]);
  memset(l, 0, sizeof *l);
}

static ig_status level_vectors(ig_ctx *cx, ig_amg_level *l) {
  const size_t n = (size_t)l->nodes * (size_t)l->size;
  ig_array *const arrays[] = {&l->b, &l->x, &l->d, &l->ax};
  for (int i = 0; i < 4; i++)
    IG_TRY(ig_array_new_device(cx, arrays[i], n, sizeof(float), "multigrid vectors"));
  return IG_OK;
}

/* --- the hierarchy --- */

/* One level: smoother data, and unless it is the coarsest the next matrix in *a and its modes. */
static ig_status make_level(ig_amg *s, int depth, matrix *a, double **modes, bool *last) {
  ig_ctx *cx = s->cx;
  ig_amg_level *l = &s->level[depth];
  const int b = a->br;
  matrix p0 = {0}, p = {0}, r = {0}, ap = {0}, next = {0};
  double *inverse = NULL, *coarse = NULL;
  ig_lid *of = NULL, count = 0;
  ig_status status;
  l->nodes = a->rows;
  l->size = b;
  IG_TRY_GOTO(status, done, level_vectors(cx, l));
  if (depth > 0)
    IG_TRY_GOTO(status, done, push_matrix(cx, a, &l->a_start, &l->a_column, &l->a_value, &l->a));
  *last = (int64_t)a->rows * b <= DENSE;
  if (*last) {
    status = push_dense(s, a);
    goto done;
  }
  IG_TRY_GOTO(status, done, IG_NEW(cx, &inverse, (size_t)a->rows * (size_t)(b * b), "smoother"));
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (ig_lid i = 0; i < a->rows; i++) {
    const double *d = block_at(a, i, i);
    if (d)
      small_invert(b, d, inverse + (size_t)i * (size_t)(b * b));
  }
  IG_TRY_GOTO(status, done, largest(cx, a, inverse, &l->lambda));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &of, a->rows, "aggregates"));
  IG_TRY_GOTO(status, done, aggregate(cx, a, STRONG * pow(0.5, depth), of, &count));
  *last = depth + 1 == IG_AMG_LEVELS || count == 0 || count > 0.7 * a->rows;
  if (!*last) {
    IG_TRY_GOTO(status, done, tentative(cx, a->rows, b, of, count, *modes, &p0, &coarse));
    IG_TRY_GOTO(status, done, smooth_prolongator(cx, a, inverse, l->lambda, &p0, &p));
    IG_TRY_GOTO(status, done, transpose(cx, &p, &r));
    IG_TRY_GOTO(status, done, multiply(cx, a, &p, &ap));
    IG_TRY_GOTO(status, done, multiply(cx, &r, &ap, &next));
    IG_TRY_GOTO(status, done, push_matrix(cx, &p, &l->p_start, &l->p_column, &l->p_value, &l->p));
    IG_TRY_GOTO(status, done, push_matrix(cx, &r, &l->r_start, &l->r_column, &l->r_value, &l->r));
  }
  for (ig_lid i = 0; depth == 0 && i < a->rows; i++) /* what is held stays */
    for (int e = 0; e < b * b; e++)
      if ((s->problem.fix[i] >> (e / b) & 1) || (s->problem.fix[i] >> (e % b) & 1))
        inverse[(size_t)i * (size_t)(b * b) + (size_t)e] = 0;
  IG_TRY_GOTO(status, done,
              push_single(cx, &l->inverse, inverse, (size_t)a->rows * (size_t)(b * b)));
  if (!*last) {
    matrix_free(a);
    *a = next;
    free(*modes);
    *modes = coarse;
    memset(&next, 0, sizeof next);
    coarse = NULL;
  }
done:
  matrix_free(&p0);
  matrix_free(&p);
  matrix_free(&r);
  matrix_free(&ap);
  matrix_free(&next);
  free(inverse);
  free(coarse);
  free(of);
  return status;
}

static void clear(ig_amg *s) {
  for (int i = 0; i < IG_AMG_LEVELS; i++)
    level_free(s->cx, &s->level[i]);
  ig_array_free(s->cx, &s->dense);
  s->levels = s->dense_n = 0;
}

ig_status ig_amg_update(ig_amg *s, const double *modulus) {
  matrix a;
  double *modes = NULL;
  bool last = false;
  clear(s);
  IG_TRY(s->ops->to_single(s->cx, s->problem.elements, modulus, s->modulus.dev));
  IG_TRY(s->cx->backend->copy_out(s->cx, s->host_modulus, modulus,
                                  sizeof *modulus * (size_t)s->problem.elements));
  IG_TRY(assemble(s, &a));
  ig_status status = rigid_modes(s, &modes);
  while (status == IG_OK && !last)
    status = make_level(s, s->levels++, &a, &modes, &last);
  matrix_free(&a);
  free(modes);
  return status;
}

ig_status ig_amg_new(ig_ctx *cx, const ig_amg_problem *problem, ig_ebe_kind kind, ig_assembly race,
                     ig_amg **out) {
  const ig_amg_problem *p = problem;
  ig_amg *s;
  *out = NULL;
  IG_TRY(IG_NEW(cx, &s, 1, "multigrid"));
  s->cx = cx;
  s->ops = &ig_amg_cpu;
#ifdef INGOT_HAVE_CUDA
  if (cx->backend->kernels == IG_KERNELS_CUDA)
    s->ops = &ig_amg_cuda;
#endif
  s->problem = *p;
  ig_status status;
  IG_TRY_GOTO(
      status, failed,
      ig_ebe_new(cx, kind, race, true, p->nodes, p->x, p->elements, p->conn, p->poisson, &s->op));
  IG_TRY_GOTO(status, failed,
              ig_mesh_node_elements(cx, p->nodes, p->elements, 8, p->conn, &s->around));
  IG_TRY_GOTO(status, failed, ig_mesh_color(cx, p->nodes, p->elements, 8, p->conn, &s->coloring));
  IG_TRY_GOTO(status, failed, make_pattern(s));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &s->host_modulus, p->elements, "moduli"));
  IG_TRY_GOTO(status, failed,
              ig_array_new_device(cx, &s->modulus, (size_t)p->elements, sizeof(float), "moduli"));
  *out = s;
  return IG_OK;
failed:
  ig_amg_free(s);
  return status;
}

void ig_amg_free(ig_amg *s) {
  if (!s)
    return;
  clear(s);
  ig_ebe_free(s->cx, &s->op);
  ig_array_free(s->cx, &s->modulus);
  ig_csr_free(&s->around);
  ig_coloring_free(&s->coloring);
  free(s->start);
  free(s->column);
  free(s->host_modulus);
  free(s);
}

int ig_amg_levels(const ig_amg *s, int32_t *coarsest) {
  *coarsest = s->levels ? s->level[s->levels - 1].nodes : 0;
  return s->levels;
}

/* --- the cycle --- */

static ig_status product(ig_amg *s, int depth) {
  ig_amg_level *l = &s->level[depth];
  return depth ? s->ops->product(s->cx, &l->a, false, l->x.dev, l->ax.dev)
               : ig_ebe_apply(s->cx, &s->op, s->modulus.dev, l->x.dev, l->ax.dev);
}

/* Chebyshev steps on the upper part of the spectrum; `zero`: x is, to begin with. */
static ig_status smooth(ig_amg *s, int depth, const float *b, bool zero) {
  ig_amg_level *l = &s->level[depth];
  const double *spring = depth ? NULL : s->problem.spring_dev;
  const double high = l->lambda, low = high / RANGE;
  const double middle = 0.5 * (high + low), half = 0.5 * (high - low), sigma = middle / half;
  double rho = 1 / sigma, c0 = 0, c1 = 1 / middle;
  for (int k = 0; k < s->problem.steps; k++) {
    const bool first = zero && k == 0;
    if (!first)
      IG_TRY(product(s, depth));
    IG_TRY(s->ops->smooth(s->cx, l->nodes, l->size, l->inverse.dev, spring, b, l->ax.dev, first,
                          (float)c0, (float)c1, l->d.dev, l->x.dev));
    const double next = 1 / (2 * sigma - rho);
    c0 = next * rho;
    c1 = 2 * next / half;
    rho = next;
  }
  return IG_OK;
}

static ig_status cycle(ig_amg *s, int depth, const float *b) {
  ig_amg_level *l = &s->level[depth];
  if (depth == s->levels - 1 && s->dense_n)
    return s->ops->dense(s->cx, s->dense_n, s->dense.dev, b, l->x.dev);
  IG_TRY(smooth(s, depth, b, true));
  if (depth + 1 < s->levels) {
    ig_amg_level *c = &s->level[depth + 1];
    IG_TRY(product(s, depth));
    IG_TRY(s->ops->residual(s->cx, (int64_t)l->nodes * l->size,
                            depth ? NULL : s->problem.spring_dev, b, l->x.dev, l->ax.dev));
    IG_TRY(s->ops->product(s->cx, &l->r, false, l->ax.dev, c->b.dev));
    IG_TRY(cycle(s, depth + 1, c->b.dev));
    IG_TRY(s->ops->product(s->cx, &l->p, true, c->x.dev, l->x.dev));
  }
  return smooth(s, depth, b, false);
}

ig_status ig_amg_cycle(ig_amg *s, const float *r, const float **z) {
  *z = s->level[0].x.dev;
  return cycle(s, 0, r);
}
