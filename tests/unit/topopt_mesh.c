/* Topology optimisation on meshes: the filter, sets, messages, a part from Gmsh. */
#include "check.h"
#include "backend/backend.h"
#include "closed.h"
#include "folder.h"
#include "geometry/mesh_case.h"
#include "topopt/mesh/mesh_model.h"
#include "verify/topopt/problem.h"
#include <ingot/run.h>

static ig_ctx *cx;

/* INGOT_TEST_BACKEND names another backend for all of it. */
static void open_ctx(const char *backend) {
  const char *other = getenv("INGOT_TEST_BACKEND");
  cx = ctx_on(other ? other : backend, 2);
}

static ig_mesh *wobbly_of(ig_elem_type type) {
  ig_box_case b = {.size = IG_ROW(6, 3, 2), .cells = IG_ROW(6, 4, 3), .grading = IG_ROW(3, 1, 1)};
  const ig_mesh_case c = {.boxes = {1, &b},
                          .element = (int)type + 1,
                          .jitter = {.at.given = true, .amount = type == IG_HEX8 ? 0.3 : 0.15}};
  ig_mesh *mesh;
  assert_int_equal(ig_mesh_generate(cx, &c, &mesh), IG_OK);
  return mesh;
}
static ig_mesh *wobbly(void) {
  return wobbly_of(IG_HEX8);
}

#define CASE(more)                                                                                 \
  "{volume: 0.4, supports: [{set: xmin}], loads: [{set: xmax, force: [0, 0, -1], spread: "         \
  "faces}]" more "}"

/* Every pair of elements, against the hashed neighbours. */
static void cone_filter_is_the_sum_over_all_pairs(void **state) {
  (void)state;
  static const char *const texts[] = {
      CASE(", filter: {radius: 0.7}"), CASE(", filter: {radius: 2.5}"),
      CASE(", filter: {radius: 1e-3}"), CASE(", filter: {radius: 50}")};
  static const double radius[] = {0.7, 2.5, 1e-3, 50};
  open_ctx("debug");
  ig_mesh *mesh = wobbly();
  for (int k = 0; k < 4; k++) {
    ig_topopt_problem t;
    assert_int_equal(ig_topopt_problem_open_mesh(cx, texts[k], mesh, &t), IG_OK);
    const int n = (int)t.d->elements;
    double *center = calloc((size_t)n * 3, 8);
    ig_array in = {0}, out = {0};
    assert_int_equal(ig_array_new(cx, &in, (size_t)n, 8, "in"), IG_OK);
    assert_int_equal(ig_array_new(cx, &out, (size_t)n, 8, "out"), IG_OK);
    for (int e = 0; e < n; e++) {
      ((double *)in.host)[e] = sin(3.7 * e);
      for (int i = 0; i < 24; i++)
        center[3 * e + i % 3] += mesh->x[3 * mesh->block[0].conn[8 * e + i / 3] + i % 3] / 8;
    }
    assert_int_equal(ig_array_push(cx, &in), IG_OK);
    assert_int_equal(t.d->filter(t.d->self, in.dev, out.dev), IG_OK);
    assert_int_equal(ig_array_pull(cx, &out), IG_OK);
    for (int e = 0; e < n; e++) {
      double sum = 0;
      for (int o = 0; o < n; o++) {
        double s = 0;
        for (int d = 0; d < 3; d++)
          s += pow(center[3 * e + d] - center[3 * o + d], 2);
        sum += fmax(0, radius[k] - sqrt(s)) * ((double *)in.host)[o];
      }
      assert_true(fabs(((double *)out.host)[e] - sum) <= 1e-12 * n * radius[k]);
    }
    ig_array_free(cx, &in);
    ig_array_free(cx, &out);
    free(center);
    ig_topopt_problem_close(&t);
  }
  ig_mesh_free(mesh);
  ig_ctx_close(cx);
}

