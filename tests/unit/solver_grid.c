/* Grid operator, multigrid and conjugate gradients against the plain element loop. */
#include "check.h"
#include "backend/backend.h"
#include "solver/grid/multigrid.h"

static double noise(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) / 16777216.0;
}

/* A problem: a beam clamped at x = 0, with rough moduli, a few odd supports and springs. */
typedef struct {
  ig_ctx *cx;
  ig_grid grid;
  ig_brick brick;
  uint8_t *fix;
  double *modulus, *f, *u;
  ig_spring spring[3];
  int springs;
  ig_multigrid *solver;
} problem;

static void problem_open(problem *p, ig_ctx *cx, int dim, int dof, const int *n, bool springs,
                         const ig_multigrid_options *options) {
  memset(p, 0, sizeof *p);
  p->cx = cx;
  const double h[3] = {1, 0.8, 1.2};
  assert_int_equal(ig_grid_init(cx, &p->grid, dim, dof, n), IG_OK);
  if (dof == 1)
    ig_brick_conduction(&p->brick, dim, h);
  else
    ig_brick_elastic(&p->brick, dim, h, 0.3);
  const ig_grid *g = &p->grid;
  const size_t stored = (size_t)g->stored;
  p->fix = calloc(stored, 1);
  p->modulus = calloc(stored, sizeof(double));
  p->f = calloc(stored * (size_t)dof, sizeof(double));
  p->u = calloc(stored * (size_t)dof, sizeof(double));
  uint32_t seed = 7;
  for (int k = 0; k <= g->n[2]; k++)
    for (int j = 0; j <= g->n[1]; j++)
      for (int i = 0; i <= g->n[0]; i++) {
        const int64_t at = ig_grid_place(g, i, j, k);
        if (i == 0)
          p->fix[at] = IG_FIX_ALL;
        if (i == g->n[0] && j == 0 && dof > 1)
          p->fix[at] = 2;
        if (i < g->n[0] && j < g->n[1] && (dim == 2 || k < g->n[2])) {
          const double r = noise(&seed);
          p->modulus[at] = 1e-3 + r * r * r;
        }
        for (int c = 0; c < dof; c++)
          if (!(p->fix[at] >> c & 1))
            p->f[c * g->stored + at] = noise(&seed) - 0.4;
      }
  if (springs)
    for (int s = 0; s < 3; s++)
      p->spring[p->springs++] =
          (ig_spring){ig_grid_place(g, 1 + s, 1, g->n[2] / 2), s % dof, s == 1 ? 50 : 0.5};
  assert_int_equal(
      ig_multigrid_new(cx, g, &p->brick, p->fix, p->spring, p->springs, options, &p->solver),
      IG_OK);
  assert_int_equal(cx->backend->copy_in(cx, p->solver->modulus.dev, p->modulus, stored * 8), IG_OK);
  assert_int_equal(ig_multigrid_update(p->solver), IG_OK);
}

static void problem_close(problem *p) {
  ig_multigrid_free(p->solver);
  free(p->fix);
  free(p->modulus);
  free(p->f);
  free(p->u);
}

/* y = A x by the dense element matrix, element after element */
static void plain_apply(const problem *p, const double *x, double *y) {
  const ig_grid *g = &p->grid;
  const int dof = g->dof, nodes = 1 << g->dim;
  memset(y, 0, (size_t)g->stored * (size_t)dof * sizeof *y);
  for (int k = 0; k < (g->dim == 3 ? g->n[2] : 1); k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        int64_t at[8];
        for (int a = 0; a < nodes; a++)
          at[a] = ig_grid_place(g, i + (a & 1), j + (a >> 1 & 1), k + (a >> 2));
        for (int a = 0; a < nodes; a++)
          for (int c = 0; c < dof; c++)
            for (int b = 0; b < nodes; b++)
              for (int d = 0; d < dof; d++)
                y[c * g->stored + at[a]] += p->modulus[at[0]] *
                                            p->brick.k[a * dof + c][b * dof + d] *
                                            x[d * g->stored + at[b]];
      }
  for (int s = 0; s < p->springs; s++) {
    const int64_t at = p->spring[s].component * g->stored + p->spring[s].node;
    y[at] += p->spring[s].stiffness * x[at];
  }
  for (int64_t i = 0; i < g->stored; i++)
    for (int c = 0; c < dof; c++)
      if (p->fix[i] >> c & 1)
        y[c * g->stored + i] = 0;
}

