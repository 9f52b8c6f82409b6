/* Overheating of a printed part, slab by slab, and slopes by the adjoint method (overheat.h). Every
   system begins at zero, so that nothing of one design is left for the next. */
#include "topopt/design/overheat_mesh.h"
#include "topopt/design/solve_groups.h"
#include "topopt/design/support.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double exponent = IG_OVERHEAT_EXPONENT;
static const double memory = 0.5; /* share of the last designs in the correction */

static int layers_of(const ig_discretisation *d) {
  return d->build ? d->build->layers : d->layers->layers;
}
static double height_of(const ig_discretisation *d) {
  return d->build ? d->build->height : d->layers->height;
}

bool ig_topopt_overheat_asked(const ig_topopt_case *c) {
  bool asked = c->minimise == IG_MINIMISE_OVERHEATING;
  for (int i = 0; i < c->constraints.count; i++)
    asked = asked || !isnan(IG_ITEM(ig_limit_case, c->constraints, i)->overheating);
  return asked;
}

/* --- a slab --- */

/* Place of a layer of the slab, counted from its bottom; elements and nodes have the same. */
static int64_t slab_place(const ig_topopt_overheat *t, const ig_topopt_layers *l, int i, int j,
                          int k) {
  int at[3] = {0, 0, 0};
  at[l->axis] = k;
  at[(l->axis + 1) % t->grid.dim] = i;
  if (t->grid.dim == 3)
    at[(l->axis + 2) % 3] = j;
  return ig_grid_place(&t->grid, at[0], at[1], at[2]);
}
static int64_t part_place(const ig_topopt_layers *l, int i, int j, int k) {
  return l->first + i * l->step[0] + j * l->step[1] + k * l->up;
}

/* The nodes of an element's upper face; how many. */
static int upper_nodes(const ig_topopt_overheat *t, const ig_topopt_layers *l, int i, int j,
                       int64_t to[4]) {
  int n = 0;
  for (int b = 0; b < (t->grid.dim == 3 ? 2 : 1); b++)
    for (int a = 0; a < 2; a++)
      to[n++] = slab_place(t, l, i + a, j + b, t->depth);
  return n;
}

/* Conductivities below layer `top`: below the part is the plate, solid. */
static ig_status slab_begin(ig_topopt_design *s, const double *x, int top) {
  ig_topopt_overheat *t = s->overheat;
  const ig_topopt_layers *l = s->d->layers;
  for (int k = 0; k < t->depth; k++)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        const int layer = top - t->depth + 1 + k;
        const double v = layer < 0 ? 1 : x[part_place(l, i, j, layer)];
        double slope;
        t->modulus[slab_place(t, l, i, j, k)] = ig_overheat_conductivity(v, &slope);
      }
  IG_TRY(s->cx->backend->copy_in(s->cx, t->solver->modulus.dev, t->modulus,
                                 (size_t)t->grid.stored * sizeof *t->modulus));
  return ig_multigrid_update(t->solver);
}

/* Solves for t->load into `u` and t->nodal (host). The right side is of unit size for the solver,
   whose preconditioner is in single precision. */
static ig_status slab_solve(ig_topopt_design *s, ig_array *u, ig_evaluation *e) {
  ig_topopt_overheat *t = s->overheat;
  const size_t n = (size_t)t->grid.stored, bytes = n * sizeof(double);
  ig_solve_report report;
  double square = 0;
  for (size_t i = 0; i < n; i++)
    square += t->load[i] * t->load[i];
  const double size = sqrt(square);
  memset(t->nodal, 0, bytes);
  IG_TRY(ig_array_zero(s->cx, u));
  if (!(size > 0))
    return IG_OK;
  for (size_t i = 0; i < n; i++)
    t->load[i] /= size;
  IG_TRY(s->cx->backend->copy_in(s->cx, t->f.dev, t->load, bytes));
  t->solver->cautious = false; /* as a run that was restarted has it */
  IG_TRY(ig_multigrid_solve(t->solver, t->f.dev, u->dev, fmin(s->tolerance, 1e-6), &report));
  if (report.end != IG_SOLVE_CONVERGED)
    ig_warn(s->cx, "printing: the linear solver %s (relative residual %.2g after %d iterations)",
            ig_solve_end_text(report.end), report.residual, report.iterations);
  if (e) {
    e->iterations += report.iterations;
    e->residual = fmax(e->residual, report.residual);
  }
  IG_TRY(s->ops->mix(s->cx, (int64_t)n, size, u->dev, 0, u->dev, u->dev));
  return s->cx->backend->copy_out(s->cx, t->nodal, u->dev, bytes);
}

