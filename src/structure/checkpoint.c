/* Checkpoints: all that a run needs to go on to the same bits.

   What an analysis is made of (constraints, points of contact, forces out of balance) depends on
   the state in which it began. So a checkpoint holds two states: that one, with names that begin
   with "start_", and the accepted one with the standing of Newton's method. A restart begins the
   analysis again from the first and then puts the second in its place:

        ig_structure_start_read     u, history, contact … of the start; room.c begins the analysis
        ig_structure_reached_read   the same of now, numbers, modes, tables, Newton's method

   Analyses of modes are one step, and are in no checkpoint but as what they found. */
#include "structure/structure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATE = 9, NAME = 40, NUMBERS = 64 };

/* Arrays with names of their own. */
typedef struct {
  int count;
  ig_saved saved[2 * (STATE + IG_SOLID_KINDS) + IG_NEWTON_SAVED + 6];
  char name[2 * (STATE + IG_SOLID_KINDS)][NAME];
} saved_list;

static void add(saved_list *l, const char *name, ig_dtype dtype, int64_t count, void *data) {
  l->saved[l->count++] = (ig_saved){name, dtype, data ? count : 0, data};
}

/* The accepted state. Arrays that the model may lack have no items then. */
static void state_list(ig_structure *s, saved_list *l) {
  const int64_t u = s->unknowns, n = s->nodes;
  add(l, "u", IG_F64, u, s->u);
  add(l, "velocity", IG_F64, u, s->velocity);
  add(l, "acceleration", IG_F64, u, s->acceleration);
  add(l, "reaction", IG_F64, u, s->reaction);
  add(l, "force_before", IG_F64, u, s->force_before);
  add(l, "T", IG_F64, n, s->T);
  add(l, "heated", IG_F64, n, s->heated);
  add(l, "heat_flow", IG_F64, n, s->heat_flow);
  for (int i = 0; i < s->groups; i++) {
    char *name = l->name[l->count];
    snprintf(name, NAME, "history%d", i);
    add(l, name, IG_F64, (int64_t)s->group[i].count * s->group[i].states, s->group[i].past);
  }
  add(l, "contact", IG_U8, s->contact.count * (int64_t)sizeof *s->contact.point, s->contact.point);
}

ig_status ig_structure_start_keep(ig_structure *s) {
  saved_list l = {.count = 0};
  if (!s->start.cx)
    ig_keeper_open(s->cx, &s->start);
  state_list(s, &l);
  return s->start.sink.checkpoint(&s->start.sink, s->time, s->step, l.saved, l.count);
}

/* The numbers beside the arrays, into `number` or back from it. */
static void numbers_move(ig_structure *s, double number[NUMBERS], bool back) {
  int at = 0;
#define MOVE(what)                                                                                 \
  if (back)                                                                                        \
    (what) = number[at];                                                                           \
  else                                                                                             \
    number[at] = (double)(what);                                                                   \
  at++
  MOVE(s->analysis);
  MOVE(s->time);
  MOVE(s->step);
  MOVE(s->finished);
  MOVE(s->ended);
  MOVE(s->iterations);
  MOVE(s->cuts);
  MOVE(s->balanced);
  MOVE(s->factor_before);
  MOVE(s->falls);
  MOVE(s->limits);
  MOVE(s->contact.loose);
  for (int i = 0; i < IG_STRUCTURE_LIMITS; i++) {
    MOVE(s->limit[i]);
  }
  for (int i = 0; i < 2; i++) {
    ig_structure_sum *sum = i ? &s->reacted : &s->loaded;
    MOVE(s->beyond[i]);
    MOVE(sum->size[0]);
    MOVE(sum->size[1]);
    for (int d = 0; d < 3; d++) {
      MOVE(sum->force[d]);
      MOVE(sum->moment[d]);
      MOVE(s->touched.tools[i][d]);
    }
  }
  for (int d = 0; d < 3; d++) {
    MOVE(s->touched.force[d]);
  }
  MOVE(s->touched.depth);
  MOVE(s->touched.share);
#undef MOVE
}

