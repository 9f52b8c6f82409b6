/* Checkpoints: all that a run needs to go on to the same bits: the numbers (marks), particles,
   states of elements, bodies, memory of contact, relaxation. One list of arrays (saved_arrays)
   serves writing and reading. On ranks particles and elements are sent to rank 0 in pieces and
   written in the order of the whole model, so that a run may go on with another number of ranks. */
#include "dynamics/model/part.h"
#include "dynamics/model/solids.h"
#include "dynamics/run.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MARKS: numbers in marks_move, the last is the ramp. ARRAYS: most arrays beside groups and
   solids. */
enum { MARKS = 31, MARK_RAMP = MARKS - 1, ARRAYS = 10 };
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
  MARK(r->analysis);
  MARK(r->analysis_start);
  MARK(r->worst_error);
  MARK(r->static_error);
  MARK(r->m->balance.made);
  MARK(r->m->relax.on);
  MARK(r->m->relax.loaded);
  MARK(r->m->relax.steps);
  MARK(r->m->relax.power);
  MARK(r->m->relax.since);
  MARK(r->m->relax.error);
  MARK(r->m->relax.every);
  MARK(r->m->relax.internal);
  MARK(r->m->relax.damping);
  MARK(r->m->relax.plastic);
  MARK(r->m->relax.path);
  MARK(r->m->relax.drag);
  MARK(r->static_path);
  MARK(r->blow_step);
  MARK(r->newton.steps);
  MARK(r->newton.iterations);
  MARK(r->newton.negative);
  MARK(r->ramp); /* the last: MARK_RAMP */
#undef MARK
}

/* On ranks arrays of particles and elements are in parts and have no data here. */
static int saved_arrays(ig_dyn_job *r, double *mark, ig_saved *saved, char (*name)[32], int space) {
  ig_dyn_model *m = r->m;
  const ig_dtype part = m->part == sizeof(double) ? IG_F64 : IG_F32;
  const int64_t nodes = ig_dyn_nodes_all(m);
  const bool alone = ig_dyn_alone(m); /* else these arrays are in parts */
  int n = 0;
  saved[n++] = (ig_saved){"marks", IG_F64, MARKS, mark};
  saved[n++] = (ig_saved){"x", part, 3 * nodes, alone ? m->x.host : NULL};
  saved[n++] = (ig_saved){"v", part, m->p.dofs * nodes, alone ? m->v.host : NULL};
  saved[n++] = (ig_saved){"f", part, m->p.pitch * nodes, alone ? m->f.host : NULL};
  saved[n++] = (ig_saved){"work", IG_F64, IG_WORKS * nodes, alone ? m->work.host : NULL};
  if (m->c->bodies.count) {
    saved[n++] = (ig_saved){"bodies", IG_U8, m->c->bodies.count * (int64_t)sizeof(ig_dyn_body),
                            ig_dyn_bodies_all(m)};
    saved[n++] = (ig_saved){"arms", IG_F64,
                            ig_dyn_alone(m) ? (int64_t)m->carried.body_arm.count
                                            : 3 * m->division->arms.whole_count,
                            alone ? m->carried.body_arm.host : NULL};
  }
  if (ig_dyn_touches(m)) {
    saved[n++] = (ig_saved){"before", part, 3 * nodes, alone ? m->contact.before.host : NULL};
    saved[n++] = (ig_saved){"contact", IG_F64, IG_DYN_KEPT * ig_dyn_pieces_all(m),
                            alone ? m->contact.kept.host : NULL};
  }
  if (m->relax.on)
    saved[n++] =
        (ig_saved){"relaxation", IG_F64, IG_RELAX_ARRAYS * 3 * nodes, alone ? m->relax.was : NULL};
  for (int k = 0; k < m->groups && n < space; k++) {
    const ig_dyn_group *g = &m->group[k];
    snprintf(name[n], sizeof name[n], "state%d", k);
    saved[n] = (ig_saved){name[n], g->state.size == sizeof(double) ? IG_F64 : IG_F32,
                          ig_dyn_slots_all(m, k) * g->g_f64.states, alone ? g->state.host : NULL};
    n++;
  }
  for (int k = 0; m->solids && k < m->solids->count && n < space; k++) {
    const ig_solid_group *g = &m->solids->item[k].g;
    snprintf(name[n], sizeof name[n], "solid%d", k);
    saved[n] = (ig_saved){name[n], IG_F64, ig_solid_group_saved(g), g->state};
    n++;
  }
  if (m->solids)
    saved[n++] = (ig_saved){"places", IG_F64, 3 * nodes, m->solids->x};
  return n;
}

