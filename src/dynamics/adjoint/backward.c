/* The steps of a run backward. Names are those of bars: `x` is the derivative of the figure by
   positions, and so on.

   Back over step k, from bars of the state k + 1: elements (from bars of forces and states; gives
   bars of positions, increments, states), positions, tools, supports, velocities; what is left are
   bars of state k and of what acted from outside, which loads_back takes. Then the readings of
   row k. Elements are taken in parts by threads; particles are few operations each and one
   thread's. */
#include "dynamics/adjoint/adjoint.h"
#include "core/threads.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* lanes; bits of a corner's place */
enum { L = IG_PACK_F64, PLACE = 40 };

/* A state of the window: where its parts are. */
typedef struct {
  const double *x, *v, *f, *q;
} state;
static state state_at(const ig_dyn_tape *t, int64_t i) {
  const ig_dyn_model *m = t->run->m;
  const double *at = t->window + i * (int64_t)t->size;
  const int64_t n = m->p.nodes, D = m->p.dofs;
  return (state){at, at + 3 * n, at + (3 + D) * n, at + (3 + 2 * D) * n};
}

/* Where the state of group k begins among those of all. */
static int64_t states_before(const ig_dyn_model *m, int k) {
  int64_t sum = 0;
  for (int i = 0; i < k; i++)
    sum += (int64_t)m->group[i].slots * m->group[i].g_f64.states;
  return sum;
}

static int64_t state_place(const ig_dyn_group *g, ig_lid s) {
  return (int64_t)(s / IG_DYN_BLOCK) * IG_DYN_BLOCK * g->g_f64.states + s % IG_DYN_BLOCK;
}

/* --- elements */

/* A pack in the making: its numbers, lane by lane. */
typedef struct {
  double x[IG_DYN_POSITIONS * L], u[IG_DYN_MOTIONS * L], f_bar[IG_DYN_MOTIONS * L],
      report_bar[IG_DYN_REPORT * L], x_bar[IG_DYN_POSITIONS * L], u_bar[IG_DYN_MOTIONS * L],
      number_bar[IG_DYN_NUMBERS * L], state[IG_TRANSPOSE_STATES * L],
      state_bar[IG_TRANSPOSE_STATES * L];
} pack;

/* What a pass over elements is made of. report: of what elements report, with these weights of each
   column and element; else of a step of length dt. */
typedef struct {
  ig_dyn_tape *t;
  state from, to; /* before the step, and after it */
  double dt;
  const double *column; /* IG_DYN_REPORT; NULL: a step */
  const double *const *element;
} pass;

/* Slots of lane l of the pack that begins at s: itself, or the first for all (tables look at one
   element). */
static ig_lid slot_of(const ig_dyn_group *g, ig_lid s, int l) {
  return g->law == IG_LAW_TABLE ? s : s + l;
}

/* Numbers of a pack. False: all bars are 0, and so are those of what went in. */
static bool pack_fill(const pass *w, int k, ig_lid s, int64_t q0, pack *p) {
  const ig_dyn_tape *t = w->t;
  const ig_dyn_group *g = &t->run->m->group[k];
  const int npe = g->g_f64.npe, dofs = g->g_f64.dofs, D = t->run->m->p.dofs;
  const int32_t *conn = g->conn.host;
  const state *at = &w->to;
  const double *q = (w->column ? at->q : w->from.q) + q0;
  bool any = false;
  for (int l = 0; l < L; l++) {
    const ig_lid slot = slot_of(g, s, l);
    const int32_t *node = conn + (int64_t)slot * npe;
    const bool counts = g->element[slot] >= 0 && (slot == s + l);
    for (int a = 0; a < npe; a++) {
      const int64_t n = node[a];
      for (int c = 0; c < 3; c++)
        p->x[(3 * a + c) * L + l] = at->x[3 * n + c] - at->x[3 * (int64_t)node[0] + c];
      for (int c = 0; c < dofs && !w->column; c++) {
        const double bar = counts ? t->f[D * n + c] : 0;
        p->u[(dofs * a + c) * L + l] = w->dt * at->v[D * n + c];
        p->f_bar[(dofs * a + c) * L + l] = bar;
        any |= bar != 0;
      }
    }
    for (int i = 0; i < IG_DYN_REPORT && w->column; i++) {
      const double bar =
          counts && w->element[i] ? w->column[i] * w->element[i][g->element[slot]] : 0;
      p->report_bar[i * L + l] = bar;
      any |= bar != 0;
    }
    const int64_t place = state_place(g, slot);
    for (int i = 0; i < g->g_f64.states; i++) {
      const double bar = counts && !w->column ? t->q[q0 + place + (int64_t)i * IG_DYN_BLOCK] : 0;
      p->state[i * L + l] = q[place + (int64_t)i * IG_DYN_BLOCK];
      p->state_bar[i * L + l] = bar;
      any |= bar != 0;
    }
  }
  return any;
}

