/* A divided model: its steps, its state together and apart. */
#include "dynamics/part.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

/* --- steps */

/* A rank that fails goes on exchanging, for the others wait for it; all learn of it when they meet
   after the steps. */
static ig_status steps_take(ig_dyn_model *m, int64_t steps) {
  ig_dyn_part *p = m->divided;
  ig_dyn_model *l = p->local;
  ig_status status = IG_OK;
  for (int64_t i = 0; i < steps; i++) {
    status = ig_dyn_part_ready(m, status);
    if (status == IG_OK)
      status = ig_dyn_move(l);
    if (status == IG_OK)
      status = ig_dyn_part_watch(m);
    const ig_halo_array ghosts[] = {{l->v.dev, 3 * m->part}, {l->x.dev, 3 * m->part}};
    status = ig_halo_start(m->cx, &p->halo, ghosts, 2, status);
    if (status == IG_OK)
      status = ig_dyn_forces_some(l, 0, 1); /* without ghosts, while these travel */
    status = ig_halo_finish(m->cx, &p->halo, ghosts, 2, status);
    if (status == IG_OK && l->p.own.shifts)
      status = m->ops->shift(m->cx, &l->p);
    if (status == IG_OK)
      status = ig_dyn_forces_some(l, 1, 2);
  }
  return status;
}

/* The clock of the model `from` to that of `to`. */
static ig_status clock_take(const ig_dyn_model *from, ig_dyn_model *to) {
  memcpy(to->clock.host, from->clock.host, sizeof(ig_dyn_clock));
  return ig_array_push(to->cx, &to->clock);
}

ig_status ig_dyn_part_advance(ig_dyn_model *m, int64_t steps) {
  ig_dyn_part *p = m->divided;
  const ig_status ready = clock_take(m, p->local);
  IG_TRY(ig_ranks_agree(m->cx, ready)); /* from here on each waits for the others */
  p->stale = true;
  IG_TRY(steps_take(m, steps));
  IG_TRY(ig_array_pull(m->cx, &p->local->clock));
  return clock_take(p->local, m);
}

/* --- together */

/* Arrays of particles that steps change, in the whole and in the part. */
typedef struct {
  ig_array *whole, *part;
  int numbers; /* per particle */
} kept;
enum { KEPT = 7 };

static int kept_list(ig_dyn_model *m, kept *list) {
  ig_dyn_model *l = m->divided->local;
  const kept all[KEPT] = {{&m->x, &l->x, 3},
                          {&m->v, &l->v, m->p.dofs},
                          {&m->f, &l->f, m->p.pitch},
                          {&m->work, &l->work, IG_WORKS},
                          {&m->load, &l->load, m->p.dofs},
                          {&m->contact.press, &l->contact.press, 3},
                          {&m->contact.touch, &l->contact.touch, 3}};
  int count = 0;
  for (int i = 0; i < KEPT; i++)
    if (all[i].part->count)
      list[count++] = all[i];
  return count;
}

/* Each body from its owner to all. */
static ig_status bodies_gather(ig_dyn_model *m) {
  ig_dyn_part *p = m->divided;
  ig_dyn_body *whole = m->carried.body.host;
  if (m->p.bodies.count == 0)
    return IG_OK;
  const ig_status status = ig_array_pull(m->cx, &p->local->carried.body);
  for (int k = 0; k < p->local->p.bodies.count; k++) {
    ig_dyn_body *to = &whole[p->body[k]];
    const int32_t first = to->first;
    *to = ((const ig_dyn_body *)p->local->carried.body.host)[k];
    to->first = first;
  }
  IG_TRY(ig_ranks_agree(m->cx, status));
  for (int k = 0; k < m->p.bodies.count; k++)
    IG_TRY(ig_ranks_share(m->cx, p->body_owner[k], &whole[k], sizeof *whole));
  return ig_array_push(m->cx, &m->carried.body);
}

