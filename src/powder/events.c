/* Events of melting and solidification (events.inc) from the device to files, one per layer, as
   ExaCA reads them. The device appends to a list in any order; the host empties it every few steps,
   keeps what belongs to the present layer, and sorts it by cell and time when the layer is over.
   So memory is that of one layer, and files do not depend on threads or blocks. */
#include "powder/powder.h"
#include "backend/backend.h"
#include "io/format/exaca.h"
#include "ranks/allgather.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CELLS 1e8 /* 2.4 GB */

/* Whole numbers, within those of the build. */
static ig_status layers_check(const ig_powder_run *r, const ig_powder_events_case *c) {
  const double first = c->layers[0], last = c->layers[1];
  if (isnan(first))
    return IG_OK;
  if (!(first >= 1 && last >= first && last <= (double)r->layers && first == floor(first) &&
        last == floor(last)))
    return ig_fail_at(r->cx, &c->at,
                      "events: layers [%g, %g]: expected the first and the last, whole numbers "
                      "from 1 to %lld",
                      first, last, (long long)r->layers);
  return IG_OK;
}

/* The temperatures that events are between. A cell of the bed is colder than the lower one at the
   start: else no event would end. */
static ig_status levels_make(ig_powder_run *r, const ig_powder_events_case *c) {
  ig_powder_events *e = &r->view.events;
  const ig_material_case *m = r->material;
  const double start = fmax(r->c->initial_temperature, ig_powder_new_T(r));
  e->high_T = isnan(c->high) ? m->liquidus : c->high;
  e->low_T = isnan(c->low) ? m->solidus : c->low;
  if (!(e->high_T >= e->low_T && e->low_T > start))
    return ig_fail_at(r->cx, &c->at,
                      "events: high %g K, low %g K: expected high not below low, and low above the "
                      "bed's %g K at the start",
                      e->high_T, e->low_T, start);
  e->high = isnan(c->high) ? r->tables->liquidus : ig_powder_table_heat(r->tables, c->high);
  e->low = isnan(c->low) ? r->tables->solidus : ig_powder_table_heat(r->tables, c->low);
  return IG_OK;
}

ig_status ig_powder_events_make(ig_powder_run *r) {
  const ig_powder_events_case *c = &r->c->events;
  ig_powder_events *e = &r->view.events;
  if (!c->at.given)
    return IG_OK;
  IG_TRY(ig_material_require(r->cx, r->material, "solidus|liquidus", "events"));
  IG_TRY(layers_check(r, c));
  IG_TRY(levels_make(r, c));
  IG_TRY(IG_NEW(r->cx, &r->event_lines, r->lines, "events"));
  double cells;
  if (!ig_powder_cells_in(r, c->min, c->max, e->at, e->n, &cells))
    return ig_fail_at(r->cx, &c->at, "the box of events is not in the bed");
  if (cells > MOST_CELLS)
    return ig_fail_at(r->cx, &c->at,
                      "events in %.3g cells: at most %g; take a smaller box, and others in runs of "
                      "their own",
                      cells, MOST_CELLS);
  ig_powder_arrays *a = &r->array;
  /* as often as a cell can freeze between two calls of ig_powder_events_drain; windows have
     hundreds of thousands of cells at most */
  e->most = (uint64_t)fmin(4 * cells, 1 << 22);
  IG_TRY(ig_array_new(r->cx, &a->event_cells, (size_t)cells * IG_EVENT_COLUMNS, sizeof(double),
                      "events"));
  IG_TRY(ig_array_new(r->cx, &a->event_list, (size_t)e->most, sizeof(ig_powder_event), "events"));
  IG_TRY(ig_array_new(r->cx, &a->event_count, IG_EVENTS_COUNTS, sizeof(uint64_t), "events"));
  IG_TRY(ig_array_zero(r->cx, &a->event_count));
  for (size_t i = 0; i < a->event_cells.count; i++)
    ig_powder_host(&a->event_cells)[i] = i % IG_EVENT_COLUMNS == IG_EVENT_HEAT ? 0 : NAN;
  e->cell = a->event_cells.dev;
  e->list = a->event_list.dev;
  e->count = a->event_count.dev;
  ig_powder_events_aim(r, 0);
  return IG_OK;
}

/* A layer is switched off by a box without cells: kernels ask for nothing else. */
void ig_powder_events_aim(ig_powder_run *r, int64_t layer) {
  const ig_powder_events_case *c = &r->c->events;
  ig_powder_events *e = &r->view.events;
  double cells;
  if (!c->at.given)
    return;
  (void)ig_powder_cells_in(r, c->min, c->max, e->at, e->n, &cells);
  if (!isnan(c->layers[0]) && ((double)layer < c->layers[0] || (double)layer > c->layers[1]))
    e->n[0] = 0;
}

