/* Topology optimisation: least volume, worst load cases, overhangs. */
#include "check.h"
#include "backend/backend.h"
#include "verify/topopt/problem.h"
#include "topopt_densities.h"
#include "topopt_run.h"

#define STEEL "{name: st, young: 210 GPa, poisson: 0.3, density: 7800}"

/* Few iterations on the grid, after many on coarser ones, come near the design of many on the grid;
   a run that begins with the design of another is where that one was. */
static void coarse_grids_come_first(void **state) {
  (void)state;
  static const char *const more[] = {"iterations: 60\n", "iterations: 8\n",
                                     "iterations: 8\nsequence: {grids: 2, iterations: 40}\n"};
  for (const char *const *backend = backends_here(); *backend; backend++) {
    outcome o[3];
    for (int i = 0; i < 3; i++) {
      char text[600];
      snprintf(text, sizeof text,
               "physics: topopt\noutput: {count: 0}\nchange: 0\ngrid: {elements: [48, 24, 0]}\n"
               "supports: [{box: {max: [0, 24]}}]\nloads: [{box: {min: [48, 0], max: [48, 4]}, "
               "force: [0, -1, 0]}]\nvolume: 0.4\nfilter: {kind: density, radius: 1.8}\n%s",
               more[i]);
      run_good(*backend, text, &o[i]);
    }
    assert_int_equal(o[2].steps, 8);
    assert_true(o[1].objective > 1.2 * o[0].objective); /* eight alone are far from it */
    assert_true(o[2].objective < 1.05 * o[0].objective);
  }
  outcome o;
  char says[512];
  assert_int_equal(run_text("cpu",
                            "physics: topopt\nmesh: {boxes: [{name: b, size: [4, 4, 4], cells: [4, "
                            "4, 4]}]}\nsupports: [{set: xmin}]\nloads: [{set: xmax, force: [0, 1, "
                            "0]}]\nsequence: {grids: 1}\n",
                            &o, says),
                   IG_INPUT);
  assert_non_null(strstr(says, "is for grids"));
}

/* A cantilever under projections as sharp as they get by default: designs settle as black and white
   structures, also where each element is of one of two materials, or none. Those of both are
   stiffer than of steel alone at the same mass. What grows upwards is less stiff, and settles. */
static void sharp_projections_settle(void **state) {
  (void)state;
  static const char *const more[] = {"materials: [" STEEL "]\n",
                                     "choose_material: true\nmaterials: [{name: al, young: 70 GPa, "
                                     "poisson: 0.3, density: 2700}, " STEEL "]\n",
                                     "materials: [" STEEL "]\noverhang: {direction: y+}\n"};
  static const double most[] = {8.6e-3, 7.2e-3, 26e-3}, gray[] = {5, 1, 15};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < 3; i++) {
      outcome o;
      char text[900];
      snprintf(text, sizeof text,
               "physics: topopt\noutput: {count: 0}\ngrid: {elements: [40, 20, 0], size: [40 mm, "
               "20 mm, 0], thickness: 1 mm}\nsupports: [{set: xmin}]\nloads: [{box: {min: [40 mm, "
               "10 mm], max: [40 mm, 10 mm]}, force: [0, -100, 0]}]\nvolume: 0.2\nfilter: {kind: "
               "density, radius: 1.5 mm}\nprojection: {beta: 1}\niterations: 400\n%s",
               more[i]);
      run_good(*backend, text, &o);
      assert_string_equal(o.stopped, "the design no longer changes");
      if (!(o.objective < most[i] && o.grayness < gray[i]))
        fail_msg("case %d on %s: objective %g, grayness %g", i, *backend, o.objective, o.grayness);
    }
}

/* A bar under tension that cannot become thinner: E / (1 - nu^2); each load case has its column. */
static int columns_seen;
static double work_seen[2];
static void row_take(void *user, int columns, const char *const *names, const double *values) {
  (void)user;
  columns_seen = 0;
  for (int i = 0; i < columns; i++)
    if (strncmp(names[i], "load case ", 10) == 0) {
      assert_non_null(strstr(names[i], "[J]"));
      work_seen[columns_seen++] = values[i];
    }
}

