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
