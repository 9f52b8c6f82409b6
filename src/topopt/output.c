/* What a run leaves: snapshots, the history, checkpoints, and at the end figures and the surface.
 */
#include "topopt/output.h"
#include "topopt/modes.h"
#include "topopt/peaks.h"
#include "topopt/stress.h"
#include "backend/backend.h"
#include "core/schedule.h"
#include "ranks/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of what is computed at the nodes and in the elements. */
static const char *state_name(const ig_topopt_case *c) {
  return c->problem == IG_PROBLEM_HEAT ? "temperature" : "displacement";
}
static const char *energy_name(const ig_topopt_case *c) {
  return c->problem == IG_PROBLEM_HEAT ? "dissipation" : "strain_energy";
}

ig_status ig_topopt_output_check(const ig_job *job) {
  const ig_topopt_case *c = job->room_case;
  const ig_output_case *o = job->output;
  if (!o)
    return IG_OK;
  if (o->interval > 0 || o->times.count > 0)
    return ig_fail_at(job->cx, &o->at,
                      "output.%s: no time passes while a design is improved: give 'every' or "
                      "'count', in iterations",
                      o->times.count > 0 ? "times" : "interval");
  for (int i = 0; i < o->fields.count; i++) {
    const char *field = o->fields.value[i];
    if (strcmp(field, "stress") == 0) {
      if (ig_topopt_stress_asked(c))
        continue;
      return ig_fail_at(job->cx, &o->at,
                        "output.fields: stress: only with a stress in 'constraints' or minimise: "
                        "stress");
    }
    if (strcmp(field, "density") != 0 && strcmp(field, state_name(c)) != 0 &&
        strcmp(field, energy_name(c)) != 0)
      return ig_fail_at(job->cx, &o->at, "output.fields: no '%.40s' here: expected density, %s, %s",
                        field, energy_name(c), state_name(c));
  }
  return IG_OK;
}

/* Whole arrays are this rank's to write. */
static bool writes(const ig_topopt_design *s) {
  return !ig_topopt_divided(s->d) || ig_ranks_first(s->cx);
}

/* Arrays as they are on the device, or those of all ranks on the first. */
static ig_status gather(const ig_topopt_design *s, bool states, int count, const double *from,
                        double *to) {
  return ig_topopt_fetch(s->cx, s->d, states, count, from, false, to);
}

/* --- snapshots --- */

/* Of a grid in parts the first rank alone has a snapshot. */
static ig_status add_field(const ig_topopt_design *s, ig_snapshot *snap, const char *name,
                           const char *unit, bool nodes, int components, const double *from) {
  float *field;
  if (!snap)
    return IG_OK;
  IG_TRY(ig_snapshot_add(snap, name, unit, nodes ? IG_AT_POINTS : IG_AT_CELLS, IG_F32, components,
                         NULL, (void **)&field));
  s->d->pack(s->d->self, nodes, components, from, field);
  return IG_OK;
}

/* The state of the first load case; where there is none, the first mode. */
static const double *shown(const ig_topopt_design *s) {
  return s->loading->cases ? s->u[s->realisations - 1][0].dev : s->modes->x[0].dev;
}

/* Energy density of the first load case into s->work: modulus x energy at unit modulus. */
static ig_status energy_density(const ig_topopt_design *s, double scale) {
  const ig_discretisation *d = s->d;
  const double *u = shown(s);
  double *energy = s->work.dev;
  IG_TRY(d->energy(d->self, u, u, 0.5 * scale * scale * s->loading->stiffness / d->volume, false,
                   energy));
  IG_TRY(s->ops->map(s->cx, d->places, d->role, IG_MAP_PRODUCT, energy, d->modulus, NULL, energy));
  return d->share ? s->ops->map(s->cx, d->places, d->role, IG_MAP_QUOTIENT, energy, d->share, NULL,
                                energy)
                  : IG_OK;
}

