/* Errors from several meshes, comparison with the density model, feasibility; summary.json. */
#include "finish/finish.h"
#include "core/number.h"
#include "io/format/atomic_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Order p of convergence from three values: (f3 - f2) / (f2 - f1) of sizes in the ratios r21 and
   r32, by fixed-point iteration (Celik et al. 2008). */
static double order_of(double e21, double e32, double r21, double r32) {
  const double ratio = fabs(e32 / e21);
  double p = log(ratio) / log(r21);
  for (int i = 0; i < 50 && isfinite(p); i++) {
    const double a = pow(r21, p) - 1, b = pow(r32, p) - 1;
    const double next = log(ratio * a / b) / log(r21);
    if (!isfinite(next))
      break;
    p = 0.5 * (p + next);
  }
  return p;
}

ig_finish_estimate ig_finish_extrapolate(int meshes, const double *size, const double *value) {
  const int n = meshes - 1;
  ig_finish_estimate e = {.value = value[n], .error = NAN, .order = NAN};
  if (meshes < 2 || isnan(value[n]))
    return e;
  const double e21 = value[n] - value[n - 1], r21 = size[n - 1] / size[n];
  e.error = fabs(e21);
  if (meshes < 3 || e21 == 0)
    return e;
  const double e32 = value[n - 1] - value[n - 2], r32 = size[n - 2] / size[n - 1];
  if (e32 == 0 || (e32 < 0) != (e21 < 0) || !(r21 > 1) || !(r32 > 1)) {
    e.error = fmax(fabs(e21), fabs(e32)); /* it oscillates */
    return e;
  }
  e.order = order_of(e21, e32, r21, r32);
  /* Below 0.5 nothing says where it ends; above 4, that of tet10, luck is not counted on. Values
     that are equal but for the linear solver do not grow. */
  const bool slow = !(e.order >= 0.5);
  e.grows = slow && fabs(e21) > 1e-6 * fabs(value[n]);
  e.error = fabs(e21) / (pow(r21, slow ? 0.5 : fmin(4, e.order)) - 1);
  e.order = slow ? NAN : e.order;
  return e;
}

void ig_finish_warn(ig_finished *f, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  ig_format_args(text, sizeof text, format, args);
  va_end(args);
  ig_warn(f->cx, "%s", text);
  ig_text_add(&f->warned, text);
  ig_text_add(&f->warned, "\n");
}

/* --- the table and the summary */

typedef struct {
  ig_finished *f;
  const ig_finish_options *o;
  ig_json json, units;
} report;

static void put(report *r, const char *key, const char *unit, double value) {
  char text[80];
  ig_json_real(&r->json, key, value);
  if (*unit)
    ig_json_text(&r->units, key, unit);
  ig_format(text, sizeof text, "%.6g%s%s", value, *unit ? " " : "", unit);
  if (r->o->line && !isnan(value))
    r->o->line(r->o->user, key, text);
}

static void put_text(report *r, const char *key, const char *text) {
  ig_json_text(&r->json, key, text);
  if (r->o->line)
    r->o->line(r->o->user, key, text);
}

static double design_figure(const ig_finished *f, const char *key) {
  const ig_node *result = ig_node_find(f->summary, "result");
  const ig_node *node = result ? ig_node_find(result, key) : NULL;
  char *end;
  if (!node || node->kind != IG_NODE_SCALAR || node->quoted)
    return NAN;
  const double value = ig_decimal_read(node->text, &end);
  return end != node->text && !*end ? value : NAN;
}

/* The first of two figures that the result has. */
static double design_either(const ig_finished *f, const char *a, const char *b) {
  const double value = design_figure(f, a);
  return isnan(value) ? design_figure(f, b) : value;
}

/* The largest displacement of a design for large deflections. */
static double design_large(const ig_finished *f) {
  double most = NAN;
  for (int q = 0; q < f->cases; q++) {
    char key[48], before[24] = "";
    if (f->cases > 1)
      snprintf(before, sizeof before, "load_case_%d_", q + 1);
    snprintf(key, sizeof key, "%slarge_displacement", before);
    most = fmax(most, design_figure(f, key));
  }
  return most;
}

