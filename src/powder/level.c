/* Conduction in one grid, on the CPU: plane by plane, threads over planes. Faces within a plane are
   computed once and used by both cells; those between planes are computed by both sides, with the
   same bits, so that planes do not depend on each other. */
#include "powder/level.h"
#include "core/threads.h"

#include "kern/prec_f64.h"
#include "powder/level.inc"
#include "powder/tables.inc"

/* cells of a strip: its rows of T, resist and heat in three planes stay in the first-level cache */
enum { STRIP = 128 };

/* What passes the faces of `n` cells to those at `to` (1, or a row). The other side's is the same
   with the other sign. */
static void faces_pass(const ig_powder_level *l, size_t at, ptrdiff_t to, int n, double *pass) {
  const double *T = l->T + at, *r = l->resist + at;
  for (int i = 0; i < n; i++)
    pass[i] = powder_pass_f64(T[i], r[i], T[i + to], r[i + to]);
}

/* A strip of `n` cells of every row of a plane, from `first` on: heat gains what powder_gain says.
   Faces between the rows and in them are worked out once and used for both cells, with the terms
   added in the order of powder_gain: the same bits. */
static void strip_conduct(const ig_powder_level *l, int first, int n, int k, double dt) {
  const ptrdiff_t row = (ptrdiff_t)l->n[0] + 2, plane = row * ((ptrdiff_t)l->n[1] + 2);
  const double f = l->fill[k + 1], g = l->fill[k], h = l->fill[k + 2];
  const double scale = dt / l->edge, per = 2.0 / l->edge;
  double side[STRIP + 1], low[STRIP], high[STRIP];
  faces_pass(l, ig_level_at(l, first, -1, k), row, n, low);
  for (int j = 0; j < l->n[1]; j++) {
    const size_t at = ig_level_at(l, first, j, k);
    const double *T = l->T + at, *r = l->resist + at;
    double *heat = l->heat + at;
    faces_pass(l, at - 1, 1, n + 1, side);
    faces_pass(l, at, row, n, high);
    for (int i = 0; i < n; i++) {
      const double z = powder_pass_f64(T[i], f * r[i], T[i - plane], g * r[i - plane]) +
                       powder_pass_f64(T[i], f * r[i], T[i + plane], h * r[i + plane]);
      heat[i] += scale * (per * (side[i + 1] - side[i] - low[i] + high[i] + 1.0 / f * z));
      low[i] = high[i];
    }
  }
}

void ig_level_conduct(ig_ctx *cx, const ig_powder_level *l, double dt) {
  const int planes = l->n[2];
#pragma omp parallel for schedule(static)                                                          \
    num_threads(ig_team(cx, (int64_t)planes * l->n[0] * l->n[1], IG_WORK_NODE))
  for (int k = 0; k < planes; k++)
    for (int first = 0; first < l->n[0]; first += STRIP)
      strip_conduct(l, first, l->n[0] - first < STRIP ? l->n[0] - first : STRIP, k, dt);
}

double ig_powder_table_T(const ig_powder_tables *t, double heat, double solid) {
  return powder_T(t, heat / powder_mass(t, solid));
}

double ig_powder_table_resist(const ig_powder_tables *t, double heat, double solid) {
  return powder_resist(t, heat / powder_mass(t, solid), solid);
}

/* Bisection in the table T(heat), which rises strictly; a straight line beyond its ends. */
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
