/* Bounded Levenberg-Marquardt: see least_squares.h. */
#include "chain/least_squares.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *ig_fit_end_text(ig_fit_end end) {
  switch (end) {
  case IG_FIT_RESIDUAL:
    return "every figure is met";
  case IG_FIT_GRADIENT:
    return "no key reduces the residuals any more";
  case IG_FIT_STEP:
    return "the steps have become small";
  case IG_FIT_REDUCTION:
    return "the residuals hardly fall any more";
  case IG_FIT_ITERATIONS:
    return "not converged: as many runs as allowed";
  case IG_FIT_STOPPED:
    return "interrupted";
  case IG_FIT_NO_START:
    return "the runs at the start failed";
  case IG_FIT_NO_GRADIENT:
    return "the runs on both sides of a point failed";
  }
  return "";
}

/* --- singular values */

static double dot(int m, int n, const double *a, int i, int j) {
  double sum = 0;
  for (int k = 0; k < m; k++)
    sum += a[k * n + i] * a[k * n + j];
  return sum;
}

static void rotate(int m, int n, double *a, int i, int j, double c, double s) {
  for (int k = 0; k < m; k++) {
    const double x = a[k * n + i], y = a[k * n + j];
    a[k * n + i] = c * x - s * y;
    a[k * n + j] = s * x + c * y;
  }
}

/* Columns of A in falling order of their lengths, which are the singular values; those of V with
   them. */
static void sort_columns(int m, int n, double *a, double *s, double *v) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (s[j] > s[i]) {
        const double t = s[i];
        s[i] = s[j];
        s[j] = t;
        rotate(m, n, a, i, j, 0, 1); /* (x, y) becomes (-y, x) in both: A V^T is the same */
        rotate(n, n, v, i, j, 0, 1);
      }
}

void ig_svd(int m, int n, double *a, double *s, double *v) {
  memset(v, 0, sizeof *v * (size_t)n * (size_t)n);
  for (int i = 0; i < n; i++)
    v[i * n + i] = 1;
  /* Each sweep makes every pair of columns orthogonal; convergence is quadratic. */
  for (int sweep = 0, turned = 1; turned && sweep < 60; sweep++) {
    turned = 0;
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) {
        const double aa = dot(m, n, a, i, i), bb = dot(m, n, a, j, j), ab = dot(m, n, a, i, j);
        if (fabs(ab) <= DBL_EPSILON * sqrt(aa * bb))
          continue;
        turned = 1;
        const double zeta = (bb - aa) / (2 * ab);
        const double t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
        const double c = 1 / hypot(1, t);
        rotate(m, n, a, i, j, c, c * t);
        rotate(n, n, v, i, j, c, c * t);
      }
  }
  for (int i = 0; i < n; i++)
    s[i] = sqrt(dot(m, n, a, i, i));
  sort_columns(m, n, a, s, v);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      a[k * n + i] = s[i] > 0 ? a[k * n + i] / s[i] : 0;
}

/* --- the search */

/* Work space, and what is fixed at a bound. */
typedef struct {
  const ig_fit *fit;
  ig_fit_result *o;
  double *p, *trial, *r_trial; /* n; n; m */
  double *a, *b, *s, *v, *c;   /* of a step: m x n, m, n, n x n, n */
  double *u, *r;               /* of a batch: (n + 1) x n, (n + 1) x m */
  bool *good, *fixed;          /* n + 1; n */
  double radius;
} work;

static double sum_of(int m, const double *r) {
  double sum = 0;
  for (int i = 0; i < m; i++)
    sum += r[i] * r[i];
  return sum;
}

double ig_fit_difference(const ig_fit *fit, int i, const double *u) {
  const double h = fmin(sqrt(fit->relative_noise) * fit->size[i], 0.05);
  return u[i] + h <= fit->high[i] ? h : -h;
}

static void shifted(const ig_fit *fit, const double *u, int i, double h, double *to) {
  memcpy(to, u, sizeof *u * (size_t)fit->n);
  to[i] = fmin(fmax(u[i] + h, fit->low[i]), fit->high[i]);
}

/* The point u, with the points of its differences where `all`. */
static ig_status evaluate(work *w, const double *u, bool all) {
  const ig_fit *f = w->fit;
  memcpy(w->u, u, sizeof *u * (size_t)f->n);
  for (int i = 0; i < f->n && all; i++)
    shifted(f, u, i, ig_fit_difference(f, i, u), w->u + (i + 1) * f->n);
  return f->residuals(f->user, all ? f->n + 1 : 1, w->u, w->r, w->good);
}

