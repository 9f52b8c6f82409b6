/* The paper's samples on this machine: its strategies and ours, against one core of the CPU.

   samples   four builds, half built: Figures 9 to 11
   sizes     the cubic build in three sizes: Figure 12; the largest one's whole build
   accuracy  the NU shape: Table 2
   whole     the cubic build from first to last step

   `best core` is this engine's fastest form on one core; `simple core` the paper's simplified
   reference: one core, element matrices and surface areas worked out once, constant properties.
   Errors are means over the nodes after a few steps from the half-built state, against the CPU in
   the same discrete form (surface fluxes at face points, or lumped). */
#include "thermal/samples.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void make_fn(ig_thermal_sample *);

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
enum { STRATEGIES = sizeof strategies / sizeof *strategies, SIMPLE = 4, BEST = 5 };

/* A sample's mesh, made once, and one run on it. */
typedef struct {
  make_fn *make;
  ig_mesh *mesh;
} subject;
typedef struct {
  ig_thermal_sample *sample;
  ig_job job;
  ig_thermal_run run;
  double bytes_before, ready;
} build;

static bool on_gpu(const ig_ctx *cx) {
  return cx->backend->kernels == IG_KERNELS_CUDA;
}

static ig_status subject_open(ig_ctx *cx, make_fn *make, subject *s) {
  ig_thermal_sample *sample;
  *s = (subject){make, NULL};
  IG_TRY(IG_NEW(cx, &sample, 1, "sample"));
  make(sample);
  const ig_status status = ig_mesh_generate(cx, &sample->mesh, &s->mesh);
  free(sample);
  return status;
}

static void build_close(build *b) {
  if (b->run.job)
    ig_thermal_close(&b->run);
  free(b->sample);
  memset(b, 0, sizeof *b);
}

/* As far as `share` of its build, temperatures the initial ones. */
static ig_status build_at(build *b, double share) {
  b->run.step = b->run.done = (int64_t)(share * (double)b->run.steps);
  return ig_heat_begin(b->job.cx, &b->run.heat, share * b->sample->c.duration);
}

static ig_status build_open(ig_ctx *cx, const subject *s, const strategy *how, build *b) {
  memset(b, 0, sizeof *b);
  b->bytes_before = (double)cx->device_bytes;
  const double start = ig_now();
  IG_TRY(IG_NEW(cx, &b->sample, 1, "sample"));
  s->make(b->sample);
  b->sample->c.conduction = 1 + (int)how->conduction;
  b->sample->c.surface = 1 + (int)how->surface;
  b->job = (ig_job){.cx = cx,
                    .precision = IG_SINGLE,
                    .assembly = how->assembly,
                    .materials = &b->sample->materials,
                    .mesh = s->mesh,
                    .room_case = &b->sample->c};
  const ig_status status = ig_thermal_open(&b->job, &b->run);
  b->ready = ig_now() - start;
  return status;
}

static ig_status build_steps(build *b, int64_t steps) {
  const int64_t stop = b->run.step + steps < b->run.steps ? b->run.step + steps : b->run.steps;
  while (b->run.step < stop) {
    const int64_t most = stop - b->run.step;
    IG_TRY(ig_thermal_write(&b->run, most < 4096 ? (int)most : 4096));
    IG_TRY(ig_thermal_advance(&b->run));
  }
  return IG_OK;
}

typedef struct {
  int64_t steps;
  double work, seconds; /* element-steps */
} timing;

/* Steps for about `seconds` or to the end. */
static ig_status build_time(build *b, double seconds, timing *t) {
  ig_ctx *cx = b->job.cx;
  IG_TRY(build_steps(b, 4)); /* warm up */
  IG_TRY(cx->backend->sync(cx));
  const int64_t first = b->run.step;
  const double before = b->run.heat.element_steps, begin = ig_now();
  int64_t most = 4;
  while (b->run.step < b->run.steps && ig_now() - begin < seconds) {
    const double start = ig_now();
    IG_TRY(build_steps(b, most));
    if (ig_now() - start < 0.1 * seconds && most < 4096)
      most *= 2;
  }
  IG_TRY(cx->backend->sync(cx));
  *t = (timing){b->run.step - first, b->run.heat.element_steps - before, ig_now() - begin};
  return ig_fault_check(cx, "node", NULL);
}

