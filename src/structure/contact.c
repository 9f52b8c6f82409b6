/* Contact of surfaces by penalty at points of integration of the first side. Where an analysis
   begins, each point is paired with the nearest point of the other side, and anew after each step
   in which it has slid by a tenth of a face; a step in which one slides by half a face is cut. A
   point beyond the edge of the other side meets nothing. With the distance g = n . (x - y) of the
   pair, pressure p = <extra - stiffness g>, or p = p0 exp(-ln(100) g / c), tied: both signs, all
   directions; an overlap at which contact is switched on again vanishes over the analysis; friction
   is the return mapping of t = t_accepted + stick (change of x - y across n) to |t| <= mu p. In
   motion through time sides that touch are damped: damping (v.n n + share (v - v.n n)) of the
   relative velocity v. Forces are p n times the area of the point, shared by the nodes of both
   faces.

   Data: ig_structure_touches, one ig_structure_touch per point of the first side; made at the
   start of each analysis (ig_structure_touches_new), evaluated as a group of the engine,
   accepted once per step.

           first side   o----x----x----o      x: points of integration (area, shares of the nodes)
                             |    |           g: distance along the normal of the other side
           other side   o----+----+----o      +: nearest places, kept through a step

   Why integration points and not nodes: pressures are then constant over a face for constant
   overlap, also where the meshes do not match. Why the pairs are kept through a step: forces are
   smooth functions of the displacements, so that Newton's method converges. */
#include "structure/constrain.h"
#include "mesh/geometry.h"
#include "mesh/named.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ig_structure_touches_free(ig_structure_touches *t) {
  free(t->point);
  free(t->unknown);
  *t = (ig_structure_touches){0};
}

/* Where a node is now: at the start, or moved by what was accepted and the increments.
   s->u and the increments are in the node's axes; gather turns them to fixed ones. */
static void place_of(const ig_structure *s, ig_lid node, const double *add, double x[3]) {
  double X[3], u[3];
  ig_structure_gather(s, &node, 1, add, X, u);
  for (int d = 0; d < 3; d++)
    x[d] = X[d] + u[d];
}

/* Unit normal n of a face from the derivatives of its shape functions; returns the area per unit
   of natural coordinates. */
static double normal_of(int nodes, const double (*x)[3], const double slope[8][2], double n[3]) {
  double t[2][3] = {{0}};
  for (int a = 0; a < nodes; a++)
    for (int m = 0; m < 2; m++)
      for (int d = 0; d < 3; d++)
        t[m][d] += slope[a][m] * x[a][d];
  n[0] = t[0][1] * t[1][2] - t[0][2] * t[1][1];
  n[1] = t[0][2] * t[1][0] - t[0][0] * t[1][2];
  n[2] = t[0][0] * t[1][1] - t[0][1] * t[1][0];
  const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int d = 0; d < 3; d++)
    n[d] /= size;
  return size;
}

/* Size of the face of the other side that a point meets: its longest edge from the first node. */
static double face_size(const ig_structure *s, const ig_structure_touch *t) {
  const double *x = s->mesh->x;
  double size = 0;
  for (int a = 1; a < t->masters && a < 4; a++) {
    double square = 0;
    for (size_t k = 0; k < 3; k++)
      square +=
          pow(x[3 * (size_t)t->node[t->slaves + a] + k] - x[3 * (size_t)t->node[t->slaves] + k], 2);
    size = fmax(size, square);
  }
  return sqrt(size);
}

/* A node as drawn, or where it is now. */
static void node_place(const ig_structure *s, ig_lid node, bool drawn, double x[3]) {
  if (drawn)
    memcpy(x, s->mesh->x + 3 * (size_t)node, 3 * sizeof *x);
  else
    place_of(s, node, NULL, x);
}

/* Whether the nearest place is on the edge of the other side, with the point beside it: further off
   across the normal than half its distance and a fiftieth of the face. (Over a ridge of the surface
   the nearest place is on an edge, too, but then it is below the point.) */
static bool beyond_edge(const ig_structure *s, const ig_structure_touch *t, bool drawn,
                        const double p[3]) {
  double v[3] = {p[0], p[1], p[2]}, gap = 0, far = 0;
  for (int a = t->slaves; a < t->slaves + t->masters; a++) {
    double x[3];
    node_place(s, t->node[a], drawn, x);
    for (int k = 0; k < 3; k++)
      v[k] += t->share[a] * x[k];
  }
  for (int k = 0; k < 3; k++)
    gap += v[k] * t->normal[k];
  for (int k = 0; k < 3; k++)
    far += pow(v[k] - gap * t->normal[k], 2);
  return sqrt(far) > 0.5 * fabs(gap) + 0.02 * face_size(s, t);
}

/* Pairs a point with the nearest place of the other side; false: nothing is within reach.
   Exhaustive search, faces of the other side one by one, with a box test first: the curved side
   of a quadratic face may leave the box of its nodes by less than a quarter of its size. t gets
   nodes, shares (negative, since the distance is x - y), normal and derivatives of the best
   face. drawn: where the nodes were at the start instead of where they are. */