/* Constants stay, means by volume stay, and the filter is its own adjoint, on uneven elements; a
   point spreads as far as the radius says, however fine the mesh. */
static void helmholtz_filter_is_one(void **state) {
  (void)state;
  double spread[2];
  for (int fine = 0; fine < 2; fine++) {
    open_ctx("debug");
    const int k = fine ? 2 : 1;
    ig_box_case b = {
        .size = IG_ROW(6, 6, 6), .cells = IG_ROW(9 * k, 9 * k, 9 * k), .grading = IG_ROW(2, 1, 1)};
    const ig_mesh_case mc = {.boxes = {1, &b}, .jitter = {.at.given = true, .amount = 0.2}};
    ig_mesh *mesh;
    ig_topopt_problem t;
    assert_int_equal(ig_mesh_generate(cx, &mc, &mesh), IG_OK);
    assert_int_equal(
        ig_topopt_problem_open_mesh(cx, CASE(", filter: {kind: helmholtz, radius: 2}"), mesh, &t),
        IG_OK);
    ig_topopt_mesh_model *m = t.d->self;
    const int n = (int)t.d->elements;
    const double *share = m->share.host, *center = m->center.host;
    ig_array in = {0}, out[3] = {{0}};
    assert_int_equal(ig_array_new(cx, &in, (size_t)n, 8, "in"), IG_OK);
    double *x = in.host, dot[2] = {0, 0}, sum = 0, all = 0, moment = 0, at[3] = {3, 3, 3};
    int nearest = 0;
    double least = 1e9;
    for (int e = 0; e < n; e++) {
      double s = 0;
      for (int d = 0; d < 3; d++)
        s += pow(center[3 * e + d] - at[d], 2);
      if (s < least) {
        least = s;
        nearest = e;
      }
    }
    for (int kind = 0; kind < 3; kind++) { /* ones, a wave, one element */
      for (int e = 0; e < n; e++)
        x[e] = kind == 0 ? share[e] : kind == 1 ? sin(2.3 * e) : e == nearest;
      assert_int_equal(ig_array_push(cx, &in), IG_OK);
      assert_int_equal(ig_array_new(cx, &out[kind], (size_t)n, 8, "out"), IG_OK);
      assert_int_equal(t.d->filter(t.d->self, in.dev, out[kind].dev), IG_OK);
      assert_int_equal(ig_array_pull(cx, &out[kind]), IG_OK);
    }
    const double *one = out[0].host, *wave = out[1].host, *peak = out[2].host;
    for (int e = 0; e < n; e++) {
      assert_true(fabs(one[e] - 1) < 1e-8);
      dot[0] += sin(2.3 * e) * peak[e];
      sum += share[e] * wave[e];
      all += sin(2.3 * e);
      for (int d = 0; d < 3; d++)
        moment += share[e] * peak[e] * pow(center[3 * e + d] - at[d], 2);
    }
    dot[1] = wave[nearest];
    assert_true(fabs(dot[0] - dot[1]) < 1e-7 * fabs(dot[1]) + 1e-9);
    assert_true(fabs(sum - all) < 1e-6);
    spread[fine] = moment;
    for (int i = 0; i < 3; i++)
      ig_array_free(cx, &out[i]);
    ig_array_free(cx, &in);
    ig_topopt_problem_close(&t);
    ig_mesh_free(mesh);
    ig_ctx_close(cx);
  }
  /* in the whole space 6 (R / 2 sqrt 3)^2 = R^2 / 2; the box is finite, elements have a size */
  assert_true(fabs(spread[0] - 2) < 0.4 && fabs(spread[1] - 2) < 0.2);
}

