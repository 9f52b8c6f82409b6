/* What cpu_f32.c and cpu_f64.c share. */
#ifndef IG_FRAC_CPU_H
#define IG_FRAC_CPU_H

#include "fracture/frac.h"

/* Bytes of the vectors elements are computed in, and elements gathered at a time. */
enum { LANES_BYTES = 32, BATCH = 32 };

typedef void frac_cpu_run(const frac *s, frac_item item, int64_t begin, int64_t n, int threads);
extern frac_cpu_run *const frac_cpu_f32[4], *const frac_cpu_f64[4];

#endif
