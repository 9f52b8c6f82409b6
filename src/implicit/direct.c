/* The choice between the library's own factorization and MUMPS, behind direct.h: one of the two
   pointers is set. `auto` is the own one. */
#include "implicit/frontal.h"
#include "implicit/mumps.h"

#include <stdlib.h>

struct ig_direct {
  ig_frontal *own;
  ig_mumps *mumps;
};

ig_status ig_direct_new(ig_ctx *cx, int32_t n, const int64_t *first, const int32_t *column,
                        ig_direct_kind kind, ig_direct **to) {
  IG_TRY(IG_NEW(cx, to, 1, "solver"));
  ig_direct *d = *to;
  return kind == IG_DIRECT_MUMPS ? ig_mumps_new(cx, n, first, column, &d->mumps)
                                 : ig_frontal_new(cx, n, first, column, &d->own);
}

void ig_direct_free(ig_direct *d) {
  if (!d)
    return;
  ig_frontal_free(d->own);
  ig_mumps_free(d->mumps);
  free(d);
}

ig_status ig_direct_factor(ig_direct *d, const double *value, bool symmetric,
                           ig_direct_info *info) {
  return d->mumps ? ig_mumps_factor(d->mumps, value, symmetric, info)
                  : ig_frontal_factor(d->own, value, symmetric, info);
}

ig_status ig_direct_solve(ig_direct *d, double *b) {
  if (d->mumps)
    return ig_mumps_solve(d->mumps, b);
  ig_frontal_solve(d->own, b);
  return IG_OK;
}
