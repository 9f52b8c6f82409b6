/* Names of figures that a room may give. */
#include "run/figures.h"

#include <stdio.h>
#include <string.h>

/* The list of a room with the names of the case put in, "T_max|tip_peak|melt_width*_max". */
typedef struct {
  char text[8192];
  bool all; /* nothing was left out */
} names;

static void name_add(names *n, const char *name, size_t length, const char *end, size_t more) {
  const size_t used = strlen(n->text);
  const int put = snprintf(n->text + used, sizeof n->text - used, "%s%.*s%.*s", used ? "|" : "",
                           (int)length, name, (int)more, end);
  n->all = n->all && used + (size_t)put < sizeof n->text;
}

/* An entry that begins with {SECTION}: once for each `name` in that section. */
static void named_add(names *n, const ig_node *root, const char *entry, size_t length) {
  char key[32];
  const size_t brace = strcspn(entry, "}");
  snprintf(key, sizeof key, "%.*s", (int)brace - 1, entry + 1);
  const ig_node *section = ig_node_find(root, key);
  const bool list = section && section->kind == IG_NODE_LIST;
  for (const ig_node *m = list ? section->child : section; m; m = list ? m->next : NULL) {
    const ig_node *name = m->kind == IG_NODE_MAP ? ig_node_find(m, "name") : NULL;
    if (name && name->text)
      name_add(n, name->text, strlen(name->text), entry + brace + 1, length - brace - 1);
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
    if (*p == '{')
      named_add(&n, root, p, length);
    else
      name_add(&n, p, length, "", 0);
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
