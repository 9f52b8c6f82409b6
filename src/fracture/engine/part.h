/* The partition of a model: which items a rank computes, and what it exchanges.

   A model has the tables of one part of the mesh. On one rank the part is the whole mesh: items
   have the numbers of the whole, all are own, there are no ghosts, and none of the lists below is
   made. On several ranks every rank sets up the whole model, and ig_frac_part_new cuts its tables
   down to the rank's part:

     a rank owns nodes of the mesh, and every copy that is split off them
     near  elements that touch one of its nodes, and the nodes of these: forces
     far   elements that touch a near node, and the nodes of these: stresses at near nodes
     rim   elements that touch a far node: with them it is known how far nodes come apart

   The owner of an element is that of its lowest node. Numbers in a part rise with those of the
   whole, also those of copies and cohesive elements, since both are made in the same order there:
   sums at a node have the order of one rank, and so its bits.

   After each step near nodes take their owners' displacements, before a check far nodes. The owner
   of a facet's lower element checks it against its strength. The facets to open are sent to all
   ranks, and each opens those of its part. A node comes apart in the same way wherever all elements
   around it are known: on every rank for which it is far or nearer. The initial state of a cohesive
   element depends on the stress of two elements: both are far elements of every rank that computes
   it. New nodes and cohesive elements get their numbers in the whole from the sorted list of all
   that came apart (part_number.c), so that every rank knows the numbers of its far nodes.

   Rigid contact of facets depends on all forces at both nodes of a pair: there everything is known
   one layer further (near is what has a node in common with an element at an own node), and
   velocities are exchanged too. Surfaces may touch anywhere: each rank has a copy of all surfaces
   near its own (part_surface.h), in which contact is computed.

   Functions declared here that exchange or gather are called by all ranks in the same order, also
   by one that has failed (`status`). On one rank they do nothing and return `status`. */
#ifndef IG_FRAC_PART_H
#define IG_FRAC_PART_H

#include "core/array.h"
#include "core/output.h"
#include "fracture/kernels/state.h"
#include "ranks/partition.h"

typedef struct ig_frac_model ig_frac_model;

enum { IG_FRAC_NEAR, IG_FRAC_FAR, IG_FRAC_LAYERS };

/* Numbers of items, on both sides; `count` of them are in use.
   `count` grows, a.count is the room. Host and device side; the device is brought up to date by
   ig_frac_list_push. */
typedef struct {
  ig_array a;
  int64_t count;
} ig_frac_list;

/* Nodes that pass to or from each rank, from start[rank] on.

   start: ranks + 1 entries; node: numbers in the part. Both sides of a pair list the same nodes
   in the same order. */
typedef struct {
  int32_t *start, *node;
} ig_frac_passing;

/* Sizes of the whole, all parts together. */
typedef struct {
  int32_t elements, mesh_nodes, loads;
  ig_frac_count count;
} ig_frac_total;

typedef struct {
  int rank, ranks;     /* ranks 1: the part is the whole, and nothing below is used */
  ig_frac_total total; /* use ig_frac_counts and ig_frac_all (model.h), which know one rank too */
  int reach;           /* layers of elements around own nodes that are near: 1, rigid contact 2 */

  /* elements of the part: number in the whole, rising; owner; layer around own nodes, from 1; 1
     near, 2 with own nodes alone, 3 and listed in `late`; bit f: what is across face f is here */
  int32_t *element, *element_owner;
  uint8_t *element_layer, *mine, *inside;
  /* nodes of the mesh in the part, which come first there: number in the whole, rising; owner;
     layer around own nodes, which have 0; last copy */
  int32_t *mesh_node, *owner, *last;
  uint8_t *node_layer;
  /* nodes: the one of the mesh it was split from, its number in the whole (for messages); the next
     copy of that, -1; own number in the whole, -1: not known (beyond far ones); so much later
     begins their stretch of `list` in the whole */
  int32_t *origin, *number, *next, *node, *shift;
  int64_t room;              /* of these five */
  ig_frac_list crack_owner;  /* host: cohesive elements: owner */
  ig_frac_list crack_number; /* host: cohesive elements: number in the whole */
  int32_t *load_number;      /* loaded faces: number in the whole */
  int32_t known, cracks;     /* nodes and cohesive elements that are in the lists */
  ig_collect own;            /* own items of a place, when asked for (arrays.c) */

  /* What passes run over. Elements: near; near and far. Near ones again: those with own nodes
     alone, which are computed while ghosts travel (`inner`); the others, `outer` of them, and of
     the first those with a load or a cohesive element, which are computed again when its forces are
     there (`late`). Elements at own nodes, where facets are rigid (`touching`). */
  ig_frac_list elements, stressed, inner, late, touching;
  int64_t outer;
  ig_frac_list nodes, averaged, facets; /* own; near; of own elements */
  ig_frac_list cohesive, loads;         /* at near elements */
  ig_frac_list own_loads;               /* host */
  ig_frac_list marked;                  /* facets to open */
  ig_frac_list splits; /* host: of the last check: node touched, its first copy, copies */
  bool ahead;          /* forces of inner elements of this step are there */
  bool far_known;      /* far nodes have their owners' displacements */

  /* Ghosts: nodes of the mesh, near; far and near; and the same with their copies. */
  ig_frac_passing give[IG_FRAC_LAYERS], take[IG_FRAC_LAYERS];
  ig_halo halo[IG_FRAC_LAYERS];
  struct ig_frac_contact *contact; /* surfaces that touch (part_surface.h); NULL: none do */
  bool unseen;                     /* which are near is to be found out, on all ranks alike */
} ig_frac_part;

