/* A run backward: each step transposed, from the last to the first.

   Forward, at a node (heat_advance):       T' = T + dt heat / C,   or   H' = H + dt heat, T' =
   f(H') with   heat = sum over elements of -K(T) T  +  watts A(T)  +  film(T)  +  body.

   Backward, with bars written as capitals' small twins: flow = dt (bar of T') / C is the bar of
   `heat`. The conduction matrix is symmetric, so its transpose is the forward product applied to
   `flow`; where conductivity depends on temperature, its slope adds a term. Every table, film, watt
   and capacity that took part receives its share. Branches (a limited film, the end of a table) are
   those of the forward run. */
#include "thermal/adjoint/adjoint.h"
#include "backend/backend.h"
#include "core/threads.h"
#include "thermal/engine/heat_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "thermal/engine/heat.inc"
#include "thermal/kernels/hex.inc"

/* --- tables */

/* The slope of a table at x: zero beyond its ends. */
static double table_slope(const heat_table_f64 *t, double x) {
  if (t->knots == 1 || x < t->start || x > t->x[t->knots - 1])
    return 0;
  return t->slope[heat_segment_f64(t, x)];
}

/* `bar` of a value of the table at x, to its numbers (heat_table_at). */
static void table_back(const heat_table_f64 *t, double x, double bar, ig_tape_table *to) {
  if (t->knots == 1) {
    to->y[0] += bar;
    return;
  }
  const int last = t->knots - 1;
  const double end = t->x[last], at = x < t->start ? t->start : x > end ? end : x;
  const int s = heat_segment_f64(t, at);
  to->y[s] += bar;
  to->slope[s] += bar * (at - t->x[s]);
  to->x[s] -= bar * t->slope[s];
  if (x > end)
    to->x[last] += bar * t->slope[s];
}

/* The same for heat content at T (heat_content). */
static void content_back(const heat_material_f64 *m, double T, double bar, ig_tape_table *to) {
  const heat_table_f64 *c = &m->capacity;
  const int last = c->knots - 1;
  if (last == 0) {
    to->y[0] += bar * T;
    return;
  }
  const bool below = T <= c->start, above = T >= c->x[last];
  const int s = below ? 0 : above ? last : heat_segment_f64(c, T);
  const double d = T - c->x[s], slope = below || above ? 0 : c->slope[s];
  to->content[s] += bar;
  to->y[s] += bar * d;
  to->x[s] -= bar * (c->y[s] + slope * d);
  if (!below && !above)
    to->slope[s] += 0.5 * bar * d * d;
}

/* --- nodes */

/* Heat content decides temperature: sum of V h(T) = H. Bar of T, to H and to volumes and tables;
   returns what H takes. */
static double temperature_back(const ig_tape *t, const double *volume, double T, double bar,
                               double *volume_bar, ig_tape_material *to) {
  const int M = t->run.heat.material.count;
  double capacity = 0;
  for (int m = 0; m < M; m++)
    capacity += volume[m] * heat_table_at_f64(&t->material[m].capacity, T);
  const double share = bar / capacity;
  for (int m = 0; m < M; m++)
    if (volume[m] > 0) {
      volume_bar[m] -= share * heat_content_f64(&t->material[m], T);
      content_back(&t->material[m], T, -share * volume[m], &to[m].capacity);
    }
  return share;
}

/* A film (heat_film_in): bar of the heat it lets in, to its numbers and the node's temperature and
   capacity. A film steeper than the step allows for is reduced, as it was forward. */
static void film_back(const heat_film_f64 *g, double T, double inverse, const ig_heat_step *step,
                      double flow, double *T_bar, double *inverse_bar, double *film_bar,
                      double *reach_bar) {
  const double T3 = T * T * T, steep = g->h + 4 * g->e * T3;
  const double loss = g->h * T - g->h_amb + g->e * T * T3 - g->e_amb;
  const double reach = step->dt * inverse * steep;
  double factor = 1;
  film_bar[0] += flow;
  if (reach > step->reach) { /* what is lost is (reach / dt) C loss / steep */
    factor = step->reach / reach;
    const double bar = flow * factor * loss / steep; /* of `steep` */
    film_bar[1] += bar;
    film_bar[3] += bar * 4 * T3;
    *T_bar += bar * 12 * g->e * T * T;
    *inverse_bar += flow * factor * loss / inverse;
    *reach_bar -= flow * loss / reach;
  }
  film_bar[1] -= factor * flow * T;
  film_bar[2] += factor * flow;
  film_bar[3] -= factor * flow * T * T3;
  film_bar[4] += factor * flow;
  *T_bar -= factor * flow * steep;
}

