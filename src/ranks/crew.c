/* The same work on one rank and on several. */
#include "ranks/crew.h"
#include "backend/backend.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { CREW = 4, ROUNDS = 3 };

typedef struct {
  const char *backend;
  ig_ranks *ranks; /* NULL: alone */
  ig_crew_work *work;
  int steps;
  double seconds;
  ig_status status;
  char message[256];
} seat;

static void *sit(void *user) {
  seat *s = user;
  ig_ctx *cx;
  const ig_ctx_options options = {.backend = s->backend, .threads = 1, .ranks = s->ranks};
  s->status = ig_ctx_open(&options, &cx);
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
  const seat like = {.backend = ig_ctx_backend(cx), .work = work, .steps = steps};
  for (int round = 0; round < ROUNDS; round++)
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
