/* Walls with a draft angle, layer by layer from where each tool is (grid_draft.h). */
#include "topopt/grid/grid_draft.h"
#include "topopt/grid/grid_plate.h"
#include "backend/backend.h"
#include "kern/hd.h"
#include "topopt/kernels/draw_direction.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An upwind scheme smears fronts, which holds thin round walls up: a tenth of their way where the
   radius is three elements. Walls go out by so much more than asked. */
static const double MORE = 1.2;
/* Rounds the length of a gradient off at 0, where it has no slope. */
static const double SOFT = 1e-3;

typedef struct ig_topopt_grid_draft {
  double run; /* by which a wall goes out per layer, m */
  uint8_t *role;
  double *in, *out, *slope; /* places */
  double *carry[2];         /* slopes by the layer at hand and by the one before it */
} ig_topopt_grid_draft_space;

/* One of the tools: layers of `l` below `end`, which are counted from that tool. */
typedef struct {
  ig_topopt_grid_draft_space *t;
  ig_topopt_layers l;
  double power;
  int end;
} tool;

static int64_t place(const ig_topopt_layers *l, int i, int j, int k) {
  return l->first + i * l->step[0] + j * l->step[1] + k * l->up;
}

/* Differences to the up to four denser neighbours within a layer, over their distance; the sum of
   their squares. */
static double rises(const ig_topopt_layers *l, const double *b, int i, int j, int64_t at,
                    double *rise) {
  const int index[] = {i, j};
  double sum = 0;
  for (int d = 0; d < 2; d++)
    for (int side = 0; side < 2; side++) {
      const bool there = side ? index[d] + 1 < l->n[d] : index[d] > 0;
      const double more = there ? b[at + (side ? l->step[d] : -l->step[d])] - b[at] : 0;
      rise[2 * d + side] = more > 0 ? more / l->across[d] : 0;
      sum += rise[2 * d + side] * rise[2 * d + side];
    }
  return sum;
}

/* D(b) of an element of layer k, from the layer before it; 0 of the first. */
static double widened(const tool *a, int i, int j, int k) {
  double rise[4];
  if (k == 0)
    return 0;
  const int64_t at = place(&a->l, i, j, k - 1);
  const double soft = SOFT / a->l.across[0];
  const double sum = rises(&a->l, a->t->out, i, j, at, rise);
  return a->t->out[at] + a->t->run * (sqrt(sum + soft * soft) - soft);
}

static double own(const tool *a, int64_t at) {
  const double x = a->t->in[at];
  const int role = a->t->role[at];
  return role == IG_ROLE_DESIGN ? fmin(1, fmax(0, x)) : role == IG_ROLE_SOLID ? 1 : 0;
}

static void forward(const tool *a) {
  for (int k = 0; k < a->end; k++)
    for (int j = 0; j < a->l.n[1]; j++)
      for (int i = 0; i < a->l.n[0]; i++) {
        const int64_t at = place(&a->l, i, j, k);
        const double before = fmin(1, widened(a, i, j, k));
        a->t->out[at] = ig_draw_join(a->power, before, own(a, at));
      }
}

/* slope by D(b) becomes slopes by the layer before it, in carry[1]. */
static void widened_back(const tool *a, int i, int j, int k, double by) {
  const ig_topopt_layers *l = &a->l;
  double rise[4], *carry = a->t->carry[1];
  const int64_t at = place(l, i, j, k - 1);
  const int64_t here = i + (int64_t)j * l->n[0], beside[] = {1, l->n[0]};
  const double soft = SOFT / l->across[0];
  const double sum = rises(l, a->t->out, i, j, at, rise);
  const double factor = by * a->t->run / sqrt(sum + soft * soft);
  carry[here] += by;
  for (int d = 0; d < 2; d++)
    for (int side = 0; side < 2; side++)
      if (rise[2 * d + side] > 0) {
        const double part = factor * rise[2 * d + side] / l->across[d];
        carry[here] -= part;
        carry[here + (side ? beside[d] : -beside[d])] += part;
      }
}

static void layer_back(const tool *a, int k) {
  for (int j = 0; j < a->l.n[1]; j++)
    for (int i = 0; i < a->l.n[0]; i++) {
      const int64_t at = place(&a->l, i, j, k);
      const double wide = widened(a, i, j, k), x = own(a, at);
      const double all = a->t->slope[at] + a->t->carry[0][i + (int64_t)j * a->l.n[0]];
      double by_before;
      const double by = ig_draw_slopes(a->power, fmin(1, wide), x, a->t->out[at], &by_before);
      const bool moves = a->t->role[at] == IG_ROLE_DESIGN && a->t->in[at] >= 0 &&
                         a->t->in[at] <= 1 + 1e-9; /* beyond what rounding leaves it is cut off */
      a->t->slope[at] = moves ? all * by : 0;
      if (k > 0 && wide < 1)
        widened_back(a, i, j, k, all * by_before);
    }
}

