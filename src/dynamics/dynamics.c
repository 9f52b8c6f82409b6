/* The dynamics room: what a case may say, and a run from its first step to its last. */
#include "dynamics/dynamics.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- options ------------------------------------------------------------------------------------
 */

#define S ig_dyn_section
static const ig_option section_options[] = {
    IG_TEXTS(S, set, NULL, "element sets it is for; left out: every element not claimed"),
    IG_CHOICE(S, integration, "bbar|full|single", "bbar",
              "hexahedra: eight points with mean dilation, eight plain ones, or one with hourglass "
              "control"),
    IG_REAL(S, hourglass, "", "0.1", 0, 10, "hexahedra, one point: stiffness of hourglass control"),
    IG_REAL(S, bulk_linear, "", "0", 0, 10, "solids: linear bulk viscosity"),
    IG_REAL(S, bulk_quadratic, "", "0", 0, 10, "solids: quadratic bulk viscosity"),
    IG_REAL(S, thickness, "m", NULL, IG_TINY, 1e6, "shells: thickness"),
    IG_INT(S, planes, "4", 3, 4,
           "plastic shells: points in the plane (five through the thickness)"),
    IG_BOOL(S, thinning, "false", "plastic shells: the thickness follows the strain"),
    IG_CHOICE(S, line, "beam|bar|cable", "beam", "lines: beams, bars, or cables that only pull"),
    IG_CHOICE(S, profile, "circle|tube|rectangle|i", "circle", "lines: shape of the section"),
    IG_REAL(S, radius, "m", NULL, IG_TINY, 1e6, "circle, tube: outer radius"),
    IG_REAL(S, wall, "m", NULL, IG_TINY, 1e6, "tube: wall thickness"),
    IG_REAL(S, width, "m", NULL, IG_TINY, 1e6, "rectangle, i: width"),
    IG_REAL(S, height, "m", NULL, IG_TINY, 1e6, "rectangle, i: height"),
    IG_REAL(S, flange, "m", NULL, IG_TINY, 1e6, "i: thickness of the flanges"),
    IG_REAL(S, web, "m", NULL, IG_TINY, 1e6, "i: thickness of the web"),
    IG_REAL(S, area, "m^2", NULL, IG_TINY, 1e6, "area, instead of a profile"),
    IG_REAL(S, iy, "m^4", NULL, 0, 1e6, "second moment for bending along the height"),
    IG_REAL(S, iz, "m^4", NULL, 0, 1e6, "second moment for bending along the width"),
    IG_REAL(S, torsion, "m^4", NULL, 0, 1e6, "torsion constant"),
    IG_VECTOR(S, up, 3, "", NULL, "beams: where the section's height points"),
    IG_END};
#undef S
#define S ig_dyn_constraint
static const ig_option constraint_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "node set"),
    IG_TEXT(S, fix, NULL, "'all', or some of x y z rx ry rz"),
    IG_TEXT(S, along, "xyz", "components that the motions below hold; the others stay free"),
    IG_VECTOR(S, displacement, 3, "m", NULL, "displacement, times the history"),
    IG_VECTOR(S, velocity, 3, "m/s", NULL, "velocity, times the history"),
    IG_VECTOR(S, acceleration, 3, "m/s^2", NULL, "acceleration, times the history"),
    IG_VECTOR(S, spin, 3, "rad/s", NULL, "rate of rotation, times the history"),
    IG_TABLE(S, history, "s", "", NULL, 0, 0, "factor over time; left out: 1"),
    IG_END};
#undef S
#define S ig_dyn_load
static const ig_option load_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "node set; for a pressure a face set or shell elements"),
    IG_VECTOR(S, force, 3, "N", NULL, "force on each node"),
    IG_VECTOR(S, moment, 3, "N m", NULL, "moment on each node"),
    IG_VECTOR(S, total, 3, "N", NULL, "force shared by the nodes of the set"),
    IG_REAL(S, pressure, "Pa", NULL, 0, 0, "pressure against the outward normal; follows it"),
    IG_TABLE(S, history, "s", "", NULL, 0, 0, "factor over time; left out: 1"),
    IG_END};
#undef S
#define S ig_dyn_initial
static const ig_option initial_options[] = {
    IG_TEXT(S, set, NULL, "node set; left out: all"),
    IG_VECTOR(S, velocity, 3, "m/s", "[0, 0, 0]", "velocity"),
    IG_VECTOR(S, spin, 3, "rad/s", "[0, 0, 0]", "rate of rotation"),
    IG_VECTOR(S, about, 3, "m", "[0, 0, 0]", "point it turns about"), IG_END};
