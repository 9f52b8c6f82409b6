/* What a case asks for, in other words: values that follow from several keys. Each is computed
   in one place, as the options, the design, `check` and the memory estimate all need it. */
#include "topopt/topopt.h"

#include <math.h>

/* Optimality criteria need a single constraint, the volume, and an objective that falls with
   every density; everything else is for moving asymptotes. */
int ig_topopt_method(const ig_topopt_case *c) {
  if (c->optimiser.method == IG_OPTIMISER_GCMMA)
    return IG_OPTIMISER_MMA;
  if (c->optimiser.method != IG_OPTIMISER_AUTO)
    return c->optimiser.method;
  bool mma = c->projection.beta > 0 || ig_topopt_made(c) || c->constraints.count ||
             c->minimise >= IG_MINIMISE_STRESS || c->problem == IG_PROBLEM_FREQUENCY ||
             c->temperature_change != 0 || c->analysis.large_deflections; /* slopes of both signs */
  for (int i = 0; i < c->loads.count; i++) {
    const ig_load_case *l = IG_ITEM(ig_load_case, c->loads, i);
    const double *g = l->gravity; /* weight: slopes have both signs */
    mma = mma || g[0] != 0 || g[1] != 0 || g[2] != 0;
    /* the worst of several: oc goes to and fro between them */
    mma = mma || (c->combine == IG_COMBINE_WORST && l->load_case > 1);
  }
  return mma ? IG_OPTIMISER_MMA : IG_OPTIMISER_OC;
}

bool ig_topopt_has_port(const ig_topopt_case *c) {
  return c->problem == IG_PROBLEM_MECHANISM || c->minimise == IG_MINIMISE_DISPLACEMENT;
}

ig_texts ig_topopt_formats(const ig_surface_case *c) {
  static const char *stl[] = {"stl"};
  return c->formats.value ? c->formats : (ig_texts){1, stl};
}

/* By default where a bound has to hold for the part. Without penalisation (penalty 1) densities
   are a material of their own and there is no part to speak of. */
bool ig_topopt_analysed(const ig_topopt_case *c) {
  bool bound = c->minimise == IG_MINIMISE_STRESS;
  for (int i = 0; i < c->constraints.count; i++) {
    const ig_limit_case *l = IG_ITEM(ig_limit_case, c->constraints, i);
    bound = bound || !isnan(l->stress) || !isnan(l->compliance) || !isnan(l->displacement);
  }
  const bool fits = !c->choose_material && !c->analysis.large_deflections && c->penalty > 1;
  return c->surface.analyse < 0 ? bound && fits : c->surface.analyse;
}

double ig_topopt_copies(const ig_topopt_case *c) {
  return c->surface.mirror ? pow(2, c->symmetry.count) : 1;
}

/* Three sources in this order: `thickness`, the third of `size`, 1 m. */
double ig_topopt_thickness(const ig_topopt_case *c) {
  if (!isnan(c->grid.thickness))
    return c->grid.thickness;
  return c->grid.size[2] > 0 ? c->grid.size[2] : 1; /* NaN: not given */
}

/* Heat flows through void a thousandth as well as through solid: with less, the temperature of
   void would rise without bound where a source is everywhere. */
double ig_topopt_void_ratio(const ig_topopt_case *c) {
  const double usual = c->problem == IG_PROBLEM_HEAT ? 1e-3 : 1e-9;
  return isnan(c->void_ratio) ? usual : c->void_ratio;
}

double ig_topopt_member(const ig_topopt_case *c) {
  double size = 0;
  for (int i = 0; i < c->constraints.count; i++)
    size = fmax(size, IG_ITEM(ig_limit_case, c->constraints, i)->member); /* NaN: not given */
  return size;
}

bool ig_topopt_made(const ig_topopt_case *c) {
  return c->overhang.at.given || ig_topopt_swept(c);
}

bool ig_topopt_swept(const ig_topopt_case *c) {
  return c->draw_direction.at.given || c->milling.at.given;
}

/* Minimised volumes are bounded by the body itself. */
double ig_topopt_volume(const ig_topopt_case *c) {
  return c->minimise == IG_MINIMISE_VOLUME ? 1 : c->volume;
}
