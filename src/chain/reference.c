/* What a case file may say, written out from the tables that read it, as Markdown. Each section is
   described once; where the same table comes again, a link leads to it. */
#include "chain/chain.h"
#include "mesh/place.h"
#include "core/number.h"
#include "core/renamed.h"
#include "core/require.h"
#include "run/case.h"
#include "run/rooms.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* More sections than there are today; further ones would be described again rather than linked. */
enum { SECTIONS = 256, ANCHOR = 160 };
/* A section that was written: its table, the page it is on, and what a link to it is called. */
typedef struct {
  const ig_option *table;
  const char *page; /* "": the page at hand */
  char name[160], anchor[ANCHOR];
} section;
/* State of one page while it is written. */
typedef struct {
  ig_text_fn *text;
  void *user;
  const char *level;  /* of headings of sections: "###" */
  const char *common; /* the page with what all rooms share; "": this one */
  int sections;
  section section[SECTIONS]; /* those written, to point at where the same keys come again */
} writer;

#define put(w, ...) ig_text_put((w)->text, (w)->user, __VA_ARGS__)

/* Writes the entries of "a|b|c" one by one, each within `quote`, with `join` between them. */
static void choices_put(writer *w, const char *choices, const char *quote, const char *join) {
  for (const char *p = choices; *p;) {
    const int length = (int)strcspn(p, "|");
    put(w, "%s%s%.*s%s", p == choices ? "" : join, quote, length, p, quote);
    p += length + (p[length] == '|');
  }
}

/* `physics` takes the rooms' names, whatever rooms there are. */
static void rooms_put(writer *w, const char *quote, const char *join) {
  for (const ig_room *const *room = ig_rooms(); *room; room++)
    put(w, "%s%s%s%s", room == ig_rooms() ? "" : join, quote, (*room)->name, quote);
}
static bool is_physics(const ig_option *o) {
  return o == ig_common_options; /* the first of them */
}

/* --- the reference ------------------------------------------------------------------------------
 */

/* What kind of value a key takes, for the second column of a table. */
static void kind_put(writer *w, const ig_option *o) {
  switch (o->kind) {
  case IG_OPT_BOOL:
    put(w, "`true` or `false`");
    break;
  case IG_OPT_INT:
    put(w, "whole number");
    break;
  case IG_OPT_REAL:
    put(w, "number");
    break;
  case IG_OPT_TEXT:
  case IG_OPT_CHOICE:
    if (is_physics(o))
      rooms_put(w, "`", ", ");
    else if (o->choices)
      choices_put(w, o->choices, "`", ", ");
    else
      put(w, "text");
    break;
  case IG_OPT_FILE:
    put(w, "path");
    break;
  case IG_OPT_VECTOR:
    if (o->least)
      put(w, "list of %d or %d numbers", o->least, o->length);
    else
      put(w, "list of %d numbers", o->length);
    break;
  case IG_OPT_IVECTOR:
    put(w, "list of %d whole numbers", o->length);
    break;
  case IG_OPT_REALS:
    put(w, "number, or list of them");
    break;
  case IG_OPT_TEXTS:
    put(w, "text, or list of them");
    break;
  case IG_OPT_TABLE:
    put(w, "number, or rows `[x, y]` with x in %s", o->xunit && *o->xunit ? o->xunit : "1");
    break;
  case IG_OPT_MAP:
    put(w, "section");
    break;
  case IG_OPT_LIST:
    put(w, "list of sections");
    break;
  case IG_OPT_KEYS:
    break;
  }
}

/* Tables that several others hold, each described once, in a chapter of its own. */
static const struct {
  const ig_option *table;
  const char *name, *about;
} shared[] = {
    {ig_place_options, "A place",
     "A part of space: inside everything of it that is given. Points have two entries in the "
     "plane, three in\nspace. The same keys stand wherever a place is asked for"},
};
enum { SHARED = sizeof shared / sizeof *shared };

/* What pages make of a heading to link to it: letters, digits, '_' and '-' of it, and "-1" where
   the same comes a second time. */
