/* The finite particle method: elements do nothing under rigid motion, waves run at their speed,
   energy stays. */
#include "check.h"
#include "backend/backend.h"
#include "dynamics/dynamics.h"
#include "dynamics/problem.h"

#include "kern/prec_f64.h"
#include "dynamics/particle.inc"
#include "dynamics/elements.inc"

static ig_ctx *open_backend(const char *name, int threads) {
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = name, .threads = threads};
  assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
  return cx;
}

static void check(ig_ctx *cx, ig_status status) {
  if (status != IG_OK)
    print_message("%s\n", ig_ctx_message(cx));
  assert_int_equal(status, IG_OK);
}

/* A block set spinning keeps its shape: no stress, no change of energy. */
static void spinning_block_keeps_its_shape(void **state) {
  (void)state;
  ig_ctx *cx = open_backend("debug", 2);
  for (int single = 0; single < 2; single++) {
    ig_dyn_problem q;
    check(cx, ig_dyn_problem_new(cx, &q));
    check(cx, ig_dyn_problem_box(&q, (double[3]){1, 0.5, 0.3}, (int[3]){4, 2, 2}));
    q.section.integration = single ? IG_INTEGRATE_SINGLE : IG_INTEGRATE_FULL;
    q.material.young = 1e5; /* soft: strain of the spin itself is not wanted, so slow */
    ig_dyn_initial spin = {.spin = {0.001, 0.002, 0.003}};
    q.c.initial = (ig_list){1, &spin};
    ig_dyn_model *m;
    check(cx, ig_dyn_problem_open(&q, IG_DOUBLE, IG_GATHER, &m));
    double dt;
    check(cx, ig_dyn_critical_step(m, &dt));
    check(cx, ig_dyn_set_clock(m, 0.5 * dt, 0));
    ig_dyn_energy e0, e1;
    check(cx, ig_dyn_energies(m, &e0));
    m->start_energy = e0.kinetic;
    check(cx, ig_dyn_advance(m, 2000));
    check(cx, ig_dyn_energies(m, &e1));
    assert_true(fabs(e1.error) < 1e-7);
    assert_true(fabs(e1.kinetic / e0.kinetic - 1) < 1e-5);
    check(cx, ig_fault_check(cx, "element", NULL));
    ig_dyn_model_free(m);
    ig_dyn_problem_free(&q);
  }
  ig_ctx_close(cx);
}

