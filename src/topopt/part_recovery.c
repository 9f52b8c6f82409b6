/* Errors of the part's figures by recovery (Zienkiewicz and Zhu 1987): stresses at the nodes are
   means of the elements around them, s*; how far those are from an element's own, s, is its error.

     error of a stress      sqrt(2 mean over the nodes of mises(s* - s)^2)
     error of a compliance  integral of the energy of (s* - s), s* linear in between

   At a surface half of an element's nodes have no elements beyond them and tell nothing: hence the
   two. Sums at nodes and means over elements are the discretisation's own, which ranks share. */
#include "topopt/part_analysis.h"
#include "backend/backend.h"
#include "ranks/ranks.h"
#include "topopt/design/stress.h"

#include <math.h>
#include <stdlib.h>

enum { TENSOR = 6, MISES = TENSOR, ENERGY, NODAL };

/* Arrays of elements (places) and nodes; `on` and `at` are on the device, the others on the host.
 */
typedef struct {
  ig_topopt_design *s;
  const double *share;            /* of each element inside the part */
  double *weight;                 /* elements: share x volume over the mean */
  double *scale;                  /* elements: modulus over the first material's */
  double *tensor;                 /* elements, [6][places]: stress at unit modulus */
  double *mean[NODAL];            /* elements: of s* and of its two squares over the nodes */
  double *node[NODAL], *node_sum; /* nodes: s*, its squares; sums of weights */
  double *most, *error, *energy;  /* elements: stress + error, Pa; energies of one load case */
  ig_array on, at;
  double all, off; /* energy and its error, over the load cases, weighted */
  double poisson;
} recovery;

static void recovery_free(recovery *y) {
  double *const host[] = {y->weight, y->scale, y->tensor, y->node_sum,
                          y->most,   y->error, y->energy};
  for (size_t i = 0; i < sizeof host / sizeof *host; i++)
    free(host[i]);
  for (int c = 0; c < NODAL; c++) {
    free(y->mean[c]);
    free(y->node[c]);
  }
  ig_array_free(y->s->cx, &y->on);
  ig_array_free(y->s->cx, &y->at);
}

static ig_status to_host(const recovery *y, const double *from, size_t n, double *to) {
  IG_TRY(y->s->cx->backend->copy_out(y->s->cx, to, from, n * sizeof *to));
  return y->s->cx->backend->sync(y->s->cx);
}
static ig_status to_device(const recovery *y, const double *from, size_t n, double *to) {
  IG_TRY(y->s->cx->backend->copy_in(y->s->cx, to, from, n * sizeof *to));
  return y->s->cx->backend->sync(y->s->cx);
}

/* For unit Young's modulus the shear modulus is 1 / (2 (1 + nu)), which gives nu back. */
static ig_status recovery_new(recovery *y) {
  ig_ctx *cx = y->s->cx;
  const ig_discretisation *d = y->s->d;
  const size_t n = (size_t)d->places, nodes = (size_t)d->layout.nodes;
  static const char what[] = "recovery of stresses";
  double **const host[] = {&y->weight, &y->scale, &y->most, &y->error, &y->energy};
  for (size_t i = 0; i < sizeof host / sizeof *host; i++)
    IG_TRY(IG_NEW(cx, host[i], n, what));
  IG_TRY(IG_NEW(cx, &y->tensor, TENSOR * n, what));
  IG_TRY(IG_NEW(cx, &y->node_sum, nodes, what));
  for (int c = 0; c < NODAL; c++) {
    IG_TRY(IG_NEW(cx, &y->mean[c], n, what));
    IG_TRY(IG_NEW(cx, &y->node[c], nodes, what));
  }
  IG_TRY(ig_array_new_device(cx, &y->on, n, sizeof(double), what));
  IG_TRY(ig_array_zero(cx, &y->on));
  IG_TRY(ig_array_new_device(cx, &y->at, nodes, sizeof(double), what));
  IG_TRY(ig_array_zero(cx, &y->at));
  for (size_t i = 0; i < n; i++)
    y->weight[i] = y->scale[i] = 1;
  if (d->share)
    IG_TRY(to_host(y, d->share, n, y->weight));
  if (d->scale)
    IG_TRY(to_host(y, d->scale, n, y->scale));
  for (size_t i = 0; i < n; i++)
    y->weight[i] *= y->share[i];
  y->poisson = 0.5 / d->hooke.shear - 1;
  return IG_OK;
}

