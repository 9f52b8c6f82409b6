/* Boundary values over time: ambient, prescribed temperatures, fluxes, convection. Tables of the
   case are piecewise linear; the engine has constant values within a batch. So time is cut into
   stretches of a fixed number of steps (run->hold), which depends on the case alone and not on
   batches, and a stretch has the values of its middle. Fluxes are the mean over the stretch, so
   that a pulse shorter than a step still brings its heat. */
#include "mesh/named.h"
#include "thermal/thermal.h"

#include <math.h>
#include <string.h>

static double value_at(const ig_table *t, double time) {
  return t->count ? ig_table_at(t, time) : NAN;
}

/* Mean of a table from `low` to `high`, exact for a piecewise linear one: trapezoids between its
   knots. Where no knot lies between, the value in the middle is the mean, without the rounding of a
   sum. */
static double table_mean(const ig_table *t, double low, double high) {
  double sum = 0, from = low, was = ig_table_at(t, low);
  bool within = true;
  for (int i = 0; i <= t->count; i++) {
    const double to = i < t->count ? t->x[i] : high;
    if (to <= low || to > high || (i < t->count && to == high))
      continue;
    within = within && i == t->count;
    const double is = ig_table_at(t, to);
    sum += 0.5 * (was + is) * (to - from);
    from = to;
    was = is;
  }
  return within || !(high > low) ? ig_table_at(t, 0.5 * (low + high)) : sum / (high - low);
}

double ig_thermal_ambient(const ig_thermal_run *run, double time) {
  return ig_table_at(&run->c->ambient, time);
}

/* The largest value a table ever has; NaN: not given. */
static double table_most(const ig_table *t) {
  double most = t->count ? t->y[0] : NAN;
  for (int i = 1; i < t->count; i++)
    most = fmax(most, t->y[i]);
  return most;
}

static bool is_held(const ig_thermal_boundary *b) {
  return b->temperature.count ||
         (b->from.count && IG_ITEM(const ig_thermal_given, b->from, 0)->temperature);
}

/* Fluxes on a face add up, temperatures cannot. */
static ig_status held_once(const ig_thermal_run *run, const ig_thermal_boundary *b,
                           const ig_set *set) {
  for (int i = 0; i < run->conditions; i++)
    if (run->condition[i].faces == set &&
        is_held(IG_ITEM(const ig_thermal_boundary, run->c->boundary, run->condition_of[i])))
      return ig_fail_at(run->job->cx, &b->at, "'%s' is held at a temperature already", set->name);
  return IG_OK;
}

static ig_status boundary_check(ig_ctx *cx, const ig_thermal_boundary *b) {
  const bool film = b->convection.count || !isnan(b->emissivity);
  if (!b->temperature.count && !b->flux.count && !film && !b->from.count && !b->evaporation)
    return ig_fail_at(cx, &b->at,
                      "nothing is said about this boundary: give temperature, flux, convection, "
                      "emissivity, evaporation, or fields of a file (`from`)");
  bool given = false; /* convection by a field of a file */
  for (int i = 0; i < b->from.count; i++)
    given |= IG_ITEM(const ig_thermal_given, b->from, i)->convection != NULL;
  if (b->ambient.count && !film && !given)
    return ig_fail_at(cx, &b->at,
                      "this boundary has an `ambient` and no exchange with it: give convection or "
                      "emissivity");
  return IG_OK;
}

/* One condition per set of each entry: an entry may name several sets. Values follow later
   (ig_thermal_conditions_at), since they depend on time. */
ig_status ig_thermal_conditions(ig_thermal_run *run) {
  ig_ctx *cx = run->job->cx;
  for (int i = 0; i < run->c->boundary.count; i++) {
    const ig_thermal_boundary *b = IG_ITEM(const ig_thermal_boundary, run->c->boundary, i);
    IG_TRY(boundary_check(cx, b));
    for (int s = 0; s < b->set.count; s++) {
      const bool everywhere = strcmp(b->set.value[s], "surface") == 0;
      const ig_set *set = NULL; /* `surface`: the outer one */
      if (!everywhere)
        IG_TRY(ig_mesh_named_set(cx, run->job->mesh, &b->at, b->set.value[s], IG_OF_FACES, &set));
      if (everywhere && is_held(b))
        return ig_fail_at(cx, &b->at, "a temperature can be held on named face sets only");
      if (is_held(b))
        IG_TRY(held_once(run, b, set));
      if (run->conditions == IG_THERMAL_CONDITIONS)
        return ig_fail_at(cx, &b->at, "more than %d boundary conditions", IG_THERMAL_CONDITIONS);
      run->condition_of[run->conditions] = i;
      run->condition[run->conditions++] =
          (ig_heat_condition){.faces = set, .emissivity = b->emissivity, .boils = b->evaporation};
    }
    if (b->from.count)
      IG_TRY(ig_thermal_fields_read(run, i));
  }
  return IG_OK;
}

/* All conditions at `time`, the middle of a stretch of steps. c: run->conditions; run->condition is
   only read, so the caller can compare both. */