static const struct {
  int dim, dof, n[3];
} shapes[] = {{2, 2, {13, 6, 0}},
              {2, 1, {9, 11, 0}},
              {3, 3, {9, 6, 5}},
              {3, 1, {7, 8, 4}},
              {3, 3, {70, 20, 3}}};

static void operator_equals_element_loop(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
      problem p;
      problem_open(&p, cx, shapes[s].dim, shapes[s].dof, shapes[s].n, true, &IG_MULTIGRID_DEFAULT);
      const size_t n = (size_t)ig_multigrid_linear(p.solver).n, bytes = n * sizeof(double);
      double *expect = malloc(bytes), *got = malloc(bytes), expect_dot = 0, dot, scale = 0;
      plain_apply(&p, p.f, expect);
      ig_array x = {0}, y = {0}, d = {0};
      assert_int_equal(ig_array_from(cx, &x, p.f, n, 8, "x"), IG_OK);
      assert_int_equal(ig_array_new_device(cx, &y, n, 8, "y"), IG_OK);
      assert_int_equal(ig_array_zero(cx, &y), IG_OK);
      assert_int_equal(ig_array_new_device(cx, &d, 1, sizeof(ig_cg_state), "dot"), IG_OK);
      assert_int_equal(ig_array_zero(cx, &d), IG_OK);
      assert_int_equal(ig_multigrid_linear(p.solver).apply(p.solver, x.dev, y.dev, d.dev), IG_OK);
      assert_int_equal(cx->backend->copy_out(cx, got, y.dev, bytes), IG_OK);
      assert_int_equal(cx->backend->copy_out(cx, &dot, d.dev, 8), IG_OK);
      for (size_t i = 0; i < n; i++)
        expect_dot += expect[i] * p.f[i];
      for (size_t i = 0; i < n; i++)
        scale = fabs(expect[i]) > scale ? fabs(expect[i]) : scale;
      for (size_t i = 0; i < n; i++)
        assert_true(fabs(got[i] - expect[i]) <= 1e-13 * scale);
      assert_true(fabs(dot - expect_dot) <= 1e-11 * fabs(expect_dot));
      ig_array_free(cx, &x);
      ig_array_free(cx, &y);
      ig_array_free(cx, &d);
      free(expect);
      free(got);
      problem_close(&p);
    }
    ig_ctx_close(cx);
  }
}

