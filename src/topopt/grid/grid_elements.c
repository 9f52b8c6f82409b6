/* A grid's elements with their nodes, for analyses that assemble them: see ig_topopt_body. */
#include "topopt/grid/grid_elements.h"
#include "backend/backend.h"
#include "solid/solid.h"

#include <stdlib.h>

/* Elements without a role are not there: those outside of a part. */
static ig_status fill(const ig_topopt_grid_model *m, const uint8_t *role, const ig_spring *spring,
                      ig_topopt_body *b) {
  static const int around[8] = {0, 1, 3, 2, 4, 5, 7, 6}; /* bits of a corner: x, y, z */
  const ig_grid *g = &m->grid;
  const int deep = g->dim == 3 ? g->n[2] : 1;
  const int64_t row = g->n[0] + 1, plane = row * (g->n[1] + 1);
  for (int k = 0; k <= (g->dim == 3 ? g->n[2] : 0); k++)
    for (int j = 0; j <= g->n[1]; j++)
      for (int i = 0; i <= g->n[0]; i++) {
        const int64_t point = i + row * j + plane * k;
        const int of[3] = {i, j, k};
        b->at[point] = ig_grid_place(g, i, j, k);
        for (int d = 0; d < b->dim; d++)
          b->x[b->dim * point + d] = of[d] * m->h[d];
      }
  for (int k = 0; k < deep; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const int64_t place = ig_grid_place(g, i, j, k);
        if (role[place] == IG_ROLE_NONE)
          continue;
        for (int a = 0; a < b->corners; a++) {
          const int q = around[a];
          b->node[(int64_t)b->elements * b->corners + a] =
              (int32_t)(i + (q & 1) + row * (j + (q >> 1 & 1)) + plane * (k + (q >> 2)));
        }
        b->place[b->elements++] = place;
      }
  for (int s = 0; s < m->solver->springs; s++) {
    const int64_t node = spring[s].node - g->first;
    const int64_t k = g->dim == 3 ? node / g->plane : 0, left = node - k * g->plane;
    const int64_t point = left % g->row + row * (left / g->row) + plane * k;
    b->spring[b->dim * point + spring[s].component] += spring[s].stiffness;
  }
  return IG_OK;
}

ig_status ig_topopt_grid_elements(void *self, ig_topopt_body *b) {
  const ig_topopt_grid_model *m = self;
  ig_ctx *cx = m->cx;
  const ig_grid *g = &m->grid;
  const size_t points = (size_t)ig_grid_nodes(g), all = (size_t)ig_grid_elements(g);
  const size_t springs = (size_t)m->solver->springs;
  uint8_t *role = NULL;
  ig_spring *spring = NULL;
  ig_status status;
  *b = (ig_topopt_body){
      .dim = g->dim, .corners = 1 << g->dim, .kind = IG_SOLID_HEX8, .points = (int32_t)points};
  IG_TRY_GOTO(status, done, IG_NEW(cx, &b->place, all, "elements"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &b->node, all * (size_t)b->corners, "elements"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &b->at, points, "nodes"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &b->x, points * (size_t)b->dim, "nodes"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &role, g->stored, "roles"));
  IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, role, m->role.dev, (size_t)g->stored));
  if (springs) {
    IG_TRY_GOTO(status, done, IG_NEW(cx, &b->spring, points * (size_t)b->dim, "springs"));
    IG_TRY_GOTO(status, done, IG_NEW(cx, &spring, springs, "springs"));
    IG_TRY_GOTO(status, done,
                cx->backend->copy_out(cx, spring, m->solver->spring.dev, springs * sizeof *spring));
  }
  status = fill(m, role, spring, b);
done:
  free(role);
  free(spring);
  if (status != IG_OK)
    ig_topopt_body_free(b);
  return status;
}
