/* Reading options: a tree of a case and the tables that say what may be in it, into C structs.

   The entry is ig_options_read. map_read handles one map in three passes: defaults of every
   member (defaults_fill), then the keys that the map has (option_find, option_read), then the
   search for required keys that are missing. option_read chooses by the kind of the option; maps
   and lists call map_read again, and so the C stack follows the tree. A default is text, too,
   and goes through the same readers as a value of the case: no second notation, and a wrong default
   fails at the first reading.

     ig_options_read -> map_read -> defaults_fill -> default_fill -> option_read
                                 -> option_find (also in the tables of IG_OPT_KEYS)
                                 -> option_read -> real_read, int_read, ... , list_read -> map_read

   Every message has the place (ig_src) of the value it is about, the path of the key
   ("sources[0].power"), the value and what was expected. The first error ends the reading. */
#include "core/option.h"
#include "core/meant.h"
#include "core/renamed.h"
#include "core/unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where in the tree it is: each level points to the one above it. Scopes lie on the stack of the
   readers and are used only for messages; the top has no key. */
typedef struct scope {
  const struct scope *up;
  const char *key;
  int index; /* of a list's entry, -1: none */
} scope;

typedef struct {
  ig_ctx *cx;
  ig_arena *arena;
} reader;

/* "sources[0].profile"; "" at the top */
static size_t path_write(const scope *s, char *text, size_t size) {
  if (!s || !s->up) {
    *text = '\0';
    return 0;
  }
  size_t used = path_write(s->up, text, size);
  if (used < size)
    used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "." : "", s->key);
  if (s->index >= 0 && used < size)
    used += (size_t)snprintf(text + used, size - used, "[%d]", s->index);
  return used;
}

typedef struct {
  char text[256];
} path;
static path path_of(const scope *s) {
  path p;
  path_write(s, p.text, sizeof p.text);
  return p;
}

/* A value as the message repeats it: its first 40 bytes, cut between characters. */
typedef struct {
  char text[56];
} excerpt;
static excerpt excerpt_of(const char *text) {
  excerpt e;
  size_t n = strlen(text);
  const bool cut = n > 40;
  if (cut)
    for (n = 40; n && (text[n] & 0xc0) == 0x80;)
      n--;
  snprintf(e.text, sizeof e.text, "%.*s%s", (int)n, text, cut ? "…" : "");
  return e;
}

static const char *kind_name(const ig_node *node) {
  return node->kind == IG_NODE_MAP    ? "a map of keys"
         : node->kind == IG_NODE_LIST ? "a list"
                                      : "a single value";
}

/* The message of most errors: "'key' is 'value': expected ...". */
static ig_status wrong(reader *r, const ig_node *node, const scope *s, const char *expected) {
  if (node->kind != IG_NODE_SCALAR)
    return ig_fail_at(r->cx, &node->at, "'%s' is %s: expected %s", path_of(s).text, kind_name(node),
                      expected);
  if (!*node->text)
    return ig_fail_at(r->cx, &node->at, "'%s' is empty: expected %s", path_of(s).text, expected);
  return ig_fail_at(r->cx, &node->at, "'%s' is '%s': expected %s", path_of(s).text,
                    excerpt_of(node->text).text, expected);
}

static bool in_range(const ig_option *o, double value) {
  return (o->min == 0 && o->max == 0) || (value >= o->min && value <= o->max);
}

static ig_status range_check(reader *r, const ig_node *node, const scope *s, const ig_option *o,
                             double value) {
  if (in_range(o, value))
    return IG_OK;
  char range[128], expected[320], guess[64];
  ig_option_range(o, range, sizeof range);
  const bool guessed =
      node->kind == IG_NODE_SCALAR && ig_option_meant(o, false, node->text, guess, sizeof guess);
  snprintf(expected, sizeof expected,
           guessed ? "%s; a number without a unit is in %s; did you mean '%.60s'?" : "%s", range,
           o->unit ? o->unit : "", guessed ? guess : "");
  return wrong(r, node, s, expected);
}

