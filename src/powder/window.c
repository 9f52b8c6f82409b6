/* The window: opened, moved, its rim, its means. */
#include "powder/powder.h"

#include "kern/hd.h"
#include "kern/prec_f64.h"
#include "powder/level.inc"

#include <math.h>
#include <string.h>

/* --- between the grids */

static double minmod(double a, double b) {
  return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b;
}

/* The coarse cells before and after one along an axis; false: there is no slope. Levels that are
   not full have none in z: their fine cells would not lie evenly about the middle. */
static bool neighbours(const ig_powder_run *r, const int *c, int d, size_t *before, size_t *after) {
  const ig_level *l = &r->coarse;
  int a[3] = {c[0], c[1], c[2]}, b[3] = {c[0], c[1], c[2]};
  a[d]--, b[d]++;
  if (a[d] < 0 || b[d] >= l->n[d])
    return false;
  if (d == 2 && !(r->fill[c[2]] == 1 && r->fill[a[2]] == 1 && r->fill[b[2]] == 1))
    return false;
  *before = ig_level_at(l, a[0], a[1], a[2]);
  *after = ig_level_at(l, b[0], b[1], b[2]);
  return true;
}

/* How a coarse cell's heat slopes along an axis, J/m^3 per coarse cell. */
static double slope(const ig_powder_run *r, const int *c, int d) {
  const ig_level *l = &r->coarse;
  size_t before, after;
  if (!neighbours(r, c, d, &before, &after))
    return 0;
  const double u = l->heat[ig_level_at(l, c[0], c[1], c[2])];
  return minmod(l->heat[after] - u, u - l->heat[before]);
}

/* Fine cells of a coarse one, with the same heat in all. */
static void cell_refine(ig_powder_run *r, const int *c) {
  ig_level *l = &r->fine;
  const double u = r->coarse.heat[ig_level_at(&r->coarse, c[0], c[1], c[2])];
  const double s[3] = {slope(r, c, 0), slope(r, c, 1), slope(r, c, 2)};
  int from[3];
  for (int d = 0; d < 3; d++)
    from[d] = (c[d] - r->at[d]) * r->r;
  for (int k = 0; k < r->r; k++)
    for (int j = 0; j < r->r; j++)
      for (int i = 0; i < r->r; i++) {
        const double off[3] = {(i + 0.5) / r->r - 0.5, (j + 0.5) / r->r - 0.5,
                               (k + 0.5) / r->r - 0.5};
        l->heat[ig_level_at(l, from[0] + i, from[1] + j, from[2] + k)] =
            u + s[0] * off[0] + s[1] * off[1] + s[2] * off[2];
      }
}

void ig_powder_window_mean(ig_powder_run *r) {
  const ig_level *l = &r->fine;
  for (int c = 0; c < r->size[2]; c++)
    for (int b = 0; b < r->size[1]; b++)
      for (int a = 0; a < r->size[0]; a++) {
        const int levels =
            (int)fmin(r->r, fmax(0, (double)(r->bed - (int64_t)(r->at[2] + c) * r->r)));
        double sum = 0;
        int solid = 0;
        for (int k = 0; k < levels; k++)
          for (int j = 0; j < r->r; j++)
            for (int i = 0; i < r->r; i++) {
              const int f[3] = {a * r->r + i, b * r->r + j, c * r->r + k};
              sum += l->heat[ig_level_at(l, f[0], f[1], f[2])];
              solid += r->state[ig_powder_state_at(r, (int64_t)r->at[0] * r->r + f[0],
                                                   (int64_t)r->at[1] * r->r + f[1],
                                                   (int64_t)r->at[2] * r->r + f[2])] &
                       IG_POWDER_SOLID;
            }
        const int x[3] = {r->at[0] + a, r->at[1] + b, r->at[2] + c};
        const int count = levels * r->r * r->r;
        if (count) {
          r->coarse.heat[ig_level_at(&r->coarse, x[0], x[1], x[2])] = sum / count;
          r->solid[ig_powder_cell(r, x[0], x[1], x[2])] = (double)solid / count;
        }
      }
}

/* --- placing */

ig_status ig_powder_window_place(ig_powder_run *r, const double *x) {
  int to[3], old[3] = {r->at[0], r->at[1], r->at[2]};
  const double H = r->coarse.edge;
  for (int d = 0; d < 2; d++) {
    const int at = (int)floor((x[d] - r->low[d]) / H - 0.5 * r->size[d] + 0.5);
    const int most = r->coarse.n[d] - r->size[d];
    to[d] = at < 0 ? 0 : at > most ? most : at;
  }
  const int top = (int)((r->bed + r->r - 1) / r->r);
  to[2] = top > r->size[2] ? top - r->size[2] : 0;
  if (r->open && memcmp(to, r->at, sizeof to) == 0)
    return IG_OK;
  ig_level *l = &r->fine;
  const bool open = r->open;
  const size_t count = (size_t)(l->n[0] + 2) * (size_t)(l->n[1] + 2) * (size_t)(l->n[2] + 2);
  memcpy(l->T, l->heat, count * sizeof *l->T); /* temperatures are made anew before their use */
  memcpy(r->at, to, sizeof to);
  int shift[3];
  for (int d = 0; d < 3; d++)
    shift[d] = (to[d] - old[d]) * r->r;
  for (int k = 0; open && k < l->n[2]; k++)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        const int n[3] = {i - shift[0], j - shift[1], k - shift[2]};
        const bool stays = n[0] >= 0 && n[1] >= 0 && n[2] >= 0 && n[0] < l->n[0] &&
                           n[1] < l->n[1] && n[2] < l->n[2];
        r->left_molten += !stays && l->T[ig_level_at(l, i, j, k)] > r->tables.liquidus;
      }
  for (int c = 0; c < r->size[2]; c++)
    for (int b = 0; b < r->size[1]; b++)
      for (int a = 0; a < r->size[0]; a++) {
        const int cell[3] = {to[0] + a, to[1] + b, to[2] + c};
        bool kept = open;
        for (int d = 0; d < 3; d++)
          kept = kept && cell[d] >= old[d] && cell[d] < old[d] + r->size[d];
        if (!kept) {
          cell_refine(r, cell);
          continue;
        }
        for (int k = c * r->r; k < (c + 1) * r->r; k++)
          for (int j = b * r->r; j < (b + 1) * r->r; j++)
            memcpy(&l->heat[ig_level_at(l, a * r->r, j, k)],
                   &l->T[ig_level_at(l, a * r->r + shift[0], j + shift[1], k + shift[2])],
                   (size_t)r->r * sizeof *l->T);
      }
  r->open = true;
  r->moves++;
  return IG_OK;
}

