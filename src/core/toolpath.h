/* A toolpath: where a beam is and with how much power. */
#ifndef IG_CORE_TOOLPATH_H
#define IG_CORE_TOOLPATH_H

#include "core/ctx.h"

/* A line of straight pieces: from point i to point i + 1 the beam moves evenly and has power[i].
   After the last point it is off. */
typedef struct {
  int64_t count, room;
  double *t, *x, *power; /* s; count x 3, m; W */
} ig_toolpath;

IG_MUST_CHECK ig_status ig_toolpath_add(ig_ctx *cx, ig_toolpath *path, double t, const double *x,
                                        double power);
void ig_toolpath_free(ig_toolpath *path);

#endif
