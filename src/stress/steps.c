/* From the phases of a case to steps: layers, cuts, temperatures. ig_stress_steps_make lists all
   steps when the room opens, so that the time loop knows the end and errors appear before
   anything is written. ig_stress_steps_next carries out one step: supports at the start of a
   phase, births or removal at the start of a group, temperatures at its end, equilibrium
   (newton.c), figures. */
#include "stress/run.h"
#include "backend/backend.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ig_stress_phase *phase_of(const ig_stress_run *r, int i) {
  return IG_ITEM(const ig_stress_phase, r->c->phases, i);
}

/* --- groups: layers of a build, parts of a cut --- */

/* Layers and cuts go by the drawn shape, also where a compensated one is built. */
static double element_centre(const ig_stress_run *r, ig_lid e, int axis) {
  const ig_stress *m = r->m;
  double s = 0;
  for (int a = 0; a < m->npe; a++)
    s += r->job->mesh->x[3 * (int64_t)m->conn[m->npe * (int64_t)e + a] + axis] / m->npe;
  return s;
}

/* Groups of equal width, by the distance from where the first one begins. */
static int group_at(double distance, double width, int groups) {
  /* 1e-6 of a width: a centre that lies on a boundary by rounding belongs to the group above */
  const int g = (int)floor(distance / width + 1e-6);
  return g < 0 ? 0 : g >= groups ? groups - 1 : g;
}

/* Groups of a cut, whose line enters at `low`, or with `back` at `high`. A place between two groups
   belongs to the later one in both directions: a mirrored cut removes mirrored elements. */
static int cut_group_at(double x, double low, double high, int groups, bool back) {
  /* 1e-300: a set that lies in one plane has no width, and all of it is in group 0 */
  return group_at(back ? high - x : x - low, fmax((high - low) / groups, 1e-300), groups);
}

/* Layers of a build by heights of element centres above the lowest node of the set. *groups:
   their number; a layer may be empty. */
static ig_status build_groups(ig_stress_run *r, const ig_stress_phase *p, int *groups) {
  const ig_stress *m = r->m;
  const ig_set *set;
  double low = INFINITY, high = -INFINITY;
  IG_TRY(ig_mesh_named_set(m->cx, m->mesh, &p->at, p->set, IG_OF_ELEMENTS, &set));
  for (int64_t i = 0; i < m->npe * (int64_t)set->count; i++) {
    const double z =
        r->job->mesh
            ->x[3 * (int64_t)m->conn[m->npe * (int64_t)set->item[i / m->npe] + i % m->npe] + 2];
    low = fmin(low, z);
    high = fmax(high, z);
  }
  const double count = ceil((high - low) / p->height - 1e-6);
  if (!(count < 1e6))
    return ig_fail_at(m->cx, &p->at, "a build of %.3g layers: give a larger `height`", count);
  *groups = count < 1 ? 1 : (int)count;
  for (ig_lid i = 0; i < set->count; i++)
    r->group[set->item[i]] = group_at(element_centre(r, set->item[i], 2) - low, p->height, *groups);
  return IG_OK;
}

/* Parts of a cut by the line's way: elements of an element set, or else nodes whose supports are
   released. */
static ig_status cut_groups(ig_stress_run *r, const ig_stress_phase *p, int *groups) {
  const ig_stress *m = r->m;
  const ig_set *set = ig_mesh_find_set(m->mesh, p->set, IG_SET_ELEMENTS);
  double low = INFINITY, high = -INFINITY;
  *groups = (int)p->steps;
  if (set) {
    for (ig_lid i = 0; i < set->count; i++) {
      const double x = element_centre(r, set->item[i], p->direction);
      low = fmin(low, x);
      high = fmax(high, x);
    }
    for (ig_lid i = 0; i < set->count; i++)
      r->group[set->item[i]] =
          cut_group_at(element_centre(r, set->item[i], p->direction), low, high, *groups, p->back);
    return IG_OK;
  }
  ig_lid *node, count;
  IG_TRY(ig_mesh_named_nodes(m->cx, m->mesh, &p->at, p->set, &node, &count));
  for (ig_lid i = 0; i < count; i++) {
    low = fmin(low, r->job->mesh->x[3 * (int64_t)node[i] + p->direction]);
    high = fmax(high, r->job->mesh->x[3 * (int64_t)node[i] + p->direction]);
  }
  for (ig_lid i = 0; i < count; i++)
    r->group_node[node[i]] = cut_group_at(r->job->mesh->x[3 * (int64_t)node[i] + p->direction], low,
                                          high, *groups, p->back);
  free(node);
  return IG_OK;
}

