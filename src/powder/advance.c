/* A step: the window's fine steps and the coarse step around them; or a long one between layers. */
#include "powder/powder.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

#define STEFAN 5.670374419e-8
enum { MOST_STAGES = 24 };

/* --- states to temperatures */

/* Temperatures, resistances and melting of the window. */
static void fine_look(ig_powder_run *r) {
  ig_level *l = &r->fine;
  const ig_powder_tables *t = &r->tables;
  const int top = (int)(r->bed - (int64_t)r->at[2] * r->r);
  int64_t molten = 0;
#pragma omp parallel for schedule(static) reduction(+ : molten)                                    \
    num_threads(ig_team(r->cx, (int64_t)l->n[0] * l->n[1] * l->n[2], IG_WORK_NODE))
  for (int k = 0; k < l->n[2]; k++)
    for (int j = 0; j < l->n[1]; j++) {
      const size_t at = ig_level_at(l, 0, j, k);
      uint8_t *state = &r->state[ig_powder_state_at(
          r, (int64_t)r->at[0] * r->r, (int64_t)r->at[1] * r->r + j, (int64_t)r->at[2] * r->r + k)];
      for (int i = 0; i < l->n[0]; i++) {
        const double u = l->heat[at + (size_t)i];
        if (k >= top) {
          l->resist[at + (size_t)i] = IG_LEVEL_CLOSED;
          continue;
        }
        int s = state[i];
        if (u >= t->liquidus) {
          if (!(s & IG_POWDER_MOLTEN))
            s = (s | IG_POWDER_SOLID | IG_POWDER_MOLTEN) + (s < 0xfc ? 1 << IG_POWDER_MELTS : 0);
          molten++;
          state[i] = (uint8_t)s;
        } else if (s & IG_POWDER_MOLTEN && u < t->solidus) {
          s &= ~IG_POWDER_MOLTEN;
          state[i] = (uint8_t)s;
        }
        l->T[at + (size_t)i] = ig_powder_table_T(t, u);
        l->resist[at + (size_t)i] = ig_powder_table_resist(t, u, s & IG_POWDER_SOLID ? 1 : 0);
      }
    }
  r->molten = molten;
}

static bool in_window(const ig_powder_run *r, int i, int j, int k) {
  return r->open && i >= r->at[0] && j >= r->at[1] && k >= r->at[2] && i < r->at[0] + r->size[0] &&
         j < r->at[1] + r->size[1] && k < r->at[2] + r->size[2];
}

/* The same of the coarse grid; cells under the window pass no heat. */
static void coarse_look(ig_powder_run *r) {
  ig_level *l = &r->coarse;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(ig_team(r->cx, (int64_t)l->n[0] * l->n[1] * l->n[2], IG_WORK_NODE))
  for (int k = 0; k < l->n[2]; k++)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        const size_t at = ig_level_at(l, i, j, k);
        l->resist[at] = IG_LEVEL_CLOSED;
        if (r->fill[k] == 0)
          continue;
        l->T[at] = ig_powder_table_T(&r->tables, l->heat[at]);
        if (!in_window(r, i, j, k))
          l->resist[at] =
              ig_powder_table_resist(&r->tables, l->heat[at], r->solid[ig_powder_cell(r, i, j, k)]);
      }
  for (int j = 0; j < l->n[1]; j++)
    for (int i = 0; i < l->n[0]; i++) { /* under the plate */
      const size_t at = ig_level_at(l, i, j, -1);
      l->T[at] = r->c->plate_temperature;
      l->resist[at] = isnan(r->c->plate_temperature) ? IG_LEVEL_CLOSED : 0;
      if (isnan(l->T[at]))
        l->T[at] = 0;
    }
}

/* --- top and bottom */

/* Heat per area and time that leaves the bed's top. */
static double top_flux(const ig_powder_run *r, double T) {
  const ig_powder_case *c = r->c;
  return c->convection * (T - c->ambient) +
         c->emissivity * STEFAN * (T * T * T * T - pow(c->ambient, 4));
}

