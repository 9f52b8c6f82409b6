/* Values over the time of all steps. A step begins where the one before it ends; a value grows from
   what it was to what the step says over the step, or follows the step's amplitude. What a later
   step does not name stays, unless OP=NEW ends it: then it goes to zero over that step. Loads that
   a step gives several times to the same add up; of other values the last counts.

   Why: a case has one load with one history for the whole run, a deck has steps that each give
   new values. The history is piecewise linear in the total time, with two rows at (nearly) one
   time for a jump. It is stored as scale x factor with max |factor| = 1, so that the case shows
   the size of the load and a history of order 1.

     value
       |          ______________
       |       __/              \__
       |    __/                    \__
       +---+-----+--------------+------+--> time
           step 1      step 2      step 3 (OP=NEW)

   Steps whose load is applied at once: those with AMPLITUDE=STEP, and *DYNAMIC and *HEAT
   TRANSFER unless AMPLITUDE=RAMP. Loads of a *BUCKLE step are added on top and removed at its
   end. *FREQUENCY steps take no time. */
#include "deck/deck.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* GRAV compares values 1 to 3 (direction), CENTRIF 1 to 6 (point and axis): loads along
   different directions on one set are different loads. value[0] is the size and does not count. */
bool ig_deck_same(const ig_deck_value *a, const ig_deck_value *b) {
  const int along = strcasecmp(a->label, "GRAV") == 0      ? 3
                    : strcasecmp(a->label, "CENTRIF") == 0 ? 6
                                                           : 0;
  if (strcmp(a->kind, b->kind) != 0 || strcasecmp(a->target, b->target) != 0 ||
      a->component != b->component || strcasecmp(a->label, b->label) != 0)
    return false;
  for (int i = 1; i <= along; i++) /* direction or axis */
    if (a->value[i] != b->value[i])
      return false;
  return true;
}

/* Loads of one step on one target are summed; supports, temperatures and films are replaced. */
static bool adds_up(const ig_deck_value *v) {
  return ig_choices_find("CLOAD|DLOAD|DSLOAD|CFLUX|DFLUX", v->kind) >= 0;
}

/* What a step says of it, false: nothing. */
static bool in_step(const ig_deck_step *s, const ig_deck_value *value, ig_deck_value *found) {
  bool any = false;
  for (const ig_deck_value *v = s->value; v; v = v->next)
    if (ig_deck_same(v, value)) {
      /* A second load of the same kind on the same target: the sum, with the amplitude of the
         last one. Different amplitudes are refused in ig_deck_history_of. */
      const double before = any && adds_up(v) ? found->value[0] : 0;
      *found = *v;
      found->value[0] += before;
      any = true;
    }
  return any;
}

/* *BOUNDARY before the first step. It acts from the first step on. */
static const ig_deck_value *in_model(const ig_deck *d, const ig_deck_value *value) {
  for (const ig_deck_value *v = d->boundary; v; v = v->next)
    if (ig_deck_same(v, value))
      return v;
  return NULL;
}

bool ig_deck_gives(const ig_deck_step *s, const ig_deck_value *value) {
  for (const ig_deck_value *v = s->value; v; v = v->next)
    if (ig_deck_same(v, value))
      return true;
  return false;
}

/* OP=NEW of this keyword in this step: values of former steps that it does not repeat are
   removed. */
bool ig_deck_ends(const ig_deck_step *s, const ig_deck_value *value) {
  for (int i = 0; i < s->removals; i++)
    if (strcmp(s->removed[i], value->kind) == 0)
      return true;
  return false;
}

/* Decides which step writes the entry: the first that gives the value, or the first after a
   support was ended. Cost: steps x values; decks have few of both. */
bool ig_deck_given_before(const ig_deck *d, const ig_deck_step *step, const ig_deck_value *value) {
  const bool support = strcmp(value->kind, "BOUNDARY") == 0;
  bool given = in_model(d, value) != NULL;
  for (const ig_deck_step *s = d->step; s && s != step; s = s->next) {
    ig_deck_value found;
    /* A support that OP=NEW ended and a later step gives again is a new support, with an entry
       of its own: its displacement starts from where the node is then. */
    given &= !(support && ig_deck_ends(s, value));
    given |= in_step(s, value, &found);
  }
  return given;
}