static void anchor_make(const writer *w, const char *heading, char anchor[ANCHOR]) {
  size_t used = 0;
  for (const char *p = heading; *p && used + 8 < ANCHOR; p++)
    if (isalnum((unsigned char)*p) || strchr("_- ", *p))
      anchor[used++] = *p == ' ' ? '-' : (char)tolower((unsigned char)*p);
  anchor[used] = '\0';
  int before = 0;
  for (int i = 0; i < w->sections; i++)
    before +=
        !*w->section[i].page && strncmp(w->section[i].anchor, anchor, used) == 0 &&
        strspn(w->section[i].anchor + used, "-0123456789") == strlen(w->section[i].anchor + used);
  if (before)
    snprintf(anchor + used, ANCHOR - used, "-%d", before);
}

/* The section a table was described in, NULL if it was not yet. Tables are found by their address,
   which is the same for all rooms that share one. */
static const section *section_of(const writer *w, const ig_option *table) {
  for (int i = 0; i < w->sections; i++)
    if (w->section[i].table == table)
      return &w->section[i];
  return NULL;
}

/* The name of a table that has a chapter of its own; NULL: it has none. */
static const char *shared_name(const ig_option *table) {
  for (int i = 0; i < SHARED; i++)
    if (shared[i].table == table)
      return shared[i].name;
  return NULL;
}

/* One row for every key; keys that stand in a table by IG_OPT_KEYS share a row. Columns: key, kind
   of value, unit, default or required, range with the usual one, help. Places, which many tables
   have, link to their chapter. */
static void table_put(writer *w, const ig_option *options) {
  put(w, "| key | value | unit | default | range | what |\n|---|---|---|---|---|---|\n");
  for (const ig_option *o = options; o->key; o++) {
    char range[128], usual[96];
    ig_option_range(o, range, sizeof range);
    ig_option_usual_text(o, false, usual, sizeof usual);
    put(w, "|");
    for (const ig_option *key = o->kind == IG_OPT_KEYS ? o->sub : o; key->key; key++) {
      put(w, " `%s`", key->key);
      if (key == o)
        break;
    }
    put(w, " | ");
    kind_put(w, o);
    if (o->sub && shared_name(o->sub)) {
      char anchor[ANCHOR];
      anchor_make(&(writer){0}, shared_name(o->sub), anchor);
      put(w, "%s[%s](%s#%s)", o->kind == IG_OPT_KEYS ? "" : ": ", shared_name(o->sub), w->common,
          anchor);
    }
    put(w, " | %s | ", o->unit ? o->unit : "");
    if (o->fallback && strcmp(o->fallback, IG_REQUIRED) == 0)
      put(w, "**required**");
    else if (o->fallback)
      put(w, "`%s`", o->fallback);
    put(w, " | %s%s%s%s | %s |\n", range, *usual && *range ? "; " : "", *usual ? "usual: " : "",
        usual, o->help);
  }
  put(w, "\n");
}

/* The sections of a table, each under its full name, those of a list with `[]`. Keys that were
   described before are pointed at. */
static void sections_put(writer *w, const ig_option *options, const char *above) {
  for (const ig_option *o = options; o->key; o++) {
    if (!o->sub || shared_name(o->sub))
      continue;
    char name[160];
    snprintf(name, sizeof name, "%.100s%.40s%s", above, o->key, o->kind == IG_OPT_LIST ? "[]" : "");
    put(w, "%s `%s`\n\n%s.", w->level, name, o->help);
    const section *same = section_of(w, o->sub);
    if (same)
      put(w, " Its keys are those of [`%s`](%s#%s).", same->name, same->page, same->anchor);
    put(w, "\n\n");
    /* The section is noted before its own sections are written, so that a table within itself ends
       in a link rather than without end. */
    if (w->sections < SECTIONS) {
      section *own = &w->section[w->sections];
      own->table = o->sub;
      own->page = "";
      snprintf(own->name, sizeof own->name, "%s", name);
      anchor_make(w, name, own->anchor);
      w->sections++;
    }
    if (same)
      continue;
    table_put(w, o->sub);
    strcat(name, ".");
    sections_put(w, o->sub, name);
  }
}

