/* Draft of the part as it is exported: angles between its walls and the direction in which tools
   are drawn. The filter works on densities; what sticks in a mould is the surface, so the surface
   itself is measured. */
#include "topopt/output.h"

#include <math.h>
#include <stdlib.h>

static const double DEGREES = 57.29577951308232;
/* Triangles were moved by up to a twentieth of an element to make them better, which tilts them:
   walls of an angle that is just met lie on both sides of it. In degrees. */
static const double SLACK = 2;
static const double LEAST = 0.01; /* share of the walls that may have less than `draft_angle` */

typedef struct {
  double angle, area;
} wall;

static int by_angle(const void *a, const void *b) {
  const double p = ((const wall *)a)->angle, q = ((const wall *)b)->angle;
  return (p > q) - (p < q);
}

/* Cut off by a side of the grid, which the filter cannot incline. */
static bool on_side(const ig_topopt_grid_model *m, const double *middle, int axis) {
  bool on = false;
  for (int d = 0; d < 3; d++)
    on = on || (d != axis && (fabs(middle[d]) < 0.01 * m->h[d] ||
                              fabs(fabs(middle[d]) - m->whole.n[d] * m->h[d]) < 0.01 * m->h[d]));
  return on;
}

/* Walls but those at the parting, where tools meet and the part ends; areas of walls on the sides.
 */
static int64_t walls_find(const ig_topopt_grid_model *m, const ig_topopt_part *part, wall *list,
                          double *sides) {
  const int axis = m->draw.axis;
  const double split = m->draw.split * m->h[axis], asked = m->c->draw_direction.angle - SLACK;
  int64_t n = 0;
  for (int64_t t = 0; t < part->triangles; t++) {
    double middle[3], normal[3], size;
    ig_topopt_part_facet(part, t, middle, normal, &size);
    const double above = middle[axis] - split;
    if (fabs(above) < m->h[axis])
      continue;
    const double out = fmin(1, fmax(-1, above > 0 ? normal[axis] : -normal[axis]));
    if (on_side(m, middle, axis))
      *sides += asin(out) * DEGREES < asked ? size : 0;
    else
      list[n++] = (wall){asin(out) * DEGREES, size};
  }
  return n;
}

ig_status ig_topopt_draft_put(const ig_topopt_run *r, ig_sink *sink, const ig_topopt_part *part) {
  const ig_draw_case *c = &r->s->c->draw_direction;
  double sides = 0, all = 0, below = 0, sum = 0, least = 90;
  wall *list;
  if (!(c->angle > 0) || r->job->mesh)
    return IG_OK;
  IG_TRY(IG_NEW(r->s->cx, &list, part->triangles, "walls"));
  const int64_t n = walls_find(r->d->self, part, list, &sides);
  qsort(list, (size_t)n, sizeof *list, by_angle);
  for (int64_t i = 0; i < n; i++) {
    all += list[i].area;
    below += list[i].angle < c->angle - SLACK ? list[i].area : 0;
  }
  for (int64_t i = n - 1; i >= 0; i--) { /* from the flattest on, until a share is left */
    sum += list[i].area;
    if (sum <= (1 - LEAST) * all)
      least = list[i].angle;
  }
  free(list);
  IG_TRY(sink->result(sink, "draft_angle", "degrees", least));
  IG_TRY(sink->result(sink, "draft_area_below", "m^2", below));
  IG_TRY(sink->result(sink, "draft_area_sides", "m^2", sides));
  if (below > 0.02 * part->area)
    ig_warn_at(
        r->s->cx, &c->at,
        "draw_direction: %.3g mm2 of the walls, %.2g %% of the surface, have a draft below %g "
        "degrees%s",
        1e6 * below, 100 * below / part->area, c->angle,
        r->e.grayness > 5 ? ": the design is gray; use a projection, or more iterations"
                          : "; elements held solid ('passive') may have upright walls");
  return IG_OK;
}
