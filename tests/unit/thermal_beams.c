/* Beams with a ring, a tabulated profile, a tilted axis, heat over depth, absorptivity over
   temperature; their sampling: shares of the power against hand calculations, on every backend. */
#include "thermal_case.h"

/* A plate 8 x 8 x 1 mm, or a post 1 x 1 x 1 mm in its middle; a beam of 100 W for 10 ms in the
   middle, 1 J. */
#define PLATE                                                                                      \
  "physics: thermal\n"                                                                             \
  "mesh: {boxes: [{size: [8 mm, 8 mm, 1 mm], cells: [16, 16, 2]}]}\n"                              \
  "materials: {name: m, density: 8000, conductivity: 20, specific_heat: 500}\n"                    \
  "duration: 10 ms\n"                                                                              \
  "output: {count: 0, history_every: 1000000}\n"
#define POST "{boxes: [{origin: [3.5 mm, 3.5 mm, 0], size: [1 mm, 1 mm, 1 mm], cells: [4, 4, 4]}]}"

static double share_of(const char *backend, const char *mesh, const char *beam, row *r) {
  char text[700];
  snprintf(text, sizeof text,
           "{absorptivity: 1, normalise: false, path: {file: path.csv, unit: 1 m}, "
           "%s}",
           beam);
  const char *const keys[] = {"beams", text, mesh ? "mesh" : NULL, mesh, NULL};
  case_run(backend, "beam", NULL, keys, r, NULL);
  assert_near(of(r, "E_gap"), 0, 1e-9);
  return of(r, "E_source");
}

static void case_write(void) {
  text_write("path.csv", "t,x,y,z,power\n0,4e-3,4e-3,1e-3,100\n0.01,4.001e-3,4e-3,1e-3,0\n");
  text_write("case.yaml", PLATE);
}

/* Bands of a hat, a cone and a ring on the plate take all; a post of 1 mm^2 under a hat of radius 2
   mm takes 1 / (4 pi) of it; under a ring of radius 2 mm only what the core has. */
static void profiles(void **state) {
  (void)state;
  case_write();
  for (const char *const *backend = backends_here(); *backend; backend++) {
    row r;
    const char *hat = "radius: 2 mm, sampling: 0.05, profile: [[0 mm, 7], [2 mm, 7]]";
    assert_near(share_of(*backend, NULL, hat, &r), 1, 0.01); /* its edge is sharp */
    assert_near(share_of(*backend, POST, hat, &r), 1 / (4 * 3.14159265), 1e-3);
    const char *cone = "radius: 2 mm, sampling: 0.1, profile: [[0 mm, 1], [2 mm, 0]]";
    assert_near(share_of(*backend, NULL, cone, &r), 1, 2e-3);
    const char *ring = "radius: 0.3 mm, ring: {radius: 2 mm, width: 0.2 mm, share: 0.6}";
    assert_near(share_of(*backend, NULL, ring, &r), 1, 2e-3);
    assert_near(share_of(*backend, POST, ring, &r), 0.4, 2e-3);
    /* exp(-2 (r/a)^6) has pi a^2 2^(-1/3) Gamma(4/3); over the post: by 2000 x 2000 points */
    const char *order = "radius: 2 mm, order: 6";
    assert_near(share_of(*backend, NULL, order, &r), 1, 2e-3);
    assert_near(share_of(*backend, POST, order, &r), 0.1122397, 1e-4);
  }
}

/* A beam at 45 degrees lands on the plate whole, on a longer ellipse; along x it heats the side it
   meets and nothing else. */
static void tilted_axes(void **state) {
  (void)state;
  case_write();
  for (const char *const *backend = backends_here(); *backend; backend++) {
    row upright, r;
    const char *down = "radius: 0.6 mm, reach: 3 mm, axis: [0, 0, -3]";
    const char *slant = "radius: 0.6 mm, reach: 3 mm, axis: [1, 0, -1]";
    assert_near(share_of(*backend, NULL, down, &upright), 1, 2e-3);
    assert_near(share_of(*backend, NULL, slant, &r), 1, 2e-3);
    assert_true(of(&r, "T_max") - 300 < 0.85 * (of(&upright, "T_max") - 300));
    text_write("path.csv", "t,x,y,z,power\n0,0,4e-3,0.5e-3,100\n0.01,0,4.001e-3,0.5e-3,0\n");
    /* a circle of radius 0.2 mm on a side 1 mm high */
    const char *side = "radius: 0.2 mm, reach: 1 mm, axis: [1, 0, 0]";
    assert_near(share_of(*backend, NULL, side, &r), 1, 5e-3);
    const char *away = "radius: 0.2 mm, reach: 1 mm, axis: [-1, 0, 0]";
    assert_near(share_of(*backend, NULL, away, &r), 0, 1e-12);
    case_write();
  }
}

