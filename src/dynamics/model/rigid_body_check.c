/* Parts that no support holds, and loads that no support resists.

   First half (loose parts): which parts of the mesh have no support, and how far their middle
   has moved. Contact may still carry them, up to a penetration of one gap. Friction stops them
   but is no spring: sideways nothing brings them to one place. Relaxation looks at this now and
   then.

   Second half (free check): before statics, loads are projected onto the rigid motions of each
   part that supports leave free. What is left means that there is no equilibrium. */
#include "dynamics/model/rigid_body_check.h"
#include "core/union_find.h"
#include "dynamics/model/model.h"
#include "dynamics/model/part.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts are connected by elements, rigid bodies and ties; `up` starts with every particle its
   own root. */
void ig_dyn_parts_join(const ig_dyn_model *m, int32_t *up) {
  for (int b = 0; b < m->mesh->blocks; b++) {
    const ig_block *block = &m->mesh->block[b];
    const int count = ig_elem_info_get(block->type)->nodes;
    for (int64_t i = 0; i < (int64_t)block->count * count; i++)
      ig_union_join(up, block->conn[i / count * count], block->conn[i]);
  }
  for (int k = 0; k < m->p.bodies.count; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)m->carried.body.host + k;
    const int32_t *node = (const int32_t *)m->carried.body_node.host + b->first;
    for (int32_t i = 1; i < b->count; i++)
      ig_union_join(up, node[0], node[i]);
  }
  for (int32_t k = 0; k < m->p.ties.count; k++)
    for (int a = 0; a < 3; a++)
      ig_union_join(up, ((const int32_t *)m->carried.tie_node.host)[k],
                    ((const int32_t *)m->carried.tie_to.host)[3 * k + a]);
}

/* Whether a motion prescribes a translation in some direction; rotations alone hold nothing in
   place. */
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
    held[ig_union_root(up, n)] |= leads(m, move[n]);
  for (int k = 0; k < m->p.bodies.count; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)m->carried.body.host + k;
    if (b->count > 0)
      held[ig_union_root(up, ((const int32_t *)m->carried.body_node.host)[b->first])] |=
          leads(m, b->motion);
  }
}

/* A loose part: its particles, and sums over them of positions at the start and of
   displacements. */
typedef struct ig_dyn_loose_part {
  int64_t nodes;
  double at[3], way[3];
} part;

/* Numbers the parts that nothing holds, in the order of their roots: `of` of the particles. */
static ig_status parts_number(ig_dyn_model *m, int32_t *up, const uint8_t *held, int32_t *of) {
  ig_dyn_looseness *all = &m->loose;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  int32_t *size;
  IG_TRY(IG_NEW(m->cx, &size, (size_t)m->p.nodes + 1, "loose parts"));
  for (int32_t n = 0; n < m->p.nodes; n++)
    size[ig_union_root(up, n)]++;
  for (int32_t n = 0; n < m->p.nodes; n++) /* a single one belongs to no element */
    size[n] = size[n] >= 2 && !held[n] ? all->parts++ : -1;
  for (int32_t n = 0; n < m->p.nodes; n++)
    of[n] = size[ig_union_root(up, n)];
  free(size);
  IG_TRY(IG_NEW(m->cx, &all->part, (size_t)all->parts + 1, "loose parts"));
  for (int32_t n = 0; n < m->p.nodes; n++)
    for (int c = 0; c < 3; c++) {
      const double x0 = m->x0[3 * (int64_t)n + c];
      low[c] = fmin(low[c], x0);
      high[c] = fmax(high[c], x0);
      if (of[n] >= 0)
        all->part[of[n]].at[c] += x0;
      if (of[n] >= 0 && c == 0)
        all->part[of[n]].nodes++;
    }
  all->far = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
  return IG_OK;
}

/* All but the numbers of particles, which are those of this rank's, is the whole's. */
ig_status ig_dyn_loose_take(ig_dyn_model *m) {
  ig_dyn_looseness *all = &m->division->whole->loose;
  m->loose = *all;
  m->loose.of = NULL;
  m->loose.known = true;
  all->part = NULL;
  if (m->loose.parts == 0)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &m->loose.of, (size_t)m->p.nodes + 1, "loose parts"));
  for (int32_t n = 0; n < m->p.nodes; n++)
    m->loose.of[n] = all->of[ig_dyn_node_number(m, n)];
  return IG_OK;
}

