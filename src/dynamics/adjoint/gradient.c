/* Gradients of explicit dynamics, as run/gradient.c asks for them. */
#include "core/gradient.h"
#include "dynamics/adjoint/adjoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const ig_room ig_room_dynamics;

static const char *const keys[] = {"materials",     "sections", "supports",
                                   "loads",         "initial",  "gravity",
                                   "tools",         "mesh",     "analysis[0].damping",
                                   "inertia_scale", NULL};

/* Keys that begin as those do and change nothing but when, where or how a thing is computed. */
static bool known(const char *key) {
  static const char *const none[] = {".cells", ".planes", ".local_x", ".up"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    if (strstr(key, none[i]))
      return false;
  return true;
}

static void gradient_close(void *self) {
  ig_dyn_tape_free(self);
}

static ig_status gradient_open(ig_job *job, const char *figure, void **self,
                               ig_gradient_figure *found) {
  ig_dyn_tape *t = NULL;
  const ig_status opened = ig_dyn_tape_open(job, figure, &t);
  *self = t;
  IG_TRY(opened);
  IG_TRY(ig_dyn_tape_forward(t, NULL));
  IG_TRY(ig_dyn_tape_figure(t, figure, &found->value, found->unit));
  found->steps = t->steps;
  found->measured = t->measured;
  return IG_OK;
}

/* The way back, when the first derivative is asked for: a value alone has none. */
static ig_status backward_once(ig_dyn_tape *t) {
  return t->bar ? IG_OK : ig_dyn_tape_backward(t);
}

static ig_status gradient_difference(void *self, ig_job *other, const char *key, double *change) {
  ig_dyn_tape *t = self;
  void *room = NULL;
  *change = 0;
  /* masses have a kink where inertia begins to count */
  if (strcmp(key, "inertia_scale") == 0 && t->run->c->inertia_scale == 0)
    return IG_FAIL(t->cx, IG_INPUT,
                   "it is 0, which switches off what it is for: take the gradient "
                   "at a small value above 0");
  IG_TRY(backward_once(t));
  ig_status status = ig_room_dynamics.open(other, &room);
  ig_dyn_job *r = room;
  if (status == IG_OK) {
    const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, r->c->analysis, 0);
    ((ig_dyn_clock *)r->m->clock.host)->damping = isnan(a->damping) ? 0 : a->damping;
    status = ig_dyn_inputs_difference(t, r->m, key, change);
  }
  ig_room_dynamics.close(room);
  return status;
}

static ig_status gradient_run(void *self, ig_job *other, const char *figure, double *value) {
  ig_dyn_tape *t = NULL;
  char unit[16];
  ig_status status = ig_dyn_tape_open(other, figure, &t);
  if (status == IG_OK)
    status = ig_dyn_tape_forward(t, self);
  if (status == IG_OK)
    status = ig_dyn_tape_figure(t, figure, value, unit);
  ig_dyn_tape_free(t);
  return status;
}

/* --- fields */

static bool is_field(const char *key) {
  return strcmp(key, "initial_velocities") == 0 || strcmp(key, "thicknesses") == 0;
}

/* Components of each node after each other. */
static ig_status velocities_take(const ig_dyn_tape *t, ig_gradient_field *f) {
  const int64_t n = t->run->m->p.nodes;
  const int D = t->run->m->p.dofs;
  f->count = 3 * n;
  IG_TRY(IG_NEW(t->cx, &f->value, f->count, "gradient"));
  IG_TRY(IG_NEW(t->cx, &f->derivative, f->count, "gradient"));
  for (int64_t i = 0; i < 3 * n; i++) {
    const int64_t at = t->in.v + i / 3 * D + i % 3;
    f->value[i] = t->in.value[at];
    f->derivative[i] = t->bar[at];
  }
  return IG_OK;
}

/* What the masses of a shell in slot s add to its derivative by its own thickness: by a difference
   of fourth order of its mass and inertia. */
static double weight_part(const ig_dyn_tape *t, const ig_dyn_group *g, ig_lid s) {
  static const double at[4] = {-2, -1, 1, 2}, share[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  const ig_dyn_model *m = t->run->m;
  const int npe = g->g_f64.npe;
  const int32_t *node = (const int32_t *)g->conn.host + (int64_t)s * npe;
  const double step = 1e-3 * g->g_f64.thickness;
  const double *x[IG_DYN_CORNERS];
  double mass = 0, inertia = 0, sum = 0;
  ig_dyn_group moved = *g;
  for (int a = 0; a < npe; a++)
    x[a] = m->x0 + 3 * (int64_t)node[a];
  for (int i = 0; i < 4; i++) {
    double one, turns;
    moved.g_f64.thickness = g->g_f64.thickness + at[i] * step;
    (void)ig_dyn_element_of[g->kind].size(&moved, m->c->inertia_scale, x, &one, &turns);
    mass += share[i] * one / step;
    inertia += share[i] * turns / step;
  }
  for (int a = 0; a < npe; a++) {
    const double part = ig_dyn_mass_share(g->kind, mass, a);
    sum += t->bar[t->in.mass + node[a]] * part + t->bar[t->in.inertia + node[a]] * inertia;
    if (m->heavy.count)
      sum += t->bar[t->in.heavy + node[a]] * part;
  }
  return sum;
}

/* Of each element of the mesh, 0 of those that are no shells. */
static ig_status thicknesses_take(const ig_dyn_tape *t, ig_gradient_field *f) {
  const ig_dyn_model *m = t->run->m;
  bool any = false;
  f->count = ig_mesh_elements(m->mesh);
  IG_TRY(IG_NEW(t->cx, &f->value, f->count, "gradient"));
  IG_TRY(IG_NEW(t->cx, &f->derivative, f->count, "gradient"));
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    for (ig_lid s = 0; t->thickness[k] && s < g->slots; s++)
      if (g->element[s] >= 0) {
        f->value[g->element[s]] = g->g_f64.thickness;
        f->derivative[g->element[s]] = t->thickness[k][s] + weight_part(t, g, s);
        any = true;
      }
  }
  return any ? IG_OK
             : IG_FAIL(t->cx, IG_INPUT, "no gradient by 'thicknesses': there are no shells");
}

static ig_status gradient_field(void *self, ig_job *same, const char *key, ig_gradient_field *f) {
  (void)same;
  IG_TRY(backward_once(self));
  return strcmp(key, "thicknesses") == 0 ? thicknesses_take(self, f) : velocities_take(self, f);
}

const ig_gradient_ops ig_dynamics_gradient = {
    .keys = keys,
    .expected = "materials, sections, supports, loads, initial, gravity, tools, lengths of mesh, "
                "analysis[0].damping, initial_velocities or thicknesses",
    .known = known,
    .open = gradient_open,
    .difference = gradient_difference,
    .run = gradient_run,
    .is_field = is_field,
    .field = gradient_field,
    .close = gradient_close};
