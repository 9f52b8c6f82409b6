/* What the tables of options say about one word, for a terminal: a room or a key. Nothing is listed
   here by hand, so what it says is always what the reader accepts. */
#include "chain/chain.h"
#include "core/renamed.h"
#include "core/require.h"
#include "mesh/place.h"
#include "run/case.h"
#include "run/rooms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits of fixed buffers: a path of keys, keys that match one word, and the text of all names.
   What exceeds them is left out. */
enum { NAME = 160, PLACES = 400, SEEN = 512, NAMES = 32768 };
/* From so many keys on each is a line; sections list their keys in full where so few were found. */
enum { MANY = 9, FEW_SECTIONS = 8 };

/* A key that was found, with all places where it stands: several rooms and sections share tables.
   place: "loads[].set  (physics: structure)", one a line. */
typedef struct {
  const ig_option *option;
  char place[PLACES];
  bool cut; /* there are more places */
} found_key;

/* What one call needs; on the heap, as it is too large for the stack of a small thread. */
typedef struct {
  ig_text_fn *text;
  void *user;
  const char *word;
  const char *room; /* whose keys are looked through, NULL: those of every case */
  found_key found[SEEN];
  int count;
  char *names; /* "a|b|…": all keys, for the nearest; NAMES long */
} explainer;

#define put(e, ...) ig_text_put((e)->text, (e)->user, __VA_ARGS__)

/* The kind of a value in words, without its unit. */
static const char *kind_of(const ig_option *o) {
  switch (o->kind) {
  case IG_OPT_BOOL:
    return "true or false";
  case IG_OPT_INT:
    return "whole number";
  case IG_OPT_REAL:
    return "number";
  case IG_OPT_FILE:
    return "path";
  case IG_OPT_VECTOR:
    return "list of numbers";
  case IG_OPT_IVECTOR:
    return "list of whole numbers";
  case IG_OPT_REALS:
    return "number or list of numbers";
  case IG_OPT_TEXTS:
    return "text or list of texts";
  case IG_OPT_TABLE:
    return "number, or rows [x, y]";
  case IG_OPT_MAP:
    return "section";
  case IG_OPT_LIST:
    return "section or list of sections";
  default:
    return "text";
  }
}

/* The facts of one key in a line, such as "number in m, required, more than 0 m". `physics` is the
   first common option and takes the names of the rooms. */
static void facts_put(explainer *e, const ig_option *o) {
  char words[512], range[128], usual[96];
  ig_option_range(o, range, sizeof range);
  ig_option_usual_text(o, false, usual, sizeof usual);
  if (o == ig_common_options) {
    put(e, "one of");
    for (const ig_room *const *room = ig_rooms(); *room; room++)
      put(e, " %s", (*room)->name);
  } else if (o->choices) {
    ig_choices_list(o->choices, words, sizeof words);
    put(e, "%s", words);
  } else {
    put(e, "%s", kind_of(o));
  }
  if (o->length)
    put(e, " (%d)", o->length);
  if (o->kind == IG_OPT_TABLE && o->xunit && *o->xunit)
    put(e, " with x in %s%s", o->xunit, o->unit && *o->unit ? ", y" : "");
  if (o->unit && *o->unit)
    put(e, " in %s", o->unit);
  if (o->fallback && strcmp(o->fallback, IG_REQUIRED) == 0)
    put(e, ", required");
  else if (o->fallback)
    put(e, ", default %s", o->fallback);
  if (*range)
    put(e, ", %s", range);
  if (*usual)
    put(e, ", usual %s", usual);
}

/* Names of keys, broken into lines of at most 92 columns; keys of IG_OPT_KEYS stand as if they were
   written in the table itself. */
static void keys_list(explainer *e, const ig_option *options, int *column) {
  for (const ig_option *o = options; o->key; o++) {
    if (o->kind == IG_OPT_KEYS) {
      keys_list(e, o->sub, column);
      continue;
    }
    const int length = (int)strlen(o->key) + 2;
    if (*column + length > 92) {
      put(e, "\n     ");
      *column = 5;
    }
    put(e, " %s", o->key);
    *column += length;
  }
}

/* The keys of a section with their facts, as room_put lists those of a room. */
static void section_put(explainer *e, const ig_option *options) {
  for (const ig_option *o = options; o->key; o++) {
    if (o->kind == IG_OPT_KEYS) {
      section_put(e, o->sub);
      continue;
    }
    put(e, "      %s\n          %s; ", o->key, o->help);
    facts_put(e, o);
    put(e, "\n");
  }
}

