/* What is found of a finished part: pieces, cavities, islands, surface, shares inside. */
#ifndef IG_TEST_FINISHED_PART_H
#define IG_TEST_FINISHED_PART_H

#include "check.h"
#include "core/ctx.h"
#include "ranks/ranks.h"
#include "topopt/surface/pieces.h"
#include "topopt/surface/surface.h"

/* Of several ranks each fills in its own elements. */
typedef struct {
  int64_t count[4]; /* pieces, cavities; islands, of how many elements */
  double *left, *share;
  size_t elements;
  ig_topopt_part part;
} found;

static inline void found_new(found *f, size_t elements) {
  *f = (found){.elements = elements};
  f->left = calloc(elements, sizeof *f->left);
  f->share = calloc(elements, sizeof *f->share);
  assert_true(f->left && f->share);
}

static inline void found_free(found *f) {
  free(f->left);
  free(f->share);
  ig_topopt_part_free(&f->part);
}

/* Of densities at the places of this rank; islands go from them. */
static inline ig_status part_look(ig_ctx *cx, const ig_discretisation *d, double *density,
                                  double level, double *share, found *to) {
  uint8_t *touched = calloc((size_t)d->places + 1, 1);
  int64_t count[4] = {0};
  ig_topopt_part part = {0};
  ig_status status = d->touched(d->self, touched);
  ig_topopt_tally tally = {0};
  if (status == IG_OK)
    status = ig_topopt_pieces_count(cx, d, density, 0.5, touched, &tally);
  count[0] = tally.pieces;
  count[1] = tally.cavities;
  if (status == IG_OK)
    status = ig_topopt_islands_clear(cx, d, density, 0.5, touched, &count[2], &count[3]);
  if (status == IG_OK)
    status = d->surface(d->self, density, level, true, &part);
  if (status == IG_OK)
    status = d->inside(d->self, density, &part.level, share);
  if (ig_ranks_first(cx)) {
    memcpy(to->count, count, sizeof count);
    to->part = part;
  } else {
    if (status == IG_OK && part.triangles != 0)
      status = IG_FAIL(cx, IG_ARG, "another rank than the first has triangles");
    ig_topopt_part_free(&part);
  }
  free(touched);
  return status;
}

static inline void found_same(const found *many, const found *one) {
  const ig_topopt_part *p = &many->part, *q = &one->part;
  for (int i = 0; i < 4; i++)
    assert_int_equal(many->count[i], one->count[i]);
  assert_memory_equal(many->left, one->left, one->elements * sizeof *one->left);
  assert_memory_equal(many->share, one->share, one->elements * sizeof *one->share);
  assert_memory_equal(&p->level, &q->level, sizeof q->level);
  assert_memory_equal(&p->volume, &q->volume, sizeof q->volume);
  assert_int_equal(p->vertices, q->vertices);
  assert_int_equal(p->triangles, q->triangles);
  assert_memory_equal(p->vertex, q->vertex, sizeof *q->vertex * (size_t)q->vertices);
  assert_memory_equal(p->triangle, q->triangle, sizeof *q->triangle * (size_t)q->triangles);
}

#endif
