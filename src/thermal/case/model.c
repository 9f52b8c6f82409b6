/* From the case to the engine: materials, births, conditions, beams, the time step; then warnings
   about what was hardly meant. ig_thermal_open is the entry, for a run and for `ingot check` alike.
 */
#include "thermal/thermal.h"
#include "backend/backend.h"
#include "core/threads.h"
#include "geometry/mesh_case.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* IG_CLAIM finds the material of every element from the sets that materials name: the last one that
   names an element counts, the one that names no set takes the rest. Fails where none does. */
static ig_status materials_assign(ig_thermal_run *run) {
  ig_job *job = run->job;
  ig_ctx *cx = job->cx;
  const ig_mesh *mesh = job->mesh;
  const int count = job->materials ? job->materials->count : 0;
  if (count == 0 || count > 16)
    return ig_fail_at(cx, &run->c->at, "physics: thermal needs 1 to 16 materials (found %d)",
                      count);
  for (int m = 0; m < count; m++)
    run->material[m] = IG_ITEM(const ig_material_case, *job->materials, m);
  const ig_lid elements = ig_mesh_elements(mesh);
  int *owner;
  IG_TRY(IG_NEW(cx, &run->material_of, elements, "element materials"));
  IG_TRY(IG_NEW(cx, &owner, elements, "element materials"));
  const ig_status status = IG_CLAIM(cx, mesh, job->materials, ig_material_case, "material", owner);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, elements, IG_WORK_VALUE))
  for (ig_lid e = 0; e < elements; e++)
    run->material_of[e] = (uint8_t)owner[e];
  free(owner);
  return status;
}

/* Paths of the beams, and from them when each element is born. */
static ig_status births_make(ig_thermal_run *run, ig_toolpath *paths) {
  ig_ctx *cx = run->job->cx;
  const ig_thermal_case *c = run->c;
  IG_TRY(ig_thermal_paths(cx, c, paths));
  if (!c->birth.at.given)
    return IG_OK;
  if (c->beams.count == 0 && c->birth.by != IG_BIRTH_LIST && c->birth.by != IG_BIRTH_FIELD)
    return ig_fail_at(cx, &c->birth.at,
                      "elements are born along the path of a beam: add beams, or "
                      "give their births as a list or a field");
  for (int i = 0; i < c->beams.count; i++) {
    const double *d = paths[i].direction;
    if ((d[0] != 0 || d[1] != 0) && c->birth.by != IG_BIRTH_LIST && c->birth.by != IG_BIRTH_FIELD)
      return ig_fail_at(cx, &c->birth.at,
                        "the path of beam %d turns the part (five axes), and beads are laid from "
                        "above: give the births as a list or a field",
                        i + 1);
  }
  IG_TRY(IG_NEW(cx, &run->birth, ig_mesh_elements(run->job->mesh), "births"));
  ig_lid never;
  IG_TRY(ig_birth_times(cx, &c->birth, run->job->mesh, paths, c->beams.count, run->birth, &never));
  if (never)
    ig_warn_at(cx, &c->birth.at, "%d elements are %s", (int)never,
               c->birth.by == IG_BIRTH_FIELD
                   ? "not in the file and never born"
                   : "reached by no pass and never born: wider beads or more layers?");
  return IG_OK;
}

/* The time step. All steps are equal, so the step is shortened until the duration is a whole number
   of them. A step above the critical one is refused, not shortened: the user gave it for a reason.
 */
static ig_status step_choose(ig_thermal_run *run) {
  const ig_thermal_case *c = run->c;
  ig_ctx *cx = run->job->cx;
  const ig_src at = ig_key_at(run->job->tree, "time_step", c->at);
  /* explicit Euler is stable up to 2 / (largest rate) */
  run->rate = c->step_limit ? run->heat.limit.rate_state : run->heat.limit.rate;
  const double critical = 2 / run->rate, longer = 2 / run->heat.limit.rate_state;
  double dt = c->safety * critical;
  if (!isnan(c->time_step)) {
    if (c->time_step > critical && c->time_step <= longer)
      return ig_fail_at(cx, &at,
                        "time_step %g s is above the critical step %.4g s (element %d sets it) for "
                        "any pair of properties in the tables: give less, or step_limit: state, "
                        "which allows %.4g s",
                        c->time_step, critical, (int)run->heat.limit.element, longer);
    if (c->time_step > critical)
      return ig_fail_at(cx, &at,
                        "time_step %g s is above the critical step %.4g s (element %d sets it): "
                        "give less, or leave it out",
                        c->time_step, critical, (int)run->heat.limit.element);
    dt = c->time_step;
  }
  /* 1e-12: a duration that is a whole number of steps but for rounding stays one */
  IG_TRY(ig_steps_count(cx, &at, ceil(c->duration / dt * (1 - 1e-12)), dt, &run->steps));
  run->steps = run->steps < 1 ? 1 : run->steps;
  run->dt = c->duration / (double)run->steps;
  run->critical = c->safety * critical;
  return IG_OK;
}

