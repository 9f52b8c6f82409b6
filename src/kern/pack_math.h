/* Logarithm and exponential of a pack, all lanes at once: the C library's take one number at a time
   and cost more than the rest of a return mapping. Right to a few units of the last digit. No
   special values: log takes normal positive numbers, exp clamps its argument to +-80 (float) and
   +-700. Included by pack.h. */
#ifndef IG_KERN_PACK_MATH_H
#define IG_KERN_PACK_MATH_H

/* log x = e log 2 + log m, m in [sqrt 1/2, sqrt 2); with s = (m - 1) / (m + 1)
   log m = 2 (s + s^3/3 + s^5/5 ...), s^2 < 0.0295. exp y = 2^k (exp r)^2, |r| <= log(2)/4, by its
   series. Both sums are split into even and odd terms, which do not wait for each other.
   bits, bias: of the fraction and the exponent; half: the bits of sqrt 1/2; terms: pairs of them.
 */
#define IG_PACK_MATH(suffix, T, bits, bias, half, log_terms, exp_terms, most, high, low)           \
  IG_HD ig_pack_##suffix ig_lane_log_##suffix(ig_pack_##suffix x) {                                \
    const ig_mask_##suffix e = ((ig_mask_##suffix)x - (half)) >> (bits);                           \
    const ig_pack_##suffix m = (ig_pack_##suffix)((ig_mask_##suffix)x - (e << (bits)));            \
    const ig_pack_##suffix k = __builtin_convertvector(e, ig_pack_##suffix);                       \
    const ig_pack_##suffix s = (m - 1) / (m + 1), z = s * s, y = z * z;                            \
    ig_pack_##suffix p = {0}, q = {0};                                                             \
    IG_UNROLL                                                                                      \
    for (int i = 2 * (log_terms)-1; i > 0; i -= 2) {                                               \
      p = p * y + (T)2 / (2 * i + 1);                                                              \
      q = q * y + (T)2 / (2 * i + 3);                                                              \
    }                                                                                              \
    return k * (T)(high) + (2 * s + (s * z * (p + z * q) + k * (T)(low)));                         \
  }                                                                                                \
  IG_HD ig_pack_##suffix ig_lane_exp_##suffix(ig_pack_##suffix y) {                                \
    const ig_pack_##suffix end = (ig_pack_##suffix){0} + (T)(most);                                \
    y = ig_min_##suffix(ig_max_##suffix(y, -end), end);                                            \
    const ig_pack_##suffix t = y * (T)1.4426950408889634 + ((T)0.5 + (T)(bias));                   \
    const ig_mask_##suffix k = __builtin_convertvector(t, ig_mask_##suffix);                       \
    const ig_pack_##suffix n = __builtin_convertvector(k - (bias), ig_pack_##suffix);              \
    const ig_pack_##suffix r = (T)0.5 * ((y - n * (T)(high)) - n * (T)(low)), z = r * r;           \
    ig_pack_##suffix p = {0}, q = {0};                                                             \
    IG_UNROLL                                                                                      \
    for (int i = (exp_terms); i >= 0; i--) {                                                       \
      p = p * z + (T)ig_inverse_factorial[2 * i];                                                  \
      q = q * z + (T)ig_inverse_factorial[2 * i + 1];                                              \
    }                                                                                              \
    p = p + r * q;                                                                                 \
    return p * p * (ig_pack_##suffix)(k << (bits));                                                \
  }
static const double ig_inverse_factorial[] = {1.,         1.,          1. / 2,       1. / 6,
                                              1. / 24,    1. / 120,    1. / 720,     1. / 5040,
                                              1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800};
/* high + low = log 2; high has zeros at its end, so that k high is exact */
IG_PACK_MATH(f64, double, 52, 1023, 0x3fe6a09e667f3bcd, 5, 5, 700, 0x1.62e42feep-1,
             0x1.a39ef35793c76p-33)
IG_PACK_MATH(f32, float, 23, 127, 0x3f3504f3, 2, 2, 80, 0x1.62e4p-1f, 0x1.7f7d1cp-20f)
#undef IG_PACK_MATH

#endif
