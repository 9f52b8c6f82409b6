/* Benchmarks: how fast the engine steps, against the bytes that must move.

   bricks        a voxel grid in every form of conduction and assembly, constant properties
   unstructured  the same bricks numbered along a space-filling curve
   general       distorted hexahedra, k(T) and c(T), geometry every step
   cores         bricks on one core of this machine, on two, four, up to all
   ranks         bricks on one rank and on several
   ghosts        pieces of an exchange between two ranks
   samples, sizes, stages, accuracy, whole: see bench_samples.c
   Grids have 10 million elements (general: 4) on a GPU, one million on a CPU. */
#include "bench/thermal/build_problem.h"
#include "backend/backend.h"
#include "bench/common/crew.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double zero[] = {0}, rho[] = {7955}, k0[] = {20}, c0[] = {500};
static double warm[] = {300, 700, 1100, 1500, 1900}, k1[] = {14, 20, 26, 31, 33};
static double c1[] = {430, 480, 530, 590, 770};

static ig_material_case steel(bool tables) {
  ig_material_case m;
  memset(&m, 0, sizeof m);
  m.name = "steel";
  m.density = (ig_table){1, zero, rho};
  m.conductivity = tables ? (ig_table){5, warm, k1} : (ig_table){1, zero, k0};
  m.specific_heat = tables ? (ig_table){5, warm, c1} : (ig_table){1, zero, c0};
  m.solidus = m.liquidus = m.emissivity = NAN;
  return m;
}

/* Steps for about `seconds`, after a few to warm up; tells the time of one. */
static ig_status steps_time(ig_ctx *cx, ig_heat *h, double seconds, int64_t *steps, double *took) {
  const double dt = 0.9 * 2 / h->limit.rate;
  int batch = 2;
  *steps = 0;
  *took = 0;
  for (int round = 0; *took < seconds && round < 24; round++) {
    for (int i = 0; i < batch; i++)
      IG_TRY(ig_heat_batch_step(cx, h, dt));
    const double start = ig_now();
    IG_TRY(ig_heat_batch_run(cx, h));
    IG_TRY(cx->backend->sync(cx));
    const double this = ig_now() - start;
    if (round == 0) { /* warming up */
      batch = 8;
      continue;
    }
    *steps += batch;
    *took += this;
    if (this < 0.2 * seconds && batch < 4096)
      batch *= 2;
  }
  return ig_fault_check(cx, "node", NULL);
}

static ig_status case_time(ig_ctx *cx, const ig_bench_sink *sink, ig_heat_setup *setup,
                           const char *name) {
  static const char *const conduction[] = {"recompute", "classes", "stencil"};
  static const char *const precision[] = {"single", "double", "mixed"};
  ig_heat h;
  const double start = ig_now();
  const size_t before = cx->device_bytes;
  IG_TRY(ig_heat_new(cx, setup, &h));
  int64_t steps;
  double took;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_heat_begin(cx, &h));
  const double ready = ig_now() - start;
  IG_TRY_GOTO(status, done, steps_time(cx, &h, ig_bench_seconds(cx, 0.3, 1), &steps, &took));
  char text[128], note[96];
  snprintf(text, sizeof text, "%s %.3gM %s %s %s", name, 1e-6 * h.elements,
           conduction[h.conduction], precision[h.precision],
           h.conduction == IG_HEAT_STENCIL ? "" : ig_assembly_names[h.elems.how]);
  char size[32] = "";
  if (h.elems.how == IG_CLUSTER)
    snprintf(size, sizeof size, "clusters of %d; ", h.cluster.of.capacity);
  snprintf(note, sizeof note, "%s%.3g B/element-step; setup %.2g s", size,
           ig_heat_step_bytes(&h) / h.now.elements, ready);
  const ig_bench_row row = {.name = text,
                            .elements = h.now.elements,
                            .steps = (double)steps,
                            .seconds = took,
                            .rate = (double)h.now.elements * (double)steps / took,
                            .rate_unit = "element-steps",
                            .bytes = ig_heat_step_bytes(&h) * (double)steps,
                            .memory = (double)(cx->device_bytes - before),
                            .note = note};
  sink->row(sink->user, &row);
done:
  ig_heat_free(cx, &h);
  return status;
}

static ig_status cube(ig_ctx *cx, int cells, double jitter, bool curve, ig_mesh **mesh) {
  const double size[] = {1e-3 * cells, 1e-3 * cells, 0.8e-3 * cells}, n[] = {cells, cells, cells};
  const ig_box_case box = {.size = {3, (double *)size}, .cells = {3, (double *)n}};
  const ig_mesh_case c = {.boxes = {1, (void *)&box},
                          .order = curve,
                          .jitter = {.at = {.given = jitter > 0}, .amount = jitter, .seed = 3}};
  return ig_mesh_generate(cx, &c, mesh);
}

