/* Ranks inside the library: state, transports, and collective operations. Every function here is
   collective: all ranks of a run call it, in the same order. Without ranks (cx->ranks NULL) each is
   a local no-op.

   Failures. A rank that fails calls ig_ranks_agree with its status. It first calls the others: a
   rank that waits for a message, or for bytes of ig_ranks_bcast, is interrupted, joins the meeting
   from there with its buffers still in place, and returns from its wait with the failure. After
   that no call blocks. So a rank need not complete its exchanges once it has failed, but it must
   reach a meeting: an early return between two collective calls must pass through ig_ranks_agree.
*/
#ifndef IG_RANKS_RANKS_H
#define IG_RANKS_RANKS_H

#include <ingot/ranks.h>
#include "core/array.h"
#include "core/output.h"

/* What this rank sends to one other rank and receives from it. Both sides know the sizes. Buffers
   are the caller's and must stay valid until the exchange returns. */
typedef struct {
  int rank;
  const void *send;
  void *receive;
  size_t send_size, receive_size; /* bytes; 0: nothing */
} ig_message;

/* A transport (mpi.c, threads.c). A rank that waits in `broadcast`, `swap`, `post` or `await` and
   is called to a meeting returns IG_INTERRUPTED; messages under way stay so until `settle`. */
typedef struct {
  /* `size` bytes of rank `root` to all. */
  ig_status (*broadcast)(void *self, int root, void *bytes, size_t size);
  /* Of each number the largest over all ranks. */
  ig_status (*most)(void *self, int64_t *values, int count);
  /* All messages of this rank, at most one per other rank; returns when they are there. */
  ig_status (*swap)(void *self, const ig_message *message, int count);
  /* The same in two calls, to compute in between: `post` starts the messages, `await` returns when
     they have arrived. NULL: `await` is `swap`. */
  ig_status (*post)(void *self, const ig_message *message, int count);
  ig_status (*await)(void *self);
  /* Interrupts the others' waits: this rank comes to the next `most` with a failure. */
  void (*call)(void *self);
  /* On all ranks, after the `most` that reported a failure: drains messages under way and ends the
     call. NULL if `call` is NULL. */
  ig_status (*settle)(void *self);
  void (*close)(void *self);
  /* Instead of `close` after a call has failed: the others may wait for this rank. NULL: `close` */
  void (*abandon)(void *self);
  const char *(*trouble)(void *self); /* why the last call failed; NULL: not known */
  int (*devices)(void *self); /* 1: messages may lie in a GPU's memory, 0: not, -1: not known */
} ig_transport;

/* Route of ghosts: through host memory, from device memory by MPI, or straight into the other
   rank's device memory (exchange.h). */
typedef enum { IG_WAY_HOST, IG_WAY_DEVICE, IG_WAY_NEAR, IG_WAYS } ig_way;
typedef struct ig_peer_memory ig_peer_memory;

/* One rank. Made by ig_ranks_mpi or ig_ranks_threads, owned by the program, used by one context. */
struct ig_ranks {
  /* Number of this rank, of all ranks, and of this rank on its computer. */
  int rank, count, local;
  int cores; /* for this rank's threads; 0: not known */
  const ig_transport *transport;
  /* State of the transport, freed by its `close`. */
  void *self;
  /* Transport and computer as shown to the user. */
  char name[96], host[64];
  bool one_process; /* HDF5 and Gmsh serve one thread of a process at a time */
  bool failed;      /* a meeting reported a failure: no rank waits any more */
  bool lost;        /* a call failed on this rank: from then on each fails at once */
  int division;     /* of meshes: ig_division in ranks/partition.h */
  int communicator; /* MPI's, as a Fortran integer; 0: there is none */
  int gpu;          /* whether MPI sends device memory: ig_gpu_way */
  int ipc;          /* whether ranks write into each other's device memory: ig_gpu_way */
  int way;          /* what the race at the start chose: ig_way */
  char chosen[320]; /* why, for the table of ranks */
  /* Why the near route is not possible, in words; empty: no reason. */
  char near_trouble[96];
  ig_peer_memory *near; /* memory of this rank's and of others, peer_memory.h */
  /* The failure that the meeting reported, and its message (with rank and host), valid if
     `failed`. */
  ig_status why;
  char told[2176];
};
typedef enum { IG_GPU_AUTO, IG_GPU_ON, IG_GPU_OFF } ig_gpu_way;

static inline bool ig_ranks_first(const ig_ctx *cx) {
  return ig_ranks_rank(cx->ranks) == 0;
}

/* Number of threads if the user chose none: the cores of this rank, so that ranks on one computer
   do not oversubscribe it. */
int ig_ranks_all_threads(const ig_ctx *cx);
/* As ig_ranks_agree; and *stop becomes true everywhere if it is anywhere. */
IG_MUST_CHECK ig_status ig_ranks_agree_any(ig_ctx *cx, ig_status status, bool *stop);
/* For a failure inside a call of another library (parallel HDF5) in which other ranks wait and
   cannot be interrupted. The message is in the context already. This rank then behaves as after an
   error of MPI: it reports and ends the job. */
void ig_ranks_abort(ig_ctx *cx);
/* Maximum of each value over all ranks, in place; handles `status` as ig_ranks_agree does. */
IG_MUST_CHECK ig_status ig_ranks_max(ig_ctx *cx, ig_status status, int64_t *values, int count);
/* `size` bytes of rank `root` to all (host memory); and a device array, through the host. Sizes
   must be equal on all ranks. */
IG_MUST_CHECK ig_status ig_ranks_bcast(ig_ctx *cx, int root, void *bytes, size_t size);
IG_MUST_CHECK ig_status ig_ranks_bcast_array(ig_ctx *cx, int root, ig_array *array);
/* Messages between ranks; all ranks call it, also those without a message. */
IG_MUST_CHECK ig_status ig_ranks_exchange(ig_ctx *cx, const ig_message *message, int count);
/* In two calls: what is sent may not change, and what is received may not be read in between. */
IG_MUST_CHECK ig_status ig_ranks_post(ig_ctx *cx, const ig_message *message, int count);
IG_MUST_CHECK ig_status ig_ranks_await(ig_ctx *cx, const ig_message *message, int count);
/* Route of ghosts (device.c), and its description, which follows the name of the transport. */
ig_way ig_ranks_route(const ig_ctx *cx);
const char *ig_ranks_memory(const ig_ctx *cx);
/* Tries and times the allowed routes and selects the fastest (transport_select.c). Called once,
   when a context has opened its backend. */
IG_MUST_CHECK ig_status ig_ranks_select_transport(ig_ctx *cx);
/* Lets the ranks of one process make a call one after the other: HDF5 is not safe for threads.
   Processes make it at once. */
IG_MUST_CHECK ig_status ig_ranks_in_turn(ig_ctx *cx, ig_status (*call)(ig_ctx *cx, void *user),
                                         void *user);
/* `size` bytes of each rank to rank 0: `all` has room for them, one rank after the other. */
IG_MUST_CHECK ig_status ig_ranks_collect(ig_ctx *cx, const void *mine, size_t size, void *all);

#endif
