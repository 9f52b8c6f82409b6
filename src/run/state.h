/* Saved states of simulations: what ig_sim_save keeps, in memory and as bytes. */
#ifndef IG_RUN_STATE_H
#define IG_RUN_STATE_H

#include <ingot/sim.h>
#include "core/output.h"

/* Factors given by the program to loads or supports, by number in the case; 1 where none was given.
   Kept so that a restored state has the same factors. */
typedef struct {
  int count;
  double *factor;
} ig_factors;
/* Grows the list; entries in between are 1. */
IG_MUST_CHECK ig_status ig_factors_set(ig_ctx *cx, ig_factors *f, int number, double factor);
IG_MUST_CHECK ig_status ig_factors_copy(ig_ctx *cx, ig_factors *to, const ig_factors *from);

/* kept: arrays of the room, as in a checkpoint; on ranks complete on rank 0 only. */
struct ig_sim_state {
  ig_restart *kept;
  uint64_t fingerprint; /* of physics and mesh */
  char *settings;       /* of the case it was saved with */
  ig_factors loads, supports;
};

#endif
