/* Nested dissection (George 1973): a small set of vertices that cuts the graph in two is eliminated
   last, and each half is ordered likewise. METIS finds such sets by multilevel bisection (Karypis
   and Kumar 1998); without it, levels of a breadth-first search serve (George and Liu 1981), with
   more fill. */
#include "implicit/order.h"
#include "core/kept_signals.h"

#include <stdlib.h>
#include <string.h>

#ifdef INGOT_HAVE_METIS
#include <dlfcn.h>
#include <metis.h>

typedef int node_dissection(idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *);
typedef int defaults(idx_t *);

/* false: METIS is not there or has failed. Its indices may be of 32 or 64 bits, so that all arrays
   are copied. */
static bool metis_order(ig_ctx *cx, int32_t n, const int64_t *first, const int32_t *next,
                        const int32_t *weight, int32_t *order) {
  void *library = dlopen(INGOT_METIS_SONAME, RTLD_NOW | RTLD_LOCAL);
  node_dissection *dissect = NULL;
  defaults *usual = NULL;
  idx_t *start = NULL, *list = NULL, *heavy = NULL, *perm = NULL, *inverse = NULL;
  idx_t options[METIS_NOPTIONS], count = n;
  bool done = false;
  if (!library)
    return false;
  *(void **)&dissect = dlsym(library, "METIS_NodeND");
  *(void **)&usual = dlsym(library, "METIS_SetDefaultOptions");
  if (dissect && usual && (sizeof(idx_t) == 8 || first[n] < INT32_MAX) &&
      IG_NEW(cx, &start, (size_t)n + 1, "order") == IG_OK &&
      IG_NEW(cx, &list, (size_t)first[n] + 1, "order") == IG_OK &&
      IG_NEW(cx, &heavy, (size_t)n + 1, "order") == IG_OK &&
      IG_NEW(cx, &perm, (size_t)n + 1, "order") == IG_OK &&
      IG_NEW(cx, &inverse, (size_t)n + 1, "order") == IG_OK) {
    for (int32_t i = 0; i <= n; i++)
      start[i] = (idx_t)first[i];
    for (int64_t i = 0; i < first[n]; i++)
      list[i] = next[i];
    for (int32_t i = 0; i < n; i++)
      heavy[i] = weight[i];
    (void)usual(options);
    options[METIS_OPTION_SEED] = 1; /* the same order every time */
    ig_kept_signals kept;
    ig_signals_keep(&kept);
    done = dissect(&count, start, list, heavy, options, perm, inverse) == METIS_OK;
    ig_signals_kept(&kept);
    for (int32_t i = 0; i < n && done; i++)
      order[i] = (int32_t)perm[i];
  }
  free(start);
  free(list);
  free(heavy);
  free(perm);
  free(inverse);
  dlclose(library);
  return done;
}
#else
static bool metis_order(ig_ctx *cx, int32_t n, const int64_t *first, const int32_t *next,
                        const int32_t *weight, int32_t *order) {
  (void)cx, (void)n, (void)first, (void)next, (void)weight, (void)order;
  return false;
}
#endif

/* --- dissection by levels */

typedef struct {
  const int64_t *first;
  const int32_t *next, *weight;
  int32_t *part;  /* vertices: number of the piece they belong to, -1: ordered */
  int32_t *level; /* of the last search */
  /* queue: 2 n, vertices reached and, behind them, scratch; item: vertices piece after piece */
  int32_t *queue, *order, *item;
  int32_t pieces;
} dissecting;

/* Breadth-first search within piece `p`; returns how many it reached, in d->queue, by levels.
   Vertices that are reached get another piece number meanwhile, and their own again at the end. */
static int32_t search(dissecting *d, int32_t p, int32_t from, int32_t *depth) {
  int32_t count = 1;
  d->queue[0] = from;
  d->level[from] = 0;
  d->part[from] = -2 - p;
  for (int32_t i = 0; i < count; i++) {
    const int32_t v = d->queue[i];
    for (int64_t k = d->first[v]; k < d->first[v + 1]; k++) {
      const int32_t w = d->next[k];
      if (d->part[w] != p)
        continue;
      d->part[w] = -2 - p;
      d->level[w] = d->level[v] + 1;
      d->queue[count++] = w;
    }
  }
  for (int32_t i = 0; i < count; i++)
    d->part[d->queue[i]] = p;
  *depth = d->level[d->queue[count - 1]];
  return count;
}

