/* Places: option tables, checks, and the test whether a point is inside. All comparisons have a
   tolerance, because nodes on a plane of the user are there only up to rounding. */
#include "mesh/place.h"

#include <math.h>

#define POINT_HELP "two entries in the plane, three in space"

/* Keys of the shapes. Corners and points are lists, because they have two entries in the plane and
   three in space. */
static const ig_option in_box_options[] = {
    IG_REALS(ig_in_box, min, "m", NULL, 0, 0, "lowest corner; left out: no bound"),
    IG_REALS(ig_in_box, max, "m", NULL, 0, 0, "highest corner; left out: no bound"), IG_END};
static const ig_option in_cylinder_options[] = {
    IG_REALS(ig_in_cylinder, from, "m", IG_REQUIRED, 0, 0, "one end of the axis"),
    IG_REALS(ig_in_cylinder, to, "m", IG_REQUIRED, 0, 0, "the other end"),
    IG_REAL(ig_in_cylinder, radius, "m", IG_REQUIRED, IG_POSITIVE, 1e9, "radius"),
    IG_REAL(ig_in_cylinder, inner, "m", "0", 0, 1e9, "nothing closer to the axis than this"),
    IG_END};
static const ig_option in_sphere_options[] = {
    IG_REALS(ig_in_sphere, center, "m", IG_REQUIRED, 0, 0, "center; " POINT_HELP),
    IG_REAL(ig_in_sphere, radius, "m", IG_REQUIRED, IG_POSITIVE, 1e9, "radius"),
    IG_REAL(ig_in_sphere, inner, "m", "0", 0, 1e9, "nothing closer to the center than this"),
    IG_END};
static const ig_option in_plane_options[] = {
    IG_REALS(ig_in_plane, point, "m", IG_REQUIRED, 0, 0, "a point on the plane; " POINT_HELP),
    IG_REALS(ig_in_plane, normal, "", IG_REQUIRED, 0, 0, "its normal, of any length"),
    IG_REAL(ig_in_plane, within, "m", "0", 0, 1e9, "how far on either side still counts"), IG_END};

const ig_option ig_place_options[] = {
    IG_MAP(ig_place, box, ig_in_box, in_box_options, NULL, "inside this box"),
    IG_MAP(ig_place, cylinder, ig_in_cylinder, in_cylinder_options, NULL, "inside this cylinder"),
    IG_MAP(ig_place, sphere, ig_in_sphere, in_sphere_options, NULL,
           "inside this sphere; a circle in the plane"),
    IG_MAP(ig_place, plane, ig_in_plane, in_plane_options, NULL,
           "on this plane, or in a slab about it"),
    IG_END};

/* Entry d of a point; points in the plane have two. */
static double entry(const ig_reals *r, int d, double fallback) {
  return d < r->count ? r->value[d] : fallback;
}

/* Points have two or three entries; a bound of a box may be missing altogether. */
static ig_status row_check(ig_ctx *cx, const ig_src *at, const ig_reals *r, const char *key,
                           bool required) {
  if (r->count > 3 || r->count == 1 || (required && r->count == 0))
    return ig_fail_at(cx, at, "%s has %d entries: expected 2 (plane) or 3", key, r->count);
  return IG_OK;
}

/* NaN fails both comparisons. */
static ig_status radii_check(ig_ctx *cx, const ig_src *at, double inner, double radius) {
  if (!(radius > 0))
    return ig_fail_at(cx, at, "radius: %g: expected more than 0", radius);
  if (!(inner >= 0 && inner <= radius))
    return ig_fail_at(cx, at, "inner: %g: expected 0 to radius, %g", inner, radius);
  return IG_OK;
}

