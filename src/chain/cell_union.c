/* Cells of many snapshots, numbered once: see cell_union.h. */
#include "chain/cell_union.h"
#include "core/hash.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(uint8_t type, const int64_t *corner, int64_t corners) {
  return ig_hash(ig_hash_word(ig_hash_word(IG_HASH_START, type), (uint64_t)corners), corner,
                 (size_t)corners * sizeof *corner);
}

/* Where a cell is, or where it would go. */
static int64_t slot_find(const ig_cell_union *all, uint8_t type, const int64_t *corner,
                         int64_t corners) {
  int64_t at = (int64_t)(hash_of(type, corner, corners) % (uint64_t)all->slots);
  for (;; at = (at + 1) % all->slots) {
    const int64_t cell = all->slot[at];
    if (cell < 0)
      return at;
    const int64_t begin = all->offset[cell];
    if (all->type[cell] == type && all->offset[cell + 1] - begin == corners &&
        memcmp(all->corner + begin, corner, (size_t)corners * sizeof *corner) == 0)
      return at;
  }
}

/* A table at most half full with `cells` cells; those that are known are put into it again. */
static ig_status slots_make(ig_ctx *cx, ig_cell_union *all, int64_t cells) {
  if (2 * cells < all->slots)
    return IG_OK;
  free(all->slot);
  all->slots = 4 * cells + 16;
  IG_TRY(IG_NEW(cx, &all->slot, all->slots, "cells of snapshots"));
  for (int64_t i = 0; i < all->slots; i++)
    all->slot[i] = -1;
  for (int64_t c = 0; c < all->cells; c++) {
    const int64_t begin = all->offset[c];
    all->slot[slot_find(all, all->type[c], all->corner + begin, all->offset[c + 1] - begin)] = c;
  }
  return IG_OK;
}

static ig_status grow(ig_ctx *cx, void **array, int64_t count, size_t size) {
  void *more = realloc(*array, (size_t)count * size + 1);
  if (!more)
    return IG_FAIL(cx, IG_MEMORY, "no memory for the cells of all snapshots");
  *array = more;
  return IG_OK;
}

/* Memory for all cells of a snapshot beside those that are known. */
static ig_status room_make(ig_ctx *cx, ig_cell_union *all, const ig_snapshot *snap) {
  const int64_t cells = all->cells + snap->cells,
                corners = all->corners + snap->offset[snap->cells];
  IG_TRY(grow(cx, (void **)&all->corner, corners, sizeof *all->corner));
  IG_TRY(grow(cx, (void **)&all->type, cells, sizeof *all->type));
  IG_TRY(grow(cx, (void **)&all->offset, cells + 1, sizeof *all->offset));
  if (all->cells == 0)
    all->offset[0] = 0;
  return slots_make(cx, all, cells);
}

ig_status ig_cell_union_add(ig_ctx *cx, ig_cell_union *all, const ig_snapshot *snap, bool *same) {
  const size_t coordinates = 3 * (size_t)snap->points;
  const bool first = !all->point;
  const int64_t before = all->cells;
  if (first) {
    all->points = snap->points;
    IG_TRY(IG_NEW(cx, &all->point, coordinates + 1, "points of snapshots"));
    memcpy(all->point, snap->point, coordinates * sizeof *snap->point);
  }
  *same = all->points == snap->points &&
          memcmp(all->point, snap->point, coordinates * sizeof *snap->point) == 0;
  if (!*same)
    return IG_OK;
  IG_TRY(room_make(cx, all, snap));
  for (int64_t c = 0; c < snap->cells; c++) {
    const int64_t *corner = snap->corner + snap->offset[c],
                  corners = snap->offset[c + 1] - snap->offset[c];
    const int64_t at = slot_find(all, snap->type[c], corner, corners);
    if (all->slot[at] >= 0)
      continue;
    memcpy(all->corner + all->corners, corner, (size_t)corners * sizeof *corner);
    all->corners += corners;
    all->type[all->cells] = snap->type[c];
    all->slot[at] = all->cells++;
    all->offset[all->cells] = all->corners;
  }
  all->changes |= (!first && all->cells > before) || snap->cells < all->cells;
  return IG_OK;
}

void ig_cell_union_find(const ig_cell_union *all, const ig_snapshot *snap, int64_t *number) {
  for (int64_t c = 0; c < snap->cells; c++)
    number[c] = all->slot[slot_find(all, snap->type[c], snap->corner + snap->offset[c],
                                    snap->offset[c + 1] - snap->offset[c])];
}

void ig_cell_union_free(ig_cell_union *all) {
  free(all->point);
  free(all->corner);
  free(all->offset);
  free(all->type);
  free(all->slot);
  *all = (ig_cell_union){0};
}
