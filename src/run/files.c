/* The files of a run: the checkpoint it continues from, the folder it writes, its summary. Builds
   without INGOT_IO get functions that refuse files, at the end.

   Whether an existing folder can be used is decided by three hashes (fingerprint.h): the
   fingerprint in the checkpoint (same mesh and physics: arrays fit), the settings in the checkpoint
   (same case up to its end: may be continued), the stamp in the summary (same result: nothing to
   do). */
#include "run/files.h"
#include "core/inputs.h"
#include "ingot_io.h"
#ifdef INGOT_HAVE_IO
#include "io/format/case_yaml.h"
#include "io/result/checkpoint.h"
#include "io/result/result_folder.h"
#include "io/result/sink.h"
#include "io/format/atomic_file.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Repeated messages are stored once; there is room for a few only, the log has all. */
void ig_warned_add(ig_warned *warned, const char *message, bool once) {
  char text[sizeof *warned->text];
  snprintf(text, sizeof text, "%.*s", (int)sizeof text - 1, message);
  for (int i = 0; i < warned->count; i++)
    if (strcmp(warned->text[i], text) == 0)
      return;
  if (warned->count < (int)(sizeof warned->text / sizeof *warned->text)) {
    warned->once[warned->count] = once;
    memcpy(warned->text[warned->count++], text, sizeof text);
  }
}

/* Walks an option table and registers all files that were read; the summary lists them with
   hashes. */
static void files_note(ig_ctx *cx, const ig_option *options, const void *from) {
  for (const ig_option *o = options; o->key; o++) {
    const void *at = (const char *)from + o->offset;
    const ig_list *list = at;
    if (o->kind == IG_OPT_FILE)
      ig_input_note(cx, *(const char *const *)at);
    else if (o->kind == IG_OPT_MAP || o->kind == IG_OPT_KEYS)
      files_note(cx, o->sub, at);
    for (int i = 0; o->kind == IG_OPT_LIST && i < list->count; i++)
      files_note(cx, o->sub, (const char *)list->items + (size_t)i * o->sub_size);
  }
}

/* The case file, and every file that a key of it names: they are listed with hashes in the
   summary. */
void ig_case_inputs(const ig_case *c) {
  ig_input_note(c->cx, c->path);
  files_note(c->cx, ig_common_options, &c->common);
  files_note(c->cx, c->room->options, c->room_case);
}

#ifdef INGOT_HAVE_IO

/* Compares the settings stored in the checkpoint with those of the case. *same, or `key` gets the
   first key that differs. The stored text must end with 0: a damaged checkpoint could have
   anything. */
static ig_status settings_same(ig_ctx *cx, const ig_restart *restart, const char *settings,
                               bool *same, char *key, size_t size) {
  const void *then;
  int64_t length;
  snprintf(key, size, "?");
  IG_TRY(ig_restart_find_any(cx, restart, IG_SINK_SETTINGS, IG_U8, &length, &then));
  *same = length > 0 && ((const char *)then)[length - 1] == '\0' &&
          !ig_settings_differ(settings, then, key, size);
  return IG_OK;
}

/* The fingerprint that a checkpoint of this job carries: the current one, or in an old file the one
   computed without pieces. */
static uint64_t fingerprint_in(ig_case *c, const ig_job *job, const char *path) {
  const uint64_t now = ig_job_fingerprint(c, job), first = ig_job_fingerprint_first(c, job);
  bool old = false;
  if (first != now && ig_checkpoint_belongs(c->cx, path, first, &old) != IG_OK) {
    c->cx->status = IG_OK; /* the next reader reports it */
    c->cx->message[0] = '\0';
  }
  return old ? first : now;
}

/* Reads a checkpoint as a whole, or opens it so that rank 0 reads ranges on demand (rooms with
   `pieces`). */
static ig_status checkpoint_read(const ig_case *c, const char *path, uint64_t fingerprint,
                                 ig_restart **restart) {
  const bool pieces = ig_ranks_count(c->cx->ranks) > 1 && c->room->pieces;
  return (pieces ? ig_checkpoint_open : ig_checkpoint_read)(c->cx, path, fingerprint, restart);
}

