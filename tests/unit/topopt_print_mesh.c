/* Supports and heat of the print on meshes: known counts, the grid's figures where a mesh is one,
   parts of bodies that hang out of their mesh, slopes against differences. */
#include "check.h"
#include "backend/backend.h"
#include "geometry/mesh_case.h"
#include "topopt/design/overheat.h"
#include "topopt/design/support.h"
#include "verify/topopt/problem.h"

#include <string.h>

/* Cells of a millimetre, or half as many of twice the size split into tetrahedra. */
static ig_mesh *box(ig_ctx *cx, ig_elem_type type, double x, double y, double z, double cell) {
  ig_box_case b = {.size = IG_ROW(1e-3 * x, 1e-3 * y, 1e-3 * z),
                   .cells = IG_ROW(x / cell, y / cell, z / cell)};
  const ig_mesh_case c = {.boxes = {1, &b}, .element = (int)type + 1};
  ig_mesh *mesh;
  GOOD(cx, ig_mesh_generate(cx, &c, &mesh));
  return mesh;
}

static void body_open(ig_ctx *cx, const char *text, const ig_mesh *mesh, ig_topopt_problem *t) {
  GOOD(cx, ig_topopt_problem_open_with(cx, text, NULL, mesh, ig_topopt_mesh_model_assembly(cx), t));
}

static void evaluate(ig_ctx *cx, ig_topopt_problem *t, const double *x, ig_evaluation *e) {
  if (x)
    GOOD(cx, cx->backend->copy_in(cx, t->s->x.dev, x, (size_t)t->d->places * sizeof *x));
  ig_topopt_design_continue(&t->c, 1, e);
  GOOD(cx, ig_topopt_design_evaluate(t->s, e));
}

/* The table of unit/topopt_making on a mesh of its elements: to the last count; on tetrahedra,
   whose centres hold up what is beside a wall further out, within a fifth. */
static void supports_are_counted(void **state) {
  (void)state;
  static const char *const text =
      "{supports: [{set: zmin}], loads: [{set: zmax, force: [0, 0, -1]}], volume: 1, filter: "
      "{kind: none}, optimiser: {method: mma}, printing: {support_strength: 20e6}, passive: [{as: "
      "void, box: {min: [0, 0, 0], max: [0.004, 1, 0.006]}}, {as: void, box: {min: [0.008, 0, "
      "0.001], max: [1, 1, 0.006]}}, {box: {min: [0.004, 0, 0], max: [0.008, 1, 1]}}, {box: "
      "{min: [0, 0, 0.006], max: [1, 1, 1]}}], constraints: [{support_volume: 1e-9}, "
      "{removal_force: 1}, {box: {max: [0.006, 1, 1]}, support_volume: 1e-9}]}";
  static const ig_elem_type types[] = {IG_HEX8, IG_TET4, IG_TET10};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int k = 0; k < 3; k++) {
      const double slack = k == 0 ? 1e-9 : 0.2;
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_mesh *mesh = box(cx, types[k], 12, 4, 8, 1);
      ig_topopt_problem t;
      ig_evaluation e = {0};
      body_open(cx, text, mesh, &t);
      evaluate(cx, &t, NULL, &e);
      assert_near(e.limit[0], 12 * 6 + 12 * 5, slack * 132);
      assert_near(e.limit[1], 20 * 36, slack * 720);
      assert_near(e.limit[2], 12 * 6, slack * 72);
      ig_topopt_problem_close(&t);
      ig_mesh_free(mesh);
      ig_ctx_close(cx);
    }
}

/* An arm of a mesh that has nothing below it: what stands under its middle fills the air down to
   the plate. 3 of its 4 columns in a row of 2; the one beside the post is held up. */
