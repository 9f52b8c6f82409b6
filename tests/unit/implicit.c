/* The engine of implicit statics on springs and bars of its own: constraints, prescribed motions,
   convergence, snap-through by arc length, and what it says where there is no equilibrium. */
#include "check.h"
#include "one_context.h"
#include "implicit/newton.h"

/* Bars in space with Green's strain: f = E A L0 e du-derivative; exact tangents. */
typedef struct {
  double (*x)[3]; /* accepted positions */
  double (*x0)[3];
  const int32_t (*node)[2];
  double stiffness; /* E A */
  int32_t unknown[8][6];
  ig_implicit_group group;
} bars;

static ig_status bars_evaluate(void *self, const ig_trial *at, int32_t begin, int32_t end,
                               double *f, double *k, ig_trouble *trouble) {
  const bars *b = self;
  (void)trouble;
  for (int32_t e = begin; e < end; e++, f += 6, k = k ? k + 36 : NULL) {
    double d[3], l2 = 0, l02 = 0;
    for (int c = 0; c < 3; c++) {
      const int32_t i = b->node[e][0], j = b->node[e][1];
      d[c] = b->x[j][c] + at->u[3 * j + c] - b->x[i][c] - at->u[3 * i + c];
      l2 += d[c] * d[c];
      l02 += pow(b->x0[j][c] - b->x0[i][c], 2);
    }
    const double l0 = sqrt(l02), n = b->stiffness * 0.5 * (l2 - l02) / l02;
    for (int i = 0; i < 6; i++) {
      f[i] = (i < 3 ? -1 : 1) * n * d[i % 3] / l0;
      for (int j = 0; j < 6 && k; j++)
        k[6 * i + j] =
            ((i < 3) == (j < 3) ? 1 : -1) *
            (b->stiffness * d[i % 3] * d[j % 3] / (l02 * l0) + (i % 3 == j % 3) * n / l0);
    }
  }
  return IG_OK;
}

static void bars_open(bars *b, int32_t count) {
  for (int32_t e = 0; e < count; e++)
    for (int i = 0; i < 6; i++)
      b->unknown[e][i] = 3 * b->node[e][i / 3] + i % 3;
  b->group = (ig_implicit_group){"bars", b, count, 6, b->unknown[0], bars_evaluate, NULL};
}

typedef struct {
  bars *b;
  int nodes;
  double force[9]; /* at the end */
  int32_t led;     /* constraint, -1: none */
  double motion;   /* per time */
  double path[200][2];
  int steps, iterations;
  double residual[64];
} model;

static ig_status loads(void *self, const ig_trial *at, double *f) {
  const model *m = self;
  for (int i = 0; i < 9; i++)
    f[i] += m->force[i] * at->time;
  return IG_OK;
}
static ig_system *sys;
static ig_status motions(void *self, double from, double to) {
  const model *m = self;
  if (m->led >= 0)
    sys->constraint[m->led].g = m->motion * (to - from);
  return IG_OK;
}
static ig_status accepted(void *self, const ig_trial *at) {
  model *m = self;
  for (int i = 0; i < m->nodes; i++)
    for (int c = 0; c < 3; c++)
      m->b->x[i][c] += at->u[3 * i + c];
  m->path[m->steps][0] = m->b->x[1][2];
  m->path[m->steps++][1] = at->factor;
  return IG_OK;
}
static void note(void *user, const ig_newton_note *at) {
  model *m = user;
  if (m->iterations < 64)
    m->residual[m->iterations++] = at->residual;
}
static void name(void *self, int32_t unknown, char *text, size_t size) {
  (void)self;
  snprintf(text, size, "node %d", unknown / 3);
}

/* Two bars from (-1, 0, 0) and (1, 0, 0) to an apex at height h. */
static const int32_t roof[2][2] = {{0, 1}, {2, 1}};
static ig_status run(model *m, const ig_newton_options *o, ig_newton_standing *end,
                     double reaction[9]) {
  ig_newton *n = NULL;
  const ig_newton_model parts = {.system = sys,
                                 .groups = 1,
                                 .group = &m->b->group,
                                 .begin = 0,
                                 .end = 1,
                                 .length = 2,
                                 .self = m,
                                 .loads = loads,
                                 .motions = motions,
                                 .accepted = accepted,
                                 .name = name};
  ig_status status = ig_newton_new(cx, &parts, o, &n);
  ig_newton_watch(n, note, m);
  do
    status = ig_newton_step(n);
  while (status == IG_OK && (ig_newton_stand(n, end), !end->done));
  ig_newton_stand(n, end);
  memcpy(reaction, ig_newton_forces(n), 9 * sizeof *reaction);
  ig_newton_free(n);
  return status;
}

static void roof_make(bars *b, double x[3][3], double x0[3][3]) {
  const double at[3][3] = {{-1, 0, 0}, {0, 0, 0.1}, {1, 0, 0}};
  memcpy(x, at, sizeof at);
  memcpy(x0, at, sizeof at);
  *b = (bars){.x = x, .x0 = x0, .node = roof, .stiffness = 1e4};
  bars_open(b, 2);
  assert_int_equal(ig_system_new(cx, 9, &sys), IG_OK);
  for (int i = 0; i < 9; i++)
    if (i / 3 != 1 || i % 3 == 1)
      assert_int_equal(ig_system_constrain(sys, i, 0, NULL, NULL, 0, NULL), IG_OK);
}

/* Vertical force of the two bars at apex height z. */
static double roof_force(double z) {
  const double l02 = 1.01, n = 1e4 * 0.5 * (1 + z * z - l02) / l02;
  return 2 * n * z / sqrt(l02);
}

