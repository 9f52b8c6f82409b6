/* A step: the windows' fine steps and the coarse step around them; or a long one between layers.
   ig_powder_advance is the entry. A coarse step is as long as the coarse grid allows; fine steps
   divide it (about ratio^2 of them), so both grids are at the same time afterwards. */
#include "powder/powder.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* stages of a long step at most: about 20,000 plain steps; beyond that single stages lose accuracy
 */
enum { MOST_STAGES = 199 };
/* coarse steps between two looks at the list of events; in so many a cell freezes a few times */
enum { DRAIN_EVERY = 16 };

/* Sums level by level: numbers of one size are added first. Of the coarse grid alone, whose cells
   under windows hold the means of the fine ones. */
double ig_powder_stored(const ig_powder_run *r) {
  const ig_powder_level *l = &r->coarse;
  const double *fill = r->array.fill.host;
  double sum = 0;
  for (int k = 0; k < l->n[2]; k++) {
    double level = 0;
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++)
        level += l->heat[ig_level_at(l, i, j, k)];
    sum += level * fill[k] * l->edge * l->edge * l->edge;
  }
  return sum;
}

/* --- layers */

/* What the balance leaves open, J: rounding, where all is right. */
double ig_powder_gap(const ig_powder_run *r) {
  const ig_powder_ledger *l = &r->ledger;
  return ig_powder_stored(r) - r->stored0 -
         (l->source + l->born + l->sunk - l->lost - l->held - l->evaporated);
}

/* The share of a coarse level that is filled. */
ig_status ig_powder_fill(ig_powder_run *r) {
  double *fill = r->array.fill.host, *shape = r->array.shape.host;
  for (int k = 0; k < r->coarse.n[2]; k++) {
    const double f = (double)(r->bed - (int64_t)k * r->r) / r->r;
    fill[k] = f < 0 ? 0 : f > 1 ? 1 : f;
    shape[k + 1] = fill[k] > 0 ? fill[k] : 1;
  }
  r->view.bed = r->bed;
  IG_TRY(ig_array_push(r->cx, &r->array.fill));
  return ig_array_push(r->cx, &r->array.shape);
}

/* A layer of powder over the whole bed; the heat it brings is counted. */
static ig_status layer_spread(ig_powder_run *r) {
  const double H = r->coarse.edge,
               u = r->tables->packing * ig_powder_table_heat(r->tables, ig_powder_new_T(r));
  ig_powder_layer *l = &r->layer_of[r->layer];
  if (r->layer > 0) {
    IG_TRY(ig_powder_layer_done(r, r->layer - 1));
    IG_TRY(ig_powder_interlayer(r, l));
  }
  IG_TRY(ig_powder_windows_close(r));
  IG_TRY(ig_powder_events_spread(r));
  const double *fill = r->array.fill.host;
  double *was = r->array.fill_was.host;
  memcpy(was, fill, (size_t)r->coarse.n[2] * sizeof *was);
  IG_TRY(ig_array_push(r->cx, &r->array.fill_was));
  IG_TRY(ig_powder_layer_begin(r));
  const int64_t bed = (int64_t)llround((l->z - r->low[2]) / r->cell);
  IG_TRY(ig_powder_states_rise(r, bed));
  r->bed = bed;
  IG_TRY(ig_powder_fill(r));
  for (int k = 0; k < r->coarse.n[2]; k++)
    r->ledger.born += u * (fill[k] - was[k]) * H * H * H * r->coarse.n[0] * r->coarse.n[1];
  r->view.a.heat = u;
  r->view.a.fill_was = r->array.fill_was.dev;
  IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_spread));
  r->layer++;
  return IG_OK;
}

/* --- steps */

/* The longest stable coarse step: heat through all faces of a cell in a step must not exceed what
   makes it as warm as its neighbours. Faces to a window have shorter distances (half a coarse and
   half a fine cell), partly filled levels less heat to change. */
double ig_powder_coarse_step(const ig_powder_run *r) {
  /* a face to a window over one between coarse cells */
  const double near = 2.0 * r->r / (r->r + 1), *fill = r->array.fill.host;
  double worst = 0;
  for (int k = 0; k < r->coarse.n[2]; k++) {
    if (fill[k] == 0)
      continue;
    const double f = fill[k];
    double z = k > 0 ? 2 / (f + fill[k - 1]) : isnan(r->c->plate_temperature) ? 0 : 2 / f;
    if (k + 1 < r->coarse.n[2] && fill[k + 1] > 0)
      z += f == 1 ? fmax(near, 2 / (f + fill[k + 1])) : 2 / (f + fill[k + 1]);
    worst = fmax(worst, 4 * near + z / f);
  }
  return r->c->safety * r->coarse.edge * r->coarse.edge / (worst * r->tables->diffusivity);
}

