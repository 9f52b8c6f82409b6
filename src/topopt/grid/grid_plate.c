/* A grid on the plate it is built on: the same elements, held at the plate and at planes of
   symmetry alone, in layers. */
#include "topopt/grid/grid_plate.h"
#include "topopt/design/support_columns.h"
#include "topopt/grid/divide.h"
#include "topopt/case/boundary_conditions.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ig_topopt_grid_plate {
  ig_topopt_plate plate;
  ig_multigrid *solver;
  uint8_t *element, *node; /* layers, by place */
} ig_topopt_grid_plate;

static ig_status changed(void *self) {
  return ig_multigrid_update(((ig_topopt_grid_model *)self)->plate->solver);
}
static ig_status solve(void *self, const double *f, double *u, double tolerance,
                       ig_solve_report *report) {
  return ig_multigrid_solve(((ig_topopt_grid_model *)self)->plate->solver, f, u, tolerance, report);
}
static ig_status strain_back(void *self, const double *tensor, double *f) {
  const ig_topopt_grid_model *m = self;
  return ig_topopt_stress_ops_of(m->cx)->strain_back(m->cx, &m->grid, m->h,
                                                     m->plate->solver->fix.dev, tensor, f);
}

/* Axis and side of the direction, as of the overhang filter: of a plane z+ means y+. */
static ig_status direction_read(const ig_topopt_grid_model *m, int *axis, int *up) {
  const ig_printing_case *c = &m->c->printing;
  const int dim = m->grid.dim;
  const char *way = dim == 2 && strcmp(c->direction, "z+") == 0 ? "y+" : c->direction;
  if (!ig_topopt_plane_read(way, dim, axis, up))
    return ig_fail_at(m->cx, &c->at, "printing: '%.20s' is no direction: expected x-, x+, y-, y+%s",
                      c->direction, dim == 3 ? ", z- or z+" : "");
  for (int i = 0; i < m->c->symmetry.count; i++) {
    int of, side;
    if (ig_topopt_plane_read(m->c->symmetry.value[i], dim, &of, &side) && of == *axis)
      return ig_fail_at(m->cx, &c->at, "printing: the direction is across the plane of symmetry %s",
                        m->c->symmetry.value[i]);
  }
  if (c->layers > m->grid.n[*axis])
    return ig_fail_at(m->cx, &c->at, "printing: layers: %d, but the grid has %d elements along %c",
                      (int)c->layers, m->grid.n[*axis], 'x' + *axis);
  return IG_OK;
}

/* Layers of elements and of nodes, which come with the first element that they belong to; bits of
   what is held. Places of no element or node keep the last number, of no layer. */
static void number(const ig_topopt_grid_model *m, ig_topopt_grid_plate *p, int axis, int up,
                   uint8_t *fix) {
  const ig_grid *g = &m->grid;
  const int n = g->n[axis], layers = p->plate.layers;
  const int last = g->dim == 3 ? g->n[2] : 0;
  memset(p->element, IG_NO_LAYER, (size_t)g->stored);
  memset(p->node, IG_NO_LAYER, (size_t)g->stored);
  for (int k = 0; k <= last; k++)
    for (int j = 0; j <= g->n[1]; j++)
      for (int i = 0; i <= g->n[0]; i++) {
        const int at[] = {i, j, k};
        const int64_t place = ig_grid_place(g, i, j, k);
        const int height = up ? at[axis] : n - at[axis]; /* of the node over the plate */
        const int first = height > 0 ? height - 1 : 0;   /* the element below it */
        p->node[place] = (uint8_t)((int64_t)first * layers / n);
        fix[place] = height == 0 ? (uint8_t)((1 << g->dim) - 1) : 0;
        for (int s = 0; s < m->c->symmetry.count; s++) {
          int of, side;
          if (ig_topopt_plane_read(m->c->symmetry.value[s], g->dim, &of, &side) &&
              at[of] == (side ? g->n[of] : 0))
            fix[place] |= (uint8_t)(1 << of);
        }
        if (i == g->n[0] || j == g->n[1] || (g->dim == 3 && k == last))
          continue;
        const int above = up ? at[axis] : n - 1 - at[axis];
        p->element[place] = (uint8_t)((int64_t)above * layers / n);
      }
}

ig_topopt_layers ig_topopt_grid_layers(const ig_topopt_grid_model *m, int axis, int up) {
  const ig_grid *g = &m->grid;
  const int64_t stride[3] = {1, g->row, g->plane};
  const int a = (axis + 1) % g->dim, b = g->dim == 3 ? (axis + 2) % 3 : -1;
  ig_topopt_layers l = {.axis = axis, .layers = g->n[axis], .n = {g->n[a], b < 0 ? 1 : g->n[b]}};
  l.step[0] = stride[a];
  l.step[1] = b < 0 ? 0 : stride[b];
  l.up = up ? stride[axis] : -stride[axis];
  l.first = g->first + (up ? 0 : (g->n[axis] - 1) * stride[axis]);
  l.height = m->h[axis];
  l.across[0] = m->h[a];
  l.across[1] = b < 0 ? ig_topopt_thickness(m->c) : m->h[b];
  return l;
}

ig_status ig_topopt_grid_plate_new(ig_topopt_grid_model *m, const ig_brick *brick) {
  ig_ctx *cx = m->cx;
  const ig_printing_case *c = &m->c->printing;
  ig_topopt_grid_plate *p;
  int axis, up;
  if (!c->at.given)
    return IG_OK;
  if (m->slab)
    return ig_fail_at(cx, &c->at, "printing: is not for grids that are divided between ranks");
  IG_TRY(direction_read(m, &axis, &up));
  m->layers = ig_topopt_grid_layers(m, axis, up);
  m->d.layers = &m->layers;
  IG_TRY(ig_support_columns_check(cx, c, &m->layers));
  if (isnan(c->strain[0]))
    return IG_OK; /* nothing shrinks */
  IG_TRY(IG_NEW(cx, &p, 1, "printing"));
  m->plate = p;
  p->plate = (ig_topopt_plate){.changed = changed, .solve = solve, .strain_back = strain_back};
  p->plate.layers = c->layers > 0 ? (int)c->layers : m->grid.n[axis] < 10 ? m->grid.n[axis] : 10;
  uint8_t *fix = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &p->element, m->grid.stored, "printing"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &p->node, m->grid.stored, "printing"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &fix, m->grid.stored, "printing"));
  number(m, p, axis, up, fix);
  const ig_multigrid_options options = ig_topopt_grid_options(m->c);
  IG_TRY_GOTO(status, done,
              ig_multigrid_new(cx, &m->grid, brick, fix, NULL, 0, &options, &p->solver));
  p->plate.element = p->element;
  p->plate.node = p->node;
  p->plate.fix = p->solver->fix.dev;
  p->plate.modulus = p->solver->modulus.dev;
  p->plate.learnt = &p->solver->cautious;
  m->d.plate = &p->plate;
done:
  free(fix);
  return status;
}

void ig_topopt_grid_plate_free(ig_topopt_grid_model *m) {
  ig_topopt_grid_plate *p = m->plate;
  if (!p)
    return;
  ig_multigrid_free(p->solver);
  free(p->element);
  free(p->node);
  free(p);
  m->plate = NULL;
}
