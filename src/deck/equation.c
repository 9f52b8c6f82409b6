/* *EQUATION: linear equations between components, and which ones end.

   CalculiX lets equations end in a later step (REMOVE, and REMOVE ALL). A case gives each
   equation the first and the last analysis it acts in, hence ig_deck_equation.first and last. */
#include "deck/deck.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* Equal but for case; false for NULL. */
static bool is(const char *text, const char *word) {
  return text && strcasecmp(text, word) == 0;
}

/* Equations: how many terms, then node, component, factor, on as many lines as it takes.
   The number of terms stands alone on its line. Terms follow in groups of three fields; a line
   may have several (CalculiX: up to four), and a group is never split between lines. 1e6 bounds
   the memory that a misread number could ask for. */
static ig_status equations_read(ig_deck *d, const ig_card *card, int step) {
  for (const ig_card_line *l = card->line; l;) {
    int64_t terms, component;
    IG_TRY(ig_card_int(d, card, l, 0, 0, &terms));
    const ig_src at = ig_card_line_at(card, l);
    if (terms < 1 || terms > 1000000)
      return ig_fail_at(d->cx, &at, "*EQUATION: expected the number of terms, found '%.40s'",
                        ig_card_text(l, 0));
    ig_deck_equation *e;
    IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&e, 1, sizeof *e));
    e->at = at;
    IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&e->node, (size_t)terms, sizeof *e->node));
    IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&e->component, (size_t)terms,
                         sizeof *e->component));
    IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&e->factor, (size_t)terms, sizeof *e->factor));
    for (l = l->next; e->terms < terms; l = l->next) {
      if (!l)
        return ig_fail_at(d->cx, &at, "*EQUATION: ends after %d of %d terms", e->terms, (int)terms);
      for (int f = 0; f + 2 < l->count && e->terms < terms; f += 3, e->terms++) {
        e->node[e->terms] = ig_card_text(l, f);
        IG_TRY(ig_card_int(d, card, l, f + 1, 0, &component));
        if (component < 1 || component > 6) {
          const ig_src where = ig_card_line_at(card, l);
          return ig_fail_at(d->cx, &where, "*EQUATION: component %d: expected 1 to 6",
                            (int)component);
        }
        e->component[e->terms] = (int)component;
        IG_TRY(ig_card_real(d, card, l, f + 2, NAN, &e->factor[e->terms]));
      }
    }
    /* Equations of the model (step 0) and of the first step act from the start. */
    e->first = step > 1 ? step : 1;
    /* The end of the list is kept: decks with cyclic symmetry have 1e5 equations. */
    ig_deck_equation **last = d->equation_last ? d->equation_last : &d->equation;
    *last = e;
    d->equation_last = &e->next;
  }
  return IG_OK;
}

/* REMOVE: lines with node and components of first terms.
   An equation is named by its first term, the dependent one. It acts last in the step before
   this one. */
static ig_status equations_remove(ig_deck *d, const ig_card *card, int step) {
  const bool all = ig_card_get(card, "REMOVEALL") != NULL;
  if (step < 2)
    return ig_deck_refuse(d, card,
                          "equations may end in the second step or later: leave out those "
                          "that never act");
  for (ig_deck_equation *e = d->equation; e && all; e = e->next)
    e->last = e->last ? e->last : step - 1;
  for (const ig_card_line *l = all ? NULL : card->line; l; l = l->next) {
    int64_t from, to;
    bool found = false;
    IG_TRY(ig_card_int(d, card, l, 1, 0, &from));
    IG_TRY(ig_card_int(d, card, l, 2, from, &to));
    for (ig_deck_equation *e = d->equation; e; e = e->next)
      if (is(e->node[0], ig_card_text(l, 0)) && e->component[0] >= from && e->component[0] <= to &&
          !e->last) {
        e->last = step - 1;
        found = true;
      }
    if (!found) {
      const ig_src at = ig_card_line_at(card, l);
      return ig_fail_at(d->cx, &at, "*EQUATION, REMOVE: no equation begins with node %.40s, %d",
                        ig_card_text(l, 0), (int)from);
    }
  }
  return IG_OK;
}

/* step: number of the step from 1, 0 in the model. REMOVE names equations by their first term. */
ig_status ig_deck_equations(ig_deck *d, const ig_card *card, int step) {
  return ig_card_get(card, "REMOVE") || ig_card_get(card, "REMOVEALL")
             ? equations_remove(d, card, step)
             : equations_read(d, card, step);
}
