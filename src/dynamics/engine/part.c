/* Dividing a model between ranks: the part's particles, elements, loads, bodies and ties, taken
   from the whole model, so that both start with the same numbers.

   Every rank has built the whole model. ig_dyn_part_new divides the particles along a
   space-filling curve, moves owners together for bodies and ties, makes the local model
   (local_make) and the lists of who has what (collects, for output and sums in the order of the
   whole). ig_dyn_part_keep then frees the whole model's arrays.

   Elements of a part lie in two ranges: inner ones, which no ghost touches and which are
   computed while ghosts travel, and those at the border. */
#include "dynamics/model/part.h"
#include "assembly/assembly.h"
#include "backend/backend.h"
#include "core/union_find.h"
#include "dynamics/model/rigid_body_check.h"

#include <stdlib.h>
#include <string.h>

/* --- owners */

/* A body, and all that is tied together, belongs to the owner of its lowest particle. */
static ig_status owners_join(const ig_dyn_model *m, int32_t *owner) {
  const ig_dyn_carried *c = &m->carried;
  int32_t *up;
  if (m->p.bodies.count + m->p.ties.count == 0)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &up, (size_t)m->p.nodes + 1, "owners"));
  /* every particle is a set of its own; bodies and ties join them */
  for (int32_t n = 0; n < m->p.nodes; n++)
    up[n] = n;
  for (int k = 0; k < m->p.bodies.count; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)c->body.host + k;
    const int32_t *node = (const int32_t *)c->body_node.host + b->first;
    for (int32_t i = 1; i < b->count; i++)
      ig_union_join(up, node[0], node[i]);
  }
  for (int32_t i = 0; i < 3 * m->p.ties.count; i++)
    ig_union_join(up, ((const int32_t *)c->tie_node.host)[i / 3],
                  ((const int32_t *)c->tie_to.host)[i]);
  for (int32_t n = 0; n < m->p.nodes; n++)
    owner[n] = owner[ig_union_root(up, n)];
  free(up);
  return IG_OK;
}

int32_t ig_dyn_part_owner(const ig_dyn_model *m, ig_lid element) {
  ig_lid local;
  if (ig_dyn_alone(m))
    return 0;
  const ig_block *b = ig_dyn_block_of(m->mesh, element, &local);
  const int npe = ig_elem_info_get(b->type)->nodes;
  return ig_owner_of(m->division->part.owner, b->conn + (int64_t)local * npe, npe);
}

/* --- groups */

/* Whether no corner of the element (numbers of the whole) is a ghost here. */
static bool is_inner(const ig_partition *part, const ig_lid *conn, int npe) {
  for (int a = 0; a < npe; a++)
    if (part->ghost[part->local[conn[a]]])
      return false;
  return true;
}

/* Which elements of the whole group are in the part, in two ranges: those without ghosts, which can
   be computed while these travel, then the others; each with pads that repeat its last. */
static ig_status slots_choose(ig_dyn_model *m, int k) {
  ig_dyn_part *p = m->division;
  const ig_dyn_group *from = &m->group[k];
  ig_dyn_group *g = &p->local->group[k];
  const int npe = from->g_f64.npe;
  ig_lid at = 0;
  /* room for all of them and the pads of both ranges; cut to size below */
  IG_TRY(IG_NEW(m->cx, &p->slot[k], (size_t)from->slots + 2 * IG_DYN_BLOCK, "elements of a part"));
  g->count = 0;
  for (int c = 0; c < 2; c++) {
    g->begin[c] = at;
    for (ig_lid s = 0; s < from->slots; s++) {
      const ig_lid *conn = (const ig_lid *)from->conn.host + (int64_t)s * npe;
      if (from->element[s] >= 0 && ig_partition_element(&p->part, from->element[s]) >= 0 &&
          is_inner(&p->part, conn, npe) == (c == 0))
        p->slot[k][at++] = s;
    }
    g->end[c] = at;
    g->count += at - g->begin[c];
    for (; at % IG_DYN_BLOCK; at++)
      p->slot[k][at] = p->slot[k][g->end[c] - 1];
  }
  g->slots = at;
  ig_lid *fit = realloc(p->slot[k], ((size_t)at + 1) * sizeof *fit); /* was large enough for all */
  p->slot[k] = fit ? fit : p->slot[k];
  return IG_OK;
}

