/* Tangents of the room's elements by dual numbers: forces are those of the plain functions, and
   tangents agree with central differences of them, for every kind and law, loaded and yielding. */
#include "check.h"
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangents_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
