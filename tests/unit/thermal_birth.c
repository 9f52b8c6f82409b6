/* Births: elements bring the heat they have at their birth temperature, nothing more and nothing
   less, in every form and precision, whatever the mesh and however the path is sampled. */
#include "check.h"
#include "folder.h"
#include "sink_drop.h"
#include "io/result/checkpoint.h"
#include "geometry/mesh_case.h"
#include "run/job.h"
#include "run/time_loop.h"
#include "run/rooms.h"
#include "thermal/engine/heat.h"
#include "thermal/thermal.h"
#include <ingot/run.h>

/* --- the engine: two materials, the upper half born in three goes, the first at t = 0 */

enum { NX = 4, NY = 3, NZ = 6, ELEMS = NX * NY * NZ };
enum { CONSTANT, TABLES, KINDS };

static double zero[] = {0}, hot[] = {300, 2000};
static double rho[2][1] = {{8000}, {4400}}, k[2][1] = {{25}, {8}};
static double c0[2][1] = {{500}, {600}}, c1[2][2] = {{450, 700}, {550, 800}};

static ig_material_case metal(int which, int kind) {
  ig_material_case m;
  memset(&m, 0, sizeof m);
  m.name = which ? "upper" : "lower";
  m.density = (ig_table){1, zero, rho[which]};
  m.conductivity = (ig_table){1, zero, k[which]};
  m.specific_heat = kind == TABLES ? (ig_table){2, hot, c1[which]} : (ig_table){1, zero, c0[which]};
  m.solidus = which ? 1880 : 1350;
  m.liquidus = which ? 1930 : 1360;
  m.latent_heat = kind == TABLES ? 2e5 : 0;
  m.emissivity = NAN;
  return m;
}

/* Heat content of a kilogram, from 0 K, by hand: c rises linearly between 300 and 2000 K. */
static double content(int which, int kind, double T) {
  if (kind == CONSTANT)
    return c0[which][0] * T;
  const double *c = c1[which], x = fmin(fmax(T, 300), 2000) - 300;
  const double sensible =
      c[0] * fmin(T, 300) + x * (c[0] + 0.5 * (c[1] - c[0]) / 1700 * x) + c[1] * fmax(T - 2000, 0);
  const double low = which ? 1880 : 1350, high = which ? 1930 : 1360;
  return sensible + 2e5 * fmin(fmax((T - low) / (high - low), 0), 1);
}

static const double cell[3] = {1e-3, 1.5e-3, 0.8e-3};

