/* The figures of all stages in one file, and those that are asked for in lines. */
#include "chain/chain.h"
#include "io/result_folder.h"
#include "io/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one stage left. */
typedef struct {
  ig_node *summary;               /* NULL: nothing yet */
  double curve[IG_CURVE_FIGURES]; /* NaN: none */
} leftover;

static const char *text_of(const ig_node *summary, const char *key) {
  const ig_node *found = summary ? ig_node_find(summary, key) : NULL;
  return found && found->kind == IG_NODE_SCALAR ? found->text : NULL;
}

static bool is_complete(const leftover *l) {
  const char *status = text_of(l->summary, "status");
  return status && strcmp(status, "complete") == 0;
}

static ig_status leftover_read(ig_chain *chain, int stage, leftover *l) {
  const ig_stage *s = &chain->stage[stage];
  for (int i = 0; i < IG_CURVE_FIGURES; i++)
    l->curve[i] = NAN;
  IG_TRY(ig_stage_summary(chain, stage, &l->summary));
  if (s->curve.at.given && is_complete(l))
    IG_TRY(ig_curve_read(chain->cx, s->folder, &s->curve, l->curve));
  return IG_OK;
}

/* --- one figure of the report */

static ig_status column_take(ig_chain *chain, const ig_stage *s, const ig_report_case *r,
                             double *value) {
  double *column;
  int count;
  IG_TRY(ig_column_read(chain->cx, s->folder, r->column, &count, &column));
  *value = column[count - 1];
  for (int i = 0; i < count && r->take != IG_TAKE_LAST; i++)
    *value = r->take == IG_TAKE_MAX ? fmax(*value, column[i]) : fmin(*value, column[i]);
  free(column);
  return IG_OK;
}

static ig_status figure_find(ig_chain *chain, const leftover *left, const ig_report_case *r,
                             double *value) {
  int stage = 0;
  while (strcmp(chain->stage[stage].name, r->stage) != 0)
    stage++;
  *value = NAN;
  if (!is_complete(&left[stage]))
    return IG_OK;
  if (r->column)
    return column_take(chain, &chain->stage[stage], r, value);
  for (int i = 0; i < IG_CURVE_FIGURES; i++)
    if (strcmp(ig_curve_keys[i], r->figure) == 0) {
      *value = left[stage].curve[i];
      return IG_OK;
    }
  if (!ig_summary_figure(left[stage].summary, r->figure, value))
    return ig_fail_at(chain->cx, &r->at,
                      "stage '%s' has left no figure '%.60s': see %s/summary.json", r->stage,
                      r->figure, chain->stage[stage].folder);
  return IG_OK;
}

/* --- summary.json of the chain */

static void stage_put(ig_json *json, const ig_stage *s, const leftover *l) {
  static const char *const copied[] = {"physics",   "status",   "stamp", "backend",
                                       "precision", "elements", "steps"};
  ig_json_object(json, s->name);
  for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
    const ig_node *value = l->summary ? ig_node_find(l->summary, copied[i]) : NULL;
    if (value && value->kind == IG_NODE_SCALAR && value->quoted)
      ig_json_text(json, copied[i], value->text);
    else if (value && value->kind == IG_NODE_SCALAR)
      ig_json_raw(json, copied[i], value->text);
  }
  const ig_node *seconds = l->summary ? ig_node_find(l->summary, "seconds") : NULL;
  if (seconds && text_of(seconds, "total"))
    ig_json_raw(json, "seconds", text_of(seconds, "total"));
  for (int i = 0; i < IG_CURVE_FIGURES && s->curve.at.given; i++)
    ig_json_real(json, ig_curve_keys[i], l->curve[i]);
  ig_json_end(json, '}');
}

static ig_status summary_write(ig_chain *chain, const leftover *left, const double *value) {
  ig_json json = {0};
  bool complete = true;
  for (int i = 0; i < chain->stages; i++)
    complete &= is_complete(&left[i]);
  ig_json_object(&json, NULL);
  ig_json_text(&json, "ingot", ig_version());
  ig_json_text(&json, "chain", chain->title);
  ig_json_text(&json, "status", complete ? "complete" : "incomplete");
  ig_json_object(&json, "stages");
  for (int i = 0; i < chain->stages; i++)
    stage_put(&json, &chain->stage[i], &left[i]);
  ig_json_end(&json, '}');
  ig_json_object(&json, "report");
  for (int i = 0; i < chain->report.count; i++) {
    const ig_report_case *r = IG_ITEM(const ig_report_case, chain->report, i);
    char key[128];
    snprintf(key, sizeof key, "%.90s%s%.24s%s", r->name, *r->unit ? " [" : "", r->unit,
             *r->unit ? "]" : "");
    ig_json_real(&json, key, value[i]);
  }
  ig_json_end(&json, '}');
  ig_json_end(&json, '}');
  char *path = ig_path_join(chain->out, IG_SUMMARY);
  const ig_status status = !path || json.text.failed
                               ? IG_FAIL(chain->cx, IG_MEMORY, "no memory for the summary")
                               : ig_store(chain->cx, path, json.text.at, json.text.length);
  free(path);
  free(json.text.at);
  return status;
}

ig_status ig_chain_report(ig_chain *chain, ig_line_fn *line, void *user) {
  leftover *left = NULL;
  double *value = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(chain->cx, &left, chain->stages, "report"));
  IG_TRY_GOTO(status, done, IG_NEW(chain->cx, &value, chain->report.count + 1, "report"));
  for (int i = 0; i < chain->stages; i++)
    IG_TRY_GOTO(status, done, leftover_read(chain, i, &left[i]));
  for (int i = 0; i < chain->report.count; i++) {
    const ig_report_case *r = IG_ITEM(const ig_report_case, chain->report, i);
    IG_TRY_GOTO(status, done, figure_find(chain, left, r, &value[i]));
    char text[96];
    if (isnan(value[i]))
      snprintf(text, sizeof text, "not reached");
    else
      snprintf(text, sizeof text, "%.6g%s%.24s", value[i], *r->unit ? " " : "", r->unit);
    if (line)
      line(user, r->name, text);
  }
  status = summary_write(chain, left, value);
done:
  free(left);
  free(value);
  return status;
}
