/* Running a case: job, restart, output folder, room, summary. */
#include "run/job.h"
#include "run/rooms.h"
#ifdef INGOT_HAVE_IO
#include "io/checkpoint.h"
#include "io/sink.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a sink that shows the room's figures to the caller on their way to the files, if any */

typedef struct {
  ig_sink sink; /* first: a tee is a sink */
  ig_sink *inner;
  ig_figure_fn *figure;
  void *user;
} tee;

static ig_status tee_snapshot(ig_sink *sink, ig_snapshot *snap) {
  tee *t = sink->self;
  if (t->inner)
    return t->inner->snapshot(t->inner, snap);
  ig_snapshot_free(snap);
  return IG_OK;
}
static ig_status tee_history(ig_sink *sink, int columns, const char *const *names,
                             const double *values) {
  tee *t = sink->self;
  return t->inner ? t->inner->history(t->inner, columns, names, values) : IG_OK;
}
static ig_status tee_checkpoint(ig_sink *sink, double time, int64_t step, const ig_saved *saved,
                                int count) {
  tee *t = sink->self;
  return t->inner ? t->inner->checkpoint(t->inner, time, step, saved, count) : IG_OK;
}
static ig_status tee_result(ig_sink *sink, const char *key, double value) {
  tee *t = sink->self;
  if (t->figure)
    t->figure(t->user, key, value, NULL);
  return t->inner ? t->inner->result(t->inner, key, value) : IG_OK;
}
static ig_status tee_result_text(ig_sink *sink, const char *key, const char *value) {
  tee *t = sink->self;
  if (t->figure)
    t->figure(t->user, key, 0, value);
  return t->inner ? t->inner->result_text(t->inner, key, value) : IG_OK;
}
static ig_status tee_file(ig_sink *sink, const char *name, const void *bytes, size_t size) {
  tee *t = sink->self;
  return t->inner ? t->inner->file(t->inner, name, bytes, size) : IG_OK;
}
static ig_status tee_flush(ig_sink *sink) {
  tee *t = sink->self;
  return t->inner ? t->inner->flush(t->inner) : IG_OK;
}

static void tee_open(tee *t, ig_sink *inner, const ig_run_options *o) {
  *t = (tee){.sink = {.self = t,
                      .snapshot = tee_snapshot,
                      .history = tee_history,
                      .checkpoint = tee_checkpoint,
                      .result = tee_result,
                      .result_text = tee_result_text,
                      .file = tee_file,
                      .flush = tee_flush},
             .inner = inner,
             .figure = o->figure,
             .user = o->user};
}

/* --- files */

#ifdef INGOT_HAVE_IO
static ig_status files_open(ig_case *c, ig_job *job, const ig_run_options *o, ig_restart **restart,
                            ig_sink **sink) {
  const uint64_t fingerprint = ig_job_fingerprint(c, job);
  if (o->restart)
    IG_TRY(ig_checkpoint_read(c->cx, o->restart, fingerprint, restart));
  if (!o->out)
    return IG_OK;
  const ig_sink_options options = {.fingerprint = fingerprint,
                                   .compression = (int)c->common.output.compression,
                                   .restart = *restart};
  return ig_sink_open(c->cx, o->out, &options, sink);
}

