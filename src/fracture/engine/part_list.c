/* Lists of what a rank computes and exchanges, which grow as facets open.

   Lists have a host and a device side. Items are appended on the host and the new end is copied
   to the device. They stay in rising order of the whole, because new nodes and cohesive elements
   have the highest numbers. */
#include "fracture/engine/part_surface.h"

#include <stdlib.h>
#include <string.h>

/* --- lists */

/* Room for `count` items; what is there stays.
   Half as much again on growth: the cost of copying stays proportional to the final length. */
static ig_status list_room(ig_ctx *cx, ig_frac_list *l, int64_t count) {
  if (l->a.count == 0)
    return ig_array_new(cx, &l->a, (size_t)(count + count / 4 + 64), sizeof(int32_t), "lists");
  if (count <= (int64_t)l->a.count)
    return IG_OK;
  return ig_array_grow(cx, &l->a, (size_t)(count + count / 2));
}

ig_status ig_frac_list_add(ig_ctx *cx, ig_frac_list *l, int32_t item) {
  IG_TRY(list_room(cx, l, l->count + 1));
  ((int32_t *)l->a.host)[l->count++] = item;
  return IG_OK;
}

/* Items from `from` on, to the device. */
ig_status ig_frac_list_push(ig_ctx *cx, ig_frac_list *l, int64_t from) {
  if (!cx->backend->separate || l->count == from)
    return IG_OK;
  return cx->backend->copy_in(cx, (int32_t *)l->a.dev + from, (int32_t *)l->a.host + from,
                              (size_t)(l->count - from) * sizeof(int32_t));
}

ig_status ig_frac_list_put(ig_ctx *cx, ig_frac_list *l, const int32_t *items, int64_t count) {
  IG_TRY(list_room(cx, l, count));
  if (count)
    memcpy(l->a.host, items, (size_t)count * sizeof *items);
  l->count = count;
  return ig_frac_list_push(cx, l, 0);
}

/* A list that stays as it is keeps no room to grow. */
ig_status ig_frac_list_fit(ig_ctx *cx, ig_frac_list *l) {
  ig_array fit;
  IG_TRY(ig_array_from(cx, &fit, l->a.host, (size_t)l->count, sizeof(int32_t), "lists"));
  ig_array_free(cx, &l->a);
  l->a = fit;
  return IG_OK;
}

/* --- nodes and cohesive elements, which grow in number */

/* Five plain arrays of the host that belong to nodes of the part. */
ig_status ig_frac_nodes_room(ig_frac_model *m, int64_t count) {
  ig_frac_part *p = &m->part;
  int32_t **const all[] = {&p->origin, &p->next, &p->number, &p->node, &p->shift};
  if (count <= p->room)
    return IG_OK;
  const int64_t room = count + count / 2;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    int32_t *more = realloc(*all[i], (size_t)room * sizeof *more);
    if (!more)
      return IG_FAIL(m->cx, IG_MEMORY, "no memory for the nodes of a part");
    *all[i] = more;
  }
  p->room = room;
  return IG_OK;
}

/* Node n, split off `origin`: the last of its copies so far; or that node itself.
   next chains the copies of a mesh node, last is the end of its chain: ghosts are exchanged by
   chains. */
static ig_status node_add(ig_frac_model *m, int32_t n, int32_t origin) {
  ig_frac_part *p = &m->part;
  p->origin[n] = origin;
  p->next[n] = -1;
  p->number[n] = p->mesh_node[origin];
  if (n != origin)
    p->next[p->last[origin]] = n;
  p->last[origin] = n;
  if (p->owner[origin] == p->rank)
    IG_TRY(ig_frac_list_add(m->cx, &p->nodes, n));
  return p->node_layer[origin] <= p->reach ? ig_frac_list_add(m->cx, &p->averaged, n) : IG_OK;
}

/* Element e has a load or a cohesive element: if its nodes are all own, it is computed again later.

   mine 2 becomes 3 once: such an element is computed ahead without its facets and again with
   them. */
static ig_status joint_add(ig_frac_model *m, int32_t e) {
  ig_frac_part *p = &m->part;
  if (p->mine[e] != 2)
    return IG_OK;
  p->mine[e] = 3;
  return ig_frac_list_add(m->cx, &p->late, e);
}

