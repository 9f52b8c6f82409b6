/* State and sums in double, element work in single. Not guarded: included before each driver. */
#undef STATE
#undef DR
#undef SF
#undef STATE_IS_REAL
#include "kern/prec_f32.h"
#define STATE double
#define DR(name) name##_mix
#define SF(name) name##_f64
#define STATE_IS_REAL 0
