/* Topology optimisation: the room. The flow of a run, top to bottom:

     grid, supports, loads, roles           grid_model.c
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

/* Packs a field of elements or nodes without the halo. */
static void pack(const ig_grid *g, bool nodes, int components, const double *from, float *to) {
  const int more = nodes ? 1 : 0, nz = g->dim == 3 ? g->n[2] + more : 1;
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < g->n[1] + more; j++)
      for (int i = 0; i < g->n[0] + more; i++)
        for (int c = 0; c < components; c++)
          *to++ = c < g->dof || components == 1
                      ? (float)from[c * g->stored + ig_grid_place(g, i, j, k)]
                      : 0;
}

static ig_status snapshot_grid(const ig_grid_model *m, int64_t step, ig_snapshot **snap) {
  const ig_grid *g = &m->grid;
  const int corners = 1 << g->dim;
  static const int order[8] = {0, 1, 3, 2, 4, 5, 7, 6}; /* VTK goes round, bits do not */
  IG_TRY(ig_snapshot_new(m->cx, m->d.nodes, m->d.elements, m->d.elements * corners, (double)step,
                         step, snap));
  double *x = (*snap)->point;
  for (int k = 0; k <= g->n[2]; k++)
    for (int j = 0; j <= g->n[1]; j++)
      for (int i = 0; i <= g->n[0]; i++) {
        *x++ = i * m->h[0];
        *x++ = j * m->h[1];
        *x++ = g->dim == 3 ? k * m->h[2] : 0;
      }
  int64_t *corner = (*snap)->corner;
  const int64_t row = g->n[0] + 1, plane = row * (g->n[1] + 1);
  for (int k = 0; k < (g->dim == 3 ? g->n[2] : 1); k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++)
        for (int a = 0; a < corners; a++) {
          const int q = order[a];
          *corner++ = i + (q & 1) + (j + (q >> 1 & 1)) * row + (k + (q >> 2)) * plane;
        }
  const int vtk = ig_elem_info_get(g->dim == 3 ? IG_HEX8 : IG_QUAD4)->vtk;
  for (int64_t e = 0; e <= m->d.elements; e++)
    (*snap)->offset[e] = e * corners;
  memset((*snap)->type, vtk, (size_t)m->d.elements);
  return IG_OK;
}

static ig_status snapshot(ig_job *job, const ig_grid_model *m, ig_design *s, int64_t step) {
  const ig_grid *g = &m->grid;
  const size_t n = (size_t)m->d.places, nu = (size_t)m->d.unknowns;
  const bool heat = s->c->problem == IG_PROBLEM_HEAT;
  const double scale = s->loading->norm[0] / s->loading->stiffness;
  const int last = s->realisations - 1;
  ig_snapshot *snap = NULL;
  ig_status status = IG_OK;
  double *buffer;
  float *field;
  IG_TRY(IG_NEW(s->cx, &buffer, nu > n ? nu : n, "snapshot buffer"));
  IG_TRY_GOTO(status, done, snapshot_grid(m, step, &snap));
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, buffer, s->density[last].dev, n * 8));
  IG_TRY_GOTO(status, done,
              ig_snapshot_add(snap, "density", "", IG_AT_CELLS, IG_F32, 1, NULL, (void **)&field));
  pack(g, false, 1, buffer, field);
  /* energy density of the first load case: modulus x unit energy */
  double *energy = s->work.dev, volume = 1;
  for (int d = 0; d < g->dim; d++)
    volume *= m->h[d];
  IG_TRY_GOTO(status, done,
              m->d.energy(m->d.self, s->u[last][0].dev, s->u[last][0].dev,
                          0.5 * scale * scale * s->loading->stiffness / volume, false, energy));
  IG_TRY_GOTO(status, done,
              s->ops->map(s->cx, m->d.places, m->d.role, IG_MAP_PRODUCT, energy, m->d.modulus, NULL,
                          energy));
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, buffer, energy, n * 8));
  IG_TRY_GOTO(status, done,
              ig_snapshot_add(snap, heat ? "dissipation" : "strain_energy", "J/m^3", IG_AT_CELLS,
                              IG_F32, 1, NULL, (void **)&field));
  pack(g, false, 1, buffer, field);
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, buffer, s->u[last][0].dev, nu * 8));
  for (size_t i = 0; i < nu; i++)
    buffer[i] *= scale;
  IG_TRY_GOTO(status, done,
              ig_snapshot_add(snap, heat ? "temperature" : "displacement", heat ? "K" : "m",
                              IG_AT_POINTS, IG_F32, heat ? 1 : 3, NULL, (void **)&field));
  pack(g, true, heat ? 1 : 3, buffer, field);
  status = job->sink->snapshot(job->sink, snap);
  snap = NULL;
done:
  ig_snapshot_free(snap);
  free(buffer);
  return status;
}

static ig_status history(ig_job *job, int64_t iteration, const ig_evaluation *e, double change,
                         double seconds) {
  static const char *const names[] = {
      "iteration",         "objective",         "volume",     "change", "Mnd [%]", "penalty",
      "solver iterations", "relative residual", "seconds [s]"};
  const double values[] = {(double)iteration, e->objective,  e->volume,   change, e->grayness,
                           e->penalty,        e->iterations, e->residual, seconds};
  return job->sink->history(job->sink, 9, names, values);
}

