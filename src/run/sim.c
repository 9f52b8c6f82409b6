/* A simulation: a case, its room under the time loop, and where its output goes. ig_run steps a
   simulation to its end; other programs use it through include/ingot/sim.h.

   ig_sim_open     case -> job (mesh, backend) -> folder -> room opened and begun (or restored)
   ig_sim_step     steps of the time loop, with output when due
   ig_sim_get/set  fields of the room between steps
   ig_sim_save     state in memory; ig_sim_restore goes back to it
   ig_sim_finish   figures and summary
   ig_sim_close    frees everything; the case and the context stay

   On ranks every function is collective. Rank 0 alone has the folder; all ranks take part in
   output, because rooms compute and gather together for it. */
#include "run/sim.h"
#include "core/require.h"
#include "core/inputs.h"
#include "backend/backend.h"
#include "ranks/restart.h"
#include "run/files.h"
#include "run/time_loop.h"
#include "run/plausible.h"
#include "run/rooms.h"
#include "run/state.h"
#include "run/callback_sink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- open, step, close */

enum { COPIES = 64 }; /* fields of a room, at most, that can be seen as copies */

/* Owned by the caller, freed by ig_sim_close. */
struct ig_sim {
  /* Borrowed: case and context must live longer. */
  ig_case *c;
  ig_ctx *cx;
  /* Job (with the mesh), time loop (with the room's state), and the tee in front of the files. */
  ig_job job;
  ig_loop march;
  ig_tee t;
  /* Checkpoint the run starts from; freed as soon as the room has read it. */
  ig_restart *restart;
  /* Sink of the output folder; NULL: none, or another rank than 0. */
  ig_sink *files;
  /* up_to_date: the folder had the result. concluded: the summary is written, no further step. */
  bool up_to_date, concluded;
  ig_status failed; /* what ended it, IG_OK: nothing has */
  /* Wall clock (s) when it was opened. */
  double start;
  /* Incremented by everything that changes fields; views and copies are valid for one
     generation. */
  int64_t generation;
  /* On several ranks the whole mesh may be freed after set-up, so hashes are computed before. */
  uint64_t fingerprint;
  char stamp[IG_STAMP_TEXT];
  const char *settings; /* of the case, for saved states; NULL: not asked for yet */
  /* Host copies of fields that the host does not have in this form, by number of the field. Each is
     valid while its generation is that of the simulation. */
  struct {
    void *data;
    int64_t generation;
  } copy[COPIES];
  ig_factors loads, supports;
  ig_warned warned;
  bool stepping; /* in the time loop */
  ig_inputs inputs;
  /* The caller's log functions; the context has on_log and on_progress meanwhile, which also
     collect warnings for the summary. */
  ig_log_fn *log; /* the caller's, and its progress and user; the context holds ours meanwhile */
  ig_progress_fn *progress;
  void *user;
};
/* Log functions between the context and the caller: collect warnings and pass everything on. */
static void on_log(void *user, ig_log_level level, const char *message) {
  ig_sim *s = user;
  if (level == IG_LOG_WARN)
    ig_warned_add(&s->warned, message, s->stepping);
  if (s->log)
    s->log(s->user, level, message);
}
static void on_progress(void *user, const ig_progress *p) {
  const ig_sim *s = user;
  s->progress(s->user, p);
}
/* If another simulation of the context listens already, its functions stay: calls would otherwise
   form a cycle when they are restored in another order. */
static void listen(ig_sim *s) {
  ig_ctx *cx = s->cx;
  if (cx->log == on_log)
    return; /* another one listens */
  s->log = cx->log;
  s->progress = cx->progress;
  s->user = cx->user;
  cx->log = on_log;
  cx->progress = cx->progress ? on_progress : NULL;
  cx->user = s;
}

