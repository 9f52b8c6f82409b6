/* Fields of snapshots: which are wanted and there; the pressure of contact, which is made of
   forces and areas on the host. */
#include "dynamics/run.h"
#include "dynamics/model/part.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>

/* Whether triangle k is on the surface now; without erosion all outer ones are. */
static bool is_open(const ig_dyn_model *m, int64_t k) {
  if (!m->p.erosion.alive)
    return true;
  return ig_dyn_part_open(m, k);
}

/* `pressure`: nodes of the part. Force along the normal over the
   particle's share of the open surface as it is now; 0 away from surfaces. */
ig_status ig_dyn_contact_pressure(ig_dyn_model *m, double *pressure) {
  double *normal = NULL; /* x 3: of that share, as long as it is large */
  IG_TRY(ig_array_pull(m->cx, &m->x));
  IG_TRY(ig_array_pull(m->cx, &m->contact.press));
  if (m->contact.open.count)
    IG_TRY(ig_array_pull(m->cx, &m->contact.open));
  IG_TRY(IG_NEW(m->cx, &normal, 3 * (int64_t)m->mesh->nodes + 1, "contact pressure"));
  for (int64_t k = 0; k < (m->p.erosion.alive ? m->contact.skins : m->contact.outer); k++) {
    const int32_t *t = m->contact.skin + 3 * k;
    if (!is_open(m, k))
      continue;
    double a[3], b[3], n[3];
    for (int c = 0; c < 3; c++) {
      const double x = ig_dyn_get(m, &m->x, 3 * (int64_t)t[0] + c);
      a[c] = ig_dyn_get(m, &m->x, 3 * (int64_t)t[1] + c) - x;
      b[c] = ig_dyn_get(m, &m->x, 3 * (int64_t)t[2] + c) - x;
    }
    cross_f64(a, b, n);
    for (int i = 0; i < 9; i++)
      normal[3 * (int64_t)t[i / 3] + i % 3] += n[i % 3] / 6;
  }
  for (int64_t i = 0; i < m->mesh->nodes; i++) {
    double f[3];
    for (int c = 0; c < 3; c++)
      f[c] = ig_dyn_get(m, &m->contact.press, 3 * i + c);
    const double *n = normal + 3 * i, area2 = dot_f64(n, n);
    pressure[i] = area2 > 0 ? fabs(dot_f64(f, n)) / area2 : 0;
  }
  free(normal);
  return IG_OK;
}

/* Fields that the model has (section forces need shells or lines, contact forces need contact or
   tools) and that the case asks for. */
int ig_dyn_shown_list(const ig_dyn_job *r, ig_dyn_shown *list) {
  static const ig_dyn_shown all[IG_DYN_SHOWN] = {
      {IG_SHOWN_DISPLACEMENT, "displacement", "m", IG_AT_POINTS, IG_F64, 3},
      {IG_SHOWN_VELOCITY, "velocity", "m/s", IG_AT_POINTS, IG_F64, 3},
      {IG_SHOWN_STRESS, "stress", "Pa", IG_AT_ELEMENTS, IG_F32, 6},
      {IG_SHOWN_MISES, "von_mises", "Pa", IG_AT_ELEMENTS, IG_F32, 1},
      {IG_SHOWN_PLASTIC, "plastic_strain", "", IG_AT_ELEMENTS, IG_F32, 1},
      {IG_SHOWN_SECTION, "section_force", "", IG_AT_ELEMENTS, IG_F32, 6},
      {IG_SHOWN_SURFACE, "surface_stress", "Pa", IG_AT_ELEMENTS, IG_F32, 6},
      {IG_SHOWN_FORCE, "contact_force", "N", IG_AT_POINTS, IG_F64, 3},
      {IG_SHOWN_PRESSURE, "contact_pressure", "Pa", IG_AT_POINTS, IG_F64, 1}};
  const ig_dyn_model *m = r->m;
  bool there[IG_DYN_SHOWN] = {true, true, true, true, true};
  int count = 0;
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_family family = ig_dyn_element_of[m->group[k].kind].family;
    there[IG_SHOWN_SECTION] |= family != IG_FAMILY_SOLID;
    there[IG_SHOWN_SURFACE] |= family == IG_FAMILY_SHELL;
  }
  there[IG_SHOWN_FORCE] = there[IG_SHOWN_PRESSURE] = m->c->tools.count > 0 || ig_dyn_touches(m);
  for (int i = 0; i < IG_DYN_SHOWN; i++)
    if (there[i] && ig_output_wants(r->job->output, all[i].name))
      list[count++] = all[i];
  return count;
}