static void air_below_a_mesh_is_filled(void **state) {
  (void)state;
  static const char *const text =
      "{supports: [{set: zmin}], loads: [{set: zmax, force: [0, 0, -1]}], volume: 1, filter: "
      "{kind: none}, optimiser: {method: mma}, printing: {}, "
      "constraints: [{support_volume: 1e-9}, {overheating: 1}, {box: {min: [0.002, 0, 0]}, "
      "support_volume: 1e-9}]}";
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_box_case part[2] = {{.size = IG_ROW(2e-3, 2e-3, 8e-3), .cells = IG_ROW(2, 2, 8)},
                         {.origin = IG_ROW(2e-3, 0, 5e-3),
                          .size = IG_ROW(4e-3, 2e-3, 3e-3),
                          .cells = IG_ROW(4, 2, 3)}};
  const ig_mesh_case c = {.boxes = {2, part}, .element = IG_HEX8 + 1};
  ig_topopt_problem t;
  ig_evaluation e = {0};
  ig_mesh *mesh;
  GOOD(cx, ig_mesh_generate(cx, &c, &mesh));
  body_open(cx, text, mesh, &t);
  double *x = calloc((size_t)t.d->places, sizeof *x);
  for (int64_t i = 0; i < t.d->places; i++)
    x[i] = 1;
  evaluate(cx, &t, x, &e);
  free(x);
  assert_near(e.limit[0], 3 * 2 * 5, 1e-9);
  assert_near(e.limit[2], 0, 1e-9);               /* of a region, what stands in its elements */
  assert_true(e.limit[1] > 2 && e.limit[1] < 60); /* the arm's first layer is over powder */
  ig_topopt_problem_close(&t);
  ig_mesh_free(mesh);
  ig_ctx_close(cx);
}

/* unit/topopt_making: seven elements of solid and one of powder in a slab of eight, which ends at
   the plate or goes into it; a slab all solid has 1 on tetrahedra, too. */
static void gaps_keep_heat_in(void **state) {
  (void)state;
  static const ig_elem_type types[] = {IG_HEX8, IG_TET4, IG_TET10};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int k = 0; k < 6; k++) {
      const int down = k % 2;
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_mesh *mesh = box(cx, types[k / 2], 6, 4, 8, 1);
      ig_topopt_problem t;
      ig_evaluation e = {0};
      char text[600];
      snprintf(text, sizeof text,
               "{supports: [{set: zmax}], loads: [{box: {min: [0.006, 0, 0.005]}, force: [0, 0, "
               "-1]}], volume: 1, filter: {kind: none}, optimiser: {method: mma}, printing: "
               "{direction: %s}, passive: [{as: void, box: {min: [0, 0, 0.003], max: [1, 1, "
               "0.004]}}], constraints: [{overheating: 1}, {box: {min: [0, 0, %s], max: [1, 1, "
               "%s]}, overheating: 1}]}",
               down ? "z-" : "z+", down ? "0.004" : "0", down ? "1" : "0.003");
      body_open(cx, text, mesh, &t);
      evaluate(cx, &t, NULL, &e);
      assert_near(e.peak[0], (7 + 100) / 8.0, 1e-4);
      assert_near(e.peak[1], 1, 1e-4); /* what is printed before the gap */
      ig_topopt_problem_close(&t);
      ig_mesh_free(mesh);
      ig_ctx_close(cx);
    }
}

#define GRAY                                                                                       \
  "supports: [{set: xmin}], loads: [{set: xmax, force: [0, 1, 0]}], volume: 0.5, filter: {kind: "  \
  "none}, optimiser: {method: mma}, solver: {tolerance: 1e-10}, printing: {direction: %s, slab: "  \
  "0.003, support_strength: 1e6, angle: %s}, constraints: [{support_volume: 1e-9}, "               \
  "{removal_force: 1}, {box: {min: [0.002, 0, 0], max: [1, 1, 0.004]}, support_volume: 1e-9}, "    \
  "{overheating: 1}, {box: {%s}, overheating: 1}]"

static double gray_of(int64_t i) {
  return 0.05 + 0.9 * (0.5 + 0.5 * sin(1.3 * (double)i + 0.2 * (double)(i * i % 17)));
}

/* Densities of any kind: an even mesh of hexahedra has the supports of the grid, and its heat but
   for slabs that reach into the plate. */
