/* Watts of the beams on the GPU: a block a step, a thread a target, then a thread a node. */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "thermal/beam_ops.h"
}

#include "thermal/beam.inc"

__global__ void __launch_bounds__(128) beam_power(const __grid_constant__ ig_beam_view v) {
  __shared__ double sum;
  double *out = v.scratch + v.room * blockIdx.x;
  for (int32_t i = (int32_t)blockIdx.x; i < v.steps; i += (int32_t)gridDim.x) {
    const ig_beam_step step = v.step[i];
    if (step.scene < 0)
      continue;
    const ig_beam_scene c = v.scene[step.scene];
    const double *x = v.x + 3 * (int64_t)c.nodes;
    double *power = v.power + step.power;
    for (int32_t n = (int32_t)threadIdx.x; n < c.node_count; n += (int32_t)blockDim.x)
      power[n] = 0;
    for (int32_t k = 0; k < step.shot_count; k++) {
      const ig_beam_shot s = v.shot[step.shots + k];
      const ig_beam_shape b = v.shape[s.beam];
      for (int32_t t = (int32_t)threadIdx.x; t < c.target_count; t += (int32_t)blockDim.x)
        beam_weigh(&b, &s, v.beam[c.targets + t] == s.beam, x,
                   v.corner + (int64_t)IG_BEAM_CORNERS * (c.targets + t),
                   out + (int64_t)IG_BEAM_SCRATCH * t);
      __syncthreads();
      if (threadIdx.x == 0) /* in order: the same bits whatever the scene holds besides */
        sum = beam_total(&b, c.target_count, out);
      __syncthreads();
      for (int32_t n = (int32_t)threadIdx.x; n < c.node_count && sum > 0; n += (int32_t)blockDim.x)
        power[n] += s.power * (beam_share(&v, &c, step.scene, n, out) / sum);
      __syncthreads();
    }
  }
}

extern "C" ig_status ig_beam_power_cuda(ig_ctx *cx, const ig_beam_view *v) {
  beam_power<<<(unsigned)v->rooms, 128, 0, ig_cuda_stream(cx)>>>(*v);
  IG_LAUNCHED(cx);
  return IG_OK;
}
