/* The text of a deck as cards: keywords with their parameters and data lines, files included.

   A card is a keyword line and the data lines up to the next one. Lines are those of the mesh
   reader (io/mesh/mesh_inp.h), which joins continued keyword lines and skips `**` comments; mesh
   and model therefore agree on what a line is. Keywords are checked here against the table of
   keywords.c, before any meaning is given to them: an unknown keyword or parameter is an error with
   its line.

   Data lines of *NODE, *ELEMENT and sets are skipped (IG_DECK_MESH): these may be millions, and
   the mesh reader has them. Exceptions are elements that are no part of the mesh: springs,
   masses, DCOUP3D.

   Entry: ig_deck_cards. All text is copied into the arena of the case. */
#include "deck/deck.h"
#include "core/number.h"
#include "io/mesh/mesh_inp.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* next: offset of the member `next` of the item; size: of the item. Walks the list to its end,
   so that items stay in the order of the deck; lists that grow long keep their end instead
   (equation_last, card->last). */
ig_status ig_deck_add(ig_deck *d, void **list, size_t next, size_t size, void **item) {
  IG_TRY(ig_arena_take(d->cx, d->arena, item, 1, size));
  while (*list)
    list = (void **)((char *)*list + next);
  *list = *item;
  return IG_OK;
}

/* Notes are kept in order and reported by ig_deck_open, or written as comments of the case file. */
ig_status ig_deck_note(ig_deck *d, const ig_src *at, const char *format, ...) {
  char text[512], line[800];
  va_list args;
  va_start(args, format);
  ig_format_args(text, sizeof text, format, args);
  va_end(args);
  const int length = snprintf(line, sizeof line, "line %d: %s", at->line, text);
  if (d->notes == d->note_capacity) {
    const int more = d->note_capacity ? 2 * d->note_capacity : 16;
    const char **note;
    IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&note, (size_t)more, sizeof *note));
    if (d->notes)
      memcpy(note, d->note, (size_t)d->notes * sizeof *note);
    d->note = note;
    d->note_capacity = more;
  }
  return ig_arena_text(d->cx, d->arena, &d->note[d->notes++], line, (size_t)length);
}

ig_status ig_deck_warn(ig_deck *d, const ig_src *at, const char *format, ...) {
  char text[512], line[800];
  struct ig_case_warning *warning;
  va_list args;
  va_start(args, format);
  ig_format_args(text, sizeof text, format, args);
  va_end(args);
  const int length = snprintf(line, sizeof line, "%.200s:%d: %s", at->file, at->line, text);
  IG_TRY(ig_deck_note(d, at, "%s", text));
  IG_TRY(IG_DECK_ADD(d, &d->warning, &warning));
  return ig_arena_text(d->cx, d->arena, &warning->text, line, (size_t)length);
}

/* Always an error at the keyword line; returns IG_INPUT for the caller to pass on. */
ig_status ig_deck_refuse(const ig_deck *d, const ig_card *card, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  ig_format_args(text, sizeof text, format, args);
  va_end(args);
  return ig_fail_at(d->cx, &card->at, "*%s: %s", card->keyword ? card->keyword->word : card->word,
                    text);
}

/* "" where the parameter has no value (NLGEOM), NULL where it is not there at all. */
const char *ig_card_get(const ig_card *card, const char *parameter) {
  for (int i = 0; i < card->parameters; i++)
    if (strcmp(card->parameter[i].name, parameter) == 0)
      return card->parameter[i].value;
  return NULL;
}

/* The file of the card: *INCLUDE never falls between a keyword and its data. */
ig_src ig_card_line_at(const ig_card *card, const ig_card_line *line) {
  ig_src at = card->at;
  at.line = line->line;
  at.column = 1;
  return at;
}

/* Fields beyond the end of a line count as blank. */
const char *ig_card_text(const ig_card_line *line, int field) {
  return field < line->count ? line->field[field] : "";
}

/* Digits only: "3" is a node or element, "N3", "-3" and "3.0" are names of sets. */
bool ig_is_number(const char *text) {
  return *text && strspn(text, "0123456789") == strlen(text);
}

/* A blank field has the fallback; NaN means that there is none. Fortran's exponents (1.D-3) are
   accepted, as both programs do. Infinite numbers are refused. */