/* What the total may be off by, before it is scaled, with points `d` radii apart: 4 exp(-pi^2 / (2
   d^2)), for midpoints of a Gaussian in two directions (Poisson's sum). 1 mm faces, radius 0.5 mm;
   the diagonal of a face decides: spacings of 0.25, 0.5 and 1 radius. */
static void sampling_within_its_bound(void **state) {
  (void)state;
  static const struct {
    const char *sampling;
    double spacing;
  } cases[] = {{"0.4", 0.25}, {"0.8", 0.5}, {"1.5", 1}};
  case_write();
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < 3; i++) {
      char beam[100];
      row r;
      snprintf(beam, sizeof beam, "radius: 0.5 mm, sampling: %s", cases[i].sampling);
      const double d = cases[i].spacing, bound = 4 * exp(-3.14159265 * 3.14159265 / (2 * d * d));
      const double off =
          share_of(*backend, "{boxes: [{size: [8 mm, 8 mm, 1 mm], cells: [8, 8, 1]}]}", beam, &r);
      assert_true(fabs(off - 1) <= bound + 1e-4); /* and what lies beyond 2.2 radii */
    }
}

/* Heat over depth: of a triangle over 1 mm the upper half has three quarters. */
static void depth_profiles(void **state) {
  (void)state;
  case_write();
  const char *half = "{boxes: [{origin: [3.5 mm, 3.5 mm, 0.5 mm], size: [1 mm, 1 mm, 0.5 mm], "
                     "cells: [4, 4, 2]}]}";
  const char *beam = "model: cylinder, radius: 0.2 mm, depth_profile: [[0 mm, 1], [1 mm, 0]]";
  for (const char *const *backend = backends_here(); *backend; backend++) {
    row r;
    assert_near(share_of(*backend, POST, beam, &r), 1, 1e-3);
    assert_near(share_of(*backend, half, beam, &r), 0.75, 1e-3);
  }
}

/* A figure of a run's summary. */
static double figure_of(const char *out, const char *key) {
  char path[300], line[512], name[64];
  snprintf(path, sizeof path, "%s/%s/summary.json", folder, out);
  snprintf(name, sizeof name, "\"%s\"", key);
  FILE *f = fopen(path, "r");
  double value = NAN;
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    const char *at = strstr(line, name);
    if (at && isnan(value) && (at = strchr(at + strlen(name), ':')))
      value = strtod(at + 1 + strcspn(at + 1, "-0123456789"), NULL);
  }
  fclose(f);
  return value;
}

/* A cube of 1 mm that conducts so well that it is warm throughout, C = 4 mJ/K, under 100 W for 10
   ms: dT/dt = A(T) P / C with A = 0.2 + 5e-4 (T - 300) gives a rise of 400 (exp(0.125) - 1) K. A
   table of one value is that value; a beam beside the part is missed, not reflected. */
