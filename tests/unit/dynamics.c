/* The finite particle method: elements do nothing under rigid motion, waves run at their speed,
   energy stays. */
#include "check.h"
#include "run/time_loop.h"
#include "backend/backend.h"
#include "dynamics/dynamics.h"
#include "verify/dynamics/problem.h"
#include "geometry/mesh_case.h"
#include "run/rooms.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"
#include "dynamics/elements/elements.inc"

/* A block set spinning keeps its shape: no stress, no change of energy. */
static void spinning_block_keeps_its_shape(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("debug", 2);
  for (int single = 0; single < 2; single++) {
    ig_dyn_problem q;
    GOOD(cx, ig_dyn_problem_new(cx, &q));
    GOOD(cx, ig_dyn_problem_box(&q, (double[3]){1, 0.5, 0.3}, (int[3]){4, 2, 2}));
    q.section.integration = single ? IG_INTEGRATE_SINGLE : IG_INTEGRATE_FULL;
    q.material.young = 1e5; /* soft: strain of the spin itself is not wanted, so slow */
    ig_dyn_initial spin = {.spin = {0.001, 0.002, 0.003}};
    q.c.initial = (ig_list){1, &spin};
    ig_dyn_model *m;
    GOOD(cx, ig_dyn_problem_open(&q, IG_DOUBLE, IG_GATHER, &m));
    double dt;
    GOOD(cx, ig_dyn_critical_step(m, &dt));
    GOOD(cx, ig_dyn_set_clock(m, 0.5 * dt, 0));
    ig_dyn_energy e0, e1;
    GOOD(cx, ig_dyn_energies(m, &e0));
    m->balance.energy = e0.kinetic;
    GOOD(cx, ig_dyn_advance(m, 2000));
    GOOD(cx, ig_dyn_energies(m, &e1));
    assert_true(fabs(e1.error) < 1e-7);
    assert_true(fabs(e1.kinetic / e0.kinetic - 1) < 1e-5);
    GOOD(cx, ig_fault_check(cx, "element", NULL));
    ig_dyn_model_free(m);
    ig_dyn_problem_free(&q);
  }
  ig_ctx_close(cx);
}

/* Kinetic energy over that of the start after many steps of a share of the critical one. */
static double growth(ig_ctx *cx, const int cells[3], int integration, double share) {
  ig_dyn_problem q;
  ig_dyn_model *m;
  double dt;
  ig_dyn_energy e0, e1;
  GOOD(cx, ig_dyn_problem_new(cx, &q));
  GOOD(cx, ig_dyn_problem_box(&q, (double[3]){cells[0], cells[1], cells[2]}, cells));
  q.section.integration = integration;
  ig_dyn_problem_material(&q, 7850, 2e11, 0.35);
  GOOD(cx, ig_dyn_problem_open(&q, IG_DOUBLE, IG_GATHER, &m));
  for (int64_t n = 0; n < m->p.nodes; n++) /* breathing, and all else a little */
    for (int d = 0; d < 3; d++)
      ((double *)m->v.host)[m->p.dofs * n + d] =
          1e-3 * (m->x0[3 * n + d] - 0.5 * cells[d]) + 1e-6 * sin(12.9898 * (double)(3 * n + d));
  GOOD(cx, ig_array_push(cx, &m->v));
  GOOD(cx, ig_dyn_critical_step(m, &dt));
  GOOD(cx, ig_dyn_set_clock(m, share * dt, 0));
  GOOD(cx, ig_dyn_energies(m, &e0));
  GOOD(cx, ig_dyn_advance(m, 300));
  GOOD(cx, ig_dyn_energies(m, &e1));
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  return e1.kinetic / e0.kinetic;
}

/* A lone cube is held by nobody: its critical step is the exact one, and one past it is too far.
   Bars one element thick are stable too. */
static void critical_step_is_one(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  for (int i = IG_INTEGRATE_BBAR; i <= IG_INTEGRATE_SINGLE; i++) {
    assert_true(growth(cx, (int[3]){1, 1, 1}, i, 0.99) < 2);
    assert_true(growth(cx, (int[3]){6, 1, 1}, i, 0.99) < 2);
    assert_true(growth(cx, (int[3]){3, 3, 3}, i, 0.99) < 2);
    assert_false(growth(cx, (int[3]){1, 1, 1}, i, 1.02) < 10);
  }
  ig_ctx_close(cx);
}

