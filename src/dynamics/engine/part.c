/* Dividing a model between ranks: the part's particles, elements, loads, bodies and ties, taken
   from the whole model, so that both start with the same numbers.

   Every rank has built the whole model. ig_dyn_part_new divides the particles along a
   space-filling curve, moves owners together for bodies and ties, makes the part (part_make), the
   lists of owners (collects, for output and sums in the order of the whole) and its arrays
   (arrays.c). ig_dyn_part_keep then frees the whole model.

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
  const ig_block *b = ig_dyn_block_of(m->division->whole->mesh, element, &local);
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
  const ig_dyn_model *w = m->division->whole;
  ig_dyn_part *p = m->division;
  const ig_dyn_group *from = &w->group[k];
  ig_dyn_group *g = &m->group[k];
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
  const ig_dyn_group *g = &m->group[k];
  ig_lid a = g->begin[0], b = g->begin[1];
  IG_TRY(IG_NEW(m->cx, order, (size_t)g->count + 1, "elements of a part"));
  for (ig_lid i = 0; i < g->count; i++)
    (*order)[i] = a < g->end[0] && (b >= g->end[1] || whole[a] < whole[b]) ? a++ : b++;
  return IG_OK;
}

/* Group k of the part: elements, connectivity in numbers of the part, space for state. `first`
   is its place in the count of slots of all groups. */
static ig_status group_make(ig_dyn_model *m, int k, ig_lid first) {
  const ig_dyn_model *w = m->division->whole;
  ig_dyn_part *p = m->division;
  ig_ctx *cx = m->cx;
  const ig_dyn_group *from = &w->group[k];
  ig_dyn_group *g = &m->group[k];
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
  for (ig_lid s = 0; s < g->slots; s++) {
    const ig_lid at = p->slot[k][s];
    const ig_lid *conn = (const ig_lid *)from->conn.host + (int64_t)at * npe;
    const bool pad = is_pad(g, s), own = ig_owner_of(p->part.owner, conn, npe) == p->part.rank;
    g->element[s] = own && !pad ? from->element[at] : -1;
    ((ig_lid *)g->ids.host)[s] = pad ? -1 : ig_partition_element(&p->part, from->element[at]);
    /* the whole's connectivity in numbers of the part: all corners are there, as own or ghosts */
    for (int a = 0; a < npe; a++)
      ((int32_t *)g->conn.host)[(int64_t)s * npe + a] = p->part.local[conn[a]];
  }
  IG_TRY(ig_array_push(cx, &g->ids));
  IG_TRY(ig_array_push(cx, &g->conn));
  g->g_f64.first = g->g_f32.first = first;
  g->g_f64.count = g->g_f32.count = g->slots;
  return IG_OK;
}

/* As ig_dyn_slots_new, in the order of the whole. */
static ig_status slots_make(ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  ig_ctx *cx = m->cx;
  ig_slot_block *block = NULL;
  ig_lid **order = NULL;
  int64_t total = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &block, (size_t)m->groups + 1, "slots"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &order, (size_t)m->groups + 1, "slots"));
  for (int k = 0; k < m->groups; k++) {
    ig_dyn_group *g = &m->group[k];
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
              ig_array_new(cx, &m->slot_first, (size_t)m->p.nodes + 1, sizeof(int32_t), "slots"));
  IG_TRY_GOTO(status, done, ig_slots_number(cx, m->p.nodes, m->groups, block, m->slot_first.host));
  for (int k = 0; k < m->groups; k++) {
    ig_dyn_group *g = &m->group[k];
    const int npe = g->g_f64.npe;
    IG_TRY_GOTO(
        status, done,
        ig_array_new(cx, &g->slot, (size_t)g->slots * (size_t)npe + 1, sizeof(int32_t), "slots"));
    for (int64_t i = 0; i < (int64_t)g->count * npe; i++)
      ((int32_t *)g->slot.host)[(int64_t)order[k][i / npe] * npe + i % npe] = block[k].slot[i];
    IG_TRY_GOTO(status, done, ig_array_push(cx, &g->slot));
  }
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->slot_first));
  status =
      ig_dyn_upload(m, &m->slots, w->part, NULL, (size_t)total * (size_t)w->p.dofs + 1, "slots");