/* Once per model; later calls do nothing. */
ig_status ig_dyn_loose_new(ig_dyn_model *m) {
  int32_t *up = NULL;
  uint8_t *held = NULL;
  ig_status status = IG_OK;
  if (m->loose.known)
    return IG_OK;
  m->loose.known = true;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &up, m->p.nodes, "loose parts"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &m->loose.of, m->p.nodes, "loose parts"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &held, m->p.nodes, "loose parts"));
  for (int32_t n = 0; n < m->p.nodes; n++)
    up[n] = n;
  ig_dyn_parts_join(m, up);
  held_mark(m, up, held);
  status = parts_number(m, up, held, m->loose.of);
done:
  free(up);
  free(held);
  return status;
}

void ig_dyn_loose_free(ig_dyn_model *m) {
  free(m->loose.of);
  free(m->loose.part);
}

/* Sums of displacements by part; on ranks rows go to rank 0. */
typedef struct {
  const ig_dyn_model *m;
  part *of;
} going;
static void way_row(void *user, int64_t n, double *row) {
  const ig_dyn_model *m = ((const going *)user)->m;
  row[0] = m->loose.of[n] + 1;
  for (int c = 0; c < 3; c++)
    row[1 + c] = row[0] > 0 ? ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c] : 0;
}
static void way_add(void *user, const double *row) {
  part *of = ((const going *)user)->of;
  for (int c = 0; c < 3 && row[0] > 0; c++)
    of[(int64_t)row[0] - 1].way[c] += row[1 + c];
}

/* The mean displacement of each loose part; *found is the one that has gone farthest.
   Collective. */
ig_status ig_dyn_loose_find(ig_dyn_model *m, ig_dyn_loose *found) {
  const ig_dyn_looseness *all = &m->loose;
  going g = {m, NULL};
  *found = (ig_dyn_loose){0};
  IG_TRY(ig_dyn_loose_new(m));
  g.of = all->part;
  if (all->parts == 0)
    return IG_OK;
  for (int32_t i = 0; i < all->parts; i++)
    memset(all->part[i].way, 0, sizeof all->part[i].way);
  IG_TRY(ig_dyn_particles_add(m, IG_OK, 4, way_row, way_add, &g));
  found->far = all->far;
  found->parts = all->parts;
  found->way = -1;
  for (int32_t i = 0; i < all->parts; i++) {
    const part *s = &all->part[i];
    const double way = hypot(hypot(s->way[0], s->way[1]), s->way[2]) / (double)s->nodes;
    if (way <= found->way)
      continue;
    found->way = way;
    found->nodes = s->nodes;
    for (int c = 0; c < 3; c++)
      found->at[c] = s->at[c] / (double)s->nodes;
  }
  return ig_dyn_share(m, IG_OK, found, sizeof *found);
}

/* A part that has gone two lengths of the model away never comes back; with tools it may come to
   rest on one. */
ig_status ig_dyn_loose_check(ig_dyn_model *m) {
  ig_dyn_loose l;
  IG_TRY(ig_dyn_loose_find(m, &l));
  /* two lengths of the model: what contact may catch has been caught by then */
  if (l.parts == 0 || l.way <= 2 * l.far || m->c->tools.count > 0)
    return IG_OK;
  return IG_FAIL(m->cx, IG_NUMERIC,
                 "static: nothing stops the part of %lld nodes that began around (%.4g, %.4g, "
                 "%.4g) m: no support holds it, and it has moved by %.3g m (the model is %.3g m "
                 "long); hold it%s",
                 (long long)l.nodes, l.at[0], l.at[1], l.at[2], l.way, l.far,
                 ig_dyn_touches(m) ? "; if it went through a surface below it, raise `contact: "
                                     "penalty`, or load by a `history` over more `ramp` steps"
                                   : "");
}

/* --- rigid motions that nothing resists */

/* A part: six numbers stand for a rigid motion, a translation and a rotation about `at` times
   the length `size`, so that both have the unit of a length. `basis` has `resisted` orthonormal
   rows: motions that supports resist; `load` is the work of the loads on each of the six, `all`
   the sum of their amounts. */
typedef struct {
  int64_t nodes;
  double at[3], size, load[6], all, basis[6][6];
  int resisted;
} rigid;

