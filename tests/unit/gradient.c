/* Gradients of thermal runs: against differences of whole runs (which the library makes itself) and
   against each other; the same bits on any number of threads; refusals by name. */
#include "check.h"
#include "folder.h"
#include <ingot/gradient.h>

/* A wall of one material on a plate of another, laid in two passes: births, melting, radiation, a
   held face, a body source, a beam whose absorptivity depends on temperature. No temperature of the
   start is a knot of a table, where derivatives have two sides. */
static const char *const wall[] = {
    "physics",
    "thermal",
    "mesh",
    "{boxes: [{name: plate, size: [8 mm, 4 mm, 2 mm], cells: [8, 4, 2]}, {name: wall, origin: "
    "[1 mm, 1 mm, 2 mm], size: [6 mm, 2 mm, 2 mm], cells: [6, 2, 2]}]}",
    "materials",
    "[{name: a, density: 7950, conductivity: [[250 K, 14], [1650 K, 31]], specific_heat: [[250 K, "
    "480], [1650 K, 700]], solidus: 1600 K, liquidus: 1700 K, latent_heat: 270 kJ/kg, "
    "absorptivity: [[250 K, 0.3], [2000 K, 0.5]]}, {name: b, set: plate, density: 7000, "
    "specific_heat: [[250 K, 400], [900 K, 650]], conductivity: [[250 K, 20], [700 K, 26], [2000 "
    "K, 30]]}]",
    "initial_temperature",
    "300 K",
    "ambient",
    "310 K",
    "duration",
    "1.1 s",
    "body_source",
    "1e6",
    "boundary",
    "[{set: surface, convection: 200, emissivity: 0.8}, {set: zmin, temperature: 320 K}]",
    "birth",
    "{set: wall, by: bead, width: 2.1 mm, height: 1 mm, temperature: ambient}",
    "beams",
    "[{radius: 0.8 mm, raster: {power: 190 W, speed: 12 mm/s, spacing: 2 mm, layer_height: 1 mm, "
    "base: 2 mm, layers: 2, rotation: 0, regions: {min: [1 mm, 1 mm], max: [7 mm, 3 mm]}}}]",
    "probes",
    "[{name: a, point: [4 mm, 2 mm, 2.5 mm]}, {name: b, point: [3.2 mm, 1.3 mm, 1.4 mm]}]",
    NULL};

static const char *const keys[] = {"materials[0].conductivity[1][1]",
                                   "materials[0].specific_heat[1][1]",
                                   "materials[0].density",
                                   "materials[0].latent_heat",
                                   "materials[0].solidus",
                                   "materials[0].absorptivity[1][1]",
                                   "materials[1].conductivity[1][1]",
                                   "materials[1].specific_heat[0][1]",
                                   "boundary[0].convection",
                                   "boundary[0].emissivity",
                                   "boundary[1].temperature",
                                   "beams[0].raster.power",
                                   "ambient",
                                   "initial_temperature",
                                   "body_source"};
enum { KEYS = sizeof keys / sizeof *keys };

static ig_case *wall_new(ig_ctx *cx) {
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  for (int i = 0; wall[i]; i += 2)
    GOOD(cx, ig_case_set(c, wall[i], wall[i + 1]));
  return c;
}

static ig_gradient *gradient_of(ig_ctx *cx, ig_case *c, const char *figure, bool differences) {
  ig_gradient *g;
  GOOD(cx, ig_case_gradient(c, figure, keys, KEYS, &(ig_gradient_options){differences}, &g));
  assert_int_equal(g->rows, KEYS);
  return g;
}

static void is_difference(const ig_gradient *g) {
  for (int i = 0; i < g->rows; i++) {
    const double d = g->row[i].derivative[0], effect = fabs(d * g->row[i].value[0]);
    if (!(fabs(d - g->row[i].difference) * fabs(g->row[i].value[0]) <=
          1e-6 * effect + 1e-7 * g->value))
      fail_msg("%s by %s: %.12g, difference %.12g", g->figure, g->row[i].key, d,
               g->row[i].difference);
  }
}