/* `unit` is o->unit or, for the first column of a table, o->xunit. The range belongs to the
   values, not to the first column, hence the comparison of the two pointers at the end. */
static ig_status real_read(reader *r, const ig_node *node, const scope *s, const ig_option *o,
                           const char *unit, double *value) {
  char problem[320];
  if (node->kind != IG_NODE_SCALAR || !*node->text) {
    ig_unit_describe(unit, problem, sizeof problem);
    return wrong(r, node, s, problem);
  }
  if (node->later) {
    *value = NAN;
    return IG_OK;
  }
  if (!ig_number_read(node->text, unit, value, problem, sizeof problem))
    return ig_fail_at(r->cx, &node->at, "'%s' is '%s': %s", path_of(s).text,
                      excerpt_of(node->text).text, problem);
  return unit == o->xunit && o->xunit ? IG_OK : range_check(r, node, s, o, *value);
}

/* Whole numbers are read as doubles, so that 1e6 is allowed; up to 2^53 no digit is lost. "%" is
   a unit that would make 100 % the whole number 1, so it is excluded. A value that is not known
   yet (node->later) becomes any number that is within the range. */
static ig_status int_read(reader *r, const ig_node *node, const scope *s, const ig_option *o,
                          int64_t *value) {
  char problem[320], expected[160], range[128];
  ig_option_range(o, range, sizeof range);
  snprintf(expected, sizeof expected, "a whole number%s%s", *range ? ", " : "", range);
  double number;
  if (node->later) {
    *value = in_range(o, 1) ? 1 : (int64_t)o->min;
    return IG_OK;
  }
  if (node->kind != IG_NODE_SCALAR ||
      !ig_number_read(node->text, "", &number, problem, sizeof problem) ||
      strchr(node->text, '%') || number != rint(number) || fabs(number) > 0x1p53)
    return wrong(r, node, s, expected); /* 1e6 is a whole number, too */
  *value = (int64_t)number;
  return in_range(o, number) ? IG_OK : wrong(r, node, s, expected);
}

/* Words of YAML 1.1 in lower case; those at odd places are true. */
static ig_status bool_read(reader *r, const ig_node *node, const scope *s, bool *value) {
  static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
  if (node->kind == IG_NODE_SCALAR)
    for (int i = 0; i < 6; i++)
      if (strcmp(node->text, words[i]) == 0) {
        *value = i & 1;
        return IG_OK;
      }
  return wrong(r, node, s, "true or false");
}

static ig_status choice_read(reader *r, const ig_node *node, const scope *s, const char *choices,
                             int *value) {
  char names[400], expected[480], near[48];
  ig_choices_list(choices, names, sizeof names);
  const int found = node->kind == IG_NODE_SCALAR ? ig_choices_find(choices, node->text) : -1;
  if (found >= 0) {
    *value = found;
    return IG_OK;
  }
  const char *now =
      node->kind == IG_NODE_SCALAR ? ig_renamed_choice(s->key, node->text, choices) : NULL;
  if (now)
    snprintf(expected, sizeof expected, "%s; it is called '%s' now%s", names, now,
             node->at.line > 0 ? ", and 'ingot upgrade' rewrites the case" : "");
  else if (node->kind == IG_NODE_SCALAR && ig_nearest(node->text, choices, near, sizeof near))
    snprintf(expected, sizeof expected, "%s; did you mean '%s'?", names, near);
  else
    snprintf(expected, sizeof expected, "%s", names);
  return wrong(r, node, s, expected);
}

static ig_status text_read(reader *r, const ig_node *node, const scope *s, const ig_option *o,
                           const char **value) {
  if (node->kind != IG_NODE_SCALAR || (!*node->text && !node->quoted))
    return wrong(r, node, s, "a text");
  /* names become columns, files and lines of a log */
  for (const char *c = node->text; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f || /* and those of Unicode, U+0080 to U+009F */
        ((unsigned char)*c == 0xc2 && (unsigned char)c[1] >= 0x80 && (unsigned char)c[1] < 0xa0))
      return ig_fail_at(r->cx, &node->at,
                        "'%s': %s in a text: write it in one line, without control characters",
                        path_of(s).text, *c == '\n' ? "a line end" : "a control character");
  *value = node->text;
  return o->choices ? choice_read(r, node, s, o->choices, &(int){0}) : IG_OK;
}

