/* The engine divided between ranks: its making, its batches, its state together and apart. */
#include "thermal/heat_part.h"
#include "assembly/split.h"
#include "backend/backend.h"
#include "thermal/heat_make.h"
#include "thermal/heat_ops.h"
#include "thermal/heat_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- making */

static ig_status division_check(ig_ctx *cx, const ig_heat_setup *setup, const ig_heat *h) {
  const int ranks = ig_ranks_count(cx->ranks);
  if (setup->assembly != IG_GATHER && h->conduction != IG_HEAT_STENCIL)
    return IG_FAIL(cx, IG_INPUT,
                   "on several ranks (%d here) only assembly 'gather' has the bits of one: choose "
                   "assembly: gather",
                   ranks);
  return IG_OK;
}

/* Faces of a condition that are in the part. */
static ig_status set_make(ig_ctx *cx, const ig_part *part, const ig_set *from, ig_set *to) {
  *to = (ig_set){.name = from->name, .kind = from->kind};
  IG_TRY(IG_NEW(cx, &to->item, (size_t)from->count + 1, "faces of a part"));
  IG_TRY(IG_NEW(cx, &to->face, (size_t)from->count + 1, "faces of a part"));
  for (ig_lid i = 0; i < from->count; i++) {
    const ig_lid e = ig_part_element(part, from->item[i]);
    if (e < 0)
      continue;
    to->item[to->count] = e;
    to->face[to->count++] = from->face[i];
  }
  return IG_OK;
}

/* Values of the part's nodes. `node`: where they stand in `from`; NULL: as in the part. */
static ig_status nodes_take(ig_ctx *cx, const ig_part *part, const ig_lid *node, const double *from,
                            double **to) {
  if (!*to)
    IG_TRY(IG_NEW(cx, to, (size_t)part->mesh->nodes + 1, "boundary values of a part"));
  for (ig_lid n = 0; n < part->mesh->nodes; n++)
    (*to)[n] = from[node ? node[n] : n];
  return IG_OK;
}

/* Conditions as the part's engine needs them. */
static ig_status conditions_take(ig_ctx *cx, ig_heat_part *p, const ig_lid *node,
                                 const ig_heat_condition *from, int count) {
  for (int i = 0; i < count; i++) {
    ig_heat_condition *c = &p->condition[i];
    *c = from[i];
    if (c->faces)
      c->faces = &p->set[i];
    const double **of[4] = {&c->temperature_of, &c->flux_of, &c->h_of, &c->ambient_of};
    for (int k = 0; k < 4; k++)
      if (*of[k]) {
        IG_TRY(nodes_take(cx, &p->part, node, *of[k], &p->value[i][k]));
        *of[k] = p->value[i][k];
      }
  }
  return IG_OK;
}

/* Elements without ghosts first: they can be computed while these travel. Blocks of nodes that
   belong to others as well are not done with them (sweep_cpu): they have no span. */
static ig_status elements_split(ig_ctx *cx, ig_heat *l) {
  ig_lid *span = l->run.span.host;
  uint8_t *late;
  if (l->elems.how != IG_GATHER)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &late, l->elements, "elements of a part"));
  for (ig_lid e = 0; e < l->elements; e++)
    for (int a = 0; a < 8; a++)
      late[e] |= l->ghost[ig_heat_conn(l, e)[a]];
  for (ig_lid e = 0; e < l->elements && span; e++)
    for (int a = 0; a < 8 && late[e]; a++)
      span[2 * (ig_heat_conn(l, e)[a] / IG_HEAT_NODE_BLOCK)] = -1;
  ig_status status = ig_plan_split(cx, &l->elems, late);
  free(late);
  if (status == IG_OK && span)
    status = ig_array_push(cx, &l->run.span);
  return status;
}

/* How long the elements at each node live, of the run: that is its work. */
static ig_status lives_sum(ig_ctx *cx, const ig_heat_setup *setup, double **weight) {
  const ig_mesh *mesh = setup->mesh;
  ig_lid number = 0;
  IG_TRY(IG_NEW(cx, weight, (size_t)mesh->nodes + 1, "work of nodes"));
  for (int b = 0; b < mesh->blocks; b++) {
    const int npe = ig_elem_info_get(mesh->block[b].type)->nodes;
    for (ig_lid e = 0; e < mesh->block[b].count; e++, number++) {
      const double life = (setup->until - setup->birth[number]) / setup->until;
      for (int a = 0; a < npe; a++)
        (*weight)[mesh->block[b].conn[(int64_t)npe * e + a]] += fmin(fmax(life, 0), 1);
    }
  }
  return IG_OK;
}

