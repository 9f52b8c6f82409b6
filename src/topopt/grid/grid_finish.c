/* The part at the end of a run on a grid. Where ranks have slabs each looks at its own.
   Densities are on the host by then, so ghosts are exchanged here directly and not through the
   device. */
#include "topopt/grid/grid_output.h"
#include "topopt/surface/pieces.h"
#include "topopt/case/boundary_conditions.h"
#include "core/threads.h"
#include "ranks/ranks.h"
#include "solver/krylov/slab.h"

/* A plane of the neighbours' elements below and above, on the host. One plane each way is
   enough: nodes of own elements touch one layer of the neighbours'. */
static ig_status ghosts_take(const ig_topopt_grid_model *m, double *values) {
  const ig_grid *g = &m->grid;
  const size_t plane = (size_t)g->plane, bytes = plane * sizeof *values;
  double *low = values + (size_t)g->ghosts * plane, *high = low + (size_t)g->n[2] * plane;
  ig_message message[2];
  int messages = 0;
  if (!m->slab)
    return IG_OK;
  if (ig_grid_below(g))
    message[messages++] = (ig_message){m->slab->rank - 1, low, low - plane, bytes, bytes};
  if (ig_grid_above(g))
    message[messages++] = (ig_message){m->slab->rank + 1, high, high + plane, bytes, bytes};
  return ig_ranks_exchange(m->cx, message, messages);
}

ig_status ig_topopt_grid_surface(void *self, double *density, double level, bool mirror,
                                 ig_topopt_part *surface) {
  const ig_topopt_grid_model *m = self;
  const ig_texts none = {0};
  IG_TRY(ghosts_take(m, density));
  return ig_topopt_part_of_grid(m->cx, &m->grid, m->h, density, level,
                                mirror ? &m->c->symmetry : &none, surface);
}

ig_status ig_topopt_grid_inside(void *self, double *density, double *level, double *share) {
  const ig_topopt_grid_model *m = self;
  IG_TRY(ghosts_take(m, density));
  return ig_topopt_part_inside_grid(m->cx, &m->grid, density, level, share);
}

/* Asks for every element there is: see ig_topopt_points_touched. */
ig_status ig_topopt_grid_touched(void *self, uint8_t *mark) {
  ig_topopt_grid_model *m = self;
  const ig_topopt_points points = ig_topopt_grid_points(m);
  const uint8_t *role = m->role.host;
#pragma omp parallel for schedule(static) num_threads(ig_team(m->cx, m->grid.stored, IG_WORK_VALUE))
  for (int64_t i = 0; i < m->grid.stored; i++)
    mark[i] = role[i] != IG_ROLE_NONE;
  return ig_topopt_points_touched(&points, m->solver->fix.host, &m->loading, mark);
}

/* Elements at a place of the part, `k` planes above its first. Joins with the neighbours below
   along each axis only, so that every face is visited once. Elements of a plane problem are
   open: void there is not enclosed. */
static void element_join(const ig_topopt_grid_model *m, const int *mirror, const int *at,
                         ig_topopt_pieces *p) {
  const ig_grid *g = &m->grid;
  const int64_t e = ig_grid_place(g, at[0], at[1], at[2]), step[] = {1, g->row, g->plane};
  const int all[] = {g->n[0], g->n[1], g->all}, in[] = {at[0], at[1], at[2] + g->from};
  bool open = g->dim == 2;
  for (int d = 0; d < g->dim; d++) {
    if (at[d] > 0)
      ig_topopt_pieces_join(p, e, e - step[d]);
    open = open || (in[d] == 0 && !(mirror[d] & 1)) || (in[d] == all[d] - 1 && !(mirror[d] & 2));
  }
  if (open)
    ig_topopt_pieces_open(p, e);
}

/* Faces of the lowest and the highest elements of a part with those of the neighbours. */
static ig_status plane_cross(const ig_topopt_grid_model *m, int k, ig_topopt_pieces *p) {
  const ig_grid *g = &m->grid;
  for (int j = 0; j < g->n[1]; j++)
    for (int i = 0; i < g->n[0]; i++) {
      const int64_t e = ig_grid_place(g, i, j, k);
      if (k == 0 && ig_grid_below(g))
        IG_TRY(ig_topopt_pieces_cross(p, e, m->slab->rank - 1, p->whole + e - g->plane));
      if (k == g->n[2] && ig_grid_above(g))
        IG_TRY(ig_topopt_pieces_cross(p, e, m->slab->rank + 1, p->whole + e + g->plane));
    }
  return IG_OK;
}

ig_status ig_topopt_grid_faces(void *self, ig_topopt_pieces *p) {
  const ig_topopt_grid_model *m = self;
  const ig_grid *g = &m->grid;
  int mirror[3] = {0};
  const int layers = ig_grid_layers(g);
  ig_topopt_grid_mirrors(m, mirror);
#pragma omp parallel for schedule(static) num_threads(ig_team(m->cx, g->stored, IG_WORK_NODE))
  for (int k = 0; k < layers; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++)
        element_join(m, mirror, (const int[3]){i, j, k}, p);
  IG_TRY(plane_cross(m, 0, p));
  return g->n[2] > 0 && g->n[2] < layers ? plane_cross(m, g->n[2], p) : IG_OK;
}
