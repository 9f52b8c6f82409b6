/* The same work on one rank and on several. */
#include "bench/common/crew.h"
#include "backend/backend.h"
#include "ranks/partition.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CREW = 4, ROUNDS = 3 };

typedef struct {
  const char *backend;
  const char *ipc; /* NULL: as the race says */
  ig_ranks *ranks; /* NULL: alone */
  ig_crew_work *work;
  int steps;
  bool smoke;
  double seconds;
  ig_status status;
  char message[256];
} seat;

static void *sit(void *user) {
  seat *s = user;
  ig_ctx *cx;
  const ig_ctx_options options = {.backend = s->backend, .threads = 1, .ranks = s->ranks};
  s->status = s->ipc ? ig_ranks_ipc(s->ranks, s->ipc) : IG_OK;
  const ig_status opened = ig_ctx_open(&options, &cx);
  s->status = s->status == IG_OK ? opened : s->status;
  if (opened == IG_OK)
    cx->smoke = s->smoke;
  if (s->status == IG_OK)
    s->status = s->work(cx, s->steps, &s->seconds);
  s->status = s->ranks ? ig_ranks_agree(cx, s->status) : s->status;
  snprintf(s->message, sizeof s->message, "%s", ig_ctx_message(cx));
  ig_ctx_close(cx);
  return NULL;
}

/* The longest time of `count` ranks. */
static ig_status crew_time(ig_ctx *cx, int count, const seat *like, double *seconds) {
  static seat s[CREW]; /* outlives this call: see below */
  ig_ranks *ranks[CREW] = {NULL};
  pthread_t thread[CREW];
  if (count > 1 && ig_ranks_threads(count, ranks) != IG_OK)
    return IG_FAIL(cx, IG_MEMORY, "no memory for %d ranks", count);
  for (int started = 0; started < count; started++) {
    s[started] = *like;
    s[started].ranks = ranks[started];
    if (pthread_create(&thread[started], NULL, sit, &s[started]) != 0)
      return IG_FAIL(cx, IG_MEMORY, "%d threads cannot be started", count); /* others wait on */
  }
  *seconds = 0;
  for (int i = 0; i < count; i++) {
    pthread_join(thread[i], NULL);
    *seconds = fmax(*seconds, s[i].seconds);
  }
  for (int i = 0; i < count; i++)
    ig_ranks_close(ranks[i]);
  return s[0].status == IG_OK ? IG_OK : IG_FAIL(cx, s[0].status, "%s", s[0].message);
}

ig_status ig_crew_bench(ig_ctx *cx, const ig_bench_sink *sink, const char *name, double elements,
                        int steps, ig_crew_work *work) {
  static const int counts[] = {1, 2, 4};
  const bool gpu = cx->backend->kernels == IG_KERNELS_CUDA;
  const int kinds = gpu ? 3 : 2;
  double best[3] = {INFINITY, INFINITY, INFINITY};
  const seat like = {
      .backend = ig_ctx_backend(cx), .work = work, .steps = steps, .smoke = cx->smoke};
  for (int round = 0; round < ig_bench_size(cx, ROUNDS, ROUNDS, 1); round++)
    for (int k = 0; k < kinds; k++) {
      double seconds = 0;
      IG_TRY(crew_time(cx, counts[k], &like, &seconds));
      best[k] = fmin(best[k], seconds);
    }
  for (int k = 0; k < kinds; k++) {
    char text[96], note[96] = "";
    snprintf(text, sizeof text, "%s, %d rank%s", name, counts[k], k ? "s" : "");
    if (k)
      snprintf(note, sizeof note, gpu ? "%.3g x the time of one rank" : "%.3g x one rank",
               gpu ? best[k] / best[0] : best[0] / best[k]);
    sink->row(sink->user, &(ig_bench_row){.name = text,
                                          .elements = elements,
                                          .steps = steps,
                                          .seconds = best[k],
                                          .rate = elements * steps / best[k],
                                          .rate_unit = "element-steps",
                                          .note = note});
  }
  return IG_OK;
}

/* --- pieces of an exchange --- */

/* Ghosts of a part of 10^6 bricks inside a large mesh: 102^3 - 100^3 nodes. */
enum { GHOSTS = 61208 };
typedef enum { PACK, MESSAGE, UNPACK, WHOLE } piece;

