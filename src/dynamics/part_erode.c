/* Surfaces of a divided model behind what erodes: gaps that grow, together and apart; which
   elements hold. A gap that grows is found by every rank that has imported the particle or triangle
   and what is near it, from the same numbers. */
#include "dynamics/part_surface.h"
#include "backend/backend.h"

#include <stdlib.h>

ig_status ig_dyn_reach_keep(ig_dyn_model *m) {
  ig_dyn_surfaces *s = m->divided->surfaces;
  ig_array *reach = &m->divided->local->contact.reach;
  const ig_dyn_pieces *all = &s->all;
  if (!s->made || !m->p.erosion.alive)
    return IG_OK;
  IG_TRY(ig_array_pull(m->cx, reach));
  for (int32_t i = 0, at = 0; i < s->own.particles; i++) { /* both rise */
    while (all->particle[at].number < s->own.particle[i].number)
      at++;
    s->own.particle[i].reach = ((const double *)reach->host)[at];
  }
  for (int32_t k = 0, at = 0; k < s->own.triangles; k++) {
    while (all->triangle[at].number < s->own.triangle[k].number)
      at++;
    s->own.triangle[k].reach = ((const double *)reach->host)[all->particles + (int64_t)at];
  }
  return IG_OK;
}

/* What the first rank takes of a particle or a triangle. */
typedef struct {
  double reach, open;
} grown;

ig_status ig_dyn_gather_reach(ig_dyn_model *m) {
  ig_dyn_surfaces *s = m->divided->surfaces;
  ig_array *open = &m->divided->local->contact.open;
  const bool first = ig_ranks_first(m->cx);
  grown *list = NULL;
  if (!s || !m->p.erosion.alive)
    return IG_OK;
  const ig_collect *c = &s->states;
  ig_status status = ig_dyn_reach_keep(m);
  if (status == IG_OK && s->made && open->count)
    status = ig_array_pull(m->cx, open);
  if (status == IG_OK)
    status = IG_NEW(m->cx, &list, (size_t)(first ? c->whole_count : c->mine_count) + 1,
                    "contact surfaces");
  for (int64_t i = 0; i < c->mine_count && status == IG_OK; i++) {
    const int32_t k = c->mine[i] - s->own.particles;
    if (k < 0)
      list[i].reach = s->own.particle[c->mine[i]].reach;
    else
      list[i] = (grown){
          s->own.triangle[k].reach,
          s->made ? ((const uint8_t *)
                         open->host)[ig_dyn_triangle_place(&s->all, s->own.triangle[k].number)]
                  : 0};
  }
  status = ig_collect_packed(m->cx, c, status, sizeof *list, list);
  for (int64_t i = 0; i < c->whole_count && first && status == IG_OK; i++) {
    ((double *)m->contact.reach.host)[c->whole[i]] = list[i].reach;
    if (c->whole[i] >= m->p.contact.surfaces)
      ((uint8_t *)m->contact.open.host)[c->whole[i] - m->p.contact.surfaces] = list[i].open != 0;
  }
  free(list);
  if (status == IG_OK && first)
    status = ig_array_push(m->cx, &m->contact.reach);
  return status == IG_OK && first ? ig_array_push(m->cx, &m->contact.open) : status;
}

typedef struct {
  ig_dyn_pieces *own;
  int64_t surfaces;
  int32_t i, k;
} reach_taking;
static void reach_pick(void *user, const char *items, int64_t first, int64_t count) {
  reach_taking *t = user;
  const double *reach = (const double *)items - first;
  for (; t->i < t->own->particles && t->own->particle[t->i].number < first + count; t->i++)
    t->own->particle[t->i].reach = reach[t->own->particle[t->i].number];
  for (; t->k < t->own->triangles && t->surfaces + t->own->triangle[t->k].number < first + count;
       t->k++)
    t->own->triangle[t->k].reach = reach[t->surfaces + t->own->triangle[t->k].number];
}

ig_status ig_dyn_scatter_reach(ig_dyn_model *m) {
  ig_dyn_surfaces *s = m->divided->surfaces;
  if (!s)
    return IG_OK;
  s->made = false;
  s->due = true;
  if (!m->p.erosion.alive)
    return IG_OK;
  reach_taking taking = {&s->own, m->p.contact.surfaces, 0, 0};
  return ig_dyn_whole_pass(m, m->contact.reach.host,
                           (int64_t)m->p.contact.surfaces + m->p.contact.triangles, sizeof(double),
                           reach_pick, &taking);
}

ig_status ig_dyn_alive_tell(ig_dyn_model *m) {
  ig_dyn_part *p = m->divided;
  const ig_dyn_surfaces *s = p->surfaces;
  const int ranks = p->part.ranks;
  uint8_t *alive = p->local->contact.alive.host, *out = NULL, *in = NULL;
  ig_message *message = NULL;
  ig_status status = IG_NEW(m->cx, &out, 2 * (size_t)s->sent_start[ranks] + 1, "contact surfaces");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &in, 2 * (size_t)s->got_start[ranks] + 1, "contact surfaces");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &message, (size_t)ranks, "messages");
  status = ig_ranks_agree(m->cx, status);
  int count = 0;
  for (int32_t i = 0; i < 2 * s->sent_start[ranks] && status == IG_OK; i++) {
    const int32_t e = s->own.triangle[s->sent[i / 2]].element[i % 2];
    out[i] = e >= 0 && alive[e];
  }
  for (int r = 0; r < ranks && status == IG_OK; r++) {
    const size_t give = 2 * (size_t)(s->sent_start[r + 1] - s->sent_start[r]),
                 take = 2 * (size_t)(s->got_start[r + 1] - s->got_start[r]);
    if (give + take)
      message[count++] = (ig_message){.rank = r,
                                      .send = out + 2 * (size_t)s->sent_start[r],
                                      .send_size = give,
                                      .receive = in + 2 * (size_t)s->got_start[r],
                                      .receive_size = take};
  }
  if (status == IG_OK)
    status = ig_ranks_swap(m->cx, message, count);
  for (int32_t i = 0; i < 2 * s->got_start[ranks] && status == IG_OK; i++) {
    const int32_t e = s->all.triangle[s->got[i / 2]].element[i % 2];
    if (e >= 0)
      alive[e] = in[i];
  }
  free(out);
  free(in);
  free(message);
  return status == IG_OK ? ig_array_push(m->cx, &p->local->contact.alive) : status;
}
