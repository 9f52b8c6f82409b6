/* The structure room: analyses, one after the other.

   The interface of a room (core/room.h) around ig_structure:

        room_open      model, initial conditions, first analysis (analysis_begin)
        room_restore   the analysis of a checkpoint, as far as it was (checkpoint.c)
        room_advance   one step of Newton's method, or all modes at once; tables
        room_renew     after output: the next analysis
        room_stand     how far it is, and what the loop should show */
#include "structure/constrain.h"
#include "structure/expand.h"
#include "structure/points.h"
#include "mesh/geometry.h"
#include "mesh/named.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ig_structure_analysis *analysis_of(const ig_structure *s) {
  return IG_ITEM(const ig_structure_analysis, s->c->analysis, s->analysis);
}

/* Frequencies and buckling are computed in one call of room_advance. */
static bool takes_time(const ig_structure_analysis *a) {
  return a->kind == IG_STRUCTURE_STATIC || a->kind == IG_STRUCTURE_DYNAMIC ||
         a->kind == IG_STRUCTURE_HEAT;
}

/* group counts as in groups_make; beyond the elements only a general name is given. */
static void element_name(void *self, int group, int32_t element, char *text, size_t size) {
  const ig_structure *s = self;
  if (group >= s->groups) {
    snprintf(text, size, "a face under pressure or in contact");
    return;
  }
  const ig_lid e = s->group[group].element[element];
  snprintf(text, size, "element %lld",
           (long long)(s->mesh->element_number ? s->mesh->element_number[e] : e + 1));
}

/* Callback of Newton's method after convergence. Velocities first: they need the old
   accelerations. `reaction` and `force_before` belong to the new state. */
static ig_status accepted(void *self, const ig_trial *at) {
  ig_structure *s = self;
  if (s->dynamic)
    ig_structure_motion_accept(s, at->u, at->step);
  for (int32_t i = 0; i < s->unknowns; i++)
    s->u[i] += at->u[i];
  s->moved = s->watched >= 0 ? at->u[s->watched] : 0;
  s->time = at->time;
  IG_TRY(ig_structure_forces(s));
  IG_TRY(ig_structure_creep_check(s));
  return s->dynamic ? ig_structure_force_before(s, s->time) : IG_OK;
}

/* Groups without history accept by doing nothing. */
static ig_status no_history(void *self, const ig_trial *at) {
  (void)self, (void)at;
  return IG_OK;
}

/* The groups of an analysis: elements, their inertia, faces under pressure that turn.
   The order of groups is fixed: elements first (element_name and modes.c count on it), then
   inertia, pressures, rotations, contact, springs, masses. */
static void groups_make(ig_structure *s) {
  int n = 0;
  for (int pass = 0; pass < (s->dynamic ? 2 : 1); pass++)
    for (int i = 0; i < s->groups; i++) {
      ig_structure_group *g = &s->group[i];
      s->implicit[n++] =
          (ig_implicit_group){.name = ig_solid_info_get(g->kind)->name,
                              .self = g,
                              .count = g->count,
                              .unknowns = 3 * ig_solid_info_get(g->kind)->nodes,
                              .unknown = g->unknown,
                              .evaluate = pass ? ig_structure_inertia : ig_structure_evaluate,
                              .accept = pass ? no_history : ig_structure_accept};
    }
  for (int k = 0; k < IG_FACE_KINDS && s->large; k++)
    if (s->faces[k].count)
      s->implicit[n++] = (ig_implicit_group){.name = "pressure",
                                             .self = &s->faces[k],
                                             .count = s->faces[k].count,
                                             .unknowns = 3 * s->faces[k].nodes,
                                             .unknown = s->faces[k].unknown,
                                             .evaluate = ig_structure_press,
                                             .accept = no_history};
  for (int i = 0; i < s->groups && s->large && s->spins; i++)
    s->implicit[n++] =
        (ig_implicit_group){.name = "rotation",
                            .self = &s->group[i],
                            .count = s->group[i].count,
                            .unknowns = 3 * ig_solid_info_get(s->group[i].kind)->nodes,
                            .unknown = s->group[i].unknown,
                            .evaluate = ig_structure_spin,
                            .accept = no_history};
  if (s->contact.count)
    s->implicit[n++] = (ig_implicit_group){.name = "contact",
                                           .self = &s->contact,
                                           .count = s->contact.count,
                                           .unknowns = 3 * IG_CONTACT_NODES,
                                           .unknown = s->contact.unknown,
                                           .evaluate = ig_contact_evaluate,
                                           .accept = ig_contact_accept};
  s->implicit_groups = ig_structure_points_groups(s, n);
}