static ig_status grid_run(ig_ctx *cx, const ig_bench_sink *sink, const char *name, int side,
                          double jitter, bool curve, const ig_heat_setup *setups, int count) {
  const int cells = ig_bench_size(cx, side, 100, 8);
  ig_mesh *mesh;
  IG_TRY(cube(cx, cells, jitter, curve, &mesh));
  const ig_material_case metal = steel(jitter > 0);
  const ig_material_case *materials[] = {&metal};
  ig_status status = IG_OK;
  for (int i = 0; i < count && status == IG_OK; i++) {
    ig_heat_setup setup = setups[i];
    setup.mesh = mesh;
    setup.materials = 1;
    setup.material = materials;
    setup.surface = IG_HEAT_LUMPED;
    setup.initial = setup.ambient = 600;
    setup.enthalpy = true;
    setup.bare = true;
    status = case_time(cx, sink, &setup, name);
  }
  ig_mesh_free(mesh);
  return status;
}

static ig_status bench_bricks(ig_ctx *cx, const ig_bench_sink *sink) {
  const ig_heat_setup setups[] = {
      {.conduction = IG_HEAT_STENCIL, .precision = IG_SINGLE},
      {.conduction = IG_HEAT_CLASSES, .precision = IG_SINGLE, .assembly = IG_ATOMIC},
      {.conduction = IG_HEAT_CLASSES, .precision = IG_SINGLE, .assembly = IG_GATHER},
      {.conduction = IG_HEAT_CLASSES, .precision = IG_SINGLE, .assembly = IG_CLUSTER}};
  return grid_run(cx, sink, "bricks", 216, 0, false, setups, 4);
}

static ig_status bench_unstructured(ig_ctx *cx, const ig_bench_sink *sink) {
  const ig_heat_setup setups[] = {
      {.conduction = IG_HEAT_CLASSES, .precision = IG_SINGLE, .assembly = IG_ATOMIC},
      {.conduction = IG_HEAT_CLASSES, .precision = IG_SINGLE, .assembly = IG_CLUSTER},
      {.conduction = IG_HEAT_CLASSES,
       .precision = IG_SINGLE,
       .assembly = IG_CLUSTER,
       .cluster = 512}};
  return grid_run(cx, sink, "curve", 216, 0, true, setups, 3);
}

static ig_status bench_general(ig_ctx *cx, const ig_bench_sink *sink) {
  const ig_heat_setup setups[] = {
      {.conduction = IG_HEAT_RECOMPUTE, .precision = IG_SINGLE, .assembly = IG_ATOMIC},
      {.conduction = IG_HEAT_RECOMPUTE, .precision = IG_SINGLE, .assembly = IG_GATHER},
      {.conduction = IG_HEAT_RECOMPUTE, .precision = IG_SINGLE, .assembly = IG_CLUSTER}};
  return grid_run(cx, sink, "general", 160, 0.2, false, setups, 3);
}

/* A cube of steel at one temperature: nothing but conduction is computed. */
static ig_heat_setup warm_cube(ig_mesh *mesh, ig_heat_conduction conduction,
                               const ig_material_case *const *steel_alone) {
  return (ig_heat_setup){.mesh = mesh,
                         .conduction = conduction,
                         .precision = IG_SINGLE,
                         .assembly = IG_GATHER,
                         .surface = IG_HEAT_LUMPED,
                         .materials = 1,
                         .material = steel_alone,
                         .initial = 600,
                         .ambient = 600,
                         .bare = true};
}

/* --- the CPU's own targets: two cores against one, and the bytes that must move */

static ig_status cores_row(const ig_bench_sink *sink, ig_heat_conduction conduction, int cells,
                           int most, double seconds) {
  static const char *const form[] = {"recompute", "classes", "stencil"};
  double first = 0;
  for (int threads = 1; threads <= most; threads *= 2) {
    const ig_ctx_options options = {.backend = "cpu", .threads = threads};
    ig_ctx *cx;
    ig_mesh *mesh = NULL;
    ig_heat h;
    memset(&h, 0, sizeof h);
    int64_t steps = 0;
    double took = 0, best = 0;
    const ig_material_case metal = steel(false);
    const ig_material_case *materials[] = {&metal};
    ig_status status;
    IG_TRY_GOTO(status, done, ig_ctx_open(&options, &cx));
    IG_TRY_GOTO(status, done, cube(cx, cells, 0, false, &mesh));
    const ig_heat_setup setup = warm_cube(mesh, conduction, materials);
    IG_TRY_GOTO(status, done, ig_heat_new(cx, &setup, &h));
    IG_TRY_GOTO(status, done, ig_heat_begin(cx, &h));
    for (int round = 0; round < 3; round++) { /* the quietest of three */
      IG_TRY_GOTO(status, done, steps_time(cx, &h, seconds, &steps, &took));
      best = fmax(best, (double)h.elements * (double)steps / took);
    }
    first = threads == 1 ? best : first;
    char text[96], note[96] = "";
    snprintf(text, sizeof text, "%s %.2gM on %d core%s", form[conduction], 1e-6 * h.elements,
             threads, threads > 1 ? "s" : "");
    if (threads > 1)
      snprintf(note, sizeof note, "%.3g x one core", best / first);
    const ig_bench_row row = {.name = text,
                              .elements = h.elements,
                              .steps = (double)steps,
                              .seconds = (double)h.elements * (double)steps / best,
                              .rate = best,
                              .rate_unit = "element-steps",
                              .bytes = ig_heat_step_bytes(&h) * (double)steps,
                              .note = note};
    sink->row(sink->user, &row);
  done:
    ig_heat_free(cx, &h);
    ig_mesh_free(mesh);
    ig_ctx_close(cx);
    if (status != IG_OK)
      return status;
  }
  return IG_OK;
}

