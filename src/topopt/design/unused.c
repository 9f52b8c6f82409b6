/* Keys that are given and have no effect in a case: refused, with the place of their entry. A key
   whose value is its default counts as left out. Keys that only their own feature knows (padded on
   a mesh, petsc on a grid, sequence on a mesh, …) are refused where that feature is made. */
#include "topopt/surface/outline.h"
#include "topopt/topopt.h"
#include "topopt/design/buckling.h"
#include "topopt/design/distortion.h"
#include "topopt/design/modes.h"
#include "topopt/design/overheat.h"
#include "topopt/design/stress.h"
#include "solver/mesh/ebe.h"

#include <math.h>
#include <string.h>

/* One rule: whether the key is given where it has no effect. */
typedef struct {
  bool given;
  const char *key, *why;
} rule;

/* What the rules look at. */
typedef struct {
  ig_ctx *cx;
  const ig_topopt_case *c;
  const ig_node *tree; /* the case as written, or NULL */
  bool heat, grid, plane;
  bool weighs;   /* a load is the weight of the design */
  bool swings;   /* natural frequencies are computed */
  bool unloaded; /* there is no load case */
} asked;

/* Where "source" or "surface: formats" stands; `entry`: where its section or entry begins. */
static ig_src place_of(const asked *a, const char *key, const ig_src *entry) {
  char section[40];
  const size_t length = strcspn(key, ":");
  const char *own = key[length] ? key + length + 2 : NULL;
  if (!a->tree || length >= sizeof section)
    return *entry;
  memcpy(section, key, length);
  section[length] = '\0';
  const ig_node *node = ig_node_find(a->tree, section);
  if (!node)
    return *entry;
  if (!own)
    return node->kind == IG_NODE_LIST ? *entry : ig_key_at(a->tree, section, *entry);
  return node->kind == IG_NODE_MAP ? ig_key_at(node, own, *entry) : *entry;
}

/* The first rule that applies is reported: like all bad input, one error at a time. */
static ig_status refuse(const asked *a, const ig_src *at, const rule *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (list[i].given) {
      const ig_src place = place_of(a, list[i].key, at);
      return ig_fail_at(a->cx, &place, "%s: has no effect here: %s", list[i].key, list[i].why);
    }
  return IG_OK;
}
#define REFUSE(a, at, list) refuse(a, at, list, sizeof(list) / sizeof *(list))

/* NaN is a value that was not given. */
static bool any(const double *v, int n) {
  bool found = false;
  for (int i = 0; i < n; i++)
    found = found || (!isnan(v[i]) && v[i] != 0);
  return found;
}

static ig_status check_grid(const asked *a) {
  const ig_grid_case *g = &a->c->grid;
  const rule list[] = {
      {!g->stl && !isnan(g->unit), "grid: unit", "it is the unit of 'stl', which is not given"},
      {!g->stl && any(g->translate, 3), "grid: translate", "it moves 'stl', which is not given"},
      {a->plane && g->size[2] > 0 && !isnan(g->thickness) && g->size[2] != g->thickness,
       "grid: size along z", "the thickness is given: leave one of the two out"}};
  return REFUSE(a, &g->at, list);
}

/* Axes of a temperature, motions of free components, z of a plane problem. */
static ig_status check_supports(const asked *a) {
  for (int i = 0; i < a->c->supports.count; i++) {
    const ig_hold_case *hold = IG_ITEM(ig_hold_case, a->c->supports, i);
    bool free_moved = false;
    for (int d = 0; d < 3 && strcmp(hold->fix, "all") != 0; d++)
      free_moved = free_moved || (any(&hold->displacement[d], 1) && !strchr(hold->fix, 'x' + d));
    const rule list[] = {
        {a->heat && strcmp(hold->fix, "all") != 0, "supports: fix", "a temperature has no axes"},
        {!a->heat && free_moved, "supports: displacement",
         "it moves along an axis that 'fix' leaves free"},
        {a->unloaded && any(hold->displacement, 3), "supports: displacement",
         "there is no load case, and natural frequencies do not depend on it"},
        {a->plane && any(&hold->displacement[2], 1), "supports: displacement along z",
         "the problem is plane"}};
    IG_TRY(REFUSE(a, &hold->at, list));
  }
  return IG_OK;
}

