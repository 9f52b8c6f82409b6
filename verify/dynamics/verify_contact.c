/* Verification of explicit contact: whole cases, whose figures have closed forms. */
#include "verify/dynamics/verify.h"
#include <ingot/run.h>

#include <stdio.h>

typedef struct {
  const char *key, *value;
} entry;
enum { FIGURES = 6 };
typedef struct {
  const char *name[FIGURES];
  double value[FIGURES];
} figures;

static void figure_see(void *user, const char *key, double value, const char *unit,
                       const char *text) {
  figures *f = user;
  (void)unit, (void)text;
  for (int i = 0; i < FIGURES && f->name[i]; i++)
    if (strcmp(key, f->name[i]) == 0)
      f->value[i] = value;
}

/* Runs a case on a context of its own; `set` ends with an entry of NULLs. */
static ig_status figures_of(ig_ctx *cx, const entry *set, figures *f) {
  ig_ctx *own = NULL;
  ig_case *c = NULL;
  for (int i = 0; i < FIGURES; i++)
    f->value[i] = NAN;
  IG_TRY(ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1}, &own));
  ig_status status = ig_case_new(own, &c);
  if (status == IG_OK)
    status = ig_case_set(c, "physics", "dynamics");
  for (int i = 0; status == IG_OK && set[i].key; i++)
    status = ig_case_set(c, set[i].key, set[i].value);
  if (status == IG_OK)
    status = ig_run(c, &(ig_run_options){.figure = figure_see, .user = f});
  if (status != IG_OK)
    status = IG_FAIL(cx, status, "%s", ig_ctx_message(own));
  if (c)
    ig_case_close(c);
  ig_ctx_close(own);
  return status;
}

/* A bar strikes an equal one: waves of stress rho c v / 2 run out and back, then it rests and the
   other one has its velocity. Meshes do not match. */
ig_status ig_dyn_verify_bars(ig_ctx *cx, const ig_verify_sink *sink) {
  for (int i = 0; i < 2; i++) {
    const entry set[] = {
        {"mesh", "{boxes: [{name: left, size: [0.1, 0.01, 0.01], cells: [40, 2, 2]}, {name: right, "
                 "origin: [0.1000001, 0, 0], size: [0.1, 0.01, 0.01], cells: [40, 3, 3]}]}"},
        {"materials", "{name: m, density: 7850, young: 210 GPa, poisson: 0}"},
        {"initial", "{set: left, velocity: [10, 0, 0]}"},
        {"contact", "{}"},
        {"analysis", i ? "{duration: 60 us}" : "{duration: 19.3 us}"},
        {"probes", "[{name: left, set: left, quantity: vx}, {name: right, set: right, quantity: "
                   "vx}]"},
        {NULL, NULL}};
    figures f = {.name = {"left", "right", "energy_error", "contact_energy_stored"}};
    IG_TRY(figures_of(cx, set, &f));
    if (!i) { /* when the waves are at the far ends both move at half the velocity */
      row(sink, "bars, waves at their ends: velocity of the first, m/s", "waves", 5, f.value[0],
          0.05, true);
      row(sink, "of the second, m/s", "waves", 5, f.value[1], 0.05, true);
      continue;
    }
    row(sink, "bars that struck: velocity of the first over that before", "waves", 0,
        f.value[0] / 10, 0.01, false);
    row(sink, "velocity of the second, m/s", "waves", 10, f.value[1], 0.01, true);
    ZERO("energy balance", f.value[2], 0.01);
    ZERO("energy left in contact over that put in", f.value[3] / (0.5 * 0.0785 * 100), 0.01);
  }
  return IG_OK;
}

/* Two blocks under pressure, at rest by relaxation: contact may add 2 % to what they give. */
static ig_status pressed(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const mesh[2] = {
      "{boxes: [{size: [0.02, 0.02, 0.02], cells: [4, 4, 4]}, {origin: [0, 0, 0.02000001], size: "
      "[0.02, 0.02, 0.02], cells: [4, 4, 4]}]}",
      "{boxes: [{size: [0.02, 0.02, 0.02], cells: [4, 4, 4]}, {origin: [0, 0, 0.02000001], size: "
      "[0.02, 0.02, 0.02], cells: [3, 3, 3]}]}"};
  for (int i = 0; i < 2; i++) {
    const entry set[] = {{"mesh", mesh[i]},
                         {"materials", "{name: m, density: 7850, young: 210 GPa, poisson: 0}"},
                         {"supports", "[{set: zmin, fix: z}, {set: xmin, fix: x}, {set: ymin, fix: "
                                      "y}]"},
                         {"contact", "{}"},
                         {"loads", "{set: zmax, pressure: 210 MPa, history: [[0, 0], [1, 1]]}"},
                         {"analysis", "{kind: static, method: relaxation}"},
                         {"probes", "{name: top, set: zmax, quantity: uz}"},
                         {NULL, NULL}};
    figures f = {.name = {"top", "reaction_z"}};
    IG_TRY(figures_of(cx, set, &f));
    row(sink, i ? "pressed blocks of 4 and 3 cells: top, mm" : "pressed blocks: top, mm", "exact",
        -0.04, 1e3 * f.value[0], i ? 0.03 : 0.02, true);
    row(sink, "force below, kN", "exact", 84, 1e-3 * f.value[1], 1e-3, true);
  }
  return IG_OK;
}