static const struct {
  ig_dyn_kind kind;
  int law, npe, dofs, states;
} kinds[] = {{IG_DYN_HEX8, IG_LAW_J2, 8, 3, IG_HEX_POINT + 8 * 7},
             {IG_DYN_HEX1, IG_LAW_ELASTIC, 8, 3, IG_HEX_POINT + 18},
             {IG_DYN_TET, IG_LAW_ELASTIC, 4, 3, IG_HEX_POINT + 6},
             {IG_DYN_SHELL, IG_LAW_ELASTIC, 3, 6, IG_SHELL_STATES},
             {IG_DYN_LAYERS, IG_LAW_J2, 3, 6, IG_LAYERS_POINT + 80},
             {IG_DYN_BEAM, IG_LAW_ELASTIC, 2, 6, IG_BEAM_STATES},
             {IG_DYN_FIBRE, IG_LAW_J2, 2, 6, IG_BEAM_STATES + 4 * IG_DYN_FIBRES},
             {IG_DYN_BAR, IG_LAW_ELASTIC, 2, 3, IG_BAR_STATES}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static dyn_group_f64 group_of(int k, double *state) {
  dyn_group_f64 g = {.npe = kinds[k].npe,
                     .dofs = kinds[k].dofs,
                     .states = kinds[k].states,
                     .mat = {.density = 7850, .young = 200e9, .poisson = 0.3, .yield = 1e12},
                     .state = state,
                     .thickness = 0.05,
                     .area = 0.01,
                     .iy = 1e-5,
                     .iz = 2e-5,
                     .torsion = 2e-5,
                     .hourglass = 0.1,
                     .planes = 4,
                     .bbar = 1};
  for (int i = 0; i < IG_DYN_FIBRES; i++) { /* a ring, with the area and moments above */
    g.fibre[i][0] = sqrt(2 * g.iz / g.area) * cos(0.3926990816987 * i);
    g.fibre[i][1] = sqrt(2 * g.iy / g.area) * sin(0.3926990816987 * i);
    g.fibre[i][2] = g.area / IG_DYN_FIBRES;
  }
  g.mat.shear = g.mat.young / 2.6;
  g.mat.bulk = g.mat.young / 1.2;
  memset(state, 0, sizeof *state * (size_t)kinds[k].states * IG_DYN_BLOCK);
  state[kinds[k].kind == IG_DYN_BEAM || kinds[k].kind == IG_DYN_FIBRE ? IG_DYN_BLOCK : 0] =
      1; /* frame; width axis y */
  return g;
}

static const double corner[8][3] = {{0, 0, 0},    {1, 0.1, 0}, {1.1, 0.9, -0.1}, {0, 1, 0.05},
                                    {0, -0.1, 1}, {1, 0, 1.1}, {0.9, 1, 0.9},    {0.1, 1, 1}};
static const double tet_corner[4][3] = {{0, 0, 0}, {1, 0, 0.1}, {0.1, 1, 0}, {0, 0.1, 1}};
static const double line_corner[2][3] = {{0, 0, 0}, {1, 0, 0}};

static const double (*corners_of(int k))[3] {
  return kinds[k].kind == IG_DYN_TET ? tet_corner : kinds[k].npe == 2 ? line_corner : corner;
}

static void turn(const double axis[3], double angle, const double a[3], double b[3]) {
  const double c = cos(angle), s = sin(angle);
  double d = 0, x[3] = {axis[1] * a[2] - axis[2] * a[1], axis[2] * a[0] - axis[0] * a[2],
                        axis[0] * a[1] - axis[1] * a[0]};
  for (int i = 0; i < 3; i++)
    d += axis[i] * a[i];
  for (int i = 0; i < 3; i++)
    b[i] = c * a[i] + s * x[i] + (1 - c) * d * axis[i];
}

/* 10^5 finite rigid rotations, about an axis that wanders: forces stay at round-off. */
static void rigid_motion_makes_no_force(void **state_) {
  (void)state_;
  static double state[128 * IG_DYN_BLOCK];
  for (int k = 0; k < (int)KINDS; k++) {
    const dyn_group_f64 g = group_of(k, state);
    const int npe = kinds[k].npe, d = kinds[k].dofs, steps = 100000;
    double x[24], y[24], du[24], f[24], left, most = 0;
    for (int a = 0; a < npe; a++)
      memcpy(x + 3 * a, corners_of(k)[a], 3 * sizeof(double));
    for (int s = 0; s < steps; s++) {
      double axis[3] = {sin(0.001 * s), cos(0.0007 * s), sin(0.0003 * s + 1)}, l = 0;
      const double angle = 0.01;
      for (int i = 0; i < 3; i++)
        l += axis[i] * axis[i];
      for (int i = 0; i < 3; i++)
        axis[i] /= sqrt(l);
      for (int a = 0; a < npe; a++) {
        turn(axis, angle, x + 3 * a, y + 3 * a);
        for (int i = 0; i < 3; i++) {
          du[d * a + i] = y[3 * a + i] - x[3 * a + i];
          if (d == 6)
            du[d * a + 3 + i] = angle * axis[i];
        }
      }
      memcpy(x, y, sizeof x);
      assert_true(element_force_f64((int)kinds[k].kind, kinds[k].law, &g, state, 1e-6, x, du, f,
                                    &left) > 0);
    }
    for (int i = 0; i < npe * d; i++)
      most = fmax(most, fabs(f[i]));
    if (!(most < 200e9 * 1e-11))
      print_message("kind %d: force %g\n", kinds[k].kind, most);
    assert_true(most < 200e9 * 1e-11); /* strain of 1e-11 after 10^5 turns */
  }
}

/* Forces of a deforming element balance, in force and in moment, and their work is its energy. */
static void forces_balance_and_do_the_work(void **state_) {
  (void)state_;
  static double state[128 * IG_DYN_BLOCK];
  for (int k = 0; k < (int)KINDS; k++) {
    const dyn_group_f64 g = group_of(k, state);
    const int npe = kinds[k].npe, d = kinds[k].dofs;
    double x[24], du[24], f[24] = {0}, before[24], left, work = 0;
    for (int a = 0; a < npe; a++)
      memcpy(x + 3 * a, corners_of(k)[a], 3 * sizeof(double));
    for (int s = 0; s < 400; s++) {
      for (int i = 0; i < npe * d; i++)
        du[i] = 2e-6 * sin(0.013 * s + 1.7 * i + 0.3 * (double)(i * i));
      for (int a = 0; a < npe; a++)
        for (int i = 0; i < 3; i++)
          x[3 * a + i] += du[d * a + i];
      memcpy(before, f, sizeof f);
      assert_true(element_force_f64((int)kinds[k].kind, kinds[k].law, &g, state, 1e-6, x, du, f,
                                    &left) > 0);
      for (int i = 0; i < npe * d; i++)
        work += 0.5 * (f[i] + before[i]) * du[i];
    }
    double sum[3] = {0}, moment[3] = {0}, size = 0, out[IG_DYN_REPORT];
    for (int a = 0; a < npe; a++) {
      const double *p = x + 3 * a, *q = f + d * a;
      for (int i = 0; i < 3; i++) {
        sum[i] += q[i];
        size = fmax(size, fabs(q[i]));
        moment[i] += p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3] +
                     (d == 6 ? q[3 + i] : 0);
      }
    }
    for (int i = 0; i < 3; i++) {
      assert_true(fabs(sum[i]) < 1e-12 * size);
      assert_true(fabs(moment[i]) < 1e-10 * size);
    }
    element_report_f64((int)kinds[k].kind, kinds[k].law, &g, state, x, out);
    if (!(fabs(out[8] / work - 1) < 2e-3))
      print_message("kind %d: energy %g work %g\n", kinds[k].kind, out[8], work);
    assert_true(work > 0 && fabs(out[8] / work - 1) < 2e-3);
  }
}

