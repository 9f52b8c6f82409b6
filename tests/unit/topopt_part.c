/* The finished part: analysed as what it is, with errors. */
#include "check.h"
#include "topopt/surface/surface.h"
#include "topopt_run.h"
#include <ingot/sim.h>

/* A solid cantilever of 80 x 10 (x 10) mm under 100 N across its end. Beam theory has 6 F l / h^2 b
   = 24 MPa at the surface, 40 mm from the end; elements have theirs at their centres, which are
   half an element below it: 21 MPa of four elements (and what they lack in bending), 22.5 of eight.
   A bound of 22.5 MPa holds for the density model and for the part on the same elements, not for
   the part. */
#define BEAM                                                                                       \
  "physics: topopt\noutput: {count: 0}\nmaterials: [{name: m, young: 200 GPa, poisson: 0}]\n"      \
  "volume: 1\nfilter: {kind: density, radius: 1 mm}\niterations: 1\nsolver: {tolerance: "          \
  "1e-9}\nsupports: [{set: xmin}]\nloads: [{set: xmax, force: [0, 100, 0], spread: faces}]\n"
#define MIDDLE "box: {min: [40 mm, 0, 0], max: [42.5 mm, 10 mm, 10 mm]}"
#define BOUND(MPa) "constraints: [{" MIDDLE ", stress: " #MPa " MPa}]\n"

static const char *const bodies[] = {
    "grid: {elements: [32, 4, 4], size: [80 mm, 10 mm, 10 mm]}\n",
    "grid: {elements: [32, 4, 0], size: [80 mm, 10 mm, 0], thickness: 10 mm}\n",
    "mesh: {boxes: [{name: b, size: [80 mm, 10 mm, 10 mm], cells: [32, 4, 4]}]}\n"};

static void stresses_come_with_their_error(void **state) {
  (void)state;
  const double exact = 24e6 * 40 / 40; /* at 40 mm; elements there have their centres at 41.25 */
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int b = 0; b < 3; b++) {
      char text[1200];
      outcome o;
      snprintf(text, sizeof text, BEAM "%s" BOUND(22.5), bodies[b]);
      run_good(*backend, text, &o);
      /* the density model keeps the bound, and so does the part on the same elements */
      assert_true(o.stress < 22.5e6 && o.stress > 15e6);
      if (!strstr(o.feasible, "no: constraint 1 (stress) of the finished part is"))
        fail_msg("body %d: feasible: %s", b, o.feasible);
      assert_non_null(strstr(o.warning, "not feasible"));
      /* the estimate is nearer to the truth than the figure, and on its safe side to a few % */
      assert_true(o.part_constraint > 0.93 * exact && o.part_constraint < 1.15 * exact);
      assert_true(o.part_stress_error > 0);
      assert_true((o.part_stress_fine > o.part_stress) == (b < 2)); /* meshes: by recovery */
      /* F^2 (L^3 / 3 E I + 1.2 L / G A): 0.1048 J of compliance with the shear */
      const double work =
          1e4 * (0.08 * 0.08 * 0.08 / (3 * 200e9 * 1e-8 / 12) + 1.2 * 0.08 / (100e9 * 1e-4));
      assert_true(o.part_compliance < work && o.part_compliance > 0.8 * work);
      assert_true(fabs(o.part_compliance + o.part_compliance_error - work) <
                  fabs(o.part_compliance - work));
      assert_near(o.part_displacement, o.part_compliance / 100, 2e-3);
      /* a bound that the part keeps, too */
      snprintf(text, sizeof text, BEAM "%s" BOUND(30), bodies[b]);
      run_good(*backend, text, &o);
      assert_string_equal(o.feasible, "yes");
    }
}

