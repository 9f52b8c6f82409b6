/* The engine as a run uses it: made, begun, advanced by batches. The passes of a batch are in the
   order that heat.h lists. ig_heat_batch_run is the entry of a step; everything below it returns
   while the device still works.

   Ranks: each sends the temperatures of its nodes that others have as ghosts after every step, and
   computes what needs no ghost while they travel:

        step i     early part | wait for ghosts | late part | send
        step i+1              early part ................  | wait | late part | send

   A rank that fails keeps on exchanging, because others wait for its messages; the failure is
   agreed on after the batch. */
#include "backend/backend.h"
#include "core/threads.h"
#include "thermal/engine/heat_arrays.h"
#include "thermal/engine/heat_make.h"
#include "thermal/kernels/heat_ops.h"
#include "thermal/engine/heat_part.h"
#include "thermal/kernels/heat_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- making */

ig_status ig_heat_new(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h) {
  memset(h, 0, sizeof *h);
  ig_status status = ig_heat_make(cx, setup, NULL, h);
  if (status == IG_OK)
    status = ig_heat_divide(cx, setup, h);
  if (status == IG_OK)
    status = ig_heat_arrays_add(cx, h);
  if (status != IG_OK)
    ig_heat_free(cx, h);
  return status;
}

/* Tries one form after the other. A form that does not fit answers IG_INPUT; that message is
   removed from the context, because another form may fit. The last form's answer stands. */
ig_status ig_heat_new_fastest(ig_ctx *cx, ig_heat_setup *setup, ig_heat *h) {
  static const ig_heat_conduction forms[] = {IG_HEAT_STENCIL, IG_HEAT_CLASSES, IG_HEAT_RECOMPUTE};
  ig_status status = IG_OK;
  for (int i = 0; i < 3; i++) {
    setup->conduction = forms[i];
    if (forms[i] == IG_HEAT_STENCIL && (setup->no_rows || setup->surface != IG_HEAT_LUMPED))
      continue;
    memset(h, 0, sizeof *h);
    status = ig_heat_make(cx, setup, NULL, h);
    if (status == IG_OK)
      status = ig_heat_divide(cx, setup, h);
    else if (status == IG_INPUT && i < 2) { /* it does not fit: no failure of the run */
      ig_heat_free(cx, h);
      cx->status = IG_OK;
      cx->message[0] = '\0';
      continue;
    }
    break;
  }
  if (status == IG_OK)
    status = ig_heat_arrays_add(cx, h);
  if (status != IG_OK)
    ig_heat_free(cx, h);
  return status;
}

void ig_heat_free(ig_ctx *cx, ig_heat *h) {
  ig_heat_arrays_free(h);
  ig_heat_part_free(cx, h);
  ig_heat_release(cx, h);
}

/* --- ghosts: nodes of other ranks; on one rank there are none */

static ig_status ghosts_refresh(ig_ctx *cx, ig_heat *h, ig_status status) {
  ig_halo_array list[IG_ARRAYS];
  if (!ig_heat_is_divided(h))
    return status;
  const int count = ig_arrays_ghosts(ig_heat_arrays(h), IG_HEAT_NODES, list);
  return ig_halo_refresh_all(cx, &h->part.halo, list, count, status);
}

/* Temperatures that were written on each rank, to all: from here on ranks wait for each other. */
static ig_status ghosts_begin(ig_ctx *cx, ig_heat *h) {
  h->part.counted = false;
  if (!ig_heat_is_divided(h))
    return IG_OK;
  IG_TRY(ig_ranks_agree(cx, IG_OK));
  IG_TRY(ghosts_refresh(cx, h, IG_OK));
  return ig_heat_next_fill(cx, h);
}

/* Powder that is molten through becomes solid: all of it, or what touches ghosts or does not. On
   one rank steps do it. */
static ig_status part_melt(ig_ctx *cx, ig_heat *h, ig_heat_phase which) {
  if (!h->ghost || !h->material.solid.dev)
    return IG_OK;
  h->phase = which;
  return h->ops->melt(cx, h);
}