/* Bars of a pack to where they belong. A step replaces bars of states, a report adds to them. */
static void pack_put(const pass *w, int k, ig_lid s, int64_t q0, const pack *p, double *number) {
  ig_dyn_tape *t = w->t;
  const ig_dyn_group *g = &t->run->m->group[k];
  const int npe = g->g_f64.npe, n = npe * g->g_f64.dofs;
  for (int l = 0; l < L; l++) {
    const ig_lid slot = slot_of(g, s, l);
    if (g->element[slot] < 0 || slot != s + l)
      continue;
    double *x = t->corner_x[k] + (int64_t)slot * 3 * npe, *u = t->corner_u[k] + (int64_t)slot * n;
    const int64_t place = state_place(g, slot);
    for (int c = 0; c < 3; c++) {
      x[c] = 0; /* places are relative to the first particle's */
      for (int a = 1; a < npe; a++) {
        x[3 * a + c] = p->x_bar[(3 * a + c) * L + l];
        x[c] -= x[3 * a + c];
      }
    }
    for (int i = 0; i < n; i++)
      u[i] = w->column ? 0 : p->u_bar[i * L + l];
    for (int i = 0; i < g->g_f64.states; i++) {
      double *to = &t->q[q0 + place + (int64_t)i * IG_DYN_BLOCK];
      *to = p->state_bar[i * L + l] + (w->column ? *to : 0);
    }
    for (int i = 0; i < IG_DYN_NUMBERS; i++)
      number[i] += p->number_bar[i * L + l];
    if (t->thickness[k])
      t->thickness[k][slot] += p->number_bar[IG_NUMBER_THICKNESS * L + l];
  }
}

static void corners_clear(const ig_dyn_tape *t, int k, ig_lid s, ig_lid end) {
  const dyn_group_f64 *g = &t->run->m->group[k].g_f64;
  const size_t n = (size_t)(end - s) * (size_t)g->npe;
  memset(t->corner_x[k] + (int64_t)s * 3 * g->npe, 0, 3 * n * sizeof(double));
  memset(t->corner_u[k] + (int64_t)s * g->dofs * g->npe, 0, n * (size_t)g->dofs * sizeof(double));
}

/* Slots first to last - 1 of a group. False: no memory. */
static bool part_back(const pass *w, int k, ig_lid first, ig_lid last, ig_dyn_transpose *on,
                      double *number) {
  const ig_dyn_group *g = &w->t->run->m->group[k];
  const int64_t q0 = states_before(w->t->run->m, k);
  pack *p;
  bool good = true;
  if (posix_memalign((void **)&p, 64, sizeof *p) != 0)
    return false;
  corners_clear(w->t, k, first, last);
  const ig_dyn_pack_bars b = {.kind = g->kind,
                              .law = g->law,
                              .g = &g->g_f64,
                              .state = p->state,
                              .pitch = L,
                              .dt = w->dt,
                              .x = p->x,
                              .u = p->u,
                              .f_bar = p->f_bar,
                              .report_bar = p->report_bar,
                              .state_bar = p->state_bar,
                              .x_bar = p->x_bar,
                              .u_bar = p->u_bar,
                              .number_bar = p->number_bar};
  for (ig_lid s = first; s < last && good; s += g->law == IG_LAW_TABLE ? 1 : L) {
    if (!pack_fill(w, k, s, q0, p))
      continue;
    good = w->column ? ig_dyn_transpose_report(on, &b) : ig_dyn_transpose_force(on, &b);
    if (good)
      pack_put(w, k, s, q0, p, number);
  }
  free(p);
  return good;
}

