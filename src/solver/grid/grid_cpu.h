/* Between the CPU's files: the finest level's sweep. */
#ifndef IG_SOLVER_GRID_GRID_CPU_H
#define IG_SOLVER_GRID_GRID_CPU_H

#include "solver/grid/grid.h"

ig_status ig_grid_cpu_fine_sweep(ig_ctx *cx, const ig_grid_args_f32 *args, ig_sweep what,
                                 const float *b, const float *x, float *d, float c0, float c1,
                                 float *y);

#endif