/* Every coarse operator is P^T A P of the one above, seen through random vectors. */
static void coarse_levels_are_galerkin(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
      problem p;
      ig_multigrid_options options = IG_MULTIGRID_DEFAULT;
      options.coarsest = 60;
      options.storage = IG_STORE_SINGLE;
      problem_open(&p, cx, shapes[s].dim, shapes[s].dof, shapes[s].n, true, &options);
      ig_multigrid *m = p.solver;
      for (int l = 0; l + 1 < m->levels; l++) {
        ig_level *fine = &m->level[l], *coarse = &m->level[l + 1];
        const ig_grid *g = &coarse->grid;
        const size_t n = (size_t)g->stored * (size_t)g->dof;
        const size_t nf = (size_t)fine->grid.stored * (size_t)g->dof;
        float *x = calloc(n, 4), *direct = malloc(n * 4), *through = malloc(n * 4),
              *inv = malloc(n * 4);
        uint32_t seed = 3;
        assert_int_equal(cx->backend->copy_out(cx, inv, coarse->inverse, n * 4), IG_OK);
        for (int k = 0; k <= g->n[2]; k++)
          for (int j = 0; j <= g->n[1]; j++)
            for (int i = 0; i <= g->n[0]; i++)
              for (int c = 0; c < g->dof; c++) {
                const int64_t at = c * g->stored + ig_grid_place(g, i, j, k);
                x[at] = inv[at] == 0 ? 0 : (float)(noise(&seed) - 0.5);
              }
        assert_int_equal(cx->backend->copy_in(cx, coarse->x, x, n * 4), IG_OK);
        assert_int_equal(cx->backend->fill(cx, fine->x, 0, nf * 4), IG_OK);
        assert_int_equal(cx->backend->fill(cx, fine->y, 0, nf * 4), IG_OK);
        assert_int_equal(m->ops->prolong(cx, coarse, coarse->x, fine, fine->x), IG_OK);
        assert_int_equal(
            m->ops->sweep(cx, fine, IG_SWEEP_APPLY, NULL, fine->x, NULL, 0, 0, fine->y), IG_OK);
        assert_int_equal(m->ops->restricts(cx, fine, fine->y, coarse, coarse->b, 0, NULL, NULL),
                         IG_OK);
        assert_int_equal(
            m->ops->sweep(cx, coarse, IG_SWEEP_APPLY, NULL, coarse->x, NULL, 0, 0, coarse->y),
            IG_OK);
        assert_int_equal(cx->backend->copy_out(cx, through, coarse->b, n * 4), IG_OK);
        assert_int_equal(cx->backend->copy_out(cx, direct, coarse->y, n * 4), IG_OK);
        double scale = 0;
        for (size_t i = 0; i < n; i++)
          scale = fabs(direct[i]) > scale ? fabs(direct[i]) : scale;
        assert_true(scale > 0);
        for (size_t i = 0; i < n; i++)
          if (inv[i] != 0)
            assert_true(fabs(direct[i] - through[i]) <= 2e-5 * scale);
        free(x);
        free(direct);
        free(through);
        free(inv);
      }
      problem_close(&p);
    }
    ig_ctx_close(cx);
  }
}

/* Every preconditioner leads to the same answer, the multigrid ones soon: by smoother, cycle and
   size of the level that is inverted. */
static const struct {
  ig_precondition precondition;
  ig_smoother smoother;
  ig_cycle cycle;
  int coarsest, most;
  bool half;
} methods[] = {{IG_PRECONDITION_JACOBI, IG_SMOOTH_JACOBI, IG_CYCLE_V, 0, 20000, false},
               {IG_PRECONDITION_MULTIGRID, IG_SMOOTH_CHEBYSHEV, IG_CYCLE_V, 60, 150, false},
               {IG_PRECONDITION_MULTIGRID, IG_SMOOTH_JACOBI, IG_CYCLE_W, 60, 150, false},
               {IG_PRECONDITION_MULTIGRID, IG_SMOOTH_BLOCKS, IG_CYCLE_V, 60, 150, false},
               {IG_PRECONDITION_MULTIGRID, IG_SMOOTH_BLOCKS, IG_CYCLE_K, 60, 120, false},
               {IG_PRECONDITION_MULTIGRID, IG_SMOOTH_CHEBYSHEV, IG_CYCLE_K, 60, 120, false},
               {IG_PRECONDITION_MULTIGRID, IG_SMOOTH_CHEBYSHEV, IG_CYCLE_K, 60, 120, true},
               {IG_PRECONDITION_MULTIGRID, IG_SMOOTH_CHEBYSHEV, IG_CYCLE_K, 2000, 120, false}};

