/* Keyholes: see keyhole.h. */
#include "material/keyhole.h"

#include <math.h>

#define K ig_keyhole_case
const ig_option ig_keyhole_options[] = {
    IG_REAL(K, absorptivity, "", NULL, IG_POSITIVE, 1,
            "of a flat melt; left out: the material's at its boiling temperature"),
    IG_REAL(K, depth_factor, "", "1", 0.01, 10,
            "depth of the heat source (1/e^2) over that of the keyhole"),
    IG_REAL(K, transition, "", "0.5", 0.01, 1,
            "keyholes that are less deep than 1 - this radii are none, from 1 + this radii on all "
            "light goes into them"),
    IG_END};
#undef K

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

double ig_keyhole_capacity(const ig_material_case *m) {
  return ig_table_at(&m->density, m->boiling) * ig_table_at(&m->specific_heat, m->boiling);
}

double ig_keyhole_moving(const ig_material_case *m, double radius, double speed) {
  return ig_keyhole_flow(0.5 * speed * radius * ig_keyhole_capacity(m) /
                         ig_table_at(&m->conductivity, m->boiling));
}

double ig_keyhole_rest_speed(const ig_material_case *m, double rest) {
  return 2 * sqrt(ig_table_at(&m->conductivity, m->boiling) / ig_keyhole_capacity(m) / rest);
}

/* The depth is found by repeated insertion from a depth of one radius on: of two solutions the
   deeper one. */
ig_keyhole ig_keyhole_of(const ig_keyhole_case *c, const ig_material_case *m, double radius,
                         double power, double moving, double T) {
  const double a = radius, boils = m->boiling, k = ig_table_at(&m->conductivity, boils),
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
  return (ig_keyhole){c->depth_factor * share * aspect * a, share, absorbed};
}
