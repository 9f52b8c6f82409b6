/* The partition of a model: what a rank has of it, and what it exchanges.

   A model has one part per rank, and ig_dyn_model is that part. On one rank items have the numbers
   of the whole, all are own, there are no ghosts, and none of the lists below is made. Functions
   that exchange or gather are called on any number of ranks; on one they return `status`.

   On several ranks every rank makes the whole model first and takes its part from it: the rank's
   particles and every element at one of them (ranks/partition.h). The whole stays until all is set
   up (ig_dyn_part_keep). Between particles and elements of each step ghosts take their owners'
   velocities and move by them. Elements at the border are computed by several ranks, from the same
   numbers to the same numbers, so that what they remember needs no message. Particles that move as
   one, or are tied to each other, have one owner. When somebody looks at the state, numbers of own
   particles and elements go to rank 0 in pieces, in the order of the whole, and are added or
   written there as on one rank. */
#ifndef IG_DYNAMICS_PART_H
#define IG_DYNAMICS_PART_H

#include "dynamics/model/model.h"
#include "ranks/partition.h"

/* Particles (numbers of the part) that travel between this rank and others: those that go to
   rank r are give[give_start[r]] … give[give_start[r + 1] - 1], those that come from it in
   `take` likewise. Both sides list the same particles in the same order. */
typedef struct {
  int32_t *give_start, *give, *take_start, *take;
} ig_dyn_travel;

/* How the model is a part of the whole. Owned by the model (m->division). */
typedef struct ig_dyn_part {
  ig_partition part;
  ig_halo halo;                     /* of both of: */
  ig_dyn_travel ghosts, guests;     /* of elements; of surfaces that were imported */
  uint8_t *carried;                 /* particles, guests too: a body or a tie carries it */
  ig_array shift;                   /* particles of others that move by their velocities */
  struct ig_dyn_surfaces *surfaces; /* that touch; NULL: none */
  ig_dyn_model *whole; /* several ranks, until the part is set up: the undivided model; NULL */
  ig_dyn_body *bodies; /* several ranks: all bodies, as their owners had them at the last gather */
  ig_collect nodes;    /* particles */
  ig_collect cells;    /* elements */
  ig_collect *group;   /* slots of each group */
  ig_collect arms;     /* particles of bodies, in the order of the bodies */
  ig_lid **slot;       /* groups: slots of the part -> those of the whole */
  int32_t *body_owner; /* bodies of the whole: rank */
  int32_t *body, *tie; /* bodies and ties of the part: their number in the whole */
  int64_t fallen; /* own elements that do not hold any more, as others know it; -1: they do not */
} ig_dyn_part;

/* One part, which is the whole model: before it is divided, and on one rank for good. */
IG_MUST_CHECK ig_status ig_dyn_part_whole(ig_dyn_model *m);
/* Divides the model *m between the ranks of its context; nothing if there is one. *m is then this
   rank's part, which owns the whole. Refuses what cannot be divided. Collective; the whole model
   must be complete. */
IG_MUST_CHECK ig_status ig_dyn_part_new(ig_dyn_model **m);
/* All is set up: frees the whole model. */
void ig_dyn_part_keep(ig_dyn_model *m);
/* --- part_loads.c: forces and pressures on own particles, from those of the whole. */
IG_MUST_CHECK ig_status ig_dyn_part_loads(ig_dyn_model *m);
/* While the whole is there: rank of an element of the mesh. */
int32_t ig_dyn_part_owner(const ig_dyn_model *m, ig_lid element);
/* --- part_ghosts.c: lists of what travels at each step; the second makes messages of them, and
   is called again whenever the lists have changed */