static void absorptivity_over_temperature(void **state) {
  (void)state;
  case_write();
  text_write("case.yaml",
             "physics: thermal\n"
             "mesh: {boxes: [{origin: [3.5 mm, 3.5 mm, 0], size: [1 mm, 1 mm, 1 mm], cells: [1, 1, "
             "1]}]}\n"
             "materials: {name: m, density: 8000, conductivity: 1e6, specific_heat: 500,\n"
             "  absorptivity: [[300, 0.2], [1300, 0.7]]}\n"
             "beams: {model: surface, radius: 0.3 mm, path: {file: path.csv, unit: 1 m}}\n"
             "duration: 10 ms\n"
             "output: {count: 0, history_every: 1000000}\n");
  static const char *const precisions[] = {"double", "single", "mixed"};
  for (const char *const *backend = backends_here(); *backend; backend++) {
    row r;
    for (int i = 0; i < 3; i++) {
      const double rise = 400 * (exp(0.125) - 1);
      const char *const keys[] = {"precision", precisions[i], "conduction",
                                  i == 1 ? "recompute" : "classes", NULL};
      case_run(*backend, "over", NULL, keys, &r, NULL);
      /* the top is up to P L / (k A) = 0.1 K warmer: 2.5e-4 of A */
      assert_near(of(&r, "E_source") / (4e-3 * rise), 1, 5e-4);
      assert_near(of(&r, "E_gap"), 0, i == 0 ? 1e-12 : i == 1 ? 1e-4 : 1e-7);
      assert_near(figure_of("over", "beam_sent"), 1, 1e-12);
      assert_near(figure_of("over", "beam"), of(&r, "E_source"), 1e-12);
      assert_near(figure_of("over", "beam_missed"), 0, 1e-12);
      assert_near(figure_of("over", "beam_reflected"), 1 - of(&r, "E_source"), 1e-9);
    }
    const char *const flat[] = {"materials.absorptivity", "[[300, 0.4], [2000, 0.4]]", NULL};
    case_run(*backend, "over", NULL, flat, &r, NULL);
    assert_near(of(&r, "E_source"), 0.4, 1e-12);
    const char *const number[] = {"materials.absorptivity", "0.4", NULL};
    for (int i = 0; i < 2; i++) { /* figures do not depend on how the same absorptivity is given */
      case_run(*backend, "over", NULL, i ? number : flat, &r, NULL);
      assert_near(figure_of("over", "beam_sent"), 1, 1e-12);
      assert_near(figure_of("over", "beam"), 0.4, 1e-12);
      assert_near(figure_of("over", "beam_missed"), 0, 1e-12);
      assert_near(figure_of("over", "beam_reflected"), 0.6, 1e-12);
    }
    const char *const past[] = {
        "beams.normalise", "false", "beams.radius", "1 mm", "beams.sampling", "0.05", NULL};
    case_run(*backend, "over", NULL, past, &r, NULL);
    /* of exp(-2 r^2 / R^2) the square of 1 mm takes erf(R^-1 / sqrt 2 mm)^2 */
    assert_near(figure_of("over", "beam_missed"), 1 - pow(erf(0.5 * sqrt(2)), 2), 2e-3);
    assert_near(figure_of("over", "beam_missed") + figure_of("over", "beam_reflected") +
                    of(&r, "E_source"),
                1, 1e-9);
  }
  const char *const bad[][4] = {
      {"conduction", "stencil", NULL, "takes no absorptivity that depends on temperature"},
      {"beams",
       "[{radius: 1 mm, path: {file: path.csv, unit: 1 m}}, {radius: 1 mm, absorptivity: "
       "0.3, path: {file: path.csv, unit: 1 m}}]",
       NULL, "all beams must have the same table"}};
  for (int i = 0; i < 2; i++) {
    char message[1024];
    assert_int_equal(case_run("cpu", "bad", NULL, bad[i], NULL, message), IG_INPUT);
    if (!strstr(message, bad[i][3]))
      fail_msg("%s", message);
  }
}

/* A keyhole by hand: e = A P / (k (T_b - T_0) g(Pe)) with the polynomial that Lankalapalli and
   others fitted to g (within 0.8 %), and A of a cone of depth e. Heat is that of an ellipsoid of
   the same size, given as such. */
