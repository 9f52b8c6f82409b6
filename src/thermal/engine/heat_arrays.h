/* The register of the state's arrays (model/arrays.h), apart from heat.h, which is C++ too. */
#ifndef IG_HEAT_ARRAYS_H
#define IG_HEAT_ARRAYS_H

#include "model/arrays.h"
#include "thermal/engine/heat.h"

typedef enum { IG_HEAT_NODES, IG_HEAT_CELLS, IG_HEAT_FACES } ig_heat_place;

struct ig_heat_state {
  ig_arrays arrays;
};
static inline ig_arrays *ig_heat_arrays(const ig_heat *h) {
  return &h->state->arrays;
}

/* Once the engine is made and divided; it may not be moved from then on. */
IG_MUST_CHECK ig_status ig_heat_arrays_add(ig_ctx *cx, ig_heat *h);
void ig_heat_arrays_free(ig_heat *h);

#endif
