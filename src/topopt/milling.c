/* Void that no tool reaches: measured on the elements at the end of a run. The filter knows
   densities between void and solid, a shop only the two. */
#include "topopt/output.h"
#include "topopt/case/boundary_conditions.h"
#include "backend/backend.h"
#include "ranks/ranks.h"

#include <stdlib.h>

/* Marks elements of a column that a tool comes to from one end; `step` leads away from it. */
static void column_reach(const double *density, double level, int64_t from, int64_t step, int n,
                         uint8_t *reached) {
  for (int i = 0; i < n && density[from + i * step] < level; i++)
    reached[from + i * step] = 1;
}

static void direction_reach(const ig_grid *g, const double *density, double level, int axis, int up,
                            uint8_t *reached) {
  const int a = (axis + 1) % 3, b = (axis + 2) % 3, layers = g->dim == 3 ? g->n[2] : 1;
  const int n[3] = {g->n[0], g->n[1], layers};
  const int64_t stride[3] = {1, g->row, g->plane};
  for (int j = 0; j < n[b]; j++)
    for (int i = 0; i < n[a]; i++) {
      const int64_t first = g->first + i * stride[a] + j * stride[b];
      column_reach(density, level, up ? first + (n[axis] - 1) * stride[axis] : first,
                   up ? -stride[axis] : stride[axis], n[axis], reached);
    }
}

static ig_status share_find(const ig_topopt_run *r, const double *whole, double level,
                            double *percent) {
  const ig_topopt_grid_model *m = r->d->self;
  const ig_texts *way = &r->s->c->milling.directions;
  const ig_grid *g = &m->whole;
  uint8_t *reached;
  int64_t empty = 0, missed = 0;
  IG_TRY(IG_NEW(r->s->cx, &reached, r->d->all_places, "milling"));
  for (int k = 0; k < way->count; k++) {
    int axis, up;
    if (ig_topopt_plane_read(way->value[k], g->dim, &axis, &up))
      direction_reach(g, whole, level, axis, up, reached);
  }
  for (int z = 0; z < (g->dim == 3 ? g->n[2] : 1); z++)
    for (int y = 0; y < g->n[1]; y++)
      for (int x = 0; x < g->n[0]; x++) {
        const int64_t at = g->first + x + y * g->row + z * g->plane;
        empty += whole[at] < level;
        missed += whole[at] < level && !reached[at];
      }
  free(reached);
  *percent = empty ? 100 * (double)missed / (double)empty : 0;
  return IG_OK;
}

ig_status ig_topopt_milling_put(const ig_topopt_run *r, ig_sink *sink, const double *density,
                                double level) {
  double *whole = NULL, percent = 0;
  if (!r->s->c->milling.at.given)
    return IG_OK;
  ig_status status = ig_topopt_part_whole(r, density, &whole);
  if (status == IG_OK)
    status = share_find(r, whole, level, &percent);
  free(whole);
  IG_TRY(status);
  if (percent > 1)
    ig_warn_at(r->s->cx, &r->s->c->milling.at,
               "milling: no tool reaches %.2g %% of the void: let the run end with a sharper "
               "projection, or give more directions",
               percent);
  return sink->result(sink, "milling_unreached", "%", percent);
}
