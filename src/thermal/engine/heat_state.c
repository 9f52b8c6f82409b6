/* The state as the room sees it: temperatures, surveys, the heat balance, checkpoints, sizes. All
   of them are collective: every rank calls them, and values of the whole come back on all ranks. */
#include "thermal/engine/heat_make.h"
#include "backend/backend.h"
#include "thermal/engine/heat_arrays.h"
#include "thermal/engine/heat_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ig_status ig_heat_temperatures(ig_ctx *cx, ig_heat *h, double *T) {
  (void)cx;
  return ig_arrays_get(ig_heat_arrays(h), "T", T);
}

/* Volumes of the materials at a node, m^3; from the host side. */
static void volume_of(const ig_heat *h, ig_lid n, double *volume) {
  for (int m = 0; m < h->material.count; m++)
    volume[m] =
        ig_heat_get(h->node.volume.host, ig_heat_state_size(h), (int64_t)n * h->material.count + m);
}

/* Of the part, ghosts too. T: nodes of the whole. */
static ig_status nodes_set(ig_ctx *cx, ig_heat *h, const double *T) {
  const size_t size = ig_heat_state_size(h);
  double volume[16];
  const bool contents = h->node.H.host && h->elements;
  if (contents)
    IG_TRY(ig_array_pull(cx, &h->node.volume));
  for (ig_lid n = 0; n < h->nodes; n++) {
    const double value = T[h->node_of ? h->node_of[n] : n];
    ig_heat_put(h->node.T.host, size, n, value);
    if (contents) {
      volume_of(h, n, volume);
      ig_heat_put(h->node.H.host, size, n, ig_heat_content_of(h, volume, value));
    }
  }
  if (contents)
    IG_TRY(ig_array_push(cx, &h->node.H));
  IG_TRY(ig_array_push(cx, &h->node.T));
  return ig_heat_next_fill(cx, h);
}

/* Temperatures set from outside bring or take heat that no source accounts for. It is added to the
   content at the start, so that the balance closes from here on. */
ig_status ig_heat_set_temperatures(ig_ctx *cx, ig_heat *h, const double *T) {
  ig_heat_ledger ledger;
  h->part.counted = false;
  IG_TRY(nodes_set(cx, h, T));
  IG_TRY(ig_heat_ledger_read(cx, h, &ledger));
  ledger.start = 0;
  h->start_content = h->totals[0] = ig_heat_ledger_gap(&ledger);
  return IG_OK;
}

/* A rank without elements has nothing to add and takes part all the same. */
ig_status ig_heat_ask(ig_ctx *cx, ig_heat *h, const ig_heat_question *q, ig_heat_survey *found) {
  ig_status status = IG_OK;
  memset(found, 0, sizeof *found);
  for (int i = 0; i < IG_SURVEY_EXTREMES; i++) {
    found->low[i] = 1e300;
    found->high[i] = -1e300;
  }
  if (h->elements)
    status = ig_heat_survey_make(cx, h, q, found);
  return ig_heat_part_survey(cx, h, q, status, found);
}

ig_heat_ledger ig_heat_ledger_of(const ig_heat *h, const ig_heat_survey *s) {
  return (ig_heat_ledger){.start = h->start_content,
                          .stored = s->sum[IG_SURVEY_STORED],
                          .source = s->sum[IG_LEDGER_SOURCE],
                          .flux = s->sum[IG_LEDGER_FLUX],
                          .body = s->sum[IG_LEDGER_BODY],
                          .born = s->sum[IG_LEDGER_BORN],
                          .convected = s->sum[IG_LEDGER_CONVECTED],
                          .radiated = s->sum[IG_LEDGER_RADIATED],
                          .evaporated = s->sum[IG_SURVEY_EVAPORATED],
                          .held = s->sum[IG_LEDGER_HELD] + s->sum[IG_LEDGER_HELD_ANEW]};
}

ig_status ig_heat_ledger_read(ig_ctx *cx, ig_heat *h, ig_heat_ledger *l) {
  const ig_heat_question nothing = {0};
  ig_heat_survey s;
  IG_TRY(ig_heat_ask(cx, h, &nothing, &s));
  *l = ig_heat_ledger_of(h, &s);
  return IG_OK;
}

/* --- checkpoints */

ig_status ig_heat_save(ig_heat *h, double time, int64_t step, const ig_saved *own, int count,
                       ig_sink *to) {
  ig_saved all[8];
  if (count >= 8)
    return IG_FAIL(ig_heat_arrays(h)->cx, IG_ARG, "a checkpoint has %d arrays beside the state",
                   count);
  memcpy(all, own, (size_t)count * sizeof *own);
  all[count] = (ig_saved){"totals", IG_F64, 4, h->totals};
  return ig_arrays_save(ig_heat_arrays(h), time, step, all, count + 1, to);
}

/* After ig_heat_begin_at for the time of the checkpoint: geometry follows from births, only the
   state is read. Fails where an array is missing or of another size. */
