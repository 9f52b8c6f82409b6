/* Loads that act on held nodes alone, and forces on each node of quadratic meshes. */
#include "mesh/load_check.h"
#include "core/ctx.h"
#include "mesh/mesh_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ig_load_reaches(ig_load_reach *r, const double *force, int components, unsigned held) {
  double size = 0;
  for (int d = 0; d < components; d++)
    size += force[d] * force[d];
  for (int d = 0; d < components; d++) {
    if (force[d] == 0 || !(fabs(force[d]) > 1e-9 * sqrt(size)))
      continue;
    r->acts |= 1u << d;
    r->moves |= (1u << d) & ~held;
  }
}

void ig_load_normal(int corners, const double x[][3], double normal[3]) {
  double a[3], b[3] = {0, 0, 1};
  const int from = corners == 4 ? 3 : 2, to = corners == 4 ? 1 : 0;
  for (int d = 0; d < 3; d++) {
    a[d] = x[corners == 4 ? 2 : 1][d] - x[0][d];
    b[d] = corners > 2 ? x[from][d] - x[to][d] : b[d];
  }
  for (int d = 0; d < 3; d++)
    normal[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* Of each component: 0 where no force acts, 1 where nodes are held along it, 2 where one moves. */
void ig_load_reach_get(const ig_load_reach *r, double number[IG_REACH_NUMBERS]) {
  for (int d = 0; d < IG_REACH_NUMBERS; d++)
    number[d] = (r->acts >> d & 1) + (r->moves >> d & 1);
}
void ig_load_reach_set(ig_load_reach *r, const double number[IG_REACH_NUMBERS]) {
  r->acts = r->moves = 0;
  for (int d = 0; d < IG_REACH_NUMBERS; d++) {
    r->acts |= number[d] > 0 ? 1u << d : 0;
    r->moves |= number[d] > 1 ? 1u << d : 0;
  }
}

void ig_warn_held(ig_ctx *cx, const ig_src *at, const ig_load_reach *r) {
  static const char *const names[] = {
      "x", "y", "z", "moment about x", "moment about y", "moment about z"};
  const unsigned lost = r->acts & ~r->moves;
  char list[80] = "";
  for (int d = 0; d < 6; d++)
    if (lost >> d & 1)
      snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
               names[d]);
  if (lost && lost == r->acts)
    ig_warn_at(cx, at,
               "the whole of this load acts on nodes that supports hold or lead along it: it loads "
               "these supports and nothing else");
  else if (lost)
    ig_warn_at(cx, at,
               "what this load has along %s acts on nodes that supports or planes of symmetry hold "
               "there: it loads these and nothing else",
               list);
}

ig_status ig_warn_equal_forces(ig_ctx *cx, const ig_src *at, const ig_mesh *mesh, const char *name,
                               const ig_lid *node, ig_lid count, const double *force) {
  uint8_t *of;
  ig_lid middles = 0, corners = 0;
  bool any = false;
  for (int b = 0; b < mesh->blocks; b++)
    any |= ig_elem_corners(mesh->block[b].type) < ig_elem_info_get(mesh->block[b].type)->nodes;
  if (!any || count < 2)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &of, (size_t)mesh->nodes + 1, "middles of edges"));
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *k = &mesh->block[b];
    const int nodes = ig_elem_info_get(k->type)->nodes, own = ig_elem_corners(k->type);
    for (int64_t i = 0; i < (int64_t)k->count * nodes; i++)
      of[k->conn[i]] |= i % nodes < own ? 1 : 2;
  }
  for (ig_lid i = 0; i < count; i++) {
    if (node[i] >= mesh->nodes)
      continue;
    middles += of[node[i]] == 2;
    corners += of[node[i]] == 1;
  }
  free(of);
  if (middles && corners && force)
    ig_warn_at(cx, at,
               "`force` acts on each of the %d nodes of '%s', middles of edges among them: "
               "(%g, %g, %g) N in all, and not as a traction does; give `total`, their sum, on a "
               "set of faces",
               (int)count, name, count * force[0], count * force[1], count * force[2]);
  else if (middles && corners)
    ig_warn_at(cx, at,
               "`total`: each of the %d nodes of '%s' has the same share, middles of edges as "
               "corners, which no traction has; name a set of faces",
               (int)count, name);
  return IG_OK;
}
