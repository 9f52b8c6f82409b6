/* The highest temperature and the fullest ball of a design: values and gradients.

   A largest value has no gradient where its place changes. It is replaced by c P with the p-norm
   P = (sum of v_i^p)^(1/p) and a correction c = max v / P from the designs before (Le et al.
   2010), which is kept constant in the gradient. The sum is made of v_i / max v, so that powers
   stay within the range of double precision. */
#include "topopt/design/pnorm.h"
#include "topopt/design/solve_groups.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>

/* Higher powers are nearer to the maximum and less smooth; 8 to 16 are usual in the literature. */
static const double exponent = 16; /* of the norm */
/* Averaging keeps the correction from swinging between two places that take turns at being
   largest. */
static const double memory = 0.5; /* share of the last designs in the correction */

/* Slot IG_LIMITS is the objective, which has no entry among the constraints. */
static const ig_limit_case *limit_of(const ig_topopt_design *s, int i) {
  return i < IG_LIMITS ? ig_topopt_limit_case(s, i) : NULL;
}

/* A constraint without a load case looks at all of them. */
static void cases_of(const ig_topopt_design *s, int i, int *begin, int *end) {
  const ig_limit_case *limit = limit_of(s, i);
  *begin = limit && limit->load_case > 0 ? (int)limit->load_case - 1 : 0;
  *end = limit && limit->load_case > 0 ? *begin + 1 : s->loading->cases;
}

/* Largest w |factor v| and the sum of (w |factor v| / largest)^exponent, of elements or states.
   powers(..., exponent / 2) squared by the dot product gives the sum of powers by the
   deterministic sum over elements. */
static ig_status measure(ig_topopt_design *s, bool states, const double *w, const double *v,
                         double factor, double *top, double *sum) {
  ig_topopt_pnorm *t = s->peaks;
  const int64_t n = states ? s->d->unknowns : s->d->places;
  *sum = 0;
  IG_TRY(s->ops->powers(s->cx, n, w, NULL, v, factor, 1, false, t->power.dev));
  IG_TRY((states ? ig_topopt_most_states : ig_topopt_most)(s->cx, s->d, t->power.dev, top));
  if (!(*top > 0))
    return IG_OK;
  IG_TRY(s->ops->powers(s->cx, n, w, NULL, v, factor / *top, 0.5 * exponent, false, t->power.dev));
  return (states ? ig_topopt_dot_states : ig_topopt_dot)(s->cx, s->d, t->power.dev, t->power.dev,
                                                         sum);
}

/* A norm's value with its correction, which the first design sets. */
static double corrected(ig_topopt_pnorm *t, int i, double peak, double norm) {
  t->norm[i] = norm;
  if (t->correction[i] == 0)
    t->correction[i] = norm > 0 ? peak / norm : 1;
  return t->correction[i] * norm;
}

/* Kelvin of load case q per unit of its state, over the bound. */
static double kelvin(const ig_topopt_design *s, int i, int q) {
  const ig_limit_case *limit = limit_of(s, i);
  const double weight = limit ? 1 / limit->temperature : s->loading->weight[q];
  return weight * s->loading->norm[q] / s->loading->stiffness;
}

/* T = factor u; the slope of (sum T^p)^(1/p) by u is factor (T / norm)^(p - 1), which loads the
   adjoint system. */
