/* A model on several ranks. Every rank sets up the whole model; from then on the first alone keeps
   it, to put it out, and steps are taken by another model that has the rank's part of the mesh.

     a rank owns nodes of the mesh, and every copy that is split off them
     near  elements that touch one of its nodes, and the nodes of these: forces
     far   elements that touch a near node, and the nodes of these: stresses at near nodes
     rim   elements that touch a far node: with them it is known how far nodes come apart

   Numbers in a part rise with those of the whole, also those of copies and cohesive elements, since
   both are made in the same order there: sums at a node have the order of one rank.

   After each step near nodes take their owners' displacements, before a check far nodes. The
   owner of a facet's lower element judges it; which are to open is told to all, and each opens
   those that it has. A node comes apart in the same way wherever all elements around it are known:
   on every rank for which it is far or nearer. What a cohesive element starts with hangs on the
   stress of two elements: both are far elements of every rank that computes it.

   Rigid contact of facets hangs on all forces at both nodes of a pair: there everything is known
   one layer further (near is what has a node in common with an element at an own node), and
   velocities travel too.

   Surfaces may touch anywhere: where they do, a part has all elements. Which of them come near the
   rank's own is looked up now and then (part_surface.c), with the state of all; in between the
   others' states come of those alone, and contact is computed there.

   When somebody looks at the state it is gathered on rank 0, which first opens in the whole what
   was opened since. */
#ifndef IG_FRAC_PART_H
#define IG_FRAC_PART_H

#include "core/output.h"
#include "fracture/tables.h"
#include "ranks/part.h"

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

/* Facets that were opened, check by check, as the whole numbers them: rank 0. */
typedef struct {
  int32_t *facet;
  int64_t *start; /* checks + 1 */
  int64_t checks;
} ig_frac_opened;

typedef struct ig_frac_part {
  int rank, ranks;
  int reach;           /* layers of elements around own nodes that are near: 1, rigid contact 2 */
  ig_frac_model local; /* takes the steps */
  /* elements of the part: number in the whole, rising; rank of their lowest node; layer around own
     nodes, from 1; 1 near, 2 with own nodes alone, 3 and listed in `late`; bit f: what is across
     face f is here too */
  int32_t *element, *element_owner;
  uint8_t *element_layer, *mine, *inside;
  /* nodes of the mesh in the part, which come first there: number in the whole, rising; rank; layer
     around own nodes, which have 0 */
  int32_t *mesh_node, *owner;
  uint8_t *node_layer;
  int32_t *origin, *next; /* nodes: of the mesh it was split from; the next copy of that, -1 */
  int32_t *number;        /* nodes: that of the mesh in the whole, for messages */
  int32_t *last;          /* nodes of the mesh: their last copy */
  int64_t room;           /* of origin, next and number */
  int32_t known, cracks;  /* nodes and cohesive elements that are in the lists */
  ig_frac_list elements, stressed; /* near, far and near */
  /* near ones again: those with own nodes alone, which can be computed while ghosts travel; the
     others, `outer` of them, and of the first those with a load or a cohesive element, which are
     computed again when its forces are there */
  ig_frac_list inner, late;
  int64_t outer;
  ig_frac_list touching;                /* elements at own nodes, where facets are rigid */
  bool ahead;                           /* forces of inner elements of this step are there */
  bool far_known;                       /* far nodes have their owners' displacements */
  ig_frac_list nodes, averaged, facets; /* own; near; of own elements */
  ig_frac_list cohesive, loads, marked; /* at near elements; to open */
  ig_frac_list crack_owner;             /* host: cohesive elements: rank */
  ig_frac_list own_loads;               /* host */
  /* nodes of the mesh: near; far and near; all, where surfaces touch */
  ig_frac_passing give[IG_FRAC_LAYERS], take[IG_FRAC_LAYERS];
  ig_halo halo[IG_FRAC_LAYERS]; /* the same with their copies */
  ig_halo crack_halo;           /* cohesive elements, where surfaces touch */
  /* there: facets and nodes that are looked at, nodes whose forces are needed; nodes (far ones,
     too) and cohesive elements whose states come at each step; how far two nodes may come nearer
     until that is looked up again, and how far one has moved at most since; it is to be looked up
   */
  ig_frac_list linked, pressing, reacting;
  ig_halo import, crack_import;
  double skin, moved;
  bool unseen;
  bool stale; /* the state was changed since it was gathered */
  /* rank 0: of the whole: rank of its nodes of the mesh and elements; what is not open there yet,
     and its counts without that */
  int32_t *whole_owner, *whole_element_owner;
  ig_frac_opened opened;
  ig_frac_list opening;
  ig_frac_count shown;
} ig_frac_part;

