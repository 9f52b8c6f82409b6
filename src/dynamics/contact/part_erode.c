/* Surfaces of a divided model behind what erodes: which elements hold. An element's owner sends
   a byte for each side of each triangle that it has sent in the last import, in the order of
   that import. */
#include "dynamics/contact/part_surface.h"
#include "backend/backend.h"
#include "ranks/allgather.h"

#include <stdlib.h>
#include <string.h>

/* Whether triangle k of the part's own skin is on the surface now; `open` must have been pulled. */
bool ig_dyn_part_open(const ig_dyn_model *m, int64_t k) {
  const ig_dyn_surfaces *s = m->division->surfaces;
  if (ig_dyn_alone(m))
    return ((const uint8_t *)m->contact.open.host)[k];
  return s->made &&
         ((const uint8_t *)
              m->contact.open.host)[ig_dyn_triangle_place(&s->all, s->own.triangle[k].number)];
}

/* Collective. Only values travel: both sides know the lists from the import. */
ig_status ig_dyn_alive_tell(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  const ig_dyn_surfaces *s = p->surfaces;
  const int ranks = p->part.ranks;
  const int32_t *owner = m->contact.owner.host;
  uint8_t *alive = m->contact.alive.host, *out = NULL, *in = NULL;
  ig_status status = IG_NEW(m->cx, &out, 2 * (size_t)s->sent_start[ranks] + 1, "contact surfaces");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &in, 2 * (size_t)s->got_start[ranks] + 1, "contact surfaces");
  for (int32_t i = 0; i < 2 * s->sent_start[ranks] && status == IG_OK; i++) {
    const int32_t e = s->own.triangle[s->sent[i / 2]].element[i % 2];
    out[i] = e >= 0 && alive[ig_partition_element(&p->part, e)];
  }
  status = ig_ranks_alltoallv(m->cx, status, 2, out, s->sent_start, in, s->got_start);
  for (int32_t i = 0; i < 2 * s->got_start[ranks] && status == IG_OK; i++) {
    const int32_t at = owner[2 * (int64_t)s->got[i / 2] + i % 2];
    if (at >= 0)
      alive[at] = in[i];
  }
  free(out);
  free(in);
  return status == IG_OK ? ig_array_push(m->cx, &m->contact.alive) : status;
}
