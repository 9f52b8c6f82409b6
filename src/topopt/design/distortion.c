/* Distortion of a printed part: layers, and slopes by the adjoint method (distortion.h). Every
   system begins at zero, so that nothing of one design is left for the next. */
#include "topopt/design/distortion.h"
#include "topopt/design/solve_groups.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>

bool ig_topopt_distortion_asked(const ig_topopt_case *c) {
  bool asked = c->minimise == IG_MINIMISE_DISTORTION;
  for (int i = 0; i < c->constraints.count; i++)
    asked = asked || !isnan(IG_ITEM(ig_limit_case, c->constraints, i)->distortion);
  return asked;
}

/* With the multigrid of the plate: the part's own once more, about 360 bytes per node. */
double ig_topopt_distortion_bytes(const ig_topopt_case *c, double n, double nu) {
  const double layers = c->printing.layers > 0 ? (double)c->printing.layers : 10;
  return ig_topopt_distortion_asked(c) ? 8 * (nu * (layers + 4) + 11 * n) + 120 * nu : 0;
}

/* --- one layer after the other --- */

/* Masks of step k: elements that are there, those that are new, nodes that are there. */
static ig_status step_mark(ig_topopt_design *s, int k) {
  ig_topopt_distortion *t = s->distortion;
  const ig_topopt_plate *p = s->d->plate;
  const size_t n = (size_t)s->d->places, nodes = (size_t)s->d->layout.nodes;
  const ig_backend *b = s->cx->backend;
  for (size_t i = 0; i < n; i++)
    t->host[i] = p->element[i] <= k;
  IG_TRY(b->copy_in(s->cx, t->there.dev, t->host, n * sizeof *t->host));
  for (size_t i = 0; i < n; i++)
    t->host[i] = p->element[i] == k;
  IG_TRY(b->copy_in(s->cx, t->own.dev, t->host, n * sizeof *t->host));
  for (size_t i = 0; i < nodes; i++)
    t->host[i] = p->node[i] <= k;
  return b->copy_in(s->cx, t->nodes.dev, t->host, nodes * sizeof *t->host);
}

/* The moduli of step k: void where nothing is yet. */
static ig_status step_begin(ig_topopt_design *s, int k) {
  const ig_topopt_distortion *t = s->distortion;
  const ig_topopt_plate *p = s->d->plate;
  const int64_t n = s->d->places;
  const double least = ig_topopt_void_ratio(s->c);
  IG_TRY(step_mark(s, k));
  IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, t->there.dev, s->d->modulus, NULL,
                     p->modulus));
  IG_TRY(s->ops->mix(s->cx, n, 1, p->modulus, least, t->whole.dev, p->modulus));
  IG_TRY(s->ops->mix(s->cx, n, 1, p->modulus, -least, t->there.dev, p->modulus));
  return p->changed(s->d->self);
}

/* The solution begins at zero; the right side is of unit size for the solver, whose preconditioner
   is in single precision. */
static ig_status step_solve(ig_topopt_design *s, double *f, ig_array *u, ig_evaluation *e) {
  const int64_t nu = s->d->unknowns;
  double ff;
  ig_solve_report report;
  IG_TRY(ig_array_zero(s->cx, u));
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, f, f, &ff));
  if (!(ff > 0))
    return IG_OK;
  IG_TRY(s->ops->mix(s->cx, nu, 1 / sqrt(ff), f, 0, f, f));
  IG_TRY(s->d->plate->solve(s->d->self, f, u->dev, s->tolerance, &report));
  if (report.end != IG_SOLVE_CONVERGED)
    ig_warn(s->cx, "printing: the linear solver %s (relative residual %.2g after %d iterations)",
            ig_solve_end_text(report.end), report.residual, report.iterations);
  e->iterations += report.iterations;
  e->residual = fmax(e->residual, report.residual);
  return s->ops->mix(s->cx, nu, sqrt(ff), u->dev, 0, u->dev, u->dev);
}