/* Slots at the end of either range repeat its last element and are not counted. */
static bool is_pad(const ig_dyn_group *g, ig_lid s) {
  return s >= g->end[s >= g->begin[1]];
}

/* Merges both ranges by the slots of the whole: sums at particles have that order. Caller frees
 *order. */
ig_status ig_dyn_slots_ordered(ig_dyn_model *m, int k, ig_lid **order) {
  *order = NULL;
  if (ig_dyn_alone(m))
    return IG_OK;
  const ig_lid *whole = m->division->slot[k];
  const ig_dyn_group *g = &m->division->local->group[k];
  ig_lid a = g->begin[0], b = g->begin[1];
  IG_TRY(IG_NEW(m->cx, order, (size_t)g->count + 1, "elements of a part"));
  for (ig_lid i = 0; i < g->count; i++)
    (*order)[i] = a < g->end[0] && (b >= g->end[1] || whole[a] < whole[b]) ? a++ : b++;
  return IG_OK;
}

/* Group k of the part: elements, connectivity in numbers of the part, space for state. `first`
   is its place in the count of slots of all groups. */
static ig_status group_make(ig_dyn_model *m, int k, ig_lid first) {
  ig_dyn_part *p = m->division;
  ig_ctx *cx = m->cx;
  const ig_dyn_group *from = &m->group[k];
  ig_dyn_group *g = &p->local->group[k];
  const int npe = from->g_f64.npe;
  *g = (ig_dyn_group){.kind = from->kind,
                      .law = from->law,
                      .type = from->type,
                      .g_f64 = from->g_f64,
                      .g_f32 = from->g_f32,
                      .whole = from->whole,
                      .colors = 2};
  IG_TRY(IG_NEW(cx, &g->begin, 2, "elements of a part"));
  IG_TRY(IG_NEW(cx, &g->end, 2, "elements of a part"));
  IG_TRY(slots_choose(m, k));
  const size_t slots = (size_t)g->slots;
  IG_TRY(IG_NEW(cx, &g->element, slots + 1, "elements of a part"));
  IG_TRY(ig_array_new(cx, &g->ids, slots + 1, sizeof(ig_lid), "elements of a part"));
  IG_TRY(ig_array_new(cx, &g->conn, slots * (size_t)npe + 1, sizeof(int32_t), "connectivity"));
  IG_TRY(ig_array_new(cx, &g->state, slots * (size_t)g->g_f64.states + 1, from->state.size,
                      "element state"));
  for (ig_lid s = 0; s < g->slots; s++) {
    const ig_lid w = p->slot[k][s];
    const ig_lid *conn = (const ig_lid *)from->conn.host + (int64_t)w * npe;
    const bool pad = is_pad(g, s), own = ig_owner_of(p->part.owner, conn, npe) == p->part.rank;
    g->element[s] = own && !pad ? from->element[w] : -1;
    ((ig_lid *)g->ids.host)[s] = pad ? -1 : ig_partition_element(&p->part, from->element[w]);
    /* the whole's connectivity in numbers of the part: all corners are there, as own or ghosts */
    for (int a = 0; a < npe; a++)
      ((int32_t *)g->conn.host)[(int64_t)s * npe + a] = p->part.local[conn[a]];
  }
  IG_TRY(ig_array_push(cx, &g->ids));
  IG_TRY(ig_array_push(cx, &g->conn));
  g->g_f64.first = g->g_f32.first = first;
  g->g_f64.count = g->g_f32.count = g->slots;
  g->g_f64.state = g->state.dev;
  g->g_f32.state = g->state.dev;
  return IG_OK;
}

