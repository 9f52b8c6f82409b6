/* Columns of support, from the top layer down; slopes come back from the plate up
   (support_columns.h). */
#include "topopt/design/support_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double POWER = 8; /* of the smooth union of what is below */

/* Layers that are looked at, as few as reach a neighbour on each side: one up to 45 degrees of
   cubes, two or three of steeper angles, more of flat elements. `reach`: elements along both axes
   in the lowest of them. */
static int depth(const ig_topopt_layers *l, double angle, int *reach) {
  const double run = l->height / tan(angle / 57.29577951308232) * (1 + 1e-9);
  const bool plane = l->n[1] == 1;
  const double widest = plane ? l->across[0] : fmax(l->across[0], l->across[1]);
  const int deep = (int)fmin(1e6, fmax(1, ceil(widest / run)));
  for (int d = 0; d < 2; d++)
    reach[d] = d == 1 && plane ? 0 : (int)fmin(1e6, deep * run / l->across[d]);
  return deep;
}

double ig_support_columns_angle(const ig_topopt_layers *layers, double angle) {
  int reach[2];
  const double rise = depth(layers, angle, reach) * layers->height;
  double steepest = 0;
  for (int d = 0; d < 2; d++)
    if (reach[d] > 0)
      steepest = fmax(steepest, rise / (reach[d] * layers->across[d]));
  return atan(steepest) * 57.29577951308232;
}

ig_status ig_support_columns_check(ig_ctx *cx, const ig_printing_case *c,
                                   const ig_topopt_layers *l) {
  int reach[2];
  const int deep = depth(l, c->angle, reach);
  if (deep > IG_CONE || (2.0 * reach[0] + 1) * (2.0 * reach[1] + 1) > IG_CONE)
    return ig_fail_at(cx, &c->at,
                      "printing: angle: with %g degrees and elements of %g x %g m, %g m high, "
                      "supports are looked for in more than %d elements below each: take nearly "
                      "cubic elements",
                      c->angle, l->across[0], l->across[1], l->height, IG_CONE);
  return IG_OK;
}

/* Elements within the angle of the one below, each as high up as it can be. */
static void cone_make(ig_support_columns *c, double angle) {
  const ig_topopt_layers *l = c->layers;
  const double run = l->height / tan(angle / 57.29577951308232) * (1 + 1e-9);
  int reach[2];
  const int deep = depth(l, angle, reach);
  for (int j = -reach[1]; j <= reach[1]; j++)
    for (int i = -reach[0]; i <= reach[0]; i++) {
      const double x = i * l->across[0], y = j * l->across[1];
      const int k = (int)fmax(1, ceil(sqrt(x * x + y * y) / run));
      if (k > deep)
        continue;
      const int step[] = {i, j, k};
      memcpy(c->cone[c->count++], step, sizeof step);
    }
}

ig_status ig_support_columns_new(ig_ctx *cx, const ig_topopt_layers *layers, size_t places,
                                 double angle, ig_support_columns *c) {
  *c = (ig_support_columns){.layers = layers,
                            .area = layers->across[0] * layers->across[1],
                            .volume = layers->across[0] * layers->across[1] * layers->height};
  cone_make(c, angle);
  IG_TRY(IG_NEW(cx, &c->below, places, "supports"));
  IG_TRY(IG_NEW(cx, &c->hang, places, "supports"));
  IG_TRY(IG_NEW(cx, &c->column, places, "supports"));
  return IG_NEW(cx, &c->slope_need, (size_t)layers->n[0] * (size_t)layers->n[1], "supports");
}

void ig_support_columns_free(ig_support_columns *c) {
  free(c->below);
  free(c->hang);
  free(c->column);
  free(c->slope_need);
  *c = (ig_support_columns){0};
}

static int64_t place(const ig_topopt_layers *l, int i, int j, int k) {
  return l->first + i * l->step[0] + j * l->step[1] + k * l->up;
}

/* The places that hold an element up; how many. */
static int holders(const ig_support_columns *c, int i, int j, int k, int64_t *to) {
  const ig_topopt_layers *l = c->layers;
  int n = 0;
  for (int m = 0; m < c->count; m++) {
    const int a = i + c->cone[m][0], b = j + c->cone[m][1], d = k - c->cone[m][2];
    if (d >= 0 && a >= 0 && a < l->n[0] && b >= 0 && b < l->n[1])
      to[n++] = place(l, a, b, d);
  }
  return n;
}

static double eighth(double x) {
  x *= x;
  x *= x;
  return x * x;
}

double ig_support_below(const double *x, int n, const int64_t *at) {
  double none = 1;
  for (int m = 0; m < n; m++)
    none *= 1 - eighth(x[at[m]]);
  return none < 1 ? pow(1 - none, 1 / POWER) : 0;
}

/* Where nothing is below, any of it counts in full. */
void ig_support_below_back(const double *x, int n, const int64_t *at, double all, double by,
                           double *slope) {
  for (int m = 0; m < n && by != 0; m++) {
    double others = 1;
    for (int o = 0; o < n; o++)
      others *= o == m ? 1 : 1 - eighth(x[at[o]]);
    slope[at[m]] += by * others * (all > 0 ? pow(x[at[m]] / all, POWER - 1) : 1);
  }
}

