/* Problems built in C, without files: for verification and tests. */
#ifndef IG_STRESS_PROBLEM_H
#define IG_STRESS_PROBLEM_H

#include "stress/model.h"
#include "mesh/named.h"

enum { IG_PROBLEM_SUPPORTS = 12, IG_PROBLEM_ROWS = 32 };

typedef struct {
  ig_ctx *cx;
  ig_mesh *mesh;
  ig_material_case material[2];
  double rows[16][IG_PROBLEM_ROWS];
  int taken; /* of `rows` */
  ig_stress_support support[IG_PROBLEM_SUPPORTS];
  ig_stress_load load[2];
  ig_stress_inherent inherent;
  ig_stress_case c;
  ig_list materials;
  ig_stress *m;
  double *T0, *T1;
  double time;
  ig_assembly assembly; /* gather, unless changed before it is opened */
  bool tets;            /* a box is of tetrahedra of ten nodes, six to a cell */
  int late;             /* number of a support, from 1, that does not hold yet; 0: all do */
} ig_stress_problem;

void ig_stress_problem_new(ig_ctx *cx, ig_stress_problem *q);
void ig_stress_problem_free(ig_stress_problem *q);
/* A box from the origin; node sets x0 x1 y0 y1 z0 z1, and `corner` at the origin. */
IG_MUST_CHECK ig_status ig_stress_problem_box(ig_stress_problem *q, const double size[3],
                                              const int cells[3]);
/* A node set by a function. */
IG_MUST_CHECK ig_status ig_stress_problem_set(ig_stress_problem *q, const char *name,
                                              ig_inside_fn *in, void *user);
void ig_stress_problem_hold(ig_stress_problem *q, const char *set, const char *fix);
void ig_stress_problem_equal(ig_stress_problem *q, const char *set, const char *equal);
/* A table of `count` rows; count 1: a constant. */
ig_table ig_stress_problem_table(ig_stress_problem *q, int count, const double (*rows)[2]);
ig_table ig_stress_problem_constant(ig_stress_problem *q, double y);
/* E, nu, alpha; yield NaN: elastic. */
void ig_stress_problem_material(ig_stress_problem *q, int i, double young, double poisson,
                                double expansion, double yield, double hardening, double kinematic);
/* Opens the model and makes the supports hold. */
IG_MUST_CHECK ig_status ig_stress_problem_open(ig_stress_problem *q);
/* One step to temperatures by a function of place (NULL: uniform T). */
typedef double ig_stress_field(void *user, const double x[3]);
IG_MUST_CHECK ig_status ig_stress_problem_step(ig_stress_problem *q, double dt, double T,
                                               ig_stress_field *field, void *user);
/* Means of the report over elements whose centre `in` takes (NULL: all). */
IG_MUST_CHECK ig_status ig_stress_problem_mean(ig_stress_problem *q, ig_inside_fn *in, void *user,
                                               double out[IG_STRESS_REPORT]);

#endif
