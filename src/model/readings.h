/* Figures of a run that is read in each step, with their derivatives by the readings:

     SIGNAL              at the end of the run
     SIGNAL@0.5 s        at a time, interpolated between readings
     mean(SIGNAL)        over the time of the run
     max(SIGNAL)         its highest reading: the derivative is that of this reading
     variance(SIGNAL)    mean square of its distance from its own mean; variance(SIGNAL, VALUE):
   from that value misfit(FILE.csv)    sum of squares of (signal - measured) over the rows and
   columns of a file with the columns `time` (s) and names of signals; empty cells do not count

   What signals there are the room says. */
#ifndef IG_MODEL_READINGS_H
#define IG_MODEL_READINGS_H

#include "core/ctx.h"

typedef struct {
  int64_t rows;
  int signals;
  const double *time;    /* rows, s; rising, twice the same where something jumps */
  const double *reading; /* rows x signals */
  double *weight;        /* rows x signals: derivative of the figure by each reading, filled */
  /* rows: for how long each stands in a variance; NULL: for the time since the one before it */
  const double *seconds;
  /* The signal of a name, -1: there is none; its unit, or the square of that. */
  void *user;
  int (*find)(void *user, const char *name, size_t length);
  const char *(*unit)(void *user, int signal, bool squared);
  const char *signals_are; /* for messages: "the name of a probe of the case" */
  int64_t measured;        /* filled: numbers that a misfit compares */
  const char *misfit_unit;
} ig_readings;

IG_MUST_CHECK ig_status ig_readings_figure(ig_ctx *cx, ig_readings *r, const char *figure,
                                           double *value, char unit[16]);
/* The number between two places of a figure, in SI. */
IG_MUST_CHECK ig_status ig_readings_argument(ig_ctx *cx, const char *figure, const char *from,
                                             const char *to, const char *unit, double *value);

#endif
