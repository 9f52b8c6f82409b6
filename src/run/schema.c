/* A JSON Schema (draft 7) of the case language, generated from the option tables: editors complete
   and check cases with it.

   Each section (option table) becomes one definition "s0", "s1", ...; tables are numbered when
   first met, and writing one may meet more, so definitions are written until no new one appears. */
#include "run/case.h"
#include "core/require.h"
#include "run/rooms.h"

#include <stdio.h>
#include <string.h>

/* Most sections; ig_schema fails if there are more. */
enum { TABLES = 256 };
typedef struct {
  ig_text_fn *text;
  void *user;
  int tables, done; /* sections met, sections written */
  const ig_option *table[TABLES];
} writer;

#define put(w, ...) ig_text_put((w)->text, (w)->user, __VA_ARGS__)

/* A JSON string. Control characters become spaces: help texts have none that matter. */
static void quoted(writer *w, const char *text, int length) {
  char out[1024];
  size_t n = 0;
  out[n++] = '"';
  for (int i = 0; i < length && text[i] && n + 4 < sizeof out; i++) {
    if (text[i] == '"' || text[i] == '\\')
      out[n++] = '\\';
    out[n++] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
  }
  out[n++] = '"';
  out[n] = '\0';
  w->text(w->user, out);
}

/* The number of a section among the definitions; -1: too many. */
static int table_number(writer *w, const ig_option *table) {
  for (int i = 0; i < w->tables; i++)
    if (w->table[i] == table)
      return i;
  if (w->tables == TABLES)
    return -1;
  w->table[w->tables] = table;
  return w->tables++;
}

/* true and false as choices are booleans for YAML, so the schema must list them as such. */
static void enum_put(writer *w, const char *choices) {
  put(w, "\"enum\":[");
  for (const char *p = choices; *p;) {
    const int length = (int)strcspn(p, "|");
    if (p != choices)
      put(w, ",");
    if (strncmp(p, "true", 4) == 0 || strncmp(p, "false", 5) == 0) /* as YAML reads them */
      put(w, "%.*s", length, p);
    else
      quoted(w, p, length);
    p += length + (p[length] == '|');
  }
  put(w, "]");
}

/* A number, or a text such as "1.1 mm". JSON Schema applies minimum and maximum to numbers only, so
   the range of a text is not checked. */
static void number_put(writer *w, const ig_option *o) {
  put(w, "\"type\":[\"number\",\"string\"]");
  if (o->min == 0 && o->max == 0)
    return;
  if (o->min == IG_POSITIVE)
    put(w, ",\"exclusiveMinimum\":0");
  else if (o->min > -IG_UNBOUNDED)
    put(w, ",\"minimum\":%.17g", o->min);
  if (o->max < IG_UNBOUNDED)
    put(w, ",\"maximum\":%.17g", o->max);
}

/* most 0: any length. least 0: exactly `most`. */
static void array_put(writer *w, int least, int most, const char *type) {
  put(w, "\"type\":\"array\",\"items\":{\"type\":%s}", type);
  if (most > 0)
    put(w, ",\"minItems\":%d,\"maxItems\":%d", least ? least : most, most);
}

/* The switch has no default, so that the compiler reports a new kind of option. */
static void kind_put(writer *w, const ig_option *o) {
  static const char real[] = "[\"number\",\"string\"]";
  switch (o->kind) {
  case IG_OPT_BOOL:
    put(w, "\"type\":\"boolean\"");
    break;
  case IG_OPT_INT:
    put(w, "\"type\":\"integer\"");
    break;
  case IG_OPT_REAL:
    number_put(w, o);
    break;
  case IG_OPT_TEXT:
  case IG_OPT_CHOICE:
    if (o->choices)
      enum_put(w, o->choices);
    else
      put(w, "\"type\":[\"string\",\"number\"]");
    break;
  case IG_OPT_FILE:
    put(w, "\"type\":\"string\"");
    break;
  case IG_OPT_VECTOR:
    array_put(w, o->least, o->length, real);
    break;
  case IG_OPT_IVECTOR:
    array_put(w, 0, o->length, "\"integer\"");
    break;
  case IG_OPT_REALS:
    put(w, "\"type\":[\"number\",\"string\",\"array\"],\"items\":{\"type\":%s}", real);
    break;
  case IG_OPT_TEXTS:
    put(w, "\"type\":[\"string\",\"number\",\"array\"]");
    break;
  case IG_OPT_TABLE:
    put(w,
        "\"type\":[\"number\",\"string\",\"array\"],\"items\":{\"type\":\"array\",\"minItems\":2,"
        "\"maxItems\":2}");
    break;
  /* A reference is wrapped in allOf, because draft 7 ignores all other keywords beside $ref, and
     the description would be lost. */
  case IG_OPT_MAP:
    put(w, "\"allOf\":[{\"$ref\":\"#/definitions/s%d\"}]", table_number(w, o->sub));
    break;
  case IG_OPT_LIST:
    put(w,
        "\"anyOf\":[{\"$ref\":\"#/definitions/s%d\"},{\"type\":\"array\",\"items\":{\"$ref\":"
        "\"#/definitions/s%d\"}}]",
        table_number(w, o->sub), table_number(w, o->sub));
    break;
  case IG_OPT_KEYS:
    break;
  }
}

