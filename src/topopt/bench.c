/* Benchmarks of topology optimisation. */
#include "topopt/topopt.h"
#include "topopt/bench_ebe.h"

const ig_bench_entry ig_topopt_bench[] = {
    {"ebe", "element-by-element products on hexahedral meshes: every operator, time and memory",
     ig_bench_ebe},
    {.name = NULL}};
