/* The stress room's element, law and solver: the tangent against differences, Newton's order,
   what nothing holds, and blocks with known answers. */
#include "check.h"
#include "backend/backend.h"
#include "verify/stress/problem.h"

static const double unit[3] = {1, 1, 1};

/* Inner nodes moved about: no element is a box. */
static void wobble(ig_mesh *mesh) {
  for (ig_lid i = 0; i < mesh->nodes; i++) {
    double *x = mesh->x + 3 * (int64_t)i, y[3];
    bool inner = true;
    for (int d = 0; d < 3; d++)
      inner &= x[d] > 1e-9 && x[d] < 1 - 1e-9;
    for (int d = 0; d < 3; d++)
      y[d] = inner ? 0.06 * sin(5.0 * i + d) : 0;
    for (int d = 0; d < 3; d++)
      x[d] += y[d];
  }
}

static void random_push(ig_stress *m, double size, unsigned seed) {
  double *u = m->u.host;
  for (int64_t i = 0; i < 3 * (int64_t)m->nodes; i++) {
    seed = 1664525U * seed + 1013904223U;
    u[i] = size * (seed / 4294967296.0 - 0.5);
  }
  GOOD(m->cx, ig_array_push(m->cx, &m->u));
}

/* The product with the tangent is the derivative of the forces, yielding and not, in every
   hardening. */
static void tangent_is_the_derivative(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int way = 0; way < 32; way++) { /* both elements; gather, two clusters; rotations */
      const int way_of = way % 8, kind = way_of % 4;
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_stress_problem q;
      ig_stress_problem_new(cx, &q);
      q.c.element = way % 16 < 8 ? IG_ELEMENT_ASSUMED : IG_ELEMENT_BBAR;
      q.c.rotations = way < 16 ? IG_ROTATIONS_SMALL : IG_ROTATIONS_FINITE;
      q.assembly = way_of < 4 ? IG_GATHER : IG_CLUSTER;
      GOOD(cx, ig_stress_problem_box(&q, unit, (int[]){2, 2, way_of < 4 ? 3 : 5}));
      wobble(q.mesh);
      ig_stress_problem_hold(&q, "z0", "all");
      ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, kind == 0 ? NAN : 240e6,
                                 kind % 2 ? 20e9 : 0, kind >= 2 ? 15e9 : 0);
      GOOD(cx, ig_stress_problem_open(&q));
      ig_stress *m = q.m;
      random_push(m, 2e-3, 1); /* a state with history */
      GOOD(cx, ig_stress_forces(m));
      GOOD(cx, m->ops->commit(cx, &m->args, m->u.dev));
      random_push(m, 3e-3, 7);
      const size_t n = 3 * (size_t)m->nodes;
      double *at = calloc(n, 8), *to = calloc(n, 8), *plus = calloc(n, 8);
      memcpy(at, m->u.host, n * 8);
      for (size_t i = 0; i < n; i++)
        to[i] = sin(1.3 * (double)i);
      const double h = 1e-9;
      for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < n; i++)
          ((double *)m->u.host)[i] = at[i] + (side ? -h : h) * to[i];
        GOOD(cx, ig_array_push(cx, &m->u));
        GOOD(cx, ig_stress_forces(m));
        GOOD(cx, ig_array_pull(cx, &m->force));
        if (side == 0)
          memcpy(plus, m->force.host, n * 8);
      }
      memcpy(m->u.host, at, n * 8);
      GOOD(cx, ig_array_push(cx, &m->u));
      double *slope = calloc(n, 8), most = 0, off = 0;
      for (size_t i = 0; i < n; i++)
        slope[i] = (plus[i] - ((double *)m->force.host)[i]) / (2 * h);
      GOOD(cx, ig_stress_forces(m));
      memcpy(m->work.old.host, to, n * 8);
      GOOD(cx, ig_array_push(cx, &m->work.old));
      GOOD(cx, m->ops->product(cx, &m->args, &m->plan, m->work.old.dev, m->force.dev));
      GOOD(cx, ig_array_pull(cx, &m->force));
      for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(slope[i]));
        off = fmax(off, fabs(slope[i] - ((double *)m->force.host)[i]));
      }
      if (!(off < 1e-6 * most))
        fail_msg("%s, way %d: tangent off by %g of %g", *backend, way, off, most);
      free(at);
      free(to);
      free(plus);
      free(slope);
      ig_stress_problem_free(&q);
      ig_ctx_close(cx);
    }
}

