/* Block Krylov method (modes.h). Each pass multiplies the q best vectors so far by A^-1 B, adds
   what is new to a space and solves the problem in that space (Rayleigh and Ritz). When the space
   is full it is made anew of the q best vectors (thick restart). Subspace iteration, which forgets
   all but the last block, takes several times as many passes where values are close to each other.
   More vectors than are asked for are carried along, so that equal values are all found. */
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

/* One vector of a large model takes seconds, a pass minutes: signals are looked for in between. */
static ig_status stopped(ig_ctx *cx) {
  return cx->interrupted ? IG_FAIL(cx, IG_INTERRUPTED, "interrupted in a search for modes") : IG_OK;
}

typedef struct {
  ig_ctx *cx;
  int q, most, kept; /* vectors of a block; of the space, and how many it has */
  /* best vectors: q x n; space, orthonormal in A, and what A and B make of it: most x n */
  double *x, *y, *ay, *by;
  double *b, *a, *v, *d; /* y . B y, a copy; vectors and values of the small problem */
} iterating;

/* Makes y and ay = A y orthogonal in A to the space, by Gram and Schmidt's method, twice ("twice is
   enough", Parlett 1980). Returns which share of y . A y is left. */
static double space_leave(const iterating *w, int32_t n, double *y, double *ay) {
  const double before = product(n, y, ay);
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < w->kept; j++) {
      const double c = product(n, y, w->ay + (int64_t)j * n);
      for (int32_t k = 0; k < n; k++) {
        y[k] -= c * w->y[(int64_t)j * n + k];
        ay[k] -= c * w->ay[(int64_t)j * n + k];
      }
    }
  return before > 0 ? product(n, y, ay) / before : 0;
}

/* Adds A^-1 B x of the best vectors to the space, orthonormal in A. A itself is not needed: A y is
   B x, and changes along with y. Where little is left of both, rounding in them is no longer small
   and they do not belong together, which would look like a mode below all others: then y is solved
   for anew; of a space that is used up nothing is left again. Returns in *added how many are new.
 */
static ig_status space_grow(const ig_modes_model *m, iterating *w, int *added) {
  const double little = 1e-8, nothing = 1e-20;
  const int32_t n = m->n;
  const int first = w->kept, block = w->kept ? (w->q < w->kept ? w->q : w->kept) : w->q;
  for (int i = 0; i < block && w->kept < n; i++) {
    IG_TRY(stopped(w->cx));
    double *y = w->y + (int64_t)w->kept * n, *ay = w->ay + (int64_t)w->kept * n;
    m->times(m->self, w->x + (int64_t)i * n, ay);
    memcpy(y, ay, (size_t)n * sizeof *y);
    IG_TRY(m->solve(m->self, y));
    double left = space_leave(w, n, y, ay);
    if (left > nothing && left < little) {
      memcpy(y, ay, (size_t)n * sizeof *y);
      IG_TRY(m->solve(m->self, y));
      left = space_leave(w, n, y, ay);
    }
    if (!(left >= little))
      continue;
    const double scale = 1 / sqrt(product(n, y, ay));
    for (int32_t k = 0; k < n; k++)
      y[k] *= scale, ay[k] *= scale;
    m->times(m->self, y, w->by + (int64_t)w->kept * n);
    w->kept++;
  }
  *added = w->kept - first;
  for (int i = first; i < w->kept; i++) {
    IG_TRY(stopped(w->cx));
    for (int j = 0; j <= i; j++) /* symmetric but for rounding */
      w->b[i * w->most + j] = w->b[j * w->most + i] =
          0.5 * (product(n, w->y + (int64_t)j * n, w->by + (int64_t)i * n) +
                 product(n, w->y + (int64_t)i * n, w->by + (int64_t)j * n));
  }
  return IG_OK;
}