static void back(const tool *a) {
  const size_t bytes = (size_t)a->l.n[0] * (size_t)a->l.n[1] * sizeof(double);
  double **carry = a->t->carry;
  memset(carry[0], 0, bytes);
  for (int k = a->end - 1; k >= 0; k--) {
    memset(carry[1], 0, bytes);
    layer_back(a, k);
    double *swap = carry[0];
    carry[0] = carry[1];
    carry[1] = swap;
  }
}

/* Above the split the tool is drawn along the axis, and comes from its end; below it the other way.
 */
static tool tool_of(const ig_topopt_grid_model *m, int side) {
  const int n = m->grid.n[m->draw.axis];
  return (tool){.t = m->draft,
                .l = ig_topopt_grid_layers(m, m->draw.axis, side),
                .power = m->draw.power,
                .end = side ? m->draw.split : n - m->draw.split};
}

ig_status ig_topopt_grid_draft(const ig_topopt_grid_model *m, const double *in, double *out) {
  const ig_topopt_grid_draft_space *t = m->draft;
  const size_t bytes = (size_t)m->grid.stored * sizeof *in;
  IG_TRY(m->cx->backend->copy_out(m->cx, t->in, in, bytes));
  memset(t->out, 0, bytes);
  for (int side = 0; side < 2; side++) {
    const tool a = tool_of(m, side);
    forward(&a);
  }
  return m->cx->backend->copy_in(m->cx, out, t->out, bytes);
}

ig_status ig_topopt_grid_draft_back(const ig_topopt_grid_model *m, const double *in,
                                    const double *drawn, double *slope) {
  const ig_topopt_grid_draft_space *t = m->draft;
  const size_t bytes = (size_t)m->grid.stored * sizeof *in;
  IG_TRY(m->cx->backend->copy_out(m->cx, t->in, in, bytes));
  IG_TRY(m->cx->backend->copy_out(m->cx, t->out, drawn, bytes));
  IG_TRY(m->cx->backend->copy_out(m->cx, t->slope, slope, bytes));
  for (int side = 0; side < 2; side++) {
    const tool a = tool_of(m, side);
    back(&a);
  }
  return m->cx->backend->copy_in(m->cx, slope, t->slope, bytes);
}

ig_status ig_topopt_grid_draft_new(ig_topopt_grid_model *m) {
  const ig_draw_case *c = &m->c->draw_direction;
  const size_t n = (size_t)m->grid.stored;
  const ig_topopt_layers l = ig_topopt_grid_layers(m, m->draw.axis, 1);
  const double run = l.height * tan(MORE * c->angle / 57.29577951308232);
  const double edge = l.n[1] > 1 ? fmin(l.across[0], l.across[1]) : l.across[0];
  if (!(c->angle > 0))
    return IG_OK;
  if (m->slab)
    return ig_fail_at(m->cx, &c->at,
                      "draw_direction: angle: not on a grid that is divided between ranks");
  if (run > 0.5 * edge)
    return ig_fail_at(m->cx, &c->at,
                      "draw_direction: angle: %g degrees are %.3g m per layer, more than half an "
                      "element: take flatter elements, or %.3g degrees at most",
                      c->angle, run, atan(0.5 * edge / l.height) * 57.29577951308232 / MORE);
  IG_TRY(IG_NEW(m->cx, &m->draft, 1, "draft"));
  m->draft->run = run;
  IG_TRY(IG_NEW(m->cx, &m->draft->role, n, "draft"));
  IG_TRY(IG_NEW(m->cx, &m->draft->in, n, "draft"));
  IG_TRY(IG_NEW(m->cx, &m->draft->out, n, "draft"));
  IG_TRY(IG_NEW(m->cx, &m->draft->slope, n, "draft"));
  for (int i = 0; i < 2; i++)
    IG_TRY(IG_NEW(m->cx, &m->draft->carry[i], (size_t)l.n[0] * (size_t)l.n[1], "draft"));
  memcpy(m->draft->role, m->role.host, n);
  return IG_OK;
}

void ig_topopt_grid_draft_free(ig_topopt_grid_model *m) {
  ig_topopt_grid_draft_space *t = m->draft;
  if (!t)
    return;
  double *const arrays[] = {t->in, t->out, t->slope, t->carry[0], t->carry[1]};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
  free(t->role);
  free(t);
  m->draft = NULL;
}
