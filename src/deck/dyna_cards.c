/* The text of an LS-DYNA deck as cards: keywords and data lines, included files, parameters; and
   fields of data lines.

   Fields are columns of 10 letters (20 in the long format), or lie between commas. A line of
   columns is read strictly by them, as LS-DYNA does: a number that reaches into the next column is
   an error at its place and not another number. Blank lines count; those at the end of a keyword
   do not. */
#include "deck/dyna.h"
#include "core/number.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

ig_src ig_dyna_at(const ig_dyna_card *c, const ig_dyna_line *row) {
  ig_src at = c->at;
  if (row)
    at.line = row->line;
  return at;
}

void ig_dyna_fail(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, const char *format,
                  ...) {
  char text[512];
  const ig_src at = ig_dyna_at(c, row);
  va_list args;
  va_start(args, format);
  ig_format_args(text, sizeof text, format, args);
  va_end(args);
  ig_import_fail(&k->b, &at, "*%s: %s", c->word, text);
}

static void note_put(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, const char *text) {
  const ig_src at = ig_dyna_at(c, row);
  if (k->b.status == IG_OK)
    k->b.status = ig_deck_note(k->b.d, &at, "*%s: %s", c->word, text);
}

void ig_dyna_note(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, const char *format,
                  ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  ig_format_args(text, sizeof text, format, args);
  va_end(args);
  note_put(k, c, row, text);
}

/* With --lenient it is a warning of the run, too: results may differ from those of LS-DYNA. */
void ig_dyna_unanswered(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                        const char *format, ...) {
  char text[512];
  const ig_src at = ig_dyna_at(c, row);
  va_list args;
  va_start(args, format);
  ig_format_args(text, sizeof text, format, args);
  va_end(args);
  if (!k->b.d->lenient) {
    ig_import_fail(&k->b, &at, "*%s: %s; --lenient passes over it", c->word, text);
  } else if (k->b.status == IG_OK) {
    k->b.status = ig_deck_warn(k->b.d, &at, "*%s is passed over: %s", c->word, text);
  }
}

/* --- fields */

void ig_dyna_text(const ig_dyna_card *c, const ig_dyna_line *row, int i, int width, char text[96]) {
  text[0] = '\0';
  if (!row)
    return;
  const char *from = row->text, *stop = from + strlen(from);
  if (strchr(from, ',')) {
    for (; i > 0 && from; i--) {
      from = strchr(from, ',');
      from += from != NULL;
    }
    if (!from)
      return;
    const char *comma = strchr(from, ',');
    stop = comma ? comma : stop;
  } else {
    const size_t begin = (size_t)i * (size_t)(c->wide ? 20 : width);
    if (begin >= (size_t)(stop - from))
      return;
    from += begin;
    if (stop - from > (c->wide ? 20 : width))
      stop = from + (c->wide ? 20 : width);
  }
  while (from < stop && isspace((unsigned char)*from))
    from++;
  while (stop > from && isspace((unsigned char)stop[-1]))
    stop--;
  snprintf(text, 96, "%.*s", (int)(stop - from > 95 ? 95 : stop - from), from);
}

/* "&name" or "-&name" is the number of *PARAMETER. */
static bool parameter_find(const ig_dyna *k, const char *text, double *value) {
  const double sign = *text == '-' ? -1 : 1;
  text += *text == '-';
  if (*text++ != '&')
    return false;
  for (const struct ig_dyna_parameter *p = k->parameter; p; p = p->next)
    if (strcasecmp(p->name, text) == 0) {
      *value = sign * p->value;
      return true;
    }
  return false;
}

double ig_dyna_real_of(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int i, int width,
                       double fallback) {
  char text[96], *end;
  double value;
  ig_dyna_text(c, row, i, width, text);
  if (!*text || k->b.status != IG_OK)
    return fallback;
  if (parameter_find(k, text, &value))
    return value;
  if (strchr(text, '&')) {
    ig_dyna_fail(k, c, row, "field %d: no *PARAMETER gives '%.40s' a number", i + 1, text);
    return fallback;
  }
  for (char *p = text; *p; p++)
    *p = (char)(*p == 'd' || *p == 'D' ? 'e' : *p); /* as Fortran writes doubles */
  value = ig_decimal_read(text, &end);
  if (!*end && isfinite(value))
    return value;
  ig_dyna_fail(k, c, row, "field %d is '%.40s': expected a number within its %d columns", i + 1,
               text, c->wide ? 20 : width);
  return fallback;
}

