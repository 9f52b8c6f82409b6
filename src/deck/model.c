/* Cards of the model: materials, sections, axes, amplitudes, and what joins nodes.

   ig_deck_model is the entry: one pass over the cards, in the deck's order, which gives each
   card to the function of its keyword and each *STEP to step.c. Cards that complete others
   (*ELASTIC a material, *FRICTION an interaction, *KINEMATIC a coupling) belong to the last one
   before them. Names are not resolved here: sections may stand before their materials. */
#include "deck/deck.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* Equal but for case; false for NULL. */
static bool is(const char *text, const char *word) {
  return text && strcasecmp(text, word) == 0;
}

/* A parameter that must be there, with a value. */
static ig_status need(const ig_deck *d, const ig_card *card, const char *parameter,
                      const char **value) {
  *value = ig_card_get(card, parameter);
  return *value && **value ? IG_OK : ig_deck_refuse(d, card, "expected %s=", parameter);
}

/* Numbers of a card, `columns` to a row; a row goes on in the next line where columns are missing
   and `wrap` is set.
   Wrapped rows: *ELASTIC, TYPE=ORTHO has 9 constants and a temperature on lines of at most 8
   numbers. Missing numbers stay NaN; users of them check. A second card of the same kind in
   one material is refused. */
static ig_status rows_read(ig_deck *d, const ig_card *card, int columns, bool wrap,
                           ig_deck_rows *rows) {
  const char *type = ig_card_get(card, "TYPE");
  int count = 0;
  for (const ig_card_line *l = card->line; l; l = l->next)
    count += wrap ? l->count : 1;
  count = wrap ? (count + columns - 1) / columns : count;
  if (rows->rows)
    return ig_deck_refuse(d, card, "the material has one already (line %d)", rows->at.line);
  if (!count)
    return ig_deck_refuse(d, card, "expected a line with values");
  *rows =
      (ig_deck_rows){.at = card->at, .type = type ? type : "", .rows = count, .columns = columns};
  IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&rows->value, (size_t)(count * columns),
                       sizeof *rows->value));
  for (int i = 0; i < count * columns; i++)
    rows->value[i] = NAN;
  int at = 0;
  for (const ig_card_line *l = card->line; l; l = l->next) {
    if (!wrap && l->count > columns) {
      const ig_src where = ig_card_line_at(card, l);
      return ig_fail_at(d->cx, &where, "*%s: %d numbers: expected at most %d", card->word, l->count,
                        columns);
    }
    for (int f = 0; f < l->count; f++)
      if (*ig_card_text(l, f))
        IG_TRY(ig_card_real(d, card, l, f, NAN, &rows->value[at + f]));
    at += wrap ? l->count : columns;
  }
  return IG_OK;
}

/* Columns: constants of the type, then a temperature. */
static ig_status elastic_read(ig_deck *d, const ig_card *card, ig_deck_material *m) {
  const char *type = ig_card_get(card, "TYPE");
  if (!type || is(type, "ISO") || is(type, "ISOTROPIC"))
    return rows_read(d, card, 3, false, &m->elastic);
  if (is(type, "ORTHO") || is(type, "ORTHOTROPIC") || is(type, "ENGINEERINGCONSTANTS") ||
      is(type, "ENGINEERING CONSTANTS"))
    return rows_read(d, card, 10, true, &m->elastic);
  if (is(type, "ANISO") || is(type, "ANISOTROPIC"))
    return rows_read(d, card, 22, true, &m->elastic);
  return ig_deck_refuse(d, card,
                        "TYPE=%.40s: expected ISOTROPIC, ORTHOTROPIC, ANISOTROPIC or "
                        "ENGINEERING CONSTANTS",
                        type);
}

/* Columns: yield stress, plastic strain, temperature. */
static ig_status plastic_read(ig_deck *d, const ig_card *card, ig_deck_material *m) {
  const char *hardening = ig_card_get(card, "HARDENING");
  m->kinematic = is(hardening, "KINEMATIC");
  if (hardening && !m->kinematic && !is(hardening, "ISOTROPIC"))
    return ig_deck_refuse(d, card, "HARDENING=%.40s: expected ISOTROPIC or KINEMATIC", hardening);
  return rows_read(d, card, 3, false, &m->plastic);
}

