/* Choices between equals: a model moved, or summed in another order, chooses alike though its
   rounding differs. */
#include "case_figures.h"

static void run_of(const char *backend, const char *physics, const entry *set, const entry *other,
                   const wanted *want, double value[MOST_FIGURES]) {
  ig_ctx *cx = ctx_on(backend, 1);
  ig_case *c = case_with(cx, physics, set);
  seen_figures seen = {.want = want};
  for (; other && other->key; other++)
    GOOD(cx, ig_case_set(c, other->key, other->value));
  GOOD(cx, ig_run(c, &(ig_run_options){.figure = figure_see, .user = &seen}));
  memcpy(value, seen.value, sizeof seen.value);
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* The same figures with and without the other keys, relative to their size. */
static void alike(const char *physics, const entry *set, const entry *other, const wanted *want) {
  for (const char *const *backend = backends_here(); *backend; backend++) {
    double a[MOST_FIGURES], b[MOST_FIGURES];
    run_of(*backend, physics, set, NULL, want, a);
    run_of(*backend, physics, set, other, want, b);
    for (int i = 0; want[i].name; i++)
      if (!(fabs(a[i]) > 0 && fabs(a[i] - b[i]) <= want[i].tolerance * fabs(a[i])))
        fail_msg("%s on %s: %.12g and %.12g", want[i].name, *backend, a[i], b[i]);
  }
}

/* A corner of the lower block is beside the upper one, as near to its lower as to its lateral face:
   to the edge between them. With friction the two are not the same. */
static void a_ridge_has_one_face(void **state) {
  (void)state;
  static const entry here[] = {
      {"materials", "[{name: m, young: 200 GPa, poisson: 0.3, density: 7850}]"},
      {"mesh.boxes", "[{name: a, size: [3 mm, 2 mm, 2 mm], cells: [3, 2, 2]}, {name: b, origin: "
                     "[0.01 mm, 0.26 mm, 2.02 mm], size: [1 mm, 2 mm, 2 mm], cells: [1, 2, 2]}]"},
      {"contact", "{on: true, thickness: 0.02 mm, friction: 0.2}"},
      {"supports", "[{set: zmin, fix: all}]"},
      {"initial", "[{set: b, velocity: [0.26, 1.29, -18.66]}]"},
      {"analysis", "[{duration: 17.1 us}]"},
      {"probes", "[{name: fz, set: zmin, quantity: fz}]"},
      {NULL, NULL}};
  static const entry far[] = {
      {"mesh.boxes", "[{name: a, origin: [0.128, -0.064, 0], size: [3 mm, 2 mm, 2 mm], cells: [3, "
                     "2, 2]}, {name: b, origin: [0.12801, -0.06374, 2.02 mm], size: [1 mm, 2 mm, 2 "
                     "mm], cells: [1, 2, 2]}]"},
      {NULL, NULL}};
  alike("dynamics", here, far,
        (wanted[]){{"fz", 0, 1e-6}, {"displacement_max", 0, 1e-6}, {NULL, 0, 0}});
}

/* Two facets at a node of a symmetric mesh have the same tension, and different strengths. */
static void one_of_two_facets_opens(void **state) {
  (void)state;
  static const entry pulled[] = {
      {"mesh", "{boxes: [{name: a, size: [3 mm, 2 mm], cells: [3, 2]}], element: tri3, "
               "triangle_pattern: alternating}"},
      {"materials", "[{name: m, young: 3.24 GPa, poisson: 0, density: 1190, cohesive_strength: 50 "
                    "MPa, fracture_energy: 350}]"},
      {"plane", "stress"},
      {"thickness", "1 mm"},
      {"duration", "7.017938127082309e-06"},
      {"cohesive",
       "{check_every: 10, law: linear, weibull: 8, seed: 56, criterion: principal_best}"},
      {"supports", "[{set: xmin, fix: all}, {set: xmax, components: x, velocity: "
                   "[42.68956347541447, 0]}]"},
      {"probes", "[{name: fx, set: xmin, quantity: fx}]"},
      {NULL, NULL}};
  alike("fracture", pulled, (entry[]){{"assembly", "color"}, {NULL, NULL}},
        (wanted[]){{"fx", 0, 1e-6}, {"cohesive_elements", 0, 0}, {NULL, 0, 0}});
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_ridge_has_one_face),
                                     cmocka_unit_test(one_of_two_facets_opens)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
