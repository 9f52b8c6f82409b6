/* Stresses of a design: values, gradients by the adjoint method, corrections and clusters
   (stress.h).

     P = (sum s_e^p)^(1/p),  s_e = rho_e^r sigma_e(u)
     dP/drho_e = (s_e/P)^(p-1) r s_e / rho_e  -  z_e . k0 u_e E'(rho_e)
     K z = sum over e of (s_e/P)^(p-1) rho_e^r B^T dsigma_e/dstrain

   The first term is the direct one (t->direct), the second the adjoint's. One adjoint system per
   load case and slot; it is scaled to unit size for the solver and its size is put back into the
   energies. */
#include "topopt/design/stress.h"
#include "core/sorted.h"
#include "topopt/design/large.h"
#include "topopt/design/load.h"
#include "topopt/design/solve_groups.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* share of the last design in the correction from the norm to the largest stress */
static const double memory = 0.5;

static const ig_limit_case *limit_of(const ig_topopt_design *s, int i) {
  return i < IG_LIMITS ? ig_topopt_limit_case(s, i) : NULL;
}

void ig_topopt_stress_cycle(const ig_limit_case *limit, double *factor, double *mean) {
  const ig_cycle_case *c = &limit->cycle;
  const double weight = !isnan(c->mean_stress) ? c->mean_stress
                        : !isnan(c->ultimate)  ? limit->stress / c->ultimate
                                               : 0;
  *factor = c->at.given ? (1 - c->ratio) / 2 : 1;
  *mean = c->at.given ? weight * (1 + c->ratio) / (1 - c->ratio) : 0;
}

/* Hooke's law with what slot i makes of the stress; *factor: times what it was. */
static ig_topopt_hooke law_of(const ig_topopt_design *s, int i, double *factor) {
  ig_topopt_hooke law = s->d->hooke;
  double by = 1;
  if (i >= 0 && i < IG_LIMITS)
    ig_topopt_stress_cycle(limit_of(s, i), &by, &law.mean);
  *factor *= by;
  return law;
}

/* Load cases a slot looks at. */
static void cases_of(const ig_topopt_design *s, int i, int *begin, int *end) {
  const ig_limit_case *limit = limit_of(s, i);
  *begin = limit && limit->load_case > 0 ? (int)limit->load_case - 1 : 0;
  *end = limit && limit->load_case > 0 ? *begin + 1 : s->loading->cases;
}

/* The slots of a stress with clusters follow each other; the first has the array of cluster
   numbers. */
static int first_slot(const ig_topopt_design *s, int i) {
  return i < IG_LIMITS ? i - s->cluster_of[i] : i;
}

/* The measure of the stresses of load case q, at unit modulus: into t->mises; t->tensor has the
   tensors where displacements are small. */
static ig_status mises_of(const ig_topopt_design *s, int q, const ig_topopt_hooke *law) {
  ig_topopt_stress *t = s->stress;
  if (s->large)
    return ig_topopt_large_mises(s, q, law, t->mises.dev);
  IG_TRY(s->d->strain(s->d->self, s->u[s->realisations - 1][q].dev, t->tensor.dev));
  return t->ops->mises(s->cx, s->d->places, s->d->role, law, t->tensor.dev, t->mises.dev);
}

/* Stresses of slot i under load case q: tensors, von Mises stresses, relaxed ones. Pa per unit
   state: norm of the load over the thickness; the modulus cancels, as states are in units of
   load over stiffness. */