/* Help text, unit, usual range and default, shown by editors. */
static void describe(writer *w, const ig_option *o) {
  char text[700], usual[96];
  ig_option_usual_text(o, false, usual, sizeof usual);
  snprintf(text, sizeof text, "%s%s%s%s%s%s", o->help ? o->help : "",
           o->unit && *o->unit ? " [" : "", o->unit && *o->unit ? o->unit : "",
           o->unit && *o->unit ? "]" : "", *usual ? "; usual: " : "", usual);
  put(w, ",\"description\":");
  quoted(w, text, (int)sizeof text);
  if (o->fallback && strcmp(o->fallback, IG_REQUIRED) != 0) {
    put(w, ",\"default\":");
    quoted(w, o->fallback, 200);
  }
}

/* Options embedded by IG_OPT_KEYS appear on the level of their parent. */
static void keys_put(writer *w, const ig_option *table, bool *first) {
  for (const ig_option *o = table; o->key; o++) {
    if (o->kind == IG_OPT_KEYS) {
      keys_put(w, o->sub, first);
      continue;
    }
    put(w, "%s", *first ? "" : ",\n");
    *first = false;
    quoted(w, o->key, 200);
    put(w, ":{");
    kind_put(w, o);
    describe(w, o);
    put(w, "}");
  }
}

static void required_put(writer *w, const ig_option *table, bool *first) {
  for (const ig_option *o = table; o->key; o++)
    if (o->kind == IG_OPT_KEYS)
      required_put(w, o->sub, first);
    else if (o->fallback && strcmp(o->fallback, IG_REQUIRED) == 0) {
      put(w, "%s", *first ? "" : ",");
      *first = false;
      quoted(w, o->key, 200);
    }
}

/* One object with the keys of one or two tables; other keys are refused. */
static void object_put(writer *w, const ig_option *a, const ig_option *b) {
  bool first = true;
  put(w, "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{\n");
  keys_put(w, a, &first);
  if (b)
    keys_put(w, b, &first);
  put(w, "},\"required\":[");
  first = true;
  required_put(w, a, &first);
  if (b)
    required_put(w, b, &first);
  put(w, "]}");
}

/* A case has `physics` and the keys of its room; a chain has `stages` and is not described further.
   if/then per room gives the editor the keys of one room only. */
ig_status ig_schema(ig_ctx *cx, ig_text_fn *text, void *user) {
  IG_REQUIRE_ARGS(cx, cx && text);
  writer w = {.text = text, .user = user};
  put(&w,
      "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"title\":\"Ingot case\",\n"
      "\"type\":\"object\",\"if\":{\"required\":[\"stages\"]},\"else\":{\"required\":[\"physics\"],"
      "\"properties\":{\"physics\":{\"enum\":[");
  for (const ig_room *const *room = ig_rooms(); *room; room++)
    put(&w, "%s\"%s\"", room == ig_rooms() ? "" : ",", (*room)->name);
  put(&w, "]}},\"allOf\":[\n");
  for (const ig_room *const *room = ig_rooms(); *room; room++)
    put(&w,
        "%s{\"if\":{\"properties\":{\"physics\":{\"const\":\"%s\"}}},\"then\":{\"$ref\":"
        "\"#/definitions/%s\"}}",
        room == ig_rooms() ? "" : ",\n", (*room)->name, (*room)->name);
  put(&w, "]},\n\"definitions\":{\n");
  for (const ig_room *const *room = ig_rooms(); *room; room++) {
    put(&w, "%s\"%s\":", room == ig_rooms() ? "" : ",\n", (*room)->name);
    object_put(&w, ig_common_options, (*room)->options);
  }
  for (w.done = 0; w.done < w.tables; w.done++) { /* writing one may meet more */
    put(&w, ",\n\"s%d\":", w.done);
    object_put(&w, w.table[w.done], NULL);
  }
  put(&w, "}}\n");
  return w.tables < TABLES ? IG_OK : IG_FAIL(cx, IG_UNSUPPORTED, "more than %d sections", TABLES);
}
