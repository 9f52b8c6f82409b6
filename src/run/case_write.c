/* Writes a case back as YAML. Keys that were given are written as given, with absolute paths and
   material files merged in; keys that were not given follow as comments with their defaults. The
   result reads to the same case; it is stored in the output folder. */
#include "run/case.h"
#include "core/require.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of the writer. Text goes to a function in small pieces. */
typedef struct {
  ig_text_fn *text;
  void *user;
  int indent;
  bool dash;    /* the next line begins an item of a list */
  bool comment; /* what is written is a default */
} writer;

#define put(w, ...) ig_text_put((w)->text, (w)->user, __VA_ARGS__)

/* One key: comment mark, indentation, dash of a list item, "key:". */
static void line_begin(writer *w, const char *key) {
  put(w, "%s%*s%s%s:", w->comment ? "# " : "", w->indent - (w->dash ? 2 : 0), "",
      w->dash ? "- " : "", key);
  w->dash = false;
}

/* Whether plain text would be read by YAML as something else. Conservative: quoting is always
   allowed. */
static bool needs_quotes(const char *text) {
  return !*text || strpbrk(text, ":#{}[],&*!|>'\"%@`\\") || strchr(" -?", *text) ||
         text[strlen(text) - 1] == ' ';
}

/* Single quotes, except for control characters, which only double-quoted YAML can express. */
static void scalar_put(const writer *w, const char *text, bool quoted) {
  if (!quoted && !needs_quotes(text)) {
    put(w, "%s", text);
    return;
  }
  bool control = false;
  for (const char *p = text; *p; p++)
    control |= (unsigned char)*p < ' ';
  put(w, control ? "\"" : "'");
  for (const char *p = text; *p; p++)
    if (!control)
      put(w, *p == '\'' ? "''" : "%c", *p);
    else if ((unsigned char)*p < ' ')
      put(w, "\\x%02x", (unsigned)*p);
    else
      put(w, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
  put(w, control ? "\"" : "'");
}

/* A value on one line, in flow style. */
static void flow_put(const writer *w, const ig_node *node) {
  if (node->kind == IG_NODE_SCALAR) {
    scalar_put(w, node->text, node->quoted);
    return;
  }
  put(w, node->kind == IG_NODE_LIST ? "[" : "{");
  for (const ig_node *child = node->child; child; child = child->next) {
    if (node->kind == IG_NODE_MAP)
      put(w, "%s: ", child->key);
    flow_put(w, child);
    put(w, child->next ? ", " : "");
  }
  put(w, node->kind == IG_NODE_LIST ? "]" : "}");
}

/* The option of a key and the struct that contains its value; searches tables embedded by
   IG_OPT_KEYS. */
static const ig_option *find(const ig_option *options, const void *from, const char *key,
                             const void **in) {
  for (const ig_option *o = options; o->key; o++) {
    const ig_option *found = NULL;
    if (o->kind == IG_OPT_KEYS)
      found = find(o->sub, (const char *)from + o->offset, key, in);
    else if (strcmp(o->key, key) == 0) {
      *in = from;
      found = o;
    }
    if (found)
      return found;
  }
  return NULL;
}

/* Writes the options that were not given, as comments. Sections, lists and required keys have no
   default. */
static void defaults_put(writer *w, const ig_option *options, const ig_node *given) {
  const bool comment = w->comment;
  w->comment = true;
  for (const ig_option *o = options; o->key; o++)
    if (o->kind != IG_OPT_MAP && o->kind != IG_OPT_LIST && o->kind != IG_OPT_KEYS && o->fallback &&
        strcmp(o->fallback, IG_REQUIRED) != 0 && !(given && ig_node_find(given, o->key))) {
      const bool dash = w->dash; /* an item of a list that gives nothing */
      w->dash = false;
      line_begin(w, o->key);
      w->dash = dash;
      put(w, " %s", *o->fallback ? o->fallback : "''");
      if (o->unit && *o->unit && strspn(o->fallback, "+-.eE0123456789") == strlen(o->fallback))
        put(w, "  # %s", o->unit);
      put(w, "\n");
    }
  w->comment = comment;
}

static void map_put(writer *w, const ig_node *map, const ig_option_table *tables, int count);

/* An item of a list of maps. The dash belongs to the first key that is written. */
static void item_put(writer *w, const ig_node *node, const ig_option *o, const void *at) {
  w->indent += 4;
  w->dash = true;
  map_put(w, node, &(ig_option_table){o->sub, (void *)at}, 1);
  w->dash = false;
  w->indent -= 4;
}

/* Paths are made absolute, because the copy of the case is in another folder than the original. */
static void value_put(writer *w, const ig_node *node, const ig_option *o, const void *at) {
  char whole[PATH_MAX];
  if (o->kind == IG_OPT_FILE && *(const char *const *)at) {
    const char *path = *(const char *const *)at;
    put(w, " ");
    scalar_put(w, realpath(path, whole) ? whole : path, false);
    put(w, "\n");
  } else if (o->kind == IG_OPT_MAP && node->kind == IG_NODE_MAP && node->child) {
    put(w, "\n");
    w->indent += 2;
    map_put(w, node, &(ig_option_table){o->sub, (void *)at}, 1);
    w->indent -= 2;
  } else if (o->kind == IG_OPT_LIST && node->child) {
    const ig_list *list = at;
    put(w, "\n");
    const ig_node *one = node->kind == IG_NODE_MAP ? node : node->child;
    for (int i = 0; i < list->count && one; i++, one = node->kind == IG_NODE_MAP ? NULL : one->next)
      item_put(w, one, o, (const char *)list->items + (size_t)i * o->sub_size);
  } else {
    put(w, " ");
    flow_put(w, node);
    put(w, "\n");
  }
}

/* Keys in the order of the user, then the defaults. */
static void map_put(writer *w, const ig_node *map, const ig_option_table *tables, int count) {
  for (const ig_node *child = map->child; child; child = child->next) {
    const ig_option *o = NULL;
    const void *in = NULL;
    for (int t = 0; t < count && !o; t++)
      o = find(tables[t].options, tables[t].into, child->key, &in);
    if (!o)
      continue;
    line_begin(w, child->key);
    value_put(w, child, o, (const char *)in + o->offset);
  }
  if (w->dash) { /* nothing was given */
    put(w, "%*s- {}\n", w->indent - 2, "");
    w->dash = false;
  }
  for (int t = 0; t < count; t++)
    defaults_put(w, tables[t].options, map);
}

/* Material values are complete in the tree, so `file` is removed: the copy must not depend on
   it. */
static void material_files_drop(ig_node *materials) {
  ig_node *one = materials->kind == IG_NODE_MAP ? materials : materials->child;
  for (; one; one = materials->kind == IG_NODE_MAP ? NULL : one->next)
    for (ig_node **at = &one->child; *at; at = &(*at)->next)
      if (strcmp((*at)->key, "file") == 0) {
        *at = (*at)->next;
        break;
      }
}

/* A number that stands in a material and in its `mechanical`, as files may have it and cases may
   not: there it becomes a table of one row, beside which the other one is read again. */
static ig_status doubles_part(ig_case *c, ig_node *material) {
  ig_node *const own = ig_node_find(material, "mechanical");
  if (!own || own->kind != IG_NODE_MAP)
    return IG_OK;
  for (ig_node *n = own->child; n; n = n->next) {
    ig_node *row, *pair;
    if (n->kind != IG_NODE_SCALAR || !ig_node_find(material, n->key))
      continue;
    IG_TRY(ig_arena_take(c->cx, c->arena, (void **)&row, 1, sizeof *row));
    IG_TRY(ig_arena_take(c->cx, c->arena, (void **)&pair, 2, sizeof *pair));
    pair[0] = pair[1] = *row = *n;
    pair[0].key = pair[1].key = row->key = NULL;
    pair[0].text = "293.15 K";
    pair[0].next = &pair[1];
    pair[1].next = NULL;
    row->kind = IG_NODE_LIST;
    row->text = NULL;
    row->child = pair;
    row->next = NULL;
    n->kind = IG_NODE_LIST;
    n->text = NULL;
    n->child = row;
  }
  return IG_OK;
}

/* Sections that were not given at all are shown as comments with their defaults, except `mesh`,
   whose keys exclude each other. */
ig_status ig_case_print(ig_case *c, ig_text_fn *text, void *user) {
  writer w = {.text = text, .user = user};
  ig_node *root;
  IG_TRY(ig_case_usable(c));
  IG_REQUIRE_ARGS(c->cx, text);
  if (!c->room)
    IG_TRY(ig_case_read(c));
  IG_TRY(ig_case_fold(c, &root));
  ig_node *materials = ig_node_find(root, "materials");
  if (materials)
    material_files_drop(materials);
  if (materials && materials->kind == IG_NODE_MAP)
    IG_TRY(doubles_part(c, materials));
  for (ig_node *m = materials && materials->kind == IG_NODE_LIST ? materials->child : NULL; m;
       m = m->next)
    IG_TRY(doubles_part(c, m));
  put(&w, IG_CASE_HEAD "%s\n# Keys in comments were not given and have these defaults.\n",
      ig_version());
  const ig_option_table tables[] = {{ig_common_options, &c->common},
                                    {c->room->options, c->room_case}};
  map_put(&w, root, tables, 2);
  for (int t = 0; t < 2; t++)
    for (const ig_option *o = tables[t].options; o->key; o++) {
      if (o->kind != IG_OPT_MAP || ig_node_find(root, o->key) || strcmp(o->key, "mesh") == 0)
        continue;
      w.comment = true;
      line_begin(&w, o->key);
      put(&w, "  # not given\n");
      w.indent = 2;
      defaults_put(&w, o->sub, NULL);
      w.indent = 0;
      w.comment = false;
    }
  return IG_OK;
}
