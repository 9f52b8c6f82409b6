/* Pieces of the tree of a case: text, entries, sets.

   The importer writes each entry of the case as YAML text ("{set: 'N1', fix: x}") and has it
   parsed by the case reader (ig_node_parse). This costs a little time, and in return the tree is
   by construction one that a case file could contain: the room needs no second way in, and
   `ingot import` prints the same entries.

   Sets: targets of a deck are names or numbers. A number becomes a set of one item named "node
   12" or "element 7", faces of elements one named "NAME side 3", made once each in mesh.sets. */
#include "deck/import.h"
#include "core/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Appends to the entry in work. The buffer is reused from entry to entry; one piece has at most
   511 characters, longer texts are put piece by piece. */
void ig_import_put(ig_importer *b, const char *format, ...) {
  char piece[512];
  va_list args;
  va_start(args, format);
  const int length = ig_format_args(piece, sizeof piece, format, args);
  va_end(args);
  if (b->status != IG_OK || length < 0)
    return;
  const size_t n = (size_t)length < sizeof piece ? (size_t)length : sizeof piece - 1;
  if (b->used + n + 1 > b->space) {
    const size_t space = 2 * (b->used + n + 64);
    char *more = realloc(b->text, space);
    if (!more) {
      b->status = IG_FAIL(b->d->cx, IG_MEMORY, "no memory for a case");
      return;
    }
    b->text = more;
    b->space = space;
  }
  memcpy(b->text + b->used, piece, n + 1);
  b->used += n;
}

/* Shortest text that reads back to the same double. */
void ig_import_real(ig_importer *b, double value) {
  char text[IG_NUMBER_TEXT];
  ig_number_text(value, text);
  ig_import_put(b, "%s", text);
}

/* Single quotes, doubled inside, as YAML has them: names of decks may have any character. */
void ig_import_name(ig_importer *b, const char *name) {
  ig_import_put(b, "'");
  for (const char *c = name; *c; c++)
    ig_import_put(b, *c == '\'' ? "''" : "%c", *c);
  ig_import_put(b, "'");
}

/* Rows [time, factor]: times of the whole run, from 0 on. */
void ig_import_history(ig_importer *b, const ig_deck_history *h) {
  ig_import_put(b, ", history: [");
  for (int i = 0; i < h->rows; i++) {
    ig_import_put(b, i ? ", [" : "[");
    ig_import_real(b, h->time[i]);
    ig_import_put(b, ", ");
    ig_import_real(b, h->factor[i]);
    ig_import_put(b, "]");
  }
  ig_import_put(b, "]");
}

/* Later failures are not recorded: the first one is the cause. */
ig_status ig_import_fail(ig_importer *b, const ig_src *at, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  ig_format_args(text, sizeof text, format, args);
  va_end(args);
  if (b->status == IG_OK)
    b->status = ig_fail_at(b->d->cx, at, "%s", text);
  return b->status;
}

/* The child of a map, made if it is not there.
   key need not end with a zero: `length` characters of it count. */
static ig_node *child_of(ig_importer *b, ig_node *map, const char *key, size_t length,
                         ig_node_kind kind, ig_src at) {
  ig_node **last = &map->child, *node = NULL;
  for (; *last; last = &(*last)->next)
    if (strncmp((*last)->key, key, length) == 0 && !(*last)->key[length])
      return *last;
  if (b->status == IG_OK)
    b->status = ig_arena_take(b->d->cx, b->d->arena, (void **)&node, 1, sizeof *node);
  if (b->status == IG_OK)
    b->status = ig_arena_text(b->d->cx, b->d->arena, &node->key, key, length);
  if (b->status != IG_OK)
    return NULL;
  node->kind = kind;
  node->at = node->key_at = at;
  *last = node;
  return node;
}

/* The entry's text is cleared for the next one also after a failure. */
void ig_import_end(ig_importer *b, const char *key, bool list, ig_src at) {
  ig_node *value = NULL, *map = b->root;
  const char *dot = strchr(key, '.');
  if (b->status == IG_OK)
    b->status = ig_node_parse(b->d->cx, b->d->arena, b->used ? b->text : "''", at, &value);
  b->used = 0;
  if (b->status == IG_OK && dot) {
    map = child_of(b, map, key, (size_t)(dot - key), IG_NODE_MAP, at);
    key = dot + 1;
  }
  if (b->status != IG_OK)
    return;
  ig_node *entry = child_of(b, map, key, strlen(key), list ? IG_NODE_LIST : value->kind, at);
  if (!entry)
    return;
  if (list) {
    /* Ends of up to 32 lists are remembered: a deck with 1e5 supports would else walk 1e5 items
       for each. A list beyond them shares the last place and is walked. */
    int i = 0;
    while (i < 31 && b->grown[i].list && b->grown[i].list != entry)
      i++;
    ig_node **last = b->grown[i].list == entry ? &b->grown[i].end->next : &entry->child;
    while (*last)
      last = &(*last)->next;
    *last = value;
    b->grown[i].list = entry;
    b->grown[i].end = value;
  } else {
    entry->text = value->text;
    entry->quoted = value->quoted;
    entry->child = value->child;
  }
}

/* As the deck spells it where it makes the set; NULL: it does not.
   Names are looked up without regard to case; a case wants them as the mesh reader has them. */
