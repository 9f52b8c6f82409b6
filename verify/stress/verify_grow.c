/* Verification: plates and strips that yield, bend and grow. */
#include "verify/stress/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the plate --- */

static double parabola(void *user, const double x[3]) {
  const double z = x[2];
  return T_START + *(double *)user * (1 - z * z);
}

/* T = T0 (1 - z^2/h^2) through a column whose sides stay plane, then none. */
static ig_status plate(ig_ctx *cx, double s, int n, double *surface, double *centre,
                       double *elastic, double *zone) {
  ig_stress_problem q;
  double heat = 100;
  const double S = 200e9 * 1.2e-5 * heat / 0.7;
  ig_status status;
  ig_stress_problem_new(cx, &q);
  TRY(ig_stress_problem_box(&q, (double[]){0.1, 0.1, 1}, (int[]){1, 1, n}));
  ig_stress_problem_hold(&q, "x0", "x");
  ig_stress_problem_hold(&q, "y0", "y");
  ig_stress_problem_hold(&q, "z0", "z");
  ig_stress_problem_equal(&q, "x1", "x");
  ig_stress_problem_equal(&q, "y1", "y");
  ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, s > 0 ? s * S : NAN, 0, 0);
  TRY(ig_stress_problem_open(&q));
  for (int k = 1; k <= 4; k++) {
    double part = heat * k / 4;
    TRY(ig_stress_problem_step(&q, 1, 0, parabola, &part));
  }
  double mean[IG_STRESS_REPORT];
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  const double *o = q.m->report;
  *elastic = 0;
  for (int e = 0; e < n; e++) {
    const double z = (e + 0.5) / n, exact = S * (z * z + 1.0 / 12 / n / n - 1.0 / 3);
    *elastic = fmax(*elastic, fabs(o[IG_STRESS_REPORT * e] - exact) / S);
  }
  *zone = 1;
  for (int e = n - 1; e >= 0 && o[IG_STRESS_REPORT * e + 7] > 0; e--)
    *zone = (double)e / n;
  TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  *centre = 1e-6 * o[0];
  const double z = 1 - 0.5 / n; /* of the last element: what the exact profile falls off to it */
  *surface = 1e-6 * (o[IG_STRESS_REPORT * (n - 1)] - S * (1 - z * z));
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_plate(ig_ctx *cx, const ig_verify_sink *sink) {
  double surface, centre, elastic, zone;
  IG_TRY(plate(cx, 0, 20, &surface, &centre, &elastic, &zone));
  ig_stress_row(sink, "elastic: worst stress over S", "S (z^2/h^2 - 1/3)", 0, elastic, 1e-3, false);
  static const double at[2][4] = {{0.5, -57.1429, 2.69195, 0.908560},
                                  {0.4, -91.4286, 7.52732, 0.843433}};
  for (int i = 0; i < 2; i++) {
    IG_TRY(plate(cx, at[i][0], 80, &surface, &centre, &elastic, &zone));
    ig_stress_row(sink, "yielded, then cold: stress at the surface, MPa", "(s - 2/3) S", at[i][1],
                  surface, 0.02, true);
    ig_stress_row(sink, "and at the centre, MPa", "(s - (3s/2)^(2/3) + 1/3) S", at[i][2], centre,
                  0.02, true);
    ig_stress_row(sink, "where it has yielded from, over h, to one element", "(3s/2)^(1/3)",
                  at[i][3], zone, 1.0 / 80, false);
  }
  return IG_OK;
}

/* --- strips --- */

/* Along x, symmetric at x0, thickness along z; curvature where ends do not reach. */
static double curvature(const ig_stress_problem *q, double length, double at) {
  const double *x = q->mesh->x, *u = q->m->u.host, d = length / 8;
  double w[3] = {0};
  int n[3] = {0};
  for (ig_lid i = 0; i < q->mesh->nodes; i++)
    for (int k = 0; k < 3; k++)
      if (fabs(x[3 * (int64_t)i] - (at + (k - 1) * d)) < 1e-9 &&
          fabs(x[3 * (int64_t)i + 2]) < 1e-9) {
        w[k] += u[3 * (int64_t)i + 2];
        n[k]++;
      }
  return (w[0] / n[0] - 2 * w[1] / n[1] + w[2] / n[2]) / (d * d);
}