/* job.sink NULL tells rooms that no output is wanted at all. */
static ig_status sink_use(ig_sim *s, const ig_run_options *o, bool wanted, bool kept) {
  ig_tee_open(s->cx, &s->t, s->files, o, kept);
  s->job.sink = wanted ? &s->t.sink : NULL;
  return ig_accept_open(s->cx, &s->c->common.accept, &s->t.accept);
}

/* --- ranks: all open the same case; rank 0 has the files */

/* Rooms declare whether they can be divided. */
static ig_status ranks_check(const ig_sim *s) {
  const int count = ig_ranks_count(s->cx->ranks);
  if (count == 1 || s->c->room->ranks)
    return IG_OK;
  return IG_FAIL(s->cx, IG_INPUT,
                 "%s does not run on several ranks (%d here): start it on one, or run many cases "
                 "with 'ingot sweep'",
                 s->c->room->name, count);
}

/* Reads case and mesh. Ranks that are threads of one process do so in turn: HDF5 and Gmsh are not
   safe for threads. */
static ig_status job_open(ig_sim *s, const ig_room *const *rooms) {
  const ig_ranks *ranks = s->cx->ranks;
  if (!ranks || !ranks->one_process)
    return ig_ranks_agree(s->cx, ig_job_open(s->c, rooms, &s->job));
  for (int turn = 0; turn < ranks->count; turn++)
    IG_TRY(ig_ranks_agree(s->cx, turn == ranks->rank ? ig_job_open(s->c, rooms, &s->job) : IG_OK));
  return IG_OK;
}

/* Rank 0 examines the folder; its findings are broadcast. All ranks produce the same output at
   the same steps, because rooms gather for it; output of other ranks goes to a tee without
   receivers. */
static ig_status files_open(ig_sim *s, const ig_run_options *o) {
  ig_status status = IG_OK;
  if (ig_ranks_first(s->cx))
    status = ig_files_open(s->c, &s->job, o, &s->restart, &s->files, &s->up_to_date, &s->warned);
  IG_TRY(ig_ranks_agree(s->cx, status));
  bool wanted = ig_tee_wanted(s->files, o), kept = s->files != NULL;
  IG_TRY(ig_ranks_bcast(s->cx, 0, &s->up_to_date, sizeof s->up_to_date));
  IG_TRY(ig_ranks_bcast(s->cx, 0, &wanted, sizeof wanted));
  IG_TRY(ig_ranks_bcast(s->cx, 0, &kept, sizeof kept));
  IG_TRY(ig_restart_share(s->cx, !s->c->room->pieces, &s->restart));
  static const ig_run_options nobody;
  return sink_use(s, ig_ranks_first(s->cx) ? o : &nobody, wanted, kept);
}

/* On one rank the mesh is still there and the hash is computed when it is needed. */
static uint64_t fingerprint_of(const ig_sim *s) {
  return ig_ranks_count(s->cx->ranks) > 1 ? s->fingerprint : ig_job_fingerprint(s->c, &s->job);
}

/* The order of steps is the contract of a run: read and check everything, examine the folder, warn
   about unusual values, then open the room, whose first output creates files. A failure before that
   leaves the folder as it was. */
