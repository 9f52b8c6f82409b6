/* Planes of symmetry: a half or a quarter of a part is measured as the whole would be. */
#include "mesh/named.h"
#include "stress/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether the nodes are all of the mesh on its side (0: low, 1: high) along an axis. */
static bool whole_side(const ig_stress_run *r, const ig_lid *node, ig_lid count, int axis, int side,
                       double *at) {
  const double *x = r->job->mesh->x;
  double low = INFINITY, high = -INFINITY;
  ig_lid there = 0;
  for (ig_lid n = 0; n < r->m->nodes; n++) {
    low = fmin(low, x[3 * (int64_t)n + axis]);
    high = fmax(high, x[3 * (int64_t)n + axis]);
  }
  *at = side ? high : low;
  for (ig_lid n = 0; n < r->m->nodes; n++)
    there += fabs(x[3 * (int64_t)n + axis] - *at) <= r->mirror.near;
  for (ig_lid i = 0; i < count; i++)
    if (fabs(x[3 * (int64_t)node[i] + axis] - *at) > r->mirror.near)
      return false;
  return there == count;
}

/* A support that holds x, y or z and nothing else, of a whole side of the mesh, all the time: marks
   the side in `on`. */
static ig_status side_find(ig_stress_run *r, const ig_stress_support *s, bool on[3][2],
                           double at[3][2]) {
  ig_lid *node, count;
  if (!s->fix || strlen(s->fix) != 1 || s->fix[0] < 'x' || s->fix[0] > 'z' || s->since ||
      s->until || s->equal || !isnan(s->displacement[0]))
    return IG_OK;
  const int axis = s->fix[0] - 'x';
  IG_TRY(ig_mesh_named_nodes(r->m->cx, r->m->mesh, &s->at, s->set, &node, &count));
  for (int side = 0; side < 2; side++)
    on[axis][side] |= whole_side(r, node, count, axis, side, &at[axis][side]);
  free(node);
  return IG_OK;
}

/* Not z: no build is symmetric upwards. Where z is held so as well, rollers on three sides hold a
   whole body that is free to expand. */
ig_status ig_stress_mirror_find(ig_stress_run *r) {
  const double *x = r->job->mesh->x;
  bool on[3][2] = {{false}};
  double most = 0, at[3][2] = {{0}};
  for (int64_t i = 0; i < 3 * (int64_t)r->m->nodes; i++)
    most = fmax(most, fabs(x[i]));
  r->mirror.near = 1e-7 * most; /* files of meshes have seven digits at least */
  for (int i = 0; i < r->c->supports.count; i++)
    IG_TRY(side_find(r, IG_ITEM(const ig_stress_support, r->c->supports, i), on, at));
  for (int k = 0; k < 4 && !on[2][0] && !on[2][1]; k++) {
    r->mirror.on[k / 2][k % 2] = on[k / 2][k % 2];
    r->mirror.at[k / 2][k % 2] = at[k / 2][k % 2];
  }
  return IG_OK;
}

bool ig_stress_mirror_meets(const ig_stress_mirror *m, const double x[3], int axis) {
  for (int side = 0; side < 2; side++)
    if (m->on[axis][side] && fabs(x[axis] - m->at[axis][side]) <= m->near)
      return true;
  return false;
}
