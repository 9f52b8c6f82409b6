/* Boundary values over time, temperatures at the start, melt pools per beam, limits of the step:
   against hand calculations, in every form. */
#include "check.h"
#include "folder.h"
#include "run/job.h"
#include "run/time_loop.h"
#include "run/rooms.h"
#include "thermal/thermal.h"
#include "thermal_case.h"

#define BAR                                                                                        \
  "physics: thermal\n"                                                                             \
  "mesh: {boxes: [{name: bar, size: [1 mm, 1 mm, 4 mm], cells: [1, 1, 16]}]}\n"                    \
  "materials: {name: m, density: 8000, conductivity: 100, specific_heat: 500}\n"                   \
  "duration: 4 s\n"

static const char *const forms[] = {"recompute", "classes", "stencil"};

/* One end held at a rising temperature: the other follows r L^2 / (2 alpha) = 3.2 K behind. */
static void a_held_temperature_may_rise(void **state) {
  (void)state;
  text_write("case.yaml", BAR "boundary: {set: zmin, temperature: [[0 s, 300 K], [10 s, 400 K]]}\n"
                              "probes: {name: end, point: [0.5 mm, 0.5 mm, 4 mm]}\n"
                              "output: {count: 0, history_every: 1000000}\n");
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < 3; i++) {
      const char *const keys[] = {"conduction", forms[i], NULL};
      row r;
      case_run(*backend, "held", NULL, keys, &r, NULL);
      assert_near(of(&r, "T_max"), 340, 1e-2);
      assert_near(of(&r, "end"), 340 - 3.2, 2e-2);
      assert_near(of(&r, "E_held"), -of(&r, "E_stored"), 1e-12);
      assert_near(of(&r, "E_gap"), 0, 1e-12);
    }
}

/* A flux that comes and goes brings its integral; convection towards an ambient that rises lags
   behind it by rho c V / (h A) seconds. */
static void fluxes_and_ambient_over_time(void **state) {
  (void)state;
  static const char *const surfaces[] = {"switch", "branch", "lumped"};
  text_write("case.yaml",
             BAR "boundary: {set: zmin, flux: [[0 s, 0], [1 s, 1e5 W/m^2], [2 s, 1e5], [3 s, 0]]}\n"
                 "output: {count: 0, history_every: 1000000}\n");
  for (const char *const *backend = backends_here(); *backend; backend++) {
    for (int i = 0; i < 5; i++) {
      const char *const keys[] = {"conduction", forms[i < 3 ? 0 : i - 2], "surface",
                                  surfaces[i < 3 ? i : 2], NULL};
      row r;
      case_run(*backend, "flux", NULL, keys, &r, NULL);
      assert_near(of(&r, "E_flux"), 0.2, 2e-6); /* 1e-6 m^2 x 1e5 W/m^2 x 2 s */
      assert_near(of(&r, "E_gap"), 0, 1e-12);
      /* a pulse that is shorter than a step (a millisecond) has its heat, too */
      const char *const pulse[] = {
          "conduction",
          forms[i < 3 ? 0 : i - 2],
          "surface",
          surfaces[i < 3 ? i : 2],
          "boundary",
          "{set: zmin, flux: [[0 s, 0], [1.03 s, 0], [1.03001 s, 1e7], [1.03002 s, 0]]}",
          NULL};
      case_run(*backend, "pulse", NULL, pulse, &r, NULL);
      assert_near(of(&r, "E_flux"), 1e-4, 1e-9);
      /* tau = 8000 x 500 x 4e-9 / (4000 x 18e-6) = 0.222 s */
      const char *const film[] = {
          "conduction", forms[i < 3 ? 0 : i - 2],
          "surface",    surfaces[i < 3 ? i : 2],
          "boundary",   "{set: surface, convection: [[0, 4000], [9, 4000.001]]}",
          "ambient",    "[[0 s, 300], [10 s, 400]]",
          NULL};
      case_run(*backend, "film", NULL, film, &r, NULL);
      assert_near(0.5 * (of(&r, "T_max") + of(&r, "T_min")), 340 - 10 * 0.2222, 0.05);
    }
  }
}

/* The corner of a coarse cube under strong convection is where a dense solution of the 27 nodes has
   it, at any step: the film is not weakened. */
