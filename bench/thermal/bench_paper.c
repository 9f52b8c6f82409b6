/* What Mozaffar et al. (2019) say about their strategies besides times: errors over a whole build
   (Table 2) and the probe's curve (Figure 13b), shares of a step, occupancy, overlap (Figure 6).

   accuracy  the NU shape, 150 s in 30,000 steps from the first to the last, in single precision as
             in the paper, against this CPU in the same discrete form (surface fluxes at face
             points, or lumped). Temperatures of all nodes there are compared at 30 times.
   kernels   kernels of a step, each launched many times apart from the others
   overlap   steps with and without snapshots */
#include "backend/backend.h"
#include "bench/thermal/bench_build.h"
#include "thermal/kernels/heat_ops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 30, PROBED = 10 }; /* comparisons of all nodes; the probe is read so often between */

static bool on_gpu(const ig_ctx *cx) {
  return cx->backend->kernels == IG_KERNELS_CUDA;
}

/* Temperatures of a whole build, as often as LOOKS says: looks x nodes. */
typedef struct {
  float *T;
  ig_lid nodes, there[LOOKS]; /* there: nodes in use */
  double time[LOOKS], seconds;
  double probe[LOOKS * PROBED], probe_time[LOOKS * PROBED];
} curve;

static void curve_free(curve *c) {
  free(c->T);
  c->T = NULL;
}

/* Runs the build to `share` of its end. */
static ig_status curve_make(ig_build *b, double share, ig_lid probe, curve *c) {
  ig_ctx *cx = b->job.cx;
  const int64_t steps = (int64_t)(share * (double)b->run.steps);
  double *T;
  memset(c, 0, sizeof *c);
  c->nodes = b->run.heat.nodes;
  IG_TRY(IG_NEW(cx, &T, c->nodes, "temperatures"));
  ig_status status = IG_NEW(cx, &c->T, (size_t)LOOKS * (size_t)c->nodes, "temperatures");
  if (status == IG_OK)
    status = ig_build_at(b, 0);
  const double begin = ig_now();
  for (int i = 0; i < LOOKS && status == IG_OK; i++) {
    for (int k = i * PROBED; k < (i + 1) * PROBED && status == IG_OK; k++) {
      status = ig_build_steps(b, steps * (k + 1) / (LOOKS * PROBED) - b->run.step);
      if (status == IG_OK)
        status = ig_heat_temperatures(cx, &b->run.heat, T);
      c->probe[k] = T[probe];
      c->probe_time[k] = (double)b->run.step * b->run.dt;
    }
    c->there[i] = b->run.heat.now.nodes;
    c->time[i] = (double)b->run.step * b->run.dt;
    for (ig_lid n = 0; n < c->nodes && status == IG_OK; n++)
      c->T[(int64_t)i * c->nodes + n] = (float)T[n];
  }
  c->seconds = ig_now() - begin;
  free(T);
  return status;
}

static ig_status curve_on_cpu(ig_ctx *cx, const ig_build_subject *s, bool lumped, double share,
                              ig_lid probe, curve *c) {
  static const ig_build_strategy how[] = {{"", IG_HEAT_RECOMPUTE, IG_GATHER, IG_HEAT_SWITCH},
                                          {"", IG_HEAT_STENCIL, IG_GATHER, IG_HEAT_LUMPED}};
  ig_ctx *cpu;
  ig_build b;
  memset(&b, 0, sizeof b);
  memset(c, 0, sizeof *c);
  ig_status status = ig_build_core_open(cx, cx->threads, &cpu);
  if (status == IG_OK)
    status = ig_build_open(cpu, s, &how[lumped], &b);
  if (status == IG_OK)
    status = curve_make(&b, share, probe, c);
  if (status != IG_OK)
    (void)IG_FAIL(cx, status, "%s", ig_ctx_message(cpu));
  ig_build_close(&b);
  ig_ctx_close(cpu);
  return status;
}

/* A node inside the first stroke of the letter N, six layers above the plate. */
static ig_lid probe_find(const ig_mesh *mesh) {
  const double cell = 0.55e-3, at[3] = {16 * cell, 30 * cell, 26 * cell};
  double best = INFINITY;
  ig_lid found = 0;
  for (ig_lid n = 0; n < mesh->nodes; n++) {
    double apart = 0;
    for (int d = 0; d < 3; d++)
      apart += pow(mesh->x[3 * (int64_t)n + d] - at[d], 2);
    if (apart < best) {
      best = apart;
      found = n;
    }
  }
  return found;
}

