/* Double precision for the kernel sources included after this. Not guarded: it is included often.
 */
#undef REAL
#undef FN
#undef LIT
#undef IG_IS_F64
#define REAL double
#define FN(name) name##_f64
#define LIT(x) x
#define IG_IS_F64 1
#include "kern/real_math.h"
