/* Gradients of a plate under a beam: k(T), c(T), a film, radiation; and without all these. */
#include "verify/gradient/gradient.h"
#include "verify/thermal/verify.h"

static const char boxes[] =
    "{boxes: [{name: plate, size: [12 mm, 8 mm, 3 mm], cells: [12, 8, 3]}]}";
static const char beams[] =
    "[{model: gaussian, radius: 1.5 mm, raster: {power: 150 W, speed: 12 mm/s, spacing: 3 mm, "
    "layer_height: 1 mm, base: 2 mm, layers: 1, rotation: 0, regions: {min: [2 mm, 2 mm], max: [10 "
    "mm, 6 mm]}}}]";
static const char bent[] =
    "[{name: s, density: 7900, conductivity: [[250 K, 14], [1650 K, 31]], specific_heat: [[250 K, "
    "470], [1650 K, 700]], absorptivity: 0.4}]";
static const char straight[] =
    "[{name: s, density: 7900, conductivity: 20, specific_heat: 500, absorptivity: 0.4}]";
static const char films[] = "[{set: surface, convection: 200, emissivity: 0.6}]";
#define PLATE                                                                                      \
  "physics", "thermal", "mesh", boxes, "initial_temperature", "300 K", "duration", "1 s",          \
      "time_step", "20 ms", "beams", beams, "probes", "[{name: p, point: [6 mm, 4 mm, 1.5 mm]}]"

ig_status ig_thermal_verify_gradient(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const set[] = {PLATE, "ambient",  "290 K", "materials",
                                    bent,  "boundary", films,   NULL};
  static const char *const linear_set[] = {PLATE, "materials", straight, NULL};
  static const char *const key[] = {"materials[0].conductivity[1][1]",
                                    "materials[0].specific_heat[0][1]",
                                    "materials[0].density",
                                    "boundary[0].convection",
                                    "boundary[0].emissivity",
                                    "ambient",
                                    "beams[0].raster.power",
                                    "initial_temperature",
                                    NULL};
  static const char *const linear[] = {"beams[0].powers", "initial_temperatures", NULL};
  const ig_verify_gradient g = {set,  "variance(p, 400 K)", key, linear_set, "mean(p)", linear,
                                1e-12};
  (void)cx;
  return ig_verify_gradients(&g, sink);
}