/* Clamped and heated: -E alpha dT / (1 - 2 nu), yielding or not; free: no stress at all. */
static void blocks_clamped_and_free(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int kind = 0; kind < 8; kind++) { /* yielding or not, clamped or free, both elements */
      static const char *const sides[] = {"x0", "x1", "y0", "y1", "z0", "z1"};
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_stress_problem q;
      double mean[IG_STRESS_REPORT];
      ig_stress_problem_new(cx, &q);
      q.c.element = kind < 4 ? IG_ELEMENT_ASSUMED : IG_ELEMENT_BBAR;
      GOOD(cx, ig_stress_problem_box(&q, unit, (int[]){3, 3, 3}));
      wobble(q.mesh);
      q.c.solver.tolerance = 1e-12; /* displacements are compared to 1e-9 of their size */
      ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, kind & 1 ? 100e6 : NAN, NAN, 0);
      if (kind % 4 < 2) {
        for (int i = 0; i < 6; i++)
          ig_stress_problem_hold(&q, sides[i], "all");
      } else {
        ig_stress_problem_hold(&q, "x0", "x");
        ig_stress_problem_hold(&q, "y0", "y");
        ig_stress_problem_hold(&q, "z0", "z");
      }
      GOOD(cx, ig_stress_problem_open(&q));
      GOOD(cx, ig_stress_problem_step(&q, 1, 393.15, NULL, NULL));
      GOOD(cx, ig_stress_problem_mean(&q, NULL, NULL, mean));
      const double *u = q.m->u.host;
      for (int i = 0; i < 3; i++)
        assert_near(mean[i], kind % 4 < 2 ? -600e6 : 0, kind % 4 < 2 ? 1 : 10);
      assert_near(mean[6], 0, 10);
      if (kind % 4 >= 2)
        for (ig_lid i = 0; i < 3 * q.mesh->nodes; i++)
          assert_near(u[i], 1.2e-3 * q.mesh->x[i], 1e-12);
      ig_stress_problem_free(&q);
      ig_ctx_close(cx);
    }
}

/* A block of yielding material heated unevenly, by both kinds of multigrid: each residual is at
   most a constant times the square of the one before it, as shares of the forces. On few elements
   the constant is 1; on as many as a grid needs, more elements change between elastic and plastic
   in the first iterations. */
static double hot_side(void *user, const double x[3]) {
  (void)user;
  return 293.15 + 400 * x[0] * x[2];
}
static void newton_is_quadratic(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int kind = IG_STRESS_MULTIGRID; kind <= IG_STRESS_AGGREGATION; kind++) {
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_stress_problem q;
      ig_stress_problem_new(cx, &q);
      const int side = kind == IG_STRESS_MULTIGRID ? 13 : 4; /* a grid needs 2000 elements */
      GOOD(cx, ig_stress_problem_box(&q, unit, (int[]){side, side, side - 1}));
      ig_stress_problem_hold(&q, "z0", "all");
      ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, 240e6, 20e9, 10e9);
      q.c.solver.tolerance = 1e-12;
      q.c.solver.preconditioner = kind;
      GOOD(cx, ig_stress_problem_open(&q));
      assert_true((q.m->system.lattice != NULL) == (kind == IG_STRESS_MULTIGRID));
      GOOD(cx, ig_stress_problem_step(&q, 1, 0, hot_side, NULL));
      const double *r = q.m->count.trace;
      const int n = q.m->count.newton;
      assert_true(n >= 3 && n <= 9);
      /* squares of residuals, by a constant that the problem has; rounding of forces below */
      const double most = kind == IG_STRESS_MULTIGRID ? 100 : 1, rounding = 5e-12;
      int seen = 0;
      for (int i = 1; i <= n; i++)
        if (r[i - 1] < 1e-2 && r[i - 1] > 1e-7) {
          if (!(r[i] <= most * r[i - 1] * r[i - 1] + rounding))
            fail_msg("%s: not quadratic: %g %g %g %g %g", *backend, r[0], r[1], r[2], r[3], r[4]);
          seen++;
        }
      assert_true(seen > 0);
      ig_stress_problem_free(&q);
      ig_ctx_close(cx);
    }
}

