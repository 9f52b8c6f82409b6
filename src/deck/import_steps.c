/* Supports, loads, temperatures, analyses and tables of a case from the steps of a deck.

   A value that several steps give becomes one entry, written for the step that gives it first,
   with its history over all steps (history.c). `first` and `last` are steps from 1 and are
   written where the entry does not act in all of them. Films and radiation are the exception:
   their coefficient has no history, so that each step that gives one writes an entry of its own. */
#include "deck/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Components 1 to 6 of a deck as a case names them. */
static const char *const letters[] = {"x", "y", "z", "rx", "ry", "rz"};

/* Equal but for case; false for NULL. */
static bool is(const char *text, const char *word) {
  return text && strcasecmp(text, word) == 0;
}

/* Which step a value begins in, from 1; 0: the model.
   The number of steps is small; no index is kept in the step itself. */
static int step_of(const ig_deck *d, const ig_deck_step *step) {
  int n = 1;
  for (const ig_deck_step *s = d->step; s && s != step; s = s->next)
    n++;
  return step ? n : 0;
}

/* The analyses it acts in, where these are not all; ends 0: to the last. */
static void span_put(ig_importer *b, int begins, int ends) {
  if (begins > 1)
    ig_import_put(b, ", first: %d", begins);
  if (ends)
    ig_import_put(b, ", last: %d", ends);
}

/* ", key: [x, y, z]" with one component that is not 0. */
static void vector_put(ig_importer *b, const char *key, int component, double value) {
  ig_import_put(b, ", %s: [", key);
  for (int i = 0; i < 3; i++) {
    ig_import_put(b, i ? ", " : "");
    ig_import_real(b, i == component ? value : 0);
  }
  ig_import_put(b, "]");
}

/* One support, and the steps it acts in where that is not all of them.
   A value that is 0 at all times is `fix`, else a displacement with a history. It ends in the
   step before the first later one that has OP=NEW and does not repeat it. Component 11 is a
   temperature. */
static void support_put(ig_importer *b, const ig_deck_step *step, const ig_deck_value *v) {
  const ig_deck *d = b->d;
  const int c = v->component - 1, begins = step_of(d, step);
  /* ends: last step it acts in, 0: to the end; n: steps before s. */
  int ends = 0, n = 0;
  ig_deck_history h = {0};
  for (const ig_deck_step *s = d->step; s && !ends; s = s->next, n++) {
    bool again = false;
    for (const ig_deck_value *w = s->value; w; w = w->next)
      again |= strcmp(w->kind, "BOUNDARY") == 0 && is(w->target, v->target) &&
               w->component == v->component;
    if (ig_deck_ends(s, v) && !again && n + 1 > begins)
      ends = n;
  }
  const char *set = ig_import_set(b, &v->at, v->target, IG_SET_NODES);
  if (!set)
    return;
  if (b->status == IG_OK)
    b->status = ig_deck_history_of(b->d, step, v, &h);
  /* A history of zeros is a fixed support; anything else is a prescribed displacement or
     rotation. */
  bool moves = false;
  for (int i = 0; i < h.rows; i++)
    moves |= h.factor[i] != 0;
  const bool hot = v->component == 11;
  ig_import_put(b, "{set: ");
  ig_import_name(b, set);
  if (hot) {
    ig_import_put(b, ", temperature: ");
    ig_import_real(b, h.scale);
    ig_import_history(b, &h);
  } else if (!moves)
    ig_import_put(b, v->fixed ? ", fix: %s, where: reached" : ", fix: %s", letters[c]);
  else {
    ig_import_put(b, ", components: %s", letters[c]);
    vector_put(b, c < 3 ? "displacement" : "rotation", c % 3, h.scale);
    ig_import_history(b, &h);
  }
  if (!hot && (b->moved[c] || (moves && b->held[c])))
    ig_import_put(b, ", replaces: true"); /* of the same node, what a deck says last counts */
  if (!hot)
    (moves ? b->moved : b->held)[c] = true;
  span_put(b, begins, ends);
  ig_import_put(b, "}");
  ig_import_end(b, hot ? "prescribed_temperatures" : "supports", true, v->at);
}

