/* Boundary values and births from the fields of files, births by touch: against hand calculations,
   on every backend. */
#include "thermal_case.h"
#include "io/result/vtkhdf.h"
#include "geometry/mesh_case.h"
#include "thermal/source/birth.h"

#define BLOCK                                                                                      \
  "physics: thermal\n"                                                                             \
  "mesh: {boxes: [{name: block, size: [3 mm, 3 mm, 3 mm], cells: [3, 3, 3]}]}\n"                   \
  "materials: {name: m, density: 8000, conductivity: 100, specific_heat: 500}\n"                   \
  "output: {count: 1, history_every: 1000000}\n"

/* Adds point fields to a snapshot of the block, as another program would: T_wall linear in space, q
   and h linear in x, T_gas linear in x; bad: negative. */
static void fields_write(const char *from, const char *to, double scale) {
  char path[400];
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_snapshot *snap;
  snprintf(path, sizeof path, "%s/%s", folder, from);
  GOOD(cx, ig_snapshot_read(cx, path, &snap));
  static const char *const names[] = {"T_wall", "q", "h", "T_gas", "bad"};
  for (int k = 0; k < 5; k++) {
    double *value;
    GOOD(cx, ig_snapshot_add(snap, names[k], "", IG_AT_POINTS, IG_F64, 1, NULL, (void **)&value));
    for (int64_t n = 0; n < snap->points; n++) {
      const double *x = &snap->point[3 * n];
      const double all[] = {300 + 2e4 * x[0] + 1e4 * x[1] - 3e4 * x[2], scale * 1e8 * x[0],
                            1e6 * x[0], 300 + 1e5 * x[0], -1};
      value[n] = all[k];
    }
  }
  double *when; /* a layer per second; the lowest is there */
  GOOD(cx, ig_snapshot_add(snap, "when", "s", IG_AT_CELLS, IG_F64, 1, NULL, (void **)&when));
  for (int64_t c = 0; c < snap->cells; c++) {
    const double z = snap->point[3 * snap->corner[snap->offset[c]] + 2];
    when[c] = z < 0.5e-3 ? -1 : z < 1.5e-3 ? 1 : INFINITY;
  }
  snprintf(path, sizeof path, "%s/%s", folder, to);
  GOOD(cx, ig_snapshot_write(cx, snap, path, 0));
  ig_snapshot_free(snap);
  ig_ctx_close(cx);
}

static void files_make(void) {
  text_write("case.yaml", BLOCK "duration: 1 ms\n");
  case_run("cpu", "block", NULL, NULL, NULL, NULL);
  fields_write("block/snap_000001.vtkhdf", "fields.vtkhdf", 1);
  fields_write("block/snap_000001.vtkhdf", "twice.vtkhdf", 2);
  fields_write("block/snap_000001.vtkhdf", "none.vtkhdf", 0);
}

static const char *const forms[] = {"recompute", "classes"};

/* All faces held at a linear field: that field is the steady state, in every node. */
static void held_at_a_linear_field(void **state) {
  (void)state;
  files_make();
  text_write("case.yaml",
             BLOCK "duration: 1 s\n"
                   "boundary: {set: [xmin, xmax, ymin, ymax, zmin, zmax], from: {file: "
                   "fields.vtkhdf, temperature: T_wall}}\n"
                   "probes:\n"
                   "  - {name: a, point: [1 mm, 2 mm, 1 mm]}\n"
                   "  - {name: b, point: [2 mm, 1 mm, 2 mm]}\n");
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < 3; i++) { /* held temperatures fit every form */
      const char *const keys[] = {"conduction", i < 2 ? forms[i] : "stencil", NULL};
      row r;
      case_run(*backend, "held", NULL, keys, &r, NULL);
      assert_near(of(&r, "a"), 300 + 20 + 20 - 30, 1e-9);
      assert_near(of(&r, "b"), 300 + 40 + 10 - 60, 1e-9);
      assert_near(of(&r, "E_gap"), 0, 1e-12);
    }
}

/* A flux of 1e8 W/m^3 x over 9 mm^2, mean 1.5e5 W/m^2: 1.35 W. From nothing to twice that in 2 s:
   its mean for as long. */