/* Groups of one phase, in r->group and r->group_node (-1: not in it). The arrays are shared by
   all phases: r->grouped says whose they are. */
static ig_status groups_make(ig_stress_run *r, int phase, int *groups) {
  const ig_stress_phase *p = phase_of(r, phase);
  for (ig_lid e = 0; e < r->m->elements; e++)
    r->group[e] = -1;
  for (ig_lid n = 0; n < r->m->nodes; n++)
    r->group_node[n] = -1;
  *groups = 1;
  r->grouped = phase;
  if (p->kind == IG_PHASE_BUILD)
    return build_groups(r, p, groups);
  return p->kind == IG_PHASE_CUT ? cut_groups(r, p, groups) : IG_OK;
}

/* Groups of a phase, made anew in any case; *groups: how many. */
ig_status ig_stress_steps_regroup(ig_stress_run *r, int phase, int *groups) {
  return groups_make(r, phase, groups);
}

/* Groups of a phase, kept if they are there. */
ig_status ig_stress_steps_group(ig_stress_run *r, int phase) {
  int groups;
  return r->grouped == phase ? IG_OK : groups_make(r, phase, &groups);
}

/* --- the list --- */

/* Keys that a phase of this kind needs, and keys that would have no effect in it. Each is an
   error with the place of the phase. */
static ig_status phase_check(ig_stress_run *r, const ig_stress_phase *p) {
  ig_ctx *cx = r->m->cx;
  const bool placed = p->kind == IG_PHASE_BUILD || p->kind == IG_PHASE_CUT;
  if (placed && !p->set)
    return ig_fail_at(cx, &p->at, "this phase needs its `set`");
  if (!placed && p->set)
    return ig_fail_at(cx, &p->at, "`set` is for the phases build and cut");
  if (p->kind == IG_PHASE_BUILD && isnan(p->height))
    return ig_fail_at(cx, &p->at, "a build needs the `height` of its layers");
  if ((p->kind == IG_PHASE_HEAT) != (p->file != NULL))
    return ig_fail_at(cx, &p->at,
                      "a phase of kind heat, and no other, has a `file`: the folder of "
                      "a thermal run");
  if (p->kind != IG_PHASE_HEAT && (ig_stress_heat_live(p) || p->change > 0 || p->layers))
    return ig_fail_at(cx, &p->at,
                      "`every`, `step_error`, `change` and `layers` are for phases of kind heat");
  if (p->layers && !isnan(p->step_error))
    return ig_fail_at(cx, &p->at,
                      "`step_error` chooses steps, and `layers: true` does: leave one of them out");
  if (p->layers && p->change > 0)
    return ig_fail_at(cx, &p->at,
                      "`change` has no effect with `layers: true`, which takes steps where "
                      "something was deposited; leave one of them out");
  if (p->kind != IG_PHASE_HEAT && p->consolidated.count)
    return ig_fail_at(cx, &p->at, "`consolidated` is for phases of kind heat");
  for (int i = 0; i < p->consolidated.count; i++) {
    const ig_set *set;
    IG_TRY(
        ig_mesh_named_set(cx, r->m->mesh, &p->at, p->consolidated.value[i], IG_OF_ELEMENTS, &set));
  }
  if (p->kind != IG_PHASE_BUILD && !isnan(p->clearance))
    return ig_fail_at(cx, &p->at, "`clearance` is for phases of kind build");
  if (p->kind != IG_PHASE_BUILD && !isnan(p->decay))
    return ig_fail_at(cx, &p->at, "`decay` is for phases of kind build");
  if (p->kind != IG_PHASE_BUILD && (!isnan(p->height) || !isnan(p->stress_free_temperature)))
    return ig_fail_at(cx, &p->at,
                      "`height` and `stress_free_temperature` are for phases of kind build");
  if (p->kind != IG_PHASE_BUILD && p->kind != IG_PHASE_HEAT && p->new_nodes)
    return ig_fail_at(cx, &p->at, "`new_nodes` is for phases of kind build and heat");
  if (p->kind != IG_PHASE_CUT && (p->direction || p->back))
    return ig_fail_at(cx, &p->at, "`direction` and `back` are for phases of kind cut");
  if (p->kind == IG_PHASE_HEAT && p->temperature.count)
    return ig_fail_at(cx, &p->at, "a phase has a `temperature` or those of a `file`");
  if (p->kind == IG_PHASE_HEAT && (p->duration != 1 || p->steps != 1))
    return ig_fail_at(cx, &p->at,
                      "`%s` has no effect in a phase of kind heat: times and steps are those of "
                      "its `file`; leave it out",
                      p->duration != 1 ? "duration" : "steps");
  return IG_OK;
}