/* The last step before one that gives a film or radiation anew, or ends it; 0: none does. Its
   coefficient has no history: every step that gives it makes an entry.
   A sink temperature with a history would not be enough: films may change their coefficient from
   step to step. */
static int film_ends(const ig_deck *d, const ig_deck_step *step, const ig_deck_value *v) {
  int n = step_of(d, step);
  for (const ig_deck_step *s = step->next; s; s = s->next, n++)
    if (ig_deck_gives(s, v) || ig_deck_ends(s, v))
      return n;
  return 0;
}

/* Heat into nodes, faces and elements, films and radiation.
   *CFLUX: power of nodes; *DFLUX BF: source of elements, S1 to S6: flux through a side; *FILM
   and *RADIATE: value[0] is the sink temperature, which has the history, value[1] the
   coefficient. */
static void heat_put(ig_importer *b, const ig_deck_step *step, const ig_deck_value *v) {
  const bool nodal = strcmp(v->kind, "CFLUX") == 0, heat = strcmp(v->kind, "DFLUX") == 0;
  const bool body = heat && is(v->label, "BF");
  ig_deck_history h = {0};
  if (b->status == IG_OK)
    b->status = ig_deck_history_of(b->d, step, v, &h);
  const char *set = nodal         ? ig_import_set(b, &v->at, v->target, IG_SET_NODES)
                    : body        ? ig_import_set(b, &v->at, v->target, IG_SET_ELEMENTS)
                    : v->label[1] ? ig_import_side(b, &v->at, v->target, v->label[1] - '0')
                                  : ig_import_set(b, &v->at, v->target, IG_SET_FACES);
  if (!set)
    return;
  ig_import_put(b, "{set: ");
  ig_import_name(b, set);
  if (nodal || heat) {
    ig_import_put(b, nodal ? ", power: " : body ? ", source: " : ", flux: ");
  } else {
    ig_import_put(b, strcmp(v->kind, "FILM") == 0 ? ", film: " : ", emissivity: ");
    ig_import_real(b, v->value[1]);
    ig_import_put(b, ", sink: ");
  }
  ig_import_real(b, h.scale);
  ig_import_history(b, &h);
  const int begins = step_of(b->d, step), ends = nodal || heat ? 0 : film_ends(b->d, step, v);
  span_put(b, begins, ends);
  ig_import_put(b, "}");
  ig_import_end(b, "heat_loads", true, v->at);
}

/* The step in which OP=NEW ends a load for good, from 1; 0: none.
   A load that goes to 0 over the step of OP=NEW still acts in it; `last` is that step. */
static int load_ends(const ig_deck *d, const ig_deck_step *step, const ig_deck_value *v) {
  const int begins = step_of(d, step);
  int n = 0, last = 0;
  for (const ig_deck_step *s = d->step; s; s = s->next) {
    n++;
    if (ig_deck_gives(s, v))
      last = 0;
    else if (last == 0 && n > begins && ig_deck_ends(s, v))
      last = n;
  }
  return last;
}

/* `given`: the steps that give the load a value, for the room's check of loads on shared nodes. */
static void given_put(ig_importer *b, const ig_deck_value *v) {
  int n = 0, put = 0;
  for (const ig_deck_step *s = b->d->step; s; s = s->next) {
    n++;
    if (ig_deck_gives(s, v))
      ig_import_put(b, put++ ? ", %d" : ", given: [%d", n);
  }
  ig_import_put(b, put ? "]" : "");
}

/* Labels: P1 to P6 pressure on a side, P on shells (side 1, the back: positive pressure acts
   along the normal), GRAV, CENTRIF. CENTRIF gives the square of the rate; its history multiplies
   forces, thus the square as well. */
