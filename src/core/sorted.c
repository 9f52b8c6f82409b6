#include "core/sorted.h"

#define ORDER(name, type)                                                                          \
  int name(const void *a, const void *b) {                                                         \
    const type p = *(const type *)a, q = *(const type *)b;                                         \
    return (p > q) - (p < q);                                                                      \
  }
ORDER(ig_rising_i32, int32_t)
ORDER(ig_rising_i64, int64_t)
ORDER(ig_rising_f64, double)
