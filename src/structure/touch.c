/* The structure as the bodies of contact/contact.h. */
#include "structure/structure.h"

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

static double young(const void *self, ig_lid element) {
  const ig_structure *s = self;
  return s->law[s->owner[element]].young;
}

static void turn(const void *self, const ig_lid *node, int nodes, double *f, double *k) {
  ig_structure_to_local(self, node, nodes, f, k);
}

ig_status ig_structure_contact_new(ig_structure *s) {
  s->contact.bodies = (ig_contact_bodies){.cx = s->cx,
                                          .mesh = s->mesh,
                                          .self = s,
                                          .place = place,
                                          .velocity = velocity,
                                          .young = young,
                                          .turn = s->framed ? turn : NULL};
  s->contact.list = &s->c->contacts;
  s->contact.large = s->large;
  s->contact.moving = s->dynamic;
  return ig_contact_new(&s->contact, s->analysis);
}

bool ig_structure_contact_augment(void *self, const ig_trial *at) {
  return ig_contact_augment(&((ig_structure *)self)->contact, at);
}

bool ig_structure_contact_fits(void *self, const ig_trial *at, char *why, size_t size) {
  return ig_contact_fits(&((const ig_structure *)self)->contact, at, why, size);
}
