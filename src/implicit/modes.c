/* Subspace iteration (modes.h). Each pass multiplies q vectors by A^-1 B, which strengthens the
   part of large |mu| in them, and solves the q x q problem in the space they span (Rayleigh and
   Ritz). The error of vector i falls by |mu(q+1) / mu(i)| per pass: this is why more vectors are
   carried along than are asked for. */
#include "implicit/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Eigenvalues d and vectors v (columns) of a symmetric matrix, n x n, which is destroyed, by
   Jacobi's rotations: slow for large n, but right to rounding, and n is a few dozen. Sweeps end
   where squares off the diagonal are below 1e-30 of those on it. */
static void jacobi(int n, double *a, double *d, double *v) {
  for (int i = 0; i < n * n; i++)
    v[i] = i % (n + 1) == 0;
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0, on = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        *(i == j ? &on : &off) += a[i * n + j] * a[i * n + j];
    if (!(off > 1e-30 * on))
      break;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        const double apq = a[p * n + q];
        if (apq == 0)
          continue;
        const double theta = 0.5 * (a[q * n + q] - a[p * n + p]) / apq;
        const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        const double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; k++) {
          const double x = a[k * n + p], y = a[k * n + q];
          a[k * n + p] = c * x - s * y;
          a[k * n + q] = s * x + c * y;
        }
        for (int k = 0; k < n; k++) {
          const double x = a[p * n + k], y = a[q * n + k];
          a[p * n + k] = c * x - s * y;
          a[q * n + k] = s * x + c * y;
        }
        for (int k = 0; k < n; k++) {
          const double x = v[k * n + p], y = v[k * n + q];
          v[k * n + p] = c * x - s * y;
          v[k * n + q] = s * x + c * y;
        }
      }
  }
  for (int i = 0; i < n; i++)
    d[i] = a[i * n + i];
}

static double product(int32_t n, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

typedef struct {
  /* x: Ritz vectors; y: orthonormal in A; bx: A y; b, v, d: the small problem, its vectors and
     values */
  int q;                              /* vectors carried along */
  double *x, *y, *bx, *a, *b, *v, *d; /* q x n; q x q */
} iterating;

/* y = A^-1 B x made orthonormal in A, where A y = bx; rank: how many are independent. Gram and
   Schmidt's method, twice: once is not enough where vectors are nearly parallel ("twice is enough",
   Parlett 1980). A itself is not needed: A y is B x, and is changed along with y. */
static ig_status vectors_next(const ig_modes_model *m, iterating *w, int *rank) {
  const int32_t n = m->n;
  int kept = 0;
  for (int i = 0; i < w->q; i++) {
    double *y = w->y + (int64_t)kept * n, *ay = w->bx + (int64_t)kept * n;
    m->times(m->self, w->x + (int64_t)i * n, ay);
    memcpy(y, ay, (size_t)n * sizeof *y);
    IG_TRY(m->solve(m->self, y));
    const double before = product(n, y, ay);
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < kept; j++) {
        const double c = product(n, y, w->bx + (int64_t)j * n);
        for (int32_t k = 0; k < n; k++) {
          y[k] -= c * w->y[(int64_t)j * n + k];
          ay[k] -= c * w->bx[(int64_t)j * n + k];
        }
      }
    const double size = product(n, y, ay);
    if (!(size > 1e-20 * before) || !(before > 0))
      continue;
    const double scale = 1 / sqrt(size);
    for (int32_t k = 0; k < n; k++)
      y[k] *= scale, ay[k] *= scale;
    kept++;
  }
  *rank = kept;
  return IG_OK;
}

/* Ritz vectors of the kept ones into x, by falling magnitude. As y.A y = 1, the small problem is an
   ordinary one, with the matrix y_i.B y_j, symmetric but for rounding. */
static void ritz(const ig_modes_model *m, iterating *w, int q) {
  const int32_t n = m->n;
  for (int i = 0; i < q; i++) {
    m->times(m->self, w->y + (int64_t)i * n, w->bx);
    for (int j = 0; j < q; j++)
      w->b[i * q + j] = product(n, w->y + (int64_t)j * n, w->bx);
  }
  for (int i = 0; i < q; i++)
    for (int j = 0; j < i; j++)
      w->b[i * q + j] = w->b[j * q + i] = 0.5 * (w->b[i * q + j] + w->b[j * q + i]);
  jacobi(q, w->b, w->d, w->v);
  for (int i = 0; i < q; i++) { /* the largest first */
    int best = i;
    for (int j = i + 1; j < q; j++)
      best = fabs(w->d[j]) > fabs(w->d[best]) ? j : best;
    const double t = w->d[i];
    w->d[i] = w->d[best], w->d[best] = t;
    for (int k = 0; k < q; k++) {
      const double s = w->v[k * q + i];
      w->v[k * q + i] = w->v[k * q + best], w->v[k * q + best] = s;
    }
  }
  for (int i = 0; i < q; i++)
    for (int32_t k = 0; k < n; k++) {
      double sum = 0;
      for (int j = 0; j < q; j++)
        sum += w->v[j * q + i] * w->y[(int64_t)j * n + k];
      w->x[(int64_t)i * n + k] = sum;
    }
}

ig_status ig_modes_find(ig_ctx *cx, const ig_modes_model *m, int *count, double *mu, double *x,
                        double *error) {
  enum { MOST = 200 };
  const int32_t n = m->n;
  /* Bathe's rule: twice as many vectors as are wanted, or 8 more, whichever is less; 2 more of few.
   */
  int q = 2 * *count > *count + 8 ? *count + 8 : 2 * *count + 2;
  q = q > n ? n : q;
  *count = *count > q ? q : *count;
  iterating w = {.q = q};
  double *room, *was;
  const size_t size = (size_t)q * (size_t)n;
  IG_TRY(IG_NEW(cx, &room, 3 * size + 3 * (size_t)q * q + 2 * (size_t)q + 1, "modes"));
  w.x = room, w.y = w.x + size, w.bx = w.y + size, w.a = w.bx + size, w.b = w.a + q * q;
  w.v = w.b + q * q, w.d = w.v + q * q, was = w.d + q;
  /* xorshift (Marsaglia 2003): start vectors that have a part of every mode */
  uint64_t seed = 88172645463325252ull;
  for (size_t i = 0; i < size; i++) { /* the same start every time */
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    w.x[i] = (double)(seed >> 11) * 0x1p-52 - 1;
  }
  ig_status status = IG_OK;
  *error = INFINITY;
  for (int pass = 0; pass<MOST && * error> 1e-10 && status == IG_OK; pass++) {
    int rank = 0;
    status = vectors_next(m, &w, &rank);
    if (status != IG_OK)
      break;
    if (cx->interrupted) {
      status = IG_INTERRUPTED;
      break;
    }
    *count = *count > rank ? rank : *count;
    w.q = rank;
    memcpy(was, w.d, (size_t)rank * sizeof *was);
    ritz(m, &w, rank);
    *error = pass == 0 ? INFINITY : 0;
    for (int i = 0; i < *count && pass > 0; i++)
      *error = fmax(*error, fabs(w.d[i] - was[i]) / fmax(fabs(w.d[i]), 1e-300));
    if (*count == 0)
      break;
  }
  if (status == IG_OK) {
    memcpy(mu, w.d, (size_t)*count * sizeof *mu);
    memcpy(x, w.x, (size_t)*count * (size_t)n * sizeof *x);
  }
  free(room);
  return status;
}
