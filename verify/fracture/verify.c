/* The room's verification problems: waves, energies, the paper's strip and ring. The laws,
   insertion and contact are in verify_facet.c and verify_contact.c. */
#include "verify/fracture/verify.h"

#include "geometry/mesh_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- waves
 * --------------------------------------------------------------------------------------- */

/* A bar that may not widen is pushed at one end from t = 0: when does the middle move? */
static ig_status wave(ig_ctx *cx, const ig_verify_sink *sink, ig_elem_type type) {
  const int dim = ig_elem_info_get(type)->dim;
  const double young = 3.24e9, poisson = 0.35, rho = 1190, push = 1;
  const double modulus = ig_frac_elastic_of(young, poisson, rho, 0).c11, c = sqrt(modulus / rho);
  ig_frac_problem p;
  ig_frac_model m = {0};
  ig_frac_problem_init(&p, cx);
  ig_frac_problem_material(&p, young, poisson, rho, 1, 1e12);
  p.c.cohesive.check_every = 0;
  p.c.safety = 0.5;
  p.support[0] = ig_support_fix("xmin", NULL);
  p.support[0].velocity[0] = push;
  p.support[1] = ig_support_fix("all_nodes", dim == 2 ? "y" : "yz");
  p.c.supports = (ig_list){2, p.support};
  IG_TRY(ig_mesh_box(cx, type, (double[]){1, 0.05, 0.05}, (int[]){dim == 2 ? 160 : 80, 4, 4},
                     &p.job.mesh));
  ig_set *set;
  ig_status status =
      ig_mesh_add_set(cx, p.job.mesh, "all_nodes", IG_SET_NODES, p.job.mesh->nodes, &set);
  for (ig_lid i = 0; status == IG_OK && i < set->count; i++)
    set->item[i] = i;
  if (status == IG_OK)
    status = ig_frac_setup(&p.job, &m);
  ig_lid probe = 0;
  for (ig_lid i = 0; i < p.job.mesh->nodes; i++)
    if (fabs(p.job.mesh->x[3 * i] - 0.5) < fabs(p.job.mesh->x[3 * probe] - 0.5))
      probe = i;
  double arrival = 0;
  const int64_t steps = status == IG_OK ? (int64_t)(0.9 / c / m.s.dt) : 0;
  for (int64_t i = 0; status == IG_OK && i < steps && arrival == 0; i += 4) {
    void *v;
    status = ig_frac_model_run(&m, i);
    if (status == IG_OK)
      status = ig_frac_model_pull(&m, "v", &v);
    if (status == IG_OK && ((double *)v)[(int64_t)probe * dim] > 0.5 * push)
      arrival = (double)i * m.s.dt;
  }
  double figures[IG_FRAC_FIGURES];
  if (status == IG_OK)
    status = ig_frac_model_figures(&m, figures);
  if (status == IG_OK) {
    char text[96];
    const char *name = ig_elem_info_get(type)->name;
    const double t = (double)m.count.step * m.s.dt;
    snprintf(text, sizeof text, "%s: speed of a plane wave [m/s]", name);
    row(sink, text, "sqrt(M / rho)", c, p.job.mesh->x[3 * probe] / arrival, 0.035, true);
    /* strain and kinetic energy behind the front are equal, and together the work of rho c v */
    const double area = dim == 2 ? 0.05 : 0.05 * 0.05;
    snprintf(text, sizeof text, "%s: work of the push [J]", name);
    row(sink, text, "rho c v^2 A t", rho * c * push * push * area * t, figures[IG_FRAC_EXTERNAL],
        0.01, true);
    snprintf(text, sizeof text, "%s: energy balance", name);
    row(sink, text, "work", 1,
        (figures[IG_FRAC_KINETIC] + figures[IG_FRAC_STRAIN]) / figures[IG_FRAC_EXTERNAL], 0.005,
        false);
  }
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  return status;
}

static ig_status verify_waves(ig_ctx *cx, const ig_verify_sink *sink) {
  static const ig_elem_type types[] = {IG_TRI3, IG_TRI6, IG_TET4, IG_TET10};
  for (int i = 0; i < 4; i++)
    IG_TRY(wave(cx, sink, types[i]));
  return IG_OK;
}

