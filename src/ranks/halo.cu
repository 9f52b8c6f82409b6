/* Ghosts on the GPU: values of listed nodes into a buffer and back, in words of four bytes. */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "ranks/part.h"
}

__global__ void pack_kernel(const uint32_t *values, const int32_t *node, int64_t count, int words,
                            uint32_t *buffer) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < count * words)
    buffer[i] = values[(int64_t)node[i / words] * words + i % words];
}

__global__ void unpack_kernel(const uint32_t *buffer, const int32_t *node, int64_t count, int words,
                              uint32_t *values) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < count * words)
    values[(int64_t)node[i / words] * words + i % words] = buffer[i];
}

extern "C" ig_status ig_halo_pack_cuda(ig_ctx *cx, const void *values, const int32_t *node,
                                       int64_t count, int words, void *buffer) {
  pack_kernel<<<ig_cuda_blocks(count * words, 256), 256, 0, ig_cuda_stream(cx)>>>(
      (const uint32_t *)values, node, count, words, (uint32_t *)buffer);
  IG_LAUNCHED(cx);
  return IG_OK;
}

extern "C" ig_status ig_halo_unpack_cuda(ig_ctx *cx, const void *buffer, const int32_t *node,
                                         int64_t count, int words, void *values) {
  unpack_kernel<<<ig_cuda_blocks(count * words, 256), 256, 0, ig_cuda_stream(cx)>>>(
      (const uint32_t *)buffer, node, count, words, (uint32_t *)values);
  IG_LAUNCHED(cx);
  return IG_OK;
}
