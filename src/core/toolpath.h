/* A toolpath: where a beam is and with how much power. */
#ifndef IG_CORE_TOOLPATH_H
#define IG_CORE_TOOLPATH_H

#include "core/ctx.h"

/* A line of straight pieces: from point i to point i + 1 the beam moves evenly and has power[i].
   After the last point it is off. */
typedef struct ig_toolpath {
  int64_t count, capacity;
  double *t, *x, *power; /* s; count x 3, m; W */
  double direction[3];   /* unit vector along which the beam travels; zeros: straight down */
} ig_toolpath;

IG_MUST_CHECK ig_status ig_toolpath_add(ig_ctx *cx, ig_toolpath *path, double t, const double *x,
                                        double power);
void ig_toolpath_free(ig_toolpath *path);

/* Heights at which the beam is on, rising; those closer than a micrometre are one layer. Freed by
   the caller. */
IG_MUST_CHECK ig_status ig_toolpath_heights(ig_ctx *cx, const ig_toolpath *path, double **heights,
                                            int64_t *count);

/* What a path amounts to. Speeds and powers are those of pieces with the beam on; a layer is a
   height at which the beam is on. Without such pieces the extremes are 0. */
typedef struct {
  int64_t pieces, layers;
  double start, time_on, time_off, length_on, length_off;
  double low[3], high[3]; /* where the beam is on, or of the whole path if it never is */
  double speed_min, speed_max, power_min, power_max;
  double energy;       /* J */
  double direction[3]; /* as the path has it */
} ig_toolpath_survey;
IG_MUST_CHECK ig_status ig_toolpath_look(ig_ctx *cx, const ig_toolpath *path,
                                         ig_toolpath_survey *survey);
/* Joules that a path sends after `time`; *last: when the beam goes off for the last time, s. */
double ig_toolpath_after(const ig_toolpath *path, double time, double *last);

/* The same in lines of words, as `ingot check` and `ingot path info` show it. */
typedef void ig_toolpath_line(void *user, const char *label, const char *value);
void ig_toolpath_describe(const ig_toolpath_survey *survey, ig_toolpath_line *line, void *user);

/* A beam of more watts, or faster, is hardly meant. */
#define IG_TOOLPATH_POWER 20e3
#define IG_TOOLPATH_SPEED 20.0

#endif
