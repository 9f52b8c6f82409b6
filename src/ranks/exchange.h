/* Buffers between a rank and its peers, and the three routes that data can take:

   host    messages lie in host memory; a GPU writes and reads it itself (pinned memory)
   device  messages lie in device memory, which a GPU-aware MPI sends
   near    a rank on the same computer writes into a box of the other's device memory; a message
           of 8 bytes says that this has been launched, and the other's stream waits for its event.
           The host waits for no GPU.

   Reuse of a box without a race: its two halves take turns. A rank writes into one half after it
   has waited for the peer's mark of the previous exchange, which follows all kernels that read the
   same half two exchanges ago. For this, messages go both ways in every exchange, even where only
   the 8 bytes are sent.

   Every call is collective: all ranks of a run make it, also those without a peer. */
#ifndef IG_RANKS_EXCHANGE_H
#define IG_RANKS_EXCHANGE_H

#include "ranks/peer_memory.h"

IG_C_BEGIN

/* One peer. */
typedef struct {
  int rank; /* the other one */
  /* Set by the caller before ig_exchange_fit: capacity of the buffers to and from this peer. */
  size_t give, take;    /* bytes: room */
  size_t send, receive; /* bytes of the exchange at hand */
  /* Offsets of this peer within `out` and `in`, multiples of 16 bytes; set by ig_exchange_fit. */
  size_t give_at, take_at;
  /* This pair writes directly; valid after the first ig_exchange_begin. */
  bool near;
  ig_peer_view view;
  /* Offers of boxes: this rank's to the peer, and the peer's. Kept here because messages point to
     them. */
  ig_peer_offer mine, theirs;
  /* On the near route the payload of the messages: number of the exchange sent and received. */
  int64_t round[2]; /* told, heard */
} ig_exchange_end;

/* All members are managed by the functions below, except `way` and `chosen`. Zero-initialised is
   valid and empty. */
typedef struct ig_exchange {
  ig_way way;
  bool chosen; /* `way` was set by the caller */
  int ends, room;
  ig_exchange_end *end;
  ig_message *message;
  char *out, *in;      /* what messages are sent from and come to */
  char *given, *taken; /* the same on a device that does not reach them; else NULL */
  size_t out_room, in_room;
  ig_peer_box *box;
  void *mark; /* a GPU's event where there is no box */
  /* Number of the exchange; its parity selects the half of a box. */
  int64_t round;
  /* linked: offers have been exchanged. posted: messages of this exchange are under way. quiet: a
     rank has failed; no peer is contacted. */
  bool linked, posted, quiet; /* quiet: no partner listens any more */
} ig_exchange;

/* Two-step set-up: ig_exchange_ends makes room for `ends` peers, whose rank, give and take the
   caller fills in, in rising order of rank; ig_exchange_fit allocates buffers. Both are collective
   and may be called again when lists change. */
IG_MUST_CHECK ig_status ig_exchange_ends(ig_ctx *cx, ig_exchange *wire, int ends);
IG_MUST_CHECK ig_status ig_exchange_fit(ig_ctx *cx, ig_exchange *wire);
void ig_exchange_free(ig_ctx *cx, ig_exchange *wire);

/* One exchange: begin; write to ig_exchange_to of each end; send; take; read ig_exchange_from. The
   caller sets end[].send and .receive before `send`. A rank that has failed (`status`) meets the
   others in these calls. Reading and writing is work on the context's stream. */
IG_MUST_CHECK ig_status ig_exchange_begin(ig_ctx *cx, ig_exchange *wire);
IG_MUST_CHECK ig_status ig_exchange_send(ig_ctx *cx, ig_exchange *wire, ig_status status);
IG_MUST_CHECK ig_status ig_exchange_take(ig_ctx *cx, ig_exchange *wire, ig_status status);
/* Address that the caller's kernel writes to, or reads from, for peer `end`; valid for the current
   exchange only, because the halves alternate. */
char *ig_exchange_to(const ig_exchange *wire, int end);
char *ig_exchange_from(const ig_exchange *wire, int end);

/* peer_memory.cu */
ig_status ig_exchange_mark_new_cuda(ig_ctx *cx, void **mark);
ig_status ig_exchange_wait_cuda(ig_ctx *cx, void *mark); /* of the host */
void ig_exchange_mark_free_cuda(void *mark);

IG_C_END
#endif