ig_status ig_dyn_gather(ig_dyn_model *m) {
  ig_dyn_part *p = m->divided;
  kept list[KEPT];
  if (!p || !p->stale)
    return IG_OK;
  ig_dyn_model *l = p->local;
  ig_status status = IG_OK;
  if (!l->fresh && l->p.nodes > 0)
    status = m->ops->sum(m->cx, &l->p);
  IG_TRY(ig_ranks_agree(m->cx, status));
  const int count = kept_list(m, list);
  for (int i = 0; i < count; i++)
    IG_TRY(ig_collect_items(m->cx, &p->nodes, list[i].part->dev, l->p.nodes,
                            list[i].part->size * (size_t)list[i].numbers, list[i].whole->dev));
  IG_TRY(ig_dyn_gather_reach(m));
  IG_TRY(bodies_gather(m));
  p->stale = false;
  return IG_OK;
}

ig_status ig_dyn_gather_alive(ig_dyn_model *m) {
  ig_dyn_part *p = m->divided;
  const ig_array *alive = &p->local->contact.alive;
  return ig_collect_items(m->cx, &p->cells, alive->dev, (int64_t)alive->count, 1,
                          m->contact.alive.dev);
}

ig_status ig_dyn_gather_reports(ig_dyn_model *m, int k, ig_collect_take *take, void *user) {
  const ig_dyn_part *p = m->divided;
  return ig_collect_pass(m->cx, &p->group[k], p->local->scratch.dev, p->local->group[k].slots,
                         IG_DYN_REPORT * sizeof(double), IG_DYN_PIECE, take, user);
}

/* Two numbers of each report of the part's own elements, one after the other. */
static ig_status energies_pack(ig_dyn_model *m, int k, double *pair) {
  const ig_dyn_part *p = m->divided;
  const ig_collect *c = &p->group[k];
  const size_t bytes = (size_t)p->local->group[k].slots * IG_DYN_REPORT * sizeof(double);
  const double *report = p->local->scratch.dev;
  double *copy = NULL;
  ig_status status = IG_OK;
  if (m->cx->backend->separate && bytes) {
    status = ig_alloc(m->cx, (void **)&copy, bytes, 1, "element results");
    if (status == IG_OK)
      status = m->cx->backend->copy_out(m->cx, copy, report, bytes);
    report = copy;
  }
  for (int64_t i = 0; i < c->mine_count && status == IG_OK; i++)
    memcpy(pair + 2 * i, report + (int64_t)c->mine[i] * IG_DYN_REPORT + IG_REPORT_ENERGY,
           2 * sizeof *pair);
  free(copy);
  return status;
}

ig_status ig_dyn_gather_energies(ig_dyn_model *m, int k) {
  if (!m->divided)
    return IG_OK;
  const ig_collect *c = &m->divided->group[k];
  const bool first = ig_ranks_first(m->cx);
  const int64_t count = first ? c->whole_count : c->mine_count;
  double *pair = NULL; /* on the first rank as they come, then in order */
  ig_status status = IG_NEW(m->cx, &pair, (first ? 4 : 2) * (size_t)count + 1, "energies");
  if (status == IG_OK)
    status = energies_pack(m, k, pair);
  status = ig_collect_packed(m->cx, c, status, 2 * sizeof *pair, pair);
  if (status == IG_OK && first) {
    double *placed = pair + 2 * count;
    for (int64_t i = 0; i < count; i++)
      memcpy(placed + 2 * (int64_t)c->whole[i], pair + 2 * i, 2 * sizeof *pair);
    status =
        m->cx->backend->copy_in(m->cx, m->scratch.dev, placed, 2 * (size_t)count * sizeof *placed);
    if (status == IG_OK)
      status = m->cx->backend->sync(m->cx); /* before its memory goes */
  }
  free(pair);
  return status;
}