/* Constraints must be there before the pattern is closed. */
static ig_status system_make(ig_structure *s) {
  IG_TRY(ig_system_new(s->cx, s->unknowns, &s->system));
  IG_TRY(ig_structure_constrain(s, s->analysis));
  IG_TRY(ig_structure_held_loads(s));
  return ig_system_close(s->system, s->implicit_groups, s->implicit);
}

/* Steps end where something that acts changes its course, unless the case says how long they are.

   Each history is a table of (time, factor); the engine keeps the times at which its gradient
   changes and ends steps there. Temperatures are a ramp between two times. */
static ig_status stops_add(ig_structure *s) {
  const struct {
    const ig_list *list;
    size_t size, history;
  } all[] = {
      {&s->c->loads, sizeof(ig_structure_load), offsetof(ig_structure_load, history)},
      {&s->c->supports, sizeof(ig_structure_support), offsetof(ig_structure_support, history)},
      {&s->c->tools, sizeof(ig_contact_tool), offsetof(ig_contact_tool, history)},
      {&s->c->prescribed_temperatures, sizeof(ig_structure_prescribed),
       offsetof(ig_structure_prescribed, history)},
      {&s->c->heat_loads, sizeof(ig_structure_heat_load),
       offsetof(ig_structure_heat_load, history)}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    for (int i = 0; i < all[k].list->count; i++) {
      const char *item = (const char *)all[k].list->items + (size_t)i * all[k].size;
      const ig_table *t = (const ig_table *)(const void *)(item + all[k].history);
      IG_TRY(ig_newton_stops(s->newton, t->count, t->x, t->y));
    }
  for (int i = 0; i < s->c->temperatures.count; i++) {
    const ig_structure_temperature *t =
        IG_ITEM(const ig_structure_temperature, s->c->temperatures, i);
    IG_TRY(ig_newton_stops(s->newton, 2, (double[]){t->from, t->to}, (double[]){0, 1}));
  }
  return IG_OK;
}

/* Whether a converged trial may be accepted. */
static bool fits(void *self, const ig_trial *at, char *why, size_t size) {
  const ig_structure *s = self;
  return ig_structure_creep_fits(s, why, size) &&
         (!s->contact.count || ig_structure_contact_fits(self, at, why, size));
}

/* Equations and model of an analysis of displacements.
   length: size of the model, reach: largest coordinate; scales of displacements for tolerances
   and for rounding. */
static ig_status motion_make(ig_structure *s, const ig_structure_analysis *a) {
  bool changed;
  IG_TRY(ig_structure_contact_new(s));
  if (a->kind != IG_STRUCTURE_STATIC)
    IG_TRY(ig_contact_follow(&s->contact, true, &changed));
  groups_make(s);
  IG_TRY(system_make(s));
  if (!takes_time(a))
    return IG_OK;
  double low[3], high[3], length = 0;
  ig_mesh_bounds(s->mesh, low, high);
  for (int d = 0; d < 3; d++)
    length = fmax(length, high[d] - low[d]);
  const double reach =
      fmax(fmax(fmax(fabs(low[0]), fabs(high[0])), fmax(fabs(low[1]), fabs(high[1]))),
           fmax(fabs(low[2]), fabs(high[2])));
  s->model = (ig_newton_model){
      .system = s->system,
      .groups = s->implicit_groups,
      .group = s->implicit,
      .begin = s->begin,
      .end = s->begin + a->duration,
      .length = length,
      .reach = reach,
      /* what acts on creep from the start acts at once: grown over the time it would be half */
      .moving = s->dynamic || s->creeping,
      .self = s,
      .loads = ig_structure_loads,
      .motions = ig_structure_motions,
      .follow = s->large && (s->bodies || s->expanded || s->rows) ? ig_structure_follow : NULL,
      .accepted = accepted,
      .unsettled = s->contact.count ? ig_structure_contact_unsettled : NULL,
      .fits = s->contact.count || s->creeping ? fits : NULL,
      .grip =
          s->contact.count && s->c->tools.count && !s->dynamic ? ig_structure_contact_grip : NULL,
      .ease = s->contact.count && !s->dynamic ? ig_structure_contact_ease : NULL,
      .augment = s->contact.count ? ig_structure_contact_augment : NULL,
      .name = ig_structure_unknown_name,
      .name_element = element_name};
  return IG_OK;
}

/* Points of contact meet other faces: the pattern of the equations is another one. */
static ig_status pattern_renew(ig_structure *s) {
  groups_make(s);
  IG_TRY(ig_system_close(s->system, s->implicit_groups, s->implicit));
  return ig_newton_renew(s->newton, s->implicit_groups);
}

/* Contact that has slid. */
static ig_status contact_follow(ig_structure *s) {
  bool changed;
  if (!s->contact.count) /* none, or an analysis of temperatures */
    return IG_OK;
  IG_TRY(ig_contact_follow(&s->contact, s->time == s->begin, &changed));
  return changed ? pattern_renew(s) : IG_OK;
}

/* What `until` names, and whether the analysis may have it. */
static ig_status until_read(ig_structure *s, const ig_structure_analysis *a) {
  const ig_structure_until *c = &a->until;
  s->watched = -1;
  s->beyond[0] = s->beyond[1] = NAN;
  if (a->method == IG_STRUCTURE_ARC_LENGTH && a->kind != IG_STRUCTURE_STATIC)
    return ig_fail_at(s->cx, &a->at, "`method: arc_length` is for `kind: static`");
  if (a->method == IG_STRUCTURE_ARC_LENGTH && a->fixed_steps)
    return ig_fail_at(s->cx, &a->at,
                      "`fixed_steps` is not for `method: arc_length`, whose steps have a length of "
                      "their own: give `largest_step`");
  if (!c->at.given)
    return IG_OK;
  if (a->method != IG_STRUCTURE_ARC_LENGTH)
    return ig_fail_at(s->cx, &c->at, "`until` is for `method: arc_length`");
  if (s->analysis + 1 < s->c->analysis.count)
    return ig_fail_at(s->cx, &c->at, "`until` is for the last analysis: others end at their loads");
  const bool placed = c->set != NULL, along = c->component != NULL, far = !isnan(c->displacement);
  if (placed != along || placed != far || (!placed && isnan(c->factor)))
    return ig_fail_at(s->cx, &c->at,
                      "expected `set`, `component` and `displacement`, or a `factor`, or both");
  if (c->factor == 0)
    return ig_fail_at(s->cx, &c->at,
                      "`until`: a path begins at the factor 0: expected another `factor`");
  if (!c->set)
    return IG_OK;
  ig_lid *node, count;
  IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
  const ig_lid first = count == 1 ? node[0] : -1;
  free(node);
  const int component = ig_structure_component(c->component);
  if (first < 0)
    return ig_fail_at(s->cx, &c->at, "`until`: '%s' has %d nodes: expected 1", c->set, (int)count);
  if (component < 0 || component > 2)
    return ig_fail_at(s->cx, &c->at, "`until`: component '%s': expected x, y or z", c->component);
  s->watched = 3 * first + component;
  s->side = c->displacement - s->u[s->watched];
  return IG_OK;
}

/* Whether the last step has passed `until`, and by what: steps do not end on it. */
static bool until_passed(ig_structure *s, const ig_structure_until *c, double factor) {
  if (!c->at.given)
    return false;
  const double far = s->watched >= 0 ? s->u[s->watched] - c->displacement : NAN;
  const double more = c->factor > 0 ? factor - c->factor : c->factor - factor;
  if (far * s->side >= 0)
    s->beyond[0] = fabs(far);
  if (more >= 0)
    s->beyond[1] = more;
  return far * s->side >= 0 || more >= 0;
}

/* The next step is as long as what is left to `until`, by the way of the last one, and a little
 * more: it ends just beyond. */
static void until_approach(ig_structure *s, const ig_structure_until *c, double before,
                           double factor) {
  double times = INFINITY;
  if (s->watched >= 0 && s->moved * s->side > 0)
    times = (c->displacement - s->u[s->watched] + 0.002 * s->side) / s->moved;
  if (!isnan(c->factor) && (factor - before) * c->factor > 0)
    times = fmin(times, (1.002 * c->factor - factor) / (factor - before));
  ig_newton_arc_limit(s->newton, times);
}

/* Whether an analysis by arc length is over: `until` is passed, or its steps are taken. */
static bool arc_ends(ig_structure *s, const ig_structure_analysis *a,
                     const ig_newton_standing *now) {
  const ig_structure_until *c = &a->until;
  const bool falls = now->factor < s->factor_before;
  if (falls != s->falls && now->steps > 1 && s->limits < (int)(sizeof s->limit / sizeof *s->limit))
    s->limit[s->limits++] = s->factor_before;
  s->falls = falls;
  if (c->at.given)
    until_approach(s, c, s->factor_before, now->factor);
  s->factor_before = now->factor;
  if (until_passed(s, c, now->factor) || now->done)
    return true;
  if (now->steps < a->steps || s->analysis + 1 < s->c->analysis.count)
    return false; /* what follows needs the loads of the end: the engine fails at the next step */
  ig_warn_at(s->cx, &a->at,
             "the analysis ends after %lld steps at load factor %.6g, before %s: give more `steps`",
             (long long)now->steps, now->factor,
             c->at.given ? "`until` is passed" : "the loads are reached");
  return true;
}

/* What an analysis asks of the materials and of the case. */
static ig_status analysis_check(const ig_structure *s, const ig_structure_analysis *a) {
  for (int i = 0; i < s->laws && a->kind == IG_STRUCTURE_DYNAMIC; i++)
    IG_TRY(ig_material_require(s->cx, s->material[i], "density", "dynamic analysis"));
  return a->kind == IG_STRUCTURE_HEAT ? ig_structure_heat_check(s, a) : IG_OK;
}

/* Time goes on from the last analysis; displacements, history and temperatures stay. `large` may
   differ between analyses and is written into all laws. Without first_step a static analysis
   tries all of it in one step, and steps end at the kinks of histories (stops_add). */
static ig_status analysis_begin(ig_structure *s) {
  const ig_structure_analysis *a = analysis_of(s);
  IG_TRY(ig_structure_start_keep(s));
  ig_newton_free(s->newton);
  ig_system_free(s->system);
  s->newton = NULL;
  s->system = NULL;
  s->large = a->large;
  s->dynamic = a->kind == IG_STRUCTURE_DYNAMIC;
  s->begin = s->time;
  s->creeping = a->creep;
  s->creep_change = a->creep_change;
  s->proportional = a->method == IG_STRUCTURE_ARC_LENGTH;
  s->factor_before = 0;
  s->falls = false;
  IG_TRY(until_read(s, a));
  s->alpha = s->dynamic ? a->alpha : 0;
  /* Newmark's parameters of Hilber, Hughes and Taylor. */
  s->beta = (1 - s->alpha) * (1 - s->alpha) / 4;
  s->gamma = 0.5 - s->alpha;
  for (int i = 0; i < s->laws; i++)
    s->law[i].large = a->large;
  for (int i = 0; i < s->groups; i++)
    for (int32_t e = 0; s->group[i].law && e < s->group[i].count; e++)
      s->group[i].law[e].large = a->large;
  /* that nothing missing is found out after others */
  for (int k = s->analysis; k < s->c->analysis.count; k++)
    IG_TRY(analysis_check(s, IG_ITEM(const ig_structure_analysis, s->c->analysis, k)));
  if (a->kind == IG_STRUCTURE_HEAT)
    IG_TRY(ig_structure_heat_begin(s, a));
  else
    IG_TRY(motion_make(s, a));
  if (!takes_time(a))
    return IG_OK;
  ig_newton_options o = ig_newton_usual;
  o.tolerance = a->tolerance;
  o.steps = a->steps;
  o.keep = true;
  o.beyond = "; where it snaps through `method: arc_length` follows the load down, where it "
             "collapses there is no more to find";
  o.first = isnan(a->first_step) ? 1 : fmin(1, a->first_step / a->duration);
  o.most = a->fixed_steps ? o.first : isnan(a->largest_step) ? 1 : a->largest_step / a->duration;
  o.arc_length = s->proportional;
  o.open = a->until.at.given;
  if (o.arc_length && isnan(a->first_step))
    o.first = 0.1;
  if (a->creep) { /* most of it is soon over, and what follows is slow */
    o.least = 1e-12;
    if (isnan(a->first_step))
      o.first = 1e-3;
  }
  o.first = fmin(o.first, o.most);
  s->planned = o.first * a->duration;
  if (s->dynamic)
    IG_TRY(ig_structure_motion_begin(s));
  /* With a first step of the case, steps may pass over kinks of histories; a warning then names
     the time. */
  o.pass = !isnan(a->first_step);
  IG_TRY(ig_newton_new(s->cx, &s->model, &o, &s->newton));
  if (a->kind == IG_STRUCTURE_STATIC && s->contact.count) {
    /* Contact is as it was: what is out of balance now is not due to other pairs. */
    IG_TRY(ig_newton_begin(s->newton));
    IG_TRY(contact_follow(s));
  }
  return s->dynamic || o.arc_length ? IG_OK : stops_add(s);
}

/* An analysis that cannot begin, or has no modes, leaves the tables of those before. */
static ig_status tables_left(const ig_structure *s, ig_status status) {
  if (status != IG_OK && status != IG_INTERRUPTED && s->step > 0) {
    const ig_status written = ig_structure_tables_write(s, s->job->sink);
    return written == IG_OK ? status : written;
  }
  return status;
}

/* *self is set also on failure: the caller closes it. */
static ig_status room_open(ig_job *job, void **self) {
  ig_structure *s = NULL;
  const ig_status status = ig_structure_new(job, &s);
  *self = s;
  IG_TRY(status);
  IG_TRY(ig_structure_tools_check(s->cx, s->c, s->mesh));
  for (int i = 0; i < s->c->initial.count; i++) {
    const ig_structure_initial *c = IG_ITEM(const ig_structure_initial, s->c->initial, i);
    ig_lid *node, count;
    IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
    for (ig_lid k = 0; k < count; k++)
      for (int d = 0; d < 3; d++) {
        s->velocity[3 * node[k] + d] += c->velocity[d];
        s->u[3 * node[k] + d] += c->displacement[d];
      }
    free(node);
  }
  ig_structure_expansion_spread(s, 3, s->velocity);
  ig_structure_expansion_spread(s, 3, s->u);
  return analysis_begin(s);
}

static void room_close(void *self) {
  ig_structure_free(self);
}

static ig_status room_begin(void *self) {
  (void)self;
  return IG_OK;
}

static ig_status room_restore(void *self, const ig_restart *from) {
  ig_structure *s = self;
  IG_TRY(ig_structure_start_read(s, from));
  IG_TRY(analysis_begin(s));
  IG_TRY(ig_structure_reached_read(s, from));
  IG_TRY(ig_structure_tools_met(s, true));
  if (s->newton && s->contact.count && analysis_of(s)->kind != IG_STRUCTURE_HEAT)
    IG_TRY(pattern_renew(s));
  ig_system_resolve(s->system);
  return IG_OK;
}

/* At the end of an analysis with small displacements: strains of a body that turns by an angle t
   are wrong by t^2 / 2, forces act in the drawn directions. */
static void turns_warn(const ig_structure *s, const ig_structure_analysis *a) {
  const double most = 0.1; /* rad: strains of 0.5 % */
  double worst = 0;
  ig_lid element = -1;
  for (int i = 0; i < s->groups; i++) {
    const ig_structure_group *g = &s->group[i];
    const int npe = ig_solid_info_get(g->kind)->nodes;
    for (int32_t e = 0; e < g->count; e++) {
      double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES];
      ig_structure_gather(s, g->node[e], npe, NULL, X, u);
      const double turn = ig_nodes_turn(npe, X, u);
      if (turn > worst)
        worst = turn, element = g->element[e];
    }
  }
  if (worst > most)
    ig_warn_at(
        s->cx, &a->at,
        "element %lld turns by %.0f degrees, too much for the theory of small displacements "
        "(strains are wrong by about %.1g): set `large: true`, or look at loads and supports",
        (long long)(s->mesh->element_number ? s->mesh->element_number[element] : element + 1),
        worst * 180 / 3.14159265358979324, 0.5 * worst * worst);
}

