#include "dynamics/statics/modes.h"
#include "dynamics/model/solids.h"
#include "dynamics/statics/statics_parts.h"
#include "implicit/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a modal analysis works with: the static problem, a factorisation, masses or the geometric
   part. */
typedef struct {
  ig_dyn_statics *s;
  ig_direct *direct;
  double *mass;   /* unknowns */
  double *change; /* buckling: entries of -G, as the matrix */
  double *u, *f;  /* unknowns, scratch */
  double mean[2]; /* mean force and moment of the elements at the last tangent */
} work;

static ig_status solve(void *self, double *x) {
  return ig_direct_solve(((const work *)self)->direct, x);
}

/* y = M x, through the unknowns that constraints carry along */
static void times_mass(void *self, const double *x, double *y) {
  const work *w = self;
  const ig_system *s = w->s->system;
  memcpy(w->f, s->shift, (size_t)s->unknowns * sizeof *w->f);
  ig_system_spread(s, x, w->u);
  for (int32_t i = 0; i < s->unknowns; i++)
    w->f[i] = w->mass[i] * w->u[i];
  ig_system_reduce(s, w->f, y);
}

/* y = -G x for buckling. The matrix of differences is symmetric but for rounding: its symmetric
   part is used. */
static void times_change(void *self, const double *x, double *y) {
  const work *w = self;
  const ig_system *s = w->s->system;
  memset(y, 0, (size_t)s->equations * sizeof *y);
  for (int32_t i = 0; i < s->equations; i++) /* its symmetric half */
    for (int64_t k = s->first[i]; k < s->first[i + 1]; k++) {
      y[i] += 0.5 * w->change[k] * x[s->column[k]];
      y[s->column[k]] += 0.5 * w->change[k] * x[i];
    }
}

/* Masses of the unknowns. Particles of bodies and carriers of ties stand for what they carry. */
static void masses(work *w) {
  const ig_dyn_model *m = w->s->m;
  const int D = m->p.dofs;
  const int32_t *bound = m->carried.bound.host;
  for (int32_t n = 0; n < m->p.nodes; n++)
    for (int c = 0; c < D; c++) /* what is tied weighs on its carriers */
      w->mass[D * n + c] = c >= 3                  ? m->weight.inertia[n]
                           : bound && bound[n] < 0 ? 0
                                                   : m->weight.mass[n];
}

/* The matrix becomes K + by M. */
static void mass_add(work *w, double by) {
  ig_system *s = w->s->system;
  for (int32_t i = 0; i < s->unknowns; i++)
    for (int64_t a = s->term_first[i]; a < s->term_first[i + 1]; a++)
      for (int64_t b = s->term_first[i]; b < s->term_first[i + 1]; b++) {
        int64_t k = s->first[s->term[a]];
        while (s->column[k] != s->term[b])
          k++;
        s->value[k] += by * s->factor[a] * s->factor[b] * w->mass[i];
      }
}

/* Tangent at increments u, loads as at `time`, into the system's matrix; internal forces into
   w->f, the mean force and moment of the elements into w->mean. Bodies and ties follow first, as
   constraints depend on positions. */
static ig_status tangent(work *w, double *u, double time) {
  ig_dyn_statics *s = w->s;
  const ig_trial at = {u, time, 0, 1};
  double size[2], count[2];
  int group;
  ig_trouble trouble;
  ig_static_follow(s, u);
  ig_system_resolve(s->system);
  memset(w->f, 0, (size_t)s->unknowns * sizeof *w->f);
  IG_TRY(ig_system_assemble(s->system, s->groups, s->group, &at, true, NULL, w->f, size, count,
                            &group, &trouble));
  for (int k = 0; k < 2; k++)
    w->mean[k] = count[k] > 0 ? size[k] / count[k] : 0;
  return trouble.element < 0 ? IG_OK
                             : IG_FAIL(s->m->cx, IG_NUMERIC, "modes: an element %s", trouble.what);
}

/* Space for `count` modes; freed by ig_dyn_modes_free, also if this fails half-way. */
static ig_status modes_room(ig_dyn_model *m, int count, ig_dyn_modes *to) {
  to->count = count;
  IG_TRY(IG_NEW(m->cx, &to->value, (size_t)count + 1, "modes"));
  IG_TRY(IG_NEW(m->cx, &to->mass, (size_t)count + 1, "modes"));
  return IG_NEW(m->cx, &to->shape, (size_t)count * 3 * (size_t)m->p.nodes + 1, "modes");
}

void ig_dyn_modes_free(ig_dyn_modes *m) {
  free(m->value);
  free(m->mass);
  free(m->shape);
  *m = (ig_dyn_modes){0};
}

