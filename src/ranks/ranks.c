/* What ranks do together, over any transport. */
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

/* Nobody to talk to, or nobody who still listens. */
static bool alone(const ig_ctx *cx) {
  return !cx->ranks || cx->ranks->count == 1 || cx->ranks->failed || cx->ranks->lost;
}

/* `status` of who goes on alone; once lost nothing succeeds that others take part in. */
static ig_status alone_with(const ig_ctx *cx, ig_status status) {
  return status == IG_OK && cx->ranks && cx->ranks->lost ? IG_IO : status;
}

static ig_status lost(ig_ctx *cx) {
  ig_ranks *r = cx->ranks;
  const char *why = r->transport->trouble ? r->transport->trouble(r->self) : "";
  char who[96] = "";
  r->failed = r->lost = true;
  if (r->rank > 0)
    snprintf(who, sizeof who, "rank %d on %s: ", r->rank, r->host);
  return IG_FAIL(cx, IG_IO, "%sthe ranks cannot reach each other%s%s", who, *why ? ": " : "", why);
}

/* The failure of rank `who` becomes everybody's. */
static ig_status failure_share(ig_ctx *cx, int who, ig_status status) {
  ig_ranks *r = cx->ranks;
  char text[sizeof cx->message + sizeof r->host + 32];
  if (r->rank == who) {
    if (who == 0)
      snprintf(text, sizeof text, "%s", cx->message);
    else
      snprintf(text, sizeof text, "rank %d on %s: %s", who, r->host,
               *cx->message ? cx->message : ig_status_text(status));
  }
  const ig_status told = r->transport->broadcast(r->self, who, text, sizeof text);
  r->failed = status != IG_INTERRUPTED; /* which all are, at the same step, and may go on */
  if (told != IG_OK)
    return lost(cx);
  cx->status = status; /* the text names its place already */
  snprintf(cx->message, sizeof cx->message, "%.*s", (int)sizeof cx->message - 1, text);
  return status;
}

/* The one kind of meeting: all learn of a failure, and the word becomes the largest of all. */
static ig_status word_meet(ig_ctx *cx, ig_status status, int64_t *word) {
  ig_ranks *r = cx->ranks;
  /* the lowest rank that failed has the largest number */
  int64_t both[2] = {status == IG_OK ? 0 : (int64_t)(r->count - r->rank) * 256 + (int64_t)status,
                     *word};
  if (r->transport->most(r->self, both, 2) != IG_OK)
    return lost(cx);
  *word = both[1];
  return both[0] == 0
             ? IG_OK
             : failure_share(cx, r->count - (int)(both[0] / 256), (ig_status)(both[0] % 256));
}

ig_status ig_ranks_meet(ig_ctx *cx, ig_status status, bool *stop) {
  if (alone(cx))
    return alone_with(cx, status);
  int64_t word = *stop;
  const ig_status met = word_meet(cx, status, &word);
  *stop = word != 0;
  return met;
}

ig_status ig_ranks_agree(ig_ctx *cx, ig_status status) {
  bool stop = false;
  return ig_ranks_meet(cx, status, &stop);
}

ig_status ig_ranks_most(ig_ctx *cx, ig_status status, int64_t *values, int count) {
  if (count == 1 && !alone(cx)) /* who has failed comes with a word, too */
    return word_meet(cx, status, values);
  IG_TRY(ig_ranks_agree(cx, status));
  if (alone(cx))
    return alone_with(cx, IG_OK);
  const ig_status met = cx->ranks->transport->most(cx->ranks->self, values, count);
  return met == IG_OK ? IG_OK : lost(cx);
}

ig_status ig_ranks_share(ig_ctx *cx, int root, void *bytes, size_t size) {
  if (alone(cx) || size == 0)
    return alone_with(cx, IG_OK);
  const ig_status status = cx->ranks->transport->broadcast(cx->ranks->self, root, bytes, size);
  return status == IG_OK ? IG_OK : lost(cx);
}

ig_status ig_ranks_share_array(ig_ctx *cx, int root, ig_array *array) {
  if (alone(cx))
    return alone_with(cx, IG_OK);
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
    status = ig_ranks_share(cx, root, host, size);
  if (status == IG_OK && !mine && host != array->dev)
    status = cx->backend->copy_in(cx, array->dev, host, size);
  free(own);
  return status;
}