/* Node n: from the bar of its state after the step to that of the heat that flowed in. */
static void node_back(ig_tape *t, const ig_heat_step *step, ig_lid n, double T, double after,
                      ig_tape_material *to, double *reach_bar) {
  const ig_heat *h = &t->run.heat;
  const size_t M = (size_t)h->material.count;
  const double inverse = ((const double *)h->node.inverse.dev)[n];
  ig_tape_nodes *bar = &t->bar;
  t->flow[n] = 0;
  if (!(inverse > 0))
    return; /* not there, or held: its temperature stays */
  if (h->capacity == IG_HEAT_ENTHALPY) {
    const double *volume = (const double *)h->node.volume.dev + (size_t)n * M;
    bar->H[n] += temperature_back(t, volume, after, bar->T[n], bar->volume + (size_t)n * M, to);
    bar->T[n] = 0;
    t->flow[n] = step->dt * bar->H[n];
  } else {
    t->flow[n] = step->dt * inverse * bar->T[n];
    bar->inverse[n] += (after - T) / inverse * bar->T[n];
  }
  /* also of a film of zeros: a key may raise it */
  film_back((const heat_film_f64 *)h->node.film.dev + n, T, inverse, step, t->flow[n], &bar->T[n],
            &bar->inverse[n], bar->film + 5 * (size_t)n, reach_bar);
  bar->body[n] += t->flow[n];
}

static void nodes_back(ig_ctx *cx, ig_tape *t, const ig_heat_step *step, const double *T,
                       const double *after, double *reach_bar) {
  const ig_lid nodes = t->run.heat.nodes;
  const int M = t->run.heat.material.count;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, nodes, IG_WORK_NODE))
  for (int part = 0; part < IG_TAPE_PARTS; part++) {
    const ig_lid first = (ig_lid)((int64_t)nodes * part / IG_TAPE_PARTS),
                 last = (ig_lid)((int64_t)nodes * (part + 1) / IG_TAPE_PARTS);
    t->reach[part] = 0;
    for (ig_lid n = first; n < last; n++)
      node_back(t, step, n, T[n], after[n], t->part + (size_t)part * (size_t)M, &t->reach[part]);
  }
  for (int part = 0; part < IG_TAPE_PARTS; part++)
    *reach_bar += t->reach[part];
}

/* Watts of the step. A node has one at most. */
static void watts_back(ig_tape *t, ig_tape_batch *b, const ig_heat_step *step, const double *T) {
  const bool table = t->run.heat.material.absorb.dev != NULL;
  for (int32_t s = step->first; s < step->last; s++) {
    const ig_lid n = b->node[step->list + s - step->first];
    const double flow = t->flow[n];
    if (!table) {
      b->watt_bar[s] += flow;
      continue;
    }
    b->watt_bar[s] += flow * heat_table_at_f64(&t->absorb, T[n]);
    t->bar.T[n] += flow * b->watt[s] * table_slope(&t->absorb, T[n]);
    table_back(&t->absorb, T[n], flow * b->watt[s], t->absorb_bar);
  }
}

/* --- elements */

/* One matrix for the element, conductivity at its mean temperature. T less that of corner 0. */
static void class_back(const ig_tape *t, ig_lid e, double base, const double *T, const double *flow,
                       double *slot, ig_tape_table *to) {
  const ig_heat *h = &t->run.heat;
  const double *K =
      (const double *)h->shape.K.dev + 36 * (int64_t)((const int32_t *)h->shape.class_of.dev)[e];
  const heat_table_f64 *table = &t->material[((const uint8_t *)h->material.of.dev)[e]].conductivity;
  double mean = 0, pair = 0, product[8];
  for (int a = 0; a < 8; a++)
    mean += 0.125 * T[a];
  hex_apply_f64(K, flow, 1, product); /* -K flow */
  for (int a = 0; a < 8; a++)
    pair -= product[a] * T[a];
  const double k = heat_table_at_f64(table, base + mean), slope = table_slope(table, base + mean);
  for (int a = 0; a < 8; a++)
    slot[a] = k * product[a] - 0.125 * slope * pair;
  table_back(table, base + mean, -pair, to);
}

