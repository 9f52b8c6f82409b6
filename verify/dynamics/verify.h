/* What verification problems share; between the room's own files. */
#ifndef IG_DYNAMICS_VERIFY_H
#define IG_DYNAMICS_VERIFY_H

#include "verify/dynamics/problem.h"
#include "dynamics/statics/statics.h"
#include "verify/verify.h"
#include "backend/backend.h"
#include "geometry/mesh_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IG_PI 3.14159265358979323846

static inline void row(const ig_verify_sink *sink, const char *quantity, const char *source,
                       double expected, double computed, double tolerance, bool relative) {
  const ig_verify_row r = {quantity, source, expected, computed, tolerance, relative};
  sink->row(sink->user, &r);
}
#define EXACT(q, expected, computed, tol) row(sink, q, "exact", expected, computed, tol, true)
#define ZERO(q, computed, tol) row(sink, q, "exact", 0, computed, tol, false)

static inline double at(const ig_dyn_model *m, ig_lid n, int c) {
  return ig_dyn_get(m, &m->x, 3 * (int64_t)n + c);
}
static inline double moved(const ig_dyn_model *m, ig_lid n, int c) {
  return at(m, n, c) - m->x0[3 * (int64_t)n + c];
}

static const ig_dyn_analysis rest __attribute__((unused)) = {.kind = IG_ANALYSIS_STATIC,
                                                             .safety = 0.9,
                                                             .damping = NAN,
                                                             .tolerance = 1e-4,
                                                             .steps = 1000000,
                                                             .first_step = NAN,
                                                             .largest_step = 1,
                                                             .at_time = 1};

/* Histories that grow from 0 to 1 over one second. */
static double ramp_x[2] __attribute__((unused)) = {0, 1},
                        ramp_y[2] __attribute__((unused)) = {0, 1};
static const ig_table ramp __attribute__((unused)) = {2, ramp_x, ramp_y};

/* To equilibrium by Newton's method; fails if it is not reached. highest: largest load factor on
   the way, may be NULL. */
static inline ig_status settle_along(ig_dyn_model *m, const ig_dyn_analysis *a, double *highest) {
  ig_dyn_statics *s = NULL;
  ig_newton_standing now = {0};
  ig_status status = ig_dyn_statics_new(m, a, &s);
  while (status == IG_OK && !now.done) {
    status = ig_dyn_statics_step(s);
    ig_dyn_statics_stand(s, &now);
    if (highest && status == IG_OK && now.factor > *highest)
      *highest = now.factor;
    if (highest && now.factor < 0.9 * *highest)
      break;
  }
  ig_dyn_statics_free(s);
  IG_TRY(status);
  return ig_dyn_pull(m);
}
static inline ig_status settle(ig_dyn_model *m, const ig_dyn_analysis *a) {
  return settle_along(m, a, NULL);
}

/* A mesh node set by numbers. */
static inline ig_status node_set(ig_dyn_problem *q, const char *name, const ig_lid *node,
                                 int count) {
  ig_set *set;
  IG_TRY(ig_mesh_add_set(q->cx, q->mesh, name, IG_SET_NODES, count, &set));
  memcpy(set->item, node, sizeof *node * (size_t)count);
  return IG_OK;
}

/* Advances to time t in steps of the critical step x safety, computed again every `update` steps.
 */
static inline ig_status advance_to(ig_dyn_model *m, double t, double safety, int update) {
  for (;;) {
    double critical;
    IG_TRY(ig_array_pull(m->cx, &m->clock));
    const ig_dyn_clock *k = m->clock.host;
    const double left = t - k->time;
    if (left <= 1e-9 * t)
      return IG_OK;
    IG_TRY(ig_dyn_critical_step(m, &critical));
    const double steps = ceil(left / (safety * critical));
    const double dt = steps <= update ? left / steps : safety * critical;
    IG_TRY(ig_dyn_set_clock(m, dt, 0));
    IG_TRY(ig_dyn_advance(m, steps < update ? (int64_t)steps : update));
    IG_TRY(ig_fault_check(m->cx, "element", m->fault_ids));
  }
}