/* born: heat that must have come in, by hand. Insulated, no steps but those that births need. */
static void births_bring(ig_ctx *cx, ig_precision precision, ig_heat_conduction conduction,
                         int kind, bool enthalpy, ig_heat_newborn newborn, bool held) {
  const double size[3] = {NX * cell[0], NY * cell[1], NZ * cell[2]};
  const int cells[3] = {NX, NY, NZ};
  const double volume = cell[0] * cell[1] * cell[2], initial = 1000, ambient = 300;
  ig_mesh *mesh;
  GOOD(cx, ig_mesh_box(cx, IG_HEX8, size, cells, &mesh));
  const ig_material_case m[2] = {metal(0, kind), metal(1, kind)};
  const ig_material_case *materials[2] = {&m[0], &m[1]};
  double birth[ELEMS], start = 0, born = 0;
  uint8_t of[ELEMS];
  for (int e = 0; e < ELEMS; e++) {
    const int z = e / (NX * NY);
    of[e] = z >= 3 || e % 5 == 0; /* materials meet at nodes, also among the newborn */
    if (z == 4)
      of[e] = (uint8_t)(e % 2);
    birth[e] = z < 2 ? -INFINITY : z == 2 ? 0 : z == 3 ? 1e-4 * (1 + e % 3) : 5e-4;
    const double at = newborn == IG_BORN_MELT ? (of[e] ? 1930 : 1360) : ambient;
    *(z < 2 ? &start : &born) +=
        volume * rho[of[e]][0] * content(of[e], kind, z < 2 ? initial : at);
  }
  const ig_heat_condition condition = {.faces = ig_mesh_find_set(mesh, "xmin", IG_SET_FACES),
                                       .temperature = 700,
                                       .flux = NAN,
                                       .h = NAN,
                                       .emissivity = NAN,
                                       .ambient = NAN};
  const ig_heat_setup setup = {.mesh = mesh,
                               .precision = precision,
                               .assembly = IG_GATHER,
                               .conduction = conduction,
                               .surface = IG_HEAT_LUMPED,
                               .enthalpy = enthalpy,
                               .materials = 2,
                               .material = materials,
                               .material_of = of,
                               .birth = birth,
                               .conditions = held,
                               .condition = &condition,
                               .initial = initial,
                               .ambient = ambient,
                               .newborn = newborn};
  ig_heat h;
  ig_heat_ledger l;
  GOOD(cx, ig_heat_new(cx, &setup, &h));
  GOOD(cx, ig_heat_begin(cx, &h));
  assert_int_equal(h.now.elements, 3 * NX * NY); /* those of t = 0 are there */
  if (!held)
    assert_near(h.start_content / start, 1, 1e-6);
  const double dt = 1e-4;
  assert_true(dt < 2 / h.limit.rate);
  for (int s = 0; s < 8; s++) {
    GOOD(cx, ig_heat_batch_births(cx, &h, s * dt));
    GOOD(cx, ig_heat_batch_step(cx, &h, dt));
    if (s % 3 == 2)
      GOOD(cx, ig_heat_batch_run(cx, &h));
  }
  GOOD(cx, ig_heat_batch_run(cx, &h));
  GOOD(cx, ig_heat_ledger_read(cx, &h, &l));
  assert_int_equal(h.now.elements, ELEMS);
  const double eps = precision == IG_SINGLE ? 3e-6 : precision == IG_MIXED ? 1e-9 : 1e-12;
  if (newborn != IG_BORN_INHERITED) /* exactly that energy, in any precision */
    assert_near(l.born / born, 1, 1e-13);
  /* the apparent form loses heat in steps through melting; births themselves lose none */
  const bool exact = kind == CONSTANT || enthalpy;
  if (!(fabs(ig_heat_ledger_gap(&l)) < (exact ? eps : 1e-2) * l.stored))
    print_message(
        "precision %d conduction %d kind %d enthalpy %d newborn %d held %d: gap %g of %g\n",
        (int)precision, (int)conduction, kind, enthalpy, (int)newborn, held, ig_heat_ledger_gap(&l),
        l.stored);
  assert_true(fabs(ig_heat_ledger_gap(&l)) < (exact ? eps : 1e-2) * l.stored);
  ig_heat_free(cx, &h);
  ig_mesh_free(mesh);
}

static void births_conserve_energy(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    for (int p = 0; p < 3; p++)
      for (int form = 0; form < 3; form++)
        for (int kind = 0; kind < KINDS; kind++)
          for (int enthalpy = 0; enthalpy < 2; enthalpy++)
            for (int newborn = 0; newborn < 3; newborn++)
              for (int held = 0; held < 2; held++)
                if (form != IG_HEAT_STENCIL || kind == CONSTANT)
                  births_bring(cx, (ig_precision)p, (ig_heat_conduction)form, kind, enthalpy,
                               (ig_heat_newborn)newborn, held);
    ig_ctx_close(cx);
  }
}

/* --- cases, through the room */

static const char blocks[] =
    "physics: thermal\n"
    "mesh:\n"
    "  boxes:\n"
    "    - {name: hot, size: [4 mm, 4 mm, 4 mm], cells: [4, 4, 4]}\n"
    "    - {name: new, origin: [0, 0, 4 mm], size: [4 mm, 4 mm, 4 mm], cells: [4, 4, 4]}\n"
    "materials: {name: m, density: 8000, conductivity: 100, specific_heat: 500}\n"
    "initial_temperature: 1000 K\n"
    "ambient: 300 K\n"
    "duration: 12 s\n"
    "birth: {by: list, list: {set: new, time: 0.1 s}, temperature: ambient}\n"
    "output: {count: 3, history_every: 1000000}\n";
#define RASTER                                                                                     \
  "{model: surface, radius: 1 mm, absorptivity: 1, raster: {power: 1 uW, speed: 20 mm/s, "         \
  "spacing: 1 mm, layer_height: 1 mm, base: 4 mm, layers: 4, "                                     \
  "regions: {min: [0, 0], max: [4 mm, 4 mm]}}}"