/* Gradients at the eight points: pair = (grad T . grad flow) times the weight of each. */
static void points_pair(const double *x, const double *T, const double *flow, double *pair) {
  double X[36], t[12], f[12];
  for (int d = 0; d < 3; d++)
    hex_slopes_f64(x + 8 * d, X + 12 * d);
  hex_slopes_f64(T, t);
  hex_slopes_f64(flow, f);
  for (int q = 0; q < 8; q++) {
    const int u = q >> 1, v = 4 + (q & 1) + 2 * (q >> 2), w = 8 + (q & 3);
    const double a[3] = {X[u], X[12 + u], X[24 + u]}, b[3] = {X[v], X[12 + v], X[24 + v]},
                 c[3] = {X[w], X[12 + w], X[24 + w]};
    double A[3], B[3], C[3], J = 0, sum = 0;
    for (int d = 0; d < 3; d++) {
      const int i = (d + 1) % 3, j = (d + 2) % 3;
      A[d] = b[i] * c[j] - b[j] * c[i];
      B[d] = c[i] * a[j] - c[j] * a[i];
      C[d] = a[i] * b[j] - a[j] * b[i];
      J += a[d] * A[d];
    }
    for (int d = 0; d < 3; d++)
      sum += (A[d] * t[u] + B[d] * t[v] + C[d] * t[w]) * (A[d] * f[u] + B[d] * f[v] + C[d] * f[w]);
    pair[q] = 0.125 * sum / J;
  }
}

/* Geometry and conductivity at each of the eight points. */
static void points_back(const ig_tape *t, ig_lid e, const ig_lid *conn, double base,
                        const double *T, const double *flow, double *slot, ig_tape_table *to) {
  const ig_heat *h = &t->run.heat;
  const heat_table_f64 *table = &t->material[((const uint8_t *)h->material.of.dev)[e]].conductivity;
  double x[24], at[8], k[8], det[8], pair[8];
  for (int a = 0; a < 8; a++) {
    at[a] = T[a];
    for (int d = 0; d < 3; d++)
      x[8 * d + a] = ((const double *)h->node.x.dev)[3 * (int64_t)conn[a] + d];
  }
  hex_points_f64(at);
  for (int q = 0; q < 8; q++)
    k[q] = heat_table_at_f64(table, base + at[q]);
  hex_conduct_f64(x, flow, k, slot, det); /* -K flow */
  points_pair(x, T, flow, pair);
  for (int q = 0; q < 8; q++) {
    table_back(table, base + at[q], -pair[q], to);
    pair[q] *= table_slope(table, base + at[q]);
  }
  hex_points_f64(pair); /* its own transpose */
  for (int a = 0; a < 8; a++)
    slot[a] -= pair[a];
}

static void element_back(ig_tape *t, ig_lid e, const double *T, ig_tape_material *to) {
  const ig_heat *h = &t->run.heat;
  const ig_lid *conn = ig_heat_conn(h, e);
  double here[8], flow[8], *slot = t->slot + 8 * (size_t)e;
  for (int a = 0; a < 8; a++) {
    here[a] = T[conn[a]] - T[conn[0]];
    flow[a] = t->flow[conn[a]];
  }
  ig_tape_table *table = &to[((const uint8_t *)h->material.of.dev)[e]].conductivity;
  if (h->conduction == IG_HEAT_CLASSES)
    class_back(t, e, T[conn[0]], here, flow, slot, table);
  else
    points_back(t, e, conn, T[conn[0]], here, flow, slot, table);
}

