/* What other programs read and change: motions, loads, supports. */
#include "dynamics/run.h"
#include "dynamics/part.h"

#include <string.h>

bool ig_dyn_field(void *self, int i, ig_room_field *f) {
  const ig_dyn_job *r = self;
  const ig_dyn_model *m = r->m;
  const int64_t size = (int64_t)m->part;
  *f = (ig_room_field){.where = IG_AT_POINTS,
                       .dtype = m->part == sizeof(double) ? IG_F64 : IG_F32,
                       .components = 3,
                       .count = m->mesh->nodes,
                       .stride = {3 * size, size}};
  /* on ranks the state is in parts: see get */
  switch (i) {
  case 0:
    f->name = "displacement", f->unit = "m";
    return true;
  case 1:
    f->name = "velocity", f->unit = "m/s", f->dev = m->divided ? NULL : m->v.dev;
    f->writable = true;
    f->stride[0] = m->p.dofs * size;
    return true;
  case 2:
    f->name = "position", f->unit = "m", f->dev = m->divided ? NULL : m->x.dev;
    return true;
  default:
    return false;
  }
}

ig_status ig_dyn_field_get(void *self, const char *name, double *values) {
  const ig_dyn_job *r = self;
  ig_dyn_model *m = r->m;
  const int64_t count = 3 * (int64_t)m->mesh->nodes;
  const bool speed = strcmp(name, "velocity") == 0, moved = strcmp(name, "displacement") == 0;
  IG_TRY(ig_dyn_gather(m));
  const bool whole = ig_dyn_has_whole(m);
  const ig_status pulled = whole ? ig_array_pull(m->cx, speed ? &m->v : &m->x) : IG_OK;
  IG_TRY(m->divided ? ig_ranks_agree(m->cx, pulled) : pulled);
  for (int64_t i = 0; i < count && whole; i++)
    values[i] = speed ? ig_dyn_get(m, &m->v, i / 3 * m->p.dofs + i % 3)
                      : ig_dyn_get(m, &m->x, i) - (moved ? m->x0[i] : 0);
  return m->divided ? ig_ranks_share(m->cx, 0, values, (size_t)count * sizeof *values) : IG_OK;
}

static double held(const ig_dyn_energy *e) {
  return e->plain + e->internal + e->damping - e->external - e->contact;
}

/* The energy that comes with new velocities counts as put in. */
ig_status ig_dyn_field_set(void *self, const char *name, const double *values) {
  ig_dyn_job *r = self;
  ig_dyn_model *m = r->m;
  ig_dyn_energy before, after;
  (void)name;
  IG_TRY(ig_dyn_energies(m, &before));
  const bool whole = ig_dyn_has_whole(m);
  if (whole)
    IG_TRY(ig_array_pull(m->cx, &m->v));
  for (int64_t n = 0; n < m->mesh->nodes && whole; n++)
    for (int c = 0; c < 3; c++) {
      const int64_t at = n * m->p.dofs + c;
      if (m->part == sizeof(double))
        ((double *)m->v.host)[at] = values[3 * n + c];
      else
        ((float *)m->v.host)[at] = (float)values[3 * n + c];
    }
  IG_TRY(ig_dyn_scatter_velocities(m));
  IG_TRY(ig_dyn_energies(m, &after));
  m->balance.energy += held(&after) - held(&before);
  return IG_OK;
}

ig_status ig_dyn_field_load(void *self, int load, double factor) {
  const ig_dyn_job *r = self;
  ig_dyn_model *m = r->m;
  if (load >= r->c->loads.count)
    return IG_FAIL(m->cx, IG_INPUT, "there is no load %d: the case has %d", load,
                   r->c->loads.count);
  for (int32_t i = 0; i < m->loading.forces; i++)
    for (int c = 0; m->loading.force_of[i] == load && c < 6; c++)
      ((ig_dyn_force *)m->loading.force.host)[i].value[c] =
          factor * m->loading.force_given[i].value[c];
  for (int32_t i = 0; i < m->loading.faces; i++)
    if (m->loading.face_of[i] == load)
      ((ig_dyn_face *)m->loading.face.host)[i].pressure =
          factor * m->loading.face_given[i].pressure;
  if (m->loading.forces)
    IG_TRY(ig_array_push(m->cx, &m->loading.force));
  if (m->loading.faces)
    IG_TRY(ig_array_push(m->cx, &m->loading.face));
  return ig_dyn_scatter_loads(m);
}

ig_status ig_dyn_field_support(void *self, int support, double factor) {
  const ig_dyn_job *r = self;
  ig_dyn_model *m = r->m;
  if (support >= r->c->supports.count)
    return IG_FAIL(m->cx, IG_INPUT, "there is no support %d: the case has %d", support,
                   r->c->supports.count);
  ig_dyn_motion *motion = m->held.motion.host;
  for (size_t i = 1; i < m->held.motion.count; i++)
    for (int c = 0; c < 6; c++)
      if (motion[i].kind[c] != IG_MOVE_FREE && motion[i].support[c] == support)
        motion[i].scale[c] = factor * motion[i].given[c];
  return ig_array_push(m->cx, &m->held.motion);
}
