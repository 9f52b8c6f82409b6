/* Verification: hollow spheres and cylinders, an eighth or a quarter of them. */
#include "verify/stress/verify.h"
#include "geometry/mesh_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double radius(const double *x, int axes) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + (axes == 3 ? x[2] * x[2] : 0));
}

typedef struct {
  int axis;
  double at;
  int axes; /* > 0: a radius over so many axes */
} where;
static bool is_at(void *user, const double x[3]) {
  const where *w = user;
  const double v = w->axes ? radius(x, w->axes) : x[w->axis];
  return fabs(v - w->at) < 1e-6 * (1 + fabs(w->at));
}

/* An eighth of a hollow sphere: three patches, on which one direction is the largest. */
static ig_status sphere_mesh(ig_stress_problem *q, double a, double b, int n, int layers) {
  ig_ctx *cx = q->cx;
  const int side = n + 1, total = 3 * side * side * (layers + 1);
  double *x = NULL;
  ig_lid *same = NULL, nodes = 0;
  ig_block *block;
  ig_status status;
  TRY(IG_NEW(cx, &x, 3 * total, "sphere"));
  TRY(IG_NEW(cx, &same, total, "sphere"));
  for (int i = 0; i < total; i++) {
    const int k = i / (3 * side * side), p = i / (side * side) % 3, j = i / side % side,
              l = i % side;
    const double s = tan(0.25 * 3.14159265358979323846 * l / n),
                 t = tan(0.25 * 3.14159265358979323846 * j / n);
    const double r = a + (b - a) * k / layers, scale = r / sqrt(1 + s * s + t * t);
    double y[3];
    y[p] = scale;
    y[(p + 1) % 3] = scale * s;
    y[(p + 2) % 3] = scale * t;
    same[i] = -1;
    for (ig_lid o = nodes - 1; o >= 0 && o >= nodes - 3 * side * side && same[i] < 0; o--)
      if (fabs(x[3 * o] - y[0]) + fabs(x[3 * o + 1] - y[1]) + fabs(x[3 * o + 2] - y[2]) < 1e-9 * b)
        same[i] = o;
    if (same[i] < 0) {
      memcpy(x + 3 * nodes, y, sizeof y);
      same[i] = nodes++;
    }
  }
  TRY(ig_mesh_new(cx, 3, nodes, &q->mesh));
  memcpy(q->mesh->x, x, sizeof *x * 3 * (size_t)nodes);
  TRY(ig_mesh_add_block(cx, q->mesh, IG_HEX8, 3 * n * n * layers, &block));
  ig_lid *c = block->conn;
  for (int k = 0; k < layers; k++)
    for (int p = 0; p < 3; p++)
      for (int j = 0; j < n; j++)
        for (int l = 0; l < n; l++, c += 8) {
          const int at = (k * 3 + p) * side * side + j * side + l, up = 3 * side * side;
          const int corner[8] = {at,      at + 1,      at + 1 + side,      at + side,
                                 at + up, at + 1 + up, at + 1 + side + up, at + side + up};
          for (int i = 0; i < 8; i++)
            c[i] = same[corner[i]];
        }
  static const char *const name[3] = {"x0", "y0", "z0"};
  for (int d = 0; d < 3; d++)
    TRY(ig_stress_problem_set(q, name[d], is_at, &(where){d, 0, 0}));
  ig_set *faces;
  TRY(ig_mesh_add_set(cx, q->mesh, "inside", IG_SET_FACES, 3 * n * n, &faces));
  for (ig_lid e = 0; e < 3 * n * n; e++) {
    faces->item[e] = e;
    for (int f = 0; f < 6; f++) {
      const int *corner = ig_elem_face(IG_HEX8, f);
      int inner = 0;
      for (int i = 0; i < 4; i++)
        inner += corner[i] < 4;
      if (inner == 4)
        faces->face[e] = (uint8_t)f;
    }
  }
done:
  free(x);
  free(same);
  return status;
}

ig_status ig_stress_sphere_new(ig_ctx *cx, ig_stress_problem *q, double a, double b, int n,
                               int layers) {
  static const char *const set[3] = {"x0", "y0", "z0"}, *const fix[3] = {"x", "y", "z"};
  ig_stress_problem_new(cx, q);
  IG_TRY(sphere_mesh(q, a, b, n, layers));
  for (int i = 0; i < 3; i++)
    ig_stress_problem_hold(q, set[i], fix[i]);
  return IG_OK;
}

