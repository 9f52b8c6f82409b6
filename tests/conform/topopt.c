/* Every driver of the topology optimisation kernels against plain serial loops, on every backend
   there is (INGOT_TEST_BACKEND names one to do alone). */
#include "check.h"
#include "backend/backend.h"
#include "verify/topopt/problem.h"

typedef void body(ig_ctx *cx);
static void on_every_backend(body *fn) {
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    fn(cx);
    ig_ctx_close(cx);
  }
}

static double noise(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) / 16777216.0;
}

static double *random_field(size_t n, uint32_t seed) {
  double *v = malloc(n * sizeof *v);
  for (size_t i = 0; i < n; i++)
    v[i] = noise(&seed);
  return v;
}

#define OPEN(cx, text, t) assert_int_equal(ig_topopt_problem_open(cx, text, t), IG_OK)

/* --- filter --- */

#define FILTER_CASE(nz, filter)                                                                    \
  "{grid: {elements: [9, 7, " nz                                                                   \
  "], size: [9, 8, 6]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: [9, 0, 0]}, "   \
  "force: [1, 1, 0]}], filter: {" filter "}}"

static void check_filter(ig_ctx *cx) {
  static const char *const texts[] = {
      FILTER_CASE("5", "kind: density, radius: 2.7"),
      FILTER_CASE("0", "kind: sensitivity, radius: 2.7"),
      "{grid: {elements: [150, 6, 3]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: "
      "[150, 0, 0]}, force: [1, 1, 0]}], filter: {kind: density, radius: 2.7}}"};
  for (size_t p = 0; p < sizeof texts / sizeof *texts; p++) {
    ig_topopt_problem t;
    OPEN(cx, texts[p], &t);
    const ig_grid *g = &t.m->grid;
    const size_t n = (size_t)g->stored;
    double *x = random_field(n, 5), *got = malloc(n * 8);
    const uint8_t *role = t.m->role.host;
    for (size_t i = 0; i < n; i++)
      x[i] = role[i] ? x[i] : 0;
    assert_int_equal(cx->backend->copy_in(cx, t.s->x.dev, x, n * 8), IG_OK);
    assert_int_equal(t.m->d.filter(t.m->d.self, t.s->x.dev, t.s->work.dev), IG_OK);
    assert_int_equal(cx->backend->copy_out(cx, got, t.s->work.dev, n * 8), IG_OK);
    const int nz = g->dim == 3 ? g->n[2] : 1;
    for (int k = 0; k < nz; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++) {
          double sum = 0;
          for (int c = 0; c < nz; c++)
            for (int b = 0; b < g->n[1]; b++)
              for (int a = 0; a < g->n[0]; a++) {
                const double dx = (a - i) * t.m->h[0], dy = (b - j) * t.m->h[1];
                const double dz = g->dim == 3 ? (c - k) * t.m->h[2] : 0;
                const double w = 2.7 - sqrt(dx * dx + dy * dy + dz * dz);
                if (w > 0)
                  sum += w * x[ig_grid_place(g, a, b, c)];
              }
          assert_true(fabs(got[ig_grid_place(g, i, j, k)] - sum) <= 1e-12 * sum);
        }
    free(x);
    free(got);
    ig_topopt_problem_close(&t);
  }
}

/* --- energies --- */

