/* Events of melting and solidification of a powder bed: a ramp by hand; every melting of a bed is
   one; a saved run has the same. */
#include "one_context.h"
#include "powder_case.h"

#include "kern/prec_f64.h"
#include "powder/level.inc"
#include "powder/tables.inc"
#include "powder/beam.inc"
#include "powder/places.inc"
#include "powder/events.inc"

#include <math.h>
#include <stdlib.h>

static ig_powder_case recorded(void) {
  ig_powder_case c = small();
  c.hatch.layers = 2;
  c.hatch.recoating = 1;
  c.events = (ig_powder_events_case){.at = {.given = true},
                                     .min = {-1, -1, -1},
                                     .max = {1, 1, 1},
                                     .layers = {NAN, NAN},
                                     .high = NAN,
                                     .low = NAN};
  c.grid.window[0] = c.grid.window[1] = c.grid.window[2] = NAN;
  return c;
}

static int by_cell(const void *a, const void *b) {
  const ig_powder_event *p = a, *q = b;
  return p->cell != q->cell ? (p->cell > q->cell ? 1 : -1) : (p->melted > q->melted ? 1 : -1);
}
static void sort(ig_powder_run *r) {
  qsort(r->event, (size_t)r->events, sizeof *r->event, by_cell);
}

/* T = liquidus + rate (at - t) while it is liquid and below it, in steps that do not divide the
   times; heated above the liquidus again, it was molten all the time; a second melting is a second
   event. Heat is not straight in time at the liquidus: steps are small. */
static void a_ramp(void **state) {
  (void)state;
  const ig_powder_case c = recorded();
  ig_powder_run r;
  ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
  assert_int_equal(ig_powder_open(&job, &r), IG_OK);
  const double rate = 1e6, dt = 1.7e-8, middle = 1e-4; /* 1700 K down to 1400 K, and up again */
  for (int n = 0; n < 40000; n++) {
    const double t = n * dt, swing = fabs(fmod(t, 4 * middle) - 2 * middle);
    const double T = 1500 + rate * (swing - middle) * 2;
    powder_event_look(&r.view, 7, ig_powder_table_heat(r.tables, T), t, dt);
  }
  assert_int_equal(ig_powder_events_drain(&r), IG_OK);
  /* T: 1700 at 0, 1300 at 2 middle, 1700 at 4 middle, 1300 at 6 middle; the cell begins cold */
  assert_int_equal(r.events, 2);
  assert_int_equal(r.event[0].cell, 7);
  assert_true(fabs(r.event[0].cooled - 0.5 * middle) < dt && r.event[0].melted <= 0);
  assert_true(fabs(r.event[1].melted - 3.5 * middle) < dt);
  assert_true(fabs(r.event[1].cooled - 4.5 * middle) < dt);
  for (int i = 0; i < 2; i++)
    assert_true(fabs(r.event[i].cooling / (2 * rate) - 1) < 1e-3);
  /* down to 1550 K, between solidus and liquidus, and up: none has ended, none begins */
  r.events = 0;
  for (int n = 0; n < 4; n++)
    powder_event_look(&r.view, 8, ig_powder_table_heat(r.tables, n % 2 ? 1550 : 1650), n, 1);
  powder_event_look(&r.view, 8, ig_powder_table_heat(r.tables, 1450), 4, 1);
  assert_int_equal(ig_powder_events_drain(&r), IG_OK);
  assert_int_equal(r.events, 1);
  assert_true(r.event[0].melted <= 0 && r.event[0].cooled > 2 && r.event[0].cooled < 3);
  ig_powder_close(&r);
}

/* Of each cell as many events as meltings, in order and not at once; in the layers asked for. */
static void every_melting(void **state) {
  (void)state;
  ig_powder_case c = recorded();
  ig_powder_run r;
  ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
  assert_int_equal(ig_powder_open(&job, &r), IG_OK);
  int64_t melts = 0, twice = 0;
  while (r.time < r.duration)
    assert_int_equal(ig_powder_advance(&r), IG_OK);
  assert_int_equal(ig_powder_events_drain(&r), IG_OK);
  assert_int_equal(ig_powder_pull(&r, ~0u), IG_OK);
  sort(&r);
  for (int64_t i = 0; i < r.events; i++) {
    const ig_powder_event *e = &r.event[i];
    assert_true(e->cooled > e->melted && e->cooling > 1e3 && e->cooling < 1e8);
    if (i > 0 && e[-1].cell == e->cell) {
      twice++;
      assert_true(e->melted > e[-1].cooled);
    }
  }
  for (int64_t i = 0; i < r.nf[0] * r.nf[1] * r.nf[2]; i++)
    melts += r.state[i] >> IG_POWDER_MELTS;
  assert_true(twice > 10 && r.events > 200 && r.events_before > 200);
  assert_true(r.events_lost == 0 && r.events_before + (double)r.events == (double)melts);
  const int64_t second = r.events;
  ig_powder_close(&r);
  c.events.layers[0] = c.events.layers[1] = 2;
  assert_int_equal(ig_powder_open(&job, &r), IG_OK);
  while (r.time < r.duration)
    assert_int_equal(ig_powder_advance(&r), IG_OK);
  assert_int_equal(ig_powder_events_drain(&r), IG_OK);
  assert_int_equal(ig_powder_pull(&r, ~0u), IG_OK);
  assert_true(r.events_before == 0 && llabs(r.events - second) < second / 20);
  ig_powder_close(&r);
}

