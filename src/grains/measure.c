/* Statistics of grains, on the host: sizes, heights, inclinations, per grain and per level. */
#include "grains/grains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const float *ig_grains_axes_of(const ig_grains_run *r, int32_t grain) {
  const int32_t own = r->view.own;
  const int32_t which =
      grain <= own ? grain - 1 : own + ((grain - own - 1) & (IG_GRAINS_ORIENTATIONS - 1));
  return (const float *)r->array.axes.host + 9 * (int64_t)which;
}

double ig_grains_tilt(const float *axes) {
  const double most = fmax(fabs(axes[2]), fmax(fabs(axes[5]), fabs(axes[8])));
  return acos(fmin(1, most));
}

/* Red is <100>, green <110>, blue <111>; the strongest of the three is 1. */
void ig_grains_color(const float *axes, int axis, float rgb[3]) {
  float a[3];
  for (int i = 0; i < 3; i++)
    a[i] = fabsf(axes[3 * i + axis]);
  for (int i = 0; i < 2; i++) /* falling */
    for (int j = 0; j < 2; j++)
      if (a[j] < a[j + 1]) {
        const float other = a[j];
        a[j] = a[j + 1];
        a[j + 1] = other;
      }
  rgb[0] = a[0] - a[1];
  rgb[1] = (a[1] - a[2]) * (float)M_SQRT2;
  rgb[2] = a[2] * sqrtf(3);
  const float most = fmaxf(rgb[0], fmaxf(rgb[1], rgb[2]));
  for (int i = 0; i < 3; i++)
    rgb[i] = most > 0 ? rgb[i] / most : 0;
}

/* Whether cell c has solidified in the run. */
static bool counts(const ig_grains_run *r, int64_t c) {
  return ((const uint8_t *)r->array.melts.host)[c] > 0 &&
         ((const uint8_t *)r->array.state.host)[c] != IG_GRAINS_LIQUID;
}

/* Places of grains in the list, by id; 0: not there, else the place + 1. */
static ig_status grains_list(const ig_grains_run *r, ig_grains_measure *m, int32_t *place) {
  const int32_t *grain = r->array.grain.host;
  for (int64_t c = 0; c < r->view.cells; c++)
    if (counts(r, c))
      place[grain[c]] = 1;
  for (int32_t id = 1; id < r->grains_end; id++)
    if (place[id])
      place[id] = (int32_t)++m->grains;
  IG_TRY(IG_NEW(r->cx, &m->grain, m->grains, "grains"));
  for (int32_t id = 1; id < r->grains_end; id++)
    if (place[id])
      m->grain[place[id] - 1] = (ig_grains_grain){.id = id,
                                                  .low = r->view.n[2],
                                                  .high = -1,
                                                  .tilt = ig_grains_tilt(ig_grains_axes_of(r, id))};
  return IG_OK;
}

static double place_of(const ig_grains_run *r, int d, int at) {
  return r->low[d] + (at + 0.5) * r->c->grid.cell;
}

/* --- centres. Across a periodic side the parts of a grain are one grain: along each axis the
   period is cut where the grain has its widest gap, and cells count with their images between two
   cuts. Where it has none, as one that reaches around, with those nearest to its mean direction on
   the circle of the period. */

typedef struct {
  double cosine[2], sine[2]; /* sums over the grain's cells, for x and y */
  double mean[2];            /* m: half way between two cuts */
} turn;
/* Planes of cells across x and y in which each grain has some, a byte each, grain by grain. */
typedef struct {
  uint8_t *of[2];
} planes;

/* The middle of the widest gap of `n` planes that close to a ring, in planes; NaN: none. */
static double gap_middle(const uint8_t *plane, int n) {
  int first = 0, widest = 0, end = 0;
  while (first < n && !plane[first])
    first++;
  for (int i = 1, empty = 0; i <= n; i++) {
    empty = plane[(first + i) % n] ? 0 : empty + 1;
    if (empty > widest) {
      widest = empty;
      end = first + i + 1;
    }
  }
  return widest ? end - 0.5 * widest : NAN;
}

/* The middle where a grain has no gap and no direction, as one that reaches around evenly: its
   plain mean is what is wanted then. */
static void turn_mean(const ig_grains_run *r, turn *t, const planes *p, int64_t which,
                      int64_t cells) {
  for (int d = 0; d < 2; d++) {
    const int n = r->view.n[d];
    const double length = n * r->c->grid.cell, gap = gap_middle(p->of[d] + which * n, n);
    const bool none = hypot(t->cosine[d], t->sine[d]) < 1e-9 * (double)cells;
    const double angle = none ? 0 : atan2(t->sine[d], t->cosine[d]);
    t->mean[d] =
        r->low[d] + length * (isnan(gap) ? 0.5 + angle / (2 * M_PI) : gap / (double)n + 0.5);
  }
}

static void direction_add(const ig_grains_run *r, turn *t, const planes *p, int64_t which,
                          const int *at) {
  for (int d = 0; d < 2; d++) {
    const double angle = 2 * M_PI * ((at[d] + 0.5) / r->view.n[d] - 0.5);
    t->cosine[d] += cos(angle);
    t->sine[d] += sin(angle);
    p->of[d][which * r->view.n[d] + at[d]] = 1;
  }
}

