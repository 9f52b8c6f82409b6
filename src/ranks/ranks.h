/* Ranks, inside of the library. Every function here is collective: all ranks of a run call it, in
   the same order. Without ranks (a context opened without) each is a plain local no-op.

   A failing rank calls ig_ranks_agree. Other ranks that are blocked in a receive are interrupted
   and join it; after that no call blocks. It calls them first: who waits for a message, or for
   bytes of ig_ranks_bcast, goes to the meeting from there, with its buffers still in place, and
   comes back from its wait with the failure. So a rank need not go on exchanging once it has
   failed; it must come to a meeting. */
#ifndef IG_RANKS_RANKS_H
#define IG_RANKS_RANKS_H

#include <ingot/ranks.h>
#include "core/array.h"
#include "core/output.h"

/* What this rank sends to another and receives from it. Both know the sizes. */
typedef struct {
  int rank;
  const void *send;
  void *receive;
  size_t send_size, receive_size; /* bytes; 0: nothing */
} ig_message;

/* A way to talk. Who waits in `broadcast`, `swap`, `post` or `await` and is called to a meeting
   returns IG_INTERRUPTED; what was under way stays so until `settle`. */
typedef struct {
  /* `size` bytes of rank `root` to all. */
  ig_status (*broadcast)(void *self, int root, void *bytes, size_t size);
  /* Of each number the largest over all ranks. */
  ig_status (*most)(void *self, int64_t *values, int count);
  /* All messages of this rank, at most one per other rank; returns when they are there. */
  ig_status (*swap)(void *self, const ig_message *message, int count);
  /* The same in two calls, for who has work in between: `post` starts them, `await` returns when
     they are there. NULL: `await` is `swap`. */
  ig_status (*post)(void *self, const ig_message *message, int count);
  ig_status (*await)(void *self);
  /* Calls the others out of their waits: this rank comes to the next `most` with a failure. */
  void (*call)(void *self);
  /* On all ranks, after the `most` that told of a failure: nothing is under way any more, nobody is
     called any more. NULL as `call`: nobody can be called. */
  ig_status (*settle)(void *self);
  void (*close)(void *self);
  /* Instead of `close` after a call has failed: the others may wait for this rank. NULL: `close` */
  void (*abandon)(void *self);
  const char *(*trouble)(void *self); /* why the last call failed; NULL: not known */
  int (*devices)(void *self); /* 1: messages may lie in a GPU's memory, 0: not, -1: not known */
} ig_transport;

/* Where ghosts travel: through memory of the host, from device memory by MPI, straight into the
   other rank's device memory (wire.h). */
typedef enum { IG_WAY_HOST, IG_WAY_DEVICE, IG_WAY_NEAR, IG_WAYS } ig_way;
typedef struct ig_peer_memory ig_peer_memory;

struct ig_ranks {
  int rank, count, local;
  int cores; /* for this rank's threads; 0: not known */
  const ig_transport *transport;
  void *self;
  char name[96], host[64];
  bool one_process; /* HDF5 and Gmsh serve one thread of a process at a time */
  bool failed;      /* a meeting told of a failure: nobody waits any more */
  bool lost;        /* a call failed on this rank: from then on each fails at once */
  int division;     /* of meshes: ig_division in ranks/partition.h */
  int communicator; /* MPI's, as a Fortran integer; 0: there is none */
  int gpu;          /* whether MPI sends device memory: ig_gpu_way */
  int ipc;          /* whether ranks write into each other's device memory: ig_gpu_way */
  int way;          /* what the race at the start chose: ig_way */
  char chosen[320]; /* why, for the table of ranks */
  char near_trouble[96];
  ig_peer_memory *near; /* memory of this rank's and of others, near.h */
  ig_status why;        /* what the meeting told that failed, and in words */
  char told[2176];
};
typedef enum { IG_GPU_AUTO, IG_GPU_ON, IG_GPU_OFF } ig_gpu_way;

static inline bool ig_ranks_first(const ig_ctx *cx) {
  return ig_ranks_rank(cx->ranks) == 0;
}

/* Threads where nobody says how many: ranks that share cores share them. */
int ig_ranks_all_threads(const ig_ctx *cx);
/* As ig_ranks_agree; and *stop becomes true everywhere if it is anywhere. */
IG_MUST_CHECK ig_status ig_ranks_agree_any(ig_ctx *cx, ig_status status, bool *stop);
/* A failure, whose message is there, of a rank that others wait for within another library, where
   nobody can call them: as after an error of MPI this rank tells it and ends the job. */
void ig_ranks_abort(ig_ctx *cx);
/* Of each number the largest over all ranks; meets the others as ig_ranks_agree does. */
IG_MUST_CHECK ig_status ig_ranks_max(ig_ctx *cx, ig_status status, int64_t *values, int count);
/* `size` bytes of rank `root` to all; and an array of the device, through the host. */
IG_MUST_CHECK ig_status ig_ranks_bcast(ig_ctx *cx, int root, void *bytes, size_t size);
IG_MUST_CHECK ig_status ig_ranks_bcast_array(ig_ctx *cx, int root, ig_array *array);
/* Messages between ranks; all ranks call it, also those without a message. */
IG_MUST_CHECK ig_status ig_ranks_exchange(ig_ctx *cx, const ig_message *message, int count);
/* In two calls: what is sent may not change, and what is received may not be read in between. */
IG_MUST_CHECK ig_status ig_ranks_post(ig_ctx *cx, const ig_message *message, int count);
IG_MUST_CHECK ig_status ig_ranks_await(ig_ctx *cx, const ig_message *message, int count);
/* Where ghosts travel (device.c); in words, after the transport's name. */
ig_way ig_ranks_route(const ig_ctx *cx);
const char *ig_ranks_memory(const ig_ctx *cx);
/* Tries and times the ways that are allowed and takes the quickest (race.c); when a context has
   opened its backend. */
IG_MUST_CHECK ig_status ig_ranks_select_transport(ig_ctx *cx);
/* A call that the ranks of one process make one after the other: HDF5 serves one thread at a time.
 */
IG_MUST_CHECK ig_status ig_ranks_in_turn(ig_ctx *cx, ig_status (*call)(ig_ctx *cx, void *user),
                                         void *user);
/* `size` bytes of each rank to rank 0: `all` has room for them, one rank after the other. */
IG_MUST_CHECK ig_status ig_ranks_collect(ig_ctx *cx, const void *mine, size_t size, void *all);

#endif
