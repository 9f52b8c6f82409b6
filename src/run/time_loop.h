/* The time loop: takes a room from its start to its end, or as far as the caller wants, and owns
   what rooms have in common: schedule of output, checkpoints, interruption, progress, timing.

   ig_loop_open     opens the room, begins (or restores) it, writes the start
   ig_loop_go       steps, in any portions: the division does not change a bit of the results
   ig_loop_finish   once it has ended: the room's figures
   ig_loop_close    in any case

   All functions but ig_loop_close are collective on ranks. */
#ifndef IG_RUN_TIME_LOOP_H
#define IG_RUN_TIME_LOOP_H

#include "core/schedule.h"

/* One room under way. Embedded in ig_sim; zero-initialised is valid for ig_loop_close. */
typedef struct {
  /* Borrowed; must live until ig_loop_close. */
  ig_job *job;
  const ig_room *room;
  void *self; /* the room's state */
  /* opened: the room's open succeeded. first: steps have been asked for (the first call is timed
     apart, because it includes warm-up). */
  bool opened, first; /* `first`: steps have been asked for */
  ig_schedule schedule;
  /* Last answer of the room's `stand`. */
  ig_run_status now;
  int64_t saved; /* step of the last checkpoint, -1: none */
  /* Wall clock (s) and the room's measure of work when steps began, for the rate of progress. */
  double began, work; /* seconds and work when the steps began */
} ig_loop;

IG_MUST_CHECK ig_status ig_loop_open(ig_loop *m, const ig_room *room, ig_job *job);
/* Makes `steps` more, or until the clock shows `time` (s), or to the end, whichever comes first; a
   room may make a long step whole. IG_INTERRUPTED: stopped on request at a whole step; a checkpoint
   is written. */
IG_MUST_CHECK ig_status ig_loop_go(ig_loop *m, int64_t steps, double time);
/* Stops at the current step: writes a checkpoint, sets a message that says how far it came, returns
   IG_INTERRUPTED. */
IG_MUST_CHECK ig_status ig_loop_stop(ig_loop *m);
IG_MUST_CHECK ig_status ig_loop_finish(ig_loop *m);
/* The room's current figures, of a run that was stopped. Collective. */
IG_MUST_CHECK ig_status ig_loop_figures(ig_loop *m);
/* Fills the job's counts and frees the room's state. Not collective. */
void ig_loop_close(ig_loop *m);

/* A whole run in one call, for tests and benchmarks. */
IG_MUST_CHECK ig_status ig_loop_all(const ig_room *room, ig_job *job);

#endif