static ig_status stresses(const ig_topopt_design *s, int i, int q, bool clusters,
                          ig_topopt_stressed *a) {
  ig_topopt_stress *t = s->stress;
  const ig_limit_case *limit = limit_of(s, i);
  const int last = s->realisations - 1; /* of the densities */
  const double weight = limit ? 1 / limit->stress : s->loading->weight[q];
  *a = (ig_topopt_stressed){.member = limit ? s->loading->limit[i].dev : t->member.dev,
                            .cluster = clusters && limit ? t->cluster[first_slot(s, i)].dev : NULL,
                            .number = limit ? s->cluster_of[i] : 0,
                            .density = s->density[last].dev,
                            .scale = s->d->scale,
                            .mises = t->mises.dev,
                            .factor = weight * s->loading->norm[q] / s->d->thickness,
                            .relaxation = s->c->stress.relaxation,
                            .exponent = s->c->stress.exponent};
  const ig_topopt_hooke law = law_of(s, i, &a->factor);
  if (a->factor == 0)
    a->factor = 1e-300; /* a load case of no weight */
  IG_TRY(mises_of(s, q, &law));
  return t->ops->relaxed(s->cx, s->d->places, s->d->role, a, t->relaxed.dev);
}

/* Largest relaxed stress and norm over the load cases of a slot. */
static ig_status measure(const ig_topopt_design *s, int i, double *peak, double *norm) {
  ig_topopt_stress *t = s->stress;
  const double exponent = s->c->stress.exponent;
  double top[IG_LOAD_CASES] = {0}, sum[IG_LOAD_CASES] = {0}, all = 0;
  int begin, end;
  cases_of(s, i, &begin, &end);
  *peak = 0;
  for (int q = begin; q < end; q++) {
    ig_topopt_stressed a;
    IG_TRY(stresses(s, i, q, true, &a));
    IG_TRY(ig_topopt_most(s->cx, s->d, t->relaxed.dev, &top[q]));
    *peak = fmax(*peak, top[q]);
    if (!(top[q] > 0))
      continue;
    IG_TRY(t->ops->power(s->cx, s->d->places, t->relaxed.dev, 1 / top[q], 0.5 * exponent,
                         t->work.dev));
    IG_TRY(ig_topopt_dot(s->cx, s->d, t->work.dev, t->work.dev, &sum[q]));
  }
  for (int q = begin; q < end; q++)
    all += *peak > 0 ? sum[q] * pow(top[q] / *peak, exponent) : 0;
  *norm = *peak * pow(all, 1 / exponent);
  if (!isfinite(*norm))
    return IG_FAIL(s->cx, IG_NUMERIC, "stresses are too large or too small to compute with");
  return IG_OK;
}

/* The same under large deflections, for the norm in `a`: weights of von Mises' stresses, the load
   that they make, its adjoint. */
static ig_status large_adjoint(ig_topopt_design *s, const ig_topopt_hooke *law,
                               const ig_topopt_stressed *a, int q, bool add, double *state) {
  ig_topopt_stress *t = s->stress;
  const int last = s->realisations - 1;
  const size_t n = (size_t)s->d->places, bytes = n * sizeof(double);
  double *r = NULL, *mises = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &r, n, "stresses"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &mises, n, "stresses"));
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, r, t->relaxed.dev, bytes));
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, mises, t->mises.dev, bytes));
  for (size_t e = 0; e < n; e++)
    r[e] = r[e] > 0 ? pow(r[e] / a->norm, a->exponent - 1) * r[e] / mises[e] : 0;
  IG_TRY_GOTO(status, done, s->cx->backend->copy_in(s->cx, t->work.dev, r, bytes));
  if (!add)
    IG_TRY_GOTO(status, done, ig_array_zero(s->cx, &s->work));
  IG_TRY_GOTO(status, done,
              ig_topopt_large_mises_back(s, q, law, t->work.dev, t->load.dev, s->work.dev));
  IG_TRY_GOTO(status, done, ig_topopt_large_adjoint(s, last, q, t->load.dev, state));
  if (ig_topopt_turn_first(s))
    goto done;
  IG_TRY_GOTO(status, done, ig_topopt_large_energy(s, last, q, state, 1, true, s->work.dev));
  IG_TRY_GOTO(status, done, ig_topopt_load_direct(s, last, q, state, 1, false));
  if (s->loading->gravity[q].dev)
    status = s->ops->mix(s->cx, (int64_t)n, 1, t->direct.dev, 1, s->direct.dev, t->direct.dev);
