/* The powder room: a part scanned line by line in a bed of powder. The table at the end is what the
   time loop calls; powder.h explains the method. */
#include "powder/powder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What a bed of powder can do without in a test, and hardly anywhere else. */
static void material_warn(const ig_powder_run *r) {
  const ig_material_case *m = r->material;
  if (isnan(m->liquidus))
    ig_warn_at(r->cx, &m->at, "material '%.60s' has no liquidus: its powder never melts", m->name);
  if (!m->powder_conductivity.count)
    ig_warn_at(r->cx, &m->at,
               "material '%.60s' has no powder_conductivity: its powder conducts as the solid does",
               m->name);
}

/* Sizes for the summary: coarse cells and those of one window; there are no nodes. */
static ig_status room_open(ig_job *job, void **self) {
  ig_powder_run *r;
  IG_TRY(IG_NEW(job->cx, &r, 1, "powder bed"));
  *self = r;
  IG_TRY(ig_powder_open(job, r));
  material_warn(r);
  job->elements = (int64_t)r->coarse.n[0] * r->coarse.n[1] * r->coarse.n[2] +
                  (int64_t)r->size[0] * r->size[1] * r->size[2] * r->r * r->r * r->r;
  job->nodes = job->dofs = job->elements;
  return IG_OK;
}

static void room_close(void *self) {
  if (self)
    ig_powder_close(self);
  free(self);
}

/* Where a device failed. Kernels run behind the host: the one at fault may be the one launched last
   or one before it. */
static ig_status failed_at(const ig_powder_run *r, ig_status status) {
  char what[1600];
  if (status != IG_DEVICE)
    return status;
  snprintf(what, sizeof what, "%.1500s", r->cx->message);
  return IG_FAIL(r->cx, status,
                 "layer %lld of %lld, step %lld, from %.9g s on, kernel '%s' or one before it "
                 "(CUDA_LAUNCH_BLOCKING=1 tells which): %s",
                 (long long)r->layer, (long long)r->layers, (long long)r->step, r->time,
                 r->launched ? r->launched : "none", what);
}

/* At most 16 steps, so that Ctrl-C and progress are looked at often enough. */
static ig_status advance(void *self, int64_t most, int64_t ahead) {
  (void)ahead;
  ig_powder_run *r = self;
  for (int64_t i = 0; i < most && i < 16 && r->time < r->duration; i++) {
    const ig_status status = ig_powder_advance(r);
    if (status != IG_OK)
      return failed_at(r, status);
    if (ig_powder_film_due(r) && r->job->sink)
      IG_TRY(ig_powder_film_frame(r, r->job->sink));
  }
  return IG_OK;
}

/* How far it is, for the time loop and its progress line. */
static void stand(const void *self, ig_run_status *s) {
  const ig_powder_run *r = self;
  *s = (ig_run_status){.at = {r->step, r->time},
                       .clock = r->time,
                       .duration = r->duration,
                       .dt = r->dt_fine,
                       .uneven = true, /* in pauses; advice.c warns of the fine ones */
                       .ended = r->time >= r->duration,
                       .work = r->work};
  snprintf(s->note, sizeof s->note, "layer %lld of %lld", (long long)r->layer,
           (long long)r->layers);
}

/* For the summary's speeds. */
static void tally(void *self) {
  ig_powder_run *r = self;
  r->job->element_steps = r->work;
  r->job->bytes_moved = 56 * r->work; /* heat, temperature, resistance read and written; a state */
}

/* Reports sizes and memory. Windows do not exist yet, so their memory is estimated from the size of
   one per laser, in both sets. */
static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  ig_powder_run r;
  char text[128];
  ig_status status;
  IG_TRY_GOTO(status, done, ig_powder_open(job, &r));
  material_warn(&r);
  snprintf(text, sizeof text, "%d x %d x %d of %g m", r.coarse.n[0], r.coarse.n[1], r.coarse.n[2],
           r.coarse.edge);
  line(user, "coarse cells", text);
  snprintf(text, sizeof text, "%d x %d x %d of %g m", r.size[0] * r.r, r.size[1] * r.r,
           r.size[2] * r.r, r.cell);
  line(user, "window", text);
  snprintf(text, sizeof text, "%.4g s", r.dt_fine);
  line(user, "fine step", text);
  ig_powder_steps_describe(&r, line, user);
  double volume = 0;
  for (int i = 0; i < r.c->hatch.parts.count; i++)
    volume += r.body[i].volume;
  snprintf(text, sizeof text, "%d, %.6g mm3", r.c->hatch.parts.count, 1e9 * volume);
  if (r.c->hatch.parts.count)
    line(user, "parts, closed", text);
  snprintf(text, sizeof text, "%lld in %lld layers of %g m", (long long)r.lines,
           (long long)r.layers, r.layer_height);
  line(user, "lines", text);
  /* two sets of windows, of which one is in force: heat, temperature, resistance of each cell */
  const double fine = pow(r.r, 3) * r.size[0] * r.size[1] * r.size[2] * r.beams;
  snprintf(text, sizeof text, "%.1f MB on the device, %.1f MB of them states of %.4g fine cells",
           1e-6 * ((double)job->cx->device_bytes + 48 * fine), 1e-6 * (double)r.array.state.count,
           (double)r.nf[0] * (double)r.nf[1] * (double)r.nf[2]);
  line(user, "memory", text);
  ig_powder_events_describe(&r, line, user);
  for (int b = 0; b < r.beams; b++) {
    ig_toolpath_survey s;
    snprintf(text, sizeof text, "%d of %d", b + 1, r.beams);
    if (r.beams > 1)
      line(user, "laser", text);
    IG_TRY_GOTO(status, done, ig_toolpath_look(job->cx, &r.laser[b].path, &s));
    ig_toolpath_describe(&s, line, user);
  }
done:
  ig_powder_close(&r);
  return status;
}

const ig_room ig_room_powder = {.name = "powder",
                                .about = "a part scanned line by line in a bed of powder",
                                .ranks = true,
                                .case_size = sizeof(ig_powder_case),
                                .options = ig_powder_options,
                                .open = room_open,
                                .close = room_close,
                                .advance = advance,
                                .stand = stand,
                                .history = ig_powder_history,
                                .snapshot = ig_powder_snapshot,
                                .save = ig_powder_save,
                                .restore = ig_powder_restore,
                                .results = ig_powder_results,
                                .field = ig_powder_field,
                                .get = ig_powder_get,
                                .tally = tally,
                                .path = ig_powder_path,
                                .check = check,
                                .fields = IG_POWDER_FIELDS,
                                .figures = IG_POWDER_FIGURES,
                                .precisions = "double",
                                .unused = "assembly|mesh"};