static void check_energy(ig_ctx *cx) {
  static const char *const texts[] = {FILTER_CASE("5", "kind: none"),
                                      FILTER_CASE("0", "kind: none"),
                                      "{problem: heat, source: 1, grid: {elements: [6, 5, 4]}, "
                                      "supports: [{box: {max: [0, 9, 9]}}]}",
                                      "{problem: heat, source: 1, grid: {elements: [6, 5, 0]}, "
                                      "supports: [{box: {max: [0, 9, 9]}}]}"};
  for (int p = 0; p < 4; p++) {
    ig_topopt_problem t;
    OPEN(cx, texts[p], &t);
    const ig_grid *g = &t.m->grid;
    const ig_brick *brick = &t.m->solver->brick;
    const size_t n = (size_t)g->stored, nu = n * (size_t)g->dof;
    double *u = random_field(nu, 1), *v = random_field(nu, 2), *got = malloc(n * 8);
    ig_array du = {0}, dv = {0};
    assert_int_equal(ig_array_from(cx, &du, u, nu, 8, "u"), IG_OK);
    assert_int_equal(ig_array_from(cx, &dv, v, nu, 8, "v"), IG_OK);
    assert_int_equal(t.m->d.energy(t.m->d.self, du.dev, dv.dev, 2, false, t.s->work.dev), IG_OK);
    assert_int_equal(t.m->d.energy(t.m->d.self, du.dev, dv.dev, -0.5, true, t.s->work.dev), IG_OK);
    assert_int_equal(cx->backend->copy_out(cx, got, t.s->work.dev, n * 8), IG_OK);
    for (int k = 0; k < (g->dim == 3 ? g->n[2] : 1); k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++) {
          double sum = 0, size = 0;
          for (int a = 0; a < brick->size; a++)
            for (int b = 0; b < brick->size; b++) {
              const int na = a / g->dof, nb = b / g->dof;
              const int64_t pa = ig_grid_place(g, i + (na & 1), j + (na >> 1 & 1), k + (na >> 2));
              const int64_t pb = ig_grid_place(g, i + (nb & 1), j + (nb >> 1 & 1), k + (nb >> 2));
              const double term =
                  brick->k[a][b] * u[a % g->dof * g->stored + pa] * v[b % g->dof * g->stored + pb];
              sum += term;
              size += fabs(term);
            }
          assert_true(fabs(got[ig_grid_place(g, i, j, k)] - 1.5 * sum) <= 1e-13 * size);
        }
    ig_array_free(cx, &du);
    ig_array_free(cx, &dv);
    free(u);
    free(v);
    free(got);
    ig_topopt_problem_close(&t);
  }
}

/* --- single-precision sweeps of the finest level against the double operator --- */

