/* Units, numbers, values on one line, option tables. */
#include "check.h"
#include "core/unit.h"
#include "material/material.h"
#include "run/case.h"
#include "run/rooms.h"
#include "sample_room.h"

static ig_ctx *cx;
static ig_arena *arena;

static int setup(void **state) {
  (void)state;
  cx = ctx_on("cpu", 1);
  return ig_arena_new(cx, &arena) != IG_OK;
}
static int teardown(void **state) {
  (void)state;
  ig_arena_free(arena);
  ig_ctx_close(cx);
  return 0;
}

static double number(const char *text, const char *unit) {
  char problem[320] = "";
  double value;
  if (!ig_number_read(text, unit, &value, problem, sizeof problem))
    fail_msg("'%s' for [%s]: %s", text, unit, problem);
  return value;
}

static void refused(const char *text, const char *unit, const char *why) {
  char problem[320] = "";
  double value;
  if (ig_number_read(text, unit, &value, problem, sizeof problem))
    fail_msg("'%s' for [%s] was taken for %g", text, unit, value);
  if (!strstr(problem, why))
    fail_msg("'%s' for [%s]: '%s' lacks '%s'", text, unit, problem, why);
}

static void near(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-14 * fabs(expected)))
    fail_msg("%.17g is not %.17g", value, expected);
}

static void units_convert(void **state) {
  (void)state;
  assert_true(number("1.1 mm", "m") == 0.0011); /* the same bits as the SI number */
  assert_true(number("3 us", "s") == 3e-6);
  assert_true(number("7", "m") == 7);
  near(number("1050 W", "W"), 1050);
  near(number("1.05kW", "W"), 1050);
  near(number("210 GPa", "Pa"), 210e9);
  near(number("25 degC", "K"), 298.15);
  near(number("-40 degF", "K"), 233.15);
  near(number("25 \xc2\xb0"
              "C",
              "K"),
       298.15);
  near(number("1 mm^3", "m^3"), 1e-9);
  near(number("2 mm3", "m^3"), 2e-9);
  near(number("2 mm\xc2\xb3", "m^3"), 2e-9);
  near(number("15 W/(m K)", "W/(m K)"), 15);
  near(number("15 W/m/K", "W/(m K)"), 15);
  near(number("15 W/(m degC)", "W/(m K)"), 15); /* a difference: no offset */
  near(number("15 W m^-1 K^-1", "W/(m K)"), 15);
  near(number("7850 kg/m3", "kg/m^3"), 7850);
  near(number("7.85 g/cm^3", "kg/m^3"), 7850);
  near(number("600 mm/min", "m/s"), 0.01);
  near(number("1 in", "m"), 0.0254);
  near(number("1 ft", "m"), 0.3048);
  near(number("1 ksi", "Pa"), 6894757.2931683613);
  near(number("2 lb", "kg"), 0.90718474);
  near(number("180 deg", "rad"), 3.14159265358979323846);
  near(number("60 rpm", "rad/s"), 2 * 3.14159265358979323846);
  near(number("35 %", ""), 0.35);
  near(number("35%", NULL), 0.35);
  near(number("30 MPa m^0.5", "Pa m^0.5"), 30e6);
  near(number("5 N/mm", "J/m^2"), 5000); /* equal dimensions, other words */
  near(number("4 \xc2\xb5m", "m"), 4e-6);
  near(number("4 \xce\xbcm", "m"), 4e-6);
  near(number("3 kHz", "1/s"), 3000);
  near(number("+.5e1", "m"), 5);
  near(number("5.", "m"), 5);
  near(number("-2", "m"), -2);
  near(number("0", "W"), 0);
  near(number("0.0e-400", "W"), 0); /* zero however it is written */
}