/* One figure with its error, and beside it that of the density model (NaN: there is none). */
static void put_estimate(report *r, const char *name, const char *unit, const ig_finish_estimate *e,
                         double design) {
  char key[64];
  put(r, name, unit, e->value);
  snprintf(key, sizeof key, "%s_error", name);
  put(r, key, unit, e->error);
  if (!isnan(e->order)) {
    snprintf(key, sizeof key, "%s_order", name);
    put(r, key, "", e->order);
  }
  if (isnan(design))
    return;
  const double by = 100 * (e->value / design - 1);
  snprintf(key, sizeof key, "%s_design", name);
  put(r, key, unit, design);
  snprintf(key, sizeof key, "%s_difference", name);
  put(r, key, "%", by);
  if (fabs(by) > 10)
    ig_finish_warn(r->f,
                   "the %s of the finished part is %.4g %s, that of the density model %.4g %s "
                   "(%+.0f %%): use smaller elements, a sharper projection, or tet10 instead of "
                   "tet4",
                   name, e->value, unit, design, unit, by);
}

/* --- bounds */

typedef struct {
  const char *what, *unit;
  double bound;
} bound;

static bound bound_of(const ig_limit_case *l) {
  const bound all[] = {{"stress", "Pa", l->stress},
                       {"compliance", "J", l->compliance},
                       {"displacement", "m", l->displacement},
                       {"mass", "kg", l->mass},
                       {"frequency", "Hz", l->frequency},
                       {"buckling", "", l->buckling},
                       {"distortion", "m", l->distortion},
                       {"temperature", "K", l->temperature},
                       {"member", "", l->member},
                       {"support_volume", "m^3", l->support_volume},
                       {"removal_force", "N", l->removal_force},
                       {"overheating", "", l->overheating},
                       {"volume", "", l->volume}};
  enum { KINDS = sizeof all / sizeof *all };
  int i = 0;
  while (i < KINDS - 1 && isnan(all[i].bound))
    i++;
  return all[i];
}

/* The lowest factor of the load cases that a bound looks at; NaN: there is none. */
static double buckling_least(const ig_finished *f, const ig_limit_case *l,
                             const ig_finish_figures *figures) {
  double least = NAN;
  for (int q = 0; q < f->cases; q++)
    if ((l->load_case == 0 || l->load_case == q + 1) && figures->bucklings[q] > 0)
      least = fmin(figures->buckling[q][0], least);
  return least;
}

/* A bound that is not computed on the meshes holds where the run says that the part keeps it, or
   the design where it does not look at the part (infeasible: in `text`). */
static void bound_of_run(const ig_finished *f, int i, const char *what, const char *unit,
                         char *text, size_t size) {
  char part[64], design[64], key[64];
  snprintf(part, sizeof part, "part_constraint_%d_%s", i + 1, what);
  snprintf(design, sizeof design, "constraint_%d_%s", i + 1, what);
  snprintf(key, sizeof key, "constraint_%d_bound", i + 1);
  const double value = design_either(f, part, design), most = design_figure(f, key);
  if (value > (1 + 2e-3) * most && text[0] == 'y')
    ig_format(text, size, "no: constraint %d (%s) is %.5g%s%s by the run, its bound %.5g", i + 1,
              what, value, *unit ? " " : "", unit, most);
}

/* Values of the bounds on the finest mesh, with their errors; what is infeasible in `text`. */
static void put_bounds(report *r, int meshes, const ig_finish_figures *figures, double mass,
                       char *text, size_t size) {
  const ig_finished *f = r->f;
  const double models = ig_finish_images(f);
  char unchecked[160] = "";
  for (int i = 0; i < f->t->constraints.count && i < IG_LIMITS; i++) {
    const ig_limit_case *l = IG_ITEM(const ig_limit_case, f->t->constraints, i);
    const bound b = bound_of(l);
    double value[3], length[3];
    char key[64];
    for (int k = 0; k < meshes; k++) {
      value[k] = !isnan(l->frequency) && figures[k].frequencies > 0 ? figures[k].frequency[0]
                 : !isnan(l->buckling) ? buckling_least(f, l, &figures[k])
                                       : figures[k].limit[i];
      length[k] = figures[k].size;
    }
    ig_finish_estimate e = ig_finish_extrapolate(meshes, length, value);
    if (strcmp(b.what, "mass") == 0 && !l->set && !l->place.at.given)
      e = (ig_finish_estimate){.value = mass / models};
    if (isnan(e.value)) {
      snprintf(unchecked + strlen(unchecked), sizeof unchecked - strlen(unchecked), "%s%d (%s)",
               *unchecked ? ", " : "", i + 1, b.what);
      bound_of_run(f, i, b.what, b.unit, text, size);
      continue;
    }
    snprintf(key, sizeof key, "constraint_%d_%s", i + 1, b.what);
    put(r, key, b.unit, e.value);
    snprintf(key, sizeof key, "constraint_%d_error", i + 1);
    put(r, key, b.unit, e.error);
    snprintf(key, sizeof key, "constraint_%d_bound", i + 1);
    put(r, key, b.unit, b.bound);
    const bool least = !isnan(l->frequency) || !isnan(l->buckling); /* no lower than the bound */
    const double error = isnan(e.error) ? 0 : e.error,
                 most = least ? e.value - error : e.value + error;
    const double slack = strcmp(b.what, "stress") == 0 ? 2e-3 : 1e-3;
    if ((least ? b.bound - most : most - b.bound) > slack * fabs(b.bound) && text[0] == 'y')
      ig_format(text, size, "no: constraint %d (%s) is %.5g %s%s, its bound %.5g", i + 1, b.what,
                most, b.unit, e.error > 0 ? " with its error" : "", b.bound);
  }
  if (*unchecked)
    put_text(r, "not_checked", unchecked);
}