/* Divides the model between the ranks of its context; nothing if there is one. Refuses what cannot
   be divided. From then on the first rank alone has the whole model's tables. */
IG_MUST_CHECK ig_status ig_frac_part_new(ig_frac_model *m, const ig_mesh *mesh);
void ig_frac_part_free(ig_frac_model *m);
/* A line per rank. */
IG_MUST_CHECK ig_status ig_frac_part_tell(ig_frac_model *m, ig_part_line *line, void *user);
/* Whether this rank has the whole model's tables. */
static inline bool ig_frac_has_whole(const ig_frac_model *m) {
  return !m->divided || ig_ranks_first(m->cx);
}

/* Layers whose nodes are exchanged. */
static inline int ig_frac_layers(const ig_frac_model *m) {
  return m->s.surface.on ? IG_FRAC_LAYERS : IG_FRAC_ALL;
}

/* --- part_list.c: lists; items from `from` on, to the device; no room to grow any more. */
IG_MUST_CHECK ig_status ig_frac_list_add(ig_ctx *cx, ig_frac_list *l, int32_t item);
IG_MUST_CHECK ig_status ig_frac_list_put(ig_ctx *cx, ig_frac_list *l, const int32_t *items,
                                         int64_t count);
IG_MUST_CHECK ig_status ig_frac_list_push(ig_ctx *cx, ig_frac_list *l, int64_t from);
IG_MUST_CHECK ig_status ig_frac_list_fit(ig_ctx *cx, ig_frac_list *l);
/* All lists anew, from the part's tables: at the start, and after a checkpoint was read. */
IG_MUST_CHECK ig_status ig_frac_part_list(ig_frac_model *m);
/* What the last insertion made joins the lists; `own`: new nodes of this rank. */
IG_MUST_CHECK ig_status ig_frac_part_grow(ig_frac_model *m, int64_t *own);

/* --- part_model.c: the part's tables, cut out of the whole's: at first, with all that never
   changes; and from a checkpoint that all ranks have, with the counts of m. */
IG_MUST_CHECK ig_status ig_frac_part_cut(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_part_restore(ig_frac_model *m, const ig_restart *from);
void ig_frac_part_drop(ig_frac_part *p);

/* --- part_steps.c: the check of the current step and its forces; steps up to `step`; forces of
   elements alone. */
IG_MUST_CHECK ig_status ig_frac_part_begin(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_part_run(ig_frac_model *m, int64_t step);
IG_MUST_CHECK ig_status ig_frac_part_elements(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_run_list(ig_frac_model *m, ig_frac_item item,
                                         const ig_frac_list *list);
/* Opens the listed facets, and makes room. */
IG_MUST_CHECK ig_status ig_frac_open_list(ig_frac_model *m, const ig_frac_list *list);

/* --- part.c: each rank tells the owners which of their items it needs: `wanted`, in the order of
   `take`; what it is asked for itself. All ranks call it. */
IG_MUST_CHECK ig_status ig_frac_ask(ig_frac_model *m, const ig_frac_passing *take,
                                    const int32_t *wanted, ig_frac_passing *give);

/* --- part_surface.c: contact of surfaces at the current step; after nodes have moved. Both do
   nothing where there is none; all ranks call them, also one that has failed. */
IG_MUST_CHECK ig_status ig_frac_part_surfaces(ig_frac_model *m, ig_status status);
IG_MUST_CHECK ig_status ig_frac_part_moved(ig_frac_model *m, ig_status status);

/* --- part_gather.c. All ranks call these; they do nothing without ranks.
   All of the state on rank 0, where it has changed since; the whole's table of nodes to the parts
   and their ghosts. */
IG_MUST_CHECK ig_status ig_frac_gather(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_scatter(ig_frac_model *m, const char *name);
/* Rank 0 remembers what a check has opened. */
IG_MUST_CHECK ig_status ig_frac_opened_add(ig_frac_model *m, const int32_t *facet, int64_t count);

#endif