ig_status ig_powder_events_reserve(ig_powder_run *r, int64_t count) {
  if (count <= r->events_room)
    return IG_OK;
  const int64_t room = count > 2 * r->events_room ? count : 2 * r->events_room;
  ig_powder_event *more = realloc(r->event, (size_t)room * sizeof *more);
  if (!more)
    return IG_FAIL(r->cx, IG_MEMORY, "no memory for %lld events", (long long)room);
  r->event = more;
  r->events_room = room;
  return IG_OK;
}

/* An order of events that does not depend on threads. */
static int by_cell(const void *a, const void *b) {
  const ig_powder_event *p = a, *q = b;
  return p->cell != q->cell ? (p->cell > q->cell) - (p->cell < q->cell)
                            : (p->melted > q->melted) - (p->melted < q->melted);
}

/* Where a beam is while it draws a line, and which way it goes. */
static void line_at(const ig_toolpath *p, const ig_powder_line *l, double time, double *x,
                    double *way) {
  int64_t i = l->first;
  while (i < l->last && p->t[i + 1] <= time)
    i++;
  const double *a = &p->x[3 * i], share = (time - p->t[i]) / (p->t[i + 1] - p->t[i]),
               length = hypot(a[3] - a[0], a[4] - a[1]);
  for (int d = 0; d < 2; d++) {
    x[d] = a[d] + share * (a[3 + d] - a[d]);
    way[d] = length > 0 ? (a[3 + d] - a[d]) / length : 0;
  }
}

/* An event into the record of the line that caused it, where its cell is one of the surface in the
   middle of that: the beam was within three radii when the cell melted, and not farther beside it
   than three quarters of a cell. */
static void line_take(ig_powder_run *r, const ig_powder_event *e) {
  const ig_powder_events *v = &r->view.events;
  const ig_powder_layer *layer = &r->layer_of[r->layer - 1];
  const int64_t c = e->cell, at[3] = {c % v->n[0], c / v->n[0] % v->n[1], c / v->n[0] / v->n[1]};
  if (v->at[2] + at[2] != r->bed - 1)
    return;
  for (int64_t i = layer->line; i < layer->line + layer->lines; i++) {
    const ig_powder_line *l = &r->line_of[i];
    const ig_toolpath *p = &r->laser[l->beam].path;
    double x[2], way[2], to[2];
    if (e->melted < p->t[l->first] || e->melted > p->t[l->last + 1])
      continue;
    line_at(p, l, e->melted, x, way);
    for (int d = 0; d < 2; d++)
      to[d] = r->low[d] + ((double)(v->at[d] + at[d]) + 0.5) * r->cell - x[d];
    if (hypot(to[0], to[1]) > 3 * r->radius ||
        fabs(to[0] * way[1] - to[1] * way[0]) > 0.75 * r->cell)
      continue;
    double *mean = r->event_lines[i], count = mean[IG_EVENT_LINE_COUNT] += 1;
    mean[IG_EVENT_LINE_ABOVE] += (e->cooled - e->melted - mean[IG_EVENT_LINE_ABOVE]) / count;
    mean[IG_EVENT_LINE_COOLING] += (e->cooling - mean[IG_EVENT_LINE_COOLING]) / count;
    return;
  }
}

/* The device's list, after those that the host has; *now: how many. */
static ig_status list_pull(ig_powder_run *r, int64_t *now) {
  const uint64_t *counts = r->array.event_count.host;
  *now = (int64_t)counts[IG_EVENTS_LISTED];
  if (counts[IG_EVENTS_LISTED] > r->view.events.most)
    return IG_FAIL(r->cx, IG_NUMERIC,
                   "%lld cells froze between two looks at the list of events, which holds %llu: "
                   "take a smaller box of events",
                   (long long)*now, (unsigned long long)r->view.events.most);
  IG_TRY(ig_powder_events_reserve(r, r->events + *now));
  IG_TRY(r->cx->backend->copy_out(r->cx, r->event + r->events, r->array.event_list.dev,
                                  (size_t)*now * sizeof *r->event));
  if (*now > 0)
    qsort(r->event + r->events, (size_t)*now, sizeof *r->event, by_cell);
  return IG_OK;
}

/* Those of all ranks instead, in the order of one; *lost of all. */
static ig_status list_join(ig_powder_run *r, ig_status status, int64_t *now, int64_t *lost) {
  void *all = NULL;
  int64_t sum = 0;
  if (ig_powder_ranks(r)) {
    const ig_powder_event *mine = r->event ? r->event + r->events : NULL;
    IG_TRY(ig_ranks_sum_lists(r->cx, status, *lost, lost));
    status =
        ig_ranks_allgatherv(r->cx, status, mine, *now, sizeof *r->event, by_cell, &all, &sum, NULL);
    if (status == IG_OK)
      status = ig_powder_events_reserve(r, r->events + sum);
    if (status == IG_OK && sum > 0)
      memcpy(r->event + r->events, all, (size_t)sum * sizeof *r->event);
    *now = sum;
    free(all);
  }
  return status;
}

