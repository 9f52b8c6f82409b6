/* Verification: exact solutions, patch tests, orders of convergence. Every problem runs in all
   precisions and assemblies on the context's backend; a row shows the worst of them. */
#include "thermal/thermal.h"
#include "backend/backend.h"
#include "mesh/mesh_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double none[] = {0};

typedef struct {
  double rho[1], c[1], k[1];
  ig_material_case m;
} simple;

static const ig_material_case *simple_metal(simple *s, double rho, double c, double k) {
  memset(s, 0, sizeof *s);
  s->rho[0] = rho;
  s->c[0] = c;
  s->k[0] = k;
  s->m.name = "metal";
  s->m.density = (ig_table){1, (double *)none, s->rho};
  s->m.specific_heat = (ig_table){1, (double *)none, s->c};
  s->m.conductivity = (ig_table){1, (double *)none, s->k};
  s->m.solidus = s->m.liquidus = s->m.absorptivity = s->m.emissivity = NAN;
  return &s->m;
}

static ig_heat_condition condition(const ig_mesh *mesh, const char *faces) {
  return (ig_heat_condition){.faces = faces ? ig_mesh_find_set(mesh, faces, IG_SET_FACES) : NULL,
                             .temperature = NAN,
                             .flux = NAN,
                             .h = NAN,
                             .emissivity = NAN,
                             .ambient = NAN};
}

static void say(const ig_verify_sink *sink, const char *quantity, const char *source,
                double expected, double computed, double tolerance, bool relative) {
  const ig_verify_row row = {quantity, source, expected, computed, tolerance, relative};
  sink->row(sink->user, &row);
}

/* Steps without births or sources. */
static ig_status steps_plain(ig_ctx *cx, ig_heat *h, double dt, int64_t steps) {
  while (steps > 0) {
    const int batch = steps < 512 ? (int)steps : 512;
    for (int i = 0; i < batch; i++)
      IG_TRY(ig_heat_batch_step(cx, h, dt));
    IG_TRY(ig_heat_batch_run(cx, h));
    steps -= batch;
  }
  return ig_fault_check(cx, "node", NULL);
}

typedef ig_status problem_fn(ig_ctx *cx, ig_heat_setup *setup, double *error);
static const char *const precision_name[] = {"single", "double", "mixed"};

/* Runs a problem in every assembly of a precision, for the worst error. */
static ig_status worst_of(ig_ctx *cx, problem_fn *problem, ig_precision precision,
                          ig_heat_conduction conduction, double *worst) {
  *worst = 0;
  for (int a = 0; a < 3; a++) {
    ig_heat_setup setup = {.precision = precision,
                           .assembly = (ig_assembly)a,
                           .conduction = conduction,
                           .surface = (ig_heat_surface)a, /* one of each, too */
                           .initial = 300,
                           .ambient = 300};
    double error = NAN;
    IG_TRY(problem(cx, &setup, &error));
    *worst = error > *worst || isnan(error) ? error : *worst;
  }
  return IG_OK;
}

/* --- patch test: a linear field is kept by distorted hexahedra, whatever the mesh inside */

static double patch_field(const double *x) {
  return 400 + 3e3 * x[0] - 2e3 * x[1] + 4e3 * x[2];
}

static ig_status patch(ig_ctx *cx, ig_heat_setup *setup, double *error) {
  const double size[] = {0.01, 0.012, 0.009}, cells[] = {4, 4, 4};
  const ig_box_case box = {.size = {3, (double *)size}, .cells = {3, (double *)cells}};
  const ig_mesh_case mc = {.boxes = {1, (void *)&box},
                           .jitter = {.at = {.given = true}, .amount = 0.3, .seed = 7}};
  simple metal;
  const ig_material_case *materials[] = {simple_metal(&metal, 8000, 500, 20)};
  static const char *const sides[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  ig_heat_condition c[6];
  ig_mesh *mesh = NULL;
  ig_heat h;
  memset(&h, 0, sizeof h);
  double *T = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_generate(cx, &mc, &mesh));
  for (int i = 0; i < 6; i++) {
    c[i] = condition(mesh, sides[i]);
    c[i].temperature = 400; /* the values are set node by node below */
  }
  setup->mesh = mesh;
  setup->materials = 1;
  setup->material = materials;
  setup->conditions = 6;
  setup->condition = c;
  IG_TRY_GOTO(status, done, ig_heat_new(cx, setup, &h));
  IG_TRY_GOTO(status, done, ig_heat_begin(cx, &h, 0));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &T, mesh->nodes, "temperatures"));
  for (ig_lid n = 0; n < mesh->nodes; n++)
    T[n] = isnan(h.held[n]) ? 400 : patch_field(&mesh->x[3 * (int64_t)n]);
  IG_TRY_GOTO(status, done, ig_heat_set_temperatures(cx, &h, T));
  IG_TRY_GOTO(status, done, steps_plain(cx, &h, 1.8 / h.rate, 1200));
  IG_TRY_GOTO(status, done, ig_heat_temperatures(cx, &h, T));
  *error = 0;
  for (ig_lid n = 0; n < mesh->nodes; n++) {
    const double exact = patch_field(&mesh->x[3 * (int64_t)n]);
    *error = fmax(*error, fabs(T[n] - exact) / exact);
  }