/* At the end of an analysis with large displacements: in St. Venant and Kirchhoff's law a stretch l
   bears l (l + 1) / 2 of what Young's modulus would at the strain l - 1. */
static void stretches_warn(const ig_structure *s, const ig_structure_analysis *a) {
  const double most = 0.1; /* of strain: 15 % of force */
  double worst = most, stretch = 1;
  ig_lid element = -1;
  for (int i = 0; i < s->groups; i++) {
    const ig_structure_group *g = &s->group[i];
    const int npe = ig_solid_info_get(g->kind)->nodes;
    for (int32_t e = 0; e < g->count; e++) {
      double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], l[2];
      if (s->law[g->material[e]].law != IG_LAW_ELASTIC)
        continue;
      ig_structure_gather(s, g->node[e], npe, NULL, X, u);
      ig_nodes_stretch(npe, X, u, &l[0], &l[1]);
      for (int k = 0; k < 2; k++)
        if (fabs(l[k] - 1) > worst)
          worst = fabs(l[k] - 1), stretch = l[k], element = g->element[e];
    }
  }
  if (element >= 0)
    ig_warn_at(
        s->cx, &a->at,
        "element %lld is stretched to %.2f of its length along some direction: the law of elastic "
        "materials in large displacements, St. Venant and Kirchhoff's, bears %.2f of Young's "
        "modulus times the strain there; metals need `yield`, rubber `hyperelastic`",
        (long long)(s->mesh->element_number ? s->mesh->element_number[element] : element + 1),
        stretch, 0.5 * stretch * (1 + stretch));
}

