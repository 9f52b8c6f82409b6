/* What can be made of a design on a grid.

   overhang  one layer after the other, each on the one below. Of a grid in slabs a layer along x or
             y is divided, and ranks hand each other its rows at the cuts; a layer along z is one
             rank's, and ranks take turns.
   draw      column by column. Columns along z cross ranks, which take turns.
   mill      the product of what each direction leaves: void where a tool comes along one of them.
 */
#include "topopt/grid/grid_making.h"
#include "topopt/grid/grid_draft.h"
#include "topopt/case/boundary_conditions.h"
#include "backend/backend.h"
#include "kern/hd.h"
#include "topopt/kernels/draw_direction.inc"

#include <math.h>
#include <string.h>

/* Planes that have elements: those of a whole, or all of a rank. The last plane of a slab has
   elements unless it is the top of the grid. */
static ig_grid elements_of(const ig_topopt_grid_model *m) {
  ig_grid g = m->grid;
  if (m->slab)
    g.n[2] = ig_grid_layers(&m->grid);
  return g;
}

/* An array of one layer: of layers along x or y all planes of a rank lie in it, ghosts, too.
   Layers along x or y are cut by the slabs: such a layer is an array of rows, one per plane,
   with ghost rows for the exchange. A layer along z belongs to one rank. */
static ig_grid layer_grid(const ig_topopt_grid_model *m, int axis) {
  ig_grid g = m->grid;
  g.plane = axis == 2 ? (int64_t)g.n[0] * g.n[1] : g.n[1 - axis];
  g.stored = g.dim == 3 && axis != 2 ? g.plane * (g.n[2] + 1 + 2 * g.ghosts) : g.plane;
  return g;
}
static ig_status layers_new(ig_topopt_grid_model *m, int axis, int count) {
  const size_t n = (size_t)layer_grid(m, axis).stored;
  for (int i = 0; i < count; i++)
    IG_TRY(ig_array_new_device(m->cx, &m->layer[i], n, sizeof(double), "layers"));
  return IG_OK;
}

/* One pass over a field, or slopes by it back. */
typedef struct {
  const ig_topopt_grid_model *m;
  const double *in, *made; /* made: the result, of passes back alone */
  double *to;
  const ig_draw *draw;
  int side; /* of what is drawn */
} pass;

/* Along z ranks take turns: each does its `own`, begins with what the one before it gave, and gives
   what the next one takes. */
static ig_status in_turn(const pass *p, int axis, bool rises, ig_status (*own)(const pass *p),
                         double *take, double *give) {
  const ig_topopt_grid_model *m = p->m;
  const size_t bytes = (size_t)layer_grid(m, axis).stored * sizeof *take;
  if (!m->slab || axis != 2)
    return own(p);
  for (int t = 0; t < m->slab->ranks; t++) {
    const int now = rises ? t : m->slab->ranks - 1 - t, next = rises ? now + 1 : now - 1;
    if (m->slab->rank == now)
      IG_TRY(own(p));
    if (t + 1 < m->slab->ranks)
      IG_TRY(ig_slab_hand(m->slab, now, next, bytes, m->slab->rank == now ? give : take));
  }
  return IG_OK;
}

/* --- overhang --- */

/* An element rests on the one below and its four neighbours (two in a plane): the angle follows
   from the shape of the elements, height over width. The error message computes how many layers
   would give the angle that was asked for. */
static ig_status make_overhang(ig_topopt_grid_model *m) {
  const ig_overhang_case *c = &m->c->overhang;
  const int dim = m->grid.dim;
  const char *way = dim == 2 && strcmp(c->direction, "z+") == 0 ? "y+" : c->direction;
  if (!ig_topopt_plane_read(way, dim, &m->overhang.axis, &m->overhang.up))
    return ig_fail_at(m->cx, &c->at, "overhang: '%.20s' is no direction: expected x-, x+, y-, y+%s",
                      c->direction, dim == 3 ? ", z- or z+" : "");
  const double height = m->h[m->overhang.axis];
  for (int d = 0; d < dim; d++) {
    const double given = atan2(height, m->h[d]) * 57.29577951308232;
    const int layers = m->whole.n[m->overhang.axis];
    if (d == m->overhang.axis || isnan(c->angle) || fabs(given - c->angle) <= 1)
      continue;
    return ig_fail_at(
        m->cx, &c->at,
        "overhang: angle: elements of %g m by %g m give %.3g degrees, not %g: make the "
        "grid of %d elements along %c, not %d",
        m->h[d], height, given, c->angle,
        (int)fmax(1, floor(layers * height / (m->h[d] * tan(c->angle / 57.29577951308232)) + 0.5)),
        'x' + m->overhang.axis, layers);
  }
  for (int d = 0; d < dim && isnan(c->angle); d++)
    if (fabs(m->h[d] / m->h[m->overhang.axis] - 1) > 0.01)
      ig_warn_at(m->cx, &c->at,
                 "overhang: elements are %g m along the layers and %g m across: the angle is %.0f "
                 "degrees from the plate, not 45",
                 m->h[d], m->h[m->overhang.axis],
                 atan2(m->h[m->overhang.axis], m->h[d]) * 57.29577951308232);
  return layers_new(m, m->overhang.axis, 2);
}