static const char *spelled(const ig_deck *d, const char *name, ig_set_kind kind) {
  const int at = ig_namemap_get(&d->name_of, (int)kind, name, strlen(name));
  return at < 0 ? NULL : d->name[at];
}

/* name must live as long as the deck: it is not copied. */
static ig_status name_add(ig_deck *d, const char *name, ig_set_kind kind) {
  IG_TRY(IG_MORE(d->cx, &d->name, d->names, "names of sets"));
  if (!ig_namemap_put(&d->name_of, (int)kind, name, strlen(name), d->names))
    return IG_FAIL(d->cx, IG_MEMORY, "no memory for the name of a set");
  d->name[d->names++] = name;
  return IG_OK;
}

static const char *text_keep(ig_importer *b, const char *text) {
  const char *kept = NULL;
  if (b->status == IG_OK)
    b->status = ig_arena_text(b->d->cx, b->d->arena, &kept, text, strlen(text));
  return kept;
}

/* A set that the case makes of numbers; the same one again where it is there already.
   target: a number, or for faces also a set of elements, whose side `side` (from 1) is meant. */
static const char *made(ig_importer *b, const ig_src *at, ig_set_kind kind, const char *name,
                        const char *target, int side) {
  static const char *const kinds[] = {"nodes", "elements", "faces"};
  if (spelled(b->d, name, kind))
    return spelled(b->d, name, kind);
  const bool number = ig_is_number(target);
  ig_import_put(b, "{name: ");
  ig_import_name(b, name);
  ig_import_put(b, ", of: %s, ", kinds[kind]);
  if (number)
    ig_import_put(b, "numbers: [%s]", target);
  else {
    ig_import_put(b, "elements: ");
    ig_import_name(b, target);
  }
  if (kind == IG_SET_FACES)
    ig_import_put(b, ", side: %d", side);
  ig_import_put(b, "}");
  ig_import_end(b, "mesh.sets", true, *at);
  const char *kept = text_keep(b, name);
  if (b->status == IG_OK)
    b->status = name_add(b->d, kept, kind);
  return b->status == IG_OK ? kept : NULL;
}

/* A number is that of a node or an element, which becomes a set of its own. A surface may stand for
   its nodes. With parts and instances the mesh reader makes names of its
   own ("instance.set"), which are not known here: such names are passed on unchecked. */
const char *ig_import_set(ig_importer *b, const ig_src *at, const char *target, ig_set_kind kind) {
  char name[80];
  if (b->status != IG_OK)
    return NULL;
  if (ig_is_number(target) && kind != IG_SET_FACES) {
    if (b->d->parts) {
      ig_import_fail(b, at, "%.40s: numbers of a deck with parts are not unique: name a set",
                     target);
      return NULL;
    }
    snprintf(name, sizeof name, "%s %.40s", kind == IG_SET_NODES ? "node" : "element", target);
    return made(b, at, kind, name, target, 0);
  }
  return ig_import_named(b, at, target, kind);
}

/* Parameters of cards (ELSET=1) are names, never numbers. */
const char *ig_import_named(ig_importer *b, const ig_src *at, const char *target,
                            ig_set_kind kind) {
  if (b->status != IG_OK)
    return NULL;
  const char *found = spelled(b->d, target, kind);
  if (!found && kind == IG_SET_NODES && spelled(b->d, target, IG_SET_FACES))
    found = spelled(b->d, target, IG_SET_FACES);
  if (found || b->d->parts)
    return found ? found : target;
  ig_import_fail(b, at, "no set of %s is named '%.60s'",
                 kind == IG_SET_NODES      ? "nodes"
                 : kind == IG_SET_ELEMENTS ? "elements"
                                           : "faces",
                 target);
  return NULL;
}

/* Labels P1 to P6, S1, F1, R1 name sides by the numbers that Abaqus gives them. */
const char *ig_import_side(ig_importer *b, const ig_src *at, const char *target, int side) {
  char name[80];
  const char *set = ig_is_number(target) ? target : ig_import_set(b, at, target, IG_SET_ELEMENTS);
  if (!set)
    return NULL;
  snprintf(name, sizeof name, "%.60s side %d", set, side);
  return made(b, at, IG_SET_FACES, name, set, side);
}

/* The first spelling of each name counts. Nodes, elements and faces have name spaces of their
   own. */
ig_status ig_import_names(ig_deck *d) {
  for (const ig_card *c = d->card; c; c = c->next) {
    const char *nset = ig_card_get(c, "NSET"), *elset = ig_card_get(c, "ELSET");
    const char *name = NULL, *type = ig_card_get(c, "TYPE");
    ig_set_kind kind = IG_SET_NODES;
    d->parts |= strcmp(c->word, "PART") == 0;
    if (strcmp(c->word, "NODE") == 0 || strcmp(c->word, "NSET") == 0)
      name = nset;
    if (strcmp(c->word, "ELEMENT") == 0 || strcmp(c->word, "ELSET") == 0) {
      name = elset;
      kind = IG_SET_ELEMENTS;
    }
    if (strcmp(c->word, "SURFACE") == 0) {
      name = ig_card_get(c, "NAME");
      kind = type && strcasecmp(type, "NODE") == 0 ? IG_SET_NODES : IG_SET_FACES;
    }
    if (!name || spelled(d, name, kind))
      continue;
    IG_TRY(name_add(d, name, kind));
  }
  return IG_OK;
}
