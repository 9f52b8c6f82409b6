/* Tangents of the room's elements by dual numbers: forces are those of the plain functions, and
   tangents agree with central differences of them, for every kind and law, loaded and yielding.
   Transposed tangents on a tape are those of the dual numbers, and their bars of states and of
   numbers of the group agree with differences. */
#include "check.h"
#include "dynamics/adjoint/transpose.h"
#include "dynamics/elements/tangent.h"
#include "kern/prec_f64.h"
#include "dynamics/elements/elements.inc"

enum { N = IG_DYN_MOTIONS };
static double state[IG_TANGENT_STATES * IG_DYN_BLOCK], work[IG_TANGENT_STATES * IG_DYN_BLOCK];

typedef struct {
  int npe, dofs;
  double x[IG_DYN_POSITIONS];
} shape;

/* Corners of a unit cube, of a tetrahedron with its mid-sides, of a quadrilateral out of its plane.
 */
static shape shape_of(int kind) {
  static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  static const double tet[10][3] = {{0, 0, 0},   {1, 0, 0},  {0, 1, 0},  {0, 0, 1},   {.5, 0, 0},
                                    {.5, .5, 0}, {0, .5, 0}, {0, 0, .5}, {.5, 0, .5}, {0, .5, .5}};
  static const double flat[4][3] = {{0, 0, 0}, {1, 0.1, 0}, {1.1, 0.9, 0.05}, {-0.1, 1, 0}};
  static const double line[2][3] = {{0, 0, 0}, {0.8, 0.5, 0.3}};
  shape s = {0};
  const double *from = NULL;
  switch (kind) {
  case IG_DYN_HEX8:
  case IG_DYN_HEX1:
    s = (shape){8, 3, {0}}, from = cube[0];
    break;
  case IG_DYN_TET:
    s = (shape){4, 3, {0}}, from = tet[0];
    break;
  case IG_DYN_TET10:
    s = (shape){10, 3, {0}}, from = tet[0];
    break;
  case IG_DYN_SHELL:
  case IG_DYN_LAYERS:
    s = (shape){3, 6, {0}}, from = flat[0];
    break;
  case IG_DYN_QUAD:
  case IG_DYN_QUAD_LAYERS:
    s = (shape){4, 6, {0}}, from = flat[0];
    break;
  case IG_DYN_BAR:
    s = (shape){2, 3, {0}}, from = line[0];
    break;
  default:
    s = (shape){2, 6, {0}}, from = line[0];
  }
  memcpy(s.x, from, (size_t)s.npe * 3 * sizeof *from);
  return s;
}

static void put(int k, double v) {
  state[k * IG_DYN_BLOCK] = v;
}

/* State at rest; returns how many values it has. */
static int rest(int kind, int law, const dyn_group_f64 *g) {
  memset(state, 0, sizeof state);
  const int point = ig_law_state(law, 6);
  const int points = kind == IG_DYN_HEX8 ? 8 : kind == IG_DYN_TET10 ? 4 : 1;
  const int layers = IG_LAYERS_POINT + g->planes * 5 * ig_law_state(law, 3);
  switch (kind) {
  case IG_DYN_HEX8:
  case IG_DYN_HEX1:
  case IG_DYN_TET:
  case IG_DYN_TET10:
    put(0, 1);
    for (int n = 0; n < points && law == IG_LAW_NEOHOOKE; n++)
      for (int i = 0; i < 3; i++)
        put(IG_HEX_POINT + n * point + 6 + 4 * i, kind == IG_DYN_HEX8 ? 2 : 1);
    return IG_HEX_POINT + points * point + (kind == IG_DYN_HEX1 ? 12 : 0);
  case IG_DYN_SHELL:
    return IG_SHELL_STATES;
  case IG_DYN_QUAD:
    return IG_QUAD_CUTS * IG_SHELL_STATES;
  case IG_DYN_LAYERS:
    put(IG_LAYERS_THICK, 1);
    return layers;
  case IG_DYN_QUAD_LAYERS:
    for (int k = 0; k < IG_QUAD_CUTS; k++)
      put(k * layers + IG_LAYERS_THICK, 1);
    return IG_QUAD_CUTS * layers;
  case IG_DYN_BAR:
    return IG_BAR_STATES;
  default:
    put(0, -0.53), put(1, 0.848), put(2, 0); /* square to the line */
    return IG_BEAM_STATES + (kind == IG_DYN_FIBRE ? 2 * IG_DYN_FIBRES * ig_law_state(law, 1) : 0);
  }
}