/* As ig_dyn_slots_new, in the order of the whole. */
static ig_status slots_make(ig_dyn_model *m) {
  ig_dyn_model *l = m->division->local;
  ig_ctx *cx = m->cx;
  ig_slot_block *block = NULL;
  ig_lid **order = NULL;
  int64_t total = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &block, (size_t)l->groups + 1, "slots"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &order, (size_t)l->groups + 1, "slots"));
  for (int k = 0; k < l->groups; k++) {
    ig_dyn_group *g = &l->group[k];
    const int npe = g->g_f64.npe;
    ig_lid *conn;
    IG_TRY_GOTO(status, done, ig_dyn_slots_ordered(m, k, &order[k]));
    IG_TRY_GOTO(status, done, IG_NEW(cx, &conn, 2 * (size_t)g->count * (size_t)npe + 2, "slots"));
    block[k] = (ig_slot_block){g->count, npe, conn, conn + (int64_t)g->count * npe + 1};
    for (int64_t i = 0; i < (int64_t)g->count * npe; i++)
      conn[i] = ((const ig_lid *)g->conn.host)[(int64_t)order[k][i / npe] * npe + i % npe];
    total += (int64_t)g->count * npe;
  }
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &l->slot_first, (size_t)l->p.nodes + 1, sizeof(int32_t), "slots"));
  IG_TRY_GOTO(status, done, ig_slots_number(cx, l->p.nodes, l->groups, block, l->slot_first.host));
  for (int k = 0; k < l->groups; k++) {
    ig_dyn_group *g = &l->group[k];
    const int npe = g->g_f64.npe;
    IG_TRY_GOTO(
        status, done,
        ig_array_new(cx, &g->slot, (size_t)g->slots * (size_t)npe + 1, sizeof(int32_t), "slots"));
    for (int64_t i = 0; i < (int64_t)g->count * npe; i++)
      ((int32_t *)g->slot.host)[(int64_t)order[k][i / npe] * npe + i % npe] = block[k].slot[i];
    IG_TRY_GOTO(status, done, ig_array_push(cx, &g->slot));
  }
  IG_TRY_GOTO(status, done, ig_array_push(cx, &l->slot_first));
  status =
      ig_dyn_upload(l, &l->slots, m->part, NULL, (size_t)total * (size_t)m->p.dofs + 1, "slots");
done:
  for (int k = 0; k < m->groups; k++) {
    if (block)
      free((void *)block[k].conn);
    if (order)
      free(order[k]);
  }
  free(block);
  free(order);
  return status;
}

/* Groups of the part, in the order of the whole, also those without elements here: calls on
   groups are collective. The scratch is for energies or reports, whichever is larger. */
static ig_status groups_make(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  ig_dyn_model *l = p->local;
  IG_TRY(IG_NEW(m->cx, &l->group, (size_t)m->groups + 1, "groups"));
  IG_TRY(IG_NEW(m->cx, &p->slot, (size_t)m->groups + 1, "groups"));
  size_t space = (size_t)m->division->part.mesh->nodes * IG_DYN_PARTICLE_ENERGIES + 1;
  ig_lid all = 0;
  for (l->groups = 0; l->groups < m->groups; l->groups++) {
    IG_TRY(group_make(m, l->groups, all));
    const ig_dyn_group *g = &l->group[l->groups];
    all += g->slots;
    if (space < (size_t)g->slots * IG_DYN_REPORT)
      space = (size_t)g->slots * IG_DYN_REPORT;
  }
  IG_TRY(ig_array_new_device(m->cx, &l->scratch, space, sizeof(double), "reports"));
  IG_TRY(IG_NEW(m->cx, &l->fault_ids, (size_t)all + 1, "element numbers"));
  for (int k = 0; k < l->groups; k++)
    for (ig_lid s = 0; s < l->group[k].slots; s++) {
      const ig_lid e = ((const ig_lid *)l->group[k].ids.host)[s];
      l->fault_ids[l->group[k].g_f64.first + s] = e < 0 ? -1 : p->part.element[e];
    }
  if (m->contact.alive.count) {
    const size_t count = (size_t)ig_mesh_elements(p->part.mesh) + 1;
    IG_TRY(ig_array_new(m->cx, &l->contact.alive, count, 1, "elements that hold"));
    memset(l->contact.alive.host, 1, count);
    IG_TRY(ig_array_push(m->cx, &l->contact.alive));
  }
  return slots_make(m);
}

/* --- particles and what acts on them */

