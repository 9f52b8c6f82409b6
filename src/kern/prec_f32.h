/* Single precision for the kernel sources included after this. Not guarded: it is included often.
 */
#undef REAL
#undef FN
#undef LIT
#undef IG_IS_F64
#define REAL float
#define FN(name) name##_f32
#define LIT(x) x##f
#define IG_IS_F64 0
#include "kern/real_math.h"