/* Layers are counted from the plate; `first` and `down` turn that into places, whichever way the
   part is built. */
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

/* All layers of this rank; the last one of `layer` is below the first, or above, if any is. Two
   arrays of one layer take turns: the layer at hand and the one before it. */
static ig_status print_own(const pass *p) {
  const ig_topopt_grid_model *m = p->m;
  const ig_topopt_design_ops *ops = ig_topopt_design_ops_of(m->cx);
  const int axis = m->overhang.axis, n = elements_of(m).n[axis];
  const ig_grid one = layer_grid(m, axis);
  for (int i = 0; i < n; i++) {
    const ig_print_layer l = layer_of(m, p->made ? n - 1 - i : i);
    double *now = m->layer[i % 2].dev, *last = m->layer[1 - i % 2].dev;
    if (p->made)
      IG_SLAB_TRY(m->slab,
                  ops->print_back(m->cx, &l, m->role.dev, p->in, p->made, last, now, p->to));
    else
      IG_SLAB_TRY(m->slab, ops->print(m->cx, &l, m->role.dev, p->in, last, p->to, now));
    if (axis != 2)
      IG_TRY(ig_slab_refresh(&one, 1, sizeof *now, 1, now));
  }
  return IG_OK;
}

/* Printing goes from the plate upwards, gradients come back from the top. */
static ig_status print(const pass *p) {
  const ig_topopt_grid_model *m = p->m;
  const int axis = m->overhang.axis, last = (elements_of(m).n[axis] - 1) % 2;
  const bool rises = (p->made != NULL) != (m->overhang.up != 0);
  return in_turn(p, axis, rises, print_own, m->layer[1].dev, m->layer[last].dev);
}

/* --- draw --- */

/* Mean density of columns whose `layers` elements all have the design x. The density of a column
   of equal design variables: what make_draw solves for the volume. */
static double drawn(double power, double x, const int *layers, int n) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    double last = 0;
    for (int i = 0; i < layers[side]; i++)
      sum += last = ig_draw_join(power, last, x);
  }
  return sum / n;
}

/* Without a parting plane one tool draws all layers: split at the bottom or the top of the grid. */
static ig_status make_draw(ig_topopt_grid_model *m) {
  const ig_draw_case *c = &m->c->draw_direction;
  const int dim = m->grid.dim;
  const char *way = dim == 2 && strcmp(c->direction, "z+") == 0 ? "y+" : c->direction;
  int up;
  if (!ig_topopt_plane_read(way, dim, &m->draw.axis, &up))
    return ig_fail_at(m->cx, &c->at,
                      "draw_direction: '%.20s' is no direction: expected x-, x+, y-, y+%s",
                      c->direction, dim == 3 ? ", z- or z+" : "");
  const int n = m->whole.n[m->draw.axis];
  m->draw.split = up ? 0 : n;
  if (!isnan(c->parting)) {
    const double at = c->parting / m->h[m->draw.axis];
    if (!(at > 0.5 && at < n - 0.5))
      return ig_fail_at(m->cx, &c->at,
                        "draw_direction: parting: %g m is outside the grid, 0 to %g m", c->parting,
                        n * m->h[m->draw.axis]);
    m->draw.split = (int)floor(at + 0.5);
  }
  const int layers[2] = {m->draw.split, n - m->draw.split};
  m->draw.power = ig_draw_power(layers[0] > layers[1] ? layers[0] : layers[1]);
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) { /* a start that has the volume asked for */
    const double x = 0.5 * (low + high);
    *(drawn(m->draw.power, x, layers, n) < m->c->volume ? &low : &high) = x;
  }
  m->d.start = high;
  IG_TRY(ig_topopt_grid_draft_new(m));
  return layers_new(m, m->draw.axis, 1);
}

