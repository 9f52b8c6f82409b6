/* The room's benchmarks. */
#include "fracture/fracture.h"

const ig_bench_entry frac_bench[] = {{.name = NULL}};
