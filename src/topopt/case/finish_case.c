/* Which designs have a finished part that is analysed on meshes of its own (section `finish`,
   `ingot finish`); the others are refused by name, before the run where it is asked for there. */
#include "topopt/case/boundary_conditions.h"
#include "ingot_io.h"
#include "io/mesh/mesh_io.h"
#include "material/material.h"

#include <math.h>

static ig_status check_materials(ig_ctx *cx, const ig_topopt_case *c, const ig_mesh *mesh,
                                 const ig_list *materials) {
  const int count = materials ? materials->count : 0;
  bool dense = count > 0;
  for (int m = 0; m < count; m++)
    dense = dense && IG_ITEM(const ig_material_case, *materials, m)->density.count > 0;
  if (c->choose_material)
    return ig_fail_at(cx, &c->at,
                      "finish: choose_material is not supported: the surface does not say where "
                      "one material ends and another begins");
  if (count > 1 && mesh)
    return ig_fail_at(cx, &IG_ITEM(const ig_material_case, *materials, 1)->at,
                      "finish: several materials are supported on grids, not on meshes");
  if (dense)
    return IG_OK;
  for (int i = 0; i < c->loads.count; i++) {
    const ig_load_case *l = IG_ITEM(const ig_load_case, c->loads, i);
    if (ig_topopt_load_weighs(l))
      return ig_fail_at(cx, &l->at, "finish: gravity needs the density of the material");
  }
  if (c->finish.frequencies > 0)
    return ig_fail_at(cx, &c->finish.at, "finish: frequencies need the density of the material");
  return IG_OK;
}

/* Factors of linear buckling are those of loads. */
static ig_status check_buckling(ig_ctx *cx, const ig_topopt_case *c) {
  bool wanted = c->finish.buckling > 0;
  const ig_src *at = &c->finish.at;
  for (int i = 0; i < c->constraints.count; i++) {
    const ig_limit_case *l = IG_ITEM(ig_limit_case, c->constraints, i);
    wanted = wanted || !isnan(l->buckling);
    at = c->finish.buckling > 0 || isnan(l->buckling) ? at : &l->at;
  }
  bool led = c->temperature_change != 0;
  for (int i = 0; i < c->supports.count; i++)
    for (int d = 0; d < 3; d++)
      led = led || fabs(IG_ITEM(ig_hold_case, c->supports, i)->displacement[d]) > 0;
  return wanted && led ? ig_fail_at(cx, at,
                                    "finish: buckling is that of forces: not with supports that "
                                    "move, or a temperature_change")
                       : IG_OK;
}

/* What damage and large deflections need. */
static ig_status check_more(ig_ctx *cx, const ig_topopt_case *c, const ig_list *materials) {
  const ig_finish_case *o = &c->finish;
  if (c->temperature_change != 0 && (o->large_deflections || o->spectrum.count > 0))
    return ig_fail_at(cx, &o->at, "finish: %s: not with a temperature_change",
                      o->large_deflections ? "large_deflections" : "spectrum");
  for (int i = 0; i < o->spectrum.count; i++) {
    const ig_spectrum_case *s = IG_ITEM(ig_spectrum_case, o->spectrum, i);
    if (s->load_case > ig_topopt_load_cases(c))
      return ig_fail_at(cx, &s->at, "finish: spectrum: there is no load case %d",
                        (int)s->load_case);
  }
  const int count = materials ? materials->count : 0;
  bool endures = count > 0;
  for (int m = 0; m < count; m++) {
    const ig_fatigue_case *by = &IG_ITEM(const ig_material_case, *materials, m)->fatigue;
    endures = endures && !isnan(by->coefficient) && !isnan(by->exponent) &&
              !(isnan(by->ultimate) && isnan(by->mean_stress));
  }
  if (o->spectrum.count > 0 && !endures)
    return ig_fail_at(cx, &o->at,
                      "finish: spectrum: needs fatigue: {coefficient, exponent, ultimate or "
                      "mean_stress} of the material");
  return IG_OK;
}

/* The part of a design for large deflections is analysed for large ones, and so are its bounds. */
static ig_status check_large(ig_ctx *cx, const ig_topopt_case *c) {
  const ig_finish_case *o = &c->finish;
  const ig_src *at = o->at.given ? &o->at : &c->analysis.at;
  const char *small = o->frequencies > 0      ? "frequencies"
                      : o->buckling > 0       ? "buckling"
                      : o->spectrum.count > 0 ? "spectrum"
                                              : NULL;
  if (c->analysis.large_deflections && small)
    return ig_fail_at(cx, at,
                      "finish: %s: they are those of small deflections, and the design is one for "
                      "large ones: leave it out",
                      small);
  if (c->analysis.large_deflections && o->large_deflections)
    return ig_fail_at(cx, at,
                      "finish: large_deflections has no effect: the part is analysed for them as "
                      "its design was; leave it out");
  return IG_OK;
}

ig_status ig_topopt_finish_check(ig_ctx *cx, const ig_topopt_case *c, const ig_mesh *mesh,
                                 const ig_list *materials) {
  static const char *const problem[] = {"stiffness", "heat", "mechanism", "frequency"};
  const bool plane = mesh ? mesh->dim == 2 : c->grid.elements[2] == 0;
  if (c->problem != IG_PROBLEM_STIFFNESS)
    return ig_fail_at(cx, &c->at,
                      "finish: problem: %s is not supported: only parts under forces are "
                      "analysed again",
                      problem[c->problem]);
  IG_TRY(check_large(cx, c));
  if (plane)
    return ig_fail_at(cx, &c->grid.at, "finish: plane designs have no surface to be finished");
  if (c->springs.count)
    return ig_fail_at(cx, &IG_ITEM(const ig_spring_case, c->springs, 0)->at,
                      "finish: springs are not supported");
  if (c->masses.count)
    return ig_fail_at(cx, &IG_ITEM(const ig_mass_case, c->masses, 0)->at,
                      "finish: masses are not supported");
  if (c->loads.count == 0 && c->temperature_change == 0)
    return ig_fail_at(cx, &c->at, "finish: the case has no loads");
  if (ig_topopt_formats(&c->surface).count == 0)
    return ig_fail_at(cx, &c->surface.at,
                      "finish: needs the surface of the part: give surface.formats: [stl]");
  IG_TRY(check_materials(cx, c, mesh, materials));
  IG_TRY(check_buckling(cx, c));
  IG_TRY(check_more(cx, c, materials));
#ifdef INGOT_HAVE_IO
  if (!ig_mesh_gmsh_usable())
    return ig_fail_at(cx, c->finish.at.given ? &c->finish.at : &c->at,
                      "finish: the part is meshed by Gmsh, whose library is not installed here: "
                      "install it (Debian: libgmsh-dev), or leave 'finish' out and run 'ingot "
                      "finish FOLDER' where it is");
#endif
  return IG_OK;
}
