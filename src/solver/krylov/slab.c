/* Grids divided between ranks in slabs: whose planes are whose, ghosts, sums (slab.h). Messages go
   through buffers of the host (`out`, `in`), or for ghosts through an ig_exchange, which may write
   directly into another GPU's memory. */
#include "solver/krylov/slab.h"
#include "solver/krylov/slab_cuda.h"
#include "backend/backend.h"
#include "ranks/exchange.h"
#include "solver/krylov/chunks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the division --- */

/* First planes of the ranks if cuts lie at multiples of `unit`; returns the largest part as a share
   of the whole, which is what memory and time follow. 0: some rank would have less than a unit. */
static double cut(int planes, int unit, int ranks, int *start) {
  const int units = (planes - 1) / unit;
  int most = 0;
  for (int r = 0; r < ranks; r++)
    start[r] = (int)((int64_t)units * r / ranks) * unit;
  start[ranks] = planes;
  for (int r = 0; r < ranks; r++) {
    const int own = start[r + 1] - start[r];
    if (own < unit)
      return 0;
    most = own > most ? own : most;
  }
  return (double)most / planes;
}

/* Chooses `depth`. Levels from there on are held whole by every rank: little memory if they are
   small, but cuts must lie at multiples of 2^depth planes, which makes parts uneven. The sum of
   both is minimized. */
ig_status ig_slab_new(ig_ctx *cx, int planes, int levels, int ghosts, ig_slab **out) {
  enum { LEAST = 2 }; /* the first coarse level is never whole: it is made of the fine one */
  /* stencil and vectors of a coarse node beside moduli and vectors of a fine one */
  static const double whole = 7.5; /* memory of a coarse node to that of a fine one, about */
  const int ranks = ig_ranks_count(cx->ranks);
  ig_slab *s;
  *out = NULL;
  if (ranks == 1 || (levels > 1 && levels <= LEAST))
    return IG_OK;
  IG_TRY(IG_NEW(cx, &s, 1, "slab"));
  s->cx = cx;
  s->rank = ig_ranks_rank(cx->ranks);
  s->ranks = ranks;
  s->planes = planes;
  s->ghosts = ghosts;
  ig_status status = IG_NEW(cx, &s->start, (size_t)ranks + 1, "slab");
  if (status == IG_OK)
    status = IG_NEW(cx, &s->message, ranks, "slab");
  if (status == IG_OK)
    status = IG_NEW(cx, &s->size, ranks, "slab");
  /* deep cuts leave little whole, but uneven parts: the least memory of the largest part */
  double least = INFINITY;
  for (int depth = LEAST; status == IG_OK && (depth == LEAST || depth < levels); depth++) {
    const double share = cut(planes, 1 << depth, ranks, s->start);
    const double memory = share + whole * pow(8, -depth);
    if (share > 0 && memory < least) {
      least = memory;
      s->depth = depth;
    }
  }
  if (status != IG_OK || !s->depth) {
    ig_slab_free(s);
    return status;
  }
  (void)cut(planes, 1 << s->depth, ranks, s->start);
  *out = s;
  return IG_OK;
}

void ig_slab_free(ig_slab *s) {
  if (!s)
    return;
  for (int l = 0; s->wire && l < s->depth; l++)
    ig_exchange_free(s->cx, &s->wire[l]);
  free(s->wire);
  free(s->wire_plane);
  free(s->start);
  free(s->message);
  free(s->size);
  if (s->out)
    s->cx->backend->host_free(s->cx, s->out);
  if (s->in)
    s->cx->backend->host_free(s->cx, s->in);
  free(s);
}

int ig_slab_planes(const ig_slab *s, int level) {
  int elements = s->planes - 1;
  for (int l = 0; l < level; l++)
    elements = (elements + 1) / 2;
  return elements + 1;
}

/* Cuts are multiples of 2^depth, so that shifting gives those of coarser levels. */
void ig_slab_range(const ig_slab *s, int level, int rank, int *from, int *to) {
  *from = s->start[rank] >> level;
  *to = rank + 1 < s->ranks ? s->start[rank + 1] >> level : ig_slab_planes(s, level);
}

/* The strides stay those of the whole grid: only z is cut, and places within a plane are the same.
 */
