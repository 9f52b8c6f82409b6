/* The figures of all stages in one file, and those that are asked for in lines. Everything is read
   back from the folders of the stages, so that stages which were up to date and those that ran just
   now are treated alike. */
#include "chain/chain.h"
#include "core/number.h"
#include "core/version.h"
#include "io/result/sink_summary.h"
#include "io/format/atomic_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one stage left. */
typedef struct {
  ig_node *summary; /* NULL: nothing yet */
  ig_curve curve;   /* NaNs: none */
} leftover;

/* One line of the report; NaN: not reached. */
typedef struct {
  double value;
  char unit[IG_UNIT_TEXT];
} figure;

/* A scalar of a summary as text; NULL: there is none. summary may be NULL. */
static const char *text_of(const ig_node *summary, const char *key) {
  const ig_node *found = summary ? ig_node_find(summary, key) : NULL;
  return found && found->kind == IG_NODE_SCALAR ? found->text : NULL;
}

/* Only a complete stage has figures; those of an interrupted one would be of an earlier time. */
static bool is_complete(const leftover *l) {
  const char *status = text_of(l->summary, "status");
  return status && strcmp(status, "complete") == 0;
}

/* Reads what a stage left. A curve is evaluated only when the stage is complete. */
static ig_status leftover_read(ig_chain *chain, int stage, leftover *l) {
  const ig_stage *s = &chain->stage[stage];
  for (int i = 0; i < IG_CURVE_FIGURES; i++)
    l->curve.value[i] = NAN;
  IG_TRY(ig_stage_summary(chain, stage, &l->summary));
  if (s->c.curve.at.given && is_complete(l))
    IG_TRY(ig_curve_read(chain->cx, s->folder, &s->c.curve, &l->curve));
  return IG_OK;
}

/* --- one figure of the report */

/* The last, largest or smallest value of a column; NaN rows are passed over by fmax and fmin unless
   the last one is. */
static ig_status column_take(ig_chain *chain, const ig_stage *s, const ig_report_case *r,
                             figure *f) {
  ig_column column;
  IG_TRY(ig_column_read(chain->cx, s->folder, r->column, &column));
  memcpy(f->unit, column.unit, sizeof f->unit);
  f->value = column.value[column.count - 1];
  for (int i = 0; i < column.count && r->take != IG_TAKE_LAST; i++)
    f->value =
        r->take == IG_TAKE_MAX ? fmax(f->value, column.value[i]) : fmin(f->value, column.value[i]);
  free(column.value);
  return IG_OK;
}

/* One figure: of a column, of the curve, or of the summary, in this order. It stays NaN when the
   stage is not complete; a complete stage without the figure is refused. */
static ig_status figure_find(ig_chain *chain, const leftover *left, const ig_report_case *r,
                             figure *f) {
  const int stage = ig_stage_find(chain, chain->stages, r->stage);
  *f = (figure){.value = NAN};
  if (!is_complete(&left[stage]))
    return IG_OK;
  if (r->column)
    return column_take(chain, &chain->stage[stage], r, f);
  for (int i = 0; i < IG_CURVE_FIGURES; i++)
    if (strcmp(ig_curve_keys[i], r->figure) == 0) {
      f->value = left[stage].curve.value[i];
      memcpy(f->unit, left[stage].curve.unit[i], sizeof f->unit);
      return IG_OK;
    }
  if (!ig_summary_figure(left[stage].summary, r->figure, &f->value, f->unit))
    return ig_fail_at(chain->cx, &r->at,
                      "stage '%s' has left no figure '%.60s': see %s/summary.json", r->stage,
                      r->figure, chain->stage[stage].folder);
  return IG_OK;
}

