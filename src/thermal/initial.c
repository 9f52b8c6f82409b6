/* Temperatures at the start, where a case gives them by set or from another run's snapshot. */
#include "mesh/named.h"
#include "thermal/thermal.h"
#ifdef INGOT_HAVE_IO
#include "io/vtkhdf.h"
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef INGOT_HAVE_IO
/* Points that belong to a cell: the others were not born yet, and say nothing. */
static ig_status points_used(ig_ctx *cx, const ig_snapshot *snap, uint8_t **used) {
  IG_TRY(IG_NEW(cx, used, snap->points, "snapshot"));
  for (int64_t i = 0; i < snap->corners; i++)
    (*used)[snap->corner[i]] = 1;
  return IG_OK;
}

/* The point of the snapshot at x; -1: there is none within `tie`. */
static int32_t point_at(const ig_bins *bins, const double *point, const double *x, double tie) {
  double low[3], high[3], best = tie * tie;
  int from[3], to[3];
  int32_t found = -1;
  for (int d = 0; d < 3; d++) {
    low[d] = x[d] - tie;
    high[d] = x[d] + tie;
  }
  if (!ig_bins_range(bins, low, high, from, to))
    return -1;
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++)
      for (int i = from[0]; i <= to[0]; i++) {
        const int64_t bin = i + (int64_t)bins->cells[0] * (y + (int64_t)bins->cells[1] * z);
        for (int32_t n = bins->start[bin]; n < bins->start[bin + 1]; n++) {
          const double *p = &point[3 * (int64_t)bins->item[n]];
          const double apart = pow(p[0] - x[0], 2) + pow(p[1] - x[1], 2) + pow(p[2] - x[2], 2);
          if (apart <= best) {
            best = apart;
            found = bins->item[n];
          }
        }
      }
  return found;
}

/* Temperatures of the snapshot's points at the same places, in any order. node: count of them */
static ig_status snapshot_take(ig_thermal_run *run, const ig_thermal_initial *c,
                               const ig_snapshot *snap, const ig_field *field, const ig_lid *node,
                               ig_lid count, double *T) {
  ig_ctx *cx = run->job->cx;
  const double *x = run->job->mesh->x;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t n = 0; n < snap->points; n++)
    for (int d = 0; d < 3; d++) {
      low[d] = fmin(low[d], snap->point[3 * n + d]);
      high[d] = fmax(high[d], snap->point[3 * n + d]);
    }
  const double size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
  uint8_t *used = NULL;
  ig_bins bins;
  memset(&bins, 0, sizeof bins);
  ig_lid missing = 0, first = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, points_used(cx, snap, &used));
  IG_TRY_GOTO(status, done,
              ig_bins_new(cx, &bins, (int32_t)snap->points, snap->point,
                          fmax(size / cbrt((double)snap->points + 1), 1e-300)));
  for (ig_lid i = 0; i < count; i++) {
    const int32_t p = point_at(&bins, snap->point, &x[3 * (int64_t)node[i]], 1e-6 * size);
    if (p < 0 && missing++ == 0)
      first = node[i];
    if (p >= 0 && used[p])
      T[node[i]] = ig_field_number(field, p);
    if (p >= 0 && used[p] && !(T[node[i]] >= 0 && T[node[i]] < 1e5)) {
      status = ig_fail_at(cx, &c->at, "'%s' has %g K at node %d: expected 0 to 1e5 K", c->file,
                          T[node[i]], (int)node[i]);
      goto done;
    }
  }
  if (missing)
    status = ig_fail_at(cx, &c->at,
                        "'%s' has no point at %d of %d nodes, the first at (%g, %g, %g) m: the two "
                        "runs need the same mesh",
                        c->file, (int)missing, (int)count, x[3 * (int64_t)first],
                        x[3 * (int64_t)first + 1], x[3 * (int64_t)first + 2]);
done:
  free(used);
  ig_bins_free(&bins);
  return status;
}

static ig_status from_file(ig_thermal_run *run, const ig_thermal_initial *c, const ig_lid *node,
                           ig_lid count, double *T) {
  ig_ctx *cx = run->job->cx;
  ig_snapshot *snap = NULL;
  IG_TRY(ig_snapshot_read(cx, c->file, &snap));
  const ig_field *field = ig_snapshot_find(snap, IG_AT_POINTS, c->field);
  ig_status status;
  if (!field)
    status = ig_fail_at(cx, &c->at, "'%s' has no field '%s' at its points", c->file, c->field);
  else if (snap->points == 0 || snap->points > INT32_MAX)
    status = ig_fail_at(cx, &c->at, "'%s' has %lld points", c->file, (long long)snap->points);
  else
    status = snapshot_take(run, c, snap, field, node, count, T);
  ig_snapshot_free(snap);
  return status;
}
#else
static ig_status from_file(ig_thermal_run *run, const ig_thermal_initial *c, const ig_lid *node,
                           ig_lid count, double *T) {
  (void)node, (void)count, (void)T;
  return IG_FAIL(run->job->cx, IG_UNSUPPORTED,
                 "%s: this build reads no files: configure with -DINGOT_IO=ON", c->file);
}
#endif

static ig_status nodes_of(ig_thermal_run *run, const ig_thermal_initial *c, ig_lid **node,
                          ig_lid *count) {
  const ig_mesh *mesh = run->job->mesh;
  if (c->set)
    return ig_mesh_named_nodes(run->job->cx, mesh, &c->at, c->set, node, count);
  *count = mesh->nodes;
  IG_TRY(IG_NEW(run->job->cx, node, *count, "nodes"));
  for (ig_lid n = 0; n < *count; n++)
    (*node)[n] = n;
  return IG_OK;
}

ig_status ig_thermal_initials(ig_thermal_run *run) {
  const ig_list *list = &run->c->initial;
  if (list->count == 0)
    return IG_OK;
  IG_TRY(IG_NEW(run->job->cx, &run->initial, run->job->mesh->nodes, "initial temperatures"));
  for (ig_lid n = 0; n < run->job->mesh->nodes; n++)
    run->initial[n] = run->c->initial_temperature;
  for (int i = 0; i < list->count; i++) {
    const ig_thermal_initial *c = IG_ITEM(const ig_thermal_initial, *list, i);
    if (isnan(c->temperature) == !c->file)
      return ig_fail_at(run->job->cx, &c->at,
                        "an initial temperature needs either a temperature or a file");
    ig_lid *node = NULL, count = 0;
    ig_status status = nodes_of(run, c, &node, &count);
    for (ig_lid n = 0; n < count && status == IG_OK && !c->file; n++)
      run->initial[node[n]] = c->temperature;
    if (status == IG_OK && c->file)
      status = from_file(run, c, node, count, run->initial);
    free(node);
    IG_TRY(status);
  }
  return IG_OK;
}