/* A load entry must act in some way; `spread` only says how forces and heat are shared. */
static ig_status check_loads(const asked *a) {
  for (int i = 0; i < a->c->loads.count; i++) {
    const ig_load_case *load = IG_ITEM(ig_load_case, a->c->loads, i);
    const bool spreads = any(load->force, 3) || load->heat != 0;
    const bool acts =
        spreads || any(load->moment, 3) || load->pressure != 0 || any(load->gravity, 3);
    const rule list[] = {
        {a->heat && any(load->force, 3), "loads: force", "a heat problem has 'heat' instead"},
        {!a->heat && load->heat != 0, "loads: heat", "it is for problem: heat"},
        {a->plane && any(&load->force[2], 1), "loads: force along z", "the problem is plane"},
        {acts && !spreads && load->spread != IG_SPREAD_NODES, "loads: spread",
         "it is for 'force' and 'heat'"}};
    IG_TRY(REFUSE(a, &load->at, list));
    if (!acts)
      return ig_fail_at(a->cx, &load->at, "loads: nothing acts: give %s in it",
                        a->heat ? "'heat'" : "'force', 'moment', 'pressure' or 'gravity'");
  }
  return IG_OK;
}

/* Each belongs to certain problems only: mechanisms, weight, vibrations. */
static ig_status check_springs_ports_masses(const asked *a) {
  const ig_topopt_case *c = a->c;
  for (int i = 0; i < c->springs.count; i++) {
    const ig_spring_case *k = IG_ITEM(ig_spring_case, c->springs, i);
    const rule list[] = {{a->plane && any(&k->stiffness[2], 1), "springs: stiffness along z",
                          "the problem is plane"}};
    IG_TRY(REFUSE(a, &k->at, list));
  }
  for (int i = 0; i < c->ports.count; i++) {
    const ig_port_case *port = IG_ITEM(ig_port_case, c->ports, i);
    const rule list[] = {
        {!ig_topopt_has_port(c) && c->minimise != IG_MINIMISE_TEMPERATURE, "ports",
         "they are for problem: mechanism, minimise: displacement and minimise: temperature"},
        {a->heat && any(port->direction, 3), "ports: direction", "a temperature has none"},
        {a->plane && any(&port->direction[2], 1), "ports: direction along z",
         "the problem is plane"}};
    IG_TRY(REFUSE(a, &port->at, list));
  }
  for (int i = 0; i < c->masses.count && !a->heat; i++) {
    const rule list[] = {{!a->weighs && !a->swings, "masses",
                          "nothing weighs and nothing swings: they are for 'gravity' in 'loads', "
                          "problem: frequency and a bound on a frequency"}};
    IG_TRY(REFUSE(a, &IG_ITEM(ig_mass_case, c->masses, i)->at, list));
  }
  return IG_OK;
}

/* Keys of an entry that the bounded quantity does not look at. */
static ig_status check_constraints(const asked *a) {
  for (int i = 0; i < a->c->constraints.count; i++) {
    const ig_limit_case *l = IG_ITEM(ig_limit_case, a->c->constraints, i);
    const bool loaded = !isnan(l->compliance) || !isnan(l->displacement) || !isnan(l->stress) ||
                        !isnan(l->temperature) || !isnan(l->buckling);
    const bool global = !isnan(l->compliance) || !isnan(l->frequency) || !isnan(l->buckling);
    const rule list[] = {
        {any(l->direction, 3) && isnan(l->displacement), "constraints: direction",
         "it is for a displacement"},
        {a->plane && any(&l->direction[2], 1), "constraints: direction along z",
         "the problem is plane"},
        {l->load_case > 0 && !loaded, "constraints: load_case", "this bound is on no load case"},
        {global && (l->set || l->place.at.given), "constraints: set or place",
         "a compliance, a frequency and buckling are the whole body's"}};
    IG_TRY(REFUSE(a, &l->at, list));
  }
  return IG_OK;
}

