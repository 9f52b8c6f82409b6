/* Checkpoints: all that a run needs to go on to the same bits: registered arrays (engine/arrays.c),
   and what all ranks have alike (saved_list): numbers (marks), bodies, solids of statics. Arrays
   are written in the order of the whole model, so that a run may go on with another number of
   ranks. */
#include "dynamics/contact/overlap.h"
#include "dynamics/model/pairs.h"
#include "dynamics/model/part.h"
#include "dynamics/model/solids.h"
#include "dynamics/run.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers in marks_move; the last is the ramp. */
enum { MARKS = 31, MARK_RAMP = MARKS - 1 };
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

/* What is no registered array; *saved and the names it has are the caller's to free. */
typedef struct {
  double mark[MARKS];
  ig_saved *saved;
  char (*name)[32];
  int count;
} saved_list;

static void list_free(saved_list *l) {
  free(l->saved);
  free(l->name);
}

static ig_status list_make(ig_dyn_job *r, saved_list *l) {
  ig_dyn_model *m = r->m;
  const int solids = m->solids ? m->solids->count : 0;
  IG_TRY(IG_NEW(m->cx, &l->saved, 5 + (size_t)solids, "checkpoint"));
  IG_TRY(IG_NEW(m->cx, &l->name, 1 + (size_t)solids, "checkpoint"));
  l->saved[l->count++] = (ig_saved){"marks", IG_F64, MARKS, l->mark};
  if (m->c->bodies.count)
    l->saved[l->count++] = (ig_saved){
        "bodies", IG_U8, m->c->bodies.count * (int64_t)sizeof(ig_dyn_body), ig_dyn_bodies_all(m)};
  for (int k = 0; k < solids; k++) {
    const ig_solid_group *g = &m->solids->item[k].g;
    snprintf(l->name[k], sizeof l->name[k], "solid%d", k);
    l->saved[l->count++] = (ig_saved){l->name[k], IG_F64, ig_solid_group_saved(g), g->state};
  }
  if (m->solids)
    l->saved[l->count++] = (ig_saved){"places", IG_F64, 3 * (int64_t)m->p.nodes, m->solids->x};
  if (m->pairs.of)
    l->saved[l->count++] = (ig_saved){
        "pairs", IG_U8, m->pairs.of->contact.count * (int64_t)sizeof *m->pairs.of->contact.point,
        m->pairs.of->contact.point};
  if (m->loading.tool_pull)
    l->saved[l->count++] = (ig_saved){"tool_friction", IG_F64, 3 * (int64_t)m->p.nodes * m->p.tools,
                                      m->loading.tool_pull};
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
  saved_list l = {.count = 0};
  ig_status status = ig_dyn_forces_sum(m);
  if (status == IG_OK)
    status = ig_array_pull(m->cx, &m->clock);
  if (status == IG_OK)
    status = list_make(r, &l);
  status = ig_dyn_bodies_gather(m, status);
  if (status == IG_OK) {
    const ig_dyn_clock *k = ig_dyn_clock_of(r);
    marks_move(r, l.mark, false);
    status = ig_arrays_save(&m->arrays, k->time, k->step, l.saved, l.count, to);
  }
  list_free(&l);
  return status;
}

/* --- back */

static ig_status list_read(ig_dyn_job *r, const ig_restart *from, saved_list *l) {
  ig_ctx *cx = r->m->cx;
  const void *data;
  IG_TRY(list_make(r, l));
  for (int i = 0; i < l->count; i++) {
    const ig_saved *s = &l->saved[i];
    IG_TRY(ig_restart_find(cx, from, s->name, s->dtype, s->count, &data));
    memcpy(s->data, data, (size_t)s->count * ig_dtype_size(s->dtype));
  }
  IG_TRY(ig_array_push(cx, &r->m->clock));
  return ig_dyn_restore(r->m, from);
}

/* Masses first: they depend on mass scaling, and what depends on masses is overwritten by what
   is read. */
ig_status ig_dyn_checkpoint_read(void *self, const ig_restart *from) {
  ig_dyn_job *r = self;
  ig_dyn_model *m = r->m;
  ig_ctx *cx = m->cx;
  saved_list l = {.count = 0};
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
  const ig_status status = list_read(r, from, &l);
  list_free(&l);
  ig_dyn_slide_forget(m); /* positions jump */
  return ig_dyn_agree(m, status);
}