/* Takes text and drops it. */
static void nowhere(void *user, const char *text) {
  (void)user;
  (void)text;
}

/* What all rooms share: the keys of every case, and tables with chapters of their own. */
static void common_put(writer *w) {
  put(w, "## Every case\n\n");
  table_put(w, ig_common_options);
  sections_put(w, ig_common_options, "");
  for (int i = 0; i < SHARED; i++) {
    put(w, "## %s\n\n%s.\n\n", shared[i].name, shared[i].about);
    table_put(w, shared[i].table);
    sections_put(w, shared[i].table, "");
  }
}

/* One room: what it computes, its fields and precisions, and its keys. */
static void room_put(writer *w, const ig_room *room) {
  put(w, "%s.%s\n\n", room->about, room->needs_mesh ? " Needs a `mesh`." : "");
  if (room->fields) {
    put(w, "Fields of its snapshots, for `output.fields`: ");
    choices_put(w, room->fields, "`", ", ");
    put(w, ".\n\n");
  }
  if (room->figures) {
    put(w, "Figures of its summary that are numbers, for `accept` and chains (`*` stands for any "
           "text, `{probes}` for the `name` of a probe, and so on): ");
    choices_put(w, room->figures, "`", ", ");
    put(w, ".\n\n");
  }
  if (room->precisions) {
    put(w, "Computes in ");
    choices_put(w, room->precisions, "`", ", ");
    put(w, ".\n\n");
  }
  table_put(w, room->options);
  sections_put(w, room->options, "");
}

/* What only chains have; the text beside it explains `from`, which no table can. */
static void chains_put(writer *w) {
  put(w, "## Chains\n\n"
         "A case with `stages` is a chain: a map of stages, each a case under the name of its "
         "folder, run one after\nthe other. `backend`, `threads`, `precision`, `assembly`, "
         "`materials` and `output` beside `stages` hold for\nevery stage that does not say "
         "otherwise. A stage takes what an earlier one left: `mesh: {from: STAGE}`, with\n`keep: "
         "{set: NAME, field: NAME, min: NUMBER, max: NUMBER}` for a part of it, or `keep: {left: "
         "true, moved: true}`\nfor what the cuts of a stress stage have left, at the places it "
         "has moved to; `path: {from: STAGE}`; `from:\nSTAGE` for the design of a shape; and for "
         "any number `{from: STAGE, "
         "figure: KEY, times: NUMBER, plus: NUMBER}`,\na figure of that stage's "
         "summary.json.\n\nBeside `stages`:\n\n");
  table_put(w, ig_chain_keys);
  sections_put(w, ig_chain_keys, "");
  put(w, "In a stage, beside its case:\n\n");
  table_put(w, ig_stage_keys);
  sections_put(w, ig_stage_keys, "stages.NAME.");
}

/* Keys of earlier versions, from the table that `ingot upgrade` works with. */
static void renamed_put(writer *w) {
  ig_renamed r;
  put(w, "## Renamed keys\n\n"
         "`ingot upgrade CASE.yaml` rewrites these in cases, chains and sweeps, and keeps comments "
         "and layout.\n\n| section | was | is |\n|---|---|---|\n");
  for (int i = 0; ig_renamed_at(i, &r); i++)
    if (r.choice)
      put(w, "| `%s` | `%s: %s` | `%s: %s` |\n", r.section, r.key, r.was, r.key, r.now);
    else
      put(w, "| %s%s%s | `%s` | `%s` |\n", *r.section ? "`" : "top level", r.section,
          *r.section ? "`" : "", r.was, r.now);
  put(w, "\n");
}

/* The page of one room: what all rooms share stands on the common page. */
static void room_page_put(writer *w, const ig_room *room) {
  w->level = "##";
  w->common = "case-reference.md";
  ig_text_fn *const text = w->text;
  /* The common page is written to nowhere first: its sections are then known, and links lead to
     that page instead of repeating it. */
  w->text = nowhere; /* only to know the sections of that page */
  common_put(w);
  w->text = text;
  for (int i = 0; i < w->sections; i++)
    w->section[i].page = w->common;
  put(w,
      "# Keys of %s\n\nWritten by `ingot help --reference %s` from the tables that read case "
      "files. Keys of every case (`mesh`, `materials`, `output` and others), numbers, units and "
      "places: [case files](case-reference.md).\n\n`physics: %s`: ",
      room->name, room->name, room->name);
  room_put(w, room);
}