static ig_status checkpoint(ig_job *job, ig_design *s, int64_t iteration, double objective) {
  const size_t n = (size_t)s->d->places, nu = (size_t)s->d->unknowns;
  const int states = s->realisations * s->loading->cases;
  const bool mma = s->mma_low.dev != NULL;
  ig_saved saved[4 + IG_REALISATIONS * (IG_LOAD_CASES + 1) + 4];
  char name[IG_REALISATIONS * (IG_LOAD_CASES + 1)][24];
  int count = 0, names = 0;
  double *host, *at;
  IG_TRY(IG_NEW(s->cx, &host, (mma ? 5 : 1) * n + (size_t)(states + s->realisations) * nu,
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
  if (mma) {
    SAVE(s->mma_low, "lower asymptote", n);
    SAVE(s->mma_high, "upper asymptote", n);
    SAVE(s->mma_old, "old design", n);
    SAVE(s->mma_older, "older design", n);
  }
#undef SAVE
  double figures[2] = {objective, s->tolerance};
  saved[count++] = (ig_saved){"figures", IG_F64, 2, figures};
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
  if (s->c->optimiser.method == IG_OPTIMISER_MMA && job->restart->step > 0) {
    IG_TRY(ig_mma_prepare(s));
    LOAD(s->mma_low, "lower asymptote", n);
    LOAD(s->mma_high, "upper asymptote", n);
    LOAD(s->mma_old, "old design", n);
    LOAD(s->mma_older, "older design", n);
    s->updates = (int)job->restart->step;
  }
#undef LOAD
  IG_TRY(ig_restart_find(cx, job->restart, "figures", IG_F64, 2, &data));
  *objective = ((const double *)data)[0];
  s->tolerance = ((const double *)data)[1];
  *iteration = job->restart->step;
  return IG_OK;
}

static ig_status finish(ig_job *job, const ig_grid_model *m, ig_design *s, const ig_evaluation *e) {
  ig_sink *sink = job->sink;
  IG_TRY(sink->result(sink, "objective", e->objective));
  IG_TRY(sink->result(sink, "volume", e->volume));
  IG_TRY(sink->result(sink, "Mnd_percent", e->grayness));
  IG_TRY(sink->result(sink, "seconds_solve", s->seconds[0]));
  IG_TRY(sink->result(sink, "seconds_sensitivities", s->seconds[1]));
  IG_TRY(sink->result(sink, "seconds_filter", s->seconds[2]));
  IG_TRY(sink->result(sink, "seconds_update", s->seconds[3]));
  const ig_surface_case *c = &s->c->surface;
  if (m->grid.dim != 3 || c->formats.count == 0)
    return IG_OK;
  const size_t n = (size_t)m->d.places;
  double *density;
  IG_TRY(IG_NEW(s->cx, &density, n, "surface"));
  ig_part surface = {0};
  const ig_texts none = {0};
  ig_status status =
      s->cx->backend->copy_out(s->cx, density, s->density[s->realisations - 1].dev, n * 8);
  if (status == IG_OK)
    status = ig_part_of_grid(s->cx, &m->grid, m->h, density, c->level,
                             c->mirror ? &s->c->symmetry : &none, &surface);
  free(density);
  for (int f = 0; status == IG_OK && f < c->formats.count; f++)
    status = ig_part_write(s->cx, &surface, c->formats.value[f], sink);
  if (status == IG_OK)
    status = sink->result(sink, "surface_area_m2", surface.area);
  if (status == IG_OK)
    status = sink->result(sink, "surface_volume_m3", surface.volume);
  ig_part_free(&surface);
  return status;
}

/* --- the loop --- */

static ig_status loop(ig_job *job, ig_grid_model *m, ig_design *s) {
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
      IG_TRY(snapshot(job, m, s, iteration - 1));
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
      IG_TRY(history(job, iteration, &e, change, ig_now() - start));
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
  IG_TRY(snapshot(job, m, s, iteration));
  IG_TRY(job->sink->result_text(job->sink, "stopped",
                                done ? "the design no longer changes" : "iteration limit"));
  return finish(job, m, s, &e);
}

static ig_status run(ig_job *job) {
  const double start = ig_now();
  ig_grid_model *m;
  ig_design *s = NULL;
  IG_TRY(ig_grid_model_new(job->cx, job->room_case, job->materials, &m));
  ig_status status = ig_design_new(job->cx, job->room_case, &m->d, &m->loading, m->solid, &s);
  job->elements = m->d.elements;
  job->nodes = m->d.nodes;
  job->dofs = m->d.dofs;
  job->seconds_setup = ig_now() - start;
  if (status == IG_OK)
    status = loop(job, m, s);
  ig_design_free(s);
  ig_grid_model_free(m);
  return status;
}

static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  ig_grid_model *m;
  ig_design *s = NULL;
  char text[128];
  IG_TRY(ig_grid_model_new(job->cx, job->room_case, job->materials, &m));
  ig_status status = ig_design_new(job->cx, job->room_case, &m->d, &m->loading, m->solid, &s);
  if (status == IG_OK) {
    const ig_grid *g = &m->grid;
    snprintf(text, sizeof text, g->dim == 3 ? "%d x %d x %d elements" : "%d x %d elements", g->n[0],
             g->n[1], g->n[2]);
    line(user, "grid", text);
    snprintf(text, sizeof text, "%" PRId64 " (%" PRId64 " to design, %" PRId64 " held solid)",
             m->d.elements, m->free, m->solid);
    line(user, "elements", text);
    snprintf(text, sizeof text, "%" PRId64, m->d.dofs);
    line(user, "unknowns", text);
    snprintf(text, sizeof text, "%d", m->loading.cases);
    line(user, "load cases", text);
    snprintf(text, sizeof text, "%d levels, coarsest %d unknowns", m->solver->levels,
             m->solver->coarse_n);
    line(user, "multigrid", m->solver->levels > 1 ? text : "none (Jacobi)");
    snprintf(text, sizeof text, "%.3g MB", 1e-6 * (double)job->cx->device_peak);
    line(user, "device memory", text);
  }
  ig_design_free(s);
  ig_grid_model_free(m);
  return status;
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
    .bench = ig_topopt_bench};
