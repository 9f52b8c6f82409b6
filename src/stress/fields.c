/* What other programs read and change between steps: displacements (read, on the device),
   temperatures (read and set), factors of loads and supports. The interface is in core/room.h. */
#include "stress/run.h"

#include <string.h>

/* Field number i, false beyond the last. Displacements lie in device memory as nodes x 3
   doubles: strides of 24 and 8 bytes. Temperatures have no device pointer: they are set through
   _set. */
bool ig_stress_field_at(void *self, int i, ig_room_field *f) {
  const ig_stress_run *r = self;
  *f = (ig_room_field){.where = IG_AT_POINTS, .dtype = IG_F64, .count = r->m->nodes};
  switch (i) {
  case 0:
    f->name = "displacement", f->unit = "m", f->components = 3;
    f->dev = ig_stress_divided(r->m) ? NULL : r->m->u.dev; /* no rank has all */
    f->stride[0] = 24, f->stride[1] = 8;
    return true;
  case 1:
    f->name = "T", f->unit = "K", f->components = 1, f->writable = true;
    return true;
  default:
    return false;
  }
}

/* Temperatures that were set are those of the next step. Displacements are asked for here where
   they are divided between ranks. */
ig_status ig_stress_field_get(void *self, const char *name, double *values) {
  ig_stress_run *r = self;
  if (strcmp(name, "displacement") == 0) {
    IG_TRY(ig_stress_nodes_pull(r->m, &r->m->u));
    memcpy(values, r->m->u.host, 3 * sizeof *values * (size_t)r->m->nodes);
    return IG_OK;
  }
  memcpy(values, r->given ? r->T1 : r->T0, sizeof *values * (size_t)r->m->nodes);
  return IG_OK;
}

/* Temperatures at the end of the next step, K, for phases that have none of their own. They are
   used once; later steps keep them until they are set again. */
ig_status ig_stress_field_set(void *self, const char *name, const double *values) {
  ig_stress_run *r = self;
  (void)name;
  if (r->at == r->steps)
    return IG_FAIL(r->m->cx, IG_INPUT, "the run has ended: no step is left to take temperatures");
  const ig_stress_phase *p = IG_ITEM(const ig_stress_phase, r->c->phases, r->step[r->at].phase);
  if (p->kind == IG_PHASE_HEAT || p->temperature.count)
    return IG_FAIL(r->m->cx, IG_INPUT,
                   "the next step is in a phase with temperatures of its own: leave out its "
                   "`temperature`, or take a phase of kind load or build");
  memcpy(r->T1, values, sizeof *values * (size_t)r->m->nodes);
  r->given = true;
  return IG_OK;
}

ig_status ig_stress_field_load(void *self, int load, double factor) {
  ig_stress_run *r = self;
  if (load >= r->c->loads.count)
    return IG_FAIL(r->m->cx, IG_INPUT, "there is no load %d: the case has %d", load,
                   r->c->loads.count);
  r->m->loads.factor[load] = factor;
  return IG_OK;
}

ig_status ig_stress_field_support(void *self, int support, double factor) {
  ig_stress_run *r = self;
  if (support >= r->m->held.count)
    return IG_FAIL(r->m->cx, IG_INPUT, "there is no support %d: the case has %d", support,
                   r->m->held.count);
  r->m->held.list[support].factor = factor;
  return IG_OK;
}
