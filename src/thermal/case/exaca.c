/* Every melting and solidification of every element, as ExaCA reads them (io/format/exaca.h). The
   engine lists when mean temperatures cross the liquidus and the solidus; here these become events
   as those of `powder` are: one begins above the liquidus and ends below the solidus. An element
   that is heated above the liquidus again before has been molten all the time. */
#include "backend/backend.h"
#include "io/format/exaca.h"
#include "ranks/allgather.h"
#include "thermal/engine/heat_make.h"
#include "thermal/thermal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ig_status ig_thermal_exaca_check(const ig_thermal_run *run) {
  const ig_thermal_case *c = run->c;
  if (c->exaca == IG_THERMAL_EXACA_NONE || run->heat.past.every)
    return IG_OK;
  const ig_src at = ig_key_at(run->job->tree, "exaca", c->at);
  return ig_fail_at(run->job->cx, &at,
                    "exaca: nothing is kept of melting: give a material with solidus and liquidus, "
                    "and `track_every` of at least 1");
}

/* --- crossings */

static ig_status reserve(ig_thermal_run *run, int64_t count) {
  if (count <= run->crossings_room)
    return IG_OK;
  const int64_t room = count > 2 * run->crossings_room ? count : 2 * run->crossings_room;
  ig_heat_crossing *more = realloc(run->crossing, (size_t)room * sizeof *more);
  if (!more)
    return IG_FAIL(run->job->cx, IG_MEMORY, "no memory for %lld events", (long long)room);
  run->crossing = more;
  run->crossings_room = room;
  return IG_OK;
}

/* Elements that other ranks count are left to these. */
static ig_status drain(ig_thermal_run *run) {
  ig_ctx *cx = run->job->cx;
  const ig_heat *h = &run->heat;
  ig_heat_past *past = &run->heat.past;
  IG_TRY(ig_array_pull(cx, &past->crossings));
  const uint64_t now = *(const uint64_t *)past->crossings.host;
  if (now == 0)
    return IG_OK;
  if (now > past->crossing.count)
    return IG_FAIL(cx, IG_NUMERIC,
                   "elements melted and froze %llu times between two looks at the list of events, "
                   "which holds %zu: write output more often (output.history_every)",
                   (unsigned long long)now, past->crossing.count);
  IG_TRY(reserve(run, run->crossings + (int64_t)now));
  ig_heat_crossing *to = run->crossing + run->crossings;
  IG_TRY(cx->backend->copy_out(cx, to, past->crossing.dev, (size_t)now * sizeof *to));
  for (uint64_t i = 0; i < now; i++) {
    ig_heat_crossing c = to[i];
    if (!ig_heat_is_own(h, c.cell))
      continue;
    c.element = h->cell_of ? h->cell_of[c.cell] : c.cell;
    run->crossing[run->crossings++] = c;
  }
  return ig_array_zero(cx, &past->crossings);
}

ig_status ig_thermal_exaca_drain(ig_thermal_run *run) {
  return run->heat.past.crossings.count ? drain(run) : IG_OK;
}

/* An order that does not depend on threads: elements of the whole, times, what comes first. */
static int by_element(const void *a, const void *b) {
  const ig_heat_crossing *p = a, *q = b;
  return p->element != q->element ? (p->element > q->element) - (p->element < q->element)
         : p->time != q->time     ? (p->time > q->time) - (p->time < q->time)
                                  : p->kind - q->kind;
}

/* --- checkpoints: rows of element, time, cooling, kind */

enum { KEPT = 4 };
static int by_row(const void *a, const void *b) {
  const double *p = a, *q = b;
  for (int i = 0; i < KEPT; i++)
    if (p[i] != q[i])
      return p[i] < q[i] ? -1 : 1;
  return 0;
}

ig_status ig_thermal_exaca_keep(ig_thermal_run *run, double **rows, int64_t *count) {
  ig_ctx *cx = run->job->cx;
  double(*mine)[KEPT] = NULL;
  void *all = NULL;
  ig_status status = ig_thermal_exaca_drain(run);
  if (status == IG_OK)
    status = IG_NEW(cx, &mine, run->crossings, "checkpoint");
  for (int64_t i = 0; i < run->crossings && status == IG_OK; i++) {
    const ig_heat_crossing *c = &run->crossing[i];
    const double row[KEPT] = {c->element, c->time, (double)c->cooling, c->kind};
    memcpy(mine[i], row, sizeof row);
  }
  status = ig_ranks_allgatherv(cx, status, mine, run->crossings, sizeof *mine, by_row, &all, count,
                               NULL);
  free(mine);
  *rows = all;
  *count *= KEPT;
  return status;
}

