/* Keys that are given and have no effect in a case: refused, with the place of their entry. A key
   whose value is its default counts as left out. What decks carry along for other analyses
   (damping, velocities, heat) is a warning. */
#include "structure/structure.h"

#include <math.h>
#include <string.h>

/* One rule: whether the key is given where it has no effect. */
typedef struct {
  bool given;
  const char *key, *why;
} rule;

/* The first rule that applies is reported: like all bad input, one error at a time. */
static ig_status refuse(ig_ctx *cx, const ig_src *at, const rule *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (list[i].given)
      return ig_fail_at(cx, at, "`%s` has no effect here: %s", list[i].key, list[i].why);
  return IG_OK;
}
#define REFUSE(cx, at, list) refuse(cx, at, list, sizeof(list) / sizeof *(list))

/* NaN is a value that was not given. */
static bool any(const double v[3]) {
  bool found = false;
  for (int d = 0; d < 3; d++)
    found = found || (!isnan(v[d]) && v[d] != 0);
  return found;
}

static ig_status check_analyses(ig_ctx *cx, const ig_structure_case *c) {
  for (int i = 0; i < c->analysis.count; i++) {
    const ig_structure_analysis *a = IG_ITEM(const ig_structure_analysis, c->analysis, i);
    const bool modes = a->kind == IG_STRUCTURE_FREQUENCY || a->kind == IG_STRUCTURE_BUCKLING;
    const bool frequency = a->kind == IG_STRUCTURE_FREQUENCY, heat = a->kind == IG_STRUCTURE_HEAT;
    static const char stepped[] = "it is for analyses that take steps: static, dynamic, heat";
    const rule list[] = {
        {!heat && a->steady, "steady", "it is for kind: heat"},
        {heat && a->large, "large", "heat flows through the drawn shape"},
        {frequency && a->duration != 1, "duration", "frequencies take no time"},
        {a->kind != IG_STRUCTURE_STATIC && a->creep, "creep", "it is for kind: static"},
        {a->creep && a->method == IG_STRUCTURE_ARC_LENGTH, "creep",
         "it takes time, and an arc length does not follow it"},
        {!a->creep && a->creep_change != 1e-6, "creep_change", "it is for `creep: true`"},
        {modes && !isnan(a->first_step), "first_step", stepped},
        {modes && !isnan(a->largest_step), "largest_step", stepped},
        {modes && a->fixed_steps, "fixed_steps", stepped},
        {a->fixed_steps && !isnan(a->largest_step), "largest_step",
         "with `fixed_steps` every step is as long as the first"},
        {a->first_step > a->largest_step, "first_step", "it is longer than `largest_step`"},
        {modes && a->tolerance != 1e-5, "tolerance", stepped},
        {modes && a->steps != 100000, "steps", stepped},
        {a->kind != IG_STRUCTURE_DYNAMIC && a->alpha != -0.05, "alpha", "it is for kind: dynamic"},
        {!modes && a->modes != 1, "modes", "it is for kind: frequency and kind: buckling"},
        {!modes && a->reached, "reached", "it is for kind: frequency and kind: buckling"},
        {modes && a->reached && i == 0, "reached",
         "this is the first analysis, and no state was reached before it"},
        {!frequency && !isnan(a->lowest), "lowest", "it is for kind: frequency"},
        {!frequency && !isnan(a->highest), "highest", "it is for kind: frequency"}};
    IG_TRY(REFUSE(cx, &a->at, list));
  }
  return IG_OK;
}

/* Motions of components that are not prescribed; what belongs to motions, beside `fix`. */
static ig_status check_supports(ig_ctx *cx, const ig_structure_case *c) {
  for (int i = 0; i < c->supports.count; i++) {
    const ig_structure_support *h = IG_ITEM(const ig_structure_support, c->supports, i);
    bool led[2][3] = {{false}}; /* displacements, rotations */
    for (const char *p = h->components; *p; p++) {
      const int turn = *p == 'r';
      p += turn;
      if (*p >= 'x' && *p <= 'z')
        led[turn][*p - 'x'] = true;
      else if (strncmp(p, "all", 3) == 0)
        memset(led, true, sizeof led);
    }
    bool moved = false, turned = false; /* a component that is not prescribed */
    for (int d = 0; d < 3; d++) {
      moved |= !led[0][d] && !isnan(h->displacement[d]) && h->displacement[d] != 0;
      turned |= !led[1][d] && !isnan(h->rotation[d]) && h->rotation[d] != 0;
    }
    static const char motion[] = "it is for a `displacement` or `rotation`, not for `fix`";
    const rule list[] = {
        {h->fix && strcmp(h->components, "xyz") != 0, "components", motion},
        {h->fix && h->history.count > 0, "history", motion},
        {!h->fix && moved, "displacement", "it moves a component that `components` leaves free"},
        {!h->fix && turned, "rotation", "`components` leaves rotations free: add rx, ry or rz"},
        {!h->fix && h->where != 0, "where", "it is for `fix`"}};
    IG_TRY(REFUSE(cx, &h->at, list));
  }
  return IG_OK;
}

