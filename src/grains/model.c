/* Set-up of a run: what a case may not say, the grid, the law of growth, steps, arrays. */
#include "grains/grains.h"
#include "core/schedule.h"

#include <math.h>
#include <string.h>

/* Laws of growth: coefficients in m/(s K), m/(s K^2), m/(s K^3); K.
   IN625: Rolchigo et al. (2022), as in ExaCA's Inconel625.json, with its freezing range.
   IN718: Rai et al. (2016); the range of Inconel 718 between solidus and liquidus. */
static const struct {
  double law[3], limit;
} alloy[] = {{{2.2196e-3, 1.0533e-4, -1.0302e-7}, 210}, {{-0.544e-4, 2.03e-4, 0}, 76}};

double ig_grains_speed(const ig_grains_run *r, double under) {
  const double u = fmin(fmax(under, 0), r->limit);
  return fmax(0, u * (r->law[0] + u * (r->law[1] + u * r->law[2])));
}

/* --- what a case may not say */

static ig_status source_check(const ig_grains_run *r) {
  const ig_grains_case *c = r->c;
  const ig_grains_field *f = &c->field;
  if (f->at.given && c->events.count)
    return ig_fail_at(r->cx, &f->at, "`field` and `events` both give temperatures: leave out one");
  if (!f->at.given && !c->events.count)
    return ig_fail_at(r->cx, &c->at, "no temperatures: give `field` or `events`");
  if (f->at.given && isnan(f->speed) == isnan(f->cooling_rate) &&
      !(isnan(f->speed) && f->undercooling > 0))
    return ig_fail_at(r->cx, &f->at,
                      "field: give either `speed` or `cooling_rate`; without both the "
                      "`undercooling` stays as it is and must be positive");
  if (f->at.given && !isnan(f->speed) && !(f->gradient > 0))
    return ig_fail_at(r->cx, &f->at,
                      "field: `speed` needs a gradient above 0; without one give "
                      "`cooling_rate`");
  if (f->at.given && f->cooling_rate == 0 && !(f->undercooling > 0))
    return ig_fail_at(r->cx, &f->at,
                      "field: nothing cools: give a `cooling_rate` above 0, or an "
                      "`undercooling`");
  return IG_OK;
}

static ig_status starts_check(const ig_grains_run *r) {
  const ig_grains_case *c = r->c;
  if (c->events.count && !c->substrate.at.given)
    return ig_fail_at(r->cx, &c->at, "`events` need a `substrate`: what has not melted has grains");
  if (c->events.count && c->seeds.count)
    return ig_fail_at(r->cx, &IG_ITEM(ig_grains_seed, c->seeds, 0)->at,
                      "`seeds` stand in the melt of a `field`; with `events` use `nucleation`");
  if (c->events.count && c->periodic) {
    const ig_src at = ig_key_at(r->job->tree, "periodic", c->at);
    return ig_fail_at(r->cx, &at, "`events` are not periodic: leave out `periodic`");
  }
  if (c->field.at.given && !isnan(c->substrate.top))
    return ig_fail_at(r->cx, &c->substrate.at,
                      "substrate.top: with `field` the substrate is the lowest cells");
  if (!c->substrate.at.given && !c->seeds.count &&
      !(c->nucleation.at.given && c->nucleation.density > 0))
    return ig_fail_at(r->cx, &c->at,
                      "nothing grows: give a `substrate`, `seeds`, or a `nucleation` with a "
                      "density above 0");
  if (c->substrate.at.given && c->substrate.grain_size < c->grid.cell)
    return ig_fail_at(r->cx, &c->substrate.at,
                      "substrate.grain_size is %g m, less than grid.cell, %g m: make cells smaller",
                      c->substrate.grain_size, c->grid.cell);
  return IG_OK;
}

/* --- the law of growth */

/* Up to the limit the speed must rise: the first undercooling where it does not, K. */
static double rises_to(const double *law, double limit) {
  enum { PARTS = 10000 };
  double before = 0;
  for (int i = 1; i <= PARTS; i++) {
    /* a law may be negative near 0, where it is taken as 0 */
    const double u = limit * i / PARTS, v = fmax(0, u * (law[0] + u * (law[1] + u * law[2])));
    if (v < before)
      return limit * (i - 1) / PARTS;
    before = v;
  }
  return limit;
}

