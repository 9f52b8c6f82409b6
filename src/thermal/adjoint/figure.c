/* Figures of a run that have gradients: functions of signals, which are read in every step.

   Signals:
     NAME             the temperature of a probe
     volume(1650 K)   volume hotter than that: nodes count from 0 at 50 K below it to 1 at 50 K
                      above, smoothly; volume(1650 K, 20 K): at 20 K
   Figures: model/readings.h. A variance counts while a beam is on (without beams over the whole
   run). */
#include "thermal/adjoint/adjoint.h"
#include "model/readings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The probe of a name; its column has the unit behind it. */
static int probe_find(const ig_tape *t, const char *name, size_t length) {
  for (int p = 0; p < t->probes; p++) {
    const char *own = t->run.probe[p].name;
    if (strncmp(own, name, length) == 0 &&
        (own[length] == '\0' || strcmp(own + length, " [K]") == 0))
      return p;
  }
  return -1;
}

/* --- signals */

/* A quintic from 0 to 1: two continuous derivatives. */
double ig_tape_hot(const ig_tape *t, double T, double *slope) {
  const double x = 0.5 + 0.5 * (T - t->hot) / t->hot_width;
  *slope = 0;
  if (x <= 0 || x >= 1)
    return x > 0;
  *slope = 30 * x * x * (1 - x) * (1 - x) * 0.5 / t->hot_width;
  return x * x * x * (10 - 15 * x + 6 * x * x);
}

ig_status ig_tape_signals(ig_ctx *cx, ig_tape *t, const char *figure) {
  const char *at = strstr(figure, "volume(");
  t->probes = t->signals = t->run.probes;
  t->hot = NAN;
  if (!at || strncmp(figure, "misfit(", 7) == 0 || probe_find(t, figure, strlen(figure)) >= 0)
    return IG_OK;
  at += strlen("volume(");
  const char *end = at + strcspn(at, ")"), *comma = at + strcspn(at, ",)");
  if (!*end)
    return IG_FAIL(cx, IG_INPUT, "figure '%.200s': ')' is missing", figure);
  IG_TRY(ig_readings_argument(cx, figure, at, comma, "K", &t->hot));
  t->hot_width = 50;
  if (comma < end)
    IG_TRY(ig_readings_argument(cx, figure, comma + 1, end, "K", &t->hot_width));
  if (!(t->hot_width > 0 && t->hot > 0))
    return IG_FAIL(cx, IG_INPUT, "figure '%.200s': temperatures must be above 0 K", figure);
  t->signals++;
  return IG_OK;
}

/* --- the figure */

static int signal_find(void *user, const char *name, size_t length) {
  const ig_tape *t = user;
  return strncmp(name, "volume(", 7) == 0 && t->signals > t->probes ? t->probes
                                                                    : probe_find(t, name, length);
}

static const char *signal_unit(void *user, int signal, bool squared) {
  const bool probe = signal < ((const ig_tape *)user)->probes;
  return probe ? squared ? "K^2" : "K" : squared ? "m^6" : "m^3";
}

/* Moments of the readings, and the seconds for which they stand in a variance: those of steps with
   a beam on, or all where none ever is. */
static void moments_find(const ig_tape *t, double *time, double *seconds) {
  bool any = false;
  for (int64_t b = 0; b < t->batches; b++)
    any |= t->batch[b].watts > 0;
  for (int64_t b = 0; b < t->batches; b++)
    for (int i = 0; i < t->batch[b].steps; i++) {
      const int64_t k = t->batch[b].first + i;
      const ig_heat_step *s = &t->batch[b].step[i];
      time[2 * k] = t->time[k];
      time[2 * k + 1] = t->time[k + 1];
      seconds[2 * k + 1] = !any || s->last > s->first ? t->time[k + 1] - t->time[k] : 0;
    }
}

ig_status ig_tape_figure(ig_ctx *cx, ig_tape *t, const char *figure, double *value, char unit[16]) {
  const size_t rows = 2 * (size_t)t->steps;
  double *time = NULL, *seconds = NULL;
  free(t->weight);
  t->weight = NULL;
  IG_TRY(IG_NEW(cx, &t->weight, rows * (size_t)(t->signals ? t->signals : 1), "figure"));
  ig_status status = IG_NEW(cx, &time, rows, "figure");
  if (status == IG_OK)
    status = IG_NEW(cx, &seconds, rows, "figure");
  if (status == IG_OK) {
    moments_find(t, time, seconds);
    ig_readings r = {.rows = (int64_t)rows,
                     .signals = t->signals,
                     .time = time,
                     .reading = t->reading,
                     .weight = t->weight,
                     .seconds = seconds,
                     .user = t,
                     .find = signal_find,
                     .unit = signal_unit,
                     .signals_are = "the name of a probe of the case or volume(TEMPERATURE)"};
    status = ig_readings_figure(cx, &r, figure, value, unit);
    t->measured = r.measured;
  }
  free(time);
  free(seconds);
  return status;
}
