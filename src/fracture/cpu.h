/* What cpu_f32.c and cpu_f64.c share. */
#ifndef IG_FRAC_CPU_H
#define IG_FRAC_CPU_H

#include "fracture/frac.h"
/* small loops over corners and components must be gone before registers are given out */
#undef IG_UNROLL
#define IG_UNROLL _Pragma("GCC unroll 16")

/* Bytes of the vectors elements are computed in, and elements a thread takes at a time. */
#if defined(__AVX512F__)
#define WIDTH_BYTES 64
#elif defined(__AVX__)
#define WIDTH_BYTES 32
#else
#define WIDTH_BYTES 16
#endif
enum { BATCH = 256 };

typedef void frac_cpu_run(const frac *s, frac_item item, int64_t begin, int64_t n, int threads);
extern frac_cpu_run *const frac_cpu_f32[4], *const frac_cpu_f64[4];

#endif
