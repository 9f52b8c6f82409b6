/* Contact of surfaces on several ranks, in the rank's copy of all that are near (part_surface.h);
   and, where there is no contact, a look whether bodies overlap.

   Order: ig_frac_part_surfaces in each step; if `unseen`, contact_look makes the copy anew:
   import, join, tables, lists of what travels. Then contact_wear refreshes which facets are
   free, and contact_pass runs the kernels of surface.inc over the copy and returns forces to the
   part. */
#include "fracture/engine/part_surface.h"
#include "core/sorted.h"

#include <stdlib.h>
#include <string.h>

/* --- the copy, from parcels */

/* All of them together. Numbers rise.
   Nodes, slots and elements of all parcels in the order of the whole; freed after the tables are
   filled. */
typedef struct {
  ig_frac_surface_node *node;
  ig_frac_surface_element *element;
  int64_t *slot;
  int32_t *node_number, *element_number;
  int32_t nodes, elements;
  int64_t slots;
  int32_t *whole, *local, known; /* nodes of the part */
} surfaces;

static void surfaces_free(surfaces *s) {
  void *const all[] = {s->node,           s->element, s->slot, s->node_number,
                       s->element_number, s->whole,   s->local};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
}

/* Slots keep their parcel's order; node.first is moved to the joint array. */
static ig_status surfaces_join(ig_frac_model *m, const ig_parcel *list, int count, surfaces *s) {
  int64_t sum[3] = {0};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++)
      sum[k] += list[i].take[k];
  if (sum[2] * m->shape.nodes > INT32_MAX)
    return IG_FAIL(m->cx, IG_MEMORY, "more than 2^31 corners of surfaces near one rank");
  IG_TRY(IG_NEW(m->cx, &s->node, (size_t)sum[0] + 1, "surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->slot, (size_t)sum[1] + 1, "surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->element, (size_t)sum[2] + 1, "surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->node_number, (size_t)sum[0] + 1, "surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->element_number, (size_t)sum[2] + 1, "surfaces"));
  for (int i = 0; i < count; i++) {
    const int32_t *n = list[i].take;
    for (int32_t k = 0; k < n[0]; k++) {
      s->node[s->nodes + k] =
          ((const ig_frac_surface_node *)ig_frac_came(&list[i], IG_FRAC_NODES))[k];
      s->node[s->nodes + k].first += s->slots;
    }
    memcpy(s->slot + s->slots, ig_frac_came(&list[i], IG_FRAC_SLOTS),
           (size_t)n[1] * sizeof *s->slot);
    memcpy(s->element + s->elements, ig_frac_came(&list[i], IG_FRAC_ELEMENTS),
           (size_t)n[2] * sizeof *s->element);
    s->nodes += n[0], s->slots += n[1], s->elements += n[2];
  }
  ig_records_sort(s->node, s->nodes, sizeof *s->node);
  ig_records_sort(s->element, s->elements, sizeof *s->element);
  for (int32_t n = 0; n < s->nodes; n++)
    s->node_number[n] = s->node[n].number;
  for (int32_t e = 0; e < s->elements; e++)
    s->element_number[e] = s->element[e].number;
  return ig_frac_numbers_known(m, &s->whole, &s->local, &s->known);
}

static int32_t node_place(const surfaces *s, int32_t number) {
  return ig_sorted_find(s->node_number, s->nodes, number);
}
static int32_t element_place(const surfaces *s, int32_t number) {
  return ig_sorted_find(s->element_number, s->elements, number);
}
/* A node of the part whose motion is known there, -1. */
static int32_t node_local(const surfaces *s, int32_t number) {
  const int32_t at = ig_sorted_find(s->whole, s->known, number);
  return at < 0 ? -1 : s->local[at];
}

/* --- its tables */

