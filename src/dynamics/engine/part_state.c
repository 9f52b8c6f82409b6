/* A divided model: its steps; its state from the whole at the start, to a checkpoint and from
   one.

   A step of a part:

     part_ready ─► move ─► watch ─► halo start ─► elements without ghosts ─► halo finish ─►
       shift ghosts by their velocities ─► elements at the border */
#include "dynamics/model/part.h"
#include "backend/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- steps */

/* A rank that fails goes on exchanging, for the others wait for it; all learn of it when they meet
   after the steps. */
static ig_status steps_take(ig_dyn_model *m, int64_t steps) {
  ig_dyn_part *p = m->division;
  ig_status status = IG_OK;
  for (int64_t i = 0; i < steps; i++) {
    status = ig_dyn_part_ready(m, status);
    if (status == IG_OK)
      status = ig_dyn_move(m);
    if (status == IG_OK)
      status = ig_dyn_part_watch(m);
    /* places of carried particles travel in the same message, after the velocities (split) */
    const ig_halo_array ghosts[] = {{m->v.dev, 3 * m->part}, {m->x.dev, 3 * m->part}};
    status = ig_halo_start(m->cx, &p->halo, ghosts, 2, status);
    if (status == IG_OK)
      status = ig_dyn_forces_some(m, 0, 1); /* without ghosts, while these travel */
    status = ig_halo_finish(m->cx, &p->halo, ghosts, 2, status);
    if (status == IG_OK && m->p.own.shifts)
      status = m->ops->shift(m->cx, &m->p);
    if (status == IG_OK)
      status = ig_dyn_forces_some(m, 1, 2);
  }
  return status;
}

ig_status ig_dyn_part_advance(ig_dyn_model *m, int64_t steps) {
  IG_TRY(ig_ranks_agree(m->cx, IG_OK)); /* from here on each waits for the others */
  return steps_take(m, steps);
}

/* --- bodies: computed by their owner; the table of all of them follows by gather */

/* All but where its particles stand, which is other in the part than in the whole. */
static void body_copy(ig_dyn_body *to, const ig_dyn_body *from) {
  const int32_t first = to->first;
  *to = *from;
  to->first = first;
}

ig_status ig_dyn_bodies_share(ig_dyn_model *m, ig_status status, void *rows, size_t size) {
  status = ig_dyn_agree(m, status);
  for (int k = 0; k < m->c->bodies.count && status == IG_OK && !ig_dyn_alone(m); k++)
    status =
        ig_ranks_bcast(m->cx, m->division->body_owner[k], (char *)rows + (size_t)k * size, size);
  return status;
}

/* Collective: each body is sent by its owner, so that energies and checkpoints have all of them. */
ig_status ig_dyn_bodies_gather(ig_dyn_model *m, ig_status status) {
  ig_dyn_part *p = m->division;
  ig_dyn_body *all = ig_dyn_bodies_all(m);
  if (status == IG_OK && m->p.bodies.count)
    status = ig_array_pull(m->cx, &m->carried.body);
  for (int k = 0; k < m->p.bodies.count && status == IG_OK && !ig_dyn_alone(m); k++)
    body_copy(&all[p->body[k]], (const ig_dyn_body *)m->carried.body.host + k);
  return ig_dyn_bodies_share(m, status, all, sizeof *all);
}

/* The reverse, after a restart or a change of masses. */
ig_status ig_dyn_bodies_take(ig_dyn_model *m) {
  const ig_dyn_part *p = m->division;
  ig_dyn_carried *c = &m->carried;
  for (int k = 0; k < m->p.bodies.count; k++)
    body_copy((ig_dyn_body *)c->body.host + k,
              (const ig_dyn_body *)ig_dyn_bodies_all(m) + p->body[k]);
  return m->p.bodies.count ? ig_array_push(m->cx, &c->body) : IG_OK;
}

/* Arms of own bodies from those of all, when the model begins or is restored. */
static ig_status arms_take(ig_dyn_model *m, const double *arms) {
  const ig_collect *c = &m->division->arms;
  ig_array *to = &m->carried.body_arm;
  const int32_t *place = c->whole; /* those of this rank: the first rank's come first */
  if (c->mine_count == 0)
    return IG_OK;
  for (int64_t i = 0; i < c->mine_count; i++)
    memcpy((double *)to->host + 3 * (int64_t)c->mine[i], arms + 3 * (int64_t)place[i],
           3 * sizeof *arms);
  return ig_array_push(m->cx, to);
}

/* --- arrays of particles */

/* Those that a checkpoint has. */
typedef struct {
  const char *name;
  ig_array *part;
  int numbers; /* per particle */
} kept;
enum { KEPT = 4 };