/* By planes; what is built, in plan, by the time that elements live. */
static ig_status owners_choose(ig_ctx *cx, const ig_heat_setup *setup, int32_t **owner) {
  double *weight = NULL;
  if (cx->ranks->division)
    return ig_part_owners(cx, setup->mesh, IG_DIVIDE_BOXES, owner);
  IG_TRY(IG_NEW(cx, owner, (size_t)setup->mesh->nodes + 1, "owners of nodes"));
  ig_status status = IG_OK;
  if (setup->birth && setup->until > 0)
    status = lives_sum(cx, setup, &weight);
  if (status == IG_OK)
    status = ig_divide_boxes(cx, setup->mesh, setup->birth ? 2 : 3, weight,
                             ig_ranks_count(cx->ranks), *owner);
  free(weight);
  if (status != IG_OK)
    free(*owner);
  return status;
}

static ig_status local_make(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *whole,
                            ig_heat_part *p) {
  const ig_part *part = &p->part;
  const ig_lid elements = ig_mesh_elements(part->mesh);
  ig_heat_setup s = *setup;
  s.mesh = part->mesh;
  s.conduction = whole->conduction;
  s.ghost = part->ghost;
  s.purpose = IG_HEAT_STEPS;
  s.whole = whole;
  s.whole_element = part->element;
  s.whole_node = part->node;
  if (setup->material_of) {
    IG_TRY(IG_NEW(cx, &p->material_of, (size_t)elements + 1, "materials of a part"));
    for (ig_lid e = 0; e < elements; e++)
      p->material_of[e] = setup->material_of[part->element[e]];
    s.material_of = p->material_of;
  }
  if (setup->birth) {
    IG_TRY(IG_NEW(cx, &p->birth, (size_t)elements + 1, "births of a part"));
    for (ig_lid e = 0; e < elements; e++)
      p->birth[e] = setup->birth[part->element[e]];
    s.birth = p->birth;
  }
  if (setup->initial_of) {
    IG_TRY(nodes_take(cx, part, part->node, setup->initial_of, &p->initial_of));
    s.initial_of = p->initial_of;
  }
  for (int i = 0; i < setup->conditions; i++)
    if (setup->condition[i].faces)
      IG_TRY(set_make(cx, part, setup->condition[i].faces, &p->set[i]));
  IG_TRY(conditions_take(cx, p, part->node, setup->condition, setup->conditions));
  s.condition = p->condition;
  IG_TRY(ig_heat_new(cx, &s, &p->local));
  IG_TRY(elements_split(cx, &p->local));
  p->local.resident.on = false; /* others wait between its steps */
  return IG_OK;
}

/* Rank of an item: that of the lowest of its nodes. conn: `npe` per item. */
static int32_t item_owner(const ig_heat_part *p, const ig_lid *conn, int npe,
                          const ig_lid *number) {
  ig_lid lowest = INT32_MAX;
  for (int a = 0; a < npe; a++) {
    const ig_lid n = number ? number[conn[a]] : conn[a];
    lowest = n < lowest ? n : lowest;
  }
  return p->part.owner[lowest];
}

/* Own items among `locals` of the part, with their places in the whole: they come in the same
   order there. */
static ig_status items_gather(ig_ctx *cx, ig_heat_part *p, const ig_lid *whole, int64_t count,
                              const ig_lid *local, int64_t locals, int npe, ig_collect *g) {
  int32_t *owner, *mine = NULL;
  int64_t own = 0;
  IG_TRY(IG_NEW(cx, &owner, count + 1, "owners"));
  ig_status status = IG_NEW(cx, &mine, locals + 1, "own items");
  for (int64_t i = 0; i < count && status == IG_OK; i++)
    owner[i] = item_owner(p, &whole[npe * i], npe, NULL);
  for (int64_t i = 0; i < locals && status == IG_OK; i++)
    if (item_owner(p, &local[npe * i], npe, p->part.node) == p->part.rank)
      mine[own++] = (int32_t)i;
  if (status == IG_OK)
    status = ig_collect_new(cx, &p->part, owner, count, mine, own, g);
  free(owner);
  return status;
}

