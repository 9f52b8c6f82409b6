/* The tape of a run: batches as they were written, the states at marks, and readings of signals. */
#include "thermal/adjoint/adjoint.h"
#include "backend/backend.h"
#include "thermal/engine/heat_make.h"
#include "thermal/kernels/heat_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what has an adjoint */

static ig_status refuse(const ig_thermal_run *run, const char *key, const char *why) {
  const ig_src at = ig_key_at(run->job->tree, key, run->c->at);
  return ig_fail_at(run->job->cx, &at, "no gradient: %s", why);
}

static ig_status allowed(const ig_thermal_run *run) {
  const ig_heat *h = &run->heat;
  ig_ctx *cx = run->job->cx;
  if (cx->backend->kernels != IG_KERNELS_CPU)
    return IG_FAIL(cx, IG_INPUT, "gradients are computed on the CPU so far: give -b cpu");
  if (ig_ranks_count(cx->ranks) > 1)
    return IG_FAIL(cx, IG_INPUT, "gradients are computed on one rank so far");
  if (h->precision != IG_DOUBLE)
    return refuse(run, "precision", "it needs `precision: double`");
  if (h->conduction == IG_HEAT_STENCIL)
    return refuse(run, "conduction", "`conduction: stencil` has none: leave it out");
  if (h->surface != IG_HEAT_LUMPED)
    return refuse(run, "surface", "only `surface: lumped` has one: leave it out");
  if (h->capacity == IG_HEAT_APPARENT)
    return refuse(run, "latent", "`latent: apparent` has none: leave it out");
  if (run->heat.boils)
    return refuse(run, "boundary", "`evaporation` has none: leave it out");
  for (int i = 0; i < run->beams.count; i++)
    if (run->beams.beam[i].hole) /* their depth follows the power, which is not differentiated */
      return refuse(run, "beams", "keyholes have none: leave `keyhole` out");
  if (!isnan(run->c->dwell_change))
    return refuse(run, "dwell_change", "long steps (`dwell_change`) have none: leave it out");
  if (h->material.solid.dev)
    return refuse(run, "materials", "powder that becomes solid (`powder_conductivity`) has none");
  if (run->hold)
    return refuse(run, "boundary", "boundary values that change with time have none");
  return IG_OK;
}

/* A perturbed set-up takes the steps of the tape: its own critical step may differ. */
ig_status ig_tape_open_run(ig_job *job, ig_thermal_run *run, double dt, int64_t steps) {
  IG_TRY(ig_thermal_open_for(job, run, true));
  IG_TRY(allowed(run));
  if (dt > 0) {
    run->dt = dt;
    run->steps = steps;
    ig_thermal_births_start(run);
  }
  return ig_heat_begin(job->cx, &run->heat);
}

/* --- copies */

static ig_status copy_of(ig_ctx *cx, void *to, const void *from, size_t count, size_t size) {
  void **copy = to;
  IG_TRY(ig_alloc(cx, copy, count, size, "tape"));
  if (count)
    memcpy(*copy, from, count * size);
  return IG_OK;
}

static ig_status room_for(ig_ctx *cx, void *array, int64_t count, int64_t *room, size_t size) {
  void **list = array;
  if (count < *room)
    return IG_OK;
  const int64_t more = *room ? 2 * *room : 64;
  void *bigger = realloc(*list, (size_t)more * size);
  if (!bigger)
    return IG_FAIL(cx, IG_MEMORY, "no memory for the tape of a run");
  *list = bigger;
  *room = more;
  return IG_OK;
}

