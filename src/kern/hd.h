/* Host and device: functions that both the C compiler and nvcc take.

   Kernel sources (*.inc) are written once, in the C that both compilers accept, with REAL for the
   number, FN(name) for functions and LIT(x) for constants. A driver includes prec_f32.h or
   prec_f64.h (one number), pack_f32.h or pack_f64.h (as many elements as a vector register holds)
   or prec_dual.h (a number and its derivatives) and then the source, which so becomes a set of
   functions name_f32, name_f64, name_p32, name_p64, name_dual. The CPU and the GPU compute with the
   same text. */
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
/* loops over components: unrolled, their arrays are registers; the C compiler unrolls by itself */
#define IG_UNROLL _Pragma("unroll")
#else
#define IG_UNROLL
#endif

#endif
