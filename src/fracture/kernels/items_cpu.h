/* What items_cpu_f32.c and items_cpu_f64.c share. */
#ifndef IG_FRAC_ITEMS_CPU_H
#define IG_FRAC_ITEMS_CPU_H

#include "fracture/kernels/state.h"
/* small loops over corners and components must be gone before registers are given out */
#undef IG_UNROLL
#define IG_UNROLL _Pragma("GCC unroll 16")

/* Elements a thread takes at a time. */
enum { BATCH = 256 };

typedef void ig_frac_cpu_run(const ig_frac_state *s, ig_frac_item item, int64_t begin, int64_t n,
                             int threads);
extern ig_frac_cpu_run *const ig_frac_cpu_f32[4], *const ig_frac_cpu_f64[4];

#endif