/* ZERO=: the reference temperature of a mean coefficient, 0 by default, in the deck's scale. */
static ig_status expansion_read(ig_deck *d, const ig_card *card, ig_deck_material *m) {
  const char *type = ig_card_get(card, "TYPE"), *zero = ig_card_get(card, "ZERO");
  if (type && !is(type, "ISO"))
    return ig_deck_refuse(d, card, "TYPE=%.40s: expected ISO, the same in every direction", type);
  m->expansion_zero = 0;
  if (zero) {
    const char *fields[1] = {zero};
    const ig_card_line line = {.line = card->at.line, .count = 1, .field = fields};
    IG_TRY(ig_card_real(d, card, &line, 0, NAN, &m->expansion_zero));
  }
  return rows_read(d, card, 2, false, &m->expansion);
}

/* One row of constants: how many depends on the energy and its order.
   numbers[N]: constants of order N, D_i included; 0: there is no such order. Numbers left out
   are 0. */
static ig_status hyper_read(ig_deck *d, const ig_card *card, ig_deck_material *m) {
  static const struct {
    const char *name;
    int numbers[4]; /* by order */
  } all[] = {{"NEOHOOKE", {0, 2, 0, 0}},    {"MOONEY-RIVLIN", {0, 3, 0, 0}},
             {"YEOH", {0, 6, 0, 0}},        {"OGDEN", {0, 3, 6, 9}},
             {"POLYNOMIAL", {0, 3, 7, 12}}, {"REDUCEDPOLYNOMIAL", {0, 2, 4, 6}}};
  double order;
  IG_TRY(ig_card_number(d, card, "N", 1, &order));
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (ig_card_get(card, all[i].name)) {
      const int n = order == 2 ? 2 : order == 3 ? 3 : order == 1 ? 1 : 0, need = all[i].numbers[n];
      if (!need)
        return ig_deck_refuse(d, card, "N=%g is not understood", order);
      m->energy = all[i].name;
      IG_TRY(rows_read(d, card, need + 1, true, &m->hyperelastic));
      if (m->hyperelastic.rows != 1)
        return ig_deck_refuse(d, card, "constants over temperature are not understood");
      for (int k = 0; k < need; k++)
        if (isnan(m->hyperelastic.value[k]))
          m->hyperelastic.value[k] = 0;
      return IG_OK;
    }
  return ig_deck_refuse(d, card,
                        "expected NEO HOOKE, MOONEY-RIVLIN, YEOH, OGDEN, POLYNOMIAL or "
                        "REDUCED POLYNOMIAL");
}

/* Columns: factor, power of the stress, power of the time, temperature. */
static ig_status creep_read(ig_deck *d, const ig_card *card, ig_deck_material *m) {
  const char *law = ig_card_get(card, "LAW");
  m->creep_by_strain = is(law, "STRAIN");
  if (law && !m->creep_by_strain && !is(law, "NORTON") && !is(law, "TIME"))
    return ig_deck_refuse(d, card, "LAW=%.40s: expected NORTON, TIME or STRAIN", law);
  IG_TRY(rows_read(d, card, 4, false, &m->creep));
  if (m->creep.rows != 1)
    return ig_deck_refuse(d, card,
                          "constants over temperature are not translated: a case has an activation "
                          "energy (materials[].mechanical.creep.energy)");
  return IG_OK;
}