static dyn_group_f64 group_of(int kind, int law, const shape *s) {
  dyn_group_f64 g = {.npe = s->npe,
                     .dofs = s->dofs,
                     .thickness = 0.05,
                     .area = 1e-3,
                     .iy = 1e-6,
                     .iz = 2e-6,
                     .torsion = 1.5e-6,
                     .hourglass = 0.1,
                     .bbar = 1,
                     .planes = 4};
  mech_f64 *m = &g.mat;
  m->density = 7850, m->young = 200e9, m->poisson = 0.3, m->yield = 250e6, m->hardening = 2e9;
  m->shear = m->young / (2 * (1 + m->poisson));
  m->bulk = m->young / (3 * (1 - 2 * m->poisson));
  m->kinematic = law == IG_LAW_KINEMATIC ? 3e9 : 0;
  m->rows = 3;
  const double strain[3] = {0, 0.01, 0.5}, stress[3] = {250e6, 300e6, 640e6};
  memcpy(m->strain, strain, sizeof strain);
  memcpy(m->stress, stress, sizeof stress);
  m->jc_b = 300e6, m->jc_n = 0.4, m->jc_c = 0.01, m->jc_rate0 = 1, m->jc_m = 1;
  m->jc_range = 1500, m->jc_heat = 2e-7;
  for (int i = 0; i < IG_DYN_FIBRES; i++) {
    g.fibre[i][0] = 0.02 * (i % 4 - 1.5);
    g.fibre[i][1] = 0.02 * (i / 4 - 1.5);
    g.fibre[i][2] = 1e-3 / IG_DYN_FIBRES;
  }
  g.states = rest(kind, law, &g);
  return g;
}

/* Plain forces after increments u from `state`; `keep`: the state moves on. */
static void plain(int kind, int law, const dyn_group_f64 *g, const shape *s, const double *u,
                  bool keep, double *f) {
  double x[IG_DYN_POSITIONS], left = 0;
  for (int i = 0; i < 3 * s->npe; i++)
    x[i] = s->x[i] + u[i / 3 * s->dofs + i % 3];
  memcpy(work, state, sizeof work);
  element_force_f64(kind, law, g, keep ? state : work, 1e12, x, u, f, &left);
}

static void tangent_is_exact(int kind, int law, double size) {
  shape s = shape_of(kind);
  dyn_group_f64 g = group_of(kind, law, &s);
  const int n = s.npe * s.dofs;
  double u[N] = {0}, f[N], k[N * N], a[N], b[N], left, most = 0, worst = 0, off = 0, large = 0;
  /* a first step that is kept: stress and, where it is large, plastic strain */
  for (int i = 0; i < n; i++)
    u[i] = size * sin(3 * i + 1);
  plain(kind, law, &g, &s, u, true, f);
  for (int i = 0; i < 3 * s.npe; i++)
    s.x[i] += u[i / 3 * s.dofs + i % 3];
  for (int i = 0; i < n; i++)
    u[i] = size * cos(2 * i + 0.3);
  double x[IG_DYN_POSITIONS];
  static double room[IG_TANGENT_ROOM] __attribute__((aligned(64)));
  for (int i = 0; i < 3 * s.npe; i++)
    x[i] = s.x[i] + u[i / 3 * s.dofs + i % 3];
  (void)ig_dyn_tangent(kind, law, &g, state, IG_DYN_BLOCK, 1e12, x, u, f, k, &left, room);
  plain(kind, law, &g, &s, u, false, a);
  for (int i = 0; i < n; i++)
    off = fmax(off, fabs(a[i] - f[i])), large = fmax(large, fabs(a[i]));
  for (int j = 0; j < n; j++) {
    const double h = 1e-6 * (size > 1e-3 ? 1 : size * 1e3), was = u[j];
    double c[N], d[N];
    u[j] = was + h;
    plain(kind, law, &g, &s, u, false, a);
    u[j] = was - h;
    plain(kind, law, &g, &s, u, false, b);
    u[j] = was + 2 * h;
    plain(kind, law, &g, &s, u, false, c);
    u[j] = was - 2 * h;
    plain(kind, law, &g, &s, u, false, d);
    u[j] = was;
    for (int i = 0; i < n; i++) {
      const double slope = (8 * (a[i] - b[i]) - (c[i] - d[i])) / (12 * h);
      most = fmax(most, fabs(slope));
      worst = fmax(worst, fabs(slope - k[i * n + j]));
    }
  }
  if (!(worst < 1e-6 * most) || !(off < 1e-9 * large))
    fail_msg("kind %d, law %d, size %g: tangent off by %.3g of %.3g, force by %.3g of %.3g", kind,
             law, size, worst, most, off, large);
}