ig_status ig_card_real(const ig_deck *d, const ig_card *card, const ig_card_line *line, int field,
                       double fallback, double *value) {
  const char *text = ig_card_text(line, field);
  char copy[64], *end;
  *value = fallback;
  if (!*text && !isnan(fallback))
    return IG_OK;
  const size_t length = strlen(text);
  if (length > 0 && length < sizeof copy) {
    memcpy(copy, text, length + 1);
    for (char *c = copy; *c; c++)
      if (*c == 'd' || *c == 'D') /* as Fortran writes doubles */
        *c = 'e';
    *value = ig_decimal_read(copy, &end);
    if (!*end && isfinite(*value))
      return IG_OK;
  }
  const ig_src at = ig_card_line_at(card, line);
  return ig_fail_at(d->cx, &at, "*%s: entry %d is '%.40s': expected a number", card->word,
                    field + 1, text);
}

/* A parameter's value read as a number, by a data line made of it. */
ig_status ig_card_number(const ig_deck *d, const ig_card *card, const char *parameter,
                         double fallback, double *value) {
  const char *text = ig_card_get(card, parameter);
  const ig_card_line line = {.line = card->at.line, .count = 1, .field = &text};
  *value = fallback;
  return text ? ig_card_real(d, card, &line, 0, NAN, value) : IG_OK;
}

/* Whole numbers may be written as reals ("3." is 3): both programs read them so. 1e15 is below
   2^53, up to which doubles are exact. */
ig_status ig_card_int(const ig_deck *d, const ig_card *card, const ig_card_line *line, int field,
                      int64_t fallback, int64_t *value) {
  double real;
  IG_TRY(ig_card_real(d, card, line, field, (double)fallback, &real));
  *value = (int64_t)real;
  if (real == floor(real) && fabs(real) < 1e15)
    return IG_OK;
  const ig_src at = ig_card_line_at(card, line);
  return ig_fail_at(d->cx, &at, "*%s: entry %d is '%.40s': expected a whole number", card->word,
                    field + 1, ig_card_text(line, field));
}

/* In capitals and without blanks: both programs read "*solid section" and "*SOLIDSECTION" alike.
   Text beyond 127 characters is cut: no keyword is that long, and the rest would not match one. */
static ig_status squeeze(ig_deck *d, const char *from, const char *stop, const char **to) {
  char text[128];
  size_t n = 0;
  for (; from < stop && n < sizeof text - 1; from++)
    if (*from != ' ' && *from != '\t')
      text[n++] = (char)toupper((unsigned char)*from);
  return ig_arena_text(d->cx, d->arena, to, text, n);
}

/* Splits a keyword line at its commas: word, then NAME or NAME=VALUE. Quotes around a value go. */
static ig_status card_head(ig_deck *d, const ig_inp *in, ig_card *card) {
  const ig_mesh_text *t = &in->t;
  char *p = t->line, *from, *stop;
  int commas = 0;
  for (const char *c = t->line; c < t->line_end; c++)
    commas += *c == ',';
  IG_TRY(ig_arena_text(d->cx, d->arena, &card->at.file, t->path, strlen(t->path)));
  card->at.line = t->number;
  card->at.column = 1;
  card->at.given = true;
  ig_text_field(t, &p, &from, &stop);
  IG_TRY(squeeze(d, from + 1, stop, &card->word));
  IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&card->parameter, (size_t)commas + 1,
                       sizeof *card->parameter));
  while (p) {
    ig_text_field(t, &p, &from, &stop);
    if (from == stop)
      continue;
    ig_card_parameter *one = &card->parameter[card->parameters++];
    char *equals = memchr(from, '=', (size_t)(stop - from)), *value = equals ? equals + 1 : stop;
    IG_TRY(squeeze(d, from, equals ? equals : stop, &one->name));
    while (value < stop && (*value == ' ' || *value == '"'))
      value++;
    while (stop > value && (stop[-1] == ' ' || stop[-1] == '"'))
      stop--;
    IG_TRY(ig_arena_text(d->cx, d->arena, &one->value, value, (size_t)(stop - value)));
  }
  return IG_OK;
}

/* Adds a data line to the card. Trailing empty fields go ("1, 2, 3," has three), those between
   commas stay as "": a blank field means a default. */
static ig_status card_data(ig_deck *d, ig_inp *in, ig_card *card) {
  const ig_mesh_text *t = &in->t;
  char *p = t->line, *from, *stop;
  int commas = 0;
  for (const char *c = t->line; c < t->line_end; c++)
    commas += *c == ',';
  ig_card_line *line;
  IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&line, 1, sizeof *line));
  IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&line->field, (size_t)commas + 1,
                       sizeof *line->field));
  line->line = t->number;
  while (p) {
    ig_text_field(t, &p, &from, &stop);
    IG_TRY(
        ig_arena_text(d->cx, d->arena, &line->field[line->count++], from, (size_t)(stop - from)));
  }
  while (line->count > 0 && !*line->field[line->count - 1])
    line->count--;
  *card->last = line;
  card->last = &line->next;
  return IG_OK;
}