/* Fine steps of a group; the longest time that these are stable over. */
static int stages_of(const ig_powder_run *r) {
  return r->c->fine_stages > 1 ? (int)r->c->fine_stages : 1;
}
static double group_stable(const ig_powder_run *r) {
  const int s = stages_of(r);
  return 0.5 * s * (s + 1) * r->dt_fine;
}

/* The coarse step as a whole number of groups of fine steps, or of steps where it is shorter than
   a group. */
double ig_powder_whole_step(const ig_powder_run *r) {
  const double plain = ig_powder_coarse_step(r), group = group_stable(r);
  return plain >= group ? group * floor(plain / group)
                        : r->dt_fine * fmax(1, floor(plain / r->dt_fine));
}

/* After every fine step: a peak may last only a few of them. */
static ig_status probes_look(ig_powder_run *r) {
  return r->view.probes ? ig_powder_do_all(r, IG_POWDER_KERNEL_probe) : IG_OK;
}

/* Melting, freezing and temperatures; how cells froze, where a map or events ask for it. */
static ig_status fine_look(ig_powder_run *r, double time) {
  r->view.a.look = time;
  IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_fine_look));
  if (r->view.events.n[0])
    IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_event));
  return r->view.map.n[0] ? ig_powder_do_all(r, IG_POWDER_KERNEL_freeze) : IG_OK;
}

/* Fine steps of a window, one by one. */
static ig_status window_steps(ig_powder_run *r, int steps) {
  ig_powder_args *a = &r->view.a, all = *a; /* of all of them */
  a->dt = ig_powder_fine_dt(&all, 0);
  for (int n = 0; n < steps; n++) {
    a->time = ig_powder_fine_at(&all, n);
    IG_TRY(fine_look(r, a->time)); /* at the end of the step before */
    a->dt = ig_powder_fine_dt(&all, n);
    IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_rim));
    IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_fine_step));
    IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_column));
    IG_TRY(probes_look(r));
  }
  IG_TRY(fine_look(r, ig_powder_fine_at(&all, steps)));
  a->time = all.time;
  return IG_OK;
}

/* Groups of fine steps over dt; how many steps these are. Of Legendre's polynomial of degree s each
   root x makes one step, of 1 / (1 - x) times the stable one: the factors of the polynomial by
   which stages of Runge, Kutta and Legendre damp (Meyer et al., 2014). Short ones first: after the
   long ones, which alone would be unstable, the group is complete. */
static int stages_make(const ig_powder_run *r, double dt, ig_powder_stages *to) {
  static const double root[IG_POWDER_STAGES][IG_POWDER_STAGES] = {
      {0}, {-0.57735026918962576, 0.57735026918962576}};
  const int s = stages_of(r), groups = (int)fmax(1, ceil(dt / group_stable(r) * (1 - 1e-12)));
  *to = (ig_powder_stages){.count = s, .all = dt / groups};
  const double unit = to->all * 2 / (s * (s + 1));
  for (int i = 0; i < s; i++) {
    to->at[i] = i ? to->at[i - 1] + to->dt[i - 1] : 0;
    to->dt[i] = i + 1 < s ? unit / (1 - root[s - 1][i]) : to->all - to->at[i];
  }
  return groups * s;
}

/* On a GPU all windows and steps in one launch where they fit; else window by window, kernel by
   kernel. r->work counts cell updates for the speed in the summary. */
ig_status ig_powder_fine_steps(ig_powder_run *r, double dt) {
  const ig_powder_windows *set = &r->set[r->now];
  const int steps = stages_make(r, dt, &r->view.a.stages);
  bool done = false;
  r->view.a.time = r->time;
  for (int i = 0; i < set->count; i++) {
    const int *n = set->window[i].fine.n;
    r->work += (double)steps * n[0] * n[1] * n[2];
  }
  r->launched = "window_steps";
  IG_IF_CUDA(if (r->cx->backend->kernels == IG_KERNELS_CUDA) IG_TRY(ig_powder_fine_cuda(
      r->cx, &r->view, set->window, r->way, steps, &r->cluster, &done));)
  for (int i = 0; i < set->count && !done; i++) {
    r->view.w = set->window[i];
    if (r->view.w.away) {
      IG_TRY(probes_look(r)); /* as one rank does while it steps this window */
      continue;
    }
    IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_ghost));
    IG_TRY(window_steps(r, steps));
  }
  /* probes outside of windows read coarse heat in every one of these steps: the coarse step waits
   */
  IG_IF_CUDA(if (r->cx->backend->kernels == IG_KERNELS_CUDA && !done && r->view.probes)
                 IG_TRY(ig_powder_fork_cuda(r->cx, &r->cluster));)
  r->fine_steps += steps;
  return IG_OK;
}