/* Elements are born whole: of layers that are lower than these some are empty, or hold some of a
   level's tetrahedra, whose neighbours in it lack and which the born ones hold as a rigid base
   would. */
static ig_status height_check(const ig_stress_run *r, const ig_stress_phase *p, int groups) {
  const ig_stress *m = r->m;
  double sum = 0;
  int64_t count = 0;
  for (ig_lid e = 0; e < m->elements; e++) {
    double low = INFINITY, high = -INFINITY;
    if (r->group[e] < 0)
      continue;
    for (int a = 0; a < m->npe; a++) {
      const double z = r->job->mesh->x[3 * (int64_t)m->conn[m->npe * (int64_t)e + a] + 2];
      low = fmin(low, z);
      high = fmax(high, z);
    }
    sum += high - low;
    count++;
  }
  const double mean = count ? sum / (double)count : 0;
  if (groups < 2 || !(p->height < 0.99 * mean))
    return IG_OK;
  return ig_fail_at(
      m->cx, &p->at,
      "layers of %.3g m are lower than the elements of '%.60s', which are %.3g m high on average "
      "and are born whole; give `height: %.3g m` or more, or elements as low as a layer, each "
      "height in a phase of its own (real layers that turn: `inherent.layer_height`)",
      p->height, p->set, mean, mean);
}

/* Temperatures that change what has no thermal strain would leave no stress, and nobody would know
   why. */
static ig_status expansion_check(ig_stress_run *r, const ig_stress_phase *p) {
  const ig_stress *m = r->m;
  const uint16_t *which = m->material.which.host;
  const uint8_t *law = m->material.law.host;
  bool all = p->kind == IG_PHASE_HEAT;
  for (int i = 0; i < p->temperature.count; i++)
    all |= p->temperature.y[i] != r->c->temperature;
  for (ig_lid e = 0; e < m->elements; e++) {
    const bool born = p->kind == IG_PHASE_BUILD && r->group[e] >= 0 &&
                      (!which[e] || !isnan(p->stress_free_temperature));
    if ((all || born) && ((const ig_stress_law *)m->material.laws.host)[law[e]].strain.rows == 0) {
      const ig_material_case *mat = IG_ITEM(const ig_material_case, *r->job->materials, law[e]);
      return ig_fail_at(m->cx, &mat->at,
                        "material '%.60s' lacks its thermal expansion, which phase '%.60s' needs: "
                        "give `mechanical` one of thermal_strain, expansion (0 if there is none), "
                        "expansion_mean%s",
                        mat->name, p->name ? p->name : "without a name",
                        born ? ", or the elements an `inherent` strain" : "");
    }
  }
  return IG_OK;
}

