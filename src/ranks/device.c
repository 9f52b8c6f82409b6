/* Messages that lie in a GPU's memory ("GPU-aware MPI"): user options, the resulting route of
   ghosts, and a test message. */
#include "ranks/ranks.h"
#include <ingot/partition.h>
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

/* Choices of ig_ranks_gpu and ig_ranks_ipc; the index is an ig_gpu_way. */
static int way_of(const char *how) {
  static const char *const known[] = {"auto", "on", "off"};
  for (int i = 0; i < 3; i++)
    if (strcmp(how, known[i]) == 0)
      return i;
  return -1;
}

ig_status ig_ranks_gpu(ig_ranks *ranks, const char *how) {
  if (way_of(how) < 0)
    return IG_ARG;
  if (ranks)
    ranks->gpu = way_of(how);
  return IG_OK;
}

ig_status ig_ranks_ipc(ig_ranks *ranks, const char *how) {
  if (way_of(how) < 0)
    return IG_ARG;
  if (ranks)
    ranks->ipc = way_of(how);
  return IG_OK;
}

/* Route for buffers that an exchange is about to allocate. "on" is taken at its word, without the
   trial of transport_select.c, because there are MPI libraries that can send device memory but do
   not say so. Ranks as threads have no MPI. */
ig_way ig_ranks_route(const ig_ctx *cx) {
  const ig_ranks *r = cx->ranks;
  if (!r || !cx->backend->separate)
    return IG_WAY_HOST;
  return r->gpu == IG_GPU_ON && !r->one_process ? IG_WAY_DEVICE : (ig_way)r->way;
}

const char *ig_ranks_memory(const ig_ctx *cx) {
  const ig_ranks *r = cx->ranks;
  if (!r || !cx->backend->separate)
    return "";
  if (r->gpu == IG_GPU_ON && !r->one_process)
    return ", ghosts from device memory (asked for)";
  return *r->chosen ? r->chosen : ", through host memory";
}

/* A message of this rank to itself, from device memory to device memory. The pattern has a period
   that is no power of two, so a block that arrives shifted or twice is detected. An MPI that is not
   GPU-aware may crash in this call; the command line therefore runs it in a child process
   (cli/gpu_try.c). */
ig_status ig_ranks_gpu_try(ig_ctx *cx) {
  enum { SIZE = 1 << 20 };
  ig_ranks *r = cx->ranks;
  ig_array sent = {0}, received = {0};
  ig_status status;
  if (!r || !r->transport->swap)
    return IG_ARG;
  IG_TRY_GOTO(status, done, ig_array_new(cx, &sent, SIZE, 1, "message"));
  IG_TRY_GOTO(status, done, ig_array_new(cx, &received, SIZE, 1, "message"));
  for (int i = 0; i < SIZE; i++)
    ((unsigned char *)sent.host)[i] = (unsigned char)(i * 31 + i / 251);
  IG_TRY_GOTO(status, done, ig_array_push(cx, &sent));
  IG_TRY_GOTO(status, done, ig_array_zero(cx, &received));
  IG_TRY_GOTO(status, done, cx->backend->sync(cx));
  const ig_message message = {.rank = r->rank,
                              .send = sent.dev,
                              .send_size = SIZE,
                              .receive = received.dev,
                              .receive_size = SIZE};
  IG_TRY_GOTO(status, done, r->transport->swap(r->self, &message, 1));
  IG_TRY_GOTO(status, done, ig_array_pull(cx, &received));
  if (memcmp(sent.host, received.host, SIZE) != 0)
    status = IG_FAIL(cx, IG_IO, "a message from device memory did not arrive");
done:
  ig_array_free(cx, &sent);
  ig_array_free(cx, &received);
  return status;
}
