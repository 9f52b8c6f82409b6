/* Connected components by union-find: a forest in which up[i] leads to the root of i's tree,
   which is its own. To begin with each is a root: up[i] = i. Halving of paths (Tarjan and van
   Leeuwen, 1984) keeps the trees flat; union by rank is left out, as the root must be the lowest
   number. */
#ifndef IG_CORE_UNION_FIND_H
#define IG_CORE_UNION_FIND_H

#include <stdbool.h>
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

/* The same by several threads at a time: links are set by compare and swap, from a root to a lower
   one, so that the lowest number is the root whatever the order (Jayanti and Tarjan, 2021). */
static inline int32_t ig_union_root_shared(int32_t *up, int32_t i) {
  for (;;) {
    int32_t next = __atomic_load_n(&up[i], __ATOMIC_RELAXED);
    if (next == i)
      return i;
    const int32_t far = __atomic_load_n(&up[next], __ATOMIC_RELAXED);
    if (far != next) /* another thread may have halved it before: both are ancestors */
      (void)__atomic_compare_exchange_n(&up[i], &next, far, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
    i = far;
  }
}
static inline void ig_union_join_shared(int32_t *up, int32_t a, int32_t b) {
  for (;;) {
    const int32_t p = ig_union_root_shared(up, a), q = ig_union_root_shared(up, b);
    int32_t high = p > q ? p : q;
    if (p == q || __atomic_compare_exchange_n(&up[high], &high, p < q ? p : q, false,
                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return; /* else it has become another's meanwhile: once more */
  }
}

#endif
