/* Parts that no support holds. Contact may hold them, within what its springs bear: an overlap of
   the gap. Friction stops them but is no spring: sideways nothing brings them to one place. */
#include "dynamics/loose.h"
#include "core/forest.h"
#include "dynamics/model.h"

#include <math.h>
#include <stdlib.h>

static void joints(const ig_dyn_model *m, int32_t *up) {
  for (int b = 0; b < m->mesh->blocks; b++) {
    const ig_block *block = &m->mesh->block[b];
    const int count = ig_elem_info_get(block->type)->nodes;
    for (int64_t i = 0; i < (int64_t)block->count * count; i++)
      ig_join(up, block->conn[i / count * count], block->conn[i]);
  }
  for (int k = 0; k < m->p.bodies.count; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)m->carried.body.host + k;
    const int32_t *node = (const int32_t *)m->carried.body_node.host + b->first;
    for (int32_t i = 1; i < b->count; i++)
      ig_join(up, node[0], node[i]);
  }
  for (int32_t k = 0; k < m->p.ties.count; k++)
    for (int a = 0; a < 3; a++)
      ig_join(up, ((const int32_t *)m->carried.tie_node.host)[k],
              ((const int32_t *)m->carried.tie_to.host)[3 * k + a]);
}

static bool leads(const ig_dyn_model *m, int32_t motion) {
  if (motion == 0)
    return false;
  const ig_dyn_motion *held = (const ig_dyn_motion *)m->held.motion.host + motion;
  return held->kind[0] != IG_MOVE_FREE || held->kind[1] != IG_MOVE_FREE ||
         held->kind[2] != IG_MOVE_FREE;
}

/* Marks the parts that a support leads in any direction. */
static void held_mark(const ig_dyn_model *m, int32_t *up, uint8_t *held) {
  const int32_t *move = m->held.move.host;
  for (int32_t n = 0; move && n < m->p.nodes; n++)
    held[ig_root(up, n)] |= leads(m, move[n]);
  for (int k = 0; k < m->p.bodies.count; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)m->carried.body.host + k;
    if (b->count > 0)
      held[ig_root(up, ((const int32_t *)m->carried.body_node.host)[b->first])] |=
          leads(m, b->motion);
  }
}

/* Sums over parts of numbers of particles, of where they began and of their ways. */
typedef struct {
  int64_t nodes;
  double at[3], way[3];
} sums;

static void farthest(const ig_dyn_model *m, int32_t *up, const uint8_t *held, sums *sum,
                     ig_dyn_loose *found) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int32_t n = 0; n < m->p.nodes; n++) {
    sums *s = &sum[ig_root(up, n)];
    s->nodes++;
    for (int c = 0; c < 3; c++) {
      const double x0 = m->x0[3 * (int64_t)n + c];
      s->at[c] += x0;
      s->way[c] += ig_dyn_get(m, &m->x, 3 * (int64_t)n + c) - x0;
      low[c] = fmin(low[c], x0);
      high[c] = fmax(high[c], x0);
    }
  }
  found->far = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
  found->way = -1;
  for (int32_t n = 0; n < m->p.nodes; n++) {
    const sums *s = &sum[n];
    const double way = hypot(hypot(s->way[0], s->way[1]), s->way[2]) / (double)s->nodes;
    if (s->nodes < 2 || held[n]) /* a single one belongs to no element */
      continue;
    found->parts++;
    if (way <= found->way)
      continue;
    found->way = way;
    found->nodes = s->nodes;
    for (int c = 0; c < 3; c++)
      found->at[c] = s->at[c] / (double)s->nodes;
  }
}

ig_status ig_dyn_loose_find(ig_dyn_model *m, ig_dyn_loose *found) {
  int32_t *up = NULL;
  uint8_t *held = NULL;
  sums *sum = NULL;
  ig_status status = IG_OK;
  *found = (ig_dyn_loose){0};
  if (m->mesh->nodes != m->p.nodes)
    return IG_OK;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &up, m->p.nodes, "loose parts"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &held, m->p.nodes, "loose parts"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &sum, m->p.nodes, "loose parts"));
  for (int32_t n = 0; n < m->p.nodes; n++)
    up[n] = n;
  joints(m, up);
  held_mark(m, up, held);
  farthest(m, up, held, sum, found);
done:
  free(up);
  free(held);
  free(sum);
  return status;
}

ig_status ig_dyn_loose_check(ig_dyn_model *m) {
  ig_dyn_loose l;
  IG_TRY(ig_dyn_loose_find(m, &l));
  if (l.parts == 0 || l.way <= 2 * l.far || m->c->tools.count > 0)
    return IG_OK;
  return IG_FAIL(m->cx, IG_NUMERIC,
                 "static: nothing stops the part of %lld nodes that began around (%.4g, %.4g, "
                 "%.4g) m: no support holds it, and it has moved by %.3g m (the model is %.3g m "
                 "long); hold it%s",
                 (long long)l.nodes, l.at[0], l.at[1], l.at[2], l.way, l.far,
                 m->p.contact.surfaces ? "; if it went through a surface below it, raise `contact: "
                                         "penalty` or `thickness`, or load by a `history` over "
                                         "more `ramp` steps"
                                       : "");
}