static void elements_back(ig_ctx *cx, ig_tape *t, const ig_heat_step *step, const double *T) {
  const ig_heat *h = &t->run.heat;
  const ig_lid elements = step->there.elements;
  const int M = h->material.count;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, elements, IG_WORK_ELEMENT))
  for (int part = 0; part < IG_TAPE_PARTS; part++) {
    const ig_lid first = (ig_lid)((int64_t)elements * part / IG_TAPE_PARTS),
                 last = (ig_lid)((int64_t)elements * (part + 1) / IG_TAPE_PARTS);
    for (ig_lid e = first; e < last; e++)
      element_back(t, e, T, t->part + (size_t)part * (size_t)M);
  }
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, h->nodes, IG_WORK_NODE))
  for (ig_lid n = 0; n < h->nodes; n++) {
    double sum = 0;
    for (ig_lid i = h->node.around.start[n]; i < h->node.around.start[n + 1]; i++) {
      const ig_lid e = h->node.around.item[i], *conn = ig_heat_conn(h, e);
      for (int a = 0; a < 8 && e < elements; a++)
        sum += conn[a] == n ? t->slot[8 * (size_t)e + (size_t)a] : 0;
    }
    t->bar.T[n] += sum;
  }
}

/* --- births */

/* Bars of what the node has from the patch on, to the patch. */
static void patch_take(ig_tape *t, const ig_tape_batch *b, int32_t p, ig_lid n) {
  const size_t M = (size_t)t->run.heat.material.count;
  double *to = b->patch_bar + (size_t)p * IG_PATCH_BARS, *film = t->bar.film + 5 * (size_t)n;
  to[IG_BAR_INVERSE] += t->bar.inverse[n];
  to[IG_BAR_BODY] += t->bar.body[n];
  t->bar.inverse[n] = t->bar.body[n] = 0;
  for (int i = 0; i < 5; i++) {
    to[IG_BAR_FILM + i] += film[i];
    film[i] = 0;
  }
  for (size_t m = 0; m < M; m++) {
    b->volume_bar[(size_t)p * M + m] += t->bar.volume[(size_t)n * M + m];
    t->bar.volume[(size_t)n * M + m] = 0;
  }
}

/* Constant capacity: the node mixes with what is born (heat_mixed). */
static void mixed_back(ig_tape *t, const ig_heat_patch *p, double before, double *to) {
  double *T = &t->bar.T[p->node];
  const bool given = !isnan(p->temperature);
  const double born = given ? p->temperature : p->heat / p->capacity;
  double bar = *T;
  if (p->donor == IG_PATCH_NEW) {
    *T = 0;
  } else {
    const double share = p->capacity * p->inverse, apart = born - before;
    to[IG_BAR_CAPACITY] += apart * p->inverse * bar;
    to[IG_BAR_INVERSE] += p->capacity * apart * bar;
    *T = (1 - share) * bar;
    bar *= share;
  }
  to[IG_BAR_TEMPERATURE] += given ? bar : 0;
  to[IG_BAR_HEAT] += given ? 0 : bar / p->capacity;
  to[IG_BAR_CAPACITY] -= given ? 0 : bar * born / p->capacity;
}

/* A node that keeps its temperature or takes another node's: its heat is what its volumes hold. */
static void inherited_back(ig_tape *t, const ig_tape_batch *b, int32_t p, double T) {
  const ig_heat *h = &t->run.heat;
  const size_t M = (size_t)h->material.count;
  const ig_heat_patch *patch = &b->patch[p];
  const ig_lid n = patch->node;
  double bar = t->bar.T[n];
  for (size_t m = 0; m < M && h->capacity == IG_HEAT_ENTHALPY; m++) {
    const double heat = t->bar.H[n], content = heat_content_f64(&t->material[m], T);
    const double grown = b->volume[(size_t)p * M + m] - b->volume_before[(size_t)p * M + m];
    bar += heat * grown * heat_table_at_f64(&t->material[m].capacity, T);
    b->volume_bar[(size_t)p * M + m] += heat * content;
    t->bar.volume[(size_t)n * M + m] -= heat * content;
    content_back(&t->material[m], T, heat * grown, &t->part[m].capacity);
  }
  t->bar.T[n] = 0;
  t->bar.T[patch->donor < 0 ? n : patch->donor] += bar;
}

