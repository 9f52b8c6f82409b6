/* Checkpoints: all that a run needs to go on to the same bits. */
#include "dynamics/part.h"
#include "dynamics/run.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARKS = 23, ARRAYS = 9 };
/* The numbers beside the arrays, into `mark` or back from it. */
static void marks_move(ig_dyn_job *r, double mark[MARKS], bool back) {
  ig_dyn_clock *k = r->m->clock.host;
  int n = 0;
#define MARK(what)                                                                                 \
  if (back)                                                                                        \
    (what) = mark[n];                                                                              \
  else                                                                                             \
    mark[n] = (double)(what);                                                                      \
  n++
  MARK(k->step);
  MARK(k->time);
  MARK(k->dt);
  MARK(k->before);
  MARK(k->tick);
  MARK(k->damping);
  MARK(r->m->balance.energy);
  MARK(r->m->weight.scaled_to);
  MARK(r->m->weight.run_to);
  MARK(r->m->weight.run_step);
  MARK(r->m->weight.touch_scale);
  MARK(r->analysis);
  MARK(r->analysis_start);
  MARK(r->worst_error);
  MARK(r->static_error);
  MARK(r->m->balance.made);
  MARK(k->stiff);
  MARK(r->m->relax.on);
  MARK(r->m->relax.loaded);
  MARK(r->m->relax.steps);
  MARK(r->m->relax.kinetic);
  MARK(r->m->relax.since);
  MARK(r->m->relax.error);
#undef MARK
}

static int saved_arrays(ig_dyn_job *r, double *mark, ig_saved *saved, char (*name)[32], int space) {
  ig_dyn_model *m = r->m;
  const ig_dtype part = m->part == sizeof(double) ? IG_F64 : IG_F32;
  int n = 0;
  saved[n++] = (ig_saved){"marks", IG_F64, MARKS, mark};
  saved[n++] = (ig_saved){"x", part, (int64_t)m->x.count, m->x.host};
  saved[n++] = (ig_saved){"v", part, (int64_t)m->v.count, m->v.host};
  saved[n++] = (ig_saved){"f", part, (int64_t)m->f.count, m->f.host};
  saved[n++] = (ig_saved){"work", IG_F64, (int64_t)m->work.count, m->work.host};
  if (m->p.bodies.count) {
    saved[n++] =
        (ig_saved){"bodies", IG_U8, (int64_t)(m->carried.body.count * m->carried.body.size),
                   m->carried.body.host};
    saved[n++] =
        (ig_saved){"arms", IG_F64, (int64_t)m->carried.body_arm.count, m->carried.body_arm.host};
  }
  if (m->contact.reach.count)
    saved[n++] =
        (ig_saved){"reach", IG_F64, (int64_t)m->contact.reach.count, m->contact.reach.host};
  if (m->relax.on)
    saved[n++] =
        (ig_saved){"relaxation", IG_F64, IG_RELAX_ARRAYS * 3 * (int64_t)m->p.nodes, m->relax.was};
  for (int k = 0; k < m->groups && n < space; k++) {
    const ig_array *s = &m->group[k].state;
    snprintf(name[n], sizeof name[n], "state%d", k);
    saved[n] = (ig_saved){name[n], s->size == sizeof(double) ? IG_F64 : IG_F32, (int64_t)s->count,
                          s->host};
    n++;
  }
  return n;
}

/* Of the arrays those that this rank has: without the whole model, what all ranks have alike. */
static int saved_here(ig_saved *saved, int count) {
  int n = 0;
  for (int i = 0; i < count; i++)
    if (saved[i].data)
      saved[n++] = saved[i];
  return n;
}

/* What pads hold depends on how elements are packed: they get the numbers of the last element. */
static void pads_fill(ig_dyn_group *g) {
  for (ig_lid s = g->count; g->colors == 1 && s < g->slots; s++)
    for (int v = 0; v < g->g_f64.states; v++) {
      char *base = g->state.host;
      const int64_t B = IG_DYN_BLOCK, last = g->count - 1;
      const int64_t to = (s / B * g->g_f64.states + v) * B + s % B,
                    from = (last / B * g->g_f64.states + v) * B + last % B;
      memcpy(base + (size_t)to * g->state.size, base + (size_t)from * g->state.size, g->state.size);
    }
}