static void numbers_are_refused(void **state) {
  (void)state;
  refused("5 kg", "m", "that is a mass; expected a length (m, mm, um, in)");
  refused("5 W m", "W/(m K)", "expected a conductivity (W/(m K))");
  refused("5 m", "kg m^3", "expected a value in kg m^3");
  refused("45 deg", "", "that is an angle; expected a pure number");
  refused("5", "furlong", "unknown unit 'furlong'");
  refused("5 furlong", "m", "unknown unit 'furlong'; expected a length");
  refused("25 C", "K", "degrees are written degC");
  refused("5 m mm", "m", "that is an area");
  refused("5 m^", "m", "power");
  refused("5 m^12", "m", "power");
  refused("5 m^0.3", "m", "power");
  refused("5 (m", "m", "not closed");
  refused("5 m)", "m", "trailing");
  refused("5 m/", "m", "a unit is missing at the end of 'm/'");
  refused("5 ((((((((((m))))))))))", "m", "brackets");
  refused("5 ((((m^9)^9)^9)^9)", "m", "too high a power");
  refused("5 Tm^9 Tm^9 Tm^9", "m", "too high a power");
  refused("nan", "m", "no decimal number");
  refused("inf", "m", "no decimal number");
  refused("-inf", "m", "no decimal number");
  refused("0x10", "m", "no decimal number");
  refused("0x1p4", "m", "no decimal number");
  refused("1_000", "m", "no decimal number");
  refused("1,5", "m", "no decimal number");
  refused("1e", "m", "unknown unit 'e'");
  refused("1e999", "m", "double precision");
  refused("1e-999", "m", "double precision");
  refused("1e308 km", "m", "double precision");
  refused("", "m", "no decimal number");
  refused("--1", "m", "no decimal number");
  refused("1 2", "m", "no unit");
  refused("1.2.3", "m", "no unit");
  refused("12345678901234567890123456789012345678901234567890123456789012345678", "m",
          "double precision");
  refused("1 mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm", "m",
          "too long");
}

static ig_node *parse(const char *text) {
  ig_node *node;
  if (ig_node_parse(cx, arena, text, (ig_src){.given = true}, &node) != IG_OK)
    fail_msg("'%s': %s", text, ig_ctx_message(cx));
  return node;
}

static void values_on_one_line(void **state) {
  (void)state;
  assert_string_equal(parse("  a, b: c ")->text, "a, b: c");
  assert_string_equal(parse("'it''s'")->text, "it's");
  assert_string_equal(parse("\"a \\\"b\\\"\"")->text, "a \"b\"");
  assert_true(parse("''")->quoted);
  const ig_node *map = parse("{a: 1 mm, 'b c': [2, [3, 4],], d: {}}");
  assert_string_equal(ig_node_find(map, "a")->text, "1 mm");
  const ig_node *list = ig_node_find(map, "b c");
  assert_int_equal(list->kind, IG_NODE_LIST);
  assert_string_equal(list->child->next->child->next->text, "4");
  assert_null(list->child->next->next);
  assert_null(ig_node_find(map, "d")->child);
  static const char *const bad[] = {"",
                                    "[1",
                                    "[1 2}",
                                    "{a}",
                                    "{a: 1, a: 2}",
                                    "'x",
                                    "[1] 2",
                                    "{: 1}",
                                    "[,]",
                                    "{a: }",
                                    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ig_node *node;
    assert_int_equal(ig_node_parse(cx, arena, bad[i], (ig_src){0}, &node), IG_INPUT);
  }
}

static ig_status read_sample(const char *text, sample_case *into) {
  memset(into, 0x5a, sizeof *into); /* nothing may be left as it was */
  const ig_option_table table = {sample_options, into};
  return ig_options_read(cx, arena, text ? parse(text) : NULL, &table, 1);
}

static void defaults_fill_every_member(void **state) {
  (void)state;
  sample_case s;
  assert_int_equal(read_sample("{steps: 1}", &s), IG_OK);
  assert_true(s.at.given);
  assert_false(s.gravity);
  assert_int_equal(s.steps, 1);
  assert_int_equal(s.grid[2], 5);
  near(s.ambient, 298.15);
  assert_true(isnan(s.speed));
  assert_string_equal(s.label, "plain");
  assert_null(s.toolpath);
  assert_int_equal(s.scheme, 0);
  assert_int_equal(s.mode, -1);
  assert_true(isnan(s.origin[0]) && isnan(s.origin[1]));
  assert_int_equal(s.times.count, 0);
  assert_int_equal(s.probes.count, 0);
  assert_int_equal(s.curve.count, 1);
  assert_true(s.curve.y[0] == 15);
  assert_false(s.probe.at.given);
  assert_true(isnan(s.probe.radius)); /* required, but the section is not there */
  assert_true(s.probe.depth == 5e-4);
  assert_int_equal(s.sources.count, 0);
  assert_int_equal(read_sample(NULL, &s), IG_OK);
  assert_false(s.at.given);
  assert_int_equal(s.steps, 0);
}

