/* Overhangs of the part as it is exported: area of its surface that faces the build plate and is
   flatter than an angle. The overhang filter works on densities of elements; what matters to the
   printer is the surface, which smoothing and gray elements may make flatter. So the surface
   itself is measured, and the run warns where more than a small share of it would need supports. */
#include "topopt/output.h"
#include "topopt/case/boundary_conditions.h"
#include "topopt/surface/surface.h"

#include <math.h>
#include <stdio.h>

static const double DEGREES = 57.29577951308232;
/* Faces of an angle that is just allowed lie on both sides of it by rounding. In degrees. */
static const double SLACK = 1;

/* The element of a grid behind a triangle is kept solid. 0.3 of an element behind the triangle
   is safely within the element it bounds. Images beyond planes of symmetry are folded back. */
static bool kept(const ig_topopt_grid_model *m, const double *middle, const double *normal) {
  const uint8_t *role = m->role.host;
  int i[3];
  for (int d = 0; d < 3; d++) {
    const int n = m->whole.n[d];
    i[d] = (int)floor(middle[d] / m->h[d] - 0.3 * normal[d]);
    i[d] = i[d] < 0 ? -1 - i[d] : i[d] >= n ? 2 * n - 1 - i[d] : i[d]; /* its image */
    if (i[d] < 0 || i[d] >= n)
      return false;
  }
  return role[ig_grid_place(&m->whole, i[0], i[1], i[2])] == IG_ROLE_SOLID;
}

void ig_topopt_part_facet(const ig_topopt_part *s, int64_t t, double *middle, double *normal,
                          double *area) {
  double x[3][3], p[3], q[3], size = 0;
  for (int d = 0; d < 3; d++) {
    middle[d] = 0;
    for (int i = 0; i < 3; i++) {
      x[i][d] = (double)s->vertex[s->triangle[t][i]][d];
      middle[d] += x[i][d] / 3;
    }
    p[d] = x[1][d] - x[0][d];
    q[d] = x[2][d] - x[0][d];
  }
  for (int d = 0; d < 3; d++) {
    normal[d] = p[(d + 1) % 3] * q[(d + 2) % 3] - p[(d + 2) % 3] * q[(d + 1) % 3];
    size += normal[d] * normal[d];
  }
  size = sqrt(size);
  *area = 0.5 * size;
  for (int d = 0; d < 3; d++)
    normal[d] /= size > 0 ? size : 1;
}

/* Areas below 30, 45, 60 degrees and the angle of the case; triangles that stand on the plate do
   not count. */
ig_status ig_topopt_overhang_put(const ig_topopt_run *r, ig_sink *sink,
                                 const ig_topopt_part *part) {
  enum { ANGLES = 4 };
  const ig_overhang_case *c = &r->s->c->overhang;
  const double asked = isnan(c->angle) ? 45 : c->angle;
  const double angle[ANGLES] = {30, 45, 60, asked};
  double area[ANGLES] = {0}, held = 0, lowest = INFINITY;
  int axis, up;
  if (!c->at.given || !ig_topopt_plane_read(c->direction, 3, &axis, &up))
    return IG_OK;
  const double sign = up ? 1 : -1, slack = 0.01 * cbrt(r->d->volume);
  for (int64_t v = 0; v < part->vertices; v++)
    lowest = fmin(lowest, sign * (double)part->vertex[v][axis]);
  for (int64_t t = 0; t < part->triangles; t++) {
    double middle[3], normal[3], size;
    ig_topopt_part_facet(part, t, middle, normal, &size);
    const double down = -sign * normal[axis];
    if (down <= 0 || sign * middle[axis] - lowest < slack) /* it looks up, or stands on the plate */
      continue;
    const double from_plate = acos(fmin(1, down)) * DEGREES;
    for (int i = 0; i < ANGLES; i++)
      area[i] += from_plate < angle[i] - SLACK ? size : 0;
    if (!r->job->mesh && !ig_topopt_divided(r->d) && from_plate < asked - SLACK)
      held += kept(r->d->self, middle, normal) ? size : 0;
  }
  for (int i = 0; i < 3; i++) {
    char key[32];
    snprintf(key, sizeof key, "overhang_area_%g", angle[i]);
    IG_TRY(sink->result(sink, key, "m^2", area[i]));
  }
  IG_TRY(sink->result(sink, "overhang_area", "m^2", area[3]));
  /* no rank of a divided grid knows all of what is kept solid: a run that asks for it has the same
     figures on any number of ranks */
  if (!r->job->mesh && !ig_topopt_divided(r->d) && r->s->c->ranks != IG_RANKS_DIVIDE)
    IG_TRY(sink->result(sink, "overhang_area_held", "m^2", held));
  if (held > 0.01 * part->area)
    ig_warn(r->s->cx,
            "overhang: %.3g mm2 of elements kept solid ('passive') face the plate at less than %g "
            "degrees: the filter does not support them, give them supports",
            1e6 * held, asked);
  else if (area[3] - held > 0.02 * part->area)
    ig_warn(r->s->cx,
            "overhang: %.3g mm2 of the surface, %.2g %%, face the plate at less than %g degrees%s",
            1e6 * area[3], 100 * area[3] / part->area, asked,
            r->e.grayness > 5 ? ": the design is gray; use a projection, or more iterations" : "");
  return IG_OK;
}