/* Flux where the layer is solid; false: it is empty. */
static bool slab_load(ig_topopt_overheat *t, const ig_topopt_layers *l, const double *x, int top) {
  const double area = l->across[0] * (t->grid.dim == 3 ? l->across[1] : 1);
  double all = 0;
  memset(t->load, 0, (size_t)t->grid.stored * sizeof *t->load);
  for (int j = 0; j < l->n[1]; j++)
    for (int i = 0; i < l->n[0]; i++) {
      int64_t node[4];
      const int n = upper_nodes(t, l, i, j, node);
      const double v = x[part_place(l, i, j, top)];
      all += v;
      for (int a = 0; a < n; a++)
        t->load[node[a]] += v * area / n;
    }
  return all > 1e-6;
}

/* t_e of the layer, from temperatures in t->nodal. */
static double rise(const ig_topopt_overheat *t, const ig_topopt_layers *l, int i, int j) {
  int64_t node[4];
  double sum = 0;
  const int n = upper_nodes(t, l, i, j, node);
  for (int a = 0; a < n; a++)
    sum += t->nodal[node[a]] / n;
  return sum / t->reference;
}

/* --- the sum over elements of x t^P and its slope --- */

/* What layer `top` adds to the sum, and to its slope by densities that make heat. The right side of
   the adjoint system is left in t->load. */
static void layer_sum(ig_topopt_overheat *t, const ig_topopt_layers *l, int top, double *sum,
                      double *most) {
  memset(t->load, 0, (size_t)t->grid.stored * sizeof *t->load);
  for (int j = 0; j < l->n[1]; j++)
    for (int i = 0; i < l->n[0]; i++) {
      const int64_t e = part_place(l, i, j, top);
      const double hot = rise(t, l, i, j), x = t->density[e];
      int64_t node[4];
      if (t->count[e] == 0 || hot <= 0)
        continue;
      const int n = upper_nodes(t, l, i, j, node);
      const double pth = pow(hot, exponent);
      *sum += x * pth;
      *most = fmax(*most, pow(fmax(x, 0), 1 / exponent) * hot);
      t->slope[e] += pth;
      for (int a = 0; a < n; a++)
        t->load[node[a]] += x * exponent * pth / hot / (n * t->reference);
    }
}

/* The adjoint in t->nodal: heat that a density makes, and conductivities by t->part, its energies
   with the temperatures. */
static void layer_slope(ig_topopt_overheat *t, const ig_topopt_layers *l, int top) {
  const double area = l->across[0] * (t->grid.dim == 3 ? l->across[1] : 1);
  for (int j = 0; j < l->n[1]; j++)
    for (int i = 0; i < l->n[0]; i++) {
      t->slope[part_place(l, i, j, top)] += rise(t, l, i, j) * t->reference * area;
      for (int k = 0; k < t->depth; k++) {
        const int layer = top - t->depth + 1 + k;
        if (layer < 0)
          continue;
        const int64_t e = part_place(l, i, j, layer);
        double by;
        (void)ig_overheat_conductivity(t->density[e], &by);
        t->slope[e] -= by * t->part[slab_place(t, l, i, j, k)];
      }
    }
}

static ig_status layer_add(ig_topopt_design *s, int top, ig_evaluation *e, double *sum,
                           double *most) {
  ig_topopt_overheat *t = s->overheat;
  const ig_topopt_layers *l = s->d->layers;
  ig_multigrid *m = t->solver;
  if (t->mesh)
    return ig_overheat_mesh_add(t->mesh, t->density, t->count, top, sum, most, t->slope);
  if (!slab_load(t, l, t->density, top))
    return IG_OK;
  IG_TRY(slab_begin(s, t->density, top));
  IG_TRY(slab_solve(s, &t->t, e));
  layer_sum(t, l, top, sum, most);
  IG_TRY(slab_solve(s, &t->adjoint, e));
  IG_TRY(m->ops->energy(s->cx, &m->args, t->adjoint.dev, t->t.dev, 1, false, t->energy.dev));
  IG_TRY(s->cx->backend->copy_out(s->cx, t->part, t->energy.dev,
                                  (size_t)t->grid.stored * sizeof *t->part));
  layer_slope(t, l, top);
  return IG_OK;
}