ig_grid ig_slab_grid(ig_slab *s, int level, const ig_grid *whole) {
  ig_grid g = *whole;
  int to;
  if (level >= s->depth)
    return g;
  const int ghosts = level == 0 ? s->ghosts : 1;
  ig_slab_range(s, level, s->rank, &g.from, &to);
  g.n[2] = to - g.from - 1;
  g.slab = s;
  g.level = level;
  g.ghosts = ghosts;
  g.first = 1 + g.row + ghosts * g.plane;
  g.stored = g.plane * (g.n[2] + 1 + 2 * ghosts);
  return g;
}

/* The first failure is kept: later ones mostly follow from it. */
void ig_slab_fail(ig_slab *s, ig_status status) {
  if (s->fault == IG_OK)
    s->fault = status;
}

/* Buffers only grow. Copies that are queued must be over before memory is freed. */
static ig_status room_make(ig_slab *s, char **buffer, size_t *room, size_t size) {
  const ig_backend *b = s->cx->backend;
  if (size <= *room)
    return IG_OK;
  IG_TRY(b->sync(s->cx)); /* copies to and from it are over */
  if (*buffer)
    b->host_free(s->cx, *buffer);
  *buffer = NULL;
  *room = 0;
  IG_TRY(b->host_alloc(s->cx, (void **)buffer, size));
  *room = size;
  return IG_OK;
}

ig_status ig_slab_reserve(ig_slab *s, size_t out, size_t in) {
  IG_TRY(room_make(s, &s->out, &s->room[0], out));
  return room_make(s, &s->in, &s->room[1], in);
}

/* --- ghosts --- */

/* from <= plane < to; empty where both are equal */
typedef struct {
  int from, to; /* planes of the whole */
} planes;

/* Planes in both ranges; {0, 0}: none. */
static planes both(planes a, planes b) {
  const planes p = {a.from > b.from ? a.from : b.from, a.to < b.to ? a.to : b.to};
  return p.to > p.from ? p : (planes){0, 0};
}

/* What rank `of` needs of what rank `has` owns: its ghosts lie on one side of it only. Empty for
   ranks that are no neighbours within `reach`. */
static planes needed(const ig_slab *s, int level, int of, int has, int reach) {
  planes own, ghosts;
  ig_slab_range(s, level, has, &own.from, &own.to);
  ig_slab_range(s, level, of, &ghosts.from, &ghosts.to);
  if (has < of)
    ghosts = (planes){ghosts.from - reach, ghosts.from};
  else
    ghosts = (planes){ghosts.to, ghosts.to + reach};
  return both(own, ghosts);
}

/* `components` blocks of `each` bytes, `stride` bytes apart on the device, one after the other in a
   buffer. On a GPU it is queued: sync before the buffer is read or filled again. */
static ig_status move(ig_slab *s, char *values, int components, size_t stride, size_t each,
                      char *buffer, bool out) {
  const ig_backend *b = s->cx->backend;
  if (!each)
    return IG_OK;
  IG_IF_CUDA(if (b->kernels == IG_KERNELS_CUDA) return ig_slab_cuda_move(
                 s->cx, values, components, stride, each, buffer, out);)
  for (int c = 0; c < components; c++) {
    char *at = values + (size_t)c * stride, *to = buffer + (size_t)c * each;
    IG_TRY(out ? b->copy_out(s->cx, to, at, each) : b->copy_in(s->cx, at, to, each));
  }
  return IG_OK;
}

/* Planes of a vector of a level, to a buffer of the device and back. */
static ig_status move_planes(ig_slab *s, const ig_grid *g, int components, size_t size, planes p,
                             char *values, char *buffer, bool out) {
  const ig_backend *b = s->cx->backend;
  const size_t plane = (size_t)g->plane * size, each = (size_t)(p.to - p.from) * plane;
  const size_t stride = (size_t)g->stored * size;
  char *first = values + (size_t)(p.from - g->from + g->ghosts) * plane;
  if (!each)
    return IG_OK;
  IG_IF_CUDA(if (b->kernels == IG_KERNELS_CUDA) return ig_slab_cuda_move(
                 s->cx, first, components, stride, each, buffer, out);)
  for (int c = 0; c < components; c++) {
    char *at = first + (size_t)c * stride, *to = buffer + (size_t)c * each;
    IG_TRY(b->copy(s->cx, out ? to : at, out ? at : to, each));
  }
  return IG_OK;
}

