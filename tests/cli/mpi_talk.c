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

int main(void) {
  ig_ranks *r;
  if (ig_ranks_mpi(0, &r) != IG_OK || r->count > MOST)
    return 1;
  int64_t word[2] = {r->rank, -r->rank};
  char text[16] = "";
  int wrong = messages_wrong(r) + messages_wrong(r);
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
