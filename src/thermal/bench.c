/* Benchmarks: how fast the engine steps, against the bytes that must move.

   bricks        a voxel grid in every form of conduction and assembly, constant properties
   unstructured  the same bricks numbered along a space-filling curve
   general       distorted hexahedra, k(T) and c(T), geometry every step
   samples       the paper's builds, half built, in each of its strategies and in ours (Figures 9
                 to 11); cubic in three sizes (Figure 12)
   accuracy      the NU shape in single precision against the CPU (Table 2)
   whole         the cubic sample from first to last step
   Grids have 10 million elements (general: 4) on a GPU, one million on a CPU. */
#include "thermal/samples.h"
#include "backend/backend.h"

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
  m.solidus = m.liquidus = m.absorptivity = m.emissivity = NAN;
  return m;
}

static bool on_gpu(const ig_ctx *cx) {
  return cx->backend->kernels == IG_KERNELS_CUDA;
}

/* Steps for about `seconds`, after a few to warm up; tells the time of one. */
static ig_status steps_time(ig_ctx *cx, ig_heat *h, double seconds, int64_t *steps, double *took) {
  const double dt = 0.9 * 2 / h->rate;
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
  static const char *const assembly[] = {"atomic", "color", "gather"};
  ig_heat h;
  const double start = ig_now();
  const size_t before = cx->device_bytes;
  IG_TRY(ig_heat_new(cx, setup, &h));
  int64_t steps;
  double took;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_heat_begin(cx, &h, 0));
  const double ready = ig_now() - start;
  IG_TRY_GOTO(status, done, steps_time(cx, &h, on_gpu(cx) ? 0.3 : 1, &steps, &took));
  char text[128], note[96];
  snprintf(text, sizeof text, "%s %.3gM %s %s %s", name, 1e-6 * h.elements,
           conduction[h.conduction], precision[h.precision],
           h.conduction == IG_HEAT_STENCIL ? "" : assembly[h.elems.how]);
  snprintf(note, sizeof note, "%.3g B/element-step; setup %.2g s",
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
  const int cells = on_gpu(cx) ? side : 100;
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
      {.conduction = IG_HEAT_CLASSES, .precision = IG_SINGLE, .assembly = IG_GATHER}};
  return grid_run(cx, sink, "bricks", 216, 0, false, setups, 3);
}

static ig_status bench_unstructured(ig_ctx *cx, const ig_bench_sink *sink) {
  const ig_heat_setup setups[] = {
      {.conduction = IG_HEAT_CLASSES, .precision = IG_SINGLE, .assembly = IG_ATOMIC}};
  return grid_run(cx, sink, "curve", 216, 0, true, setups, 1);
}

static ig_status bench_general(ig_ctx *cx, const ig_bench_sink *sink) {
  const ig_heat_setup setups[] = {
      {.conduction = IG_HEAT_RECOMPUTE, .precision = IG_SINGLE, .assembly = IG_ATOMIC},
      {.conduction = IG_HEAT_RECOMPUTE, .precision = IG_SINGLE, .assembly = IG_GATHER}};
  return grid_run(cx, sink, "general", 160, 0.2, false, setups, 2);
}

/* --- the paper's samples */

typedef struct {
  const char *name;
  ig_heat_conduction conduction;
  ig_assembly assembly;
  ig_heat_surface surface;
} strategy;
static const strategy strategies[] = {
    {"node-element, switch", IG_HEAT_RECOMPUTE, IG_GATHER, IG_HEAT_SWITCH},
    {"atomic, switch", IG_HEAT_RECOMPUTE, IG_ATOMIC, IG_HEAT_SWITCH},
    {"coloring, switch", IG_HEAT_RECOMPUTE, IG_COLOR, IG_HEAT_SWITCH},
    {"atomic, branch", IG_HEAT_RECOMPUTE, IG_ATOMIC, IG_HEAT_BRANCH},
    {"classes, gather, lumped", IG_HEAT_CLASSES, IG_GATHER, IG_HEAT_LUMPED},
    {"stencil", IG_HEAT_STENCIL, IG_GATHER, IG_HEAT_LUMPED}};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

typedef struct {
  ig_thermal_sample *sample;
  ig_job job;
  ig_thermal_run run;
  double bytes_before, ready;
} build;