/* A block on a slope of 30 degrees: friction of 0.8 holds it, with 0.3 it slides. Weight grows over
   20 ms. */
static ig_status slope(ig_ctx *cx, const ig_verify_sink *sink) {
  const double g = 9.81 * (0.5 - 0.3 * sqrt(0.75)), t = 0.2, up = 0.02;
  const double slides = g * (0.5 * (t - up / 2) * (t - up / 2) + up * up / 24);
  for (int i = 0; i < 2; i++) {
    const entry set[] = {
        {"mesh",
         "{boxes: [{name: slab, origin: [-0.05, -0.05, -0.052], size: [0.4, 0.2, 0.05], "
         "cells: [8, 4, 1]}, {name: block, origin: [0.01, 0.01, 0], size: [0.1, 0.1, 0.05], "
         "cells: [3, 3, 2]}]}"},
        {"materials", "{name: m, density: 1000, young: 1e7, poisson: 0.3}"},
        {"contact", i ? "{friction: 0.3, thickness: 0.002}" : "{friction: 0.8, thickness: 0.002}"},
        {"supports", "{set: slab, fix: all}"},
        {"gravity", "{acceleration: [4.905, 0, -8.49571], history: [[0, 0], [0.02, 1]]}"},
        {"analysis", "{damping: 0, duration: 0.2}"},
        {"probes", "[{name: way, set: block, quantity: ux}, {name: down, set: block, quantity: "
                   "uz}]"},
        {NULL, NULL}};
    figures f = {.name = {"way", "down"}};
    IG_TRY(figures_of(cx, set, &f));
    if (i)
      row(sink, "friction of 0.3 at 30 degrees: way, mm", "exact", 1e3 * slides, 1e3 * f.value[0],
          0.01, true);
    else
      row(sink, "friction of 0.8 at 30 degrees: way over that without friction", "exact", 0,
          f.value[0] / 0.0886, 1e-3, false);
    row(sink, "block above the slope, mm", "exact", 0, 1e3 * f.value[1], 0.05, false);
  }
  return IG_OK;
}

/* A block at 1,000 m/s does not pass a plate of the same steel: momentum is shared. */
static ig_status shot(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const speed[2] = {"{set: b, velocity: [0, 0, -500]}",
                                       "{set: b, velocity: [0, 0, -1000]}"};
  for (int i = 0; i < 2; i++) {
    const entry set[] = {
        {"mesh",
         "{boxes: [{name: a, size: [0.04, 0.04, 0.02], cells: [8, 8, 4]}, {name: b, origin: "
         "[0.011, 0.011, 0.021], size: [0.018, 0.018, 0.02], cells: [4, 4, 4]}]}"},
        {"materials", "{name: st, density: 7850, young: 210 GPa, poisson: 0.3, yield: 400 MPa, "
                      "hardening: 1 GPa}"},
        {"initial", speed[i]},
        {"contact", "{}"},
        {"analysis", "{duration: 60 us}"},
        {"probes", "[{name: over, point: [0.02, 0.02, 0.02], quantity: uz}, {name: under, point: "
                   "[0.02, 0.02, 0.021], quantity: uz}]"},
        {NULL, NULL}};
    figures f = {.name = {"over", "under", "energy_error"}};
    IG_TRY(figures_of(cx, set, &f));
    row(sink,
        i ? "shot at 1000 m/s: by how much it is in the plate, mm"
          : "shot at 500 m/s: by how much it is in the plate, mm",
        "nothing", 0, 1e3 * fmax(0, f.value[0] - f.value[1] - 1e-3), 0.1, false);
    ZERO("energy balance", f.value[2], 0.01);
  }
  return IG_OK;
}

ig_status ig_dyn_verify_contact(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(pressed(cx, sink));
  IG_TRY(slope(cx, sink));
  return shot(cx, sink);
}
