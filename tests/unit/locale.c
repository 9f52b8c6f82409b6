/* A program that has set a decimal comma: whatever the library writes and reads keeps its point. */
#include "folder.h"
#include "ingot_io.h"
#ifdef INGOT_HAVE_IO
#include "core/number.h"
#include <ingot/ingot.h>
#include <locale.h>

/* Makes a locale with a decimal comma and sets it; false if there is no localedef to do so. */
static bool comma_set(const char *folder) {
  static const char source[] = "LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"<U002E>\"\n"
                               "grouping 3;3\nEND LC_NUMERIC\n";
  char command[512];
  file_write(in_folder(folder, "comma.src"), source, sizeof source - 1);
  snprintf(command, sizeof command,
           "cd '%s' && localedef -c -i comma.src ./comma >log 2>&1; exit 0", folder);
  return system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 &&
         setlocale(LC_NUMERIC, "comma") && strcmp(localeconv()->decimal_point, ",") == 0;
}

static const char tiny[] =
    "physics: thermal\nmesh: {boxes: {size: [8.5 mm, 4 mm, 4 mm], cells: [4, 2, 2]}}\n"
    "materials: {name: steel, density: 7850.5, conductivity: 45.25, specific_heat: 500}\n"
    "beams: {model: gaussian, radius: 1.5 mm, depth: 0.5 mm, absorptivity: 0.35, path: {file: "
    "path.csv}}\n"
    "duration: 0.01 s\noutput: {count: 2, history_every: 1}\n";
static const char path_csv[] = "t, x, y, z, power\n0, 0.001, 0.002, 0.004, 1.5\n"
                               "0.01, 0.0075, 0.002, 0.004, 1.5\n";
static const char crack[] =
    "physics: fracture\nmesh: {element: tri6, triangle_pattern: crossed, boxes: {size: [4 mm, 2 "
    "mm], cells: "
    "[4, 2]}}\nmaterials: {name: PMMA, density: 1190, young: 3.24 GPa, poisson: 0.35, "
    "fracture_energy: 352, cohesive_strength: 32.4 MPa}\ninitial: {strain: [0, 0.0155, 0]}\n"
    "duration: 0.5 us\noutput: {count: 1}\n";
static const char design[] =
    "physics: topopt\ngrid: {elements: [6, 4, 4], size: [3, 2, 2]}\nvolume: 0.3\n"
    "supports: {box: {max: [0, 2, 2]}}\n"
    "loads: {box: {min: [3, 0, 0], max: [3, 2, 0]}, force: [0, 0, -1.5]}\niterations: 2\n"
    "surface: {formats: [obj]}\n";
static const char chain[] =
    "title: two\nstages:\n"
    "  a:\n    physics: thermal\n    mesh: {boxes: {size: [8 mm, 4 mm, 4 mm], cells: [4, 2, 2]}}\n"
    "    materials: {name: s, density: 7850, conductivity: 45, specific_heat: 500}\n"
    "    boundary: {set: xmin, temperature: 500.5 K}\n    duration: 0.01 s\n"
    "    output: {count: 2, history_every: 1}\n"
    "  b:\n    physics: thermal\n    mesh: {boxes: {size: [8 mm, 4 mm, 4 mm], cells: [4, 2, 2]}}\n"
    "    materials: {name: s, density: 7850, conductivity: 45, specific_heat: 500}\n"
    "    initial_temperature: {from: a, figure: T_max, times: 0.5, plus: 10.5}\n"
    "    boundary: {set: xmin, temperature: 500.5 K}\n    duration: 0.01 s\n"
    "    output: {count: 2, history_every: 1}\n"
    "report:\n  - {name: hot, stage: a, column: T_max, take: max}\n";

/* Every room: with a case of this test, or the small one of the command line's tests, made shorter.
 */
typedef struct {
  const char *name, *own, *key, *value;
} room;
static const room rooms[] = {{"thermal", "tiny.yaml", NULL, NULL},
                             {"fracture", "crack.yaml", NULL, NULL},
                             {"topopt", "design.yaml", NULL, NULL},
                             {"dynamics", NULL, NULL, NULL},
                             {"static", NULL, NULL, NULL},
                             {"stress", NULL, "compensation", "1"},
                             {"powder", NULL, "hatch.layers", "1"},
                             {"grains", NULL, NULL, NULL},
                             {NULL, NULL, NULL, NULL}};

/* It has curves, and none has a comma in it. (It also has the folder's name and seconds: it is not
   compared, and removed.) */
static void report_is_sound(const char *folder) {
  char name[600];
  snprintf(name, sizeof name, "%s/report.html", folder);
  char *text = file_read(name, NULL);
  int curves = 0;
  for (const char *d = text; (d = strstr(d, " d=\"M")); curves++) {
    const size_t length = strcspn(d += 4, "\"");
    if (memchr(d, ',', length))
      fail_msg("a curve with a comma: %.*s", 40, d);
  }
  assert_true(curves > 2);
  free(text);
  unlink(name);
}