/* A force that each node of a region gets in full is the same sum on a finer grid. */
static void forces_of_each_node_are_kept(void **state) {
  (void)state;
  outcome o;
  run_good("cpu",
           "physics: topopt\noutput: {count: 0}\nmaterials: [{name: m, young: 200 GPa, poisson: "
           "0}]\nvolume: 1\nfilter: {kind: none}\niterations: 1\nsolver: {tolerance: 1e-9}\n"
           "grid: {elements: [8, 2, 2], size: [80 mm, 20 mm, 20 mm]}\nsupports: [{set: xmin}]\n"
           "loads: [{set: xmax, force: [1 kN, 0, 0], spread: each}]\nsurface: {analyse: true}\n",
           &o);
  /* nodes at the rim have too much of it: about 9 kN squared L / (E A) */
  assert_true(fabs(o.part_compliance / (81e6 * 0.08 / (200e9 * 4e-4)) - 1) < 0.1);
  assert_true(fabs(o.part_compliance_fine / o.part_compliance - 1) < 0.05);
}

/* --- the surface in part.obj, in millimetres --- */

typedef struct {
  double (*x)[3];
  int (*corner)[3];
  int vertices, triangles;
} shape;

static void shape_read(const char *path, shape *s) {
  char line[256];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  *s = (shape){calloc(200000, sizeof *s->x), calloc(400000, sizeof *s->corner), 0, 0};
  while (fgets(line, sizeof line, file)) {
    double *x = s->x[s->vertices];
    int *c = s->corner[s->triangles];
    if (sscanf(line, "v %lf %lf %lf", &x[0], &x[1], &x[2]) == 3)
      s->vertices++;
    else if (sscanf(line, "f %d %d %d", &c[0], &c[1], &c[2]) == 3)
      s->triangles++;
  }
  fclose(file);
}

static void shape_free(shape *s) {
  free(s->x);
  free(s->corner);
}

static void shape_of(const char *text, outcome *o, shape *s) {
  char *folder = folder_new();
  ig_ctx *cx = NULL;
  ig_case *c = NULL;
  memset(o, 0, sizeof *o);
  GOOD(cx,
       ig_ctx_open(
           &(ig_ctx_options){.backend = "cpu", .threads = 1, .log = keep_warning, .user = o}, &cx));
  file_write(in_folder(folder, "case.yaml"), text, strlen(text));
  GOOD(cx, ig_case_open(cx, in_folder(folder, "case.yaml"), &c));
  GOOD(cx, ig_run(c, &(ig_run_options){
                         .out = in_folder(folder, "out"), .figure = keep_figure, .user = o}));
  shape_read(in_folder(folder, "out/part.obj"), s);
  ig_case_close(c);
  ig_ctx_close(cx);
  folder_remove(folder);
}

static double volume_of(const shape *s) {
  double sum = 0;
  for (int t = 0; t < s->triangles; t++) {
    const double *a = s->x[s->corner[t][0] - 1], *b = s->x[s->corner[t][1] - 1],
                 *c = s->x[s->corner[t][2] - 1];
    sum += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
            a[2] * (b[0] * c[1] - b[1] * c[0])) /
           6;
  }
  return sum;
}

/* Normal of a triangle, of length 1. */
static void normal_of(const shape *s, int t, double *n) {
  const double *a = s->x[s->corner[t][0] - 1], *b = s->x[s->corner[t][1] - 1],
               *c = s->x[s->corner[t][2] - 1];
  double size = 0;
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    n[d] = (b[e] - a[e]) * (c[f] - a[f]) - (b[f] - a[f]) * (c[e] - a[e]);
    size += n[d] * n[d];
  }
  for (int d = 0; d < 3; d++)
    n[d] /= sqrt(size);
}

static bool share_edge(const int *p, const int *q) {
  int common = 0;
  for (int i = 0; i < 3; i++)
    common += p[i] == q[0] || p[i] == q[1] || p[i] == q[2];
  return common == 2;
}

/* Where a lip of the design has hardly any thickness, triangles are not collapsed onto each other:
   mesh generators refuse facets that overlap. */
static void nothing_is_folded(void **state) {
  (void)state;
  outcome o;
  shape s;
  shape_of("physics: topopt\noutput: {count: 0}\ngrid: {elements: [20, 8, 10]}\nvolume: 0.35\n"
           "filter: {kind: density, radius: 2.0}\nprojection: {beta: 4, every: 6, beta_max: 16}\n"
           "void_ratio: 1e-6\niterations: 24\nsupports: [{set: xmin}]\nloads: [{box: {min: [20, "
           "4, 4], max: [20, 6, 6]}, force: [0, 0.3, 1]}]\nsurface: {formats: [obj]}\n",
           &o, &s);
  assert_true(s.triangles > 1000);
  for (int t = 0; t < s.triangles; t++)
    for (int q = 0; q < t; q++)
      if (share_edge(s.corner[t], s.corner[q])) {
        double a[3], b[3];
        normal_of(&s, t, a);
        normal_of(&s, q, b);
        if (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] < -0.99)
          fail_msg("triangles %d and %d are folded", t, q);
      }
  shape_free(&s);
}

