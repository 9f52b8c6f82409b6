/* What a chain is made of: designs into voxels, pieces of a mesh, yield from a curve, and how cases
   are told apart. The chain itself runs in cli/chain. */
#include "check.h"
#include "ingot_io.h"
#ifdef INGOT_HAVE_IO
#include "chain/chain.h"
#include "mesh/topology.h"
#include "shape/shape.h"
#include "io/format/atomic_file.h"
#include "io/result/vtkhdf.h"
#include "run/fingerprint.h"
#include <dirent.h>
#include <math.h>
#include <unistd.h>

/* --- voxels */

static ig_voxels some_voxels(int nx, int ny, int nz) {
  ig_voxels v = {.n = {nx, ny, nz}, .edge = {1, 1, 1}};
  v.density = calloc((size_t)nx * (size_t)ny * (size_t)nz, sizeof *v.density);
  assert_non_null(v.density);
  for (int i = 0; i < nx * ny * nz; i++)
    v.density[i] = 0.5 + 0.5 * sin(12.9898 * i);
  return v;
}

static double sum_of(const ig_voxels *v) {
  double sum = 0;
  for (int i = 0; i < v->n[0] * v->n[1] * v->n[2]; i++)
    sum += v->density[i] * v->edge[0] * v->edge[1] * v->edge[2];
  return sum;
}

static void smoothing_keeps_the_volume_and_levels_waves(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_voxels v = some_voxels(5, 4, 7);
  const double volume = sum_of(&v);
  assert_int_equal(ig_voxels_smooth(cx, &v, 3), IG_OK);
  assert_true(fabs(sum_of(&v) - volume) < 1e-12 * volume);
  double least = 1, most = 0;
  for (int i = 0; i < 5 * 4 * 7; i++)
    least = fmin(least, v.density[i]), most = fmax(most, v.density[i]);
  assert_true(least > 0.2 && most < 0.8);
  ig_voxels_free(&v);
  ig_ctx_close(cx);
}

static void sampling_at_the_same_size_changes_nothing(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_voxels v = some_voxels(3, 5, 2), same, fine;
  assert_int_equal(ig_voxels_sample(cx, &v, 1, &same), IG_OK);
  assert_memory_equal(v.density, same.density, 30 * sizeof(double));
  assert_int_equal(ig_voxels_sample(cx, &v, 0.5, &fine), IG_OK);
  assert_int_equal(fine.n[1], 10);
  assert_true(fine.edge[1] == 0.5);
  for (int i = 0; i < 30; i++) { /* a straight field stays straight */
    v.density[i] = 2 * (i % 3);
  }
  ig_voxels_free(&fine);
  assert_int_equal(ig_voxels_sample(cx, &v, 0.5, &fine), IG_OK);
  assert_true(fabs(fine.density[2] - 1.5) < 1e-14 && fabs(fine.density[3] - 2.5) < 1e-14);
  ig_voxels_free(&fine);
  ig_voxels_free(&same);
  ig_voxels_free(&v);
  ig_ctx_close(cx);
}

static void the_level_keeps_the_volume(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_voxels v = some_voxels(6, 6, 6);
  double level;
  assert_int_equal(ig_voxels_level(cx, &v, 50, &level), IG_OK);
  int above = 0;
  for (int i = 0; i < 216; i++)
    above += v.density[i] >= level;
  assert_int_equal(above, 50);
  ig_voxels_free(&v);
  ig_ctx_close(cx);
}

/* --- pieces */