done:
  free(r);
  free(mises);
  return status;
}

/* The adjoint of load case q: energies into s->work (added), slopes by densities alone into
   t->direct (added). */
static ig_status adjoint(ig_topopt_design *s, int i, int q, bool add, double norm, double *state,
                         ig_evaluation *e) {
  ig_topopt_stress *t = s->stress;
  const int64_t n = s->d->places;
  ig_topopt_stressed a;
  double ff;
  if (!ig_topopt_turn_mine(s))
    return ig_topopt_turn_solve(s, NULL, state, e);
  IG_TRY(stresses(s, i, q, true, &a));
  a.norm = norm;
  double same = 1;
  const ig_topopt_hooke law = law_of(s, i, &same);
  IG_TRY(
      t->ops->slopes(s->cx, n, s->d->role, &law, &a, t->relaxed.dev, t->tensor.dev, t->work.dev));
  IG_TRY(s->ops->mix(s->cx, n, 1, t->work.dev, add ? 1 : 0, t->direct.dev, t->direct.dev));
  if (s->large)
    return large_adjoint(s, &law, &a, q, add, state);
  IG_TRY(s->d->strain_back(s->d->self, t->tensor.dev, t->load.dev));
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, t->load.dev, t->load.dev, &ff));
  const double size = sqrt(ff);
  if (size > 0) /* of unit size: the solver's preconditioner is in single precision */
    IG_TRY(s->ops->mix(s->cx, s->d->unknowns, 1 / size, t->load.dev, 0, t->load.dev, t->load.dev));
  IG_TRY(ig_topopt_turn_solve(s, size > 0 ? t->load.dev : NULL, state, e));
  if (ig_topopt_turn_first(s))
    return IG_OK;
  IG_TRY(ig_topopt_load_direct(s, s->realisations - 1, q, state, size, false));
  if (s->loading->gravity[q].dev)
    IG_TRY(s->ops->mix(s->cx, n, 1, t->direct.dev, 1, s->direct.dev, t->direct.dev));
  return s->d->energy(s->d->self, state, s->u[s->realisations - 1][q].dev, size, add, s->work.dev);
}

/* --- clusters --- */

/* Of `own` values of this rank, rising, how many are at least `least`. A binary search for the
   first value that is not below `least`. */
static int64_t reach(const double *sorted, int64_t own, double least) {
  int64_t low = 0, high = own;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (sorted[middle] < least)
      low = middle + 1;
    else
      high = middle;
  }
  return own - low;
}

/* The least values of all clusters but the last: below the first k of all ranks' values from above
   comes the one that k + 1 values reach. No rank has all of them; positive numbers are ordered as
   their bits are, which are found one by one. */
static ig_status borders(const ig_topopt_design *s, const double *sorted, int64_t own,
                         double *border) {
  const int64_t clusters = s->c->stress.clusters;
  uint64_t bits[IG_LIMITS] = {0};
  int64_t all = own, found[IG_LIMITS];
  IG_TRY(ig_topopt_count(s->d, &all, 1));
  /* from the highest bit down: is the border still reached by more than k values with this bit
     set? */
  for (int bit = 62; bit >= 0 && all > 0; bit--) {
    for (int64_t of = 0; of + 1 < clusters; of++) {
      const uint64_t more = bits[of] | (uint64_t)1 << bit;
      memcpy(&border[of], &more, sizeof more);
      found[of] = isfinite(border[of]) ? reach(sorted, own, border[of]) : 0;
    }
    IG_TRY(ig_topopt_count(s->d, found, (int)clusters - 1));
    for (int64_t of = 0; of + 1 < clusters; of++)
      if (found[of] > all * (of + 1) / clusters)
        bits[of] |= (uint64_t)1 << bit;
  }
  memcpy(border, bits, (size_t)(clusters - 1) * sizeof *border);
  return IG_OK;
}

