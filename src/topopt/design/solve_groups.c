/* Linear systems of a design, shared by ranks (solve_groups.h). Small models are not worth
   dividing: there every rank has the whole model, solves whole systems in turn (system k on rank
   k modulo ranks) and broadcasts the solutions. All ranks then do the remaining work alike, with
   equal bits. */
#include "topopt/design/solve_groups.h"
#include "backend/backend.h"
#include "ranks/ranks.h"

#include <math.h>

/* Whether a solution will do. A solution that has not converged is used with a warning if it is
   good to a percent: early designs of a run recover from that. Anything worse ends the run. */
static ig_status accept(ig_topopt_design *s, const ig_solve_report *report, ig_evaluation *e) {
  if (report->end != IG_SOLVE_CONVERGED) {
    if (!(report->residual < 1e-2))
      return IG_FAIL(
          s->cx, IG_NUMERIC,
          "the linear solver %s (relative residual %.2g after %d iterations): check that "
          "the supports hold the body, or raise void_ratio",
          ig_solve_end_text(report->end), report->residual, report->iterations);
    ig_warn(s->cx, "the linear solver %s (relative residual %.2g after %d iterations)",
            ig_solve_end_text(report->end), report->residual, report->iterations);
  }
  e->iterations += report->iterations;
  e->residual = fmax(e->residual, report->residual);
  return IG_OK;
}

bool ig_topopt_systems_shared(const ig_topopt_design *s) {
  return ig_ranks_count(s->cx->ranks) > 1 && !ig_topopt_divided(s->d);
}

/* Round robin: system k on rank k modulo the number of ranks. */
int ig_topopt_systems_owner(const ig_topopt_design *s, int k) {
  return ig_topopt_systems_shared(s) ? k % ig_ranks_count(s->cx->ranks)
                                     : ig_ranks_rank(s->cx->ranks);
}

static bool own(const ig_topopt_design *s, int k) {
  return ig_topopt_systems_owner(s, k) == ig_ranks_rank(s->cx->ranks);
}

/* A solution of rank `from` to all, through host memory that stays: pages that are new with every
   message, or not locked, cost several times the message itself. */
static ig_status send_state(ig_topopt_design *s, int from, double *state) {
  const size_t n = (size_t)s->d->unknowns;
  ig_topopt_turns *t = &s->turns;
  ig_status status = IG_OK;
  if (s->cx->backend->separate && !t->host)
    status = s->cx->backend->host_alloc(s->cx, &t->host, n * sizeof *state);
  IG_TRY(ig_ranks_agree(s->cx, status));
  ig_array sent = {
      .host = t->host ? t->host : state, .dev = state, .count = n, .size = sizeof *state};
  return ig_ranks_bcast_array(s->cx, from, &sent);
}

void ig_topopt_turns_free(ig_topopt_design *s) {
  if (s->turns.host)
    s->cx->backend->host_free(s->cx, s->turns.host);
}

/* --- right sides that are there --- */

/* What the solver learns from one system it may use from the next group on, not for the next
   system: another rank solves that. */
static ig_status own_systems_solve(ig_topopt_design *s, ig_topopt_systems *y, bool *learnt) {
  const bool before = s->d->learnt && *s->d->learnt;
  for (int k = 0; k < y->count; k++)
    if (own(s, k)) {
      if (s->d->learnt)
        *s->d->learnt = before;
      IG_TRY(s->d->solve(s->d->self, y->f[k], y->u[k]->dev, s->tolerance, &y->report[k]));
      IG_TRY(
          ig_topopt_dot_states(s->cx, s->d, s->d->residual(s->d->self), y->u[k]->dev, &y->rest[k]));
      *learnt |= s->d->learnt && *s->d->learnt;
    }
  return IG_OK;
}

/* Own systems first; then all ranks agree on success and on what was learnt; then each solution
   is broadcast by its owner, in the order of the systems. */
