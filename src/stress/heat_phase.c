/* Steps of a heat phase: what the thermal run has deposited, melted and remelted since the last
   step. ig_stress_heat_begin reads the next state, finds births and peaks, and decides whether
   the state is computed or passed over; ig_stress_heat_done makes it the state that the next one
   is compared with. A state that is passed over leaves everything as it was, so changes add up
   until a step is taken. */
#include "stress/run.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What has happened since the last step. Elements that are there in the first state are solid from
   the start; those deposited later are soft, or solid where they have melted since. */
typedef struct {
  ig_stress_heat now;
  /* elements born now, and their temperatures of birth or IG_BORN_SOFT */
  ig_lid *list, count;
  double *birth;
  /* elements: 1: solid from their deposition on */
  uint8_t *consolidated;
  int64_t piece;             /* state of the phase */
  ig_stress_melting melting; /* up to now */
  /* longer side, along x or y, of all that was deposited or became solid since the last step; 0:
     nothing. Whether something is molten */
  double way;
  bool deposited, remelted, molten;
} heat_news;

/* Arrays of one state; freed by heat_news_free, also if one of them could not be allocated. */
static ig_status heat_news_new(ig_stress_run *r, heat_news *h) {
  ig_ctx *cx = r->m->cx;
  const ig_lid n = r->m->elements;
  IG_TRY(IG_NEW(cx, &h->now.peak, n, "temperatures"));
  IG_TRY(IG_NEW(cx, &h->now.melts, n, "temperatures"));
  IG_TRY(IG_NEW(cx, &h->now.there, n, "temperatures"));
  IG_TRY(IG_NEW(cx, &h->list, n, "temperatures"));
  IG_TRY(IG_NEW(cx, &h->birth, n, "temperatures"));
  return IG_NEW(cx, &h->consolidated, n, "temperatures");
}

static void heat_news_free(heat_news *h) {
  free(h->now.peak);
  free(h->now.melts);
  free(h->now.there);
  free(h->list);
  free(h->birth);
  free(h->consolidated);
}

/* Widens a box in x and y to hold element e. */
static void box_around(const ig_stress *m, ig_lid e, double low[2], double high[2]) {
  for (int i = 0; i < 2 * m->npe; i++) {
    const double x = m->mesh->x[3 * (int64_t)m->conn[m->npe * (int64_t)e + i / 2] + i % 2];
    low[i % 2] = fmin(low[i % 2], x);
    high[i % 2] = fmax(high[i % 2], x);
  }
}

/* By how much elements were hotter since the last step than its two states show: their peak, where
   it has risen above both. That an element has melted again, below its former peak, says no
   temperature: all of it counts as molten, unless the states show it. */
static void heat_excess(ig_stress_run *r, heat_news *h) {
  ig_stress *m = r->m;
  const ig_stress_heat *was = &r->heat, *is = &h->now;
  const ig_stress_law *laws = m->material.laws.host;
  const uint8_t *law = m->material.law.host;
  double *of_part = m->work.excess.host, low[2] = {INFINITY, INFINITY}, high[2];
  double hot = 0, melted = 0, from[2] = {INFINITY, INFINITY}, to[2];
  high[0] = high[1] = to[0] = to[1] = -INFINITY;
  for (ig_lid e = 0, own = 0; e < m->elements; e++) {
    const double anneal = laws[law[e]].anneal;
    double top = -INFINITY, before = 0, now = 0, least = INFINITY, other;
    const bool mine = own < m->part.elements && ig_stress_element(m, own) == e;
    double *excess = mine ? of_part + own++ : &other;
    *excess = 0;
    if (!is->there[e] || h->piece == 0)
      continue;
    for (int a = 0; a < m->npe; a++) {
      const ig_lid n = m->conn[m->npe * (int64_t)e + a];
      now += r->T1[n] / m->npe;
      before += was->there[e] ? r->T0[n] / m->npe : 0;
      least = fmin(least, r->T1[n]);
    }
    if (!was->there[e] || is->peak[e] > was->peak[e])
      top = is->peak[e];
    *excess = fmax(top - fmax(before, now), 0);
    /* a melt count has risen while no peak shows it: all corners must reach `anneal`, the
       coldest too */
    if (is->melts[e] > (was->there[e] ? was->melts[e] : 0) && top < anneal) {
      top = anneal;
      *excess = fmax(before, now) < anneal ? anneal - least : 0;
    }
    /* statistics for the warnings at the end: melted during this step; of those, solid again at
       its end */
    if (top >= anneal && before < anneal) {
      melted++;
      h->melting.unseen += now < anneal;
    }
    /* extent of all molten elements in x and y, an estimate of the length of the melt */
    if (now >= anneal)
      box_around(m, e, low, high);
    if (!was->there[e] || (now < anneal && fmax(top, before) >= anneal))
      box_around(m, e, from, to);
    hot += now >= anneal;
    h->remelted |= was->there[e] && top >= anneal;
  }
  h->way = fmax(fmax(to[0] - from[0], to[1] - from[1]), 0);
  h->molten = hot > 0;
  if (hot > 0) {
    h->melting.hot += hot;
    h->melting.length += fmax(high[0] - low[0], high[1] - low[1]);
    h->melting.states++;
  }
  if (melted > 0) {
    h->melting.melted += melted;
    h->melting.time += is->time - was->time;
    h->melting.steps++;
  }
}