/* force: a case that has changed since is accepted. */
static ig_status restart_read(ig_case *c, const ig_job *job, const char *path, bool force,
                              const char *settings, ig_restart **restart) {
  bool same;
  char key[64];
  IG_TRY(checkpoint_read(c, path, fingerprint_in(c, job, path), restart));
  IG_TRY(settings_same(c->cx, *restart, settings, &same, key, sizeof key));
  if (force || same)
    return IG_OK;
  return IG_FAIL(c->cx, IG_INPUT,
                 "'%s' was written when '%s' in the case was another: continue with the case as it "
                 "was, or add --force to go on with what it is now",
                 path, key);
}

/* Whether a summary says "complete", and whether it carries the stamp of this job. */
static bool is_complete(ig_case *c, const char *summary, const char *stamp, bool *same) {
  ig_node *root; /* JSON is YAML */
  if (ig_yaml_open(c->cx, c->arena, summary, &root) != IG_OK)
    return false;
  const ig_node *said = ig_node_find(root, "status"), *of = ig_node_find(root, "stamp");
  *same = of && of->text && strcmp(of->text, stamp) == 0;
  return said && said->text && strcmp(said->text, "complete") == 0;
}

/* Whether a checkpoint is beyond the duration of the case. One mean step is subtracted, because the
   last step may reach beyond the end: a run that was killed between its last checkpoint and its
   summary must be continuable. */
static bool beyond(const ig_case *c, const ig_restart *restart, const ig_node **node,
                   double *duration) {
  char problem[128];
  *node = restart ? ig_node_find(c->root, "duration") : NULL;
  return *node && (*node)->kind == IG_NODE_SCALAR &&
         ig_number_read((*node)->text, "s", duration, problem, sizeof problem) &&
         restart->time - (restart->step > 0 ? restart->time / (double)restart->step : 0) >=
             *duration * (1 + 1e-9);
}

/* Examines the checkpoint of a folder. An unreadable one is a failure; one of another case sets
   IG_RESULT_OTHER with the reason in look->why. */
static ig_status checkpoint_look(ig_case *c, const ig_job *job, const char *path,
                                 const char *settings, ig_files_found *look) {
  bool same;
  char key[64];
  const uint64_t fingerprint = fingerprint_in(c, job, path);
  IG_TRY(ig_checkpoint_belongs(c->cx, path, fingerprint, &same));
  if (!same) {
    look->result = IG_RESULT_OTHER;
    snprintf(look->why, sizeof look->why, "its mesh, physics or precision is another");
    return IG_OK;
  }
  IG_TRY(checkpoint_read(c, path, fingerprint, &look->restart));
  IG_TRY(settings_same(c->cx, look->restart, settings, &same, key, sizeof key));
  const ig_node *node;
  double duration;
  if (!same)
    snprintf(look->why, sizeof look->why, "'%s' is another", key);
  else if (beyond(c, look->restart, &node, &duration))
    snprintf(look->why, sizeof look->why, "it is at %g s, this one ends at %g s",
             look->restart->time, duration);
  look->result = *look->why ? IG_RESULT_OTHER : IG_RESULT_PART;
  if (*look->why) {
    ig_restart_free(look->restart);
    look->restart = NULL;
  }
  return IG_OK;
}

/* A summary is examined first: a complete result needs no checkpoint. Errors of reading it are
   cleared, because they only mean "not complete". */
