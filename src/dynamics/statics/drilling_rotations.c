/* Turns about the normal of flat shells, in statics.

   A shell does not resist the turn of a particle about its normal. Where its elements stand at a
   small angle a to each other, bending resists it a^2 times as much as other turns: a mode that
   relaxation would have to wait for, although the displacements hardly know of it. Where a^2 is
   below the tolerance such turns are stopped, and their moments count as held. Between that and
   SOFT they are led: each particle turns to where its own moment M vanishes, by M / k in one
   stretch of steps, with k = sum over elements of sin^2 x bending stiffness of a corner. */
#include "dynamics/model/part.h"

#include "kern/prec_f64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Angle between elements, squared, up to which turns are led: beyond, they are as fast as bending.
   A corner's bending stiffness: 4 D x longest side over height, as of a strip clamped at its other
   end (an estimate from above for the triangles there are; a smaller share is just slower). Turns
   of one stretch: neighbours turn too, hence a part (with half of it a plate of 96 x 10 cells, bent
   far out of its plane, never came to rest); and no farther than MOST. */
static const double HELD = 0.01, SOFT = 0.02, CORNER = 4, PART = 0.2, MOST = 0.01;

/* Corners of the triangles of a shell element: one, or both ways to cut a quadrilateral. */
static const int CUT[IG_QUAD_CUTS][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};

/* Unit normal of a triangle of the element at the positions on the host; false: it has no area. */
static bool normal_of(const ig_dyn_model *m, const int32_t *conn, int cut, double n[3]) {
  double x[3][3], a[3], b[3];
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++)
      x[k][c] = ig_dyn_get(m, &m->x, 3 * (int64_t)conn[CUT[cut][k]] + c);
  ig_dyn_sub(x[1], x[0], a);
  ig_dyn_sub(x[2], x[0], b);
  cross_f64(a, b, n);
  const double size = sqrt(dot_f64(n, n));
  for (int c = 0; c < 3 && size > 0; c++)
    n[c] /= size;
  return size > 0;
}

/* Adds the normals at the corners, whichever way they point; element_strike then removes those
   of particles where an element strays from the mean by more than the cosine allows. */
static void element_add(const ig_dyn_model *m, const int32_t *conn, int npe, double *normal) {
  double n[3];
  for (int cut = 0; cut < (npe == 4 ? IG_QUAD_CUTS : 1); cut++)
    if (normal_of(m, conn, cut, n))
      for (int k = 0; k < 3; k++) {
        double *sum = normal + 3 * (int64_t)conn[CUT[cut][k]];
        const double sign = dot_f64(sum, n) < 0 ? -1 : 1;
        for (int c = 0; c < 3; c++)
          sum[c] += sign * n[c];
      }
}

/* See element_add. */
static void element_strike(const ig_dyn_model *m, const int32_t *conn, int npe, double cosine,
                           double *normal) {
  double n[3];
  for (int cut = 0; cut < (npe == 4 ? IG_QUAD_CUTS : 1); cut++)
    if (normal_of(m, conn, cut, n))
      for (int k = 0; k < 3; k++) {
        double *mean = normal + 3 * (int64_t)conn[CUT[cut][k]];
        if (fabs(dot_f64(mean, n)) < cosine)
          mean[0] = mean[1] = mean[2] = 0;
      }
}

/* Stiffness of turns about the normals at the corners, Nm: see the head of the file. */
static void element_stiffen(const ig_dyn_model *m, const ig_dyn_group *g, const int32_t *conn,
                            const double *normal, double *stiffness) {
  const int cuts = g->g_f64.npe == 4 ? IG_QUAD_CUTS : 1;
  const double t = g->g_f64.thickness, nu = g->g_f64.mat.poisson,
               young = 2 * g->g_f64.mat.shear * (1 + nu),
               bending = young * t * t * t / (12 * (1 - nu * nu)) / (cuts > 1 ? 2 : 1);
  double n[3];
  for (int cut = 0; cut < cuts; cut++) {
    if (!normal_of(m, conn, cut, n))
      continue;
    double longest = 0, side[3], other[3], twice[3];
    for (int k = 0; k < 3; k++) {
      for (int c = 0; c < 3; c++) {
        const double at = ig_dyn_get(m, &m->x, 3 * (int64_t)conn[CUT[cut][k]] + c);
        side[c] = ig_dyn_get(m, &m->x, 3 * (int64_t)conn[CUT[cut][(k + 1) % 3]] + c) - at;
        other[c] = ig_dyn_get(m, &m->x, 3 * (int64_t)conn[CUT[cut][(k + 2) % 3]] + c) - at;
      }
      longest = fmax(longest, dot_f64(side, side));
    }
    cross_f64(side, other, twice); /* length x height */
    const double corner = CORNER * bending * longest / sqrt(dot_f64(twice, twice));
    for (int k = 0; k < 3; k++) {
      const int64_t at = conn[CUT[cut][k]];
      const double cosine = dot_f64(normal + 3 * at, n);
      stiffness[at] +=
          corner * fmax(0, dot_f64(normal + 3 * at, normal + 3 * at) - cosine * cosine);
    }
  }
}