/* With an inherent strain new material is as warm as what is there, unless the case says otherwise.
 */
static void decay_warn(const ig_stress_run *r, const ig_stress_phase *p) {
  const uint16_t *which = r->m->material.which.host;
  ig_lid born = 0, hotter = 0;
  for (ig_lid e = 0; p->kind == IG_PHASE_BUILD && e < r->m->elements; e++)
    if (r->group[e] >= 0) {
      born++;
      hotter += !which[e] || !isnan(p->stress_free_temperature);
    }
  if (!isnan(p->decay) && born && !hotter && !r->m->cx->ranks)
    ig_warn_at(r->m->cx, &p->at,
               "`decay` has no effect: with an inherent strain new layers are no hotter than the "
               "rest; give `stress_free_temperature`, or leave it out");
}

/* Supports and probes name a phase: it must be one. And an inherent strain is taken on by what is
   born, by nothing else. */
static ig_status phases_check(ig_stress_run *r) {
  bool born = false;
  for (int i = 0; i < r->c->phases.count; i++) {
    const ig_stress_phase *p = phase_of(r, i);
    born |= p->kind == IG_PHASE_BUILD;
    for (int k = 0; p->name && k < i; k++)
      if (phase_of(r, k)->name && strcmp(phase_of(r, k)->name, p->name) == 0)
        return ig_fail_at(r->m->cx, &p->at, "two phases have the name '%.60s'", p->name);
  }
  if (r->c->inherent.count && !born)
    ig_warn_at(r->m->cx, &IG_ITEM(const ig_stress_inherent, r->c->inherent, 0)->at,
               "`inherent` has no effect: the case has no phase with `kind: build`: there is no "
               "phase of kind build");
  return IG_OK;
}

/* Over the phase in which something begins to act, where that is of kind load. */
static ig_stress_ramp ramp_of(const ig_stress_run *r, int phase) {
  ig_stress_ramp ramp = {0, 0};
  for (int64_t i = 0; i < r->steps; i++)
    if (r->step[i].phase == phase && phase_of(r, phase)->kind == IG_PHASE_LOAD)
      ramp = (ig_stress_ramp){r->step[i].start, r->step[i].time};
  return ramp;
}

/* The last step of a phase has the whole load, whatever the rounding of its time. */
static void ramps_make(ig_stress_run *r) {
  r->m->loads.ramp = ramp_of(r, 0);
  for (int i = 0; i < r->m->held.count; i++)
    r->m->held.list[i].ramp = ramp_of(r, r->m->held.list[i].since);
}

/* A step takes what a table says at its ends: a row between them, off the line from one to the
   other, is passed over. Said once per table. phase < 0: a table over the time of all of them. */
static void rows_warn(const ig_stress_run *r, const ig_table *t, int phase, const ig_src *at,
                      const char *what) {
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < t->count; k++) {
    low = fmin(low, t->y[k]);
    high = fmax(high, t->y[k]);
  }
  for (int64_t i = 0; i < r->steps && t->count > 1; i++) {
    const ig_stress_step *s = r->step + i;
    if (phase >= 0 && s->phase != phase)
      continue;
    const double zero = phase < 0 ? 0 : s->start;
    const double to = s->time - zero, from = (i > 0 ? r->step[i - 1].time : 0) - zero;
    const double a = ig_table_at(t, from), b = ig_table_at(t, to);
    for (int k = 0; k < t->count; k++) {
      /* relative place of the row within the step; rows at its ends are met exactly */
      const double x = (t->x[k] - from) / (to - from);
      if (x > 1e-6 && x < 1 - 1e-6 && fabs(t->y[k] - a - x * (b - a)) > 0.01 * (high - low)) {
        ig_warn_at(r->m->cx, at,
                   "the row at %g s of %s lies within a step, from %g to %g s, and is passed over: "
                   "give the phase more `steps`, so that one ends there",
                   t->x[k], what, from, to);
        return;
      }
    }
  }
}

