/* Topology optimisation under large deflections: points and plane elements of solid/, slopes, a
   body as the room of statics has it, a force inverter, what is refused. */
#include "case_figures.h"
#include "backend/backend.h"
#include "kern/fault.h"
#include "solid/solid.h"
#include "topopt/design/large.h"
#include "verify/topopt/problem.h"

#include <string.h>

static ig_solid_law law_of(int kind, bool large) {
  ig_solid_law law = ig_solid_isotropic(200, 0.35, 0);
  law.large = large;
  if (kind)
    law.law = IG_LAW_NEOHOOKE;
  return law;
}

static const double X[8] = {0, 0, 1.1, 0.1, 1, 0.9, -0.1, 1.2};
static const double U[8] = {0, 0, 0.1, 0.25, -0.15, 0.2, -0.3, 0.05};

/* Tangents of plane elements and slopes of stresses are derivatives; nothing acts across a plane
   under plane stress. */
static void points_and_planes_have_exact_tangents(void **state) {
  (void)state;
  const double h = 1e-6;
  for (int kind = 0; kind < 2; kind++)
    for (int large = 0; large < 2; large++)
      for (ig_solid_across across = IG_SOLID_SPACE; across <= IG_SOLID_PLANE_STRESS; across++) {
        const ig_solid_law law = law_of(kind, large);
        double H[9] = {0.1, 0.2, -0.1, -0.15, 0.05, 0.1, 0.2, -0.05, -0.1}, s[6], slope[54];
        assert_int_equal(ig_solid_stress(&law, across, H, s, slope), IG_FAULT_NONE);
        for (int c = 0; c < 9; c++) {
          double up[6], down[6], keep = H[c];
          H[c] = keep + h;
          assert_int_equal(ig_solid_stress(&law, across, H, up, NULL), IG_FAULT_NONE);
          H[c] = keep - h;
          assert_int_equal(ig_solid_stress(&law, across, H, down, NULL), IG_FAULT_NONE);
          H[c] = keep;
          for (int n = 0; n < 6; n++)
            assert_near((up[n] - down[n]) / (2 * h), slope[9 * n + c], 2e-6 * 200);
        }
        if (across == IG_SOLID_PLANE_STRESS)
          assert_near(s[2], 0, 1e-11);
        if (across == IG_SOLID_SPACE)
          continue;
        double f[8], K[64], u[8];
        memcpy(u, U, sizeof u);
        assert_int_equal(ig_solid_plane(&law, across, X, u, f, K), IG_FAULT_NONE);
        for (int j = 0; j < 8; j++) {
          double up[8], down[8];
          u[j] = U[j] + h;
          assert_int_equal(ig_solid_plane(&law, across, X, u, up, NULL), IG_FAULT_NONE);
          u[j] = U[j] - h;
          assert_int_equal(ig_solid_plane(&law, across, X, u, down, NULL), IG_FAULT_NONE);
          u[j] = U[j];
          for (int i = 0; i < 8; i++)
            assert_near((up[i] - down[i]) / (2 * h), K[8 * i + j], 2e-6 * 200);
        }
      }
}

/* Plane strain is a layer of hexahedra that nothing moves across. */
static void plane_strain_is_a_layer(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    const ig_solid_law law = law_of(kind, true);
    double f[8], x[24], u[24] = {0}, F[24], past[1] = {0}, now[1];
    for (int a = 0; a < 8; a++)
      for (int d = 0; d < 3; d++) {
        x[3 * a + d] = d < 2 ? X[2 * (a % 4) + d] : a / 4;
        u[3 * a + d] = d < 2 ? U[2 * (a % 4) + d] : 0;
      }
    assert_int_equal(ig_solid_plane(&law, IG_SOLID_PLANE_STRAIN, X, U, f, NULL), IG_FAULT_NONE);
    assert_int_equal(ig_solid_evaluate(IG_SOLID_HEX8, &law, x, u, NULL, past, now, F, NULL),
                     IG_FAULT_NONE);
    for (int a = 0; a < 4; a++)
      for (int d = 0; d < 2; d++)
        assert_near(F[3 * a + d] + F[3 * (a + 4) + d], f[2 * a + d], 1e-11);
  }
}