static void plane_strain_is_stiffer(void **state) {
  (void)state;
  const double stress[2] = {1e4 * 0.08 / (200e9 * 1e-4), 1e4 * 0.08 * 0.91 / (200e9 * 1e-4)};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int strain = 0; strain < 2; strain++) {
      char text[700];
      ig_ctx *cx = ctx_on(*backend, 1);
      ig_case *c;
      snprintf(text, sizeof text,
               "{physics: topopt, plane: %s, grid: {elements: [8, 2, 0], size: [80 mm, 10 mm, 0], "
               "thickness: 10 mm}, materials: [{name: m, young: 200 GPa, poisson: 0.3}], volume: "
               "1, filter: {kind: none}, iterations: 1, solver: {tolerance: 1e-11}, supports: "
               "[{set: xmin, fix: x}, {box: {max: [0, 0]}, fix: y}], loads: [{set: xmax, force: "
               "[100, 0, 0], spread: faces}, {set: xmax, force: [200, 0, 0], spread: faces, "
               "load_case: 2}]}",
               strain ? "strain" : "stress");
      char *folder = folder_new();
      file_write(in_folder(folder, "case.yaml"), text, strlen(text));
      GOOD(cx, ig_case_open(cx, in_folder(folder, "case.yaml"), &c));
      GOOD(cx, ig_run(c, &(ig_run_options){.row = row_take}));
      folder_remove(folder);
      assert_int_equal(columns_seen, 2);
      assert_near(work_seen[0], stress[strain], 1e-8);
      assert_near(work_seen[1], 4 * stress[strain], 1e-8);
      ig_case_close(c);
      ig_ctx_close(cx);
    }
  outcome o;
  char says[512];
  assert_int_equal(run_text("cpu",
                            "physics: topopt\nplane: strain\ngrid: {elements: [4, 4, 4]}\n"
                            "supports: [{set: xmin}]\nloads: [{set: xmax, force: [0, 1, 0]}]\n",
                            &o, says),
                   IG_INPUT);
  assert_non_null(strstr(says, "it is for elastic plane problems"));
}

/* A column that hangs from its upper side under its own weight: rho^2 g^2 A L^3 / (3 E), a grid of
   n layers 1 / (4 n^2) less; the sides of a grid have the names they have in a mesh. */
static void a_column_hangs_from_a_side(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    outcome o;
    run_good(*backend,
             "physics: topopt\noutput: {count: 0}\ngrid: {elements: [2, 2, 20], size: [2 mm, 2 mm, "
             "40 mm]}\nmaterials: {name: m, young: 1 GPa, poisson: 0, density: 8000}\nvolume: 1\n"
             "supports: {set: zmax}\nloads: {gravity: [0, 0, -9.81]}\niterations: 1\noptimiser: "
             "{move_limit: 1.0e-6}\nsolver: "
             "{tolerance: 1.0e-9}\n",
             &o);
    const double weight = 8000 * 9.81, exact = weight * weight * 4e-6 * 6.4e-5 / 3e9;
    assert_near(o.objective / exact, 1 - 1 / (4. * 20 * 20), 1e-5);
    char says[512];
    assert_int_equal(run_text(*backend,
                              "physics: topopt\ngrid: {elements: [4, 4, 0]}\nsupports: {set: "
                              "zmax}\nloads: {set: xmax, force: [0, 1, 0]}\n",
                              &o, says),
                     IG_INPUT);
    assert_non_null(strstr(says, "there is no 'zmax'"));
  }
}

/* Bars of one row of elements, unpenalised: the best density x is the same all along.
   - least volume with its end no hotter than T: T = Q L / (k A x);
   - the end that moves least within a volume: u = F L / (E A x);
   - stiffest within a mass: half of the bar is three times as heavy and as stiff, and both halves
     have stiffness E x, mass rho x per length. With E2 = 3 E1, rho2 = 3 rho1 the compliance
     (1/x1 + 1/(3 x2)) is least at x2 = x1 / 3, where both halves weigh the same. */