static ig_status check_loads(ig_ctx *cx, const ig_structure_case *c) {
  for (int i = 0; i < c->loads.count; i++) {
    const ig_structure_load *load = IG_ITEM(const ig_structure_load, c->loads, i);
    const double *axis = load->axis;
    const bool weighs = !isnan(load->acceleration[0]), turns = !isnan(load->rate);
    const bool pushes = !isnan(load->force[0]) || !isnan(load->total[0]) ||
                        !isnan(load->moment[0]) || !isnan(load->pressure);
    if (!isnan(load->force[0]) && !isnan(load->total[0]))
      return ig_fail_at(cx, &load->at,
                        "`force` is that of each node, `total` that of all together: give one of "
                        "them");
    if (weighs + turns + pushes > 1)
      return ig_fail_at(cx, &load->at,
                        "`acceleration`, `rate` and forces, moments or a pressure each take an "
                        "entry of `loads` of its own");
    const rule list[] = {{isnan(load->rate) && any(load->point), "point", "it is for `rate`"},
                         {isnan(load->rate) && (axis[0] != 0 || axis[1] != 0 || axis[2] != 1),
                          "axis", "it is for `rate`"}};
    IG_TRY(REFUSE(cx, &load->at, list));
  }
  for (int i = 0; i < c->heat_loads.count; i++) {
    const ig_structure_heat_load *load = IG_ITEM(const ig_structure_heat_load, c->heat_loads, i);
    const rule list[] = {{!isnan(load->sink) && isnan(load->film) && isnan(load->emissivity),
                          "sink", "it is for `film` and `emissivity`"}};
    IG_TRY(REFUSE(cx, &load->at, list));
  }
  return IG_OK;
}

static ig_status check_constraints(ig_ctx *cx, const ig_structure_case *c) {
  for (int i = 0; i < c->couplings.count; i++) {
    const ig_structure_coupling *k = IG_ITEM(const ig_structure_coupling, c->couplings, i);
    static const char drawn[] = "`axes` are fixed";
    const bool turned = k->kind == IG_COUPLING_KINEMATIC || k->kind == IG_COUPLING_DISTRIBUTING;
    const rule list[] = {
        {k->axes == 0 && any(k->a), "a", drawn},
        {k->axes == 0 && any(k->b), "b", drawn},
        {!turned && k->axes != 0, "axes", "it is for kind: kinematic and kind: distributing"},
        {k->kind != IG_COUPLING_KINEMATIC && strcmp(k->components, "x y z") != 0, "components",
         "it is for kind: kinematic"},
        {k->kind != IG_COUPLING_RIGID && k->rotation_node, "rotation_node",
         "it is for kind: rigid"}};
    IG_TRY(REFUSE(cx, &k->at, list));
  }
  for (int i = 0; i < c->contacts.count; i++) {
    const ig_contact_case *k = IG_ITEM(const ig_contact_case, c->contacts, i);
    static const char tied[] = "`tied` surfaces do not slide or part";
    const rule list[] = {{k->tied && !isnan(k->decay[0]), "decay", tied},
                         {k->tied && k->friction > 0, "friction", tied},
                         {k->tied && !isnan(k->stick), "stick", tied},
                         {k->tied && k->sliding, "sliding", tied},
                         {k->tied && !isnan(k->penetration), "penetration", tied},
                         {!isnan(k->decay[0]) && !isnan(k->penetration), "penetration",
                          "the pressure of `decay` begins before sides touch"},
                         {!isnan(k->tension) && !isnan(k->penetration), "penetration",
                          "with `tension` the pressure is a function of the distance"},
                         {k->tangential > 0 && k->damping == 0, "tangential",
                          "it is a share of `damping`, which is not given"}};
    IG_TRY(REFUSE(cx, &k->at, list));
  }
  for (int i = 0; i < c->joints.count; i++) {
    const ig_structure_joint *j = IG_ITEM(const ig_structure_joint, c->joints, i);
    const rule list[] = {
        {j->node && j->kind != IG_JOINT_MEAN_ROTATION, "node", "it is for kind: mean_rotation"}};
    IG_TRY(REFUSE(cx, &j->at, list));
  }
  return IG_OK;
}

/* What no analysis of the case takes, though another kind would. */
static void warn_idle(ig_ctx *cx, const ig_structure_case *c) {
  bool moves = false, heats = false;
  for (int i = 0; i < c->analysis.count; i++) {
    const int kind = IG_ITEM(const ig_structure_analysis, c->analysis, i)->kind;
    moves |= kind == IG_STRUCTURE_DYNAMIC;
    heats |= kind == IG_STRUCTURE_HEAT;
  }
  bool damps = c->damping.count > 0, flies = false;
  for (int i = 0; i < c->contacts.count; i++)
    damps |= IG_ITEM(const ig_contact_case, c->contacts, i)->damping > 0;
  for (int i = 0; i < c->initial.count; i++)
    flies |= any(IG_ITEM(const ig_structure_initial, c->initial, i)->velocity);
  if (!moves && damps)
    ig_warn_at(cx, &c->at, "damping has no effect: no analysis has `kind: dynamic`");
  if (!moves && flies)
    ig_warn_at(cx, &c->at,
               "velocities at the start have no effect: no analysis has `kind: dynamic`");
  if (!heats && c->prescribed_temperatures.count + c->heat_loads.count > 0)
    ig_warn_at(cx, &c->at,
               "`prescribed_temperatures` and `heat_loads` have no effect: no analysis has `kind: "
               "heat`; `temperatures` causes thermal strain");
}

ig_status ig_structure_unused(ig_ctx *cx, const ig_structure_case *c) {
  IG_TRY(check_analyses(cx, c));
  IG_TRY(check_supports(cx, c));
  IG_TRY(check_loads(cx, c));
  IG_TRY(check_constraints(cx, c));
  warn_idle(cx, c);
  return IG_OK;
}
