/* Verification: exact solutions, patch tests, orders of convergence. Every problem runs in all
   precisions and assemblies on the context's backend; a row shows the worst of them. */
#include "thermal/verify.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ig_material_case *ig_simple_metal_of(ig_simple_metal *s, double rho, double c, double k) {
  memset(s, 0, sizeof *s);
  s->rho[0] = rho;
  s->c[0] = c;
  s->k[0] = k;
  s->m.name = "metal";
  s->m.density = (ig_table){1, s->zero, s->rho};
  s->m.specific_heat = (ig_table){1, s->zero, s->c};
  s->m.conductivity = (ig_table){1, s->zero, s->k};
  s->m.solidus = s->m.liquidus = s->m.absorptivity = s->m.emissivity = NAN;
  return &s->m;
}

ig_heat_condition ig_verify_condition(const ig_mesh *mesh, const char *faces) {
  return (ig_heat_condition){.faces = faces ? ig_mesh_find_set(mesh, faces, IG_SET_FACES) : NULL,
                             .temperature = NAN,
                             .flux = NAN,
                             .h = NAN,
                             .emissivity = NAN,
                             .ambient = NAN};
}

void ig_verify_say(const ig_verify_sink *sink, const char *quantity, const char *source,
                   double expected, double computed, double tolerance, bool relative) {
  const ig_verify_row row = {quantity, source, expected, computed, tolerance, relative};
  sink->row(sink->user, &row);
}

ig_status ig_verify_steps(ig_ctx *cx, ig_heat *h, double dt, int64_t steps) {
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
  ig_simple_metal metal;
  const ig_material_case *materials[] = {ig_simple_metal_of(&metal, 8000, 500, 20)};
  static const char *const sides[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  ig_heat_condition c[6];
  ig_mesh *mesh = NULL;
  ig_heat h;
  memset(&h, 0, sizeof h);
  double *T = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_generate(cx, &mc, &mesh));
  for (int i = 0; i < 6; i++) {
    c[i] = ig_verify_condition(mesh, sides[i]);
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
  IG_TRY_GOTO(status, done, ig_verify_steps(cx, &h, 1.8 / h.rate, 1200));
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
    ig_verify_say(sink, text, "exact; worst of all assemblies", 0, worst, tolerance[p], false);
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
  ig_simple_metal metal;
  const ig_material_case *materials[] = {ig_simple_metal_of(&metal, 1, 1, k)};
  ig_mesh *mesh = NULL;
  ig_heat h;
  memset(&h, 0, sizeof h);
  double *T = NULL, *volume = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_box(cx, IG_HEX8, size, n, &mesh));
  ig_heat_condition c = ig_verify_condition(mesh, "ymax");
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
    ig_verify_say(sink, text, "second-order element", 2, log2(coarse / fine), 0.1, false);
    /* one mesh: what is left after its own limit, found with tiny steps, is time's */
    double limit;
    IG_TRY(made(cx, &setup, 8, 2.5e-4, 0.2, &limit));
    for (int i = 0; i < 2; i++)
      IG_TRY(made(cx, &setup, 8, 0.02 / (1 << i), 0.2, &late[i]));
    snprintf(text, sizeof text, "order in time, %s", name[form]);
    ig_verify_say(sink, text, "forward Euler", 1,
                  log2(fabs(late[0] - limit) / fabs(late[1] - limit)), 0.1, false);
  }
  return IG_OK;
}

/* --- slab with convection on one side, insulated on the other: series solution */

double ig_slab_series(double bi, double fo, double x) {
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
  ig_simple_metal metal;
  const ig_material_case *materials[] = {ig_simple_metal_of(&metal, 100, 100, 1)};
  ig_mesh *mesh = NULL;
  ig_heat h;
  memset(&h, 0, sizeof h);
  double *T = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_box(cx, IG_HEX8, size, cells, &mesh));
  ig_heat_condition c = ig_verify_condition(mesh, "xmax");
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
  IG_TRY_GOTO(status, done, ig_verify_steps(cx, &h, 1e-3, 1000));
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
  const double exact = 300 + 100 * ig_slab_series(50 * 0.1, 1e-4 / 0.01, 1);
  ig_verify_say(sink, "series solution itself, surface", "tabulated value", 361.56903, exact, 1e-5,
                false);
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
        ig_verify_say(sink, text, "series", exact, T, 0.05, false);
      }
  return IG_OK;
}

/* --- a bar and one condition */

