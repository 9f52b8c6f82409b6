/* Items of the powder bed's kernels, as a GPU runs them, all at once: none touches what another one
   of the same launch writes. This source stands in for do_cpu.c, which has its own loops for some.
 */
#include "check.h"
#include "powder_case.h"
#include "item_races.h"

UNSEEN void add_int(int *p, int n) {
  race_atomic(p, sizeof *p);
  *p += n;
}
UNSEEN void add_key(uint64_t *p, uint64_t n) {
  race_atomic(p, sizeof *p);
  *p += n;
}
UNSEEN uint64_t next_key(uint64_t *p) {
  race_atomic(p, sizeof *p);
  return (*p)++;
}
UNSEEN void most_key(uint64_t *p, uint64_t n) {
  race_atomic(p, sizeof *p);
  *p = *p > n ? *p : n;
}
UNSEEN void most_int(int *p, int n) {
  race_atomic(p, sizeof *p);
  *p = *p > n ? *p : n;
}
#define POWDER_ADD(p, n) add_int(p, n)
#define POWDER_ADD_KEY(p, n) add_key(p, (uint64_t)(n))
#define POWDER_ADD_SHARED POWDER_ADD_KEY
#define POWDER_NEXT(p) next_key(p)
#define POWDER_MOST(p, key) most_key(p, key)
#define POWDER_MOST_OF(p, n) most_int(p, n)

#include "kern/prec_f64.h"
#include "powder/level.inc"
#include "powder/tables.inc"
#include "powder/keys.inc"
#include "powder/beam.inc"
#include "powder/places.inc"
#include "powder/events.inc"
#include "powder/cells.inc"
#include "powder/pool.inc"

static bool room_enough = true;
static int64_t launches;

ig_status ig_powder_do_cpu(ig_ctx *cx, const ig_powder_view *v, ig_powder_do what,
                           const int64_t *n) {
  (void)cx;
  const int64_t all = n[0] * n[1] * n[2];
  launches++;
  switch (what) {
#define X(name, where)                                                                             \
  case IG_POWDER_KERNEL_##name:                                                                    \
    races_launch(#name);                                                                           \
    for (int64_t i = 0; i < all; i++) {                                                            \
      const int64_t c = race_order(i, all);                                                        \
      race_item_is(c);                                                                             \
      powder_##name(v, (int)(c % n[0]), (int)(c / n[0] % n[1]), (int)(c / n[0] / n[1]));           \
    }                                                                                              \
    break;
    IG_POWDER_CELL_ITEMS(X)
#undef X
#define X(name)                                                                                    \
  case IG_POWDER_KERNEL_##name:                                                                    \
    races_launch(#name);                                                                           \
    for (int64_t i = 0; i < all; i++) {                                                            \
      race_item_is(race_order(i, all));                                                            \
      powder_##name(v, race_order(i, all));                                                        \
    }                                                                                              \
    break;
    IG_POWDER_ITEMS(X)
#undef X
  }
  room_enough &= races_end();
  return IG_OK;
}

/* `steps` of a bed from its first layer on; what does not balance of its heat, over the beams'. */
static double bed_run(const ig_powder_case *c, int steps) {
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_powder_run r;
  ig_job job = {.cx = cx, .materials = &materials, .room_case = c};
  GOOD(cx, ig_powder_open(&job, &r));
  for (int n = 0; n < steps && r.time < r.duration; n++)
    GOOD(cx, ig_powder_advance(&r));
  GOOD(cx, ig_powder_pull(&r, ~0u));
  const ig_powder_ledger *l = &r.ledger;
  const double gap =
      ig_powder_stored(&r) - r.stored0 - l->source - l->born - l->sunk + l->lost + l->held;
  const double gap_of = gap / l->source;
  assert_true(l->source > 0 && l->held != 0);
  ig_powder_close(&r);
  ig_ctx_close(cx);
  return gap_of;
}

static void none(ig_powder_case c, int steps) {
  race_count = launches = 0;
  const double gap = bed_run(&c, steps);
  assert_true(launches > 10 && race_launches > 0);
  assert_true(room_enough);
  if (race_count)
    fail_msg("%lld races; %s", (long long)race_count, race_first);
  assert_true(fabs(gap) < 1e-12);
}

static ig_powder_case cooled(void) {
  ig_powder_case c = small();
  c.plate_temperature = 300;
  c.convection = 50;
  c.emissivity = 0.5;
  c.packing = 0.6;
  c.hatch.layers = 2;
  return c;
}

/* No fine cell has a coarse one beside it; bottom, sides and top of the bed are the window's. */
static void window_of_the_whole_bed(void **state) {
  (void)state;
  ig_powder_case c = cooled();
  c.grid.window[0] = c.grid.window[1] = c.grid.window[2] = 1;
  none(c, 12);
}

static void windows_that_follow_two_lasers(void **state) {
  (void)state;
  ig_powder_probe probe = {.name = "here", .point = {0.5e-3, 0.15e-3, 10e-6}};
  ig_powder_case c = cooled();
  part.max[0] = 1e-3;
  c.hatch.lasers = 2;
  c.beam.depth = 40e-6;
  c.probes = (ig_list){1, &probe};
  c.map =
      (ig_powder_map_case){.at = {.given = true}, .min = {0, 0, -20e-6}, .max = {1e-3, 0.3e-3, 1}};
  c.events = (ig_powder_events_case){.at = {.given = true},
                                     .min = {0, 0, -20e-6},
                                     .max = {1e-3, 0.3e-3, 1},
                                     .layers = {NAN, NAN},
                                     .high = NAN,
                                     .low = NAN};
  c.grid.window[0] = c.grid.window[1] = c.grid.window[2] = NAN;
  none(c, 40);
}

/* The search finds what it is for: sums into one number, a value that a neighbour reads. */
static double shared_sum[4];
static void sum_into_one(int64_t i) {
  shared_sum[0] += i == 0 ? 1 : 0;
}
static void take_from_the_next(int64_t i) {
  shared_sum[i] = 0.5 * shared_sum[(i + 1) % 4];
}
static void races_are_found(void **state) {
  (void)state;
  void (*const item[])(int64_t) = {sum_into_one, take_from_the_next};
  for (int k = 0; k < 2; k++) {
    race_count = 0;
    races_launch("test");
    for (int64_t i = 0; i < 4; i++) {
      race_item_is(i);
      item[k](i);
    }
    assert_true(races_end());
    assert_true(race_count > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(races_are_found),
      cmocka_unit_test(window_of_the_whole_bed),
      cmocka_unit_test(windows_that_follow_two_lasers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
