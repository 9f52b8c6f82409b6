/* Problems built in C, without files: for verification and tests. */
#ifndef IG_THERMAL_PROBLEM_H
#define IG_THERMAL_PROBLEM_H

#include "geometry/mesh_case.h"
#include "thermal/thermal.h"

/* A material of constant properties. */
typedef struct {
  double zero[1], rho[1], c[1], k[1];
  ig_material_case m;
} ig_simple_metal;
const ig_material_case *ig_simple_metal_of(ig_simple_metal *s, double rho, double c, double k);

/* A mesh of one metal, conditions on it, the engine: the start of most problems. Made with the
   defaults of its setup (double precision, gather, classes, lumped surfaces, 300 K), which may be
   changed until it is started; freed whatever came of it. */
typedef struct {
  ig_ctx *cx;
  ig_mesh *mesh;
  ig_simple_metal metal;
  const ig_material_case *material;
  ig_heat_condition condition[6];
  ig_heat_setup setup;
  ig_heat heat;
  double *T; /* nodes: see ig_thermal_problem_read and _write */
} ig_thermal_problem;
IG_MUST_CHECK ig_status ig_thermal_problem_box(ig_ctx *cx, const double *size, const int *cells,
                                               ig_thermal_problem *s);
IG_MUST_CHECK ig_status ig_thermal_problem_box_of(ig_ctx *cx, ig_elem_type type, const double *size,
                                                  const int *cells, ig_thermal_problem *s);
IG_MUST_CHECK ig_status ig_thermal_problem_mesh(ig_ctx *cx, const ig_mesh_case *mesh,
                                                ig_thermal_problem *s);
void ig_thermal_problem_metal(ig_thermal_problem *s, double rho, double c, double k);
/* Another condition, which says nothing yet. faces NULL: the outer surface. */
ig_heat_condition *ig_thermal_problem_condition(ig_thermal_problem *s, const char *faces);
IG_MUST_CHECK ig_status ig_thermal_problem_start(ig_thermal_problem *s); /* at time 0 */
/* Steps without births or sources. */
IG_MUST_CHECK ig_status ig_thermal_problem_steps(ig_thermal_problem *s, double dt, int64_t steps);
IG_MUST_CHECK ig_status
ig_thermal_problem_read(ig_thermal_problem *s); /* temperatures of the engine into T */
IG_MUST_CHECK ig_status ig_thermal_problem_write(ig_thermal_problem *s); /* and back */
/* The volume each node stands for, m^3; freed by the caller. */
IG_MUST_CHECK ig_status ig_thermal_problem_volumes(const ig_thermal_problem *s, double **volume);
void ig_thermal_problem_free(ig_thermal_problem *s); /* one of zeros: nothing to do */

#endif
