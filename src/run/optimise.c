/* ig_case_optimise: the numbers of a case for which a figure is least, by gradients.

   The unknowns z are the numbers of the keys over their scales (the ranges of their bounds; without
   bounds their sizes). A step is that of the limited-memory BFGS update of the numbers that can
   move; the others are at a bound that the gradient pushes them against. The line search halves the
   step until the figure falls as much as the gradient promises (Armijo), with each trial projected
   onto the bounds: Liu and Nocedal (1989), Bertsekas (1982). A point whose case is refused counts
   as infinitely bad. */
#include <ingot/gradient.h>
#include "core/memory.h"
#include "core/require.h"
#include "core/unit.h"
#include "run/case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 8, HALVINGS = 12, USUAL_ITERATIONS = 50 };
static const double USUAL_TOLERANCE = 1e-3;
static const double FIRST = 0.1; /* longest change of a number in the first step, of its scale */
static const double PROMISED = 1e-4; /* share of the promised fall that a step must bring */

/* Numbers of all keys one after the other. */
typedef struct {
  ig_case *c;
  const char *figure, *const *keys;
  int count, *first; /* keys; first number of each, and their sum */
  const ig_optimise_options *o;
  double sign, value; /* 1, or -1 to maximise; of the figure, times sign */
  double *x, *g;      /* numbers, SI; derivatives by z, times sign */
  double *low, *high, *scale;
  bool *moves;                           /* not at a bound that it is pushed against */
  double *d, *trial, *x_best, *g_before; /* step, in z */
  double *s, *y;                         /* PAIRS x numbers, the latest last */
  int pairs;
  ig_optimum out;
} search;

static int numbers(const search *w) {
  return w->first[w->count];
}

/* --- points */

/* "beams[0].powers": as many numbers as pieces. */
static bool is_list(const search *w, int k) {
  return w->first[k + 1] - w->first[k] > 1;
}

static ig_status values_set(search *w, const double *x) {
  for (int k = 0; k < w->count; k++) {
    const int from = w->first[k], n = w->first[k + 1] - from;
    IG_TRY(is_list(w, k) ? ig_case_set_reals(w->c, w->keys[k], x + from, n)
                         : ig_case_set_real(w->c, w->keys[k], x[from]));
  }
  return IG_OK;
}

static void gradient_copy(search *w, const ig_gradient *g, double *value, double *to) {
  *value = w->sign * g->value;
  for (int k = 0; k < w->count; k++)
    for (int i = w->first[k]; i < w->first[k + 1]; i++)
      to[i] = w->sign * g->row[k].derivative[i - w->first[k]] * w->scale[i];
}

/* Figure and derivatives at x. A case that is refused there, or a run that fails: INFINITY. */
static ig_status evaluate(search *w, const double *x, double *value, double *g) {
  ig_gradient *found = NULL;
  IG_TRY(values_set(w, x));
  const ig_status status = ig_case_gradient(w->c, w->figure, w->keys, w->count, NULL, &found);
  w->out.gradients++;
  *value = INFINITY;
  if (status == IG_OK)
    gradient_copy(w, found, value, g);
  ig_gradient_free(found);
  if (status == IG_INPUT || status == IG_NUMERIC) {
    w->c->cx->status = IG_OK;
    w->c->cx->message[0] = '\0';
    return IG_OK;
  }
  return status;
}

/* --- the start */

/* "50 W" in SI. The unit must be one that the case's own value could have. */
static ig_status bound_read(search *w, int k, const char *text, double *bound) {
  double number;
  const char *unit, *own = ig_case_get(w->c, w->keys[k]), *own_unit = "";
  ig_unit factor, own_factor;
  char problem[160];
  if (!text)
    return IG_OK;
  if (!ig_quantity_read(text, &number, &unit, &factor, problem, sizeof problem))
    return IG_FAIL(w->c->cx, IG_INPUT, "bound '%.60s' of '%s': %s", text, w->keys[k], problem);
  *bound = number * factor.factor + factor.offset;
  if (own && ig_quantity_read(own, &number, &own_unit, &own_factor, problem, sizeof problem) &&
      *own_unit && *unit && !ig_units_alike(unit, own_unit))
    return IG_FAIL(w->c->cx, IG_INPUT,
                   "bound '%.60s' of '%s', which is '%.60s' in the case: "
                   "expected a unit like '%s'",
                   text, w->keys[k], own, own_unit);
  return IG_OK;
}