static void image_add(const ig_grains_run *r, const turn *t, const int *at, double *centre) {
  for (int d = 0; d < 2; d++) {
    const double length = r->view.n[d] * r->c->grid.cell, x = place_of(r, d, at[d]);
    centre[d] += x - length * round((x - t->mean[d]) / length);
  }
}

/* First the planes and directions of all cells, then, when the cuts are known (`p` NULL), the
   places of images. */
static void turns_walk(const ig_grains_run *r, ig_grains_measure *m, const int32_t *place, turn *t,
                       const planes *p) {
  const int *n = r->view.n;
  const int32_t *grain = r->array.grain.host;
  for (int64_t c = 0; c < r->view.cells; c++) {
    if (!counts(r, c))
      continue;
    const int64_t which = place[grain[c]] - 1;
    const int at[2] = {(int)(c % n[0]), (int)(c / n[0] % n[1])};
    if (p)
      direction_add(r, &t[which], p, which, at);
    else
      image_add(r, &t[which], at, m->grain[which].centre);
  }
}

static ig_status centres_periodic(const ig_grains_run *r, ig_grains_measure *m,
                                  const int32_t *place) {
  turn *t = NULL;
  planes p = {{NULL, NULL}};
  ig_status status = IG_NEW(r->cx, &t, m->grains, "grains");
  for (int d = 0; d < 2 && status == IG_OK; d++)
    status = IG_NEW(r->cx, &p.of[d], m->grains * r->view.n[d], "grains");
  if (status == IG_OK) {
    turns_walk(r, m, place, t, &p);
    for (int64_t i = 0; i < m->grains; i++) {
      turn_mean(r, &t[i], &p, i, m->grain[i].cells);
      m->grain[i].centre[0] = m->grain[i].centre[1] = 0;
    }
    turns_walk(r, m, place, t, NULL);
  }
  free(p.of[0]);
  free(p.of[1]);
  free(t);
  return status;
}

/* Cells in their order: a level is complete before the next begins. */
static void cells_add(const ig_grains_run *r, ig_grains_measure *m, const int32_t *place) {
  const ig_grains_view *v = &r->view;
  const int32_t *grain = r->array.grain.host;
  int64_t c = 0;
  for (int k = 0; k < v->n[2]; k++)
    for (int j = 0; j < v->n[1]; j++)
      for (int i = 0; i < v->n[0]; i++, c++) {
        if (!counts(r, c))
          continue;
        const int at[3] = {i, j, k};
        ig_grains_grain *g = &m->grain[place[grain[c]] - 1];
        ig_grains_level *l = &m->level[k];
        l->grains += g->high < k; /* its first cell of this level */
        g->low = k < g->low ? k : g->low;
        g->high = k;
        g->cells++;
        for (int d = 0; d < 3; d++)
          g->centre[d] += place_of(r, d, at[d]);
        l->cells++;
        l->tilt += g->tilt;
      }
}

static void means(const ig_grains_run *r, ig_grains_measure *m) {
  for (int64_t i = 0; i < m->grains; i++) {
    ig_grains_grain *g = &m->grain[i];
    const double height = g->high - g->low + 1, section = (double)g->cells / height;
    for (int d = 0; d < 3; d++)
      g->centre[d] /= (double)g->cells;
    for (int d = 0; d < 2 && r->view.periodic; d++) { /* back into the box */
      const double length = r->view.n[d] * r->c->grid.cell;
      g->centre[d] -= length * floor((g->centre[d] - r->low[d]) / length);
    }
    g->aspect = height / sqrt(4 * section / M_PI);
    m->cells += g->cells;
    m->tilt += g->tilt * (double)g->cells;
    m->aspect += g->aspect * (double)g->cells;
    if (g->id >= r->nucleus_first) {
      m->nucleated_grains++;
      m->nucleated_cells += g->cells;
    }
  }
  m->tilt /= (double)m->cells;
  m->aspect /= (double)m->cells;
  for (int k = 0; k < r->view.n[2]; k++)
    m->level[k].tilt /= (double)m->level[k].cells; /* NaN: none */
}

ig_status ig_grains_measure_make(const ig_grains_run *r, ig_grains_measure *m) {
  int32_t *place = NULL;
  memset(m, 0, sizeof *m);
  IG_TRY(IG_NEW(r->cx, &m->level, r->view.n[2], "levels of grains"));
  IG_TRY(IG_NEW(r->cx, &place, r->grains_end, "grains"));
  ig_status status = grains_list(r, m, place);
  if (status == IG_OK)
    cells_add(r, m, place);
  if (status == IG_OK && r->view.periodic)
    status = centres_periodic(r, m, place);
  if (status == IG_OK)
    means(r, m);
  free(place);
  return status;
}

void ig_grains_measure_free(ig_grains_measure *m) {
  free(m->grain);
  free(m->level);
}