/* Displacements of mode i, the largest 1; scale: of the vector, so that its modal mass is 1. The
   effective mass along an axis is the square of the sum of m phi over the particles. */
static void shape_of(work *w, const double *x, double scale, int i, ig_dyn_modes *to) {
  const ig_dyn_model *m = w->s->m;
  const int D = m->p.dofs;
  double most = 0, sum[3] = {0};
  ig_system_spread(w->s->system, x, w->u);
  double *shape = to->shape + (int64_t)i * 3 * m->p.nodes;
  for (int64_t n = 0; n < m->p.nodes; n++)
    for (int c = 0; c < 3; c++) {
      shape[3 * n + c] = w->u[D * n + c];
      most = fmax(most, fabs(shape[3 * n + c]));
      sum[c] += w->mass ? w->mass[D * n + c] * scale * w->u[D * n + c] : 0;
    }
  for (int64_t n = 0; n < 3 * (int64_t)m->p.nodes && most > 0; n++)
    shape[n] /= most;
  for (int c = 0; c < 3; c++)
    to->mass[i][c] = sum[c] * sum[c];
}

/* Natural frequencies by a block Krylov method on (K + shift M)^-1 M (implicit/modes.h). The number
   of modes found is checked by a Sturm count: negative pivots of K - s M are the modes below s. */
static ig_status frequencies(work *w, int count, ig_dyn_modes *to) {
  ig_dyn_model *m = w->s->m;
  ig_system *s = w->s->system;
  ig_direct_info info;
  double *x = NULL, *mu = NULL, stiff = 0, heavy = 0;
  ig_status status = IG_OK;
  memset(w->u, 0, (size_t)s->unknowns * sizeof *w->u);
  IG_TRY(tangent(w, w->u, 0));
  masses(w);
  /* a shift far below the first elastic mode keeps free bodies regular */
  for (int32_t i = 0; i < s->unknowns; i++)
    if (s->equation[i] >= 0 && s->kind[i] == 0 && w->mass[i] > 0) {
      for (int64_t k = s->first[s->equation[i]]; k < s->first[s->equation[i] + 1]; k++)
        stiff += s->column[k] == s->equation[i] ? s->value[k] : 0;
      heavy += w->mass[i];
    }
  if (!(heavy > 0))
    return IG_FAIL(m->cx, IG_INPUT, "frequencies: nothing can move");
  const double shift = 1e-10 * stiff / heavy;
  mass_add(w, shift);
  IG_TRY(ig_direct_factor(w->direct, s->value, true, &info));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &mu, (size_t)count + 1, "modes"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &x, (size_t)count * (size_t)s->equations + 1, "modes"));
  const ig_modes_model model = {s->equations, w, solve, times_mass};
  IG_TRY_GOTO(status, done, ig_modes_find(m->cx, &model, &count, mu, x, &to->error));
  to->count = count;
  double last = 0;
  for (int i = 0; i < count; i++) {
    const double square = 1 / mu[i] - shift;
    /* below 1e-6 of the shift it is a rigid-body motion: 0 Hz */
    to->value[i] = square > 1e-6 * shift ? sqrt(square) / (2 * 3.14159265358979323846) : 0;
    shape_of(w, x + (int64_t)i * s->equations, 1 / sqrt(mu[i]), i, to);
    last = fmax(last, 1 / mu[i]);
  }
  /* the shift made all eigenvalues positive; here the matrix is factorised just above the last
     one found */
  /* Sturm: pivots below zero of K - s M are the modes below s */
  mass_add(w, -last * (1 + 1e-6));
  IG_TRY_GOTO(status, done, ig_direct_factor(w->direct, s->value, true, &info));
  to->below = info.negative;
done:
  free(mu);
  free(x);
  return status;
}

/* Whether forces of the equations are what Newton's method leaves out of balance, no more. */
static bool in_balance(const work *w, const double *force) {
  const ig_system *s = w->s->system;
  double most[2] = {0};
  for (int32_t i = 0; i < s->unknowns; i++)
    if (s->equation[i] >= 0)
      most[s->kind[i]] = fmax(most[s->kind[i]], fabs(force[s->equation[i]]));
  return w->mean[0] > 0 && most[0] <= 1e-3 * w->mean[0] && most[1] <= 1e-3 * w->mean[1];
}

/* Whether tangents are those of modes (ig_solid_hourglass). */
static void modal_set(ig_dyn_model *m, bool on) {
  for (int k = 0; m->solids && k < m->solids->count; k++)
    m->solids->item[k].g.modal = on;
}

/* Load factors: K at the state, G by the difference of two tangents along the first-order
   displacements of the loads, scaled to 1e-5 of the model's length: small enough to be linear,
   large enough for double precision. */