/* Temperatures of ghosts: sent, and there; then powder that touches them may melt. */
static ig_status ghosts_send(ig_ctx *cx, ig_heat *h, ig_status status) {
  ig_halo_array list[IG_ARRAYS];
  const int count = ig_arrays_ghosts(ig_heat_arrays(h), IG_HEAT_NODES, list);
  return ig_halo_start(cx, &h->part.halo, list, count, status);
}
static ig_status ghosts_take(ig_ctx *cx, ig_heat *h, ig_heat_phase melt, ig_status status) {
  ig_halo_array list[IG_ARRAYS];
  const int count = ig_arrays_ghosts(ig_heat_arrays(h), IG_HEAT_NODES, list);
  status = ig_halo_finish(cx, &h->part.halo, list, count, status);
  return status == IG_OK ? part_melt(cx, h, melt) : status;
}

/* --- the start */

/* The first element at a node is the one that is born first. */
static bool node_there(const ig_heat *h, ig_lid n) {
  const ig_csr *around = &h->node.around;
  return h->elements && around->start[n] < around->start[n + 1] &&
         around->item[around->start[n]] < h->next.elements;
}

/* Arrays of the part, as the elements that are there make them. */
static ig_status arrays_begin(ig_ctx *cx, ig_heat *h) {
#pragma omp parallel for num_threads(ig_team(cx, h->nodes, IG_WORK_NODE)) schedule(static)
  for (ig_lid n = 0; n < h->nodes; n++)
    ig_heat_put(h->node.T.host, ig_heat_state_size(h), n,
                node_there(h, n) ? ig_heat_start(h, n) : h->node.initial);
  if (h->elements == 0)
    return ig_array_push(cx, &h->node.T);
  IG_TRY(h->rows.book ? ig_heat_rows_find_all(cx, h) : ig_heat_nodes_begin(cx, h));
  ig_array *arrays[] = {&h->node.T,    &h->node.inverse, &h->node.volume, &h->node.H,
                        &h->node.film, &h->node.filmed,  &h->node.body,   &h->rows.of};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (arrays[i]->host)
      IG_TRY(ig_array_push(cx, arrays[i]));
  if (h->elems.how == IG_CLUSTER) /* clusters that are not there yet write no slots */
    IG_TRY(ig_array_zero(cx, &h->node.slots));
  IG_TRY(ig_heat_next_fill(cx, h));
  return h->rows.book ? ig_heat_rows_push(cx, h) : IG_OK;
}

/* The outer surface is the result of all events so far, so all of them are replayed, one by one;
   the arrays of nodes are filled once, at the end. */
ig_status ig_heat_begin_at(ig_ctx *cx, ig_heat *h, double time) {
  h->time = time;
  h->rows.special_known = false;
  h->next = (ig_heat_range){.event = -1};
  do
    ig_heat_event_expose(cx, h);
  while (h->next.event + 1 < h->birth.events && h->birth.time[h->next.event + 1] <= time);
  IG_TRY(arrays_begin(cx, h));
  h->now = h->next;
  IG_TRY(ghosts_begin(cx, h));
  ig_heat_ledger ledger;
  IG_TRY(ig_heat_ledger_read(cx, h, &ledger));
  h->start_content = h->totals[0] = ledger.stored;
  return IG_OK;
}

/* Patches [first, last) of the batch, where there are any. */
static ig_status patches_apply(ig_ctx *cx, ig_heat *h, int32_t first, int32_t last) {
  return last > first ? h->ops->patch(cx, h, first, last) : IG_OK;
}

/* Births up to `time` at once, outside any batch: those of the start, before all steps. */
static ig_status births_now(ig_ctx *cx, ig_heat *h, double time) {
  IG_TRY(ig_heat_batch_births(cx, h, time));
  IG_TRY(ig_heat_part_inheritors(cx, h, IG_OK));
  IG_TRY(ig_heat_part_inherit(cx, h, 0, IG_OK));
  if (h->rows.book)
    IG_TRY(ig_heat_rows_push(cx, h));
  IG_TRY(ig_heat_patches_push(cx, h));
  IG_TRY(patches_apply(cx, h, 0, h->batch.patch_count));
  h->now = h->next;
  ig_heat_batch_clear(h);
  IG_TRY(cx->backend->sync(cx)); /* the batch's arrays are written anew from here */
  return ghosts_begin(cx, h);
}

