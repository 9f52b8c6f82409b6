/* Connected components by union-find: a forest in which up[i] leads to the root of i's tree,
   which is its own. To begin with each is a root: up[i] = i. Halving of paths (Tarjan and van
   Leeuwen, 1984) keeps the trees flat; union by rank is left out, as the root must be the lowest
   number. */
#ifndef IG_CORE_UNION_FIND_H
#define IG_CORE_UNION_FIND_H

#include <stdint.h>

/* The root; paths are halved on the way. */
static inline int32_t ig_union_root(int32_t *up, int32_t i) {
  while (up[i] != i)
    i = up[i] = up[up[i]];
  return i;
}

/* Two trees become one; its root is the lower of theirs, so that it does not depend on the order.
 */
static inline void ig_union_join(int32_t *up, int32_t a, int32_t b) {
  const int32_t p = ig_union_root(up, a), q = ig_union_root(up, b);
  up[p > q ? p : q] = p < q ? p : q;
}

#endif
