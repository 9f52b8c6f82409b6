/* Kernels of the powder bed on the CPU: rows of cells between the threads. The macros make a loop
   for each kernel of the lists in view.h; the four that take most of the time (conduction, looks,
   columns, rims) have loops of their own, which give the same bits. */
#include "powder/view.h"
#include "core/threads.h"

#include "kern/prec_f64.h"
#include "powder/level.inc"
#include "powder/tables.inc"
#include "powder/keys.inc"
#include "powder/beam.inc"
#include "powder/places.inc"
#include "powder/events.inc"
#include "powder/cells.inc"
#include "powder/pool.inc"

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
static bool columns_light(const ig_powder_view *v, const ig_powder_hole *hole, const double *deep,
                          const double *x, double joule) {
  const ig_powder_level *l = &v->w.fine;
  /* a Gaussian is the product of one along x and one along y */
  double share[2][REACH];
  int first[2], end[2];
  for (int d = 0; d < 2; d++) {
    const double low = v->low[d] + v->w.box.at[d] * (l->edge * v->r);
    powder_reach(l->n[d], low, l->edge, x[d], v->radius, &first[d], &end[d]);
    if (end[d] - first[d] > REACH)
      return false;
    for (int i = first[d]; i < end[d] && !v->within; i++)
      share[d][i - first[d]] = powder_share(i, l->n[d], low, l->edge, x[d], v->radius);
  }
  const int top = powder_top(v);
  if (v->within) {
    for (int j = first[1]; j < end[1]; j++)
      for (int i = first[0]; i < end[0]; i++)
        powder_column_light(v, i, j, top, hole, deep, x, joule);
    return true;
  }
  for (int j = first[1]; j < end[1]; j++)
    for (int i = first[0]; i < end[0]; i++)
      if (share[0][i - first[0]] != 0 && share[1][j - first[1]] != 0)
        powder_column_take(v, i, j, top, hole, deep,
                           joule * share[0][i - first[0]] * share[1][j - first[1]]);
  return true;
}
/* Shares of light below the surface, from the top down, ended by 0; false: too many. */
static bool deep_make(const ig_powder_view *v, int top, double depth, double *deep) {
  int levels = 0;
  for (double c = 1; levels <= REACH && levels <= top && c != 0; levels++)
    deep[levels] = c = powder_share_deep(top - levels, top, v->w.fine.edge, depth);
  if (levels <= REACH)
    deep[levels] = 0;
  return levels <= REACH;
}
/* Losses at the top by all threads; spots one after the other by one thread: few columns are lit,
   and two spots may light the same one. */
static void columns(const ig_powder_view *v, int team) {
  const ig_powder_level *l = &v->w.fine;
  const int top = powder_top(v);
  double deep[REACH + 1], depth = v->depth; /* what `deep` is made for */
  bool few = deep_make(v, top, depth, deep);
#pragma omp parallel for schedule(static) num_threads(team)
  for (int j = 0; j < l->n[1]; j++)
    for (int i = 0; i < l->n[0]; i++)
      powder_column_lose(v, i, j, top);
  for (int b = 0; b < v->w.beams; b++) {
    const ig_powder_way *way = &v->way[v->w.beam[b]];
    powder_spot s = {way->piece, -1, 0, 0, 0};
    double x[2], joule;
    while (powder_spot_next(way, v->a.time, v->a.dt, v->narrow, &s, x, &joule)) {
      const ig_powder_hole hole = powder_hole(v, v->w.beam[b], powder_kind(way, s.piece));
      if (hole.depth != depth && !(isnan(hole.depth) && isnan(depth)))
        few = deep_make(v, top, depth = hole.depth, deep);
      if (!few || !columns_light(v, &hole, deep, x, joule))
        for (int64_t c = 0; c < (int64_t)l->n[0] * l->n[1]; c++)
          powder_column_light(v, (int)(c % l->n[0]), (int)(c / l->n[0]), top, &hole, NULL, x,
                              joule);
    }
  }
  if (v->evaporated)
#pragma omp parallel for schedule(static) num_threads(team)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++)
        powder_column_boil(v, i, j, top);
}

/* powder_fine_look for a strip of a row: states first, of which few change; then the rows of the
   tables; then the values. */