static void solvers_agree(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
      for (size_t method = 0; method < sizeof methods / sizeof *methods; method++) {
        ig_multigrid_options options = IG_MULTIGRID_DEFAULT;
        options.precondition = methods[method].precondition;
        options.cycle = methods[method].cycle;
        options.smoother = methods[method].smoother;
        options.coarsest = methods[method].coarsest;
        options.storage = methods[method].half ? IG_STORE_HALF : IG_STORE_SINGLE;
        problem p;
        problem_open(&p, cx, shapes[s].dim, shapes[s].dof, shapes[s].n, true, &options);
        const size_t n = (size_t)ig_multigrid_linear(p.solver).n, bytes = n * sizeof(double);
        ig_array f = {0}, x = {0};
        assert_int_equal(ig_array_from(cx, &f, p.f, n, 8, "f"), IG_OK);
        assert_int_equal(ig_array_from(cx, &x, p.u, n, 8, "u"), IG_OK);
        ig_solve_report report;
        assert_int_equal(ig_multigrid_solve(p.solver, f.dev, x.dev, 1e-9, &report), IG_OK);
        assert_int_equal(report.end, IG_SOLVE_CONVERGED);
        assert_true(report.iterations < methods[method].most);
        double *u = malloc(bytes), *r = malloc(bytes), rr = 0, ff = 0;
        assert_int_equal(cx->backend->copy_out(cx, u, x.dev, bytes), IG_OK);
        plain_apply(&p, u, r);
        for (size_t i = 0; i < n; i++) {
          rr += (p.f[i] - r[i]) * (p.f[i] - r[i]);
          ff += p.f[i] * p.f[i];
        }
        if (!(rr <= 4e-18 * ff))
          print_message("%s, shape %d, method %d: residual %g after %d iterations\n", *backend,
                        (int)s, (int)method, sqrt(rr / ff), report.iterations);
        assert_true(rr <= 4e-18 * ff);
        free(u);
        free(r);
        ig_array_free(cx, &f);
        ig_array_free(cx, &x);
        problem_close(&p);
      }
    ig_ctx_close(cx);
  }
}

/* Bars two elements thick, eight apart, in void 1e9 times softer: what late designs look like. The
   number of iterations to 1e-5 does not grow with the grid: three visits to the first coarse level;
   14 with exact coarse solutions (a comparison, not a bound). More smoothing takes fewer. */
static int lattice_iterations(ig_ctx *cx, int dof, int n, ig_storage storage, int fine_steps) {
  problem p;
  ig_multigrid_options options = IG_MULTIGRID_DEFAULT;
  options.storage = storage;
  options.fine_steps = fine_steps;
  options.visits = 0; /* as usual */
  problem_open(&p, cx, 3, dof, (const int[3]){2 * n, n, n}, false, &options);
  const ig_grid *g = &p.grid;
  const size_t count = (size_t)g->stored * (size_t)dof;
  const double h[3] = {1, 1, 1};
  if (dof == 3)
    ig_brick_elastic(&p.brick, 3, h, 0.3);
  else
    ig_brick_conduction(&p.brick, 3, h);
  memset(p.f, 0, count * sizeof *p.f);
  for (int k = 0; k <= n; k++)
    for (int j = 0; j <= n; j++)
      for (int i = 0; i <= 2 * n; i++) {
        const int64_t at = ig_grid_place(g, i, j, k);
        p.fix[at] = i ? 0 : IG_FIX_ALL;
        if (i < 2 * n && j < n && k < n)
          p.modulus[at] = (i % 8 < 2) + (j % 8 < 2) + (k % 8 < 2) > 1 ? 1 : 1e-9;
        if (i == 2 * n - 8 && j < 3 && k < 3)
          p.f[(dof - 1) * g->stored + at] = 1;
      }
  ig_multigrid_free(p.solver);
  assert_int_equal(ig_multigrid_new(cx, g, &p.brick, p.fix, NULL, 0, &options, &p.solver), IG_OK);
  assert_int_equal(cx->backend->copy_in(cx, p.solver->modulus.dev, p.modulus, g->stored * 8),
                   IG_OK);
  assert_int_equal(ig_multigrid_update(p.solver), IG_OK);
  ig_array f = {0}, u = {0};
  assert_int_equal(ig_array_from(cx, &f, p.f, count, 8, "f"), IG_OK);
  assert_int_equal(ig_array_from(cx, &u, p.u, count, 8, "u"), IG_OK);
  ig_solve_report report;
  assert_int_equal(ig_multigrid_solve(p.solver, f.dev, u.dev, 1e-5, &report), IG_OK);
  assert_int_equal(report.end, IG_SOLVE_CONVERGED);
  ig_array_free(cx, &f);
  ig_array_free(cx, &u);
  problem_close(&p);
  return report.iterations;
}

