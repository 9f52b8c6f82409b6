/* What other programs read and change: the design; its densities, objective, constraints,
   gradients, states (include/ingot/sim.h). Fields 0 and 1 are the design and its densities; the
   others are derived from an analysis of the design as it stands, which is made when one of them
   is first asked for.

   Arrays of a grid have a halo and places; callers see elements and nodes in the order of
   snapshots. The conversion uses the discretisation's own `pack`, which knows that order. */
#include "topopt/output.h"
#include "backend/backend.h"
#include "ranks/ranks.h"
#include "topopt/kernels/design.h"
#include "topopt/design/load.h"
#include "topopt/design/stress.h"

#include <stdlib.h>
#include <string.h>

static const char *const constraint_gradient[IG_LIMITS] = {
    "constraint_1_gradient",  "constraint_2_gradient",  "constraint_3_gradient",
    "constraint_4_gradient",  "constraint_5_gradient",  "constraint_6_gradient",
    "constraint_7_gradient",  "constraint_8_gradient",  "constraint_9_gradient",
    "constraint_10_gradient", "constraint_11_gradient", "constraint_12_gradient",
    "constraint_13_gradient", "constraint_14_gradient", "constraint_15_gradient",
    "constraint_16_gradient", "constraint_17_gradient", "constraint_18_gradient",
    "constraint_19_gradient", "constraint_20_gradient", "constraint_21_gradient",
    "constraint_22_gradient", "constraint_23_gradient", "constraint_24_gradient",
    "constraint_25_gradient", "constraint_26_gradient", "constraint_27_gradient",
    "constraint_28_gradient", "constraint_29_gradient", "constraint_30_gradient",
    "constraint_31_gradient"};

/* Fields beside the design and its densities: of the design as it stands, which is analysed for
   them. `values`: an array of elements or states on the device, times `scale`. */
typedef enum {
  OBJECTIVE,
  VOLUME,
  CONSTRAINTS,
  SLOPE,
  SLOPE_VOLUME,
  STATE,
  STRESS,
  LIMIT
} derived_kind;
typedef struct {
  derived_kind kind;
  const char *name, *unit;
  ig_location where;
  int components;
  int64_t count;
  int limit; /* of its gradient */
} derived;

/* Field i of them; false: there are no more. Fields with no values in this case (no load, no
   stress) are left out of the count. */
static bool derived_at(const ig_topopt_run *r, int i, derived *f) {
  const ig_topopt_design *s = r->s;
  const ig_discretisation *d = r->d;
  const bool heat = s->c->problem == IG_PROBLEM_HEAT, loaded = s->loading->cases > 0;
  const derived all[] = {
      {OBJECTIVE, "objective", ig_topopt_objective_unit(s), IG_AT_WHOLE, 1, 1, 0},
      {VOLUME, "volume", "", IG_AT_WHOLE, 1, 1, 0},
      {CONSTRAINTS, "constraints", "", IG_AT_WHOLE, 1, s->limits, 0},
      {SLOPE, "objective_gradient", ig_topopt_objective_unit(s), IG_AT_ELEMENTS, 1, d->elements, 0},
      {SLOPE_VOLUME, "volume_gradient", "", IG_AT_ELEMENTS, 1, d->elements, 0},
      {STATE, heat ? "temperature" : "displacement", heat ? "K" : "m", IG_AT_POINTS, heat ? 1 : 3,
       loaded ? d->nodes : 0, 0},
      {STRESS, "stress", "Pa", IG_AT_ELEMENTS, 1, s->stress && loaded ? d->elements : 0, 0}};
  const int listed = sizeof all / sizeof *all;
  int found = 0;
  for (int k = 0; k < listed + s->limits; k++) {
    *f = k < listed ? all[k] : (derived){LIMIT,     constraint_gradient[k - listed],
                                         "",        IG_AT_ELEMENTS,
                                         1,         d->elements,
                                         k - listed};
    if (f->count > 0 && found++ == i)
      return true;
  }
  return false;
}

/* The design of a whole mesh lies on the device in the order of its elements and is given as it
   is; of grids (halo) and parts (other ranks) values have to be collected, and `dev` is NULL. */
