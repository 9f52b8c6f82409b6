/* How many threads work is worth. */
#ifndef IG_CORE_THREADS_H
#define IG_CORE_THREADS_H

#include <stdint.h>

/* What `threads: 0` means: OMP_NUM_THREADS where it is sensible, else all cores. */
int ig_threads_all(void);
/* For so many elements: a thread with too few of them waits longer for the others than it works,
   and on a busy machine much longer. No result depends on it. */
int ig_threads_for(int64_t elements, int all);

#endif
