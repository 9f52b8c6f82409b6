/* What needs nothing else of the room: rotations, axes of nodes, nodes of sections, Newmark's rule,
   laws of elements.

   These functions are here and not in the files that use them most so that no two files of the
   room need each other. */
#include "structure/constrain.h"
#include "structure/expand.h"

#include <math.h>
#include <string.h>

/* For a small rotation t about the foot of r the tip moves by t x r = L t, with L = -[r x]. */
void ig_structure_lever(const double r[3], double L[3][3]) {
  const double all[3][3] = {{0, r[2], -r[1]}, {-r[2], 0, r[0]}, {r[1], -r[0], 0}};
  memcpy(L, all, sizeof all);
}

/* Rodrigues' formula: with X = [t x] and angle a = |t|,
     R = 1 + sin(a)/a X + (1 - cos(a))/a^2 X^2,   T = 1 + (1 - cos(a))/a^2 X + (a - sin(a))/a^3 X^2.
   A change dt of the rotation vector turns the rotated body by the spin T dt. Below 1e-4 the
   series are exact to rounding and do not divide by a vanishing angle. */
void ig_structure_turned(const double t[3], double R[3][3], double T[3][3]) {
  const double angle = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  const double X[3][3] = {{0, -t[2], t[1]}, {t[2], 0, -t[0]}, {-t[1], t[0], 0}};
  const bool small = angle < 1e-4;
  const double a = small ? 1 - angle * angle / 6 : sin(angle) / angle;
  const double c = small ? 0.5 - angle * angle / 24 : (1 - cos(angle)) / (angle * angle);
  const double e = small ? 1. / 6 : (angle - sin(angle)) / (angle * angle * angle);
  for (int p = 0; p < 3; p++)
    for (int q = 0; q < 3; q++) {
      double square = 0;
      for (int m = 0; m < 3; m++)
        square += X[p][m] * X[m][q];
      R[p][q] = (p == q) + a * X[p][q] + c * square;
      T[p][q] = (p == q) + c * X[p][q] + e * square;
    }
}

/* Couplings and ties write constraints between components of different nodes, which must be in
   the same axes. */
ig_status ig_structure_unframed(const ig_structure *s, const ig_src *at, const ig_lid *node,
                                ig_lid count) {
  for (ig_lid k = 0; k < count && s->framed; k++)
    if (s->framed[node[k]] >= 0)
      return ig_fail_at(
          s->cx, at,
          "node %lld has `axes` of its own, and couplings and ties are in fixed axes: "
          "leave its axes out",
          (long long)(s->mesh->node_number ? s->mesh->node_number[node[k]] : node[k] + 1));
  return IG_OK;
}

/* Members of a section take the value of their drawn node. Used for temperatures, and for
   velocities and displacements at the start. */
void ig_structure_expansion_spread(const ig_structure *s, int width, double *value) {
  for (int32_t i = 0; i < s->members; i++)
    memcpy(value + (size_t)width * (size_t)s->member[i].node,
           value + (size_t)width * (size_t)s->member[i].of, (size_t)width * sizeof *value);
}

/* Newmark: u = dt v + dt^2 ((1/2 - beta) a_old + beta a_new), solved for a_new. */
double ig_structure_acceleration(const ig_structure *s, int32_t i, double u, double dt) {
  return (u - dt * s->velocity[i] - dt * dt * (0.5 - s->beta) * s->acceleration[i]) /
         (s->beta * dt * dt);
}

/* Copies the material's law to each element, once. Memory: one ig_solid_law per element, which
   is large; hence only for groups that need it. */
ig_status ig_structure_laws_own(ig_structure *s, ig_structure_group *g) {
  if (g->law)
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &g->law, g->count, "laws"));
  for (int32_t e = 0; e < g->count; e++)
    g->law[e] = s->law[g->material[e]];
  return IG_OK;
}

/* Beams with hollow sections have points of their own. */
int ig_structure_point_count(const ig_structure_group *g, int32_t e) {
  const ig_solid_rule *rule = ig_structure_law(g, e)->rule;
  return rule ? rule->points : ig_solid_info_get(g->kind)->points;
}

/* The law of one element: its own, or that of its material. It belongs to the group or the
   model. */
const ig_solid_law *ig_structure_law(const ig_structure_group *g, int32_t e) {
  return g->law ? &g->law[e] : &g->of->law[g->material[e]];
}

/* v = R^T own, rows of R are the axes of the node. */
void ig_structure_to_fixed(const ig_structure *s, size_t node, const double own[3], double v[3]) {
  const int32_t frame = s->framed ? s->framed[node] : -1;
  const double *R = frame >= 0 ? s->frame[frame] : NULL;
  for (int d = 0; d < 3; d++)
    v[d] = R ? R[d] * own[0] + R[3 + d] * own[1] + R[6 + d] * own[2] : own[d];
}

/* Newmark: v_new = v_old + dt ((1 - gamma) a_old + gamma a_new). at->u is NULL, or the step 0,
   where the accepted state is meant. */
void ig_structure_velocity(const ig_structure *s, const ig_trial *at, ig_lid node, double v[3],
                           double *rate) {
  double own[3];
  const bool moves = at->u && at->step > 0;
  *rate = moves ? s->gamma / (s->beta * at->step) : 0;
  for (int d = 0; d < 3; d++) {
    const int32_t i = 3 * node + d;
    own[d] = s->velocity[i];
    if (moves)
      own[d] += at->step * ((1 - s->gamma) * s->acceleration[i] +
                            s->gamma * ig_structure_acceleration(s, i, at->u[i], at->step));
  }
  ig_structure_to_fixed(s, (size_t)node, own, v);
}

bool ig_structure_acts(int analysis, int64_t first, int64_t last) {
  return analysis + 1 >= first && (last == 0 || analysis + 1 <= last);
}

double ig_structure_factor(const ig_structure *s, const ig_table *history, double time) {
  if (!history->count)
    return 1;
  if (!s->proportional)
    return ig_table_at(history, time);
  const double duration =
      IG_ITEM(const ig_structure_analysis, s->c->analysis, s->analysis)->duration;
  const double from = ig_table_at(history, s->begin),
               to = ig_table_at(history, s->begin + duration);
  return from + (time - s->begin) / duration * (to - from);
}

/* scale (h(to) - h(from)) + offset (before - after): the increment of the prescribed value,
   and a share of the offset, which is removed linearly over the analysis. The offset is where
   the unknown stood beyond the prescribed value when the support began: a support that is
   switched on brings the node back to the prescribed place gradually, not at once. */
double ig_structure_led(const ig_structure *s, const ig_structure_held *h, double from, double to) {
  const ig_structure_analysis *a =
      IG_ITEM(const ig_structure_analysis, s->c->analysis, s->analysis);
  const ig_structure_support *c = IG_ITEM(const ig_structure_support, s->c->supports, h->support);
  /* Shares of the analysis that have passed; at its end the offset is gone. */
  const double before = (from - s->begin) / a->duration, after = (to - s->begin) / a->duration;
  return h->scale *
             (ig_structure_factor(s, &c->history, to) - ig_structure_factor(s, &c->history, from)) +
         h->offset * (before - after);
}

double ig_structure_face_weights(const ig_mesh *mesh, int nodes, const ig_lid *node, double w[8]) {
  double x[24];
  for (int a = 0; a < nodes; a++)
    memcpy(x + 3 * a, mesh->x + 3 * (size_t)node[a], 3 * sizeof *x);
  return ig_solid_face_weights(nodes, x, w);
}