static void the_largest_piece_stays(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c;
  ig_mesh *mesh;
  int pieces;
  double lost;
  assert_int_equal(ig_case_new(cx, &c), IG_OK);
  assert_int_equal(ig_case_set(c, "mesh",
                               "{boxes: [{name: a, size: [3, 1, 1], cells: [3, 1, 1]}, {name: b, "
                               "origin: [5, 0, 0], size: [1, 1, 1], cells: [1, 1, 1]}]}"),
                   IG_OK);
  assert_int_equal(ig_case_mesh(c, &mesh), IG_OK);
  assert_int_equal(ig_mesh_keep_largest(cx, mesh, &pieces, &lost), IG_OK);
  assert_int_equal(pieces, 2);
  assert_true(fabs(lost - 0.25) < 1e-15);
  assert_int_equal(ig_mesh_elements(mesh), 3);
  assert_int_equal(mesh->nodes, 16);
  assert_int_equal(ig_mesh_find_set(mesh, "a", IG_SET_ELEMENTS)->count, 3);
  assert_int_equal(ig_mesh_find_set(mesh, "b", IG_SET_ELEMENTS)->count, 0);
  assert_int_equal(ig_mesh_keep_largest(cx, mesh, &pieces, &lost), IG_OK);
  assert_int_equal(pieces, 1);
  assert_true(lost == 0);
  ig_mesh_free(mesh);
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* --- yield from a curve: 1 MN/m up to 1 kN at 1 ms, then level */

static char folder[64];
static int make_folder(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/ingot-chain-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}
static int drop_folder(void **state) {
  (void)state;
  static const char *const names[] = {"history.csv",   "snap.vtkhdf.series", "snap_0.vtkhdf",
                                      "snap_1.vtkhdf", "snap_2.vtkhdf",      "snap_3.vtkhdf"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    remove(path);
  }
  return rmdir(folder);
}

static void store(ig_ctx *cx, const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(ig_store(cx, path, text, strlen(text)), IG_OK);
}

static void yield_is_read_from_a_curve(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  static char text[1 << 16];
  int used = snprintf(text, sizeof text, "time [s],push [m],reaction [N]\n");
  for (int i = 0; i <= 400; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%g,%g,%g\n", 1e-5 * i, 1e-5 * i,
                     -fmin(10.0 * i, 1000));
  store(cx, "history.csv", text);
  used = snprintf(text, sizeof text, "{\"files\": [");
  for (int s = 0; s < 4; s++) { /* at 0, 0.8, 1.6 and 2.4 ms: 0, 0, 0.6e-3, 1.4e-3 plastic */
    const double time = 0.8e-3 * s;
    char name[32], path[128];
    snprintf(name, sizeof name, "snap_%d.vtkhdf", s);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    used += snprintf(text + used, sizeof text - (size_t)used, "%s{\"name\": \"%s\", \"time\": %g}",
                     s ? ", " : "", name, time);
    ig_snapshot *snap;
    assert_int_equal(ig_snapshot_new(cx, 2, 1, 2, time, s, &snap), IG_OK);
    memset(snap->point, 0, 6 * sizeof(double));
    snap->corner[0] = 0, snap->corner[1] = 1, snap->offset[0] = 0, snap->offset[1] = 2;
    snap->type[0] = 3;
    const float plastic = (float)fmax(0, time - 1e-3);
    assert_int_equal(
        ig_snapshot_add(snap, "plastic_strain", "", IG_AT_CELLS, IG_F32, 1, &plastic, NULL), IG_OK);
    assert_int_equal(ig_snapshot_write(cx, snap, path, 0), IG_OK);
    ig_snapshot_free(snap);
  }
  snprintf(text + used, sizeof text - (size_t)used, "]}\n");
  store(cx, "snap.vtkhdf.series", text);
  const ig_curve_case c = {.force = "reaction",
                           .displacement = "push",
                           .plastic = "plastic_strain",
                           .length = 0.5,
                           .offset = 0.002};
  ig_curve curve;
  GOOD(cx, ig_curve_read(cx, folder, &c, &curve));
  assert_true(fabs(curve.value[IG_CURVE_STIFFNESS] - 1e6) < 1);
  assert_true(fabs(curve.value[IG_CURVE_FIRST] - 1000) < 1e-3);
  assert_true(fabs(curve.value[IG_CURVE_OFFSET] - 1000) < 1e-6);
  assert_true(fabs(curve.value[IG_CURVE_HIGHEST] - 1000) < 1e-9);
  assert_string_equal(curve.unit[IG_CURVE_STIFFNESS], "N/m");
  assert_string_equal(curve.unit[IG_CURVE_FIRST], "N");
  ig_column column;
  GOOD(cx, ig_column_read(cx, folder, "reaction [N]", &column));
  assert_int_equal(column.count, 401);
  assert_string_equal(column.unit, "N");
  free(column.value);
  BAD(cx, ig_column_read(cx, folder, "react", &column), "push");
  ig_ctx_close(cx);
}

/* --- telling cases apart */

static void settings_of(ig_ctx *cx, const char *key, const char *value, char *text, size_t size) {
  ig_case *c;
  const char *settings;
  assert_int_equal(ig_case_new(cx, &c), IG_OK);
  assert_int_equal(ig_case_set(c, "physics", "thermal"), IG_OK);
  assert_int_equal(ig_case_set(c, "mesh", "{boxes: [{size: [1, 1, 1], cells: [1, 1, 1]}]}"), IG_OK);
  assert_int_equal(ig_case_set(c, "duration", "1 s"), IG_OK);
  assert_int_equal(ig_case_set(c, "ambient", "300 K"), IG_OK);
  assert_int_equal(ig_case_set(c, "materials",
                               "[{name: m, density: 1, conductivity: [[300, 1], [400, 2]], "
                               "specific_heat: 1}]"),
                   IG_OK);
  if (key)
    assert_int_equal(ig_case_set(c, key, value), IG_OK);
  assert_int_equal(ig_case_read(c), IG_OK);
  assert_int_equal(ig_case_settings(c, &settings), IG_OK);
  assert_true(strlen(settings) < size);
  snprintf(text, size, "%s", settings);
  ig_case_close(c);
}

static void settings_tell_what_changed(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  char one[4096], other[4096], key[64];
  static const struct {
    const char *key, *value, *differs;
  } tries[] = {{NULL, NULL, NULL},
               {"ambient", "26.85 degC", NULL}, /* the same, said differently */
               {"duration", "2 s", NULL},       /* a continuation may go further */
               {"output.count", "3", NULL},
               {"threads", "2", NULL},
               {"ambient", "301 K", "ambient"},
               {"assembly", "atomic", "assembly"},
               {"materials[0].conductivity", "[[300, 1], [400, 3]]", "materials"},
               {"boundary", "[{set: surface, convection: 1}]", "boundary"}};
  settings_of(cx, NULL, NULL, one, sizeof one);
  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
    settings_of(cx, tries[i].key, tries[i].value, other, sizeof other);
    const bool differ = ig_settings_differ(one, other, key, sizeof key);
    assert_int_equal(differ, tries[i].differs != NULL);
    if (differ)
      assert_string_equal(key, tries[i].differs);
  }
  ig_ctx_close(cx);
}

