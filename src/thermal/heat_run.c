/* The engine as a run uses it: undivided, or one part on each rank. What this needs of one engine
   is in heat.c, heat_batch.c and heat_surface.c. */
#include "thermal/heat_make.h"
#include "backend/backend.h"
#include "core/threads.h"
#include "thermal/heat_ops.h"
#include "thermal/heat_part.h"
#include "thermal/heat_rows.h"

#include <math.h>
#include <string.h>

void ig_heat_free(ig_ctx *cx, ig_heat *h) {
  ig_heat_part_free(cx, h);
  ig_heat_release(cx, h);
}

ig_status ig_heat_begin_at(ig_ctx *cx, ig_heat *h, double time) {
  ig_heat *stepper = ig_heat_stepper(h);
  if (stepper)
    IG_TRY(ig_heat_begin_at(cx, stepper, time));
  h->time = time;
  h->rows.special_known = false;
  h->next = (ig_heat_range){.event = -1};
  do
    ig_heat_event_expose(cx, h);
  while (h->next.event + 1 < h->birth.events && h->birth.time[h->next.event + 1] <= time);
  const ig_lid nodes = h->purpose == IG_HEAT_STEPS ? h->nodes : 0;
#pragma omp parallel for num_threads(ig_team(cx, nodes, IG_WORK_NODE)) schedule(static)
  for (ig_lid n = 0; n < nodes; n++) {
    const bool there = h->node.around.start[n] < h->node.around.start[n + 1] &&
                       h->node.around.item[h->node.around.start[n]] < h->next.elements;
    ig_heat_put(h->node.T.host, ig_heat_state_size(h), n,
                there ? ig_heat_start(h, n) : h->node.initial);
  }
  if (h->rows.book)
    IG_TRY(ig_heat_rows_find_all(cx, h));
  else if (h->purpose != IG_HEAT_BOOKS)
    IG_TRY(ig_heat_nodes_begin(cx, h));
  ig_array *arrays[] = {&h->node.T,    &h->node.inverse, &h->node.volume, &h->node.H,
                        &h->node.film, &h->node.filmed,  &h->node.body,   &h->rows.of};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (arrays[i]->host)
      IG_TRY(ig_array_push(cx, arrays[i]));
  if (h->elems.how == IG_CLUSTER) /* clusters that are not there yet write no slots */
    IG_TRY(ig_array_zero(cx, &h->node.slots));
  IG_TRY(ig_heat_next_fill(cx, h));
  h->now = h->next;
  if (h->rows.book)
    IG_TRY(ig_heat_rows_push(cx, h));
  IG_TRY(ig_heat_part_begin(cx, h));
  ig_heat_ledger ledger;
  IG_TRY(ig_heat_ledger_read(cx, h, &ledger));
  h->start_content = h->totals[0] = ledger.stored;
  return IG_OK;
}

ig_status ig_heat_begin(ig_ctx *cx, ig_heat *h) {
  IG_TRY(ig_heat_begin_at(cx, h, -INFINITY));
  h->time = 0;
  return ig_heat_births_now(cx, h, 0);
}

/* Births that nothing comes before: those of the start. */
ig_status ig_heat_births_now(ig_ctx *cx, ig_heat *h, double time) {
  ig_heat *stepper = ig_heat_stepper(h);
  IG_TRY(ig_heat_batch_births(cx, h, time));
  if (h->part) {
    IG_TRY(ig_heat_part_heirs(cx, h));
    IG_TRY(ig_heat_part_inherit(cx, h, stepper, 0, h->batch.patch_count, IG_OK));
    ig_heat_part_forget(h);
  }
  if (stepper)
    IG_TRY(ig_heat_births_apply(cx, stepper));
  IG_TRY(ig_heat_births_apply(cx, h));
  return ig_heat_part_begin(cx, h);
}

/* What a checkpoint keeps besides arrays, as of the steps that were run. */
static void totals_note(ig_heat *h) {
  h->totals[0] = h->start_content;
  h->totals[1] = (double)h->steps_done;
  h->totals[2] = h->past.time;
  h->totals[3] = h->past.steps;
}

static bool births_before(const ig_heat_step *step) {
  return step->patch_last > step->patch_first;
}

/* Steps by launches: as many together as have no birth or look between them. */
static ig_status steps_launch(ig_ctx *cx, ig_heat *h) {
  for (int i = 0, stop; i < h->batch.step_count; i = stop) {
    const ig_heat_step *step = &h->batch.step[i];
    if (births_before(step))
      IG_TRY(h->ops->patch(cx, h, step->patch_first, step->patch_last));
    h->now = step->there;
    for (stop = i + 1; stop < h->batch.step_count; stop++)
      if (births_before(&h->batch.step[stop]) || h->batch.step[stop - 1].look > 0)
        break;
    IG_TRY(h->ops->steps(cx, h, i, stop));
    if (h->batch.step[stop - 1].look > 0)
      IG_TRY(h->ops->track(cx, h, h->batch.step[stop - 1].look, h->batch.step[stop - 1].time));
  }
  return IG_OK;
}

static ig_status batch_run(ig_ctx *cx, ig_heat *h) {
  if (h->conduction == IG_HEAT_STENCIL)
    IG_TRY(ig_heat_rows_push(cx, h));
  IG_TRY(ig_heat_push(cx, &h->batch.source_node, (size_t)h->batch.list_count));
  if (h->batch.powers_given)
    IG_TRY(ig_heat_push(cx, &h->batch.source_power, (size_t)h->batch.source_count));
  IG_TRY(ig_heat_patches_push(cx, h));
  if (h->batch.held_count)
    IG_TRY(h->ops->patch(cx, h, 0, h->batch.held_count));
  if (!h->resident.on || h->batch.step_count == 0)
    return steps_launch(cx, h);
  if (h->batch.steps.count < (size_t)h->batch.step_count) {
    ig_array_free(cx, &h->batch.steps);
    IG_TRY(ig_array_new_device(cx, &h->batch.steps, 2 * (size_t)h->batch.step_count,
                               sizeof *h->batch.step, "steps"));
  }
  IG_TRY(cx->backend->copy_in(cx, h->batch.steps.dev, h->batch.step,
                              (size_t)h->batch.step_count * sizeof *h->batch.step));
  IG_TRY(h->ops->resident(cx, h));
  h->now = h->batch.step[h->batch.step_count - 1].there;
  return IG_OK;
}

ig_status ig_heat_batch_run(ig_ctx *cx, ig_heat *h) {
  IG_TRY(h->part ? ig_heat_part_run(cx, h) : batch_run(cx, h));
  h->steps_done += h->batch.step_count;
  ig_heat_batch_clear(h);
  totals_note(h);
  return IG_OK;
}

ig_status ig_heat_conditions_set(ig_ctx *cx, ig_heat *h, const ig_heat_condition *condition,
                                 int count, double ambient) {
  if (h->part)
    IG_TRY(ig_heat_part_conditions(cx, h, condition, count, ambient));
  return ig_heat_conditions_put(cx, h, condition, count, ambient);
}
