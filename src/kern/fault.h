/* Errors met inside a kernel, which can neither return a status nor print: recorded in one word of
   device memory and read at output steps (ig_fault_check). The lowest-numbered bad item wins, so
   that the report does not depend on the schedule. */
#ifndef IG_KERN_FAULT_H
#define IG_KERN_FAULT_H

#include "kern/hd.h"

#define IG_FAULT_LIST(X)                                                                           \
  X(NONE, "no fault")                                                                              \
  X(JACOBIAN, "is inverted or flat: its Jacobian is not positive")                                 \
  X(NAN, "has a value that is not a number: check the time step, loads and units")                 \
  X(RETURN, "did not converge in its plastic return")                                              \
  X(CAPACITY, "found its table full")                                                              \
  X(BREAKDOWN, "broke down")

enum {
#define X(name, text) IG_FAULT_##name,
  IG_FAULT_LIST(X)
#undef X
};

/* code in the low 8 bits, id above: the smallest id with its code is kept. ~0 means none. */
typedef struct ig_fault {
  unsigned long long word;
} ig_fault;

/* An atomic minimum on the device; on the host the same by compare and exchange, as C has no such
   operation. In nvcc's host pass, whose copy no threads run, it is a plain comparison. id: below
   2^56. */
IG_HD void ig_fault_raise(ig_fault *fault, int code, int64_t id) {
  const unsigned long long mine = ((unsigned long long)id << 8) | (unsigned)code;
#ifdef __CUDA_ARCH__
  atomicMin(&fault->word, mine);
#elif defined(__CUDACC__)
  if (mine < fault->word)
    fault->word = mine;
#else
  unsigned long long seen = __atomic_load_n(&fault->word, __ATOMIC_RELAXED);
  while (mine < seen && !__atomic_compare_exchange_n(&fault->word, &seen, mine, 1, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {
  }
#endif
}

#endif
