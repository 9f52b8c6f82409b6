/* Orientations of grains, and nuclei in the melt. Made on the host once. */
#include "grains/grains.h"

#include "grains/random.inc"

#include <math.h>
#include <stdlib.h>

/* --- orientations */

/* Uniform over all rotations: a point on the sphere in four dimensions from two in discs
   (Marsaglia, 1972). */
static void axes_random(uint64_t seed, uint64_t item, float *axes) {
  double p[2][2], square[2] = {2, 2};
  for (int k = 0; k < 2; k++)
    for (uint64_t i = 0; !(square[k] < 1 && square[k] > 0); i++) {
      for (uint64_t d = 0; d < 2; d++)
        p[k][d] = 2 * grains_uniform(
                          grains_random(seed, IG_RANDOM_AXES, item, 4 * i + 2 * (uint64_t)k + d)) -
                  1;
      square[k] = p[k][0] * p[k][0] + p[k][1] * p[k][1];
    }
  const double s = sqrt((1 - square[0]) / square[1]);
  const double w = p[0][0], x = p[0][1], y = p[1][0] * s, z = p[1][1] * s;
  const double q[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  for (int i = 0; i < 9; i++)
    axes[i] = (float)q[i];
}

/* Bunge's angles: rows are the axes of the crystal after turns about z, x and z. */
static void axes_euler(const double *e, float *axes) {
  const double c1 = cos(e[0]), s1 = sin(e[0]), c = cos(e[1]), s = sin(e[1]), c2 = cos(e[2]),
               s2 = sin(e[2]);
  const double g[9] = {c1 * c2 - s1 * s2 * c,
                       s1 * c2 + c1 * s2 * c,
                       s2 * s,
                       -c1 * s2 - s1 * c2 * c,
                       -s1 * s2 + c1 * c2 * c,
                       c2 * s,
                       s1 * s,
                       -c1 * s,
                       c};
  for (int i = 0; i < 9; i++)
    axes[i] = (float)g[i];
}

ig_status ig_grains_axes_make(ig_grains_run *r) {
  const int seeds = r->c->seeds.count, count = seeds + IG_GRAINS_ORIENTATIONS;
  IG_TRY(ig_array_new(r->cx, &r->array.axes, 9 * (size_t)count, sizeof(float), "orientations"));
  float *axes = r->array.axes.host;
  for (int i = 0; i < count; i++) {
    const double *euler = i < seeds ? IG_ITEM(ig_grains_seed, r->c->seeds, i)->euler : NULL;
    if (euler && !isnan(euler[0]))
      axes_euler(euler, &axes[9 * i]);
    else
      axes_random(r->view.seed, (uint64_t)i, &axes[9 * i]);
  }
  r->view.own = seeds;
  return ig_array_push(r->cx, &r->array.axes);
}

/* --- nuclei */

typedef struct {
  ig_grains_nucleus *item;
  size_t count;
} list;

/* A standard normal number (Box and Muller, 1958). */
static double normal(uint64_t a, uint64_t b) {
  return sqrt(-2 * log(1 - grains_uniform(a))) * cos(2 * M_PI * grains_uniform(b));
}

/* Meltings of a cell; with a field one, but none of the substrate. */
static int32_t meltings(const ig_grains_run *r, int64_t c) {
  const int32_t *first = r->array.first.host;
  const bool below = r->c->substrate.at.given && c < (int64_t)r->view.n[0] * r->view.n[1];
  return first ? first[c + 1] - first[c] : !below;
}

/* Nuclei of a cell, each with a number of its own for its melting. A cell holds one at most: the
   chance of none is that of Poisson's distribution. */
static ig_status cell_nuclei(const ig_grains_run *r, int64_t c, double chance, list *l) {
  const ig_grains_nucleation *n = &r->c->nucleation;
  const int32_t most = meltings(r, c);
  for (int32_t k = 1; k <= most; k++) {
    const uint64_t item = (uint64_t)c << 16 | (uint64_t)(k & 0xffff);
    uint64_t bits[3];
    for (uint64_t i = 0; i < 3; i++)
      bits[i] = grains_random(r->view.seed, IG_RANDOM_NUCLEUS, item, i);
    if (!(grains_uniform(bits[0]) < chance))
      continue;
    IG_TRY(ig_more(r->cx, (void **)&l->item, l->count, sizeof *l->item, "nuclei"));
    const double under = n->mean + n->deviation * normal(bits[1], bits[2]);
    l->item[l->count] =
        (ig_grains_nucleus){(int32_t)c, k, (int32_t)((int64_t)r->nucleus_first + (int64_t)l->count),
                            (float)fmax(under, 0)};
    l->count++;
  }
  return IG_OK;
}

/* In the order of segments, which is that of cells: rows begin with one. */
static ig_status nuclei_list(const ig_grains_run *r, list *l, int32_t *first) {
  const ig_grains_view *v = &r->view;
  const ig_grains_nucleation *n = &r->c->nucleation;
  const double mean = n->at.given ? n->density * pow(r->c->grid.cell, 3) : 0;
  const double chance = -expm1(-mean);
  if (mean > 0.1)
    ig_warn_at(
        r->cx, &n->at,
        "nucleation.density means %.3g nuclei in a cell, which holds one at most: make cells "
        "smaller",
        mean);
  for (int64_t s = 0; s < v->segments; s++) {
    const int64_t row = s / v->across * v->n[0];
    const int from = (int)(s % v->across) * IG_GRAINS_SEGMENT;
    for (int x = from; x < v->n[0] && x < from + IG_GRAINS_SEGMENT && chance > 0; x++)
      IG_TRY(cell_nuclei(r, row + x, chance, l));
    if ((double)l->count > 2e9 - r->nucleus_first)
      return ig_fail_at(r->cx, &n->at, "more nuclei than can be numbered, 2e9");
    first[s + 1] = (int32_t)l->count;
  }
  return IG_OK;
}

ig_status ig_grains_nuclei_make(ig_grains_run *r) {
  list l = {0};
  ig_grains_arrays *a = &r->array;
  IG_TRY(ig_array_new(r->cx, &a->nuclei, (size_t)r->view.segments + 1, 4, "nuclei"));
  ig_status status = nuclei_list(r, &l, a->nuclei.host);
  r->grains_end = (int32_t)(r->nucleus_first + (int64_t)l.count);
  if (status == IG_OK)
    status = ig_array_push(r->cx, &a->nuclei);
  if (status == IG_OK && l.count)
    status = ig_array_from(r->cx, &a->nucleus, l.item, l.count, sizeof *l.item, "nuclei");
  free(l.item);
  return status;
}
