/* Values at nodes: displacements and forces in the axes of nodes, temperatures over time.

   The only places where axes of nodes are applied are gather (unknowns to fixed axes) and
   to_local (forces and matrices back): elements, contact and loads work in fixed axes. */
#include "structure/expand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* u_fixed = R^T u_own, rows of R are the node's axes. */
void ig_structure_gather(const ig_structure *s, const ig_lid *node, int nodes, const double *add,
                         double *X, double *u) {
  for (int a = 0; a < nodes; a++) {
    const size_t n = (size_t)node[a];
    double own[3];
    for (int d = 0; d < 3; d++) {
      X[3 * a + d] = s->mesh->x[3 * n + (size_t)d];
      own[d] = s->u[3 * n + (size_t)d] + (add ? add[3 * n + (size_t)d] : 0);
    }
    const int32_t frame = s->framed ? s->framed[n] : -1;
    const double *R = frame >= 0 ? s->frame[frame] : NULL;
    for (int d = 0; d < 3; d++)
      u[3 * a + d] = R ? R[d] * own[0] + R[3 + d] * own[1] + R[6 + d] * own[2] : own[d];
  }
}

/* f_own = R f, K_own = R K R^T block by block. */
void ig_structure_to_local(const ig_structure *s, const ig_lid *node, int nodes, double *f,
                           double *K) {
  const int n = 3 * nodes;
  for (int a = 0; s->framed && a < nodes; a++) {
    if (s->framed[node[a]] < 0)
      continue;
    const double *R = s->frame[s->framed[node[a]]];
    double t[3];
    for (int d = 0; d < 3; d++)
      t[d] = R[3 * d] * f[3 * a] + R[3 * d + 1] * f[3 * a + 1] + R[3 * d + 2] * f[3 * a + 2];
    memcpy(f + 3 * a, t, sizeof t);
    for (int j = 0; K && j < n; j++) { /* rows */
      for (int d = 0; d < 3; d++)
        t[d] = R[3 * d] * K[(3 * a) * n + j] + R[3 * d + 1] * K[(3 * a + 1) * n + j] +
               R[3 * d + 2] * K[(3 * a + 2) * n + j];
      for (int d = 0; d < 3; d++)
        K[(3 * a + d) * n + j] = t[d];
    }
    for (int i = 0; K && i < n; i++) { /* columns */
      double *k = K + (size_t)i * (size_t)n + 3 * a;
      for (int d = 0; d < 3; d++)
        t[d] = R[3 * d] * k[0] + R[3 * d + 1] * k[1] + R[3 * d + 2] * k[2];
      memcpy(k, t, sizeof t);
    }
  }
}

/* Integral of a table from its first place to x.
   Trapezoids between rows are exact for a piecewise linear table; beyond the last row it is
   constant.
   Outside of the table its end values continue: below the first row the integral is negative. */
static double table_integral(const ig_table *t, double x) {
  double sum = 0, from = t->x[0];
  for (int i = 1; i < t->count && x > from; i++) {
    const double to = fmin(x, t->x[i]);
    sum += 0.5 * (ig_table_at(t, from) + ig_table_at(t, to)) * (to - from);
    from = to;
  }
  return sum + (x - from) * ig_table_at(t, x);
}

/* Thermal strain since a reference: mean coefficient (Abaqus: alpha(T) (T - zero)), integral of
   a tangent coefficient, or a table of the strain itself. Only differences of it are used. */
static double expansion_at(const ig_material_case *m, double T) {
  const ig_mechanical_case *c = &m->mechanical;
  return c->expansion_mean.count ? ig_table_at(&c->expansion_mean, T) * (T - c->expansion_reference)
         : c->expansion.count    ? table_integral(&c->expansion, T)
         : c->thermal_strain.count ? ig_table_at(&c->thermal_strain, T)
                                   : 0;
}

/* The law of a material at a temperature, and its thermal strain from that of the start.
   Callback `heat` of ig_solid_law: moduli, yield and hardening at T, and thermal strain from T0
   to T. */
static void law_at(const void *material, double T, double T0, ig_solid_law *law, double *strain) {
  const ig_material_case *m = material;
  const ig_mechanical_case *c = &m->mechanical;
  if (c->young.count > 1 || c->poisson.count > 1) {
    const ig_solid_law now =
        ig_solid_isotropic(c->young.count ? ig_table_at(&c->young, T) : m->young,
                           c->poisson.count ? ig_table_at(&c->poisson, T) : m->poisson, 1);
    memcpy(law->stiffness, now.stiffness, sizeof now.stiffness);
    law->young = now.young;
    law->poisson = now.poisson;
  }
  if (c->yield.count)
    law->yield = ig_table_at(&c->yield, T);
  if (c->hardening.count)
    law->hardening = ig_table_at(&c->hardening, T);
  if (c->tangent.count) { /* H = E Et / (E - Et) */
    const double tangent = ig_table_at(&c->tangent, T);
    law->hardening = law->young * tangent / (law->young - tangent);
  }
  *strain = expansion_at(m, T) - expansion_at(m, T0);
}

