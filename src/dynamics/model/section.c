/* Materials and sections of a case as the numbers kernels see: moduli from E and nu, laws by
   number, areas and second moments of profiles, fibres of plastic beams. Values over temperature
   are taken at 293.15 K: the room has no temperature field. */
#include "dynamics/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A table of the case at x, constant beyond its ends; NaN: it has no rows. */
static double table_at(const ig_table *t, double x) {
  if (t->count == 0)
    return NAN;
  if (t->count == 1 || x <= t->x[0])
    return t->y[0];
  for (int i = 1; i < t->count; i++)
    if (x <= t->x[i])
      return t->y[i - 1] + (t->y[i] - t->y[i - 1]) * (x - t->x[i - 1]) / (t->x[i] - t->x[i - 1]);
  return t->y[t->count - 1];
}

/* The law that a material has: as the case says, else by what it gives. */
static int law_of(const ig_material_case *c) {
  if (c->law != IG_MATERIAL_AUTO)
    return c->law;
  if (c->johnson_cook.at.given)
    return IG_MATERIAL_JOHNSON_COOK;
  return !isnan(c->yield) || c->hardening_curve.count > 0 ? IG_MATERIAL_PLASTIC
                                                          : IG_MATERIAL_ELASTIC;
}

/* One way to harden, and only what yields does: contradictions would leave a key without effect. */
static ig_status hardening_check(ig_ctx *cx, const ig_material_case *c) {
  const bool tangent = !isnan(c->tangent), hardening = !isnan(c->hardening);
  if (tangent && hardening)
    return ig_fail_at(cx, &c->at, "material '%s' has `tangent` and `hardening`: take one", c->name);
  if (c->hardening_curve.count > 0 && law_of(c) == IG_MATERIAL_PLASTIC &&
      (tangent || hardening || !isnan(c->yield) || c->kinematic > 0))
    return ig_fail_at(cx, &c->at,
                      "`hardening_curve` stands instead of `yield`, `tangent`, `hardening` and "
                      "`kinematic`: take it or those");
  if (c->law == IG_MATERIAL_AUTO && law_of(c) == IG_MATERIAL_ELASTIC &&
      (tangent || hardening || c->kinematic > 0))
    return ig_fail_at(cx, &c->at, "material '%s' hardens but has no `yield`", c->name);
  return IG_OK;
}

/* Poisson's ratio is 0.3 where none is given. Fails with the place of the material if a value is
   missing or two exclude each other. */
ig_status ig_dyn_material_read(ig_ctx *cx, const ig_material_case *c, mech_f64 *m, int *law) {
  memset(m, 0, sizeof *m);
  m->density = table_at(&c->density, 293.15);
  m->young = c->young;
  m->poisson = isnan(c->poisson) ? 0.3 : c->poisson;
  IG_TRY(ig_material_require(cx, c, "density|young", "dynamics"));
  m->shear = m->young / (2 * (1 + m->poisson));
  m->bulk = m->young / (3 * (1 - 2 * m->poisson));
  IG_TRY(hardening_check(cx, c));
  const int kind = law_of(c);
  if (kind == IG_MATERIAL_ELASTIC) {
    *law = IG_LAW_ELASTIC;
    return IG_OK;
  }
  if (kind == IG_MATERIAL_NEO_HOOKEAN) {
    *law = IG_LAW_NEOHOOKE;
    return IG_OK;
  }
  if (c->hardening_curve.count > 0 && kind == IG_MATERIAL_PLASTIC) {
    const ig_table *t = &c->hardening_curve;
    if (t->count > IG_HARDENING_ROWS)
      return ig_fail_at(cx, &c->at, "`hardening_curve` has %d rows, at most %d are kept", t->count,
                        IG_HARDENING_ROWS);
    m->rows = t->count;
    for (int i = 0; i < t->count; i++) {
      m->strain[i] = t->x[i];
      m->stress[i] = t->y[i];
    }
    m->yield = m->stress[0];
    *law = IG_LAW_TABLE;
    return IG_OK;
  }
  IG_TRY(ig_material_require(cx, c, "yield", "dynamics"));
  m->yield = c->yield;
  m->hardening = isnan(c->hardening) ? 0 : c->hardening;
  /* H = E Et / (E - Et): slope of stress over plastic strain from the slope over strain */
  if (!isnan(c->tangent)) {
    if (c->tangent >= m->young)
      return ig_fail_at(cx, &c->at, "`tangent` must be below Young's modulus");
    m->hardening = m->young * c->tangent / (m->young - c->tangent);
  }
  m->kinematic = isnan(c->kinematic) ? 0 : c->kinematic;
  *law = m->kinematic > 0 ? IG_LAW_KINEMATIC : IG_LAW_J2;
  if (kind == IG_MATERIAL_JOHNSON_COOK) {
    const ig_johnson_case *j = &c->johnson_cook;
    if (!j->at.given)
      return ig_fail_at(cx, &c->at, "material '%s' needs `johnson_cook`", c->name);
    const double heat = table_at(&c->specific_heat, 293.15);
    *law = IG_LAW_JOHNSON;
    m->jc_b = j->b;
    m->jc_n = j->n;
    m->jc_c = j->c;
    m->jc_rate0 = j->rate0;
    m->jc_m = j->m;
    m->jc_range = j->melt - j->room;
    /* temperature rise per plastic work: share of it that becomes heat over rho c */
    m->jc_heat = isnan(heat) ? 0 : j->heat_share / (m->density * heat);
    for (int i = 0; i < 5; i++)
      m->jc_d[i] = isnan(j->failure[i]) ? 0 : j->failure[i];
    if (m->jc_range <= 0)
      return ig_fail_at(cx, &j->at, "`melt` must be above `room`");
  }
  return IG_OK;
}

