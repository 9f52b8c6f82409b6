/* The thermal room: transient heat conduction of parts as they are built. */
#include "thermal/thermal.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what a case may say */

#define B ig_thermal_boundary
static const ig_option boundary_options[] = {
    IG_TEXTS(B, on, IG_REQUIRED,
             "face sets; `surface`: the outer surface, which moves as elements are born"),
    IG_REAL(B, temperature, "K", NULL, 0, 1e5, "held at this temperature (named face sets only)"),
    IG_REAL(B, flux, "W/m^2", NULL, 0, 0, "heat flux into the body"),
    IG_REAL(B, convection, "W/(m^2 K)", NULL, 0, 1e9, "heat transfer coefficient"),
    IG_REAL(B, emissivity, "", NULL, 0, 1, "radiation to the ambient with this emissivity"),
    IG_REAL(B, ambient, "K", NULL, 0, 1e5, "ambient temperature here; left out: the case's"),
    IG_END};
#undef B

#define P ig_thermal_probe
static const ig_option probe_options[] = {
    IG_TEXT(P, name, IG_REQUIRED, "column name in history.csv"),
    IG_VECTOR(P, point, 3, "m", IG_REQUIRED, "where"),
    IG_VECTOR(P, to, 3, "m", NULL, "given: probes along the line from point to here"),
    IG_INT(P, count, "2", 2, 1000, "how many of them"), IG_END};
#undef P

#define C ig_thermal_case
const ig_option ig_thermal_options[] = {
    IG_REAL(C, initial_temperature, "K", "300 K", 0, 1e5, "temperature at the start"),
    IG_REAL(C, ambient, "K", "300 K", 0, 1e5, "temperature of the surroundings"),
    IG_REAL(C, duration, "s", IG_REQUIRED, IG_TINY, 1e9, "how long to simulate"),
    IG_REAL(C, time_step, "s", NULL, IG_TINY, 1e9,
            "step of the explicit integration; left out: safety x the critical step"),
    IG_REAL(C, safety, "", "0.9", 0.01, 1, "share of the critical step to take"),
    IG_REAL(C, dwell_change, "K", NULL, IG_TINY, 1e4,
            "while no beam is on, take longer steps, growing as long as no node changes by more "
            "than this in one; left out: all steps are alike"),
    IG_CHOICE(
        C, conduction, "auto|recompute|classes|stencil", "auto",
        "how conduction is made: geometry every step, one matrix a class of alike elements, "
        "or assembled rows of alike nodes (constant properties); auto: the fastest that fits"),
    IG_CHOICE(C, surface, "auto|switch|branch|lumped", "auto",
              "surface fluxes at face points with dead faces multiplied by zero (switch) or "
              "skipped (branch), or at the nodes (lumped, auto)"),
    IG_CHOICE(C, latent, "enthalpy|apparent", "enthalpy",
              "how capacity that depends on temperature enters: as heat content, which closes the "
              "energy balance, or as apparent capacity"),
    IG_REAL(C, body_source, "W/m^3", "0", 0, 0, "heat made everywhere in the body"),
    IG_LIST(C, boundary, ig_thermal_boundary, boundary_options, NULL, "boundary conditions"),
    IG_LIST(C, beams, ig_beam_case, ig_beam_options, NULL, "heat sources that follow a path"),
    IG_MAP(C, birth, ig_birth_case, ig_birth_options, NULL, "elements born as they are built"),
    IG_INT(C, track_every, "10", 0, 1e9,
           "steps between looks at each element's peak, melting and solidification; 0: not kept"),
    IG_LIST(C, probes, ig_thermal_probe, probe_options, NULL, "points whose temperature is kept"),
    IG_END};
#undef C

/* --- from the case to the engine */

static ig_status materials_assign(ig_thermal_run *run) {
  ig_job *job = run->job;
  ig_ctx *cx = job->cx;
  const ig_mesh *mesh = job->mesh;
  const int count = job->materials ? job->materials->count : 0;
  if (count == 0 || count > 16)
    return ig_fail_at(cx, &run->c->at, "physics: thermal needs 1 to 16 materials (found %d)",
                      count);
  const ig_lid elements = ig_mesh_elements(mesh);
  IG_TRY(IG_NEW(cx, &run->material_of, elements, "element materials"));
  memset(run->material_of, 255, (size_t)elements);
  int rest = -1;
  for (int m = 0; m < count; m++) {
    run->material[m] = IG_ITEM(const ig_material_case, *job->materials, m);
    if (run->material[m]->set.count == 0)
      rest = m;
    for (int t = 0; t < run->material[m]->set.count; t++) {
      const char *name = run->material[m]->set.value[t];
      const ig_set *set = ig_mesh_find_set(mesh, name, IG_SET_ELEMENTS);
      if (!set)
        return ig_fail_at(cx, &run->material[m]->at,
                          "material '%s': the mesh has no element set '%s'", run->material[m]->name,
                          name);
      for (ig_lid i = 0; i < set->count; i++)
        run->material_of[set->item[i]] = (uint8_t)m;
    }
  }
  for (ig_lid e = 0; e < elements; e++)
    if (run->material_of[e] == 255) {
      if (rest < 0)
        return ig_fail_at(cx, &run->material[0]->at,
                          "element %d is made of nothing: give a material without a set for the "
                          "rest",
                          (int)e);
      run->material_of[e] = (uint8_t)rest;
    }
  return IG_OK;
}