/* The owner of a cohesive element is that of its lower element. It is computed by every rank
   that has one of its elements near. */
static ig_status cohesive_add(ig_frac_model *m, const int32_t *facet, int32_t c) {
  ig_frac_part *p = &m->part;
  const int faces = m->shape.faces;
  const int32_t lower = facet[0] / faces, upper = facet[1] / faces;
  IG_TRY(ig_frac_list_add(m->cx, &p->crack_owner, p->element_owner[lower]));
  IG_TRY(joint_add(m, lower));
  IG_TRY(joint_add(m, upper));
  return p->mine[lower] || p->mine[upper] ? ig_frac_list_add(m->cx, &p->cohesive, c) : IG_OK;
}

/* Nodes of the mesh that pass, with all their copies: both sides list them in the same order. */
static ig_status copies_list(const ig_frac_model *m, const ig_frac_passing *from,
                             ig_frac_passing *to) {
  const ig_frac_part *p = &m->part;
  IG_TRY(IG_NEW(m->cx, &to->start, (size_t)p->ranks + 1, "ghosts"));
  for (int pass = 0; pass < 2; pass++) {
    int32_t at = 0;
    for (int r = 0; r < p->ranks; r++) {
      to->start[r] = at;
      for (int32_t i = from->start[r]; i < from->start[r + 1]; i++)
        for (int32_t n = from->node[i]; n >= 0; n = p->next[n], at++)
          if (pass)
            to->node[at] = n;
    }
    to->start[p->ranks] = at;
    if (!pass)
      IG_TRY(IG_NEW(m->cx, &to->node, (size_t)at + 1, "ghosts"));
  }
  return IG_OK;
}

/* Items of 2 x dim reals: displacement and velocity; where velocities do not travel only half is
   used. */
static ig_status halo_make(ig_frac_model *m, int layer) {
  ig_frac_part *p = &m->part;
  ig_frac_passing give = {0}, take = {0};
  ig_status status = copies_list(m, &p->give[layer], &give);
  if (status == IG_OK)
    status = copies_list(m, &p->take[layer], &take);
  const ig_halo_lists lists = {p->ranks, give.start, give.node, take.start, take.node};
  const size_t real = m->wide ? 8 : 4;
  const size_t item = 2 * (size_t)m->shape.dim * real; /* velocities, where contact needs them */
  if (status == IG_OK)
    status = ig_halo_of(m->cx, &lists, item, &p->halo[layer]);
  free(give.start);
  free(give.node);
  free(take.start);
  free(take.node);
  return status;
}

static ig_status halos_make(ig_frac_model *m) {
  for (int layer = 0; layer < IG_FRAC_LAYERS; layer++)
    IG_TRY(halo_make(m, layer));
  return IG_OK;
}

/* What is near what is to be found out again, with the mesh as it is on the device. */
static void surfaces_changed(ig_frac_part *p) {
  p->unseen = true;
  if (p->contact)
    p->contact->mesh_known = false;
}

/* From scratch; `late` keeps its first `outer` entries, which never change. */
ig_status ig_frac_part_list(ig_frac_model *m) {
  ig_frac_part *p = &m->part;
  void *node, *coh;
  if (p->ranks == 1)
    return IG_OK;
  IG_TRY(ig_frac_model_pull(m, "node", &node));
  IG_TRY(ig_frac_model_pull(m, "coh", &coh));
  p->nodes.count = p->averaged.count = p->cohesive.count = p->crack_owner.count = 0;
  for (int64_t i = p->outer; i < p->late.count; i++)
    p->mine[((int32_t *)p->late.a.host)[i]] = 2;
  p->late.count = p->outer;
  p->ahead = p->far_known = false;
  surfaces_changed(p);
  const int32_t *load_face = ig_frac_model_host(m, "load_face");
  for (int32_t k = 0; k < m->s.drive.loads_on; k++)
    IG_TRY(joint_add(m, load_face[3 * k] / m->shape.faces));
  IG_TRY(ig_frac_nodes_room(m, m->count.nodes));
  for (int32_t n = 0; n < m->count.nodes; n++)
    IG_TRY(node_add(m, n, n < m->nodes_start ? n : ((ig_frac_node *)node)[n].origin));
  for (int32_t c = 0; c < m->count.cohesive; c++)
    IG_TRY(cohesive_add(m, (int32_t *)coh + 2 * (int64_t)c, c));
  p->known = m->count.nodes;
  p->cracks = m->count.cohesive;
  IG_TRY(ig_frac_list_push(m->cx, &p->nodes, 0));
  IG_TRY(ig_frac_list_push(m->cx, &p->averaged, 0));
  IG_TRY(ig_frac_list_push(m->cx, &p->cohesive, 0));
  IG_TRY(ig_frac_list_push(m->cx, &p->late, 0));
  return halos_make(m);
}