#undef S
#define S ig_dyn_tool_case
static const ig_option tool_options[] = {
    IG_CHOICE(S, shape, IG_TOOL_CHOICES, "plane", "shape"),
    IG_VECTOR(S, point, 3, "m", "[0, 0, 0]", "a point of the plane or axis; the centre"),
    IG_VECTOR(S, axis, 3, "", "[0, 0, 1]", "outward normal of a plane; axis of a cylinder"),
    IG_REAL(S, radius, "m", "0", 0, 1e9, "of a sphere or cylinder"),
    IG_VECTOR(S, velocity, 3, "m/s", "[0, 0, 0]", "it moves at"),
    IG_VECTOR(S, travel, 3, "m", "[0, 0, 0]", "its way, times the history"),
    IG_REAL(S, friction, "", "0", 0, 100, "Coulomb friction"),
    IG_TABLE(S, history, "s", "", NULL, 0, 0, "share of the way over time"),
    IG_END};
#undef S
#define S ig_dyn_gravity
static const ig_option gravity_options[] = {
    IG_VECTOR(S, acceleration, 3, "m/s^2", "[0, 0, -9.81]", "acceleration"),
    IG_TABLE(S, history, "s", "", NULL, 0, 0, "factor over time; left out: 1"), IG_END};
#undef S
#define S ig_dyn_contact
static const ig_option contact_options[] = {
    IG_BOOL(S, on, "true", "surfaces of the mesh do not pass through each other"),
    IG_REAL(S, penalty, "", "0.1", IG_TINY, 10, "stiffness, as a share of what the step allows"),
    IG_REAL(S, friction, "", "0", 0, 100, "Coulomb friction"),
    IG_REAL(S, thickness, "m", NULL, 0, 1e6,
            "distance at which contact begins; left out: half the shells' thickness, or a tenth of "
            "the mean edge"),
    IG_END};
#undef S
#define S ig_dyn_analysis
static const ig_option analysis_options[] = {
    IG_CHOICE(S, kind, "dynamic|static", "dynamic", "through time, or to equilibrium"),
    IG_REAL(S, duration, "s", NULL, IG_TINY, 1e9, "dynamic: how long"),
    IG_REAL(S, time_step, "s", NULL, IG_TINY, 1e9,
            "dynamic: step; left out: from the critical one"),
    IG_REAL(S, safety, "", "0.9", IG_TINY, 1, "share of the critical step"),
    IG_INT(S, update, "100", 0, 1e9, "steps between looks at the critical step, 0: one look"),
    IG_REAL(S, damping, "1/s", NULL, 0, 1e12, "mass damping; static, viscous: found if left out"),
    IG_REAL(S, least_step, "s", "0", 0, 1e9, "elements get mass until theirs is this; 0: none"),
    IG_CHOICE(S, relaxation, "viscous|kinetic", "viscous", "static: how motion is taken away"),
    IG_REAL(S, tolerance, "", "1e-4", IG_TINY, 1, "static: residual force over all force"),
    IG_INT(S, steps, "200000", 1, 1e12, "static: most steps"),
    IG_REAL(S, ramp, "", "500", 1, 1e12, "static: steps over which the load grows"),
    IG_REAL(S, at_time, "s", "1", 0, 1e9, "static: time at which histories are read"),
    IG_END};
#undef S
#define S ig_dyn_probe
static const ig_option probe_options[] = {
    IG_TEXT(S, name, IG_REQUIRED, "name of its column"),
    IG_TEXT(S, set, NULL, "node set: mean of motions, sum of forces"),
    IG_VECTOR(S, point, 3, "m", NULL, "or the node nearest to this point"),
    IG_CHOICE(S, quantity, IG_PROBE_CHOICES, "uz",
              "displacement, velocity, or force that holds the nodes"),
    IG_END};
