/* Whether what acts on a body acts on elements that can carry it, and whether these connect it
   with a support. Otherwise the system is singular but for the stiffness of void, and the solver
   would "converge" to enormous displacements; the error here names the place instead.

   Nodes are joined by the elements that carry (union-find); a load must be in a tree with a
   support. */
#include "topopt/case/boundary_conditions.h"
#include "core/union_find.h"
#include "ranks/ranks.h"

#include <stdlib.h>

/* What is known of the nodes. */
typedef struct {
  const ig_topopt_points *p;
  uint8_t *carried; /* an element that is not held void touches it */
  int32_t *up;      /* forest of nodes that carrying elements connect; NULL: not needed */
  uint8_t *firm;    /* of a root: a support or spring is among its nodes */
  int64_t node;     /* the first that does not do, -1: none */
  int64_t count;    /* nodes that do */
} footing;

/* Ghost nodes are looked at by their owners. */
static bool own(const ig_topopt_points *p, int64_t node) {
  return node >= ig_topopt_own_begin(p) && node < ig_topopt_own_end(p, p->nodes);
}

static bool carries(uint8_t role) {
  return role == IG_ROLE_DESIGN || role == IG_ROLE_SOLID;
}

/* A node is carried if any element at it may have material. */
static ig_status mark_carried(const uint8_t *role, footing *f) {
  const ig_topopt_points *p = f->p;
  IG_TRY(IG_NEW(p->cx, &f->carried, p->nodes, "loads"));
  for (int64_t i = 0; i < p->places; i++) {
    int64_t node[IG_ELEMENT_NODES];
    if (!carries(role[i]))
      continue;
    for (int n = p->corners(p->self, i, node); n > 0; n--)
      if (node[n - 1] < p->nodes) /* of the last ghosts not all are there */
        f->carried[node[n - 1]] = 1;
  }
  return IG_OK;
}

/* Connects the nodes of carrying elements. A divided grid is not looked at: its design is, at
   the end. Skipped where nothing is void and the body is one piece: then everything is
   connected. */
static ig_status connect(const uint8_t *role, const uint8_t *fix, const ig_loading *l, footing *f) {
  const ig_topopt_points *p = f->p;
  bool cut = !p->one_piece;
  for (int64_t i = 0; i < p->places && !cut; i++)
    cut = role[i] == IG_ROLE_VOID;
  if (!cut || p->slab || p->nodes > INT32_MAX)
    return IG_OK;
  IG_TRY(IG_NEW(p->cx, &f->up, p->nodes, "connected nodes"));
  IG_TRY(IG_NEW(p->cx, &f->firm, p->nodes, "connected nodes"));
  for (int32_t n = 0; n < p->nodes; n++)
    f->up[n] = n;
  for (int64_t i = 0; i < p->places; i++) {
    int64_t node[IG_ELEMENT_NODES];
    if (!carries(role[i]))
      continue;
    for (int n = p->corners(p->self, i, node); n > 1; n--)
      ig_union_join(f->up, (int32_t)node[0], (int32_t)node[n - 1]);
  }
  for (int32_t n = 0; n < p->nodes; n++)
    if (fix[n])
      f->firm[ig_union_root(f->up, n)] = 1;
  for (int i = 0; i < l->springs; i++)
    f->firm[ig_union_root(f->up, (int32_t)l->sprung[i])] = 1;
  return IG_OK;
}

/* Visitor: remembers the first node of the entry at which every element is void. */
static void find_void(void *user, int64_t node, double weight) {
  (void)weight;
  footing *f = user;
  if (f->node < 0 && own(f->p, node) && !f->carried[node])
    f->node = node;
}
/* Visitor: remembers the first node that no carrying element connects with a support. */
static void find_loose(void *user, int64_t node, double weight) {
  (void)weight;
  footing *f = user;
  if (f->node < 0 && !f->firm[ig_union_root(f->up, (int32_t)node)])
    f->node = node;
}
static void count_carried(void *user, int64_t node, double weight) {
  (void)weight;
  footing *f = user;
  f->count += own(f->p, node) && f->carried[node];
}

