/* A divided model without contact of surfaces: a look whether bodies overlap, in a copy of what is
   near (part_surface.h) that is made for it and let go. */
#include "fracture/part_surface.h"

#include <string.h>

static ig_status depth_find(ig_frac_model *m, ig_array *depth, double *deepest) {
  const ig_frac_contact *c = m->part.contact;
  const size_t nodes = (size_t)c->nodes;
  IG_TRY(ig_array_new_device(m->cx, depth, nodes + 1, sizeof(double), "overlap"));
  IG_TRY(ig_array_zero(m->cx, depth));
  ig_frac_state s = ig_frac_contact_state(m);
  s.surface.depth = depth->dev;
  IG_TRY(ig_frac_contact_run(m, &s, IG_FRAC_see, &c->seen));
  IG_TRY(ig_frac_contact_link(m, &s));
  IG_TRY(ig_frac_contact_run(m, &s, IG_FRAC_overlap, &c->reacting));
  return m->cx->backend->absmax_f64(m->cx, nodes, depth->dev, deepest);
}

/* Each node is looked at by its owner, whose copy has all that is near. */
ig_status ig_frac_part_watch(ig_frac_model *m, double *deepest) {
  ig_array worn = {0}, depth = {0};
  int64_t word = 0;
  *deepest = 0;
  ig_status status =
      ig_array_new_device(m->cx, &worn, (size_t)m->s.ne + 1, sizeof(uint32_t), "surfaces");
  m->s.surface.worn = worn.dev;
  status = ig_frac_contact_look(m, status);
  if (status == IG_OK)
    status = ig_frac_contact_wear(m, status);
  if (status == IG_OK)
    status = depth_find(m, &depth, deepest);
  memcpy(&word, deepest, sizeof word); /* numbers above 0 have the order of their bits */
  status = ig_ranks_most(m->cx, status, &word, 1);
  memcpy(deepest, &word, sizeof word);
  m->s.surface.worn = NULL;
  ig_frac_contact_free(m);
  ig_array_free(m->cx, &worn);
  ig_array_free(m->cx, &depth);
  return status;
}