static void load_put(ig_importer *b, const ig_deck_step *step, const ig_deck_value *v) {
  ig_deck_history h = {0};
  const bool nodal = strcmp(v->kind, "CLOAD") == 0;
  const bool surface = strcmp(v->kind, "DSLOAD") == 0;
  if (b->status == IG_OK)
    b->status = ig_deck_history_of(b->d, step, v, &h);
  bool shells = false; /* P: on the back of a shell, along its normal */
  for (const ig_deck_section *s = b->d->section; s; s = s->next)
    shells |= strcmp(s->kind, "SHELLSECTION") == 0;
  /* `& ~0x20` makes a letter a capital. */
  const bool pressure = (v->label[0] & ~0x20) == 'P';
  const int side = !pressure ? 0 : v->label[1] ? v->label[1] - '0' : shells ? 1 : 0;
  const char *set = !*v->target ? "all"
                    : nodal     ? ig_import_set(b, &v->at, v->target, IG_SET_NODES)
                    : surface   ? ig_import_set(b, &v->at, v->target, IG_SET_FACES)
                    : ig_import_is_point(b->d, v->target) && is(v->label, "GRAV")
                        ? v->target /* its nodes: import_points.c */
                    : side ? ig_import_side(b, &v->at, v->target, side)
                           : ig_import_set(b, &v->at, v->target, IG_SET_ELEMENTS);
  if (!set)
    return;
  ig_import_put(b, "{set: ");
  ig_import_name(b, set);
  if (nodal) {
    vector_put(b, v->component > 3 ? "moment" : "force", (v->component - 1) % 3, h.scale);
  } else if (is(v->label, "GRAV")) {
    const double *along = v->value + 1; /* of any length */
    const double length = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    if (!(length > 0))
      ig_import_fail(b, &v->at, "*DLOAD, GRAV: the direction has no length");
    ig_import_put(b, ", acceleration: [");
    for (int i = 0; i < 3; i++) {
      ig_import_put(b, i ? ", " : "");
      ig_import_real(b, h.scale * along[i] / length);
    }
    ig_import_put(b, "]");
  } else if (is(v->label, "CENTRIF")) {
    ig_import_put(b, ", rate: ");
    ig_import_real(b, sqrt(fabs(h.scale)));
    for (int k = 0; k < 2; k++) {
      ig_import_put(b, k ? ", axis: [" : ", point: [");
      for (int i = 0; i < 3; i++) {
        ig_import_put(b, i ? ", " : "");
        ig_import_real(b, v->value[1 + 3 * k + i]);
      }
      ig_import_put(b, "]");
    }
  } else {
    if (!side && !surface)
      ig_import_fail(b, &v->at, "*DLOAD: P without a number is the pressure on shells");
    ig_import_put(b, ", pressure: ");
    ig_import_real(b, h.scale);
  }
  ig_import_history(b, &h);
  const int begins = step_of(b->d, step), ends = load_ends(b->d, step, v);
  span_put(b, begins, ends);
  if (b->d->step->next && (nodal || pressure))
    given_put(b, v);
  ig_import_put(b, "}");
  ig_import_end(b, "loads", true, v->at);
}

/* step NULL: an initial temperature. In a step the temperature is reached linearly over its
   period, from whatever it was: no history is needed. */
static void temperature_put(ig_importer *b, const ig_deck_step *step, const ig_deck_value *v) {
  const char *set = ig_import_set(b, &v->at, v->target, IG_SET_NODES);
  if (!set)
    return;
  ig_import_put(b, "{set: ");
  ig_import_name(b, set);
  ig_import_put(b, ", temperature: ");
  ig_import_real(b, v->value[0]);
  if (step) {
    for (const ig_deck_section *s = b->d->section; s && v->value[1] != 0; s = s->next)
      if (strcmp(s->kind, "SOLIDSECTION") != 0)
        ig_import_fail(b, &v->at,
                       "*TEMPERATURE: a gradient over the thickness of shells or beams is not "
                       "computed: leave out what follows the temperature");
    if (v->amplitude)
      ig_import_fail(b, &v->at, "*TEMPERATURE: AMPLITUDE= is not translated");
    double begin = 0;
    for (const ig_deck_step *s = b->d->step; s && s != step; s = s->next)
      begin += s->period;
    ig_import_put(b, ", from: ");
    ig_import_real(b, begin);
    ig_import_put(b, ", to: ");
    ig_import_real(b, begin + step->period);
  }
  ig_import_put(b, "}");
  ig_import_end(b, step ? "temperatures" : "initial_temperatures", true, v->at);
}

