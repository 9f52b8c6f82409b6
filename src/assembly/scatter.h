/* How an element's contributions reach the nodes: the view kernels see. Plain data, passed by
   value.

   atomic: add to the node's sum, in any order.
   color:  add to the node's sum; no two elements of one color share a node, colors run in turn.
   gather: write to a slot of the node's own; a second pass adds up each node's slots in order.
           Slots of a node are neighbours: rows of equal width (the node-element structure of the
           Mozaffar et al. 2019, Algorithm 1) or packed one after the other (compact). */
#ifndef IG_SCATTER_H
#define IG_SCATTER_H

#include "ingot/types.h"
#include "kern/hd.h"

/* three displacements and three rotations */
enum { IG_SCATTER_MOST = 6 }; /* values per node */

typedef struct {
  int how; /* ig_assembly */
  int npe; /* nodes per element */
  int32_t nodes, elements;
  const int32_t *conn;  /* elements x npe */
  const int32_t *order; /* color: elements by color; else NULL (natural order) */
  const int32_t *slot;  /* gather: elements x npe, where the contribution goes */
  const int32_t *first; /* gather, compact: nodes + 1; NULL: rows of `width` */
  const int32_t *used;  /* gather, rows: how many slots of each node are taken */
  int width;
} ig_scatter_view;

IG_HD int32_t ig_scatter_element(const ig_scatter_view *v, int32_t i) {
  return v->order ? v->order[i] : i;
}

#endif
