/* Numbers in rising order: comparisons for qsort and bsearch, and searches by halves. */
#ifndef IG_CORE_SORTED_H
#define IG_CORE_SORTED_H

#include <stdint.h>

/* Rising order of numbers, as qsort wants it; also of records that begin with the number. */
int ig_rising_i32(const void *a, const void *b);
int ig_rising_i64(const void *a, const void *b);
int ig_rising_f64(const void *a, const void *b);

/* How many of them are below `number`. */
static inline int64_t ig_sorted_below(const int32_t *list, int64_t count, int64_t number) {
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (list[middle] < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Where it stands; -1: nowhere. */
static inline int32_t ig_sorted_find(const int32_t *list, int64_t count, int32_t number) {
  const int64_t at = ig_sorted_below(list, count, number);
  return at < count && list[at] == number ? (int32_t)at : -1;
}

#endif