/* Radial and hoop stress of an element, from its mean stress. */
static void radial(const double *o, const double *x, int axes, double *sr, double *st) {
  const double r = radius(x, axes), n[3] = {x[0] / r, x[1] / r, axes == 3 ? x[2] / r : 0};
  const double z = axes == 3 ? 0 : o[2];
  *sr = o[0] * n[0] * n[0] + o[1] * n[1] * n[1] + o[2] * n[2] * n[2] +
        2 * (o[3] * n[0] * n[1] + o[4] * n[1] * n[2] + o[5] * n[2] * n[0]);
  *st = (o[0] + o[1] + o[2] - *sr - z) / (axes - 1);
}

/* Stresses at a radius by the mean over the layer of elements whose mid radius is nearest below and
   above: linear between. */
typedef struct {
  int layers;
  double a, b;
  double sr[64], st[64], sz[64], r[64];
} profile;

static ig_status profile_read(ig_stress_problem *q, int axes, double a, double b, int layers,
                              profile *p) {
  double mean[IG_STRESS_REPORT];
  const ig_stress *m = q->m;
  int count[64] = {0};
  memset(p, 0, sizeof *p);
  p->layers = layers;
  p->a = a;
  p->b = b;
  IG_TRY(ig_stress_problem_mean(q, NULL, NULL, mean));
  for (ig_lid e = 0; e < m->elements; e++) {
    double x[3] = {0}, r = 0, sr, st;
    for (int i = 0; i < 8; i++) {
      const double *y = m->mesh->x + 3 * (int64_t)m->conn[8 * (int64_t)e + i];
      r += radius(y, axes) / 8;
      for (int d = 0; d < 3; d++)
        x[d] += y[d] / 8;
    }
    const int k = (int)((r - a) / (b - a) * layers);
    const double *o = m->report + IG_STRESS_REPORT * (int64_t)e;
    radial(o, x, axes, &sr, &st);
    p->sr[k] += sr;
    p->st[k] += st;
    p->sz[k] += o[2];
    p->r[k] += r;
    count[k]++;
  }
  for (int k = 0; k < layers; k++) {
    p->sr[k] /= count[k];
    p->st[k] /= count[k];
    p->sz[k] /= count[k];
    p->r[k] /= count[k];
  }
  return IG_OK;
}

/* Mean radial displacement at a radius. */
static double moved(const ig_stress_problem *q, int axes, double at) {
  double sum = 0;
  int n = 0;
  const double *u = q->m->u.host;
  for (ig_lid i = 0; i < q->mesh->nodes; i++) {
    const double *x = q->mesh->x + 3 * (int64_t)i, *v = u + 3 * (int64_t)i;
    const double r = radius(x, axes);
    if (fabs(r - at) > 1e-6 * at)
      continue;
    sum += (x[0] * v[0] + x[1] * v[1] + (axes == 3 ? x[2] * v[2] : 0)) / r;
    n++;
  }
  return sum / n;
}

typedef void exact_fn(double r, double *sr, double *st);
/* Worst difference over the layers, a share of `size`. */
static double worst(const profile *p, exact_fn *exact, double size) {
  double most = 0;
  for (int k = 0; k < p->layers; k++) {
    double sr, st;
    exact(p->r[k], &sr, &st);
    most = fmax(most, fmax(fabs(p->sr[k] - sr), fabs(p->st[k] - st)) / size);
  }
  return most;
}

/* --- steady heat --- */

static const double ONE = 1, TWO = 2; /* radii */

static double sphere_T(void *user, const double x[3]) {
  return T_START + *(double *)user * (2 / radius(x, 3) - 1);
}
static void sphere_exact(double r, double *sr, double *st) {
  const double M = 1.2e-5 * 200e9 * 100 / 0.7;
  *sr = M * 2 / 7 * (3 - 7 / r + 4 / (r * r * r));
  *st = M * 2 / 7 * (3 - 3.5 / r - 2 / (r * r * r));
}