static ig_status law_make(ig_grains_run *r) {
  const ig_grains_growth *g = &r->c->growth;
  const double given[3] = {g->linear, g->quadratic, g->cubic};
  const bool custom = g->law == IG_GRAINS_CUSTOM;
  bool any = false;
  for (int i = 0; i < 3; i++) {
    any = any || !isnan(given[i]);
    r->law[i] = custom ? (isnan(given[i]) ? 0 : given[i]) : alloy[g->law].law[i];
  }
  if (any != custom)
    return ig_fail_at(r->cx, &g->at, "growth: `linear`, `quadratic` and `cubic` %s `law: custom`",
                      custom ? "are missing: at least one belongs to" : "are for");
  if (custom && isnan(g->limit))
    return ig_fail_at(r->cx, &g->at, "growth: `law: custom` needs a `limit`, in K");
  r->limit = isnan(g->limit) ? alloy[g->law].limit : g->limit;
  const double rises = rises_to(r->law, r->limit);
  if (rises < r->limit)
    return ig_fail_at(r->cx, &g->at,
                      "growth: by its coefficients tips are slower again above %.4g K: give a "
                      "`limit` of at most that",
                      rises);
  if (!(ig_grains_speed(r, r->limit) > 0))
    return ig_fail_at(r->cx, &g->at, "growth: by its coefficients nothing grows up to %.4g K",
                      r->limit);
  return IG_OK;
}

/* --- the grid */

static ig_status grid_of_field(ig_grains_run *r) {
  const ig_grains_grid *g = &r->c->grid;
  if (isnan(g->size[0]))
    return ig_fail_at(r->cx, &g->at, "grid: `field` needs a `size`");
  if (!isnan(g->min[0]) || !isnan(g->max[0]))
    return ig_fail_at(r->cx, &g->at, "grid: `min` and `max` are for `events`; give `size`");
  if (g->refine > 1)
    return ig_fail_at(r->cx, &g->at, "grid: `refine` is for `events`; make `cell` smaller");
  for (int d = 0; d < 3; d++) {
    const double n = g->size[d] / g->cell;
    if (!(n > 0.5 && n < 2e9 && fabs(n - round(n)) < 1e-6 * n))
      return ig_fail_at(r->cx, &g->at, "grid.size[%d], %g m, is no whole number of cells of %g m",
                        d, g->size[d], g->cell);
    r->view.n[d] = (int)round(n);
  }
  return IG_OK;
}

/* Cells are numbered by 32 bits, and so are grains, of which powder has one in each cell. */
static ig_status grid_make(ig_grains_run *r) {
  ig_grains_view *v = &r->view;
  const ig_grains_grid *g = &r->c->grid;
  if (r->c->field.at.given)
    IG_TRY(grid_of_field(r));
  else if (!isnan(g->size[0]))
    return ig_fail_at(r->cx, &g->at,
                      "grid.size: with `events` the grid is that of the files; "
                      "limit it by `min` and `max`");
  else
    IG_TRY(ig_grains_events_read(r));
  const double cells = (double)v->n[0] * v->n[1] * v->n[2];
  if (cells > 1e9)
    return ig_fail_at(r->cx, &g->at,
                      "grid: %d x %d x %d cells are %.3g; at most 1e9, about 32 GB, are possible: "
                      "make the box smaller or cells larger",
                      v->n[0], v->n[1], v->n[2], cells);
  v->cells = (int64_t)v->n[0] * v->n[1] * v->n[2];
  v->across = (v->n[0] + IG_GRAINS_SEGMENT - 1) / IG_GRAINS_SEGMENT;
  v->segments = (int64_t)v->across * v->n[1] * v->n[2];
  v->periodic = r->c->periodic;
  return IG_OK;
}

/* --- steps */

/* The fastest tip: at the limit; in a field with a gradient the front moves with the isotherms, and
   a tip that is inclined to it by up to 54.7 degrees is faster by sqrt(3). */
static void fastest_find(ig_grains_run *r) {
  const ig_grains_field *f = &r->c->field;
  r->fastest = ig_grains_speed(r, r->limit);
  if (!f->at.given)
    return;
  if (f->gradient > 0 && r->view.rate > 0) {
    const double start = ig_grains_speed(r, f->undercooling);
    r->fastest = fmin(r->fastest, fmax(start, sqrt(3) * r->view.rate / f->gradient));
  } else if (!(r->view.rate > 0))
    r->fastest = ig_grains_speed(r, f->undercooling);
}

/* When all should be solid: the highest cell at the limit and, where nothing cools, a front across
   the box at its slowest, by 1/3 of a tip's speed; events set theirs. */
static double duration_guess(const ig_grains_run *r) {
  const ig_grains_view *v = &r->view;
  const double across = r->c->grid.cell * (v->n[0] + v->n[1] + v->n[2]);
  if (v->event)
    return r->duration;
  if (v->rate > 0)
    return (r->limit + v->fall * v->n[2] - v->start) / v->rate + 3 * across / r->fastest;
  return 3 * across / r->fastest;
}

