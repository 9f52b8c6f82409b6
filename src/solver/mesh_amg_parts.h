/* Multigrid on a mesh whose rows are divided between ranks (rows.h). Levels, aggregates and
   matrices are those of the whole mesh, so a cycle has the same bits on any number of ranks: each
   computes its own rows of the upper levels, and the whole of the small ones below. */
#ifndef IG_SOLVER_MESH_AMG_PARTS_H
#define IG_SOLVER_MESH_AMG_PARTS_H

#include "solver/mesh_amg.h"
#include "solver/rows.h"

typedef struct {
  ig_rows rows;
  ig_halo a, r, p; /* ghosts of: x for its rows; the residual for the next level's; x of that */
} ig_amg_part;

typedef struct ig_amg_parts {
  int divided; /* levels above this one are computed in parts; the right side of this one, too */
  ig_amg_part level[IG_AMG_LEVELS];
} ig_amg_parts;

/* Of a hierarchy that has been set up; nothing unless problem.rows says so. */
IG_MUST_CHECK ig_status ig_amg_parts_new(ig_amg *s);
void ig_amg_parts_free(ig_amg *s);

/* Rows of a level that this rank computes: all where it is not divided. */
typedef struct {
  ig_lid from, count;
} ig_amg_range;
ig_amg_range ig_amg_range_of(const ig_amg *s, int depth);

/* A right side of the finest level as a whole, where that is the coarsest, too. */
IG_MUST_CHECK ig_status ig_amg_whole(ig_amg *s, const float *b);

/* y = A x or y += A x for own rows of one of a level's matrices. Ghosts of x come first. */
IG_MUST_CHECK ig_status ig_amg_product(ig_amg *s, int depth);  /* ax = A x */
IG_MUST_CHECK ig_status ig_amg_restrict(ig_amg *s, int depth); /* next b = R ax */
IG_MUST_CHECK ig_status ig_amg_prolong(ig_amg *s, int depth);  /* x += P next x */

#endif