/* Warns of rows of tables that no step meets, for temperatures and histories. */
static void tables_check(const ig_stress_run *r) {
  for (int i = 0; i < r->c->phases.count; i++)
    if (phase_of(r, i)->kind != IG_PHASE_HEAT)
      rows_warn(r, &phase_of(r, i)->temperature, i, &phase_of(r, i)->at, "`temperature`");
  for (int i = 0; i < r->c->loads.count; i++) {
    const ig_stress_load *l = IG_ITEM(const ig_stress_load, r->c->loads, i);
    rows_warn(r, &l->history, -1, &l->at, "`history`");
  }
  for (int i = 0; i < r->c->supports.count; i++) {
    const ig_stress_support *s = IG_ITEM(const ig_stress_support, r->c->supports, i);
    rows_warn(r, &s->history, -1, &s->at, "`history`");
  }
}

/* The body, or a phase, hotter than where all of its materials are molten: there is no solid. */
static void molten_warn(const ig_stress_run *r) {
  double molten = INFINITY;
  for (int i = 0; i < r->job->materials->count; i++) {
    const ig_material_case *mat = IG_ITEM(const ig_material_case, *r->job->materials, i);
    const double at = isnan(mat->liquidus) ? mat->solidus : mat->liquidus;
    molten = isnan(at) ? molten : fmin(molten, at);
  }
  if (r->c->temperature > molten)
    ig_warn_at(r->m->cx, &r->c->at,
               "`temperature` %g K is above %g K, where a material of the case is molten: the part "
               "has no stress there; look at its unit",
               r->c->temperature, molten);
  for (int i = 0; i < r->c->phases.count; i++) {
    const ig_stress_phase *p = phase_of(r, i);
    double most = 0;
    for (int k = 0; k < p->temperature.count; k++)
      most = fmax(most, p->temperature.y[k]);
    if (most > molten)
      ig_warn_at(r->m->cx, &p->at,
                 "`temperature` comes to %g K, above %g K, where a material of the case is molten: "
                 "the part has no stress there; look at its unit",
                 most, molten);
  }
}

/* Two passes over the phases: the first counts steps and checks everything, the second fills the
   list. Elements that a phase builds, or that a thermal run deposits, are not alive at the
   start. */
ig_status ig_stress_steps_make(ig_stress_run *r) {
  ig_ctx *cx = r->m->cx;
  IG_TRY(phases_check(r));
  uint8_t *alive = r->m->alive.host;
  double time = 0;
  int64_t capacity = 0;
  IG_TRY(IG_NEW(cx, &r->group, r->m->elements, "phases"));
  IG_TRY(IG_NEW(cx, &r->group_node, r->m->nodes, "phases"));
  for (int pass = 0; pass < 2; pass++) { /* count, then fill */
    int64_t n = 0;
    for (int i = 0; i < r->c->phases.count; i++) {
      const ig_stress_phase *p = phase_of(r, i);
      int groups;
      int64_t pieces = p->steps;
      if (pass == 0)
        IG_TRY(phase_check(r, p));
      IG_TRY(groups_make(r, i, &groups));
      if (pass == 0) {
        IG_TRY(expansion_check(r, p));
        decay_warn(r, p);
      }
      if (pass == 0 && p->kind == IG_PHASE_BUILD)
        IG_TRY(height_check(r, p, groups));
      if (p->kind == IG_PHASE_CUT)
        pieces = 1;
      if (p->kind == IG_PHASE_HEAT)
        IG_TRY(ig_stress_heat_open(r, p, &pieces));
      if (p->kind == IG_PHASE_HEAT && pass == 0)
        IG_TRY(ig_stress_heat_check(r, p, pieces));
      /* a heat phase has one group, its pieces are the states of the thermal run */
      const double start = time;
      const double dt = (p->kind == IG_PHASE_CUT ? p->duration / groups : p->duration) / pieces;
      for (int g = 0; g < groups; g++)
        for (int64_t k = 0; k < pieces; k++, n++) {
          if (pass == 0)
            continue;
          double state = 0;
          time += dt;
          if (p->kind == IG_PHASE_HEAT) { /* as the snapshots say */
            IG_TRY(ig_stress_heat_time(r, p, k, &state));
            time = start + state;
          }
          r->step[n] = (ig_stress_step){i, g, groups, (int)k, (int)pieces, start, time, state};
        }
      for (ig_lid e = 0; pass == 1 && e < r->m->elements; e++)
        if (p->kind == IG_PHASE_HEAT || (p->kind == IG_PHASE_BUILD && r->group[e] >= 0))
          alive[e] = 0; /* comes with its layer, or with the snapshots */
    }
    if (pass == 0) {
      capacity = n;
      IG_TRY(IG_NEW(cx, &r->step, capacity + 1, "phases"));
    }
  }
  r->steps = capacity;
  r->grouped = -1;
  ramps_make(r);
  tables_check(r);
  molten_warn(r);
  return ig_stress_elements_push(r->m, &r->m->alive);
}