static void strong_films_are_whole(void **state) {
  (void)state;
  text_write("case.yaml",
             "physics: thermal\n"
             "mesh: {boxes: [{name: a, size: [4 mm, 4 mm, 4 mm], cells: [2, 2, 2]}]}\n"
             "materials: {name: m, density: 4400, specific_heat: 500, conductivity: 8}\n"
             "initial_temperature: 300 K\n"
             "duration: 30 s\n"
             "boundary: [{set: zmin, temperature: 700 K}, {set: surface, convection: 2000}]\n"
             "probes: {name: corner, point: [0, 0, 4 mm]}\n"
             "output: {count: 0, history_every: 1000000}\n");
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < 6; i++) {
      const char *const keys[] = {"conduction", forms[i % 3], "safety", i < 3 ? "0.9" : "0.45",
                                  NULL};
      row r;
      case_run(*backend, "corner", NULL, keys, &r, NULL);
      assert_near(of(&r, "corner"), 374.76, 5e-3);
    }
}

/* Interrupted by its own duration and continued: the same row at the end. */
static void continued_under_changing_values(void **state) {
  (void)state;
  text_write("case.yaml",
             BAR "time_step: 1 ms\n"
                 "boundary:\n"
                 "  - {set: zmin, temperature: [[0 s, 300 K], [3 s, 400 K]]}\n"
                 "  - {set: surface, convection: [[0, 0], [2 s, 100]], emissivity: 1}\n"
                 "output: {count: 0, history_every: 1000000}\n");
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 1; i < 3; i++) {
      const char *const half[] = {"conduction", forms[i], "duration", "1.503 s", NULL};
      const char *const whole[] = {"conduction", forms[i], "duration", "3.006 s", NULL};
      char first[40], rest[40];
      row r[2];
      snprintf(first, sizeof first, "half-%.16s-%d", *backend, i);
      snprintf(rest, sizeof rest, "rest-%.16s-%d", *backend, i);
      case_run(*backend, first, NULL, half, NULL, NULL);
      case_run(*backend, rest, first, whole, &r[0], NULL);
      case_run(*backend, "whole", NULL, whole, &r[1], NULL);
      assert_true(of(&r[0], "step") == of(&r[1], "step"));
      assert_true(of(&r[0], "T_min") == of(&r[1], "T_min"));
      assert_true(of(&r[0], "E_held") == of(&r[1], "E_held"));
      assert_true(of(&r[0], "E_convected") == of(&r[1], "E_convected"));
    }
}

/* By set, and from another run's last snapshot: heat goes on from where it was. */
static void temperatures_at_the_start(void **state) {
  (void)state;
  text_write(
      "case.yaml",
      "physics: thermal\n"
      "mesh:\n"
      "  boxes:\n"
      "    - {name: low, size: [2 mm, 2 mm, 2 mm], cells: [2, 2, 2]}\n"
      "    - {name: high, origin: [0, 0, 2 mm], size: [2 mm, 2 mm, 2 mm], cells: [2, 2, 2]}\n"
      "materials: {name: m, density: 8000, conductivity: 30, specific_heat: 500}\n"
      "initial_temperature: 400 K\n"
      "initial: {set: high, temperature: 700 K}\n"
      "duration: 0.2 s\n"
      "output: {count: 1, history_every: 1000000}\n");
  for (const char *const *backend = backends_here(); *backend; backend++) {
    char file[400];
    row first, second;
    snprintf(file, sizeof file, "{file: '%s/first/snap_000001.vtkhdf'}", folder);
    const char *const keys[] = {"initial", file, "duration", "20 s", NULL};
    case_run(*backend, "first", NULL, NULL, &first, NULL);
    assert_true(of(&first, "T_max") < 700 && of(&first, "T_min") > 400);
    assert_near(of(&first, "E_stored"), 0, 1e-12);
    case_run(*backend, "second", NULL, keys, &second, NULL);
    /* half the middle plane's nodes' volume is hot: 5 of 8 in all */
    assert_near(of(&second, "T_max"), 400 + 300 * 5 / 8., 0.05);
    assert_near(of(&second, "T_min"), 400 + 300 * 5 / 8., 0.05);
  }
  char message[1024];
  static const char *const wrong[] = {"initial", "{set: high}", NULL};
  assert_int_equal(case_run("cpu", "bad", NULL, wrong, NULL, message), IG_INPUT);
  assert_non_null(strstr(message, "either a temperature or a file"));
  char file[400];
  snprintf(file, sizeof file, "{file: '%s/first/snap_000001.vtkhdf'}", folder);
  const char *const other[] = {
      "initial",   file, "mesh.boxes[0].cells", "[3, 2, 2]", "mesh.boxes[1].cells",
      "[3, 2, 2]", NULL};
  assert_int_equal(case_run("cpu", "bad", NULL, other, NULL, message), IG_INPUT);
  assert_non_null(strstr(message, "the two runs need the same mesh"));
}

