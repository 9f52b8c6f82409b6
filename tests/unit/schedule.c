/* When output is due: by steps, by time, by number; with equal and with changing steps. */
#include "check.h"
#include "core/schedule.h"

static const ig_output_case by_count = {.interval = NAN, .count = 4, .history_every = 3};

/* Snapshots and rows of a run of equal steps, walked as far as `ahead` says at once. */
static void walk(const ig_output_case *o, double dt, int64_t steps, int *snapshots, int *rows) {
  ig_schedule s;
  ig_schedule_start(&s, o, (double)steps * dt);
  ig_moment at = {0};
  *snapshots = *rows = 0;
  while (at.step < steps) {
    const int64_t n = ig_schedule_ahead(&s, at, dt, steps - at.step);
    assert_true(n >= 1 && at.step + n <= steps);
    for (int64_t k = 1; k < n; k++) { /* nothing is passed over */
      const ig_moment between = {at.step + k, (double)(at.step + k) * dt};
      assert_false(ig_schedule_snapshot(&s, at, between) || ig_schedule_history(&s, at, between));
    }
    const ig_moment to = {at.step + n, (double)(at.step + n) * dt};
    const bool picture = ig_schedule_snapshot(&s, at, to), row = ig_schedule_history(&s, at, to);
    assert_true(picture || row || to.step == steps);
    *snapshots += picture;
    *rows += row;
    at = to;
  }
}

static void as_many_as_asked_for(void **state) {
  (void)state;
  int snapshots, rows;
  walk(&by_count, 0.1, 100, &snapshots, &rows);
  assert_int_equal(snapshots, 4);
  assert_int_equal(rows, 33);
  ig_output_case o = {.interval = NAN, .every = 7};
  walk(&o, 3e-7, 100, &snapshots, &rows);
  assert_int_equal(snapshots, 14);
  assert_int_equal(rows, 100); /* a thousand over the run is more than its steps */
  walk(&o, 3e-7, 100000, &snapshots, &rows);
  assert_int_equal(rows, 1000);
  o = (ig_output_case){.interval = 0.3, .history_every = 1000};
  walk(&o, 0.1, 100, &snapshots, &rows);
  assert_int_equal(snapshots, 33);
  o = (ig_output_case){.interval = NAN, .count = 0, .history_every = 1000};
  walk(&o, 0.1, 100, &snapshots, &rows);
  assert_int_equal(snapshots, 0);
}

static void changing_steps_show_every_interval_once(void **state) {
  (void)state;
  const ig_output_case o = {.interval = 1, .history_every = 1000000};
  ig_schedule s;
  ig_schedule_start(&s, &o, 50);
  ig_moment at = {0};
  double dt = 0.01;
  int shown = 0;
  while (at.time < 50 - 1e-9) {
    const int64_t n = ig_schedule_ahead(&s, at, dt, 25);
    ig_moment to = at;
    for (int64_t k = 0; k < n; k++) { /* as a device adds it up */
      to.step++;
      to.time += dt;
    }
    shown += ig_schedule_snapshot(&s, at, to);
    at = to;
    dt = 0.01 * (1 + 0.5 * sin((double)at.step));
  }
  assert_int_equal(shown, 50);
}

static void times_are_shown_once_each(void **state) {
  (void)state;
  double at[] = {0.3, 0.31, 4, 77};
  const ig_output_case o = {.interval = NAN, .count = 10, .times = {4, at}};
  ig_schedule s;
  assert_true(ig_output_shows(&o));
  ig_schedule_start(&s, &o, 5);
  ig_moment now = {0};
  double shown[8];
  int count = 0;
  while (now.step < 50) {
    const int64_t n = ig_schedule_ahead(&s, now, 0.1, 50 - now.step);
    ig_moment to = now;
    for (int64_t k = 0; k < n; k++) {
      to.step++;
      to.time += 0.1;
    }
    if (ig_schedule_snapshot(&s, now, to))
      shown[count++] = to.time;
    now = to;
  }
  assert_int_equal(count, 3); /* the last is beyond the end */
  assert_float_equal(shown[0], 0.3, 1e-12);
  assert_float_equal(shown[1], 0.4, 1e-12);
  assert_float_equal(shown[2], 4, 1e-12);
}

static void without_an_end_rows_come_by_steps(void **state) {
  (void)state;
  ig_schedule s;
  const ig_output_case o = {.interval = NAN, .count = 10};
  ig_schedule_start(&s, &o, INFINITY);
  assert_int_equal(ig_schedule_ahead(&s, (ig_moment){13, 13}, 1, 1000), 7);
  assert_false(ig_schedule_snapshot(&s, (ig_moment){0, 0}, (ig_moment){1000000, 1e6}));
  ig_schedule_start(&s, NULL, 1);
  assert_int_equal(ig_schedule_ahead(&s, (ig_moment){13, 0.1}, 1e-3, 77), 77);
  assert_false(ig_schedule_checkpoint(&s));
}

static void fields_are_all_or_those_named(void **state) {
  (void)state;
  const char *names[] = {"T", "birth"};
  const ig_output_case o = {.fields = {.count = 2, .value = names}};
  assert_true(ig_output_wants(NULL, "T") && ig_output_wants(&by_count, "T"));
  assert_true(ig_output_wants(&o, "birth") && !ig_output_wants(&o, "T_peak"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_many_as_asked_for),
      cmocka_unit_test(changing_steps_show_every_interval_once),
      cmocka_unit_test(times_are_shown_once_each),
      cmocka_unit_test(without_an_end_rows_come_by_steps),
      cmocka_unit_test(fields_are_all_or_those_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
