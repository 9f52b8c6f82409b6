/* Collective operations on any transport, and the protocol for failures.

   A transport supplies `most` (maximum over ranks), which always completes, and message calls that
   return IG_INTERRUPTED if another rank has called for a meeting. Every function below that waits
   for others goes through `talked`: an interrupted rank joins the meeting from where it stands and
   returns the failure that it learns there. After a meeting with a failure `failed` is set, and all
   further calls return at once: ranks that stand at different places of the program cannot wait for
   each other again. */
#include "ranks/ranks.h"
#include "backend/backend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ig_ranks_rank(const ig_ranks *ranks) {
  return ranks ? ranks->rank : 0;
}
int ig_ranks_count(const ig_ranks *ranks) {
  return ranks ? ranks->count : 1;
}
int ig_ranks_local(const ig_ranks *ranks) {
  return ranks ? ranks->local : 0;
}
const char *ig_ranks_transport(const ig_ranks *ranks) {
  return !ranks ? "none" : ranks->lost ? "lost" : ranks->name;
}

void ig_ranks_close(ig_ranks *ranks) {
  if (!ranks)
    return;
  if (ranks->lost && ranks->transport->abandon)
    ranks->transport->abandon(ranks->self);
  else if (ranks->transport->close)
    ranks->transport->close(ranks->self);
  free(ranks);
}

/* Single rank, or a run that has failed: no communication. */
static bool alone(const ig_ctx *cx) {
  return !cx->ranks || cx->ranks->count == 1 || cx->ranks->failed || cx->ranks->lost;
}

/* Restores the shared failure in the context: later local errors are consequences of it and must
   not hide it from the user. */
static ig_status told_again(ig_ctx *cx) {
  const ig_ranks *r = cx->ranks;
  cx->status = r->why; /* the text names its place already */
  snprintf(cx->message, sizeof cx->message, "%.*s", (int)sizeof cx->message - 1, r->told);
  return r->why;
}

/* Result of a collective call without communication. After the transport was lost nothing that
   needs other ranks succeeds. */
static ig_status alone_with(ig_ctx *cx, ig_status status) {
  const ig_ranks *r = cx->ranks;
  if (!r || r->count == 1)
    return status;
  if (r->lost)
    return status == IG_OK ? IG_IO : status;
  return status == IG_OK ? IG_OK : told_again(cx);
}

/* Prefixes the message with the rank, because only the ranks whose transport failed report at all;
   the message of rank 0 has no prefix, as in a run without ranks. */
void ig_ranks_abort(ig_ctx *cx) {
  ig_ranks *r = cx->ranks;
  char words[sizeof cx->message];
  r->failed = r->lost = true;
  if (r->rank == 0)
    return;
  memcpy(words, cx->message, sizeof words);
  snprintf(cx->message, sizeof cx->message, "rank %d on %s: %.*s", r->rank, r->host,
           (int)sizeof words - 96, words);
}

/* The transport itself failed: no rank can be informed, so every later call fails at once and
   ig_ranks_close abandons the job. */
static ig_status lost(ig_ctx *cx) {
  ig_ranks *r = cx->ranks;
  const char *why = r->transport->trouble ? r->transport->trouble(r->self) : "";
  const ig_status status =
      IG_FAIL(cx, IG_IO, "the ranks cannot reach each other%s%s", *why ? ": " : "", why);
  ig_ranks_abort(cx);
  return status;
}

/* The failure of rank `who` becomes that of all: pending messages are drained (settle), the text is
   broadcast. An interruption by the user (IG_INTERRUPTED) is not final: all ranks stop at the same
   step and may continue. */
static ig_status failure_share(ig_ctx *cx, int who, ig_status status) {
  ig_ranks *r = cx->ranks;
  if (r->transport->settle && r->transport->settle(r->self) != IG_OK)
    return lost(cx);
  if (r->rank == who && who == 0)
    snprintf(r->told, sizeof r->told, "%s", cx->message);
  else if (r->rank == who)
    snprintf(r->told, sizeof r->told, "rank %d on %s: %s", who, r->host,
             *cx->message ? cx->message : ig_status_text(status));
  if (r->transport->broadcast(r->self, who, r->told, sizeof r->told) != IG_OK)
    return lost(cx);
  r->failed = status != IG_INTERRUPTED; /* which all are, at the same step, and may go on */
  r->why = status;
  return told_again(cx);
}

/* The one kind of meeting. All ranks take part in a maximum of two numbers: a code of the failure,
   and `word`. The code orders failures before interruptions, and among them the lowest rank first,
   so that all ranks select the same one without further messages. */
static ig_status word_meet(ig_ctx *cx, ig_status status, int64_t *word) {
  /* Room for the values of ig_status below the rank in the code. */
  enum { KINDS = 256 };
  ig_ranks *r = cx->ranks;
  const bool failed = status != IG_OK && status != IG_INTERRUPTED;
  /* the lowest rank that failed has the largest number; who was interrupted comes after those */
  const int64_t order = (failed ? r->count : 0) + r->count - r->rank;
  int64_t both[2] = {status == IG_OK ? 0 : order * KINDS + (int64_t)status, *word};
  if (failed && r->transport->call)
    r->transport->call(r->self);
  if (r->transport->most(r->self, both, 2) != IG_OK)
    return lost(cx);
  *word = both[1];
  if (both[0] == 0)
    return IG_OK;
  const int who = (2 * r->count - (int)(both[0] / KINDS)) % r->count;
  return failure_share(cx, who, (ig_status)(both[0] % KINDS));
}