static bool pair_find(const ig_structure *s, const ig_set *other, bool drawn, const double p[3],
                      double reach, ig_structure_touch *t) {
  double best = reach * reach;
  bool found = false;
  for (ig_lid f = 0; f < other->count; f++) {
    ig_lid node[8];
    double x[8][3], N[8], at[2], d[8][2];
    const int n = ig_mesh_face_nodes(s->mesh, other->item[f], other->face[f], node);
    for (int a = 0; a < n; a++)
      node_place(s, node[a], drawn, x[a]);
    /* Squared distance of p from the face's box, and the largest edge of the box. */
    double off = 0, wide = 0; /* faces further away than the best need no closer look */
    for (int k = 0; k < 3; k++) {
      double low = x[0][k], high = x[0][k];
      for (int a = 1; a < n; a++) {
        low = fmin(low, x[a][k]);
        high = fmax(high, x[a][k]);
      }
      const double beyond = fmax(0, fmax(low - p[k], p[k] - high));
      off += beyond * beyond;
      wide = fmax(wide, high - low);
    }
    if (sqrt(off) > sqrt(best) + 0.25 * wide)
      continue;
    const double square = ig_structure_nearest(n, (const double(*)[3])x, p, at, N);
    if (!(square < best))
      continue;
    best = square;
    found = true;
    ig_structure_face_values(n, at, N, d);
    t->masters = n;
    memcpy(t->slope, d, sizeof d);
    memcpy(t->at, at, sizeof t->at);
    for (int a = 0; a < n; a++) {
      t->node[t->slaves + a] = node[a];
      t->share[t->slaves + a] = -N[a];
    }
    normal_of(n, (const double(*)[3])x, (const double(*)[2])d, t->normal);
  }
  return found && !beyond_edge(s, t, drawn, p);
}

/* r = x - y: the sum of share x position over the nodes of both faces. */
static void relative(const ig_structure *s, const ig_structure_touch *t, const double *add,
                     double r[3]) {
  r[0] = r[1] = r[2] = 0;
  for (int a = 0; a < t->slaves + t->masters; a++) {
    double x[3];
    place_of(s, t->node[a], add, x);
    for (int d = 0; d < 3; d++)
      r[d] += t->share[a] * x[d];
  }
}

/* A point that meets nothing yet, and may later. Nodes without an area of their own take that of
   the face they meet where the analysis begins: they need one then. */
static ig_status loose_add(ig_structure *s, const ig_structure_contact *c, ig_structure_touch *t) {
  if (c->tied || c->sliding || !(t->area > 0))
    return IG_OK;
  t->masters = 0;
  relative(s, t, NULL, t->before);
  memcpy(t->offset, t->before, sizeof t->offset);
  IG_TRY(IG_MORE(s->cx, &s->touches.point, s->touches.count, "contact"));
  s->touches.point[s->touches.count++] = *t;
  return IG_OK;
}

/* What `clearance` adds to the distance of a point: its value less the distance as drawn, from the
   place of the other side that the point meets there. Where it meets none, the present one counts,
   unless the sides overlap. */
static double shift_of(const ig_structure *s, const ig_structure_contact *c, const ig_set *other,
                       double reach, const ig_structure_touch *t) {
  ig_structure_touch start = *t;
  double p[3] = {0, 0, 0}, gap = 0;
  if (isnan(c->clearance))
    return 0;
  for (int a = 0; a < t->slaves; a++)
    for (int k = 0; k < 3; k++)
      p[k] += t->share[a] * s->mesh->x[3 * (size_t)t->node[a] + (size_t)k];
  const bool met = pair_find(s, other, true, p, reach, &start);
  for (int k = 0; k < 3; k++) {
    double r = met ? p[k] : t->before[k];
    for (int a = t->slaves; met && a < t->slaves + start.masters; a++)
      r += start.share[a] * s->mesh->x[3 * (size_t)start.node[a] + (size_t)k];
    gap += r * (met ? start.normal[k] : t->normal[k]);
  }
  return c->clearance - (met ? gap : fmax(gap, 0));
}

/* Pairs a point whose own nodes, shares and area are there, and adds it where it finds a place.
   again: the contact was off in the analysis before, so that an overlap is released gradually.
   `clearance` replaces the drawn distance by its own value. A node on no element has the area of
   the face that it meets. */
static ig_status point_add(ig_structure *s, const ig_structure_contact *c, const ig_set *other,
                           const double p[3], double reach, bool again, ig_structure_touch *t) {
  double gap = 0;
  if (!pair_find(s, other, false, p, reach, t))
    return loose_add(s, c, t);
  if (!(t->area > 0)) {
    double w[8];
    t->area = ig_structure_face_weights(s->mesh, t->masters, t->node + t->slaves, w);
  }
  relative(s, t, NULL, t->before);
  memcpy(t->offset, t->before, sizeof t->offset);
  for (int k = 0; k < 3; k++)
    gap += t->normal[k] * t->before[k];
  t->shift = shift_of(s, c, other, reach, t);
  t->overlap = again ? fmin(gap + t->shift, 0) : 0;
  IG_TRY(IG_MORE(s->cx, &s->touches.point, s->touches.count, "contact"));
  s->touches.point[s->touches.count++] = *t;
  return IG_OK;
}