/* Takes the heat that leaves the top from the topmost cells of a grid; returns it, J. */
static double top_cool(ig_powder_run *r, ig_level *l, int k, double filled, double dt) {
  double sum = 0;
  if (r->c->convection == 0 && r->c->emissivity == 0)
    return 0;
  for (int j = 0; j < l->n[1]; j++)
    for (int i = 0; i < l->n[0]; i++) {
      const size_t at = ig_level_at(l, i, j, k);
      if (l->resist[at] == IG_LEVEL_CLOSED)
        continue;
      const double q = dt * top_flux(r, l->T[at]);
      l->heat[at] -= q / (l->edge * filled);
      sum += q * l->edge * l->edge;
    }
  return sum;
}

/* Heat that leaves through the plate's bottom outside of the window, J. */
static double bottom_heat(const ig_powder_run *r, double dt) {
  const ig_level *l = &r->coarse;
  double sum = 0;
  if (isnan(r->c->plate_temperature))
    return 0;
  for (int j = 0; j < l->n[1]; j++)
    for (int i = 0; i < l->n[0]; i++) {
      const size_t at = ig_level_at(l, i, j, 0);
      if (l->resist[at] != IG_LEVEL_CLOSED)
        sum += dt * l->edge * 2 * (l->T[at] - r->c->plate_temperature) / l->resist[at];
    }
  return sum;
}

double ig_powder_stored(const ig_powder_run *r) {
  const ig_level *l = &r->coarse;
  double sum = 0;
  for (int k = 0; k < l->n[2]; k++) {
    double level = 0;
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++)
        level += l->heat[ig_level_at(l, i, j, k)];
    sum += level * r->fill[k] * l->edge * l->edge * l->edge;
  }
  return sum;
}

/* --- layers */

/* The share of a coarse level that is filled. */
void ig_powder_fill(ig_powder_run *r) {
  for (int k = 0; k < r->coarse.n[2]; k++) {
    const double f = (double)(r->bed - (int64_t)k * r->r) / r->r;
    r->fill[k] = f < 0 ? 0 : f > 1 ? 1 : f;
    r->shape[k + 1] = r->fill[k] > 0 ? r->fill[k] : 1;
  }
}

/* A layer of powder over the whole bed; the heat it brings is counted. */
static ig_status layer_spread(ig_powder_run *r) {
  ig_level *l = &r->coarse;
  const double H = l->edge,
               T = isnan(r->c->powder_temperature) ? r->c->initial_temperature
                                                   : r->c->powder_temperature,
               u = ig_powder_table_heat(&r->tables, T);
  if (r->layer > 0)
    IG_TRY(ig_powder_layer_done(r, r->layer - 1));
  r->layer_of[r->layer].interlayer = r->layer > 0 ? ig_powder_interlayer(r) : NAN;
  ig_powder_window_close(r);
  const int64_t more = (int64_t)llround((r->layer_of[r->layer].z - r->low[2]) / r->fine.edge);
  r->bed = more;
  for (int k = 0; k < l->n[2]; k++) {
    const double before = r->fill[k], f = (double)(r->bed - (int64_t)k * r->r) / r->r,
                 after = f < 0   ? 0
                         : f > 1 ? 1
                                 : f;
    if (after == before)
      continue;
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        double *heat = &l->heat[ig_level_at(l, i, j, k)];
        *heat = (*heat * before + u * (after - before)) / after;
        r->solid[ig_powder_cell(r, i, j, k)] *= before / after;
      }
    r->ledger.born += u * (after - before) * H * H * H * l->n[0] * l->n[1];
  }
  ig_powder_fill(r);
  r->layer++;
  return IG_OK;
}

/* --- steps */

/* The longest stable coarse step: heat through all faces of a cell, of which those to the window
   are shorter, must not exceed what makes it as warm as its neighbours. */
static double coarse_step(const ig_powder_run *r) {
  const double near = 2.0 * r->r / (r->r + 1);
  double worst = 0;
  for (int k = 0; k < r->coarse.n[2]; k++) {
    if (r->fill[k] == 0)
      continue;
    const double f = r->fill[k];
    double z = k > 0 ? 2 / (f + r->fill[k - 1]) : isnan(r->c->plate_temperature) ? 0 : 2 / f;
    if (k + 1 < r->coarse.n[2] && r->fill[k + 1] > 0)
      z += f == 1 ? fmax(near, 2 / (f + r->fill[k + 1])) : 2 / (f + r->fill[k + 1]);
    worst = fmax(worst, 4 * near + z / f);
  }
  return r->c->safety * r->coarse.edge * r->coarse.edge / (worst * r->tables.diffusivity);
}