static void tangents_are_exact(void **state_) {
  (void)state_;
  static const double size[] = {1e-5, 2e-3, 2e-2};
  for (int i = 0; i < 3; i++) {
#define X(kind, law) tangent_is_exact(IG_DYN_##kind, IG_LAW_##law, size[i]);
    IG_DYN_STAMPS(X)
#undef X
  }
}

/* --- transposed tangents */

enum { L = IG_PACK_F64, TABLE_LANES = 1 };

/* f_bar . forces + state_bar . state after a step, which begins from state `from`. */
static double figure(int kind, int law, const dyn_group_f64 *g, const shape *s, const double *from,
                     const double *u, const double *f_bar, const double *state_bar) {
  double x[IG_DYN_POSITIONS], f[N], left = 0, sum = 0;
  for (int i = 0; i < 3 * s->npe; i++)
    x[i] = s->x[i] + u[i / 3 * s->dofs + i % 3];
  for (int k = 0; k < g->states; k++)
    work[k * IG_DYN_BLOCK] = from[k];
  element_force_f64(kind, law, g, work, 1e-6, x, u, f, &left);
  for (int i = 0; i < s->npe * s->dofs; i++)
    sum += f_bar[i] * f[i];
  for (int k = 0; k < g->states; k++)
    sum += state_bar[k] * work[k * IG_DYN_BLOCK];
  return sum;
}

static void numbers_put(dyn_group_f64 *g, int number, double v) {
  mech_f64 *m = &g->mat;
  double *const at[] = {&m->density, &m->young, &m->poisson,   &m->bulk,
                        &m->shear,   &m->yield, &m->hardening, &m->kinematic};
  if (number < 8)
    *at[number] = v;
  else if (number == IG_NUMBER_THICKNESS)
    g->thickness = v;
}

/* Bars of forces times what dual numbers say that forces change by is bars of positions and
   increments times the change of these: to rounding, but for laws that iterate, whose dual numbers
   stop one pass later than the tape. */
static void product_is_exact(ig_dyn_transpose *t, const ig_dyn_pack_bars *b) {
  const dyn_group_f64 *g = b->g;
  const int n = g->npe * g->dofs;
  static double spread[IG_TANGENT_STATES * IG_DYN_BLOCK],
      room[IG_TANGENT_ROOM] __attribute__((aligned(64)));
  assert_true(ig_dyn_transpose_force(t, b));
  for (int l = 0; l < (b->law == IG_LAW_TABLE ? TABLE_LANES : L); l++) {
    double x[IG_DYN_POSITIONS], u[N], f[N], k[N * N], left, along = 0, sum = 0, most = 0;
    for (int i = 0; i < 3 * g->npe; i++)
      x[i] = b->x[i * L + l];
    for (int i = 0; i < n; i++)
      u[i] = b->u[i * L + l];
    for (int q = 0; q < g->states; q++)
      spread[q * IG_DYN_BLOCK] = b->state[q * b->pitch + l];
    (void)ig_dyn_tangent(b->kind, b->law, g, spread, IG_DYN_BLOCK, b->dt, x, u, f, k, &left, room);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        const double part = b->f_bar[i * L + l] * k[i * n + j] * cos(5 * j + 2);
        sum += part;
        most += fabs(part);
      }
    for (int j = 0; j < n; j++)
      along += cos(5 * j + 2) *
               (b->u_bar[j * L + l] +
                (j % g->dofs < 3 ? b->x_bar[(j / g->dofs * 3 + j % g->dofs) * L + l] : 0));
    if (!(fabs(along - sum) <= (b->law == IG_LAW_JOHNSON ? 1e-9 : 1e-12) * most))
      fail_msg("kind %d, law %d, lane %d: product off by %.3g of %.3g", (int)b->kind, b->law, l,
               along - sum, most);
  }
}