/* Evaluates the result of a message call. An interrupted rank takes part in the meeting with IG_OK;
   if the meeting reports no failure the protocol is broken, and the transport counts as lost. */
static ig_status talked(ig_ctx *cx, ig_status status) {
  int64_t word = 0;
  if (status == IG_OK)
    return IG_OK;
  const ig_status met = status == IG_INTERRUPTED ? word_meet(cx, IG_OK, &word) : IG_OK;
  return met == IG_OK ? lost(cx) : met;
}

ig_status ig_ranks_agree_any(ig_ctx *cx, ig_status status, bool *stop) {
  if (alone(cx))
    return alone_with(cx, status);
  int64_t word = *stop;
  const ig_status met = word_meet(cx, status, &word);
  *stop = word != 0;
  return met;
}

ig_status ig_ranks_agree(ig_ctx *cx, ig_status status) {
  bool stop = false;
  return ig_ranks_agree_any(cx, status, &stop);
}

/* One value travels with the status in one meeting; several need a second call. */
ig_status ig_ranks_max(ig_ctx *cx, ig_status status, int64_t *values, int count) {
  if (count == 1 && !alone(cx)) /* a rank that has failed sends a status, too */
    return word_meet(cx, status, values);
  IG_TRY(ig_ranks_agree(cx, status));
  if (alone(cx))
    return alone_with(cx, IG_OK);
  return talked(cx, cx->ranks->transport->most(cx->ranks->self, values, count));
}

/* Result of a receive that cannot happen any more: the failure that is known. */
static ig_status nothing_came(ig_ctx *cx) {
  const ig_ranks *r = cx->ranks;
  return !r || r->count == 1 ? IG_OK : r->lost ? IG_IO : told_again(cx);
}

ig_status ig_ranks_bcast(ig_ctx *cx, int root, void *bytes, size_t size) {
  if (alone(cx) || size == 0)
    return alone(cx) ? nothing_came(cx) : IG_OK;
  return talked(cx, cx->ranks->transport->broadcast(cx->ranks->self, root, bytes, size));
}

/* Through the host, because `broadcast` of a transport takes host memory. Both copies are skipped
   where host and device side are the same memory. */
ig_status ig_ranks_bcast_array(ig_ctx *cx, int root, ig_array *array) {
  if (alone(cx))
    return nothing_came(cx);
  const size_t size = array->count * array->size;
  const bool mine = cx->ranks->rank == root;
  void *host = array->host, *own = NULL;
  ig_status status = IG_OK;
  if (!host) { /* a device side only */
    status = ig_alloc(cx, &own, array->count, array->size, "exchange between ranks");
    host = own;
  }
  if (status == IG_OK && mine && host != array->dev)
    status = cx->backend->copy_out(cx, host, array->dev, size);
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = ig_ranks_bcast(cx, root, host, size);
  if (status == IG_OK && !mine && host != array->dev)
    status = cx->backend->copy_in(cx, array->dev, host, size);
  free(own);
  return status;
}

ig_status ig_ranks_exchange(ig_ctx *cx, const ig_message *message, int count) {
  if (alone(cx))
    return nothing_came(cx);
  return talked(cx, cx->ranks->transport->swap(cx->ranks->self, message, count));
}

/* Without `post` of the transport the messages are exchanged in ig_ranks_await. */
ig_status ig_ranks_post(ig_ctx *cx, const ig_message *message, int count) {
  if (alone(cx) || !cx->ranks->transport->post)
    return alone(cx) ? nothing_came(cx) : IG_OK;
  return talked(cx, cx->ranks->transport->post(cx->ranks->self, message, count));
}

ig_status ig_ranks_await(ig_ctx *cx, const ig_message *message, int count) {
  if (alone(cx) || !cx->ranks->transport->post)
    return ig_ranks_exchange(cx, message, count);
  return talked(cx, cx->ranks->transport->await(cx->ranks->self));
}

/* Threads of one process call one after the other, with a meeting after each turn. Processes call
   at once. */
ig_status ig_ranks_in_turn(ig_ctx *cx, ig_status (*call)(ig_ctx *cx, void *user), void *user) {
  if (alone(cx) || !cx->ranks->one_process)
    return call(cx, user);
  for (int turn = 0; turn < cx->ranks->count; turn++)
    IG_TRY(ig_ranks_agree(cx, turn == cx->ranks->rank ? call(cx, user) : IG_OK));
  return IG_OK;
}

ig_status ig_ranks_collect(ig_ctx *cx, const void *mine, size_t size, void *all) {
  const int count = ig_ranks_count(cx->ranks);
  if (ig_ranks_first(cx))
    memcpy(all, mine, size);
  if (alone(cx))
    return nothing_came(cx);
  ig_message *message;
  const ig_status made = IG_NEW(cx, &message, count, "messages");
  const ig_status met = ig_ranks_agree(cx, made);
  if (met != IG_OK) {
    free(message);
    return met;
  }
  int messages = 0;
  if (ig_ranks_first(cx))
    for (int r = 1; r < count; r++)
      message[messages++] =
          (ig_message){.rank = r, .receive = (char *)all + (size_t)r * size, .receive_size = size};
  else
    message[messages++] = (ig_message){.rank = 0, .send = mine, .send_size = size};
  const ig_status sent = ig_ranks_exchange(cx, message, messages);
  free(message);
  return sent;
}
