/* An ensemble Kalman filter around simulations: all members go from one time of the data to the
   next; there the field and the factors of all members are corrected together (chain/kalman.h), and
   they go on. The result folder is that of a run whose fields are mean and standard deviation of
   the members. */
#include "chain/assimilate.h"
#include "chain/kalman.h"
#include "chain/pool.h"
#include "chain/run_sets.h"
#include "io/result/sink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIGURES = 64, NAME = 64, MESSAGE = 300 };

typedef struct {
  char name[NAME], unit[24];
  double value;
} figure;
typedef struct {
  ig_ctx *cx;
  ig_case *kase;
  ig_sim *sim;
  bool failed;
  ig_status status;
  char message[MESSAGE];
  double factor[IG_ASM_FACTORS];
  int figures;
  figure figure[FIGURES];
} member;

typedef enum { OPEN, ADVANCE, FINISH } task;
typedef struct {
  ig_asm *a;
  int members, living;
  member *of;
  ig_ctx **contexts; /* of the members */
  task now;
  double until;
  /* the field: items are nodes or elements */
  ig_field_info info;
  char unit[24];
  int64_t items;
  double *state; /* items x members; columns of those that have failed are not used */
  /* of the first member alive, at the time of an analysis */
  ig_snapshot *shown;
  ig_status showing;
  double *at;    /* items x 3 */
  uint8_t *here; /* items: there is material */
  uint64_t dice;
  int analyses, data, skipped;
  double spread, fit; /* the largest deviation before an analysis; sum of fits */
  ig_sink *sink;
} ensemble;

/* --- the members, on threads */

static void figure_take(void *user, const char *key, double value, const char *unit,
                        const char *text) {
  member *m = user;
  if (text || m->figures >= FIGURES)
    return;
  figure *f = &m->figure[m->figures++];
  snprintf(f->name, sizeof f->name, "%s", key);
  snprintf(f->unit, sizeof f->unit, "%s", unit);
  f->value = value;
}

static ig_status factors_set(const ensemble *e, member *m) {
  for (int f = 0; f < e->a->factors; f++) {
    const ig_asm_factor *of = &e->a->factor[f];
    IG_TRY(
        (of->support ? ig_sim_scale_support : ig_sim_scale_load)(m->sim, of->number, m->factor[f]));
  }
  return IG_OK;
}

static ig_status member_open(const ensemble *e, int i) {
  member *m = &e->of[i];
  ig_sweep_run run;
  IG_TRY(ig_sweep_at(e->a->ensemble, i, &run));
  IG_TRY(ig_case_with(m->cx, run.path, run.set, NULL, run.sets, &m->kase));
  const ig_sim_options options = {.figure = figure_take, .user = m};
  IG_TRY(ig_sim_open(m->kase, &options, &m->sim));
  return factors_set(e, m);
}

static ig_status member_advance(const ensemble *e, member *m) {
  IG_TRY(factors_set(e, m));
  return ig_sim_until(m->sim, e->until);
}

/* ig_pool: one task of one member. A member that has failed stays where it is. */
static void member_run(void *user, int i, ig_ctx *cx, ig_status opened) {
  const ensemble *e = user;
  member *m = &e->of[i];
  (void)cx;
  if (m->failed)
    return;
  m->status = opened != IG_OK     ? opened
              : e->now == OPEN    ? member_open(e, i)
              : e->now == ADVANCE ? member_advance(e, m)
                                  : ig_sim_finish(m->sim);
  if (m->status != IG_OK)
    snprintf(m->message, sizeof m->message, "%s", ig_ctx_message(m->cx));
}

static void member_ended(void *user, int i) {
  (void)user, (void)i;
}

/* Members that fail are left out from then on; a case that cannot be opened is a mistake. */
static ig_status failures_take(ensemble *e) {
  for (int i = 0; i < e->members; i++) {
    member *m = &e->of[i];
    ig_sweep_run run;
    if (m->failed || m->status == IG_OK)
      continue;
    IG_TRY(ig_sweep_at(e->a->ensemble, i, &run));
    if (m->status == IG_INTERRUPTED || e->now == OPEN)
      return IG_FAIL(e->a->cx, m->status, "member '%.80s': %s", run.name, m->message);
    m->failed = true;
    e->living--;
    ig_warn(e->a->cx, "member '%.80s' is left out from %g s on: %s", run.name, e->until,
            m->message);
  }
  return e->living >= 2 ? IG_OK
                        : IG_FAIL(e->a->cx, IG_NUMERIC,
                                  "%d of %d members have failed: an ensemble "
                                  "needs two",
                                  e->members - e->living, e->members);
}