/* A step of Newton's method. Where there is none, what was reached is shown and kept, with the
   tables of the steps before: the next call fails with the message. */
static ig_status step_take(ig_structure *s) {
  ig_ctx *cx = s->cx;
  ig_status status = ig_newton_step(s->newton);
  if (status == IG_NUMERIC && ig_newton_loosen(s->newton)) {
    s->contact.loose = true;
    status = ig_newton_step(s->newton);
  }
  if (status != IG_NUMERIC)
    return status;
  snprintf(s->failed, sizeof s->failed, "%s", ig_ctx_message(cx));
  char *where = strstr(s->failed, " (numerical failure"); /* it is added again */
  if (where)
    *where = 0;
  return ig_structure_tables_write(s, s->job->sink);
}

/* `most` and `ahead` (steps the loop would allow) are not used: implicit steps come one at a
   time. */
static ig_status room_advance(void *self, int64_t most, int64_t ahead) {
  ig_structure *s = self;
  const ig_structure_analysis *a = analysis_of(s);
  bool done = true;
  (void)most, (void)ahead;
  if (s->failed[0])
    return IG_FAIL(s->cx, IG_NUMERIC, "%s", s->failed);
  if (takes_time(a)) {
    ig_newton_standing now;
    IG_TRY(step_take(s));
    if (s->failed[0])
      return IG_OK;
    ig_newton_stand(s->newton, &now);
    done = s->proportional ? arc_ends(s, a, &now) : now.done;
    now.done = done;
    const ig_trial still = {.time = s->time, .factor = fmin(1, (s->time - s->begin) / a->duration)};
    ig_contact_sum(&s->contact, &still, &s->touched);
    IG_TRY(ig_structure_tools_met(s, false));
    if (!done)
      IG_TRY(contact_follow(s));
    s->solver = now.solver;
    IG_TRY(ig_structure_tables(s));
    if (a->kind == IG_STRUCTURE_STATIC)
      IG_TRY(ig_structure_balance(s, &now));
    else if (a->kind == IG_STRUCTURE_DYNAMIC)
      s->balanced = false;
    if (done && !a->large && a->kind != IG_STRUCTURE_HEAT)
      turns_warn(s, a);
    if (done && a->large)
      stretches_warn(s, a);
    if (done && a->kind == IG_STRUCTURE_STATIC)
      IG_TRY(ig_structure_stiff_static(s, a));
    if (done && now.passed >= 0)
      ig_warn_at(s->cx, &a->at,
                 "a step has passed over %g s, where a history or a temperature changes its "
                 "course: make steps shorter (`largest_step`), or leave `first_step` out",
                 now.passed);
    if (done && now.uncertain > 0)
      ig_warn_at(s->cx, &a->at,
                 "forces balance to rounding only, which is above `tolerance`: displacements are "
                 "uncertain by about %.1g of themselves: elements are too thin or too unlike in "
                 "stiffness",
                 now.uncertain);
    if (done && now.free >= 0) {
      char name[96];
      ig_structure_unknown_name(s, now.free, name, sizeof name);
      ig_warn_at(s->cx, &a->at,
                 "a motion has no stiffness, most of all of %s: the part can move there as a rigid "
                 "body or a mechanism, and what it moved by is arbitrary: add supports, or connect "
                 "it",
                 name);
    }
    if (done) {
      s->iterations += now.iterations;
      s->cuts += now.cuts;
    }
  } else {
    IG_TRY(tables_left(s, ig_structure_modes(s, a)));
    if (a->kind == IG_STRUCTURE_BUCKLING)
      s->time = s->begin + a->duration;
  }
  s->step++;
  if (!done)
    return IG_OK;
  s->finished = true;
  s->ended = s->analysis + 1 == s->c->analysis.count;
  if (s->ended)
    ig_structure_tools_warn(s);
  return IG_OK;
}