/* Sizes that another shape of section has, and keys that a bar or cable does not use: they would
   have no effect and are refused. */
static ig_status sizes_check(ig_ctx *cx, const ig_dyn_section *s) {
  const bool profile = isnan(s->area), round = profile && s->profile <= IG_SECTION_TUBE,
             flat = profile && !round;
  const struct {
    const char *key;
    double value;
    bool counts;
  } size[] = {{"radius", s->radius, round},
              {"wall", s->wall, profile && s->profile == IG_SECTION_TUBE},
              {"width", s->width, flat},
              {"height", s->height, flat},
              {"flange", s->flange, profile && s->profile == IG_SECTION_I},
              {"web", s->web, profile && s->profile == IG_SECTION_I},
              {"iy", s->iy, !profile},
              {"iz", s->iz, !profile},
              {"torsion", s->torsion, !profile}};
  static const char *const shape[] = {"profile: circle", "profile: tube", "profile: rectangle",
                                      "profile: i"};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++)
    if (!size[i].counts && !isnan(size[i].value))
      return ig_fail_at(cx, &s->at, "`%s` is no size of a section with `%s`", size[i].key,
                        profile ? shape[s->profile] : "area");
  if (!profile && s->profile != IG_SECTION_CIRCLE)
    return ig_fail_at(cx, &s->at, "a section has a `profile` or an `area`, not both");
  if (s->line != IG_LINE_BEAM && (!isnan(s->iy) || !isnan(s->iz) || !isnan(s->torsion)))
    return ig_fail_at(cx, &s->at,
                      "bars and cables do not bend: `iy`, `iz` and `torsion` are for "
                      "line: beam");
  if (s->line != IG_LINE_BEAM && !isnan(s->up[0]))
    return ig_fail_at(cx, &s->at, "`up` is for line: beam: bars and cables have no height");
  if (!profile && s->line == IG_LINE_BEAM && isnan(s->iy))
    return ig_fail_at(cx, &s->at, "a beam given by its `area` needs `iy`, to bend");
  return IG_OK;
}

/* Area, second moments and torsion constant of a line's section. y is along the width, z along
   the height; iy resists bending that moves along z. */
ig_status ig_dyn_section_line(ig_ctx *cx, const ig_dyn_section *s, dyn_group_f64 *g) {
  const double pi = 3.14159265358979323846, r = s->radius, b = s->width, h = s->height;
  IG_TRY(sizes_check(cx, s));
  if (!isnan(s->area)) {
    g->area = s->area;
    g->iy = isnan(s->iy) ? 0 : s->iy;
    g->iz = isnan(s->iz) ? g->iy : s->iz;
    g->torsion = isnan(s->torsion) ? g->iy + g->iz : s->torsion;
    return IG_OK;
  }
  switch (s->profile) {
  case IG_SECTION_CIRCLE:
    g->area = pi * r * r;
    g->iy = g->iz = pi * r * r * r * r / 4;
    g->torsion = 2 * g->iy;
    break;
  case IG_SECTION_TUBE: {
    const double i = r - s->wall;
    if (!(i >= 0))
      return ig_fail_at(cx, &s->at, "`wall` must be at most `radius`");
    g->area = pi * (r * r - i * i);
    g->iy = g->iz = pi * (r * r * r * r - i * i * i * i) / 4;
    g->torsion = 2 * g->iy;
    break;
  }
  case IG_SECTION_RECTANGLE: {
    const double a = b > h ? b : h, t = b > h ? h : b;
    g->area = b * h;
    g->iy = b * h * h * h / 12; /* bending that moves along the height */
    g->iz = h * b * b * b / 12;
    /* torsion constant of a rectangle, a usual approximation: 0.1408 for a square (exact:
       0.1406), 1/3 for a thin strip */
    g->torsion = a * t * t * t * (1.0 / 3 - 0.21 * t / a * (1 - pow(t / a, 4) / 12));
    break;
  }
  default: {
    const double f = s->flange, w = s->web, clear = h - 2 * f;
    if (!(clear >= 0) || !(w <= b))
      return ig_fail_at(cx, &s->at, "`flange` and `web` do not fit `height` and `width`");
    g->area = 2 * b * f + clear * w;
    g->iy = (b * h * h * h - (b - w) * clear * clear * clear) / 12;
    g->iz = (2 * f * b * b * b + clear * w * w * w) / 12;
    /* thin-walled open section: sum of b t^3 / 3 */
    g->torsion = (2 * b * f * f * f + clear * w * w * w) / 3;
  }
  }
  if (!(g->area > 0))
    return ig_fail_at(cx, &s->at,
                      "the section needs its sizes: radius, or width and height, or area");
  return IG_OK;
}