/* m: the material under way, NULL before the first. */
static ig_status material_part(ig_deck *d, const ig_card *card, ig_deck_material *m) {
  static const char *const words[] = {"ELASTIC",   "PLASTIC",      "DENSITY",
                                      "EXPANSION", "CONDUCTIVITY", "SPECIFICHEAT",
                                      "DAMPING",   "HYPERELASTIC", "CREEP"};
  int which = 0;
  while (strcmp(words[which], card->word) != 0)
    which++;
  if (!m)
    return ig_deck_refuse(d, card, "stands before any *MATERIAL");
  switch (which) {
  case 0:
    return elastic_read(d, card, m);
  case 1:
    return plastic_read(d, card, m);
  case 2:
    return rows_read(d, card, 2, false, &m->density);
  case 3:
    return expansion_read(d, card, m);
  case 4:
    if (ig_card_get(card, "TYPE") && !is(ig_card_get(card, "TYPE"), "ISO"))
      return ig_deck_refuse(d, card, "TYPE: expected ISO");
    return rows_read(d, card, 2, false, &m->conductivity);
  case 5:
    return rows_read(d, card, 2, false, &m->specific_heat);
  case 7:
    return hyper_read(d, card, m);
  case 8:
    return creep_read(d, card, m);
  default:
    IG_TRY(ig_card_number(d, card, "ALPHA", 0, &m->damping[0]));
    return ig_card_number(d, card, "BETA", 0, &m->damping[1]);
  }
}

/* Completes a contact pair that was read before. */
static ig_status clearance_read(ig_deck *d, const ig_card *card) {
  const char *slave = ig_card_get(card, "SLAVE"), *master = ig_card_get(card, "MASTER");
  bool found = false;
  for (ig_deck_join *j = d->join; j; j = j->next)
    if (strcmp(j->kind, "CONTACTPAIR") == 0 && slave && master && is(j->slave, slave) &&
        is(j->master, master)) {
      IG_TRY(ig_card_number(d, card, "VALUE", 0, &j->clearance));
      found = true;
    }
  return found ? IG_OK
               : ig_deck_refuse(d, card, "no *CONTACT PAIR of '%.40s' and '%.40s' before it",
                                slave ? slave : "", master ? master : "");
}

/* Data lines: thickness of a shell; sizes of a beam's profile, then its first axis (default 0,
   0, -1 in both programs). OFFSET is of shells, OFFSET1 and OFFSET2 of beams. */
static ig_status section_read(ig_deck *d, const ig_card *card) {
  ig_deck_section *s;
  IG_TRY(IG_DECK_ADD(d, &d->section, &s));
  s->at = card->at;
  s->kind = card->word;
  IG_TRY(need(d, card, "ELSET", &s->elset));
  IG_TRY(need(d, card, "MATERIAL", &s->material));
  s->orientation = ig_card_get(card, "ORIENTATION");
  s->profile = ig_card_get(card, "SECTION");
  s->nodal = ig_card_get(card, "NODALTHICKNESS") != NULL;
  static const char *const offsets[] = {"OFFSET", "OFFSET1", "OFFSET2"};
  for (int i = 0; i < 3; i++) {
    const char *fields[1] = {ig_card_get(card, offsets[i])};
    const ig_card_line line = {.line = card->at.line, .count = 1, .field = fields};
    if (fields[0])
      IG_TRY(ig_card_real(d, card, &line, 0, NAN, &s->offset[i / 2]));
  }
  const ig_card_line *l = card->line;
  for (int f = 0; l && f < l->count && f < 6; f++, s->sizes++)
    IG_TRY(ig_card_real(d, card, l, f, NAN, &s->size[f]));
  s->direction[2] = -1; /* where no second line says otherwise */
  for (int f = 0; l && l->next && f < 3; f++)
    IG_TRY(ig_card_real(d, card, l->next, f, 0, &s->direction[f]));
  return IG_OK;
}

/* First data line of *ORIENTATION and *TRANSFORM: six numbers. */
static ig_status vectors_read(ig_deck *d, const ig_card *card, double a[3], double b[3]) {
  const ig_card_line *l = card->line;
  if (!l || l->count < 6)
    return ig_deck_refuse(d, card, "expected a line with the coordinates of two points");
  for (int i = 0; i < 3; i++) {
    IG_TRY(ig_card_real(d, card, l, i, NAN, &a[i]));
    IG_TRY(ig_card_real(d, card, l, 3 + i, NAN, &b[i]));
  }
  return IG_OK;
}

/* Turns rectangular axes, given by two vectors in the plane of x and y, about one of them.
   Gram-Schmidt, then a rotation by `angle` (rad) about local axis `about`; a and b become the
   first two axes, of unit length.
   The rotation is about the axis as it is before, by the right-hand rule. */