static void bars_know_temperature_displacement_and_mass(void **state) {
  (void)state;
  static const char *const text[] = {
      "problem: heat\nmaterials: {name: m, conductivity: 50}\nminimise: volume\nvolume: 0.9\n"
      "loads: [{set: xmax, heat: 2 W}]\nsupports: [{set: xmin}]\nconstraints: [{set: xmax, "
      "temperature: "
      "100 K}]\n",
      "materials: {name: m, young: 1 GPa, poisson: 0}\nminimise: displacement\nvolume: 0.4\nports: "
      "[{set: xmax, direction: [1, 0, 0]}]\nsupports: [{set: xmin, fix: x}, {set: ymin, fix: "
      "y}, {set: zmin, fix: z}]\nloads: [{set: xmax, force: [1 kN, 0 N, 0 N], spread: faces}]\n",
      "materials: [{name: a, young: 1 GPa, poisson: 0, density: 1000}, {name: b, young: 3 GPa, "
      "poisson: 0, density: 3000, set: [far]}]\nsets: [{name: far, box: {min: [50 mm, 0, 0]}}]\n"
      "supports: [{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]\nloads: [{set: "
      "xmax, force: [1 kN, "
      "0 N, 0 N], spread: faces}]\nvolume: 1\nconstraints: [{mass: 0.004 kg}]\n"};
  const double area = 1e-4, length = 0.1;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int k = 0; k < 3; k++) {
      char all[1200];
      outcome o;
      snprintf(
          all, sizeof all,
          "physics: topopt\noutput: {count: 0}\ngrid: {elements: [20, 1, 1], size: [100 mm, 10 "
          "mm, 10 mm]}\npenalty: 1\nfilter: {kind: none}\nsolver: {tolerance: 1e-10, "
          "preconditioner: jacobi}\niterations: 80\nchange: 1e-7\n%s",
          text[k]);
      run_good(*backend, all, &o);
      assert_string_equal(o.feasible, "yes");
      if (k == 0)
        assert_near(o.volume, 2 * length / (50 * area * 100), 2e-3);
      if (k == 1)
        assert_near(o.objective, 1e3 * length / (1e9 * area * 0.4), 1e-6);
      if (k == 2) {
        /* each half weighs 2 g: x1 = 0.4, x2 = 0.4 / 3 */
        assert_near(o.mass, 4e-3, 4e-6);
        assert_near(o.objective, 1e6 * 0.05 / (1e9 * area) * (1 / 0.4 + 1 / 0.4), 0.02);
      }
    }
}

/* A bar of 80 x 20 x 20 mm under 40 kN, full: stress 100 MPa, compliance F^2 L / (E A) = 1.6 J; an
   island of solid elements beside it is no part of it. */
static void the_part_is_analysed_without_islands(void **state) {
  (void)state;
  static const char *const body[] = {
      "grid: {elements: [8, 8, 4], size: [80 mm, 40 mm, 20 mm]}\nsupports: [{box: {max: [0 mm, 20 "
      "mm, 1 m]}, fix: x}, {box: {max: [0 mm, 0 mm, 1 m]}, fix: y}, {box: {max: [0 mm, 20 mm, 0 "
      "mm]}, fix: z}]\nloads: [{box: {min: [80 mm, 0 mm, 0 mm], max: [80 mm, 20 mm, 1 m]}, force: "
      "[40 kN, 0 N, 0 N], spread: faces}]\n",
      "mesh: {boxes: [{name: b, size: [80 mm, 40 mm, 20 mm], cells: [8, 8, 4]}]}\nsupports: [{box: "
      "{max: [0 mm, 20 mm, 1 m]}, fix: x}, {box: {max: [0 mm, 0 mm, 1 m]}, fix: y}, {box: {max: [0 "
      "mm, 20 mm, 0 mm]}, fix: z}]\nloads: [{box: {min: [80 mm, 0 mm, 0 mm], max: [80 mm, 20 mm, "
      "1 m]}, force: [40 kN, 0 N, 0 N], spread: faces}]\n"};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int b = 0; b < 2; b++)
      for (int keep = 0; keep < 2; keep++) {
        char text[1600];
        outcome o;
        snprintf(text, sizeof text,
                 "physics: topopt\noutput: {count: 0}\nmaterials: [{name: m, young: 200 GPa, "
                 "poisson: 0}]\nvolume: 1\nvoid_ratio: 1.0e-6\nfilter: {kind: none}\niterations: "
                 "1\npassive: [{box: {min: [0 mm, 20 mm, 0 mm]}, as: void}, {box: {min: [30 mm, 30 "
                 "mm, 0 mm], max: [50 mm, 40 mm, 20 mm]}}]\nsurface: {level: 0.51, formats: [3mf], "
                 "analyse: true, islands: %s}\nsolver: {tolerance: 1.0e-9}\n%s",
                 keep ? "true" : "false", body[b]);
        run_good(*backend, text, &o);
        assert_near(o.pieces, 2, 0);
        assert_near(o.islands, keep ? 0 : 1, 0);
        assert_int_equal(strstr(o.warning, "island removed") == NULL, keep);
        assert_near(o.objective, 1.6, 1e-3);
        /* the surface runs at the outer nodes of the bar: a layer of halves is cut off by it */
        assert_true(o.part_compliance >= 1.6 * (1 - 1e-3) && o.part_compliance < 2.2);
        assert_true(o.part_stress > 1e8 * (1 - 1e-3) && o.part_stress < 2e8);
        assert_true(o.surface_volume < (keep ? 4.0e-5 : 3.21e-5));
      }
}

