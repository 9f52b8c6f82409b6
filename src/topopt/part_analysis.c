/* The part at the end of a run, analysed on the design's own elements; its figures beside those
   of the density model (part_analysis.h has the files).

   The analysis uses the arrays of the design: its densities and states are exchanged for
   temporary ones, moduli become those of the part, and everything is put back afterwards. Only
   the moduli remain the part's, hence r->evaluated = -1. */
#include "topopt/part_analysis.h"
#include "backend/backend.h"
#include "ranks/ranks.h"
#include "topopt/design/stress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Share by which part and density model may differ before the run warns. */
static const double apart = 0.1;

/* --- one analysis --- */

/* States of the part beside the design's, which stay as they are: exchanged twice. */
static void exchange(ig_topopt_design *s, ig_array *density, ig_array *u, ig_array *adjoint) {
  const int last = s->realisations - 1;
#define SWAP(a, b)                                                                                 \
  do {                                                                                             \
    const ig_array swap = (a);                                                                     \
    (a) = (b);                                                                                     \
    (b) = swap;                                                                                    \
  } while (0)
  SWAP(s->density[last], *density);
  SWAP(s->adjoint[last], *adjoint);
  for (int q = 0; q < s->loading->cases; q++)
    SWAP(s->u[last][q], u[q]);
#undef SWAP
}

static ig_status zeros(ig_ctx *cx, ig_array *a, int64_t n) {
  IG_TRY(ig_array_new_device(cx, a, (size_t)n, sizeof(double), "analysis of the part"));
  return ig_array_zero(cx, a);
}

/* The part on the design's own elements. Errors by recovery where nothing better is at hand. At
   least 1e-6: stresses at points of the surface need more digits than sensitivities. */
static ig_status solve_part(ig_topopt_run *r, const double *share, bool recover,
                            ig_topopt_part_figures *to) {
  ig_topopt_design *s = r->s;
  ig_ctx *cx = s->cx;
  const bool learnt = s->d->learnt && *s->d->learnt;
  const double tolerance = s->tolerance;
  ig_array density = {0}, adjoint = {0}, u[IG_LOAD_CASES] = {{0}};
  double kept[IG_LOAD_CASES];
  ig_status status = zeros(cx, &density, s->d->places);
  for (int q = 0; q < s->loading->cases; q++) {
    kept[q] = s->response[q];
    if (status == IG_OK)
      status = zeros(cx, &u[q], s->d->unknowns);
  }
  if (status == IG_OK && ig_topopt_has_port(s->c))
    status = zeros(cx, &adjoint, s->d->unknowns);
  if (ig_topopt_divided(s->d))
    status = ig_ranks_agree(cx, status);
  exchange(s, &density, u, &adjoint);
  s->tolerance = fmin(tolerance, 1e-6);
  if (status == IG_OK)
    status = ig_topopt_part_measure_figures(s, share, s->limit_of, to);
  if (status == IG_OK && recover && s->d->strain)
    status = ig_topopt_part_recover(s, share, to);
  exchange(s, &density, u, &adjoint);
  s->tolerance = tolerance;
  if (s->d->learnt)
    *s->d->learnt = learnt;
  for (int q = 0; q < s->loading->cases; q++) {
    s->response[q] = kept[q];
    ig_array_free(cx, &u[q]);
  }
  ig_array_free(cx, &density);
  ig_array_free(cx, &adjoint);
  r->evaluated = -1; /* moduli in place are the part's */
  return status;
}

/* --- what the summary says --- */

/* Value, on a finer grid, error; how far the best of them is from the density model's, %. */
static ig_status figure_put(ig_sink *sink, const char *name, const char *unit,
                            const ig_topopt_figure *f, double design) {
  char key[64];
  const double best = isnan(f->fine) ? f->value : f->fine;
  const struct {
    const char *end, *unit;
    double value;
  } list[] = {{"", unit, f->value},
              {"_fine", unit, f->fine},
              {"_error", unit, f->error},
              {"_difference", "%", 100 * (best / design - 1)}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    snprintf(key, sizeof key, "part_%s%s", name, list[i].end);
    if (!isnan(list[i].value))
      IG_TRY(sink->result(sink, key, list[i].unit, list[i].value));
  }
  return IG_OK;
}

