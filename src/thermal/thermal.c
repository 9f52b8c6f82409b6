/* The thermal room: transient heat conduction of parts as they are built. The table at the end is
   what the time loop (run/time_loop.c) calls: open, begin or restore, then advance, wait and
   outputs in turn, results, close. `self` is an ig_thermal_run throughout. */
#include "thermal/thermal.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static ig_status room_open(ig_job *job, void **self) {
  ig_thermal_run *run;
  IG_TRY(IG_NEW(job->cx, &run, 1, "thermal"));
  *self = run;
  IG_TRY(ig_thermal_open(job, run));
  ig_thermal_drop(run);
  job->elements = ig_mesh_elements(job->mesh);
  job->nodes = job->dofs = run->heat.part.nodes.whole_count;
  return IG_OK;
}

static void room_close(void *self) {
  if (self)
    ig_thermal_close(self);
  free(self);
}

static void rank_tell(void *user, const char *label, const char *value) {
  ig_info(user, "%s: %s", label, value);
}

/* The ranks and their parts, a line each. */
static ig_status ranks_tell(ig_thermal_run *run, ig_partition_line *line, void *user) {
  const ig_heat_part *p = &run->heat.part;
  return p->of.ranks > 1 ? ig_partition_describe(run->job->cx, &p->of, &p->halo, line, user)
                         : IG_OK;
}

static ig_status begin(void *self) {
  ig_thermal_run *run = self;
  IG_TRY(ranks_tell(run, rank_tell, run->job->cx));
  return ig_heat_begin(run->job->cx, &run->heat);
}

/* Computes at least one batch, of at most `most` steps, and writes the next one, of at most `ahead`
   steps beyond, while the device works. A batch written ahead takes no long step (`plain`): output
   may be asked for before its end. */
static ig_status advance(void *self, int64_t most, int64_t ahead) {
  ig_thermal_run *run = self;
  const int64_t first = run->done, target = first + most + ahead;
  const int batch = run->most;
  if (run->step == run->done)
    IG_TRY(ig_thermal_write(run, batch < most ? batch : most, false));
  IG_TRY(ig_thermal_advance(run));
  const int64_t left = target - run->done;
  if (left > 0)
    IG_TRY(ig_thermal_write(run, batch < left ? batch : left, true));
  return IG_OK;
}

/* Waits for the device; then errors that kernels have noted in the fault word become a message with
   the number of the node in the whole mesh. */
static ig_status wait(void *self) {
  const ig_thermal_run *run = self;
  IG_TRY(run->job->cx->backend->sync(run->job->cx));
  return ig_fault_check(run->job->cx, "node", run->heat.node_of);
}

static void stand(const void *self, ig_run_status *s) {
  const ig_thermal_run *run = self;
  *s = (ig_run_status){.at = ig_thermal_moment(run, run->done),
                       .clock = (double)run->done * run->dt,
                       .duration = run->c->duration,
                       .steps = run->steps,
                       .dt = run->dt,
                       .ended = run->done >= run->steps,
                       .pending = run->step - run->done,
                       .work = run->heat.element_steps};
}

static void tally(void *self) {
  ig_thermal_run *run = self;
  run->job->element_steps = run->heat.element_steps;
  run->job->bytes_moved =
      ig_heat_step_bytes(&run->heat) * (double)(run->heat.steps_done - run->before);
}