ig_status ig_sim_open_for(ig_case *c, const ig_run_options *o, const ig_room *const *rooms,
                          ig_sim **sim) {
  ig_sim *s;
  ig_ctx *cx = c->cx;
  *sim = NULL;
  if (cx->ranks)
    cx->ranks->failed = false; /* a new run, for everybody */
  const ig_status made = IG_NEW(cx, &s, 1, "simulation");
  if (made != IG_OK)
    return ig_ranks_agree(cx, made);
  *sim = s;
  *s = (ig_sim){.c = c, .cx = cx, .start = ig_now(), .generation = 1};
  /* Times are counted anew for this run, except the start of the device, which happened when the
     context was opened. */
  const double started = cx->split.seconds[IG_PHASE_START];
  cx->split = (ig_split){.now = IG_PHASE_READ, .mark = s->start};
  cx->split.seconds[IG_PHASE_START] = started;
  cx->warnings = 0; /* the summary counts this run's */
  listen(s);
  cx->inputs = &s->inputs;
  ig_status status = job_open(s, rooms);
  if (status == IG_OK)
    ig_case_inputs(c);
  cx->inputs = NULL;
  if (status == IG_OK && ig_ranks_count(cx->ranks) > 1)
    status = ig_job_same(c, &s->job, IG_JOB_RUN, s->stamp);
  if (status == IG_OK)
    status = ranks_check(s);
  if (status == IG_OK)
    status = files_open(s, o);
  if (status == IG_OK && !s->up_to_date && ig_ranks_first(cx))
    status = ig_case_plausible(c, s->job.mesh);
  status = ig_ranks_agree(cx, status);
  if (status == IG_INTERRUPTED)
    cx->interrupted = 0; /* a request ends one run */
  if (status != IG_OK || s->up_to_date) {
    s->concluded = true;
    return s->failed = status;
  }
  if (ig_ranks_count(cx->ranks) > 1)
    s->fingerprint = ig_job_fingerprint(c, &s->job);
  s->job.restart = s->restart;
  ig_info(cx, "%s%s%s on %s: %s", c->room->name, *s->job.title ? ", " : "", s->job.title,
          ig_ctx_backend(cx), ig_ctx_device(cx));
  s->job.seconds_setup = ig_now() - s->start; /* reading and meshing are part of the setup */
  cx->inputs = &s->inputs;
  s->failed = ig_loop_open(&s->march, c->room, &s->job);
  cx->inputs = NULL;
  if (s->files)
    ig_inputs_start(&s->inputs);
  s->job.restart = NULL;
  ig_restart_free(s->restart); /* may be of the whole */
  s->restart = NULL;
  (void)ig_phase_begin(cx, IG_PHASE_CALLER);
  if (s->failed == IG_INTERRUPTED)
    cx->interrupted = 0;
  return s->failed == IG_OK ? IG_OK : ig_sim_conclude(s, s->failed);
}

/* Unlike ig_sim_open_for, *sim is NULL after a failure. */
ig_status ig_sim_open(ig_case *c, const ig_sim_options *options, ig_sim **sim) {
  static const ig_sim_options defaults;
  const ig_sim_options *o = options ? options : &defaults;
  if (!sim)
    return IG_ARG;
  *sim = NULL;
  IG_TRY(ig_case_usable(c));
  const ig_run_options run = {.out = o->out,
                              .restart = o->restart,
                              .force = o->force,
                              .figure = o->figure,
                              .user = o->user,
                              .snapshot = o->snapshot,
                              .row = o->row};
  const ig_status status = ig_sim_open_for(c, &run, ig_rooms_of(c->cx), sim);
  if (status != IG_OK) {
    ig_sim_close(*sim);
    *sim = NULL;
  }
  return status;
}

bool ig_sim_up_to_date(const ig_sim *s) {
  return s->up_to_date;
}

/* Most functions refuse a simulation that has failed or is finished. */
static ig_status usable(ig_sim *s) {
  if (!s)
    return IG_ARG;
  if (s->failed != IG_OK)
    return IG_FAIL(s->cx, IG_ARG, "the simulation failed before: open it anew");
  if (s->concluded)
    return IG_FAIL(s->cx, IG_ARG, "the simulation is finished: open it anew");
  return IG_OK;
}

/* An interruption is not a failure: the simulation can be stepped further. */
static ig_status go(ig_sim *s, int64_t steps, double time, int64_t *done) {
  const int64_t before = s->march.now.at.step;
  s->stepping = true;
  const ig_status status = ig_loop_go(&s->march, steps, time);
  s->stepping = false;
  s->generation++;
  if (done)
    *done = s->march.now.at.step - before;
  if (status != IG_OK && status != IG_INTERRUPTED)
    s->failed = status;
  return status;
}