/* *INITIAL CONDITIONS by TYPE. Stresses: `component` is the point, 0 for all. */
static void initial_put(ig_importer *b, const ig_deck_value *v) {
  if (is(v->label, "TEMPERATURE")) {
    temperature_put(b, NULL, v);
    return;
  }
  const bool stress = is(v->label, "STRESS");
  const char *set = ig_import_set(b, &v->at, v->target, stress ? IG_SET_ELEMENTS : IG_SET_NODES);
  if (!set)
    return;
  ig_import_put(b, "{set: ");
  ig_import_name(b, set);
  if (stress) {
    ig_import_put(b, ", point: %d, stress: [", v->component);
    for (int i = 0; i < 6; i++) {
      ig_import_put(b, i ? ", " : "");
      ig_import_real(b, v->value[i]);
    }
    ig_import_put(b, "]}");
    ig_import_end(b, "initial_stresses", true, v->at);
    return;
  }
  vector_put(b, is(v->label, "VELOCITY") ? "velocity" : "displacement", v->component - 1,
             v->value[0]);
  ig_import_put(b, "}");
  ig_import_end(b, "initial", true, v->at);
}

/* *TEMPERATURE, OP=NEW: what former steps heated goes back to the temperature of the start.
   Entries are written before those of the step itself, which then override them. */
static void temperatures_return(ig_importer *b, const ig_deck_step *step) {
  const ig_deck_value *initial = NULL;
  const bool returns = ig_deck_ends(step, &(ig_deck_value){.kind = "TEMPERATURE"});
  for (const ig_deck_step *s = b->d->step; returns && s != step; s = s->next)
    for (const ig_deck_value *v = s->value; v && b->status == IG_OK; v = v->next) {
      if (strcmp(v->kind, "TEMPERATURE") != 0)
        continue;
      for (const ig_deck_value *w = b->d->initial; w; w = w->next)
        if (is(w->label, "TEMPERATURE")) {
          if (initial && initial->value[0] != w->value[0])
            ig_import_fail(b, &step->at,
                           "*TEMPERATURE, OP=NEW returns to several initial temperatures, which is "
                           "not translated: give all temperatures of this step");
          initial = w;
        }
      ig_deck_value back = *v;
      back.value[0] = initial ? initial->value[0] : 0;
      back.value[1] = 0;
      back.amplitude = NULL;
      temperature_put(b, step, &back);
    }
}

/* Of several equal values in one list the last one is written, once (in_step adds loads up). */
static void step_values(ig_importer *b, const ig_deck_step *step, const ig_deck_value *list) {
  if (step)
    temperatures_return(b, step);
  for (const ig_deck_value *v = list; v && b->status == IG_OK; v = v->next) {
    if (strcmp(v->kind, "TEMPERATURE") == 0) {
      temperature_put(b, step, v);
      continue;
    }
    bool later = false; /* once for all of the same in one step */
    for (const ig_deck_value *w = v->next; w; w = w->next)
      later |= ig_deck_same(v, w);
    const bool anew = ig_choices_find("FILM|RADIATE", v->kind) >= 0;
    if (later || (step && !anew && ig_deck_given_before(b->d, step, v)))
      continue;
    if (strcmp(v->kind, "BOUNDARY") == 0)
      support_put(b, step, v);
    else if (ig_choices_find("CFLUX|DFLUX|FILM|RADIATE", v->kind) >= 0)
      heat_put(b, step, v);
    else
      load_put(b, step, v);
  }
}

/* end: set of the node at which the step ends, NULL: none. Without an end of its own a step by arc
 * length goes on to the loads that the deck gives. */