ig_status ig_verify_bar_run(ig_ctx *cx, const ig_verify_bar *b, ig_precision precision,
                            ig_heat_conduction conduction, double *T, ig_heat_ledger *ledger) {
  ig_heat h;
  memset(&h, 0, sizeof h);
  ig_mesh *mesh = NULL;
  double *all = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_box(cx, IG_HEX8, b->size, b->cells, &mesh));
  ig_heat_condition c = b->c;
  c.faces = b->where ? ig_mesh_find_set(mesh, b->where, IG_SET_FACES) : NULL;
  const ig_heat_setup setup = {.mesh = mesh,
                               .precision = precision,
                               .assembly = IG_GATHER,
                               .conduction = conduction,
                               .surface = IG_HEAT_LUMPED,
                               .enthalpy = b->enthalpy,
                               .materials = 1,
                               .material = &b->material,
                               .conditions = 1,
                               .condition = &c,
                               .initial = b->initial,
                               .ambient = c.ambient};
  IG_TRY_GOTO(status, done, ig_heat_new(cx, &setup, &h));
  IG_TRY_GOTO(status, done, ig_heat_begin(cx, &h, 0));
  const int64_t steps = (int64_t)ceil(b->time / (b->step * 2 / h.rate));
  IG_TRY_GOTO(status, done, ig_verify_steps(cx, &h, b->time / (double)steps, steps));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &all, mesh->nodes, "temperatures"));
  IG_TRY_GOTO(status, done, ig_heat_temperatures(cx, &h, all));
  memcpy(T, all, ((size_t)b->cells[0] + 1) * sizeof *T);
  status = ig_heat_ledger_read(cx, &h, ledger);
done:
  free(all);
  ig_heat_free(cx, &h);
  ig_mesh_free(mesh);
  return status;
}

/* --- half-space under constant flux */

static ig_status verify_flux(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_simple_metal metal;
  const double q = 1e6, k = 20, alpha = k / (8000 * 500.), t = 1;
  ig_verify_bar b = {.size = {0.02, 1e-3, 1e-3},
                     .cells = {200, 1, 1},
                     .material = ig_simple_metal_of(&metal, 8000, 500, k),
                     .where = "xmin",
                     .initial = 300,
                     .time = t,
                     .step = 0.9};
  b.c = ig_verify_condition(NULL, NULL);
  b.c.flux = q;
  b.c.ambient = 300;
  double T[201];
  ig_heat_ledger l;
  IG_TRY(ig_verify_bar_run(cx, &b, IG_DOUBLE, IG_HEAT_STENCIL, T, &l));
  ig_verify_say(sink, "surface after 1 s [K]", "half-space under constant flux",
                300 + 2 * q / k * sqrt(alpha * t / M_PI), T[0], 2e-3, true);
  const double z = 40 * b.size[0] / b.cells[0];
  ig_verify_say(sink, "4 mm deep after 1 s [K]", "half-space under constant flux",
                300 + 2 * q / k * sqrt(alpha * t / M_PI) * exp(-z * z / (4 * alpha * t)) -
                    q * z / k * erfc(z / (2 * sqrt(alpha * t))),
                T[40], 2e-3, true);
  ig_verify_say(sink, "energy ledger: gap over heat put in", "conservation", 0,
                ig_heat_ledger_gap(&l) / l.flux, 1e-11, false);
  return IG_OK;
}

/* --- a small hot block that radiates into space */

static ig_status verify_radiation(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_simple_metal metal;
  const double edge = 1e-3, rho_c = 8000 * 500., e = 0.8, sigma = 5.670374419e-8, t = 20;
  ig_verify_bar b = {.size = {edge, edge, edge},
                     .cells = {2, 2, 2},
                     .material = ig_simple_metal_of(&metal, 8000, 500, 400),
                     .initial = 1500,
                     .time = t,
                     .step = 0.9};
  b.c = ig_verify_condition(NULL, NULL);
  b.c.emissivity = e;
  b.c.ambient = 0;
  double T[201];
  ig_heat_ledger l;
  IG_TRY(ig_verify_bar_run(cx, &b, IG_DOUBLE, IG_HEAT_STENCIL, T, &l));
  const double exact =
      pow(pow(1500, -3) + 3 * e * sigma * 6 * edge * edge * t / (rho_c * pow(edge, 3)), -1. / 3);
  ig_verify_say(sink, "lumped block after 20 s [K]", "closed form, surroundings at 0 K", exact,
                T[0], 1e-3, true);
  ig_verify_say(sink, "energy ledger: gap over heat radiated", "conservation", 0,
                ig_heat_ledger_gap(&l) / l.radiated, 1e-11, false);
  return IG_OK;
}

/* --- births: volume and outer area of what is there, at every instant */