static void thin_bars_take_few_iterations(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    static const struct {
      int dof;
      ig_storage storage;
    } ways[] = {{1, IG_STORE_SINGLE}, {3, IG_STORE_SINGLE}, {3, IG_STORE_HALF}};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
      const int small = lattice_iterations(cx, ways[w].dof, 12, ways[w].storage, 1);
      const int large = lattice_iterations(cx, ways[w].dof, 24, ways[w].storage, 1);
      const int smooth = lattice_iterations(cx, ways[w].dof, 12, ways[w].storage, 3);
      assert_in_range(small, 1, 20);
      assert_in_range(large, 1, small + 2);
      assert_in_range(smooth, 1, small - 3);
    }
    ig_ctx_close(cx);
  }
}

static void result_does_not_depend_on_threads(void **state) {
  (void)state;
  double *first = NULL;
  for (int threads = 1; threads <= 3; threads++) {
    ig_ctx *cx = ctx_on("cpu", threads);
    problem p;
    problem_open(&p, cx, 3, 3, (const int[3]){12, 7, 6}, false, &IG_MULTIGRID_DEFAULT);
    ig_solve_report report;
    assert_int_equal(ig_multigrid_solve(p.solver, p.f, p.u, 1e-9, &report), IG_OK);
    const size_t bytes = (size_t)ig_multigrid_linear(p.solver).n * 8;
    if (!first) {
      first = malloc(bytes);
      memcpy(first, p.u, bytes);
    }
    assert_memory_equal(first, p.u, bytes);
    problem_close(&p);
    ig_ctx_close(cx);
  }
  free(first);
}

static void unsupported_body_is_reported(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  problem p;
  ig_multigrid_options options = IG_MULTIGRID_DEFAULT;
  options.precondition = IG_PRECONDITION_JACOBI;
  problem_open(&p, cx, 2, 2, (const int[3]){6, 4, 0}, false, &options);
  /* negative moduli make the operator indefinite */
  for (int64_t i = 0; i < p.grid.stored; i++)
    ((double *)p.solver->modulus.dev)[i] *= i % 2 ? 1 : -1;
  assert_int_equal(ig_multigrid_update(p.solver), IG_OK);
  ig_solve_report report;
  assert_int_equal(ig_multigrid_solve(p.solver, p.f, p.u, 1e-9, &report), IG_OK);
  assert_int_equal(report.end, IG_SOLVE_INDEFINITE);
  problem_close(&p);
  ig_ctx_close(cx);
}

/* A tolerance under rounding cannot be met: that is noticed. So is the limit of iterations. */
static void hopeless_tolerance_is_reported(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  for (int limit = 3; limit <= 20000; limit += 20000 - 3) {
    problem p;
    ig_multigrid_options options = IG_MULTIGRID_DEFAULT;
    options.precondition = IG_PRECONDITION_JACOBI;
    options.limit = limit;
    problem_open(&p, cx, 2, 2, (const int[3]){6, 4, 0}, false, &options);
    ig_solve_report report;
    assert_int_equal(ig_multigrid_solve(p.solver, p.f, p.u, 1e-22, &report), IG_OK);
    assert_int_equal(report.end, limit == 3 ? IG_SOLVE_LIMIT : IG_SOLVE_STAGNATED);
    assert_true(report.iterations <= 4000);
    assert_true(limit == 3 || report.residual < 1e-12);
    problem_close(&p);
  }
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operator_equals_element_loop),
      cmocka_unit_test(coarse_levels_are_galerkin),
      cmocka_unit_test(solvers_agree),
      cmocka_unit_test(thin_bars_take_few_iterations),
      cmocka_unit_test(result_does_not_depend_on_threads),
      cmocka_unit_test(unsupported_body_is_reported),
      cmocka_unit_test(hopeless_tolerance_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
