/* The engine on several ranks. Steps are taken by an engine that has the rank's part of the mesh
   alone (ranks/part.h); after each of them ghosts take their owners' temperatures. What the room
   writes for the whole is written for the part too.

   All ranks need the whole to make their parts, and then let go of it, the first too: of the whole
   engine nothing stays but the calendar of births (IG_HEAT_BOOKS). What lies under a beam and whom
   a new node inherits its temperature from each rank finds in its part, with one layer of elements
   more for the latter. What somebody looks at goes to rank 0 in pieces, in the order of the whole:
   sums have the bits of a run on one rank, files its bytes. */
#ifndef IG_HEAT_PART_H
#define IG_HEAT_PART_H

#include "ranks/part.h"
#include "thermal/heat.h"
#include "thermal/heat_make.h"

/* A node that is born and takes the temperature of another rank's, as the whole counts them: its
   rank, the donor's. at: the calendar's number of its birth. */
typedef struct {
  ig_lid node, donor;
  int32_t owner, from, at;
} ig_heat_heir;

/* Elements [begin, end) of the whole that are born together: where the calendar's patches and the
   part's own begin. */
typedef struct {
  int32_t at;
  ig_lid begin, end;
  int32_t first;
} ig_heat_brood;

/* Elements around the part's nodes, for who looks for donors: one layer more than the part has. */
typedef struct {
  ig_csr around;
  ig_lid *conn, *cell, *first;
  ig_lid *node;   /* in the whole, rising */
  int32_t *owner; /* their ranks */
  double *point;  /* nodes x 3, m */
  ig_lid nodes, cells;
} ig_heat_kinship;

typedef struct ig_heat_part {
  ig_part part;
  ig_halo halo;
  ig_heat local;                            /* the part's engine */
  bool idle;                                /* the part has no element, and no engine */
  ig_collect nodes, cells, faces, elements; /* cells in birth order, elements in the mesh's */
  uint8_t *material_of;                     /* of the part, as in ig_heat_setup */
  double *birth, *initial_of;               /* the same */
  ig_set set[32];                           /* faces of conditions in the part */
  ig_heat_condition condition[32];
  double *value[32][4]; /* boundary values node by node, in the part */
  ig_heat_far far;
  bool held; /* some rank's nodes take a new temperature before the batch */
  /* where temperatures are inherited: births of the batch, and heirs of donors elsewhere */
  ig_heat_kinship kin;
  ig_heat_brood *brood;
  int broods;
  ig_heat_heir *heir;
  int64_t heirs;
  bool counted;                   /* since then no step was taken */
  double balance[IG_SURVEY_SUMS]; /* sums of all ledgers and contents */
} ig_heat_part;

/* Divides the engine between the ranks of the context; nothing if there is one. `setup`: what it
   was made of. Refuses what cannot be divided. */
IG_MUST_CHECK ig_status ig_heat_part_new(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *whole);
/* All is set up: the whole lets go of all but its calendar. Nothing without ranks. */
IG_MUST_CHECK ig_status ig_heat_part_lighten(ig_ctx *cx, ig_heat *whole);
void ig_heat_part_free(ig_ctx *cx, ig_heat *whole);
/* What the whole engine is for: its setup's purpose. */
ig_heat_purpose ig_heat_part_purpose(const ig_ctx *cx);
/* The part has begun: its ghosts take their owners' temperatures. Nothing without ranks. */
IG_MUST_CHECK ig_status ig_heat_part_begin(ig_ctx *cx, ig_heat *whole);
/* New values of conditions, for the part. */
IG_MUST_CHECK ig_status ig_heat_part_conditions(ig_ctx *cx, ig_heat *whole,
                                                const ig_heat_condition *condition, int count,
                                                double ambient);
/* Runs the batch that was written. */
IG_MUST_CHECK ig_status ig_heat_part_run(ig_ctx *cx, ig_heat *whole);

/* heat_part_births.c: elements around the part's nodes, where temperatures are inherited; births
   were written; whose temperature own nodes inherit, and of those elsewhere all ranks know; these
   temperatures, before the calendar's patches [first, last) are applied. All ranks call the last
   two, with the `status` they are in. */
IG_MUST_CHECK ig_status ig_heat_part_kin(ig_ctx *cx, const ig_heat *whole);
IG_MUST_CHECK ig_status ig_heat_part_born(ig_ctx *cx, ig_heat *whole, ig_heat_brood brood);
IG_MUST_CHECK ig_status ig_heat_part_heirs(ig_ctx *cx, ig_heat *whole);
IG_MUST_CHECK ig_status ig_heat_part_inherit(ig_ctx *cx, ig_heat *whole, ig_heat *l, int32_t first,
                                             int32_t last, ig_status status);
void ig_heat_part_forget(ig_heat *whole);

/* heat_part_rows.c: rows of own items to rank 0, in the order of the whole, a piece at a time:
   `fill` writes those of items [first, first + count) of the part to memory of the host. All ranks
   call what follows. */
typedef ig_status ig_heat_rows_fill(void *user, int32_t first, int32_t count, void *rows);
IG_MUST_CHECK ig_status ig_heat_part_stream(ig_ctx *cx, const ig_collect *items, size_t size,
                                            ig_heat_rows_fill *fill, ig_collect_put *put,
                                            void *user);
/* An array of the part's memory on the device, `size` bytes per item. */
IG_MUST_CHECK ig_status ig_heat_part_array(ig_ctx *cx, ig_heat *whole, const ig_collect *items,
                                           const void *dev, size_t size, ig_stream_take *take,
                                           void *user);
/* Temperatures. */
IG_MUST_CHECK ig_status ig_heat_part_T(ig_ctx *cx, ig_heat *whole, ig_stream_take *take,
                                       void *user);
/* Sums and extremes of all parts, to all; sums in the order of a survey in `parts` parts. */
IG_MUST_CHECK ig_status ig_heat_part_ask(ig_ctx *cx, ig_heat *whole, const ig_heat_question *q,
                                         int parts, ig_heat_survey *found);
/* Temperatures of nodes of the whole, to all. */
IG_MUST_CHECK ig_status ig_heat_part_picks(ig_ctx *cx, ig_heat *whole, const ig_lid *node,
                                           int count, double *picked);

/* heat_part_state.c: what a checkpoint has of the parts, without data; array `i` of it; the part's
   state from a checkpoint, which has the whole; temperatures of all nodes, to all; volume, area and
   heat content of what is there, to all. */
void ig_heat_part_saved(ig_heat *whole, ig_saved *saved, int *count);
IG_MUST_CHECK ig_status ig_heat_part_saved_array(ig_ctx *cx, ig_heat *whole, int i,
                                                 ig_stream_take *take, void *user);
IG_MUST_CHECK ig_status ig_heat_part_restore(ig_ctx *cx, ig_heat *whole, const ig_restart *restart);
IG_MUST_CHECK ig_status ig_heat_part_temperatures(ig_ctx *cx, ig_heat *whole, double *T);
IG_MUST_CHECK ig_status ig_heat_part_measure(ig_ctx *cx, ig_heat *whole, double *volume,
                                             double *area);
IG_MUST_CHECK ig_status ig_heat_part_born_content(ig_ctx *cx, ig_heat *whole, double T,
                                                  double *content);

/* The engine that takes the steps; NULL: this one does. */
static inline ig_heat *ig_heat_stepper(const ig_heat *h) {
  return h->part && !h->part->idle ? &h->part->local : NULL;
}

#endif