/* Heat that crossed the rim of a window, means, its pools; `last`: sizes of pools at once. */
static ig_status after_window(ig_powder_run *r, bool last) {
  (void)last;
  r->launched = "after_fine";
  IG_IF_CUDA(if (r->cx->backend->kernels ==
                 IG_KERNELS_CUDA) return ig_powder_after_cuda(r->cx, &r->view, &r->cluster, last);)
  IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_cross));
  IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_mean));
  IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_mark));
  IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_flood));
  return ig_powder_do_all(r, IG_POWDER_KERNEL_pool);
}

/* What follows the steps. On several ranks a window after another: a coarse cell between two takes
   heat from both, in this order. */
static ig_status after(ig_powder_run *r) {
  const ig_powder_windows *set = &r->set[r->now];
  const bool gpu = r->cx->backend->kernels == IG_KERNELS_CUDA, ranks = ig_powder_ranks(r);
  for (int i = 0; i < set->count; i++) {
    r->view.w = set->window[i];
    if (!r->view.w.away)
      IG_TRY(after_window(r, i + 1 == set->count && !ranks));
    IG_TRY(ig_powder_coarse_share(r, &set->window[i]));
  }
  if (gpu && set->count && !ranks)
    return probes_look(r);
  IG_TRY(probes_look(r));
  if (ranks)
    IG_TRY(ig_powder_looks_join(r));
  return ig_powder_do_all(r, IG_POWDER_KERNEL_pool_done);
}

/* Windows that were placed anew take their heat; the ground ahead of the beams. */
static ig_status ready(ig_powder_run *r) {
  IG_TRY(ig_powder_windows_fill(r));
  return r->view.holes.row ? ig_powder_do_all(r, IG_POWDER_KERNEL_ahead) : IG_OK;
}

#if INGOT_HAVE_CUDA
/* The same in one launch, and temperatures of the coarse cells that windows need; the others are
   looked at beside the fine steps. */
static ig_status near_look(ig_powder_run *r) {
  const ig_powder_windows *set = &r->set[r->now];
  if (ig_powder_ranks(r))
    IG_TRY(ig_powder_windows_fill(r));
  const bool moved = r->moved, kept = r->view.map.n[0] || r->view.events.n[0];
  bool done = false;
  r->launched = "ready";
  IG_TRY(ig_powder_ready_cuda(r->cx, &r->view, set->window,
                              moved ? r->set[1 - r->now].window : NULL, &done));
  r->moved = moved && !done;
  if (!done)
    IG_TRY(ready(r));
  for (int i = 0; i < set->count && (!done || (moved && kept)); i++) {
    r->view.w = set->window[i];
    IG_TRY(ig_powder_do_all(r, done ? IG_POWDER_KERNEL_enter : IG_POWDER_KERNEL_near));
  }
  return ig_powder_fork_cuda(r->cx, &r->cluster);
}
#endif

/* All windows and the coarse grid around them over the same time. A GPU takes both at once: the
   fine steps need the temperatures of the coarse grid, its step changes its heat. */
ig_status ig_powder_both(ig_powder_run *r, double dt) {
  if (r->cx->backend->kernels != IG_KERNELS_CUDA) {
    IG_TRY(ready(r));
    IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_coarse_look));
  }
  IG_IF_CUDA(else IG_TRY(near_look(r));)
  IG_TRY(ig_powder_fine_steps(r, dt));
  r->view.a.dt = dt;
  r->view.a.stage = 0;
  r->launched = "coarse_step";
  if (r->cx->backend->kernels != IG_KERNELS_CUDA)
    IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_coarse_step));
  IG_IF_CUDA(else IG_TRY(ig_powder_coarse_cuda(r->cx, &r->view, &r->cluster));)
  IG_TRY(after(r));
  r->coarse_steps++;
  r->work += (double)r->coarse.n[0] * r->coarse.n[1] * r->coarse.n[2];
  return IG_OK;
}

/* --- between layers: Runge-Kutta-Legendre stages of first order, s of them stable for
   (s^2 + s) / 2 steps (Meyer et al., 2014) */

/* mu, nu: recurrence of the Legendre polynomials; the ledger follows the same recurrence
   (powder_count). Coarse cells only: windows are closed. */
