/* Dividing the mesh between ranks. Every rank makes the same outline of the whole engine, chooses
   the same owners of nodes, cuts its part out and makes an engine of it; the outline is then freed.
   There is no communication: all ranks compute the same division from the same input.

   Own items. A node has an owner. An element or a face belongs to the rank of its lowest node (in
   the numbers of the whole), which is unique without a message. Sums over elements count own ones
   only. */
#include "thermal/engine/heat_part.h"
#include "assembly/split.h"
#include "thermal/engine/heat_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Faces of a condition that are in the part. */
static ig_status set_make(ig_ctx *cx, const ig_partition *part, const ig_set *from, ig_set *to) {
  *to = (ig_set){.name = from->name, .kind = from->kind};
  IG_TRY(IG_NEW(cx, &to->item, (size_t)from->count + 1, "faces of a part"));
  IG_TRY(IG_NEW(cx, &to->face, (size_t)from->count + 1, "faces of a part"));
  for (ig_lid i = 0; i < from->count; i++) {
    const ig_lid e = ig_partition_element(part, from->item[i]);
    if (e < 0)
      continue;
    to->item[to->count] = e;
    to->face[to->count++] = from->face[i];
  }
  return IG_OK;
}

/* Values of the part's nodes. */
static ig_status nodes_take(ig_ctx *cx, const ig_partition *part, const double *from, double **to) {
  IG_TRY(IG_NEW(cx, to, (size_t)part->mesh->nodes + 1, "boundary values of a part"));
  for (ig_lid n = 0; n < part->mesh->nodes; n++)
    (*to)[n] = from[part->node[n]];
  return IG_OK;
}

/* Conditions as the part's engine needs them. */
static ig_status conditions_take(ig_ctx *cx, const ig_heat_setup *setup, ig_heat_part *p,
                                 ig_heat_condition *to) {
  for (int i = 0; i < setup->conditions; i++) {
    ig_heat_condition *c = &to[i];
    *c = setup->condition[i];
    if (c->faces) {
      IG_TRY(set_make(cx, &p->of, c->faces, &p->set[i]));
      c->faces = &p->set[i];
    }
    const double **of[4] = {&c->temperature_of, &c->flux_of, &c->h_of, &c->ambient_of};
    for (int k = 0; k < 4; k++)
      if (*of[k]) {
        IG_TRY(nodes_take(cx, &p->of, *of[k], &p->value[i][k]));
        *of[k] = p->value[i][k];
      }
  }
  return IG_OK;
}

/* Orders the plan so that elements without ghosts come first: they are computed while ghosts
   travel. Blocks of nodes with elements of both kinds must wait for the late ones; their span is
   set to -1, so that the fused sweep of the CPU (sweep_cpu) leaves them to the second phase. */