/* A sink that keeps what this test looks at. */
typedef struct {
  const ig_mesh *mesh;
  double unborn;       /* must have this temperature, K */
  int64_t unborn_seen; /* points */
  double T[2];         /* lowest and highest of the last row */
  double born, first_born, elements, body, source;
} seen;
static ig_status history_see(ig_sink *sink, int columns, const char *const *names,
                             const double *values) {
  seen *s = sink->self;
  for (int i = 0; i < columns; i++) {
    if (strcmp(names[i], "T_min [K]") == 0)
      s->T[0] = values[i];
    if (strcmp(names[i], "T_max [K]") == 0)
      s->T[1] = values[i];
    if (strcmp(names[i], "elements") == 0)
      s->elements = values[i];
    if (strcmp(names[i], "E_body [J]") == 0)
      s->body = values[i];
    if (strcmp(names[i], "E_source [J]") == 0)
      s->source = values[i];
    if (strcmp(names[i], "E_born [J]") == 0)
      s->born = values[i];
    if (strcmp(names[i], "E_born [J]") == 0 && isnan(s->first_born))
      s->first_born = values[i];
  }
  return IG_OK;
}
static ig_status snapshot_see(ig_sink *sink, ig_snapshot *snap) {
  seen *s = sink->self;
  assert_int_equal(ig_snapshot_settle(snap), IG_OK);
  const ig_field *T = ig_snapshot_find(snap, IG_AT_POINTS, "T");
  assert_non_null(T);
  uint8_t *used = calloc((size_t)snap->points, 1);
  for (int64_t i = 0; i < snap->corners; i++)
    used[snap->corner[i]] = 1;
  for (int64_t n = 0; n < snap->points; n++)
    if (!used[n]) {
      s->unborn_seen++;
      assert_true(ig_field_number(T, n) == s->unborn);
    }
  free(used);
  ig_snapshot_free(snap);
  return IG_OK;
}

static void case_write(const char *folder, const char *name, const char *text) {
  file_write(in_folder(folder, name), text, strlen(text));
}

/* Runs folder/case.yaml with up to four keys set; `keys` ends with NULL. */
static seen case_run(const char *backend, const char *folder, const char *const *keys,
                     double unborn) {
  char path[300];
  seen s = {.unborn = unborn, .first_born = NAN};
  ig_sink sink = {.self = &s,
                  .snapshot = snapshot_see,
                  .history = history_see,
                  .checkpoint = checkpoint_drop,
                  .result = result_drop};
  snprintf(path, sizeof path, "%s/case.yaml", folder);
  ig_ctx *cx = ctx_on(backend, 1);
  ig_case *c;
  ig_job job;
  GOOD(cx, ig_case_open(cx, path, &c));
  for (; keys && *keys; keys += 2)
    GOOD(cx, ig_case_set(c, keys[0], keys[1]));
  GOOD(cx, ig_job_open(c, ig_rooms(), &job));
  job.sink = &sink;
  GOOD(cx, ig_loop_all(ig_room_find("thermal"), &job));
  ig_job_close(&job);
  ig_case_close(c);
  ig_ctx_close(cx);
  return s;
}

/* Equal blocks at 1000 K and 300 K end at 650 K, however the second came to be there. */
static void equal_blocks_meet_half_way(void **state) {
  (void)state;
  static const char *const by[] = {
      "{by: bead, set: new, width: 1.2 mm, height: 1 mm, lead: 0.4 mm, temperature: ambient}",
      "{by: layers, set: new, height: 1 mm, temperature: ambient}",
      "{by: list, list: {set: new, time: 0.1 s}, temperature: ambient}",
      "{by: list, list: {set: new, time: 0}, temperature: ambient}"};
  static const char *const precision[] = {"single", "double", "mixed"};
  static const char *const form[] = {"recompute", "classes", "stencil"};
  char *folder = folder_new();
  case_write(folder, "case.yaml", blocks);
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < 4; i++)
      for (int p = 0; p < 3; p++) {
        const char *const keys[] = {"birth",     by[i],        "beams",      RASTER,
                                    "precision", precision[p], "conduction", form[(i + p) % 3],
                                    NULL};
        const seen s = case_run(*backend, folder, keys, 1000);
        const double heat = 64e-9 * 8000 * 500 * 300;
        assert_near(s.born, heat, 1e-12 * heat);
        if (i == 3)
          assert_true(s.first_born == s.born);
        assert_near(s.T[0], 650, p ? 1e-4 : 2e-2);
        assert_near(s.T[1], 650, p ? 1e-4 : 2e-2);
        assert_true(i == 3 || s.unborn_seen > 0);
      }
  folder_remove(folder);
}