/* Pressure over penetration at a face of the first side. By default contact adds 2 % to what the
   layer of elements there gives way, in any unit of length.
   50 E / length, length the element's depth under the face (volume over area): CalculiX's value
   for hard contact where `length` is 1. */
static double stiffness_of(const ig_structure *s, const ig_structure_contact *c, ig_lid element,
                           int face) {
  ig_lid local;
  const ig_block *b = ig_mesh_element(s->mesh, element, &local);
  if (!isnan(c->stiffness))
    return c->stiffness;
  const double length = !isnan(c->length) ? c->length
                                          : fabs(ig_elem_measure(s->mesh, b, local, NULL)) /
                                                ig_face_measure(s->mesh, b, local, face);
  return 50 * s->law[s->owner[element]].young / length;
}

/* The nodes of the first side, each with its share of the faces of the surface around it.
   Node to face. Areas are those of the linear shape functions; quadratic faces have corner
   weights that are 0 or negative, hence NaN and an error. */
static ig_status contact_nodes(ig_structure *s, int i, const ig_structure_contact *c,
                               const ig_set *other, double reach, bool again) {
  ig_boundary boundary = {0};
  double *area = NULL, *stiffness = NULL;
  ig_lid *node = NULL, count = 0;
  ig_status status;
  IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
  IG_TRY_GOTO(status, done, ig_mesh_boundary(s->cx, s->mesh, &boundary));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &area, s->nodes, "contact"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &stiffness, s->nodes, "contact"));
  for (ig_lid f = 0; f < boundary.count; f++) {
    ig_lid own[8];
    double w[8];
    const int n = ig_mesh_face_nodes(s->mesh, boundary.element[f], boundary.face[f], own);
    ig_structure_face_weights(s->mesh, n, own, w);
    for (int a = 0; a < n; a++) {
      area[own[a]] = n > 4 ? NAN : area[own[a]] + w[a];
      stiffness[own[a]] =
          fmax(stiffness[own[a]], stiffness_of(s, c, boundary.element[f], boundary.face[f]));
    }
  }
  for (ig_lid k = 0; k < count; k++) {
    double p[3];
    ig_structure_touch t = {.contact = i, .slaves = 1, .share = {1}, .area = area[node[k]]};
    const bool alone = t.area == 0; /* has the area of the face it meets: point_add */
    if (isnan(t.area) || (alone && isnan(c->stiffness))) {
      status = ig_fail_at(s->cx, &c->at,
                          alone ? "contact of the nodes '%s': some are on no element: give "
                                  "`stiffness`"
                                : "contact of the nodes '%s': they must be on the surface of "
                                  "elements with straight sides; give faces",
                          c->set);
      goto done;
    }
    t.node[0] = node[k];
    t.stiffness = alone ? c->stiffness : stiffness[node[k]];
    place_of(s, node[k], NULL, p);
    IG_TRY_GOTO(status, done, point_add(s, c, other, p, reach, again, &t));
  }
done:
  ig_boundary_free(&boundary);
  free(area);
  free(stiffness);
  free(node);
  return status;
}

/* Faces of the other side, and how far away a point may meet them. */
static ig_status other_side(ig_structure *s, const ig_structure_contact *c, const ig_set **other,
                            double *reach) {
  double low[3], high[3], size = 0;
  IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->to, IG_OF_FACES, other));
  ig_mesh_bounds(s->mesh, low, high);
  for (int d = 0; d < 3; d++)
    size = fmax(size, high[d] - low[d]);
  *reach = isnan(c->distance) ? size / 5 : c->distance;
  return IG_OK;
}

/* Checks of the entry, then points of all faces of the first side. */
static ig_status contact_points(ig_structure *s, int i, const ig_structure_contact *c, bool again) {
  const ig_set *own, *other;
  double reach;
  IG_TRY(other_side(s, c, &other, &reach));
  if (!isnan(c->tension) && (c->tied || !isnan(c->decay[0]) || isnan(c->stiffness)))
    return ig_fail_at(s->cx, &c->at, "`tension` needs `stiffness`, without `decay` and `tied`");
  if (!isnan(c->length) && !isnan(c->stiffness))
    return ig_fail_at(s->cx, &c->at, "`length` is for a contact without `stiffness`");
  if (c->of)
    return contact_nodes(s, i, c, other, reach, again);
  IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_FACES, &own));
  double(*point)[3] = NULL;
  ig_status status = IG_OK;
  for (ig_lid f = 0; f < own->count && status == IG_OK; f++) {
    ig_structure_touch t = {.contact = i};
    double x[8][3];
    int points = 0;
    t.slaves = ig_mesh_face_nodes(s->mesh, own->item[f], own->face[f], t.node);
    t.stiffness = stiffness_of(s, c, own->item[f], own->face[f]);
    for (int a = 0; a < t.slaves; a++)
      place_of(s, t.node[a], NULL, x[a]);
    status = ig_structure_contact_rule(s, t.slaves, t.node, other, reach, &point, &points);
    for (int q = 0; q < points && status == IG_OK; q++) {
      double N[8], d[8][2], n[3], p[3] = {0, 0, 0};
      ig_structure_face_values(t.slaves, point[q], N, d);
      t.area = point[q][2] * normal_of(t.slaves, (const double(*)[3])x, (const double(*)[2])d, n);
      for (int a = 0; a < t.slaves; a++) {
        t.share[a] = N[a];
        for (int m = 0; m < 3; m++)
          p[m] += N[a] * x[a][m];
      }
      status = point_add(s, c, other, p, reach, again, &t);
    }
  }
  free(point);
  return status;
}