static const struct {
  ig_dyn_kind kind;
  int law, npe, dofs, states;
} kinds[] = {{IG_DYN_HEX8, IG_LAW_J2, 8, 3, IG_HEX_POINT + 8 * 7},
             {IG_DYN_HEX1, IG_LAW_ELASTIC, 8, 3, IG_HEX_POINT + 18},
             {IG_DYN_TET, IG_LAW_ELASTIC, 4, 3, IG_HEX_POINT + 6},
             {IG_DYN_TET10, IG_LAW_J2, 10, 3, IG_HEX_POINT + 4 * 7},
             {IG_DYN_SHELL, IG_LAW_ELASTIC, 3, 6, IG_SHELL_STATES},
             {IG_DYN_LAYERS, IG_LAW_J2, 3, 6, IG_LAYERS_POINT + 80},
             {IG_DYN_QUAD, IG_LAW_ELASTIC, 4, 6, 4 * IG_SHELL_STATES},
             {IG_DYN_QUAD_LAYERS, IG_LAW_J2, 4, 6, 4 * (IG_LAYERS_POINT + 80)},
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
  for (int i = 1; i < IG_QUAD_CUTS && kinds[k].kind == IG_DYN_QUAD_LAYERS; i++)
    state[i * (IG_LAYERS_POINT + 80) * IG_DYN_BLOCK] = 1; /* thickness */
  return g;
}

static const double corner[8][3] = {{0, 0, 0},    {1, 0.1, 0}, {1.1, 0.9, -0.1}, {0, 1, 0.05},
                                    {0, -0.1, 1}, {1, 0, 1.1}, {0.9, 1, 0.9},    {0.1, 1, 1}};
static const double tet_corner[4][3] = {{0, 0, 0}, {1, 0, 0.1}, {0.1, 1, 0}, {0, 0.1, 1}};
static const double tet10_corner[10][3] = {
    {0, 0, 0},          {1, 0, 0.1},       {0.1, 1, 0},    {0, 0.1, 1},       {0.5, 0.02, 0.05},
    {0.55, 0.52, 0.05}, {0.05, 0.5, 0.01}, {0, 0.05, 0.5}, {0.5, 0.05, 0.56}, {0.06, 0.55, 0.5}};
static const double line_corner[2][3] = {{0, 0, 0}, {1, 0, 0}};