static void accuracy_row(const ig_bench_sink *sink, const ig_build *b, const char *name,
                         const curve *c, const curve *want) {
  double sum = 0, count = 0, worst = 0, last = 0;
  for (int i = 0; i < LOOKS; i++) {
    last = 0;
    for (ig_lid n = 0; n < want->there[i]; n++) {
      const int64_t at = (int64_t)i * c->nodes + n;
      const double error = fabs((double)c->T[at] - (double)want->T[at]);
      last += error / want->there[i];
      worst = fmax(worst, error);
    }
    sum += last * want->there[i];
    count += want->there[i];
  }
  char note[192];
  snprintf(note, sizeof note,
           "mean absolute error %.3g K over %.3g s of the build, %.3g K at its end, worst %.3g K",
           sum / count, c->time[LOOKS - 1], last, worst);
  const ig_build_timing t = {b->run.step, b->run.heat.element_steps, c->seconds, b->writing};
  ig_build_say(sink, b, name, &t, note);
}

/* Figure 13b as rows, from the probe's birth on: its strategy, atomic and branch. */
static void probe_rows(const ig_bench_sink *sink, const ig_build *b, const curve *c,
                       const curve *want) {
  const ig_build_timing t = {1, 0, c->seconds / (LOOKS * PROBED), 0};
  const double start = want->probe[0];
  double worst = 0, peak[2] = {0, 0};
  char name[64], note[128];
  for (int k = 0; k < LOOKS * PROBED; k++) {
    worst = fmax(worst, fabs(c->probe[k] - want->probe[k]));
    peak[0] = fmax(peak[0], want->probe[k]);
    peak[1] = fmax(peak[1], c->probe[k]);
    if (want->probe[k] == start || (k % 5 && fabs(want->probe[k] - want->probe[k - 1]) < 50))
      continue; /* not born; or little happens */
    snprintf(name, sizeof name, "probe at %.4g s", c->probe_time[k]);
    snprintf(note, sizeof note, "CPU %.3f K, here %.3f K", want->probe[k], c->probe[k]);
    ig_build_say(sink, b, name, &t, note);
  }
  snprintf(note, sizeof note, "highest of %d readings: CPU %.3f K, here %.3f K; worst apart %.3g K",
           LOOKS * PROBED, peak[0], peak[1], worst);
  ig_build_say(sink, b, "probe", &t, note);
}

ig_status ig_bench_accuracy(ig_ctx *cx, const ig_bench_sink *sink) {
  /* a CPU against itself needs no whole build */
  const double share = 1e-4 * ig_bench_size(cx, 10000, 100, 1);
  ig_build_subject s;
  curve want[2];
  memset(want, 0, sizeof want);
  ig_status status = ig_build_subject_open(
      cx, cx->smoke ? ig_build_problem_cubic_coarse : ig_build_problem_nu_shape, &s);
  const ig_lid probe = status == IG_OK ? probe_find(s.mesh) : 0;
  for (int i = 0; i < 2 && status == IG_OK; i++)
    status = curve_on_cpu(cx, &s, i == 1, share, probe, &want[i]);
  for (int i = ig_bench_size(cx, 0, 0, IG_BUILD_STRATEGIES - 1);
       i < IG_BUILD_STRATEGIES && status == IG_OK; i++) {
    const ig_build_strategy *how = &ig_build_strategies[i];
    const curve *w = &want[how->surface == IG_HEAT_LUMPED];
    ig_build b;
    curve c;
    memset(&c, 0, sizeof c);
    status = ig_build_open(cx, &s, how, &b);
    if (status == IG_OK)
      status = curve_make(&b, share, probe, &c);
    if (status == IG_OK)
      accuracy_row(sink, &b, how->name, &c, w);
    if (status == IG_OK && how->assembly == IG_ATOMIC && how->surface == IG_HEAT_BRANCH)
      probe_rows(sink, &b, &c, w);
    curve_free(&c);
    ig_build_close(&b);
  }
  curve_free(&want[0]);
  curve_free(&want[1]);
  ig_mesh_free(s.mesh);
  return status;
}

/* --- kernels */

static ig_status kernels_rows(ig_ctx *cx, const ig_bench_sink *sink, const ig_build_subject *s,
                              const ig_build_strategy *how) {
  ig_build b;
  ig_build_timing t;
  ig_heat_kernel_cost cost[IG_HEAT_KERNELS];
  int count = 0;
  double all = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_build_open(cx, s, how, &b));
  IG_TRY_GOTO(status, done, ig_build_at(&b, 0.5));
  IG_TRY_GOTO(status, done, ig_build_time(&b, 0.1, &t));
  IG_TRY_GOTO(status, done, b.run.heat.ops->kernels(cx, &b.run.heat, cost, &count));
  for (int i = 0; i < count; i++)
    all += cost[i].seconds;
  for (int i = 0; i < count; i++) {
    char name[64], note[192];
    snprintf(name, sizeof name, "%s: %s", how->name, cost[i].name);
    snprintf(note, sizeof note,
             "%.3g us in %d launches, %.1f %% of the three (a whole step: %.3g us); %d registers, "
             "occupancy %.1f %%, with the blocks there are %.1f %%",
             1e6 * cost[i].seconds, cost[i].launches, 100 * cost[i].seconds / all,
             1e6 * ig_build_per_step(&t), cost[i].registers, 100 * cost[i].occupancy,
             100 * cost[i].filled);
    ig_build_say(sink, &b, name, &t, note);
  }