ig_status ig_files_look(ig_case *c, const ig_job *job, const char *out, ig_files_found *look) {
  ig_ctx *cx = c->cx;
  const char *settings;
  char stamp[IG_STAMP_TEXT];
  *look = (ig_files_found){.result = IG_RESULT_NONE};
  IG_TRY(ig_case_settings(c, &settings));
  ig_job_stamp(c, job, stamp);
  char *summary = ig_path_join(out, IG_SUMMARY), *checkpoint = ig_path_join(out, IG_CHECKPOINT);
  ig_status status = IG_OK;
  if (!summary || !checkpoint)
    status = IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  bool ended = false, same = false;
  if (status == IG_OK && access(summary, F_OK) == 0) {
    ended = is_complete(c, summary, stamp, &same);
    look->result = ended && same ? IG_RESULT_COMPLETE : IG_RESULT_OTHER;
    cx->status = IG_OK; /* that it does not say so is the answer, no failure */
    cx->message[0] = '\0';
  }
  if (status == IG_OK && look->result != IG_RESULT_COMPLETE && access(checkpoint, F_OK) == 0)
    status = checkpoint_look(c, job, checkpoint, settings, look);
  /* A run of analyses that has gone through all of them does not go on with the last one. */
  if (status == IG_OK && ended && look->restart && ig_node_find(c->root, "analysis")) {
    look->result = IG_RESULT_OTHER;
    snprintf(look->why, sizeof look->why, "its 'analysis' ended elsewhere");
    ig_restart_free(look->restart);
    look->restart = NULL;
  }
  free(summary);
  free(checkpoint);
  return status;
}

/* --resume: *restart is the checkpoint to continue from, NULL: start from the beginning;
   *up_to_date: the folder has the result. A checkpoint of another case is replaced with a warning;
   an unreadable one only with --force. */
static ig_status resume(ig_case *c, const ig_job *job, const ig_run_options *o,
                        ig_restart **restart, bool *up_to_date) {
  ig_ctx *cx = c->cx;
  ig_files_found look;
  const ig_status status = ig_files_look(c, job, o->out, &look);
  if (status != IG_OK && !o->force) {
    char what[512];
    snprintf(what, sizeof what, "%s", ig_ctx_message(cx));
    ig_restart_free(look.restart);
    return IG_FAIL(cx, status, "%s; the run cannot be continued: add --force to start anew", what);
  }
  if (status != IG_OK) {
    ig_warn(cx, "%s; starting anew", ig_ctx_message(cx));
    cx->status = IG_OK;
    cx->message[0] = '\0';
    ig_restart_free(look.restart);
    look.restart = NULL;
  } else if (*look.why)
    ig_warn(cx, "'%s' holds a run of another case (%s): starting anew", o->out, look.why);
  *restart = look.restart;
  *up_to_date = look.result == IG_RESULT_COMPLETE;
  return IG_OK;
}

static void text_add(void *user, const char *more) {
  ig_text_add(user, more);
}

/* The case as text, kept in the arena; written to the output folder. */
static ig_status case_text(ig_case *c, const char **kept) {
  ig_text t = {0};
  ig_status status = ig_case_print(c, text_add, &t);
  if (status == IG_OK && t.failed)
    status = IG_FAIL(c->cx, IG_MEMORY, "no memory for the text of the case");
  if (status == IG_OK)
    status = ig_arena_text(c->cx, c->arena, kept, t.at, t.length);
  free(t.at);
  return status;
}

/* Takes over warnings of the summary beside the checkpoint: those of its steps, which concern the
   whole run. Those of its case and of its end are said anew where they still hold. A run that was
   killed has left no summary; one of before 0.2 does not tell which is which. */
static void warned_keep(ig_case *c, const char *checkpoint, const char *out, ig_warned *warned) {
  ig_node *root = NULL;
  const char *slash = checkpoint ? strrchr(checkpoint, '/') : NULL;
  char *folder = !checkpoint ? strdup(out)
                 : !slash    ? strdup(".")
                             : strndup(checkpoint, (size_t)(slash - checkpoint));
  char *summary = folder ? ig_path_join(folder, IG_SUMMARY) : NULL;
  free(folder);
  if (summary && access(summary, R_OK) == 0 &&
      ig_yaml_open(c->cx, c->arena, summary, &root) == IG_OK) {
    const ig_node *list = ig_node_find(root, "warned_in_steps");
    list = list ? list : ig_node_find(root, "warned");
    for (const ig_node *one = list && list->kind == IG_NODE_LIST ? list->child : NULL; one;
         one = one->next)
      if (one->kind == IG_NODE_SCALAR) {
        c->cx->warnings++;
        ig_warned_add(warned, one->text, true);
      }
  }
  c->cx->status = IG_OK; /* a summary that cannot be read has no warnings */
  c->cx->message[0] = '\0';
  free(summary);
}

/* Order matters: everything that may refuse is done before ig_sink_open, which locks the folder.
   Nothing is written or deleted before all checks have passed. */
