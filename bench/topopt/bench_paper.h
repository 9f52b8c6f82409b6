/* Benchmarks of the paper's tables, of stresses and of grid sequencing. */
#ifndef IG_TOPOPT_BENCH_PAPER_H
#define IG_TOPOPT_BENCH_PAPER_H

#include "bench/bench.h"
#include "topopt/topopt.h"

/* Whole runs of bridge, gripper and heat sink by either preconditioner, stage by stage, beside the
   same work by an assembled matrix on one CPU thread: Table 4, Figures 12 and 13 of
   Martinez-Frutos et al. (2017). */
IG_MUST_CHECK ig_status ig_topopt_bench_multigrid(ig_ctx *cx, const ig_bench_sink *sink);
IG_MUST_CHECK ig_status ig_topopt_bench_jacobi(ig_ctx *cx, const ig_bench_sink *sink);
/* The paper's product by blocks of threads of every shape in its Table 2. */
IG_MUST_CHECK ig_status ig_topopt_bench_blocks(ig_ctx *cx, const ig_bench_sink *sink);

IG_MUST_CHECK ig_status ig_topopt_bench_ranks(ig_ctx *cx, const ig_bench_sink *sink);

#endif
