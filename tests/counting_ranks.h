/* A transport that counts what a rank sends, around the one that it has. */
#ifndef IG_TESTS_COUNTING_RANKS_H
#define IG_TESTS_COUNTING_RANKS_H

#include "ranks/ranks.h"

#include <stdlib.h>

typedef struct {
  const ig_transport *inner;
  void *self;
  int64_t bytes, messages; /* sent so far, by messages between two ranks */
} counting;

static ig_status counting_broadcast(void *self, int root, void *bytes, size_t size) {
  counting *c = self;
  return c->inner->broadcast(c->self, root, bytes, size);
}
static ig_status counting_most(void *self, int64_t *values, int count) {
  counting *c = self;
  return c->inner->most(c->self, values, count);
}
static ig_status counting_swap(void *self, const ig_message *message, int count) {
  counting *c = self;
  for (int i = 0; i < count; i++) {
    c->bytes += (int64_t)message[i].send_size;
    c->messages += message[i].send_size > 0;
  }
  return c->inner->swap(c->self, message, count);
}
static void counting_close(void *self) {
  counting *c = self;
  c->inner->close(c->self);
  free(c);
}

/* From here on what the rank sends is counted. */
static inline counting *counting_use(ig_ranks *ranks) {
  static const ig_transport table = {.broadcast = counting_broadcast,
                                     .most = counting_most,
                                     .swap = counting_swap,
                                     .close = counting_close};
  counting *c = malloc(sizeof *c);
  *c = (counting){.inner = ranks->transport, .self = ranks->self};
  ranks->transport = &table;
  ranks->self = c;
  return c;
}

#endif