static void every_kind_is_read(void **state) {
  (void)state;
  sample_case s;
  assert_int_equal(
      read_sample("{gravity: yes, steps: 1e6, grid: [1, 2, 3], ambient: 300, speed: 10 mm/s,"
                  " spin: 1000 rpm, stiffness: 5 N/mm, label: 'a b', scheme: implicit, mode: fast,"
                  " origin: [1 mm, 2], times: [1, 2 ms], probes: one,"
                  " curve: [[20 degC, 15], [1000, 25]], probe: {radius: 1 mm, shape: disc},"
                  " sources: [{power: 200 W, spot: {radius: 50 um}},"
                  " {power: 1 kW, angle: 30 deg, direction: [1, 0, 0], spot: {radius: 1 mm}}]}",
                  &s),
      IG_OK);
  assert_true(s.gravity);
  assert_int_equal(s.steps, 1000000);
  assert_int_equal(s.grid[1], 2);
  near(s.stiffness, 5000);
  assert_int_equal(s.scheme, 1);
  assert_int_equal(s.mode, 1);
  near(s.origin[0], 1e-3);
  assert_int_equal(s.times.count, 2);
  near(s.times.value[1], 2e-3);
  assert_string_equal(s.probes.value[0], "one");
  assert_int_equal(s.curve.count, 2);
  near(s.curve.x[0], 293.15);
  near(s.curve.y[1], 25);
  assert_true(s.probe.at.given);
  assert_int_equal(s.probe.shape, 1);
  assert_int_equal(s.sources.count, 2);
  const sample_source *second = IG_ITEM(const sample_source, s.sources, 1);
  near(second->power, 1000);
  near(second->efficiency, 0.35);
  near(second->angle, 3.14159265358979323846 / 6);
  assert_true(second->direction[0] == 1 && second->direction[2] == 0);
  near(second->spot.radius, 1e-3);
  near(IG_ITEM(const sample_source, s.sources, 0)->spot.depth, 5e-4);
  /* one map is a list of one */
  assert_int_equal(read_sample("{steps: 1, sources: {power: 1, spot: {radius: 1}}}", &s), IG_OK);
  assert_int_equal(s.sources.count, 1);
}

static void messages_help(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } rows[] = {
      {"{steps: 1, sources: [{pwoer: 1}]}",
       "unknown key 'pwoer' in 'sources[0]': did you mean 'power'? (expected power, start, angle, "
       "efficiency, path, direction or spot)"},
      {"{steps: 1, Steps: 2}", "unknown key 'Steps': did you mean 'steps'?"},
      {"{steps: 1, power: 2}", "unknown key 'power': did you mean 'sources.power'?"},
      {"{steps: 1, zzzzz: 2}", "unknown key 'zzzzz': expected gravity, steps"},
      {"{}", "missing key 'steps' at the top level: number of steps"},
      {"{steps: 1, sources: [{power: 1, spot: {depth: 1}}]}",
       "missing key 'radius' in 'sources[0].spot': radius of the spot, in m"},
      {"{steps: 0}", "'steps' is '0': expected a whole number, 1 to 1e9"},
      {"{steps: 1.5}", "'steps' is '1.5': expected a whole number"},
      {"{steps: 1, ambient: -5 K}", "'ambient' is '-5 K': expected 0 to 10000 K"},
      {"{steps: 1, probe: {radius: 0}}",
       "'probe.radius' is '0': expected more than 0 m, at most 1 m"},
      {"{steps: 1, probe: {radius: 12.5}}", "'probe.radius' is '12.5': expected more than 0 m, at "
                                            "most 1 m; a number without a unit is in "
                                            "m; did you mean '12.5 mm'?"},
      {"{steps: 1, speed: -1}", "'speed' is '-1': expected at least 0 m/s"},
      {"{steps: 1, ambient: 5 W}",
       "'ambient' is '5 W': that is a power; expected a temperature (K, degC, degF)"},
      {"{steps: 1, scheme: implict}",
       "'scheme' is 'implict': expected explicit or implicit; did you mean 'implicit'?"},
      {"{steps: 1, grid: [1, 2]}", "'grid' is a list of 2: expected a list of 3 whole numbers"},
      {"{steps: 1, origin: 5}", "'origin' is '5': expected a list of 2 numbers, each a length"},
      {"{steps: 1, curve: [[1, 2], [1, 3]]}", "'curve[1]' starts with 1 after 1: expected rising"},
      {"{steps: 1, curve: [1, 2]}", "'curve[0]' is '1': expected a row of two, [x, y]"},
      {"{steps: 1, gravity: maybe}", "'gravity' is 'maybe': expected true or false"},
      {"{steps: [1]}", "'steps' is a list: expected a whole number"},
      {"{steps: 1, label: {a: b}}", "'label' is a map of keys: expected a text"},
      {"{steps: 1, probe: 5}", "'probe' is '5': expected a map of keys"},
      {"{steps: 1, sources: 5}", "'sources' is '5': expected a list of maps"},
      {"{steps: 1, toolpath: nowhere.csv}", "'toolpath': cannot read 'nowhere.csv': No such file"},
  };
  sample_case s;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(read_sample(rows[i].text, &s), IG_INPUT);
    if (!strstr(ig_ctx_message(cx), rows[i].message))
      fail_msg("%s\n  gave     %s\n  expected %s", rows[i].text, ig_ctx_message(cx),
               rows[i].message);
  }
}

