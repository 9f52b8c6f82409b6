/* ig_case_gradient: which keys, what they are worth, and the derivative of the figure by each.

   The room gives the derivative of a figure by every number that its set-up hands to the engine
   (thermal/adjoint). What is left is the derivative of these numbers by a key. A case with the key
   changed by -2, -1, 1, 2 steps of 1e-3 is set up again, without being run, and the four are
   combined to a difference of fourth order: exact but for rounding where the numbers are
   polynomials of the key up to degree four, as with powers, coefficients, tables and temperatures.
   A key at the end of its range (an emissivity of 1) takes five points on one side. */
#include <ingot/gradient.h>
#include "core/number.h"
#include "core/require.h"
#include "core/unit.h"
#include "run/job.h"
#include "run/rooms.h"
#include "thermal/adjoint/adjoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const ig_room ig_room_thermal;

enum { MOST_KEYS = 4096 };
static const double STEP = 1e-3;            /* of a key, relative; of zero: of its unit */
static const double DIFFERENCE_STEP = 1e-4; /* of whole runs */

typedef struct {
  ig_gradient out; /* first: what the caller has is this */
  ig_gradient_row *row;
  char unit[16];
} result;

typedef struct {
  ig_case *c;
  ig_ctx *cx;
  ig_tape *tape;
  const char *figure;
} work;

/* A number of the case as it is written: "200 W". */
typedef struct {
  double number;
  const char *unit;
  ig_unit factor;
} quantity;

/* --- keys */

/* Keys whose numbers are all on the tape. The mesh, steps and output are not; nor are places and
   sizes of beams, which decide what targets they have. */
static bool key_known(const char *key) {
  static const char *const begin[] = {"materials", "boundary", "initial", "ambient", "body_source"};
  for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
    if (strncmp(key, begin[i], strlen(begin[i])) == 0)
      return true;
  const size_t length = strlen(key), power = strlen(".power");
  return strncmp(key, "beams", 5) == 0 &&
         (strstr(key, ".absorptivity") ||
          (length > power && strcmp(key + length - power, ".power") == 0));
}

static ig_status quantity_read(work *w, const char *key, quantity *q) {
  char problem[160];
  const char *text = ig_case_get(w->c, key);
  if (!key_known(key))
    return IG_FAIL(w->cx, IG_INPUT,
                   "no gradient by '%s': expected a number of materials, boundary, initial, "
                   "initial_temperature, ambient, body_source, or of beams the power or the "
                   "absorptivity",
                   key);
  if (!text)
    return IG_FAIL(w->cx, IG_INPUT,
                   "the case has no number '%s': write it into the case; of a table say which, as "
                   "in materials[0].conductivity[2][1]",
                   key);
  if (!ig_quantity_read(text, &q->number, &q->unit, &q->factor, problem, sizeof problem))
    return IG_FAIL(w->cx, IG_INPUT, "'%s: %.60s': %s", key, text, problem);
  return IG_OK;
}

static ig_status quantity_set(work *w, const char *key, const quantity *q, double number) {
  char text[128];
  ig_format(text, sizeof text, "%.17g%s%.60s", number, *q->unit ? " " : "", q->unit);
  return ig_case_set(w->c, key, text);
}

/* --- set-ups that differ in one key */

typedef ig_status then_fn(work *w, ig_thermal_run *run, void *to);

/* Sets up the case as it is now, with the steps of the tape; then `then`. */
static ig_status with_case(work *w, then_fn *then, void *to) {
  ig_job job;
  ig_thermal_run run;
  const ig_thermal_run *own = &w->tape->run;
  ig_status status = ig_job_open(w->c, ig_rooms_of(w->cx), &job);
  if (status == IG_OK) {
    status = ig_tape_open_run(&job, &run, own->dt, own->steps);
    if (status == IG_OK)
      status = then(w, &run, to);
    ig_thermal_close(&run);
  }
  ig_job_close(&job);
  return status;
}

static ig_status difference_take(work *w, ig_thermal_run *run, void *to) {
  double *value = to;
  *value = 0;
  return ig_tape_difference(w->cx, w->tape, run, value);
}

/* A whole run, for comparison. The run moves into a tape and back. */
static ig_status figure_take(work *w, ig_thermal_run *run, void *to) {
  ig_tape *t;
  char unit[16];
  IG_TRY(IG_NEW(w->cx, &t, 1, "tape"));
  t->run = *run;
  ig_status status = ig_tape_signals(w->cx, t, w->figure);
  if (status == IG_OK)
    status = ig_tape_forward(w->cx, t);
  if (status == IG_OK)
    status = ig_tape_figure(w->cx, t, w->figure, to, unit);
  *run = t->run;
  ig_tape_free(w->cx, t);
  return status;
}