static ig_status strip_new(ig_ctx *cx, ig_stress_problem *q, const double size[3],
                           const int cells[3]) {
  ig_stress_problem_new(cx, q);
  IG_TRY(ig_stress_problem_box(q, size, cells));
  ig_stress_problem_hold(q, "x0", "x");
  ig_stress_problem_hold(q, "y0", "y");
  ig_stress_problem_hold(q, "corner", "z");
  return IG_OK;
}

ig_status ig_stress_verify_bimetal(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_stress_problem q;
  ig_set *set;
  ig_status status;
  const int n = 12;
  const double size[3] = {24e-3, 0.25e-3, 2e-3};
  TRY(strip_new(cx, &q, size, (int[]){144, 1, n}));
  ig_stress_problem_material(&q, 0, 200e9, 0, 1.7e-5, NAN, NAN, 0);
  ig_stress_problem_material(&q, 1, 200e9, 0, 1.2e-5, NAN, NAN, 0);
  TRY(ig_mesh_add_set(cx, q.mesh, "upper", IG_SET_ELEMENTS, 144 * n / 2, &set));
  for (ig_lid i = 0; i < set->count; i++)
    set->item[i] = 144 * n / 2 + i;
  static const char *name = "upper";
  q.material[1].set = (ig_texts){1, &name};
  q.materials.count = 2;
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, T_START + 100, NULL, NULL));
  TRY(ig_array_pull(cx, &q.m->u));
  ig_stress_row(sink, "bimetal strip, 100 K: curvature, 1/m", "Timoshenko", 0.375,
                curvature(&q, size[0], size[0] / 4), 0.01, true);
done:
  ig_stress_problem_free(&q);
  return status;
}

/* --- growing --- */

/* The elements of layer k of `layers`, of a box of cells[2] rows of elements: the upper `grown`
   rows. */
static ig_status layer_born(ig_stress_problem *q, const int cells[3], int first, int rows,
                            double birth, int new_nodes) {
  const ig_lid row = cells[0] * cells[1], count = row * rows;
  ig_lid *list = NULL;
  double *at = NULL;
  ig_status status;
  TRY(IG_NEW(q->cx, &list, count, "births"));
  TRY(IG_NEW(q->cx, &at, count, "births"));
  for (ig_lid i = 0; i < count; i++) {
    list[i] = first * row + i;
    at[i] = birth;
  }
  TRY(ig_stress_birth(q->m, list, at, count, new_nodes));
  TRY(ig_stress_system_change(q->m, false));
done:
  free(list);
  free(at);
  return status;
}

static ig_status unborn(ig_stress_problem *q, const int cells[3], int from) {
  uint8_t *alive = q->m->alive.host;
  for (ig_lid e = from * cells[0] * cells[1]; e < q->m->elements; e++)
    alive[e] = 0;
  IG_TRY(ig_array_push(q->cx, &q->m->alive));
  return ig_stress_system_change(q->m, false);
}

