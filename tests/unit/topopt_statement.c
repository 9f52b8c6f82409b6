/* Topology optimisation: what a run says at its end, what it refuses, and designs that came out
   wrong once. */
#include "check.h"
#include "closed.h"
#include "material/material.h"
#include "geometry/mesh_case.h"
#include "verify/topopt/problem.h"
#include "topopt/surface/surface.h"
#include "topopt_run.h"

#define GRID                                                                                       \
  "physics: topopt\noutput: {count: 0}\nsolver: {tolerance: 1.0e-9}\ngrid: {elements: [12, 6, "    \
  "0]}\nsupports: [{box: {max: [0, 6]}}]\n"
#define LOAD "loads: [{box: {min: [12, 3], max: [12, 3]}, force: [0, -1, 0]}]\n"
#define MESH                                                                                       \
  "physics: topopt\noutput: {count: 0}\nsolver: {tolerance: 1.0e-9}\nsurface: {formats: "          \
  "[]}\nmesh: {boxes: [{name: part, size: [6, 3, 2], cells: [6, 3, 2]}]}\nsupports: [{set: "       \
  "xmin}]\n"
#define PULL "loads: [{set: xmax, force: [0, -1, 0], spread: faces}]\n"

/* --- runs go on until the ramps have arrived --- */

static void ramps_arrive_before_a_run_ends(void **state) {
  (void)state;
  static const char *const body[] = {GRID LOAD, MESH PULL};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int b = 0; b < 2; b++) {
      char text[1000];
      outcome o;
      /* five iterations at 1, then 1.3, … 1.3^4, 3: any change would do from the first on */
      snprintf(
          text, sizeof text,
          "%schange: 1\npenalty_ramp: {initial_value: 1, hold: 5, factor: 1.3}\niterations: 30\n",
          body[b]);
      run_good(*backend, text, &o);
      assert_int_equal(o.steps, 10);
      assert_string_equal(o.stopped, "the design no longer changes");
      snprintf(text, sizeof text,
               "%schange: 1\nfilter: {kind: density, radius: 1.5}\nprojection: {beta: 1, beta_max: "
               "8, every: 3}\niterations: 30\n",
               body[b]);
      run_good(*backend, text, &o);
      assert_int_equal(o.steps, 10);
      snprintf(text, sizeof text, "%schange: 1\npenalty_ramp: {hold: 5}\niterations: 4\n", body[b]);
      run_good(*backend, text, &o);
      assert_non_null(strstr(o.stopped, "before the ramps arrived: penalty 1 of 3"));
    }
}

/* --- optimality criteria --- */

static void oc_finds_a_mechanism(void **state) {
  (void)state;
  static const char text[] =
      "physics: topopt\nproblem: mechanism\noutput: {count: 0}\ngrid: {elements: [40, 20, "
      "0]}\nsymmetry: [y-]\nsupports: [{box: {min: [0, 19], max: [0, 20]}}]\nloads: [{box: {max: "
      "[0, 1]}, force: [1, 0, 0]}]\nsprings:\n  - {box: {max: [0, 1]}, stiffness: [0.1, 0, "
      "0]}\n  - {box: {min: [40, 0], max: [40, 1]}, stiffness: [0.1, 0, 0]}\nports: [{box: {min: "
      "[40, 0], max: [40, 1]}, direction: [-1, 0, 0]}]\nvolume: 0.3\nvoid_ratio: 1.0e-4\nfilter: "
      "{kind: density, radius: 1.5}\niterations: 60\noptimiser: {%s, move_limit: 0.1}\n";
  double found[2];
  for (int i = 0; i < 2; i++) {
    char all[1200];
    outcome o;
    snprintf(all, sizeof all, text, i ? "method: oc, damping: 0.3" : "method: mma");
    run_good(backend_last(), all, &o);
    found[i] = o.objective;
  }
  /* both pull; neither is the other's optimum */
  if (!(found[0] < -0.5 && found[1] < 0.85 * found[0]))
    fail_msg("mma %g, oc %g", found[0], found[1]);
}

static void oc_does_not_mind_units(void **state) {
  (void)state;
  static const struct {
    const char *force, *young;
    double ratio;
  } scale[] = {
      {"1", "1", 1}, {"1.0e20", "1", 1e40}, {"1.0e-20", "1", 1e-40}, {"1", "1.0e-40", 1e40}};
  double first = 0;
  for (size_t i = 0; i < sizeof scale / sizeof *scale; i++) {
    char text[800], says[512];
    outcome o;
    snprintf(text, sizeof text,
             GRID "materials: [{name: m, young: %s, poisson: 0.3}]\nvolume: 0.3\nloads: [{box: "
                  "{min: [12, 3], max: [12, "
                  "3]}, force: [0, -%s, 0]}]\niterations: 8\n",
             scale[i].young, scale[i].force);
    run_good("cpu", text, &o);
    first = i ? first : o.objective;
    assert_near(o.volume, 0.3, 1e-6);
    assert_near(o.objective / scale[i].ratio / first, 1, 1e-6);
    snprintf(text, sizeof text,
             GRID "loads: [{box: {min: [12, 3], max: [12, 3]}, force: [0, -1.0e300, 0]}]\n");
    assert_int_equal(run_text("cpu", text, &o, says), IG_INPUT);
  }
}

/* Projection takes moving asymptotes unless the case insists on what cannot work. */
static void projection_takes_moving_asymptotes(void **state) {
  (void)state;
  static const char text[] = GRID LOAD "filter: {kind: density, radius: 1.5}\nprojection: {beta: "
                                       "4}\niterations: 6\noptimiser: {%s}\n";
  char all[800], says[512];
  outcome o, mma;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    snprintf(all, sizeof all, text, "move_limit: 0.2");
    run_good(*backend, all, &o);
    snprintf(all, sizeof all, text, "method: mma");
    run_good(*backend, all, &mma);
    assert_true(o.objective == mma.objective);
  }
  snprintf(all, sizeof all, text, "method: oc");
  assert_int_equal(run_text("cpu", all, &o, says), IG_INPUT);
  assert_non_null(strstr(says, "projection: needs optimiser: {method: mma}"));
}

