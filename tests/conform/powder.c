/* The powder bed on every backend against the CPU with one thread: two lasers that jump, windows
   that meet and part, layers, long steps, losses. The same cells melt, the same heat is counted. */
#include "check.h"
#include "powder_case.h"

#include <stdlib.h>

typedef struct {
  ig_powder_run r;
  ig_ctx *cx;
} bed;

static void build(bed *b, const char *backend, int threads, const ig_powder_case *c) {
  b->cx = ctx_on(backend, threads);
  ig_job job = {.cx = b->cx, .materials = &materials, .room_case = c};
  GOOD(b->cx, ig_powder_open(&job, &b->r));
  while (b->r.time < b->r.duration)
    GOOD(b->cx, ig_powder_advance(&b->r));
  GOOD(b->cx, ig_powder_events_drain(&b->r));
  GOOD(b->cx, ig_powder_pull(&b->r, ~0u));
}

static void close_bed(bed *b) {
  ig_powder_close(&b->r);
  ig_ctx_close(b->cx);
}

static double difference(const ig_array *a, const ig_array *b) {
  const double *x = a->host, *y = b->host;
  double most = 0, size = 0;
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < a->count; i++) {
    most = fmax(most, fabs(x[i] - y[i]));
    size = fmax(size, fabs(x[i]));
    assert_true(y[i] == y[i]);
  }
  assert_true(size > 0);
  return most / size;
}

/* Records of lines, column by column. Extents are where a temperature is met between two cells:
   what it is wrong by, over the difference between them. */
static void lines_compare(const ig_powder_run *p, const ig_powder_run *q) {
  const double *x = p->array.line.host, *y = q->array.line.host;
  for (int c = 0; c < IG_LINE_COLUMNS; c++) {
    double most = 0, size = 0;
    for (int64_t i = 0; i < p->lines; i++) {
      most = fmax(most, fabs(x[IG_LINE_COLUMNS * i + c] - y[IG_LINE_COLUMNS * i + c]));
      size = fmax(size, fabs(x[IG_LINE_COLUMNS * i + c]));
    }
    if (!(size > 0 && most <= 1e-8 * size))
      fail_msg("lines, column %d: %g of %g", c, most, size);
  }
}

static int by_cell(const void *a, const void *b) {
  const ig_powder_event *p = a, *q = b;
  return p->cell != q->cell ? (p->cell > q->cell ? 1 : -1) : (p->melted > q->melted ? 1 : -1);
}
/* Lists are in any order. */
static void events_compare(const ig_powder_run *p, const ig_powder_run *q) {
  assert_true(p->events > 100 && p->events_before > 100);
  assert_int_equal(p->events, q->events);
  assert_true(p->events_before == q->events_before && p->events_lost == q->events_lost);
  qsort(p->event, (size_t)p->events, sizeof *p->event, by_cell);
  qsort(q->event, (size_t)q->events, sizeof *q->event, by_cell);
  for (int64_t i = 0; i < p->events; i++) {
    const ig_powder_event *e = &p->event[i], *f = &q->event[i];
    assert_int_equal(e->cell, f->cell);
    assert_true(fabs(e->melted - f->melted) < 1e-8 * e->melted);
    assert_true(fabs(e->cooled - f->cooled) < 1e-8 * e->cooled);
    assert_true(fabs(e->cooling - f->cooling) < 1e-4 * e->cooling);
  }
}

static ig_powder_case two_lasers(ig_powder_probe *probe, bool boils) {
  ig_powder_case c = boils ? boiling() : small();
  c.hatch.layers = 2;
  c.hatch.lasers = 2;
  c.packing = 0.6;
  c.plate_temperature = 300;
  c.convection = 50;
  c.emissivity = 0.5;
  c.beam.depth = 40e-6;
  part.max[0] = 1e-3;
  *probe = (ig_powder_probe){.name = "here", .point = {0.5e-3, 0.15e-3, 10e-6}};
  c.probes = (ig_list){1, probe};
  c.map =
      (ig_powder_map_case){.at = {.given = true}, .min = {0, 0, -20e-6}, .max = {1e-3, 0.3e-3, 1}};
  c.events = (ig_powder_events_case){.at = {.given = true},
                                     .min = {0.1e-3, 0, -20e-6},
                                     .max = {1e-3, 0.3e-3, 1},
                                     .layers = {NAN, NAN},
                                     .high = NAN,
                                     .low = NAN};
  return c;
}

/* `fits`: windows as large as their pools. `boils`: with keyholes and vapour, whose exponentials
   have other last digits on a GPU. `order`: of the beam's profile. */
static void compare(const char *backend, bool fits, bool boils, double order) {
  ig_powder_probe probe;
  ig_powder_case c = two_lasers(&probe, boils);
  c.beam.order = order;
  c.liquid_conductivity = order > 2 ? 1.5 : 1;
  if (fits)
    c.grid.window[0] = c.grid.window[1] = c.grid.window[2] = NAN;
  bed a, b;
  build(&a, "cpu", 1, &c);
  build(&b, backend, 3, &c);
  const ig_powder_run *p = &a.r, *q = &b.r;
  assert_int_equal(p->step, q->step);
  assert_int_equal(p->fine_steps, q->fine_steps);
  assert_int_equal(p->moves, q->moves);
  assert_memory_equal(p->state, q->state, p->array.state.count);
  assert_true(difference(&p->array.heat, &q->array.heat) < (boils ? 1e-10 : 1e-12));
  lines_compare(p, q);
  assert_true(difference(&p->array.probe_peak, &q->array.probe_peak) < 1e-11);
  assert_true(difference(&p->array.source, &q->array.source) < 1e-11);
  const float *x = p->array.map.host, *y = q->array.map.host;
  int64_t frozen = 0;
  for (size_t i = 0; i < p->array.map.count; i++) {
    assert_true(isnan(x[i]) == isnan(y[i]));
    assert_true(isnan(x[i]) || fabs(x[i] - y[i]) <= 1e-4 * fabs(x[i]));
    frozen += i % IG_MAP_COLUMNS == IG_MAP_G && x[i] > 1e4;
  }
  assert_true(frozen > 100);
  events_compare(p, q);
  const ig_powder_ledger *l = &q->ledger;
  const double stored = ig_powder_stored(q) - q->stored0, in = l->source + l->born + l->sunk;
  assert_true(fabs(stored - (in - l->lost - l->held - l->evaporated)) < 1e-13 * in);
  assert_true(boils ? l->evaporated > 1e-3 * l->source : l->evaporated == 0);
  assert_true(l->lost > 0 && l->held > 0 && l->sunk > 0);
  assert_true(p->ledger.sunk == l->sunk);
  close_bed(&a);
  close_bed(&b);
}
static void on(const char *backend) {
  compare(backend, false, false, 2);
  compare(backend, true, true, 2);
  compare(backend, true, false, 4);
  if (strcmp(backend, "cpu") != 0)
    compare(backend, true, false, 2);
}
ON_BACKENDS

int main(void) {
  const struct CMUnitTest tests[] = {ON_BACKENDS_TESTS};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