static ig_status conditions_make(ig_thermal_run *run, ig_heat_condition *condition, int *count) {
  ig_ctx *cx = run->job->cx;
  *count = 0;
  for (int i = 0; i < run->c->boundary.count; i++) {
    const ig_thermal_boundary *b = IG_ITEM(const ig_thermal_boundary, run->c->boundary, i);
    if (isnan(b->temperature) && isnan(b->flux) && isnan(b->convection) && isnan(b->emissivity))
      return ig_fail_at(cx, &b->at,
                        "nothing is said about this boundary: give temperature, flux, convection "
                        "or emissivity");
    for (int s = 0; s < b->on.count; s++) {
      const bool everywhere = strcmp(b->on.value[s], "surface") == 0;
      const ig_set *set =
          everywhere ? NULL : ig_mesh_find_set(run->job->mesh, b->on.value[s], IG_SET_FACES);
      if (!everywhere && !set)
        return ig_fail_at(cx, &b->at, "the mesh has no face set '%s' (`surface` is the outer one)",
                          b->on.value[s]);
      if (everywhere && !isnan(b->temperature))
        return ig_fail_at(cx, &b->at, "a temperature can be held on named face sets only");
      if (*count == 32)
        return ig_fail_at(cx, &b->at, "more than 32 boundary conditions");
      condition[(*count)++] = (ig_heat_condition){
          set,           b->temperature, b->flux,
          b->convection, b->emissivity,  isnan(b->ambient) ? run->c->ambient : b->ambient};
    }
  }
  return IG_OK;
}

/* Paths of the beams, and from them when each element is born. */
static ig_status births_make(ig_thermal_run *run, ig_toolpath *paths) {
  ig_ctx *cx = run->job->cx;
  const ig_thermal_case *c = run->c;
  for (int i = 0; i < c->beams.count; i++)
    IG_TRY(ig_beam_path(cx, IG_ITEM(const ig_beam_case, c->beams, i), &paths[i]));
  if (!c->birth.at.given)
    return IG_OK;
  if (c->beams.count == 0)
    return ig_fail_at(cx, &c->birth.at, "elements are born along the path of a beam: add beams");
  IG_TRY(IG_NEW(cx, &run->birth, ig_mesh_elements(run->job->mesh), "births"));
  ig_lid never;
  IG_TRY(ig_birth_times(cx, &c->birth, run->job->mesh, paths, c->beams.count, run->birth, &never));
  if (never)
    ig_warn_at(cx, &c->birth.at,
               "%d elements are reached by no pass and never born: wider beads or more layers?",
               (int)never);
  return IG_OK;
}

static ig_status step_choose(ig_thermal_run *run) {
  const ig_thermal_case *c = run->c;
  ig_ctx *cx = run->job->cx;
  const double critical = 2 / run->heat.rate;
  double dt = c->safety * critical;
  if (!isnan(c->time_step)) {
    if (c->time_step > critical)
      return ig_fail_at(cx, &c->at,
                        "time_step %g s is above the critical step %.4g s (element %d sets it): "
                        "give less, or leave it out",
                        c->time_step, critical, (int)run->heat.limiting);
    dt = c->time_step;
  }
  run->steps = (int64_t)ceil(c->duration / dt * (1 - 1e-12));
  run->steps = run->steps < 1 ? 1 : run->steps;
  run->dt = c->duration / (double)run->steps;
  run->critical = c->safety * critical;
  return IG_OK;
}

/* Whether some material can melt: else there is nothing to look for in an element's past. */
static bool melts(const ig_thermal_run *run) {
  for (int m = 0; m < run->job->materials->count; m++)
    if (!isnan(run->material[m]->liquidus))
      return true;
  return false;
}

