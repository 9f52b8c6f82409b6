/* Single precision for the kernel sources included after this; as prec_f64.h. Not guarded: it is
   included often. */
/* what an earlier include of this file or a relative has left */
#undef REAL
#undef FN
#undef LIT
#undef SCALAR
#undef SFN
#undef IG_LANES
#undef IG_IS_PACK
#undef IG_IS_F64
#define REAL float
#define FN(name) name##_f32
/* the scalar under REAL; they differ in packs (pack_f32.h) */
#define SCALAR float
#define SFN(name) name##_f32
#define IG_LANES 1
#define IG_IS_PACK 0
#define LIT(x) x##f
#define IG_IS_F64 0
#include "kern/hd.h"
#include "kern/real_math.h"
#ifndef IG_KERN_F32 /* what every kernel may use, once per file */
#define IG_KERN_F32
#include "kern/vec.inc"
#include "kern/tensor.inc"
#include "kern/quadrature.inc"
#include "kern/shape.inc"
#include "kern/hooke.inc"
#endif