/* Warns where part and density model differ. */
static void compare(ig_ctx *cx, const char *what, const char *unit, const ig_topopt_figure *f,
                    double design) {
  const double best = isnan(f->fine) ? f->value : f->fine, share = best / design - 1;
  if (fabs(share) > apart)
    ig_warn(cx,
            "the finished part differs from the density model: its %s is %.4g %s%s, that of the "
            "design %.4g %s (%+.0f %%)%s",
            what, best, unit, isnan(f->fine) ? "" : " on a grid twice as fine", design, unit,
            100 * share,
            share < 0 ? ""
                      : "; use smaller elements, a sharper projection, or a bound lower by that");
}

/* The objective of the density model that the part's is held against. For other objectives the
   comparison is of compliances: the sum over load cases. */
static double objective_of(const ig_topopt_run *r) {
  const ig_topopt_design *s = r->s;
  double sum = 0;
  if (s->c->minimise == IG_MINIMISE_RESPONSE && s->c->problem != IG_PROBLEM_FREQUENCY &&
      s->realisations == 1)
    return r->e.objective;
  for (int q = 0; q < s->loading->cases; q++)
    sum += s->loading->weight[q] * s->response[q];
  return sum;
}

/* A compliance ten times that of the design is no matter of accuracy: the part does not carry
   its loads. */
static ig_status figures_put(const ig_topopt_run *r, ig_sink *sink, double design_stress,
                             const ig_topopt_part_figures *f) {
  const ig_topopt_design *s = r->s;
  const ig_topopt_case *c = s->c;
  const bool port = ig_topopt_has_port(c), heat = c->problem == IG_PROBLEM_HEAT;
  const char *unit = port ? "m" : heat ? "W K" : "J";
  const double design = objective_of(r);
  char key[64];
  IG_TRY(figure_put(sink, port || heat ? "objective" : "compliance", unit, &f->objective, design));
  if (!port && f->objective.value > 10 * fabs(design))
    ig_warn(s->cx,
            "the part gives way %.2g times as far as the design: loads act where it has no "
            "material, or it does not hang together; hold elements under loads solid ('passive'), "
            "or let the run end with a design that is not gray",
            f->objective.value / design);
  else
    compare(s->cx, port ? "displacement" : "compliance", unit, &f->objective, design);
  if (!s->d->strain)
    return IG_OK;
  IG_TRY(figure_put(sink, "displacement", "m", &f->displacement, NAN));
  IG_TRY(figure_put(sink, "stress", "Pa", &f->stress, design_stress));
  if (ig_topopt_stress_asked(c))
    compare(s->cx, "largest stress", "Pa", &f->stress, design_stress);
  for (int i = 0; i < s->limits; i++) {
    const ig_topopt_bound b = ig_topopt_bound_of(s, &r->e, i);
    const double most = ig_topopt_figure_most(&f->limit[s->limit_of[i]]);
    if (s->cluster_of[i] > 0 || isnan(most))
      continue;
    snprintf(key, sizeof key, "part_constraint_%d_%s", s->limit_of[i] + 1, b.what);
    IG_TRY(sink->result(sink, key, b.unit, most * b.bound));
  }
  return IG_OK;
}

/* A solver that fails on the part is a warning, not an error: the design itself is valid. */
ig_status ig_topopt_part_analyse(ig_topopt_run *r, ig_sink *sink, const ig_topopt_part_field *part,
                                 ig_topopt_part_figures *to) {
  ig_topopt_design *s = r->s;
  ig_topopt_part_figures fine;
  double design_stress = NAN;
  bool refined = false;
  ig_status status = IG_OK;
  if (s->d->strain)
    IG_TRY(ig_topopt_stress_largest(s, -1, s->c->stress.relaxation, &design_stress));
  if (!r->job->mesh && part->carries)
    status = ig_topopt_part_refine(r, part, &fine, &refined);
  if (status == IG_OK)
    status = solve_part(r, part->share, !refined, to);
  if (status == IG_NUMERIC) {
    ig_warn(s->cx, "the part was not analysed: %s", ig_ctx_message(s->cx));
    ig_topopt_part_none(to);
    return IG_OK;
  }
  IG_TRY(status);
  if (refined) {
    const struct {
      ig_topopt_figure *to;
      const ig_topopt_figure *from;
    } pair[] = {{&to->objective, &fine.objective},
                {&to->stress, &fine.stress},
                {&to->displacement, &fine.displacement}};
    for (int i = 0; i < 3 + IG_LIMITS; i++) {
      ig_topopt_figure *f = i < 3 ? pair[i].to : &to->limit[i - 3];
      f->fine = (i < 3 ? pair[i].from : &fine.limit[i - 3])->value;
      f->error = fabs(f->fine - f->value);
    }
  }
  return figures_put(r, sink, design_stress, to);
}