static ig_status add_fields(const ig_job *job, const ig_topopt_design *s, ig_snapshot *snap,
                            double *buffer) {
  const ig_discretisation *d = s->d;
  const size_t nu = (size_t)d->all_unknowns;
  const bool heat = s->c->problem == IG_PROBLEM_HEAT;
  const double scale = s->loading->cases ? s->loading->norm[0] / s->loading->stiffness : 1;
  const int last = s->realisations - 1;
  if (ig_output_wants(job->output, "density")) {
    IG_TRY(gather(s, false, 1, s->density[last].dev, buffer));
    IG_TRY(add_field(s, snap, "density", "", false, 1, buffer));
  }
  if (ig_output_wants(job->output, energy_name(s->c))) {
    IG_TRY(energy_density(s, scale));
    IG_TRY(gather(s, false, 1, s->work.dev, buffer));
    IG_TRY(add_field(s, snap, energy_name(s->c), heat ? "W K/m^3" : "J/m^3", false, 1, buffer));
  }
  if (s->stress && ig_output_wants(job->output, "stress")) {
    IG_TRY(ig_topopt_stress_field(s));
    IG_TRY(gather(s, false, 1, s->stress->relaxed.dev, buffer));
    IG_TRY(add_field(s, snap, "stress", "Pa", false, 1, buffer));
  }
  if (ig_output_wants(job->output, state_name(s->c))) {
    IG_TRY(gather(s, true, 1, shown(s), buffer));
    for (size_t i = 0; snap && i < nu; i++)
      buffer[i] *= scale;
    IG_TRY(add_field(s, snap, state_name(s->c), heat ? "K" : "m", true, heat ? 1 : 3, buffer));
  }
  return IG_OK;
}

ig_status ig_topopt_snapshot(void *self, ig_sink *to) {
  ig_topopt_run *r = self;
  ig_topopt_design *s = r->s;
  const size_t n = (size_t)s->d->all_places, nu = (size_t)s->d->all_unknowns;
  ig_snapshot *snap = NULL;
  double *buffer;
  if (r->evaluated != r->iteration) {
    ig_keeper keeper;
    ig_keeper_open(s->cx, &keeper);
    IG_TRY(ig_topopt_checkpoint(r, &keeper.sink));
    r->kept = keeper.kept;
    IG_TRY(ig_topopt_analyse(r));
  }
  const size_t room = writes(s) ? (nu > n ? nu : n) : 1;
  IG_TRY(IG_NEW(s->cx, &buffer, room, "snapshot buffer"));
  ig_status status = writes(s) ? s->d->snapshot(s->d->self, r->iteration, &snap) : IG_OK;
  if (status == IG_OK)
    status = add_fields(r->job, s, snap, buffer);
  free(buffer);
  if (status != IG_OK) {
    ig_snapshot_free(snap);
    return status;
  }
  if (!snap)
    return IG_OK;
  snap->iterations = true;
  return to->snapshot(to, snap);
}

/* --- history --- */

ig_status ig_topopt_history(void *self, ig_sink *to) {
  enum { COLUMNS = 8, ALL = COLUMNS + IG_LIMITS + 2 };
  const ig_topopt_run *r = self;
  const ig_topopt_design *s = r->s;
  const ig_evaluation *e = &r->e;
  if (!to || r->iteration == 0) /* a row tells of an iteration */
    return IG_OK;
  char objective[32];
  const char *of = ig_topopt_objective_unit(s);
  snprintf(objective, sizeof objective, *of ? "objective [%s]" : "objective", of);
  const char *names[ALL] = {
      "iteration", objective,           "volume",           "change", "grayness [%]",
      "penalty",   "solver iterations", "relative residual"};
  double values[ALL] = {(double)r->iteration, e->objective, e->volume,     r->change,
                        e->grayness,          e->penalty,   e->iterations, e->residual};
  char limits[IG_LIMITS][16];
  for (int i = 0; i < s->limits; i++) {
    snprintf(limits[i], sizeof limits[i], "constraint %d", i + 1);
    names[COLUMNS + i] = limits[i];
    values[COLUMNS + i] = e->limit[i];
  }
  int count = COLUMNS + s->limits;
  if (s->stress) {
    names[count] = "max stress [Pa]";
    values[count++] = ig_topopt_stress_peak(s, e);
  }
  if (s->modes) {
    names[count] = "lowest frequency [Hz]";
    values[count++] = ig_topopt_modes_hertz(s, 0);
  }
  return to->history(to, count, names, values);
}

/* --- checkpoints --- */

enum { FIGURES = 4 + IG_LIMITS + 1, CORRECTIONS = IG_LIMITS + 1 };

