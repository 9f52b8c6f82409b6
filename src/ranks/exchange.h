/* Buffers between a rank and those it exchanges with, and the ways from one to the other:

   host    messages lie in memory of the host; a GPU writes and reads it itself
   device  messages lie in device memory, which MPI sends
   near    a rank on the same computer writes into a box of the other's device memory; a message of
           8 bytes tells that this has been launched, and the other's stream waits for it. The host
           waits for no GPU.

   Two halves of a box take turns: a rank writes into one after it has waited for the other's mark
   of the exchange before, which comes after all that read the same half two exchanges ago. Messages
   go both ways in every exchange, also where nothing but the 8 bytes is to be sent.

   All ranks of a run make every call, also those without an end. */
#ifndef IG_RANKS_EXCHANGE_H
#define IG_RANKS_EXCHANGE_H

#include "ranks/peer_memory.h"

IG_C_BEGIN

typedef struct {
  int rank;             /* the other one */
  size_t give, take;    /* bytes: room */
  size_t send, receive; /* bytes of the exchange at hand */
  size_t give_at, take_at;
  bool near;
  ig_peer_view view;
  ig_peer_offer mine, theirs;
  int64_t round[2]; /* told, heard */
} ig_exchange_end;

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
  int64_t round;
  bool linked, posted, quiet; /* quiet: nobody listens any more */
} ig_exchange;

/* Room for `ends` of them, whose rank, give and take the caller then fills in; ig_exchange_fit
   makes buffers. Both may be called again, on all ranks alike. Ends rise with the rank. */
IG_MUST_CHECK ig_status ig_exchange_ends(ig_ctx *cx, ig_exchange *wire, int ends);
IG_MUST_CHECK ig_status ig_exchange_fit(ig_ctx *cx, ig_exchange *wire);
void ig_exchange_free(ig_ctx *cx, ig_exchange *wire);

/* One exchange: begin; write to ig_exchange_to of each end; send; take; read ig_exchange_from. The
   caller sets end[].send and .receive before `send`. A rank that has failed (`status`) meets the
   others in these calls. Reading and writing is work on the context's stream. */
IG_MUST_CHECK ig_status ig_exchange_begin(ig_ctx *cx, ig_exchange *wire);
IG_MUST_CHECK ig_status ig_exchange_send(ig_ctx *cx, ig_exchange *wire, ig_status status);
IG_MUST_CHECK ig_status ig_exchange_take(ig_ctx *cx, ig_exchange *wire, ig_status status);
char *ig_exchange_to(const ig_exchange *wire, int end);
char *ig_exchange_from(const ig_exchange *wire, int end);

#ifdef INGOT_HAVE_CUDA
/* near.cu */
ig_status ig_exchange_mark_new_cuda(ig_ctx *cx, void **mark);
ig_status ig_exchange_wait_cuda(ig_ctx *cx, void *mark); /* of the host */
void ig_exchange_mark_free_cuda(void *mark);
#endif

IG_C_END
#endif
