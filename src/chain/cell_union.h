/* The cells of many snapshots with the same points, numbered once: a part grows, so each snapshot
   has its own. A cell is known by its type and its corners. */
#ifndef IG_CHAIN_CELL_UNION_H
#define IG_CHAIN_CELL_UNION_H

#include "core/output.h"

typedef struct {
  int64_t points, cells, corners;
  double *point;   /* points x 3 */
  int64_t *corner; /* of all cells, one after the other */
  int64_t *offset; /* cells + 1 */
  uint8_t *type;   /* VTK cell types */
  bool changes;    /* not every snapshot had all of them */
  /* Numbers of cells by their hash, open addressing; -1: free. */
  int64_t *slot, slots;
} ig_cell_union;

/* Adds what is new in a snapshot, in its order. *same false: it has other points, and nothing was
   added. */
IG_MUST_CHECK ig_status ig_cell_union_add(ig_ctx *cx, ig_cell_union *all, const ig_snapshot *snap,
                                          bool *same);
/* The number of each cell of a snapshot that was added before. */
void ig_cell_union_find(const ig_cell_union *all, const ig_snapshot *snap, int64_t *number);
void ig_cell_union_free(ig_cell_union *all);

#endif
