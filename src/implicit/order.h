/* Fill-reducing order of a symmetric graph by nested dissection: METIS where it is installed, else
   by levels of a breadth-first search. The same order every time, for equal bits; with METIS and
   without, orders differ, and so do the last digits of solutions. */
#ifndef IG_IMPLICIT_ORDER_H
#define IG_IMPLICIT_ORDER_H

#include "core/ctx.h"

/* order[k]: the vertex that is eliminated k-th. Vertex v has neighbours next[first[v]] … without
   itself; weight: equations of each. */
IG_MUST_CHECK ig_status ig_order_dissect(ig_ctx *cx, int32_t n, const int64_t *first,
                                         const int32_t *next, const int32_t *weight,
                                         int32_t *order);

#endif