/* A linear field strains every element of a distorted mesh alike: no force on inner particles. */
static bool inner(const ig_mesh *mesh, ig_lid n, int dims) {
  double low[3], high[3];
  for (int c = 0; c < 3; c++) {
    low[c] = high[c] = mesh->x[c];
    for (ig_lid i = 0; i < mesh->nodes; i++) {
      low[c] = fmin(low[c], mesh->x[3 * i + c]);
      high[c] = fmax(high[c], mesh->x[3 * i + c]);
    }
  }
  for (int c = 0; c < dims; c++)
    if (mesh->x[3 * n + c] < low[c] + 0.12 || mesh->x[3 * n + c] > high[c] - 0.12)
      return false;
  return true;
}
static void flat(void *user, double u, double v, double x[3]) {
  (void)user;
  x[0] = u, x[1] = v, x[2] = 0;
}
static void patch_passes(void **state_) {
  (void)state_;
  ig_ctx *cx = open_backend("debug", 1);
  for (int k = 0; k < 5; k++) { /* bbar, single, tetrahedra, membrane, bending */
    ig_dyn_problem q;
    check(cx, ig_dyn_problem_new(cx, &q));
    q.section.thickness = 0.05;
    q.section.integration = k == 1 ? IG_INTEGRATE_SINGLE : IG_INTEGRATE_BBAR;
    const int dims = k < 3 ? 3 : 2;
    if (k < 2)
      check(cx, ig_dyn_problem_box(&q, (double[3]){1, 1, 1}, (int[3]){4, 4, 4}));
    else if (k == 2)
      check(cx, ig_dyn_problem_tets(&q, (double[3]){1, 1, 1}, (int[3]){4, 4, 4}));
    else
      check(cx, ig_dyn_problem_sheet(&q, 5, 5, false, flat, NULL));
    ig_mesh *mesh = q.mesh;
    for (ig_lid n = 0; n < mesh->nodes; n++)
      if (inner(mesh, n, dims))
        for (int c = 0; c < dims; c++)
          mesh->x[3 * n + c] += 0.05 * sin(13.0 * n + 5 * c);
    ig_dyn_model *m;
    check(cx, ig_dyn_problem_open(&q, IG_DOUBLE, IG_GATHER, &m));
    const int D = m->p.dofs;
    const double e = 1e-9;
    for (ig_lid n = 0; n < mesh->nodes; n++) {
      const double *x = mesh->x + 3 * n;
      double *v = (double *)m->v.host + (int64_t)D * n;
      memset(v, 0, sizeof *v * (size_t)D);
      if (k == 4) { /* w = (3 x^2 + y^2 + 2 x y)/2: curvatures 3, 1, 2 */
        v[2] = e * (1.5 * x[0] * x[0] + 0.5 * x[1] * x[1] + x[0] * x[1]);
        v[3] = e * (x[1] + x[0]);
        v[4] = -e * (3 * x[0] + x[1]);
      } else {
        v[0] = e * (x[0] + 0.5 * x[1]);
        v[1] = e * (0.3 * x[0] - 0.7 * x[1] + (dims == 3 ? 0.2 * x[2] : 0));
        v[2] = dims == 3 ? e * (0.4 * x[1] + 0.6 * x[2]) : 0;
      }
    }
    check(cx, ig_array_push(cx, &m->v));
    check(cx, ig_dyn_set_clock(m, 1, 0));
    check(cx, ig_dyn_advance(m, 1));
    check(cx, ig_dyn_pull(m));
    double inside = 0, all = 0;
    int seen = 0;
    for (ig_lid n = 0; n < mesh->nodes; n++) {
      seen += inner(mesh, n, dims);
      for (int c = 0; c < D; c++) {
        const double f = fabs(ig_dyn_get(m, &m->f, (int64_t)D * n + c));
        all = fmax(all, f);
        if (inner(mesh, n, dims))
          inside = fmax(inside, f);
      }
    }
    if (!(inside < 1e-5 * all))
      print_message("patch %d: %g of %g\n", k, inside, all);
    assert_true(seen > 3 && all > 0);
    assert_true(inside < 1e-5 * all); /* the strain is 1e-9: second order in it */
    ig_dyn_model_free(m);
    ig_dyn_problem_free(&q);
  }
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spinning_block_keeps_its_shape),
      cmocka_unit_test(rigid_motion_makes_no_force),
      cmocka_unit_test(forces_balance_and_do_the_work),
      cmocka_unit_test(patch_passes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