static void riks_put(ig_importer *b, const ig_deck_step *s, const char *end) {
  ig_import_put(b, ", method: arc_length");
  if (isnan(s->end_factor) && !s->end_node) {
    b->status = ig_deck_note(b->d, &s->at,
                             "*STATIC, RIKS gives no end: it ends at load factor 1, or after INC "
                             "increments");
    return;
  }
  ig_import_put(b, ", until: {");
  if (!isnan(s->end_factor)) {
    ig_import_put(b, "factor: ");
    ig_import_real(b, s->end_factor);
  }
  if (s->end_node) {
    ig_import_put(b, "%sset: ", isnan(s->end_factor) ? "" : ", ");
    ig_import_name(b, end ? end : "");
    ig_import_put(b, ", component: %c, displacement: ", 'w' + s->end_component);
    ig_import_real(b, s->end_value);
  }
  ig_import_put(b, "}");
}

/* `reached`: a perturbation step after loaded ones is about their state, with the large
   displacements that those had. Frequencies are limited by *FREQUENCY's second and third number. */
static void analysis_put(ig_importer *b, const ig_deck_step *s) {
  const bool modes = strcmp(s->kind, "FREQUENCY") == 0, buckle = strcmp(s->kind, "BUCKLE") == 0;
  const bool dynamic = strcmp(s->kind, "DYNAMIC") == 0;
  const bool heat = strcmp(s->kind, "HEATTRANSFER") == 0;
  if (s->explicit_)
    ig_import_fail(b, &s->at,
                   "*DYNAMIC, EXPLICIT is not translated: leave out EXPLICIT, or make a "
                   "case of `dynamics`");
  const char *end = s->end_node ? ig_import_set(b, &s->at, s->end_node, IG_SET_NODES) : NULL;
  ig_import_put(b, "{kind: %s",
                modes     ? "frequency"
                : buckle  ? "buckling"
                : dynamic ? "dynamic"
                : heat    ? "heat"
                          : "static");
  bool loaded = false, large = false; /* by the steps before */
  for (const ig_deck_step *t = b->d->step; t != s; t = t->next) {
    loaded |= strcmp(t->kind, "FREQUENCY") != 0 && strcmp(t->kind, "BUCKLE") != 0;
    large |= t->nlgeom;
  }
  const bool reached = s->perturbation && loaded && (modes || buckle);
  if (modes || buckle ? reached && large : s->nlgeom && !heat)
    ig_import_put(b, ", large: true");
  if (modes || buckle) {
    ig_import_put(b, ", modes: %lld", (long long)(s->modes > 0 ? s->modes : 1));
    if (reached)
      ig_import_put(b, ", reached: true");
    if (modes && s->low > 0) {
      ig_import_put(b, ", lowest: ");
      ig_import_real(b, s->low);
    }
    if (modes && isfinite(s->high)) {
      ig_import_put(b, ", highest: ");
      ig_import_real(b, s->high);
    }
  } else {
    ig_import_put(b, ", duration: ");
    ig_import_real(b, s->period);
    const double first = !s->direct && s->first > s->most ? s->most : s->first;
    if (first < s->period) {
      ig_import_put(b, ", first_step: ");
      ig_import_real(b, first);
    }
    if (s->direct)
      ig_import_put(b, ", fixed_steps: true");
    if (s->increments > 0)
      ig_import_put(b, ", steps: %lld", (long long)s->increments);
    if (isfinite(s->most) && !s->direct) {
      ig_import_put(b, ", largest_step: ");
      ig_import_real(b, s->most);
    }
    if (strcmp(s->kind, "VISCO") == 0)
      ig_import_put(b, ", creep: true");
    if (s->creep_change > 0) {
      ig_import_put(b, ", creep_change: ");
      ig_import_real(b, s->creep_change);
    }
    if (s->riks)
      riks_put(b, s, end);
    if (heat && s->steady)
      ig_import_put(b, ", steady: true");
    if (dynamic) {
      ig_import_put(b, ", alpha: ");
      ig_import_real(b, s->alpha);
    }
  }
  ig_import_put(b, "}");
  ig_import_end(b, "analysis", true, s->at);
}