#undef S
#define S ig_dyn_case
const ig_option ig_dyn_options[] = {
    IG_LIST(S, sections, ig_dyn_section, section_options, NULL, "what elements are like"),
    IG_LIST(S, constraints, ig_dyn_constraint, constraint_options, NULL, "what holds nodes"),
    IG_LIST(S, loads, ig_dyn_load, load_options, NULL, "what pushes nodes and faces"),
    IG_LIST(S, initial, ig_dyn_initial, initial_options, NULL, "velocities at the start"),
    IG_LIST(S, tools, ig_dyn_tool_case, tool_options, NULL, "rigid tools"),
    IG_MAP(S, gravity, ig_dyn_gravity, gravity_options, NULL, "gravity"),
    IG_MAP(S, contact, ig_dyn_contact, contact_options, NULL, "contact of the mesh with itself"),
    IG_LIST(S, analysis, ig_dyn_analysis, analysis_options, IG_REQUIRED,
            "analyses, one after the other on the same particles"),
    IG_LIST(S, probes, ig_dyn_probe, probe_options, NULL, "columns of the history"),
    IG_REAL(S, inertia_scale, "", "0.125", 0, 1,
            "rotary inertia of shells is at least this x area x mass; 0: the physical one"),
    IG_REAL(S, energy_error, "", "0.1", IG_TINY, 1e9, "stop when the balance is off by this share"),
    IG_REAL(S, added_mass, "", "0.5", IG_TINY, 1e9, "stop when scaling adds this share of mass"),
    IG_INT(S, report_every, "0", 0, 1e12, "a log line of energies every so many steps"),
    IG_END};
#undef S

/* --- a run ---------------------------------------------------------------------------------------
 */

typedef struct {
  ig_job *job;
  const ig_dyn_case *c;
  ig_dyn_model *m;
  double duration;          /* of all dynamic analyses */
  double next_picture, gap; /* simulated time of the next snapshot, between two */
  int64_t next_step;        /* or its step */
  double last_checkpoint;   /* wall time */
  double worst_error, solve_start;
  int columns;
  char (*names)[64];
  double *values;
  ig_lid *probe_node; /* of point probes */
  double *report;
  int64_t element_steps;
  int64_t analysis; /* the one under way, and its start */
  double analysis_start;
} run;

static const ig_dyn_clock *clock_of(const run *r) {
  return r->m->clock.host;
}

static double probe_value(const run *r, const ig_dyn_probe *p, ig_lid node) {
  const ig_dyn_model *m = r->m;
  const ig_set *set = p->set ? ig_mesh_find_set(m->mesh, p->set, IG_SET_NODES) : NULL;
  const ig_lid count = set ? set->count : 1;
  const int c = p->quantity % 3, D = m->p.dofs;
  double sum = 0;
  for (ig_lid k = 0; k < count; k++) {
    const int64_t n = set ? set->item[k] : node;
    if (p->quantity < 3)
      sum += ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c];
    else if (p->quantity < 6)
      sum += ig_dyn_get(m, &m->v, D * n + c);
    else /* what keeps the particle in balance with its elements and loads */
      sum += ig_dyn_get(m, &m->f, D * n + c) -
             (m->load.count ? ig_dyn_get(m, &m->load, D * n + c) : 0);
  }
  return p->quantity < 6 && count > 0 ? sum / count : sum;
}

static ig_status probes_open(run *r) {
  static const char *const fixed[] = {"time [s]",     "step_size [s]", "kinetic [J]",
                                      "internal [J]", "external [J]",  "damping [J]",
                                      "contact [J]",  "error"};
  ig_ctx *cx = r->job->cx;
  const int n = r->c->probes.count, first = (int)(sizeof fixed / sizeof *fixed);
  r->columns = first + n;
  IG_TRY(IG_NEW(cx, &r->names, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->values, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->probe_node, n + 1, "probes"));
  for (int i = 0; i < first; i++)
    snprintf(r->names[i], sizeof r->names[i], "%s", fixed[i]);
  for (int i = 0; i < n; i++) {
    const ig_dyn_probe *p = IG_ITEM(const ig_dyn_probe, r->c->probes, i);
    static const char *const unit[3] = {"m", "m/s", "N"};
    snprintf(r->names[first + i], sizeof r->names[0], "%.48s [%s]", p->name, unit[p->quantity / 3]);
    if (p->set) {
      if (!ig_mesh_find_set(r->m->mesh, p->set, IG_SET_NODES))
        return ig_fail_at(cx, &p->at, "the mesh has no node set '%s'", p->set);
      continue;
    }
    if (isnan(p->point[0]))
      return ig_fail_at(cx, &p->at, "a probe needs a `set` or a `point`");
    double best = INFINITY;
    for (ig_lid k = 0; k < r->m->mesh->nodes; k++) {
      double d = 0;
      for (int c = 0; c < 3; c++)
        d += pow(r->m->x0[3 * (int64_t)k + c] - p->point[c], 2);
      if (d < best) {
        best = d;
        r->probe_node[i] = k;
      }
    }
  }
  return IG_OK;
}

