/* Verification: limit loads of thick vessels; a spherical inclusion. */
#include "verify/stress/verify.h"
#include "geometry/mesh_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- limit loads --- */

/* The pressure grows by 1 % of `limit` a step from 0.9 of it on; the last that is carried. */
static ig_status load_up(ig_stress_problem *q, const char *set, double limit, double *carried) {
  q->load[0] =
      (ig_stress_load){.set = set,
                       .pressure = limit,
                       .total = {NAN, NAN, NAN},
                       .history = ig_stress_problem_table(q, 2, (double[][2]){{0, 0}, {100, 1}})};
  q->c.loads = (ig_list){1, q->load};
  q->c.solver.tolerance = 1e-5;
  q->c.solver.iterations = 20;
  q->c.solver.halvings = 2;
  IG_TRY(ig_stress_problem_open(q));
  *carried = 0;
  double at = 0;
  for (int k = 0; k < 12; k++) {
    const double next = k < 3 ? 0.3 * (k + 1) : at + 0.01;
    const ig_status status = ig_stress_problem_step(q, 100 * (next - at), T_START, NULL, NULL);
    if (status == IG_NUMERIC)
      return IG_OK; /* more than it can carry */
    IG_TRY(status);
    at = next;
    *carried = at * limit;
  }
  return IG_OK;
}

static ig_status tube_new(ig_ctx *cx, ig_stress_problem *q) {
  static const char *const set[] = {"px", "py", "pz", "upper"}, *const fix[] = {"x", "y", "z", "z"};
  static const ig_plane where[] = {{0, 0, 1e-12}, {1, 0, 1e-12}, {2, 0, 1e-12}, {2, 0.01, 1e-12}};
  ig_mesh_case mc = {.annulus = {.at.given = true,
                                 .inner = 0.1,
                                 .outer = 0.2,
                                 .cells = IG_ROW(16, 16, 1),
                                 .angle = 1.5707963267948966,
                                 .height = 0.01}};
  ig_stress_problem_new(cx, q);
  IG_TRY(ig_mesh_generate(cx, &mc, &q->mesh));
  for (int i = 0; i < 4; i++) {
    ig_plane s = where[i];
    IG_TRY(ig_stress_problem_set(q, set[i], ig_plane_holds, &s));
    ig_stress_problem_hold(q, set[i], fix[i]);
  }
  return IG_OK;
}

ig_status ig_stress_verify_limit(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_stress_problem q;
  double carried;
  ig_status status;
  TRY(ig_stress_sphere_new(cx, &q, 0.1, 0.2, 5, 16));
  ig_stress_problem_material(&q, 0, 210e9, 0.3, 1.2e-5, 240e6, 0, 0);
  TRY(load_up(&q, "inside", 332.711e6, &carried));
  ig_stress_row(sink, "sphere, steps of 1 %: highest pressure carried, MPa", "2 sy ln(b/a)",
                332.711, 1e-6 * carried, 0.015, true);
  ig_stress_problem_free(&q);
  TRY(tube_new(cx, &q));
  ig_stress_problem_material(&q, 0, 210e9, 0.3, 1.2e-5, 240e6, 0, 0);
  TRY(load_up(&q, "inner", 192.0906e6, &carried));
  ig_stress_row(sink, "cylinder, plane strain: highest pressure carried, MPa",
                "2/sqrt(3) sy ln(b/a)", 192.0906, 1e-6 * carried, 0.015, true);
done:
  ig_stress_problem_free(&q);
  return status;
}

/* --- inclusion --- */

enum { ACROSS = 5, FIRST = 4, SECOND = 12 }; /* elements: of the core, to radius a, to radius b */
static const double A = 1e-6, B = 6e-6;

/* A point of the ball: i, j, k of the core; or patch p, its i and j, and shell k. */
static void ball_point(int p, int i, int j, int k, double y[3]) {
  const double quarter = 0.78539816339744831, core = 0.5 * A;
  const double s = tan(quarter * i / ACROSS), t = tan(quarter * j / ACROSS);
  if (p < 0) {
    y[0] = core * s;
    y[1] = core * t;
    y[2] = core * tan(quarter * k / ACROSS);
    return;
  }
  const double round = 1 / sqrt(1 + s * s + t * t), w = fmin((double)k / FIRST, 1);
  const double r = k <= FIRST ? A : A * pow(B / A, (double)(k - FIRST) / SECOND);
  const double scale = (1 - w) * core + w * r * round;
  y[p] = scale;
  y[(p + 1) % 3] = scale * s;
  y[(p + 2) % 3] = scale * t;
}

