/* Steps: procedures, supports, loads, requests of output.

   ig_deck_step_read is the entry. It reads from *STEP to *END STEP and leaves the card at the
   latter. Data lines of supports and loads become ig_deck_value, one per component; what they
   mean over time is the work of history.c.

   Grammar: *STEP, one procedure (*STATIC, *VISCO, *DYNAMIC, *FREQUENCY, *BUCKLE, *HEAT TRANSFER),
   then supports, loads and output requests in any order, *END STEP. OP=NEW on a card removes all
   values of that keyword from former steps; OP=MOD, the default, changes those that are named. */
#include "deck/deck.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* Equal but for case; false for NULL. */
static bool is(const char *text, const char *word) {
  return text && strcasecmp(text, word) == 0;
}

/* last: the place after the end of the list, moved on. Zeroed but for what all kinds share. */
static ig_status value_add(ig_deck *d, const ig_card *card, const ig_card_line *l,
                           ig_deck_value ***last, ig_deck_value **value) {
  ig_deck_value *v;
  IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&v, 1, sizeof *v));
  v->at = ig_card_line_at(card, l);
  v->kind = card->word;
  v->target = ig_card_text(l, 0);
  v->label = "";
  v->amplitude = ig_card_get(card, "AMPLITUDE");
  v->fixed = ig_card_get(card, "FIXED") != NULL;
  const char *delay = ig_card_get(card, "TIMEDELAY");
  if (delay) {
    const char *fields[1] = {delay};
    const ig_card_line line = {.line = card->at.line, .count = 1, .field = fields};
    IG_TRY(ig_card_real(d, card, &line, 0, NAN, &v->delay));
  }
  **last = v;
  *last = &v->next;
  *value = v;
  return IG_OK;
}

/* Set or node, first and last component, value.
   Symmetry names: XSYMM fixes component 1 and rotations 5, 6, YSYMM 2, 4, 6, ZSYMM 3, 4, 5. */
static ig_status boundary_read(ig_deck *d, const ig_card *card, const ig_card_line *l,
                               ig_deck_value ***last) {
  int64_t first, end;
  double value;
  const ig_src at = ig_card_line_at(card, l);
  const char *name = ig_card_text(l, 1);
  static const struct {
    const char *name;
    int first[2], end[2]; /* two ranges, the second may be empty */
  } symmetry[] = {{"XSYMM", {1, 5}, {1, 6}},
                  {"YSYMM", {2, 4}, {2, 4}},
                  {"ZSYMM", {3, 4}, {3, 5}},
                  {"ENCASTRE", {1, 1}, {6, 0}},
                  {"PINNED", {1, 1}, {3, 0}}};
  ig_deck_value *v;
  if (isalpha((unsigned char)*name)) {
    for (size_t s = 0; s < sizeof symmetry / sizeof *symmetry; s++)
      if (is(name, symmetry[s].name)) {
        for (int r = 0; r < 2; r++)
          for (int c = symmetry[s].first[r]; c <= symmetry[s].end[r]; c++) {
            IG_TRY(value_add(d, card, l, last, &v));
            v->component = c;
          }
        if (is(name, "YSYMM")) {
          IG_TRY(value_add(d, card, l, last, &v));
          v->component = 6;
        }
        return IG_OK;
      }
    return ig_fail_at(d->cx, &at, "*BOUNDARY: '%.40s': expected a component from 1 to 6", name);
  }
  IG_TRY(ig_card_int(d, card, l, 1, 0, &first));
  IG_TRY(ig_card_int(d, card, l, 2, first, &end));
  IG_TRY(ig_card_real(d, card, l, 3, 0, &value));
  if (!((first >= 1 && end <= 6 && first <= end) || (first == 11 && end == 11)))
    return ig_fail_at(d->cx, &at, "*BOUNDARY: components %d to %d: expected 1 to 6, or 11",
                      (int)first, (int)end);
  for (int c = (int)first; c <= (int)end; c++) {
    IG_TRY(value_add(d, card, l, last, &v));
    v->component = c;
    v->value[0] = value;
  }
  return IG_OK;
}