/* Steps in a batch: 2e9 element steps on a GPU and 5e6 on a CPU are about a tenth of a second to a
   few seconds of work, long enough to be worth a launch, short enough to answer Ctrl-C. From sizes
   alone, so that no result can depend on the clock. */
static int batch_length(const ig_thermal_run *run) {
  const bool cuda = run->job->cx->backend->kernels == IG_KERNELS_CUDA;
  const double steps = (cuda ? 2e9 : 5e6) / (double)run->heat.part.cells.whole_count;
  return steps < 1 ? 1 : steps > 8192 ? 8192 : (int)steps;
}

/* Whether some material can melt: else there is nothing to look for in an element's past. */
static bool melts(const ig_thermal_run *run) {
  for (int m = 0; m < run->job->materials->count; m++)
    if (!isnan(run->material[m]->liquidus))
      return true;
  return false;
}

/* Births that do not divide a step come when the next begins. Where steps are long beside the case,
   those due within the last one are missing at the end. */
static void late_warn(const ig_thermal_run *run) {
  const double end = run->c->duration;
  ig_lid late = 0;
  for (ig_lid e = 0; run->birth && !run->divides && e < ig_mesh_elements(run->job->mesh); e++)
    late += run->birth[e] > end - run->dt && run->birth[e] < end;
  if (late && run->dt > 1e-3 * end)
    ig_warn_at(run->job->cx, &run->c->birth.at,
               "%d elements are due within the last step, of %.3g s, and are not there at the end: "
               "give a smaller time_step or birth.timing: exact",
               late, run->dt);
}

/* What `duration` cuts off: elements that are due later, light that is sent later. */
static void cut_warn(ig_thermal_run *run) {
  const double end = run->c->duration;
  double later = 0, all = 0, last = 0, due = 0;
  for (ig_lid e = 0; run->birth && e < ig_mesh_elements(run->job->mesh); e++)
    if (run->birth[e] >= end && run->birth[e] < INFINITY) {
      run->unborn++;
      due = fmax(due, run->birth[e]);
    }
  for (int i = 0; i < run->beams.count; i++) {
    double on;
    later += ig_toolpath_after(&run->beams.beam[i].path, end, &on);
    all += ig_toolpath_after(&run->beams.beam[i].path, -INFINITY, &on);
    last = fmax(last, on);
  }
  const ig_src at = ig_key_at(run->job->tree, "duration", run->c->at);
  if (run->unborn)
    ig_warn_at(run->job->cx, &at,
               "the case ends at %g s, before its build: %d elements are due later, up to %.6g s, "
               "and are never born: give a longer duration, or a shorter path",
               end, (int)run->unborn, due);
  else if (later > 1e-6 * all)
    ig_warn_at(run->job->cx, &at,
               "the case ends at %g s, before its path: beams are on until %.6g s, and %.3g J of "
               "%.3g J are not sent: give a longer duration, or a shorter path",
               end, last, later, all);
}

/* A case in which all stays as it is was hardly meant so. */
static void idle_warn(const ig_thermal_run *run) {
  const ig_thermal_case *c = run->c;
  bool acts =
      c->beams.count > 0 || c->body_source != 0 || c->initial.count > 0 || c->birth.at.given;
  for (int i = 0; i < run->conditions; i++) {
    const ig_heat_condition *b = &run->condition[i];
    const bool film = b->h > 0 || b->emissivity > 0;
    acts |= run->hold > 0 || (!isnan(b->flux) && b->flux != 0) ||
            (film && b->ambient != c->initial_temperature) ||
            (!isnan(b->temperature) && b->temperature != c->initial_temperature);
  }
  if (!acts)
    ig_warn_at(run->job->cx, &c->at,
               "nothing acts on the part: no beam, no source, no boundary at another temperature "
               "than the part's");
}

