/* Dynamic fracture with cohesive elements that are inserted where the stress asks for them: the
   loop of Alhadeff, Celes and Paulino (2015). A step on the device is

     every n steps   stress at the corners, nodal averages, facets against their strength,
                     marked facets become cohesive elements, nodes that came apart are copied
     each step       loaded faces, cohesive elements, bulk elements, nodes (Newmark)

   and the host only asks for so many of them, then looks (steps.c). */
#include "core/schedule.h"
#include "fracture/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static ig_status run_insertion(ig_job *job, ig_frac_model *m) {
  const ig_frac_case *c = job->room_case;
  const int32_t nodes = m->count.nodes;
  double seconds;
  IG_TRY(
      ig_frac_open_all(m, (int)c->insertion.batches, (uint64_t)c->insertion.seed, &seconds, NULL));
  IG_TRY(ig_frac_tables_check(m));
  job->seconds_solve = seconds;
  job->steps = c->insertion.batches;
  job->element_steps = (double)m->count.cohesive;
  if (!job->sink)
    return IG_OK;
  IG_TRY(job->sink->result(job->sink, "initial_nodes", "", nodes));
  IG_TRY(job->sink->result(job->sink, "nodes", "", m->count.nodes));
  IG_TRY(job->sink->result(job->sink, "cohesive_elements", "", m->count.cohesive));
  return job->sink->result(job->sink, "time_per_cohesive_element", "s",
                           seconds / m->count.cohesive);
}

static void progress(ig_job *job, const ig_frac_model *m, const ig_frac_track *track, int64_t done,
                     int64_t last, double seconds) {
  char note[64];
  snprintf(note, sizeof note, "%" PRId32 " cohesive, %" PRId32 " pieces", m->count.cohesive,
           track->pieces);
  ig_progress_report(job->cx,
                     &(ig_progress){"step", (double)m->count.step, (double)last,
                                    seconds > 0 ? (double)done * m->s.ne / seconds : 0, note});
}

/* Whether the case gives anything that could move the mesh. */
static bool something_acts(const ig_frac_case *c, const ig_frac_model *m) {
  bool acts = c->loads.count || c->initial.count;
  for (int i = 0; i < m->motions; i++)
    acts = acts || m->s.motion[i].kind != IG_MOVE_FIXED;
  return acts;
}

static ig_status run_steps(ig_job *job, ig_frac_model *m) {
  const ig_frac_case *c = job->room_case;
  ig_ctx *cx = job->cx;
  if (!something_acts(c, m))
    ig_warn_at(cx, &c->at, "nothing acts on the mesh: no load, no motion, no initial state");
  const double dt = m->s.dt;
  const int64_t last = (int64_t)ceil(c->duration / dt - 1e-9);
  ig_schedule due;
  ig_schedule_start(&due, job->sink ? job->output : NULL, c->duration);
  const bool shown = job->sink && ig_output_shows(job->output);
  ig_frac_track track;
  ig_frac_track_start(&track, c, c->duration);
  if (job->restart) {
    IG_TRY(ig_frac_restore(job, m, &track));
    track.end = c->duration; /* it may go further than was planned */
  } else {
    IG_TRY(ig_frac_history(job, m, &track));
    if (shown)
      IG_TRY(ig_frac_snapshot(job, m));
  }
  const int64_t first = m->count.step;
  const double start = ig_now();
  while (m->count.step < last && !cx->interrupted) {
    const ig_moment from = {m->count.step, (double)m->count.step * dt};
    IG_TRY(ig_frac_model_run(m, from.step + ig_schedule_ahead(&due, from, dt, last - from.step)));
    IG_TRY(ig_fault_check(cx, "node", NULL));
    const ig_moment to = {m->count.step, (double)m->count.step * dt};
    const bool end = to.step == last;
    const double pause = ig_now();
    if (end || ig_schedule_history(&due, from, to))
      IG_TRY(ig_frac_history(job, m, &track));
    if (shown && (end || ig_schedule_snapshot(&due, from, to)))
      IG_TRY(ig_frac_snapshot(job, m));
    if (cx->interrupted || ig_schedule_checkpoint(&due))
      IG_TRY(ig_frac_save(job, m, &track));
    job->seconds_output += ig_now() - pause;
    progress(job, m, &track, to.step - first, last, ig_now() - start);
  }
  IG_TRY(cx->backend->sync(cx));
  job->seconds_solve = ig_now() - start - job->seconds_output;
  job->steps = m->count.step - first;
  job->element_steps = (double)job->steps * m->s.ne;
  job->bytes_moved = (double)job->steps * ig_frac_model_bytes(m);
  return cx->interrupted ? IG_INTERRUPTED : ig_frac_results(job, m, &track);
}

static ig_status prepare(ig_job *job, ig_frac_model *m) {
  const ig_frac_case *c = job->room_case;
  if (!c->insertion.at.given && !(c->duration > 0))
    return ig_fail_at(job->cx, &c->at, "`duration` is missing: how long does the case run?");
  return ig_frac_setup(job, m);
}

static ig_status run(ig_job *job) {
  const ig_frac_case *c = job->room_case;
  const double start = ig_now();
  ig_frac_model m = {0};
  ig_status status = prepare(job, &m);
  job->elements = m.s.ne;
  job->seconds_setup = ig_now() - start;
  if (status == IG_OK)
    status = c->insertion.at.given ? run_insertion(job, &m) : run_steps(job, &m);
  job->nodes = m.count.nodes;
  job->dofs = (int64_t)m.count.nodes * m.shape.dim;
  ig_frac_model_free(&m);
  return status;
}

static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  const ig_frac_case *c = job->room_case;
  ig_frac_model m = {0};
  double critical = 0;
  ig_status status = prepare(job, &m);
  if (status == IG_OK)
    status = ig_frac_model_critical(&m, &critical);
  if (status == IG_OK) {
    char text[128];
    snprintf(text, sizeof text, "%.4g s of the bulk (step taken: %.4g s)", critical, m.s.dt);
    line(user, "critical step", text);
    if (!c->insertion.at.given) {
      snprintf(text, sizeof text, "%.0f", ceil(c->duration / m.s.dt - 1e-9));
      line(user, "steps", text);
    }
    snprintf(text, sizeof text, "%lld", (long long)m.facets);
    line(user, "facets that can open", text);
    const double now = (double)job->cx->device_bytes;
    snprintf(text, sizeof text, "%.3g MB now, %.3g MB with every facet open", 1e-6 * now,
             1e-6 * (now + ig_frac_model_growth(&m)));
    line(user, "device memory", text);
  }
  ig_frac_model_free(&m);
  return status;
}

const ig_room ig_room_fracture = {
    .name = "fracture",
    .about = "dynamic fracture and fragmentation: cohesive elements inserted on the fly",
    .needs_mesh = true,
    .elements = "tri3|tri6|tet4|tet10",
    .case_size = sizeof(ig_frac_case),
    .options = ig_frac_options,
    .run = run,
    .check = check,
    .verify = ig_frac_verify,
    .bench = ig_frac_bench,
    .fields = ig_frac_fields};