/* Node or set, component, force. Components 4 to 6 are moments. */
static ig_status cload_read(ig_deck *d, const ig_card *card, const ig_card_line *l,
                            ig_deck_value ***last) {
  int64_t component;
  ig_deck_value *v;
  IG_TRY(ig_card_int(d, card, l, 1, 0, &component));
  if (component < 1 || component > 6) {
    const ig_src at = ig_card_line_at(card, l);
    return ig_fail_at(d->cx, &at, "*CLOAD: component '%.40s': expected 1 to 6", ig_card_text(l, 1));
  }
  IG_TRY(value_add(d, card, l, last, &v));
  v->component = (int)component;
  return ig_card_real(d, card, l, 2, NAN, &v->value[0]);
}

/* Elements, what acts, its size and direction.
   numbers: size; GRAV: and direction (3); CENTRIF: and point and direction of the axis (6). `&
   ~0x20` makes a letter a capital. */
static ig_status dload_read(ig_deck *d, const ig_card *card, const ig_card_line *l,
                            ig_deck_value ***last) {
  const char *label = ig_card_text(l, 1);
  const ig_src at = ig_card_line_at(card, l);
  ig_deck_value *v;
  const int numbers = is(label, "GRAV") ? 4 : is(label, "CENTRIF") ? 7 : 1;
  const bool pressure =
      (label[0] & ~0x20) == 'P' && (!label[1] || (label[1] >= '1' && label[1] <= '6' && !label[2]));
  if (numbers == 1 && !pressure)
    return ig_fail_at(d->cx, &at,
                      "*%s: '%.40s' is not understood: expected P, P1 to P6, GRAV or "
                      "CENTRIF",
                      card->word, label);
  IG_TRY(value_add(d, card, l, last, &v));
  v->label = label;
  for (int i = 0; i < numbers; i++)
    IG_TRY(ig_card_real(d, card, l, 2 + i, NAN, &v->value[i]));
  return IG_OK;
}

/* *CFLUX: node, component, heat. *DFLUX, *FILM, *RADIATE: elements or a surface, S1, F1, R1 or BF;
   heat, or sink temperature and coefficient. */
static ig_status flux_read(ig_deck *d, const ig_card *card, const ig_card_line *l,
                           ig_deck_value ***last) {
  const bool nodal = strcmp(card->word, "CFLUX") == 0, heat = strcmp(card->word, "DFLUX") == 0;
  const char letter = heat ? 'S' : card->word[0], *label = ig_card_text(l, 1);
  const ig_src at = ig_card_line_at(card, l);
  ig_deck_value *v;
  const bool face = (label[0] & ~0x20) == letter &&
                    (!label[1] || (label[1] >= '1' && label[1] <= '6' && !label[2]));
  if (nodal ? !is(label, "0") && !is(label, "11") && *label : !face && !(heat && is(label, "BF")))
    return ig_fail_at(d->cx, &at, "*%s: '%.40s' is not understood: expected %s", card->word, label,
                      nodal                  ? "0 or 11"
                      : heat                 ? "S, S1 to S6 or BF"
                      : card->word[0] == 'F' ? "F or F1 to F6"
                                             : "R or R1 to R6");
  IG_TRY(value_add(d, card, l, last, &v));
  v->label = label;
  IG_TRY(ig_card_real(d, card, l, 2, NAN, &v->value[0]));
  return nodal || heat ? IG_OK : ig_card_real(d, card, l, 3, NAN, &v->value[1]);
}

