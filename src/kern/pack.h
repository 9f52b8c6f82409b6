/* Pack types, and the few operations a pack needs beyond + - * /.

   A pack is a vector of gcc and clang (vector_size): operators work lane by lane, comparisons give
   masks of integers, all ones where true. A kernel source has no `if` on a REAL, since lanes may
   differ: R_IFGT(a, b, x, y) selects, R_ANYGT(a, b) tells whether any lane goes on. Both sides of a
   selection are computed, so neither may trap or lose time.

   The first half is once per file; the second sets the macros of real_math.h for the pack in use.
 */
#ifndef IG_KERN_PACK_H
#define IG_KERN_PACK_H

#include "kern/hd.h"

/* width of the machine's registers; a compiler option may set another */
#if defined(IG_PACK_BYTES)
#elif defined(__AVX512F__)
#define IG_PACK_BYTES 64
#elif defined(__AVX__)
#define IG_PACK_BYTES 32
#else
#define IG_PACK_BYTES 16
#endif
#define IG_PACK_F64 (IG_PACK_BYTES / 8)
#define IG_PACK_F32 (IG_PACK_BYTES / 4)

typedef double ig_pack_f64 __attribute__((vector_size(IG_PACK_BYTES)));
typedef float ig_pack_f32 __attribute__((vector_size(IG_PACK_BYTES)));
typedef int64_t ig_mask_f64 __attribute__((vector_size(IG_PACK_BYTES)));
typedef int32_t ig_mask_f32 __attribute__((vector_size(IG_PACK_BYTES)));

/* Lane by lane, where there is no vector form: compilers make one of sqrt, none of exp, log, pow
   (for exp and log see pack_math.h). */
#define IG_PACK_EACH(suffix, n, expression)                                                        \
  ig_pack_##suffix r = {0};                                                                        \
  for (int l = 0; l < (n); l++)                                                                    \
    r[l] = (expression);                                                                           \
  return r

#define IG_PACK_DEFINE(suffix, T, n, m)                                                            \
  IG_HD ig_pack_##suffix ig_sqrt_##suffix(ig_pack_##suffix a) {                                    \
    IG_PACK_EACH(suffix, n, sqrt##m(a[l]));                                                        \
  }                                                                                                \
  IG_HD ig_pack_##suffix ig_exp_##suffix(ig_pack_##suffix a) {                                     \
    IG_PACK_EACH(suffix, n, exp##m(a[l]));                                                         \
  }                                                                                                \
  IG_HD ig_pack_##suffix ig_log_##suffix(ig_pack_##suffix a) {                                     \
    IG_PACK_EACH(suffix, n, log##m(a[l]));                                                         \
  }                                                                                                \
  IG_HD ig_pack_##suffix ig_pow_##suffix(ig_pack_##suffix a, ig_pack_##suffix b) {                 \
    IG_PACK_EACH(suffix, n, pow##m(a[l], b[l]));                                                   \
  }                                                                                                \
  /* a > b ? x : y, lane by lane */                                                                \
  IG_HD ig_pack_##suffix ig_ifgt_##suffix(ig_pack_##suffix a, ig_pack_##suffix b,                  \
                                          ig_pack_##suffix x, ig_pack_##suffix y) {                \
    const ig_mask_##suffix k = a > b;                                                              \
    return (ig_pack_##suffix)(((ig_mask_##suffix)x & k) | ((ig_mask_##suffix)y & ~k));             \
  }                                                                                                \
  IG_HD ig_pack_##suffix ig_max_##suffix(ig_pack_##suffix a, ig_pack_##suffix b) {                 \
    return ig_ifgt_##suffix(a, b, a, b);                                                           \
  }                                                                                                \
  IG_HD ig_pack_##suffix ig_min_##suffix(ig_pack_##suffix a, ig_pack_##suffix b) {                 \
    return ig_ifgt_##suffix(a, b, b, a);                                                           \
  }                                                                                                \
  IG_HD ig_pack_##suffix ig_abs_##suffix(ig_pack_##suffix a) {                                     \
    return ig_max_##suffix(a, -a);                                                                 \
  }                                                                                                \
  IG_HD int ig_anygt_##suffix(ig_pack_##suffix a, ig_pack_##suffix b) {                            \
    const ig_mask_##suffix k = a > b;                                                              \
    int any = 0;                                                                                   \
    for (int l = 0; l < (n); l++)                                                                  \
      any |= k[l] != 0;                                                                            \
    return any;                                                                                    \
  }
IG_PACK_DEFINE(f64, double, IG_PACK_F64, )
IG_PACK_DEFINE(f32, float, IG_PACK_F32, f)
#undef IG_PACK_DEFINE
#undef IG_PACK_EACH
#include "kern/pack_math.h"

#endif

#undef R_SQRT
#undef R_EXP
#undef R_LOG
#undef R_POW
#undef R_LANE_LOG
#undef R_LANE_EXP
#undef R_FMAX
#undef R_FMIN
#undef R_FABS
#undef R_OF
#undef R_IFGT
#undef R_ANYGT
#if IG_IS_F64
#define R_SQRT ig_sqrt_f64
#define R_EXP ig_exp_f64
#define R_LOG ig_log_f64
#define R_POW ig_pow_f64
#define R_LANE_LOG ig_lane_log_f64
#define R_LANE_EXP ig_lane_exp_f64
#define R_IFGT ig_ifgt_f64
#define R_ANYGT ig_anygt_f64
#define R_FMAX ig_max_f64
#define R_FMIN ig_min_f64
#define R_FABS ig_abs_f64
#else
#define R_SQRT ig_sqrt_f32
#define R_EXP ig_exp_f32
#define R_LOG ig_log_f32
#define R_POW ig_pow_f32
#define R_LANE_LOG ig_lane_log_f32
#define R_LANE_EXP ig_lane_exp_f32
#define R_IFGT ig_ifgt_f32
#define R_ANYGT ig_anygt_f32
#define R_FMAX ig_max_f32
#define R_FMIN ig_min_f32
#define R_FABS ig_abs_f32
#endif
#define R_OF(scalar) ((SCALAR)(scalar) - (REAL){0}) /* the same in every lane */