/* Elements of about the same stress go together: as many in each cluster, the first has the highest
   stresses (Holmberg et al. 2013). */
static ig_status divide(ig_topopt_design *s, int i) {
  ig_topopt_stress *t = s->stress;
  const size_t n = (size_t)s->d->places;
  const int64_t clusters = s->c->stress.clusters;
  double *worst = NULL, *sorted = NULL, border[IG_LIMITS] = {0};
  uint8_t *role = NULL;
  int begin, end;
  ig_status status;
  if (!t->cluster[i].dev)
    return IG_OK;
  cases_of(s, i, &begin, &end);
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &worst, n, "stresses"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &sorted, n, "stresses"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &role, n, "roles"));
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, role, s->d->role, n));
  for (int q = begin; q < end; q++) {
    ig_topopt_stressed a;
    IG_TRY_GOTO(status, done, stresses(s, i, q, false, &a));
    IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, sorted, t->relaxed.dev, n * 8));
    for (size_t k = 0; k < n; k++)
      worst[k] = fmax(worst[k], sorted[k]);
  }
  size_t count = 0;
  for (size_t k = 0; k < n; k++)
    if (worst[k] > 0)
      sorted[count++] = worst[k];
  qsort(sorted, count, sizeof *sorted, ig_rising_f64);
  /* borders() exchanges counts: all ranks must get here */
  IG_TRY_GOTO(status, done, ig_topopt_meet(s->cx, s->d));
  IG_TRY_GOTO(status, done, borders(s, sorted, (int64_t)count, border));
  double *number = t->cluster[i].host;
  for (size_t k = 0; k < n; k++) {
    int64_t of = 0;
    while (of + 1 < clusters && worst[k] < border[of])
      of++;
    number[k] = role[k] ? (double)of : 0; /* a checkpoint has places without elements, too */
  }
  status = ig_array_push(s->cx, &t->cluster[i]);
done:
  free(worst);
  free(sorted);
  free(role);
  return status;
}

/* --- what the design loop calls --- */

/* In the first evaluation clusters are made before anything is measured and the correction is
   exact; from then on both come from the design before (ig_topopt_stress_learn). The gradient
   keeps c constant. */
ig_status ig_topopt_stress_evaluate(ig_topopt_design *s, const ig_law *law, int i, ig_evaluation *e,
                                    double *value, double *slope) {
  ig_topopt_stress *t = s->stress;
  const int64_t n = s->d->places;
  const int last = s->realisations - 1;
  double *state = i < IG_LIMITS ? s->limit_state[i].dev : t->state.dev;
  double *correction = &t->correction[i];
  int begin, end;
  cases_of(s, i, &begin, &end);
  if (*correction == 0 && i < IG_LIMITS && s->cluster_of[i] == 0)
    IG_TRY(divide(s, i));
  IG_TRY(measure(s, i, &e->peak[i], &t->norm[i]));
  if (*correction == 0)
    *correction = t->norm[i] > 0 ? e->peak[i] / t->norm[i] : 1;
  *value = *correction * t->norm[i];
  for (int q = begin; q < end; q++)
    IG_TRY(adjoint(s, i, q, q > begin, t->norm[i] > 0 ? t->norm[i] : 1,
                   state + (q - begin) * s->d->unknowns, e));
  if (ig_topopt_turn_first(s))
    return IG_OK;
  IG_TRY(ig_topopt_design_stiffen(s, s->work.dev));
  IG_TRY(s->ops->slope(s->cx, n, s->d->role, law, ig_topopt_design_filtered(s),
                       s->density[last].dev, s->work.dev, slope, s->spare.dev));
  IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, t->direct.dev, s->spare.dev, NULL,
                     t->direct.dev));
  return s->ops->mix(s->cx, n, *correction, slope, *correction, t->direct.dev, slope);
}

