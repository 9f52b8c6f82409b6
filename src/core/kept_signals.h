/* Keeps the program's answer to SIGTERM while a library runs that sets its own.

   METIS (5) sets handlers of SIGTERM and SIGABRT while it works, to leave its own errors by a jump.
   A SIGTERM then ended METIS with an error and was lost; on another thread the jump crashed. After
   its end the handler was one that works once. So a thread watches and sets the program's handler
   again, within 50 us. One such call at a time in a process: METIS' own saving of handlers is not
   for several. The calling thread does not take SIGTERM meanwhile; another does, or the watching
   one. */
#ifndef IG_CORE_KEPT_SIGNALS_H
#define IG_CORE_KEPT_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

typedef struct {
  struct sigaction before; /* of SIGTERM */
  sigset_t mask;           /* of the calling thread */
  pthread_t watch;
  bool watched;
} ig_kept_signals;

void ig_signals_keep(ig_kept_signals *k);
void ig_signals_kept(ig_kept_signals *k); /* ends it: the handler and mask of before */

#endif
