/* Ranks as threads of this process. */
#ifndef IG_TEST_RANKS_THREADS_H
#define IG_TEST_RANKS_THREADS_H

#include "check.h"
#include <ingot/ranks.h>

#include <pthread.h>

enum { MOST = 66 };

/* `sit` on each of `count` seats of `size` bytes, all at once; then their ranks are closed. */
static inline void threads_sit(int count, ig_ranks **ranks, void *(*sit)(void *), void *seats,
                               size_t size) {
  pthread_t thread[MOST];
  for (int i = 0; i < count; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, sit, (char *)seats + (size_t)i * size), 0);
  for (int i = 0; i < count; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < count; i++)
    ig_ranks_close(ranks[i]);
}

#endif