static ig_status members_do(ensemble *e, task what, double until) {
  const ig_assimilate_options *o = e->a->o;
  e->now = what;
  e->until = until;
  const ig_pool pool = {.cx = e->a->cx,
                        .what = "assimilation",
                        .threads = o->threads,
                        .jobs = o->jobs,
                        .count = e->members,
                        .own = e->contexts,
                        .user = e,
                        .run = member_run,
                        .ended = member_ended};
  IG_TRY(ig_pool_run(&pool));
  return failures_take(e);
}

/* --- the field */

static ig_status members_make(ensemble *e) {
  const ig_assimilate_options *o = e->a->o;
  e->members = e->living = ig_sweep_count(e->a->ensemble);
  IG_TRY(IG_NEW(e->a->cx, &e->of, e->members, "members"));
  IG_TRY(IG_NEW(e->a->cx, &e->contexts, e->members, "members"));
  for (int i = 0; i < e->members; i++) {
    const ig_ctx_options options = {.backend = o->backend,
                                    .threads = o->threads ? o->threads : 1,
                                    .device = o->devices > 0 ? i % o->devices : 0};
    const ig_status status = ig_ctx_open(&options, &e->of[i].cx);
    e->contexts[i] = e->of[i].cx;
    if (status != IG_OK)
      return IG_FAIL(e->a->cx, status, "%s",
                     e->of[i].cx ? ig_ctx_message(e->of[i].cx) : ig_status_text(status));
  }
  /* factors of the members, 1 on average */
  for (int f = 0; f < e->a->factors; f++) {
    double mean = 0;
    for (int i = 0; i < e->members; i++)
      mean += e->of[i].factor[f] = e->a->factor[f].deviation * ig_normal_draw(&e->dice);
    mean /= e->members;
    for (int i = 0; i < e->members; i++)
      e->of[i].factor[f] = fmax(0, 1 + e->of[i].factor[f] - mean);
  }
  return members_do(e, OPEN, 0);
}

typedef struct {
  const ig_asm *a;
  ig_field_info *info;
  char names[300];
  bool found;
} search;
static void field_look(void *user, const ig_field_info *info) {
  search *s = user;
  if (!info->writable || info->components != 1 || info->where == IG_AT_WHOLE)
    return;
  if (strcmp(info->name, s->a->field) == 0) {
    *s->info = *info;
    s->found = true;
  }
  if (strlen(s->names) + strlen(info->name) + 3 < sizeof s->names) {
    strcat(s->names, *s->names ? ", " : "");
    strcat(s->names, info->name);
  }
}

/* Every member must have the field, on as many nodes or elements. */
static ig_status field_find(ensemble *e) {
  for (int i = 0; i < e->members; i++) {
    ig_field_info info = {0};
    search s = {.a = e->a, .info = &info};
    ig_sim_fields(e->of[i].sim, field_look, &s);
    if (!s.found)
      return ig_fail_at(e->a->cx, &e->a->at, "'field: %.60s': expected one of %s", e->a->field,
                        *s.names ? s.names
                                 : "none: this kind of analysis has none that can be set");
    if (i == 0) {
      e->info = info;
      snprintf(e->unit, sizeof e->unit, "%s", info.unit);
    } else if (info.count != e->info.count) {
      return ig_fail_at(e->a->cx, &e->a->at, "members must have the same mesh");
    }
  }
  e->items = e->info.count;
  IG_TRY(IG_NEW(e->a->cx, &e->state, (size_t)e->items * (size_t)e->members, "the ensemble"));
  IG_TRY(IG_NEW(e->a->cx, &e->at, 3 * (size_t)e->items, "the ensemble"));
  return IG_NEW(e->a->cx, &e->here, e->items, "the ensemble");
}