ig_status ig_topopt_overheat_evaluate(ig_topopt_design *s, const ig_law *law, int i,
                                      ig_evaluation *e, double *value, double *slope) {
  ig_topopt_overheat *t = s->overheat;
  const size_t n = (size_t)s->d->places;
  const double unit = i < IG_LIMITS ? 1 / ig_topopt_limit_case(s, i)->overheating : 1;
  const double *member = i < IG_LIMITS ? s->loading->limit[i].dev : t->member.dev;
  double sum = 0, most = 0;
  if (ig_topopt_turn_first(s))
    return IG_OK;
  double start = ig_now();
  IG_TRY(ig_topopt_print_densities(s, t->density));
  IG_TRY(s->cx->backend->copy_out(s->cx, t->count, member, n * sizeof *t->count));
  memset(t->slope, 0, n * sizeof *t->slope);
  for (int top = 0; top < layers_of(s->d); top++)
    IG_TRY(layer_add(s, top, e, &sum, &most));
  const double norm = unit * pow(sum, 1 / exponent);
  e->peak[i] = unit * most;
  t->norm[i] = norm;
  if (t->correction[i] == 0)
    t->correction[i] = norm > 0 ? e->peak[i] / norm : 1;
  *value = t->correction[i] * norm;
  const double by_sum = sum > 0 ? *value / (exponent * sum) : 0;
  for (size_t at = 0; at < n; at++)
    t->slope[at] *= by_sum;
  IG_TRY(ig_topopt_print_slope(s, law, t->slope, slope));
  return ig_topopt_design_charge(s, IG_STAGE_SOLVE, &start);
}

void ig_topopt_overheat_learn(ig_topopt_design *s, const ig_evaluation *e) {
  ig_topopt_overheat *t = s->overheat;
  for (int i = 0; t && i <= IG_LIMITS; i++)
    if (t->correction[i] > 0 && t->norm[i] > 0)
      t->correction[i] = memory * t->correction[i] + (1 - memory) * e->peak[i] / t->norm[i];
}

ig_status ig_topopt_overheat_measure(ig_topopt_design *s, const double *density,
                                     const double *count, double *most, int *layer) {
  ig_topopt_overheat *t = s->overheat;
  const ig_topopt_layers *l = s->d->layers;
  *most = 0;
  *layer = 0;
  for (int top = 0; top < layers_of(s->d); top++) {
    if (t->mesh) {
      double hot;
      IG_TRY(ig_overheat_mesh_most(t->mesh, density, count, top, &hot));
      *layer = hot > *most ? top : *layer;
      *most = fmax(*most, hot);
      continue;
    }
    if (!slab_load(t, l, density, top))
      continue;
    IG_TRY(slab_begin(s, density, top));
    IG_TRY(slab_solve(s, &t->t, NULL));
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        const double hot = rise(t, l, i, j);
        const int64_t e = part_place(l, i, j, top);
        if (density[e] > 0.5 && (!count || count[e] > 0) && hot > *most) {
          *most = hot;
          *layer = top;
        }
      }
  }
  return IG_OK;
}

/* --- making it --- */

static ig_status solver_new(ig_topopt_design *s) {
  ig_topopt_overheat *t = s->overheat;
  const ig_topopt_layers *l = s->d->layers;
  const int dim = s->d->grid->dim;
  const ig_multigrid_options options = IG_MULTIGRID_DEFAULT;
  int n[3] = {s->d->grid->n[0], s->d->grid->n[1], s->d->grid->n[2]};
  double h[3];
  ig_brick brick;
  uint8_t *fix;
  n[l->axis] = t->depth;
  h[l->axis] = l->height;
  h[(l->axis + 1) % dim] = l->across[0];
  h[dim == 3 ? (l->axis + 2) % 3 : 2] = l->across[1];
  IG_TRY(ig_grid_init(s->cx, &t->grid, dim, 1, n));
  ig_brick_conduction(&brick, dim, h);
  IG_TRY(IG_NEW(s->cx, &fix, t->grid.stored, "overheating"));
  for (int j = 0; j <= (dim == 3 ? l->n[1] : 0); j++)
    for (int i = 0; i <= l->n[0]; i++)
      fix[slab_place(t, l, i, j, 0)] = 1;
  const ig_status status =
      ig_multigrid_new(s->cx, &t->grid, &brick, fix, NULL, 0, &options, &t->solver);
  free(fix);
  return status;
}