/* All elements; then corners are added up at nodes, in one order: x gets bars of positions, v those
   of increments times dt. */
static ig_status elements_back(const pass *w) {
  ig_dyn_tape *t = w->t;
  const ig_dyn_model *m = t->run->m;
  bool good = true;
  for (int k = 0; k < m->groups; k++) {
    const ig_lid blocks = m->group[k].slots / IG_DYN_BLOCK;
    const int team = ig_team(t->cx, 100 * (int64_t)m->group[k].slots, IG_WORK_ELEMENT);
#pragma omp parallel for schedule(dynamic) num_threads(team) reduction(&& : good)
    for (int part = 0; part < IG_DYN_TAPE_PARTS; part++) {
      const ig_lid first = (ig_lid)((int64_t)blocks * part / IG_DYN_TAPE_PARTS) * IG_DYN_BLOCK,
                   last = (ig_lid)((int64_t)blocks * (part + 1) / IG_DYN_TAPE_PARTS) * IG_DYN_BLOCK;
      if (first < last)
        good = part_back(w, k, first, last, t->transpose[omp_get_thread_num()],
                         t->part + ((int64_t)part * m->groups + k) * IG_DYN_NUMBERS) &&
               good;
    }
  }
  if (!good)
    return IG_FAIL(t->cx, IG_MEMORY, "no memory for the tape of an element");
  const int D = m->p.dofs;
#pragma omp parallel for schedule(static) num_threads(ig_team(t->cx, m->p.nodes, IG_WORK_ELEMENT))
  for (int64_t n = 0; n < m->p.nodes; n++)
    for (int64_t i = t->corner_first[n]; i < t->corner_first[n + 1]; i++) {
      const int k = (int)(t->corner[i] >> PLACE), dofs = m->group[k].g_f64.dofs;
      const int64_t place = t->corner[i] & (((int64_t)1 << PLACE) - 1);
      for (int c = 0; c < 3; c++)
        t->x[3 * n + c] += t->corner_x[k][3 * place + c];
      for (int c = 0; c < dofs; c++)
        t->v[D * n + c] += w->dt * t->corner_u[k][dofs * place + c];
    }
  return IG_OK;
}

/* --- histories, loads */