/* The same for elements of the mesh, in its order. */
static ig_status elements_gather(ig_ctx *cx, const ig_mesh *mesh, ig_heat_part *p) {
  const int64_t count = ig_mesh_elements(mesh);
  const ig_lid locals = ig_mesh_elements(p->part.mesh);
  int32_t *owner, *mine = NULL;
  int64_t own = 0, number = 0;
  IG_TRY(IG_NEW(cx, &owner, count + 1, "owners"));
  ig_status status = IG_NEW(cx, &mine, (size_t)locals + 1, "own items");
  for (int b = 0; b < mesh->blocks && status == IG_OK; b++) {
    const int npe = ig_elem_info_get(mesh->block[b].type)->nodes;
    for (ig_lid e = 0; e < mesh->block[b].count; e++)
      owner[number++] = item_owner(p, &mesh->block[b].conn[(int64_t)npe * e], npe, NULL);
  }
  for (ig_lid e = 0; e < locals && status == IG_OK; e++)
    if (owner[p->part.element[e]] == p->part.rank)
      mine[own++] = e;
  if (status == IG_OK)
    status = ig_collect_new(cx, &p->part, owner, count, mine, own, &p->elements);
  free(owner);
  return status;
}

static ig_status gathers_make(ig_ctx *cx, const ig_heat *whole, ig_heat_part *p) {
  const ig_heat *l = &p->local;
  int32_t *mine;
  int64_t own = 0;
  IG_TRY(IG_NEW(cx, &mine, (size_t)p->part.mesh->nodes + 1, "own nodes"));
  for (ig_lid n = 0; n < p->part.mesh->nodes; n++)
    if (!p->part.ghost[n])
      mine[own++] = n;
  IG_TRY(ig_collect_new(cx, &p->part, p->part.owner, whole->nodes, mine, own, &p->nodes));
  IG_TRY(items_gather(cx, p, whole->elems.conn.host, whole->elements, l->elems.conn.host,
                      l->elements, 8, &p->cells));
  IG_TRY(items_gather(cx, p, whole->face.plan.conn.host, whole->face.count, l->face.plan.conn.host,
                      l->face.count, 4, &p->faces));
  IG_TRY(elements_gather(cx, whole->mesh, p));
  ig_collect *const all[] = {&p->nodes, &p->cells, &p->faces, &p->elements};
  for (int i = 0; i < 4; i++)
    ig_collect_thin(cx, all[i]);
  return IG_OK;
}

/* Faces of own cells whose neighbours the part has not. */
static ig_status far_make(ig_ctx *cx, const ig_heat *whole, ig_heat_part *p) {
  const ig_heat *l = &p->local;
  for (int pass = 0; pass < 2 && whole->face.neighbor; pass++) {
    int64_t count = 0;
    for (int64_t i = 0; i < p->cells.mine_count; i++)
      for (int f = 0; f < 6; f++) {
        const ig_lid e = p->cells.mine[i];
        const ig_lid other = whole->face.neighbor[6 * (int64_t)l->cell_of[e] + f];
        if (other < 0 || l->face.neighbor[6 * (int64_t)e + f] >= 0)
          continue;
        if (pass) {
          p->far.face[count] = 6 * e + f;
          p->far.neighbor[count] = other;
        }
        count++;
      }
    p->far.count = count;
    if (pass)
      break;
    IG_TRY(IG_NEW(cx, &p->far.face, count + 1, "faces of a part"));
    IG_TRY(IG_NEW(cx, &p->far.neighbor, count + 1, "faces of a part"));
  }
  return IG_OK;
}

ig_status ig_heat_part_new(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *whole) {
  if (ig_ranks_count(cx->ranks) == 1)
    return IG_OK;
  IG_TRY(division_check(cx, setup, whole));
  ig_heat_part *p;
  IG_TRY(IG_NEW(cx, &p, 1, "part of a rank"));
  whole->part = p; /* and is freed with it */
  int32_t *owner;
  IG_TRY(owners_choose(cx, setup, &owner));
  IG_TRY(ig_part_of(cx, setup->mesh, owner, &p->part));
  p->idle = ig_mesh_elements(p->part.mesh) == 0;
  IG_TRY(ig_halo_new(cx, &p->part, sizeof(double), &p->halo));
  if (!p->idle)
    IG_TRY(local_make(cx, setup, whole, p));
  IG_TRY(gathers_make(cx, whole, p));
  IG_TRY(far_make(cx, whole, p));
  return whole->newborn == IG_BORN_INHERITED ? ig_heat_part_kin(cx, whole) : IG_OK;
}