ig_status ig_sim_step(ig_sim *s, int64_t steps, int64_t *done) {
  if (done)
    *done = 0;
  IG_TRY(usable(s));
  if (steps < 0)
    return IG_FAIL(s->cx, IG_ARG, "steps = %lld: expected 0 or more", (long long)steps);
  return go(s, steps, INFINITY, done);
}

/* Stops at the first step whose end reaches `time` (s); steps are not shortened to hit it. */
ig_status ig_sim_until(ig_sim *s, double time) {
  IG_TRY(usable(s));
  if (isnan(time))
    return IG_FAIL(s->cx, IG_ARG, "time is not a number");
  return go(s, INT64_MAX, time, NULL);
}

bool ig_sim_ended(const ig_sim *s) {
  return !s || s->march.now.ended || s->concluded;
}
double ig_sim_time(const ig_sim *s) {
  return s ? s->march.now.clock : NAN;
}
int64_t ig_sim_steps(const ig_sim *s) {
  return s ? s->march.now.at.step : 0;
}
double ig_sim_dt(const ig_sim *s) {
  return s ? s->march.now.dt : NAN;
}

/* Counts of the room are updated first. Valid at any time, also for a simulation that failed. */
void ig_sim_stats(const ig_sim *sim, ig_run_stats *stats) {
  if (!stats)
    return;
  *stats = (ig_run_stats){0};
  if (!sim)
    return;
  const ig_job *job = &sim->job;
  if (sim->march.opened && sim->march.self && sim->march.room->tally)
    sim->march.room->tally(sim->march.self);
  const double solve = job->seconds_solve;
  *stats = (ig_run_stats){.elements = job->elements,
                          .nodes = job->nodes,
                          .dofs = job->dofs,
                          .steps = job->steps,
                          .seconds_setup = job->seconds_setup,
                          .seconds_solve = solve,
                          .seconds_output = job->seconds_output,
                          .seconds_total = ig_now() - sim->start,
                          .element_steps_per_s = solve > 0 ? job->element_steps / solve : 0,
                          .bytes_per_s = solve > 0 ? job->bytes_moved / solve : 0,
                          .host_peak = ig_host_peak(),
                          .device_peak = sim->cx->device_peak,
                          .up_to_date = sim->up_to_date};
}

/* Ends a run with `status`: figures (if IG_OK), flush of the writer thread, summary. The message of
   the first failure is kept through the following calls, which may overwrite the context's. */
ig_status ig_sim_conclude(ig_sim *s, ig_status status) {
  ig_ctx *cx = s->cx;
  char message[sizeof cx->message];
  ig_run_stats stats;
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_OUTPUT);
  if (status == IG_OK)
    status = ig_loop_finish(&s->march);
  /* figures are judged where they go: on rank 0 */
  if (status == IG_OK && s->job.sink && (s->t.inner || s->t.figure))
    status = ig_accept_finish(cx, &s->t.accept, s->job.sink);
  s->concluded = true;
  /* A run that fails before its first output leaves a former run's files as they are. Where there
     are none, summary.json says why it failed, unless the case itself was refused. */
  const bool begun = s->files && ig_sink_begun(s->files);
  if (!s->files || (status != IG_OK && !begun && (status == IG_INPUT || ig_sink_former(s->files))))
    return status;
  /* the first thing that went wrong is what the user hears */
  snprintf(message, sizeof message, "%s", cx->message);
  const ig_status flushed = s->files->flush(s->files);
  if (status == IG_OK || (status == IG_INTERRUPTED && flushed != IG_OK)) {
    status = flushed != IG_OK ? flushed : status;
    snprintf(message, sizeof message, "%s", cx->message);
  }
  ig_sim_stats(s, &stats);
  ig_inputs_finish(&s->inputs);
  const ig_status told =
      ig_files_summary(s->c, &s->job, &stats, status, message, *s->stamp ? s->stamp : NULL,
                       &s->warned, &s->inputs, s->files);
  ig_phase_end(cx, former);
  if (status == IG_OK && told != IG_OK)
    return told;
  snprintf(cx->message, sizeof cx->message, "%s", message);
  return status;
}