static void probes_look(ig_powder_run *r) {
  for (int i = 0; i < r->c->probes.count; i++) {
    const double T =
        ig_powder_temperature(r, IG_ITEM(const ig_powder_probe, r->c->probes, i)->point);
    r->probe_now[i] = T;
    r->probe_peak[i] = fmax(r->probe_peak[i], T);
  }
}

double ig_powder_temperature(const ig_powder_run *r, const double *x) {
  int f[3], c[3];
  bool fine = r->open;
  for (int d = 0; d < 3; d++) {
    const double at = (x[d] - r->low[d]) / r->coarse.edge;
    c[d] = (int)fmin(fmax(floor(at), 0), r->coarse.n[d] - 1);
    f[d] = (int)floor((x[d] - r->low[d]) / r->fine.edge) - r->at[d] * r->r;
    fine = fine && f[d] >= 0 && f[d] < r->fine.n[d];
  }
  if (fine && f[2] < (int)(r->bed - (int64_t)r->at[2] * r->r))
    return ig_powder_table_T(&r->tables, r->fine.heat[ig_level_at(&r->fine, f[0], f[1], f[2])]);
  if (r->fill[c[2]] == 0)
    return r->c->ambient;
  return ig_powder_table_T(&r->tables, r->coarse.heat[ig_level_at(&r->coarse, c[0], c[1], c[2])]);
}

/* Fine steps of the window over a coarse one. */
static void fine_steps(ig_powder_run *r, double dt) {
  const int steps = (int)fmax(1, ceil(dt / r->dt_fine * (1 - 1e-12)));
  const double h = dt / steps;
  const int top = (int)(r->bed - (int64_t)r->at[2] * r->r) - 1;
  ig_powder_window_ghosts(r);
  for (int n = 0; n < steps; n++) {
    fine_look(r);
    ig_powder_window_cross(r, h);
    ig_level_conduct(r->cx, &r->fine, h);
    r->ledger.lost += top_cool(r, &r->fine, top, 1, h);
    ig_powder_beam_heat(r, r->time + n * h, h);
    probes_look(r);
  }
  fine_look(r);
  r->fine_steps += steps;
  r->work += (double)steps * r->fine.n[0] * r->fine.n[1] * r->fine.n[2];
}

/* The coarse grid around the window over the same time. */
static void coarse_around(ig_powder_run *r, double dt) {
  ig_level *l = &r->coarse;
  const double H = l->edge;
  const int top = (int)((r->bed - 1) / r->r);
  r->ledger.held += bottom_heat(r, dt);
  ig_level_conduct(r->cx, l, dt);
  r->ledger.lost += top_cool(r, l, top, r->fill[top], dt);
  for (int k = 0; k < l->n[2]; k++)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        double *c = &r->crossed[ig_powder_cell(r, i, j, k)];
        if (*c != 0)
          l->heat[ig_level_at(l, i, j, k)] += *c / (r->fill[k] * H * H * H);
        *c = 0;
      }
  if (r->open)
    ig_powder_window_mean(r);
  r->coarse_steps++;
  r->work += (double)l->n[0] * l->n[1] * l->n[2];
}

/* --- between layers: Runge-Kutta-Legendre stages of first order, s of them stable for
   (s^2 + s) / 2 steps (Meyer et al., 2014) */

