/* Toolpaths: every dialect reads as it is meant; what is wrong is named with its place. */
#include "check.h"
#include "io/toolpath.h"
#include "thermal/raster.h"

static ig_ctx *cx;
static int warnings;
static void count_warnings(void *user, ig_log_level level, const char *message) {
  (void)user;
  (void)message;
  warnings += level == IG_LOG_WARN;
}
static int open_context(void **state) {
  (void)state;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1, .log = count_warnings};
  return ig_ctx_open(&options, &cx) != IG_OK;
}
static int close_context(void **state) {
  (void)state;
  ig_ctx_close(cx);
  return 0;
}

static const ig_toolpath_options plain = {.power = 100, .unit = NAN, .travel = 0.5};

static ig_toolpath good(const char *file, const char *text) {
  ig_toolpath p;
  const ig_status status = ig_toolpath_parse(cx, file, text, strlen(text), &plain, &p);
  if (status != IG_OK)
    print_message("%s\n", ig_ctx_message(cx));
  assert_int_equal(status, IG_OK);
  return p;
}

static void event_series(void **state) {
  (void)state;
  ig_toolpath p =
      good("a.csv", "t,x,y,z,power\n0,0,0,0.01,200\n1,0.01,0,0.01,0\n# rest\n2,0,0,0.01,50\n");
  assert_int_equal(p.count, 3);
  assert_true(p.power[0] == 200 && p.power[1] == 0 && p.power[2] == 50);
  assert_true(p.x[3] == 0.01 && p.t[2] == 2);
  ig_toolpath_free(&p);
}

static void state_belongs_to_the_piece_before(void **state) {
  (void)state;
  ig_toolpath p = good("a.crs", "0.0 0 0 1 0\n0.5 10 0 1 1\n0.7 10 5 1 0\n");
  assert_int_equal(p.count, 3);
  assert_true(p.power[0] == 100 && p.power[1] == 0);
  assert_float_equal(p.x[3], 0.01, 1e-15);
  ig_toolpath_free(&p);
}

static void segments(void **state) {
  (void)state;
  ig_toolpath p =
      good("path.txt", "Mode X Y Z Pmod Param\n1 0 0 0 0 0\n0 2 0 0 1 0.5\n1 2 1 0 0.5 0.001\n");
  /* 2 mm at 0.5 m/s, then a spot of 1 ms at half power */
  assert_int_equal(p.count, 6);
  assert_true(p.power[2] == 100 && p.power[4] == 50);
  assert_float_equal(p.t[3] - p.t[2], 0.004, 1e-12);
  assert_float_equal(p.t[5] - p.t[4], 0.001, 1e-12);
  ig_toolpath_free(&p);
}

static double on_time(const ig_toolpath *p) {
  double t = 0;
  for (int64_t i = 0; i + 1 < p->count; i++)
    t += p->power[i] > 0 ? p->t[i + 1] - p->t[i] : 0;
  return t;
}

static void gcode_by_extrusion(void **state) {
  (void)state;
  ig_toolpath p = good("a.gcode", "; a wall\nG21 G90 (mm)\nM82\nG0 X0 Y0 Z1\nG1 F600 X10 E1\n"
                                  "G1 X10 Y5 E1 ; travel\nG91\nG1 X-10 E2\nG4 P500\nG1 Y1\n");
  /* 10 mm at 600 mm/min, twice */
  assert_float_equal(on_time(&p), 2.0, 1e-12);
  assert_float_equal(p.x[3 * (p.count - 1)], 0, 1e-15);
  assert_float_equal(p.x[3 * (p.count - 1) + 1], 6e-3, 1e-15);
  ig_toolpath_free(&p);
}

static void gcode_by_power_word(void **state) {
  (void)state;
  ig_toolpath p = good("a.nc", "%\nG0 X1 Y1 Z1\nM3 S250\nG1 X11 F1200\nM5\nG1 X1\nG28\nG28\n");
  assert_float_equal(on_time(&p), 0.5, 1e-12);
  double most = 0;
  for (int64_t i = 0; i < p.count; i++)
    most = fmax(most, p.power[i]);
  assert_true(most == 250);
  ig_toolpath_free(&p);
}

static void passed_over_codes_are_named_once(void **state) {
  (void)state;
  warnings = 0;
  ig_toolpath p = good("a.gcode", "M106 S1\nG1 X10 F600\nM106\nM104 S200\nG1 X0\n");
  assert_int_equal(warnings, 2);
  ig_toolpath_free(&p);
}

