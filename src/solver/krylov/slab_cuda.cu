/* Planes of a divided grid between a GPU and buffers of messages, which may be pinned memory of the
   host, of this GPU or of another one. */
#include "solver/krylov/slab_cuda.h"
#include "backend/cuda/launch.cuh"

ig_status ig_slab_cuda_move(ig_ctx *cx, void *values, int components, size_t stride, size_t each,
                            void *buffer, bool out) {
  cudaStream_t stream = ig_cuda_stream(cx);
  const size_t rows = (size_t)components;
  if (out)
    IG_CUDA(cx,
            cudaMemcpy2DAsync(buffer, each, values, stride, each, rows, cudaMemcpyDefault, stream));
  else
    IG_CUDA(cx,
            cudaMemcpy2DAsync(values, stride, buffer, each, each, rows, cudaMemcpyDefault, stream));
  return IG_OK;
}
