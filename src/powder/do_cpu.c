/* Kernels of the powder bed on the CPU: rows of cells between the threads. */
#include "powder/view.h"
#include "core/threads.h"

#include "kern/prec_f64.h"
#include "powder/level.inc"
#include "powder/tables.inc"
#include "powder/beam.inc"
#include "powder/places.inc"
#include "powder/cells.inc"

/* Cells write what is theirs: any order gives the same bits. */
#define X(name, where)                                                                             \
  static void name##_rows(const ig_powder_view *v, const int64_t *n, int team) {                   \
    _Pragma("omp parallel for collapse(2) schedule(static) num_threads(team)") for (               \
        int64_t k = 0; k < n[2]; k++) for (int64_t j = 0; j < n[1]; j++) for (int i = 0;           \
                                                                              i < (int)n[0]; i++)  \
        powder_##name(v, i, (int)j, (int)k);                                                       \
  }
IG_POWDER_CELL_ITEMS(X)
#undef X
#define X(name)                                                                                    \
  static void name##_all(const ig_powder_view *v, int64_t n, int team) {                           \
    _Pragma("omp parallel for schedule(static) num_threads(team)") for (int64_t i = 0; i < n; i++) \
        powder_##name(v, i);                                                                       \
  }
IG_POWDER_ITEMS(X)
#undef X

/* Columns at the bed's top, as powder_column does it, with a spot's shares along x and y worked out
   once; false: it reaches more cells than there is room for. */
enum { REACH = 256 };
static bool columns_light(const ig_powder_view *v, const double *deep, const double *x,
                          double joule) {
  const ig_level *l = &v->w.fine;
  double share[2][REACH];
  int first[2], end[2];
  for (int d = 0; d < 2; d++) {
    const double low = v->low[d] + v->w.box.at[d] * (l->edge * v->r);
    powder_reach(l->n[d], low, l->edge, x[d], v->radius, &first[d], &end[d]);
    if (end[d] - first[d] > REACH)
      return false;
    for (int i = first[d]; i < end[d]; i++)
      share[d][i - first[d]] = powder_share(i, l->n[d], low, l->edge, x[d], v->radius);
  }
  const int top = powder_top(v);
  for (int j = first[1]; j < end[1]; j++)
    for (int i = first[0]; i < end[0]; i++)
      if (share[0][i - first[0]] != 0 && share[1][j - first[1]] != 0)
        powder_column_take(v, i, j, top, deep,
                           joule * share[0][i - first[0]] * share[1][j - first[1]]);
  return true;
}
static void columns(const ig_powder_view *v, int team) {
  const ig_level *l = &v->w.fine;
  const int top = powder_top(v);
  double deep[REACH + 1] = {0};
  int levels = 0;
  for (double c = 1; levels <= REACH && levels <= top && c != 0; levels++)
    deep[levels] = c = powder_share_deep(top - levels, top, l->edge, v->depth);
#pragma omp parallel for schedule(static) num_threads(team)
  for (int j = 0; j < l->n[1]; j++)
    for (int i = 0; i < l->n[0]; i++)
      powder_column_lose(v, i, j, top);
  for (int b = 0; b < v->w.beams; b++) {
    const ig_powder_way *way = &v->way[v->w.beam[b]];
    powder_spot s = {way->piece, -1, 0, 0, 0};
    double x[2], joule;
    while (powder_spot_next(way, v->a.time, v->a.dt, v->radius, &s, x, &joule))
      if (levels > REACH || !columns_light(v, deep, x, joule))
        for (int64_t c = 0; c < (int64_t)l->n[0] * l->n[1]; c++)
          powder_column_light(v, (int)(c % l->n[0]), (int)(c / l->n[0]), top, x, joule);
  }
}

/* Those that count what others count too: one thread. */
static bool alone(ig_powder_do what) {
  return what == IG_DO_pool || what == IG_DO_leave || what == IG_DO_change;
}

ig_status ig_powder_do_cpu(ig_ctx *cx, const ig_powder_view *v, ig_powder_do what,
                           const int64_t *n) {
  const int team = alone(what) ? 1 : ig_team(cx, n[0] * n[1] * n[2], IG_WORK_NODE);
  if (what == IG_DO_fine_step) { /* rows of cells at once */
    ig_level_conduct(cx, &v->w.fine, v->a.dt);
    return IG_OK;
  }
  if (what == IG_DO_column) {
    columns(v, team);
    return IG_OK;
  }
  switch (what) {
#define X(name, where)                                                                             \
  case IG_DO_##name:                                                                               \
    name##_rows(v, n, team);                                                                       \
    break;
    IG_POWDER_CELL_ITEMS(X)
#undef X
#define X(name)                                                                                    \
  case IG_DO_##name:                                                                               \
    name##_all(v, n[0], team);                                                                     \
    break;
    IG_POWDER_ITEMS(X)
#undef X
  }
  return IG_OK;
}
