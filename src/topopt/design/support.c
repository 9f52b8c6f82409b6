/* Supports of the printed part: bound and objective (support.h). */
#include "topopt/design/support.h"
#include "topopt/design/solve_groups.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ig_topopt_support_asked(const ig_topopt_case *c) {
  bool asked = c->minimise == IG_MINIMISE_SUPPORT_VOLUME;
  for (int i = 0; i < c->constraints.count; i++) {
    const ig_limit_case *limit = IG_ITEM(ig_limit_case, c->constraints, i);
    asked = asked || !isnan(limit->support_volume) || !isnan(limit->removal_force);
  }
  return asked;
}

/* --- counting --- */

ig_status ig_support_counter_new(const ig_topopt_design *s, ig_support_counter *c) {
  *c = (ig_support_counter){.mesh = s->d->build};
  return c->mesh ? ig_support_lines_new(s->cx, s->d->build, &c->lines)
                 : ig_support_columns_new(s->cx, s->d->layers, (size_t)s->d->places,
                                          s->c->printing.angle, &c->columns);
}

void ig_support_counter_free(ig_support_counter *c) {
  ig_support_columns_free(&c->columns);
  ig_support_lines_free(&c->lines);
}

void ig_support_counter_find(ig_support_counter *c, const double *x, const double *count,
                             double *volume, double *contact) {
  if (c->mesh)
    ig_support_lines_find(&c->lines, x, count, volume, contact);
  else
    ig_support_columns_find(&c->columns, x, count, volume, contact);
}

static void counter_back(ig_support_counter *c, const double *x, const double *count,
                         double by_volume, double by_contact, double *slope) {
  if (c->mesh)
    ig_support_lines_back(&c->lines, x, count, by_volume, by_contact, slope);
  else
    ig_support_columns_back(&c->columns, x, count, by_volume, by_contact, slope);
}

/* --- shared by figures of the print --- */

void ig_topopt_support_warn(const ig_topopt_design *s) {
  const ig_printing_case *p = &s->c->printing;
  if (!s->d->layers)
    return;
  const double counts = ig_support_columns_angle(s->d->layers, p->angle);
  if (fabs(counts - p->angle) > 1)
    ig_warn_at(
        s->cx, &p->at,
        "printing: angle: %g degrees is asked for, but steps of these elements make it %.3g: "
        "faces less steep than that count as needing supports; elements whose height is "
        "%.3g of their width have %g degrees",
        p->angle, counts, tan(p->angle / 57.29577951308232), p->angle);
}

ig_status ig_topopt_print_check(const ig_topopt_design *s, const char *what) {
  ig_ctx *cx = s->cx;
  const ig_topopt_case *c = s->c;
  const ig_src *at = c->printing.at.given ? &c->printing.at : &c->at;
  if (!c->printing.at.given)
    return ig_fail_at(cx, at, "%s: of what print? Give 'printing' with its direction", what);
  if (!s->d->layers && !s->d->build)
    return ig_fail_at(cx, at, "printing: %s is not for this body", what);
  if (c->choose_material)
    return ig_fail_at(cx, at, "printing: not with choose_material");
  if (c->filter.kind == IG_FILTER_SENSITIVITY)
    return ig_fail_at(cx, at,
                      "printing: needs filter: {kind: density} or helmholtz: filtered "
                      "sensitivities are no slopes of %s",
                      what);
  if (c->minimise >= IG_MINIMISE_SUPPORT_VOLUME && c->projection.robust > 0)
    return ig_fail_at(cx, &c->projection.at,
                      "projection: robust: not with minimise: support_volume or overheating; bound "
                      "it in 'constraints' instead");
  return IG_OK;
}

ig_status ig_topopt_print_member(ig_topopt_design *s, ig_array *member) {
  const ig_printing_case *p = &s->c->printing;
  const ig_limit_case where = {.at = p->at,
                               .set = p->set,
                               .place = p->place,
                               .displacement = NAN,
                               .temperature = NAN,
                               .stress = NAN,
                               .distortion = NAN};
  double count;
  return s->d->measure(s->d->self, &where, member, &count);
}

