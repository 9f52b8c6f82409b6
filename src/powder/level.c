/* Conduction in one grid, on the CPU: plane by plane. */
#include "powder/level.h"
#include "core/threads.h"

#include "kern/prec_f64.h"
#include "powder/level.inc"
#include "powder/tables.inc"

/* The heat that a row of cells gains. */
static void row_conduct(const ig_level *l, int j, int k, double dt) {
  const size_t at = ig_level_at(l, 0, j, k);
  const ptrdiff_t row = (ptrdiff_t)l->n[0] + 2, plane = row * ((ptrdiff_t)l->n[1] + 2);
  const double f = l->fill[k + 1], below = l->fill[k], above = l->fill[k + 2];
  const double *T = l->T + at, *r = l->resist + at, edge = l->edge, scale = dt / edge;
  double *heat = l->heat + at;
  for (int i = 0; i < l->n[0]; i++)
    heat[i] += scale * powder_gain_f64(T + i, r + i, row, plane, f, below, above, edge);
}

void ig_level_conduct(ig_ctx *cx, const ig_level *l, double dt) {
  const int planes = l->n[2];
#pragma omp parallel for schedule(static)                                                          \
    num_threads(ig_team(cx, (int64_t)planes * l->n[0] * l->n[1], IG_WORK_NODE))
  for (int k = 0; k < planes; k++)
    for (int j = 0; j < l->n[1]; j++)
      row_conduct(l, j, k, dt);
}

double ig_powder_table_T(const ig_powder_tables *t, double heat, double solid) {
  return powder_T(t, heat / powder_mass(t, solid));
}

double ig_powder_table_resist(const ig_powder_tables *t, double heat, double solid) {
  return powder_resist(t, heat / powder_mass(t, solid), solid);
}

double ig_powder_table_heat(const ig_powder_tables *t, double T) {
  int low = 0, high = IG_POWDER_ROWS;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (t->T[middle] <= T)
      low = middle;
    else
      high = middle;
  }
  return t->start + (low + (T - t->T[low]) / (t->T[high] - t->T[low])) / t->per;
}