IG_MUST_CHECK ig_status ig_dyn_part_ghosts(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_part_travel(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_travel_new(ig_ctx *cx, int ranks, int64_t give, int64_t take,
                                          ig_dyn_travel *t);
void ig_dyn_part_ghosts_free(ig_dyn_part *p);
/* Particles that came with surfaces of other ranks. */
int32_t ig_dyn_guests(const ig_dyn_part *p);

/* --- part_contact.c: surfaces that touch
   The own ones, from the whole; before each step: imports where that is due, and where surfaces may
   be laid open learns which elements hold. All ranks call that, also one that has failed
   (`status`), and all learn of it. */
IG_MUST_CHECK ig_status ig_dyn_part_contact(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_part_ready(ig_dyn_model *m, ig_status status);
/* After particles have moved: whether one has left the skin. */
IG_MUST_CHECK ig_status ig_dyn_part_watch(ig_dyn_model *m);
void ig_dyn_part_contact_free(ig_dyn_model *m);
/* Masses or places have changed: all ranks import before the next step; velocities have. */
void ig_dyn_part_changed(ig_dyn_model *m);
void ig_dyn_part_slowed(ig_dyn_model *m);
/* Own pieces that count as this rank's, particles and edges: the energy that contact has stored
   there; what it remembers. */
IG_MUST_CHECK ig_status ig_dyn_part_stored(ig_dyn_model *m, ig_collect_put *put, void *user);
IG_MUST_CHECK ig_status ig_dyn_part_kept(ig_dyn_model *m, ig_stream_take *take, void *user);
/* Pieces of all ranks: rows of what contact remembers. */
int64_t ig_dyn_pieces_all(const ig_dyn_model *m);
/* From that of the whole. */
void ig_dyn_kept_take(ig_dyn_model *m, const double *kept);
/* Whether triangle k of the part's skin is open, once the device's is pulled. */
bool ig_dyn_part_open(const ig_dyn_model *m, int64_t k);

/* --- engine/arrays.c: registers the arrays of a model; on several ranks makes those of the part,
   and gives them the values of the whole. IG_DYN_SEATS: the place of particles with guests. */
enum { IG_DYN_SEATS = 1 };
IG_MUST_CHECK ig_status ig_dyn_arrays_new(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_arrays_begin(ig_dyn_model *m);

/* --- part_state.c
   From the whole at the start, and from a checkpoint. */
IG_MUST_CHECK ig_status ig_dyn_part_begin(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_restore(ig_dyn_model *m, const ig_restart *from);
/* Each body from its owner to all, who read them by ig_dyn_bodies_all; and from what all have to
   its owner. The first is collective. */
IG_MUST_CHECK ig_status ig_dyn_bodies_gather(ig_dyn_model *m, ig_status status);
IG_MUST_CHECK ig_status ig_dyn_bodies_take(ig_dyn_model *m);
/* Rows of `size` bytes, one per body of the whole: each from its owner to all. Collective. */
IG_MUST_CHECK ig_status ig_dyn_bodies_share(ig_dyn_model *m, ig_status status, void *rows,
                                            size_t size);
/* Masses of ghosts from their owners. */
IG_MUST_CHECK ig_status ig_dyn_part_weights(ig_dyn_model *m, ig_status status);
/* Slots of a part's group, without pads, in the order of the whole; NULL: one after the other, with
   pads. Free *order. */
IG_MUST_CHECK ig_status ig_dyn_slots_ordered(ig_dyn_model *m, int k, ig_lid **order);

/* --- part_rows.c: numbers of all parts, in the order of the whole */

/* `row` writes those of particle n; `add` sees them one after the other, on the first rank. */
typedef void ig_dyn_particle_row(void *user, int64_t n, double *row);
typedef void ig_dyn_particle_add(void *user, const double *row);
IG_MUST_CHECK ig_status ig_dyn_particles_add(ig_dyn_model *m, ig_status status, int numbers,
                                             ig_dyn_particle_row *row, ig_dyn_particle_add *add,
                                             void *user);
/* `row` writes `size` bytes of an own element's slot in group k of the part; `put` sees them in the
   order of the whole, on the first rank. */
IG_MUST_CHECK ig_status ig_dyn_group_rows(ig_dyn_model *m, int k, size_t size, ig_collect_row *row,
                                          ig_collect_put *put, void *user, ig_status status);
/* All ranks go on, or none: returns a failure of any. Collective. */
IG_MUST_CHECK ig_status ig_dyn_agree(ig_dyn_model *m, ig_status status);
/* What the first rank has found (`status`: how it fared), to all. Collective. */
IG_MUST_CHECK ig_status ig_dyn_share(ig_dyn_model *m, ig_status status, void *bytes, size_t size);
/* Of numbers that are not negative the largest of all ranks, to all; at most four. Collective. */
IG_MUST_CHECK ig_status ig_dyn_most(ig_dyn_model *m, ig_status status, double *values, int count);
/* Device memory as the host sees it: itself, or a copy. Free *own. */
IG_MUST_CHECK ig_status ig_dyn_seen(ig_ctx *cx, const void *dev, size_t bytes, void **own,
                                    const void **host);
/* Totals of rows that come in pieces, with the bits of ig_dyn_ops.totals of all of them. On a
   CPU one sum per column (`sums` 1) with its rounding error in `lost`; on a GPU as many as
   threads. */
typedef struct {
  int columns;
  int64_t rows, sums;
  double *sum, *lost;
} ig_dyn_totals;
IG_MUST_CHECK ig_status ig_dyn_totals_new(ig_ctx *cx, int columns, ig_dyn_totals *t);
void ig_dyn_totals_add(ig_dyn_totals *t, const double *rows, int64_t count);
void ig_dyn_totals_end(ig_dyn_totals *t, double *total); /* and frees it; total NULL: only that */

/* Whether the model is the whole: on one rank, and until it is divided. */
static inline bool ig_dyn_alone(const ig_dyn_model *m) {
  return m->division->part.ranks == 1;
}

/* The whole model with its mesh and sets, while it is there. */
static inline ig_dyn_model *ig_dyn_whole(ig_dyn_model *m) {
  return ig_dyn_alone(m) ? m : m->division->whole;
}

/* Of all parts: particles; bodies, once gathered (as many as the case has). */
static inline int64_t ig_dyn_nodes_all(const ig_dyn_model *m) {
  return ig_dyn_alone(m) ? m->p.nodes : m->division->nodes.whole_count;
}
static inline ig_dyn_body *ig_dyn_bodies_all(const ig_dyn_model *m) {
  return ig_dyn_alone(m) ? m->carried.body.host : m->division->bodies;
}

/* Slots of group k with pads, as one rank has them. */
static inline int64_t ig_dyn_slots_all(const ig_dyn_model *m, int k) {
  const int64_t B = IG_DYN_BLOCK;
  return ig_dyn_alone(m) ? m->group[k].slots : (m->group[k].whole + B - 1) / B * B;
}

/* Whether surfaces, and edges, touch on some rank. */
static inline bool ig_dyn_touches(const ig_dyn_model *m) {
  return m->contact.touch.dev != NULL;
}
static inline bool ig_dyn_edges_touch(const ig_dyn_model *m) {
  return m->contact.edge_length.dev != NULL;
}

/* Whether this rank owns particle n of the part. */
static inline bool ig_dyn_owns(const ig_dyn_model *m, int64_t n) {
  return ig_dyn_alone(m) || !m->division->part.ghost[n];
}

/* Numbers in the whole model of particle n, element e and body k of the part. */
static inline int64_t ig_dyn_node_number(const ig_dyn_model *m, int64_t n) {
  return ig_dyn_alone(m) ? n : m->division->part.node[n];
}
static inline ig_lid ig_dyn_element_number(const ig_dyn_model *m, ig_lid e) {
  return ig_dyn_alone(m) ? e : m->division->part.element[e];
}
static inline int ig_dyn_body_number(const ig_dyn_model *m, int k) {
  return ig_dyn_alone(m) ? k : m->division->body[k];
}

/* The reverse, while the whole is there: numbers in the part of a particle and of an element of
   this rank; and the rank of a particle. */
static inline ig_lid ig_dyn_node_here(const ig_dyn_model *m, ig_lid n) {
  return ig_dyn_alone(m) ? n : m->division->part.local[n];
}
static inline ig_lid ig_dyn_element_here(const ig_dyn_model *m, ig_lid e) {
  return ig_dyn_alone(m) ? e : ig_partition_element(&m->division->part, e);
}
static inline int32_t ig_dyn_node_owner(const ig_dyn_model *m, ig_lid n) {
  return ig_dyn_alone(m) ? 0 : m->division->part.owner[n];
}

#endif
