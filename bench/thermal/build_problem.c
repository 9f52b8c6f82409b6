/* The samples of Mozaffar et al. (2019): Table 1's materials, powers, spacings, times and steps on
 * regular meshes. */
#include "bench/thermal/build_problem.h"

#include <math.h>
#include <string.h>

static void box_add(ig_build_problem *s, const char *name, double cell, const double *origin,
                    const double *size) {
  const int i = s->mesh.boxes.count++;
  for (int d = 0; d < 3; d++) {
    s->sizes[i][d] = cell * origin[d];
    s->sizes[i][3 + d] = cell * size[d];
    s->sizes[i][6 + d] = size[d];
  }
  s->box[i] = (ig_box_case){.name = name,
                            .origin = {3, s->sizes[i]},
                            .size = {3, s->sizes[i] + 3},
                            .cells = {3, s->sizes[i] + 6}};
}
#define BOX(s, name, cell, x, y, z, nx, ny, nz)                                                    \
  box_add(s, name, cell, (const double[]){x, y, z}, (const double[]){nx, ny, nz})

static void region_add(ig_build_problem *s, double cell, double x0, double y0, double x1,
                       double y1) {
  s->region[s->beam.raster.regions.count++] =
      (ig_raster_region){.min = {cell * x0, cell * y0}, .max = {cell * x1, cell * y1}};
}

/* What all have in common; beads by default. */
static void start(ig_build_problem *s, const char *name, double emissivity, double absorptivity,
                  double rho, double k, double c, double solidus, double liquidus) {
  memset(s, 0, sizeof *s);
  s->name = name;
  s->mesh.boxes.items = s->box;
  s->values[0] = rho;
  s->values[1] = k;
  s->values[2] = c;
  s->absorptivity[0] = absorptivity;
  s->material = (ig_material_case){.name = "metal",
                                   .density = {1, s->zero, &s->values[0]},
                                   .conductivity = {1, s->zero, &s->values[1]},
                                   .specific_heat = {1, s->zero, &s->values[2]},
                                   .solidus = solidus,
                                   .liquidus = liquidus,
                                   .absorptivity = {1, s->zero, s->absorptivity},
                                   .emissivity = NAN};
  s->materials = (ig_list){1, &s->material};
  s->place[0] = "surface";
  s->place[1] = "zmin";
  s->film[0] = 20;
  s->cold[0] = 300;
  s->boundary[0] = (ig_thermal_boundary){
      .set = {1, &s->place[0]}, .convection = {1, s->zero, s->film}, .emissivity = emissivity};
  s->boundary[1] = (ig_thermal_boundary){
      .set = {1, &s->place[1]}, .temperature = {1, s->zero, s->cold}, .emissivity = NAN};
  s->born[0] = "build";
  s->beam = (ig_beam_case){.normalise = true,
                           .model = IG_BEAM_SURFACE,
                           .depth = NAN,
                           .front = NAN,
                           .rear = NAN,
                           .reach = NAN,
                           .raster = {.regions = {0, s->region}}};
  s->c = (ig_thermal_case){.initial_temperature = 300,
                           .ambient = {1, s->zero, s->cold},
                           .time_step = NAN,
                           .dwell_change = NAN,
                           .safety = 0.9,
                           .anisotropy = {1, 1, 1},
                           .boundary = {2, s->boundary},
                           .beams = {1, &s->beam},
                           .birth = {.at = {.given = true}, .set = {1, s->born}}};
}
static void steel(ig_build_problem *s, const char *name) {
  start(s, name, 0.4, 0.36, 7955, 20, 500, 1658, 1723);
}

/* Hatched layers, turned by a right angle each; regions are added beside. */
static void scan(ig_build_problem *s, double radius, double power, double speed, double hatch,
                 double layer, int layers, double base, double dwell) {
  s->beam.radius = radius;
  s->beam.raster = (ig_raster_case){.at = {.given = true},
                                    .power = power,
                                    .speed = speed,
                                    .jump_speed = 1,
                                    .spacing = hatch,
                                    .layer_height = layer,
                                    .layers = layers,
                                    .base = base,
                                    .rotation = M_PI / 2,
                                    .island = NAN,
                                    .dwell = dwell,
                                    .regions = s->beam.raster.regions};
}

static void cube(ig_build_problem *s, const char *name, int n, int plate, int thick) {
  const double cell = 17.6e-3 / n, at = (plate - n) / 2;
  steel(s, name);
  BOX(s, "plate", cell, 0, 0, 0, plate, plate, thick);
  BOX(s, "build", cell, at, at, thick, n, n, n);
  region_add(s, cell, at, at, at + n, at + n);
  scan(s, 1e-3, 1050, 8e-3, 1.1e-3, 0.55e-3, 32, thick * cell, 2.09);
  s->c.birth.width = 1.2e-3;
  s->c.birth.height = s->c.birth.lead = 0.55e-3;
  s->c.duration = 1195;
}

