/* The paper's problems, put together in C. */
#include "fracture/fracture.h"

#include "mesh/mesh_case.h"

#include <math.h>
#include <string.h>

void ig_frac_problem_init(ig_frac_problem *p, ig_ctx *cx) {
  memset(p, 0, sizeof *p);
  p->material.name = "material";
  p->materials = (ig_list){1, &p->material};
  ig_frac_case *c = &p->c;
  c->thickness = 1;
  c->initial = (ig_list){1, &p->initial};
  c->time = (ig_frac_time_case){.step = NAN, .safety = 0.2, .check_every = 10};
  c->cohesive = (ig_frac_cohesive_case){
      .energy_shear = NAN, .strength_shear = NAN, .shape = 2, .shape_shear = NAN, .start = 1};
  p->job = (ig_job){.cx = cx,
                    .title = "",
                    .precision = IG_DOUBLE,
                    .assembly = IG_GATHER,
                    .materials = &p->materials,
                    .room_case = c};
}

static void material(ig_frac_problem *p, double young, double poisson, double density) {
  p->number[0] = 0;
  p->number[1] = density;
  p->material.density = (ig_table){1, &p->number[0], &p->number[1]};
  p->material.young = young;
  p->material.poisson = poisson;
}

ig_status ig_frac_problem_strip(ig_frac_problem *p, ig_ctx *cx, int cells, ig_elem_type type) {
  ig_frac_problem_init(p, cx);
  material(p, 3.24e9, 0.35, 1190);
  ig_frac_case *c = &p->c;
  c->plane = 1;
  c->cohesive.energy = 352.3;
  c->cohesive.strength = 324e6;
  double *n = p->number + 2;
  const double values[] = {0, 2e-3, 2e-3, 2e-3, 0, 0.015, 0, 0, 2e-3};
  memcpy(n, values, sizeof values);
  p->crack = (ig_frac_crack_case){.from = {2, n}, .to = {2, n + 2}};
  c->cracks = (ig_list){1, &p->crack};
  p->initial.strain = (ig_reals){3, n + 4};
  p->initial.center = (ig_reals){2, n + 7};
  p->motion[0] = (ig_frac_motion_case){.set = "ymin", .direction = 3};
  p->motion[1] = (ig_frac_motion_case){.set = "ymax", .direction = 3};
  c->motions = (ig_list){2, p->motion};
  ig_box_case box = {.size = IG_ROW(16e-3, 4e-3), .cells = IG_ROW(4.0 * cells, cells)};
  const ig_mesh_case mesh = {
      .element = (int)type + 1, .pattern = IG_PATTERN_CROSSED, .boxes = {1, &box}};
  return ig_mesh_generate(cx, &mesh, &p->job.mesh);
}

static ig_status ring_mesh(ig_frac_problem *p, double inner, double outer, int radial, int around,
                           ig_elem_type type) {
  const ig_mesh_case mesh = {
      .element = (int)type + 1,
      .pattern = IG_PATTERN_CROSSED,
      .annulus = {
          .at = {.given = true}, .inner = inner, .outer = outer, .cells = IG_ROW(radial, around)}};
  return ig_mesh_generate(p->job.cx, &mesh, &p->job.mesh);
}

ig_status ig_frac_problem_ring(ig_frac_problem *p, ig_ctx *cx, int radial, int around) {
  ig_frac_problem_init(p, cx);
  material(p, 210e9, 0.3, 7850);
  ig_frac_case *c = &p->c;
  c->cohesive.energy = 2000;
  c->cohesive.strength = 850e6;
  c->cohesive.criterion = IG_FRAC_FACET_MEAN;
  c->perturbation = (ig_frac_perturbation_case){.at = {.given = true}, .amount = 0.2, .seed = 1};
  /* 400 MPa exp(-t / 100 us), the decay usual for this problem */
  for (int i = 0; i < 6; i++) {
    p->number[2 + i] = 2e-5 * i;
    p->number[8 + i] = 400e6 * exp(-0.2 * i);
  }
  p->load[0] = (ig_frac_load_case){.set = "inner", .pressure = {6, p->number + 2, p->number + 8}};
  c->loads = (ig_list){1, p->load};
  return ring_mesh(p, 0.08, 0.15, radial, around, IG_TRI6);
}