/* The value of a history at a time gets a bar: so do the rows that it is made of. */
static void history_back(const ig_dyn_tape *t, ig_history h, double time, double bar) {
  const double *x = t->run->m->held.history_x.host;
  double *to = t->bar + t->in.history;
  if (h.rows == 0)
    return;
  int lo = h.first, hi = h.first + h.rows - 1;
  if (time <= x[lo] || time >= x[hi]) {
    to[time <= x[lo] ? lo : hi] += bar;
    return;
  }
  while (hi - lo > 1) {
    const int mid = lo + (hi - lo) / 2;
    if (x[mid] <= time)
      lo = mid;
    else
      hi = mid;
  }
  const double share = (time - x[lo]) / (x[hi] - x[lo]);
  to[lo] += (1 - share) * bar;
  to[hi] += share * bar;
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The share of face i at a particle whose force has the bar g: see particle_load. */
static void face_back(ig_dyn_tape *t, const double *x, double time, int32_t i, const double *g) {
  const ig_dyn_face *a = (const ig_dyn_face *)t->run->m->loading.face.host + i;
  const int32_t *m = a->node, first[2] = {m[a->corners == 4 ? 2 : 1], m[a->corners == 4 ? 3 : 2]},
                second[2] = {m[0], m[a->corners == 4 ? 1 : 0]};
  const double part = -1 / (a->corners == 4 ? 8.0 : 6.0),
               factor = ig_dyn_factor(&t->run->m->p, a->history, time);
  double u[3], v[3], normal[3], by_u[3], by_v[3];
  for (int c = 0; c < 3; c++) {
    u[c] = x[3 * (int64_t)first[0] + c] - x[3 * (int64_t)second[0] + c];
    v[c] = x[3 * (int64_t)first[1] + c] - x[3 * (int64_t)second[1] + c];
  }
  cross_f64(u, v, normal);
  const double along = part * dot(normal, g), s = part * factor * a->pressure;
  t->bar[t->in.face + i] += factor * along;
  history_back(t, a->history, time, a->pressure * along);
  cross_f64(v, g, by_u);
  cross_f64(g, u, by_v);
  for (int c = 0; c < 3; c++) {
    t->x[3 * (int64_t)first[0] + c] += s * by_u[c];
    t->x[3 * (int64_t)second[0] + c] -= s * by_u[c];
    t->x[3 * (int64_t)first[1] + c] += s * by_v[c];
    t->x[3 * (int64_t)second[1] + c] -= s * by_v[c];
  }
}

/* Loads and weights at positions x, from the bars of what acts from outside. */
static void loads_back(ig_dyn_tape *t, const double *x, double time) {
  const ig_dyn_model *m = t->run->m;
  const ig_dyn_loads_view *loads = &m->p.loads;
  const int D = m->p.dofs;
  for (int32_t k = 0; k < loads->count; k++) {
    const double *g = t->outside + (int64_t)D * loads->node[k];
    for (int32_t i = loads->force_start[k]; i < loads->force_start[k + 1]; i++) {
      const ig_dyn_force *f = &loads->force[i];
      const double factor = ig_dyn_factor(&m->p, f->history, time);
      double along = 0;
      for (int c = 0; c < D; c++) {
        t->bar[t->in.force + 6 * (int64_t)i + c] += factor * g[c];
        along += f->value[c] * g[c];
      }
      history_back(t, f->history, time, along);
    }
    for (int32_t i = loads->face_start[k]; i < loads->face_start[k + 1]; i++)
      face_back(t, x, time, i, g);
  }
  if (!loads->has_gravity)
    return;
  const double factor = ig_dyn_factor(&m->p, loads->gravity_history, time);
  const double *heavy = m->heavy.host;
  double along = 0;
  for (int64_t n = 0; n < m->p.nodes; n++) {
    const double *g = t->outside + D * n, fall = dot(loads->gravity, g);
    t->bar[t->in.heavy + n] += factor * fall;
    along += heavy[n] * fall;
    for (int c = 0; c < 3; c++)
      t->bar[t->in.gravity + c] += factor * heavy[n] * g[c];
  }
  history_back(t, loads->gravity_history, time, along);
}

/* --- particles */

/* A tool's part of a step, see particle_tools: distance, way out, what slides. */
typedef struct {
  double d[3], normal[3], r, gap, share, rate, slide0[3], slide[3], along, speed, out, stop;
} tool_step;

static void tool_find(const ig_dyn_particles *p, const ig_dyn_tool *tool, const double *x,
                      const double now[3], tool_step *s) {
  const ig_dyn_clock *k = p->clock;
  const double end = k->time + k->tick;
  const bool moves = tool->history.rows > 0;
  double y[3], sum = 0, square = 0;
  s->share = moves ? ig_dyn_factor(p, tool->history, end) : 0;
  s->rate = moves ? (s->share - ig_dyn_factor(p, tool->history, k->time)) / k->dt : 0;
  for (int c = 0; c < 3; c++) {
    y[c] = x[c] + k->dt * now[c];
    s->d[c] = y[c] - (tool->at[c] + tool->velocity[c] * end + tool->travel[c] * s->share);
    s->slide0[c] = now[c] - tool->velocity[c] - s->rate * tool->travel[c];
  }
  s->gap = ig_dyn_tool_gap(p, tool, end, y, s->normal);
  s->r = s->gap + tool->radius;
  for (int c = 0; c < 3; c++)
    sum += s->slide0[c] * s->normal[c];
  s->along = sum;
  for (int c = 0; c < 3; c++) {
    s->slide[c] = s->slide0[c] - sum * s->normal[c];
    square += s->slide[c] * s->slide[c];
  }
  s->speed = sqrt(square);
  s->out = -s->gap / k->dt;
  s->stop = s->speed > 0 ? fmin(1, tool->friction * s->out / s->speed) : 0;
}

/* Bars of velocities after tool i (`b`) become those before it; x gets its part. */
static void tool_back(ig_dyn_tape *t, int i, const tool_step *s, double b[3], double x[3]) {
  const ig_dyn_particles *p = &t->run->m->p;
  const ig_dyn_tool *tool = &p->tool[i];
  const ig_dyn_clock *k = p->clock;
  double *to = t->bar + t->in.tool + (int64_t)i * IG_TOOL_NUMBERS;
  const double end = k->time + k->tick;
  double out = dot(b, s->normal), slide[3], normal[3], d[3], axis[3] = {0};
  for (int c = 0; c < 3; c++) {
    normal[c] = s->out * b[c];
    slide[c] = -s->stop * b[c];
  }
  if (s->speed > 0 && tool->friction * s->out < s->speed) {
    const double stop = -dot(b, s->slide), by = s->out / s->speed;
    to[IG_TOOL_FRICTION] += stop * by;
    out += stop * tool->friction / s->speed;
    for (int c = 0; c < 3; c++)
      slide[c] -= stop * tool->friction * by / s->speed * s->slide[c] / s->speed;
  }
  const double along = -dot(slide, s->normal), gap = -out / k->dt;
  double rate = 0, share = 0;
  for (int c = 0; c < 3; c++) {
    normal[c] += -s->along * slide[c] + along * s->slide0[c];
    slide[c] += along * s->normal[c];
    b[c] += slide[c];
    to[IG_TOOL_VELOCITY + c] -= slide[c];
    to[IG_TOOL_TRAVEL + c] -= s->rate * slide[c];
    rate -= tool->travel[c] * slide[c];
  }
  if (tool->shape == IG_TOOL_PLANE) {
    for (int c = 0; c < 3; c++) {
      d[c] = gap * tool->axis[c];
      axis[c] = gap * s->d[c] + normal[c];
    }
  } else {
    const double straight = dot(normal, s->normal), r = s->r > 0 ? 1 / s->r : 0;
    to[IG_TOOL_RADIUS] -= gap;
    for (int c = 0; c < 3; c++)
      d[c] = gap * s->normal[c] + r * (normal[c] - straight * s->normal[c]);
    if (tool->shape == IG_TOOL_CYLINDER) {
      const double high = dot(s->d, tool->axis), across = dot(d, tool->axis);
      for (int c = 0; c < 3; c++) {
        axis[c] = -(high * d[c] + across * s->d[c]);
        d[c] -= across * tool->axis[c];
      }
    }
  }
  for (int c = 0; c < 3; c++) {
    to[IG_TOOL_AXIS + c] += axis[c];
    to[IG_TOOL_AT + c] -= d[c];
    to[IG_TOOL_VELOCITY + c] -= end * d[c];
    to[IG_TOOL_TRAVEL + c] -= s->share * d[c];
    share -= tool->travel[c] * d[c];
    x[c] += d[c];
    b[c] += k->dt * d[c];
  }
  history_back(t, tool->history, end, share + rate / k->dt);
  history_back(t, tool->history, k->time, -rate / k->dt);
}

/* All tools, as they act one after the other on the velocity `now` of particle n. */
static void tools_back(ig_dyn_tape *t, int64_t n, const double now[3], const double *x) {
  const ig_dyn_particles *p = &t->run->m->p;
  double v[3] = {now[0], now[1], now[2]};
  tool_step step[IG_DYN_TAPE_TOOLS];
  bool acts[IG_DYN_TAPE_TOOLS];
  for (int i = 0; i < p->tools; i++) {
    tool_find(p, &p->tool[i], x + 3 * n, v, &step[i]);
    acts[i] = step[i].gap < 0;
    for (int c = 0; c < 3 && acts[i]; c++)
      v[c] += step[i].out * step[i].normal[c] - step[i].stop * step[i].slide[c];
  }
  for (int i = p->tools - 1; i >= 0; i--)
    if (acts[i])
      tool_back(t, i, &step[i], t->v + (int64_t)p->dofs * n, t->x + 3 * n);
}

/* A component that a support leads: see ig_dyn_held. Returns the bar of the velocity before. */
static double held_back(ig_dyn_tape *t, int32_t move, int c, double bar) {
  const ig_dyn_particles *p = &t->run->m->p;
  const ig_dyn_motion *m = &p->held.motion[move];
  const ig_dyn_clock *k = p->clock;
  const ig_history h = m->history[c];
  double *scale = t->bar + t->in.scale + 6 * (int64_t)move + c;
  switch (m->kind[c]) {
  case IG_MOVE_DISPLACEMENT:
    *scale += bar / k->dt * (ig_dyn_factor(p, h, k->time + k->tick) - ig_dyn_factor(p, h, k->time));
    history_back(t, h, k->time + k->tick, bar * m->scale[c] / k->dt);
    history_back(t, h, k->time, -bar * m->scale[c] / k->dt);
    return 0;
  case IG_MOVE_VELOCITY:
    *scale += bar * ig_dyn_factor(p, h, k->time + 0.5 * k->tick);
    history_back(t, h, k->time + 0.5 * k->tick, bar * m->scale[c]);
    return 0;
  case IG_MOVE_ACCELERATION: {
    const double half = 0.5 * (k->dt + k->before);
    *scale += bar * half * ig_dyn_factor(p, h, k->time);
    history_back(t, h, k->time, bar * half * m->scale[c]);
    return bar;
  }
  default:
    return 0;
  }
}

/* Particle n over a step that begins in `from`: bars of its velocity after become those before,
   with bars of forces. */
static void particle_back(ig_dyn_tape *t, int64_t n, const state *from, double *damping) {
  const ig_dyn_particles *p = &t->run->m->p;
  const ig_dyn_clock *k = p->clock;
  const int D = p->dofs;
  const int32_t move = p->held.move ? p->held.move[n] : 0;
  const double *before = from->v + D * n, mass = ((const double *)p->mass)[n],
               inertia = D == 6 ? ((const double *)p->inertia)[n] : 0;
  const double h = 0.5 * (k->dt + k->before), over = 1 + 0.5 * k->damping * h,
               keep = (1 - 0.5 * k->damping * h) / over, push = h / over;
  double *v = t->v + D * n, now[6], kick[3], work[IG_WORKS] = {0};
  for (int c = 0; c < 3; c++)
    v[c] += k->dt * t->x[3 * n + c];
  particle_velocity_f64(p, (int32_t)n, D, 1, from->f + D * n, before, now, 1, kick, work);
  if (p->tools)
    tools_back(t, n, now, from->x);
  for (int c = 0; c < D; c++) {
    const double bar = v[c], heavy = c < 3 ? mass : inertia, light = heavy > 0 ? 1 / heavy : 0;
    double *force = t->f + D * n + c, *outside = t->outside + D * n + c;
    if (move && p->held.motion[move].kind[c] != IG_MOVE_FREE) {
      v[c] = held_back(t, move, c, bar);
      *force = *outside = 0;
      continue;
    }
    const double gained = now[c] - keep * before[c];
    *outside = push * light * bar;
    *force = -*outside;
    t->bar[(c < 3 ? t->in.mass : t->in.inertia) + n] -= bar * gained * light;
    *damping -= bar * (h * before[c] / (over * over) + 0.5 * h / over * gained);
    v[c] = keep * bar;
  }
}

/* --- readings */

static bool reports(const ig_dyn_tape *t, int64_t row) {
  for (int i = 0; i < t->signals; i++)
    if (t->signal[i].kind == IG_SIGNAL_REPORT && t->weight[row * t->signals + i] != 0)
      return true;
  return false;
}

/* Bars of the readings of a row, whose state is `at`. */
static ig_status seed(ig_dyn_tape *t, int64_t row, const state *at) {
  const int D = t->run->m->p.dofs;
  for (int i = 0; i < t->signals; i++) {
    const ig_dyn_signal *s = &t->signal[i];
    const double weight = t->weight[row * t->signals + i] * s->share;
    if (weight == 0)
      continue;
    for (ig_lid k = 0; k < s->nodes; k++) {
      const int64_t n = s->node ? s->node[k] : s->single;
      const int c = s->component;
      if (s->kind == IG_SIGNAL_DISPLACEMENT) {
        t->x[3 * n + c] += weight;
        t->bar[t->in.x + 3 * n + c] -= weight;
      } else if (s->kind == IG_SIGNAL_VELOCITY) {
        t->v[D * n + c] += weight;
      } else if (s->kind == IG_SIGNAL_FORCE) {
        t->f[D * n + c] += weight;
        t->outside[D * n + c] -= weight;
      }
    }
  }
  if (!reports(t, row))
    return IG_OK;
  /* one column at a time has weights of its own: signals are few */
  for (int i = 0; i < t->signals; i++) {
    const ig_dyn_signal *s = &t->signal[i];
    double column[IG_DYN_REPORT] = {0};
    const double *element[IG_DYN_REPORT] = {0};
    column[s->component] = t->weight[row * t->signals + i];
    element[s->component] = s->weight;
    if (s->kind == IG_SIGNAL_REPORT && column[s->component] != 0)
      IG_TRY(elements_back(&(pass){.t = t, .to = *at, .column = column, .element = element}));
  }
  return IG_OK;
}

/* --- steps and windows */

/* The clock and the loads as they were at the beginning of step k. */
static ig_status time_go(ig_dyn_tape *t, int64_t k, const state *from) {
  ig_dyn_model *m = t->run->m;
  ig_dyn_clock *clock = m->clock.host;
  memcpy(m->x.host, from->x, 3 * (size_t)m->p.nodes * sizeof(double));
  clock->time = t->time[k];
  clock->before = k > 0 ? t->dt[k - 1] : 0;
  clock->dt = clock->tick = t->dt[k];
  return m->p.loads.count > 0 ? m->ops->loads(m->cx, &m->p) : IG_OK;
}

static ig_status step_back(ig_dyn_tape *t, int64_t k, const state *from, const state *to) {
  const ig_dyn_model *m = t->run->m;
  IG_TRY(elements_back(&(pass){.t = t, .from = *from, .to = *to, .dt = t->dt[k]}));
  IG_TRY(time_go(t, k, from));
  for (int64_t n = 0; n < m->p.nodes; n++)
    particle_back(t, n, from, t->bar + t->in.damping);
  return IG_OK;
}

/* Its states once more, then its steps backward. The state at its end is the last of them. */
static ig_status window_back(ig_dyn_tape *t, const ig_dyn_mark *mark, int64_t end) {
  const ig_dyn_model *m = t->run->m;
  IG_TRY(ig_dyn_tape_go(t, mark->step, mark->state));
  for (int64_t k = mark->step; k <= end; k++) {
    IG_TRY(ig_dyn_tape_state(t, t->window + (k - mark->step) * (int64_t)t->size));
    if (k < end)
      IG_TRY(ig_dyn_tape_step(t, k));
  }
  for (int64_t k = end; k >= mark->step; k--) {
    const state at = state_at(t, k - mark->step);
    if (k < end) {
      const state after = state_at(t, k + 1 - mark->step);
      IG_TRY(step_back(t, k, &at, &after));
    }
    if (k == end && end < t->steps)
      continue; /* the window after this one has done its readings */
    IG_TRY(seed(t, k, &at));
    loads_back(t, at.x, t->time[k]);
    memset(t->outside, 0, (size_t)m->p.nodes * (size_t)m->p.dofs * sizeof(double));
  }
  return IG_OK;
}

/* Corners by node, group after group. */
static ig_status corners_new(ig_dyn_tape *t) {
  const ig_dyn_model *m = t->run->m;
  int64_t all = 0;
  IG_TRY(IG_NEW(t->cx, &t->corner_first, (int64_t)m->p.nodes + 2, "adjoint"));
  for (int round = 0; round < 2; round++) {
    for (int k = 0; k < m->groups; k++) {
      const ig_dyn_group *g = &m->group[k];
      const int32_t *conn = g->conn.host;
      for (int64_t i = 0; i < (int64_t)g->slots * g->g_f64.npe; i++) {
        if (g->element[i / g->g_f64.npe] < 0)
          continue;
        if (round == 0)
          t->corner_first[conn[i] + 2]++, all++;
        else
          t->corner[t->corner_first[conn[i] + 1]++] = (int64_t)k << PLACE | i;
      }
    }
    if (round == 1)
      break;
    for (int64_t n = 0; n <= m->p.nodes; n++)
      t->corner_first[n + 1] += t->corner_first[n];
    IG_TRY(IG_NEW(t->cx, &t->corner, all + 1, "adjoint"));
  }
  return IG_OK;
}

static ig_status bars_new(ig_dyn_tape *t) {
  ig_ctx *cx = t->cx;
  const ig_dyn_model *m = t->run->m;
  const int64_t n = m->p.nodes, D = m->p.dofs;
  int64_t most = 0;
  IG_TRY(IG_NEW(cx, &t->bar, t->in.count + 1, "adjoint"));
  IG_TRY(IG_NEW(cx, &t->x, 3 * n + 1, "adjoint"));
  IG_TRY(IG_NEW(cx, &t->v, D * n + 1, "adjoint"));
  IG_TRY(IG_NEW(cx, &t->f, D * n + 1, "adjoint"));
  IG_TRY(IG_NEW(cx, &t->outside, D * n + 1, "adjoint"));
  IG_TRY(IG_NEW(cx, &t->q, states_before(m, m->groups) + 1, "adjoint"));
  IG_TRY(IG_NEW(cx, &t->corner_x, m->groups + 1, "adjoint"));
  IG_TRY(IG_NEW(cx, &t->corner_u, m->groups + 1, "adjoint"));
  IG_TRY(IG_NEW(cx, &t->thickness, m->groups + 1, "adjoint"));
  IG_TRY(IG_NEW(cx, &t->part, (int64_t)IG_DYN_TAPE_PARTS * (m->groups + 1) * IG_DYN_NUMBERS,
                "adjoint"));
  if (ig_dyn_transpose_lanes() != L)
    return IG_FAIL(cx, IG_UNSUPPORTED,
                   "no gradient: C and C++ were compiled for registers of different widths");
  IG_TRY(IG_NEW(cx, &t->transpose, cx->threads, "adjoint"));
  for (int i = 0; i < cx->threads; i++)
    if (!(t->transpose[i] = ig_dyn_transpose_new()))
      return IG_FAIL(cx, IG_MEMORY, "no memory for a tape");
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    const int64_t corners = (int64_t)g->slots * g->g_f64.npe;
    if (g->g_f64.states > IG_TRANSPOSE_STATES)
      return IG_FAIL(cx, IG_UNSUPPORTED, "no gradient: an element has %d values", g->g_f64.states);
    IG_TRY(IG_NEW(cx, &t->corner_x[k], 3 * corners + 1, "adjoint"));
    IG_TRY(IG_NEW(cx, &t->corner_u[k], g->g_f64.dofs * corners + 1, "adjoint"));
    if (g->g_f64.thickness > 0)
      IG_TRY(IG_NEW(cx, &t->thickness[k], g->slots + 1, "adjoint"));
  }
  for (int64_t i = 0; i < t->marks; i++) {
    const int64_t end = i + 1 < t->marks ? t->mark[i + 1].step : t->steps;
    most = end - t->mark[i].step > most ? end - t->mark[i].step : most;
  }
  IG_TRY(IG_NEW(cx, &t->window, (most + 1) * (int64_t)t->size, "states of a window"));
  return corners_new(t);
}