/* Four blocks in a row that hardly conduct, heated throughout by 1 K/s. An element born at t_e has
   taken up q V (end - t_e) at the end, whatever the step: also where one step is the whole case. */
static void births_within_a_step_are_on_time(void **state) {
  (void)state;
  static const char text[] =
      "physics: thermal\n"
      "mesh:\n"
      "  boxes:\n"
      "    - {name: base, size: [4 mm, 1 mm, 1 mm], cells: [4, 1, 1]}\n"
      "    - {name: b, origin: [0, 0, 1 mm], size: [4 mm, 1 mm, 1 mm], cells: [4, 1, 1]}\n"
      "    - {name: c, origin: [0, 0, 2 mm], size: [4 mm, 1 mm, 1 mm], cells: [4, 1, 1]}\n"
      "materials: {name: m, density: 1000, conductivity: 1e-6, specific_heat: 1000}\n"
      "initial_temperature: 300 K\n"
      "ambient: 300 K\n"
      "body_source: 1e6\n"
      "duration: 10 s\n"
      "beams: {model: surface, radius: 1 mm, absorptivity: 1, path: {file: path.csv, unit: 1 mm}}\n"
      "output: {count: 1, history_every: 1, fields: T}\n";
  /* up to 8 s along the first bead, 2.5 mm/s on the next */
  static const char path[] = "t,x,y,z,power\n0,0,0.5,2,1e-6\n8,4,0.5,2,0\n8.2,4,0.5,3,1e-6\n"
                             "9.8,0,0.5,3,0\n";
  static const struct {
    const char *birth;
    double seconds; /* sum over elements of end - t_e */
    double youngest;
  } by[] = {{"{by: list, list: [{set: b, time: 3 s}, {set: c, time: 7.5 s}]}", 4 * (7 + 2.5), 2.5},
            {"{by: layers, set: [b, c], height: 1 mm}", 4 * (10 + 1.8), 1.8},
            {"{by: bead, set: [b, c], width: 1 mm, height: 1 mm}", /* centres 0.5, 1.5 … mm */
             (9 + 7 + 5 + 3) + (1.6 + 1.2 + 0.8 + 0.4), 0.4},
            {"{by: bead, set: [b, c], width: 1 mm, height: 1 mm, rule: touch, timing: exact}",
             (10 + 8 + 6 + 4) + (1.8 + 1.4 + 1.0 + 0.6), 0.6}};
  static const char *const precision[] = {"single", "double", "mixed"};
  static const char *const form[] = {"recompute", "classes", "stencil"};
  static const char *const step[] = {"10 s", "3.3 s", "0.1 s"};
  char *folder = folder_new();
  case_write(folder, "case.yaml", text);
  case_write(folder, "path.csv", path);
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < 4; i++)
      for (int p = 0; p < 3; p++)
        for (int s = 0; s < 3; s++) {
          const char *const keys[] = {"birth",      by[i].birth,  "precision",
                                      precision[p], "conduction", form[(i + p + s) % 3],
                                      "time_step",  step[s],      NULL};
          const seen r = case_run(*backend, folder, keys, 300);
          const double eps = precision[p][0] == 's' ? 1e-5 : 1e-11;
          /* sums are in double; what a node gets per step has the state's precision */
          const double body = 1e-9 * 1e6 * (4 * 10 + by[i].seconds);
          if (!(fabs(r.body - body) < 1e-6 * body))
            print_message("%s: birth %d, %s, %s, steps of %s: %g J, %g expected\n", *backend, i,
                          precision[p], form[(i + p + s) % 3], step[s], r.body, body);
          assert_true(r.elements == 12);
          assert_near(r.body, body, 1e-6 * body);
          assert_near(r.born, 8e-9 * 1e6 * 300, 1e-9 * 8e-9 * 1e6 * 300);
          assert_near(r.source, 9.6e-6, 1e-6 * 9.6e-6);
          /* only the youngest touches the corner that is the coolest; the beam brings 5 mK at most
           */
          assert_true(r.T[0] > 300 + by[i].youngest - 300 * eps &&
                      r.T[0] < 300 + by[i].youngest + 0.02);
        }
  folder_remove(folder);
}

