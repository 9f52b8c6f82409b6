/* Beams on several ranks: each finds what is near them among its own elements; rank 0 puts zones
   together, in the order of one rank: beam after beam, bin after bin, as elements are born. */
#include "core/sorted.h"
#include "thermal/source/beam.h"
#include "thermal/engine/heat_make.h"

#include <stdlib.h>
#include <string.h>

/* --- what is near on this rank */

ig_status ig_beams_part_near(ig_ctx *cx, ig_beams *beams, const ig_heat *h, int beam, int32_t t,
                             int64_t bin) {
  const ig_beam *b = &beams->beam[beam];
  const int side = b->shape.model == IG_BEAM_SURFACE ? 6 : 1;
  ig_lid node[8];
  IG_TRY(IG_MORE(cx, &beams->near, beams->nears, "what is near the beams"));
  ig_beam_near *n = &beams->near[beams->nears++];
  memset(n, 0, sizeof *n);
  *n = (ig_beam_near){.zone = beams->zones,
                      .beam = beam,
                      .target = side * h->cell_of[b->target[t] / side] + b->target[t] % side,
                      .points = b->points[t],
                      .bin = bin};
  const int corners = ig_beam_target_nodes(h, b, b->target[t], node);
  for (int a = 0; a < 8; a++) {
    n->node[a] = a < corners ? h->node_of[node[a]] : -1;
    if (a < corners)
      memcpy(n->x[a], &h->node.point[3 * (int64_t)node[a]], sizeof n->x[a]);
  }
  return IG_OK;
}

ig_status ig_beams_part_step(ig_ctx *cx, ig_beams *beams, ig_heat *h) {
  int32_t nowhere; /* watts and their nodes follow with the batch */
  IG_TRY(IG_MORE(cx, &beams->turn, beams->turns, "beams"));
  beams->turn[beams->turns++] = (ig_beam_turn){beams->steps - 1, h->batch.step_count};
  return ig_heat_batch_powers(cx, h, 0, 0, &nowhere);
}

/* --- the batch, put together on rank 0 */

static int by_order(const void *a, const void *b) {
  const ig_beam_near *p = a, *q = b;
  if (p->zone != q->zone)
    return p->zone < q->zone ? -1 : 1;
  if (p->beam != q->beam)
    return p->beam < q->beam ? -1 : 1;
  if (p->bin != q->bin)
    return p->bin < q->bin ? -1 : 1;
  return (p->target > q->target) - (p->target < q->target);
}

/* What is near on all ranks, on rank 0 in the order of one rank. Free *all. */
static ig_status nears_collect(ig_ctx *cx, const ig_beams *beams, ig_beam_near **all,
                               int64_t *count) {
  const int ranks = ig_ranks_count(cx->ranks);
  const bool first = ig_ranks_first(cx);
  int64_t *counts = NULL;
  ig_message *message = NULL;
  *count = 0;
  *all = NULL;
  ig_status status = IG_NEW(cx, &counts, ranks, "what is near the beams");
  if (status == IG_OK)
    status = IG_NEW(cx, &message, ranks, "messages");
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK) {
    int messages = 0;
    for (int r = 1; r < ranks && first; r++)
      message[messages++] =
          (ig_message){.rank = r, .receive = &counts[r], .receive_size = sizeof *counts};
    if (!first)
      message[messages++] =
          (ig_message){.rank = 0, .send = &beams->nears, .send_size = sizeof beams->nears};
    counts[0] = beams->nears;
    status = ig_ranks_exchange(cx, message, messages);
  }
  for (int r = 0; r < ranks && first && status == IG_OK; r++)
    *count += counts[r];
  if (status == IG_OK && first)
    status = IG_NEW(cx, all, *count + 1, "what is near the beams");
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK) {
    ig_beam_near *to = *all;
    int messages = 0;
    for (int r = 1; r < ranks && first; r++) {
      to += counts[r - 1];
      message[messages++] =
          (ig_message){.rank = r, .receive = to, .receive_size = (size_t)counts[r] * sizeof *to};
    }
    if (!first)
      message[messages++] = (ig_message){
          .rank = 0, .send = beams->near, .send_size = (size_t)beams->nears * sizeof *beams->near};
    status = ig_ranks_exchange(cx, message, messages);
  }
  if (status == IG_OK && first) {
    if (beams->nears > 0)
      memcpy(*all, beams->near, (size_t)beams->nears * sizeof **all);
    qsort(*all, (size_t)*count, sizeof **all, by_order);
  }
  free(counts);
  free(message);
  return status;
}

