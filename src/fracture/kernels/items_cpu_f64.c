/* CPU kernels in double precision: the element alone for packs of elements, then everything for
 * one. */
#include "fracture/kernels/items_cpu.h"
#include "assembly/scatter.h"
#include "core/threads.h"

#include "kern/pack_f64.h"
#define IG_FRAC_VECTOR
#include "fracture/kernels/types.inc"
#undef IG_FRAC_VECTOR

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "material/cohesive.inc"
#define VFN(name) name##_p64
#define VECTOR ig_pack_f64
#define WIDTH IG_PACK_F64
#define IG_FRAC_DRIVERS "fracture/kernels/items_cpu.inc"
#include "fracture/kernels/types.inc"

ig_frac_cpu_run *const ig_frac_cpu_f64[4] = {tri3_run_f64, tri6_run_f64, tet4_run_f64,
                                             tet10_run_f64};