ig_status ig_thermal_exaca_take(ig_thermal_run *run, const double *row, int64_t count) {
  ig_ctx *cx = run->job->cx;
  const ig_heat *h = &run->heat;
  int64_t whole = h->part.cells.whole_count;
  int32_t *cell = NULL; /* of elements of the whole, + 1; 0: another rank counts it */
  whole = h->cell_of ? whole : h->elements;
  IG_TRY(reserve(run, count / KEPT));
  IG_TRY(IG_NEW(cx, &cell, whole, "checkpoint"));
  for (ig_lid e = 0; e < h->elements; e++)
    if (ig_heat_is_own(h, e))
      cell[h->cell_of ? h->cell_of[e] : e] = e + 1;
  ig_status status = IG_OK;
  run->crossings = 0;
  for (int64_t i = 0; i < count / KEPT && status == IG_OK; i++, row += KEPT) {
    if (!(row[0] >= 0 && row[0] < (double)whole && row[3] >= IG_CROSSING_MELTS &&
          row[3] <= IG_CROSSING_FREEZES))
      status = IG_FAIL(cx, IG_INPUT, "the checkpoint is not of this case");
    else if (cell[(int64_t)row[0]])
      run->crossing[run->crossings++] = (ig_heat_crossing){.element = (int32_t)row[0],
                                                           .time = row[1],
                                                           .cooling = (float)row[2],
                                                           .kind = (int32_t)row[3],
                                                           .cell = cell[(int64_t)row[0]] - 1};
  }
  free(cell);
  return status;
}

/* --- events */

/* A row: element of the whole, its centre, when it melted, when it fell below the liquidus, how
   fast it cooled from there to the solidus. */
enum { ROW = 1 + IG_EXACA_COLUMNS };

static void centre_of(const ig_heat *h, ig_lid e, double *x) {
  ig_lid local;
  const ig_block *block = ig_mesh_element(h->mesh, h->birth.order[e], &local);
  const int nodes = ig_elem_info_get(block->type)->nodes;
  const ig_lid *conn = block->conn + (int64_t)nodes * local;
  x[0] = x[1] = x[2] = 0;
  for (int a = 0; a < nodes; a++)
    for (int d = 0; d < 3; d++)
      x[d] += h->mesh->x[3 * (int64_t)conn[a] + d] / nodes;
}

/* Events of this rank's elements from sorted crossings; *open: elements that are molten still. */
static int64_t events_make(const ig_thermal_run *run, double (*rows)[ROW], int64_t *open) {
  const ig_heat *h = &run->heat;
  int64_t count = 0;
  double melted = NAN, cooled = NAN;
  *open = 0;
  for (int64_t i = 0; i < run->crossings; i++) {
    const ig_heat_crossing *c = &run->crossing[i];
    if (i == 0 || c[-1].element != c->element)
      melted = cooled = NAN;
    if (c->kind == IG_CROSSING_MELTS)
      melted = isnan(melted) ? c->time : melted;
    else if (c->kind == IG_CROSSING_COOLS)
      cooled = c->time;
    else if (!isnan(melted) && cooled >= melted) {
      const int m = ((const uint8_t *)h->material.of.host)[c->cell];
      const ig_material_case *metal = IG_ITEM(const ig_material_case, *run->job->materials, m);
      const double range = metal->liquidus - metal->solidus, takes = c->time - cooled;
      double *row = rows[count++];
      row[0] = c->element;
      centre_of(h, c->cell, row + 1);
      row[4] = melted;
      row[5] = cooled;
      row[6] = range >= 1 && takes > 0 ? range / takes : (double)c->cooling;
      melted = NAN;
    }
    *open += !isnan(melted) && (i + 1 == run->crossings || c[1].element != c->element);
  }
  return count;
}

static int by_event(const void *a, const void *b) {
  const double *p = a, *q = b;
  return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[4] > q[4]) - (p[4] < q[4]);
}