/* The order of shear stresses differs: a deck has xy xz yz, a case xy yz zx. */
static ig_status initial_read(ig_deck *d, const ig_card *card, const ig_card_line *l,
                              ig_deck_value ***last) {
  const char *type = ig_card_get(card, "TYPE");
  ig_deck_value *v;
  if (!is(type, "TEMPERATURE") && !is(type, "VELOCITY") && !is(type, "DISPLACEMENT") &&
      !is(type, "STRESS"))
    return ig_deck_refuse(d, card,
                          "TYPE=%.40s: expected TEMPERATURE, VELOCITY, DISPLACEMENT or STRESS",
                          type ? type : "");
  IG_TRY(value_add(d, card, l, last, &v));
  v->label = type;
  if (is(type, "STRESS")) { /* elements, point, stresses; without a point: all of them */
    int64_t point = 0;
    if (l->count != 7 && l->count != 8)
      return ig_fail_at(d->cx, &v->at,
                        "*INITIAL CONDITIONS, TYPE=STRESS: expected an element, a point and 6 "
                        "stresses");
    if (l->count == 8)
      IG_TRY(ig_card_int(d, card, l, 1, 0, &point));
    v->component = (int)point;
    for (int i = 0; i < 6; i++) /* xx yy zz xy xz yz there */
      IG_TRY(ig_card_real(d, card, l, l->count - 6 + i, NAN, &v->value[i < 4 ? i : 9 - i]));
    return IG_OK;
  }
  if (is(type, "TEMPERATURE"))
    return ig_card_real(d, card, l, 1, NAN, &v->value[0]);
  int64_t component;
  IG_TRY(ig_card_int(d, card, l, 1, 0, &component));
  if (component < 1 || component > 3)
    return ig_fail_at(d->cx, &v->at, "*INITIAL CONDITIONS: component '%.40s': expected 1 to 3",
                      ig_card_text(l, 1));
  v->component = (int)component;
  return ig_card_real(d, card, l, 2, NAN, &v->value[0]);
}

/* *NODAL THICKNESS: nodes and one or two sizes; *NORMAL: element, node, vector.
   A second size left out is the first one. */
static ig_status shape_read(ig_deck *d, const ig_card *card, const ig_card_line *l,
                            ig_deck_value ***last) {
  const bool normal = strcmp(card->word, "NORMAL") == 0;
  int64_t node = 0;
  ig_deck_value *v;
  IG_TRY(value_add(d, card, l, last, &v));
  if (normal)
    IG_TRY(ig_card_int(d, card, l, 1, 0, &node));
  if (normal && (!ig_is_number(v->target) || node < 1 || node > INT32_MAX))
    return ig_fail_at(d->cx, &v->at, "*NORMAL: expected the numbers of an element and a node");
  v->component = (int)node;
  for (int i = 0; i < (normal ? 3 : 2); i++)
    IG_TRY(ig_card_real(d, card, l, (normal ? 2 : 1) + i,
                        normal ? 0
                        : i    ? v->value[0]
                               : NAN,
                        &v->value[i]));
  return IG_OK;
}

/* An empty target is that of *DLOAD on everything; elsewhere it is an error. */
ig_status ig_deck_values(ig_deck *d, const ig_card *card, ig_deck_value **list) {
  const char *w = card->word, *type = ig_card_get(card, "TYPE");
  ig_deck_value *v, **last = list;
  while (*last)
    last = &(*last)->next;
  if (strcmp(w, "BOUNDARY") == 0 && type && !is(type, "DISPLACEMENT"))
    return ig_deck_refuse(d, card, "TYPE=%.40s: expected DISPLACEMENT", type);
  for (const ig_card_line *l = card->line; l; l = l->next) {
    if (!*ig_card_text(l, 0) && strcmp(w, "DLOAD") != 0) {
      const ig_src at = ig_card_line_at(card, l);
      return ig_fail_at(d->cx, &at, "*%s: expected a node or a set first", w);
    }
    if (strcmp(w, "BOUNDARY") == 0)
      IG_TRY(boundary_read(d, card, l, &last));
    else if (strcmp(w, "CLOAD") == 0)
      IG_TRY(cload_read(d, card, l, &last));
    else if (strcmp(w, "DLOAD") == 0 || strcmp(w, "DSLOAD") == 0)
      IG_TRY(dload_read(d, card, l, &last));
    else if (ig_choices_find("CFLUX|DFLUX|FILM|RADIATE", w) >= 0)
      IG_TRY(flux_read(d, card, l, &last));
    else if (strcmp(w, "INITIALCONDITIONS") == 0)
      IG_TRY(initial_read(d, card, l, &last));
    else if (strcmp(w, "NODALTHICKNESS") == 0 || strcmp(w, "NORMAL") == 0)
      IG_TRY(shape_read(d, card, l, &last));
    else { /* TEMPERATURE */
      IG_TRY(value_add(d, card, l, &last, &v));
      IG_TRY(ig_card_real(d, card, l, 1, NAN, &v->value[0]));
      IG_TRY(ig_card_real(d, card, l, 2, 0, &v->value[1]));
    }
  }
  return IG_OK;
}