/* The motion of a point's component c (of its rotation from 3 on), as a row of six. */
static void row_of(const rigid *p, const double x[3], int c, double row[6]) {
  double e[3] = {0}, r[3];
  memset(row, 0, 6 * sizeof *row);
  row[c] = 1;
  if (c >= 3)
    return;
  e[c] = 1;
  for (int d = 0; d < 3; d++)
    r[d] = (x[d] - p->at[d]) / p->size;
  cross_f64(r, e, row + 3);
}

/* What is left of a row without what is resisted already. */
static double row_left(const rigid *p, double row[6]) {
  double left = 0;
  for (int k = 0; k < p->resisted; k++) {
    double along = 0;
    for (int i = 0; i < 6; i++)
      along += row[i] * p->basis[k][i];
    for (int i = 0; i < 6; i++)
      row[i] -= along * p->basis[k][i];
  }
  for (int i = 0; i < 6; i++)
    left += row[i] * row[i];
  return sqrt(left);
}

/* Adds the prescribed components of a particle to the basis, by Gram-Schmidt; 1e-6: rounding of
   a row that is resisted already. */
static void resist(rigid *p, const ig_dyn_motion *held, const double x[3], int dofs) {
  for (int c = 0; c < dofs && p->resisted < 6; c++) {
    double row[6];
    if (held->kind[c] == IG_MOVE_FREE)
      continue;
    row_of(p, x, c, row);
    const double left = row_left(p, row);
    for (int i = 0; i < 6 && left > 1e-6; i++)
      p->basis[p->resisted][i] = row[i] / left;
    p->resisted += left > 1e-6;
  }
}

/* A load's work on each of the six motions, and the sum of all amounts for comparison. */
static void push(rigid *p, const double x[3], const double f[6]) {
  for (int c = 0; c < 6; c++) {
    double row[6];
    const double by = c < 3 ? f[c] : f[c] / p->size;
    row_of(p, x, c, row);
    for (int i = 0; i < 6; i++)
      p->load[i] += by * row[i];
    p->all += fabs(by);
  }
}

/* Forces of loads on loaded particle k at time t, on the drawn shape; pressures as in
   particle_load. */
static void load_at(const ig_dyn_model *m, int32_t k, double t, double f[6]) {
  const ig_dyn_loading *l = &m->loading;
  const int32_t *fs = l->force_start.host, *as = l->face_start.host;
  const double *hx = m->held.history_x.host, *hy = m->held.history_y.host;
  for (int32_t i = fs[k]; i < fs[k + 1]; i++)
    for (int c = 0; c < 6; c++)
      f[c] += ig_history_at(l->force_given[i].history, hx, hy, t) * l->force_given[i].value[c];
  for (int32_t i = as[k]; i < as[k + 1]; i++) {
    const ig_dyn_face *a = &l->face_given[i];
    const int quad = a->corners == 4;
    double u[3], v[3], n[3];
    for (int c = 0; c < 3; c++) {
      u[c] = m->x0[3 * (int64_t)a->node[quad ? 2 : 1] + c] - m->x0[3 * (int64_t)a->node[0] + c];
      v[c] = m->x0[3 * (int64_t)a->node[quad ? 3 : 2] + c] -
             m->x0[3 * (int64_t)a->node[quad ? 1 : 0] + c];
    }
    cross_f64(u, v, n);
    for (int c = 0; c < 3; c++)
      f[c] -= ig_history_at(a->history, hx, hy, t) * a->pressure / (quad ? 8 : 6) * n[c];
  }
}