/* A path in a case is relative to the file it stands in. */
static ig_status file_read(reader *r, const ig_node *node, const scope *s, const ig_option *o,
                           const char **value) {
  IG_TRY(text_read(r, node, s, o, value));
  if (!**value)
    return wrong(r, node, s, "the path of a file");
  const char *slash = node->at.line > 0 ? strrchr(node->at.file, '/') : NULL;
  if (slash && **value != '/') {
    char *full;
    const size_t folder = (size_t)(slash - node->at.file) + 1, name = strlen(*value);
    IG_TRY(ig_arena_take(r->cx, r->arena, (void **)&full, folder + name + 1, 1));
    memcpy(full, node->at.file, folder);
    memcpy(full + folder, *value, name);
    *value = full;
  }
  if (node->at.given && access(*value, R_OK) != 0)
    return ig_fail_at(r->cx, &node->at, "'%s': cannot read '%.300s': %s", path_of(s).text, *value,
                      strerror(errno));
  return IG_OK;
}

static int children(const ig_node *node) {
  int n = 0;
  for (const ig_node *child = node->child; child; child = child->next)
    n++;
  return n;
}

/* Missing components of a vector of variable length (`least`) are NaN. */
static ig_status vector_read(reader *r, const ig_node *node, const scope *s, const ig_option *o,
                             void *into) {
  const bool whole = o->kind == IG_OPT_IVECTOR;
  const int n = children(node), least = o->least ? o->least : o->length;
  if (node->kind != IG_NODE_LIST || n < least || n > o->length) {
    char expected[160], each[96], many[32];
    ig_unit_describe(o->unit, each, sizeof each);
    snprintf(many, sizeof many, least < o->length ? "%d or %d" : "%d", least, o->length);
    if (whole)
      snprintf(expected, sizeof expected, "a list of %s whole numbers", many);
    else
      snprintf(expected, sizeof expected, "a list of %s numbers, each %s", many, each);
    if (node->kind == IG_NODE_LIST)
      return ig_fail_at(r->cx, &node->at, "'%s' is a list of %d: expected %s", path_of(s).text, n,
                        expected);
    return wrong(r, node, s, expected);
  }
  for (int i = n; i < o->length; i++)
    ((double *)into)[i] = NAN;
  scope at = *s;
  at.index = 0;
  for (const ig_node *child = node->child; child; child = child->next, at.index++)
    IG_TRY(whole ? int_read(r, child, &at, o, (int64_t *)into + at.index)
                 : real_read(r, child, &at, o, o->unit, (double *)into + at.index));
  return IG_OK;
}

/* A list of scalars, or one scalar for a list of one. */
static ig_status several_read(reader *r, const ig_node *node, const scope *s, const ig_option *o,
                              void *into) {
  const bool texts = o->kind == IG_OPT_TEXTS;
  if (node->kind == IG_NODE_MAP ||
      (node->kind == IG_NODE_SCALAR && !*node->text && !node->quoted)) {
    char expected[160], each[96];
    ig_unit_describe(o->unit, each, sizeof each);
    snprintf(expected, sizeof expected, texts ? "a list of texts" : "a list of numbers, each %s",
             each);
    return wrong(r, node, s, expected);
  }
  const bool single = node->kind == IG_NODE_SCALAR;
  const int count = single ? 1 : children(node);
  void *values;
  IG_TRY(ig_arena_take(r->cx, r->arena, &values, (size_t)count,
                       texts ? sizeof(char *) : sizeof(double)));
  scope at = *s;
  at.index = single ? s->index : 0;
  const ig_node *item = single ? node : node->child;
  for (int i = 0; i < count; i++, item = item->next, at.index++)
    IG_TRY(texts ? text_read(r, item, &at, o, (const char **)values + i)
                 : real_read(r, item, &at, o, o->unit, (double *)values + i));
  if (texts)
    *(ig_texts *)into = (ig_texts){count, values};
  else
    *(ig_reals *)into = (ig_reals){count, values};
  return IG_OK;
}

