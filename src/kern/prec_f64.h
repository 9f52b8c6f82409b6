/* Double precision for the kernel sources included after this: what a source may use is REAL (the
   number), FN(name) (its functions), LIT(x) (constants), R_... (real_math.h). Not guarded: it is
   included often, once before each source. what an earlier include of this file or a relative has
   left */
#undef REAL
#undef FN
#undef LIT
#undef SCALAR
#undef SFN
#undef IG_LANES
#undef IG_IS_PACK
#undef IG_IS_F64
#define REAL double
#define FN(name) name##_f64
/* the scalar under REAL; they differ in packs (pack_f64.h) */
#define SCALAR double
#define SFN(name) name##_f64
#define IG_LANES 1
#define IG_IS_PACK 0
#define LIT(x) x
#define IG_IS_F64 1
#include "kern/hd.h"
#include "kern/real_math.h"
#ifndef IG_KERN_F64 /* what every kernel may use, once per file */
#define IG_KERN_F64
#include "kern/vec.inc"
#include "kern/tensor.inc"
#include "kern/quadrature.inc"
#include "kern/shape.inc"
#include "kern/hooke.inc"
#endif