/* Each point has room for 16 nodes; unused unknowns are -1, and all of a point that meets nothing.
 */
static void unknowns_set(ig_structure *s) {
  const size_t n = (size_t)s->touches.count * 3 * IG_CONTACT_NODES;
  for (size_t k = 0; k < n; k++) {
    const ig_structure_touch *t = &s->touches.point[k / (3 * IG_CONTACT_NODES)];
    const int a = (int)(k / 3 % IG_CONTACT_NODES), nodes = t->masters ? t->slaves + t->masters : 0;
    s->touches.unknown[k] = a < nodes ? 3 * t->node[a] + (int32_t)(k % 3) : -1;
  }
}

/* The points of an analysis. */
static ig_status touches_make(ig_structure *s, int analysis) {
  s->touches.of = s;
  for (int i = 0; i < s->c->contacts.count; i++) {
    const ig_structure_contact *c = IG_ITEM(const ig_structure_contact, s->c->contacts, i);
    /* off: switched off in this analysis; before: in the one before, so that overlaps are
       released gradually. */
    bool off = false, before = false;
    for (int k = 0; k < c->without.count; k++) {
      off |= (int)c->without.value[k] == analysis + 1;
      before |= (int)c->without.value[k] == analysis;
    }
    if (!off)
      IG_TRY(contact_points(s, i, c, before));
  }
  return IG_NEW(s->cx, &s->touches.unknown, (size_t)s->touches.count * 3 * IG_CONTACT_NODES + 1,
                "contact");
}

/* Contact goes on from one analysis to the next: each point is that of the former ones, with its
   partner, friction and pressure. Both lists are in the order of faces; points that meet nothing
   may be missing. */