/* Imports are frequent where fragments fly: what is large enough is kept. */
static ig_status arrays_fit(ig_frac_model *m, const surfaces *s) {
  ig_frac_contact *c = m->part.contact;
  const size_t real = m->wide ? 8 : 4;
  const int dim = m->shape.dim;
  const int64_t n = s->nodes, e = s->elements;
  const uint32_t buckets = ig_buckets_count(e);
  c->mask = buckets - 1;
  const struct {
    ig_array *a;
    int64_t count;
    size_t size;
    bool host;
  } all[] = {{&c->conn, e * m->shape.nodes, 4, true},
             {&c->list, s->slots, 4, true},
             {&c->node, n, sizeof(ig_frac_node), true},
             {&c->number, e, 4, true},
             {&c->worn, e, 4, true},
             {&c->x, n * dim, real, true},
             {&c->u, n * dim, real, true},
             {&c->v, n * dim, real, true},
             {&c->minv, n, real, true},
             {&c->part, n, 8, true},
             {&c->mass, n, real, true},
             {&c->gap, n, real, true},
             {&c->force, n * dim, real, true},
             {&c->work, 2 * n, 8, true},
             {&c->on, n, 1, true},
             {&c->node_of, n, 4, true},
             {&c->element_of, e, 4, true},
             {&c->lent, 1, sizeof(ig_frac_lent), true},
             {&c->bucket, buckets, 4, false},
             {&c->next, e * m->shape.faces, 4, false},
             {&c->hit, e * m->shape.faces, 4, false},
             {&c->after, n, 4, false},
             {&c->push, 2 * n * dim, real, false}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    IG_TRY(
        ig_array_fit(m->cx, all[i].a, (size_t)all[i].count, all[i].size, all[i].host, "surfaces"));
  c->nodes = s->nodes;
  c->elements = s->elements;
  return IG_OK;
}

/* seen: elements of the part whose facets can change; others' come by messages. */
static ig_status elements_fill(ig_frac_model *m, const surfaces *s) {
  ig_frac_part *p = &m->part;
  ig_frac_contact *c = p->contact;
  int32_t *conn = c->conn.host, *number = c->number.host, *of = c->element_of.host;
  c->linked.count = c->seen.count = 0;
  for (int32_t e = 0; e < s->elements; e++) {
    const ig_frac_surface_element *from = &s->element[e];
    const int32_t local = ig_sorted_find(p->element, m->s.ne, from->number);
    number[e] = from->number;
    ((uint32_t *)c->worn.host)[e] = from->worn;
    of[e] = local >= 0 && p->element_owner[local] == p->rank ? local : -1;
    if (of[e] >= 0 && from->cracked)
      IG_TRY(ig_frac_list_add(m->cx, &c->seen, e));
    for (int f = 0; f < m->shape.faces; f++)
      if (from->open >> f & 1)
        IG_TRY(ig_frac_list_add(m->cx, &c->linked, e * m->shape.faces + f));
    for (int a = 0; a < m->shape.nodes; a++) {
      const int32_t n = node_place(s, from->node[a]);
      if (n < 0)
        return IG_FAIL(m->cx, IG_NUMERIC, "node %d of a surface did not come", from->node[a]);
      conn[a * (int64_t)s->elements + e] = n;
    }
  }
  IG_TRY(ig_frac_list_push(m->cx, &c->linked, 0));
  return ig_frac_list_push(m->cx, &c->seen, 0);
}

/* Values of a node: those of messages, and of the part. */
static void node_fill(const ig_frac_model *m, int32_t n, const ig_frac_surface_node *from,
                      const void *force, const double *work) {
  const ig_frac_contact *c = m->part.contact;
  const int dim = m->shape.dim;
  const int64_t local = ((int32_t *)c->node_of.host)[n];
  for (int d = 0; d < dim; d++) {
    const int64_t at = (int64_t)n * dim + d;
    ig_frac_model_put(m, c->x.host, at, from->x[d]);
    ig_frac_model_put(m, c->u.host, at, from->u[d]);
    ig_frac_model_put(m, c->v.host, at, from->v[d]);
    ig_frac_model_put(m, c->force.host, at,
                      local < 0 || !force ? 0 : ig_frac_model_real(m, force, local * dim + d));
  }
  for (int i = 0; i < 2; i++)
    ((double *)c->work.host)[2 * (int64_t)n + i] = local < 0 || !work ? 0 : work[2 * local + i];
  ig_frac_model_put(m, c->minv.host, n, from->minv);
  ig_frac_model_put(m, c->mass.host, n, from->mass);
  ig_frac_model_put(m, c->gap.host, n, from->gap);
  ((int64_t *)c->part.host)[n] = from->part < 0 ? -1 : 0; /* only whether it presses counts */
  ((uint8_t *)c->on.host)[n] = 0;
}

/* Slots in their order, of the elements that are here.
   Slots of elements that were not imported are left out: they have no part in contact here. */
static void slots_fill(const ig_frac_model *m, const surfaces *s) {
  const ig_frac_contact *c = m->part.contact;
  int32_t *list = c->list.host, at = 0;
  ig_frac_node *node = c->node.host;
  for (int32_t n = 0; n < s->nodes; n++) {
    const ig_frac_surface_node *from = &s->node[n];
    node[n] = (ig_frac_node){.first = at, .bc = -1, .origin = from->origin};
    for (int32_t i = 0; i < from->used; i++) {
      const int64_t slot = s->slot[from->first + i];
      const int32_t e = element_place(s, (int32_t)(slot / m->shape.nodes));
      if (e >= 0)
        list[at++] = (int32_t)(slot % m->shape.nodes) * s->elements + e;
    }
    node[n].used = at - node[n].first;
  }
}

/* pressing: surface nodes within reach of the rank's own facets; reacting: nodes whose force is
   needed here; borrowed: nodes whose motion the part has. */
static ig_status nodes_fill(ig_frac_model *m, const surfaces *s) {
  ig_frac_contact *c = m->part.contact;
  int32_t *of = c->node_of.host;
  void *force = NULL, *work = NULL;
  if (m->s.surface.on) {
    IG_TRY(ig_frac_model_pull(m, "surface_force", &force));
    IG_TRY(ig_frac_model_pull(m, "surface_work", &work));
  }
  c->pressing.count = c->reacting.count = c->borrowed.count = 0;
  for (int32_t n = 0; n < s->nodes; n++) {
    const ig_frac_surface_node *from = &s->node[n];
    double at[3];
    for (int d = 0; d < 3; d++)
      at[d] = from->x[d] + from->u[d];
    ig_box b = ig_box_none;
    ig_box_add(&b, at);
    of[n] = node_local(s, from->number);
    if (of[n] >= 0)
      IG_TRY(ig_frac_list_add(m->cx, &c->borrowed, n));
    if (from->surface && ig_box_grid_near(&c->fence, &b, ig_frac_node_reach(m)))
      IG_TRY(ig_frac_list_add(m->cx, &c->pressing, n));
    if (from->surface && of[n] >= 0 && ig_frac_wanted(m, of[n]))
      IG_TRY(ig_frac_list_add(m->cx, &c->reacting, n));
    node_fill(m, n, from, force, work);
  }
  slots_fill(m, s);
  IG_TRY(ig_frac_list_push(m->cx, &c->borrowed, 0));
  IG_TRY(ig_frac_list_push(m->cx, &c->pressing, 0));
  return ig_frac_list_push(m->cx, &c->reacting, 0);
}

/* Device pointers of the part's arrays, for the kernels borrow, see and repay. */
static ig_status lent_fill(ig_frac_model *m) {
  ig_frac_contact *c = m->part.contact;
  *(ig_frac_lent *)c->lent.host = (ig_frac_lent){.node = c->node_of.dev,
                                                 .element = c->element_of.dev,
                                                 .worn = m->s.surface.worn,
                                                 .u = m->s.nodal.u,
                                                 .v = m->s.nodal.v,
                                                 .mass = m->s.surface.mass,
                                                 .gap = m->s.surface.gap,
                                                 .force = m->s.surface.force,
                                                 .work = m->s.surface.work,
                                                 .part = m->s.surface.part};
  ig_array *const all[] = {&c->conn,  &c->list, &c->node, &c->number,  &c->worn,       &c->x,
                           &c->u,     &c->v,    &c->minv, &c->part,    &c->mass,       &c->gap,
                           &c->force, &c->work, &c->on,   &c->node_of, &c->element_of, &c->lent};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    IG_TRY(ig_array_push(m->cx, all[i]));
  return IG_OK;
}

/* --- what travels at each step */

/* Items of one side of a message, rank by rank. */
typedef struct {
  ig_frac_passing of;
  int32_t count;
} travel;

static ig_status travel_add(ig_frac_model *m, travel *t, int32_t item) {
  IG_TRY(IG_MORE(m->cx, &t->of.node, t->count, "ghosts"));
  t->of.node[t->count++] = item;
  return IG_OK;
}

/* Far ghosts as they pass without contact, which both sides list in the same order.
   The far halo's own lists, so that one message per rank carries both ghosts and guests. */
static ig_status ghosts_add(ig_frac_model *m, int rank, travel *give, travel *take,
                            uint8_t *given) {
  const ig_halo *far = &m->part.halo[IG_FRAC_FAR];
  const int32_t *out = far->give.host, *in = far->take.host;
  for (int p = 0; p < far->peers; p++) {
    if (far->wire.end[p].rank != rank)
      continue;
    for (int32_t i = far->sent[p]; i < far->sent[p + 1]; i++) {
      IG_TRY(travel_add(m, give, out[i]));
      given[out[i]] = 1;
    }
    for (int32_t i = far->received[p]; i < far->received[p + 1]; i++)
      IG_TRY(travel_add(m, take, in[i]));
  }
  return IG_OK;
}

/* Then nodes that the other rank has in its copy alone; in both as its parcel has them. */
static ig_status guests_add(ig_frac_model *m, const surfaces *s, const ig_parcel *a, travel *give,
                            travel *take, uint8_t *given) {
  const int32_t split = m->count.nodes;
  for (int32_t i = 0; i < a->count[0]; i++)
    if (!given[a->item[IG_FRAC_NODES][i]])
      IG_TRY(travel_add(m, give, a->item[IG_FRAC_NODES][i]));
  const ig_frac_surface_node *came = ig_frac_came(a, IG_FRAC_NODES);
  for (int32_t i = 0; i < a->take[0]; i++) {
    const int32_t number = came[i].number;
    if (node_local(s, number) < 0)
      IG_TRY(travel_add(m, take, split + node_place(s, number)));
  }
  return IG_OK;
}

/* Elements whose facets may come to be free. */
static ig_status worn_add(ig_frac_model *m, const surfaces *s, const ig_parcel *a, travel *give,
                          travel *take, uint8_t *worn) {
  const int32_t split = m->s.ne;
  const bool own = a->rank == m->part.rank;
  const int32_t *item = a->item[IG_FRAC_ELEMENTS];
  const ig_frac_surface_element *went = (const void *)ig_parcel_list(
                                    a->out, a->count, ig_frac_record, IG_FRAC_ELEMENTS),
                                *came = ig_frac_came(a, IG_FRAC_ELEMENTS);
  for (int32_t i = 0; i < a->count[IG_FRAC_ELEMENTS]; i++) {
    if (!went[i].cracked)
      continue;
    worn[item[i]] = 1;
    if (!own)
      IG_TRY(travel_add(m, give, item[i]));
  }
  for (int32_t i = 0; i < a->take[IG_FRAC_ELEMENTS] && !own; i++)
    if (came[i].cracked)
      IG_TRY(travel_add(m, take, split + element_place(s, came[i].number)));
  return IG_OK;
}

/* Lists of nodes (give, take) and of elements (give, take). */
static ig_status travels_list(ig_frac_model *m, const surfaces *s, const ig_parcel *list, int count,
                              travel t[4], uint8_t *given, uint8_t *worn) {
  const ig_frac_part *p = &m->part;
  for (int k = 0; k < 4; k++)
    IG_TRY(IG_NEW(m->cx, &t[k].of.start, (size_t)p->ranks + 1, "ghosts"));
  for (int r = 0, i = 0; r < p->ranks; r++) {
    memset(given, 0, (size_t)m->count.nodes);
    IG_TRY(ghosts_add(m, r, &t[0], &t[1], given));
    if (i < count && list[i].rank == r) {
      if (r != p->rank)
        IG_TRY(guests_add(m, s, &list[i], &t[0], &t[1], given));
      IG_TRY(worn_add(m, s, &list[i], &t[2], &t[3], worn));
      i++;
    }
    for (int k = 0; k < 4; k++)
      t[k].of.start[r + 1] = t[k].count;
  }
  p->contact->worn_out.count = 0;
  for (int32_t e = 0; e < m->s.ne; e++)
    if (worn[e])
      IG_TRY(ig_frac_list_add(m->cx, &p->contact->worn_out, e));
  return ig_frac_list_push(m->cx, &p->contact->worn_out, 0);
}

/* All ranks call it, also one that has failed.
   split: from this index on items are those of the copy, not of the part. */
static ig_status halos_make(ig_frac_model *m, const surfaces *s, const ig_parcel *list, int count,
                            ig_status status) {
  ig_frac_part *p = &m->part;
  ig_frac_contact *c = p->contact;
  travel t[4] = {0};
  uint8_t *given = NULL, *worn = NULL;
  if (status == IG_OK)
    status = IG_NEW(m->cx, &given, (size_t)m->count.nodes + 1, "ghosts");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &worn, (size_t)m->s.ne + 1, "surfaces");
  if (status == IG_OK)
    status = travels_list(m, s, list, count, t, given, worn);
  status = ig_ranks_agree(m->cx, status);
  const size_t motion = 2 * (size_t)m->shape.dim * (m->wide ? 8 : 4);
  for (int k = 0; k < 2 && status == IG_OK; k++) {
    const ig_frac_passing *give = &t[2 * k].of, *take = &t[2 * k + 1].of;
    const ig_halo_lists lists = {p->ranks, give->start, give->node, take->start, take->node};
    status = ig_halo_of(m->cx, &lists, k ? sizeof(uint32_t) : motion, k ? &c->wear : &c->import);
  }
  c->import.split = m->count.nodes;
  c->wear.split = m->s.ne;
  for (int k = 0; k < 4; k++) {
    free(t[k].of.start);
    free(t[k].of.node);
  }
  free(given);
  free(worn);
  return status;
}