/* Signed area of the polygons of a DXF file, mm^2, and how many there are. */
static double dxf_area(const char *path, int *polygons) {
  char line[64];
  double first[2] = {0}, last[2] = {0}, now[2] = {0}, area = 0;
  int count = -1, code = 0; /* of vertices in the polygon */
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  *polygons = 0;
  for (int n = 0; fgets(line, sizeof line, file); n++) {
    if (n % 2 == 0) {
      code = atoi(line);
      continue;
    }
    if (code == 0 && strncmp(line, "POLYLINE", 8) == 0) {
      ++*polygons;
      count = 0;
    } else if (code == 0 && strncmp(line, "SEQEND", 6) == 0) {
      area += (last[0] * first[1] - last[1] * first[0]) / 2;
      count = -1;
    } else if (code == 0) {
      count += count >= 0;
    } else if (count > 0 && (code == 10 || code == 20)) {
      now[code / 10 - 1] = atof(line);
      if (code == 20) {
        if (count == 1)
          memcpy(first, now, sizeof now);
        else
          area += (last[0] * now[1] - last[1] * now[0]) / 2;
        memcpy(last, now, sizeof now);
      }
    }
  }
  fclose(file);
  return area;
}

/* A plate of 20 x 10 mm with a hole of 4 x 2 mm, whole and as the half of one: two polygons, the
   area of the design. */
static void plane_designs_have_outlines(void **state) {
  (void)state;
  for (int half = 0; half < 2; half++) {
    char text[700];
    char *folder = folder_new();
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c;
    int polygons;
    snprintf(text, sizeof text,
             "{physics: topopt, output: {count: 0}, grid: {elements: [20, 10, 0], size: [20 mm, 10 "
             "mm, 0], thickness: 1 mm}, filter: {kind: none}, iterations: 1, volume: 1, supports: "
             "[{set: xmax}], loads: [{set: ymax, force: [0, 1, 0]}], passive: [{box: {min: [8 mm, "
             "4 mm], max: [12 mm, 6 mm]}, as: void}], surface: {formats: [dxf, svg]}%s}",
             half ? ", symmetry: [x-]" : "");
    file_write(in_folder(folder, "case.yaml"), text, strlen(text));
    GOOD(cx, ig_case_open(cx, in_folder(folder, "case.yaml"), &c));
    GOOD(cx, ig_run(c, &(ig_run_options){.out = in_folder(folder, "out")}));
    const double area = dxf_area(in_folder(folder, "out/part.dxf"), &polygons);
    assert_int_equal(polygons, 2 + half);
    assert_near(area, (1 + half) * 192, 2e-3);
    FILE *svg = fopen(in_folder(folder, "out/part.svg"), "r");
    char line[200];
    assert_non_null(svg);
    assert_non_null(fgets(line, sizeof line, svg));
    assert_non_null(strstr(line, half ? "width=\"40mm\" height=\"10mm\"" : "width=\"20mm\""));
    fclose(svg);
    ig_case_close(c);
    ig_ctx_close(cx);
    folder_remove(folder);
  }
  outcome o;
  char says[512];
  assert_int_equal(run_text("cpu",
                            "physics: topopt\ngrid: {elements: [4, 4, 4]}\nsupports: [{set: "
                            "xmin}]\nloads: [{set: xmax, force: [0, 1, 0]}]\nsurface: {formats: "
                            "[dxf]}\n",
                            &o, says),
                   IG_INPUT);
  assert_non_null(strstr(says, "svg and dxf are for plane problems"));
}

/* A plate with a hole of 5 mm in elements of 1 mm, with a boss of 9.4 mm about it: all that faces
   the axis within an element of the hole lies on it, and so does the wall of the boss; the sides of
   the plate are its own. Triangles can be meshed. */
