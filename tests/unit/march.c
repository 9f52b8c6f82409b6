/* The loop, the same for every room: first and last output, checkpoints, interruption at any
   moment, step counts, runs without a sink, steps in any portions. */
#include "check.h"
#include "run/job.h"
#include "run/time_loop.h"
#include "run/rooms.h"
#include "small_cases.h"

/* What a run leaves: a fingerprint of every row and snapshot, and its last checkpoint. */
typedef struct {
  ig_sink sink;
  ig_ctx *cx;
  int rows, pictures, saves, results;
  int64_t row_step[2], picture_step[2]; /* first and last */
  uint64_t rows_hash, pictures_hash;
  ig_restart *last;
  ig_loop *march;
} record;

static uint64_t hash(uint64_t h, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    h = (h ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
  return h;
}
static ig_status on_row(ig_sink *sink, int columns, const char *const *names,
                        const double *values) {
  record *r = sink->self;
  (void)names;
  r->row_step[r->rows++ > 0] = r->march->now.at.step;
  r->rows_hash = hash(r->rows_hash, values, sizeof *values * (size_t)columns);
  return IG_OK;
}
static ig_status on_snapshot(ig_sink *sink, ig_snapshot *snap) {
  record *r = sink->self;
  r->picture_step[r->pictures++ > 0] = snap->step;
  GOOD(r->cx, ig_snapshot_settle(snap));
  for (int i = 0; i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    const int64_t items = f->where == IG_AT_POINTS ? snap->points : snap->cells;
    r->pictures_hash = hash(r->pictures_hash, f->data,
                            (size_t)items * (size_t)f->components * ig_dtype_size(f->dtype));
  }
  ig_snapshot_free(snap);
  return IG_OK;
}
static ig_status on_checkpoint(ig_sink *sink, double time, int64_t step, const ig_saved *saved,
                               int count) {
  record *r = sink->self;
  r->saves++;
  ig_restart_free(r->last);
  return ig_restart_new(r->cx, time, step, saved, count, &r->last);
}
static ig_status on_result(ig_sink *sink, const char *key, const char *unit, double value) {
  (void)key, (void)unit, (void)value;
  ((record *)sink->self)->results++;
  return IG_OK;
}
static ig_status on_text(ig_sink *sink, const char *key, const char *value) {
  (void)sink, (void)key, (void)value;
  return IG_OK;
}
static ig_status on_file(ig_sink *sink, const char *name, const void *bytes, size_t size) {
  (void)sink, (void)name, (void)bytes, (void)size;
  return IG_OK;
}
static void record_open(record *r, ig_ctx *cx, ig_loop *m) {
  *r = (record){.sink = {.self = r,
                         .snapshot = on_snapshot,
                         .history = on_row,
                         .checkpoint = on_checkpoint,
                         .result = on_result,
                         .result_text = on_text,
                         .file = on_file},
                .cx = cx,
                .march = m};
}

/* Interrupts at a report of progress, counted down. */
static int reports_left;
static void interrupt_then(void *user, const ig_progress *p) {
  assert_non_null(p->note);
  if (reports_left > 0 && --reports_left == 0)
    ig_ctx_interrupt(*(ig_ctx **)user);
}
static ig_ctx *ctx_watched(const char *backend) {
  static ig_ctx *cx;
  reports_left = 0;
  GOOD(cx, ig_ctx_open(
               &(ig_ctx_options){
                   .backend = backend, .threads = 1, .progress = interrupt_then, .user = &cx},
               &cx));
  return cx;
}

/* A run in portions of `portion` steps, recorded unless r is NULL; what it saved last is in *end.
 */
static ig_status run(ig_ctx *cx, const small_case *s, int64_t portion, const ig_restart *restart,
                     record *r, int64_t *steps, ig_restart **end) {
  ig_case *c = small_open(cx, s);
  ig_job job;
  ig_loop m;
  ig_keeper keeper;
  ig_keeper_open(cx, &keeper);
  GOOD(cx, ig_job_open(c, ig_rooms(), &job));
  if (r) {
    record_open(r, cx, &m);
    job.sink = &r->sink;
  }
  job.restart = restart;
  ig_status status = ig_loop_open(&m, c->room, &job);
  while (status == IG_OK && !m.now.ended)
    status = ig_loop_go(&m, portion, INFINITY);
  if (status == IG_OK)
    status = ig_loop_finish(&m);
  if (end && status == IG_OK && !s->whole)
    GOOD(cx, m.room->save(m.self, &keeper.sink));
  if (end)
    *end = keeper.kept;
  ig_loop_close(&m);
  if (steps)
    *steps = job.steps;
  ig_job_close(&job);
  ig_case_close(c);
  return status;
}

/* All arrays bit by bit; structs with holes between their members are left out. */
static void same_state(const char *what, const ig_restart *a, const ig_restart *b) {
  assert_int_equal(a->step, b->step);
  assert_int_equal(a->count, b->count);
  for (int i = 0; i < a->count; i++) {
    const ig_saved *x = &a->saved[i], *y = &b->saved[i];
    assert_string_equal(x->name, y->name);
    if (strcmp(x->name, "track") == 0 || strcmp(x->name, "count") == 0)
      continue;
    assert_int_equal(x->count, y->count);
    if (x->count > 0 && memcmp(x->data, y->data, (size_t)x->count * ig_dtype_size(x->dtype)) != 0)
      fail_msg("%s: '%s' differs", what, x->name);
  }
}

static void start_and_end_are_put_out(void **state) {
  (void)state;
  for (int i = 0; i < SMALL_CASES; i++) {
    const small_case *s = &small_cases[i];
    ig_ctx *cx = ctx_watched("cpu");
    record r;
    int64_t steps;
    print_message("%s\n", s->name);
    GOOD(cx, run(cx, s, INT64_MAX, NULL, &r, &steps, NULL));
    assert_true(steps > 0 && r.results > 0);
    assert_int_equal(r.rows > 0, s->first >= 0);
    if (s->first >= 0) {
      assert_int_equal(r.row_step[0], s->first);
      assert_int_equal(r.row_step[1], steps);
      assert_int_equal(r.picture_step[0], 0);
      assert_int_equal(r.picture_step[1], steps);
    }
    /* `checkpoint_every: 0`: only one, at the end */
    assert_int_equal(r.saves, !s->whole);
    if (!s->whole)
      assert_int_equal(r.last->step, steps);
    ig_restart_free(r.last);
    ig_ctx_close(cx);
  }
}

/* Wherever it is stopped, during the setup, or at any report of progress, a run leaves a checkpoint
   and one message, counts its steps, and goes on to the end of the run in one go. */
static void stopped_anywhere_it_goes_on(void **state) {
  (void)state;
  static const int when[] = {0, 1, 2, 3}; /* 0: before the first step */
  for (int i = 0; i < SMALL_CASES; i++) {
    const small_case *s = &small_cases[i];
    ig_ctx *cx = ctx_watched("debug");
    ig_restart *whole, *end;
    int64_t steps, stopped;
    print_message("%s\n", s->name);
    GOOD(cx, run(cx, s, INT64_MAX, NULL, NULL, &steps, &whole));
    for (size_t w = 0; w < sizeof when / sizeof *when && !(s->whole && w > 0); w += 1 + SANITIZED) {
      record r, rest;
      char words[64];
      reports_left = when[w];
      if (when[w] == 0)
        ig_ctx_interrupt(cx);
      const ig_status status = run(cx, s, INT64_MAX, NULL, &r, &stopped, NULL);
      if (status == IG_OK) /* it had ended */
        assert_true(when[w] > 0 && stopped == steps);
      else
        assert_int_equal(status, IG_INTERRUPTED);
      if (status == IG_INTERRUPTED) {
        snprintf(words, sizeof words, "interrupted at step %lld of ", (long long)stopped);
        SAYS(cx, words);
        assert_int_equal(r.saves, !s->whole);
        assert_int_equal(r.results, 0);
      }
      cx->interrupted = 0;
      if (status == IG_INTERRUPTED && !s->whole) {
        /* a static analysis under way counts as no step yet */
        assert_true(r.last->step == stopped || strcmp(s->name, "static") == 0);
        GOOD(cx, run(cx, s, INT64_MAX, r.last, &rest, &stopped, &end));
        assert_int_equal(stopped, steps); /* from the start of the run */
        assert_int_equal(rest.row_step[1], steps);
        same_state(s->name, whole, end);
        ig_restart_free(end);
        ig_restart_free(rest.last);
      }
      ig_restart_free(r.last);
    }
    ig_restart_free(whole);
    ig_ctx_close(cx);
  }
}

/* One step at a time, seven, all at once; with output and without: the same bits. */
static void portions_change_no_bit(void **state) {
  (void)state;
  static const int64_t portion[] = {INT64_MAX, 7, 1};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < SMALL_CASES; i++) {
      const small_case *s = &small_cases[i];
      ig_ctx *cx = ctx_on(*backend, 1);
      record r[3];
      ig_restart *end[4] = {0};
      print_message("%s on %s\n", s->name, *backend);
      for (int p = 0; p < 3; p++) {
        GOOD(cx, run(cx, s, portion[p], NULL, &r[p], NULL, &end[p]));
        assert_int_equal(r[p].rows, r[0].rows);
        assert_int_equal(r[p].pictures, r[0].pictures);
        assert_true(r[p].rows_hash == r[0].rows_hash);
        assert_true(r[p].pictures_hash == r[0].pictures_hash);
        ig_restart_free(r[p].last);
      }
      GOOD(cx, run(cx, s, INT64_MAX, NULL, NULL, NULL, &end[3]));
      for (int p = 1; p < 4 && !s->whole; p++)
        same_state(s->name, end[0], end[p]);
      for (int p = 0; p < 4; p++)
        ig_restart_free(end[p]);
      ig_ctx_close(cx);
    }
}

/* More steps than can be counted are refused, in every room that has a step. */
static void too_many_steps_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *const *set;
    const char *key, *value;
  } wrong[] = {{small_thermal, "time_step", "1e-20"},
               {small_fracture, "time_step", "1e-40"},
               {small_dynamics, "analysis[0].time_step", "1e-30"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = small_open(cx, &(small_case){.set = wrong[i].set});
    GOOD(cx, ig_case_set(c, wrong[i].key, wrong[i].value));
    BAD(cx, ig_run(c, NULL), "more than can be counted");
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(start_and_end_are_put_out),
      cmocka_unit_test(stopped_anywhere_it_goes_on),
      cmocka_unit_test(portions_change_no_bit),
      cmocka_unit_test(too_many_steps_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