/* Whether time passes in a step. */
static bool takes_time(const ig_deck_step *s) {
  return strcmp(s->kind, "FREQUENCY") != 0;
}

/* Linear between the rows, constant before the first and after the last; of two rows at one time
   the first counts at that time, the second after it. */
static double amplitude_at(const ig_deck_amplitude *a, double t) {
  if (t <= a->time[0])
    return a->value[0];
  for (int i = 1; i < a->count; i++)
    if (t <= a->time[i]) {
      const double w =
          a->time[i] > a->time[i - 1] ? (t - a->time[i - 1]) / (a->time[i] - a->time[i - 1]) : 1;
      return a->value[i - 1] + w * (a->value[i] - a->value[i - 1]);
    }
  return a->value[a->count - 1];
}

/* A history that grows; space: rows allocated of time and factor each. */
typedef struct {
  ig_deck *d;
  ig_deck_history *h;
  int space;
} growing;

/* Times must rise strictly in a case. A second value at the same time is a jump and is put 1e-14 of
   the time later, about 50 rounding units. A jump at time 0 replaces the first row: nothing is
   before it. The same value again is not stored twice. */
static ig_status row_add(growing *g, double time, double value) {
  ig_deck_history *h = g->h;
  if (h->rows > 0 && time <= h->time[h->rows - 1]) {
    if (value == h->factor[h->rows - 1])
      return IG_OK;
    if (h->rows == 1 && time <= 0) {
      h->factor[0] = value;
      return IG_OK;
    }
    time = h->time[h->rows - 1] * (1 + 1e-14); /* a jump */
  }
  if (h->rows == g->space) {
    const int more = g->space ? 2 * g->space : 16;
    double *both;
    IG_TRY(ig_arena_take(g->d->cx, g->d->arena, (void **)&both, (size_t)(2 * more), sizeof *both));
    if (h->rows) {
      memcpy(both, h->time, (size_t)h->rows * sizeof *both);
      memcpy(both + more, h->factor, (size_t)h->rows * sizeof *both);
    }
    h->time = both;
    h->factor = both + more;
    g->space = more;
  }
  h->time[h->rows] = time;
  h->factor[h->rows++] = value;
  return IG_OK;
}

/* zero: where the amplitude's own time is 0. The step's value is the factor of the amplitude.
   Rows of the amplitude outside of the step are cut off; the value at the end of the step is
   kept in *now and is where the next step starts from. */
static ig_status amplitude_follow(growing *g, const ig_deck_step *s, const ig_deck_value *v,
                                  double begin, double *now) {
  const ig_deck_amplitude *a = g->d->amplitude;
  while (a && strcasecmp(a->name, v->amplitude) != 0)
    a = a->next;
  if (!a)
    return ig_fail_at(g->d->cx, &v->at, "*%s: no *AMPLITUDE is named '%.60s'", v->kind,
                      v->amplitude);
  const double zero = (a->total ? 0 : begin) + v->delay, end = begin + s->period;
  IG_TRY(row_add(g, begin, *now)); /* up to here it is what it was, in the steps before 0 */
  IG_TRY(row_add(g, begin, v->value[0] * amplitude_at(a, begin - zero)));
  for (int i = 0; i < a->count; i++)
    if (zero + a->time[i] > begin && zero + a->time[i] < end)
      IG_TRY(row_add(g, zero + a->time[i], v->value[0] * a->value[i]));
  *now = v->value[0] * amplitude_at(a, end - zero);
  return row_add(g, end, *now);
}

/* The temperature from which a prescribed one grows, where a step ramps it.
   Component 11. A ramp needs one start value for all nodes of the set; different initial
   temperatures cannot be expressed by one history and are refused. */