ig_status ig_ranks_swap(ig_ctx *cx, const ig_message *message, int count) {
  if (alone(cx))
    return alone_with(cx, IG_OK);
  const ig_status status = cx->ranks->transport->swap(cx->ranks->self, message, count);
  return status == IG_OK ? IG_OK : lost(cx);
}

ig_status ig_ranks_post(ig_ctx *cx, const ig_message *message, int count) {
  if (alone(cx) || !cx->ranks->transport->post)
    return alone_with(cx, IG_OK);
  const ig_status status = cx->ranks->transport->post(cx->ranks->self, message, count);
  return status == IG_OK ? IG_OK : lost(cx);
}

ig_status ig_ranks_await(ig_ctx *cx, const ig_message *message, int count) {
  if (alone(cx) || !cx->ranks->transport->post)
    return ig_ranks_swap(cx, message, count);
  const ig_status status = cx->ranks->transport->await(cx->ranks->self);
  return status == IG_OK ? IG_OK : lost(cx);
}

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
    return alone_with(cx, IG_OK);
  ig_message *message;
  const ig_status status = IG_NEW(cx, &message, count, "messages");
  IG_TRY(ig_ranks_agree(cx, status));
  int messages = 0;
  if (ig_ranks_first(cx))
    for (int r = 1; r < count; r++)
      message[messages++] =
          (ig_message){.rank = r, .receive = (char *)all + (size_t)r * size, .receive_size = size};
  else
    message[messages++] = (ig_message){.rank = 0, .send = mine, .send_size = size};
  const ig_status sent = ig_ranks_swap(cx, message, messages);
  free(message);
  return sent;
}

/* --- checkpoints */

typedef struct {
  int64_t there, step, count;
  double time;
} restart_head;
typedef struct {
  char name[64];
  int64_t count, dtype, size;
} saved_head;

static ig_status saved_share(ig_ctx *cx, int count, ig_saved *saved, void **memory) {
  for (int i = 0; i < count; i++) {
    saved_head h = {0};
    ig_status status = IG_OK;
    if (ig_ranks_first(cx)) {
      snprintf(h.name, sizeof h.name, "%s", saved[i].name);
      h.count = saved[i].count;
      h.dtype = saved[i].dtype;
      h.size = (int64_t)ig_dtype_size(saved[i].dtype) * saved[i].count;
      memory[i] = saved[i].data;
    }
    IG_TRY(ig_ranks_share(cx, 0, &h, sizeof h));
    if (!ig_ranks_first(cx)) {
      char *name = NULL;
      status = ig_alloc(cx, &memory[i], (size_t)h.size + sizeof h.name, 1, "checkpoint");
      if (status == IG_OK) {
        name = (char *)memory[i] + h.size;
        memcpy(name, h.name, sizeof h.name);
        saved[i] = (ig_saved){
            .name = name, .dtype = (ig_dtype)h.dtype, .count = h.count, .data = memory[i]};
      }
    }
    IG_TRY(ig_ranks_agree(cx, status));
    IG_TRY(ig_ranks_share(cx, 0, memory[i], (size_t)h.size));
  }
  return IG_OK;
}

ig_status ig_ranks_share_restart(ig_ctx *cx, ig_restart **restart) {
  if (alone(cx))
    return alone_with(cx, IG_OK);
  const bool first = ig_ranks_first(cx);
  restart_head h = {0};
  if (first && *restart)
    h = (restart_head){
        .there = 1, .step = (*restart)->step, .count = (*restart)->count, .time = (*restart)->time};
  IG_TRY(ig_ranks_share(cx, 0, &h, sizeof h));
  if (!h.there)
    return IG_OK;
  ig_saved *saved = first ? (*restart)->saved : NULL;
  void **memory = NULL;
  ig_status status = IG_NEW(cx, &memory, h.count + 1, "checkpoint");
  if (status == IG_OK && !first)
    status = IG_NEW(cx, &saved, h.count + 1, "checkpoint");
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = saved_share(cx, (int)h.count, saved, memory);
  if (status == IG_OK && !first)
    status = ig_restart_new(cx, h.time, h.step, saved, (int)h.count, restart);
  for (int64_t i = 0; !first && memory && i < h.count; i++)
    free(memory[i]);
  if (!first)
    free(saved);
  free(memory);
  return ig_ranks_agree(cx, status);
}
