/* Verification: elements that bend. Walls of one element thickness, single elements, nearly
   incompressible and plastic bodies. */
#include "verify/stress/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- walls --- */

/* Where a beam of length L along x, thickness h along z, is supported so that beam theory is exact:
   plane sections at x = 0, free to contract. */
static bool foot(void *user, const double x[3]) {
  return fabs(x[0]) < 1e-9 && fabs(x[2]) < 1e-9 && (user || fabs(x[1]) < 1e-9);
}

typedef struct {
  double length, width, height; /* m */
  int cells[3];
  double poisson, yield; /* yield NaN: elastic */
  double lean;           /* x += lean z: parallelograms */
} beam;

static const double YOUNG = 200e9;

static ig_status beam_new(ig_ctx *cx, ig_stress_problem *q, const beam *b) {
  const double size[3] = {b->length, b->width, b->height};
  ig_stress_problem_new(cx, q);
  IG_TRY(ig_stress_problem_box(q, size, b->cells));
  IG_TRY(ig_stress_problem_set(q, "foot", foot, q));
  for (ig_lid i = 0; i < q->mesh->nodes; i++)
    q->mesh->x[3 * (int64_t)i] += b->lean * q->mesh->x[3 * (int64_t)i + 2];
  ig_stress_problem_hold(q, "x0", "x");
  ig_stress_problem_hold(q, "foot", "z");
  ig_stress_problem_hold(q, "corner", "y");
  ig_stress_problem_material(q, 0, YOUNG, b->poisson, 1.2e-5, b->yield,
                             isnan(b->yield) ? NAN : 1e-4 * YOUNG, 0);
  return IG_OK;
}

/* Mean displacement along z of the free end. */
static ig_status end_rise(ig_stress_problem *q, const beam *b, double *rise) {
  double sum = 0, n = 0;
  IG_TRY(ig_array_pull(q->cx, &q->m->u));
  for (ig_lid i = 0; i < q->mesh->nodes; i++) {
    const double *x = q->mesh->x + 3 * (int64_t)i;
    if (x[0] - b->lean * x[2] > (1 - 1e-9) * b->length) {
      sum += ((double *)q->m->u.host)[3 * (int64_t)i + 2];
      n++;
    }
  }
  *rise = sum / n;
  return IG_OK;
}

/* Deflection of a cantilever under a force at its end, over that of Timoshenko's theory. */
static ig_status cantilever(ig_ctx *cx, const beam *b, double *ratio) {
  const double force = 1, I = b->width * pow(b->height, 3) / 12, A = b->width * b->height;
  const double G = YOUNG / (2 + 2 * b->poisson);
  ig_stress_problem q;
  ig_status status;
  TRY(beam_new(cx, &q, b));
  q.load[0] = (ig_stress_load){.set = "x1", .pressure = NAN, .total = {0, 0, force}};
  q.c.loads = (ig_list){1, q.load};
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(end_rise(&q, b, ratio));
  *ratio /= force * pow(b->length, 3) / (3 * YOUNG * I) + force * b->length / (5.0 / 6 * G * A);
done:
  ig_stress_problem_free(&q);
  return status;
}

/* Of a beam under a moment at its end, or with a temperature that rises by 100 K over its height,
   over that of beam theory. The end is loaded on its upper and lower edge. */
static double linear_heat(void *user, const double x[3]) {
  return T_START + 100 * (x[2] / *(double *)user - 0.5);
}
static bool edge(void *user, const double x[3]) {
  const double *at = user;
  return fabs(x[0] - at[0]) < 1e-9 && fabs(x[2] - at[1]) < 1e-9;
}
static ig_status moment(ig_ctx *cx, const beam *b, bool heat, double *ratio) {
  const double force = 1, I = b->width * pow(b->height, 3) / 12;
  double height = b->height;
  ig_stress_problem q;
  ig_status status;
  TRY(beam_new(cx, &q, b));
  for (int up = 0; up < 2; up++) {
    double at[2] = {b->length + up * b->lean * b->height, up * b->height};
    TRY(ig_stress_problem_set(&q, up ? "upper" : "lower", edge, at));
    q.load[up] = (ig_stress_load){
        .set = up ? "upper" : "lower", .pressure = NAN, .total = {up ? -force : force, 0, 0}};
  }
  if (!heat)
    q.c.loads = (ig_list){2, q.load};
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, T_START, heat ? linear_heat : NULL, &height));
  TRY(end_rise(&q, b, ratio));
  /* hot above: it bends down */
  const double curvature = heat ? -1.2e-5 * 100 / b->height : force * b->height / (YOUNG * I);
  *ratio /= 0.5 * curvature * b->length * b->length;
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_bend(ig_ctx *cx, const ig_verify_sink *sink) {
  static const int aspect[] = {1, 2, 5, 10};
  double ratio;
  for (int i = 0; i < 4; i++) {
    const beam b = {10e-3 * aspect[i], 1e-3, 1e-3, {10, 1, 1}, 0.3, NAN, 0};
    char what[80];
    snprintf(what, sizeof what, "wall of one element, l/h = %d: end force, deflection", aspect[i]);
    IG_TRY(cantilever(cx, &b, &ratio));
    ig_stress_row(sink, what, "Timoshenko", 1, ratio, 0.03, true);
    IG_TRY(moment(cx, &b, false, &ratio));
    ig_stress_row(sink, "the same: end moment, deflection", "M L^2 / 2 E I", 1, ratio, 1e-6, true);
    IG_TRY(moment(cx, &b, true, &ratio));
    ig_stress_row(sink, "the same: 100 K across, deflection", "alpha dT L^2 / 2 h", 1, ratio, 1e-6,
                  true);
  }
  const beam b = {100e-3, 1e-3, 1e-3, {10, 1, 1}, 0.3, NAN, 0.5};
  IG_TRY(moment(cx, &b, false, &ratio));
  ig_stress_row(sink, "parallelograms, leaning 0.5, l/h = 10: end moment", "M L^2 / 2 E I", 1,
                ratio, 0.01, true);
  return IG_OK;
}

