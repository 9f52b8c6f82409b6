/* Between the room's benchmarks. */
#ifndef IG_FRAC_BENCH_H
#define IG_FRAC_BENCH_H

#include "bench/bench.h"
#include "verify/fracture/problem.h"

/* strip.c: strain across the strip, and along it so much that there is no stress along it. */
void ig_frac_bench_stretch(ig_frac_problem *p, double strain);
/* The strip as cases/fracture/strip.yaml and strip-fine.yaml read the paper: plane strain, no
   stress along it, mean stress over a facet's nodes at half the strength, corners moved. */
IG_MUST_CHECK ig_status ig_frac_bench_strip(ig_frac_problem *p, ig_ctx *cx, bool fine);
/* bench_speedup.c: a device against one CPU thread. */
IG_MUST_CHECK ig_status ig_frac_bench_speedup(ig_ctx *cx, const ig_bench_sink *sink);
/* bench_ranks.c: on one rank and on several. */
IG_MUST_CHECK ig_status ig_frac_bench_ranks(ig_ctx *cx, const ig_bench_sink *sink);

#endif
