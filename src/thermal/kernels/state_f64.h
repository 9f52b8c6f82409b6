/* State, sums and element work in double precision. Not guarded: included before each driver. */
#undef STATE
#undef DR
#undef SF
#undef STATE_IS_REAL
#include "kern/prec_f64.h"
#define STATE double
#define DR(name) name##_f64
#define SF(name) name##_f64
#define STATE_IS_REAL 1
