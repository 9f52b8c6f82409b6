/* CPU kernels in single precision: the element alone for packs of elements, then everything for
 * one. */
#include "fracture/kernels/items_cpu.h"
#include "assembly/scatter.h"
#include "core/threads.h"

#include "kern/pack_f32.h"
#define IG_FRAC_VECTOR
#include "fracture/kernels/types.inc"
#undef IG_FRAC_VECTOR

#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "material/cohesive.inc"
#define VFN(name) name##_p32
#define VECTOR ig_pack_f32
#define WIDTH IG_PACK_F32
#define IG_FRAC_DRIVERS "fracture/kernels/items_cpu.inc"
#include "fracture/kernels/types.inc"

ig_frac_cpu_run *const ig_frac_cpu_f32[4] = {tri3_run_f32, tri6_run_f32, tet4_run_f32,
                                             tet10_run_f32};