static double first_objective(const ig_mesh *mesh, const char *text) {
  ig_topopt_problem t;
  ig_evaluation e = {0};
  assert_int_equal(ig_topopt_problem_open_mesh(cx, text, mesh, &t), IG_OK);
  assert_int_equal(ig_topopt_problem_iterate(&t, 1, &e), IG_OK);
  assert_true(fabs(e.volume - 0.4) < 1e-12); /* by volume, however uneven the elements */
  assert_int_equal(ig_topopt_problem_iterate(&t, 2, &e), IG_OK);
  assert_true(fabs(e.volume - 0.4) < 1e-6);
  ig_topopt_problem_close(&t);
  return e.objective;
}

static void preconditioners_and_selections_agree(void **state) {
  (void)state;
  open_ctx("debug");
  ig_mesh *mesh = wobbly();
  const double by_set =
      first_objective(mesh, CASE(", solver: {tolerance: 1e-10, preconditioner: jacobi}"));
  const double blocks =
      first_objective(mesh, CASE(", solver: {tolerance: 1e-10, preconditioner: block_jacobi}"));
  const double multigrid =
      first_objective(mesh, CASE(", solver: {tolerance: 1e-10, preconditioner: multigrid}"));
  ig_topopt_problem t;
  const char *text = CASE(", solver: {tolerance: 1e-10, preconditioner: petsc}");
  if (ig_topopt_problem_open_mesh(cx, text, mesh, &t) == IG_OK) {
    ig_topopt_problem_close(&t);
    assert_true(fabs(first_objective(mesh, text) / by_set - 1) < 1e-8);
  } else {
    assert_non_null(strstr(ig_ctx_message(cx), "-DINGOT_PETSC=ON"));
  }
  const double by_region = first_objective(
      mesh, "{volume: 0.4, supports: [{box: {max: [0, 9, 9]}}], loads: [{box: {min: [6, 0, 0]}, "
            "force: [0, 0, -1], spread: faces}], solver: {tolerance: 1e-10}}");
  assert_true(fabs(blocks / by_set - 1) < 1e-8);
  assert_true(fabs(multigrid / by_set - 1) < 1e-8);
  assert_true(fabs(by_region / by_set - 1) < 1e-8);
  ig_mesh_free(mesh);
  ig_ctx_close(cx);
}

/* Multigrid: halving the elements must not cost many more iterations, in a design with voids. */
static void multigrid_is_nearly_flat(void **state) {
  (void)state;
  int iterations[2];
  open_ctx("debug");
  for (int fine = 0; fine < 2; fine++) {
    const int n = fine ? 2 : 1;
    ig_box_case b = {.size = IG_ROW(12, 4, 4), .cells = IG_ROW(12 * n, 4 * n, 4 * n)};
    const ig_mesh_case c = {.boxes = {1, &b}, .jitter = {.at.given = true, .amount = 0.2}};
    ig_mesh *mesh;
    ig_topopt_problem t;
    ig_evaluation e = {0};
    assert_int_equal(ig_mesh_generate(cx, &c, &mesh), IG_OK);
    assert_int_equal(ig_topopt_problem_open_mesh(
                         cx,
                         CASE(", filter: {radius: 1.5}, springs: [{set: xmax, stiffness: [0, "
                              "0.01, 0]}], solver: {tolerance: 1e-6, operator: recompute}"),
                         mesh, &t),
                     IG_OK);
    for (int i = 1; i <= 4; i++)
      assert_int_equal(ig_topopt_problem_iterate(&t, i, &e), IG_OK);
    iterations[fine] = e.iterations;
    ig_topopt_problem_close(&t);
    ig_mesh_free(mesh);
  }
  if (iterations[0] < 2 || iterations[0] > 30 || iterations[1] > 1.5 * iterations[0])
    fail_msg("%d, then %d iterations", iterations[0], iterations[1]);
  ig_ctx_close(cx);
}