static ig_status bench_cores(ig_ctx *cx, const ig_bench_sink *sink) {
  const int most = cx->threads > 2 ? cx->threads : 2,
            cells = ig_bench_size(cx, most > 2 ? 160 : 100, most > 2 ? 160 : 100, 8);
  const double seconds = ig_bench_seconds(cx, 0.4, 0.4);
  ig_status status = cores_row(sink, IG_HEAT_STENCIL, cells, most, seconds);
  if (status == IG_OK)
    status = cores_row(sink, IG_HEAT_CLASSES, cells, most, seconds);
  return status == IG_OK ? IG_OK : IG_FAIL(cx, status, "the CPU's own benchmark failed");
}

static ig_status ranks_steps(ig_ctx *cx, ig_heat *h, int steps, double *seconds) {
  const double dt = 0.9 * 2 / h->limit.rate;
  for (int round = 0; round < 2; round++) { /* the first one warms up */
    for (int i = 0; i < steps; i++)
      IG_TRY(ig_heat_batch_step(cx, h, dt));
    IG_TRY(ig_ranks_agree(cx, IG_OK));
    const double start = ig_now();
    IG_TRY(ig_heat_batch_run(cx, h));
    IG_TRY(cx->backend->sync(cx));
    IG_TRY(ig_ranks_agree(cx, IG_OK));
    *seconds = ig_now() - start;
  }
  return IG_OK;
}

/* Bricks per side: a million in all on a CPU, a million for each of two ranks on a GPU. */
static int ranks_cells(const ig_ctx *cx) {
  return ig_bench_size(cx, 126, 100, 8);
}

static ig_status ranks_work(ig_ctx *cx, ig_heat_conduction form, int steps, double *seconds) {
  const ig_material_case metal = steel(false);
  const ig_material_case *materials[] = {&metal};
  ig_mesh *mesh;
  ig_heat h;
  IG_TRY(cube(cx, ranks_cells(cx), 0, false, &mesh));
  ig_heat_setup setup = warm_cube(mesh, form, materials);
  setup.enthalpy = true;
  memset(&h, 0, sizeof h);
  ig_status status = ig_heat_new(cx, &setup, &h);
  if (status == IG_OK)
    status = ig_heat_begin(cx, &h);
  if (status == IG_OK)
    status = ranks_steps(cx, &h, steps, seconds);
  ig_heat_free(cx, &h);
  ig_mesh_free(mesh);
  return status;
}

static ig_status ranks_classes(ig_ctx *cx, int steps, double *seconds) {
  return ranks_work(cx, IG_HEAT_CLASSES, steps, seconds);
}
static ig_status ranks_stencil(ig_ctx *cx, int steps, double *seconds) {
  return ranks_work(cx, IG_HEAT_STENCIL, steps, seconds);
}

static ig_status bench_ranks(ig_ctx *cx, const ig_bench_sink *sink) {
  const int steps = ig_bench_size(cx, 500, 40, 2);
  const double elements = pow(ranks_cells(cx), 3);
  IG_TRY(ig_crew_bench(cx, sink, "bricks, classes, single", elements, steps, ranks_classes));
  return ig_crew_bench(cx, sink, "bricks, stencil, single", elements, steps, ranks_stencil);
}

const ig_bench_entry ig_thermal_bench[] = {
    {"bricks", "voxel grid, constant properties, every form", bench_bricks},
    {"unstructured", "bricks numbered along a space-filling curve", bench_unstructured},
    {"general", "distorted hexahedra recomputed every step, k(T), c(T)", bench_general},
    {"ranks", "a million bricks (two on a GPU) on one rank and on several", bench_ranks},
    {"ghosts", "pieces of an exchange of ghosts between two ranks", ig_crew_pieces},
    {"cores", "bricks on one core, on two, four, up to all", bench_cores},
    {"samples", "the paper's builds in each strategy, half built (Figures 9 to 11)",
     ig_bench_samples},
    {"sizes", "the cubic sample in three sizes (Figure 12), and its whole build", ig_bench_sizes},
    {"stages", "the cubic sample in three sizes at 10, 50 and 90 % of its build", ig_bench_stages},
    {"accuracy", "the NU shape over its whole build against the CPU (Table 2, Figure 13b)",
     ig_bench_accuracy},
    {"kernels", "shares of a step, registers and occupancy of the paper's strategies (GPU only)",
     ig_bench_kernels},
    {"overlap", "snapshots copied while steps go on (Figure 6)", ig_bench_overlap},
    {"whole", "the cubic sample from first to last step", ig_bench_whole},
    {NULL, NULL, NULL}};
