/* The tape of a run: lengths of its steps, states at marks, readings of signals. */
#include "dynamics/adjoint/adjoint.h"
#include "backend/backend.h"
#include "core/memory.h"
#include "dynamics/model/solids.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const ig_room ig_room_dynamics;

/* --- what has an adjoint */

static ig_status refuse(const ig_dyn_job *r, const ig_src *at, const char *why) {
  return ig_fail_at(r->job->cx, at->given ? at : &r->c->at, "no gradient: %s", why);
}

static ig_status allowed(const ig_dyn_job *r) {
  ig_ctx *cx = r->job->cx;
  const ig_dyn_model *m = r->m;
  const ig_dyn_case *c = r->c;
  if (strcmp(cx->backend->name, "cpu") != 0)
    return IG_FAIL(cx, IG_INPUT, "gradients are computed on the CPU so far: give -b cpu");
  if (ig_ranks_count(cx->ranks) > 1)
    return IG_FAIL(cx, IG_INPUT, "gradients are computed on one rank so far");
  if (m->precision != IG_DOUBLE)
    return IG_FAIL(cx, IG_INPUT, "gradients are computed in `precision: double`");
  if (c->analysis.count != 1)
    return refuse(r, &c->at, "the case has several analyses, and only one has derivatives");
  const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, c->analysis, 0);
  if (a->kind != IG_ANALYSIS_DYNAMIC)
    return refuse(r, &a->at,
                  "only `kind: dynamic` has derivatives here; static analyses of `structure` have");
  if (a->mass_scaling_step > 0)
    return refuse(r, &a->at, "`mass_scaling_step` adds mass by element");
  if (ig_dyn_touches(m) || m->pairs.on)
    return refuse(r, &c->contact.at, "`contact` of surfaces has no derivatives yet");
  if (c->bodies.count > 0)
    return refuse(r, &c->at, "rigid `bodies` have no derivatives yet");
  if (c->ties.count > 0)
    return refuse(r, &c->at, "`ties` have no derivatives yet");
  if (c->residual.at.given)
    return refuse(r, &c->residual.at, "`residual` stress has no derivatives yet");
  if (m->solids && m->solids->count > 0)
    return refuse(r, &c->at, "these elements have no derivatives in `dynamics`");
  if (c->tools.count > IG_DYN_TAPE_TOOLS)
    return refuse(r, &c->at, "of so many tools");
  for (int k = 0; k < m->groups; k++)
    if (ig_dyn_erodes(&m->group[k]))
      return refuse(r, &c->at, "elements that fail are an event, which has no derivative");
  return IG_OK;
}

/* --- states */

static void take(double **to, const void *from, size_t count) {
  memcpy(*to, from, count * sizeof **to);
  *to += count;
}
static void give(void *to, const double **from, size_t count) {
  memcpy(to, *from, count * sizeof **from);
  *from += count;
}

ig_status ig_dyn_tape_state(ig_dyn_tape *t, double *to) {
  ig_dyn_model *m = t->run->m;
  const size_t n = (size_t)m->p.nodes, D = (size_t)m->p.dofs;
  IG_TRY(ig_dyn_forces_sum(m));
  take(&to, m->x.host, 3 * n);
  take(&to, m->v.host, D * n);
  take(&to, m->f.host, D * n);
  for (int k = 0; k < m->groups; k++)
    take(&to, m->group[k].state.host, (size_t)m->group[k].slots * (size_t)m->group[k].g_f64.states);
  return IG_OK;
}

ig_status ig_dyn_tape_go(ig_dyn_tape *t, int64_t k, const double *from) {
  ig_dyn_model *m = t->run->m;
  const size_t n = (size_t)m->p.nodes, D = (size_t)m->p.dofs;
  ig_dyn_clock *clock = m->clock.host;
  give(m->x.host, &from, 3 * n);
  give(m->v.host, &from, D * n);
  give(m->f.host, &from, D * n);
  for (int g = 0; g < m->groups; g++)
    give(m->group[g].state.host, &from,
         (size_t)m->group[g].slots * (size_t)m->group[g].g_f64.states);
  m->fresh = true; /* forces lie in f */
  clock->step = k;
  clock->time = t->time[k];
  clock->before = k > 0 ? t->dt[k - 1] : 0;
  return IG_OK;
}

ig_status ig_dyn_tape_step(ig_dyn_tape *t, int64_t k) {
  ig_dyn_model *m = t->run->m;
  const ig_dyn_clock *clock = m->clock.host;
  if (t->cx->interrupted)
    return IG_FAIL(t->cx, IG_INTERRUPTED, "the gradient was stopped");
  if (clock->dt != t->dt[k])
    IG_TRY(ig_dyn_set_clock(m, t->dt[k], clock->damping));
  return ig_dyn_advance(m, 1);
}

static ig_status mark_keep(ig_dyn_tape *t) {
  IG_TRY(IG_MORE(t->cx, &t->mark, t->marks, "marks"));
  ig_dyn_mark *mark = &t->mark[t->marks++];
  *mark = (ig_dyn_mark){.step = t->steps};
  IG_TRY(IG_NEW(t->cx, &mark->state, t->size, "the state at a mark"));
  return ig_dyn_tape_state(t, mark->state);
}

/* --- the run */

