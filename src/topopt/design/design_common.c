/* What constraints, modes and stresses share of a design with its evaluation. They are in a file
   of their own so that evaluate.c and those files need not include each other. */
#include "topopt/topopt.h"
#include "backend/backend.h"

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