#define BEAM                                                                                       \
  "grid: {elements: [6, 3, 0], size: [2, 1, 0]}, supports: [{box: {max: [0, 9, 9]}}], "            \
  "void_ratio: 1e-6, optimiser: {method: mma}, filter: {kind: none}, "

static ig_status evaluate_at(ig_topopt_problem *t, double *x, ig_evaluation *e) {
  IG_TRY(t->cx->backend->copy_in(t->cx, t->s->x.dev, x, (size_t)t->d->places * sizeof *x));
  ig_topopt_design_continue(&t->c, 1, e);
  return ig_topopt_design_evaluate(t->s, e);
}

/* Objective and bounds, with elements whose energy is between that of small strains and their
   law's; all of them in `ingot verify topopt/large`. */
static void slopes_are_derivatives(void **state) {
  (void)state;
  static const char *const text =
      "{analysis: {large_deflections: true, law: neo_hookean, load_steps: 2}, " BEAM
      "loads: [{box: {min: [2, 0, 0]}, force: [0.001, -0.003, 0]}], constraints: [{stress: 0.1}, "
      "{box: {min: [2, 0, 0]}, direction: [0, -1, 0], displacement: 0.3}, {compliance: 0.01}]}";
  static const char *const backend[] = {"cpu", "debug"};
  for (int b = 0; b < 2; b++) {
    ig_ctx *cx = ctx_on(backend[b], 0);
    ig_topopt_problem t;
    ig_evaluation e = {0};
    GOOD(cx, ig_topopt_problem_open(cx, text, &t));
    const size_t n = (size_t)t.d->places;
    double *x = calloc(n, sizeof *x), *slope[4], most[4] = {0};
    int designed = 0, at[3], blended = 0;
    for (size_t i = 0; i < n; i++)
      if (((uint8_t *)t.m->role.host)[i] == IG_ROLE_DESIGN) {
        if (designed % 7 == 2)
          at[designed / 7] = (int)i;
        x[i] = designed % 4 == 2 ? 0.2 : 0.6 + 0.3 * sin(1.7 * designed);
        designed++;
      }
    GOOD(cx, evaluate_at(&t, x, &e));
    for (int i = 0; i < t.s->large->body.elements; i++)
      blended += t.s->large->blend[i] > 0.01 && t.s->large->blend[i] < 0.99;
    assert_true(blended > 0);
    assert_true(t.s->large->steps >= 2);
    for (int f = 0; f < 4; f++) {
      slope[f] = calloc(n, sizeof *x);
      const ig_array *from = f ? &t.s->limit_slope[f - 1] : &t.s->dc;
      GOOD(cx, cx->backend->copy_out(cx, slope[f], from->dev, n * sizeof *x));
      for (size_t i = 0; i < n; i++)
        most[f] = fmax(most[f], fabs(slope[f][i]));
    }
    for (int k = 0; k < 3; k++) {
      static const double where[4] = {-2, -1, 1, 2}, by[4] = {1, -8, 8, -1}, h = 1e-4;
      double rate[4] = {0}, keep = x[at[k]];
      for (int j = 0; j < 4; j++) {
        x[at[k]] = keep + where[j] * h;
        GOOD(cx, evaluate_at(&t, x, &e));
        for (int f = 0; f < 4; f++)
          rate[f] += by[j] * (f ? e.limit[f - 1] : e.objective) / (12 * h);
      }
      x[at[k]] = keep;
      for (int f = 0; f < 4; f++)
        assert_near(rate[f], slope[f][at[k]], 1e-6 * most[f]);
    }
    for (int f = 0; f < 4; f++)
      free(slope[f]);
    free(x);
    ig_topopt_problem_close(&t);
    ig_ctx_close(cx);
  }
}