/* Orders the `count` vertices d->item[at ...], which are piece p, into d->order[at ...]. The search
   starts at a vertex at the rim (found by searching from the last one of the search before: Gibbs,
   Poole and Stockmeyer 1976), so that levels are many and small. The level at which half the weight
   is reached gives the separator: those of its vertices that have a neighbour beyond. Recursion is
   into the lower part, the loop goes on with the upper one. */
static void dissect(dissecting *d, int32_t p, int32_t at, int32_t count) {
  enum { SMALL = 32 };
  while (count > 0) {
    int32_t depth = 0, next_depth = 0, from = d->item[at];
    int32_t reached = search(d, p, from, &depth);
    for (int pass = 0; pass < 4; pass++) { /* towards a vertex at the rim */
      from = d->queue[reached - 1];
      (void)search(d, p, from, &next_depth);
      if (next_depth <= depth)
        break;
      depth = next_depth;
    }
    if (reached < count) { /* this component alone, then the rest */
      const int32_t one = d->pieces++;
      int32_t n = 0, rest = 0, *old = d->queue + reached;
      for (int32_t i = 0; i < reached; i++)
        d->part[d->queue[i]] = one;
      for (int32_t i = 0; i < count; i++)
        if (d->part[d->item[at + i]] == p)
          old[rest++] = d->item[at + i];
      for (int32_t i = 0; i < reached; i++)
        d->item[at + n++] = d->queue[i];
      memcpy(d->item + at + n, old, (size_t)rest * sizeof *old);
      dissect(d, one, at, reached);
      at += reached;
      count -= reached;
      continue;
    }
    /* small, or no level between two others: the order of the search, backwards (Cuthill and McKee)
     */
    if (count <= SMALL || depth < 2) {
      for (int32_t i = 0; i < count; i++) {
        d->order[at + i] = d->queue[count - 1 - i];
        d->part[d->queue[i]] = -1;
      }
      return;
    }
    int64_t whole = 0, sum = 0;
    for (int32_t i = 0; i < count; i++)
      whole += d->weight[d->queue[i]];
    int32_t cut = 0;
    for (int32_t i = 0; i < count && 2 * sum < whole; i++) {
      sum += d->weight[d->queue[i]];
      cut = d->level[d->queue[i]];
    }
    cut = cut < 1 ? 1 : cut > depth - 1 ? depth - 1 : cut;
    const int32_t low = d->pieces++, high = d->pieces++;
    int32_t n = 0, lows = 0, highs = 0, *was = d->item + at;
    for (int32_t i = 0; i < count; i++) {
      const int32_t v = d->queue[i];
      bool between = false;
      if (d->level[v] == cut)
        for (int64_t k = d->first[v]; k < d->first[v + 1]; k++)
          between |= d->part[d->next[k]] == p && d->level[d->next[k]] == cut + 1;
      /* the separator comes last; parts are numbered after the loop, which needs the levels */
      was[i] = between ? -1 - v : v;
      n += between;
    }
    for (int32_t i = 0, s = count - n; i < count; i++)
      if (was[i] < 0) {
        d->order[at + s++] = -1 - was[i];
        d->part[-1 - was[i]] = -1;
      }
    for (int32_t i = 0; i < count; i++)
      if (was[i] >= 0) {
        const bool below = d->level[was[i]] <= cut;
        d->part[was[i]] = below ? low : high;
        d->queue[below ? lows++ : count - 1 - highs++] = was[i];
      }
    memcpy(was, d->queue, (size_t)lows * sizeof *was);
    for (int32_t i = 0; i < highs; i++)
      was[lows + i] = d->queue[count - 1 - i];
    dissect(d, low, at, lows);
    p = high;
    at += lows;
    count = highs;
  }
}

static ig_status level_order(ig_ctx *cx, int32_t n, const int64_t *first, const int32_t *next,
                             const int32_t *weight, int32_t *order) {
  int32_t *room;
  IG_TRY(IG_NEW(cx, &room, 5 * (size_t)n + 1, "order"));
  dissecting d = {.first = first,
                  .next = next,
                  .weight = weight,
                  .part = room,
                  .level = room + n,
                  .queue = room + 2 * (size_t)n,
                  .item = room + 4 * (size_t)n,
                  .order = order,
                  .pieces = 1};
  for (int32_t i = 0; i < n; i++)
    d.item[i] = i;
  dissect(&d, 0, 0, n);
  free(room);
  return IG_OK;
}

ig_status ig_order_dissect(ig_ctx *cx, int32_t n, const int64_t *first, const int32_t *next,
                           const int32_t *weight, int32_t *order) {
  if (n > 0 && metis_order(cx, n, first, next, weight, order))
    return IG_OK;
  return level_order(cx, n, first, next, weight, order);
}