/* --- what is measured on the surface */

static ig_status put_measured(report *r) {
  const ig_finished *f = r->f;
  double member, gap;
  int holes = 0;
  IG_TRY(ig_finish_measure(f, &member, &gap));
  put(r, "member_smallest", "m", member);
  put(r, "gap_smallest", "m", gap);
  for (int i = 0; i < f->t->passive.count; i++) {
    const ig_passive_case *p = IG_ITEM(const ig_passive_case, f->t->passive, i);
    double diameter[2];
    char key[48];
    if (p->as != 1 || p->set || !p->place.cylinder.at.given ||
        !ig_finish_hole(f, &p->place.cylinder, diameter))
      continue;
    holes++;
    snprintf(key, sizeof key, "hole_%d_diameter", holes);
    put(r, key, "m", 2 * p->place.cylinder.radius);
    snprintf(key, sizeof key, "hole_%d_smallest", holes);
    put(r, key, "m", diameter[0]);
    snprintf(key, sizeof key, "hole_%d_largest", holes);
    put(r, key, "m", diameter[1]);
  }
  return IG_OK;
}

/* --- everything */

/* What the model's loads are on all images together. */
static void put_sums(report *r, const ig_finish_figures *fine) {
  const ig_finished *f = r->f;
  for (int q = 0; q < f->cases; q++) {
    double square = 0, off = 0;
    for (int d = 0; d < 3; d++) {
      char key[48], before[32] = "";
      if (f->cases > 1)
        snprintf(before, sizeof before, "load_case_%d_", q + 1);
      snprintf(key, sizeof key, "%sload_sum_%c", before, 'x' + d);
      put(r, key, "N", fine->sum[q][d]);
      const double design = design_figure(f, key);
      double sum = 0;
      for (int image = 0; image < 8 && !isnan(design); image++)
        if (ig_finish_image_is(f, image))
          sum += image >> d & 1 ? -design : design;
      square += sum * sum;
      off += isnan(design) ? 0 : (fine->sum[q][d] - sum) * (fine->sum[q][d] - sum);
    }
    if (square > 0 && off > 0.05 * 0.05 * square)
      ig_finish_warn(r->f,
                     "the loads of load case %d add up to other forces than those of the density "
                     "model, by %.0f %%: loads on supports count there as nothing, pressures and "
                     "weight act on what there is",
                     q + 1, 100 * sqrt(off / square));
  }
}

static void put_meshes(report *r, int meshes, const ig_finish_figures *figures) {
  ig_json_list(&r->json, "meshes");
  for (int k = 0; k < meshes; k++) {
    ig_json_object(&r->json, NULL);
    ig_json_int(&r->json, "elements", figures[k].elements);
    ig_json_int(&r->json, "nodes", figures[k].nodes);
    ig_json_real(&r->json, "compliance", figures[k].compliance);
    ig_json_real(&r->json, "displacement", figures[k].displacement);
    ig_json_real(&r->json, "stress", figures[k].stress);
    ig_json_end(&r->json, '}');
  }
  ig_json_end(&r->json, ']');
}

static void put_warned(report *r) {
  char *line = r->f->warned.at;
  ig_json_list(&r->json, "warned");
  while (line && *line) {
    char *end = strchr(line, '\n');
    *end = '\0';
    ig_json_text(&r->json, NULL, line);
    line = end + 1;
  }
  ig_json_end(&r->json, ']');
}

