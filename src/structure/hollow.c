/* Beams with hollow sections: the solid that such a beam becomes is a hex20 over the outer size,
   with points in the walls, two along the axis. Natural coordinates as in expand.c: xi along the
   axis, eta against the second axis of the section, zeta along the first.

   The rule (ig_solid_rule) is one per entry of `beams`, owned by s->hollow; laws of elements
   point to it. CalculiX has these rules for B32R only, which the keys mirror: beam3 and elastic
   materials. */
#include "structure/structure.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>

/* A pipe: eight points around, at the radius that gives area and second moments of the ring.
   inner: inner over outer radius. A ring of unit outer radius has the area pi (1 - inner^2) and
   the second moment pi (1 - inner^4) / 4 = area (1 + inner^2) / 4; eight equal points at radius
   r give area r^2 / 2, hence r^2 = (1 + inner^2) / 2. */
static void pipe_points(double inner, ig_solid_rule *rule) {
  const double radius = sqrt((1 + inner * inner) / 2);
  rule->points = 8;
  for (int i = 0; i < 8; i++) {
    const double angle = i * M_PI / 4;
    double *at = rule->at[i];
    at[1] = radius * cos(angle);
    at[2] = radius * sin(angle);
    at[3] = M_PI * (1 - inner * inner) / 8;
  }
}

/* A box: Simpson's rule with five points along the middle of each wall; neighbours share the
   corner. t: thicknesses over the size across them, of the walls at zeta = 1, eta = -1, zeta = -1,
   eta = 1, which is the order of the points, as in CalculiX.
   Weights: Simpson over a wall's length times its thickness; natural coordinates run from -1 to
   1, hence 2 t. A corner point has the shares of both walls. */
static void box_points(const double t[4], ig_solid_rule *rule) {
  /* Simpson's rule over two halves of the wall, of length 1 in all. */
  static const double share[5] = {1. / 12, 4. / 12, 2. / 12, 4. / 12, 1. / 12};
  const double eta[2] = {-1 + t[1], 1 - t[3]}, zeta[2] = {-1 + t[2], 1 - t[0]};
  const double corner[4][2] = {
      {eta[1], zeta[1]}, {eta[0], zeta[1]}, {eta[0], zeta[0]}, {eta[1], zeta[0]}};
  rule->points = 16;
  for (int i = 0; i < 16; i++)
    rule->at[i][3] = 0;
  for (int w = 0; w < 4; w++) {
    const double *from = corner[w], *to = corner[(w + 1) % 4];
    const double length = fabs(to[0] - from[0]) + fabs(to[1] - from[1]);
    for (int i = 0; i < 5; i++) {
      double *at = rule->at[(4 * w + i) % 16];
      at[1] = from[0] + (to[0] - from[0]) * i / 4;
      at[2] = from[1] + (to[1] - from[1]) * i / 4;
      at[3] += share[i] * length * 2 * t[w];
    }
  }
}

/* The points of one section, then those of both along the axis.
   Thickness relative to the size across the wall: even walls (zeta) have the first size, odd
   ones the second. Gauss's two points along the axis. */
static ig_status rule_make(ig_structure *s, const ig_structure_beam *c, ig_solid_rule *rule) {
  const bool pipe = c->profile == IG_PROFILE_PIPE;
  const double second = isnan(c->size[1]) ? c->size[0] : c->size[1];
  const int walls = pipe ? 1 : 4;
  if (c->wall.count != walls || (pipe && second != c->size[0]))
    return ig_fail_at(s->cx, &c->at, "a %s has %s", pipe ? "pipe" : "box",
                      pipe ? "two equal sizes and one thickness of its `wall`"
                           : "four thicknesses of its `wall`");
  double t[4];
  for (int i = 0; i < walls; i++) {
    t[i] = c->wall.value[i] / (i % 2 ? second : c->size[0]);
    if (!(t[i] > 0) || t[i] > 0.5)
      return ig_fail_at(s->cx, &c->at,
                        "`wall` has a thickness of %g: expected more than 0 and at most half the "
                        "size across it",
                        c->wall.value[i]);
  }
  if (pipe)
    pipe_points(1 - 2 * t[0], rule);
  else
    box_points(t, rule);
  const int n = rule->points;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++) {
      rule->at[i][0] = -1 / sqrt(3);
      rule->at[n + i][k] = k ? rule->at[i][k] : 1 / sqrt(3);
    }
  rule->points = 2 * n;
  return IG_OK;
}

/* Elements of beams only: an entry's set may hold other elements too. */
static ig_status hollow_set(ig_structure *s, const int *beam) {
  for (int k = 0; k < s->groups; k++) {
    ig_structure_group *g = &s->group[k];
    for (int32_t e = 0; e < g->count; e++) {
      const int i = beam[g->element[e]];
      ig_lid local;
      if (i < 0 || !s->hollow[i].points || ig_structure_is_truss(s, g->element[e]) ||
          ig_elem_info_get(ig_mesh_element(s->job->mesh, g->element[e], &local)->type)->dim != 1)
        continue;
      const ig_structure_beam *c = IG_ITEM(const ig_structure_beam, s->c->beams, i);
      if (s->law[g->material[e]].law != IG_LAW_ELASTIC)
        return ig_fail_at(s->cx, &c->at, "hollow beams are elastic: '%s' is another material",
                          s->material[g->material[e]]->name);
      IG_TRY(ig_structure_laws_own(s, g));
      g->law[e].rule = &s->hollow[i];
    }
  }
  return IG_OK;
}

/* After the groups of elements are made; s->hollow[i] has points = 0 for beams that are not
   hollow. */
ig_status ig_structure_hollow_read(ig_structure *s) {
  const ig_structure_beam *hollow = NULL;
  int *beam;
  for (int i = 0; i < s->c->beams.count; i++) {
    const ig_structure_beam *c = IG_ITEM(const ig_structure_beam, s->c->beams, i);
    if (c->profile != IG_PROFILE_PIPE && c->profile != IG_PROFILE_BOX) {
      if (c->wall.count)
        return ig_fail_at(s->cx, &c->at, "`wall` is for the profiles pipe and box");
      continue;
    }
    if (!s->hollow)
      IG_TRY(IG_NEW(s->cx, &s->hollow, s->c->beams.count, "hollow beams"));
    IG_TRY(rule_make(s, c, &s->hollow[i]));
    hollow = c;
  }
  if (!hollow)
    return IG_OK;
  for (int i = 0; i < s->c->analysis.count; i++)
    if (IG_ITEM(const ig_structure_analysis, s->c->analysis, i)->kind == IG_STRUCTURE_HEAT)
      return ig_fail_at(s->cx, &hollow->at, "heat is not computed in hollow beams");
  IG_TRY(IG_NEW(s->cx, &beam, ig_mesh_elements(s->mesh) + 1, "hollow beams"));
  ig_status status = IG_CLAIM(s->cx, s->job->mesh, &s->c->beams, ig_structure_beam, NULL, beam);
  if (status == IG_OK)
    status = hollow_set(s, beam);
  free(beam);
  return status;
}