/* Arrays of particles, without values: those come by ig_dyn_part_begin or from a checkpoint. */
static ig_status particle_arrays(ig_dyn_model *m) {
  ig_dyn_model *l = m->division->local;
  const size_t n = (size_t)l->p.nodes + 1, D = (size_t)m->p.dofs; /* one more: there may be none */
  IG_TRY(ig_dyn_upload(l, &l->x, m->part, NULL, 3 * n, "positions"));
  IG_TRY(ig_dyn_upload(l, &l->v, m->part, NULL, D * n, "velocities"));
  IG_TRY(ig_dyn_upload(l, &l->f, m->part, NULL, n * (size_t)m->p.pitch, "forces"));
  IG_TRY(ig_dyn_upload(l, &l->mass, m->part, NULL, n, "masses"));
  IG_TRY(ig_dyn_upload(l, &l->inertia, m->part, NULL, n, "inertias"));
  if (m->heavy.count)
    IG_TRY(ig_dyn_upload(l, &l->heavy, m->part, NULL, n, "weights"));
  IG_TRY(ig_dyn_upload(l, &l->work, sizeof(double), NULL, n * IG_WORKS, "work"));
  if (m->load.count)
    IG_TRY(ig_dyn_upload(l, &l->load, m->part, NULL, n * D, "loads"));
  if (m->contact.press.count)
    IG_TRY(ig_dyn_upload(l, &l->contact.press, m->part, NULL, 3 * n, "contact forces"));
  IG_TRY(ig_array_new(m->cx, &l->clock, 1, sizeof(ig_dyn_clock), "clock"));
  IG_TRY(IG_NEW(m->cx, &l->x0, 3 * n, "positions"));
  IG_TRY(IG_NEW(m->cx, &l->weight.mass, n, "masses"));
  IG_TRY(IG_NEW(m->cx, &l->weight.inertia, n, "inertias"));
  IG_TRY(IG_NEW(m->cx, &l->weight.added, n, "masses"));
  IG_TRY(IG_NEW(m->cx, &l->weight.heavy, n, "masses"));
  if (!m->held.move.count)
    return IG_OK;
  IG_TRY(ig_array_new(m->cx, &l->held.move, n, sizeof(int32_t), "supports"));
  for (int32_t i = 0; i < l->p.nodes; i++)
    ((int32_t *)l->held.move.host)[i] =
        ((const int32_t *)m->held.move.host)[m->division->part.node[i]];
  return ig_array_push(m->cx, &l->held.move);
}

/* Bodies that this rank owns. A body has one owner, with all its particles (owners_join), so
   that its sums need no messages. */
static ig_status bodies_make(ig_dyn_model *m, int32_t *bound) {
  ig_dyn_part *p = m->division;
  ig_dyn_model *l = p->local;
  ig_ctx *cx = m->cx;
  const size_t bodies = (size_t)m->p.bodies.count;
  int32_t count = 0;
  l->p.bodies.count = 0;
  if (bodies == 0)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &p->body_owner, bodies, "bodies"));
  IG_TRY(IG_NEW(cx, &p->body, bodies, "bodies"));
  /* room for all bodies: this rank may own any of them */
  IG_TRY(ig_array_new(cx, &l->carried.body, bodies, sizeof(ig_dyn_body), "bodies"));
  IG_TRY(
      ig_array_new(cx, &l->carried.body_node, (size_t)l->p.nodes + 1, sizeof(int32_t), "bodies"));
  for (int k = 0; k < m->p.bodies.count; k++) {
    const ig_dyn_body *from = (const ig_dyn_body *)m->carried.body.host + k;
    const int32_t *node = (const int32_t *)m->carried.body_node.host + from->first;
    p->body_owner[k] = p->part.owner[node[0]];
    if (p->body_owner[k] != p->part.rank)
      continue;
    ((ig_dyn_body *)l->carried.body.host)[l->p.bodies.count].first = count;
    p->body[l->p.bodies.count++] = k;
    for (int32_t i = 0; i < from->count; i++) {
      const int32_t n = p->part.local[node[i]];
      ((int32_t *)l->carried.body_node.host)[count++] = n;
      bound[n] = count;
    }
  }
  IG_TRY(ig_array_new(cx, &l->carried.body_arm, 3 * (size_t)count + 3, sizeof(double), "bodies"));
  IG_TRY(ig_array_new_device(cx, &l->carried.body_pull, ((size_t)count + 1) * IG_DYN_PULL,
                             sizeof(double), "bodies"));
  return ig_array_push(cx, &l->carried.body_node);
}

