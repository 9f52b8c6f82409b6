/* The state: temperatures, surveys, the ledger, checkpoints, sizes. */
#include "thermal/heat_make.h"
#include "backend/backend.h"
#include "core/rising.h"
#include "thermal/heat_ops.h"
#include "thermal/heat_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ig_status ig_heat_temperatures(ig_ctx *cx, ig_heat *h, double *T) {
  if (h->part)
    return ig_heat_part_temperatures(cx, h, T);
  IG_TRY(ig_array_pull(cx, &h->node.T));
  for (ig_lid n = 0; n < h->nodes; n++)
    T[n] = ig_heat_get(h->node.T.host, ig_heat_state_size(h), n);
  return IG_OK;
}

static void volume_of(const ig_heat *h, ig_lid n, double *volume) {
  for (int m = 0; m < h->material.count; m++)
    volume[m] =
        ig_heat_get(h->node.volume.host, ig_heat_state_size(h), (int64_t)n * h->material.count + m);
}

/* place: of nodes in T, NULL: their numbers. */
static ig_status nodes_set(ig_ctx *cx, ig_heat *h, const ig_lid *place, const double *T) {
  const size_t size = ig_heat_state_size(h);
  double volume[16];
  if (h->node.H.host)
    IG_TRY(ig_array_pull(cx, &h->node.volume));
  for (ig_lid n = 0; n < h->nodes; n++) {
    const double value = T[place ? place[n] : n];
    ig_heat_put(h->node.T.host, size, n, value);
    if (h->node.H.host) {
      volume_of(h, n, volume);
      ig_heat_put(h->node.H.host, size, n, ig_heat_content_of(h, volume, value));
    }
  }
  if (h->node.H.host)
    IG_TRY(ig_array_push(cx, &h->node.H));
  IG_TRY(ig_array_push(cx, &h->node.T));
  return ig_heat_next_fill(cx, h);
}

/* On ranks: of the part, ghosts too. */
ig_status ig_heat_set_temperatures(ig_ctx *cx, ig_heat *h, const double *T) {
  ig_heat *l = ig_heat_stepper(h);
  if (h->part)
    h->part->counted = false;
  if (l)
    IG_TRY(nodes_set(cx, l, h->part->part.node, T));
  else if (!h->part)
    IG_TRY(nodes_set(cx, h, NULL, T));
  ig_heat_ledger ledger;
  IG_TRY(ig_heat_ledger_read(cx, h, &ledger));
  ledger.start = 0;
  h->start_content = h->totals[0] = ig_heat_ledger_gap(&ledger);
  return IG_OK;
}

ig_status ig_heat_ask(ig_ctx *cx, ig_heat *h, const ig_heat_question *q, ig_heat_survey *found) {
  return h->part ? ig_heat_part_ask(cx, h, q, IG_HEAT_SURVEY_PARTS, found)
                 : ig_heat_survey_make(cx, h, q, found);
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
                          .held = s->sum[IG_LEDGER_HELD] + s->sum[IG_LEDGER_HELD_ANEW]};
}

ig_status ig_heat_ledger_read(ig_ctx *cx, ig_heat *h, ig_heat_ledger *l) {
  const ig_heat_question nothing = {0};
  ig_heat_survey s;
  IG_TRY(ig_heat_ask(cx, h, &nothing, &s));
  *l = ig_heat_ledger_of(h, &s);
  return IG_OK;
}

/* What a checkpoint holds of each array. */
static int saved_list(ig_heat *h, ig_array **arrays, const char **names, ig_dtype *types) {
  const ig_dtype state = h->precision == IG_SINGLE ? IG_F32 : IG_F64;
  ig_array *all[] = {&h->node.T,      &h->node.H,         &h->node.ledger,
                     &h->face.ledger, &h->material.solid, &h->past.track};
  static const char *const name[] = {"T", "H", "node_ledger", "face_ledger", "solid", "track"};
  const ig_dtype type[] = {state, state, IG_F64, IG_F64, IG_U8, IG_F32};
  int n = 0;
  for (int i = 0; i < 6; i++)
    if (all[i]->host && all[i]->count) {
      arrays[n] = all[i];
      names[n] = name[i];
      types[n++] = type[i];
    }
  return n;
}