double ig_dyna_real(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int i,
                    double fallback) {
  return ig_dyna_real_of(k, c, row, i, 10, fallback);
}

/* Whole numbers may be written as reals. Blank is 0, as in LS-DYNA. */
int64_t ig_dyna_int(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int i) {
  const double value = ig_dyna_real(k, c, row, i, 0);
  if (value == floor(value) && fabs(value) < 1e15)
    return (int64_t)value;
  ig_dyna_fail(k, c, row, "field %d is %g: expected a whole number", i + 1, value);
  return 0;
}

void ig_dyna_empty(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int i, int end,
                   const char *what) {
  for (; i < end; i++) {
    char text[96];
    ig_dyna_text(c, row, i, 10, text);
    if (*text && ig_dyna_real(k, c, row, i, 0) != 0)
      ig_dyna_fail(k, c, row, "field %d is %.40s: %s", i + 1, text, what);
  }
}

/* --- cards */

static bool ends(char *word, const char *tail) {
  const size_t n = strlen(word), t = strlen(tail);
  if (n <= t || strcmp(word + n - t, tail) != 0)
    return false;
  word[n - t] = '\0';
  return true;
}

/* The word in capitals; _TITLE and _ID add a line before the data. Columns: as in mesh_dyna.c. */
static ig_status card_head(ig_dyna *k, const ig_mesh_text *t, ig_dyna_card *c) {
  char word[128];
  size_t n = 0;
  ig_deck *d = k->b.d;
  for (const char *p = t->line + 1; p < t->line_end && n < sizeof word - 1; p++) {
    if (isspace((unsigned char)*p) || *p == ',')
      break;
    word[n++] = (char)toupper((unsigned char)*p);
  }
  word[n] = '\0';
  const char *rest = t->line + 1 + n;
  if (strcmp(word, "KEYWORD") == 0)
    for (; rest < t->line_end; rest++)
      if (strncasecmp(rest, "LONG=Y", 6) == 0)
        k->format = '+';
  c->wide = k->format == '+';
  if (n > 1 && strchr("+-%", word[n - 1])) {
    c->wide = word[n - 1] == '+';
    word[--n] = '\0';
  }
  c->titled = ends(word, "_TITLE");
  if (strncmp(word, "DEFINE", 6) != 0 && strncmp(word, "SET", 3) != 0)
    c->titled |= ends(word, "_ID");
  IG_TRY(ig_arena_text(d->cx, d->arena, &c->at.file, t->path, strlen(t->path)));
  IG_TRY(ig_arena_text(d->cx, d->arena, &c->word, word, strlen(word)));
  c->at.line = t->number;
  c->at.column = 1;
  c->at.given = true;
  c->last = &c->line;
  return IG_OK;
}

static ig_status line_add(ig_dyna *k, const ig_mesh_text *t, ig_dyna_card *c) {
  ig_deck *d = k->b.d;
  ig_dyna_line *line;
  const size_t length = (size_t)(t->line_end - t->line);
  IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&line, 1, sizeof *line));
  IG_TRY(ig_arena_text(d->cx, d->arena, &line->text, t->line, length));
  if (strlen(line->text) < length)
    return ig_fail_at(d->cx, &(ig_src){c->at.file, t->number, 1, true}, "the line has a 0 byte");
  line->line = t->number;
  *c->last = line;
  c->last = &line->next;
  return IG_OK;
}

/* Blank lines at the end say nothing. */
static void lines_trim(ig_dyna_card *c) {
  ig_dyna_line **end = &c->line;
  for (ig_dyna_line **p = &c->line; *p; p = &(*p)->next)
    if ((*p)->text[strspn((*p)->text, " \t")])
      end = &(*p)->next;
  *end = NULL;
}

/* *PARAMETER: a letter for the kind, the name, the number, four pairs a line. A name has one
   number in all of the deck, since fields are read after all cards. */