/* *STATIC, RIKS has, after its four increments, the largest load factor, a node, its component and
   the displacement at which the step ends. */
static ig_status riks_read(ig_deck *d, const ig_card *card, const ig_card_line *l,
                           ig_deck_step *s) {
  int64_t component = 0;
  if (*ig_card_text(l, 4))
    IG_TRY(ig_card_real(d, card, l, 4, NAN, &s->end_factor));
  if (!*ig_card_text(l, 5))
    return IG_OK;
  s->end_node = ig_card_text(l, 5);
  IG_TRY(ig_card_int(d, card, l, 6, 0, &component));
  if (component < 1 || component > 3)
    return ig_deck_refuse(d, card, "RIKS: component '%.40s': expected 1 to 3", ig_card_text(l, 6));
  s->end_component = (int)component;
  return ig_card_real(d, card, l, 7, NAN, &s->end_value);
}

/* *STATIC, *DYNAMIC, *HEAT TRANSFER: increment, period, least and largest increment. *FREQUENCY and
 *BUCKLE: how many.
   Defaults are those of CalculiX: period 1, first increment 1, alpha -0.05. A largest increment
   of 0 or blank is none. BUCKLE's further numbers (accuracy, vectors, iterations) are not used. */
static ig_status procedure_read(ig_deck *d, const ig_card *card, ig_deck_step *s) {
  const ig_card_line *l = card->line;
  if (s->kind)
    return ig_deck_refuse(d, card, "the step has a procedure already: *%s", s->kind);
  s->kind = card->word;
  s->direct = ig_card_get(card, "DIRECT") != NULL;
  s->explicit_ = ig_card_get(card, "EXPLICIT") != NULL;
  s->steady = ig_card_get(card, "STEADYSTATE") != NULL;
  /* Of *DYNAMIC; the default is CalculiX's. */
  IG_TRY(ig_card_number(d, card, "ALPHA", -0.05, &s->alpha));
  IG_TRY(ig_card_number(d, card, "CETOL", 0, &s->creep_change));
  s->first = s->period = 1;
  s->most = s->high = INFINITY;
  s->riks = ig_card_get(card, "RIKS") != NULL;
  s->end_factor = s->end_value = NAN;
  if (!l)
    return IG_OK;
  /* Number of modes first; *FREQUENCY then has its bounds in Hz. */
  if (strcmp(s->kind, "FREQUENCY") == 0 || strcmp(s->kind, "BUCKLE") == 0) {
    IG_TRY(ig_card_int(d, card, l, 0, 1, &s->modes));
    if (strcmp(s->kind, "BUCKLE") == 0) /* the rest steers its eigenvalue solver */
      return IG_OK;
    double scaling;
    IG_TRY(ig_card_real(d, card, l, 1, 0, &s->low));
    IG_TRY(ig_card_real(d, card, l, 2, INFINITY, &s->high));
    IG_TRY(ig_card_real(d, card, l, 3, 0, &scaling));
    if (scaling != 0)
      return ig_deck_refuse(d, card, "selective mass scaling (fourth number) is not computed");
    return IG_OK;
  }
  IG_TRY(ig_card_real(d, card, l, 0, 1, &s->first));
  IG_TRY(ig_card_real(d, card, l, 1, 1, &s->period));
  IG_TRY(ig_card_real(d, card, l, 2, 0, &s->least));
  IG_TRY(ig_card_real(d, card, l, 3, INFINITY, &s->most));
  s->most = s->most > 0 ? s->most : INFINITY;
  if (s->first <= 0 || s->period <= 0)
    return ig_deck_refuse(d, card, "increment %g, period %g: expected positive numbers", s->first,
                          s->period);
  return s->riks ? riks_read(d, card, l, s) : IG_OK;
}