/* See the head of pnorm.c: c P stands for the largest stress. */
static void correct(ig_topopt_design *s, const ig_evaluation *e, int i) {
  ig_topopt_stress *t = s->stress;
  if (t->norm[i] > 0)
    t->correction[i] = memory * t->correction[i] + (1 - memory) * e->peak[i] / t->norm[i];
}

/* After every update the elements are sorted into clusters anew: the problem changes a little,
   but the norm of each cluster stays close to its largest stress. */
ig_status ig_topopt_stress_learn(ig_topopt_design *s, const ig_evaluation *e) {
  if (!s->stress)
    return IG_OK;
  for (int i = 0; i < s->limits; i++)
    if (!isnan(limit_of(s, i)->stress)) {
      correct(s, e, i);
      if (s->cluster_of[i] == 0)
        IG_TRY(divide(s, i));
    }
  if (s->c->minimise == IG_MINIMISE_STRESS)
    correct(s, e, IG_LIMITS);
  return IG_OK;
}

bool ig_topopt_stress_asked(const ig_topopt_case *c) {
  bool asked = c->minimise == IG_MINIMISE_STRESS;
  for (int i = 0; i < c->constraints.count; i++)
    asked = asked || !isnan(IG_ITEM(ig_limit_case, c->constraints, i)->stress);
  return asked;
}

/* Peaks of constraints are multiples of their bounds; here they get back their unit. */
double ig_topopt_stress_peak(const ig_topopt_design *s, const ig_evaluation *e) {
  double peak = s->c->minimise == IG_MINIMISE_STRESS ? e->peak[IG_LIMITS] : 0;
  for (int i = 0; i < s->limits; i++)
    if (!isnan(limit_of(s, i)->stress))
      peak = fmax(peak, e->peak[i] * limit_of(s, i)->stress);
  return peak;
}

/* All elements count here, whatever is excluded from the bound. */
ig_status ig_topopt_stress_field(const ig_topopt_design *s) {
  ig_topopt_stress *t = s->stress;
  const int last = s->realisations - 1;
  const ig_topopt_stressed a = {.density = s->density[last].dev,
                                .scale = s->d->scale,
                                .mises = t->mises.dev,
                                .factor = s->loading->norm[0] / s->d->thickness,
                                .relaxation = s->c->stress.relaxation};
  IG_TRY(mises_of(s, 0, &s->d->hooke));
  return t->ops->relaxed(s->cx, s->d->places, s->d->role, &a, t->relaxed.dev);
}

/* --- making it --- */

static ig_status zeros(ig_ctx *cx, ig_array *a, size_t n, const char *what) {
  IG_TRY(ig_array_new_device(cx, a, n, sizeof(double), what));
  return ig_array_zero(cx, a);
}

/* Arrays that any look at stresses needs. */
static ig_status open_arrays(ig_topopt_design *s) {
  ig_ctx *cx = s->cx;
  const size_t n = (size_t)s->d->places;
  ig_topopt_stress *t;
  IG_TRY(IG_NEW(cx, &t, 1, "stresses"));
  s->stress = t;
  t->cx = cx;
  t->ops = ig_topopt_stress_ops_of(cx);
  IG_TRY(zeros(cx, &t->tensor, 6 * n, "stress tensors"));
  ig_array *const arrays[] = {&t->mises, &t->relaxed, &t->work, &t->direct};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    IG_TRY(zeros(cx, arrays[i], n, "stresses"));
  return IG_OK;
}

/* Elements everywhere but in the sets left out. */
static ig_status open_member(const ig_topopt_design *s, ig_array *member) {
  const ig_limit_case everywhere = {
      .at = s->c->at, .volume = NAN, .displacement = NAN, .temperature = NAN, .stress = 1};
  double count;
  return s->d->measure(s->d->self, &everywhere, member, &count);
}

/* Refuses problems without stresses, and the sensitivity filter: its result is the gradient of
   no stress. */
