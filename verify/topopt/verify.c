/* Verification problems of topology optimisation: the list, and objectives that others have
   computed. They need no files: cases are text. */
#include "verify/topopt/verify.h"

#include <stdio.h>

typedef struct {
  int iteration;
  double objective, tolerance;
} expected;

static ig_status objectives(ig_ctx *cx, const ig_verify_sink *sink, const char *name,
                            const char *source, const char *text, const expected *list) {
  ig_topopt_problem t;
  IG_TRY(ig_topopt_problem_open(cx, text, &t));
  ig_status status = IG_OK;
  for (int it = 1; status == IG_OK && list->iteration; it++) {
    ig_evaluation e = {0};
    status = ig_topopt_problem_iterate(&t, it, &e);
    if (status == IG_OK && it == list->iteration) {
      char quantity[96];
      snprintf(quantity, sizeof quantity, "%s, objective at iteration %d", name, it);
      row(sink, quantity, source, list->objective, e.objective, list->tolerance, true);
      list++;
    }
  }
  ig_topopt_problem_close(&t);
  return status;
}

#define OWN "independent code with sparse Cholesky"
#define MBB(size, nx, ny, r, kind)                                                                 \
  "{grid: {elements: [" #nx ", " #ny ", 0]}, volume: 0.5, filter: {kind: " kind ", radius: " #r    \
  "}, supports: [{box: {min: [0, 0, 0], max: [0, " #ny ", 0]}, fix: x}, {box: {min: [" #nx         \
  ", 0, 0], max: [" #nx ", 0, 0]}, fix: y}], loads: [{box: {min: [0, " #ny ", 0], max: [0, " #ny   \
  ", 0]}, force: [0, -1, 0]}], optimiser: {tolerance: 1e-3}, solver: {tolerance: 1e-9}}"

static ig_status verify_mbb(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(objectives(cx, sink, "MBB 60x20, sensitivity filter", OWN,
                    MBB(60x20, 60, 20, 2.4, "sensitivity"),
                    (const expected[]){{1, 1007.022101, 1e-6},
                                       {2, 583.627944, 1e-6},
                                       {3, 417.059271, 1e-6},
                                       {10, 294.617819, 1e-3},
                                       {50, 218.970786, 1e-3},
                                       {0, 0, 0}}));
  IG_TRY(objectives(cx, sink, "MBB 60x20, density filter", OWN, MBB(60x20, 60, 20, 2.4, "density"),
                    (const expected[]){{1, 1007.022101, 1e-6},
                                       {2, 579.226306, 1e-6},
                                       {3, 420.123796, 1e-6},
                                       {10, 306.346696, 1e-3},
                                       {50, 236.737876, 1e-3},
                                       {0, 0, 0}}));
  IG_TRY(objectives(cx, sink, "MBB 150x50, sensitivity filter", OWN,
                    MBB(150x50, 150, 50, 6, "sensitivity"),
                    (const expected[]){{1, 1033.044578, 1e-6},
                                       {2, 592.274315, 1e-6},
                                       {3, 421.399512, 1e-6},
                                       {10, 297.811778, 1e-3},
                                       {0, 0, 0}}));
  /* where the published program stops: its printed digits, and the same for the other filter */
  IG_TRY(objectives(cx, sink, "MBB 60x20, sensitivity filter, the last",
                    "216.81 printed by the 88-line code (Andreassen et al. 2011), half a digit",
                    MBB(60x20, 60, 20, 2.4, "sensitivity"),
                    (const expected[]){{106, 216.81, 0.005 / 216.81}, {0, 0, 0}}));
  IG_TRY(objectives(cx, sink, "MBB 60x20, density filter, the last", OWN,
                    MBB(60x20, 60, 20, 2.4, "density"),
                    (const expected[]){{144, 233.7146, 1e-6}, {0, 0, 0}}));
  return objectives(cx, sink, "MBB 150x50, density filter", OWN, MBB(150x50, 150, 50, 6, "density"),
                    (const expected[]){{1, 1033.044578, 1e-6},
                                       {2, 587.933420, 1e-6},
                                       {3, 424.110347, 1e-6},
                                       {10, 309.734790, 1e-3},
                                       {0, 0, 0}});
}

static ig_status verify_cantilever(ig_ctx *cx, const ig_verify_sink *sink) {
  return objectives(cx, sink, "3D cantilever 60x20x4", OWN,
                    "{grid: {elements: [60, 20, 4]}, volume: 0.3, filter: {kind: density, radius: "
                    "1.5},supports: [{box: {min: [0, 0, 0], max: [0, 20, 4]}}],loads: [{box: {min: "
                    "[60, 0, 0], max: [60, 0, 4]}, force: [0, -1, 0], spread: each}],optimiser: "
                    "{tolerance: 1e-3}, solver: {tolerance: 1e-9}}",
                    (const expected[]){{1, 28354.779859, 1e-6},
                                       {2, 15486.778044, 1e-6},
                                       {3, 9801.038355, 1e-6},
                                       {5, 6501.807269, 1e-3},
                                       {10, 4790.516735, 1e-3},
                                       {20, 2708.412041, 1e-3},
                                       {0, 0, 0}});
}