static ig_status long_step(ig_powder_run *r, double dt, int s) {
  /* the share of the step that each stage advances by */
  const double w = 2.0 / (s * s + s);
  ig_powder_args *a = &r->view.a;
  int from = 0, to = 0;
  const bool divided = ig_powder_rows(r, &from, &to);
  for (int j = 1; j <= s; j++) {
    a->mu = j == 1 ? 1 : (2.0 * j - 1) / j;
    a->nu = j == 1 ? 0 : (1.0 - j) / j;
    a->stage = j;
    a->last = j == s;
    a->dt = (j == 1 ? w : a->mu * w) * dt;
    if (divided) {
      if (j > 1)
        IG_TRY(ig_powder_rows_beside(r));
      a->rows[0] = from > 0 ? from - 1 : 0;
      a->rows[1] = to < r->coarse.n[1] ? to + 1 : to;
    }
    IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_coarse_look));
    a->rows[0] = from, a->rows[1] = to;
    IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_coarse_step));
    a->rows[0] = a->rows[1] = 0;
  }
  if (divided)
    IG_TRY(ig_powder_rows_join(r));
  a->stage = 0;
  r->coarse_steps += s;
  r->work += (double)s * r->coarse.n[0] * r->coarse.n[1] * r->coarse.n[2];
  return IG_OK;
}

/* The largest change of temperature since `before`. */
static ig_status change_most(ig_powder_run *r, double *most) {
  IG_TRY(ig_array_zero(r->cx, &r->array.keys));
  IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_change));
  IG_TRY(ig_array_pull(r->cx, &r->array.keys));
  uint64_t *key = r->array.keys.host, bits = key[0] & ~((uint64_t)1 << 63);
  memcpy(most, &bits, sizeof bits); /* no change is negative (powder_key) */
  if (!key[0])
    *most = 0;
  return ig_array_zero(r->cx, &r->array.keys);
}

/* Whether no cell will change by more than a two-thousandth of `dwell_change` until the pause ends.
   Nothing acts that changes with time, so the largest rate of change falls (the maximum principle
   of the heat equation, of which the rate is a solution, too); the last step's is a bound. */
static bool settled(const ig_powder_run *r, double until, double dt, double most) {
  const double rest = until - r->time;
  return rest > 20 * dt && most / dt * rest < 5e-4 * r->c->dwell_change;
}

/* The bed is at rest: one more long step shows what flows through it, in at one side and out at the
   other, and that goes on. In leaps of a fiftieth of the run, so that history and snapshots go on.
 */
static ig_status leap(ig_powder_run *r, double until, double dt, int s) {
  ig_array *const sums[] = {&r->array.coarse_lost, &r->array.coarse_held};
  const size_t count = r->array.coarse_lost.count;
  const int flows[2] = {r->view.convection != 0 || r->view.emissivity != 0,
                        !isnan(r->c->plate_temperature)};
  double *was, sum = 0; /* what comes in less what goes out in a step, J: nothing, at rest */
  const double rest = fmin(until - r->time, fmax(0.02 * r->duration, 2 * dt)) - dt;
  IG_TRY(IG_NEW(r->cx, &was, 2 * count + 1, "a long step"));
  ig_status status = IG_OK;
  for (int i = 0; i < 2; i++) {
    IG_TRY_GOTO(status, done, ig_array_pull(r->cx, sums[i]));
    memcpy(was + (size_t)i * count, sums[i]->host, count * sizeof *was);
  }
  IG_TRY_GOTO(status, done, long_step(r, dt, s));
  for (int i = 0; i < 2; i++) {
    IG_TRY_GOTO(status, done, ig_array_pull(r->cx, sums[i]));
    const double *now = sums[i]->host;
    for (size_t k = 0; k < count; k++)
      sum += (now[k] - was[(size_t)i * count + k]) * flows[i];
  }
  for (int i = 0; i < 2; i++) {
    double *now = sums[i]->host, *old = was + (size_t)i * count;
    for (size_t k = 0; k < count && flows[i]; k++)
      now[k] += (now[k] - old[k] - sum / (double)count / (flows[0] + flows[1])) * rest / dt;
    IG_TRY_GOTO(status, done, ig_array_push(r->cx, sums[i]));
  }
  r->time += dt + rest;
  r->time = r->time >= until ? until : r->time;
done:
  free(was);
  return status;
}

/* The next step grows or shrinks with the largest change of temperature, by a factor of 2 up and 4
   down at most. */