/* Runs all of it into folder/TO-…. */
static void run_all(const char *folder, const char *to) {
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c;
  ig_mesh *mesh = NULL, *back = NULL;
  char out[512];
  GOOD(cx, ig_case_open(cx, in_folder(folder, "tiny.yaml"), &c));
  GOOD(cx, ig_case_mesh(c, &mesh));
  for (const char *const *e = (const char *const[]){".inp", ".vtk", NULL}; *e; e++) {
    snprintf(out, sizeof out, "%s/%s-mesh%s", folder, to, *e);
    GOOD(cx, ig_mesh_write(cx, mesh, out));
    GOOD(cx, ig_mesh_read(cx, out, NULL, &back));
    assert_memory_equal(mesh->x, back->x, (size_t)mesh->nodes * 3 * sizeof(double));
    ig_mesh_free(back);
  }
  ig_mesh_free(mesh);
  ig_case_close(c);
  for (const room *r = rooms; r->name; r++) {
    char small[64];
    snprintf(small, sizeof small, "tests/cli/small/%s.yaml", r->name);
    snprintf(out, sizeof out, "%s/%s-%s", folder, to, r->name);
    GOOD(cx, ig_case_open(cx, r->own ? in_folder(folder, r->own) : small, &c));
    if (r->key)
      GOOD(cx, ig_case_set(c, r->key, r->value));
    GOOD(cx, ig_run(c, &(ig_run_options){.out = out}));
    ig_case_close(c);
  }
  snprintf(out, sizeof out, "%s/%s-chain", folder, to);
  GOOD(cx, ig_case_open(cx, in_folder(folder, "chain.yaml"), &c));
  GOOD(cx, ig_chain_run(c, &(ig_chain_options){.out = out}));
  ig_case_close(c);
  snprintf(out, sizeof out, "%s/%s-thermal", folder, to);
  GOOD(cx, ig_report(cx, out, NULL));
  report_is_sound(out);
  snprintf(out, sizeof out, "%s/%s.png", folder, to);
  char snap[600];
  snprintf(snap, sizeof snap, "%s/%s-thermal/snap_000001.vtkhdf", folder, to);
  GOOD(cx, ig_view(cx, snap, &(ig_view_options){.field = "T", .width = 400, .height = 300}, out));
  ig_ctx_close(cx);
}

static void a_decimal_comma_changes_no_file(void **state) {
  (void)state;
  static const char *const files[] = {"mesh.inp", "mesh.vtk"};
  char *folder = folder_new();
  file_write(in_folder(folder, "tiny.yaml"), tiny, sizeof tiny - 1);
  file_write(in_folder(folder, "path.csv"), path_csv, sizeof path_csv - 1);
  file_write(in_folder(folder, "crack.yaml"), crack, sizeof crack - 1);
  file_write(in_folder(folder, "design.yaml"), design, sizeof design - 1);
  file_write(in_folder(folder, "chain.yaml"), chain, sizeof chain - 1);
  run_all(folder, "point");
  if (!comma_set(folder)) {
    folder_remove(folder);
    skip();
  }
  char number[IG_NUMBER_TEXT];
  snprintf(number, sizeof number, "%g", 0.5);
  assert_string_equal(number, "0,5"); /* or this test would show nothing */
  ig_number_text(0.1, number);
  assert_string_equal(number, "0.1");
  run_all(folder, "comma");
  snprintf(number, sizeof number, "%g", 0.5);
  assert_string_equal(number, "0,5"); /* and the program keeps what it had set */
  setlocale(LC_ALL, "C");
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char name[2][128];
    size_t size[2];
    snprintf(name[0], sizeof name[0], "point-%s", files[i]);
    snprintf(name[1], sizeof name[1], "comma-%s", files[i]);
    char *was = file_read(in_folder(folder, name[0]), &size[0]);
    char *is = file_read(in_folder(folder, name[1]), &size[1]);
    if (size[0] != size[1] || memcmp(was, is, size[0]) != 0)
      fail_msg("%s differs", files[i]);
    free(was);
    free(is);
  }
  /* all files of every room and of the chain, as the tests of kills and failing calls compare them
   */
  char command[1024];
  snprintf(command, sizeof command,
           "bash -c '. tests/cli/lib/same.bash; cd %s && for whole in point-*/; do n=${whole%%/}; "
           "d=$(same $n comma-${n#point-}) || { echo $n: $d differs; exit 1; }; done'",
           folder);
  assert_int_equal(system(command), 0);
  char *was = file_read(in_folder(folder, "point.png"), NULL);
  char *is = file_read(in_folder(folder, "comma.png"), NULL);
  assert_memory_equal(was, is, 1000);
  free(was);
  free(is);
  folder_remove(folder);
}
#endif

int main(void) {
#ifdef INGOT_HAVE_IO
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_decimal_comma_changes_no_file)};
  return cmocka_run_group_tests_name("locale", tests, NULL, NULL);
#else
  return 0;
#endif
}