ig_status ig_topopt_checkpoint(void *self, ig_sink *to) {
  const ig_topopt_run *run = self;
  const ig_topopt_design *s = run->s;
  if (run->kept)
    return to->checkpoint(to, run->kept->time, run->kept->step, run->kept->saved, run->kept->count);
  const size_t n = (size_t)s->d->all_places, nu = (size_t)s->d->all_unknowns;
  const int states = s->realisations * s->loading->cases;
  const bool mma = s->mma_low.dev != NULL;
  enum { NAMED = IG_REALISATIONS * (IG_LOAD_CASES + 1) + 2 * IG_LIMITS + IG_MODES_BLOCK };
  ig_saved saved[13 + NAMED];
  char name[NAMED][24];
  int count = 0, names = 0;
  double *host, *at;
  size_t more = 0; /* states of constraints and of a stress as objective; clusters */
  for (int i = 0; i < s->limits; i++)
    more += (size_t)s->limit_states[i] * nu + (s->stress && s->stress->cluster[i].dev ? n : 0);
  if (s->stress && s->stress->state.dev)
    more += (size_t)s->loading->cases * nu;
  if (s->peaks && s->peaks->state.dev)
    more += (size_t)s->loading->cases * nu;
  const int modes = s->modes && s->modes->known ? s->modes->block : 0;
  more += (size_t)modes * nu + (run->feasible.dev ? n : 0);
  const size_t all = (mma ? 5 : 1) * n + (size_t)(states + s->realisations) * nu + more;
  IG_TRY(IG_NEW(s->cx, &host, writes(s) ? all : 1, "checkpoint"));
  at = host;
  ig_status status = IG_OK;
#define SAVE(array, label, states, arrays)                                                         \
  do {                                                                                             \
    const size_t length = (size_t)(arrays) * (states ? nu : n);                                    \
    IG_TRY_GOTO(status, done, gather(s, states, (int)(arrays), (array).dev, at));                  \
    saved[count] = (ig_saved){label, IG_F64, (int64_t)length, at};                                 \
    if (writes(s)) { /* others keep the figures alone */                                           \
      count++;                                                                                     \
      at += length;                                                                                \
    }                                                                                              \
  } while (0)
  SAVE(s->x, "design", false, 1);
  for (int r = 0; r < s->realisations; r++) {
    for (int q = 0; q < s->loading->cases; q++) {
      snprintf(name[names], sizeof *name, "state %d %d", r, q);
      SAVE(s->u[r][q], name[names], true, 1);
      names++;
    }
    if (s->adjoint[r].dev) {
      snprintf(name[names], sizeof *name, "adjoint %d", r);
      SAVE(s->adjoint[r], name[names], true, 1);
      names++;
    }
  }
  for (int i = 0; i < s->limits; i++)
    if (s->limit_state[i].dev) {
      snprintf(name[names], sizeof *name, "constraint %d", i + 1);
      SAVE(s->limit_state[i], name[names], true, s->limit_states[i]);
      names++;
    }
  for (int i = 0; s->stress && i < s->limits; i++)
    if (s->stress->cluster[i].dev) {
      snprintf(name[names], sizeof *name, "clusters %d", i + 1);
      SAVE(s->stress->cluster[i], name[names], false, 1);
      names++;
    }
  if (s->stress && s->stress->state.dev)
    SAVE(s->stress->state, "adjoint stress", true, s->loading->cases);
  if (s->peaks && s->peaks->state.dev)
    SAVE(s->peaks->state, "adjoint temperature", true, s->loading->cases);
  for (int i = 0; i < modes; i++) {
    snprintf(name[names], sizeof *name, "mode %d", i + 1);
    SAVE(s->modes->x[i], name[names], true, 1);
    names++;
  }
  if (run->feasible.dev)
    SAVE(run->feasible, "feasible design", false, 1);
  if (mma) {
    SAVE(s->mma_low, "lower asymptote", false, 1);
    SAVE(s->mma_high, "upper asymptote", false, 1);
    SAVE(s->mma_old, "old design", false, 1);
    SAVE(s->mma_older, "older design", false, 1);
  }
#undef SAVE
  double figures[FIGURES] = {run->last, s->tolerance, s->multiplier,
                             s->d->learnt ? *s->d->learnt : 0};
  memcpy(figures + 4, s->dual, sizeof s->dual);
  saved[count++] = (ig_saved){"figures", IG_F64, FIGURES, figures};
  if (s->stress)
    saved[count++] =
        (ig_saved){"corrections of stresses", IG_F64, CORRECTIONS, s->stress->correction};
  if (s->peaks)
    saved[count++] =
        (ig_saved){"corrections of largest values", IG_F64, CORRECTIONS, s->peaks->correction};
  double feasible[2] = {run->feasible_objective, (double)run->feasible_at};
  if (run->feasible.dev)
    saved[count++] = (ig_saved){"feasible", IG_F64, 2, feasible};
  if (modes)
    saved[count++] = (ig_saved){"eigenvalues", IG_F64, IG_MODES_BLOCK, s->modes->lambda};
  status = to->checkpoint(to, (double)run->iteration, run->iteration, saved, count);
done:
  free(host);
  return status;
}

