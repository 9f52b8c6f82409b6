/* For .cu files: the context's stream, and checks that turn a CUDA error into an ig_status. A
   kernel is launched on ig_cuda_stream(cx) and no other: order is what keeps arrays consistent,
   there are no events between kernels. */
#ifndef IG_CUDA_LAUNCH_CUH
#define IG_CUDA_LAUNCH_CUH

#include "backend/backend.h"
#include <cuda_runtime.h>

/* Launches that sum are laid out for this many multiprocessors (an H200 has them), whatever the
   device has: the order of a sum, and so its bits, is the same on every GPU. */
enum { IG_CUDA_UNITS = 132 };

/* The backend's state: one stream for work, one for copies out. */
struct ig_cuda {
  cudaStream_t work, copy;
  /* Both are created without the implicit waits on CUDA's default stream. */
  struct ig_cuda_book *book; /* of allocations (cuda.cu) */
  /* of the device; for reports, and for launches whose result does not depend on their number */
  int multiprocessors;
  double *partial; /* device: one partial sum per block, for reductions */
  double *total;   /* pinned host */
};

/* cx->device belongs to the backend that opened the context: only for contexts of `cuda`. */
static inline ig_cuda *ig_cuda_of(ig_ctx *cx) {
  return (ig_cuda *)cx->device;
}
static inline cudaStream_t ig_cuda_stream(ig_ctx *cx) {
  return ig_cuda_of(cx)->work;
}

/* In functions that return ig_status: a CUDA error is IG_DEVICE, with the text of the call. */
#define IG_CUDA(cx, call)                                                                          \
  do {                                                                                             \
    const cudaError_t ig_cuda_error_ = (call);                                                     \
    if (ig_cuda_error_ != cudaSuccess)                                                             \
      return IG_FAIL(cx, IG_DEVICE, "%s: %s", #call, cudaGetErrorString(ig_cuda_error_));          \
  } while (0)

/* After a launch: kernel<<<grid, block, shared, ig_cuda_stream(cx)>>>(…); IG_LAUNCHED(cx); */
#define IG_LAUNCHED(cx) IG_CUDA(cx, cudaGetLastError())

/* Blocks of `threads` threads that cover n items. At least one: CUDA takes a launch of nothing for
   an error, which one rank alone would meet. Kernels look where they end. */
static inline unsigned ig_cuda_blocks(int64_t n, int threads) {
  return n > 0 ? (unsigned)((n + threads - 1) / threads) : 1;
}

#endif
