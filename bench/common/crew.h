/* Benchmarks of ranks: the same work on one rank and on several, threads of this process. */
#ifndef IG_BENCH_CREW_H
#define IG_BENCH_CREW_H

#include "bench/bench.h"
#include "core/room.h"
#include "ranks/ranks.h"

/* Opens what there is to time and times `steps` of it: seconds. Called by all ranks of the context
   at once; they meet before and after the steps. */
typedef ig_status ig_crew_work(ig_ctx *cx, int steps, double *seconds);
/* Rows for 1 and 2 ranks of a CPU, one thread each; on a GPU 1, 2 and 4 ranks that share it. The
   numbers of ranks take turns, and the quickest of three rounds counts. */
IG_MUST_CHECK ig_status ig_crew_bench(ig_ctx *cx, const ig_bench_sink *sink, const char *name,
                                      double elements, int steps, ig_crew_work *work);

/* Rows for the pieces of an exchange of ghosts between two ranks, by each way that works here. */
IG_MUST_CHECK ig_status ig_crew_pieces(ig_ctx *cx, const ig_bench_sink *sink);

#endif