static ig_status dwell(ig_powder_run *r, double until) {
  const double plain = ig_powder_coarse_step(r);
  double dt = fmin(fmax(r->dt_dwell, plain), plain * MOST_STAGES * (MOST_STAGES + 1) / 2), most;
  if (r->time + dt > until)
    dt = until - r->time;
  int s = (int)ceil(0.5 * (sqrt(1 + 8 * dt / plain) - 1));
  s = s < 1 ? 1 : s;
  s += s % 2 == 0; /* odd numbers of stages damp the roughest part more */
  IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_coarse_look));
  IG_TRY(r->cx->backend->copy(r->cx, r->array.before.dev, r->array.T.dev,
                              r->array.T.count * sizeof(double)));
  IG_TRY(long_step(r, dt, s));
  IG_TRY(change_most(r, &most));
  const double grow = most > 0 ? r->c->dwell_change / most : 2;
  r->dt_dwell = dt * (grow > 2 ? 2 : grow < 0.25 ? 0.25 : grow);
  r->time = r->time + dt >= until ? until : r->time + dt;
  return settled(r, until, dt, most) ? leap(r, until, dt, s) : IG_OK;
}

/* When the next layer is spread; infinity: none is left. */
static double layer_next(const ig_powder_run *r) {
  return r->layer < r->layers ? r->layer_of[r->layer].birth : INFINITY;
}

/* Whether cells of the windows are molten. */
static ig_status molten(ig_powder_run *r, bool *any) {
  *any = false;
  if (r->set[r->now].count == 0)
    return IG_OK;
  IG_TRY(ig_powder_molten_pull(r));
  *any = r->molten[IG_MOLTEN_ALL] > 0;
  return IG_OK;
}

/* Until the end of the first line that ends within a step, of those that are shorter than one: the
   middle of a step may miss them, so they are looked at there. */
static double short_line(const ig_powder_run *r, double dt) {
  double end = r->time + dt;
  int64_t first = r->lines;
  for (int b = 0; b < r->beams; b++)
    first = r->laser[b].line < first ? r->laser[b].line : first;
  for (int64_t i = first < 0 ? 0 : first; i < r->lines; i++) {
    const ig_powder_line *l = &r->line_of[i];
    const double *t = r->laser[l->beam].path.t, to = t[l->last + 1];
    if (t[l->first] >= end)
      break;
    if (to - t[l->first] < dt && to > r->time + 1e-3 * r->dt_fine)
      end = fmin(end, to);
  }
  return end - r->time;
}

/* One coarse step with its fine steps, or one long step while all beams are off and nothing is
   molten. Layers that are due are spread first. Steps end at the next layer and at the ends of
   short lines, so that these are looked at while they are drawn. */
ig_status ig_powder_advance(ig_powder_run *r) {
  while (layer_next(r) <= r->time)
    IG_TRY(layer_spread(r));
  ig_powder_beams_seek(r, r->time);
  const double until = fmin(r->duration, layer_next(r)), plain = ig_powder_coarse_step(r);
  double next = INFINITY;
  bool liquid = true;
  for (int b = 0; b < r->beams; b++)
    next = fmin(next, ig_powder_beam_next(r, b, r->time));
  r->step++;
  /* a pause shorter than 20 coarse steps is not worth closing windows for */
  if (next - r->time > 20 * plain)
    IG_TRY(molten(r, &liquid));
  if (!liquid) {
    IG_TRY(ig_powder_windows_close(r));
    IG_TRY(dwell(r, fmin(until, next)));
    IG_TRY(probes_look(r));
    IG_TRY(ig_powder_events_drain(r));
    ig_powder_pool_aim(r, r->time);
    for (int b = 0; b < r->beams; b++)
      r->view.a.line[b] = -1; /* one that begins now has no pool yet to be averaged */
    return ig_powder_do_all(r, IG_POWDER_KERNEL_pool_done);
  }
  r->dt_dwell = 0;
  const double whole = ig_powder_whole_step(r), rest = r->plan - r->time;
  double dt = short_line(r, rest > 1e-3 * r->dt_fine && rest < whole ? rest : whole);
  const double look = dt < whole ? 1 - 1e-6 : 0.5;
  const bool last = r->time + dt >= until;
  r->plan = last && layer_next(r) > r->duration ? r->time + dt : 0;
  dt = last ? until - r->time : dt;
  IG_TRY(ig_powder_windows_follow(r, fmin(until, r->time + whole)));
  ig_powder_pool_aim(r, r->time + look * dt);
  IG_TRY(ig_powder_both(r, dt));
  r->time = last ? until : r->time + dt;
  return r->step % DRAIN_EVERY ? IG_OK : ig_powder_events_drain(r);
}
