/* Single keys of a case: ig_case_set and ig_case_get, and the grammar of keys such as
   "sources[0].power".

   key = name { "." name | "[" digits "]" }. One map may stand where a list is expected (it is a
   list of one), so sources[0].power also finds the key of `sources: {power: …}`. */
#include "run/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads one step of a key and advances *p. *length > 0: the name *key; *length 0: the entry *index.
   At most seven digits, so that strtol cannot overflow. */
static bool step_read(const char **p, bool first, const char **key, size_t *length, long *index) {
  static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  *length = 0;
  if (**p == '[' && !first) {
    const size_t digits = strspn(*p + 1, "0123456789");
    if (!digits || digits > 7 || (*p)[digits + 1] != ']')
      return false;
    *index = strtol(*p + 1, NULL, 10);
    *p += digits + 2;
    return true;
  }
  if (!first && *(*p)++ != '.')
    return false;
  *key = *p;
  *length = strspn(*p, word);
  *p += *length;
  return *length > 0;
}

/* The link that points to the child named `key`, or the NULL link at the end, where a new child is
   appended. */
static ig_node **child_slot(ig_node *map, const char *key, size_t length) {
  ig_node **slot = &map->child;
  while (*slot && !(strncmp((*slot)->key, key, length) == 0 && !(*slot)->key[length]))
    slot = &(*slot)->next;
  return slot;
}

/* Text of a scalar as it stands in the tree; NULL: no such key, or a list or map. Valid until the
   key is set again or the case is closed. */
const char *ig_case_get(const ig_case *c, const char *key) {
  if (!c || !key)
    return NULL;
  ig_node *node = c->root;
  const char *p = key, *name;
  size_t length;
  long index;
  for (bool first = true; node && *p; first = false) {
    if (!step_read(&p, first, &name, &length, &index))
      return NULL;
    if (length)
      node = node->kind == IG_NODE_MAP ? *child_slot(node, name, length) : NULL;
    else if (node->kind == IG_NODE_LIST)
      for (node = node->child; node && index; index--)
        node = node->next;
    else if (index)
      node = NULL; /* one map is a list of one */
  }
  return node && node->kind == IG_NODE_SCALAR ? node->text : NULL;
}

/* A position in the tree while a key is resolved. New nodes are linked to `fresh` only, and `fresh`
   to the tree (at `attach`) when the whole key is valid: a wrong key leaves the case unchanged. */
typedef struct {
  ig_node *fresh, **attach, **slot;
  const char *key; /* of what is, or will be, at `slot`; NULL in a list */
} walk;

/* The first node that has to be created starts the separate branch `fresh`. */
static ig_status node_create(ig_case *c, walk *w, ig_node_kind kind, const ig_src *at) {
  if (!w->attach) {
    w->attach = w->slot;
    w->slot = &w->fresh;
  }
  ig_node *node;
  IG_TRY(ig_arena_take(c->cx, c->arena, (void **)&node, 1, sizeof *node));
  node->kind = kind;
  node->at = node->key_at = *at;
  node->key = w->key;
  *w->slot = node;
  return IG_OK;
}

/* Enters a map, which is made if it does not exist. */
static ig_status key_enter(ig_case *c, walk *w, const ig_src *at, const char *key, size_t length) {
  if (!*w->slot)
    IG_TRY(node_create(c, w, IG_NODE_MAP, at));
  if ((*w->slot)->kind == IG_NODE_LIST)
    return ig_fail_at(c->cx, at, "what stands before '%.*s' is a list: say which entry, as in [0]",
                      (int)length, key);
  if ((*w->slot)->kind == IG_NODE_SCALAR)
    return ig_fail_at(c->cx, at, "what stands before '%.*s' is a single value and has no keys",
                      (int)length, key);
  w->slot = child_slot(*w->slot, key, length);
  return ig_arena_text(c->cx, c->arena, &w->key, key, length);
}

/* Enters a list. A single value or map becomes a list of one. An index equal to the length
   appends. */
static ig_status index_enter(ig_case *c, walk *w, const ig_src *at, long index) {
  if (!*w->slot) {
    IG_TRY(node_create(c, w, IG_NODE_LIST, at));
  } else if ((*w->slot)->kind != IG_NODE_LIST) { /* one value is a list of one */
    ig_node *item;
    IG_TRY(ig_arena_take(c->cx, c->arena, (void **)&item, 1, sizeof *item));
    *item = **w->slot;
    item->key = NULL;
    item->next = NULL;
    (*w->slot)->kind = IG_NODE_LIST;
    (*w->slot)->child = item;
  }
  ig_node **slot = &(*w->slot)->child;
  long i = 0;
  for (; *slot && i < index; i++)
    slot = &(*slot)->next;
  if (i < index)
    return ig_fail_at(c->cx, at, "the list has %ld entries: expected an index of at most %ld", i,
                      i);
  w->slot = slot;
  w->key = NULL;
  return IG_OK;
}

/* The label replaces file and line in messages about this value. */
ig_status ig_case_set(ig_case *c, const char *key, const char *value) {
  char label[96];
  snprintf(label, sizeof label, "--set %.80s", key ? key : "");
  return ig_case_set_from(c, key, value, label);
}

/* The value is parsed as YAML, so lists and maps can be given: [1, 2], {power: 200 W}. */
ig_status ig_case_set_from(ig_case *c, const char *key, const char *value, const char *label) {
  IG_TRY(ig_case_usable(c));
  if (!key || !value)
    return IG_FAIL(c->cx, IG_ARG, "a key and a value are needed");
  ig_src at = {.given = true};
  IG_TRY(ig_arena_text(c->cx, c->arena, &at.file, label, strlen(label)));
  if (!*value)
    return ig_fail_at(c->cx, &at, "expected a value after the key");
  ig_node *node;
  IG_TRY(ig_node_parse(c->cx, c->arena, value, at, &node));

  /* Resolve the key step by step, then put the value into the slot; siblings behind it stay
     linked. */
  walk w = {.slot = &c->root};
  const char *p = key;
  for (bool first = true; first || *p; first = false) {
    const char *name;
    size_t length;
    long index;
    if (!step_read(&p, first, &name, &length, &index))
      return ig_fail_at(c->cx, &at,
                        "no key of a case: expected a form like output.every or "
                        "sources[0].power");
    IG_TRY(length ? key_enter(c, &w, &at, name, length) : index_enter(c, &w, &at, index));
  }
  node->key = w.key;
  node->next = *w.slot ? (*w.slot)->next : NULL;
  *w.slot = node;
  if (w.attach)
    *w.attach = w.fresh;
  return IG_OK;
}
