/* Cases: files, --set, material files, the bad cases of tests/bad/cases, the reference. */
#include "check.h"
#include "assembly/cluster.h"
#include "ingot_io.h"
#include "run/case.h"
#include <ingot/calibrate.h>
#include <ingot/chain.h>
#include "run/rooms.h"
#include "sample_room.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef INGOT_HAVE_IO
#include "io/format/case_yaml.h"
#endif

static ig_ctx *cx;
static char folder[] = "/tmp/ingot-case-XXXXXX";

static int setup(void **state) {
  (void)state;
  cx = ctx_on("cpu", 1);
  return !mkdtemp(folder);
}
static int teardown(void **state) {
  (void)state;
  ig_ctx_close(cx);
  return rmdir(folder);
}

static void keys_are_set(void **state) {
  (void)state;
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  GOOD(cx, ig_case_set(c, "physics", "sample"));
  GOOD(cx, ig_case_set(c, "steps", "5"));
  GOOD(cx, ig_case_set(c, "sources[0].power", "200 W"));
  GOOD(cx, ig_case_set(c, "sources[0].spot", "{radius: 50 um}"));
  GOOD(cx, ig_case_set(c, "sources[1]", "{power: 1 kW, spot: {radius: 1 mm}}"));
  GOOD(cx, ig_case_set(c, "sources[1].power", "2 kW"));
  GOOD(cx, ig_case_set(c, "grid", "[4, 5, 6]"));
  GOOD(cx, ig_case_set(c, "grid[1]", "7"));
  GOOD(cx, ig_case_set(c, "output.every", "100"));
  GOOD(cx, ig_case_set(c, "title", "'two words'"));
  GOOD(cx, ig_case_read_for(c, sample_rooms));
  const sample_case *s = c->room_case;
  assert_int_equal(s->sources.count, 2);
  assert_true(IG_ITEM(const sample_source, s->sources, 0)->power == 200);
  assert_true(IG_ITEM(const sample_source, s->sources, 1)->power == 2000);
  assert_true(IG_ITEM(const sample_source, s->sources, 1)->spot.radius == 1e-3);
  assert_int_equal(s->grid[1], 7);
  assert_int_equal(c->common.output.every, 100);
  assert_int_equal(c->common.precision, IG_DOUBLE);
  assert_int_equal(c->common.assembly, IG_CLUSTER + 1); /* auto */
  assert_string_equal(c->common.title, "two words");
  assert_null(c->common.backend);
  assert_false(c->common.mesh.at.given);
  assert_string_equal(ig_case_get(c, "sources[1].spot.radius"), "1 mm");
  assert_string_equal(ig_case_get(c, "grid[1]"), "7");
  assert_null(ig_case_get(c, "grid"));
  assert_null(ig_case_get(c, "threads"));
  assert_null(ig_case_get(c, "grid[9]"));
  assert_null(ig_case_get(c, "no..key"));

  BAD(cx, ig_case_set(c, "sources[5].power", "1"),
      "--set sources[5].power: the list has 2 entries");
  BAD(cx, ig_case_set(c, "sources.power", "1"),
      "--set sources.power: what stands before 'power' is a");
  BAD(cx, ig_case_set(c, "title.x", "1"), "is a single value");
  BAD(cx, ig_case_set(c, "fresh[1]", "1"), "the list has 0 entries");
  assert_null(ig_node_find(c->root, "fresh")); /* a refused key leaves nothing behind */
  BAD(cx, ig_case_set(c, "", "1"), "no key of a case");
  BAD(cx, ig_case_set(c, "[0]", "1"), "no key of a case");
  BAD(cx, ig_case_set(c, "a[x]", "1"), "no key of a case");
  BAD(cx, ig_case_set(c, "a b", "1"), "no key of a case");
  BAD(cx, ig_case_set(c, "a.", "1"), "no key of a case");
  BAD(cx, ig_case_set(c, "title", ""), "--set title: expected a value");
  BAD(cx, ig_case_set(c, "grid", "[1, 2"), "--set grid: expected ',' or ']'");
  GOOD(cx, ig_case_set(c, "sources[0].power", "200 mm"));
  BAD(cx, ig_case_read_for(c, sample_rooms),
      "--set sources[0].power: 'sources[0].power' is '200 mm': that is a length; expected a power");
  GOOD(cx, ig_case_set(c, "sources[0].power", "1"));
  GOOD(cx, ig_case_set(c, "sources[0].colour", "red"));
  BAD(cx, ig_case_read_for(c, sample_rooms),
      "--set sources[0].colour: unknown key 'colour' in 'sources[0]'");
  ig_case_close(c);
}