static ig_status batch_copy(ig_ctx *cx, ig_tape *t) {
  const ig_heat *h = &t->run.heat;
  const ig_heat_batch *from = &h->batch;
  const size_t M = (size_t)h->material.count, patches = (size_t)from->patch_count;
  IG_TRY(room_for(cx, &t->batch, t->batches, &t->batch_room, sizeof *t->batch));
  ig_tape_batch *b = &t->batch[t->batches++];
  *b = (ig_tape_batch){.steps = from->step_count,
                       .patches = from->patch_count,
                       .watts = from->source_count,
                       .listed = from->list_count,
                       .first = t->steps};
  const size_t watts = (size_t)b->watts;
  IG_TRY(copy_of(cx, &b->step, from->step, (size_t)b->steps, sizeof *b->step));
  IG_TRY(copy_of(cx, &b->patch, from->patch.host, patches, sizeof *b->patch));
  IG_TRY(copy_of(cx, &b->volume, from->patch_volume.host, patches * M, sizeof(double)));
  IG_TRY(copy_of(cx, &b->node, from->source_node.host, (size_t)b->listed, sizeof *b->node));
  IG_TRY(copy_of(cx, &b->watt, from->source_power.host, watts, sizeof(double)));
  IG_TRY(IG_NEW(cx, &b->before, patches, "tape"));
  IG_TRY(IG_NEW(cx, &b->volume_before, patches * M, "tape"));
  IG_TRY(IG_NEW(cx, &b->patch_bar, patches * IG_PATCH_BARS, "tape"));
  IG_TRY(IG_NEW(cx, &b->volume_bar, patches * M, "tape"));
  IG_TRY(IG_NEW(cx, &b->watt_bar, watts, "tape"));
  IG_TRY(IG_NEW(cx, &b->reach_bar, b->steps, "tape"));
  t->steps += b->steps;
  return IG_OK;
}

static void batch_free(ig_tape_batch *b) {
  free(b->step);
  free(b->patch);
  free(b->volume);
  free(b->node);
  free(b->watt);
  free(b->before);
  free(b->volume_before);
  free(b->patch_bar);
  free(b->volume_bar);
  free(b->watt_bar);
  free(b->reach_bar);
}

ig_status ig_tape_nodes_new(ig_ctx *cx, const ig_heat *h, ig_tape_nodes *a) {
  const size_t n = (size_t)h->nodes;
  IG_TRY(IG_NEW(cx, &a->T, n, "tape"));
  IG_TRY(IG_NEW(cx, &a->H, n, "tape"));
  IG_TRY(IG_NEW(cx, &a->inverse, n, "tape"));
  IG_TRY(IG_NEW(cx, &a->body, n, "tape"));
  IG_TRY(IG_NEW(cx, &a->volume, n * (size_t)h->material.count, "tape"));
  return IG_NEW(cx, &a->film, IG_TAPE_FILM * n, "tape");
}

static void nodes_free(ig_tape_nodes *a) {
  free(a->T);
  free(a->H);
  free(a->inverse);
  free(a->body);
  free(a->volume);
  free(a->film);
}

/* --- running */

/* What patches of a step replace. */
static void before_keep(ig_tape *t, ig_tape_batch *b, const ig_heat_step *step) {
  const ig_heat *h = &t->run.heat;
  const size_t M = (size_t)h->material.count;
  const double *T = h->node.T.dev, *H = h->node.H.dev, *inverse = h->node.inverse.dev,
               *body = h->node.body.dev, *volume = h->node.volume.dev;
  const heat_film_f64 *film = h->node.film.dev;
  for (int32_t i = step->patch_first; i < step->patch_last; i++) {
    const ig_lid n = b->patch[i].node;
    b->before[i] = (ig_tape_before){T[n], H ? H[n] : 0, inverse[n], body ? body[n] : 0, film[n]};
    memcpy(b->volume_before + (size_t)i * M, volume + (size_t)n * M, M * sizeof *volume);
  }
}

/* The engine's batch is the tape's meanwhile. On a CPU host and device are the same memory. */
static ig_heat_batch batch_lend(ig_heat *h, const ig_tape_batch *b) {
  const ig_heat_batch own = h->batch;
  h->batch.step = b->step;
  h->batch.patch.dev = b->patch;
  h->batch.patch_volume.dev = b->volume;
  h->batch.source_node.dev = b->node;
  h->batch.source_power.dev = b->watt;
  return own;
}

