/* Contact of bodies by Newton's method, of cases whose analyses are all static (method.c):
   contact/contact.h with the outer faces of each part against those of the parts after it, the
   part with the smallest faces first. Points are made once, with the model, at the drawn positions,
   and go on from one analysis to the next; checkpoints have them. */
#ifndef IG_DYNAMICS_PAIRS_H
#define IG_DYNAMICS_PAIRS_H

#include "contact/contact.h"
#include "dynamics/dynamics.h"

/* Owned by the model. */
typedef struct ig_dyn_pairs {
  ig_contact contact;
  ig_list list, tools; /* of ig_contact_case, one per part but the last; none */
  ig_set *set;         /* two per entry: its faces, and those of the parts after it */
  ig_lid *element;     /* outer faces, part by part: element, number of the face there */
  uint8_t *face;
  double *young; /* elements of the mesh; those of rigid bodies have the largest of others */
  ig_contact_total last; /* after the last step */
} ig_dyn_pairs;

/* m->pairs.of, where m->pairs.on; needs the numbers of the parts. */
IG_MUST_CHECK ig_status ig_dyn_pairs_new(ig_dyn_model *m);
void ig_dyn_pairs_free(ig_dyn_model *m);

#endif