/* Of the analysis under way: what Newton's method has; none in analyses of modes. */
static int newton_list(ig_structure *s, double number[IG_NEWTON_NUMBERS], ig_saved *list) {
  if (!s->newton)
    return 0;
  ig_newton_saved(s->newton, number, list);
  return IG_NEWTON_SAVED;
}

ig_status ig_structure_save(void *self, ig_sink *to) {
  ig_structure *s = self;
  const ig_restart *start = s->start.kept;
  saved_list l = {.count = 0};
  double number[NUMBERS] = {0}, newton[IG_NEWTON_NUMBERS], time = start->time;
  numbers_move(s, number, false);
  state_list(s, &l);
  for (int i = 0; i < start->count; i++) {
    char *name = l.name[l.count];
    snprintf(name, NAME, "start_%s", start->saved[i].name);
    add(&l, name, start->saved[i].dtype, start->saved[i].count, start->saved[i].data);
  }
  add(&l, "start_time", IG_F64, 1, &time);
  add(&l, "numbers", IG_F64, NUMBERS, number);
  add(&l, "modes", IG_U8, s->modes * (int64_t)sizeof *s->mode, s->mode);
  add(&l, "tables", IG_U8, (int64_t)s->text_used, s->text);
  add(&l, "coefficients", IG_F64, (int64_t)s->system->masters, s->system->coefficient);
  add(&l, "solver", IG_U8, s->solver ? (int64_t)strlen(s->solver) : 0, (void *)s->solver);
  l.count += newton_list(s, newton, l.saved + l.count);
  return to->checkpoint(to, s->time, s->step, l.saved, l.count);
}

/* An array that the model may lack: made or freed as the checkpoint has it. */
static ig_status maybe_read(ig_structure *s, const ig_restart *from, const char *name,
                            double **to) {
  int64_t count;
  const void *data;
  IG_TRY(ig_restart_find_any(s->cx, from, name, IG_F64, &count, &data));
  if (count != 0 && count != s->nodes)
    return IG_FAIL(s->cx, IG_INPUT, "the checkpoint has %lld temperatures, the mesh %lld nodes",
                   (long long)count, (long long)s->nodes);
  if (count == 0) {
    free(*to);
    *to = NULL;
    return IG_OK;
  }
  if (!*to)
    IG_TRY(IG_NEW(s->cx, to, s->nodes, "temperatures"));
  memcpy(*to, data, (size_t)count * sizeof **to);
  return IG_OK;
}

/* The accepted state from arrays whose names have `prefix` before them. */
static ig_status state_read(ig_structure *s, const ig_restart *from, const char *prefix) {
  saved_list l = {.count = 0};
  char name[NAME];
  const void *data;
  int64_t bytes;
  state_list(s, &l);
  for (int i = 0; i < l.count; i++) {
    const ig_saved *own = &l.saved[i];
    snprintf(name, sizeof name, "%s%s", prefix, own->name);
    if (strcmp(own->name, "heated") == 0)
      IG_TRY(maybe_read(s, from, name, &s->heated));
    else if (strcmp(own->name, "heat_flow") == 0)
      IG_TRY(maybe_read(s, from, name, &s->heat_flow));
    else if (strcmp(own->name, "contact") != 0) {
      IG_TRY(ig_restart_find(s->cx, from, name, own->dtype, own->count, &data));
      if (own->count)
        memcpy(own->data, data, (size_t)own->count * ig_dtype_size(own->dtype));
    }
  }
  snprintf(name, sizeof name, "%scontact", prefix);
  IG_TRY(ig_restart_find_any(s->cx, from, name, IG_U8, &bytes, &data));
  ig_structure_contact_bodies(s);
  return ig_contact_place(&s->contact, data, bytes / (int64_t)sizeof(ig_contact_point));
}