void ig_thermal_conditions_at(const ig_thermal_run *run, double time, ig_heat_condition *c) {
  for (int i = 0; i < run->conditions; i++) {
    const ig_thermal_boundary *b =
        IG_ITEM(const ig_thermal_boundary, run->c->boundary, run->condition_of[i]);
    c[i] = run->condition[i];
    const double factor = run->factor ? run->factor[run->condition_of[i]] : 1;
    c[i].temperature = factor * value_at(&b->temperature, time);
    const double half = 0.5 * (double)run->hold * run->dt;
    c[i].flux = b->flux.count ? factor * table_mean(&b->flux, time - half, time + half) : NAN;
    c[i].h = value_at(&b->convection, time);
    c[i].ambient =
        b->ambient.count ? ig_table_at(&b->ambient, time) : ig_thermal_ambient(run, time);
    if (b->from.count) {
      ig_thermal_fields_condition(run, run->condition_of[i], &c[i]);
      c[i].moment = ig_thermal_fields_moment(run, run->condition_of[i], time);
    }
  }
}

/* The critical step is computed once, at the start: with the largest convection of all times. */
void ig_thermal_conditions_steepest(const ig_thermal_run *run, ig_heat_condition *c) {
  ig_thermal_conditions_at(run, 0, c);
  for (int i = 0; i < run->conditions; i++)
    if (!c[i].h_of)
      c[i].h = table_most(
          &IG_ITEM(const ig_thermal_boundary, run->c->boundary, run->condition_of[i])->convection);
}

static void interval_find(const ig_table *t, double *shortest) {
  for (int i = 1; i < t->count; i++)
    if (t->y[i] != t->y[i - 1])
      *shortest = fmin(*shortest, t->x[i] - t->x[i - 1]);
}

/* Length of a stretch: a thousandth of the shortest change in any table, in steps. Values then move
   by 0.1 % of such a change from one stretch to the next. */
void ig_thermal_surroundings_start(ig_thermal_run *run) {
  double shortest = INFINITY;
  interval_find(&run->c->ambient, &shortest);
  for (int i = 0; i < run->c->boundary.count; i++) {
    const ig_thermal_boundary *b = IG_ITEM(const ig_thermal_boundary, run->c->boundary, i);
    interval_find(&b->temperature, &shortest);
    interval_find(&b->flux, &shortest);
    interval_find(&b->convection, &shortest);
    interval_find(&b->ambient, &shortest);
    for (int j = 1; j < b->from.count; j++)
      shortest = fmin(shortest, IG_ITEM(const ig_thermal_given, b->from, j)->time -
                                    IG_ITEM(const ig_thermal_given, b->from, j - 1)->time);
  }
  const double steps = floor(1e-3 * shortest / run->dt);
  run->hold = isinf(shortest) ? 0 : steps < 1 ? 1 : steps > 1e9 ? 1000000000 : (int64_t)steps;
}

/* The middle of the stretch of steps that holds `step`, s. */
static double middle_of(const ig_thermal_run *run, int64_t step) {
  if (!run->hold)
    return 0;
  const int64_t first = step / run->hold * run->hold;
  return ((double)first + 0.5 * (double)run->hold) * run->dt;
}

/* Compared bit by bit: NaN (not given) must equal NaN. Both sides are copies of the same structs,
   so padding is equal too. */
bool ig_thermal_surroundings_change(const ig_thermal_run *run, int64_t step) {
  if (!run->hold && !run->factor)
    return false;
  ig_heat_condition c[IG_THERMAL_CONDITIONS];
  const double time = middle_of(run, step);
  ig_thermal_conditions_at(run, time, c);
  return ig_thermal_ambient(run, time) != run->ambient ||
         memcmp(c, run->condition, (size_t)run->conditions * sizeof *c) != 0;
}

/* Takes over the values of the stretch that holds `step`; on the device from the next batch on. */
ig_status ig_thermal_surroundings_set(ig_thermal_run *run, int64_t step) {
  const double time = middle_of(run, step);
  ig_heat_condition c[IG_THERMAL_CONDITIONS];
  ig_thermal_conditions_at(run, time, c);
  for (int i = 0; i < run->c->boundary.count && run->fields; i++)
    if (run->fields[i].times) {
      const double moment = ig_thermal_fields_moment(run, i, time);
      if (moment != run->fields[i].moment)
        ig_thermal_fields_set(run, i, moment);
    }
  memcpy(run->condition, c, (size_t)run->conditions * sizeof *c);
  run->ambient = ig_thermal_ambient(run, time);
  return ig_heat_conditions_set(run->job->cx, &run->heat, run->condition, run->conditions,
                                run->ambient);
}

int64_t ig_thermal_surroundings_ahead(const ig_thermal_run *run, int64_t step, int64_t most) {
  if (!run->hold)
    return most;
  int64_t next = step / run->hold * run->hold + run->hold;
  while (next < step + most && !ig_thermal_surroundings_change(run, next))
    next += run->hold;
  return next - step < most ? next - step : most;
}