static ig_status at_number(work *w, const char *key, const quantity *q, double number,
                           then_fn *then, double *value) {
  IG_TRY(quantity_set(w, key, q, number));
  return with_case(w, then, value);
}

/* Points and weights of the derivative: on both sides; above; below. */
typedef struct {
  double at[4], weight[4];
} stencil;
static const stencil stencils[] = {{{-2, -1, 1, 2}, {1. / 12, -8. / 12, 8. / 12, -1. / 12}},
                                   {{1, 2, 3, 4}, {48. / 12, -36. / 12, 16. / 12, -3. / 12}},
                                   {{-1, -2, -3, -4}, {-48. / 12, 36. / 12, -16. / 12, 3. / 12}}};

/* A value that the case refuses is no failure: other points may fit. */
static void refusal_clear(ig_ctx *cx) {
  cx->status = IG_OK;
  cx->message[0] = '\0';
}

static ig_status derivative_of(work *w, const char *key, const quantity *q, double *derivative) {
  const double step = STEP * (q->number != 0 ? fabs(q->number) : 1);
  ig_status status = IG_OK;
  char why[sizeof w->cx->message] = "";
  for (size_t s = 0; s < sizeof stencils / sizeof *stencils; s++) {
    refusal_clear(w->cx);
    *derivative = 0;
    for (int i = 0; i < 4; i++) {
      double value;
      status = at_number(w, key, q, q->number + stencils[s].at[i] * step, difference_take, &value);
      if (status != IG_OK)
        break;
      *derivative += stencils[s].weight[i] * value / step;
    }
    if (status != IG_INPUT)
      break;
    /* of zero, which may be the end of a range, what stands in the way above it */
    if (s == (q->number == 0))
      memcpy(why, w->cx->message, sizeof why);
  }
  *derivative /= q->factor.factor;
  if (status == IG_INPUT) {
    refusal_clear(w->cx);
    return IG_FAIL(w->cx, IG_INPUT, "no gradient by '%s': %s", key, why);
  }
  return status;
}

/* NaN where the key's range ends beside its value. */
static ig_status difference_of(work *w, const char *key, const quantity *q, double *difference) {
  const double step = DIFFERENCE_STEP * (q->number != 0 ? fabs(q->number) : 1);
  double low = NAN, high = NAN;
  ig_status status = at_number(w, key, q, q->number - step, figure_take, &low);
  if (status == IG_OK)
    status = at_number(w, key, q, q->number + step, figure_take, &high);
  if (status == IG_INPUT) {
    refusal_clear(w->cx);
    status = IG_OK;
    high = NAN;
  }
  *difference = (high - low) / (2 * step) / q->factor.factor;
  return status;
}

/* --- rows */

static ig_status row_room(ig_ctx *cx, ig_gradient_row *row, int64_t count, double **value,
                          double **derivative) {
  IG_TRY(IG_NEW(cx, value, count, "gradient"));
  row->value = *value;
  IG_TRY(IG_NEW(cx, derivative, count, "gradient"));
  row->derivative = *derivative;
  row->count = count;
  return IG_OK;
}

static ig_status number_row(work *w, const char *key, bool differences, ig_gradient_row *row) {
  double *value, *derivative;
  quantity q;
  IG_TRY(quantity_read(w, key, &q));
  IG_TRY(row_room(w->cx, row, 1, &value, &derivative));
  *value = q.number * q.factor.factor + q.factor.offset;
  IG_TRY(derivative_of(w, key, &q, derivative));
  if (differences)
    IG_TRY(difference_of(w, key, &q, &row->difference));
  return quantity_set(w, key, &q, q.number);
}

static ig_status temperatures_row(work *w, ig_gradient_row *row) {
  const ig_tape *t = w->tape;
  const size_t n = (size_t)t->run.heat.nodes;
  double *value, *derivative;
  IG_TRY(row_room(w->cx, row, (int64_t)n, &value, &derivative));
  memcpy(value, t->start.T, n * sizeof *value);
  ig_tape_initial(t, derivative);
  return IG_OK;
}

typedef struct {
  int beam;
  ig_gradient_row *row;
} powers_wish;

static ig_status powers_take(work *w, ig_thermal_run *run, void *to) {
  const powers_wish *wish = to;
  if (wish->beam >= run->beams.count)
    return IG_FAIL(w->cx, IG_INPUT, "no gradient by '%s': the case has %d beams", wish->row->key,
                   run->beams.count);
  const ig_toolpath *path = &run->beams.beam[wish->beam].path;
  double *power, *derivative;
  IG_TRY(row_room(w->cx, wish->row, path->count, &power, &derivative));
  memcpy(power, path->power, (size_t)path->count * sizeof *power);
  return ig_tape_powers(w->cx, w->tape, run, wish->beam, derivative);
}

