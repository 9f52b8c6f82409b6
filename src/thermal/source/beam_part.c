/* Beams on several ranks. Each rank finds the targets near the beams among its own elements; all
   ranks receive the lists of all, sort them into the order of one rank (beam, bin, element), and
   make the same zones from them. So every rank computes the watts of all nodes of a zone, with the
   same bits, and the engine picks those of its part. Zones are small beside the mesh: that costs
   less than exchanging sums. */
#include "core/sorted.h"
#include "ranks/allgather.h"
#include "thermal/source/beam.h"
#include "thermal/engine/heat_make.h"

#include <stdlib.h>
#include <string.h>

/* --- what is near on this rank */

/* Everything travels by value, coordinates included: no other rank knows this rank's nodes. */
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

/* The step is entered without watts: neither nodes nor their number are known before all ranks have
   met (ig_beams_part_batch), which then fills first, last and list of the step. */
ig_status ig_beams_part_step(ig_ctx *cx, ig_beams *beams, ig_heat *h) {
  int32_t nowhere; /* watts and their nodes follow with the batch */
  IG_TRY(IG_MORE(cx, &beams->turn, beams->turns, "beams"));
  beams->turn[beams->turns++] = (ig_beam_turn){beams->steps - 1, h->batch.step_count};
  return ig_heat_batch_powers(cx, h, 0, 0, &nowhere);
}

/* --- the batch, of all ranks */

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

/* A zone's nodes, their places, and corners in terms of them (beam_types.h). */
static ig_status zone_number(ig_ctx *cx, ig_beams *beams, const ig_beam_near *near, ig_beam_zone *c,
                             int32_t zone) {
  int32_t *corner = (int32_t *)beams->corner.host + 8 * (int64_t)c->targets;
  const int64_t corners = 8 * (int64_t)c->target_count;
  c->node_count = nodes_list(beams, corner, corners);
  IG_TRY(ig_beams_zone_reserve(cx, beams, c, zone));
  double *x = (double *)beams->x.host + 3 * (int64_t)c->nodes;
  for (int64_t i = 0; i < corners; i++)
    if (corner[i] >= 0) {
      corner[i] = ig_sorted_find(beams->node, c->node_count, corner[i]);
      memcpy(&x[3 * (int64_t)corner[i]], near[i / 8].x[i % 8], 3 * sizeof *x);
    }
  ig_beams_zone_refs(beams, c, zone);
  return IG_OK;
}

/* Zones from what is near, and the engine's lists of their nodes. list: zones. */
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

/* The watts of each step, in the engine's batch. */
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

/* by_order is a total order, so that the sorted list is the same on all ranks and equal to the
   order in which one rank meets its targets. */
ig_status ig_beams_part_batch(ig_ctx *cx, ig_beams *beams, ig_heat *h) {
  void *near = NULL;
  int64_t count;
  int32_t *list = NULL;
  if (beams->zones == 0)
    return IG_OK;
  ig_status status = ig_ranks_allgatherv(cx, IG_OK, beams->near, beams->nears, sizeof *beams->near,
                                         by_order, &near, &count, NULL);
  if (status == IG_OK)
    status = IG_NEW(cx, &list, (size_t)beams->zones + 1, "beam zones");
  if (status == IG_OK)
    status = zones_make(cx, beams, h, near, count, list);
  if (status == IG_OK)
    steps_point(beams, h, list);
  if (status == IG_OK)
    status =
        ig_heat_reserve(cx, &h->batch.source_power, (size_t)h->batch.source_count, sizeof(double));
  free(list);
  free(near);
  beams->nears = beams->turns = 0;
  return ig_ranks_agree(cx, status);
}