static void no_rooms_is_said(void **state) {
  (void)state;
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  assert_int_equal(ig_case_read_for(c, (const ig_room *const[]){NULL}), IG_UNSUPPORTED);
  BAD(cx, ig_case_read_for(c, sample_rooms),
      "missing key 'physics' at the top level: expected sample or meshed");
  ig_case_close(c);
}

static void one_map_becomes_a_list_when_indexed(void **state) {
  (void)state;
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  GOOD(cx, ig_case_set(c, "physics", "sample"));
  GOOD(cx, ig_case_set(c, "steps", "5"));
  GOOD(cx, ig_case_set(c, "sources", "{power: 1, spot: {radius: 1 mm}}"));
  assert_string_equal(ig_case_get(c, "sources[0].power"), "1");
  GOOD(cx, ig_case_set(c, "sources[0].power", "3"));
  GOOD(cx, ig_case_set(c, "sources[1]", "{power: 4, spot: {radius: 1 mm}}"));
  GOOD(cx, ig_case_read_for(c, sample_rooms));
  const sample_case *s = c->room_case;
  assert_int_equal(s->sources.count, 2);
  assert_true(IG_ITEM(const sample_source, s->sources, 0)->power == 3);
  ig_case_close(c);
}

static void keep(char **text, const char *piece) {
  const size_t had = *text ? strlen(*text) : 0, more = strlen(piece);
  *text = realloc(*text, had + more + 1);
  memcpy(*text + had, piece, more + 1);
}
static void keep_fn(void *user, const char *piece) {
  keep(user, piece);
}

static void reference_names_every_key(void **state) {
  (void)state;
  char *text = NULL;
  GOOD(cx, ig_reference(cx, NULL, keep_fn, &text));
  assert_non_null(strstr(text, "\n| `physics` | "));
  assert_non_null(
      strstr(text, "| `assembly` | `atomic`, `color`, `gather`, `cluster`, `auto` |  | `auto` |"));
  assert_non_null(strstr(text, "### `materials[]`"));
  assert_non_null(
      strstr(text, "| `latent_heat` | number | J/kg | `0` | 0 to 1e8 J/kg; usual: 1000 to 1e8 "
                   "J/kg |"));
  for (const ig_room *const *room = ig_rooms(); *room; room++)
    for (const ig_option *o = (*room)->options; o->key; o++) {
      char row[80];
      snprintf(row, sizeof row, "\n| `%s` | ", o->key);
      assert_non_null(strstr(text, row));
    }
  free(text);
  text = NULL;
  GOOD(cx, ig_completion(cx, NULL, keep_fn, &text));
  assert_non_null(strstr(text, "\nassembly\tatomic color gather cluster auto\t"));
  assert_non_null(strstr(text, "\nmaterials[].young\t\tYoung's modulus\n"));
  assert_non_null(strstr(text, "\noutput.every\t"));
  free(text);
  BAD(cx, ig_completion(cx, "alchemy", keep_fn, &text), "no physics 'alchemy'");
}

#ifdef INGOT_HAVE_IO

