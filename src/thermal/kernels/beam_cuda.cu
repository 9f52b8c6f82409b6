/* Watts of the beams on the GPU: a block per step, a thread per target, then a thread per node.
   Weights of targets are added by one thread in the order of targets, as the CPU does: the same
   bits, and the sum is short beside the integrals. */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "thermal/kernels/beam_ops.h"
}

#include "thermal/source/beam.inc"

/* Blocks take the steps of a batch in turn, as these do not depend on each other. Per spot: weights
   of all targets by the block's threads, their sum by thread 0 in order, then each node adds up its
   shares. `met`: watts that landed, where power is lost beside the part.
 */
__global__ void __launch_bounds__(128) beam_power(const __grid_constant__ ig_beam_view v) {
  __shared__ double sum, part[128][2];
  double *out = v.scratch + v.share * blockIdx.x;
  for (int32_t i = (int32_t)blockIdx.x; i < v.steps; i += (int32_t)gridDim.x) {
    const ig_beam_step step = v.step[i];
    double met = 0; /* thread 0's */
    if (v.met && threadIdx.x == 0)
      v.met[i] = 0;
    if (step.zone < 0)
      continue;
    const ig_beam_zone c = v.zone[step.zone];
    const double *x = v.x + 3 * (int64_t)c.nodes;
    double *power = v.power + step.power;
    for (int32_t n = (int32_t)threadIdx.x; n < c.node_count; n += (int32_t)blockDim.x)
      power[n] = 0;
    for (int32_t k = 0; k < step.spot_count; k++) {
      const ig_beam_spot s = v.spot[step.spots + k];
      const ig_beam_shape *b = &v.shape[s.beam];
      beam_total all = {0, 0, -1}; /* thread 0's: in order, the same bits whatever else is near */
      for (int32_t base = 0; base < c.target_count; base += (int32_t)blockDim.x) {
        const int32_t t = base + (int32_t)threadIdx.x;
        part[threadIdx.x][1] = -1;
        if (t < c.target_count) {
          double *o = out + (int64_t)IG_BEAM_SCRATCH * t;
          beam_weigh(b, &s, v.beam[c.targets + t] == s.beam, v.points[c.targets + t], x,
                     v.corner + (int64_t)IG_BEAM_CORNERS * (c.targets + t), o);
          part[threadIdx.x][0] = o[8];
          part[threadIdx.x][1] = o[9];
        }
        __syncthreads();
        for (int32_t i = 0; threadIdx.x == 0 && i < (int32_t)blockDim.x; i++)
          beam_total_add(&all, base + i, part[i][0], part[i][1]);
        __syncthreads();
      }
      if (threadIdx.x == 0) {
        met += s.power * beam_landed(b, &all);
        sum = beam_whole(b, &all, out);
      }
      __syncthreads();
      for (int32_t n = (int32_t)threadIdx.x; n < c.node_count && sum > 0; n += (int32_t)blockDim.x)
        power[n] += s.power * (beam_share(&v, &c, step.zone, n, out) / sum);
      __syncthreads();
    }
    if (v.met && threadIdx.x == 0)
      v.met[i] = met;
  }
}

extern "C" ig_status ig_beam_power_cuda(ig_ctx *cx, const ig_beam_view *v) {
  beam_power<<<(unsigned)v->workers, 128, 0, ig_cuda_stream(cx)>>>(*v);
  IG_LAUNCHED(cx);
  return IG_OK;
}
