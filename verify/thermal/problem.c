/* Problems built in C. */
#include "backend/backend.h"
#include "verify/thermal/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const ig_verify_precision[] = {"single", "double", "mixed"};
const char *const ig_verify_form[] = {"recompute", "classes", "stencil"};

const ig_material_case *ig_simple_metal_of(ig_simple_metal *s, double rho, double c, double k) {
  memset(s, 0, sizeof *s);
  s->rho[0] = rho;
  s->c[0] = c;
  s->k[0] = k;
  s->m.name = "metal";
  s->m.density = (ig_table){1, s->zero, s->rho};
  s->m.specific_heat = (ig_table){1, s->zero, s->c};
  s->m.conductivity = (ig_table){1, s->zero, s->k};
  s->m.solidus = s->m.liquidus = s->m.emissivity = NAN;
  return &s->m;
}

void ig_verify_say(const ig_verify_sink *sink, const char *quantity, const char *source,
                   double expected, double computed, double tolerance, bool relative) {
  const ig_verify_row row = {quantity, source, expected, computed, tolerance, relative};
  sink->row(sink->user, &row);
}

/* --- problems */

static ig_status problem_open(ig_ctx *cx, ig_thermal_problem *s) {
  s->setup = (ig_heat_setup){.mesh = s->mesh,
                             .precision = IG_DOUBLE,
                             .assembly = IG_GATHER,
                             .conduction = IG_HEAT_CLASSES,
                             .surface = IG_HEAT_LUMPED,
                             .materials = 1,
                             .material = &s->material,
                             .condition = s->condition,
                             .initial = 300,
                             .ambient = 300};
  return IG_NEW(cx, &s->T, s->mesh->nodes, "temperatures");
}

ig_status ig_thermal_problem_box_of(ig_ctx *cx, ig_elem_type type, const double *size,
                                    const int *cells, ig_thermal_problem *s) {
  memset(s, 0, sizeof *s);
  s->cx = cx;
  IG_TRY(ig_mesh_box(cx, type, size, cells, &s->mesh));
  return problem_open(cx, s);
}

ig_status ig_thermal_problem_box(ig_ctx *cx, const double *size, const int *cells,
                                 ig_thermal_problem *s) {
  return ig_thermal_problem_box_of(cx, IG_HEX8, size, cells, s);
}

ig_status ig_thermal_problem_mesh(ig_ctx *cx, const ig_mesh_case *mesh, ig_thermal_problem *s) {
  memset(s, 0, sizeof *s);
  s->cx = cx;
  IG_TRY(ig_mesh_generate(cx, mesh, &s->mesh));
  return problem_open(cx, s);
}

void ig_thermal_problem_metal(ig_thermal_problem *s, double rho, double c, double k) {
  s->material = ig_simple_metal_of(&s->metal, rho, c, k);
}

ig_heat_condition *ig_thermal_problem_condition(ig_thermal_problem *s, const char *faces) {
  ig_heat_condition *c = &s->condition[s->setup.conditions++];
  *c = (ig_heat_condition){.faces = faces ? ig_mesh_find_set(s->mesh, faces, IG_SET_FACES) : NULL,
                           .temperature = NAN,
                           .flux = NAN,
                           .h = NAN,
                           .emissivity = NAN,
                           .ambient = NAN};
  return c;
}

ig_status ig_thermal_problem_start(ig_thermal_problem *s) {
  IG_TRY(ig_heat_new(s->cx, &s->setup, &s->heat));
  return ig_heat_begin(s->cx, &s->heat);
}

ig_status ig_thermal_problem_steps(ig_thermal_problem *s, double dt, int64_t steps) {
  while (steps > 0) {
    const int batch = steps < 512 ? (int)steps : 512;
    for (int i = 0; i < batch; i++)
      IG_TRY(ig_heat_batch_step(s->cx, &s->heat, dt));
    IG_TRY(ig_heat_batch_run(s->cx, &s->heat));
    steps -= batch;
  }
  return ig_fault_check(s->cx, "node", NULL);
}

ig_status ig_thermal_problem_read(ig_thermal_problem *s) {
  return ig_heat_temperatures(s->cx, &s->heat, s->T);
}

ig_status ig_thermal_problem_write(ig_thermal_problem *s) {
  return ig_heat_set_temperatures(s->cx, &s->heat, s->T);
}

ig_status ig_thermal_problem_volumes(const ig_thermal_problem *s, double **volume) {
  IG_TRY(IG_NEW(s->cx, volume, s->mesh->nodes, "volumes"));
  for (ig_lid e = 0; e < s->heat.elements; e++) {
    ig_heat_shape own;
    const ig_heat_shape *shape = ig_heat_shape_of(&s->heat, e, &own);
    for (int a = 0; a < 8; a++)
      (*volume)[ig_heat_conn(&s->heat, e)[a]] += shape->volume[a];
  }
  return IG_OK;
}

void ig_thermal_problem_free(ig_thermal_problem *s) {
  if (!s->cx)
    return;
  free(s->T);
  ig_heat_free(s->cx, &s->heat);
  ig_mesh_free(s->mesh);
}
