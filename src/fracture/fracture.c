/* Dynamic fracture with cohesive elements that are inserted where the stress asks for them: the
   loop of Alhadeff, Celes and Paulino (2015). A step on the device is

     every n steps   stress at the corners, nodal averages, facets against their strength,
                     marked facets become cohesive elements, nodes that came apart are copied
     each step       loaded faces, cohesive elements, bulk elements, nodes (Newmark)

   and the host only asks for so many of them, then looks (model.c). */
#include "fracture/fracture.h"

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
  IG_TRY(job->sink->result(job->sink, "final_nodes", "", m->count.nodes));
  IG_TRY(job->sink->result(job->sink, "cohesive_elements", "", m->count.cohesive));
  return job->sink->result(job->sink, "seconds_per_cohesive_element", "s",
                           seconds / m->count.cohesive);
}

/* Whether something that happens `every` steps, or is number k of count, falls on this step. */
static int64_t next_due(int64_t step, int64_t every) {
  return every > 0 ? (step / every + 1) * every : INT64_MAX;
}

static int64_t snapshot_every(const ig_job *job, int64_t steps, double dt) {
  const ig_output_case *o = job->output;
  if (!o || !job->sink)
    return 0;
  if (o->every > 0)
    return o->every;
  if (!isnan(o->interval) && o->interval > 0)
    return (int64_t)fmax(1, round(o->interval / dt));
  return o->count > 0 ? (steps + o->count - 1) / o->count : 0;
}

static ig_status run_steps(ig_job *job, ig_frac_model *m) {
  const ig_frac_case *c = job->room_case;
  ig_ctx *cx = job->cx;
  const int64_t last = (int64_t)ceil(c->time.end / m->s.dt - 1e-9);
  const int64_t snaps = snapshot_every(job, last, m->s.dt);
  int64_t rows = job->output ? job->output->history_every : 0;
  rows = rows > 0 ? rows : last > 200 ? last / 200 : 1;
  ig_frac_track track = {0};
  if (c->cracks.count)
    ig_frac_track_notch(&track, IG_ITEM(const ig_frac_crack_case, c->cracks, 0), c->time.end);
  if (job->restart)
    IG_TRY(ig_frac_restore(job, m, &track));
  else {
    IG_TRY(ig_frac_history(job, m, &track));
    if (snaps)
      IG_TRY(ig_frac_snapshot(job, m));
  }
  const int64_t first = m->count.step;
  const double start = ig_now();
  double output = 0, saved = start;
  while (m->count.step < last && !cx->interrupted) {
    const int64_t at = m->count.step;
    int64_t to = next_due(at, rows);
    to = snaps && next_due(at, snaps) < to ? next_due(at, snaps) : to;
    to = to < last ? to : last;
    IG_TRY(ig_frac_model_run(m, to));
    const double pause = ig_now();
    IG_TRY(ig_fault_check(cx, "node", NULL));
    if (m->count.step != to)
      continue; /* interrupted */
    const double every = job->output ? job->output->checkpoint_every : 0;
    if (every > 0 && pause - saved > every) {
      IG_TRY(ig_frac_save(job, m, &track));
      saved = pause;
    }
    if (to % rows == 0 || to == last)
      IG_TRY(ig_frac_history(job, m, &track));
    if (snaps && (to % snaps == 0 || to == last))
      IG_TRY(ig_frac_snapshot(job, m));
    output += ig_now() - pause;
    char note[64];
    snprintf(note, sizeof note, "%" PRId32 " cohesive, %" PRId32 " pieces", m->count.cohesive,
             track.pieces);
    const double spent = ig_now() - start;
    ig_progress_report(cx, &(ig_progress){"step", (double)to, (double)last,
                                          spent > 0 ? (double)(to - first) * m->s.ne / spent : 0,
                                          note});
  }
  IG_TRY(cx->backend->sync(cx));
  job->seconds_output = output;
  job->seconds_solve = ig_now() - start - output;
  job->steps = m->count.step - first;
  job->element_steps = (double)job->steps * m->s.ne;
  const double real = m->wide ? 8 : 4, dim = m->shape.dim;
  job->bytes_moved =
      (double)job->steps *
      ((double)m->s.ne *
           (m->shape.nodes * (4 + (m->s.how == IG_GATHER ? 2 * dim * real + 4 : 0)) + 1) +
       (double)m->count.nodes *
           (real * (5 * dim + 1) + 4 + (m->s.how == IG_GATHER ? 8 : 2 * dim * real)));
  if (cx->interrupted) {
    IG_TRY(ig_frac_save(job, m, &track));
    return IG_INTERRUPTED;
  }
  IG_TRY(ig_frac_results(job, m, &track));
  return IG_OK;
}

static ig_status fracture_run(ig_job *job) {
  const ig_frac_case *c = job->room_case;
  const double start = ig_now();
  ig_frac_model m;
  ig_status status = ig_frac_setup(job, &m);
  job->elements = m.s.ne;
  job->seconds_setup = ig_now() - start;
  if (status == IG_OK && !c->insertion.at.given && !(c->time.end > 0))
    status = ig_fail_at(job->cx, &c->at, "time.end is missing: how long does the case run?");
  if (status == IG_OK)
    status = c->insertion.at.given ? run_insertion(job, &m) : run_steps(job, &m);
  job->nodes = m.count.nodes;
  job->dofs = (int64_t)m.count.nodes * m.shape.dim;
  ig_frac_model_free(&m);
  return status;
}

static ig_status fracture_check(ig_job *job, ig_check_line *line, void *user) {
  const ig_frac_case *c = job->room_case;
  ig_frac_model m;
  double critical = 0;
  ig_status status = ig_frac_setup(job, &m);
  if (status == IG_OK)
    status = ig_frac_model_critical(&m, &critical);
  if (status == IG_OK) {
    char text[128];
    snprintf(text, sizeof text, "%.4g s of the bulk (step taken: %.4g s)", critical, m.s.dt);
    line(user, "critical step", text);
    if (!c->insertion.at.given) {
      snprintf(text, sizeof text, "%.0f", ceil(c->time.end / m.s.dt - 1e-9));
      line(user, "steps", text);
    }
    snprintf(text, sizeof text, "%lld", (long long)m.facets);
    line(user, "facets that can open", text);
    snprintf(text, sizeof text, "%.3g MB now, %.3g MB with every facet open",
             1e-6 * (double)job->cx->device_bytes,
             1e-6 * ((double)job->cx->device_bytes +
                     (double)m.facets * (m.wide ? 8 : 4) *
                         (m.shape.points * m.shape.state + m.shape.face_nodes * m.shape.dim + 3) +
                     (double)(m.s.ne * (int64_t)m.shape.nodes - m.s.node_max) *
                         ((m.wide ? 8 : 4) * (4 * m.shape.dim + 2) + 30)));
    line(user, "device memory", text);
  }
  ig_frac_model_free(&m);
  return status;
}

const ig_room ig_room_fracture = {
    .name = "fracture",
    .about = "dynamic fracture and fragmentation: cohesive elements inserted on the fly",
    .needs_mesh = true,
    .case_size = sizeof(ig_frac_case),
    .options = ig_frac_options,
    .run = fracture_run,
    .check = fracture_check,
    .verify = ig_frac_verify,
    .bench = ig_frac_bench};
