/* Limits of figures: `accept` in a case. */
#include "run/accept.h"
#include "core/limit.h"
#include "core/number.h"
#include "core/unit.h"

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

/* Whether a text is a number with a unit, of whatever dimensions. */
static ig_status quantity_check(ig_ctx *cx, const ig_accept_case *limit, const char *key,
                                const char *text) {
  char *end = NULL, problem[160] = "";
  ig_unit unit;
  if (!text)
    return IG_OK;
  const double value = ig_decimal_read(text, &end);
  if (end == text || !isfinite(value))
    return ig_fail_at(cx, &limit->at, "accept.%s: expected a number with its unit, not '%.60s'",
                      key, text);
  if (!ig_unit_read(end + strspn(end, " "), &unit, problem, sizeof problem))
    return ig_fail_at(cx, &limit->at, "accept.%s: '%.60s': %s", key, text, problem);
  return IG_OK;
}

ig_status ig_accept_check(ig_ctx *cx, const ig_accept_case *limit) {
  if (!limit->min && !limit->max)
    return ig_fail_at(cx, &limit->at, "accept: the limit of '%.60s' has neither 'min' nor 'max'",
                      limit->figure);
  IG_TRY(quantity_check(cx, limit, "min", limit->min));
  return quantity_check(cx, limit, "max", limit->max);
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
