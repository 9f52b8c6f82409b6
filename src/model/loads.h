/* Loads and supports of a model as they are applied: the table loads.csv of an output folder, from
   which pictures and pages draw arrows and marks. A row per node and load case that carries a load,
   and a row per node that is held; values are those of the arrays a solver works with. */
#ifndef IG_MODEL_LOADS_H
#define IG_MODEL_LOADS_H

#include "core/output.h"
#include "io/format/json.h"

/* Zero-initialise; ig_loads_put frees the text. */
typedef struct {
  ig_ctx *cx;
  bool heat; /* watts and prescribed temperatures, not newtons and directions */
  ig_text text;
} ig_loads;

/* A force (N), or a heat flow (W) as its first component, of load case `number`, from 1. */
void ig_loads_add(ig_loads *l, const double x[3], int number, const double load[3]);
/* A support: bit i of `held` is component i. */
void ig_loads_hold(ig_loads *l, const double x[3], unsigned held);
/* Hands the table to a sink that takes files; nothing where there are no rows. */
IG_MUST_CHECK ig_status ig_loads_put(ig_loads *l, ig_sink *to);

#endif
