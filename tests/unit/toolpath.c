/* Toolpaths: every dialect reads as it is meant; what is wrong is named with its place. */
#include "check.h"
#include "io/toolpath/toolpath.h"
#include "thermal/source/raster.h"

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

static const ig_toolpath_options plain = {.power = 100, .unit = NAN, .travel = 0.5, .feed = NAN};

static ig_toolpath read_so(const char *file, const char *text, const ig_toolpath_options *o,
                           ig_toolpath_read_as *as) {
  ig_toolpath p;
  const ig_status status = ig_toolpath_parse(cx, file, text, strlen(text), o, &p, as);
  if (status != IG_OK)
    print_message("%s\n", ig_ctx_message(cx));
  assert_int_equal(status, IG_OK);
  return p;
}
static ig_toolpath good(const char *file, const char *text) {
  return read_so(file, text, &plain, NULL);
}
static ig_toolpath named(ig_toolpath_format format, const char *text) {
  ig_toolpath_options o = plain;
  o.format = format;
  o.feed = 0.5;
  return read_so("path.txt", text, &o, NULL);
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
      good("path.txt",
           "Mode X(mm) Y(mm) Z(mm) Pmod Param\n1 0 0 0 0 0\n0 2 0 0 1 0.5\n1 2 1 0 0.5 0.001\n");
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
  assert_int_equal(warnings, 1);
  ig_toolpath_free(&p);
}

