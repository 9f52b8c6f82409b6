/* A run of a sweep on a thread of this process: it needs no start of its own, and runs share the
   GPU, which the processes of a sweep would use one after the other. */
#ifndef CLI_SWEEP_MEMBER_H
#define CLI_SWEEP_MEMBER_H

#include "cli.h"
#include <pthread.h>

/* Zeroed but for what is given. */
typedef struct {
  /* given: texts live until the end of the run */
  ig_sweep_run run;
  const char *out, *backend;
  int device, threads;
  bool report, force;
  int to; /* lines as a process would print them go here; closed when the run has ended */
  /* the run's own */
  pthread_t thread;
  pthread_mutex_t lock; /* of cx */
  ig_ctx *cx;
  double next_percent;
  ig_status status;
} cli_member;

/* False: no thread could be started. */
bool cli_member_start(cli_member *m);
/* Asks for a checkpoint and the end. A request that comes before the run has begun is lost: ask
   again. */
void cli_member_interrupt(cli_member *m);
/* Waits for the end; how the run ended. */
ig_status cli_member_end(cli_member *m);

/* --- cmd_sweep.c */
/* Runs at a time, GPUs that they are spread over, and whether they are threads of this process. */
typedef struct {
  int jobs, devices;
  bool threads;
} cli_places;
/* From --jobs, --threads and --each, or what this computer has. */
cli_places cli_places_count(const cli_args *args, const char *backend);

#endif