/* A wall with its upper part missing, heated from below, yielding: displacements by both kinds of
   multigrid, on every backend, agree to what the solver was asked for. */
static void grids_and_aggregates_agree(void **state) {
  (void)state;
  double *first = NULL;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int kind = IG_STRESS_MULTIGRID; kind <= IG_STRESS_AGGREGATION; kind++) {
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_stress_problem q;
      ig_stress_problem_new(cx, &q);
      GOOD(cx, ig_stress_problem_box(&q, (double[]){1, 0.5, 1}, (int[]){16, 8, 17}));
      ig_stress_problem_hold(&q, "z0", "all");
      ig_stress_problem_hold(&q, "y0", "y");
      ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, 240e6, 20e9, 0);
      q.c.solver.preconditioner = kind;
      GOOD(cx, ig_stress_problem_open(&q));
      ig_stress *m = q.m;
      assert_true((m->system.lattice != NULL) == (kind == IG_STRESS_MULTIGRID));
      ig_lid gone[16 * 8 * 5], count = 0;
      for (ig_lid e = 16 * 8 * 12; e < m->elements; e++)
        gone[count++] = e;
      GOOD(cx, ig_stress_remove(m, gone, count));
      GOOD(cx, ig_stress_system_change(m, false));
      GOOD(cx, ig_stress_problem_step(&q, 1, 0, hot_side, NULL));
      assert_true((m->system.lattice != NULL) == (kind == IG_STRESS_MULTIGRID)); /* not left */
      GOOD(cx, ig_array_pull(cx, &m->u));
      const double *u = m->u.host;
      double most = 0, off = 0;
      if (!first)
        first = memcpy(calloc(3 * (size_t)m->nodes, 8), u, 24 * (size_t)m->nodes);
      for (int64_t i = 0; i < 3 * (int64_t)m->nodes; i++) {
        most = fmax(most, fabs(first[i]));
        off = fmax(off, fabs(u[i] - first[i]));
      }
      if (!(off < 1e-7 * most)) /* 1e-9 of the forces, times what bending makes of it */
        fail_msg("%s, %d: %g off of %g", *backend, kind, off, most);
      ig_stress_problem_free(&q);
      ig_ctx_close(cx);
    }
  free(first);
}

/* What nothing holds is named. */
static void free_bodies_are_named(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_stress_problem q;
  ig_stress_problem_new(cx, &q);
  GOOD(cx, ig_stress_problem_box(&q, unit, (int[]){2, 2, 2}));
  ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, NAN, NAN, 0);
  ig_stress_problem_hold(&q, "z0", "z");
  ig_stress_problem_hold(&q, "x0", "x");
  BAD(cx, ig_stress_problem_open(&q), "5 of 6 motions held");
  ig_stress_problem_free(&q);
  ig_ctx_close(cx);
}

/* A bar of 1 m^3 held at its length, heated by 150 K and cooled, perfect plasticity: 240 MPa times
   a plastic strain of 6e-4 is dissipated, 120 MPa are left. Then its end is let go and all that is
   stored is released. */
