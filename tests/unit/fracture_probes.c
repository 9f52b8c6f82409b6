/* Probes and reactions against hand calculations. */
#include "fracture_watch.h"
#include "verify/fracture/problem.h"
#include "geometry/mesh_case.h"

enum { PROBES = 8 };

/* Of the last row. */
static double now(const watcher *w, const char *name) {
  return w->row[w->rows - 1][column(w, name)];
}

static const char *const quantities[] = {
    "ux", "uy",  "uz",  "vx",  "vy",  "vz",  "fx",  "fy",
    "fz", "sxx", "syy", "szz", "sxy", "syz", "szx", "principal_stress"};
static ig_frac_probe_case probe_at(const char *name, const char *set, double x, double y, double z,
                                   const char *quantity) {
  ig_frac_probe_case c = {.name = name, .set = set, .point = {set ? NAN : x, y, z}};
  while (strcmp(quantities[c.quantity], quantity) != 0)
    c.quantity++;
  return c;
}

/* 100 mm of a bar of E = 200 GPa, 8000 kg/m^3, no lateral contraction, 10 mm high (and deep). */
static void bar_make(ig_frac_problem *p, ig_ctx *cx, bool space, bool wide) {
  ig_frac_problem_init(p, cx);
  ig_frac_problem_material(p, 200e9, 0, 8000, 2000, 950e6);
  p->c.plane = 1;
  p->c.safety = 0.5;
  p->c.cohesive.check_every = 0;
  p->c.initial.count = 0;
  p->job.precision = wide ? IG_DOUBLE : IG_SINGLE;
  ig_box_case box = {.size = space ? IG_ROW(0.1, 0.01, 0.01) : IG_ROW(0.1, 0.01),
                     .cells = space ? IG_ROW(20, 2, 2) : IG_ROW(20, 2)};
  const ig_mesh_case mesh = {.element = (space ? IG_TET4 : IG_TRI6) + 1,
                             .triangle_pattern = space ? 0 : IG_PATTERN_CROSSED,
                             .boxes = {1, &box}};
  GOOD(cx, ig_mesh_generate(cx, &mesh, &p->job.mesh));
}

/* Held at one end, pulled at the other by a traction of 1 MPa that grows over 80 us, one period of
   the bar: no vibration is left then. So the reaction is the load, u = s L / E, the stress s. A
   crack along the bar splits a node of the support and must change nothing. */
static void a_pulled_bar(const char *backend, bool space, bool wide) {
  ig_ctx *cx = ctx_on(backend, 1);
  static watcher w;
  watch(&w, false);
  ig_frac_problem p;
  ig_frac_model m;
  ig_frac_track track;
  bar_make(&p, cx, space, wide);
  const double area = space ? 1e-4 : 0.01;
  p.support[0] = ig_support_fix("xmin", "x");
  p.c.supports = (ig_list){1, p.support};
  double time[] = {0, 80e-6, 1}, share[] = {0, 1, 1};
  p.load[0] = (ig_frac_load_case){
      .set = "xmax", .pressure = NAN, .traction = {1e6, 0, 0}, .history = {3, time, share}};
  p.c.loads = (ig_list){1, p.load};
  p.crack = (ig_frac_crack_case){.from = {0, 5e-3}, .to = {50e-3, 5e-3}, .depth = {0, 0, 0.01}};
  p.c.cracks = (ig_list){1, &p.crack};
  ig_frac_probe_case probe[] = {probe_at("pull", "xmin", 0, 0, 0, "fx"),
                                probe_at("end", "xmax", 0, 0, 0, "ux"),
                                probe_at("tip", NULL, 0.1, 5e-3, NAN, "ux"),
                                probe_at("root", NULL, 0, 5e-3, NAN, "ux"),
                                probe_at("speed", NULL, 0.1, 5e-3, NAN, "vx"),
                                probe_at("stress", "all", 0, 0, 0, "sxx"),
                                probe_at("first", NULL, 0.05, 5e-3, NAN, "principal_stress"),
                                probe_at("across", "all", 0, 0, 0, "sxy")};
  p.c.probes = (ig_list){8, probe};
  GOOD(cx, ig_frac_setup(&p.job, &m));
  assert_true(m.count.nodes > m.nodes_start);
  GOOD(cx, ig_frac_track_start(&track, &p.job, &m, 90e-6));
  GOOD(cx, ig_frac_model_run(&m, (int64_t)(30e-6 / m.s.dt)));
  GOOD(cx, ig_frac_history(&p.job, &m, &track, &w.sink));
  const double rate = 1e6 / 80e-6, t = 30e-6; /* before the wave is back from the support */
  assert_near(now(&w, "end [m]"), rate * 5000 * t * t / (2 * 200e9), 0.02 * 1.4e-7);
  assert_near(now(&w, "speed [m/s]"), rate * t / (8000 * 5000), 0.02 * 0.0094);
  GOOD(cx, ig_frac_model_run(&m, (int64_t)(90e-6 / m.s.dt)));
  GOOD(cx, ig_frac_history(&p.job, &m, &track, &w.sink));
  assert_near(now(&w, "pull [N]"), -1e6 * area, 0.02 * 1e6 * area);
  assert_near(now(&w, "end [m]"), 5e-7, 0.02 * 5e-7);
  assert_near(now(&w, "tip [m]"), 5e-7, 0.02 * 5e-7);
  assert_true(now(&w, "root [m]") == 0);
  assert_near(now(&w, "speed [m/s]"), 0, 0.02 * 0.025);
  assert_near(now(&w, "stress [Pa]"), 1e6, 0.02 * 1e6);
  assert_near(now(&w, "first [Pa]"), 1e6, 0.02 * 1e6);
  assert_near(now(&w, "across [Pa]"), 0, 0.02 * 1e6);
  GOOD(cx, ig_frac_results(&p.job, &m, &track, &w.sink));
  assert_true(result(&w, "pull") == now(&w, "pull [N]"));
  assert_true(result(&w, "stress") == now(&w, "stress [Pa]"));
  watch_end(&w);
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  ig_ctx_close(cx);
}