ig_status ig_dyn_tape_open(ig_job *job, const char *figure, ig_dyn_tape **tape) {
  ig_dyn_tape *t;
  void *room = NULL;
  IG_TRY(IG_NEW(job->cx, &t, 1, "tape"));
  *tape = t;
  t->cx = job->cx;
  const ig_status opened = ig_room_dynamics.open(job, &room);
  t->run = room;
  IG_TRY(opened);
  IG_TRY(allowed(t->run));
  IG_TRY(ig_dyn_tape_signals(t, figure));
  IG_TRY(ig_room_dynamics.begin(room));
  const ig_dyn_model *m = t->run->m;
  t->size = (3 + 2 * (size_t)m->p.dofs) * (size_t)m->p.nodes;
  for (int k = 0; k < m->groups; k++)
    t->size += (size_t)m->group[k].slots * (size_t)m->group[k].g_f64.states;
  return ig_dyn_inputs_take(t->cx, m, &t->in);
}

void ig_dyn_tape_free(ig_dyn_tape *t) {
  if (!t)
    return;
  const int groups = t->in.groups;
  for (int64_t i = 0; i < t->marks; i++)
    free(t->mark[i].state);
  for (int k = 0; k < groups && t->corner_x; k++)
    free(t->corner_x[k]);
  for (int k = 0; k < groups && t->corner_u; k++)
    free(t->corner_u[k]);
  for (int k = 0; k < groups && t->thickness; k++)
    free(t->thickness[k]);
  for (int i = 0; i < t->cx->threads && t->transpose; i++)
    ig_dyn_transpose_free(t->transpose[i]);
  double *const own[] = {t->bar, t->dt, t->time, t->reading, t->weight,  t->window,
                         t->x,   t->v,  t->f,    t->q,       t->outside, t->part};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    free(own[i]);
  free(t->mark);
  free(t->corner_x);
  free(t->corner_u);
  free(t->thickness);
  free(t->transpose);
  free(t->corner_first);
  free(t->corner);
  ig_dyn_tape_signals_free(t);
  ig_dyn_inputs_free(&t->in);
  ig_room_dynamics.close(t->run);
  free(t);
}

/* Arrays that grow with the steps. */
static ig_status room_for(ig_dyn_tape *t) {
  if (t->steps + 2 <= t->step_room)
    return IG_OK;
  const int64_t room = 2 * t->step_room + 1024;
  double **const array[] = {&t->dt, &t->time, &t->reading};
  const int64_t each[] = {1, 1, t->signals > 0 ? t->signals : 1};
  for (int i = 0; i < 3; i++) {
    double *more = realloc(*array[i], (size_t)(room * each[i]) * sizeof *more);
    if (!more)
      return IG_FAIL(t->cx, IG_MEMORY, "no memory for %lld steps", (long long)room);
    *array[i] = more;
  }
  t->step_room = room;
  return IG_OK;
}

/* States of sqrt(steps) marks, and as many of a window. */
static ig_status memory_look(const ig_dyn_tape *t, double steps) {
  const double bytes = 2 * (sqrt(steps) + 1) * (double)t->size * sizeof(double);
  if (bytes < ig_memory_left())
    return IG_OK;
  return IG_FAIL(t->cx, IG_MEMORY,
                 "a gradient over %.0f steps keeps %.0f states, %.3g GB in all: this machine has "
                 "%.3g GB left",
                 steps, 2 * sqrt(steps), 1e-9 * bytes, 1e-9 * ig_memory_left());
}

/* One step as the run itself takes it, and what it decides after it. */
static ig_status step_own(ig_dyn_tape *t, bool *ended) {
  ig_run_status now;
  IG_TRY(ig_room_dynamics.advance(t->run, 1, 0));
  ig_room_dynamics.stand(t->run, &now);
  *ended = now.ended;
  return now.ended ? IG_OK : ig_room_dynamics.renew(t->run);
}

ig_status ig_dyn_tape_forward(ig_dyn_tape *t, const ig_dyn_tape *like) {
  const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, t->run->c->analysis, 0);
  const ig_dyn_clock *clock = t->run->m->clock.host;
  const double expected = a->duration / clock->dt, window = sqrt(expected);
  bool ended = false;
  int64_t since = 0;
  if (!like)
    IG_TRY(memory_look(t, expected));
  IG_TRY(room_for(t));
  t->time[0] = clock->time;
  IG_TRY(ig_dyn_tape_read(t, 0));
  while (!ended) {
    IG_TRY(room_for(t));
    if (t->cx->interrupted)
      return IG_FAIL(t->cx, IG_INTERRUPTED, "the gradient was stopped");
    if (!like && (t->marks == 0 || (double)since >= window)) {
      IG_TRY(mark_keep(t));
      since = 0;
    }
    t->dt[t->steps] = like ? like->dt[t->steps] : clock->dt;
    if (like)
      IG_TRY(ig_dyn_tape_step(t, t->steps));
    else
      IG_TRY(step_own(t, &ended));
    since++;
    t->steps++;
    t->time[t->steps] = clock->time;
    if (like)
      ended = t->steps == like->steps;
    for (int i = 0; i < t->signals; i++)
      t->reading[t->steps * t->signals + i] = 0;
    if (t->each || ended)
      IG_TRY(ig_dyn_tape_read(t, t->steps));
  }
  return ig_fault_check(t->cx, "element", t->run->m->fault_ids);
}
