/* A divided model before a step: what surfaces need of other ranks. All ranks take part in one
   maximum over what each needs, and then do the same: nothing, exchange which elements hold, or
   import. */
#include "dynamics/contact/part_surface.h"
#include "ingot_cuda.h"

/* Whether a particle has left the skin, as ig_dyn_part_watch found after the last motion: by now
   the elements of the step are under way, so that waiting for it costs nothing. */
static ig_status watch_look(ig_dyn_model *m, int64_t *far) {
  const ig_dyn_surfaces *s = m->division->surfaces;
#ifdef INGOT_HAVE_CUDA
  if (s->mark && !s->due && m->p.own.watches)
    IG_TRY(ig_exchange_wait_cuda(m->cx, s->mark));
#endif
  (void)m;
  *far = *(const volatile int32_t *)s->far;
  return IG_OK;
}

/* Collective; `status`: how this rank fared so far, all learn of a failure here. */
ig_status ig_dyn_part_ready(ig_dyn_model *m, ig_status status) {
  ig_dyn_part *p = m->division;
  ig_dyn_surfaces *s = p->surfaces;
  if (!s)
    return status;
  const bool erodes = m->p.erosion.alive;
  int64_t fallen = 0;
  if (status == IG_OK && erodes)
    status = ig_dyn_alive_now(m);
  if (status == IG_OK && erodes)
    status = ig_array_pull(m->cx, &m->contact.alive);
  /* own elements that have failed, by count: it only grows, so a change of the count is a change */
  for (int64_t i = 0; erodes && i < p->cells.mine_count && status == IG_OK; i++)
    fallen += !((const uint8_t *)m->contact.alive.host)[p->cells.mine[i]];
  enum { STAY, TELL, IMPORT }; /* the most that some rank needs; an import tells, too */
  int64_t far = 0;
  if (status == IG_OK)
    status = watch_look(m, &far);
  /* the largest need of all ranks decides; each rank must take the same branch */
  int64_t need = far || s->due ? IMPORT : erodes && fallen != p->fallen ? TELL : STAY;
  IG_TRY(ig_ranks_max(m->cx, status, &need, 1));
  p->fallen = fallen;
  if (need == IMPORT)
    return ig_dyn_import(m);
  if (need == TELL)
    IG_TRY(ig_dyn_alive_tell(m));
  if (!s->slow)
    return IG_OK;
  s->slow = false;
  const ig_halo_array moving[] = {{m->v.dev, 3 * m->part}, {m->x.dev, 3 * m->part}};
  return ig_halo_refresh_all(m->cx, &p->halo, moving, 2, IG_OK);
}
