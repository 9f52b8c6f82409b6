/* A stage that runs beside another, in step with it: its states are handed over in memory. It is
   the stage's own case, without output, so that nothing but that case is needed. */
#include "chain/chain.h"
#include "io/format/atomic_file.h"
#include "run/rooms.h"
#include "run/sim.h"

#include <stdlib.h>
#include <string.h>

struct ig_live {
  int stage;
  ig_ctx *cx; /* a simulation has a context to itself */
  ig_case *c;
  ig_sim *sim;
  double asked; /* time of the last state */
};

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

/* What went wrong there is told here. */
static ig_status told(ig_chain *chain, const struct ig_live *l, ig_status status) {
  if (status == IG_OK || !l->cx)
    return status;
  return IG_FAIL(chain->cx, status, "stage '%s', beside this one: %s", chain->stage[l->stage].name,
                 ig_ctx_message(l->cx));
}

static ig_status live_open(ig_chain *chain, int stage) {
  struct ig_live *l;
  ig_live_close(chain);
  IG_TRY(IG_NEW(chain->cx, &l, 1, "stage"));
  chain->live = l;
  l->stage = stage;
  const ig_ctx_options o = {.backend = ig_ctx_backend(chain->cx), .threads = chain->cx->threads};
  IG_TRY(told(chain, l, ig_ctx_open(&o, &l->cx)));
  IG_TRY(told(chain, l, ig_stage_as_case(chain, stage, false, l->cx, &l->c)));
  IG_TRY(told(chain, l, ig_case_set(l->c, "output", "{}")));
  return told(chain, l, ig_sim_open_for(l->c, &(ig_run_options){.out = NULL}, ig_rooms(), &l->sim));
}

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