static void energies_close(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    ig_stress_problem q;
    ig_stress_problem_new(cx, &q);
    GOOD(cx, ig_stress_problem_box(&q, unit, (int[]){2, 2, 2}));
    ig_stress_problem_hold(&q, "x0", "x");
    ig_stress_problem_hold(&q, "y0", "y");
    ig_stress_problem_hold(&q, "z0", "z");
    ig_stress_problem_hold(&q, "x1", "x");
    ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, 240e6, 0, 0);
    GOOD(cx, ig_stress_problem_open(&q));
    const ig_stress_balance *b = &q.m->balance;
    for (int k = 1; k <= 15; k++)
      GOOD(cx, ig_stress_problem_step(&q, 1, 293.15 + 10 * k, NULL, NULL));
    assert_near(b->dissipated, 144e3, 1);
    assert_near(b->stored, 144e3, 1);
    assert_near(b->heat, 288e3, 1);
    GOOD(cx, ig_stress_problem_step(&q, 1, 293.15, NULL, NULL));
    assert_near(b->stored, 36e3, 1);
    assert_near(b->heat, 180e3, 1);
    assert_near(b->work, 0, 1e-3);
    assert_near(b->missing, 0, 1);
    q.m->held.list[3].on = false;
    GOOD(cx, ig_stress_system_change(q.m, true));
    q.m->balance.cut = true;
    GOOD(cx, ig_stress_problem_step(&q, 1, 293.15, NULL, NULL));
    assert_near(b->released, 36e3, 1);
    assert_near(b->stored, 0, 1);
    assert_near(b->work + b->heat - b->stored - b->dissipated - b->released - b->missing, 0, 1);
    ig_stress_problem_free(&q);
    ig_ctx_close(cx);
  }
}

/* Pulled by its end into plastic flow with both hardenings: the work of the support is what is
   stored and dissipated. */
static void work_is_accounted_for(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    ig_stress_problem q;
    ig_stress_problem_new(cx, &q);
    GOOD(cx, ig_stress_problem_box(&q, unit, (int[]){3, 2, 2}));
    wobble(q.mesh);
    ig_stress_problem_hold(&q, "x0", "all");
    ig_stress_problem_hold(&q, "x1", NULL);
    ig_stress_support *pull = q.support + 1;
    pull->displacement[0] = 4e-3;
    pull->displacement[1] = 1e-3;
    pull->displacement[2] = 0;
    pull->history = ig_stress_problem_table(&q, 2, (double[][2]){{0, 0}, {10, 1}});
    ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, 240e6, 5e9, 5e9);
    GOOD(cx, ig_stress_problem_open(&q));
    const ig_stress_balance *b = &q.m->balance;
    for (int k = 0; k < 10; k++)
      GOOD(cx, ig_stress_problem_step(&q, 1, 293.15 + 5 * k, NULL, NULL));
    assert_true(b->work > 1e5 && b->dissipated > 0.1 * b->work && fabs(b->heat) > 1e3);
    assert_near(b->work + b->heat - b->stored - b->dissipated - b->missing, 0, 1e-6 * b->work);
    assert_near(b->missing, 0, 1e-6 * b->work);
    ig_stress_problem_free(&q);
    ig_ctx_close(cx);
  }
}

/* A block turned by a radian about an oblique axis, stretched by 10 % and sheared: its forces and
   their moments about the places where the nodes are now sum to nothing, and they are the
   derivative of the stored energy. */