/* --- an import */

/* skin: cell size, the slack s of part_surface.h; a larger one means fewer imports of more
   nodes. */
static ig_status contact_look(ig_frac_model *m, ig_status status) {
  ig_frac_part *p = &m->part;
  ig_parcel *list = NULL;
  surfaces s = {0};
  int count = 0;
  if (status == IG_OK && !p->contact)
    status = IG_NEW(m->cx, &p->contact, 1, "surfaces");
  status = ig_ranks_agree(m->cx, status);
  if (status != IG_OK)
    return status;
  p->contact->skin = m->s.surface.cell;
  p->contact->moved = 0;
  status = ig_frac_import(m, &list, &count);
  if (status == IG_OK) {
    status = surfaces_join(m, list, count, &s);
    if (status == IG_OK)
      status = arrays_fit(m, &s);
    if (status == IG_OK)
      status = elements_fill(m, &s);
    if (status == IG_OK)
      status = nodes_fill(m, &s);
    if (status == IG_OK)
      status = lent_fill(m);
    status = halos_make(m, &s, list, count, status);
  }
  p->unseen = status != IG_OK;
  ig_parcels_free(list, count);
  surfaces_free(&s);
  return status;
}

/* --- steps */

/* The model's state with the arrays of the copy: the same kernels run on it. */
static ig_frac_state contact_state(const ig_frac_model *m) {
  const ig_frac_contact *c = m->part.contact;
  ig_frac_state s = m->s;
  s.ne = c->elements;
  s.magic = c->elements > 1 ? UINT64_MAX / (uint64_t)c->elements + 1 : 0;
  s.topo = (ig_frac_topology){
      .conn = c->conn.dev, .list = c->list.dev, .node = c->node.dev, .number = c->number.dev};
  s.nodal = (ig_frac_nodal){.x = c->x.dev, .u = c->u.dev, .v = c->v.dev, .minv = c->minv.dev};
  s.surface = (ig_frac_surface){.on = 1,
                                .bins = {c->bucket.dev, c->next.dev, c->mask},
                                .cell = m->s.surface.cell,
                                .hit = c->hit.dev,
                                .skin = c->on.dev,
                                .after = c->after.dev,
                                .part = c->part.dev,
                                .mass = c->mass.dev,
                                .gap = c->gap.dev,
                                .push = c->push.dev,
                                .force = c->force.dev,
                                .work = c->work.dev,
                                .worn = c->worn.dev,
                                .lent = c->lent.dev};
  return s;
}

