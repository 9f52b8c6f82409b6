/* Cases put together in C, as verification, benchmarks and tests do. */
#ifndef IG_FRAC_PROBLEM_H
#define IG_FRAC_PROBLEM_H

#include "fracture/run.h"
#include "material/material.h"
#include <ingot/mesh.h>

/* Fill `c`, `material` and the mesh,
   then ig_frac_problem_open makes the job. Members that are zero hold defaults. */
typedef struct {
  ig_material_case material;
  ig_list materials;
  ig_frac_case c;
  ig_frac_initial_case initial;
  ig_frac_crack_case crack;
  ig_support_case support[4];
  ig_frac_load_case load[2];
  double density[2], strain[6], history[2][6]; /* what they point to */
  ig_job job;
} ig_frac_problem;
void ig_frac_problem_init(ig_frac_problem *p, ig_ctx *cx);
void ig_frac_problem_material(ig_frac_problem *p, double young, double poisson, double density,
                              double fracture_energy, double cohesive_strength);
/* The strip of Alhadeff et al. (2015): 16 x 4 mm of PMMA, `cells` across its height (48: 36,864
   triangles), its nodes moved by up to `jitter` of an edge. */
IG_MUST_CHECK ig_status ig_frac_problem_strip(ig_frac_problem *p, ig_ctx *cx, int cells,
                                              ig_elem_type type, double jitter);
/* The pressurised ring of the paper. */
IG_MUST_CHECK ig_status ig_frac_problem_ring(ig_frac_problem *p, ig_ctx *cx, int radial,
                                             int around);
/* A ring without loads, for insertion alone. */
IG_MUST_CHECK ig_status ig_frac_problem_annulus(ig_frac_problem *p, ig_ctx *cx, int radial,
                                                int around, ig_elem_type type);
/* Kalthoff and Winkler's plate, upper half; the edge of `cells`. */
IG_MUST_CHECK ig_status ig_frac_problem_kalthoff(ig_frac_problem *p, ig_ctx *cx, int cells);
/* A thin ring of alumina that expands at 10,000 1/s. */
IG_MUST_CHECK ig_status ig_frac_problem_mott(ig_frac_problem *p, ig_ctx *cx, int around);
void ig_frac_problem_free(ig_frac_problem *p);

#endif