/* Where the numbers of slot s begin, and how far they are apart: bytes. */
static size_t state_at(const ig_dyn_group *g, int64_t s) {
  const int64_t block = s / IG_DYN_BLOCK;
  return (size_t)(block * g->g_f64.states * IG_DYN_BLOCK + s % IG_DYN_BLOCK) * g->state.size;
}
static size_t state_stride(const ig_dyn_group *g) {
  return IG_DYN_BLOCK * g->state.size;
}

/* The state of slot s of `states`, laid out as those of g, as a row. */
static void state_read(const ig_dyn_group *g, const void *states, int64_t s, char *row) {
  const char *from = (const char *)states + state_at(g, s);
  for (int v = 0; v < g->g_f64.states; v++)
    memcpy(row + (size_t)v * g->state.size, from + (size_t)v * state_stride(g), g->state.size);
}
static void state_write(ig_dyn_group *g, ig_lid s, const char *row) {
  char *to = (char *)g->state.host + state_at(g, s);
  for (int v = 0; v < g->g_f64.states; v++)
    memcpy(to + (size_t)v * state_stride(g), row + (size_t)v * g->state.size, g->state.size);
}

static ig_status group_gather(ig_dyn_model *m, int k) {
  const ig_collect *c = &m->divided->group[k];
  ig_dyn_group *g = &m->divided->local->group[k], *whole = &m->group[k];
  const size_t row = (size_t)g->g_f64.states * g->state.size;
  const bool first = ig_ranks_first(m->cx);
  char *buffer = NULL;
  ig_status status = ig_array_pull(m->cx, &g->state);
  if (status == IG_OK)
    status = ig_alloc(m->cx, (void **)&buffer, (size_t)(first ? c->whole_count : c->mine_count) + 1,
                      row, "element state");
  for (int64_t i = 0; i < c->mine_count && status == IG_OK; i++)
    state_read(g, g->state.host, c->mine[i], buffer + (size_t)i * row);
  status = ig_collect_packed(m->cx, c, status, row, buffer);
  for (int64_t i = 0; i < c->whole_count && first && status == IG_OK; i++)
    state_write(whole, c->whole[i], buffer + (size_t)i * row);
  free(buffer);
  return status;
}

ig_status ig_dyn_gather_states(ig_dyn_model *m) {
  for (int k = 0; k < m->groups && m->divided; k++)
    IG_TRY(group_gather(m, k));
  return IG_OK;
}

static bool states_here(const ig_dyn_model *m) {
  return m->divided && m->divided->apart && ig_ranks_first(m->cx);
}

void ig_dyn_states_drop(ig_dyn_model *m) {
  for (int k = 0; k < m->groups && states_here(m); k++) {
    free(m->group[k].state.host);
    m->group[k].state = (ig_array){0};
  }
}

ig_status ig_dyn_states_hold(ig_dyn_model *m) {
  for (int k = 0; k < m->groups && states_here(m); k++) {
    ig_array *s = &m->group[k].state;
    s->count = (size_t)m->group[k].slots * (size_t)m->group[k].g_f64.states;
    s->size = m->divided->local->group[k].state.size;
    const ig_status status = ig_alloc(m->cx, &s->host, s->count + 1, s->size, "element state");
    if (status != IG_OK) {
      ig_dyn_states_drop(m);
      return status;
    }
  }
  return IG_OK;
}

/* --- apart */

ig_status ig_dyn_whole_pass(ig_dyn_model *m, const void *whole, int64_t count, size_t size,
                            ig_dyn_taker *take, void *user) {
  const int64_t most = (int64_t)(((size_t)1 << 24) / size) + 1;
  char *buffer = NULL;
  if (!m->divided->apart) {
    take(user, whole, 0, count);
    return IG_OK;
  }
  ig_status status = IG_OK;
  if (!ig_dyn_has_whole(m))
    status = ig_alloc(m->cx, (void **)&buffer, (size_t)(most < count ? most : count) + 1, size,
                      "values of all ranks");
  status = ig_ranks_agree(m->cx, status);
  for (int64_t at = 0; at < count && status == IG_OK; at += most) {
    const int64_t some = count - at < most ? count - at : most;
    char *items = buffer ? buffer : (char *)whole + (size_t)at * size;
    status = ig_ranks_share(m->cx, 0, items, (size_t)some * size);
    if (status == IG_OK)
      take(user, items, at, some);
  }
  free(buffer);
  return status;
}

