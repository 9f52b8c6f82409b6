/* The part at the end of a run, analysed on the design's own elements; its figures beside those of
   the density model. */
#include "topopt/part_analysis.h"
#include "backend/backend.h"
#include "ranks/ranks.h"
#include "solver/slab.h"
#include "topopt/stress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Share by which part and density model may differ before the run warns. */
static const double apart = 0.1;

double ig_topopt_figure_most(const ig_topopt_figure *f) {
  if (!isnan(f->fine))
    return f->fine + fmax(0, f->fine - f->value);
  return isnan(f->error) ? f->value : f->value + f->error;
}

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

/* Densities and moduli of the part, whatever is prescribed for the design: a part is what its
   surface encloses. */
static ig_status moduli_put(ig_topopt_design *s, const double *share) {
  ig_ctx *cx = s->cx;
  const size_t n = (size_t)s->d->places;
  const double least = ig_topopt_void_ratio(s->c);
  uint8_t *role = NULL;
  double *modulus = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &role, n, "roles"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &modulus, n, "moduli of the part"));
  IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, role, s->d->role, n));
  IG_TRY_GOTO(status, done, cx->backend->sync(cx));
  for (size_t i = 0; i < n; i++)
    modulus[i] = role[i] == IG_ROLE_NONE ? 0 : least + share[i] * (1 - least);
  IG_TRY_GOTO(status, done, cx->backend->copy_in(cx, s->d->modulus, modulus, n * sizeof *modulus));
  for (size_t i = 0; i < n; i++)
    modulus[i] = role[i] == IG_ROLE_NONE ? 0 : share[i];
  IG_TRY_GOTO(
      status, done,
      cx->backend->copy_in(cx, s->density[s->realisations - 1].dev, modulus, n * sizeof *modulus));
  status = cx->backend->sync(cx);
done:
  free(role);
  free(modulus);
  return status;
}

/* 1 at own nodes of elements that are at least half solid: nodes in void may be anywhere. */
static ig_status nodes_mark(const ig_topopt_design *s, const double *share, double *mark) {
  ig_ctx *cx = s->cx;
  const ig_discretisation *d = s->d;
  const ig_node_layout *l = &d->layout;
  const size_t n = (size_t)d->places;
  ig_array on = {0}, at = {0};
  double *half = NULL;
  uint8_t *own = NULL;
  ig_status status = IG_NEW(cx, &half, n, "displacements");
  if (status == IG_OK)
    status = IG_NEW(cx, &own, d->unknowns, "displacements");
  for (size_t i = 0; status == IG_OK && i < n; i++)
    half[i] = share[i] >= 0.5;
  if (status == IG_OK)
    status = ig_array_from(cx, &on, half, n, sizeof *half, "displacements");
  if (status == IG_OK)
    status = zeros(cx, &at, l->nodes);
  if (ig_topopt_divided(d))
    status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = d->lump(d->self, on.dev, at.dev);
  if (status == IG_OK)
    status = cx->backend->copy_out(cx, mark, at.dev, (size_t)l->nodes * sizeof *mark);
  if (status == IG_OK)
    status = cx->backend->sync(cx);
  for (int run = 0; status == IG_OK && run < ig_topopt_runs(d); run++) {
    const ig_topopt_values v = ig_topopt_run_own(d, run);
    for (int64_t i = v.at; i < v.at + v.count; i++)
      own[i] = 1;
  }
  for (int64_t i = 0; status == IG_OK && i < l->nodes; i++)
    mark[i] = own[i * l->step] && mark[i] > 0;
  free(half);
  free(own);
  ig_array_free(cx, &on);
  ig_array_free(cx, &at);
  return status;
}

/* The largest displacement of those nodes, over all load cases. */
static ig_status displacement_find(const ig_topopt_design *s, const double *share, double *most) {
  ig_ctx *cx = s->cx;
  const ig_discretisation *d = s->d;
  const ig_node_layout *l = &d->layout;
  const size_t nu = (size_t)d->unknowns;
  double *mark = NULL, *u = NULL;
  *most = 0;
  ig_status status = IG_NEW(cx, &mark, l->nodes, "displacements");
  if (status == IG_OK)
    status = IG_NEW(cx, &u, nu, "displacements");
  if (ig_topopt_divided(d))
    status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = nodes_mark(s, share, mark);
  for (int q = 0; status == IG_OK && q < s->loading->cases; q++) {
    const double scale = s->loading->norm[q] / s->loading->stiffness;
    status = cx->backend->copy_out(cx, u, s->u[s->realisations - 1][q].dev, nu * sizeof *u);
    if (status == IG_OK)
      status = cx->backend->sync(cx);
    for (int64_t i = 0; status == IG_OK && i < l->nodes; i++) {
      double square = 0;
      for (int c = 0; c < l->size; c++)
        square += pow(u[i * l->step + c * l->stride], 2);
      if (mark[i] > 0)
        *most = fmax(*most, scale * sqrt(square));
    }
  }
  free(mark);
  free(u);
  if (status == IG_OK && ig_topopt_divided(d))
    status = ig_slab_most(d->grid->slab, most, 1);
  return status;
}

static ig_topopt_figure unknown(void) {
  return (ig_topopt_figure){NAN, NAN, NAN};
}

ig_status ig_topopt_part_measure_figures(ig_topopt_design *s, const double *share, const int *of,
                                         ig_topopt_part_figures *to) {
  ig_evaluation e = {0};
  to->objective = to->stress = to->displacement = unknown();
  for (int i = 0; i < IG_LIMITS; i++)
    to->limit[i] = unknown();
  IG_TRY(moduli_put(s, share));
  IG_TRY(ig_topopt_design_stiffen(s, s->d->modulus));
  IG_TRY(ig_topopt_design_analyse(s, s->realisations - 1, &to->objective.value, &e));
  if (s->d->strain) {
    IG_TRY(ig_topopt_stress_largest(s, -1, 1, &to->stress.value));
    IG_TRY(displacement_find(s, share, &to->displacement.value));
  }
  for (int i = 0; i < s->limits; i++) {
    double *value = &to->limit[of[i]].value;
    const ig_limit_case *limit = ig_topopt_limit_case(s, i);
    if (!isnan(limit->stress)) {
      IG_TRY(ig_topopt_stress_largest(s, i, 1, value));
      *value /= limit->stress;
    } else {
      IG_TRY(ig_topopt_limit_work(s, i, value));
    }
  }
  return IG_OK;
}

/* The part on the design's own elements. Errors by recovery where nothing better is at hand. */
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

/* The objective of the density model that the part's is held against. */
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

ig_status ig_topopt_part_analyse(ig_topopt_run *r, ig_sink *sink, const ig_topopt_part_field *part,
                                 ig_topopt_part_figures *to) {
  ig_topopt_design *s = r->s;
  ig_topopt_part_figures fine;
  double design_stress = NAN;
  bool refined = false;
  ig_status status = IG_OK;
  if (s->d->strain)
    IG_TRY(ig_topopt_stress_largest(s, -1, s->c->stress.relaxation, &design_stress));
  if (!r->job->mesh)
    status = ig_topopt_part_refine(r, part, &fine, &refined);
  if (status == IG_OK)
    status = solve_part(r, part->share, !refined, to);
  if (status == IG_NUMERIC) {
    ig_warn(s->cx, "the part was not analysed: %s", ig_ctx_message(s->cx));
    to->stress = to->objective = unknown();
    for (int i = 0; i < IG_LIMITS; i++)
      to->limit[i] = unknown();
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