/* For programs: a simulation that has not reached its end is stopped with a checkpoint, and that is
   a success. */
ig_status ig_sim_finish(ig_sim *s) {
  if (!s)
    return IG_ARG;
  if (s->concluded)
    return IG_OK;
  if (s->failed != IG_OK || s->march.now.ended)
    return ig_sim_conclude(s, s->failed);
  const ig_status stopped = ig_loop_stop(&s->march);          /* what there is can be continued */
  if (stopped == IG_INTERRUPTED && s->march.now.iterations) { /* a design has figures at any time */
    char message[sizeof s->cx->message];
    snprintf(message, sizeof message, "%s", s->cx->message);
    const ig_status figures = ig_loop_figures(&s->march);
    if (figures != IG_OK)
      return ig_sim_conclude(s, figures);
    snprintf(s->cx->message, sizeof s->cx->message, "%s", message);
  }
  const ig_status told = ig_sim_conclude(s, stopped);
  return told == IG_INTERRUPTED ? IG_OK : told;
}

/* The caller's log functions are restored only if they were replaced by this simulation. */
void ig_sim_close(ig_sim *s) {
  if (!s)
    return;
  if (s->march.room)
    ig_loop_close(&s->march);
  ig_sink_close(s->files);
  ig_accept_close(&s->t.accept);
  ig_restart_free(s->restart);
  ig_inputs_free(&s->inputs);
  ig_job_close(&s->job);
  for (int i = 0; i < COPIES; i++)
    free(s->copy[i].data);
  free(s->loads.factor);
  free(s->supports.factor);
  if (s->cx->user == s) {
    s->cx->log = s->log;
    s->cx->progress = s->progress;
    s->cx->user = s->user;
  }
  free(s);
}

/* --- fields */

static bool field_at(ig_sim *s, int i, ig_room_field *f) {
  const ig_room *room = s->march.room;
  *f = (ig_room_field){0};
  return room->field && room->field(s->march.self, i, f);
}

static ig_field_info info_of(const ig_room_field *f) {
  return (ig_field_info){f->name,       f->unit,  f->where,   f->dtype,
                         f->components, f->count, f->writable};
}

void ig_sim_fields(ig_sim *s, ig_field_fn *field, void *user) {
  ig_room_field f;
  if (!s || !field || s->failed != IG_OK)
    return;
  for (int i = 0; field_at(s, i, &f); i++) {
    const ig_field_info info = info_of(&f);
    field(user, &info);
  }
}

/* The list of names in the error message is complete because the loop runs to the end. */
static ig_status field_find(ig_sim *s, const char *name, ig_room_field *f, int *number) {
  char list[256] = "";
  if (!s || !name)
    return IG_ARG;
  if (s->failed != IG_OK)
    return IG_FAIL(s->cx, IG_ARG, "the simulation failed before: open it anew");
  for (int i = 0; field_at(s, i, f); i++) {
    if (number)
      *number = i;
    if (strcmp(f->name, name) == 0)
      return IG_OK;
    const size_t at = strlen(list);
    snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", f->name);
  }
  return IG_FAIL(s->cx, IG_INPUT, "there is no field '%.60s': expected %s", name, list);
}

/* Makes a host copy of a field, unless there is a valid one. f->dev: bytes as stored, from the
   device; otherwise the room assembles doubles in mesh order, for which all ranks are needed. */