static void long_step(ig_powder_run *r, double dt, int s) {
  ig_level *l = &r->coarse;
  const size_t count = (size_t)(l->n[0] + 2) * (size_t)(l->n[1] + 2) * (size_t)(l->n[2] + 2);
  const double w = 2.0 / (s * s + s);
  const int top = (int)((r->bed - 1) / r->r);
  double lost[3] = {0}, held[3] = {0}; /* by the same recurrence: now, one stage ago, two ago */
  for (int j = 1; j <= s; j++) {
    const double mu = j == 1 ? 1 : (2.0 * j - 1) / j, nu = j == 1 ? 0 : (1.0 - j) / j;
    coarse_look(r);
    memcpy(r->old[1], l->heat, count * sizeof *l->heat);
    const double part = (j == 1 ? w : mu * w) * dt;
    /* mu Y + nu Y' + part L(Y): scaled first, so that the step adds to it */
    for (size_t i = 0; i < count; i++)
      l->heat[i] = mu * l->heat[i] + (j == 1 ? 0 : nu * r->old[0][i]);
    lost[2] = lost[1], held[2] = held[1];
    lost[1] = lost[0], held[1] = held[0];
    held[0] = mu * held[1] + nu * held[2] + bottom_heat(r, part);
    ig_level_conduct(r->cx, l, part);
    lost[0] = mu * lost[1] + nu * lost[2] + top_cool(r, l, top, r->fill[top], part);
    memcpy(r->old[0], r->old[1], count * sizeof *l->heat);
  }
  r->ledger.lost += lost[0];
  r->ledger.held += held[0];
  r->coarse_steps += s;
  r->work += (double)s * l->n[0] * l->n[1] * l->n[2];
}

/* The largest change of temperature since `before`. */
static double change_most(const ig_powder_run *r, const double *before) {
  const ig_level *l = &r->coarse;
  double most = 0;
  for (int k = 0; k < l->n[2] && r->fill[k] > 0; k++)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        const size_t at = ig_level_at(l, i, j, k);
        most = fmax(most, fabs(ig_powder_table_T(&r->tables, l->heat[at]) - before[at]));
      }
  return most;
}

static void dwell(ig_powder_run *r, double until) {
  const double plain = coarse_step(r);
  double dt = fmin(fmax(r->dt_dwell, plain), plain * MOST_STAGES * (MOST_STAGES + 1) / 2);
  if (r->time + dt > until)
    dt = until - r->time;
  int s = (int)ceil(0.5 * (sqrt(1 + 8 * dt / plain) - 1));
  s = s < 1 ? 1 : s;
  s += s % 2 == 0; /* odd numbers of stages damp the roughest part more */
  ig_level *l = &r->coarse;
  const size_t count = (size_t)(l->n[0] + 2) * (size_t)(l->n[1] + 2) * (size_t)(l->n[2] + 2);
  coarse_look(r);
  memcpy(r->before, l->T, count * sizeof *l->T);
  long_step(r, dt, s);
  const double most = change_most(r, r->before);
  const double grow = most > 0 ? r->c->dwell_change / most : 2;
  r->dt_dwell = dt * (grow > 2 ? 2 : grow < 0.25 ? 0.25 : grow);
  r->time = r->time + dt >= until ? until : r->time + dt;
}

/* When the next layer is spread; infinity: none is left. */
static double layer_next(const ig_powder_run *r) {
  return r->layer < r->layers ? r->layer_of[r->layer].birth : INFINITY;
}

ig_status ig_powder_advance(ig_powder_run *r) {
  while (layer_next(r) <= r->time)
    IG_TRY(layer_spread(r));
  const double until = fmin(r->duration, layer_next(r)), plain = coarse_step(r);
  const double next = ig_powder_beam_next(r, r->time);
  double x[3];
  r->step++;
  if (next - r->time > 20 * plain && r->molten == 0) {
    ig_powder_window_close(r);
    dwell(r, fmin(until, next));
    probes_look(r);
    ig_powder_pool_look(r, r->time);
    return IG_OK;
  }
  r->dt_dwell = 0;
  double dt = r->dt_fine * fmax(1, floor(plain / r->dt_fine));
  const bool last = r->time + dt >= until;
  dt = last ? until - r->time : dt;
  if (next < r->time + dt || !r->open) { /* not while it is off and the pool freezes */
    ig_powder_beam_at(r, fmax(next < INFINITY ? next : r->time, r->time), x);
    bool near = !r->open;
    for (int d = 0; d < 2; d++) {
      const double low = r->low[d] + r->at[d] * r->coarse.edge, wide = r->size[d] * r->coarse.edge;
      near |= x[d] < low + 0.25 * wide || x[d] > low + 0.75 * wide;
    }
    if (near)
      IG_TRY(ig_powder_window_place(r, x));
  }
  coarse_look(r);
  fine_steps(r, dt);
  coarse_around(r, dt);
  ig_powder_pool_look(r, r->time + 0.5 * dt);
  r->time = last ? until : r->time + dt;
  return IG_OK;
}
