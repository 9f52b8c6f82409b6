/* A divided model: who computes what, and who needs whose nodes. */
#include "fracture/part.h"

#include <stdlib.h>
#include <string.h>

static ig_status division_check(const ig_frac_model *m) {
  const int ranks = ig_ranks_count(m->cx->ranks);
  if (ranks > IG_FRAC_RANKS)
    return IG_FAIL(m->cx, IG_INPUT, "fracture runs on %d ranks at most (%d here): start fewer",
                   IG_FRAC_RANKS, ranks);
  if (m->s.how != IG_GATHER)
    return IG_FAIL(m->cx, IG_INPUT,
                   "on several ranks (%d here) only assembly 'gather' has the bits of one: choose "
                   "assembly: gather",
                   ranks);
  return IG_OK;
}

/* --- lists */

/* Room for `count` items; what is there stays. */
static ig_status list_room(ig_ctx *cx, ig_frac_list *l, int64_t count) {
  if (l->a.count == 0)
    return ig_array_new(cx, &l->a, (size_t)(count + count / 4 + 64), sizeof(int32_t), "lists");
  if (count <= (int64_t)l->a.count)
    return IG_OK;
  return ig_array_grow(cx, &l->a, (size_t)(count + count / 2));
}

static ig_status list_add(ig_ctx *cx, ig_frac_list *l, int32_t item) {
  IG_TRY(list_room(cx, l, l->count + 1));
  ((int32_t *)l->a.host)[l->count++] = item;
  return IG_OK;
}

/* Items from `from` on, to the device. */
static ig_status list_push(ig_ctx *cx, ig_frac_list *l, int64_t from) {
  if (!cx->backend->separate || l->count == from)
    return IG_OK;
  return cx->backend->copy_in(cx, (int32_t *)l->a.dev + from, (int32_t *)l->a.host + from,
                              (size_t)(l->count - from) * sizeof(int32_t));
}

/* --- who needs what: sets of ranks spread from nodes to elements and back, once per layer */

static int32_t node_of(const ig_block *b, int npe, ig_lid e, int a) {
  return b->conn[(int64_t)e * npe + a];
}

/* of elements from those of their nodes */
static void to_elements(const ig_mesh *mesh, int npe, const uint64_t *node, uint64_t *element) {
  int64_t at = 0;
  for (int b = 0; b < mesh->blocks; b++)
    for (ig_lid e = 0; e < mesh->block[b].count; e++, at++) {
      element[at] = 0;
      for (int a = 0; a < npe; a++)
        element[at] |= node[node_of(&mesh->block[b], npe, e, a)];
    }
}

/* and of nodes from those of the elements they are in */
static void to_nodes(const ig_mesh *mesh, int npe, const uint64_t *element, uint64_t *node) {
  int64_t at = 0;
  for (int b = 0; b < mesh->blocks; b++)
    for (ig_lid e = 0; e < mesh->block[b].count; e++, at++)
      for (int a = 0; a < npe; a++)
        node[node_of(&mesh->block[b], npe, e, a)] |= element[at];
}

static ig_status layers_find(ig_frac_model *m, const ig_mesh *mesh) {
  ig_frac_part *p = m->divided;
  const int npe = m->shape.nodes;
  const uint64_t me = UINT64_C(1) << p->rank;
  uint64_t *element;
  IG_TRY(IG_NEW(m->cx, &element, (int64_t)m->s.ne + 1, "layers"));
  ig_status status = IG_OK;
  for (ig_lid n = 0; n < mesh->nodes; n++)
    p->near[n] = UINT64_C(1) << p->owner[n];
  to_elements(mesh, npe, p->near, element);
  if (m->s.zone.law.rigid) { /* all is known one layer further, for what touches there */
    for (int32_t e = 0; e < m->s.ne && status == IG_OK; e++)
      if (element[e] & me)
        status = list_add(m->cx, &p->touching, e);
    to_nodes(mesh, npe, element, p->near);
    to_elements(mesh, npe, p->near, element);
  }
  for (int32_t e = 0; e < m->s.ne && status == IG_OK; e++)
    if (element[e] & me) {
      p->mine[e] = element[e] == me ? 2 : 1;
      status = list_add(m->cx, &p->elements, e);
      if (status == IG_OK)
        status = list_add(m->cx, element[e] == me ? &p->inner : &p->outer, e);
    }
  to_nodes(mesh, npe, element, p->near);
  to_elements(mesh, npe, p->near, element);
  for (int32_t e = 0; e < m->s.ne && status == IG_OK; e++)
    if (element[e] & me)
      status = list_add(m->cx, &p->stressed, e);
  memcpy(p->far, p->near, sizeof *p->far * (size_t)mesh->nodes);
  to_nodes(mesh, npe, element, p->far);
  free(element);
  return status;
}

