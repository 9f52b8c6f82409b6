/* Topology optimisation: the room. The flow of a run, top to bottom:

     grid or mesh, supports, loads, roles   grid_model.c, mesh_model.c
     for each design iteration
       filter, project, moduli              evaluate.c
       solve K u = f (and the adjoint)      solver/multigrid.c
       objective and slopes, filtered back  evaluate.c
       update the densities                 OC in design_*.c, mma.c
       stop if the design no longer changes
     surface of the part                    surface.c  */
#include "topopt/topopt.h"
#include "backend/backend.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- output --- */

static ig_status snapshot(ig_job *job, ig_design *s, int64_t step) {
  ig_discretisation *d = s->d;
  const size_t n = (size_t)d->places, nu = (size_t)d->unknowns;
  const bool heat = s->c->problem == IG_PROBLEM_HEAT;
  const double scale = s->loading->norm[0] / s->loading->stiffness;
  const int last = s->realisations - 1;
  ig_snapshot *snap = NULL;
  ig_status status = IG_OK;
  double *buffer;
  float *field;
  IG_TRY(IG_NEW(s->cx, &buffer, nu > n ? nu : n, "snapshot buffer"));
  IG_TRY_GOTO(status, done, d->snapshot(d->self, step, &snap));
  snap->iterations = true;
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, buffer, s->density[last].dev, n * 8));
  IG_TRY_GOTO(status, done,
              ig_snapshot_add(snap, "density", "", IG_AT_CELLS, IG_F32, 1, NULL, (void **)&field));
  d->pack(d->self, false, 1, buffer, field);
  /* energy density of the first load case: modulus x unit energy */
  double *energy = s->work.dev;
  IG_TRY_GOTO(status, done,
              d->energy(d->self, s->u[last][0].dev, s->u[last][0].dev,
                        0.5 * scale * scale * s->loading->stiffness / d->volume, false, energy));
  IG_TRY_GOTO(
      status, done,
      s->ops->map(s->cx, d->places, d->role, IG_MAP_PRODUCT, energy, d->modulus, NULL, energy));
  if (d->share)
    IG_TRY_GOTO(
        status, done,
        s->ops->map(s->cx, d->places, d->role, IG_MAP_QUOTIENT, energy, d->share, NULL, energy));
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, buffer, energy, n * 8));
  IG_TRY_GOTO(status, done,
              ig_snapshot_add(snap, heat ? "dissipation" : "strain_energy", "J/m^3", IG_AT_CELLS,
                              IG_F32, 1, NULL, (void **)&field));
  d->pack(d->self, false, 1, buffer, field);
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, buffer, s->u[last][0].dev, nu * 8));
  for (size_t i = 0; i < nu; i++)
    buffer[i] *= scale;
  IG_TRY_GOTO(status, done,
              ig_snapshot_add(snap, heat ? "temperature" : "displacement", heat ? "K" : "m",
                              IG_AT_POINTS, IG_F32, heat ? 1 : 3, NULL, (void **)&field));
  d->pack(d->self, true, heat ? 1 : 3, buffer, field);
  status = job->sink->snapshot(job->sink, snap);
  snap = NULL;
done:
  ig_snapshot_free(snap);
  free(buffer);
  return status;
}

static ig_status history(ig_job *job, const ig_design *s, int64_t iteration, const ig_evaluation *e,
                         double change, double seconds) {
  const char *names[9 + IG_LIMITS] = {
      "iteration",         "objective",         "volume",     "change", "Mnd [%]", "penalty",
      "solver iterations", "relative residual", "seconds [s]"};
  double values[9 + IG_LIMITS] = {
      (double)iteration, e->objective,  e->volume,   change, e->grayness,
      e->penalty,        e->iterations, e->residual, seconds};
  static const char *const limits[IG_LIMITS] = {"constraint 1", "constraint 2", "constraint 3",
                                                "constraint 4", "constraint 5", "constraint 6",
                                                "constraint 7"};
  for (int i = 0; i < s->limits; i++) {
    names[9 + i] = limits[i];
    values[9 + i] = e->limit[i];
  }
  return job->sink->history(job->sink, 9 + s->limits, names, values);
}

enum { FIGURES = 4 + IG_LIMITS + 1 };