static void mistakes_are_named(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"{supports: [{set: nowhere}]}", "no set 'nowhere'"},
      {"{supports: [{box: {min: [99, 0, 0]}}]}", "no node of the mesh lies there"},
      {CASE(", passive: [{set: xmin}]"), "no set 'xmin' of elements"},
      {CASE(", passive: [{}]"), "no element is left to design"},
      {"{loads: [{set: all, force: [1, 0, 0], spread: faces}]}", "no set 'all' of faces"},
      {"{supports: [{set: all}], loads: [{force: [1, 0, 0]}]}", "nothing acts on a node"},
      {"{problem: heat, supports: [{set: xmin}], solver: {operator: nbn}, source: 1}",
       "made by recompute"},
      {"{problem: heat, supports: [{set: xmin}], springs: [{stiffness: [1, 1, 1]}]}", "has none"},
      {CASE(", symmetry: [q]"), "'q' is no plane"}};
  open_ctx("cpu");
  ig_mesh *mesh = wobbly();
  ig_topopt_problem t;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(ig_topopt_problem_open_mesh(cx, bad[i][0], mesh, &t), IG_INPUT);
    if (!strstr(ig_ctx_message(cx), bad[i][1]))
      fail_msg("expected '%s' in: %s", bad[i][1], ig_ctx_message(cx));
  }
  ig_mesh_free(mesh);
  mesh = wobbly_of(IG_TET4);
  assert_int_equal(ig_topopt_problem_open_mesh(cx, CASE(", solver: {operator: ebe}"), mesh, &t),
                   IG_INPUT);
  assert_non_null(strstr(ig_ctx_message(cx), "tet4 elements, which take recompute"));
  ig_mesh_free(mesh);
  assert_int_equal(
      ig_topopt_problem_open(cx, "{grid: {elements: [2, 2, 2]}, supports: [{set: nowhere}]}", &t),
      IG_INPUT);
  assert_non_null(strstr(ig_ctx_message(cx), "set: there is no 'nowhere'"));
  ig_ctx_close(cx);
}

/* Random, blocky, solid and empty-but-one designs on a distorted mesh, whole and mirrored. */
static void check_surfaces(ig_elem_type type) {
  ig_mesh *mesh = wobbly_of(type);
  for (int mirror = 0; mirror < 2; mirror++) {
    ig_topopt_problem t;
    assert_int_equal(ig_topopt_problem_open_mesh(cx, CASE(", symmetry: [x+, z-]"), mesh, &t),
                     IG_OK);
    const int n = (int)t.d->elements;
    double *x = calloc((size_t)n, sizeof *x);
    uint32_t seed = 1;
    for (int kind = 0; kind < 5; kind++) {
      for (int e = 0; e < n; e++) {
        seed = seed * 1664525u + 1013904223u;
        x[e] = kind == 0   ? 1
               : kind == 1 ? (seed >> 16) % 2
               : kind == 2 ? (seed >> 8) / 16777216.0
               : kind == 3 ? e % 6 > 2
                           : e == n / 2;
      }
      ig_topopt_part s; /* more tetrahedra share a node */
      const double level = kind < 4 ? 0.5 : type == IG_HEX8 ? 0.1 : 0.02;
      assert_int_equal(t.d->surface(t.d->self, x, level, mirror, &s), IG_OK);
      assert_closed(&s);
      if (kind == 0) { /* the mesh itself: 6 x 3 x 2 */
        assert_true(fabs(s.volume - (mirror ? 144 : 36)) < 1e-4);
        assert_true(fabs(s.area - (mirror ? 2 * (36 + 12 + 48) : 2 * (18 + 6 + 12))) < 1e-4);
      }
      assert_true(s.volume > 0 && s.volume < 144 + 1e-4);
      ig_topopt_part_free(&s);
    }
    free(x);
    ig_topopt_problem_close(&t);
  }
  ig_mesh_free(mesh);
}
static void surface_is_closed(void **state) {
  (void)state;
  open_ctx("cpu");
  check_surfaces(IG_HEX8);
  check_surfaces(IG_TET4);
  check_surfaces(IG_TET10);
  ig_ctx_close(cx);
}