/* Copies that nodes got: of node touched[k] those up to extra[k].
   extra[k] is a running sum (insert.inc), so that copies of touched[k] are those after the ones
   before it. */
static ig_status copies_add(ig_frac_model *m, const int32_t *touched, const int32_t *extra) {
  ig_frac_part *p = &m->part;
  const ig_frac_count *count = &m->count;
  int32_t n = p->known;
  for (int32_t k = 0; k < count->touched; k++) {
    const int32_t split[] = {touched[k], n, p->known + extra[k] - n};
    for (int i = 0; i < 3; i++)
      IG_TRY(ig_frac_list_add(m->cx, &p->splits, split[i]));
    for (; n < p->known + extra[k]; n++) {
      p->shift[n] = p->shift[touched[k]]; /* a part of the same stretch */
      IG_TRY(node_add(m, n, p->origin[touched[k]]));
    }
  }
  return n == count->nodes ? IG_OK
                           : IG_FAIL(m->cx, IG_NUMERIC, "%d nodes were split off, not %d",
                                     n - p->known, count->nodes - p->known);
}

/* Reads only what is new from the device: touched nodes, copies, facets of new cohesive
   elements. */
static ig_status grown_add(ig_frac_model *m, int32_t *touched, int32_t *extra, int32_t *coh) {
  ig_frac_part *p = &m->part;
  ig_ctx *cx = m->cx;
  const size_t count = (size_t)m->count.touched, cracks = (size_t)(m->count.cohesive - p->cracks);
  const int64_t nodes = p->nodes.count, averaged = p->averaged.count, held = p->cohesive.count,
                late = p->late.count;
  if (count) {
    IG_TRY(cx->backend->copy_out(cx, touched, m->s.grow.touched, count * sizeof *touched));
    IG_TRY(cx->backend->copy_out(cx, extra, m->s.grow.extra, count * sizeof *extra));
  }
  if (cracks)
    IG_TRY(cx->backend->copy_out(cx, coh, m->s.topo.coh + 2 * (int64_t)p->cracks,
                                 2 * cracks * sizeof *coh));
  IG_TRY(copies_add(m, touched, extra));
  for (size_t i = 0; i < cracks; i++)
    IG_TRY(cohesive_add(m, coh + 2 * i, p->cracks + (int32_t)i));
  IG_TRY(ig_frac_list_push(cx, &p->nodes, nodes));
  IG_TRY(ig_frac_list_push(cx, &p->averaged, averaged));
  IG_TRY(ig_frac_list_push(cx, &p->late, late));
  return ig_frac_list_push(cx, &p->cohesive, held);
}

static ig_status lists_grow(ig_frac_model *m) {
  const ig_frac_part *p = &m->part;
  const ig_frac_count *count = &m->count;
  int32_t *touched = NULL, *extra = NULL, *coh = NULL;
  ig_status status = ig_frac_nodes_room(m, count->nodes);
  if (status == IG_OK)
    status = IG_NEW(m->cx, &touched, (size_t)count->touched + 1, "copies of nodes");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &extra, (size_t)count->touched + 1, "copies of nodes");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &coh, 2 * (size_t)(count->cohesive - p->cracks) + 1, "new facets");
  if (status == IG_OK)
    status = grown_add(m, touched, extra, coh);
  free(touched);
  free(extra);
  free(coh);
  return status;
}

/* Ghosts are listed anew on all ranks, for those that exchange them agree how. */
ig_status ig_frac_part_grow(ig_frac_model *m) {
  ig_frac_part *p = &m->part;
  const ig_frac_count *count = &m->count;
  p->splits.count = 0;
  if (count->nodes > p->known || count->cohesive > p->cracks)
    IG_TRY(lists_grow(m));
  p->known = count->nodes;
  p->cracks = count->cohesive;
  surfaces_changed(p);
  return halos_make(m);
}
