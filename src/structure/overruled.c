/* Two constraints of one unknown. Only the later one acts (implicit/system.h), which is right where
   the earlier one holds all the same, as on a plane of symmetry of two parts that are tied; where
   it does not, the case is refused. Supports among themselves: constrain.c. */
#include "structure/constrain.h"

#include <math.h>
#include <stdlib.h>

/* A sum over unknowns that nothing constrains, or that supports lead. */
typedef struct {
  int32_t unknown;
  double factor;
} term;
typedef struct {
  ig_structure *s;
  int terms;
  term *term;
  int deep; /* constraints under way: more than all is a circle, of which close() says more */
} sum;

static ig_status sum_add(sum *a, int32_t unknown, double factor) {
  ig_structure *s = a->s;
  const int32_t row = s->system->row[unknown];
  const ig_constraint *c = row < 0 ? NULL : &s->system->constraint[row];
  if (c && c->terms > 0 && a->deep < s->system->constraints) {
    ig_status status = IG_OK;
    a->deep++;
    for (int32_t k = 0; k < c->terms && status == IG_OK; k++)
      status = sum_add(a, s->system->master[c->at + (size_t)k],
                       factor * s->system->coefficient[c->at + (size_t)k]);
    a->deep--;
    return status;
  }
  for (int i = 0; i < a->terms; i++)
    if (a->term[i].unknown == unknown) {
      a->term[i].factor += factor;
      return IG_OK;
    }
  IG_TRY(IG_MORE(s->cx, &a->term, a->terms, "constraints"));
  a->term[a->terms++] = (term){unknown, factor};
  return IG_OK;
}

/* Whether what supports lead adds up to nothing from the start of the analysis to a time. */
static bool still_at(const sum *a, double time) {
  const ig_structure *s = a->s;
  double total = 0, most = 0;
  for (int i = 0; i < a->terms; i++) {
    const int held = s->held_of[a->term[i].unknown];
    if (held < 0)
      continue;
    const double part = a->term[i].factor * ig_structure_led(s, &s->held[held], s->begin, time);
    total += part;
    most = fmax(most, fabs(part));
  }
  return fabs(total) <= 1e-6 * most;
}

/* The same through the whole analysis, at the rows of the histories, between which motions are
   straight lines; and nothing free is left. */
static bool is_nothing(const sum *a) {
  const ig_structure *s = a->s;
  const ig_structure_analysis *now =
      IG_ITEM(const ig_structure_analysis, s->c->analysis, s->analysis);
  const double end = s->begin + now->duration;
  double largest = 0;
  for (int i = 0; i < a->terms; i++)
    largest = fmax(largest, fabs(a->term[i].factor));
  for (int i = 0; i < a->terms; i++) {
    const int held = s->held_of[a->term[i].unknown];
    if (held < 0 && fabs(a->term[i].factor) > 1e-6 * largest)
      return false;
    if (held < 0 || now->kind == IG_STRUCTURE_FREQUENCY)
      continue;
    const ig_table *h =
        &IG_ITEM(const ig_structure_support, s->c->supports, s->held[held].support)->history;
    for (int k = 0; k <= h->count; k++) {
      const double time = k < h->count ? h->x[k] : end;
      if (time >= s->begin && time <= end && !still_at(a, time))
        return false;
    }
  }
  return true;
}

/* The entry that a constraint came from, NULL: a support, or what shells and beams are made of. */
static const ig_structure_source *source_of(const ig_structure *s, int32_t constraint) {
  for (int i = 0; i < s->sources; i++)
    if (constraint >= s->source[i].begin && constraint < s->source[i].end)
      return &s->source[i];
  return NULL;
}

static ig_status refuse(ig_structure *s, int32_t unknown, const ig_structure_source *early,
                        const ig_structure_source *late) {
  char name[96];
  const int held = s->held_of[unknown];
  const ig_src *at =
      late ? late->at
           : &IG_ITEM(const ig_structure_support, s->c->supports, s->held[held].support)->at;
  ig_structure_unknown_name(s, unknown, name, sizeof name);
  return ig_fail_at(s->cx, at,
                    "%s is led by this %s and by the %s of line %d, which do not agree: take it "
                    "out of one of them%s",
                    name, late ? late->what : "support", early->what, early->at->line,
                    late ? "" : ", or lead what the other one follows");
}

ig_status ig_structure_source_add(ig_structure *s, const char *what, const ig_src *at,
                                  int32_t begin) {
  IG_TRY(IG_MORE(s->cx, &s->source, s->sources, "constraints"));
  s->source[s->sources++] = (ig_structure_source){what, at, begin, s->system->constraints};
  return IG_OK;
}

ig_status ig_structure_overruled_check(ig_structure *s) {
  const ig_system *y = s->system;
  for (int i = 0; i < s->sources; i++)
    for (int32_t k = s->source[i].begin; k < s->source[i].end; k++) {
      const ig_constraint *c = &y->constraint[k];
      const int32_t row = y->row[c->slave];
      const ig_structure_source *late = row == k ? NULL : source_of(s, row);
      if (row == k || (!late && s->held_of[c->slave] < 0))
        continue;
      sum a = {.s = s};
      ig_status status = sum_add(&a, c->slave, -1);
      for (int32_t t = 0; t < c->terms && status == IG_OK; t++)
        status = sum_add(&a, y->master[c->at + (size_t)t], y->coefficient[c->at + (size_t)t]);
      if (status == IG_OK && !is_nothing(&a))
        status = refuse(s, c->slave, &s->source[i], late);
      free(a.term);
      IG_TRY(status);
    }
  return IG_OK;
}
