/* What facets open by: thresholds and criteria, strengths by material, interfaces, weak planes. */
#include "check.h"
#include "verify/fracture/problem.h"
#include "geometry/mesh_case.h"

/* A bar 1 x 0.4, left and right half a set each; held in y, stretched in x by `strain` and sheared.
 */
static void bar(ig_frac_problem *p, ig_ctx *cx, double stretch, double shear) {
  ig_frac_problem_init(p, cx);
  ig_frac_problem_material(p, 1e9, 0.0, 1000, 100, 1e6);
  ig_box_case box[2] = {
      {.name = "left", .size = IG_ROW(0.5, 0.4), .cells = IG_ROW(5, 4)},
      {.name = "right", .origin = IG_ROW(0.5, 0), .size = IG_ROW(0.5, 0.4), .cells = IG_ROW(5, 4)}};
  const ig_mesh_case mesh = {
      .element = (int)IG_TRI3 + 1, .triangle_pattern = IG_PATTERN_CROSSED, .boxes = {2, box}};
  GOOD(cx, ig_mesh_generate(cx, &mesh, &p->job.mesh));
  p->strain[0] = stretch;
  p->strain[2] = shear;
  p->initial.strain = (ig_reals){3, p->strain};
  p->c.safety = 0.3;
}

/* Facets open after the first check, and how many of them are upright at x. */
static int opened(ig_frac_problem *p, double x, int *there) {
  ig_ctx *cx = p->job.cx;
  ig_frac_model m;
  double figures[IG_FRAC_FIGURES];
  GOOD(cx, ig_frac_setup(&p->job, &m));
  GOOD(cx, ig_frac_model_figures(&m, figures));
  const int count = m.count.cohesive;
  void *conn, *coh, *turn, *at, *unused;
  GOOD(cx, ig_frac_model_pull(&m, "conn", &conn));
  GOOD(cx, ig_frac_model_pull(&m, "coh", &coh));
  GOOD(cx, ig_frac_model_pull(&m, "turn", &turn));
  GOOD(cx, ig_frac_model_pull(&m, "x", &at));
  GOOD(cx, ig_frac_model_pull(&m, "cs", &unused));
  GOOD(cx, ig_frac_model_pull(&m, "cw", &unused));
  *there = 0;
  for (int c = 0; c < count; c++) {
    bool on = true;
    for (int j = 0; j < 2; j++)
      on =
          on && fabs(ig_frac_model_real(
                         &m, at, 2 * (int64_t)ig_frac_cohesive_node(&m, conn, coh, turn, c, j, 0)) -
                     x) < 1e-9;
    *there += on;
    assert_true(ig_frac_model_damage(&m, c) < 0.01); /* they hold, to begin with */
  }
  ig_frac_model_free(&m);
  ig_frac_problem_free(p);
  return count;
}

static void a_threshold_below_the_strength(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 1);
    ig_frac_problem p;
    int there;
    bar(&p, cx, 0.7e-3, 0); /* 0.7 of the strength on upright facets */
    assert_int_equal(opened(&p, 0.5, &there), 0);
    bar(&p, cx, 0.7e-3, 0);
    p.c.cohesive.insertion_threshold = 0.6;
    assert_true(opened(&p, 0.5, &there) > 0 && there == 4);
    ig_ctx_close(cx);
  }
}

/* Pull and shear at 0.8 of the strength each: not enough one by one, enough together. */
static void effective_means(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 1);
    for (int effective = 0; effective < 2; effective++) {
      ig_frac_problem p;
      int there;
      bar(&p, cx, 0.8e-3, 0.8e-3); /* shear stress 2 mu e = E e at poisson 0 */
      p.c.cohesive.criterion = effective ? IG_FRAC_EFFECTIVE_MEAN : IG_FRAC_FACET_MEAN;
      (void)opened(&p, 0.5, &there);
      assert_int_equal(there, effective ? 4 : 0);
    }
    ig_ctx_close(cx);
  }
}

/* Two materials, the right one weaker; a facet between them opens by the weaker, or by its own law.
 */
static void laws_by_material_and_interface(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int way = 0; way < 4; way++) {
      ig_ctx *cx = ctx_on(*backend, 1);
      ig_frac_problem p;
      bar(&p, cx, 0.7e-3, 0);
      const char *left = "left", *right = "right", *both[2] = {"hard", "soft"};
      ig_material_case material[2] = {p.material, p.material};
      material[0].name = "hard";
      material[0].set = (ig_texts){1, &left};
      material[1].name = "soft";
      material[1].set = (ig_texts){1, &right};
      if (way < 2)
        material[1].cohesive_strength = 0.5e6;
      p.materials = (ig_list){2, material};
      ig_frac_interface_case tie = {
          .from = {NAN, NAN, NAN}, .to = {NAN, NAN, NAN}, .fracture_energy = 100};
      tie.cohesive_strength = way == 1 ? 1e9 : 0.5e6;
      if (way == 1 || way == 2)
        tie.between = (ig_texts){2, both};
      else {
        const double from[] = {0.3, 0, NAN}, to[] = {0.3, 0.4, NAN};
        memcpy(tie.from, from, sizeof from);
        memcpy(tie.to, to, sizeof to);
      }
      if (way > 0)
        p.c.interfaces = (ig_list){1, &tie};
      int there;
      const int count = opened(&p, way == 3 ? 0.3 : 0.5, &there);
      if (way == 0) /* the soft half, and the facets on its rim */
        assert_true(there == 4 && count > 4);
      else if (way == 1) /* the soft half without its rim */
        assert_true(there == 0 && count > 4);
      else /* the interface alone; the weak plane alone */
        assert_true(there == 4 && count == 4);
      ig_ctx_close(cx);
    }
}

static void wrong_interfaces_are_explained(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_frac_problem p;
  ig_frac_model m;
  const char *names[2] = {"material", "nobody"};
  ig_frac_interface_case tie = {.from = {NAN, NAN, NAN},
                                .to = {NAN, NAN, NAN},
                                .fracture_energy = 100,
                                .cohesive_strength = 1e6};
  static const char *const words[] = {"either `between` two materials",
                                      "no material is called 'nobody'",
                                      "no facet of the mesh lies on this weak plane"};
  for (int way = 0; way < 3; way++) {
    tie.between = way == 1 ? (ig_texts){2, names} : (ig_texts){0};
    if (way == 2) { /* beside all edges */
      tie.from[0] = tie.to[0] = 0.33;
      tie.from[1] = 0;
      tie.to[1] = 0.4;
    }
    bar(&p, cx, 1e-4, 0);
    p.c.interfaces = (ig_list){1, &tie};
    BAD(cx, ig_frac_setup(&p.job, &m), words[way]);
    ig_frac_model_free(&m);
    ig_frac_problem_free(&p);
  }
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_threshold_below_the_strength),
                                     cmocka_unit_test(effective_means),
                                     cmocka_unit_test(laws_by_material_and_interface),
                                     cmocka_unit_test(wrong_interfaces_are_explained)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
