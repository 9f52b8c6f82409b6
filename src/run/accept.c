/* Limits of figures: `accept` in a case. */
#include "run/accept.h"
#include "core/limit.h"
#include "core/number.h"
#include "core/unit.h"
#include "run/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last value of a figure that has a limit. */
struct ig_accept_seen {
  bool given;
  double value;
  char unit[32];
};

/* A limit as it is written: a number and its unit, of whatever dimensions. */
typedef struct {
  const char *text; /* NULL: none */
  const char *unit; /* "": that of the figure */
  double value;     /* SI */
} bound;

static ig_status bound_read(ig_ctx *cx, const ig_accept_case *limit, const char *key,
                            const char *text, bound *b) {
  char *end = NULL, problem[160] = "";
  ig_unit unit;
  *b = (bound){.text = text};
  if (!text)
    return IG_OK;
  const double value = ig_decimal_read(text, &end);
  if (end == text || !isfinite(value))
    return ig_fail_at(cx, &limit->at, "accept.%s: expected a number with its unit, not '%.60s'",
                      key, text);
  b->unit = end + strspn(end, " ");
  if (!ig_unit_read(b->unit, &unit, problem, sizeof problem))
    return ig_fail_at(cx, &limit->at, "accept.%s: '%.60s': %s", key, text, problem);
  b->value = unit.factor * value + unit.offset;
  return IG_OK;
}

ig_status ig_accept_check(const ig_case *c, const ig_accept_case *limit) {
  ig_ctx *cx = c->cx;
  if (strncmp(limit->figure, "finished_", 9) == 0)
    return ig_fail_at(cx, &limit->at,
                      "accept: '%.60s' is a figure of the finished part, which is made after the "
                      "run is judged: `constraints` of the case decide whether it is `feasible`",
                      limit->figure);
  IG_TRY(ig_figure_check(cx, &limit->at, "accept: the run", c->room, c->root, limit->figure));
  if (!limit->min && !limit->max)
    return ig_fail_at(cx, &limit->at, "accept: the limit of '%.60s' has neither 'min' nor 'max'",
                      limit->figure);
  bound min, max;
  IG_TRY(bound_read(cx, limit, "min", limit->min, &min));
  IG_TRY(bound_read(cx, limit, "max", limit->max, &max));
  /* a number without a unit is in that of the figure, which is not known yet */
  if (!min.text || !max.text || (*min.unit == 0) != (*max.unit == 0))
    return IG_OK;
  if (!ig_units_alike(min.unit, max.unit))
    return ig_fail_at(cx, &limit->at, "accept: '%.60s' cannot have limits in %.30s and in %.30s",
                      limit->figure, min.unit, max.unit);
  if (min.value > max.value)
    return ig_fail_at(cx, &limit->at,
                      "accept: the least value of '%.60s', %.60s, is above the largest, %.60s: no "
                      "result would be accepted; swap them?",
                      limit->figure, min.text, max.text);
  return IG_OK;
}

ig_status ig_accept_open(ig_ctx *cx, const ig_list *limits, ig_accept *accept) {
  *accept = (ig_accept){.limits = limits->count > 0 ? limits : NULL};
  return accept->limits ? IG_NEW(cx, &accept->seen, limits->count, "limits") : IG_OK;
}

void ig_accept_figure(ig_accept *accept, const char *key, const char *unit, double value) {
  for (int i = 0; accept->limits && i < accept->limits->count; i++) {
    struct ig_accept_seen *seen = &accept->seen[i];
    if (strcmp(IG_ITEM(ig_accept_case, *accept->limits, i)->figure, key) != 0)
      continue;
    seen->given = true;
    seen->value = value;
    snprintf(seen->unit, sizeof seen->unit, "%s", unit);
  }
}

ig_status ig_accept_finish(ig_ctx *cx, ig_accept *accept, ig_sink *sink) {
  bool accepted = true;
  if (!accept->limits)
    return IG_OK;
  for (int i = 0; i < accept->limits->count; i++) {
    const ig_accept_case *limit = IG_ITEM(ig_accept_case, *accept->limits, i);
    const struct ig_accept_seen *seen = &accept->seen[i];
    char why[256];
    if (!seen->given)
      ig_warn_at(
          cx, &limit->at,
          "accept: the run has no figure '%.60s' that is a number: summary.json lists its figures",
          limit->figure);
    else if (ig_limit_broken(limit->min, limit->max, seen->value, seen->unit, why, sizeof why))
      ig_warn_at(cx, &limit->at, "not accepted: %.60s %s", limit->figure, why);
    else
      continue;
    accepted = false;
  }
  return sink->result_text(sink, "accepted", accepted ? "yes" : "no");
}

void ig_accept_close(ig_accept *accept) {
  free(accept->seen);
  accept->seen = NULL;
}