/* --- materials --- */

/* A bar of two halves in tension, Poisson's ratio 0: F^2 (L1 / E1 + L2 / E2) / A. */
static void each_material_has_its_own_modulus(void **state) {
  (void)state;
  static const char *const body[] = {
      "grid: {elements: [8, 4, 0]}\nsets: [{name: right, box: {min: [4, 0]}}]\nsupports: [{box: "
      "{max: [0, 4]}, fix: x}, {box: {max: [0, 0]}}]\nloads: [{box: {min: [8, 0]}, force: [6, 0, "
      "0], spread: faces}]\n",
      "mesh: {boxes: [{name: left, size: [4, 2, 2], cells: [4, 2, 2]}, {name: right, origin: [4, "
      "0, 0], size: [4, 2, 2], cells: [4, 2, 2]}]}\nsupports: [{set: xmin, fix: x}, {box: {max: "
      "[0, 0, 9]}, fix: y}, {box: {max: [0, 9, 0]}, fix: z}]\nloads: [{set: xmax, force: [6, 0, "
      "0], spread: faces}]\n"};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int b = 0; b < 2; b++) {
      char text[1200];
      outcome o;
      snprintf(text, sizeof text,
               "physics: topopt\noutput: {count: 0}\nsolver: {tolerance: 1.0e-10}\nvolume: "
               "1\niterations: 0\nmaterials: [{name: hard, young: 10, poisson: 0}, {name: soft, "
               "set: right, young: 2, poisson: 0}]\n%s",
               body[b]);
      run_good(*backend, text, &o);
      assert_near(o.objective, 36 * (4 / 10. + 4 / 2.) / 4, 1e-6);
    }
}

/* Two blocks one behind the other, held sideways everywhere: E (1 - nu) / ((1 + nu) (1 - 2 nu))
   each; the sideways stress is nu / (1 - nu) of that along. */
static void meshes_have_several_ratios(void **state) {
  (void)state;
  static const char *const element[] = {"hex8", "tet4", "tet10"};
  const double nu[2] = {0.1, 0.45}, along = 6 / 4.;
  double exact = 0;
  for (int i = 0; i < 2; i++)
    exact += 36 * 4 / 4. / ((i ? 2 : 10) * (1 - nu[i]) / ((1 + nu[i]) * (1 - 2 * nu[i])));
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int b = 0; b < 3; b++) {
      char text[1200];
      outcome o;
      snprintf(
          text, sizeof text,
          "physics: topopt\noutput: {count: 0}\nsolver: {tolerance: 1.0e-11}\nvolume: "
          "1\niterations: 0\nfilter: {kind: density}\nsurface: {formats: []}\nmaterials: [{name: "
          "hard, young: 10, poisson: "
          "0.1}, {name: soft, set: right, young: 2, poisson: 0.45}]\nmesh: {boxes: [{name: "
          "left, size: [4, 2, 2], cells: [3, 2, 2]}, {name: right, origin: [4, 0, 0], size: [4, "
          "2, 2], cells: [3, 2, 2]}], element: %s}\nsupports: [{set: xmin, fix: x}, {fix: "
          "yz}]\nloads: [{set: xmax, force: [6, 0, 0], spread: faces}]\nconstraints: [{stress: "
          "9}]\n",
          element[b]);
      run_good(*backend, text, &o);
      assert_near(o.objective / exact, 1, 1e-9);
      assert_near(o.stress, along * (1 - 2 * nu[0]) / (1 - nu[0]), 1e-8); /* the larger of both */
    }
}

/* Objective and first limit against central differences at three elements. */
static void compare_slopes(ig_ctx *cx, const char *text, const ig_mesh *mesh) {
  const char *right = "right";
  ig_material_case m[2] = {
      {.name = "a", .young = 10, .poisson = 0.3},
      {.name = "b", .young = 2, .poisson = mesh ? 0.1 : 0.3, .set = {1, &right}}};
  const ig_list list = {2, m};
  ig_topopt_problem t;
  ig_evaluation e = {0};
  GOOD(cx, ig_topopt_problem_open_with(cx, text, &list, mesh, IG_GATHER, &t));
  ig_topopt_design_continue(&t.c, 1, &e);
  double *x = t.s->x.host;
  for (int64_t i = 0; i < t.d->places; i++)
    x[i] = t.d->role[i] ? 0.4 + 0.3 * sin(1.7 * (double)i) : 0;
  double *dc = calloc((size_t)t.d->places, 8), *dl = calloc((size_t)t.d->places, 8);
  for (int probe = -1; probe < 3; probe++) {
    const int of = 1 + 2 * (probe < 0 ? 0 : probe);
    const int64_t at = mesh ? 4 * of : ig_grid_place(&t.m->grid, of, 2, 0);
    const double old = x[at], step = 1e-5;
    double value[2], limit[2];
    for (int side = 0; side < 2; side++) {
      x[at] = probe < 0 ? old : old + (side ? step : -step);
      GOOD(cx, ig_array_push(cx, &t.s->x));
      GOOD(cx, ig_topopt_design_evaluate(t.s, &e));
      value[side] = e.objective;
      limit[side] = e.limit[0];
    }
    x[at] = old;
    if (probe < 0) {
      memcpy(dc, t.s->dc.dev, (size_t)t.d->places * 8);
      memcpy(dl, t.s->limit_slope[0].dev, (size_t)t.d->places * 8);
      continue;
    }
    assert_near((value[1] - value[0]) / (2 * step) / dc[at], 1, 1e-6);
    assert_near((limit[1] - limit[0]) / (2 * step) / dl[at], 1, 1e-6);
  }
  free(dc);
  free(dl);
  ig_topopt_problem_close(&t);
}

