/* Pieces and cavities: elements joined through faces, a forest with path halving. */
#include "topopt/pieces.h"
#include "backend/backend.h"
#include "core/forest.h"

#include <stdlib.h>

void ig_topopt_pieces_join(ig_topopt_pieces *p, int64_t a, int64_t b) {
  if (p->solid[a] != p->solid[b])
    return;
  ig_join(p->parent, (int32_t)a, (int32_t)b);
}

void ig_topopt_pieces_open(ig_topopt_pieces *p, int64_t a) {
  p->open[a] = 1;
}

static void count(ig_topopt_pieces *p, int64_t *pieces, int64_t *cavities) {
  for (int64_t i = 0; i < p->places; i++) /* what is open is so as a whole */
    if (p->open[i])
      p->open[ig_root(p->parent, (int32_t)i)] = 1;
  for (int64_t i = 0; i < p->places; i++)
    if (p->solid[i] < 2 && p->parent[i] == i) {
      *pieces += p->solid[i];
      *cavities += !p->solid[i] && !p->open[i];
    }
}

static void pieces_free(ig_topopt_pieces *p) {
  free(p->solid);
  free(p->open);
  free(p->parent);
}

/* Elements joined, solid where the density is at least the level; freed by the caller, failed or
   not. */
static ig_status pieces_make(ig_ctx *cx, const ig_discretisation *d, const double *density,
                             double level, ig_topopt_pieces *p) {
  const size_t n = (size_t)d->all_places;
  uint8_t *there = NULL;
  ig_status status;
  *p = (ig_topopt_pieces){.places = d->all_places};
  if (d->all_places > INT32_MAX)
    return IG_FAIL(cx, IG_UNSUPPORTED, "pieces are counted up to %d elements", INT32_MAX);
  IG_TRY_GOTO(status, done, IG_NEW(cx, &there, n, "pieces"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &p->solid, n, "pieces"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &p->open, n, "pieces"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &p->parent, n, "pieces"));
  IG_TRY_GOTO(status, done, ig_topopt_elements_mark(cx, d, there));
  for (size_t i = 0; i < n; i++) {
    p->parent[i] = (int32_t)i;
    p->solid[i] = !there[i] ? 2 : density[i] >= level;
  }
  status = d->faces(d->self, p);
done:
  free(there);
  return status;
}

ig_status ig_topopt_pieces_count(ig_ctx *cx, const ig_discretisation *d, const double *density,
                                 double level, int64_t *pieces, int64_t *cavities) {
  ig_topopt_pieces p;
  *pieces = *cavities = 0;
  const ig_status status = pieces_make(cx, d, density, level, &p);
  if (status == IG_OK)
    count(&p, pieces, cavities);
  pieces_free(&p);
  return status;
}

ig_status ig_topopt_islands_clear(ig_ctx *cx, const ig_discretisation *d, double *density,
                                  double level, const uint8_t *touched, int64_t *islands,
                                  int64_t *elements) {
  const size_t n = (size_t)d->all_places;
  ig_topopt_pieces p;
  uint8_t *kept = NULL;
  int32_t *size = NULL, largest = -1;
  ig_status status = pieces_make(cx, d, density, level, &p);
  *islands = *elements = 0;
  if (status != IG_OK)
    goto done;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &kept, n, "pieces"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &size, n, "pieces"));
  for (size_t i = 0; i < n; i++)
    kept[i] = p.solid[i] == 1 && touched[i];
  for (size_t i = 0; i < n; i++)
    if (p.solid[i] == 1) {
      const int32_t root = ig_root(p.parent, (int32_t)i);
      kept[root] |= kept[i];
      size[root]++;
      if (largest < 0 || size[root] > size[largest])
        largest = root;
    }
  for (size_t i = 0; i < n; i++)
    if (p.solid[i] == 1) {
      const int32_t root = ig_root(p.parent, (int32_t)i);
      if (kept[root] || root == largest)
        continue;
      *islands += root == (int32_t)i;
      ++*elements;
      density[i] = 0;
    }
done:
  free(kept);
  free(size);
  pieces_free(&p);
  return status;
}