static ig_status temperatures(ig_topopt_design *s, int i, ig_evaluation *e, double *value) {
  ig_topopt_pnorm *t = s->peaks;
  const int64_t nu = s->d->unknowns;
  const int last = s->realisations - 1;
  const double *w = i < IG_LIMITS ? s->loading->limit[i].dev : t->member.dev;
  double *state = i < IG_LIMITS ? s->limit_state[i].dev : t->state.dev;
  double top[IG_LOAD_CASES] = {0}, sum[IG_LOAD_CASES] = {0}, all = 0, peak = 0, ff;
  int begin, end;
  cases_of(s, i, &begin, &end);
  for (int q = begin; q < end; q++) {
    IG_TRY(measure(s, true, w, s->u[last][q].dev, kelvin(s, i, q), &top[q], &sum[q]));
    peak = fmax(peak, top[q]);
  }
  for (int q = begin; q < end; q++)
    all += peak > 0 ? sum[q] * pow(top[q] / peak, exponent) : 0;
  /* load cases enter the norm together: the largest of all of them */
  const double norm = peak * pow(all, 1 / exponent);
  if (!isfinite(norm))
    return IG_FAIL(s->cx, IG_NUMERIC, "temperatures are too high or too low to compute with");
  e->peak[i] = peak;
  *value = corrected(t, i, peak, norm);
  for (int q = begin; q < end; q++) {
    const double factor = kelvin(s, i, q);
    double *mine = state + (q - begin) * nu;
    if (!ig_topopt_turn_mine(s)) {
      IG_TRY(ig_topopt_turn_solve(s, NULL, mine, e));
      continue;
    }
    IG_TRY(s->ops->powers(s->cx, nu, w, s->d->fix, s->u[last][q].dev, norm > 0 ? factor / norm : 0,
                          exponent - 1, true, t->power.dev));
    IG_TRY(ig_topopt_dot_states(s->cx, s->d, t->power.dev, t->power.dev, &ff));
    const double size = sqrt(ff);
    if (size > 0) /* of unit size: the solver's preconditioner is in single precision */
      IG_TRY(s->ops->mix(s->cx, nu, 1 / size, t->power.dev, 0, t->power.dev, t->power.dev));
    IG_TRY(ig_topopt_turn_solve(s, size > 0 ? t->power.dev : NULL, mine, e));
    if (ig_topopt_turn_first(s))
      continue;
    IG_TRY(s->d->energy(s->d->self, mine, s->u[last][q].dev, t->correction[i] * size * factor,
                        q > begin, s->work.dev));
  }
  return ig_topopt_design_stiffen(s, s->work.dev);
}

/* v_e, the solid share of the ball around e, is a sum over its elements with symmetric weights. The
   slope of its norm by a density goes back through the same sum. Into t->value. */
static ig_status members(ig_topopt_design *s, int i, ig_evaluation *e, double *value) {
  ig_topopt_pnorm *t = s->peaks;
  const int64_t n = s->d->places;
  const double *density = s->density[s->realisations - 1].dev, *w = s->loading->limit[i].dev;
  /* from elements in the ball to the share of a full one, over the bound */
  const double unit = 1 / (s->d->ball * IG_MEMBER_SHARE);
  double sum;
  if (s->d->share) {
    IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, density, s->d->share, NULL,
                       t->power.dev));
    density = t->power.dev;
  }
  IG_TRY(s->d->around(s->d->self, density, t->value.dev));
  IG_TRY(measure(s, false, w, t->value.dev, unit, &e->peak[i], &sum));
  const double norm = e->peak[i] * pow(sum, 1 / exponent);
  *value = corrected(t, i, e->peak[i], norm);
  IG_TRY(s->ops->powers(s->cx, n, w, NULL, t->value.dev, norm > 0 ? unit / norm : 0, exponent - 1,
                        false, t->power.dev));
  IG_TRY(s->d->around(s->d->self, t->power.dev, t->value.dev));
  if (s->d->share)
    IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, t->value.dev, s->d->share, NULL,
                       t->value.dev));
  return s->ops->mix(s->cx, n, t->correction[i] * unit, t->value.dev, 0, t->value.dev,
                     t->value.dev);
}

/* Temperatures depend on the density through the moduli (energies in s->work); members directly,
   through t->value. */
ig_status ig_topopt_pnorm_evaluate(ig_topopt_design *s, const ig_law *law, int i, ig_evaluation *e,
                                   double *value, double *slope) {
  const ig_limit_case *limit = limit_of(s, i);
  const bool member = limit && !isnan(limit->member);
  IG_TRY(member ? members(s, i, e, value) : temperatures(s, i, e, value));
  if (ig_topopt_turn_first(s))
    return IG_OK;
  IG_TRY(s->ops->slope(s->cx, s->d->places, s->d->role, law, ig_topopt_design_filtered(s),
                       s->density[s->realisations - 1].dev, s->work.dev, slope, s->spare.dev));
  if (!member)
    return IG_OK;
  return s->ops->map(s->cx, s->d->places, s->d->role, IG_MAP_PRODUCT, s->peaks->value.dev,
                     s->spare.dev, NULL, slope);
}

