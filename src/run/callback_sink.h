/* A sink that shows a run's output to the caller's functions on its way to the files ("tee" after
   the Unix command). All members are borrowed; there is nothing to close. */
#ifndef IG_RUN_CALLBACK_SINK_H
#define IG_RUN_CALLBACK_SINK_H

#include <ingot/run.h>
#include "core/output.h"
#include "run/accept.h"

/* Embedded in ig_sim. */
typedef struct {
  ig_sink sink; /* first: a tee is a sink */
  ig_ctx *cx;
  ig_sink *inner; /* NULL: nowhere else */
  /* Functions of the caller; each may be NULL. */
  ig_figure_fn *figure;
  ig_snapshot_fn *snapshot;
  ig_history_fn *row;
  void *user;
  ig_accept accept; /* limits of figures */
} ig_tee;

/* Fills `tee`. inner: sink of the files, NULL if none. kept: checkpoints are written, if only by
   another rank. */
void ig_tee_open(ig_ctx *cx, ig_tee *tee, ig_sink *inner, const ig_run_options *o, bool kept);
/* Whether any output is wanted: a folder or a callback. If not, rooms skip output altogether. */
bool ig_tee_wanted(const ig_sink *inner, const ig_run_options *o);

/* Waits for the copies of a snapshot and shows it to `to`. The snapshot remains the caller's. */
IG_MUST_CHECK ig_status ig_snapshot_hand(ig_ctx *cx, ig_snapshot *snap, ig_snapshot_fn *to,
                                         void *user);

#endif
