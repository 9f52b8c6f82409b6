/* Surfaces of a divided model behind what erodes: gaps that grow, to rank 0 and from a checkpoint;
   which elements hold. A gap that grows is found by every rank that has imported the particle or
   triangle and what is near it, from the same numbers. */
#include "dynamics/part_surface.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

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

typedef struct {
  const ig_dyn_pieces *own;
  ig_stream_take *take;
  void *user;
} telling;
static void telling_row(void *user, int64_t item, void *row) {
  const ig_dyn_pieces *own = ((const telling *)user)->own;
  const double reach = item < own->particles ? own->particle[item].reach
                                             : own->triangle[item - own->particles].reach;
  memcpy(row, &reach, sizeof reach);
}

static ig_status telling_put(void *user, const void *rows, int64_t first, int64_t count) {
  const telling *t = user;
  (void)first;
  return t->take(t->user, rows, count);
}

ig_status ig_dyn_part_reach(ig_dyn_model *m, ig_stream_take *take, void *user) {
  ig_dyn_surfaces *s = m->divided->surfaces;
  telling t = {&s->own, take, user};
  return ig_collect_rows(m->cx, &s->states, sizeof(double), telling_row, telling_put, &t,
                         ig_dyn_reach_keep(m));
}

void ig_dyn_reach_take(ig_dyn_model *m, const double *reach) {
  ig_dyn_surfaces *s = m->divided->surfaces;
  if (!s)
    return;
  s->made = false;
  s->due = true;
  for (int32_t i = 0; i < s->own.particles && reach; i++)
    s->own.particle[i].reach = reach[s->own.particle[i].number];
  for (int32_t k = 0; k < s->own.triangles && reach; k++)
    s->own.triangle[k].reach = reach[m->p.contact.surfaces + (int64_t)s->own.triangle[k].number];
}

bool ig_dyn_part_open(const ig_dyn_model *m, int64_t k) {
  const ig_dyn_surfaces *s = m->divided->surfaces;
  return s->made && ((const uint8_t *)m->divided->local->contact.open
                         .host)[ig_dyn_triangle_place(&s->all, s->own.triangle[k].number)];
}

ig_status ig_dyn_alive_tell(ig_dyn_model *m) {
  ig_dyn_part *p = m->divided;
  const ig_dyn_surfaces *s = p->surfaces;
  const int ranks = p->part.ranks;
  const int32_t *owner = p->local->contact.owner.host;
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
    out[i] = e >= 0 && alive[ig_partition_element(&p->part, e)];
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
    status = ig_ranks_exchange(m->cx, message, count);
  for (int32_t i = 0; i < 2 * s->got_start[ranks] && status == IG_OK; i++) {
    const int32_t at = owner[2 * (int64_t)s->got[i / 2] + i % 2];
    if (at >= 0)
      alive[at] = in[i];
  }
  free(out);
  free(in);
  free(message);
  return status == IG_OK ? ig_array_push(m->cx, &p->local->contact.alive) : status;
}