static void a_flux_field_and_its_course(void **state) {
  (void)state;
  files_make();
  text_write("case.yaml", BLOCK "duration: 2 s\n"
                                "boundary: {set: zmin, from: [{file: fields.vtkhdf, flux: q}]}\n");
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < 2; i++) {
      const char *const keys[] = {"conduction", forms[i], NULL};
      const char *const course[] = {"conduction", forms[i], "boundary",
                                    "{set: zmin, from: [{time: 0, file: none.vtkhdf, flux: q}, "
                                    "{time: 2 s, file: twice.vtkhdf, flux: q}]}",
                                    NULL};
      row r;
      case_run(*backend, "flux", NULL, keys, &r, NULL);
      assert_near(of(&r, "E_flux"), 2.7, 1e-9);
      assert_near(of(&r, "E_gap"), 0, 1e-12);
      assert_true(of(&r, "T_max") - of(&r, "T_min") > 1);
      case_run(*backend, "course", NULL, course, &r, NULL);
      assert_near(of(&r, "E_flux"), 2.7, 1e-3);
      assert_near(of(&r, "E_gap"), 0, 1e-12);
    }
}

/* Convection on all sides towards a gas that is hotter along x: the middle takes the mean. With a
   coefficient that rises with x the hot side counts more. */
static void gas_of_several_temperatures(void **state) {
  (void)state;
  files_make();
  text_write("case.yaml",
             BLOCK "duration: 40 s\n"
                   "boundary: {set: surface, convection: 1000, from: {file: fields.vtkhdf, "
                   "ambient: T_gas}}\n"
                   "probes: {name: middle, point: [1.5 mm, 1.5 mm, 1.5 mm]}\n");
  const char *const both[] = {
      "boundary", "{set: [xmin, xmax], from: {file: fields.vtkhdf, convection: h, ambient: T_gas}}",
      NULL};
  for (const char *const *backend = backends_here(); *backend; backend++) {
    row r;
    case_run(*backend, "gas", NULL, NULL, &r, NULL);
    assert_near(of(&r, "middle"), 300 + 150, 1e-3);
    assert_near(of(&r, "E_gap"), 0, 1e-10);
    /* h = 0 at x = 0, 3000 at x = 3 mm: all takes the 600 K there */
    case_run(*backend, "both", NULL, both, &r, NULL);
    assert_near(of(&r, "middle"), 600, 0.1);
  }
}

