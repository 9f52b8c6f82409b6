/* What the step's passes share on the GPU: launches by programmatic dependent launch. Each
   kernel may be set up while the one before still runs, and waits for it on the device
   (griddepcontrol, for sm_90 and newer). A step of a small model is little else than launches. */
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

/* Launches `kernel` with one thread per item, `threads` to a block. Fails if the launch is
   refused. */
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

#endif