/* A column of J from the residuals at a point beside u; zero where all changes are noise. */
static void column(const work *w, int i, const double *at, const double *r) {
  const int n = w->fit->n, m = w->fit->m;
  const double h = at[i] - w->o->u[i];
  bool acts = false;
  for (int k = 0; k < m; k++)
    acts |= fabs(r[k] - w->o->r[k]) > w->fit->noise[k];
  for (int k = 0; k < m; k++)
    w->o->jacobian[k * n + i] = acts && fabs(h) > 0 ? (r[k] - w->o->r[k]) / h : 0;
}

/* J at the point that has been accepted. A difference whose runs fail is taken to the other side.
 */
static ig_status jacobian(work *w, bool *good) {
  const ig_fit *f = w->fit;
  *good = true;
  IG_TRY(evaluate(w, w->o->u, true));
  for (int i = 0; i < f->n; i++) {
    if (w->good[i + 1]) {
      column(w, i, w->u + (i + 1) * f->n, w->r + (i + 1) * f->m);
      continue;
    }
    bool side;
    shifted(f, w->o->u, i, -ig_fit_difference(f, i, w->o->u), w->trial);
    IG_TRY(f->residuals(f->user, 1, w->trial, w->r_trial, &side));
    if (side) {
      column(w, i, w->trial, w->r_trial);
    } else {
      w->o->lost = i;
      *good = false;
      return IG_OK;
    }
  }
  return IG_OK;
}

/* The step of the unknowns that are not fixed: min |J p + r| with |p| <= radius. */
static void step_free(work *w) {
  const ig_fit *f = w->fit;
  const int n = f->n, m = f->m;
  double taken = 0;
  for (int k = 0; k < m; k++) {
    w->b[k] = -w->o->r[k];
    for (int i = 0; i < n; i++) {
      const double j = w->o->jacobian[k * n + i];
      w->a[k * n + i] = w->fixed[i] ? 0 : j;
      w->b[k] -= w->fixed[i] ? j * w->p[i] : 0;
    }
  }
  for (int i = 0; i < n; i++)
    taken += w->fixed[i] ? w->p[i] * w->p[i] : 0;
  ig_svd(m, n, w->a, w->s, w->v);
  for (int i = 0; i < n; i++) {
    w->c[i] = 0;
    for (int k = 0; k < m; k++)
      w->c[i] += w->a[k * n + i] * w->b[k];
  }
  /* |p(lambda)| falls: the least lambda that keeps it within the radius, by bisection of its
     logarithm. */
  const double most = sqrt(fmax(w->radius * w->radius - taken, 1e-4 * w->radius * w->radius));
  double low = 0, high = 0, lambda = 0;
  for (int round = 0; round < 200; round++) {
    double length = 0;
    for (int i = 0; i < n; i++) {
      const double q =
          w->s[i] > 1e-10 * w->s[0] ? w->s[i] * w->c[i] / (w->s[i] * w->s[i] + lambda) : 0;
      length += q * q;
    }
    length = sqrt(length);
    if (length <= most * (1 + 1e-3) && (lambda <= 0 || length >= most * (1 - 1e-3)))
      break;
    if (length > most)
      low = lambda;
    else
      high = lambda;
    lambda = high <= 0 ? fmax(10 * lambda, 1e-8 * w->s[0] * w->s[0])
             : low > 0 ? sqrt(low * high)
                       : high / 10;
  }
  for (int i = 0; i < n; i++) {
    if (w->fixed[i])
      continue;
    w->p[i] = 0;
    for (int k = 0; k < n; k++)
      if (w->s[k] > 1e-10 * w->s[0])
        w->p[i] += w->v[i * n + k] * w->s[k] * w->c[k] / (w->s[k] * w->s[k] + lambda);
  }
}

/* The gradient of |r|^2 / 2. */
static double gradient(const work *w, int i) {
  double g = 0;
  for (int k = 0; k < w->fit->m; k++)
    g += w->o->jacobian[k * w->fit->n + i] * w->o->r[k];
  return g;
}

/* Unknowns at a bound that they would leave towards the outside. */
static void bounds_find(work *w) {
  const ig_fit *f = w->fit;
  for (int i = 0; i < f->n; i++) {
    const double g = gradient(w, i);
    w->fixed[i] = (w->o->u[i] <= f->low[i] && g >= 0) || (w->o->u[i] >= f->high[i] && g <= 0);
    w->p[i] = 0;
  }
}