static ig_status copy_make(ig_sim *s, const ig_room_field *f, int number, size_t bytes) {
  if (number >= COPIES)
    return IG_FAIL(s->cx, IG_UNSUPPORTED, "field '%s' cannot be seen on the host", f->name);
  if (s->copy[number].data && s->copy[number].generation == s->generation)
    return IG_OK;
  free(s->copy[number].data);
  s->copy[number].data = NULL;
  ig_status status = ig_alloc(s->cx, &s->copy[number].data, bytes, 1, "a view");
  s->copy[number].generation = 0;
  if (status == IG_OK && f->dev)
    status = s->cx->backend->copy_out(s->cx, s->copy[number].data, f->dev, bytes);
  else if (status == IG_OK)
    status = s->march.room->get(s->march.self, f->name, s->copy[number].data);
  IG_TRY(f->dev ? status : ig_ranks_agree(s->cx, status)); /* ranks put it together */
  s->copy[number].generation = s->generation;
  return IG_OK;
}

/* Without separate memory the view is the room's own array. Strides are in bytes: arrays of a room
   may be interleaved or component after component. */
ig_status ig_sim_view(ig_sim *s, const char *name, ig_side side, ig_field_view *view) {
  ig_room_field f;
  IG_REQUIRE_ARGS(s ? s->cx : NULL, s && name && view);
  if (side != IG_ON_HOST && side != IG_ON_DEVICE)
    return IG_FAIL(s->cx, IG_ARG, "side %d: expected IG_ON_HOST or IG_ON_DEVICE", (int)side);
  *view = (ig_field_view){0};
  int number = 0;
  IG_TRY(field_find(s, name, &f, &number));
  if (!f.dev && side == IG_ON_DEVICE)
    return IG_FAIL(s->cx, IG_UNSUPPORTED,
                   "field '%s' is not stored on the device in the order of the mesh: ask for it on "
                   "the host",
                   name);
  const int64_t item = (int64_t)sizeof(double);
  if (!f.dev) {
    f.dtype = IG_F64;
    f.stride[0] = item * f.components;
    f.stride[1] = item;
  }
  *view = (ig_field_view){info_of(&f), f.dev, {f.stride[0], f.stride[1]}, false, s->generation};
  if (f.dev && (side == IG_ON_DEVICE || !s->cx->backend->separate))
    return IG_OK;
  const int64_t last = (f.count - 1) * f.stride[0] + (f.components - 1) * f.stride[1];
  IG_TRY(copy_make(s, &f, number, f.count > 0 ? (size_t)last + ig_dtype_size(f.dtype) : 1));
  view->data = s->copy[number].data;
  view->copied = true;
  return IG_OK;
}

/* A view is valid until the simulation is stepped, changed or restored. */
bool ig_sim_is_fresh(const ig_sim *s, const ig_field_view *view) {
  return s && view && view->data && view->generation == s->generation;
}

/* Converts to doubles, point by point; strides allow any layout of the room. */
ig_status ig_sim_get(ig_sim *s, const char *name, double *values) {
  ig_field_view v;
  IG_REQUIRE_ARGS(s ? s->cx : NULL, s && values);
  IG_TRY(ig_sim_view(s, name, IG_ON_HOST, &v));
  for (int64_t i = 0; i < v.info.count; i++)
    for (int c = 0; c < v.info.components; c++) {
      const char *at = (const char *)v.data + i * v.stride[0] + c * v.stride[1];
      double *to = &values[i * v.info.components + c];
      *to = v.info.dtype == IG_F32 ? (double)*(const float *)at : *(const double *)at;
    }
  return IG_OK;
}

/* The checkpoint of this step, if any, has the old values, so it counts as not written. The status
   is asked again, because values may change the length of the next step. */
ig_status ig_sim_set(ig_sim *s, const char *name, const double *values) {
  ig_room_field f;
  IG_TRY(usable(s));
  IG_REQUIRE_ARGS(s->cx, name && values);
  IG_TRY(field_find(s, name, &f, NULL));
  if (!f.writable || !s->march.room->set)
    return IG_FAIL(s->cx, IG_INPUT, "field '%s' can be read only", name);
  for (int64_t i = 0; i < f.count * f.components; i++)
    if (!isfinite(values[i]))
      return IG_FAIL(s->cx, IG_INPUT, "field '%s': value %lld is %g", name, (long long)i,
                     values[i]);
  s->generation++;
  IG_TRY(ig_ranks_agree(s->cx, s->march.room->set(s->march.self, name, values)));
  s->march.saved = -1; /* a checkpoint of this step would hold what was before */
  s->march.room->stand(s->march.self, &s->march.now);
  return IG_OK;
}