/* Names and widths are those of checkpoint.c. */
static void kept_list(ig_dyn_model *m, kept list[KEPT]) {
  list[0] = (kept){"x", &m->x, 3};
  list[1] = (kept){"v", &m->v, m->p.dofs};
  list[2] = (kept){"f", &m->f, m->p.pitch};
  list[3] = (kept){"work", &m->work, IG_WORKS};
}

/* Particles of the part, ghosts too, from those of the whole. */
static void particles_take(const ig_dyn_model *m, const void *whole, size_t size, void *part) {
  const ig_partition *p = &m->division->part;
  for (ig_lid n = 0; n < p->mesh->nodes; n++)
    memcpy((char *)part + (size_t)n * size, (const char *)whole + (size_t)p->node[n] * size, size);
}
static ig_status array_take(ig_dyn_model *m, const void *whole, ig_array *part, int numbers) {
  particles_take(m, whole, part->size * (size_t)numbers, part->host);
  return ig_array_push(m->cx, part);
}

/* Of `bytes` each: from the host's side of an array of the part, or of a plain one. */
typedef struct {
  const char *from;
  size_t bytes;
  int numbers;
  ig_stream_take *take;
  void *user;
} copying;
static void item_copy(void *user, int64_t item, void *row) {
  const copying *c = user;
  memcpy(row, c->from + (size_t)item * c->bytes, c->bytes);
}
static ig_status items_put(void *user, const void *rows, int64_t first, int64_t count) {
  const copying *c = user;
  (void)first;
  return c->take(c->user, rows, count * c->numbers);
}

/* Pulls an array of the part and hands its own rows to rank 0, in the order of the whole. */
static ig_status array_give(ig_dyn_model *m, const ig_collect *items, ig_array *part, int numbers,
                            ig_stream_take *take, void *user) {
  const ig_status pulled = ig_array_pull(m->cx, part);
  copying c = {part->host, part->size * (size_t)numbers, numbers, take, user};
  return ig_collect_rows(m->cx, items, c.bytes, item_copy, items_put, &c, pulled);
}

/* --- what elements remember */

/* Where the numbers of slot s begin, and how far they are apart: bytes. */
static size_t state_at(const ig_dyn_group *g, int64_t s) {
  const int64_t block = s / IG_DYN_BLOCK;
  return (size_t)(block * g->g_f64.states * IG_DYN_BLOCK + s % IG_DYN_BLOCK) * g->state.size;
}

/* The state of slot s of `states`, laid out as those of g, as a row; and back. */
static void state_read(const ig_dyn_group *g, const void *states, int64_t s, char *row) {
  const char *from = (const char *)states + state_at(g, s);
  for (int v = 0; v < g->g_f64.states; v++, row += g->state.size)
    memcpy(row, from + (size_t)v * IG_DYN_BLOCK * g->state.size, g->state.size);
}
static void state_write(const ig_dyn_group *g, void *states, int64_t s, const char *row) {
  char *to = (char *)states + state_at(g, s);
  for (int v = 0; v < g->g_f64.states; v++, row += g->state.size)
    memcpy(to + (size_t)v * IG_DYN_BLOCK * g->state.size, row, g->state.size);
}

/* States of the part's slots from those of the whole, pads too. */
static ig_status states_take(ig_dyn_model *m, int k, const void *states) {
  ig_dyn_group *g = &m->group[k];
  char *row;
  IG_TRY(ig_alloc(m->cx, (void **)&row, (size_t)g->g_f64.states + 1, g->state.size, "state"));
  for (ig_lid s = 0; s < g->slots; s++) {
    state_read(g, states, m->division->slot[k][s], row);
    state_write(g, g->state.host, s, row);
  }
  free(row);
  return ig_array_push(m->cx, &g->state);
}

/* Rows of slots, as the blocks that one rank has them in; the last one is filled up with the last
   element. */
typedef struct {
  ig_dyn_model *m;
  const ig_dyn_group *g;
  size_t row;
  char *block;
  int64_t count; /* elements of the group */
  ig_stream_take *take;
  void *user;
} packing;
static void state_row(void *user, int64_t slot, void *row) {
  const packing *p = user;
  state_read(p->g, p->g->state.host, slot, row);
}
/* Rows come in the order of the whole: a block goes out when its last lane is written. */
static ig_status states_put(void *user, const void *rows, int64_t first, int64_t count) {
  packing *p = user;
  const char *row = rows;
  for (int64_t i = 0; i < count; i++, row += p->row) {
    int64_t lane = (first + i) % IG_DYN_BLOCK;
    const bool last = first + i + 1 == p->count;
    do
      state_write(p->g, p->block, lane++, row);
    while (last && lane < IG_DYN_BLOCK);
    if (lane == IG_DYN_BLOCK)
      IG_TRY(p->take(p->user, p->block, (int64_t)IG_DYN_BLOCK * p->g->g_f64.states));
  }
  return IG_OK;
}