/* Births at ambient, at the liquidus, at the neighbour's temperature; both forms of elements. */
static void agrees_with_differences(void **state) {
  (void)state;
  static const char *const born[] = {"ambient", "melt", "inherited"};
  static const char *const figure[] = {"a", "b@0.9 s", "mean(a)"};
  ig_ctx *cx = ctx_on("cpu", 1);
  for (int i = 0; i < 3; i++) {
    ig_case *c = wall_new(cx);
    GOOD(cx, ig_case_set(c, "birth.temperature", born[i]));
    GOOD(cx, ig_case_set(c, "conduction", i == 1 ? "recompute" : "classes"));
    ig_gradient *g = gradient_of(cx, c, figure[i], true);
    is_difference(g);
    assert_true(g->row[3].derivative[0] != 0 || i != 1); /* latent heat: the beam melts */
    ig_gradient_free(g);
    ig_case_close(c);
  }
  ig_ctx_close(cx);
}

/* Constant capacity and conductivity: births mix temperatures, not heat. */
static void agrees_with_constant_properties(void **state) {
  (void)state;
  static const char *const of[] = {"materials[0].density", "materials[0].conductivity", "ambient",
                                   "boundary[0].convection", "initial_temperature"};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = wall_new(cx);
  ig_gradient *g;
  GOOD(cx, ig_case_set(c, "materials",
                       "[{name: a, density: 7950, conductivity: 20, specific_heat: 500, "
                       "absorptivity: 0.4}]"));
  for (int i = 0; i < 3; i++) {
    static const char *const figure[] = {"a", "variance(volume(700 K, 200 K), 12 mm^3)",
                                         "variance(a)"};
    GOOD(cx, ig_case_gradient(c, figure[i], of, 5, &(ig_gradient_options){true}, &g));
    is_difference(g);
    assert_string_equal(g->unit, i == 0 ? "K" : i == 1 ? "m^6" : "K^2");
    assert_true(g->value > 0 && g->row[1].derivative[0] != 0);
    ig_gradient_free(g);
  }
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* A cube of 8000 kg/m^3 and 500 J/(kg K), thermal, from 300 K, and these keys and values. */
static ig_case *cube_new(ig_ctx *cx, const char *const *set) {
  static const char *const cube[] = {
      "physics",
      "thermal",
      "mesh",
      "{boxes: {size: [1 mm, 1 mm, 1 mm], cells: [1, 1, 1]}}",
      "materials",
      "{name: m, density: 8000, specific_heat: 500, conductivity: 20}",
      "initial_temperature",
      "300 K",
      "probes",
      "{name: p, point: [0.3 mm, 0.4 mm, 0.5 mm]}",
      NULL};
  const char *const *const both[] = {cube, set};
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  for (int k = 0; k < 2; k++)
    for (int i = 0; both[k][i]; i += 2)
      GOOD(cx, ig_case_set(c, both[k][i], both[k][i + 1]));
  return c;
}
static const char *const heated[] = {"body_source", "5 MW/m^3", "duration", "1 s",
                                     "time_step",   "0.02 s",   NULL};

/* A part of 8 mm^3 that is hot as a whole; the step from cold to hot is 0.5 in its middle. */
static void hot_volume_is_the_volume(void **state) {
  (void)state;
  static const struct {
    const char *figure;
    double share;
  } of[] = {{"volume(300 K)", 1}, {"volume(500 K)", 0}, {"volume(400 K, 1 K)", 0.5}};
  ig_ctx *cx = ctx_on("cpu", 1);
  static const char *const hot[] = {"mesh",
                                    "{boxes: {size: [2 mm, 2 mm, 2 mm], cells: [2, 2, 2]}}",
                                    "initial_temperature",
                                    "400 K",
                                    "duration",
                                    "0.1 s",
                                    NULL};
  ig_case *c = cube_new(cx, hot);
  ig_gradient *g;
  for (int i = 0; i < 3; i++) {
    GOOD(cx, ig_case_gradient(c, of[i].figure, NULL, 0, NULL, &g));
    assert_near(g->value, of[i].share * 8e-9, 1e-20);
    ig_gradient_free(g);
  }
  BAD(cx, ig_case_gradient(c, "volume(2 m)", NULL, 0, NULL, &g), "expected a temperature");
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* T = 300 K + q t / C at the ends of n steps: mean square distance from 310 K is least at q = 10 K
   C sum(t) / sum(t^2). A bound below that is met exactly. */
static void optimum_is_exact(void **state) {
  (void)state;
  static const char *const of[] = {"body_source"}, *const low[] = {"0"},
                           *const bound[] = {"10 MW/m^3"};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = cube_new(cx, heated);
  ig_optimum end;
  double t = 0, tt = 0;
  for (int i = 1; i <= 50; i++) {
    t += 0.02 * i;
    tt += 0.02 * i * 0.02 * i;
  }
  const ig_optimise_options free_ = {.low = low, .tolerance = 1e-9};
  GOOD(cx, ig_case_optimise(c, "variance(p, 310 K)", of, 1, &free_, &end));
  assert_true(end.converged);
  assert_near(strtod(ig_case_get(c, "body_source"), NULL), 10 * 8000 * 500 * t / tt, 100);
  const double least = end.value;
  GOOD(cx, ig_case_set(c, "body_source", "5 MW/m^3"));
  GOOD(cx, ig_case_optimise(c, "variance(p, 310 K)", of, 1,
                            &(ig_optimise_options){.low = low, .high = bound}, &end));
  assert_true(end.converged && end.value > least && end.value < end.start);
  assert_near(strtod(ig_case_get(c, "body_source"), NULL), 10e6, 0);
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* T = 300 K + q t / C, measured with noise at five times: q = C sum(t d) / sum(t^2), its standard
   error is s C / sqrt(sum(t^2)). */
static void standard_error_is_exact(void **state) {
  (void)state;
  static const char *const of[] = {"body_source"}, *const low[] = {"0"}, *const high[] = {"1e8"};
  static const double t[] = {0.2, 0.4, 0.6, 0.8, 1.0}, d[] = {1.3, 1.9, 3.4, 3.8, 5.2};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = cube_new(cx, heated);
  ig_optimum end;
  char figure[700], *here = folder_new();
  snprintf(figure, sizeof figure, "%s/measured.csv", here);
  FILE *f = fopen(figure, "w");
  assert_non_null(f);
  fprintf(f, "time,p\n");
  double td = 0, tt = 0, left = 0, error;
  for (int i = 0; i < 5; i++) {
    fprintf(f, "%g,%g\n", t[i], 300 + d[i]);
    td += t[i] * d[i];
    tt += t[i] * t[i];
  }
  fclose(f);
  for (int i = 0; i < 5; i++)
    left += (t[i] * td / tt - d[i]) * (t[i] * td / tt - d[i]);
  snprintf(figure, sizeof figure, "misfit(%s/measured.csv)", here);
  ig_optimise_options o = {.low = low, .high = high, .tolerance = 1e-9, .deviation = &error};
  GOOD(cx, ig_case_optimise(c, figure, of, 1, &o, &end));
  const double C = 8000 * 500, s = sqrt(left / 4);
  assert_near(strtod(ig_case_get(c, "body_source"), NULL), C * td / tt, 1e-6 * C * td / tt);
  assert_near(end.value, left, 1e-6 * left);
  assert_near(error, s * C / sqrt(tt), 1e-5 * s * C / sqrt(tt));
  o.uncertainty = 0.5;
  GOOD(cx, ig_case_optimise(c, figure, of, 1, &o, &end));
  assert_near(error, 0.5 * C / sqrt(tt), 1e-5 * C / sqrt(tt));
  BAD(cx, ig_case_optimise(c, "p", of, 1, &o, &end), "standard errors are of");
  ig_case_close(c);
  ig_ctx_close(cx);
  folder_remove(here);
}

/* Watts are the powers of pieces times absorptivity: a common factor of both is one direction. And
   a uniform change of the start is the sum over its nodes. */
static void fields_sum_to_numbers(void **state) {
  (void)state;
  static const char *const of[] = {"beams[0].raster.power", "beams[0].powers",
                                   "initial_temperature", "initial_temperatures"};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = wall_new(cx);
  ig_gradient *g;
  double power = 0, start = 0;
  GOOD(cx, ig_case_set(c, "birth.temperature", "melt"));
  GOOD(cx, ig_case_gradient(c, "mean(b)", of, 4, NULL, &g));
  for (int64_t i = 0; i < g->row[1].count; i++)
    power += g->row[1].derivative[i] * g->row[1].value[i];
  for (int64_t i = 0; i < g->row[3].count; i++)
    start += g->row[3].derivative[i];
  assert_near(power, g->row[0].derivative[0] * g->row[0].value[0], 1e-9 * fabs(power));
  assert_near(start, g->row[2].derivative[0], 1e-9 * fabs(start));
  ig_gradient_free(g);
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* Beams that are moved and resized. The path has two tracks with a jump between them; the second
   time, the first track ends where a step does. */
static void beams_move(void **state) {
  (void)state;
  static const char *const set[] = {
      "physics",
      "thermal",
      "mesh",
      "{boxes: [{name: plate, size: [8 mm, 4 mm, 2 mm], cells: [8, 4, 2]}]}",
      "materials",
      "[{name: a, density: 7950, conductivity: 20, specific_heat: 500, absorptivity: 0.4}]",
      "initial_temperature",
      "300 K",
      "duration",
      "1.1 s",
      "beams",
      "[{model: goldak, sampling: 1.2, depth: 0.9 mm, radius: 0.8 mm, raster: {power: 190 W, "
      "speed: 12 mm/s, "
      "spacing: 2 mm, layer_height: 1 mm, base: 1 mm, layers: 2, rotation: 0, regions: {min: [1 "
      "mm, "
      "1 mm], max: [7 mm, 3 mm]}}}]",
      "probes",
      "[{name: b, point: [3.2 mm, 1.3 mm, 1.4 mm]}]",
      NULL};
  static const char *const of[] = {
      "beams[0].radius",      "beams[0].depth",        "beams[0].raster.regions.min[1]",
      "beams[0].raster.base", "beams[0].raster.speed", "beams[0].raster.regions.max[0]"};
  ig_ctx *cx = ctx_on("cpu", 1);
  for (int k = 0; k < 2; k++) {
    ig_case *c;
    ig_gradient *g;
    GOOD(cx, ig_case_new(cx, &c));
    for (int i = 0; set[i]; i += 2)
      GOOD(cx, ig_case_set(c, set[i], set[i + 1]));
    GOOD(cx, ig_case_set(c, "time_step", k ? "10 ms" : "9.7 ms"));
    GOOD(cx, ig_case_gradient(c, "mean(b)", of, 6, &(ig_gradient_options){true}, &g));
    for (int i = 0; i < g->rows; i++) {
      const double d = g->row[i].derivative[0];
      if (!(fabs(d - g->row[i].difference) <= (k && i > 3 ? 0.1 : 2e-6) * fabs(d)) || d == 0)
        fail_msg("%s: %.12g, difference %.12g", g->row[i].key, d, g->row[i].difference);
    }
    ig_gradient_free(g);
    ig_case_close(c);
  }
  ig_ctx_close(cx);
}

static void has_the_bits_of_one_thread(void **state) {
  (void)state;
  double one[KEYS];
  for (int threads = 1; threads <= 3; threads += 2) {
    ig_ctx *cx = ctx_on("cpu", threads);
    ig_case *c = wall_new(cx);
    GOOD(cx, ig_case_set_int(c, "threads", threads));
    ig_gradient *g = gradient_of(cx, c, "mean(a)", false);
    for (int i = 0; i < KEYS; i++)
      if (threads == 1)
        one[i] = g->row[i].derivative[0];
      else
        assert_true(one[i] == g->row[i].derivative[0]);
    ig_gradient_free(g);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

/* Without losses all that is absorbed is stored: d(mean temperature) / d(power) = A t / C, whatever
   happens inside. Here of a single element, whose eight nodes are all alike under a body source. */
static void energy_is_exact(void **state) {
  (void)state;
  static const char *const of[] = {"body_source", "materials[0].density"};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = cube_new(cx, (const char *const[]){"body_source", "2e6", "duration", "0.5 s", NULL});
  ig_gradient *g;
  GOOD(cx, ig_case_gradient(c, "p", of, 2, NULL, &g));
  assert_near(g->value, 300 + 2e6 * 0.5 / (8000 * 500), 1e-9);
  assert_near(g->row[0].derivative[0], 0.5 / (8000 * 500), 1e-17);
  assert_near(g->row[1].derivative[0], -2e6 * 0.5 / (8000. * 8000 * 500), 1e-13);
  assert_string_equal(g->unit, "K");
  ig_gradient_free(g);
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* A case of one entry of `boundary` and one probe; the gradient by these keys. */
static ig_gradient *small_gradient(ig_ctx *cx, const char *const *set, const char *const *of,
                                   int count) {
  ig_case *c;
  ig_gradient *g;
  GOOD(cx, ig_case_new(cx, &c));
  GOOD(cx, ig_case_set(c, "physics", "thermal"));
  GOOD(cx, ig_case_set(c, "mesh", "{boxes: {size: [1 mm, 1 mm, 1 mm], cells: [1, 1, 1]}}"));
  GOOD(cx, ig_case_set(c, "probes", "{name: p, point: [0, 0, 0]}"));
  for (int i = 0; set[i]; i += 2)
    GOOD(cx, ig_case_set(c, set[i], set[i + 1]));
  GOOD(cx, ig_case_gradient(c, "p", of, count, &(ig_gradient_options){true}, &g));
  ig_case_close(c);
  return g;
}

/* Radiation so steep that the step limits it; the limit itself follows from the films. */
static void limited_films_agree(void **state) {
  (void)state;
  static const char *const set[] = {"materials",
                                    "{name: s, density: 20, conductivity: 0.01, specific_heat: 25}",
                                    "initial_temperature",
                                    "20000 K",
                                    "ambient",
                                    "300 K",
                                    "duration",
                                    "5 us",
                                    "time_step",
                                    "5 us",
                                    "boundary",
                                    "{set: surface, emissivity: 0.9}",
                                    NULL};
  static const char *const of[] = {"boundary.emissivity", "materials.density",
                                   "initial_temperature", "ambient"};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_gradient *g = small_gradient(cx, set, of, 4);
  is_difference(g);
  assert_true(g->row[0].derivative[0] < -2900);
  ig_gradient_free(g);
  ig_ctx_close(cx);
}

/* What is zero now has a derivative all the same. Block heated by q A: dT/dq = t A / C. */
static void zeros_have_derivatives(void **state) {
  (void)state;
  static const char *const set[] = {
      "materials",
      "{name: s, density: 8000, conductivity: 20, specific_heat: 500}",
      "initial_temperature",
      "400 K",
      "ambient",
      "300 K",
      "duration",
      "0.1 s",
      "body_source",
      "0",
      "boundary",
      "{set: surface, flux: 0, convection: 0}",
      NULL};
  static const char *const of[] = {"boundary.flux", "boundary.convection", "body_source"};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_gradient *g = small_gradient(cx, set, of, 3);
  const double rise = 0.1 * 6e-6 / (8000 * 500 * 1e-9);
  assert_near(g->row[0].derivative[0], rise, 1e-10 * rise);
  assert_near(g->row[1].derivative[0], -100 * rise, 1e-8 * rise);
  assert_near(g->row[2].derivative[0], 0.1 / (8000 * 500), 1e-17);
  ig_gradient_free(g);
  ig_ctx_close(cx);
}

static void tells_what_has_none(void **state) {
  (void)state;
  static const struct {
    const char *key, *value, *of, *words;
  } wrong[] = {
      {NULL, NULL, "duration", "no gradient by 'duration'"},
      {NULL, NULL, "boundary[0].flux", "no number 'boundary[0].flux'"},
      {NULL, NULL, "materials[0].conductivity", "of a table say which"},
      {NULL, NULL, "beams[0].sampling", "no gradient by 'beams[0].sampling'"},
      {NULL, NULL, "beams[0].raster.layers", "no gradient by 'beams[0].raster.layers'"},
      {NULL, NULL, "beams[3].powers", "the case has 1 beams"},
      {"precision", "single", "ambient", "needs `precision: double`"},
      {"dwell_change", "5 K", "ambient", "long steps"},
      {"surface", "branch", "ambient", "only `surface: lumped`"},
      {"latent", "apparent", "ambient", "`latent: apparent` has none"},
      {"materials[0].powder_conductivity", "0.3", "ambient", "powder"},
      {"ambient", "[[0, 300 K], [1 s, 320 K]]", "body_source", "change with time"},
  };
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_gradient *g;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ig_case *c = wall_new(cx);
    if (wrong[i].key)
      GOOD(cx, ig_case_set(c, wrong[i].key, wrong[i].value));
    BAD(cx, ig_case_gradient(c, "a", &wrong[i].of, 1, NULL, &g), wrong[i].words);
    assert_null(g);
    ig_case_close(c);
    ig_ctx_close(cx);
    cx = ctx_on("cpu", 1);
  }
  ig_case *c = wall_new(cx);
  BAD(cx, ig_case_gradient(c, "nobody", NULL, 0, NULL, &g), "no figure 'nobody'");
  ig_case_close(c);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_is_exact),
      cmocka_unit_test(hot_volume_is_the_volume),
      cmocka_unit_test(optimum_is_exact),
      cmocka_unit_test(standard_error_is_exact),
      cmocka_unit_test(agrees_with_differences),
      cmocka_unit_test(agrees_with_constant_properties),
      cmocka_unit_test(fields_sum_to_numbers),
      cmocka_unit_test(beams_move),
      cmocka_unit_test(has_the_bits_of_one_thread),
      cmocka_unit_test(limited_films_agree),
      cmocka_unit_test(zeros_have_derivatives),
      cmocka_unit_test(tells_what_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