/* --- a step --- */

/* Switches supports on and off for a phase. With `taken` a support that begins remembers the
   displacements of its nodes: prescribed displacements count from there. After a restart they
   are read from the checkpoint instead. */
ig_status ig_stress_steps_supports(ig_stress_run *r, int phase, bool taken) {
  ig_stress *m = r->m;
  const double *u = m->u.host;
  if (taken)
    IG_TRY(ig_array_pull(m->cx, &m->u));
  for (int i = 0; i < m->held.count; i++) {
    ig_stress_hold *h = m->held.list + i;
    const bool on = phase >= h->since && phase < h->until;
    for (ig_lid k = 0; m->held.u && taken && on && !h->on && k < h->count; k++)
      for (int d = 0; d < 3; d++)
        m->held.u[3 * (int64_t)h->node[k] + d] = u[3 * (int64_t)h->node[k] + d];
    h->on = on;
  }
  return IG_OK;
}

/* The temperature at which a newborn element has no stress. */
static ig_status born_at(ig_stress_run *r, const ig_stress_phase *p, ig_lid e, double now,
                         double *born) {
  const ig_stress *m = r->m;
  const ig_stress_law *law =
      (const ig_stress_law *)m->material.laws.host + ((uint8_t *)m->material.law.host)[e];
  *born = p->stress_free_temperature;
  if (!isnan(p->stress_free_temperature))
    return IG_OK;
  *born = now;
  if (((uint16_t *)m->material.which.host)[e])
    return IG_OK;
  if (law->anneal < IG_UNBOUNDED) {
    *born = law->anneal;
    return IG_OK;
  }
  return ig_fail_at(
      m->cx, &p->at,
      "at which temperature is new material without stress? Give `stress_free_temperature`, an "
      "`inherent` strain, or the material's `solidus`");
}

/* Elements of a layer are born: at their stress-free temperature (warm0 is the excess over the
   nodes), with no share of the inherent strain yet. Both change over the steps of the layer. */
static ig_status layer_begin(ig_stress_run *r, const ig_stress_phase *p, int group) {
  ig_stress *m = r->m;
  ig_lid *list = NULL, count = 0;
  double *birth = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &list, m->elements, "births"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &birth, m->elements, "births"));
  for (ig_lid e = 0; e < m->elements; e++) {
    if (r->group[e] != group)
      continue;
    double now = 0;
    for (int a = 0; a < m->npe; a++)
      now += r->T0[m->conn[m->npe * (int64_t)e + a]] / m->npe;
    IG_TRY_GOTO(status, done, born_at(r, p, e, now, birth + count));
    const int64_t own = ig_stress_own(m, e);
    if (own >= 0) {
      r->warm0[own] = birth[count] - now;
      r->share0[own] = 0;
    }
    list[count++] = e;
  }
  if (count == 0)
    goto done;
  memcpy(m->share.host, r->share0, sizeof(double) * (size_t)m->part.elements);
  IG_TRY_GOTO(status, done, ig_array_push(m->cx, &m->share));
  IG_TRY_GOTO(status, done, ig_stress_birth(m, list, birth, count, p->new_nodes));
  status = ig_stress_system_change(m, false);
