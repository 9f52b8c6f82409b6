/* When a run's output is due, by the `output` section: the same in every room, whether it marches
   with equal steps, with changing ones, or counts design iterations (its time is then their
   number). */
#ifndef IG_CORE_SCHEDULE_H
#define IG_CORE_SCHEDULE_H

#include "core/room.h"

typedef struct ig_schedule {
  int64_t every, rows; /* steps between snapshots and between rows of the history; 0: by time */
  double interval, row_interval;  /* simulated time between them; INFINITY: none by time */
  ig_reals times;                 /* of snapshots, rising; none: by `every` or `interval` */
  double checkpoint_every, saved; /* wall time between checkpoints (0: none), and of the last one */
} ig_schedule;

/* `output` NULL: nothing is ever due. `duration` of the whole run, in simulated time or iterations;
   INFINITY where nobody knows it. */
void ig_schedule_start(ig_schedule *s, const ig_output_case *output, double duration);

/* Whether something falls due on the way from one moment to another. The start and the end of a
   run are always shown (run/time_loop.c). */
bool ig_schedule_snapshot(const ig_schedule *s, ig_moment from, ig_moment to);
bool ig_schedule_history(const ig_schedule *s, ig_moment from, ig_moment to);
/* Steps of length dt to the next moment something is due, at least 1 and at most `most`. `s` NULL:
   nothing is ever due. */
int64_t ig_schedule_ahead(const ig_schedule *s, ig_moment from, double dt, int64_t most);
/* Whether wall time for a checkpoint is up; if so, the next wait begins. */
bool ig_schedule_checkpoint(ig_schedule *s);

/* A number of steps as an integer. Above 2^53 they could not be counted: fails, with the remedy. */
IG_MUST_CHECK ig_status ig_steps_count(ig_ctx *cx, const ig_src *at, double steps, double dt,
                                       int64_t *count);

/* Whether the case wants snapshots at all; the start and the end are then among them. */
bool ig_output_shows(const ig_output_case *output);
/* Whether the case wants a field of this name in its snapshots. */
bool ig_output_wants(const ig_output_case *output, const char *field);

#endif
