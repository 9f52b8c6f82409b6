/* A small powder bed that several tests use: four layers of a few lines, closed, in 0.5 mm. */
#ifndef IG_TESTS_POWDER_CASE_H
#define IG_TESTS_POWDER_CASE_H

#include "powder/powder.h"

#include <math.h>

static double value[6] = {8000, 500, 20, 1, 0.4, 0};
static ig_scan_part part;
static ig_material_case metal;
static const ig_list materials = {1, &metal};

static inline ig_powder_case small(void) {
  part = (ig_scan_part){
      .min = {0, 0, 0}, .max = {0.3e-3, 0.3e-3, 80e-6}, .translate = {NAN, NAN, NAN}};
  metal = (ig_material_case){.name = "metal",
                             .density = {1, &value[5], &value[0]},
                             .specific_heat = {1, &value[5], &value[1]},
                             .conductivity = {1, &value[5], &value[2]},
                             .powder_conductivity = {1, &value[5], &value[3]},
                             .absorptivity = {1, &value[5], &value[4]},
                             .solidus = 1500,
                             .liquidus = 1600,
                             .latent_heat = 250e3};
  return (ig_powder_case){.duration = NAN,
                          .initial_temperature = 300,
                          .powder_temperature = 400,
                          .plate_temperature = NAN,
                          .ambient = 300,
                          .safety = 0.8,
                          .dwell_change = 5,
                          .packing = 1,
                          .grid = {.cell = 20e-6,
                                   .ratio = 2,
                                   .window = {0.4e-3, 0.4e-3, 0.12e-3},
                                   .margin = 0.1e-3,
                                   .plate = 0.12e-3},
                          .beam = {.radius = 30e-6, .depth = NAN, .powder_absorptivity = 0.6},
                          .hatch = {.parts = {1, &part},
                                    .layer_height = 20e-6,
                                    .base = NAN,
                                    .first_layer = 1,
                                    .spacing = 60e-6,
                                    .power = 60,
                                    .speed = 1,
                                    .jump_speed = 5,
                                    .width = NAN,
                                    .lasers = 1,
                                    .recoating = 5e-3}};
}

/* The same with a beam strong enough for keyholes, and vapour. */
static inline ig_powder_case boiling(void) {
  ig_powder_case c = small();
  metal.boiling = 3000;
  metal.evaporation_heat = 6e6;
  metal.molar_mass = 0.056;
  c.evaporation = true;
  c.beam.keyhole = (ig_keyhole_case){
      .at = {.given = true}, .absorptivity = NAN, .depth_factor = 1, .transition = 0.5};
  c.hatch.power = 120;
  return c;
}

#endif