bool ig_topopt_field(void *self, int i, ig_room_field *f) {
  const ig_topopt_run *r = self;
  const ig_discretisation *d = r->d;
  derived more;
  /* a whole mesh: places are its elements. A part may have as many, its ranks still meet */
  const bool plain = d->places == d->elements && !ig_topopt_divided(d);
  if (i > 1) {
    if (!derived_at(r, i - 2, &more))
      return false;
    *f = (ig_room_field){.name = more.name,
                         .unit = more.unit,
                         .where = more.where,
                         .dtype = IG_F64,
                         .components = more.components,
                         .count = more.count,
                         .stride = {8 * more.components, 8}};
    return true;
  }
  const ig_array *a = i == 0 ? &r->s->x : &r->s->density[r->s->realisations - 1];
  *f = (ig_room_field){.name = i == 0 ? "design" : "density",
                       .unit = "",
                       .where = IG_AT_ELEMENTS,
                       .dtype = IG_F64,
                       .components = 1,
                       .count = d->elements,
                       .writable = i == 0,
                       .dev = plain ? a->dev : NULL,
                       .stride = {8, 8}};
  return true;
}

/* The place of each element in the arrays of the discretisation. What packs a field takes single
   precision: the number goes in two parts. Sends the numbers of places through `pack` and reads
   which element got which: 2^20 is exact in single precision. */
static ig_status places_find(const ig_topopt_run *r, int64_t *place) {
  enum { PART = 1 << 20 };
  const ig_discretisation *d = r->d;
  double *number;
  float *part;
  IG_TRY(IG_NEW(r->job->cx, &number, d->all_places, "places"));
  ig_status status = IG_NEW(r->job->cx, &part, d->elements, "places");
  for (int high = 0; status == IG_OK && high < 2; high++) {
    for (int64_t i = 0; i < d->all_places; i++)
      number[i] = (double)(high ? i / PART : i % PART);
    d->pack(d->self, false, 1, number, part);
    for (int64_t e = 0; e < d->elements; e++)
      place[e] = high ? place[e] + PART * (int64_t)part[e] : (int64_t)part[e];
  }
  free(number);
  free(part);
  return status;
}

/* An array of the discretisation and where its elements are. */
static ig_status array_open(const ig_topopt_run *r, const void *from, double **value,
                            int64_t **place) {
  *value = NULL;
  *place = NULL;
  IG_TRY(IG_NEW(r->job->cx, value, r->d->all_places, "a field"));
  IG_TRY(IG_NEW(r->job->cx, place, r->d->elements, "places"));
  IG_TRY(places_find(r, *place));
  return ig_topopt_fetch(r->job->cx, r->d, false, 1, from, true, *value);
}

/* Values of elements, in their order. */
static ig_status elements_get(const ig_topopt_run *r, const double *from, double scale,
                              double *values) {
  double *value;
  int64_t *place;
  const ig_status status = array_open(r, from, &value, &place);
  for (int64_t e = 0; status == IG_OK && e < r->d->elements; e++)
    values[e] = scale * value[place[e]];
  free(value);
  free(place);
  return status;
}

/* Gradients by the design: 0 where elements are held, whose value in a design has no effect. */
static ig_status slopes_get(const ig_topopt_run *r, const double *from, double scale,
                            double *values) {
  const ig_discretisation *d = r->d;
  ig_ctx *cx = r->s->cx;
  const size_t n = (size_t)d->places;
  double *slope = NULL;
  uint8_t *role = NULL;
  ig_status status = IG_NEW(cx, &slope, n, "gradients");
  if (status == IG_OK)
    status = IG_NEW(cx, &role, n, "gradients");
  if (status == IG_OK)
    status = cx->backend->copy_out(cx, slope, from, n * sizeof *slope);
  if (status == IG_OK)
    status = cx->backend->copy_out(cx, role, d->role, n);
  for (size_t i = 0; status == IG_OK && i < n; i++)
    slope[i] = role[i] == IG_ROLE_DESIGN ? slope[i] : 0;
  if (status == IG_OK)
    status = cx->backend->copy_in(cx, r->s->work.dev, slope, n * sizeof *slope);
  free(slope);
  free(role);
  if (ig_topopt_divided(d))
    status = ig_ranks_agree(cx, status);
  return status == IG_OK ? elements_get(r, r->s->work.dev, scale, values) : status;
}

/* The state of the first load case at the nodes. What packs it takes single precision: what that
   leaves goes in a second time. Two passes of single precision give about 14 digits: the value,
   and what rounding left of it. */
