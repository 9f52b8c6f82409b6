/* Points of contact: where they are, and which places of the other side they meet. Where an
   analysis begins, each point is paired with the nearest place of the other side, and anew after
   each step in which it has slid by a tenth of a face. A point beyond the edge of the other side
   meets nothing. */
#include "contact/points.h"
#include "contact/search.h"
#include "mesh/face_place.h"
#include "mesh/face_share.h"
#include "mesh/geometry.h"
#include "mesh/named.h"
#include "mesh/topology.h"
#include "solid/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ig_contact_free(ig_contact *t) {
  free(t->point);
  free(t->unknown);
  *t = (ig_contact){0};
}

double ig_contact_face_size(const ig_contact *s, const ig_contact_point *t) {
  const double *x = s->bodies.mesh->x;
  const ig_lid *node = t->node + (t->masters ? t->slaves : 0);
  const int nodes = t->masters ? t->masters : t->slaves;
  double size = nodes > 1 ? 0 : t->area;
  for (int a = 1; a < nodes && a < 4; a++) {
    double square = 0;
    for (size_t k = 0; k < 3; k++)
      square += pow(x[3 * (size_t)node[a] + k] - x[3 * (size_t)node[0] + k], 2);
    size = fmax(size, square);
  }
  return sqrt(size);
}

/* The other side of a contact: its faces where they are and as drawn (made where they are needed),
   and how far away a point may meet them. */
typedef struct {
  const ig_set *set;
  double reach;
  ig_contact_search now, drawn;
} facing;

static void facing_free(facing *o) {
  ig_contact_search_free(&o->now);
  ig_contact_search_free(&o->drawn);
}

/* Whether the nearest place is on the edge of the other side, with the point beside it: further off
   across the normal than half its distance and a fiftieth of the face. (Over a ridge of the surface
   the nearest place is on an edge, too, but then it is below the point.) */
static bool beyond_edge(const ig_contact *s, const ig_contact_point *t, const ig_contact_face *f,
                        const double p[3]) {
  double v[3] = {p[0], p[1], p[2]}, gap = 0, far = 0;
  for (int a = 0; a < f->nodes; a++)
    for (int k = 0; k < 3; k++)
      v[k] += t->share[t->slaves + a] * f->x[a][k];
  for (int k = 0; k < 3; k++)
    gap += v[k] * t->normal[k];
  for (int k = 0; k < 3; k++)
    far += pow(v[k] - gap * t->normal[k], 2);
  return sqrt(far) > 0.5 * fabs(gap) + 0.02 * ig_contact_face_size(s, t);
}

/* Whether the face of a point, by its normal in the middle, looks towards the face that it meets:
   by more than 101 degrees apart from its direction. */
static bool looks_towards(const ig_contact *s, const ig_contact_point *t) {
  double x[8][3], N[8], d[8][2], n[3];
  const double third = 1.0 / 3,
               middle[2] = {t->slaves % 3 == 0 ? third : 0, t->slaves % 3 == 0 ? third : 0};
  for (int a = 0; a < t->slaves; a++)
    s->bodies.place(s->bodies.self, t->node[a], NULL, x[a]);
  ig_face_values(t->slaves, middle, N, d);
  ig_face_normal(t->slaves, (const double(*)[3])x, (const double(*)[2])d, n);
  return n[0] * t->normal[0] + n[1] * t->normal[1] + n[2] * t->normal[2] < -0.2;
}

/* Pairs a point with the nearest place of the other side; false: nothing is within reach. t gets
   nodes, shares (negative, since the distance is x - y), normal and derivatives of the face. */