static double per_step(const timing *t) {
  return t->seconds / (double)t->steps;
}

static void row_say(const ig_bench_sink *sink, const build *b, const char *how, const timing *t,
                    const char *note) {
  char text[128];
  snprintf(text, sizeof text, "%s %s", b->sample->name, how);
  const ig_bench_row row = {.name = text,
                            .elements = b->run.heat.elements,
                            .steps = (double)t->steps,
                            .seconds = t->seconds,
                            .rate = t->work / t->seconds,
                            .rate_unit = "element-steps",
                            .bytes = ig_heat_step_bytes(&b->run.heat) * (double)t->steps,
                            .memory = (double)b->job.cx->device_bytes - b->bytes_before,
                            .note = note};
  sink->row(sink->user, &row);
}

/* --- one core of the CPU */

typedef struct {
  double best, simple; /* seconds a step */
} core;

static ig_status core_open(ig_ctx *cx, int threads, ig_ctx **out) {
  const ig_ctx_options options = {.backend = "cpu", .threads = threads};
  const ig_status status = ig_ctx_open(&options, out);
  return status == IG_OK ? IG_OK : IG_FAIL(cx, status, "%s", ig_ctx_message(*out));
}

/* Mean seconds a step at each of `shares` of the build, on one core. */
static ig_status core_time(ig_ctx *cx, const ig_bench_sink *sink, const subject *s,
                           const strategy *how, const char *name, const double *share, int shares,
                           double *mean) {
  ig_ctx *one;
  build b;
  ig_status status = core_open(cx, 1, &one);
  memset(&b, 0, sizeof b);
  if (status == IG_OK)
    status = build_open(one, s, how, &b);
  *mean = 0;
  timing t = {0}, all = {0};
  for (int i = 0; i < shares && status == IG_OK; i++) {
    status = build_at(&b, share[i]);
    if (status == IG_OK)
      status = build_time(&b, 0.3, &t);
    *mean += per_step(&t) / shares;
    all = (timing){all.steps + t.steps, all.work + t.work, all.seconds + t.seconds};
  }
  if (status == IG_OK) {
    char note[128];
    snprintf(note, sizeof note, "%.3g us/step, single precision", 1e6 * *mean);
    row_say(sink, &b, name, &all, note);
  } else {
    (void)IG_FAIL(cx, status, "%s", ig_ctx_message(one));
  }
  build_close(&b);
  ig_ctx_close(one);
  return status;
}

static ig_status cores_time(ig_ctx *cx, const ig_bench_sink *sink, const subject *s,
                            const double *share, int shares, core *c) {
  IG_TRY(core_time(cx, sink, s, &strategies[BEST], "best core", share, shares, &c->best));
  return core_time(cx, sink, s, &strategies[SIMPLE], "simple core", share, shares, &c->simple);
}

/* --- errors */

typedef struct {
  double *T[2]; /* face points; lumped */
  ig_lid nodes;
  int steps;
} reference;

static ig_status temperatures_after(build *b, int steps, double **T) {
  IG_TRY(build_at(b, 0.5));
  IG_TRY(build_steps(b, steps));
  IG_TRY(IG_NEW(b->job.cx, T, b->run.heat.nodes, "temperatures"));
  return ig_heat_temperatures(b->job.cx, &b->run.heat, *T);
}