static void axes_turn(ig_deck_axes *x, int about, double angle) {
  double e[3][3], size = 0, across = 0;
  for (int i = 0; i < 3; i++)
    size += x->a[i] * x->a[i];
  for (int i = 0; i < 3; i++) {
    e[0][i] = x->a[i] / sqrt(size);
    across += e[0][i] * x->b[i];
  }
  size = 0;
  for (int i = 0; i < 3; i++) {
    e[1][i] = x->b[i] - across * e[0][i];
    size += e[1][i] * e[1][i];
  }
  for (int i = 0; i < 3; i++)
    e[1][i] /= sqrt(size);
  for (int i = 0; i < 3; i++)
    e[2][i] = e[0][(i + 1) % 3] * e[1][(i + 2) % 3] - e[0][(i + 2) % 3] * e[1][(i + 1) % 3];
  const int p = (about + 1) % 3, q = (about + 2) % 3;
  for (int i = 0; i < 3; i++) {
    const double u = e[p][i], v = e[q][i];
    e[p][i] = cos(angle) * u + sin(angle) * v;
    e[q][i] = cos(angle) * v - sin(angle) * u;
  }
  memcpy(x->a, e[0], sizeof x->a);
  memcpy(x->b, e[1], sizeof x->b);
}

/* *ORIENTATION may have a second line: local axis and angle in degrees. */
static ig_status axes_read(ig_deck *d, const ig_card *card) {
  const bool orientation = strcmp(card->word, "ORIENTATION") == 0;
  const char *kind = ig_card_get(card, orientation ? "SYSTEM" : "TYPE");
  ig_deck_axes *x;
  IG_TRY(IG_DECK_ADD(d, &d->axes, &x));
  x->at = card->at;
  x->orientation = orientation;
  IG_TRY(need(d, card, orientation ? "NAME" : "NSET", &x->name));
  x->cylindrical = is(kind, "C") || is(kind, "CYLINDRICAL");
  if (kind && !x->cylindrical && !is(kind, "R") && !is(kind, "RECTANGULAR"))
    return ig_deck_refuse(d, card, "%.40s: expected a rectangular or cylindrical system", kind);
  IG_TRY(vectors_read(d, card, x->a, x->b));
  const ig_card_line *turn = card->line ? card->line->next : NULL;
  if (!turn)
    return IG_OK;
  int64_t axis;
  double angle;
  IG_TRY(ig_card_int(d, card, turn, 0, 0, &axis));
  IG_TRY(ig_card_real(d, card, turn, 1, 0, &angle));
  if (axis < 1 || axis > 3)
    return ig_deck_refuse(d, card, "a rotation about the local axis %d: expected 1 to 3",
                          (int)axis);
  if (x->cylindrical)
    return ig_deck_refuse(d, card, "a rotation of cylindrical axes is not understood");
  axes_turn(x, (int)axis - 1, angle * M_PI / 180);
  return IG_OK;
}

/* Pairs run over as many lines as they take, usually four pairs each. One allocation holds
   times, then values. */
static ig_status amplitude_read(ig_deck *d, const ig_card *card) {
  const char *time = ig_card_get(card, "TIME"), *kind = ig_card_get(card, "DEFINITION");
  int count = 0, at = 0;
  ig_deck_amplitude *a;
  IG_TRY(IG_DECK_ADD(d, &d->amplitude, &a));
  a->at = card->at;
  IG_TRY(need(d, card, "NAME", &a->name));
  a->total = is(time, "TOTALTIME") || is(time, "TOTAL TIME");
  if ((time && !a->total && !is(time, "STEPTIME") && !is(time, "STEP TIME")) ||
      (kind && !is(kind, "TABULAR")))
    return ig_deck_refuse(d, card, "expected a table over the time of the step or TIME=TOTAL TIME");
  for (const ig_card_line *l = card->line; l; l = l->next)
    count += l->count;
  if (count == 0 || count % 2)
    return ig_deck_refuse(d, card, "expected pairs of time and value, found %d numbers", count);
  IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&a->time, (size_t)count, sizeof *a->time));
  a->value = a->time + count / 2;
  for (const ig_card_line *l = card->line; l; l = l->next)
    for (int f = 0; f < l->count; f++, at++)
      IG_TRY(ig_card_real(d, card, l, f, NAN, at % 2 ? &a->value[at / 2] : &a->time[at / 2]));
  a->count = count / 2;
  for (int i = 1; i < a->count; i++)
    if (a->time[i] < a->time[i - 1])
      return ig_deck_refuse(d, card, "time %g after %g: times must rise", a->time[i],
                            a->time[i - 1]);
  return IG_OK;
}