/* Elements of a law without `anneal` never become solid: nothing would carry load, and nobody would
   know why. */
static ig_status solid_check(const ig_stress_run *r, const ig_stress_phase *p, ig_lid e) {
  const int law = ((const uint8_t *)r->m->material.law.host)[e];
  const ig_material_case *mat = IG_ITEM(const ig_material_case, *r->job->materials, law);
  if (((const ig_stress_law *)r->m->material.laws.host)[law].anneal < IG_UNBOUNDED)
    return IG_OK;
  return ig_fail_at(r->m->cx, &mat->at,
                    "material '%.60s' has neither `solidus` nor `mechanical.anneal`: what phase "
                    "'%.60s' deposits of it would never become solid; give one of them, or name "
                    "its element sets in `consolidated` of the phase",
                    mat->name, p->name ? p->name : "without a name");
}

/* Elements of the sets of `consolidated`, as a mark per element. */
static ig_status consolidated_mark(const ig_stress_run *r, const ig_stress_phase *p,
                                   uint8_t *mark) {
  memset(mark, 0, (size_t)r->m->elements);
  for (int i = 0; i < p->consolidated.count; i++) {
    const ig_set *set;
    IG_TRY(ig_mesh_named_set(r->m->cx, r->m->mesh, &p->at, p->consolidated.value[i], IG_OF_ELEMENTS,
                             &set));
    for (ig_lid k = 0; k < set->count; k++)
      mark[set->item[k]] = 1;
  }
  return IG_OK;
}

/* Elements that the state has and the model has not. What is there in state 0 is solid, without
   stress at its temperature. What comes later is born soft; without peaks (NaN) nobody knows
   whether it was molten, and it is taken as solid from `anneal` on. */
static ig_status heat_births(ig_stress_run *r, const ig_stress_phase *p, heat_news *h) {
  ig_stress *m = r->m;
  const uint8_t *alive = m->alive.host, *law = m->material.law.host;
  const ig_stress_law *laws = m->material.laws.host;
  IG_TRY(consolidated_mark(r, p, h->consolidated));
  for (ig_lid e = 0; e < m->elements; e++) {
    double *birth = h->birth + h->count, T = 0;
    if (!h->now.there[e] || alive[e])
      continue;
    for (int a = 0; a < m->npe; a++)
      T += r->T1[m->conn[m->npe * (int64_t)e + a]] / m->npe;
    *birth = T;
    if (h->piece > 0 && !h->consolidated[e]) {
      IG_TRY(solid_check(r, p, e));
      const double anneal = laws[law[e]].anneal;
      *birth = isnan(h->now.peak[e]) ? anneal : IG_BORN_SOFT;
    }
    h->list[h->count++] = e;
  }
  for (ig_lid e = 0; e < m->elements; e++)
    h->deposited |= h->now.there[e] && !r->heat.there[e];
  return IG_OK;
}

/* Reads the first and the last state before the run starts, so that a material that could never
   become solid is an error at once. A live thermal run is not known beforehand; there
   heat_births reports it. */
ig_status ig_stress_heat_check(ig_stress_run *r, const ig_stress_phase *p, int64_t states) {
  heat_news first = {0}, last = {0};
  ig_status status;
  if (ig_stress_heat_live(p)) /* the thermal run has not been there yet */
    return IG_OK;
  IG_TRY_GOTO(status, done, heat_news_new(r, &first));
  IG_TRY_GOTO(status, done, heat_news_new(r, &last));
  IG_TRY_GOTO(status, done, ig_stress_heat_read(r, p, 0, 0, r->T1, &first.now));
  IG_TRY_GOTO(status, done, ig_stress_heat_read(r, p, states - 1, 0, r->T1, &last.now));
  IG_TRY_GOTO(status, done, consolidated_mark(r, p, last.consolidated));
  bool unknown = false;
  for (ig_lid e = 0; status == IG_OK && e < r->m->elements; e++)
    if (last.now.there[e] && !first.now.there[e] && !last.consolidated[e]) {
      status = solid_check(r, p, e);
      unknown |= isnan(last.now.peak[e]);
    }
  if (unknown)
    ig_warn_at(r->m->cx, &p->at,
               "the thermal run has no T_peak: all that it deposits counts as molten since; give "
               "its material a solidus and liquidus, and output.fields T_peak");
done:
  heat_news_free(&first);
  heat_news_free(&last);
  return status;
}