/* What the element above asks for. */
static double need(const ig_support_columns *c, int64_t above) {
  return 1 - (1 - c->hang[above]) * (1 - c->column[above]);
}

void ig_support_columns_find(ig_support_columns *c, const double *x, const double *count,
                             double *volume, double *contact) {
  const ig_topopt_layers *l = c->layers;
  int64_t at[IG_CONE];
  *volume = *contact = 0;
  for (int k = l->layers - 1; k >= 0; k--)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        const int64_t e = place(l, i, j, k), above = e + l->up;
        const bool top = k == l->layers - 1;
        c->below[e] = k > 0 ? ig_support_below(x, holders(c, i, j, k, at), at) : 1;
        c->hang[e] = x[e] * (1 - c->below[e]);
        c->column[e] = top ? 0 : (1 - x[e]) * need(c, above);
        const double counts = count ? count[e] : 1;
        *volume += counts * c->volume * c->column[e];
        *contact += counts * c->area * (c->hang[e] + (top ? 0 : x[e] * c->column[above]));
      }
}

/* --- what steps hide --- */

/* Whether an element is on the underside of a part, and not on the plate. */
static bool hangs_over(const ig_topopt_layers *l, const double *x, int i, int j, int k) {
  return i >= 0 && i < l->n[0] && j >= 0 && j < l->n[1] && k > 0 && k < l->layers &&
         x[place(l, i, j, k)] > 0.5 && x[place(l, i, j, k - 1)] <= 0.5;
}

/* The underside followed from column to column on one side, as far as it goes and `most` columns:
   how many, and the layers it rises by. `jump`: layers between two columns, at most. */
static int follow(const ig_topopt_layers *l, const double *x, const int from[3], int axis, int side,
                  int jump, int *rise) {
  enum { MOST = 3 };
  int at[3] = {from[0], from[1], from[2]}, m = 0;
  while (m < MOST) {
    int found = -1;
    at[axis] += side;
    for (int step = 0; step <= jump && found < 0; step++)
      for (int sign = -1; sign <= 1 && found < 0; sign += 2)
        if (hangs_over(l, x, at[0], at[1], at[2] + sign * step))
          found = at[2] + sign * step;
    if (found < 0)
      break;
    at[2] = found;
    m++;
  }
  *rise = side * (at[2] - from[2]);
  return m;
}

void ig_support_columns_missed(const ig_support_columns *c, const double *x, double angle,
                               double *flat, double *missed) {
  const ig_topopt_layers *l = c->layers;
  const double steepest = tan((angle - 1) / 57.29577951308232);
  *flat = *missed = 0;
  for (int k = 1; k < l->layers; k++)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        const int here[3] = {i, j, k};
        double sum = 0;
        if (!hangs_over(l, x, i, j, k))
          continue;
        for (int d = 0; d < 2; d++) {
          int rise[2];
          /* what rises by more is steeper than any angle of a print */
          const int jump = (int)fmin(64, ceil(2 * l->across[d] / l->height));
          const int columns =
              follow(l, x, here, d, 1, jump, &rise[0]) + follow(l, x, here, d, -1, jump, &rise[1]);
          const double slope =
              columns ? (rise[0] + rise[1]) * l->height / (columns * l->across[d]) : 0;
          sum += slope * slope;
        }
        if (sqrt(sum) >= steepest)
          continue;
        *flat += c->area;
        *missed += c->hang[place(l, i, j, k)] < 0.5 ? c->area : 0;
      }
}

/* From the plate up: what an element asks for is known to its column when the layer below is done.
   slope_need: of the layer below, by what it is asked for, times what the weights make of it. */
void ig_support_columns_back(ig_support_columns *c, const double *x, const double *count,
                             double by_volume, double by_contact, double *slope) {
  const ig_topopt_layers *l = c->layers;
  int64_t at[IG_CONE];
  const double v = by_volume * c->volume, a = by_contact * c->area;
  memset(c->slope_need, 0, (size_t)l->n[0] * (size_t)l->n[1] * sizeof *c->slope_need);
  for (int k = 0; k < l->layers; k++)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        const int64_t e = place(l, i, j, k), above = e + l->up, under = e - l->up;
        const bool top = k == l->layers - 1;
        const double counts = count ? count[e] : 1;
        const double counts_under = k == 0 ? 0 : count ? count[under] : 1;
        double *by_need = &c->slope_need[i + (int64_t)j * l->n[0]]; /* of the element under this */
        const double by_column =
            counts * v + *by_need * (1 - c->hang[e]) + (k > 0 ? counts_under * a * x[under] : 0);
        const double by_hang = counts * a + *by_need * (1 - c->column[e]);
        slope[e] += by_hang * (1 - c->below[e]);
        if (!top)
          slope[e] += counts * a * c->column[above] - by_column * need(c, above);
        if (k > 0)
          ig_support_below_back(x, holders(c, i, j, k, at), at, c->below[e], -by_hang * x[e],
                                slope);
        *by_need = top ? 0 : by_column * (1 - x[e]);
      }
}
