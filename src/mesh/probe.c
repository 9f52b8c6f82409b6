/* Where a probe of a case measures: nodes or elements of a set, or the nearest one to a point. */
#include "mesh/probe.h"

#include "mesh/named.h"

#include <math.h>
#include <string.h>

/* The square of the distance, m^2, which is enough to compare. */
static double distance2(const double a[3], const double b[3]) {
  double d = 0;
  for (int c = 0; c < 3; c++)
    d += (a[c] - b[c]) * (a[c] - b[c]);
  return d;
}

/* Linear search; probes are few and looked up once. */
ig_lid ig_node_near(const double *x, ig_lid nodes, const double point[3]) {
  double best = INFINITY;
  ig_lid found = 0;
  for (ig_lid n = 0; n < nodes; n++) {
    const double d = distance2(x + 3 * (int64_t)n, point);
    if (d < best) {
      best = d;
      found = n;
    }
  }
  return found;
}

/* Element with the nearest mean of nodes. */
static ig_lid element_near(const ig_mesh *mesh, const double point[3]) {
  double best = INFINITY;
  ig_lid found = 0, e = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const int nn = ig_elem_info_get(block->type)->nodes;
    for (ig_lid i = 0; i < block->count; i++, e++) {
      double mean[3] = {0};
      for (int a = 0; a < nn; a++)
        for (int c = 0; c < 3; c++)
          mean[c] += mesh->x[3 * (int64_t)block->conn[nn * (int64_t)i + a] + c] / nn;
      const double d = distance2(mean, point);
      if (d < best) {
        best = d;
        found = e;
      }
    }
  }
  return found;
}

/* A point more than a tenth of the diagonal outside the mesh has a wrong unit. */
static ig_status point_check(ig_ctx *cx, const ig_mesh *mesh, const ig_src *at, const double p[3]) {
  double low[3], high[3];
  ig_mesh_bounds(mesh, low, high);
  const double near = 0.1 * sqrt(distance2(low, high));
  for (int c = 0; c < 3; c++)
    if (p[c] < low[c] - near || p[c] > high[c] + near)
      return ig_fail_at(cx, at,
                        "this probe's point (%g, %g, %g) m is outside the mesh (%g to %g, %g to "
                        "%g, %g to %g m): is the unit right?",
                        p[0], p[1], p[2], low[0], high[0], low[1], high[1], low[2], high[2]);
  return IG_OK;
}

/* Nodes or elements of a set, or the one nearest to a point; look->item is the caller's to free. */
ig_status ig_look_find(ig_ctx *cx, const ig_mesh *mesh, const ig_src *at, const char *set,
                       const double point[3], bool elements, ig_look *look) {
  if (set && !isnan(point[0]))
    return ig_fail_at(cx, at, "a probe has a `set` or a `point`, not both");
  if (set && !elements)
    return ig_mesh_named_nodes(cx, mesh, at, set, &look->item, &look->count);
  if (set) {
    const ig_set *found;
    IG_TRY(ig_mesh_named_set(cx, mesh, at, set, IG_OF_ELEMENTS, &found));
    IG_TRY(IG_NEW(cx, &look->item, found->count, "probes"));
    memcpy(look->item, found->item, sizeof(ig_lid) * (size_t)found->count);
    look->count = found->count;
    return IG_OK;
  }
  if (isnan(point[0]))
    return ig_fail_at(cx, at, "a probe needs a `set` or a `point`");
  const double where[3] = {point[0], point[1], isnan(point[2]) ? 0 : point[2]};
  IG_TRY(point_check(cx, mesh, at, where));
  IG_TRY(IG_NEW(cx, &look->item, 1, "probes"));
  *look->item = elements ? element_near(mesh, where) : ig_node_near(mesh->x, mesh->nodes, where);
  look->count = 1;
  return IG_OK;
}
