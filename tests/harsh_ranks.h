/* A transport between ranks that allows nothing: buffers to receive into are spoilt before, those
   sent from after each exchange, messages come in another order and late; what is under way may not
   change. Around the transport that a rank has. */
#ifndef IG_TESTS_HARSH_RANKS_H
#define IG_TESTS_HARSH_RANKS_H

#include "ranks/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const ig_transport *inner;
  void *self;
  uint32_t seed;
  ig_message *posted; /* messages under way, and what was to be sent as it was then */
  int posts;
  ig_message *left; /* what was sent when this rank was called away: others may still read it */
  int lefts;
} harsh;

static inline uint32_t harsh_next(harsh *h) {
  h->seed = h->seed * 1664525u + 1013904223u;
  return h->seed >> 8;
}
static inline void harsh_wait(harsh *h) {
  if (harsh_next(h) % 8 == 0)
    usleep(harsh_next(h) % 100);
}
static ig_status harsh_broadcast(void *self, int root, void *bytes, size_t size) {
  harsh *h = self;
  harsh_wait(h);
  return h->inner->broadcast(h->self, root, bytes, size);
}
static ig_status harsh_most(void *self, int64_t *values, int count) {
  harsh *h = self;
  harsh_wait(h);
  return h->inner->most(h->self, values, count);
}
static void harsh_spoil(ig_message *mine, int count) {
  for (int i = 0; i < count; i++) {
    memset((void *)mine[i].send, 0xff, mine[i].send_size);
    free((void *)mine[i].send);
  }
  free(mine);
}
static ig_status harsh_swap(void *self, const ig_message *message, int count) {
  harsh *h = self;
  ig_message *mine = malloc(((size_t)count + 1) * sizeof *mine);
  for (int i = 0; i < count; i++) {
    mine[i] = message[i];
    void *copy = malloc(message[i].send_size + 1);
    if (message[i].send_size)
      memcpy(copy, message[i].send, message[i].send_size);
    mine[i].send = copy;
    if (message[i].receive_size)
      memset(message[i].receive, 0xff, message[i].receive_size); /* not a number */
  }
  for (int i = count - 1; i > 0; i--) {
    const int other = (int)(harsh_next(h) % (uint32_t)(i + 1));
    const ig_message swap = mine[i];
    mine[i] = mine[other];
    mine[other] = swap;
  }
  harsh_wait(h);
  const ig_status status = h->inner->swap(h->self, mine, count);
  if (status == IG_INTERRUPTED) {
    h->left = mine;
    h->lefts = count;
  } else {
    harsh_spoil(mine, count);
  }
  return status;
}
static ig_status harsh_post(void *self, const ig_message *message, int count) {
  harsh *h = self;
  h->posted = malloc((2 * (size_t)count + 1) * sizeof *h->posted);
  h->posts = count;
  for (int i = 0; i < count; i++) {
    void *copy = malloc(message[i].send_size + 1);
    if (message[i].send_size)
      memcpy(copy, message[i].send, message[i].send_size);
    if (message[i].receive_size)
      memset(message[i].receive, 0xff, message[i].receive_size);
    h->posted[i] = h->posted[count + i] = message[i];
    h->posted[count + i].send = copy;
  }
  return IG_OK;
}
static ig_status harsh_await(void *self) {
  harsh *h = self;
  ig_status status = IG_OK;
  for (int i = 0; i < h->posts; i++) {
    const ig_message *now = &h->posted[i], *then = &h->posted[h->posts + i];
    if (now->send_size && memcmp(now->send, then->send, now->send_size) != 0)
      status = IG_IO; /* it was changed before it was sent */
    free((void *)then->send);
  }
  const ig_status swapped = harsh_swap(self, h->posted, h->posts);
  free(h->posted);
  h->posted = NULL;
  return status == IG_OK ? swapped : status;
}
static void harsh_call(void *self) {
  harsh *h = self;
  h->inner->call(h->self);
}
static ig_status harsh_settle(void *self) {
  harsh *h = self;
  for (int i = 0; i < h->posts && h->posted; i++)
    free((void *)h->posted[h->posts + i].send);
  free(h->posted);
  h->posted = NULL;
  const ig_status status = h->inner->settle(h->self); /* nobody reads any more */
  harsh_spoil(h->left, h->lefts);
  h->left = NULL;
  h->lefts = 0;
  return status;
}
static void harsh_close(void *self) {
  harsh *h = self;
  h->inner->close(h->self);
  free(h);
}

/* From here on the rank talks this way. */
static inline void harsh_use(ig_ranks *ranks) {
  static const ig_transport table = {.broadcast = harsh_broadcast,
                                     .most = harsh_most,
                                     .swap = harsh_swap,
                                     .post = harsh_post,
                                     .await = harsh_await,
                                     .call = harsh_call,
                                     .settle = harsh_settle,
                                     .close = harsh_close};
  harsh *h = malloc(sizeof *h);
  *h = (harsh){
      .inner = ranks->transport, .self = ranks->self, .seed = (uint32_t)ranks->rank * 40503u + 7};
  ranks->transport = &table;
  ranks->self = h;
}

#endif
