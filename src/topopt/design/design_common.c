/* What constraints, modes and stresses share of a design with its evaluation. They are in a file
   of their own so that evaluate.c and those files need not include each other. */
#include "topopt/topopt.h"
#include "backend/backend.h"

#include <math.h>

/* Kernels run asynchronously: without the wait their time would be charged to whoever waits
   first. */
ig_status ig_topopt_design_charge(ig_topopt_design *s, ig_topopt_stage stage, double *start) {
  IG_TRY(s->cx->backend->sync(s->cx));
  const double now = ig_now();
  s->seconds[stage] += now - *start;
  *start = now;
  return IG_OK;
}

/* Each value times its element's modulus over the reference, where materials differ. */
ig_status ig_topopt_design_stiffen(ig_topopt_design *s, double *v) {
  if (!s->d->scale)
    return IG_OK;
  return s->ops->map(s->cx, s->d->places, s->d->role, IG_MAP_PRODUCT, v, s->d->scale, NULL, v);
}

/* The field that projection and moduli are made of: printed or drawn, filtered, or x itself (no
   filter, or the sensitivity filter). */
const double *ig_topopt_design_filtered(const ig_topopt_design *s) {
  if (s->printed.dev)
    return s->printed.dev;
  return s->c->filter.kind >= IG_FILTER_DENSITY ? s->filtered.dev : s->x.dev;
}

const ig_limit_case *ig_topopt_limit_case(const ig_topopt_design *s, int i) {
  return IG_ITEM(ig_limit_case, s->c->constraints, s->limit_of[i]);
}

/* A smooth maximum (Kreisselmeier-Steinhauser) of several values, in units of the largest of
   them, and its slope by each. The value is within log(count)/20 of the largest, relative to it. */
double ig_topopt_worst(int count, const double *value, double *weight) {
  const double sharpness = 20;
  int first = 0;
  double worst = value[0], sum = 0, mean = 0;
  for (int r = 1; r < count; r++) {
    first = fabs(value[r]) > fabs(value[first]) ? r : first;
    worst = fmax(worst, value[r]);
  }
  const double scale = value[first] != 0 ? fabs(value[first]) : 1;
  for (int r = 0; r < count; r++)
    sum += weight[r] = exp(sharpness * (value[r] - worst) / scale);
  const double smooth = worst + log(sum) * scale / sharpness;
  for (int r = 0; r < count; r++) {
    weight[r] /= sum;
    mean += weight[r] * value[r];
  }
  /* the unit moves with the largest */
  if (value[first] != 0)
    weight[first] += (smooth - mean) / value[first];
  return smooth;
}

double ig_topopt_combine(const ig_topopt_case *c, int cases, const double *value, double *part) {
  double sum = 0;
  if (c->combine == IG_COMBINE_WORST && cases > 0)
    return ig_topopt_worst(cases, value, part);
  for (int q = 0; q < cases; q++) {
    part[q] = 1;
    sum += value[q];
  }
  return sum;
}
