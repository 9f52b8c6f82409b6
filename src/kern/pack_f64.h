/* Packs of doubles for the kernel sources included after this: REAL is a few elements side by side,
   as wide as this machine's registers, so that a law written for one element does several.
   Not guarded: it is included often. */
#include "kern/prec_f64.h"
#undef REAL
#undef FN
#undef IG_LANES
#undef IG_IS_PACK
#define REAL ig_pack_f64
#define FN(name) name##_p64
#define IG_LANES IG_PACK_F64
#define IG_IS_PACK 1
#include "kern/pack.h"
#ifndef IG_KERN_P64 /* what every kernel may use, once per file */
#define IG_KERN_P64
#include "kern/vec.inc"
#include "kern/tensor.inc"
#include "kern/quadrature.inc"
#include "kern/shape.inc"
#include "kern/hooke.inc"
#endif