/* Of living elements: the largest contraction of a material from `anneal` to the start's
   temperature, the largest fall of temperature on that way, and the largest displacement. */
typedef struct {
  double contraction, fall, displacement;
} heat_scale;

static ig_status heat_scale_of(ig_stress_run *r, heat_scale *of) {
  ig_stress *m = r->m;
  const ig_stress_law *laws = m->material.laws.host;
  const uint8_t *alive = m->alive.host, *law = m->material.law.host;
  const double *x = m->material.row_x.host, *y = m->material.row_y.host, *u = m->u.host;
  *of = (heat_scale){0};
  IG_TRY(ig_array_pull(m->cx, &m->u));
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++) {
    const ig_stress_law *l = laws + law[i / m->npe];
    const double *v = u + 3 * (int64_t)m->conn[i];
    if (!alive[i / m->npe])
      continue;
    of->displacement = fmax(of->displacement, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    const ig_history hot = l->transforms ? l->austenite_strain : l->strain;
    if (!l->strain.rows || l->anneal >= IG_UNBOUNDED)
      continue;
    of->fall = fmax(of->fall, l->anneal - r->c->temperature);
    of->contraction = fmax(of->contraction, fabs(ig_history_at(hot, x, y, l->anneal) -
                                                 ig_history_at(hot, x, y, r->c->temperature)));
  }
  return IG_OK;
}

/* Whether no temperature of living elements has changed by more since the last step. */
static bool changed_less(const ig_stress_run *r, double change) {
  const uint8_t *alive = r->m->alive.host;
  for (int64_t i = 0; i < r->m->npe * (int64_t)r->m->elements; i++) {
    const ig_lid n = r->m->conn[i];
    if (alive[i / r->m->npe] && fabs(r->T1[n] - r->T0[n]) > change)
      return false;
  }
  return true;
}

/* With `step_error`: what becomes solid, or is laid, in one step contracts as a whole, so that it
   is put wrong by up to its length times its contraction. The step is taken here if that would be
   too much in the next state. Where no melt moves on, temperatures decide: the same share of those
   by which the metal contracts. */
static ig_status calm_by_error(ig_stress_run *r, const ig_stress_phase *p, const ig_stress_step *s,
                               const heat_news *h, bool *calm) {
  heat_scale of;
  IG_TRY(heat_scale_of(r, &of));
  const double gone = h->now.time - r->heat.time;
  const double next = h->way * (1 + (s[1].state - s->state) / gone);
  *calm = next * of.contraction <= p->step_error * of.displacement;
  if (*calm && !(h->molten && h->way > 0))
    *calm = changed_less(r, p->change > 0 ? p->change : p->step_error * of.fall);
  return IG_OK;
}

/* Whether so little has happened that this state is passed over. */
static ig_status heat_calm(ig_stress_run *r, const ig_stress_phase *p, const ig_stress_step *s,
                           const heat_news *h, bool *calm) {
  *calm = false;
  if (s->piece == 0 || s->piece == s->pieces - 1)
    return IG_OK;
  if (!isnan(p->step_error))
    return calm_by_error(r, p, s, h, calm);
  if (h->deposited || (!p->layers && (!(p->change > 0) || h->remelted)))
    return IG_OK;
  *calm = p->layers || changed_less(r, p->change);
  return IG_OK;
}

/* The state is computed: births take place, the system is renewed, temperatures of new nodes
   start at those of now. What was read goes to r->next, so that an interrupted step can be
   repeated. */
static ig_status heat_take(ig_stress_run *r, const ig_stress_phase *p, heat_news *h) {
  ig_stress *m = r->m;
  const size_t n = (size_t)m->elements;
  if (h->count > 0) {
    m->args.start = h->piece == 0; /* what is in the first state has been there before */
    const ig_status status = ig_stress_birth(m, h->list, h->birth, h->count, p->new_nodes);
    m->args.start = false;
    IG_TRY(status);
    IG_TRY(ig_stress_system_change(m, false));
  }
  /* nodes that nothing had reached yet had no temperature of their own */
  memset(m->scratch, 0, (size_t)m->nodes);
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
    m->scratch[m->conn[i]] |= r->heat.there[i / m->npe];
  for (ig_lid i = 0; i < m->nodes; i++)
    r->T0[i] = m->scratch[i] ? r->T0[i] : r->T1[i];
  r->next.time = h->now.time;
  r->next_melting = h->melting;
  memcpy(r->next.peak, h->now.peak, n * sizeof *h->now.peak);
  memcpy(r->next.melts, h->now.melts, n * sizeof *h->now.melts);
  memcpy(r->next.there, h->now.there, n);
  return IG_OK;
}

