/* An iteration of a run: analyse the design, keep the best, update.

     ig_topopt_advance
       ig_topopt_analyse          filter, solve, gradients (unless output asked for it before)
       keep_feasible              a copy of the best design within all bounds
       ig_topopt_design_update    the next design
       ig_topopt_design_change    decides whether the run ends, and the next solver tolerance

   A design is evaluated once: r->evaluated is the iteration whose states are in place. The last
   design of a run is evaluated on the first request, of the writer or ig_topopt_finish. */
#include "topopt/output.h"
#include "backend/backend.h"

#include <math.h>

/* Whether the design has arrived: it no longer changes, no ramp would change it, and it is
   feasible: corrections of stresses go on while densities hardly move. The change alone would
   end a run too early: ramps may still sharpen the design, and corrections of stress norms go on
   after densities have settled. */
static bool arrived(const ig_topopt_design *s, const ig_evaluation *e, double change, double last) {
  const ig_topopt_case *c = s->c;
  const double moved = fabs(e->objective - last) / fmax(fabs(e->objective), 1e-300);
  return ig_topopt_design_ramped(c, e) && change <= c->change &&
         (!s->stress || ig_topopt_excess(s, e) <= 0) &&
         (c->objective_change == 0 || moved <= c->objective_change);
}

bool ig_topopt_ended(const ig_topopt_run *r) {
  return r->arrived || r->iteration >= r->s->c->iterations;
}

/* Keeps the design just analysed if it is feasible and better than those before. Only designs at
   the end of all ramps are comparable with each other. */
static ig_status keep_feasible(ig_topopt_run *r) {
  const ig_topopt_design *s = r->s;
  if (s->limits == 0 || !ig_topopt_design_ramped(s->c, &r->e) || ig_topopt_excess(s, &r->e) > 0 ||
      (r->feasible_at >= 0 && r->e.objective >= r->feasible_objective))
    return IG_OK;
  r->feasible_objective = r->e.objective;
  r->feasible_at = r->iteration;
  return s->cx->backend->copy(s->cx, r->feasible.dev, s->x.dev,
                              (size_t)s->d->places * sizeof(double));
}

/* The last design of a run has not been analysed before. One that oversteps a bound gives way to
   the best feasible one, unless that is worse by a tenth more than the bound is overstepped: volume
   for volume, stress falls as 1/volume. */
static ig_status go_back(ig_topopt_run *r) {
  const ig_topopt_design *s = r->s;
  const double worse = r->feasible_objective - r->e.objective;
  const double over = s->limits > 0 ? ig_topopt_excess(s, &r->e) : 0;
  if (over <= 0 || r->feasible_at < 0 || worse > (0.1 + over) * fabs(r->e.objective))
    return IG_OK;
  r->went_back = true;
  IG_TRY(s->cx->backend->copy(s->cx, s->x.dev, r->feasible.dev,
                              (size_t)s->d->places * sizeof(double)));
  return ig_topopt_design_evaluate(r->s, &r->e);
}

/* The last design is evaluated with the ramps of the iteration that made it, so that its figures
   belong to the same problem. */
static ig_status analyse(ig_topopt_run *r) {
  const int64_t last = r->iteration > 0 ? r->iteration : 1;
  ig_topopt_design_continue(
      r->s->c, ig_topopt_ramp_at(r->s->c, ig_topopt_ended(r) ? last : r->iteration + 1), &r->e);
  IG_TRY(ig_topopt_design_evaluate(r->s, &r->e));
  if (ig_topopt_ended(r))
    IG_TRY(go_back(r));
  r->evaluated = r->iteration;
  return IG_OK;
}

/* Who writes a design may need it first: its time is the steps' in any case. */
ig_status ig_topopt_analyse(ig_topopt_run *r) {
  if (r->evaluated == r->iteration)
    return IG_OK;
  const ig_phase former = ig_phase_begin(r->job->cx, IG_PHASE_STEPS);
  const double start = ig_now();
  const ig_status status = analyse(r);
  r->seconds = ig_now() - start;
  ig_phase_end(r->job->cx, former);
  return status;
}

/* The same for the next iteration. Where an analysis takes seconds a signal ends it between two
   iterations of its solver; the run then goes back to the state before it. Modes and ranks wait
   for the end: a search for modes has more state than is kept, and a signal reaches one rank. */
static ig_status analyse_or_stop(ig_topopt_run *r) {
  ig_ctx *cx = r->job->cx;
  bool *ends = r->d->ends;
  const bool modes = r->s->modes || r->s->buckling;
  const bool quick = r->seconds < 1 && !r->s->large; /* Newton's method looks for signals */
  if (!ends || quick || r->evaluated == r->iteration || modes || cx->ranks)
    return ig_topopt_analyse(r);
  IG_TRY(ig_topopt_keep(r));
  *ends = true;
  const ig_status status = ig_topopt_analyse(r);
  *ends = false;
  if (status == IG_INTERRUPTED)
    IG_TRY(ig_topopt_put_back(r));
  return status;
}

/* One design iteration. One iteration at a time, whatever `most` allows: an iteration takes long
   enough, and Ctrl-C is looked at in between. r->last is the objective of this design, for the
   next decision whether it still changes. */
ig_status ig_topopt_advance(void *self, int64_t most, int64_t ahead) {
  ig_topopt_run *r = self;
  ig_topopt_design *s = r->s;
  const ig_topopt_case *c = s->c;
  (void)most, (void)ahead;
  IG_TRY(analyse_or_stop(r));
  IG_TRY(keep_feasible(r));
  IG_TRY(ig_topopt_design_update(s, &r->e));
  r->e.iterations += s->tried;
  ig_topopt_forget(r);
  r->iteration++;
  IG_TRY(ig_topopt_design_change(s, &r->e, &r->change));
  if (c->solver.tolerance == 0)
    s->tolerance = ig_topopt_design_tolerance(r->change);
  r->arrived = arrived(s, &r->e, r->change, r->last);
  r->last = r->e.objective;
  r->job->element_steps += (double)s->d->dofs * r->e.iterations;
  return IG_OK;
}