static ig_status arrays_new(ig_topopt_design *s) {
  ig_topopt_overheat *t = s->overheat;
  ig_array *const arrays[] = {&t->f, &t->t, &t->adjoint, &t->energy};
  double **const of_slab[] = {&t->modulus, &t->nodal, &t->load, &t->part};
  double **const of_part[] = {&t->density, &t->count, &t->slope};
  for (int i = 0; i < 4 && !t->mesh; i++) {
    IG_TRY(ig_array_new_device(s->cx, arrays[i], (size_t)t->grid.stored, sizeof(double),
                               "overheating"));
    IG_TRY(ig_array_zero(s->cx, arrays[i]));
    IG_TRY(IG_NEW(s->cx, of_slab[i], t->grid.stored, "overheating"));
  }
  for (int i = 0; i < 3; i++)
    IG_TRY(IG_NEW(s->cx, of_part[i], s->d->places, "overheating"));
  if (s->spare.dev)
    return IG_OK;
  return ig_array_new_device(s->cx, &s->spare, (size_t)s->d->places, sizeof(double), "slopes");
}

/* Layers of elements in a slab: ten if the case does not say, fewer of a lower grid. One that is
   asked for may reach into the plate, as far as the part is high. */
static ig_status depth_of(const ig_topopt_design *s, int *depth) {
  const ig_printing_case *c = &s->c->printing;
  const int layers = layers_of(s->d);
  const double height = height_of(s->d), asked = floor(c->slab / height + 0.5);
  *depth = layers < 10 ? layers : 10;
  if (isnan(c->slab))
    return IG_OK;
  if (asked < 1)
    return ig_fail_at(s->cx, &c->at,
                      "printing: slab: %g m is less than half an element, %g m high: heat is "
                      "conducted through elements below a new layer: take ten of them, say",
                      c->slab, height);
  if (asked > 2.0 * layers)
    return ig_fail_at(s->cx, &c->at,
                      "printing: slab: %g m, but the %s is %g m high along the direction: give "
                      "twice of that at most",
                      c->slab, s->d->build ? "mesh" : "grid", layers * height);
  *depth = (int)asked;
  return IG_OK;
}

ig_status ig_topopt_overheat_new(ig_topopt_design *s) {
  const ig_topopt_case *c = s->c;
  ig_topopt_overheat *t;
  if (!ig_topopt_overheat_asked(c))
    return IG_OK;
  IG_TRY(ig_topopt_print_check(s, "overheating"));
  IG_TRY(IG_NEW(s->cx, &t, 1, "overheating"));
  s->overheat = t;
  IG_TRY(depth_of(s, &t->depth));
  t->reference = t->depth * height_of(s->d);
  IG_TRY(s->d->build ? ig_overheat_mesh_new(s->cx, s->d->build, t->depth, &t->mesh)
                     : solver_new(s));
  IG_TRY(arrays_new(s));
  return c->minimise == IG_MINIMISE_OVERHEATING ? ig_topopt_print_member(s, &t->member) : IG_OK;
}

void ig_topopt_overheat_free(ig_topopt_design *s) {
  ig_topopt_overheat *t = s->overheat;
  if (!t)
    return;
  ig_overheat_mesh_free(t->mesh);
  ig_multigrid_free(t->solver);
  ig_array *const arrays[] = {&t->f, &t->t, &t->adjoint, &t->energy, &t->member};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(s->cx, arrays[i]);
  double *const host[] = {t->density, t->count, t->slope, t->modulus, t->nodal, t->load, t->part};
  for (size_t i = 0; i < sizeof host / sizeof *host; i++)
    free(host[i]);
  free(t);
  s->overheat = NULL;
}

/* A multigrid of one unknown per node, about 120 bytes per unknown, and four vectors; a slab is at
   most as high as the part, or twice that where the case gives it. */
double ig_topopt_overheat_bytes(const ig_topopt_case *c, double n) {
  const double parts = isnan(c->printing.slab) ? 1 : 2;
  return ig_topopt_overheat_asked(c) ? n * parts * (120 + 4 * 8) : 0;
}
