/* Topology optimisation: the room. The flow of a run, top to bottom:

     grid or mesh, supports, loads, roles   grid_model.c, mesh_model.c
     for each design iteration
       filter, project, moduli              evaluate.c
       solve K u = f (and the adjoint)      solver/multigrid.c
       objective and slopes, filtered back  evaluate.c
       update the densities                 OC in design_*.c, mma.c
       stop if the design no longer changes
     surface of the part                    surface.c, mesh_surface.c

   What it writes on the way is in output.c. */
#include "core/schedule.h"
#include "topopt/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* --- the loop --- */

/* Whether the design has arrived: it no longer changes, and no ramp would change it. */
static bool arrived(const ig_topopt_case *c, const ig_evaluation *e, double change, double last) {
  const double moved = fabs(e->objective - last) / fmax(fabs(e->objective), 1e-300);
  return ig_design_ramped(c, e) && change <= c->change &&
         (c->objective_change == 0 || moved <= c->objective_change);
}

static ig_status picture(ig_job *job, ig_design *s, int64_t iteration) {
  const double start = ig_now();
  const ig_status status = ig_topopt_snapshot(job, s, iteration);
  job->seconds_output += ig_now() - start;
  return status;
}

static ig_status loop(ig_job *job, ig_design *s) {
  const ig_topopt_case *c = s->c;
  ig_ctx *cx = s->cx;
  const ig_output_case *out = job->output;
  /* first and last are always shown, unless no pictures are wanted */
  const bool pictures = job->sink && !(out && out->every == 0 && out->count == 0);
  int64_t iteration = 0;
  double change = 1, last = NAN;
  bool done = false;
  ig_evaluation e = {0};
  ig_schedule due;
  ig_schedule_start(&due, job->sink ? out : NULL, (double)c->iterations);
  if (job->restart)
    IG_TRY(ig_topopt_restore(job, s, &iteration, &last));
  const double begin = ig_now();
  while (!done && iteration < c->iterations) {
    const ig_moment before = {iteration - 1, (double)iteration - 1},
                    here = {iteration, (double)iteration}, then = {iteration + 1, here.time + 1};
    ig_design_continue(c, then.step, &e);
    IG_TRY(ig_design_evaluate(s, &e));
    if (pictures && (here.step == 0 || ig_schedule_snapshot(&due, before, here)))
      IG_TRY(picture(job, s, here.step));
    IG_TRY(ig_design_update(s, &e));
    iteration = then.step;
    ig_design_stats st;
    IG_TRY(s->ops->stats(cx, s->d->places, s->d->role, s->x.dev, s->trial.dev, &st));
    change = st.change;
    if (c->solver.tolerance == 0)
      s->tolerance = ig_design_tolerance(change);
    done = arrived(c, &e, change, last);
    last = e.objective;
    job->element_steps += (double)s->d->dofs * e.iterations;
    const bool end = done || iteration == c->iterations;
    if (job->sink && (end || here.step == 0 || ig_schedule_history(&due, here, then)))
      IG_TRY(ig_topopt_history(job, s, iteration, &e, change));
    char note[120];
    snprintf(note, sizeof note, "objective %.6g, volume %.4f, change %.3f, %d solver iterations",
             e.objective, e.volume, change, e.iterations);
    const ig_progress progress = {"iteration", (double)iteration, (double)c->iterations,
                                  job->element_steps / (ig_now() - begin), note};
    ig_progress_report(cx, &progress);
    if (job->sink && (end || cx->interrupted || ig_schedule_checkpoint(&due)))
      IG_TRY(ig_topopt_checkpoint(job, s, iteration, last));
    if (cx->interrupted)
      return IG_FAIL(cx, IG_INTERRUPTED, "interrupted after iteration %" PRId64, iteration);
  }
  job->seconds_solve += ig_now() - begin - job->seconds_output;
  job->steps = iteration;
  /* the finished design, analysed */
  ig_design_continue(c, iteration > 0 ? iteration : 1, &e);
  IG_TRY(ig_design_evaluate(s, &e));
  if (!job->sink)
    return IG_OK;
  if (pictures)
    IG_TRY(picture(job, s, iteration));
  return ig_topopt_finish(job, s, &e, done);
}