void ig_powder_window_close(ig_powder_run *r) {
  if (r->open)
    ig_powder_window_mean(r);
  r->open = false;
  r->molten = 0;
}

/* --- the rim */

/* A ghost on side `side` (0 to 5: xmin, xmax, ymin …) of the window at fine cell (p, q) of it: the
   cell inside, the ghost, the coarse cell there; false where the bed ends. */
typedef struct {
  int in[3], ghost[3], cell[3];
  double off[3]; /* of the ghost's middle from the coarse cell's, across the side, in cells */
} rim;

static bool rim_at(const ig_powder_run *r, int side, int p, int q, rim *m) {
  const int d = side / 2, e = (d + 1) % 3, f = (d + 2) % 3;
  const bool high = side % 2;
  m->in[d] = high ? r->fine.n[d] - 1 : 0;
  m->in[e] = p;
  m->in[f] = q;
  memcpy(m->ghost, m->in, sizeof m->in);
  m->ghost[d] += high ? 1 : -1;
  m->cell[d] = high ? r->at[d] + r->size[d] : r->at[d] - 1;
  m->cell[e] = r->at[e] + p / r->r;
  m->cell[f] = r->at[f] + q / r->r;
  m->off[d] = 0;
  m->off[e] = (p % r->r + 0.5) / r->r - 0.5;
  m->off[f] = (q % r->r + 0.5) / r->r - 0.5;
  return m->cell[d] >= 0 && m->cell[d] < r->coarse.n[d];
}

/* Slope of the coarse temperature across a side, K per cell; none where a neighbour lacks. */
static double slope_T(const ig_powder_run *r, const int *c, int d) {
  size_t before, after;
  return neighbours(r, c, d, &before, &after) ? 0.5 * (r->coarse.T[after] - r->coarse.T[before])
                                              : 0;
}

void ig_powder_window_ghosts(ig_powder_run *r) {
  ig_level *l = &r->fine;
  for (int side = 0; side < 6; side++) {
    const int d = side / 2, e = (d + 1) % 3, f = (d + 2) % 3;
    for (int q = 0; q < l->n[f]; q++)
      for (int p = 0; p < l->n[e]; p++) {
        rim m;
        const bool bed = rim_at(r, side, p, q, &m);
        const size_t at = ig_level_at(l, m.ghost[0], m.ghost[1], m.ghost[2]);
        const size_t cell = ig_level_at(&r->coarse, m.cell[0], m.cell[1], m.cell[2]);
        l->resist[at] = IG_LEVEL_CLOSED;
        l->T[at] = 0;
        if (bed && r->fill[m.cell[2]] > 0) {
          l->T[at] = r->coarse.T[cell] + slope_T(r, m.cell, e) * m.off[e] +
                     slope_T(r, m.cell, f) * m.off[f];
          l->resist[at] = r->coarse.resist[cell] * r->r; /* its middle is half a coarse cell away */
        } else if (side == 4 && !isnan(r->c->plate_temperature)) {
          l->T[at] = r->c->plate_temperature;
          l->resist[at] = 0;
        }
      }
  }
}

void ig_powder_window_cross(ig_powder_run *r, double dt) {
  const ig_level *l = &r->fine;
  const double area = l->edge * l->edge;
  for (int side = 0; side < 6; side++) {
    const int d = side / 2, e = (d + 1) % 3, f = (d + 2) % 3;
    for (int q = 0; q < l->n[f]; q++)
      for (int p = 0; p < l->n[e]; p++) {
        rim m;
        const bool bed = rim_at(r, side, p, q, &m);
        const size_t in = ig_level_at(l, m.in[0], m.in[1], m.in[2]);
        const size_t at = ig_level_at(l, m.ghost[0], m.ghost[1], m.ghost[2]);
        if (l->resist[at] == IG_LEVEL_CLOSED || l->resist[in] == IG_LEVEL_CLOSED)
          continue;
        const double out =
            -dt * area * powder_flux_f64(l->T[in], l->resist[in], l->T[at], l->resist[at], l->edge);
        if (bed)
          r->crossed[ig_powder_cell(r, m.cell[0], m.cell[1], m.cell[2])] += out;
        else
          r->ledger.held += out;
      }
  }
}
