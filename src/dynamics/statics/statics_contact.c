/* Contact of bodies in statics by Newton's method: the points of model/pairs.h as a group of the
   engine. */
#include "dynamics/contact/overlap.h"
#include "dynamics/model/pairs.h"
#include "dynamics/statics/statics_parts.h"

#include <stdlib.h>

static void place(const void *self, ig_lid node, const double *add, double x[3]) {
  const ig_dyn_statics *s = self;
  const int D = s->m->p.dofs;
  for (int c = 0; c < 3; c++)
    x[c] = s->x[3 * (int64_t)node + c] + (add ? add[D * (int64_t)node + c] : 0);
}

static ig_contact *contact_of(const ig_dyn_statics *s) {
  return s->m->pairs.of ? &s->m->pairs.of->contact : NULL;
}

ig_status ig_static_contact_new(ig_dyn_statics *s) {
  ig_contact *c = contact_of(s);
  if (!c)
    return IG_OK;
  c->bodies.self = s;
  c->bodies.place = place;
  c->warned = c->deep = false;
  c->rounds = 0;
  c->soft = 1;
  c->bonded = false;
  ig_contact_number(c);
  s->group[s->groups++] = (ig_implicit_group){.name = "contact",
                                              .self = c,
                                              .count = c->count,
                                              .unknowns = 3 * IG_CONTACT_NODES,
                                              .unknown = c->unknown,
                                              .evaluate = ig_contact_evaluate,
                                              .accept = ig_contact_accept};
  return IG_OK;
}

bool ig_static_contact_loose(const ig_dyn_statics *s) {
  const ig_contact *c = contact_of(s);
  return c && c->list->count && IG_ITEM(const ig_contact_case, *c->list, 0)->loose;
}

void ig_static_contact_ease(void *self, double share, bool bonded) {
  ig_contact *c = contact_of(self);
  if (!c)
    return;
  c->soft = share;
  c->bonded = bonded;
}

bool ig_static_contact_augment(void *self, const ig_trial *at) {
  ig_contact *c = contact_of(self);
  return c && ig_contact_augment(c, at);
}

bool ig_static_contact_unsettled(void *self) {
  ig_contact *c = contact_of(self);
  return c && ig_contact_unsettled(c);
}

bool ig_static_contact_fits(void *self, const ig_trial *at, char *why, size_t size) {
  const ig_contact *c = contact_of(self);
  return !c || ig_contact_fits(c, at, why, size);
}

ig_status ig_static_contact_follow(ig_dyn_statics *s, bool begins) {
  ig_contact *c = contact_of(s);
  bool changed = false;
  if (!c)
    return IG_OK;
  if (begins)
    IG_TRY(ig_newton_begin(s->newton));
  IG_TRY(ig_contact_follow(c, begins, &changed));
  if (!changed)
    return IG_OK;
  IG_TRY(ig_system_close(s->system, s->groups, s->group));
  return ig_newton_renew(s->newton, s->groups);
}

ig_status ig_static_contact_back(ig_dyn_statics *s, const ig_trial *at, double *press) {
  ig_contact *c = contact_of(s);
  const ig_trial still = {.time = at->time, .factor = at->factor};
  ig_trouble trouble;
  for (int32_t i = 0; c && i < c->count; i++) {
    const ig_contact_point *t = &c->point[i];
    double f[3 * IG_CONTACT_NODES];
    IG_TRY(ig_contact_evaluate(c, &still, i, i + 1, f, NULL, &trouble));
    for (int k = 0; t->push > 0 && k < 3 * (t->slaves + t->masters); k++)
      press[3 * (int64_t)t->node[k / 3] + k % 3] -= f[k];
  }
  if (!c)
    return IG_OK;
  ig_contact_sum(c, &still, &s->m->pairs.of->last);
  double in[3];
  bool found;
  IG_TRY(ig_dyn_self_look(s->m, s->x, &found, in));
  if (found)
    return IG_FAIL(s->m->cx, IG_NUMERIC,
                   "static: a body has passed into itself at (%.4g, %.4g, %.4g) m: Newton's method "
                   "has contact of bodies with each other; give `method: relaxation`",
                   in[0], in[1], in[2]);
  return IG_OK;
}
