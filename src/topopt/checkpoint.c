/* Checkpoints: arrays of the design and its states, and figures. Of a grid or mesh that is
   divided between ranks they go to the first in pieces, and no rank has all of them.

   A continued run reaches the same bits as one that was not interrupted. Therefore states are
   saved, too: they are first guesses of the next solves, and the results of iterative solvers
   depend on them. Asymptotes, multipliers, corrections and what the solver has learnt are saved
   for the same reason.

   One list (state_see) serves both directions: it names every array that this run has, with its
   place on the device. Saving reads from there, restoring writes to it. Files have arrays of the
   whole body, so that a run may continue on another number of ranks.

   A snapshot between two checkpoints may analyse the design earlier than the run would have
   done, which changes the states. ig_topopt_keep copies the state before that, and the next
   checkpoint saves the copy. */
#include "topopt/output.h"
#include "topopt/design/buckling.h"
#include "topopt/design/modes.h"
#include "topopt/design/overheat.h"
#include "topopt/design/pnorm.h"
#include "topopt/design/stress.h"
#include "backend/backend.h"
#include "ranks/restart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ARRAYS: states and adjoints of all realisations, adjoints and clusters of constraints, modes of
   swinging and buckling, and nine single ones. FIGURES: four numbers and the multipliers. */
enum {
  ARRAYS = IG_REALISATIONS * (IG_LOAD_CASES + 1) + 2 * IG_LIMITS + IG_MODES_BLOCK +
           IG_LOAD_CASES * IG_BUCKLINGS_BLOCK + 9,
  BUCKLINGS = IG_LOAD_CASES * IG_BUCKLINGS_BLOCK,
  NUMBERS = 7,
  FIGURES = 4 + IG_LIMITS + 1,
  CORRECTIONS = IG_LIMITS + 1
};

/* `count` arrays of elements or of states, one after the other. */
typedef struct {
  char name[32];
  bool states;
  int count;
  double *value;
} array;

/* What a checkpoint holds: arrays on the device or, as they were at some moment, on the host; of a
   part the rank's own, with ghosts. */
struct ig_topopt_state {
  bool host;
  int64_t step;
  int arrays, numbers;
  array array[ARRAYS];
  ig_saved number[NUMBERS]; /* each one of the following */
  double figures[FIGURES], stress[CORRECTIONS], largest[CORRECTIONS], overheat[CORRECTIONS],
      feasible[2], eigenvalue[IG_MODES_BLOCK], buckling[BUCKLINGS];
};

/* Arrays that this run does not have (no device pointer) are not listed. */
static void add(ig_topopt_state *to, const ig_array *a, bool states, int count, const char *name) {
  array *next = &to->array[to->arrays];
  if (!a->dev)
    return;
  *next = (array){.states = states, .count = count, .value = a->dev};
  snprintf(next->name, sizeof next->name, "%s", name);
  to->arrays++;
}

static void add_number(ig_topopt_state *to, const char *name, double *value, int count) {
  to->number[to->numbers++] = (ig_saved){name, IG_F64, count, value};
}

/* Names are part of the file format. Modes and asymptotes are there once an evaluation or update
   has made them. */
static void arrays_list(const ig_topopt_run *run, ig_topopt_state *to) {
  const ig_topopt_design *s = run->s;
  char name[32];
  add(to, &s->x, false, 1, "design");
  for (int r = 0; r < s->realisations; r++) {
    for (int q = 0; q < s->loading->cases; q++) {
      snprintf(name, sizeof name, "state %d %d", r, q);
      add(to, &s->u[r][q], true, 1, name);
    }
    snprintf(name, sizeof name, "adjoint %d", r);
    add(to, &s->adjoint[r], true, 1, name);
  }
  for (int i = 0; i < s->limits; i++) {
    snprintf(name, sizeof name, "constraint %d", i + 1);
    if (s->limit_states[i] > 0)
      add(to, &s->limit_state[i], true, s->limit_states[i], name);
  }
  for (int i = 0; s->stress && i < s->limits; i++) {
    snprintf(name, sizeof name, "clusters %d", i + 1);
    add(to, &s->stress->cluster[i], false, 1, name);
  }
  if (s->stress)
    add(to, &s->stress->state, true, s->loading->cases, "adjoint stress");
  if (s->peaks)
    add(to, &s->peaks->state, true, s->loading->cases, "adjoint temperature");
  for (int i = 0; s->modes && s->modes->known && i < s->modes->block; i++) {
    snprintf(name, sizeof name, "mode %d", i + 1);
    add(to, &s->modes->x[i], true, 1, name);
  }
  const ig_topopt_buckling *b = s->buckling;
  if (b)
    add(to, &b->state, true, s->loading->cases, "adjoint buckling");
  for (int q = 0; b && b->known && q < s->loading->cases; q++)
    for (int i = 0; i < b->block; i++) {
      snprintf(name, sizeof name, "buckling %d %d", q + 1, i + 1);
      add(to, &b->x[q][i], true, 1, name);
    }
  add(to, &run->feasible, false, 1, "feasible design");
  if (to->step == 0) /* no update has made use of them yet */
    return;
  add(to, &s->mma_low, false, 1, "lower asymptote");
  add(to, &s->mma_high, false, 1, "upper asymptote");
  add(to, &s->mma_old, false, 1, "old design");
  add(to, &s->mma_older, false, 1, "older design");
}

