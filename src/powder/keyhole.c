/* Keyholes of the lines of a path (material/keyhole.h), over the temperature of the ground, which
   kernels read ahead of the beam (powder_ground); and the heat that vapour takes from the surface.
 */
#include "powder/powder.h"

#include <math.h>
#include <stdlib.h>

/* How long the beam stands where piece i begins; 0: it moves. */
static double stands(const ig_powder_run *r, const ig_toolpath *p, int64_t i) {
  const double *from = &p->x[3 * i];
  int64_t j = i;
  while (j + 1 < p->count && p->power[j] > 0 &&
         hypot(p->x[3 * j + 3] - from[0], p->x[3 * j + 4] - from[1]) <= 1e-6 * r->c->beam.radius)
    j++;
  return p->t[j] - p->t[i];
}

/* Powers and speeds of paths. */
typedef struct {
  double power, speed;
} kind;
typedef struct {
  kind *of;
  int count, room;
} kinds;

/* The number of a kind. Paths have few of them, or as many as pieces: the last ones are looked at.
   Times of points are rounded: so is the speed. */
static ig_status kind_take(ig_ctx *cx, kinds *all, double power, double speed, int *number) {
  enum { LOOK = 64 };
  for (int i = all->count - 1; i >= 0 && i >= all->count - LOOK; i--)
    if (all->of[i].power == power && fabs(speed - all->of[i].speed) <= 1e-6 * all->of[i].speed) {
      *number = i;
      return IG_OK;
    }
  if (all->count == all->room) {
    const int room = all->room ? 2 * all->room : LOOK;
    kind *more = realloc(all->of, (size_t)room * sizeof *more);
    if (!more)
      return IG_FAIL(cx, IG_MEMORY, "no memory for keyholes");
    all->of = more;
    all->room = room;
  }
  all->of[ *number = all->count++] = (kind){power, speed};
  return IG_OK;
}

/* Kinds of the pieces of a path; where the beam is off, that of the piece before. */
static ig_status kinds_find(const ig_powder_run *r, int beam, kinds *all) {
  const ig_toolpath *p = &r->laser[beam].path;
  const ig_material_case *m = r->material;
  int *number = r->array.way[IG_POWDER_WAY * beam + IG_WAY_KIND].host, now = 0;
  double until = -INFINITY, speed = 0; /* the beam stands until then */
  for (int64_t i = 0; i < p->count; i++) {
    const double takes = i + 1 < p->count ? p->t[i + 1] - p->t[i] : 0, *x = &p->x[3 * i];
    if (takes > 0 && p->power[i] > 0) {
      if (p->t[i] >= until) {
        const double rest = stands(r, p, i);
        speed = rest > 0 ? ig_keyhole_rest_speed(m, rest) : hypot(x[3] - x[0], x[4] - x[1]) / takes;
        until = rest > 0 ? p->t[i] + rest : until;
      }
      IG_TRY(kind_take(r->cx, all, p->power[i], speed, &now));
    }
    number[i] = now;
  }
  return IG_OK;
}

/* Rows of all kinds: from the initial temperature up to nearly boiling. */
static ig_status rows_make(ig_powder_run *r, const kinds *all) {
  const ig_material_case *m = r->material;
  const double a = r->c->beam.radius;
  ig_powder_holes *h = &r->view.holes;
  h->T = r->c->initial_temperature;
  h->step = fmax(0.95 * m->boiling - h->T, 1) / (IG_HOLE_ROWS - 1);
  IG_TRY(ig_array_new(r->cx, &r->array.holes, IG_HOLE_ROWS * (size_t)(all->count ? all->count : 1),
                      sizeof(ig_powder_hole), "keyholes"));
  ig_powder_hole *row = r->array.holes.host;
  for (int n = 0; n < all->count; n++) {
    const double moving = ig_keyhole_moving(m, a, all->of[n].speed);
    for (int i = 0; i < IG_HOLE_ROWS; i++) {
      const ig_keyhole hole =
          ig_keyhole_of(&r->c->beam.keyhole, m, a, all->of[n].power, moving, h->T + i * h->step);
      *row++ = (ig_powder_hole){hole.depth, hole.share, hole.absorptivity};
    }
  }
  h->row = r->array.holes.dev;
  return ig_array_push(r->cx, &r->array.holes);
}

ig_status ig_powder_keyholes_make(ig_powder_run *r) {
  kinds all = {0};
  if (!r->c->beam.keyhole.at.given)
    return IG_OK;
  IG_TRY(ig_material_require(r->cx, r->material, "boiling", "beam.keyhole"));
  ig_status status = IG_OK;
  for (int b = 0; b < r->beams && status == IG_OK; b++) {
    status = kinds_find(r, b, &all);
    if (status == IG_OK)
      status = ig_array_push(r->cx, &r->array.way[IG_POWDER_WAY * b + IG_WAY_KIND]);
  }
  if (status == IG_OK)
    status = rows_make(r, &all);
  free(all.of);
  return status;
}

ig_powder_hole ig_powder_keyhole_of(const ig_powder_run *r, int beam, int64_t piece, double T) {
  ig_powder_holes h = r->view.holes;
  h.row = r->array.holes.host;
  return ig_powder_hole_at(&h, r->way[beam].kind[piece], T, r->c->beam.depth);
}

/* Of the vapour 18 % falls back (Knight 1979): 0.82 p sqrt(M / (2 pi R T)) leave, with the pressure
   p of Clausius and Clapeyron. */
ig_status ig_powder_vapour(ig_powder_run *r) {
  const double gas = 8.31446261815324, leaves = 0.82, atmosphere = 101325;
  const ig_material_case *m = r->material;
  if (!r->c->evaporation)
    return IG_OK;
  IG_TRY(ig_material_require(r->cx, m, "boiling|evaporation_heat|molar_mass|liquidus",
                             "evaporation: true"));
  r->view.boiling = m->boiling;
  r->view.vapour = m->evaporation_heat * m->molar_mass / gas;
  r->view.evaporation =
      leaves * atmosphere * sqrt(m->molar_mass / (2 * M_PI * gas)) * m->evaporation_heat;
  return IG_OK;
}