static ig_status history_write(run *r, ig_dyn_energy *e) {
  const double start = ig_now();
  IG_TRY(ig_dyn_energies(r->m, e));
  IG_TRY(ig_dyn_pull(r->m));
  if (r->m->load.count)
    IG_TRY(ig_array_pull(r->job->cx, &r->m->load));
  r->worst_error = fmax(r->worst_error, fabs(e->error));
  const double fixed[] = {clock_of(r)->time, clock_of(r)->dt, e->plain,   e->internal,
                          e->external,       e->damping,      e->contact, e->error};
  const int first = (int)(sizeof fixed / sizeof *fixed);
  memcpy(r->values, fixed, sizeof fixed);
  for (int i = 0; i < r->c->probes.count; i++)
    r->values[first + i] =
        probe_value(r, IG_ITEM(const ig_dyn_probe, r->c->probes, i), r->probe_node[i]);
  if (r->job->sink) {
    const char *names[256];
    for (int i = 0; i < r->columns; i++)
      names[i] = r->names[i];
    IG_TRY(r->job->sink->history(r->job->sink, r->columns, names, r->values));
  }
  r->job->seconds_output += ig_now() - start;
  return IG_OK;
}

static bool wanted(const run *r, const char *field) {
  const ig_texts *t = &r->job->output->fields;
  if (t->count == 0)
    return true;
  for (int i = 0; i < t->count; i++)
    if (strcmp(t->value[i], field) == 0)
      return true;
  return false;
}

static ig_status picture_write(run *r) {
  ig_ctx *cx = r->job->cx;
  ig_dyn_model *m = r->m;
  if (!r->job->sink)
    return IG_OK;
  const double start = ig_now();
  IG_TRY(ig_dyn_pull(m));
  const int64_t ne = ig_mesh_elements(m->mesh), nn = m->mesh->nodes;
  if (!r->report)
    IG_TRY(IG_NEW(cx, &r->report, ne * IG_DYN_REPORT, "element results"));
  IG_TRY(ig_dyn_report(m, r->report));
  uint8_t *alive = NULL;
  bool erodes = false;
  for (int k = 0; k < m->groups; k++)
    erodes |= m->group[k].law == IG_LAW_JOHNSON;
  if (erodes) { /* an element whose points have all failed carries nothing */
    IG_TRY(IG_NEW(cx, &alive, ne, "element results"));
    for (int64_t e = 0; e < ne; e++)
      alive[e] = !(r->report[e * IG_DYN_REPORT + 7] > 0 && r->report[e * IG_DYN_REPORT + 6] == 0);
  }
  ig_snapshot *snap;
  ig_status status =
      ig_snapshot_of_mesh(cx, m->mesh, alive, clock_of(r)->time, clock_of(r)->step, &snap);
  free(alive);
  IG_TRY(status);
  void *data;
  if (wanted(r, "displacement")) {
    IG_TRY_GOTO(status, failed,
                ig_snapshot_add(snap, "displacement", "m", IG_AT_POINTS, IG_F64, 3, NULL, &data));
    for (int64_t i = 0; i < 3 * nn; i++)
      ((double *)data)[i] = ig_dyn_get(m, &m->x, i) - m->x0[i];
  }
  if (wanted(r, "velocity")) {
    IG_TRY_GOTO(status, failed,
                ig_snapshot_add(snap, "velocity", "m/s", IG_AT_POINTS, IG_F64, 3, NULL, &data));
    for (int64_t i = 0; i < nn; i++)
      for (int c = 0; c < 3; c++)
        ((double *)data)[3 * i + c] = ig_dyn_get(m, &m->v, m->p.dofs * i + c);
  }
  static const struct {
    const char *name, *unit;
    int at, count;
  } fields[] = {{"stress", "Pa", 0, 6}, {"von_mises", "Pa", 6, 1}, {"plastic_strain", "", 7, 1}};
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
    if (!wanted(r, fields[k].name))
      continue;
    float *to = NULL;
    IG_TRY_GOTO(status, failed, IG_NEW(cx, &to, ne * fields[k].count, "element results"));
    for (int64_t e = 0; e < ne; e++)
      for (int c = 0; c < fields[k].count; c++)
        to[e * fields[k].count + c] = (float)r->report[e * IG_DYN_REPORT + fields[k].at + c];
    status = ig_snapshot_add(snap, fields[k].name, fields[k].unit, IG_AT_CELLS, IG_F32,
                             fields[k].count, to, NULL);
    free(to);
    if (status != IG_OK)
      goto failed;
  }
  status = r->job->sink->snapshot(r->job->sink, snap);
  r->job->seconds_output += ig_now() - start;
  return status;