/* Two beams apart: a pool each, and one that spans both. */
static void a_pool_per_beam(void **state) {
  (void)state;
#define BEAM(x)                                                                                    \
  "  - {model: surface, radius: 0.5 mm, absorptivity: 1, raster: {power: 800 W, speed: 1 m/s, "    \
  "spacing: 9 mm, layer_height: 1 mm, base: 0, regions: {min: [" x " mm, 0.5 mm], max: ["
  text_write("case.yaml",
             "physics: thermal\n"
             "mesh: {boxes: [{name: p, size: [12 mm, 2 mm, 1 mm], cells: [48, 8, 4]}]}\n"
             "materials: {name: m, density: 8000, conductivity: 20, specific_heat: 500,\n"
             "  solidus: 600, liquidus: 610}\n"
             "duration: 1 ms\n"
             "beams:\n" BEAM("2") "3 mm, 1.5 mm]}}}\n" BEAM(
                 "9") "10 mm, 1.5 mm]}}}\n"
                      "track_every: 1\n"
                      "output: {count: 0, history_every: 1000000}\n");
#undef BEAM
  for (const char *const *backend = backends_here(); *backend; backend++) {
    row r;
    case_run(*backend, "pools", NULL, NULL, &r, NULL);
    assert_near(of(&r, "beam_x_2") - of(&r, "beam_x"), 7e-3, 1e-12);
    assert_true(of(&r, "melt_length") > 1e-4 && of(&r, "melt_length") < 3e-3);
    assert_near(of(&r, "melt_length_2"), of(&r, "melt_length"), 1e-9);
    assert_near(of(&r, "melt_length_all"), of(&r, "melt_length") + 7e-3, 1e-9);
    assert_near(of(&r, "melt_volume_all"), of(&r, "melt_volume") + of(&r, "melt_volume_2"), 1e-20);
  }
}

/* What is wrong with a step is said where the step stands; tables bound it more than the state. */
static void limits_of_the_step(void **state) {
  (void)state;
  static const char *const refused[][3] = {
      {"time_step: 1 s\n", NULL, "case.yaml:5:12: time_step 1 s is above the critical step"},
      {"time_step: 1e-20 s\n", NULL, "case.yaml:5:12: "},
      {"time_step: 0.8 ms\n", "[[300, 100], [400, 200]]", "step_limit: state, which allows"}};
  for (int i = 0; i < 3; i++) {
    char text[1024], message[1024];
    snprintf(text, sizeof text, "%s%sboundary: {set: zmin, temperature: 400 K}\n", BAR,
             refused[i][0]);
    text_write("case.yaml", text);
    const char *const keys[] = {"materials.conductivity", refused[i][1], "materials.specific_heat",
                                "[[300, 500], [400, 1000]]", NULL};
    assert_int_equal(case_run("cpu", "bad", NULL, refused[i][1] ? keys : NULL, NULL, message),
                     IG_INPUT);
    if (!strstr(message, refused[i][2]))
      print_message("%s\n", message);
    assert_non_null(strstr(message, refused[i][2]));
  }
  const char *const longer[] = {"materials.conductivity",
                                "[[300, 100], [400, 200]]",
                                "materials.specific_heat",
                                "[[300, 500], [400, 1000]]",
                                "step_limit",
                                "state",
                                NULL};
  row r;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    case_run(*backend, "longer", NULL, longer, &r, NULL);
    assert_true(of(&r, "T_max") <= 400 && of(&r, "T_min") > 399);
  }
}

