/* Springs and masses.

   Springs and masses are items of two groups of the engine, like elements, with 6 and 3 unknowns
   each. Unused unknowns are -1, which the engine skips. */
#include "structure/points.h"
#include "structure/constrain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPRING = 6 };

/* Owned by the model. Arrays have `springs` and `masses` entries; spring points to entries of
   the case. */
struct ig_structure_points {
  ig_structure *of;
  int32_t springs, *spring_unknown; /* x 6: of an axial one both nodes; else one or two, then -1 */
  const ig_structure_spring **spring;
  ig_lid (*spring_node)[2]; /* of axial ones; [0] -1: components */
  int32_t masses, *mass_unknown;
  double *mass;
};

/* Force at an elongation, and its derivative.
   Beyond the ends of its curve the force is constant (derivative 0). */
static double pull(const ig_structure_spring *c, double by, double *slope) {
  const ig_table *t = &c->curve;
  if (!t->count) {
    *slope = c->stiffness;
    return c->stiffness * by;
  }
  int i = 0;
  while (i + 2 < t->count && by > t->x[i + 1])
    i++;
  const bool beyond = by < t->x[0] || by > t->x[t->count - 1] || t->count == 1;
  *slope = beyond ? 0 : (t->y[i + 1] - t->y[i]) / (t->x[i + 1] - t->x[i]);
  return ig_table_at(t, by);
}

/* Large: elongation = length now - length drawn, along the present line, with the geometric term
   force / length across it. Small: both along the drawn line. */
static void axial(const ig_structure *s, const ig_structure_spring *c, const ig_lid node[2],
                  const double *add, double f[SPRING], double *k) {
  double X[6], u[6], e[3], drawn = 0, now = 0, by = 0, slope;
  ig_structure_gather(s, node, 2, add, X, u);
  for (int d = 0; d < 3; d++) {
    e[d] = X[3 + d] - X[d];
    drawn += e[d] * e[d];
  }
  drawn = sqrt(drawn);
  for (int d = 0; d < 3; d++) {
    by += e[d] / drawn * (u[3 + d] - u[d]);
    e[d] += s->large ? u[3 + d] - u[d] : 0;
    now += e[d] * e[d];
  }
  now = sqrt(now);
  for (int d = 0; d < 3; d++)
    e[d] /= now;
  const double force = pull(c, s->large ? now - drawn : by, &slope);
  for (int a = 0; a < 6; a++)
    f[a] = (a < 3 ? -1 : 1) * force * e[a % 3];
  for (int a = 0; k && a < 6; a++)
    for (int b = 0; b < 6; b++) {
      const double along = e[a % 3] * e[b % 3], across = (a % 3 == b % 3) - along;
      k[6 * a + b] =
          ((a < 3) == (b < 3) ? 1 : -1) * (slope * along + (s->large ? force / now * across : 0));
    }
  ig_structure_to_local(s, node, 2, f, k);
}

/* Forces are internal: they resist the elongation u_0 - u_1 of component springs. */
static void one(const ig_structure_points *p, int32_t i, const double *add, double *f, double *k) {
  const ig_structure *s = p->of;
  memset(f, 0, SPRING * sizeof *f);
  if (k)
    memset(k, 0, sizeof(double) * SPRING * SPRING);
  if (p->spring_node[i][0] >= 0) {
    axial(s, p->spring[i], p->spring_node[i], add, f, k);
    return;
  }
  const int32_t *unknown = p->spring_unknown + (size_t)i * SPRING;
  const int ends = unknown[1] >= 0 ? 2 : 1;
  double by = 0, slope;
  for (int a = 0; a < ends; a++)
    by += (a ? -1 : 1) * (s->u[unknown[a]] + (add ? add[unknown[a]] : 0));
  const double force = pull(p->spring[i], by, &slope);
  for (int a = 0; a < ends; a++) {
    f[a] = a ? -force : force;
    for (int b = 0; k && b < ends; b++)
      k[SPRING * a + b] = a == b ? slope : -slope;
  }
}

/* Callback of the engine; springs are independent of each other. */
static ig_status springs_evaluate(void *self, const ig_trial *at, int32_t begin, int32_t end,
                                  double *f, double *k, ig_trouble *trouble) {
  const ig_structure_points *p = self;
  (void)trouble;
  for (int32_t i = begin; i < end; i++)
    one(p, i, at->u, f + (size_t)(i - begin) * SPRING,
        k ? k + (size_t)(i - begin) * SPRING * SPRING : NULL);
  return IG_OK;
}