/* Pads get the numbers of the last element: what they hold depends on how elements are packed,
   and files of equal runs should be equal. Groups with several colors have pads in between and
   are left alone. */
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

/* --- on ranks: the sink asks rank 0 for an array, which all ranks bring in pieces */

typedef struct {
  ig_dyn_job *r;
  ig_sink *to;
  const ig_saved *saved;
  int count;
} saving;

static ig_status saved_bring(void *self, int array, ig_stream_take *take, void *user) {
  const saving *s = self;
  if (array < 0 || array >= s->count)
    return IG_FAIL(s->r->m->cx, IG_ARG, "a checkpoint has no array %d", array);
  return ig_dyn_part_saved(s->r->m, s->saved[array].name, take, user);
}

static ig_status saved_tell(void *user, const ig_stream *stream) {
  const saving *s = user;
  const ig_dyn_clock *k = ig_dyn_clock_of(s->r);
  return ig_sink_checkpoint(s->r->m->cx, s->to, k->time, k->step, s->saved, s->count, stream);
}

/* The first rank's sink asks for arrays (ig_serve); the others answer until it is done. */
static ig_status pieces_write(ig_dyn_job *r, ig_sink *to, ig_saved *saved, int count) {
  saving s = {r, to, saved, count};
  ig_served served = {r->m->cx, &s, saved_bring};
  IG_TRY(ig_serve(&served, saved_tell, &s));
  if (ig_ranks_first(r->m->cx))
    return IG_OK;
  /* others save what is not in parts: a state that a program keeps is there on all ranks */
  int n = 0;
  for (int i = 0; i < count; i++)
    if (saved[i].data)
      saved[n++] = saved[i];
  return to->checkpoint(to, ig_dyn_clock_of(r)->time, ig_dyn_clock_of(r)->step, saved, n);
}

/* The state on the host; on ranks, of the part. */
static ig_status state_pull(ig_dyn_model *m) {
  IG_TRY(ig_dyn_pull(m));
  if (!ig_dyn_alone(m))
    return IG_OK;
  IG_TRY(ig_array_pull(m->cx, &m->work));
  if (ig_dyn_touches(m)) {
    IG_TRY(ig_array_pull(m->cx, &m->contact.before));
    IG_TRY(ig_array_pull(m->cx, &m->contact.kept));
  }
  for (int k = 0; k < m->groups; k++) {
    IG_TRY(ig_array_pull(m->cx, &m->group[k].state));
    pads_fill(&m->group[k]);
  }
  return IG_OK;
}

/* While statics search for a ramp, or Newton's method is under way, the checkpoint is the state
   at the start of the analysis, with the ramp on trial: a restart repeats the analysis from
   there. */
static ig_status start_write(ig_dyn_job *r, ig_sink *to) {
  const ig_restart *start = r->start.kept;
  ig_saved *marks;
  IG_TRY(ig_restart_look(r->m->cx, start, "marks", IG_F64, MARKS, &marks));
  ((double *)marks->data)[MARK_RAMP] = r->ramp;
  return to->checkpoint(to, start->time, start->step, start->saved, start->count);
}

/* Collective. A rank that fails takes part in gathering the bodies and passes its failure on
   there. */
