/* The thesis' comparison of element-by-element operators. */
#ifndef IG_TOPOPT_BENCH_EBE_H
#define IG_TOPOPT_BENCH_EBE_H

#include "bench/bench.h"

IG_MUST_CHECK ig_status ig_topopt_bench_ebe(ig_ctx *cx, const ig_bench_sink *sink);
/* The solver's time on this device over that on one CPU thread, and the product's share of it. */
IG_MUST_CHECK ig_status ig_topopt_bench_thesis(ig_ctx *cx, const ig_bench_sink *sink);
IG_MUST_CHECK ig_status ig_topopt_bench_tets(ig_ctx *cx, const ig_bench_sink *sink);
IG_MUST_CHECK ig_status ig_topopt_bench_assembly(ig_ctx *cx, const ig_bench_sink *sink);

#endif
