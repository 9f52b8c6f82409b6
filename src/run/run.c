/* Running a case: job, restart, output folder, room, summary. */
#include "run/job.h"
#include "run/march.h"
#include "run/rooms.h"
#ifdef INGOT_HAVE_IO
#include "io/case_yaml.h"
#include "io/checkpoint.h"
#include "io/result_folder.h"
#include "io/sink.h"
#include "io/store.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static ig_status tee_result(ig_sink *sink, const char *key, const char *unit, double value) {
  tee *t = sink->self;
  if (t->figure)
    t->figure(t->user, key, value, unit, NULL);
  return t->inner ? t->inner->result(t->inner, key, unit, value) : IG_OK;
}
static ig_status tee_result_text(ig_sink *sink, const char *key, const char *value) {
  tee *t = sink->self;
  if (t->figure)
    t->figure(t->user, key, 0, "", value);
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
static ig_status restart_read(ig_case *c, const ig_job *job, const char *path, bool force,
                              const char *settings, ig_restart **restart) {
  IG_TRY(ig_checkpoint_read(c->cx, path, ig_job_fingerprint(c, job), restart));
  const void *then;
  int64_t length;
  char key[64];
  IG_TRY(ig_restart_find_any(c->cx, *restart, IG_SINK_SETTINGS, IG_U8, &length, &then));
  if (force || (length > 0 && ((const char *)then)[length - 1] == '\0' &&
                !ig_settings_differ(settings, then, key, sizeof key)))
    return IG_OK;
  return IG_FAIL(c->cx, IG_INPUT,
                 "'%s' was written when '%s' in the case was another: continue with the case as it "
                 "was, or add --force to go on with what it is now",
                 path, key);
}

/* What the folder holds, and the checkpoint if there is more to do. */
static ig_status result_look(ig_case *c, const ig_job *job, const char *out, const char *settings,
                             const char *stamp, ig_result *result, ig_restart **restart) {
  ig_ctx *cx = c->cx;
  ig_status status = IG_OK;
  char *summary = ig_path_join(out, IG_SUMMARY), *checkpoint = ig_path_join(out, IG_CHECKPOINT);
  *result = IG_RESULT_NONE;
  if (!summary || !checkpoint)
    status = IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  if (status == IG_OK && access(summary, R_OK) == 0) {
    ig_node *root; /* JSON is YAML */
    *result = IG_RESULT_OTHER;
    if (ig_yaml_open(cx, c->arena, summary, &root) == IG_OK) {
      const ig_node *said = ig_node_find(root, "status"), *of = ig_node_find(root, "stamp");
      if (said && of && said->text && of->text && strcmp(said->text, "complete") == 0 &&
          strcmp(of->text, stamp) == 0)
        *result = IG_RESULT_COMPLETE;
    }
  }
  if (status == IG_OK && *result != IG_RESULT_COMPLETE && access(checkpoint, R_OK) == 0) {
    const bool fits = restart_read(c, job, checkpoint, false, settings, restart) == IG_OK;
    *result = fits ? IG_RESULT_PART : IG_RESULT_OTHER;
    if (!fits) {
      ig_restart_free(*restart);
      *restart = NULL;
    }
  }
  if (status == IG_OK) { /* that something did not fit is the answer, no failure */
    cx->status = IG_OK;
    cx->message[0] = '\0';
  }
  free(summary);
  free(checkpoint);
  return status;
}

/* A checkpoint beyond the end of the case, where that is a duration, is refused before the folder
   is touched. */
static ig_status restart_check(const ig_case *c, const ig_restart *restart) {
  const ig_node *node = restart ? ig_node_find(c->root, "duration") : NULL;
  double duration;
  char problem[128];
  if (!node || node->kind != IG_NODE_SCALAR ||
      !ig_number_read(node->text, "s", &duration, problem, sizeof problem) ||
      restart->time <= duration * (1 + 1e-9))
    return IG_OK;
  return ig_fail_at(c->cx, &node->at, "the checkpoint is at %g s, the case ends at %g s",
                    restart->time, duration);
}

static ig_status files_open(ig_case *c, ig_job *job, const ig_run_options *o, ig_restart **restart,
                            ig_sink **sink, bool *up_to_date) {
  const char *settings;
  IG_TRY(ig_case_settings(c, &settings));
  if (o->restart)
    IG_TRY(restart_read(c, job, o->restart, o->force, settings, restart));
  if (!o->out)
    return IG_OK;
  if (o->resume && !o->restart) {
    char stamp[IG_STAMP_TEXT];
    ig_result result;
    ig_job_stamp(c, job, stamp);
    IG_TRY(result_look(c, job, o->out, settings, stamp, &result, restart));
    *up_to_date = result == IG_RESULT_COMPLETE;
    if (*up_to_date)
      return IG_OK;
  }
  IG_TRY(restart_check(c, *restart));
  const ig_sink_options options = {.fingerprint = ig_job_fingerprint(c, job),
                                   .settings = settings,
                                   .compression = (int)c->common.output.compression,
                                   .force = o->force,
                                   .restart = *restart};
  return ig_sink_open(c->cx, o->out, &options, sink);
}

static ig_status files_summary(const ig_case *c, const ig_job *job, const ig_run_stats *s,
                               ig_status status, const char *message, ig_sink *sink) {
  char precision[16], assembly[16], stamp[IG_STAMP_TEXT];
  ig_job_stamp(c, job, stamp);
  const ig_summary summary = {
      .physics = c->room->name,
      .title = c->common.title,
      .status = status == IG_OK            ? "complete"
                : status == IG_INTERRUPTED ? "interrupted"
                                           : "failed",
      .stamp = stamp,
      .message = status == IG_OK ? NULL : message,
      .backend = ig_ctx_backend(c->cx),
      .device = ig_ctx_device(c->cx),
      .precision =
          ig_choice_text(IG_PRECISION_CHOICES, c->common.precision, precision, sizeof precision),
      .assembly = ig_choice_text(IG_ASSEMBLY_CHOICES, job->assembly, assembly, sizeof assembly),
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
                            ig_sink **sink, bool *up_to_date) {
  (void)job, (void)restart, (void)sink, (void)up_to_date;
  if (!o->out && !o->restart)
    return IG_OK;
  return IG_FAIL(c->cx, IG_UNSUPPORTED,
                 "this build reads and writes no files: configure with -DINGOT_IO=ON");
}
static ig_status files_summary(const ig_case *c, const ig_job *job, const ig_run_stats *s,
                               ig_status status, const char *message, ig_sink *sink) {
  (void)c, (void)job, (void)s, (void)message, (void)sink;
  return status;
}
static bool ig_sink_begun(const ig_sink *sink) {
  return sink != NULL;
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
  bool up_to_date = false;
  ig_status status;
  cx->warnings = 0; /* the summary counts this run's */
  IG_TRY_GOTO(status, done, ig_job_open(c, rooms, &job));
  IG_TRY_GOTO(status, done, files_open(c, &job, o, &restart, &sink, &up_to_date));
  if (up_to_date)
    goto done;
  tee_open(&t, sink, o);
  job.sink = sink || o->figure ? &t.sink : NULL;
  job.restart = restart;
  ig_info(cx, "%s%s%s on %s: %s", c->room->name, *job.title ? ", " : "", job.title,
          ig_ctx_backend(cx), ig_ctx_device(cx));
  const double ready = ig_now() - start; /* reading and meshing are part of the setup */
  status = ig_march_all(c->room, &job);
  job.seconds_setup += ready;
  /* a room that refuses its case has written nothing: what the folder held stays as it was */
  if (sink && (status != IG_INPUT || ig_sink_begun(sink))) {
    /* the first thing that went wrong is what the user hears */
    snprintf(message, sizeof message, "%s", cx->message);
    const ig_status flushed = sink->flush(sink);
    if (status == IG_OK || (status == IG_INTERRUPTED && flushed != IG_OK)) {
      status = flushed != IG_OK ? flushed : status;
      snprintf(message, sizeof message, "%s", cx->message);
    }
    stats_fill(&job, start, &stats);
    const ig_status told = files_summary(c, &job, &stats, status, message, sink);
    if (status == IG_OK && told != IG_OK)
      status = told;
    else
      snprintf(cx->message, sizeof cx->message, "%s", message);
  }
done:
  if (o->stats) {
    stats_fill(&job, start, o->stats);
    o->stats->up_to_date = up_to_date;
  }
  ig_sink_close(sink);
  ig_restart_free(restart);
  ig_job_close(&job);
  return status;
}

ig_status ig_run(ig_case *c, const ig_run_options *options) {
  return ig_run_for(c, options, ig_rooms());
}

ig_status ig_result_look(ig_case *c, const char *out, ig_result *result) {
#ifdef INGOT_HAVE_IO
  ig_job job;
  ig_restart *restart = NULL;
  const char *settings;
  char stamp[IG_STAMP_TEXT];
  ig_status status;
  IG_TRY_GOTO(status, done, ig_job_open(c, ig_rooms(), &job));
  IG_TRY_GOTO(status, done, ig_case_settings(c, &settings));
  ig_job_stamp(c, &job, stamp);
  status = result_look(c, &job, out, settings, stamp, result, &restart);
done:
  ig_restart_free(restart);
  ig_job_close(&job);
  return status;
#else
  (void)out;
  *result = IG_RESULT_NONE;
  return IG_FAIL(c->cx, IG_UNSUPPORTED, "this build reads no files: configure with -DINGOT_IO=ON");
#endif
}
