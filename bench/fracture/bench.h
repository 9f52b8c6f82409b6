/* Between the room's benchmarks. */
#ifndef IG_FRAC_BENCH_H
#define IG_FRAC_BENCH_H

#include "bench/bench.h"
#include "verify/fracture/problem.h"

/* bench_ranks.c: on one rank and on several. */
IG_MUST_CHECK ig_status ig_frac_bench_ranks(ig_ctx *cx, const ig_bench_sink *sink);

#endif
