/* The samples of Mozaffar et al. (2019) on this machine: its strategies and ours, against one core
   of the CPU.

   samples   four builds, half built: Figures 9 to 11
   sizes     the cubic build in three sizes: Figure 12; the largest one's whole build
   stages    those builds at 10, 50 and 90 %, and what the host writes ahead in them
   whole     the cubic build from first to last step

   `best core` is this engine's fastest form on one core; `simple core` the paper's simplified
   reference: one core, element matrices and surface areas worked out once, constant properties.
   Errors are means over the nodes after a few steps from the half-built state, against the CPU in
   the same discrete form (surface fluxes at face points, or lumped). */
#include "bench/thermal/bench_build.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRATEGIES = IG_BUILD_STRATEGIES, SIMPLE = 4, BEST = 5 };

static bool on_gpu(const ig_ctx *cx) {
  return cx->backend->kernels == IG_KERNELS_CUDA;
}

/* Seconds a step: half-way through the build, and as a mean over it. */
typedef struct {
  double best, simple, best_mean, simple_mean;
} core;

/* Seconds a step on one core: at the middle one of an odd number of shares of the build, and the
   mean of all. */
static ig_status core_time(ig_ctx *cx, const ig_bench_sink *sink, const ig_build_subject *s,
                           const ig_build_strategy *how, const char *name, const double *share,
                           int shares, double *half, double *mean) {
  ig_ctx *one;
  ig_build b;
  ig_status status = ig_build_core_open(cx, 1, &one);
  memset(&b, 0, sizeof b);
  if (status == IG_OK)
    status = ig_build_open(one, s, how, &b);
  *mean = 0;
  ig_build_timing t = {0}, all = {0};
  for (int i = 0; i < shares && status == IG_OK; i++) {
    status = ig_build_at(&b, share[i]);
    if (status == IG_OK)
      status = ig_build_time(&b, 0.3, &t);
    *mean += ig_build_per_step(&t) / shares;
    *half = i == shares / 2 ? ig_build_per_step(&t) : *half;
    ig_build_timing_add(&all, &t);
  }
  if (status == IG_OK) {
    char note[128];
    snprintf(note, sizeof note, "%.3g us/step, single precision", 1e6 * *mean);
    ig_build_say(sink, &b, name, &all, note);
  } else {
    (void)IG_FAIL(cx, status, "%s", ig_ctx_message(one));
  }
  ig_build_close(&b);
  ig_ctx_close(one);
  return status;
}

static ig_status cores_time(ig_ctx *cx, const ig_bench_sink *sink, const ig_build_subject *s,
                            const double *share, int shares, core *c) {
  IG_TRY(core_time(cx, sink, s, &ig_build_strategies[BEST], "best core", share, shares, &c->best,
                   &c->best_mean));
  return core_time(cx, sink, s, &ig_build_strategies[SIMPLE], "simple core", share, shares,
                   &c->simple, &c->simple_mean);
}

/* --- errors */

typedef struct {
  double *T[2]; /* face points; lumped */
  ig_lid nodes;
  int steps;
} reference;

static ig_status temperatures_after(ig_build *b, int steps, double **T) {
  IG_TRY(ig_build_at(b, 0.5));
  IG_TRY(ig_build_steps(b, steps));
  IG_TRY(IG_NEW(b->job.cx, T, b->run.heat.nodes, "temperatures"));
  return ig_heat_temperatures(b->job.cx, &b->run.heat, *T);
}

static ig_status reference_make(ig_ctx *cx, const ig_build_subject *s, int steps, reference *r) {
  static const ig_build_strategy how[] = {{"", IG_HEAT_RECOMPUTE, IG_GATHER, IG_HEAT_SWITCH},
                                          {"", IG_HEAT_CLASSES, IG_GATHER, IG_HEAT_LUMPED}};
  memset(r, 0, sizeof *r);
  r->steps = steps;
  ig_ctx *cpu;
  ig_status status = ig_build_core_open(cx, cx->threads, &cpu);
  for (int i = 0; i < 2 && status == IG_OK; i++) {
    ig_build b;
    status = ig_build_open(cpu, s, &how[i], &b);
    if (status == IG_OK)
      status = temperatures_after(&b, steps, &r->T[i]);
    r->nodes = b.run.heat.now.nodes;
    if (status != IG_OK)
      (void)IG_FAIL(cx, status, "%s", ig_ctx_message(cpu));
    ig_build_close(&b);
  }
  ig_ctx_close(cpu);
  return status;
}