ig_status ig_topopt_systems_solve(ig_topopt_design *s, ig_topopt_systems *y, ig_evaluation *e) {
  bool learnt = false;
  const ig_status solved = own_systems_solve(s, y, &learnt);
  IG_TRY(ig_ranks_agree_any(s->cx, solved, &learnt));
  if (s->d->learnt)
    *s->d->learnt = learnt;
  for (int k = 0; k < y->count; k++) {
    if (ig_topopt_systems_shared(s)) {
      const int from = ig_topopt_systems_owner(s, k);
      IG_TRY(ig_ranks_bcast(s->cx, from, &y->report[k], sizeof y->report[k]));
      IG_TRY(ig_ranks_bcast(s->cx, from, &y->rest[k], sizeof y->rest[k]));
      IG_TRY(send_state(s, from, y->u[k]->dev));
    }
    IG_TRY(accept(s, &y->report[k], e));
  }
  return IG_OK;
}

/* --- right sides made one after the other --- */

/* In the second pass, and without sharing, everybody makes all right sides. */
bool ig_topopt_turn_mine(const ig_topopt_design *s) {
  return !s->turns.first || own(s, s->turns.next);
}

static ig_status solve_linear(ig_topopt_design *s, void *user, const double *f, double *state,
                              ig_solve_report *report) {
  (void)user;
  return s->d->solve(s->d->self, f, state, s->tolerance, report);
}

/* Three situations: the solutions have been handed on (only the report is looked at), the first
   of two passes (solved here if f is given, else by another rank), or no sharing at all. */
ig_status ig_topopt_turn_solve_by(ig_topopt_design *s, ig_topopt_turn_solver *solver, void *user,
                                  const double *f, double *state, ig_solve_report *report) {
  ig_topopt_turns *t = &s->turns;
  const int k = t->next++;
  t->state[k] = state;
  if (!t->handed) {
    t->report[k] = (ig_solve_report){.end = IG_SOLVE_CONVERGED};
    if (f) {
      if (s->d->learnt)
        *s->d->learnt = t->before;
      IG_TRY(solver(s, user, f, state, &t->report[k]));
      t->learnt |= s->d->learnt && *s->d->learnt;
    }
  }
  *report = t->report[k];
  return IG_OK;
}

ig_status ig_topopt_turn_solve(ig_topopt_design *s, const double *f, double *state,
                               ig_evaluation *e) {
  ig_solve_report report;
  IG_TRY(ig_topopt_turn_solve_by(s, solve_linear, NULL, f, state, &report));
  return s->turns.first ? IG_OK : accept(s, &report, e);
}

ig_status ig_topopt_systems_hand(ig_topopt_design *s, int k, void *bytes, size_t size) {
  return ig_topopt_systems_shared(s)
             ? ig_ranks_bcast(s->cx, ig_topopt_systems_owner(s, k), bytes, size)
             : IG_OK;
}

/* Solutions of the first pass to all ranks. */
static ig_status hand_on(ig_topopt_design *s) {
  ig_topopt_turns *t = &s->turns;
  for (int k = 0; k < t->next; k++) {
    const int from = ig_topopt_systems_owner(s, k);
    IG_TRY(ig_ranks_bcast(s->cx, from, &t->report[k], sizeof t->report[k]));
    IG_TRY(send_state(s, from, t->state[k]));
  }
  return IG_OK;
}

/* `pass` must ask for the same systems in the same order in both calls and on all ranks; only
   then are numbers of systems comparable. */
ig_status ig_topopt_turns_take(ig_topopt_design *s, ig_topopt_pass *pass, void *user,
                               ig_evaluation *e) {
  ig_topopt_turns *t = &s->turns;
  t->next = 0;
  t->learnt = t->before = s->d->learnt && *s->d->learnt;
  if (ig_topopt_systems_shared(s)) {
    t->first = true;
    const ig_status solved = pass(s, user, e);
    t->first = false;
    IG_TRY(ig_ranks_agree_any(s->cx, solved, &t->learnt));
    IG_TRY(hand_on(s));
    t->next = 0;
    t->handed = true;
  }
  const ig_status status = pass(s, user, e);
  t->handed = false;
  if (s->d->learnt)
    *s->d->learnt = t->learnt;
  return status;
}