/* Per part: middle, size, resisted motions, loads at time t on the drawn shape, gravity. */
static void rigid_fill(const ig_dyn_model *m, double t, int32_t *up, rigid *of) {
  const int32_t *move = m->held.move.host, *loaded = m->loading.loaded_node.host;
  const ig_dyn_motion *motion = m->held.motion.host;
  for (int32_t n = 0; n < m->p.nodes; n++) {
    rigid *p = &of[ig_union_root(up, n)];
    p->nodes++;
    for (int c = 0; c < 3; c++)
      p->at[c] += m->x0[3 * (int64_t)n + c];
  }
  for (int32_t n = 0; n < m->p.nodes; n++)
    /* sums become means; entries that are no roots have no nodes */
    for (int c = 0; c < 3 && of[n].nodes; c++)
      of[n].at[c] /= (double)of[n].nodes;
  for (int32_t n = 0; n < m->p.nodes; n++) {
    rigid *p = &of[ig_union_root(up, n)];
    double r[3];
    ig_dyn_sub(m->x0 + 3 * (int64_t)n, p->at, r);
    p->size = fmax(p->size, sqrt(dot_f64(r, r)));
  }
  for (int32_t n = 0; move && n < m->p.nodes; n++)
    if (move[n])
      resist(&of[ig_union_root(up, n)], &motion[move[n]], m->x0 + 3 * (int64_t)n, m->p.dofs);
  for (int k = 0; k < m->p.bodies.count; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)m->carried.body.host + k;
    const int32_t n = ((const int32_t *)m->carried.body_node.host)[b->first];
    if (b->motion)
      resist(&of[ig_union_root(up, n)], &motion[b->motion], b->at, 6);
  }
  for (int32_t k = 0; k < m->p.loads.count; k++) {
    double f[6] = {0};
    load_at(m, k, t, f);
    push(&of[ig_union_root(up, loaded[k])], m->x0 + 3 * (int64_t)loaded[k], f);
  }
  const double g = m->p.loads.has_gravity
                       ? ig_history_at(m->p.loads.gravity_history, m->held.history_x.host,
                                       m->held.history_y.host, t)
                       : 0;
  for (int32_t n = 0; g != 0 && n < m->p.nodes; n++) {
    double f[6] = {0};
    for (int c = 0; c < 3; c++)
      f[c] = g * m->p.loads.gravity[c] * m->weight.heavy[n];
    push(&of[ig_union_root(up, n)], m->x0 + 3 * (int64_t)n, f);
  }
}

/* Fails if loads do work on a motion that is left free: more than 1e-6 of all loads together. */
static ig_status rigid_refuse(ig_ctx *cx, const ig_dyn_analysis *a, const rigid *p) {
  double row[6], shift = 0, turn = 0;
  memcpy(row, p->load, sizeof row);
  const double left = row_left(p, row);
  if (p->nodes < 2 || !(left > 1e-6 * p->all))
    return IG_OK;
  for (int c = 0; c < 3; c++) {
    shift += row[c] * row[c];
    turn += row[3 + c] * row[3 + c];
  }
  /* the larger part of what is left names the motion: translation or rotation */
  const double *d = shift >= turn ? row : row + 3, l = sqrt(fmax(shift, turn));
  double way[3];
  for (int c = 0; c < 3; c++)
    way[c] = fabs(d[c]) > 1e-9 * l ? d[c] / l : 0;
  return ig_fail_at(cx, &a->at,
                    "static: the loads %s the part of %lld nodes around (%.4g, %.4g, %.4g) m %s "
                    "(%.3g, %.3g, %.3g), which no support resists: there is no equilibrium; add "
                    "`supports`",
                    shift >= turn ? "push" : "turn", (long long)p->nodes, p->at[0], p->at[1],
                    p->at[2], shift >= turn ? "along" : "about", way[0], way[1], way[2]);
}

ig_status ig_dyn_free_look(const ig_dyn_model *m, bool *any) {
  int32_t *up = NULL;
  rigid *of = NULL;
  ig_status status = IG_OK;
  *any = false;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &up, (size_t)m->p.nodes + 1, "rigid motions"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &of, (size_t)m->p.nodes + 1, "rigid motions"));
  for (int32_t n = 0; n < m->p.nodes; n++)
    up[n] = n;
  ig_dyn_parts_join(m, up);
  rigid_fill(m, 0, up, of);
  for (int32_t n = 0; n < m->p.nodes; n++)
    *any |= of[n].nodes > 1 && of[n].resisted < 6;
done:
  free(up);
  free(of);
  return status;
}

/* Cases with contact or tools are passed over: these may resist. */
ig_status ig_dyn_free_check(ig_dyn_model *m, const ig_dyn_analysis *a) {
  int32_t *up = NULL;
  rigid *of = NULL;
  ig_status status = IG_OK;
  if (ig_dyn_touches(m) || m->pairs.on || m->p.tools || a->kind != IG_ANALYSIS_STATIC)
    return IG_OK;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &up, (size_t)m->p.nodes + 1, "rigid motions"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &of, (size_t)m->p.nodes + 1, "rigid motions"));
  for (int32_t n = 0; n < m->p.nodes; n++)
    up[n] = n;
  ig_dyn_parts_join(m, up);
  rigid_fill(m, a->at_time, up, of);
  for (int32_t n = 0; n < m->p.nodes && status == IG_OK; n++)
    if (of[n].nodes && of[n].size > 0)
      status = rigid_refuse(m->cx, a, &of[n]);
done:
  free(up);
  free(of);
  return status;
}
