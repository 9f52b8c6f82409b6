/* What can be made of a design on a grid.

   overhang  one layer after the other, each on the one below. Of a grid in slabs a layer along x or
             y is divided, and ranks hand each other its rows at the cuts; a layer along z is one
             rank's, and ranks take turns.
   draw      column by column, in the planes of a rank. */
#include "topopt/grid_making.h"
#include "topopt/placing.h"
#include "backend/backend.h"

#include <math.h>
#include <string.h>

/* Planes that have elements: those of a whole, or all of a rank. */
static ig_grid elements_of(const ig_topopt_grid_model *m) {
  ig_grid g = m->grid;
  if (m->slab)
    g.n[2] = ig_grid_layers(&m->grid);
  return g;
}

/* --- overhang --- */

/* An array of one layer: of layers along x or y all planes of a rank lie in it, ghosts, too. */
static ig_grid layer_grid(const ig_topopt_grid_model *m) {
  const int axis = m->overhang.axis;
  ig_grid g = m->grid;
  g.plane = axis == 2 ? (int64_t)g.n[0] * g.n[1] : g.n[1 - axis];
  g.stored = g.dim == 3 && axis != 2 ? g.plane * (g.n[2] + 1 + 2 * g.ghosts) : g.plane;
  return g;
}

static ig_status make_overhang(ig_topopt_grid_model *m) {
  const ig_overhang_case *c = &m->c->overhang;
  const int dim = m->grid.dim;
  const char *way = dim == 2 && strcmp(c->direction, "z+") == 0 ? "y+" : c->direction;
  if (!ig_topopt_plane_read(way, dim, &m->overhang.axis, &m->overhang.up))
    return ig_fail_at(m->cx, &c->at, "overhang: '%.20s' is no direction: expected x-, x+, y-, y+%s",
                      c->direction, dim == 3 ? ", z- or z+" : "");
  for (int d = 0; d < dim; d++)
    if (fabs(m->h[d] / m->h[m->overhang.axis] - 1) > 0.01)
      ig_warn_at(m->cx, &c->at,
                 "overhang: elements are %g m along the layers and %g m across: the angle is %.0f "
                 "degrees from the plate, not 45",
                 m->h[d], m->h[m->overhang.axis],
                 atan2(m->h[m->overhang.axis], m->h[d]) * 57.29577951308232);
  const size_t n = (size_t)layer_grid(m).stored;
  for (int i = 0; i < 2; i++)
    IG_TRY(ig_array_new_device(m->cx, &m->layer[i], n, sizeof(double), "printed layers"));
  return IG_OK;
}

static ig_print_layer layer_of(const ig_topopt_grid_model *m, int layer) {
  const ig_overhang *o = &m->overhang;
  const ig_grid g = elements_of(m);
  const int64_t stride[3] = {1, g.row, g.plane};
  const int axis = o->axis, n = g.n[axis], below = ig_grid_below(&g), above = ig_grid_above(&g);
  const bool goes_on[2] = {axis == 2 && (o->up ? below : above),
                           axis == 2 && (o->up ? above : below)};
  ig_print_layer l = {.first = g.first + (o->up ? layer : n - 1 - layer) * stride[axis],
                      .down = o->up ? -stride[axis] : stride[axis],
                      .plate = layer == 0 && !goes_on[0],
                      .top = layer == n - 1 && !goes_on[1],
                      .most = g.dim == 3 ? 5 : 3};
  const int across[2] = {(axis + 1) % g.dim, g.dim == 3 ? (axis + 2) % 3 : -1};
  for (int w = 0; w < 2; w++) {
    const int d = across[w];
    l.n[w] = d < 0 ? 1 : g.n[d];
    l.low[w] = d == 2 ? -below : 0;
    l.high[w] = l.n[w] + (d == 2 ? above : 0);
    l.step[w] = d < 0 ? 0 : stride[d];
  }
  const int slow = across[0] == 2 ? 0 : 1; /* planes lie one after the other */
  l.beside[1 - slow] = 1;
  l.beside[slow] = l.n[1 - slow];
  l.layer_first = across[slow] == 2 ? g.ghosts * l.beside[slow] : 0;
  return l;
}

/* All layers of this rank; the last one of `layer` is below the first, if any is. */
static ig_status print_own(const ig_topopt_grid_model *m, const double *in, double *out) {
  const ig_grid g = elements_of(m), one = layer_grid(m);
  for (int i = 0; i < g.n[m->overhang.axis]; i++) {
    const ig_print_layer l = layer_of(m, i);
    double *now = m->layer[i % 2].dev;
    IG_SLAB_TRY(m->slab, ig_topopt_design_ops_of(m->cx)->print(m->cx, &l, m->role.dev, in,
                                                               m->layer[1 - i % 2].dev, out, now));
    if (m->overhang.axis != 2)
      IG_TRY(ig_slab_refresh(&one, 1, sizeof *now, 1, now));
  }
  return IG_OK;
}
static ig_status print_own_back(const ig_topopt_grid_model *m, const double *in,
                                const double *printed, double *slope) {
  const ig_grid g = elements_of(m), one = layer_grid(m);
  const int n = g.n[m->overhang.axis];
  for (int i = 0; i < n; i++) {
    const ig_print_layer l = layer_of(m, n - 1 - i);
    double *now = m->layer[i % 2].dev;
    IG_SLAB_TRY(m->slab,
                ig_topopt_design_ops_of(m->cx)->print_back(m->cx, &l, m->role.dev, in, printed,
                                                           m->layer[1 - i % 2].dev, now, slope));
    if (m->overhang.axis != 2)
      IG_TRY(ig_slab_refresh(&one, 1, sizeof *now, 1, now));
  }
  return IG_OK;
}

