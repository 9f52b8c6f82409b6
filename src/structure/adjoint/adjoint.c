/* The run, its state to rounding, the adjoint, and what other set-ups make of them. */
#include "structure/adjoint/adjoint.h"
#include "core/gradient.h"
#include "ranks/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const ig_room ig_room_structure;

static const ig_structure_analysis *analysis_of(const ig_structure *s) {
  return IG_ITEM(const ig_structure_analysis, s->c->analysis, 0);
}

/* --- what has an adjoint */

static ig_status refuse(const ig_structure *s, const ig_src *at, const char *why) {
  return ig_fail_at(s->cx, at, "no gradient: %s", why);
}

static bool is_plastic(const ig_structure *s) {
  for (int i = 0; i < s->laws; i++)
    if (s->law[i].law != IG_LAW_ELASTIC && s->law[i].law != IG_LAW_NEOHOOKE)
      return true;
  return false;
}

static bool follows(const ig_structure *s) {
  int32_t faces = 0;
  for (int i = 0; i < IG_FACE_KINDS; i++)
    faces += s->faces[i].count;
  return s->large && (faces || s->spins);
}

static ig_status allowed(const ig_structure *s, const ig_adjoint_figure *f) {
  const ig_structure_case *c = s->c;
  const ig_structure_analysis *a = analysis_of(s);
  if (ig_ranks_count(s->cx->ranks) > 1)
    return IG_FAIL(s->cx, IG_INPUT, "gradients are computed on one rank so far");
  if (c->analysis.count != 1)
    return refuse(s, &a->at, "several analyses have none: give one, with all that acts at its end");
  if (a->kind != IG_STRUCTURE_STATIC || a->method != IG_STRUCTURE_NEWTON)
    return refuse(s, &a->at, "only `kind: static` by `method: newton` has one");
  if (c->contacts.count)
    return refuse(s, &IG_ITEM(const ig_structure_contact, c->contacts, 0)->at, "contact has none");
  if (c->initial.count)
    return refuse(s, &IG_ITEM(const ig_structure_initial, c->initial, 0)->at,
                  "an initial displacement has none");
  if (s->model.follow)
    return refuse(s, &a->at,
                  "shells, beams, couplings and joints have one with small displacements only: set "
                  "`large: false`");
  if (follows(s) && (f->kind == IG_ADJOINT_COMPLIANCE || f->kind == IG_ADJOINT_REACTION))
    return refuse(s, &a->at,
                  "with loads that follow large displacements this figure has none: take a "
                  "displacement or a stress");
  return IG_OK;
}

/* --- states */

static void state_free(ig_adjoint_state *a) {
  free(a->u);
  *a = (ig_adjoint_state){0};
}

static ig_status state_new(ig_structure *s, ig_adjoint_state *a) {
  const size_t n = (size_t)s->unknowns;
  *a = (ig_adjoint_state){.s = s};
  IG_TRY(IG_NEW(s->cx, &a->u, 3 * n, "adjoint"));
  a->f = a->u + n;
  a->load = a->f + n;
  return IG_OK;
}

static ig_trial trial_of(const ig_adjoint_state *a) {
  const ig_newton_model *m = &a->s->model;
  return (ig_trial){a->u, m->end, m->end - m->begin, 1};
}

/* Forces at the equations' values v, at the end of the analysis; with `tangent` also the matrix of
   the system, and the tangent times push (NULL: none) added. */
static ig_status state_at(ig_adjoint_state *a, const double *v, bool tangent, const double *push) {
  ig_structure *s = a->s;
  ig_system *system = s->system;
  ig_trouble trouble;
  double size[2], count[2];
  int group = 0;
  IG_TRY(s->model.motions(s, s->model.begin, s->model.end));
  ig_system_resolve(system);
  ig_system_spread(system, v, a->u);
  const ig_trial at = trial_of(a);
  memset(a->load, 0, (size_t)s->unknowns * sizeof *a->load);
  IG_TRY(s->model.loads(s, &at, a->load));
  for (int32_t i = 0; i < s->unknowns; i++)
    a->f[i] = -a->load[i];
  IG_TRY(ig_system_assemble(system, s->model.groups, s->model.group, &at, tangent, push, a->f, size,
                            count, &group, &trouble));
  return trouble.element < 0
             ? IG_OK
             : IG_FAIL(s->cx, IG_NUMERIC, "an element %s at the end of the analysis", trouble.what);
}