/* Temperatures are those at the ends of steps: captures are late by up to one, and undercoolings
   too large by what a cell cools in it. */
static void steps_warn(const ig_grains_run *r) {
  const double by = fmax(r->cooling, r->view.rate) * r->dt;
  if (by > 0.05 * r->limit)
    ig_warn_at(
        r->cx, &r->c->at,
        "in a step of %.3g s a cell cools by up to %.3g K, where tips grow up to %.3g K below "
        "the liquidus: undercoolings are known to that only; give a `time_step` of at most "
        "%.2g s",
        r->dt, by, r->limit, 0.05 * r->limit / (by / r->dt));
}

static ig_status steps_make(ig_grains_run *r) {
  const ig_grains_case *c = r->c;
  int64_t steps;
  fastest_find(r);
  if (!(r->fastest > 0))
    return ig_fail_at(r->cx, &c->field.at,
                      "field.undercooling: at %g K the law of growth has no speed",
                      c->field.undercooling);
  r->dt = isnan(c->time_step) ? c->safety * c->grid.cell / r->fastest : c->time_step;
  if (r->fastest * r->dt > c->grid.cell) {
    const ig_src at = ig_key_at(r->job->tree, "time_step", c->at);
    return ig_fail_at(r->cx, &at,
                      "time_step: a tip may advance by %.3g cells in it, at %.3g m/s: give at most "
                      "%.3g s",
                      r->fastest * r->dt / c->grid.cell, r->fastest, c->grid.cell / r->fastest);
  }
  r->duration = isnan(c->duration) ? duration_guess(r) : c->duration;
  for (int i = 0; i < 3; i++)
    r->view.law[i] = r->law[i] * (r->dt / c->grid.cell);
  r->view.limit = r->limit;
  steps_warn(r);
  if (r->duration < r->dt)
    ig_warn_at(r->cx, &c->at,
               "`duration` %g s is shorter than one step, %.3g s: nothing grows in it; look at its "
               "unit",
               r->duration, r->dt);
  return ig_steps_count(r->cx, &c->at, ceil(r->duration / r->dt), r->dt, &steps);
}

static void field_make(ig_grains_run *r) {
  const ig_grains_field *f = &r->c->field;
  if (!f->at.given)
    return;
  r->view.start = f->undercooling;
  r->view.fall = f->gradient * r->c->grid.cell;
  r->view.rate = !isnan(f->cooling_rate) ? f->cooling_rate
                 : isnan(f->speed)       ? 0
                                         : f->gradient * f->speed;
}

/* --- arrays */