/* A wall of another metal born molten: at its own liquidus, whenever. */
static void elements_are_born_at_their_own_liquidus(void **state) {
  (void)state;
  static const char text[] =
      "physics: thermal\n"
      "mesh:\n"
      "  boxes:\n"
      "    - {name: plate, size: [10 mm, 4 mm, 2 mm], cells: [10, 4, 2]}\n"
      "    - {name: wall, origin: [0, 1 mm, 2 mm], size: [10 mm, 2 mm, 1 mm], cells: [10, 2, 1]}\n"
      "materials:\n"
      "  - {name: copper, set: plate, density: 8900, conductivity: 400, specific_heat: 390,\n"
      "     solidus: 1350, liquidus: 1358, absorptivity: 0.1}\n"
      "  - {name: Ti64, set: wall, density: 4430, conductivity: 7, specific_heat: 550,\n"
      "     solidus: 1878, liquidus: 1928, absorptivity: 0.5}\n"
      "duration: 1 ms\n"
      "time_step: 0.1 ms\n"
      "birth: {by: list, list: {set: wall, time: 0 s}, temperature: melt}\n"
      "output: {count: 1, history_every: 1000000, fields: T}\n";
  char *folder = folder_new();
  case_write(folder, "case.yaml", text);
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int late = 0; late < 2; late++) {
      const char *const keys[] = {"birth.list[0].time", late ? "1 ms" : "0 s", "duration",
                                  late ? "1.1 ms" : "0.1 ms", NULL};
      const seen s = case_run(*backend, folder, keys, 300);
      const double heat = 20e-9 * 4430 * 550 * 1928;
      assert_near(s.born, heat, 1e-12 * heat);
      /* one step later: the top still nearly there, and far above copper's liquidus */
      assert_true(s.T[1] > 1925 && s.T[1] < 1928);
    }
  folder_remove(folder);
}

/* The same line in one piece, in many, bent in corners, at two speeds: the same births. */
static void births_do_not_depend_on_sampling(void **state) {
  (void)state;
  static const double line[][4] = {{0, 0, 0, 1}, /* t, x, y, z in mm */
                                   {1, 8, 0, 1}, {1.5, 8, 6, 1}, {3, 2, 6, 1},
                                   {4, 2, 6, 3}, {5, 9, 6, 4}};
  const double size[] = {12e-3, 10e-3, 5e-3};
  const int cells[] = {30, 25, 10};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_mesh *mesh;
  GOOD(cx, ig_mesh_box(cx, IG_HEX8, size, cells, &mesh));
  const ig_lid elements = mesh->block[0].count;
  const char *name = "all";
  double *birth[3];
  for (int by = IG_BIRTH_BEAD; by <= IG_BIRTH_LAYERS; by++) {
    for (int cut = 0; cut < 3; cut++) {
      static const int pieces[] = {1, 7, 100};
      ig_toolpath path = {0};
      for (int i = 0; i < 5; i++)
        for (int j = 0; j < pieces[cut]; j++) {
          double x[3], s = (double)j / pieces[cut];
          for (int d = 0; d < 3; d++)
            x[d] = 1e-3 * (1 + (1 - s) * line[i][d + 1] + s * line[i + 1][d + 1]);
          GOOD(cx, ig_toolpath_add(cx, &path, (1 - s) * line[i][0] + s * line[i + 1][0], x, 100));
        }
      const double end[3] = {10e-3, 7e-3, 5e-3};
      GOOD(cx, ig_toolpath_add(cx, &path, 5, end, 0));
      const ig_birth_case c = {
          .by = by, .set = {1, &name}, .width = 2.3e-3, .height = 0.9e-3, .lead = 0.7e-3};
      ig_lid never;
      birth[cut] = calloc((size_t)elements, sizeof **birth);
      GOOD(cx, ig_birth_times(cx, &c, mesh, &path, 1, birth[cut], &never));
      assert_true(never > 0 && never < elements);
      ig_toolpath_free(&path);
    }
    for (ig_lid e = 0; e < elements; e++)
      for (int cut = 1; cut < 3; cut++) {
        if (!(birth[cut][e] == birth[0][e] || fabs(birth[cut][e] - birth[0][e]) < 1e-9))
          print_message("by %d element %d: %.15g in %d cuts, %.15g in one\n", by, (int)e,
                        birth[cut][e], cut, birth[0][e]);
        assert_true(birth[cut][e] == birth[0][e] || fabs(birth[cut][e] - birth[0][e]) < 1e-9);
      }
    for (int cut = 0; cut < 3; cut++)
      free(birth[cut]);
  }
  ig_mesh_free(mesh);
  ig_ctx_close(cx);
}