/* "beams[3].powers": 3; others: -1. */
static int powers_beam(const char *key) {
  char *end;
  if (strncmp(key, "beams[", 6) != 0)
    return -1;
  const long beam = strtol(key + 6, &end, 10);
  return end > key + 6 && strcmp(end, "].powers") == 0 && beam >= 0 && beam < MOST_KEYS ? (int)beam
                                                                                        : -1;
}

static ig_status row_fill(work *w, const char *key, bool differences, ig_gradient_row *row) {
  *row = (ig_gradient_row){.key = strdup(key), .difference = NAN};
  if (!row->key)
    return IG_FAIL(w->cx, IG_MEMORY, "no memory for a gradient");
  const int beam = powers_beam(key);
  if (beam >= 0)
    return with_case(w, powers_take, &(powers_wish){beam, row});
  if (strcmp(key, "initial_temperatures") == 0)
    return temperatures_row(w, row);
  return number_row(w, key, differences, row);
}

/* --- the whole */

void ig_gradient_free(ig_gradient *gradient) {
  result *r = (result *)(void *)gradient;
  for (int i = 0; r && i < r->out.rows; i++) {
    free((void *)r->row[i].key);
    free((void *)r->row[i].value);
    free((void *)r->row[i].derivative);
  }
  if (!r)
    return;
  free((void *)r->out.figure);
  free(r->row);
  free(r);
}

/* Onto the tape, forward and backward. */
static ig_status tape_make(work *w, ig_job *job, result *r) {
  ig_tape *t;
  IG_TRY(IG_NEW(w->cx, &w->tape, 1, "tape"));
  t = w->tape;
  t->opened = true;
  t->run.job = job;
  IG_TRY(ig_tape_open_run(job, &t->run, 0, 0));
  IG_TRY(ig_tape_signals(w->cx, t, w->figure));
  IG_TRY(ig_tape_forward(w->cx, t));
  IG_TRY(ig_tape_figure(w->cx, t, w->figure, &r->out.value, r->unit));
  r->out.steps = t->steps;
  return ig_tape_backward(w->cx, t);
}

/* Warnings of set-ups that differ in a key say nothing that the first did not. */
static ig_status rows_fill(work *w, const char *const *keys, int count, bool differences,
                           result *r) {
  ig_log_fn *const log = w->cx->log;
  ig_status status = IG_OK;
  w->cx->log = NULL;
  for (int i = 0; i < count && status == IG_OK; i++) {
    r->out.rows = i + 1;
    status = row_fill(w, keys[i], differences, &r->row[i]);
  }
  w->cx->log = log;
  return status;
}

static ig_status gradient_make(work *w, const char *const *keys, int count, bool differences,
                               result *r) {
  ig_job job;
  ig_status status = ig_job_open(w->c, ig_rooms_of(w->cx), &job);
  if (status == IG_OK && w->c->room != &ig_room_thermal)
    status = IG_FAIL(w->cx, IG_UNSUPPORTED, "physics: %s has no gradients yet: thermal has",
                     w->c->room->name);
  if (status == IG_OK)
    status = tape_make(w, &job, r);
  if (status == IG_OK)
    status = rows_fill(w, keys, count, differences, r);
  ig_tape_free(w->cx, w->tape);
  ig_job_close(&job);
  return status;
}

/* All changes of keys are made in a copy of the tree, with material files merged in: so that a
   number of a file can be changed, too. */
ig_status ig_case_gradient(ig_case *c, const char *figure, const char *const *keys, int count,
                           const ig_gradient_options *options, ig_gradient **gradient) {
  IG_TRY(ig_case_usable(c));
  IG_REQUIRE_ARGS(c->cx,
                  figure && gradient && count >= 0 && count <= MOST_KEYS && (keys || !count));
  *gradient = NULL;
  ig_node *const own = c->root, *folded;
  work w = {.c = c, .cx = c->cx, .figure = figure};
  result *r;
  IG_TRY(ig_case_read(c));
  IG_TRY(ig_case_fold(c, &folded));
  IG_TRY(IG_NEW(c->cx, &r, 1, "gradient"));
  ig_status status;
  IG_TRY_GOTO(status, done, ig_node_copy(c->cx, c->arena, folded, &c->root));
  IG_TRY_GOTO(status, done, IG_NEW(c->cx, &r->row, count, "gradient"));
  r->out.figure = strdup(figure);
  r->out.unit = r->unit;
  r->out.row = r->row;
  if (!ig_case_get(c, "precision"))
    IG_TRY_GOTO(status, done, ig_case_set(c, "precision", "double"));
  status = gradient_make(&w, keys, count, options && options->differences, r);
done:
  c->root = own;
  if (status == IG_OK)
    *gradient = &r->out;
  else
    ig_gradient_free(&r->out);
  return status;
}
