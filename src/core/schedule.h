/* When a run's output is due, by the `output` section: the same in every room, whether it marches
   with equal steps, with changing ones, or counts design iterations (its time is then their
   number). */
#ifndef IG_CORE_SCHEDULE_H
#define IG_CORE_SCHEDULE_H

#include "core/room.h"

typedef struct {
  int64_t every, rows; /* steps between snapshots and between rows of the history; 0: by time */
  double interval, row_interval;  /* simulated time between them; INFINITY: none by time */
  double checkpoint_every, saved; /* wall time between checkpoints (0: none), and of the last one */
} ig_schedule;

/* `output` NULL: nothing is ever due. `duration` of the whole run, in simulated time or iterations;
   INFINITY where nobody knows it. */
void ig_schedule_start(ig_schedule *s, const ig_output_case *output, double duration);

/* Whether something falls due on the way from one step and time to another. The start and the end
   of a run, which are always shown, are the room's to see. */
typedef struct {
  int64_t step;
  double time;
} ig_moment;
bool ig_schedule_snapshot(const ig_schedule *s, ig_moment from, ig_moment to);
bool ig_schedule_history(const ig_schedule *s, ig_moment from, ig_moment to);
/* Steps of length dt to the next moment something is due, at least 1 and at most `most`. */
int64_t ig_schedule_ahead(const ig_schedule *s, ig_moment from, double dt, int64_t most);
/* Whether wall time for a checkpoint is up; if so, the next wait begins. */
bool ig_schedule_checkpoint(ig_schedule *s);

/* Whether the case wants snapshots at all; the start and the end are then among them. */
bool ig_output_shows(const ig_output_case *output);
/* Whether the case wants a field of this name in its snapshots. */
bool ig_output_wants(const ig_output_case *output, const char *field);

#endif