static ig_status parameters_read(ig_dyna *k, const ig_dyna_card *c) {
  ig_deck *d = k->b.d;
  for (const ig_dyna_line *row = c->line; row && k->b.status == IG_OK; row = row->next)
    for (int i = 0; i < 8; i += 2) {
      char text[96];
      const char *name = text + 1;
      ig_dyna_text(c, row, i, 10, text);
      if (!*text || toupper((unsigned char)*text) == 'C') /* a text */
        continue;
      name += strspn(name, " ");
      if (!strchr("RrIi", *text) || !*name) {
        ig_dyna_fail(k, c, row, "'%.40s': expected R or I and a name", text);
        break;
      }
      struct ig_dyna_parameter *p;
      const double value = ig_dyna_real(k, c, row, i + 1, NAN);
      for (p = k->parameter; p && strcasecmp(p->name, name) != 0; p = p->next)
        ;
      if (isnan(value) || (p && p->value != value))
        ig_dyna_fail(k, c, row, p ? "'%s' has another number already" : "'%s' has no number", name);
      if (p || k->b.status != IG_OK)
        continue;
      IG_TRY(IG_DECK_ADD(d, &k->parameter, &p));
      IG_TRY(ig_arena_text(d->cx, d->arena, &p->name, name, strlen(name)));
      p->value = value;
    }
  return k->b.status;
}

static ig_status cards_read(ig_dyna *k, ig_mesh_text *t, bool *end);

/* The files of *INCLUDE, in its place. *END ends the file it is in. */
static ig_status card_include(ig_dyna *k, ig_mesh_text *t, const ig_dyna_card *c) {
  for (const ig_dyna_line *row = c->line; row; row = row->next) {
    const char *from = row->text + strspn(row->text, " \t");
    size_t length = strlen(from);
    ig_mesh_text outer;
    while (length && isspace((unsigned char)from[length - 1]))
      length--;
    IG_TRY(ig_text_enter(t, from, (int)length, k->depth, &outer));
    const int format = k->format;
    bool end = false;
    k->depth++;
    const ig_status status = cards_read(k, t, &end);
    k->depth--;
    k->format = format;
    ig_text_leave(t, &outer);
    IG_TRY(status);
  }
  return IG_OK;
}

/* Lines of the mesh are left to its reader: there may be millions. */
static ig_status cards_read(ig_dyna *k, ig_mesh_text *t, bool *end) {
  ig_deck *d = k->b.d;
  bool more = ig_text_line(t);
  while (more && !*end) {
    if (*t->line != '*') {
      more = ig_text_line(t);
      continue;
    }
    ig_dyna_card *c;
    IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&c, 1, sizeof *c));
    IG_TRY(card_head(k, t, c));
    const bool mesh = strcmp(c->word, "NODE") == 0 || strncmp(c->word, "ELEMENT_", 8) == 0 ||
                      strncmp(c->word, "SET_", 4) == 0;
    while ((more = ig_text_line(t)) && *t->line != '*')
      if (!mesh && *t->line != '$')
        IG_TRY(line_add(k, t, c));
    lines_trim(c);
    if (strcmp(c->word, "END") == 0)
      *end = true;
    else if (strcmp(c->word, "PARAMETER") == 0 || strcmp(c->word, "PARAMETER_LOCAL") == 0)
      IG_TRY(parameters_read(k, c));
    if (strcmp(c->word, "INCLUDE") == 0) {
      /* the line that was read ahead is the next one again */
      ig_mesh_text *now = t;
      if (more) {
        now->next = now->line;
        now->number--;
      }
      IG_TRY(card_include(k, now, c));
      more = more && ig_text_line(now);
      continue;
    }
    *k->card_last = c;
    k->card_last = &c->next;
  }
  return IG_OK;
}

const ig_dyna_line *ig_dyna_data(const ig_dyna_card *c) {
  return c->titled && c->line ? c->line->next : c->line;
}

ig_status ig_dyna_cards(ig_dyna *k) {
  ig_mesh_text t;
  bool end = false;
  k->card_last = &k->card;
  k->format = '-';
  IG_TRY(ig_text_open(k->b.d->cx, k->b.d->path, &t));
  const ig_status status = cards_read(k, &t, &end);
  ig_text_close(&t);
  return status;
}