static ig_status load_factors(work *w, int count, double time, ig_dyn_modes *to) {
  ig_dyn_statics *p = w->s;
  ig_dyn_model *m = p->m;
  ig_system *s = p->system;
  ig_direct_info info;
  const int64_t entries = s->first[s->equations];
  const ig_trial at = {w->u, time, 0, 1};
  double *x = NULL, *mu = NULL, *way = NULL, most = 0;
  ig_status status = IG_OK;
  memset(w->u, 0, (size_t)s->unknowns * sizeof *w->u);
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &w->change, (size_t)entries + 1, "buckling"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &way, (size_t)s->equations + 1, "buckling"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &mu, (size_t)count + 1, "modes"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &x, (size_t)count * (size_t)s->equations + 1, "modes"));
  /* pressures are part of the groups: they act at `time`, and their share below with them */
  IG_TRY_GOTO(status, done, tangent(w, w->u, time));
  for (int32_t i = 0; i < s->unknowns; i++)
    w->f[i] = -w->f[i];
  IG_TRY_GOTO(status, done, ig_static_loads(p, &at, w->f));
  ig_system_reduce(s, w->f, way);
  if (in_balance(w, way)) {
    status = IG_FAIL(m->cx, IG_INPUT,
                     "buckling: the state it starts from carries the loads of `at_time` %g s "
                     "already, and none is left to grow: leave the static analysis before it out, "
                     "or give what grows a `history` that begins after it",
                     time);
    goto done;
  }
  IG_TRY_GOTO(status, done, ig_direct_factor(w->direct, s->value, true, &info));
  if (info.negative > 0 || info.zero > 0) {
    status = IG_FAIL(m->cx, IG_NUMERIC,
                     "buckling: the state it starts from is not stable (%lld negative, %lld zero "
                     "pivots): support it",
                     (long long)info.negative, (long long)info.zero);
    goto done;
  }
  IG_TRY_GOTO(status, done, ig_direct_solve(w->direct, way));
  for (int32_t i = 0; i < s->equations; i++)
    most = fmax(most, fabs(way[i]));
  if (!(most > 0)) {
    status = IG_FAIL(m->cx, IG_INPUT, "buckling: no loads act at `at_time` %g s", time);
    goto done;
  }
  /* 1e-5 of the model's length: see above */
  const double share = 1e-5 * p->length / most;
  modal_set(m, false); /* of geometry alone */
  memset(w->u, 0, (size_t)s->unknowns * sizeof *w->u);
  IG_TRY_GOTO(status, done, tangent(w, w->u, time));
  memcpy(w->change, s->value, (size_t)entries * sizeof *w->change);
  for (int32_t i = 0; i < s->equations; i++)
    way[i] *= share;
  ig_system_spread(s, way, w->u);
  IG_TRY_GOTO(status, done, tangent(w, w->u, time));
  for (int64_t k = 0; k < entries; k++)
    w->change[k] = (w->change[k] - s->value[k]) / share;
  const ig_modes_model model = {s->equations, w, solve, times_change};
  IG_TRY_GOTO(status, done, ig_modes_find(m->cx, &model, &count, mu, x, &to->error));
  to->count = count;
  to->below = -1;
  free(w->mass);
  w->mass = NULL;
  for (int i = 0; i < count; i++) {
    to->value[i] = 1 / mu[i];
    shape_of(w, x + (int64_t)i * s->equations, 1, i, to);
  }
done:
  free(x);
  free(mu);
  free(way);
  return status;
}

/* Both kinds of modal analysis. *to is filled or, after a failure, safe to free. */
ig_status ig_dyn_modes_find(ig_dyn_model *m, const ig_dyn_analysis *a, ig_dyn_modes *to) {
  work w = {0};
  ig_status status = ig_dyn_statics_new(m, a, &w.s);
  const ig_system *s = w.s ? w.s->system : NULL;
  if (status == IG_OK)
    status = modes_room(m, (int)a->modes, to);
  if (status == IG_OK)
    status = IG_NEW(m->cx, &w.mass, (size_t)s->unknowns + 1, "modes");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &w.u, (size_t)s->unknowns + 1, "modes");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &w.f, (size_t)s->unknowns + 1, "modes");
  if (status == IG_OK)
    status = ig_direct_new(m->cx, s->equations, s->first, s->column, (ig_direct_kind)a->solver,
                           &w.direct);
  modal_set(m, true);
  if (status == IG_OK)
    status = a->kind == IG_ANALYSIS_FREQUENCY ? frequencies(&w, to->count, to)
                                              : load_factors(&w, to->count, a->at_time, to);
  modal_set(m, false);
  ig_direct_free(w.direct);
  ig_dyn_statics_free(w.s);
  free(w.mass);
  free(w.change);
  free(w.u);
  free(w.f);
  return status;
}