#define PLATE                                                                                      \
  "physics: topopt\noutput: {count: 0}\nmaterials: [{name: m, young: 200 GPa, poisson: 0.3}]\n"    \
  "volume: 0.5\nfilter: {kind: density, radius: 1.8 mm}\nprojection: {beta: 4, every: 4, "         \
  "beta_max: 16}\niterations: 14\ngrid: {elements: [30, 20, 6], size: [30 mm, 20 mm, 6 mm]}\n"     \
  "supports: [{set: xmin}]\nloads: [{set: xmax, force: [0, 0, -100], spread: faces}]\npassive:\n"  \
  "- {cylinder: {from: [15 mm, 10 mm, 0], to: [15 mm, 10 mm, 6 mm], radius: 4.7 mm}}\n"            \
  "- {cylinder: {from: [15 mm, 10 mm, 0], to: [15 mm, 10 mm, 6 mm], radius: 2.5 mm}, as: void}\n"  \
  "- {box: {min: [29 mm, 0, 0], max: [30 mm, 20 mm, 6 mm]}}\n"

static void holes_are_round_and_triangles_good(void **state) {
  (void)state;
  outcome o, raw;
  shape s, r;
  shape_of(PLATE "surface: {formats: [obj]}\n", &o, &s);
  shape_of(PLATE "surface: {formats: [obj], deviation: 0}\n", &raw, &r);
  int on = 0;
  for (int v = 0; v < s.vertices; v++) {
    const double radius = hypot(s.x[v][0] - 15, s.x[v][1] - 10);
    const bool inside = s.x[v][2] > 0.01 && s.x[v][2] < 5.99;
    if (radius < 3.5 && inside) { /* nothing else of the part is there */
      assert_true(fabs(radius - 2.5) < 0.025);
      on++;
    }
    assert_true(s.x[v][0] > -1e-4 && s.x[v][0] < 30.0001);
    assert_true(s.x[v][2] > -1e-4 && s.x[v][2] < 6.0001);
  }
  assert_true(on > 40);
  int good = 0;
  for (int t = 0; t < s.triangles; t++)
    good += ig_topopt_triangle_quality(s.x[s.corner[t][0] - 1], s.x[s.corner[t][1] - 1],
                                       s.x[s.corner[t][2] - 1]) >= 0.3;
  assert_true(good >= 0.99 * s.triangles);
  assert_near(o.surface_good, 100.0 * good / s.triangles, 1e-4);
  assert_near(o.surface_open_edges, 0, 0);
  assert_true(raw.surface_good < 95); /* that is what marching tetrahedra leave */
  assert_near(volume_of(&s), volume_of(&r), 1e-3 * volume_of(&r)); /* other triangles on walls */
  assert_true(s.triangles < r.triangles);
  shape_free(&s);
  shape_free(&r);
}

/* A hole of 10 mm in elements of 2 mm, its axis at no node: no vertex is within it, and none of its
   wall is left where slivers turned over. */
static void holes_are_clear(void **state) {
  (void)state;
  outcome o;
  shape s;
  shape_of(
      "physics: topopt\noutput: {count: 0}\nmaterials: [{name: m, young: 200 GPa, poisson: "
      "0.3}]\nvolume: 0.5\nfilter: {kind: density, radius: 3.6 mm}\nprojection: {beta: 4, "
      "every: 4, beta_max: 16}\niterations: 14\ngrid: {elements: [30, 20, 6], size: [60 mm, 40 "
      "mm, 12 mm]}\nsupports: [{set: xmin}]\nloads: [{set: xmax, force: [0, 0, -100], spread: "
      "faces}]\npassive:\n- {cylinder: {from: [30.7 mm, 19.6 mm, 0], to: [30.7 mm, 19.6 mm, 12 "
      "mm], radius: 9.4 mm}}\n- {cylinder: {from: [30.7 mm, 19.6 mm, 0], to: [30.7 mm, 19.6 "
      "mm, 12 mm], radius: 5 mm}, as: void}\nsurface: {formats: [obj]}\n",
      &o, &s);
  int on = 0;
  for (int v = 0; v < s.vertices; v++) {
    const double radius = hypot(s.x[v][0] - 30.7, s.x[v][1] - 19.6);
    assert_true(radius > 4.99);
    on += radius < 5.01;
  }
  assert_true(on > 100);
  assert_near(o.surface_off_faces, 0, 4e-5);
  shape_free(&s);
}