/* The next analysis, after what is shown of the one that has ended. */
static ig_status room_renew(void *self) {
  ig_structure *s = self;
  if (!s->finished || s->ended)
    return IG_OK;
  s->finished = false;
  s->analysis++;
  return tables_left(s, analysis_begin(s));
}

/* duration: sum over the analyses that take time, for the progress bar. */
static void room_stand(const void *self, ig_run_status *standing) {
  const ig_structure *s = self;
  const ig_structure_analysis *a = analysis_of(s);
  double duration = 0;
  for (int i = 0; i < s->c->analysis.count; i++) {
    const ig_structure_analysis *b = IG_ITEM(const ig_structure_analysis, s->c->analysis, i);
    duration += b->kind != IG_STRUCTURE_FREQUENCY ? b->duration : 0;
  }
  *standing = (ig_run_status){.at = {s->step, s->time},
                              .clock = s->time,
                              .duration = duration > 0 ? duration : 1,
                              .dt = s->begin + a->duration - s->time,
                              .ended = s->ended,
                              .show = s->failed[0] ? IG_SHOW_CHECKPOINT : IG_SHOW_ROW};
  if (s->finished || (s->failed[0] && s->pictured != s->step))
    standing->show |= IG_SHOW_SNAPSHOT;
  if (s->newton) {
    ig_newton_standing now;
    ig_newton_stand(s->newton, &now);
    snprintf(standing->note, sizeof standing->note, "analysis %d of %d, factor %.4g, residual %.1e",
             s->analysis + 1, s->c->analysis.count, now.factor, now.residual);
  }
}

