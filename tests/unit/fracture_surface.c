/* Contact between surfaces: bodies that were never joined, and what is said where it is off. */
#include "check.h"
#include "verify/fracture/problem.h"
#include "geometry/mesh_case.h"

static char said[512];
static void listen(void *user, ig_log_level level, const char *message) {
  (void)user;
  if (level == IG_LOG_WARN)
    snprintf(said, sizeof said, "%s", message);
}
static ig_ctx *ctx_listening(const char *backend, int threads) {
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = backend, .threads = threads, .log = listen};
  assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
  said[0] = 0;
  return cx;
}

/* Two blocks of steel, a gap of 0.1 mm between them; the first one flies at 40 m/s. With `shift`
   the second block's grid is another one. */
static void blocks(ig_frac_problem *p, ig_ctx *cx, ig_elem_type type, bool shift) {
  ig_frac_problem_init(p, cx);
  ig_frac_problem_material(p, 210e9, 0.3, 7850, 20e3, 1e12);
  const int dim = ig_elem_info_get(type)->dim;
  static double at[3], size[2][3], cells[2][3];
  at[0] = 10.1e-3;
  for (int i = 0; i < 2; i++)
    for (int d = 0; d < 3; d++) {
      size[i][d] = d == 2 ? 4e-3 : 10e-3;
      cells[i][d] = (dim == 2 ? 4 : 3 - d) + (shift && i && d ? 1 : 0);
    }
  ig_box_case box[2] = {
      {.name = "a", .size = {dim, size[0]}, .cells = {dim, cells[0]}},
      {.name = "b", .origin = {dim, at}, .size = {dim, size[1]}, .cells = {dim, cells[1]}}};
  const ig_mesh_case mesh = {.element = (int)type + 1,
                             .triangle_pattern = dim == 2 ? IG_PATTERN_CROSSED : 0,
                             .boxes = {2, box}};
  GOOD(cx, ig_mesh_generate(cx, &mesh, &p->job.mesh));
  p->initial.set = "a";
  p->initial.velocity[0] = 40;
  p->c.surface_contact = true;
  p->c.safety = dim == 2 ? 0.4 : 0.2;
}

/* Momentum of the elements left and right of the gap. */
static void momenta(ig_frac_model *m, double out[2]) {
  void *v, *minv, *x;
  GOOD(m->cx, ig_frac_model_pull(m, "v", &v));
  GOOD(m->cx, ig_frac_model_pull(m, "minv", &minv));
  GOOD(m->cx, ig_frac_model_pull(m, "x", &x));
  out[0] = out[1] = 0;
  for (int64_t n = 0; n < m->count.nodes; n++) {
    const int64_t at = n * m->shape.dim;
    out[ig_frac_model_real(m, x, at) > 10.05e-3] +=
        ig_frac_model_real(m, v, at) / ig_frac_model_real(m, minv, n);
  }
}

/* Equal blocks collide: momentum stays, energy does not grow, most of it goes over, and they are
   apart again at the end. */