ig_status ig_topopt_restore(void *self, const ig_restart *from) {
  ig_topopt_run *run = self;
  ig_topopt_design *s = run->s;
  ig_ctx *cx = s->cx;
  const int64_t n = s->d->all_places, nu = s->d->all_unknowns;
  const void *data;
  char name[24];
#define LOAD(array, label, states, arrays)                                                         \
  do {                                                                                             \
    const int64_t length = (int64_t)(arrays) * (states ? nu : n);                                  \
    IG_TRY(ig_restart_find(cx, from, label, IG_F64, length, &data));                               \
    IG_TRY(ig_topopt_place(cx, s->d, states, (int)(arrays), data, (array).dev));                   \
  } while (0)
  LOAD(s->x, "design", false, 1);
  for (int r = 0; r < s->realisations; r++) {
    for (int q = 0; q < s->loading->cases; q++) {
      snprintf(name, sizeof name, "state %d %d", r, q);
      LOAD(s->u[r][q], name, true, 1);
    }
    if (s->adjoint[r].dev) {
      snprintf(name, sizeof name, "adjoint %d", r);
      LOAD(s->adjoint[r], name, true, 1);
    }
  }
  for (int i = 0; i < s->limits; i++)
    if (s->limit_state[i].dev) {
      snprintf(name, sizeof name, "constraint %d", i + 1);
      LOAD(s->limit_state[i], name, true, s->limit_states[i]);
    }
  for (int i = 0; s->stress && i < s->limits; i++)
    if (s->stress->cluster[i].dev) {
      snprintf(name, sizeof name, "clusters %d", i + 1);
      LOAD(s->stress->cluster[i], name, false, 1);
    }
  if (s->stress && s->stress->state.dev)
    LOAD(s->stress->state, "adjoint stress", true, s->loading->cases);
  if (s->stress) {
    IG_TRY(ig_restart_find(cx, from, "corrections of stresses", IG_F64, CORRECTIONS, &data));
    memcpy(s->stress->correction, data, CORRECTIONS * sizeof(double));
  }
  if (s->peaks && s->peaks->state.dev)
    LOAD(s->peaks->state, "adjoint temperature", true, s->loading->cases);
  if (s->peaks) {
    IG_TRY(ig_restart_find(cx, from, "corrections of largest values", IG_F64, CORRECTIONS, &data));
    memcpy(s->peaks->correction, data, CORRECTIONS * sizeof(double));
  }
  for (int i = 0; s->modes && from->step > 0 && i < s->modes->block; i++) {
    snprintf(name, sizeof name, "mode %d", i + 1);
    LOAD(s->modes->x[i], name, true, 1);
  }
  if (s->modes && from->step > 0) {
    IG_TRY(ig_restart_find(cx, from, "eigenvalues", IG_F64, IG_MODES_BLOCK, &data));
    memcpy(s->modes->lambda, data, sizeof s->modes->lambda);
    s->modes->known = true;
  }
  if (run->feasible.dev) {
    LOAD(run->feasible, "feasible design", false, 1);
    IG_TRY(ig_restart_find(cx, from, "feasible", IG_F64, 2, &data));
    run->feasible_objective = ((const double *)data)[0];
    run->feasible_at = (int64_t)((const double *)data)[1];
  }
  if (ig_topopt_method(s->c) == IG_OPTIMISER_MMA && from->step > 0) {
    IG_TRY(ig_topopt_mma_prepare(s));
    LOAD(s->mma_low, "lower asymptote", false, 1);
    LOAD(s->mma_high, "upper asymptote", false, 1);
    LOAD(s->mma_old, "old design", false, 1);
    LOAD(s->mma_older, "older design", false, 1);
    s->updates = (int)from->step;
  }
#undef LOAD
  IG_TRY(ig_restart_find(cx, from, "figures", IG_F64, FIGURES, &data));
  const double *figures = data;
  run->last = figures[0];
  s->tolerance = figures[1];
  s->multiplier = figures[2];
  if (s->d->learnt)
    *s->d->learnt = figures[3] != 0;
  memcpy(s->dual, figures + 4, sizeof s->dual);
  run->iteration = from->step;
  return IG_OK;
}