/* Of materials to choose from any is solid: half the density of the lightest, a quarter of the
   heaviest's, is the level of the surface, that of the part without its island, too. */
static void islands_go_from_parts_of_several_materials(void **state) {
  (void)state;
  static const char *const body[] = {
      "grid: {elements: [8, 8, 4]}\n",
      "mesh: {boxes: [{name: b, size: [8, 8, 4], cells: [8, 8, 4]}]}\n"};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int b = 0; b < 2; b++) {
      char text[1600];
      outcome o;
      snprintf(
          text, sizeof text,
          "physics: topopt\noutput: {count: 0}\nmaterials: [{name: light, density: 500, young: "
          "1e5, poisson: 0.3}, {name: dense, density: 2000, young: 1e6, poisson: "
          "0.3}]\nchoose_material: true\nvolume: 0.5\nfilter: {kind: density, radius: "
          "1.5}\noptimiser: {method: mma}\niterations: 2\nsupports: [{box: {max: [0, 4, "
          "4]}}]\nloads: [{box: {min: [8, 0, 0], max: [8, 4, 4]}, force: [1, 0, 0]}]\npassive: "
          "[{box: {min: [0, 4, 0]}, as: void}, {box: {min: [3, 6, 0], max: [5, 8, "
          "4]}}]\nsurface: {islands: false}\n%s",
          body[b]);
      run_good(*backend, text, &o);
      assert_near(o.islands, 1, 0);
      assert_near(o.surface_level, 0.125, 0);
    }
}

/* A bar pulled by a pressure of -100 MPa on 20 x 20 mm: 1.6 J. A stiff plate on two soft springs k
   at a distance of 10, turned by M: M^2 / (50 k); a block on four, about y: M^2 / (100 k). */