/* page NULL: everything on one page; "common": what all rooms share, with links; else the name of a
   room. The text is passed to `text` in pieces, in order. */
ig_status ig_reference(ig_ctx *cx, const char *page, ig_text_fn *text, void *user) {
  IG_REQUIRE_ARGS(cx, cx && text);
  /* Some 80 kB on the stack: the sections written so far, by which repetitions are found. */
  writer w = {.text = text, .user = user, .level = "###", .common = ""};
  const bool common = page && strcmp(page, "common") == 0;
  const ig_room *own = page && !common ? ig_room_find(page) : NULL;
  if (page && !common && !own)
    return IG_FAIL(cx, IG_INPUT, "there is no physics '%.60s'", page);
  if (own) {
    room_page_put(&w, own);
    return IG_OK;
  }
  put(&w,
      "# Case reference\n\n"
      "Written by `ingot help --reference%s` from the tables that read case files.\n\n"
      "A case is one YAML document. A number is in the unit the table names (SI), or carries "
      "a unit of its\nown: `1.1 mm`, `1050 W`, `3 us`, `210 GPa`, `25 degC`, `15 W/(m K)`, "
      "`45 deg`, `35 %%`. Where a list of\nsections or values is expected, one alone will do. "
      "A path is relative to the file it stands in.\nKeys without a default that are not "
      "required may be left out. Values outside the usual range run with a warning. `--set "
      "key=value` on the command line\nsets one key, in the "
      "form `output.every` or `materials[0].density`.\n\n",
      common ? " common" : "");
  if (common) {
    put(&w, "Keys of one kind of analysis have a page each:\n\n");
    for (const ig_room *const *room = ig_rooms(); *room; room++)
      put(&w, "- [%s](keys-%s.md): %s\n", (*room)->name, (*room)->name, (*room)->about);
    put(&w, "\n");
  }
  common_put(&w);
  for (const ig_room *const *room = ig_rooms(); *room && !common; room++) {
    put(&w, "## physics: %s\n\n", (*room)->name);
    room_put(&w, *room);
  }
  chains_put(&w);
  renamed_put(&w);
  return IG_OK;
}

/* --- completion ---------------------------------------------------------------------------------
 */

/* One line for each key that takes a value: path, possible values, help, separated by tabs, as the
   completion scripts of the shells read them. Sections themselves are left out, as --set needs the
   key of a value. */
static void keys_put(writer *w, const ig_option *options, const char *above) {
  for (const ig_option *o = options; o->key; o++) {
    char name[160];
    if (o->kind == IG_OPT_KEYS) {
      keys_put(w, o->sub, above);
      continue;
    }
    snprintf(name, sizeof name, "%.100s%.40s%s", above, o->key, o->kind == IG_OPT_LIST ? "[]" : "");
    if (o->sub) {
      strcat(name, ".");
      keys_put(w, o->sub, name);
      continue;
    }
    put(w, "%s\t", name);
    if (is_physics(o))
      rooms_put(w, "", " ");
    else if (o->choices)
      choices_put(w, o->choices, "", " ");
    else if (o->kind == IG_OPT_BOOL)
      put(w, "true false");
    put(w, "\t%s\n", o->help);
  }
}

/* room NULL: keys of all rooms. */
ig_status ig_completion(ig_ctx *cx, const char *room, ig_text_fn *text, void *user) {
  IG_REQUIRE_ARGS(cx, cx && text);
  writer w = {.text = text, .user = user};
  if (room && !ig_room_find(room))
    return IG_FAIL(cx, IG_INPUT, "there is no physics '%.60s'", room);
  keys_put(&w, ig_common_options, "");
  for (const ig_room *const *one = ig_rooms(); *one; one++)
    if (!room || strcmp(room, (*one)->name) == 0)
      keys_put(&w, (*one)->options, "");
  return IG_OK;
}