static ig_status elements_list(ig_frac_model *m, const ig_mesh *mesh) {
  ig_frac_part *p = m->divided;
  const int npe = m->shape.nodes, faces = m->shape.faces;
  int64_t at = 0;
  for (int b = 0; b < mesh->blocks; b++)
    for (ig_lid e = 0; e < mesh->block[b].count; e++, at++) {
      int32_t lowest = node_of(&mesh->block[b], npe, e, 0);
      for (int a = 1; a < npe; a++)
        if (node_of(&mesh->block[b], npe, e, a) < lowest)
          lowest = node_of(&mesh->block[b], npe, e, a);
      p->element_owner[at] = p->owner[lowest];
    }
  for (int64_t i = 0; i < p->elements.count; i++)
    for (int f = 0; f < faces; f++)
      IG_TRY(list_add(m->cx, &p->facets, ((int32_t *)p->elements.a.host)[i] * faces + f));
  for (int32_t k = 0; k < m->s.drive.loads_on; k++)
    if (p->mine[m->load_face[3 * k] / faces])
      IG_TRY(list_add(m->cx, &p->loads, k));
  ig_frac_list *const all[] = {&p->elements, &p->stressed, &p->facets,  &p->loads,
                               &p->inner,    &p->outer,    &p->touching};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    IG_TRY(list_push(m->cx, all[i], 0));
  return IG_OK;
}

/* --- nodes and cohesive elements, which grow in number */

static ig_status nodes_room(ig_frac_model *m, int64_t count) {
  ig_frac_part *p = m->divided;
  if (count <= p->room)
    return IG_OK;
  const int64_t room = count + count / 2;
  int32_t *origin = realloc(p->origin, (size_t)room * sizeof *origin);
  if (origin)
    p->origin = origin;
  int32_t *next = realloc(p->next, (size_t)room * sizeof *next);
  if (next)
    p->next = next;
  if (!origin || !next)
    return IG_FAIL(m->cx, IG_MEMORY, "no memory for the nodes of a part");
  p->room = room;
  return IG_OK;
}

/* Node n, split off `origin`: the last of its copies so far; or that node itself. */
static ig_status node_add(ig_frac_model *m, int32_t n, int32_t origin) {
  ig_frac_part *p = m->divided;
  p->origin[n] = origin;
  p->next[n] = -1;
  if (n != origin)
    p->next[p->last[origin]] = n;
  p->last[origin] = n;
  if (p->owner[origin] == p->rank)
    IG_TRY(list_add(m->cx, &p->nodes, n));
  return p->near[origin] >> p->rank & 1 ? list_add(m->cx, &p->averaged, n) : IG_OK;
}

/* Something hangs on element e: if its nodes are all own it is computed again when that is known.
 */
static ig_status joint_add(ig_frac_model *m, int32_t e) {
  ig_frac_part *p = m->divided;
  if (p->mine[e] != 2)
    return IG_OK;
  p->mine[e] = 3;
  return list_add(m->cx, &p->joint, e);
}

static ig_status cohesive_add(ig_frac_model *m, const int32_t *facet, int32_t c) {
  ig_frac_part *p = m->divided;
  const int faces = m->shape.faces;
  IG_TRY(list_add(m->cx, &p->crack_owner, p->element_owner[facet[0] / faces]));
  IG_TRY(joint_add(m, facet[0] / faces));
  IG_TRY(joint_add(m, facet[1] / faces));
  return p->mine[facet[0] / faces] || p->mine[facet[1] / faces] ? list_add(m->cx, &p->cohesive, c)
                                                                : IG_OK;
}