/* The force of the inherent strain of the layer at hand. */
static ig_status shrink(ig_topopt_design *s, double *f) {
  ig_topopt_distortion *t = s->distortion;
  const int64_t n = s->d->places;
  double *tensor = t->tensor.dev;
  IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, t->own.dev, s->d->modulus, NULL,
                     t->slope.dev));
  if (s->d->plate->shrink)
    return s->d->plate->shrink(s->d->self, t->slope.dev, f);
  for (int c = 0; c < 6; c++)
    IG_TRY(s->ops->mix(s->cx, n, s->d->volume * t->stress[c], t->slope.dev, 0, t->slope.dev,
                       tensor + c * n));
  return s->d->plate->strain_back(s->d->self, tensor, f);
}

ig_status ig_topopt_distortion_solve(ig_topopt_design *s, ig_evaluation *e) {
  ig_topopt_distortion *t = s->distortion;
  const ig_topopt_plate *p = s->d->plate;
  double start = ig_now();
  *p->learnt = false; /* as a run that was restarted has it */
  IG_TRY(ig_array_zero(s->cx, &t->sum));
  for (int k = 0; k < p->layers; k++) {
    IG_TRY(step_begin(s, k));
    IG_TRY(shrink(s, t->load.dev));
    IG_TRY(step_solve(s, t->load.dev, &t->step[k], e));
    IG_TRY(s->ops->node_scale(s->cx, &s->d->layout, p->fix, t->nodes.dev, t->step[k].dev,
                              t->load.dev));
    IG_TRY(s->ops->mix(s->cx, s->d->unknowns, 1, t->sum.dev, 1, t->load.dev, t->sum.dev));
  }
  return ig_topopt_design_charge(s, IG_STAGE_SOLVE, &start);
}

/* --- value and slope --- */

/* What step k adds to -dJ/dE, into t->slope. */
static ig_status step_slope(ig_topopt_design *s, int k, bool add) {
  ig_topopt_distortion *t = s->distortion;
  const int64_t n = s->d->places;
  double *tensor = t->tensor.dev, *part = s->work.dev;
  IG_TRY(s->d->energy(s->d->self, t->adjoint.dev, t->step[k].dev, 1, false, part));
  IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, part, t->there.dev, NULL, part));
  IG_TRY(s->ops->mix(s->cx, n, 1, part, add ? 1 : 0, add ? t->slope.dev : part, t->slope.dev));
  if (s->d->plate->shrink_energy) {
    IG_TRY(s->d->plate->shrink_energy(s->d->self, t->adjoint.dev, part));
  } else {
    IG_TRY(s->d->strain(s->d->self, t->adjoint.dev, tensor));
    for (int c = 0; c < 6; c++)
      IG_TRY(s->ops->mix(s->cx, n, s->d->volume * t->stress[c], tensor + c * n, c > 0 ? 1 : 0,
                         c > 0 ? part : tensor, part));
  }
  IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, part, t->own.dev, NULL, part));
  return s->ops->mix(s->cx, n, 1, t->slope.dev, -1, part, t->slope.dev);
}