ig_status ig_stress_verify_sphere_heat(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_stress_problem q;
  profile p;
  double heat = 100;
  ig_status status;
  const int layers = 20;
  TRY(ig_stress_sphere_new(cx, &q, ONE, TWO, 6, layers));
  ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, NAN, NAN, 0);
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, 0, sphere_T, &heat));
  TRY(profile_read(&q, 3, ONE, TWO, layers, &p));
  ig_stress_row(sink, "sphere: worst layer, over the largest stress", "exact", 0,
                worst(&p, sphere_exact, 244.898e6), 0.02, false);
  ig_stress_row(sink, "sphere: u(b), m", "exact", 6.85714e-4, moved(&q, 3, TWO), 0.005, true);
  ig_stress_row(sink, "sphere: u(a), m", "exact", 3.42857e-4, moved(&q, 3, ONE), 0.01, true);
done:
  ig_stress_problem_free(&q);
  return status;
}

static double cylinder_T(void *user, const double x[3]) {
  (void)user;
  return T_START + 100 * log(2 / radius(x, 2)) / log(2);
}
static void cylinder_exact(double r, double *sr, double *st) {
  const double k = 1.2e-5 * 200e9 * 100 / (2 * 0.7 * log(2)), q = 1.0 / 3;
  *sr = k * (-log(2 / r) - q * (1 - 4 / (r * r)) * log(2));
  *st = k * (1 - log(2 / r) - q * (1 + 4 / (r * r)) * log(2));
}

/* Of a quarter in `layers` rings: the worst error of stresses of a ring and along the axis, over
   the largest stress. */
static ig_status cylinder(ig_ctx *cx, int layers, double *most, double *along) {
  ig_stress_problem q;
  profile p;
  ig_status status;
  ig_mesh_case mc = {.annulus = {.at.given = true,
                                 .inner = ONE,
                                 .outer = TWO,
                                 .cells = IG_ROW(layers, 6 * layers / 5, 1),
                                 .angle = 1.5707963267948966,
                                 .height = 0.1}};
  ig_stress_problem_new(cx, &q);
  TRY(ig_mesh_generate(cx, &mc, &q.mesh));
  TRY(ig_stress_problem_set(&q, "px", is_at, &(where){0, 0, 0}));
  TRY(ig_stress_problem_set(&q, "py", is_at, &(where){1, 0, 0}));
  TRY(ig_stress_problem_set(&q, "pz", is_at, &(where){2, 0, 0}));
  TRY(ig_stress_problem_set(&q, "upper", is_at, &(where){2, 0.1, 0}));
  ig_stress_problem_hold(&q, "px", "x");
  ig_stress_problem_hold(&q, "py", "y");
  ig_stress_problem_hold(&q, "pz", "z");
  ig_stress_problem_equal(&q, "upper", "z");
  ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, NAN, NAN, 0);
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, 0, cylinder_T, NULL));
  TRY(profile_read(&q, 2, ONE, TWO, layers, &p));
  *most = worst(&p, cylinder_exact, 209.824e6);
  *along = 0;
  for (int k = 0; k < layers; k++) {
    double sr, st;
    cylinder_exact(p.r[k], &sr, &st);
    *along = fmax(*along, fabs(p.sz[k] - (sr + st)) / 209.824e6);
  }
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_cylinder_heat(ig_ctx *cx, const ig_verify_sink *sink) {
  double coarse[2], fine[2];
  IG_TRY(cylinder(cx, 10, coarse, coarse + 1));
  IG_TRY(cylinder(cx, 20, fine, fine + 1));
  ig_stress_row(sink, "cylinder, ends free: worst layer, over the largest stress", "exact", 0,
                fine[0], 0.02, false);
  ig_stress_row(sink, "cylinder: the same along its axis", "the sum of the two", 0, fine[1], 0.02,
                false);
  ig_stress_row(sink, "elements half as large: order of the worst error", "second order", 2,
                log2(coarse[0] / fine[0]), 0.3, false);
  ig_stress_row(sink, "of that along the axis", "second order", 2, log2(coarse[1] / fine[1]), 0.3,
                false);
  return IG_OK;
}

/* --- through a cycle, perfect plasticity --- */

