/* The public functions called wrongly: null pointers, wrong order, after the end, wrong names and
   sizes. Each is answered by a status, and where there is a context by a message; none crashes.
   Memory that was freed (a context closed twice, a case used after its context) is not tried: C has
   no answer to that. */
#include "bench/bench.h"
#include "ingot_io.h"
#include "small_cases.h"
#include "verify/verify.h"
#include <ingot/ingot.h>

/* Not IG_OK, and the context says why. */
#define REFUSED(cx, call)                                                                          \
  do {                                                                                             \
    const ig_status status_ = (call);                                                              \
    if (status_ == IG_OK)                                                                          \
      fail_msg("%s is taken", #call);                                                              \
    if (!*ig_ctx_message(cx))                                                                      \
      fail_msg("%s: status %d without a message", #call, (int)status_);                            \
  } while (0)
#define REFUSED_SILENTLY(call)                                                                     \
  do {                                                                                             \
    if ((call) == IG_OK)                                                                           \
      fail_msg("%s is taken", #call);                                                              \
  } while (0)

static void nobody(void *user, const char *label, const char *value) {
  (void)user, (void)label, (void)value;
}

static void null_contexts(void **state) {
  (void)state;
  ig_ctx *cx = NULL;
  ig_case *c = NULL;
  ig_mesh *mesh = NULL;
  REFUSED_SILENTLY(ig_ctx_open(NULL, NULL));
  GOOD(cx, ig_ctx_open(NULL, &cx));
  assert_non_null(cx);
  ig_ctx_close(cx);
  ig_ctx_close(NULL);
  ig_ctx_interrupt(NULL);
  assert_non_null(ig_ctx_message(NULL));
  assert_non_null(ig_ctx_backend(NULL));
  assert_non_null(ig_ctx_device(NULL));
  assert_non_null(ig_status_text((ig_status)999));
  assert_int_equal(ig_devices(NULL, 3), ig_devices(NULL, 0)); /* the number alone */
  REFUSED_SILENTLY(ig_case_open(NULL, "a.yaml", &c));
  REFUSED_SILENTLY(ig_case_new(NULL, &c));
  REFUSED_SILENTLY(ig_mesh_new(NULL, 3, 8, &mesh));
  REFUSED_SILENTLY(ig_mesh_check(NULL, NULL));
  REFUSED_SILENTLY(ig_reference(NULL, NULL, NULL, NULL));
  REFUSED_SILENTLY(ig_schema(NULL, NULL, NULL));
  REFUSED_SILENTLY(ig_completion(NULL, NULL, NULL, NULL));
  REFUSED_SILENTLY(ig_explain(NULL, "thermal", NULL, NULL));
  REFUSED_SILENTLY(ig_materials(NULL, NULL, NULL));
  REFUSED_SILENTLY(ig_verify(NULL, NULL, 0, true, NULL, NULL));
  REFUSED_SILENTLY(ig_bench(NULL, NULL, 0, NULL, NULL));
  REFUSED_SILENTLY(ig_bench_smoke(NULL, NULL, 0, NULL, NULL));
  ig_verify_list(NULL, NULL);
  ig_bench_list(NULL, NULL);
  assert_int_equal(ig_ranks_rank(NULL), 0);
  assert_int_equal(ig_ranks_count(NULL), 1);
  ig_ranks_close(NULL);
  REFUSED_SILENTLY(ig_ranks_threads(0, NULL));
}

static void unusable_contexts(void **state) {
  (void)state;
  ig_ctx *cx = NULL;
  ig_case *c = NULL;
  assert_int_equal(ig_ctx_open(&(ig_ctx_options){.backend = "quantum"}, &cx), IG_INPUT);
  assert_non_null(cx);
  SAYS(cx, "quantum");
  REFUSED(cx, ig_case_new(cx, &c)); /* what was never opened runs nothing */
  assert_null(c);
  ig_ctx_close(cx);
  assert_int_equal(ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = -1}, &cx), IG_INPUT);
  SAYS(cx, "threads");
  ig_ctx_close(cx);
}

static void cases(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = NULL;
  ig_mesh *mesh = NULL;
  ig_folder_state result;
  REFUSED(cx, ig_case_open(cx, NULL, &c));
  REFUSED(cx, ig_case_open(cx, "no such file.yaml", &c));
  SAYS(cx, "no such file.yaml");
  REFUSED_SILENTLY(ig_case_open(cx, "a.yaml", NULL));
  REFUSED_SILENTLY(ig_case_new(cx, NULL));
  REFUSED_SILENTLY(ig_case_set(NULL, "a", "b"));
  REFUSED_SILENTLY(ig_case_set_real(NULL, "a", 1));
  REFUSED_SILENTLY(ig_case_set_int(NULL, "a", 1));
  REFUSED_SILENTLY(ig_case_set_text(NULL, "a", "b"));
  REFUSED_SILENTLY(ig_case_set_reals(NULL, "a", NULL, 0));
  REFUSED_SILENTLY(ig_case_set_mesh(NULL, NULL));
  assert_null(ig_case_get(NULL, "a"));
  ig_case_close(NULL);
  REFUSED_SILENTLY(ig_run(NULL, NULL));
  REFUSED_SILENTLY(ig_check(NULL, NULL, NULL));
  REFUSED_SILENTLY(ig_case_mesh(NULL, &mesh));
  REFUSED_SILENTLY(ig_folder_inspect(NULL, "out", &result));

  GOOD(cx, ig_case_new(cx, &c));
  REFUSED(cx, ig_case_set(c, NULL, "b"));
  REFUSED(cx, ig_case_set(c, "physics", NULL));
  REFUSED(cx, ig_case_set(c, "", "b"));
  REFUSED(cx, ig_case_set(c, "a..b", "1"));
  REFUSED(cx, ig_case_set(c, "a[", "1"));
  REFUSED(cx, ig_case_set(c, "list[3]", "1")); /* beyond the end */
  REFUSED(cx, ig_case_set_text(c, "title", NULL));
  REFUSED(cx, ig_case_set_reals(c, "a", NULL, 3));
  REFUSED(cx, ig_case_set_reals(c, "a", (double[]){1}, -1));
  assert_null(ig_case_get(c, NULL));
  assert_null(ig_case_get(c, "nothing.there"));
  REFUSED(cx, ig_run(c, NULL)); /* an empty case */
  REFUSED(cx, ig_check(c, nobody, NULL));
  REFUSED(cx, ig_case_mesh(c, NULL));
  REFUSED(cx, ig_folder_inspect(c, NULL, &result));
  REFUSED(cx, ig_folder_inspect(c, "out", NULL));
  GOOD(cx, ig_case_set(c, "physics", "alchemy"));
  BAD(cx, ig_run(c, NULL), "alchemy");
  ig_case_close(c);
  ig_ctx_close(cx);
}

static ig_case *bar_case(ig_ctx *cx) {
  ig_case *c = NULL;
  GOOD(cx, ig_case_new(cx, &c));
  GOOD(cx, ig_case_set(c, "physics", "dynamics"));
  GOOD(cx, ig_case_set(c, "mesh", "{boxes: {size: [4 mm, 1 mm, 1 mm], cells: [4, 1, 1]}}"));
  GOOD(cx,
       ig_case_set(c, "materials", "{name: steel, density: 7850, young: 210 GPa, poisson: 0.3}"));
  GOOD(cx, ig_case_set(c, "supports", "{set: xmin, fix: xyz}"));
  GOOD(cx, ig_case_set(c, "loads", "{set: xmax, total: [0, 0, -1 N]}"));
  GOOD(cx, ig_case_set(c, "analysis", "{duration: 5 us}"));
  return c;
}

static void simulations(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 1);
    ig_case *c = bar_case(cx);
    ig_sim *sim = NULL;
    ig_sim_state *saved = NULL;
    ig_field_view view = {0};
    ig_run_stats stats;
    double values[64];
    int64_t done;
    REFUSED_SILENTLY(ig_sim_open(NULL, NULL, &sim));
    REFUSED_SILENTLY(ig_sim_open(c, NULL, NULL));
    REFUSED_SILENTLY(ig_sim_step(NULL, 1, &done));
    REFUSED_SILENTLY(ig_sim_until(NULL, 1));
    REFUSED_SILENTLY(ig_sim_finish(NULL));
    REFUSED_SILENTLY(ig_sim_view(NULL, "velocity", IG_ON_HOST, &view));
    REFUSED_SILENTLY(ig_sim_get(NULL, "velocity", values));
    REFUSED_SILENTLY(ig_sim_set(NULL, "velocity", values));
    REFUSED_SILENTLY(ig_sim_scale_load(NULL, 0, 1));
    REFUSED_SILENTLY(ig_sim_save(NULL, &saved));
    REFUSED_SILENTLY(ig_sim_restore(NULL, NULL));
    assert_true(ig_sim_ended(NULL));
    assert_int_equal(ig_sim_steps(NULL), 0);
    (void)ig_sim_time(NULL);
    (void)ig_sim_dt(NULL);
    ig_sim_stats(NULL, &stats);
    ig_sim_fields(NULL, NULL, NULL);
    assert_false(ig_sim_is_fresh(NULL, &view));
    ig_sim_state_free(NULL);
    ig_sim_close(NULL);

    GOOD(cx, ig_sim_open(c, NULL, &sim));
    REFUSED(cx, ig_sim_step(sim, -1, NULL));
    REFUSED(cx, ig_sim_until(sim, NAN));
    REFUSED(cx, ig_sim_view(sim, "phlogiston", IG_ON_HOST, &view));
    SAYS(cx, "phlogiston");
    REFUSED(cx, ig_sim_view(sim, NULL, IG_ON_HOST, &view));
    REFUSED(cx, ig_sim_view(sim, "velocity", IG_ON_HOST, NULL));
    REFUSED(cx, ig_sim_view(sim, "velocity", (ig_side)7, &view));
    REFUSED(cx, ig_sim_get(sim, "velocity", NULL));
    REFUSED(cx, ig_sim_get(sim, NULL, values));
    REFUSED(cx, ig_sim_set(sim, "velocity", NULL));
    REFUSED(cx, ig_sim_scale_load(sim, 1, 1)); /* there is one, number 0 */
    REFUSED(cx, ig_sim_scale_load(sim, -1, 1));
    REFUSED(cx, ig_sim_scale_load(sim, 0, NAN));
    REFUSED(cx, ig_sim_save(sim, NULL));
    REFUSED(cx, ig_sim_restore(sim, NULL));
    assert_false(ig_sim_is_fresh(sim, NULL));
    ig_sim_fields(sim, NULL, NULL);
    ig_sim_stats(sim, NULL);
    /* it has taken no harm, and goes to its end */
    GOOD(cx, ig_sim_step(sim, 0, &done));
    assert_int_equal(done, 0);
    GOOD(cx, ig_sim_view(sim, "velocity", IG_ON_HOST, &view));
    GOOD(cx, ig_sim_step(sim, 1, NULL));
    assert_false(ig_sim_is_fresh(sim, &view));
    GOOD(cx, ig_sim_save(sim, &saved));
    GOOD(cx, ig_sim_until(sim, 1));
    assert_true(ig_sim_ended(sim));
    GOOD(cx, ig_sim_step(sim, 5, &done)); /* past the end: none */
    assert_int_equal(done, 0);
    GOOD(cx, ig_sim_finish(sim));
    REFUSED(cx, ig_sim_step(sim, 1, NULL)); /* after the summary */
    REFUSED(cx, ig_sim_restore(sim, saved));
    ig_sim_close(sim);
    ig_sim_state_free(saved);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

/* What no simulation takes, before its first step and after. */
static void sim_refuses(ig_ctx *cx, ig_sim *sim, const ig_sim_state *other) {
  ig_field_view view;
  double values[4];
  REFUSED(cx, ig_sim_step(sim, -1, NULL));
  REFUSED(cx, ig_sim_until(sim, NAN));
  REFUSED(cx, ig_sim_view(sim, "phlogiston", IG_ON_HOST, &view));
  REFUSED(cx, ig_sim_view(sim, NULL, IG_ON_HOST, &view));
  REFUSED(cx, ig_sim_get(sim, "phlogiston", values));
  REFUSED(cx, ig_sim_set(sim, "phlogiston", values));
  REFUSED(cx, ig_sim_scale_load(sim, 99, 1));
  REFUSED(cx, ig_sim_scale_load(sim, -1, 1));
  REFUSED(cx, ig_sim_scale_support(sim, 99, 1));
  REFUSED(cx, ig_sim_restore(sim, NULL));
  if (other)
    REFUSED(cx, ig_sim_restore(sim, other)); /* another room's */
}

/* The same in every room, which takes no harm: it goes on, and may be left in the middle. */
static void every_room(void **state) {
  (void)state;
  ig_sim_state *other = NULL;
  for (int i = 0; i <= SMALL_CASES; i++) {
    ig_ctx *cx = ctx_on(backends_here()[0], 1);
    ig_case *c = NULL;
    ig_sim *sim = NULL;
#ifdef INGOT_HAVE_IO
    if (i == SMALL_CASES)
      GOOD(cx, ig_case_open(cx, "tests/cli/small/powder.yaml", &c));
#else
    if (i == SMALL_CASES) {
      ig_ctx_close(cx);
      break;
    }
#endif
    c = c ? c : small_open(cx, &small_cases[i]);
    print_message("%s\n", i < SMALL_CASES ? small_cases[i].name : "powder");
    GOOD(cx, ig_sim_open(c, NULL, &sim));
    sim_refuses(cx, sim, other);
    if (i == SMALL_CASES || !small_cases[i].whole) {
      ig_sim_state *own = NULL;
      GOOD(cx, ig_sim_step(sim, 1, NULL));
      sim_refuses(cx, sim, other);
      GOOD(cx, ig_sim_save(sim, &own));
      GOOD(cx, ig_sim_step(sim, 1, NULL));
      GOOD(cx, ig_sim_restore(sim, own));
      GOOD(cx, ig_sim_step(sim, 1, NULL));
      ig_sim_state_free(other);
      other = own;
    }
    ig_sim_close(sim);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
  ig_sim_state_free(other);
}

static void meshes(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_mesh *mesh = NULL;
  ig_block *block = NULL;
  ig_set *set = NULL;
  ig_lid local;
  REFUSED(cx, ig_mesh_new(cx, 4, 8, &mesh));
  REFUSED(cx, ig_mesh_new(cx, 3, -1, &mesh));
  REFUSED_SILENTLY(ig_mesh_new(cx, 3, 8, NULL));
  ig_mesh_free(NULL);
  REFUSED(cx, ig_mesh_add_block(cx, NULL, IG_HEX8, 1, &block));
  REFUSED(cx, ig_mesh_add_set(cx, NULL, "a", IG_SET_NODES, 1, &set));
  REFUSED(cx, ig_mesh_check(cx, NULL));
  REFUSED(cx, ig_mesh_describe(cx, NULL, NULL, NULL));
  REFUSED(cx, ig_mesh_keep(cx, NULL, NULL, NULL));
  REFUSED(cx, ig_mesh_write(cx, NULL, "a.vtu"));
  REFUSED(cx, ig_mesh_read(cx, NULL, NULL, &mesh));
  REFUSED(cx, ig_mesh_read(cx, "a.vtu", NULL, NULL));
  REFUSED(cx, ig_mesh_read(cx, "no such.vtu", NULL, &mesh));
  REFUSED(cx, ig_mesh_read(cx, "mesh.doc", NULL, &mesh));
  assert_null(ig_mesh_find_set(NULL, "a", IG_SET_NODES));
  assert_int_equal(ig_mesh_elements(NULL), 0);
  assert_null(ig_mesh_element(NULL, 0, &local));
  assert_null(ig_elem_info_get((ig_elem_type)99));
  assert_null(ig_elem_face(IG_HEX8, 6));
  assert_null(ig_elem_face((ig_elem_type)-1, 0));

  GOOD(cx, ig_mesh_new(cx, 3, 4, &mesh));
  REFUSED(cx, ig_mesh_add_block(cx, mesh, (ig_elem_type)99, 1, &block));
  REFUSED(cx, ig_mesh_add_block(cx, mesh, IG_TET4, -1, &block));
  REFUSED(cx, ig_mesh_add_set(cx, mesh, NULL, IG_SET_NODES, 1, &set));
  REFUSED(cx, ig_mesh_add_set(cx, mesh, "a", (ig_set_kind)9, 1, &set));
  REFUSED(cx, ig_mesh_add_set(cx, mesh, "a", IG_SET_NODES, -1, &set));
  REFUSED(cx, ig_mesh_write(cx, mesh, NULL));
  REFUSED(cx, ig_mesh_write(cx, mesh, "mesh.doc"));
  GOOD(cx, ig_mesh_add_block(cx, mesh, IG_TET4, 1, &block));
  assert_null(ig_mesh_find_set(mesh, NULL, IG_SET_NODES));
  assert_null(ig_mesh_element(mesh, 1, &local));
  assert_null(ig_mesh_element(mesh, -1, NULL));
  (void)ig_mesh_element(mesh, 0, NULL);
  REFUSED(cx, ig_mesh_check(cx, mesh)); /* four times node 0: no volume */
  block->conn[3] = 4;
  REFUSED(cx, ig_mesh_check(cx, mesh)); /* there is no node 4 */
  block->conn[3] = -1;
  REFUSED(cx, ig_mesh_check(cx, mesh));
  ig_case *c = bar_case(cx);
  GOOD(cx, ig_case_set(c, "mesh", "{}"));
  (void)!ig_case_set_mesh(c, mesh);
  REFUSED(cx, ig_run(c, NULL)); /* a mesh that fails its check is not run */
  ig_case_close(c);
  ig_mesh_free(mesh);
  ig_ctx_close(cx);
}

static void files(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_path *path = NULL;
  ig_sweep *sweep = NULL;
  ig_sweep_run run;
  REFUSED_SILENTLY(ig_path_open(NULL, "a.gcode", NULL, &path));
  REFUSED(cx, ig_path_open(cx, NULL, NULL, &path));
  REFUSED(cx, ig_path_open(cx, "a.gcode", NULL, NULL));
  REFUSED(cx, ig_path_open(cx, "no such.gcode", NULL, &path));
  REFUSED(cx, ig_path_describe(cx, NULL, NULL, NULL));
  REFUSED(cx, ig_path_write(cx, NULL, "a.csv"));
  REFUSED(cx, ig_path_draw(cx, NULL, 0, "a.png"));
  ig_path_close(NULL);
  REFUSED_SILENTLY(ig_view(NULL, "a.vtkhdf", NULL, "a.png"));
  REFUSED(cx, ig_view(cx, NULL, NULL, "a.png"));
  REFUSED(cx, ig_view(cx, "no such.vtkhdf", NULL, NULL));
  REFUSED(cx, ig_view(cx, "no such.vtkhdf", NULL, "a.png"));
  REFUSED_SILENTLY(ig_report(NULL, "out", NULL));
  REFUSED(cx, ig_report(cx, NULL, NULL));
  REFUSED(cx, ig_report(cx, "no such folder", NULL));
  REFUSED_SILENTLY(ig_case_upgrade(NULL, "a.yaml", NULL, NULL, NULL, NULL));
  REFUSED(cx, ig_case_upgrade(cx, NULL, NULL, NULL, NULL, NULL));
  REFUSED_SILENTLY(ig_sweep_open(NULL, "a.yaml", NULL, &sweep));
  REFUSED(cx, ig_sweep_open(cx, NULL, NULL, &sweep));
  REFUSED_SILENTLY(ig_sweep_open(cx, "a.yaml", NULL, NULL));
  bool is;
  REFUSED_SILENTLY(ig_is_calibration(cx, "a.yaml", NULL));
  REFUSED_SILENTLY(ig_is_calibration(cx, NULL, &is));
  REFUSED_SILENTLY(ig_calibrate(NULL, "a.yaml", NULL));
  REFUSED(cx, ig_calibrate(cx, NULL, NULL));
  REFUSED_SILENTLY(ig_sample(cx, NULL, "a.yaml", false));
  REFUSED_SILENTLY(ig_sample(cx, &(ig_sample_options){0}, "a.yaml", false));
  REFUSED_SILENTLY(ig_sensitivity(cx, NULL, "out", NULL, NULL, NULL, NULL));
  REFUSED_SILENTLY(ig_dataset(cx, NULL, "out", NULL, NULL));
  REFUSED_SILENTLY(ig_assimilate(cx, NULL, NULL));
  assert_int_equal(ig_sweep_count(NULL), 0);
  REFUSED_SILENTLY(ig_sweep_at(NULL, 0, &run));
  REFUSED_SILENTLY(ig_sweep_results(NULL, "out", NULL, NULL));
  ig_sweep_close(NULL);
  assert_false(ig_case_is_chain(NULL));
  REFUSED_SILENTLY(ig_chain_run(NULL, NULL));
  REFUSED_SILENTLY(ig_chain_check(NULL, NULL, NULL, NULL));
  ig_case *c = bar_case(cx);
  assert_false(ig_case_is_chain(c));
  REFUSED(cx, ig_chain_run(c, NULL)); /* it has no stages */
  REFUSED(cx, ig_chain_run(c, &(ig_chain_options){0}));
  SAYS(cx, "a chain needs a folder");
  ig_case_close(c);
  const char *const wrong[1] = {"no such problem"};
  REFUSED(cx, ig_verify(cx, wrong, 1, true, NULL, NULL));
  REFUSED(cx, ig_verify(cx, NULL, 1, true, NULL, NULL));
  REFUSED(cx, ig_bench(cx, wrong, 1, NULL, NULL));
  REFUSED(cx, ig_bench_smoke(cx, wrong, 1, NULL, NULL));
  REFUSED(cx, ig_reference(cx, NULL, NULL, NULL));
  REFUSED(cx, ig_schema(cx, NULL, NULL));
  REFUSED(cx, ig_completion(cx, "no such room", NULL, NULL));
  REFUSED(cx, ig_explain(cx, NULL, NULL, NULL));
  REFUSED(cx, ig_materials(cx, NULL, NULL));
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(null_contexts), cmocka_unit_test(unusable_contexts),
      cmocka_unit_test(cases),         cmocka_unit_test(simulations),
      cmocka_unit_test(every_room),    cmocka_unit_test(meshes),
      cmocka_unit_test(files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