/* Slopes where moduli differ, on a mesh Poisson's ratios, too. */
static void slopes_know_the_materials(void **state) {
  (void)state;
  static const char grid[] =
      "{grid: {elements: [6, 4, 0]}, volume: 0.5, sets: [{name: right, box: {min: [3, 0]}}], "
      "supports: [{box: {max: [0, 4]}}], loads: [{box: {min: [6, 0], max: [6, 0]}, force: [0, -1, "
      "0]}], filter: {kind: density, radius: 1.5}, constraints: [{compliance: 50}], solver: "
      "{tolerance: 1e-12, preconditioner: jacobi}}";
  static const char body[] =
      "{volume: 0.5, supports: [{set: xmin}], loads: [{set: xmax, force: [0, -1, 0.3]}], filter: "
      "{kind: density, radius: 1.5}, constraints: [{stress: 5}], solver: {tolerance: 1e-12}}";
  ig_box_case boxes[2] = {{.name = "left", .size = IG_ROW(3, 2, 2), .cells = IG_ROW(3, 2, 2)},
                          {.name = "right",
                           .origin = IG_ROW(3, 0, 0),
                           .size = IG_ROW(3, 2, 2),
                           .cells = IG_ROW(3, 2, 2)}};
  const ig_mesh_case both = {.boxes = {2, boxes}, .order = 1};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_mesh *mesh;
  GOOD(cx, ig_mesh_generate(cx, &both, &mesh));
  compare_slopes(cx, grid, NULL);
  compare_slopes(cx, body, mesh);
  ig_mesh_free(mesh);
  ig_ctx_close(cx);
}

/* --- symmetry --- */

/* A half with its plane of symmetry is the whole: cone filters see the other side. */
static void a_half_is_the_whole(void **state) {
  (void)state;
  static const char *const kind[] = {"density", "sensitivity"};
  static const char *const body[][2] = {
      {"grid: {elements: [8, 6, 0]}, symmetry: [x+], supports: [{box: {max: [1, 0]}}], loads: "
       "[{box: {min: [8, 6], max: [8, 6]}, force: [0, -0.5, 0]}]",
       "grid: {elements: [16, 6, 0]}, supports: [{box: {max: [1, 0]}}, {box: {min: [15, 0], max: "
       "[16, 0]}}], loads: [{box: {min: [8, 6], max: [8, 6]}, force: [0, -1, 0]}]"},
      {"symmetry: [x+], supports: [{box: {max: [1, 0, 9]}}], loads: [{box: {min: [4, 3, 0]}, "
       "force: [0, -0.5, 0]}]",
       "supports: [{box: {max: [1, 0, 9]}}, {box: {min: [7, 0, 0], max: [8, 0, 9]}}], loads: "
       "[{box: {min: [4, 3, 0], max: [4, 3, 9]}, force: [0, -1, 0]}]"}};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int b = 0; b < 2; b++)
      for (int k = 0; k < 2; k++) {
        double found[2];
        for (int whole = 0; whole < 2; whole++) {
          char text[800];
          ig_ctx *cx = ctx_on(*backend, 2);
          ig_topopt_problem t;
          ig_evaluation e = {0};
          ig_mesh *mesh = NULL;
          if (b)
            GOOD(cx, ig_mesh_box(cx, IG_HEX8, (double[]){whole ? 8 : 4, 3, 2},
                                 (int[]){whole ? 8 : 4, 3, 2}, &mesh));
          snprintf(text, sizeof text,
                   "{volume: 0.4, filter: {kind: %s, radius: 2.3}, solver: {tolerance: 1e-11}, %s}",
                   kind[k], body[b][whole]);
          GOOD(cx, ig_topopt_problem_open_how(cx, text, mesh, IG_GATHER, &t));
          for (int it = 1; it <= 6; it++)
            GOOD(cx, ig_topopt_problem_iterate(&t, it, &e));
          found[whole] = e.objective;
          ig_topopt_problem_close(&t);
          ig_mesh_free(mesh);
          ig_ctx_close(cx);
        }
        assert_near(2 * found[0] / found[1], 1, 1e-7);
      }
}

/* The surface is mirrored, and so the mass is the whole part's: volume x 2 x 12 m^3 x 2 kg/m^3 for
   each plane. The model's own mass has a name of its own. */
static void mass_is_that_of_the_surface(void **state) {
  (void)state;
  static const char *const body[] = {"grid: {elements: [4, 3, 2]}\nsupports: [{set: xmin}]\n",
                                     "mesh: {boxes: [{name: a, size: [4, 3, 2], cells: [4, 3, "
                                     "2]}]}\nsupports: [{set: xmin}]\n"};
  static const struct {
    const char *more;
    double copies;
  } half[] = {{"", 1},
              {"symmetry: [y+]\n", 2},
              {"symmetry: [y+, z-]\n", 4},
              {"symmetry: [y+]\nsurface: {mirror: false}\n", 1}};
  for (int b = 0; b < 2; b++)
    for (size_t i = 0; i < sizeof half / sizeof *half; i++) {
      char text[600];
      outcome o;
      snprintf(text, sizeof text,
               "physics: topopt\noutput: {count: 0}\n%sloads: [{set: xmax, force: [0, 0, -1], "
               "spread: faces}]\nmaterials: {name: m, young: 1, poisson: 0.3, density: 2}\n"
               "volume: 0.5\niterations: 1\n%s",
               body[b], half[i].more);
      run_good("cpu", text, &o);
      assert_near(o.mass, 24 * half[i].copies, 1e-6 * 24);
      assert_near(o.model_mass, half[i].copies > 1 ? 24 : 0, 1e-6 * 24);
      assert_near(o.surface_volume, 12 * half[i].copies, 0.1 * 12 * half[i].copies);
    }
}

/* Sums of loads known by hand, with minus these as reactions: force, pressure, weight, springs, a
   mesh; a bar of 4 x 3 x 2 drawn out by a prescribed displacement has no load. */
