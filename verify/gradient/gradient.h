/* Gradients of a room, held against the rules they must obey. */
#ifndef IG_VERIFY_GRADIENT_H
#define IG_VERIFY_GRADIENT_H

#include "verify/verify.h"

/* A case whose figures have gradients, as keys and values ended by NULL. */
typedef struct {
  const char *const *set;
  const char *figure;
  const char *const *key; /* numbers, ended by NULL */
  /* A case with the same keys in which the figure is linear and homogeneous in `linear`, ended by
     NULL: the sum of values times derivatives is the figure. */
  const char *const *linear_set;
  const char *linear_figure;
  const char *const *linear;
  double linear_tolerance;
} ig_verify_gradient;

/* Three rows: the dot product of input and adjoint; central differences of whole runs; the order of
   the remainder of Taylor's series. */
IG_MUST_CHECK ig_status ig_verify_gradients(const ig_verify_gradient *g,
                                            const ig_verify_sink *sink);

#endif