static void blocks_collide(void **state) {
  (void)state;
  static const ig_elem_type types[] = {IG_TRI3, IG_TRI6, IG_TET4, IG_TET10};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int kind = 0; kind < 4; kind++)
      for (int shift = 0; shift < (kind == 3 ? 1 : 2); shift++) {
        ig_ctx *cx = ctx_on(*backend, 1);
        ig_frac_problem p;
        ig_frac_model m;
        blocks(&p, cx, types[kind], shift);
        GOOD(cx, ig_frac_setup(&p.job, &m));
        double before[2], after[2], first[IG_FRAC_FIGURES], f[IG_FRAC_FIGURES], deepest = 0;
        momenta(&m, before);
        GOOD(cx, ig_frac_model_figures(&m, first));
        const double e0 = first[IG_FRAC_KINETIC];
        for (double t = 2e-6; t < 11e-6; t += 2e-6) {
          GOOD(cx, ig_frac_model_run(&m, (int64_t)(t / m.s.dt)));
          GOOD(cx, ig_frac_model_figures(&m, f));
          const double total = f[IG_FRAC_KINETIC] + f[IG_FRAC_STRAIN] + f[IG_FRAC_COHESIVE_WORK];
          assert_near(total, e0, 0.01 * e0);
          assert_true(f[IG_FRAC_SURFACE] > -1e-3 * e0 && f[IG_FRAC_SURFACE] < 0.5 * e0);
        }
        momenta(&m, after);
        assert_near(after[0] + after[1], before[0], 1e-9 * before[0]);
        assert_true(after[1] > 0.7 * before[0] && after[0] > -0.1 * before[0]);
        assert_true(f[IG_FRAC_SURFACE] > 0); /* the damped springs took something */
        GOOD(cx, ig_frac_surface_watch(&m, &deepest));
        assert_true(deepest == 0);
        ig_frac_model_free(&m);
        ig_frac_problem_free(&p);
        ig_ctx_close(cx);
      }
}

/* The same bits for any number of threads, and on the backend with memory of its own. */
static void threads_do_not_show(void **state) {
  (void)state;
  double *first = NULL;
  for (int threads = 1; threads <= 4; threads += 1 + (threads == 1)) {
    ig_ctx *cx = ctx_on(threads == 4 ? "debug" : "cpu", threads);
    ig_frac_problem p;
    ig_frac_model m;
    blocks(&p, cx, IG_TRI6, true);
    p.c.cohesive.friction = 0.3;
    p.material.cohesive_strength = 400e6;
    p.initial.velocity[1] = 10;
    GOOD(cx, ig_frac_setup(&p.job, &m));
    GOOD(cx, ig_frac_model_run(&m, (int64_t)(6e-6 / m.s.dt)));
    void *u;
    GOOD(cx, ig_frac_model_pull(&m, "u", &u));
    const size_t bytes = (size_t)m.count.nodes * 16;
    if (!first)
      memcpy(first = malloc(bytes), u, bytes);
    assert_memory_equal(first, u, bytes);
    assert_true(m.count.cohesive > 0);
    ig_frac_model_free(&m);
    ig_frac_problem_free(&p);
    ig_ctx_close(cx);
  }
  free(first);
}

/* A block slides along another that is held: friction takes v down by mu times the push. */
static void friction_slows(void **state) {
  (void)state;
  double speed[2];
  for (int rough = 0; rough < 2; rough++) {
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_frac_problem p;
    ig_frac_model m;
    blocks(&p, cx, IG_TRI3, true);
    p.c.cohesive.friction = rough ? 0.2 : 0;
    p.initial.velocity[0] = 5;
    p.initial.velocity[1] = 10;
    GOOD(cx, ig_frac_setup(&p.job, &m));
    GOOD(cx, ig_frac_model_run(&m, (int64_t)(40e-6 / m.s.dt)));
    void *v, *minv, *x;
    GOOD(cx, ig_frac_model_pull(&m, "v", &v));
    GOOD(cx, ig_frac_model_pull(&m, "minv", &minv));
    GOOD(cx, ig_frac_model_pull(&m, "x", &x));
    double push = 0, drag = 0;
    for (int64_t n = 0; n < m.count.nodes; n++)
      if (ig_frac_model_real(&m, x, 2 * n) > 10.05e-3) {
        push += ig_frac_model_real(&m, v, 2 * n) / ig_frac_model_real(&m, minv, n);
        drag += ig_frac_model_real(&m, v, 2 * n + 1) / ig_frac_model_real(&m, minv, n);
      }
    assert_true(push > 0);
    speed[rough] = drag / push;
    ig_frac_model_free(&m);
    ig_frac_problem_free(&p);
    ig_ctx_close(cx);
  }
  assert_near(speed[0], 0, 0.02);
  assert_near(speed[1], 0.2, 0.02); /* it slides from beginning to end */
}