static void reference_free(reference *r) {
  free(r->T[0]);
  free(r->T[1]);
}

static ig_status error_of(ig_build *b, const ig_build_strategy *how, const reference *r,
                          double *mean, double *worst) {
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

static ig_status strategy_row(ig_ctx *cx, const ig_bench_sink *sink, const ig_build_subject *s,
                              const ig_build_strategy *how, const core *c, const reference *r) {
  ig_build b;
  ig_build_timing t;
  double mean = 0, worst = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_build_open(cx, s, how, &b));
  if (r)
    IG_TRY_GOTO(status, done, error_of(&b, how, r, &mean, &worst));
  IG_TRY_GOTO(status, done, ig_build_at(&b, 0.5));
  IG_TRY_GOTO(status, done, ig_build_time(&b, on_gpu(cx) ? 0.12 : 0.3, &t));
  char note[192], error[32] = "";
  const double whole = ig_build_per_step(&t) * (double)b.run.steps;
  if (r)
    snprintf(error, sizeof error, "; error %.2g K", mean);
  snprintf(note, sizeof note,
           "%.3g us/step, build in %.3g s (scaled) = %.3g x real time; %.3g x best core, %.3g x "
           "simple core%s",
           1e6 * ig_build_per_step(&t), whole, b.problem->c.duration / whole,
           c->best / ig_build_per_step(&t), c->simple / ig_build_per_step(&t), error);
  ig_build_say(sink, &b, how->name, &t, note);
done:
  ig_build_close(&b);
  return status;
}

static ig_status sample_table(ig_ctx *cx, const ig_bench_sink *sink, const ig_build_subject *s,
                              const core *c, int error_steps) {
  reference r;
  ig_status status = reference_make(cx, s, error_steps, &r);
  for (int i = 0; i < ig_bench_size(cx, STRATEGIES, STRATEGIES, 1) && status == IG_OK; i++)
    status = strategy_row(cx, sink, s, &ig_build_strategies[i], c, &r);
  reference_free(&r);
  return status;
}

/* The largest: no errors, for the CPU would take longer than all the rest. */
static ig_status large_table(ig_ctx *cx, const ig_bench_sink *sink, const ig_build_subject *s,
                             const core *c) {
  for (int i = 0; i < STRATEGIES; i++)
    if (i != SIMPLE)
      IG_TRY(strategy_row(cx, sink, s, &ig_build_strategies[i], c, NULL));
  return IG_OK;
}

static const double half_way[] = {0.5}, over_build[] = {0.1, 0.5, 0.9};

ig_status ig_bench_samples(ig_ctx *cx, const ig_bench_sink *sink) {
  static ig_build_problem_fn *const makes[] = {ig_build_problem_cubic, ig_build_problem_cruciform,
                                               ig_build_problem_thin_wall,
                                               ig_build_problem_powder_bed};
  for (int i = 0; i < ig_bench_size(cx, 4, 4, 1); i++) {
    ig_build_subject s;
    core c;
    ig_status status =
        ig_build_subject_open(cx, cx->smoke ? ig_build_problem_cubic_coarse : makes[i], &s);
    if (status == IG_OK)
      status = cores_time(cx, sink, &s, half_way, 1, &c);
    if (status == IG_OK)
      status = sample_table(cx, sink, &s, &c, ig_bench_size(cx, 20, 20, 1));
    ig_mesh_free(s.mesh);
    IG_TRY(status);
  }
  return IG_OK;
}

/* The build at its beginning, middle and end: a row each, all steps together, mean seconds per
 * step.
 */
static ig_status stages_time(const ig_bench_sink *sink, ig_build *b, ig_build_timing *all,
                             double *mean) {
  memset(all, 0, sizeof *all);
  *mean = 0;
  for (int i = 0; i < 3; i++) {
    ig_build_timing t;
    char name[48], note[96];
    IG_TRY(ig_build_at(b, over_build[i]));
    IG_TRY(ig_build_time(b, 0.2, &t));
    *mean += ig_build_per_step(&t) / 3;
    ig_build_timing_add(all, &t);
    snprintf(name, sizeof name, "at %.0f %%, stencil", 100 * over_build[i]);
    snprintf(note, sizeof note, "%.3g us/step; %.3g of them the host writes ahead",
             1e6 * ig_build_per_step(&t), 1e6 * t.writing / (double)t.steps);
    ig_build_say(sink, b, name, &t, note);
  }
  return IG_OK;
}