ig_status ig_topopt_stress_new(ig_topopt_design *s) {
  ig_ctx *cx = s->cx;
  const ig_topopt_case *c = s->c;
  const size_t n = (size_t)s->d->places, nu = (size_t)s->d->unknowns;
  if (c->problem == IG_PROBLEM_HEAT)
    return ig_fail_at(cx, &c->at, "stress: there is none in a heat problem");
  if (!s->d->strain || s->loading->candidates)
    return ig_fail_at(
        cx, &c->at, s->d->strain ? "stress: not with choose_material" : "stress: not on this body");
  if (c->filter.kind == IG_FILTER_SENSITIVITY)
    return ig_fail_at(cx, &c->at,
                      "stress: needs filter: {kind: density} or helmholtz: filtered sensitivities "
                      "are no slopes of a stress");
  IG_TRY(open_arrays(s));
  ig_topopt_stress *t = s->stress;
  IG_TRY(zeros(cx, &t->load, nu, "adjoint load"));
  for (int i = 0; i < s->limits; i++)
    if (c->stress.clusters > 1 && s->cluster_of[i] == 0 && !isnan(limit_of(s, i)->stress))
      IG_TRY(ig_array_new(cx, &t->cluster[i], n, sizeof(double), "clusters"));
  if (c->minimise != IG_MINIMISE_STRESS)
    return IG_OK;
  IG_TRY(open_member(s, &t->member));
  return zeros(cx, &t->state, nu * (size_t)s->loading->cases, "adjoint states");
}

/* For the analysis of the part, which looks at stresses even where the case has none. */
ig_status ig_topopt_stress_room(ig_topopt_design *s, ig_array *member) {
  if (!s->stress)
    IG_TRY(open_arrays(s));
  return open_member(s, member);
}

/* Makes the arrays it needs where the case has no stresses, and frees them again. */
ig_status ig_topopt_stress_largest(ig_topopt_design *s, int i, double relaxation, double *peak) {
  const bool mine = !s->stress;
  const int last = s->realisations - 1;
  ig_array member = {0};
  ig_status status = IG_OK;
  int begin = 0, end = s->loading->cases;
  *peak = 0;
  if (i >= 0)
    cases_of(s, i, &begin, &end);
  if (mine)
    IG_TRY_GOTO(status, done, open_arrays(s));
  ig_topopt_stress *t = s->stress;
  if (i < 0)
    IG_TRY_GOTO(status, done, open_member(s, &member));
  for (int q = begin; q < end; q++) {
    ig_topopt_stressed a = {.member = i < 0 ? member.dev : s->loading->limit[i].dev,
                            .density = s->density[last].dev,
                            .scale = s->d->scale,
                            .mises = t->mises.dev,
                            .factor = s->loading->norm[q] / s->d->thickness,
                            .relaxation = relaxation};
    double top;
    const ig_topopt_hooke law = law_of(s, i, &a.factor);
    IG_TRY_GOTO(status, done, mises_of(s, q, &law));
    IG_TRY_GOTO(status, done, t->ops->relaxed(s->cx, s->d->places, s->d->role, &a, t->relaxed.dev));
    IG_TRY_GOTO(status, done, ig_topopt_most(s->cx, s->d, t->relaxed.dev, &top));
    *peak = fmax(*peak, top);
  }
done:
  ig_array_free(s->cx, &member);
  if (mine)
    ig_topopt_stress_free(s);
  return status;
}

/* Also called by ig_topopt_stress_largest for arrays of its own. */
void ig_topopt_stress_free(ig_topopt_design *s) {
  ig_topopt_stress *t = s->stress;
  if (!t)
    return;
  ig_array *const arrays[] = {&t->tensor, &t->mises, &t->relaxed, &t->work,
                              &t->direct, &t->load,  &t->member,  &t->state};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(s->cx, arrays[i]);
  for (int i = 0; i < IG_LIMITS; i++)
    ig_array_free(s->cx, &t->cluster[i]);
  free(t);
  s->stress = NULL;
}