/* Bilinear forms of two stresses, six components each: their squares are the square of von
   Mises' stress and twice the energy at unit modulus. The bilinear form whose quadratic form is
   the square of von Mises' stress, so that mises(s* - s) = mises(s*) - 2 mises(s*, s) + mises(s)
   can be formed from means. */
static double mises(const double *s, const double *t) {
  double all = 0, shear = 0;
  for (int c = 0; c < 3; c++) {
    all += s[c] * t[c] - 0.5 * (s[c] * t[(c + 1) % 3] + s[(c + 1) % 3] * t[c]);
    shear += s[3 + c] * t[3 + c];
  }
  return all + 3 * shear;
}
/* s : C^-1 : t at unit modulus, (1 + nu) s.t - nu tr(s) tr(t), shear components counted twice. */
static double energy(const recovery *y, const double *s, const double *t) {
  /* plane strain: there is no strain across, and the law is that of plane stress */
  const double across = y->s->d->hooke.strain ? 0 : 1;
  double sum = 0;
  for (int c = 0; c < 6; c++)
    sum += (c == 2 ? across : c < 3 ? 1 : 2) * s[c] * t[c];
  return (1 + y->poisson) * sum -
         y->poisson * (s[0] + s[1] + across * s[2]) * (t[0] + t[1] + across * t[2]);
}

/* Stresses of load case q at the centres of elements. */
static ig_status stresses(recovery *y, int q) {
  ig_topopt_design *s = y->s;
  ig_topopt_stress *t = s->stress;
  const size_t n = (size_t)s->d->places;
  IG_TRY(s->d->strain(s->d->self, s->u[s->realisations - 1][q].dev, t->tensor.dev));
  IG_TRY(t->ops->mises(s->cx, s->d->places, s->d->role, &s->d->hooke, t->tensor.dev, t->mises.dev));
  return to_host(y, t->tensor.dev, TENSOR * n, y->tensor);
}

/* Sums over the elements around each node, of `value` times the weight. Weighted by solid
   volume: void elements say nothing about the stress of the part. */
static ig_status gather(recovery *y, const double *value, double *to) {
  const ig_discretisation *d = y->s->d;
  for (int64_t e = 0; e < d->places; e++)
    y->energy[e] = y->weight[e] * (value ? value[e] : 1);
  IG_TRY(to_device(y, y->energy, (size_t)d->places, y->on.dev));
  IG_TRY(d->lump(d->self, y->on.dev, y->at.dev));
  return to_host(y, y->at.dev, (size_t)d->layout.nodes, to);
}

/* s* at the nodes and its squares, and the means of all that over the nodes of elements. */
static ig_status recover(recovery *y) {
  const ig_discretisation *d = y->s->d;
  const size_t n = (size_t)d->places, nodes = (size_t)d->layout.nodes;
  IG_TRY(gather(y, NULL, y->node_sum));
  for (int c = 0; c < TENSOR; c++)
    IG_TRY(gather(y, y->tensor + (size_t)c * n, y->node[c]));
  for (size_t i = 0; i < nodes; i++) {
    double s[TENSOR];
    for (int c = 0; c < TENSOR; c++)
      s[c] = y->node[c][i] = y->node_sum[i] > 0 ? y->node[c][i] / y->node_sum[i] : 0;
    y->node[MISES][i] = mises(s, s);
    y->node[ENERGY][i] = energy(y, s, s);
  }
  for (int c = 0; c < NODAL; c++) {
    IG_TRY(to_device(y, y->node[c], nodes, y->at.dev));
    IG_TRY(d->lump_back(d->self, y->at.dev, y->on.dev));
    IG_TRY(to_host(y, y->on.dev, n, y->mean[c]));
  }
  return IG_OK;
}

/* Stresses with their errors, energies with theirs. s* - s is taken as linear with zero mean: its
   mean square over an element is a third of that at the corners of a box, and a fifth of that at
   the corners of a tetrahedron. */