static void build_close(build *b) {
  if (b->run.job)
    ig_thermal_close(&b->run);
  ig_mesh_free(b->job.mesh);
  free(b->sample);
}

/* A sample under a strategy, its build done up to `share` (temperatures are the initial ones). */
static ig_status build_open(ig_ctx *cx, void (*make)(ig_thermal_sample *), const strategy *how,
                            double share, build *b) {
  memset(b, 0, sizeof *b);
  b->bytes_before = (double)cx->device_bytes;
  const double start = ig_now();
  IG_TRY(IG_NEW(cx, &b->sample, 1, "sample"));
  make(b->sample);
  b->sample->c.conduction = 1 + (int)how->conduction;
  b->sample->c.surface = 1 + (int)how->surface;
  IG_TRY(ig_mesh_generate(cx, &b->sample->mesh, &b->job.mesh));
  b->job.cx = cx;
  b->job.precision = IG_SINGLE;
  b->job.assembly = how->assembly;
  b->job.materials = &b->sample->materials;
  b->job.room_case = &b->sample->c;
  IG_TRY(ig_thermal_open(&b->job, &b->run));
  b->run.step = (int64_t)(share * (double)b->run.steps);
  b->ready = ig_now() - start;
  return ig_heat_begin(cx, &b->run.heat, share * b->sample->c.duration);
}

/* Steps for about `seconds` of wall time or to the end; element-steps and time. */
static ig_status build_time(ig_ctx *cx, build *b, double seconds, int64_t *steps, double *work,
                            double *took) {
  IG_TRY(ig_thermal_write(&b->run, 16)); /* warm up */
  IG_TRY(ig_thermal_advance(&b->run));
  IG_TRY(cx->backend->sync(cx));
  const int64_t first = b->run.step;
  const double before = b->run.heat.element_steps, begin = ig_now();
  int most = 16;
  while (b->run.step < b->run.steps && ig_now() - begin < seconds) {
    const double start = ig_now();
    IG_TRY(ig_thermal_write(&b->run, most));
    IG_TRY(ig_thermal_advance(&b->run));
    if (ig_now() - start < 0.1 * seconds && most < 4096)
      most *= 2;
  }
  IG_TRY(cx->backend->sync(cx));
  *took = ig_now() - begin;
  *steps = b->run.step - first;
  *work = b->run.heat.element_steps - before;
  return ig_fault_check(cx, "node", NULL);
}

static void build_row(ig_ctx *cx, const ig_bench_sink *sink, const build *b, const char *how,
                      int64_t steps, double work, double took) {
  char text[128], note[128];
  const ig_heat *h = &b->run.heat;
  const double whole = took / (double)steps * (double)b->run.steps;
  snprintf(text, sizeof text, "%s %s", b->sample->name, how);
  snprintf(note, sizeof note, "%.3g us/step; whole build %.3g s = %.3g x real time; setup %.2g s",
           1e6 * took / (double)steps, whole, b->sample->c.duration / whole, b->ready);
  const ig_bench_row row = {.name = text,
                            .elements = h->elements,
                            .steps = (double)steps,
                            .seconds = took,
                            .rate = work / took,
                            .rate_unit = "element-steps",
                            .bytes = ig_heat_step_bytes(h) * (double)steps,
                            .memory = (double)cx->device_bytes - b->bytes_before,
                            .note = note};
  sink->row(sink->user, &row);
}

static ig_status sample_time(ig_ctx *cx, const ig_bench_sink *sink,
                             void (*make)(ig_thermal_sample *), const strategy *how, double share,
                             double seconds) {
  build b;
  int64_t steps;
  double work, took;
  ig_status status = build_open(cx, make, how, share, &b);
  if (status == IG_OK)
    status = build_time(cx, &b, seconds, &steps, &work, &took);
  if (status == IG_OK)
    build_row(cx, sink, &b, how->name, steps, work, took);
  build_close(&b);
  return status;
}