ig_status ig_frac_problem_annulus(ig_frac_problem *p, ig_ctx *cx, int radial, int around,
                                  ig_elem_type type) {
  ig_frac_problem_init(p, cx);
  material(p, 3.24e9, 0.35, 1190);
  p->c.cohesive.energy = 352.3;
  p->c.cohesive.strength = 324e6;
  p->c.insertion = (ig_frac_insertion_case){.at = {.given = true}, .batches = 20, .seed = 1};
  return ring_mesh(p, 0.5, 1, radial, around, type);
}

ig_status ig_frac_problem_kalthoff(ig_frac_problem *p, ig_ctx *cx, int cells) {
  ig_frac_problem_init(p, cx);
  material(p, 190e9, 0.3, 8000);
  ig_frac_case *c = &p->c;
  c->cohesive.energy = 22.13e3;
  c->cohesive.strength = 844e6;
  c->cohesive.strength_shear = 2 * 844e6; /* it breaks in mode I, experiments say */
  c->perturbation = (ig_frac_perturbation_case){.at = {.given = true}, .amount = 0.2, .seed = 1};
  double *n = p->number + 2;
  const double values[] = {0, 25e-3, 50e-3, 25e-3, 0, 16.5};
  memcpy(n, values, sizeof values);
  p->crack = (ig_frac_crack_case){.from = {2, n}, .to = {2, n + 2}};
  c->cracks = (ig_list){1, &p->crack};
  p->motion[0] = (ig_frac_motion_case){.set = "hit", .direction = 0, .velocity = {1, n + 4, n + 5}};
  p->motion[1] = (ig_frac_motion_case){.set = "ymin", .direction = 1};
  c->motions = (ig_list){2, p->motion};
  ig_box_case box = {.size = IG_ROW(0.1, 0.1), .cells = IG_ROW(cells, cells)};
  const ig_mesh_case mesh = {
      .element = (int)IG_TRI6 + 1, .pattern = IG_PATTERN_CROSSED, .boxes = {1, &box}};
  IG_TRY(ig_mesh_generate(cx, &mesh, &p->job.mesh));
  ig_lid count = 0;
  ig_set *set = NULL;
  for (int pass = 0; pass < 2; pass++) {
    ig_lid at = 0;
    for (ig_lid i = 0; i < p->job.mesh->nodes; i++) {
      const double *x = p->job.mesh->x + 3 * (int64_t)i;
      if (x[0] > 1e-9 || x[1] > 24.9e-3)
        continue;
      if (set)
        set->item[at] = i;
      at++;
    }
    count = at;
    if (!set)
      IG_TRY(ig_mesh_add_set(cx, p->job.mesh, "hit", IG_SET_NODES, count, &set));
  }
  return IG_OK;
}

ig_status ig_frac_problem_mott(ig_frac_problem *p, ig_ctx *cx, int around) {
  ig_frac_problem_init(p, cx);
  material(p, 275e9, 0.2, 2750);
  ig_frac_case *c = &p->c;
  c->plane = 1;
  c->cohesive.law = IG_COHESIVE_LINEAR;
  c->cohesive.energy = 100;
  c->cohesive.strength = 300e6;
  c->cohesive.weibull = 50;
  c->cohesive.seed = 1;
  p->initial.expansion = 1e4;
  c->time.safety = 0.1;
  return ring_mesh(p, 14.95e-3, 15.05e-3, 1, around, IG_TRI3);
}

void ig_frac_problem_free(ig_frac_problem *p) {
  ig_mesh_free(p->job.mesh);
  p->job.mesh = NULL;
}