/* The engine, from the case; `paths` go to the beams. */
static ig_status engine_make(ig_thermal_run *run, ig_toolpath *paths) {
  ig_job *job = run->job;
  ig_ctx *cx = job->cx;
  const ig_thermal_case *c = run->c;
  ig_heat_condition condition[32];
  ig_heat_setup setup = {.mesh = job->mesh,
                         .precision = job->precision,
                         .assembly = job->assembly,
                         .slots = IG_SLOTS_COMPACT,
                         .surface = c->surface ? (ig_heat_surface)(c->surface - 1) : IG_HEAT_LUMPED,
                         .enthalpy = c->latent == 0,
                         .materials = job->materials->count,
                         .material = run->material,
                         .material_of = run->material_of,
                         .birth = run->birth,
                         .condition = condition,
                         .initial = c->initial_temperature,
                         .ambient = c->ambient,
                         .newborn = (ig_heat_newborn)c->birth.temperature,
                         .track = melts(run) ? (int)c->track_every : 0,
                         .body = c->body_source,
                         .leaps = !isnan(c->dwell_change)};
  IG_TRY(conditions_make(run, condition, &setup.conditions));
  if (c->conduction) {
    setup.conduction = (ig_heat_conduction)(c->conduction - 1);
    IG_TRY(ig_heat_new(cx, &setup, &run->heat));
  } else {
    IG_TRY(ig_heat_new_fastest(cx, &setup, &run->heat));
  }
  return ig_beams_new(cx, &c->beams, paths, &run->heat, run->material[0]->absorptivity,
                      c->birth.at.given ? 1.5 * c->birth.height : 0, job->mesh, &run->beams);
}

ig_status ig_thermal_open(ig_job *job, ig_thermal_run *run) {
  memset(run, 0, sizeof *run);
  ig_ctx *cx = job->cx;
  run->job = job;
  run->c = job->room_case;
  run->layer_z = run->interlayer = NAN;
  run->leap = -IG_THERMAL_FIRST_WAIT;
  run->wait = IG_THERMAL_FIRST_WAIT;
  IG_TRY(materials_assign(run));
  const int beams = run->c->beams.count;
  ig_toolpath *paths;
  IG_TRY(IG_NEW(cx, &paths, beams, "toolpaths"));
  ig_status status = births_make(run, paths);
  if (status == IG_OK)
    status = engine_make(run, paths);
  for (int i = 0; i < beams; i++)
    ig_toolpath_free(&paths[i]);
  free(paths);
  IG_TRY(status);
  IG_TRY(step_choose(run));
  return ig_thermal_probes(run);
}

void ig_thermal_close(ig_thermal_run *run) {
  ig_heat_free(run->job->cx, &run->heat);
  ig_beams_free(run->job->cx, &run->beams);
  free(run->material_of);
  free(run->birth);
  free(run->probe);
  ig_array_free(run->job->cx, &run->pick);
  ig_array_free(run->job->cx, &run->picked);
}

/* --- the run */

static ig_status checkpoint_write(ig_thermal_run *run) {
  ig_saved saved[IG_HEAT_SAVED + 1];
  int count;
  IG_TRY(ig_heat_save(run->job->cx, &run->heat, saved, &count));
  double kept[10] = {run->layer_z,      run->interlayer,   run->melt_most[0],
                     run->melt_most[1], run->melt_most[2], run->melt_most[3]};
  memcpy(kept + 6, run->as_done, sizeof run->as_done);
  saved[count++] = (ig_saved){"kept", IG_F64, 10, kept};
  return run->job->sink->checkpoint(run->job->sink, (double)run->done * run->dt, run->done, saved,
                                    count);
}

static ig_status run_start(ig_thermal_run *run) {
  ig_ctx *cx = run->job->cx;
  const ig_restart *restart = run->job->restart;
  if (!restart) {
    IG_TRY(ig_heat_begin(cx, &run->heat, 0));
    if (!run->job->sink)
      return IG_OK;
    IG_TRY(ig_thermal_history(run));
    return ig_thermal_snapshot(run);
  }
  if (restart->step > run->steps ||
      fabs(restart->time - (double)restart->step * run->dt) > 1e-9 * run->dt)
    return IG_FAIL(cx, IG_INPUT,
                   "the checkpoint was made with another time step or duration: continue with the "
                   "case it belongs to");
  run->step = run->done = run->shown = restart->step;
  IG_TRY(ig_heat_begin(cx, &run->heat, run->step ? (double)(run->step - 1) * run->dt : 0));
  const void *data;
  IG_TRY(ig_restart_find(cx, restart, "kept", IG_F64, 10, &data));
  const double *kept = data;
  run->layer_z = kept[0];
  run->interlayer = kept[1];
  memcpy(run->melt_most, kept + 2, sizeof run->melt_most);
  run->beams.asked = kept[6];
  run->leap = (int64_t)kept[7];
  run->wait = (int64_t)kept[8];
  run->critical = kept[9];
  ig_thermal_note(run);
  return ig_heat_restore(cx, &run->heat, restart);
}

