/* CUDA: for comparison only, the element kernel of Alhadeff et al. (2015): stored 12 x 12 matrices,
   twelve threads per element, transposed so that neighbouring threads read neighbouring entries;
   sums by atomics. */
#include "assembly/scatter.h"
#include "fracture/kernels/items_cuda.h"
#include "backend/cuda/launch.cuh"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "material/cohesive.inc"
#include "fracture/kernels/types.inc"

enum { STORED_PER_BLOCK = 16 };

/* Column c of the stiffness of element e is the force of a unit displacement c. */
static __global__ void stored_build(const __grid_constant__ ig_frac_state s, double *k) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int32_t e = (int32_t)(i / 12), column = (int32_t)(i % 12);
  if (e >= s.ne)
    return;
  double x[3][2], u[6][2] = {{0}}, f[6][2];
  const ig_frac_elastic *m = &s.elastic[s.topo.mat[e]];
  tri6_load_x_f64(&s, e, x);
  for (int a = 0; a < 6; a++)
    for (int d = 0; d < 2; d++)
      u[a][d] = column == 2 * a + d;
  tri6_force_small_f64(x, u, m->c11, m->c12, m->mu, s.thickness, f);
  for (int a = 0; a < 6; a++)
    for (int d = 0; d < 2; d++)
      k[e * (int64_t)144 + column * 12 + 2 * a + d] = f[a][d];
}

/* Row `row` of element `local` of the block: entries k[c * 12 + row] of neighbouring threads are
   adjacent. */
static __global__ void __launch_bounds__(12 * STORED_PER_BLOCK)
    stored_apply(const __grid_constant__ ig_frac_state s, const double *k, double *f) {
  __shared__ double u[STORED_PER_BLOCK][12];
  const int local = threadIdx.x / 12, row = threadIdx.x % 12;
  const int32_t e = blockIdx.x * STORED_PER_BLOCK + local;
  int64_t at = 0;
  if (e < s.ne) {
    at = (int64_t)s.topo.conn[(int64_t)(row / 2) * s.ne + e] * 2 + row % 2;
    u[local][row] = ((const double *)s.nodal.u)[at];
  }
  __syncthreads();
  if (e >= s.ne)
    return;
  double sum = 0;
  for (int c = 0; c < 12; c++)
    sum += k[e * (int64_t)144 + c * 12 + row] * u[local][c];
  atomicAdd(&f[at], -sum);
}

/* The second of two passes is timed: the first warms up. */
ig_status ig_frac_cuda_stored(ig_ctx *cx, const ig_frac_state *s, int repeats, double *seconds) {
  double *k = NULL, *f = NULL;
  cudaStream_t stream = ig_cuda_stream(cx);
  const size_t sums = (size_t)s->node_max * 2 * sizeof(double);
  IG_CUDA(cx, cudaMalloc((void **)&k, (size_t)s->ne * 144 * sizeof(double)));
  cudaError_t error = cudaMalloc((void **)&f, sums);
  if (error == cudaSuccess)
    error = cudaMemsetAsync(f, 0, sums, stream);
  if (error == cudaSuccess) {
    stored_build<<<ig_cuda_blocks((int64_t)s->ne * 12, 128), 128, 0, stream>>>(*s, k);
    for (int pass = 0; pass < 2; pass++) {
      cudaStreamSynchronize(stream);
      const double start = ig_now();
      for (int i = 0; i < repeats; i++)
        stored_apply<<<ig_cuda_blocks(s->ne, STORED_PER_BLOCK), 12 * STORED_PER_BLOCK, 0, stream>>>(
            *s, k, f);
      cudaStreamSynchronize(stream);
      *seconds = (ig_now() - start) / repeats;
    }
    error = cudaGetLastError();
  }
  cudaFree(k);
  cudaFree(f);
  IG_CUDA(cx, error);
  return IG_OK;
}
