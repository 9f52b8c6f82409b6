/* How much memory is left. */
#ifndef IG_CORE_MEMORY_H
#define IG_CORE_MEMORY_H

/* Bytes that this process may still take: what the machine, its control group and its own limit
   leave. Asked before large allocations, since Linux grants more than there is and kills later. */
double ig_memory_left(void);

#endif