ig_status ig_files_open(ig_case *c, ig_job *job, const ig_run_options *o, ig_restart **restart,
                        ig_sink **sink, bool *up_to_date, ig_warned *warned) {
  const char *settings;
  IG_TRY(ig_case_settings(c, &settings));
  if (o->restart)
    IG_TRY(restart_read(c, job, o->restart, o->force, settings, restart));
  if (!o->out)
    return IG_OK;
  if (o->resume && !o->restart)
    IG_TRY(resume(c, job, o, restart, up_to_date));
  if (*up_to_date)
    return IG_OK;
  const ig_node *node;
  double duration;
  if (beyond(c, *restart, &node, &duration))
    return ig_fail_at(c->cx, &node->at,
                      "the checkpoint is at %g s, the case ends at %g s: give a longer `duration`, "
                      "or leave out --restart to start anew",
                      (*restart)->time, duration);
  if (*restart)
    warned_keep(c, o->restart, o->out, warned);
  const char *kept;
  IG_TRY(case_text(c, &kept));
  const ig_sink_options options = {.fingerprint = ig_job_fingerprint(c, job),
                                   .settings = settings,
                                   .text = kept,
                                   .compression = (int)c->common.output.compression,
                                   .force = o->force,
                                   .restart = *restart};
  return ig_sink_open(c->cx, o->out, &options, sink);
}

/* Collects the facts of a run. The current phase is closed first, so that times include it. */
ig_status ig_files_summary(const ig_case *c, const ig_job *job, const ig_run_stats *s,
                           ig_status status, const char *message, const char *stamp,
                           const ig_warned *warned, const struct ig_inputs *inputs, ig_sink *sink) {
  ig_phase_end(c->cx, c->cx->split.now); /* up to now */
  char precision[16], assembly[16], own[IG_STAMP_TEXT];
  if (!stamp)
    ig_job_stamp(c, job, own);
  const ig_summary summary = {
      .physics = c->room->name,
      .title = c->common.title,
      .status = status == IG_OK            ? "complete"
                : status == IG_INTERRUPTED ? "interrupted"
                                           : "failed",
      .stamp = stamp ? stamp : own,
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
      .split = c->cx->split.seconds,
      .rate = {s->element_steps_per_s, s->bytes_per_s},
      .memory = {(int64_t)s->host_peak, (int64_t)s->device_peak},
      .inputs = inputs,
      .warnings = c->cx->warnings,
      .warned = warned->count,
      .warning = warned->text,
      .warning_once = warned->once,
  };
  return ig_sink_summary(sink, &summary);
}
/* Builds without files. */
#else
ig_status ig_files_open(ig_case *c, ig_job *job, const ig_run_options *o, ig_restart **restart,
                        ig_sink **sink, bool *up_to_date, ig_warned *warned) {
  (void)job, (void)restart, (void)sink, (void)up_to_date, (void)warned;
  if (!o->out && !o->restart)
    return IG_OK;
  return IG_FAIL(c->cx, IG_UNSUPPORTED,
                 "this build reads and writes no files: configure with -DINGOT_IO=ON");
}
ig_status ig_files_summary(const ig_case *c, const ig_job *job, const ig_run_stats *s,
                           ig_status status, const char *message, const char *stamp,
                           const ig_warned *warned, const struct ig_inputs *inputs, ig_sink *sink) {
  (void)c, (void)job, (void)s, (void)message, (void)stamp, (void)warned, (void)inputs, (void)sink;
  return status;
}
ig_status ig_files_look(ig_case *c, const ig_job *job, const char *out, ig_files_found *look) {
  (void)job, (void)out;
  *look = (ig_files_found){.result = IG_RESULT_NONE};
  return IG_FAIL(c->cx, IG_UNSUPPORTED, "this build reads no files: configure with -DINGOT_IO=ON");
}
bool ig_sink_begun(const ig_sink *sink) {
  return sink != NULL;
}
bool ig_sink_former(const ig_sink *sink) {
  (void)sink;
  return false;
}
void ig_sink_close(ig_sink *sink) {
  (void)sink;
}
#endif