/* --- chains that cannot be; each file of tests/bad/chains names in its first line what to expect
 */

static void bad_chains_are_refused_clearly(void **state) {
  (void)state;
  DIR *list = opendir("tests/bad/chains");
  assert_non_null(list);
  int count = 0, wrong = 0;
  for (const struct dirent *entry; (entry = readdir(list));) {
    if (!strstr(entry->d_name, ".yaml"))
      continue;
    char path[512], expect[512] = "", out[128];
    snprintf(path, sizeof path, "tests/bad/chains/%s", entry->d_name);
    snprintf(out, sizeof out, "%s/out", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(expect, sizeof expect, f));
    fclose(f);
    expect[strcspn(expect, "\n")] = '\0';
    assert_memory_equal(expect, "# expect: ", 10);
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = NULL;
    ig_status status = ig_case_open(cx, path, &c);
    if (status == IG_OK)
      status = ig_chain_run(c, &(ig_chain_options){.out = out});
    const char *message = ig_ctx_message(cx);
    if (status != IG_INPUT || !strstr(message, expect + 10) || strchr(message, '\n') ||
        strncmp(message, path, strlen(path)) != 0 || access(out, F_OK) == 0) {
      print_message("%s: status %d: %s\n", path, (int)status, message);
      wrong++;
    }
    count++;
    ig_case_close(c);
    ig_ctx_close(cx);
  }
  closedir(list);
  assert_int_equal(wrong, 0);
  assert_true(count >= 20);
}
#endif

int main(void) {
#ifdef INGOT_HAVE_IO
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(smoothing_keeps_the_volume_and_levels_waves),
      cmocka_unit_test(sampling_at_the_same_size_changes_nothing),
      cmocka_unit_test(the_level_keeps_the_volume),
      cmocka_unit_test(the_largest_piece_stays),
      cmocka_unit_test_setup_teardown(yield_is_read_from_a_curve, make_folder, drop_folder),
      cmocka_unit_test(settings_tell_what_changed),
      cmocka_unit_test_setup_teardown(bad_chains_are_refused_clearly, make_folder, drop_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
#else
  return 0;
#endif
}