/* x must rise strictly: ig_table_at divides by the differences. */
static ig_status table_read(reader *r, const ig_node *node, const scope *s, const ig_option *o,
                            ig_table *table) {
  const bool single = node->kind == IG_NODE_SCALAR;
  const int count = single ? 1 : children(node);
  if (node->kind == IG_NODE_MAP || count == 0 || (single && !*node->text)) {
    char expected[160], each[96];
    ig_unit_describe(o->unit, each, sizeof each);
    snprintf(expected, sizeof expected, "%s, or rows [x in %s, y in %s]", each,
             o->xunit && *o->xunit ? o->xunit : "1", o->unit && *o->unit ? o->unit : "1");
    return wrong(r, node, s, expected);
  }
  double *x, *y;
  IG_TRY(ig_arena_take(r->cx, r->arena, (void **)&x, (size_t)count, sizeof *x));
  IG_TRY(ig_arena_take(r->cx, r->arena, (void **)&y, (size_t)count, sizeof *y));
  scope at = *s;
  if (single)
    IG_TRY(real_read(r, node, s, o, o->unit, y));
  at.index = 0;
  for (const ig_node *row = single ? NULL : node->child; row; row = row->next, at.index++) {
    const int i = at.index;
    if (row->kind != IG_NODE_LIST || children(row) != 2)
      return wrong(r, row, &at, "a row of two, [x, y]");
    IG_TRY(real_read(r, row->child, &at, o, o->xunit ? o->xunit : "", x + i));
    IG_TRY(real_read(r, row->child->next, &at, o, o->unit, y + i));
    if (i && x[i] <= x[i - 1])
      return ig_fail_at(r->cx, &row->at,
                        "'%s' starts with %.10g after %.10g: expected rising values",
                        path_of(&at).text, x[i], x[i - 1]);
  }
  *table = (ig_table){count, x, y};
  return IG_OK;
}

/* Several tables may describe one map: the top level has the keys that all cases share and those
   of the room. A key is that of the first table that has it. */
static ig_status map_read(reader *r, const ig_node *node, const scope *s,
                          const ig_option_table *tables, int count);
/* The struct begins with its ig_src (option.h), hence the cast. Members without an option are
   not touched. */
static ig_status defaults_fill(reader *r, const ig_src *at, const scope *s,
                               const ig_option_table *table);

/* Entries that must have names must have names of their own: a second probe or material of the same
   name would hide the first. */
static ig_status names_check(reader *r, const ig_option *o, const ig_list *list) {
  const ig_option *name = o->sub;
  while (name->key && strcmp(name->key, "name") != 0)
    name++;
  if (!name->key || name->kind != IG_OPT_TEXT || !name->fallback ||
      strcmp(name->fallback, IG_REQUIRED) != 0)
    return IG_OK;
  for (int i = 1; i < list->count; i++)
    for (int k = 0; k < i; k++) {
      const unsigned char *items = list->items, *item = items + (size_t)i * o->sub_size;
      const char *mine = *(char *const *)(const void *)(item + name->offset),
                 *other =
                     *(char *const *)(const void *)(items + (size_t)k * o->sub_size + name->offset);
      if (strcmp(mine, other) == 0) {
        const size_t one = strlen(o->key) - (o->key[strlen(o->key) - 1] == 's'); /* of them */
        return ig_fail_at(r->cx, (const ig_src *)(const void *)item,
                          "a second %.*s is named '%.60s': give each a name of its own", (int)one,
                          o->key, mine);
      }
    }
  return IG_OK;
}