/* One of two ranks; the second half of its values are the other's. */
static ig_status pair_make(ig_ctx *cx, ig_halo *h, ig_array *values) {
  int32_t start[3], *list;
  IG_TRY(ig_array_new(cx, values, 2 * (size_t)GHOSTS, sizeof(double), "values"));
  IG_TRY(ig_array_push(cx, values));
  IG_TRY(IG_NEW(cx, &list, 2 * (size_t)GHOSTS, "ghosts"));
  for (int32_t i = 0; i < 2 * GHOSTS; i++)
    list[i] = i;
  start[0] = 0;
  start[1] = cx->ranks->rank == 1 ? GHOSTS : 0;
  start[2] = GHOSTS;
  const ig_halo_lists lists = {2, start, list, start, list + GHOSTS};
  const ig_status status = ig_halo_of(cx, &lists, sizeof(double), h);
  free(list);
  return status;
}

static ig_status piece_do(ig_ctx *cx, ig_halo *h, piece what, const ig_halo_array *array) {
  ig_status status = IG_OK;
  if (what == PACK)
    return ig_halo_pack(cx, h, array, 1);
  if (what == UNPACK)
    return ig_halo_unpack(cx, h, array, 1);
  if (what == WHOLE)
    return ig_halo_refresh_all(cx, h, array, 1, status);
  status = ig_exchange_begin(cx, &h->wire);
  status = ig_exchange_send(cx, &h->wire, status);
  return ig_exchange_take(cx, &h->wire, status);
}

/* Seconds of one, the quickest of `steps`; the GPU has done it then. */
static ig_status piece_time(ig_ctx *cx, piece what, int steps, double *seconds) {
  ig_halo h = {0};
  ig_array values = {0};
  ig_status status = ig_ranks_agree(cx, pair_make(cx, &h, &values));
  const ig_halo_array array = {values.dev, sizeof(double)};
  *seconds = INFINITY;
  if (status == IG_OK) /* whose sizes the pieces take */
    status = ig_halo_refresh_all(cx, &h, &array, 1, IG_OK);
  for (int i = 0; i < steps && status == IG_OK; i++) {
    IG_TRY_GOTO(status, done, cx->backend->sync(cx));
    const double begun = ig_now();
    IG_TRY_GOTO(status, done, piece_do(cx, &h, what, &array));
    IG_TRY_GOTO(status, done, cx->backend->sync(cx));
    *seconds = fmin(*seconds, ig_now() - begun);
  }
done:
  ig_halo_free(cx, &h);
  ig_array_free(cx, &values);
  return status;
}

static ig_status pack_work(ig_ctx *cx, int steps, double *seconds) {
  return piece_time(cx, PACK, steps, seconds);
}
static ig_status message_work(ig_ctx *cx, int steps, double *seconds) {
  return piece_time(cx, MESSAGE, steps, seconds);
}
static ig_status unpack_work(ig_ctx *cx, int steps, double *seconds) {
  return piece_time(cx, UNPACK, steps, seconds);
}
static ig_status whole_work(ig_ctx *cx, int steps, double *seconds) {
  return piece_time(cx, WHOLE, steps, seconds);
}

ig_status ig_crew_pieces(ig_ctx *cx, const ig_bench_sink *sink) {
  const int steps = ig_bench_size(cx, 50, 50, 2);
  static const struct {
    const char *name;
    ig_crew_work *work;
  } rows[] = {{"pack", pack_work},
              {"message", message_work},
              {"unpack", unpack_work},
              {"whole exchange", whole_work}};
  static const char *const ipc[] = {"off", "on"};
  for (int way = 0; way < 1 + cx->backend->separate; way++)
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      const seat like = {
          .backend = ig_ctx_backend(cx), .ipc = ipc[way], .work = rows[i].work, .steps = steps};
      char text[96];
      double seconds = 0;
      IG_TRY(crew_time(cx, 2, &like, &seconds));
      snprintf(text, sizeof text, "%s, 61 k ghosts of 8 bytes, %s", rows[i].name,
               way ? "into the other rank's memory" : "through the host's");
      sink->row(sink->user, &(ig_bench_row){.name = text,
                                            .elements = GHOSTS,
                                            .steps = 1,
                                            .seconds = seconds,
                                            .rate = GHOSTS / seconds,
                                            .rate_unit = "ghosts"});
    }
  return IG_OK;
}