static void reactions_balance_loads(void **state) {
  (void)state;
#define BAR "physics: topopt\noutput: {count: 0}\nvolume: 0.5\niterations: 0\n"
#define BOX "solver: {tolerance: 1.0e-9}\ngrid: {elements: [4, 3, 2]}\n"
  static const struct {
    const char *text;
    double load[3];
  } known[] = {
      {BAR BOX "supports: [{set: xmin}]\nloads: [{set: xmax, force: [1, -2, 3], spread: faces}]\n",
       {1, -2, 3}},
      {BAR BOX "supports: [{set: xmin}]\nloads: [{set: xmax, pressure: 5}]\n", {-30, 0, 0}},
      /* 0.5 x 24 m^3 x 2 kg/m^3, a quarter of it and a third of the force on nodes held along z */
      {BAR BOX "filter: {kind: none}\nmaterials: {name: m, young: 1, poisson: 0.3, density: 2}\n"
               "supports: [{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]\nloads: "
               "[{gravity: [0, 0, -10]}, {set: xmax, force: [0, 0, -7]}]\n",
       {0, 0, -180 - 14.0 / 3}},
      {BAR BOX "supports: [{set: xmin, fix: yz}]\nsprings: [{set: xmin, stiffness: [2, 0, 0]}]\n"
               "loads: [{set: xmax, force: [4, 0, 0]}]\n",
       {4, 0, 0}},
      {BAR
       "solver: {tolerance: 1.0e-9}\nmesh: {boxes: [{name: a, size: [4, 3, 2], cells: [4, 3, "
       "2]}]}\nsupports: [{set: xmin}]\nloads: [{set: xmax, force: [1, -2, 3], spread: faces}]\n",
       {1, -2, 3}}};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
      outcome o;
      run_good(*backend, known[i].text, &o);
      for (int d = 0; d < 3; d++) {
        assert_near(o.load_sum[d], known[i].load[d], 1e-9);
        assert_near(o.reaction_sum[d], -o.load_sum[d], 1e-6);
      }
    }
  outcome o;
  run_good("cpu", BAR BOX "supports: [{set: xmin}, {set: xmax, fix: x, displacement: [1, 0, 0]}]\n",
           &o);
  for (int d = 0; d < 3; d++) {
    assert_near(o.load_sum[d], 0, 1e-9);
    assert_near(o.reaction_sum[d], 0, 1e-6);
  }
  run_good("cpu",
           BAR BOX "problem: heat\nsource: 2\nsupports: [{set: xmin}]\nloads: [{set: xmax, heat: "
                   "3}]\n",
           &o);
  assert_near(o.heat_in, 3 + 2 * 24 * (1 - 0.5 / 4), 1e-9); /* half an element is at held nodes */
  assert_near(o.heat_out, o.heat_in, 1e-6);
#undef BAR
#undef BOX
}

/* --- what cannot be, and what is said of it --- */

static void infeasible_is_said(void **state) {
  (void)state;
  outcome o;
  run_good(backend_last(),
           GRID LOAD "volume: 0.3\niterations: 10\nconstraints: [{box: {min: [12, 3], max: [12, "
                     "3]}, direction: [0, -1, 0], displacement: 1.0e-3}]\n",
           &o);
  assert_non_null(strstr(o.feasible, "no: constraint 1 (displacement) is "));
  assert_non_null(strstr(o.warning, "not feasible"));
  run_good("cpu", GRID LOAD "volume: 0.3\niterations: 10\n", &o);
  assert_non_null(strstr(o.feasible, "no: only gray material carries: no load acts on elements"));
  run_good("cpu", GRID LOAD "volume: 0.6\niterations: 60\n", &o);
  assert_string_equal(o.feasible, "yes");
  assert_true(o.pieces >= 1 && o.cavities == 0);
}

static void pieces_and_cavities_are_counted(void **state) {
  (void)state;
  outcome o;
  /* a box within a box, and one more box apart; the part is the first, unless islands are kept */
  for (int keep = 0; keep < 2; keep++) {
    char text[700];
    snprintf(text, sizeof text,
             "physics: topopt\noutput: {count: 0}\ngrid: {elements: [9, 5, 5]}\nvolume: "
             "1\niterations: 0\nsupports: [{box: {max: [0, 5, 5]}}]\nloads: [{box: {min: [5, 0, "
             "0], max: [5, 5, 5]}, force: [0, 0, -1]}]\npassive: [{box: {min: [1, 1, 1], max: [4, "
             "4, 4]}, as: void}, {box: {min: [2, 2, 2], max: [3, 3, 3]}}, {box: {min: [5, 0, 0], "
             "max: [6, 5, 5]}, as: void}]\nvoid_ratio: 1.0e-3\nsurface: {islands: %s}\n",
             keep ? "true" : "false");
    run_good("cpu", text, &o);
    assert_true(o.pieces == 3 && o.cavities == 1);
    assert_non_null(strstr(o.warning, "1 cavity"));
    assert_near(o.surface_volume, 9 * 25 - 27 - 25 + (keep ? 1 : -75), 0.02 * 174);
    assert_near(o.islands, keep ? 0 : 2, 0);
  }
  run_good(
      "cpu",
      "physics: topopt\noutput: {count: 0}\nsurface: {formats: []}\nmesh: {boxes: [{name: a, "
      "size: [5, 5, 5], cells: [5, 5, 5]}]}\nvolume: 1\niterations: 0\nsymmetry: [x-]\nsupports: "
      "[{set: ymin}]\nloads: [{set: ymax, force: [0, 0, -1]}]\npassive: [{box: {max: [4, 4, "
      "4], min: [0, 1, 1]}, as: void}]\nvoid_ratio: 1.0e-3\n",
      &o);
  assert_true(o.pieces == 1 && o.cavities == 1);
}

