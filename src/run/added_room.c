/* Rooms that a program adds at run time (include/ingot/room.h). The program describes an analysis
   by tables (numbers of the case, arrays of the state, figures) and functions (begin, step,
   figures, end). This file wraps the description as an ig_room, so that the time loop, output,
   checkpoints, restart and field access work for it as for a built-in room.

   Limits: explicit steps of constant length, arrays of double on the host, one rank. */
#include "core/number.h"
#include "core/schedule.h"
#include "run/case.h"
#include "run/rooms.h"
#include <ingot/room.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The case of an added room, filled by ig_options_read through a table made in options_make.
   number[0] is `duration`, then the numbers of the description in their order; the flexible array
   has numbers + 1 entries (room.case_size accounts for them). */
typedef struct {
  ig_src at;
  double number[];
} added_case;

/* One added room. Owned by the context, freed by rooms_free when it closes. */
typedef struct added {
  /* Must be the first member: job->room points to it and is cast back to `added`. */
  ig_room room; /* first: the room that a job names is this */
  /* A copy of the program's description. Its tables and strings stay the program's and must live as
     long as the context. */
  ig_room_description d;
  /* Lengths of the tables number, array and figure. */
  int numbers, arrays, figures;
  /* Option table made from d.number; ended by a zeroed entry. */
  ig_option *option;
  char *fields; /* "u|v" */
  struct added *next;
} added;

/* Rooms of a context: those of the library, followed by the added ones. `list` is what ig_rooms_of
   returns; it is replaced by a longer one with each room added. */
struct ig_added_rooms {
  added *first;
  const ig_room **list; /* ended by NULL */
};

/* State of one run; the `self` of the room's functions. */
typedef struct {
  ig_job *job;
  const added *of;
  ig_room_state state;
  /* d.arrays arrays of items x components doubles, zero at the start; passed to the program in
     `state`. */
  double **array;
  /* value: figures + 1 numbers, the first is the time. column: headings of history.csv; the texts
     after the first are allocated here. */
  double *value;       /* of the figures */
  const char **column; /* "time [s]" and figures with their units */
  /* Steps of the whole run. */
  int64_t steps;
  bool begun; /* `end` is owed */
} run;

/* --- state --- */

/* Values of array i: items of its location times components. */
static int64_t items_of(const run *r, int i) {
  const ig_room_array *a = &r->of->d.array[i];
  return (a->where == IG_AT_POINTS ? (int64_t)r->job->mesh->nodes
                                   : (int64_t)ig_mesh_elements(r->job->mesh)) *
         a->components;
}

/* Headings of history.csv: the time, then "name [unit]" of each figure. */
static ig_status columns_make(run *r) {
  ig_ctx *cx = r->job->cx;
  IG_TRY(IG_NEW(cx, &r->column, r->of->figures + 1, "history"));
  IG_TRY(IG_NEW(cx, &r->value, r->of->figures + 1, "history"));
  r->column[0] = "time [s]";
  for (int i = 0; i < r->of->figures; i++) {
    const ig_room_figure *f = &r->of->d.figure[i];
    const size_t size = strlen(f->name) + strlen(f->unit) + 4;
    char *text;
    IG_TRY(IG_NEW(cx, &text, size, "history"));
    r->column[i + 1] = text;
    snprintf(text, size, f->unit[0] ? "%s [%s]" : "%s", f->name, f->unit);
  }
  return IG_OK;
}

/* Number of steps: duration / dt, rounded up, with dt shortened so that the last step ends at the
   duration. The factor 1 - 1e-12 keeps a quotient such as 10.000000000000002, which is 10 but for
   rounding, from giving an extra step. */
static ig_status steps_make(run *r) {
  const added_case *c = r->job->room_case;
  const double dt = r->state.dt;
  if (!(dt > 0))
    return IG_FAIL(r->job->cx, IG_ARG, "%s: `begin` gives no length of a step (dt is %g)",
                   r->of->d.name, dt);
  IG_TRY(ig_steps_count(r->job->cx, &c->at, ceil(c->number[0] / dt * (1 - 1e-12)), dt, &r->steps));
  r->state.dt = c->number[0] / (double)r->steps;
  return IG_OK;
}

/* `begun` is set before the call of begin: if that fails, `end` is still called, so that the
   program can free what it allocated. */