static ig_status contact_run(ig_frac_model *m, ig_frac_state *s, ig_frac_item item,
                             const ig_frac_list *list) {
  s->pick = list->a.dev;
  return list->count ? m->ops->run(m->cx, m->kind, m->wide, item, s, 0, list->count) : IG_OK;
}

/* Owners compute which of their facets are free and send 4 bytes per cracked element. */
static ig_status contact_wear(ig_frac_model *m, ig_status status) {
  ig_frac_contact *c = m->part.contact;
  const ig_halo_array worn[] = {{m->s.surface.worn, sizeof(uint32_t)},
                                {c->worn.dev, sizeof(uint32_t)}};
  if (status == IG_OK)
    status = ig_frac_run_list(m, IG_FRAC_wear, &c->worn_out);
  return ig_halo_refresh_all(m->cx, &c->wear, worn, 2, status);
}

/* The hash of facets is rebuilt in each step, as on one rank. */
static ig_status contact_link(ig_frac_model *m, ig_frac_state *s) {
  const ig_frac_contact *c = m->part.contact;
  s->pick = NULL;
  IG_TRY(m->ops->run(m->cx, m->kind, m->wide, IG_FRAC_wipe, s, 0, (int64_t)c->mask + 1));
  return contact_run(m, s, IG_FRAC_link, &c->linked);
}

