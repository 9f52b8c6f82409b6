/* CUDA drivers. */
#ifndef IG_FRAC_ITEMS_CUDA_H
#define IG_FRAC_ITEMS_CUDA_H

#include "fracture/kernels/state.h"

IG_C_BEGIN
/* Members of ig_frac_ops (state.h); asynchronous on the stream of the context. */
ig_status ig_frac_cuda_run(ig_ctx *cx, int kind, int wide, ig_frac_item item,
                           const ig_frac_state *s, int64_t begin, int64_t n);
ig_status ig_frac_cuda_compact(ig_ctx *cx, const ig_frac_state *s, uint8_t *flag, int64_t n,
                               int32_t *list, int32_t *found);
ig_status ig_frac_cuda_apart(ig_ctx *cx, int kind, int wide, const ig_frac_state *s);
/* The internal force kernel of Alhadeff et al. (2015) on tri6 in double, for comparison: seconds
 * per launch. */
ig_status ig_frac_cuda_stored(ig_ctx *cx, const ig_frac_state *s, int repeats, double *seconds);
IG_C_END

#endif
