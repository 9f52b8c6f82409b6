/* Rows of a mesh's system divided between ranks: ranges of nodes in the order of the mesh, and of
   the coarse nodes of its multigrid levels.

   Vectors are whole on every rank; a rank computes its own range of them. What its rows read beside
   that, its ghosts, comes from the ranks that own it. Every rank knows the whole pattern, so lists
   of ghosts are made without a message. */
#ifndef IG_SOLVER_ROWS_H
#define IG_SOLVER_ROWS_H

#include "ranks/part.h"
#include "solver/slab.h"

IG_C_BEGIN

typedef struct ig_rows {
  int rank, ranks;
  ig_lid *start;   /* ranks + 1: first row of each */
  ig_lid from, to; /* the own ones */
  ig_ctx *cx;
  char *host; /* of vectors that are made whole, where the device has memory of its own */
  size_t room;
} ig_rows;

/* Ranges of about the same length that begin at multiples of `unit`; the last ones may be empty. */
IG_MUST_CHECK ig_status ig_rows_new(ig_ctx *cx, ig_lid count, ig_lid unit, ig_rows *rows);
void ig_rows_free(ig_rows *rows);
/* Blocks of `length` rows as "planes" of a grid, so that sums are made as a divided grid's: one
   level, no ghosts, ranks that may have none. Ranges begin at multiples of `length`. */
IG_MUST_CHECK ig_status ig_rows_slab(ig_ctx *cx, const ig_rows *rows, ig_lid length,
                                     ig_slab **slab);
int ig_rows_owner(const ig_rows *rows, ig_lid row);

/* Ghosts of matrix rows: columns of others that own rows read. start, column: the whole pattern in
   compressed rows, on the host; item: bytes per column. */
IG_MUST_CHECK ig_status ig_rows_halo(ig_ctx *cx, const ig_rows *rows, const ig_rows *columns,
                                     const ig_lid *start, const ig_lid *column, size_t item,
                                     ig_halo *halo);
/* Ghosts of elements: nodes of others in elements that touch an own node. Those elements are marked
   with 1. conn: elements x npe. */
IG_MUST_CHECK ig_status ig_rows_halo_elements(ig_ctx *cx, const ig_rows *nodes, ig_lid elements,
                                              int npe, const ig_lid *conn, size_t item,
                                              uint8_t *mine, ig_halo *halo);
/* Every rank's own range of a vector to all, in place: `item` bytes per row. */
IG_MUST_CHECK ig_status ig_rows_gather(ig_ctx *cx, ig_rows *rows, size_t item, void *values);

IG_C_END
#endif