/* Springs, masses, distributing couplings: the card is kept and read with its elements
   (import_points.c). */
static ig_status point_read(ig_deck *d, const ig_card *card) {
  ig_deck_point *p;
  IG_TRY(IG_DECK_ADD(d, &d->point, &p));
  p->at = card->at;
  p->card = card;
  return need(d, card, "ELSET", &p->elset);
}

/* *TIE, *RIGID BODY, *COUPLING. *TIE moves slave nodes onto the master (adjust) unless
   ADJUST=NO. */
static ig_status join_read(ig_deck *d, const ig_card *card) {
  ig_deck_join *j;
  IG_TRY(IG_DECK_ADD(d, &d->join, &j));
  j->at = card->at;
  j->kind = card->word;
  j->tolerance = j->clearance = NAN;
  if (strcmp(card->word, "TIE") == 0) {
    const char *tolerance = ig_card_get(card, "POSITIONTOLERANCE");
    const char *fields[1] = {tolerance ? tolerance : ""};
    const ig_card_line line = {.line = card->at.line, .count = 1, .field = fields};
    if (!card->line || card->line->count != 2)
      return ig_deck_refuse(d, card, "expected a line 'slave surface, master surface'");
    j->slave = ig_card_text(card->line, 0);
    j->master = ig_card_text(card->line, 1);
    j->adjust = !is(ig_card_get(card, "ADJUST"), "NO");
    return tolerance ? ig_card_real(d, card, &line, 0, NAN, &j->tolerance) : IG_OK;
  }
  j->slave = ig_card_get(card, "NSET") ? ig_card_get(card, "NSET") : ig_card_get(card, "ELSET");
  if (strcmp(card->word, "COUPLING") == 0)
    IG_TRY(need(d, card, "SURFACE", &j->slave));
  if (!j->slave)
    return ig_deck_refuse(d, card, "expected NSET= or ELSET=");
  IG_TRY(need(d, card, "REFNODE", &j->master));
  j->rotation = ig_card_get(card, "ROTNODE");
  j->orientation = ig_card_get(card, "ORIENTATION");
  return IG_OK;
}

/* *CONTACT PAIR: one pair per data line, slave first. */
static ig_status pairs_read(ig_deck *d, const ig_card *card) {
  const char *type = ig_card_get(card, "TYPE");
  for (const ig_card_line *l = card->line; l; l = l->next) {
    ig_deck_join *j;
    IG_TRY(IG_DECK_ADD(d, &d->join, &j));
    j->at = ig_card_line_at(card, l);
    j->kind = card->word;
    IG_TRY(need(d, card, "INTERACTION", &j->interaction));
    j->type = type ? type : "";
    j->onto = ig_card_get(card, "ADJUST");
    j->small = ig_card_get(card, "SMALLSLIDING") != NULL;
    j->tolerance = j->clearance = NAN;
    j->slave = ig_card_text(l, 0);
    j->master = ig_card_text(l, 1);
    if (!*j->slave || !*j->master)
      return ig_deck_refuse(d, card, "expected lines 'slave surface, master surface'");
  }
  return IG_OK;
}

/* HARD contact and no friction, until the cards after it say otherwise. */
static ig_status interaction_read(ig_deck *d, const ig_card *card) {
  ig_deck_interaction *i;
  IG_TRY(IG_DECK_ADD(d, &d->interaction, &i));
  i->at = card->at;
  i->overclosure = "HARD";
  i->friction = i->stick = NAN;
  return need(d, card, "NAME", &i->name);
}