/* A step within the bounds. Each round fixes the unknowns that leave them, at most n. */
static void step(work *w) {
  const ig_fit *f = w->fit;
  bounds_find(w);
  for (bool left = true; left;) {
    left = false;
    step_free(w);
    for (int i = 0; i < f->n; i++) {
      const double to = w->o->u[i] + w->p[i];
      if (w->fixed[i] || (to >= f->low[i] && to <= f->high[i]))
        continue;
      w->p[i] = (to < f->low[i] ? f->low[i] : f->high[i]) - w->o->u[i];
      w->fixed[i] = left = true;
    }
  }
}

/* By how much |r|^2 falls in the linear model. */
static double predicted(const work *w) {
  const int n = w->fit->n, m = w->fit->m;
  double fall = 0;
  for (int k = 0; k < m; k++) {
    double jp = 0;
    for (int i = 0; i < n; i++)
      jp += w->o->jacobian[k * n + i] * w->p[i];
    fall -= (2 * w->o->r[k] + jp) * jp;
  }
  return fall;
}

/* Whether the residuals are orthogonal to the column of every unknown that can move. */
static bool is_flat(work *w) {
  const ig_fit *f = w->fit;
  bounds_find(w);
  for (int i = 0; i < f->n; i++) {
    double length = 0;
    for (int k = 0; k < f->m; k++)
      length += w->o->jacobian[k * f->n + i] * w->o->jacobian[k * f->n + i];
    if (!w->fixed[i] && fabs(gradient(w, i)) > 1e-2 * f->tolerance * sqrt(length * w->o->sum))
      return false;
  }
  return true;
}

/* Steps from one point until one is accepted (false) or the search ends (true). */
static ig_status advance(work *w, bool *ended) {
  const ig_fit *f = w->fit;
  ig_fit_result *o = w->o;
  /* Differences are computed ahead for the first trial only: after a rejection the next one is less
     likely to be accepted. */
  for (bool first = true;; first = false) {
    double length = 0;
    step(w);
    const double fall = predicted(w);
    for (int i = 0; i < f->n; i++)
      length += w->p[i] * w->p[i];
    length = sqrt(length);
    *ended = true;
    o->end = length <= f->tolerance ? IG_FIT_STEP : IG_FIT_REDUCTION;
    if (length <= f->tolerance || fall <= f->tolerance * o->sum)
      return IG_OK;
    for (int i = 0; i < f->n; i++)
      w->trial[i] = fmin(fmax(o->u[i] + w->p[i], f->low[i]), f->high[i]);
    IG_TRY(evaluate(w, w->trial, f->ahead && first));
    const double sum = w->good[0] ? sum_of(f->m, w->r) : INFINITY;
    const double ratio = isfinite(sum) ? (o->sum - sum) / fall : -1;
    if (ratio < 0.25)
      w->radius = length / 4;
    else if (ratio > 0.75)
      w->radius = fmax(w->radius, 2 * length);
    if (ratio > 1e-4) {
      memcpy(o->u, w->trial, sizeof *o->u * (size_t)f->n);
      memcpy(o->r, w->r, sizeof *o->r * (size_t)f->m);
      o->sum = sum;
      *ended = false;
      return IG_OK;
    }
    o->rejected++;
  }
}

static ig_status search(work *w) {
  const ig_fit *f = w->fit;
  ig_fit_result *o = w->o;
  w->radius = 1;
  for (int i = 0; i < f->n; i++)
    o->u[i] = fmin(fmax(o->u[i], f->low[i]), f->high[i]);
  IG_TRY(evaluate(w, o->u, true));
  o->end = IG_FIT_NO_START;
  if (!w->good[0])
    return IG_OK;
  memcpy(o->r, w->r, sizeof *o->r * (size_t)f->m);
  o->sum = sum_of(f->m, o->r);
  for (bool ended = false; !ended; o->iterations++) {
    bool good;
    IG_TRY(jacobian(w, &good));
    o->end = IG_FIT_NO_GRADIENT;
    if (!good)
      return IG_OK;
    o->end = IG_FIT_RESIDUAL;
    if (o->sum <= f->floor * f->floor * f->m)
      return IG_OK;
    o->end = IG_FIT_GRADIENT;
    if (is_flat(w))
      return IG_OK;
    o->end = IG_FIT_ITERATIONS;
    if (o->iterations >= f->iterations)
      return IG_OK;
    IG_TRY(advance(w, &ended));
  }
  return IG_OK;
}

