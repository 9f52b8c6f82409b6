/* Items of the fracture kernels, as a GPU runs them, all at once: none touches what another one of
   the same launch writes, while facets open and bodies touch, by slots and by colors. */
#include "check.h"
#include "item_races.h"

#include "assembly/scatter.h"
#include "fracture/kernels/items_cpu.h"
#include "fracture/run.h"
#include "run/job.h"
#include "run/rooms.h"

#include <ingot/run.h>

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
#include "fracture/kernels/types.inc"

/* instead of those of items_cpu_f64.c */
ig_frac_cpu_run *const ig_frac_cpu_f64[4] = {tri3_run_f64, tri6_run_f64, tet4_run_f64,
                                             tet10_run_f64};

/* The shipped strip on a coarse mesh, with a strength at which facets open at once. */
static void none(const char *element, const char *assembly, const char *contact) {
  const char *const sets[][2] = {{"mesh.element", element},
                                 {"mesh.boxes.cells", "[32, 8]"},
                                 {"time_step", "10 ns"},
                                 {"materials[0].cohesive_strength", "80 MPa"},
                                 {"assembly", assembly},
                                 {"surface_contact", contact},
                                 {"rotation", strcmp(contact, "true") ? "small" : "finite"}};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c;
  ig_job job;
  ig_frac_model m;
  race_count = launches = 0;
  race_flags = true; /* touched nodes, nodes of the skin */
  GOOD(cx, ig_case_open(cx, "cases/fracture/strip.yaml", &c));
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    GOOD(cx, ig_case_set(c, sets[i][0], sets[i][1]));
  GOOD(cx, ig_job_open(c, ig_rooms(), &job));
  GOOD(cx, ig_frac_setup(&job, &m));
  GOOD(cx, ig_frac_model_run(&m, 30));
  assert_true(m.count.cohesive > 20 && launches > 100);
  assert_true(room_enough);
  if (race_count)
    fail_msg("%lld races; %s", (long long)race_count, race_first);
  ig_frac_model_free(&m);
  ig_job_close(&job);
  ig_case_close(c);
  ig_ctx_close(cx);
}

static void by_slots(void **state) {
  (void)state;
  none("tri3", "gather", "false");
  none("tri6", "gather", "false");
}
static void by_colors(void **state) {
  (void)state;
  none("tri6", "color", "false");
}
static void while_surfaces_touch(void **state) {
  (void)state;
  none("tri6", "gather", "true");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_slots),
      cmocka_unit_test(by_colors),
      cmocka_unit_test(while_surfaces_touch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