/* Ties of particles that this rank owns, and for each particle those that it carries. */
static ig_status ties_make(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  ig_dyn_model *l = p->local;
  ig_dyn_carried *c = &l->carried;
  ig_ctx *cx = m->cx;
  const size_t ties = (size_t)m->p.ties.count, nodes = (size_t)l->p.nodes;
  l->p.ties.count = 0;
  if (ties == 0)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &p->tie, ties, "ties"));
  IG_TRY(ig_array_new(cx, &c->tie_node, ties, sizeof(int32_t), "ties"));
  IG_TRY(ig_array_new(cx, &c->tie_to, 3 * ties, sizeof(int32_t), "ties"));
  IG_TRY(ig_array_new(cx, &c->tie_share, 3 * ties, sizeof(double), "ties"));
  IG_TRY(ig_array_new(cx, &c->tie_turns, ties, sizeof(int32_t), "ties"));
  IG_TRY(ig_array_new(cx, &c->carry_first, nodes + 2, sizeof(int32_t), "ties"));
  IG_TRY(ig_array_new(cx, &c->carry, 3 * ties, sizeof(int32_t), "ties"));
  /* first[n + 1] begins as the start of n's list and ends as its end: a counting sort in place */
  int32_t *to = c->tie_to.host, *first = c->carry_first.host, *carry = c->carry.host;
  for (int32_t k = 0; k < m->p.ties.count; k++) {
    const int32_t w = ((const int32_t *)m->carried.tie_node.host)[k], t = l->p.ties.count;
    if (p->part.owner[w] != p->part.rank)
      continue;
    p->tie[l->p.ties.count++] = k;
    ((int32_t *)c->tie_node.host)[t] = p->part.local[w];
    for (int a = 0; a < 3; a++) {
      to[3 * t + a] = p->part.local[((const int32_t *)m->carried.tie_to.host)[3 * k + a]];
      ((double *)c->tie_share.host)[3 * t + a] =
          ((const double *)m->carried.tie_share.host)[3 * k + a];
      first[to[3 * t + a] + 2]++;
    }
  }
  for (size_t n = 0; n < nodes; n++) /* first[n + 1] moves on to the end of n */
    first[n + 2] += first[n + 1];
  for (int32_t i = 0; i < 3 * l->p.ties.count; i++)
    carry[first[to[i] + 1]++] = i;
  ig_array *const all[] = {&c->tie_node, &c->tie_to, &c->tie_share, &c->carry_first, &c->carry};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    IG_TRY(ig_array_push(cx, all[i]));
  return IG_OK;
}

/* Triangles of surfaces with a corner of this rank, in numbers of the part; those behind what may
   erode where they may be laid open. */
static ig_status skin_make(ig_dyn_model *m) {
  const ig_partition *p = &m->division->part;
  const ig_dyn_touching *from = &m->contact;
  ig_dyn_touching *to = &m->division->local->contact;
  const int64_t count = m->p.erosion.alive ? from->skins : from->outer;
  int64_t own = 0;
  for (int pass = 0; pass < 2 && from->skin; pass++) {
    if (pass)
      IG_TRY(IG_NEW(m->cx, &to->skin, 3 * (size_t)own + 1, "surfaces"));
    for (int64_t k = own = 0; k < count; k++) {
      const int32_t *node = from->skin + 3 * k;
      /* triangles of the whole at whose corners this rank has a particle */
      if (p->owner[node[0]] != p->rank && p->owner[node[1]] != p->rank &&
          p->owner[node[2]] != p->rank)
        continue;
      for (int i = 0; i < 3 && pass; i++)
        to->skin[3 * own + i] = p->local[node[i]];
      own++;
    }
  }
  to->skins = to->outer = own;
  return IG_OK;
}