/* As a camera sees a line: longer above a lower temperature; cooling is slower between two that are
   lower. Windows stay until cells are below the lower one. */
static void seen_along_lines(void **state) {
  (void)state;
  ig_powder_case c = recorded();
  const double high[3] = {1600, 1550, 1550}, low[3] = {1500, 1500, 1000};
  double above[3], cooling[3];
  ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
  c.hatch.layers = 1;
  c.duration = 0.02;
  for (int i = 0; i < 3; i++) {
    ig_powder_run r;
    c.events.high = high[i], c.events.low = low[i];
    assert_int_equal(ig_powder_open(&job, &r), IG_OK);
    while (r.time < r.duration)
      assert_int_equal(ig_powder_advance(&r), IG_OK);
    assert_int_equal(ig_powder_events_drain(&r), IG_OK);
    assert_int_equal(ig_powder_pull(&r, ~0u), IG_OK);
    assert_true(r.events_lost == 0 && r.events > 200);
    for (int64_t n = 0; n < r.lines; n++)
      assert_in_range((int)r.event_lines[n][IG_EVENT_LINE_COUNT], 10, 40);
    above[i] = ig_powder_events_mean(&r, IG_EVENT_LINE_ABOVE);
    cooling[i] = ig_powder_events_mean(&r, IG_EVENT_LINE_COOLING);
    ig_powder_close(&r);
  }
  assert_true(above[0] > 1e-5 && above[1] > above[0] && above[2] >= 0.99 * above[1]);
  assert_true(cooling[0] > 1e4 && cooling[2] > 1e4 && cooling[2] < 1e7);
}

static void a_saved_run_has_the_same(void **state) {
  (void)state;
  const ig_powder_case c = recorded();
  ig_powder_run whole, first, second;
  ig_keeper keeper;
  ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
  assert_int_equal(ig_powder_open(&job, &whole), IG_OK);
  while (whole.time < whole.duration)
    assert_int_equal(ig_powder_advance(&whole), IG_OK);
  assert_int_equal(ig_powder_open(&job, &first), IG_OK);
  while (first.layer < 2 || first.step % 10 != 7)
    assert_int_equal(ig_powder_advance(&first), IG_OK);
  while (first.events < 20)
    assert_int_equal(ig_powder_advance(&first), IG_OK);
  ig_keeper_open(cx, &keeper);
  assert_int_equal(ig_powder_save(&first, &keeper.sink), IG_OK);
  assert_int_equal(ig_powder_open(&job, &second), IG_OK);
  assert_int_equal(ig_powder_restore(&second, keeper.kept), IG_OK);
  assert_true(second.events == first.events && second.events_before == first.events_before);
  while (second.time < second.duration)
    assert_int_equal(ig_powder_advance(&second), IG_OK);
  assert_int_equal(ig_powder_events_drain(&whole), IG_OK);
  assert_int_equal(ig_powder_events_drain(&second), IG_OK);
  assert_int_equal(second.events, whole.events);
  sort(&whole);
  sort(&second);
  assert_memory_equal(second.event, whole.event, (size_t)whole.events * sizeof *whole.event);
  ig_restart_free(keeper.kept);
  ig_powder_close(&whole);
  ig_powder_close(&first);
  ig_powder_close(&second);
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  ig_powder_case c = recorded();
  ig_powder_run r;
  ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
  const double layers[4][2] = {{0, 1}, {2, 1}, {1, 3}, {1.5, 2}};
  for (int i = 0; i < 4; i++) {
    c.events.layers[0] = layers[i][0], c.events.layers[1] = layers[i][1];
    assert_int_equal(ig_powder_open(&job, &r), IG_INPUT);
    assert_non_null(strstr(ig_ctx_message(cx), "whole numbers from 1 to 2"));
    ig_powder_close(&r);
  }
  c = recorded();
  c.events.low = 300;
  assert_int_equal(ig_powder_open(&job, &r), IG_INPUT);
  assert_non_null(strstr(ig_ctx_message(cx), "low above the bed's 400 K at the start"));
  ig_powder_close(&r);
  c = recorded();
  c.events.min[2] = 0.5;
  assert_int_equal(ig_powder_open(&job, &r), IG_INPUT);
  assert_non_null(strstr(ig_ctx_message(cx), "the box of events is not in the bed"));
  ig_powder_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ramp), cmocka_unit_test(every_melting), cmocka_unit_test(seen_along_lines),
      cmocka_unit_test(a_saved_run_has_the_same), cmocka_unit_test(what_is_wrong_is_said)};
  return cmocka_run_group_tests(tests, open_context, close_context);
}