/* Below the limit the load is carried, and residuals square. */
static void load_is_found(void **state) {
  (void)state;
  double x[3][3], x0[3][3], reaction[9];
  bars b;
  ig_newton_standing end;
  roof_make(&b, x, x0);
  assert_int_equal(ig_system_close(sys, 1, &b.group), IG_OK);
  model m = {.b = &b, .nodes = 3, .led = -1};
  m.force[5] = 0.8 * roof_force(0.1 / sqrt(3)); /* near the limit point */
  ig_newton_options o = ig_newton_usual;
  o.first = 1;
  o.tolerance = 1e-8;
  assert_int_equal(run(&m, &o, &end, reaction), IG_OK);
  assert_true(fabs(roof_force(x[1][2]) / m.force[5] - 1) < 1e-9);
  assert_true(fabs(reaction[2] + reaction[8] + m.force[5]) < 1e-8 * fabs(m.force[5]));
  for (int i = 2; i < m.iterations; i++) /* r' = c r^2 with one c */
    if (m.residual[i - 1] < 1e-2 && m.residual[i] > 1e-12)
      assert_true(m.residual[i] < 3 * m.residual[i - 1] * m.residual[i - 1]);
  ig_system_free(sys);
}

/* Beyond it there is none near: the message says how far it came, and that state stands. */
static void limit_is_reported(void **state) {
  (void)state;
  double x[3][3], x0[3][3], reaction[9];
  bars b;
  ig_newton_standing end;
  roof_make(&b, x, x0);
  assert_int_equal(ig_system_close(sys, 1, &b.group), IG_OK);
  model m = {.b = &b, .nodes = 3, .led = -1};
  m.force[0] = 0;
  m.force[5] = 1.25 * roof_force(0.1 / sqrt(3));
  ig_newton_options o = ig_newton_usual;
  o.line_search = false;
  o.most = 0.05;
  o.first = 0.05;
  const ig_status status = run(&m, &o, &end, reaction);
  if (status != IG_OK) {
    assert_int_equal(status, IG_NUMERIC);
    assert_non_null(strstr(ig_ctx_message(cx), "load factor"));
    assert_true(end.factor > 0.7 && end.factor < 0.8001);
  } else /* it may find the state on the other side */
    assert_true(x[1][2] < 0);
  ig_system_free(sys);
}

/* The whole curve, down and up again. */
static void arc_follows_the_curve(void **state) {
  (void)state;
  double x[3][3], x0[3][3], reaction[9], lowest = 0;
  bars b;
  ig_newton_standing end;
  roof_make(&b, x, x0);
  assert_int_equal(ig_system_close(sys, 1, &b.group), IG_OK);
  model m = {.b = &b, .nodes = 3, .led = -1};
  m.force[5] = 2 * roof_force(0.1 / sqrt(3));
  ig_newton_options o = ig_newton_usual;
  o.arc_length = true;
  o.first = 0.05;
  o.tolerance = 1e-6;
  assert_int_equal(run(&m, &o, &end, reaction), IG_OK);
  for (int i = 0; i < m.steps; i++) {
    assert_true(fabs(roof_force(m.path[i][0]) - m.path[i][1] * m.force[5]) <
                1e-4 * fabs(m.force[5]));
    lowest = fmin(lowest, m.path[i][1]);
  }
  assert_true(lowest < -0.3); /* -0.5 at the other limit point, between two steps */
  assert_true(end.done && x[1][2] < -0.1);
  ig_system_free(sys);
}

/* A prescribed motion past both limit points; a tied node takes a share of it. */
static void motions_and_ties(void **state) {
  (void)state;
  double x[3][3], x0[3][3], reaction[9];
  bars b;
  ig_newton_standing end;
  roof_make(&b, x, x0);
  model m = {.b = &b, .nodes = 3, .motion = -0.15};
  const int32_t master[2] = {5, 3};
  const double half[2] = {0.5, 0};
  assert_int_equal(ig_system_constrain(sys, 5, 0, NULL, NULL, 0, &m.led), IG_OK);
  assert_int_equal(ig_system_constrain(sys, 8, 2, master, half, 0, NULL), IG_OK);
  assert_int_equal(ig_system_close(sys, 1, &b.group), IG_OK);
  ig_newton_options o = ig_newton_usual;
  o.tolerance = 1e-8;
  assert_int_equal(run(&m, &o, &end, reaction), IG_OK);
  assert_true(fabs(x[1][2] + 0.05) < 1e-14);
  assert_true(fabs(x[2][2] + 0.075) < 1e-14);
  assert_true(fabs(reaction[2] + reaction[5] + reaction[8]) < 1e-6);
  ig_system_free(sys);
}

static void circles_are_refused(void **state) {
  (void)state;
  const int32_t a = 0, c = 1;
  const double one = 1;
  assert_int_equal(ig_system_new(cx, 2, &sys), IG_OK);
  assert_int_equal(ig_system_constrain(sys, 0, 1, &c, &one, 0, NULL), IG_OK);
  assert_int_equal(ig_system_constrain(sys, 1, 1, &a, &one, 0, NULL), IG_OK);
  assert_int_equal(ig_system_close(sys, 0, NULL), IG_INPUT);
  ig_system_free(sys);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(load_is_found),         cmocka_unit_test(limit_is_reported),
      cmocka_unit_test(arc_follows_the_curve), cmocka_unit_test(motions_and_ties),
      cmocka_unit_test(circles_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