enum { STRIP = 128 };
static void strip_look(const ig_powder_view *v, const size_t at, uint8_t *state, int n) {
  const ig_powder_level *l = &v->w.fine;
  const ig_powder_law law = v->law;
  const ig_powder_tables *t = v->tables;
  /* loops without branches over the strip: the compiler makes vectors of them */
  double *heat = l->heat + at, *T = l->T + at, *resist = l->resist + at, share[STRIP];
  int row[STRIP];
  bool change = false;
  for (int i = 0; i < n; i++)
    change |= powder_changes(&law, heat[i], state[i]);
  for (int i = 0; i < n && change; i++)
    powder_cell_change(v, &state[i], &heat[i]);
  for (int i = 0; i < n; i++)
    row[i] = powder_row_f64(law.start, law.per, IG_POWDER_ROWS,
                            powder_content(law.unpack, heat[i], state[i]), &share[i]);
  for (int i = 0; i < n; i++) {
    T[i] = powder_value_f64(t->T, row[i], share[i]);
    resist[i] = powder_value_f64(state[i] & IG_POWDER_SOLID ? t->solid : t->powder, row[i],
                                 powder_inside_f64(share[i]));
  }
}
/* Strips of rows below the top of the bed, cells above it one by one. */
static void looks(const ig_powder_view *v, int team) {
  const ig_powder_level *l = &v->w.fine;
  const int top = powder_top(v), nx = l->n[0];
#pragma omp parallel for collapse(2) schedule(static) num_threads(team)
  for (int k = 0; k < l->n[2]; k++)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i<nx; i += k> top ? 1 : STRIP)
        if (k > top)
          powder_fine_look(v, i, j, k);
        else
          strip_look(v, ig_level_at(l, i, j, k), &v->state[powder_state_at(v, i, j, k)],
                     nx - i < STRIP ? nx - i : STRIP);
}

/* powder_rim for all faces, side by side: what stands before the loops is the same on a side. */
static void rims(const ig_powder_view *v, int team) {
  const ig_powder_level *l = &v->w.fine;
  const size_t row = (size_t)l->n[0] + 2, to[3] = {1, row, row * ((size_t)l->n[1] + 2)};
  for (int side = 0; side < 6; side++) {
    const int d = side / 2, e = (d + 1) % 3, f = (d + 2) % 3, wide = l->n[e];
    const powder_rim_face m = powder_rim_on(v, &v->w, side, 0, 0);
    const size_t in = ig_level_at(l, m.in[0], m.in[1], m.in[2]),
                 ghost = side % 2 ? in + to[d] : in - to[d];
    const bool bottom = powder_rim_bottom(&v->w, side);
    double *rim = v->w.rim + powder_rim_first(l->n, side);
#pragma omp parallel for schedule(static) num_threads(team)
    for (int q = 0; q < l->n[f]; q++)
      for (int p = 0; p < wide; p++) {
        const size_t off = (size_t)p * to[e] + (size_t)q * to[f];
        const double out = powder_rim_out(v, in + off, ghost + off);
        rim[(int64_t)q * wide + p] += out;
        if (bottom)
          v->held[powder_column_at(v, p, q)] += out;
      }
  }
}

/* Those that count what others count too: one thread. */
static bool alone(ig_powder_do what) {
  return what == IG_POWDER_KERNEL_pool || what == IG_POWDER_KERNEL_leave ||
         what == IG_POWDER_KERNEL_change;
}

/* Kernels that count across cells run on one thread (`alone`); all others write only their own
   items. */
ig_status ig_powder_do_cpu(ig_ctx *cx, const ig_powder_view *v, ig_powder_do what,
                           const int64_t *n) {
  const int team = alone(what) ? 1 : ig_team(cx, n[0] * n[1] * n[2], IG_WORK_NODE);
  /* the four loops above, and conduction in level.c */
  if (what == IG_POWDER_KERNEL_fine_step) { /* rows of cells at once */
    ig_level_conduct(cx, &v->w.fine, v->a.dt);
    return IG_OK;
  }
  if (what == IG_POWDER_KERNEL_column) {
    columns(v, team);
    return IG_OK;
  }
  if (what == IG_POWDER_KERNEL_fine_look && v->map.n[0] == 0) {
    looks(v, team);
    return IG_OK;
  }
  if (what == IG_POWDER_KERNEL_rim) {
    rims(v, team);
    return IG_OK;
  }
  switch (what) {
#define X(name, where)                                                                             \
  case IG_POWDER_KERNEL_##name:                                                                    \
    name##_rows(v, n, team);                                                                       \
    break;
    IG_POWDER_CELL_ITEMS(X)
#undef X
#define X(name)                                                                                    \
  case IG_POWDER_KERNEL_##name:                                                                    \
    name##_all(v, n[0], team);                                                                     \
    break;
    IG_POWDER_ITEMS(X)
#undef X
  }
  return IG_OK;
}
