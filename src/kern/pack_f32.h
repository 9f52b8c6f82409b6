/* Packs of floats: the single-precision twin of pack_f64.h. */
#include "kern/prec_f32.h"
#undef REAL
#undef FN
#undef IG_LANES
#undef IG_IS_PACK
#define REAL ig_pack_f32
#define FN(name) name##_p32
#define IG_LANES IG_PACK_F32
#define IG_IS_PACK 1
#include "kern/pack.h"
#ifndef IG_KERN_P32 /* what every kernel may use, once per file */
#define IG_KERN_P32
#include "kern/vec.inc"
#include "kern/tensor.inc"
#include "kern/quadrature.inc"
#include "kern/shape.inc"
#include "kern/hooke.inc"
#endif