static void slips_are_refused(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {GRID LOAD "materials: [{name: s, density: 7800}]\n", "lacks 'young'"},
      {GRID LOAD "materials: [{name: s, young: 1, poisson: 0.3}, {name: r, young: 1, poisson: "
                 "0.4}]\n",
       "one Poisson's ratio for all"},
      {GRID LOAD "sets: [{name: a, box: {max: [2, 9]}}]\nmaterials: [{name: s, set: a, young: 1, "
                 "poisson: 0.3}]\n",
       "60 elements are in no material's sets"},
      {GRID LOAD "materials: [{name: s, young: 1, poisson: 0.3}, {name: r, young: 2, poisson: "
                 "0.3}]\n",
       "case.yaml:7:48: materials: neither 's' nor 'r' has a `set`"},
      {MESH PULL "materials: [{name: s, young: 1, poisson: 0.3}, {name: r, young: 2, poisson: "
                 "0.3}]\n",
       "neither 's' nor 'r' has a `set`"},
      {GRID LOAD "sets: [{name: a, box: {max: [2, 9]}}, {name: b, box: {max: [3, 9]}}]\n"
                 "materials: [{name: t, young: 1, poisson: 0.3}, {name: s, set: a, young: 1, "
                 "poisson: 0.3}, {name: r, set: b, young: 2, poisson: 0.3}]\n",
       "no element is made of 's'"},
      {GRID LOAD "volume: 0.1\npassive: [{box: {max: [6, 6]}}]\n", "cannot be met"},
      {GRID LOAD "volume: 0.3\noptimiser: {method: oc, x_min: 0.4}\n", "with optimiser: x_min 0.4"},
      {GRID LOAD "volume: 0.2\npassive: [{box: {max: [4, 3]}}]\nfilter: {kind: density, radius: "
                 "2.5}\n",
       "are 0.1667 of the body, and 0.2013 with what the filter adds around them"},
      {GRID LOAD "weights: [1, 2]\n", "2 given for 1 load cases"},
      {GRID LOAD "filter: {kind: density, radius: 2}\nprojection: {robust: 0.2}\n", "give beta"},
      {GRID LOAD "passive: [{box: {min: [10, 0]}, as: void}]\n", "at (12, 3, 0) m are held void"},
      {GRID LOAD "constraints: [{displacement: 1}]\n", "along which direction"},
      {GRID LOAD "springs: [{box: {min: [12, 0]}, stiffness: [0, -1, 0]}]\n",
       "a stiffness is below 0"},
      {GRID LOAD "minimise: displacement\n", "ports: of what"},
      {GRID "problem: heat\n", "give 'heat' in it, or a 'source'"},
      {GRID LOAD "surface: {formats: [foo]}\n", "case.yaml:7:10: surface.formats: 'foo' is none"},
      {MESH PULL "materials: [{name: s, density: 7800}]\n", "lacks 'young'"},
      {MESH PULL "passive: [{box: {min: [4, 0, 0]}, as: void}]\n", "are held void"},
      {MESH PULL "volume: 0.1\npassive: [{box: {max: [3, 3, 2]}}]\n", "cannot be met"}};
  run_refused(bad, sizeof bad / sizeof *bad);
  outcome o;
  run_good("cpu", GRID LOAD "filter: {radius: 0.8}\niterations: 1\n", &o);
  assert_non_null(strstr(o.warning, "radius of 0.8 m reaches no neighbour"));
  run_good("cpu",
           GRID LOAD "volume: 0.7\npassive: [{box: {min: [0, 4]}, as: void}]\niterations: 1\n", &o);
  assert_non_null(strstr(o.warning, "volume: 0.7 bounds nothing"));
  assert_non_null(strstr(o.warning, "leave 0.6667 of it"));
  run_good("cpu", GRID LOAD "volume: 1\niterations: 2\n", &o);
  assert_non_null(strstr(o.warning, "volume: 1 bounds nothing: the whole body may be solid"));
  run_good("cpu", GRID LOAD "volume: 1\niterations: 1\n", &o); /* the body as it is */
  assert_null(strstr(o.warning, "bounds nothing"));
  run_good("cpu", GRID LOAD "volume: 0.1\niterations: 1\n", &o);
  assert_non_null(strstr(o.warning, "to the nearest support takes 0.167 of the body already"));
  run_good("cpu",
           GRID LOAD "materials: [{name: m, young: 1, poisson: 0.3, density: 1}]\nfilter: "
                     "{kind: density}\nconstraints: [{mass: 0.5 kg}]\niterations: 5\n",
           &o);
  assert_non_null(strstr(o.warning, "nothing is left of the part"));
  run_good("cpu",
           GRID "loads: [{box: {min: [12, 3], max: [12, 3]}, force: [0, -1, 0]}, {box: {min: "
                "[12, 3], max: [12, 3]}, force: [1, 0, 0], load_case: 2}]\ncombine: "
                "worst\noptimiser: {method: oc}\niterations: 1\n",
           &o);
  assert_non_null(strstr(o.warning, "goes to and fro between load cases"));
  run_good("cpu",
           GRID "problem: frequency\nmaterials: {name: m, young: 1, poisson: 0.3, density: 1}\n"
                "filter: {kind: density, radius: 1.5}\nfrequency: {modes: 2}\niterations: 1\n",
           &o);
  assert_non_null(strstr(o.warning, "shrinks to a stub at its supports"));
  /* a bar of 10 x 2 x 1, three elements in its lower half, one in the upper: F^2 L / E A = 1 J */
#define BAR                                                                                        \
  "physics: topopt\noutput: {count: 0}\nsurface: {formats: []}\nmesh: {boxes: [{name: a, size: "   \
  "[10, 1, 1], cells: [10, 3, 2]}, {name: b, origin: [0, 1, 0], size: [10, 1, 1], cells: [10, 1, " \
  "2]}]}\nmaterials: {name: m, young: 20, poisson: 0}\nsupports: [{set: xmin, fix: x}, {box: "     \
  "{max: [0, 0, 0]}}, {box: {min: [0, 2, 0], max: [0, 2, 0]}, fix: z}]\nvolume: 1\niterations: "   \
  "0\nfilter: {kind: none}\n"
  run_good("cpu", BAR "loads: [{set: xmax, force: [2, 0, 0]}]\n", &o);
  assert_non_null(strstr(o.warning, "put the load 0.2 m beside the middle of their faces"));
  assert_true(o.objective > 1.1);
  run_good("cpu", BAR "loads: [{set: xmax, force: [2, 0, 0], spread: faces}]\n", &o);
  assert_null(strstr(o.warning, "beside the middle"));
  assert_near(o.objective, 1, 1e-6);
  run_good("cpu", MESH PULL "filter: {radius: 0.8}\niterations: 1\n", &o);
  assert_non_null(strstr(o.warning, "below one element"));
  run_good("cpu",
           "physics: topopt\noutput: {count: 0}\nsurface: {formats: []}\nmesh: {boxes: [{size: [6, "
           "3, 2], cells: [6, 3, 2]}], element: tet4}\nsupports: [{set: xmin}]\n" PULL
           "iterations: 1\n",
           &o);
  assert_non_null(strstr(o.warning, "(tet4) are too stiff in bending"));
}

