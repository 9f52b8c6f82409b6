/* Figures of a static analysis that have gradients. */
#include "structure/adjoint/adjoint.h"
#include "kern/fault.h"
#include "mesh/named.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MISES = 13 }; /* place in a report: stress 6, strain 6, plastic strain, von Mises */
static const ig_src nowhere = {.file = "--figure"};

/* --- what is asked for */

static ig_status unknown(ig_ctx *cx, const char *text) {
  return IG_FAIL(cx, IG_INPUT,
                 "no figure '%.200s': expected displacement(SET, x), reaction(SET, x), compliance, "
                 "von_mises(SET) or stress(SET, xx)",
                 text);
}

static int word_find(const char *word, const char *const *list, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(word, list[i]) == 0)
      return i;
  return -1;
}

ig_status ig_adjoint_figure_read(ig_ctx *cx, const char *text, ig_adjoint_figure *to,
                                 char unit[16]) {
  static const char *const axis[] = {"x", "y", "z"}, *const tensor[] = {"xx", "yy", "zz",
                                                                        "xy", "yz", "zx"};
  char name[32], set[128], part[8] = "", rest[2];
  if (strcmp(text, "compliance") == 0) {
    *to = (ig_adjoint_figure){.kind = IG_ADJOINT_COMPLIANCE};
    snprintf(unit, 16, "J");
    return IG_OK;
  }
  const int words = sscanf(text, "%31[a-z_](%127[^,)], %7[a-z])%1s", name, set, part, rest);
  const char *end = strchr(text, ')');
  if (words < 2 || words > 3 || !end || end[1])
    return unknown(cx, text);
  *to = (ig_adjoint_figure){.component = word_find(part, axis, 3)};
  snprintf(to->set, sizeof to->set, "%s", set);
  if (strcmp(name, "displacement") == 0 && to->component >= 0) {
    to->kind = IG_ADJOINT_DISPLACEMENT;
    snprintf(unit, 16, "m");
  } else if (strcmp(name, "reaction") == 0 && to->component >= 0) {
    to->kind = IG_ADJOINT_REACTION;
    snprintf(unit, 16, "N");
  } else {
    const bool mises = strcmp(name, "von_mises") == 0 && words == 2;
    to->kind = IG_ADJOINT_STRESS;
    to->component = mises ? MISES : word_find(part, tensor, 6);
    snprintf(unit, 16, "Pa");
    if (to->component < 0 || (!mises && strcmp(name, "stress") != 0))
      return unknown(cx, text);
  }
  return IG_OK;
}

/* --- vectors of nodes */

/* Adds factor x (derivative of a component in fixed axes by a node's own components). */
static void component_add(const ig_structure *s, ig_lid node, int component, double factor,
                          double *to) {
  for (int d = 0; d < 3; d++) {
    const double own[3] = {d == 0, d == 1, d == 2};
    double fixed[3];
    ig_structure_to_fixed(s, (size_t)node, own, fixed);
    to[3 * (size_t)node + (size_t)d] += factor * fixed[component];
  }
}

/* Weights of the unknowns: means of displacements, sums of reactions. */
static ig_status weights(const ig_adjoint_figure *f, const ig_structure *s, double *to) {
  ig_lid *node, count;
  IG_TRY(ig_structure_nodes(s, &nowhere, f->set, &node, &count));
  const double each = f->kind == IG_ADJOINT_DISPLACEMENT ? 1.0 / (double)count : 1;
  for (ig_lid k = 0; k < count; k++)
    component_add(s, node[k], f->component, each, to);
  free(node);
  return count ? IG_OK : IG_FAIL(s->cx, IG_INPUT, "the set '%s' of the figure is empty", f->set);
}

/* --- stresses */

/* Reports of the points of an element at displacements u in fixed axes. */
static ig_status element_report(const ig_adjoint_figure *f, const ig_structure_group *g, int32_t e,
                                const double *X, const double *u, double *now, double *report) {
  double force[3 * IG_SOLID_NODES], warm[2 * IG_SOLID_NODES];
  const double *T = ig_structure_warmth(g, e, warm);
  const ig_solid_law *law = ig_structure_law(g, e);
  if (ig_solid_evaluate(g->kind, law, X, u, T, g->past + (size_t)e * (size_t)g->states, now, force,
                        NULL) != IG_FAULT_NONE)
    return IG_FAIL(g->of->cx, IG_NUMERIC, "the stress of an element of '%s' cannot be computed",
                   f->set);
  ig_solid_report(g->kind, law, X, u, T, now, report);
  return IG_OK;
}