/* One key: its places, its facts, its help, and the keys below it: in full, or their names. */
static void option_put(explainer *e, const found_key *k, bool full) {
  const ig_option *o = k->option;
  put(e, "%s%s", k->place, k->cut ? "and more\n" : "");
  put(e, "    ");
  facts_put(e, o);
  put(e, "\n    %s\n", o->help);
  if (o->sub && full) {
    put(e, "    keys:\n");
    section_put(e, o->sub);
  } else if (o->sub) {
    int column = 11;
    put(e, "    keys:");
    keys_list(e, o->sub, &column);
    put(e, "\n");
  }
  put(e, "\n");
}

/* Of many keys of one name a line each: the section, and the first words on it. */
static void option_line(explainer *e, const found_key *k) {
  put(e, "%s%s      %s\n", k->place, k->cut ? "and more\n" : "", k->option->help);
}

static void found_put(explainer *e) {
  int sections = 0;
  for (int i = 0; i < e->count; i++)
    sections += e->found[i].option->sub != NULL;
  for (int i = 0; i < e->count; i++)
    if (e->count < MANY)
      option_put(e, &e->found[i], sections <= FEW_SECTIONS);
    else
      option_line(e, &e->found[i]);
  if (e->count >= MANY)
    put(e, "\n%d sections have this key: ingot help SECTION.%s or PHYSICS.SECTION.%s says more\n",
        e->count, e->word, e->word);
}

/* Whether a path ends in the word that was asked for, at a whole key: "beams[].radius" is asked for
   as "beams.radius", "beams[].radius", "beams[2].radius" or "radius". */
static bool is_asked(const char *path, const char *word) {
  char plain[NAME] = "", asked[NAME] = "";
  size_t n = 0, m = 0;
  for (const char *p = path; *p && n + 1 < sizeof plain; p++)
    if (*p != '[' && *p != ']')
      plain[n++] = *p;
  for (const char *p = word; *p && m + 1 < sizeof asked; p++)
    if (!strchr("[]0123456789", *p) || (p > word && p[-1] != '[' && *p != '[' && *p != ']'))
      asked[m++] = *p;
  return n >= m && strcmp(plain + n - m, asked) == 0 && (n == m || plain[n - m - 1] == '.');
}

/* Adds a key to the list of names unless it is there. */
static void name_add(explainer *e, const char *key) {
  const size_t used = strlen(e->names), length = strlen(key);
  for (const char *p = e->names; *p; p += strcspn(p, "|") + (p[strcspn(p, "|")] == '|'))
    if (strcspn(p, "|") == length && strncmp(p, key, length) == 0)
      return;
  if (used + length + 2 < NAMES)
    snprintf(e->names + used, NAMES - used, "%s%s", used ? "|" : "", key);
}

/* A key, or one more place of a key that was found before: the address of an option identifies
   it. */
static void found_add(explainer *e, const char *path, const ig_option *o) {
  found_key *k = NULL;
  for (int i = 0; i < e->count && !k; i++)
    k = e->found[i].option == o ? &e->found[i] : NULL;
  if (!k && e->count == SEEN)
    return;
  if (!k)
    (k = &e->found[e->count++])->option = o;
  const size_t used = strlen(k->place);
  char line[NAME + 64];
  snprintf(line, sizeof line, "%s%s%s%s\n", path, e->room ? "  (physics: " : "  (every case)",
           e->room ? e->room : "", e->room ? ")" : "");
  if (used + strlen(line) < sizeof k->place)
    memcpy(k->place + used, line, strlen(line) + 1);
  else
    k->cut = true;
}

/* Walks a table and all below it. */
static void keys_walk(explainer *e, const ig_option *options, const char *above) {
  for (const ig_option *o = options; o->key; o++) {
    char path[NAME];
    if (o->kind == IG_OPT_KEYS) {
      keys_walk(e, o->sub, above);
      continue;
    }
    snprintf(path, sizeof path, "%.100s%.40s%s", above, o->key, o->kind == IG_OPT_LIST ? "[]" : "");
    name_add(e, o->key);
    if (is_asked(path, e->word))
      found_add(e, path, o);
    if (o->sub) {
      strcat(path, ".");
      keys_walk(e, o->sub, path);
    }
  }
}