/* How many of the mesh's elements are there before each event. */
static ig_status calendar_make(ig_ctx *cx, ig_heat *h) {
  IG_TRY(IG_NEW(cx, &h->birth.mesh, (size_t)h->birth.events + 1, "births"));
  ig_lid count = 0;
  for (int i = 0; i < h->birth.events; i++) {
    h->birth.mesh[i] = count;
    for (ig_lid e = h->birth.start[i]; e < h->birth.start[i + 1]; e++)
      count += e == 0 || h->birth.order[e] != h->birth.order[e - 1];
  }
  h->birth.mesh[h->birth.events] = count;
  return IG_OK;
}

ig_status ig_heat_part_lighten(ig_ctx *cx, ig_heat *h) {
  if (!h->part)
    return IG_OK;
  IG_TRY(calendar_make(cx, h));
  ig_part_lighten(&h->part->part);
  ig_plan_free(cx, &h->face.plan);
  ig_array_free(cx, &h->face.death);
  ig_array_free(cx, &h->face.class_of);
  ig_plan_free(cx, &h->elems);
  ig_classes_free(&h->shape.classes);
  ig_csr_free(&h->node.around);
  ig_array_free(cx, &h->material.of);
  void **const lists[] = {(void **)&h->birth.order,   (void **)&h->shape.of_class,
                          (void **)&h->face.neighbor, (void **)&h->face.kind,
                          (void **)&h->face.exposed,  (void **)&h->node.held};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    free(*lists[i]);
    *lists[i] = NULL;
  }
  h->node.point = h->node.initial_of = NULL;
  h->calendar = true;
  return IG_OK;
}

void ig_heat_part_free(ig_ctx *cx, ig_heat *whole) {
  ig_heat_part *p = whole->part;
  if (!p)
    return;
  ig_heat_release(cx, &p->local);
  ig_halo_free(cx, &p->halo);
  ig_collect_free(&p->nodes);
  ig_collect_free(&p->cells);
  ig_collect_free(&p->faces);
  ig_collect_free(&p->elements);
  ig_part_free(&p->part);
  free(p->material_of);
  free(p->birth);
  free(p->initial_of);
  free(p->heir);
  free(p->brood);
  free(p->far.face);
  free(p->far.neighbor);
  ig_csr_free(&p->kin.around);
  free(p->kin.conn);
  free(p->kin.cell);
  free(p->kin.first);
  free(p->kin.node);
  free(p->kin.owner);
  free(p->kin.point);
  for (int i = 0; i < 32; i++) {
    free(p->set[i].item);
    free(p->set[i].face);
    for (int k = 0; k < 4; k++)
      free(p->value[i][k]);
  }
  free(p);
  whole->part = NULL;
}

/* --- state */

static ig_status ghosts_refresh(ig_ctx *cx, ig_heat *whole, ig_heat *l, ig_status status) {
  return ig_halo_refresh(cx, &whole->part->halo, l ? l->node.T.dev : NULL,
                         ig_heat_state_size(whole), status);
}

ig_status ig_heat_part_begin(ig_ctx *cx, ig_heat *whole) {
  ig_heat *l = ig_heat_stepper(whole);
  if (!whole->part)
    return IG_OK;
  IG_TRY(ig_ranks_agree(cx, IG_OK)); /* from here on each waits for the others */
  whole->part->counted = false;
  ig_status status = ghosts_refresh(cx, whole, l, IG_OK);
  if (status == IG_OK && l)
    status = ig_heat_next_fill(cx, l);
  return status;
}

ig_heat_purpose ig_heat_part_purpose(const ig_ctx *cx) {
  return ig_ranks_count(cx->ranks) == 1 ? IG_HEAT_STEPS : IG_HEAT_BOOKS;
}

ig_status ig_heat_part_conditions(ig_ctx *cx, ig_heat *whole, const ig_heat_condition *condition,
                                  int count, double ambient) {
  ig_heat *l = ig_heat_stepper(whole);
  if (!l)
    return IG_OK;
  const ig_lid *node = whole->calendar ? NULL : whole->part->part.node;
  IG_TRY(conditions_take(cx, whole->part, node, condition, count));
  return ig_heat_conditions_put(cx, l, whole->part->condition, count, ambient);
}