/* 0.1 is the default of mass_threshold in case/options.c; defaults below likewise. */
static ig_status check_top(const asked *a) {
  const ig_topopt_case *c = a->c;
  int64_t cases = 1;
  for (int i = 0; i < c->loads.count; i++) {
    const ig_load_case *load = IG_ITEM(ig_load_case, c->loads, i);
    cases = load->load_case > cases ? load->load_case : cases;
  }
  const bool response = c->minimise == IG_MINIMISE_DISPLACEMENT ||
                        (c->minimise == IG_MINIMISE_RESPONSE && c->problem != IG_PROBLEM_FREQUENCY);
  const bool weighted =
      response || (c->minimise >= IG_MINIMISE_STRESS && c->minimise < IG_MINIMISE_DISTORTION);
  const rule list[] = {
      {!a->heat && c->source != 0, "source", "it is heat, for problem: heat"},
      {c->plane != IG_PLANE_STRESS && (!a->plane || a->heat), "plane",
       "it is for elastic plane problems"},
      {c->combine == IG_COMBINE_WORST && cases == 1, "combine", "there is one load case"},
      {c->combine == IG_COMBINE_WORST && !response, "combine",
       "the objective is no sum over load cases"},
      {c->weights.count > 0 && !weighted, "weights", "the objective is no sum over load cases"},
      {c->mass_threshold != 0.1 && !a->weighs && !a->swings && !ig_topopt_buckling_asked(c),
       "mass_threshold", "nothing weighs, swings or buckles"}};
  return REFUSE(a, &c->at, list);
}

/* Sections `stress`, `frequency`, `buckling`, `filter` and `projection` without what they are for.
 */
static ig_status check_sections(const asked *a) {
  const ig_topopt_case *c = a->c;
  bool bound = false;
  for (int i = 0; i < c->constraints.count; i++)
    bound = bound || !isnan(IG_ITEM(ig_limit_case, c->constraints, i)->stress);
  const rule stress[] = {
      {c->stress.at.given && !ig_topopt_stress_asked(c) && !ig_topopt_analysed(c) &&
           !(c->finish.at.given && c->stress.exclude.count > 0), /* whose stresses leave it out */
       "stress",
       "no stress is bounded or minimised: give one in 'constraints', or minimise: stress"},
      {c->stress.clusters > 1 && !bound, "stress: clusters", "no stress is bounded"}};
  IG_TRY(REFUSE(a, &c->stress.at, stress));
  const rule frequency[] = {
      {c->frequency.at.given && !a->swings, "frequency",
       "no natural frequency is bounded or made large: give one in 'constraints', or problem: "
       "frequency"}};
  IG_TRY(REFUSE(a, &c->frequency.at, frequency));
  const rule buckling[] = {{c->buckling.at.given && !ig_topopt_buckling_asked(c), "buckling",
                            "no load factor is bounded or made large: give one in 'constraints', "
                            "or minimise: buckling"}};
  IG_TRY(REFUSE(a, &c->buckling.at, buckling));
  const ig_printing_case *made = &c->printing;
  const rule printing[] = {
      {!isnan(made->strain[0]) && !ig_topopt_distortion_asked(c), "printing: strain",
       "no distortion is bounded or made small: give one in 'constraints', or minimise: "
       "distortion"},
      {made->layers > 0 && !ig_topopt_distortion_asked(c), "printing: layers",
       "it is for a distortion; supports and overheating are looked at in every layer of elements"},
      {!isnan(made->slab) && !ig_topopt_overheat_asked(c), "printing: slab",
       "no overheating is bounded or made small: give one in 'constraints', or minimise: "
       "overheating"},
      {(made->set || made->place.at.given) && c->minimise < IG_MINIMISE_DISTORTION,
       "printing: set or place",
       "it is for minimise: distortion, support_volume or overheating; bounds have a place of "
       "their own"}};
  IG_TRY(REFUSE(a, &made->at, printing));
  const ig_analysis_case *how = &c->analysis;
  const char *small = "deflections are small: give large_deflections: true";
  const rule analysis[] = {
      {!how->large_deflections && how->law != 0, "analysis: law", small},
      {!how->large_deflections && how->load_steps != 1, "analysis: load_steps", small}};
  IG_TRY(REFUSE(a, &how->at, analysis));
  const rule filter[] = {{c->filter.kind == IG_FILTER_NONE && !isnan(c->filter.radius),
                          "filter: radius", "kind: none filters nothing"},
                         {c->filter.kind == IG_FILTER_NONE && c->filter.padded, "filter: padded",
                          "kind: none filters nothing"}};
  IG_TRY(REFUSE(a, &c->filter.at, filter));
  const ig_projection_case *p = &c->projection;
  const bool step = p->eta != 0.5 || p->robust != 0 || p->beta_max != 64 || p->every != 40;
  const rule projection[] = {{step && !(p->beta > 0), "projection",
                              "there is no step without a sharpness: give beta, 1 for example"}};
  return REFUSE(a, &p->at, projection);
}

