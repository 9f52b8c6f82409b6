/* Turns about the normal of flat shells, in statics.

   A shell does not resist the turn of a particle about its normal. Where its elements stand at a
   small angle a to each other, bending resists it a^2 times as much as other turns: a mode that
   relaxation would have to wait for, although the displacements hardly know of it. Where a^2 is
   below the tolerance such turns are stopped, and their moments count as held. */
#include "dynamics/model.h"

#include "kern/prec_f64.h"

#include <math.h>
#include <string.h>

/* Corners of the triangles of a shell element: one, or both ways to cut a quadrilateral. */
static const int CUT[IG_QUAD_CUTS][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};

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

/* Adds the normals at the corners, whichever way they point; or, once they are known, strikes out
   those that stray from the sum by more than the cosine allows. */
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

typedef enum { ADD, STRIKE } visit_kind;
static void shells_visit(const ig_dyn_model *m, visit_kind kind, double cosine, double *normal) {
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    const int npe = g->g_f64.npe;
    const ig_dyn_family family = ig_dyn_element_of[g->kind].family;
    for (ig_lid s = 0; s < g->slots; s++) {
      const int32_t *conn = (const int32_t *)g->conn.host + (int64_t)s * npe;
      if (g->element[s] < 0 || family == IG_FAMILY_SOLID)
        continue;
      if (family == IG_FAMILY_SHELL && kind == ADD)
        element_add(m, conn, npe, normal);
      else if (family == IG_FAMILY_SHELL)
        element_strike(m, conn, npe, cosine, normal);
      else if (kind == STRIKE && g->kind != IG_DYN_BAR) /* beams resist every turn */
        for (int a = 0; a < npe; a++)
          memset(normal + 3 * (int64_t)conn[a], 0, 3 * sizeof *normal);
    }
  }
}

/* The free part of a unit normal: along turns that nothing prescribes. */
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

bool ig_dyn_drills(const ig_dyn_model *m) {
  bool shells = false;
  for (int k = 0; k < m->groups; k++)
    shells |= ig_dyn_element_of[m->group[k].kind].family == IG_FAMILY_SHELL;
  return shells && m->p.dofs == 6;
}

void ig_dyn_drill_normals(const ig_dyn_model *m, double tolerance, double *normal) {
  const int64_t nodes = m->p.nodes;
  memset(normal, 0, 3 * (size_t)nodes * sizeof *normal);
  shells_visit(m, ADD, 0, normal);
  for (int64_t n = 0; n < nodes; n++) {
    const double size = sqrt(dot_f64(normal + 3 * n, normal + 3 * n));
    for (int c = 0; c < 3; c++)
      normal[3 * n + c] = size > 0 ? normal[3 * n + c] / size : 0;
  }
  /* two elements at the angle a are a / 2 from their mean: cos is 1 - a^2 / 8 */
  shells_visit(m, STRIKE, 1 - fmin(tolerance, 1e-2) / 8, normal);
  for (int64_t n = 0; n < nodes; n++)
    normal_free(m, n, normal + 3 * n);
}

void ig_dyn_drill_out(const ig_dyn_model *m, const double *normal, double *turns) {
  for (int64_t n = 0; n < m->p.nodes; n++) {
    double *t = turns + n * m->p.dofs + 3;
    const double along = dot_f64(t, normal + 3 * n);
    for (int c = 0; c < 3; c++)
      t[c] -= along * normal[3 * n + c];
  }
}