/* Columns of this rank; along z `carry` comes from the rank before and goes to the next. */
static ig_status draw_own(const pass *p) {
  const ig_topopt_grid_model *m = p->m;
  const ig_topopt_design_ops *ops = ig_topopt_design_ops_of(m->cx);
  const ig_grid g = elements_of(m);
  double *carry = m->layer[0].dev;
  if (p->made)
    IG_SLAB_TRY(m->slab, ops->draw_back(m->cx, &g, p->draw, p->side, m->role.dev, p->in, p->made,
                                        carry, p->to));
  else
    IG_SLAB_TRY(m->slab, ops->draw(m->cx, &g, p->draw, p->side, m->role.dev, p->in, carry, p->to));
  return IG_OK;
}

/* Side 0 is above the split, side 1 below it. */
static ig_status draw(pass *p) {
  const ig_topopt_grid_model *m = p->m;
  const int n = m->whole.n[p->draw->axis];
  for (p->side = 0; p->side < 2; p->side++) {
    const bool there = p->side ? p->draw->split > 0 : p->draw->split < n;
    if (there) /* below the split densities grow along the axis */
      IG_TRY(in_turn(p, p->draw->axis, (p->made != NULL) != (p->side == 1), draw_own,
                     m->layer[0].dev, m->layer[0].dev));
  }
  return IG_OK;
}

/* --- mill --- */

/* Mean density where all elements have the design x: what a direction leaves depends on the place
   along its axis alone. */
static double milled_mean(const ig_topopt_grid_model *m, double x) {
  double mean = 1;
  for (int axis = 0; axis < m->grid.dim; axis++) {
    const int n = m->whole.n[axis];
    double sum = 0;
    for (int i = 0; i < n; i++) {
      double all = 1;
      for (int k = 0; k < m->mills; k++) {
        const ig_draw *d = &m->mill[k];
        double last = 0;
        for (int j = 0; d->axis == axis && j <= (d->split ? i : n - 1 - i); j++)
          last = ig_draw_join(d->power, last, x);
        all *= d->axis == axis ? last : 1;
      }
      sum += all;
    }
    mean *= sum / n;
  }
  return mean;
}

static ig_status make_mill(ig_topopt_grid_model *m) {
  const ig_mill_case *c = &m->c->milling;
  const int dim = m->grid.dim;
  int widest = 0;
  if (c->directions.count < 1 || c->directions.count > 2 * dim)
    return ig_fail_at(m->cx, &c->at, "milling: directions: give 1 to %d", 2 * dim);
  m->mills = c->directions.count;
  for (int k = 0; k < m->mills; k++) {
    int up;
    ig_draw *d = &m->mill[k];
    if (!ig_topopt_plane_read(c->directions.value[k], dim, &d->axis, &up))
      return ig_fail_at(m->cx, &c->at,
                        "milling: '%.20s' is no direction: expected x-, x+, y-, y+%s",
                        c->directions.value[k], dim == 3 ? ", z- or z+" : "");
    for (int i = 0; i < m->c->symmetry.count; i++)
      if (strcmp(m->c->symmetry.value[i], c->directions.value[k]) == 0)
        return ig_fail_at(m->cx, &c->at,
                          "milling: nothing comes from %s, where a plane of symmetry is",
                          c->directions.value[k]);
    const int n = m->whole.n[d->axis];
    d->split = up ? 0 : n;
    d->power = ig_draw_power(n);
    for (int j = 0; j < k; j++)
      if (m->mill[j].axis == d->axis && m->mill[j].split == d->split)
        return ig_fail_at(m->cx, &c->at, "milling: %s is given twice", c->directions.value[k]);
    widest =
        layer_grid(m, d->axis).stored > layer_grid(m, m->mill[widest].axis).stored ? k : widest;
  }
  double low = 0, high = 1;
  for (int i = 0; i < 40; i++) { /* a start that has the volume asked for */
    const double x = 0.5 * (low + high);
    *(milled_mean(m, x) < m->c->volume ? &low : &high) = x;
  }
  m->d.start = high;
  for (int k = 0; k <= m->mills; k++)
    IG_TRY(ig_array_new_device(m->cx, &m->milled[k], (size_t)m->grid.stored, sizeof(double),
                               "milled densities"));
  return layers_new(m, m->mill[widest].axis, 1);
}