/* States of group k as one rank would have them, block by block, to `take` on rank 0. */
static ig_status states_give(ig_dyn_model *m, int k, ig_stream_take *take, void *user) {
  ig_dyn_group *g = &m->group[k];
  packing p = {m, g, (size_t)g->g_f64.states * g->state.size, NULL, g->whole, take, user};
  ig_status status = ig_array_pull(m->cx, &g->state);
  if (status == IG_OK)
    status = ig_alloc(m->cx, (void **)&p.block, IG_DYN_BLOCK, p.row, "element state");
  status = ig_collect_rows(m->cx, &m->division->group[k], p.row, state_row, states_put, &p, status);
  free(p.block);
  return status;
}

/* --- to a checkpoint and from one */

static ig_status relaxation_give(ig_dyn_model *m, ig_stream_take *take, void *user) {
  copying c = {(const char *)m->relax.was, 3 * sizeof(double), 3, take, user};
  for (int i = 0; i < IG_RELAX_ARRAYS; i++) {
    c.from = (const char *)(m->relax.was + (int64_t)i * 3 * m->p.nodes);
    IG_TRY(ig_collect_rows(m->cx, &m->division->nodes, c.bytes, item_copy, items_put, &c, IG_OK));
  }
  return IG_OK;
}

/* Brings the array of this name to rank 0, in pieces; collective. Names are those of
   checkpoint.c. */
ig_status ig_dyn_part_saved(ig_dyn_model *m, const char *name, ig_stream_take *take, void *user) {
  ig_dyn_part *p = m->division;
  kept list[KEPT];
  kept_list(m, list);
  for (int i = 0; i < KEPT; i++)
    if (strcmp(name, list[i].name) == 0)
      return array_give(m, &p->nodes, list[i].part, list[i].numbers, take, user);
  if (strcmp(name, "arms") == 0)
    return array_give(m, &p->arms, &m->carried.body_arm, 3, take, user);
  if (strcmp(name, "before") == 0)
    return array_give(m, &p->nodes, &m->contact.before, 3, take, user);
  if (strcmp(name, "contact") == 0)
    return ig_dyn_part_kept(m, take, user);
  if (strcmp(name, "relaxation") == 0)
    return relaxation_give(m, take, user);
  const int k = strncmp(name, "state", 5) == 0 ? atoi(name + 5) : m->groups;
  return k < m->groups ? states_give(m, k, take, user)
                       : IG_FAIL(m->cx, IG_ARG, "a checkpoint has no array '%s'", name);
}

/* After a state was set: forces are in f, and no other rank knows which elements of this one
   hold. */
static ig_status anew(ig_dyn_model *m) {
  m->fresh = true;
  m->division->fallen = -1;
  return m->cx->backend->sync(m->cx);
}

static ig_status contact_take(ig_dyn_model *m, const void *before, const double *remembered) {
  ig_dyn_kept_take(m, remembered);
  return array_take(m, before, &m->contact.before, 3);
}

/* From the whole model, which must still be there; ghosts get their values directly. */
ig_status ig_dyn_part_begin(ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  kept list[KEPT];
  kept_list(m, list);
  const void *const whole[KEPT] = {w->x.host, w->v.host, w->f.host, w->work.host};
  for (int i = 0; i < KEPT; i++)
    IG_TRY(array_take(m, whole[i], list[i].part, list[i].numbers));
  IG_TRY(array_take(m, w->mass.host, &m->mass, 1));
  IG_TRY(array_take(m, w->inertia.host, &m->inertia, 1));
  if (m->heavy.count)
    IG_TRY(array_take(m, w->heavy.host, &m->heavy, 1));
  particles_take(m, w->x0, 3 * sizeof(double), m->x0);
  const double *const from[] = {w->weight.mass, w->weight.inertia, w->weight.added,
                                w->weight.heavy};
  double *const to[] = {m->weight.mass, m->weight.inertia, m->weight.added, m->weight.heavy};
  for (int i = 0; i < 4; i++)
    particles_take(m, from[i], sizeof(double), to[i]);
  for (int32_t k = 0; k < m->p.ties.count; k++)
    ((int32_t *)m->carried.tie_turns.host)[k] =
        ((const int32_t *)w->carried.tie_turns.host)[m->division->tie[k]];
  if (m->p.ties.count)
    IG_TRY(ig_array_push(m->cx, &m->carried.tie_turns));
  if (w->p.bodies.count)
    IG_TRY(arms_take(m, w->carried.body_arm.host));
  IG_TRY(ig_dyn_bodies_take(m));
  if (ig_dyn_touches(m))
    IG_TRY(contact_take(m, w->contact.before.host, w->contact.kept.host));
  for (int k = 0; k < m->groups; k++)
    IG_TRY(states_take(m, k, w->group[k].state.host));
  return anew(m);
}