static ig_status open(ig_job *job, void **self) {
  const added *of = (const added *)job->room;
  const added_case *c = job->room_case;
  run *r;
  IG_TRY(IG_NEW(job->cx, &r, 1, of->d.name));
  *self = r;
  r->job = job;
  r->of = of;
  job->elements = ig_mesh_elements(job->mesh);
  job->nodes = job->mesh->nodes;
  IG_TRY(IG_NEW(job->cx, &r->array, of->arrays + 1, of->d.name));
  for (int i = 0; i < of->arrays; i++) {
    IG_TRY(IG_NEW(job->cx, &r->array[i], items_of(r, i) + 1, of->d.array[i].name));
    job->dofs += of->d.array[i].where == IG_AT_POINTS ? items_of(r, i) : 0;
  }
  IG_TRY(columns_make(r));
  r->state = (ig_room_state){.cx = job->cx,
                             .mesh = job->mesh,
                             .duration = c->number[0],
                             .number = c->number + 1,
                             .array = r->array};
  r->begun = true;
  IG_TRY(of->d.begin(of->d.user, &r->state));
  return steps_make(r);
}

/* `end` is called only if `begin` succeeded. */
static void close(void *self) {
  run *r = self;
  if (!r)
    return;
  if (r->begun && r->of->d.end)
    r->of->d.end(r->of->d.user, &r->state);
  for (int i = 0; r->array && i < r->of->arrays; i++)
    free(r->array[i]);
  for (int i = 0; r->column && i < r->of->figures; i++)
    free((char *)(uintptr_t)r->column[i + 1]);
  free(r->array);
  free(r->column);
  free(r->value);
  free(r);
}

static ig_status begin(void *self) {
  (void)self;
  return IG_OK;
}

/* dt comes from the checkpoint. steps_make counts steps from it, but would also adapt it to a
   changed duration; a continued run must keep its step length, so dt is set again afterwards. */
static ig_status restore(void *self, const ig_restart *from) {
  run *r = self;
  const void *data;
  for (int i = 0; i < r->of->arrays; i++) {
    IG_TRY(
        ig_restart_find(r->job->cx, from, r->of->d.array[i].name, IG_F64, items_of(r, i), &data));
    memcpy(r->array[i], data, (size_t)items_of(r, i) * sizeof(double));
  }
  IG_TRY(ig_restart_find(r->job->cx, from, "step length", IG_F64, 1, &data));
  memcpy(&r->state.dt, data, sizeof(double)); /* a run that goes on for longer keeps its step */
  IG_TRY(steps_make(r));
  memcpy(&r->state.dt, data, sizeof(double));
  r->state.step = from->step;
  r->state.time = from->time;
  return IG_OK;
}

/* Writes the arrays and the step length as a checkpoint; nothing is copied here. */
static ig_status save(void *self, ig_sink *to) {
  run *r = self;
  ig_saved *saved;
  IG_TRY(IG_NEW(r->job->cx, &saved, r->of->arrays + 1, "checkpoint"));
  for (int i = 0; i < r->of->arrays; i++)
    saved[i] = (ig_saved){r->of->d.array[i].name, IG_F64, items_of(r, i), r->array[i]};
  saved[r->of->arrays] = (ig_saved){"step length", IG_F64, 1, &r->state.dt};
  const ig_status status =
      to->checkpoint(to, r->state.time, r->state.step, saved, r->of->arrays + 1);
  free(saved);
  return status;
}

/* --- steps --- */

/* `ahead` (steps that a room may prepare in advance) is not used: an added room computes step by
   step. */
static ig_status advance(void *self, int64_t most, int64_t ahead) {
  run *r = self;
  (void)ahead;
  for (int64_t k = 0; k < most && r->state.step < r->steps && !r->job->cx->interrupted; k++) {
    IG_TRY(r->of->d.step(r->of->d.user, &r->state));
    r->state.step++;
    r->state.time = (double)r->state.step * r->state.dt;
  }
  return IG_OK;
}

/* The duration reported is steps x dt, which differs from that of the case in a run continued with
   a longer duration. */