/* Of the whole part: planes of symmetry also allow modes that the model of a half does not have. */
static void put_frequencies(report *r, int meshes, const ig_finish_figures *figures) {
  for (int i = 0; i < figures[meshes - 1].frequencies; i++) {
    double size[3], value[3];
    char key[32];
    for (int k = 0; k < meshes; k++) {
      size[k] = figures[k].size;
      value[k] = i < figures[k].frequencies ? figures[k].frequency[i] : NAN;
    }
    const ig_finish_estimate e = ig_finish_extrapolate(meshes, size, value);
    snprintf(key, sizeof key, "frequency_%d", i + 1);
    put_estimate(r, key, "Hz", &e, ig_finish_images(r->f) > 1 ? NAN : design_figure(r->f, key));
  }
}

static void put_buckling(report *r, int meshes, const ig_finish_figures *figures) {
  const ig_finish_figures *fine = &figures[meshes - 1];
  for (int q = 0; q < r->f->cases; q++)
    for (int i = 0; i < fine->bucklings[q]; i++) {
      double size[3], value[3];
      char key[48], before[24] = "";
      for (int k = 0; k < meshes; k++) {
        size[k] = figures[k].size;
        value[k] = i < figures[k].bucklings[q] ? figures[k].buckling[q][i] : NAN;
      }
      const ig_finish_estimate e = ig_finish_extrapolate(meshes, size, value);
      if (r->f->cases > 1)
        snprintf(before, sizeof before, "load_case_%d_", q + 1);
      snprintf(key, sizeof key, "%sbuckling_%d", before, i + 1);
      put_estimate(r, key, "", &e, ig_finish_images(r->f) > 1 ? NAN : design_figure(r->f, key));
    }
}

/* Beside the linear analysis of the same mesh, so that the difference is that of the theory alone.
 */
static void put_large(report *r, const ig_finish_figures *fine) {
  for (int q = 0; r->f->t->finish.large_deflections && q < r->f->cases; q++) {
    char key[64], before[24] = "";
    if (r->f->cases > 1)
      snprintf(before, sizeof before, "load_case_%d_", q + 1);
    snprintf(key, sizeof key, "%slarge_compliance", before);
    put(r, key, "J", fine->large_work[q]);
    snprintf(key, sizeof key, "%slarge_displacement", before);
    put(r, key, "m", fine->large_moved[q]);
    const double by = 100 * (fine->large_moved[q] / fine->moved[q] - 1);
    snprintf(key, sizeof key, "%slarge_difference", before);
    put(r, key, "%", by);
    if (fabs(by) > 10)
      ig_finish_warn(r->f,
                     "large deflections: load case %d moves the part by %.4g m, %+.0f %% of what "
                     "linear theory says (%.4g m): its figures do not hold",
                     q + 1, fine->large_moved[q], by, fine->moved[q]);
  }
}

/* Damage of one pass of the spectrum. Its root of the material's line goes with the stress, which
   is what converges with the mesh. */
static void put_damage(report *r, int meshes, const ig_finish_figures *figures, char *text,
                       size_t text_size) {
  const ig_finish_figures *fine = &figures[meshes - 1];
  const ig_finish_case *c = &r->f->t->finish;
  double size[3], value[3];
  if (c->spectrum.count == 0)
    return;
  const double power = -r->f->material[0].of->fatigue.exponent;
  for (int k = 0; k < meshes; k++) {
    size[k] = figures[k].size;
    value[k] = pow(figures[k].damage, power);
  }
  const ig_finish_estimate e = ig_finish_extrapolate(meshes, size, value);
  const double worst = isnan(e.error) ? fine->damage : pow(e.value + e.error, 1 / power);
  put(r, "damage", "", fine->damage);
  put(r, "damage_with_error", "", isnan(e.error) ? NAN : worst);
  put(r, "damage_passes", "", 1 / fine->damage);
  for (int d = 0; d < 3; d++) {
    const char key[] = {'d', 'a', 'm', 'a', 'g', 'e', '_', (char)('x' + d), '\0'};
    put(r, key, "m", fine->damage_at[d]);
  }
  if (worst > 1 && text[0] == 'y')
    ig_format(text, text_size,
              "no: the spectrum does a damage of %.4g%s at (%.4g, %.4g, %.4g) m, above 1", worst,
              isnan(e.error) ? "" : " with its error", fine->damage_at[0], fine->damage_at[1],
              fine->damage_at[2]);
}

