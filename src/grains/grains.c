/* The grains room: the table at the end is what the time loop calls; grains.h explains the method.
 */
#include "grains/grains.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static ig_status room_open(ig_job *job, void **self) {
  ig_grains_run *r;
  IG_TRY(IG_NEW(job->cx, &r, 1, "grains"));
  r->cx = job->cx;
  *self = r;
  IG_TRY(ig_grains_open(job, r));
  ig_grains_front_warn(r);
  job->elements = job->nodes = job->dofs = r->view.cells;
  return IG_OK;
}

static void room_close(void *self) {
  if (self)
    ig_grains_close(self);
  free(self);
}

/* At most 64 steps, so that Ctrl-C and progress are looked at often enough. */
static ig_status advance(void *self, int64_t most, int64_t ahead) {
  (void)ahead;
  return ig_grains_advance(self, most < 64 ? most : 64);
}

static void stand(const void *self, ig_run_status *s) {
  const ig_grains_run *r = self;
  const double time = ig_grains_time(r);
  *s = (ig_run_status){.at = {r->step, time},
                       .clock = time,
                       .duration = r->duration,
                       .dt = r->dt,
                       .ended = ig_grains_ended(r),
                       .work = (double)r->step * (double)r->view.cells};
}

/* A step reads and writes the state of the cells at the front; all others are skipped by 32. */
static void tally(void *self) {
  ig_grains_run *r = self;
  r->job->element_steps = (double)r->step * (double)r->view.cells;
  r->job->bytes_moved = (double)r->step * 10 * (double)r->view.segments;
}

static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  ig_grains_run r = {.cx = job->cx};
  char text[160];
  ig_status status;
  IG_TRY_GOTO(status, done, ig_grains_open(job, &r));
  ig_grains_front_warn(&r);
  snprintf(text, sizeof text, "%d x %d x %d of %g m", r.view.n[0], r.view.n[1], r.view.n[2],
           r.c->grid.cell);
  line(user, "cells", text);
  snprintf(text, sizeof text, "%.4g s, at most %.3g cells at %.3g m/s", r.dt,
           r.fastest * r.dt / r.c->grid.cell, r.fastest);
  line(user, "time step", text);
  snprintf(text, sizeof text, "at most %.0f, to %.4g s", ceil(r.duration / r.dt), r.duration);
  line(user, "steps", text);
  if (r.substrate_grains) {
    snprintf(text, sizeof text, "%d", r.substrate_grains);
    line(user, "grains of the substrate", text);
  }
  snprintf(text, sizeof text, "%d", r.grains_end - r.nucleus_first);
  line(user, "nuclei", text);
  if (r.events) {
    snprintf(text, sizeof text, "%lld, %lld outside of the box", (long long)r.events,
             (long long)r.skipped);
    line(user, "events", text);
  }
  snprintf(text, sizeof text, "%.1f MB on the device", 1e-6 * (double)job->cx->device_bytes);
  line(user, "memory", text);
done:
  ig_grains_close(&r);
  return status;
}

const ig_room ig_room_grains = {.name = "grains",
                                .about = "grains of a solidifying melt, by a cellular automaton",
                                .ranks = true,
                                .case_size = sizeof(ig_grains_case),
                                .options = ig_grains_options,
                                .open = room_open,
                                .close = room_close,
                                .advance = advance,
                                .stand = stand,
                                .history = ig_grains_history,
                                .snapshot = ig_grains_snapshot,
                                .save = ig_grains_save,
                                .restore = ig_grains_restore,
                                .results = ig_grains_results,
                                .field = ig_grains_field_of,
                                .get = ig_grains_get,
                                .tally = tally,
                                .check = check,
                                .fields = IG_GRAINS_FIELDS,
                                .figures = IG_GRAINS_FIGURES,
                                .unused = "assembly|mesh|materials|precision"};
