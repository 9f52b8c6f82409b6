/* Conduction in one grid, on the CPU: plane by plane. */
#include "powder/level.h"
#include "core/threads.h"

#include "kern/hd.h"
#include "kern/prec_f64.h"
#include "powder/level.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ig_status ig_level_new(ig_ctx *cx, const int *n, double edge, const double *fill, ig_level *l) {
  *l = (ig_level){.n = {n[0], n[1], n[2]}, .edge = edge, .fill = fill};
  const size_t count = (size_t)(n[0] + 2) * (size_t)(n[1] + 2) * (size_t)(n[2] + 2);
  IG_TRY(IG_NEW(cx, &l->heat, count, "powder bed"));
  IG_TRY(IG_NEW(cx, &l->T, count, "powder bed"));
  IG_TRY(IG_NEW(cx, &l->resist, count, "powder bed"));
  for (size_t i = 0; i < count; i++)
    l->resist[i] = IG_LEVEL_CLOSED;
  return IG_OK;
}

void ig_level_free(ig_level *l) {
  free(l->heat);
  free(l->T);
  free(l->resist);
  memset(l, 0, sizeof *l);
}

/* The heat that a row of cells gains per volume and time, by the faces of x, y and z. */
static void row_conduct(const ig_level *l, int j, int k, double dt) {
  const size_t at = ig_level_at(l, 0, j, k), row = (size_t)l->n[0] + 2,
               plane = row * ((size_t)l->n[1] + 2);
  const double f = l->fill[k + 1], below = l->fill[k], above = l->fill[k + 2];
  const double *T = l->T + at, *r = l->resist + at;
  double *heat = l->heat + at;
  const double scale = dt / l->edge, upright = 1 / f;
  for (int i = 0; i < l->n[0]; i++) {
    const double *t = T + i, *s = r + i;
    const double side =
        powder_flux_f64(t[0], s[0], t[-1], s[-1], l->edge) +
        powder_flux_f64(t[0], s[0], t[1], s[1], l->edge) +
        powder_flux_f64(t[0], s[0], t[-(ptrdiff_t)row], s[-(ptrdiff_t)row], l->edge) +
        powder_flux_f64(t[0], s[0], t[row], s[row], l->edge);
    const double z = powder_flux_f64(t[0], f * s[0], t[-(ptrdiff_t)plane],
                                     below * s[-(ptrdiff_t)plane], l->edge) +
                     powder_flux_f64(t[0], f * s[0], t[plane], above * s[plane], l->edge);
    heat[i] += scale * (side + upright * z);
  }
}

void ig_level_conduct(ig_ctx *cx, ig_level *l, double dt) {
  const int planes = l->n[2];
#pragma omp parallel for schedule(static)                                                          \
    num_threads(ig_team(cx, (int64_t)planes * l->n[0] * l->n[1], IG_WORK_NODE))
  for (int k = 0; k < planes; k++)
    for (int j = 0; j < l->n[1]; j++)
      row_conduct(l, j, k, dt);
}

double ig_powder_table_T(const ig_powder_tables *t, double heat) {
  double share;
  const int row = powder_row_f64(t->start, t->per, IG_POWDER_ROWS, heat, &share);
  return powder_value_f64(t->T, row, share);
}

double ig_powder_table_resist(const ig_powder_tables *t, double heat, double solid) {
  double share;
  const int row = powder_row_f64(t->start, t->per, IG_POWDER_ROWS, heat, &share);
  share = fmin(fmax(share, 0), 1); /* constant beyond the ends */
  if (solid >= 1)
    return powder_value_f64(t->solid, row, share);
  if (solid <= 0)
    return powder_value_f64(t->powder, row, share);
  return 1 / (solid / powder_value_f64(t->solid, row, share) +
              (1 - solid) / powder_value_f64(t->powder, row, share));
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