static void put_figures(report *r, int meshes, const ig_finish_figures *figures,
                        const ig_finish_model *finest) {
  const ig_finished *f = r->f;
  const ig_finish_figures *fine = &figures[meshes - 1];
  const double images = ig_finish_images(f);
  double size[3], value[3][3];
  char feasible[200] = "yes";
  for (int k = 0; k < meshes; k++) {
    size[k] = figures[k].size;
    value[0][k] = figures[k].compliance;
    value[1][k] = figures[k].displacement;
    value[2][k] = figures[k].stress;
  }
  const ig_finish_estimate c = ig_finish_extrapolate(meshes, size, value[0]),
                           u = ig_finish_extrapolate(meshes, size, value[1]),
                           s = ig_finish_extrapolate(meshes, size, value[2]);
  const bool same = f->t->minimise == IG_MINIMISE_RESPONSE && f->t->combine == IG_COMBINE_SUM;
  put_estimate(r, "compliance", "J", &c,
               images * design_figure(f, same ? "objective" : "part_compliance"));
  for (int q = 0; f->cases > 1 && q < f->cases; q++) {
    char key[32];
    snprintf(key, sizeof key, "load_case_%d", q + 1);
    put(r, key, "J", fine->work[q]);
  }
  put_estimate(r, "displacement", "m", &u,
               f->t->analysis.large_deflections
                   ? design_large(f)
                   : design_either(f, "part_displacement_fine", "part_displacement"));
  put_estimate(r, "stress", "Pa", &s, design_either(f, "part_stress_fine", "part_stress"));
  for (int d = 0; d < 3; d++) {
    const char key[] = {'s', 't', 'r', 'e', 's', 's', '_', (char)('x' + d), '\0'};
    put(r, key, "m", fine->where[d]);
  }
  if (s.grows)
    ig_finish_warn(r->f,
                   "the largest stress grows with every finer mesh, at (%.4g, %.4g, %.4g) m: a "
                   "re-entrant corner, a clamped edge or a point load has no finite stress; leave "
                   "its set out (stress.exclude)",
                   fine->where[0], fine->where[1], fine->where[2]);
  put_frequencies(r, meshes, figures);
  put_buckling(r, meshes, figures);
  put_large(r, fine);
  put(r, "volume", "m^3", finest->volume);
  put(r, "volume_design", "m^3", design_figure(f, "surface_volume"));
  put(r, "area", "m^2", finest->area);
  if (!isnan(finest->mass)) {
    put(r, "mass", "kg", finest->mass);
    put(r, "mass_design", "kg", design_figure(f, "mass"));
  }
  put_sums(r, fine);
  put_bounds(r, meshes, figures, finest->mass, feasible, sizeof feasible);
  put_damage(r, meshes, figures, feasible, sizeof feasible);
  if (fine->lost)
    ig_format(feasible, sizeof feasible,
              "no: under load case %d the part finds no equilibrium: it buckles, snaps or folds "
              "before its full load",
              fine->lost);
  if (feasible[0] != 'y')
    ig_finish_warn(r->f, "the finished part is not feasible: %s", feasible + 4);
  put_text(r, "feasible", feasible);
}

ig_status ig_finish_report(ig_finished *f, const ig_finish_options *options, int meshes,
                           const ig_finish_figures *figures, const ig_finish_model *finest) {
  report r = {.f = f, .o = options, .units = {.depth = 1}};
  ig_json_object(&r.json, NULL);
  ig_json_object(&r.units, NULL);
  ig_json_text(&r.json, "finished", f->job.title); /* first: IG_FINISHED_HEAD */
  ig_json_object(&r.json, "result");
  put_figures(&r, meshes, figures, finest);
  const ig_status measured = put_measured(&r);
  ig_json_end(&r.json, '}');
  ig_json_end(&r.units, '}');
  ig_json_raw(&r.json, "units", r.units.text.at);
  put_meshes(&r, meshes, figures);
  put_warned(&r);
  ig_json_end(&r.json, '}');
  ig_text_add(&r.json.text, "\n");
  const ig_status status =
      measured == IG_OK ? ig_store_text(f->cx, f->out, "summary.json", &r.json.text) : measured;
  free(r.json.text.at);
  free(r.units.text.at);
  return status;
}
