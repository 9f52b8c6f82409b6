/* What a run leaves on its way: snapshots and the history.

   Fields of a snapshot are in single precision at elements or nodes: density, energy density,
   stress and the state of the first load case. A body on one rank is packed into a snapshot in
   memory; of one that is divided, values go to rank 0 in pieces while the file is written
   (parts_show). */
#include "topopt/output.h"
#include "topopt/design/buckling.h"
#include "topopt/design/large.h"
#include "topopt/design/load.h"
#include "topopt/design/modes.h"
#include "topopt/design/stress.h"
#include "backend/backend.h"
#include "core/schedule.h"
#include "core/threads.h"
#include "ranks/partition.h"

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

/* Before anything is computed: a field or rhythm that this problem does not have is an input
   error. */
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

/* --- snapshots --- */

/* Displacements or temperatures of the first load case; where there is none, the first mode. */
static ig_status shown_state(const ig_topopt_design *s, const double **u) {
  *u = s->loading->cases ? NULL : s->modes->x[0].dev;
  return *u ? IG_OK : ig_topopt_load_moved(s, 0, s->u[s->realisations - 1][0].dev, u);
}

/* What lengths of states are in metres or kelvins. */
static double state_scale(const ig_topopt_design *s) {
  return s->loading->cases ? s->loading->norm[0] / s->loading->stiffness : 1;
}

/* Energy density of the first load case into s->work: modulus x energy at unit modulus. 0.5 u_e
   . k u_e / volume of the element; for heat, half of the product of heat flux and gradient. */
static ig_status energy_density(const ig_topopt_design *s) {
  const ig_discretisation *d = s->d;
  /* of the state itself: a free expansion has no energy */
  const double *u = s->loading->cases ? s->u[s->realisations - 1][0].dev : s->modes->x[0].dev,
               scale = state_scale(s);
  double *energy = s->work.dev;
  const double by = scale * scale * s->loading->stiffness / d->volume;
  IG_TRY(s->large ? ig_topopt_large_strain_energy(s, by, energy)
                  : d->energy(d->self, u, u, 0.5 * by, false, energy));
  IG_TRY(s->ops->map(s->cx, d->places, d->role, IG_MAP_PRODUCT, energy, d->modulus, NULL, energy));
  return d->share ? s->ops->map(s->cx, d->places, d->role, IG_MAP_QUOTIENT, energy, d->share, NULL,
                                energy)
                  : IG_OK;
}

/* Fields of a snapshot, in its order. */
typedef enum { DENSITY, ENERGY, STRESS, STATE, FIELDS } field_kind;
typedef struct {
  field_kind kind;
  const char *name, *unit;
  bool nodes;
  int components;
  double scale; /* of values on the device */
} field;

/* Those the case wants and this problem has, in a fixed order. */
static int fields_list(const ig_topopt_run *r, field *list) {
  const ig_topopt_design *s = r->s;
  const bool heat = s->c->problem == IG_PROBLEM_HEAT;
  const field all[] = {
      {DENSITY, "density", "", false, 1, 1},
      {ENERGY, energy_name(s->c), heat ? "W K/m^3" : "J/m^3", false, 1, 1},
      {STRESS, "stress", "Pa", false, 1, 1},
      {STATE, state_name(s->c), heat ? "K" : "m", true, heat ? 1 : 3, state_scale(s)}};
  int count = 0;
  for (int i = 0; i < FIELDS; i++)
    if (ig_output_wants(r->job->output, all[i].name) && (all[i].kind != STRESS || s->stress))
      list[count++] = all[i];
  return count;
}

/* Its values, on the device. Energies and stresses use work arrays of the design: they are made
   one at a time. */
static ig_status field_make(const ig_topopt_design *s, field_kind kind, const double **values) {
  switch (kind) {
  case ENERGY:
    *values = s->work.dev;
    return energy_density(s);
  case STRESS:
    *values = s->stress->relaxed.dev;
    return ig_topopt_stress_field(s);
  case STATE:
    IG_TRY(shown_state(s, values));
    return IG_OK;
  default:
    *values = s->density[s->realisations - 1].dev;
    return IG_OK;
  }
}

/* Collected on rank 0 or this rank in double, scaled to SI, and packed without halo. */
static ig_status field_add(const ig_topopt_design *s, const field *f, double *buffer,
                           ig_snapshot *snap) {
  const ig_discretisation *d = s->d;
  const size_t n = (size_t)(f->nodes ? d->all_unknowns : d->all_places);
  const double *values;
  float *packed;
  IG_TRY(field_make(s, f->kind, &values));
  IG_TRY(ig_topopt_fetch(s->cx, d, f->nodes, 1, values, false, buffer));
#pragma omp parallel for schedule(static) num_threads(ig_team(s->cx, (int64_t)n, IG_WORK_VALUE))
  for (size_t i = 0; i < n; i++)
    buffer[i] *= f->nodes ? f->scale : 1;
  IG_TRY(ig_snapshot_add(snap, f->name, f->unit, f->nodes ? IG_AT_POINTS : IG_AT_CELLS, IG_F32,
                         f->components, NULL, (void **)&packed));
  d->pack(d->self, f->nodes, f->components, buffer, packed);
  return IG_OK;
}