/* To be called before ig_place_has, which relies on it. */
ig_status ig_place_check(ig_ctx *cx, const ig_place *p) {
  if (!p->box.at.given && !p->cylinder.at.given && !p->sphere.at.given && !p->plane.at.given)
    return ig_fail_at(cx, &p->at, "no place given: expected box, cylinder, sphere or plane");
  if (p->box.at.given) {
    IG_TRY(row_check(cx, &p->box.at, &p->box.min, "min", false));
    IG_TRY(row_check(cx, &p->box.at, &p->box.max, "max", false));
    for (int d = 0; d < 3; d++)
      if (entry(&p->box.min, d, -INFINITY) > entry(&p->box.max, d, INFINITY))
        return ig_fail_at(cx, &p->box.at, "min is above max: the box is empty");
  }
  if (p->cylinder.at.given) {
    IG_TRY(row_check(cx, &p->cylinder.at, &p->cylinder.from, "from", true));
    IG_TRY(row_check(cx, &p->cylinder.at, &p->cylinder.to, "to", true));
    IG_TRY(radii_check(cx, &p->cylinder.at, p->cylinder.inner, p->cylinder.radius));
    double length = 0;
    for (int d = 0; d < 3; d++)
      length += fabs(entry(&p->cylinder.to, d, 0) - entry(&p->cylinder.from, d, 0));
    if (!(length > 0))
      return ig_fail_at(cx, &p->cylinder.at,
                        "from and to are the same point: expected the cylinder's axis");
  }
  if (p->sphere.at.given) {
    IG_TRY(row_check(cx, &p->sphere.at, &p->sphere.center, "center", true));
    IG_TRY(radii_check(cx, &p->sphere.at, p->sphere.inner, p->sphere.radius));
  }
  if (p->plane.at.given) {
    IG_TRY(row_check(cx, &p->plane.at, &p->plane.point, "point", true));
    IG_TRY(row_check(cx, &p->plane.at, &p->plane.normal, "normal", true));
    double length = 0;
    for (int d = 0; d < 3; d++)
      length += fabs(entry(&p->plane.normal, d, 0));
    if (!(length > 0))
      return ig_fail_at(cx, &p->plane.at, "normal is zero: expected a direction");
    if (!(p->plane.within >= 0))
      return ig_fail_at(cx, &p->plane.at, "within: %g: expected 0 or more", p->plane.within);
  }
  return IG_OK;
}

/* A missing corner or entry is no bound. */
static bool in_box(const ig_in_box *b, const double *x, double tolerance) {
  for (int d = 0; d < 3; d++)
    if (x[d] < entry(&b->min, d, -INFINITY) - tolerance ||
        x[d] > entry(&b->max, d, INFINITY) + tolerance)
      return false;
  return true;
}

/* inner = 0 means solid; without this exception points on the axis could fail by the tolerance. */
static bool in_shell(double r, double inner, double radius, double tolerance) {
  return r <= radius + tolerance && (inner == 0 || r >= inner - tolerance);
}

/* Distance along the axis and from it: along = (x - from) . a / |a|, off = x - from - along a /
   |a|. */
static bool in_cylinder(const ig_in_cylinder *c, const double *x, double tolerance) {
  double axis[3], from[3], length = 0, along = 0, off = 0;
  for (int d = 0; d < 3; d++) {
    axis[d] = entry(&c->to, d, 0) - entry(&c->from, d, 0);
    from[d] = x[d] - entry(&c->from, d, 0);
    length += axis[d] * axis[d];
    along += axis[d] * from[d];
  }
  length = sqrt(length);
  along /= length;
  for (int d = 0; d < 3; d++) {
    const double r = from[d] - along * axis[d] / length;
    off += r * r;
  }
  return along >= -tolerance && along <= length + tolerance &&
         in_shell(sqrt(off), c->inner, c->radius, tolerance);
}

/* A shell between inner and outer radius; a center that was left out is the origin. */
static bool in_sphere(const ig_in_sphere *s, const double *x, double tolerance) {
  double r = 0;
  for (int d = 0; d < 3; d++) {
    const double off = x[d] - entry(&s->center, d, 0);
    r += off * off;
  }
  return in_shell(sqrt(r), s->inner, s->radius, tolerance);
}

/* Distance from the plane is |n . (x - p)| / |n|; multiplied by |n| to avoid the division. */
static bool in_plane(const ig_in_plane *p, const double *x, double tolerance) {
  double away = 0, length = 0;
  for (int d = 0; d < 3; d++) {
    const double n = entry(&p->normal, d, 0);
    away += n * (x[d] - entry(&p->point, d, 0));
    length += n * n;
  }
  return fabs(away) <= (p->within + tolerance) * sqrt(length);
}

/* Inside of everything that is given; the tolerance, m, widens all of it. */
bool ig_place_has(const ig_place *p, const double *x, double tolerance) {
  return (!p->box.at.given || in_box(&p->box, x, tolerance)) &&
         (!p->cylinder.at.given || in_cylinder(&p->cylinder, x, tolerance)) &&
         (!p->sphere.at.given || in_sphere(&p->sphere, x, tolerance)) &&
         (!p->plane.at.given || in_plane(&p->plane, x, tolerance));
}