/* The derivative of a figure by the stress of a point: zero where a von Mises stress is. */
static void point_weight(const ig_adjoint_figure *f, const double *report, double weight[6]) {
  const double mises = report[MISES], mean = (report[0] + report[1] + report[2]) / 3;
  for (int c = 0; c < 6; c++) {
    weight[c] = c == f->component;
    if (f->component == MISES)
      weight[c] = mises > 0 ? (c < 3 ? 1.5 * (report[c] - mean) : 3 * report[c]) / mises : 0;
  }
}

/* The sum of weights times stresses of an element's points. */
static double weighted(int points, const double *weight, const double *report) {
  double sum = 0;
  for (int q = 0; q < points; q++)
    for (int c = 0; c < 6; c++)
      sum += weight[6 * q + c] * report[q * IG_SOLID_REPORT + c];
  return sum;
}

/* The derivative of an element's share by u, in fixed axes. Stresses by u are differences of fourth
   order: exact where they are linear, otherwise to about 1e-12. */
static ig_status element_slope(const ig_adjoint_figure *f, const ig_structure_group *g, int32_t e,
                               const double *X, double *u, const double *weight, double *now,
                               double *slope) {
  static const double at[4] = {-2, -1, 1, 2}, share[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  const int n = 3 * ig_solid_info_get(g->kind)->nodes, points = ig_structure_point_count(g, e);
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < n; i++) {
    low[i % 3] = fmin(low[i % 3], X[i]);
    high[i % 3] = fmax(high[i % 3], X[i]);
  }
  const double h = 1e-4 * fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
  for (int i = 0; i < n; i++) {
    const double here = u[i];
    slope[i] = 0;
    for (int k = 0; k < 4; k++) {
      double moved[IG_SOLID_POINTS * IG_SOLID_REPORT];
      u[i] = here + at[k] * h;
      IG_TRY(element_report(f, g, e, X, u, now, moved));
      slope[i] += share[k] / h * weighted(points, weight, moved);
    }
    u[i] = here;
  }
  return IG_OK;
}

/* The elements of the set, one after the other. */
typedef ig_status element_fn(void *user, const ig_structure_group *g, int32_t e, int64_t index,
                             int64_t count, double *now);

static ig_status each_element(const ig_adjoint_figure *f, const ig_structure *s, element_fn *then,
                              void *user) {
  const ig_set *set;
  uint8_t *in = NULL;
  double *now = NULL;
  int64_t count = 0, index = 0;
  ig_status status;
  IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &nowhere, f->set, IG_OF_ELEMENTS, &set));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &in, ig_mesh_elements(s->mesh), "figure"));
  for (ig_lid k = 0; k < set->count; k++)
    in[set->item[k]] = 1;
  for (int i = 0; i < s->groups; i++)
    for (int32_t e = 0; e < s->group[i].count; e++)
      count += in[s->group[i].element[e]];
  if (count == 0)
    status = IG_FAIL(s->cx, IG_INPUT, "the set '%s' of the figure has no elements", f->set);
  for (int i = 0; i < s->groups && status == IG_OK; i++) {
    const ig_structure_group *g = &s->group[i];
    free(now);
    now = NULL;
    status = IG_NEW(s->cx, &now, g->states + 1, "figure");
    for (int32_t e = 0; e < g->count && status == IG_OK; e++)
      if (in[g->element[e]])
        status = then(user, g, e, index++, count, now);
  }
done:
  free(now);
  free(in);
  return status;
}

typedef struct {
  ig_adjoint_figure *f;
  const ig_adjoint_state *a;
  double sum, *by_u;
} stress_work;

/* X, u and reports of an element at the state. */
static ig_status stress_take(const stress_work *w, const ig_structure_group *g, int32_t e,
                             double *now, double *X, double *u, double *report) {
  ig_structure_gather(w->a->s, g->node[e], ig_solid_info_get(g->kind)->nodes, w->a->u, X, u);
  return element_report(w->f, g, e, X, u, now, report);
}

static ig_status mean_add(void *user, const ig_structure_group *g, int32_t e, int64_t index,
                          int64_t count, double *now) {
  stress_work *w = user;
  double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], report[IG_SOLID_POINTS * IG_SOLID_REPORT];
  const int points = ig_structure_point_count(g, e);
  (void)index;
  IG_TRY(stress_take(w, g, e, now, X, u, report));
  for (int q = 0; q < points; q++)
    w->sum += report[q * IG_SOLID_REPORT + w->f->component] / (points * (double)count);
  return IG_OK;
}

