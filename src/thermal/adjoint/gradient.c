/* Gradients of the thermal room, as run/gradient.c asks for them. */
#include "core/gradient.h"
#include "thermal/adjoint/adjoint.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BEAMS = 4096 };

/* Keys whose numbers are all on the tape. The mesh, steps and output are not; nor are places and
   sizes of beams, which decide what targets they have. */
static const char *const keys[] = {"materials",   "boundary", "initial", "ambient",
                                   "body_source", "beams",    NULL};

static bool known(const char *key) {
  const size_t length = strlen(key), power = strlen(".power");
  return strncmp(key, "beams", 5) != 0 || strstr(key, ".absorptivity") ||
         (length > power && strcmp(key + length - power, ".power") == 0);
}

static void gradient_close(void *self) {
  ig_tape *t = self;
  if (t)
    ig_tape_free(t->cx, t);
}

/* Onto the tape, forward and backward. */
static ig_status gradient_open(ig_job *job, const char *figure, void **self,
                               ig_gradient_figure *found) {
  ig_tape *t;
  IG_TRY(IG_NEW(job->cx, &t, 1, "tape"));
  *self = t;
  t->cx = job->cx;
  t->opened = true;
  t->run.job = job;
  IG_TRY(ig_tape_open_run(job, &t->run, 0, 0));
  IG_TRY(ig_tape_signals(job->cx, t, figure));
  IG_TRY(ig_tape_forward(job->cx, t));
  IG_TRY(ig_tape_figure(job->cx, t, figure, &found->value, found->unit));
  found->steps = t->steps;
  return ig_tape_backward(job->cx, t);
}

static ig_status gradient_difference(void *self, ig_job *other, double *change) {
  ig_tape *t = self;
  ig_thermal_run run;
  *change = 0;
  ig_status status = ig_tape_open_run(other, &run, t->run.dt, t->run.steps);
  if (status == IG_OK)
    status = ig_tape_difference(other->cx, t, &run, change);
  ig_thermal_close(&run);
  return status;
}

static ig_status gradient_run(void *self, ig_job *other, const char *figure, double *value) {
  const ig_tape *own = self;
  ig_tape *t;
  char unit[16];
  IG_TRY(IG_NEW(other->cx, &t, 1, "tape"));
  t->opened = true;
  ig_status status = ig_tape_open_run(other, &t->run, own->run.dt, own->run.steps);
  if (status == IG_OK)
    status = ig_tape_signals(other->cx, t, figure);
  if (status == IG_OK)
    status = ig_tape_forward(other->cx, t);
  if (status == IG_OK)
    status = ig_tape_figure(other->cx, t, figure, value, unit);
  ig_tape_free(other->cx, t);
  return status;
}

/* --- fields */

/* "beams[3].powers": 3; others: -1. */
static int powers_beam(const char *key) {
  char *end;
  if (strncmp(key, "beams[", 6) != 0)
    return -1;
  const long beam = strtol(key + 6, &end, 10);
  return end > key + 6 && strcmp(end, "].powers") == 0 && beam >= 0 && beam < MOST_BEAMS ? (int)beam
                                                                                         : -1;
}

static bool is_field(const char *key) {
  return powers_beam(key) >= 0 || strcmp(key, "initial_temperatures") == 0;
}

static ig_status field_new(ig_ctx *cx, ig_gradient_field *f, int64_t count) {
  f->count = count;
  IG_TRY(IG_NEW(cx, &f->value, count, "gradient"));
  return IG_NEW(cx, &f->derivative, count, "gradient");
}

static ig_status powers_take(ig_tape *t, ig_thermal_run *run, const char *key, int beam,
                             ig_gradient_field *f) {
  if (beam >= run->beams.count)
    return IG_FAIL(t->cx, IG_INPUT, "no gradient by '%s': the case has %d beams", key,
                   run->beams.count);
  const ig_toolpath *path = &run->beams.beam[beam].path;
  IG_TRY(field_new(t->cx, f, path->count));
  memcpy(f->value, path->power, (size_t)path->count * sizeof *f->value);
  return ig_tape_powers(t->cx, t, run, beam, f->derivative);
}

static ig_status gradient_field(void *self, ig_job *same, const char *key, ig_gradient_field *f) {
  ig_tape *t = self;
  ig_thermal_run run;
  if (strcmp(key, "initial_temperatures") == 0) {
    const ig_lid nodes = t->run.heat.nodes;
    IG_TRY(field_new(t->cx, f, nodes));
    memcpy(f->value, t->start.T, (size_t)nodes * sizeof *f->value);
    ig_tape_initial(t, f->derivative);
    return IG_OK;
  }
  ig_status status = ig_tape_open_run(same, &run, t->run.dt, t->run.steps);
  if (status == IG_OK)
    status = powers_take(t, &run, key, powers_beam(key), f);
  ig_thermal_close(&run);
  return status;
}

const ig_gradient_ops ig_thermal_gradient = {
    .keys = keys,
    .expected = "materials, boundary, initial, initial_temperature, ambient, body_source, or of "
                "beams the power or the absorptivity",
    .known = known,
    .open = gradient_open,
    .difference = gradient_difference,
    .run = gradient_run,
    .is_field = is_field,
    .field = gradient_field,
    .close = gradient_close};
