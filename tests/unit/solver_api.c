/* The linear solver of ingot/solver.h: answers, products, and what it refuses. */
#include "check.h"

#include <ingot/run.h>
#include <ingot/solver.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ig_mesh *mesh_of(ig_ctx *cx, const char *text) {
  ig_case *c = NULL;
  ig_mesh *mesh = NULL;
  GOOD(cx, ig_case_new(cx, &c));
  GOOD(cx, ig_case_set(c, "mesh", text));
  GOOD(cx, ig_case_mesh(c, &mesh));
  ig_case_close(c);
  return mesh;
}

static uint8_t *fixed_at(const ig_mesh *mesh, const char *name) {
  uint8_t *fixed = calloc((size_t)mesh->nodes, 1);
  const ig_set *set = ig_mesh_find_set(mesh, name, IG_SET_NODES);
  assert_non_null(fixed);
  assert_non_null(set);
  for (ig_lid i = 0; i < set->count; i++)
    fixed[set->item[i]] = 7;
  return fixed;
}

/* A known field is found again from the forces that it takes, for each element, both equations and
   coefficients that differ by a thousand. */
static void known_fields_are_found(void **state) {
  (void)state;
  static const char *const shape[] = {
      "{boxes: {size: [3, 1, 1], cells: [9, 3, 3]}}",
      "{boxes: {size: [3, 1, 1], cells: [6, 2, 2]}, element: tet4}",
      "{boxes: {size: [3, 1, 1], cells: [6, 2, 2]}, element: tet10}",
      "{tube: {inner: 0.4, outer: 1, height: 2, cells: [3, 12, 6]}}"};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int k = 0; k < 8; k++) {
      ig_ctx *cx = ctx_on(*backend, 1);
      ig_mesh *mesh = mesh_of(cx, shape[k % 4]);
      const bool heat = k / 4;
      uint8_t *fixed = fixed_at(mesh, k % 4 == 3 ? "bottom" : "xmin");
      const size_t per = heat ? 1 : 3, n = per * (size_t)mesh->nodes;
      const size_t elements = (size_t)ig_mesh_elements(mesh);
      double *u = calloc(n, sizeof *u), *f = calloc(n, sizeof *f), *found = calloc(n, sizeof *u);
      double *coefficient = calloc(elements, sizeof *coefficient), most = 0, worst = 0;
      for (size_t i = 0; i < n; i++)
        u[i] = fixed[i / per] ? 0 : sin(3.0 * (double)i);
      for (size_t e = 0; e < elements; e++)
        coefficient[e] = e % 3 ? 1 : 1e3;
      const ig_solver_options o = {
          .size = sizeof o, .equation = heat, .poisson = heat ? 0 : 0.3, .fixed = fixed};
      ig_solver *s = NULL;
      ig_solver_report report;
      GOOD(cx, ig_solver_open(cx, mesh, &o, &s));
      GOOD(cx, ig_solver_set_coefficient(s, coefficient));
      GOOD(cx, ig_solver_apply(s, u, f));
      GOOD(cx, ig_solver_solve(s, f, found, 1e-12, &report));
      for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(u[i]));
        worst = fmax(worst, fabs(u[i] - found[i]));
      }
      assert_true(worst < 1e-7 * most);
      assert_true(report.residual <= 1e-12 && report.iterations > 0);
      ig_solver_close(s);
      ig_mesh_free(mesh);
      free(fixed);
      free(u);
      free(f);
      free(found);
      free(coefficient);
      ig_ctx_close(cx);
    }
}

static void misuse_is_refused(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_mesh *mesh = mesh_of(cx, "{boxes: {size: [1, 1, 1], cells: [2, 2, 2]}}");
  ig_mesh *flat =
      mesh_of(cx, "{plate: {size: [1, 1], cells: [2, 2]}, element: quad4, shell: true}");
  uint8_t *fixed = fixed_at(mesh, "xmin"), none[27] = {0};
  double values[81] = {0};
  ig_solver *s = NULL;
  ig_solver_options o = {.size = sizeof o, .poisson = 0.3, .fixed = none};
  assert_int_equal(ig_solver_open(cx, mesh, &o, &s), IG_INPUT);
  assert_non_null(strstr(ig_ctx_message(cx), "singular"));
  o.fixed = fixed;
  o.poisson = 0.5;
  assert_int_equal(ig_solver_open(cx, mesh, &o, &s), IG_INPUT);
  o.poisson = 0.3;
  o.size--;
  assert_int_equal(ig_solver_open(cx, mesh, &o, &s), IG_ARG);
  o.size++;
  assert_int_equal(ig_solver_open(cx, flat, &o, &s), IG_INPUT);
  assert_null(s);
  GOOD(cx, ig_solver_open(cx, mesh, &o, &s));
  assert_int_equal(ig_solver_solve(s, values, values, 1e-8, NULL), IG_ARG); /* no coefficient */
  assert_int_equal(ig_solver_set_coefficient(s, values), IG_INPUT);         /* zero */
  ig_solver_close(s);
  ig_solver_close(NULL);
  free(fixed);
  ig_mesh_free(mesh);
  ig_mesh_free(flat);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_fields_are_found),
                                     cmocka_unit_test(misuse_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