static ig_status elements_split(ig_ctx *cx, ig_heat *l) {
  ig_lid *span = l->run.span.host;
  uint8_t *late;
  if (l->elements == 0 || l->elems.how != IG_GATHER)
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

/* Work of each node: how long its elements live, as a share of the run. A column that is built late
   costs little, and equal numbers of nodes would leave its rank idle. */
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

/* Chooses owners of nodes. A part that is built layer by layer is divided in plan (2 axes): each
   rank then has a share of every layer and works from the start. Others are divided along 3 axes.
 */
static ig_status owners_choose(ig_ctx *cx, const ig_heat_setup *setup, int32_t **owner) {
  double *weight = NULL;
  if (cx->ranks->division)
    return ig_partition_owners(cx, setup->mesh, IG_DIVIDE_BOXES, owner);
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

/* The engine of the part, from what the whole was made of. */
static ig_status part_make(ig_ctx *cx, const ig_heat_setup *setup, const ig_heat *whole,
                           ig_heat *h) {
  ig_heat_part *p = &h->part;
  const ig_partition *part = &p->of;
  const ig_lid elements = ig_mesh_elements(part->mesh);
  ig_heat_condition condition[32];
  ig_heat_setup s = *setup;
  s.mesh = part->mesh;
  s.conduction = whole->conduction;
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
    IG_TRY(nodes_take(cx, part, setup->initial_of, &p->initial_of));
    s.initial_of = p->initial_of;
  }
  IG_TRY(conditions_take(cx, setup, p, condition));
  s.condition = condition;
  IG_TRY(ig_heat_make(cx, &s, whole, h));
  h->limit = whole->limit;
  h->resident.on = false; /* others wait between its steps */
  return elements_split(cx, h);
}

/* --- own items, and their numbers in the whole */

/* Whether an item of the part is this rank's (ig_owner_of): the part numbers nodes in the order of
   the whole. */
static bool is_own(const ig_heat *h, const ig_lid *conn, int count) {
  ig_lid lowest = conn[0];
  for (int a = 1; a < count; a++)
    lowest = conn[a] < lowest ? conn[a] : lowest;
  return !h->ghost[lowest];
}

/* number: of the part's items in the whole; own: 1 this rank's. */
static ig_status own_collect(ig_ctx *cx, ig_lid count, const uint8_t *own, const ig_lid *number,
                             int64_t whole, ig_collect *g) {
  g->whole_count = whole;
  IG_TRY(IG_NEW(cx, &g->mine, (size_t)count + 1, "own items"));
  IG_TRY(IG_NEW(cx, &g->whole, (size_t)count + 1, "own items"));
  for (ig_lid i = 0; i < count; i++)
    if (own[i]) {
      g->mine[g->mine_count] = i;
      g->whole[g->mine_count++] = number[i];
    }
  return IG_OK;
}

/* Numbers of own listed faces in the whole. Own faces come in the same order in both lists, so both
   are walked together, without a search. */
static ig_status faces_number(ig_ctx *cx, const ig_heat *whole, ig_heat *h, uint8_t *own) {
  const ig_lid *all = whole->face.plan.conn.host, *conn = h->face.plan.conn.host;
  ig_heat_part *p = &h->part;
  ig_lid next = 0;
  IG_TRY(IG_NEW(cx, &p->face_of, (size_t)h->face.count + 1, "faces of a part"));
  for (ig_lid i = 0; i < h->face.count; i++) {
    own[i] = is_own(h, &conn[4 * (int64_t)i], 4);
    p->face_of[i] = -1;
    if (!own[i])
      continue;
    while (next < whole->face.count &&
           ig_owner_of(p->of.owner, &all[4 * (int64_t)next], 4) != p->of.rank)
      next++;
    if (next == whole->face.count)
      return IG_FAIL(cx, IG_NUMERIC, "a part of the mesh has more faces of its own than the whole");
    p->face_of[i] = next++;
  }
  return IG_OK;
}

static void elements_mark(const ig_heat *h, uint8_t *own) {
  for (int b = 0; b < h->mesh->blocks; b++) {
    const ig_block *block = &h->mesh->block[b];
    const int npe = ig_elem_info_get(block->type)->nodes;
    for (ig_lid e = 0; e < block->count; e++)
      *own++ = is_own(h, &block->conn[(int64_t)npe * e], npe);
  }
}

/* Collections of own nodes, cells, mesh elements and faces: lists of local numbers with their
   numbers in the whole, both rising. `own`: space for the largest of them. */
static ig_status own_find(ig_ctx *cx, const ig_heat *whole, ig_heat *h, uint8_t *own) {
  ig_heat_part *p = &h->part;
  for (ig_lid n = 0; n < h->nodes; n++)
    own[n] = !h->ghost[n];
  IG_TRY(own_collect(cx, h->nodes, own, h->node_of, whole->nodes, &p->nodes));
  for (ig_lid e = 0; e < h->elements; e++)
    own[e] = ig_heat_is_own(h, e);
  IG_TRY(own_collect(cx, h->elements, own, h->cell_of, whole->elements, &p->cells));
  elements_mark(h, own);
  IG_TRY(own_collect(cx, ig_mesh_elements(h->mesh), own, p->of.element,
                     ig_mesh_elements(whole->mesh), &p->elements));
  IG_TRY(faces_number(cx, whole, h, own));
  return own_collect(cx, h->face.count, own, p->face_of, whole->face.count, &p->faces);
}

static ig_status collections_make(ig_ctx *cx, const ig_heat *whole, ig_heat *h) {
  const ig_lid cells = h->elements > h->nodes ? h->elements : h->nodes;
  const ig_lid most = h->face.count > cells ? h->face.count : cells;
  uint8_t *own;
  IG_TRY(IG_NEW(cx, &own, (size_t)most + 1, "own items"));
  const ig_status status = own_find(cx, whole, h, own);
  free(own);
  return status;
}

/* Faces of own cells whose neighbours lie outside the part, with these neighbours. The area of the
   outer surface (ig_heat_measure) must know whether they are born. Two passes: count, then fill. */
static ig_status far_make(ig_ctx *cx, const ig_heat *whole, ig_heat *h) {
  ig_heat_part *p = &h->part;
  for (int pass = 0; pass < 2 && whole->face.neighbor; pass++) {
    int64_t count = 0;
    for (int64_t i = 0; i < p->cells.mine_count; i++)
      for (int f = 0; f < 6; f++) {
        const ig_lid e = p->cells.mine[i];
        const ig_lid other = whole->face.neighbor[6 * (int64_t)h->cell_of[e] + f];
        if (other < 0 || h->face.neighbor[6 * (int64_t)e + f] >= 0)
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

/* This rank's part of `whole`, to zeros. */
static ig_status part_cut(ig_ctx *cx, const ig_heat_setup *setup, const ig_heat *whole,
                          ig_heat *h) {
  ig_heat_part *p = &h->part;
  int32_t *owner;
  if (whole->conduction != IG_HEAT_STENCIL)
    IG_TRY(ig_divide_check(cx, setup->assembly));
  IG_TRY(owners_choose(cx, setup, &owner));
  IG_TRY(ig_partition_of(cx, setup->mesh, owner, &p->of));
  IG_TRY(ig_halo_new(cx, &p->of, sizeof(double), &p->halo));
  IG_TRY(part_make(cx, setup, whole, h));
  IG_TRY(collections_make(cx, whole, h));
  IG_TRY(far_make(cx, whole, h));
  if (h->newborn == IG_BORN_INHERITED)
    IG_TRY(ig_heat_part_neighbours(cx, whole, h));
  ig_partition_release_global(&p->of);
  return IG_OK;
}

/* One rank: all items are its own, and no list says which. */
static ig_collect all_own(int64_t count) {
  return (ig_collect){.mine_count = count, .whole_count = count};
}

/* On several ranks `h` is the outline; it is moved aside, `h` becomes the part, and the outline is
   freed, also after a failure. On one rank nothing is copied. */
ig_status ig_heat_divide(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h) {
  if (!h->outline) {
    h->part = (ig_heat_part){.of = {.ranks = 1},
                             .nodes = all_own(h->nodes),
                             .cells = all_own(h->elements),
                             .faces = all_own(h->face.count),
                             .elements = all_own(ig_mesh_elements(h->mesh))};
    return IG_OK;
  }
  ig_heat *whole;
  IG_TRY(IG_NEW(cx, &whole, 1, "part of a rank"));
  *whole = *h;
  memset(h, 0, sizeof *h);
  const ig_status status = part_cut(cx, setup, whole, h);
  ig_heat_release(cx, whole);
  free(whole);
  return status;
}

void ig_heat_part_free(ig_ctx *cx, ig_heat *h) {
  ig_heat_part *p = &h->part;
  ig_halo_free(cx, &p->halo);
  ig_collect_free(&p->nodes);
  ig_collect_free(&p->cells);
  ig_collect_free(&p->faces);
  ig_collect_free(&p->elements);
  ig_partition_free(&p->of);
  free(p->material_of);
  free(p->birth);
  free(p->initial_of);
  free(p->face_of);
  free(p->heir);
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
  memset(p, 0, sizeof *p);
}