void ig_build_problem_cubic(ig_build_problem *s) {
  cube(s, "cubic", 32, 60, 14);
  s->c.time_step = 9.78e-4;
}
void ig_build_problem_cubic_coarse(ig_build_problem *s) {
  cube(s, "cubic-coarse", 28, 52, 12);
}
void ig_build_problem_cubic_medium(ig_build_problem *s) {
  cube(s, "cubic-medium", 53, 99, 23);
}
void ig_build_problem_cubic_fine(ig_build_problem *s) {
  cube(s, "cubic-fine", 108, 204, 47);
}

void ig_build_problem_cruciform(ig_build_problem *s) {
  const double cell = 0.55e-3;
  steel(s, "cruciform");
  BOX(s, "plate", cell, 0, 0, 0, 80, 80, 19);
  BOX(s, "build", cell, 20, 34, 19, 40, 12, 102);
  BOX(s, "build", cell, 34, 20, 19, 12, 14, 102);
  BOX(s, "build", cell, 34, 46, 19, 12, 14, 102);
  region_add(s, cell, 20, 34, 60, 46);
  region_add(s, cell, 34, 20, 46, 60);
  scan(s, 1e-3, 1050, 8e-3, 1.1e-3, cell, 102, 19 * cell, 1.33);
  s->c.birth.width = 1.2e-3;
  s->c.birth.height = s->c.birth.lead = cell;
  s->c.duration = 3007;
  s->c.time_step = 1.96e-3;
}

void ig_build_problem_thin_wall(ig_build_problem *s) {
  const double cell = 0.49e-3;
  start(s, "thin-wall", 0.2, 0.4, 4400, 20, 700, 1878, 1928);
  BOX(s, "plate", cell, 0, 0, 0, 160, 60, 8);
  BOX(s, "build", cell, 20, 26, 8, 120, 8, 120);
  region_add(s, cell, 20, 26, 140, 34);
  scan(s, 1.5e-3, 1500, 5e-3, 1.9e-3, 2 * cell, 60, 8 * cell, 22.1);
  s->beam.raster.rotation = 0;
  s->c.birth.width = 2.1e-3;
  s->c.birth.height = s->c.birth.lead = 2 * cell;
  s->c.duration = 2741;
  s->c.time_step = 1.69e-2;
}

void ig_build_problem_powder_bed(ig_build_problem *s) {
  const double cell = 0.125e-3;
  steel(s, "powder-bed");
  BOX(s, "plate", cell, 0, 0, 0, 80, 80, 40);
  BOX(s, "build", cell, 0, 0, 40, 80, 80, 20);
  region_add(s, cell, 0, 0, 80, 80);
  scan(s, 0.25e-3, 120, 0.2, 0.5e-3, cell, 20, 40 * cell, 1.07);
  s->c.birth.by = IG_BIRTH_LAYERS;
  s->c.birth.width = NAN;
  s->c.birth.height = cell;
  s->c.duration = 42;
  s->c.time_step = 1.38e-3;
}

void ig_build_problem_nu_shape(ig_build_problem *s) {
  static const int letter[][4] = {{0, 0, 8, 40},    {24, 0, 32, 40}, {8, 28, 12, 40},
                                  {12, 18, 16, 30}, {16, 8, 20, 20}, {20, 0, 24, 10},
                                  {40, 0, 48, 40},  {64, 0, 72, 40}, {48, 0, 64, 8}};
  const double cell = 0.55e-3;
  steel(s, "nu-shape");
  BOX(s, "plate", cell, 0, 0, 0, 96, 60, 14);
  for (int i = 0; i < 9; i++) {
    const int *b = letter[i];
    BOX(s, "build", cell, 12 + b[0], 10 + b[1], 14, b[2] - b[0], b[3] - b[1], 60);
    region_add(s, cell, 12 + b[0], 10 + b[1], 12 + b[2], 10 + b[3]);
  }
  scan(s, 1e-3, 1050, 0.1, 1.1e-3, 1.1e-3, 30, 14 * cell, 0.22); /* 149.8 s */
  s->beam.raster.rotation = 0;
  s->c.birth.width = 1.2e-3;
  s->c.birth.height = 1.1e-3;
  s->c.birth.lead = cell;
  s->c.duration = 150;
  s->c.time_step = 5e-3;
}
