/* ig_case_gradient: which keys, what they are worth, and the derivative of the figure by each.

   A room gives the derivative of a figure by every number that its set-up makes of the case
   (core/gradient.h). What is left is the derivative of these numbers by a key. A case with the key
   changed by -2, -1, 1, 2 steps of 1e-3 is set up again, without being run, and the four are
   combined to a difference of fourth order: exact but for rounding where the numbers are
   polynomials of the key up to degree four, as with powers, coefficients, tables and temperatures.
   A key at the end of its range (an emissivity of 1) takes five points on one side. */
#include <ingot/gradient.h>
#include "core/gradient.h"
#include "core/number.h"
#include "core/require.h"
#include "core/unit.h"
#include "run/job.h"
#include "run/rooms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const ig_gradient_ops ig_thermal_gradient, ig_structure_gradient, ig_topopt_gradient,
    ig_dynamics_gradient;
static const struct {
  const char *room;
  const ig_gradient_ops *ops;
} offers[] = {{"thermal", &ig_thermal_gradient},
              {"structure", &ig_structure_gradient},
              {"topopt", &ig_topopt_gradient},
              {"dynamics", &ig_dynamics_gradient}};

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
  const ig_gradient_ops *ops;
  void *self; /* the room's */
  const char *figure;
} work;

/* A number of the case as it is written: "200 W". */
typedef struct {
  double number;
  const char *unit;
  ig_unit factor;
} quantity;

/* --- keys */

static bool key_known(const ig_gradient_ops *ops, const char *key) {
  for (int i = 0; ops->keys[i]; i++)
    if (strncmp(key, ops->keys[i], strlen(ops->keys[i])) == 0)
      return !ops->known || ops->known(key);
  return false;
}

static ig_status quantity_read(work *w, const char *key, quantity *q) {
  char problem[160];
  const char *text = ig_case_get(w->c, key);
  if (!key_known(w->ops, key))
    return IG_FAIL(w->cx, IG_INPUT, "no gradient by '%s': expected a number of %s", key,
                   w->ops->expected);
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

/* What is asked of a job: to first order, or of a whole run. */
typedef enum { CHANGE, RUN } question;

/* Sets up the case as it is now. */
static ig_status with_case(work *w, question what, const char *key, double *value) {
  ig_job job;
  ig_status status = ig_job_open(w->c, ig_rooms_of(w->cx), &job);
  if (status == IG_OK)
    status = what == CHANGE ? w->ops->difference(w->self, &job, key, value)
                            : w->ops->run(w->self, &job, w->figure, value);
  ig_job_close(&job);
  return status;
}

static ig_status at_number(work *w, const char *key, const quantity *q, double number,
                           question what, double *value) {
  IG_TRY(quantity_set(w, key, q, number));
  return with_case(w, what, key, value);
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
  const double own = w->ops->step ? w->ops->step(key) : 0;
  const double step = (own > 0 ? own : STEP) * (q->number != 0 ? fabs(q->number) : 1);
  ig_status status = IG_OK;
  char why[sizeof w->cx->message] = "";
  for (size_t s = 0; s < sizeof stencils / sizeof *stencils; s++) {
    refusal_clear(w->cx);
    *derivative = 0;
    for (int i = 0; i < 4; i++) {
      double value;
      status = at_number(w, key, q, q->number + stencils[s].at[i] * step, CHANGE, &value);
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
  ig_status status = at_number(w, key, q, q->number - step, RUN, &low);
  if (status == IG_OK)
    status = at_number(w, key, q, q->number + step, RUN, &high);
  if (status == IG_INPUT) {
    refusal_clear(w->cx);
    status = IG_OK;
    high = NAN;
  }
  *difference = (high - low) / (2 * step) / q->factor.factor;
  return status;
}

/* --- rows */

static ig_status number_row(work *w, const char *key, bool differences, ig_gradient_row *row) {
  double *value, *derivative;
  quantity q;
  IG_TRY(quantity_read(w, key, &q));
  IG_TRY(IG_NEW(w->cx, &value, 1, "gradient"));
  row->value = value;
  IG_TRY(IG_NEW(w->cx, &derivative, 1, "gradient"));
  row->derivative = derivative;
  row->count = 1;
  *value = q.number * q.factor.factor + q.factor.offset;
  IG_TRY(derivative_of(w, key, &q, derivative));
  if (differences)
    IG_TRY(difference_of(w, key, &q, &row->difference));
  return quantity_set(w, key, &q, q.number);
}

static ig_status field_row(work *w, const char *key, ig_gradient_row *row) {
  ig_job job;
  ig_gradient_field f = {0};
  ig_status status = ig_job_open(w->c, ig_rooms_of(w->cx), &job);
  if (status == IG_OK)
    status = w->ops->field(w->self, &job, key, &f);
  ig_job_close(&job);
  row->value = f.value;
  row->derivative = f.derivative;
  row->count = f.count;
  return status;
}

static ig_status row_fill(work *w, const char *key, bool differences, ig_gradient_row *row) {
  *row = (ig_gradient_row){.key = strdup(key), .difference = NAN};
  if (!row->key)
    return IG_FAIL(w->cx, IG_MEMORY, "no memory for a gradient");
  return w->ops->is_field && w->ops->is_field(key) ? field_row(w, key, row)
                                                   : number_row(w, key, differences, row);
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
  ig_gradient_figure found = {0};
  ig_status status = ig_job_open(w->c, ig_rooms_of(w->cx), &job);
  for (size_t i = 0; i < sizeof offers / sizeof *offers && status == IG_OK; i++)
    if (strcmp(w->c->room->name, offers[i].room) == 0)
      w->ops = offers[i].ops;
  if (status == IG_OK && !w->ops)
    status =
        IG_FAIL(w->cx, IG_UNSUPPORTED,
                "physics: %s has no gradients yet: thermal, dynamics, structure and topopt have",
                w->c->room->name);
  if (status == IG_OK)
    status = w->ops->open(&job, w->figure, &w->self, &found);
  r->out.value = found.value;
  r->out.steps = found.steps;
  r->out.measured = found.measured;
  memcpy(r->unit, found.unit, sizeof r->unit);
  if (status == IG_OK)
    status = rows_fill(w, keys, count, differences, r);
  if (w->ops)
    w->ops->close(w->self);
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
