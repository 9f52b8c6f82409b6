/* The page of a result while it comes, on the loopback address. See watch.c for its access rules.
 */
#ifndef WATCH_H
#define WATCH_H

#include "cli.h"
#include <sys/types.h>

/* Serves the page of a folder until the run that writes it has ended, or a signal. `alive`: the
   reading end of a pipe that the run has open as long as it lasts; -1: the folder's lock and files
   say so. */
int watch_serve(ig_ctx *cx, const char *folder, int port, int alive);

/* A process of its own that does so beside a run; start it before the run has threads or a GPU. */
typedef struct {
  pid_t pid; /* 0: none */
  int alive;
} watcher;
/* w is filled in any case; watch_end with a watcher that did not start does nothing. */
int watch_start(const char *folder, int port, watcher *w);
void watch_end(const watcher *w);

#endif