static bool pair_find(const ig_contact *s, const ig_contact_search *other, const double p[3],
                      double reach, ig_contact_point *t) {
  double N[8];
  const int32_t face = ig_contact_search_nearest(other, p, reach, t->at);
  if (face < 0)
    return false;
  const ig_contact_face *f = &other->face[face];
  t->masters = f->nodes;
  ig_face_values(f->nodes, t->at, N, t->slope);
  for (int a = 0; a < f->nodes; a++) {
    t->node[t->slaves + a] = f->node[a];
    t->share[t->slaves + a] = -N[a];
  }
  ig_face_normal(f->nodes, (const double(*)[3])f->x, (const double(*)[2])t->slope, t->normal);
  const bool any = !IG_ITEM(const ig_contact_case, *s->list, t->contact)->facing;
  return !beyond_edge(s, t, f, p) && (any || looks_towards(s, t));
}

void ig_contact_relative(const ig_contact *s, const ig_contact_point *t, const double *add,
                         double r[3]) {
  r[0] = r[1] = r[2] = 0;
  for (int a = 0; a < t->slaves + t->masters; a++) {
    double x[3];
    s->bodies.place(s->bodies.self, t->node[a], add, x);
    for (int d = 0; d < 3; d++)
      r[d] += t->share[a] * x[d];
  }
}

/* A point that meets nothing yet, and may later. Nodes without an area of their own take that of
   the face they meet where the analysis begins: they need one then. */
static ig_status loose_add(ig_contact *s, const ig_contact_case *c, ig_contact_point *t) {
  if (c->tied || c->sliding || !(t->area > 0))
    return IG_OK;
  t->masters = 0;
  ig_contact_relative(s, t, NULL, t->before);
  memcpy(t->offset, t->before, sizeof t->offset);
  IG_TRY(IG_MORE(s->bodies.cx, &s->point, s->count, "contact"));
  s->point[s->count++] = *t;
  return IG_OK;
}

/* What `clearance` adds to the distance of a point: its value less the distance as drawn, from the
   place of the other side that the point meets there. Where it meets none, the present one counts,
   unless the sides overlap. */
static double shift_of(const ig_contact *s, const ig_contact_case *c, const facing *other,
                       const ig_contact_point *t) {
  ig_contact_point start = *t;
  double p[3] = {0, 0, 0}, gap = 0;
  if (isnan(c->clearance))
    return 0;
  for (int a = 0; a < t->slaves; a++)
    for (int k = 0; k < 3; k++)
      p[k] += t->share[a] * s->bodies.mesh->x[3 * (size_t)t->node[a] + (size_t)k];
  const bool met = pair_find(s, &other->drawn, p, other->reach, &start);
  for (int k = 0; k < 3; k++) {
    double r = met ? p[k] : t->before[k];
    for (int a = t->slaves; met && a < t->slaves + start.masters; a++)
      r += start.share[a] * s->bodies.mesh->x[3 * (size_t)start.node[a] + (size_t)k];
    gap += r * (met ? start.normal[k] : t->normal[k]);
  }
  return c->clearance - (met ? gap : fmax(gap, 0));
}

/* Integrals of the shape functions of a face as drawn; returns its area. */
static double face_weights(const ig_mesh *mesh, int nodes, const ig_lid *node, double w[8]) {
  double x[24];
  for (int a = 0; a < nodes; a++)
    memcpy(x + (size_t)(3 * a), mesh->x + 3 * (size_t)node[a], 3 * sizeof *x);
  return ig_solid_face_weights(nodes, x, w);
}

/* A point that meets a tool, wherever it is. */
static ig_status tool_add(ig_contact *s, const double p[3], bool again, ig_contact_point *t) {
  double n[3];
  const double gap = ig_contact_tool_gap(s, t->tool, s->time, p, n, t->before, NULL);
  t->overlap = again ? fmin(gap, 0) : 0;
  memcpy(t->normal, n, sizeof n);
  memcpy(t->offset, t->before, sizeof t->offset);
  IG_TRY(IG_MORE(s->bodies.cx, &s->point, s->count, "contact"));
  s->point[s->count++] = *t;
  return IG_OK;
}

