/* Statics by Newton's method: the model, its steps, and the way back to the room. The engine is
   in implicit/newton.h; this file gives it groups of elements, constraints, loads and callbacks,
   and writes each accepted step back to the model (accepted), so that output and later analyses
   find positions, states and forces there as after explicit steps. */
#include "dynamics/model/solids.h"
#include "dynamics/model/part.h"
#include "dynamics/statics/statics_parts.h"
#include "backend/backend.h"
#include "ranks/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What Newton's method cannot do here is an error when the case is read, with the way out. */
ig_status ig_dyn_statics_check(const ig_dyn_model *m, const ig_dyn_analysis *a) {
  const ig_dyn_motion *motion = m->held.motion.host;
  const bool contact = m->c->contact.at.given && m->c->contact.on;
  const char *what = !ig_dyn_alone(m)                           ? "several ranks"
                     : contact && a->kind != IG_ANALYSIS_STATIC ? "`contact`"
                                                                : NULL;
  if (m->pairs.why && a->kind == IG_ANALYSIS_STATIC)
    return ig_fail_at(m->cx, &a->at,
                      "static: contact by Newton's method is not for %s: give `method: relaxation`",
                      m->pairs.why);
  if (m->pairs.on && (m->overlap.parts < 2 || m->contact.alive.count))
    return ig_fail_at(m->cx, &a->at,
                      "static: contact by Newton's method is not for %s: give `method: relaxation`",
                      m->overlap.parts < 2 ? "bodies that ties or rigid bodies join"
                                           : "elements that erode");
  if (what)
    return ig_fail_at(m->cx, &a->at,
                      a->kind == IG_ANALYSIS_STATIC
                          ? "static: Newton's method does not do %s yet: give `method: relaxation`"
                          : "frequency, buckling: not with %s",
                      what);
  for (size_t k = 1; k < m->held.motion.count; k++)
    for (int c = 0; c < 6; c++)
      if (motion[k].kind[c] == IG_MOVE_ACCELERATION)
        return ig_fail_at(m->cx, &a->at,
                          "static: a support is led by an `acceleration`: give a `displacement`");
  return IG_OK;
}

/* Names an unknown in messages of the engine: node with its place, or rigid body. */
static void unknown_name(void *self, int32_t unknown, char *text, size_t size) {
  const ig_dyn_statics *s = self;
  const int D = s->m->p.dofs;
  if (unknown >= s->body_first) {
    snprintf(text, size, "rigid body %d", (unknown - s->body_first) / 6 + 1);
    return;
  }
  const double *x = s->m->x0 + 3 * (int64_t)(unknown / D);
  snprintf(text, size, "node %d (%.4g, %.4g, %.4g) m", unknown / D, x[0], x[1], x[2]);
}

/* The same for an element of a group. */
static void element_name(void *self, int group, int32_t element, char *text, size_t size) {
  const ig_dyn_statics *s = self;
  const int solid = group - s->m->groups;
  if (group < s->m->groups)
    snprintf(text, size, "element %d", (int)s->part[group].from->element[element]);
  else if (group < s->elements)
    snprintf(text, size, "element %d", (int)s->m->solids->item[solid].element[element]);
  else
    snprintf(text, size, "%s", s->group[group].name);
}

static void array_put(ig_array *a, int64_t i, double value) {
  if (a->size == sizeof(double))
    ((double *)a->host)[i] = value;
  else
    ((float *)a->host)[i] = (float)value;
}

/* Internal forces of the accepted state: groups of elements alone, at zero increments. */
static ig_status forces_find(ig_dyn_statics *s, double time, double factor, double *f) {
  double size[2], count[2];
  int group;
  ig_trouble trouble;
  /* states moved on: increments are 0, positions those of the end */
  double *rate = s->rate;
  memset(rate, 0, (size_t)s->m->p.nodes * s->m->p.dofs * sizeof *rate);
  const ig_trial rest = {rate, time, 0, factor};
  return ig_system_assemble(s->system, s->elements, s->group, &rest, false, NULL, f, size, count,
                            &group, &trouble);
}