/* --- one element --- */

/* Eigenvalues of a symmetric matrix of 24 rows by Jacobi's method, in place on the diagonal. */
static void jacobi(double a[24][24]) {
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0, all = 0;
    for (int i = 0; i < 24; i++)
      for (int k = 0; k < 24; k++) {
        all += a[i][k] * a[i][k];
        off += i == k ? 0 : a[i][k] * a[i][k];
      }
    if (off <= 1e-30 * all)
      return;
    for (int i = 0; i < 24; i++)
      for (int k = i + 1; k < 24; k++) {
        if (a[i][k] == 0)
          continue;
        const double half = 0.5 * (a[k][k] - a[i][i]) / a[i][k];
        const double t = copysign(1 / (fabs(half) + sqrt(half * half + 1)), half);
        const double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int l = 0; l < 24; l++) {
          const double x = a[l][i], y = a[l][k];
          a[l][i] = c * x - s * y;
          a[l][k] = s * x + c * y;
        }
        for (int l = 0; l < 24; l++) {
          const double x = a[i][l], y = a[k][l];
          a[i][l] = c * x - s * y;
          a[k][l] = s * x + c * y;
        }
      }
  }
}

/* Of the tangent of one element: eigenvalues below 1e-9 of the mean one, the least of the others
   over it, and the asymmetry. */
static ig_status spectrum(ig_ctx *cx, const double size[3], double bend, double poisson, int *zero,
                          double *least, double *skew) {
  ig_stress_problem q;
  double K[24][24], sum = 0;
  ig_status status;
  ig_stress_problem_new(cx, &q);
  TRY(ig_stress_problem_box(&q, size, (int[]){1, 1, 1}));
  for (int i = 0; i < 24; i++)
    q.mesh->x[i] += bend * size[i % 3] * sin(3.0 * i + 1);
  ig_stress_problem_hold(&q, "all", "all");
  ig_stress_problem_material(&q, 0, YOUNG, poisson, 0, NAN, NAN, 0);
  TRY(ig_stress_problem_open(&q));
  ig_stress *m = q.m;
  TRY(m->ops->force(cx, &m->args, &m->plan, false, m->u.dev, m->force.dev));
  for (int i = 0; i < 24; i++) {
    double *u = m->u.host;
    memset(u, 0, 24 * sizeof *u);
    u[i] = 1;
    TRY(ig_array_push(cx, &m->u));
    TRY(m->ops->product(cx, &m->args, &m->plan, m->u.dev, m->force.dev));
    TRY(ig_array_pull(cx, &m->force));
    memcpy(K[i], m->force.host, sizeof K[i]);
    sum += K[i][i] / 24;
  }
  *skew = 0;
  for (int i = 0; i < 24 * 24; i++)
    *skew = fmax(*skew, fabs(K[i / 24][i % 24] - K[i % 24][i / 24]) / sum);
  jacobi(K);
  *zero = 0;
  *least = INFINITY;
  for (int i = 0; i < 24; i++) {
    const double value = K[i][i] / sum;
    if (fabs(value) < 1e-9)
      ++*zero;
    else
      *least = fmin(*least, value);
  }
done:
  ig_stress_problem_free(&q);
  return status;
}

/* --- bodies that keep their volume --- */