/* Pairs a point whose own nodes, shares and area are there, and adds it where it finds a place.
   again: the contact was off in the analysis before, so that an overlap is released gradually.
   `clearance` replaces the drawn distance by its own value. A node on no element has the area of
   the face that it meets. */
static ig_status point_add(ig_contact *s, const ig_contact_case *c, const facing *other,
                           const double p[3], bool again, ig_contact_point *t) {
  double gap = 0;
  if (t->tool)
    return tool_add(s, p, again, t);
  if (!pair_find(s, &other->now, p, other->reach, t))
    return loose_add(s, c, t);
  if (!(t->area > 0)) {
    double w[8];
    t->area = face_weights(s->bodies.mesh, t->masters, t->node + t->slaves, w);
  }
  ig_contact_relative(s, t, NULL, t->before);
  memcpy(t->offset, t->before, sizeof t->offset);
  for (int k = 0; k < 3; k++)
    gap += t->normal[k] * t->before[k];
  t->shift = shift_of(s, c, other, t);
  t->overlap = again ? fmin(gap + t->shift, 0) : 0;
  IG_TRY(IG_MORE(s->bodies.cx, &s->point, s->count, "contact"));
  s->point[s->count++] = *t;
  return IG_OK;
}

/* Pressure over penetration at a face of the first side. By default contact adds 2 % to what the
   layer of elements there gives way, in any unit of length.
   50 E / length, length the element's depth under the face (volume over area): CalculiX's value
   for hard contact where `length` is 1. */
static double stiffness_of(const ig_contact *s, const ig_contact_case *c, ig_lid element,
                           int face) {
  ig_lid local;
  const ig_block *b = ig_mesh_element(s->bodies.mesh, element, &local);
  if (!isnan(c->stiffness))
    return c->stiffness;
  const double length = !isnan(c->length) ? c->length
                                          : fabs(ig_elem_measure(s->bodies.mesh, b, local, NULL)) /
                                                ig_face_measure(s->bodies.mesh, b, local, face);
  return (c->times > 0 ? c->times : 50) * s->bodies.young(s->bodies.self, element) / length;
}

/* The nodes of the first side, each with its share of the faces of the surface around it.
   Node to face. Areas are those of the linear shape functions; quadratic faces have corner
   weights that are 0 or negative, hence NaN and an error. */
static ig_status contact_nodes(ig_contact *s, int i, const ig_contact_case *c, const facing *other,
                               int tool, bool again) {
  ig_boundary boundary = {0};
  double *area = NULL, *stiffness = NULL;
  ig_lid *node = NULL, count = 0;
  ig_status status;
  IG_TRY(ig_mesh_named_nodes(s->bodies.cx, s->bodies.mesh, &c->at, c->set, &node, &count));
  IG_TRY_GOTO(status, done, ig_mesh_boundary(s->bodies.cx, s->bodies.mesh, &boundary));
  IG_TRY_GOTO(status, done, IG_NEW(s->bodies.cx, &area, s->bodies.mesh->nodes, "contact"));
  IG_TRY_GOTO(status, done, IG_NEW(s->bodies.cx, &stiffness, s->bodies.mesh->nodes, "contact"));
  for (ig_lid f = 0; f < boundary.count; f++) {
    ig_lid own[8];
    double w[8];
    const int n = ig_mesh_face_nodes(s->bodies.mesh, boundary.element[f], boundary.face[f], own);
    face_weights(s->bodies.mesh, n, own, w);
    for (int a = 0; a < n; a++) {
      area[own[a]] = n > 4 ? NAN : area[own[a]] + w[a];
      stiffness[own[a]] =
          fmax(stiffness[own[a]], stiffness_of(s, c, boundary.element[f], boundary.face[f]));
    }
  }
  for (ig_lid k = 0; k < count; k++) {
    double p[3];
    ig_contact_point t = {
        .contact = i, .tool = tool, .slaves = 1, .share = {1}, .area = area[node[k]]};
    const bool alone = t.area == 0; /* has the area of the face it meets: point_add */
    if (isnan(t.area) || (alone && (tool || isnan(c->stiffness)))) {
      status = ig_fail_at(s->bodies.cx, &c->at,
                          alone ? "contact of the nodes '%s': some are on no element: give "
                                  "`stiffness`, and no tool"
                                : "contact of the nodes '%s': they must be on the surface of "
                                  "elements with straight sides; give faces",
                          c->set);
      goto done;
    }
    t.node[0] = node[k];
    t.stiffness = alone ? c->stiffness : stiffness[node[k]];
    s->bodies.place(s->bodies.self, node[k], NULL, p);
    IG_TRY_GOTO(status, done, point_add(s, c, other, p, again, &t));
  }
done:
  ig_boundary_free(&boundary);
  free(area);
  free(stiffness);
  free(node);
  return status;
}

