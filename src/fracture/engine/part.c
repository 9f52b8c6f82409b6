/* Divides a model between ranks: the elements and nodes of a part, and the nodes it exchanges.

   Owners of nodes come from a space-filling curve (ranks/partition.h). From them each rank
   finds, without messages, its layers of elements and nodes: every rank has the whole mesh at
   this point. Only the lists of what to send need an exchange (ask). Layers count from own nodes
   (0); an element's layer is one more than the least layer of its nodes.

        own nodes 0 | elements 1 | nodes 1 | elements 2 | nodes 2 | elements 3 ...
                      near                    far                    rim */
#include "fracture/run.h"
#include "fracture/engine/tables.h"
#include "core/sorted.h"
#include "ranks/allgather.h"

#include <stdlib.h>
#include <string.h>

/* --- layers: from nodes to elements and back */

enum { AWAY = 255 };

/* Scratch over the whole mesh, one byte per node and element. */
typedef struct {
  const ig_mesh *mesh;
  int npe;
  uint8_t *node, *element; /* of the whole: layer, AWAY */
  uint8_t *here;           /* nodes of the whole: in the part */
} layers;

static const int32_t *nodes_of(const layers *l, int b, ig_lid e) {
  return l->mesh->block[b].conn + (int64_t)e * l->npe;
}

/* Elements at nodes of the layer before, and their nodes.
   First pass: elements that touch a node of the former layers; second: their nodes. */
static void layer_add(layers *l, int layer) {
  for (int pass = 0; pass < 2; pass++) {
    int64_t at = 0;
    for (int b = 0; b < l->mesh->blocks; b++)
      for (ig_lid e = 0; e < l->mesh->block[b].count; e++, at++) {
        const int32_t *node = nodes_of(l, b, e);
        if (l->element[at] != (pass ? layer : AWAY))
          continue;
        for (int a = 0; a < l->npe; a++)
          if (!pass && l->node[node[a]] < layer)
            l->element[at] = (uint8_t)layer;
          else if (pass && l->node[node[a]] == AWAY)
            l->node[node[a]] = (uint8_t)layer;
      }
  }
}

/* Elements of the part, with what is known of them.
   mine: 0 beyond near, 1 near, 2 near with own nodes alone (computed while ghosts travel). The
   rim is kept so that far nodes come apart correctly. */
static ig_status elements_keep(ig_frac_model *m, layers *l, const int32_t *owner) {
  ig_frac_part *p = &m->part;
  const int rim = p->reach + 2;
  int64_t kept = 0;
  for (int64_t e = 0; e < p->total.elements; e++)
    kept += l->element[e] <= rim;
  const size_t room = (size_t)kept + 1;
  IG_TRY(IG_NEW(m->cx, &p->element, room, "part of a rank"));
  IG_TRY(IG_NEW(m->cx, &p->element_owner, room, "part of a rank"));
  IG_TRY(IG_NEW(m->cx, &p->element_layer, room, "part of a rank"));
  IG_TRY(IG_NEW(m->cx, &p->mine, room, "part of a rank"));
  IG_TRY(IG_NEW(m->cx, &p->inside, room, "part of a rank"));
  int64_t at = 0, to = 0;
  for (int b = 0; b < l->mesh->blocks; b++)
    for (ig_lid e = 0; e < l->mesh->block[b].count; e++, at++) {
      const int32_t *node = nodes_of(l, b, e);
      bool own = true;
      for (int a = 0; a < l->npe; a++)
        own = own && owner[node[a]] == p->rank;
      if (l->element[at] > rim)
        continue;
      p->element[to] = (int32_t)at;
      p->element_owner[to] = ig_owner_of(owner, node, l->npe);
      p->element_layer[to] = l->element[at];
      p->mine[to++] = l->element[at] > p->reach ? 0 : own ? 2 : 1;
      for (int a = 0; a < l->npe; a++)
        l->here[node[a]] = 1;
    }
  m->s.ne = (int32_t)kept;
  return IG_OK;
}