ig_status ig_heat_save(ig_ctx *cx, ig_heat *h, ig_saved *saved, int *count) {
  ig_array *arrays[IG_HEAT_SAVED];
  const char *names[IG_HEAT_SAVED];
  ig_dtype types[IG_HEAT_SAVED];
  *count = 0;
  if (h->part)
    ig_heat_part_saved(h, saved, count);
  const int held = saved_list(h, arrays, names, types);
  for (int i = 0; i < held; i++) {
    IG_TRY(ig_array_pull(cx, arrays[i]));
    saved[(*count)++] = (ig_saved){names[i], types[i], (int64_t)arrays[i]->count, arrays[i]->host};
  }
  saved[(*count)++] = (ig_saved){"totals", IG_F64, 4, h->totals};
  return IG_OK;
}

ig_status ig_heat_restore(ig_ctx *cx, ig_heat *h, const ig_restart *restart) {
  ig_array *arrays[IG_HEAT_SAVED];
  const char *names[IG_HEAT_SAVED];
  ig_dtype types[IG_HEAT_SAVED];
  const int count = saved_list(h, arrays, names, types);
  const void *data;
  for (int i = 0; i < count; i++) {
    IG_TRY(ig_restart_find(cx, restart, names[i], types[i], (int64_t)arrays[i]->count, &data));
    memcpy(arrays[i]->host, data, arrays[i]->count * arrays[i]->size);
    IG_TRY(ig_array_push(cx, arrays[i]));
  }
  IG_TRY(ig_heat_next_fill(cx, h));
  IG_TRY(ig_restart_find(cx, restart, "totals", IG_F64, 4, &data));
  memcpy(h->totals, data, sizeof h->totals);
  h->start_content = h->totals[0];
  h->steps_done = (int64_t)h->totals[1];
  h->past.time = h->totals[2];
  h->past.steps = (int)h->totals[3];
  return ig_heat_part_restore(cx, h, restart);
}

double ig_heat_ledger_gap(const ig_heat_ledger *l) {
  return l->stored - l->start - l->source - l->flux - l->body - l->born + l->convected +
         l->radiated + l->held;
}

ig_status ig_heat_born_content(ig_ctx *cx, ig_heat *h, double T, double *content) {
  double row[8];
  *content = 0;
  if (h->part)
    return ig_heat_part_born_content(cx, h, T, content);
  for (ig_lid e = h->birth.start[1]; e < h->now.elements; e++) {
    ig_heat_contents_of(h, e, T, row);
    for (int a = 0; a < 8; a++)
      *content += row[a];
  }
  return IG_OK;
}

ig_status ig_heat_measure(ig_ctx *cx, ig_heat *h, double *volume, double *area) {
  double row[IG_HEAT_SIZES];
  *volume = *area = 0;
  if (h->part)
    return ig_heat_part_measure(cx, h, volume, area);
  for (ig_lid e = 0; e < h->now.elements; e++) {
    ig_heat_sizes_of(h, e, NULL, row);
    for (int a = 0; a < 8; a++)
      *volume += row[a];
    for (int i = 8; i < IG_HEAT_SIZES; i++)
      *area += row[i];
  }
  return IG_OK;
}

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

ig_lid ig_heat_whole_elements(const ig_heat *h, ig_lid cells) {
  ig_lid count = 0; /* the cells of an element follow each other */
  if (h->calendar)  /* those that are there have come with an event */
    return h->birth.mesh[ig_rising_below(h->birth.start, h->birth.events + 1, cells)];
  for (ig_lid e = 0; e < cells; e++)
    count += e == 0 || h->birth.order[e] != h->birth.order[e - 1];
  return count;
}
