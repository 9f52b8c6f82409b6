/* The problems of Alhadeff et al. (2015), put together in C. */
#include "verify/fracture/problem.h"

#include "geometry/mesh_case.h"

#include <math.h>
#include <string.h>

void ig_frac_problem_init(ig_frac_problem *p, ig_ctx *cx) {
  memset(p, 0, sizeof *p);
  p->material.name = "material";
  p->materials = (ig_list){1, &p->material};
  ig_frac_case *c = &p->c;
  c->thickness = 1;
  c->time_step = NAN;
  c->safety = 0.2;
  c->tip_window = NAN;
  c->initial = (ig_list){1, &p->initial};
  c->cohesive = (ig_frac_cohesive_case){.check_every = 10,
                                        .shape = 2,
                                        .shape_shear = NAN,
                                        .initial_traction = 1,
                                        .insertion_threshold = 1};
  p->job = (ig_job){.cx = cx,
                    .title = "",
                    .precision = IG_DOUBLE,
                    .assembly = IG_GATHER,
                    .materials = &p->materials,
                    .room_case = c};
}

void ig_frac_problem_material(ig_frac_problem *p, double young, double poisson, double density,
                              double fracture_energy, double cohesive_strength) {
  p->density[1] = density;
  p->material.density = (ig_table){1, &p->density[0], &p->density[1]};
  p->material.young = young;
  p->material.poisson = poisson;
  p->material.fracture_energy = fracture_energy;
  p->material.cohesive_strength = cohesive_strength;
}

static void pmma(ig_frac_problem *p) {
  ig_frac_problem_material(p, 3.24e9, 0.35, 1190, 352.3, 324e6);
}

/* A box in the plane with a notch along a row of its edges, which stays straight. */
static ig_status notched_mesh(ig_frac_problem *p, const double size[2], int nx, int ny,
                              ig_elem_type type, double jitter, ig_list sets) {
  ig_frac_crack_case *k = &p->crack;
  p->c.cracks = (ig_list){1, k};
  ig_box_case box = {.size = IG_ROW(size[0], size[1]), .cells = IG_ROW(nx, ny)};
  ig_place notch = {.box = {.at = {.given = true}, .min = {2, k->from}, .max = {2, k->to}}};
  const ig_mesh_case mesh = {.element = (int)type + 1,
                             .triangle_pattern = IG_PATTERN_CROSSED,
                             .boxes = {1, &box},
                             .sets = sets,
                             .jitter = {.amount = jitter, .seed = 1, .keep = {1, &notch}}};
  return ig_mesh_generate(p->job.cx, &mesh, &p->job.mesh);
}

ig_status ig_frac_problem_strip(ig_frac_problem *p, ig_ctx *cx, int cells, ig_elem_type type,
                                double jitter) {
  ig_frac_problem_init(p, cx);
  pmma(p);
  ig_frac_case *c = &p->c;
  c->plane = 1;
  p->crack = (ig_frac_crack_case){.from = {0, 2e-3}, .to = {2e-3, 2e-3}};
  p->strain[1] = 0.015;
  p->initial.strain = (ig_reals){3, p->strain};
  p->initial.about[1] = 2e-3;
  p->support[0] = ig_support_fix("ymin", "all");
  p->support[1] = ig_support_fix("ymax", "all");
  c->supports = (ig_list){2, p->support};
  return notched_mesh(p, (double[]){16e-3, 4e-3}, 4 * cells, cells, type, jitter, (ig_list){0});
}

static ig_status ring_mesh(ig_frac_problem *p, double inner, double outer, int radial, int around,
                           ig_elem_type type, double jitter) {
  const ig_mesh_case mesh = {.element = (int)type + 1,
                             .triangle_pattern = IG_PATTERN_CROSSED,
                             .annulus = {.at = {.given = true},
                                         .inner = inner,
                                         .outer = outer,
                                         .cells = IG_ROW(radial, around)},
                             .jitter = {.amount = jitter, .seed = 1}};
  return ig_mesh_generate(p->job.cx, &mesh, &p->job.mesh);
}

ig_status ig_frac_problem_ring(ig_frac_problem *p, ig_ctx *cx, int radial, int around) {
  ig_frac_problem_init(p, cx);
  ig_frac_problem_material(p, 210e9, 0.3, 7850, 2000, 950e6);
  ig_frac_case *c = &p->c;
  c->cohesive.criterion = IG_FRAC_FACET_MEAN;
  /* 400 MPa exp(-t / 100 us), the decay usual for this problem */
  for (int i = 0; i < 6; i++) {
    p->history[0][i] = 2e-5 * i;
    p->history[1][i] = exp(-0.2 * i);
  }
  p->load[0] = (ig_frac_load_case){.set = "inner",
                                   .pressure = 400e6,
                                   .traction = {NAN},
                                   .history = {6, p->history[0], p->history[1]}};
  c->loads = (ig_list){1, p->load};
  return ring_mesh(p, 0.08, 0.15, radial, around, IG_TRI6, 0.2);
}

ig_status ig_frac_problem_annulus(ig_frac_problem *p, ig_ctx *cx, int radial, int around,
                                  ig_elem_type type) {
  ig_frac_problem_init(p, cx);
  pmma(p);
  p->c.insertion = (ig_frac_insertion_case){.at = {.given = true}, .batches = 20, .seed = 1};
  return ring_mesh(p, 0.5, 1, radial, around, type, 0);
}

ig_status ig_frac_problem_kalthoff(ig_frac_problem *p, ig_ctx *cx, int cells) {
  ig_frac_problem_init(p, cx);
  ig_frac_problem_material(p, 190e9, 0.3, 8000, 22.13e3, 844e6);
  p->material.cohesive_strength_shear = 2 * 844e6; /* it breaks in mode I, experiments say */
  p->crack = (ig_frac_crack_case){.from = {0, 25e-3}, .to = {50e-3, 25e-3}};
  p->support[0] = ig_support_fix("hit", NULL);
  p->support[0].velocity[0] = 16.5;
  p->support[1] = ig_support_fix("ymin", "y");
  p->c.supports = (ig_list){2, p->support};
  ig_pick_case hit = {
      .name = "hit",
      .place.box = {.at = {.given = true}, .min = IG_ROW(0, 0), .max = IG_ROW(0, 24.9e-3)}};
  return notched_mesh(p, (double[]){0.1, 0.1}, cells, cells, IG_TRI6, 0.2, (ig_list){1, &hit});
}

ig_status ig_frac_problem_mott(ig_frac_problem *p, ig_ctx *cx, int around) {
  ig_frac_problem_init(p, cx);
  ig_frac_problem_material(p, 275e9, 0.2, 2750, 100, 300e6);
  ig_frac_case *c = &p->c;
  c->plane = 1;
  c->cohesive.law = IG_COHESIVE_LINEAR;
  c->cohesive.weibull = 50;
  c->cohesive.seed = 1;
  p->initial.expansion = 1e4;
  c->safety = 0.1;
  return ring_mesh(p, 14.95e-3, 15.05e-3, 1, around, IG_TRI3, 0);
}

void ig_frac_problem_free(ig_frac_problem *p) {
  ig_mesh_free(p->job.mesh);
  p->job.mesh = NULL;
}