/* Keys of optimality criteria in a case that moving asymptotes solve. */
static ig_status check_optimiser(const asked *a) {
  const ig_optimiser_case *o = &a->c->optimiser;
  const bool mma = ig_topopt_method(a->c) == IG_OPTIMISER_MMA;
  const char *why = "the update is by moving asymptotes; this is for method: oc";
  const rule list[] = {{mma && o->move_limit_kind != 0, "optimiser: move_limit_kind", why},
                       {mma && o->damping != 0.5, "optimiser: damping", why},
                       {mma && o->gray_exponent != 1, "optimiser: gray_exponent", why},
                       {mma && o->gray_ramp.at.given, "optimiser: gray_ramp", why},
                       {mma && o->tolerance != 1e-9, "optimiser: tolerance", why},
                       {mma && o->tolerance_kind != 0, "optimiser: tolerance_kind", why},
                       {mma && o->multiplier_max != 1e9, "optimiser: multiplier_max", why},
                       {mma && !isnan(o->x_min), "optimiser: x_min", why}};
  return REFUSE(a, &o->at, list);
}

/* A key may be without effect for two reasons: it is for the other kind of body, or multigrid is
   not used at all. The first rule that applies gives the reason. */
static ig_status check_solver(const asked *a) {
  const ig_solver_case *s = &a->c->solver;
  const bool cycles =
      s->preconditioner == IG_PRECONDITIONER_MULTIGRID || a->c->filter.kind == IG_FILTER_HELMHOLTZ;
  const char *grids = "it is for grids; this is a mesh", *none = "multigrid is not used";
  const rule list[] = {
      {s->at.given && a->c->analysis.linear_solver == IG_LARGE_DIRECT &&
           a->c->filter.kind != IG_FILTER_HELMHOLTZ,
       "solver", "the linear_solver of `analysis` is direct"},
      {a->grid && s->preconditioner == IG_PRECONDITIONER_BLOCKS,
       "solver: preconditioner: block_jacobi", "it is for meshes: take jacobi"},
      {a->grid && s->operator!= IG_EBE_RECOMPUTE, "solver: operator",
       "it is for meshes; a grid stores no matrix"},
      {!a->grid && s->fine_smoothing_steps != 0, "solver: fine_smoothing_steps", grids},
      {!a->grid && s->coarse_cycles != 0, "solver: coarse_cycles", grids},
      {!a->grid && s->storage != IG_STORE_AUTO, "solver: storage", grids},
      {!cycles && s->smoother != IG_SMOOTH_CHEBYSHEV, "solver: smoother", none},
      {!cycles && s->fine_smoothing_steps != 0, "solver: fine_smoothing_steps", none},
      {!cycles && s->smoothing_steps != 1, "solver: smoothing_steps", none},
      {!cycles && s->cycle != IG_CYCLE_K, "solver: cycle", none},
      {!cycles && s->coarse_cycles != 0, "solver: coarse_cycles", none},
      {!cycles && s->storage != IG_STORE_AUTO, "solver: storage", none},
      {s->coarse_cycles != 0 && s->cycle != IG_CYCLE_K, "solver: coarse_cycles",
       "it is for cycle: k"},
      {s->damping != 0.8 && (!cycles || s->smoother == IG_SMOOTH_CHEBYSHEV), "solver: damping",
       "it is for smoothing by jacobi or block_jacobi"}};
  return REFUSE(a, &s->at, list);
}

