/* Sizes of benchmarks. */
#include "core/backend.h"
#include "bench/bench.h"

int ig_bench_size(const ig_ctx *cx, int gpu, int cpu, int smoke) {
  return cx->smoke ? smoke : cx->backend->kernels == IG_KERNELS_CUDA ? gpu : cpu;
}

double ig_bench_seconds(const ig_ctx *cx, double gpu, double cpu) {
  const double least = 1e-9; /* one portion */
  return cx->smoke ? least : cx->backend->kernels == IG_KERNELS_CUDA ? gpu : cpu;
}
