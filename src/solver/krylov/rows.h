/* Rows of a mesh's system divided between ranks: ranges of nodes in the order of the mesh, and of
   the coarse nodes of its multigrid levels.

   A rank computes its own range of a vector. What its rows read beside that, its ghosts, comes from
   the ranks that own it. Every rank knows the whole pattern while all is set up, so lists of ghosts
   are made without a message. */
#ifndef IG_SOLVER_KRYLOV_ROWS_H
#define IG_SOLVER_KRYLOV_ROWS_H

#include "ranks/partition.h"
#include "solver/krylov/slab.h"

IG_C_BEGIN

typedef struct ig_rows {
  int rank, ranks;
  ig_lid *start;   /* ranks + 1: first row of each */
  ig_lid from, to; /* the own ones */
  ig_ctx *cx;
  /* pinned, grows as needed (ig_rows_gather) */
  char *host; /* of vectors that are made whole, where the device has memory of its own */
  size_t room;
} ig_rows;

/* Ranges of about the same length that begin at multiples of `unit`; the last ones may be empty.
   Needs no message. ig_rows_free. */
IG_MUST_CHECK ig_status ig_rows_new(ig_ctx *cx, ig_lid count, ig_lid unit, ig_rows *rows);
void ig_rows_free(ig_rows *rows);
/* Blocks of `length` rows as "planes" of a grid, so that sums are made as a divided grid's: one
   level, no ghosts, ranks that may have none. Ranges begin at multiples of `length`. */
IG_MUST_CHECK ig_status ig_rows_slab(ig_ctx *cx, const ig_rows *rows, ig_lid length,
                                     ig_slab **slab);
/* Blocks of `length` of `count` rows of `size` values as a "grid" whose planes are blocks: sums
   over it (ig_pcg_dot, ig_pcg_energy, ig_linear.grid) have one order for any number of ranks. */
ig_grid ig_rows_blocks(int64_t count, int64_t length, int size);
/* The own part of these blocks. Makes *slab, which the grid refers to: ig_slab_free. */
IG_MUST_CHECK ig_status ig_rows_sums(ig_ctx *cx, const ig_rows *rows, ig_lid length, int size,
                                     ig_slab **slab, ig_grid *sums);
/* The rank whose range holds the row; bisection. */
int ig_rows_owner(const ig_rows *rows, ig_lid row);

/* A whole pattern in compressed rows, on the host. */
typedef struct {
  const ig_lid *start, *column;
} ig_rows_pattern;
/* Ghosts of matrix rows: columns of others that own rows read. item: bytes per column. `number`:
   what this rank calls each column, in rising order; NULL: as the whole does. */
IG_MUST_CHECK ig_status ig_rows_halo(ig_ctx *cx, const ig_rows *rows, const ig_rows *columns,
                                     ig_rows_pattern pattern, const ig_lid *number, size_t item,
                                     ig_halo *halo);
/* The same, to be put together with others: what is given and taken of column c are items
   of[number[c]] to of[number[c] + 1] - 1; of NULL: number[c] itself. */
IG_MUST_CHECK ig_status ig_rows_pairs(ig_ctx *cx, const ig_rows *rows, const ig_rows *columns,
                                      ig_rows_pattern pattern, const ig_lid *number,
                                      const ig_lid *of, ig_halo_pairs *give, ig_halo_pairs *take);
/* Ghosts of elements: nodes of others in elements that touch an own node. Those elements are marked
   with 1. conn: elements x npe; number: as above. */
IG_MUST_CHECK ig_status ig_rows_halo_elements(ig_ctx *cx, const ig_rows *nodes, ig_lid elements,
                                              int npe, const ig_lid *conn, const ig_lid *number,
                                              size_t item, uint8_t *mine, ig_halo *halo);
/* Ranges as they are in another division, of which `at` says where each of its rows is. */
IG_MUST_CHECK ig_status ig_rows_like(ig_ctx *cx, const ig_rows *from, const ig_lid *at,
                                     ig_rows *rows);
/* Own rows (device, `item` bytes each) to the host as a whole: on rank 0, or on all ranks;
   elsewhere `whole` is not looked at. */
IG_MUST_CHECK ig_status ig_rows_collect(ig_ctx *cx, const ig_rows *rows, size_t item,
                                        const void *own, bool everyone, void *whole);
/* Every rank's own range of a vector to all, in place: `item` bytes per row. */
IG_MUST_CHECK ig_status ig_rows_gather(ig_ctx *cx, ig_rows *rows, size_t item, void *values);

IG_C_END
#endif