/* One buffer in double, large enough for elements or states of the whole body. */
static ig_status fields_add(const ig_topopt_run *r, ig_snapshot *snap) {
  const ig_topopt_design *s = r->s;
  const size_t n = (size_t)s->d->all_places, nu = (size_t)s->d->all_unknowns;
  field list[FIELDS];
  const int count = fields_list(r, list);
  double *buffer;
  IG_TRY(IG_NEW(s->cx, &buffer, nu > n ? nu : n, "snapshot buffer"));
  ig_status status = IG_OK;
  for (int i = 0; i < count && status == IG_OK; i++)
    status = field_add(s, &list[i], buffer, snap);
  free(buffer);
  return status;
}

/* Which load case the fields of a state belong to. */
static void load_case_name(const ig_topopt_run *r, ig_snapshot *snap) {
  if (r->s->loading->cases > 1)
    snprintf(snap->state, sizeof snap->state, "load case 1 of %d", r->s->loading->cases);
}

/* The sink takes the snapshot over, unless making it failed. */
static ig_status whole_show(const ig_topopt_run *r, ig_sink *to) {
  const ig_discretisation *d = r->d;
  ig_snapshot *snap;
  IG_TRY(d->snapshot(d->self, r->iteration, &snap));
  const ig_status status = fields_add(r, snap);
  if (status != IG_OK) {
    ig_snapshot_free(snap);
    return status;
  }
  snap->iterations = true;
  load_case_name(r, snap);
  return to->snapshot(to, snap);
}

/* --- of what is divided, in pieces --- */

typedef struct {
  const ig_topopt_run *run;
  ig_sink *to;
  field list[FIELDS];
  int count;
} showing;

/* Collective: every rank makes its part of the field, then pieces travel in order. */
static ig_status shown_bring(void *self, int array, ig_stream_take *take, void *user) {
  const showing *w = self;
  const ig_discretisation *d = w->run->d;
  const int i = array - IG_STREAM_FIELDS;
  const double *values = NULL;
  if (i < 0)
    return d->outline(d->self, array, take, user);
  if (i >= w->count)
    return IG_FAIL(w->run->s->cx, IG_ARG, "a snapshot has no array %d", array);
  const ig_status status = field_make(w->run->s, w->list[i].kind, &values);
  IG_TRY(ig_ranks_agree(w->run->s->cx, status));
  return d->show(d->self, w->list[i].nodes, w->list[i].scale, values, take, user);
}

/* On rank 0: a snapshot that declares its fields and gets their values from the stream. */
static ig_status shown_tell(void *user, const ig_stream *stream) {
  const showing *w = user;
  const ig_topopt_run *r = w->run;
  const ig_discretisation *d = r->d;
  ig_snapshot *snap;
  IG_TRY(d->regular ? d->snapshot(d->self, r->iteration, &snap)
                    : ig_snapshot_of_rows(r->s->cx, stream, d->nodes, d->elements,
                                          d->elements * d->corners, d->elements, &snap));
  snap->rows = stream;
  snap->time = (double)r->iteration;
  snap->step = r->iteration;
  snap->iterations = true;
  load_case_name(r, snap);
  ig_status status = IG_OK;
  for (int i = 0; i < w->count && status == IG_OK; i++) {
    const field *f = &w->list[i];
    status = ig_snapshot_declare(snap, f->name, f->unit, f->nodes ? IG_AT_POINTS : IG_AT_CELLS,
                                 IG_F32, f->components);
  }
  if (status == IG_OK)
    return ig_sink_snapshot(w->to, snap);
  ig_snapshot_free(snap);
  return status;
}

static ig_status parts_show(const ig_topopt_run *r, ig_sink *to) {
  showing w = {.run = r, .to = to};
  ig_served served = {r->s->cx, &w, shown_bring};
  w.count = fields_list(r, w.list);
  return ig_serve(&served, shown_tell, &w);
}

/* The design may not have been analysed yet: see the head of checkpoint.c. */
ig_status ig_topopt_snapshot(void *self, ig_sink *to) {
  ig_topopt_run *r = self;
  if (r->evaluated != r->iteration) {
    /* before the first iteration nothing is lost by a signal that ends it */
    bool *ends = r->iteration == 0 && !r->s->cx->ranks ? r->d->ends : NULL;
    IG_TRY(ig_topopt_keep(r));
    if (ends)
      *ends = true;
    const ig_status status = ig_topopt_analyse(r);
    if (ends)
      *ends = false;
    if (status == IG_INTERRUPTED)
      IG_TRY(ig_topopt_put_back(r));
    IG_TRY(status);
  }
  IG_TRY(ig_topopt_loads_put(r, to));
  return ig_topopt_divided(r->d) ? parts_show(r, to) : whole_show(r, to);
}

/* --- history --- */

/* A row belongs to an iteration: values of the design before its update, and the change by it. */
ig_status ig_topopt_history(void *self, ig_sink *to) {
  enum { COLUMNS = 8, ALL = COLUMNS + IG_LIMITS + 3 + IG_LOAD_CASES };
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
  if (s->buckling) {
    names[count] = "lowest load factor";
    values[count++] = ig_topopt_buckling_least(s, IG_LIMITS);
  }
  char cases[IG_LOAD_CASES][40];
  for (int q = 0; s->loading->cases > 1 && q < s->loading->cases; q++) {
    snprintf(cases[q], sizeof cases[q], "load case %d [%s]", q + 1, ig_topopt_response_unit(s));
    names[count] = cases[q];
    values[count++] = s->response[q];
  }
  return to->history(to, count, names, values);
}
