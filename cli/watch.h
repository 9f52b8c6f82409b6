/* The page of a result while it comes, on the loopback address. */
#ifndef WATCH_H
#define WATCH_H

#include "cli.h"
#include <sys/types.h>

/* Serves the page of a folder until the run that writes it has ended, or a signal. `alive`: a pipe
   that the run holds open as long as it lasts; -1: the folder tells. */
int watch_serve(ig_ctx *cx, const char *folder, int port, int alive);

/* A process of its own that does so beside a run; start it before the run has threads or a GPU. */
typedef struct {
  pid_t pid; /* 0: none */
  int alive;
} watcher;
int watch_start(const char *folder, int port, watcher *w);
void watch_end(const watcher *w);

#endif