static ig_status bounds_fill(search *w, int k, bool list) {
  ig_ctx *cx = w->c->cx;
  double low = -INFINITY, high = INFINITY;
  IG_TRY(bound_read(w, k, w->o->low ? w->o->low[k] : NULL, &low));
  IG_TRY(bound_read(w, k, w->o->high ? w->o->high[k] : NULL, &high));
  if (!(low < high))
    return IG_FAIL(cx, IG_INPUT, "'%s': the lower bound %g must be below the upper one %g",
                   w->keys[k], low, high);
  if (list && !(low > 0))
    return IG_FAIL(cx, IG_INPUT,
                   "'%s' needs a lower bound above 0: a beam that is off has no gradient",
                   w->keys[k]);
  for (int i = w->first[k]; i < w->first[k + 1]; i++) {
    const bool off = list && w->x[i] <= 0;
    w->low[i] = off ? w->x[i] : low;
    w->high[i] = off ? w->x[i] : high;
    w->scale[i] = isfinite(low) && isfinite(high) ? high - low : w->x[i] != 0 ? fabs(w->x[i]) : 1;
    if (w->x[i] < w->low[i] || w->x[i] > w->high[i])
      return IG_FAIL(cx, IG_INPUT, "'%s' is %g at the start, outside of its bounds %g to %g",
                     w->keys[k], w->x[i], low, high);
  }
  return IG_OK;
}

static ig_status memory_take(search *w) {
  ig_ctx *cx = w->c->cx;
  const size_t n = (size_t)numbers(w);
  double *all;
  IG_TRY(IG_NEW(cx, &all, n * (9 + 2 * PAIRS), "optimisation"));
  double **const part[] = {&w->x, &w->g,     &w->low,    &w->high,     &w->scale,
                           &w->d, &w->trial, &w->x_best, &w->g_before, &w->s};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++)
    *part[i] = all + i * n;
  w->y = w->s + PAIRS * n;
  return IG_NEW(cx, &w->moves, n, "optimisation");
}

/* The first gradient says how many numbers there are, and what they are. */
static ig_status start(search *w) {
  ig_ctx *cx = w->c->cx;
  ig_gradient *g = NULL;
  IG_TRY(IG_NEW(cx, &w->first, w->count + 1, "optimisation"));
  IG_TRY(ig_case_gradient(w->c, w->figure, w->keys, w->count, NULL, &g));
  ig_status status;
  for (int k = 0; k < w->count; k++)
    w->first[k + 1] = w->first[k] + (int)g->row[k].count;
  IG_TRY_GOTO(status, done, memory_take(w));
  for (int k = 0; k < w->count; k++) {
    memcpy(w->x + w->first[k], g->row[k].value, (size_t)g->row[k].count * sizeof *w->x);
    IG_TRY_GOTO(status, done, bounds_fill(w, k, is_list(w, k)));
  }
  gradient_copy(w, g, &w->value, w->g);
  snprintf(w->out.unit, sizeof w->out.unit, "%s", g->unit);
  memcpy(w->x_best, w->x, (size_t)numbers(w) * sizeof *w->x);
  w->out.gradients = 1;
  w->out.start = w->out.value = g->value;
done:
  ig_gradient_free(g);
  return status;
}

/* --- steps */

/* The largest derivative by a number that can move; marks those. */
static double moves_find(search *w) {
  double most = 0;
  for (int i = 0; i < numbers(w); i++) {
    w->moves[i] = (w->x[i] > w->low[i] || w->g[i] < 0) && (w->x[i] < w->high[i] || w->g[i] > 0);
    most = w->moves[i] ? fmax(most, fabs(w->g[i])) : most;
  }
  return most;
}

/* Over numbers that can move. */
static double dot(const search *w, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < numbers(w); i++)
    sum += w->moves[i] ? a[i] * b[i] : 0;
  return sum;
}

static void add(const search *w, double factor, const double *a, double *to) {
  for (int i = 0; i < numbers(w); i++)
    to[i] += w->moves[i] ? factor * a[i] : 0;
}

/* d = -H g by the two loops of L-BFGS; pairs that bend the wrong way among the numbers that can
   move now are left out. */
static void direction(search *w) {
  const int n = numbers(w);
  double alpha[PAIRS] = {0}, bend[PAIRS], scale = 0;
  for (int i = 0; i < n; i++)
    w->d[i] = w->moves[i] ? -w->g[i] : 0;
  for (int p = w->pairs - 1; p >= 0; p--) {
    const double *s = w->s + (size_t)p * (size_t)n, *y = w->y + (size_t)p * (size_t)n;
    const double yy = dot(w, y, y);
    bend[p] = dot(w, s, y);
    bend[p] = bend[p] > 1e-12 * yy ? bend[p] : 0;
    if (bend[p] <= 0)
      continue;
    scale = scale > 0 ? scale : bend[p] / yy;
    alpha[p] = dot(w, s, w->d) / bend[p];
    add(w, -alpha[p], y, w->d);
  }
  for (int i = 0; i < n && scale > 0; i++)
    w->d[i] *= scale;
  for (int p = 0; p < w->pairs; p++) {
    const double *s = w->s + (size_t)p * (size_t)n, *y = w->y + (size_t)p * (size_t)n;
    if (bend[p] > 0)
      add(w, alpha[p] - dot(w, y, w->d) / bend[p], s, w->d);
  }
  /* without a curvature, or uphill: along the gradient, FIRST of a scale at most */
  if (scale > 0 && dot(w, w->d, w->g) < 0)
    return;
  double most = 0;
  for (int i = 0; i < n; i++)
    most = w->moves[i] ? fmax(most, fabs(w->g[i])) : most;
  for (int i = 0; i < n; i++)
    w->d[i] = w->moves[i] ? -w->g[i] * FIRST / most : 0;
}

