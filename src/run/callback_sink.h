/* A sink that shows a run's output to the caller's functions on its way to the files, if any. */
#ifndef IG_RUN_CALLBACK_SINK_H
#define IG_RUN_CALLBACK_SINK_H

#include <ingot/run.h>
#include "core/output.h"

typedef struct {
  ig_sink sink; /* first: a tee is a sink */
  ig_ctx *cx;
  ig_sink *inner; /* NULL: nowhere else */
  ig_figure_fn *figure;
  ig_snapshot_fn *snapshot;
  ig_history_fn *row;
  void *user;
} ig_tee;

/* kept: checkpoints go somewhere, if only on another rank. */
void ig_tee_open(ig_ctx *cx, ig_tee *tee, ig_sink *inner, const ig_run_options *o, bool kept);
/* Whether somebody wants what a run puts out. */
bool ig_tee_wanted(const ig_sink *inner, const ig_run_options *o);

/* Waits for a snapshot's copies and shows it; it stays the caller's. */
IG_MUST_CHECK ig_status ig_snapshot_hand(ig_ctx *cx, ig_snapshot *snap, ig_snapshot_fn *to,
                                         void *user);

#endif