static void points_keep(ig_structure *s, const ig_structure_touches *former) {
  int32_t k = 0;
  for (int32_t i = 0; i < s->touches.count; i++) {
    ig_structure_touch *t = &s->touches.point[i];
    for (int32_t at = k; at < former->count; at++) {
      const ig_structure_touch *o = &former->point[at];
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

ig_status ig_structure_touches_new(ig_structure *s, int analysis) {
  ig_structure_touches former = s->touches;
  s->touches = (ig_structure_touches){0};
  const ig_status status = touches_make(s, analysis);
  if (status == IG_OK) {
    points_keep(s, &former);
    unknowns_set(s);
  }
  ig_structure_touches_free(&former);
  return status;
}

/* Where a point stands beside the place it was paired at: how far it has slid, across the normal
   where it is paired, and the size of a face to compare with. */
static double slid_by(const ig_structure *s, const ig_structure_touch *t, const double now[3],
                      const double from[3], double *size) {
  double by[3], across = 0, far = 0;
  for (int k = 0; k < 3; k++) {
    by[k] = now[k] - from[k];
    across += t->masters ? by[k] * t->normal[k] : 0;
  }
  for (int k = 0; k < 3; k++)
    far += pow(by[k] - (t->masters ? across * t->normal[k] : 0), 2);
  *size = t->masters ? face_size(s, t) : sqrt(IG_CONTACT_POINTS * t->area);
  return sqrt(far);
}

/* A new partner of a point; what was accepted of friction stays, in the plane of the new face. */
static void pair_again(ig_structure *s, const ig_structure_contact *c, const ig_set *other,
                       double reach, ig_structure_touch *t, bool *changed) {
  const ig_structure_touch old = *t;
  double p[3], across = 0;
  t->masters = 0;
  relative(s, t, NULL, p);
  if (!pair_find(s, other, false, p, reach, t))
    t->masters = 0;
  *changed |= t->masters != old.masters ||
              memcmp(t->node, old.node, (size_t)(t->slaves + t->masters) * sizeof *t->node) != 0;
  relative(s, t, NULL, t->before);
  memcpy(t->offset, t->before, sizeof t->offset);
  if (!t->masters) {
    memset(t->pull, 0, sizeof t->pull);
    t->extra = t->kept = 0;
    return;
  }
  for (int k = 0; k < 3; k++)
    across += t->pull[k] * t->normal[k];
  if (!old.masters)
    t->shift = shift_of(s, c, other, reach, t);
  for (int k = 0; k < 3; k++)
    t->pull[k] -= across * t->normal[k];
}

ig_status ig_structure_touches_follow(ig_structure *s, bool *changed) {
  const bool begins = s->time == s->begin;
  *changed = false;
  for (int i = 0; i < s->c->contacts.count; i++) {
    const ig_structure_contact *c = IG_ITEM(const ig_structure_contact, s->c->contacts, i);
    const ig_set *other = NULL;
    double reach = 0;
    for (int32_t k = 0; k < s->touches.count && !c->tied && (begins || !c->sliding); k++) {
      ig_structure_touch *t = &s->touches.point[k];
      double now[3], size;
      if (t->contact != i)
        continue;
      relative(s, t, NULL, now);
      if (!(slid_by(s, t, now, t->offset, &size) > 0.1 * size))
        continue;
      if (!other)
        IG_TRY(other_side(s, c, &other, &reach));
      pair_again(s, c, other, reach, t, changed);
    }
  }
  if (*changed)
    unknowns_set(s);
  return IG_OK;
}

/* Uzawa's rule: pressures of a converged state become those at no distance. The stiffness is
   usually far above that of the parts, so that each round divides penetrations by some ten. */
bool ig_structure_touch_augment(void *self, const ig_trial *at) {
  ig_structure *s = self;
  bool deep = false;
  s->touches.rounds = at ? s->touches.rounds + 1 : 0;
  for (int32_t i = 0; i < s->touches.count; i++) {
    ig_structure_touch *t = &s->touches.point[i];
    const ig_structure_contact *c = IG_ITEM(const ig_structure_contact, s->c->contacts, t->contact);
    const bool stiff = isnan(c->stiffness) && isnan(c->length) && isnan(c->decay[0]);
    const double most = !isnan(c->penetration) ? c->penetration : stiff ? 1e-3 : INFINITY;
    if (!at)
      t->extra = t->kept;
    else
      deep |= !c->tied && t->masters && -t->gap > most * face_size(s, t);
  }
  if (!at || !deep)
    return false;
  if (s->touches.rounds > 20) {
    if (!s->touches.deep)
      ig_warn(s->cx, "contact penetrates by more than `penetration` after 20 rounds of augmented "
                     "Lagrange: give a higher `stiffness`, or leave it out");
    s->touches.deep = true;
    return false;
  }
  for (int32_t i = 0; i < s->touches.count; i++) {
    ig_structure_touch *t = &s->touches.point[i];
    const ig_structure_contact *c = IG_ITEM(const ig_structure_contact, s->c->contacts, t->contact);
    if (!isnan(c->penetration) || (isnan(c->stiffness) && isnan(c->length) && isnan(c->decay[0])))
      t->extra = t->push;
  }
  return true;
}

bool ig_structure_touch_fits(void *self, const ig_trial *at, char *why, size_t size) {
  const ig_structure *s = self;
  for (int32_t i = 0; i < s->touches.count; i++) {
    const ig_structure_touch *t = &s->touches.point[i];
    const ig_structure_contact *c = IG_ITEM(const ig_structure_contact, s->c->contacts, t->contact);
    double now[3], face, gap = t->shift;
    if (c->tied || c->sliding || !t->masters)
      continue;
    relative(s, t, at->u, now);
    for (int k = 0; k < 3; k++)
      gap += now[k] * t->normal[k];
    if (gap > 0 || slid_by(s, t, now, t->before, &face) < 0.5 * face)
      continue;
    snprintf(why, size, "contact of '%s' and '%s' slides by more than half a face in the step",
             c->set, c->to);
    return false;
  }
  return true;
}

/* Traction on the first side from the relative position, and its derivative.
   r: relative position x - y; factor: share of the analysis that has passed, by which the
   overlap of a contact that was switched on again has been released. p is the traction on the
   first side (internal force, thus with the sign of -pressure x n), D = dp/dr, 3 x 3. moved: the
   relative position of the points of both sides that were opposite when the step began, from which
   friction counts; T = dp/dmoved.

   exp is limited at exp(60), so that a trial far inside does not overflow. Friction: elastic
   predictor from the accepted traction, radial return to Coulomb's cone. t->now keeps the
   tangential traction for acceptance. */
static void traction(const ig_structure_contact *c, ig_structure_touch *t, const double n[3],
                     const double r[3], const double moved[3], double factor, double p[3],
                     double D[9], double T[9]) {
  const double gap = n[0] * r[0] + n[1] * r[1] + n[2] * r[2] + t->shift - (1 - factor) * t->overlap;
  memset(D, 0, 9 * sizeof *D);
  memset(T, 0, 9 * sizeof *T);
  if (c->tied) {
    for (int d = 0; d < 3; d++) {
      p[d] = t->stiffness * (r[d] - t->offset[d]);
      D[4 * d] = t->stiffness;
    }
    return;
  }
  /* Pressure on the first side and its derivative by penetration. Three laws: exponential (soft
     contact), regularised with a small tension, and the plain penalty. */
  double push, stiff;
  if (!isnan(c->decay[0])) {
    const double rate = log(100) / c->decay[1];
    push = c->decay[0] * exp(fmin(-rate * gap, 60));
    stiff = rate * push;
  } else if (!isnan(c->tension)) { /* beyond a thousandth of the size nothing pulls */
    const double width = M_PI * c->tension / t->stiffness, share = atan(-gap / width) / M_PI + 0.5;
    const bool near = gap < 1e-3 * sqrt(t->area);
    push = near ? -t->stiffness * gap * share : 0;
    stiff = near ? t->stiffness * (share - gap * width / (M_PI * (width * width + gap * gap))) : 0;
  } else {
    push = fmax(0, t->extra - t->stiffness * gap);
    stiff = push > 0 ? t->stiffness : 0;
  }
  t->gap = gap;
  t->push = push;
  for (int i = 0; i < 3; i++) {
    p[i] = -push * n[i];
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = stiff * n[i] * n[j];
  }
  memset(t->now, 0, sizeof t->now);
  if (!(c->friction > 0) || !(push > 0))
    return;
  /* Tangential stiffness below sliding; a tenth of the normal one unless the case gives it. */
  const double stick = isnan(c->stick) ? t->stiffness / 10 : c->stick;
  double slid[3], across = 0, trial[3], size = 0;
  for (int i = 0; i < 3; i++) {
    slid[i] = moved[i] - t->before[i];
    across += slid[i] * n[i];
  }
  for (int i = 0; i < 3; i++) {
    trial[i] = t->pull[i] + stick * (slid[i] - across * n[i]);
    size += trial[i] * trial[i];
  }
  size = sqrt(size);
  const double most = c->friction * push;
  const bool slides = size > most;
  for (int i = 0; i < 3; i++) {
    t->now[i] = slides ? most / size * trial[i] : trial[i];
    p[i] += t->now[i];
    for (int j = 0; j < 3; j++) {
      double k = (i == j) - n[i] * n[j];
      if (slides) { /* not symmetric: sliding depends on the pressure */
        const double e = trial[i] / size;
        k = most / size * (k - e * trial[j] / size) * stick;
        D[3 * i + j] -= c->friction * stiff * e * n[j];
      } else {
        k *= stick;
      }
      T[3 * i + j] = k;
    }
  }
}

/* Adds the damping of sides that touch: those whose traction changes with the distance.
   v: relative velocity; its derivative by displacements is `rate` (Newmark). */
static void damp(const ig_structure *s, const ig_structure_contact *c, const ig_structure_touch *t,
                 const ig_trial *at, const double n[3], double p[3], double D[9]) {
  double v[3] = {0, 0, 0}, rate = 0, across = 0, stiff = 0;
  for (int i = 0; i < 9; i++)
    stiff += n[i / 3] * D[i] * n[i % 3];
  if (!(stiff > 0))
    return;
  for (int a = 0; a < t->slaves + t->masters; a++) {
    double own[3];
    ig_structure_velocity(s, at, t->node[a], own, &rate);
    for (int d = 0; d < 3; d++)
      v[d] += t->share[a] * own[d];
  }
  for (int d = 0; d < 3; d++)
    across += n[d] * v[d];
  for (int i = 0; i < 3; i++) {
    p[i] += c->damping * (across * n[i] + c->tangential * (v[i] - across * n[i]));
    for (int j = 0; j < 3; j++)
      D[3 * i + j] += rate * c->damping * (n[i] * n[j] + c->tangential * ((i == j) - n[i] * n[j]));
  }
}

/* A place of a face: shape functions, their derivatives, unit normal. */
typedef struct {
  double N[8], d[8][2], normal[3];
} foot;

/* The place of the face x, continued beyond its edges by half of it, where the normal goes through
   the point p. Gauss and Newton's method from the place `at` of the pair. */
static void project(int nodes, const double (*x)[3], const double p[3], const double at[2],
                    foot *to) {
  const bool triangle = nodes == 3 || nodes == 6;
  const double low = triangle ? -0.5 : -2, high = triangle ? 1.5 : 2;
  double place[2] = {at[0], at[1]};
  for (int pass = 0;; pass++) {
    double off[3] = {p[0], p[1], p[2]}, t[2][3] = {{0}}, g[2] = {0, 0}, A[3] = {0, 0, 0};
    ig_structure_face_values(nodes, place, to->N, to->d);
    for (int a = 0; a < nodes; a++)
      for (int k = 0; k < 3; k++) {
        off[k] -= to->N[a] * x[a][k];
        t[0][k] += to->d[a][0] * x[a][k];
        t[1][k] += to->d[a][1] * x[a][k];
      }
    for (int k = 0; k < 3; k++) {
      g[0] += t[0][k] * off[k];
      g[1] += t[1][k] * off[k];
      A[0] += t[0][k] * t[0][k];
      A[1] += t[0][k] * t[1][k];
      A[2] += t[1][k] * t[1][k];
    }
    const double det = A[0] * A[2] - A[1] * A[1];
    const double by[2] = {(A[2] * g[0] - A[1] * g[1]) / det, (A[0] * g[1] - A[1] * g[0]) / det};
    if (pass == 30 || !(det > 0) || fmax(fabs(by[0]), fabs(by[1])) < 1e-13)
      break;
    for (int m = 0; m < 2; m++)
      place[m] = fmin(high, fmax(low, place[m] + by[m]));
  }
  normal_of(nodes, x, (const double(*)[2])to->d, to->normal);
}

/* Adds to the tangent ke (3 IG_CONTACT_NODES)^2 what the traction P, with the pressure `push`, owes
   to the normal and the place below the point, which move with the nodes of both faces x:

     d xi^a = A^ab (T_b + gap N_b) . du,  d n = -t^a (N_a . du),

   t_a the derivatives of the place by the natural coordinates xi, t^a = A^ab t_b, A_ab = t_a . t_b,
   T_b = share t_b, N_b = n times the derivatives of the shape functions of the second face, whose
   curvature is left out (Laursen and Simo 1993). */
static void tangent_turn(const ig_structure_touch *t, const foot *on, const double (*x)[3],
                         const double *share, const double P[3], double push, double gap,
                         double *ke) {
  const int n = 3 * IG_CONTACT_NODES, nodes = t->slaves + t->masters;
  double axis[2][3] = {{0}}, dual[2][3], A[3] = {0, 0, 0};
  for (int a = 0; a < t->masters; a++)
    for (int k = 0; k < 6; k++)
      axis[k / 3][k % 3] += on->d[a][k / 3] * x[t->slaves + a][k % 3];
  for (int k = 0; k < 3; k++) {
    A[0] += axis[0][k] * axis[0][k];
    A[1] += axis[0][k] * axis[1][k];
    A[2] += axis[1][k] * axis[1][k];
  }
  const double det = A[0] * A[2] - A[1] * A[1];
  const double B[2][2] = {{A[2] / det, -A[1] / det}, {-A[1] / det, A[0] / det}};
  for (int k = 0; k < 6; k++)
    dual[k / 3][k % 3] = B[k / 3][0] * axis[0][k % 3] + B[k / 3][1] * axis[1][k % 3];
  for (int b = 0; b < nodes; b++)
    for (int e = 0; e < 3; e++) {
      double N[2] = {0, 0}, xi[2], turn[3];
      for (int m = 0; m < 2 && b >= t->slaves; m++)
        N[m] = on->d[b - t->slaves][m] * on->normal[e];
      for (int m = 0; m < 2; m++)
        xi[m] = share[b] * dual[m][e] + gap * (B[m][0] * N[0] + B[m][1] * N[1]);
      for (int d = 0; d < 3; d++)
        turn[d] = -(dual[0][d] * N[0] + dual[1][d] * N[1]);
      for (int a = 0; a < nodes; a++) {
        const double *own = a < t->slaves ? NULL : on->d[a - t->slaves];
        const double moves = own ? -(own[0] * xi[0] + own[1] * xi[1]) : 0;
        for (int d = 0; d < 3; d++)
          ke[(3 * a + d) * n + 3 * b + e] += t->area * (moves * P[d] - share[a] * push * turn[d]);
      }
    }
}

/* Callback of the engine. Where displacements are large the place below the point follows it over
   the face, so that forces of both sides are on one line. */
ig_status ig_structure_touch_evaluate(void *self, const ig_trial *at, int32_t begin, int32_t end,
                                      double *f, double *k, ig_trouble *trouble) {
  const ig_structure_touches *all = self;
  const ig_structure *s = all->of;
  const int n = 3 * IG_CONTACT_NODES;
  (void)trouble;
  for (int32_t i = begin; i < end; i++) {
    ig_structure_touch *t = &all->point[i];
    const ig_structure_contact *c = IG_ITEM(const ig_structure_contact, s->c->contacts, t->contact);
    const int nodes = t->slaves + t->masters;
    double *fe = f + (size_t)(i - begin) * (size_t)n;
    double *ke = k ? k + (size_t)(i - begin) * (size_t)(n * n) : NULL;
    double x[IG_CONTACT_NODES][3], r[3] = {0, 0, 0}, moved[3], normal[3], p[3], D[9], T[9];
    double share[IG_CONTACT_NODES];
    foot on;
    bool turns = false;
    memset(fe, 0, (size_t)n * sizeof *fe);
    if (ke)
      memset(ke, 0, (size_t)(n * n) * sizeof *ke);
    memset(t->now, 0, sizeof t->now);
    t->gap = t->push = 0;
    if (!t->masters)
      continue;
    for (int a = 0; a < nodes; a++) {
      place_of(s, t->node[a], at->u, x[a]);
      for (int d = 0; d < 3; d++)
        r[d] += t->share[a] * x[a][d];
    }
    memcpy(normal, t->normal, sizeof normal);
    memcpy(moved, r, sizeof moved);
    memcpy(share, t->share, sizeof share);
    /* The normal follows the second face where displacements are large. */
    if (s->large && (c->tied || c->sliding))
      normal_of(t->masters, (const double(*)[3])(x + t->slaves), (const double(*)[2])t->slope,
                normal);
    else if (s->large) {
      double y[3] = {0, 0, 0};
      for (int a = 0; a < t->slaves; a++)
        for (int d = 0; d < 3; d++)
          y[d] += share[a] * x[a][d];
      project(t->masters, (const double(*)[3])(x + t->slaves), y, t->at, &on);
      turns = true;
      memcpy(normal, on.normal, sizeof normal);
      for (int a = 0; a < t->masters; a++)
        share[t->slaves + a] = -on.N[a];
      for (int d = 0; d < 3; d++) {
        r[d] = 0;
        for (int a = 0; a < nodes; a++)
          r[d] += share[a] * x[a][d];
      }
    }
    traction(c, t, normal, r, moved, at->factor, p, D, T);
    if (s->dynamic && c->damping > 0)
      damp(s, c, t, at, normal, p, D);
    for (int a = 0; a < nodes; a++) {
      for (int d = 0; d < 3; d++)
        fe[3 * a + d] = t->area * share[a] * p[d];
      for (int b = 0; ke && b < nodes; b++)
        for (int d = 0; d < 3; d++)
          for (int e = 0; e < 3; e++)
            ke[(3 * a + d) * n + 3 * b + e] =
                t->area * share[a] * (share[b] * D[3 * d + e] + t->share[b] * T[3 * d + e]);
    }
    if (ke && turns && t->push > 0)
      tangent_turn(t, &on, (const double(*)[3])x, share, p, t->push,
                   normal[0] * r[0] + normal[1] * r[1] + normal[2] * r[2], ke);
    if (s->framed) { /* rows of nodes beyond the last are zero */
      ig_lid node[IG_CONTACT_NODES];
      for (int a = 0; a < IG_CONTACT_NODES; a++)
        node[a] = t->node[a < nodes ? a : 0];
      ig_structure_to_local(s, node, IG_CONTACT_NODES, fe, ke);
    }
  }
  return IG_OK;
}

/* Warns once an analysis of a point of small sliding that has left the face it was paired with. */
static void slide_look(ig_structure_touches *all, const ig_structure_touch *t) {
  const ig_structure_contact *c =
      IG_ITEM(const ig_structure_contact, all->of->c->contacts, t->contact);
  double gap = t->shift, size;
  for (int k = 0; k < 3; k++)
    gap += t->before[k] * t->normal[k];
  const double far = slid_by(all->of, t, t->before, t->offset, &size);
  if (c->tied || !c->sliding || gap > 0 || far < size)
    return;
  all->warned = true;
  ig_warn(all->of->cx,
          "contact of '%s' and '%s': a point has slid by %.3g, further than a face is long, and "
          "still pushes on the face it met when the analysis began: `sliding: large` lets it meet "
          "others",
          c->set, c->to, far);
}

/* Relative positions and tangential tractions of the converged trial become those that the next
   step starts from. */
ig_status ig_structure_touch_accept(void *self, const ig_trial *at) {
  ig_structure_touches *all = self;
  for (int32_t i = 0; i < all->count; i++) {
    ig_structure_touch *t = &all->point[i];
    relative(all->of, t, at->u, t->before);
    memcpy(t->pull, t->now, sizeof t->pull);
    t->kept = t->extra;
    if (!all->warned)
      slide_look(all, t);
  }
  return IG_OK;
}

/* Forces on the nodes of first sides alone: those of both sides are in balance. */
void ig_structure_touches_sum(ig_structure *s) {
  const double duration =
      IG_ITEM(const ig_structure_analysis, s->c->analysis, s->analysis)->duration;
  const ig_trial still = {
      .u = NULL, .time = s->time, .factor = fmin(1, (s->time - s->begin) / duration)};
  ig_structure_touched *to = &s->touched;
  *to = (ig_structure_touched){.depth = 0};
  for (int32_t i = 0; i < s->touches.count; i++) {
    ig_structure_touch *t = &s->touches.point[i];
    const double size = t->masters ? face_size(s, t) : 0;
    double f[3 * IG_CONTACT_NODES];
    ig_trouble trouble = {.element = -1};
    if (!t->masters || IG_ITEM(const ig_structure_contact, s->c->contacts, t->contact)->tied)
      continue;
    if (ig_structure_touch_evaluate(&s->touches, &still, i, i + 1, f, NULL, &trouble) != IG_OK)
      continue;
    for (int a = 0; a < t->slaves; a++) {
      double v[3];
      ig_structure_to_fixed(s, (size_t)t->node[a], f + (size_t)(3 * a), v);
      for (int d = 0; d < 3; d++)
        to->force[d] -= v[d];
    }
    to->depth = fmax(to->depth, -t->gap);
    to->share = fmax(to->share, -t->gap / size);
  }
}