/* Ghosts count as carried: their owners move them, and particle_step passes them over here. */
static ig_status carried_make(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  ig_dyn_model *l = p->local;
  IG_TRY(ig_array_new(m->cx, &l->carried.bound, (size_t)l->p.nodes + 1, sizeof(int32_t), "ghosts"));
  int32_t *bound = l->carried.bound.host;
  IG_TRY(bodies_make(m, bound));
  IG_TRY(ties_make(m));
  for (int32_t n = 0; n < l->p.nodes; n++)
    if (p->part.ghost[n])
      bound[n] = -1;
  for (int32_t k = 0; k < l->p.ties.count; k++)
    bound[((const int32_t *)l->carried.tie_node.host)[k]] = -1;
  return ig_array_push(m->cx, &l->carried.bound);
}

/* What kernels see. Motions, histories and tools are the whole model's. */
static void view_make(ig_dyn_model *m) {
  ig_dyn_model *l = m->division->local;
  ig_dyn_particles *p = &l->p;
  const ig_dyn_carried *c = &l->carried;
  p->x = l->x.dev, p->v = l->v.dev, p->f = l->f.dev, p->load = l->load.dev;
  p->mass = l->mass.dev, p->inertia = l->inertia.dev, p->work = l->work.dev;
  p->clock = l->clock.dev;
  p->loads.heavy = l->heavy.dev;
  p->held.move = l->held.move.dev;
  p->loads.node = l->loading.loaded_node.dev;
  p->loads.force_start = l->loading.force_start.dev,
  p->loads.face_start = l->loading.face_start.dev;
  p->loads.force = l->loading.force.dev, p->loads.face = l->loading.face.dev;
  p->press = l->contact.press.dev;
  p->bound = c->bound.dev;
  p->bodies.of = c->body.dev, p->bodies.node = c->body_node.dev;
  p->bodies.arm = c->body_arm.dev, p->bodies.pull = c->body_pull.dev;
  p->ties.node = c->tie_node.dev, p->ties.to = c->tie_to.dev;
  p->ties.share = c->tie_share.dev, p->ties.turns = c->tie_turns.dev;
  p->ties.carry_first = c->carry_first.dev, p->ties.carry = c->carry.dev;
  p->slots.first = l->slot_first.dev, p->slots.value = l->slots.dev;
}

/* --- who has what */

/* Own particles, for gathering; the collect takes `mine`. */
static ig_status nodes_collect(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  int32_t *mine;
  int64_t own = 0;
  IG_TRY(IG_NEW(m->cx, &mine, (size_t)p->part.mesh->nodes + 1, "own particles"));
  for (ig_lid n = 0; n < p->part.mesh->nodes; n++)
    if (!p->part.ghost[n])
      mine[own++] = n;
  return ig_collect_new(m->cx, &p->part, p->part.owner, m->p.nodes, mine, own, &p->nodes);
}

/* Own elements by mesh order; elements at the border belong to one rank (ig_owner_of), although
   several compute them. */
static ig_status cells_collect(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  const ig_lid count = ig_mesh_elements(m->mesh);
  int32_t *owner, *mine = NULL;
  int64_t own = 0;
  IG_TRY(IG_NEW(m->cx, &owner, (size_t)count + 1, "owners"));
  ig_status status = IG_NEW(m->cx, &mine, (size_t)count + 1, "own elements");
  ig_lid e = 0;
  for (int b = 0; b < m->mesh->blocks && status == IG_OK; b++) {
    const int npe = ig_elem_info_get(m->mesh->block[b].type)->nodes;
    for (ig_lid i = 0; i < m->mesh->block[b].count; i++, e++) {
      owner[e] = ig_owner_of(p->part.owner, m->mesh->block[b].conn + (int64_t)i * npe, npe);
      if (owner[e] == p->part.rank)
        mine[own++] = ig_partition_element(&p->part, e);
    }
  }
  if (status == IG_OK) {
    int32_t *fits = realloc(mine, ((size_t)own + 1) * sizeof *fits); /* it had room for all */
    status = ig_collect_new(m->cx, &p->part, owner, count, fits ? fits : mine, own, &p->cells);
  }
  free(owner);
  return status;
}

