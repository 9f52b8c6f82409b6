/* CPU kernels in single precision. */
#include "fracture/cpu.h"

typedef float vec_f32 __attribute__((vector_size(WIDTH_BYTES)));
#include "kern/prec_f32.h"
#undef REAL
#undef FN
#define REAL vec_f32
#define FN(name) name##_v32
#define FRAC_VECTOR
#include "fracture/types.inc"
#undef FRAC_VECTOR

#include "kern/prec_f32.h"
#include "material/cohesive.inc"
#define VFN(name) name##_v32
#define VECTOR vec_f32
#define WIDTH (WIDTH_BYTES / 4)
#define FRAC_DRIVERS "fracture/cpu.inc"
#include "fracture/types.inc"

frac_cpu_run *const frac_cpu_f32[4] = {tri3_run_f32, tri6_run_f32, tet4_run_f32, tet10_run_f32};