done:
  free(list);
  free(birth);
  return status;
}

/* Height of the newest layer's top above where it was drawn. The first layer that a recoater would
   touch is reported with the place. */
static ig_status layer_end(ig_stress_run *r, const ig_stress_phase *p, int group) {
  ig_stress *m = r->m;
  const double *u = m->u.host, *x = m->mesh->x;
  double top = -INFINITY, base = INFINITY;
  int64_t at = 0;
  IG_TRY(ig_array_pull(m->cx, &m->u));
  r->recoater_now = -INFINITY;
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
    if (r->group[i / m->npe] == group) {
      top = fmax(top, x[3 * (int64_t)m->conn[i] + 2]);
      base = fmin(base, x[3 * (int64_t)m->conn[i] + 2]);
    }
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++) {
    const int64_t n = m->conn[i];
    /* nodes at its base are those of the layer below, of which the height is known, or the plate's
     */
    if (r->group[i / m->npe] != group || x[3 * n + 2] < base + 1e-9 * (1 + fabs(base)))
      continue;
    /* layers of tetrahedra are ragged: what the layer below had is known */
    if (m->type == IG_TET10 && !isnan(r->recoater[n]))
      continue;
    r->recoater[n] = u[3 * n + 2];
    /* 1e-9: nodes of the top level, whatever the rounding of their coordinates */
    if (x[3 * n + 2] > top - 1e-9 * (1 + fabs(top)) && u[3 * n + 2] > r->recoater_now) {
      r->recoater_now = u[3 * n + 2];
      at = 3 * n;
    }
  }
  r->recoater_now = isfinite(r->recoater_now) ? r->recoater_now : 0;
  if (r->recoater_now > p->clearance && r->touches++ == 0)
    ig_warn_at(m->cx, &p->at,
               "layer %d stands %.3g m above its level at (%.4g, %.4g, %.4g) m, more than the "
               "`clearance` of %.3g m: the recoater touches it (figure recoater_touches counts "
               "layers)",
               group + 1, r->recoater_now, x[at], x[at + 1], x[at + 2], p->clearance);
  return IG_OK;
}

/* A stretch of a cut: its elements are removed, its nodes released from all supports. The step
   that follows finds the new equilibrium. */
static ig_status cut_begin(ig_stress_run *r, int group) {
  ig_stress *m = r->m;
  ig_lid *list = NULL, count = 0;
  bool let_go = false;
  IG_TRY(IG_NEW(m->cx, &list, m->elements, "cut"));
  for (ig_lid e = 0; e < m->elements; e++)
    if (r->group[e] == group)
      list[count++] = e;
  for (ig_lid n = 0; n < m->nodes; n++)
    if (r->group_node[n] == group) {
      m->held.freed[n] = 7;
      let_go = true;
    }
  m->balance.cut = true;
  ig_status status = count ? ig_stress_remove(m, list, count) : IG_OK;
  free(list);
  if (status == IG_OK && (count || let_go))
    status = ig_stress_system_change(m, let_go);
  return status;
}

/* Uniform temperature at a time of the phase; without a table as it is. */
static double temperature_at(const ig_table *t, double time, double now) {
  if (t->count == 0)
    return now;
  return ig_history_at((ig_history){0, t->count}, t->x, t->y, time);
}

/* Flash heating: what layers are hotter than the nodes falls by the law of the last build. */
static void excess_fall(ig_stress_run *r, int phase, double dt) {
  double decay = NAN;
  for (int i = 0; i <= phase; i++)
    if (phase_of(r, i)->kind == IG_PHASE_BUILD)
      decay = phase_of(r, i)->decay;
  for (ig_lid i = 0; !isnan(decay) && i < r->m->part.elements; i++)
    r->warm1[i] = r->warm0[i] * exp(-dt / decay);
}