static void stand(const void *self, ig_run_status *standing) {
  const run *r = self;
  *standing = (ig_run_status){.at = {r->state.step, r->state.time},
                              .clock = r->state.time,
                              .duration = (double)r->steps * r->state.dt,
                              .steps = r->steps,
                              .dt = r->state.dt,
                              .ended = r->state.step >= r->steps,
                              .work = (double)r->state.step * (double)r->job->elements};
}

/* Counts for the statistics of a run, also after a failure. */
static void tally(void *self) {
  run *r = self;
  if (r)
    r->job->element_steps = (double)r->state.step * (double)r->job->elements;
}

/* --- what is shown --- */

/* Asks the program for its figures and rejects values that are not finite: the run would otherwise
   continue with a diverged state. */
static ig_status figures(run *r) {
  const added *of = r->of;
  r->value[0] = r->state.time;
  IG_TRY(of->figures ? of->d.figures(of->d.user, &r->state, r->value + 1) : IG_OK);
  for (int i = 0; i < of->figures; i++)
    if (!isfinite(r->value[i + 1]))
      return IG_FAIL(r->job->cx, IG_NUMERIC, "%s is not a number at step %lld: take a smaller step",
                     of->d.figure[i].name, (long long)r->state.step);
  return IG_OK;
}

static ig_status history(void *self, ig_sink *to) {
  run *r = self;
  IG_TRY(figures(r));
  return to ? to->history(to, r->of->figures + 1, r->column, r->value) : IG_OK;
}

/* Fields that output.fields selects; all of them if it is not given. The sink takes the
   snapshot. */
static ig_status snapshot(void *self, ig_sink *to) {
  run *r = self;
  ig_snapshot *snap;
  IG_TRY(ig_snapshot_of_mesh(r->job->cx, r->job->mesh, NULL, r->state.time, r->state.step, &snap));
  ig_status status = IG_OK;
  for (int i = 0; i < r->of->arrays && status == IG_OK; i++) {
    const ig_room_array *a = &r->of->d.array[i];
    if (ig_output_wants(r->job->output, a->name))
      status = ig_snapshot_add(snap, a->name, a->unit, a->where, IG_F64, a->components, r->array[i],
                               NULL);
  }
  if (status == IG_OK)
    return to->snapshot(to, snap);
  ig_snapshot_free(snap);
  return status;
}

/* Final figures, for summary.json. */
static ig_status results(void *self, ig_sink *to) {
  run *r = self;
  IG_TRY(figures(r));
  for (int i = 0; i < r->of->figures; i++)
    IG_TRY(to->result(to, r->of->d.figure[i].name, r->of->d.figure[i].unit, r->value[i + 1]));
  return IG_OK;
}

/* --- other programs --- */

/* Describes field i to programs that use ig_sim_view; there is no device side, so `get` and `set`
   copy. */
static bool field(void *self, int i, ig_room_field *to) {
  const run *r = self;
  if (i >= r->of->arrays)
    return false;
  const ig_room_array *a = &r->of->d.array[i];
  *to = (ig_room_field){.name = a->name,
                        .unit = a->unit,
                        .where = a->where,
                        .dtype = IG_F64,
                        .components = a->components,
                        .count = items_of(r, i) / a->components,
                        .writable = a->writable};
  return true;
}

/* The caller has checked that the name exists (field_find in sim.c). */
static int array_of(const run *r, const char *name) {
  int i = 0;
  while (i < r->of->arrays && strcmp(r->of->d.array[i].name, name) != 0)
    i++;
  return i;
}
static ig_status get(void *self, const char *name, double *values) {
  run *r = self;
  const int i = array_of(r, name);
  memcpy(values, r->array[i], (size_t)items_of(r, i) * sizeof *values);
  return IG_OK;
}
static ig_status set(void *self, const char *name, const double *values) {
  run *r = self;
  const int i = array_of(r, name);
  memcpy(r->array[i], values, (size_t)items_of(r, i) * sizeof *values);
  return IG_OK;
}

/* `ingot check`: opens the room, which calls the program's `begin`, to report the number of
   steps. */
static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  void *self = NULL;
  const ig_status status = open(job, &self);
  if (status == IG_OK) {
    const run *r = self;
    char text[64];
    snprintf(text, sizeof text, "%lld of %.4g s", (long long)r->steps, r->state.dt);
    line(user, "steps", text);
  }
  close(self);
  return status;
}