ig_status ig_tape_births(ig_ctx *cx, ig_tape *t, ig_tape_batch *b, int i) {
  ig_heat *h = &t->run.heat;
  const ig_heat_step *step = &b->step[i];
  if (step->patch_last == step->patch_first)
    return IG_OK;
  before_keep(t, b, step);
  const ig_heat_batch own = batch_lend(h, b);
  const ig_status status = h->ops->patch(cx, h, step->patch_first, step->patch_last);
  h->batch = own;
  return status;
}

ig_status ig_tape_step(ig_ctx *cx, ig_tape *t, ig_tape_batch *b, int i) {
  ig_heat *h = &t->run.heat;
  const ig_heat_batch own = batch_lend(h, b);
  h->now = b->step[i].there;
  const ig_status status = h->ops->steps(cx, h, i, i + 1);
  h->batch = own;
  return status;
}

void ig_tape_unpatch(ig_tape *t, const ig_tape_batch *b, int i) {
  ig_heat *h = &t->run.heat;
  const size_t M = (size_t)h->material.count;
  double *T = h->node.T.dev, *H = h->node.H.dev, *inverse = h->node.inverse.dev,
         *body = h->node.body.dev, *volume = h->node.volume.dev;
  heat_film_f64 *film = h->node.film.dev;
  uint8_t *filmed = h->node.filmed.dev;
  for (int32_t p = b->step[i].patch_last - 1; p >= b->step[i].patch_first; p--) {
    const ig_lid n = b->patch[p].node;
    const ig_tape_before *was = &b->before[p];
    T[n] = was->T;
    if (H)
      H[n] = was->H;
    if (body)
      body[n] = was->body;
    inverse[n] = was->inverse;
    film[n] = was->film;
    filmed[n] = film[n].flux != 0 || film[n].h != 0 || film[n].e != 0;
    memcpy(volume + (size_t)n * M, b->volume_before + (size_t)p * M, M * sizeof *volume);
  }
}

static ig_status mark_keep(ig_ctx *cx, ig_tape *t) {
  const ig_heat *h = &t->run.heat;
  const size_t n = (size_t)h->nodes;
  IG_TRY(room_for(cx, &t->mark, t->marks, &t->mark_room, sizeof *t->mark));
  ig_tape_mark *m = &t->mark[t->marks++];
  *m = (ig_tape_mark){.batch = t->batches, .there = h->now};
  IG_TRY(copy_of(cx, &m->T, h->node.T.dev, n, sizeof(double)));
  return h->node.H.dev ? copy_of(cx, &m->H, h->node.H.dev, n, sizeof(double)) : IG_OK;
}

/* The volume of the nodes that are there, as far as they are hot. */
static double hot_volume(const ig_tape *t) {
  const ig_heat *h = &t->run.heat;
  const int M = h->material.count;
  const double *T = h->node.T.dev, *volume = h->node.volume.dev;
  double sum = 0, slope;
  for (ig_lid n = 0; n < h->nodes; n++) {
    if (T[n] <= t->hot - t->hot_width)
      continue;
    const double share = ig_tape_hot(t, T[n], &slope);
    for (int m = 0; m < M; m++)
      sum += share * volume[(int64_t)n * M + m];
  }
  return sum;
}

/* Signals as they are now, into a row. */
static ig_status readings_take(ig_ctx *cx, ig_tape *t, int64_t row) {
  const double *T = t->run.heat.node.T.dev;
  while ((row + 1) * t->signals >= t->reading_room)
    IG_TRY(room_for(cx, &t->reading, (row + 1) * t->signals, &t->reading_room, sizeof(double)));
  if (t->signals > t->probes)
    t->reading[row * t->signals + t->probes] = hot_volume(t);
  for (int p = 0; p < t->probes; p++) {
    double value = 0;
    for (int a = 0; a < 8; a++)
      value += t->run.probe[p].weight[a] * T[t->run.probe[p].node[a]];
    t->reading[row * t->signals + p] = value;
  }
  return IG_OK;
}

