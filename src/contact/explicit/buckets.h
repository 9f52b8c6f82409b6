/* The search of explicit contact: items (triangles, edges, facets) in cells of equal edge, found
   again from a point by the cell it lies in. Cells are hashed into buckets; a bucket is a chain of
   items. Different cells may share a bucket, so readers of a chain test each item.

   Passes, one call for each bucket or item, in any order and by any number of threads: clear,
   put, sort. Chains come in any order; nothing that is computed may depend on it: either they are
   sorted (ig_chain_sort), or the reader chooses among the items by their values and numbers. */
#ifndef IG_CONTACT_BUCKETS_H
#define IG_CONTACT_BUCKETS_H

#include "kern/hd.h"

/* What kernels see: first item of each bucket, the item after each item; -1 ends a chain. */
typedef struct {
  int32_t *bucket, *chain;
  uint32_t mask; /* buckets - 1; their number is a power of two */
} ig_buckets;

/* A power of two, at least 64 and, up to 2^30, `least`. */
static inline uint32_t ig_buckets_count(int64_t least) {
  uint32_t buckets = 64;
  while (buckets < least && buckets < UINT32_C(1) << 30)
    buckets *= 2;
  return buckets;
}

/* Hash of a cell by three primes (a usual spatial hash); the shift mixes high bits into the low
   ones that the mask keeps. In the plane c is 0. */
IG_HD uint32_t ig_buckets_of(const ig_buckets *b, int64_t i, int64_t j, int64_t k) {
  const uint32_t h = (uint32_t)i * 73856093u ^ (uint32_t)j * 19349663u ^ (uint32_t)k * 83492791u;
  return (h ^ h >> 15) & b->mask;
}
IG_HD int32_t ig_buckets_first(const ig_buckets *b, int64_t i, int64_t j, int64_t k) {
  return b->bucket[ig_buckets_of(b, i, j, k)];
}

/* Puts an item in front of a chain; returns what it is now in front of. Atomic. */
IG_HD int32_t ig_chain_push(int32_t *first, int32_t item) {
#ifdef __CUDA_ARCH__
  return atomicExch(first, item);
#else
  return __atomic_exchange_n(first, item, __ATOMIC_RELAXED);
#endif
}
IG_HD void ig_buckets_put(const ig_buckets *b, int64_t i, int64_t j, int64_t k, int32_t item) {
  b->chain[item] = ig_chain_push(b->bucket + ig_buckets_of(b, i, j, k), item);
}

/* A chain in growing order, by insertion: chains are short. */
IG_HD void ig_chain_sort(int32_t *first, int32_t *chain) {
  int32_t sorted = -1, next;
  for (int32_t i = *first; i >= 0; i = next) {
    next = chain[i];
    if (sorted < 0 || i < sorted) {
      chain[i] = sorted;
      sorted = i;
      continue;
    }
    int32_t j = sorted;
    while (chain[j] >= 0 && chain[j] < i)
      j = chain[j];
    chain[i] = chain[j];
    chain[j] = i;
  }
  *first = sorted;
}

#endif
