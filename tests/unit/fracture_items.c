/* Items of the fracture kernels, as a GPU runs them, all at once: none touches what another one of
   the same launch writes, while facets open and bodies touch, by slots and by colors. */
#include "check.h"
#include "item_races.h"

#include "assembly/scatter.h"
#include "fracture/items_cpu.h"
#include "fracture/problem.h"

static bool room_enough = true;
static int64_t launches;
/* `open` looks through the neighbours of the element beyond a facet for its own one. Other facets
   of that element may open meanwhile: what is read there is another neighbour, before and after. */
UNSEEN void launch_begin(const char *name) {
  launches++;
  if (strcmp(name, "open") != 0)
    races_launch(name);
}
UNSEEN void launch_end(void) {
  room_enough &= races_end();
}

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "material/cohesive.inc"
#define IG_FRAC_DRIVERS "fracture_items.inc"
#include "fracture/types.inc"

/* instead of those of items_cpu_f64.c */
ig_frac_cpu_run *const ig_frac_cpu_f64[4] = {tri3_run_f64, tri6_run_f64, tet4_run_f64,
                                             tet10_run_f64};

static void none(ig_elem_type type, ig_assembly how, bool contact) {
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_frac_problem p;
  ig_frac_model m;
  race_count = launches = 0;
  race_flags = true; /* touched nodes, nodes of the skin */
  GOOD(cx, ig_frac_problem_strip(&p, cx, 8, type, 0.1));
  p.material.cohesive_strength = 40e6;
  p.c.surface_contact = contact;
  p.c.rotation = contact;
  p.job.assembly = how;
  GOOD(cx, ig_frac_setup(&p.job, &m));
  GOOD(cx, ig_frac_model_run(&m, 40));
  assert_true(m.count.cohesive > 20 && launches > 100);
  assert_true(room_enough);
  if (race_count)
    fail_msg("%lld races; %s", (long long)race_count, race_first);
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  ig_ctx_close(cx);
}

static void by_slots(void **state) {
  (void)state;
  none(IG_TRI3, IG_GATHER, false);
  none(IG_TRI6, IG_GATHER, false);
}
static void by_colors(void **state) {
  (void)state;
  none(IG_TRI6, IG_COLOR, false);
}
static void while_surfaces_touch(void **state) {
  (void)state;
  none(IG_TRI6, IG_GATHER, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_slots),
      cmocka_unit_test(by_colors),
      cmocka_unit_test(while_surfaces_touch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