static void pressures_and_moments(void **state) {
  (void)state;
#define BAR                                                                                        \
  "materials: [{name: m, young: 200 GPa, poisson: 0}]\nsupports: [{box: {max: [0 mm, 1 m, 1 m]}, " \
  "fix: x}, {box: {max: [0 mm, 0 mm, 1 m]}, fix: y}, {box: {max: [0 mm, 1 m, 0 mm]}, fix: "        \
  "z}]\nloads: [{box: {min: [80 mm, 0 mm, 0 mm]}, pressure: -100 MPa}]\n"
  static const struct {
    const char *text;
    double objective;
  } cases[] = {
      {"grid: {elements: [8, 4, 4], size: [80 mm, 20 mm, 20 mm]}\n" BAR, 1.6},
      {"mesh: {boxes: [{name: b, size: [80 mm, 20 mm, 20 mm], cells: [8, 4, 4]}]}\n" BAR, 1.6},
      {"grid: {elements: [10, 2, 0]}\nsupports: [{box: {max: [0, 0]}, fix: x}]\nsprings: [{box: "
       "{max: [0, 2]}, stiffness: [0, 1.0e-6, 0]}, {box: {min: [10, 0]}, stiffness: [0, 1.0e-6, "
       "0]}]\nloads: [{box: {min: [4, 0], max: [6, 2]}, moment: [0, 0, 1.0e-3]}]\n",
       0.02},
      {"grid: {elements: [10, 4, 2]}\nsupports: [{box: {max: [0, 0, 0]}, fix: xy}, {box: {min: [0, "
       "4, 0], max: [0, 4, 0]}, fix: x}]\nsprings: [{box: {max: [0, 4, 2]}, stiffness: [0, 0, "
       "2.0e-6]}, {box: {min: [10, 0, 0]}, stiffness: [0, 0, 2.0e-6]}]\nloads: [{box: {min: [4, 1, "
       "0], max: [6, 3, 2]}, moment: [0, 1.0e-3, 0]}]\n",
       0.01}};
#undef BAR
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      char text[1200];
      outcome o;
      snprintf(text, sizeof text,
               "physics: topopt\noutput: {count: 0}\nvolume: 1\nfilter: {kind: none}\niterations: "
               "0\nsurface: {formats: []}\nsolver: {tolerance: 1.0e-10}\n%s",
               cases[i].text);
      run_good(*backend, text, &o);
      assert_near(o.objective, cases[i].objective, 1e-3 * cases[i].objective);
    }
  outcome o;
  char says[512];
  assert_int_equal(run_text("cpu",
                            "physics: topopt\ngrid: {elements: [4, 4, 4]}\nsupports: [{box: {max: "
                            "[0, 4, 4]}}]\nloads: [{box: {min: [4, 2, 2], max: [4, 2, 2]}, moment: "
                            "[1, 0, 0]}]\n",
                            &o, says),
                   IG_INPUT);
  assert_non_null(strstr(says, "lie on its axis"));
}

/* --- least volume, worst case: bars whose best designs are known --- */

/* Modulus proportional to density: a bar of length 8 and section 1 under 2 has the compliance 32 /
   x and grows by 16 / x. */
static void least_volume_of_a_bar(void **state) {
  (void)state;
  static const char *const body[] = {
      "grid: {elements: [8, 1, 0]}\nsupports: [{box: {max: [0, 1]}, fix: x}, {box: {max: [0, 0]}, "
      "fix: y}]\nloads: [{box: {min: [8, 0]}, force: [2, 0, 0], spread: faces}]\n",
      "mesh: {boxes: [{name: bar, size: [8, 1, 1], cells: [8, 1, 1]}]}\nsurface: {formats: "
      "[]}\nsupports: [{set: xmin, fix: x}, {box: {max: [0, 0, 9]}, fix: y}, {box: {max: [0, 9, "
      "0]}, fix: z}]\nloads: [{set: xmax, force: [2, 0, 0], spread: faces}]\n"};
  static const struct {
    const char *bound;
    double volume;
  } bounds[] = {
      {"{compliance: 80}", 0.4},
      /* stress of the solid 2 / x, relaxed by its root: 4 */
      {"{stress: 4}", 0.25},
      {"{compliance: 80}, {box: {min: [8, 0]}, direction: [1, 0, 0], displacement: 32}", 0.5}};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int b = 0; b < 2; b++)
      for (int k = 0; k < 3; k++) {
        char text[1200];
        outcome o;
        snprintf(text, sizeof text,
                 "physics: topopt\noutput: {count: 0}\nsolver: {tolerance: 1.0e-10}\nminimise: "
                 "volume\nvolume: 0.8\npenalty: 1\nvoid_ratio: 1.0e-6\nfilter: {kind: "
                 "none}\nmaterials: [{name: m, young: 1, poisson: 0}]\niterations: 60\n%s"
                 "constraints: [%s]\n",
                 body[b], bounds[k].bound);
        run_good(*backend, text, &o);
        assert_string_equal(o.feasible, "yes");
        assert_near(o.volume, bounds[k].volume, 1e-3);
        assert_near(o.objective, o.volume, 1e-12);
      }
}

/* Two bars under 1 and 2: the sum is least where volumes go as forces, C2 / C1 = 2; the maximum
   where compliances are alike, a smooth one of sharpness 20 where they differ by ln 4 / 20 or so.
 */