ig_status ig_dyn_checkpoint_write(void *self, ig_sink *to) {
  ig_dyn_job *r = self;
  ig_dyn_model *m = r->m;
  if (r->start.kept && to != &r->start.sink)
    return start_write(r, to);
  const int space = ARRAYS + m->groups + (m->solids ? m->solids->count + 1 : 0);
  ig_saved *saved = NULL;
  char(*name)[32] = NULL;
  double mark[MARKS];
  ig_status status = state_pull(m);
  if (status == IG_OK)
    status = IG_NEW(m->cx, &saved, space, "checkpoint");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &name, space, "checkpoint");
  status = ig_dyn_bodies_gather(m, status);
  if (status == IG_OK) {
    marks_move(r, mark, false);
    const int n = saved_arrays(r, mark, saved, name, space);
    status = ig_dyn_alone(m)
                 ? to->checkpoint(to, ig_dyn_clock_of(r)->time, ig_dyn_clock_of(r)->step, saved, n)
                 : pieces_write(r, to, saved, n);
  }
  free(saved);
  free(name);
  return status;
}

/* --- back */

/* Of the whole: to the device. */
static ig_status state_push(ig_dyn_model *m) {
  ig_array *const state[] = {&m->x,
                             &m->v,
                             &m->f,
                             &m->work,
                             &m->carried.body,
                             &m->carried.body_arm,
                             &m->contact.before,
                             &m->contact.kept};
  for (size_t i = 0; i < sizeof state / sizeof *state; i++)
    if (state[i]->count)
      IG_TRY(ig_array_push(m->cx, state[i]));
  for (int i = 0; i < m->groups; i++)
    IG_TRY(ig_array_push(m->cx, &m->group[i].state));
  m->fresh = true; /* forces are in f */
  return IG_OK;
}

/* Reads what has data here: on ranks marks and bodies; arrays in parts are taken by
   ig_dyn_part_restore. */
static ig_status arrays_read(ig_dyn_job *r, const ig_restart *from, double *mark, ig_saved *saved,
                             char (*name)[32], int space) {
  ig_ctx *cx = r->m->cx;
  const void *data;
  const int n = saved_arrays(r, mark, saved, name, space);
  for (int i = 0; i < n; i++) {
    if (!saved[i].data)
      continue;
    IG_TRY(ig_restart_find(cx, from, saved[i].name, saved[i].dtype, saved[i].count, &data));
    memcpy(saved[i].data, data, (size_t)saved[i].count * ig_dtype_size(saved[i].dtype));
  }
  IG_TRY(ig_array_push(cx, &r->m->clock));
  return ig_dyn_alone(r->m) ? state_push(r->m) : ig_dyn_part_restore(r->m, from);
}

/* Masses first: they depend on mass scaling, and what depends on masses is overwritten by what
   is read. */
ig_status ig_dyn_checkpoint_read(void *self, const ig_restart *from) {
  ig_dyn_job *r = self;
  ig_dyn_model *m = r->m;
  ig_ctx *cx = m->cx;
  const int space = ARRAYS + m->groups + (m->solids ? m->solids->count + 1 : 0);
  ig_saved *saved = NULL;
  char(*name)[32] = NULL;
  double mark[MARKS];
  const void *data;
  IG_TRY(ig_restart_find(cx, from, "marks", IG_F64, MARKS, &data));
  memcpy(mark, data, sizeof mark);
  marks_move(r, mark, true);
  if (m->weight.scaled_to > 0) { /* first: it changes bodies and the clock, which are then read */
    IG_TRY(ig_dyn_masses(m, m->weight.scaled_to));
    marks_move(r, mark, true);
  }
  if (m->relax.on)
    IG_TRY(ig_dyn_relax_room(m));
  ig_status status = IG_NEW(cx, &saved, space, "checkpoint");
  if (status == IG_OK)
    status = IG_NEW(cx, &name, space, "checkpoint");
  if (status == IG_OK)
    status = arrays_read(r, from, mark, saved, name, space);
  free(saved);
  free(name);
  return ig_dyn_agree(m, status);
}