/* Nodes of the mesh that pass between this rank and the others, rank by rank: its own that others
   need (`give`), or the reverse. */
static ig_status passing_find(ig_frac_model *m, const uint64_t *need, bool give,
                              ig_frac_passing *w) {
  const ig_frac_part *p = m->divided;
  int32_t count = 0;
  IG_TRY(IG_NEW(m->cx, &w->start, (size_t)p->ranks + 2, "ghosts"));
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t n = 0; n < m->nodes_start; n++)
      for (int r = 0; r < p->ranks; r++) {
        if (r == p->rank || p->owner[n] != (give ? p->rank : r) ||
            !(need[n] >> (give ? r : p->rank) & 1))
          continue;
        if (pass)
          w->node[w->start[r + 1]++] = n;
        else
          w->start[r + 2]++, count++;
      }
    for (int r = 0; r < p->ranks && !pass; r++) /* start[r + 1] moves on to the end of r */
      w->start[r + 2] += w->start[r + 1];
    if (!pass)
      IG_TRY(IG_NEW(m->cx, &w->node, (size_t)count + 1, "ghosts"));
  }
  return IG_OK;
}

/* The same with all copies of these nodes: both sides list them in the same order. */
static ig_status copies_list(const ig_frac_model *m, const ig_frac_passing *from,
                             ig_frac_passing *to) {
  const ig_frac_part *p = m->divided;
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

static ig_status halo_make(ig_frac_model *m, int layer) {
  ig_frac_part *p = m->divided;
  ig_frac_passing give = {0}, take = {0};
  ig_status status = copies_list(m, &p->give[layer], &give);
  if (status == IG_OK)
    status = copies_list(m, &p->take[layer], &take);
  const ig_halo_lists lists = {p->ranks, give.start, give.node, take.start, take.node};
  if (status == IG_OK) /* displacements, and velocities where contact needs them */
    status =
        ig_halo_of(m->cx, &lists, 2 * (size_t)m->shape.dim * (m->wide ? 8 : 4), &p->halo[layer]);
  free(give.start);
  free(give.node);
  free(take.start);
  free(take.node);
  return status;
}

static int layers(const ig_frac_model *m) {
  return m->s.surface.on ? IG_FRAC_LAYERS : IG_FRAC_ALL;
}

static ig_status halos_make(ig_frac_model *m) {
  for (int layer = 0; layer < layers(m); layer++)
    IG_TRY(halo_make(m, layer));
  return IG_OK;
}

/* Cohesive elements of each rank, in growing order; of its own all go to every other rank. */
static ig_status crack_halo_fill(ig_frac_model *m, int32_t *start, int32_t *all) {
  ig_frac_part *p = m->divided;
  const int32_t *owner = p->crack_owner.a.host;
  int32_t at = 0;
  for (int r = 0; r < p->ranks; r++) {
    start[r] = at;
    for (int64_t c = 0; c < p->crack_owner.count; c++)
      if (owner[c] == r)
        all[at++] = (int32_t)c;
  }
  start[p->ranks] = at;
  const int32_t own = start[p->rank + 1] - start[p->rank];
  int32_t *give_start, *give, *take_start, *take;
  IG_TRY(IG_NEW(m->cx, &give_start, 2 * ((size_t)p->ranks + 1), "ghosts"));
  ig_status status =
      IG_NEW(m->cx, &give, (size_t)own * (size_t)p->ranks + (size_t)at + 1, "ghosts");
  take_start = give_start + p->ranks + 1;
  take = give + (int64_t)own * p->ranks;
  for (int r = 0, g = 0, t = 0; r < p->ranks && status == IG_OK; r++) {
    for (int32_t i = 0; i < own && r != p->rank; i++)
      give[g++] = all[start[p->rank] + i];
    for (int32_t i = start[r]; i < start[r + 1] && r != p->rank; i++)
      take[t++] = all[i];
    give_start[r + 1] = g;
    take_start[r + 1] = t;
  }
  const ig_halo_lists lists = {p->ranks, give_start, give, take_start, take};
  if (status == IG_OK)
    status =
        ig_halo_of(m->cx, &lists, (size_t)(m->shape.points * m->shape.state) * (m->wide ? 8 : 4),
                   &p->crack_halo);
  free(give_start);
  free(give);
  return status;
}

static ig_status crack_halo_make(ig_frac_model *m) {
  const ig_frac_part *p = m->divided;
  int32_t *start;
  if (!m->s.surface.on)
    return IG_OK;
  const size_t ranks = (size_t)p->ranks + 1;
  IG_TRY(IG_NEW(m->cx, &start, ranks + (size_t)p->crack_owner.count + 1, "ghosts"));
  const ig_status status = crack_halo_fill(m, start, start + ranks);
  free(start);
  return status;
}

ig_status ig_frac_part_list(ig_frac_model *m) {
  ig_frac_part *p = m->divided;
  void *node, *coh;
  if (!p)
    return IG_OK;
  IG_TRY(ig_frac_model_pull(m, "node", &node));
  IG_TRY(ig_frac_model_pull(m, "coh", &coh));
  p->nodes.count = p->averaged.count = p->cohesive.count = p->crack_owner.count = 0;
  for (int64_t i = 0; i < p->joint.count; i++)
    p->mine[((int32_t *)p->joint.a.host)[i]] = 2;
  p->joint.count = 0;
  p->ahead = false;
  for (int32_t k = 0; k < m->s.drive.loads_on; k++)
    IG_TRY(joint_add(m, m->load_face[3 * k] / m->shape.faces));
  IG_TRY(nodes_room(m, m->count.nodes));
  for (int32_t n = 0; n < m->count.nodes; n++)
    IG_TRY(node_add(m, n, n < m->nodes_start ? n : ((ig_frac_node *)node)[n].origin));
  for (int32_t c = 0; c < m->count.cohesive; c++)
    IG_TRY(cohesive_add(m, (int32_t *)coh + 2 * (int64_t)c, c));
  p->known = m->count.nodes;
  p->cracks = m->count.cohesive;
  IG_TRY(list_push(m->cx, &p->nodes, 0));
  IG_TRY(list_push(m->cx, &p->averaged, 0));
  IG_TRY(list_push(m->cx, &p->cohesive, 0));
  IG_TRY(list_push(m->cx, &p->joint, 0));
  p->stale = false; /* all ranks have all of it */
  IG_TRY(halos_make(m));
  return crack_halo_make(m);
}

/* Copies that nodes got: of node touched[k] those up to extra[k]. */
static ig_status copies_add(ig_frac_model *m, const int32_t *touched, const int32_t *extra) {
  ig_frac_part *p = m->divided;
  int32_t n = p->known;
  for (int32_t k = 0; k < m->count.touched; k++)
    for (; n < p->known + extra[k]; n++)
      IG_TRY(node_add(m, n, p->origin[touched[k]]));
  return n == m->count.nodes ? IG_OK
                             : IG_FAIL(m->cx, IG_NUMERIC, "%d nodes were split off, not %d",
                                       n - p->known, m->count.nodes - p->known);
}

static ig_status grown_add(ig_frac_model *m, int32_t *touched, int32_t *extra, int32_t *coh) {
  ig_frac_part *p = m->divided;
  ig_ctx *cx = m->cx;
  const size_t count = (size_t)m->count.touched, cracks = (size_t)(m->count.cohesive - p->cracks);
  const int64_t nodes = p->nodes.count, averaged = p->averaged.count, held = p->cohesive.count,
                joint = p->joint.count;
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
  IG_TRY(list_push(cx, &p->nodes, nodes));
  IG_TRY(list_push(cx, &p->averaged, averaged));
  IG_TRY(list_push(cx, &p->joint, joint));
  return list_push(cx, &p->cohesive, held);
}

ig_status ig_frac_part_grow(ig_frac_model *m) {
  ig_frac_part *p = m->divided;
  int32_t *touched = NULL, *extra = NULL, *coh = NULL;
  if (m->count.nodes == p->known && m->count.cohesive == p->cracks)
    return IG_OK;
  ig_status status = nodes_room(m, m->count.nodes);
  if (status == IG_OK)
    status = IG_NEW(m->cx, &touched, (size_t)m->count.touched + 1, "copies of nodes");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &extra, (size_t)m->count.touched + 1, "copies of nodes");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &coh, 2 * (size_t)(m->count.cohesive - p->cracks) + 1, "new facets");
  if (status == IG_OK)
    status = grown_add(m, touched, extra, coh);
  const bool split = m->count.nodes > p->known, opened = m->count.cohesive > p->cracks;
  p->known = m->count.nodes;
  p->cracks = m->count.cohesive;
  if (status == IG_OK && split)
    status = halos_make(m);
  if (status == IG_OK && opened)
    status = crack_halo_make(m);
  free(touched);
  free(extra);
  free(coh);
  return status;
}