done:
  for (int k = 0; k < w->groups; k++) {
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
  const ig_dyn_model *w = m->division->whole;
  ig_dyn_part *p = m->division;
  IG_TRY(IG_NEW(m->cx, &m->group, (size_t)w->groups + 1, "groups"));
  IG_TRY(IG_NEW(m->cx, &p->slot, (size_t)w->groups + 1, "groups"));
  size_t space = (size_t)m->division->part.mesh->nodes * IG_DYN_PARTICLE_ENERGIES + 1;
  ig_lid all = 0;
  for (m->groups = 0; m->groups < w->groups; m->groups++) {
    IG_TRY(group_make(m, m->groups, all));
    const ig_dyn_group *g = &m->group[m->groups];
    all += g->slots;
    if (space < (size_t)g->slots * IG_DYN_REPORT)
      space = (size_t)g->slots * IG_DYN_REPORT;
  }
  IG_TRY(ig_array_new_device(m->cx, &m->scratch, space, sizeof(double), "reports"));
  IG_TRY(IG_NEW(m->cx, &m->fault_ids, (size_t)all + 1, "element numbers"));
  for (int k = 0; k < m->groups; k++)
    for (ig_lid s = 0; s < m->group[k].slots; s++) {
      const ig_lid e = ((const ig_lid *)m->group[k].ids.host)[s];
      m->fault_ids[m->group[k].g_f64.first + s] = e < 0 ? -1 : p->part.element[e];
    }
  if (w->contact.alive.count) {
    const size_t count = (size_t)ig_mesh_elements(p->part.mesh) + 1;
    IG_TRY(ig_array_new(m->cx, &m->contact.alive, count, 1, "elements that hold"));
    memset(m->contact.alive.host, 1, count);
    IG_TRY(ig_array_push(m->cx, &m->contact.alive));
  }
  return slots_make(m);
}

/* --- particles and what acts on them */

/* Masses and positions on the host, in double precision. */
static ig_status doubles_take(ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  const double *const from[] = {w->weight.mass, w->weight.inertia, w->weight.added, w->weight.heavy,
                                w->x0};
  double **const to[] = {&m->weight.mass, &m->weight.inertia, &m->weight.added, &m->weight.heavy,
                         &m->x0};
  for (int i = 0; i < 5; i++) {
    const int64_t width = i == 4 ? 3 : 1;
    IG_TRY(IG_NEW(m->cx, to[i], (size_t)(width * m->p.nodes) + 1, "masses and positions"));
    for (int64_t n = 0; n < m->p.nodes; n++)
      memcpy(*to[i] + width * n, from[i] + width * m->division->part.node[n],
             (size_t)width * sizeof **to[i]);
  }
  return IG_OK;
}

/* Bodies that this rank owns. A body has one owner, with all its particles (owners_join), so
   that its sums need no messages. */