/* The wire of a level: ends are all whose planes any vector's ghosts may be, `reach` planes far,
   with room for `most` bytes each. The same on all ranks, however many planes they have. */
static ig_status wire_fit(ig_slab *s, int level, int reach, size_t most) {
  ig_exchange *w = &s->wire[level];
  int ends = 0;
  /* counted, then filled */
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1)
      IG_TRY(ig_exchange_ends(s->cx, w, ends));
    ends = 0;
    for (int r = 0; r < s->ranks; r++) {
      const planes give = needed(s, level, r, s->rank, reach);
      const planes take = needed(s, level, s->rank, r, reach);
      if (r == s->rank || (give.to == give.from && take.to == take.from))
        continue;
      if (pass == 1) {
        w->end[ends].rank = r;
        w->end[ends].give = w->end[ends].take = most;
      }
      ends++;
    }
  }
  IG_TRY(ig_exchange_fit(s->cx, w));
  s->wire_plane[level] = most;
  return IG_OK;
}

/* Reserved for all levels before the first solve: an allocation in the middle of a cycle could fail
   on one rank alone. */
ig_status ig_slab_reserve_ghosts(const ig_grid *g, size_t each) {
  ig_slab *s = g->slab;
  const size_t most = (size_t)g->plane * each;
  if (!s)
    return IG_OK;
  if (!s->wire)
    IG_TRY(IG_NEW(s->cx, &s->wire, s->depth, "slab"));
  if (!s->wire_plane)
    IG_TRY(IG_NEW(s->cx, &s->wire_plane, s->depth, "slab"));
  return most <= s->wire_plane[g->level] ? IG_OK : wire_fit(s, g->level, g->ghosts, most);
}

/* What goes to an end and comes from it; its bytes. */
static void end_planes(const ig_slab *s, int level, int reach, size_t plane, ig_exchange_end *end,
                       planes *give, planes *take) {
  *give = needed(s, level, end->rank, s->rank, reach);
  *take = needed(s, level, s->rank, end->rank, reach);
  end->send = (size_t)(give->to - give->from) * plane;
  end->receive = (size_t)(take->to - take->from) * plane;
}

/* Sizes of messages depend on what is refreshed; the wire has space for the largest. After a
   failure the exchange is made all the same, and the failure kept for the next sum. */
ig_status ig_slab_refresh(const ig_grid *g, int components, size_t size, int reach, void *values) {
  ig_slab *s = g->slab;
  planes give, take;
  if (!s)
    return IG_OK;
  const int level = g->level;
  /* all components of a plane travel together */
  const size_t plane = (size_t)components * (size_t)g->plane * size;
  IG_TRY(ig_slab_reserve_ghosts(g, (size_t)reach * (size_t)components * size));
  ig_exchange *w = &s->wire[level];
  /* also after a failure all take part, and others get something */
  ig_status status = ig_exchange_begin(s->cx, w);
  for (int e = 0; e < w->ends; e++) {
    end_planes(s, level, reach, plane, &w->end[e], &give, &take);
    if (status == IG_OK)
      status = move_planes(s, g, components, size, give, values, ig_exchange_to(w, e), true);
  }
  status = ig_exchange_send(s->cx, w, status);
  status = ig_exchange_take(s->cx, w, status);
  /* a rank is gone: nobody would answer in the next sum, so it ends here */
  if (s->cx->ranks->lost)
    return status;
  for (int e = 0; e < w->ends && status == IG_OK; e++) {
    end_planes(s, level, reach, plane, &w->end[e], &give, &take);
    status = move_planes(s, g, components, size, take, values, ig_exchange_from(w, e), false);
  }
  if (status != IG_OK)
    ig_slab_fail(s, status);
  return IG_OK;
}

