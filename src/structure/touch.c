/* The structure as the bodies of contact/contact.h. */
#include "structure/structure.h"

#include <string.h>

/* s->u and the increments are in the node's axes; gather turns them to fixed ones. */
static void place(const void *self, ig_lid node, const double *add, double x[3]) {
  double X[3], u[3];
  ig_structure_gather(self, &node, 1, add, X, u);
  for (int d = 0; d < 3; d++)
    x[d] = X[d] + u[d];
}

static void velocity(const void *self, const ig_trial *at, ig_lid node, double v[3], double *rate) {
  ig_structure_velocity(self, at, node, v, rate);
}

static double factor(const void *self, const ig_table *history, double time) {
  return ig_structure_factor(self, history, time);
}

static double young(const void *self, ig_lid element) {
  const ig_structure *s = self;
  return s->law[s->owner[element]].young;
}

static void turn(const void *self, const ig_lid *node, int nodes, double *f, double *k) {
  ig_structure_to_local(self, node, nodes, f, k);
}

ig_status ig_structure_tools_check(ig_ctx *cx, const ig_structure_case *c, const ig_mesh *mesh) {
  for (int i = 0; i < c->tools.count; i++) {
    const ig_contact_tool *t = IG_ITEM(const ig_contact_tool, c->tools, i);
    const bool plane = t->shape == IG_RIGID_PLANE;
    bool used = false, axis = t->axis[0] != 0 || t->axis[1] != 0 || t->axis[2] != 0;
    for (int k = 0; k < c->contacts.count; k++)
      used |= strcmp(IG_ITEM(const ig_contact_case, c->contacts, k)->to, t->name) == 0;
    if (ig_mesh_find_set(mesh, t->name, IG_SET_FACES))
      return ig_fail_at(cx, &t->at, "a set of faces is named '%s', too: rename the tool", t->name);
    if (!used)
      return ig_fail_at(cx, &t->at, "no contact is `to: %s`: the tool has no effect", t->name);
    if (plane ? t->radius != 0 || t->hollow : !(t->radius > 0))
      return ig_fail_at(cx, &t->at,
                        plane ? "`radius` and `hollow` are for spheres and cylinders"
                              : "a sphere or a cylinder needs a `radius` above 0");
    if (t->shape == IG_RIGID_SPHERE && (t->axis[0] != 0 || t->axis[1] != 0 || t->axis[2] != 1))
      return ig_fail_at(cx, &t->at, "`axis` has no effect: a sphere has none");
    if (!axis)
      return ig_fail_at(cx, &t->at, "`axis` has no length");
  }
  return IG_OK;
}

/* A restarted run does not know what was touched before: `met` is then all true. */
ig_status ig_structure_tools_met(ig_structure *s, bool all) {
  if (!s->met && s->c->tools.count)
    IG_TRY(IG_NEW(s->cx, &s->met, s->c->tools.count, "tools"));
  for (int32_t i = 0; i < s->contact.count; i++)
    if (s->contact.point[i].tool && s->contact.point[i].push > 0)
      s->met[s->contact.point[i].tool - 1] = true;
  for (int i = 0; all && i < s->c->tools.count; i++)
    s->met[i] = true;
  return IG_OK;
}

void ig_structure_tools_warn(const ig_structure *s) {
  for (int i = 0; s->met && i < s->c->tools.count; i++) {
    const ig_contact_tool *t = IG_ITEM(const ig_contact_tool, s->c->tools, i);
    if (!s->met[i])
      ig_warn_at(s->cx, &t->at,
                 "the tool '%s' pressed on nothing at the end of any step: look at its `point`, "
                 "`axis`, `displacement` and `history`",
                 t->name);
  }
}

void ig_structure_contact_bodies(ig_structure *s) {
  s->contact.bodies = (ig_contact_bodies){.cx = s->cx,
                                          .mesh = s->mesh,
                                          .dofs = 3,
                                          .self = s,
                                          .place = place,
                                          .velocity = velocity,
                                          .young = young,
                                          .factor = factor,
                                          .turn = s->framed ? turn : NULL};
  s->contact.list = &s->c->contacts;
  s->contact.tools = &s->c->tools;
}

ig_status ig_structure_contact_new(ig_structure *s) {
  ig_structure_contact_bodies(s);
  s->contact.time = s->time;
  s->contact.large = s->large;
  s->contact.moving = s->dynamic;
  s->contact.loose = s->contact.bonded = false;
  s->contact.soft = 1;
  return ig_contact_new(&s->contact, s->analysis);
}

void ig_structure_contact_ease(void *self, double share, bool bonded) {
  ig_structure *s = self;
  s->contact.soft = share;
  s->contact.bonded = bonded;
}

bool ig_structure_contact_grip(void *self, bool on) {
  ig_structure *s = self;
  s->contact.gripped = on;
  return s->c->tools.count > 0;
}

bool ig_structure_contact_augment(void *self, const ig_trial *at) {
  return ig_contact_augment(&((ig_structure *)self)->contact, at);
}

bool ig_structure_contact_unsettled(void *self) {
  return ig_contact_unsettled(&((ig_structure *)self)->contact);
}

bool ig_structure_contact_fits(void *self, const ig_trial *at, char *why, size_t size) {
  return ig_contact_fits(&((const ig_structure *)self)->contact, at, why, size);
}