/* Plane problems have outlines instead of surfaces; a 3MF file is always in millimetres. */
static ig_status check_surface(const asked *a) {
  const ig_surface_case *s = &a->c->surface;
  const bool none = ig_topopt_formats(s).count == 0;
  const char *flat = "a plane problem has no surface; outlines are in millimetres",
             *unmade = "'formats' asks for no surface";
  const char *why = a->plane ? flat : unmade;
  bool unnamed = false; /* a file that does not name its unit */
  for (int i = 0; i < ig_topopt_formats(s).count; i++)
    unnamed = unnamed || strcmp(ig_topopt_formats(s).value[i], "3mf") != 0;
  bool foreign = false; /* outlines are of plane designs, surfaces of others */
  for (int i = 0; i < s->formats.count; i++)
    foreign = foreign || ig_topopt_outline_knows(s->formats.value[i]) != a->plane;
  const rule list[] = {
      {foreign, "surface: formats",
       a->plane ? "a plane problem has an outline, no surface: expected svg or dxf"
                : "svg and dxf are for plane problems: expected stl, 3mf, obj or ply"},
      {(a->plane || none) && s->unit != 1e-3, "surface: unit", why},
      {(a->plane || none) && s->islands, "surface: islands", why},
      {(a->plane || none) && !isnan(s->deviation), "surface: deviation", why},
      {a->unloaded && s->analyse > 0, "surface: analyse", "there is no load"},
      {a->c->choose_material && s->analyse > 0, "surface: analyse",
       "the part has several materials"},
      {!unnamed && s->unit != 1e-3, "surface: unit", "3mf is in millimetres and says so"},
      {!s->mirror && a->c->symmetry.count == 0, "surface: mirror", "there is no 'symmetry'"}};
  return REFUSE(a, &s->at, list);
}

/* Called before the model is made: a wrong key costs no time. */
ig_status ig_topopt_unused(ig_ctx *cx, const ig_topopt_case *c, const ig_node *tree) {
  const int64_t *n = c->grid.elements;
  asked a = {.cx = cx, .c = c, .tree = tree, .heat = c->problem == IG_PROBLEM_HEAT};
  a.grid = c->grid.at.given || n[0] != 0 || n[1] != 0 || n[2] != 0;
  a.plane = a.grid && n[2] == 0;
  a.swings = ig_topopt_modes_asked(c);
  a.unloaded = c->problem == IG_PROBLEM_FREQUENCY && c->loads.count == 0;
  for (int i = 0; i < c->loads.count; i++)
    a.weighs = a.weighs || any(IG_ITEM(ig_load_case, c->loads, i)->gravity, 3);
  IG_TRY(check_grid(&a));
  IG_TRY(check_supports(&a));
  IG_TRY(check_loads(&a));
  IG_TRY(check_springs_ports_masses(&a));
  IG_TRY(check_constraints(&a));
  IG_TRY(check_top(&a));
  IG_TRY(check_sections(&a));
  IG_TRY(check_optimiser(&a));
  IG_TRY(check_solver(&a));
  return check_surface(&a);
}