ig_status ig_structure_start_read(ig_structure *s, const ig_restart *from) {
  const void *data;
  double number[NUMBERS];
  IG_TRY(ig_restart_find(s->cx, from, "numbers", IG_F64, NUMBERS, &data));
  memcpy(number, data, sizeof number);
  if (!(number[0] >= 0 && number[0] < s->c->analysis.count))
    return IG_FAIL(s->cx, IG_INPUT, "the checkpoint is of analysis %g, the case has %d",
                   number[0] + 1, s->c->analysis.count);
  s->analysis = (int)number[0];
  IG_TRY(ig_restart_find(s->cx, from, "start_time", IG_F64, 1, &data));
  memcpy(&s->time, data, sizeof s->time);
  return state_read(s, from, "start_");
}

/* Modes, rows of tables and the name of the solver. */
static ig_status lists_read(ig_structure *s, const ig_restart *from) {
  static const char *const solvers[] = {"own", "MUMPS"};
  const void *data;
  int64_t bytes;
  IG_TRY(ig_restart_find_any(s->cx, from, "modes", IG_U8, &bytes, &data));
  free(s->mode);
  s->mode = NULL;
  s->modes = 0;
  for (int64_t i = 0; i < bytes / (int64_t)sizeof *s->mode; i++) {
    IG_TRY(IG_MORE(s->cx, &s->mode, s->modes, "modes"));
    memcpy(&s->mode[s->modes++], (const char *)data + (size_t)i * sizeof *s->mode, sizeof *s->mode);
  }
  IG_TRY(ig_restart_find_any(s->cx, from, "tables", IG_U8, &bytes, &data));
  free(s->text);
  s->text = NULL;
  s->text_used = s->text_space = 0;
  if (bytes > 0) {
    IG_TRY(IG_NEW(s->cx, &s->text, (size_t)bytes + 1, "tables"));
    memcpy(s->text, data, (size_t)bytes);
    s->text_used = s->text_space = (size_t)bytes;
  }
  IG_TRY(ig_restart_find_any(s->cx, from, "solver", IG_U8, &bytes, &data));
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
    if ((size_t)bytes == strlen(solvers[i]) && memcmp(data, solvers[i], (size_t)bytes) == 0)
      s->solver = solvers[i];
  return IG_OK;
}

ig_status ig_structure_reached_read(ig_structure *s, const ig_restart *from) {
  ig_saved list[IG_NEWTON_SAVED];
  double number[NUMBERS], newton[IG_NEWTON_NUMBERS];
  const void *data;
  const int32_t points = s->contact.count;
  IG_TRY(state_read(s, from, ""));
  if (s->contact.count != points)
    return IG_FAIL(s->cx, IG_INPUT, "the checkpoint has %d points of contact, the model %d",
                   (int)s->contact.count, (int)points);
  IG_TRY(ig_restart_find(s->cx, from, "numbers", IG_F64, NUMBERS, &data));
  memcpy(number, data, sizeof number);
  if (!(number[10] >= 0 && number[10] <= IG_STRUCTURE_LIMITS))
    return IG_FAIL(s->cx, IG_INPUT, "the checkpoint has %g limit loads", number[10]);
  numbers_move(s, number, true);
  IG_TRY(lists_read(s, from));
  const int64_t masters = (int64_t)s->system->masters;
  IG_TRY(ig_restart_find(s->cx, from, "coefficients", IG_F64, masters, &data));
  if (masters)
    memcpy(s->system->coefficient, data, (size_t)masters * sizeof(double));
  const int count = newton_list(s, newton, list);
  for (int i = 0; i < count; i++) {
    IG_TRY(ig_restart_find(s->cx, from, list[i].name, list[i].dtype, list[i].count, &data));
    memcpy(list[i].data, data, (size_t)list[i].count * ig_dtype_size(list[i].dtype));
  }
  if (s->newton)
    ig_newton_restore(s->newton, newton);
  return IG_OK;
}
