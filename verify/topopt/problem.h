/* Problems built in C from one line of text, ready to be evaluated and updated: for verification,
   benchmarks and tests. */
#ifndef IG_TOPOPT_PROBLEM_H
#define IG_TOPOPT_PROBLEM_H

#include "topopt/topopt.h"

typedef struct {
  ig_ctx *cx;
  ig_arena *arena;
  ig_topopt_case c;
  ig_topopt_grid_model *m; /* of a grid; NULL: on a mesh */
  ig_discretisation *d;
  ig_topopt_design *s;
} ig_topopt_problem;

IG_MUST_CHECK ig_status ig_topopt_problem_open(ig_ctx *cx, const char *text, ig_topopt_problem *t);
/* The same on a mesh, which must outlive it. */
IG_MUST_CHECK ig_status ig_topopt_problem_open_mesh(ig_ctx *cx, const char *text,
                                                    const ig_mesh *mesh, ig_topopt_problem *t);
IG_MUST_CHECK ig_status ig_topopt_problem_open_how(ig_ctx *cx, const char *text,
                                                   const ig_mesh *mesh, ig_assembly how,
                                                   ig_topopt_problem *t);
/* The same with materials (of ig_material_case). */
IG_MUST_CHECK ig_status ig_topopt_problem_open_with(ig_ctx *cx, const char *text,
                                                    const ig_list *materials, const ig_mesh *mesh,
                                                    ig_assembly how, ig_topopt_problem *t);
void ig_topopt_problem_close(ig_topopt_problem *t);
/* Evaluates the design and updates it; iterations count from 1. */
IG_MUST_CHECK ig_status ig_topopt_problem_iterate(ig_topopt_problem *t, int iteration,
                                                  ig_evaluation *e);

#endif
