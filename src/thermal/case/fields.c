/* What other programs read and change while a run is stepped (include/ingot/sim.h): temperatures,
   the power of beams, boundary values. Called between steps, by all ranks alike. */
#include "thermal/engine/heat_make.h"
#include "thermal/thermal.h"

#include <stdlib.h>
#include <string.h>

/* There is one field, T. On one rank other programs may read and write it on the device, without a
   copy; on several ranks no rank has all of it, and get and set go through rank 0. */
bool ig_thermal_field(void *self, int i, ig_room_field *f) {
  const ig_thermal_run *run = self;
  const ig_heat *h = &run->heat;
  const int64_t size = (int64_t)ig_heat_state_size(h);
  if (i > 0)
    return false;
  *f = (ig_room_field){.name = "T",
                       .unit = "K",
                       .where = IG_AT_POINTS,
                       .dtype = h->precision == IG_SINGLE ? IG_F32 : IG_F64,
                       .components = 1,
                       .count = h->part.nodes.whole_count,
                       .writable = true,
                       .dev = h->node_of ? NULL : h->node.T.dev, /* in parts, on ranks: see get */
                       .stride = {size, size}};
  return true;
}

ig_status ig_thermal_get(void *self, const char *name, double *values) {
  ig_thermal_run *run = self;
  (void)name;
  return ig_heat_temperatures(run->job->cx, &run->heat, values);
}

/* What was stored before and is not now, or the other way round, was there from the start, as the
   ledger sees it. */
ig_status ig_thermal_set(void *self, const char *name, const double *values) {
  ig_thermal_run *run = self;
  ig_heat *h = &run->heat;
  ig_ctx *cx = run->job->cx;
  ig_heat_ledger before, after;
  (void)name;
  IG_TRY(ig_heat_ledger_read(cx, h, &before));
  IG_TRY(ig_heat_set_temperatures(cx, h, values));
  IG_TRY(ig_heat_ledger_read(cx, h, &after));
  h->start_content = h->totals[0] = before.start + (after.stored - before.stored);
  return IG_OK;
}

ig_status ig_thermal_load(void *self, int load, double factor) {
  ig_thermal_run *run = self;
  if (load >= run->beams.count)
    return IG_FAIL(run->job->cx, IG_INPUT, "there is no beam %d: the case has %d", load,
                   run->beams.count);
  if (factor < 0)
    return IG_FAIL(run->job->cx, IG_INPUT, "beam %d x %g: its power cannot be negative", load,
                   factor);
  run->beams.beam[load].factor = factor;
  return IG_OK;
}

/* Takes effect with the next batch: a factor makes ig_thermal_surroundings_change look at values in
   every step, even where no table changes with time. */
ig_status ig_thermal_support(void *self, int support, double factor) {
  ig_thermal_run *run = self;
  ig_ctx *cx = run->job->cx;
  const int count = run->c->boundary.count;
  if (support >= count)
    return IG_FAIL(cx, IG_INPUT, "there is no boundary %d: the case has %d", support, count);
  const ig_thermal_boundary *b = IG_ITEM(const ig_thermal_boundary, run->c->boundary, support);
  if (b->from.count || (!b->temperature.count && !b->flux.count))
    return IG_FAIL(cx, IG_INPUT,
                   "boundary %d gives no `temperature` and no `flux` as a number or a table",
                   support);
  if (b->temperature.count && factor < 0)
    return IG_FAIL(cx, IG_INPUT, "boundary %d x %g: temperatures in K are not negative", support,
                   factor);
  if (!run->factor) {
    IG_TRY(IG_NEW(cx, &run->factor, count, "factors"));
    for (int i = 0; i < count; i++)
      run->factor[i] = 1;
  }
  run->factor[support] = factor;
  return IG_OK;
}