/* What loads, supports and tools have done over the step: they are in balance with the internal
   forces, whose mean of both ends is taken. */
static ig_status work_add(ig_dyn_statics *s, const double *u, const double *force) {
  ig_dyn_model *m = s->m;
  const int D = m->p.dofs;
  double *work = m->work.host;
  IG_TRY(ig_array_pull(m->cx, &m->work));
  for (int64_t n = 0; n < m->p.nodes; n++)
    for (int64_t i = D * n; i < D * (n + 1); i++)
      work[IG_WORKS * n + IG_WORK_EXTERNAL] += 0.5 * (s->force[i] + force[i]) * u[i];
  return ig_array_push(m->cx, &m->work);
}

/* Internal forces of the accepted state into the model's f. */
static ig_status forces_back(ig_dyn_statics *s, const ig_trial *at) {
  ig_dyn_model *m = s->m;
  const int D = m->p.dofs;
  double *f;
  IG_TRY(IG_NEW(m->cx, &f, (size_t)s->unknowns + 1, "forces"));
  ig_status status = forces_find(s, at->time, at->factor, f);
  if (status == IG_OK)
    status = work_add(s, at->u, f);
  for (int64_t n = 0; n < m->p.nodes && status == IG_OK; n++)
    for (int c = 0; c < D; c++)
      array_put(&m->f, m->p.pitch * n + c, s->force[D * n + c] = f[D * n + c]);
  free(f);
  IG_TRY(status);
  return ig_array_push(m->cx, &m->f);
}

/* Forces of tools and contact on the particles, into the model's `press`, for output and balance.
 */
static ig_status press_back(ig_dyn_statics *s, const ig_trial *at) {
  ig_dyn_model *m = s->m;
  double *press;
  if (!m->contact.press.count)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &press, 3 * (size_t)m->p.nodes + 1, "contact forces"));
  ig_status status = ig_static_tools_back(s, at->time, press);
  if (status == IG_OK)
    status = ig_static_contact_back(s, at, press);
  for (int64_t i = 0; i < 3 * (int64_t)m->p.nodes; i++)
    array_put(&m->contact.press, i, press[i]);
  free(press);
  IG_TRY(status);
  return ig_array_push(m->cx, &m->contact.press);
}

/* Called by the engine: the step stands. Positions, tools, bodies, states and forces go to the
   model, the clock gets the step's time, and loads are those of that time. */
static ig_status accepted(void *self, const ig_trial *at) {
  ig_dyn_statics *s = self;
  ig_dyn_model *m = s->m;
  ig_dyn_clock *clock = m->clock.host;
  memcpy(s->x, s->trial, 3 * (size_t)m->p.nodes * sizeof *s->x);
  if (m->solids)
    memcpy(m->solids->x, s->x, 3 * (size_t)m->p.nodes * sizeof *s->x);
  for (int64_t i = 0; i < 3 * (int64_t)m->p.nodes; i++)
    array_put(&m->x, i, s->x[i]);
  IG_TRY(ig_array_push(m->cx, &m->x));
  IG_TRY(press_back(s, at));
  IG_TRY(ig_static_bodies_back(s, at->u));
  IG_TRY(ig_static_states_back(s));
  IG_TRY(forces_back(s, at));
  clock->time = at->time;
  clock->step++;
  IG_TRY(ig_array_push(m->cx, &m->clock));
  m->fresh = true; /* forces are in f */
  return m->p.loads.count > 0 ? m->ops->loads(m->cx, &m->p) : IG_OK;
}

