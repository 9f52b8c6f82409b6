/* A model on several ranks. Every rank has all tables and the whole mesh, with the numbers of a run
   on one rank; it computes what hangs on its own nodes.

     a rank owns nodes of the mesh, and every copy that is split off them
     near  elements that touch one of its nodes, and the nodes of these: forces
     far   elements that touch a near node, and the nodes of these: stresses at near nodes

   After each step near nodes take their owners' displacements, before a check far nodes too. Each
   rank then judges the facets of its near elements; which are to open is told to all, and all open
   them alike: nodes and cohesive elements get the same numbers everywhere, by the same passes as on
   one rank. What a cohesive element starts with hangs on the stress of two elements: both are far
   elements of every rank that computes it.

   Rigid contact of facets hangs on all forces at both nodes of a pair: there everything is known
   one layer further (near is what has a node in common with an element at an own node), and
   velocities travel too.

   Surfaces may touch anywhere: where they do, all ranks have displacements and velocities of all
   nodes and the state of all cohesive elements at each step, and each computes all of the contact.

   When somebody looks at the state it is gathered on rank 0. */
#ifndef IG_FRAC_PART_H
#define IG_FRAC_PART_H

#include "fracture/tables.h"
#include "ranks/part.h"

enum { IG_FRAC_RANKS = 64 }; /* at most: sets of ranks are bits */
enum { IG_FRAC_NEAR, IG_FRAC_FAR, IG_FRAC_ALL, IG_FRAC_LAYERS };

/* Numbers of items, on both sides; `count` of them are in use. */
typedef struct {
  ig_array a;
  int64_t count;
} ig_frac_list;

/* Nodes that pass to or from each rank, from start[rank] on. */
typedef struct {
  int32_t *start, *node;
} ig_frac_passing;

typedef struct ig_frac_part {
  int rank, ranks;
  int32_t *owner;         /* nodes of the mesh: rank */
  uint64_t *near, *far;   /* nodes of the mesh: ranks for which they are near, far or near */
  int32_t *element_owner; /* elements: rank of their lowest node */
  uint8_t *mine;          /* elements: 1 near, 2 with own nodes alone, 3 and listed in `joint` */
  int32_t *origin, *next; /* nodes: of the mesh it was split from; the next copy of that, -1 */
  int32_t *last;          /* nodes of the mesh: their last copy */
  int64_t room;           /* of origin and next */
  int32_t known, cracks;  /* nodes and cohesive elements that are in the lists */
  ig_frac_list elements, stressed; /* near, far and near */
  /* near ones again: those with own nodes alone, which can be computed while ghosts travel; the
     others; of the first those with a load or a cohesive element, which wait for its forces */
  ig_frac_list inner, outer, joint;
  ig_frac_list touching;                /* elements at own nodes, where facets are rigid */
  bool ahead;                           /* forces of inner elements of this step are there */
  ig_frac_list nodes, averaged, facets; /* own; near; of near elements */
  ig_frac_list cohesive, loads, marked; /* at near elements; to open, of all ranks */
  ig_frac_list crack_owner;             /* host: cohesive elements: rank */
  /* nodes of the mesh: near; far and near; all, where surfaces touch */
  ig_frac_passing give[IG_FRAC_LAYERS], take[IG_FRAC_LAYERS];
  ig_halo halo[IG_FRAC_LAYERS]; /* the same with their copies */
  ig_halo crack_halo;           /* cohesive elements, where surfaces touch */
  bool stale;                   /* the state was changed since it was gathered */
} ig_frac_part;

/* Divides the model between the ranks of its context; nothing if there is one. Refuses what cannot
   be divided. */
IG_MUST_CHECK ig_status ig_frac_part_new(ig_frac_model *m, const ig_mesh *mesh);
void ig_frac_part_free(ig_frac_model *m);
/* A line per rank. */
IG_MUST_CHECK ig_status ig_frac_part_tell(ig_frac_model *m, ig_part_line *line, void *user);
/* All lists anew, from the tables: at the start, and after a checkpoint was read. */
IG_MUST_CHECK ig_status ig_frac_part_list(ig_frac_model *m);
/* What the last insertion made joins the lists. */
IG_MUST_CHECK ig_status ig_frac_part_grow(ig_frac_model *m);
/* The check of the current step and its forces; steps up to `step`. */
IG_MUST_CHECK ig_status ig_frac_part_begin(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_part_run(ig_frac_model *m, int64_t step);
/* All of the state on rank 0, where it has changed since; nothing without ranks. All ranks call it.
 */
IG_MUST_CHECK ig_status ig_frac_gather(ig_frac_model *m);

#endif
