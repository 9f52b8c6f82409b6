/* a b + c and c - a b, rounded once. Written out where a result must not depend on which copy of a
   loop computed it: left to itself a compiler fuses a product into a sum in one copy (a vector
   loop, its rest, another driver) and not in another. gcc 13, for instance, makes no chain of fused
   operations for Intel's and AMD's newer processors in vectors of up to 32 bytes, where the sum
   stays in a register. Sources with such bits are compiled with -ffp-contract=off (CMakeLists.txt).
   Without the instruction, as in builds for any x86-64, products are rounded first. */
#ifndef IG_KERN_FMA_H
#define IG_KERN_FMA_H

#include "kern/hd.h"

#if defined(__CUDA_ARCH__) || defined(__FP_FAST_FMAF) || defined(__FMA__) || defined(__aarch64__)
#define IG_FUSED(m, a, b, c) fma##m(a, b, c)
#else
#define IG_FUSED(m, a, b, c) ((a) * (b) + (c))
#endif
IG_HD float ig_fma_f32(float a, float b, float c) {
  return IG_FUSED(f, a, b, c);
}
IG_HD float ig_fnma_f32(float a, float b, float c) {
  return IG_FUSED(f, -a, b, c);
}
IG_HD double ig_fma_f64(double a, double b, double c) {
  return IG_FUSED(, a, b, c);
}
IG_HD double ig_fnma_f64(double a, double b, double c) {
  return IG_FUSED(, -a, b, c);
}
#undef IG_FUSED

#endif