static void messages_are_one_line(void **state) {
  (void)state;
  const ig_src at = {"case.yaml", 12, 5, true}, set = {"--set a.b", 0, 0, true};
  assert_int_equal(ig_fail_at(cx, &at, "bad\n%s", "\033[31mred"), IG_INPUT);
  assert_string_equal(ig_ctx_message(cx), "case.yaml:12:5: bad\\x0a\\x1b[31mred");
  assert_int_equal(ig_fail_at(cx, &set, "bad"), IG_INPUT);
  assert_string_equal(ig_ctx_message(cx), "--set a.b: bad");
}

/* Every table there is: units are SI, defaults are valid, keys are told apart, words are there. */
static void table_check(const char *where, const ig_option *options) {
  for (const ig_option *o = options; o->key; o++) {
    if (!o->help || !*o->help)
      fail_msg("%s.%s has no help", where, o->key);
    for (const ig_option *p = options; p < o; p++)
      if (strcmp(p->key, o->key) == 0)
        fail_msg("%s.%s is declared twice", where, o->key);
    if (!(o->min <= o->max))
      fail_msg("%s.%s: range from %g to %g", where, o->key, o->min, o->max);
    const char *const units[] = {o->unit, o->xunit};
    for (int i = 0; i < 2; i++) {
      ig_unit unit;
      char problem[128];
      if (units[i] && (!ig_unit_read(units[i], &unit, problem, sizeof problem) ||
                       unit.factor != 1 || unit.offset != 0))
        fail_msg("%s.%s: '%s' is no SI unit", where, o->key, units[i]);
    }
    if (o->sub)
      table_check(o->key, o->sub);
  }
}

static void read_defaults(const char *name, const ig_option *options, size_t size) {
  void *into = calloc(1, size);
  const ig_option_table table = {options, into};
  if (ig_options_read(cx, arena, NULL, &table, 1) != IG_OK)
    fail_msg("defaults of %s: %s", name, ig_ctx_message(cx));
  free(into);
  for (const ig_option *o = options; o->key; o++)
    if (o->sub)
      read_defaults(o->key, o->sub, o->sub_size);
}

static void tables_of_all_rooms_are_sound(void **state) {
  (void)state;
  table_check("case", ig_common_options);
  read_defaults("case", ig_common_options, sizeof(ig_common_case));
  for (const ig_room *const *room = ig_rooms(); *room; room++) {
    table_check((*room)->name, (*room)->options);
    read_defaults((*room)->name, (*room)->options, (*room)->case_size);
    for (const ig_option *o = (*room)->options; o->key; o++)
      for (const ig_option *common = ig_common_options; common->key; common++)
        if (strcmp(o->key, common->key) == 0)
          fail_msg("%s.%s hides a key common to all cases", (*room)->name, o->key);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_convert),         cmocka_unit_test(numbers_are_refused),
      cmocka_unit_test(values_on_one_line),    cmocka_unit_test(defaults_fill_every_member),
      cmocka_unit_test(every_kind_is_read),    cmocka_unit_test(messages_help),
      cmocka_unit_test(messages_are_one_line), cmocka_unit_test(tables_of_all_rooms_are_sound),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