static void pair_keep(search *w) {
  const size_t n = (size_t)numbers(w);
  if (w->pairs == PAIRS) {
    memmove(w->s, w->s + n, (PAIRS - 1) * n * sizeof *w->s);
    memmove(w->y, w->y + n, (PAIRS - 1) * n * sizeof *w->y);
    w->pairs--;
  }
  for (size_t i = 0; i < n; i++) {
    w->s[(size_t)w->pairs * n + i] = (w->x[i] - w->x_best[i]) / w->scale[i];
    w->y[(size_t)w->pairs * n + i] = w->g[i] - w->g_before[i];
  }
  w->pairs++;
}

/* Along d until the figure falls enough. *fallen: by how much; 0: it does not. */
static ig_status line_search(search *w, double *fallen) {
  const int n = numbers(w);
  double length = 1;
  *fallen = 0;
  for (int k = 0; k < HALVINGS; k++, length *= 0.5) {
    double promised = 0, value;
    for (int i = 0; i < n; i++) {
      w->trial[i] =
          fmin(fmax(w->x_best[i] + length * w->d[i] * w->scale[i], w->low[i]), w->high[i]);
      promised += w->g_before[i] * (w->trial[i] - w->x_best[i]) / w->scale[i];
    }
    IG_TRY(evaluate(w, w->trial, &value, w->g));
    if (!(value <= w->value + PROMISED * promised && value < w->value))
      continue;
    *fallen = w->value - value;
    w->value = value;
    memcpy(w->x, w->trial, (size_t)n * sizeof *w->x);
    return IG_OK;
  }
  return IG_OK;
}

static void report(search *w, double gradient, const char *reason, bool converged) {
  w->out.value = w->sign * w->value;
  w->out.gradient = gradient;
  w->out.reason = reason;
  w->out.converged = converged;
  if (w->o->step && !*reason)
    w->o->step(w->o->user, &w->out);
}

/* x_best and g_before: where the search is; x and g: of the step. */
static ig_status steps(search *w) {
  const size_t size = (size_t)numbers(w) * sizeof *w->x;
  const double tolerance = w->o->tolerance > 0 ? w->o->tolerance : USUAL_TOLERANCE;
  const int most = w->o->iterations > 0 ? w->o->iterations : USUAL_ITERATIONS;
  const double first = moves_find(w);
  double gradient = first > 0 ? 1 : 0, fallen = INFINITY;
  for (; w->out.iterations < most; w->out.iterations++) {
    report(w, gradient, "", false);
    if (gradient <= tolerance) {
      report(w, gradient, "the gradient is small", true);
      return IG_OK;
    }
    memcpy(w->g_before, w->g, size);
    const double before = w->value;
    direction(w);
    IG_TRY(line_search(w, &fallen));
    if (fallen <= 0 && w->pairs > 0) { /* the update may be of no use here: along the gradient */
      w->pairs = 0;
      memcpy(w->g, w->g_before, size);
      direction(w);
      IG_TRY(line_search(w, &fallen));
    }
    if (fallen <= 0) {
      report(w, gradient, "no step brings less", true);
      return IG_OK;
    }
    pair_keep(w);
    memcpy(w->x_best, w->x, size);
    gradient = moves_find(w) / first;
    if (fallen <= 1e-2 * tolerance * fabs(before)) {
      w->out.iterations++;
      report(w, gradient, "", false);
      report(w, gradient, "the figure changes no more", true);
      return IG_OK;
    }
  }
  report(w, gradient, "", false);
  report(w, gradient, "the iterations are used up", false);
  return IG_OK;
}

/* Numbers of material files are merged in, so that they can be changed. */
ig_status ig_case_optimise(ig_case *c, const char *figure, const char *const *keys, int count,
                           const ig_optimise_options *options, ig_optimum *optimum) {
  static const ig_optimise_options none = {0};
  ig_node *folded;
  search w = {.c = c, .figure = figure, .keys = keys, .count = count};
  IG_TRY(ig_case_usable(c));
  IG_REQUIRE_ARGS(c->cx, figure && keys && count > 0 && optimum);
  w.o = options ? options : &none;
  w.sign = w.o->maximise ? -1 : 1;
  w.out = (ig_optimum){.figure = figure, .reason = ""};
  IG_TRY(ig_case_read(c));
  IG_TRY(ig_case_fold(c, &folded));
  IG_TRY(ig_node_copy(c->cx, c->arena, folded, &c->root));
  ig_status status = start(&w);
  if (status == IG_OK) {
    status = steps(&w);
    if (status == IG_INTERRUPTED)
      w.out.reason = "it was interrupted";
    if (status == IG_OK || status == IG_INTERRUPTED) {
      const ig_status set = values_set(&w, w.x_best);
      status = set == IG_OK ? status : set;
    }
  }
  if (status == IG_OK)
    status = ig_case_read(c);
  *optimum = w.out;
  free(w.x);
  free(w.first);
  free(w.moves);
  return status;
}