/* What becomes solid in one step contracts as a whole: displacements are wrong by about the way
   that the melt goes in a step, times the contraction from `anneal`. An element is molten in
   hot/melted states on its average, and the melt is longer than its way in a step by that factor.
 */
static ig_status heat_error(ig_stress_run *r) {
  ig_stress *m = r->m;
  const ig_stress_melting *k = &r->melting;
  heat_scale of;
  if (!(k->hot > 0 && k->melted > 0))
    return IG_OK;
  IG_TRY(heat_scale_of(r, &of));
  const double largest = of.displacement;
  const double way = k->length / k->states * k->melted / k->hot, error = of.contraction * way;
  const double enough = 0.05 * largest / of.contraction; /* a way in a step with 5 % of error */
  if (error > 0.1 * largest && largest > 0)
    ig_warn(m->cx,
            "the melt goes on by about %.2g m in a step of %.2g s: displacements may be off by "
            "%.2g m, %.0f %% of the largest; steps of %.1g s would leave 5 %% (`every`, or output "
            "of the thermal run; in a chain `step_error: 0.05` chooses them)",
            way, k->time / k->steps, error, fmin(100, 100 * error / largest),
            k->time / k->steps * enough / way);
  return IG_OK;
}

/* Material that never melted carries hardly any load, and without peaks nothing is known of what
   was hot between two states: it is said, as nobody would look for it. */
static ig_status heat_end(ig_stress_run *r) {
  ig_stress *m = r->m;
  const uint8_t *alive = m->alive.host, *soft = m->soft.host, *law = m->material.law.host;
  const ig_stress_law *laws = m->material.laws.host;
  ig_lid all = 0, some = 0;
  bool unknown = false;
  IG_TRY(ig_stress_elements_pull(m, &m->soft));
  for (ig_lid e = 0; e < m->elements; e++) {
    all += alive[e] && soft[e] == (1 << m->points) - 1;
    some += alive[e] && soft[e] && soft[e] != (1 << m->points) - 1;
    unknown |= alive[e] && r->heat.there[e] && isnan(r->heat.peak[e]) &&
               laws[law[e]].anneal < IG_UNBOUNDED;
  }
  if (unknown)
    ig_warn(m->cx,
            "the thermal run has no T_peak: what was above the annealing temperature between two "
            "of its states and not in them keeps its stress; give its material a solidus and "
            "liquidus (with snapshots: also output.fields T_peak and melts)");
  if (all + some > 0)
    ig_warn(m->cx,
            "%d elements of the thermal run were never above the annealing temperature, %d only in "
            "part: they stay soft (`consolidated` names sets that are solid without)",
            all, some);
  if (r->melting.unseen > 0.5 * r->melting.melted)
    ig_warn(m->cx,
            "%.0f %% of what melted was solid again in the next state of the thermal run: it has "
            "its contraction, but what it did to its surroundings while it was hot is not "
            "computed; take states more often (`every`, or output of the thermal run)",
            100 * r->melting.unseen / r->melting.melted);
  else
    IG_TRY(heat_error(r));
  return IG_OK;
}

/* s->piece is the number of the state. *dt is 0 for state 0, which is the initial one. T1 is
   read in any case; it is used only if *calm is false. */
ig_status ig_stress_heat_begin(ig_stress_run *r, const ig_stress_phase *p, const ig_stress_step *s,
                               double *dt, bool *calm) {
  heat_news h = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, heat_news_new(r, &h));
  h.piece = s->piece;
  h.melting = r->melting;
  if (s->piece == 0)
    memset(r->heat.there, 0, (size_t)r->m->elements);
  IG_TRY_GOTO(status, done, ig_stress_heat_read(r, p, s->piece, s->state, r->T1, &h.now));
  IG_TRY_GOTO(status, done, heat_births(r, p, &h));
  heat_excess(r, &h);
  IG_TRY_GOTO(status, done, heat_calm(r, p, s, &h, calm));
  *dt = s->piece > 0 ? h.now.time - r->heat.time : 0;
  if (!*calm)
    status = heat_take(r, p, &h);
done:
  heat_news_free(&h);
  return status;
}

ig_status ig_stress_heat_done(ig_stress_run *r, bool end) {
  const ig_stress_heat was = r->heat;
  r->heat = r->next;
  r->next = was;
  r->melting = r->next_melting;
  return end ? heat_end(r) : IG_OK;
}