static void the_worst_load_case_counts(void **state) {
  (void)state;
  double ratio[2];
  for (int worst = 0; worst < 2; worst++) {
    char text[1200];
    outcome o;
    snprintf(
        text, sizeof text,
        "physics: topopt\noutput: {count: 0}\nsolver: {tolerance: 1.0e-9}\nvolume: 0.4\npenalty: "
        "1\nvoid_ratio: 1.0e-6\nfilter: {kind: none}\nmaterials: [{name: m, young: 1, poisson: "
        "0}]\niterations: 60\ncombine: %s\noptimiser: {method: %s}\ngrid: {elements: [12, 9, "
        "0]}\nsupports: [{box: {max: [0, 9]}, fix: x}, {box: {max: [0, 0]}, fix: y}, {box: {min: "
        "[0, 9], max: [0, 9]}, fix: y}]\npassive: [{box: {min: [0, 4], max: [12, 5]}, as: "
        "void}]\nloads: [{box: {min: [12, 0], max: [12, 4]}, force: [1, 0, 0], spread: faces}, "
        "{box: {min: [12, 5]}, force: [2, 0, 0], spread: faces, load_case: 2}]\n",
        worst ? "worst" : "sum", worst ? "auto" : "mma"); /* oc would go to and fro */
    run_good("debug", text, &o);
    ratio[worst] = o.load_case[1] / o.load_case[0];
  }
  assert_near(ratio[0], 2, 0.01);
  assert_near(ratio[1], 1 + log(4) / 20, 0.02);
}

/* --- overhangs --- */

/* Elements at or above 0.5 that stand on the plate or touch such a one in the layer below. */
static int unsupported(const ig_topopt_problem *t, const double *density, int *solid) {
  const ig_grid *g = &t->m->grid;
  const int nz = g->dim == 3 ? g->n[2] : 1, axis = t->m->overhang.axis;
  const int below = t->m->overhang.up ? -1 : 1;
  int bad = 0;
  *solid = 0;
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const int n[3] = {g->n[0], g->n[1], nz};
        int at[3] = {i, j, k};
        if (density[ig_grid_place(g, i, j, k)] < 0.5)
          continue;
        ++*solid;
        at[axis] += below;
        bool held = at[axis] < 0 || at[axis] >= n[axis];
        for (int d = 0; d < g->dim && !held; d++)
          for (int side = -1; side <= 1 && !held; side++) {
            int b[3] = {at[0], at[1], at[2]};
            b[d] += d == axis ? 0 : side;
            if (b[d] >= 0 && b[d] < n[d])
              held = density[ig_grid_place(g, b[0], b[1], b[2])] >= 0.5;
          }
        bad += !held;
      }
  return bad;
}

static void nothing_hangs_over(void **state) {
  (void)state;
  static const struct {
    const char *grid, *direction;
  } body[] = {
      {"grid: {elements: [24, 12, 0]}, supports: [{box: {max: [0, 12]}, fix: x}, {box: {min: [24, "
       "0], max: [24, 0]}, fix: y}], loads: [{box: {min: [0, 12], max: [0, 12]}, force: [0, -1, "
       "0]}]",
       "y-"},
      {"grid: {elements: [12, 6, 8]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: "
       "[12, 3, 4], max: [12, 3, 4]}, force: [0, 0, -1]}]",
       "z+"}};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int b = 0; b < 2; b++) {
      char text[800];
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_topopt_problem t;
      ig_evaluation e = {0};
      snprintf(text, sizeof text,
               "{%s, volume: 0.4, filter: {kind: density, radius: 1.8}, projection: {beta: 1, "
               "beta_max: 16, every: 12}, overhang: {direction: %s}, solver: {tolerance: 1e-6}}",
               body[b].grid, body[b].direction);
      double *density = densities(cx, text, 100, &t, &e);
      int solid;
      assert_int_equal(unsupported(&t, density, &solid), 0);
      assert_near(solid, 0.4 * (double)t.d->elements, 0.06 * (double)t.d->elements);
      assert_near(e.volume, 0.4, 0.02);
      free(density);
      ig_topopt_problem_close(&t);
      ig_ctx_close(cx);
    }
}

