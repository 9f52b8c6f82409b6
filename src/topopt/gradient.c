/* Gradients of the optimisation, as run/gradient.c asks for them: objective, volume and constraints
   of the design a run begins with.

   By the design they are what the optimiser itself uses: one analysis with its adjoints
   (design/evaluate.c), filtered back to the design. By a number of the case they are differences of
   fourth order of whole analyses of the same design: an analysis is all that a run is here, and its
   linear systems are solved to SOLVED. */
#include "core/gradient.h"
#include "topopt/output.h"
#include "backend/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const ig_room ig_room_topopt;

/* Residual of linear systems where the case gives none: figures are then right to its square. */
static const double SOLVED = 1e-11;

typedef struct {
  ig_ctx *cx;
  ig_topopt_run *run;
  char field[64]; /* of the figure, in fields.c */
  double value;   /* of the figure */
} gradient;

static const char *const keys[] = {"design",     "materials", "loads",
                                   "springs",    "source",    "temperature_change",
                                   "void_ratio", "penalty",   NULL};

/* Numbers of loads and springs that say how much, not where. */
static bool known(const char *key) {
  static const char *const amount[] = {".force", ".moment",  ".pressure",
                                       ".heat",  ".gravity", ".stiffness"};
  if (strncmp(key, "penalty_ramp", strlen("penalty_ramp")) == 0)
    return false;
  if (strncmp(key, "loads", 5) != 0 && strncmp(key, "springs", 7) != 0)
    return true;
  for (size_t i = 0; i < sizeof amount / sizeof *amount; i++)
    if (strstr(key, amount[i]))
      return true;
  return false;
}

static bool is_field(const char *key) {
  return strcmp(key, "design") == 0;
}

static ig_status allowed(const ig_topopt_run *r) {
  ig_ctx *cx = r->job->cx;
  if (ig_ranks_count(cx->ranks) > 1)
    return IG_FAIL(cx, IG_INPUT, "gradients are computed on one rank so far");
  if (r->s->c->filter.kind == IG_FILTER_SENSITIVITY)
    return ig_fail_at(cx, &r->s->c->filter.at,
                      "no gradient: `kind: sensitivity` changes the derivatives of an optimiser, "
                      "and no function has these; take `kind: density`");
  return IG_OK;
}

/* A run at its first design; *self is set also on failure. */
static ig_status run_open(ig_job *job, ig_topopt_run **self) {
  void *room = NULL;
  const ig_status opened = ig_room_topopt.open(job, &room);
  *self = room;
  IG_TRY(opened);
  ig_topopt_run *r = room;
  IG_TRY(allowed(r));
  if (r->s->c->solver.tolerance == 0)
    r->s->tolerance = SOLVED;
  return ig_topopt_begin(r);
}

/* "objective", "volume" or "constraint_2": its number, and its unit. */
static ig_status figure_get(ig_topopt_run *r, const char *figure, double *value, char unit[16]) {
  const int limits = r->s->limits;
  double limit[IG_LIMITS];
  int number = 0, used = 0;
  unit[0] = '\0';
  if (strcmp(figure, "objective") == 0 || strcmp(figure, "volume") == 0) {
    if (*figure == 'o')
      snprintf(unit, 16, "%s", ig_topopt_objective_unit(r->s));
    return ig_topopt_get(r, figure, value);
  }
  if (sscanf(figure, "constraint_%d%n", &number, &used) == 1 && !figure[used] && number >= 1 &&
      number <= limits) {
    IG_TRY(ig_topopt_get(r, "constraints", limit));
    *value = limit[number - 1];
    return IG_OK;
  }
  return IG_FAIL(r->job->cx, IG_INPUT,
                 "no figure '%.200s': expected objective, volume or constraint_1 to constraint_%d "
                 "(the case has %d)",
                 figure, limits > 0 ? limits : 1, limits);
}

static ig_status gradient_open(ig_job *job, const char *figure, void **self,
                               ig_gradient_figure *found) {
  gradient *g;
  IG_TRY(IG_NEW(job->cx, &g, 1, "gradient"));
  *self = g;
  g->cx = job->cx;
  IG_TRY(run_open(job, &g->run));
  IG_TRY(figure_get(g->run, figure, &found->value, found->unit));
  g->value = found->value;
  snprintf(g->field, sizeof g->field, "%s", figure);
  found->steps = 1;
  return IG_OK;
}

static void gradient_close(void *self) {
  gradient *g = self;
  if (g)
    ig_room_topopt.close(g->run);
  free(g);
}

/* The figure of another case for the design of this one. */
static ig_status figure_of(gradient *g, ig_job *other, const char *figure, double *value) {
  ig_topopt_run *r = NULL;
  double *design = NULL;
  char unit[16];
  ig_status status = run_open(other, &r);
  if (status == IG_OK && r->d->elements != g->run->d->elements)
    status = IG_FAIL(g->cx, IG_INPUT, "the case has other elements");
  if (status == IG_OK)
    status = IG_NEW(g->cx, &design, r->d->elements, "design");
  if (status == IG_OK)
    status = ig_topopt_get(g->run, "design", design);
  if (status == IG_OK)
    status = ig_topopt_set(r, "design", design);
  if (status == IG_OK)
    status = figure_get(r, figure, value, unit);
  free(design);
  ig_room_topopt.close(r);
  return status;
}

static ig_status gradient_difference(void *self, ig_job *other, const char *key, double *change) {
  gradient *g = self;
  double value = 0;
  (void)key;
  IG_TRY(figure_of(g, other, g->field, &value));
  *change = value - g->value;
  return IG_OK;
}

static ig_status gradient_run(void *self, ig_job *other, const char *figure, double *value) {
  return figure_of(self, other, figure, value);
}

static ig_status gradient_field(void *self, ig_job *same, const char *key, ig_gradient_field *f) {
  gradient *g = self;
  char name[80];
  (void)same, (void)key;
  f->count = g->run->d->elements;
  IG_TRY(IG_NEW(g->cx, &f->value, f->count, "gradient"));
  IG_TRY(IG_NEW(g->cx, &f->derivative, f->count, "gradient"));
  IG_TRY(ig_topopt_get(g->run, "design", f->value));
  snprintf(name, sizeof name, "%s_gradient", g->field);
  return ig_topopt_get(g->run, name, f->derivative);
}

const ig_gradient_ops ig_topopt_gradient = {
    .keys = keys,
    .expected = "design, materials, source, temperature_change, void_ratio, penalty, or how much a "
                "load or spring is",
    .known = known,
    .open = gradient_open,
    .difference = gradient_difference,
    .run = gradient_run,
    .is_field = is_field,
    .field = gradient_field,
    .close = gradient_close};