/* Output labels of Abaqus and CalculiX. NULL: the quantity is not computed; totals of elements
   are those of the volume only. */
static const char *quantity_of(const ig_deck_print *p) {
  static const struct {
    const char *word, *quantity;
    int of;
  } all[] = {{"U", "displacement", IG_SET_NODES},
             {"RF", "reaction", IG_SET_NODES},
             {"V", "velocity", IG_SET_NODES},
             {"NT", "temperature", IG_SET_NODES},
             {"RFL", "heat_flow", IG_SET_NODES},
             {"HFL", "heat_flux", IG_SET_ELEMENTS},
             {"S", "stress", IG_SET_ELEMENTS},
             {"E", "strain", IG_SET_ELEMENTS},
             {"PEEQ", "plastic_strain", IG_SET_ELEMENTS},
             {"EVOL", "volume", IG_SET_ELEMENTS},
             {"SOF", "section", IG_SET_FACES},
             {"FLUX", "section_flux", IG_SET_FACES}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (is(p->quantity, all[i].word) && all[i].of == p->of &&
        (!p->totals || p->of != IG_SET_ELEMENTS || is(p->quantity, "EVOL")))
      return all[i].quantity;
  return NULL;
}

/* Requests stay in force in the steps that follow, until one makes others of the same kind. */
static void tables_put(ig_importer *b, const ig_deck_step *s, const ig_deck_step *from, int of) {
  static const char *const words[] = {"NODE PRINT", "EL PRINT", "SECTION PRINT"};
  for (const ig_deck_print *p = from->print; p && b->status == IG_OK; p = p->next) {
    if (p->of != of)
      continue;
    const char *quantity = quantity_of(p);
    if (!quantity) {
      if (b->d->lenient) {
        b->status = ig_deck_note(b->d, &p->at, "*%s: %s is not written", words[of], p->quantity);
        continue;
      }
      ig_import_fail(b, &p->at, "*%s: %.20s is not written; --lenient passes over it", words[of],
                     p->quantity);
      return;
    }
    const char *set = ig_import_named(b, &p->at, p->set, (ig_set_kind)of);
    ig_import_put(b, "{set: ");
    ig_import_name(b, set ? set : "");
    ig_import_put(b, ", quantity: %s", quantity);
    bool turned = false; /* nodes by *TRANSFORM, elements by *ORIENTATION */
    for (const ig_deck_axes *x = b->d->axes; x; x = x->next)
      turned |= x->orientation == (of == IG_SET_ELEMENTS);
    if (turned && !p->global && of != IG_SET_FACES)
      ig_import_put(b, ", axes: own");
    if (p->totals)
      ig_import_put(b, ", total: %s", p->totals_only ? "only" : "also");
    if (b->d->step->next)
      ig_import_put(b, ", analysis: %d", step_of(b->d, s));
    ig_import_put(b, "}");
    ig_import_end(b, "tables", true, p->at);
  }
}

/* from[k]: the step whose requests of kind k (nodes, elements, faces) are in force. */
void ig_import_steps(ig_importer *b) {
  const ig_deck *d = b->d;
  for (const ig_deck_value *v = d->initial; v && b->status == IG_OK; v = v->next)
    initial_put(b, v);
  step_values(b, NULL, d->boundary);
  for (const ig_deck_step *s = d->step; s && b->status == IG_OK; s = s->next)
    step_values(b, s, s->value);
  for (const ig_deck_step *s = d->step; s && b->status == IG_OK; s = s->next)
    analysis_put(b, s);
  const ig_deck_step *from[3] = {NULL, NULL, NULL};
  for (const ig_deck_step *s = d->step; s && b->status == IG_OK; s = s->next)
    for (int k = 0; k < 3; k++) {
      for (const ig_deck_print *p = s->print; p; p = p->next)
        if (p->of == k)
          from[k] = s;
      if (from[k])
        tables_put(b, s, from[k], k);
    }
}