/* A beam that may miss: all of it on a wide plate, half of it along an edge, nothing beside it. */
static void a_beam_may_miss(void **state) {
  (void)state;
  static const char *const models[] = {"surface", "gaussian", "goldak", "cylinder"};
  static const char *const lengths[] = {"", "depth: 0.7 mm, ", "depth: 0.7 mm, rear: 1 mm, ",
                                        "depth: 0.7 mm, "};
  static const struct {
    int y; /* mm */
    double share;
  } places[] = {{3, 1}, {6, 0.5}, {9, 0}};
  text_write("case.yaml",
             "physics: thermal\n"
             "mesh: {boxes: [{name: p, size: [8 mm, 6 mm, 2 mm], cells: [32, 24, 8]}]}\n"
             "materials: {name: m, density: 8000, conductivity: 20, specific_heat: 500}\n"
             "duration: 10 ms\n"
             "output: {count: 0, history_every: 1000000}\n");
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int m = 0; m < 4; m++)
      for (int p = 0; p < 3; p++) {
        char text[512], beam[512];
        snprintf(text, sizeof text,
                 "t,x,y,z,power\n0,3e-3,%de-3,2e-3,100\n0.01,5e-3,%de-3,2e-3,0\n", places[p].y,
                 places[p].y);
        text_write("path.csv", text);
        snprintf(beam, sizeof beam,
                 "{model: %s, radius: 0.8 mm, %sabsorptivity: 0.5, "
                 "normalise: false, path: {file: '%s/path.csv', unit: 1 m}}",
                 models[m], lengths[m], folder);
        const char *const keys[] = {"beams", beam, NULL};
        row r;
        case_run(*backend, "miss", NULL, keys, &r, NULL);
        if (!(fabs(of(&r, "E_source") / 0.5 - places[p].share) < 0.02))
          print_message("%s at %d mm: %g\n", models[m], places[p].y, of(&r, "E_source") / 0.5);
        assert_near(of(&r, "E_source") / 0.5, places[p].share, 0.02); /* of 0.5 x 100 W x 10 ms */
        assert_near(of(&r, "E_gap"), 0, 1e-9);
      }
}

/* A bar held at 300 K at one end, 1 MW/m^2 at the other, that conducts half as well along itself
   and better across: the end is q L / (0.5 k) = 80 K warmer, along every axis. */
static void conductivity_by_direction(void **state) {
  (void)state;
  static const char *const mesh[] = {"[4 mm, 1 mm, 1 mm], cells: [16, 1, 1]",
                                     "[1 mm, 4 mm, 1 mm], cells: [1, 16, 1]",
                                     "[1 mm, 1 mm, 4 mm], cells: [1, 1, 16]"};
  static const char *const ratio[] = {"[0.5, 2, 3]", "[2, 0.5, 3]", "[2, 3, 0.5]"};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < 6; i++) {
      char text[1024];
      snprintf(text, sizeof text,
               "physics: thermal\nmesh: {boxes: [{size: %s}]}\nmaterials: {name: m, density: 8000, "
               "conductivity: 100, specific_heat: 500}\nduration: 10 s\nanisotropy: %s\n"
               "boundary: [{set: %cmin, temperature: 300 K}, {set: %cmax, flux: 1e6 W/m^2}]\n"
               "output: {count: 0, history_every: 1000000}\n",
               mesh[i % 3], ratio[i % 3], "xyz"[i % 3], "xyz"[i % 3]);
      text_write("case.yaml", text);
      const char *const keys[] = {"conduction", forms[1 + i / 3], NULL};
      row r;
      case_run(*backend, "ratio", NULL, keys, &r, NULL);
      assert_near(of(&r, "T_max"), 380, 1e-4);
      assert_near(of(&r, "E_gap"), 0, 1e-12);
    }
  static const char *const bad[][4] = {
      {"conduction", "recompute", NULL, "conduction 'recompute' has no `anisotropy`"},
      {"anisotropy", "[0, 1, 1]", NULL, "`anisotropy` is 0 along x: expected 0.001 to 1000"}};
  for (int i = 0; i < 2; i++)
    case_refused(bad[i], bad[i][3]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_held_temperature_may_rise),
      cmocka_unit_test(fluxes_and_ambient_over_time),
      cmocka_unit_test(strong_films_are_whole),
      cmocka_unit_test(continued_under_changing_values),
      cmocka_unit_test(temperatures_at_the_start),
      cmocka_unit_test(a_pool_per_beam),
      cmocka_unit_test(limits_of_the_step),
      cmocka_unit_test(a_beam_may_miss),
      cmocka_unit_test(conductivity_by_direction),
  };
  folder = folder_new();
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  folder_remove(folder);
  return failed;
}