/* Sizes for the summary: elements and nodes with those of expanded shells and beams; equations
   without slaves. */
static void room_tally(void *self) {
  ig_structure *s = self;
  if (!s)
    return;
  s->job->elements = ig_mesh_elements(s->mesh);
  s->job->nodes = s->nodes;
  s->job->dofs = s->system ? s->system->equations : s->unknowns;
}

/* `ingot check`: builds the first analysis and reports its size. */
static ig_status room_check(ig_job *job, ig_check_line *line, void *user) {
  void *self = NULL;
  const ig_status status = room_open(job, &self);
  if (status == IG_OK) {
    const ig_structure *s = self;
    char text[64];
    snprintf(text, sizeof text, "%d", (int)s->system->equations);
    line(user, "equations", text);
  }
  room_close(self);
  return status;
}

const ig_room ig_room_structure = {
    .name = "structure",
    .about = "statics, motion and modes of solids by implicit finite elements",
    .needs_mesh = true,
    .case_size = sizeof(ig_structure_case),
    .options = ig_structure_options,
    .open = room_open,
    .close = room_close,
    .begin = room_begin,
    .advance = room_advance,
    .stand = room_stand,
    .restore = room_restore,
    .history = ig_structure_history,
    .snapshot = ig_structure_snapshot,
    .save = ig_structure_save,
    .renew = room_renew,
    .results = ig_structure_results,
    .tally = room_tally,
    .check = room_check,
    .elements = "tet4|tet10|hex8|hex20|wedge6|wedge15|tri3|quad4|tri6|quad8|beam2|beam3",
    .fields = "displacement|reaction|stress|von_mises|plastic_strain|T|modes|nodal_stress|"
              "nodal_von_mises|nodal_stress_top|nodal_stress_bottom",
    .figures =
        "displacement_max|nodal_von_mises_max|nodal_von_mises_max_x|nodal_von_mises_max_y|"
        "nodal_von_mises_max_z|temperature_min|temperature_max|load_x|load_y|load_z|load_moment_x|"
        "load_moment_y|load_moment_z|reaction_x|reaction_y|reaction_z|reaction_moment_x|"
        "reaction_moment_y|reaction_moment_z|contact_force_x|contact_force_y|contact_force_z|"
        "penetration_max|penetration_share|limit_*|until_passed_by|until_passed_by_factor|"
        "newton_iterations|step_cuts|mode_*|analysis_*_mode_*",
    .precisions = "double",
    .unused = "assembly"};