static ig_lid ball_node(double *x, ig_lid *nodes, const double y[3]) {
  for (ig_lid o = 0; o < *nodes; o++)
    if (fabs(x[3 * o] - y[0]) + fabs(x[3 * o + 1] - y[1]) + fabs(x[3 * o + 2] - y[2]) < 1e-9 * A)
      return o;
  memcpy(x + 3 * *nodes, y, 3 * sizeof *y);
  return (*nodes)++;
}

/* An eighth of a ball with an element set `core` within radius A. */
static ig_status ball_mesh(ig_stress_problem *q) {
  static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const int n = ACROSS, inner = n * n * n, layer = n * n,
            all = inner + 3 * layer * (FIRST + SECOND);
  ig_lid *conn = NULL, nodes = 0;
  double *x = NULL, y[3];
  ig_block *block;
  ig_set *set;
  ig_status status;
  TRY(IG_NEW(q->cx, &conn, 8 * (size_t)all, "ball"));
  TRY(IG_NEW(q->cx, &x, 24 * (size_t)all, "ball"));
  for (int e = 0; e < all; e++)
    for (int a = 0; a < 8; a++) {
      const int o = e - inner, p = e < inner ? -1 : o / layer % 3, at = e < inner ? e : o % layer;
      const int k = e < inner ? e / layer : o / (3 * layer);
      ball_point(p, at % n + corner[a][0], at / n % n + corner[a][1], k + corner[a][2], y);
      conn[8 * e + a] = ball_node(x, &nodes, y);
    }
  TRY(ig_mesh_new(q->cx, 3, nodes, &q->mesh));
  memcpy(q->mesh->x, x, 3 * sizeof *x * (size_t)nodes);
  TRY(ig_mesh_add_block(q->cx, q->mesh, IG_HEX8, all, &block));
  memcpy(block->conn, conn, 8 * sizeof *conn * (size_t)all);
  TRY(ig_mesh_add_set(q->cx, q->mesh, "core", IG_SET_ELEMENTS, inner + 3 * layer * FIRST, &set));
  for (ig_lid e = 0; e < set->count; e++)
    set->item[e] = e;
  static const char *const name[3] = {"x0", "y0", "z0"}, *const fix[3] = {"x", "y", "z"};
  for (int d = 0; d < 3; d++) {
    ig_plane s = {d, 0, 1e-12};
    TRY(ig_stress_problem_set(q, name[d], ig_plane_holds, &s));
    ig_stress_problem_hold(q, name[d], fix[d]);
  }
done:
  free(conn);
  free(x);
  return status;
}

/* Mean radial displacement over the distance, at nodes between two radii. */
static double growth(const ig_stress_problem *q, double from, double to) {
  const double *x = q->mesh->x, *u = q->m->u.host;
  double sum = 0;
  int n = 0;
  for (ig_lid i = 0; i < q->mesh->nodes; i++) {
    const double *y = x + 3 * (int64_t)i, *v = u + 3 * (int64_t)i;
    const double r2 = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    if (r2 < from * from || r2 > to * to)
      continue;
    sum += (y[0] * v[0] + y[1] * v[1] + y[2] * v[2]) / r2;
    n++;
  }
  return sum / n;
}

ig_status ig_stress_verify_inclusion(ig_ctx *cx, const ig_verify_sink *sink) {
  const double K = 160e9, G = 79e9, e = 0.01, nu = (3 * K - 2 * G) / (2 * (3 * K + G));
  const double C = (1 + nu) / (3 * (1 - nu)) * e; /* u = C r inside, C a^3 / r^2 outside */
  const double image = 4 * G * C * pow(A / B, 3) / (3 * K); /* of the free surface at b */
  static const char *name = "core";
  ig_stress_problem q;
  ig_status status;
  ig_stress_problem_new(cx, &q);
  TRY(ball_mesh(&q));
  ig_stress_problem_material(&q, 0, 9 * K * G / (3 * K + G), nu, 0, NAN, NAN, 0);
  q.material[1] = q.material[0];
  q.material[1].name = "core";
  q.material[1].set = (ig_texts){1, &name};
  q.material[1].mechanical.expansion = ig_stress_problem_constant(&q, 1e-4);
  q.materials.count = 2;
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, T_START + 100, NULL, NULL));
  TRY(ig_array_pull(cx, &q.m->u));
  ig_stress_row(sink, "inclusion, strain 0.01: u at 0.8 a less the image of the free surface, m",
                "exact, infinite body", 4.82412e-9,
                0.8 * A * (growth(&q, 0.2 * A, 1.01 * A) - image), 0.01, true);
  const double r = A * pow(B / A, 0.5);
  ig_stress_row(sink, "u at 2.449 a, m", "C a^3 / r^2, and the image",
                C * A * A * A / r / r + image * r, r * growth(&q, 0.99 * r, 1.01 * r), 0.02, true);
done:
  ig_stress_problem_free(&q);
  return status;
}