/* The order of passes is that of one rank; see, borrow and repay move data between part and
   copy. */
static ig_status contact_pass(ig_frac_model *m) {
  const ig_frac_contact *c = m->part.contact;
  ig_frac_state s = contact_state(m);
  IG_TRY(contact_run(m, &s, IG_FRAC_see, &c->seen));
  IG_TRY(contact_run(m, &s, IG_FRAC_borrow, &c->borrowed));
  IG_TRY(contact_link(m, &s));
  IG_TRY(contact_run(m, &s, IG_FRAC_press, &c->pressing));
  IG_TRY(contact_run(m, &s, IG_FRAC_react, &c->reacting));
  return contact_run(m, &s, IG_FRAC_repay, &c->reacting);
}

ig_status ig_frac_part_surfaces(ig_frac_model *m, ig_status status) {
  if (!m->s.surface.on)
    return status;
  if (m->part.unseen)
    IG_TRY(contact_look(m, status)); /* of all ranks alike */
  status = contact_wear(m, status);
  return status == IG_OK ? contact_pass(m) : status;
}

/* A step moves a node by dt v: how far any can have moved is known from the largest component.
   All ranks add the same largest speed, so that all import in the same step. */
ig_status ig_frac_part_moved(ig_frac_model *m, ig_status status) {
  ig_frac_part *p = &m->part;
  const ig_backend *b = m->cx->backend;
  const size_t count = (size_t)m->count.nodes * (size_t)m->shape.dim;
  double most = 0;
  int64_t word = 0;
  if (!m->s.surface.on)
    return status;
  if (status == IG_OK)
    status = m->wide ? b->absmax_f64(m->cx, count, m->s.nodal.v, &most)
                     : b->absmax_f32(m->cx, count, m->s.nodal.v, &most);
  if (!(most < 1e300)) /* it blows up, which others see */
    most = 1e300;
  memcpy(&word, &most, sizeof word); /* numbers above 0 have the order of their bits */
  status = ig_ranks_max(m->cx, status, &word, 1);
  memcpy(&most, &word, sizeof most);
  if (!p->contact) /* the first import is to come */
    return status;
  p->contact->moved += m->s.dt * most;
  if (!(2.02 * p->contact->moved < p->contact->skin)) /* two towards each other, and rounding */
    p->unseen = true;
  return status;
}

