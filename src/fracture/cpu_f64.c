/* CPU kernels in double precision. */
#include "fracture/cpu.h"

typedef double vec_f64 __attribute__((vector_size(WIDTH_BYTES)));
#include "kern/prec_f64.h"
#undef REAL
#undef FN
#define REAL vec_f64
#define FN(name) name##_v64
#define FRAC_VECTOR
#include "fracture/types.inc"
#undef FRAC_VECTOR

#include "kern/prec_f64.h"
#include "material/cohesive.inc"
#define VFN(name) name##_v64
#define VECTOR vec_f64
#define WIDTH (WIDTH_BYTES / 8)
#define FRAC_DRIVERS "fracture/cpu.inc"
#include "fracture/types.inc"

frac_cpu_run *const frac_cpu_f64[4] = {tri3_run_f64, tri6_run_f64, tet4_run_f64, tet10_run_f64};