/* Solid quadratic tetrahedra that bend by half of their length: as `structure` has it. */
static void solid_bodies_are_those_of_structure(void **state) {
  (void)state;
  static const char mesh[] = "{boxes: [{size: [0.4, 0.05, 0.1], cells: [8, 1, 2]}], "
                             "element: tet10, sets: [{name: tip, box: {min: [0.4, 0.05, 0.1]}}]}";
  static const char material[] = "{name: m, young: 1 GPa, poisson: 0.3}";
  const entry room[] = {{"mesh", mesh},
                        {"materials", material},
                        {"supports", "{set: xmin, fix: all}"},
                        {"loads", "{set: tip, force: [0, -12 kN, 1 kN]}"},
                        {"analysis", "{kind: static, large: true, tolerance: 1e-8}"},
                        {NULL, NULL}};
  seen_figures seen = {.want = (const wanted[]){{"displacement_max", 0, 0}, {NULL, 0, 0}}};
  ig_ctx *cx = ctx_on("cpu", 0);
  ig_case *c = case_with(cx, "structure", room);
  GOOD(cx, ig_run(c, &(ig_run_options){.figure = figure_see, .user = &seen}));
  ig_case_close(c);
  const double moved = seen.value[0];
  assert_true(moved > 0.15);
  const entry design[] = {{"mesh", mesh},
                          {"materials", material},
                          {"supports", "{set: xmin, fix: all}"},
                          {"loads", "{set: tip, force: [0, -12 kN, 1 kN]}"},
                          {"analysis", "{large_deflections: true, load_steps: 3}"},
                          {"volume", "1"},
                          {"iterations", "0"},
                          {"filter", "{kind: none}"},
                          {"surface", "{formats: []}"},
                          {NULL, NULL}};
  c = case_with(cx, "topopt", design);
  case_holds(cx, c, "large",
             (const wanted[]){{"large_displacement", moved, 1e-6},
                              {"reaction_sum_y", 12000, 1e-6},
                              {NULL, 0, 0}});
}

/* Bars of rectangles for which multigrid's first, optimistic smoother is not positive definite:
   solved iteratively, with and without a matrix, as directly, at two levels of load. */
static void iterative_corrections_are_the_direct_ones(void **state) {
  (void)state;
  static const char *const how[] = {"{large_deflections: true, linear_solver: direct}",
                                    "{large_deflections: true, linear_solver: iterative}",
                                    "{large_deflections: true, linear_solver: matrix_free}"};
  static const char *const load[] = {"{box: {min: [1, 0]}, force: [0, -1 kN, 0]}",
                                     "{box: {min: [1, 0]}, force: [0, -20 kN, 0]}"};
  for (int l = 0; l < 2; l++) {
    double moved = 0;
    for (int i = 0; i < 3; i++) {
      const entry design[] = {{"grid", "{elements: [20, 4, 0], size: [1, 0.1, 0.1]}"},
                              {"materials", "{name: m, young: 3 GPa, poisson: 0.4}"},
                              {"supports", "{box: {max: [0, 1]}}"},
                              {"loads", load[l]},
                              {"analysis", how[i]},
                              {"volume", "1"},
                              {"iterations", "1"},
                              {"filter", "{kind: none}"},
                              {NULL, NULL}};
      seen_figures seen = {.want = (const wanted[]){{"large_displacement", 0, 0}, {NULL, 0, 0}}};
      ig_ctx *cx = ctx_on("cpu", 0);
      ig_case *c = case_with(cx, "topopt", design);
      GOOD(cx, ig_run(c, &(ig_run_options){.figure = figure_see, .user = &seen}));
      ig_case_close(c);
      ig_ctx_close(cx);
      if (i == 0)
        moved = seen.value[0];
      assert_true(moved > 0.01);
      assert_near(seen.value[0], moved, 1e-7 * moved);
    }
  }
}

