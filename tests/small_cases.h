/* A small case of every room, in the keys of a case file: for tests that hold all rooms to the same
   rules. They run in well under a second. */
#ifndef IG_TESTS_SMALL_CASES_H
#define IG_TESTS_SMALL_CASES_H

#include "check.h"
#include <ingot/run.h>

typedef struct {
  const char *name;
  bool whole; /* a single step, which saves nothing */
  int first;  /* step of the first row */
  const char *const *set;
} small_case;

#define OUTPUT "{count: 3, history_every: 7, checkpoint_every: 0}"
static const char *const small_thermal[] = {
    "physics",
    "thermal",
    "mesh",
    "{boxes: [{name: plate, size: [6 mm, 4 mm, 1 mm], cells: [12, 8, 2]}, {name: wall, origin: "
    "[1 mm, 1.5 mm, 1 mm], size: [4 mm, 1 mm, 0.5 mm], cells: [8, 2, 1]}]}",
    "materials",
    "[{name: steel, density: 7955, conductivity: [[300 K, 15], [1700 K, 30]], specific_heat: 500, "
    "absorptivity: 0.4, solidus: 1600 K, liquidus: 1700 K, latent_heat: 270 kJ/kg}]",
    "duration",
    "1.5 s",
    "dwell_change",
    "5 K",
    "boundary",
    "[{set: surface, convection: 20, emissivity: 0.4}, {set: zmin, temperature: 300 K}]",
    "birth",
    "{set: wall, width: 1.2 mm, height: 0.5 mm, lead: 0.3 mm, temperature: inherited}",
    "beams",
    "[{model: surface, radius: 0.6 mm, raster: {power: 150 W, speed: 20 mm/s, spacing: 1 mm, "
    "layer_height: 0.5 mm, base: 1 mm, layers: 1, rotation: 0, regions: {min: [1 mm, 1.5 mm], "
    "max: [5 mm, 2.5 mm]}}}]",
    "output",
    "{count: 3, history_every: 97, checkpoint_every: 0}",
    NULL};
static const char *const small_topopt[] = {
    "physics",    "topopt",
    "grid",       "{elements: [10, 6, 4]}",
    "volume",     "0.4",
    "supports",   "[{box: {min: [0, 0, 0], max: [0, 6, 4]}}]",
    "loads",      "[{box: {min: [10, 0, 0], max: [10, 0, 4]}, force: [0, -1, 0]}]",
    "optimiser",  "{method: mma}",
    "iterations", "9",
    "output",     "{every: 3, history_every: 2, checkpoint_every: 0}",
    NULL};
/* a filter that solves a linear system: where it begins is not part of a state */
#define HELMHOLTZ                                                                                  \
  "volume", "0.4", "filter", "{kind: helmholtz, radius: 2.5}", "optimiser", "{method: mma}",       \
      "iterations", "9", "output", "{every: 3, history_every: 2, checkpoint_every: 0}", NULL
static const char *const small_helmholtz[] = {
    "physics",  "topopt",
    "grid",     "{elements: [10, 6, 4]}",
    "supports", "[{box: {min: [0, 0, 0], max: [0, 6, 4]}}]",
    "loads",    "[{box: {min: [10, 0, 0], max: [10, 0, 4]}, force: [0, -1, 0]}]",
    HELMHOLTZ};
static const char *const small_helmholtz_mesh[] = {
    "physics",   "topopt",
    "mesh",      "{boxes: [{size: [10, 6, 4], cells: [10, 6, 4]}]}",
    "materials", "[{name: unit, young: 1, poisson: 0.3}]",
    "supports",  "[{set: xmin}]",
    "loads",     "[{set: xmax, force: [0, -1, 0]}]",
    HELMHOLTZ};
#undef HELMHOLTZ
static const char *const small_fracture[] = {
    "physics",
    "fracture",
    "precision",
    "double",
    "mesh",
    "{element: tri3, boxes: [{size: [8 mm, 2 mm], cells: [16, 4]}]}",
    "materials",
    "[{name: PMMA, density: 1190, young: 3.24 GPa, poisson: 0.35, fracture_energy: 100 J/m^2, "
    "cohesive_strength: 20 MPa}]",
    "supports",
    "[{set: xmin, components: x, velocity: [-20 m/s, 0]}, {set: xmax, components: x, velocity: [20 "
    "m/s, 0]}]",
    "loads",
    "[{set: ymax, pressure: 1 MPa}]",
    "duration",
    "6 us",
    "safety",
    "0.3",
    "output",
    OUTPUT,
    NULL};