/* ig_snapshot_fn: keeps the cells of a moment, and where the field's items are. */
static void shown(void *user, const ig_snapshot_view *v) {
  ensemble *e = user;
  const bool nodes = e->info.where == IG_AT_POINTS;
  const int64_t corners = v->offset[v->cells];
  ig_snapshot *s = NULL;
  memset(e->here, 0, (size_t)e->items);
  e->showing = IG_OK;
  if (nodes && v->points != e->items) {
    e->showing = IG_FAIL(e->a->cx, IG_UNSUPPORTED,
                         "'%.60s' of this kind of analysis cannot be assimilated", e->a->field);
    return;
  }
  for (int64_t c = 0; c < v->cells; c++) {
    const int64_t item = v->element ? v->element[c] : c, first = v->offset[c],
                  n = v->offset[c + 1] - first;
    double *middle = nodes || item >= e->items ? NULL : e->at + 3 * item;
    if (middle) {
      e->here[item] = 1;
      memset(middle, 0, 3 * sizeof *middle);
    }
    for (int64_t k = 0; k < n; k++) {
      const int64_t node = v->corner[first + k];
      if (nodes)
        e->here[node] = 1;
      for (int d = 0; d < 3 && middle; d++)
        middle[d] += v->point[3 * node + d] / (double)n;
    }
  }
  if (nodes)
    memcpy(e->at, v->point, 3 * (size_t)v->points * sizeof *e->at);
  e->showing = ig_snapshot_new(e->a->cx, v->points, v->cells, corners, v->time, v->step, &s);
  if (e->showing != IG_OK)
    return;
  memcpy(s->point, v->point, 3 * (size_t)v->points * sizeof *s->point);
  memcpy(s->corner, v->corner, (size_t)corners * sizeof *s->corner);
  memcpy(s->offset, v->offset, (size_t)(v->cells + 1) * sizeof *s->offset);
  memcpy(s->type, v->type, (size_t)v->cells);
  e->shown = s;
  if (!nodes) { /* where cells are elements, by the field's own numbers */
    double *number = NULL;
    e->showing = ig_snapshot_add(s, "element", "", IG_AT_CELLS, IG_F64, 1, NULL, (void **)&number);
    for (int64_t c = 0; c < v->cells && e->showing == IG_OK; c++)
      number[c] = (double)(v->element ? v->element[c] : c);
  }
}

/* If none is, the last one. */
static member *first_alive(const ensemble *e) {
  int i = 0;
  while (i + 1 < e->members && e->of[i].failed)
    i++;
  return &e->of[i];
}

/* Between the members and the state, whose columns are those of the living ones, in their order;
   back: into the members. */
static ig_status state_move(ensemble *e, bool back) {
  double *one = NULL;
  IG_TRY(IG_NEW(e->a->cx, &one, e->items, "the ensemble"));
  ig_status status = IG_OK;
  for (int i = 0, j = 0; i < e->members && status == IG_OK; i++) {
    if (e->of[i].failed)
      continue;
    for (int64_t n = 0; back && n < e->items; n++)
      one[n] = e->state[n * e->living + j];
    status = back ? ig_sim_set(e->of[i].sim, e->a->field, one)
                  : ig_sim_get(e->of[i].sim, e->a->field, one);
    if (status != IG_OK)
      status = IG_FAIL(e->a->cx, status, "%s", ig_ctx_message(e->of[i].cx));
    for (int64_t n = 0; !back && n < e->items; n++)
      e->state[n * e->living + j] = one[n];
    j++;
  }
  free(one);
  return status;
}

static ig_status show(ensemble *e) {
  ig_snapshot_free(e->shown);
  e->shown = NULL;
  member *m = first_alive(e);
  const ig_status status = ig_sim_show(m->sim, shown, e);
  if (status != IG_OK)
    return IG_FAIL(e->a->cx, status, "%s", ig_ctx_message(m->cx));
  return e->showing;
}

/* --- an analysis */

/* The measurements of one time: places in the state; measured and uncertainty, p each; predicted,
   p x members. */
typedef struct {
  int p;
  int64_t *item;
  double *measured, *uncertainty, *predicted;
  const ig_asm_datum **datum;
} observed;