/* --- adding --- */

/* Table of the case's keys. Texts are borrowed from the description. */
static ig_status options_make(ig_ctx *cx, added *a) {
  IG_TRY(IG_NEW(cx, &a->option, a->numbers + 2, a->d.name));
  a->option[0] = (ig_option){.key = "duration",
                             .kind = IG_OPT_REAL,
                             .offset = offsetof(added_case, number),
                             .unit = "s",
                             .fallback = IG_REQUIRED,
                             .min = IG_POSITIVE,
                             .max = IG_UNBOUNDED,
                             .help = "how long to simulate"};
  for (int i = 0; i < a->numbers; i++) {
    const ig_room_number *n = &a->d.number[i];
    a->option[i + 1] =
        (ig_option){.key = n->name,
                    .kind = IG_OPT_REAL,
                    .offset = offsetof(added_case, number) + (size_t)(i + 1) * sizeof(double),
                    .unit = n->unit,
                    .fallback = n->fallback ? n->fallback : IG_REQUIRED,
                    .min = n->min,
                    .max = n->max,
                    .help = n->help ? n->help : ""};
  }
  return IG_OK;
}

/* Names of fields as choices, for the check of output.fields. */
static ig_status fields_make(ig_ctx *cx, added *a) {
  size_t size = 1;
  for (int i = 0; i < a->arrays; i++)
    size += strlen(a->d.array[i].name) + 1;
  IG_TRY(IG_NEW(cx, &a->fields, size, a->d.name));
  for (int i = 0; i < a->arrays; i++) {
    if (i > 0)
      strcat(a->fields, "|");
    strcat(a->fields, a->d.array[i].name);
  }
  return IG_OK;
}

/* Entries of a table with a name and a unit each; < 0: one has no unit. */
#define COUNT(table, count)                                                                        \
  do {                                                                                             \
    while ((table) && (table)[count].name && (table)[count].unit)                                  \
      (count)++;                                                                                   \
    if ((table) && (table)[count].name)                                                            \
      return IG_FAIL(cx, IG_INPUT,                                                                 \
                     "ig_room_add: '%s' of '%s' has no unit; a pure number has \"\"",              \
                     (table)[count].name, a->d.name);                                              \
  } while (0)

/* Numbers of an analysis: keys that no case has otherwise, units and defaults that can be read. */
static ig_status numbers_check(ig_ctx *cx, const added *a) {
  for (int i = 0; i < a->numbers; i++) {
    const ig_room_number *n = &a->d.number[i];
    char problem[200] = "";
    double value;
    bool taken = strcmp(n->name, "duration") == 0 || strcmp(n->name, "physics") == 0;
    for (const ig_option *o = ig_common_options; o->key; o++)
      taken |= strcmp(n->name, o->key) == 0;
    for (int k = 0; k < i; k++)
      taken |= strcmp(n->name, a->d.number[k].name) == 0;
    if (taken)
      return IG_FAIL(cx, IG_INPUT, "ig_room_add: the key '%s' of '%s' is taken", n->name,
                     a->d.name);
    if (!ig_number_read(n->fallback ? n->fallback : "0", n->unit, &value, problem, sizeof problem))
      return IG_FAIL(cx, IG_INPUT, "ig_room_add: '%s' of '%s' is '%s' by default: %s", n->name,
                     a->d.name, n->fallback ? n->fallback : "0", problem);
  }
  return IG_OK;
}

/* Copies and checks the description. `size` is the program's sizeof: a program compiled against an
   older header passes a shorter struct, and the members it does not know stay zero. Members that an
   older caller's description lacks are zero, by its size. */
