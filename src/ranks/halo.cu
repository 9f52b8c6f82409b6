/* Ghosts on the GPU: values of listed nodes into a buffer and back, in words of four bytes. The
   buffers are pinned memory of the host, which the GPU writes and reads itself. */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "ranks/part.h"
}

__global__ void pack_kernel(const uint32_t *values, const int32_t *node, int64_t count,
                            ig_halo_words at, uint32_t *buffer) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, k = i / at.words;
  const int w = (int)(i % at.words);
  if (k < count)
    buffer[k * at.stride + at.offset + w] = values[(int64_t)node[k] * at.words + w];
}

__global__ void unpack_kernel(const uint32_t *buffer, const int32_t *node, int64_t count,
                              ig_halo_words at, uint32_t *values) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, k = i / at.words;
  const int w = (int)(i % at.words);
  if (k < count)
    values[(int64_t)node[k] * at.words + w] = buffer[k * at.stride + at.offset + w];
}

extern "C" ig_status ig_halo_pack_cuda(ig_ctx *cx, const void *values, const int32_t *node,
                                       int64_t count, ig_halo_words at, void *buffer) {
  pack_kernel<<<ig_cuda_blocks(count * at.words, 256), 256, 0, ig_cuda_stream(cx)>>>(
      (const uint32_t *)values, node, count, at, (uint32_t *)buffer);
  IG_LAUNCHED(cx);
  return IG_OK;
}

extern "C" ig_status ig_halo_unpack_cuda(ig_ctx *cx, const void *buffer, const int32_t *node,
                                         int64_t count, ig_halo_words at, void *values) {
  unpack_kernel<<<ig_cuda_blocks(count * at.words, 256), 256, 0, ig_cuda_stream(cx)>>>(
      (const uint32_t *)buffer, node, count, at, (uint32_t *)values);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* An event after all that was launched so far. */
extern "C" ig_status ig_halo_mark_cuda(ig_ctx *cx, void **mark) {
  if (!*mark) {
    cudaEvent_t event;
    IG_CUDA(cx, cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    *mark = event;
  }
  IG_CUDA(cx, cudaEventRecord((cudaEvent_t)*mark, ig_cuda_stream(cx)));
  return IG_OK;
}

extern "C" ig_status ig_halo_wait_cuda(ig_ctx *cx, void *mark) {
  IG_CUDA(cx, cudaEventSynchronize((cudaEvent_t)mark));
  return IG_OK;
}

extern "C" void ig_halo_mark_free_cuda(void *mark) {
  if (mark)
    cudaEventDestroy((cudaEvent_t)mark);
}