static void check_sweeps(ig_ctx *cx) {
  static const char *const texts[] = {
      "{grid: {elements: [40, 21, 13]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: "
      "[40, 0, 0]}, force: [1, 1, 0]}], springs: [{box: {min: [20, 10, 6], max: [21, 11, 7]}, "
      "stiffness: [3, 0, 9]}]}",
      "{grid: {elements: [23, 14, 0]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: "
      "[23, 0, 0]}, force: [1, 1, 0]}], springs: [{box: {min: [20, 10, 0], max: [21, 11, 7]}, "
      "stiffness: [3, 9, 0]}]}",
      "{problem: heat, source: 1, grid: {elements: [33, 17, 9]}, supports: [{box: {max: [0, 9, "
      "9]}}]}"};
  for (int p = 0; p < 3; p++) {
    ig_topopt_problem t;
    OPEN(cx, texts[p], &t);
    ig_multigrid *m = t.m->solver;
    ig_level *l = &m->level[0];
    const ig_grid *g = &t.m->grid;
    const size_t n = (size_t)g->stored, nu = n * (size_t)g->dof;
    /* rough moduli, random vectors that respect halo and supports */
    double *e = random_field(n, 3), *x = random_field(nu, 4), *ax = malloc(nu * 8);
    float *x32 = malloc(nu * 4), *b32 = malloc(nu * 4), *y32 = malloc(nu * 4),
          *d32 = malloc(nu * 4);
    const uint8_t *role = t.m->role.host, *fix = m->fix.host;
    uint32_t seed = 9;
    for (size_t i = 0; i < n; i++)
      e[i] = role[i] ? 0.01 + e[i] : 0;
    for (size_t i = 0; i < nu; i++) {
      if (fix[i % n] >> (i / n) & 1)
        x[i] = 0;
      x32[i] = (float)x[i];
      b32[i] = x[i] == 0 ? 0 : (float)(noise(&seed) - 0.5);
    }
    assert_int_equal(cx->backend->copy_in(cx, m->modulus.dev, e, n * 8), IG_OK);
    assert_int_equal(ig_multigrid_update(m), IG_OK);
    assert_int_equal(cx->backend->copy_in(cx, m->pcg.p.dev, x, nu * 8), IG_OK);
    assert_int_equal(ig_multigrid_linear(m).apply(m, m->pcg.p.dev, m->pcg.ap.dev, NULL), IG_OK);
    assert_int_equal(cx->backend->copy_out(cx, ax, m->pcg.ap.dev, nu * 8), IG_OK);
    double scale = 0;
    for (size_t i = 0; i < nu; i++)
      scale = fabs(ax[i]) > scale ? fabs(ax[i]) : scale;
    assert_int_equal(cx->backend->copy_in(cx, l->x, x32, nu * 4), IG_OK);
    assert_int_equal(cx->backend->copy_in(cx, m->pcg.r32.dev, b32, nu * 4), IG_OK);
    assert_int_equal(
        m->ops->sweep(cx, l, IG_SWEEP_RESIDUAL, m->pcg.r32.dev, l->x, NULL, 0, 0, l->y), IG_OK);
    assert_int_equal(cx->backend->copy_out(cx, y32, l->y, nu * 4), IG_OK);
    for (size_t i = 0; i < nu; i++)
      assert_true(fabs((double)y32[i] - (x[i] == 0 ? 0 : b32[i] - ax[i])) <= 2e-6 * scale);
    /* a smoothing step with momentum */
    assert_int_equal(cx->backend->copy_in(cx, l->d, x32, nu * 4), IG_OK);
    assert_int_equal(
        m->ops->sweep(cx, l, IG_SWEEP_SMOOTH, m->pcg.r32.dev, l->x, l->d, 0.5f, 0.25f, l->y),
        IG_OK);
    assert_int_equal(cx->backend->copy_out(cx, y32, l->y, nu * 4), IG_OK);
    assert_int_equal(cx->backend->copy_out(cx, d32, l->d, nu * 4), IG_OK);
    const int64_t r = g->row, q = g->dim == 3 ? g->plane : 0;
    for (size_t i = 0; i < nu; i++) {
      if (x[i] == 0)
        continue;
      const int c = (int)(i / n);
      const size_t at = i % n;
      double sum = e[at] + e[at - 1] + e[at - r] + e[at - 1 - r];
      if (q)
        sum += e[at - q] + e[at - 1 - q] + e[at - r - q] + e[at - 1 - r - q];
      double diagonal = sum * m->brick.diagonal[c];
      for (int s = 0; s < m->args.springs; s++) {
        const ig_spring *k = &((const ig_spring *)m->spring.host)[s];
        if (k->node == (int64_t)at && k->component == c)
          diagonal += k->stiffness;
      }
      const double step = 0.5 * x[i] + 0.25 * (b32[i] - ax[i]) / diagonal;
      assert_true(fabs((double)d32[i] - step) <= 2e-5 * (1 + fabs(step)));
      assert_true(fabs((double)y32[i] - (x[i] + step)) <= 2e-5 * (1 + fabs(step)));
    }
    free(e);
    free(x);
    free(ax);
    free(x32);
    free(b32);
    free(y32);
    free(d32);
    ig_topopt_problem_close(&t);
  }
}

/* --- whole iterations against the CPU --- */