static ig_status bodies_make(ig_dyn_model *m, int32_t *bound) {
  const ig_dyn_model *w = m->division->whole;
  ig_dyn_part *p = m->division;
  ig_ctx *cx = m->cx;
  const size_t bodies = (size_t)w->p.bodies.count;
  int32_t count = 0;
  m->p.bodies.count = 0;
  if (bodies == 0)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &p->body_owner, bodies, "bodies"));
  IG_TRY(IG_NEW(cx, &p->body, bodies, "bodies"));
  IG_TRY(IG_NEW(cx, &p->bodies, bodies, "bodies"));
  memcpy(p->bodies, w->carried.body.host, bodies * sizeof *p->bodies);
  /* room for all bodies: this rank may own any of them */
  IG_TRY(ig_array_new(cx, &m->carried.body, bodies, sizeof(ig_dyn_body), "bodies"));
  IG_TRY(
      ig_array_new(cx, &m->carried.body_node, (size_t)m->p.nodes + 1, sizeof(int32_t), "bodies"));
  for (int k = 0; k < w->p.bodies.count; k++) {
    const ig_dyn_body *from = (const ig_dyn_body *)w->carried.body.host + k;
    const int32_t *node = (const int32_t *)w->carried.body_node.host + from->first;
    p->body_owner[k] = p->part.owner[node[0]];
    if (p->body_owner[k] != p->part.rank)
      continue;
    ((ig_dyn_body *)m->carried.body.host)[m->p.bodies.count].first = count;
    p->body[m->p.bodies.count++] = k;
    for (int32_t i = 0; i < from->count; i++) {
      const int32_t n = p->part.local[node[i]];
      ((int32_t *)m->carried.body_node.host)[count++] = n;
      bound[n] = count;
    }
  }
  IG_TRY(ig_array_new_device(cx, &m->carried.body_pull, ((size_t)count + 1) * IG_DYN_PULL,
                             sizeof(double), "bodies"));
  return ig_array_push(cx, &m->carried.body_node);
}

/* Ties of particles that this rank owns, and for each particle those that it carries. */
static ig_status ties_make(ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  ig_dyn_part *p = m->division;
  ig_dyn_carried *c = &m->carried;
  ig_ctx *cx = m->cx;
  const size_t ties = (size_t)w->p.ties.count, nodes = (size_t)m->p.nodes;
  m->p.ties.count = 0;
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
  for (int32_t k = 0; k < w->p.ties.count; k++) {
    const int32_t n = ((const int32_t *)w->carried.tie_node.host)[k], t = m->p.ties.count;
    if (p->part.owner[n] != p->part.rank)
      continue;
    p->tie[m->p.ties.count++] = k;
    ((int32_t *)c->tie_node.host)[t] = p->part.local[n];
    for (int a = 0; a < 3; a++) {
      to[3 * t + a] = p->part.local[((const int32_t *)w->carried.tie_to.host)[3 * k + a]];
      ((double *)c->tie_share.host)[3 * t + a] =
          ((const double *)w->carried.tie_share.host)[3 * k + a];
      first[to[3 * t + a] + 2]++;
    }
  }
  for (size_t n = 0; n < nodes; n++) /* first[n + 1] moves on to the end of n */
    first[n + 2] += first[n + 1];
  for (int32_t i = 0; i < 3 * m->p.ties.count; i++)
    carry[first[to[i] + 1]++] = i;
  ig_array *const all[] = {&c->tie_node, &c->tie_to, &c->tie_share, &c->carry_first, &c->carry};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    IG_TRY(ig_array_push(cx, all[i]));
  return IG_OK;
}

/* Triangles of surfaces with a corner of this rank, in numbers of the part; those behind what may
   erode where they may be laid open. */
static ig_status skin_make(ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  const ig_partition *p = &m->division->part;
  const ig_dyn_touching *from = &w->contact;
  ig_dyn_touching *to = &m->contact;
  const int64_t count = w->p.erosion.alive ? from->skins : from->outer;
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
  IG_TRY(ig_array_new(m->cx, &m->carried.bound, (size_t)m->p.nodes + 1, sizeof(int32_t), "ghosts"));
  int32_t *bound = m->carried.bound.host;
  IG_TRY(bodies_make(m, bound));
  IG_TRY(ties_make(m));
  for (int32_t n = 0; n < m->p.nodes; n++)
    if (p->part.ghost[n])
      bound[n] = -1;
  for (int32_t k = 0; k < m->p.ties.count; k++)
    bound[((const int32_t *)m->carried.tie_node.host)[k]] = -1;
  return ig_array_push(m->cx, &m->carried.bound);
}

/* What kernels see, but for registered arrays. Motions, histories and tools are those of the whole
   (shared_take). */