/* Own nodes without elements here are kept too: each node of the mesh has one owner. */
static ig_status nodes_keep(ig_frac_model *m, layers *l, const int32_t *owner) {
  ig_frac_part *p = &m->part;
  int32_t kept = 0;
  for (ig_lid n = 0; n < l->mesh->nodes; n++) {
    l->here[n] = l->here[n] || owner[n] == p->rank;
    kept += l->here[n];
  }
  const size_t room = (size_t)kept + 1;
  IG_TRY(IG_NEW(m->cx, &p->mesh_node, room, "part of a rank"));
  IG_TRY(IG_NEW(m->cx, &p->owner, room, "part of a rank"));
  IG_TRY(IG_NEW(m->cx, &p->last, room, "part of a rank"));
  IG_TRY(IG_NEW(m->cx, &p->node_layer, room, "part of a rank"));
  int32_t to = 0;
  for (ig_lid n = 0; n < l->mesh->nodes; n++)
    if (l->here[n]) {
      p->mesh_node[to] = n;
      p->owner[to] = owner[n];
      p->node_layer[to++] = l->node[n];
    }
  m->nodes_start = kept;
  return IG_OK;
}

/* reach + 2 layers: near, far and rim. Cost: as many passes over the whole mesh. */
static ig_status layers_find(ig_frac_model *m, const ig_mesh *mesh, const int32_t *owner) {
  ig_frac_part *p = &m->part;
  layers l = {.mesh = mesh, .npe = m->shape.nodes};
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &l.node, (size_t)mesh->nodes + 1, "layers"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &l.here, (size_t)mesh->nodes + 1, "layers"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &l.element, (size_t)p->total.elements + 1, "layers"));
  for (ig_lid n = 0; n < mesh->nodes; n++)
    l.node[n] = owner[n] == p->rank ? 0 : AWAY;
  memset(l.element, AWAY, (size_t)p->total.elements);
  for (int layer = 1; layer <= p->reach + 2; layer++)
    layer_add(&l, layer);
  IG_TRY_GOTO(status, done, elements_keep(m, &l, owner));
  status = nodes_keep(m, &l, owner);
done:
  free(l.node);
  free(l.here);
  free(l.element);
  return status;
}

/* Lists that stay as they are.
   Lists of elements, facets and loads do not change; those of nodes and cohesive elements are
   made in part_list.c and grow. */
static ig_status elements_list(ig_frac_model *m) {
  ig_frac_part *p = &m->part;
  ig_ctx *cx = m->cx;
  const int faces = m->shape.faces;
  for (int32_t e = 0; e < m->s.ne; e++) {
    const int layer = p->element_layer[e];
    if (layer <= p->reach) {
      IG_TRY(ig_frac_list_add(cx, &p->elements, e));
      IG_TRY(ig_frac_list_add(cx, p->mine[e] == 2 ? &p->inner : &p->late, e));
    }
    if (layer <= p->reach + 1)
      IG_TRY(ig_frac_list_add(cx, &p->stressed, e));
    if (layer == 1 && m->s.zone.law.rigid)
      IG_TRY(ig_frac_list_add(cx, &p->touching, e));
    if (p->element_owner[e] != p->rank)
      continue;
    for (int f = 0; f < faces; f++)
      IG_TRY(ig_frac_list_add(cx, &p->facets, e * faces + f));
  }
  const int32_t *load_face = ig_frac_model_host(m, "load_face");
  for (int32_t k = 0; k < m->s.drive.loads_on; k++) {
    const int32_t e = load_face[3 * k] / faces;
    if (p->mine[e])
      IG_TRY(ig_frac_list_add(cx, &p->loads, k));
    if (p->element_owner[e] == p->rank)
      IG_TRY(ig_frac_list_add(cx, &p->own_loads, k));
  }
  p->outer = p->late.count;
  ig_frac_list *const all[] = {&p->elements, &p->stressed, &p->facets,
                               &p->loads,    &p->inner,    &p->touching};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    IG_TRY(ig_frac_list_fit(cx, all[i]));
  return IG_OK;
}