/* --- all of it */

ig_status ig_frac_part_new(ig_frac_model *m, const ig_mesh *mesh) {
  ig_ctx *cx = m->cx;
  if (ig_ranks_count(cx->ranks) == 1)
    return IG_OK;
  IG_TRY(division_check(m));
  ig_frac_part *p;
  IG_TRY(IG_NEW(cx, &p, 1, "part of a rank"));
  m->divided = p; /* and is freed with it */
  p->rank = ig_ranks_rank(cx->ranks);
  p->ranks = ig_ranks_count(cx->ranks);
  const size_t nodes = (size_t)mesh->nodes + 1, elements = (size_t)m->s.ne + 1;
  IG_TRY(ig_part_owners(cx, mesh, IG_DIVIDE_CURVE, &p->owner));
  IG_TRY(IG_NEW(cx, &p->near, nodes, "layers"));
  IG_TRY(IG_NEW(cx, &p->far, nodes, "layers"));
  IG_TRY(IG_NEW(cx, &p->last, nodes, "layers"));
  IG_TRY(IG_NEW(cx, &p->mine, elements, "layers"));
  IG_TRY(IG_NEW(cx, &p->element_owner, elements, "owners"));
  IG_TRY(layers_find(m, mesh));
  IG_TRY(elements_list(m, mesh));
  uint64_t *every;
  IG_TRY(IG_NEW(cx, &every, nodes, "layers"));
  memset(every, 0xff, nodes * sizeof *every);
  const uint64_t *const need[] = {p->near, p->far, every};
  ig_status status = IG_OK;
  for (int i = 0; i < 2 * layers(m) && status == IG_OK; i++)
    status = passing_find(m, need[i / 2], i % 2, i % 2 ? &p->give[i / 2] : &p->take[i / 2]);
  free(every);
  IG_TRY(status);
  return ig_frac_part_list(m);
}