typedef struct {
  const ig_part *p;
  char *to;
  size_t size;
  ig_lid next; /* particle of the part */
} particles_taking;
static void particles_pick(void *user, const char *items, int64_t first, int64_t count) {
  particles_taking *t = user;
  for (; t->next < t->p->mesh->nodes && t->p->node[t->next] < first + count; t->next++)
    memcpy(t->to + (size_t)t->next * t->size,
           items + (size_t)(t->p->node[t->next] - first) * t->size, t->size);
}

/* Particles of the part from the host side of the whole. */
static ig_status particles_take(ig_dyn_model *m, const ig_array *whole, ig_array *part,
                                int numbers) {
  const ig_part *p = &m->divided->part;
  const size_t size = part->size * (size_t)numbers;
  particles_taking taking = {.p = p, .to = part->host, .size = size};
  IG_TRY(ig_dyn_whole_pass(m, whole->host, m->p.nodes, size, particles_pick, &taking));
  return ig_array_push(m->cx, part);
}

static ig_status bodies_take(ig_dyn_model *m) {
  const ig_dyn_part *p = m->divided;
  ig_dyn_carried *c = &p->local->carried;
  for (int k = 0; k < p->local->p.bodies.count; k++) {
    const ig_dyn_body *from = (const ig_dyn_body *)m->carried.body.host + p->body[k];
    ig_dyn_body *to = (ig_dyn_body *)c->body.host + k;
    const int32_t first = to->first;
    *to = *from;
    to->first = first;
    memcpy((double *)c->body_arm.host + 3 * (int64_t)first,
           (const double *)m->carried.body_arm.host + 3 * (int64_t)from->first,
           3 * sizeof(double) * (size_t)from->count);
  }
  if (p->local->p.bodies.count == 0)
    return IG_OK;
  IG_TRY(ig_array_push(m->cx, &c->body));
  return ig_array_push(m->cx, &c->body_arm);
}

ig_status ig_dyn_scatter_motion(ig_dyn_model *m) {
  if (!m->divided)
    return IG_OK;
  ig_dyn_part_slowed(m);
  IG_TRY(particles_take(m, &m->v, &m->divided->local->v, m->p.dofs));
  return bodies_take(m);
}

ig_status ig_dyn_scatter_velocities(ig_dyn_model *m) {
  if (ig_dyn_has_whole(m))
    IG_TRY(ig_array_push(m->cx, &m->v));
  if (!m->divided)
    return IG_OK;
  ig_dyn_part_slowed(m);
  if (!m->divided->apart)
    IG_TRY(ig_ranks_share(m->cx, 0, m->v.host, m->v.count * m->v.size));
  return particles_take(m, &m->v, &m->divided->local->v, m->p.dofs);
}

ig_status ig_dyn_scatter_weights(ig_dyn_model *m) {
  const ig_dyn_part *p = m->divided;
  if (!p)
    return IG_OK;
  ig_dyn_part_changed(m);
  IG_TRY(particles_take(m, &m->mass, &p->local->mass, 1));
  IG_TRY(particles_take(m, &m->inertia, &p->local->inertia, 1));
  if (p->local->heavy.count)
    IG_TRY(particles_take(m, &m->heavy, &p->local->heavy, 1));
  for (int32_t k = 0; k < p->local->p.ties.count; k++)
    ((int32_t *)p->local->carried.tie_turns.host)[k] =
        ((const int32_t *)m->carried.tie_turns.host)[p->tie[k]];
  if (p->local->p.ties.count)
    IG_TRY(ig_array_push(m->cx, &p->local->carried.tie_turns));
  return bodies_take(m);
}

