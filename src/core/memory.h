/* How much memory is left, and large pieces of it. */
#ifndef IG_CORE_MEMORY_H
#define IG_CORE_MEMORY_H

#include <stddef.h>

/* Bytes that this process may still take: what the machine, its control group and its own limit
   leave. Asked before large allocations, since Linux grants more than there is and kills later. */
double ig_memory_left(void);
/* Bytes that this process has mapped and that are resident. */
void ig_memory_used(double *mapped, double *resident);

/* Asks for large pages where a block is large: it is cleared 2 MB at a time when first touched, not
   4 kB, and addresses are found faster. For blocks that were not touched yet. */
void ig_memory_large(void *block, size_t bytes);

/* Zeros or a copy, by so many threads where that is worth it, in equal pieces: on a machine with
   several memories each piece lies with the thread that later works on it. */
void ig_memory_clear(int threads, void *to, size_t bytes);
void ig_memory_copy(int threads, void *to, const void *from, size_t bytes);

#endif
