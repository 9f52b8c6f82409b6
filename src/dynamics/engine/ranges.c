/* Ranges of elements, as kernels take them: one color of a group; and which elements of them hold.
 */
#include "dynamics/model/part.h"
#include "backend/backend.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"

#include <limits.h>

bool ig_dyn_has_elements(const ig_dyn_group *g, int color) {
  return color < g->colors && g->end[color] > g->begin[color];
}

/* Ranges of a group that are computed before ghosts have come: on one rank all of its colors. */
int ig_dyn_inner_ranges(const ig_dyn_model *m) {
  return ig_dyn_alone(m) ? INT_MAX : 1;
}

/* Whether nothing comes after this range: it moves the clock on. Inner ranges of all groups come
   before the others. */
static bool is_last(const ig_dyn_model *m, const ig_dyn_group *g, int color) {
  const int inner = ig_dyn_inner_ranges(m);
  for (const ig_dyn_group *h = m->group; h < m->group + m->groups; h++)
    for (int c = 0; c < h->colors; c++)
      if (ig_dyn_has_elements(h, c) &&
          ((c < inner) != (color < inner) ? color < inner : h > g || (h == g && c > color)))
        return false;
  return true;
}

ig_dyn_range ig_dyn_range_of(const ig_dyn_model *m, const ig_dyn_group *g, int color) {
  return (ig_dyn_range){.kind = g->kind,
                        .law = g->law,
                        .g_f32 = &g->g_f32,
                        .g_f64 = &g->g_f64,
                        .view = {.how = (int)m->assembly,
                                 .npe = g->g_f64.npe,
                                 .nodes = m->p.nodes,
                                 .elements = g->slots,
                                 .conn = g->conn.dev,
                                 .slot = g->slot.dev,
                                 .first = m->slot_first.dev},
                        .cluster = ig_clusters_view(&g->cluster),
                        .begin = g->begin[color],
                        .end = g->end[color],
                        .whole = g->whole,
                        .ticks = is_last(m, g, color)};
}

/* Which elements hold, into contact.alive on the device: only groups that can fail are looked
   at. */
ig_status ig_dyn_alive_now(ig_dyn_model *m) {
  for (int k = 0; k < m->groups && m->contact.alive.count; k++)
    for (int c = 0; c < m->group[k].colors && ig_dyn_erodes(&m->group[k]); c++) {
      const ig_dyn_range run = ig_dyn_range_of(m, &m->group[k], c);
      if (ig_dyn_has_elements(&m->group[k], c))
        IG_TRY(m->ops->alive(m->cx, &run, m->group[k].ids.dev, m->contact.alive.dev));
    }
  return IG_OK;
}

ig_status ig_dyn_alive(ig_dyn_model *m, const uint8_t **alive) {
  *alive = NULL;
  if (!m->contact.alive.count)
    return IG_OK;
  IG_TRY(ig_dyn_alive_now(m));
  IG_TRY(ig_array_pull(m->cx, &m->contact.alive));
  *alive = m->contact.alive.host;
  return IG_OK;
}