ig_status ig_topopt_print_densities(const ig_topopt_design *s, double *density) {
  return s->cx->backend->copy_out(s->cx, density, s->density[s->realisations - 1].dev,
                                  (size_t)s->d->places * sizeof *density);
}

/* ops->slope gives the slope of the physical density by the filtered one in s->spare. */
ig_status ig_topopt_print_slope(ig_topopt_design *s, const ig_law *law, const double *by_density,
                                double *slope) {
  const int64_t n = s->d->places;
  IG_TRY(s->ops->slope(s->cx, n, s->d->role, law, ig_topopt_design_filtered(s),
                       s->density[s->realisations - 1].dev, s->work.dev, slope, s->spare.dev));
  IG_TRY(s->cx->backend->copy_in(s->cx, slope, by_density, (size_t)n * sizeof *slope));
  return s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, slope, s->spare.dev, NULL, slope);
}

/* --- supports --- */

ig_status ig_topopt_support_evaluate(ig_topopt_design *s, const ig_law *law, int i, double *value,
                                     double *slope) {
  ig_topopt_support *t = s->support;
  const size_t bytes = (size_t)s->d->places * sizeof(double);
  const ig_limit_case *limit = i < IG_LIMITS ? ig_topopt_limit_case(s, i) : NULL;
  const double *member = limit ? s->loading->limit[i].dev : t->member.dev;
  double by_volume = 1, by_contact = 0, volume, contact;
  if (ig_topopt_turn_first(s))
    return IG_OK;
  double start = ig_now();
  if (limit) {
    by_volume = isnan(limit->support_volume) ? 0 : 1 / limit->support_volume;
    by_contact =
        isnan(limit->removal_force) ? 0 : s->c->printing.support_strength / limit->removal_force;
  }
  IG_TRY(ig_topopt_print_densities(s, t->density));
  IG_TRY(s->cx->backend->copy_out(s->cx, t->count, member, bytes));
  ig_support_counter_find(&t->counter, t->density, t->count, &volume, &contact);
  *value = by_volume * volume + by_contact * contact;
  memset(t->slope, 0, bytes);
  counter_back(&t->counter, t->density, t->count, by_volume, by_contact, t->slope);
  IG_TRY(ig_topopt_print_slope(s, law, t->slope, slope));
  return ig_topopt_design_charge(s, IG_STAGE_SENSITIVITY, &start);
}

ig_status ig_topopt_support_new(ig_topopt_design *s) {
  const ig_topopt_case *c = s->c;
  const size_t n = (size_t)s->d->places;
  ig_topopt_support *t;
  if (!ig_topopt_support_asked(c))
    return IG_OK;
  IG_TRY(ig_topopt_print_check(s, "support_volume"));
  for (int i = 0; i < s->limits; i++)
    if (!isnan(ig_topopt_limit_case(s, i)->removal_force) && isnan(c->printing.support_strength))
      return ig_fail_at(s->cx, &c->printing.at,
                        "printing: support_strength: is needed for a bound on removal_force");
  ig_topopt_support_warn(s);
  IG_TRY(IG_NEW(s->cx, &t, 1, "supports"));
  s->support = t;
  IG_TRY(ig_support_counter_new(s, &t->counter));
  IG_TRY(IG_NEW(s->cx, &t->density, n, "supports"));
  IG_TRY(IG_NEW(s->cx, &t->count, n, "supports"));
  IG_TRY(IG_NEW(s->cx, &t->slope, n, "supports"));
  if (!s->spare.dev)
    IG_TRY(ig_array_new_device(s->cx, &s->spare, n, sizeof(double), "slopes"));
  return c->minimise == IG_MINIMISE_SUPPORT_VOLUME ? ig_topopt_print_member(s, &t->member) : IG_OK;
}

void ig_topopt_support_free(ig_topopt_design *s) {
  ig_topopt_support *t = s->support;
  if (!t)
    return;
  ig_support_counter_free(&t->counter);
  ig_array_free(s->cx, &t->member);
  free(t->density);
  free(t->count);
  free(t->slope);
  free(t);
  s->support = NULL;
}