static void view_make(ig_dyn_model *m) {
  ig_dyn_particles *p = &m->p;
  const ig_dyn_carried *c = &m->carried;
  p->clock = m->clock.dev;
  p->loads.node = m->loading.loaded_node.dev;
  p->loads.force_start = m->loading.force_start.dev,
  p->loads.face_start = m->loading.face_start.dev;
  p->loads.force = m->loading.force.dev, p->loads.face = m->loading.face.dev;
  p->bound = c->bound.dev;
  p->bodies.of = c->body.dev, p->bodies.node = c->body_node.dev, p->bodies.pull = c->body_pull.dev;
  p->ties.node = c->tie_node.dev, p->ties.to = c->tie_to.dev;
  p->ties.share = c->tie_share.dev, p->ties.turns = c->tie_turns.dev;
  p->ties.carry_first = c->carry_first.dev, p->ties.carry = c->carry.dev;
  p->slots.first = m->slot_first.dev, p->slots.value = m->slots.dev;
  if (p->erosion.alive)
    p->erosion.alive = m->contact.alive.dev;
}

/* --- owners of items */

/* Own particles, for gathering; the collect takes `mine`. */
static ig_status nodes_collect(ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  ig_dyn_part *p = m->division;
  int32_t *mine;
  int64_t own = 0;
  IG_TRY(IG_NEW(m->cx, &mine, (size_t)p->part.mesh->nodes + 1, "own particles"));
  for (ig_lid n = 0; n < p->part.mesh->nodes; n++)
    if (!p->part.ghost[n])
      mine[own++] = n;
  return ig_collect_new(m->cx, &p->part, p->part.owner, w->p.nodes, mine, own, &p->nodes);
}

/* Own elements by mesh order; elements at the border belong to one rank (ig_owner_of), although
   several compute them. */
