/* Coordinate systems of Nastran: resolves the chain of definitions recursively (a system may be
   defined in another system or by nodes that are themselves in a system) and moves all nodes to the
   basic system. States of systems and nodes detect cycles. */
#include "io/mesh/nastran_place.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  ig_gather *g;
  const char *path;
  const int64_t *system; /* of each node */
  uint8_t *state;        /* ig_place_state of each node */
  ig_nastran_system *all;
  int systems, depth;
} places;

/* Depth of nested systems: a guard for the stack. */
enum { NESTED = 200 };

static ig_status node_place(places *in, ig_lid node);

/* By its number; NULL: the file does not define it. Files have few systems. */
static ig_nastran_system *system_find(const places *in, int64_t id) {
  for (int k = 0; k < in->systems; k++)
    if (in->all[k].id == id)
      return &in->all[k];
  return NULL;
}

/* Coordinates in a system (angles in degrees) to the basic system. C: r, theta, z. S: r, theta from
   z, phi from x. */
static void to_basic(const ig_nastran_system *s, double *x) {
  const double turn = acos(-1) / 180;
  double local[3] = {x[0], x[1], x[2]};
  if (s->form == 'C') {
    local[0] = x[0] * cos(turn * x[1]);
    local[1] = x[0] * sin(turn * x[1]);
  } else if (s->form == 'S') { /* theta from z, phi from x */
    local[0] = x[0] * sin(turn * x[1]) * cos(turn * x[2]);
    local[1] = x[0] * sin(turn * x[1]) * sin(turn * x[2]);
    local[2] = x[0] * cos(turn * x[1]);
  }
  for (int d = 0; d < 3; d++)
    x[d] = s->origin[d] + local[0] * s->axis[0][d] + local[1] * s->axis[1][d] +
           local[2] * s->axis[2][d];
}

/* Axes from an origin, a point on z, and a point in the x-z plane, by Gram-Schmidt; false: the
   points are on a line. From three points: origin, a point on the z axis, a point in the x-z plane
   (CORD2R). false: they lie on a line. */
static bool axes_make(ig_nastran_system *s, const double *p) {
  double length = 0, along = 0;
  for (int d = 0; d < 3; d++) {
    s->origin[d] = p[d];
    s->axis[2][d] = p[3 + d] - p[d];
    length += s->axis[2][d] * s->axis[2][d];
  }
  for (int d = 0; d < 3; d++) {
    s->axis[2][d] /= sqrt(length);
    along += s->axis[2][d] * (p[6 + d] - p[d]);
  }
  length = 0;
  for (int d = 0; d < 3; d++) {
    s->axis[0][d] = p[6 + d] - p[d] - along * s->axis[2][d];
    length += s->axis[0][d] * s->axis[0][d];
  }
  for (int d = 0; d < 3; d++)
    s->axis[0][d] /= sqrt(length);
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    s->axis[1][d] = s->axis[2][e] * s->axis[0][f] - s->axis[2][f] * s->axis[0][e];
  }
  return length > 0 && isfinite(s->axis[2][0]) && isfinite(s->axis[0][0]);
}

/* Resolves a system once; *out is valid when it is done. A system may be given in another one or by
   nodes, which are placed first; a circle of them is refused. */
static ig_status system_place(places *in, int64_t id, const ig_nastran_system **out) {
  ig_nastran_system *s = system_find(in, id);
  double p[9];
  if (!s)
    return IG_FAIL(in->g->cx, IG_INPUT,
                   "%s: coordinate system %lld is none of this file's CORD1R, CORD1C, CORD1S, "
                   "CORD2R, CORD2C, CORD2S",
                   in->path, (long long)id);
  *out = s;
  if (s->state == IG_PLACE_DONE)
    return IG_OK;
  /* The depth is limited as well, since systems are placed by recursion. */
  if (s->state == IG_PLACE_BUSY || in->depth > NESTED)
    return IG_FAIL(in->g->cx, IG_INPUT, "%s: coordinate system %lld depends on itself", in->path,
                   (long long)id);
  s->state = IG_PLACE_BUSY;
  in->depth++;
  /* The system in which the three points are given, or NULL for the basic one. */
  const ig_nastran_system *base = NULL;
  if (!s->by_nodes && s->base != 0)
    IG_TRY(system_place(in, s->base, &base));
  for (int i = 0; i < 3; i++) {
    const double *from = &s->point[3 * i];
    if (s->by_nodes) {
      const ig_lid node = ig_mesh_build_find_node(in->g, s->node[i]);
      if (node < 0)
        return IG_FAIL(in->g->cx, IG_INPUT,
                       "%s: coordinate system %lld uses node %lld, which is not in the file",
                       in->path, (long long)id, (long long)s->node[i]);
      IG_TRY(node_place(in, node));
      from = &in->g->x[3 * (size_t)node];
    }
    for (int d = 0; d < 3; d++)
      p[3 * i + d] = from[d];
    if (base)
      to_basic(base, &p[3 * i]);
  }
  if (!axes_make(s, p))
    return IG_FAIL(in->g->cx, IG_INPUT, "%s: coordinate system %lld: its points lie on a line",
                   in->path, (long long)id);
  in->depth--;
  s->state = IG_PLACE_DONE;
  return IG_OK;
}

static ig_status node_place(places *in, ig_lid node) {
  if (in->state[node] == IG_PLACE_DONE)
    return IG_OK;
  if (in->state[node] == IG_PLACE_BUSY)
    return IG_FAIL(in->g->cx, IG_INPUT, "%s: coordinate system %lld depends on a node placed in it",
                   in->path, (long long)in->system[node]);
  in->state[node] = IG_PLACE_BUSY;
  if (in->system[node] != 0) {
    const ig_nastran_system *s;
    IG_TRY(system_place(in, in->system[node], &s));
    to_basic(s, &in->g->x[3 * (size_t)node]);
  }
  in->state[node] = IG_PLACE_DONE;
  return IG_OK;
}

/* Turns coordinates in other systems into those of the basic one, in place. */
ig_status ig_nastran_place(ig_gather *g, const char *path, const int64_t *system,
                           ig_nastran_system *all, int systems) {
  places in = {.g = g, .path = path, .system = system, .all = all, .systems = systems};
  ig_status status = IG_NEW(g->cx, &in.state, g->nodes, "places of nodes");
  for (ig_lid n = 0; status == IG_OK && n < g->nodes; n++)
    status = node_place(&in, n);
  free(in.state);
  return status;
}