static ig_status whole_row(ig_ctx *cx, const ig_bench_sink *sink, const ig_build_subject *s,
                           const core *c) {
  ig_build b;
  ig_build_timing all;
  double mean;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_build_open(cx, s, &ig_build_strategies[BEST], &b));
  IG_TRY_GOTO(status, done, stages_time(sink, &b, &all, &mean));
  char note[192];
  snprintf(
      note, sizeof note,
      "%.3g us/step, build in %.3g s, scaled from these; %.3g x best core (asked: 300), %.3g x "
      "simple core",
      1e6 * mean, mean * (double)b.run.steps, c->best_mean / mean, c->simple_mean / mean);
  ig_build_say(sink, &b, "whole build, stencil", &all, note);
done:
  ig_build_close(&b);
  return status;
}

ig_status ig_bench_stages(ig_ctx *cx, const ig_bench_sink *sink) {
  ig_build_problem_fn *const makes[] = {ig_build_problem_cubic_fine, ig_build_problem_cubic_medium,
                                        ig_build_problem_cubic_coarse};
  for (int i = ig_bench_size(cx, 0, 0, 2); i < 3; i++) {
    ig_build_subject s;
    ig_build b;
    ig_build_timing all;
    double mean;
    memset(&b, 0, sizeof b);
    ig_status status;
    IG_TRY_GOTO(status, done, ig_build_subject_open(cx, makes[i], &s));
    IG_TRY_GOTO(status, done, ig_build_open(cx, &s, &ig_build_strategies[BEST], &b));
    IG_TRY_GOTO(status, done, stages_time(sink, &b, &all, &mean));
  done:
    ig_build_close(&b);
    ig_mesh_free(s.mesh);
    IG_TRY(status);
  }
  return IG_OK;
}

ig_status ig_bench_sizes(ig_ctx *cx, const ig_bench_sink *sink) {
  static ig_build_problem_fn *const makes[] = {
      ig_build_problem_cubic_coarse, ig_build_problem_cubic_medium, ig_build_problem_cubic_fine};
  for (int i = 0; i < ig_bench_size(cx, 3, 2, 1); i++) {
    ig_build_subject s;
    core c;
    ig_status status = ig_build_subject_open(cx, makes[i], &s);
    if (status == IG_OK)
      status = cores_time(cx, sink, &s, i == 2 ? over_build : half_way, i == 2 ? 3 : 1, &c);
    if (status == IG_OK)
      status = i == 2 ? large_table(cx, sink, &s, &c)
                      : sample_table(cx, sink, &s, &c, ig_bench_size(cx, 20, 20, 1));
    if (status == IG_OK && i == 2)
      status = whole_row(cx, sink, &s, &c);
    ig_mesh_free(s.mesh);
    IG_TRY(status);
  }
  return IG_OK;
}

/* All of the cubic sample's 1.2 million steps on a GPU; on a CPU as far as 20 seconds go. */
ig_status ig_bench_whole(ig_ctx *cx, const ig_bench_sink *sink) {
  ig_build_subject s;
  ig_build b;
  ig_build_timing t;
  memset(&b, 0, sizeof b);
  ig_status status;
  IG_TRY_GOTO(status, done, ig_build_subject_open(cx, ig_build_problem_cubic, &s));
  IG_TRY_GOTO(status, done, ig_build_open(cx, &s, &ig_build_strategies[BEST], &b));
  IG_TRY_GOTO(status, done, ig_build_at(&b, 0));
  IG_TRY_GOTO(status, done, ig_build_time(&b, ig_bench_seconds(cx, 60, 20), &t));
  char note[192];
  const double whole = ig_build_per_step(&t) * (double)b.run.steps;
  snprintf(
      note, sizeof note,
      "%.3g us/step, %.3g of them the host writes ahead; whole build %.3g s = %.3g x real time; "
      "setup %.2g s",
      1e6 * ig_build_per_step(&t), 1e6 * t.writing / (double)t.steps, whole,
      b.problem->c.duration / whole, b.ready);
  ig_build_say(sink, &b, on_gpu(cx) ? "whole build, stencil" : "from the start, stencil", &t, note);
done:
  ig_build_close(&b);
  ig_mesh_free(s.mesh);
  return status;
}