/* As ig_structure_inertia, with a diagonal mass. */
static ig_status masses_evaluate(void *self, const ig_trial *at, int32_t begin, int32_t end,
                                 double *f, double *k, ig_trouble *trouble) {
  const ig_structure_points *p = self;
  const ig_structure *s = p->of;
  const double dt = at->step > 0 ? at->step : s->planned, share = 1 / (1 + s->alpha);
  (void)trouble;
  for (int32_t i = begin; i < end; i++) {
    double *fe = f + 3 * (size_t)(i - begin), *ke = k ? k + 9 * (size_t)(i - begin) : NULL;
    memset(fe, 0, 3 * sizeof *fe);
    if (ke)
      memset(ke, 0, 9 * sizeof *ke);
    for (int d = 0; d < 3; d++) {
      const int32_t n = p->mass_unknown[3 * i + d];
      const double a =
          at->step > 0 ? ig_structure_acceleration(s, n, at->u[n], dt) : s->acceleration[n];
      fe[d] = share * p->mass[i] * a;
      if (ke)
        ke[4 * d] = share * p->mass[i] / (s->beta * dt * dt);
    }
  }
  return IG_OK;
}

/* Statics: masses do not move. */
static ig_status masses_rest(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                             double *k, ig_trouble *trouble) {
  (void)self, (void)at, (void)trouble;
  memset(f, 0, 3 * (size_t)(end - begin) * sizeof *f);
  if (k)
    memset(k, 0, 9 * (size_t)(end - begin) * sizeof *k);
  return IG_OK;
}

/* Springs and masses have no history. */
static ig_status accept(void *self, const ig_trial *at) {
  (void)self, (void)at;
  return IG_OK;
}

/* An axial spring has three unknowns at each end, one of components a single one. */
static ig_status spring_read(ig_structure *s, const ig_structure_spring *c) {
  ig_structure_points *p = s->points;
  ig_lid end[2] = {-1, -1};
  const int nodes = c->nodes.count, components = c->components.count;
  if (isnan(c->stiffness) == (c->curve.count == 0))
    return ig_fail_at(s->cx, &c->at, "a spring has either a `stiffness` or a `curve`");
  if (nodes < 1 || nodes > 2 || (components ? components != nodes : nodes != 2))
    return ig_fail_at(s->cx, &c->at,
                      "%d nodes and %d components: expected two nodes, or one or two of each",
                      nodes, components);
  int32_t *unknown = p->spring_unknown + (size_t)p->springs * SPRING;
  for (int i = 0; i < SPRING; i++)
    unknown[i] = -1;
  for (int a = 0; a < nodes; a++) {
    ig_lid *node = NULL, count = 0;
    const ig_status status = ig_structure_term_nodes(s, &c->at, c->nodes.value[a], &node, &count);
    end[a] = status == IG_OK && count == 1 ? node[0] : -1;
    free(node);
    IG_TRY(status);
    if (end[a] < 0)
      return ig_fail_at(s->cx, &c->at, "'%s' has %d nodes: expected 1", c->nodes.value[a],
                        (int)count);
  }
  for (int a = 0; a < nodes; a++) {
    if (components) {
      unknown[a] = ig_structure_unknown(s, end[a], c->components.value[a]);
      if (unknown[a] < 0)
        return ig_fail_at(s->cx, &c->at, "node '%s' has no component '%s'", c->nodes.value[a],
                          c->components.value[a]);
    } else
      for (int d = 0; d < 3; d++)
        unknown[3 * a + d] = 3 * end[a] + d;
  }
  p->spring_node[p->springs][0] = components ? -1 : end[0];
  p->spring_node[p->springs][1] = end[1];
  if (!components) {
    double length = 0;
    for (int d = 0; d < 3; d++)
      length += pow(s->mesh->x[3 * (size_t)end[1] + (size_t)d] -
                        s->mesh->x[3 * (size_t)end[0] + (size_t)d],
                    2);
    if (!(length > 0))
      return ig_fail_at(s->cx, &c->at,
                        "both nodes of the spring are at one place: give `components`");
  }
  p->spring[p->springs++] = c;
  return IG_OK;
}

