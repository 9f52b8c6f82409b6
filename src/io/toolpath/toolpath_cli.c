/* Reader of the Common Layer Interface (CLI, ASCII): layers of polylines and hatches. The format
   has neither power nor speed; both come from the case. */
#include "io/toolpath/toolpath_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Current position and time. */
typedef struct {
  double unit, t, x[3];
  bool begun;
} pen;

/* Moves to a point; time follows from the speed. Before the first scan vector the beam is simply
   placed. */
static ig_status to(ig_path_reader *r, pen *p, double x, double y, bool on) {
  const double next[3] = {p->unit * x, p->unit * y, p->x[2]};
  const double length = hypot(next[0] - p->x[0], next[1] - p->x[1]);
  if (!p->begun && !on) {
    memcpy(p->x, next, sizeof next);
    return IG_OK;
  }
  p->begun = true;
  if (length == 0)
    return IG_OK;
  return ig_path_go(r, &p->t, p->x, next, length / (on ? r->o->feed : r->o->travel),
                    on ? r->o->power : 0);
}

/* Values after "$$NAME/", separated by commas. */
typedef struct {
  const char *at;
  int64_t taken;
} values;

static ig_status value_take(ig_path_reader *r, values *v, double *value) {
  char *stop;
  while (*v->at == ' ' || *v->at == ',')
    v->at++;
  if (!ig_path_number(v->at, &stop, value) || !isfinite(*value))
    return ig_path_fail(r, v->at, "value %lld: expected a number", (long long)v->taken + 1);
  v->at = stop;
  v->taken++;
  return IG_OK;
}

/* A count; the limit keeps it exact and sensible. */
static ig_status count_take(ig_path_reader *r, values *v, int64_t least, int64_t *count) {
  double n;
  IG_TRY(value_take(r, v, &n));
  if (!(n >= (double)least && n < 1e9) || n != floor(n))
    return ig_path_fail(r, v->at, "%g: expected a number of points", n);
  *count = (int64_t)n;
  return IG_OK;
}

/* $$POLYLINE/model,direction,n,points or $$HATCHES/model,n,pairs of points. */
static ig_status lines_take(ig_path_reader *r, pen *p, const char *at, bool hatches) {
  values v = {.at = at};
  double x, y, ignored;
  int64_t count = 0;
  IG_TRY(value_take(r, &v, &ignored)); /* model */
  if (!hatches)
    IG_TRY(value_take(r, &v, &ignored)); /* direction: inner, outer or open */
  IG_TRY(count_take(r, &v, hatches ? 0 : 1, &count));
  for (int64_t i = 0; i < (hatches ? 2 * count : count); i++) {
    IG_TRY(value_take(r, &v, &x));
    IG_TRY(value_take(r, &v, &y));
    IG_TRY(to(r, p, x, y, hatches ? i % 2 == 1 : i > 0));
  }
  while (*v.at == ' ' || *v.at == ',')
    v.at++;
  return *v.at ? ig_path_fail(r, v.at, "more values than the count says") : IG_OK;
}

/* $$LAYER/z: moving up takes the travel speed. */
static ig_status layer_begin(ig_path_reader *r, pen *p, const char *at) {
  values v = {.at = at};
  double z;
  IG_TRY(value_take(r, &v, &z));
  r->as.layers_marked++;
  if (p->begun) {
    const double next[3] = {p->x[0], p->x[1], p->unit * z};
    return ig_path_go(r, &p->t, p->x, next, fabs(next[2] - p->x[2]) / r->o->travel, 0);
  }
  p->x[2] = p->unit * z;
  return IG_OK;
}

static bool begins(const char *text, const char *word) {
  return strncasecmp(text, word, strlen(word)) == 0;
}

/* $$UNITS is in mm; the user's `unit` has precedence. CLI as text (Common Layer Interface 2.0):
   units, layers, polylines and hatches. It has no speeds or powers, so the case must give them. */
ig_status ig_path_read_cli(ig_path_reader *r) {
  pen p = {.unit = isnan(r->o->unit) ? 0 : r->o->unit, .t = r->o->start};
  bool there, geometry = false;
  IG_TRY(ig_path_need_power(r));
  if (!(r->o->feed > 0))
    return ig_path_fail(r, NULL, "this format gives no speed: set `feed`");
  for (;;) {
    IG_TRY(ig_path_line(r, '\0', &there));
    if (!there)
      break;
    /* Commands begin with $$, comments with two slashes. */
    const char *text = r->text + strspn(r->text, " \t");
    if (begins(text, "//"))
      continue;
    if (text[0] != '$' || text[1] != '$')
      return ig_path_fail(r, text, "expected a command that begins with $$");
    if (begins(text, "$$BINARY"))
      return ig_path_fail(r, text, "binary layer files are not read: write it as $$ASCII");
    /* $$UNITS is in mm; a unit given by the case comes first. */
    if (begins(text, "$$UNITS/") && p.unit == 0) {
      values v = {.at = text + 8};
      IG_TRY(value_take(r, &v, &p.unit));
      p.unit *= 1e-3;
      if (!(p.unit > 0))
        return ig_path_fail(r, text, "$$UNITS: expected a length above zero, in mm");
    }
    /* Polylines and hatches count only within the geometry section. */
    geometry = geometry || begins(text, "$$GEOMETRYSTART");
    const bool line = begins(text, "$$POLYLINE/"), hatches = begins(text, "$$HATCHES/");
    const bool layer = begins(text, "$$LAYER/");
    if ((line || hatches || layer) && p.unit == 0)
      return ig_path_fail(r, text, "no $$UNITS before the first layer: set `unit`");
    if (layer)
      IG_TRY(layer_begin(r, &p, text + 8));
    else if (line)
      IG_TRY(lines_take(r, &p, text + 11, false));
    else if (hatches)
      IG_TRY(lines_take(r, &p, text + 10, true));
    else if (begins(text, "$$GEOMETRYEND"))
      break;
  }
  r->as.unit = p.unit;
  return IG_OK;
}