/* Layers along z: a rank begins with the last layer of the one before it. */
static ig_status print_in_turn(const ig_topopt_grid_model *m, bool back, const double *in,
                               const double *printed, double *to) {
  const bool turns = m->slab && m->overhang.axis == 2, rises = back != (m->overhang.up != 0);
  const int ranks = turns ? m->slab->ranks : 1;
  const size_t bytes = (size_t)layer_grid(m).stored * sizeof *to;
  const int last = (elements_of(m).n[m->overhang.axis] - 1) % 2;
  for (int t = 0; t < ranks; t++) {
    const int now = rises ? t : ranks - 1 - t, next = rises ? now + 1 : now - 1;
    if (!turns || m->slab->rank == now)
      IG_TRY(back ? print_own_back(m, in, printed, to) : print_own(m, in, to));
    if (t + 1 < ranks)
      IG_TRY(
          ig_slab_hand(m->slab, now, next, bytes, m->layer[m->slab->rank == now ? last : 1].dev));
  }
  return IG_OK;
}

/* --- draw --- */

/* Mean density of columns whose `layers` elements all have the design x. */
static double drawn(const double x, const int *layers, int n) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    double free = 1;
    for (int i = 0; i < layers[side]; i++) {
      free *= 1 - x;
      sum += 1 - free;
    }
  }
  return sum / n;
}

static ig_status make_draw(ig_topopt_grid_model *m) {
  const ig_draw_case *c = &m->c->draw;
  const int dim = m->grid.dim;
  const char *way = dim == 2 && strcmp(c->direction, "z+") == 0 ? "y+" : c->direction;
  int up;
  if (!ig_topopt_plane_read(way, dim, &m->draw.axis, &up))
    return ig_fail_at(m->cx, &c->at, "draw: '%.20s' is no direction: expected x-, x+, y-, y+%s",
                      c->direction, dim == 3 ? ", z- or z+" : "");
  const int n = m->whole.n[m->draw.axis];
  m->draw.split = up ? 0 : n;
  if (!isnan(c->parting)) {
    const double at = c->parting / m->h[m->draw.axis];
    if (!(at > 0.5 && at < n - 0.5))
      return ig_fail_at(m->cx, &c->at, "draw: parting: %g m is outside the grid, 0 to %g m",
                        c->parting, n * m->h[m->draw.axis]);
    m->draw.split = (int)floor(at + 0.5);
  }
  const int layers[2] = {m->draw.split, n - m->draw.split};
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) { /* a start that has the volume asked for */
    const double x = 0.5 * (low + high);
    *(drawn(x, layers, n) < m->c->volume ? &low : &high) = x;
  }
  m->d.start = high;
  return IG_OK;
}

/* --- of the discretisation --- */

ig_status ig_topopt_grid_making_new(ig_topopt_grid_model *m) {
  if (m->c->draw.at.given)
    IG_TRY(make_draw(m));
  return m->c->overhang.at.given ? make_overhang(m) : IG_OK;
}

void ig_topopt_grid_making_free(ig_topopt_grid_model *m) {
  for (int i = 0; i < 2; i++)
    ig_array_free(m->cx, &m->layer[i]);
}

ig_status ig_topopt_grid_print(void *self, const double *in, double *out) {
  const ig_topopt_grid_model *m = self;
  if (m->c->overhang.at.given)
    return print_in_turn(m, false, in, NULL, out);
  const ig_grid g = elements_of(m);
  IG_SLAB_TRY(m->slab,
              ig_topopt_design_ops_of(m->cx)->draw(m->cx, &g, &m->draw, m->role.dev, in, out));
  return IG_OK;
}

ig_status ig_topopt_grid_print_back(void *self, const double *in, const double *printed,
                                    double *work, double *slope) {
  const ig_topopt_grid_model *m = self;
  (void)work;
  if (m->c->overhang.at.given) { /* ghosts: to who gave the values they have not changed */
    IG_TRY(ig_slab_refresh(&m->grid, 1, sizeof *printed, 1, (double *)printed));
    return print_in_turn(m, true, in, printed, slope);
  }
  const ig_grid g = elements_of(m);
  IG_SLAB_TRY(m->slab, ig_topopt_design_ops_of(m->cx)->draw_back(m->cx, &g, &m->draw, m->role.dev,
                                                                 in, printed, slope));
  return IG_OK;
}
