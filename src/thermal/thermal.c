/* The thermal room: transient heat conduction of parts as they are built. */
#include "thermal/thermal.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>

/* What is due after the steps that are done, or all of it at the start and the end. */
static ig_status outputs_write(ig_thermal_run *run, bool edge) {
  ig_job *job = run->job;
  const ig_schedule *s = &run->schedule;
  const ig_moment from = ig_thermal_moment(run, run->shown), to = ig_thermal_moment(run, run->done);
  const bool row = edge || ig_schedule_history(s, from, to);
  const bool picture = edge ? ig_output_shows(job->output) : ig_schedule_snapshot(s, from, to);
  const bool save = !edge && ig_schedule_checkpoint(&run->schedule);
  run->shown = run->done;
  if (!job->sink || !(row || picture || save))
    return IG_OK;
  IG_TRY(job->cx->backend->sync(job->cx)); /* waiting for steps is no output */
  const double mark = ig_now();
  IG_TRY(ig_fault_check(job->cx, "node", NULL));
  if (row)
    IG_TRY(ig_thermal_history(run));
  if (picture)
    IG_TRY(ig_thermal_snapshot(run));
  if (save)
    IG_TRY(ig_thermal_save(run));
  job->seconds_output += ig_now() - mark;
  return IG_OK;
}

static void progress(const ig_thermal_run *run, double elapsed) {
  const ig_progress p = {.unit = "step",
                         .done = (double)run->done,
                         .total = (double)run->steps,
                         .rate = elapsed > 0 ? run->heat.element_steps / elapsed : 0,
                         .note = ""};
  ig_progress_report(run->job->cx, &p);
}

/* Each batch is written while the device works on the one before; what is due after that one is
   put out in between. */
static ig_status march(ig_thermal_run *run) {
  ig_job *job = run->job;
  ig_ctx *cx = job->cx;
  const double begin = ig_now() - job->seconds_output;
  int most = 16;
  while (run->step < run->steps) {
    const double start = ig_now();
    IG_TRY(ig_thermal_write(run, most));
    if (run->done > run->shown)
      IG_TRY(outputs_write(run, false));
    if (cx->interrupted && run->done > 0) {
      if (job->sink)
        IG_TRY(ig_thermal_save(run));
      return IG_FAIL(cx, IG_INTERRUPTED, "interrupted at step %lld of %lld", (long long)run->done,
                     (long long)run->steps);
    }
    const int64_t before = run->done;
    IG_TRY(ig_thermal_advance(run));
    const double took = ig_now() - start;
    /* long enough to be worth a launch, short enough to answer Ctrl-C */
    if (took < 0.1 && run->done - before == most && most < 8192)
      most *= 2;
    else if (took > 0.5 && most > 1)
      most /= 2;
    progress(run, ig_now() - begin - job->seconds_output);
  }
  IG_TRY(cx->backend->sync(cx));
  IG_TRY(ig_fault_check(cx, "node", NULL));
  if (run->done > run->shown)
    IG_TRY(outputs_write(run, true));
  job->seconds_solve = ig_now() - begin - job->seconds_output;
  return job->sink ? ig_thermal_save(run) : IG_OK;
}

static ig_status run(ig_job *job) {
  ig_thermal_run r;
  const double begin = ig_now();
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_open(job, &r));
  if (job->restart) {
    IG_TRY_GOTO(status, done, ig_thermal_restore(&r));
  } else {
    IG_TRY_GOTO(status, done, ig_heat_begin(job->cx, &r.heat));
    IG_TRY_GOTO(status, done, outputs_write(&r, true));
  }
  job->seconds_setup = ig_now() - begin - job->seconds_output;
  status = march(&r);
  job->elements = r.heat.elements;
  job->nodes = job->dofs = r.heat.nodes;
  job->steps = r.done;
  job->element_steps = r.heat.element_steps;
  job->bytes_moved = ig_heat_step_bytes(&r.heat) * (double)r.heat.steps_done;
  if (status == IG_OK && job->sink)
    status = ig_thermal_results(&r);
done:
  ig_thermal_close(&r);
  return status;
}

static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  static const char *const conduction[] = {"recompute", "classes", "stencil"};
  ig_thermal_run r;
  char text[128];
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_open(job, &r));
  snprintf(text, sizeof text, "%.4g s (element %d)", 2 / r.rate, (int)r.heat.limiting);
  line(user, "critical step", text);
  snprintf(text, sizeof text, "%lld of %.4g s", (long long)r.steps, r.dt);
  line(user, "steps", text);
  snprintf(text, sizeof text, "%d, %d at the start, %d births, %d never", (int)r.heat.elements,
           (int)r.heat.event_start[1], r.heat.events - 1, (int)r.heat.never);
  line(user, "elements", text);
  line(user, "conduction", conduction[r.heat.conduction]);
  snprintf(text, sizeof text, "%.3g MB", 1e-6 * (double)job->cx->device_bytes);
  line(user, "device memory", text);
done:
  ig_thermal_close(&r);
  return status;
}

const ig_room ig_room_thermal = {.name = "thermal",
                                 .about = "transient heat of parts as they are printed",
                                 .needs_mesh = true,
                                 .elements = "hex8",
                                 .case_size = sizeof(ig_thermal_case),
                                 .options = ig_thermal_options,
                                 .run = run,
                                 .check = check,
                                 .verify = ig_thermal_verify,
                                 .fields = IG_THERMAL_FIELDS,
                                 .bench = ig_thermal_bench};
