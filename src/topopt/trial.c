/* Cases from text. */
#include "topopt/trial.h"

#include <string.h>

ig_status ig_trial_open(ig_ctx *cx, const char *text, ig_trial *t) {
  memset(t, 0, sizeof *t);
  t->cx = cx;
  const ig_src at = {.file = "built-in case"};
  ig_node *node;
  ig_status status;
  IG_TRY_GOTO(status, failed, ig_arena_new(cx, &t->arena));
  IG_TRY_GOTO(status, failed, ig_node_parse(cx, t->arena, text, at, &node));
  const ig_option_table table = {ig_topopt_options, &t->c};
  IG_TRY_GOTO(status, failed, ig_options_read(cx, t->arena, node, &table, 1));
  IG_TRY_GOTO(status, failed, ig_grid_model_new(cx, &t->c, NULL, &t->m));
  IG_TRY_GOTO(status, failed,
              ig_design_new(cx, &t->c, &t->m->d, &t->m->loading, t->m->solid, &t->s));
  return IG_OK;
failed:
  ig_trial_close(t);
  return status;
}

void ig_trial_close(ig_trial *t) {
  ig_design_free(t->s);
  ig_grid_model_free(t->m);
  ig_arena_free(t->arena);
  memset(t, 0, sizeof *t);
}

ig_status ig_trial_iterate(ig_trial *t, int iteration, ig_evaluation *e) {
  ig_design_continue(&t->c, iteration, e);
  IG_TRY(ig_design_evaluate(t->s, e));
  return ig_design_update(t->s, e);
}
