/* Pieces and cavities: elements joined through faces, a forest with path halving.

   Solid elements form pieces, void ones form cavities unless they lead to a free face. Both are
   found in one pass: ig_topopt_pieces_join joins two elements of equal kind. Of a body in parts
   each rank first finds the pieces of its own elements; pieces_ranks.c joins those that touch
   across the cuts. */
#include "topopt/surface/pieces.h"
#include "backend/backend.h"
#include "core/threads.h"
#include "core/union_find.h"

#include <stdlib.h>

static int team_of(const ig_topopt_pieces *p) {
  return ig_team(p->cx, p->places, IG_WORK_NODE);
}

void ig_topopt_pieces_join(ig_topopt_pieces *p, int64_t a, int64_t b) {
  if (p->solid[a] != p->solid[b])
    return;
  ig_union_join_shared(p->of, (int32_t)a, (int32_t)b);
}

void ig_topopt_pieces_open(ig_topopt_pieces *p, int64_t a) {
  p->open[a] = 1;
}

/* low and high order the pair of elements alike on both ranks. */
ig_status ig_topopt_pieces_cross(ig_topopt_pieces *p, int64_t own, int rank, int64_t other) {
  const int64_t name = p->whole + own;
  IG_TRY(IG_MORE(p->cx, &p->crossing, p->crossings, "pieces"));
  p->crossing[p->crossings++] =
      (ig_crossing){rank, (int32_t)own, name < other ? name : other, name < other ? other : name};
  return IG_OK;
}

static void pieces_free(ig_topopt_pieces *p) {
  free(p->solid);
  free(p->open);
  free(p->of);
  free(p->crossing);
  free(p->piece);
}

/* Numbers of pieces by the order of their roots, each the lowest of its tree: -2 - number at the
   root, so that it is told from a link. */
static ig_status roots_number(ig_topopt_pieces *p) {
  int64_t roots = 0;
#pragma omp parallel for schedule(static) num_threads(team_of(p)) reduction(+ : roots)
  for (int64_t i = 0; i < p->places; i++)
    roots += p->solid[i] < 2 && p->of[i] == i;
  IG_TRY(IG_NEW(p->cx, &p->piece, (size_t)roots + 1, "pieces"));
  for (int64_t i = 0; i < p->places && p->count < roots; i++)
    if (p->solid[i] < 2 && p->of[i] == i) {
      p->piece[p->count] =
          (ig_topopt_piece){.first = p->whole + i, .solid = p->solid[i], .mine = true};
      p->of[i] = -2 - p->count++;
    }
  return IG_OK;
}

/* The number at the end of the links. Threads change links of their own elements to numbers, which
   others may meet: both lead to the same. */
static int32_t number_of(const ig_topopt_pieces *p, int64_t i) {
  int32_t at = (int32_t)i;
  while (at >= 0)
    at = __atomic_load_n(&p->of[at], __ATOMIC_RELAXED);
  return -2 - at;
}