static ig_status cells_collect(ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  ig_dyn_part *p = m->division;
  const ig_lid count = ig_mesh_elements(w->mesh);
  int32_t *owner, *mine = NULL;
  int64_t own = 0;
  IG_TRY(IG_NEW(m->cx, &owner, (size_t)count + 1, "owners"));
  ig_status status = IG_NEW(m->cx, &mine, (size_t)count + 1, "own elements");
  ig_lid e = 0;
  for (int b = 0; b < w->mesh->blocks && status == IG_OK; b++) {
    const int npe = ig_elem_info_get(w->mesh->block[b].type)->nodes;
    for (ig_lid i = 0; i < w->mesh->block[b].count; i++, e++) {
      owner[e] = ig_owner_of(p->part.owner, w->mesh->block[b].conn + (int64_t)i * npe, npe);
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
  const ig_dyn_model *w = m->division->whole;
  ig_dyn_part *p = m->division;
  const ig_dyn_group *whole = &w->group[k], *g = &m->group[k];
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
  const ig_dyn_model *w = m->division->whole;
  ig_dyn_part *p = m->division;
  int32_t *owner, *mine = NULL;
  int64_t count = 0, own = 0;
  if (w->p.bodies.count == 0)
    return IG_OK;
  for (int k = 0; k < w->p.bodies.count; k++)
    count += ((const ig_dyn_body *)w->carried.body.host)[k].count;
  IG_TRY(IG_NEW(m->cx, &owner, (size_t)count + 1, "owners"));
  ig_status status = IG_NEW(m->cx, &mine, (size_t)count + 1, "own particles");
  for (int64_t i = 0; i < count && status == IG_OK; i++) {
    owner[i] = p->part.owner[((const int32_t *)w->carried.body_node.host)[i]];
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

/* Case, context and kernels are those of the whole. m->p is a copy of the whole's, in which
   view_make replaces what is the part's own. */
static ig_status part_make(ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  m->cx = w->cx;
  m->mesh = m->division->part.mesh;
  m->c = w->c;
  m->precision = w->precision;
  m->assembly = w->assembly;
  m->ops = w->ops;
  m->part = w->part;
  m->unbalance = w->unbalance;
  m->pairs.why = w->pairs.why;
  m->p = w->p;
  m->p.nodes = m->mesh->nodes;
  m->contact.margin = w->contact.margin;
  m->weight.total = w->weight.total;
  m->weight.touch = w->weight.touch;
  IG_TRY(groups_make(m));
  IG_TRY(ig_array_from(m->cx, &m->clock, w->clock.host, 1, sizeof(ig_dyn_clock), "clock"));
  IG_TRY(doubles_take(m));
  IG_TRY(ig_dyn_part_loads(m));
  IG_TRY(carried_make(m));
  IG_TRY(skin_make(m));
  view_make(m);
  return ig_dyn_part_contact(m);
}

/* Motions, histories and tools belong to all ranks alike: the part takes them over. */
static void shared_take(ig_dyn_model *m) {
  ig_dyn_model *w = m->division->whole;
  ig_array *const from[] = {&w->held.motion, &w->held.history_x, &w->held.history_y,
                            &w->loading.tool},
                  *const to[] = {&m->held.motion, &m->held.history_x, &m->held.history_y,
                                 &m->loading.tool};
  for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
    *to[i] = *from[i];
    *from[i] = (ig_array){0};
  }
}

/* Who owns which particle; those of a body or a tie have one owner. */
static ig_status owners_find(ig_dyn_model *w, ig_partition *part) {
  int32_t *owner;
  IG_TRY(ig_partition_owners(w->cx, w->mesh, IG_DIVIDE_CURVE, &owner));
  const ig_status joined = owners_join(w, owner);
  if (joined != IG_OK)
    free(owner);
  IG_TRY(joined);
  return ig_partition_of(w->cx, w->mesh, owner, part);
}

static ig_status divide(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  ig_dyn_model *w = p->whole;
  IG_TRY(owners_find(w, &p->part));
  IG_TRY(ig_dyn_part_ghosts(m));
  IG_TRY(part_make(m));
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
      IG_TRY(ig_dyn_loose_new(w));
  IG_TRY(ig_dyn_loose_take(m));
  IG_TRY(ig_dyn_arrays_new(m));
  shared_take(m);
  return ig_dyn_part_begin(m);
}

ig_status ig_dyn_part_whole(ig_dyn_model *m) {
  IG_TRY(IG_NEW(m->cx, &m->division, 1, "part of a rank"));
  m->division->part.ranks = 1;
  return IG_OK;
}

/* Collective. On failure the caller frees *m, with what was made of the part. */
ig_status ig_dyn_part_new(ig_dyn_model **m) {
  ig_dyn_model *whole = *m, *part;
  if (ig_ranks_count(whole->cx->ranks) == 1)
    return IG_OK;
  IG_TRY(ig_divide_check(whole->cx, whole->assembly));
  IG_TRY(IG_NEW(whole->cx, &part, 1, "part of a rank"));
  part->cx = whole->cx;
  const ig_status status = ig_dyn_part_whole(part);
  if (status != IG_OK) {
    ig_dyn_model_release(part);
    return status;
  }
  part->division->whole = whole;
  *m = part;
  return divide(part);
}

/* Called once all is set up. Output and checkpoints work from the part from now on. */
void ig_dyn_part_keep(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  if (ig_dyn_alone(m))
    return;
  ig_partition_release_global(&p->part);
  ig_collect *const sets[] = {&p->nodes, &p->cells, &p->arms};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    ig_collect_drop_index(m->cx, sets[i]);
  for (int k = 0; k < m->groups; k++)
    ig_collect_drop_index(m->cx, &p->group[k]);
  ig_dyn_model_free(p->whole);
  p->whole = NULL;
}

/* Takes NULL. The whole goes with its part. */
void ig_dyn_model_free(ig_dyn_model *m) {
  ig_dyn_part *p = m ? m->division : NULL;
  if (p) {
    ig_dyn_model_free(p->whole);
    ig_dyn_part_contact_free(m);
    ig_dyn_part_ghosts_free(p);
    ig_array_free(m->cx, &p->shift);
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
    free(p->bodies);
    free(p->body_owner);
    free(p->body);
    free(p->tie);
    ig_partition_free(&p->part);
    free(p);
  }
  ig_dyn_model_release(m);
}
