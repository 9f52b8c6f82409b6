/* Toolpaths that grow point by point. */
#include "core/toolpath.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 100000000 };

ig_status ig_toolpath_add(ig_ctx *cx, ig_toolpath *p, double t, const double *x, double power) {
  if (p->count == p->room) {
    if (p->room >= MOST_POINTS)
      return IG_FAIL(cx, IG_INPUT, "a toolpath of more than %d points", MOST_POINTS);
    const int64_t room = p->room ? 2 * p->room : 256;
    double *q[3] = {p->t, p->x, p->power};
    const int width[3] = {1, 3, 1};
    for (int i = 0; i < 3; i++) {
      double *r = realloc(q[i], (size_t)(room * width[i]) * sizeof *r);
      if (!r)
        return IG_FAIL(cx, IG_MEMORY, "no memory for a toolpath of %lld points", (long long)room);
      *(i == 0 ? &p->t : i == 1 ? &p->x : &p->power) = r;
    }
    p->room = room;
  }
  p->t[p->count] = t;
  memcpy(p->x + 3 * p->count, x, 3 * sizeof *x);
  p->power[p->count++] = power;
  return IG_OK;
}

void ig_toolpath_free(ig_toolpath *p) {
  free(p->t);
  free(p->x);
  free(p->power);
  memset(p, 0, sizeof *p);
}