static const double (*corners_of(int k))[3] {
  return kinds[k].kind == IG_DYN_TET10 ? tet10_corner
         : kinds[k].kind == IG_DYN_TET ? tet_corner
         : kinds[k].npe == 2           ? line_corner
                                       : corner;
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
  static double state[512 * IG_DYN_BLOCK];
  for (int k = 0; k < (int)KINDS; k++) {
    const dyn_group_f64 g = group_of(k, state);
    const int npe = kinds[k].npe, d = kinds[k].dofs, steps = 100000;
    double x[IG_DYN_MOTIONS], y[IG_DYN_MOTIONS], du[IG_DYN_MOTIONS], f[IG_DYN_MOTIONS], left,
        most = 0;
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
  static double state[512 * IG_DYN_BLOCK];
  for (int k = 0; k < (int)KINDS; k++) {
    const dyn_group_f64 g = group_of(k, state);
    const int npe = kinds[k].npe, d = kinds[k].dofs;
    double x[IG_DYN_MOTIONS], du[IG_DYN_MOTIONS], f[IG_DYN_MOTIONS] = {0}, before[IG_DYN_MOTIONS],
                                                  left, work = 0;
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

/* A thin quadrilateral that is warped, corners 0.025 of its side above and below in turn, warps
   further as a flat one does: it bends and does not stretch (to h^2). Triangles both ways to cut
   would hold it by a membrane (h / t)^2 = 2500 times as stiff. */
static void warped_quadrilaterals_bend(void **state_) {
  (void)state_;
  static double state[512 * IG_DYN_BLOCK];
  double lift[2];
  for (int k = 0; k < (int)KINDS; k++) {
    if (kinds[k].kind != IG_DYN_QUAD && kinds[k].kind != IG_DYN_QUAD_LAYERS)
      continue;
    for (int warped = 0; warped < 2; warped++) {
      dyn_group_f64 g = group_of(k, state);
      double x[IG_DYN_MOTIONS] = {0}, du[IG_DYN_MOTIONS] = {0}, f[IG_DYN_MOTIONS] = {0}, left;
      g.thickness = 5e-4;
      state[0] = kinds[k].kind == IG_DYN_QUAD_LAYERS; /* thickness; no stress */
      for (int a = 0; a < 4; a++) {
        const double up = a % 2 ? -1 : 1;
        x[3 * a] = a == 1 || a == 2, x[3 * a + 1] = a > 1;
        x[3 * a + 2] = up * (0.025 * warped + 1e-6);
        du[6 * a + 2] = up * 1e-6;
      }
      assert_true(element_force_f64((int)kinds[k].kind, kinds[k].law, &g, state, 1e-6, x, du, f,
                                    &left) > 0);
      lift[warped] = f[2];
    }
    if (!(lift[0] > 0 && fabs(lift[1] / lift[0] - 1) < 0.03))
      print_message("kind %d: %g flat, %g warped\n", kinds[k].kind, lift[0], lift[1]);
    assert_true(lift[0] > 0 && fabs(lift[1] / lift[0] - 1) < 0.03);
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
  ig_ctx *cx = ctx_on("debug", 1);
  /* bbar, single, tetrahedra, membrane, bending; quadrilaterals; quadratic tetrahedra */
  for (int k = 0; k < 8; k++) {
    ig_dyn_problem q;
    GOOD(cx, ig_dyn_problem_new(cx, &q));
    q.section.thickness = 0.05;
    q.section.integration = k == 1 ? IG_INTEGRATE_SINGLE : IG_INTEGRATE_BBAR;
    const int dims = k < 3 || k == 7 ? 3 : 2;
    q.quads = k == 5 || k == 6;
    q.quadratic = k == 7;
    if (k < 2)
      GOOD(cx, ig_dyn_problem_box(&q, (double[3]){1, 1, 1}, (int[3]){4, 4, 4}));
    else if (k == 2 || k == 7)
      GOOD(cx, ig_dyn_problem_tets(&q, (double[3]){1, 1, 1}, (int[3]){4, 4, 4}));
    else
      GOOD(cx, ig_dyn_problem_sheet(&q, 5, 5, false, flat, NULL));
    ig_mesh *mesh = q.mesh;
    for (ig_lid n = 0; n < mesh->nodes; n++)
      if (inner(mesh, n, dims))
        for (int c = 0; c < dims; c++)
          mesh->x[3 * n + c] += 0.05 * sin(13.0 * n + 5 * c);
    for (ig_lid e = 0; k == 7 && e < mesh->block[0].count; e++) { /* straight sides */
      static const int end[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
      const ig_lid *c = mesh->block[0].conn + (int64_t)10 * e;
      for (int i = 0; i < 18; i++)
        mesh->x[3 * (int64_t)c[4 + i / 3] + i % 3] =
            0.5 * (mesh->x[3 * (int64_t)c[end[i / 3][0]] + i % 3] +
                   mesh->x[3 * (int64_t)c[end[i / 3][1]] + i % 3]);
    }
    ig_dyn_model *m;
    GOOD(cx, ig_dyn_problem_open(&q, IG_DOUBLE, IG_GATHER, &m));
    const int D = m->p.dofs;
    const double e = 1e-9;
    for (ig_lid n = 0; n < mesh->nodes; n++) {
      const double *x = mesh->x + 3 * n;
      double *v = (double *)m->v.host + (int64_t)D * n;
      memset(v, 0, sizeof *v * (size_t)D);
      if (k == 4 || k == 6) { /* w = (3 x^2 + y^2 + 2 x y)/2: curvatures 3, 1, 2 */
        v[2] = e * (1.5 * x[0] * x[0] + 0.5 * x[1] * x[1] + x[0] * x[1]);
        v[3] = e * (x[1] + x[0]);
        v[4] = -e * (3 * x[0] + x[1]);
      } else {
        v[0] = e * (x[0] + 0.5 * x[1]);
        v[1] = e * (0.3 * x[0] - 0.7 * x[1] + (dims == 3 ? 0.2 * x[2] : 0));
        v[2] = dims == 3 ? e * (0.4 * x[1] + 0.6 * x[2]) : 0;
      }
    }
    GOOD(cx, ig_array_push(cx, &m->v));
    GOOD(cx, ig_dyn_set_clock(m, 1, 0));
    GOOD(cx, ig_dyn_advance(m, 1));
    GOOD(cx, ig_dyn_pull(m));
    double inside = 0, all = 0;
    int seen = 0;
    for (ig_lid n = 0; n < mesh->nodes; n++) {
      seen += inner(mesh, n, dims);
      for (int c = 0; c < D; c++) {
        const double f = fabs(ig_dyn_get(m, &m->f, (int64_t)m->p.pitch * n + c));
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

/* --- runs: a queue, a restart, and what stops a run
 * ------------------------------------------------
 */

/* Keeps history rows and the last checkpoint in memory; asks for a stop at a row. */
typedef struct {
  ig_ctx *cx;
  int rows, columns, stop_at, pictures, fields; /* fields: of the last snapshot */
  bool found;                                   /* the pressure of contact among them */
  double value[1200][16];
  ig_restart restart;
  ig_saved saved[16];
  char name[16][32];
} keeper;
static ig_status keep_history(ig_sink *sink, int columns, const char *const *names,
                              const double *values) {
  keeper *k = sink->self;
  (void)names;
  assert_true(k->rows < 1200 && columns <= 16);
  k->columns = columns;
  memcpy(k->value[k->rows++], values, sizeof *values * (size_t)columns);
  if (k->rows == k->stop_at)
    k->cx->interrupted = 1;
  return IG_OK;
}
static ig_status keep_checkpoint(ig_sink *sink, double time, int64_t step, const ig_saved *saved,
                                 int count) {
  keeper *k = sink->self;
  for (int i = 0; i < k->restart.count; i++)
    free(k->saved[i].data);
  assert_true(count <= 16);
  k->restart = (ig_restart){.time = time, .step = step, .count = count, .saved = k->saved};
  for (int i = 0; i < count; i++) {
    const size_t bytes = (size_t)saved[i].count * ig_dtype_size(saved[i].dtype);
    k->saved[i] = saved[i];
    snprintf(k->name[i], sizeof k->name[i], "%s", saved[i].name);
    k->saved[i].name = k->name[i];
    k->saved[i].data = malloc(bytes);
    memcpy(k->saved[i].data, saved[i].data, bytes);
  }
  return IG_OK;
}
static ig_status keep_snapshot(ig_sink *sink, ig_snapshot *snap) {
  keeper *k = sink->self;
  k->pictures++;
  k->fields = snap->fields;
  k->found = ig_snapshot_find(snap, IG_AT_POINTS, "contact_pressure") != NULL;
  const ig_status status = ig_snapshot_settle(snap);
  ig_snapshot_free(snap);
  return status;
}
static ig_status keep_result(ig_sink *sink, const char *key, const char *unit, double value) {
  (void)unit;
  (void)sink, (void)key, (void)value;
  return IG_OK;
}

static void keeper_free(keeper *k) {
  for (int i = 0; i < k->restart.count; i++)
    free(k->saved[i].data);
}

/* A plate pressed statically, then struck by a rigid block that flies on it; contact on. */
typedef struct {
  ig_dyn_problem q;
  ig_dyn_analysis queue[2];
  ig_support_case fix, body;
  ig_dyn_load press;
  ig_dyn_initial start;
  ig_dyn_probe probe;
} queued;
static double ramp_x[2] = {0, 1}, ramp_y[2] = {0, 1};
static void queue_new(ig_ctx *cx, queued *s) {
  GOOD(cx, ig_dyn_problem_new(cx, &s->q));
  const ig_mesh_case mesh = {
      .boxes = {2,
                (ig_box_case[]){
                    {.name = "plate", .size = IG_ROW(0.3, 0.3, 0.05), .cells = IG_ROW(4, 4, 2)},
                    {.name = "block",
                     .origin = IG_ROW(0.1, 0.1, 0.06),
                     .size = IG_ROW(0.1, 0.1, 0.1),
                     .cells = IG_ROW(2, 2, 2)}}},
      .sets = {
          2,
          (ig_pick_case[]){
              {.name = "flying",
               .of = IG_PICK_NODES,
               .place.box = {.at.given = true, .min = IG_ROW(0, 0, 0.055), .max = IG_ROW(1, 1, 1)}},
              {.name = "rim",
               .of = IG_PICK_NODES,
               .place.box = {
                   .at.given = true, .min = IG_ROW(-1, -1, -1), .max = IG_ROW(0.001, 1, 0.052)}}}}};
  GOOD(cx, ig_mesh_generate(cx, &mesh, &s->q.mesh));
  s->fix = ig_support_fix("rim", "all");
  s->body = ig_support_fix("flying", NULL);
  s->press = ig_dyn_force_on("rim", 0, 0, 0);
  s->press.set = "plate_load";
  s->press.total[0] = s->press.total[1] = 0, s->press.total[2] = -1e5;
  s->press.history = (ig_table){2, ramp_x, ramp_y};
  ig_set *set;
  GOOD(cx, ig_mesh_add_set(cx, s->q.mesh, "plate_load", IG_SET_NODES, 1, &set));
  set->item[0] = 4; /* a corner of the free edge */
  s->start = (ig_dyn_initial){.set = "flying", .velocity = {0, 0, 0}};
  s->probe = (ig_dyn_probe){.name = "corner", .set = "plate_load", .quantity = 2};
  s->queue[0] = (ig_dyn_analysis){.kind = IG_ANALYSIS_STATIC,
                                  .method = IG_STATIC_RELAXATION,
                                  .safety = 0.8,
                                  .damping = NAN,
                                  .tolerance = 1e-3,
                                  .steps = 100000,
                                  .ramp = 200,
                                  .at_time = 1};
  s->queue[1] = (ig_dyn_analysis){.kind = IG_ANALYSIS_DYNAMIC,
                                  .duration = 1.2e-3,
                                  .time_step = NAN,
                                  .safety = 0.6,
                                  .step_update_every = 40,
                                  .damping = NAN};
  s->q.c.supports = (ig_list){1, &s->fix};
  s->q.c.bodies = (ig_list){1, &s->body};
  s->q.c.loads = (ig_list){1, &s->press};
  s->q.c.probes = (ig_list){1, &s->probe};
  s->q.c.analysis = (ig_list){2, s->queue};
  s->q.c.gravity = (ig_dyn_gravity){.at.given = true, .acceleration = {0, 0, -5e4}};
  static double late_x[2] = {1, 1.00001}, late_y[2] = {0, 1}; /* it falls after the statics */
  s->q.c.gravity.history = (ig_table){2, late_x, late_y};
  s->q.c.contact = (ig_dyn_contact){
      .at.given = true, .on = true, .penalty = 0.1, .thickness = 0.004, .friction = 0.2};
  s->q.c.sections = (ig_list){1, &s->q.section};
  s->q.materials = (ig_list){1, &s->q.material};
  s->q.material.yield = 3e8, s->q.material.hardening = 1e9;
}
static const ig_output_case by_count = {.interval = NAN, .count = 3, .history_every = 20};
static ig_status queue_run(ig_ctx *cx, queued *s, keeper *k, const ig_output_case *output,
                           const ig_restart *restart) {
  ig_sink sink = {.self = k,
                  .snapshot = keep_snapshot,
                  .history = keep_history,
                  .checkpoint = keep_checkpoint,
                  .result = keep_result};
  ig_job job = {.cx = cx,
                .precision = IG_DOUBLE,
                .assembly = IG_GATHER,
                .output = output,
                .materials = &s->q.materials,
                .mesh = s->q.mesh,
                .room_case = &s->q.c,
                .sink = &sink,
                .restart = restart};
  return ig_loop_all(ig_room_find("dynamics"), &job);
}

/* Preload, then strike: the second analysis goes on from where the first ended. Cut off within it
   or within the relaxation of the first, and restarted on another number of threads, it writes the
   same history to the last bit. */
static void cut_and_restart(int after) {
  static keeper whole, cut, rest;
  keeper *all[3] = {&whole, &cut, &rest};
  for (int run = 0; run < 3; run++) {
    ig_ctx *cx = ctx_on("debug", 1 + run);
    static queued s;
    keeper *k = all[run];
    memset(k, 0, sizeof *k);
    k->cx = cx;
    k->stop_at = run == 1 ? after : 0;
    queue_new(cx, &s);
    const ig_status status = queue_run(cx, &s, k, &by_count, run == 2 ? &cut.restart : NULL);
    if (run == 1)
      assert_int_equal(status, IG_INTERRUPTED);
    else
      GOOD(cx, status);
    ig_dyn_problem_free(&s.q);
    ig_ctx_close(cx);
  }
  assert_true(whole.rows > 20 && whole.pictures >= 4);
  assert_int_equal(cut.rows, after);
  assert_int_equal(cut.rows + rest.rows, whole.rows);
  for (int i = 0; i < rest.rows; i++)
    assert_memory_equal(rest.value[i], whole.value[cut.rows + i],
                        sizeof(double) * (size_t)whole.columns);
  /* the first row is the start, the second the static one: the corner is down, nothing moves; later
     the block has struck */
  assert_true(whole.value[0][10] == 0 && whole.value[0][2] == 0);
  assert_true(whole.value[1][10] < -1e-5 && whole.value[1][2] == 0);
  assert_true(whole.value[whole.rows - 1][7] != 0);
  for (int i = 0; i < whole.rows; i++)
    assert_true(fabs(whole.value[i][9]) < 0.01);
  for (int k = 0; k < 3; k++)
    keeper_free(all[k]);
}
static void queue_restarts_to_the_same_bits(void **state) {
  (void)state;
  cut_and_restart(12);
  cut_and_restart(1);
}

/* The start and the end of every analysis are shown, and what the case asks for between them: of
   the fields it names, in its own rhythm or, for the history, a thousand rows at most. */
static void output_is_what_the_case_asks(void **state) {
  (void)state;
  const char *name = "contact_pressure";
  const struct {
    ig_output_case output;
    int pictures, fields;
  } t[] = {{{.interval = NAN, .count = 3}, 5, 7},
           {{.interval = NAN, .count = 0, .history_every = 1000000}, 0, 0},
           {{.interval = NAN, .count = 1, .history_every = 1, .fields = {1, &name}}, 3, 1},
           {{.interval = 0.3e-3, .history_every = 5}, 6, 7}};
  static keeper k[4];
  for (int i = 0; i < 4; i++) {
    static queued s;
    ig_ctx *cx = ctx_on("cpu", 1);
    k[i].cx = cx;
    queue_new(cx, &s);
    GOOD(cx, queue_run(cx, &s, &k[i], &t[i].output, NULL));
    assert_int_equal(k[i].pictures, t[i].pictures);
    assert_int_equal(k[i].fields, t[i].fields);
    assert_int_equal(k[i].found, t[i].fields > 0);
    keeper_free(&k[i]);
    ig_dyn_problem_free(&s.q);
    ig_ctx_close(cx);
  }
  assert_int_equal(k[0].rows, k[2].rows); /* fewer steps than a thousand: each is a row */
  assert_int_equal(k[1].rows, 3);
  assert_int_equal(k[3].rows, 3 + (k[2].rows - 3) / 5);
}

/* A run stops, and says why, when its energy runs away, when scaling adds too much mass, and when
   no equilibrium is found. */
static void runs_stop_at_their_limits(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    ig_ctx *cx = ctx_on("cpu", 1);
    static queued s;
    static keeper k;
    memset(&k, 0, sizeof k);
    k.cx = cx;
    queue_new(cx, &s);
    s.q.c.energy_error = 0.05;
    s.q.c.added_mass = 0.01;
    s.q.c.analysis = (ig_list){1, kind == 2 ? &s.queue[0] : &s.queue[1]};
    if (kind == 0)
      s.q.c.energy_error = 1e-12;
    if (kind == 1)
      s.queue[1].mass_scaling_step = 2e-5;
    if (kind == 2)
      s.queue[0].steps = 250, s.queue[0].tolerance = 1e-12;
    const ig_status status = queue_run(cx, &s, &k, &by_count, NULL);
    assert_true(status != IG_OK);
    const char *const word[3] = {"energy_error", "added_mass", "no equilibrium"};
    if (!strstr(ig_ctx_message(cx), word[kind]))
      print_message("%s\n", ig_ctx_message(cx));
    assert_non_null(strstr(ig_ctx_message(cx), word[kind]));
    keeper_free(&k);
    ig_dyn_problem_free(&s.q);
    ig_ctx_close(cx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spinning_block_keeps_its_shape),
      cmocka_unit_test(critical_step_is_one),
      cmocka_unit_test(rigid_motion_makes_no_force),
      cmocka_unit_test(forces_balance_and_do_the_work),
      cmocka_unit_test(warped_quadrilaterals_bend),
      cmocka_unit_test(patch_passes),
      cmocka_unit_test(queue_restarts_to_the_same_bits),
      cmocka_unit_test(output_is_what_the_case_asks),
      cmocka_unit_test(runs_stop_at_their_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