/* --- nodes that are exchanged */

/* Other ranks' nodes of the mesh that this one needs, up to a layer, rank by rank.
   start[rank] by counting sort: counts shifted by two, prefix sums, then the fill moves start[r
   + 1] on to its final value. */
static ig_status take_find(ig_frac_model *m, int layer, ig_frac_passing *w) {
  const ig_frac_part *p = &m->part;
  const int32_t nodes = m->nodes_start;
  IG_TRY(IG_NEW(m->cx, &w->start, (size_t)p->ranks + 2, "ghosts"));
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t n = 0; n < nodes; n++) {
      if (p->owner[n] == p->rank || p->node_layer[n] > layer)
        continue;
      if (pass)
        w->node[w->start[p->owner[n] + 1]++] = n;
      else
        w->start[p->owner[n] + 2]++;
    }
    for (int r = 0; r < p->ranks && !pass; r++) /* start[r + 1] moves on to the end of r */
      w->start[r + 2] += w->start[r + 1];
    if (!pass)
      IG_TRY(IG_NEW(m->cx, &w->node, (size_t)w->start[p->ranks + 1] + 1, "ghosts"));
  }
  return IG_OK;
}

/* Each rank sends the owners the numbers of the items it needs (`wanted`, in the order of `take`)
   and receives those that others need of it (`give`). */
static ig_status ask(ig_frac_model *m, const ig_frac_passing *take, const int32_t *wanted,
                     ig_frac_passing *give) {
  const ig_frac_part *p = &m->part;
  int32_t *count = NULL, *all = NULL; /* all: what rank r asks of rank q, at r x ranks + q */
  ig_status status = IG_NEW(m->cx, &count, (size_t)p->ranks, "ghosts");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &give->start, (size_t)p->ranks + 1, "ghosts");
  for (int r = 0; r < p->ranks && status == IG_OK; r++)
    count[r] = take->start[r + 1] - take->start[r];
  status =
      ig_ranks_allgather(m->cx, status, count, (size_t)p->ranks * sizeof *count, (void **)&all);
  for (int r = 0; r < p->ranks && status == IG_OK; r++)
    give->start[r + 1] = give->start[r] + all[r * p->ranks + p->rank];
  if (status == IG_OK)
    status = IG_NEW(m->cx, &give->node, (size_t)give->start[p->ranks] + 1, "ghosts");
  status = ig_ranks_alltoallv(m->cx, status, sizeof *wanted, wanted, take->start, give->node,
                              give->start);
  free(count);
  free(all);
  return status;
}

/* Nodes of the mesh, as the whole numbers them.
   Numbers in the whole travel; the owner finds its own by bisection. */
static ig_status give_ask(ig_frac_model *m, const ig_frac_passing *take, ig_frac_passing *give) {
  const ig_frac_part *p = &m->part;
  int32_t *wanted = NULL;
  ig_status status = IG_NEW(m->cx, &wanted, (size_t)take->start[p->ranks] + 1, "ghosts");
  status = ig_ranks_agree(m->cx, status);
  for (int32_t i = 0; status == IG_OK && i < take->start[p->ranks]; i++)
    wanted[i] = p->mesh_node[take->node[i]];
  if (status == IG_OK)
    status = ask(m, take, wanted, give);
  for (int32_t i = 0; status == IG_OK && i < give->start[p->ranks]; i++)
    give->node[i] = ig_sorted_find(p->mesh_node, m->nodes_start, give->node[i]);
  free(wanted);
  return status;
}

/* --- all of it */