done:
  free(T);
  ig_heat_free(cx, &h);
  ig_mesh_free(mesh);
  return status;
}

static ig_status verify_patch(ig_ctx *cx, const ig_verify_sink *sink) {
  static const double tolerance[] = {2e-6, 1e-13, 1e-7};
  for (int p = 0; p < 3; p++) {
    double worst;
    char text[96];
    IG_TRY(worst_of(cx, patch, (ig_precision)p, IG_HEAT_RECOMPUTE, &worst));
    snprintf(text, sizeof text, "linear field on distorted hexahedra, %s", precision_name[p]);
    say(sink, text, "exact; worst of all assemblies", 0, worst, tolerance[p], false);
  }
  return IG_OK;
}

/* --- manufactured solution T = 500 + 100 e^(-t) cos(pi x) cos(pi y / 2) on a unit box, source from
   the equation; insulated sides match its symmetry planes, y = 1 is held at 500 */

static double made_field(const double *x, double t) {
  return 500 + 100 * exp(-t) * cos(M_PI * x[0]) * cos(0.5 * M_PI * x[1]);
}

static ig_status made(ig_ctx *cx, ig_heat_setup *setup, int cells, double dt, double end,
                      double *error) {
  const double size[] = {1, 1, 0.5};
  const int n[] = {cells, cells, cells / 2 > 0 ? cells / 2 : 1};
  const double k = 0.1;
  simple metal;
  const ig_material_case *materials[] = {simple_metal(&metal, 1, 1, k)};
  ig_mesh *mesh = NULL;
  ig_heat h;
  memset(&h, 0, sizeof h);
  double *T = NULL, *volume = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_box(cx, IG_HEX8, size, n, &mesh));
  ig_heat_condition c = condition(mesh, "ymax");
  c.temperature = 500;
  setup->mesh = mesh;
  setup->materials = 1;
  setup->material = materials;
  setup->conditions = 1;
  setup->condition = &c;
  IG_TRY_GOTO(status, done, ig_heat_new(cx, setup, &h));
  IG_TRY_GOTO(status, done, ig_heat_begin(cx, &h, 0));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &T, mesh->nodes, "temperatures"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &volume, mesh->nodes, "volumes"));
  for (ig_lid e = 0; e < h.elements; e++) {
    ig_heat_shape room;
    const ig_heat_shape *s = ig_heat_shape_of(&h, e, &room);
    for (int a = 0; a < 8; a++)
      volume[((ig_lid *)h.elems.conn.host)[8 * (int64_t)e + a]] += s->volume[a];
  }
  for (ig_lid i = 0; i < mesh->nodes; i++)
    T[i] = made_field(&mesh->x[3 * (int64_t)i], 0);
  IG_TRY_GOTO(status, done, ig_heat_set_temperatures(cx, &h, T));
  const int steps = (int)lround(end / dt);
  /* dT/dt - k lap T = (-1 + k pi^2 (1 + 1/4)) (T - 500) */
  const double factor = -1 + k * M_PI * M_PI * 1.25;
  for (int s = 0; s < steps; s++) {
    for (ig_lid i = 0; i < mesh->nodes; i++)
      IG_TRY_GOTO(status, done,
                  ig_heat_batch_source(cx, &h, i,
                                       volume[i] * factor *
                                           (made_field(&mesh->x[3 * (int64_t)i], s * dt) - 500)));
    IG_TRY_GOTO(status, done, ig_heat_batch_step(cx, &h, dt));
    if (s % 16 == 15 || s + 1 == steps)
      IG_TRY_GOTO(status, done, ig_heat_batch_run(cx, &h));
  }
  IG_TRY_GOTO(status, done, ig_heat_temperatures(cx, &h, T));
  double sum = 0, all = 0;
  for (ig_lid i = 0; i < mesh->nodes; i++) {
    const double d = T[i] - made_field(&mesh->x[3 * (int64_t)i], end);
    sum += volume[i] * d * d;
    all += volume[i];
  }
  *error = sqrt(sum / all);
done:
  free(T);
  free(volume);
  ig_heat_free(cx, &h);
  ig_mesh_free(mesh);
  return status;
}