ig_status ig_topopt_distortion_evaluate(ig_topopt_design *s, const ig_law *law, int i,
                                        ig_evaluation *e, double *value, double *slope) {
  ig_topopt_distortion *t = s->distortion;
  const ig_topopt_plate *p = s->d->plate;
  const int64_t n = s->d->places, nu = s->d->unknowns;
  const double *w = i < IG_LIMITS ? s->loading->limit[i].dev : t->member.dev;
  const double count = i < IG_LIMITS ? s->loading->norm_limit[i] : t->count;
  const double unit = i < IG_LIMITS ? 1 / ig_topopt_limit_case(s, i)->distortion : 1;
  double square;
  if (ig_topopt_turn_first(s))
    return IG_OK;
  double start = ig_now();
  IG_TRY(s->ops->node_scale(s->cx, &s->d->layout, p->fix, w, t->sum.dev, t->some.dev));
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, t->sum.dev, t->some.dev, &square));
  const double all = sqrt(square / count);
  *value = unit * all;
  *p->learnt = false;
  IG_TRY(ig_array_zero(s->cx, &t->slope));
  for (int k = 0; k < p->layers && all > 0; k++) {
    IG_TRY(step_begin(s, k));
    IG_TRY(
        s->ops->node_scale(s->cx, &s->d->layout, p->fix, t->nodes.dev, t->some.dev, t->load.dev));
    IG_TRY(s->ops->mix(s->cx, nu, unit / (count * all), t->load.dev, 0, t->load.dev, t->load.dev));
    IG_TRY(step_solve(s, t->load.dev, &t->adjoint, e));
    IG_TRY(step_slope(s, k, k > 0));
  }
  IG_TRY(ig_topopt_design_charge(s, IG_STAGE_SOLVE, &start));
  IG_TRY(ig_topopt_design_stiffen(s, t->slope.dev));
  return s->ops->slope(s->cx, n, s->d->role, law, ig_topopt_design_filtered(s),
                       s->density[s->realisations - 1].dev, t->slope.dev, slope, s->spare.dev);
}

/* --- making it --- */

static ig_status check_case(const ig_topopt_design *s) {
  ig_ctx *cx = s->cx;
  const ig_topopt_case *c = s->c;
  const ig_src *at = c->printing.at.given ? &c->printing.at : &c->at;
  if (!c->printing.at.given)
    return ig_fail_at(cx, at,
                      "distortion: by what? Give `printing: {strain: [x, y, z]}`, the inherent "
                      "strain of a layer");
  if (isnan(c->printing.strain[0]))
    return ig_fail_at(cx, at, "printing: strain: is needed for a distortion");
  if (c->problem != IG_PROBLEM_STIFFNESS)
    return ig_fail_at(cx, at, "printing: strain: is for problem: stiffness");
  if (c->plane == IG_PLANE_STRAIN)
    return ig_fail_at(cx, at, "printing: not with plane: strain");
  if (s->loading->candidates)
    return ig_fail_at(cx, at, "printing: not with choose_material");
  if (c->filter.kind == IG_FILTER_SENSITIVITY)
    return ig_fail_at(cx, at,
                      "printing: needs filter: {kind: density} or helmholtz: filtered "
                      "sensitivities are no slopes of a distortion");
  if (c->minimise == IG_MINIMISE_DISTORTION && c->projection.robust > 0)
    return ig_fail_at(cx, &c->projection.at,
                      "projection: robust: not with minimise: distortion; bound it in "
                      "'constraints' instead");
  return IG_OK;
}

static ig_status zeros(ig_ctx *cx, ig_array *a, size_t n) {
  IG_TRY(ig_array_new_device(cx, a, n, sizeof(double), "printing"));
  return ig_array_zero(cx, a);
}

/* Hooke's law at unit modulus; of a plane the strain across it is free, or held with the rest. */
static void strained(const ig_topopt_hooke *law, const double *e, double stress[6]) {
  const bool across = law->dim == 3 || law->strain;
  const double trace = law->lame * (e[0] + e[1] + (across ? e[2] : 0));
  for (int c = 0; c < 6; c++)
    stress[c] = c < (across ? 3 : 2) ? trace + 2 * law->shear * e[c] : 0;
}

