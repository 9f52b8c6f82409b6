/* ig_fma and ig_fnma of fma.h for packs, one instruction each: compilers do not always make one of
   lanes that are fused one by one. Other processors than those named have to rely on that. */
#ifndef IG_KERN_PACK_FMA_H
#define IG_KERN_PACK_FMA_H

#include "kern/fma.h"
#include "kern/pack.h"

/* s, d: how intrinsics and their vectors end; f: the lane's type */
#if IG_PACK_BYTES == 64 && defined(__AVX512F__)
#include <immintrin.h>
#define IG_PACK_FUSED(name, s, d, f, a, b, c)                                                      \
  _mm512_##name##add_p##s((__m512##d)(a), (__m512##d)(b), (__m512##d)(c))
#elif IG_PACK_BYTES == 32 && defined(__FMA__)
#include <immintrin.h>
#define IG_PACK_FUSED(name, s, d, f, a, b, c)                                                      \
  _mm256_##name##add_p##s((__m256##d)(a), (__m256##d)(b), (__m256##d)(c))
#elif IG_PACK_BYTES == 16 && defined(__aarch64__)
#include <arm_neon.h>
#define IG_PACK_FUSED(name, s, d, f, a, b, c) ig_neon_##name##_##f(a, b, c)
#define ig_neon_fm_f32(a, b, c) vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b))
#define ig_neon_fnm_f32(a, b, c) vfmsq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b))
#define ig_neon_fm_f64(a, b, c) vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#define ig_neon_fnm_f64(a, b, c) vfmsq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#else
#define IG_PACK_FUSED(name, s, d, f, a, b, c)                                                      \
  ({                                                                                               \
    ig_pack_##f r = c;                                                                             \
    for (int l = 0; l < (int)(sizeof r / sizeof r[0]); l++)                                        \
      r[l] = ig_##name##a_##f((a)[l], (b)[l], (c)[l]);                                             \
    r;                                                                                             \
  })
#endif

IG_HD ig_pack_f32 ig_fma_p32(ig_pack_f32 a, ig_pack_f32 b, ig_pack_f32 c) {
  return (ig_pack_f32)IG_PACK_FUSED(fm, s, , f32, a, b, c);
}
IG_HD ig_pack_f32 ig_fnma_p32(ig_pack_f32 a, ig_pack_f32 b, ig_pack_f32 c) {
  return (ig_pack_f32)IG_PACK_FUSED(fnm, s, , f32, a, b, c);
}
IG_HD ig_pack_f64 ig_fma_p64(ig_pack_f64 a, ig_pack_f64 b, ig_pack_f64 c) {
  return (ig_pack_f64)IG_PACK_FUSED(fm, d, d, f64, a, b, c);
}
IG_HD ig_pack_f64 ig_fnma_p64(ig_pack_f64 a, ig_pack_f64 b, ig_pack_f64 c) {
  return (ig_pack_f64)IG_PACK_FUSED(fnm, d, d, f64, a, b, c);
}
#undef IG_PACK_FUSED

#endif