static double distance2(const double *a, const double *b) {
  double sum = 0;
  for (int d = 0; d < 3; d++)
    sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

/* The nearest node or element; -1: there is no material yet. */
static ig_status place_find(const ensemble *e, const ig_asm_datum *d, const double box[2][3],
                            int64_t *item) {
  double best = INFINITY, slack = 0;
  for (int k = 0; k < 3; k++)
    slack = fmax(slack, 1e-3 * (box[1][k] - box[0][k]));
  for (int k = 0; k < 3; k++)
    if (d->at[k] < box[0][k] - slack || d->at[k] > box[1][k] + slack)
      return IG_FAIL(e->a->cx, IG_INPUT,
                     "%s:%d: (%g, %g, %g) m is outside of the part, which reaches from (%g, %g, "
                     "%g) to (%g, %g, %g) m",
                     e->a->data_file, d->row, d->at[0], d->at[1], d->at[2], box[0][0], box[0][1],
                     box[0][2], box[1][0], box[1][1], box[1][2]);
  *item = -1;
  for (int64_t n = 0; n < e->items; n++) {
    if (e->info.where != IG_AT_POINTS && !e->here[n])
      continue; /* of elements that are not there, the place is not known */
    const double far = distance2(e->at + 3 * n, d->at);
    if (far < best) {
      best = far;
      *item = e->here[n] ? n : -1;
    }
  }
  return IG_OK;
}

static void box_find(const ensemble *e, double box[2][3]) {
  for (int k = 0; k < 3; k++) {
    box[0][k] = INFINITY;
    box[1][k] = -INFINITY;
    for (int64_t n = 0; n < e->items; n++)
      if (e->here[n] || e->info.where == IG_AT_POINTS) {
        box[0][k] = fmin(box[0][k], e->at[3 * n + k]);
        box[1][k] = fmax(box[1][k], e->at[3 * n + k]);
      }
  }
}

static void observed_free(observed *o) {
  free(o->item);
  free(o->measured);
  free(o->predicted);
  free((void *)o->datum);
  *o = (observed){0};
}

/* Data `first` to `end` of the list; those without material are counted and left out. */
static ig_status observe(ensemble *e, int first, int end, observed *o) {
  const size_t most = (size_t)(end - first);
  double box[2][3];
  IG_TRY(IG_NEW(e->a->cx, &o->item, most, "measurements"));
  IG_TRY(IG_NEW(e->a->cx, &o->measured, 2 * most, "measurements"));
  IG_TRY(IG_NEW(e->a->cx, &o->predicted, most * (size_t)e->living, "measurements"));
  IG_TRY(IG_NEW(e->a->cx, (void **)&o->datum, most * sizeof *o->datum, "measurements"));
  o->uncertainty = o->measured + most;
  box_find(e, box);
  for (int i = first; i < end; i++) {
    const ig_asm_datum *d = &e->a->datum[i];
    int64_t item = -1;
    IG_TRY(place_find(e, d, (const double(*)[3])box, &item));
    if (item < 0) {
      e->skipped++;
      continue;
    }
    o->item[o->p] = item;
    o->measured[o->p] = d->value;
    o->uncertainty[o->p] = d->uncertainty;
    o->datum[o->p] = d;
    o->p++;
  }
  return IG_OK;
}

/* Predictions out of the state; *rms of measured less mean, *spread: mean deviation. */
static void predict(const ensemble *e, observed *o, double *rms, double *spread) {
  *rms = *spread = 0;
  for (int i = 0; i < o->p; i++) {
    double mean, deviation;
    memcpy(o->predicted + i * e->living, e->state + o->item[i] * e->living,
           (size_t)e->living * sizeof *o->predicted);
    ig_ensemble_moments(e->living, o->predicted + i * e->living, &mean, &deviation);
    *rms += (o->measured[i] - mean) * (o->measured[i] - mean) / o->p;
    *spread += deviation / o->p;
  }
  *rms = sqrt(*rms);
}

static void factors_row(const ensemble *e, int f, double *row, bool back) {
  for (int i = 0, j = 0; i < e->members; i++)
    if (!e->of[i].failed) {
      if (back)
        e->of[i].factor[f] = fmax(0, row[j]);
      else
        row[j] = e->of[i].factor[f];
      j++;
    }
}

/* How much an item may follow each measurement; false: none of them. */
static bool shares_find(const ensemble *e, const observed *o, int64_t item, double *share) {
  bool any = false;
  for (int i = 0; i < o->p; i++) {
    const double far = sqrt(distance2(e->at + 3 * item, o->datum[i]->at));
    share[i] = ig_gaspari_cohn(far, e->a->reach);
    any |= share[i] > 0;
  }
  return any;
}

static ig_status correct(ensemble *e, const observed *o, const ig_kalman *k) {
  double *work = NULL;
  const int m = e->living;
  const bool local = isfinite(e->a->reach);
  IG_TRY(IG_NEW(e->a->cx, &work, 2 * (size_t)m + (size_t)o->p, "an analysis"));
  double *row = work + m, *share = row + m;
  for (int64_t n = 0; n < e->items; n++)
    if (e->here[n] && (!local || shares_find(e, o, n, share)))
      ig_kalman_apply(k, local ? share : NULL, e->state + n * m, work);
  for (int f = 0; f < e->a->factors; f++) {
    factors_row(e, f, row, false);
    ig_kalman_apply(k, NULL, row, work);
    factors_row(e, f, row, true);
  }
  free(work);
  return IG_OK;
}

static void inflate(ensemble *e, double *row) {
  if (e->a->inflation <= 1)
    return;
  for (int64_t n = 0; n < e->items; n++)
    if (e->here[n])
      ig_ensemble_inflate(e->living, e->a->inflation, e->state + n * e->living);
  for (int f = 0; f < e->a->factors; f++) {
    factors_row(e, f, row, false);
    ig_ensemble_inflate(e->living, e->a->inflation, row);
    factors_row(e, f, row, true);
  }
}

/* --- what is written */

/* Mean and deviation of the field as it stands. */
static ig_status snapshot_put(ensemble *e) {
  char name[NAME];
  double *mean = NULL, *deviation = NULL;
  ig_snapshot *s = e->shown;
  const bool nodes = e->info.where == IG_AT_POINTS;
  const ig_location where = nodes ? IG_AT_POINTS : IG_AT_CELLS;
  if (!e->sink)
    return IG_OK;
  const double *number = nodes ? NULL : s->field[0].data;
  snprintf(name, sizeof name, "%.40s_deviation", e->a->field);
  IG_TRY(ig_snapshot_add(s, e->a->field, e->unit, where, IG_F64, 1, NULL, (void **)&mean));
  IG_TRY(ig_snapshot_add(s, name, e->unit, where, IG_F64, 1, NULL, (void **)&deviation));
  for (int64_t i = 0; i < (nodes ? s->points : s->cells); i++)
    ig_ensemble_moments(e->living, e->state + (nodes ? i : (int64_t)number[i]) * e->living,
                        &mean[i], &deviation[i]);
  e->shown = NULL;
  return e->sink->snapshot(e->sink, s);
}

static ig_status row_put(ensemble *e, const ig_analysis *n) {
  enum { OWN = 9 };
  char text[4 + 2 * IG_ASM_FACTORS][NAME];
  double value[OWN + 2 * IG_ASM_FACTORS] = {n->time,          n->members,      n->data,
                                            n->skipped,       n->before,       n->after,
                                            n->spread_before, n->spread_after, n->fit};
  const char *names[OWN + 2 * IG_ASM_FACTORS] = {"time [s]", "members", "data", "skipped"};
  static const char *const measured[] = {"before", "after", "spread_before", "spread_after"};
  double *row = NULL;
  if (!e->sink)
    return IG_OK;
  IG_TRY(IG_NEW(e->a->cx, &row, e->living, "an analysis"));
  for (int i = 0; i < 4; i++) {
    snprintf(text[i], NAME, *e->unit ? "%s [%s]" : "%s", measured[i], e->unit);
    names[4 + i] = text[i];
  }
  names[8] = "fit";
  for (int f = 0; f < e->a->factors; f++) {
    const ig_asm_factor *of = &e->a->factor[f];
    for (int i = 0; i < 2; i++) {
      snprintf(text[4 + 2 * f + i], NAME, "%s_%d_%s", of->support ? "support" : "load", of->number,
               i ? "deviation" : "factor");
      names[OWN + 2 * f + i] = text[4 + 2 * f + i];
    }
    factors_row(e, f, row, false);
    ig_ensemble_moments(e->living, row, &value[OWN + 2 * f], &value[OWN + 2 * f + 1]);
  }
  free(row);
  return e->sink->history(e->sink, OWN + 2 * e->a->factors, names, value);
}

/* All data of one time. */
static ig_status analyse(ensemble *e, int first, int end) {
  observed o = {0};
  ig_kalman k = {0};
  const int skipped = e->skipped;
  ig_analysis now = {.time = e->a->datum[first].time, .unit = e->unit};
  double *row = NULL;
  IG_TRY(show(e));
  IG_TRY(state_move(e, false));
  IG_TRY(IG_NEW(e->a->cx, &row, e->living, "an analysis"));
  ig_status status = observe(e, first, end, &o);
  if (status == IG_OK && o.p > 0) {
    inflate(e, row);
    predict(e, &o, &now.before, &now.spread_before);
    status = ig_kalman_make(e->a->cx, o.p, e->living, o.predicted, o.measured, o.uncertainty,
                            &e->dice, &k);
    now.fit = k.fit;
    e->fit += k.fit;
    e->spread = fmax(e->spread, now.spread_before);
    if (status == IG_OK)
      status = correct(e, &o, &k);
    if (status == IG_OK)
      status = state_move(e, true);
    predict(e, &o, &now.after, &now.spread_after);
  }
  now.members = e->living;
  now.data = o.p;
  now.skipped = e->skipped - skipped;
  e->data += o.p;
  e->analyses += o.p > 0;
  ig_kalman_free(&k);
  observed_free(&o);
  free(row);
  if (status == IG_OK)
    status = row_put(e, &now);
  if (status == IG_OK)
    status = snapshot_put(e);
  if (status == IG_OK && e->a->o->analysed)
    e->a->o->analysed(e->a->o->user, &now);
  return status;
}

/* --- the whole */

/* From one time of the data to the next. What is measured after the end of the case is of no use.
 */
static ig_status filter(ensemble *e) {
  const ig_asm *a = e->a;
  for (int i = 0, end; i < a->data; i = end) {
    const double t = a->datum[i].time;
    for (end = i; end < a->data && a->datum[end].time <= t; end++)
      ;
    IG_TRY(members_do(e, ADVANCE, t));
    const ig_sim *sim = first_alive(e)->sim;
    if (ig_sim_ended(sim) && ig_sim_time(sim) < t * (1 - 1e-9)) {
      ig_warn(a->cx, "%d measurements are later than the end of the case, %g s, and not used",
              a->data - i, ig_sim_time(sim));
      break;
    }
    IG_TRY(analyse(e, i, end));
  }
  if (e->analyses == 0)
    return IG_FAIL(a->cx, IG_INPUT,
                   "%s: no measurement could be used: all are later than the end of the case or "
                   "at places without material",
                   a->data_file);
  if (!(e->spread > 0))
    ig_warn(a->cx, "at the measured places all members are equal, so measurements change nothing: "
                   "give keys that matter there a distribution, and do not --set them");
  else if (e->fit > 25 * e->analyses)
    ig_warn(a->cx,
            "measured values are %.1f times as far from the members as their spread and the "
            "uncertainty allow (`fit` %.3g): look at units and places, then at the uncertainties",
            sqrt(e->fit / e->analyses), e->fit / e->analyses);
  if (e->skipped)
    ig_warn(a->cx, "%d measurements are at places where there was no material yet: not used",
            e->skipped);
  IG_TRY(members_do(e, ADVANCE, INFINITY));
  IG_TRY(show(e));
  IG_TRY(state_move(e, false));
  IG_TRY(snapshot_put(e));
  return members_do(e, FINISH, INFINITY);
}

/* Mean and deviation of every figure that all members have. */
static ig_status figures_put(ensemble *e) {
  double *row = NULL;
  const member *m = first_alive(e);
  IG_TRY(IG_NEW(e->a->cx, &row, e->living, "figures"));
  ig_status status = IG_OK;
  for (int f = 0; f < m->figures && status == IG_OK; f++) {
    char name[NAME + 16];
    double mean, deviation;
    int found = 0;
    for (int i = 0; i < e->members; i++)
      for (int g = 0; g < e->of[i].figures && !e->of[i].failed; g++)
        if (strcmp(e->of[i].figure[g].name, m->figure[f].name) == 0 && found < e->living)
          row[found++] = e->of[i].figure[g].value;
    if (found < e->living)
      continue;
    ig_ensemble_moments(found, row, &mean, &deviation);
    snprintf(name, sizeof name, "%s_deviation", m->figure[f].name);
    status = e->sink->result(e->sink, m->figure[f].name, m->figure[f].unit, mean);
    if (status == IG_OK)
      status = e->sink->result(e->sink, name, m->figure[f].unit, deviation);
  }
  free(row);
  return status;
}

static ig_status summary_put(ensemble *e, ig_status status, double seconds) {
  ig_ctx *cx = e->a->cx;
  char message[MESSAGE];
  ig_run_stats stats = {0};
  const member *m = first_alive(e);
  snprintf(message, sizeof message, "%s", status == IG_OK ? "" : ig_ctx_message(cx));
  if (m->sim)
    ig_sim_stats(m->sim, &stats);
  if (status == IG_OK)
    IG_TRY(figures_put(e));
  IG_TRY(e->sink->result(e->sink, "members", "", e->living));
  IG_TRY(e->sink->result(e->sink, "analyses", "", e->analyses));
  IG_TRY(e->sink->result(e->sink, "measurements", "", e->data));
  const ig_summary summary = {.physics = "assimilation",
                              .title = e->a->title,
                              .status = status == IG_OK            ? "complete"
                                        : status == IG_INTERRUPTED ? "interrupted"
                                                                   : "failed",
                              .stamp = "",
                              .message = status == IG_OK ? NULL : message,
                              .backend = ig_ctx_backend(e->of[0].cx),
                              .device = ig_ctx_device(e->of[0].cx),
                              .precision = "",
                              .assembly = "",
                              .elements = stats.elements,
                              .nodes = stats.nodes,
                              .dofs = stats.dofs,
                              .steps = stats.steps,
                              .seconds = {.total = seconds, .solve = seconds},
                              .warnings = cx->warnings};
  return ig_sink_summary(e->sink, &summary);
}

static void ensemble_free(ensemble *e) {
  for (int i = 0; e->of && i < e->members; i++) {
    ig_sim_close(e->of[i].sim);
    ig_case_close(e->of[i].kase);
    ig_ctx_close(e->of[i].cx);
  }
  ig_snapshot_free(e->shown);
  free(e->of);
  free(e->contexts);
  free(e->state);
  free(e->at);
  free(e->here);
}

/* Nothing is written before file, data and members have been found good. */
static ig_status ensemble_run(ig_asm *a) {
  ensemble e = {.a = a, .dice = a->seed + 1};
  const time_t start = time(NULL);
  ig_status status = members_make(&e);
  if (status == IG_OK)
    status = field_find(&e);
  if (status == IG_OK)
    status = ig_asm_units(a, e.unit);
  if (status == IG_OK && a->o->out)
    status = ig_sink_open(a->cx, a->o->out, &(ig_sink_options){.force = a->o->force}, &e.sink);
  if (status == IG_OK) {
    status = filter(&e);
    if (e.sink && (status == IG_OK || ig_sink_begun(e.sink))) {
      const ig_status kept = summary_put(&e, status, difftime(time(NULL), start));
      status = status == IG_OK ? kept : status;
    }
  }
  if (e.sink)
    ig_sink_close(e.sink);
  ensemble_free(&e);
  return status;
}

ig_status ig_assimilate(ig_ctx *cx, const char *path, const ig_assimilate_options *options) {
  static const ig_assimilate_options none = {0};
  if (!cx || !path)
    return IG_ARG;
  ig_arena *arena = NULL;
  IG_TRY(ig_arena_new(cx, &arena));
  ig_asm a = {.cx = cx, .arena = arena, .o = options ? options : &none};
  ig_status status = ig_asm_read(&a, path);
  if (status == IG_OK)
    status = ensemble_run(&a);
  ig_sweep_close(a.ensemble);
  ig_arena_free(arena);
  return status;
}