/* --- loads and supports */

typedef ig_status scale_fn(void *self, int number, double factor);

/* Changes a factor in the room and remembers it; copies of fields become invalid, because
   prescribed values may be fields. */
static ig_status scale(ig_sim *s, const char *what, scale_fn *of_room, ig_factors *f, int number,
                       double factor) {
  if (!of_room)
    return IG_FAIL(s->cx, IG_INPUT, "the %ss of '%s' cannot be changed", what, s->march.room->name);
  if (!isfinite(factor) || number < 0)
    return IG_FAIL(s->cx, IG_ARG, "%s %d x %g: expected a %s of the case and a number", what,
                   number, factor, what);
  s->generation++;
  IG_TRY(of_room(s->march.self, number, factor));
  return ig_factors_set(s->cx, f, number, factor);
}

ig_status ig_sim_scale_load(ig_sim *s, int load, double factor) {
  IG_TRY(usable(s));
  return scale(s, "load", s->march.room->load, &s->loads, load, factor);
}

ig_status ig_sim_scale_support(ig_sim *s, int support, double factor) {
  IG_TRY(usable(s));
  return scale(s, "support", s->march.room->support, &s->supports, support, factor);
}

/* Factors of 1 are not applied: the room may refuse to change a load, and there is nothing to
   change. */
static ig_status factors_apply(ig_sim *s, const ig_factors *f, scale_fn *of_room) {
  for (int i = 0; i < f->count; i++)
    if (f->factor[i] != 1)
      IG_TRY(of_room(s->march.self, i, f->factor[i]));
  return IG_OK;
}

/* --- states in memory */

static ig_status settings_of(ig_sim *s, char **copy) {
  if (!s->settings)
    IG_TRY(ig_case_settings(s->c, &s->settings));
  *copy = strdup(s->settings);
  return *copy ? IG_OK : IG_FAIL(s->cx, IG_MEMORY, "no memory for a saved state");
}

/* Whether a state belongs to this simulation or to another one with the same case. `whole`: the
   analysis is a single step and has no state in between. */
static ig_status state_check(ig_sim *s, const ig_sim_state *state) {
  char key[64], *settings;
  if (!state || !state->kept || s->march.now.whole || state->fingerprint != fingerprint_of(s))
    return IG_FAIL(s->cx, IG_ARG, "this state is not of this simulation");
  IG_TRY(settings_of(s, &settings));
  const bool other = ig_settings_differ(settings, state->settings, key, sizeof key);
  free(settings);
  return other ? IG_FAIL(s->cx, IG_ARG,
                         "this state was saved when '%s' in the case was another: open the "
                         "simulation with the case as it was",
                         key)
               : IG_OK;
}

/* The room saves through a sink that keeps arrays in memory (ig_keeper), so that a state is exactly
   a checkpoint. */
ig_status ig_sim_save(ig_sim *s, ig_sim_state **state) {
  IG_REQUIRE_ARGS(s ? s->cx : NULL, s && state);
  *state = NULL;
  IG_TRY(usable(s));
  if (!s->march.room->save || s->march.now.whole)
    return IG_FAIL(s->cx, IG_UNSUPPORTED, "'%s' has no state to save", s->march.room->name);
  ig_keeper keeper;
  ig_keeper_open(s->cx, &keeper);
  ig_sim_state *made;
  ig_status status = IG_NEW(s->cx, &made, 1, "a saved state");
  if (status != IG_OK)
    return ig_ranks_agree(s->cx, status);
  status = s->march.room->save(s->march.self, &keeper.sink);
  *made = (ig_sim_state){.kept = keeper.kept, .fingerprint = fingerprint_of(s)};
  if (status == IG_OK)
    status = settings_of(s, &made->settings);
  if (status == IG_OK)
    status = ig_factors_copy(s->cx, &made->loads, &s->loads);
  if (status == IG_OK)
    status = ig_factors_copy(s->cx, &made->supports, &s->supports);
  status = ig_ranks_agree(s->cx, status);
  if (status == IG_OK)
    *state = made;
  else
    ig_sim_state_free(made);
  return status;
}