failed:
  ig_snapshot_free(snap);
  return status;
}

/* --- checkpoints ---------------------------------------------------------------------------------
 */

enum { MARKS = 16 };
static void marks_of(const run *r, double mark[MARKS]) {
  const ig_dyn_clock *k = clock_of(r);
  const double all[MARKS] = {(double)k->step,
                             k->time,
                             k->dt,
                             k->before,
                             k->tick,
                             k->damping,
                             r->m->start_energy,
                             (double)r->analysis,
                             r->analysis_start,
                             r->next_picture,
                             (double)r->next_step,
                             r->worst_error,
                             r->m->scaled_to};
  memcpy(mark, all, sizeof all);
}

static int saved_arrays(run *r, double *mark, ig_saved *saved, char (*name)[32], int room) {
  ig_dyn_model *m = r->m;
  const ig_dtype part = m->part == sizeof(double) ? IG_F64 : IG_F32;
  int n = 0;
  saved[n++] = (ig_saved){"marks", IG_F64, MARKS, mark};
  saved[n++] = (ig_saved){"x", part, (int64_t)m->x.count, m->x.host};
  saved[n++] = (ig_saved){"v", part, (int64_t)m->v.count, m->v.host};
  saved[n++] = (ig_saved){"f", part, (int64_t)m->f.count, m->f.host};
  saved[n++] = (ig_saved){"work", IG_F64, (int64_t)m->work.count, m->work.host};
  for (int k = 0; k < m->groups && n < room; k++) {
    const ig_array *s = &m->group[k].state;
    snprintf(name[n], sizeof name[n], "state%d", k);
    saved[n] = (ig_saved){name[n], s->size == sizeof(double) ? IG_F64 : IG_F32, (int64_t)s->count,
                          s->host};
    n++;
  }
  return n;
}

static ig_status checkpoint_write(run *r) {
  ig_dyn_model *m = r->m;
  if (!r->job->sink)
    return IG_OK;
  const double start = ig_now();
  IG_TRY(ig_dyn_pull(m));
  IG_TRY(ig_array_pull(m->cx, &m->work));
  for (int k = 0; k < m->groups; k++)
    IG_TRY(ig_array_pull(m->cx, &m->group[k].state));
  const int room = 5 + m->groups;
  ig_saved *saved = NULL;
  char(*name)[32] = NULL;
  double mark[MARKS];
  marks_of(r, mark);
  IG_TRY(IG_NEW(m->cx, &saved, room, "checkpoint"));
  ig_status status = IG_NEW(m->cx, &name, room, "checkpoint");
  if (status == IG_OK) {
    const int n = saved_arrays(r, mark, saved, name, room);
    status = r->job->sink->checkpoint(r->job->sink, clock_of(r)->time, clock_of(r)->step, saved, n);
  }
  free(saved);
  free(name);
  r->last_checkpoint = ig_now();
  r->job->seconds_output += ig_now() - start;
  return status;
}

static ig_status checkpoint_read(run *r) {
  ig_dyn_model *m = r->m;
  ig_ctx *cx = m->cx;
  const int room = 5 + m->groups;
  ig_saved *saved = NULL;
  char(*name)[32] = NULL;
  double mark[MARKS];
  ig_status status = IG_OK;
  IG_TRY(IG_NEW(cx, &saved, room, "checkpoint"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &name, room, "checkpoint"));
  const int n = saved_arrays(r, mark, saved, name, room);
  for (int i = 0; i < n; i++) {
    const void *data;
    IG_TRY_GOTO(
        status, done,
        ig_restart_find(cx, r->job->restart, saved[i].name, saved[i].dtype, saved[i].count, &data));
    memcpy(saved[i].data, data, (size_t)saved[i].count * ig_dtype_size(saved[i].dtype));
  }
  ig_dyn_clock *k = m->clock.host;
  k->step = (int64_t)mark[0];
  k->time = mark[1], k->dt = mark[2], k->before = mark[3], k->tick = mark[4], k->damping = mark[5];
  m->start_energy = mark[6];
  r->analysis = (int64_t)mark[7], r->analysis_start = mark[8];
  r->next_picture = mark[9], r->next_step = (int64_t)mark[10], r->worst_error = mark[11];
  if (mark[12] > 0)
    IG_TRY_GOTO(status, done, ig_dyn_masses(m, mark[12]));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->clock));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->x));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->v));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->f));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->work));
  for (int i = 0; i < m->groups; i++)
    IG_TRY_GOTO(status, done, ig_array_push(cx, &m->group[i].state));