static void wrong_ones_are_refused_with_their_place(void **state) {
  (void)state;
  static const struct {
    const char *file, *text, *message;
  } bad[] = {
      {"a.csv", "t,x,y,z,power\n1,0,0,0,5\n0.5,0,0,0,5\n", "a.csv:3:1: time runs backwards"},
      {"a.csv", "0,0,0,0\n", "a.csv:1:8: 4 values: expected t,x,y,z,power"},
      {"a.csv", "0,0,0,0,5\n1,zero,0,0,5\n", "a.csv:2:3: 'zero' is not a number"},
      {"a.csv", "0,0,0,0,5\n1,inf,0,0,5\n", "is not finite"},
      {"a.csv", "0,0,0,0,-5\n", "is negative"},
      {"a.csv", "0,0,0,0,5\n", "expected two points"},
      {"a.csv", "", "no points"},
      {"a.crs", "0 0 0 0 2\n", "a.crs:1:1: state 2: expected 0 (off) or 1 (on)"},
      {"a.txt", "mode x y z pmod param\n2 0 0 0 1 1\n", "mode 2"},
      {"a.txt", "mode x y z pmod param\n0 0 0 0 1 0\n", "a speed above zero"},
      {"a.gcode", "G1 X1 F600 Q3\n", "a.gcode:1:12: unknown word 'Q3'"},
      {"a.gcode", "G1 X1\n", "before any feed rate"},
      {"a.gcode", "G1 X F600\n", "'X' without a number"},
      {"a.gcode", "G2 X1 I1 F600\n", "arcs are not read"},
      {"a.gcode", "G1 (never X1 F5\n", "never ends"},
      {"a.gcode", "G1 X1 F0\n", "feed rate 0"},
      {"a.gcode", "G1 X1 F600 ?\n", "does not begin a G-code word"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ig_toolpath p;
    assert_int_equal(
        ig_toolpath_parse(cx, bad[i].file, bad[i].text, strlen(bad[i].text), &plain, &p), IG_INPUT);
    if (!strstr(ig_ctx_message(cx), bad[i].message))
      print_message("%s\n", ig_ctx_message(cx));
    assert_non_null(strstr(ig_ctx_message(cx), bad[i].message));
    assert_null(p.t);
  }
}

static double on_length(const ig_toolpath *p) {
  double length = 0;
  for (int64_t i = 0; i + 1 < p->count; i++)
    if (p->power[i] > 0)
      length += hypot(p->x[3 * i + 3] - p->x[3 * i], p->x[3 * i + 4] - p->x[3 * i + 1]);
  return length;
}

/* area = length x spacing, whatever the angle, islands or overlap of the rectangles */
static void rasters_cover_their_region(void **state) {
  (void)state;
  ig_raster_region cross[] = {{.min = {0, 4e-3}, .max = {12e-3, 8e-3}},
                              {.min = {4e-3, 0}, .max = {8e-3, 12e-3}}};
  const double area = 2 * 48e-6 - 16e-6;
  ig_raster_case c = {.power = 100,
                      .speed = 0.1,
                      .travel = 1,
                      .hatch = 0.05e-3,
                      .layer_height = 1e-3,
                      .layers = 3,
                      .rotation = 1.1,
                      .island = NAN,
                      .dwell = 2,
                      .regions = {2, cross}};
  for (int islands = 0; islands < 2; islands++) {
    ig_toolpath p;
    c.island = islands ? 3e-3 : NAN;
    assert_int_equal(ig_raster_make(cx, &c, &p), IG_OK);
    assert_true(fabs(on_length(&p) * c.hatch / (3 * area) - 1) < 0.02);
    assert_true(p.t[p.count - 1] > 3 * 2 + on_length(&p) / c.speed);
    for (int64_t i = 1; i < p.count; i++)
      assert_true(p.t[i] >= p.t[i - 1]);
    ig_toolpath_free(&p);
  }
  /* the outline of the cross, drawn in by half a spacing */
  c.island = NAN;
  c.layers = 1;
  ig_toolpath with, without;
  assert_int_equal(ig_raster_make(cx, &c, &without), IG_OK);
  c.contour = true;
  assert_int_equal(ig_raster_make(cx, &c, &with), IG_OK);
  assert_float_equal(on_length(&with) - on_length(&without), 48e-3, 0.6e-3);
  ig_toolpath_free(&with);
  ig_toolpath_free(&without);
}

/* Order and timing of a raster: angle turned layer by layer, dwells after layers and parts, one-way
   lines, islands of one colour before the other. */
static void rasters_keep_time_and_order(void **state) {
  (void)state;
  ig_raster_region square = {.min = {0, 0}, .max = {4e-3, 4e-3}};
  ig_raster_region other = {.min = {10e-3, 0}, .max = {14e-3, 4e-3}};
  ig_raster_part parts[] = {{.regions = {1, &square}}, {.regions = {1, &other}}};
  ig_raster_case c = {.power = 100,
                      .speed = 0.1,
                      .travel = 1,
                      .hatch = 1e-3,
                      .layer_height = 0.5e-3,
                      .base = 2e-3,
                      .layers = 3,
                      .angle = 0,
                      .rotation = M_PI / 2,
                      .island = NAN,
                      .dwell = 3,
                      .part_dwell = 0.5,
                      .start = 7,
                      .parts = {2, parts}};
  ig_toolpath p;
  assert_int_equal(ig_raster_make(cx, &c, &p), IG_OK);
  /* two parts of four lines of 4 mm, three times */
  assert_float_equal(on_length(&p), 2 * 4 * 4e-3 * 3, 1e-12);
  assert_float_equal(p.t[0], 7, 1e-12);
  double travel = 0;
  int layers = 0, waits = 0;
  for (int64_t i = 0; i + 1 < p.count; i++) {
    const double *a = &p.x[3 * i], *b = a + 3;
    const int layer = (int)lround((a[2] - 2e-3) / 0.5e-3);
    layers = layer > layers ? layer : layers;
    if (p.power[i] > 0) /* lines along x, then y, then x */
      assert_float_equal(fabs(b[layer % 2 ? 1 : 0] - a[layer % 2 ? 1 : 0]), 0, 1e-15);
    else
      travel += sqrt(pow(b[0] - a[0], 2) + pow(b[1] - a[1], 2) + pow(b[2] - a[2], 2));
    waits += p.power[i] == 0 && p.t[i + 1] - p.t[i] > 0.4;
  }
  assert_int_equal(layers, 3);
  assert_int_equal(waits, 6); /* after each part; after the second one the layer's too */
  assert_float_equal(p.t[p.count - 1] - 7, on_length(&p) / 0.1 + travel / 1 + 3 * 3 + 3 * 2 * 0.5,
                     1e-9);
  ig_toolpath_free(&p);

  c.parts = (ig_list){0, NULL};
  c.regions = (ig_list){1, &square};
  c.layers = 1;
  c.one_way = true;
  assert_int_equal(ig_raster_make(cx, &c, &p), IG_OK);
  for (int64_t i = 0; i + 1 < p.count; i++)
    assert_true(p.power[i] == 0 || p.x[3 * i + 3] > p.x[3 * i]);
  ig_toolpath_free(&p);

  c.one_way = false;
  c.island = 2e-3; /* 2 x 2 squares: (0,0) and (1,1), then (1,0) and (0,1) crosswise */
  assert_int_equal(ig_raster_make(cx, &c, &p), IG_OK);
  int square_of[16], strokes = 0;
  for (int64_t i = 0; i + 1 < p.count; i++)
    if (p.power[i] > 0 && strokes < 16) {
      const double x = 0.5 * (p.x[3 * i] + p.x[3 * i + 3]),
                   y = 0.5 * (p.x[3 * i + 1] + p.x[3 * i + 4]);
      square_of[strokes++] = (x > 2e-3) + 2 * (y > 2e-3);
    }
  assert_int_equal(strokes, 8);
  static const int want[8] = {0, 0, 3, 3, 1, 1, 2, 2};
  for (int i = 0; i < 8; i++)
    assert_int_equal(square_of[i], want[i]);
  ig_toolpath_free(&p);
}

static void gcode_relative_and_layers(void **state) {
  (void)state;
  /* relative moves in inches, E relative by M83, a second layer, S alone as a switch */
  ig_toolpath p = good("a.gcode", "G20 G91 M83\nG0 Z0.1\nG1 F60 X1 E0.5\nG1 X-1 E0\nG0 Z0.1\n"
                                  "G1 Y1 E0.5\n");
  assert_float_equal(on_time(&p), 2.0, 1e-9); /* an inch a second, twice */
  assert_float_equal(p.x[3 * (p.count - 1) + 2], 0.2 * 0.0254, 1e-12);
  assert_float_equal(p.x[3 * (p.count - 1) + 1], 0.0254, 1e-12);
  ig_toolpath_free(&p);
  p = good("b.nc", "G90\nG1 F600 S80 X10\nG1 S0 X20\nG1 S40 X30\nG92 X0\nG1 X5\n");
  double power[3] = {0, 0, 0}, far = 0;
  for (int64_t i = 0, k = 0; i + 1 < p.count && k < 3; i++)
    if (p.t[i + 1] > p.t[i])
      power[k++] = p.power[i];
  for (int64_t i = 0; i < p.count; i++)
    far = fmax(far, p.x[3 * i]);
  assert_true(power[0] == 80 && power[1] == 0 && power[2] == 40);
  assert_float_equal(far, 35e-3, 1e-12);
  ig_toolpath_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(event_series),
      cmocka_unit_test(state_belongs_to_the_piece_before),
      cmocka_unit_test(segments),
      cmocka_unit_test(gcode_by_extrusion),
      cmocka_unit_test(gcode_by_power_word),
      cmocka_unit_test(passed_over_codes_are_named_once),
      cmocka_unit_test(wrong_ones_are_refused_with_their_place),
      cmocka_unit_test(gcode_relative_and_layers),
      cmocka_unit_test(rasters_cover_their_region),
      cmocka_unit_test(rasters_keep_time_and_order),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