/* One step: supports at the start of a phase; births, removal or the state of a thermal run;
   temperatures and shares at its end; equilibrium; then the end becomes the start of the next
   one. */
ig_status ig_stress_steps_next(ig_stress_run *r) {
  ig_stress *m = r->m;
  const ig_stress_step *s = r->step + r->at, *before = r->at ? s - 1 : NULL;
  const ig_stress_phase *p = phase_of(r, s->phase);
  const size_t ne = sizeof(double) * (size_t)m->part.elements;
  double dt = s->time - (before ? before->time : 0);
  bool calm = false;
  IG_TRY(ig_stress_steps_group(r, s->phase));
  if (!before || before->phase != s->phase) {
    IG_TRY(ig_stress_steps_supports(r, s->phase, true));
    IG_TRY(ig_stress_system_change(m, true));
    m->balance.cut = true; /* supports that let go release energy as a cut does */
  }
  if (p->kind == IG_PHASE_BUILD && s->piece == 0)
    IG_TRY(layer_begin(r, p, s->group));
  if (p->kind == IG_PHASE_CUT)
    IG_TRY(cut_begin(r, s->group));
  if (p->kind == IG_PHASE_HEAT)
    IG_TRY(ig_stress_heat_begin(r, p, s, &dt, &calm));
  else if (!r->given)
    for (ig_lid n = 0; n < m->nodes; n++)
      r->T1[n] = temperature_at(&p->temperature, s->time - s->start, r->T0[n]);
  if (calm) {
    m->count.newton = m->count.linear = 0;
    r->at++;
    return ig_stress_look_now(r);
  }
  const bool given = r->given;
  r->given = false;
  memcpy(r->warm1, r->warm0, ne);
  memcpy(r->share1, r->share0, ne);
  /* share of the way that is left after this piece, from what is left before it: 0 at the last
     piece */
  const double left = (double)(s->pieces - 1 - s->piece) / (s->pieces - s->piece);
  excess_fall(r, s->phase, dt);
  for (ig_lid i = 0; p->kind == IG_PHASE_BUILD && i < m->part.elements; i++)
    if (r->group[ig_stress_element(m, i)] == s->group) {
      if (isnan(p->decay))
        r->warm1[i] = left * r->warm0[i];
      r->share1[i] = 1 - left * (1 - r->share0[i]);
    }
  const ig_stress_goal goal = {.time = s->time,
                               .dt = dt,
                               .T0 = r->T0,
                               .T1 = r->T1,
                               .warmer0 = r->warm0,
                               .warmer1 = r->warm1,
                               .share0 = r->share0,
                               .share1 = r->share1};
  const int64_t linear = m->count.linear_all;
  const ig_status status = ig_stress_advance(m, &goal);
  /* an interrupted step is repeated: temperatures that a program set are still due */
  r->broken = status == IG_INTERRUPTED;
  r->given = given && r->broken;
  IG_TRY(status);
  IG_TRY(ig_stress_tear(m, &goal, p->kind == IG_PHASE_BUILD ? s->group + 1 : 0));
  if (p->kind == IG_PHASE_HEAT)
    IG_TRY(ig_stress_heat_done(r, s->piece == s->pieces - 1));
  /* unknowns times products of the step; one more for the residual */
  r->work += (double)(m->count.linear_all - linear + 1) * 3.0 * m->nodes;
  memcpy(r->T0, r->T1, sizeof(double) * (size_t)m->nodes);
  memcpy(r->warm0, r->warm1, ne);
  memcpy(r->share0, r->share1, ne);
  if (p->kind == IG_PHASE_BUILD && s->piece == s->pieces - 1)
    IG_TRY(layer_end(r, p, s->group));
  r->at++;
  IG_TRY(ig_stress_look_now(r));
  if (r->at < r->steps && s[1].phase == s->phase)
    return IG_OK;
  ig_stress_rotation_warn(r);
  return ig_stress_energy_check(m, r->at == r->steps);
}