/* What acts must act on elements that can carry it, and these must lead to a support. */
static void loads_and_supports_are_connected(void **state) {
  (void)state;
#define TWO                                                                                        \
  "physics: topopt\noutput: {count: 0}\nmesh: {boxes: [{name: a, size: [4, 2, 2], cells: [4, 2, "  \
  "2]}, {name: b, origin: [6, 0, 0], size: [4, 2, 2], cells: [4, 2, 2]}]}\n"
#define STRIP "passive: [{box: {min: [5, 0], max: [7, 6]}, as: void}]\n"
  static const char *const bad[][2] = {
      {GRID LOAD "passive: [{box: {max: [3, 6]}, as: void}]\n",
       "case.yaml:5:12: supports: all elements there are held void"},
      {GRID LOAD STRIP,
       "case.yaml:6:9: loads: no elements that may be solid connect (12, 3, 0) m with a support"},
      {GRID LOAD STRIP "springs: [{box: {min: [6, 0], max: [6, 6]}, stiffness: [1, 1, 0]}]\n",
       "springs: all elements at (6, 0, 0) m are held void"},
      {TWO "supports: [{box: {max: [0, 2, 2]}}]\nloads: [{set: xmax, force: [0, -1, 0], spread: "
           "faces}]\n",
       "loads: no elements that may be solid connect (10, 0, 0) m with a support"},
      {GRID LOAD "filter: {kind: density, radius: 7}\n",
       "filter: a radius of 7 m on a body of 12 m"},
      {MESH PULL "filter: {kind: density, radius: 3.5}\n",
       "filter: a radius of 3.5 m on a body of 6 m"}};
  run_refused(bad, sizeof bad / sizeof *bad);
  outcome o;
  /* a spring will do for a support; some of the supported nodes may be in void */
  run_good("cpu",
           GRID LOAD STRIP "springs: [{box: {min: [12, 0], max: [12, 6]}, stiffness: [1, 1, "
                           "0]}]\niterations: 1\n",
           &o);
  run_good("cpu", GRID LOAD "passive: [{box: {max: [3, 3]}, as: void}]\niterations: 1\n", &o);
  run_good("cpu", GRID LOAD "filter: {kind: density, radius: 4}\niterations: 1\n", &o);
  assert_non_null(strstr(o.warning, "a radius of 4 m on a body of 12 m"));
  /* the whole of a half model is twice as long */
  run_good("cpu", GRID LOAD "symmetry: [x+]\nfilter: {kind: density, radius: 5.9}\niterations: 1\n",
           &o);
  assert_null(strstr(o.warning, "on a body of"));
  /* what swings against its mirror image is not in a half model, and may be lower */
  run_good("cpu",
           GRID "problem: frequency\nsymmetry: [y-]\nfilter: {kind: density}\nmasses: {box: {min: "
                "[12, 0]}, mass: 1}\nmaterials: {name: m, young: 1, poisson: 0.3, density: 1}\n"
                "iterations: 1\n",
           &o);
  assert_non_null(strstr(o.warning, "only modes that are their own mirror images"));
  run_good("cpu",
           GRID "loads: [{gravity: [0, -9.81, 0]}]\nmaterials: {name: m, young: 1, poisson: 0.3, "
                "density: 1}\niterations: 1\n",
           &o);
  assert_non_null(strstr(o.warning, "the weight of the design is the only load"));
  /* nothing is left between what is held solid under the load and the supports */
  static const char gone[] =
      "void_ratio: 1.0e-3\nminimise: volume\nconstraints: [{compliance: 1.0e+20}]\niterations: "
      "30\n";
  char text[1200];
  snprintf(text, sizeof text, "%s%s", GRID LOAD "passive: [{box: {min: [11, 0]}}]\n", gone);
  run_good("cpu", text, &o);
  assert_non_null(strstr(o.feasible, "no: no load acts on elements of density 0.1 and more"));
  assert_non_null(strstr(o.warning, "not feasible: no load acts"));
  snprintf(text, sizeof text, "%s%s", MESH PULL "passive: [{box: {min: [5, 0, 0]}}]\n", gone);
  run_good("cpu", text, &o);
  assert_non_null(strstr(o.feasible, "no: no load acts on elements of density 0.1 and more"));
#undef TWO
#undef STRIP
}

