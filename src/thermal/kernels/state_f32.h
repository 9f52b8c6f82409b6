/* State, sums and element work in single precision. Not guarded: included before each driver. */
#undef STATE
#undef DR
#undef SF
#undef STATE_IS_REAL
#include "kern/prec_f32.h"
#define STATE float
#define DR(name) name##_f32
#define SF(name) name##_f32
#define STATE_IS_REAL 1