static ig_status list_read(reader *r, const ig_node *node, const scope *s, const ig_option *o,
                           ig_list *list) {
  const bool single = node->kind == IG_NODE_MAP;
  if (node->kind == IG_NODE_SCALAR)
    return wrong(r, node, s, "a list of maps of keys");
  const int count = single ? 1 : children(node);
  if (!count && o->fallback && strcmp(o->fallback, IG_REQUIRED) == 0)
    return ig_fail_at(r->cx, &node->at, "'%s' is an empty list: expected at least one entry",
                      path_of(s).text);
  unsigned char *items;
  IG_TRY(ig_arena_take(r->cx, r->arena, (void **)&items, (size_t)count, o->sub_size));
  scope at = *s;
  at.index = 0;
  for (const ig_node *item = single ? node : node->child; at.index < count;
       item = item->next, at.index++) {
    if (item->kind != IG_NODE_MAP)
      return wrong(r, item, &at, "a map of keys");
    const ig_option_table table = {o->sub, items + (size_t)at.index * o->sub_size};
    IG_TRY(map_read(r, item, &at, &table, 1));
  }
  *list = (ig_list){count, items};
  return names_check(r, o, list);
}

static ig_status option_read(reader *r, const ig_node *node, const scope *s, const ig_option *o,
                             void *into) {
  switch (o->kind) {
  case IG_OPT_BOOL:
    return bool_read(r, node, s, into);
  case IG_OPT_INT:
    return int_read(r, node, s, o, into);
  case IG_OPT_REAL:
    return real_read(r, node, s, o, o->unit, into);
  case IG_OPT_TEXT:
    return text_read(r, node, s, o, into);
  case IG_OPT_FILE:
    return file_read(r, node, s, o, into);
  case IG_OPT_CHOICE:
    return choice_read(r, node, s, o->choices, into);
  case IG_OPT_VECTOR:
  case IG_OPT_IVECTOR:
    return vector_read(r, node, s, o, into);
  case IG_OPT_REALS:
  case IG_OPT_TEXTS:
    return several_read(r, node, s, o, into);
  case IG_OPT_TABLE:
    return table_read(r, node, s, o, into);
  case IG_OPT_LIST:
    return list_read(r, node, s, o, into);
  case IG_OPT_MAP:
    if (node->kind != IG_NODE_MAP)
      return wrong(r, node, s, "a map of keys");
    return map_read(r, node, s, &(ig_option_table){o->sub, into}, 1);
  case IG_OPT_KEYS: /* option_find looks through it */
    break;
  }
  return IG_FAIL(r->cx, IG_ARG, "option '%s' is of no known kind", o->key);
}

/* What a member holds that nobody gave: its default, or the mark of its kind for "not given".
   `given` is false in the place of a default, so that a room can tell a default from a value of
   the case, and file_read does not demand that a default file exists. */
static ig_status default_fill(reader *r, const ig_src *at, const scope *s, const ig_option *o,
                              void *into) {
  ig_src from = *at;
  from.given = false;
  if (o->fallback && strcmp(o->fallback, IG_REQUIRED) != 0) {
    ig_node plain = {.kind = IG_NODE_SCALAR, .at = from, .text = o->fallback}, *node = &plain;
    if (strchr("[{'\"", *o->fallback)) /* a plain one needs no memory: lists may be long */
      IG_TRY(ig_node_parse(r->cx, r->arena, o->fallback, from, &node));
    return option_read(r, node, s, o, into);
  }
  if (o->kind == IG_OPT_REAL)
    *(double *)into = NAN;
  else if (o->kind == IG_OPT_CHOICE)
    *(int *)into = -1;
  else if (o->kind == IG_OPT_VECTOR)
    for (int i = 0; i < o->length; i++)
      ((double *)into)[i] = NAN;
  else if (o->kind == IG_OPT_MAP || o->kind == IG_OPT_KEYS)
    return defaults_fill(r, &from, s, &(ig_option_table){o->sub, into});
  return IG_OK; /* the others are zero already */
}

