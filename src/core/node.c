/* Trees of a case: finding, folding, and values written on one line. Nodes and texts lie in the
   case's arena; nothing is freed here. Children of a node are a linked list in the order of the
   file, and a map is searched from its start: sections have a few dozen keys at most.

   The reader at the end takes the flow style of YAML on a single line: scalars, [lists], {maps},
   single and double quotes. A recursive descent with the functions value_read, entry_read,
   quoted_read and plain_read, one for each rule. Files have a reader of their own
   (io/case_yaml). */
#include "core/option.h"

#include <string.h>

ig_node *ig_node_find(const ig_node *map, const char *key) {
  if (map->kind == IG_NODE_MAP)
    for (ig_node *child = map->child; child; child = child->next)
      if (strcmp(child->key, key) == 0)
        return child;
  return NULL;
}

/* Moves children of `base` instead of copying them, which is why `base` is empty afterwards. The
   keys of `map` keep their order and come first. */
void ig_node_fold(ig_node *map, ig_node *base) {
  ig_node **end = &map->child;
  while (*end)
    end = &(*end)->next;
  for (ig_node *child = base->child, *next; child; child = next) {
    next = child->next;
    child->next = NULL;
    ig_node *const own = ig_node_find(map, child->key);
    if (!own) {
      *end = child;
      end = &child->next;
    } else if (own->kind == IG_NODE_MAP && child->kind == IG_NODE_MAP)
      ig_node_fold(own, child);
  }
  base->child = NULL;
}

void ig_node_drop(ig_node *map, const char *key) {
  for (ig_node **slot = &map->child; *slot; slot = &(*slot)->next)
    if (strcmp((*slot)->key, key) == 0) {
      *slot = (*slot)->next;
      return;
    }
}

ig_src ig_key_at(const ig_node *map, const char *key, ig_src otherwise) {
  const ig_node *node = map ? ig_node_find(map, key) : NULL;
  return node ? node->at : otherwise;
}

ig_status ig_node_copy(ig_ctx *cx, ig_arena *arena, const ig_node *from, ig_node **to) {
  IG_TRY(ig_arena_take(cx, arena, (void **)to, 1, sizeof **to));
  **to = *from;
  (*to)->next = NULL;
  ig_node **end = &(*to)->child;
  *end = NULL;
  for (const ig_node *child = from->child; child; child = child->next) {
    IG_TRY(ig_node_copy(cx, arena, child, end));
    end = &(*end)->next;
  }
  return IG_OK;
}

/* --- values on one line: what defaults in option tables and --set are written in ----------------
 */

typedef struct {
  ig_ctx *cx;
  ig_arena *arena;
  ig_src at;
  const char *text, *p;
  int depth;
} reader;

/* Brackets within each other: a bound on the recursion, far above what any option needs. */
enum { DEEPEST = 32 };

static void blanks_skip(reader *r) {
  while (*r->p == ' ' || *r->p == '\t')
    r->p++;
}

static ig_status fault(reader *r, const char *what) {
  return ig_fail_at(r->cx, &r->at, "%s at '%.40s' in '%.80s'", what, r->p, r->text);
}

static ig_status node_new(reader *r, ig_node_kind kind, ig_node **node) {
  IG_TRY(ig_arena_take(r->cx, r->arena, (void **)node, 1, sizeof **node));
  (*node)->kind = kind;
  (*node)->at = (*node)->key_at = r->at;
  return IG_OK;
}

/* 'it''s' or "a \"b\"". YAML's rules: in single quotes a doubled quote is one quote; in double
   quotes a backslash keeps the next character. The copy is never longer than what is left of the
   text. */
static ig_status quoted_read(reader *r, const char **text) {
  const char quote = *r->p++;
  char *copy;
  IG_TRY(ig_arena_take(r->cx, r->arena, (void **)&copy, strlen(r->p) + 1, 1));
  *text = copy;
  for (; *r->p; r->p++) {
    if (*r->p == quote && !(quote == '\'' && r->p[1] == quote)) {
      r->p++;
      return IG_OK;
    }
    if ((quote == '"' && *r->p == '\\' && r->p[1]) || (quote == '\'' && *r->p == quote))
      r->p++;
    *copy++ = *r->p;
  }
  return fault(r, "a quote is not closed");
}

/* Plain text up to the end, or inside brackets to what ends an entry there. At depth 0 commas
   and brackets belong to the text: `title: a, b` needs no quotes. Blanks at the end are cut off. */
static ig_status plain_read(reader *r, bool key, const char **text) {
  const char *from = r->p, *end = from;
  for (; *r->p; r->p++) {
    if (r->depth && strchr(",[]{}", *r->p))
      break;
    if (key && *r->p == ':')
      break;
    if (*r->p != ' ' && *r->p != '\t')
      end = r->p + 1;
  }
  return ig_arena_text(r->cx, r->arena, text, from, (size_t)(end - from));
}

static ig_status value_read(reader *r, ig_node **node);

/* One entry of a list, or "key: value" of a map. */
static ig_status entry_read(reader *r, ig_node *parent, ig_node **entry) {
  const char *key = NULL;
  if (parent->kind == IG_NODE_MAP) {
    IG_TRY(*r->p == '"' || *r->p == '\'' ? quoted_read(r, &key) : plain_read(r, true, &key));
    blanks_skip(r);
    if (*r->p != ':' || !*key)
      return fault(r, "expected 'key: value'");
    if (ig_node_find(parent, key))
      return fault(r, "a key is given twice");
    r->p++;
  }
  IG_TRY(value_read(r, entry));
  (*entry)->key = key;
  return IG_OK;
}

static ig_status value_read(reader *r, ig_node **node) {
  blanks_skip(r);
  if (*r->p == '[' || *r->p == '{') {
    const char close = *r->p++ == '[' ? ']' : '}';
    IG_TRY(node_new(r, close == ']' ? IG_NODE_LIST : IG_NODE_MAP, node));
    if (++r->depth > DEEPEST)
      return fault(r, "too many brackets");
    ig_node **end = &(*node)->child;
    for (blanks_skip(r); *r->p != close; blanks_skip(r)) {
      IG_TRY(entry_read(r, *node, end));
      end = &(*end)->next;
      blanks_skip(r);
      if (*r->p == ',')
        r->p++;
      else if (*r->p != close)
        return fault(r, close == ']' ? "expected ',' or ']'" : "expected ',' or '}'");
    }
    r->p++;
    r->depth--;
  } else {
    IG_TRY(node_new(r, IG_NODE_SCALAR, node));
    (*node)->quoted = *r->p == '"' || *r->p == '\'';
    IG_TRY((*node)->quoted ? quoted_read(r, &(*node)->text) : plain_read(r, false, &(*node)->text));
    if (!(*node)->quoted && !*(*node)->text)
      return fault(r, "expected a value");
  }
  return IG_OK;
}

ig_status ig_node_parse(ig_ctx *cx, ig_arena *arena, const char *text, ig_src at, ig_node **node) {
  reader r = {.cx = cx, .arena = arena, .at = at, .text = text, .p = text};
  IG_TRY(value_read(&r, node));
  blanks_skip(&r);
  return *r.p ? fault(&r, "something follows the value") : IG_OK;
}