ig_status ig_powder_events_drain(ig_powder_run *r) {
  ig_array *count = &r->array.event_count;
  int64_t now = 0;
  if (r->view.events.n[0] == 0)
    return IG_OK;
  IG_TRY(ig_array_pull(r->cx, count));
  const ig_status pulled = list_pull(r, &now);
  int64_t lost = (int64_t)((const uint64_t *)count->host)[IG_EVENTS_LOST];
  IG_TRY(list_join(r, pulled, &now, &lost));
  r->events_lost += (double)lost;
  if (now == 0 && lost == 0)
    return IG_OK;
  for (int64_t i = 0; i < now && r->layer > 0; i++)
    line_take(r, &r->event[r->events + i]);
  r->events += now;
  return ig_array_zero(r->cx, count);
}

double ig_powder_events_mean(const ig_powder_run *r, int column) {
  double sum = 0, count = 0;
  for (int64_t i = 0; i < r->lines && r->event_lines; i++) {
    sum += r->event_lines[i][IG_EVENT_LINE_COUNT] * r->event_lines[i][column];
    count += r->event_lines[i][IG_EVENT_LINE_COUNT];
  }
  return count > 0 ? sum / count : NAN;
}

/* Times count from when the layer was spread: ExaCA counts steps in 32 bits. */
ig_status ig_powder_events_write(ig_powder_run *r, ig_sink *to) {
  const ig_powder_events *e = &r->view.events;
  const int format = r->c->events.format;
  if (e->n[0] == 0 || r->layer == 0)
    return IG_OK;
  IG_TRY(ig_powder_events_drain(r));
  if (r->events > 0)
    qsort(r->event, (size_t)r->events, sizeof *r->event, by_cell);
  char name[64], *text = NULL;
  size_t size = 0;
  snprintf(name, sizeof name, "exaca-%04lld.%s", (long long)r->layer,
           format == IG_EXACA_BINARY ? "catemp" : "csv");
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return IG_FAIL(r->cx, IG_MEMORY, "no memory for %s", name);
  ig_exaca_head(f, format);
  const double birth = r->layer_of[r->layer - 1].birth;
  for (int64_t i = 0; i < r->events; i++) {
    const ig_powder_event *event = &r->event[i];
    const int64_t c = event->cell,
                  at[3] = {c % e->n[0], c / e->n[0] % e->n[1], c / e->n[0] / e->n[1]};
    double row[IG_EXACA_COLUMNS];
    for (int d = 0; d < 3; d++)
      row[d] = r->low[d] + ((double)(e->at[d] + at[d]) + 0.5) * r->cell;
    row[3] = event->melted - birth;
    row[4] = event->cooled - birth;
    row[5] = event->cooling;
    ig_exaca_event(f, format, row);
  }
  const bool failed = ferror(f);
  ig_status status = fclose(f) != 0 || failed ? IG_FAIL(r->cx, IG_MEMORY, "no memory for %s", name)
                                              : to->file(to, name, text, size);
  free(text);
  return status;
}

ig_status ig_powder_events_spread(ig_powder_run *r) {
  if (!r->c->events.at.given)
    return IG_OK;
  if (r->job->sink)
    IG_TRY(ig_powder_events_write(r, r->job->sink));
  else
    IG_TRY(ig_powder_events_drain(r));
  r->events_before += (double)r->events;
  r->events = 0;
  ig_powder_events_aim(r, r->layer + 1);
  return IG_OK;
}

void ig_powder_events_describe(const ig_powder_run *r, ig_check_line *line, void *user) {
  const ig_powder_events_case *c = &r->c->events;
  ig_powder_events e = {0};
  char text[200];
  double cells;
  if (!c->at.given || !ig_powder_cells_in(r, c->min, c->max, e.at, e.n, &cells))
    return;
  const double layers = isnan(c->layers[0]) ? (double)r->layers : c->layers[1] - c->layers[0] + 1,
               each = c->format == IG_EXACA_BINARY ? IG_EXACA_BINARY_BYTES : IG_EXACA_TEXT_BYTES;
  snprintf(text, sizeof text,
           "%lld x %lld x %lld cells of %g m in %g layers; %s%g bytes an event, %.3g MB a layer "
           "if every cell melts once in it",
           (long long)e.n[0], (long long)e.n[1], (long long)e.n[2], r->cell, layers,
           c->format == IG_EXACA_BINARY ? "" : "about ", each, 1e-6 * each * cells);
  line(user, "events", text);
}