/* `T`: temperatures after the births. */
static void patch_back(ig_tape *t, const ig_tape_batch *b, int32_t p, const double *T) {
  const ig_heat *h = &t->run.heat;
  const size_t M = (size_t)h->material.count;
  const ig_heat_patch *patch = &b->patch[p];
  const ig_lid n = patch->node;
  double *to = b->patch_bar + (size_t)p * IG_PATCH_BARS;
  patch_take(t, b, p, n);
  if (patch->donor != IG_PATCH_NEW && patch->donor != IG_PATCH_GROWN) {
    inherited_back(t, b, p, T[patch->donor < 0 ? n : patch->donor]);
    return;
  }
  if (!isnan(patch->held)) {
    to[IG_BAR_HELD] += t->bar.T[n];
    t->bar.T[n] = t->bar.H[n] = 0;
    return;
  }
  if (h->capacity != IG_HEAT_ENTHALPY) {
    mixed_back(t, patch, b->before[p].T, to);
    return;
  }
  if (patch->donor == IG_PATCH_NEW && !isnan(patch->temperature))
    to[IG_BAR_TEMPERATURE] += t->bar.T[n];
  else
    t->bar.H[n] += temperature_back(t, b->volume + (size_t)p * M, T[n], t->bar.T[n],
                                    b->volume_bar + (size_t)p * M, t->part);
  t->bar.T[n] = 0;
  to[IG_BAR_HEAT] += t->bar.H[n];
  if (patch->donor == IG_PATCH_NEW)
    t->bar.H[n] = 0;
}

/* --- windows */

/* `bar` of the hot volume, to temperatures and volumes of nodes. */
static void hot_back(ig_tape *t, double bar, const double *T) {
  const ig_heat *h = &t->run.heat;
  const int M = h->material.count;
  const double *volume = h->node.volume.dev;
  for (ig_lid n = 0; n < h->nodes && bar != 0; n++) {
    double slope;
    if (T[n] <= t->hot - t->hot_width)
      continue;
    const double share = ig_tape_hot(t, T[n], &slope);
    for (int m = 0; m < M; m++) {
      t->bar.T[n] += bar * slope * volume[(int64_t)n * M + m];
      t->bar.volume[(int64_t)n * M + m] += bar * share;
    }
  }
}

/* What the figure takes of the state T of a row of readings. */
static void seed(ig_tape *t, int64_t row, const double *T) {
  for (int p = 0; p < t->probes; p++) {
    const double weight = t->weight[row * t->signals + p];
    for (int a = 0; a < 8 && weight != 0; a++)
      t->bar.T[t->run.probe[p].node[a]] += weight * t->run.probe[p].weight[a];
  }
  if (t->signals > t->probes)
    hot_back(t, t->weight[row * t->signals + t->probes], T);
}

/* The window of `mark` up to batch `end`: all its states, before each step. */
static ig_status window_states(ig_ctx *cx, ig_tape *t, const ig_tape_mark *mark, int64_t end) {
  ig_heat *h = &t->run.heat;
  const size_t bytes = (size_t)h->nodes * sizeof(double);
  for (int64_t b = end - 1; b >= mark->batch; b--)
    for (int i = t->batch[b].steps - 1; i >= 0; i--)
      ig_tape_unpatch(t, &t->batch[b], i);
  memcpy(h->node.T.dev, mark->T, bytes);
  if (mark->H)
    memcpy(h->node.H.dev, mark->H, bytes);
  if (h->node.slots.dev) /* of elements that are not there again */
    IG_TRY(ig_array_zero(cx, &h->node.slots));
  double *state = t->state;
  for (int64_t b = mark->batch; b < end; b++)
    for (int i = 0; i < t->batch[b].steps; i++, state += h->nodes) {
      IG_TRY(ig_tape_births(cx, t, &t->batch[b], i));
      memcpy(state, h->node.T.dev, bytes);
      IG_TRY(ig_tape_step(cx, t, &t->batch[b], i));
    }
  return IG_OK;
}

