/* Sums of bars times differences of numbers: what a changed case means for the figure, without a
   run of it. And the derivative by the power of each piece of a path. */
#include "thermal/adjoint/adjoint.h"
#include "thermal/kernels/beam_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ig_status moved(ig_ctx *cx, const char *what) {
  return IG_FAIL(cx, IG_INPUT,
                 "%s: a gradient takes steps, births and the nodes that a beam heats as they were",
                 what);
}

static double dot(const double *bar, const double *a, const double *b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += bar[i] * (a[i] - b[i]);
  return sum;
}

static double film_dot(const double *bar, const heat_film_f64 *a, const heat_film_f64 *b) {
  return bar[0] * (a->flux - b->flux) + bar[1] * (a->h - b->h) + bar[2] * (a->h_amb - b->h_amb) +
         bar[3] * (a->e - b->e) + bar[4] * (a->e_amb - b->e_amb);
}

/* --- the start */

static ig_status start_difference(ig_ctx *cx, const ig_tape *t, const ig_heat *h, double *sum) {
  const size_t n = (size_t)h->nodes, M = (size_t)h->material.count;
  if (h->nodes != t->run.heat.nodes || h->material.count != t->run.heat.material.count ||
      h->capacity != t->run.heat.capacity)
    return moved(cx, "the key changes the kind of the problem");
  *sum += dot(t->bar.T, h->node.T.dev, t->start.T, n);
  if (h->node.H.dev)
    *sum += dot(t->bar.H, h->node.H.dev, t->start.H, n);
  for (size_t i = 0; i < n; i++) /* none: zeros */
    *sum += t->bar.body[i] *
            ((h->node.body.dev ? ((const double *)h->node.body.dev)[i] : 0) - t->start.body[i]);
  *sum += dot(t->bar.inverse, h->node.inverse.dev, t->start.inverse, n);
  *sum += dot(t->bar.volume, h->node.volume.dev, t->start.volume, n * M);
  for (size_t i = 0; i < n; i++)
    *sum += film_dot(t->bar.film + IG_TAPE_FILM * i, (const heat_film_f64 *)h->node.film.dev + i,
                     (const heat_film_f64 *)t->start.film + i);
  return IG_OK;
}

/* --- tables */

static double table_difference(const ig_tape_table *bar, const heat_table_f64 *a,
                               const heat_table_f64 *b) {
  const size_t n = (size_t)a->knots;
  return dot(bar->x, a->x, b->x, n) + dot(bar->y, a->y, b->y, n) +
         dot(bar->slope, a->slope, b->slope, n);
}

static ig_status tables_difference(ig_ctx *cx, const ig_tape *t, const ig_heat *h, double *sum) {
  const heat_material_f64 *other = h->material.table;
  for (int m = 0; m < h->material.count; m++) {
    const heat_material_f64 *own = &t->material[m];
    if (other[m].conductivity.knots != own->conductivity.knots ||
        other[m].capacity.knots != own->capacity.knots)
      return moved(cx, "the key changes the rows of a table");
    *sum += table_difference(&t->part[m].conductivity, &other[m].conductivity, &own->conductivity);
    if (h->capacity != IG_HEAT_ENTHALPY)
      continue; /* in `inverse` of nodes */
    *sum += table_difference(&t->part[m].capacity, &other[m].capacity, &own->capacity);
    *sum += dot(t->part[m].capacity.content, other[m].content, own->content,
                (size_t)own->capacity.knots);
  }
  const heat_table_f64 *absorb = h->material.absorb.dev;
  if (!absorb != !t->run.heat.material.absorb.dev || (absorb && absorb->knots != t->absorb.knots))
    return moved(cx, "the key changes the rows of the absorptivity");
  if (absorb)
    *sum += table_difference(t->absorb_bar, absorb, &t->absorb);
  return IG_OK;
}

/* --- batches */

static bool batch_alike(const ig_tape_batch *b, const ig_heat_batch *other) {
  if (other->step_count != b->steps || other->patch_count != b->patches ||
      other->source_count != b->watts || other->list_count != b->listed)
    return false;
  for (int i = 0; i < b->steps; i++) {
    const ig_heat_step *s = &b->step[i], *o = &other->step[i];
    if (s->dt != o->dt || s->first != o->first || s->last != o->last || s->list != o->list ||
        s->patch_first != o->patch_first || s->patch_last != o->patch_last ||
        s->there.event != o->there.event)
      return false;
  }
  const ig_heat_patch *patch = other->patch.host;
  for (int32_t p = 0; p < b->patches; p++)
    if (patch[p].node != b->patch[p].node || patch[p].donor != b->patch[p].donor)
      return false;
  return b->listed == 0 ||
         memcmp(b->node, other->source_node.host, (size_t)b->listed * sizeof *b->node) == 0;
}

/* NaN is "not given", and the same on both sides. */
static double apart(double a, double b) {
  return isnan(a) && isnan(b) ? 0 : a - b;
}