static void slips_are_refused(void **state) {
  (void)state;
#define BODY                                                                                       \
  "physics: topopt\ngrid: {elements: [6, 4, 0]}\nsupports: [{box: {max: [0, 4]}}]\nloads: [{box: " \
  "{min: [6, 0], max: [6, 0]}, force: [0, -1, 0]}]\n"
  static const char *const bad[][2] = {
      {BODY "minimise: volume\n", "give a bound in 'constraints'"},
      {BODY "overhang: {direction: y+}\n", "overhang: needs filter"},
      {BODY "overhang: {direction: z-}\nfilter: {kind: density, radius: 1.5}\n", "is no direction"},
      {BODY "overhang: {direction: y+}\nfilter: {kind: density, radius: 1.5}\noptimiser: {method: "
            "oc}\n",
       "overhang: needs optimiser"},
      {"physics: topopt\nmesh: {boxes: [{name: a, size: [2, 2, 2], cells: [2, 2, 2]}]}\nsupports: "
       "[{set: xmin}]\nloads: [{set: xmax, force: [0, 0, -1]}]\nfilter: {kind: density, radius: "
       "1}\noverhang: {direction: w+}\n",
       "is no direction"},
      {"physics: topopt\nmesh: {boxes: [{name: a, size: [2, 2, 2], cells: [2, 2, 2]}]}\nsupports: "
       "[{set: xmin}]\nloads: [{set: xmax, force: [0, 0, -1]}]\nfilter: {padded: true}\n",
       "padded is for grids"}};
  run_refused(bad, sizeof bad / sizeof *bad);
}

/* Element i of n, or its image beyond either side: what a padded filter sees. */
static int image(int i, int n) {
  return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
}

/* A padded filter is the sum over mirrored neighbours, as in the codes of Ferrari and Sigmund
   (2020) with their option N. */
static void padded_filters_see_images(void **state) {
  (void)state;
  enum { NX = 7, NY = 5 };
  const double radius = 2.6;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 1);
    ig_topopt_problem t;
    assert_int_equal(
        ig_topopt_problem_open(cx,
                               "{grid: {elements: [7, 5, 0]}, supports: [{box: {max: [0, 5]}}], "
                               "loads: [{box: {min: [7, 0]}, force: [0, -1, 0]}], filter: {kind: "
                               "density, radius: 2.6, padded: true}}",
                               &t),
        IG_OK);
    ig_array in = {0}, out = {0};
    assert_int_equal(ig_array_new(cx, &in, (size_t)t.d->places, 8, "in"), IG_OK);
    assert_int_equal(ig_array_new(cx, &out, (size_t)t.d->places, 8, "out"), IG_OK);
    const ig_grid *g = &((const ig_topopt_grid_model *)t.d->self)->grid;
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++)
        ((double *)in.host)[ig_grid_place(g, i, j, 0)] = sin(1.3 * i + 0.7 * j * j);
    assert_int_equal(ig_array_push(cx, &in), IG_OK);
    assert_int_equal(t.d->filter(t.d->self, in.dev, out.dev), IG_OK);
    assert_int_equal(ig_array_pull(cx, &out), IG_OK);
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++) {
        double sum = 0;
        for (int y = -2; y <= 2; y++)
          for (int x = -2; x <= 2; x++) {
            const int ii = image(i + x, NX), jj = image(j + y, NY);
            const double left = radius - sqrt(x * x + y * y);
            sum += left > 0 ? left * sin(1.3 * ii + 0.7 * jj * jj) : 0;
          }
        assert_true(fabs(((double *)out.host)[ig_grid_place(g, i, j, 0)] - sum) < 1e-12);
      }
    ig_array_free(cx, &in);
    ig_array_free(cx, &out);
    ig_topopt_problem_close(&t);
    ig_ctx_close(cx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(coarse_grids_come_first),
                                     cmocka_unit_test(sharp_projections_settle),
                                     cmocka_unit_test(bars_know_temperature_displacement_and_mass),
                                     cmocka_unit_test(a_column_hangs_from_a_side),
                                     cmocka_unit_test(plane_strain_is_stiffer),
                                     cmocka_unit_test(pressures_and_moments),
                                     cmocka_unit_test(the_part_is_analysed_without_islands),
                                     cmocka_unit_test(islands_go_from_parts_of_several_materials),
                                     cmocka_unit_test(least_volume_of_a_bar),
                                     cmocka_unit_test(the_worst_load_case_counts),
                                     cmocka_unit_test(nothing_hangs_over),
                                     cmocka_unit_test(padded_filters_see_images),
                                     cmocka_unit_test(slips_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