static void turned_elements_are_in_balance(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    ig_stress_problem q;
    ig_stress_problem_new(cx, &q);
    q.c.rotations = IG_ROTATIONS_FINITE;
    GOOD(cx, ig_stress_problem_box(&q, unit, (int[]){2, 2, 2}));
    wobble(q.mesh);
    ig_stress_problem_hold(&q, "x0", "all");
    ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, NAN, NAN, 0);
    GOOD(cx, ig_stress_problem_open(&q));
    ig_stress *m = q.m;
    const double c = cos(1), s = sin(1), axis[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3};
    const double *x = q.mesh->x, *f = m->force.host;
    double *u = m->u.host, energy[2], along = 0, sum[3] = {0}, moment[3] = {0}, size = 0;
    for (ig_lid n = 0; n < m->nodes; n++) {
      const double *p = x + 3 * (int64_t)n;
      const double y[3] = {1.1 * p[0] + 0.05 * p[1], p[1] + 0.08 * p[0] * p[2], 0.95 * p[2]};
      const double d = axis[0] * y[0] + axis[1] * y[1] + axis[2] * y[2];
      for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        u[3 * n + i] =
            c * y[i] + s * (axis[j] * y[k] - axis[k] * y[j]) + (1 - c) * d * axis[i] - p[i];
      }
    }
    GOOD(cx, ig_array_push(cx, &m->u));
    GOOD(cx, ig_stress_forces(m));
    GOOD(cx, ig_array_pull(cx, &m->force));
    for (ig_lid n = 0; n < m->nodes; n++) {
      double r[3];
      for (int i = 0; i < 3; i++) {
        r[i] = x[3 * n + i] + u[3 * n + i];
        sum[i] += f[3 * n + i];
        size += fabs(f[3 * n + i]);
      }
      for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        moment[i] += r[j] * f[3 * n + k] - r[k] * f[3 * n + j];
      }
    }
    for (int i = 0; i < 3; i++) {
      assert_near(sum[i], 0, 1e-12 * size);
      assert_near(moment[i], 0, 1e-12 * size);
    }
    for (int side = 0; side < 2; side++) { /* energy at u - h v and u + h v */
      const double h = 1e-5;
      for (int64_t i = 0; i < 3 * (int64_t)m->nodes; i++) {
        const double v = sin(5.0 * (double)i + 1);
        u[i] += (side ? 2 : -1) * h * v;
        along += side ? 0 : 2 * h * v * f[i];
      }
      GOOD(cx, ig_array_push(cx, &m->u));
      GOOD(cx, ig_stress_value_sums(m, IG_VALUE_STORED, energy + side));
    }
    assert_near(energy[1] - energy[0], along, 1e-7 * fabs(along));
    ig_stress_problem_free(&q);
    ig_ctx_close(cx);
  }
}

static double hot_end(void *top, const double x[3]) {
  return 300 + (*(double *)top - 300) * fmax(0, 1 - x[0]);
}

/* A clamped bar whose hot end passes the annealing temperature, point after point: what points lose
   and what their neighbours release is accounted for, to the tolerance of Newton's method. A share
   of it melts between two steps. */
static void annealing_is_accounted_for(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int elastic = 0; elastic < 2; elastic++) {
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_stress_problem q;
      ig_stress_problem_new(cx, &q);
      GOOD(cx, ig_stress_problem_box(&q, unit, (int[]){5, 2, 2}));
      wobble(q.mesh);
      ig_stress_problem_hold(&q, "x0", "x");
      ig_stress_problem_hold(&q, "x1", "x");
      ig_stress_problem_hold(&q, "y0", "y");
      ig_stress_problem_hold(&q, "z0", "z");
      q.c.temperature = 300;
      ig_stress_problem_material(&q, 0, 100e9, 0.3, 1e-5, elastic ? NAN : 200e6,
                                 elastic ? NAN : 1e9, 0);
      q.material[0].mechanical.anneal = 1200;
      GOOD(cx, ig_stress_problem_open(&q));
      const ig_stress_balance *b = &q.m->balance;
      for (int k = 1; k <= 20; k++) {
        double top = 300 + 2000 * (k < 10 ? k / 10.0 : (20 - k) / 10.0);
        for (ig_lid e = 0; k == 16 && e < q.m->elements; e++)
          ((double *)q.m->work.excess.host)[e] = 800;
        GOOD(cx, ig_stress_problem_step(&q, 1, 0, hot_end, &top));
      }
      assert_true(b->annealed > 0.05 * b->heat && b->flow > b->heat);
      assert_near(b->work + b->heat - b->stored - b->dissipated - b->annealed - b->missing, 0,
                  1e-10 * b->flow);
      assert_near(b->missing, 0, 1e-8 * b->flow);
      GOOD(cx, ig_stress_energy_check(q.m, true));
      assert_int_equal(cx->warnings, 0);
      q.m->balance.missing = 0.06 * b->flow;
      assert_int_equal(ig_stress_energy_check(q.m, false), IG_NUMERIC);
      ig_stress_problem_free(&q);
      ig_ctx_close(cx);
    }
}