ig_status ig_heat_begin(ig_ctx *cx, ig_heat *h) {
  IG_TRY(ig_heat_begin_at(cx, h, -INFINITY));
  h->time = 0;
  IG_TRY(births_now(cx, h, 0));
  /* what later looks compare with; what is molten from the start is so since now */
  return h->past.every && h->now.elements ? h->ops->track(cx, h, 0, 0) : IG_OK;
}

/* --- a batch: what ranks must know of each other before it */

/* Nodes of watts as the part counts them. Not there: -1; in stencil form, which seeks among them
   and takes the first it finds, the one before. */
static void sources_number(ig_heat *h) {
  ig_lid *node = h->batch.source_node.host;
  for (int32_t i = 0; i < h->batch.list_count; i++)
    node[i] = ig_partition_node(&h->part.of, node[i]);
  for (int i = 0; i < h->batch.step_count && h->conduction == IG_HEAT_STENCIL; i++) {
    const ig_heat_step *step = &h->batch.step[i];
    for (int32_t k = step->list + 1; k < step->list + step->last - step->first; k++)
      node[k] = node[k] < 0 ? node[k - 1] : node[k];
  }
}

/* All ranks have written the same steps, births and watts. They learn here who inherits from whom,
   and whether nodes of any rank take a new prescribed temperature (`held`). */
static ig_status batch_share(ig_ctx *cx, ig_heat *h, bool *held) {
  int64_t most = h->batch.held_count;
  IG_TRY(ig_ranks_max(cx, IG_OK, &most, 1));
  *held = most > 0;
  if (!ig_heat_is_divided(h))
    return IG_OK;
  sources_number(h);
  return h->next.event > h->now.event ? ig_heat_part_inheritors(cx, h, IG_OK) : IG_OK;
}

/* What was written, to the device. */
static ig_status batch_push(ig_ctx *cx, ig_heat *h) {
  if (h->rows.book)
    IG_TRY(ig_heat_rows_push(cx, h));
  IG_TRY(ig_heat_push(cx, &h->batch.source_node, (size_t)h->batch.list_count));
  if (h->batch.powers_given)
    IG_TRY(ig_heat_push(cx, &h->batch.source_power, (size_t)h->batch.source_count));
  return ig_heat_patches_push(cx, h);
}

/* --- its steps */

/* Whether births come before step i, on any rank. */
static bool births_before(const ig_heat *h, int i) {
  const ig_heat_step *step = &h->batch.step[i];
  return step->there.event > (i ? step[-1].there.event : h->now.event);
}

/* The end of the steps from i on that follow each other without births or looks in between. */
static int steps_end(const ig_heat *h, int i) {
  int end = i + 1;
  while (end < h->batch.step_count && h->batch.step[end - 1].look <= 0 && !births_before(h, end))
    end++;
  return end;
}

static ig_status steps_phase(ig_ctx *cx, ig_heat *h, ig_heat_phase phase, int first, int last) {
  h->phase = phase;
  return h->elements ? h->ops->steps(cx, h, first, last) : IG_OK;
}

/* One step of a part: what needs no ghost, while those of the step before travel; then the rest. On
   a CPU steps in stencil form go ahead where ghosts do not reach. */
static ig_status step_exchange(ig_ctx *cx, ig_heat *h, int i, bool travelling, ig_status status) {
  const bool ahead = h->conduction == IG_HEAT_STENCIL && cx->backend->kernels == IG_KERNELS_CPU;
  if (status == IG_OK && travelling)
    status = part_melt(cx, h, IG_HEAT_EARLY);
  if (status == IG_OK)
    status = steps_phase(cx, h, IG_HEAT_EARLY, i, ahead ? steps_end(h, i) : i + 1);
  if (travelling)
    status = ghosts_take(cx, h, IG_HEAT_LATE, status);
  if (status == IG_OK)
    status = steps_phase(cx, h, IG_HEAT_LATE, i, i + 1);
  return ghosts_send(cx, h, status);
}