/* Numbers of items in the whole; whether an element is the rank's own. */
static inline int32_t ig_frac_node_number(const ig_frac_part *p, int32_t n) {
  return p->node ? p->node[n] : n;
}
static inline int32_t ig_frac_mesh_number(const ig_frac_part *p, int32_t n) { /* of the mesh */
  return p->mesh_node ? p->mesh_node[n] : n;
}
static inline int32_t ig_frac_element_number(const ig_frac_part *p, int32_t e) {
  return p->element ? p->element[e] : e;
}
static inline int32_t ig_frac_element_owner(const ig_frac_part *p, int32_t e) {
  return p->element_owner ? p->element_owner[e] : p->rank;
}

/* --- part.c: divides the model between the ranks of its context. Refuses what cannot be divided.
   From then on no rank has the tables of the whole. */
IG_MUST_CHECK ig_status ig_frac_part_new(ig_frac_model *m, const ig_mesh *mesh);
void ig_frac_part_free(ig_frac_model *m);
/* A line per rank. */
IG_MUST_CHECK ig_status ig_frac_part_tell(ig_frac_model *m, ig_partition_line *line, void *user);

/* --- part_model.c: the part's tables. Cut out of those of the whole, which the model has until
   then; and all that a checkpoint has of them, with its counts. */
IG_MUST_CHECK ig_status ig_frac_part_cut(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_part_restore(ig_frac_model *m, const ig_frac_count *count,
                                             const ig_restart *from);

/* --- part_list.c: lists; items from `from` on, to the device; no room to grow any more. */
IG_MUST_CHECK ig_status ig_frac_list_add(ig_ctx *cx, ig_frac_list *l, int32_t item);
IG_MUST_CHECK ig_status ig_frac_list_put(ig_ctx *cx, ig_frac_list *l, const int32_t *items,
                                         int64_t count);
IG_MUST_CHECK ig_status ig_frac_list_push(ig_ctx *cx, ig_frac_list *l, int64_t from);
IG_MUST_CHECK ig_status ig_frac_list_fit(ig_ctx *cx, ig_frac_list *l);
/* All lists anew, from the part's tables: at the start, and after a checkpoint was read. */
IG_MUST_CHECK ig_status ig_frac_part_list(ig_frac_model *m);
/* Room for so many nodes in the lists of the part. */
IG_MUST_CHECK ig_status ig_frac_nodes_room(ig_frac_model *m, int64_t count);
/* What the last insertion made joins the lists. */
IG_MUST_CHECK ig_status ig_frac_part_grow(ig_frac_model *m);

/* --- part_number.c: numbers in the whole. */
/* Of all nodes and cohesive elements of the part, when it is made anew. */
IG_MUST_CHECK ig_status ig_frac_numbers_put(ig_frac_model *m, const int32_t *node,
                                            const int32_t *cohesive);
/* What came apart in the last check gets its numbers; of the whole: new nodes, nodes of facets that
   opened. */
IG_MUST_CHECK ig_status ig_frac_numbers_grow(ig_frac_model *m, ig_status status, int64_t *split,
                                             int64_t *touched);
/* Nodes of the part whose number is known: those numbers, rising, and their own in the part; both
   are freed by the caller. */
IG_MUST_CHECK ig_status ig_frac_numbers_known(ig_frac_model *m, int32_t **whole, int32_t **local,
                                              int32_t *count);

/* --- part_steps.c: between passes of a step. Far nodes take their owners' values, if they do not
   have them; marked facets open on all ranks that have them; after a step ghosts take their owners'
   values, `checked`: before a check, in two calls, with work in between that needs no ghosts. */
IG_MUST_CHECK ig_status ig_frac_part_far(ig_frac_model *m, ig_status status);
IG_MUST_CHECK ig_status ig_frac_part_insert(ig_frac_model *m, ig_status status);
IG_MUST_CHECK ig_status ig_frac_part_send(ig_frac_model *m, bool checked, ig_status status);
IG_MUST_CHECK ig_status ig_frac_part_receive(ig_frac_model *m, bool checked, ig_status status);
/* Near nodes take their owners' velocities, which steps need of own ones alone. */
IG_MUST_CHECK ig_status ig_frac_part_speeds(ig_frac_model *m);
/* Sums of the rows that figures are made of, on all ranks (part_rows.c). Several ranks alone. */
IG_MUST_CHECK ig_status ig_frac_part_sums(ig_frac_model *m, double sum[IG_FRAC_SUMS]);

/* --- part_surface.c: contact of surfaces at the current step; after nodes have moved. Both do
   nothing where there is none. Several ranks alone, as ig_frac_surface_watch of all ranks. */
IG_MUST_CHECK ig_status ig_frac_part_surfaces(ig_frac_model *m, ig_status status);
IG_MUST_CHECK ig_status ig_frac_part_moved(ig_frac_model *m, ig_status status);
IG_MUST_CHECK ig_status ig_frac_part_watch(ig_frac_model *m, double *deepest);
void ig_frac_contact_free(ig_frac_model *m);

#endif
