/* Assembled rows for the stencil form of conduction. Nodes whose surroundings are alike (same
   shapes, materials, exposed faces, and the same steps from node number to node number) share one
   row: coefficients, capacity, films. On a voxel grid a few hundred rows serve millions of nodes,
   and the connectivity is in them. */
#ifndef IG_HEAT_ROWS_H
#define IG_HEAT_ROWS_H

#include "thermal/engine/heat.h"

/* neighbours of a node in a grid of hexahedra: 3 x 3 x 3 less itself */
enum { IG_ROW_NEIGHBORS = 26 };

IG_MUST_CHECK ig_status ig_heat_rows_new(ig_ctx *cx, ig_heat *h);
void ig_heat_rows_free(ig_heat *h);
/* The row of node n as the elements stand now; made if it is new. */
IG_MUST_CHECK ig_status ig_heat_row_find(ig_ctx *cx, ig_heat *h, ig_lid n, int32_t *row);
/* Those of all nodes: threads look them up, portion by portion; the ones they do not find are made
   in between, in the order of nodes, so that rows are numbered as if found one by one. */
IG_MUST_CHECK ig_status ig_heat_rows_find_all(ig_ctx *cx, ig_heat *h);
/* Films of all rows anew, from the classes' present values. */
IG_MUST_CHECK ig_status ig_heat_rows_renew(ig_ctx *cx, ig_heat *h);
/* Puts rows made since the last call on the device. */
IG_MUST_CHECK ig_status ig_heat_rows_push(ig_ctx *cx, ig_heat *h);
/* Rows of nodes deep inside a grid of boxes: a heat_bulk_f32 or _f64 each, by the precision of the
   state. And the commonest of them (after -1), the next commonest and so on; -1: there is none. */
const void *ig_heat_bulks(const ig_heat *h, int *count);
int ig_heat_bulk_next(const ig_heat *h, int after);
/* No node's neighbour is further from it, in node numbers, in any row so far. */
int32_t ig_heat_rows_reach(const ig_heat *h);
/* The lowest and the highest node that ever asked for a row. */
void ig_heat_row_range(const ig_heat *h, int32_t row, ig_lid *low, ig_lid *high);
/* How often one did. */
int64_t ig_heat_row_uses(const ig_heat *h, int32_t row);
/* Blocks of `share` nodes each: which nodes of others they need (ig_heat_resident). */
IG_MUST_CHECK ig_status ig_heat_halos_make(ig_ctx *cx, ig_heat *h, ig_lid share);

#endif
