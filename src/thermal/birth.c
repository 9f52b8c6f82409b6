/* Birth times from toolpaths. */
#include "thermal/birth.h"
#include "mesh/named.h"
#include "thermal/bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ig_status born_set(ig_ctx *cx, const ig_birth_case *c, const ig_mesh *mesh, ig_lid **items,
                          ig_lid *count, double *birth) {
  const ig_lid elements = ig_mesh_elements(mesh);
  for (ig_lid e = 0; e < elements; e++)
    birth[e] = -INFINITY;
  for (int s = 0; s < c->set.count; s++) {
    const ig_set *set;
    IG_TRY(ig_mesh_named_set(cx, mesh, &c->at, c->set.value[s], IG_OF_ELEMENTS, &set));
    for (ig_lid i = 0; i < set->count; i++)
      birth[set->item[i]] = INFINITY;
  }
  *count = 0;
  for (ig_lid e = 0; e < elements; e++)
    *count += birth[e] == INFINITY;
  IG_TRY(IG_NEW(cx, items, *count, "elements to be born"));
  ig_lid n = 0;
  for (ig_lid e = 0; e < elements; e++)
    if (birth[e] == INFINITY)
      (*items)[n++] = e;
  return IG_OK;
}

/* Elements whose centre lies in the bead of a scanning piece. */
static void bead_births(const ig_birth_case *c, const ig_toolpath *p, const ig_bins *bins,
                        const double *place, double *when) {
  const double half = 0.5 * c->width * (1 + 1e-9), slack = 1e-6 * c->height;
  for (int64_t i = 0; i + 1 < p->count; i++) {
    const double *a = &p->x[3 * i], *b = &p->x[3 * i + 3];
    const double time = p->t[i + 1] - p->t[i];
    if (p->power[i] <= 0 || time <= 0)
      continue;
    const double d[2] = {b[0] - a[0], b[1] - a[1]}, length = sqrt(d[0] * d[0] + d[1] * d[1]);
    const double speed = length / time;
    double low[3], high[3];
    for (int k = 0; k < 2; k++) {
      low[k] = fmin(a[k], b[k]) - half;
      high[k] = fmax(a[k], b[k]) + half;
    }
    low[2] = fmin(a[2], b[2]) - c->height;
    high[2] = fmax(a[2], b[2]) + slack;
    int from[3], to[3];
    if (!ig_bins_range(bins, low, high, from, to))
      continue;
    for (int z = from[2]; z <= to[2]; z++)
      for (int y = from[1]; y <= to[1]; y++)
        for (int x = from[0]; x <= to[0]; x++) {
          const int64_t bin = x + (int64_t)bins->cells[0] * (y + (int64_t)bins->cells[1] * z);
          for (int32_t n = bins->start[bin]; n < bins->start[bin + 1]; n++) {
            const int32_t e = bins->item[n];
            const double *q = &place[3 * (int64_t)e];
            const double r[2] = {q[0] - a[0], q[1] - a[1]};
            double along = length > 0 ? (r[0] * d[0] + r[1] * d[1]) / length : 0;
            const double ends = along < 0 ? along : along > length ? along - length : 0;
            const double side =
                length > 0 ? (r[0] * d[1] - r[1] * d[0]) / length : sqrt(r[0] * r[0] + r[1] * r[1]);
            if (side * side + ends * ends > half * half)
              continue;
            const double s = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
            const double top = a[2] + s * (b[2] - a[2]);
            if (q[2] > top + slack || q[2] < top - c->height - slack)
              continue;
            double t = p->t[i];
            if (speed > 0)
              t += (fmin(fmax(along, 0), length) - c->lead) / speed;
            when[e] = fmin(when[e], fmax(t, 0));
          }
        }
  }
}

/* Elements whose centre lies under a level the path reaches, within the layer's height. */
static void layer_births(const ig_birth_case *c, const ig_toolpath *p, ig_lid count,
                         const double *place, double *when) {
  const double slack = 1e-6 * c->height;
  double level = NAN;
  for (int64_t i = 0; i + 1 < p->count; i++) {
    const double z = p->x[3 * i + 2];
    if (p->power[i] <= 0 || p->t[i + 1] <= p->t[i] || fabs(z - level) < slack)
      continue;
    level = z;
    for (ig_lid e = 0; e < count; e++) {
      const double q = place[3 * (int64_t)e + 2];
      if (q <= z + slack && q > z - c->height - slack)
        when[e] = fmin(when[e], p->t[i]);
    }
  }
}

ig_status ig_birth_times(ig_ctx *cx, const ig_birth_case *c, const ig_mesh *mesh,
                         const ig_toolpath *paths, int count, double *birth, ig_lid *never) {
  if (c->by == IG_BIRTH_BEAD && isnan(c->width))
    return ig_fail_at(cx, &c->at, "birth by bead needs the bead's width");
  ig_lid *item = NULL, items = 0;
  double *place = NULL, *when = NULL;
  ig_bins bins;
  memset(&bins, 0, sizeof bins);
  *never = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, born_set(cx, c, mesh, &item, &items, birth));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &place, 3 * (size_t)items, "births"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &when, items, "births"));
  for (ig_lid i = 0; i < items; i++) {
    const ig_lid *conn = &mesh->block[0].conn[8 * (int64_t)item[i]];
    for (int a = 0; a < 8; a++)
      for (int d = 0; d < 3; d++)
        place[3 * (int64_t)i + d] += mesh->x[3 * (int64_t)conn[a] + d] / 8;
    when[i] = INFINITY;
  }
  if (c->by == IG_BIRTH_BEAD)
    IG_TRY_GOTO(status, done, ig_bins_new(cx, &bins, items, place, c->width));
  for (int p = 0; p < count; p++)
    if (c->by == IG_BIRTH_BEAD)
      bead_births(c, &paths[p], &bins, place, when);
    else
      layer_births(c, &paths[p], items, place, when);
  for (ig_lid i = 0; i < items; i++) {
    birth[item[i]] = when[i];
    *never += when[i] == INFINITY;
  }
  if (*never == items && items > 0)
    status = ig_fail_at(cx, &c->at,
                        "no pass of a beam reaches any element that is to be born: "
                        "check the path's z, unit and the bead's size");
done:
  ig_bins_free(&bins);
  free(item);
  free(place);
  free(when);
  return status;
}
