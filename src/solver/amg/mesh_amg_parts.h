/* Multigrid on a mesh whose rows are divided between ranks (rows.h). Levels and aggregates are
   those of the whole mesh, so a cycle has the same bits on any number of ranks: each computes its
   own rows of the upper levels, and the whole of the small ones below.

   Of a divided level a rank holds its own rows of A, those and the ghosts' that it needs of P and
   A P, and its own rows of R on the next level; of vectors what these read. It has numbers of its
   own for rows and columns, which rise as the whole's do, so that sums keep their order. */
#ifndef IG_SOLVER_AMG_MESH_AMG_PARTS_H
#define IG_SOLVER_AMG_MESH_AMG_PARTS_H

#include "solver/amg/mesh_amg.h"
#include "solver/krylov/rows.h"

/* A level as one rank sees it, see the head of this file. Two numberings: of the whole, in which
   own rows are a range (rows.from to rows.to), and the rank's, in which they begin at `at`; before
   ig_amg_cut the second is the first. */
typedef struct {
  ig_rows rows; /* of the whole level */

  ig_lid at;       /* this rank's number of its first own row */
  ig_halo a, r, p; /* ghosts of: x for its rows; the residual for the next level's; x of that */
  ig_halo p_rows, ap_rows;           /* blocks of ghost rows */
  ig_lid p_own[2], ap_own[2];        /* own blocks */
  int64_t width_a, width_r, width_p; /* blocks of a mean row of the whole */
} ig_amg_part;

typedef struct ig_amg_parts {
  int divided;    /* levels above this one are computed in parts; the right side of this one, too */
  bool cut;       /* a rank has its part of the finest alone, or of all */
  ig_rows blocks; /* of the matrix of level `divided`, by the ranks that make them */
  /* of a finest level that was cut first: x of the next level for P, by numbers of the whole */
  ig_halo_pairs give, take;
  ig_amg_part level[IG_AMG_LEVELS];
} ig_amg_parts;

/* Of a hierarchy that has been set up; nothing unless problem.rows says so. After it levels are
   divided, but every rank still holds all of them, until ig_amg_cut. Collective. */
IG_MUST_CHECK ig_status ig_amg_parts_new(ig_amg *s);
/* With problem.cut, in this order: the finest level is cut when the pattern of the next one is
   there, the next levels are made, all are divided (ig_amg_parts_new), the rest is cut. Collective.
 */
IG_MUST_CHECK ig_status ig_amg_cut_finest(ig_amg *s);
IG_MUST_CHECK ig_status ig_amg_cut_rest(ig_amg *s);
void ig_amg_parts_free(ig_amg *s);

/* The rows of levels from ... to, of which level `from` - 1 has them. */
IG_MUST_CHECK ig_status ig_amg_rows_make(ig_amg *s, int from, int to);
/* Parts with the rows of the finest level. */
IG_MUST_CHECK ig_status ig_amg_parts_begin(ig_amg *s);
/* a, b become the sums of all ranks'. */
IG_MUST_CHECK ig_status ig_amg_join(ig_amg *s, double *a, double *b);
/* Patterns and prolongators of levels from ... to - 1 on the host, too: ranks cut them there. */
IG_MUST_CHECK ig_status ig_amg_show(ig_amg *s, int from, int to);
/* Own rows of a matrix of a level. */
ig_bsr ig_amg_own_rows(const ig_amg *s, int depth, const ig_bsr *all);

/* Rows of a level that this rank computes: all where it is not divided. */
typedef struct {
  ig_lid from, count;
} ig_amg_range;
ig_amg_range ig_amg_range_of(const ig_amg *s, int depth);
static inline bool ig_amg_divided(const ig_amg *s, int depth) {
  return s->parts && depth < s->parts->divided;
}

/* y = A x or y += A x for own rows of one of a level's matrices. Ghosts of x come first. */
IG_MUST_CHECK ig_status ig_amg_product(ig_amg *s, int depth);  /* ax = A x */
IG_MUST_CHECK ig_status ig_amg_restrict(ig_amg *s, int depth); /* next b = R ax */
IG_MUST_CHECK ig_status ig_amg_prolong(ig_amg *s, int depth);  /* x += P next x */

#endif
