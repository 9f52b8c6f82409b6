/* Exchange of buffers between ranks, on one of three routes (described in exchange.h). The
   functions are called in a fixed order each time:

   begin   numbers the exchange; on the near route the first time: opens the peers' boxes
           (the caller launches kernels that write to ig_exchange_to)
   send    records an event behind these kernels, or posts the messages
           (the caller computes what needs no ghosts)
   take    waits for messages, makes the stream wait for the peers' events
           (the caller launches kernels that read ig_exchange_from)

   On a GPU nothing here blocks the host on the near route; on the host route `take` blocks until
   the event of `send`. */
#include "ranks/exchange.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

static bool gpu(const ig_ctx *cx) {
  return cx->backend->kernels == IG_KERNELS_CUDA;
}

/* Messages lie in device memory; otherwise in host memory. */
static bool on_device(const ig_exchange *w) {
  return w->way == IG_WAY_DEVICE;
}
/* The device cannot address host buffers (debug backend), so data is copied explicitly. A CUDA GPU
   addresses pinned host memory itself and needs no copy. */
static bool staged(const ig_ctx *cx, const ig_exchange *w) {
  return cx->backend->separate && !on_device(w) && !gpu(cx);
}

/* Links to peers' boxes are dropped, because ends or their offsets may change. */
ig_status ig_exchange_ends(ig_ctx *cx, ig_exchange *w, int ends) {
  w->linked = false;
  w->ends = 0;
  if (ends > w->room) {
    free(w->end);
    free(w->message);
    w->end = NULL;
    w->message = NULL;
    w->room = 0;
    IG_TRY(IG_NEW(cx, &w->end, ends, "messages"));
    IG_TRY(IG_NEW(cx, &w->message, ends, "messages"));
    w->room = ends;
  }
  if (ends)
    memset(w->end, 0, (size_t)ends * sizeof *w->end);
  w->ends = ends;
  return IG_OK;
}

static void buffer_free(ig_ctx *cx, const ig_exchange *w, char **host, char **device,
                        size_t *room) {
  if (*host && !on_device(w))
    cx->backend->host_free(cx, *host);
  else if (*host)
    cx->backend->free(cx, *host);
  if (*device)
    cx->backend->free(cx, *device);
  *host = *device = NULL;
  *room = 0;
}

/* Grows by a quarter on a second request, so that a halo that grows slowly (a part under
   construction) does not reallocate at each change. Pinned host memory is slow to allocate. */
static ig_status buffer_fit(ig_ctx *cx, const ig_exchange *w, size_t size, char **host,
                            char **device, size_t *room) {
  if (size <= *room)
    return IG_OK;
  if (*host && gpu(cx))
    IG_TRY(cx->backend->sync(cx)); /* what was received may still be read */
  const size_t more = *room ? size + size / 4 : size;
  buffer_free(cx, w, host, device, room);
  if (on_device(w))
    IG_TRY(cx->backend->alloc(cx, (void **)host, more));
  else
    IG_TRY(cx->backend->host_alloc(cx, (void **)host, more));
  if (staged(cx, w))
    IG_TRY(cx->backend->alloc(cx, (void **)device, more));
  *room = more;
  return IG_OK;
}

ig_status ig_exchange_fit(ig_ctx *cx, ig_exchange *w) {
  /* Offsets of ends are multiples of 16 bytes, enough for any vector load of a kernel. */
  enum { ALIGN = 16 };
  size_t out = 0, in = 0;
  for (int e = 0; e < w->ends; e++) {
    ig_exchange_end *end = &w->end[e];
    end->give_at = out;
    end->take_at = in;
    out += (end->give + ALIGN - 1) / ALIGN * ALIGN;
    in += (end->take + ALIGN - 1) / ALIGN * ALIGN;
  }
  /* The route is fixed when the first buffer is allocated: memory must be freed by the allocator
     that it came from. */
  if (!w->out && !w->chosen)
    w->way = ig_ranks_route(cx);
  IG_TRY(buffer_fit(cx, w, out + ALIGN, &w->out, &w->given, &w->out_room));
  IG_TRY(buffer_fit(cx, w, in + ALIGN, &w->in, &w->taken, &w->in_room));
#ifdef INGOT_HAVE_CUDA
  if (gpu(cx) && !w->mark)
    IG_TRY(ig_exchange_mark_new_cuda(cx, &w->mark));
#endif
  /* The box has two halves, used in turn by even and odd exchanges (see exchange.h). */
  if (w->way != IG_WAY_NEAR || (w->box && w->box->size >= 2 * w->in_room))
    return IG_OK;
  ig_peer_return(w->box);
  return ig_peer_take(cx, 2 * w->in_room, &w->box);
}