/* A room: what it computes, its fields, and all its keys with their facts. Keys that stand in the
   table through IG_OPT_KEYS are listed together, with the help of the group. */
static void room_put(explainer *e, const ig_room *room) {
  put(e, "physics: %s\n    %s.%s\n", room->name, room->about,
      room->needs_mesh ? " Needs a `mesh`." : "");
  if (room->fields) {
    put(e, "    fields of its snapshots:");
    for (const char *p = room->fields; *p; p += strcspn(p, "|") + (p[strcspn(p, "|")] == '|'))
      put(e, " %.*s", (int)strcspn(p, "|"), p);
    put(e, "\n");
  }
  if (room->figures) {
    char list[4096];
    ig_choices_list(room->figures, list, sizeof list);
    put(e, "    figures of its summary: %s\n", list);
  }
  put(e, "\nIts keys, beside those of every case (ingot help KEY explains one):\n\n");
  for (const ig_option *o = room->options; o->key; o++) {
    if (o->kind == IG_OPT_KEYS) {
      int column = 4;
      put(e, "  ");
      keys_list(e, o->sub, &column);
      put(e, "\n      %s\n", o->help);
      continue;
    }
    put(e, "  %s\n      %s; ", o->key, o->help);
    facts_put(e, o);
    put(e, "\n");
  }
  int column = 15;
  put(e, "\nOf every case:");
  keys_list(e, ig_common_options, &column);
  put(e, "\n");
}

/* What a key of earlier versions is called now, as "'start_angle' in annulus, 'start_time' in
   hatch"; false: there was no such key. */
static bool renamed_list(const char *word, char *text, size_t size) {
  /* The same word may have been renamed in several sections, each to another one. */
  size_t used = 0;
  ig_renamed r;
  for (int i = 0; ig_renamed_at(i, &r) && used < size; i++)
    if (!r.choice && strcmp(r.was, word) == 0)
      used += (size_t)snprintf(text + used, size - used, "%s'%s' %s%s", used ? ", " : "", r.now,
                               *r.section ? "in " : "at the top level", r.section);
  return used > 0;
}

/* "structure.loads": the room, whose keys alone are meant, and the word after it; NULL: none. */
static const ig_room *room_before(const char **word) {
  char name[64];
  const char *dot = strchr(*word, '.');
  if (!dot || (size_t)(dot - *word) >= sizeof name)
    return NULL;
  snprintf(name, sizeof name, "%.*s", (int)(dot - *word), *word);
  const ig_room *room = ig_room_find(name);
  *word = room ? dot + 1 : *word;
  return room;
}

/* A room's name comes before a key of the same name. A word that is neither is refused with the
   nearest that is. */
ig_status ig_explain(ig_ctx *cx, const char *word, ig_text_fn *text, void *user) {
  IG_REQUIRE_ARGS(cx, cx && word && text);
  explainer *e;
  char near[64], now[512];
  IG_TRY(IG_NEW(cx, &e, 1, "help"));
  ig_status status = IG_NEW(cx, &e->names, NAMES, "help");
  e->text = text;
  e->user = user;
  e->word = word;
  /* Keys of every case come first, then those of the rooms in their usual order. */
  const ig_room *room = ig_room_find(word), *only = room_before(&e->word);
  if (status == IG_OK && room) {
    room_put(e, room);
  } else if (status == IG_OK) {
    if (!only)
      keys_walk(e, ig_common_options, "");
    for (const ig_room *const *one = ig_rooms(); *one; one++) {
      if (only && *one != only)
        continue;
      e->room = (*one)->name;
      name_add(e, (*one)->name);
      keys_walk(e, (*one)->options, "");
    }
    found_put(e);
    if (e->count == 0 && renamed_list(word, now, sizeof now))
      status =
          IG_FAIL(cx, IG_INPUT, "'%.60s' is a key of earlier versions, now called %s", word, now);
    else if (e->count == 0 && ig_nearest(word, e->names, near, sizeof near))
      status = IG_FAIL(cx, IG_INPUT, "there is no command, room or key '%.60s': did you mean '%s'?",
                       word, near);
    else if (e->count == 0)
      status = IG_FAIL(cx, IG_INPUT,
                       "there is no command, room or key '%.60s': 'ingot help' lists commands, "
                       "'ingot help physics' rooms, 'ingot help --keys' keys",
                       word);
  }
  free(e->names);
  free(e);
  return status;
}