/* Elements from..to of a piece are added to what is known of it; by several threads at a time. */
static void run_add(ig_topopt_pieces *p, ig_topopt_piece *piece, const uint8_t *touched,
                    int64_t from, int64_t to) {
  uint8_t open = 0, marks = 0;
  for (int64_t i = from; i < to; i++) {
    open |= p->open[i];
    marks |= touched[i];
  }
  __atomic_fetch_add(&piece->size, to - from, __ATOMIC_RELAXED);
  __atomic_fetch_or(&piece->touched, marks, __ATOMIC_RELAXED);
  if (open)
    __atomic_store_n(&piece->open, true, __ATOMIC_RELAXED);
  int64_t last = __atomic_load_n(&piece->last, __ATOMIC_RELAXED);
  const int64_t own = p->whole + to - 1;
  while (last < own && !__atomic_compare_exchange_n(&piece->last, &last, own, false,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

/* From the forest to numbers of pieces. Elements in a row mostly belong to one piece, and are added
   to it together. */
static ig_status number(ig_topopt_pieces *p, const uint8_t *touched) {
  enum { ROW = 4096 };
  IG_TRY(roots_number(p));
#pragma omp parallel for schedule(static) num_threads(team_of(p))
  for (int64_t i = 0; i < p->places; i++)
    __atomic_store_n(&p->of[i], p->solid[i] == 2 ? -1 : -2 - number_of(p, i), __ATOMIC_RELAXED);
#pragma omp parallel for schedule(static) num_threads(team_of(p))
  for (int64_t row = 0; row < p->places; row += ROW) {
    const int64_t end = row + ROW < p->places ? row + ROW : p->places;
    for (int64_t from = row, to; from < end; from = to) {
      const int32_t at = p->of[from];
      for (to = from; to < end && p->of[to] == at; to++)
        p->of[to] = at == -1 ? -1 : -2 - at;
      if (at != -1)
        run_add(p, &p->piece[-2 - at], touched, from, to);
    }
  }
  return IG_OK;
}

/* solid: 1 at or above the level, 0 below, 2 where there is no element. */
static ig_status own_find(const ig_discretisation *d, const double *density, double level,
                          const uint8_t *touched, ig_topopt_pieces *p) {
  const size_t n = (size_t)p->places;
  ig_ctx *cx = p->cx;
  if (p->places > INT32_MAX)
    return IG_FAIL(cx, IG_UNSUPPORTED, "pieces are counted up to %d elements", INT32_MAX);
  IG_TRY(IG_NEW(cx, &p->solid, n, "pieces"));
  IG_TRY(IG_NEW(cx, &p->open, n, "pieces"));
  IG_TRY(IG_NEW(cx, &p->of, n, "pieces"));
  IG_TRY(ig_topopt_elements_mark(cx, d, p->solid));
#pragma omp parallel for schedule(static) num_threads(team_of(p))
  for (size_t i = 0; i < n; i++) {
    p->of[i] = (int32_t)i;
    p->solid[i] = !p->solid[i] ? 2 : density[i] >= level;
  }
  IG_TRY(d->faces(d->self, p));
  return number(p, touched);
}

/* Freed by the caller, failed or not. p->whole is added to a place to get its number in the
   whole, ghosts included. */
static ig_status pieces_make(ig_ctx *cx, const ig_discretisation *d, const double *density,
                             double level, const uint8_t *touched, ig_topopt_pieces *p) {
  const bool divided = ig_topopt_divided(d);
  *p = (ig_topopt_pieces){.cx = cx, .places = d->places};
  if (divided)
    p->whole = (d->grid->from - d->grid->ghosts) * d->grid->plane;
  const ig_status status = own_find(d, density, level, touched, p);
  return divided ? ig_topopt_pieces_meet(p, status) : status;
}

/* A piece is counted by the rank that has its first element; sums over ranks are then exact. */
ig_status ig_topopt_pieces_count(ig_ctx *cx, const ig_discretisation *d, const double *density,
                                 double level, const uint8_t *touched, ig_topopt_tally *tally) {
  ig_topopt_pieces p;
  int64_t count[5] = {0}, loads = 0;
  ig_status status = pieces_make(cx, d, density, level, touched, &p);
  const int64_t places = status == IG_OK ? p.places : 0;
#pragma omp parallel for schedule(static) num_threads(team_of(&p)) reduction(+ : loads)
  for (int64_t i = 0; i < places; i++)
    loads += p.of[i] >= 0 && touched[i] & IG_TOUCH_LOADED;
  count[2] = loads;
  for (int32_t i = 0; status == IG_OK && i < p.count; i++) {
    const ig_topopt_piece *piece = &p.piece[i];
    const bool loaded = piece->solid && piece->touched & IG_TOUCH_LOADED;
    if (!piece->mine)
      continue;
    count[0] += piece->solid;
    count[1] += !piece->solid && !piece->open;
    count[3] += loaded && piece->touched & IG_TOUCH_HELD;
    count[4] += loaded && !(piece->touched & IG_TOUCH_HELD);
  }
  pieces_free(&p);
  if (status == IG_OK)
    status = ig_topopt_count(d, count, 5); /* of what each rank has the first element of */
  *tally = (ig_topopt_tally){count[0], count[1], count[2], count[3], count[4]};
  return status;
}

/* Size and highest element of the largest solid piece; of several as large, of the one that ends
   first. Ties are broken by the last element, so that all ranks name the same piece. */
static ig_status largest_find(const ig_topopt_pieces *p, const ig_discretisation *d,
                              int64_t *largest) {
  const bool divided = ig_topopt_divided(d);
  int64_t size = 0, last = -INT64_MAX; /* negative: the lowest is the largest number */
  for (int32_t i = 0; i < p->count; i++)
    if (p->piece[i].solid && p->piece[i].size > size)
      size = p->piece[i].size;
  if (divided)
    IG_TRY(ig_ranks_max(p->cx, IG_OK, &size, 1));
  for (int32_t i = 0; i < p->count; i++)
    if (p->piece[i].solid && p->piece[i].size == size && -p->piece[i].last > last)
      last = -p->piece[i].last;
  if (divided)
    IG_TRY(ig_ranks_max(p->cx, IG_OK, &last, 1));
  largest[0] = size;
  largest[1] = -last;
  return IG_OK;
}

/* The largest piece stays even if it touches no load: something must be left to look at. */
ig_status ig_topopt_islands_clear(ig_ctx *cx, const ig_discretisation *d, double *density,
                                  double level, const uint8_t *touched, int64_t *islands,
                                  int64_t *elements) {
  ig_topopt_pieces p;
  int64_t largest[2] = {0}, first = 0, cleared = 0;
  ig_status status = pieces_make(cx, d, density, level, touched, &p);
  if (status == IG_OK)
    status = largest_find(&p, d, largest);
  const int64_t places = status == IG_OK ? p.places : 0;
#pragma omp parallel for schedule(static) num_threads(team_of(&p)) reduction(+ : first, cleared)
  for (int64_t i = 0; i < places; i++) {
    if (p.of[i] < 0 || p.solid[i] != 1)
      continue;
    const ig_topopt_piece *piece = &p.piece[p.of[i]];
    if (piece->touched || (piece->size == largest[0] && piece->last == largest[1]))
      continue;
    first += piece->first == p.whole + i;
    cleared++;
    density[i] = 0;
  }
  int64_t count[2] = {first, cleared};
  pieces_free(&p);
  if (status == IG_OK)
    status = ig_topopt_count(d, count, 2);
  *islands = count[0];
  *elements = count[1];
  return status;
}
