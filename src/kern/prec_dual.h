/* Dual numbers for the kernel sources included after this: a value and its derivatives by IG_DUAL
   directions (forward-mode automatic differentiation), so that the code that computes a force
   computes its exact tangent, too: f(x + e) = f(x) + f'(x) e with e^2 = 0. C++ only, as C has no
   operators for structs. It looks like a pack to kernel sources (REAL beside SCALAR): state is kept
   in IG_DUAL + 1 numbers each, and data that do not depend on the directions stay plain numbers.
   Not guarded: it is included often. */
#ifndef __cplusplus
#error "dual numbers need C++"
#endif
#include "kern/prec_f64.h"

#ifndef IG_KERN_DUAL
#define IG_KERN_DUAL
/* Value and directions fill one register of 64 bytes where there are such, else one or two smaller
   ones: the displacements of a node. More directions take several passes; eight numbers in four
   registers of 16 bytes spill everywhere, and take the compiler many minutes. */
#ifdef __AVX512F__
enum { IG_DUAL = 7 };
#else
enum { IG_DUAL = 3 };
#endif
typedef double ig_dual_lanes __attribute__((vector_size(8 * (IG_DUAL + 1)), may_alias));
/* lane 0: the value; the others: derivatives */
struct __attribute__((may_alias)) ig_dual {
  ig_dual_lanes a;
  typedef double __attribute__((may_alias)) lane;
  lane &operator[](int i) { return ((lane *)&a)[i]; }
};
#define IG_DUAL_HD static inline __attribute__((always_inline, unused))
IG_DUAL_HD double ig_value(ig_dual x) {
  return x.a[0];
}
/* value v, derivatives those of x times s */
IG_DUAL_HD ig_dual ig_chain(double v, ig_dual x, double s) {
  ig_dual r = {x.a * s};
  r.a[0] = v;
  return r;
}
IG_DUAL_HD ig_dual ig_dual_of(double v) {
  return (ig_dual){(ig_dual_lanes){v}};
}
IG_DUAL_HD ig_dual operator+(ig_dual x, ig_dual y) {
  return (ig_dual){x.a + y.a};
}
IG_DUAL_HD ig_dual operator-(ig_dual x, ig_dual y) {
  return (ig_dual){x.a - y.a};
}
IG_DUAL_HD ig_dual operator-(ig_dual x) {
  return (ig_dual){-x.a};
}
IG_DUAL_HD ig_dual operator+(ig_dual x, double y) {
  x.a[0] += y;
  return x;
}
IG_DUAL_HD ig_dual operator+(double x, ig_dual y) {
  return y + x;
}
IG_DUAL_HD ig_dual operator-(ig_dual x, double y) {
  x.a[0] -= y;
  return x;
}
IG_DUAL_HD ig_dual operator-(double x, ig_dual y) {
  ig_dual r = {-y.a};
  r.a[0] = x - y.a[0];
  return r;
}
IG_DUAL_HD ig_dual operator*(ig_dual x, double y) {
  return (ig_dual){x.a * y};
}
IG_DUAL_HD ig_dual operator*(double x, ig_dual y) {
  return (ig_dual){y.a * x};
}
IG_DUAL_HD ig_dual operator*(ig_dual x, ig_dual y) {
  ig_dual_lanes z = y.a;
  z[0] = 0; /* x0 y + y0 x without x0 y0 twice */
  return (ig_dual){x.a * y.a[0] + z * x.a[0]};
}
IG_DUAL_HD ig_dual operator/(ig_dual x, double y) {
  return (ig_dual){x.a * (1 / y)};
}
IG_DUAL_HD ig_dual operator/(double x, ig_dual y) {
  const double i = 1 / y.a[0];
  return ig_chain(x * i, y, -x * i * i);
}
IG_DUAL_HD ig_dual operator/(ig_dual x, ig_dual y) {
  return x * (1.0 / y);
}
IG_DUAL_HD ig_dual &operator+=(ig_dual &x, ig_dual y) {
  x = x + y;
  return x;
}
/* The slope at 0 is infinite; 0 is taken: what vanishes there (a norm) then has no derivative. */
IG_DUAL_HD ig_dual ig_dual_sqrt(ig_dual x) {
  const double r = sqrt(x.a[0]);
  return ig_chain(r, x, r > 0 ? 0.5 / r : 0);
}
IG_DUAL_HD ig_dual ig_dual_exp(ig_dual x) {
  const double r = exp(x.a[0]);
  return ig_chain(r, x, r);
}
IG_DUAL_HD ig_dual ig_dual_log(ig_dual x) {
  return ig_chain(log(x.a[0]), x, 1 / x.a[0]);
}
IG_DUAL_HD ig_dual ig_dual_pow(ig_dual x, ig_dual y) {
  return ig_dual_exp(y * ig_dual_log(x));
}
/* Branches are chosen by values alone; so are the larger and the smaller. */
IG_DUAL_HD ig_dual ig_dual_if(ig_dual a, ig_dual b, ig_dual x, ig_dual y) {
  return a.a[0] > b.a[0] ? x : y;
}
IG_DUAL_HD ig_dual ig_dual_max(ig_dual a, ig_dual b) {
  return a.a[0] > b.a[0] ? a : b;
}
IG_DUAL_HD ig_dual ig_dual_min(ig_dual a, ig_dual b) {
  return a.a[0] > b.a[0] ? b : a;
}
IG_DUAL_HD ig_dual ig_dual_abs(ig_dual a) {
  return a.a[0] < 0 ? -a : a;
}
#endif

#undef REAL
#undef FN
#undef IG_LANES
#undef IG_IS_PACK
#define REAL ig_dual
#define FN(name) name##_dual
#define IG_LANES 1
#define IG_IS_PACK 1
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
#undef R_CHAIN
#define R_SQRT ig_dual_sqrt
#define R_EXP ig_dual_exp
#define R_LOG ig_dual_log
#define R_POW ig_dual_pow
#define R_LANE_LOG ig_dual_log
#define R_LANE_EXP ig_dual_exp
#define R_IFGT ig_dual_if
#define R_ANYGT(x, y) (ig_value(x) > ig_value(y))
#define R_FMAX ig_dual_max
#define R_FMIN ig_dual_min
#define R_FABS ig_dual_abs
#define R_OF(scalar) ig_dual_of((double)(scalar))
#define R_CHAIN(value, at, slope) ig_chain(ig_value(value), at, ig_value(slope))
#ifndef IG_KERN_DUAL_SHARED /* what every kernel may use, once per file */
#define IG_KERN_DUAL_SHARED
#include "kern/vec.inc"
#include "kern/tensor.inc"
#include "kern/quadrature.inc"
#include "kern/shape.inc"
#include "kern/hooke.inc"
#endif