/* --- batches */

/* The watts are the whole engine's; their nodes as the part counts them. Not there: -1; in stencil
   form, which seeks among them and takes the first it finds, the one before. */
static ig_status sources_take(ig_ctx *cx, ig_heat *whole, ig_heat *l) {
  const int32_t count = whole->batch.list_count;
  const ig_lid *from = whole->batch.source_node.host;
  IG_TRY(ig_heat_reserve(cx, &l->batch.source_node, (size_t)count, sizeof(ig_lid)));
  ig_lid *to = l->batch.source_node.host;
  for (int32_t i = 0; i < count; i++)
    to[i] = ig_part_node(&whole->part->part, from[i]);
  for (int i = 0; i < whole->batch.step_count; i++) {
    const ig_heat_step *step = &whole->batch.step[i];
    const int32_t end = step->list + step->last - step->first;
    for (int32_t k = step->list + 1; k < end && l->conduction == IG_HEAT_STENCIL; k++)
      to[k] = to[k] < 0 ? to[k - 1] : to[k];
    l->batch.step[i].first = whole->batch.step[i].first;
    l->batch.step[i].last = whole->batch.step[i].last;
    l->batch.step[i].list = whole->batch.step[i].list;
  }
  return ig_heat_push(cx, &l->batch.source_node, (size_t)count);
}

/* What rank 0 has written of watts, to all: how much, then which steps have them, and the nodes of
   lists. Births are in everybody's calendar; who inherits from whom is told here, and whether nodes
   of some rank are held at a new temperature. */
static ig_status batch_share(ig_ctx *cx, ig_heat *whole) {
  ig_heat_batch *b = &whole->batch;
  const ig_heat *l = ig_heat_stepper(whole);
  int64_t held = l ? l->batch.held_count : 0;
  int32_t count[] = {b->list_count, b->source_count, b->powers_given};
  IG_TRY(ig_ranks_most(cx, IG_OK, &held, 1));
  whole->part->held = held > 0;
  IG_TRY(ig_ranks_share(cx, 0, count, sizeof count));
  b->list_count = count[0], b->source_count = count[1], b->powers_given = count[2] != 0;
  if (b->patch_count > 0)
    IG_TRY(ig_heat_part_heirs(cx, whole));
  if (b->source_count == 0)
    return IG_OK;
  ig_status status = ig_heat_reserve(cx, &b->source_node, (size_t)b->list_count, sizeof(ig_lid));
  if (status == IG_OK)
    status = ig_heat_reserve(cx, &b->source_power, (size_t)b->source_count, sizeof(double));
  IG_TRY(ig_ranks_agree(cx, status));
  IG_TRY(ig_ranks_share(cx, 0, b->step, (size_t)b->step_count * sizeof *b->step));
  IG_TRY(ig_ranks_share(cx, 0, b->source_node.host, (size_t)b->list_count * sizeof(ig_lid)));
  return b->powers_given
             ? ig_ranks_share(cx, 0, b->source_power.host, (size_t)b->source_count * sizeof(double))
             : IG_OK;
}

/* What was written, to the device. */
static ig_status batch_push(ig_ctx *cx, ig_heat *whole, ig_heat *l) {
  if (whole->batch.powers_given)
    IG_TRY(ig_heat_push(cx, &whole->batch.source_power, (size_t)whole->batch.source_count));
  if (!l)
    return IG_OK;
  if (l->conduction == IG_HEAT_STENCIL)
    IG_TRY(ig_heat_rows_push(cx, l));
  IG_TRY(sources_take(cx, whole, l));
  return ig_heat_patches_push(cx, l);
}

static ig_status births_apply(ig_ctx *cx, ig_heat *l, int32_t first, int32_t last) {
  return l ? l->ops->patch(cx, l, first, last) : IG_OK;
}

static ig_status part_melt(ig_ctx *cx, ig_heat *l, ig_heat_phase which) {
  if (!l || !l->material.solid.dev)
    return IG_OK;
  l->phase = which;
  return l->ops->melt(cx, l);
}

/* Temperatures of ghosts: sent, and there. Powder that is molten through then becomes solid: all
   of it, or what touches ghosts. */
