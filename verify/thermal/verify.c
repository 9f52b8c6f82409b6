/* Verification: exact solutions, patch tests, orders of convergence. Every problem runs on the
   context's backend. */
#include "verify/thermal/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- patch test: a linear field is kept by distorted hexahedra, whatever the mesh inside */

static double patch_field(const double *x) {
  return 400 + 3e3 * x[0] - 2e3 * x[1] + 4e3 * x[2];
}

static ig_status patch(ig_ctx *cx, ig_elem_type type, ig_precision precision, ig_assembly assembly,
                       double *error) {
  const int across = type == IG_TET10 ? 2 : 4; /* with mid-sides as many nodes */
  const double size[] = {0.01, 0.012, 0.009}, cells[] = {across, across, across};
  const ig_box_case box = {.size = {3, (double *)size}, .cells = {3, (double *)cells}};
  const ig_mesh_case mc = {.boxes = {1, (void *)&box},
                           .element = (int)type + 1,
                           .jitter = {.at = {.given = true}, .amount = 0.3, .seed = 7}};
  static const char *const sides[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  ig_thermal_problem s;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_problem_mesh(cx, &mc, &s));
  ig_thermal_problem_metal(&s, 8000, 500, 20);
  for (int i = 0; i < 6; i++)
    ig_thermal_problem_condition(&s, sides[i])->temperature =
        400; /* the values follow node by node */
  s.setup.conduction = IG_HEAT_RECOMPUTE;
  s.setup.precision = precision;
  s.setup.assembly = assembly;
  s.setup.surface = (ig_heat_surface)assembly; /* one of each, too */
  IG_TRY_GOTO(status, done, ig_thermal_problem_start(&s));
  for (ig_lid n = 0; n < s.mesh->nodes; n++)
    s.T[n] = isnan(s.heat.node.held[n]) ? 400 : patch_field(&s.mesh->x[3 * (int64_t)n]);
  IG_TRY_GOTO(status, done, ig_thermal_problem_write(&s));
  IG_TRY_GOTO(status, done, ig_thermal_problem_steps(&s, 1.8 / s.heat.limit.rate, 1200));
  IG_TRY_GOTO(status, done, ig_thermal_problem_read(&s));
  for (ig_lid n = 0; n < s.mesh->nodes; n++) {
    const double exact = patch_field(&s.mesh->x[3 * (int64_t)n]);
    const double off = fabs(s.T[n] - exact) / exact;
    *error = off > *error || isnan(off) ? off : *error;
  }
done:
  ig_thermal_problem_free(&s);
  return status;
}

static ig_status verify_patch(ig_ctx *cx, const ig_verify_sink *sink) {
  static const double tolerance[] = {2e-6, 1e-13, 1e-7};
  for (int p = 0; p < 3; p++) {
    double worst = 0;
    char text[96];
    for (int a = 0; a < 3; a++)
      IG_TRY(patch(cx, IG_HEX8, (ig_precision)p, (ig_assembly)a, &worst));
    snprintf(text, sizeof text, "linear field on distorted hexahedra, %s", ig_verify_precision[p]);
    ig_verify_say(sink, text, "exact; worst of all assemblies", 0, worst, tolerance[p], false);
  }
  return IG_OK;
}

/* --- manufactured solution T = 500 + 100 e^(-t) cos(pi x) cos(pi y / 2) on a unit box, source from
   the equation; insulated sides match its symmetry planes, y = 1 is held at 500 */

static double made_field(const double *x, double t) {
  return 500 + 100 * exp(-t) * cos(M_PI * x[0]) * cos(0.5 * M_PI * x[1]);
}