/* One ig_deck_print per quantity. SOF, SOM and SOAREA of a section are one table. */
static ig_status print_read(ig_deck *d, const ig_card *card, ig_deck_step *s) {
  static const char *const keys[] = {"NSET", "ELSET", "SURFACE"};
  /* Kind of set by the keyword; keys[] has the parameter that names the set, in the order of the
     kinds. */
  const int of = strcmp(card->word, "ELPRINT") == 0        ? IG_SET_ELEMENTS
                 : strcmp(card->word, "SECTIONPRINT") == 0 ? IG_SET_FACES
                                                           : IG_SET_NODES;
  const char *set = ig_card_get(card, keys[of]);
  /* TOTALS=YES: sums besides the rows; ONLY: sums alone. */
  const char *totals = ig_card_get(card, "TOTALS"), *frequency = ig_card_get(card, "FREQUENCY");
  if (!set && d->lenient)
    return ig_deck_note(d, &card->at, "*%s names no set: nothing is written", card->word);
  if (!set)
    return ig_deck_refuse(d, card, "expected %s=", keys[of]);
  if (ig_card_get(card, "TIMEPOINTS"))
    IG_TRY(ig_deck_note(d, &card->at, "*%s: TIME POINTS: tables are written at the end of steps",
                        card->word));
  if (is(frequency, "0"))
    return IG_OK; /* no output, by the keyword's own meaning */
  if (frequency && !is(frequency, "1"))
    IG_TRY(ig_deck_note(d, &card->at, "*%s: FREQUENCY: tables are written at the end of steps",
                        card->word));
  bool section = false; /* all figures of a section are written together */
  for (const ig_card_line *l = card->line; l; l = l->next)
    for (int f = 0; f < l->count; f++) {
      const char *quantity = ig_card_text(l, f);
      const bool force = ig_choices_find("SOF|SOM|SOAREA", quantity) >= 0;
      ig_deck_print *p;
      if (of == IG_SET_FACES && force && section)
        continue;
      section |= force;
      IG_TRY(IG_DECK_ADD(d, &s->print, &p));
      p->at = ig_card_line_at(card, l);
      p->of = of;
      p->set = set;
      p->quantity = of == IG_SET_FACES && force ? "SOF" : quantity;
      p->totals = is(totals, "YES") || is(totals, "ONLY");
      p->totals_only = is(totals, "ONLY");
      p->global = is(ig_card_get(card, "GLOBAL"), "YES");
    }
  return IG_OK;
}

/* *MODEL CHANGE, TYPE=CONTACT PAIR: from this step on without a pair, or with it again.
   Bit k of `without` is step k; all steps from this one on are set or cleared, since a change
   lasts. */
static ig_status change_read(ig_deck *d, const ig_card *card, int step) {
  const bool without = ig_card_get(card, "REMOVE") != NULL;
  const char *type = ig_card_get(card, "TYPE");
  if (!type || (!is(type, "CONTACTPAIR") && !is(type, "CONTACT PAIR")))
    return ig_deck_refuse(d, card, "TYPE=%.40s: expected CONTACT PAIR; elements stay",
                          type ? type : "");
  if (step > 63)
    return ig_deck_refuse(d, card, "contact changes in the first 63 steps");
  for (const ig_card_line *l = card->line; l; l = l->next) {
    bool found = false;
    for (ig_deck_join *j = d->join; j; j = j->next)
      if (strcmp(j->kind, "CONTACTPAIR") == 0 && is(j->slave, ig_card_text(l, 0)) &&
          is(j->master, ig_card_text(l, 1))) {
        const uint64_t on = ~UINT64_C(0) << step;
        j->without = without ? j->without | on : j->without & ~on;
        found = true;
      }
    if (!found)
      return ig_deck_refuse(d, card, "no *CONTACT PAIR of '%.40s' and '%.40s'", ig_card_text(l, 0),
                            ig_card_text(l, 1));
  }
  return IG_OK;
}