/* Sixteen fibres for any profile, so that all beams have the same state layout. */
ig_status ig_dyn_section_fibres(ig_ctx *cx, const ig_dyn_section *s, dyn_group_f64 *g) {
  /* two Gauss points in each half: second moment and plastic moment are both exact */
  static const double gauss[4] = {-0.788675134594813, -0.211324865405187, 0.211324865405187,
                                  0.788675134594813};
  const double pi = 3.14159265358979323846, r = s->radius, b = s->width, h = s->height;
  if (!isnan(s->area))
    return ig_fail_at(cx, &s->at, "a plastic beam needs a `profile` and its sizes, not `area`");
  for (int i = 0; i < IG_DYN_FIBRES; i++) {
    double *f = g->fibre[i];
    /* areas inside both rings are equal: radii are the roots of 1/4 and 3/4 of r^2 */
    if (s->profile == IG_SECTION_CIRCLE) { /* two rings of eight, of equal area */
      const double at = i < 8 ? 0.5 * r : sqrt(0.75) * r, angle = pi / 4 * (i % 8 + 0.5 * (i / 8));
      f[0] = at * cos(angle), f[1] = at * sin(angle), f[2] = g->area / 16;
    } else if (s->profile == IG_SECTION_TUBE) {
      const double at = r - 0.5 * s->wall, angle = pi / 8 * i;
      f[0] = at * cos(angle), f[1] = at * sin(angle), f[2] = g->area / 16;
    } else if (s->profile == IG_SECTION_RECTANGLE) {
      f[0] = 0.5 * b * gauss[i % 4], f[1] = 0.5 * h * gauss[i / 4];
      f[2] = g->area / 16;
    } else if (i < 8) { /* four a flange */
      f[0] = 0.5 * b * gauss[i % 4], f[1] = (i < 4 ? -0.5 : 0.5) * (h - s->flange);
      f[2] = b * s->flange / 4;
    } else { /* four up the web, two across it */
      const double clear = h - 2 * s->flange;
      f[0] = (i < 12 ? -0.25 : 0.25) * s->web, f[1] = 0.5 * clear * gauss[i % 4];
      f[2] = clear * s->web / 8;
    }
  }
  /* scaled so that second moments are exactly those of the elastic section: below yield both
     elements agree */
  double iy = 0, iz = 0;
  for (int i = 0; i < IG_DYN_FIBRES; i++) {
    iz += g->fibre[i][2] * g->fibre[i][0] * g->fibre[i][0];
    iy += g->fibre[i][2] * g->fibre[i][1] * g->fibre[i][1];
  }
  for (int i = 0; i < IG_DYN_FIBRES; i++) {
    g->fibre[i][0] *= sqrt(g->iz / iz);
    g->fibre[i][1] *= sqrt(g->iy / iy);
  }
  return IG_OK;
}

/* What a section is where the case gives none; must agree with the defaults in options.c. */
const ig_dyn_section ig_dyn_section_default = {.integration = IG_INTEGRATE_AUTO,
                                               .hourglass = 0.1,
                                               .thickness = NAN,
                                               .planes = 4,
                                               .local_x = {1, 0, 0},
                                               .radius = NAN,
                                               .wall = NAN,
                                               .width = NAN,
                                               .height = NAN,
                                               .flange = NAN,
                                               .web = NAN,
                                               .area = NAN,
                                               .iy = NAN,
                                               .iz = NAN,
                                               .torsion = NAN,
                                               .up = {NAN, NAN, NAN}};
