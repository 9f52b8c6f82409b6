/* Benchmarks of the dynamics room: element-steps per second of each kind of element, steps per
   second of small models, and the share of a run that output takes. */
#include "bench/dynamics/bench.h"
#include "assembly/assembly.h"
#include "backend/backend.h"
#include "dynamics/model/part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ig_status measure(ig_ctx *cx, const ig_bench_sink *sink, const ig_dyn_subject *s, int size,
                         ig_precision precision, ig_assembly assembly, double seconds,
                         const char *note) {
  static const char *const precisions[] = {"single", "double", "mixed"};
  ig_dyn_problem q;
  ig_dyn_model *m = NULL;
  ig_status status;
  IG_TRY(ig_dyn_problem_new(cx, &q));
  IG_TRY_GOTO(status, done, ig_dyn_subject_open(&q, s, size, precision, assembly, &m));
  const int64_t portion = cx->backend->graph_begin ? 100 : 20;
  IG_TRY_GOTO(status, done, ig_dyn_advance(m, portion + 1)); /* warm, recorded where it can be */
  IG_TRY_GOTO(status, done, cx->backend->sync(cx));
  double spent = 0;
  int64_t steps = 0;
  while (spent < seconds) {
    const double start = ig_now();
    IG_TRY_GOTO(status, done, ig_dyn_advance(m, portion));
    IG_TRY_GOTO(status, done, cx->backend->sync(cx));
    spent += ig_now() - start;
    steps += portion;
  }
  IG_TRY_GOTO(status, done, ig_fault_check(cx, "element", m->fault_ids));
  char name[96];
  const double elements = ig_mesh_elements(q.mesh);
  snprintf(name, sizeof name, "%s %s %s", s->name, precisions[precision],
           ig_assembly_names[assembly]);
  const ig_bench_row row = {.name = name,
                            .elements = elements,
                            .steps = (double)steps,
                            .seconds = spent,
                            .rate = elements * (double)steps / spent,
                            .rate_unit = "element-steps",
                            .bytes = ig_dyn_step_bytes(m) * (double)steps,
                            .memory = (double)cx->device_bytes,
                            .note = note};
  sink->row(sink->user, &row);
done:
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  return status;
}

static ig_status bench_elements(ig_ctx *cx, const ig_bench_sink *sink) {
  const bool gpu = cx->backend->kernels == IG_KERNELS_CUDA;
  for (int i = 0; i < IG_SUBJECTS; i++) {
    const ig_dyn_subject *s = &ig_dyn_subjects[i];
    const int size = ig_bench_size(cx, s->large, s->small, 2);
    const double seconds = ig_bench_seconds(cx, 0.3, 0.5);
    static const ig_precision precision[] = {IG_DOUBLE, IG_SINGLE, IG_MIXED};
    for (int k = 0; k < 3; k++)
      IG_TRY(measure(cx, sink, s, size, precision[k], gpu ? IG_ATOMIC : IG_GATHER, seconds, NULL));
    if (cx->interrupted)
      break;
  }
  return IG_OK;
}

static ig_status bench_assembly(ig_ctx *cx, const ig_bench_sink *sink) {
  static const int some[] = {0, 2, 3, 4, 6}; /* elastic ones: assembly weighs most there */
  for (int how = IG_ATOMIC; how <= IG_CLUSTER; how++)
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
      const ig_dyn_subject *s = &ig_dyn_subjects[some[k]];
      IG_TRY(measure(cx, sink, s, ig_bench_size(cx, s->large, s->small, 2), IG_DOUBLE,
                     (ig_assembly)how, ig_bench_seconds(cx, 0.3, 0.5), NULL));
    }
  return IG_OK;
}

/* 10^5 elements on one core of this machine, on two, four and so on. */
static ig_status bench_cores(ig_ctx *cx, const ig_bench_sink *sink) {
  static const struct { int subject, size; } some[] = {{0, 20}, {2, 20}, {4, 160}, {5, 160}};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++)
    for (int threads = 1; threads <= cx->threads; threads *= 2) {
      const ig_ctx_options options = {.backend = "cpu", .threads = threads};
      ig_ctx *own;
      char note[64];
      snprintf(note, sizeof note, "%d core%s", threads, threads > 1 ? "s" : "");
      ig_status status = ig_ctx_open(&options, &own);
      const int size = ig_bench_size(cx, some[i].size, some[i].size, 2);
      if (status == IG_OK)
        status = measure(own, sink, &ig_dyn_subjects[some[i].subject], size, IG_DOUBLE, IG_GATHER,
                         ig_bench_seconds(cx, 0.5, 0.5), note);
      if (status != IG_OK)
        status = IG_FAIL(cx, status, "%s", ig_ctx_message(own));
      ig_ctx_close(own);
      IG_TRY(status);
    }
  return IG_OK;
}