/* The step that ends at `time`, once it is done: its births and itself have been read. */
static ig_status time_note(ig_ctx *cx, ig_tape *t, int64_t steps, double time) {
  IG_TRY(room_for(cx, &t->time, steps, &t->time_room, sizeof(double)));
  t->time[steps] = time;
  return IG_OK;
}

/* The next batch, as ig_thermal_advance would have it. */
ig_status ig_tape_write(ig_ctx *cx, ig_thermal_run *run) {
  IG_TRY(ig_thermal_write(run, run->most, false));
  return ig_beams_power(cx, &run->beams, &run->heat);
}

/* A batch that was written is done, on either path. */
void ig_tape_forget(ig_ctx *cx, ig_thermal_run *run) {
  (void)cx;
  ig_heat *h = &run->heat;
  run->done = run->step;
  h->now = h->next;
  ig_heat_batch_clear(h);
}

static ig_status start_keep(ig_ctx *cx, ig_tape *t) {
  const ig_heat *h = &t->run.heat;
  const size_t n = (size_t)h->nodes, M = (size_t)h->material.count;
  IG_TRY(ig_tape_nodes_new(cx, h, &t->start));
  memcpy(t->start.T, h->node.T.dev, n * sizeof(double));
  if (h->node.H.dev)
    memcpy(t->start.H, h->node.H.dev, n * sizeof(double));
  if (h->node.body.dev)
    memcpy(t->start.body, h->node.body.dev, n * sizeof(double));
  memcpy(t->start.inverse, h->node.inverse.dev, n * sizeof(double));
  memcpy(t->start.volume, h->node.volume.dev, n * M * sizeof(double));
  memcpy(t->start.film, h->node.film.dev, n * sizeof(heat_film_f64));
  IG_TRY(copy_of(cx, &t->material, h->material.table, M, sizeof *t->material));
  if (h->material.absorb.dev)
    t->absorb = *(const heat_table_f64 *)h->material.absorb.dev;
  return IG_OK;
}

/* All steps, from the start on. The run is at its end afterwards. */
ig_status ig_tape_forward(ig_ctx *cx, ig_tape *t) {
  ig_thermal_run *run = &t->run;
  const double window = sqrt((double)run->steps);
  int64_t since = 0;
  IG_TRY(start_keep(cx, t));
  IG_TRY(time_note(cx, t, 0, 0));
  while (run->done < run->steps) {
    if (cx->interrupted)
      return IG_FAIL(cx, IG_INTERRUPTED, "the gradient was stopped");
    if (t->marks == 0 || (double)since >= window) {
      IG_TRY(mark_keep(cx, t));
      since = 0;
    }
    IG_TRY(ig_tape_write(cx, run));
    IG_TRY(batch_copy(cx, t));
    ig_tape_batch *b = &t->batch[t->batches - 1];
    for (int i = 0; i < b->steps; i++) {
      IG_TRY(ig_tape_births(cx, t, b, i));
      IG_TRY(readings_take(cx, t, 2 * (b->first + i)));
      IG_TRY(ig_tape_step(cx, t, b, i));
      IG_TRY(readings_take(cx, t, 2 * (b->first + i) + 1));
      IG_TRY(time_note(cx, t, b->first + i + 1, b->step[i].time));
    }
    IG_TRY(ig_fault_check(cx, "node", NULL));
    since += b->steps;
    ig_tape_forget(cx, run);
  }
  return IG_OK;
}

void ig_tape_free(ig_ctx *cx, ig_tape *t) {
  if (!t)
    return;
  (void)cx;
  for (int64_t i = 0; i < t->batches; i++)
    batch_free(&t->batch[i]);
  for (int64_t i = 0; i < t->marks; i++) {
    free(t->mark[i].T);
    free(t->mark[i].H);
  }
  nodes_free(&t->start);
  nodes_free(&t->bar);
  free(t->batch);
  free(t->mark);
  free(t->part);
  free(t->absorb_bar);
  free(t->material);
  free(t->reading);
  free(t->weight);
  free(t->time);
  free(t->flow);
  free(t->slot);
  free(t->state);
  if (t->opened)
    ig_thermal_close(&t->run);
  free(t);
}
