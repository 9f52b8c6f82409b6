/* A plate under a moving laser, as keys of a case; and what every example does with a failure. */
#ifndef EXAMPLE_HEAT_H
#define EXAMPLE_HEAT_H

#include <ingot/ingot.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(cx, call)                                                                              \
  do {                                                                                             \
    if ((call) != IG_OK) {                                                                         \
      fprintf(stderr, "%s\n", ig_ctx_message(cx));                                                 \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static inline ig_case *plate_under_a_laser(ig_ctx *cx) {
  ig_case *c;
  TRY(cx, ig_case_new(cx, &c));
  TRY(cx, ig_case_set(c, "physics", "thermal"));
  TRY(cx, ig_case_set(c, "mesh", "{boxes: [{size: [6 mm, 4 mm, 1 mm], cells: [24, 16, 4]}]}"));
  TRY(cx, ig_case_set(c, "materials",
                      "[{name: steel, density: 7950, conductivity: 25, specific_heat: 600, "
                      "solidus: 1658, liquidus: 1723, latent_heat: 260e3, absorptivity: 0.4}]"));
  TRY(cx, ig_case_set(c, "boundary", "[{set: zmin, temperature: 300}]"));
  TRY(cx, ig_case_set(c, "beams",
                      "[{model: surface, radius: 0.5 mm, raster: {power: 300 W, speed: 20 mm/s, "
                      "spacing: 1 mm, layer_height: 1 mm, base: 0, layers: 1, rotation: 0, "
                      "regions: {min: [1 mm, 1.5 mm], max: [5 mm, 2.5 mm]}}}]"));
  TRY(cx, ig_case_set_real(c, "duration", 0.2));
  return c;
}

#endif