static ig_status ghosts_send(ig_ctx *cx, ig_heat *whole, ig_heat *l, ig_status status) {
  const ig_halo_array T = {l ? l->node.T.dev : NULL, ig_heat_state_size(whole)};
  return ig_halo_start(cx, &whole->part->halo, &T, 1, status);
}
static ig_status ghosts_take(ig_ctx *cx, ig_heat *whole, ig_heat *l, ig_heat_phase melt,
                             ig_status status) {
  const ig_halo_array T = {l ? l->node.T.dev : NULL, ig_heat_state_size(whole)};
  status = ig_halo_finish(cx, &whole->part->halo, &T, 1, status);
  return status == IG_OK ? part_melt(cx, l, melt) : status;
}

/* The end of the steps from i on that follow each other without births or looks in between. */
static int steps_end(const ig_heat_batch *batch, int i) {
  int end = i + 1;
  while (end < batch->step_count && batch->step[end - 1].look <= 0 &&
         batch->step[end].patch_last == batch->step[end].patch_first)
    end++;
  return end;
}

/* One step: what needs no ghost, while those of the step before travel; then the rest. On a CPU
   steps in stencil form go ahead where ghosts do not reach. */
static ig_status step_take(ig_ctx *cx, ig_heat *whole, ig_heat *l, int i, bool travelling,
                           ig_status status) {
  const bool ahead = whole->conduction == IG_HEAT_STENCIL && cx->backend->kernels == IG_KERNELS_CPU;
  if (l && status == IG_OK && travelling)
    status = part_melt(cx, l, IG_HEAT_EARLY);
  if (l && status == IG_OK) {
    l->phase = IG_HEAT_EARLY;
    status = l->ops->steps(cx, l, i, ahead ? steps_end(&whole->batch, i) : i + 1);
  }
  if (travelling)
    status = ghosts_take(cx, whole, l, IG_HEAT_LATE, status);
  if (l && status == IG_OK) {
    l->phase = IG_HEAT_LATE;
    status = l->ops->steps(cx, l, i, i + 1);
  }
  return ghosts_send(cx, whole, l, status);
}

/* A rank that fails goes on exchanging, for the others wait for it; all learn of it when they meet
   after the batch. */
static ig_status steps_take(ig_ctx *cx, ig_heat *whole, ig_heat *l) {
  const ig_heat_batch *batch = &whole->batch;
  ig_status status = IG_OK;
  bool travelling = false;
  if (whole->part->held) {
    status = births_apply(cx, l, 0, l ? l->batch.held_count : 0);
    status = ghosts_refresh(cx, whole, l, status);
  }
  for (int i = 0; i < batch->step_count; i++) {
    const ig_heat_step *step = &batch->step[i], *own = l ? &l->batch.step[i] : NULL;
    if (step->patch_last > step->patch_first) {
      if (travelling)
        status = ghosts_take(cx, whole, l, IG_HEAT_ALL, status);
      travelling = false;
      status = ig_heat_part_inherit(cx, whole, l, step->patch_first, step->patch_last, status);
      if (status == IG_OK)
        status = births_apply(cx, l, own ? own->patch_first : 0, own ? own->patch_last : 0);
      status = ghosts_refresh(cx, whole, l, status);
    }
    whole->now = step->there;
    if (l)
      l->now = own->there;
    status = step_take(cx, whole, l, i, travelling, status);
    travelling = step->look <= 0 && i + 1 < batch->step_count;
    if (!travelling)
      status = ghosts_take(cx, whole, l, IG_HEAT_ALL, status);
    if (l && own->look > 0 && status == IG_OK)
      status = l->ops->track(cx, l, own->look, own->time);
  }
  if (l) {
    l->phase = IG_HEAT_ALL;
    l->rows.ahead = 0; /* as after every batch, but for one that failed */
  }
  return status;
}

ig_status ig_heat_part_run(ig_ctx *cx, ig_heat *whole) {
  ig_heat *l = ig_heat_stepper(whole);
  IG_TRY(batch_share(cx, whole));
  const ig_status ready = batch_push(cx, whole, l);
  IG_TRY(ig_ranks_agree(cx, ready)); /* from here on each waits for the others */
  whole->part->counted = false;
  if (l)
    l->batch.source_power = whole->batch.source_power;
  const ig_status status = steps_take(cx, whole, l);
  if (l) {
    memset(&l->batch.source_power, 0, sizeof l->batch.source_power); /* it was lent */
    ig_heat_batch_clear(l);
  }
  ig_heat_part_forget(whole);
  return status;
}