/* Space for a zone's targets, and their corners' nodes as the whole counts them. */
static ig_status targets_put(ig_ctx *cx, ig_beams *beams, const ig_beam_near *near, int64_t count) {
  const size_t all = (size_t)(beams->targets + count);
  IG_TRY(ig_heat_reserve(cx, &beams->of, all, sizeof(int32_t)));
  IG_TRY(ig_heat_reserve(cx, &beams->points, all, sizeof(int32_t)));
  IG_TRY(ig_heat_reserve(cx, &beams->corner, 8 * all, sizeof(int32_t)));
  if (8 * count > beams->node_capacity) {
    ig_lid *bigger = realloc(beams->node, 16 * (size_t)count * sizeof *bigger);
    if (!bigger)
      return IG_FAIL(cx, IG_MEMORY, "no memory for what is near the beams");
    beams->node = bigger;
    beams->node_capacity = 8 * count;
  }
  for (int64_t i = 0; i < count; i++) {
    ((int32_t *)beams->of.host)[beams->targets + i] = near[i].beam;
    ((int32_t *)beams->points.host)[beams->targets + i] = near[i].points;
    memcpy((int32_t *)beams->corner.host + 8 * (beams->targets + i), near[i].node,
           sizeof near[i].node);
  }
  return IG_OK;
}

/* Nodes of a zone, rising, each once: how many. */
static int32_t nodes_list(ig_beams *beams, const int32_t *corner, int64_t corners) {
  int32_t all = 0, count = 0;
  for (int64_t i = 0; i < corners; i++)
    if (corner[i] >= 0)
      beams->node[all++] = corner[i];
  ig_numbers_sort(beams->node, all, beams->node + beams->node_capacity);
  for (int32_t i = 0; i < all; i++)
    if (i == 0 || beams->node[i] != beams->node[count - 1])
      beams->node[count++] = beams->node[i];
  return count;
}

/* A zone's nodes, their places, and corners and references in terms of them (beam_types.h). */
static ig_status zone_number(ig_ctx *cx, ig_beams *beams, const ig_beam_near *near, ig_beam_zone *c,
                             int32_t zone) {
  int32_t *corner = (int32_t *)beams->corner.host + 8 * (int64_t)c->targets;
  const int64_t corners = 8 * (int64_t)c->target_count;
  const int32_t count = c->node_count = nodes_list(beams, corner, corners);
  IG_TRY(ig_heat_reserve(cx, &beams->x, 3 * (size_t)(c->nodes + count), sizeof(double)));
  IG_TRY(ig_heat_reserve(cx, &beams->ref_start, (size_t)(c->nodes + zone + count + 1),
                         sizeof(int32_t)));
  IG_TRY(ig_heat_reserve(cx, &beams->ref, (size_t)c->refs + (size_t)corners, sizeof(int32_t)));
  int32_t *start = (int32_t *)beams->ref_start.host + c->nodes + zone, refs = 0;
  int32_t *ref = (int32_t *)beams->ref.host + c->refs;
  double *x = (double *)beams->x.host + 3 * (int64_t)c->nodes;
  memset(start, 0, ((size_t)count + 1) * sizeof *start);
  for (int64_t i = 0; i < corners; i++)
    if (corner[i] >= 0) {
      corner[i] = ig_sorted_find(beams->node, count, corner[i]);
      memcpy(&x[3 * (int64_t)corner[i]], near[i / 8].x[i % 8], 3 * sizeof *x);
      start[corner[i]]++;
    }
  for (int32_t n = 0; n <= count; n++) {
    const int32_t own = n < count ? start[n] : 0;
    start[n] = refs;
    refs += own;
  }
  for (int64_t i = 0; i < corners; i++)
    if (corner[i] >= 0)
      ref[start[corner[i]]++] = (int32_t)i; /* target x 8 + corner, rising */
  for (int32_t n = count; n > 0; n--)
    start[n] = start[n - 1];
  start[0] = 0;
  beams->refs = c->refs + refs;
  beams->nodes = c->nodes + count;
  return IG_OK;
}