/* An entry acts on nodes that something carries; with `connected`, up to a support. */
static ig_status check_entry(footing *f, const char *list, ig_where where, ig_point_kind kind,
                             bool connected) {
  const ig_topopt_points *p = f->p;
  double x[3];
  f->node = -1;
  IG_TRY(ig_topopt_points_visit(p, where, kind, find_void, f));
  if (f->node >= 0) {
    p->position(p->self, f->node, x);
    return ig_fail_at(p->cx, where.at,
                      "%s: all elements at (%g, %g, %g) m are held void, nothing carries it there: "
                      "move it, or hold an element there solid",
                      list, x[0], x[1], x[2]);
  }
  if (!connected || !f->up)
    return IG_OK;
  IG_TRY(ig_topopt_points_visit(p, where, kind, find_loose, f));
  if (f->node < 0)
    return IG_OK;
  p->position(p->self, f->node, x);
  return ig_fail_at(p->cx, where.at,
                    "%s: no elements that may be solid connect (%g, %g, %g) m with a support: what "
                    "is held void cuts it off, or the body is in several pieces",
                    list, x[0], x[1], x[2]);
}

/* Springs hold by themselves and need no connection to a support. */
static ig_status check_entries(footing *f) {
  const ig_topopt_case *c = f->p->c;
  for (int i = 0; i < c->springs.count; i++)
    IG_TRY(check_entry(f, "springs", IG_WHERE(IG_ITEM(ig_spring_case, c->springs, i)),
                       IG_POINT_NODES, false));
  for (int i = 0; i < c->loads.count; i++) {
    const ig_load_case *load = IG_ITEM(ig_load_case, c->loads, i);
    const double *force = load->force, *moment = load->moment;
    const bool pulls = force[0] != 0 || force[1] != 0 || force[2] != 0 || load->heat != 0;
    const bool turns = moment[0] != 0 || moment[1] != 0 || moment[2] != 0;
    if (turns || (pulls && load->spread != IG_SPREAD_FACES))
      IG_TRY(check_entry(f, "loads", IG_WHERE(load), IG_POINT_NODES, true));
    if (load->pressure != 0 || (pulls && load->spread == IG_SPREAD_FACES))
      IG_TRY(check_entry(f, "loads", IG_WHERE(load), IG_POINT_FACES, true));
  }
  for (int i = 0; i < c->ports.count; i++)
    IG_TRY(check_entry(f, "ports", IG_WHERE(IG_ITEM(ig_port_case, c->ports, i)), IG_POINT_NODES,
                       true));
  for (int i = 0; i < c->masses.count; i++)
    IG_TRY(check_entry(f, "masses", IG_WHERE(IG_ITEM(ig_mass_case, c->masses, i)), IG_POINT_NODES,
                       true));
  return IG_OK;
}

/* A support may hold void, too, but not alone. */
static ig_status check_supports(footing *f) {
  const ig_topopt_points *p = f->p;
  const ig_list *supports = &p->c->supports;
  int64_t *count;
  ig_status status = IG_NEW(p->cx, &count, supports->count + 1, "supports");
  for (int i = 0; status == IG_OK && i < supports->count; i++) {
    f->count = 0;
    status = ig_topopt_points_visit(p, IG_WHERE(IG_ITEM(ig_hold_case, *supports, i)),
                                    IG_POINT_ALL_NODES, count_carried, f);
    count[i] = f->count;
  }
  status = ig_topopt_points_meet(p, status);
  if (status == IG_OK && p->slab)
    status = ig_slab_count(p->slab, count, supports->count);
  for (int i = 0; status == IG_OK && i < supports->count; i++)
    if (count[i] == 0)
      status = ig_fail_at(p->cx, &IG_ITEM(ig_hold_case, *supports, i)->at,
                          "supports: all elements there are held void or outside the part: it "
                          "holds nothing; move it, or hold elements there solid");
  free(count);
  return status;
}

/* --- whether there is material enough for a strand from a load to a support */

/* Elements on the shortest way from the supports to each node, those that are held solid for
   nothing; 0 at supports. From one element to those that share a node with it: forth and back
   through all of them until nothing changes; false: not within some rounds. */