static ig_status files_summary(const ig_case *c, const ig_run_stats *s, ig_status status,
                               const char *message, ig_sink *sink) {
  char precision[16], assembly[16];
  const ig_summary summary = {
      .physics = c->room->name,
      .title = c->common.title,
      .status = status == IG_OK            ? "complete"
                : status == IG_INTERRUPTED ? "interrupted"
                                           : "failed",
      .message = status == IG_OK ? NULL : message,
      .backend = ig_ctx_backend(c->cx),
      .device = ig_ctx_device(c->cx),
      .precision =
          ig_choice_text(IG_PRECISION_CHOICES, c->common.precision, precision, sizeof precision),
      .assembly =
          ig_choice_text(IG_ASSEMBLY_CHOICES, c->common.assembly, assembly, sizeof assembly),
      .elements = s->elements,
      .nodes = s->nodes,
      .dofs = s->dofs,
      .steps = s->steps,
      .seconds = {s->seconds_setup, s->seconds_solve, s->seconds_output, s->seconds_total},
      .rate = {s->element_steps_per_s, s->bytes_per_s},
      .memory = {(int64_t)s->host_peak, (int64_t)s->device_peak},
      .warnings = c->cx->warnings,
  };
  return ig_sink_summary(sink, &summary);
}
#else
static ig_status files_open(ig_case *c, ig_job *job, const ig_run_options *o, ig_restart **restart,
                            ig_sink **sink) {
  (void)job, (void)restart, (void)sink;
  if (!o->out && !o->restart)
    return IG_OK;
  return IG_FAIL(c->cx, IG_UNSUPPORTED,
                 "this build reads and writes no files: configure with -DINGOT_IO=ON");
}
static ig_status files_summary(const ig_case *c, const ig_run_stats *s, ig_status status,
                               const char *message, ig_sink *sink) {
  (void)c, (void)s, (void)message, (void)sink;
  return status;
}
static void ig_sink_close(ig_sink *sink) {
  (void)sink;
}
static void ig_restart_free(ig_restart *restart) {
  (void)restart;
}
#endif

static void stats_fill(const ig_job *job, double start, ig_run_stats *s) {
  *s = (ig_run_stats){
      .elements = job->elements,
      .nodes = job->nodes,
      .dofs = job->dofs,
      .steps = job->steps,
      .seconds_setup = job->seconds_setup,
      .seconds_solve = job->seconds_solve,
      .seconds_output = job->seconds_output,
      .seconds_total = ig_now() - start,
      .element_steps_per_s = job->seconds_solve > 0 ? job->element_steps / job->seconds_solve : 0,
      .bytes_per_s = job->seconds_solve > 0 ? job->bytes_moved / job->seconds_solve : 0,
      .host_peak = ig_host_peak(),
      .device_peak = job->cx ? job->cx->device_peak : 0,
  };
}

ig_status ig_run_for(ig_case *c, const ig_run_options *options, const ig_room *const *rooms) {
  static const ig_run_options defaults;
  const ig_run_options *o = options ? options : &defaults;
  ig_ctx *cx = c->cx;
  const double start = ig_now();
  ig_job job = {0};
  ig_restart *restart = NULL;
  ig_sink *sink = NULL;
  ig_run_stats stats = {0};
  tee t;
  char message[sizeof cx->message] = "";
  ig_status status;
  IG_TRY_GOTO(status, done, ig_job_open(c, rooms, &job));
  IG_TRY_GOTO(status, done, files_open(c, &job, o, &restart, &sink));
  tee_open(&t, sink, o);
  job.sink = sink || o->figure ? &t.sink : NULL;
  job.restart = restart;
  ig_info(cx, "%s%s%s on %s: %s", c->room->name, *job.title ? ", " : "", job.title,
          ig_ctx_backend(cx), ig_ctx_device(cx));
  const double ready = ig_now() - start; /* reading and meshing are part of the setup */
  status = c->room->run(&job);
  job.seconds_setup += ready;
  if (sink) { /* the first thing that went wrong is what the user hears */
    snprintf(message, sizeof message, "%s", cx->message);
    const ig_status flushed = sink->flush(sink);
    if (status == IG_OK || (status == IG_INTERRUPTED && flushed != IG_OK)) {
      status = flushed != IG_OK ? flushed : status;
      snprintf(message, sizeof message, "%s", cx->message);
    }
    stats_fill(&job, start, &stats);
    const ig_status told = files_summary(c, &stats, status, message, sink);
    if (status == IG_OK && told != IG_OK)
      status = told;
    else
      snprintf(cx->message, sizeof cx->message, "%s", message);
  }
done:
  if (o->stats)
    stats_fill(&job, start, o->stats);
  ig_sink_close(sink);
  ig_restart_free(restart);
  ig_job_close(&job);
  return status;
}

ig_status ig_run(ig_case *c, const ig_run_options *options) {
  return ig_run_for(c, options, ig_rooms());
}