ig_status ig_dyn_share_weights(ig_dyn_model *m, ig_status status) {
  ig_dyn_carried *c = &m->carried;
  if (!m->divided || !m->divided->apart)
    return status;
  double sums[3] = {m->weight.total, m->weight.scaled, m->weight.touch_scale};
  IG_TRY(ig_ranks_agree(m->cx, status));
  IG_TRY(ig_ranks_share(m->cx, 0, sums, sizeof sums));
  m->weight.total = sums[0];
  m->weight.scaled = sums[1];
  m->weight.touch_scale = sums[2];
  ig_array *const all[] = {&c->body, &c->body_arm, &c->tie_turns};
  for (int i = 0; i < 3; i++)
    if (all[i]->count) {
      IG_TRY(ig_ranks_share(m->cx, 0, all[i]->host, all[i]->count * all[i]->size));
      IG_TRY(ig_array_push(m->cx, all[i]));
    }
  return IG_OK;
}

ig_status ig_dyn_scatter_loads(ig_dyn_model *m) {
  const ig_dyn_part *p = m->divided;
  if (!p || m->p.loads.count == 0)
    return IG_OK;
  ig_dyn_loading *to = &p->local->loading;
  for (int32_t i = 0; i < to->forces; i++)
    ((ig_dyn_force *)to->force.host)[i] =
        ((const ig_dyn_force *)m->loading.force.host)[p->force[i]];
  for (int32_t i = 0; i < to->faces; i++) {
    ig_dyn_face *face = (ig_dyn_face *)to->face.host + i;
    *face = ((const ig_dyn_face *)m->loading.face.host)[p->face[i]];
    for (int a = 0; a < face->corners; a++)
      face->node[a] = ig_part_node(&p->part, face->node[a]);
  }
  IG_TRY(ig_array_push(m->cx, &to->force));
  return ig_array_push(m->cx, &to->face);
}

typedef struct {
  ig_dyn_group *g;
  const ig_lid *slot;
  char *row;
} states_taking;
/* Items are blocks of slots here. */
static void states_pick(void *user, const char *items, int64_t first, int64_t count) {
  const states_taking *t = user;
  for (ig_lid s = 0; s < t->g->slots; s++) {
    const int64_t w = t->slot[s] - first * IG_DYN_BLOCK;
    if (w < 0 || w >= count * IG_DYN_BLOCK)
      continue;
    state_read(t->g, items, w, t->row);
    state_write(t->g, s, t->row);
  }
}

static ig_status group_scatter(ig_dyn_model *m, int k, char *row) {
  ig_dyn_group *g = &m->divided->local->group[k];
  states_taking taking = {g, m->divided->slot[k], row};
  IG_TRY(ig_dyn_whole_pass(m, m->group[k].state.host, m->group[k].slots / IG_DYN_BLOCK,
                           state_stride(g) * (size_t)g->g_f64.states, states_pick, &taking));
  return ig_array_push(m->cx, &g->state);
}

ig_status ig_dyn_scatter(ig_dyn_model *m) {
  kept list[KEPT];
  char *row;
  if (!m->divided)
    return IG_OK;
  const int count = kept_list(m, list);
  for (int i = 0; i < count; i++)
    IG_TRY(particles_take(m, list[i].whole, list[i].part, list[i].numbers));
  IG_TRY(ig_dyn_scatter_weights(m));
  IG_TRY(ig_dyn_scatter_reach(m));
  int most = 1;
  for (int k = 0; k < m->groups; k++)
    most = m->group[k].g_f64.states > most ? m->group[k].g_f64.states : most;
  IG_TRY(ig_alloc(m->cx, (void **)&row, (size_t)most, sizeof(double), "element state"));
  ig_status status = IG_OK;
  for (int k = 0; k < m->groups && status == IG_OK; k++)
    status = group_scatter(m, k, row);
  free(row);
  IG_TRY(status);
  m->divided->local->fresh = true;
  m->divided->fallen = -1;
  m->divided->stale = false;
  return m->cx->backend->sync(m->cx);
}