/* Boundaries radiate, materials do not: whoever gives a material's emissivity may expect more. */
static void radiation_warn(const ig_thermal_run *run) {
  for (int i = 0; i < run->conditions; i++)
    if (!isnan(run->condition[i].emissivity))
      return;
  for (int i = 0; i < run->job->materials->count; i++) {
    const ig_material_case *m = IG_ITEM(const ig_material_case, *run->job->materials, i);
    if (m->emissivity > 0) {
      ig_warn_at(run->job->cx, &m->at,
                 "nothing radiates: material '%.60s' has an emissivity of %g and no boundary has "
                 "one: give boundary: {set: surface, emissivity: %g}, or 0",
                 m->name, m->emissivity, m->emissivity);
      return;
    }
  }
}

/* Where in the case a failure of the engine belongs, unless that was said. */
static ig_status engine_placed(ig_ctx *cx, ig_status status, const ig_src *at) {
  return at->file && strstr(cx->message, at->file) ? status : ig_mesh_placed(cx, status, at);
}

/* Evaporation is solved at nodes, at the end of plain steps. */
static ig_status evaporation_check(const ig_thermal_run *run) {
  const ig_thermal_case *c = run->c;
  const ig_thermal_boundary *b = NULL;
  for (int i = 0; i < c->boundary.count && !(b && b->evaporation); i++)
    b = IG_ITEM(const ig_thermal_boundary, c->boundary, i);
  if (!b || !b->evaporation)
    return IG_OK;
  ig_ctx *cx = run->job->cx;
  if (c->surface != 0 && c->surface - 1 != IG_HEAT_LUMPED)
    return ig_fail_at(cx, &b->at, "evaporation needs `surface: lumped`: leave `surface` out");
  if (c->latent != 0)
    return ig_fail_at(cx, &b->at, "evaporation needs `latent: enthalpy`: leave `latent` out");
  if (c->conduction && c->conduction - 1 == IG_HEAT_STENCIL)
    return ig_fail_at(cx, &b->at,
                      "evaporation does not go with `conduction: stencil`: leave `conduction` out");
  if (!isnan(c->dwell_change))
    return ig_fail_at(cx, &b->at, "evaporation does not go with `dwell_change`: leave it out");
  for (int i = 0; i < run->job->materials->count; i++)
    IG_TRY(ig_material_require(cx, run->material[i], "boiling|evaporation_heat|molar_mass|liquidus",
                               "evaporation"));
  return IG_OK;
}

/* The engine, from the case; `paths` go to the beams. */
/* Steps between looks at the past of elements; 0: none is kept. Events are all meltings, so that a
   look in every step is what they want. */
static int looks_every(const ig_thermal_run *run) {
  const ig_thermal_case *c = run->c;
  if (!melts(run))
    return 0;
  if (!run->job->tree || ig_node_find(run->job->tree, "track_every"))
    return (int)c->track_every;
  return c->exaca != IG_THERMAL_EXACA_NONE ? 1 : 10;
}

static ig_status engine_make(ig_thermal_run *run, ig_toolpath *paths, bool elements) {
  ig_job *job = run->job;
  ig_ctx *cx = job->cx;
  const ig_thermal_case *c = run->c;
  /* the strongest films over time, which bound the step; those of the start follow later */
  ig_heat_condition condition[IG_THERMAL_CONDITIONS];
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
                         .until = c->duration,
                         .condition = condition,
                         .initial = c->initial_temperature,
                         .initial_of = run->initial,
                         .ambient = ig_thermal_ambient(run, 0),
                         .newborn = (ig_heat_newborn)c->birth.temperature,
                         .track = looks_every(run),
                         .crossings = c->exaca != IG_THERMAL_EXACA_NONE,
                         .body = c->body_source,
                         .leaps = !isnan(c->dwell_change),
                         .no_rows = elements};
  for (int d = 0; d < 3; d++) {
    setup.anisotropy[d] = c->anisotropy[d];
    const ig_src at = ig_key_at(job->tree, "anisotropy", c->at);
    if (!(c->anisotropy[d] >= 1e-3 && c->anisotropy[d] <= 1e3))
      return ig_fail_at(cx, &at, "`anisotropy` is %g along %c: expected 0.001 to 1000",
                        c->anisotropy[d], "xyz"[d]);
  }
  IG_TRY(ig_thermal_conditions(run));
  IG_TRY(evaporation_check(run));
  for (int i = 0; i < run->conditions; i++)
    setup.no_rows |= run->condition[i].boils;
  ig_thermal_conditions_steepest(run, condition);
  setup.conditions = run->conditions;
  /* a beam meets one material first; which one is not known, so the first one's value counts */
  const ig_table *own = &run->material[0]->absorptivity;
  IG_TRY(ig_beams_absorptivity(cx, &c->beams, own, &setup.absorptivity));
  if (c->conduction) {
    setup.conduction = (ig_heat_conduction)(c->conduction - 1);
    const ig_src at = ig_key_at(job->tree, "conduction", c->at);
    IG_TRY(engine_placed(cx, ig_heat_new(cx, &setup, &run->heat), &at));
  } else {
    IG_TRY(engine_placed(cx, ig_heat_new_fastest(cx, &setup, &run->heat), &c->at));
  }
  IG_TRY(ig_beams_new(cx, &c->beams, paths, &run->heat, run->material[0], c->initial_temperature,
                      c->birth.at.given && !isnan(c->birth.height) ? 1.5 * c->birth.height : 0,
                      job->mesh, &run->beams));
  for (int i = 0; i < run->beams.count; i++)
    IG_TRY(ig_beam_width_warn(cx, IG_ITEM(const ig_beam_case, c->beams, i), &run->heat,
                              &run->beams.beam[i]));
  return ig_thermal_fields_part(run);
}