static ig_status read_text(const char *text, size_t size, ig_case **c) {
  GOOD(cx, ig_case_new(cx, c));
  IG_TRY(
      ig_yaml_read(cx, (*c)->arena, "case.yaml", (const unsigned char *)text, size, &(*c)->root));
  return ig_case_read_for(*c, sample_rooms);
}

static void yaml_is_read(void **state) {
  (void)state;
  static const char text[] = "\xef\xbb\xbf# a case\n"
                             "physics: sample\n"
                             "title: \"quoted \\u00b5\"\n"
                             "steps: 10\n"
                             "speed: 600 mm/min\n"
                             "curve:\n"
                             "  - [20 degC, 15]\n"
                             "  - [1000 degC, 25]\n"
                             "probe: &spot\n"
                             "  radius: 50 um\n"
                             "sources:\n"
                             "  - &first {power: 200 W, spot: *spot}\n"
                             "  - <<: *first\n"
                             "    power: 300 W\n"
                             "output: {interval: 1 ms, fields: [T]}\n";
  ig_case *c;
  GOOD(cx, read_text(text, sizeof text - 1, &c));
  const sample_case *s = c->room_case;
  assert_string_equal(c->common.title, "quoted \xc2\xb5");
  assert_true(s->speed == 0.01);
  assert_int_equal(s->curve.count, 2);
  assert_int_equal(s->sources.count, 2);
  const sample_source *second = IG_ITEM(const sample_source, s->sources, 1);
  assert_true(second->power == 300);
  assert_true(second->spot.radius == 5e-5);
  assert_int_equal(second->at.line, 13);
  assert_int_equal(second->at.column, 5);
  assert_string_equal(second->at.file, "case.yaml");
  assert_true(c->common.output.interval == 1e-3);
  assert_string_equal(c->common.output.fields.value[0], "T");
  /* a key set over an alias changes that place alone */
  GOOD(cx, ig_case_set(c, "sources[0].spot.radius", "9 um"));
  GOOD(cx, ig_case_read_for(c, sample_rooms));
  s = c->room_case;
  assert_true(s->probe.radius == 5e-5);
  assert_true(IG_ITEM(const sample_source, s->sources, 0)->spot.radius == 9e-6);
  ig_case_close(c);
}