static ig_status reference_make(ig_ctx *cx, const subject *s, int steps, reference *r) {
  static const strategy how[] = {{"", IG_HEAT_RECOMPUTE, IG_GATHER, IG_HEAT_SWITCH},
                                 {"", IG_HEAT_CLASSES, IG_GATHER, IG_HEAT_LUMPED}};
  memset(r, 0, sizeof *r);
  r->steps = steps;
  ig_ctx *cpu;
  ig_status status = core_open(cx, cx->threads, &cpu);
  for (int i = 0; i < 2 && status == IG_OK; i++) {
    build b;
    status = build_open(cpu, s, &how[i], &b);
    if (status == IG_OK)
      status = temperatures_after(&b, steps, &r->T[i]);
    r->nodes = b.run.heat.now.nodes;
    if (status != IG_OK)
      (void)IG_FAIL(cx, status, "%s", ig_ctx_message(cpu));
    build_close(&b);
  }
  ig_ctx_close(cpu);
  return status;
}

static void reference_free(reference *r) {
  free(r->T[0]);
  free(r->T[1]);
}

static ig_status error_of(build *b, const strategy *how, const reference *r, double *mean,
                          double *worst) {
  double *T = NULL;
  const ig_status status = temperatures_after(b, r->steps, &T);
  const double *want = r->T[how->surface == IG_HEAT_LUMPED];
  *mean = *worst = 0;
  for (ig_lid n = 0; n < r->nodes && status == IG_OK; n++) {
    *mean += fabs(T[n] - want[n]) / r->nodes;
    *worst = fmax(*worst, fabs(T[n] - want[n]));
  }
  free(T);
  return status;
}

/* --- tables */

static ig_status strategy_row(ig_ctx *cx, const ig_bench_sink *sink, const subject *s,
                              const strategy *how, const core *c, const reference *r) {
  build b;
  timing t;
  double mean = 0, worst = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, build_open(cx, s, how, &b));
  IG_TRY_GOTO(status, done, error_of(&b, how, r, &mean, &worst));
  IG_TRY_GOTO(status, done, build_at(&b, 0.5));
  IG_TRY_GOTO(status, done, build_time(&b, on_gpu(cx) ? 0.12 : 0.3, &t));
  char note[192];
  const double whole = per_step(&t) * (double)b.run.steps;
  snprintf(note, sizeof note,
           "%.3g us/step, build in %.3g s (scaled) = %.3g x real time; %.3g x best core, %.3g x "
           "simple core; error %.2g K",
           1e6 * per_step(&t), whole, b.sample->c.duration / whole, c->best / per_step(&t),
           c->simple / per_step(&t), mean);
  row_say(sink, &b, how->name, &t, note);
done:
  build_close(&b);
  return status;
}

static ig_status sample_table(ig_ctx *cx, const ig_bench_sink *sink, const subject *s,
                              int error_steps) {
  static const double half[] = {0.5};
  core c;
  reference r;
  memset(&r, 0, sizeof r);
  ig_status status = cores_time(cx, sink, s, half, 1, &c);
  if (status == IG_OK)
    status = reference_make(cx, s, error_steps, &r);
  for (int i = 0; i < STRATEGIES && status == IG_OK; i++)
    status = strategy_row(cx, sink, s, &strategies[i], &c, &r);
  reference_free(&r);
  return status;
}

ig_status ig_bench_samples(ig_ctx *cx, const ig_bench_sink *sink) {
  static make_fn *const makes[] = {ig_sample_cubic, ig_sample_cruciform, ig_sample_thin_wall,
                                   ig_sample_powder_bed};
  for (int i = 0; i < 4; i++) {
    subject s;
    ig_status status = subject_open(cx, makes[i], &s);
    if (status == IG_OK)
      status = sample_table(cx, sink, &s, 20);
    ig_mesh_free(s.mesh);
    IG_TRY(status);
  }
  return IG_OK;
}