/* Makes the mesh again where the room freed it after set-up (several ranks). */
static ig_status mesh_anew(ig_ctx *cx, void *user) {
  ig_sim *s = user;
  (void)cx;
  if (!s->job.mesh || s->job.mesh->x)
    return IG_OK;
  ig_job_close(&s->job);
  return ig_job_mesh(s->c, &s->job);
}

/* Closes the room and opens it anew with the state as its checkpoint: a restored simulation takes
   the same path as a continued run, so it has the same bits. On ranks rank 0 has the whole state
   and shares it. */
ig_status ig_sim_restore(ig_sim *s, const ig_sim_state *state) {
  IG_TRY(usable(s));
  IG_TRY(ig_ranks_agree(s->cx, state_check(s, state)));
  ig_restart *kept = ig_ranks_first(s->cx) ? state->kept : NULL;
  IG_TRY(ig_restart_share(s->cx, !s->c->room->pieces, &kept));
  s->generation++;
  ig_loop_close(&s->march);
  s->failed = ig_ranks_agree(s->cx, ig_ranks_in_turn(s->cx, mesh_anew, s));
  s->job.restart = kept;
  if (s->failed == IG_OK)
    s->failed = ig_loop_open(&s->march, s->c->room, &s->job);
  s->job.restart = NULL;
  if (!ig_ranks_first(s->cx))
    ig_restart_free(kept);
  if (s->failed == IG_OK)
    s->failed = ig_factors_copy(s->cx, &s->loads, &state->loads);
  if (s->failed == IG_OK)
    s->failed = ig_factors_copy(s->cx, &s->supports, &state->supports);
  if (s->failed == IG_OK)
    s->failed = factors_apply(s, &s->loads, s->march.room->load);
  if (s->failed == IG_OK)
    s->failed = factors_apply(s, &s->supports, s->march.room->support);
  s->failed = ig_ranks_agree(s->cx, s->failed);
  return s->failed;
}

/* --- a snapshot in memory */

/* Sink function that keeps the snapshot; the caller of ig_sim_snapshot frees it. */
static ig_status keep_snapshot(ig_sink *sink, ig_snapshot *snap) {
  *(ig_snapshot **)sink->self = snap;
  return IG_OK;
}

ig_status ig_sim_snapshot(ig_sim *sim, ig_snapshot **snap) {
  ig_sink sink = {.self = snap, .snapshot = keep_snapshot};
  *snap = NULL;
  if (!sim->march.room->snapshot)
    return IG_FAIL(sim->cx, IG_UNSUPPORTED, "%s gives no snapshots", sim->march.room->name);
  IG_TRY(ig_ranks_agree(sim->cx, sim->march.room->snapshot(sim->march.self, &sink)));
  if (!*snap) /* on ranks the first may have it alone */
    return IG_OK;
  const ig_status status = ig_snapshot_settle(*snap);
  return status == IG_OK ? ig_snapshot_fill(*snap) : status;
}

ig_status ig_sim_show(ig_sim *s, ig_snapshot_fn *snapshot, void *user) {
  ig_snapshot *snap;
  if (!snapshot)
    return IG_ARG;
  IG_TRY(usable(s));
  ig_status status = ig_sim_snapshot(s, &snap);
  if (status == IG_OK && snap)
    status = ig_snapshot_hand(s->cx, snap, snapshot, user);
  ig_snapshot_free(snap);
  return status;
}

double ig_sim_duration(const ig_sim *sim) {
  return sim->march.now.duration;
}
