/* Host and device: functions that both the C compiler and nvcc take. */
#ifndef IG_KERN_HD_H
#define IG_KERN_HD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define IG_HD static __host__ __device__ __forceinline__
#elif defined(__SANITIZE_ADDRESS__) || defined(INGOT_UNINLINED)
/* inlined everywhere, checked code takes minutes to compile; so does code without optimisation */
#define IG_HD static inline __attribute__((unused))
#else
#define IG_HD static inline __attribute__((always_inline, unused))
#endif
#ifdef __CUDA_ARCH__ /* nvcc's host pass does not know the pragma */
#define IG_UNROLL _Pragma("unroll")
#else
#define IG_UNROLL
#endif

#endif