static ig_status column(ig_ctx *cx, int new_nodes, int layers, double *top, double *side,
                        double *axial) {
  ig_stress_problem q;
  const int cells[3] = {2, 2, 5};
  double mean[IG_STRESS_REPORT];
  ig_status status;
  ig_stress_problem_new(cx, &q);
  TRY(ig_stress_problem_box(&q, (double[]){1e-3, 1e-3, 5e-3}, cells));
  static const char *const held[] = {"x0", "x1"}, *const deep[] = {"y0", "y1"};
  for (int i = 0; i < 2; i++) {
    ig_stress_problem_hold(&q, held[i], "x");
    ig_stress_problem_hold(&q, deep[i], "y");
  }
  ig_stress_problem_hold(&q, "z0", "z");
  ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, NAN, NAN, 0);
  TRY(ig_stress_problem_open(&q));
  TRY(unborn(&q, cells, 1));
  for (int k = 0; k < layers; k++) {
    TRY(layer_born(&q, cells, 1 + k, 1, T_START + 100, new_nodes));
    TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  }
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  const double *o = q.m->report, *u = q.m->u.host;
  *side = 1e-6 * o[IG_STRESS_REPORT * 4 * layers];
  *axial = o[IG_STRESS_REPORT * 4 * layers + 2];
  for (ig_lid i = 0; i < q.mesh->nodes; i++)
    if (fabs(q.mesh->x[3 * (int64_t)i + 2] - (1 + layers) * 1e-3) < 1e-9)
      *top = u[3 * (int64_t)i + 2];
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_column(ig_ctx *cx, const ig_verify_sink *sink) {
  const double e = -1.2e-5 * 1.3 / 0.7 * 100, h = 1e-3;
  double top, side, axial;
  for (int n = 1; n <= 4; n += 3) {
    IG_TRY(column(cx, IG_NODES_DEFORMED, n, &top, &side, &axial));
    ig_stress_row(sink, "sides held, layers cooled by 100 K: stress across, MPa",
                  "E alpha dT / (1 - nu)", 342.857143, side, 1e-6, true);
    ig_stress_row(sink, "and along, Pa", "none", 0, axial, 100, false);
    ig_stress_row(sink, "new nodes displaced as those below: top, m", "N e h", n * e * h, top, 1e-6,
                  true);
    IG_TRY(column(cx, IG_NODES_LEVEL, n, &top, &side, &axial));
    ig_stress_row(sink, "new nodes level: stress across, MPa", "the same", 342.857143, side, 1e-6,
                  true);
    /* strains are of the drawn layer, so that the second order in e is left out */
    ig_stress_row(sink, "new nodes level: top, m", "e h / (1 + e), to first order in e",
                  e * h / (n > 1 ? 1 + e : 1), top, 3e-3, true);
  }
  return IG_OK;
}

/* Rings stacked on a rigid plate, each shrinking by e once it is laid. A ring is one element of
   length L and height h that has only its change of length c(z) x / L: stiffness p on the diagonal,
   -q beside it, forces f at both its levels. Stretch is linear over the height, (c0^2 + c0 c1 +
   c1^2) / 3; of the shear x c' / L the element has the mean, a quarter of (c1 - c0)^2 / h^2 times G
   = E / 2. In a tall stack a ring moves the levels below its own
   by powers of l, with l + 1/l = 2 p / q. */
