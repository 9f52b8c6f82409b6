/* Ranks over whichever MPI this is compiled with (mpicc.mpich …): every call of the transport, with
   messages from each rank to each, itself among them. Prints "good" once. */
#include "ranks/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, SIZE = 70000 }; /* longer than what MPIs send at once without waiting */

static unsigned char byte_of(int from, int to, size_t i) {
  return (unsigned char)(i * 31 + 7 * (size_t)from + 101 * (size_t)to + i / 251);
}

/* All to all, in two calls; what arrives is what was sent. */
static int messages_wrong(ig_ranks *r) {
  static unsigned char out[MOST][SIZE], in[MOST][SIZE];
  ig_message message[MOST];
  int wrong = 0;
  for (int o = 0; o < r->count; o++) {
    const size_t give = SIZE - (size_t)o, take = SIZE - (size_t)r->rank;
    for (size_t i = 0; i < give; i++)
      out[o][i] = byte_of(r->rank, o, i);
    message[o] = (ig_message){o, out[o], in[o], give, take};
  }
  wrong += r->transport->post(r->self, message, r->count) != IG_OK;
  wrong += r->transport->await(r->self) != IG_OK;
  for (int o = 0; o < r->count; o++)
    for (size_t i = 0; i < SIZE - (size_t)r->rank; i++)
      wrong += in[o][i] != byte_of(o, r->rank, i);
  return wrong;
}

/* One rank comes to a meeting with a failure, the others wait: for its messages, long or short, or
   for its bytes. They are called; afterwards all is as it was. */
static int calls_wrong(ig_ranks *r, int who) {
  static unsigned char out[SIZE], in[SIZE];
  const ig_transport *t = r->transport;
  const size_t size = who % 2 ? SIZE : 8;
  const int other = r->count > 2 && r->rank == (who + 1) % r->count ? (who + 2) % r->count : who;
  const ig_message message = {other, out, in, size, size};
  int64_t word = 0;
  int wrong = t->most(r->self, &word, 1) != IG_OK; /* all have the messages before */
  word = r->rank == who;
  if (r->rank == who)
    t->call(r->self);
  else if (r->rank % 2)
    wrong += t->broadcast(r->self, who, in, size) != IG_INTERRUPTED;
  else
    wrong += t->post(r->self, &message, 1) != IG_OK || t->await(r->self) != IG_INTERRUPTED;
  wrong += t->most(r->self, &word, 1) != IG_OK || word != 1;
  wrong += t->settle(r->self) != IG_OK;
  return wrong + messages_wrong(r);
}

int main(void) {
  ig_ranks *r;
  if (ig_ranks_mpi(0, &r) != IG_OK || r->count > MOST)
    return 1;
  int64_t word[2] = {r->rank, -r->rank};
  char text[16] = "";
  int wrong = messages_wrong(r) + messages_wrong(r);
  for (int i = 0; i < 3 * r->count; i++)
    wrong += calls_wrong(r, i % r->count);
  if (r->rank == r->count - 1)
    strcpy(text, "from the last");
  wrong += r->transport->broadcast(r->self, r->count - 1, text, sizeof text) != IG_OK;
  wrong += strcmp(text, "from the last") != 0;
  wrong += r->transport->most(r->self, word, 2) != IG_OK || word[0] != r->count - 1 || word[1] != 0;
  wrong += r->transport->devices(r->self) > 1;
  int64_t all = wrong;
  wrong += r->transport->most(r->self, &all, 1) != IG_OK;
  if (r->rank == 0)
    printf("%d ranks over %s: %s\n", r->count, r->name, all || wrong ? "wrong" : "good");
  r->transport->close(r->self);
  free(r);
  return all || wrong;
}
