/* The loop: takes a room from its start to its end, or as far as the caller wants, and owns all
   that rooms have in common: when output is due, the first and the last of it, checkpoints,
   interruption, progress, timings.

     ig_march_open     the room is opened and begun (or restored), the start is shown
     ig_march_go       steps, in any portions: they do not change a bit of the results
     ig_march_finish   once it has ended: the room's figures
     ig_march_close    in any case */
#ifndef IG_RUN_MARCH_H
#define IG_RUN_MARCH_H

#include "core/schedule.h"

typedef struct {
  ig_job *job;
  const ig_room *room;
  void *self;         /* the room's state */
  bool opened, first; /* `first`: steps have been asked for */
  ig_schedule schedule;
  ig_standing now;
  int64_t saved;      /* step of the last checkpoint, -1: none */
  double began, work; /* seconds and work when the steps began */
} ig_march;

IG_MUST_CHECK ig_status ig_march_open(ig_march *m, const ig_room *room, ig_job *job);
/* `steps` more, or until the clock shows `time`, or the end, whichever comes first; a room may take
   a long step whole. IG_INTERRUPTED: stopped on request at a whole step, a checkpoint is written.
 */
IG_MUST_CHECK ig_status ig_march_go(ig_march *m, int64_t steps, double time);
/* Stops where it is: saves what there is, says how far it came, returns IG_INTERRUPTED. */
IG_MUST_CHECK ig_status ig_march_stop(ig_march *m);
IG_MUST_CHECK ig_status ig_march_finish(ig_march *m);
/* The room's figures as they stand, of a run that was stopped. */
IG_MUST_CHECK ig_status ig_march_figures(ig_march *m);
/* Fills the job's counts and frees the room's state. */
void ig_march_close(ig_march *m);

/* All of it, from the start to the end. */
IG_MUST_CHECK ig_status ig_march_all(const ig_room *room, ig_job *job);

#endif