static ig_status compare(recovery *y, int q) {
  const ig_topopt_design *s = y->s;
  const int64_t n = s->d->places;
  const double factor = s->loading->norm[q] / s->d->thickness;
  /* mean square of a linear function over an element, over that of its corners */
  const double inside =
      s->d->corners == 8 || s->d->corners == 4 * (s->d->hooke.dim == 2) ? 1.0 / 3 : 0.2;
  for (int64_t e = 0; e < n; e++) {
    double own[TENSOR], mean[TENSOR];
    for (int c = 0; c < TENSOR; c++) {
      own[c] = y->tensor[c * n + e];
      mean[c] = y->mean[c][e];
    }
    const double off = y->mean[MISES][e] - 2 * mises(mean, own) + mises(own, own);
    const double lost = y->mean[ENERGY][e] - 2 * energy(y, mean, own) + energy(y, own, own);
    const double solid = y->share[e] * y->scale[e] * factor;
    if (y->share[e] > 0.5)
      y->most[e] =
          fmax(y->most[e], solid * (sqrt(fmax(0, mises(own, own))) + sqrt(2 * fmax(0, off))));
    y->energy[e] = y->scale[e] * energy(y, own, own);
    y->error[e] = y->scale[e] * inside * fmax(0, lost);
  }
  double sum;
  const double times = factor * factor * s->loading->weight[q];
  ig_topopt_stress *t = s->stress;
  IG_TRY(to_device(y, y->weight, (size_t)n, t->work.dev));
  IG_TRY(to_device(y, y->energy, (size_t)n, y->on.dev));
  IG_TRY(ig_topopt_dot(s->cx, s->d, t->work.dev, y->on.dev, &sum));
  y->all += times * sum;
  IG_TRY(to_device(y, y->error, (size_t)n, y->on.dev));
  IG_TRY(ig_topopt_dot(s->cx, s->d, t->work.dev, y->on.dev, &sum));
  y->off += times * sum;
  return IG_OK;
}

/* What the stress may be at most among the elements that count (device), less what was found. */
static ig_status error_of(recovery *y, const double *member, double value, double *error) {
  ig_topopt_design *s = y->s;
  double most;
  IG_TRY(to_device(y, y->most, (size_t)s->d->places, y->on.dev));
  IG_TRY(s->ops->map(s->cx, s->d->places, s->d->role, IG_MAP_PRODUCT, y->on.dev, member, NULL,
                     y->on.dev));
  IG_TRY(ig_topopt_most(s->cx, s->d, y->on.dev, &most));
  *error = fmax(0, most - value);
  return IG_OK;
}

/* Errors of compliance and displacement are the relative error of the energy. */
static ig_status errors_put(recovery *y, const double *member, ig_topopt_part_figures *to) {
  const ig_topopt_design *s = y->s;
  const double share = y->all > 0 ? y->off / y->all : 0;
  IG_TRY(error_of(y, member, to->stress.value, &to->stress.error));
  to->objective.error = share * fabs(to->objective.value);
  to->displacement.error = share * to->displacement.value;
  for (int i = 0; i < s->limits; i++) {
    const ig_limit_case *limit = ig_topopt_limit_case(s, i);
    ig_topopt_figure *f = &to->limit[s->limit_of[i]];
    f->error = share * fabs(f->value);
    if (isnan(limit->stress))
      continue;
    IG_TRY(error_of(y, s->loading->limit[i].dev, f->value * limit->stress, &f->error));
    f->error /= limit->stress;
  }
  return IG_OK;
}

/* Load case by load case: stresses, recovered stresses, differences. The largest stress with its
   error is kept over all of them, energies are added up with their weights. */
ig_status ig_topopt_part_recover(ig_topopt_design *s, const double *share,
                                 ig_topopt_part_figures *to) {
  recovery y = {.s = s, .share = share};
  ig_array member = {0};
  const bool mine = !s->stress;
  ig_status status = recovery_new(&y);
  if (status == IG_OK)
    status = ig_topopt_stress_room(s, &member);
  if (ig_topopt_divided(s->d))
    status = ig_ranks_agree(s->cx, status);
  for (int q = 0; q < s->loading->cases && status == IG_OK; q++) {
    IG_TRY_GOTO(status, done, stresses(&y, q));
    IG_TRY_GOTO(status, done, recover(&y));
    IG_TRY_GOTO(status, done, compare(&y, q));
  }
  if (status == IG_OK)
    status = errors_put(&y, member.dev, to);
done:
  ig_array_free(s->cx, &member);
  if (mine)
    ig_topopt_stress_free(s);
  recovery_free(&y);
  return status;
}
