/* Simulations inside the library: with a list of rooms, and the parts that ig_run needs. */
#ifndef IG_RUN_SIM_H
#define IG_RUN_SIM_H

#include <ingot/sim.h>
#include "run/job.h"

/* Opens a simulation for one of `rooms`. *sim is set on failure too (for statistics; close it),
   unless memory is exhausted. options must not be NULL. Collective. */
IG_MUST_CHECK ig_status ig_sim_open_for(ig_case *c, const ig_run_options *options,
                                        const ig_room *const *rooms, ig_sim **sim);
/* The folder had the result already: there is nothing to step. */
bool ig_sim_up_to_date(const ig_sim *sim);
/* Ends a run that came to `status`: figures, if that is IG_OK, and a summary. Returns the first
   failure. */
IG_MUST_CHECK ig_status ig_sim_conclude(ig_sim *sim, ig_status status);

/* The state as a snapshot, as it would be written; the caller frees it. On ranks *snap may be NULL
   on ranks other than 0. ig_sim_duration: when the run ends, s. */
IG_MUST_CHECK ig_status ig_sim_snapshot(ig_sim *sim, ig_snapshot **snap);
double ig_sim_duration(const ig_sim *sim);

#endif