done:
  free(saved);
  free(name);
  return status;
}

/* --- the queue of analyses -----------------------------------------------------------------------
 */

/* Balance from here on: what is there now counts as put in. */
static ig_status balance_start(ig_dyn_model *m) {
  ig_dyn_energy e;
  m->start_energy = 0;
  IG_TRY(ig_dyn_energies(m, &e));
  m->start_energy = e.plain + e.internal + e.damping - e.external - e.contact;
  return IG_OK;
}

static ig_status step_choose(run *r, const ig_dyn_analysis *a) {
  double critical;
  const double damping = isnan(a->damping) ? 0 : a->damping;
  IG_TRY(ig_dyn_critical_step(r->m, &critical));
  if (!isnan(a->time_step)) {
    if (a->time_step > critical)
      ig_warn_at(r->job->cx, &a->at, "time_step %g s is above the critical step %g s", a->time_step,
                 critical);
    return ig_dyn_set_clock(r->m, a->time_step, damping);
  }
  return ig_dyn_set_clock(r->m, a->safety * critical, damping);
}

static ig_status analysis_dynamic(run *r, const ig_dyn_analysis *a, bool resumed) {
  ig_ctx *cx = r->job->cx;
  ig_dyn_model *m = r->m;
  const ig_output_case *o = r->job->output;
  if (isnan(a->duration))
    return ig_fail_at(cx, &a->at, "a dynamic analysis needs its `duration`");
  if (!resumed) {
    IG_TRY(ig_dyn_masses(m, a->least_step));
    if (m->mass_scaled > r->c->added_mass * m->total_mass)
      return ig_fail_at(cx, &a->at, "`least_step` adds %.3g %% of mass, more than `added_mass`",
                        100 * m->mass_scaled / m->total_mass);
    if (m->mass_scaled > 0)
      ig_info(cx, "mass scaling adds %.3g %% of mass", 100 * m->mass_scaled / m->total_mass);
    IG_TRY(step_choose(r, a));
    IG_TRY(balance_start(m));
    r->analysis_start = clock_of(r)->time;
  }
  const double end = r->analysis_start + a->duration;
  ig_dyn_energy e;
  if (!resumed && clock_of(r)->step == 0) {
    IG_TRY(history_write(r, &e));
    IG_TRY(picture_write(r));
  }
  for (;;) {
    const ig_dyn_clock *k = clock_of(r);
    /* steps to the nearest thing that is due: every one of them at a fixed step of the run */
    const int64_t at = k->step;
    const double left = (end - k->time) / k->dt - 1e-6;
    if (left <= 0)
      break;
    int64_t steps = left < 1e9 ? (int64_t)ceil(left) : 1000000000;
#define DUE(every)                                                                                 \
  if ((every) > 0 && (every)-at % (every) < steps)                                                 \
  steps = (every)-at % (every)
    DUE(o->history_every);
    DUE(r->c->report_every);
    if (isnan(a->time_step))
      DUE(a->update);
    DUE((int64_t)5000);
#undef DUE
    if (r->next_step > at && r->next_step - at < steps)
      steps = r->next_step - at;
    if (isfinite(r->next_picture)) {
      const double until = (r->next_picture - k->time) / k->dt - 1e-6;
      if (until < (double)steps)
        steps = until <= 1 ? 1 : (int64_t)ceil(until);
    }
    IG_TRY(ig_dyn_advance(m, steps));
    r->element_steps += steps * r->job->elements;
    IG_TRY(ig_array_pull(cx, &m->clock));
    IG_TRY(ig_fault_check(cx, "element", m->fault_ids));

    char note[64];
    snprintf(note, sizeof note, "t %.4g s", k->time);
    const double spent = ig_now() - r->solve_start;
    const ig_progress progress = {.unit = "s",
                                  .done = k->time,
                                  .total = r->duration,
                                  .rate = spent > 0 ? (double)r->element_steps / spent : 0,
                                  .note = note};
    ig_progress_report(cx, &progress);
    const bool done = k->time >= end - 1e-6 * k->dt;
    if (done || (o->history_every > 0 && k->step % o->history_every == 0) ||
        (r->c->report_every > 0 && k->step % r->c->report_every == 0)) {
      IG_TRY(history_write(r, &e));
      if (r->c->report_every > 0 && k->step % r->c->report_every == 0)
        ig_info(cx, "step %lld t %.5g s: kinetic %.4g J, internal %.4g J, balance off by %.2g %%",
                (long long)k->step, k->time, e.plain, e.internal, 100 * e.error);
      if (!(fabs(e.error) < r->c->energy_error))
        return IG_FAIL(cx, IG_NUMERIC,
                       "at step %lld the energy balance is off by %.3g %%, more than energy_error: "
                       "take a smaller step (safety)",
                       (long long)k->step, 100 * e.error);
    }
    if (done || k->step == r->next_step ||
        (isfinite(r->next_picture) && k->time >= r->next_picture - 1e-6 * k->dt)) {
      IG_TRY(picture_write(r));
      if (o->every > 0)
        r->next_step = (k->step / o->every + 1) * o->every;
      while (isfinite(r->next_picture) && r->next_picture <= k->time + 1e-6 * k->dt)
        r->next_picture += r->gap;
    }
    if (isnan(a->time_step) && a->update > 0 && k->step % a->update == 0)
      IG_TRY(step_choose(r, a));
    if (cx->interrupted) {
      IG_TRY(checkpoint_write(r));
      return IG_FAIL(cx, IG_INTERRUPTED, "interrupted at step %lld, t = %g s", (long long)k->step,
                     k->time);
    }
    if (o->checkpoint_every > 0 && ig_now() - r->last_checkpoint > o->checkpoint_every)
      IG_TRY(checkpoint_write(r));
  }
  return IG_OK;
}