done:
  ig_build_close(&b);
  return status;
}

ig_status ig_bench_kernels(ig_ctx *cx, const ig_bench_sink *sink) {
  static ig_build_problem_fn *const makes[] = {ig_build_problem_cubic, ig_build_problem_cruciform,
                                               ig_build_problem_thin_wall,
                                               ig_build_problem_powder_bed};
  if (!on_gpu(cx)) {
    ig_warn(cx, "left out: this benchmark is for a GPU");
    return IG_OK;
  }
  for (int i = 0; i < ig_bench_size(cx, 4, 4, 1); i++) {
    ig_build_subject s;
    ig_status status = ig_build_subject_open(cx, makes[i], &s);
    for (int k = 0; k < 5 && status == IG_OK; k++)
      status = kernels_rows(cx, sink, &s, &ig_build_strategies[k]);
    ig_mesh_free(s.mesh);
    IG_TRY(status);
  }
  return IG_OK;
}

/* --- overlap */

/* Copies of all temperatures to the host: none, each waited for, each under way during the next
   steps. */
typedef enum { NO_COPY, WAITED, OVERLAPPED } copying;
static int copies(const ig_ctx *cx) { /* and steps between them */
  return ig_bench_size(cx, 64, 64, 1);
}

static ig_status overlap_run(ig_build *b, copying how, void *host, double *seconds) {
  ig_ctx *cx = b->job.cx;
  ig_array *T = &b->run.heat.node.T;
  ig_ticket *ticket = NULL;
  bool pending = false;
  IG_TRY(ig_build_at(b, 0.5));
  IG_TRY(ig_build_steps(b, ig_bench_size(cx, 512, 512, 1))); /* warm up */
  IG_TRY(cx->backend->sync(cx));
  const double begin = ig_now();
  for (int i = 0; i < copies(cx); i++) {
    IG_TRY(ig_build_steps(b, copies(cx)));
    if (pending)
      IG_TRY(cx->backend->copy_out_wait(cx, ticket));
    pending = how == OVERLAPPED;
    if (pending)
      IG_TRY(cx->backend->copy_out_start(cx, host, T->dev, T->count * T->size, &ticket));
    else if (how == WAITED)
      IG_TRY(cx->backend->copy_out(cx, host, T->dev, T->count * T->size));
  }
  if (pending)
    IG_TRY(cx->backend->copy_out_wait(cx, ticket));
  IG_TRY(cx->backend->sync(cx));
  *seconds = ig_now() - begin;
  return IG_OK;
}

static ig_status overlap_rows(ig_ctx *cx, const ig_bench_sink *sink, const ig_build_subject *s) {
  static const char *const name[] = {"no snapshots", "snapshots waited for",
                                     "snapshots under way during steps"};
  ig_build b;
  void *host = NULL;
  double seconds[3] = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, ig_build_open(cx, s, &ig_build_strategies[1], &b));
  const size_t bytes = b.run.heat.node.T.count * b.run.heat.node.T.size;
  IG_TRY_GOTO(status, done, cx->backend->host_alloc(cx, &host, bytes));
  for (int i = 0; i < 3; i++) {
    char note[160] = "";
    double before = 0;
    for (int round = 0; round < ig_bench_size(cx, 4, 4, 2);
         round++) { /* the quietest of three, after one to warm up */
      double took;
      before = b.run.heat.element_steps;
      IG_TRY_GOTO(status, done, overlap_run(&b, (copying)i, host, &took));
      seconds[i] = round < 2 || took < seconds[i] ? took : seconds[i];
    }
    if (i)
      snprintf(note, sizeof note, "%.3g MB every %d steps: a snapshot costs %.3g us, %.1f %% more",
               1e-6 * (double)bytes, copies(cx), 1e6 * (seconds[i] - seconds[0]) / copies(cx),
               100 * (seconds[i] / seconds[0] - 1));
    const ig_build_timing t = {copies(cx) * copies(cx), b.run.heat.element_steps - before,
                               seconds[i], 0};
    ig_build_say(sink, &b, name[i], &t, note);
  }
done:
  if (host)
    cx->backend->host_free(cx, host);
  ig_build_close(&b);
  return status;
}

ig_status ig_bench_overlap(ig_ctx *cx, const ig_bench_sink *sink) {
  ig_build_subject s;
  IG_TRY(ig_build_subject_open(
      cx, on_gpu(cx) && !cx->smoke ? ig_build_problem_powder_bed : ig_build_problem_cubic_coarse,
      &s));
  const ig_status status = overlap_rows(cx, sink, &s);
  ig_mesh_free(s.mesh);
  return status;
}