/* A mirrored half has its walls on both sides of the plane, and no seam. */
static void mirrored_walls_are_cut(void **state) {
  (void)state;
  outcome o;
  shape s;
  int on[2] = {0, 0};
  shape_of("physics: topopt\noutput: {count: 0}\nmaterials: [{name: m, young: 200 GPa, poisson: "
           "0.3}]\nvolume: 0.7\nfilter: {kind: density, radius: 1.8 mm}\niterations: 4\n"
           "grid: {elements: [12, 12, 6], size: [12 mm, 12 mm, 6 mm]}\nsymmetry: [y+]\n"
           "supports: [{set: xmin}]\nloads: [{set: xmax, force: [0, 0, -100], spread: faces}]\n"
           "passive: [{sphere: {center: [6 mm, 6 mm, 3 mm], radius: 2.5 mm}, as: void}, "
           "{box: {max: [12 mm, 2 mm, 6 mm]}}]\nsurface: {formats: [obj], level: 0.5}\n",
           &o, &s);
  for (int v = 0; v < s.vertices; v++)
    for (int half = 0; half < 2; half++) {
      const double *x = s.x[v], y = half ? 24 - x[1] : x[1];
      const double radius =
          sqrt((x[0] - 6) * (x[0] - 6) + (y - 6) * (y - 6) + (x[2] - 3) * (x[2] - 3));
      on[half] += fabs(radius - 2.5) < 1e-3;
    }
  assert_true(on[0] > 30 && on[1] > 30);
  assert_near(o.surface_open_edges, 0, 0);
  shape_free(&s);
}

/* A table, 12 x 12 mm on a leg of 4 x 4 mm, printed upright: 128 mm2 hang over, all of it kept
   solid; on its head nothing does. */
static void overhangs_are_measured(void **state) {
  (void)state;
  static const char *const way[] = {"z+", "z-"};
  for (int k = 0; k < 2; k++) {
    char text[1000];
    outcome o;
    snprintf(
        text, sizeof text,
        "physics: topopt\noutput: {count: 0}\nmaterials: [{name: m, young: 200 GPa, poisson: "
        "0.3}]\nvolume: 0.5\nfilter: {kind: density, radius: 1.5 mm}\niterations: 1\n"
        "grid: {elements: [12, 12, 6], size: [12 mm, 12 mm, 6 mm]}\nsupports: [{set: "
        "zmin}]\nloads: [{set: zmax, force: [0, 0, -1], spread: faces}]\noverhang: {direction: "
        "%s}\npassive: [{box: {min: [0, 0, 1 mm]}, as: void}, {box: {min: [1 mm, 0, 0]}, as: "
        "void}, {box: {min: [0, 1 mm, 0]}, as: void}, {box: {min: [4 mm, 4 mm, 0], max: [8 mm, 8 "
        "mm, 4 mm]}}, "
        "{box: {min: [0, 0, 4 mm]}}]\n",
        way[k]);
    run_good("cpu", text, &o);
    assert_near(o.overhang_area, k ? 0 : 128e-6, k ? 1e-6 : 0.03);
    assert_near(o.overhang_area_30, o.overhang_area, k ? 1e-6 : 0.03);
    assert_near(o.overhang_area_held, o.overhang_area, k ? 1e-6 : 0.03);
    assert_int_equal(strstr(o.warning, "kept solid") != NULL, k == 0);
  }
  static const char *const bad[][2] = {
      {"physics: topopt\ngrid: {elements: [8, 4, 8]}\nsupports: [{set: xmin}]\nloads: [{set: xmax, "
       "force: [0, 0, -1]}]\nfilter: {kind: density}\noverhang: {direction: z+, angle: 60}\n",
       "make the grid of 5 elements along z, not 8"},
      {"physics: topopt\ngrid: {elements: [8, 4, 8]}\nsupports: [{set: xmin}]\nloads: [{set: xmax, "
       "force: [0, 0, -1]}]\nfilter: {kind: density}\noverhang: {direction: z+, angle: 75}\n",
       "angle"}};
  run_refused(bad, 2);
}