static void a_bar_is_pulled(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    a_pulled_bar(*backend, false, true);
    a_pulled_bar(*backend, false, false);
    a_pulled_bar(*backend, true, true);
  }
}

/* Everything led by a = 1000 m/s^2: force m a from the first step on, v = a t, u = a t^2 / 2. */
static void a_bar_is_led(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 1);
    static watcher w;
    watch(&w, false);
    ig_frac_problem p;
    ig_frac_model m;
    ig_frac_track track;
    bar_make(&p, cx, false, true);
    p.support[0] = ig_support_fix("all", NULL);
    p.support[0].acceleration[0] = 1000;
    p.c.supports = (ig_list){1, p.support};
    ig_frac_probe_case probe[] = {probe_at("pull", "all", 0, 0, 0, "fx"),
                                  probe_at("speed", "all", 0, 0, 0, "vx"),
                                  probe_at("way", NULL, 0, 0, NAN, "ux")};
    p.c.probes = (ig_list){3, probe};
    GOOD(cx, ig_frac_setup(&p.job, &m));
    GOOD(cx, ig_frac_track_start(&track, &p.job, &m, 90e-6));
    for (int step = 0; step <= 100; step += 50) {
      GOOD(cx, ig_frac_model_run(&m, step));
      GOOD(cx, ig_frac_history(&p.job, &m, &track, &w.sink));
      const double t = step * m.s.dt;
      assert_near(now(&w, "pull [N]"), 8000 * 0.1 * 0.01 * 1000, 1e-6);
      assert_near(now(&w, "speed [m/s]"), 1000 * t, 1e-12);
      assert_near(now(&w, "way [m]"), 500 * t * t, 1e-15);
    }
    ig_frac_model_free(&m);
    ig_frac_problem_free(&p);
    ig_ctx_close(cx);
  }
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_frac_problem p;
  ig_frac_model m;
  bar_make(&p, cx, false, true);
  ig_frac_probe_case probe[2] = {probe_at("a", "xmax", 0, 0, 0, "uz")};
  p.c.probes = (ig_list){1, probe};
  const struct {
    ig_frac_probe_case first, second;
    const char *words;
  } bad[] = {{probe_at("a", "xmax", 0, 0, 0, "uz"), probe[0], "plane mesh"},
             {probe_at("a", "all", 0, 0, 0, "szx"), probe[0], "plane mesh"},
             {probe_at("a", NULL, NAN, NAN, NAN, "ux"), probe[0], "a `set` or a `point`"},
             {probe_at("a", "nowhere", 0, 0, 0, "ux"), probe[0], "no set 'nowhere'"},
             {probe_at("a", "xmax", 0, 0, 0, "ux"), probe_at("a", "xmax", 0, 0, 0, "uy"),
              "a probe 'a' already"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    probe[0] = bad[i].first;
    probe[1] = bad[i].second;
    p.c.probes.count = 2;
    BAD(cx, ig_frac_setup(&p.job, &m), bad[i].words);
    ig_frac_model_free(&m);
  }
  ig_frac_problem_free(&p);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_bar_is_pulled),
                                     cmocka_unit_test(a_bar_is_led),
                                     cmocka_unit_test(what_cannot_be_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