/* What of a beam looks wrong. */
static ig_status beam_warn(const ig_job *job, const ig_thermal_run *r, int i) {
  const ig_beam_case *c = IG_ITEM(const ig_beam_case, r->c->beams, i);
  double all, nowhere, first[3];
  ig_toolpath_survey s;
  const bool told = c->path.at.given; /* when the file was read */
  IG_TRY(ig_toolpath_look(job->cx, &r->beams.beam[i].path, &s));
  if (!told && s.power_max > IG_TOOLPATH_POWER)
    ig_warn_at(job->cx, &c->at, "a power of %g W: is that meant?", s.power_max);
  if (!told && s.speed_max > IG_TOOLPATH_SPEED)
    ig_warn_at(job->cx, &c->at, "a speed of %g m/s: is that meant?", s.speed_max);
  const ig_beam *b = &r->beams.beam[i];
  const double above = b->shape.tilted                     ? INFINITY
                       : b->shape.model == IG_BEAM_SURFACE ? b->shape.reach
                                                           : b->cutoff;
  IG_TRY(ig_thermal_beam_land(job->cx, job->mesh, &b->path, b->shape.radius, above * (1 + 1e-9),
                              &all, &nowhere, first));
  if (nowhere > 1e-3 * all)
    ig_warn_at(job->cx, &c->at,
               "%.3g J of this beam's %.3g J land beside the part or pass over it, first at (%g, "
               "%g, %g) m",
               nowhere, all, first[0], first[1], first[2]);
  return IG_OK;
}

/* Distinct births that the run comes to. */
static int births_until(const ig_thermal_run *r) {
  int count = 0;
  for (int i = 1; i < r->heat.birth.events; i++)
    count += r->heat.birth.time[i] < r->c->duration;
  return count;
}

/* `ingot check`: opens the run as for computing, reports and closes it. Warnings need the whole
   mesh, so they come before ig_thermal_drop. */
static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  static const char *const conduction[] = {"recompute", "classes", "stencil"};
  ig_thermal_run r;
  char text[128];
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_open(job, &r));
  for (int i = 0; i < r.beams.count && ig_ranks_first(job->cx); i++)
    IG_TRY_GOTO(status, done, beam_warn(job, &r, i)); /* while the mesh is there */
  ig_thermal_drop(&r);
  snprintf(text, sizeof text, "%.4g s (element %d)", 2 / r.rate, (int)r.heat.limit.element);
  line(user, "critical step", text);
  snprintf(text, sizeof text, "%lld of %.4g s", (long long)r.steps, r.dt);
  line(user, "steps", text);
  const ig_lid all = ig_mesh_elements(job->mesh), *born = r.heat.birth.mesh;
  snprintf(text, sizeof text, "%d, %d at the start, %d births, %d never", (int)all, (int)born[1],
           births_until(&r), (int)(all - born[r.heat.birth.events] + r.unborn));
  line(user, "elements", text);
  line(user, "conduction", conduction[r.heat.conduction]);
  snprintf(text, sizeof text, "%.3g MB", 1e-6 * (double)job->cx->device_bytes);
  line(user, "device memory", text);
  IG_TRY_GOTO(status, done, ranks_tell(&r, line, user));
  for (int i = 0; i < r.beams.count; i++) {
    ig_toolpath_survey s;
    snprintf(text, sizeof text, "%d of %d", i + 1, r.beams.count);
    line(user, "beam", text);
    IG_TRY_GOTO(status, done, ig_toolpath_look(job->cx, &r.beams.beam[i].path, &s));
    ig_toolpath_describe(&s, line, user);
  }
done:
  ig_thermal_close(&r);
  return status;
}

const ig_room ig_room_thermal = {.name = "thermal",
                                 .about = "transient heat of parts as they are printed",
                                 .needs_mesh = true,
                                 .ranks = true,
                                 .clusters = true,
                                 .elements = "hex8|tet4|tet10|wedge6|pyramid5",
                                 .case_size = sizeof(ig_thermal_case),
                                 .options = ig_thermal_options,
                                 .open = room_open,
                                 .close = room_close,
                                 .begin = begin,
                                 .restore = ig_thermal_restore,
                                 .advance = advance,
                                 .wait = wait,
                                 .stand = stand,
                                 .history = ig_thermal_history,
                                 .snapshot = ig_thermal_snapshot,
                                 .save = ig_thermal_save,
                                 .results = ig_thermal_results,
                                 .tally = tally,
                                 .field = ig_thermal_field,
                                 .get = ig_thermal_get,
                                 .set = ig_thermal_set,
                                 .load = ig_thermal_load,
                                 .support = ig_thermal_support,
                                 .path = ig_thermal_path,
                                 .check = check,
                                 .fields = IG_THERMAL_FIELDS,
                                 .figures = IG_THERMAL_FIGURES};