/* to = the first `count` combinations of the space's vectors `from`. */
static ig_status combine(const iterating *w, int32_t n, int count, const double *from, double *to) {
  for (int i = 0; i < count; i++) {
    IG_TRY(stopped(w->cx));
    for (int32_t k = 0; k < n; k++)
      to[(int64_t)i * n + k] = 0;
    for (int j = 0; j < w->kept; j++) {
      const double c = w->v[j * w->kept + i];
      for (int32_t k = 0; k < n; k++)
        to[(int64_t)i * n + k] += c * from[(int64_t)j * n + k];
    }
  }
  return IG_OK;
}

/* Values and vectors of the small problem, by falling magnitude. As y.A y = 1 it is an ordinary
 * one.
 */
static void ritz(iterating *w) {
  const int q = w->kept;
  for (int i = 0; i < q; i++)
    for (int j = 0; j < q; j++)
      w->a[i * q + j] = w->b[i * w->most + j];
  jacobi(q, w->a, w->d, w->v);
  for (int i = 0; i < q; i++) {
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
}

/* The space becomes that of the best vectors. `room`: q x n. */
static ig_status space_shrink(iterating *w, int32_t n, double *room) {
  double *const all[2] = {w->ay, w->by};
  for (int i = 0; i < 2; i++) {
    IG_TRY(combine(w, n, w->q, all[i], room));
    memcpy(all[i], room, (size_t)w->q * (size_t)n * sizeof *room);
  }
  memcpy(w->y, w->x, (size_t)w->q * (size_t)n * sizeof *w->x);
  w->kept = w->q;
  for (int i = 0; i < w->q; i++)
    for (int j = 0; j < w->q; j++)
      w->b[i * w->most + j] = i == j ? w->d[i] : 0;
  return IG_OK;
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
  /* the small problem takes the cube of its size */
  int space = q <= 32 ? 4 * q : 2 * q;
  space = space > n ? n : space;
  space = space < 2 * q ? 2 * q : space; /* a block more than is kept */
  iterating w = {.cx = cx, .q = q, .most = space};
  double *room, *was, *spare;
  const size_t size = (size_t)q * (size_t)n, large = (size_t)space * (size_t)n,
               small = (size_t)space * (size_t)space;
  IG_TRY(IG_NEW(cx, &room, 2 * size + 3 * large + 3 * small + 2 * (size_t)space + 1, "modes"));
  w.x = room, spare = w.x + size, w.y = spare + size, w.ay = w.y + large, w.by = w.ay + large;
  w.b = w.by + large, w.a = w.b + small, w.v = w.a + small, w.d = w.v + small, was = w.d + space;
  /* xorshift (Marsaglia 2003): start vectors that have a part of every mode */
  uint64_t seed = 88172645463325252ull;
  for (size_t i = 0; i < size; i++) { /* the same start every time */
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    w.x[i] = (double)(seed >> 11) * 0x1p-52 - 1;
  }
  ig_status status = IG_OK;
  *error = INFINITY;
  for (int pass = 0; pass<MOST && * error> 1e-10; pass++) {
    int added = 0;
    IG_TRY_GOTO(status, done, space_grow(m, &w, &added));
    w.q = w.q > w.kept ? w.kept : w.q;
    *count = *count > w.kept ? w.kept : *count;
    memcpy(was, w.d, (size_t)*count * sizeof *was);
    ritz(&w);
    IG_TRY_GOTO(status, done, combine(&w, n, w.q, w.y, w.x));
    *error = pass == 0 ? INFINITY : 0;
    for (int i = 0; i < *count && pass > 0; i++)
      *error = fmax(*error, fabs(w.d[i] - was[i]) / fmax(fabs(w.d[i]), 1e-300));
    if (*count == 0 || added == 0)
      break;
    if (w.kept + w.q > w.most)
      IG_TRY_GOTO(status, done, space_shrink(&w, n, spare));
  }
  memcpy(mu, w.d, (size_t)*count * sizeof *mu);
  memcpy(x, w.x, (size_t)*count * (size_t)n * sizeof *x);
done:
  free(room);
  return status;
}
