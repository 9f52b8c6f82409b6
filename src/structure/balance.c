/* Sums of loads and reactions of a static step, and whether they balance.

   Loads are the external forces of the step: entries of `loads`, pressures where they act, and what
   is left of forces out of balance at the start of the analysis (implicit/newton.h). Reactions are
   the forces of supports, and of springs that are fixed at their other end. Forces on nodes that
   follow others (couplings, ties, equations) are carried to the nodes they follow before.

   Elements are in balance with themselves, so that both sums are equal and opposite where every
   free node is in equilibrium. Linear equations, joints and springs between unlike components may
   bear forces from outside, ties over a distance and tied contact moments: then the sums are given
   without a judgement. Moments are about the origin, at displaced positions where displacements are
   large. */
#include "structure/structure.h"
#include "structure/points.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int d = 0; d < 3; d++)
    c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

static double size_of(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* f, the forces that do work on a rotation vector t, as a moment in space: with the spin T dt
   (ig_structure_turned) f = T^T m. */
static void moment_of(const double t[3], double f[3]) {
  double once[3], twice[3];
  const double a = size_of(t);
  const double c = a < 1e-3 ? 1.0 / 12 : 1 / (a * a) - (1 + cos(a)) / (2 * a * sin(a));
  cross(t, f, once);
  cross(t, once, twice);
  for (int d = 0; d < 3; d++)
    f[d] += once[d] / 2 + c * twice[d];
}

static void moment_add(const ig_structure *s, size_t node, int32_t first, const double *f,
                       ig_structure_sum *to) {
  double own[3] = {f[first], f[first + 1], f[first + 2]}, v[3];
  if (s->large)
    moment_of(s->u + first, own);
  ig_structure_to_fixed(s, node, own, v);
  for (int d = 0; d < 3; d++)
    to->moment[d] += v[d];
  to->size[1] += size_of(v);
}

/* The resultant of forces on all unknowns. turns[node]: its displacements are rotations. */
static void sum_add(const ig_structure *s, const bool *turns, const double *f,
                    ig_structure_sum *to) {
  for (size_t n = 0; n < (size_t)s->nodes; n++) {
    double v[3], u[3], x[3], m[3];
    if (s->turn && s->turn[n] >= 0)
      moment_add(s, n, s->turn[n], f, to);
    if (f[3 * n] == 0 && f[3 * n + 1] == 0 && f[3 * n + 2] == 0)
      continue;
    if (turns[n]) {
      moment_add(s, n, 3 * (int32_t)n, f, to);
      continue;
    }
    ig_structure_to_fixed(s, n, f + 3 * n, v);
    ig_structure_to_fixed(s, n, s->u + 3 * n, u);
    for (int d = 0; d < 3; d++)
      x[d] = s->mesh->x[3 * n + (size_t)d] + (s->large ? u[d] : 0);
    cross(x, v, m);
    for (int d = 0; d < 3; d++) {
      to->force[d] += v[d];
      to->moment[d] += m[d];
    }
    to->size[0] += size_of(v);
    to->size[1] += size_of(x) * size_of(v);
  }
}

/* Nodes whose displacements are rotations: `rotation_node` of couplings, `node` of joints. */
static ig_status turns_find(ig_structure *s, bool *turns) {
  for (int i = 0; i < s->c->couplings.count; i++) {
    const ig_structure_coupling *c = IG_ITEM(const ig_structure_coupling, s->c->couplings, i);
    ig_lid *node, count;
    if (!c->rotation_node)
      continue;
    IG_TRY(ig_structure_nodes(s, &c->at, c->rotation_node, &node, &count));
    for (ig_lid k = 0; k < count; k++)
      turns[node[k]] = true;
    free(node);
  }
  return IG_OK;
}

/* External forces of the accepted state: dead loads, those that follow displacements, and what is
   left of r_0. */
static ig_status loads_find(ig_structure *s, double factor, double *f) {
  IG_TRY(ig_structure_loads_at(s, s->time, f));
  IG_TRY(ig_structure_followers_at(s, s->time, f));
  const double *start = ig_newton_start(s->newton);
  for (int32_t i = 0; i < s->unknowns; i++)
    f[i] += (1 - factor) * start[i];
  return IG_OK;
}

/* Forces of supports: those out of balance at unknowns that are prescribed, with what is carried
   there from nodes that follow; and of springs that end at no node. */
static void reactions_find(ig_structure *s, double *f) {
  const double *out = ig_newton_forces(s->newton);
  for (int32_t i = 0; i < s->unknowns; i++)
    f[i] = out[i];
  ig_system_carry(s->system, f);
  for (int32_t i = 0; i < s->unknowns; i++)
    f[i] = s->held_of[i] >= 0 ? f[i] : 0;
  ig_structure_points_ground(s, f);
}

/* Whether forces (0) or moments (1) must balance. */
static bool judged(const ig_structure *s, int which) {
  if (s->c->equations.count || s->c->joints.count)
    return false;
  for (int i = 0; i < s->c->springs.count; i++) {
    const ig_structure_spring *c = IG_ITEM(const ig_structure_spring, s->c->springs, i);
    if (c->components.count > 1)
      return false;
  }
  for (int i = 0; i < s->c->couplings.count && which; i++)
    if (IG_ITEM(const ig_structure_coupling, s->c->couplings, i)->kind == IG_COUPLING_MEAN)
      return false;
  return !which || (!s->c->ties.count && !s->c->contacts.count);
}

/* Forces that the rounding of positions makes: as large as this where nothing acts at all. */
static double rounding(const ig_structure *s) {
  const ig_system *y = s->system;
  double stiff = 0;
  for (int32_t i = 0; i < y->equations; i++)
    for (int64_t k = y->first[i]; k < y->first[i + 1]; k++)
      stiff = y->column[k] == i ? fmax(stiff, fabs(y->value[k])) : stiff;
  return 16 * DBL_EPSILON * s->model.reach * stiff;
}

/* What is missing is compared with the sizes of all forces that were added, and with what Newton's
   method and rounding leave out of balance. */
static void balance_check(ig_structure *s, const ig_newton_standing *now) {
  const ig_structure_analysis *a =
      IG_ITEM(const ig_structure_analysis, s->c->analysis, s->analysis);
  const ig_structure_sum *l = &s->loaded, *r = &s->reacted;
  const double left =
      (a->tolerance * now->force + rounding(s)) * sqrt((double)s->system->equations + 1);
  for (int which = 0; which < 2; which++) {
    const double *p = which ? l->moment : l->force, *q = which ? r->moment : r->force;
    const double sum[3] = {p[0] + q[0], p[1] + q[1], p[2] + q[2]};
    const double by = size_of(sum), all = l->size[which] + r->size[which];
    if (!judged(s, which) || !(by > 1e-3 * all + left * (which ? s->model.reach : 1)))
      continue;
    ig_warn_at(
        s->cx, &a->at,
        "%s of loads and supports do not balance: they sum to (%.4g, %.4g, %.4g) %s, %.2g of "
        "what acts: look for a part that is not supported, or make `tolerance` smaller",
        which ? "moments" : "forces", sum[0], sum[1], sum[2], which ? "N m" : "N", by / all);
    return;
  }
}

ig_status ig_structure_balance(ig_structure *s, const ig_newton_standing *now) {
  bool *turns = NULL;
  double *f = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &turns, (size_t)s->nodes + 1, "balance"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &f, (size_t)s->unknowns + 1, "balance"));
  IG_TRY_GOTO(status, done, turns_find(s, turns));
  IG_TRY_GOTO(status, done, loads_find(s, now->factor, f));
  s->loaded = s->reacted = (ig_structure_sum){.force = {0}};
  sum_add(s, turns, f, &s->loaded);
  reactions_find(s, f);
  sum_add(s, turns, f, &s->reacted);
  for (int d = 0; d < 3; d++) {
    s->reacted.force[d] += s->touched.tools[0][d];
    s->reacted.moment[d] += s->touched.tools[1][d];
    s->reacted.size[0] += fabs(s->touched.tools[0][d]);
    s->reacted.size[1] += fabs(s->touched.tools[1][d]);
  }
  s->balanced = true;
  if (now->done)
    balance_check(s, now);
done:
  free(turns);
  free(f);
  return status;
}

void ig_structure_balance_list(const ig_structure *s, double value[IG_STRUCTURE_SUMS]) {
  const double *all[] = {s->loaded.force, s->reacted.force, s->loaded.moment, s->reacted.moment};
  for (int i = 0; i < IG_STRUCTURE_SUMS; i++)
    value[i] = s->balanced || !s->step ? all[i / 3][i % 3] : NAN;
}

const char *const ig_structure_sums[IG_STRUCTURE_SUMS] = {"load_x",
                                                          "load_y",
                                                          "load_z",
                                                          "reaction_x",
                                                          "reaction_y",
                                                          "reaction_z",
                                                          "load_moment_x",
                                                          "load_moment_y",
                                                          "load_moment_z",
                                                          "reaction_moment_x",
                                                          "reaction_moment_y",
                                                          "reaction_moment_z"};
