/* What a case asks for that its cells, its steps or any machine cannot give well: said before the
   run, with numbers and what to change. */
#include "powder/powder.h"

#include <math.h>
#include <stdio.h>

/* more fine steps than a GPU takes in a day, at 1e5 a second */
#define MANY_STEPS 1e10
/* radii that a beam may move by in a pair of fine steps */
#define PAIR_WAY 0.6
/* fine steps over the time in which vapour brings a topmost cell into balance */
#define VAPOUR_STEPS 10

/* Fine steps while beams are on; of several beams of the one that is on longest. */
static double steps_about(const ig_powder_run *r) {
  double on = 0;
  for (int b = 0; b < r->beams; b++) {
    const ig_toolpath *p = &r->laser[b].path;
    double time = 0;
    for (int64_t i = 0; i + 1 < p->count && p->t[i] < r->duration; i++)
      time += p->power[i] > 0 ? fmin(p->t[i + 1], r->duration) - p->t[i] : 0;
    on = fmax(on, time);
  }
  return on / r->dt_fine;
}

/* A Gaussian beam within one or two cells is as wide as these are. */
static void spot_warn(const ig_powder_run *r) {
  const double a = r->view.narrow, h = r->cell;
  if (a < h)
    ig_warn_at(r->cx, &r->c->beam.at,
               "a beam of %g m radius in cells of %g m is as wide as the cells make it: take "
               "grid.cell of at most %.2g m",
               a, h, 0.5 * a);
}

/* Pairs of fine steps put down the heat of three plain ones: tracks become beads. */
static void pairs_warn(const ig_powder_run *r) {
  double fastest = 0;
  for (int b = 0; b < r->beams; b++) {
    const ig_toolpath *p = &r->laser[b].path;
    for (int64_t i = 0; i + 1 < p->count; i++)
      if (p->power[i] > 0 && p->t[i + 1] > p->t[i])
        fastest =
            fmax(fastest, hypot(p->x[3 * i + 3] - p->x[3 * i], p->x[3 * i + 4] - p->x[3 * i + 1]) /
                              (p->t[i + 1] - p->t[i]));
  }
  const double way = 3 * r->dt_fine * fastest;
  if (r->c->fine_stages > 1 && way > PAIR_WAY * r->view.narrow)
    ig_warn_at(r->cx, &r->c->grid.at,
               "fine_stages: 2: the beam moves by %.2g m in a pair of fine steps, %.2g of its "
               "radius: sizes of pools may be off by more than a percent; take fine_stages: 1, or "
               "grid.cell of at most %.2g m",
               way, way / r->view.narrow, r->cell * sqrt(PAIR_WAY * r->view.narrow / way));
}

static void steps_warn(const ig_powder_run *r) {
  const double steps = steps_about(r);
  if (steps > MANY_STEPS)
    ig_warn_at(r->cx, &r->c->grid.at,
               "beams are on for %.3g fine steps of %.3g s: about %.0f days at 1e5 steps a second; "
               "take larger cells, or fewer layers (hatch.layers, duration)",
               steps, r->dt_fine, steps / 1e5 / 86400);
}

/* The temperature at which vapour takes what the middle of the strongest beam brings, and the time
   in which a topmost cell gets there, s; infinite: the beam is too weak. */
static double vapour_time(const ig_powder_run *r, double *T) {
  const ig_powder_view *v = &r->view;
  const ig_powder_tables *t = r->tables;
  const double boils = v->boiling;
  double power = 0, low = r->material->liquidus, high = 3 * boils;
  for (int b = 0; b < r->beams; b++)
    for (int64_t i = 0; i < r->laser[b].path.count; i++)
      power = fmax(power, r->laser[b].path.power[i]);
  const double flux = ig_table_at(&r->material->absorptivity, boils) * power *
                      ig_profile_peak(&r->across) / ig_profile_area(&r->across);
#define VAPOUR(T) (v->evaporation / sqrt(T) * exp(v->vapour * (1 / boils - 1 / (T))))
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);
    if (VAPOUR(middle) < flux)
      low = middle;
    else
      high = middle;
  }
  const double slope = VAPOUR(low) * (v->vapour / low - 0.5) / low;
#undef VAPOUR
  *T = low;
  if (!(slope > 0))
    return INFINITY; /* vapour that takes less from what is hotter: numbers in wrong units */
  /* heat that warms the volume by a kelvin there */
  const double warms = ig_powder_table_heat(t, low + 1) - ig_powder_table_heat(t, low);
  return warms * r->cell / slope;
}

static void vapour_warn(const ig_powder_run *r) {
  double T;
  const double time = r->c->evaporation ? vapour_time(r, &T) : INFINITY;
  if (r->dt_fine > VAPOUR_STEPS * time)
    ig_warn_at(r->cx, &r->c->grid.at,
               "evaporation: a fine step of %.3g s is %.0f times the time in which vapour cools a "
               "topmost cell at %.0f K: surface temperatures and `evaporated` depend on the step; "
               "take grid.cell of at most %.2g m",
               r->dt_fine, r->dt_fine / time, T, r->cell * VAPOUR_STEPS * time / r->dt_fine);
}

void ig_powder_advise(const ig_powder_run *r) {
  spot_warn(r);
  steps_warn(r);
  pairs_warn(r);
  vapour_warn(r);
}

void ig_powder_steps_describe(const ig_powder_run *r, ig_check_line *line, void *user) {
  char text[160];
  snprintf(text, sizeof text, "about %.3g fine steps with beams on, coarse steps of at most %.4g s",
           steps_about(r), ig_powder_coarse_step(r));
  line(user, "steps", text);
  if (r->c->evaporation) {
    double T;
    const double time = vapour_time(r, &T);
    if (!isfinite(time)) {
      line(user, "vapour", "takes less from what is hotter: look at evaporation_heat, molar_mass");
      return;
    }
    snprintf(text, sizeof text, "in balance with the beam at %.0f K; in %.3g s, %.2g fine steps", T,
             time, time / r->dt_fine);
    line(user, "vapour", text);
  }
}
