/* From the case to the engine: materials, conditions, births, the step. */
#include "thermal/thermal.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  for (ig_lid e = 0; e < elements && status == IG_OK; e++)
    run->material_of[e] = (uint8_t)owner[e];
  free(owner);
  return status;
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
    for (int s = 0; s < b->set.count; s++) {
      const bool everywhere = strcmp(b->set.value[s], "surface") == 0;
      const ig_set *set = NULL; /* `surface`: the outer one */
      if (!everywhere)
        IG_TRY(ig_mesh_named_set(cx, run->job->mesh, &b->at, b->set.value[s], IG_OF_FACES, &set));
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
  IG_TRY(ig_steps_count(cx, &c->at, ceil(c->duration / dt * (1 - 1e-12)), dt, &run->steps));
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

/* A case in which all stays as it is was hardly meant so. */
static void idle_warn(const ig_thermal_run *run) {
  const ig_thermal_case *c = run->c;
  bool acts = c->beams.count > 0 || c->body_source != 0;
  for (int i = 0; i < c->boundary.count; i++) {
    const ig_thermal_boundary *b = IG_ITEM(const ig_thermal_boundary, c->boundary, i);
    const double ambient = isnan(b->ambient) ? c->ambient : b->ambient;
    const bool film = b->convection > 0 || b->emissivity > 0;
    acts |= (!isnan(b->flux) && b->flux != 0) || (film && ambient != c->initial_temperature) ||
            (!isnan(b->temperature) && b->temperature != c->initial_temperature);
  }
  if (!acts)
    ig_warn_at(run->job->cx, &c->at,
               "nothing acts on the part: no beam, no source, no boundary at another temperature "
               "than the part's");
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
  run->most = 16;
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
  idle_warn(run);
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