/* Ghosts of arrays of element matrices: the last own plane goes up to the next rank. */
ig_status ig_slab_lift(const ig_grid *g, size_t plane, void *values) {
  ig_slab *s = g->slab;
  const ig_backend *b = s->cx->backend;
  /* a rank's plane above is the next one's ghost below: one message each way at most */
  int messages = 0;
  IG_TRY(ig_slab_reserve(s, plane, plane));
  IG_SLAB_TRY(s, b->sync(s->cx));
  if (ig_grid_above(g)) {
    IG_SLAB_TRY(s, b->copy_out(s->cx, s->out, (char *)values + (size_t)g->n[2] * plane, plane));
    s->message[messages++] = (ig_message){.rank = s->rank + 1, .send = s->out, .send_size = plane};
  }
  if (ig_grid_below(g))
    s->message[messages++] =
        (ig_message){.rank = s->rank - 1, .receive = s->in, .receive_size = plane};
  IG_TRY(ig_ranks_exchange(s->cx, s->message, messages));
  if (ig_grid_below(g))
    IG_SLAB_TRY(s, b->copy_in(s->cx, (char *)values - plane, s->in, plane));
  return b->separate ? b->sync(s->cx) : IG_OK;
}

/* Point to point; other ranks return at once. */
ig_status ig_slab_hand(ig_slab *s, int from, int to, size_t size, void *values) {
  const ig_backend *b = s->cx->backend;
  ig_message message = {.rank = to};
  if (s->rank != from && s->rank != to)
    return IG_OK;
  if (s->rank == from) {
    IG_TRY(ig_slab_reserve(s, size, 0));
    IG_SLAB_TRY(s, b->copy_out(s->cx, s->out, values, size));
    IG_SLAB_TRY(s, b->sync(s->cx));
    message.send = s->out;
    message.send_size = size;
  } else {
    IG_TRY(ig_slab_reserve(s, 0, size));
    IG_SLAB_TRY(s, b->sync(s->cx)); /* what is in s->in was taken */
    message = (ig_message){.rank = from, .receive = s->in, .receive_size = size};
  }
  IG_TRY(ig_ranks_exchange(s->cx, &message, 1));
  if (s->rank == to)
    IG_SLAB_TRY(s, b->copy_in(s->cx, values, s->in, size));
  return IG_OK;
}

/* --- planes of all --- */

/* Own planes to all ranks, those of all ranks to their places. The own planes are known already and
   not copied. */
ig_status ig_slab_gather(ig_slab *s, int level, int count, int components, size_t plane,
                         size_t stride, void *values) {
  const size_t each = (size_t)components * plane;
  /* elements have one plane less than nodes: the last rank's range is cut */
  const planes there = {0, count};
  planes own;
  size_t in = 0;
  int messages = 0;
  ig_slab_range(s, level, s->rank, &own.from, &own.to);
  own = both(own, there);
  const size_t out = (size_t)(own.to - own.from) * each;
  IG_TRY(ig_slab_reserve(s, out, (size_t)count * each));
  IG_SLAB_TRY(s, move(s, (char *)values + (size_t)own.from * plane, components, stride,
                      (size_t)(own.to - own.from) * plane, s->out, true));
  IG_SLAB_TRY(s, s->cx->backend->sync(s->cx));
  for (int r = 0; r < s->ranks; r++) {
    planes p;
    if (r == s->rank)
      continue;
    ig_slab_range(s, level, r, &p.from, &p.to);
    p = both(p, there);
    s->message[messages++] = (ig_message){.rank = r,
                                          .send = s->out,
                                          .receive = s->in + in,
                                          .send_size = out,
                                          .receive_size = (size_t)(p.to - p.from) * each};
    in += (size_t)(p.to - p.from) * each;
  }
  IG_TRY(ig_ranks_exchange(s->cx, s->message, messages));
  for (int i = 0; i < messages; i++) {
    planes p;
    ig_slab_range(s, level, s->message[i].rank, &p.from, &p.to);
    p = both(p, there);
    IG_SLAB_TRY(s, move(s, (char *)values + (size_t)p.from * plane, components, stride,
                        (size_t)(p.to - p.from) * plane, s->message[i].receive, false));
  }
  return IG_OK;
}

/* Component after component: buffers of one component's size, and messages go directly between the
   host arrays where that is possible. */