/* Bytes of the member that an option fills; IG_MEMBER has checked its type at compile time. */
static size_t option_size(const ig_option *o) {
  const size_t n = (size_t)o->length;
  const size_t sizes[] = {
      [IG_OPT_BOOL] = sizeof(bool),         [IG_OPT_INT] = sizeof(int64_t),
      [IG_OPT_REAL] = sizeof(double),       [IG_OPT_TEXT] = sizeof(char *),
      [IG_OPT_FILE] = sizeof(char *),       [IG_OPT_CHOICE] = sizeof(int),
      [IG_OPT_VECTOR] = n * sizeof(double), [IG_OPT_IVECTOR] = n * sizeof(int64_t),
      [IG_OPT_REALS] = sizeof(ig_reals),    [IG_OPT_TEXTS] = sizeof(ig_texts),
      [IG_OPT_TABLE] = sizeof(ig_table),    [IG_OPT_MAP] = o->sub_size,
      [IG_OPT_LIST] = sizeof(ig_list),      [IG_OPT_KEYS] = o->sub_size};
  return sizes[o->kind];
}

static ig_status defaults_fill(reader *r, const ig_src *at, const scope *s,
                               const ig_option_table *table) {
  *(ig_src *)table->into = *at;
  for (const ig_option *o = table->options; o->key; o++) {
    unsigned char *into = (unsigned char *)table->into + o->offset;
    memset(into, 0, option_size(o));
    IG_TRY(default_fill(r, at, &(scope){s, o->key, -1}, o, into));
  }
  return IG_OK;
}

/* Also marks the struct of IG_OPT_KEYS that has the key as given: no map of the case could. */
static const ig_option *option_find(const ig_option *options, const char *key, void *from,
                                    void **into) {
  for (const ig_option *o = options; o->key; o++) {
    unsigned char *at = (unsigned char *)from + o->offset;
    const ig_option *found = NULL;
    if (o->kind == IG_OPT_KEYS && (found = option_find(o->sub, key, at, into))) {
      ((ig_src *)(void *)at)->given = true;
      return found;
    }
    if (o->kind != IG_OPT_KEYS && strcmp(o->key, key) == 0) {
      *into = at;
      return o;
    }
  }
  return NULL;
}

/* "a|b|c": the keys of a table, after those that are there already. */
static size_t keys_write(const ig_option *options, char *keys, size_t size, size_t used) {
  for (const ig_option *o = options; o->key && used < size; o++)
    if (o->kind == IG_OPT_KEYS)
      used = keys_write(o->sub, keys, size, used);
    else
      used += (size_t)snprintf(keys + used, size - used, "%s%s", used ? "|" : "", o->key);
  return used;
}

/* How many sections below a table have this key, and one of them: "sources.power" for "power".
   The section is a prefix with its dot, "" at the top; keys of the top itself are not counted,
   as the nearest key was searched there before. */
static int elsewhere_find(const ig_option *options, const char *key, const char *section,
                          char *text, size_t size) {
  int count = 0;
  for (const ig_option *o = options; o->key; o++) {
    if (o->kind == IG_OPT_KEYS) {
      count += elsewhere_find(o->sub, key, section, text, size);
      continue;
    }
    if (*section && strcmp(o->key, key) == 0) {
      snprintf(text, size, "%s%s", section, key);
      count++;
    }
    char below[96];
    snprintf(below, sizeof below, "%.60s%.30s.", section, o->key);
    if (o->sub)
      count += elsewhere_find(o->sub, key, below, text, size);
  }
  return count;
}