static const char *const small_insertion[] = {
    "physics",
    "fracture",
    "mesh",
    "{element: tri3, boxes: [{size: [8 mm, 2 mm], cells: [16, 4]}]}",
    "materials",
    "[{name: PMMA, density: 1190, young: 3.24 GPa, poisson: 0.35, fracture_energy: 100 J/m^2, "
    "cohesive_strength: 20 MPa}]",
    "insertion",
    "{batches: 3}",
    "output",
    OUTPUT,
    NULL};
static const char *const small_dynamics[] = {
    "physics",
    "dynamics",
    "precision",
    "double",
    "mesh",
    "{boxes: [{size: [1, 0.1, 0.1], cells: [10, 2, 2]}]}",
    "materials",
    "[{name: steel, density: 7850, young: 210 GPa, poisson: 0.3, yield: 3e8, hardening: 1e9}]",
    "supports",
    "[{set: xmin, fix: xyz}]",
    "loads",
    "[{set: xmax, total: [0, 0, -100 kN]}]",
    "analysis",
    "[{kind: dynamic, duration: 0.5 ms, step_update_every: 10}, {kind: dynamic, duration: 0.3 ms}]",
    "output",
    OUTPUT,
    NULL};
static const char *const small_static[] = {
    "physics",
    "dynamics",
    "precision",
    "double",
    "mesh",
    "{boxes: [{size: [1, 0.2, 0.2], cells: [5, 1, 1]}]}",
    "materials",
    "[{name: steel, density: 7850, young: 210 GPa, poisson: 0.3}]",
    "supports",
    "[{set: xmin, fix: xyz}]",
    "loads",
    "[{set: xmax, total: [0, 0, -10 kN]}]",
    "analysis",
    "[{kind: static, method: relaxation, tolerance: 1e-3}, {kind: dynamic, duration: 0.3 ms}]",
    "output",
    OUTPUT,
    NULL};
static const char *const small_stress[] = {
    "physics",
    "stress",
    "mesh",
    "{boxes: [{name: base, size: [4 mm, 2 mm, 1 mm], cells: [4, 2, 1]}, {name: part, origin: [0, "
    "0, "
    "1 mm], size: [4 mm, 2 mm, 2 mm], cells: [4, 2, 2]}]}",
    "materials",
    "[{name: steel, density: 7850, young: 210 GPa, poisson: 0.3, yield: 3e8, hardening: 1e9}]",
    "inherent",
    "{strain: [-0.003, -0.003, 0]}",
    "supports",
    "[{set: zmin, fix: all}]",
    "loads",
    "[{set: zmax, pressure: 1 MPa}]",
    "phases",
    "[{name: build, kind: build, set: part, height: 1 mm, steps: 3}, {name: rest, kind: load, "
    "steps: 4}]",
    "output",
    "{count: 3, checkpoint_every: 0}",
    NULL};
static const char *const small_grains[] = {
    "physics",    "grains",
    "grid",       "{cell: 1 um, size: [20 um, 15 um, 12 um]}",
    "field",      "{gradient: 2e6 K/m, speed: 0.5 m/s}",
    "substrate",  "{grain_size: 4 um}",
    "nucleation", "{density: 1e15 1/m^3, mean: 30 K, deviation: 5 K}",
    "output",     OUTPUT,
    NULL};
#undef OUTPUT