/* After the update: the correction moves half-way to that of the design just evaluated. */
void ig_topopt_pnorm_learn(ig_topopt_design *s, const ig_evaluation *e) {
  ig_topopt_pnorm *t = s->peaks;
  for (int i = 0; t && i <= IG_LIMITS; i++)
    if (t->correction[i] > 0 && t->norm[i] > 0)
      t->correction[i] = memory * t->correction[i] + (1 - memory) * e->peak[i] / t->norm[i];
}

/* --- making it --- */

static ig_status zeros(ig_ctx *cx, ig_array *a, size_t n, const char *what) {
  IG_TRY(ig_array_new_device(cx, a, n, sizeof(double), what));
  return ig_array_zero(cx, a);
}

/* Nodes whose temperature is made small: the ports', or all. */
static ig_status make_objective(ig_topopt_design *s) {
  ig_topopt_pnorm *t = s->peaks;
  const ig_topopt_case *c = s->c;
  ig_limit_case where = {.at = c->at, .temperature = 1, .displacement = NAN};
  double count;
  if (c->ports.count == 0)
    IG_TRY(s->d->measure(s->d->self, &where, &t->member, &count));
  for (int i = 0; i < c->ports.count; i++) {
    const ig_port_case *port = IG_ITEM(ig_port_case, c->ports, i);
    ig_array more = {0};
    where.at = port->at;
    where.set = port->set;
    where.place = port->place;
    IG_TRY(s->d->measure(s->d->self, &where, i ? &more : &t->member, &count));
    if (i) {
      const ig_status status =
          s->ops->mix(s->cx, s->d->unknowns, 1, more.dev, 1, t->member.dev, t->member.dev);
      ig_array_free(s->cx, &more);
      IG_TRY(status);
    }
  }
  return zeros(s->cx, &t->state, (size_t)s->d->unknowns * (size_t)s->loading->cases,
               "adjoint states");
}

/* Balls around elements that are held do not count. A passive solid region thicker than the
   bound would otherwise make every design infeasible. */
static ig_status leave_held(ig_topopt_design *s, ig_array *member) {
  const size_t n = (size_t)s->d->places;
  uint8_t *role = NULL;
  double *w = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &role, n, "roles"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &w, n, "members"));
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, role, s->d->role, n));
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, w, member->dev, n * sizeof *w));
  for (size_t i = 0; i < n; i++)
    w[i] = role[i] == IG_ROLE_DESIGN ? w[i] : 0;
  status = s->cx->backend->copy_in(s->cx, member->dev, w, n * sizeof *w);
done:
  free(role);
  free(w);
  return status;
}

/* One size of balls for all constraints: the discretisation has weights for one. */
ig_status ig_topopt_pnorm_new(ig_topopt_design *s) {
  const size_t n = (size_t)s->d->places, nu = (size_t)s->d->unknowns;
  ig_topopt_pnorm *t;
  double diameter = NAN;
  IG_TRY(IG_NEW(s->cx, &t, 1, "largest values"));
  s->peaks = t;
  IG_TRY(zeros(s->cx, &t->value, n, "largest values"));
  IG_TRY(zeros(s->cx, &t->power, nu > n ? nu : n, "largest values"));
  for (int i = 0; i < s->limits; i++) {
    const ig_limit_case *limit = limit_of(s, i);
    if (!isnan(limit->temperature) || !isnan(limit->member))
      if (s->c->filter.kind == IG_FILTER_SENSITIVITY)
        return ig_fail_at(s->cx, &limit->at,
                          "constraints: a temperature or member needs filter: {kind: density} or "
                          "helmholtz");
    if (isnan(limit->member))
      continue;
    if (!isnan(diameter) && diameter != limit->member)
      return ig_fail_at(s->cx, &limit->at, "constraints: member: one size for all, not %g and %g m",
                        diameter, limit->member);
    diameter = limit->member;
    if (s->loading->candidates)
      return ig_fail_at(s->cx, &limit->at, "constraints: member: not with choose_material");
    IG_TRY(leave_held(s, &s->loading->limit[i]));
  }
  return s->c->minimise == IG_MINIMISE_TEMPERATURE ? make_objective(s) : IG_OK;
}

void ig_topopt_pnorm_free(ig_topopt_design *s) {
  ig_topopt_pnorm *t = s->peaks;
  if (!t)
    return;
  ig_array *const arrays[] = {&t->member, &t->state, &t->value, &t->power};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(s->cx, arrays[i]);
  free(t);
  s->peaks = NULL;
}
