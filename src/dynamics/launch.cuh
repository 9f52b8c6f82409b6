/* What the step's passes share on the GPU.

   Launches: each may be set up while the one before still runs, and waits for it on the device. A
   step of a small model is little else than launches. */
#ifndef IG_DYNAMICS_LAUNCH_CUH
#define IG_DYNAMICS_LAUNCH_CUH

#include "backend/cuda/launch.cuh"

/* First in a kernel: all that was launched before is done and seen; the next may be set up. */
__device__ __forceinline__ void ig_dyn_after(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

template <typename... Kernel, typename... Given>
static ig_status ig_dyn_launch(ig_ctx *cx, void (*kernel)(Kernel...), int64_t items, int threads,
                               const Given &...given) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(ig_cuda_blocks(items, threads));
  config.blockDim = dim3((unsigned)threads);
  config.stream = ig_cuda_stream(cx);
  config.attrs = &early;
  config.numAttrs = 1;
  IG_CUDA(cx, cudaLaunchKernelEx(&config, kernel, given...));
  return IG_OK;
}

/* Reading, writing and adding the `dofs` numbers of one particle, in as few requests as their place
   allows: six of them are three pairs. */
__device__ __forceinline__ float2 ig_dyn_pair(const float *from) {
  return *(const float2 *)from;
}
__device__ __forceinline__ double2 ig_dyn_pair(const double *from) {
  return *(const double2 *)from;
}
__device__ __forceinline__ void ig_dyn_pair(float *to, float a, float b) {
  *(float2 *)to = make_float2(a, b);
}
__device__ __forceinline__ void ig_dyn_pair(double *to, double a, double b) {
  *(double2 *)to = make_double2(a, b);
}
template <int dofs, typename T> __device__ __forceinline__ void ig_dyn_read(const T *from, T *to) {
#pragma unroll
  for (int c = 0; c < dofs; c += dofs == 6 ? 2 : 1)
    if constexpr (dofs == 6) {
      const auto two = ig_dyn_pair(from + c);
      to[c] = two.x, to[c + 1] = two.y;
    } else
      to[c] = from[c];
}
template <int dofs, typename T> __device__ __forceinline__ void ig_dyn_write(T *to, const T *from) {
#pragma unroll
  for (int c = 0; c < dofs; c += dofs == 6 ? 2 : 1)
    if constexpr (dofs == 6)
      ig_dyn_pair(to + c, from[c], from[c + 1]);
    else
      to[c] = from[c];
}
/* Adds to a force; another may be doing so now. `pitch` as in ig_dyn_particles. */
template <int dofs>
__device__ __forceinline__ void ig_dyn_add(double *to, int pitch, const double *f) {
  (void)pitch;
#pragma unroll
  for (int c = 0; c < dofs; c++)
    atomicAdd(to + c, f[c]);
}
template <int dofs>
__device__ __forceinline__ void ig_dyn_add(float *to, int pitch, const float *f) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 /* nobody reads here what is added: no clobber  \
                                                    */
  if (dofs == 6 || pitch == 6) {
#pragma unroll
    for (int c = 0; c + 1 < dofs; c += 2)
      asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(to + c), "f"(f[c]),
                   "f"(f[c + 1]));
    if (dofs == 3)
      atomicAdd(to + 2, f[2]);
  } else
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(f[0]),
                 "f"(f[1]), "f"(f[2]), "f"(0.0f));
#else
  (void)pitch;
#pragma unroll
  for (int c = 0; c < dofs; c++)
    atomicAdd(to + c, f[c]);
#endif
}

#endif