/* A hollow sphere of Poisson's ratio 0.4999 under pressure: displacement of its outside. */
static ig_status sphere_nu(ig_ctx *cx, double *ratio) {
  const double a = 0.1, b = 0.2, p = 1e6, nu = 0.4999, a3 = a * a * a, b3 = b * b * b;
  ig_stress_problem q;
  ig_status status;
  TRY(ig_stress_sphere_new(cx, &q, a, b, 4, 12));
  ig_stress_problem_material(&q, 0, YOUNG, nu, 0, NAN, NAN, 0);
  q.c.solver.tolerance = 1e-8;
  q.load[0] = (ig_stress_load){.set = "inside", .pressure = p, .total = {NAN, NAN, NAN}};
  q.c.loads = (ig_list){1, q.load};
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(ig_array_pull(cx, &q.m->u));
  double sum = 0, n = 0;
  for (ig_lid i = 0; i < q.mesh->nodes; i++) {
    const double *x = q.mesh->x + 3 * (int64_t)i, *u = (double *)q.m->u.host + 3 * (int64_t)i;
    const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    if (r > (1 - 1e-9) * b) {
      sum += (x[0] * u[0] + x[1] * u[1] + x[2] * u[2]) / r;
      n++;
    }
  }
  *ratio = sum / n / (1.5 * (1 - nu) * p * a3 * b / (YOUNG * (b3 - a3)));
done:
  ig_stress_problem_free(&q);
  return status;
}

/* The moment that a beam of n elements over its height carries when its end is turned far beyond
   the yield of all points, over sigma_y b h^2 / 4. */
static ig_status hinge(ig_ctx *cx, int n, double *ratio) {
  const double h = 1e-3, L = 10e-3, yield = 200e6, far = 20 * yield / YOUNG * L / h;
  const beam b = {L, h, h, {10, 1, n}, 0.3, yield, 0};
  ig_stress_problem q;
  ig_status status;
  TRY(beam_new(cx, &q, &b));
  q.c.solver.tolerance = 1e-7;
  const ig_table history = ig_stress_problem_table(&q, 2, (double[][2]){{0, 0}, {10, 1}});
  /* the free end stays plane and turns: x of its nodes is prescribed by height */
  static const char *const name[] = {"r0", "r1", "r2", "r3", "r4", "r5"};
  for (int k = 0; k <= n; k++) {
    double at[2] = {L, h * k / n};
    TRY(ig_stress_problem_set(&q, name[k], edge, at));
    ig_stress_problem_hold(&q, name[k], NULL);
    ig_stress_support *s = q.support + q.c.supports.count - 1;
    s->components = "x";
    s->displacement[0] = -far * (at[1] - 0.5 * h);
    s->displacement[1] = s->displacement[2] = 0;
    s->history = history;
  }
  TRY(ig_stress_problem_open(&q));
  for (int k = 0; k < 10; k++)
    TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(ig_array_pull(cx, &q.m->force));
  double sum = 0;
  for (ig_lid i = 0; i < q.mesh->nodes; i++) {
    const double *x = q.mesh->x + 3 * (int64_t)i;
    if (x[0] > (1 - 1e-9) * L)
      sum -= ((double *)q.m->force.host)[3 * (int64_t)i] * (x[2] - 0.5 * h);
  }
  *ratio = sum / (yield * h * h * h / 4);
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_element(ig_ctx *cx, const ig_verify_sink *sink) {
  static const double size[3][3] = {{1, 1, 1}, {10, 1, 3}, {1, 1, 1}};
  double least, skew, ratio;
  int zero;
  for (int i = 0; i < 3; i++)
    for (int nu = 0; nu < 2; nu++) {
      IG_TRY(spectrum(cx, size[i], i < 2 ? 0 : 0.15, nu ? 0.4999 : 0.3, &zero, &least, &skew));
      ig_stress_row(sink,
                    i == 0   ? "cube: eigenvalues that are 0"
                    : i == 1 ? "brick 10 x 1 x 3: eigenvalues that are 0"
                             : "distorted hexahedron: eigenvalues that are 0",
                    nu ? "rigid motions, nu = 0.4999" : "rigid motions, nu = 0.3", 6, zero, 1e-12,
                    false);
      ig_stress_row(sink, "and negative ones", "none", 0, least < 0 ? least : 0, 1e-12, false);
      ig_stress_row(sink, "asymmetry of its tangent", "none", 0, skew, 1e-12, false);
    }
  IG_TRY(sphere_nu(cx, &ratio));
  ig_stress_row(sink, "hollow sphere under pressure, nu = 0.4999: displacement outside", "exact", 1,
                ratio, 0.01, true);
  static const int across[3] = {1, 2, 4};
  for (int i = 0; i < 3; i++) {
    /* two points per element across: layers of half an element, at distances of 1 / sqrt(3) */
    const int n = across[i];
    double two = 0;
    for (int k = 0; k < 2 * n; k++)
      two += fabs((k / 2 + 0.5 * (1 + (k % 2 ? 1 : -1) / sqrt(3.0))) / n - 0.5) / (2 * n) * 4;
    IG_TRY(hinge(cx, n, &ratio));
    ig_stress_row(sink, "plastic moment of a beam 1, 2, 4 elements high over s_y b h^2 / 4",
                  "that of its points", two, ratio, 0.01, true);
  }
  return IG_OK;
}
