/* CUDA: the item kernels, and CUB for compaction and running sums. */
#include "fracture/cuda.h"
#include "backend/cuda/launch.cuh"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

enum { FRAC_THREADS = 128, FRAC_BLOCKS_PER_SM = 32 };
typedef void frac_kernel(const frac s, int64_t begin, int64_t n);

/* The last block to finish its nodes counts the step: spares a launch of its own. */
static __device__ __forceinline__ void frac_ticket(frac_count *count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(&count->ticket, 1) == (int)gridDim.x - 1) {
      count->ticket = 0;
      count->step += !count->full;
    }
  }
}

#define FRAC_DRIVERS "fracture/cuda_items.inc"
#include "kern/prec_f32.h"
#include "material/cohesive.inc"
#include "fracture/types.inc"
#include "kern/prec_f64.h"
#include "material/cohesive.inc"
#include "fracture/types.inc"

static frac_kernel *const *const tables[2][4] = {
    {tri3_kernels_f32, tri6_kernels_f32, tet4_kernels_f32, tet10_kernels_f32},
    {tri3_kernels_f64, tri6_kernels_f64, tet4_kernels_f64, tet10_kernels_f64}};

ig_status frac_cuda_run(ig_ctx *cx, int kind, int wide, frac_item item, const frac *s,
                        int64_t begin, int64_t n) {
  if (item == FRAC_advance || n == 0)
    return IG_OK; /* a step is counted with the last node */
  const int64_t most = n < 0 ? -n : n;
  const unsigned all = ig_cuda_blocks(most, FRAC_THREADS);
  const unsigned cap = (unsigned)ig_cuda_of(cx)->multiprocessors * FRAC_BLOCKS_PER_SM;
  const unsigned blocks = all < cap ? all : cap;
  frac_kernel *kernel = tables[wide][kind][item];
  kernel<<<blocks, FRAC_THREADS, 0, ig_cuda_stream(cx)>>>(*s, begin, n);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static cudaError_t select(void *temp, size_t *bytes, const frac *s, int faces,
                          cudaStream_t stream) {
  return cub::DeviceSelect::Flagged(temp, *bytes, thrust::counting_iterator<int32_t>(0), s->mark,
                                    s->opened, &s->count->broken, (int64_t)faces * s->ne, stream);
}
static cudaError_t sums(void *temp, size_t *bytes, const frac *s, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSum(temp, *bytes, s->extra, s->extra, s->node_max, stream);
}

ig_status frac_cuda_temp(ig_ctx *cx, const frac *s, int faces, size_t *bytes) {
  size_t a = 0, b = 0;
  IG_CUDA(cx, select(NULL, &a, s, faces, ig_cuda_stream(cx)));
  IG_CUDA(cx, sums(NULL, &b, s, ig_cuda_stream(cx)));
  *bytes = (a > b ? a : b) + 256;
  return IG_OK;
}
ig_status frac_cuda_compact(ig_ctx *cx, const frac *s, int faces) {
  size_t bytes = s->temp_bytes;
  IG_CUDA(cx, select(s->temp, &bytes, s, faces, ig_cuda_stream(cx)));
  return IG_OK;
}
ig_status frac_cuda_scan(ig_ctx *cx, const frac *s) {
  size_t bytes = s->temp_bytes;
  IG_CUDA(cx, sums(s->temp, &bytes, s, ig_cuda_stream(cx)));
  return IG_OK;
}
