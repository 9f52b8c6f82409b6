/* Benchmarks of topology optimisation. */
#include "topopt/topopt.h"

const ig_bench_entry ig_topopt_bench[] = {{.name = NULL}};