static ig_status unknown_key(reader *r, const ig_node *child, const scope *s,
                             const ig_option_table *tables, int count) {
  char keys[1200] = "", near[96], hint[128] = "";
  size_t used = 0;
  bool found = false;
  for (int t = 0; t < count; t++)
    used = keys_write(tables[t].options, keys, sizeof keys, used);
  found = ig_nearest(child->key, keys, near, sizeof near);
  if (!found) { /* a key of one section only is likely to have slipped out of it */
    int places = 0;
    for (int t = 0; t < count; t++)
      places += elsewhere_find(tables[t].options, child->key, "", near, sizeof near);
    found = places == 1;
  }
  if (found)
    snprintf(hint, sizeof hint, "did you mean '%s'? (", near);
  const char *now = ig_renamed_key(s->up ? s->key : "", child->key, keys);
  if (now) {
    snprintf(hint, sizeof hint, "it is called '%s' now%s (", now,
             child->key_at.line > 0 ? ", and 'ingot upgrade' rewrites the case" : "");
    found = true;
  }
  char names[1400];
  ig_choices_list(keys, names, sizeof names);
  const path where = path_of(s);
  return ig_fail_at(r->cx, &child->key_at, "unknown key '%s'%s%s%s: %sexpected %s%s",
                    excerpt_of(child->key).text, *where.text ? " in '" : "", where.text,
                    *where.text ? "'" : "", hint, names, found ? ")" : "");
}

static ig_status missing_key(reader *r, const ig_node *node, const scope *s, const ig_option *o) {
  const path where = path_of(s);
  return ig_fail_at(r->cx, &node->at, "missing key '%s' %s%s%s: %s%s%s", o->key,
                    *where.text ? "in '" : "at the top level", where.text, *where.text ? "'" : "",
                    o->help, o->unit && *o->unit ? ", in " : "", o->unit ? o->unit : "");
}

static ig_status map_read(reader *r, const ig_node *node, const scope *s,
                          const ig_option_table *tables, int count) {
  for (int t = 0; t < count; t++)
    IG_TRY(defaults_fill(r, &node->at, s, &tables[t]));
  for (const ig_node *child = node->child; child; child = child->next) {
    void *into;
    const ig_option *o = NULL;
    for (int t = 0; t < count && !o; t++)
      o = option_find(tables[t].options, child->key, tables[t].into, &into);
    if (!o)
      return unknown_key(r, child, s, tables, count);
    IG_TRY(option_read(r, child, &(scope){s, o->key, -1}, o, into));
  }
  for (int t = 0; t < count; t++)
    for (const ig_option *o = tables[t].options; o->key; o++)
      if (o->fallback && strcmp(o->fallback, IG_REQUIRED) == 0 && !ig_node_find(node, o->key))
        return missing_key(r, node, s, o);
  return IG_OK;
}

ig_status ig_options_read(ig_ctx *cx, ig_arena *arena, const ig_node *node,
                          const ig_option_table *tables, int count) {
  reader r = {cx, arena};
  const scope top = {.index = -1};
  if (node && node->kind != IG_NODE_MAP)
    return ig_fail_at(cx, &node->at, "the case is %s: expected a map of keys", kind_name(node));
  if (node)
    return map_read(&r, node, &top, tables, count);
  for (int t = 0; t < count; t++)
    IG_TRY(defaults_fill(&r, &(ig_src){0}, &top, &tables[t]));
  return IG_OK;
}

ig_status ig_choice_read(ig_ctx *cx, const ig_node *node, const char *choices, int *value) {
  reader r = {.cx = cx};
  const scope top = {.index = -1};
  return choice_read(&r, node, &(scope){&top, node->key, -1}, choices, value);
}

/* A linear search: tables of material data have few rows. */
double ig_table_at(const ig_table *t, double x) {
  if (t->count == 1 || x <= t->x[0])
    return t->y[0];
  for (int i = 1; i < t->count; i++)
    if (x < t->x[i])
      return t->y[i - 1] + (t->y[i] - t->y[i - 1]) * (x - t->x[i - 1]) / (t->x[i] - t->x[i - 1]);
  return t->y[t->count - 1];
}

const char *ig_choice_text(const char *choices, int place, char *text, size_t size) {
  for (; place > 0 && strchr(choices, '|'); place--)
    choices = strchr(choices, '|') + 1;
  snprintf(text, size, "%.*s", (int)strcspn(choices, "|"), choices);
  return text;
}