ig_status ig_fit_run(ig_ctx *cx, const ig_fit *f, ig_fit_result *o) {
  const size_t n = (size_t)f->n, m = (size_t)f->m;
  double *space = NULL;
  bool *flags = NULL;
  ig_status status;
  IG_TRY_GOTO(
      status, done,
      IG_NEW(cx, &space, 2 * n + m + (m * n + m + n + n * n + n) + (n + 1) * (n + m), "a fit"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &flags, 2 * n + 1, "a fit"));
  work w = {.fit = f, .o = o, .good = flags, .fixed = flags + n + 1};
  double **const part[] = {&w.p, &w.trial, &w.r_trial, &w.a, &w.b, &w.s, &w.v, &w.c, &w.u, &w.r};
  const size_t size[] = {n, n, m, m * n, m, n, n * n, n, (n + 1) * n, (n + 1) * m};
  double *at = space;
  for (size_t i = 0; i < sizeof part / sizeof *part; at += size[i++])
    *part[i] = at;
  o->iterations = o->rejected = 0;
  o->lost = -1;
  o->sum = INFINITY;
  status = search(&w);
  if (status != IG_OK)
    o->end = IG_FIT_STOPPED;
done:
  free(space);
  free(flags);
  return status;
}

/* --- what the residuals say about the unknowns */

int ig_fit_covariance(int m, int n, const double *jacobian, const bool *fixed, double least,
                      double *covariance, double *direction) {
  int unknown = 0;
  double *a = malloc(sizeof *a * (size_t)(m * n + n + n * n + n));
  if (!a)
    return -1;
  double *s = a + m * n, *v = s + n, *length = v + n * n;
  for (int i = 0; i < n; i++) {
    length[i] = 0;
    for (int k = 0; k < m; k++)
      length[i] += fixed[i] ? 0 : jacobian[k * n + i] * jacobian[k * n + i];
    length[i] = sqrt(length[i]);
    for (int k = 0; k < m; k++)
      a[k * n + i] = length[i] > 0 ? jacobian[k * n + i] / length[i] : 0;
  }
  ig_svd(m, n, a, s, v);
  memset(covariance, 0, sizeof *covariance * (size_t)(n * n));
  for (int k = 0; k < n; k++) {
    double *d = direction + unknown * n, most = 0;
    if (s[k] > least) {
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          if (length[i] > 0 && length[j] > 0)
            covariance[i * n + j] +=
                v[i * n + k] * v[j * n + k] / (s[k] * s[k] * length[i] * length[j]);
      continue;
    }
    /* Unknowns without any effect are directions of their own below; those that are fixed none. */
    for (int i = 0; i < n; i++) {
      d[i] = length[i] > 0 ? v[i * n + k] / length[i] : 0;
      most = fabs(d[i]) > fabs(most) ? d[i] : most;
    }
    if (fabs(most) <= 0)
      continue;
    for (int i = 0; i < n; i++)
      d[i] /= most;
    unknown++;
  }
  for (int i = 0; i < n; i++)
    if (!fixed[i] && length[i] <= 0) {
      memset(direction + unknown * n, 0, sizeof *direction * (size_t)n);
      direction[unknown++ * n + i] = 1;
    }
  free(a);
  return unknown;
}

double ig_noise_of(int count, const double *values) {
  enum { MOST = 16 };
  double t[MOST], level[MOST], gamma = 1;
  const int n = count < MOST ? count : MOST;
  bool change[MOST] = {0};
  memcpy(t, values, sizeof *t * (size_t)n);
  /* level k: the noise that would make differences of order k as large as they are */
  for (int k = 1; k < n; k++) {
    double sum = 0;
    for (int i = 0; i < n - k; i++) {
      t[i] = t[i + 1] - t[i];
      sum += t[i] * t[i];
      change[k] |= i > 0 && t[i] * t[i - 1] < 0;
    }
    gamma *= k / (2.0 * (2.0 * k - 1)); /* (k!)^2 / (2 k)! */
    level[k] = sqrt(gamma * sum / (n - k));
  }
  /* Noise changes sign at random, and its levels agree. */
  for (int k = 1; k + 2 < n; k++)
    if (fmax(fmax(level[k], level[k + 1]), level[k + 2]) <=
            4 * fmin(fmin(level[k], level[k + 1]), level[k + 2]) &&
        change[k])
      return level[k];
  return n > 1 ? level[n - 1] : 0;
}
