/* Grains of the substrate: a cell belongs to the nearest of points that are spread evenly, one at a
   random place in each cube of the grain size (with `field`: in each square of the lowest level). A
   grain is therefore as large as such a cube on average, and needs no table. */
#include "grains/grains.h"
#include "core/threads.h"

#include "grains/random.inc"

#include <math.h>

/* Cubes along an axis; a whole number where the box is periodic, so that it closes. */
typedef struct {
  int n[3];
  double edge[3]; /* in cells */
  bool flat, periodic;
} cubes;

static cubes cubes_of(const ig_grains_run *r) {
  cubes b = {.flat = r->c->field.at.given, .periodic = r->c->periodic};
  const double edge = r->c->substrate.grain_size / r->c->grid.cell;
  for (int d = 0; d < 3; d++) {
    const double n = r->view.n[d] / edge;
    const bool whole = b.periodic && d < 2;
    b.n[d] = b.flat && d == 2 ? 1 : (int)fmax(1, whole ? round(n) : ceil(n));
    b.edge[d] = whole ? r->view.n[d] / (double)b.n[d] : edge;
  }
  return b;
}

int64_t ig_grains_substrate_count(const ig_grains_run *r) {
  if (!r->c->substrate.at.given)
    return 0;
  const cubes b = cubes_of(r);
  return (int64_t)b.n[0] * b.n[1] * b.n[2];
}

/* Distance squared of the point of cube `at` to x, in cells; -1: there is no such cube. */
static double distance(const ig_grains_run *r, const cubes *b, const int *at, const double *x,
                       int64_t *cube) {
  int in[3];
  double sum = 0;
  for (int d = 0; d < 3; d++) {
    in[d] = at[d];
    if (b->periodic && d < 2)
      in[d] = (at[d] % b->n[d] + b->n[d]) % b->n[d];
    if (in[d] < 0 || in[d] >= b->n[d])
      return -1;
  }
  *cube = ((int64_t)in[2] * b->n[1] + in[1]) * b->n[0] + in[0];
  for (int d = 0; d < (b->flat ? 2 : 3); d++) {
    const double u =
        grains_uniform(grains_random(r->view.seed, IG_RANDOM_PLACE, (uint64_t)*cube, (uint64_t)d));
    const double apart = (at[d] + u) * b->edge[d] - x[d];
    sum += apart * apart;
  }
  return sum;
}

/* The nearest point is at most two cubes away: each cube has one. */
static int32_t nearest(const ig_grains_run *r, const cubes *b, const double *x) {
  enum { REACH = 2 };
  int middle[3];
  double least = INFINITY;
  int64_t best = 0;
  for (int d = 0; d < 3; d++)
    middle[d] = (int)floor(x[d] / b->edge[d]);
  const int up = b->flat ? 0 : REACH;
  for (int k = -up; k <= up; k++)
    for (int j = -REACH; j <= REACH; j++)
      for (int i = -REACH; i <= REACH; i++) {
        const int at[3] = {middle[0] + i, middle[1] + j, b->flat ? 0 : middle[2] + k};
        int64_t cube = 0;
        const double here = distance(r, b, at, x, &cube);
        if (here >= 0 && (here < least || (here == least && cube < best))) {
          least = here;
          best = cube;
        }
      }
  return (int32_t)(r->c->seeds.count + best + 1);
}

/* With a field the lowest level, which grows; with events everything, powder above `top`. */
void ig_grains_substrate_fill(ig_grains_run *r) {
  const ig_grains_view *v = &r->view;
  const cubes b = cubes_of(r);
  const bool field = r->c->field.at.given;
  const int levels = field ? 1 : v->n[2];
  uint8_t *state = r->array.state.host, *melts = r->array.melts.host;
  int32_t *grain = r->array.grain.host;
#pragma omp parallel for collapse(2) schedule(dynamic, 16) num_threads(r->cx->threads)
  for (int k = 0; k < levels; k++)
    for (int j = 0; j < v->n[1]; j++)
      for (int i = 0; i < v->n[0]; i++) {
        const int64_t c = ((int64_t)k * v->n[1] + j) * v->n[0] + i;
        const double x[3] = {i + 0.5, j + 0.5, k + 0.5};
        const double z = r->low[2] + x[2] * r->c->grid.cell;
        grain[c] = z > r->c->substrate.top ? (int32_t)(r->powder_first + c) : nearest(r, &b, x);
        if (field) {
          state[c] = IG_GRAINS_ACTIVE;
          melts[c] = 0;
        }
      }
}