/* Steps of the window, from the last to the first. node.T is the state after the step in hand. */
static ig_status window_back(ig_ctx *cx, ig_tape *t, const ig_tape_mark *mark, int64_t end) {
  const ig_heat *h = &t->run.heat;
  const ig_tape_batch *last = &t->batch[end - 1];
  const int64_t steps = last->first + last->steps - t->batch[mark->batch].first;
  const double *state = t->state + steps * h->nodes;
  for (int64_t k = end - 1; k >= mark->batch; k--) {
    ig_tape_batch *b = &t->batch[k];
    if (cx->interrupted)
      return IG_FAIL(cx, IG_INTERRUPTED, "the gradient was stopped");
    for (int i = b->steps - 1; i >= 0; i--) {
      state -= h->nodes;
      seed(t, 2 * (b->first + i) + 1, h->node.T.dev);
      nodes_back(cx, t, &b->step[i], state, h->node.T.dev, &b->reach_bar[i]);
      watts_back(t, b, &b->step[i], state);
      elements_back(cx, t, &b->step[i], state);
      seed(t, 2 * (b->first + i), state);
      memcpy(h->node.T.dev, state, (size_t)h->nodes * sizeof(double));
      for (int32_t p = b->step[i].patch_last - 1; p >= b->step[i].patch_first; p--)
        patch_back(t, b, p, h->node.T.dev);
      ig_tape_unpatch(t, b, i);
    }
  }
  return IG_OK;
}

static ig_status bars_new(ig_ctx *cx, ig_tape *t) {
  const ig_heat *h = &t->run.heat;
  const size_t n = (size_t)h->nodes, M = (size_t)h->material.count;
  int64_t most = 0;
  IG_TRY(ig_tape_nodes_new(cx, h, &t->bar));
  IG_TRY(IG_NEW(cx, &t->part, M * IG_TAPE_PARTS, "adjoint"));
  IG_TRY(IG_NEW(cx, &t->absorb_bar, 1, "adjoint"));
  IG_TRY(IG_NEW(cx, &t->flow, n, "adjoint"));
  IG_TRY(IG_NEW(cx, &t->slot, 8 * (size_t)h->elements, "adjoint"));
  for (int64_t m = 0; m < t->marks; m++) {
    const int64_t end = m + 1 < t->marks ? t->mark[m + 1].batch : t->batches;
    const int64_t steps = end == t->batches ? t->steps : t->batch[end].first;
    const int64_t own = steps - t->batch[t->mark[m].batch].first;
    most = own > most ? own : most;
  }
  return IG_NEW(cx, &t->state, (size_t)most * n, "states of a window");
}

ig_status ig_tape_backward(ig_ctx *cx, ig_tape *t) {
  const int M = t->run.heat.material.count;
  IG_TRY(bars_new(cx, t));
  int64_t end = t->batches;
  for (int64_t m = t->marks - 1; m >= 0; m--) {
    IG_TRY(window_states(cx, t, &t->mark[m], end));
    IG_TRY(window_back(cx, t, &t->mark[m], end));
    end = t->mark[m].batch;
  }
  /* parts in their order, into the first */
  for (int part = 1; part < IG_TAPE_PARTS; part++)
    for (int m = 0; m < M; m++) {
      double *to = (double *)&t->part[m];
      const double *from = (const double *)&t->part[part * M + m];
      for (size_t i = 0; i < sizeof *t->part / sizeof *to; i++)
        to[i] += from[i];
    }
  return IG_OK;
}

/* With enthalpy the heat of the start follows from its temperatures. Nodes that are held, or not
   there, have none of their own. */
void ig_tape_initial(const ig_tape *t, double *derivative) {
  const ig_heat *h = &t->run.heat;
  const int M = h->material.count;
  for (ig_lid n = 0; n < h->nodes; n++) {
    double capacity = 0;
    for (int m = 0; m < M && h->capacity == IG_HEAT_ENTHALPY; m++)
      capacity += t->start.volume[(int64_t)n * M + m] *
                  heat_table_at_f64(&t->material[m].capacity, t->start.T[n]);
    derivative[n] = t->start.inverse[n] > 0 ? t->bar.T[n] + capacity * t->bar.H[n] : 0;
  }
}
