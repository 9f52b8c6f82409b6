/* Sums over a grid of blocks without atomics on the values: each block leaves its part, the last
   one to arrive adds the parts in order. The same result for the same launch, always. Used inside
   of kernels that compute what they sum. */
#ifndef IG_SOLVER_REDUCE_CUH
#define IG_SOLVER_REDUCE_CUH

/* sum over the threads of a block, valid in thread 0; up to 1024 threads, any shape */
static __device__ __forceinline__ double ig_block_sum(double v) {
  __shared__ double part[32];
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int threads = blockDim.x * blockDim.y * blockDim.z, lane = thread & 31, warp = thread >> 5;
  for (int o = 16; o; o >>= 1)
    v += __shfl_down_sync(0xffffffffu, v, o);
  __syncthreads();
  if (lane == 0)
    part[warp] = v;
  __syncthreads();
  v = thread < (threads + 31) / 32 ? part[thread] : 0;
  if (warp == 0)
    for (int o = 16; o; o >>= 1)
      v += __shfl_down_sync(0xffffffffu, v, o);
  return v;
}

/* The same as one of n sums: a call where so many would be a long kernel, which takes the compiler
   half a minute. */
static __device__ __noinline__ __attribute__((unused)) double ig_block_sum_called(double v) {
  return ig_block_sum(v);
}
static __device__ __forceinline__ double ig_block_sum_of(int n, double v) {
  return n > 4 ? ig_block_sum_called(v) : ig_block_sum(v);
}

/* True in every thread of the block that arrives last, with the N sums over all blocks in `total`
   (valid in thread 0). `partial` has space for N gridDim values. */
template <int N>
static __device__ __forceinline__ bool ig_grid_sums(const double *v, double *partial,
                                                    unsigned *arrived, double *total) {
  __shared__ bool last;
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int threads = blockDim.x * blockDim.y * blockDim.z;
#pragma unroll
  for (int q = 0; q < N; q++) {
    const double s = ig_block_sum_of(N, v[q]);
    if (thread == 0)
      partial[q * blocks + block] = s;
  }
  if (thread == 0) {
    __threadfence();
    last = atomicAdd(arrived, 1u) == blocks - 1;
  }
  __syncthreads();
  if (!last)
    return false;
  __threadfence();
#pragma unroll(N > 4 ? 1 : N)
  for (int q = 0; q < N; q++) {
    double s = 0;
    for (unsigned b = thread; b < blocks; b += threads)
      s += ((volatile double *)partial)[q * blocks + b];
    total[q] = ig_block_sum_of(N, s);
  }
  if (thread == 0)
    *arrived = 0;
  return true;
}

static __device__ __forceinline__ bool ig_grid_sum(double v, double *partial, unsigned *arrived,
                                                   double *total) {
  return ig_grid_sums<1>(&v, partial, arrived, total);
}

#endif