/* The file is made in memory and handed to the sink as a whole: files appear complete or not at
   all. */
static ig_status file_write(const ig_thermal_run *run, const double (*row)[ROW], int64_t count,
                            ig_sink *sink) {
  ig_ctx *cx = run->job->cx;
  const bool binary = run->c->exaca == IG_THERMAL_EXACA_BINARY;
  const int format = binary ? IG_EXACA_BINARY : IG_EXACA_TEXT;
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a file of events");
  ig_exaca_head(f, format);
  for (int64_t i = 0; i < count; i++)
    ig_exaca_event(f, format, row[i] + 1);
  const bool failed = ferror(f);
  ig_status status = fclose(f) != 0 || failed
                         ? IG_FAIL(cx, IG_MEMORY, "no memory for a file of events")
                         : sink->file(sink, binary ? "exaca.catemp" : "exaca.csv", text, size);
  free(text);
  return status == IG_OK ? sink->result(sink, "events", "", (double)count) : status;
}

#define MANY_SHORT 0.05 /* of the events, where looks are in every step */

/* Events that are so short that another one like them may have passed between two looks. */
static void short_warn(const ig_thermal_run *run, const double (*row)[ROW], int64_t count) {
  const int every = run->heat.past.every;
  const double apart = every * run->dt;
  int64_t brief = 0;
  for (int64_t i = 0; i < count; i++)
    brief += row[i][5] - row[i][4] < 2 * apart;
  if (every < 2 && (double)brief > MANY_SHORT * (double)count) {
    const ig_src step = ig_key_at(run->job->tree, "time_step", run->c->at);
    ig_warn_at(run->job->cx, &step,
               "events: %lld of %lld meltings lasted less than two steps of %.3g s: others as "
               "short are missed, and times are off by as much; give a shorter `time_step`",
               (long long)brief, (long long)count, run->dt);
  }
  if (every < 2 || !brief)
    return;
  const ig_src at = ig_key_at(run->job->tree, "track_every", run->c->at);
  ig_warn_at(run->job->cx, &at,
             "events: %lld of %lld meltings lasted less than two looks, %.3g s apart (%d steps): "
             "others as short are missed, and times are off by as much; leave out track_every",
             (long long)brief, (long long)count, apart, every);
}

static void events_warn(const ig_thermal_run *run, int64_t events, int64_t open) {
  const ig_src at = ig_key_at(run->job->tree, "exaca", run->c->at);
  if (open)
    ig_warn_at(run->job->cx, &at,
               "%lld elements are molten at the end: their last melting is not in the file of "
               "events; let the run go on until they freeze",
               (long long)open);
  else if (events == 0)
    ig_warn_at(run->job->cx, &at,
               run->heat.past.every > 1
                   ? "no event: no element melted and froze, or none for as long as looks are "
                     "apart: leave out track_every"
                   : "no event: no element melted and froze");
}

ig_status ig_thermal_exaca(ig_thermal_run *run, ig_sink *sink) {
  ig_ctx *cx = run->job->cx;
  double(*mine)[ROW] = NULL;
  void *all = NULL;
  int64_t count = 0, open = 0, events = 0;
  if (run->c->exaca == IG_THERMAL_EXACA_NONE)
    return IG_OK;
  ig_status status = ig_thermal_exaca_drain(run);
  if (status == IG_OK)
    status = IG_NEW(cx, &mine, run->crossings, "events");
  if (status == IG_OK && run->crossings > 0) {
    qsort(run->crossing, (size_t)run->crossings, sizeof *run->crossing, by_element);
    count = events_make(run, mine, &open);
  }
  status =
      ig_ranks_allgatherv(cx, status, mine, count, sizeof *mine, by_event, &all, &events, NULL);
  free(mine);
  if (status == IG_OK)
    status = ig_ranks_sum_lists(cx, status, open, &open);
  if (status == IG_OK && ig_ranks_first(cx))
    status = file_write(run, (const double(*)[ROW])all, events, sink);
  if (status == IG_OK && ig_ranks_first(cx))
    events_warn(run, events, open);
  if (status == IG_OK && ig_ranks_first(cx))
    short_warn(run, (const double(*)[ROW])all, events);
  free(all);
  return status;
}