void ig_frac_part_free(ig_frac_model *m) {
  ig_frac_part *p = m->divided;
  if (!p)
    return;
  ig_frac_list *const all[] = {&p->elements, &p->stressed, &p->nodes,   &p->averaged,    &p->facets,
                               &p->cohesive, &p->loads,    &p->marked,  &p->crack_owner, &p->inner,
                               &p->outer,    &p->joint,    &p->touching};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ig_array_free(m->cx, &all[i]->a);
  ig_halo_free(m->cx, &p->crack_halo);
  for (int layer = 0; layer < IG_FRAC_LAYERS; layer++) {
    ig_halo_free(m->cx, &p->halo[layer]);
    free(p->give[layer].start);
    free(p->give[layer].node);
    free(p->take[layer].start);
    free(p->take[layer].node);
  }
  free(p->owner);
  free(p->near);
  free(p->far);
  free(p->last);
  free(p->mine);
  free(p->element_owner);
  free(p->origin);
  free(p->next);
  free(p);
  m->divided = NULL;
}

ig_status ig_frac_part_tell(ig_frac_model *m, ig_part_line *line, void *user) {
  const ig_frac_part *p = m->divided;
  if (!p)
    return IG_OK;
  const ig_part_facts mine = {.nodes = p->nodes.count,
                              .elements = p->elements.count,
                              .ghosts = p->averaged.count - p->nodes.count,
                              .peers = p->halo[0].peers,
                              .whole = m->s.ne,
                              .item = (int64_t)p->halo[0].item};
  return ig_part_facts_tell(m->cx, &mine, line, user);
}