/* Counts of springs are known; masses grow one by one with the nodes of their sets. */
ig_status ig_structure_points_new(ig_structure *s) {
  const size_t springs = (size_t)s->c->springs.count;
  if (!springs && !s->c->masses.count)
    return IG_OK;
  ig_structure_points *p;
  IG_TRY(IG_NEW(s->cx, &s->points, 1, "springs and masses"));
  p = s->points;
  p->of = s;
  IG_TRY(IG_NEW(s->cx, &p->spring_unknown, springs * SPRING + 1, "springs"));
  IG_TRY(IG_NEW(s->cx, &p->spring, springs + 1, "springs"));
  IG_TRY(IG_NEW(s->cx, &p->spring_node, springs + 1, "springs"));
  for (int i = 0; i < s->c->springs.count; i++)
    IG_TRY(spring_read(s, IG_ITEM(const ig_structure_spring, s->c->springs, i)));
  for (int i = 0; i < s->c->masses.count; i++) {
    const ig_structure_mass *c = IG_ITEM(const ig_structure_mass, s->c->masses, i);
    ig_lid *node, count;
    IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
    ig_status status = IG_OK;
    for (ig_lid k = 0; k < count && status == IG_OK; k++) {
      for (int d = 0; d < 3 && status == IG_OK; d++) {
        status = IG_MORE(s->cx, &p->mass_unknown, 3 * p->masses + d, "masses");
        if (status == IG_OK)
          p->mass_unknown[3 * p->masses + d] = 3 * node[k] + d;
      }
      if (status == IG_OK)
        status = IG_MORE(s->cx, &p->mass, p->masses, "masses");
      if (status == IG_OK)
        p->mass[p->masses++] = c->mass;
    }
    free(node);
    IG_TRY(status);
  }
  return IG_OK;
}

void ig_structure_points_free(ig_structure *s) {
  ig_structure_points *p = s->points;
  if (!p)
    return;
  void *const all[] = {p->spring_unknown, (void *)p->spring, p->spring_node,
                       p->mass_unknown,   p->mass,           p};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  s->points = NULL;
}

int ig_structure_points_masses(ig_structure *s, ig_implicit_group *group) {
  ig_structure_points *p = s->points;
  if (!p || !p->masses)
    return 0;
  *group = (ig_implicit_group){.name = "mass",
                               .self = p,
                               .count = p->masses,
                               .unknowns = 3,
                               .unknown = p->mass_unknown,
                               .evaluate = masses_evaluate,
                               .accept = accept};
  return 1;
}

/* n: groups that are there already. In statics masses give nothing (masses_rest), but their
   unknowns stay in the pattern. */
int ig_structure_points_groups(ig_structure *s, int n) {
  ig_structure_points *p = s->points;
  if (p && p->springs)
    s->implicit[n++] = (ig_implicit_group){.name = "spring",
                                           .self = p,
                                           .count = p->springs,
                                           .unknowns = SPRING,
                                           .unknown = p->spring_unknown,
                                           .evaluate = springs_evaluate,
                                           .accept = accept};
  if (ig_structure_points_masses(s, &s->implicit[n])) {
    if (!s->dynamic)
      s->implicit[n].evaluate = masses_rest;
    n++;
  }
  return n;
}

void ig_structure_points_forces(ig_structure *s, double *f) {
  const ig_structure_points *p = s->points;
  for (int32_t i = 0; p && i < p->springs; i++) {
    double fe[SPRING];
    one(p, i, NULL, fe, NULL);
    for (int a = 0; a < SPRING; a++)
      if (p->spring_unknown[(size_t)i * SPRING + (size_t)a] >= 0)
        f[p->spring_unknown[(size_t)i * SPRING + (size_t)a]] += fe[a];
  }
}

void ig_structure_points_ground(const ig_structure *s, double *f) {
  const ig_structure_points *p = s->points;
  for (int32_t i = 0; p && i < p->springs; i++) {
    const int32_t *unknown = p->spring_unknown + (size_t)i * SPRING;
    double fe[SPRING];
    if (unknown[1] >= 0)
      continue;
    one(p, i, NULL, fe, NULL);
    f[unknown[0]] -= fe[0];
  }
}

/* Nodes of a set times all masses: both are few. */
void ig_structure_points_weight(const ig_structure *s, const ig_lid *node, ig_lid count,
                                const double acceleration[3], double factor, double *f) {
  const ig_structure_points *p = s->points;
  for (int32_t i = 0; p && i < p->masses; i++) {
    const ig_lid n = p->mass_unknown[3 * i] / 3;
    bool in = false;
    for (ig_lid k = 0; k < count; k++)
      in |= node[k] == n;
    double fe[3];
    for (int d = 0; d < 3; d++)
      fe[d] = in ? factor * p->mass[i] * acceleration[d] : 0;
    ig_structure_to_local(s, &n, 1, fe, NULL);
    for (int d = 0; d < 3; d++)
      f[3 * n + d] += fe[d];
  }
}