/* *SURFACE BEHAVIOR, *FRICTION and *CONTACT DAMPING belong to the interaction before them. */
static ig_status behavior_read(ig_deck *d, const ig_card *card) {
  ig_deck_interaction *i = d->interaction;
  while (i && i->next)
    i = i->next;
  if (!i)
    return ig_deck_refuse(d, card, "expected after a *SURFACE INTERACTION");
  const ig_card_line *l = card->line;
  if (strcmp(card->word, "FRICTION") == 0) {
    if (!l)
      return ig_deck_refuse(d, card, "expected a line with the coefficient");
    IG_TRY(ig_card_real(d, card, l, 0, NAN, &i->friction));
    return l->count > 1 ? ig_card_real(d, card, l, 1, NAN, &i->stick) : IG_OK;
  }
  if (strcmp(card->word, "CONTACTDAMPING") == 0) {
    if (!l || l->count != 1 || l->next)
      return ig_deck_refuse(d, card, "expected a line with the coefficient alone");
    IG_TRY(ig_card_number(d, card, "TANGENTFRACTION", 0, &i->tangential));
    return ig_card_real(d, card, l, 0, NAN, &i->damping);
  }
  IG_TRY(need(d, card, "PRESSURE-OVERCLOSURE", &i->overclosure));
  for (int f = 0; l && f < l->count && f < 4; f++, i->values++)
    IG_TRY(ig_card_real(d, card, l, f, 0, &i->value[f]));
  /* Numbers that each law of overclosure needs. */
  const int least = is(i->overclosure, "HARD") ? 0 : is(i->overclosure, "EXPONENTIAL") ? 2 : 1;
  if (i->values < least)
    return ig_deck_refuse(d, card, "expected a line with %d values", least);
  if (!is(i->overclosure, "LINEAR") && !is(i->overclosure, "HARD") && !is(i->overclosure, "TIED") &&
      !is(i->overclosure, "EXPONENTIAL"))
    return ig_deck_refuse(d, card, "%.40s: expected LINEAR, HARD, TIED or EXPONENTIAL",
                          i->overclosure);
  return IG_OK;
}

/* *KINEMATIC or *DISTRIBUTING after its *COUPLING: which components.
   Data lines: first and last component, as of *BOUNDARY; without any, all six. */
static ig_status coupling_kind(ig_deck *d, const ig_card *card) {
  ig_deck_join *j = d->join;
  while (j && j->next)
    j = j->next;
  if (!j || strcmp(j->kind, "COUPLING") != 0 || j->type)
    return ig_deck_refuse(d, card, "expected after a *COUPLING");
  j->type = card->word;
  for (const ig_card_line *l = card->line; l; l = l->next) {
    int64_t first, last;
    IG_TRY(ig_card_int(d, card, l, 0, 0, &first));
    IG_TRY(ig_card_int(d, card, l, 1, first, &last));
    if (first < 1 || last > 6 || last < first) {
      const ig_src at = ig_card_line_at(card, l);
      return ig_fail_at(d->cx, &at, "*%s: expected components from 1 to 6", card->word);
    }
    for (int64_t c = first; c <= last; c++)
      j->component[c - 1] = 1;
  }
  for (int c = 0; !card->line && c < 6; c++)
    j->component[c] = 1;
  return IG_OK;
}

/* Put at the head of the list: a deck may have as many *ELEMENT cards as elements. */
static ig_status elements_read(ig_deck *d, const ig_card *card) {
  ig_deck_elements *e;
  IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&e, 1, sizeof *e));
  e->at = card->at;
  IG_TRY(need(d, card, "TYPE", &e->type));
  e->elset = ig_card_get(card, "ELSET");
  e->card = card;
  e->next = d->elements;
  d->elements = e;
  return IG_OK;
}

/* The keyword table has been checked: words that reach the end of the chain are known but
   misplaced. */
