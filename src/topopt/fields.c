/* What other programs read and change: the design, its densities. */
#include "topopt/output.h"
#include "backend/backend.h"
#include "topopt/kernels/design.h"

#include <stdlib.h>
#include <string.h>

bool ig_topopt_field(void *self, int i, ig_room_field *f) {
  const ig_topopt_run *r = self;
  const ig_discretisation *d = r->d;
  /* a whole mesh: places are its elements. A part may have as many, its ranks still meet */
  const bool plain = d->places == d->elements && !ig_topopt_divided(d);
  if (i > 1)
    return false;
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
   precision: the number goes in two parts. */
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

ig_status ig_topopt_get(void *self, const char *name, double *values) {
  const ig_topopt_run *r = self;
  const bool design = strcmp(name, "design") == 0;
  double *value;
  int64_t *place;
  const ig_status status = array_open(
      r, design ? r->s->x.dev : r->s->density[r->s->realisations - 1].dev, &value, &place);
  for (int64_t e = 0; status == IG_OK && e < r->d->elements; e++)
    values[e] = value[place[e]];
  free(value);
  free(place);
  return status;
}

/* Elements held solid or void keep what they have. */
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
  free(now);
  free(value);
  free(place);
  free(role);
  r->evaluated = -1; /* whatever was found out is of another design */
  r->arrived = false;
  ig_topopt_forget(r);
  return status;
}