static ig_status checkpoint(ig_job *job, ig_design *s, int64_t iteration, double objective) {
  const size_t n = (size_t)s->d->places, nu = (size_t)s->d->unknowns;
  const int states = s->realisations * s->loading->cases;
  const bool mma = s->mma_low.dev != NULL;
  ig_saved saved[6 + IG_REALISATIONS * (IG_LOAD_CASES + 1) + IG_LIMITS];
  char name[IG_REALISATIONS * (IG_LOAD_CASES + 1) + IG_LIMITS][24];
  int count = 0, names = 0;
  double *host, *at;
  IG_TRY(IG_NEW(s->cx, &host,
                (mma ? 5 : 1) * n + (size_t)(states + s->realisations + s->limits) * nu,
                "checkpoint"));
  at = host;
  ig_status status = IG_OK;
#define SAVE(array, label, length)                                                                 \
  do {                                                                                             \
    IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, at, (array).dev, (length)*8));       \
    saved[count++] = (ig_saved){label, IG_F64, (int64_t)(length), at};                             \
    at += (length);                                                                                \
  } while (0)
  SAVE(s->x, "design", n);
  for (int r = 0; r < s->realisations; r++) {
    for (int q = 0; q < s->loading->cases; q++) {
      snprintf(name[names], sizeof *name, "state %d %d", r, q);
      SAVE(s->u[r][q], name[names], nu);
      names++;
    }
    if (s->adjoint[r].dev) {
      snprintf(name[names], sizeof *name, "adjoint %d", r);
      SAVE(s->adjoint[r], name[names], nu);
      names++;
    }
  }
  for (int i = 0; i < s->limits; i++)
    if (s->limit_state[i].dev) {
      snprintf(name[names], sizeof *name, "constraint %d", i + 1);
      SAVE(s->limit_state[i], name[names], nu);
      names++;
    }
  if (mma) {
    SAVE(s->mma_low, "lower asymptote", n);
    SAVE(s->mma_high, "upper asymptote", n);
    SAVE(s->mma_old, "old design", n);
    SAVE(s->mma_older, "older design", n);
  }
#undef SAVE
  double figures[FIGURES] = {objective, s->tolerance, s->multiplier,
                             s->d->learnt ? *s->d->learnt : 0};
  memcpy(figures + 4, s->dual, sizeof s->dual);
  saved[count++] = (ig_saved){"figures", IG_F64, FIGURES, figures};
  status = job->sink->checkpoint(job->sink, (double)iteration, iteration, saved, count);
done:
  free(host);
  return status;
}

static ig_status restore(ig_job *job, ig_design *s, int64_t *iteration, double *objective) {
  ig_ctx *cx = s->cx;
  const int64_t n = s->d->places, nu = s->d->unknowns;
  const void *data;
  char name[24];
#define LOAD(array, label, length)                                                                 \
  do {                                                                                             \
    IG_TRY(ig_restart_find(cx, job->restart, label, IG_F64, length, &data));                       \
    IG_TRY(cx->backend->copy_in(cx, (array).dev, data, (size_t)(length)*8));                       \
  } while (0)
  LOAD(s->x, "design", n);
  for (int r = 0; r < s->realisations; r++) {
    for (int q = 0; q < s->loading->cases; q++) {
      snprintf(name, sizeof name, "state %d %d", r, q);
      LOAD(s->u[r][q], name, nu);
    }
    if (s->adjoint[r].dev) {
      snprintf(name, sizeof name, "adjoint %d", r);
      LOAD(s->adjoint[r], name, nu);
    }
  }
  for (int i = 0; i < s->limits; i++)
    if (s->limit_state[i].dev) {
      snprintf(name, sizeof name, "constraint %d", i + 1);
      LOAD(s->limit_state[i], name, nu);
    }
  if (s->c->optimiser.method == IG_OPTIMISER_MMA && job->restart->step > 0) {
    IG_TRY(ig_mma_prepare(s));
    LOAD(s->mma_low, "lower asymptote", n);
    LOAD(s->mma_high, "upper asymptote", n);
    LOAD(s->mma_old, "old design", n);
    LOAD(s->mma_older, "older design", n);
    s->updates = (int)job->restart->step;
  }
#undef LOAD
  IG_TRY(ig_restart_find(cx, job->restart, "figures", IG_F64, FIGURES, &data));
  const double *figures = data;
  *objective = figures[0];
  s->tolerance = figures[1];
  s->multiplier = figures[2];
  if (s->d->learnt)
    *s->d->learnt = figures[3] != 0;
  memcpy(s->dual, figures + 4, sizeof s->dual);
  *iteration = job->restart->step;
  return IG_OK;
}

static ig_status finish(ig_job *job, ig_design *s, const ig_evaluation *e) {
  ig_sink *sink = job->sink;
  static const char *const unit[] = {
      [IG_PROBLEM_STIFFNESS] = "J", [IG_PROBLEM_HEAT] = "W K", [IG_PROBLEM_MECHANISM] = "m"};
  IG_TRY(sink->result(sink, "objective", unit[s->c->problem], e->objective));
  IG_TRY(sink->result(sink, "volume", "", e->volume));
  IG_TRY(sink->result(sink, "grayness", "%", e->grayness));
  IG_TRY(sink->result(sink, "seconds_solve", "s", s->seconds[0]));
  IG_TRY(sink->result(sink, "seconds_sensitivities", "s", s->seconds[1]));
  IG_TRY(sink->result(sink, "seconds_filter", "s", s->seconds[2]));
  IG_TRY(sink->result(sink, "seconds_update", "s", s->seconds[3]));
  const ig_surface_case *c = &s->c->surface;
  if (!s->d->surface || c->formats.count == 0)
    return IG_OK;
  const size_t n = (size_t)s->d->places;
  double *density;
  IG_TRY(IG_NEW(s->cx, &density, n, "surface"));
  ig_part surface = {0};
  ig_status status =
      s->cx->backend->copy_out(s->cx, density, s->density[s->realisations - 1].dev, n * 8);
  if (status == IG_OK)
    status = s->d->surface(s->d->self, density, c->level, c->mirror, &surface);
  free(density);
  for (int f = 0; status == IG_OK && f < c->formats.count; f++)
    status = ig_part_write(s->cx, &surface, c->formats.value[f], sink);
  if (status == IG_OK)
    status = sink->result(sink, "surface_area", "m^2", surface.area);
  if (status == IG_OK)
    status = sink->result(sink, "surface_volume", "m^3", surface.volume);
  ig_part_free(&surface);
  return status;
}