/* A run that goes on from its checkpoint, after births, with k(T): the bits of the whole one. */
static void continuation_after_births(void **state) {
  (void)state;
  static const char *const conductivity[] = {"100", "[[300, 100], [1400, 60]]"};
  char *folder = folder_new(), path[300], out[300], from[300], marked[300];
  case_write(folder, "case.yaml", blocks);
  snprintf(path, sizeof path, "%s/case.yaml", folder);
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int kind = 0; kind < 2; kind++) {
      static const char *const duration[] = {"0.5 s", "1 s", "1 s"};
      for (int part = 0; part < 3; part++) { /* half; the rest of it; the whole */
        snprintf(out, sizeof out, "%s/out-%s-%d-%d", folder, *backend, kind, part);
        snprintf(from, sizeof from, "%s/out-%s-%d-0/checkpoint.h5", folder, *backend, kind);
        ig_ctx *cx = ctx_on(*backend, 1);
        ig_case *c;
        GOOD(cx, ig_case_open(cx, path, &c));
        GOOD(cx, ig_case_set(c, "materials.conductivity", conductivity[kind]));
        GOOD(cx, ig_case_set(c, "beams", RASTER));
        GOOD(cx, ig_case_set(c, "birth",
                             "{by: bead, set: new, width: 1.2 mm, height: 1 mm, lead: 0.4 mm}"));
        GOOD(cx, ig_case_set(c, "time_step", "1 ms"));
        GOOD(cx, ig_case_set(c, "duration", duration[part]));
        const ig_run_options o = {.out = out, .restart = part == 1 ? from : NULL};
        GOOD(cx, ig_run(c, &o));
        ig_case_close(c);
        ig_ctx_close(cx);
      }
      ig_restart *r[2];
      ig_ctx *cx = ctx_on("cpu", 1);
      for (int i = 0; i < 2; i++) {
        ig_case *c;
        ig_job job;
        snprintf(marked, sizeof marked, "%s/out-%s-%d-%d/checkpoint.h5", folder, *backend, kind,
                 1 + i);
        GOOD(cx, ig_case_open(cx, path, &c));
        GOOD(cx, ig_case_set(c, "materials.conductivity", conductivity[kind]));
        GOOD(cx, ig_case_set(c, "beams", RASTER));
        GOOD(cx, ig_case_set(c, "birth",
                             "{by: bead, set: new, width: 1.2 mm, height: 1 mm, lead: 0.4 mm}"));
        GOOD(cx, ig_case_set(c, "time_step", "1 ms"));
        GOOD(cx, ig_job_open(c, ig_rooms(), &job));
        GOOD(cx, ig_checkpoint_read(cx, marked, ig_job_fingerprint(c, &job), &r[i]));
        ig_job_close(&job);
        ig_case_close(c);
      }
      assert_int_equal(r[0]->step, 1000);
      assert_int_equal(r[1]->step, 1000);
      assert_int_equal(r[0]->count, r[1]->count);
      for (int i = 0; i < r[0]->count; i++)
        if (strncmp(r[0]->saved[i].name, "sink.", 5) != 0) {
          const ig_saved *a = &r[0]->saved[i], *b = &r[1]->saved[i];
          const size_t bytes = (size_t)a->count * ig_dtype_size(a->dtype);
          if (memcmp(a->data, b->data, bytes) != 0)
            print_error("%s, conductivity %s: '%s' of the continued run differs\n", *backend,
                        conductivity[kind], a->name);
          assert_memory_equal(a->data, b->data, bytes);
        }
      ig_restart_free(r[0]);
      ig_restart_free(r[1]);
      ig_ctx_close(cx);
    }
  folder_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(births_conserve_energy),
      cmocka_unit_test(equal_blocks_meet_half_way),
      cmocka_unit_test(births_within_a_step_are_on_time),
      cmocka_unit_test(elements_are_born_at_their_own_liquidus),
      cmocka_unit_test(births_do_not_depend_on_sampling),
      cmocka_unit_test(continuation_after_births),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
