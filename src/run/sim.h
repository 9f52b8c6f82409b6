/* Simulations, inside of the library: with rooms of the caller's own, and what ig_run needs. */
#ifndef IG_RUN_SIM_H
#define IG_RUN_SIM_H

#include <ingot/sim.h>
#include "run/job.h"

/* *sim is set on failure too, for its counts; close it. `options` is not NULL. */
IG_MUST_CHECK ig_status ig_sim_open_for(ig_case *c, const ig_run_options *options,
                                        const ig_room *const *rooms, ig_sim **sim);
/* The folder held the result already: there is nothing to step. */
bool ig_sim_up_to_date(const ig_sim *sim);
/* Ends a run that came to `status`: figures, if that is good, and a summary that says how it went.
   Returns the first thing that went wrong. */
IG_MUST_CHECK ig_status ig_sim_conclude(ig_sim *sim, ig_status status);

/* The state as a snapshot, as it would be written; the caller frees it. And when the run ends. */
IG_MUST_CHECK ig_status ig_sim_snapshot(ig_sim *sim, ig_snapshot **snap);
double ig_sim_duration(const ig_sim *sim);

#endif
