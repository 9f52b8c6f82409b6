/* Planes of a divided grid between a GPU and the buffers of messages. */
#ifndef IG_SOLVER_KRYLOV_SLAB_CUDA_H
#define IG_SOLVER_KRYLOV_SLAB_CUDA_H

#include "core/ctx.h"

IG_C_BEGIN
/* Queued: `components` blocks of `each` bytes, `stride` bytes apart on the device, one after the
   other in pinned host memory. */
ig_status ig_slab_cuda_move(ig_ctx *cx, void *values, int components, size_t stride, size_t each,
                            void *buffer, bool out);
IG_C_END

#endif