/* Free `to` with facing_free, also after a failure. */
static ig_status other_side(ig_contact *s, const ig_contact_case *c, facing *to) {
  double low[3], high[3], size = 0;
  to->set = c->faces[1];
  if (!to->set)
    IG_TRY(ig_mesh_named_set(s->bodies.cx, s->bodies.mesh, &c->at, c->to, IG_OF_FACES, &to->set));
  ig_mesh_bounds(s->bodies.mesh, low, high);
  for (int d = 0; d < 3; d++)
    size = fmax(size, high[d] - low[d]);
  to->reach = isnan(c->distance) ? size / 5 : c->distance;
  IG_TRY(ig_contact_search_new(s, to->set, false, &to->now));
  return ig_contact_search_new(s, to->set, true, &to->drawn);
}

/* Points of all faces of the first side. */
static ig_status contact_faces(ig_contact *s, int i, const ig_contact_case *c, const facing *other,
                               int tool, bool again) {
  const ig_set *own = c->faces[0];
  if (!own)
    IG_TRY(ig_mesh_named_set(s->bodies.cx, s->bodies.mesh, &c->at, c->set, IG_OF_FACES, &own));
  double(*point)[3] = NULL;
  int32_t *found = NULL;
  ig_status status = IG_NEW(s->bodies.cx, &found, (size_t)other->drawn.count + 1, "contact");
  for (ig_lid f = 0; f < own->count && status == IG_OK; f++) {
    ig_contact_point t = {.contact = i, .tool = tool};
    double x[8][3];
    int points = 0;
    t.slaves = ig_mesh_face_nodes(s->bodies.mesh, own->item[f], own->face[f], t.node);
    t.stiffness = stiffness_of(s, c, own->item[f], own->face[f]);
    for (int a = 0; a < t.slaves; a++)
      s->bodies.place(s->bodies.self, t.node[a], NULL, x[a]);
    status =
        ig_contact_rule(s, t.slaves, t.node, &other->drawn, other->reach, found, &point, &points);
    for (int q = 0; q < points && status == IG_OK; q++) {
      double N[8], d[8][2], n[3], p[3] = {0, 0, 0};
      ig_face_values(t.slaves, point[q], N, d);
      t.area =
          point[q][2] * ig_face_normal(t.slaves, (const double(*)[3])x, (const double(*)[2])d, n);
      for (int a = 0; a < t.slaves; a++) {
        t.share[a] = N[a];
        for (int m = 0; m < 3; m++)
          p[m] += N[a] * x[a][m];
      }
      status = point_add(s, c, other, p, again, &t);
    }
  }
  free(point);
  free(found);
  return status;
}