static ig_status bench_samples(ig_ctx *cx, const ig_bench_sink *sink) {
  static void (*const makes[])(ig_thermal_sample *) = {ig_sample_cubic, ig_sample_cruciform,
                                                       ig_sample_thin_wall, ig_sample_powder_bed};
  static void (*const sizes[])(ig_thermal_sample *) = {
      ig_sample_cubic_coarse, ig_sample_cubic_medium, ig_sample_cubic_fine};
  for (int i = 0; i < 4; i++)
    for (int s = 0; s < STRATEGIES; s++)
      IG_TRY(sample_time(cx, sink, makes[i], &strategies[s], 0.5, on_gpu(cx) ? 0.2 : 0.5));
  for (int i = 0; i < (on_gpu(cx) ? 3 : 1); i++) {
    IG_TRY(sample_time(cx, sink, sizes[i], &strategies[3], 0.5, on_gpu(cx) ? 0.2 : 0.5));
    IG_TRY(sample_time(cx, sink, sizes[i], &strategies[STRATEGIES - 1], 0.5, 0.3));
  }
  return IG_OK;
}

static ig_status accuracy_run(ig_ctx *cx, const strategy *how, double **T, ig_lid *nodes,
                              double *took) {
  build b;
  *T = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, build_open(cx, ig_sample_nu_shape, how, 0.5, &b));
  const int64_t stop = b.run.step + 100;
  const double start = ig_now();
  while (b.run.step < stop) {
    IG_TRY_GOTO(status, done, ig_thermal_write(&b.run, (int)(stop - b.run.step)));
    IG_TRY_GOTO(status, done, ig_thermal_advance(&b.run));
  }
  IG_TRY_GOTO(status, done, cx->backend->sync(cx));
  *took = ig_now() - start;
  *nodes = b.run.heat.now.nodes;
  IG_TRY_GOTO(status, done, IG_NEW(cx, T, b.run.heat.nodes, "temperatures"));
  status = ig_heat_temperatures(cx, &b.run.heat, *T);
done:
  build_close(&b);
  return status;
}

/* Every strategy against the serial CPU's, after 100 steps from the half-built NU shape. */
static ig_status bench_accuracy(ig_ctx *cx, const ig_bench_sink *sink) {
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  ig_ctx *serial;
  double *want = NULL, took;
  ig_lid nodes;
  ig_status status = ig_ctx_open(&options, &serial);
  if (status == IG_OK)
    status = accuracy_run(serial, &strategies[2], &want, &nodes, &took);
  if (status != IG_OK)
    (void)IG_FAIL(cx, status, "%s", ig_ctx_message(serial));
  for (int s = 0; s < STRATEGIES && status == IG_OK; s++) {
    double *T, sum = 0, worst = 0;
    status = accuracy_run(cx, &strategies[s], &T, &nodes, &took);
    for (ig_lid n = 0; n < nodes && status == IG_OK; n++) {
      sum += fabs(T[n] - want[n]);
      worst = fmax(worst, fabs(T[n] - want[n]));
    }
    free(T);
    if (status != IG_OK)
      break;
    char text[128], note[128];
    snprintf(text, sizeof text, "nu-shape %s", strategies[s].name);
    snprintf(note, sizeof note, "mean absolute error %.3g K against the serial CPU, worst %.3g K",
             sum / nodes, worst);
    const ig_bench_row row = {.name = text,
                              .elements = nodes,
                              .steps = 100,
                              .seconds = took,
                              .rate = 100. * nodes / took,
                              .rate_unit = "node-steps",
                              .note = note};
    sink->row(sink->user, &row);
  }
  free(want);
  ig_ctx_close(serial);
  return status;
}

/* All of the cubic sample's 1.2 million steps on a GPU; on a CPU as far as half a minute goes. */
static ig_status bench_whole(ig_ctx *cx, const ig_bench_sink *sink) {
  strategy how = strategies[STRATEGIES - 1];
  how.name = on_gpu(cx) ? "whole build, stencil" : "from the start, stencil";
  return sample_time(cx, sink, ig_sample_cubic, &how, 0, on_gpu(cx) ? 60 : 20);
}

const ig_bench_entry ig_thermal_bench[] = {
    {"bricks", "voxel grid, constant properties, every form", bench_bricks},
    {"unstructured", "bricks numbered along a space-filling curve", bench_unstructured},
    {"general", "distorted hexahedra recomputed every step, k(T), c(T)", bench_general},
    {"samples", "the paper's builds in each strategy, half built", bench_samples},
    {"accuracy", "the NU shape in single precision against the CPU", bench_accuracy},
    {"whole", "the cubic sample from first to last step", bench_whole},
    {NULL, NULL, NULL}};
