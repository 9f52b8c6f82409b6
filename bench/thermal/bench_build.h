/* A build of a paper as benchmarks run it: opened in one strategy, set to some stage, timed. */
#ifndef IG_THERMAL_BENCH_BUILD_H
#define IG_THERMAL_BENCH_BUILD_H

#include "bench/thermal/build_problem.h"

typedef void ig_build_problem_fn(ig_build_problem *);

typedef struct {
  const char *name;
  ig_heat_conduction conduction;
  ig_assembly assembly;
  ig_heat_surface surface;
} ig_build_strategy;

/* The paper's four, in its order, then ours. */
enum { IG_BUILD_STRATEGIES = 6 };
extern const ig_build_strategy ig_build_strategies[IG_BUILD_STRATEGIES];
/* A context of so many cores of the CPU. */
IG_MUST_CHECK ig_status ig_build_core_open(ig_ctx *cx, int threads, ig_ctx **out);

/* Its mesh, made once, and one run on it. */
typedef struct {
  ig_build_problem_fn *make;
  ig_mesh *mesh;
} ig_build_subject;
typedef struct {
  ig_build_problem *problem;
  ig_job job;
  ig_thermal_run run;
  double bytes_before, ready; /* device bytes; s of set-up */
  double writing;             /* s the host has spent writing batches */
} ig_build;

IG_MUST_CHECK ig_status ig_build_subject_open(ig_ctx *cx, ig_build_problem_fn *make,
                                              ig_build_subject *s);
IG_MUST_CHECK ig_status ig_build_open(ig_ctx *cx, const ig_build_subject *s,
                                      const ig_build_strategy *how, ig_build *b);
void ig_build_close(ig_build *b);
/* As far as `share` of its build, temperatures the initial ones. */
IG_MUST_CHECK ig_status ig_build_at(ig_build *b, double share);
IG_MUST_CHECK ig_status ig_build_steps(ig_build *b, int64_t steps);

typedef struct {
  int64_t steps;
  double work, seconds; /* element-steps; s */
  double writing;       /* s of them the host wrote batches, while the device worked or not */
} ig_build_timing;
/* Steps for about `seconds` or to the end. */
IG_MUST_CHECK ig_status ig_build_time(ig_build *b, double seconds, ig_build_timing *t);
static inline double ig_build_per_step(const ig_build_timing *t) {
  return t->seconds / (double)t->steps;
}
void ig_build_timing_add(ig_build_timing *sum, const ig_build_timing *t);
/* A row of the table. */
void ig_build_say(const ig_bench_sink *sink, const ig_build *b, const char *how,
                  const ig_build_timing *t, const char *note);

#endif