static void hostile_documents_are_bounded(void **state) {
  (void)state;
  ig_case *c;
  char *text = NULL; /* each line ten times the one before */
  keep(&text, "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]\n");
  for (int i = 1; i < 9; i++) {
    char line[128];
    snprintf(line, sizeof line, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i,
             i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    keep(&text, line);
  }
  BAD(cx, read_text(text, strlen(text), &c), "more than 1000000 values");
  ig_case_close(c);
  free(text);

  text = NULL; /* each anchor one level deeper */
  keep(&text, "a0: &a0 [1]\n");
  for (int i = 1; i < 100; i++) {
    char line[64];
    snprintf(line, sizeof line, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    keep(&text, line);
  }
  BAD(cx, read_text(text, strlen(text), &c), "more than 64 levels");
  ig_case_close(c);
  free(text);

  const size_t large = 17u << 20;
  text = malloc(large + 1);
  memset(text, '[', large);
  BAD(cx, read_text(text, large, &c), "case.yaml:1:1: the file is larger than 16 MiB");
  ig_case_close(c);
  BAD(cx, read_text(text, 1 << 20, &c), "more than 64 levels");
  ig_case_close(c);
  free(text);
}

static void write_file(const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}
static void clear(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(remove(path), 0);
}

static ig_status read_file(const char *name, ig_case **c) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  IG_TRY(ig_case_open(cx, path, c));
  return ig_case_read_for(*c, sample_rooms);
}

static void material_files_are_folded_in(void **state) {
  (void)state;
  char path[256];
  snprintf(path, sizeof path, "%s/materials", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(path, sizeof path, "%s/deep", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  write_file("materials/steel.yaml",
             "name: steel\ndensity: 7.85 g/cm^3\nyoung: 210 GPa\npoisson: 0.3\n");
  write_file("deep/odd.yaml", "name: odd\npoisson: 0.7\n");
  write_file("deep/chain.yaml", "file: odd.yaml\n");
  write_file("deep/points.csv", "");
  write_file("deep/case.yaml", "physics: sample\nsteps: 1\ntoolpath: points.csv\nmaterials:\n"
                               "  - file: steel\n    young: 200 GPa\n"
                               "  - {file: ../materials/steel.yaml, name: twin}\n");
  ig_case *c;
  GOOD(cx, read_file("deep/case.yaml", &c));
  assert_int_equal(c->common.materials.count, 2);
  const ig_material_case *m = ig_material_find(&c->common.materials, "steel");
  assert_non_null(m);
  assert_true(m->young == 200e9); /* the case's own value */
  assert_true(m->poisson == 0.3); /* the file's */
  assert_true(fabs(m->density.y[0] - 7850) < 1e-9);
  assert_true(ig_material_find(&c->common.materials, "twin")->young == 210e9);
  assert_null(ig_material_find(&c->common.materials, "lead"));
  GOOD(cx, ig_material_require(cx, m, "density|young|poisson", "statics"));
  BAD(cx, ig_material_require(cx, m, "young|conductivity", "printing"),
      "deep/case.yaml:5:5: material 'steel' lacks 'conductivity', which printing needs: thermal "
      "conductivity, in W/(m K)");
  assert_int_equal(ig_material_require(cx, m, "name", "nobody"), IG_ARG);
  snprintf(path, sizeof path, "%s/deep/points.csv", folder);
  assert_string_equal(((const sample_case *)c->room_case)->toolpath, path);
  /* another file for the first material: nothing of the one before is left */
  GOOD(cx, ig_case_set(c, "materials[0].file", "steel"));
  BAD(cx, ig_case_read_for(c, sample_rooms), "--set materials[0].file: no material file 'steel'");
  setenv("INGOT_MATERIALS", folder, 1);
  write_file("steel.yaml", "name: other\npoisson: 0.1\n");
  GOOD(cx, ig_case_read_for(c, sample_rooms));
  assert_true(ig_material_find(&c->common.materials, "other")->poisson == 0.1);
  assert_int_equal(ig_material_find(&c->common.materials, "other")->density.count, 0);
  unsetenv("INGOT_MATERIALS");
  GOOD(cx, ig_case_set(c, "materials[0]", "{name: twin}"));
  BAD(cx, ig_case_read_for(c, sample_rooms), "a second material is named 'twin'");
  ig_case_close(c);

  write_file("deep/case.yaml", "physics: sample\nsteps: 1\nmaterials: {file: odd}\n");
  BAD(cx, read_file("deep/case.yaml", &c), "deep/odd.yaml:2:10: 'materials[0].poisson' is '0.7'");
  ig_case_close(c);
  write_file("deep/case.yaml", "physics: sample\nsteps: 1\nmaterials: {file: chain}\n");
  BAD(cx, read_file("deep/case.yaml", &c), "deep/chain.yaml:1:1: a material file cannot name");
  ig_case_close(c);
  write_file("deep/case.yaml", "physics: sample\nsteps: 1\nmaterials: {file: gold}\n");
  BAD(cx, read_file("deep/case.yaml", &c), "deep/case.yaml:3:19: no material file 'gold': looked");
  ig_case_close(c);
  BAD(cx, ig_case_open(cx, "/nowhere/case.yaml", &c),
      "cannot open '/nowhere/case.yaml': No such file");
  assert_null(c);
  BAD(cx, ig_case_open(cx, folder, &c), "it is a folder");

  static const char *const made[] = {
      "deep/case.yaml", "deep/points.csv",      "deep/chain.yaml", "deep/odd.yaml",
      "deep",           "materials/steel.yaml", "materials",       "steel.yaml"};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++)
    clear(made[i]);
}

/* A key of a section beside `file` replaces that key, not the section; what states the same thing
   in another way goes. Single values that are left out are those of the tables at 293.15 K. */
static void sections_of_material_files_are_merged(void **state) {
  (void)state;
  ig_case *c;
  write_file("steel.yaml", "name: steel\nyoung: 210 GPa\nyield: 300 MPa\ntangent: 2 GPa\n"
                           "johnson_cook: {b: 500 MPa, n: 0.3}\n"
                           "mechanical:\n  young: [[200 K, 220 GPa], [400 K, 200 GPa]]\n"
                           "  poisson: [[200 K, 0.25], [400 K, 0.35]]\n  yield: 290 MPa\n"
                           "  expansion_mean: 1e-5\n  expansion_reference: 300 K\n"
                           "  creep: {factor: 1e-20, power: 3, energy: 1e5}\n");
  write_file("case.yaml", "physics: sample\nsteps: 1\nmaterials:\n"
                          "  - {file: steel.yaml, name: a, johnson_cook: {n: 0.4}, mechanical: "
                          "{young: 100 GPa, creep: {power: 4}}}\n"
                          "  - {file: steel.yaml, name: b, yield: 400 MPa, hardening: 1 GPa}\n"
                          "  - {file: steel.yaml, name: c, mechanical: {thermal_strain: 0}}\n");
  GOOD(cx, read_file("case.yaml", &c));
  const ig_material_case *a = ig_material_find(&c->common.materials, "a"),
                         *b = ig_material_find(&c->common.materials, "b"),
                         *d = ig_material_find(&c->common.materials, "c");
  assert_true(a->johnson_cook.b == 500e6 && a->johnson_cook.n == 0.4);
  assert_int_equal(a->mechanical.young.count, 1); /* tables are replaced, not merged */
  assert_true(a->mechanical.young.y[0] == 100e9 && a->young == 100e9);
  assert_true(fabs(a->poisson - (0.25 + 0.1 * 93.15 / 200)) < 1e-12);
  assert_true(a->mechanical.yield.y[0] == 290e6 && a->yield == 300e6 && a->tangent == 2e9);
  assert_true(a->mechanical.creep.factor == 1e-20 && a->mechanical.creep.power == 4 &&
              a->mechanical.creep.energy == 1e5);
  assert_true(a->mechanical.expansion_mean.y[0] == 1e-5 &&
              a->mechanical.expansion_reference == 300);
  assert_int_equal(b->mechanical.yield.count, 0);
  assert_true(b->yield == 400e6 && b->hardening == 1e9 && isnan(b->tangent));
  assert_int_equal(b->mechanical.young.count, 2);
  assert_int_equal(d->mechanical.expansion_mean.count, 0);
  assert_int_equal(d->mechanical.thermal_strain.count, 1);
  /* and by a program, in any order */
  GOOD(cx, ig_case_set(c, "materials[2]", "{file: steel, name: c}"));
  GOOD(cx, ig_case_set(c, "materials[2].mechanical.creep.power", "5"));
  setenv("INGOT_MATERIALS", folder, 1);
  GOOD(cx, ig_case_read_for(c, sample_rooms));
  unsetenv("INGOT_MATERIALS");
  d = ig_material_find(&c->common.materials, "c");
  assert_true(d->mechanical.creep.power == 5 && d->mechanical.creep.factor == 1e-20);
  assert_int_equal(d->mechanical.young.count, 2);
  ig_case_close(c);
  clear("case.yaml");
  clear("steel.yaml");
}

/* Calls `each` for the YAML files of a folder and those below it; returns how many. */
static int files_visit(const char *where, void (*each)(const char *path)) {
  struct dirent **names;
  int count = 0;
  const int n = scandir(where, &names, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", where, names[i]->d_name);
    const char *const end = strrchr(names[i]->d_name, '.');
    if (end && strcmp(end, ".yaml") == 0) {
      each(path);
      count++;
    } else if (names[i]->d_name[0] != '.') {
      count += files_visit(path, each);
    }
    free(names[i]);
  }
  if (n >= 0)
    free(names);
  return count;
}

static void stock_material_check(const char *path) {
  char full[PATH_MAX];
  assert_non_null(realpath(path, full));
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  GOOD(cx, ig_case_set(c, "physics", "sample"));
  GOOD(cx, ig_case_set(c, "steps", "1"));
  GOOD(cx, ig_case_set(c, "materials[0].file", full));
  GOOD(cx, ig_case_read_for(c, sample_rooms));
  ig_case_close(c);
}

static void quiet_line(void *user, const char *label, const char *value) {
  (void)user, (void)label, (void)value;
}
static void example_check(const char *path) {
  ig_case *c;
  bool fits = false;
  GOOD(cx, ig_is_calibration(cx, path, &fits));
  if (fits)
    return;
  GOOD(cx, ig_case_open(cx, path, &c));
  if (ig_case_is_chain(c)) /* its stages are read before the first of them runs */
    GOOD(cx, ig_chain_check(c, folder, quiet_line, NULL));
  else
    GOOD(cx, ig_case_read(c));
  ig_case_close(c);
}

static void stock_materials_and_examples_are_read(void **state) {
  (void)state;
  const int materials = files_visit("materials", stock_material_check);
  const int examples = files_visit("cases", example_check);
  if (materials + examples == 0)
    skip();
}

/* Each file of tests/bad/cases names in its first line what the message must hold. */
static void bad_cases_are_refused_clearly(void **state) {
  (void)state;
  DIR *list = opendir("tests/bad/cases");
  assert_non_null(list);
  int count = 0, wrong = 0;
  for (const struct dirent *entry; (entry = readdir(list));) {
    if (!strstr(entry->d_name, ".yaml"))
      continue;
    char path[512], expect[512] = "", place[600];
    snprintf(path, sizeof path, "tests/bad/cases/%s", entry->d_name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    if (!fgets(expect, sizeof expect, f))
      expect[0] = '\0';
    fclose(f);
    expect[strcspn(expect, "\r\n")] = '\0';
    char *words = strstr(expect, "# expect: ");
    if (!words)
      fail_msg("%s does not say what to expect", path);
    words += strlen("# expect: ");
    ig_case *c = NULL;
    cx->message[0] = '\0';
    ig_status status = ig_case_open(cx, path, &c);
    if (status == IG_OK)
      status = ig_case_read_for(c, sample_rooms);
    const char *const message = ig_ctx_message(cx);
    int line = 0, column = 0;
    snprintf(place, sizeof place, "%s:", path);
    const bool placed = strncmp(message, place, strlen(place)) == 0 &&
                        sscanf(message + strlen(place), "%d:%d: ", &line, &column) == 2 &&
                        line > 0 && column > 0;
    if (status != IG_INPUT || !placed || !strstr(message, words) || strchr(message, '\n')) {
      print_error("%s\n  gave %d: %s\n  expected %s\n", path, status, message, words);
      wrong++;
    }
    ig_case_close(c);
    count++;
  }
  closedir(list);
  assert_int_equal(wrong, 0);
  assert_true(count >= 100);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_are_set),
      cmocka_unit_test(no_rooms_is_said),
      cmocka_unit_test(one_map_becomes_a_list_when_indexed),
      cmocka_unit_test(reference_names_every_key),
#ifdef INGOT_HAVE_IO
      cmocka_unit_test(yaml_is_read),
      cmocka_unit_test(hostile_documents_are_bounded),
      cmocka_unit_test(material_files_are_folded_in),
      cmocka_unit_test(sections_of_material_files_are_merged),
      cmocka_unit_test(bad_cases_are_refused_clearly),
      cmocka_unit_test(stock_materials_and_examples_are_read),
#endif
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
