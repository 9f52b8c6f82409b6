/* Solid elements in double precision.

   Public face of the kernels in point.inc, element.inc and face.inc: the table of kinds,
   materials, evaluation and report of elements, smoothing to nodes, masses, loads, heat
   conduction. Functions are described in solid.h. Callers are the rooms
   structure, stress and dynamics, mostly through solid/group.h. */
#include "solid/solid.h"
#include "kern/fault.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "material/j2.inc"
#include "solid/point.inc"
#include "solid/element.inc"
#include "solid/face.inc"

static const struct {
  ig_solid_info info;
  int mean;
} table[] = {
#define X(kind, name, type, nodes, modes, points, mean)                                            \
  {{name, IG_##type, nodes, modes, points}, mean},
    IG_SOLID_LIST(X)
#undef X
};

const ig_solid_info *ig_solid_info_get(ig_solid_kind kind) {
  return &table[kind].info;
}

/* Hidden points (element.inc) have a history as well. */
int ig_solid_states(ig_solid_kind kind, int law) {
  const ig_solid_info *info = &table[kind].info;
  return (info->points + solid_hidden_f64(kind)) * solid_point_states_f64(law) + 3 * info->modes;
}

/* One point, or two of Gauss's. */
ig_solid_rule ig_solid_bar_rule(ig_solid_kind kind, double area) {
  ig_solid_rule rule = {.points = table[kind].info.points};
  for (int q = 0; q < rule.points; q++) {
    rule.at[q][0] = rule.points == 1 ? 0 : (q ? 1 : -1) / sqrt(3);
    rule.at[q][3] = 2 * area / rule.points;
  }
  return rule;
}

/* --- materials */

ig_solid_law ig_solid_isotropic(double young, double poisson, double expansion) {
  ig_solid_law law = {.law = IG_LAW_ELASTIC, .young = young, .poisson = poisson};
  const double lame = young * hooke_lame_f64(poisson), shear = young * hooke_shear_f64(poisson);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      law.stiffness[6 * i + j] = lame + (i == j ? 2 * shear : 0);
    law.stiffness[7 * (3 + i)] = shear;
    law.expansion[i] = expansion;
  }
  return law;
}

bool ig_solid_hyperelastic(const ig_solid_hyper *hyper, double expansion, ig_solid_law *law) {
  ig_solid_hyper h = *hyper;
  double shear = 2 * (h.polynomial[0] + h.polynomial[1]);
  for (int n = 0; n < h.ogden; n++)
    shear += h.mu[n];
  if (!(shear > 0))
    return false;
  if (!(h.d[0] > 0)) {
    /* D1 from Poisson's ratio: K / G = 2 (1 + nu) / (3 (1 - 2 nu)) and K = 2 / D1. */
    const double poisson = 0.475;
    h.d[0] = 3 * (1 - 2 * poisson) / ((1 + poisson) * shear);
  }
  const double bulk = 2 / h.d[0];
  *law = ig_solid_isotropic(9 * bulk * shear / (3 * bulk + shear),
                            (3 * bulk - 2 * shear) / (6 * bulk + 2 * shear), expansion);
  law->law = IG_LAW_NEOHOOKE;
  law->hyperelastic = true;
  law->hyper = h;
  return true;
}

/* Inverse of a symmetric positive definite 3 x 3 matrix; false: it is none. */
static bool spd_inverse(const double a[9], double inverse[9]) {
  const double minor = a[0] * a[4] - a[1] * a[1];
  return a[0] > 0 && minor > 0 && solid_inverse_f64(a, inverse) > 0;
}

bool ig_solid_orthotropic(const double young[3], const double poisson[3], const double shear[3],
                          const double expansion[3], const double *axes, ig_solid_law *law) {
  static const double same[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double *r = axes ? axes : same;
  const double c12 = -poisson[0] / young[0], c23 = -poisson[1] / young[1],
               c13 = -poisson[2] / young[0];
  const double soft[9] = {1 / young[0], c12, c13, c12, 1 / young[1], c23, c13, c23, 1 / young[2]};
  double hard[9], D[6][6] = {{0}};
  memset(law, 0, sizeof *law);
  law->law = IG_LAW_ELASTIC;
  law->young = young[0];
  law->poisson = poisson[0];
  if (!spd_inverse(soft, hard))
    return false;
  for (int i = 0; i < 3; i++) {
    if (!(shear[i] > 0))
      return false;
    for (int j = 0; j < 3; j++)
      D[i][j] = hard[3 * i + j];
  }
  D[3][3] = shear[0]; /* xy = 12, yz = 23, zx = 13 */
  D[4][4] = shear[1];
  D[5][5] = shear[2];
  double t[6][6]; /* strain in the material's axes = t strain in the mesh's */
  for (int m = 0; m < 6; m++)
    for (int n = 0; n < 6; n++) {
      const int a = m % 3, b = m < 3 ? a : (a + 1) % 3, i = n % 3, j = n < 3 ? i : (i + 1) % 3;
      const double both = n < 3 ? r[3 * a + i] * r[3 * b + i]
                                : 0.5 * (r[3 * a + i] * r[3 * b + j] + r[3 * a + j] * r[3 * b + i]);
      t[m][n] = m < 3 ? both : 2 * both;
    }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      for (int m = 0; m < 6; m++)
        for (int n = 0; n < 6; n++)
          law->stiffness[6 * i + j] += t[m][i] * D[m][n] * t[n][j];
  for (int n = 0; n < 6; n++)
    for (int a = 0; a < 3; a++) {
      const int i = n % 3, j = n < 3 ? i : (i + 1) % 3;
      law->expansion[n] += (n < 3 ? 1 : 2) * expansion[a] * r[3 * a + i] * r[3 * a + j];
    }
  return true;
}

static void heat(const void *of, double T, double T0, solid_law_f64 *own, double *warm);

/* The kernel's form of a law. Small displacements: hyperelastic laws act by their tangent at no
   strain. */
static solid_law_f64 law_of(const ig_solid_law *law) {
  solid_law_f64 l = {.law = law->law, .large = law->large, .T = NAN};
  l.hyper = law->hyperelastic ? &law->hyper : NULL;
  l.own = &law->own;
  l.rule = law->rule;
  l.initial = law->initial;
  l.points = law->points;
  if (law->heat) {
    l.heat = heat;
    l.of = law;
  }
  if (l.law == IG_LAW_NEOHOOKE && !l.large)
    l.law = IG_LAW_ELASTIC; /* its derivative at no strain */
  memcpy(l.stiffness, law->stiffness, sizeof l.stiffness);
  memcpy(l.expansion, law->expansion, sizeof l.expansion);
  l.mech.young = law->young;
  l.mech.poisson = law->poisson;
  l.mech.shear = law->young * hooke_shear_f64(law->poisson);
  l.mech.bulk = law->young / (3 * (1 - 2 * law->poisson));
  l.mech.yield = law->yield;
  l.mech.hardening = law->hardening;
  l.mech.kinematic = law->kinematic;
  l.mech.rows = law->rows;
  memcpy(l.mech.strain, law->strain, sizeof l.mech.strain);
  memcpy(l.mech.stress, law->stress, sizeof l.mech.stress);
  return l;
}

/* Calls the owner's function of temperature on a copy of the law, then converts the copy. Per
   point and evaluation, hence the plain struct. */
static void heat(const void *of, double T, double T0, solid_law_f64 *own, double *warm) {
  ig_solid_law law = *(const ig_solid_law *)of;
  law.heat(law.material, T, T0, &law, warm);
  const ig_solid_law *const whole = of; /* what the kernel points to must not end with the copy */
  *own = law_of(&law);
  own->own = &whole->own;
  own->T = T;
  own->hyper = own->hyper ? &whole->hyper : NULL;
}

/* --- elements */

int ig_solid_evaluate(ig_solid_kind kind, const ig_solid_law *law, const double *X, const double *u,
                      const double *warm, const double *past, double *now, double *f, double *K) {
  const ig_solid_info *info = &table[kind].info;
  const solid_law_f64 l = law_of(law);
  return solid_element_f64(&l, kind, info->nodes, info->modes, info->points, table[kind].mean, X, u,
                           warm, past, now, f, K);
}

/* --- points alone, and plane elements */

/* What a law makes of a gradient of displacements; in plane stress F has the stretch across. */
typedef struct {
  double F[9], s[6], D[36], J;
} material_point;

/* Stress of elastic and neo-Hookean laws at p->F. */
static bool point_stress(const solid_law_f64 *l, material_point *p) {
  double e[6], inverse[9];
  if (!l->large) {
    for (int i = 0; i < 3; i++) {
      const int k = (i + 1) % 3;
      e[i] = p->F[4 * i] - 1;
      e[3 + i] = p->F[3 * i + k] + p->F[3 * k + i];
    }
    p->J = 1;
    return solid_small_f64(l, e, 0, NULL, NULL, p->s, p->D) < 1e-5;
  }
  p->J = solid_inverse_f64(p->F, inverse);
  if (!(p->J > 0))
    return false;
  solid_green_f64(p->F, e);
  return solid_large_f64(l, p->F, e, 0, NULL, NULL, p->s, p->D) < 1e-5;
}

/* Plane stress: the strain across at which the stress there vanishes, by Newton's method; laws have
   no shear across a plane that stays one. */
static int point_at(const solid_law_f64 *l, ig_solid_across across, const double H[9],
                    material_point *p) {
  for (int i = 0; i < 9; i++) {
    const bool out = across != IG_SOLID_SPACE && (i % 3 == 2 || i / 3 == 2);
    p->F[i] = (i % 4 == 0) + (out ? 0 : H[i]);
  }
  const double trace = p->F[0] + p->F[4] - 2, nu = l->mech.poisson;
  if (across == IG_SOLID_PLANE_STRESS) /* where small strains begin */
    p->F[8] = 1 + fmax(-0.5, fmin(1, -nu / (1 - nu) * trace));
  for (int pass = 0; pass < 60; pass++) {
    if (!point_stress(l, p))
      return IG_FAULT_JACOBIAN;
    if (across != IG_SOLID_PLANE_STRESS)
      return IG_FAULT_NONE;
    const double step = p->s[2] / p->D[14];
    if (!(p->D[14] > 0))
      return IG_FAULT_RETURN;
    double size = 1; /* of what strains are rounded from */
    for (int i = 0; i < 9; i++)
      size += p->F[i] * p->F[i];
    if (fabs(step) <= 4 * DBL_EPSILON * size)
      return IG_FAULT_NONE;
    if (!l->large) {
      p->F[8] -= step;
      continue;
    }
    const double wide = p->F[8] * p->F[8]; /* 1 + twice the strain: more than half of it stays */
    p->F[8] = sqrt(fmax(wide - 2 * step, 0.3 * wide));
  }
  return IG_FAULT_RETURN;
}

/* D of in-plane strains at no stress across. */
static void point_condense(const material_point *p, double D[36]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      D[6 * i + j] = p->D[6 * i + j] - p->D[6 * i + 2] * p->D[12 + j] / p->D[14];
}

/* Symmetric tensors: number of component i j; d of F S F^T / J along dF and dS. */
static const int pair[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
static void push(const double A[9], const double s[6], const double B[9], double by, double to[6]) {
  for (int n = 0; n < 6; n++) {
    const int i = n % 3, j = n < 3 ? i : (i + 1) % 3;
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        to[n] += by * A[3 * i + a] * s[pair[a][b]] * B[3 * j + b];
  }
}

int ig_solid_stress(const ig_solid_law *law, ig_solid_across across, const double H[9],
                    double stress[6], double slope[54]) {
  const solid_law_f64 l = law_of(law);
  material_point p;
  const int fault = point_at(&l, across, H, &p);
  if (fault)
    return fault;
  double inverse[9];
  memset(stress, 0, 6 * sizeof *stress);
  if (l.large) {
    solid_inverse_f64(p.F, inverse);
    push(p.F, p.s, p.F, 1 / p.J, stress);
  } else {
    memcpy(stress, p.s, sizeof p.s);
  }
  for (int c = 0; slope && c < 9; c++) {
    double dF[9] = {0}, dE[6] = {0}, ds[6], to[6] = {0};
    const bool out = across != IG_SOLID_SPACE && (c % 3 == 2 || c / 3 == 2);
    dF[c] = !out;
    for (int n = 0; n < 6; n++) { /* engineering shears */
      const int i = n % 3, j = n < 3 ? i : (i + 1) % 3;
      for (int a = 0; a < 3; a++) {
        const double Fi = l.large ? p.F[3 * a + i] : a == i, Fj = l.large ? p.F[3 * a + j] : a == j;
        dE[n] += n < 3 ? Fi * dF[3 * a + i] : dF[3 * a + i] * Fj + Fi * dF[3 * a + j];
      }
    }
    if (across == IG_SOLID_PLANE_STRESS && !out) {
      double sum = 0;
      for (int n = 0; n < 6; n++)
        sum += n == 2 ? 0 : p.D[12 + n] * dE[n];
      dE[2] = -sum / p.D[14];
      dF[8] = l.large ? dE[2] / p.F[8] : dE[2];
    }
    for (int n = 0; n < 6; n++) {
      ds[n] = 0;
      for (int m = 0; m < 6; m++)
        ds[n] += p.D[6 * n + m] * dE[m];
    }
    if (l.large) {
      double grows = 0; /* dJ / J */
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          grows += inverse[3 * j + i] * dF[3 * i + j];
      push(dF, p.s, p.F, 1 / p.J, to);
      push(p.F, p.s, dF, 1 / p.J, to);
      push(p.F, ds, p.F, 1 / p.J, to);
      for (int n = 0; n < 6; n++)
        to[n] -= grows * stress[n];
    }
    for (int n = 0; n < 6; n++)
      slope[9 * n + c] = l.large ? to[n] : ds[n];
  }
  return IG_FAULT_NONE;
}

int ig_solid_plane(const ig_solid_law *law, ig_solid_across across, const double *X,
                   const double *u, double *f, double *K) {
  static const int in_plane[3] = {0, 1, 3}; /* xx yy xy */
  const solid_law_f64 l = law_of(law);
  memset(f, 0, 8 * sizeof *f);
  if (K)
    memset(K, 0, 64 * sizeof *K);
  for (int q = 0; q < 4; q++) {
    const double at[2] = {gauss2_f64(q & 1), gauss2_f64(q >> 1)};
    double d[4][2], T[4] = {0}, G[4][2], H[9] = {0}, D[36], B[3][8];
    quad4_slopes_f64(at, d);
    for (int a = 0; a < 4; a++)
      for (int i = 0; i < 4; i++)
        T[i] += X[2 * a + i / 2] * d[a][i % 2];
    const double w = T[0] * T[3] - T[1] * T[2];
    if (!(w > 0))
      return IG_FAULT_JACOBIAN;
    for (int a = 0; a < 4; a++) {
      G[a][0] = (d[a][0] * T[3] - d[a][1] * T[2]) / w;
      G[a][1] = (d[a][1] * T[0] - d[a][0] * T[1]) / w;
      for (int i = 0; i < 4; i++)
        H[3 * (i / 2) + i % 2] += u[2 * a + i / 2] * G[a][i % 2];
    }
    material_point p;
    const int fault = point_at(&l, across, H, &p);
    if (fault)
      return fault;
    for (int a = 0; a < 4; a++)
      for (int c = 0; c < 2; c++) {
        const double Fx = l.large ? p.F[3 * c] : c == 0, Fy = l.large ? p.F[3 * c + 1] : c == 1;
        const int k = 2 * a + c;
        B[0][k] = Fx * G[a][0];
        B[1][k] = Fy * G[a][1];
        B[2][k] = Fx * G[a][1] + Fy * G[a][0];
        f[k] += w * (B[0][k] * p.s[0] + B[1][k] * p.s[1] + B[2][k] * p.s[3]);
      }
    if (!K)
      continue;
    if (across == IG_SOLID_PLANE_STRESS)
      point_condense(&p, D);
    else
      memcpy(D, p.D, sizeof D);
    for (int m = 0; m < 8; m++)
      for (int n = 0; n < 8; n++)
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++)
            K[8 * m + n] += w * B[i][m] * D[6 * in_plane[i] + in_plane[j]] * B[j][n];
    for (int a = 0; l.large && a < 4; a++)
      for (int b = 0; b < 4; b++) {
        const double turn = w * (G[a][0] * (p.s[0] * G[b][0] + p.s[3] * G[b][1]) +
                                 G[a][1] * (p.s[3] * G[b][0] + p.s[1] * G[b][1]));
        K[8 * (2 * a) + 2 * b] += turn;
        K[8 * (2 * a + 1) + 2 * b + 1] += turn;
      }
  }
  return IG_FAULT_NONE;
}

int ig_solid_report(ig_solid_kind kind, const ig_solid_law *law, const double *X, const double *u,
                    const double *warm, const double *state, double *out) {
  const ig_solid_info *info = &table[kind].info;
  const solid_law_f64 l = law_of(law);
  const int kept = solid_point_states_f64(l.law), n = 3 * info->nodes;
  double all[3 * IG_SOLID_ROWS], now[IG_SOLID_KEPT];
  memcpy(all, u, (size_t)n * sizeof *u);
  memcpy(all + n, state + info->points * kept, (size_t)(3 * info->modes) * sizeof *u);
  solid_mean_f64 mean;
  if (table[kind].mean)
    solid_average_f64(&l, kind, X, all, &mean);
  for (int q = 0; q < (l.rule ? l.rule->points : info->points); q++, out += IG_SOLID_REPORT) {
    solid_point_f64 p;
    const int fault = solid_at_f64(&l, kind, info->nodes, info->modes, q, X, all, warm,
                                   table[kind].mean ? &mean : NULL, state + kept * q, now, &p);
    if (fault)
      return fault;
    memcpy(out, p.s, sizeof p.s);
    if (l.large) { /* F S F^T / J; with the mean dilatation F is scaled in strain and stress */
      double inverse[9], c[6];
      const double stretch = sqrt(p.scale);
      for (int i = 0; i < 9; i++)
        p.F[i] *= stretch;
      const double j = kind >= IG_SOLID_VOLUMES ? p.volume : solid_inverse_f64(p.F, inverse);
      for (int i = 0; i < 6; i++)
        c[i] = p.s[i] - (i < 3 ? 1 : 0);
      solid_elastic_left_f64(p.F, c, out);
      for (int i = 0; i < 6; i++)
        out[i] /= j;
    }
    memcpy(out + 6, p.e, sizeof p.e);
    const int plastic = l.law < IG_LAW_OWN ? 7 : l.own->plastic;
    out[12] = kept && plastic ? state[kept * q + plastic - 1] : 0;
    out[13] = von_mises_f64(out);
  }
  return IG_FAULT_NONE;
}

/* Functions of the fit at a place: how many.
   Constant for one point, linear along the axis for two, else the corners' functions. */
static int fit_basis(ig_solid_kind kind, const double at[3], double N[8]) {
  if (kind == IG_SOLID_TET4) {
    N[0] = 1;
    return 1;
  }
  if (kind == IG_SOLID_WEDGE6) {
    N[0] = 0.5 * (1 - at[2]);
    N[1] = 0.5 * (1 + at[2]);
    return 2;
  }
  solid_corners_f64(kind, at, N);
  return solid_corner_count_f64(kind);
}

/* Natural coordinates of a node.
   Corners of tetrahedra are 0 and the unit vectors; of wedges the triangle's corners times -1,
   1. Nodes beyond the corners are halfway between the two ends of their edge. */
static void node_place(ig_solid_kind kind, int node, double at[3]) {
  const int corners = solid_corner_count_f64(kind);
  int ends[2] = {node, node};
  static const int wedge[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                  {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  if (corners == 8) {
    for (int d = 0; d < 3; d++)
      at[d] = hex27_side_f64(node, d);
    return;
  }
  if (node >= corners) {
    ends[0] = corners == 4 ? tet_edge_low_f64(node - 4) : wedge[node - 6][0];
    ends[1] = corners == 4 ? tet_edge_high_f64(node - 4) : wedge[node - 6][1];
  }
  at[0] = at[1] = at[2] = 0;
  for (int e = 0; e < 2; e++)
    for (int d = 0; d < 3; d++)
      at[d] += 0.5 * (corners == 4  ? ends[e] == d + 1
                      : d < 2       ? ends[e] % 3 == d + 1
                      : ends[e] < 3 ? -1
                                    : 1);
}

/* Where the fit is evaluated for a node: at the node, but in the wall of a pipe, whose points lie
   on a circle, at its outer radius. */
static void fit_place(ig_solid_kind kind, const ig_solid_rule *rule, int node, double at[3]) {
  node_place(kind, node, at);
  double least = INFINITY, most = 0;
  for (int q = 0; rule && q < rule->points; q++) {
    least = fmin(least, hypot(rule->at[q][1], rule->at[q][2]));
    most = fmax(most, hypot(rule->at[q][1], rule->at[q][2]));
  }
  const double far = hypot(at[1], at[2]);
  if (rule && most - least < 1e-9 * most && far > 0) {
    at[1] /= far;
    at[2] /= far;
  }
}

/* The function of a point of Gauss's rule of three along a line that is 1 there and 0 at the
 * others.
 */
static double through_three(double point, double x) {
  const double g2 = 3. / 5;
  return fabs(point) < 0.5 ? 1 - x * x / g2 : x * (x + point) / (2 * g2);
}

/* hex20 with 27 points: the triquadratic field through them, as CalculiX has it. */
static void through_27(double *fit) {
  double at[3], place[3], d[IG_SOLID_NODES][3];
  for (int q = 0; q < 27; q++) {
    solid_slopes_f64(IG_SOLID_HEX20, NULL, q, at, d);
    for (int a = 0; a < 20; a++) {
      node_place(IG_SOLID_HEX20, a, place);
      fit[a * 27 + q] = through_three(at[0], place[0]) * through_three(at[1], place[1]) *
                        through_three(at[2], place[2]);
    }
  }
}

/* Least squares: coefficients are A^-1 N^T values with A = N^T N over the points. */
void ig_solid_continuation(ig_solid_kind kind, const ig_solid_rule *rule, double *fit) {
  const ig_solid_info *info = &table[kind].info;
  const int points = rule ? rule->points : info->points;
  double A[64] = {0}, N[IG_SOLID_POINTS][8], d[IG_SOLID_NODES][3], at[3];
  int count = 0;
  if (kind >= IG_SOLID_VOLUMES) { /* bars: one mean */
    for (int i = 0; i < info->nodes * points; i++)
      fit[i] = 1. / points;
    return;
  }
  if (kind == IG_SOLID_HEX20 && !rule) {
    through_27(fit);
    return;
  }
  for (int q = 0; q < points; q++) {
    solid_slopes_f64(kind, rule, q, at, d);
    count = fit_basis(kind, at, N[q]);
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j++)
        A[8 * i + j] += N[q][i] * N[q][j];
  }
  solid_factor_f64(count, 8, A);
  for (int q = 0; q < points; q++) {
    double x[8] = {0};
    memcpy(x, N[q], (size_t)count * sizeof *x);
    solid_solve_f64(count, 8, A, x);
    for (int a = 0; a < info->nodes; a++) {
      double B[8], sum = 0;
      fit_place(kind, rule, a, at);
      fit_basis(kind, at, B);
      for (int i = 0; i < count; i++)
        sum += B[i] * x[i];
      fit[a * points + q] = sum;
    }
  }
}

void ig_solid_to_nodes(ig_solid_kind kind, int width, const double *at_points, double *at_nodes) {
  const ig_solid_info *info = &table[kind].info;
  double fit[IG_SOLID_NODES * IG_SOLID_POINTS];
  ig_solid_continuation(kind, NULL, fit);
  for (int i = 0; i < info->nodes * width; i++) {
    at_nodes[i] = 0;
    for (int q = 0; q < info->points; q++)
      at_nodes[i] += fit[i / width * info->points + q] * at_points[q * width + i % width];
  }
}

/* hex8 with incompatible modes: rows of corners, then of modes. */
enum { CORNERS = 8, MODES = 3, ROWS = CORNERS + MODES, SIZE = 3 * ROWS, N3 = 3 * CORNERS, OWN = 9 };

/* The modes that displacements of the nodes bring with them in statics, about no displacement.
   False: the kind has no modes.
   Static condensation: alpha = -K_aa^-1 K_au u. Columns of A are the amplitudes for unit
   displacements. Elastic tangent at no strain, because masses and geometric stiffness are those
   of small motions about a state. */
static bool modes_find(ig_solid_kind kind, const ig_solid_law *law, const double *X,
                       double A[OWN][N3]) {
  const ig_solid_info *info = &table[kind].info;
  if (!info->modes)
    return false;
  ig_solid_law elastic = *law;
  elastic.law = IG_LAW_ELASTIC;
  elastic.large = false;
  elastic.heat = NULL;
  const solid_law_f64 l = law_of(&elastic);
  double u[SIZE] = {0}, past[OWN] = {0}, now[OWN], f[SIZE], K[SIZE * SIZE];
  if (solid_integrate_f64(&l, kind, CORNERS, MODES, info->points, 0, 0, X, u, NULL, past, now, f,
                          K))
    return false;
  double *aa = K + N3 * SIZE + N3;
  if (!solid_factor_f64(OWN, SIZE, aa))
    return false;
  for (int c = 0; c < N3; c++) {
    double x[OWN];
    for (int i = 0; i < OWN; i++)
      x[i] = -K[(N3 + i) * SIZE + c];
    solid_solve_f64(OWN, SIZE, aa, x);
    for (int i = 0; i < OWN; i++)
      A[i][c] = x[i];
  }
  return true;
}

/* A matrix of rows, the same in all directions, as one of the displacements of the nodes.
   M = (1, A^T) own (1, A)^T: `own` is ROWS x ROWS for one direction. */
static void modes_reduce(const double own[ROWS][ROWS], const double A[OWN][N3], double *M) {
  for (int r = 0; r < N3; r++)
    for (int c = 0; c < N3; c++) {
      double sum = r % 3 == c % 3 ? own[r / 3][c / 3] : 0;
      for (int i = 0; i < OWN; i++) {
        const int a = CORNERS + i / 3, d = i % 3;
        sum +=
            (r % 3 == d ? own[r / 3][a] * A[i][c] : 0) + (c % 3 == d ? own[a][c / 3] * A[i][r] : 0);
        for (int j = d; j < OWN; j += 3)
          sum += A[i][r] * own[a][CORNERS + j / 3] * A[j][c];
      }
      M[r * N3 + c] = sum;
    }
}

void ig_solid_geometric(ig_solid_kind kind, const ig_solid_law *law, const double *X,
                        const double *stress, double *K) {
  const ig_solid_info *info = &table[kind].info;
  const ig_solid_rule *rule = law->rule;
  const int rows = info->nodes + info->modes, n = 3 * info->nodes;
  double own[IG_SOLID_ROWS][IG_SOLID_ROWS] = {{0}}, A[OWN][N3];
  for (int q = 0; q < (rule ? rule->points : info->points); q++, stress += 6) {
    double at[3], G[IG_SOLID_ROWS][3];
    const double w = solid_gradients_f64(kind, rule, info->nodes, info->modes, q, X, at, G);
    for (int a = 0; a < rows; a++) {
      double t[3]; /* stress grad N_a */
      for (int i = 0; i < 3; i++)
        t[i] = w * (stress[i] * G[a][i] + stress[3 + i] * G[a][(i + 1) % 3] +
                    stress[3 + (i + 2) % 3] * G[a][(i + 2) % 3]);
      for (int b = 0; b < rows; b++)
        own[a][b] += dot_f64(t, G[b]);
    }
  }
  if (modes_find(kind, law, X, A)) {
    double small[ROWS][ROWS];
    for (int a = 0; a < ROWS * ROWS; a++)
      small[a / ROWS][a % ROWS] = own[a / ROWS][a % ROWS];
    modes_reduce((const double(*)[ROWS])small, (const double(*)[N3])A, K);
    return;
  }
  memset(K, 0, (size_t)(n * n) * sizeof *K);
  for (int a = 0; a < n; a++)
    for (int b = a % 3; b < n; b += 3)
      K[a * n + b] = own[a / 3][b / 3];
}

/* --- loads and masses */

double ig_solid_weights(ig_solid_kind kind, const ig_solid_rule *rule, const double *X,
                        double *weight) {
  const int nodes = table[kind].info.nodes;
  double N[IG_SOLID_NODES], w, volume = 0;
  memset(weight, 0, (size_t)nodes * sizeof *weight);
  for (int q = 0; (w = solid_whole_point_f64(kind, rule, X, q, N)) != 0; q++) {
    volume += w;
    for (int a = 0; a < nodes; a++)
      weight[a] += w * N[a];
  }
  return volume;
}

void ig_solid_mass(ig_solid_kind kind, const ig_solid_rule *rule, const double *X, double *M) {
  const int nodes = table[kind].info.nodes;
  double N[IG_SOLID_NODES], w;
  memset(M, 0, (size_t)(nodes * nodes) * sizeof *M);
  for (int q = 0; (w = solid_whole_point_f64(kind, rule, X, q, N)) != 0; q++)
    for (int a = 0; a < nodes; a++)
      for (int b = 0; b < nodes; b++)
        M[a * nodes + b] += w * N[a] * N[b];
}

bool ig_solid_mass_of_modes(ig_solid_kind kind, const ig_solid_law *law, const double *X,
                            double *M) {
  double own[ROWS][ROWS] = {{0}}, A[OWN][N3], N[IG_SOLID_NODES], w;
  if (!modes_find(kind, law, X, A))
    return false;
  for (int q = 0; (w = solid_whole_point_f64(kind, NULL, X, q, N)) != 0; q++) {
    double at[3], value[ROWS];
    brick3_f64(q, at);
    for (int a = 0; a < ROWS; a++)
      value[a] = a < CORNERS ? N[a] : 1 - at[a - CORNERS] * at[a - CORNERS];
    for (int a = 0; a < ROWS; a++)
      for (int b = 0; b < ROWS; b++)
        own[a][b] += w * value[a] * value[b];
  }
  modes_reduce((const double(*)[ROWS])own, (const double(*)[N3])A, M);
  return true;
}

void ig_solid_lumped(ig_solid_kind kind, const double *X, double *m) {
  const int nodes = table[kind].info.nodes;
  double N[IG_SOLID_NODES], w, volume = 0, sum = 0;
  memset(m, 0, (size_t)nodes * sizeof *m);
  for (int q = 0; (w = solid_whole_point_f64(kind, NULL, X, q, N)) != 0; q++) {
    volume += w;
    for (int a = 0; a < nodes; a++) {
      m[a] += w * N[a] * N[a];
      sum += w * N[a] * N[a];
    }
  }
  for (int a = 0; a < nodes; a++)
    m[a] *= volume / sum;
}

void ig_solid_centrifugal(ig_solid_kind kind, const ig_solid_rule *rule, const double *X,
                          const double *x, double density, double rate, const double point[3],
                          const double axis[3], double *f, double *K) {
  const int nodes = table[kind].info.nodes, size = 3 * nodes;
  double N[IG_SOLID_NODES], w;
  for (int q = 0; (w = solid_whole_point_f64(kind, rule, X, q, N)) != 0; q++) {
    double r[3] = {-point[0], -point[1], -point[2]};
    for (int a = 0; a < nodes; a++)
      for (int i = 0; i < 3; i++)
        r[i] += N[a] * x[3 * a + i];
    const double along = dot_f64(r, axis), k = density * rate * rate * w;
    for (int a = 0; a < nodes; a++)
      for (int i = 0; i < 3; i++) {
        f[3 * a + i] += k * N[a] * (r[i] - along * axis[i]);
        for (int b = 0; K && b < nodes; b++)
          for (int j = 0; j < 3; j++)
            K[(3 * a + i) * size + 3 * b + j] += k * N[a] * N[b] * ((i == j) - axis[i] * axis[j]);
      }
  }
}

/* Gradient and value of a field of the nodes at a point; returns the point's volume. */
static double field_at(ig_solid_kind kind, int q, const double *X, const double *T,
                       double G[IG_SOLID_ROWS][3], double *N, double gradient[3], double *value) {
  const int nodes = table[kind].info.nodes;
  double at[3];
  const double w = solid_gradients_f64(kind, NULL, nodes, 0, q, X, at, G);
  solid_values_f64(kind, at, N);
  gradient[0] = gradient[1] = gradient[2] = *value = 0;
  for (int a = 0; a < nodes; a++) {
    *value += N[a] * T[a];
    for (int i = 0; i < 3; i++)
      gradient[i] += G[a][i] * T[a];
  }
  return w;
}

/* Central difference; tables are piecewise linear, so that it is exact away from their kinks. */
static double gradient_of(const ig_table *t, double x) {
  const double h = 1e-6 * (1 + fabs(x));
  return t->count < 2 ? 0 : (ig_table_at(t, x + h) - ig_table_at(t, x - h)) / (2 * h);
}

void ig_solid_conduct(ig_solid_kind kind, const ig_solid_thermal *m, const double *X,
                      const double *T, const double *before, double rate, double *f, double *K) {
  const int nodes = table[kind].info.nodes;
  double G[IG_SOLID_ROWS][3], N[IG_SOLID_NODES], g[3], hot, w;
  memset(f, 0, (size_t)nodes * sizeof *f);
  if (K)
    memset(K, 0, (size_t)(nodes * nodes) * sizeof *K);
  for (int q = 0; q < table[kind].info.points + solid_hidden_f64(kind); q++) {
    w = field_at(kind, q, X, T, G, N, g, &hot);
    const double k = ig_table_at(m->conductivity, hot), dk = gradient_of(m->conductivity, hot);
    for (int a = 0; a < nodes; a++) {
      const double along = w * dot_f64(G[a], g);
      f[a] += k * along;
      for (int b = 0; K && b < nodes; b++)
        K[a * nodes + b] += w * k * dot_f64(G[a], G[b]) + dk * along * N[b];
    }
  }
  /* storage: by a rule that is exact for products of shape functions; in hex20 with 2 x 2 x 2
     points by these, as CalculiX has it */
  for (int q = 0; rate > 0; q++) {
    const bool own = kind == IG_SOLID_HEX20_REDUCED;
    if (own && q == 8)
      break;
    w = own ? field_at(kind, q, X, T, G, N, g, &hot) : solid_whole_point_f64(kind, NULL, X, q, N);
    if (w == 0)
      break;
    double was = 0;
    hot = 0;
    for (int a = 0; a < nodes; a++) {
      hot += N[a] * T[a];
      was += N[a] * before[a];
    }
    const double density = ig_table_at(m->density, hot), c = ig_table_at(m->specific_heat, hot);
    const double change =
        density * gradient_of(m->specific_heat, hot) + gradient_of(m->density, hot) * c;
    for (int a = 0; a < nodes; a++) {
      f[a] += w * rate * density * c * N[a] * (hot - was);
      for (int b = 0; K && b < nodes; b++)
        K[a * nodes + b] += w * rate * N[a] * N[b] * (density * c + change * (hot - was));
    }
  }
}

void ig_solid_flux(ig_solid_kind kind, const ig_solid_thermal *m, const double *X, const double *T,
                   double *flux) {
  double G[IG_SOLID_ROWS][3], N[IG_SOLID_NODES], g[3], hot;
  for (int q = 0; q < table[kind].info.points; q++) {
    field_at(kind, q, X, T, G, N, g, &hot);
    const double k = ig_table_at(m->conductivity, hot);
    for (int i = 0; i < 3; i++)
      flux[3 * q + i] = -k * g[i];
  }
}

void ig_solid_pressure(int nodes, const double *x, double pressure, double *f, double *K,
                       bool symmetric) {
  enum { MOST = 24 };
  double own[MOST * MOST] = {0};
  const int size = 3 * nodes;
  solid_pressure_f64(nodes, x, pressure, f, K ? own : NULL);
  for (int i = 0; K && i < size; i++)
    for (int j = 0; j < size; j++)
      K[i * size + j] +=
          symmetric ? 0.5 * (own[i * size + j] + own[j * size + i]) : own[i * size + j];
}

double ig_solid_face_weights(int nodes, const double *x, double *weight) {
  double N[8], d[8][2], w, area = 0;
  memset(weight, 0, (size_t)nodes * sizeof *weight);
  for (int q = 0; (w = solid_face_point_f64(nodes, q, N, d)) > 0; q++) {
    double r[3] = {0}, s[3] = {0}, n[3];
    for (int a = 0; a < nodes; a++)
      for (int i = 0; i < 3; i++) {
        r[i] += d[a][0] * x[3 * a + i];
        s[i] += d[a][1] * x[3 * a + i];
      }
    cross_f64(r, s, n);
    const double da = w * norm_f64(n);
    area += da;
    for (int a = 0; a < nodes; a++)
      weight[a] += da * N[a];
  }
  return area;
}