static void keyholes(void **state) {
  (void)state;
  text_write("path.csv", "t,x,y,z,power\n0,3.5e-3,4e-3,1e-3,1000\n0.01,4.5e-3,4e-3,1e-3,0\n");
  text_write("case.yaml", PLATE);
  const double a = 0.3e-3, P = 1000, flat = 0.3, pe = 0.1 * a * 4e6 / (2 * 20);
  const double g = 2.1995 + 6.2962 * pe - 0.4994 * pe * pe + 0.0461 * pe * pe * pe;
  double e = a, A = flat;
  for (int i = 0; i < 100; i++) {
    const double x = e / a, angle = atan2(1, x), G = 1 / (1 + sqrt(1 + x * x)),
                 F = (3 * sin(angle) - sin(3 * angle)) / 4;
    A = flat * (1 + (1 - flat) * (G - F)) / (1 - (1 - flat) * (1 - G));
    e = A * P / (20 * (3000 - 300) * g);
  }
  assert_true(e > 1.5 * a && e < 3 * a); /* all light goes into it, and it ends in the plate */
  for (const char *const *backend = backends_here(); *backend; backend++) {
    row r, same;
    char beam[300];
    const char *const hole[] = {"materials.boiling", "3000 K", "beams",
                                "{radius: 0.3 mm, absorptivity: 0.3, keyhole: {absorptivity: 0.3}, "
                                "path: {file: path.csv, unit: 1 m}}",
                                NULL};
    case_run(*backend, "hole", NULL, hole, &r, NULL);
    assert_near(of(&r, "E_gap"), 0, 1e-9);
    assert_near(of(&r, "E_source") / (10 * A), 1, 5e-3);
    snprintf(beam, sizeof beam,
             "{model: gaussian, radius: %.9g, depth: %.9g, absorptivity: %.9g, path: {file: "
             "path.csv, unit: 1 m}}",
             sqrt(1.5) * a, sqrt(1.5) * e, A);
    const char *const keys[] = {"beams", beam, NULL};
    case_run(*backend, "same", NULL, keys, &same, NULL);
    assert_near((of(&r, "T_max") - 300) / (of(&same, "T_max") - 300), 1, 1e-2);
  }
}

/* A cube of 1 mm that is warm throughout, heated by 60 MW/m^2 through its top, evaporates from all
   of its six faces: it comes to rest where vapour takes 10 MW/m^2. Where steps are long for vapour
   it stays bounded, too. The balance closes; where all is solid nothing evaporates. */
static void evaporation(void **state) {
  (void)state;
  const double L = 6e6, M = 0.056, R = 8.31446261815324, boils = 3000;
  double low = 1500, high = 3000;
  for (int i = 0; i < 60; i++) {
    const double T = 0.5 * (low + high), q = 0.82 * 101325 * exp(L * M / R * (1 / boils - 1 / T)) *
                                             sqrt(M / (2 * 3.14159265358979 * R * T)) * L;
    *(q < 10e6 ? &low : &high) = T;
  }
  text_write("case.yaml",
             "physics: thermal\n"
             "mesh: {boxes: [{size: [1 mm, 1 mm, 1 mm], cells: [1, 1, 1]}]}\n"
             "materials: {name: m, density: 8000, conductivity: 1e5, specific_heat: 500,\n"
             "  solidus: 1400, liquidus: 1500, latent_heat: 2e5, boiling: 3000,\n"
             "  evaporation_heat: 6e6, molar_mass: 0.056}\n"
             "boundary: [{set: zmax, flux: 6e7}, {set: surface, evaporation: true}]\n"
             "initial_temperature: 2000 K\n"
             "duration: 150 ms\n"
             "output: {count: 0, history_every: 1000000}\n");
  for (const char *const *backend = backends_here(); *backend; backend++) {
    row r;
    for (int i = 0; i < 4; i++) {
      static const char *const how[][2] = {{"double", "classes"},
                                           {"double", "recompute"},
                                           {"mixed", "classes"},
                                           {"single", "recompute"}};
      const char *const keys[] = {"precision", how[i][0], "conduction", how[i][1], NULL};
      case_run(*backend, "vapour", NULL, keys, &r, NULL);
      assert_near(0.5 * (of(&r, "T_max") + of(&r, "T_min")), low, i == 3 ? 1 : 0.3);
      assert_near(of(&r, "E_gap"), 0, i == 0 ? 1e-9 : i == 3 ? 1e-2 : 1e-5);
      assert_true(of(&r, "E_evaporated") > 0.5);
    }
    const char *const solid[] = {"initial_temperature", "1000 K", "boundary",
                                 "{set: surface, evaporation: true}", NULL};
    case_run(*backend, "vapour", NULL, solid, &r, NULL);
    assert_true(of(&r, "E_evaporated") == 0);
    assert_near(of(&r, "T_max"), 1000, 1e-3);
    /* steps of 20 us: ten times what vapour would allow */
    const char *const stiff[] = {"boundary",
                                 "[{set: zmax, flux: 6e9}, {set: surface, evaporation: true}]",
                                 "materials.conductivity",
                                 "3",
                                 "duration",
                                 "5 ms",
                                 "mesh",
                                 "{boxes: [{size: [1 mm, 1 mm, 10 um], cells: [1, 1, 1]}]}",
                                 NULL};
    case_run(*backend, "vapour", NULL, stiff, &r, NULL);
    assert_near(of(&r, "E_gap"), 0, 1e-5);
    assert_true(of(&r, "T_max") > 3500 && of(&r, "T_max") < 4500);
  }
  const char *const bad[][4] = {{"surface", "branch", NULL, "needs `surface: lumped`"},
                                {"latent", "apparent", NULL, "needs `latent: enthalpy`"},
                                {"dwell_change", "5 K", NULL, "does not go with `dwell_change`"},
                                {"materials.boiling", "null", NULL, "boiling"}};
  for (int i = 0; i < 3; i++) {
    char message[1024];
    assert_int_equal(case_run("cpu", "bad", NULL, bad[i], NULL, message), IG_INPUT);
    if (!strstr(message, bad[i][3]))
      fail_msg("%s", message);
  }
}

