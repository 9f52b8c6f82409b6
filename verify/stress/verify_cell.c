/* Verification: supports of thin walls as a continuum, beside a cell in which the walls are meshed.
 */
#include "verify/stress/verify.h"

#include <math.h>
#include <stdlib.h>

#define YOUNG 200e9
#define SIZE 1e-3 /* m: an eighth of a cell, between planes of symmetry */

/* Cubes of a cell of N x N x N, and where there is metal. */
enum { N = 10 };
typedef bool metal_fn(int i, int j, int k);
/* walls along x and y, of a fifth of their spacing */
static bool block(int i, int j, int k) {
  (void)k;
  return i < N / 5 || j < N / 5;
}
/* one wall along x, with square holes of a quarter of its area */
static bool perforated(int i, int j, int k) {
  return j < N / 5 && !(i < N / 2 && k < N / 2);
}

/* Stress that stretches the cell upwards by 1e-3, by the strain; sides stay plane. */
static ig_status stretch(ig_ctx *cx, metal_fn *metal, const ig_homogenised_case *as,
                         double *young) {
  static const char *const side[] = {"x0", "y0", "z0"}, *const far[] = {"x1", "y1"},
                           *const axis[] = {"x", "y", "z"};
  ig_stress_problem q;
  ig_lid *list = NULL, count = 0;
  ig_status status;
  ig_stress_problem_new(cx, &q);
  TRY(ig_stress_problem_box(&q, (double[]){SIZE, SIZE, SIZE}, (int[]){N, N, N}));
  for (int i = 0; i < 3; i++)
    ig_stress_problem_hold(&q, side[i], axis[i]);
  for (int i = 0; i < 2; i++)
    ig_stress_problem_equal(&q, far[i], axis[i]);
  ig_stress_problem_hold(&q, "z1", NULL);
  ig_stress_support *lead = q.support + q.c.supports.count - 1;
  lead->components = "z";
  lead->displacement[0] = lead->displacement[1] = 0;
  lead->displacement[2] = 1e-3 * SIZE;
  lead->history = ig_stress_problem_constant(&q, 1);
  ig_stress_problem_material(&q, 0, YOUNG, 0.3, 0, NAN, NAN, 0);
  if (as) {
    q.material[0].homogenised = *as;
    TRY(ig_material_homogenise(cx, q.material));
  }
  TRY(ig_stress_problem_open(&q));
  TRY(IG_NEW(cx, &list, q.m->elements, "cell"));
  for (int e = 0; metal && e < N * N * N; e++)
    if (!metal(e % N, e / N % N, e / (N * N)))
      list[count++] = e;
  TRY(ig_stress_remove(q.m, list, count));
  TRY(ig_stress_system_change(q.m, false));
  TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(ig_array_pull(cx, &q.m->force));
  const double *force = q.m->force.host;
  *young = 0;
  for (ig_lid n = 0; n < q.mesh->nodes; n++)
    if (q.mesh->x[3 * n + 2] > 0.999 * SIZE)
      *young += force[3 * n + 2] / (SIZE * SIZE * 1e-3);
done:
  free(list);
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_cell(ig_ctx *cx, const ig_verify_sink *sink) {
  const ig_homogenised_case as[2] = {{.at = {.given = true},
                                      .share = NAN,
                                      .wall = 0.2e-3,
                                      .spacing = 1e-3,
                                      .kind = IG_WALLS_BLOCK,
                                      .stiffness_exponent = 1},
                                     {.at = {.given = true},
                                      .share = NAN,
                                      .wall = 0.2e-3,
                                      .spacing = 1e-3,
                                      .kind = IG_WALLS_LINE,
                                      .perforation = 0.25,
                                      .stiffness_exponent = 1}};
  double cell, body;
  IG_TRY(stretch(cx, block, NULL, &cell));
  IG_TRY(stretch(cx, NULL, as, &body));
  ig_stress_row(sink, "block supports, t/L = 0.2: modulus along the walls over that of the metal",
                "share 2 t/L - (t/L)^2", 0.36, body / YOUNG, 1e-6, true);
  ig_stress_row(sink, "the same of a cell with its walls meshed", "as the homogenised one",
                body / YOUNG, cell / YOUNG, 1e-6, true);
  IG_TRY(stretch(cx, perforated, NULL, &cell));
  IG_TRY(stretch(cx, NULL, as + 1, &body));
  ig_stress_row(sink, "a wall with square holes, a quarter of its area: modulus over its metal's",
                "Mori and Tanaka: t/L (1 - p) / (1 + 2 p)", 0.1, body / YOUNG, 1e-6, true);
  ig_stress_row(sink, "the same of a cell with its holes meshed", "within 10 %", body / YOUNG,
                cell / YOUNG, 0.1, true);
  return IG_OK;
}