static void transpose_is_exact(int kind, int law, double size) {
  if (law == IG_LAW_NEOHOOKE && size < 1e-3)
    return; /* its energy is a small difference, and differences of that are none */
  shape s = shape_of(kind);
  dyn_group_f64 g = group_of(kind, law, &s);
  const int n = s.npe * s.dofs, numbers[] = {1, 2, 3, 4, 5, 6, 7, IG_NUMBER_THICKNESS};
  static double from[L][IG_TANGENT_STATES], packed[IG_TANGENT_STATES * L], q_bar[IG_TANGENT_STATES],
      bar[IG_TANGENT_STATES * L], room[IG_TANGENT_ROOM] __attribute__((aligned(64)));
  double u[L][N], x[IG_DYN_POSITIONS * L], du[N * L], f_bar[N * L],
      one[N] = {0}, x_bar[N * L], u_bar[N * L], number_bar[IG_DYN_NUMBERS * L], own[IG_DYN_NUMBERS],
      f[N], k[N * N], left;
  g.bulk_linear = 0.06, g.bulk_quadratic = 1.2;
  /* each lane has gone another way before: some have yielded */
  for (int l = 0; l < L; l++) {
    const double much = size * (law == IG_LAW_TABLE ? 1 : 0.4 + 0.8 * l / L);
    g.states = rest(kind, law, &g);
    for (int i = 0; i < n; i++)
      u[l][i] = much * sin(3 * i + 1);
    double y[IG_DYN_POSITIONS];
    for (int i = 0; i < 3 * s.npe; i++)
      y[i] = s.x[i] + u[l][i / 3 * s.dofs + i % 3];
    element_force_f64(kind, law, &g, state, 1e-6, y, u[l], f, &left);
    for (int q = 0; q < g.states; q++)
      from[l][q] = packed[q * L + l] = state[q * IG_DYN_BLOCK];
    for (int i = 0; i < n; i++)
      u[l][i] = much * cos(2 * i + 0.3);
  }
  double force = 0;
  for (int i = 0; i < n; i++)
    force = fmax(force, fabs(f[i]));
  for (int i = 0; i < n; i++)
    one[i] = sin(1.7 * i + 0.4) / force;
  for (int q = 0; q < g.states; q++)
    q_bar[q] = 0.3 * cos(0.9 * q) / (from[0][q] != 0 ? 1 + fabs(from[0][q]) : 1e9);
  for (int l = 0; l < L; l++) {
    for (int i = 0; i < 3 * s.npe; i++)
      x[i * L + l] = s.x[i] + u[l][i / 3 * s.dofs + i % 3] - s.x[i % 3] - u[l][i % 3];
    for (int i = 0; i < n; i++)
      du[i * L + l] = u[l][i], f_bar[i * L + l] = one[i];
    for (int q = 0; q < g.states; q++)
      bar[q * L + l] = q_bar[q];
  }
  static double none[IG_TANGENT_STATES * L];
  memset(none, 0, sizeof none);
  assert_int_equal(ig_dyn_transpose_lanes(), L);
  ig_dyn_transpose *t = ig_dyn_transpose_new();
  assert_non_null(t);
  product_is_exact(t, &(ig_dyn_pack_bars){.kind = kind,
                                          .law = law,
                                          .g = &g,
                                          .state = packed,
                                          .pitch = L,
                                          .dt = 1e-6,
                                          .x = x,
                                          .u = du,
                                          .f_bar = f_bar,
                                          .state_bar = none,
                                          .x_bar = x_bar,
                                          .u_bar = u_bar,
                                          .number_bar = number_bar});
  const ig_dyn_pack_bars b = {.kind = kind,
                              .law = law,
                              .g = &g,
                              .state = packed,
                              .pitch = L,
                              .dt = 1e-6,
                              .x = x,
                              .u = du,
                              .f_bar = f_bar,
                              .state_bar = bar,
                              .x_bar = x_bar,
                              .u_bar = u_bar,
                              .number_bar = number_bar};
  assert_true(ig_dyn_transpose_force(t, &b));
  ig_dyn_numbers(&g, own);
  for (int l = 0; l < (law == IG_LAW_TABLE ? TABLE_LANES : L); l++) {
    double y[IG_DYN_POSITIONS], most = 0, along = 0, sum = 0;
    static double spread[IG_TANGENT_STATES * IG_DYN_BLOCK];
    /* by positions and increments: the transposed tangent of the dual numbers. Bars of states are
       differences, below */
    for (int i = 0; i < 3 * s.npe; i++)
      y[i] = s.x[i] + u[l][i / 3 * s.dofs + i % 3];
    for (int q = 0; q < g.states; q++)
      spread[q * IG_DYN_BLOCK] = from[l][q];
    (void)ig_dyn_tangent(kind, law, &g, spread, IG_DYN_BLOCK, 1e-6, y, u[l], f, k, &left, room);
    double w[N], high[3], move = size * (law == IG_LAW_NEOHOOKE ? 0.1 : 1e-4);
    for (int i = 0; i < n; i++)
      w[i] = cos(5 * i + 2);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        sum += one[i] * k[i * n + j] * w[j], most += fabs(one[i] * k[i * n + j] * w[j]);
    for (int i = 0; i < n; i++) {
      const double both =
          u_bar[i * L + l] + (i % s.dofs < 3 ? x_bar[(i / s.dofs * 3 + i % s.dofs) * L + l] : 0);
      along += both * w[i];
    }
    /* what the states after the step add to it, by differences */
    for (int h = 0; h < 2; h++) {
      double a[N], c[N];
      const double e = move * (h + 1);
      for (int i = 0; i < n; i++)
        a[i] = u[l][i] + e * w[i], c[i] = u[l][i] - e * w[i];
      high[h] = (figure(kind, law, &g, &s, from[l], a, (double[N]){0}, q_bar) -
                 figure(kind, law, &g, &s, from[l], c, (double[N]){0}, q_bar)) /
                (2 * e);
    }
    const double state_part = (4 * high[0] - high[1]) / 3;
    if (!(fabs(along - sum - state_part) <= 1e-6 * (most + fabs(state_part))))
      fail_msg("kind %d, law %d, size %g, lane %d: product off by %.3g of %.3g", kind, law, size, l,
               along - sum - state_part, most);
    /* bars of the state before it */
    for (int q = 0; q < g.states; q++) {
      double moved[IG_TANGENT_STATES];
      memcpy(moved, from[l], sizeof moved);
      const double scale = kind <= IG_DYN_TET10 && q < 4 ? 1 : fabs(from[l][q]), e = 1e-5 * scale;
      if (law == IG_LAW_JOHNSON || law == IG_LAW_TABLE || q % 7 || scale == 0)
        continue; /* their plastic strains have kinks near 0 */
      moved[q] = from[l][q] + e;
      const double up = figure(kind, law, &g, &s, moved, u[l], one, q_bar);
      moved[q] = from[l][q] - e;
      const double down = figure(kind, law, &g, &s, moved, u[l], one, q_bar);
      const double slope = (up - down) / (2 * e);
      if (!(fabs(slope - bar[q * L + l]) * scale <=
            1e-5 * (fabs(slope) * scale +
                    fabs(figure(kind, law, &g, &s, from[l], u[l], one, q_bar))) +
                1e-6))
        fail_msg("kind %d, law %d, size %g, lane %d, state %d of %d: %.12g, difference %.12g", kind,
                 law, size, l, q, g.states, bar[q * L + l], slope);
    }
    /* bars of numbers */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
      const int number = numbers[i];
      const double e = (law == IG_LAW_NEOHOOKE ? 1e-2 : 1e-5) * own[number]; /* linear */
      dyn_group_f64 moved = g;
      if (e == 0)
        continue;
      numbers_put(&moved, number, own[number] + e);
      const double up = figure(kind, law, &moved, &s, from[l], u[l], one, q_bar);
      numbers_put(&moved, number, own[number] - e);
      const double down = figure(kind, law, &moved, &s, from[l], u[l], one, q_bar);
      const double slope = (up - down) / (2 * e);
      if (!(fabs(slope - number_bar[number * L + l]) * own[number] <= 1e-6))
        fail_msg("kind %d, law %d, size %g, lane %d, number %d: %.12g, difference %.12g", kind, law,
                 size, l, number, number_bar[number * L + l] * own[number], slope * own[number]);
    }
  }
  ig_dyn_transpose_free(t);
}

static void transposes_are_exact(void **state_) {
  (void)state_;
  static const double size[] = {1e-5, 2e-3};
  for (int i = 0; i < 2; i++) {
#define X(kind, law) transpose_is_exact(IG_DYN_##kind, IG_LAW_##law, size[i]);
    IG_DYN_STAMPS(X)
#undef X
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transposes_are_exact),
      cmocka_unit_test(tangents_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