/* About 10^4 elements: what counts is how fast one step follows the other. */
static ig_status bench_small(ig_ctx *cx, const ig_bench_sink *sink) {
  static const int size[] = {10, 10, 10, 6, 50, 50, 71};
  for (int i = 0; i < IG_SUBJECTS; i++)
    if (i != 1 && i != 3)
      for (int how = IG_ATOMIC; how <= IG_GATHER; how += 2)
        IG_TRY(measure(cx, sink, &ig_dyn_subjects[i], ig_bench_size(cx, size[i], size[i], 2),
                       IG_DOUBLE, (ig_assembly)how, ig_bench_seconds(cx, 0.2, 0.3),
                       "steps per second count"));
  return IG_OK;
}

/* Transfer counted as in Tang et al. (2020): displacements taken out 100 times in 10^4 steps, on a
   stream of their own while steps go on. Against the same steps without. */
static ig_status bench_transfer(ig_ctx *cx, const ig_bench_sink *sink) {
  const bool gpu = cx->backend->kernels == IG_KERNELS_CUDA;
  const int size = ig_bench_size(cx, 46, 8, 2); /* a GPU: about the paper's largest annulus */
  const int outputs = gpu ? 20 : 2, between = gpu ? 100 : 50;
  ig_dyn_problem q;
  ig_dyn_model *m = NULL;
  ig_array shown = {0};
  ig_ticket *ticket = NULL;
  void *host = NULL;
  ig_status status;
  double critical, spent[2];
  IG_TRY(ig_dyn_problem_new(cx, &q));
  IG_TRY_GOTO(status, done, ig_dyn_subjects[IG_SUBJECT_HEX].mesh(&q, size));
  IG_TRY_GOTO(status, done, ig_dyn_problem_open(&q, IG_DOUBLE, IG_ATOMIC, &m));
  const size_t n = (size_t)m->p.nodes, bytes = 3 * n * sizeof(double);
  IG_TRY_GOTO(status, done, ig_array_new_device(cx, &shown, 6 * n, sizeof(double), "output"));
  IG_TRY_GOTO(status, done, cx->backend->host_alloc(cx, &host, bytes));
  IG_TRY_GOTO(status, done, ig_dyn_critical_step(m, &critical));
  IG_TRY_GOTO(status, done, ig_dyn_stir(m));
  IG_TRY_GOTO(status, done, ig_dyn_set_clock(m, 0.5 * critical, 0));
  IG_TRY_GOTO(status, done, ig_dyn_advance(m, 101));
  for (int with = 0; with < 2; with++) {
    IG_TRY_GOTO(status, done, cx->backend->sync(cx));
    const double start = ig_now();
    for (int i = 0; i < outputs; i++) {
      IG_TRY_GOTO(status, done, ig_dyn_advance(m, between));
      if (!with)
        continue;
      ig_ticket *before = ticket;
      ticket = NULL;
      IG_TRY_GOTO(status, done, cx->backend->copy_out_wait(cx, before));
      IG_TRY_GOTO(status, done, m->ops->show(cx, &m->p, shown.dev, (double *)shown.dev + 3 * n));
      IG_TRY_GOTO(status, done, cx->backend->copy_out_start(cx, host, shown.dev, bytes, &ticket));
    }
    IG_TRY_GOTO(status, done, cx->backend->sync(cx));
    spent[with] = ig_now() - start;
  }
  const double elements = ig_mesh_elements(q.mesh);
  char note[64];
  snprintf(note, sizeof note, "output takes %.2f %% of the time",
           100 * (spent[1] - spent[0]) / spent[1]);
  const ig_bench_row row = {.name = "hexahedra with output every 100 steps",
                            .elements = elements,
                            .steps = (double)outputs * between,
                            .seconds = spent[1],
                            .rate = elements * outputs * between / spent[1],
                            .rate_unit = "element-steps",
                            .bytes = ig_dyn_step_bytes(m) * outputs * between,
                            .memory = (double)cx->device_bytes,
                            .note = note};
  sink->row(sink->user, &row);
done:
  if (ticket && cx->backend->copy_out_wait(cx, ticket) != IG_OK && status == IG_OK)
    status = IG_DEVICE;
  if (host)
    cx->backend->host_free(cx, host);
  ig_array_free(cx, &shown);
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  return status;
}

const ig_bench_entry ig_dyn_bench[] = {
    {"elements", "each kind of element in double, single and mixed precision", bench_elements},
    {"assembly", "elastic elements of each kind with each assembly", bench_assembly},
    {"cores", "10^5 elements on one core, on two, four, up to all", bench_cores},
    {"small", "models of 10^4 elements", bench_small},
    {"paper", "Tang et al. (2020), Tables 1 to 3: dome, pinched cylinder, annulus",
     ig_dyn_bench_paper},
    {"speedup", "Tang et al. (2020), Figure 10: 2000 steps against one CPU thread",
     ig_dyn_bench_speedup},
    {"tasks", "Tang et al. (2020), Figures 20 and 21: shares of a step", ig_dyn_bench_tasks},
    {"kernels", "Tang et al. (2020), Table 4: registers and occupancy (GPU only)",
     ig_dyn_bench_kernels},
    {"ranks", "a million hexahedra (two on a GPU) on one rank and on several", ig_dyn_bench_ranks},
    {"transfer", "share of the time that output takes", bench_transfer},
    {.name = NULL}};
