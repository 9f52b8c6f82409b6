/* The grid of a case, divided between ranks where it can be: into slabs of planes along z. The
   head of divide.c has the picture. Without ranks, or where the case cannot be divided, the same
   functions give the whole grid. */
#ifndef IG_TOPOPT_GRID_DIVIDE_H
#define IG_TOPOPT_GRID_DIVIDE_H

#include "topopt/topopt.h"

/* Of the filter: its radius, m, and elements that its cone reaches along an axis. */
double ig_topopt_grid_radius(const ig_topopt_grid_model *m);
int ig_topopt_grid_reach(const ig_topopt_grid_model *m, int axis);
int ig_topopt_grid_ball_reach(const ig_topopt_grid_model *m, int axis);
ig_multigrid_options ig_topopt_grid_options(const ig_topopt_case *c);
/* Of the filter's own equation, which has multigrid in any case. */
ig_multigrid_options ig_topopt_grid_filter_options(const ig_topopt_case *c);
/* Fills m->whole, m->slab, m->grid and m->cells. */
IG_MUST_CHECK ig_status ig_topopt_grid_make(ig_topopt_grid_model *m);
/* Whether the systems of a mesh are divided between ranks, and else why not. */
bool ig_topopt_mesh_divisible(const ig_ctx *cx, const ig_topopt_case *c, ig_assembly how,
                              const char **why);
/* How ranks share a grid, and a line per rank with its planes and device memory; on rank 0. Nothing
   is built. */
IG_MUST_CHECK ig_status ig_topopt_ranks_tell(ig_ctx *cx, const ig_topopt_case *c,
                                             ig_check_line *line, void *user);

#endif
