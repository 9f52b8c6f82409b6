/* Problems built in C, from text. */
#include "verify/topopt/problem.h"

#include <string.h>

ig_status ig_topopt_problem_open(ig_ctx *cx, const char *text, ig_topopt_problem *t) {
  return ig_topopt_problem_open_mesh(cx, text, NULL, t);
}

ig_status ig_topopt_problem_open_mesh(ig_ctx *cx, const char *text, const ig_mesh *mesh,
                                      ig_topopt_problem *t) {
  return ig_topopt_problem_open_how(cx, text, mesh, ig_topopt_mesh_model_assembly(cx), t);
}

ig_status ig_topopt_problem_open_how(ig_ctx *cx, const char *text, const ig_mesh *mesh,
                                     ig_assembly how, ig_topopt_problem *t) {
  return ig_topopt_problem_open_with(cx, text, NULL, mesh, how, t);
}

ig_status ig_topopt_problem_open_with(ig_ctx *cx, const char *text, const ig_list *materials,
                                      const ig_mesh *mesh, ig_assembly how, ig_topopt_problem *t) {
  memset(t, 0, sizeof *t);
  t->cx = cx;
  const ig_src at = {.file = "built-in case", .given = true};
  ig_node *node;
  ig_status status;
  IG_TRY_GOTO(status, failed, ig_arena_new(cx, &t->arena));
  IG_TRY_GOTO(status, failed, ig_node_parse(cx, t->arena, text, at, &node));
  const ig_option_table table = {ig_topopt_options, &t->c};
  IG_TRY_GOTO(status, failed, ig_options_read(cx, t->arena, node, &table, 1));
  IG_TRY_GOTO(status, failed, ig_topopt_unused(cx, &t->c, NULL));
  if (mesh) {
    IG_TRY_GOTO(status, failed, ig_topopt_mesh_model_new(cx, &t->c, materials, mesh, how, &t->d));
  } else {
    IG_TRY_GOTO(status, failed, ig_topopt_grid_model_new(cx, &t->c, materials, &t->m));
    t->d = &t->m->d;
  }
  IG_TRY_GOTO(status, failed, ig_topopt_design_new(cx, &t->c, t->d, &t->s));
  return IG_OK;
failed:
  ig_topopt_problem_close(t);
  return status;
}

void ig_topopt_problem_close(ig_topopt_problem *t) {
  ig_topopt_design_free(t->s);
  if (t->d)
    t->d->free(t->d->self);
  ig_arena_free(t->arena);
  memset(t, 0, sizeof *t);
}

ig_status ig_topopt_problem_iterate(ig_topopt_problem *t, int iteration, ig_evaluation *e) {
  ig_topopt_design_continue(&t->c, iteration, e);
  IG_TRY(ig_topopt_design_evaluate(t->s, e));
  return ig_topopt_design_update(t->s, e);
}