static ig_status made(ig_ctx *cx, ig_elem_type type, ig_heat_conduction conduction, int cells,
                      double dt, double end, double *error) {
  const double size[] = {1, 1, 0.5}, k = 0.1;
  const int n[] = {cells, cells, cells / 2 > 0 ? cells / 2 : 1};
  double *volume = NULL;
  ig_thermal_problem s;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_problem_box_of(cx, type, size, n, &s));
  ig_thermal_problem_metal(&s, 1, 1, k);
  ig_thermal_problem_condition(&s, "ymax")->temperature = 500;
  s.setup.conduction = conduction;
  IG_TRY_GOTO(status, done, ig_thermal_problem_start(&s));
  IG_TRY_GOTO(status, done, ig_thermal_problem_volumes(&s, &volume));
  const double *x = s.mesh->x;
  for (ig_lid i = 0; i < s.mesh->nodes; i++)
    s.T[i] = made_field(&x[3 * (int64_t)i], 0);
  IG_TRY_GOTO(status, done, ig_thermal_problem_write(&s));
  const int steps = (int)lround(end / dt);
  /* dT/dt - k lap T = (-1 + k pi^2 (1 + 1/4)) (T - 500) */
  const double factor = -1 + k * M_PI * M_PI * 1.25;
  for (int step = 0; step < steps; step++) {
    for (ig_lid i = 0; i < s.mesh->nodes; i++)
      IG_TRY_GOTO(status, done,
                  ig_heat_batch_source(cx, &s.heat, i,
                                       volume[i] * factor *
                                           (made_field(&x[3 * (int64_t)i], step * dt) - 500)));
    IG_TRY_GOTO(status, done, ig_heat_batch_step(cx, &s.heat, dt));
    if (step % 16 == 15 || step + 1 == steps)
      IG_TRY_GOTO(status, done, ig_heat_batch_run(cx, &s.heat));
  }
  IG_TRY_GOTO(status, done, ig_thermal_problem_read(&s));
  double sum = 0, all = 0;
  for (ig_lid i = 0; i < s.mesh->nodes; i++) {
    const double d = s.T[i] - made_field(&x[3 * (int64_t)i], end);
    sum += volume[i] * d * d;
    all += volume[i];
  }
  *error = sqrt(sum / all);
done:
  free(volume);
  ig_thermal_problem_free(&s);
  return status;
}

static ig_status verify_made(ig_ctx *cx, const ig_verify_sink *sink) {
  for (int form = 0; form < 3; form++) {
    const ig_heat_conduction how = (ig_heat_conduction)form;
    double coarse, fine, late[2], limit;
    char text[96];
    /* tiny steps: the error is space's */
    IG_TRY(made(cx, IG_HEX8, how, 4, 1e-4, 0.02, &coarse));
    IG_TRY(made(cx, IG_HEX8, how, 8, 1e-4, 0.02, &fine));
    snprintf(text, sizeof text, "order in space, %s", ig_verify_form[form]);
    ig_verify_say(sink, text, "second-order element", 2, log2(coarse / fine), 0.1, false);
    /* one mesh: what is left after its own limit, found with tiny steps, is time's */
    IG_TRY(made(cx, IG_HEX8, how, 8, 2.5e-4, 0.2, &limit));
    for (int i = 0; i < 2; i++)
      IG_TRY(made(cx, IG_HEX8, how, 8, 0.02 / (1 << i), 0.2, &late[i]));
    snprintf(text, sizeof text, "order in time, %s", ig_verify_form[form]);
    ig_verify_say(sink, text, "forward Euler", 1,
                  log2(fabs(late[0] - limit) / fabs(late[1] - limit)), 0.1, false);
  }
  return IG_OK;
}

/* --- tetrahedra and wedges: the patch test and the order in space again */

static ig_status types_verify(ig_ctx *cx, const ig_verify_sink *sink, const ig_elem_type *types,
                              int count) {
  static const double tolerance[] = {2e-6, 1e-13, 1e-7};
  for (int t = 0; t < count; t++) {
    const char *name = ig_elem_info_get(types[t])->name;
    double coarse, fine;
    char text[96];
    for (int p = 0; p < 3; p++) {
      double worst = 0;
      for (int a = 0; a < 3; a++)
        IG_TRY(patch(cx, types[t], (ig_precision)p, (ig_assembly)a, &worst));
      snprintf(text, sizeof text, "linear field on distorted %s, %s", name, ig_verify_precision[p]);
      ig_verify_say(sink, text, "exact; worst of all assemblies", 0, worst, tolerance[p], false);
    }
    /* the lumped operator is of second order in the mean over neighbours, not in each node: heat
       must have time to spread over an element, so the run is longer than that of hexahedra */
    const int cells = types[t] == IG_TET10 ? 4 : 8;
    IG_TRY(made(cx, types[t], IG_HEAT_CLASSES, cells, 1e-3, 0.5, &coarse));
    IG_TRY(made(cx, types[t], IG_HEAT_CLASSES, 2 * cells, 1e-3, 0.5, &fine));
    snprintf(text, sizeof text, "order in space, %s", name);
    ig_verify_say(sink, text, "second-order element", 2, log2(coarse / fine), 0.2, false);
  }
  return IG_OK;
}

