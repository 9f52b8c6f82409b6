/* The state of a part: from the whole at the start, from a checkpoint; bodies and masses of other
   ranks. */
#include "dynamics/model/part.h"
#include "backend/backend.h"
#include "ranks/allgather.h"

#include <stdlib.h>
#include <string.h>

/* --- bodies: computed by their owner; the table of all of them follows by gather */

/* All but where its particles stand, which is other in the part than in the whole. */
static void body_copy(ig_dyn_body *to, const ig_dyn_body *from) {
  const int32_t first = to->first;
  *to = *from;
  to->first = first;
}

ig_status ig_dyn_bodies_share(ig_dyn_model *m, ig_status status, void *rows, size_t size) {
  status = ig_dyn_agree(m, status);
  for (int k = 0; k < m->c->bodies.count && status == IG_OK && !ig_dyn_alone(m); k++)
    status =
        ig_ranks_bcast(m->cx, m->division->body_owner[k], (char *)rows + (size_t)k * size, size);
  return status;
}

/* Collective: each body is sent by its owner, so that energies and checkpoints have all of them. */
ig_status ig_dyn_bodies_gather(ig_dyn_model *m, ig_status status) {
  ig_dyn_part *p = m->division;
  ig_dyn_body *all = ig_dyn_bodies_all(m);
  if (status == IG_OK && m->p.bodies.count)
    status = ig_array_pull(m->cx, &m->carried.body);
  for (int k = 0; k < m->p.bodies.count && status == IG_OK && !ig_dyn_alone(m); k++)
    body_copy(&all[p->body[k]], (const ig_dyn_body *)m->carried.body.host + k);
  return ig_dyn_bodies_share(m, status, all, sizeof *all);
}

/* The reverse, after a restart or a change of masses. */
ig_status ig_dyn_bodies_take(ig_dyn_model *m) {
  const ig_dyn_part *p = m->division;
  ig_dyn_carried *c = &m->carried;
  for (int k = 0; k < m->p.bodies.count && !ig_dyn_alone(m); k++)
    body_copy((ig_dyn_body *)c->body.host + k,
              (const ig_dyn_body *)ig_dyn_bodies_all(m) + p->body[k]);
  return m->p.bodies.count ? ig_array_push(m->cx, &c->body) : IG_OK;
}

/* --- the state from elsewhere */

/* After a state was set: forces are in f, and no other rank knows which elements of this one
   hold. */
static ig_status anew(ig_dyn_model *m) {
  m->fresh = true;
  m->division->fallen = -1;
  return m->cx->backend->sync(m->cx);
}

/* From the whole model, which must still be there; ghosts get their values directly. */
ig_status ig_dyn_part_begin(ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  IG_TRY(ig_dyn_arrays_begin(m));
  for (int32_t k = 0; k < m->p.ties.count; k++)
    ((int32_t *)m->carried.tie_turns.host)[k] =
        ((const int32_t *)w->carried.tie_turns.host)[m->division->tie[k]];
  if (m->p.ties.count)
    IG_TRY(ig_array_push(m->cx, &m->carried.tie_turns));
  IG_TRY(ig_dyn_bodies_take(m));
  ig_dyn_kept_take(m, w->contact.kept.host);
  return anew(m);
}

/* From a checkpoint; bodies and the clock have been read. */
ig_status ig_dyn_restore(ig_dyn_model *m, const ig_restart *from) {
  const void *kept;
  IG_TRY(ig_arrays_restore(&m->arrays, from));
  IG_TRY(ig_dyn_bodies_take(m));
  if (m->division->surfaces) { /* numbers of the whole */
    IG_TRY(
        ig_restart_find(m->cx, from, "contact", IG_F64, IG_DYN_KEPT * ig_dyn_pieces_all(m), &kept));
    ig_dyn_kept_take(m, kept);
  }
  return anew(m);
}

/* --- masses */

/* Masses of ghosts: an element at the border is computed here, but its particles' other elements
   may not be. */
ig_status ig_dyn_part_weights(ig_dyn_model *m, ig_status status) {
  const ig_dyn_part *p = m->division;
  if (ig_dyn_alone(m))
    return status;
  const ig_dyn_travel *t = &p->ghosts;
  const int ranks = p->part.ranks;
  double *mass = m->weight.mass, *out = NULL, *in = NULL;
  if (status == IG_OK)
    status = IG_NEW(m->cx, &out, (size_t)t->give_start[ranks] + 1, "masses");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &in, (size_t)t->take_start[ranks] + 1, "masses");
  for (int32_t i = 0; i < t->give_start[ranks] && status == IG_OK; i++)
    out[i] = mass[t->give[i]];
  status = ig_ranks_alltoallv(m->cx, status, sizeof *out, out, t->give_start, in, t->take_start);
  for (int32_t i = 0; i < t->take_start[ranks] && status == IG_OK; i++)
    mass[t->take[i]] = in[i];
  free(out);
  free(in);
  return status;
}