static const double CYCLE = 69.56006, YIELD = 100e6;
static void cycle_hot(double r, double *sr, double *st) {
  const double c = 1.1, M = 1.2e-5 * 200e9 * CYCLE * 2 / 0.7;
  const double B = 2 * c * c * c / 3 * (YIELD + M / (2 * c)), A = M / 2 - B / 8;
  if (r <= c) {
    *sr = -2 * YIELD * log(r);
    *st = *sr - YIELD;
  } else {
    *sr = A + B / (r * r * r) - M / r;
    *st = A - B / (2 * r * r * r) - M / (2 * r);
  }
}
static void cycle_cold(double r, double *sr, double *st) {
  double er, et;
  cycle_hot(r, sr, st);
  sphere_exact(r, &er, &et);
  *sr -= er * CYCLE / 100;
  *st -= et * CYCLE / 100;
}

ig_status ig_stress_verify_sphere_cycle(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_stress_problem q;
  profile p;
  ig_status status;
  const int layers = 40;
  TRY(ig_stress_sphere_new(cx, &q, ONE, TWO, 5, layers));
  ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, YIELD, 0, 0);
  TRY(ig_stress_problem_open(&q));
  for (int k = 1; k <= 3; k++) {
    double heat = CYCLE * (k + 1) / 4;
    TRY(ig_stress_problem_step(&q, 1, 0, sphere_T, &heat));
  }
  TRY(profile_read(&q, 3, ONE, TWO, layers, &p));
  ig_stress_row(sink, "hot: worst layer, over the yield stress", "exact", 0,
                worst(&p, cycle_hot, YIELD), 0.03, false);
  ig_stress_row(sink, "hot: u(b), m", "exact", 4.65755e-4, moved(&q, 3, TWO), 0.005, true);
  TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(profile_read(&q, 3, ONE, TWO, layers, &p));
  ig_stress_row(sink, "cold again: worst layer, over the yield stress", "exact residual", 0,
                worst(&p, cycle_cold, YIELD), 0.03, false);
  ig_stress_row(sink, "cold again: u(b), m", "exact residual", -1.12281e-5, moved(&q, 3, TWO), 0.05,
                true);
done:
  ig_stress_problem_free(&q);
  return status;
}

/* --- pressure --- */

static void vessel_hot(double r, double *sr, double *st) {
  const double a = 0.1, b = 0.2, c = 0.1462962, sy = 240e6;
  if (r <= c) {
    *sr = 2 * sy * log(r / a) - 280e6;
    *st = *sr + sy;
  } else {
    const double k = 2 * sy * c * c * c / (3 * b * b * b);
    *sr = k * (1 - b * b * b / (r * r * r));
    *st = k * (1 + b * b * b / (2 * r * r * r));
  }
}
static void vessel_cold(double r, double *sr, double *st) {
  const double a = 0.1, b = 0.2, k = 280e6 * a * a * a / (b * b * b - a * a * a);
  vessel_hot(r, sr, st);
  *sr -= k * (1 - b * b * b / (r * r * r));
  *st -= k * (1 + b * b * b / (2 * r * r * r));
}

ig_status ig_stress_verify_sphere_pressure(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_stress_problem q;
  profile p;
  ig_status status;
  const int layers = 30;
  TRY(ig_stress_sphere_new(cx, &q, 0.1, 0.2, 6, layers));
  ig_stress_problem_material(&q, 0, 210e9, 0.3, 1.2e-5, 240e6, 0, 0);
  q.load[0] = (ig_stress_load){
      .set = "inside",
      .pressure = 280e6,
      .total = {NAN, NAN, NAN},
      .history = ig_stress_problem_table(&q, 3, (double[][2]){{0, 0}, {4, 1}, {5, 0}})};
  q.c.loads = (ig_list){1, q.load};
  TRY(ig_stress_problem_open(&q));
  for (int k = 0; k < 4; k++)
    TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(profile_read(&q, 3, 0.1, 0.2, layers, &p));
  ig_stress_row(sink, "280 MPa: worst layer, over the yield stress", "exact", 0,
                worst(&p, vessel_hot, 240e6), 0.02, false);
  ig_stress_row(sink, "280 MPa: u(b), mm", "exact", 0.0626223, 1e3 * moved(&q, 3, 0.2), 0.01, true);
  TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(profile_read(&q, 3, 0.1, 0.2, layers, &p));
  ig_stress_row(sink, "let off: worst layer, over the yield stress", "exact residual", 0,
                worst(&p, vessel_cold, 240e6), 0.02, false);
  ig_stress_row(sink, "let off: u(b), mm", "exact residual", 0.0226223, 1e3 * moved(&q, 3, 0.2),
                0.02, true);
done:
  ig_stress_problem_free(&q);
  return status;
}