void ig_exchange_free(ig_ctx *cx, ig_exchange *w) {
#ifdef INGOT_HAVE_CUDA
  ig_exchange_mark_free_cuda(w->mark);
#endif
  buffer_free(cx, w, &w->out, &w->given, &w->out_room);
  buffer_free(cx, w, &w->in, &w->taken, &w->in_room);
  ig_peer_return(w->box);
  free(w->end);
  free(w->message);
  memset(w, 0, sizeof *w);
}

/* --- near route: opening the peers' memory --- */

/* Each rank sends its offer (handle and offsets of its box), tries to open the peer's, and sends
   whether that worked. A pair uses the near route only if both directions work: the half protocol
   needs marks from both sides. Other pairs of the same exchange use messages. */
static ig_status link_make(ig_ctx *cx, ig_exchange *w) {
  w->linked = true;
  for (int e = 0; e < w->ends; e++) {
    ig_exchange_end *end = &w->end[e];
    end->mine = w->box ? w->box->offer : (ig_peer_offer){0};
    for (int half = 0; half < 2; half++)
      end->mine.at[half] = (uint64_t)half * w->in_room + end->take_at;
    w->message[e] = (ig_message){.rank = end->rank,
                                 .send = &end->mine,
                                 .send_size = sizeof end->mine,
                                 .receive = &end->theirs,
                                 .receive_size = sizeof end->theirs};
  }
  IG_TRY(ig_ranks_exchange(cx, w->message, w->ends));
  for (int e = 0; e < w->ends; e++) {
    ig_exchange_end *end = &w->end[e];
    end->round[0] = ig_peer_open(cx, &end->theirs, &end->view);
    w->message[e] = (ig_message){.rank = end->rank,
                                 .send = &end->round[0],
                                 .send_size = sizeof end->round[0],
                                 .receive = &end->round[1],
                                 .receive_size = sizeof end->round[1]};
  }
  IG_TRY(ig_ranks_exchange(cx, w->message, w->ends));
  for (int e = 0; e < w->ends; e++)
    w->end[e].near = w->end[e].round[0] && w->end[e].round[1];
  return IG_OK;
}

/* `quiet`: after a failure no peer is contacted any more; its memory may have been unmapped. */
ig_status ig_exchange_begin(ig_ctx *cx, ig_exchange *w) {
  const ig_ranks *r = cx->ranks;
  w->quiet = !r || r->failed || r->lost; /* a rank that has failed may be gone, with its memory */
  w->round++;
  w->posted = false;
  return w->way == IG_WAY_NEAR && !w->linked && !w->quiet ? link_make(cx, w) : IG_OK;
}

static bool near_by(const ig_exchange *w, int end) {
  return w->end[end].near && !w->quiet;
}

/* Where the sender writes: directly into the peer's half, or into this rank's send buffer. */
char *ig_exchange_to(const ig_exchange *w, int e) {
  const ig_exchange_end *end = &w->end[e];
  if (near_by(w, e))
    return end->view.memory + end->theirs.at[w->round % 2];
  return (w->given ? w->given : w->out) + end->give_at;
}

/* Where the receiver reads: its own half of the box, or its receive buffer. */
char *ig_exchange_from(const ig_exchange *w, int e) {
  const ig_exchange_end *end = &w->end[e];
  if (near_by(w, e))
    return w->box->memory + end->mine.at[w->round % 2];
  return (w->taken ? w->taken : w->in) + end->take_at;
}

/* --- an exchange --- */

