/* Verification of single elements: tangents, and how fast Newton's method converges with them. */
#include "verify/structure/verify.h"
#include "kern/fault.h"
#include "solid/solid.h"
#include "structure/structure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 3 * IG_SOLID_NODES, STATES = 4096 };

/* Pseudo-random numbers from -1 to 1, the same in every run. */
static double noise(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)*seed / 2147483648.0 - 1;
}

/* Corners of the unit shapes, and mid-sides between these corners. */
static void element_place(ig_solid_kind kind, uint32_t *seed, double *X) {
  static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
                      wedge[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
                      tet[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const int cube_side[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                       {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
                   wedge_side[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                       {5, 3}, {0, 3}, {1, 4}, {2, 5}},
                   tet_side[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  const int nodes = ig_solid_info_get(kind)->nodes;
  const bool is_cube = nodes == 8 || nodes == 20, is_wedge = nodes == 6 || nodes == 15;
  const int corners = is_cube ? 8 : is_wedge ? 6 : 4;
  const double(*of)[3] = is_cube ? cube : is_wedge ? wedge : tet;
  const int(*side)[2] = is_cube ? cube_side : is_wedge ? wedge_side : tet_side;
  for (int a = 0; a < corners; a++)
    for (int d = 0; d < 3; d++)
      X[3 * a + d] = of[a][d] + 0.1 * noise(seed);
  for (int a = corners; a < nodes; a++)
    for (int d = 0; d < 3; d++)
      X[3 * a + d] = (X[3 * side[a - corners][0] + d] + X[3 * side[a - corners][1] + d]) / 2;
}

typedef enum { ELASTIC, PLASTIC, CREEP, CREEP_PLASTIC, WAYS } way;
static const char *const way_name[WAYS] = {"elastic", "plastic", "creep", "creep and plastic"};

/* Creep is that of strain hardening; elements differ in nothing that matters to it, one has it. */
static int ways_of(int kind) {
  return kind == IG_SOLID_HEX20_REDUCED ? WAYS : CREEP;
}

static ig_status law_of(ig_ctx *cx, way w, ig_solid_law *law) {
  static const ig_material_case m = {
      .name = "m",
      .mechanical.creep = {
          .factor = 0.001, .power = 3, .time_power = -0.3, .hardening = IG_CREEP_STRAIN}};
  static const ig_structure_case c = {.absolute_zero = 0};
  *law = ig_solid_isotropic(200, 0.3, 0);
  law->large = true;
  if (w == PLASTIC || w == CREEP_PLASTIC) {
    law->law = IG_LAW_J2;
    law->yield = 1;
    law->hardening = 10;
  }
  if (w < CREEP)
    return IG_OK;
  ig_structure s = {.cx = cx, .c = &c};
  IG_TRY(ig_structure_creep_law(&s, &m, law));
  law->own.step = law->own.time = 1;
  return IG_OK;
}

/* Largest difference of the tangent from central differences, over its largest number. */
static ig_status tangent_error(ig_ctx *cx, ig_solid_kind kind, way w, double *worst) {
  static double past[STATES], now[STATES]; /* read and written by one thread */
  ig_solid_law law;
  IG_TRY(law_of(cx, w, &law));
  const int n = 3 * ig_solid_info_get(kind)->nodes;
  double X[MOST], u[MOST], f[2][MOST], most = 0;
  static double K[MOST * MOST];
  uint32_t seed = 7;
  element_place(kind, &seed, X);
  memset(past, 0, sizeof past);
  for (int i = 0; i < n; i++)
    u[i] = 0.02 * noise(&seed);
  int fault = ig_solid_evaluate(kind, &law, X, u, NULL, past, now, f[0], K);
  *worst = 0;
  for (int i = 0; i < n * n; i++)
    most = fmax(most, fabs(K[i]));
  for (int c = 0; c < n && fault == IG_FAULT_NONE; c++) {
    const double h = 1e-6, keep = u[c];
    for (int s = 0; s < 2 && fault == IG_FAULT_NONE; s++) {
      u[c] = keep + (s ? h : -h);
      fault = ig_solid_evaluate(kind, &law, X, u, NULL, past, now, f[s], NULL);
    }
    u[c] = keep;
    for (int r = 0; r < n; r++)
      *worst = fmax(*worst, fabs((f[1][r] - f[0][r]) / (2 * h) - K[r * n + c]) / most);
  }
  return fault == IG_FAULT_NONE ? IG_OK : IG_FAIL(cx, IG_NUMERIC, "an element has no forces");
}

ig_status ig_structure_verify_tangents(ig_ctx *cx, const ig_verify_sink *sink) {
  for (int k = 0; k < IG_SOLID_VOLUMES; k++)
    for (int w = 0; w < ways_of(k); w++) {
      char name[96];
      double worst;
      IG_TRY(tangent_error(cx, (ig_solid_kind)k, (way)w, &worst));
      snprintf(name, sizeof name, "%s, %s, large: error of the tangent",
               ig_solid_info_get((ig_solid_kind)k)->name, way_name[w]);
      ig_structure_verify_row(sink, name, "differences of forces", 0, worst, 1e-6);
    }
  return IG_OK;
}

/* Solves A x = b by elimination with the largest pivot of the column; b becomes x. */
static void solve(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      p = fabs(A[i * n + k]) > fabs(A[p * n + k]) ? i : p;
    for (int j = 0; j < n && p != k; j++) {
      const double t = A[k * n + j];
      A[k * n + j] = A[p * n + j], A[p * n + j] = t;
    }
    const double t = b[k];
    b[k] = b[p], b[p] = t;
    for (int i = k + 1; i < n; i++) {
      const double l = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++)
        A[i * n + j] -= l * A[k * n + j];
      b[i] -= l * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++)
      b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
}

/* One element, pulled: nodes below z = 0.3 are fixed, the others loaded. Exponents q with
   r_(k+1) ~ r_k^q over the last three residuals that are above rounding. A penalty keeps hourglass
   modes of a single element with reduced integration in place; it is linear. */
static ig_status order_of(ig_ctx *cx, ig_solid_kind kind, way w, double *order) {
  static double past[STATES], now[STATES], K[MOST * MOST], A[MOST * MOST];
  ig_solid_law law;
  IG_TRY(law_of(cx, w, &law));
  const int nodes = ig_solid_info_get(kind)->nodes, n = 3 * nodes;
  double X[MOST], u[MOST] = {0}, f[MOST], load[MOST], d[MOST], r[16] = {0};
  int free[MOST], count = 0, passes = 0;
  uint32_t seed = 3;
  element_place(kind, &seed, X);
  memset(past, 0, sizeof past);
  for (int a = 0; a < nodes; a++)
    for (int c = 0; c < 3; c++) {
      load[3 * a + c] = X[3 * a + 2] > 0.3 ? (c == 2 ? 1.2 : 0.3) / nodes : 0;
      if (X[3 * a + 2] > 0.3)
        free[count++] = 3 * a + c;
    }
  for (passes = 0; passes < 16; passes++) {
    if (ig_solid_evaluate(kind, &law, X, u, NULL, past, now, f, K) != IG_FAULT_NONE)
      return IG_FAIL(cx, IG_NUMERIC, "an element has no forces");
    for (int i = 0; i < count; i++) {
      d[i] = load[free[i]] - f[free[i]] - 2 * u[free[i]];
      r[passes] = fmax(r[passes], fabs(d[i]));
      for (int j = 0; j < count; j++)
        A[i * count + j] = K[free[i] * n + free[j]] + (i == j ? 2 : 0);
    }
    if (r[passes] < 1e-13)
      break;
    solve(count, A, d);
    for (int i = 0; i < count; i++)
      u[free[i]] += d[i];
  }
  *order = 0;
  for (int k = 2; k <= passes && k < 16; k++)
    if (r[k] > 1e-12 && r[k] < 1e-2 * r[0])
      *order = log(r[k] / r[k - 1]) / log(r[k - 1] / r[k - 2]);
  return IG_OK;
}

ig_status ig_structure_verify_newton(ig_ctx *cx, const ig_verify_sink *sink) {
  for (int k = 0; k < IG_SOLID_VOLUMES; k++)
    for (int w = 0; w < ways_of(k); w++) {
      char name[96];
      double order;
      IG_TRY(order_of(cx, (ig_solid_kind)k, (way)w, &order));
      snprintf(name, sizeof name, "%s, %s, large: order of the residuals",
               ig_solid_info_get((ig_solid_kind)k)->name, way_name[w]);
      ig_structure_verify_row(sink, name, "Newton's method", 2, fmin(order, 2), 0.2);
    }
  return IG_OK;
}