static ig_status verify_birth(ig_ctx *cx, const ig_verify_sink *sink) {
  /* a block of 4 x 3 x 5 cells growing, bead by bead, on a plate of 8 x 7 x 2 */
  const double h = 1e-3;
  ig_simple_metal metal;
  const ig_material_case *material = ig_simple_metal_of(&metal, 8000, 500, 20);
  const ig_box_case boxes[] = {
      {.name = "plate", .size = IG_ROW(8e-3, 7e-3, 2e-3), .cells = IG_ROW(8, 7, 2)},
      {.name = "block",
       .origin = IG_ROW(2e-3, 2e-3, 2e-3),
       .size = IG_ROW(4e-3, 3e-3, 5e-3),
       .cells = IG_ROW(4, 3, 5)}};
  const ig_mesh_case mc = {.boxes = {2, (void *)boxes}};
  ig_mesh *mesh = NULL;
  ig_heat heat;
  memset(&heat, 0, sizeof heat);
  double *birth = NULL, worst_volume = 0, worst_area = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_generate(cx, &mc, &mesh));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &birth, mesh->block[0].count, "births"));
  const ig_set *block = ig_mesh_find_set(mesh, "block", IG_SET_ELEMENTS);
  for (ig_lid e = 0; e < mesh->block[0].count; e++)
    birth[e] = -INFINITY;
  for (ig_lid i = 0; i < block->count; i++) { /* layers of beads of cells, in order */
    const double *x = &mesh->x[3 * (int64_t)mesh->block[0].conn[8 * (int64_t)block->item[i]]];
    const int a = (int)lround(x[0] / h) - 2, b = (int)lround(x[1] / h) - 2,
              c = (int)lround(x[2] / h) - 2;
    birth[block->item[i]] = 1 + a + 4 * (b + 3 * c);
  }
  const ig_heat_setup setup = {.mesh = mesh,
                               .precision = IG_DOUBLE,
                               .conduction = IG_HEAT_CLASSES,
                               .assembly = IG_GATHER,
                               .materials = 1,
                               .material = &material,
                               .birth = birth,
                               .initial = 300,
                               .ambient = 300};
  IG_TRY_GOTO(status, done, ig_heat_new(cx, &setup, &heat));
  IG_TRY_GOTO(status, done, ig_heat_begin(cx, &heat, 0));
  for (int born = 0; born <= 60; born++) {
    double volume, area;
    if (born) {
      IG_TRY_GOTO(status, done, ig_heat_batch_births(cx, &heat, born));
      IG_TRY_GOTO(status, done, ig_heat_batch_step(cx, &heat, 1e-4));
      IG_TRY_GOTO(status, done, ig_heat_batch_run(cx, &heat));
    }
    ig_heat_measure(&heat, &volume, &area);
    /* sides of whole layers, then of whole rows of the open one, then of its open row */
    const int layer = born / 12, rows = born % 12 / 4, cells = born % 4;
    int sides = layer * 14;
    if (rows)
      sides += 2 * (4 + rows);
    if (cells)
      sides += rows ? 2 : 2 * (cells + 1);
    worst_volume = fmax(worst_volume, fabs(volume / ((112 + born) * h * h * h) - 1));
    worst_area = fmax(worst_area, fabs(area / ((172 + sides) * h * h) - 1));
  }
  ig_verify_say(sink, "volume at every birth, worst error", "geometry", 0, worst_volume, 1e-12,
                false);
  ig_verify_say(sink, "outer area at every birth, worst error", "geometry", 0, worst_area, 1e-12,
                false);
done:
  free(birth);
  ig_heat_free(cx, &heat);
  ig_mesh_free(mesh);
  return status;
}

const ig_verify_entry ig_thermal_verify[] = {
    {"patch", "a linear field on distorted hexahedra stays what it is", true, verify_patch},
    {"manufactured", "orders of convergence in space and time", true, verify_made},
    {"slab", "a slab cooled by convection against its series", true, verify_slab},
    {"flux", "a half-space under constant flux", true, verify_flux},
    {"radiation", "a small block that radiates its heat away", true, verify_radiation},
    {"stefan", "a melting front with latent heat", true, ig_verify_stefan},
    {"latent", "energy through melting and back, two forms of capacity", true, ig_verify_latent},
    {"powder", "powder conducts as powder, once molten as solid for good", true, ig_verify_powder},
    {"solidification", "G, R, cooling rate and meltings of a known field", true,
     ig_verify_solidification},
    {"dwell", "long steps of a dwell against plain ones and the series", true, ig_verify_dwell},
    {"sources", "watts and shape of every source on four meshes", true, ig_verify_sources},
    {"lasers", "two beams at once are the sum of two", true, ig_verify_lasers},
    {"beam", "moving beams against Eagar-Tsai, Rosenthal, ellipsoid", false, ig_verify_beam},
    {"ambench", "melt pools of single tracks on IN625 as measured by NIST", false,
     ig_verify_ambench},
    {"birth", "volume and surface of a growing part", true, verify_birth},
    {NULL, NULL, false, NULL}};
