/* A model on several ranks. Every rank makes the whole model; once it is set up the first alone
   keeps it, from which masses and what is put out are made. Steps are taken by another model that
   has the rank's particles and every element at one of them (ranks/part.h); between particles and
   elements of each step ghosts take their owners' velocities and move by them. Elements at the
   border are computed by several ranks, from the same numbers to the same numbers, so that what
   they remember needs no message. Particles that move as one, or are tied to each other, have one
   owner. When somebody looks at the state it is gathered into the whole model of rank 0, whose sums
   have the bits of a run on one rank. */
#ifndef IG_DYNAMICS_PART_H
#define IG_DYNAMICS_PART_H

#include "dynamics/model.h"
#include "ranks/part.h"

/* Particles (of the part) that travel between this rank and others, those of rank r from start[r]
   on. */
typedef struct {
  int32_t *give_start, *give, *take_start, *take;
} ig_dyn_travel;

typedef struct ig_dyn_part {
  ig_part part;
  ig_halo halo;                     /* of both of: */
  ig_dyn_travel ghosts, guests;     /* of elements; of surfaces that were imported */
  uint8_t *carried;                 /* particles, guests too: a body or a tie carries it */
  ig_array shift;                   /* particles of others that move by their velocities */
  struct ig_dyn_surfaces *surfaces; /* that touch; NULL: none */
  ig_dyn_model *local; /* the part's; elements of its groups that others own are -1 there */
  ig_collect nodes;    /* particles */
  ig_collect cells;    /* elements; in the part, too, by their number in the whole */
  ig_collect *group;   /* slots of each group */
  ig_lid **slot;       /* groups: slots of the part -> those of the whole */
  int32_t *body_owner; /* bodies of the whole: rank */
  /* bodies, ties, forces and pressure faces of the part: their number in the whole */
  int32_t *body, *tie, *force, *face;
  int64_t fallen; /* own elements that do not hold any more, as told to others; -1: not told */
  bool stale;     /* steps were taken since the whole model's particles were gathered */
  bool apart;     /* the first rank alone has the whole */
} ig_dyn_part;

/* Divides the model between the ranks of its context; nothing if there is one. Refuses what cannot
   be divided. */
IG_MUST_CHECK ig_status ig_dyn_part_new(ig_dyn_model *m);
void ig_dyn_part_free(ig_dyn_model *m);
/* All is set up: ranks but the first let go of the whole model's state and elements. What hangs on
   them is then the first one's to do (ig_dyn_has_whole), and all take what it found. */
void ig_dyn_part_keep(ig_dyn_model *m);
/* --- part_ghosts.c: what travels at each step; the second after the lists have changed */
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
/* Gaps that grow, and which surfaces are open: to the whole on rank 0, and from it. */
IG_MUST_CHECK ig_status ig_dyn_gather_reach(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_scatter_reach(ig_dyn_model *m);

/* Steps of the part; the whole model's clock follows. */
IG_MUST_CHECK ig_status ig_dyn_part_advance(ig_dyn_model *m, int64_t steps);

/* What follows does nothing without ranks. All ranks call it.

   From all parts to the whole: particles (and bodies, on all ranks) where steps were taken since;
   the state of elements, on the host; which elements hold; the reports of group k that the parts
   have made, IG_DYN_PIECE at a time; their energies, a pair per slot, in the whole's scratch. On
   rank 0. */
IG_MUST_CHECK ig_status ig_dyn_gather(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_gather_states(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_gather_alive(ig_dyn_model *m);
enum { IG_DYN_PIECE = 1 << 14 };
IG_MUST_CHECK ig_status ig_dyn_gather_reports(ig_dyn_model *m, int k, ig_collect_take *take,
                                              void *user);
IG_MUST_CHECK ig_status ig_dyn_gather_energies(ig_dyn_model *m, int k);
/* What elements of the whole remember is nowhere once parts are made. Where a checkpoint is written
   or read the first rank has it for that long, on the host. */
IG_MUST_CHECK ig_status ig_dyn_states_hold(ig_dyn_model *m);
void ig_dyn_states_drop(ig_dyn_model *m);
/* From the whole, which all ranks have alike or the first alone, to the part: all of the state;
   velocities and bodies; masses and bodies; the size of loads. */
IG_MUST_CHECK ig_status ig_dyn_scatter(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_scatter_motion(ig_dyn_model *m);
/* Velocities that the first rank has changed on the host: to all, and to the device. */
IG_MUST_CHECK ig_status ig_dyn_scatter_velocities(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_scatter_weights(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_scatter_loads(ig_dyn_model *m);
/* An array of the whole on the host, `count` items of `size` bytes, a stretch at a time: where the
   first rank alone has the whole it sends it to all. `take` sees items from `first` on. */
typedef void ig_dyn_taker(void *user, const char *items, int64_t first, int64_t count);
IG_MUST_CHECK ig_status ig_dyn_whole_pass(ig_dyn_model *m, const void *whole, int64_t count,
                                          size_t size, ig_dyn_taker *take, void *user);
/* Masses of bodies, turns of ties and sums of masses as the first rank found them (`status`: how it
   fared), where it alone has the whole. */
IG_MUST_CHECK ig_status ig_dyn_share_weights(ig_dyn_model *m, ig_status status);

/* Whether this rank has the whole model's state and elements. */
static inline bool ig_dyn_has_whole(const ig_dyn_model *m) {
  return !m->divided || !m->divided->apart || ig_ranks_first(m->cx);
}

/* The model that takes the steps. */
static inline ig_dyn_model *ig_dyn_stepper(ig_dyn_model *m) {
  return m->divided ? m->divided->local : m;
}

#endif
