/* Opening, placing and timing a build. */
#include "bench/thermal/bench_build.h"
#include "backend/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ig_build_strategy ig_build_strategies[IG_BUILD_STRATEGIES] = {
    {"node-element, switch", IG_HEAT_RECOMPUTE, IG_GATHER, IG_HEAT_SWITCH},
    {"atomic, switch", IG_HEAT_RECOMPUTE, IG_ATOMIC, IG_HEAT_SWITCH},
    {"coloring, switch", IG_HEAT_RECOMPUTE, IG_COLOR, IG_HEAT_SWITCH},
    {"atomic, branch", IG_HEAT_RECOMPUTE, IG_ATOMIC, IG_HEAT_BRANCH},
    {"classes, gather, lumped", IG_HEAT_CLASSES, IG_GATHER, IG_HEAT_LUMPED},
    {"stencil", IG_HEAT_STENCIL, IG_GATHER, IG_HEAT_LUMPED}};

ig_status ig_build_core_open(ig_ctx *cx, int threads, ig_ctx **out) {
  const ig_ctx_options options = {.backend = "cpu", .threads = threads};
  const ig_status status = ig_ctx_open(&options, out);
  if (status == IG_OK)
    (*out)->smoke = cx->smoke;
  return status == IG_OK ? IG_OK : IG_FAIL(cx, status, "%s", ig_ctx_message(*out));
}

ig_status ig_build_subject_open(ig_ctx *cx, ig_build_problem_fn *make, ig_build_subject *s) {
  ig_build_problem *problem;
  *s = (ig_build_subject){make, NULL};
  IG_TRY(IG_NEW(cx, &problem, 1, "problem"));
  make(problem);
  const ig_status status = ig_mesh_generate(cx, &problem->mesh, &s->mesh);
  free(problem);
  return status;
}

void ig_build_close(ig_build *b) {
  if (b->run.job)
    ig_thermal_close(&b->run);
  free(b->problem);
  memset(b, 0, sizeof *b);
}

ig_status ig_build_at(ig_build *b, double share) {
  b->run.step = b->run.done = (int64_t)(share * (double)b->run.steps);
  return ig_heat_begin_at(b->job.cx, &b->run.heat, share * b->problem->c.duration);
}

ig_status ig_build_open(ig_ctx *cx, const ig_build_subject *s, const ig_build_strategy *how,
                        ig_build *b) {
  memset(b, 0, sizeof *b);
  b->bytes_before = (double)cx->device_bytes;
  const double start = ig_now();
  IG_TRY(IG_NEW(cx, &b->problem, 1, "problem"));
  s->make(b->problem);
  b->problem->c.conduction = 1 + (int)how->conduction;
  b->problem->c.surface = 1 + (int)how->surface;
  b->job = (ig_job){.cx = cx,
                    .precision = IG_SINGLE,
                    .assembly = how->assembly,
                    .materials = &b->problem->materials,
                    .mesh = s->mesh,
                    .room_case = &b->problem->c};
  const ig_status status = ig_thermal_open(&b->job, &b->run);
  b->ready = ig_now() - start;
  return status;
}

ig_status ig_build_steps(ig_build *b, int64_t steps) {
  const int64_t stop = b->run.step + steps < b->run.steps ? b->run.step + steps : b->run.steps;
  while (b->run.step < stop) {
    const int64_t most = stop - b->run.step;
    const double start = ig_now();
    IG_TRY(ig_thermal_write(&b->run, most < 4096 ? most : 4096, false));
    b->writing += ig_now() - start;
    IG_TRY(ig_thermal_advance(&b->run));
  }
  return IG_OK;
}

ig_status ig_build_time(ig_build *b, double seconds, ig_build_timing *t) {
  ig_ctx *cx = b->job.cx;
  int64_t most = ig_bench_size(cx, 256, 4, 1);
  seconds = ig_bench_seconds(cx, seconds, seconds);
  IG_TRY(ig_build_steps(b, ig_bench_size(cx, 512, 4, 1))); /* warm up: batches find their size */
  IG_TRY(cx->backend->sync(cx));
  const int64_t first = b->run.step;
  const double before = b->run.heat.element_steps, begin = ig_now();
  b->writing = 0;
  while (b->run.step < b->run.steps && ig_now() - begin < seconds) {
    const double start = ig_now();
    IG_TRY(ig_build_steps(b, most));
    if (ig_now() - start < 0.1 * seconds && most < 4096)
      most *= 2;
  }
  IG_TRY(cx->backend->sync(cx));
  *t = (ig_build_timing){b->run.step - first, b->run.heat.element_steps - before, ig_now() - begin,
                         b->writing};
  return ig_fault_check(cx, "node", NULL);
}

void ig_build_say(const ig_bench_sink *sink, const ig_build *b, const char *how,
                  const ig_build_timing *t, const char *note) {
  char text[128];
  snprintf(text, sizeof text, "%s %s", b->problem->name, how);
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

void ig_build_timing_add(ig_build_timing *sum, const ig_build_timing *t) {
  sum->steps += t->steps;
  sum->work += t->work;
  sum->seconds += t->seconds;
  sum->writing += t->writing;
}