/* The whole build, from steps at its beginning, middle and end. */
static ig_status whole_row(ig_ctx *cx, const ig_bench_sink *sink, const subject *s) {
  static const double share[] = {0.1, 0.5, 0.9};
  core c;
  build b;
  timing all = {0};
  double mean = 0;
  ig_status status;
  memset(&b, 0, sizeof b);
  IG_TRY_GOTO(status, done, cores_time(cx, sink, s, share, 3, &c));
  IG_TRY_GOTO(status, done, build_open(cx, s, &strategies[BEST], &b));
  for (int i = 0; i < 3; i++) {
    timing t;
    IG_TRY_GOTO(status, done, build_at(&b, share[i]));
    IG_TRY_GOTO(status, done, build_time(&b, 0.2, &t));
    mean += per_step(&t) / 3;
    all = (timing){all.steps + t.steps, all.work + t.work, all.seconds + t.seconds};
  }
  char note[192];
  snprintf(note, sizeof note,
           "%.3g us/step, build in %.3g s, scaled from steps at 10, 50 and 90 %%; %.3g x best core "
           "(asked: 300), %.3g x simple core",
           1e6 * mean, mean * (double)b.run.steps, c.best / mean, c.simple / mean);
  row_say(sink, &b, "whole build, stencil", &all, note);
done:
  build_close(&b);
  return status;
}

ig_status ig_bench_sizes(ig_ctx *cx, const ig_bench_sink *sink) {
  static make_fn *const makes[] = {ig_sample_cubic_coarse, ig_sample_cubic_medium,
                                   ig_sample_cubic_fine};
  for (int i = 0; i < (on_gpu(cx) ? 3 : 2); i++) {
    subject s;
    ig_status status = subject_open(cx, makes[i], &s);
    if (status == IG_OK)
      status = sample_table(cx, sink, &s, i == 2 ? 4 : 20);
    if (status == IG_OK && i == 2)
      status = whole_row(cx, sink, &s);
    ig_mesh_free(s.mesh);
    IG_TRY(status);
  }
  return IG_OK;
}

ig_status ig_bench_accuracy(ig_ctx *cx, const ig_bench_sink *sink) {
  subject s;
  reference r;
  memset(&r, 0, sizeof r);
  ig_status status = subject_open(cx, ig_sample_nu_shape, &s);
  if (status == IG_OK)
    status = reference_make(cx, &s, 100, &r);
  for (int i = 0; i < STRATEGIES && status == IG_OK; i++) {
    build b;
    timing t;
    double mean = 0, worst = 0;
    status = build_open(cx, &s, &strategies[i], &b);
    if (status == IG_OK)
      status = error_of(&b, &strategies[i], &r, &mean, &worst);
    if (status == IG_OK)
      status = build_time(&b, 0.1, &t);
    if (status == IG_OK) {
      char note[128];
      snprintf(note, sizeof note, "mean absolute error %.3g K after %d steps, worst %.3g K", mean,
               r.steps, worst);
      row_say(sink, &b, strategies[i].name, &t, note);
    }
    build_close(&b);
  }
  reference_free(&r);
  ig_mesh_free(s.mesh);
  return status;
}

/* All of the cubic sample's 1.2 million steps on a GPU; on a CPU as far as 20 seconds go. */
ig_status ig_bench_whole(ig_ctx *cx, const ig_bench_sink *sink) {
  subject s;
  build b;
  timing t;
  memset(&b, 0, sizeof b);
  ig_status status;
  IG_TRY_GOTO(status, done, subject_open(cx, ig_sample_cubic, &s));
  IG_TRY_GOTO(status, done, build_open(cx, &s, &strategies[BEST], &b));
  IG_TRY_GOTO(status, done, build_at(&b, 0));
  IG_TRY_GOTO(status, done, build_time(&b, on_gpu(cx) ? 60 : 20, &t));
  char note[128];
  const double whole = per_step(&t) * (double)b.run.steps;
  snprintf(note, sizeof note, "%.3g us/step; whole build %.3g s = %.3g x real time; setup %.2g s",
           1e6 * per_step(&t), whole, b.sample->c.duration / whole, b.ready);
  row_say(sink, &b, on_gpu(cx) ? "whole build, stencil" : "from the start, stencil", &t, note);
done:
  build_close(&b);
  ig_mesh_free(s.mesh);
  return status;
}