/* Room for the numbers of this run, by name. */
static void numbers_list(const ig_topopt_run *run, ig_topopt_state *to) {
  const ig_topopt_design *s = run->s;
  add_number(to, "figures", to->figures, FIGURES);
  if (s->stress)
    add_number(to, "corrections of stresses", to->stress, CORRECTIONS);
  if (s->peaks)
    add_number(to, "corrections of largest values", to->largest, CORRECTIONS);
  if (s->overheat)
    add_number(to, "corrections of overheating", to->overheat, CORRECTIONS);
  if (run->feasible.dev)
    add_number(to, "feasible", to->feasible, 2);
  if (s->modes && s->modes->known)
    add_number(to, "eigenvalues", to->eigenvalue, IG_MODES_BLOCK);
  if (s->buckling && s->buckling->known)
    add_number(to, "buckling", to->buckling, BUCKLINGS);
}

/* From the run into the buffers that number[] points to; numbers_give is the way back and must
   stay in step with it. */
static void numbers_take(const ig_topopt_run *run, ig_topopt_state *to) {
  const ig_topopt_design *s = run->s;
  const double learnt = s->d->learnt ? *s->d->learnt : 0;
  const double first[] = {run->last, s->tolerance, s->multiplier, learnt + 2 * run->arrived};
  memcpy(to->figures, first, sizeof first);
  memcpy(to->figures + 4, s->dual, sizeof s->dual);
  if (s->stress)
    memcpy(to->stress, s->stress->correction, sizeof to->stress);
  if (s->peaks)
    memcpy(to->largest, s->peaks->correction, sizeof to->largest);
  if (s->overheat)
    memcpy(to->overheat, s->overheat->correction, sizeof to->overheat);
  if (s->modes)
    memcpy(to->eigenvalue, s->modes->lambda, sizeof to->eigenvalue);
  if (s->buckling)
    memcpy(to->buckling, s->buckling->mu, sizeof to->buckling);
  to->feasible[0] = run->feasible_objective;
  to->feasible[1] = (double)run->feasible_at;
}

static void numbers_give(ig_topopt_run *run, const ig_topopt_state *from) {
  ig_topopt_design *s = run->s;
  run->last = from->figures[0];
  s->tolerance = from->figures[1];
  s->multiplier = from->figures[2];
  const int flags = (int)from->figures[3];
  if (s->d->learnt)
    *s->d->learnt = flags & 1;
  run->arrived = flags & 2; /* it has ended, and makes no further step */
  memcpy(s->dual, from->figures + 4, sizeof s->dual);
  if (s->stress)
    memcpy(s->stress->correction, from->stress, sizeof from->stress);
  if (s->peaks)
    memcpy(s->peaks->correction, from->largest, sizeof from->largest);
  if (s->overheat)
    memcpy(s->overheat->correction, from->overheat, sizeof from->overheat);
  if (s->modes && s->modes->known)
    memcpy(s->modes->lambda, from->eigenvalue, sizeof from->eigenvalue);
  if (s->buckling && s->buckling->known)
    memcpy(s->buckling->mu, from->buckling, sizeof from->buckling);
  if (run->feasible.dev) {
    run->feasible_objective = from->feasible[0];
    run->feasible_at = (int64_t)from->feasible[1];
  }
}

/* As it is now, on the device. */
static void state_see(const ig_topopt_run *run, ig_topopt_state *to) {
  memset(to, 0, sizeof *to);
  to->step = run->iteration;
  arrays_list(run, to);
  numbers_list(run, to);
  numbers_take(run, to);
}

/* Values of an array as this rank has it, or as a whole. */
static int64_t length(const ig_discretisation *d, const array *a) {
  return a->count * (a->states ? d->unknowns : d->places);
}
static int64_t whole_length(const ig_discretisation *d, const array *a) {
  return a->count * (a->states ? d->all_unknowns : d->all_places);
}

/* --- a state that is kept --- */