static ig_status no_row(ig_sink *sink, int n, const char *const *names, const double *values) {
  (void)sink, (void)n, (void)names, (void)values;
  return IG_OK;
}
static ig_status no_result(ig_sink *sink, const char *key, const char *unit, double value) {
  (void)sink, (void)key, (void)unit, (void)value;
  return IG_OK;
}
static ig_status no_file(ig_sink *sink, const char *name, const void *bytes, size_t size) {
  (void)sink, (void)name, (void)bytes, (void)size;
  return IG_OK;
}

/* Without contact they pass through each other, and that is said; once. */
static void passing_through_is_said(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int on = 0; on < 2; on++) {
      ig_ctx *cx = ctx_listening(*backend, 1);
      ig_frac_problem p;
      ig_frac_model m;
      ig_frac_track track = {.end = 1, .gap = 0};
      ig_sink sink = {.history = no_row, .result = no_result, .file = no_file};
      blocks(&p, cx, IG_TRI3, true);
      p.c.surface_contact = on;
      p.job.sink = &sink;
      GOOD(cx, ig_frac_setup(&p.job, &m));
      GOOD(cx, ig_frac_history(&p.job, &m, &track, p.job.sink));
      assert_string_equal(said, "");
      for (int i = 1; i < 4; i++) {
        GOOD(cx, ig_frac_model_run(&m, (int64_t)(i * 5e-6 / m.s.dt)));
        GOOD(cx, ig_frac_history(&p.job, &m, &track, p.job.sink));
        if (i == 1)
          assert_true((strstr(said, "pass through each other") != NULL) == !on);
        else
          assert_string_equal(said, "");
        said[0] = 0;
      }
      ig_frac_model_free(&m);
      ig_frac_problem_free(&p);
      ig_ctx_close(cx);
    }
}

/* A plate that turns needs finite rotation: that is said too. */
static void turning_is_said(void **state) {
  (void)state;
  for (int finite = 0; finite < 2; finite++) {
    ig_ctx *cx = ctx_listening("cpu", 1);
    ig_frac_problem p;
    ig_frac_model m;
    ig_frac_track track = {.end = 1, .gap = 0};
    ig_sink sink = {.history = no_row};
    ig_frac_problem_init(&p, cx);
    ig_frac_problem_material(&p, 210e9, 0.3, 7850, 20e3, 1e9);
    p.c.cohesive.check_every = 0;
    p.c.rotation = finite;
    p.initial.spin[2] = 2000; /* rad/s: 0.12 rad in 60 us */
    p.job.sink = &sink;
    GOOD(cx, ig_mesh_box(cx, IG_TRI3, (double[]){0.02, 0.02, 0}, (int[]){4, 4, 1}, &p.job.mesh));
    GOOD(cx, ig_frac_setup(&p.job, &m));
    GOOD(cx, ig_frac_model_run(&m, (int64_t)(60e-6 / m.s.dt)));
    GOOD(cx, ig_frac_history(&p.job, &m, &track, p.job.sink));
    assert_true((strstr(said, "rotation: finite") != NULL) == !finite);
    ig_frac_model_free(&m);
    ig_frac_problem_free(&p);
    ig_ctx_close(cx);
  }
}

/* A step that contact does not bear is refused. */
static void a_step_too_long_is_refused(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_frac_problem p;
  ig_frac_model m;
  blocks(&p, cx, IG_TRI3, false);
  p.c.cohesive.check_every = 0;
  p.c.safety = 0.95;
  BAD(cx, ig_frac_setup(&p.job, &m), "with contact of surfaces");
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_collide),  cmocka_unit_test(threads_do_not_show),
      cmocka_unit_test(friction_slows),  cmocka_unit_test(passing_through_is_said),
      cmocka_unit_test(turning_is_said), cmocka_unit_test(a_step_too_long_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
