/* Models that the benchmarks of the room time. */
#include "bench/dynamics/bench.h"
#include "backend/backend.h"
#include "dynamics/model/part.h"

#include <math.h>

static ig_status bricks(ig_dyn_problem *q, int n) {
  return ig_dyn_problem_box(q, (double[3]){1, 0.1, 0.1}, (int[3]){10 * n, n, n});
}

static ig_status tetrahedra(ig_dyn_problem *q, int n) {
  return ig_dyn_problem_tets(q, (double[3]){1, 0.1, 0.1}, (int[3]){10 * n, n, n});
}

static void tube(void *user, double u, double v, double x[3]) {
  (void)user;
  const double a = 2 * 3.14159265358979323846 * u;
  x[0] = 3.048 * v, x[1] = 1.016 * sin(a), x[2] = 1.016 * cos(a);
}

static ig_status shells(ig_dyn_problem *q, int n) {
  return ig_dyn_problem_sheet(q, 2 * n, n, true, tube, NULL);
}

/* A net of beams: n rows of n, each node tied to its neighbours. */
static ig_status beams(ig_dyn_problem *q, int n) {
  ig_block *b;
  IG_TRY(ig_mesh_new(q->cx, 3, n * n, &q->mesh));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double *x = q->mesh->x + 3 * ((int64_t)j * n + i);
      x[0] = i * 0.1, x[1] = j * 0.1, x[2] = 0.02 * sin(0.1 * i) * cos(0.1 * j);
    }
  IG_TRY(ig_mesh_add_block(q->cx, q->mesh, IG_BEAM2, 2 * n * (n - 1), &b));
  ig_lid *c = b->conn;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      if (i + 1 < n)
        *c++ = j * n + i, *c++ = j * n + i + 1;
      if (j + 1 < n)
        *c++ = j * n + i, *c++ = (j + 1) * n + i;
    }
  return IG_OK;
}

const ig_dyn_subject ig_dyn_subjects[IG_SUBJECTS] = {
    {"hexahedra, 8 points, elastic", bricks, IG_INTEGRATE_BBAR, NAN, 10, 58},
    {"hexahedra, 8 points, plastic", bricks, IG_INTEGRATE_BBAR, 3e8, 10, 58},
    {"hexahedra, 1 point, elastic", bricks, IG_INTEGRATE_SINGLE, NAN, 10, 58},
    {"tetrahedra, elastic", tetrahedra, IG_INTEGRATE_BBAR, NAN, 6, 34},
    {"shells, elastic", shells, IG_INTEGRATE_BBAR, NAN, 60, 900},
    {"shells, 20 points, plastic", shells, IG_INTEGRATE_BBAR, 3e8, 60, 600},
    {"beams", beams, IG_INTEGRATE_BBAR, NAN, 80, 1500},
};

/* Particles get a velocity field that strains every element, so that plastic ones do yield. */
ig_status ig_dyn_stir(ig_dyn_model *m) {
  const int D = m->p.dofs;
  for (int64_t n = 0; n < m->p.nodes; n++)
    for (int c = 0; c < 3; c++) {
      const double *x = m->x0 + 3 * n;
      const double v = 20 * sin(x[(c + 1) % 3] + 2 * x[c] + c);
      if (m->part == sizeof(double))
        ((double *)m->v.host)[n * D + c] = v;
      else
        ((float *)m->v.host)[n * D + c] = (float)v;
    }
  ig_dyn_part_slowed(m);
  return ig_array_push(m->cx, &m->v);
}

ig_status ig_dyn_subject_open(ig_dyn_problem *q, const ig_dyn_subject *s, int size,
                              ig_precision precision, ig_assembly assembly, ig_dyn_model **m) {
  double critical;
  q->section.integration = s->integration;
  q->section.thickness = 0.03;
  q->section.radius = 0.01;
  q->material.yield = s->yield;
  q->material.hardening = isnan(s->yield) ? NAN : 1e9;
  IG_TRY(s->mesh(q, size));
  IG_TRY(ig_dyn_problem_open(q, precision, assembly, m));
  IG_TRY(ig_dyn_critical_step(*m, &critical));
  IG_TRY(ig_dyn_stir(*m));
  return ig_dyn_set_clock(*m, 0.5 * critical, 0);
}
