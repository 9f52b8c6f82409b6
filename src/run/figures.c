/* Names of figures that a room may give. */
#include "run/figures.h"

#include <stdio.h>
#include <string.h>

/* The list of a room with the names of the case put in, "T_max|tip_peak|melt_width*_max". */
typedef struct {
  char text[8192];
  bool all; /* nothing was left out */
} names;

/* An entry of the list; where it has {SECTION} in it, once for each `name` in that section. */
static void entry_add(names *n, const ig_node *root, const char *entry) {
  const char *const open = strchr(entry, '{'), *const close = open ? strchr(open, '}') : NULL;
  if (!close) {
    const size_t used = strlen(n->text);
    const int put = snprintf(n->text + used, sizeof n->text - used, "%s%s", used ? "|" : "", entry);
    n->all = n->all && used + (size_t)put < sizeof n->text;
    return;
  }
  char key[32], text[192];
  snprintf(key, sizeof key, "%.*s", (int)(close - open - 1), open + 1);
  const ig_node *section = ig_node_find(root, key);
  const bool list = section && section->kind == IG_NODE_LIST;
  for (const ig_node *m = list ? section->child : section; m; m = list ? m->next : NULL) {
    const ig_node *name = m->kind == IG_NODE_MAP ? ig_node_find(m, "name") : NULL;
    if (!name || !name->text)
      continue;
    snprintf(text, sizeof text, "%.*s%.60s%s", (int)(open - entry), entry, name->text, close + 1);
    entry_add(n, root, text);
  }
}

/* Whether a word is one of a pattern, in which * is any text; both end at their length. */
static bool matches(const char *pattern, size_t length, const char *word) {
  if (!length)
    return !*word;
  if (*pattern != '*')
    return *pattern == *word && matches(pattern + 1, length - 1, word + 1);
  for (;; word++)
    if (matches(pattern + 1, length - 1, word))
      return true;
    else if (!*word)
      return false;
}

ig_status ig_figure_check(ig_ctx *cx, const ig_src *at, const char *what, const ig_room *room,
                          const ig_node *root, const char *figure) {
  names n = {.text = "", .all = true};
  char near[128] = "";
  if (!room || !room->figures || root->kind != IG_NODE_MAP)
    return IG_OK;
  for (const char *p = room->figures; *p;) {
    const size_t length = strcspn(p, "|");
    char entry[96];
    snprintf(entry, sizeof entry, "%.*s", (int)length, p);
    entry_add(&n, root, entry);
    p += length + (p[length] == '|');
  }
  for (const char *p = n.text; *p;) {
    const size_t length = strcspn(p, "|");
    if (matches(p, length, figure))
      return IG_OK;
    p += length + (p[length] == '|');
  }
  if (!n.all)
    return IG_OK;
  const bool found = ig_nearest(figure, n.text, near, sizeof near);
  return ig_fail_at(cx, at, "%s gives no figure '%.60s' that is a number: %s%s%s", what, figure,
                    found ? "did you mean '" : "see `ingot help ", found ? near : room->name,
                    found ? "'?" : "`");
}
