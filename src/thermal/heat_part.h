/* The engine on several ranks. Every rank has a whole engine on which the room acts: births, beams,
   conditions, and what is put out. Steps are taken by another engine that has the rank's part of
   the mesh alone (ranks/part.h), and after each of them ghosts take their owners' temperatures.
   What the room writes for the whole is written for the part too; when somebody looks at the state
   it is gathered into the whole engine of rank 0, whose sums have the bits of a run on one rank.

   The other ranks need the whole to make their parts, and then let go of it (IG_HEAT_BOOKS): there
   the whole engine counts births, and no more. Where a beam's watts go, and from whom a new node
   inherits its temperature, rank 0 finds; with each batch it tells the others. */
#ifndef IG_HEAT_PART_H
#define IG_HEAT_PART_H

#include "ranks/part.h"
#include "thermal/heat.h"

/* A node that is born, and the one whose temperature it takes, as the whole counts them: its rank,
   the donor's. donor < 0: as in ig_heat_patch. */
typedef struct {
  ig_lid node, donor;
  int32_t owner, from;
} ig_heat_heir;

typedef struct ig_heat_part {
  ig_part part;
  ig_halo halo;
  ig_heat local; /* the part's engine */
  bool idle;     /* the part has no element, and no engine */
  ig_collect nodes, cells, faces;
  bool stale;                 /* steps were taken since the whole engine's state was gathered */
  uint8_t *material_of;       /* of the part, as in ig_heat_setup */
  double *birth, *initial_of; /* the same */
  ig_set set[32];             /* faces of conditions in the part */
  ig_heat_condition condition[32];
  double *value[32][4]; /* boundary values node by node, in the part */
  ig_heat_heir *heir;   /* of the patches in hand, where temperatures are inherited */
  int32_t heir_space;
  /* heat_part_look.c; rank 0 alone has what is not a flag */
  bool counted;                      /* since then no step was taken */
  double balance[IG_LEDGER_COLUMNS]; /* sums of all ledgers */
  bool patched;     /* the whole's nodes, on the host since they went to the device */
  double *saved[2]; /* ledgers of nodes and faces, for a checkpoint */
} ig_heat_part;

/* Divides the engine between the ranks of the context; nothing if there is one. `setup`: what it
   was made of. Refuses what cannot be divided. */
IG_MUST_CHECK ig_status ig_heat_part_new(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *whole);
void ig_heat_part_free(ig_ctx *cx, ig_heat *whole);
/* What the whole engine of this rank is for: its setup's purpose. */
ig_heat_purpose ig_heat_part_purpose(const ig_ctx *cx);
/* The part has begun: its ghosts take their owners' temperatures. Nothing without ranks. */
IG_MUST_CHECK ig_status ig_heat_part_begin(ig_ctx *cx, ig_heat *whole);
/* The part's state from a checkpoint, which has the whole. Nothing without ranks. */
IG_MUST_CHECK ig_status ig_heat_part_restore(ig_ctx *cx, ig_heat *whole, const ig_restart *restart);
/* The state of all parts to the whole engine of rank 0, for whoever looks at its arrays. Nothing
   without ranks. All ranks call it. */
IG_MUST_CHECK ig_status ig_heat_gather(ig_ctx *cx, ig_heat *whole);
/* The same for the temperatures before and after a long step alone. */
IG_MUST_CHECK ig_status ig_heat_gather_change(ig_ctx *cx, ig_heat *whole);
/* New values of conditions, for the part. */
IG_MUST_CHECK ig_status ig_heat_part_conditions(ig_ctx *cx, ig_heat *whole,
                                                const ig_heat_condition *condition, int count,
                                                double ambient);
/* Runs the batch that was written. */
IG_MUST_CHECK ig_status ig_heat_part_run(ig_ctx *cx, ig_heat *whole);

/* heat_part_births.c: who inherits from whom, as rank 0 has written it, to all, if anybody does;
   where the part's own nodes inherit their temperatures from; and those from other ranks, before
   the patches [first, last) of the whole are applied. All ranks call it, with the `status` they are
   in. */
IG_MUST_CHECK ig_status ig_heat_part_heirs(ig_ctx *cx, ig_heat *whole);
void ig_heat_part_donors(ig_heat *whole, ig_heat *l);
IG_MUST_CHECK ig_status ig_heat_part_inherit(ig_ctx *cx, ig_heat *whole, ig_heat *l, int32_t first,
                                             int32_t last, ig_status status);

/* heat_part_look.c: what rank 0 sees of the whole. Parts are made: the whole lets go of its
   surfaces' lists, and of all but the calendar where it has no other purpose. Changes [first, last)
   of nodes, on the host, and to the device before somebody looks; sums of all ledgers, in the order
   of a survey in `parts` parts; the ledgers themselves, for a checkpoint, as *saved, and their
   memory back. */
void ig_heat_look_lighten(ig_ctx *cx, ig_heat *h);
void ig_heat_look_patch(ig_heat *h, int32_t first, int32_t last);
IG_MUST_CHECK ig_status ig_heat_look_push(ig_ctx *cx, ig_heat *whole);
IG_MUST_CHECK ig_status ig_heat_look_balance(ig_ctx *cx, ig_heat *whole, int parts);
IG_MUST_CHECK ig_status ig_heat_look_ledgers(ig_ctx *cx, ig_heat *whole, ig_saved *saved,
                                             int *count);
void ig_heat_look_free(ig_heat_part *part);

/* The engine that takes the steps; NULL: this one does. */
static inline ig_heat *ig_heat_stepper(const ig_heat *h) {
  return h->part && !h->part->idle ? &h->part->local : NULL;
}

#endif
