/* Benchmarks of the heat engine. */
#include "thermal/thermal.h"

const ig_bench_entry ig_thermal_bench[] = {{NULL, NULL, NULL}};