static ig_status temperature_before(const ig_deck *d, const ig_deck_value *value, double *now) {
  bool ramp = false, several = false;
  const ig_deck_value *first = NULL;
  for (const ig_deck_step *s = d->step; s; s = s->next)
    ramp |= s->ramp;
  for (const ig_deck_value *v = d->initial; v; v = v->next)
    if (strcasecmp(v->label, "TEMPERATURE") == 0) {
      first = first ? first : v;
      several |= v->value[0] != first->value[0];
    }
  if (ramp && several)
    return ig_fail_at(d->cx, &value->at,
                      "*BOUNDARY: AMPLITUDE=RAMP from several initial temperatures is not "
                      "translated: give an *AMPLITUDE");
  *now = first ? first->value[0] : 0;
  return IG_OK;
}

/* Walks through the steps with `now`, the value reached. Each step that gives the value, or ends
   it, adds rows at its beginning and end; others leave a gap, over which the last value stays. */
ig_status ig_deck_history_of(ig_deck *d, const ig_deck_step *step, const ig_deck_value *value,
                             ig_deck_history *history) {
  growing g = {.d = d, .h = history};
  double begin = 0, now = 0;
  (void)step;
  if (value->component == 11)
    IG_TRY(temperature_before(d, value, &now));
  *history = (ig_deck_history){0};
  for (const ig_deck_step *s = d->step; s; s = s->next) {
    if (!takes_time(s))
      continue;
    ig_deck_value here;
    const ig_deck_value *v = in_step(s, value, &here) ? &here : NULL;
    for (const ig_deck_value *w = s->value; w && v; w = w->next)
      if (adds_up(w) && ig_deck_same(w, value) &&
          (!w->amplitude != !v->amplitude ||
           (v->amplitude && strcasecmp(w->amplitude, v->amplitude) != 0)))
        return ig_fail_at(d->cx, &w->at,
                          "*%s: this step has another one of the same with another AMPLITUDE=: "
                          "give sets of different names",
                          w->kind);
    if (!v && begin == 0) /* given before the first step: it acts from that one on */
      v = in_model(d, value);
    /* The load factor of the path takes the place of time. */
    if (s->riks && v && v->value[0] != 0 && (v->amplitude || s->suddenly))
      return ig_fail_at(d->cx, &v->at,
                        "*%s: AMPLITUDE= in a *STATIC, RIKS step has no effect: its loads grow in "
                        "proportion to the load factor: leave it out",
                        v->kind);
    /* Up to the value over the step and back at its end, at (nearly) the same time: the room
       sees a change over the analysis, which the load factor multiplies, and later steps do not
       see it. */
    if (strcmp(s->kind, "BUCKLE") == 0) { /* what its factor multiplies comes on top, and goes */
      if (v && v->amplitude)
        return ig_fail_at(d->cx, &v->at, "*%s: AMPLITUDE= in a *BUCKLE step is not translated",
                          v->kind);
      if (v) {
        IG_TRY(row_add(&g, begin, now));
        IG_TRY(row_add(&g, begin + s->period, now + v->value[0]));
        IG_TRY(row_add(&g, begin + s->period, now));
      }
    } else if (v && v->amplitude) {
      IG_TRY(amplitude_follow(&g, s, v, begin, &now));
    } else if (v || (ig_deck_ends(s, value) && now != 0)) {
      /* In dynamics, heat transfer and creep both programs apply loads at once unless
         AMPLITUDE=RAMP; in statics they grow linearly unless AMPLITUDE=STEP. */
      const bool sudden =
          s->suddenly || (!s->ramp && ig_choices_find("DYNAMIC|HEATTRANSFER|VISCO", s->kind) >= 0);
      const double to = v ? v->value[0] : 0;
      IG_TRY(row_add(&g, begin, now));
      if (sudden)
        IG_TRY(row_add(&g, begin, to));
      now = to;
      IG_TRY(row_add(&g, begin + s->period, now));
    }
    begin += s->period;
  }
  for (int i = 0; i < history->rows; i++)
    if (fabs(history->factor[i]) > fabs(history->scale))
      history->scale = history->factor[i];
  if (history->scale == 0)
    history->scale = 1;
  for (int i = 0; i < history->rows; i++)
    history->factor[i] /= history->scale;
  return IG_OK;
}