/* Rank 0: zones from what is near, and the engine's lists of their nodes. list: zones. */
static ig_status zones_make(ig_ctx *cx, ig_beams *beams, ig_heat *h, const ig_beam_near *near,
                            int64_t count, int32_t *list) {
  IG_TRY(ig_heat_reserve(cx, &beams->zone, (size_t)beams->zones, sizeof(ig_beam_zone)));
  for (int32_t z = 0; z < beams->zones; z++) {
    ig_beam_zone *c = (ig_beam_zone *)beams->zone.host + z;
    int64_t own = 0;
    while (own < count && near[own].zone == z)
      own++;
    *c = (ig_beam_zone){.nodes = beams->nodes,
                        .targets = beams->targets,
                        .target_count = (int32_t)own,
                        .refs = beams->refs};
    IG_TRY(targets_put(cx, beams, near, own));
    beams->targets += (int32_t)own;
    IG_TRY(zone_number(cx, beams, near, c, z));
    if (c->target_count > beams->most_targets)
      beams->most_targets = c->target_count;
    IG_TRY(ig_heat_batch_list(cx, h, beams->node, c->node_count, &list[z]));
    near += own;
    count -= own;
  }
  return IG_OK;
}

/* Rank 0: the watts of each step, in the engine's batch. */
static void steps_point(ig_beams *beams, ig_heat *h, const int32_t *list) {
  for (int64_t i = 0; i < beams->turns; i++) {
    ig_beam_step *step = (ig_beam_step *)beams->step.host + beams->turn[i].step;
    ig_heat_step *to = &h->batch.step[beams->turn[i].engine];
    step->power = to->first = h->batch.source_count;
    to->list = list[step->zone];
    h->batch.source_count += ((const ig_beam_zone *)beams->zone.host)[step->zone].node_count;
    to->last = h->batch.source_count;
  }
}

/* The batch as rank 0 has written it, to all: watts depend on what is near the beams, whoever has
   it. */
static ig_status batch_share(ig_ctx *cx, ig_beams *beams, ig_heat *h) {
  int32_t *const count[] = {&beams->steps,        &beams->spots,         &beams->zones,
                            &beams->nodes,        &beams->targets,       &beams->refs,
                            &beams->most_targets, &h->batch.source_count};
  enum { COUNTS = sizeof count / sizeof *count };
  int32_t all[COUNTS];
  for (int i = 0; i < COUNTS; i++)
    all[i] = *count[i];
  IG_TRY(ig_ranks_agree(cx, IG_OK));
  IG_TRY(ig_ranks_bcast(cx, 0, all, sizeof all));
  for (int i = 0; i < COUNTS; i++)
    *count[i] = all[i];
  if (beams->spots == 0)
    return IG_OK;
  const struct {
    ig_array *array;
    int64_t count;
    size_t size;
  } list[] = {{&beams->step, beams->steps, sizeof(ig_beam_step)},
              {&beams->spot, beams->spots, sizeof(ig_beam_spot)},
              {&beams->zone, beams->zones, sizeof(ig_beam_zone)},
              {&beams->x, 3 * (int64_t)beams->nodes, sizeof(double)},
              {&beams->of, beams->targets, sizeof(int32_t)},
              {&beams->points, beams->targets, sizeof(int32_t)},
              {&beams->corner, 8 * (int64_t)beams->targets, sizeof(int32_t)},
              {&beams->ref_start, (int64_t)beams->nodes + beams->zones, sizeof(int32_t)},
              {&beams->ref, beams->refs, sizeof(int32_t)}};
  enum { ARRAYS = sizeof list / sizeof *list };
  ig_status status =
      ig_heat_reserve(cx, &h->batch.source_power, (size_t)h->batch.source_count, sizeof(double));
  for (int i = 0; i < ARRAYS && status == IG_OK; i++)
    status = ig_heat_reserve(cx, list[i].array, (size_t)list[i].count, list[i].size);
  IG_TRY(ig_ranks_agree(cx, status));
  for (int i = 0; i < ARRAYS; i++)
    IG_TRY(ig_ranks_bcast(cx, 0, list[i].array->host, (size_t)list[i].count * list[i].size));
  return IG_OK;
}

ig_status ig_beams_part_batch(ig_ctx *cx, ig_beams *beams, ig_heat *h) {
  ig_beam_near *all;
  int64_t count;
  int32_t *list = NULL;
  if (beams->zones == 0)
    return batch_share(cx, beams, h);
  IG_TRY(nears_collect(cx, beams, &all, &count));
  ig_status status = IG_OK;
  if (ig_ranks_first(cx)) {
    status = IG_NEW(cx, &list, (size_t)beams->zones + 1, "beam zones");
    if (status == IG_OK)
      status = zones_make(cx, beams, h, all, count, list);
    if (status == IG_OK)
      steps_point(beams, h, list);
  }
  free(list);
  free(all);
  beams->nears = beams->turns = 0;
  IG_TRY(ig_ranks_agree(cx, status));
  return batch_share(cx, beams, h);
}
