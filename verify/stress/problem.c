/* Problems built in C: defaults, boxes, steps. */
#include "verify/stress/problem.h"
#include "geometry/mesh_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ig_stress_problem_new(ig_ctx *cx, ig_stress_problem *q) {
  memset(q, 0, sizeof *q);
  q->cx = cx;
  q->assembly = IG_GATHER;
  for (int i = 0; i < 2; i++) {
    ig_material_case *m = q->material + i;
    m->name = i ? "other" : "material";
    m->young = m->poisson = m->yield = m->tangent = m->hardening = m->solidus = NAN;
    m->mechanical.anneal = m->mechanical.recovery_start = m->mechanical.recovery_end = NAN;
    m->mechanical.expansion_reference = 293.15;
  }
  q->materials = (ig_list){1, q->material};
  q->c.temperature = 293.15;
  q->c.inherent_scale = 1;
  q->c.compensation = NAN;
  q->c.solver =
      (ig_stress_solver){.tolerance = 1e-9, .iterations = 30, .halvings = 40, .linear_limit = 2000};
}

void ig_stress_problem_free(ig_stress_problem *q) {
  ig_stress_free(q->m);
  ig_mesh_free(q->mesh);
  free(q->T0);
  free(q->T1);
  memset(q, 0, sizeof *q);
}

ig_status ig_stress_problem_set(ig_stress_problem *q, const char *name, ig_inside_fn *in,
                                void *user) {
  return ig_set_where(q->cx, q->mesh, name, in, user);
}

static bool on_corner(void *user, const double x[3]) {
  (void)user;
  return fabs(x[0]) + fabs(x[1]) + fabs(x[2]) < 1e-12;
}

ig_status ig_stress_problem_box(ig_stress_problem *q, const double size[3], const int cells[3]) {
  static const char *const name[6] = {"x0", "x1", "y0", "y1", "z0", "z1"};
  IG_TRY(ig_mesh_box(q->cx, q->tets ? IG_TET10 : IG_HEX8, size, cells, &q->mesh));
  for (int i = 0; i < 6; i++) {
    ig_plane s = {i / 2, i % 2 ? size[i / 2] : 0, 0};
    s.near = 1e-9 * (1e-3 + fabs(s.at));
    IG_TRY(ig_stress_problem_set(q, name[i], ig_plane_holds, &s));
  }
  return ig_stress_problem_set(q, "corner", on_corner, NULL);
}

static ig_stress_support *support_new(ig_stress_problem *q, const char *set) {
  ig_stress_support *s = q->support + q->c.supports.count;
  q->c.supports = (ig_list){q->c.supports.count + 1, q->support};
  *s = (ig_stress_support){.set = set, .components = "xyz", .displacement = {NAN, NAN, NAN}};
  return s;
}
void ig_stress_problem_hold(ig_stress_problem *q, const char *set, const char *fix) {
  support_new(q, set)->fix = fix;
}
void ig_stress_problem_equal(ig_stress_problem *q, const char *set, const char *equal) {
  support_new(q, set)->equal = equal;
}

ig_table ig_stress_problem_table(ig_stress_problem *q, int count, const double (*rows)[2]) {
  double *x = q->rows[q->taken], *y = q->rows[q->taken + 1];
  q->taken += 2;
  for (int i = 0; i < count; i++) {
    x[i] = rows[i][0];
    y[i] = rows[i][1];
  }
  return (ig_table){count, x, y};
}
ig_table ig_stress_problem_constant(ig_stress_problem *q, double y) {
  const double row[1][2] = {{0, y}};
  return ig_stress_problem_table(q, 1, row);
}

void ig_stress_problem_material(ig_stress_problem *q, int i, double young, double poisson,
                                double expansion, double yield, double hardening,
                                double kinematic) {
  ig_material_case *m = q->material + i;
  m->young = young;
  m->poisson = poisson;
  m->yield = yield;
  m->hardening = hardening;
  m->kinematic = kinematic;
  m->mechanical.expansion = ig_stress_problem_constant(q, expansion);
}

ig_status ig_stress_problem_open(ig_stress_problem *q) {
  IG_TRY(ig_stress_new(q->cx, q->mesh, &q->materials, &q->c, q->assembly, &q->m));
  IG_TRY(IG_NEW(q->cx, &q->T0, q->mesh->nodes, "temperatures"));
  IG_TRY(IG_NEW(q->cx, &q->T1, q->mesh->nodes, "temperatures"));
  for (ig_lid i = 0; i < q->mesh->nodes; i++)
    q->T0[i] = q->c.temperature;
  for (int i = 0; i < q->m->held.count; i++)
    q->m->held.list[i].on = i + 1 != q->late;
  return ig_stress_system_change(q->m, true);
}

ig_status ig_stress_problem_step(ig_stress_problem *q, double dt, double T, ig_stress_field *field,
                                 void *user) {
  for (ig_lid i = 0; i < q->mesh->nodes; i++)
    q->T1[i] = field ? field(user, q->mesh->x + 3 * (int64_t)i) : T;
  q->time += dt;
  const ig_stress_goal goal = {.time = q->time, .dt = dt, .T0 = q->T0, .T1 = q->T1};
  IG_TRY(ig_stress_advance(q->m, &goal));
  memcpy(q->T0, q->T1, sizeof *q->T0 * (size_t)q->mesh->nodes);
  return IG_OK;
}

ig_status ig_stress_problem_mean(ig_stress_problem *q, ig_inside_fn *in, void *user,
                                 double out[IG_STRESS_REPORT]) {
  ig_stress *m = q->m;
  IG_TRY(ig_stress_report(m));
  IG_TRY(ig_array_pull(m->cx, &m->u));
  double n = 0;
  memset(out, 0, sizeof(double) * IG_STRESS_REPORT);
  for (ig_lid e = 0; e < m->elements; e++) {
    double x[3] = {0};
    for (int i = 0; i < 3 * m->npe; i++)
      x[i % 3] += m->mesh->x[3 * (int64_t)m->conn[m->npe * (int64_t)e + i / 3] + i % 3] / m->npe;
    if (!((uint8_t *)m->alive.host)[e] || (in && !in(user, x)))
      continue;
    n++;
    for (int i = 0; i < IG_STRESS_REPORT; i++)
      out[i] += m->report[IG_STRESS_REPORT * (int64_t)e + i];
  }
  for (int i = 0; i < IG_STRESS_REPORT; i++)
    out[i] /= n;
  return IG_OK;
}