static ig_status checkpoint_write(ig_dyn_job *r, ig_sink *to) {
  ig_dyn_model *m = r->m;
  IG_TRY(ig_dyn_pull(m));
  const bool whole = ig_dyn_has_whole(m);
  if (whole)
    IG_TRY(ig_array_pull(m->cx, &m->work));
  if (m->p.bodies.count)
    IG_TRY(ig_array_pull(m->cx, &m->carried.body));
  if (m->contact.reach.count)
    IG_TRY(ig_array_pull(m->cx, &m->contact.reach));
  IG_TRY(ig_dyn_gather_states(m));
  for (int k = 0; k < m->groups && whole; k++) {
    if (!m->divided)
      IG_TRY(ig_array_pull(m->cx, &m->group[k].state));
    pads_fill(&m->group[k]);
  }
  const int space = ARRAYS + m->groups;
  ig_saved *saved = NULL;
  char(*name)[32] = NULL;
  double mark[MARKS];
  marks_move(r, mark, false);
  IG_TRY(IG_NEW(m->cx, &saved, space, "checkpoint"));
  ig_status status = IG_NEW(m->cx, &name, space, "checkpoint");
  if (status == IG_OK) {
    const int n = saved_here(saved, saved_arrays(r, mark, saved, name, space));
    status = to->checkpoint(to, ig_dyn_clock_of(r)->time, ig_dyn_clock_of(r)->step, saved, n);
  }
  free(saved);
  free(name);
  return status;
}

ig_status ig_dyn_checkpoint_write(void *self, ig_sink *to) {
  ig_dyn_job *r = self;
  IG_TRY(ig_ranks_agree(r->m->cx, ig_dyn_states_hold(r->m)));
  const ig_status status = checkpoint_write(r, to);
  ig_dyn_states_drop(r->m);
  return status;
}

static ig_status checkpoint_read(ig_dyn_job *r, const ig_restart *from) {
  ig_dyn_model *m = r->m;
  ig_ctx *cx = m->cx;
  const int space = ARRAYS + m->groups;
  ig_saved *saved = NULL;
  char(*name)[32] = NULL;
  double mark[MARKS];
  ig_status status = IG_OK;
  IG_TRY(IG_NEW(cx, &saved, space, "checkpoint"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &name, space, "checkpoint"));
  const void *data;
  IG_TRY_GOTO(status, done, ig_restart_find(cx, from, "marks", IG_F64, MARKS, &data));
  memcpy(mark, data, sizeof mark);
  marks_move(r, mark, true);
  if (m->weight.scaled_to > 0) { /* first: it changes bodies and the clock, which are then read */
    IG_TRY_GOTO(status, done, ig_dyn_masses(m, m->weight.scaled_to));
    marks_move(r, mark, true);
  }
  const bool whole = ig_dyn_has_whole(m);
  free(m->relax.was);
  m->relax.was = NULL;
  if (m->relax.on && whole)
    IG_TRY_GOTO(status, done,
                IG_NEW(cx, &m->relax.was, IG_RELAX_ARRAYS * 3 * (int64_t)m->p.nodes, "relaxation"));
  const int n = saved_here(saved, saved_arrays(r, mark, saved, name, space));
  for (int i = 0; i < n; i++) {
    IG_TRY_GOTO(status, done,
                ig_restart_find(cx, from, saved[i].name, saved[i].dtype, saved[i].count, &data));
    memcpy(saved[i].data, data, (size_t)saved[i].count * ig_dtype_size(saved[i].dtype));
  }
  if (m->p.bodies.count) {
    IG_TRY_GOTO(status, done, ig_array_push(cx, &m->carried.body));
    IG_TRY_GOTO(status, done, ig_array_push(cx, &m->carried.body_arm));
  }
  if (m->contact.reach.count)
    IG_TRY_GOTO(status, done, ig_array_push(cx, &m->contact.reach));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->clock));
  ig_array *const state[] = {&m->x, &m->v, &m->f, &m->work};
  for (int i = 0; i < 4 && whole; i++)
    IG_TRY_GOTO(status, done, ig_array_push(cx, state[i]));
  for (int i = 0; i < m->groups && !m->divided; i++)
    IG_TRY_GOTO(status, done, ig_array_push(cx, &m->group[i].state));
  m->fresh = true; /* forces are in f */
  status = ig_dyn_scatter(m);
done:
  free(saved);
  free(name);
  return status;
}

ig_status ig_dyn_checkpoint_read(void *self, const ig_restart *from) {
  ig_dyn_job *r = self;
  IG_TRY(ig_ranks_agree(r->m->cx, ig_dyn_states_hold(r->m)));
  const ig_status status = checkpoint_read(r, from);
  ig_dyn_states_drop(r->m);
  return status;
}