static void refused(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"model: gaussian, ring: {radius: 1 mm, width: 1 mm, share: 1}", "only in the models"},
      {"order: 4, ring: {radius: 1 mm, width: 1 mm, share: 1}", "one of `order`, `ring`"},
      {"model: surface, axis: [0, 0, 1]", "the beam points up"},
      {"model: surface, profile: [[0 mm, 0], [1 mm, 0]]", "some intensity"},
      {"model: surface, depth_profile: [[0 mm, 1], [1 mm, 0]]", "is for model: cylinder"},
      {"model: cylinder, depth: 1 mm, depth_profile: [[0 mm, 1], [1 mm, 0]]", "leave out depth"},
      {"model: gaussian, keyhole: {}", "give it with model: surface"},
      {"normalise: false, keyhole: {}", "a keyhole needs `normalise: true`"},
      {"keyhole: {}", "boiling"}};
  case_write();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char beam[300], message[1024];
    snprintf(beam, sizeof beam,
             "{radius: 1 mm, absorptivity: 1, path: {file: path.csv, unit: 1 m}, %s}", cases[i][0]);
    const char *const keys[] = {"beams", beam, NULL};
    assert_int_equal(case_run("cpu", "bad", NULL, keys, NULL, message), IG_INPUT);
    if (!strstr(message, cases[i][1]))
      fail_msg("%s", message);
  }
}

/* A path in two layers over a part that is there already, of a material that does not melt: the
   temperature between the layers is the part's. */
static void layers_of_a_standing_part(void **state) {
  (void)state;
  text_write("case.yaml", PLATE);
  text_write("path.csv", "t,x,y,z,power\n0,4e-3,4e-3,0.5e-3,1e-3\n0.005,4e-3,4e-3,0.5e-3,0\n"
                         "0.005,4e-3,4e-3,1e-3,1e-3\n0.01,4.001e-3,4e-3,1e-3,0\n");
  for (const char *const *backend = backends_here(); *backend; backend++) {
    const char *const keys[] = {
        "beams",
        "{radius: 1 mm, absorptivity: 1, path: {file: path.csv, unit: 1 m}}",
        "initial_temperature",
        "500 K",
        "time_step",
        "0.4 ms",
        NULL};
    case_run(*backend, "layers", NULL, keys, NULL, NULL);
    char path[300], line[400];
    snprintf(path, sizeof path, "%s/layers/summary.json", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    double mean = 0;
    while (fgets(line, sizeof line, f))
      sscanf(line, " \"interlayer_last\": %lf", &mean);
    fclose(f);
    assert_near(mean, 500, 0.01);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(profiles),
      cmocka_unit_test(tilted_axes),
      cmocka_unit_test(sampling_within_its_bound),
      cmocka_unit_test(depth_profiles),
      cmocka_unit_test(absorptivity_over_temperature),
      cmocka_unit_test(layers_of_a_standing_part),
      cmocka_unit_test(keyholes),
      cmocka_unit_test(evaporation),
      cmocka_unit_test(refused),
  };
  IN_FOLDER(tests);
}
