/* What boils: the keyhole that vapour presses into the melt under a beam, and the heat that vapour
   takes from the surface.

   A keyhole is far narrower than a pool is wide and costs a flow simulation to resolve. Its two
   effects on heat are how much light it absorbs, by reflections between its walls, and how deep it
   brings it. Both follow from its depth e over its radius a, that of the beam:

     depth         the walls boil, and the heat they lose sideways is the light they absorb: a
                   cylinder at temperature T_b that moves through ground at T_0 loses
                   k (T_b - T_0) g(Pe) per depth, Pe = v a / (2 D)  (Rosenthal 1946; Lankalapalli,
                   Tu and Gartner 1996), so e = A P / (k (T_b - T_0) g)
     absorptivity  A = A(e / a) of a conical cavity (Gouffe 1945), from that of a flat melt

   The two are solved together for each power and speed of a path, over the temperature T_0 of the
   ground, which kernels read ahead of the beam (powder_ground); nothing is fitted. A beam that is
   slow or stands loses at least what half a spheroid at rest does. One that has stood for a time t
   has not come that far: a cylinder at rest loses 4 pi k (T_b - T_0) / (ln(4 D t / a^2) - 2 gamma)
   then, which is what a slow one loses at the speed 2 sqrt(D / t), so it counts with that speed.
   Where e is less than about a there is no keyhole, and light stays at the surface. k and D are
   those of the melt at the boiling temperature.

   Left out: the time a keyhole takes to form, its fluctuations, flow in the pool. */
#include "powder/powder.h"

#include <math.h>
#include <stdlib.h>

/* Modified Bessel function I_n, by its power series: arguments are at most 10 here. */
static double bessel_i(int n, double x) {
  double term = 1;
  for (int i = 1; i <= n; i++)
    term *= 0.5 * x / i;
  double sum = term;
  for (int m = 1; m < 200 && term > 1e-17 * sum; m++)
    sum += term *= 0.25 * x * x / ((double)m * (n + m));
  return sum;
}
/* K_n, n 0 or 1: the integral of exp(-x cosh t) cosh(n t), by the trapezoidal rule, which is exact
   to rounding for it. */
static double bessel_k(int n, double x) {
  const double dt = 1.0 / 64;
  double sum = 0.5 * exp(-x);
  for (int i = 1; i < 64 * 12; i++) {
    const double t = i * dt, y = exp(-x * cosh(t)) * cosh(n * t);
    sum += y;
    if (y < 1e-18 * sum)
      break;
  }
  return sum * dt;
}

/* g = -2 pi Pe sum over n of e_n (-1)^n I_n(Pe)^2 K_n'(Pe) / K_n(Pe), e_0 = 1, else 2. Terms cancel
   as Pe grows: beyond 10 the function, almost straight, goes on with its slope. */
double ig_keyhole_flow(double peclet) {
  const double most = 10, slope = 4.4;
  if (peclet > most)
    return ig_keyhole_flow(most) + slope * (peclet - most);
  const double x = fmax(peclet, 1e-3);
  double before = bessel_k(1, x), here = bessel_k(0, x), sum = 0; /* K_(n-1), K_n; K_-1 = K_1 */
  for (int n = 0; n < 80; n++) {
    const double after = before + 2.0 * n / x * here; /* K_(n+1) */
    const double i = bessel_i(n, x), term = (n ? 2 : 1) * i * i * 0.5 * (before + after) / here;
    sum += n % 2 ? -term : term;
    if (n > x && term < 1e-15 * fabs(sum))
      break;
    before = here, here = after;
  }
  return 2 * M_PI * x * sum;
}

/* The same of half a spheroid at rest in half a space, over its depth: what a keyhole loses at
   least. A cylinder that hardly moves would lose ever less, and a beam that stands drill without
   end. */
