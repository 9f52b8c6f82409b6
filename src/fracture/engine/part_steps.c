/* Steps on several ranks: what happens between the passes (steps.c). Ghosts take their owners'
   values; facets that are to open do so on all ranks that have them.

   A failed rank passes its status through the same exchanges as the others; the last
   ig_ranks_agree makes all return it. */
#include "fracture/engine/part_surface.h"
#include "core/sorted.h"
#include "ranks/allgather.h"

#include <stdlib.h>
#include <string.h>

/* --- ghosts */

/* far_known: nothing has moved since far ghosts were refreshed. */
ig_status ig_frac_part_far(ig_frac_model *m, ig_status status) {
  ig_halo_array move[IG_ARRAYS];
  ig_frac_part *p = &m->part;
  if (p->ranks == 1 || p->far_known)
    return status;
  p->far_known = true;
  const int arrays = ig_arrays_ghosts(&m->arrays, IG_FRAC_PER_NODE, move);
  return ig_halo_refresh_all(m->cx, &p->halo[IG_FRAC_FAR], move, arrays, status);
}

/* What travels after a step, and by which lists: a check that follows needs far nodes, among which
   are the near ones; contact of surfaces the nodes of its copy, too.
   move: device arrays and their bytes per node. The copy of surfaces is appended as two more
   arrays; its nodes have numbers from `split` on. */
static int travelling(ig_frac_model *m, bool checked, ig_halo **halo, ig_halo_array *move) {
  ig_frac_part *p = &m->part;
  int arrays = ig_arrays_ghosts(&m->arrays, IG_FRAC_PER_NODE, move);
  *halo = &p->halo[m->s.surface.on || checked ? IG_FRAC_FAR : IG_FRAC_NEAR];
  if (m->s.surface.on && !p->unseen) {
    *halo = &p->contact->import;
    move[arrays++] = (ig_halo_array){p->contact->u.dev, move[0].item};
    move[arrays++] = (ig_halo_array){p->contact->v.dev, move[1].item};
  }
  return arrays;
}

/* Send and receive use the same list: nothing may change between them. */
ig_status ig_frac_part_send(ig_frac_model *m, bool checked, ig_status status) {
  ig_halo_array move[IG_ARRAYS];
  ig_halo *halo;
  if (m->part.ranks == 1)
    return status;
  const int arrays = travelling(m, checked, &halo, move);
  return ig_halo_start(m->cx, halo, move, arrays, status);
}

ig_status ig_frac_part_receive(ig_frac_model *m, bool checked, ig_status status) {
  ig_halo_array move[IG_ARRAYS];
  ig_halo *halo;
  if (m->part.ranks == 1)
    return status;
  const int arrays = travelling(m, checked, &halo, move);
  m->part.far_known = m->s.surface.on || checked;
  return ig_frac_part_moved(m, ig_halo_finish(m->cx, halo, move, arrays, status));
}

ig_status ig_frac_part_speeds(ig_frac_model *m) {
  const size_t item = (size_t)m->shape.dim * (m->wide ? 8 : 4);
  return m->part.ranks > 1
             ? ig_halo_refresh(m->cx, &m->part.halo[IG_FRAC_NEAR], m->s.nodal.v, item, IG_OK)
             : IG_OK;
}

/* --- facets that open */

/* Marked facets of own elements, as the whole numbers them, on the host.
   Pass 0 lists marks of own facets in order; numbers become those of the whole. */
static ig_status marks_read(ig_frac_model *m, int32_t **list, int64_t *count) {
  const ig_frac_part *p = &m->part;
  const int faces = m->shape.faces;
  if (p->facets.count) {
    IG_TRY(ig_frac_model_pass(m, 0)); /* lists them */
    IG_TRY(ig_frac_count_pull(m));
    *count = m->count.broken;
  }
  IG_TRY(IG_NEW(m->cx, list, (size_t)*count + 1, "facets to open"));
  if (*count)
    IG_TRY(
        m->cx->backend->copy_out(m->cx, *list, m->s.grow.opened, (size_t)*count * sizeof **list));
  for (int64_t i = 0; i < *count; i++)
    (*list)[i] = p->element[(*list)[i] / faces] * faces + (*list)[i] % faces;
  return IG_OK;
}

/* Opens the listed facets, and makes room.
   The passes are repeated while tables were too small. Marks are removed afterwards: on one rank
   the next check overwrites them all. */
static ig_status list_open(ig_frac_model *m, const ig_frac_list *list) {
  IG_TRY(ig_frac_run_list(m, IG_FRAC_mark, list));
  do {
    if (m->count.full)
      IG_TRY(ig_frac_tables_grow(m));
    for (int pass = 0; pass < IG_FRAC_PASSES; pass++)
      IG_TRY(ig_frac_model_pass(m, pass));
    IG_TRY(ig_frac_count_pull(m));
  } while (m->count.full);
  return ig_frac_run_list(m, IG_FRAC_unmark, list);
}

/* Opens those of the facets whose elements are both here.
   facet: sorted, of all ranks; place i is the number of its cohesive element. */
static ig_status marks_open(ig_frac_model *m, const int32_t *facet, int64_t count) {
  ig_frac_part *p = &m->part;
  const int faces = m->shape.faces;
  int32_t *here;
  int64_t kept = 0;
  ig_status status = IG_NEW(m->cx, &here, (size_t)count + 1, "facets to open");
  for (int64_t i = 0; i < count && status == IG_OK; i++) {
    const int32_t e = ig_sorted_find(p->element, m->s.ne, facet[i] / faces), f = facet[i] % faces;
    if (e < 0 || !(p->inside[e] >> f & 1))
      continue;
    here[kept++] = e * faces + f;
    status = ig_frac_list_add(m->cx, &p->crack_number, p->total.count.cohesive + (int32_t)i);
  }
  if (status == IG_OK)
    status = ig_frac_list_put(m->cx, &p->marked, here, kept);
  free(here);
  IG_TRY(status);
  if (kept)
    IG_TRY(list_open(m, &p->marked));
  return ig_frac_part_grow(m);
}

/* All ranks take part, also one that has failed, and all learn of it.
   Most checks find nothing: one reduction (ig_ranks_max) shows it, and no list travels. */
ig_status ig_frac_part_insert(ig_frac_model *m, ig_status status) {
  ig_frac_count *total = &m->part.total.count;
  int32_t *mine = NULL;
  void *all = NULL;
  int64_t count = 0, sum = 0, split = 0, touched = 0;
  if (status == IG_OK)
    status = marks_read(m, &mine, &count);
  int64_t most = count;
  status = ig_ranks_max(m->cx, status, &most, 1);
  total->broken = total->touched = 0; /* as the passes would leave it */
  if (status != IG_OK || most == 0) {
    free(mine);
    return status;
  }
  status = ig_ranks_allgatherv(m->cx, status, mine, count, sizeof *mine, ig_rising_i32, &all, &sum,
                               NULL);
  if (status == IG_OK)
    status = marks_open(m, all, sum);
  status = ig_frac_numbers_grow(m, status, &split, &touched);
  total->broken = (int32_t)sum;
  total->touched = (int32_t)touched;
  total->cohesive += (int32_t)sum;
  total->nodes += (int32_t)split;
  free(mine);
  free(all);
  return ig_ranks_agree(m->cx, status);
}