/* Keys that change nothing in the case they stand in. */
static void keys_without_effect_are_refused(void **state) {
  (void)state;
#define SOLID3                                                                                     \
  "physics: topopt\ngrid: {elements: [4, 3, 2]}\nsupports: [{set: xmin}]\nloads: [{set: xmax, "    \
  "force: [0, -1, 0]}]\n"
#define HEAT "physics: topopt\nproblem: heat\ngrid: {elements: [4, 3, 0]}\nsource: 1\n"
#define WARM HEAT "supports: [{set: xmin}]\n"
#define SWINGS                                                                                     \
  "physics: topopt\nproblem: frequency\ngrid: {elements: [4, 3, 2]}\nsupports: [{set: xmin}]\n"    \
  "materials: {name: m, young: 1, poisson: 0.3, density: 1}\nfilter: {kind: density}\n"            \
  "masses: [{set: xmax, mass: 1}]\n"
#define NO(key) key ": has no effect here"
  static const char *const bad[][2] = {
      {GRID "loads: [{box: {min: [12, 3], max: [12, 3]}, force: [0, -1, 0], heat: 1}]\n",
       "case.yaml:6:9: loads: heat: has no effect here: it is for problem: heat"},
      {GRID "loads: [{box: {min: [12, 3], max: [12, 3]}, force: [0, -1, 1]}]\n",
       NO("loads: force along z")},
      {GRID LOAD "source: 3\n", "case.yaml:7:9: source: has no effect here"},
      {GRID LOAD "ports: [{set: xmax, direction: [0, 1, 0]}]\n", NO("ports")},
      {GRID LOAD "masses: [{set: xmax, mass: 3}]\n", NO("masses")},
      {GRID LOAD "surface: {formats: [stl]}\n", NO("surface: formats")},
      {GRID LOAD "surface: {unit: 1 m}\n", NO("surface: unit")},
      {GRID LOAD "surface: {islands: true}\n", "case.yaml:7:20: " NO("surface: islands")},
      {GRID LOAD "surface: {mirror: false}\n", NO("surface: mirror")},
      {GRID LOAD "surface: {deviation: 1}\n", NO("surface: deviation")},
      {SOLID3 "surface: {formats: [3mf], unit: 1 m}\n", NO("surface: unit")},
      {SWINGS "surface: {analyse: true}\n", NO("surface: analyse")},
      {SWINGS "minimise: stress\n", "minimise: stress: there is no load"},
      {GRID LOAD "combine: worst\n", NO("combine")},
      {GRID LOAD "minimise: volume\nconstraints: [{compliance: 1}]\nweights: [1]\n", NO("weights")},
      {GRID LOAD "mass_threshold: 0.2\n", NO("mass_threshold")},
      {GRID LOAD "stress: {exponent: 9}\n", NO("stress")},
      {GRID LOAD "minimise: stress\nfilter: {kind: density}\nstress: {clusters: 2}\n",
       NO("stress: clusters")},
      {GRID LOAD "frequency: {modes: 2}\n", NO("frequency")},
      {GRID LOAD "filter: {kind: none, radius: 2}\n", NO("filter: radius")},
      {GRID LOAD "filter: {kind: density}\nprojection: {eta: 0.4}\n", NO("projection")},
      {GRID LOAD "optimiser: {method: mma, damping: 0.3}\n", NO("optimiser: damping")},
      {GRID LOAD "optimiser: {method: mma, x_min: 0.1}\n", NO("optimiser: x_min")},
      {GRID LOAD "optimiser: {method: mma, gray_exponent: 2}\n", NO("optimiser: gray_exponent")},
      {GRID LOAD "constraints: [{volume: 0.3, set: xmax, load_case: 1}]\n",
       NO("constraints: load_case")},
      {GRID LOAD "constraints: [{compliance: 3, direction: [1, 0, 0]}]\n",
       NO("constraints: direction")},
      {GRID LOAD "constraints: [{compliance: 3, set: xmax}]\n", NO("constraints: set or place")},
      {GRID LOAD "springs: [{set: xmax, stiffness: [1, 0, 1]}]\n",
       NO("springs: stiffness along z")},
      {SOLID3 "solver: {operator: nbn}\n", NO("solver: operator")},
      {SOLID3 "solver: {preconditioner: block_jacobi}\n",
       NO("solver: preconditioner: block_jacobi")},
      {SOLID3 "solver: {preconditioner: jacobi, cycle: v}\n", NO("solver: cycle")},
      {SOLID3 "solver: {cycle: v, coarse_cycles: 2}\n", NO("solver: coarse_cycles")},
      {SOLID3 "solver: {damping: 0.5}\n", NO("solver: damping")},
      {WARM "loads: [{set: xmax, force: [1, 0, 0]}]\n", NO("loads: force")},
      {HEAT "supports: [{set: xmin, fix: x}]\n", NO("supports: fix")},
      {WARM "ports: [{set: xmax}]\n", NO("ports")},
      {"physics: topopt\ngrid: {elements: [4, 3, 2], unit: 1 mm}\nsupports: [{set: xmin}]\n" PULL,
       NO("grid: unit")},
      {"physics: topopt\ngrid: {elements: [4, 3, 2], translate: [1, 0, 0]}\nsupports: [{set: "
       "xmin}]\n" PULL,
       NO("grid: translate")},
      {"physics: topopt\ngrid: {elements: [4, 3, 2]}\nsupports: [{set: xmin, fix: x, displacement: "
       "[0, 1, 0]}, {set: xmin}]\n" PULL,
       NO("supports: displacement")}};
#undef SOLID3
#undef HEAT
#undef WARM
#undef NO
#undef SWINGS
  run_refused(bad, sizeof bad / sizeof *bad);
}

/* --- surfaces --- */

static int vertex_order(const void *a, const void *b) {
  return memcmp(a, b, 3 * sizeof(float));
}

/* No two vertices at one place, and no triangle without area, in the single precision of files. */
static void assert_distinct(const ig_topopt_part *s, double h) {
  float(*v)[3] = malloc((size_t)s->vertices * sizeof *v);
  memcpy(v, s->vertex, (size_t)s->vertices * sizeof *v);
  qsort(v, (size_t)s->vertices, sizeof *v, vertex_order);
  for (int64_t i = 1; i < s->vertices; i++)
    assert_true(vertex_order(v[i - 1], v[i]) != 0);
  free(v);
  for (int64_t t = 0; t < s->triangles; t++) {
    double area = 0;
    for (int d = 0; d < 3; d++) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      const float *p = s->vertex[s->triangle[t][0]], *q = s->vertex[s->triangle[t][1]],
                  *r = s->vertex[s->triangle[t][2]];
      area += pow((double)(q[e] - p[e]) * (double)(r[f] - p[f]) -
                      (double)(q[f] - p[f]) * (double)(r[e] - p[e]),
                  2);
    }
    assert_true(sqrt(area) > 1e-4 * h * h);
  }
}

/* Densities next to the level everywhere, far from the origin; and a gray wave, whose surface holds
   its volume. */