/* After an update the state that was kept belongs to the past. */
void ig_topopt_forget(ig_topopt_run *run) {
  ig_topopt_state *kept = run->kept;
  for (int i = 0; kept && i < kept->arrays; i++)
    free(kept->array[i].value);
  free(kept);
  run->kept = NULL;
}

/* Of a part each rank keeps its own values with ghosts, as they lie on the device. */
ig_status ig_topopt_keep(ig_topopt_run *run) {
  const ig_discretisation *d = run->d;
  ig_ctx *cx = run->s->cx;
  ig_topopt_state *now;
  ig_topopt_forget(run);
  ig_status status = IG_NEW(cx, &now, 1, "checkpoint");
  if (status == IG_OK) {
    state_see(run, now);
    run->kept = now;
    now->host = true;
  }
  for (int i = 0; run->kept && i < now->arrays; i++) {
    array *a = &now->array[i];
    const double *from = a->value;
    a->value = NULL;
    if (status == IG_OK)
      status = IG_NEW(cx, &a->value, (size_t)length(d, a) + 1, "checkpoint");
    if (status == IG_OK && length(d, a) > 0)
      status = cx->backend->copy_out(cx, a->value, from, (size_t)length(d, a) * sizeof *from);
  }
  if (status == IG_OK)
    status = cx->backend->sync(cx);
  if (ig_topopt_divided(d))
    status = ig_ranks_agree(cx, status);
  if (status != IG_OK)
    ig_topopt_forget(run);
  return status;
}

/* Into the arrays of the run, which are those that were kept. */
ig_status ig_topopt_put_back(ig_topopt_run *run) {
  const ig_topopt_state *kept = run->kept;
  ig_ctx *cx = run->s->cx;
  ig_topopt_state now;
  state_see(run, &now);
  for (int i = 0; i < kept->arrays; i++) {
    const array *a = &kept->array[i];
    IG_TRY(cx->backend->copy_in(cx, now.array[i].value, a->value,
                                (size_t)length(run->d, a) * sizeof *a->value));
  }
  numbers_give(run, kept);
  return cx->backend->sync(cx);
}

/* --- to a sink --- */

typedef struct {
  const ig_topopt_run *run;
  ig_sink *to;
  const ig_topopt_state *state;
} saving;

/* Arrays without data, then the numbers. */
static int saved_list(const saving *s, ig_saved *saved) {
  int count = 0;
  for (; count < s->state->arrays; count++) {
    const array *a = &s->state->array[count];
    saved[count] = (ig_saved){a->name, IG_F64, whole_length(s->run->d, a), NULL};
  }
  for (int i = 0; i < s->state->numbers; i++)
    saved[count++] = s->state->number[i];
  return count;
}

/* All ranks call this for every array, in the same order (ig_serve). */
static ig_status saved_bring(void *self, int i, ig_stream_take *take, void *user) {
  const saving *s = self;
  const ig_discretisation *d = s->run->d;
  const array *a = &s->state->array[i];
  for (int k = 0; k < a->count; k++)
    IG_TRY(d->stream(d->self, a->states, a->value + k * (length(d, a) / a->count), s->state->host,
                     take, user));
  return IG_OK;
}

/* On rank 0: the list of names and lengths; data follows through the stream. */
static ig_status saved_tell(void *user, const ig_stream *stream) {
  const saving *s = user;
  ig_saved saved[ARRAYS + NUMBERS];
  const int count = saved_list(s, saved);
  return ig_sink_checkpoint(s->run->s->cx, s->to, (double)s->state->step, s->state->step, saved,
                            count, stream);
}

/* In pieces; ranks but the first save the numbers alone. */
static ig_status state_stream(saving *s) {
  ig_ctx *cx = s->run->s->cx;
  ig_served served = {cx, s, saved_bring};
  IG_TRY(ig_serve(&served, saved_tell, s));
  if (ig_ranks_first(cx))
    return IG_OK;
  return s->to->checkpoint(s->to, (double)s->state->step, s->state->step, s->state->number,
                           s->state->numbers);
}

/* One block for all arrays, filled from the device unless the kept copy is on the host already. */
static ig_status state_write(const saving *s) {
  ig_ctx *cx = s->run->s->cx;
  const ig_topopt_state *st = s->state;
  ig_saved saved[ARRAYS + NUMBERS];
  const int count = saved_list(s, saved);
  double *host = NULL, *at;
  size_t all = 1;
  ig_status status = IG_OK;
  for (int i = 0; i < st->arrays && !st->host; i++)
    all += (size_t)saved[i].count;
  IG_TRY(IG_NEW(cx, &host, all, "checkpoint"));
  at = host;
  for (int i = 0; i < st->arrays && status == IG_OK; i++) {
    saved[i].data = st->host ? st->array[i].value : at;
    if (st->host)
      continue;
    status = cx->backend->copy_out(cx, at, st->array[i].value, (size_t)saved[i].count * sizeof *at);
    at += saved[i].count;
  }
  if (status == IG_OK)
    status = s->to->checkpoint(s->to, (double)st->step, st->step, saved, count);
  free(host);
  return status;
}