static ig_status analysis_static(run *r, const ig_dyn_analysis *a) {
  double residual;
  int64_t steps;
  IG_TRY(ig_dyn_relax(r->m, a, &residual, &steps));
  r->element_steps += steps * r->job->elements;
  ig_info(r->job->cx, "static: residual %.2g after %lld steps", residual, (long long)steps);
  if (r->job->cx->interrupted)
    return IG_FAIL(r->job->cx, IG_INTERRUPTED, "interrupted during relaxation");
  if (!(residual < a->tolerance))
    return IG_FAIL(
        r->job->cx, IG_NUMERIC,
        "no equilibrium after %lld steps: residual %.3g, tolerance %.3g; raise `steps` or "
        "`tolerance`, or load in smaller pieces",
        (long long)steps, residual, a->tolerance);
  IG_TRY(balance_start(r->m));
  ig_dyn_energy e;
  IG_TRY(history_write(r, &e));
  return picture_write(r);
}

static ig_status results_write(run *r) {
  ig_sink *s = r->job->sink;
  ig_dyn_model *m = r->m;
  if (!s)
    return IG_OK;
  double most = 0, *report = r->report, plastic = 0;
  IG_TRY(ig_dyn_pull(m));
  for (int64_t n = 0; n < m->mesh->nodes; n++) {
    double u = 0;
    for (int c = 0; c < 3; c++)
      u += pow(ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c], 2);
    most = fmax(most, sqrt(u));
  }
  for (int64_t e = 0; report && e < ig_mesh_elements(m->mesh); e++)
    plastic = fmax(plastic, report[e * IG_DYN_REPORT + 7]);
  IG_TRY(s->result(s, "time", clock_of(r)->time));
  IG_TRY(s->result(s, "time_step", clock_of(r)->dt));
  IG_TRY(s->result(s, "energy_error", r->worst_error));
  IG_TRY(s->result(s, "mass", m->total_mass));
  IG_TRY(s->result(s, "added_mass", m->mass_scaled));
  IG_TRY(s->result(s, "displacement_max", most));
  IG_TRY(s->result(s, "plastic_strain_max", plastic));
  for (int i = 0; i < r->c->probes.count; i++) {
    const ig_dyn_probe *p = IG_ITEM(const ig_dyn_probe, r->c->probes, i);
    IG_TRY(s->result(s, p->name, r->values[r->columns - r->c->probes.count + i]));
  }
  return IG_OK;
}