static ig_status describe(ig_ctx *cx, const ig_room_description *d, added *a) {
  if (!d || d->size < sizeof d->size || d->size > sizeof *d)
    return IG_FAIL(cx, IG_INPUT, "ig_room_add: `size` is not that of the description");
  memcpy(&a->d, d, d->size);
  if (!a->d.name || !a->d.name[0] || !a->d.begin || !a->d.step)
    return IG_FAIL(cx, IG_INPUT, "ig_room_add: an analysis needs a name, `begin` and `step`");
  COUNT(a->d.number, a->numbers);
  COUNT(a->d.array, a->arrays);
  COUNT(a->d.figure, a->figures);
  IG_TRY(numbers_check(cx, a));
  if (a->figures && !a->d.figures)
    return IG_FAIL(cx, IG_INPUT, "ig_room_add: '%s' has figures, but no function for them",
                   a->d.name);
  for (int i = 0; i < a->arrays; i++)
    if (a->d.array[i].components < 1 ||
        (a->d.array[i].where != IG_AT_POINTS && a->d.array[i].where != IG_AT_ELEMENTS))
      return IG_FAIL(cx, IG_INPUT,
                     "ig_room_add: array '%s' of '%s' needs one component or more, at points or "
                     "elements",
                     a->d.array[i].name, a->d.name);
  IG_TRY(options_make(cx, a));
  IG_TRY(fields_make(cx, a));
  a->room = (ig_room){.name = a->d.name,
                      .about = a->d.about ? a->d.about : "added by a program",
                      .needs_mesh = true,
                      .case_size = sizeof(added_case) + (size_t)(a->numbers + 1) * sizeof(double),
                      .options = a->option,
                      .open = open,
                      .close = close,
                      .begin = begin,
                      .restore = restore,
                      .advance = advance,
                      .stand = stand,
                      .history = history,
                      .snapshot = snapshot,
                      .save = save,
                      .results = results,
                      .tally = tally,
                      .field = field,
                      .get = get,
                      .set = set,
                      .check = check,
                      .elements = a->d.elements,
                      .fields = a->fields,
                      .precisions = "double",
                      .unused = "assembly|materials"};
  return IG_OK;
}

static void added_free(added *a) {
  free(a->option);
  free(a->fields);
  free(a);
}

/* Called by ig_ctx_close through cx->rooms_free, because core cannot know this file. */
static void rooms_free(struct ig_added_rooms *rooms) {
  for (added *a = rooms ? rooms->first : NULL, *next; a; a = next) {
    next = a->next;
    added_free(a);
  }
  if (rooms)
    free(rooms->list);
  free(rooms);
}

const ig_room *const *ig_rooms_of(const ig_ctx *cx) {
  return cx->rooms && cx->rooms->list ? cx->rooms->list : ig_rooms();
}

/* Makes a new list with the room at its end; the old list is freed. Cases that are open keep
   pointers to rooms, not to the list. */
static ig_status list_add(ig_ctx *cx, added *a) {
  struct ig_added_rooms *rooms = cx->rooms;
  const ig_room **list;
  const ig_room *const *from = ig_rooms_of(cx);
  int count = 0;
  while (from[count])
    count++;
  IG_TRY(IG_NEW(cx, &list, count + 2, "rooms"));
  memcpy(list, from, (size_t)count * sizeof *list);
  list[count] = &a->room;
  free(rooms->list);
  rooms->list = list;
  a->next = rooms->first;
  rooms->first = a;
  return IG_OK;
}

/* The room's name must be new. Not collective and not thread-safe: call it after ig_ctx_open,
   before cases are opened. */
ig_status ig_room_add(ig_ctx *cx, const ig_room_description *room) {
  added *a;
  IG_TRY(IG_NEW(cx, &a, 1, "room"));
  ig_status status = describe(cx, room, a);
  for (const ig_room *const *r = ig_rooms_of(cx); status == IG_OK && *r; r++)
    if (strcmp((*r)->name, a->d.name) == 0)
      status = IG_FAIL(cx, IG_INPUT, "ig_room_add: there is an analysis '%s' already", a->d.name);
  struct ig_added_rooms *rooms = cx->rooms;
  if (status == IG_OK && !rooms)
    status = IG_NEW(cx, &rooms, 1, "rooms");
  if (status == IG_OK && !cx->rooms) {
    cx->rooms = rooms;
    cx->rooms_free = rooms_free;
  }
  if (status == IG_OK)
    status = list_add(cx, a);
  if (status != IG_OK)
    added_free(a);
  return status;
}

/* For functions of the program: sets the error message of the context. 400: bytes, longer texts are
   cut. */
ig_status ig_room_fail(ig_ctx *cx, ig_status status, const char *format, ...) {
  char text[400];
  va_list list;
  va_start(list, format);
  ig_format_args(text, sizeof text, format, list);
  va_end(list);
  return IG_FAIL(cx, status, "%s", text);
}