static void wrong_ones_are_refused_with_their_place(void **state) {
  (void)state;
  static const struct {
    const char *file, *text, *message;
  } bad[] = {
      {"a.csv", "t,x,y,z,power\n1,0,0,0,5\n0.5,0,0,0,5\n", "a.csv:3:1: time runs backwards"},
      {"a.csv", "t,x,y,z,power\n0,0,0,0\n", "a.csv:2:8: 4 values: expected t,x,y,z,power"},
      {"a.csv", "0,0,0,0,5\n1,zero,0,0,5\n", "a.csv:2:3: 'zero' is not a number"},
      {"a.csv", "0,0,0,0,5\n1,inf,0,0,5\n", "is not finite"},
      {"a.csv", "0,0,0,0,-5\n", "is negative"},
      {"a.csv", "0,0,0,0,5\n", "expected two points"},
      {"a.csv", "", "no points"},
      {"a.crs", "0 0 0 0 2\n", "a.crs:1:1: state 2: expected 0 (off) or 1 (on)"},
      {"a.txt", "mode x(mm) y z pmod param\n2 0 0 0 1 1\n", "mode 2"},
      {"a.txt", "mode x(mm) y z pmod param\n0 0 0 0 1 0\n", "a speed above zero"},
      {"a.gcode", "G1 X1 F600 Q3\n", "a.gcode:1:12: unknown word 'Q3'"},
      {"a.gcode", "G1 X1\n", "before any feed rate"},
      {"a.gcode", "G1 X F600\n", "'X' without a number"},
      {"a.gcode", "G2 X1 F600\n", "an arc without a centre"},
      {"a.gcode", "G2 X9 I1 F600\n", "about its centre"},
      {"a.gcode", "G18\nG2 X2 I1 F600\n", "(G17) only"},
      {"a.gcode", "G93\nG1 X2 F600\n", "by time or by turn"},
      {"a.gcode", "G1 X2 A30 F600\n", "turns the part or the head"},
      /* what cannot be told apart must be named */
      {"a.txt", "Mode X Y Z Pmod Param\n1 0 0 0 1 1\n", "millimetres or metres?"},
      {"a.csv", "0,0,0,0,1\n1,1,0,0,0\n", "is the last column a power in watts"},
      {"a.txt", "0 0 0 0 1\n1 1 0 0 0\n", "is the last column a power in watts"},
      {"a.txt", "0 0 0 0 200\n1 1 0 0 0\n", "without commas: name the dialect"},
      {"a.csv", "1,2,200,0\n1,3,200,0\n", "`format: ammt`"},
      {"a.txt", "1 0 0 0 1 0\n0 1 0 0 1 1\n", "6 columns without a header"},
      {"a.txt", "Mode X Y Z Power tParam\n1 0 0 0 0 0\n0 1 0 0 1 1\n", "never above 1"},
      {"a.csv", "t,x,y,z,power\n0,0,0,0,200\n1,120,0,0,0\n", "set `unit: 1 mm`"},
      {"a.csv", "t,x (V),y,z,power\n0,0,0,0,200\n", "expected one like m"},
      {"a.csv", "t,x,y,z\n0,0,0,0\n", "no column of power"},
      {"a.csv", "x,y,power\n0,0,0,0\n", "set `sample`"},
      {"a.txt", "Number of path segments\n3\nMode x y z pmod param\n1 0 0 0 0 0\n0 1 0 0 1 1\n",
       "3 segments are announced, 2 are there"},
      {"a.txt", "Number of path segments\n1\nMode x y z pmod param\n1 0 0 0 0 0\n0 1 0 0 1 1\n",
       "there are more"},
      {"a.txt", "0,0,0,0,0.8,0,0.6,0,1\n1,1,0,0,0.6,0,0.8,0,0\n", "turns the part on the way"},
      {"a.txt", "0,0,0,0,0.7,0,0.8,0,1\n1,1,0,0,0.7,0,0.8,0,0\n", "is no rotation"},
      {"a.cli", "$$HEADERSTART\n$$BINARY\n", "set `feed`"},
      {"a.gcode", "G1 (never X1 F5\n", "never ends"},
      {"a.gcode", "G1 X1 F0\n", "feed rate 0"},
      {"a.gcode", "G1 X1 F600 ?\n", "does not begin a G-code word"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ig_toolpath p;
    assert_int_equal(
        ig_toolpath_parse(cx, bad[i].file, bad[i].text, strlen(bad[i].text), &plain, &p, NULL),
        IG_INPUT);
    if (!strstr(ig_ctx_message(cx), bad[i].message))
      print_message("%s\n", ig_ctx_message(cx));
    assert_non_null(strstr(ig_ctx_message(cx), bad[i].message));
    assert_null(p.t);
  }
}

/* A header with Power is AdditiveFOAM's: metres and watts, whatever `power` the case gives. Read as
   millimetres and a factor it was 32 kW over 2 um. */
static void additivefoam_is_metres_and_watts(void **state) {
  (void)state;
  ig_toolpath_read_as as;
  static const char *const header[] = {"Mode\tX(m)\tY(m)\tZ(m)\tPower(W)\ttParam\n",
                                       "Mode X Y Z Power tParam\n"};
  for (int i = 0; i < 2; i++) {
    char text[256];
    snprintf(text, sizeof text, "%s1 0 0 0 0 0\n0 0.002 0 0 179.2 0.8\n", header[i]);
    ig_toolpath p = read_so("scanPath", text, &plain, &as);
    assert_string_equal(as.dialect, "AdditiveFOAM scan path");
    assert_true(as.unit == 1 && p.power[2] == 179.2);
    assert_float_equal(p.x[9], 2e-3, 1e-15);
    assert_float_equal(p.t[3] - p.t[2], 2.5e-3, 1e-12);
    ig_toolpath_free(&p);
  }
}

static void adamantine(void **state) {
  (void)state;
  ig_toolpath p = good("s.txt", "Number of path segments\n2\nMode x y z pmod param\n"
                                "1 0.000 0.1 0.1 0 1e-6\n0 0.002 0.1 0.1 0.5 0.8\n"
                                "SCAN_PATH_END\n");
  assert_float_equal(p.x[9], 2e-3, 1e-15);
  assert_true(p.power[2] == 50);
  ig_toolpath_free(&p);
  p = named(IG_TOOLPATH_ADAMANTINE, "0.1, 0, 0, 0, 1\n1.0, 0.5, 0, 0, 0.5\n2, 0.5, 0.5, 0, 0\n");
  assert_true(p.count == 3 && p.power[0] == 100 && p.power[1] == 50 && p.x[3] == 0.5);
  ig_toolpath_free(&p);
  p = good("five.txt", "0.001,0,0,0,1,0,0,0,1\n0.05,1e-3,0,0,1,0,0,0,0\nSCAN_PATH_END\n");
  assert_true(p.count == 2 && p.power[0] == 100);
  ig_toolpath_free(&p);
  /* the last line names the dialect of five columns, whatever their factors */
  p = good("five.inp", "0.1,0,0,0,18\n1.0,0.5,0,0,0\nSCAN_PATH_END\n");
  assert_true(p.count == 2 && p.power[0] == 1800 && p.x[3] == 0.5);
  ig_toolpath_free(&p);
  /* a quarter turn about y takes z of the part to x of the machine: seen from the part, a move
     along x is one along z, and the beam from above comes along x */
  const double half = sqrt(0.5);
  char turned[200];
  snprintf(turned, sizeof turned,
           "0,0,1e-3,0,%.12g,0,%.12g,0,1\n1,2e-3,1e-3,-3e-3,%.12g,0,%.12g,0,0\n", half, half, half,
           half);
  p = good("five.txt", turned);
  assert_true(p.count == 2 && fabs(p.direction[0] - 1) < 1e-12);
  assert_true(fabs(p.direction[1]) < 1e-12 && fabs(p.direction[2]) < 1e-12);
  assert_true(fabs(p.x[3] - 3e-3) < 1e-12 && fabs(p.x[4] - 1e-3) < 1e-12 &&
              fabs(p.x[5] - 2e-3) < 1e-12);
  ig_toolpath_free(&p);
}

static void logs_with_units(void **state) {
  (void)state;
  ig_toolpath_read_as as;
  ig_toolpath p = read_so("log.csv",
                          "Time (ms), X position [mm], y_mm, Laser Power (kW), chamber\n"
                          "0, 0, 0, 0.2, 17\n5, 10, 0, 0, 17\n",
                          &plain, &as);
  assert_float_equal(p.t[1], 5e-3, 1e-15);
  assert_float_equal(p.x[3], 10e-3, 1e-15);
  assert_float_equal(p.power[0], 200, 1e-9);
  assert_true(as.unit == 1e-3);
  ig_toolpath_free(&p);
  p = good("log.csv", "time;x;y;z;laser\n0;0;0;0;1\n1;0.01;0;0;0\n");
  assert_true(p.power[0] == 100 && p.power[1] == 0);
  ig_toolpath_free(&p);
}

static void sampled_commands(void **state) {
  (void)state;
  ig_toolpath p = named(IG_TOOLPATH_AMMT, "0,0,0,0\n0.008,0,195,2\n0.016,0,195,0\n");
  assert_float_equal(p.t[2], 2e-5, 1e-18);
  assert_float_equal((p.x[6] - p.x[3]) / 1e-5, 0.8, 1e-9); /* 800 mm/s */
  assert_true(p.power[1] == 195);
  ig_toolpath_free(&p);
}

static void layer_files(void **state) {
  (void)state;
  ig_toolpath_options o = plain;
  o.feed = 0.5;
  ig_toolpath_read_as as;
  ig_toolpath p = read_so("a.cli",
                          "$$HEADERSTART\n$$ASCII\n$$UNITS/0.01\n$$VERSION/200\n$$HEADEREND\n"
                          "$$GEOMETRYSTART\n$$LAYER/4\n"
                          "$$POLYLINE/1,1,5,0,0,1000,0,1000,1000,0,1000,0,0\n"
                          "$$LAYER/8\n$$HATCHES/1,2,0,100,1000,100,1000,200,0,200\n$$GEOMETRYEND\n",
                          &o, &as);
  /* a square of 10 mm, then two lines of 10 mm, at 0.5 m/s */
  assert_float_equal(on_time(&p), 60e-3 / 0.5, 1e-12);
  assert_float_equal(p.x[3 * (p.count - 1) + 2], 80e-6, 1e-15);
  assert_int_equal(as.layers_marked, 2);
  ig_toolpath_survey s;
  assert_int_equal(ig_toolpath_look(cx, &p, &s), IG_OK);
  assert_int_equal(s.layers, 2);
  assert_float_equal(s.length_on, 60e-3, 1e-12);
  assert_float_equal(s.energy, 12, 1e-9);
  assert_float_equal(s.high[0], 10e-3, 1e-15);
  ig_toolpath_free(&p);
}

/* As slicers write it: codes with words of their own, words without numbers, macros, long lines. */
static void gcode_of_slicers(void **state) {
  (void)state;
  static char text[20000];
  strcpy(text, "; generated by a slicer\nM73 P0 R12 Q0 S12\nM201 X1000 Y1000\nM486 S0\n"
               "M486 Apart_1\nEXCLUDE_OBJECT_DEFINE NAME=part POLYGON=[[1,2],[3,4]]\nSTART_PRINT "
               "BED_TEMP=60\nG28 X Y\nG54\nG17 G21 G90 G94\nM83\nM117 Printing \"it\"\n;");
  memset(text + strlen(text), 'x', 9000);
  strcat(text, "\n;LAYER:0\nG1 Z0.2 F1200\nG1 X10 Y0 E1.0\nG1 E-0.8 F2100\n"
               ";LAYER:1\nG1 Z0.4 F1200\nG1 E0.8\nG1 X0 E1\nM84 X Y E\nM107\n");
  warnings = 0;
  ig_toolpath_read_as as;
  ig_toolpath p = read_so("part.gcode", text, &plain, &as);
  assert_int_equal(warnings, 1);
  assert_int_equal(as.layers_marked, 2);
  assert_float_equal(on_time(&p), 1.0, 1e-12);
  ig_toolpath_survey s;
  assert_int_equal(ig_toolpath_look(cx, &p, &s), IG_OK);
  assert_int_equal(s.layers, 2);
  ig_toolpath_free(&p);
}

static void gcode_arcs(void **state) {
  (void)state;
  static const char *const text[] = {
      "G1 F600 X10 Y0\nM3 S100\nG3 X0 Y10 I-10 J0\nM5\n", /* a quarter, counter-clockwise */
      "G1 F600 X10 Y0\nM3 S100\nG3 X0 Y10 R10\nM5\n",
      "G90.1\nG1 F600 X10 Y0\nM3 S100\nG3 X0 Y10 I0 J0\nM5\n",
      "G1 F600 X0 Y10\nM3 S100\nG2 X10 Y0 I0 J-10\nM5\n"};
  for (int i = 0; i < 4; i++) {
    ig_toolpath p = good("a.nc", text[i]);
    assert_float_equal(on_time(&p), 0.5 * M_PI, 1e-9);
    for (int64_t k = 0; k < p.count; k++)
      if (p.power[k] > 0)
        assert_float_equal(hypot(p.x[3 * k], p.x[3 * k + 1]), 10e-3, 1e-12);
    ig_toolpath_free(&p);
  }
  ig_toolpath p = good("a.nc", "G1 F600 X10 Y0\nM3 S100\nG2 X10 Y0 I-10 J0 Z1\n"); /* a full turn */
  assert_float_equal(on_time(&p), hypot(2 * M_PI, 0.1), 1e-9);
  ig_toolpath_free(&p);
}

static void gcode_in_the_controllers_units(void **state) {
  (void)state;
  ig_toolpath_options o = plain;
  o.feed = 0.02;
  o.full_s = 255;
  o.dwell_unit = 1;
  ig_toolpath p = read_so("a.nc", "M3 S51\nG1 X10\nG4 P2\nG1 X20 M106 S255\nM5\n", &o, NULL);
  assert_true(fabs(p.power[0] - 20) < 1e-12); /* 51 of 255 of 100 W; M106's S is a fan's */
  assert_float_equal(on_time(&p), 1.0, 1e-12);
  assert_float_equal(p.t[p.count - 1], 3.0, 1e-12);
  ig_toolpath_free(&p);
  /* a tool number beyond all tools */
  p = good("cast.gcode", "T4444444444444444444\nM44444444444444444\nG1 X1 F600\n");
  ig_toolpath_free(&p);
}

static void unlikely_figures_are_warned_about(void **state) {
  (void)state;
  warnings = 0;
  ig_toolpath p = good("a.csv", "t,x,y,z,power\n0,0,0,0,32113\n0.001,0.5,0,0,0\n");
  assert_int_equal(warnings, 2); /* 32 kW, 500 m/s */
  ig_toolpath_free(&p);
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
                      .jump_speed = 1,
                      .spacing = 0.05e-3,
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
    assert_true(fabs(on_length(&p) * c.spacing / (3 * area) - 1) < 0.02);
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
                      .jump_speed = 1,
                      .spacing = 1e-3,
                      .layer_height = 0.5e-3,
                      .base = 2e-3,
                      .layers = 3,
                      .angle = 0,
                      .rotation = M_PI / 2,
                      .island = NAN,
                      .dwell = 3,
                      .part_dwell = 0.5,
                      .start_time = 7,
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
  /* another unit in the middle: the machine stays where it is, and as fast */
  p = good("c.nc", "G21 G90\nG1 F600 S80 X25.4\nG20\nG1 X2\nG91\nG1 Y1\n");
  assert_float_equal(p.x[3 * (p.count - 1)], 0.0508, 1e-12);
  assert_float_equal(p.x[3 * (p.count - 1) + 1], 0.0254, 1e-12);
  assert_float_equal(on_time(&p), 3 * 2.54, 1e-9);
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
      cmocka_unit_test(additivefoam_is_metres_and_watts),
      cmocka_unit_test(adamantine),
      cmocka_unit_test(logs_with_units),
      cmocka_unit_test(sampled_commands),
      cmocka_unit_test(layer_files),
      cmocka_unit_test(gcode_of_slicers),
      cmocka_unit_test(gcode_arcs),
      cmocka_unit_test(gcode_in_the_controllers_units),
      cmocka_unit_test(unlikely_figures_are_warned_about),
      cmocka_unit_test(gcode_relative_and_layers),
      cmocka_unit_test(rasters_cover_their_region),
      cmocka_unit_test(rasters_keep_time_and_order),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