/* Checks of the entry, then its points. */
static ig_status contact_points(ig_contact *s, int i, const ig_contact_case *c, bool again,
                                bool first) {
  facing other = {0};
  int tool;
  if (!isnan(c->tension) && (c->tied || !isnan(c->decay[0]) || isnan(c->stiffness)))
    return ig_fail_at(s->bodies.cx, &c->at,
                      "`tension` needs `stiffness`, without `decay` and `tied`");
  if (!isnan(c->length) && !isnan(c->stiffness))
    return ig_fail_at(s->bodies.cx, &c->at, "`length` is for a contact without `stiffness`");
  IG_TRY(ig_contact_tool_find(s, c, &tool));
  if (tool && first)
    IG_TRY(ig_contact_tool_side(s, c, tool));
  ig_status status = tool ? IG_OK : other_side(s, c, &other);
  if (status == IG_OK)
    status = (c->of ? contact_nodes : contact_faces)(s, i, c, &other, tool, again);
  facing_free(&other);
  return status;
}

/* Each point has room for 16 nodes; unused unknowns are -1, and all of a point that meets nothing.
 */
void ig_contact_number(ig_contact *s) {
  const size_t n = (size_t)s->count * 3 * IG_CONTACT_NODES;
  for (size_t k = 0; k < n; k++) {
    const ig_contact_point *t = &s->point[k / (3 * IG_CONTACT_NODES)];
    const int a = (int)(k / 3 % IG_CONTACT_NODES),
              nodes = ig_contact_meets(t) ? t->slaves + t->masters : 0;
    s->unknown[k] = a < nodes ? s->bodies.dofs * t->node[a] + (int32_t)(k % 3) : -1;
  }
}

/* The points of an analysis. */
static ig_status points_make(ig_contact *s, int analysis) {
  for (int i = 0; i < s->list->count; i++) {
    const ig_contact_case *c = IG_ITEM(const ig_contact_case, *s->list, i);
    /* off: switched off in this analysis; before: in the one before, so that overlaps are
       released gradually. */
    bool off = false, before = false;
    int earlier = 0; /* analyses before, in which it was switched off */
    for (int k = 0; k < c->without.count; k++) {
      off |= (int)c->without.value[k] == analysis + 1;
      before |= (int)c->without.value[k] == analysis;
      earlier += (int)c->without.value[k] <= analysis;
    }
    if (!off)
      IG_TRY(contact_points(s, i, c, before, earlier == analysis));
  }
  return IG_NEW(s->bodies.cx, &s->unknown, (size_t)s->count * 3 * IG_CONTACT_NODES + 1, "contact");
}

/* Contact goes on from one analysis to the next: each point is that of the former ones, with its
   partner, friction and pressure. Both lists are in the order of faces; points that meet nothing
   may be missing. */
static void points_keep(ig_contact *s, const ig_contact *former) {
  int32_t k = 0;
  for (int32_t i = 0; i < s->count; i++) {
    ig_contact_point *t = &s->point[i];
    for (int32_t at = k; at < former->count; at++) {
      const ig_contact_point *o = &former->point[at];
      if (o->contact > t->contact)
        break;
      if (o->contact != t->contact || o->slaves != t->slaves ||
          memcmp(o->node, t->node, (size_t)t->slaves * sizeof *t->node) != 0 ||
          memcmp(o->share, t->share, (size_t)t->slaves * sizeof *t->share) != 0)
        continue;
      *t = *o;
      t->overlap = 0; /* is released */
      k = at + 1;
      break;
    }
  }
}

ig_status ig_contact_new(ig_contact *s, int analysis) {
  ig_contact former = *s;
  s->count = 0;
  s->point = NULL;
  s->unknown = NULL;
  s->warned = s->deep = false;
  s->rounds = 0;
  const ig_status status = points_make(s, analysis);
  if (status == IG_OK) {
    points_keep(s, &former);
    ig_contact_number(s);
  }
  ig_contact_free(&former);
  return status;
}