/* What is due after the steps that are done; the time it took is added to *output. */
static ig_status outputs_write(ig_thermal_run *run, double *saved, double *output) {
  ig_job *job = run->job;
  const bool history = ig_thermal_history_due(run, run->done),
             snapshot = ig_thermal_snapshot_due(run, run->done);
  if (!job->sink || run->done == run->shown || !(history || snapshot))
    return IG_OK;
  IG_TRY(job->cx->backend->sync(job->cx)); /* waiting for steps is no output */
  const double mark = ig_now();
  IG_TRY(ig_fault_check(job->cx, "node", NULL));
  if (history)
    IG_TRY(ig_thermal_history(run));
  if (snapshot)
    IG_TRY(ig_thermal_snapshot(run));
  const double every = job->output->checkpoint_every;
  if (every > 0 && ig_now() - *saved > every) {
    IG_TRY(checkpoint_write(run));
    *saved = ig_now();
  }
  run->shown = run->done;
  *output += ig_now() - mark;
  return IG_OK;
}

static void progress(const ig_thermal_run *run, double elapsed) {
  const ig_progress p = {.unit = "step",
                         .done = (double)run->done,
                         .total = (double)run->steps,
                         .rate = elapsed > 0 ? run->heat.element_steps / elapsed : 0,
                         .note = ""};
  ig_progress_report(run->job->cx, &p);
}

/* Each batch is written while the device works on the one before; what is due after that one is
   put out in between. */
static ig_status run_loop(ig_thermal_run *run) {
  ig_job *job = run->job;
  ig_ctx *cx = job->cx;
  const double begin = ig_now();
  double saved = begin, output = 0;
  int most = 16;
  while (run->step < run->steps) {
    const double start = ig_now();
    IG_TRY(ig_thermal_write(run, most));
    IG_TRY(outputs_write(run, &saved, &output));
    if (cx->interrupted && run->done > 0) {
      if (job->sink)
        IG_TRY(checkpoint_write(run));
      return IG_FAIL(cx, IG_INTERRUPTED, "interrupted at step %lld of %lld", (long long)run->done,
                     (long long)run->steps);
    }
    const int64_t before = run->done;
    IG_TRY(ig_thermal_advance(run));
    const double took = ig_now() - start;
    /* long enough to be worth a launch, short enough to answer Ctrl-C */
    if (took < 0.1 && run->done - before == most && most < 8192)
      most *= 2;
    else if (took > 0.5 && most > 1)
      most /= 2;
    progress(run, ig_now() - begin - output);
  }
  IG_TRY(outputs_write(run, &saved, &output));
  IG_TRY(cx->backend->sync(cx));
  IG_TRY(ig_fault_check(cx, "node", NULL));
  job->seconds_output = output;
  job->seconds_solve = ig_now() - begin - output;
  return job->sink ? checkpoint_write(run) : IG_OK;
}

static ig_status thermal_run(ig_job *job) {
  ig_thermal_run run;
  const double begin = ig_now();
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_open(job, &run));
  IG_TRY_GOTO(status, done, run_start(&run));
  job->seconds_setup = ig_now() - begin;
  status = run_loop(&run);
  job->elements = run.heat.elements;
  job->nodes = job->dofs = run.heat.nodes;
  job->steps = run.done;
  job->element_steps = run.heat.element_steps;
  job->bytes_moved = ig_heat_step_bytes(&run.heat) * (double)run.heat.steps_done;
  if (status == IG_OK && job->sink)
    status = ig_thermal_results(&run);
done:
  ig_thermal_close(&run);
  return status;
}

static ig_status thermal_check(ig_job *job, ig_check_line *line, void *user) {
  static const char *const conduction[] = {"recompute", "classes", "stencil"};
  ig_thermal_run run;
  char text[128];
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_open(job, &run));
  snprintf(text, sizeof text, "%.4g s (element %d)", 2 / run.heat.rate, (int)run.heat.limiting);
  line(user, "critical step", text);
  snprintf(text, sizeof text, "%lld of %.4g s", (long long)run.steps, run.dt);
  line(user, "steps", text);
  snprintf(text, sizeof text, "%d, %d at the start, %d births, %d never", (int)run.heat.elements,
           (int)run.heat.event_start[1], run.heat.events - 1, (int)run.heat.never);
  line(user, "elements", text);
  line(user, "conduction", conduction[run.heat.conduction]);
  snprintf(text, sizeof text, "%.3g MB", 1e-6 * (double)job->cx->device_bytes);
  line(user, "device memory", text);
done:
  ig_thermal_close(&run);
  return status;
}

const ig_room ig_room_thermal = {.name = "thermal",
                                 .about = "transient heat of parts as they are printed",
                                 .needs_mesh = true,
                                 .case_size = sizeof(ig_thermal_case),
                                 .options = ig_thermal_options,
                                 .run = thermal_run,
                                 .check = thermal_check,
                                 .verify = ig_thermal_verify,
                                 .unused = "output.fields",
                                 .bench = ig_thermal_bench};
