/* The CPU's drivers: element work on vectors of elements, in three kinds of state. */
#include "backend/backend.h"
#include "thermal/heat_ops.h"
#include "thermal/heat_rows.h"
#include "thermal/heat_tables.h"

/* 32 bytes of elements at once: what the compiler makes of it is one or two machine registers */
typedef float vec_f32 __attribute__((vector_size(32)));
typedef double vec_f64 __attribute__((vector_size(32)));

#include "thermal/state_f32.h"
#include "assembly/scatter.inc"
#include "thermal/heat.inc"
#include "thermal/heat_row.inc"
#define V float
#define VN(name) one_##name##_f32
#include "thermal/hex.inc"
#undef V
#undef VN
#define V vec_f32
#define VN(name) name##_v32
#define HEAT_LANES 8
#include "thermal/hex.inc"
#include "thermal/heat_view.inc"
#include "thermal/heat_cpu.inc"
#undef V
#undef VN
#undef HEAT_LANES

#include "thermal/state_f64.h"
#include "assembly/scatter.inc"
#include "thermal/heat.inc"
#include "thermal/heat_row.inc"
#define V double
#define VN(name) one_##name##_f64
#include "thermal/hex.inc"
#undef V
#undef VN
#define V vec_f64
#define VN(name) name##_v64
#define HEAT_LANES 4
#include "thermal/hex.inc"
#include "thermal/heat_view.inc"
#include "thermal/heat_cpu.inc"
#undef V
#undef VN
#undef HEAT_LANES

#include "thermal/state_mix.h"
#define V vec_f32
#define VN(name) name##_v32
#define HEAT_LANES 8
#include "thermal/heat_view.inc"
#include "thermal/heat_cpu.inc"

const ig_heat_ops ig_heat_cpu[3] = {
    [IG_SINGLE] = {NULL, steps_cpu_f32, patch_cpu_f32, track_cpu_f32, NULL},
    [IG_DOUBLE] = {NULL, steps_cpu_f64, patch_cpu_f64, track_cpu_f64, NULL},
    [IG_MIXED] = {NULL, steps_cpu_mix, patch_cpu_mix, track_cpu_mix, NULL}};