ig_status ig_heat_restore(ig_ctx *cx, ig_heat *h, const ig_restart *restart) {
  const void *data;
  IG_TRY(ig_arrays_restore(ig_heat_arrays(h), restart));
  IG_TRY(ig_heat_next_fill(cx, h));
  IG_TRY(ig_restart_find(cx, restart, "totals", IG_F64, 4, &data));
  memcpy(h->totals, data, sizeof h->totals);
  h->part.counted = false;
  h->start_content = h->totals[0];
  h->steps_done = (int64_t)h->totals[1];
  h->past.time = h->totals[2];
  h->past.steps = (int)h->totals[3];
  return IG_OK;
}

double ig_heat_ledger_gap(const ig_heat_ledger *l) {
  return l->stored - l->start - l->source - l->flux - l->body - l->born + l->convected +
         l->radiated + l->evaporated + l->held;
}

/* --- sizes of what is there: rows of elements, added in the order of the whole */

/* What is summed over rows; T: the temperature from which content is counted. */
typedef struct {
  const ig_heat *h;
  double T, volume, area, content;
} sizing;

/* Elements that are not there yet are rows of zeros: the order of sums does not change with births.
 */
static void sizes_row(void *user, int64_t e, void *row) {
  const ig_heat *h = ((const sizing *)user)->h;
  memset(row, 0, IG_HEAT_SIZES * sizeof(double));
  if (e < h->now.elements)
    ig_heat_sizes_of(h, (ig_lid)e, row);
}

static ig_status sizes_add(void *user, const void *rows, int64_t first, int64_t count) {
  sizing *s = user;
  const double *row = rows;
  (void)first;
  for (int64_t i = 0; i < count; i++, row += IG_HEAT_SIZES) {
    for (int a = 0; a < 8; a++)
      s->volume += row[a];
    for (int k = 8; k < IG_HEAT_SIZES; k++)
      s->area += row[k];
  }
  return IG_OK;
}

ig_status ig_heat_measure(ig_ctx *cx, ig_heat *h, double *volume, double *area) {
  sizing s = {.h = h};
  IG_TRY(ig_arrays_rows(ig_heat_arrays(h), IG_HEAT_CELLS, IG_HEAT_SIZES * sizeof(double), sizes_row,
                        sizes_add, &s, IG_OK));
  double found[2] = {s.volume, s.area};
  IG_TRY(ig_ranks_bcast(cx, 0, found, sizeof found));
  *volume = found[0];
  *area = found[1];
  return IG_OK;
}

/* Those that were there from the start bring none. */
static void contents_row(void *user, int64_t e, void *row) {
  const sizing *s = user;
  memset(row, 0, 8 * sizeof(double));
  if (e >= s->h->birth.start[1] && e < s->h->now.elements)
    ig_heat_contents_of(s->h, (ig_lid)e, s->T, row);
}

static ig_status contents_add(void *user, const void *rows, int64_t first, int64_t count) {
  sizing *s = user;
  const double *row = rows;
  (void)first;
  for (int64_t i = 0; i < 8 * count; i++)
    s->content += row[i];
  return IG_OK;
}

ig_status ig_heat_born_content(ig_ctx *cx, ig_heat *h, double T, double *content) {
  sizing s = {.h = h, .T = T};
  IG_TRY(ig_arrays_rows(ig_heat_arrays(h), IG_HEAT_CELLS, 8 * sizeof(double), contents_row,
                        contents_add, &s, IG_OK));
  *content = s.content;
  return ig_ranks_bcast(cx, 0, content, sizeof *content);
}

/* A lower bound of the memory traffic of one step, for benchmarks and `bytes_moved`: every array
   that the chosen form reads or writes is counted once, as if caches held everything in between. */
double ig_heat_step_bytes(const ig_heat *h) {
  const double state = (double)ig_heat_state_size(h), work = (double)ig_heat_work_size(h);
  const double nodes = h->now.nodes, elements = h->now.elements, faces = h->now.faces;
  if (h->conduction == IG_HEAT_STENCIL) /* a byte or, on a GPU, a bit; temperature in and out */
    return nodes * ((h->rows.mask.dev ? 0.125 : 1) + 2 * state);
  double bytes = nodes * (2 * state + state + 2 * state) + elements * 32; /* T, 1/C, R; conn */
  bytes += h->conduction == IG_HEAT_RECOMPUTE ? nodes * 3 * work : elements * 4;
  if (h->elems.how == IG_GATHER)
    bytes += elements * (32 + 16 * state);
  if (h->elems.how ==
      IG_CLUSTER) /* no R but where sources or faces are; nodes of elements as 16 bit */
    bytes += ig_clusters_bytes(&h->cluster.of, 8, state) - nodes * 2 * state - elements * 32;
  if (h->surface == IG_HEAT_LUMPED) /* films themselves: few nodes have one */
    bytes += nodes;
  if (h->capacity == IG_HEAT_ENTHALPY)
    bytes += nodes * 2 * state;
  return bytes + elements + faces * (16 + 5 + 48);
}