/* The matrix of the system transposed: its pattern is symmetric, its rows are sorted. */
static ig_status transpose(const ig_system *s) {
  int64_t *at;
  double *value;
  IG_TRY(IG_NEW(s->cx, &at, s->equations, "adjoint"));
  const ig_status status = IG_NEW(s->cx, &value, (size_t)s->first[s->equations] + 1, "adjoint");
  for (int32_t i = 0; i < s->equations && status == IG_OK; i++)
    at[i] = s->first[i];
  for (int32_t i = 0; i < s->equations && status == IG_OK; i++)
    for (int64_t k = s->first[i]; k < s->first[i + 1]; k++)
      value[at[s->column[k]]++] = s->value[k];
  if (status == IG_OK && s->equations)
    memcpy(s->value, value, (size_t)s->first[s->equations] * sizeof *value);
  free(value);
  free(at);
  return status;
}

static double largest(int32_t n, const double *v) {
  double most = 0;
  for (int32_t i = 0; i < n; i++)
    most = fmax(most, fabs(v[i]));
  return most;
}

/* Newton's method from the run's state until corrections are rounding; the last tangent stays in
   the system. */
static ig_status improve(ig_adjoint *a, ig_adjoint_state *at, ig_direct *direct) {
  enum { MOST = 12 };
  ig_system *system = a->s->system;
  const bool symmetric = !follows(a->s);
  double *r, before = INFINITY;
  IG_TRY(IG_NEW(a->cx, &r, a->equations + 1, "adjoint"));
  ig_status status = IG_OK;
  for (int k = 0; k < MOST && status == IG_OK; k++) {
    ig_direct_info info;
    IG_TRY_GOTO(status, done, state_at(at, a->v, true, NULL));
    ig_system_reduce(system, at->f, r);
    IG_TRY_GOTO(status, done, ig_direct_factor(direct, system->value, symmetric, &info));
    if (info.zero)
      status =
          IG_FAIL(a->cx, IG_NUMERIC,
                  "no gradient: a motion has no stiffness: add supports, or connect the parts");
    if (status == IG_OK)
      status = ig_direct_solve(direct, r);
    const double change = largest(a->equations, r), size = largest(a->equations, a->v);
    for (int32_t i = 0; i < a->equations && status == IG_OK; i++)
      a->v[i] -= r[i];
    if (change <= 1e-14 * size || (change <= 1e-9 * size && change >= 0.1 * before))
      break;
    before = change;
  }
  if (status == IG_OK)
    status = state_at(at, a->v, true, NULL);
done:
  free(r);
  return status;
}

/* --- the run */

/* Runs the case on a model of its own; v: of the equations at the end. */
static ig_status run_take(ig_adjoint *a, ig_job *job, int64_t *steps) {
  void *self = NULL;
  ig_run_status now = {0};
  ig_status status = ig_room_structure.open(job, &self);
  if (status == IG_OK)
    status = ig_room_structure.begin(self);
  while (status == IG_OK && !now.ended) {
    status = ig_room_structure.advance(self, 1, 1);
    ig_room_structure.stand(self, &now);
  }
  const ig_structure *s = self;
  if (status == IG_OK && is_plastic(s) && s->step > 1)
    status = refuse(s, &analysis_of(s)->at,
                    "a material that yields has one only where the analysis is a single step: "
                    "leave `first_step` out, or take smaller loads");
  for (int32_t i = 0; i < a->s->unknowns && status == IG_OK; i++)
    if (a->s->system->equation[i] >= 0)
      a->v[a->s->system->equation[i]] = s->u[i];
  *steps = s && status == IG_OK ? s->step : 0;
  ig_room_structure.close(self);
  return status;
}

static ig_status adjoint_solve(ig_adjoint *a, ig_adjoint_state *at, ig_direct *direct) {
  ig_system *system = a->s->system;
  const size_t n = (size_t)a->s->unknowns;
  ig_direct_info info;
  double *by_u, *by_f;
  IG_TRY(IG_NEW(a->cx, &by_u, 2 * n, "adjoint"));
  by_f = by_u + n;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_adjoint_figure_slope(&a->figure, at, by_u, by_f));
  if (a->figure.kind == IG_ADJOINT_REACTION) { /* forces by u: the tangent, which is symmetric */
    for (size_t i = 0; i < n; i++)
      by_u[i] -= at->f[i];
    IG_TRY_GOTO(status, done, state_at(at, a->v, true, by_f));
    for (size_t i = 0; i < n; i++)
      by_u[i] += at->f[i];
    IG_TRY_GOTO(status, done, state_at(at, a->v, true, NULL));
  }
  ig_system_reduce(system, by_u, a->lambda);
  IG_TRY_GOTO(status, done, transpose(system));
  IG_TRY_GOTO(status, done, ig_direct_factor(direct, system->value, !follows(a->s), &info));
  status = ig_direct_solve(direct, a->lambda);