/* Positions at the start from the model, velocities set to 0; size of the model, for tolerances. */
static ig_status model_read(ig_dyn_statics *s) {
  ig_dyn_model *m = s->m;
  double low[3], high[3], size = 0;
  IG_TRY(ig_dyn_pull(m));
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  if (m->p.bodies.count)
    IG_TRY(ig_array_pull(m->cx, &m->carried.body));
  for (int64_t i = 0; i < 3 * (int64_t)m->p.nodes; i++) {
    const double v = s->x[i] = m->solids ? m->solids->x[i] : ig_dyn_get(m, &m->x, i);
    low[i % 3] = i < 3 ? v : fmin(low[i % 3], v);
    high[i % 3] = i < 3 ? v : fmax(high[i % 3], v);
  }
  for (size_t i = 0; i < m->v.count; i++)
    array_put(&m->v, (int64_t)i, 0);
  IG_TRY(ig_array_push(m->cx, &m->v));
  for (int c = 0; c < 3 && m->p.nodes; c++)
    size = fmax(size, high[c] - low[c]);
  for (int c = 0; c < 3 && m->p.nodes; c++)
    s->reach = fmax(s->reach, fmax(fabs(low[c]), fabs(high[c])));
  s->length = size;
  return IG_OK;
}

static bool fits(void *self, const ig_trial *at, char *why, size_t size) {
  return ig_static_tools_fits(self, at, why, size) && ig_static_contact_fits(self, at, why, size);
}

/* Times of the rows of a history at which a step must end. */
static ig_status stop_add(ig_dyn_statics *s, const ig_table *t) {
  return ig_newton_stops(s->newton, t->count, t->x, t->y);
}

/* Steps end where something that acts changes its course, so that no row of a history is passed
   over. */
static ig_status stops_add(ig_dyn_statics *s) {
  const ig_dyn_case *c = s->m->c;
  for (int i = 0; i < c->loads.count; i++)
    IG_TRY(stop_add(s, &IG_ITEM(const ig_dyn_load, c->loads, i)->history));
  for (int i = 0; i < c->supports.count; i++)
    IG_TRY(stop_add(s, &IG_ITEM(const ig_support_case, c->supports, i)->history));
  for (int i = 0; i < c->bodies.count; i++)
    IG_TRY(stop_add(s, &IG_ITEM(const ig_support_case, c->bodies, i)->history));
  for (int i = 0; i < c->tools.count; i++)
    IG_TRY(stop_add(s, &IG_ITEM(const ig_dyn_tool_case, c->tools, i)->history));
  return stop_add(s, &c->gravity.history);
}

/* Largest rotation per step, rad: increments of rotation vectors are added, which is exact only
   for rotations about one axis. Larger ones cost accuracy. */
static const double most_turn = 0.15;

/* Makes the problem for analysis `a` at the model's present state. On failure *to is set and
   must be freed. Order: elements, faces, tools are groups; constraints need the system; springs
   of tools need its closed pattern. */