static bool strand_find(const ig_topopt_points *p, const uint8_t *fix, const uint8_t *role,
                        const ig_loading *l, int32_t *way) {
  enum { ROUNDS = 16 };
  bool changed = true;
  for (int64_t n = 0; n < p->nodes; n++)
    way[n] = fix[n] ? 0 : INT32_MAX;
  for (int i = 0; i < l->springs; i++)
    way[l->sprung[i]] = 0;
  for (int round = 0; round < ROUNDS && changed; round++) {
    changed = false;
    for (int64_t k = 0; k < p->places; k++) {
      const int64_t i = round % 2 ? p->places - 1 - k : k;
      int64_t node[IG_ELEMENT_NODES];
      int32_t least = INT32_MAX;
      if (!carries(role[i]))
        continue;
      const int corners = p->corners(p->self, i, node);
      for (int n = 0; n < corners; n++)
        least = way[node[n]] < least ? way[node[n]] : least;
      if (least == INT32_MAX)
        continue;
      least += role[i] == IG_ROLE_DESIGN;
      for (int n = 0; n < corners; n++)
        if (way[node[n]] > least)
          way[node[n]] = least, changed = true;
    }
  }
  return !changed;
}

typedef struct {
  const int32_t *way;
  int64_t node; /* of the load in hand, the nearest to a support */
} strand;
static void strand_nearest(void *user, int64_t node, double weight) {
  (void)weight;
  strand *s = user;
  if (s->node < 0 || s->way[node] < s->way[s->node])
    s->node = node;
}

/* Of a share that is small, said before the run: no design can hang together. */
static ig_status strand_warn(const ig_topopt_points *p, const uint8_t *fix, const uint8_t *role,
                             const ig_loading *l) {
  static const double small = 0.1;
  const ig_topopt_case *c = p->c;
  int64_t all = 0, held = 0;
  strand s = {0};
  int32_t *way;
  if (c->volume > small || c->minimise == IG_MINIMISE_VOLUME || c->choose_material ||
      ig_ranks_count(p->cx->ranks) > 1 || p->nodes > INT32_MAX)
    return IG_OK;
  IG_TRY(IG_NEW(p->cx, &way, p->nodes, "loads"));
  s.way = way;
  for (int64_t i = 0; i < p->places; i++) {
    all += carries(role[i]) || role[i] == IG_ROLE_VOID;
    held += role[i] == IG_ROLE_SOLID;
  }
  ig_status status = IG_OK;
  const bool known = strand_find(p, fix, role, l, way);
  for (int i = 0; i < c->loads.count && known && status == IG_OK; i++) {
    const ig_load_case *load = IG_ITEM(ig_load_case, c->loads, i);
    const bool faces = load->pressure != 0 || load->spread == IG_SPREAD_FACES;
    double x[3];
    s.node = -1;
    status = ig_topopt_points_visit(p, IG_WHERE(load), faces ? IG_POINT_FACES : IG_POINT_NODES,
                                    strand_nearest, &s);
    if (status != IG_OK || s.node < 0 || way[s.node] == INT32_MAX ||
        (double)way[s.node] <= c->volume * (double)all - (double)held)
      continue;
    p->position(p->self, s.node, x);
    ig_warn_at(
        p->cx, &c->at,
        "volume: %g is too little: a strand of single elements from the load at (%.4g, %.4g, "
        "%.4g) m to the nearest support takes %.3g of the body already, so no design can "
        "carry it: allow several times that",
        c->volume, x[0], x[1], x[2], (double)(way[s.node] + held) / (double)all);
    break;
  }
  free(way);
  return status;
}

/* Collective on a divided grid: every rank checks its own nodes, and a failure of one is that of
   all. */
ig_status ig_topopt_points_footing(const ig_topopt_points *p, const uint8_t *fix,
                                   const uint8_t *role, const ig_loading *l) {
  footing f = {.p = p};
  ig_status status = mark_carried(role, &f);
  status = ig_topopt_points_meet(p, status);
  if (status == IG_OK)
    status = check_supports(&f);
  if (status == IG_OK)
    status = connect(role, fix, l, &f);
  if (status == IG_OK)
    status = check_entries(&f);
  if (status == IG_OK)
    status = strand_warn(p, fix, role, l);
  free(f.carried);
  free(f.up);
  free(f.firm);
  return ig_topopt_points_meet(p, status);
}