static ig_status run_queue(run *r) {
  ig_job *job = r->job;
  ig_dyn_model *m = r->m;
  const int n = r->c->analysis.count;
  for (int i = 0; i < n; i++) {
    const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, r->c->analysis, i);
    r->duration += a->kind == IG_ANALYSIS_DYNAMIC && !isnan(a->duration) ? a->duration : 0;
  }
  const ig_output_case *o = job->output;
  r->gap = !isnan(o->interval) && o->interval > 0             ? o->interval
           : o->every == 0 && o->count > 0 && r->duration > 0 ? r->duration / (double)o->count
                                                              : INFINITY;
  r->next_picture = r->gap;
  r->next_step = o->every > 0 ? o->every : -1;
  IG_TRY(probes_open(r));
  bool resumed = job->restart != NULL;
  if (resumed)
    IG_TRY(checkpoint_read(r));
  r->solve_start = r->last_checkpoint = ig_now();
  for (; r->analysis < n; r->analysis++, resumed = false) {
    const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, r->c->analysis, (int)r->analysis);
    if (a->kind == IG_ANALYSIS_DYNAMIC)
      IG_TRY(analysis_dynamic(r, a, resumed));
    else
      IG_TRY(analysis_static(r, a));
  }
  IG_TRY(m->cx->backend->sync(m->cx));
  job->seconds_solve = ig_now() - r->solve_start - job->seconds_output;
  job->steps = clock_of(r)->step;
  job->element_steps = (double)r->element_steps;
  job->bytes_moved = (double)job->steps * ig_dyn_step_bytes(m);
  IG_TRY(checkpoint_write(r));
  return results_write(r);
}

static ig_status room_run(ig_job *job) {
  const double start = ig_now();
  run r = {.job = job, .c = job->room_case};
  IG_TRY(ig_dyn_model_new(job->cx, job->mesh, job->materials, r.c, job->precision, job->assembly,
                          &r.m));
  job->elements = ig_mesh_elements(job->mesh);
  job->nodes = job->mesh->nodes;
  job->dofs = job->nodes * r.m->p.dofs;
  job->seconds_setup = ig_now() - start;
  const ig_status status = run_queue(&r);
  free(r.names);
  free(r.values);
  free(r.probe_node);
  free(r.report);
  ig_dyn_model_free(r.m);
  return status;
}

static ig_status room_check(ig_job *job, ig_check_line *line, void *user) {
  ig_dyn_model *m;
  const ig_dyn_case *c = job->room_case;
  IG_TRY(
      ig_dyn_model_new(job->cx, job->mesh, job->materials, c, job->precision, job->assembly, &m));
  double critical;
  char text[128];
  ig_status status = ig_dyn_critical_step(m, &critical);
  if (status == IG_OK) {
    static const char *const kind[IG_DYN_KINDS] = {"hexahedra, 8 points",
                                                   "hexahedra, 1 point",
                                                   "tetrahedra",
                                                   "shells, elastic",
                                                   "shells, layered",
                                                   "beams",
                                                   "bars"};
    for (int k = 0; k < m->groups; k++) {
      snprintf(text, sizeof text, "%d, %d values each", m->group[k].count,
               m->group[k].g_f64.states);
      line(user, kind[m->group[k].kind], text);
    }
    snprintf(text, sizeof text, "%d, %lld degrees of freedom", m->p.nodes,
             (long long)m->p.nodes * m->p.dofs);
    line(user, "particles", text);
    snprintf(text, sizeof text, "%.6g kg", m->total_mass);
    line(user, "mass", text);
    snprintf(text, sizeof text, "%.4g s", critical);
    line(user, "critical step", text);
    for (int i = 0; i < c->analysis.count; i++) {
      const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, c->analysis, i);
      if (a->kind == IG_ANALYSIS_STATIC) {
        line(user, "analysis", "static");
        continue;
      }
      const double dt =
          isnan(a->time_step) ? a->safety * fmax(critical, a->least_step) : a->time_step;
      snprintf(text, sizeof text, "dynamic, %.4g s, about %.0f steps", a->duration,
               a->duration / dt);
      line(user, "analysis", text);
    }
    snprintf(text, sizeof text, "%.1f MB on the device", (double)job->cx->device_bytes * 1e-6);
    line(user, "memory", text);
  }
  ig_dyn_model_free(m);
  return status;
}

const ig_room ig_room_dynamics = {.name = "dynamics",
                                  .about =
                                      "explicit structural dynamics by the finite particle method",
                                  .needs_mesh = true,
                                  .case_size = sizeof(ig_dyn_case),
                                  .options = ig_dyn_options,
                                  .run = room_run,
                                  .check = room_check,
                                  .verify = ig_dyn_verify,
                                  .bench = ig_dyn_bench};
