/* Elements that rotate far where `rotations: small`. Small-strain theory takes a rotation by an
   angle a for a strain of 1 - cos a, and forces for those of the nominal shape. */
#include "stress/run.h"
#include "mesh/geometry.h"

#include <math.h>

#include "kern/prec_f64.h"
#include "kern/hex8.inc"
#include "stress/rotation.inc"

/* Angle by which element e has rotated, of the deformation at its centre. */
static double angle_of(const ig_stress *m, ig_lid e) {
  const double *u = m->u.host;
  double x[24], now[24], xm[21], r[9], cof[9];
  if (m->type == IG_TET10) {
    double X[30], v[30];
    for (int i = 0; i < 30; i++) {
      X[i] = m->mesh->x[3 * (int64_t)m->conn[10 * (int64_t)e + i / 3] + i % 3];
      v[i] = u[3 * (int64_t)m->conn[10 * (int64_t)e + i / 3] + i % 3];
    }
    return ig_nodes_turn(10, X, v);
  }
  for (int i = 0; i < 24; i++) {
    const int64_t at = 3 * (int64_t)m->conn[8 * (int64_t)e + i / 3] + i % 3;
    x[i] = m->mesh->x[at];
    now[i] = x[i] + u[at];
  }
  hex8_modes_f64(x, 3, xm);
  const double det = hex8_cofactors_f64(xm, cof);
  hex8_modes_f64(now, 3, xm);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      r[3 * i + k] = (xm[i] * cof[k] + xm[3 + i] * cof[3 + k] + xm[6 + i] * cof[6 + k]) / det;
  if (!(hex8_cofactors_f64(r, cof) > 0))
    return M_PI; /* turned inside out */
  ig_stress_rotation_in(r);
  return acos(fmax(-1, fmin(1, 0.5 * (r[0] + r[4] + r[8] - 1))));
}

/* 0.1 rad is a false strain of 0.5 %, more than most metals stretch before they yield. Needs u on
   the host. */
void ig_stress_rotation_warn(ig_stress_run *r) {
  const ig_stress *m = r->m;
  const uint8_t *alive = m->alive.host;
  double most = 0, at[3] = {0};
  ig_lid worst = -1;
  for (ig_lid e = 0; !m->turn.dev && !r->rotated && e < m->elements; e++) {
    const double angle = alive[e] ? angle_of(m, e) : 0;
    if (angle > fmax(most, 0.1)) {
      most = angle;
      worst = e;
    }
  }
  if (worst < 0)
    return;
  r->rotated = true;
  for (int i = 0; i < 3 * m->npe; i++)
    at[i % 3] += m->mesh->x[3 * (int64_t)m->conn[m->npe * (int64_t)worst + i / 3] + i % 3] / m->npe;
  ig_warn(
      m->cx,
      "the element at (%.4g, %.4g, %.4g) m rotates by %.2g degrees, which `rotations: small` takes "
      "for a strain of %.2g: give `rotations: finite`%s",
      at[0], at[1], at[2], most * 180 / M_PI, 1 - cos(most),
      m->type == IG_TET10 ? " and hexahedra" : "");
}