/* Whether the model has temperatures at all. */
static bool is_heated(const ig_structure *s) {
  bool hot = s->c->temperatures.count || s->c->initial_temperatures.count;
  for (int i = 0; i < s->c->analysis.count; i++)
    hot |= IG_ITEM(const ig_structure_analysis, s->c->analysis, i)->kind == IG_STRUCTURE_HEAT;
  return hot;
}

/* A tangent modulus must be below Young's modulus at every temperature of its table. */
static ig_status tangent_check(ig_structure *s, const ig_material_case *m) {
  const ig_mechanical_case *c = &m->mechanical;
  for (int i = 0; i < c->tangent.count; i++) {
    const double T = c->tangent.x[i], E = c->young.count ? ig_table_at(&c->young, T) : m->young;
    if (!(c->tangent.y[i] < E))
      return ig_fail_at(s->cx, &c->at,
                        "material '%.60s': the tangent modulus %g Pa is not below Young's modulus "
                        "%g Pa at %g K",
                        m->name, c->tangent.y[i], E, T);
  }
  return IG_OK;
}

/* Refuses properties of a material file that the room would ignore and that change results. */
ig_status ig_structure_law_heat(ig_structure *s, const ig_material_case *m, ig_solid_law *law) {
  const ig_mechanical_case *c = &m->mechanical;
  const bool hot = is_heated(s); /* what heat does to a material may stand in its file */
  const struct {
    const char *key;
    bool given;
  } all[] = {{"kinematic", c->kinematic.count > 0},
             {"kinematic_share", c->kinematic_share > 0},
             {"anneal", hot && !isnan(c->anneal)},
             {"recovery_start", hot && !isnan(c->recovery_start)},
             {"recovery_end", hot && !isnan(c->recovery_end)},
             {"creep", hot && c->creep.at.given && !ig_structure_has_creep(s->c)},
             {"transformation", hot && c->transformation.at.given}};
  for (size_t i = 0; i < sizeof all / sizeof *all && c->at.given; i++)
    if (all[i].given)
      return ig_fail_at(s->cx, &c->at, "structure does not use `mechanical.%s`: leave it out",
                        all[i].key);
  if (!c->at.given)
    return IG_OK;
  if ((c->thermal_strain.count > 0) + (c->expansion.count > 0) + (c->expansion_mean.count > 0) > 1)
    return ig_fail_at(s->cx, &c->at,
                      "material '%.60s': give `mechanical` one of thermal_strain, expansion, "
                      "expansion_mean",
                      m->name);
  if (c->tangent.count > 0 && c->hardening.count > 0)
    return ig_fail_at(s->cx, &c->at,
                      "material '%.60s': give `mechanical` either `hardening` or `tangent`",
                      m->name);
  IG_TRY(tangent_check(s, m));
  law->heat = law_at;
  law->material = m;
  return IG_OK;
}

/* Initial temperatures; nodes without an entry have 0. */
ig_status ig_structure_temperatures_new(ig_structure *s) {
  if (!is_heated(s))
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &s->T0, s->nodes, "temperatures"));
  IG_TRY(IG_NEW(s->cx, &s->T, s->nodes, "temperatures"));
  for (int i = 0; i < s->c->initial_temperatures.count; i++) {
    const ig_structure_temperature *c =
        IG_ITEM(const ig_structure_temperature, s->c->initial_temperatures, i);
    ig_lid *node, count;
    IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
    for (ig_lid k = 0; k < count; k++)
      s->T0[node[k]] = c->temperature;
    free(node);
  }
  ig_structure_expansion_spread(s, 1, s->T0);
  return ig_structure_heat(s, 0);
}

/* T(t): from the start (or what a heat analysis reached), entries in their order, each linear
   from what the former ones give to its temperature between `from` and `to`. */
ig_status ig_structure_heat(ig_structure *s, double time) {
  if (!s->T)
    return IG_OK;
  memcpy(s->T, s->heated ? s->heated : s->T0, (size_t)s->nodes * sizeof *s->T);
  for (int i = 0; i < s->c->temperatures.count; i++) {
    const ig_structure_temperature *c =
        IG_ITEM(const ig_structure_temperature, s->c->temperatures, i);
    const double share = time >= c->to     ? 1
                         : time <= c->from ? 0
                                           : (time - c->from) / (c->to - c->from);
    ig_lid *node, count;
    if (share == 0)
      continue;
    IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
    for (ig_lid k = 0; k < count; k++)
      s->T[node[k]] += share * (c->temperature - s->T[node[k]]);
    free(node);
  }
  ig_structure_expansion_spread(s, 1, s->T);
  return IG_OK;
}

/* Nodes of the solids that shells and beams became are named by the node as drawn. */
void ig_structure_unknown_name(void *self, int32_t unknown, char *text, size_t size) {
  const ig_structure *s = self;
  if (unknown >= 3 * s->nodes) {
    snprintf(text, size, "the rotation of a reference node");
    return;
  }
  const bool around = unknown >= 3 * s->drawn;
  const ig_lid node = around ? s->member[unknown / 3 - s->drawn].of : unknown / 3;
  snprintf(text, size, around ? "the section at node %lld along %c" : "node %lld along %c",
           (long long)(s->mesh->node_number ? s->mesh->node_number[node] : node + 1),
           'x' + unknown % 3);
}