/* The discretisation the case asks for, a grid or a mesh, and the design on it. */
static ig_status open_model(ig_job *job, ig_discretisation **d, ig_design **s) {
  const ig_topopt_case *c = job->room_case;
  const int64_t *n = c->grid.elements; /* a program may fill them without saying where */
  const bool grid = c->grid.at.given || n[0] != 0 || n[1] != 0 || n[2] != 0;
  *d = NULL;
  *s = NULL;
  IG_TRY(ig_topopt_output_check(job));
  IG_TRY(ig_part_formats_check(job->cx, &c->surface));
  if (job->mesh && grid)
    return ig_fail_at(job->cx, &c->grid.at, "grid: there is a mesh already: give one of the two");
  if (!job->mesh && !grid)
    return ig_fail_at(job->cx, &c->at, "topopt needs a section 'grid' or a section 'mesh'");
  if (job->mesh) {
    if (job->assembly_free)
      job->assembly = ig_mesh_model_assembly(job->cx);
    IG_TRY(ig_mesh_model_new(job->cx, c, job->materials, job->mesh, job->assembly, d));
  } else {
    ig_grid_model *m;
    if (job->assembly != IG_GATHER) /* its sums are node by node in any case */
      ig_warn_at(job->cx, &c->grid.at, "a grid does not look at 'assembly': nodes gather there");
    IG_TRY(ig_grid_model_new(job->cx, c, job->materials, &m));
    *d = &m->d;
  }
  ig_status status = ig_design_new(job->cx, c, *d, s);
  if (status == IG_OK && (*d)->loose)
    status =
        ig_fail_at(job->cx, &c->at, "supports: too few to keep the body still: it %s", (*d)->loose);
  if (status != IG_OK) {
    ig_design_free(*s);
    (*d)->free((*d)->self);
  }
  return status;
}

static void close_model(ig_discretisation *d, ig_design *s) {
  ig_design_free(s);
  d->free(d->self);
}

static ig_status run(ig_job *job) {
  const double start = ig_now();
  ig_discretisation *d;
  ig_design *s;
  IG_TRY(open_model(job, &d, &s));
  job->elements = d->elements;
  job->nodes = d->nodes;
  job->dofs = d->dofs;
  job->seconds_setup = ig_now() - start;
  const ig_status status = loop(job, s);
  close_model(d, s);
  return status;
}

/* bytes of a model that `check` does not make */
static const double LARGE = 4e9;

static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  ig_discretisation *d;
  ig_design *s;
  char text[128];
  const ig_topopt_case *c = job->room_case;
  double bytes = 0;
  if (!job->mesh && c->grid.at.given)
    IG_TRY(ig_grid_model_bytes(job->cx, c, &bytes));
  if (bytes > LARGE) { /* told without being built: this may not be the machine it is meant for */
    const int64_t *n = c->grid.elements;
    snprintf(text, sizeof text, "%" PRId64 " x %" PRId64 " x %" PRId64 " elements", n[0], n[1],
             n[2]);
    line(user, "grid", text);
    snprintf(text, sizeof text, "%.3g GB; regions and loads are looked at when it runs",
             1e-9 * bytes);
    line(user, "device memory", text);
    return IG_OK;
  }
  IG_TRY(open_model(job, &d, &s));
  d->describe(d->self, line, user);
  snprintf(text, sizeof text, "%" PRId64 " (%" PRId64 " to design, %" PRId64 " held solid)",
           d->elements, d->designed, d->solid);
  line(user, "elements", text);
  snprintf(text, sizeof text, "%" PRId64, d->dofs);
  line(user, "unknowns", text);
  snprintf(text, sizeof text, "%d", d->loading->cases);
  line(user, "load cases", text);
  snprintf(text, sizeof text, "%.3g MB", 1e-6 * (double)job->cx->device_peak);
  line(user, "device memory", text);
  close_model(d, s);
  return IG_OK;
}

const ig_room ig_room_topopt = {
    .name = "topopt",
    .about = "topology optimisation: stiffness, heat conduction, compliant mechanisms",
    .needs_mesh = false,
    .elements = "hex8",
    .case_size = sizeof(ig_topopt_case),
    .options = ig_topopt_options,
    .run = run,
    .check = check,
    .verify = ig_topopt_verify,
    .bench = ig_topopt_bench,
    .fields = IG_TOPOPT_FIELDS,
    .precisions = "double"};