/* A free plate spins through a quarter turn: with finite rotation it stays what it is. */
static ig_status verify_spin(ig_ctx *cx, const ig_verify_sink *sink) {
  static const ig_elem_type types[] = {IG_TRI6, IG_TET4};
  for (int k = 0; k < 2; k++) {
    ig_frac_problem p;
    ig_frac_model m = {0};
    ig_frac_problem_init(&p, cx);
    ig_frac_problem_material(&p, 1e9, 0.3, 1000, 100, 1e12);
    p.c.rotation = 1;
    p.c.cohesive.check_every = 0;
    p.c.safety = 0.4;
    IG_TRY(ig_mesh_box(cx, types[k], (double[]){0.1, 0.1, 0.02}, (int[]){8, 8, 2}, &p.job.mesh));
    const double spin = 400; /* rad/s */
    p.initial.spin[2] = spin;
    p.initial.about[0] = p.initial.about[1] = 0.05;
    ig_status status = ig_frac_setup(&p.job, &m);
    double before[IG_FRAC_FIGURES], after[IG_FRAC_FIGURES];
    if (status == IG_OK)
      status = ig_frac_model_figures(&m, before);
    if (status == IG_OK)
      status = ig_frac_model_run(&m, (int64_t)(0.5 * 3.14159265 / spin / m.s.dt));
    if (status == IG_OK)
      status = ig_frac_model_figures(&m, after);
    void *u;
    if (status == IG_OK)
      status = ig_frac_model_pull(&m, "u", &u);
    if (status == IG_OK) {
      char text[96];
      const char *name = ig_elem_info_get(types[k])->name;
      snprintf(text, sizeof text, "%s: energy after a quarter turn", name);
      row(sink, text, "energy before", 1,
          (after[IG_FRAC_KINETIC] + after[IG_FRAC_STRAIN]) / before[IG_FRAC_KINETIC], 2e-3, false);
      snprintf(text, sizeof text, "%s: strain energy over kinetic", name);
      row(sink, text, "next to nothing", 0, after[IG_FRAC_STRAIN] / before[IG_FRAC_KINETIC], 2e-3,
          false);
      snprintf(text, sizeof text, "%s: corner (0, 0) went to x [m]", name);
      row(sink, text, "rigid turn", 0.1, ig_frac_model_real(&m, u, 0), 1e-3, false);
    }
    ig_frac_model_free(&m);
    ig_frac_problem_free(&p);
    IG_TRY(status);
  }
  return IG_OK;
}

const ig_verify_entry ig_frac_verify[] = {
    {"laws", "cohesive laws at a point: energies, mixed paths, unloading", true,
     ig_frac_verify_laws},
    {"separation", "one facet of each kind pulled apart and sheared off", true,
     ig_frac_verify_separation},
    {"insertion", "every facet of an annulus in random order: Table V, first row", true,
     ig_frac_verify_insertion},
    {"insertion-large", "the other three rows of Table V", false, ig_frac_verify_insertion_large},
    {"insertion-3d", "a block of tetrahedra comes apart", true, ig_frac_verify_insertion_3d},
    {"friction", "a block held or pulled along a closed crack", true, ig_frac_verify_friction},
    {"impact", "two blocks collide along a closed crack", true, ig_frac_verify_impact},
    {"waves", "a plane wave in each element type", true, verify_waves},
    {"spin", "finite rotation: a free plate turns", true, verify_spin},
    {"backends", "this backend against one CPU thread", true, ig_frac_verify_backends},
    {"strip-elastic", "the strip without insertion, against Akantu", false,
     ig_frac_verify_strip_elastic},
    {"strip", "the strip by every criterion: energy, speed, counts", false, ig_frac_verify_strip},
    {"refinement", "dissipated energy on three meshes", false, ig_frac_verify_refinement},
    {"ring", "the pressurised rings of Table VIII", false, ig_frac_verify_ring},
    {"kalthoff", "the notched plate of Kalthoff and Winkler: angle and speed", false,
     ig_frac_verify_kalthoff},
    {"mott", "fragments of an expanding ring", false, ig_frac_verify_mott},
    {.name = NULL}};
