/* How many threads work is worth; threads and fork. */
#include "core/threads.h"

#include <omp.h>
#include <pthread.h>

/* MOST: an OMP_NUM_THREADS above it is taken for a mistake. ELEMENTS_EACH: see ig_threads_for. */
enum { MOST = 4096, ELEMENTS_EACH = 1000 };

int ig_threads_all(void) {
  const int asked = omp_get_max_threads();
  return asked <= MOST ? asked : omp_get_num_procs();
}

int ig_threads_for(int64_t elements, int all) {
  const int64_t worth = elements / ELEMENTS_EACH;
  return worth < 1 ? 1 : worth < all ? (int)worth : all;
}

/* libgomp keeps its threads between parallel regions. A forked child inherits the list of them and
   not the threads, and waits for them for ever in its first region. So the forking thread gives its
   threads back before: parent and child start new ones when they need them. (LLVM's runtime does
   that on its own. Inside of a parallel region the call does nothing.) */
#ifndef __clang__
static void threads_return(void) {
  (void)omp_pause_resource(omp_pause_hard, omp_get_initial_device());
}
static void handler_register(void) {
  (void)pthread_atfork(threads_return, NULL, NULL);
}
#endif

void ig_threads_survive_fork(void) {
#ifndef __clang__
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, handler_register);
#endif
}