/* out = product over the directions */
static ig_status mill(const ig_topopt_grid_model *m, const double *in, double *out) {
  const ig_topopt_design_ops *ops = ig_topopt_design_ops_of(m->cx);
  const int64_t n = m->grid.stored;
  for (int k = 0; k < m->mills; k++) {
    pass p = {.m = m, .in = in, .to = m->milled[k].dev, .draw = &m->mill[k]};
    IG_TRY(draw(&p));
    IG_TRY(k ? ops->map(m->cx, n, m->role.dev, IG_MAP_PRODUCT, out, m->milled[k].dev, NULL, out)
             : m->cx->backend->copy(m->cx, out, m->milled[0].dev, (size_t)n * sizeof *out));
  }
  return IG_OK;
}

/* slope by the product becomes one by the design: through each direction, with the others as
   factors. */
static ig_status mill_back(const ig_topopt_grid_model *m, const double *in, double *work,
                           double *slope) {
  const ig_topopt_design_ops *ops = ig_topopt_design_ops_of(m->cx);
  const int64_t n = m->grid.stored;
  const size_t bytes = (size_t)n * sizeof *slope;
  double *sum = m->milled[m->mills].dev;
  for (int k = 0; k < m->mills; k++) {
    pass p = {.m = m, .in = in, .made = m->milled[k].dev, .to = work, .draw = &m->mill[k]};
    IG_TRY(ig_slab_refresh(&m->grid, 1, sizeof *slope, 1, m->milled[k].dev));
    IG_TRY(m->cx->backend->copy(m->cx, work, slope, bytes));
    for (int j = 0; j < m->mills; j++)
      if (j != k)
        IG_TRY(ops->map(m->cx, n, m->role.dev, IG_MAP_PRODUCT, work, m->milled[j].dev, NULL, work));
    IG_TRY(draw(&p));
    IG_TRY(k ? ops->mix(m->cx, n, 1, sum, 1, work, sum)
             : m->cx->backend->copy(m->cx, sum, work, bytes));
  }
  return m->cx->backend->copy(m->cx, slope, sum, bytes);
}

/* --- of the discretisation --- */

ig_status ig_topopt_grid_making_new(ig_topopt_grid_model *m) {
  if (m->c->overhang.at.given) /* both together are refused when the design is made */
    return make_overhang(m);
  if (m->c->milling.at.given)
    return make_mill(m);
  return m->c->draw_direction.at.given ? make_draw(m) : IG_OK;
}

void ig_topopt_grid_making_free(ig_topopt_grid_model *m) {
  ig_topopt_grid_draft_free(m);
  for (int i = 0; i < 2; i++)
    ig_array_free(m->cx, &m->layer[i]);
  for (int i = 0; i <= IG_MILL_DIRECTIONS; i++)
    ig_array_free(m->cx, &m->milled[i]);
}

/* d->print is printing, drawing or milling: a case has one of them. */
ig_status ig_topopt_grid_print(void *self, const double *in, double *out) {
  const ig_topopt_grid_model *m = self;
  pass p = {.m = m, .in = in, .to = out, .draw = &m->draw};
  if (m->mills)
    return mill(m, in, out);
  if (m->draft)
    return ig_topopt_grid_draft(m, in, out);
  return m->c->overhang.at.given ? print(&p) : draw(&p);
}

ig_status ig_topopt_grid_print_back(void *self, const double *in, const double *printed,
                                    double *work, double *slope) {
  const ig_topopt_grid_model *m = self;
  pass p = {.m = m, .in = in, .made = printed, .to = slope, .draw = &m->draw};
  if (m->mills)
    return mill_back(m, in, work, slope);
  if (m->draft)
    return ig_topopt_grid_draft_back(m, in, printed, slope);
  /* ghosts: to who gave the values they have not changed */
  IG_TRY(ig_slab_refresh(&m->grid, 1, sizeof *printed, 1, (double *)printed));
  return m->c->overhang.at.given ? print(&p) : draw(&p);
}