static ig_status rings(ig_ctx *cx, int new_nodes, int layers, double *middle, double *top) {
  ig_stress_problem q;
  const int cells[3] = {1, 1, layers};
  ig_status status;
  ig_stress_problem_new(cx, &q);
  TRY(ig_stress_problem_box(&q, (double[]){5e-3, 1e-3, layers * 1e-3}, cells));
  ig_stress_problem_hold(&q, "x0", "x");
  ig_stress_problem_hold(&q, "z0", "x");
  ig_stress_problem_hold(&q, "all", "yz");
  ig_stress_problem_material(&q, 0, 200e9, 0, 1.2e-5, NAN, NAN, 0);
  TRY(ig_stress_problem_open(&q));
  TRY(unborn(&q, cells, 0));
  for (int k = 0; k < layers; k++) {
    TRY(layer_born(&q, cells, k, 1, T_START + 100, new_nodes));
    TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  }
  TRY(ig_array_pull(cx, &q.m->u));
  const double *u = q.m->u.host;
  for (ig_lid i = 0; i < q.mesh->nodes; i++) {
    const double *x = q.mesh->x + 3 * (int64_t)i;
    if (x[0] < 4e-3)
      continue;
    if (fabs(x[2] - 0.5e-3 * layers) < 1e-9)
      *middle = u[3 * (int64_t)i];
    if (fabs(x[2] - 1e-3 * layers) < 1e-9)
      *top = u[3 * (int64_t)i];
  }
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_rings(ig_ctx *cx, const ig_verify_sink *sink) {
  const double e = -1.2e-5 * 100, ratio = 25; /* (L / h)^2; forces and stiffnesses over E V / L^2 */
  const double p = 1.0 / 3 + ratio / 8, q = ratio / 8 - 1.0 / 6;
  const double l = p / q - sqrt(p * p / (q * q) - 1), f = 0.5 * e * 5e-3;
  const double below = f * (1 + q / p) / (q / l - q * q / p), own = (f + q * below) / p;
  double middle, top;
  for (int layers = 40; layers <= 80; layers += 40) {
    IG_TRY(rings(cx, IG_NODES_LEVEL, layers, &middle, &top));
    ig_stress_row(sink, "stacked rings, 40 and 80: change of length at half height, m",
                  "stack of any height", own + below / (1 - l), middle, 1e-4, true);
    ig_stress_row(sink, "of the last ring, m", "the same", own, top, 1e-6, true);
  }
  double taller;
  IG_TRY(rings(cx, IG_NODES_DEFORMED, 40, &middle, &top));
  IG_TRY(rings(cx, IG_NODES_DEFORMED, 80, &middle, &taller));
  ig_stress_row(sink, "new nodes displaced as those below: the last of 80, less of 40 rings, m",
                "40 times that of one ring", 40 * own, taller - top, 1e-6, true);
  return IG_OK;
}

/* Half a plane wall of 10 x 10 mm in layers of 1 mm, each in `rows` elements of which `columns` go
   on a mm, on a rigid plate: change of its half width halfway up, over that of a free layer. */
static ig_status wall(ig_ctx *cx, int columns, int rows, double *middle) {
  ig_stress_problem q;
  const int cells[3] = {5 * columns, 1, 10 * rows};
  const double heat = 100, delta = 1.2e-5 * heat;
  ig_status status;
  ig_stress_problem_new(cx, &q);
  TRY(ig_stress_problem_box(&q, (double[]){5e-3, 1e-3, 10e-3}, cells));
  ig_stress_problem_hold(&q, "x0", "x");
  ig_stress_problem_hold(&q, "z0", "xz");
  ig_stress_problem_hold(&q, "all", "y");
  ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, NAN, NAN, 0);
  TRY(ig_stress_problem_open(&q));
  TRY(unborn(&q, cells, 0));
  for (int k = 0; k < 10; k++) {
    TRY(layer_born(&q, cells, k * rows, rows, T_START + heat, IG_NODES_LEVEL));
    TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  }
  TRY(ig_array_pull(cx, &q.m->u));
  for (ig_lid i = 0; i < q.mesh->nodes; i++) {
    const double *x = q.mesh->x + 3 * (int64_t)i;
    if (x[0] > 4.99e-3 && fabs(x[2] - 5e-3) < 1e-9)
      *middle = -((double *)q.m->u.host)[3 * (int64_t)i] / (delta * 5e-3);
  }
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_wall(ig_ctx *cx, const ig_verify_sink *sink) {
  double one, two, four, fine[2];
  IG_TRY(wall(cx, 2, 1, &one));
  IG_TRY(wall(cx, 2, 2, &two));
  IG_TRY(wall(cx, 2, 4, &four));
  ig_stress_row(sink, "shrinkage of a wall: 2 elements per layer over 1", "no change", 1, two / one,
                0.02, false);
  ig_stress_row(sink, "4 elements per layer over 1", "no change", 1, four / one, 0.02, false);
  for (int i = 0; i < 2; i++)
    IG_TRY(wall(cx, 2 << i, 2 << i, fine + i));
  ig_stress_row(sink, "elements of 0.25 mm over 0.5 mm", "no change", 1, fine[1] / fine[0], 0.02,
                false);
  return IG_OK;
}

/* A strip of 4 mm on one of 4 mm, in `layers` with misfit alpha dT; curvature over the misfit. */
static ig_status strip(ig_ctx *cx, int layers, bool clamped, double yield, double *kappa) {
  ig_stress_problem q;
  const int cells[3] = {64, 1, 16};
  const double size[3] = {32e-3, 0.5e-3, 8e-3}, heat = 100, delta = 1.2e-5 * heat;
  ig_status status;
  TRY(strip_new(cx, &q, size, cells));
  ig_stress_problem_material(&q, 0, 200e9, 0, 1.2e-5, yield, isnan(yield) ? NAN : 0.5e9, 0);
  if (clamped)
    ig_stress_problem_hold(&q, "all", "x"); /* neither stretched nor bent */
  TRY(ig_stress_problem_open(&q));
  TRY(unborn(&q, cells, cells[2] / 2));
  for (int k = 0; k < layers; k++) {
    const int rows = cells[2] / 2 / layers;
    TRY(layer_born(&q, cells, cells[2] / 2 + k * rows, rows, T_START + heat, IG_NODES_DEFORMED));
    TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  }
  if (clamped) {
    q.m->held.list[q.m->held.count - 1].on = false;
    TRY(ig_stress_system_change(q.m, true));
    TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  }
  TRY(ig_array_pull(cx, &q.m->u));
  *kappa = 1e-3 * curvature(&q, size[0], size[0] / 4) / delta; /* a mm */
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_strips(ig_ctx *cx, const ig_verify_sink *sink) {
  double kappa;
  /* misfit 1.2e-3 is 240 MPa: half of it yields away, and hardening of 0.5 GPa keeps 0.3 MPa more
   */
  IG_TRY(strip(cx, 1, true, 120e6, &kappa));
  ig_stress_row(sink, "built clamped, yielding at half the stress: the same", "misfit sigma / E",
                0.1875 * 120.299252 / 240, kappa, 0.01, true);
  for (int n = 1; n <= 4; n *= 4) {
    IG_TRY(strip(cx, n, true, NAN, &kappa));
    ig_stress_row(sink, "built clamped, then freed: curvature over misfit, 1/mm",
                  "6 L H / (H + L)^3, any number of layers", 0.1875, kappa, 0.01, true);
  }
  static const double exact[] = {0.1875, 0.362847, 0.517876, 0.622352};
  for (int k = 0; k < 4; k++) {
    IG_TRY(strip(cx, 1 << k, false, NAN, &kappa));
    ig_stress_row(sink, "built free in 1, 2, 4, 8 layers: curvature over misfit, 1/mm",
                  "sum of 6 h (H + (k-1) h) / (H + k h)^3", exact[k], kappa, 0.01, true);
  }
  return IG_OK;
}

/* Layers of one element each, held flat while they are born at temperatures that rise by 10 K per
   layer, then freed: misfit is linear, so that nothing is left but curvature. */
ig_status ig_stress_verify_misfit(ig_ctx *cx, const ig_verify_sink *sink) {
  enum { LAYERS = 16 };
  ig_stress_problem q;
  const int cells[3] = {32, 1, LAYERS};
  const double size[3] = {16e-3, 0.5e-3, 8e-3}, rise = 10 / (size[2] / LAYERS);
  double mean[IG_STRESS_REPORT], worst = 0;
  ig_status status;
  TRY(strip_new(cx, &q, size, cells));
  ig_stress_problem_material(&q, 0, 200e9, 0, 1.2e-5, NAN, NAN, 0);
  ig_stress_problem_hold(&q, "all", "xy");
  TRY(ig_stress_problem_open(&q));
  TRY(unborn(&q, cells, 1));
  for (int k = 1; k < LAYERS; k++) {
    TRY(layer_born(&q, cells, k, 1, T_START + 10 * k, IG_NODES_DEFORMED));
    TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  }
  q.m->held.list[q.m->held.count - 1].on = false;
  TRY(ig_stress_system_change(q.m, true));
  TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  for (ig_lid e = 0; e < q.m->elements; e++)
    worst = fmax(worst, fabs(q.m->report[IG_STRESS_REPORT * (int64_t)e]));
  /* the misfit is constant in a layer: up to half a step off the line */
  ig_stress_row(sink, "linear misfit, freed: curvature, 1/m", "alpha dT/dz", 1.2e-5 * rise,
                curvature(&q, size[0], size[0] / 4), 0.01, true);
  ig_stress_row(sink, "largest stress over E alpha dT of the height",
                "none, but for half a step of one layer", 0, worst / (200e9 * 1.2e-5 * 10 * LAYERS),
                0.5 / LAYERS, false);
  double tip = 0;
  for (ig_lid i = 0; i < q.mesh->nodes; i++) {
    const double *x = q.mesh->x + 3 * (int64_t)i;
    if (fabs(x[0] - size[0]) + fabs(x[1]) + fabs(x[2]) < 1e-9)
      tip = ((double *)q.m->u.host)[3 * (int64_t)i + 2];
  }
  ig_stress_row(sink, "deflection of its end, m", "kappa l^2 / 2",
                0.5 * 1.2e-5 * rise * size[0] * size[0], tip, 0.01, true);
done:
  ig_stress_problem_free(&q);
  return status;
}

/* Half a bar is stretched by 1 %, the other half is born, both are let go. In MPa: stress of the
   newborn half; of both after that. */
static ig_status halves(ig_ctx *cx, int reference, double *old, double *born, double free[2],
                        double *missing) {
  ig_stress_problem q;
  const int cells[3] = {2, 1, 2};
  double mean[IG_STRESS_REPORT];
  ig_status status;
  TRY(strip_new(cx, &q, (double[]){1, 1, 2}, cells));
  ig_stress_problem_hold(&q, "z0", "z");
  ig_stress_problem_equal(&q, "x1", "x"); /* once the pull has ended: the end stays plane */
  q.late = 5;
  ig_stress_problem_hold(&q, "x1", NULL);
  ig_stress_support *pull = q.support + q.c.supports.count - 1;
  pull->components = "x";
  pull->displacement[0] = 0.01;
  pull->displacement[1] = pull->displacement[2] = 0;
  ig_stress_problem_material(&q, 0, 200e9, 0, 1.2e-5, NAN, NAN, 0);
  q.c.reference = reference;
  TRY(ig_stress_problem_open(&q));
  TRY(unborn(&q, cells, 1));
  TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(layer_born(&q, cells, 1, 1, T_START, IG_NODES_DEFORMED));
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  const double *o = q.m->report;
  *old = 1e-6 * o[0];
  *born = 1e-6 * o[IG_STRESS_REPORT * 2];
  q.m->held.list[q.m->held.count - 1].on = false;
  q.m->held.list[q.m->held.count - 2].on = true;
  TRY(ig_stress_system_change(q.m, true));
  q.m->balance.cut = true;
  TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  free[0] = 1e-6 * o[0];
  free[1] = 1e-6 * o[IG_STRESS_REPORT * 2];
  const ig_stress_balance *b = &q.m->balance;
  *missing =
      fabs(b->work + b->heat - b->stored - b->dissipated - b->annealed - b->released) / b->flow;
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_born(ig_ctx *cx, const ig_verify_sink *sink) {
  double old, born, free[2], missing;
  IG_TRY(halves(cx, IG_REFERENCE_BIRTH, &old, &born, free, &missing));
  ig_stress_row(sink, "stretched by 1 %: stress of the old half, MPa", "E e", 2000, old, 1e-9,
                true);
  ig_stress_row(sink, "of the newborn half, MPa", "none", 0, born, 1e-6, false);
  ig_stress_row(sink, "let go: stress of the old half, MPa", "half of it", 1000, free[0], 1e-6,
                true);
  ig_stress_row(sink, "let go: stress of the newborn half, MPa", "the other half", -1000, free[1],
                1e-6, true);
  ig_stress_row(sink, "energy balance: missing of what flowed", "none", 0, missing, 1e-8, false);
  IG_TRY(halves(cx, IG_REFERENCE_NOMINAL, &old, &born, free, &missing));
  ig_stress_row(sink, "total strain: stress of the newborn half, MPa", "E e", 2000, born, 1e-9,
                true);
  ig_stress_row(sink, "total strain, let go: stress of the newborn half, MPa", "none", 0, free[1],
                1e-6, false);
  ig_stress_row(sink, "energy balance: missing of what flowed", "none", 0, missing, 1e-8, false);
  return IG_OK;
}