ig_status ig_slab_collect(const ig_grid *g, int components, const double *values, bool everyone,
                          double *whole) {
  ig_slab *s = g->slab;
  const size_t plane = (size_t)g->plane, stored = plane * (size_t)(s->planes + 2);
  const bool takes = everyone || s->rank == 0;
  planes own;
  ig_slab_range(s, 0, s->rank, &own.from, &own.to);
  const size_t mine = (size_t)(own.to - own.from) * plane;
  ig_status status = ig_slab_reserve(s, mine * sizeof(double), 0);
  IG_TRY(ig_ranks_agree(s->cx, status));
  for (int c = 0; c < components; c++) {
    int messages = 0;
    /* a whole grid has one plane of halo below */
    double *to = whole + (size_t)c * stored + (size_t)(own.from + 1) * plane;
    const double *from = values + (size_t)c * (size_t)g->stored + (size_t)g->ghosts * plane;
    void *buffer = takes ? (void *)to : s->out;
    status = s->cx->backend->copy_out(s->cx, buffer, from, mine * sizeof(double));
    IG_TRY(ig_ranks_agree(s->cx, status));
    for (int r = 0; r < s->ranks; r++) {
      planes p;
      ig_slab_range(s, 0, r, &p.from, &p.to);
      const bool gives = everyone || r == 0;
      if (r == s->rank || !(takes || gives))
        continue;
      s->message[messages++] = (ig_message){
          .rank = r,
          .send = buffer,
          .send_size = gives ? mine * sizeof(double) : 0,
          .receive = takes ? whole + (size_t)c * stored + (size_t)(p.from + 1) * plane : NULL,
          .receive_size = takes ? (size_t)(p.to - p.from) * plane * sizeof(double) : 0};
    }
    IG_TRY(ig_ranks_exchange(s->cx, s->message, messages));
  }
  return IG_OK;
}

/* From the whole's halo on: where the part reaches the rim, the halo comes along. */
ig_status ig_slab_cut(const ig_grid *g, int components, const double *whole, double *values) {
  const ig_slab *s = g->slab;
  const size_t plane = (size_t)g->plane, stored = plane * (size_t)(s->planes + 2);
  const planes halo = {-1, s->planes + 1};
  planes p = {g->from - g->ghosts, g->from + g->n[2] + 1 + g->ghosts};
  p = both(p, halo);
  for (int c = 0; c < components; c++)
    IG_TRY(s->cx->backend->copy_in(s->cx,
                                   values + (size_t)c * (size_t)g->stored +
                                       (size_t)(p.from - g->from + g->ghosts) * plane,
                                   whole + (size_t)c * stored + (size_t)(p.from + 1) * plane,
                                   (size_t)(p.to - p.from) * plane * sizeof(double)));
  return s->cx->backend->separate ? s->cx->backend->sync(s->cx) : IG_OK;
}

/* --- sums --- */

/* The same block of every rank, sizes[rank] bytes, one after the other in s->in. */
static ig_status share(ig_slab *s, const size_t *size) {
  int messages = 0;
  size_t at = 0;
  IG_SLAB_TRY(s, s->cx->backend->sync(s->cx)); /* what is in s->in was taken */
  for (int r = 0; r < s->ranks; r++) {
    if (r == s->rank)
      memcpy(s->in + at, s->out, size[r]);
    else
      s->message[messages++] = (ig_message){.rank = r,
                                            .send = s->out,
                                            .send_size = size[s->rank],
                                            .receive = s->in + at,
                                            .receive_size = size[r]};
    at += size[r];
  }
  return ig_ranks_exchange(s->cx, s->message, messages);
}

/* Words of a rank: one that tells of failure, then the sums of its groups of planes. */
static size_t words(const ig_slab *s, int level, int rank, int group, size_t one) {
  int from, to;
  ig_slab_range(s, level, rank, &from, &to);
  return 1 + (size_t)((to - from + group - 1) / group) * one;
}

/* Sums of all ranks' parts, behind the first word of s->out, into sum[each]. Every rank receives
   the partial sums of all ranks and adds them in the order of planes, component after component:
   the bits of one rank. The first word of each message carries failures, so that no rank goes on
   alone. */