/* What is left in the end are bars of the start. */
static void start_put(ig_dyn_tape *t) {
  const ig_dyn_model *m = t->run->m;
  const int64_t n = m->p.nodes, D = m->p.dofs;
  for (int64_t i = 0; i < 3 * n; i++)
    t->bar[t->in.x + i] += t->x[i];
  for (int64_t i = 0; i < D * n; i++)
    t->bar[t->in.v + i] += t->v[i];
  for (int k = 0; k < m->groups; k++) {
    const int64_t q0 = states_before(m, k),
                  states = (int64_t)m->group[k].slots * m->group[k].g_f64.states;
    for (int64_t i = 0; i < states; i++)
      t->bar[t->in.state[k] + i] += t->q[q0 + i];
    for (int part = 0; part < IG_DYN_TAPE_PARTS; part++)
      for (int i = 0; i < IG_DYN_NUMBERS; i++)
        t->bar[t->in.number[k] + i] +=
            t->part[((int64_t)part * m->groups + k) * IG_DYN_NUMBERS + i];
  }
}

ig_status ig_dyn_tape_backward(ig_dyn_tape *t) {
  int64_t end = t->steps;
  IG_TRY(bars_new(t));
  for (int64_t i = t->marks - 1; i >= 0; i--) {
    IG_TRY(window_back(t, &t->mark[i], end));
    end = t->mark[i].step;
  }
  start_put(t);
  return IG_OK;
}