static ig_status verify_tets(ig_ctx *cx, const ig_verify_sink *sink) {
  static const ig_elem_type types[] = {IG_TET4, IG_TET10};
  return types_verify(cx, sink, types, 2);
}

static ig_status verify_wedges(ig_ctx *cx, const ig_verify_sink *sink) {
  static const ig_elem_type types[] = {IG_WEDGE6};
  return types_verify(cx, sink, types, 1);
}

/* --- half-space under constant flux */

/* Steps of nearly nine tenths of the critical one, and what they leave. */
static ig_status after(ig_thermal_problem *s, double time, ig_heat_ledger *ledger) {
  IG_TRY(ig_thermal_problem_start(s));
  const int64_t steps = (int64_t)ceil(time / (0.9 * 2 / s->heat.limit.rate));
  IG_TRY(ig_thermal_problem_steps(s, time / (double)steps, steps));
  IG_TRY(ig_thermal_problem_read(s));
  return ig_heat_ledger_read(s->cx, &s->heat, ledger);
}

static ig_status verify_flux(ig_ctx *cx, const ig_verify_sink *sink) {
  const double q = 1e6, k = 20, alpha = k / (8000 * 500.), t = 1, size[] = {0.02, 1e-3, 1e-3};
  const int cells[] = {200, 1, 1};
  ig_thermal_problem s;
  ig_heat_ledger l;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_problem_box(cx, size, cells, &s));
  ig_thermal_problem_metal(&s, 8000, 500, k);
  ig_thermal_problem_condition(&s, "xmin")->flux = q;
  s.setup.conduction = IG_HEAT_STENCIL;
  IG_TRY_GOTO(status, done, after(&s, t, &l));
  ig_verify_say(sink, "surface after 1 s [K]", "half-space under constant flux",
                300 + 2 * q / k * sqrt(alpha * t / M_PI), s.T[0], 2e-3, true);
  const double z = 40 * size[0] / cells[0];
  ig_verify_say(sink, "4 mm deep after 1 s [K]", "half-space under constant flux",
                300 + 2 * q / k * sqrt(alpha * t / M_PI) * exp(-z * z / (4 * alpha * t)) -
                    q * z / k * erfc(z / (2 * sqrt(alpha * t))),
                s.T[40], 2e-3, true);
  ig_verify_say(sink, "energy ledger: gap over heat put in", "conservation", 0,
                ig_heat_ledger_gap(&l) / l.flux, 1e-11, false);
done:
  ig_thermal_problem_free(&s);
  return status;
}

/* --- a small hot block that radiates into space */

static ig_status verify_radiation(ig_ctx *cx, const ig_verify_sink *sink) {
  const double edge = 1e-3, rho_c = 8000 * 500., e = 0.8, sigma = 5.670374419e-8, t = 20;
  const double size[] = {edge, edge, edge};
  const int cells[] = {2, 2, 2};
  ig_thermal_problem s;
  ig_heat_ledger l;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_problem_box(cx, size, cells, &s));
  ig_thermal_problem_metal(&s, 8000, 500, 400);
  ig_heat_condition *c = ig_thermal_problem_condition(&s, NULL);
  c->emissivity = e;
  c->ambient = 0;
  s.setup.initial = 1500;
  s.setup.conduction = IG_HEAT_STENCIL;
  IG_TRY_GOTO(status, done, after(&s, t, &l));
  const double exact =
      pow(pow(1500, -3) + 3 * e * sigma * 6 * edge * edge * t / (rho_c * pow(edge, 3)), -1. / 3);
  ig_verify_say(sink, "lumped block after 20 s [K]", "closed form, surroundings at 0 K", exact,
                s.T[0], 1e-3, true);
  ig_verify_say(sink, "energy ledger: gap over heat radiated", "conservation", 0,
                ig_heat_ledger_gap(&l) / l.radiated, 1e-11, false);
