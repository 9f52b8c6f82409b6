/* Rows of nodes, as the CPU's loops take them. */
#ifndef IG_SOLVER_KRYLOV_ROWS_CPU_H
#define IG_SOLVER_KRYLOV_ROWS_CPU_H

#include "solver/grid/grid.h"
#include "core/threads.h"

/* rows of nodes of a level, numbered y fastest */
static inline int64_t row_count(const ig_grid *g) {
  return (int64_t)(g->n[1] + 1) * (g->n[2] + 1);
}
static inline int64_t row_place(const ig_grid *g, int64_t row) {
  return ig_grid_place(g, 0, (int)(row % (g->n[1] + 1)), (int)(row / (g->n[1] + 1)));
}

/* CALL with the place `at` of every node of level l */
#define EACH_NODE(cx, l, CALL)                                                                     \
  do {                                                                                             \
    const int64_t rows_ = row_count(&(l)->grid);                                                   \
    const int team_ = ig_team(cx, rows_, IG_WORK_ROW);                                             \
    _Pragma("omp parallel for schedule(static) num_threads(team_)") for (int64_t row_ = 0;         \
                                                                         row_ < rows_; row_++) {   \
      const int64_t first_ = row_place(&(l)->grid, row_);                                          \
      for (int64_t at = first_; at <= first_ + (l)->grid.n[0]; at++)                               \
        CALL;                                                                                      \
    }                                                                                              \
  } while (0)

#endif