static inline ig_status balance(ig_dyn_model *m) {
  ig_dyn_energy e;
  double critical;
  IG_TRY(ig_dyn_critical_step(m, &critical));
  IG_TRY(ig_dyn_set_clock(m, 0.1 * critical, 0));
  IG_TRY(ig_dyn_energies(m, &e));
  m->balance.energy = e.plain + e.internal - e.external;
  return IG_OK;
}

/* Time between upward passes of a node's deflection through zero, over `periods` of them. */
static inline ig_status period_of(ig_dyn_model *m, ig_lid node, int c, double dt, int periods,
                                  double longest, double *period) {
  double first = 0, before = 0, t = 0;
  int seen = 0;
  IG_TRY(ig_dyn_set_clock(m, dt, 0));
  while (t < longest) {
    IG_TRY(ig_dyn_advance(m, 4));
    t += 4 * dt;
    IG_TRY(ig_array_pull(m->cx, &m->x));
    const double now = moved(m, node, c);
    if (before < 0 && now >= 0) {
      const double when = t - 4 * dt * now / (now - before);
      if (seen == 0)
        first = when;
      if (seen++ == periods) {
        *period = (when - first) / periods;
        return IG_OK;
      }
    }
    before = now;
  }
  return IG_FAIL(m->cx, IG_NUMERIC, "no oscillation seen within %g s", longest);
}

typedef struct {
  double a, b, radius, angle;
} patch;
static inline void flat(void *user, double u, double v, double x[3]) {
  const patch *p = user;
  x[0] = p->a * u, x[1] = p->b * v, x[2] = 0;
}
typedef struct {
  double length, angle, radius, rise;
} line;
static inline void along_x(void *user, double u, double v, double x[3]) {
  (void)v;
  const line *l = user;
  x[0] = l->length * u, x[1] = x[2] = 0;
}

ig_status ig_dyn_verify_bars(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_dyn_verify_contact(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_ironing.c */
ig_status ig_dyn_verify_slow(ig_ctx *cx, const ig_verify_sink *sink);
/* A problem: fills what it needs, opens the model, tells the sink. */
typedef ig_status ig_dyn_verify_fn(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink);
#define IG_DYN_VERIFY_LIST(X)                                                                      \
  X(elastica_1)                                                                                    \
  X(elastica_4)                                                                                    \
  X(elastica_10)                                                                                   \
  X(roll_up)                                                                                       \
  X(bend)                                                                                          \
  X(strip_shear)                                                                                   \
  X(slit_plate)                                                                                    \
  X(hemisphere)                                                                                    \
  X(pinched)                                                                                       \
  X(toggle)                                                                                        \
  X(dome)                                                                                          \
  X(taylor_bar)                                                                                    \
  X(wave)                                                                                          \
  X(frequency_beam)                                                                                \
  X(frequency_shell)                                                                               \
  X(frequency_hex)                                                                                 \
  X(frequency_single)                                                                              \
  X(ringing)                                                                                       \
  X(collision)                                                                                     \
  X(friction)                                                                                      \
  X(taylor_single)                                                                                 \
  X(frequency_plate)                                                                               \
  X(frequency_block)                                                                               \
  X(rigid_top)                                                                                     \
  X(rigid_joint)                                                                                   \
  X(tied_bar)                                                                                      \
  X(tied_flight)                                                                                   \
  X(pull_bar)                                                                                      \
  X(pull_hex)                                                                                      \
  X(pull_single)                                                                                   \
  X(pull_tet)                                                                                      \
  X(pull_shell)                                                                                    \
  X(pull_table)                                                                                    \
  X(pull_rubber)                                                                                   \
  X(pull_rubber_tet)                                                                               \
  X(pull_apart)                                                                                    \
  X(cable)                                                                                         \
  X(i_beam)                                                                                        \
  X(collapse)                                                                                      \
  X(column)                                                                                        \
  X(roof)                                                                                          \
  X(roof_thin)
/* verify_gradient.c */
IG_MUST_CHECK ig_status ig_dyn_verify_gradient(ig_ctx *cx, const ig_verify_sink *sink);
#define X(name) ig_dyn_verify_fn ig_dyn_verify_##name;
IG_DYN_VERIFY_LIST(X)
#undef X

#endif