static ig_status relaxation_take(ig_dyn_model *m, const double *was) {
  for (int64_t i = 0; i < IG_RELAX_ARRAYS; i++)
    particles_take(m, was + i * 3 * ig_dyn_nodes_all(m), 3 * sizeof(double),
                   m->relax.was + i * 3 * m->p.nodes);
  return IG_OK;
}

/* From a checkpoint of the whole, which every rank has read. Clock and bodies are read before. */
ig_status ig_dyn_part_restore(ig_dyn_model *m, const ig_restart *from) {
  ig_dyn_part *p = m->division;
  ig_ctx *cx = m->cx;
  kept list[KEPT];
  const void *data;
  kept_list(m, list);
  for (int i = 0; i < KEPT; i++) {
    const ig_dtype type = list[i].part->size == sizeof(double) ? IG_F64 : IG_F32;
    IG_TRY(ig_restart_find(cx, from, list[i].name, type, list[i].numbers * ig_dyn_nodes_all(m),
                           &data));
    IG_TRY(array_take(m, data, list[i].part, list[i].numbers));
  }
  if (m->c->bodies.count) {
    IG_TRY(ig_restart_find(cx, from, "arms", IG_F64, 3 * p->arms.whole_count, &data));
    IG_TRY(arms_take(m, data));
  }
  IG_TRY(ig_dyn_bodies_take(m));
  if (ig_dyn_touches(m)) {
    const void *before;
    IG_TRY(ig_restart_find(cx, from, "before", m->part == sizeof(double) ? IG_F64 : IG_F32,
                           3 * ig_dyn_nodes_all(m), &before));
    IG_TRY(ig_restart_find(cx, from, "contact", IG_F64, IG_DYN_KEPT * ig_dyn_pieces_all(m), &data));
    IG_TRY(contact_take(m, before, data));
  }
  if (m->relax.on) {
    IG_TRY(ig_restart_find(cx, from, "relaxation", IG_F64,
                           IG_RELAX_ARRAYS * 3 * ig_dyn_nodes_all(m), &data));
    IG_TRY(relaxation_take(m, data));
  }
  for (int k = 0; k < m->groups; k++) {
    char name[32];
    snprintf(name, sizeof name, "state%d", k);
    IG_TRY(ig_restart_find(cx, from, name,
                           m->group[k].state.size == sizeof(double) ? IG_F64 : IG_F32,
                           ig_dyn_slots_all(m, k) * m->group[k].g_f64.states, &data));
    IG_TRY(states_take(m, k, data));
  }
  return anew(m);
}

/* --- masses */

/* Masses of ghosts: an element at the border is computed here, but its particles' other elements
   may not be. */
ig_status ig_dyn_part_weights(ig_dyn_model *m, ig_status status) {
  const ig_dyn_part *p = m->division;
  if (ig_dyn_alone(m))
    return status;
  const ig_dyn_travel *t = &p->ghosts;
  const int ranks = p->part.ranks;
  double *mass = m->weight.mass, *out = NULL, *in = NULL;
  ig_message *message = NULL;
  int count = 0;
  if (status == IG_OK)
    status = IG_NEW(m->cx, &out, (size_t)t->give_start[ranks] + 1, "masses");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &in, (size_t)t->take_start[ranks] + 1, "masses");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &message, (size_t)ranks, "messages");
  status = ig_ranks_agree(m->cx, status);
  for (int32_t i = 0; i < t->give_start[ranks] && status == IG_OK; i++)
    out[i] = mass[t->give[i]];
  for (int r = 0; r < ranks && status == IG_OK; r++) {
    const size_t give = (size_t)(t->give_start[r + 1] - t->give_start[r]),
                 take = (size_t)(t->take_start[r + 1] - t->take_start[r]);
    if (give + take)
      message[count++] = (ig_message){.rank = r,
                                      .send = out + t->give_start[r],
                                      .send_size = give * sizeof *out,
                                      .receive = in + t->take_start[r],
                                      .receive_size = take * sizeof *in};
  }
  if (status == IG_OK)
    status = ig_ranks_exchange(m->cx, message, count);
  for (int32_t i = 0; i < t->take_start[ranks] && status == IG_OK; i++)
    mass[t->take[i]] = in[i];
  free(out);
  free(in);
  free(message);
  return status;
}