static void an_even_mesh_is_a_grid(void **state) {
  (void)state;
  static const char *const way[][3] = {{"z+", "45", "min: [0, 0, 0.003]"},
                                       {"x-", "30", "max: [0.003, 1, 1]"}};
  for (int k = 0; k < 2; k++) {
    char text[900], grid[1000], whole[1000];
    ig_ctx *cx = ctx_on("cpu", 2);
    ig_mesh *mesh = box(cx, IG_HEX8, 6, 4, 6, 1);
    ig_topopt_problem on[2];
    ig_evaluation e[2];
    memset(e, 0, sizeof e);
    snprintf(text, sizeof text, GRAY, way[k][0], way[k][1], way[k][2]);
    snprintf(grid, sizeof grid, "{grid: {elements: [6, 4, 6], size: [0.006, 0.004, 0.006]}, %s}",
             text);
    snprintf(whole, sizeof whole, "{%s}", text);
    GOOD(cx, ig_topopt_problem_open(cx, grid, &on[0]));
    body_open(cx, whole, mesh, &on[1]);
    for (int b = 0; b < 2; b++) {
      double *x = calloc((size_t)on[b].d->places, sizeof *x);
      const ig_grid *g = b == 0 ? &on[0].m->grid : NULL;
      int64_t at = 0;
      for (int z = 0; z < 6; z++)
        for (int y = 0; y < 4; y++)
          for (int i = 0; i < 6; i++, at++)
            x[g ? ig_grid_place(g, i, y, z) : at] = gray_of(at);
      evaluate(cx, &on[b], x, &e[b]);
      free(x);
    }
    for (int f = 0; f < 3; f++)
      assert_near(e[1].limit[f], e[0].limit[f], 1e-12 * e[0].limit[f]);
    assert_near(e[1].limit[3], e[0].limit[3], 0.05 * e[0].limit[3]);
    assert_near(e[1].limit[4], e[0].limit[4], 1e-6 * e[0].limit[4]);
    for (int b = 0; b < 2; b++)
      ig_topopt_problem_close(&on[b]);
    ig_mesh_free(mesh);
    ig_ctx_close(cx);
  }
}

/* Elements moved about, of each kind: slopes equal central differences. */
static void slopes_are_derivatives(void **state) {
  (void)state;
  static const ig_elem_type types[] = {IG_HEX8, IG_TET4, IG_TET10};
  for (int k = 0; k < 3; k++) {
    enum { FUNCTIONS = 5 };
    char text[900], whole[1000];
    ig_ctx *cx = ctx_on(k == 1 ? "debug" : "cpu", 2);
    ig_box_case b = {.size = IG_ROW(6e-3, 2e-3, 4e-3), .cells = IG_ROW(3, 1, 2)};
    const ig_mesh_case c = {.boxes = {1, &b},
                            .element = (int)types[k] + 1,
                            .jitter = {.at.given = true, .amount = 0.2, .seed = 3}};
    ig_topopt_problem t;
    ig_evaluation e = {0};
    ig_mesh *mesh;
    snprintf(text, sizeof text, GRAY, "z-", "40", "min: [0, 0, 0.001]");
    snprintf(whole, sizeof whole, "{%s}", text);
    GOOD(cx, ig_mesh_generate(cx, &c, &mesh));
    body_open(cx, whole, mesh, &t);
    const size_t n = (size_t)t.d->places;
    double *x = calloc(n, sizeof *x), *slope = calloc(FUNCTIONS * n, sizeof *x);
    for (size_t i = 0; i < n; i++)
      x[i] = gray_of((int64_t)i);
    evaluate(cx, &t, x, &e);
    for (int f = 0; f < FUNCTIONS; f++)
      GOOD(cx, cx->backend->copy_out(cx, slope + f * n, t.s->limit_slope[f].dev, n * sizeof *x));
    for (size_t i = 0; i < n; i += n / 3) {
      static const double where[4] = {-2, -1, 1, 2}, by[4] = {1, -8, 8, -1}, h = 1e-4;
      double rate[FUNCTIONS] = {0}, keep = x[i];
      for (int j = 0; j < 4; j++) {
        x[i] = keep + where[j] * h;
        evaluate(cx, &t, x, &e);
        for (int f = 0; f < FUNCTIONS; f++)
          rate[f] += by[j] * e.limit[f] / (12 * h);
      }
      x[i] = keep;
      for (int f = 0; f < FUNCTIONS; f++) {
        double most = 0;
        for (size_t m = 0; m < n; m++)
          most = fmax(most, fabs(slope[f * n + m]));
        assert_near(rate[f], slope[f * n + i], 1e-7 * most);
      }
    }
    free(x);
    free(slope);
    ig_topopt_problem_close(&t);
    ig_mesh_free(mesh);
    ig_ctx_close(cx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(supports_are_counted),   cmocka_unit_test(air_below_a_mesh_is_filled),
      cmocka_unit_test(gaps_keep_heat_in),      cmocka_unit_test(an_even_mesh_is_a_grid),
      cmocka_unit_test(slopes_are_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