done:
  free(by_u);
  return status;
}

/* The state of a job at rounding, and the figure there. */
static ig_status equilibrium(ig_adjoint *a, ig_job *job, bool adjoint, int64_t *steps) {
  void *self = NULL;
  ig_adjoint_state at = {0};
  ig_direct *direct = NULL;
  ig_status status = ig_room_structure.open(job, &self);
  a->s = self;
  if (status == IG_OK)
    status = allowed(a->s, &a->figure);
  if (status != IG_OK)
    return status;
  const ig_system *system = a->s->system;
  a->equations = system->equations;
  IG_TRY(IG_NEW(a->cx, &a->v, a->equations + 1, "adjoint"));
  IG_TRY(IG_NEW(a->cx, &a->lambda, a->equations + 1, "adjoint"));
  IG_TRY(run_take(a, job, steps));
  IG_TRY_GOTO(status, done, state_new(a->s, &at));
  IG_TRY_GOTO(status, done,
              ig_direct_new(a->cx, system->equations, system->first, system->column, IG_DIRECT_AUTO,
                            &direct));
  IG_TRY_GOTO(status, done, improve(a, &at, direct));
  IG_TRY_GOTO(status, done, ig_adjoint_figure_value(&a->figure, &at, &a->value));
  if (adjoint)
    status = adjoint_solve(a, &at, direct);
done:
  ig_direct_free(direct);
  state_free(&at);
  return status;
}

/* --- for run/gradient.c */

static void gradient_close(void *self) {
  ig_adjoint *a = self;
  if (!a)
    return;
  free(a->v);
  free(a->lambda);
  free(a->figure.weight);
  ig_room_structure.close(a->s);
  free(a);
}

static ig_status gradient_open(ig_job *job, const char *figure, void **self,
                               ig_gradient_figure *found) {
  ig_adjoint *a;
  IG_TRY(IG_NEW(job->cx, &a, 1, "adjoint"));
  *self = a;
  a->cx = job->cx;
  IG_TRY(ig_adjoint_figure_read(job->cx, figure, &a->figure, found->unit));
  IG_TRY(equilibrium(a, job, true, &found->steps));
  found->value = a->value;
  return IG_OK;
}

/* J - lambda . r of the other case at the same v, less that of this one, where r is 0. */
static ig_status gradient_difference(void *self, ig_job *other, double *change) {
  const ig_adjoint *a = self;
  void *room = NULL;
  double *r = NULL;
  ig_adjoint_state at = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, ig_room_structure.open(other, &room));
  ig_structure *s = room;
  if (s->unknowns != a->s->unknowns || s->system->equations != a->equations) {
    status = IG_FAIL(a->cx, IG_INPUT, "the key changes the equations of the model");
    goto done;
  }
  IG_TRY_GOTO(status, done, state_new(s, &at));
  IG_TRY_GOTO(status, done, IG_NEW(a->cx, &r, a->equations + 1, "adjoint"));
  IG_TRY_GOTO(status, done, state_at(&at, a->v, false, NULL));
  IG_TRY_GOTO(status, done, ig_adjoint_figure_change(&a->figure, &at, a->value, change));
  ig_system_reduce(s->system, at.f, r);
  for (int32_t i = 0; i < a->equations; i++)
    *change -= a->lambda[i] * r[i];
done:
  state_free(&at);
  free(r);
  ig_room_structure.close(room);
  return status;
}

static ig_status gradient_run(void *self, ig_job *other, const char *figure, double *value) {
  const ig_adjoint *own = self;
  ig_adjoint *a;
  int64_t steps;
  (void)figure;
  IG_TRY(IG_NEW(own->cx, &a, 1, "adjoint"));
  a->cx = own->cx;
  a->figure = own->figure;
  a->figure.weight = NULL;
  const ig_status status = equilibrium(a, other, false, &steps);
  *value = a->value;
  gradient_close(a);
  return status;
}

static const char *const keys[] = {
    "materials",        "loads",        "supports", "shells",       "beams", "trusses",
    "springs",          "thicknesses",  "masses",   "temperatures", "mesh",  "initial_temperatures",
    "initial_stresses", "hyperelastic", NULL};

const ig_gradient_ops ig_structure_gradient = {
    .keys = keys,
    .expected = "materials, hyperelastic, loads, supports, shells, beams, trusses, thicknesses, "
                "springs, masses, temperatures, initial_temperatures, initial_stresses or mesh",
    .open = gradient_open,
    .difference = gradient_difference,
    .run = gradient_run,
    .close = gradient_close};