static ig_status meet(ig_slab *s, int level, int group, int components, size_t one, int each,
                      double *sum) {
  size_t *size = s->size, at = 0;
  bool failed = false;
  double *out = (double *)s->out;
  out[0] = s->fault != IG_OK;
  IG_TRY(share(s, size));
  for (int r = 0; r < s->ranks; at += size[r++])
    failed |= *(const double *)(s->in + at) != 0;
  if (failed) {
    const ig_status fault = s->fault;
    s->fault = IG_OK;
    return ig_ranks_agree(s->cx, fault);
  }
  for (int q = 0; q < each; q++)
    sum[q] = 0;
  for (int c = 0; c < components; c++) {
    at = 0;
    for (int r = 0; r < s->ranks; at += size[r++]) {
      const size_t own =
          (words(s, level, r, group, one * (size_t)components) - 1) / (size_t)components;
      const double *v = (const double *)(s->in + at) + 1 + (size_t)c * own;
      for (size_t i = 0; i < own; i++)
        sum[i % (size_t)each] += v[i];
    }
  }
  return IG_OK;
}

/* Room for what all ranks tell of their groups of planes, `one` numbers each. */
static ig_status words_reserve(ig_slab *s, int level, int group, size_t one) {
  size_t all = 0;
  for (int r = 0; r < s->ranks; r++) {
    s->size[r] = words(s, level, r, group, one) * sizeof(double);
    all += s->size[r];
  }
  return ig_slab_reserve(s, s->size[s->rank], all);
}

/* From host memory: products of the CPU, and sums of meshes. */
ig_status ig_slab_total(ig_slab *s, int level, int components, int64_t per, int each,
                        const double *part, double *sum) {
  const size_t one = (size_t)per * (size_t)each;
  IG_TRY(words_reserve(s, level, 1, one * (size_t)components));
  if (part)
    memcpy(s->out + sizeof(double), part, s->size[s->rank] - sizeof(double));
  else
    ig_slab_fail(s, IG_MEMORY);
  return meet(s, level, 1, components, one, each, sum);
}

ig_status ig_slab_total_device(ig_slab *s, int level, int group, int each, const double *part,
                               double *sum) {
  IG_TRY(words_reserve(s, level, group, (size_t)each));
  if (part)
    IG_SLAB_TRY(s, s->cx->backend->copy_out(s->cx, s->out + sizeof(double), part,
                                            s->size[s->rank] - sizeof(double)));
  return meet(s, level, group, 1, (size_t)each, each, sum);
}

ig_status ig_slab_most(ig_slab *s, double *value, int count) {
  int64_t word[8];
  for (int i = 0; i < count; i++) /* numbers that are not negative sort as their bits do */
    memcpy(&word[i], &value[i], sizeof *word);
  IG_TRY(ig_ranks_max(s->cx, IG_OK, word, count));
  for (int i = 0; i < count; i++)
    memcpy(&value[i], &word[i], sizeof *word);
  return IG_OK;
}

/* Whole numbers: their sum does not depend on the order. */
ig_status ig_slab_count(ig_slab *s, int64_t *value, int count) {
  size_t *size = s->size;
  for (int r = 0; r < s->ranks; r++)
    size[r] = (size_t)count * sizeof *value;
  const ig_status status = ig_slab_reserve(s, size[0], (size_t)s->ranks * size[0]);
  IG_TRY(ig_ranks_agree(s->cx, status));
  memcpy(s->out, value, size[0]);
  IG_TRY(share(s, size));
  for (int i = 0; i < count; i++) {
    value[i] = 0;
    for (int r = 0; r < s->ranks; r++)
      value[i] += ((const int64_t *)s->in)[r * count + i];
  }
  return IG_OK;
}

/* Chunks of ghost planes were summed along with the others; they are dropped here, component by
   component. */
ig_status ig_chunks_total(const ig_grid *g, const ig_chunks *k, int each, double *part,
                          double *sum) {
  if (!ig_chunks_divided(g)) {
    for (int q = 0; q < each; q++) {
      sum[q] = 0;
      for (int64_t c = 0; c < k->count; c++)
        sum[q] += part[c * each + q];
    }
    return IG_OK;
  }
  const int64_t plane = k->per * each, own = g->n[2] + 1, stored = own + 2 * g->ghosts;
  const int components = stored > 0 ? (int)(k->count / (k->per * stored)) : 1;
  for (int c = 0; part && c < components; c++)
    memmove(part + c * own * plane, part + (c * stored + g->ghosts) * plane,
            (size_t)(own * plane) * sizeof *part);
  return ig_slab_total(g->slab, g->level, components, k->per, each, part, sum);
}
