/* A stage that runs beside another, in step with it: its states are handed over in memory. It is
   the stage's own case, without output, so that nothing but that case is needed. What it needs from
   earlier stages it reads from their folders, as it would when run on its own. */
#include "chain/chain.h"
#include "io/format/atomic_file.h"
#include "run/rooms.h"
#include "run/sim.h"

#include <stdlib.h>
#include <string.h>

/* One at a time: a stage asks for the states of one other. It has a context of its own, so that its
   messages and its phases of time do not mix with those of the stage that runs. */
struct ig_live {
  int stage;
  ig_ctx *cx; /* a simulation has a context to itself */
  ig_case *c;
  ig_sim *sim;
  double asked; /* time of the last state */
};

/* Allowed with none open. The simulation refers to the case, and the case to the context, so they
   are closed in that order. */
void ig_live_close(ig_chain *chain) {
  struct ig_live *l = chain->live;
  chain->live = NULL;
  if (!l)
    return;
  ig_sim_close(l->sim);
  ig_case_close(l->c);
  ig_ctx_close(l->cx);
  free(l);
}

/* Passes a failure of the other stage on to the chain's context, with the name of that stage. */
static ig_status told(ig_chain *chain, const struct ig_live *l, ig_status status) {
  if (status == IG_OK || !l->cx)
    return status;
  return IG_FAIL(chain->cx, status, "stage '%s', beside this one: %s", chain->stage[l->stage].name,
                 ig_ctx_message(l->cx));
}

/* Opens the stage as a simulation without a folder. It computes the fields that the stress room
   takes from a thermal stage and no others. */
static ig_status live_open(ig_chain *chain, int stage) {
  struct ig_live *l;
  ig_live_close(chain);
  IG_TRY(IG_NEW(chain->cx, &l, 1, "stage"));
  chain->live = l;
  l->stage = stage;
  /* The same backend as the chain: both stages share the device. */
  const ig_ctx_options o = {.backend = ig_ctx_backend(chain->cx), .threads = chain->cx->threads};
  IG_TRY(told(chain, l, ig_ctx_open(&o, &l->cx)));
  IG_TRY(told(chain, l, ig_stage_as_case(chain, stage, false, l->cx, &l->c)));
  IG_TRY(told(chain, l, ig_case_set(l->c, "output", "{}")));
  return told(chain, l, ig_sim_open_for(l->c, &(ig_run_options){.out = NULL}, ig_rooms(), &l->sim));
}

/* `source` is the folder that resolve.c put into the case in place of the stage's name; by it the
   stage is found again, with links resolved on both sides. */
ig_status ig_chain_state(void *user, const char *source, double time, double *end,
                         ig_snapshot **snap) {
  ig_chain *chain = user;
  int stage = -1;
  for (int i = 0; i < chain->stages && stage < 0; i++) {
    char *whole = realpath(chain->stage[i].folder, NULL);
    if (strcmp(whole ? whole : chain->stage[i].folder, source) == 0)
      stage = i;
    free(whole);
  }
  if (stage < 0)
    return IG_FAIL(chain->cx, IG_INPUT, "'%.200s' is the folder of no stage", source);
  struct ig_live *l = chain->live;
  /* back in time: from its start again, to the same bits */
  if (!l || l->stage != stage || !l->sim || l->asked > time)
    IG_TRY(live_open(chain, stage));
  l = chain->live;
  *end = ig_sim_duration(l->sim);
  if (!snap)
    return IG_OK;
  l->asked = time;
  if (time > 0)
    IG_TRY(told(chain, l, ig_sim_until(l->sim, time)));
  return told(chain, l, ig_sim_snapshot(l->sim, snap));
}