static void wrong_fields(void **state) {
  (void)state;
  files_make();
  text_write("case.yaml", BLOCK "duration: 1 ms\n");
  static const char *const cases[][2] = {
      {"{set: zmin, from: {file: fields.vtkhdf, flux: nothing}}", "has no field 'nothing'"},
      {"{set: zmin, from: {file: fields.vtkhdf}}", "which fields of"},
      {"{set: zmin, flux: 3, from: {file: fields.vtkhdf, flux: q}}", "flux is given twice"},
      {"{set: zmin, from: {file: fields.vtkhdf, convection: bad}}", "not a convection"},
      {"{set: surface, from: {file: fields.vtkhdf, temperature: T_wall}}", "named face sets only"},
      {"{set: zmin, from: [{time: 1, file: none.vtkhdf, flux: q}, {time: 1, file: fields.vtkhdf, "
       "flux: q}]}",
       "must rise"},
      {"{set: zmin, from: [{time: 0, file: none.vtkhdf, flux: q}, {time: 1, file: fields.vtkhdf, "
       "convection: h}]}",
       "must give the same values"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const keys[] = {"boundary", cases[i][0], NULL};
    char message[1024];
    assert_int_equal(case_run("cpu", "bad", NULL, keys, NULL, message), IG_INPUT);
    if (!strstr(message, cases[i][1]))
      fail_msg("%s", message);
  }
  const char *const stencil[] = {"conduction", "stencil", "boundary",
                                 "{set: zmin, from: {file: fields.vtkhdf, flux: q}}", NULL};
  char message[1024];
  assert_int_equal(case_run("cpu", "bad", NULL, stencil, NULL, message), IG_INPUT);
  assert_non_null(strstr(message, "takes no boundary values from a field"));
}

/* A cell field of birth times: one layer there, one born after 1 s with the heat it brings, one
   never. */
static void births_from_a_field(void **state) {
  (void)state;
  files_make();
  text_write("case.yaml", BLOCK "duration: 2 s\n"
                                "initial_temperature: 400\n"
                                "birth: {by: field, file: fields.vtkhdf, field: when}\n");
  for (const char *const *backend = backends_here(); *backend; backend++) {
    row r;
    case_run(*backend, "births", NULL, NULL, &r, NULL);
    assert_near(of(&r, "elements"), 18, 0);
    /* 9 mm^3 at 300 K on 9 mm^3 at 400 K */
    assert_near(of(&r, "T_max"), 350, 1e-3);
    assert_near(of(&r, "E_gap"), 0, 1e-11);
    /* from the snapshot of that run, which has no cells where nothing was born */
    const char *const again[] = {"birth", "{by: field, file: births/snap_000001.vtkhdf}", NULL};
    case_run(*backend, "again", NULL, again, &r, NULL);
    assert_near(of(&r, "elements"), 18, 0);
  }
  static const char *const cases[][4] = {
      {"birth", "{by: field}", "need `by: field` and a file", NULL},
      {"birth", "{by: field, file: fields.vtkhdf, field: T_wall}", "no field 'T_wall' at its cells",
       NULL}};
  for (int i = 0; i < 2; i++) {
    const char *const keys[] = {cases[i][0], cases[i][1], NULL};
    char message[1024];
    assert_int_equal(case_run("cpu", "bad", NULL, keys, NULL, message), IG_INPUT);
    if (!strstr(message, cases[i][2]))
      fail_msg("%s", message);
  }
}

/* A bead 2.4 mm wide and 0.4 mm high, from x = 2 to 7 mm at 1 mm/s along y = 2 mm, on elements of 1
   x 1 x 0.4 mm: by centres it has the two rows beside the line, by touch four; an element is born
   when the front meets its near end. However the line is cut. */
static void births_by_touch(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_mesh *mesh;
  const double size[3] = {8e-3, 4e-3, 0.8e-3};
  const int cells[3] = {8, 4, 2};
  GOOD(cx, ig_mesh_box(cx, IG_HEX8, size, cells, &mesh));
  const char *all[] = {"all"};
  for (int cut = 0; cut < 2; cut++) {
    ig_toolpath path;
    memset(&path, 0, sizeof path);
    for (double x = 2; x < 7.5; x += cut ? 1 : 5)
      GOOD(cx, ig_toolpath_add(cx, &path, x - 2, (double[]){1e-3 * x, 2e-3, 0.8e-3},
                               x < 6.5 ? 100 : 0));
    for (int touch = 0; touch < 2; touch++) {
      const ig_birth_case c = {
          .set = {1, all}, .width = 2.4e-3, .height = 0.4e-3, .rule = touch, .by = IG_BIRTH_BEAD};
      double birth[64];
      ig_lid never;
      GOOD(cx, ig_birth_times(cx, &c, mesh, &path, 1, birth, &never));
      for (ig_lid e = 0; e < 64; e++) {
        const int i = e % 8, j = e / 8 % 4, k = e / 32; /* 1 mm cells */
        double want = INFINITY;
        if (!touch && (i == 1 || i == 7))
          continue; /* its round ends */
        if (k == 1 && touch && i >= 2 && i <= 6)
          want = i - 2;
        if (k == 1 && !touch && j >= 1 && j <= 2 && i >= 2 && i <= 6)
          want = i - 2 + 0.5;
        if (want == INFINITY)
          assert_true(birth[e] == INFINITY);
        else
          assert_near(birth[e], want, 1e-9);
      }
    }
    ig_toolpath_free(&path);
  }
  ig_mesh_free(mesh);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(held_at_a_linear_field),      cmocka_unit_test(a_flux_field_and_its_course),
      cmocka_unit_test(gas_of_several_temperatures), cmocka_unit_test(wrong_fields),
      cmocka_unit_test(births_from_a_field),         cmocka_unit_test(births_by_touch),
  };
  IN_FOLDER(tests);
}
