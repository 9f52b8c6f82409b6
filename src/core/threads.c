/* How many threads work is worth. */
#include "core/threads.h"

#include <omp.h>

enum { MOST = 4096, ELEMENTS_EACH = 1000 };

int ig_threads_all(void) {
  const int asked = omp_get_max_threads();
  return asked <= MOST ? asked : omp_get_num_procs();
}

int ig_threads_for(int64_t elements, int all) {
  const int64_t worth = elements / ELEMENTS_EACH;
  return worth < 1 ? 1 : worth < all ? (int)worth : all;
}
