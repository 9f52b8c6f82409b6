/* Halo packing on the GPU: values of listed nodes into the buffers of all peers and back, in words
   of four bytes. One thread moves one word. A buffer may be pinned host memory, device memory, or a
   peer's device memory; the kernels do not distinguish them. */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "ranks/partition.h"
}

/* Address in a peer's buffer of word w of list item k. The peer is found by a linear search: there
   are at most IG_HALO_ENDS, and neighbouring threads take the same branch. */
static __device__ uint32_t *word_at(const ig_halo_ends &ends, int32_t k, ig_halo_words at, int w) {
  int p = 0;
  while (k >= ends.start[p + 1])
    p++;
  return ends.at[p] + (int64_t)(k - ends.start[p]) * at.stride + at.offset + w;
}

/* Address of word w of an item in the array it belongs to; from at.split on in the second array. */
static __device__ uint32_t *value_at(uint32_t *values, int32_t item, ig_halo_words at, int w) {
  if (at.split && item >= at.split)
    return (uint32_t *)at.more + (int64_t)(item - at.split) * at.words + w;
  return values + (int64_t)item * at.words + w;
}

__global__ void pack_kernel(uint32_t *values, const int32_t *node, ig_halo_ends ends,
                            ig_halo_words at) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int64_t k = ends.start[0] + i / at.words;
  const int w = (int)(i % at.words);
  if (k < ends.start[ends.count])
    *word_at(ends, (int32_t)k, at, w) = *value_at(values, node[k], at, w);
}

__global__ void unpack_kernel(const int32_t *node, ig_halo_ends ends, ig_halo_words at,
                              uint32_t *values) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int64_t k = ends.start[0] + i / at.words;
  const int w = (int)(i % at.words);
  if (k < ends.start[ends.count])
    *value_at(values, node[k], at, w) = *word_at(ends, (int32_t)k, at, w);
}

static unsigned blocks_of(const ig_halo_ends *ends, ig_halo_words at) {
  return ig_cuda_blocks((int64_t)(ends->start[ends->count] - ends->start[0]) * at.words, 256);
}

extern "C" ig_status ig_halo_pack_cuda(ig_ctx *cx, void *values, const int32_t *node,
                                       const ig_halo_ends *ends, ig_halo_words at) {
  if (ends->start[ends->count] == ends->start[0])
    return IG_OK;
  pack_kernel<<<blocks_of(ends, at), 256, 0, ig_cuda_stream(cx)>>>((uint32_t *)values, node, *ends,
                                                                   at);
  IG_LAUNCHED(cx);
  return IG_OK;
}

extern "C" ig_status ig_halo_unpack_cuda(ig_ctx *cx, const int32_t *node, const ig_halo_ends *ends,
                                         ig_halo_words at, void *values) {
  if (ends->start[ends->count] == ends->start[0])
    return IG_OK;
  unpack_kernel<<<blocks_of(ends, at), 256, 0, ig_cuda_stream(cx)>>>(node, *ends, at,
                                                                     (uint32_t *)values);
  IG_LAUNCHED(cx);
  return IG_OK;
}