/* Two sets of lists: near ghosts for each step, far ones for checks. */
static ig_status passing_make(ig_frac_model *m) {
  ig_frac_part *p = &m->part;
  for (int i = 0; i < IG_FRAC_LAYERS; i++) {
    IG_TRY(ig_ranks_agree(m->cx, take_find(m, p->reach + i, &p->take[i])));
    IG_TRY(give_ask(m, &p->take[i], &p->give[i]));
  }
  return IG_OK;
}

/* The part, of its own on each rank; `owner`: nodes of the whole.
   reach 2 with rigid contact, which depends on all forces at both nodes of a pair (part.h). */
static ig_status part_make(ig_frac_model *m, const ig_mesh *mesh, const int32_t *owner) {
  ig_frac_part *p = &m->part;
  p->total = (ig_frac_total){.elements = m->s.ne,
                             .mesh_nodes = m->nodes_start,
                             .loads = m->s.drive.loads_on,
                             .count = m->count};
  p->rank = ig_ranks_rank(m->cx->ranks);
  p->ranks = ig_ranks_count(m->cx->ranks);
  p->reach = m->s.zone.law.rigid ? 2 : 1;
  IG_TRY(layers_find(m, mesh, owner));
  IG_TRY(ig_frac_part_cut(m));
  return elements_list(m);
}

/* Does nothing on one rank. On failure of one rank all return. */
ig_status ig_frac_part_new(ig_frac_model *m, const ig_mesh *mesh) {
  ig_ctx *cx = m->cx;
  int32_t *owner;
  if (ig_ranks_count(cx->ranks) == 1)
    return IG_OK;
  IG_TRY(ig_divide_check(cx, (ig_assembly)m->s.how));
  IG_TRY(ig_partition_owners(cx, mesh, IG_DIVIDE_CURVE, &owner));
  ig_status status = part_make(m, mesh, owner);
  if (status == IG_OK)
    ig_frac_probes_divide(m);
  free(owner);
  IG_TRY(ig_ranks_agree(cx, status));
  IG_TRY(passing_make(m));
  return ig_frac_part_list(m);
}

void ig_frac_part_free(ig_frac_model *m) {
  ig_frac_part *p = &m->part;
  ig_frac_list *const all[] = {&p->elements,     &p->stressed, &p->nodes,    &p->averaged,
                               &p->facets,       &p->cohesive, &p->loads,    &p->marked,
                               &p->crack_owner,  &p->inner,    &p->late,     &p->touching,
                               &p->crack_number, &p->splits,   &p->own_loads};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ig_array_free(m->cx, &all[i]->a);
  ig_frac_contact_free(m);
  for (int layer = 0; layer < IG_FRAC_LAYERS; layer++) {
    ig_halo_free(m->cx, &p->halo[layer]);
    free(p->give[layer].start);
    free(p->give[layer].node);
    free(p->take[layer].start);
    free(p->take[layer].node);
  }
  void *const plain[] = {p->element, p->element_owner, p->element_layer, p->mine,
                         p->inside,  p->mesh_node,     p->owner,         p->node_layer,
                         p->origin,  p->next,          p->number,        p->last,
                         p->node,    p->shift,         p->load_number};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    free(plain[i]);
  ig_collect_free(&p->own);
}

/* Figures of the partition for the log and `ingot check`. Collective. */
ig_status ig_frac_part_tell(ig_frac_model *m, ig_partition_line *line, void *user) {
  const ig_frac_part *p = &m->part;
  if (p->ranks == 1)
    return IG_OK;
  const ig_halo *halo = &p->halo[IG_FRAC_NEAR]; /* more where surfaces come near each other */
  const bool speeds = m->s.surface.on || m->s.zone.law.rigid; /* they travel, too */
  const ig_partition_facts mine = {.nodes = p->nodes.count,
                                   .elements = p->elements.count,
                                   .ghosts = halo->received[halo->peers],
                                   .peers = halo->peers,
                                   .whole = p->total.elements,
                                   .item = (int64_t)halo->item / (speeds ? 1 : 2)};
  return ig_partition_facts_tell(m->cx, &mine, line, user);
}
