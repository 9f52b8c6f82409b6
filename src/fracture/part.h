/* A model on several ranks. Every rank sets up the whole model and lets go of it; steps are taken
   by another model that has the rank's part of the mesh.

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

   Surfaces may touch anywhere: where they may, a rank has a copy of all surfaces near its own
   (part_surface.h), in which contact is computed.

   Copies of nodes have numbers in the whole, too: which nodes came apart, and into how many, is
   told to all, and all count. So a rank knows the number of each far or nearer node.

   When somebody looks at the state, rows of own nodes and elements go to rank 0 in pieces, in the
   order of the whole, and are added up or written as they come (part_rows.c). */
#ifndef IG_FRAC_PART_H
#define IG_FRAC_PART_H

#include "core/output.h"
#include "fracture/tables.h"
#include "ranks/part.h"

enum { IG_FRAC_NEAR, IG_FRAC_FAR, IG_FRAC_LAYERS };

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
  int32_t *whole;         /* nodes: their own number there; -1: not known (beyond far ones) */
  int32_t *shift;         /* nodes: their stretch of `list` begins so much later in the whole */
  int32_t *last;          /* nodes of the mesh: their last copy */
  int64_t room;           /* of the lists of nodes */
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
  ig_frac_list crack_number;            /* host: the same: number in the whole */
  ig_frac_list splits;    /* host: of the last check: node touched, its first copy, copies */
  ig_frac_list own_loads; /* host */
  int32_t *load_number;   /* loads of the part: number in the whole */
  /* nodes of the mesh: near; far and near */
  ig_frac_passing give[IG_FRAC_LAYERS], take[IG_FRAC_LAYERS];
  ig_halo halo[IG_FRAC_LAYERS];    /* the same with their copies */
  struct ig_frac_contact *contact; /* surfaces that touch (part_surface.h); NULL: none do */
  bool unseen;                     /* which are near is to be found out, on all ranks alike */
} ig_frac_part;

/* Divides the model between the ranks of its context; nothing if there is one. Refuses what cannot
   be divided. From then on nobody has the whole model's tables. */
IG_MUST_CHECK ig_status ig_frac_part_new(ig_frac_model *m, const ig_mesh *mesh);
void ig_frac_part_free(ig_frac_model *m);
/* A line per rank. */
IG_MUST_CHECK ig_status ig_frac_part_tell(ig_frac_model *m, ig_part_line *line, void *user);
/* The model that has tables, with the numbers of its items in the whole. */
static inline ig_frac_model *ig_frac_holder(ig_frac_model *m) {
  return m->divided ? &m->divided->local : m;
}
static inline int32_t ig_frac_node_number(const ig_frac_model *m, int32_t n) {
  return m->divided ? m->divided->whole[n] : n;
}

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

/* --- part_model.c: items of the whole. */
int64_t ig_frac_items(const ig_frac_model *m, ig_frac_per per);
/* The part's tables, cut out of the whole's: at first, with all that never
   changes; and from a checkpoint that all ranks have, with the counts of m. */
IG_MUST_CHECK ig_status ig_frac_part_cut(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_part_restore(ig_frac_model *m, const ig_restart *from);
void ig_frac_part_drop(ig_frac_part *p);

/* --- part_steps.c: the check of the current step and its forces; steps up to `step`; forces of
   elements alone. */
IG_MUST_CHECK ig_status ig_frac_part_begin(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_part_run(ig_frac_model *m, int64_t step);
IG_MUST_CHECK ig_status ig_frac_part_elements(ig_frac_model *m);
/* What own nodes show, and stresses of near elements; near nodes take their owners' velocities,
   which steps need of own ones alone (nothing without ranks). */
IG_MUST_CHECK ig_status ig_frac_part_show(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_part_stress(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_part_speeds(ig_frac_model *m);
/* passes.c: an item over a list. */
IG_MUST_CHECK ig_status ig_frac_run_list(ig_frac_model *m, ig_frac_item item,
                                         const ig_frac_list *list);
/* Opens the listed facets, and makes room. */
IG_MUST_CHECK ig_status ig_frac_open_list(ig_frac_model *m, const ig_frac_list *list);

/* --- part_surface.c: contact of surfaces at the current step; after nodes have moved. Both do
   nothing where there is none; all ranks call them, also one that has failed. */
IG_MUST_CHECK ig_status ig_frac_part_surfaces(ig_frac_model *m, ig_status status);
IG_MUST_CHECK ig_status ig_frac_part_moved(ig_frac_model *m, ig_status status);
/* ig_frac_surface_watch of all ranks. */
IG_MUST_CHECK ig_status ig_frac_part_watch(ig_frac_model *m, double *deepest);
void ig_frac_contact_free(ig_frac_model *m);

/* --- part_rows.c: rows of all items of a kind, `size` bytes each, in the order of the whole. `row`
   writes that of an item of the model that has the tables (ig_frac_holder); `put` sees them on the
   first rank. All ranks call it, also one that has failed. */
IG_MUST_CHECK ig_status ig_frac_stream(ig_frac_model *m, ig_frac_per per, size_t size,
                                       ig_collect_row *row, ig_collect_put *put, void *user,
                                       ig_status status);
/* Sums of the rows that figures are made of, on all ranks. */
IG_MUST_CHECK ig_status ig_frac_part_sums(ig_frac_model *m, double sum[IG_FRAC_SUMS]);

/* --- part_state.c: a checkpoint of the tables of all parts, and of what all ranks have: `own`. */
enum { IG_FRAC_SAVED = 3 };
IG_MUST_CHECK ig_status ig_frac_part_save(ig_frac_model *m, const ig_saved *own, int count,
                                          ig_sink *to);

/* --- probe.c: ranks keep their own nodes and elements of what probes look at. */
IG_MUST_CHECK ig_status ig_frac_probes_divide(ig_frac_model *m);

#endif