ig_status ig_grains_cells_make(ig_grains_run *r) {
  ig_grains_arrays *a = &r->array;
  const size_t cells = (size_t)r->view.cells, segments = (size_t)r->view.segments;
  const struct {
    ig_array *array;
    size_t count, size;
  } all[] = {{&a->state, cells, 1},    {&a->melts, cells, 1},
             {&a->grain, cells, 4},    {&a->size, cells, 4},
             {&a->centre, cells, 12},  {&a->under, cells, 4},
             {&a->flags, segments, 1}, {&a->woken, segments, 1},
             {&a->wake, segments, 8},  {&a->count, 1, sizeof(ig_grains_count)}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    IG_TRY(ig_array_new(r->cx, all[i].array, all[i].count, all[i].size, "cells of grains"));
  if (r->events)
    IG_TRY(ig_array_new(r->cx, &a->next, cells, 4, "cells of grains"));
  return IG_OK;
}

static void view_make(ig_grains_run *r) {
  const ig_grains_arrays *a = &r->array;
  ig_grains_view *v = &r->view;
  v->event = a->event.dev;
  v->first = a->first.dev;
  v->next = a->next.dev;
  v->axes = a->axes.dev;
  v->state = a->state.dev;
  v->melts = a->melts.dev;
  v->grain = a->grain.dev;
  v->size = a->size.dev;
  v->centre = a->centre.dev;
  v->under = a->under.dev;
  v->flags = a->flags.dev;
  v->woken = a->woken.dev;
  v->wake = a->wake.dev;
  v->nuclei = a->nuclei.dev;
  v->nucleus = a->nucleus.dev;
}

/* A cell with an octahedron of size 0 from the start. */
static void seed_put(ig_grains_run *r, int64_t cell, int32_t grain) {
  ((uint8_t *)r->array.state.host)[cell] = IG_GRAINS_ACTIVE;
  ((uint8_t *)r->array.melts.host)[cell] = 1;
  ((int32_t *)r->array.grain.host)[cell] = grain;
}

/* The state at the start. */
static ig_status state_make(ig_grains_run *r) {
  const ig_grains_view *v = &r->view;
  uint8_t *state = r->array.state.host, *melts = r->array.melts.host;
  if (r->events) {
    memset(state, IG_GRAINS_SOLID, (size_t)v->cells);
    memcpy(r->array.next.host, r->array.first.host, 4 * (size_t)v->cells);
  } else {
    memset(state, IG_GRAINS_LIQUID, (size_t)v->cells);
    memset(melts, 1, (size_t)v->cells);
  }
  if (r->c->substrate.at.given)
    ig_grains_substrate_fill(r);
  for (int i = 0; i < r->c->seeds.count; i++) {
    const ig_grains_seed *s = IG_ITEM(ig_grains_seed, r->c->seeds, i);
    int64_t cell;
    if (!ig_grains_cell_of(r, s->point, &cell))
      return ig_fail_at(r->cx, &s->at, "the seed at (%g, %g, %g) m is outside of the box",
                        s->point[0], s->point[1], s->point[2]);
    if (state[cell] != IG_GRAINS_LIQUID)
      return ig_fail_at(r->cx, &s->at, "in the cell of the seed at (%g, %g, %g) m is a grain",
                        s->point[0], s->point[1], s->point[2]);
    seed_put(r, cell, i + 1);
  }
  return IG_OK;
}

/* Numbers of grains: seeds, substrate, powder (one a cell), nuclei. */
static ig_status ids_make(ig_grains_run *r) {
  const int64_t seeds = r->c->seeds.count, substrate = ig_grains_substrate_count(r),
                powder = isnan(r->c->substrate.top) ? 0 : r->view.cells;
  if (seeds + substrate + powder > 2000000000)
    return ig_fail_at(r->cx, &r->c->substrate.at, "more grains than can be numbered, 2e9");
  r->substrate_grains = (int32_t)substrate;
  r->powder_first = (int32_t)(seeds + substrate + 1);
  r->nucleus_first = (int32_t)(r->powder_first + powder);
  return IG_OK;
}

ig_status ig_grains_open(ig_job *job, ig_grains_run *r) {
  *r = (ig_grains_run){.job = job, .cx = job->cx, .c = job->room_case};
  r->view.seed = (uint64_t)r->c->random_seed;
  IG_TRY(source_check(r));
  IG_TRY(starts_check(r));
  IG_TRY(law_make(r));
  IG_TRY(grid_make(r));
  field_make(r);
  r->view.event = r->array.event.dev; /* says where temperatures come from */
  IG_TRY(steps_make(r));
  IG_TRY(ids_make(r));
  IG_TRY(ig_grains_cells_make(r));
  IG_TRY(ig_grains_axes_make(r));
  IG_TRY(ig_grains_nuclei_make(r));
  IG_TRY(state_make(r));
  view_make(r);
  IG_TRY(ig_grains_divide(r));
  return ig_grains_push(r);
}

void ig_grains_close(ig_grains_run *r) {
#define X(name, type) ig_array_free(r->cx, &r->array.name);
  IG_GRAINS_ARRAYS(X)
#undef X
}

/* What segments contain, from the states of their cells. */
static void flags_make(ig_grains_run *r) {
  const ig_grains_view *v = &r->view;
  const uint8_t *state = r->array.state.host;
  uint8_t *flags = r->array.flags.host;
  memset(flags, 0, r->array.flags.count);
  for (int64_t row = 0; row < (int64_t)v->n[1] * v->n[2]; row++, flags += v->across)
    for (int x = 0; x < v->n[0]; x++, state++)
      flags[x / IG_GRAINS_SEGMENT] |= *state == IG_GRAINS_SOLID    ? IG_GRAINS_HAS_SOLID
                                      : *state == IG_GRAINS_LIQUID ? IG_GRAINS_HAS_LIQUID
                                                                   : IG_GRAINS_HAS_ACTIVE;
}

/* Segments are all looked at in the next step: when they melt next is found then. */
ig_status ig_grains_push(ig_grains_run *r) {
  ig_grains_arrays *a = &r->array;
  memset(a->woken.host, 1, a->woken.count);
  flags_make(r);
#define X(name, type)                                                                              \
  if (a->name.count)                                                                               \
    IG_TRY(ig_array_push(r->cx, &a->name));
  IG_GRAINS_STATE_ARRAYS(X)
  IG_GRAINS_SEGMENT_ARRAYS(X)
#undef X
  return IG_OK;
}

ig_status ig_grains_pull(ig_grains_run *r) {
  ig_grains_arrays *a = &r->array;
#define X(name, type)                                                                              \
  if (a->name.count)                                                                               \
    IG_TRY(ig_array_pull(r->cx, &a->name));
  IG_GRAINS_STATE_ARRAYS(X)
#undef X
  return ig_grains_gather(r);
}
