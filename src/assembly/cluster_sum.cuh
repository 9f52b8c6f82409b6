/* What kernels with a block per cluster share, whatever their precision. */
#ifndef IG_CLUSTER_SUM_CUH
#define IG_CLUSTER_SUM_CUH

#include "assembly/cluster_sum.h"

/* How the sums of a block's cluster are made, into shared memory. Lists of the whole cluster at
   once, side by side in memory: the sums then read shared memory only. The caller has a barrier
   before it uses them. */
static __device__ __forceinline__ void ig_cluster_terms(const ig_cluster_view &v,
                                                        const ig_cluster &k, const int npe,
                                                        uint16_t *term, uint16_t *end) {
  for (int32_t i = (int32_t)threadIdx.x; i < k.count * npe; i += (int32_t)blockDim.x)
    term[i] = v.term[(int64_t)k.first * npe + i];
  for (int32_t i = (int32_t)threadIdx.x; i < k.nodes; i += (int32_t)blockDim.x)
    end[i] = v.end[k.node + i];
}

/* The nodes a thread has of its block's cluster, up to ROUNDS: numbers first, so that what lies
   there is asked for at once; -1: none. */
template <int ROUNDS>
static __device__ __forceinline__ void ig_cluster_own(const ig_cluster &k, const int32_t *node,
                                                      int32_t *own) {
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    const int32_t j = (int32_t)threadIdx.x + r * (int32_t)blockDim.x;
    own[r] = j < k.nodes ? node[k.node + j] : -1;
  }
}

#endif
