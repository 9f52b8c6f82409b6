/* An assembled matrix of a grid and conjugate gradients by it, on one thread. */
#include "bench/topopt/bench_sparse.h"

#include <math.h>
#include <stdlib.h>

static int64_t node_of(const ig_multigrid *m, int i, int j, int k) {
  const int *n = m->args.n;
  return ((int64_t)k * (n[1] + 1) + j) * (n[0] + 1) + i;
}

static int64_t place_of(const ig_multigrid *m, int i, int j, int k) {
  return m->args.first + i + j * m->args.row + k * m->args.plane;
}

/* Entries of component r of node (i, j, k), the sum over the elements that two nodes share. */
static int64_t add_row(const ig_multigrid *m, ig_sparse *a, const int *at, int r, int64_t used) {
  const ig_grid_args_f64 *g = &m->args;
  const int dof = g->dof;
  const int64_t place = place_of(m, at[0], at[1], at[2]);
  const int64_t row = dof * node_of(m, at[0], at[1], at[2]) + r;
  const bool held = g->fix[place] >> r & 1;
  for (int q = 0; q < (g->dim == 3 ? 27 : 9); q++) {
    const int o[3] = {q % 3 - 1, q / 3 % 3 - 1, g->dim == 3 ? q / 9 - 1 : 0};
    double s[3] = {0};
    bool there = true;
    for (int d = 0; d < 3; d++)
      there = there && at[d] + o[d] >= 0 && at[d] + o[d] <= g->n[d];
    if (!there)
      continue;
    for (int c = 0; c < 1 << g->dim; c++) { /* the node is corner c of the element */
      const int b[3] = {(c & 1) + o[0], (c >> 1 & 1) + o[1], (c >> 2) + o[2]};
      if ((b[0] | b[1] | b[2]) & ~1)
        continue;
      const double e = g->modulus[place - (c & 1) - (c >> 1 & 1) * g->row - (c >> 2) * g->plane];
      for (int p = 0; p < dof; p++)
        s[p] += e * m->brick.k[c * dof + r][(b[0] + 2 * b[1] + 4 * b[2]) * dof + p];
    }
    const int64_t other = place + o[0] + o[1] * g->row + o[2] * g->plane;
    for (int p = 0; p < dof; p++) {
      const bool self = other == place && p == r;
      if (held || (g->fix[other] >> p & 1))
        s[p] = self ? 1 : 0;
      if (s[p] == 0)
        continue;
      a->column[used] = (int32_t)(dof * node_of(m, at[0] + o[0], at[1] + o[1], at[2] + o[2]) + p);
      a->value[used++] = s[p];
      if (self)
        a->diagonal[row] = s[p];
    }
  }
  return used;
}

static void add_springs(const ig_multigrid *m, ig_sparse *a) {
  const ig_grid_args_f64 *g = &m->args;
  for (int q = 0; q < g->springs; q++) {
    const ig_spring *s = &g->spring[q];
    const int64_t p = s->node - g->first;
    const int64_t k = p / g->plane, j = p % g->plane / g->row, i = p % g->row;
    const int64_t row = g->dof * node_of(m, (int)i, (int)j, (int)k) + s->component;
    if (g->fix[s->node] >> s->component & 1)
      continue;
    a->diagonal[row] += s->stiffness;
    for (int64_t e = a->first[row]; e < a->first[row + 1]; e++)
      if (a->column[e] == row)
        a->value[e] += s->stiffness;
  }
}

ig_status ig_sparse_assemble(const ig_multigrid *m, ig_sparse *a) {
  ig_ctx *cx = m->cx;
  const ig_grid_args_f64 *g = &m->args;
  const int64_t nodes = (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
  const int64_t most = (g->dim == 3 ? 27 : 9) * g->dof; /* entries of a row */
  *a = (ig_sparse){.rows = nodes * g->dof};
  if (a->rows > INT32_MAX)
    return IG_FAIL(cx, IG_INPUT, "too many unknowns for an assembled matrix");
  ig_status status;
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &a->first, a->rows + 1, "assembled matrix"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &a->column, a->rows * most, "assembled matrix"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &a->value, a->rows * most, "assembled matrix"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &a->diagonal, a->rows, "assembled matrix"));
  int64_t used = 0, row = 0;
  for (int64_t node = 0; node < nodes; node++) {
    const int at[3] = {(int)(node % (g->n[0] + 1)), (int)(node / (g->n[0] + 1) % (g->n[1] + 1)),
                       (int)(node / (g->n[0] + 1) / (g->n[1] + 1))};
    for (int r = 0; r < g->dof; r++) {
      used = add_row(m, a, at, r, used);
      a->first[++row] = used;
    }
  }
  add_springs(m, a);
  return IG_OK;
failed:
  ig_sparse_free(a);
  return status;
}

void ig_sparse_free(ig_sparse *a) {
  free(a->first);
  free(a->column);
  free(a->value);
  free(a->diagonal);
  *a = (ig_sparse){0};
}

void ig_sparse_apply(const ig_sparse *a, const double *x, double *y) {
  for (int64_t i = 0; i < a->rows; i++) {
    double s = 0;
    for (int64_t e = a->first[i]; e < a->first[i + 1]; e++)
      s += a->value[e] * x[a->column[e]];
    y[i] = s;
  }
}

void ig_sparse_move(const ig_multigrid *m, bool back, double *grid, double *rows) {
  const ig_grid_args_f64 *g = &m->args;
  for (int k = 0; k <= g->n[2]; k++)
    for (int j = 0; j <= g->n[1]; j++)
      for (int i = 0; i <= g->n[0]; i++)
        for (int c = 0; c < g->dof; c++) {
          double *at = &grid[c * g->stored + place_of(m, i, j, k)];
          double *row = &rows[g->dof * node_of(m, i, j, k) + c];
          *(back ? at : row) = *(back ? row : at);
        }
}

static double dot(int64_t n, const double *x, const double *y) {
  double s = 0;
  for (int64_t i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

ig_status ig_sparse_solve(ig_ctx *cx, const ig_sparse *a, const double *f, double *u,
                          double tolerance, int limit, int *iterations) {
  const int64_t n = a->rows;
  double *r;
  *iterations = 0;
  IG_TRY(IG_NEW(cx, &r, 4 * n, "conjugate gradients"));
  double *z = r + n, *p = z + n, *ap = p + n;
  ig_sparse_apply(a, u, ap);
  for (int64_t i = 0; i < n; i++) {
    r[i] = f[i] - ap[i];
    p[i] = z[i] = r[i] / a->diagonal[i];
  }
  const double enough = tolerance * sqrt(dot(n, f, f));
  double rz = dot(n, r, z), left = sqrt(dot(n, r, r));
  while (*iterations < limit && left > enough) {
    ig_sparse_apply(a, p, ap);
    const double step = rz / dot(n, p, ap), before = rz;
    for (int64_t i = 0; i < n; i++) {
      u[i] += step * p[i];
      r[i] -= step * ap[i];
      z[i] = r[i] / a->diagonal[i];
    }
    rz = dot(n, r, z);
    left = sqrt(dot(n, r, r));
    for (int64_t i = 0; i < n; i++)
      p[i] = z[i] + rz / before * p[i];
    ++*iterations;
  }
  free(r);
  return IG_OK;
}