static const char *const whole[] = {
    "{grid: {elements: [33, 14, 9]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: "
    "[33, 0, 0]}, force: [0, -1, 0]}], filter: {kind: density, radius: 1.7}, solver: {tolerance: "
    "1e-9}, passive: [{box: {min: [30, 0, 0], max: [33, 2, 2]}}], void_ratio: 1e-4}",
    "{grid: {elements: [30, 17, 0]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: "
    "[30, 0, 0]}, force: [0, -1, 0]}], filter: {kind: helmholtz, radius: 2}, projection: {beta: 2, "
    "robust: 0.1}, optimiser: {method: mma}, solver: {tolerance: 1e-9}, void_ratio: 1e-4}",
    "{problem: heat, source: 1, grid: {elements: [21, 12, 11]}, supports: [{box: {max: [0, 3, "
    "3]}}], filter: {kind: sensitivity, radius: 2.5}, solver: {tolerance: 1e-9}, void_ratio: 1e-3}",
    "{problem: mechanism, grid: {elements: [16, 9, 6]}, supports: [{box: {max: [0, 1, 9]}}], "
    "loads: [{box: {min: [0, 9, 0], max: [0, 9, 9]}, force: [1, 0, 0]}], springs: [{box: {min: [0, "
    "9, 0], max: [0, 9, 9]}, stiffness: [0.1, 0, 0]}, {box: {min: [16, 9, 0]}, stiffness: [0.1, 0, "
    "0]}], ports: [{box: {min: [16, 9, 0]}, direction: [-1, 0, 0]}], solver: {tolerance: 1e-9}, "
    "optimiser: {damping: 0.3, move_limit: 0.1, gray_exponent: 1.5}, void_ratio: 1e-3}",
    "{grid: {elements: [40, 12, 16]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: "
    "[40, 0, 0]}, force: [0, -1, 0]}, {box: {min: [40, 12, 0]}, force: [0, 0, 1], load_case: 2}], "
    "weights: [1, 2], filter: {kind: density, radius: 1.7}, solver: {tolerance: 1e-9, storage: "
    "half}, void_ratio: 1e-4, optimiser: {method: mma}, constraints: [{box: {max: [20, 99, 99]}, "
    "volume: 0.45}, {compliance: 700, load_case: 2}, {box: {min: [40, 0, 0], max: [40, 0, 0]}, "
    "direction: [0, -1, 0], displacement: 30}]}",
    "{grid: {elements: [26, 12, 10]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: "
    "[26, 0, 0]}, force: [0, -1, 0]}], filter: {kind: sensitivity, radius: 1.7}, solver: "
    "{tolerance: 1e-9, smoother: block_jacobi, cycle: w}, void_ratio: 1e-4}"};

enum { WHOLE = sizeof whole / sizeof *whole, ITERATIONS = 3 };
static double expected[WHOLE][ITERATIONS];

static void iterate_all(ig_ctx *cx, double (*out)[ITERATIONS]) {
  for (int p = 0; p < WHOLE; p++) {
    ig_topopt_problem t;
    OPEN(cx, whole[p], &t);
    for (int it = 0; it < ITERATIONS; it++) {
      ig_evaluation e = {0};
      if (ig_topopt_problem_iterate(&t, it + 1, &e) != IG_OK)
        fail_msg("%s", ig_ctx_message(cx));
      out[p][it] = e.objective;
    }
    ig_topopt_problem_close(&t);
  }
}

static void check_whole(ig_ctx *cx) {
  double got[WHOLE][ITERATIONS];
  iterate_all(cx, got);
  for (int p = 0; p < WHOLE; p++)
    for (int it = 0; it < ITERATIONS; it++)
      if (!(fabs(got[p][it] - expected[p][it]) <= 1e-6 * fabs(expected[p][it])))
        fail_msg("problem %d, iteration %d: %.12g, not %.12g", p, it + 1, got[p][it],
                 expected[p][it]);
}

static void filter_conforms(void **state) {
  (void)state;
  on_every_backend(check_filter);
}
static void energy_conforms(void **state) {
  (void)state;
  on_every_backend(check_energy);
}
static void sweeps_conform(void **state) {
  (void)state;
  on_every_backend(check_sweeps);
}
static void iterations_conform(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  iterate_all(cx, expected);
  ig_ctx_close(cx);
  on_every_backend(check_whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(filter_conforms),
      cmocka_unit_test(energy_conforms),
      cmocka_unit_test(sweeps_conform),
      cmocka_unit_test(iterations_conform),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