/* --- the loop --- */

static ig_status loop(ig_job *job, ig_design *s) {
  const ig_topopt_case *c = s->c;
  ig_ctx *cx = s->cx;
  const ig_output_case *out = job->output;
  int64_t iteration = 0;
  double change = 1, last = NAN, checkpointed = ig_now();
  bool done = false;
  ig_evaluation e = {0};
  if (job->restart)
    IG_TRY(restore(job, s, &iteration, &last));
  else
    s->tolerance = c->solver.tolerance > 0 ? c->solver.tolerance : ig_design_tolerance(1);
  const double begin = ig_now();
  while (!done && iteration < c->iterations) {
    const double start = ig_now();
    iteration++;
    ig_design_continue(c, iteration, &e);
    IG_TRY(ig_design_evaluate(s, &e));
    const bool picture = job->sink && out && out->every > 0 && (iteration - 1) % out->every == 0;
    if (picture) {
      const double output = ig_now();
      IG_TRY(snapshot(job, s, iteration - 1));
      job->seconds_output += ig_now() - output;
    }
    IG_TRY(ig_design_update(s, &e));
    ig_design_stats st;
    IG_TRY(s->ops->stats(cx, s->d->places, s->d->role, s->x.dev, s->trial.dev, &st));
    change = st.change;
    if (c->solver.tolerance == 0)
      s->tolerance = ig_design_tolerance(change);
    ig_evaluation next = {0};
    ig_design_continue(c, iteration + 1, &next);
    const bool settled = next.penalty == e.penalty && next.gray == e.gray && next.beta == e.beta;
    const double moved = fabs(e.objective - last) / fmax(fabs(e.objective), 1e-300);
    done = settled && change <= c->change &&
           (c->objective_change == 0 || moved <= c->objective_change);
    last = e.objective;
    job->element_steps += (double)s->d->dofs * e.iterations;
    if (job->sink)
      IG_TRY(history(job, s, iteration, &e, change, ig_now() - start));
    char note[120];
    snprintf(note, sizeof note, "objective %.6g, volume %.4f, change %.3f, %d solver iterations",
             e.objective, e.volume, change, e.iterations);
    const ig_progress progress = {"iteration", (double)iteration, (double)c->iterations,
                                  job->element_steps / (ig_now() - begin), note};
    ig_progress_report(cx, &progress);
    const bool due =
        out && out->checkpoint_every > 0 && ig_now() - checkpointed > out->checkpoint_every;
    if (job->sink && (due || cx->interrupted || done || iteration == c->iterations)) {
      IG_TRY(checkpoint(job, s, iteration, last));
      checkpointed = ig_now();
    }
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
  IG_TRY(snapshot(job, s, iteration));
  IG_TRY(job->sink->result_text(job->sink, "stopped",
                                done ? "the design no longer changes" : "iteration limit"));
  return finish(job, s, &e);
}

/* The discretisation the case asks for, a grid or a mesh, and the design on it. */
static ig_status open_model(ig_job *job, ig_discretisation **d, ig_design **s) {
  const ig_topopt_case *c = job->room_case;
  const int64_t *n = c->grid.elements; /* a program may fill them without saying where */
  const bool grid = c->grid.at.given || n[0] != 0 || n[1] != 0 || n[2] != 0;
  *d = NULL;
  *s = NULL;
  if (job->mesh && grid)
    return ig_fail_at(job->cx, &c->grid.at, "grid: there is a mesh already: give one of the two");
  if (!job->mesh && !grid)
    return ig_fail_at(job->cx, &c->at, "topopt needs a section 'grid' or a section 'mesh'");
  if (job->mesh) {
    IG_TRY(ig_mesh_model_new(job->cx, c, job->materials, job->mesh, d));
  } else {
    ig_grid_model *m;
    IG_TRY(ig_grid_model_new(job->cx, c, job->materials, &m));
    *d = &m->d;
  }
  const ig_status status = ig_design_new(job->cx, c, *d, s);
  if (status != IG_OK)
    (*d)->free((*d)->self);
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
    .case_size = sizeof(ig_topopt_case),
    .options = ig_topopt_options,
    .run = run,
    .check = check,
    .verify = ig_topopt_verify,
    .unused = "precision|assembly|output.interval|output.count|output.history_every|output.fields",
    .bench = ig_topopt_bench};