static ig_status linear_add(void *user, const ig_structure_group *g, int32_t e, int64_t index,
                            int64_t count, double *now) {
  stress_work *w = user;
  double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], report[IG_SOLID_POINTS * IG_SOLID_REPORT];
  (void)count;
  IG_TRY(stress_take(w, g, e, now, X, u, report));
  w->sum +=
      weighted(ig_structure_point_count(g, e), w->f->weight + index * 6 * IG_SOLID_POINTS, report);
  return IG_OK;
}

/* Weights, the linear part, and its derivative by u. */
static ig_status slope_add(void *user, const ig_structure_group *g, int32_t e, int64_t index,
                           int64_t count, double *now) {
  stress_work *w = user;
  const ig_structure *s = w->a->s;
  const int nodes = ig_solid_info_get(g->kind)->nodes, points = ig_structure_point_count(g, e);
  double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], slope[3 * IG_SOLID_NODES],
      report[IG_SOLID_POINTS * IG_SOLID_REPORT];
  if (index == 0)
    IG_TRY(IG_NEW(s->cx, &w->f->weight, count * 6 * IG_SOLID_POINTS, "figure"));
  double *weight = w->f->weight + index * 6 * IG_SOLID_POINTS;
  IG_TRY(stress_take(w, g, e, now, X, u, report));
  for (int q = 0; q < points; q++) {
    point_weight(w->f, report + q * IG_SOLID_REPORT, weight + 6 * q);
    for (int c = 0; c < 6; c++)
      weight[6 * q + c] /= points * (double)count;
  }
  w->sum += weighted(points, weight, report);
  IG_TRY(element_slope(w->f, g, e, X, u, weight, now, slope));
  ig_structure_to_local(s, g->node[e], nodes, slope, NULL);
  for (int k = 0; k < 3 * nodes; k++)
    w->by_u[g->unknown[(size_t)e * 3 * (size_t)nodes + (size_t)k]] += slope[k];
  return IG_OK;
}

/* --- values */

static double product(const ig_structure *s, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < s->unknowns; i++)
    sum += a[i] * b[i];
  return sum;
}

ig_status ig_adjoint_figure_value(const ig_adjoint_figure *f, const ig_adjoint_state *a,
                                  double *value) {
  double *weight = NULL;
  ig_adjoint_figure own = *f;
  stress_work w = {.f = &own, .a = a};
  if (f->kind == IG_ADJOINT_STRESS) {
    const ig_status status = each_element(f, a->s, mean_add, &w);
    *value = w.sum;
    return status;
  }
  if (f->kind == IG_ADJOINT_COMPLIANCE) {
    *value = product(a->s, a->load, a->u);
    return IG_OK;
  }
  IG_TRY(IG_NEW(a->s->cx, &weight, a->s->unknowns, "figure"));
  const ig_status status = weights(f, a->s, weight);
  *value = product(a->s, weight, f->kind == IG_ADJOINT_DISPLACEMENT ? a->u : a->f);
  free(weight);
  return status;
}

ig_status ig_adjoint_figure_change(const ig_adjoint_figure *f, const ig_adjoint_state *a,
                                   double value, double *change) {
  ig_adjoint_figure own = *f;
  stress_work w = {.f = &own, .a = a};
  ig_status status;
  if (f->kind == IG_ADJOINT_STRESS) {
    status = each_element(f, a->s, linear_add, &w);
    *change = w.sum - f->level;
  } else {
    status = ig_adjoint_figure_value(f, a, change);
    *change -= value;
  }
  return status;
}

ig_status ig_adjoint_figure_slope(ig_adjoint_figure *f, const ig_adjoint_state *a, double *by_u,
                                  double *by_f) {
  stress_work w = {.f = f, .a = a, .by_u = by_u};
  if (f->kind == IG_ADJOINT_STRESS) {
    const ig_status status = each_element(f, a->s, slope_add, &w);
    f->level = w.sum;
    return status;
  }
  if (f->kind == IG_ADJOINT_COMPLIANCE) {
    for (int32_t i = 0; i < a->s->unknowns; i++)
      by_u[i] += a->load[i];
    return IG_OK;
  }
  return weights(f, a->s, f->kind == IG_ADJOINT_DISPLACEMENT ? by_u : by_f);
}