/* A state that was kept before an early analysis takes precedence over the one in place. */
ig_status ig_topopt_checkpoint(void *self, ig_sink *to) {
  const ig_topopt_run *run = self;
  ig_topopt_state now;
  saving s = {run, to, run->kept};
  if (!run->kept) {
    state_see(run, &now);
    s.state = &now;
  }
  return ig_topopt_divided(run->d) ? state_stream(&s) : state_write(&s);
}

/* --- and back --- */

/* What a rank has of an array of elements or states: `count` values from `at` on, in the whole from
   `whole` on. A grid has a run for each component, with the ghosts, others one. */
typedef struct {
  int64_t at, count, whole;
} span;

/* A slab takes its ghosts from the file, too: they are values of the whole, and no exchange is
   needed afterwards. A mesh part takes own values only; its ghosts are refreshed by the next
   solve. */
static int spans_list(const ig_discretisation *d, bool states, span *list) {
  const ig_grid *g = d->grid;
  if (!ig_topopt_divided(d)) {
    list[0] = (span){0, states ? d->unknowns : d->places, 0};
    return 1;
  }
  if (d->states) {
    list[0] = states ? (span){d->own_states[0], d->own_states[1] - d->own_states[0], d->own_from}
                     : (span){0, d->places, g->from * g->plane};
    return 1;
  }
  /* planes of the file that this slab has: its own, and ghosts as far as the file goes */
  const int below = g->from + 1 < g->ghosts ? g->from + 1 : g->ghosts; /* the whole has a halo */
  const int left = g->all - g->from - g->n[2] + 1, above = left < g->ghosts ? left : g->ghosts;
  const int components = states ? d->layout.size : 1;
  for (int c = 0; c < components; c++)
    list[c] = (span){c * g->stored + (g->ghosts - below) * g->plane,
                     (below + g->n[2] + 1 + above) * g->plane,
                     c * (d->all_places) + (g->from + 1 - below) * g->plane};
  return components;
}

typedef struct {
  ig_ctx *cx;
  double *to;
} filling;

/* Waits for each piece: the buffer of the file reader is used again for the next one. */
static ig_status values_put(void *user, const void *items, int64_t first, int64_t count) {
  const filling *f = user;
  IG_TRY(f->cx->backend->copy_in(f->cx, f->to + first, items, (size_t)count * sizeof *f->to));
  return f->cx->backend->sync(f->cx); /* the next piece takes its place */
}

/* Arrays of the file are those of the whole body; a rank takes its spans, piece by piece. */
static ig_status array_take(const ig_topopt_run *run, const ig_restart *from, const array *a) {
  const ig_discretisation *d = run->d;
  span list[3];
  const int spans = spans_list(d, a->states, list);
  for (int k = 0; k < a->count; k++)
    for (int i = 0; i < spans; i++) {
      filling f = {run->s->cx, a->value + k * (length(d, a) / a->count) + list[i].at};
      const int64_t whole = whole_length(d, a);
      IG_TRY(ig_restart_take(f.cx, from, a->name, whole, k * (whole / a->count) + list[i].whole,
                             list[i].count, values_put, &f));
    }
  return IG_OK;
}

/* Allocates what an uninterrupted run would have by now (asymptotes, modes) before the list is
   made. */
ig_status ig_topopt_restore(void *self, const ig_restart *from) {
  ig_topopt_run *run = self;
  ig_topopt_design *s = run->s;
  ig_ctx *cx = s->cx;
  const void *data;
  ig_topopt_state state;
  run->iteration = from->step;
  if (ig_topopt_method(s->c) == IG_OPTIMISER_MMA && from->step > 0) {
    IG_TRY(ig_topopt_mma_prepare(s));
    s->updates = (int)from->step;
  }
  if (s->modes)
    s->modes->known = from->step > 0;
  if (s->buckling)
    s->buckling->known = from->step > 0;
  state_see(run, &state);
  for (int i = 0; i < state.arrays; i++)
    IG_TRY(array_take(run, from, &state.array[i]));
  for (int i = 0; i < state.numbers; i++) {
    const ig_saved *n = &state.number[i];
    IG_TRY(ig_restart_find(cx, from, n->name, n->dtype, n->count, &data));
    memcpy(n->data, data, (size_t)n->count * sizeof(double));
  }
  numbers_give(run, &state);
  return IG_OK;
}