/* Half of Sigmund's inverter: its output goes the other way, and no further than it can. */
static void an_inverter_inverts(void **state) {
  (void)state;
  const entry set[] = {
      {"problem", "mechanism"},
      {"grid", "{elements: [24, 12, 0], size: [100 um, 50 um, 7 um]}"},
      {"materials", "{name: m, young: 180 GPa, poisson: 0.3}"},
      {"supports", "[{box: {max: [0, 4 um]}}, {box: {min: [0, 50 um]}, fix: y}]"},
      {"loads", "{box: {min: [0, 50 um], max: [0, 50 um]}, force: [0.5 mN, 0, 0]}"},
      {"springs", "[{box: {min: [0, 50 um], max: [0, 50 um]}, stiffness: [2000, 0, 0]}, {box: "
                  "{min: [100 um, 50 um]}, stiffness: [200, 0, 0]}]"},
      {"ports", "{box: {min: [100 um, 50 um]}, direction: [-1, 0, 0]}"},
      {"analysis", "{large_deflections: true}"},
      {"volume", "0.3"},
      {"filter", "{kind: density, radius: 8 um}"},
      {"optimiser", "{method: mma}"},
      {"iterations", "25"},
      {NULL, NULL}};
  ig_ctx *cx = ctx_on("cpu", 0);
  ig_case *c = case_with(cx, "topopt", set);
  seen_figures seen = {.want = (const wanted[]){{"objective", 0, 0}, {NULL, 0, 0}}};
  GOOD(cx, ig_run(c, &(ig_run_options){.figure = figure_see, .user = &seen}));
  ig_case_close(c);
  ig_ctx_close(cx);
  if (!(seen.value[0] < -5e-8))
    fail_msg("the output moves by %g m", -seen.value[0]);
}

static void what_is_not_supported_is_named(void **state) {
  (void)state;
  static const struct {
    const char *more, *words;
  } cases[] = {
      {"problem: frequency", "not with problem: frequency"},
      {"constraints: [{buckling: 2}], loads: [{box: {min: [2, 0]}, force: [0, -1, 0]}]",
       "not with a bound on buckling"},
      {"minimise: buckling, loads: [{box: {min: [2, 0]}, force: [0, -1, 0]}]",
       "not with minimise: buckling"},
      {"surface: {analyse: true}, loads: [{box: {min: [2, 0]}, force: [0, -1, 0]}]",
       "not with surface: analyse"},
      {"loads: [{box: {min: [2, 0]}, force: [0, -1, 0]}], supports: [{box: {max: [0, 9]}}, {box: "
       "{min: [2, 0]}, fix: x, displacement: [0.1, 0, 0]}]",
       "not with supports that move"},
      {"loads: [{box: {min: [2, 0]}, force: [0, -3, 0]}]", "give more analysis: load_steps"}};
  ig_ctx *cx = ctx_on("cpu", 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[800];
    ig_topopt_problem t;
    ig_evaluation e = {0};
    snprintf(text, sizeof text,
             "{analysis: {large_deflections: true}, grid: {elements: [6, 3, 0], size: [2, 1, 0]}, "
             "%s%s, filter: {kind: density, radius: 0.6}, optimiser: {method: mma}}",
             strstr(cases[i].more, "supports") ? "" : "supports: [{box: {max: [0, 9]}}], ",
             cases[i].more);
    ig_status status = ig_topopt_problem_open(cx, text, &t);
    if (status == IG_OK) {
      ig_topopt_design_continue(&t.c, 1, &e);
      status = ig_topopt_design_evaluate(t.s, &e);
      ig_topopt_problem_close(&t);
    }
    assert_int_not_equal(status, IG_OK);
    SAYS(cx, cases[i].words);
  }
  ig_topopt_problem t;
  BAD(cx, ig_topopt_problem_open(cx, "{analysis: {load_steps: 4}, " BEAM "volume: 0.5}", &t),
      "give large_deflections: true");
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(points_and_planes_have_exact_tangents),
                                     cmocka_unit_test(plane_strain_is_a_layer),
                                     cmocka_unit_test(slopes_are_derivatives),
                                     cmocka_unit_test(solid_bodies_are_those_of_structure),
                                     cmocka_unit_test(iterative_corrections_are_the_direct_ones),
                                     cmocka_unit_test(an_inverter_inverts),
                                     cmocka_unit_test(what_is_not_supported_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
