/* Verification: tetrahedra of ten nodes. Patches, beams, layers that cut them, a limit load. */
#include "verify/stress/verify.h"
#include "geometry/mesh_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double YOUNG = 200e9, HEAT = 100;

/* Inner corners of the unit cube moved about, and middles of edges back between their ends. */
static ig_status wobble(ig_stress_problem *q) {
  const ig_block *b = q->mesh->block;
  uint8_t *corner;
  IG_TRY(IG_NEW(q->cx, &corner, q->mesh->nodes, "corners"));
  for (ig_lid i = 0; i < 10 * b->count; i++)
    if (i % 10 < 4)
      corner[b->conn[i]] = 1;
  for (ig_lid n = 0; n < q->mesh->nodes; n++) {
    double *x = q->mesh->x + 3 * (int64_t)n;
    bool inner = corner[n];
    for (int d = 0; d < 3; d++)
      inner &= x[d] > 1e-9 && x[d] < 1 - 1e-9;
    for (int d = 0; inner && d < 3; d++)
      x[d] += 0.06 * sin(5.0 * n + 2 * d);
  }
  for (ig_lid i = 0; i < 6 * b->count; i++) {
    static const int end[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    const ig_lid *c = b->conn + 10 * (int64_t)(i / 6);
    for (int d = 0; d < 3; d++)
      q->mesh->x[3 * (int64_t)c[4 + i % 6] + d] =
          0.5 * (q->mesh->x[3 * (int64_t)c[end[i % 6][0]] + d] +
                 q->mesh->x[3 * (int64_t)c[end[i % 6][1]] + d]);
  }
  free(corner);
  return IG_OK;
}

/* A distorted cube: clamped all over, or pulled along x and free across. */
static ig_status patch(ig_ctx *cx, ig_stress_problem *q, int element, bool clamped) {
  static const char *const sides[] = {"x0", "x1", "y0", "y1", "z0", "z1"};
  ig_stress_problem_new(cx, q);
  q->tets = true;
  q->c.element = element;
  IG_TRY(ig_stress_problem_box(q, (double[]){1, 1, 1}, (int[]){2, 2, 2}));
  IG_TRY(wobble(q));
  ig_stress_problem_material(q, 0, YOUNG, 0.3, 1.2e-5, NAN, NAN, 0);
  for (int i = 0; clamped && i < 6; i++)
    ig_stress_problem_hold(q, sides[i], "all");
  for (int i = 0; !clamped && i < 3; i++)
    ig_stress_problem_hold(q, sides[2 * i], (const char *const[]){"x", "y", "z"}[i]);
  if (!clamped) {
    ig_stress_problem_hold(q, "x1", NULL);
    q->support[3].displacement[0] = 100e6 / YOUNG + 1.2e-5 * HEAT;
    q->support[3].components = "x";
  }
  return ig_stress_problem_open(q);
}

static ig_status patches(ig_ctx *cx, int element, const ig_verify_sink *sink) {
  ig_stress_problem q = {0};
  double mean[IG_STRESS_REPORT], worst = 0;
  ig_status status;
  TRY(patch(cx, &q, element, true));
  TRY(ig_stress_problem_step(&q, 1, T_START + HEAT, NULL, NULL));
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  ig_stress_row(sink, "clamped, distorted, 100 K: stress, MPa", "-E alpha dT / (1 - 2 nu)", -600,
                1e-6 * mean[0], 1e-8, true);
  ig_stress_problem_free(&q);
  TRY(patch(cx, &q, element, false));
  TRY(ig_stress_problem_step(&q, 1, T_START + HEAT, NULL, NULL));
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  for (ig_lid e = 0; e < q.m->elements; e++)
    for (int i = 0; i < 6; i++)
      worst = fmax(worst, fabs(q.m->report[IG_STRESS_REPORT * (int64_t)e + i] - (i ? 0 : 100e6)));
  ig_stress_row(sink, "pulled, distorted, 100 K: stress off 100 MPa, Pa", "none", 0, worst, 50,
                false);
done:
  ig_stress_problem_free(&q);
  return status;
}

/* --- beams --- */

static bool foot(void *user, const double x[3]) {
  (void)user;
  return fabs(x[0]) < 1e-9 && fabs(x[2]) < 1e-9;
}

/* Deflection of a cantilever of 20 x 1 x 2 under a force at its end, one cell across, over that of
   Timoshenko's theory; its foot is free to contract. */
static ig_status beam(ig_ctx *cx, int length, double *ratio) {
  const double force = 1e3, I = 1 * 8.0 / 12, A = 2, G = YOUNG / 2.6;
  ig_stress_problem q;
  double n = 0;
  ig_status status;
  ig_stress_problem_new(cx, &q);
  q.tets = true;
  TRY(ig_stress_problem_box(&q, (double[]){20, 1, 2}, (int[]){length, 1, 1}));
  TRY(ig_stress_problem_set(&q, "foot", foot, NULL));
  ig_stress_problem_hold(&q, "x0", "x");
  ig_stress_problem_hold(&q, "foot", "z");
  ig_stress_problem_hold(&q, "corner", "y");
  ig_stress_problem_material(&q, 0, YOUNG, 0.3, 1.2e-5, NAN, NAN, 0);
  q.load[0] = (ig_stress_load){.set = "x1", .pressure = NAN, .total = {0, 0, force}};
  q.c.loads = (ig_list){1, q.load};
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(ig_array_pull(cx, &q.m->u));
  *ratio = 0;
  for (ig_lid i = 0; i < q.mesh->nodes; i++)
    if (q.mesh->x[3 * (int64_t)i] > 20 - 1e-9) {
      *ratio += ((double *)q.m->u.host)[3 * (int64_t)i + 2];
      n++;
    }
  *ratio /= n * (force * 8000 / (3 * YOUNG * I) + force * 20 / (5.0 / 6 * G * A));
done:
  ig_stress_problem_free(&q);
  return status;
}

/* --- layers --- */

/* Elements whose centre lies in layer k of height h: living, or (k < 0) none; born now. */
static ig_status layer(ig_stress_problem *q, int k, double h, double born) {
  ig_stress *m = q->m;
  ig_lid *list, count = 0;
  double *birth;
  IG_TRY(IG_NEW(q->cx, &list, m->elements, "births"));
  ig_status status = IG_NEW(q->cx, &birth, m->elements, "births");
  for (ig_lid e = 0; status == IG_OK && e < m->elements; e++) {
    double z = 0;
    for (int a = 0; a < m->npe; a++)
      z += m->mesh->x[3 * (int64_t)m->conn[m->npe * (int64_t)e + a] + 2] / m->npe;
    birth[count] = born;
    if (k < 0 || (int)(z / h) == k)
      list[count++] = e;
  }
  if (status == IG_OK)
    status = k < 0 ? ig_stress_remove(m, list, count)
                   : ig_stress_birth(m, list, birth, count, IG_NODES_LEVEL);
  if (status == IG_OK && k >= 0)
    status = ig_stress_system_change(m, false);
  free(list);
  free(birth);
  return status;
}

typedef struct {
  double middle;  /* change of half width halfway up over that of a free layer */
  double missing; /* energy over all that flowed */
  double across, along;
} built;

/* Half a wall of 5 x 1 x 10 mm in `layers`. Tetrahedra: levels of nodes are waves where they do not
   fit the layers, which cut cells then, and what belongs to a layer has no plane surface. */
static ig_status wall(ig_ctx *cx, bool tets, int layers, bool sides, built *w) {
  ig_stress_problem q;
  double mean[IG_STRESS_REPORT];
  ig_status status;
  ig_stress_problem_new(cx, &q);
  q.tets = tets;
  TRY(ig_stress_problem_box(&q, (double[]){5e-3, 1e-3, 10e-3},
                            tets ? (int[]){5, 1, 10} : (int[]){10, 2, 12}));
  for (ig_lid i = 0; tets && layers != 5 && i < q.mesh->nodes; i++) {
    /* but for the foot, the top and the level that is measured */
    double *x = q.mesh->x + 3 * (int64_t)i;
    x[2] += 0.2e-3 * sin(2e3 * x[0] + 1e3 * x[1]) * sin(6.2831853071795865 * x[2] / 5e-3);
  }
  ig_stress_problem_hold(&q, "x0", "x");
  ig_stress_problem_hold(&q, "z0", "xz");
  ig_stress_problem_hold(&q, sides ? "all" : "y0", sides ? "xy" : "y");
  ig_stress_problem_material(&q, 0, YOUNG, 0.3, 1.2e-5, NAN, NAN, 0);
  TRY(ig_stress_problem_open(&q));
  TRY(layer(&q, -1, 1, 0));
  for (int k = 0; k < layers; k++) {
    TRY(layer(&q, k, 10e-3 / layers, T_START + HEAT));
    TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  }
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  w->across = 1e-6 * mean[0];
  w->along = mean[2];
  w->missing = fabs(q.m->balance.missing) / q.m->balance.flow;
  for (ig_lid i = 0; i < q.mesh->nodes; i++) {
    const double *x = q.mesh->x + 3 * (int64_t)i;
    if (x[0] > 4.99e-3 && x[1] < 1e-9 && fabs(x[2] - 5e-3) < 1e-9)
      w->middle = -((double *)q.m->u.host)[3 * (int64_t)i] / (1.2e-5 * HEAT * 5e-3);
  }
done:
  ig_stress_problem_free(&q);
  return status;
}

/* --- limit load --- */

/* Whether a thick cylinder in plane strain carries `share` of its limit pressure. */
static ig_status tube(ig_ctx *cx, int element, double share, bool *carries) {
  static const char *const set[] = {"end", "start", "bottom", "top"}, *const fix[] = {"x", "y", "z",
                                                                                      "z"};
  ig_mesh_case mc = {.element = IG_TET10 + 1,
                     .annulus = {.at.given = true,
                                 .inner = 0.1,
                                 .outer = 0.2,
                                 .cells = IG_ROW(4, 4, 1),
                                 .angle = 1.5707963267948966,
                                 .height = 0.04}};
  ig_stress_problem q;
  ig_status status;
  ig_stress_problem_new(cx, &q);
  TRY(ig_mesh_generate(cx, &mc, &q.mesh));
  q.c.element = element;
  for (int i = 0; i < 4; i++)
    ig_stress_problem_hold(&q, set[i], fix[i]);
  ig_stress_problem_material(&q, 0, 210e9, 0.3, 1.2e-5, 240e6, 0, 0);
  q.load[0] =
      (ig_stress_load){.set = "inner",
                       .pressure = 192.0906e6,
                       .total = {NAN, NAN, NAN},
                       .history = ig_stress_problem_table(&q, 2, (double[][2]){{0, 0}, {200, 2}})};
  q.c.loads = (ig_list){1, q.load};
  q.c.solver.tolerance = 1e-5;
  q.c.solver.iterations = 20;
  q.c.solver.halvings = 1;
  TRY(ig_stress_problem_open(&q));
  *carries = true;
  for (int k = 1; k <= 4 && *carries; k++) {
    status = ig_stress_problem_step(&q, 25 * share, T_START, NULL, NULL);
    *carries = status != IG_NUMERIC;
    if (*carries)
      TRY(status);
    status = IG_OK;
  }
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_tet(ig_ctx *cx, const ig_verify_sink *sink) {
  double ratio;
  built hex, tet;
  bool carries;
  IG_TRY(patches(cx, IG_ELEMENT_ASSUMED, sink));
  IG_TRY(patches(cx, IG_ELEMENT_BBAR, sink));
  for (int length = 20; length >= 5; length /= 2) {
    IG_TRY(beam(cx, length, &ratio));
    ig_stress_row(sink, "one cell across, 1/2, 1, 2 times as long: deflection over Timoshenko", "1",
                  1, ratio, 0.03, true);
  }
  IG_TRY(wall(cx, true, 5, true, &tet));
  ig_stress_row(sink, "sides held, layers cooled by 100 K: stress across, MPa",
                "E alpha dT / (1 - nu)", 342.857143, tet.across, 1e-6, true);
  ig_stress_row(sink, "and along, Pa", "none", 0, tet.along, 100, false);
  IG_TRY(wall(cx, false, 6, false, &hex));
  IG_TRY(wall(cx, true, 6, false, &tet));
  ig_stress_row(sink, "wall in layers that cut wavy cells: change of width",
                "hexahedra half as large, by layers", hex.middle, tet.middle, 0.03, true);
  ig_stress_row(sink, "energy missing of what flowed", "none", 0, tet.missing, 1e-8, false);
  for (int i = 0; i < 4; i++) {
    const int element = i < 2 ? IG_ELEMENT_ASSUMED : IG_ELEMENT_BBAR;
    IG_TRY(tube(cx, element, i % 2 ? 1.03 : 0.97, &carries));
    ig_stress_row(sink, "cylinder under 97 and 103 % of its limit pressure: carries it",
                  "2/sqrt(3) sy ln(b/a)", i % 2 == 0, carries, 0, false);
  }
  return IG_OK;
}
