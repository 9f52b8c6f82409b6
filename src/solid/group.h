/* Solid elements of one kind and material as a group of the implicit engine, and pressures on their
   faces as another.

   The owner keeps positions: `start` (nodes x 3) where displacements are 0, and `trial` (nodes x
   3), which it sets to the accepted positions plus the increments before the engine evaluates.
   History is that of the last accepted state; `accept` moves it on to the trial. */
#ifndef IG_SOLID_GROUP_H
#define IG_SOLID_GROUP_H

#include "implicit/system.h"
#include "solid/solid.h"

typedef struct {
  ig_ctx *cx;
  ig_solid_kind kind;
  ig_solid_law law;
  int32_t count, *node;        /* elements; count x nodes of the kind */
  const double *start, *trial; /* of all nodes, x 3; the owner's */
  const double *warm;          /* of all nodes; NULL: 0; the owner's */
  /* count x ig_solid_states; then the work of internal forces so far of each element, and its
     forces at the last accepted state: ig_solid_group_saved numbers in all */
  double *state;
  int32_t *unknown; /* count x 3 nodes */
  bool modal;       /* tangents are those of modes: ig_solid_hourglass */
} ig_solid_group;

/* Copies `node`; `dofs` unknowns per node, of which the first three are displacements.
   History starts at zero. The caller sets start, trial and warm before the first evaluation and
   frees the group with ig_solid_group_free, also after a failure. */
IG_MUST_CHECK ig_status ig_solid_group_new(ig_ctx *cx, ig_solid_kind kind, const ig_solid_law *law,
                                           int32_t count, const int32_t *node, int dofs,
                                           ig_solid_group *g);
void ig_solid_group_free(ig_solid_group *g);
/* Length of `state`, for checkpoints. */
int64_t ig_solid_group_saved(const ig_solid_group *g);
/* J, of each element: by the trapezoidal rule over the accepted steps. */
const double *ig_solid_group_work(const ig_solid_group *g);
/* Numbers the unknowns anew, `dofs` per node. */
void ig_solid_group_number(ig_solid_group *g, int dofs);
/* The group as the engine sees it; g must stay where it is. */
ig_implicit_group ig_solid_group_of(ig_solid_group *g);
/* Positions at the start, displacements of the trial and `warm` of element e (NULL: not wanted). */
void ig_solid_group_gather(const ig_solid_group *g, int32_t e, double *X, double *u, double *warm);
/* Reports of the points of element e at the trial: see ig_solid_report. */
int ig_solid_group_report(const ig_solid_group *g, int32_t e, double *out);

/* A pressure on a face of 3, 4, 6 or 8 nodes, against the outward normal. */
typedef struct {
  int nodes;
  int32_t node[8];
  double pressure;
} ig_solid_face;
typedef struct {
  int32_t count, *unknown; /* count x 24 */
  ig_solid_face *face;     /* the owner sets pressures before the engine evaluates */
  const double *start, *trial;
  bool large; /* pressures follow their faces */
} ig_solid_faces;
/* Copies `face`; `dofs` as above. Pressures may be changed in g->face between steps. */
IG_MUST_CHECK ig_status ig_solid_faces_new(ig_ctx *cx, int32_t count, const ig_solid_face *face,
                                           int dofs, ig_solid_faces *g);
void ig_solid_faces_free(ig_solid_faces *g);
ig_implicit_group ig_solid_faces_of(ig_solid_faces *g);

#endif