/* Own slots of group k in the order of the whole, for states and sums. */
static ig_status group_collect(ig_dyn_model *m, int k) {
  ig_dyn_part *p = m->division;
  const ig_dyn_group *whole = &m->group[k], *g = &p->local->group[k];
  const int npe = whole->g_f64.npe;
  int32_t *owner, *mine = NULL;
  ig_lid *order = NULL;
  int64_t own = 0;
  IG_TRY(IG_NEW(m->cx, &owner, (size_t)whole->count + 1, "owners"));
  ig_status status = IG_NEW(m->cx, &mine, (size_t)g->count + 1, "own elements");
  for (ig_lid s = 0; s < whole->count && status == IG_OK; s++)
    owner[s] = ig_owner_of(p->part.owner, (const ig_lid *)whole->conn.host + (int64_t)s * npe, npe);
  if (status == IG_OK)
    status = ig_dyn_slots_ordered(m, k, &order);
  for (ig_lid i = 0; i < g->count && status == IG_OK; i++)
    if (g->element[order[i]] >= 0)
      mine[own++] = order[i];
  free(order);
  if (status == IG_OK)
    status = ig_collect_new(m->cx, &p->part, owner, whole->count, mine, own, &p->group[k]);
  free(owner);
  return status;
}

/* Particles of bodies, one body after the other. */
static ig_status arms_collect(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  int32_t *owner, *mine = NULL;
  int64_t count = 0, own = 0;
  if (m->p.bodies.count == 0)
    return IG_OK;
  for (int k = 0; k < m->p.bodies.count; k++)
    count += ((const ig_dyn_body *)m->carried.body.host)[k].count;
  IG_TRY(IG_NEW(m->cx, &owner, (size_t)count + 1, "owners"));
  ig_status status = IG_NEW(m->cx, &mine, (size_t)count + 1, "own particles");
  for (int64_t i = 0; i < count && status == IG_OK; i++) {
    owner[i] = p->part.owner[((const int32_t *)m->carried.body_node.host)[i]];
    if (owner[i] == p->part.rank) {
      mine[own] = (int32_t)own; /* bodies of the part stand in the order of the whole */
      own++;
    }
  }
  if (status == IG_OK)
    status = ig_collect_new(m->cx, &p->part, owner, count, mine, own, &p->arms);
  free(owner);
  return status;
}

/* --- all of it */

/* The local model shares ops, case and context with the whole, and histories, motions and tools
   by pointer (l->p is a copy of m->p; view_make replaces what is the part's own). */
static ig_status local_make(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  ig_dyn_model *l;
  IG_TRY(IG_NEW(m->cx, &l, 1, "part of a rank"));
  p->local = l;
  l->cx = m->cx;
  l->mesh = p->part.mesh;
  l->c = m->c;
  l->precision = m->precision;
  l->assembly = m->assembly;
  l->ops = m->ops;
  l->part = m->part;
  l->in_turn = true;
  l->p = m->p;
  l->p.nodes = p->part.mesh->nodes;
  IG_TRY(groups_make(m));
  IG_TRY(particle_arrays(m));
  IG_TRY(ig_dyn_part_loads(m));
  IG_TRY(carried_make(m));
  IG_TRY(skin_make(m));
  view_make(m);
  return ig_dyn_part_contact(m);
}

ig_status ig_dyn_part_whole(ig_dyn_model *m) {
  IG_TRY(IG_NEW(m->cx, &m->division, 1, "part of a rank"));
  m->division->local = m;
  m->division->part.ranks = 1;
  return IG_OK;
}

