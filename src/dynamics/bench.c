/* Benchmarks of the dynamics room. */
#include "dynamics/problem.h"

const ig_bench_entry ig_dyn_bench[] = {{.name = NULL}};