/* Finds the same figures as the report at the end, to fail early; the values are dropped. */
ig_status ig_chain_report_check(ig_chain *chain, int stage) {
  leftover *left = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(chain->cx, &left, chain->stages, "report"));
  IG_TRY_GOTO(status, done, leftover_read(chain, stage, &left[stage]));
  for (int i = 0; i < chain->top.report.count; i++) {
    const ig_report_case *r = IG_ITEM(const ig_report_case, chain->top.report, i);
    figure f;
    if (strcmp(r->stage, chain->stage[stage].name) == 0)
      IG_TRY_GOTO(status, done, figure_find(chain, left, r, &f));
  }
done:
  free(left);
  return status;
}

/* --- summary.json of the chain */

/* Keys are copied from the stage's own summary as they stand there, texts with quotes and numbers
   without. */
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
  for (int i = 0; i < IG_CURVE_FIGURES && s->c.curve.at.given; i++)
    ig_json_real(json, ig_curve_keys[i], l->curve.value[i]);
  ig_json_end(json, '}');
}

/* Writes the summary in one piece through ig_store, which replaces the file only when it is whole.
   Figures that were not reached are null. */
static ig_status summary_write(ig_chain *chain, const leftover *left, const figure *figures) {
  ig_json json = {0};
  bool complete = true;
  for (int i = 0; i < chain->stages; i++)
    complete &= is_complete(&left[i]);
  ig_json_object(&json, NULL);
  ig_json_text(&json, "ingot", ig_version());
  ig_json_text(&json, "version", ig_version());
  ig_json_text(&json, "commit", ig_commit());
  ig_json_text(&json, "chain", chain->top.title);
  ig_json_text(&json, "status", complete ? "complete" : "incomplete");
  ig_json_object(&json, "stages");
  for (int i = 0; i < chain->stages; i++)
    stage_put(&json, &chain->stage[i], &left[i]);
  ig_json_end(&json, '}');
  ig_json_object(&json, "report");
  for (int i = 0; i < chain->top.report.count; i++) {
    const ig_report_case *r = IG_ITEM(const ig_report_case, chain->top.report, i);
    const char *unit = figures[i].unit;
    char key[128];
    snprintf(key, sizeof key, "%.90s%s%s%s", r->name, *unit ? " [" : "", unit, *unit ? "]" : "");
    ig_json_real(&json, key, figures[i].value);
  }
  ig_json_end(&json, '}');
  /* The inputs of the chain are its own file; a hash of it tells whether it was changed since. */
  ig_inputs inputs = {0}; /* the chain's own; each stage has those of its own */
  chain->cx->inputs = &inputs;
  ig_input_note(chain->cx, chain->c->path);
  chain->cx->inputs = NULL;
  ig_inputs_finish(&inputs);
  ig_inputs_write(&inputs, &json);
  ig_inputs_free(&inputs);
  ig_json_end(&json, '}');
  const ig_status status = ig_store_text(chain->cx, chain->out, IG_SUMMARY, &json.text);
  free(json.text.at);
  return status;
}

/* leftover needs no freeing: its trees are in the arena of the chain's case. */
ig_status ig_chain_report(ig_chain *chain, ig_line_fn *line, void *user) {
  leftover *left = NULL;
  figure *figures = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(chain->cx, &left, chain->stages, "report"));
  IG_TRY_GOTO(status, done, IG_NEW(chain->cx, &figures, chain->top.report.count + 1, "report"));
  for (int i = 0; i < chain->stages; i++)
    IG_TRY_GOTO(status, done, leftover_read(chain, i, &left[i]));
  for (int i = 0; i < chain->top.report.count; i++) {
    const ig_report_case *r = IG_ITEM(const ig_report_case, chain->top.report, i);
    IG_TRY_GOTO(status, done, figure_find(chain, left, r, &figures[i]));
    char text[96];
    const figure *f = &figures[i];
    if (isnan(f->value))
      snprintf(text, sizeof text, "not reached");
    else
      ig_figure_text(r->name, f->value, f->unit, text);
    if (line)
      line(user, r->name, text);
  }
  status = summary_write(chain, left, figures);
done:
  free(left);
  free(figures);
  return status;
}