/* Collective. On failure the caller frees the model, with what was made of the part. */
ig_status ig_dyn_part_new(ig_dyn_model *m) {
  if (ig_ranks_count(m->cx->ranks) == 1)
    return IG_OK;
  ig_dyn_part *p = m->division;
  int32_t *owner;
  IG_TRY(ig_divide_check(m->cx, m->assembly));
  IG_TRY(ig_partition_owners(m->cx, m->mesh, IG_DIVIDE_CURVE, &owner));
  const ig_status joined = owners_join(m, owner);
  if (joined != IG_OK)
    free(owner);
  IG_TRY(joined);
  IG_TRY(ig_partition_of(m->cx, m->mesh, owner, &p->part));
  IG_TRY(ig_dyn_part_ghosts(m));
  IG_TRY(local_make(m));
  IG_TRY(ig_dyn_part_travel(m));
  IG_TRY(nodes_collect(m));
  IG_TRY(cells_collect(m));
  IG_TRY(IG_NEW(m->cx, &p->group, (size_t)m->groups + 1, "groups"));
  for (int k = 0; k < m->groups; k++)
    IG_TRY(group_collect(m, k));
  IG_TRY(arms_collect(m));
  /* statics may ask for loose parts later, when the whole mesh is gone */
  for (int i = 0; i < m->c->analysis.count; i++)
    if (IG_ITEM(const ig_dyn_analysis, m->c->analysis, i)->kind == IG_ANALYSIS_STATIC)
      IG_TRY(ig_dyn_loose_new(m));
  return ig_dyn_part_begin(m);
}

static void nodes_free(ig_dyn_model *m) {
  for (ig_dyn_nodes *made = m->made, *next; made; made = next) {
    next = made->next;
    free(made->set.item);
    free(made);
  }
  m->made = NULL;
}

/* Called once all is set up: every rank frees the whole model's arrays, sets, elements.
   Checkpoints and output work from the part from now on. */
void ig_dyn_part_keep(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  ig_dyn_carried *c = &m->carried;
  if (ig_dyn_alone(m))
    return;
  ig_partition_release_global(&p->part);
  ig_collect *const sets[] = {&p->nodes, &p->cells, &p->arms};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    ig_collect_drop_index(m->cx, sets[i]);
  ig_array *const whole[] = {&m->x,
                             &m->v,
                             &m->f,
                             &m->load,
                             &m->mass,
                             &m->inertia,
                             &m->heavy,
                             &m->work,
                             &m->x_start,
                             &m->scratch,
                             &m->partial,
                             &m->slots,
                             &m->slot_first,
                             &m->held.move,
                             &m->contact.press,
                             &c->bound,
                             &c->body_node,
                             &c->body_arm,
                             &c->body_pull,
                             &c->tie_node,
                             &c->tie_to,
                             &c->tie_share,
                             &c->tie_turns,
                             &c->carry_first,
                             &c->carry,
                             &m->contact.alive};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    ig_array_free(m->cx, whole[i]);
  ig_dyn_touching_free(m->cx, &m->contact);
  for (int k = 0; k < m->groups; k++) {
    ig_dyn_group *g = &m->group[k];
    ig_collect_drop_index(m->cx, &p->group[k]);
    ig_array_free(m->cx, &g->conn);
    ig_array_free(m->cx, &g->ids);
    ig_array_free(m->cx, &g->slot);
    ig_array_free(m->cx, &g->state);
    free(g->element);
    g->element = NULL;
  }
  ig_dyn_part_loads_drop(m);
  nodes_free(m);
  free(m->fault_ids);
  free(m->x0);
  free(m->weight.mass);
  free(m->weight.inertia);
  free(m->weight.added);
  free(m->weight.heavy);
  m->fault_ids = NULL;
  m->x0 = m->weight.mass = m->weight.inertia = m->weight.added = m->weight.heavy = NULL;
}

/* Frees the part and, on several ranks, its local model. */
void ig_dyn_part_free(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  if (!p)
    return;
  ig_dyn_part_contact_free(m);
  ig_dyn_part_ghosts_free(p);
  ig_array_free(m->cx, &p->shift);
  if (p->local != m)
    ig_dyn_model_release(p->local);
  ig_halo_free(m->cx, &p->halo);
  ig_collect_free(&p->nodes);
  ig_collect_free(&p->cells);
  ig_collect_free(&p->arms);
  for (int k = 0; k < m->groups; k++) {
    if (p->group)
      ig_collect_free(&p->group[k]);
    if (p->slot)
      free(p->slot[k]);
  }
  free(p->group);
  free(p->slot);
  free(p->body_owner);
  free(p->body);
  free(p->tie);
  ig_partition_free(&p->part);
  free(p);
  m->division = NULL;
}