/* After the engine is made, on several ranks: the whole mesh is needed no more, and is the largest
   array of a rank. */
void ig_thermal_drop(ig_thermal_run *run) {
  if (ig_ranks_count(run->job->cx->ranks) == 1) /* the mesh is the part's */
    return;
  free(run->material_of);
  free(run->birth);
  free(run->initial);
  run->material_of = NULL;
  run->birth = run->initial = NULL;
  ig_partition_drop_mesh(run->job->cx, run->job->mesh);
}

/* Order matters: births need paths, the engine needs births (elements are numbered by them), beams
   need the engine, the time step needs the engine's critical one, boundary values need the time
   step. Paths go to the beams with the engine; what is left of them is freed here, also after a
   failure. */
ig_status ig_thermal_open(ig_job *job, ig_thermal_run *run) {
  return ig_thermal_open_for(job, run, false);
}

ig_status ig_thermal_open_for(ig_job *job, ig_thermal_run *run, bool elements) {
  memset(run, 0, sizeof *run);
  ig_ctx *cx = job->cx;
  run->job = job;
  run->c = job->room_case;
  run->layer_z = run->interlayer = NAN;
  run->leap = -IG_THERMAL_FIRST_WAIT;
  run->wait = IG_THERMAL_FIRST_WAIT;
  IG_TRY(materials_assign(run));
  IG_TRY(ig_thermal_initials(run));
  const int beams = run->c->beams.count;
  ig_toolpath *paths;
  IG_TRY(IG_NEW(cx, &paths, beams, "toolpaths"));
  ig_status status = births_make(run, paths);
  if (status == IG_OK)
    status = engine_make(run, paths, elements);
  for (int i = 0; i < beams; i++)
    ig_toolpath_free(&paths[i]);
  free(paths);
  IG_TRY(status);
  IG_TRY(ig_thermal_exaca_check(run));
  IG_TRY(ig_thermal_fields_check(run));
  run->pools = beams < 2 ? 1 : 1 + (beams < IG_SURVEY_POOLS ? beams : IG_SURVEY_POOLS);
  IG_TRY(IG_NEW(cx, &run->melt_most, run->pools, "melt pools"));
  IG_TRY(step_choose(run));
  ig_thermal_births_start(run);
  late_warn(run);
  cut_warn(run);
  run->most = batch_length(run);
  ig_thermal_surroundings_start(run);
  IG_TRY(ig_thermal_surroundings_set(run, 0));
  idle_warn(run);
  radiation_warn(run);
  return ig_thermal_probes(run);
}

/* Also of a run whose opening failed: all that is missing is zero. */
void ig_thermal_close(ig_thermal_run *run) {
  ig_heat_free(run->job->cx, &run->heat);
  ig_beams_free(run->job->cx, &run->beams);
  free(run->crossing);
  free(run->material_of);
  free(run->birth);
  free(run->factor);
  free(run->initial);
  ig_thermal_fields_free(run);
  free(run->probe);
  free(run->melt_most);
  ig_array_free(run->job->cx, &run->pick);
  ig_array_free(run->job->cx, &run->picked);
}