#ifdef INGOT_HAVE_GMSH
static double objective;
static void figure(void *user, const char *key, double value, const char *unit, const char *text) {
  (void)unit;
  (void)user;
  (void)text;
  if (strcmp(key, "objective") == 0)
    objective = value;
}
#endif

static void a_part_from_gmsh(void **state) {
  (void)state;
#ifdef INGOT_HAVE_GMSH
  /* a quarter ring, then a straight arm */
  static const char geo[] =
      "Point(1) = {0, 0, 0};\nPoint(2) = {10, 0, 0};\nPoint(3) = {20, 0, 0};\nPoint(4) = {0, 20, "
      "0};\nPoint(5) = {0, 10, 0};\nPoint(6) = {-20, 20, 0};\nPoint(7) = {-20, 10, 0};\nLine(1) = "
      "{2, 3};\nCircle(2) = {3, 1, 4};\nLine(3) = {4, 5};\nCircle(4) = {5, 1, 2};\nLine(5) = {4, "
      "6};\nLine(6) = {6, 7};\nLine(7) = {7, 5};\nCurve Loop(1) = {1, 2, 3, 4};\nPlane Surface(1) "
      "= {1};\nCurve Loop(2) = {-3, 5, 6, 7};\nPlane Surface(2) = {2};\nTransfinite Curve {1, 3, "
      "6} = 5;\nTransfinite Curve {2, 4, 5, 7} = 10;\nTransfinite Surface {1, 2};\nRecombine "
      "Surface {1, 2};\nout[] = Extrude {0, 0, 6} { Surface{1, 2}; Layers{2}; Recombine; "
      "};\nPhysical Volume(\"part\") = {out[1], out[7]};\nPhysical Surface(\"foot\") = {out[2]};\n";
  const char *const keys[][2] = {{"physics", "topopt"},
                                 {"mesh.unit", "1 mm"},
                                 {"volume", "0.5"},
                                 {"supports[0]", "{set: foot}"},
                                 {"materials", "[{name: steel, young: 210 GPa, poisson: 0.3}]"},
                                 {"loads[0]", "{set: xmin, force: [0, -100, 0], spread: faces}"},
                                 {"filter.radius", "4 mm"},
                                 {"surface.formats", "[]"},
                                 {"output.every", "2"}};
  char *folder = folder_new();
  open_ctx("cpu");
  file_write(in_folder(folder, "part.geo"), geo, strlen(geo));
  double after[2];
  for (int run = 0; run < 2; run++) {
    ig_case *c;
    assert_int_equal(ig_case_new(cx, &c), IG_OK);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
      assert_int_equal(ig_case_set(c, keys[i][0], keys[i][1]), IG_OK);
    assert_int_equal(ig_case_set(c, "mesh.file", in_folder(folder, "part.geo")), IG_OK);
    assert_int_equal(ig_case_set(c, "iterations", run ? "8" : "0"), IG_OK);
    ig_run_stats stats;
    const ig_run_options options = {
        .out = in_folder(folder, run ? "after" : "before"), .stats = &stats, .figure = figure};
    if (ig_run(c, &options) != IG_OK)
      fail_msg("%s", ig_ctx_message(cx));
    assert_true(stats.elements > 100);
    after[run] = objective;
    ig_case_close(c);
  }
  assert_true(after[1] > 0 && after[1] < 0.6 * after[0]);
  ig_ctx_close(cx);
  folder_remove(folder);
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cone_filter_is_the_sum_over_all_pairs),
                                     cmocka_unit_test(helmholtz_filter_is_one),
                                     cmocka_unit_test(preconditioners_and_selections_agree),
                                     cmocka_unit_test(multigrid_is_nearly_flat),
                                     cmocka_unit_test(mistakes_are_named),
                                     cmocka_unit_test(surface_is_closed),
                                     cmocka_unit_test(a_part_from_gmsh)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