done:
  ig_thermal_problem_free(&s);
  return status;
}

/* --- births: volume and outer area of what is there, at every instant */

/* A block of 4 x 3 x 5 cells growing, bead by bead, on a plate of 8 x 7 x 2. */
static void block_births(const ig_mesh *mesh, double h, double *birth) {
  const ig_set *block = ig_mesh_find_set(mesh, "block", IG_SET_ELEMENTS);
  for (ig_lid e = 0; e < mesh->block[0].count; e++)
    birth[e] = -INFINITY;
  for (ig_lid i = 0; i < block->count; i++) { /* layers of beads of cells, in order */
    const double *x = &mesh->x[3 * (int64_t)mesh->block[0].conn[8 * (int64_t)block->item[i]]];
    const int a = (int)lround(x[0] / h) - 2, b = (int)lround(x[1] / h) - 2,
              c = (int)lround(x[2] / h) - 2;
    birth[block->item[i]] = 1 + a + 4 * (b + 3 * c);
  }
}

/* Faces on its sides: of whole layers, then of whole rows of the open one, then of its open row. */
static int block_sides(int born) {
  const int layer = born / 12, rows = born % 12 / 4, cells = born % 4;
  int sides = layer * 14;
  if (rows)
    sides += 2 * (4 + rows);
  if (cells)
    sides += rows ? 2 : 2 * (cells + 1);
  return sides;
}

static ig_status verify_birth(ig_ctx *cx, const ig_verify_sink *sink) {
  const double h = 1e-3;
  const ig_box_case boxes[] = {
      {.name = "plate", .size = IG_ROW(8e-3, 7e-3, 2e-3), .cells = IG_ROW(8, 7, 2)},
      {.name = "block",
       .origin = IG_ROW(2e-3, 2e-3, 2e-3),
       .size = IG_ROW(4e-3, 3e-3, 5e-3),
       .cells = IG_ROW(4, 3, 5)}};
  const ig_mesh_case mc = {.boxes = {2, (void *)boxes}};
  double *birth = NULL, worst_volume = 0, worst_area = 0;
  ig_thermal_problem s;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_problem_mesh(cx, &mc, &s));
  ig_thermal_problem_metal(&s, 8000, 500, 20);
  IG_TRY_GOTO(status, done, IG_NEW(cx, &birth, s.mesh->block[0].count, "births"));
  block_births(s.mesh, h, birth);
  s.setup.birth = birth;
  IG_TRY_GOTO(status, done, ig_thermal_problem_start(&s));
  for (int born = 0; born <= 60; born++) {
    double volume, area;
    if (born) {
      IG_TRY_GOTO(status, done, ig_heat_batch_births(cx, &s.heat, born));
      IG_TRY_GOTO(status, done, ig_thermal_problem_steps(&s, 1e-4, 1));
    }
    IG_TRY_GOTO(status, done, ig_heat_measure(cx, &s.heat, &volume, &area));
    worst_volume = fmax(worst_volume, fabs(volume / ((112 + born) * h * h * h) - 1));
    worst_area = fmax(worst_area, fabs(area / ((172 + block_sides(born)) * h * h) - 1));
  }
  ig_verify_say(sink, "volume at every birth, worst error", "geometry", 0, worst_volume, 1e-12,
                false);
  ig_verify_say(sink, "outer area at every birth, worst error", "geometry", 0, worst_area, 1e-12,
                false);
done:
  free(birth);
  ig_thermal_problem_free(&s);
  return status;
}

const ig_verify_entry ig_thermal_verify[] = {
    {"patch", "a linear field on distorted hexahedra stays what it is", true, verify_patch},
    {"manufactured", "orders of convergence in space and time", true, verify_made},
    {"tetrahedra", "patch test and order in space on tet4 and tet10", true, verify_tets},
    {"wedges", "patch test and order in space on wedge6", true, verify_wedges},
    {"slab", "a slab cooled by convection against its series", true, ig_verify_slab},
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
    {"gradient", "derivatives against differences, dot product, Taylor", true,
     ig_thermal_verify_gradient},
    {NULL, NULL, false, NULL}};