/* Three passes over the same elements with the same order. */
typedef enum { ADD, STRIKE, STIFFEN } visit_kind;
static void shell_visit(const ig_dyn_model *m, const ig_dyn_group *g, ig_lid s, visit_kind kind,
                        double cosine, double *normal, double *stiffness) {
  const int npe = g->g_f64.npe;
  const int32_t *conn = (const int32_t *)g->conn.host + (int64_t)s * npe;
  const ig_dyn_family family = ig_dyn_element_of[g->kind].family;
  if (((const ig_lid *)g->ids.host)[s] < 0)
    return;
  if (family == IG_FAMILY_SHELL && kind == ADD)
    element_add(m, conn, npe, normal);
  else if (family == IG_FAMILY_SHELL && kind == STIFFEN)
    element_stiffen(m, g, conn, normal, stiffness);
  else if (family == IG_FAMILY_SHELL)
    element_strike(m, conn, npe, cosine, normal);
  else if (kind == STRIKE && g->kind != IG_DYN_BAR) /* beams resist every turn */
    for (int a = 0; a < npe; a++)
      memset(normal + 3 * (int64_t)conn[a], 0, 3 * sizeof *normal);
}

/* Elements in the order of the whole: sums at particles have it. */
static ig_status shells_visit(ig_dyn_model *m, visit_kind kind, double cosine, double *normal,
                              double *stiffness) {
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    ig_lid *order = NULL;
    if (ig_dyn_element_of[g->kind].family == IG_FAMILY_SOLID)
      continue;
    IG_TRY(ig_dyn_slots_ordered(m, k, &order));
    for (ig_lid i = 0; i < (order ? g->count : g->slots); i++)
      shell_visit(m, g, order ? order[i] : i, kind, cosine, normal, stiffness);
    free(order);
  }
  return IG_OK;
}

/* The free part of a unit normal: along turns that nothing prescribes. 0 where little of it is
   left, or where a body or tie carries the particle. */
static void normal_free(const ig_dyn_model *m, int64_t n, double *normal) {
  const int32_t *bound = m->carried.bound.host, *moves = m->held.move.host;
  const int32_t move = moves ? moves[n] : 0;
  for (int c = 0; c < 3 && move; c++)
    if (((const ig_dyn_motion *)m->held.motion.host)[move].kind[3 + c] != IG_MOVE_FREE)
      normal[c] = 0;
  const double left = dot_f64(normal, normal);
  for (int c = 0; c < 3; c++)
    normal[c] = left > 0.5 && !(bound && bound[n]) ? normal[c] / sqrt(left) : 0;
}

/* Rotations of particles exist (dofs 6) and some elements are shells. */
bool ig_dyn_drills(const ig_dyn_model *m) {
  bool shells = false;
  for (int k = 0; k < m->groups; k++)
    shells |= ig_dyn_element_of[m->group[k].kind].family == IG_FAMILY_SHELL;
  return shells && m->p.dofs == 6;
}

/* Unit normals where elements stand at an angle below sqrt(square) to each other, else 0. */
static ig_status normals_below(ig_dyn_model *m, double square, double *normal) {
  const int64_t nodes = m->p.nodes;
  memset(normal, 0, 3 * (size_t)nodes * sizeof *normal);
  IG_TRY(shells_visit(m, ADD, 0, normal, NULL));
  for (int64_t n = 0; n < nodes; n++) {
    const double size = sqrt(dot_f64(normal + 3 * n, normal + 3 * n));
    for (int c = 0; c < 3; c++)
      normal[3 * n + c] = size > 0 ? normal[3 * n + c] / size : 0;
  }
  /* two elements at the angle a are a / 2 from their mean: cos is 1 - a^2 / 8 */
  IG_TRY(shells_visit(m, STRIKE, 1 - square / 8, normal, NULL));
  for (int64_t n = 0; n < nodes; n++)
    normal_free(m, n, normal + 3 * n);
  return IG_OK;
}

ig_status ig_dyn_drill_normals(ig_dyn_model *m, double tolerance, double *normal) {
  return normals_below(m, fmin(HELD * tolerance, SOFT / 2), normal);
}

void ig_dyn_drill_out(const ig_dyn_model *m, const double *normal, double *turns) {
  for (int64_t n = 0; n < m->p.nodes; n++) {
    double *t = turns + n * m->p.dofs + 3;
    const double along = dot_f64(t, normal + 3 * n);
    for (int c = 0; c < 3; c++)
      t[c] -= along * normal[3 * n + c];
  }
}

/* Velocities of one stretch: no turn about `flat` normals; where it is not flat but nearly so
   (SOFT), a turn by PART x moment / stiffness, at most MOST, spread over the stretch. */
ig_status ig_dyn_drill_lead(ig_dyn_model *m, const double *flat, const double *net, double seconds,
                            double *v) {
  const int64_t nodes = m->p.nodes;
  double *normal;
  IG_TRY(IG_NEW(m->cx, &normal, 4 * nodes + 1, "relaxation"));
  double *stiffness = normal + 3 * nodes;
  memset(stiffness, 0, (size_t)nodes * sizeof *stiffness);
  ig_status status = normals_below(m, SOFT, normal);
  if (status == IG_OK)
    status = shells_visit(m, STIFFEN, 0, normal, stiffness);
  ig_dyn_drill_out(m, flat, v);
  for (int64_t n = 0; n < nodes; n++) {
    const double *to = normal + 3 * n, *moment = net + n * m->p.dofs + 3;
    double *t = v + n * m->p.dofs + 3;
    if (dot_f64(flat + 3 * n, flat + 3 * n) > 0 || !(stiffness[n] > 0))
      continue;
    const double turn = fmax(-MOST, fmin(MOST, PART * dot_f64(moment, to) / stiffness[n]));
    const double change = turn / seconds - dot_f64(t, to);
    for (int c = 0; c < 3; c++)
      t[c] += change * to[c];
  }
  free(normal);
  return status;
}