ig_status ig_deck_model(ig_deck *d) {
  ig_deck_material *material = NULL;
  for (const ig_card *c = d->card; c; c = c->next) {
    const char *w = c->word;
    if (strcmp(w, "STEP") == 0) {
      IG_TRY(ig_deck_step_read(d, &c));
    } else if (strcmp(w, "ELEMENT") == 0) {
      IG_TRY(elements_read(d, c));
    } else if (strcmp(w, "HEADING") == 0) {
      d->title = c->line ? ig_card_text(c->line, 0) : NULL;
    } else if (strcmp(w, "MATERIAL") == 0) {
      IG_TRY(IG_DECK_ADD(d, &d->material, &material));
      material->at = c->at;
      IG_TRY(need(d, c, "NAME", &material->name));
    } else if (strcmp(w, "PHYSICALCONSTANTS") == 0) {
      IG_TRY(ig_card_number(d, c, "ABSOLUTEZERO", d->absolute_zero, &d->absolute_zero));
      IG_TRY(ig_card_number(d, c, "STEFANBOLTZMANN", d->stefan_boltzmann, &d->stefan_boltzmann));
    } else if (strcmp(w, "CLEARANCE") == 0) {
      IG_TRY(clearance_read(d, c));
    } else if (ig_choices_find(
                   "ELASTIC|PLASTIC|DENSITY|EXPANSION|CONDUCTIVITY|SPECIFICHEAT|DAMPING|"
                   "HYPERELASTIC|CREEP",
                   w) >= 0) {
      IG_TRY(material_part(d, c, material));
    } else if (ig_choices_find("SOLIDSECTION|SHELLSECTION|BEAMSECTION", w) >= 0) {
      IG_TRY(section_read(d, c));
    } else if (strcmp(w, "NODALTHICKNESS") == 0 || strcmp(w, "NORMAL") == 0) {
      IG_TRY(ig_deck_values(d, c, w[1] == 'O' && w[2] == 'D' ? &d->thickness : &d->normal));
    } else if (strcmp(w, "ORIENTATION") == 0 || strcmp(w, "TRANSFORM") == 0) {
      IG_TRY(axes_read(d, c));
    } else if (strcmp(w, "AMPLITUDE") == 0) {
      IG_TRY(amplitude_read(d, c));
    } else if (strcmp(w, "EQUATION") == 0) {
      IG_TRY(ig_deck_equations(d, c, 0));
    } else if (strcmp(w, "MPC") == 0) {
      ig_deck_point *p;
      IG_TRY(IG_DECK_ADD(d, &d->mpc, &p));
      p->at = c->at;
      p->card = c;
    } else if (ig_choices_find("SPRING|MASS|DISTRIBUTINGCOUPLING", w) >= 0) {
      IG_TRY(point_read(d, c));
    } else if (strcmp(w, "CONTACTPAIR") == 0) {
      IG_TRY(pairs_read(d, c));
    } else if (strcmp(w, "SURFACEINTERACTION") == 0) {
      IG_TRY(interaction_read(d, c));
    } else if (ig_choices_find("SURFACEBEHAVIOR|FRICTION|CONTACTDAMPING", w) >= 0) {
      IG_TRY(behavior_read(d, c));
    } else if (ig_choices_find("TIE|RIGIDBODY|COUPLING", w) >= 0) {
      IG_TRY(join_read(d, c));
    } else if (strcmp(w, "KINEMATIC") == 0 || strcmp(w, "DISTRIBUTING") == 0) {
      IG_TRY(coupling_kind(d, c));
    } else if (strcmp(w, "INITIALCONDITIONS") == 0) {
      IG_TRY(ig_deck_values(d, c, &d->initial));
    } else if (strcmp(w, "BOUNDARY") == 0) {
      IG_TRY(ig_deck_values(d, c, &d->boundary));
    } else if (c->keyword->class == IG_DECK_STEP) {
      return ig_deck_refuse(d, c, "stands outside of a *STEP");
    } else if (c->keyword->class == IG_DECK_OUTPUT) {
      IG_TRY(ig_deck_note(d, &c->at, "*%s: %s", w, c->keyword->becomes));
    } else if (c->keyword->class == IG_DECK_MODEL) {
      return ig_deck_refuse(d, c, "not understood at this place");
    }
  }
  return IG_OK;
}