/* Fills the list of messages; returns whether any message carries data of a buffer. On the near
   route the message is only the number of the exchange: it says that the writing kernels have been
   launched and their event recorded. */
static bool messages_fill(ig_exchange *w) {
  bool far = false;
  for (int e = 0; e < w->ends; e++) {
    ig_exchange_end *end = &w->end[e];
    ig_message *m = &w->message[e];
    m->rank = end->rank;
    if (near_by(w, e)) {
      end->round[0] = w->round;
      end->round[1] = -1;
      m->send = &end->round[0];
      m->receive = &end->round[1];
      m->send_size = m->receive_size = sizeof end->round[0];
      continue;
    }
    far |= end->send > 0 || end->receive > 0;
    m->send = w->out + end->give_at;
    m->receive = w->in + end->take_at;
    m->send_size = end->send;
    m->receive_size = end->receive;
  }
  return far;
}

/* Staged copies between device and host buffers (debug backend). */
static ig_status parts_move(ig_ctx *cx, const ig_exchange *w, bool out) {
  const ig_backend *b = cx->backend;
  for (int e = 0; e < w->ends; e++) {
    const ig_exchange_end *end = &w->end[e];
    if (near_by(w, e))
      continue;
    if (out && end->send)
      IG_TRY(b->copy_out(cx, w->out + end->give_at, w->given + end->give_at, end->send));
    if (!out && end->receive)
      IG_TRY(b->copy_in(cx, w->taken + end->take_at, w->in + end->take_at, end->receive));
  }
  return IG_OK;
}

/* Whatever must be complete, or at least recorded on the stream, before the peer is informed. Far
   messages need the host to wait for w->mark later; near ones need the mark of this half, on which
   the peer's stream waits. */
static ig_status ready_make(ig_ctx *cx, const ig_exchange *w, bool far) {
#ifdef INGOT_HAVE_CUDA
  if (gpu(cx)) {
    if (far)
      IG_TRY(ig_peer_mark_cuda(cx, w->mark));
    return w->box ? ig_peer_mark_cuda(cx, w->box->mark[w->round % 2]) : IG_OK;
  }
#endif
  return staged(cx, w) && far ? parts_move(cx, w, true) : IG_OK;
}

/* A failing rank does not send: it calls ig_ranks_agree, which interrupts the ranks that wait for
   its message. */
ig_status ig_exchange_send(ig_ctx *cx, ig_exchange *w, ig_status status) {
  const bool far = messages_fill(w);
  if (status == IG_OK)
    status = ready_make(cx, w, far);
  if (status != IG_OK)
    return ig_ranks_agree(cx, status);
  if (gpu(cx) && far) /* what is sent is not there yet: ig_exchange_take waits for it */
    return IG_OK;
  w->posted = true;
  return ig_ranks_post(cx, w->message, w->ends);
}

/* Makes this rank's stream wait for the peers' writes. The exchange numbers are compared: ranks
   that call exchanges in different order would otherwise read wrong halves silently. */
static ig_status near_await(ig_ctx *cx, const ig_exchange *w) {
  for (int e = 0; e < w->ends; e++) {
    if (!near_by(w, e))
      continue;
    if (w->end[e].round[1] != w->round)
      return IG_FAIL(cx, IG_IO, "rank %d is out of step", w->end[e].rank);
#ifdef INGOT_HAVE_CUDA
    if (gpu(cx))
      IG_TRY(ig_peer_after_cuda(cx, w->end[e].view.mark[w->round % 2]));
#endif
  }
  return IG_OK;
}

ig_status ig_exchange_take(ig_ctx *cx, ig_exchange *w, ig_status status) {
#ifdef INGOT_HAVE_CUDA
  if (status == IG_OK && !w->posted)
    status = ig_exchange_wait_cuda(cx, w->mark);
#endif
  if (status != IG_OK)
    return ig_ranks_agree(cx, status);
  if (!w->posted)
    IG_TRY(ig_ranks_post(cx, w->message, w->ends));
  IG_TRY(ig_ranks_await(cx, w->message, w->ends));
  if (!w->quiet)
    IG_TRY(near_await(cx, w));
  return staged(cx, w) ? parts_move(cx, w, false) : IG_OK;
}
