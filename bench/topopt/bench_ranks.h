#ifndef IG_TOPOPT_BENCH_RANKS_H
#define IG_TOPOPT_BENCH_RANKS_H

#include "bench/bench.h"
#include "topopt/topopt.h"

/* A grid and a mesh of a million elements, and a mesh with multigrid, divided between ranks. */
IG_MUST_CHECK ig_status ig_topopt_bench_divided(ig_ctx *cx, const ig_bench_sink *sink);

#endif