void ig_frac_contact_free(ig_frac_model *m) {
  ig_frac_contact *c = m->part.contact;
  if (!c)
    return;
  ig_array *const arrays[] = {
      &c->conn,   &c->list,       &c->node,       &c->number,     &c->worn,      &c->x,
      &c->u,      &c->v,          &c->minv,       &c->part,       &c->mass,      &c->gap,
      &c->force,  &c->work,       &c->on,         &c->bucket,     &c->next,      &c->hit,
      &c->after,  &c->push,       &c->node_of,    &c->element_of, &c->lent,      &c->linked.a,
      &c->seen.a, &c->pressing.a, &c->reacting.a, &c->borrowed.a, &c->worn_out.a};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(m->cx, arrays[i]);
  ig_halo_free(m->cx, &c->import);
  ig_halo_free(m->cx, &c->wear);
  free(c);
  m->part.contact = NULL;
}

/* --- without contact: how far bodies overlap, in a copy of what is near that is made for it */

static ig_status depth_find(ig_frac_model *m, ig_array *depth, double *deepest) {
  const ig_frac_contact *c = m->part.contact;
  const size_t nodes = (size_t)c->nodes;
  IG_TRY(ig_array_new_device(m->cx, depth, nodes + 1, sizeof(double), "overlap"));
  IG_TRY(ig_array_zero(m->cx, depth));
  ig_frac_state s = contact_state(m);
  s.surface.depth = depth->dev;
  IG_TRY(contact_run(m, &s, IG_FRAC_see, &c->seen));
  IG_TRY(contact_link(m, &s));
  IG_TRY(contact_run(m, &s, IG_FRAC_overlap, &c->reacting));
  return m->cx->backend->absmax_f64(m->cx, nodes, depth->dev, deepest);
}

/* Each node is looked at by its owner, whose copy has all that is near. */
ig_status ig_frac_part_watch(ig_frac_model *m, double *deepest) {
  ig_array worn = {0}, depth = {0};
  int64_t word = 0;
  *deepest = 0;
  ig_status status =
      ig_array_new_device(m->cx, &worn, (size_t)m->s.ne + 1, sizeof(uint32_t), "surfaces");
  m->s.surface.worn = worn.dev;
  status = contact_look(m, status);
  if (status == IG_OK)
    status = contact_wear(m, status);
  if (status == IG_OK)
    status = depth_find(m, &depth, deepest);
  memcpy(&word, deepest, sizeof word); /* numbers above 0 have the order of their bits */
  status = ig_ranks_max(m->cx, status, &word, 1);
  memcpy(deepest, &word, sizeof word);
  m->s.surface.worn = NULL;
  ig_frac_contact_free(m);
  ig_array_free(m->cx, &worn);
  ig_array_free(m->cx, &depth);
  return status;
}
