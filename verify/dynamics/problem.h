/* Problems built in C, without files: for verification, benchmarks and tests. */
#ifndef IG_DYNAMICS_PROBLEM_H
#define IG_DYNAMICS_PROBLEM_H

#include "dynamics/dynamics.h"
#include "mesh/named.h"

/* A mesh, one material, one section, and a case that holds defaults; fill, then open. */
typedef struct {
  ig_ctx *cx;
  ig_mesh *mesh;
  ig_material_case material;
  ig_dyn_section section;
  ig_dyn_case c;
  ig_list materials;
  bool quads;     /* sheets are of quadrilaterals */
  bool quadratic; /* tetrahedra have mid-side nodes */
} ig_dyn_problem;

IG_MUST_CHECK ig_status ig_dyn_problem_new(ig_ctx *cx, ig_dyn_problem *q);
void ig_dyn_problem_free(ig_dyn_problem *q);
/* Constant density and elasticity. */
void ig_dyn_problem_material(ig_dyn_problem *q, double density, double young, double poisson);
IG_MUST_CHECK ig_status ig_dyn_problem_open(ig_dyn_problem *q, ig_precision precision,
                                            ig_assembly assembly, ig_dyn_model **m);

/* Meshes. A box of hexahedra (or five tetrahedra per cell) from the origin; node sets x0 x1 y0 y1
   z0 z1 hold its sides. */
IG_MUST_CHECK ig_status ig_dyn_problem_box(ig_dyn_problem *q, const double size[3],
                                           const int cells[3]);
IG_MUST_CHECK ig_status ig_dyn_problem_tets(ig_dyn_problem *q, const double size[3],
                                            const int cells[3]);
/* A grid of nu x nv cells, two triangles each or a quadrilateral, placed by `place`; sets u0 u1 v0
   v1. `closed` joins u1 to u0. */
typedef void ig_dyn_place(void *user, double u, double v, double x[3]);
IG_MUST_CHECK ig_status ig_dyn_problem_sheet(ig_dyn_problem *q, int nu, int nv, bool closed,
                                             ig_dyn_place *place, void *user);
/* A chain of n lines from u = 0 to 1; sets u0 u1. */
IG_MUST_CHECK ig_status ig_dyn_problem_chain(ig_dyn_problem *q, int n, ig_dyn_place *place,
                                             void *user);
/* A node set of those nodes where `in` is true. */
IG_MUST_CHECK ig_status ig_dyn_problem_set(ig_dyn_problem *q, const char *name, ig_inside_fn *in,
                                           void *user);

ig_dyn_load ig_dyn_force_on(const char *set, double x, double y, double z);

#endif