/* Understood parameters pass; idle ones, which do not change the mechanics, become a note; all
   others are refused, except for output requests and sets with --lenient. */
static ig_status parameters_check(ig_deck *d, const ig_card *card) {
  const ig_deck_keyword *k = card->keyword;
  for (int i = 0; i < card->parameters; i++) {
    const ig_card_parameter *one = &card->parameter[i];
    if (ig_choices_find(k->parameters, one->name) >= 0)
      continue;
    const bool output = k->class == IG_DECK_OUTPUT || k->class == IG_DECK_UNANSWERED ||
                        strcmp(k->word, "NSET") == 0 || strcmp(k->word, "ELSET") == 0;
    if (ig_choices_find(k->idle, one->name) >= 0 || (output && d->lenient)) {
      IG_TRY(ig_deck_note(d, &card->at, "*%s: the parameter %.40s has no effect", card->word,
                          one->name));
      continue;
    }
    char all[256];
    ig_choices_list(*k->parameters ? k->parameters : "none", all, sizeof all);
    return ig_deck_refuse(d, card, "the parameter %.40s is not understood: expected %s", one->name,
                          all);
  }
  return IG_OK;
}

static ig_status cards_read(ig_deck *d, ig_inp *in, ig_card ***last);

/* The depth of nesting is limited by ig_text_enter: a file that includes itself is an error. */
static ig_status card_include(ig_deck *d, ig_inp *in, const ig_card *card, ig_card ***last) {
  char *from, *stop;
  ig_mesh_text outer;
  if (!ig_inp_parameter(&in->t, "INPUT", &from, &stop) || from == stop)
    return ig_deck_refuse(d, card, "expected INPUT=, a file");
  IG_TRY(ig_text_enter(&in->t, from, (int)(stop - from), in->depth, &outer));
  in->depth++;
  const ig_status status = cards_read(d, in, last);
  in->depth--;
  ig_text_leave(&in->t, &outer);
  return status;
}

/* Reads to the end of the present file. `last` is the place of the next card and goes along
   through included files, so that their cards stand where the *INCLUDE stood. */
static ig_status cards_read(ig_deck *d, ig_inp *in, ig_card ***last) {
  while (ig_inp_keyword_line(in)) {
    ig_card *card;
    IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&card, 1, sizeof *card));
    card->last = &card->line;
    IG_TRY(card_head(d, in, card));
    if (strcmp(card->word, "INCLUDE") == 0) {
      IG_TRY(card_include(d, in, card, last));
      continue;
    }
    if (!*card->word) /* a star alone says nothing */
      continue;
    card->keyword = ig_deck_keyword_find(card->word);
    if (!card->keyword)
      return ig_fail_at(
          d->cx, &card->at,
          "*%.60s is not understood: docs/reference/decks.md lists the keywords that are",
          card->word);
    if (card->keyword->class == IG_DECK_REFUSED)
      return ig_deck_refuse(d, card, "%s", card->keyword->becomes);
    if (card->keyword->class == IG_DECK_UNANSWERED && !d->lenient)
      return ig_deck_refuse(d, card, "%s; --lenient passes over it", card->keyword->becomes);
    if (card->keyword->class == IG_DECK_UNANSWERED)
      IG_TRY(
          ig_deck_note(d, &card->at, "*%s is passed over: %s", card->word, card->keyword->becomes));
    IG_TRY(parameters_check(d, card));
    const char *type = ig_card_get(card, "TYPE");
    const bool data = card->keyword->class != IG_DECK_MESH ||
                      (strcmp(card->word, "ELEMENT") == 0 && type && ig_deck_is_point(type));
    while (ig_inp_data_line(in))
      if (data)
        IG_TRY(card_data(d, in, card));
    **last = card;
    *last = &card->next;
  }
  return IG_OK;
}

/* Opens the deck, reads all cards into d->card in order, closes it. d has path, arena and
   lenient. */
ig_status ig_deck_cards(ig_deck *d) {
  ig_inp in = {.whole = {.cx = d->cx}};
  ig_card **last = &d->card;
  IG_TRY(ig_text_open(d->cx, d->path, &in.t));
  const ig_status status = cards_read(d, &in, &last);
  ig_text_close(&in.t);
  return status;
}