/* Births before step i. */
static ig_status step_births(ig_ctx *cx, ig_heat *h, int i, ig_status status) {
  const ig_heat_step *step = &h->batch.step[i];
  status = ig_heat_part_inherit(cx, h, i, status);
  if (status == IG_OK)
    status = patches_apply(cx, h, step->patch_first, step->patch_last);
  return ghosts_refresh(cx, h, status);
}

/* One rank takes as many steps together as have no birth or look between them; several take one by
   one. A rank that fails goes on exchanging, for the others wait for it; all learn of it when they
   meet after the batch. */
static ig_status steps_take(ig_ctx *cx, ig_heat *h, ig_status status) {
  const bool exchanges = ig_heat_is_divided(h);
  bool travelling = false;
  for (int i = 0, stop; i < h->batch.step_count; i = stop) {
    if (births_before(h, i)) {
      if (travelling)
        status = ghosts_take(cx, h, IG_HEAT_ALL, status);
      travelling = false;
      status = step_births(cx, h, i, status);
    }
    h->now = h->batch.step[i].there;
    stop = exchanges ? i + 1 : steps_end(h, i);
    const ig_heat_step *last = &h->batch.step[stop - 1];
    if (exchanges)
      status = step_exchange(cx, h, i, travelling, status);
    else if (status == IG_OK)
      status = h->ops->steps(cx, h, i, stop);
    travelling = exchanges && last->look <= 0 && stop < h->batch.step_count;
    if (exchanges && !travelling)
      status = ghosts_take(cx, h, IG_HEAT_ALL, status);
    if (last->look > 0 && status == IG_OK && h->elements)
      status = h->ops->track(cx, h, last->look, last->time);
  }
  h->phase = IG_HEAT_ALL;
  h->rows.ahead = 0; /* as after every batch, but for one that failed */
  return status;
}

/* CUDA, small models: all of the batch in one launch. */
static ig_status resident_take(ig_ctx *cx, ig_heat *h) {
  const size_t count = (size_t)h->batch.step_count;
  if (h->batch.steps.count < count) {
    ig_array_free(cx, &h->batch.steps);
    IG_TRY(ig_array_new_device(cx, &h->batch.steps, 2 * count, sizeof *h->batch.step, "steps"));
  }
  IG_TRY(
      cx->backend->copy_in(cx, h->batch.steps.dev, h->batch.step, count * sizeof *h->batch.step));
  IG_TRY(h->ops->resident(cx, h));
  h->now = h->batch.step[count - 1].there;
  return IG_OK;
}

/* What a checkpoint keeps besides arrays, as of the steps that were run. */
static void totals_note(ig_heat *h) {
  h->totals[0] = h->start_content;
  h->totals[1] = (double)h->steps_done;
  h->totals[2] = h->past.time;
  h->totals[3] = h->past.steps;
}

/* Agreement of ranks comes after all that can fail on one rank alone (memory, copies): from there
   on every rank sends and receives the same messages, whatever its own status is. */
ig_status ig_heat_batch_run(ig_ctx *cx, ig_heat *h) {
  bool held;
  IG_TRY(batch_share(cx, h, &held));
  const ig_status ready = batch_push(cx, h);
  IG_TRY(ig_ranks_agree(cx, ready)); /* from here on each waits for the others */
  h->part.counted = false;
  ig_status status = IG_OK;
  if (held)
    status = ghosts_refresh(cx, h, patches_apply(cx, h, 0, h->batch.held_count));
  if (h->resident.on && h->batch.step_count && status == IG_OK)
    status = resident_take(cx, h);
  else
    status = steps_take(cx, h, status);
  IG_TRY(status);
  h->steps_done += h->batch.step_count;
  ig_heat_batch_clear(h);
  totals_note(h);
  return IG_OK;
}