static void surfaces_have_no_slivers(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 2);
  ig_grid g;
  const double h[3] = {0.01, 0.01, 0.01};
  const ig_texts none = {0};
  GOOD(cx, ig_grid_init(cx, &g, 3, 3, (const int[3]){400, 4, 5}));
  double *x = calloc((size_t)g.stored, sizeof *x);
  uint32_t seed = 1;
  for (int kind = 0; kind < 2; kind++) {
    double wanted = 0;
    for (int k = 0; k < 5; k++)
      for (int j = 0; j < 4; j++)
        for (int i = 0; i < 400; i++) {
          seed = seed * 1664525u + 1013904223u;
          const double noise = (seed >> 8) / 16777216.0 - 0.5;
          wanted += x[ig_grid_place(&g, i, j, k)] =
              kind ? pow(0.5 + 0.5 * sin(0.2 * i + 0.3 * j), 3) : 0.5 + 1e-5 * noise;
        }
    ig_topopt_part s;
    GOOD(cx, ig_topopt_part_of_grid(cx, &g, h, x, kind ? NAN : 0.5, &none, &s));
    assert_closed(&s);
    assert_distinct(&s, h[0]);
    if (kind)
      assert_near(s.volume / (wanted * 1e-6), 1, 0.005);
    ig_topopt_part_free(&s);
  }
  free(x);
  ig_mesh *mesh;
  ig_topopt_problem t;
  GOOD(cx, ig_mesh_box(cx, IG_HEX8, (double[]){3, 1, 1}, (int[]){30, 6, 6}, &mesh));
  GOOD(cx, ig_topopt_problem_open_mesh(
               cx, "{supports: [{set: xmin}], loads: [{set: xmax, force: [1, 0, 0]}]}", mesh, &t));
  double wanted = 0, *y = calloc((size_t)t.d->elements, sizeof *y);
  for (int64_t e = 0; e < t.d->elements; e++)
    wanted += y[e] = pow(0.5 + 0.5 * sin(0.35 * (double)(e % 30)), 3);
  ig_topopt_part s;
  GOOD(cx, t.d->surface(t.d->self, y, NAN, false, &s));
  assert_closed(&s);
  assert_distinct(&s, 0.1);
  assert_near(s.volume / (wanted * 3 / (double)t.d->elements), 1, 0.005);
  ig_topopt_part_free(&s);
  free(y);
  ig_topopt_problem_close(&t);
  ig_mesh_free(mesh);
  ig_ctx_close(cx);
}

/* A gyroid of some chunks of triangles, cut and repaired: closed, of the same form and volume as it
   was cut, and bit by bit the same for any number of threads. */
static void surfaces_are_the_same_by_any_threads(void **state) {
  (void)state;
  static const int n[3] = {64, 48, 48}, threads[] = {1, 2, 5};
  const double h[3] = {1, 1, 1}, turn = 2 * 3.14159265358979 / 12;
  const ig_texts none = {0};
  const ig_surface_faces faces = {0};
  ig_topopt_part one = {0};
  for (int i = 0; i < 3; i += 1 + SANITIZED) {
    ig_ctx *cx = ctx_on("cpu", threads[i]);
    ig_grid g;
    ig_topopt_part s;
    ig_topopt_part_shape cut, shape;
    GOOD(cx, ig_grid_init(cx, &g, 3, 3, n));
    double *x = calloc((size_t)g.stored, sizeof *x);
    for (int c = 0; c < n[0] * n[1] * n[2]; c++) {
      const int at[3] = {c % n[0], c / n[0] % n[1], c / n[0] / n[1]};
      double sum = 0;
      for (int d = 0; d < 3; d++)
        sum += sin(turn * at[d]) * cos(turn * at[(d + 1) % 3]);
      x[ig_grid_place(&g, at[0], at[1], at[2])] = 0.5 + 0.25 * sum;
    }
    GOOD(cx, ig_topopt_part_of_grid(cx, &g, h, x, 0.5, &none, &s));
    assert_in_range(s.triangles, 150000, 1000000);
    assert_true(ig_topopt_part_good(&s, 0.3) < 0.9);
    const double volume = s.volume;
    GOOD(cx, ig_topopt_part_look(cx, &s, &cut));
    int32_t *on = calloc((size_t)s.vertices + 1, sizeof *on);
    GOOD(cx, ig_topopt_part_improve(cx, &s, 0.05, on, &faces));
    GOOD(cx, ig_topopt_part_look(cx, &s, &shape));
    assert_closed(&s);
    assert_int_equal(shape.open, 0);
    assert_int_equal(shape.shells, cut.shells);
    assert_int_equal(shape.handles, cut.handles);
    assert_near(s.volume / volume, 1, 1e-6);
    assert_true(ig_topopt_part_good(&s, 0.3) > 0.98);
    if (i == 0) {
      one = s;
    } else {
      assert_int_equal(s.vertices, one.vertices);
      assert_int_equal(s.triangles, one.triangles);
      assert_memory_equal(s.vertex, one.vertex, (size_t)s.vertices * sizeof *s.vertex);
      assert_memory_equal(s.triangle, one.triangle, (size_t)s.triangles * sizeof *s.triangle);
      assert_true(s.area == one.area && s.volume == one.volume);
      ig_topopt_part_free(&s);
    }
    free(on);
    free(x);
    ig_ctx_close(cx);
  }
  ig_topopt_part_free(&one);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ramps_arrive_before_a_run_ends),
                                     cmocka_unit_test(surfaces_are_the_same_by_any_threads),
                                     cmocka_unit_test(oc_finds_a_mechanism),
                                     cmocka_unit_test(oc_does_not_mind_units),
                                     cmocka_unit_test(projection_takes_moving_asymptotes),
                                     cmocka_unit_test(each_material_has_its_own_modulus),
                                     cmocka_unit_test(meshes_have_several_ratios),
                                     cmocka_unit_test(slopes_know_the_materials),
                                     cmocka_unit_test(a_half_is_the_whole),
                                     cmocka_unit_test(mass_is_that_of_the_surface),
                                     cmocka_unit_test(reactions_balance_loads),
                                     cmocka_unit_test(infeasible_is_said),
                                     cmocka_unit_test(pieces_and_cavities_are_counted),
                                     cmocka_unit_test(slips_are_refused),
                                     cmocka_unit_test(keys_without_effect_are_refused),
                                     cmocka_unit_test(loads_and_supports_are_connected),
                                     cmocka_unit_test(surfaces_have_no_slivers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