static double patch_difference(const double *bar, const ig_heat_patch *a, const ig_heat_patch *b) {
  return bar[IG_BAR_HEAT] * (a->heat - b->heat) +
         bar[IG_BAR_CAPACITY] * (a->capacity - b->capacity) +
         bar[IG_BAR_TEMPERATURE] * apart(a->temperature, b->temperature) +
         bar[IG_BAR_HELD] * apart(a->held, b->held) +
         bar[IG_BAR_INVERSE] * (a->inverse - b->inverse) + bar[IG_BAR_BODY] * (a->body - b->body) +
         film_dot(bar + IG_BAR_FILM, &a->film, &b->film);
}

static double batch_difference(const ig_tape *t, const ig_tape_batch *b,
                               const ig_heat_batch *other) {
  const size_t M = (size_t)t->run.heat.material.count;
  double sum = b->watts ? dot(b->watt_bar, other->source_power.host, b->watt, (size_t)b->watts) : 0;
  for (int i = 0; i < b->steps; i++)
    sum += b->reach_bar[i] * (other->step[i].reach - b->step[i].reach);
  for (int32_t p = 0; p < b->patches; p++)
    sum += patch_difference(b->patch_bar + (size_t)p * IG_PATCH_BARS,
                            (const ig_heat_patch *)other->patch.host + p, &b->patch[p]);
  return b->patches
             ? sum + dot(b->volume_bar, other->patch_volume.host, b->volume, (size_t)b->patches * M)
             : sum;
}

ig_status ig_tape_difference(ig_ctx *cx, ig_tape *t, ig_thermal_run *other, double *sum) {
  IG_TRY(start_difference(cx, t, &other->heat, sum));
  IG_TRY(tables_difference(cx, t, &other->heat, sum));
  for (int64_t k = 0; k < t->batches; k++) {
    IG_TRY(ig_tape_write(cx, other));
    if (!batch_alike(&t->batch[k], &other->heat.batch))
      return moved(cx, "the key moves births or heated nodes");
    *sum += batch_difference(t, &t->batch[k], &other->heat.batch);
    ig_tape_forget(cx, other);
  }
  return IG_OK;
}

/* --- beams */

static ig_status beams_alike(ig_ctx *cx, const ig_beams *a, const ig_beams *b) {
  for (int i = 0; i < a->count; i++)
    if (i >= b->count || a->beam[i].path.count != b->beam[i].path.count)
      return moved(cx, "the key changes the number of pieces of a path");
  return IG_OK;
}

/* The batch of `same` that is written now. */
static ig_status batch_beams(ig_ctx *cx, const ig_tape_batch *b, ig_thermal_run *same,
                             ig_thermal_run *other, double *sum) {
  double *watt = NULL, *start = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &watt, (size_t)b->watts + 1, "watts"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &start, b->steps, "watts"));
  for (int k = 0; k < b->steps; k++)
    start[k] = b->step[k].time - b->step[k].dt;
  IG_TRY_GOTO(status, done, ig_beams_power_as(cx, &same->beams, &other->beams, start, watt));
  *sum += dot(b->watt_bar, watt, b->watt, (size_t)b->watts);
done:
  free(watt);
  free(start);
  return status;
}

ig_status ig_tape_beams(ig_ctx *cx, ig_tape *t, ig_thermal_run *same, ig_thermal_run *other,
                        double *sum) {
  IG_TRY(beams_alike(cx, &t->run.beams, &other->beams));
  for (int64_t k = 0; k < t->batches; k++) {
    IG_TRY(ig_thermal_write(same, same->most, false));
    if (same->beams.spots > 0)
      IG_TRY(batch_beams(cx, &t->batch[k], same, other, sum));
    IG_TRY(ig_beams_power(cx, &same->beams, &same->heat));
    ig_tape_forget(cx, same);
  }
  return IG_OK;
}

/* --- the power along a path */

ig_status ig_tape_powers(ig_ctx *cx, ig_tape *t, ig_thermal_run *run, int beam, double *piece) {
  const ig_beam *b = &run->beams.beam[beam];
  double *spot = NULL;
  ig_status status = IG_OK;
  for (int64_t k = 0; k < t->batches && status == IG_OK; k++) {
    status = ig_thermal_write(run, run->most, false);
    const int32_t spots = run->beams.spots;
    if (status != IG_OK || spots == 0) {
      if (status == IG_OK)
        status = ig_beams_power(cx, &run->beams, &run->heat);
      ig_tape_forget(cx, run);
      continue;
    }
    status = IG_NEW(cx, &spot, spots, "powers of a path");
    if (status == IG_OK)
      status = ig_beams_power_back(cx, &run->beams, t->batch[k].watt_bar, spot);
    const ig_beam_spot *at = run->beams.spot.host;
    for (int32_t i = 0; i < spots && status == IG_OK; i++)
      if (at[i].beam == beam) /* watts grow with the power of their piece */
        piece[at[i].piece] += spot[i] * at[i].power / (b->factor * b->path.power[at[i].piece]);
    free(spot);
    spot = NULL;
    if (status == IG_OK)
      status = ig_beams_power(cx, &run->beams, &run->heat);
    ig_tape_forget(cx, run);
  }
  return status;
}