static ig_status arrays_new(ig_topopt_design *s) {
  ig_topopt_distortion *t = s->distortion;
  ig_ctx *cx = s->cx;
  const size_t n = (size_t)s->d->places, nu = (size_t)s->d->unknowns;
  const size_t nodes = (size_t)s->d->layout.nodes;
  IG_TRY(IG_NEW(cx, &t->step, s->d->plate->layers, "printing"));
  for (int k = 0; k < s->d->plate->layers; k++)
    IG_TRY(zeros(cx, &t->step[k], nu));
  ig_array *const states[] = {&t->load, &t->sum, &t->adjoint, &t->some}, *const elements[] = {
                                                                             &t->slope, &t->whole,
                                                                             &t->there, &t->own};
  for (int i = 0; i < 4; i++) {
    IG_TRY(zeros(cx, states[i], nu));
    IG_TRY(zeros(cx, elements[i], n));
  }
  IG_TRY(zeros(cx, &t->tensor, 6 * n));
  IG_TRY(zeros(cx, &t->nodes, nodes));
  if (!s->spare.dev)
    IG_TRY(zeros(cx, &s->spare, n));
  IG_TRY(IG_NEW(cx, &t->host, n > nodes ? n : nodes, "printing"));
  for (size_t i = 0; i < n; i++)
    t->host[i] = s->d->plate->element[i] != IG_NO_LAYER;
  return cx->backend->copy_in(cx, t->whole.dev, t->host, n * sizeof *t->host);
}

/* Nodes that stand on the plate do not move: with nothing else a distortion is 0 for any design. */
static ig_status check_nodes(const ig_topopt_design *s, const ig_src *at, const char *what,
                             bool place, const ig_array *member) {
  const size_t nodes = (size_t)s->d->layout.nodes;
  const uint8_t all = (uint8_t)((1 << s->d->layout.size) - 1);
  int64_t held = 0, count = 0;
  double *w = NULL;
  uint8_t *fix = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &w, nodes, "printing"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &fix, nodes, "printing"));
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, w, member->dev, nodes * sizeof *w));
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, fix, s->d->plate->fix, nodes));
  for (size_t i = 0; i < nodes; i++) {
    count += w[i] > 0;
    held += w[i] > 0 && (fix[i] & all) == all;
  }
  if (held == count)
    status = ig_fail_at(s->cx, at,
                        "%s: all of its nodes stand on the plate, where nothing moves: give a "
                        "place above it",
                        what);
  else if (held > 0 && place)
    ig_warn_at(s->cx, at,
               "%s: %lld of its %lld nodes stand on the plate, where nothing moves, and make the "
               "mean smaller: leave them out of its place",
               what, (long long)held, (long long)count);
done:
  free(w);
  free(fix);
  return status;
}

ig_status ig_topopt_distortion_new(ig_topopt_design *s) {
  ig_topopt_distortion *t;
  if (!ig_topopt_distortion_asked(s->c))
    return IG_OK;
  IG_TRY(check_case(s));
  IG_TRY(IG_NEW(s->cx, &t, 1, "printing"));
  s->distortion = t;
  strained(&s->d->hooke, s->c->printing.strain, t->stress);
  IG_TRY(arrays_new(s));
  for (int i = 0; i < s->limits; i++) {
    const ig_limit_case *l = ig_topopt_limit_case(s, i);
    if (!isnan(l->distortion))
      IG_TRY(check_nodes(s, &l->at, "constraints: distortion", l->set || l->place.at.given,
                         &s->loading->limit[i]));
  }
  if (s->c->minimise != IG_MINIMISE_DISTORTION)
    return IG_OK;
  const ig_printing_case *p = &s->c->printing;
  const ig_limit_case where = {
      .at = p->at, .set = p->set, .place = p->place, .distortion = 1, .displacement = NAN};
  IG_TRY(s->d->measure(s->d->self, &where, &t->member, &t->count));
  return check_nodes(s, &p->at, "minimise: distortion", p->set || p->place.at.given, &t->member);
}

void ig_topopt_distortion_free(ig_topopt_design *s) {
  ig_topopt_distortion *t = s->distortion;
  if (!t)
    return;
  for (int k = 0; t->step && k < s->d->plate->layers; k++)
    ig_array_free(s->cx, &t->step[k]);
  ig_array *const arrays[] = {&t->load,  &t->sum,   &t->adjoint, &t->some,  &t->slope, &t->tensor,
                              &t->whole, &t->there, &t->own,     &t->nodes, &t->member};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(s->cx, arrays[i]);
  free(t->step);
  free(t->host);
  free(t);
  s->distortion = NULL;
}