static const ig_stress_ops *real_ops;
static int products_left;

static ig_status product_counted(ig_ctx *cx, const ig_stress_args *p, const ig_plan *plan,
                                 const double *x, double *y) {
  if (--products_left == 0)
    cx->interrupted = 1;
  return real_ops->product(cx, p, plan, x, y);
}

/* A step that is interrupted anywhere goes back to its start; taken again, it has the same bits. */
static void interrupted_steps_go_back(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    double *whole = NULL, *points = NULL;
    ig_stress_balance closed = {0};
    int64_t linear = 0;
    for (int stop = 0; stop < 60; stop += stop < 2 ? 1 : 9) { /* 0: never */
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_stress_problem q;
      ig_stress_problem_new(cx, &q);
      GOOD(cx, ig_stress_problem_box(&q, unit, (int[]){3, 2, 2}));
      wobble(q.mesh);
      q.c.solver.iterations = 4; /* the step is halved */
      ig_stress_problem_hold(&q, "x0", "all");
      ig_stress_problem_hold(&q, "x1", NULL);
      ig_stress_support *pull = q.support + 1;
      pull->displacement[0] = 2e-2;
      pull->displacement[1] = 1e-2;
      pull->displacement[2] = 0;
      pull->history = ig_stress_problem_table(&q, 3, (double[][2]){{0, 0}, {1, 0.02}, {2, 1}});
      ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, 240e6, 0.2e9, 0.2e9);
      GOOD(cx, ig_stress_problem_open(&q));
      ig_stress *m = q.m;
      GOOD(cx, ig_stress_problem_step(&q, 1, 300, NULL, NULL));
      ig_stress_ops counted = *m->ops;
      counted.product = product_counted;
      real_ops = m->ops;
      m->ops = &counted;
      products_left = stop;
      ig_status status = ig_stress_problem_step(&q, 1, 310, NULL, NULL);
      assert_int_equal(status, stop ? IG_INTERRUPTED : IG_OK);
      cx->interrupted = 0;
      if (stop) {
        q.time -= 1;
        GOOD(cx, ig_stress_problem_step(&q, 1, 310, NULL, NULL));
      }
      assert_true(m->count.cuts > 0);
      const size_t n = 3 * (size_t)m->nodes, k = m->state.count;
      GOOD(cx, ig_array_pull(cx, &m->u));
      GOOD(cx, ig_array_pull(cx, &m->state));
      if (!stop) {
        whole = calloc(n, 8);
        points = calloc(k, 8);
        memcpy(whole, m->u.host, n * 8);
        memcpy(points, m->state.host, k * 8);
        closed = m->balance;
        linear = m->count.linear_all;
      }
      assert_memory_equal(whole, m->u.host, n * 8);
      assert_memory_equal(points, m->state.host, k * 8);
      assert_true(closed.work == m->balance.work && closed.missing == m->balance.missing &&
                  closed.flow == m->balance.flow);
      assert_int_equal(linear, m->count.linear_all);
      ig_stress_problem_free(&q);
      ig_ctx_close(cx);
    }
    free(whole);
    free(points);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangent_is_the_derivative), cmocka_unit_test(turned_elements_are_in_balance),
      cmocka_unit_test(blocks_clamped_and_free),   cmocka_unit_test(grids_and_aggregates_agree),
      cmocka_unit_test(newton_is_quadratic),       cmocka_unit_test(energies_close),
      cmocka_unit_test(work_is_accounted_for),     cmocka_unit_test(annealing_is_accounted_for),
      cmocka_unit_test(interrupted_steps_go_back), cmocka_unit_test(free_bodies_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
