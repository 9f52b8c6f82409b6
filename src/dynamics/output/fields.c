/* What other programs read and change between steps: displacement, velocity, position; factors
   of loads and supports. On one rank velocity and position are device pointers; on several all
   values go through ig_dyn_field_get, which is collective and gives every rank the whole field. */
#include "dynamics/run.h"
#include "dynamics/model/part.h"
#include "dynamics/model/solids.h"

#include <string.h>

/* Field number i; false beyond the last. Displacements are made on request and have no pointer. */
bool ig_dyn_field(void *self, int i, ig_room_field *f) {
  const ig_dyn_job *r = self;
  const ig_dyn_model *m = r->m;
  const int64_t size = (int64_t)m->part;
  *f = (ig_room_field){.where = IG_AT_POINTS,
                       .dtype = m->part == sizeof(double) ? IG_F64 : IG_F32,
                       .components = 3,
                       .count = ig_dyn_nodes_all(m),
                       .stride = {3 * size, size}};
  /* on ranks the state is in parts: see get */
  switch (i) {
  case 0:
    f->name = "displacement", f->unit = "m";
    return true;
  case 1:
    f->name = "velocity", f->unit = "m/s", f->dev = ig_dyn_alone(m) ? m->v.dev : NULL;
    f->writable = true;
    f->stride[0] = m->p.dofs * size;
    return true;
  case 2:
    f->name = "position", f->unit = "m", f->dev = ig_dyn_alone(m) ? m->x.dev : NULL;
    return true;
  default:
    return false;
  }
}

/* One of the three fields; rows go to rank 0 in the order of
   the mesh. */
typedef struct {
  const ig_dyn_model *m;
  bool speed, moved;
  double *to; /* of the next particle */
} reading;
static void field_row(void *user, int64_t n, double *row) {
  const reading *r = user;
  const ig_dyn_model *m = r->m;
  for (int c = 0; c < 3; c++)
    row[c] = r->speed ? ig_dyn_get(m, &m->v, n * m->p.dofs + c)
                      : ig_dyn_get(m, &m->x, 3 * n + c) - (r->moved ? m->x0[3 * n + c] : 0);
}
static void field_add(void *user, const double *row) {
  reading *r = user;
  memcpy(r->to, row, 3 * sizeof *row);
  r->to += 3;
}

ig_status ig_dyn_field_get(void *self, const char *name, double *values) {
  const ig_dyn_job *r = self;
  ig_dyn_model *m = r->m;
  reading to = {m, strcmp(name, "velocity") == 0, strcmp(name, "displacement") == 0, values};
  const ig_status pulled = ig_array_pull(m->cx, to.speed ? &m->v : &m->x);
  const ig_status status = ig_dyn_particles_add(m, pulled, 3, field_row, field_add, &to);
  return ig_dyn_share(m, status, values, 3 * (size_t)ig_dyn_nodes_all(m) * sizeof *values);
}

/* Energy that the balance says was put in. */
static double held(const ig_dyn_energy *e) {
  return e->plain + e->internal + e->damping - e->external - e->contact;
}

/* Velocities of the particles here, ghosts too: all ranks are given the same. Guests get theirs
   before the next step (ig_dyn_part_slowed). */
static ig_status velocities_put(ig_dyn_model *m, const double *values) {
  IG_TRY(ig_array_pull(m->cx, &m->v));
  for (int64_t n = 0; n < m->p.nodes; n++) {
    const double *v = values + 3 * ig_dyn_node_number(m, n);
    for (int c = 0; c < 3; c++) {
      const int64_t at = n * m->p.dofs + c;
      if (m->part == sizeof(double))
        ((double *)m->v.host)[at] = v[c];
      else
        ((float *)m->v.host)[at] = (float)v[c];
    }
  }
  ig_dyn_part_slowed(m);
  return ig_array_push(m->cx, &m->v);
}

/* Sets velocities. The energy that comes with them counts as put in: the balance goes on without
   a jump. */
ig_status ig_dyn_field_set(void *self, const char *name, const double *values) {
  ig_dyn_job *r = self;
  ig_dyn_model *m = r->m;
  ig_dyn_energy before, after;
  (void)name;
  IG_TRY(ig_dyn_energies(m, &before));
  const ig_status status = velocities_put(m, values);
  IG_TRY(ig_dyn_agree(m, status));
  IG_TRY(ig_dyn_energies(m, &after));
  m->balance.energy += held(&after) - held(&before);
  return IG_OK;
}

/* Multiplies a load of the case by `factor`, relative to what the case gives, from the next step
   on. */
ig_status ig_dyn_field_load(void *self, int load, double factor) {
  const ig_dyn_job *r = self;
  ig_dyn_model *m = r->m;
  if (load >= r->c->loads.count)
    return IG_FAIL(m->cx, IG_INPUT, "there is no load %d: the case has %d", load,
                   r->c->loads.count);
  ig_dyn_loading *l = &m->loading;
  for (int32_t i = 0; i < l->forces; i++)
    for (int c = 0; l->force_of[i] == load && c < 6; c++)
      ((ig_dyn_force *)l->force.host)[i].value[c] = factor * l->force_given[i].value[c];
  for (int32_t i = 0; i < l->faces; i++)
    if (l->face_of[i] == load)
      ((ig_dyn_face *)l->face.host)[i].pressure = factor * l->face_given[i].pressure;
  ig_dyn_solids_load(m, load, factor);
  if (l->forces)
    IG_TRY(ig_array_push(m->cx, &l->force));
  return l->faces ? ig_array_push(m->cx, &l->face) : IG_OK;
}

/* The same for prescribed motions. Entry 0 of the motions means `free` and is left out. */
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