/* Value and gradient of any design, for other programs: the gradient of objective, volume and a
   constraint along a direction is what differences of the values are. A run that has not ended
   gives the figures of its present design. */
static void other_programs_see_gradients(void **state) {
  (void)state;
  enum { N = 8 * 4 * 2, NODES = 9 * 5 * 3 };
  static const char text[] =
      "physics: topopt\noutput: {count: 0}\nmaterials: [{name: m, young: 2, poisson: 0.3}]\n"
      "grid: {elements: [8, 4, 2]}\nsupports: [{set: xmin}]\nloads: [{set: xmax, force: [0, -1, "
      "0]}]\nvolume: 0.5\nfilter: {kind: density, radius: 1.5}\nconstraints: [{box: {min: [8, 0, "
      "0]}, direction: [0, -1, 0], displacement: 300}]\nsolver: {tolerance: 1e-12}\niterations: "
      "9\nsurface: {analyse: false}\n";
  static const char *const value[] = {"objective", "volume", "constraints"};
  static const char *const gradient[] = {"objective_gradient", "volume_gradient",
                                         "constraint_1_gradient"};
  char *folder = folder_new();
  ig_ctx *cx = NULL;
  ig_case *c = NULL;
  ig_sim *sim = NULL;
  outcome o;
  double x[N], along[N], slope[N], u[3 * NODES], at[3][2], by[3] = {0}, work = 0;
  const double step = 1e-4;
  memset(&o, 0, sizeof o);
  GOOD(cx, ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1}, &cx));
  file_write(in_folder(folder, "case.yaml"), text, strlen(text));
  GOOD(cx, ig_case_open(cx, in_folder(folder, "case.yaml"), &c));
  GOOD(cx, ig_sim_open(c, &(ig_sim_options){.figure = keep_figure, .user = &o}, &sim));
  GOOD(cx, ig_sim_step(sim, 2, NULL));
  for (int side = 0; side < 3; side++) {
    for (int e = 0; e < N; e++) {
      along[e] = cos(3.0 * e);
      x[e] = 0.5 + 0.3 * sin(1.0 * e) + (side == 2 ? 0 : side ? -step : step) * along[e];
    }
    GOOD(cx, ig_sim_set(sim, "design", x));
    for (int f = 0; f < 3; f++) {
      if (side < 2)
        GOOD(cx, ig_sim_get(sim, value[f], &at[f][side]));
      else
        GOOD(cx, ig_sim_get(sim, gradient[f], slope));
      for (int e = 0; e < N && side == 2; e++)
        by[f] += slope[e] * along[e];
    }
  }
  for (int f = 0; f < 3; f++)
    assert_true(fabs((at[f][0] - at[f][1]) / (2 * step) - by[f]) < 1e-5 * fabs(by[f]));
  /* the work of the load: a unit force, shared by the nodes of its side */
  GOOD(cx, ig_sim_get(sim, "displacement", u));
  GOOD(cx, ig_sim_get(sim, "objective", at[0]));
  for (int n = 8; n < NODES; n += 9)
    work -= u[3 * n + 1] / 15;
  assert_near(work, at[0][0], 1e-9);
  GOOD(cx, ig_sim_finish(sim));
  assert_near(o.objective, at[0][0], 1e-9);
  assert_non_null(strstr(o.stopped, "stopped at iteration 2 of 9"));
  ig_sim_close(sim);
  ig_case_close(c);
  ig_ctx_close(cx);
  folder_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stresses_come_with_their_error),
                                     cmocka_unit_test(forces_of_each_node_are_kept),
                                     cmocka_unit_test(holes_are_round_and_triangles_good),
                                     cmocka_unit_test(holes_are_clear),
                                     cmocka_unit_test(mirrored_walls_are_cut),
                                     cmocka_unit_test(nothing_is_folded),
                                     cmocka_unit_test(plane_designs_have_outlines),
                                     cmocka_unit_test(overhangs_are_measured),
                                     cmocka_unit_test(other_programs_see_gradients)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