static ig_status state_get(const ig_topopt_run *r, int components, double *values) {
  const ig_topopt_design *s = r->s;
  const ig_discretisation *d = r->d;
  const double scale = s->loading->norm[0] / s->loading->stiffness;
  const size_t n = (size_t)d->nodes * (size_t)components;
  double *u = NULL;
  float *part = NULL;
  ig_status status = IG_NEW(s->cx, &u, d->all_unknowns, "a field");
  if (status == IG_OK)
    status = IG_NEW(s->cx, &part, n, "a field");
  if (ig_topopt_divided(d))
    status = ig_ranks_agree(s->cx, status);
  const double *moved = NULL;
  if (status == IG_OK)
    status = ig_topopt_load_moved(s, 0, s->u[s->realisations - 1][0].dev, &moved);
  if (status == IG_OK)
    status = ig_topopt_fetch(s->cx, d, true, 1, moved, true, u);
  for (int pass = 0; status == IG_OK && pass < 2; pass++) {
    d->pack(d->self, true, components, u, part);
    for (size_t i = 0; i < n; i++)
      values[i] = (pass ? values[i] : 0) + scale * (double)part[i];
    for (int64_t i = 0; i < d->all_unknowns; i++)
      u[i] -= (double)(float)u[i];
  }
  free(u);
  free(part);
  return status;
}

/* Analysing here must not change how the run goes on: the state before is kept. */
static ig_status derived_get(ig_topopt_run *r, const derived *f, double *values) {
  const ig_topopt_design *s = r->s;
  if (r->evaluated != r->iteration) {
    IG_TRY(ig_topopt_keep(r));
    IG_TRY(ig_topopt_analyse(r));
  }
  switch (f->kind) {
  case OBJECTIVE:
    values[0] = r->e.objective;
    return IG_OK;
  case VOLUME:
    values[0] = r->e.volume;
    return IG_OK;
  case CONSTRAINTS:
    memcpy(values, r->e.limit, (size_t)s->limits * sizeof *values);
    return IG_OK;
  case SLOPE:
    return slopes_get(r, s->dc.dev, 1, values);
  case SLOPE_VOLUME:
    return slopes_get(r, s->dv.dev, 1 / (double)r->d->elements, values);
  case STATE:
    return state_get(r, f->components, values);
  case STRESS:
    IG_TRY(ig_topopt_stress_field(s));
    return elements_get(r, s->stress->relaxed.dev, 1, values);
  default:
    return slopes_get(r, s->limit_slope[f->limit].dev, 1, values);
  }
}

/* Any name that is neither the design nor derived is the density. */
ig_status ig_topopt_get(void *self, const char *name, double *values) {
  ig_topopt_run *r = self;
  derived f;
  if (strcmp(name, "design") == 0)
    return elements_get(r, r->s->x.dev, 1, values);
  for (int i = 0; derived_at(r, i, &f); i++)
    if (strcmp(name, f.name) == 0)
      return derived_get(r, &f, values);
  return elements_get(r, r->s->density[r->s->realisations - 1].dev, 1, values);
}

/* Elements held solid or void keep what they have, linked ones share their mean. */
ig_status ig_topopt_set(void *self, const char *name, const double *values) {
  ig_topopt_run *r = self;
  ig_ctx *cx = r->job->cx;
  const ig_discretisation *d = r->d;
  double *value;
  int64_t *place;
  uint8_t *role = NULL;
  double *now = NULL;
  (void)name;
  if (ig_topopt_divided(d) && !d->place)
    return IG_FAIL(cx, IG_UNSUPPORTED,
                   "design: cannot be set while its grid is divided between ranks");
  ig_status status = array_open(r, r->s->x.dev, &value, &place);
  for (int64_t e = 0; status == IG_OK && e < d->elements; e++) {
    if (!(values[e] >= 0 && values[e] <= 1))
      status = IG_FAIL(cx, IG_INPUT, "design: element %lld is %g: expected 0 to 1", (long long)e,
                       values[e]);
    value[place[e]] = values[e];
  }
  if (status == IG_OK)
    status = IG_NEW(cx, &role, d->places, "roles");
  if (status == IG_OK)
    status = IG_NEW(cx, &now, d->places, "design");
  if (status == IG_OK)
    status = cx->backend->copy_out(cx, role, d->role, (size_t)d->places);
  if (status == IG_OK)
    status = cx->backend->copy_out(cx, now, r->s->x.dev, (size_t)d->places * sizeof *now);
  if (status == IG_OK)
    status = ig_topopt_place(cx, d, false, 1, value, r->s->work.dev);
  if (status == IG_OK)
    status = cx->backend->copy_out(cx, value, r->s->work.dev, (size_t)d->places * sizeof *now);
  for (int64_t i = 0; status == IG_OK && i < d->places; i++)
    now[i] = role[i] == IG_ROLE_DESIGN ? value[i] : now[i];
  if (status == IG_OK)
    status = cx->backend->copy_in(cx, r->s->x.dev, now, (size_t)d->places * sizeof *now);
  if (status == IG_OK)
    status = ig_topopt_design_link(r->s, r->s->x.dev);
  free(now);
  free(value);
  free(place);
  free(role);
  r->evaluated = -1; /* whatever was found out is of another design */
  r->arrived = false;
  ig_topopt_forget(r);
  return status;
}