/* History, modes, heat and motion, one after the other. */
static const char *const small_structure[] = {
    "physics",
    "structure",
    "mesh",
    "{boxes: {size: [60 mm, 10 mm, 10 mm], cells: [4, 1, 1]}, element: hex8}",
    "materials",
    "{name: steel, young: 200 GPa, poisson: 0.3, density: 7850, yield: 200 MPa, hardening: 2 GPa, "
    "conductivity: 40, specific_heat: 500, mechanical: {expansion: 1e-5}}",
    "initial_temperatures",
    "{set: all, temperature: 300}",
    "supports",
    "{set: xmin, fix: x y z}",
    "prescribed_temperatures",
    "[{set: xmin, temperature: 300}, {set: xmax, temperature: 350}]",
    "loads",
    "{set: xmax, force: [0, 0, -60 N], history: [[0 s, 0], [1 s, 3], [40 s, 1]]}",
    "analysis",
    "[{kind: static, duration: 1 s, first_step: 0.3 s, largest_step: 0.3 s, large: true}, {kind: "
    "heat, duration: 30 s, first_step: 9 s, fixed_steps: true}, {kind: frequency, modes: 2, "
    "reached: true}, {kind: dynamic, duration: 1 ms, first_step: 0.2 ms, fixed_steps: true}]",
    "tables",
    "{set: xmax, quantity: displacement, total: only}",
    "output",
    "{count: 3, history_every: 7, checkpoint_every: 0}",
    NULL};
/* A block is pressed down, then pushed over faces that do not match its own. */
static const char *const small_press[] = {
    "physics",
    "structure",
    "mesh",
    "{boxes: [{size: [5, 2, 1], cells: [5, 2, 1]}, {origin: [1.2, 0.2, 1.01], size: [2, 1.6, 1], "
    "cells: [3, 2, 1]}], sets: [{name: over, box: {min: [0, 0, 0.999], max: [6, 2, 1.001]}}, "
    "{name: under, box: {min: [0, 0, 1.009], max: [9, 2, 1.011]}}, {name: top, box: {min: [0, 0, "
    "2.009], max: [9, 2, 2.011]}}]}",
    "materials",
    "{name: m, young: 1e6, poisson: 0.3}",
    "supports",
    "[{set: zmin, fix: x y z}, {set: top, components: x y, displacement: [1, 0, 0], history: [[0 "
    "s, 0], [1 s, 0], [2 s, 1]]}]",
    "loads",
    "{set: top, pressure: 10, history: [[0 s, 0], [1 s, 1]]}",
    "contacts",
    "{set: under, to: over, friction: 0.3, clearance: 0}",
    "analysis",
    "[{kind: static, duration: 1 s, first_step: 0.5 s}, {kind: static, duration: 1 s, first_step: "
    "0.25 s, largest_step: 0.25 s}]",
    "output",
    "{count: 3, history_every: 7, checkpoint_every: 0}",
    NULL};
/* A plate that its own tension stiffens, by arc length. */
static const char *const small_arc[] = {
    "physics",
    "structure",
    "mesh",
    "{boxes: {size: [100 mm, 20 mm, 2 mm], cells: [6, 1, 1]}, element: hex20}",
    "materials",
    "{name: m, young: 70 GPa, poisson: 0.3}",
    "supports",
    "[{set: xmin, fix: x y z}, {set: xmax, fix: x y z}]",
    "loads",
    "{set: zmax, pressure: 5 MPa}",
    "analysis",
    "{kind: static, large: true, method: arc_length, first_step: 0.05 s, largest_step: 0.1 s, "
    "until: {factor: 2}}",
    "output",
    "{count: 3, history_every: 7, checkpoint_every: 0}",
    NULL};

static const small_case small_cases[] = {
    /* neighbours are of different rooms or meshes */
    {"thermal", false, 0, small_thermal},
    {"topopt", false, 1, small_topopt},
    {"fracture", false, 0, small_fracture},
    {"topopt", false, 1, small_helmholtz},
    {"insertion", true, -1, small_insertion},
    {"dynamics", false, 0, small_dynamics},
    {"static", false, 0, small_static},
    {"topopt", false, 1, small_helmholtz_mesh},
    {"stress", false, 0, small_stress},
    {"grains", false, 0, small_grains},
    {"structure", false, 0, small_structure},
    {"press", false, 0, small_press},
    {"arc", false, 0, small_arc},
};
enum { SMALL_CASES = sizeof small_cases / sizeof *small_cases };

/* Programs see no fields of it and change no loads. */
static inline bool small_closed(const small_case *s) {
  return strcmp(s->set[1], "structure") == 0;
}

static inline ig_case *small_open(ig_ctx *cx, const small_case *s) {
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  for (const char *const *p = s->set; *p; p += 2)
    GOOD(cx, ig_case_set(c, p[0], p[1]));
  return c;
}

#endif