/* Whether a point that comes from a file can be evaluated. */
static bool point_is_sound(const ig_contact *s, const ig_contact_point *t) {
  const int nodes = t->slaves + t->masters;
  bool sound = t->contact >= 0 && t->contact < s->list->count && t->tool >= 0 &&
               t->tool <= s->tools->count && t->slaves > 0 && t->slaves <= 8 && t->masters >= 0 &&
               t->masters <= 8;
  for (int a = 0; sound && a < nodes; a++)
    sound = t->node[a] >= 0 && t->node[a] < s->bodies.mesh->nodes;
  return sound;
}

ig_status ig_contact_place(ig_contact *s, const ig_contact_point *point, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (!point_is_sound(s, &point[i]))
      return IG_FAIL(s->bodies.cx, IG_INPUT,
                     "the checkpoint has a point of contact that cannot be");
  free(s->point);
  free(s->unknown);
  s->point = NULL;
  s->unknown = NULL;
  s->count = 0;
  IG_TRY(IG_NEW(s->bodies.cx, &s->point, (size_t)count + 1, "contact"));
  IG_TRY(IG_NEW(s->bodies.cx, &s->unknown, (size_t)count * 3 * IG_CONTACT_NODES + 1, "contact"));
  s->count = (int32_t)count;
  if (count > 0) /* an empty array has no address */
    memcpy(s->point, point, (size_t)count * sizeof *point);
  ig_contact_number(s);
  return IG_OK;
}

double ig_contact_slid(const ig_contact *s, const ig_contact_point *t, const double now[3],
                       const double from[3], double *size) {
  double by[3], across = 0, far = 0;
  for (int k = 0; k < 3; k++) {
    by[k] = now[k] - from[k];
    across += t->masters ? by[k] * t->normal[k] : 0;
  }
  for (int k = 0; k < 3; k++)
    far += pow(by[k] - (t->masters ? across * t->normal[k] : 0), 2);
  *size = t->masters ? ig_contact_face_size(s, t) : sqrt(IG_CONTACT_POINTS * t->area);
  return sqrt(far);
}

/* A new partner of a point; what was accepted of friction stays, in the plane of the new face. */
static void pair_again(ig_contact *s, const ig_contact_case *c, const facing *other,
                       ig_contact_point *t, bool *changed) {
  const ig_contact_point old = *t;
  double p[3], across = 0;
  t->masters = 0;
  ig_contact_relative(s, t, NULL, p);
  if (!pair_find(s, &other->now, p, other->reach, t))
    t->masters = 0;
  *changed |= t->masters != old.masters ||
              memcmp(t->node, old.node, (size_t)(t->slaves + t->masters) * sizeof *t->node) != 0;
  ig_contact_relative(s, t, NULL, t->before);
  memcpy(t->offset, t->before, sizeof t->offset);
  if (!t->masters) {
    memset(t->pull, 0, sizeof t->pull);
    t->extra = t->kept = 0;
    return;
  }
  for (int k = 0; k < 3; k++)
    across += t->pull[k] * t->normal[k];
  if (!old.masters)
    t->shift = shift_of(s, c, other, t);
  for (int k = 0; k < 3; k++)
    t->pull[k] -= across * t->normal[k];
}

ig_status ig_contact_follow(ig_contact *s, bool begins, bool *changed) {
  ig_status status = IG_OK;
  *changed = false;
  for (int i = 0; i < s->list->count && status == IG_OK; i++) {
    const ig_contact_case *c = IG_ITEM(const ig_contact_case, *s->list, i);
    facing other = {0};
    for (int32_t k = 0; k < s->count && !c->tied && (begins || !c->sliding); k++) {
      ig_contact_point *t = &s->point[k];
      double now[3], size;
      if (t->contact != i || t->tool)
        continue;
      ig_contact_relative(s, t, NULL, now);
      if (!(ig_contact_slid(s, t, now, t->offset, &size) > 0.1 * size))
        continue;
      if (!other.set)
        status = other_side(s, c, &other);
      if (status != IG_OK)
        break;
      pair_again(s, c, &other, t, changed);
    }
    facing_free(&other);
  }
  if (*changed)
    ig_contact_number(s);
  return status;
}