/* Loads and supports of this keyword from the steps before end here. */
static void removal_note(ig_deck_step *s, const char *word) {
  int i = 0;
  while (i < s->removals && strcmp(s->removed[i], word) != 0)
    i++;
  if (i == s->removals && i < (int)(sizeof s->removed / sizeof *s->removed))
    s->removed[s->removals++] = word;
}

ig_status ig_deck_step_read(ig_deck *d, const ig_card **at) {
  const ig_card *begin = *at, *c = begin->next;
  const char *amplitude = ig_card_get(begin, "AMPLITUDE"), *nlgeom = ig_card_get(begin, "NLGEOM");
  ig_deck_step *s;
  IG_TRY(IG_DECK_ADD(d, &d->step, &s));
  s->at = begin->at;
  s->nlgeom = nlgeom && !is(nlgeom, "NO");
  for (const ig_deck_step *t = d->step; t != s && !nlgeom; t = t->next)
    s->nlgeom = t->nlgeom; /* from a step on, all those after it */
  double increments;
  IG_TRY(ig_card_number(d, begin, "INC", 0, &increments));
  if (increments < 0 || increments > 1e9 || increments != floor(increments))
    return ig_deck_refuse(d, begin, "INC=%.40s: expected a whole number from 1",
                          ig_card_get(begin, "INC"));
  s->increments = (int64_t)increments;
  s->perturbation = ig_card_get(begin, "PERTURBATION") != NULL;
  s->suddenly = is(amplitude, "STEP");
  s->ramp = is(amplitude, "RAMP");
  for (; c && strcmp(c->word, "ENDSTEP") != 0; c = c->next) {
    const char *w = c->word, *op = ig_card_get(c, "OP");
    if (strcmp(w, "STEP") == 0)
      return ig_deck_refuse(d, c, "within the step of line %d: expected *END STEP first",
                            begin->at.line);
    if (strcmp(w, "MODELCHANGE") == 0) {
      int number = 0;
      for (const ig_deck_step *t = d->step; t; t = t->next)
        number++;
      IG_TRY(change_read(d, c, number));
    } else if (strcmp(w, "EQUATION") == 0) {
      int number = 0;
      for (const ig_deck_step *t = d->step; t; t = t->next)
        number++;
      IG_TRY(ig_deck_equations(d, c, number));
    } else if (ig_choices_find("STATIC|VISCO|DYNAMIC|FREQUENCY|BUCKLE|HEATTRANSFER", w) >= 0) {
      IG_TRY(procedure_read(d, c, s));
    } else if (ig_choices_find("BOUNDARY|CLOAD|DLOAD|DSLOAD|TEMPERATURE|CFLUX|DFLUX|FILM|RADIATE",
                               w) >= 0) {
      if (op && !is(op, "MOD") && !is(op, "NEW"))
        return ig_deck_refuse(d, c, "OP=%.40s: expected MOD or NEW", op);
      if (is(op, "NEW"))
        removal_note(s, w);
      IG_TRY(ig_deck_values(d, c, &s->value));
    } else if (ig_choices_find("NODEPRINT|ELPRINT|SECTIONPRINT", w) >= 0) {
      IG_TRY(print_read(d, c, s));
    } else if (c->keyword->class == IG_DECK_OUTPUT) {
      IG_TRY(ig_deck_note(d, &c->at, "*%s: %s", w, c->keyword->becomes));
    } else if (c->keyword->class != IG_DECK_UNANSWERED) {
      return ig_deck_refuse(d, c, "not understood within a step");
    }
  }
  if (!c)
    return ig_deck_refuse(d, begin, "has no *END STEP");
  if (!s->kind)
    return ig_deck_refuse(d, begin, "the step has no procedure: expected *STATIC, *FREQUENCY …");
  *at = c;
  return IG_OK;
}