static ig_status verify_made(ig_ctx *cx, const ig_verify_sink *sink) {
  for (int form = 0; form < 3; form++) {
    static const char *const name[] = {"recompute", "classes", "stencil"};
    double coarse, fine, late[2];
    char text[96];
    ig_heat_setup setup = {.precision = IG_DOUBLE,
                           .assembly = IG_GATHER,
                           .conduction = (ig_heat_conduction)form,
                           .surface = IG_HEAT_LUMPED,
                           .initial = 500,
                           .ambient = 500};
    /* tiny steps: the error is space's */
    IG_TRY(made(cx, &setup, 4, 1e-4, 0.02, &coarse));
    IG_TRY(made(cx, &setup, 8, 1e-4, 0.02, &fine));
    snprintf(text, sizeof text, "order in space, %s", name[form]);
    say(sink, text, "second-order element", 2, log2(coarse / fine), 0.1, false);
    /* one mesh: what is left after its own limit, found with tiny steps, is time's */
    double limit;
    IG_TRY(made(cx, &setup, 8, 2.5e-4, 0.2, &limit));
    for (int i = 0; i < 2; i++)
      IG_TRY(made(cx, &setup, 8, 0.02 / (1 << i), 0.2, &late[i]));
    snprintf(text, sizeof text, "order in time, %s", name[form]);
    say(sink, text, "forward Euler", 1, log2(fabs(late[0] - limit) / fabs(late[1] - limit)), 0.1,
        false);
  }
  return IG_OK;
}

/* --- slab with convection on one side, insulated on the other: series solution */

static double slab_series(double bi, double fo, double x) {
  double theta = 0;
  for (int i = 0; i < 200; i++) {
    double low = i * M_PI + 1e-12, high = i * M_PI + M_PI / 2 - 1e-12;
    for (int k = 0; k < 200; k++) {
      const double z = 0.5 * (low + high);
      if (z * tan(z) > bi)
        high = z;
      else
        low = z;
    }
    const double z = 0.5 * (low + high);
    theta += 2 * sin(z) / (z + sin(z) * cos(z)) * exp(-z * z * fo) * cos(z * x);
  }
  return theta;
}

static ig_status slab(ig_ctx *cx, ig_heat_setup *setup, double *surface) {
  const double L = 0.1, size[] = {L, 0.01, 0.01};
  const int cells[] = {100, 1, 1};
  simple metal;
  const ig_material_case *materials[] = {simple_metal(&metal, 100, 100, 1)};
  ig_mesh *mesh = NULL;
  ig_heat h;
  memset(&h, 0, sizeof h);
  double *T = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_box(cx, IG_HEX8, size, cells, &mesh));
  ig_heat_condition c = condition(mesh, "xmax");
  c.h = 50;
  c.ambient = 300;
  setup->mesh = mesh;
  setup->materials = 1;
  setup->material = materials;
  setup->conditions = 1;
  setup->condition = &c;
  setup->initial = 400;
  IG_TRY_GOTO(status, done, ig_heat_new(cx, setup, &h));
  IG_TRY_GOTO(status, done, ig_heat_begin(cx, &h, 0));
  IG_TRY_GOTO(status, done, steps_plain(cx, &h, 1e-3, 1000));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &T, mesh->nodes, "temperatures"));
  IG_TRY_GOTO(status, done, ig_heat_temperatures(cx, &h, T));
  *surface = 0;
  int count = 0;
  for (ig_lid n = 0; n < mesh->nodes; n++)
    if (mesh->x[3 * (int64_t)n] > L * (1 - 1e-9)) {
      *surface += T[n];
      count++;
    }
  *surface /= count;
done:
  free(T);
  ig_heat_free(cx, &h);
  ig_mesh_free(mesh);
  return status;
}

static ig_status verify_slab(ig_ctx *cx, const ig_verify_sink *sink) {
  /* Bi = h L / k, Fo = alpha t / L^2 */
  const double exact = 300 + 100 * slab_series(50 * 0.1, 1e-4 / 0.01, 1);
  say(sink, "series solution itself, surface", "tabulated value", 361.56903, exact, 1e-5, false);
  for (int form = 0; form < 3; form++)
    for (int p = 0; p < 3; p++)
      for (int a = 0; a < 3; a++) {
        static const char *const name[] = {"recompute", "classes", "stencil"};
        static const char *const assembly[] = {"atomic", "color", "gather"};
        if (form == IG_HEAT_STENCIL && a)
          continue;
        ig_heat_setup setup = {.precision = (ig_precision)p,
                               .assembly = (ig_assembly)a,
                               .conduction = (ig_heat_conduction)form,
                               .surface =
                                   form == IG_HEAT_STENCIL ? IG_HEAT_LUMPED : (ig_heat_surface)a,
                               .ambient = 300};
        double T;
        char text[96];
        IG_TRY(slab(cx, &setup, &T));
        snprintf(text, sizeof text, "surface after 1 s, %s %s %s [K]", name[form],
                 precision_name[p], form == IG_HEAT_STENCIL ? "" : assembly[a]);
        say(sink, text, "series", exact, T, 0.05, false);
      }
  return IG_OK;
}

const ig_verify_entry ig_thermal_verify[] = {
    {"patch", "a linear field on distorted hexahedra stays what it is", true, verify_patch},
    {"manufactured", "orders of convergence in space and time", true, verify_made},
    {"slab", "a slab cooled by convection against its series", true, verify_slab},
    {NULL, NULL, false, NULL}};