static double flow_at_rest(double aspect) {
  const double x = fmax(aspect, 1e-3);
  if (fabs(x - 1) < 1e-6)
    return 2 * M_PI;
  return 2 * M_PI / x * (x > 1 ? sqrt(x * x - 1) / acosh(x) : sqrt(1 - x * x) / acos(x));
}

double ig_keyhole_absorbed(double flat, double aspect) {
  const double angle = atan2(1, aspect), reflects = 1 - flat;
  const double open = (3 * sin(angle) - sin(3 * angle)) / 4, walls = 1 / (1 + hypot(1, aspect));
  return flat * (1 + reflects * (walls - open)) / (1 - reflects * (1 - walls));
}

/* From 0 at -1 to 1 at 1, without a kink. */
static double smooth(double x) {
  x = fmin(fmax(0.5 * (x + 1), 0), 1);
  return x * x * (3 - 2 * x);
}

/* Heat that warms a volume of melt at the boiling temperature by a kelvin, J/(m^3 K). */
static double heat_of_melt(const ig_material_case *m) {
  return ig_table_at(&m->density, m->boiling) * ig_table_at(&m->specific_heat, m->boiling);
}

/* Keyholes of a power and a speed. The depth is found by repeated insertion from a depth of one
   radius on: of two solutions the deeper one. */
static ig_powder_hole hole_of(const ig_powder_run *r, double power, double moving, double T) {
  const ig_powder_keyhole *c = &r->c->beam.keyhole;
  const ig_material_case *m = r->material;
  const double a = r->c->beam.radius, boils = m->boiling, k = ig_table_at(&m->conductivity, boils),
               flat =
                   isnan(c->absorptivity) ? ig_table_at(&m->absorptivity, boils) : c->absorptivity;
  /* ground that boils itself has no keyhole: a pool over it is all there is */
  const double per = k * fmax(boils - T, 0.01 * boils);
  double aspect = 1, absorbed = flat;
  for (int i = 0; i < 1000; i++) {
    absorbed = ig_keyhole_absorbed(flat, aspect);
    const double next = absorbed * power / (per * fmax(moving, flow_at_rest(aspect)) * a);
    const bool done = fabs(next - aspect) <= 1e-12 * aspect;
    aspect = next;
    if (done)
      break;
  }
  const double share = smooth((aspect - 1) / c->transition);
  return (ig_powder_hole){c->depth_factor * share * aspect * a, share, absorbed};
}

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
  const double D = ig_table_at(&m->conductivity, m->boiling) / heat_of_melt(m);
  int *number = r->array.way[IG_POWDER_WAY * beam + IG_WAY_KIND].host, now = 0;
  double until = -INFINITY, speed = 0; /* the beam stands until then */
  for (int64_t i = 0; i < p->count; i++) {
    const double takes = i + 1 < p->count ? p->t[i + 1] - p->t[i] : 0, *x = &p->x[3 * i];
    if (takes > 0 && p->power[i] > 0) {
      if (p->t[i] >= until) {
        const double rest = stands(r, p, i);
        speed = rest > 0 ? 2 * sqrt(D / rest) : hypot(x[3] - x[0], x[4] - x[1]) / takes;
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
  const double a = r->c->beam.radius, k = ig_table_at(&m->conductivity, m->boiling);
  ig_powder_holes *h = &r->view.holes;
  h->T = r->c->initial_temperature;
  h->step = fmax(0.95 * m->boiling - h->T, 1) / (IG_HOLE_ROWS - 1);
  IG_TRY(ig_array_new(r->cx, &r->array.holes, IG_HOLE_ROWS * (size_t)(all->count ? all->count : 1),
                      sizeof(ig_powder_hole), "keyholes"));
  ig_powder_hole *row = r->array.holes.host;
  for (int n = 0; n < all->count; n++) {
    const double moving = ig_keyhole_flow(0.5 * all->of[n].speed * a * heat_of_melt(m) / k);
    for (int i = 0; i < IG_HOLE_ROWS; i++)
      *row++ = hole_of(r, all->of[n].power, moving, h->T + i * h->step);
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