static ig_status verify_heat(ig_ctx *cx, const ig_verify_sink *sink) {
  return objectives(
      cx, sink, "3D heat conduction 16x16x16", OWN,
      "{problem: heat, grid: {elements: [16, 16, 16]}, volume: 0.3, void_ratio: 1e-3, source: "
      "1,filter: {kind: sensitivity, radius: 1.5},supports: [{box: {min: [0, 0, 16], max: [4, 4, "
      "16]}}],optimiser: {tolerance: 1e-3}, solver: {tolerance: 1e-9}}",
      (const expected[]){{1, 90451059.931665, 1e-6},
                         {2, 24455728.810328, 1e-6},
                         {3, 13287087.950097, 1e-6},
                         {5, 8691812.933666, 1e-3},
                         {10, 7439093.739522, 1e-3},
                         {20, 5528864.715223, 1e-3},
                         {60, 5198102.809105, 1e-3},
                         {0, 0, 0}});
}

static ig_status verify_tied(ig_ctx *cx, const ig_verify_sink *sink) {
  return objectives(
      cx, sink, "tied cantilever 64x32x32", "printout of TopOpt-in-OpenMP",
      "{grid: {elements: [64, 32, 32]}, volume: 0.2, void_ratio: 1e-6,filter: {kind: density, "
      "radius: 1.5},supports: [{box: {min: [0, 0, 0], max: [0, 8, 32]}},           {box: {min: [0, "
      "24, 0], max: [0, 32, 32]}}],loads: [{box: {min: [0, 0, 0], max: [64, 32, 0]}, cylinder: "
      "{from: [64.5, 16, -1], to: [64.5, 16, 1], radius: 6.6}, force: [0, 0, -1], spread: "
      "faces}],optimiser: {move_limit: 0.1, tolerance: 1e-3}, solver: {tolerance: 1e-5}}",
      (const expected[]){{1, 172.2, 3e-4}, {20, 5.563, 2e-4}, {0, 0, 0}});
}

const ig_verify_entry ig_topopt_verify[] = {
    {"elements", "rigid modes and patch tests of the four elements", true,
     ig_topopt_verify_elements},
    {"timoshenko", "a solid cantilever against beam theory, refined", true, ig_topopt_verify_beam},
    {"slopes", "sensitivities of every problem through every filter and projection", true,
     ig_topopt_verify_slopes},
    {"solvers", "every solver against a direct one; iterations under refinement", true,
     ig_topopt_verify_solvers},
    {"volume", "the volume constraint", true, ig_topopt_verify_volume},
    {"constraints", "several constraints: bounds that hold, an optimum that is known", true,
     ig_topopt_verify_constraints},
    {"stress", "stresses of bars; a bound on the stress of the L-bracket, and its least stress",
     true, ig_topopt_verify_stress},
    {"problems", "weight, held displacements and temperatures of bars, exact", true,
     ig_topopt_verify_problems},
    {"problem-slopes", "slopes of these by differences, on grids and on distorted hexahedra", true,
     ig_topopt_verify_problem_slopes},
    {"buckling", "a column, a plate, the strongest column: closed forms", true,
     ig_topopt_verify_buckling},
    {"large", "large deflections: slopes, small loads, a cantilever that bends far", true,
     ig_topopt_verify_large},
    {"symmetry", "symmetric problems give symmetric designs, bit for bit", true,
     ig_topopt_verify_symmetry},
    {"mbb", "2D plane stress: objectives of the MBB beam, two meshes, two filters", true,
     verify_mbb},
    {"cantilever", "3D elasticity: objectives of a cantilever", true, verify_cantilever},
    {"heat", "3D conduction: objectives of a volume-to-patch problem", true, verify_heat},
    {"tied", "3D elasticity: objectives of the tied cantilever of the DTU codes", false,
     verify_tied},
    {"mesh-grid", "a regular mesh gives the grid's objectives with every operator", true,
     ig_topopt_verify_mesh_grid},
    {"mesh-patch", "uniform tension of distorted hexahedra and tetrahedra", true,
     ig_topopt_verify_mesh_patch},
    {"mesh-tets", "tetrahedra against hexahedra: a solid cantilever", true,
     ig_topopt_verify_mesh_tets},
    {"mesh-slopes", "slopes on distorted hexahedra and tetrahedra against differences", true,
     ig_topopt_verify_mesh_slopes},
    {"mesh-solvers", "algebraic multigrid: iterations under refinement", false,
     ig_topopt_verify_mesh_solvers},
    {"gradient", "derivatives against differences, dot product, Taylor", true,
     ig_topopt_verify_gradient},
    {.name = NULL}};
