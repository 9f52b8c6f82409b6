/* Rows of nodes, as the CPU's loops take them. */
#ifndef IG_SOLVER_ROWS_CPU_H
#define IG_SOLVER_ROWS_CPU_H

#include "solver/grid.h"

/* rows of nodes of a level, numbered y fastest */
static inline int64_t row_count(const ig_grid *g) {
  return (int64_t)(g->n[1] + 1) * (g->n[2] + 1);
}
static inline int64_t row_place(const ig_grid *g, int64_t row) {
  return ig_grid_place(g, 0, (int)(row % (g->n[1] + 1)), (int)(row / (g->n[1] + 1)));
}

#endif