ig_status ig_dyn_statics_new(ig_dyn_model *m, const ig_dyn_analysis *a, ig_dyn_statics **to) {
  ig_dyn_statics *s;
  const size_t nodes = (size_t)m->p.nodes + 1;
  IG_TRY(IG_NEW(m->cx, &s, 1, "statics"));
  *to = s;
  s->m = m;
  s->a = *a;
  s->body_first = m->p.nodes * m->p.dofs;
  s->unknowns = s->body_first + 6 * m->p.bodies.count;
  IG_TRY(IG_NEW(m->cx, &s->x, 3 * nodes, "statics"));
  IG_TRY(IG_NEW(m->cx, &s->trial, 3 * nodes, "statics"));
  IG_TRY(IG_NEW(m->cx, &s->rate, 6 * nodes, "statics"));
  IG_TRY(model_read(s));
  IG_TRY(ig_static_elements_new(s));
  IG_TRY(ig_static_faces_new(s));
  IG_TRY(ig_static_tools_new(s));
  IG_TRY(ig_static_contact_new(s));
  IG_TRY(ig_system_new(m->cx, s->unknowns, &s->system));
  IG_TRY(ig_static_constraints_new(s));
  IG_TRY(ig_system_close(s->system, s->groups, s->group));
  IG_TRY(ig_static_tools_scale(s));
  IG_TRY(IG_NEW(m->cx, &s->force, (size_t)s->unknowns + 1, "statics"));
  memcpy(s->trial, s->x, 3 * (size_t)m->p.nodes * sizeof *s->x);
  IG_TRY(forces_find(s, ((const ig_dyn_clock *)m->clock.host)->time, 0, s->force));
  const ig_newton_model model = {.system = s->system,
                                 .groups = s->groups,
                                 .group = s->group,
                                 .begin = ((const ig_dyn_clock *)m->clock.host)->time,
                                 .end = a->at_time,
                                 .length = s->length,
                                 .reach = s->reach,
                                 .self = s,
                                 .loads = ig_static_loads,
                                 .motions = ig_static_motions,
                                 .follow = ig_static_follow,
                                 .accepted = accepted,
                                 .unsettled = m->pairs.of ? ig_static_contact_unsettled : NULL,
                                 .fits = m->pairs.of || m->p.tools ? fits : NULL,
                                 .grip = m->p.tools ? ig_static_tools_grip : NULL,
                                 .ease = m->pairs.of ? ig_static_contact_ease : NULL,
                                 .augment = m->pairs.of ? ig_static_contact_augment : NULL,
                                 .name = unknown_name,
                                 .name_element = element_name};
  ig_newton_options o = ig_newton_usual;
  o.tolerance = a->tolerance;
  o.arc_length = a->method == IG_STATIC_ARC;
  /* one step is enough where the problem is linear or nearly so: solids that do not yield */
  o.first = a->first_step > 0                                    ? a->first_step
            : ig_dyn_yields(m) || m->p.dofs == 6 || o.arc_length ? 0.1
                                                                 : 1;
  o.most = a->largest_step > 0 ? a->largest_step : 1;
  o.first = fmin(o.first, o.most);
  o.steps = a->steps;
  o.most_turn = m->p.dofs == 6 ? most_turn : 0;
  o.line_search = m->p.dofs == 3; /* thin shells are stiff in their plane: it would creep */
  o.loose = ig_static_contact_loose(s);
  if (o.loose)
    o.beyond = "; a part that contact alone supports may slide, tip or be pushed away: more "
               "friction, or a "
               "support, holds it";
  o.solver = (ig_direct_kind)a->solver;
  IG_TRY(ig_newton_new(m->cx, &model, &o, &s->newton));
  IG_TRY(ig_static_contact_follow(s, true));
  return stops_add(s);
}

/* Takes NULL and a problem that was made half-way. */
void ig_dyn_statics_free(ig_dyn_statics *s) {
  if (!s)
    return;
  ig_newton_free(s->newton);
  ig_system_free(s->system);
  ig_static_elements_free(s);
  free(s->x);
  free(s->trial);
  free(s->rate);
  free(s->force);
  free(s->face);
  free(s->face_unknown);
  free(s->tool_unknown);
  free(s->tool_stiff);
  free(s->led);
  free(s->carried);
  free(s);
}

/* Thin wrappers: the engine does the rest. */
ig_status ig_dyn_statics_step(ig_dyn_statics *s) {
  ig_newton_standing now;
  IG_TRY(ig_newton_step(s->newton));
  ig_newton_stand(s->newton, &now);
  return now.done ? IG_OK : ig_static_contact_follow(s, false);
}

void ig_dyn_statics_stand(const ig_dyn_statics *s, ig_newton_standing *now) {
  ig_newton_stand(s->newton, now);
}

void ig_dyn_statics_watch(ig_dyn_statics *s, void (*note)(void *user, const ig_newton_note *note),
                          void *user) {
  ig_newton_watch(s->newton, note, user);
}
