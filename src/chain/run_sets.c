/* Settings of runs as texts: see run_sets.h. */
#include "chain/run_sets.h"
#include "io/format/json.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a text needs no quotes inside a list or map of YAML. */
static bool plain(const char *text) {
  return *text && !text[strcspn(text, ",[]{}:#'\"\n")] && text[0] != ' ' &&
         text[strlen(text) - 1] != ' ';
}

/* Writes a value on one line, as ig_node_parse reads it; single quotes double within quotes. The
   outermost scalar stays bare, as --set takes it. */
static void value_write(ig_text *to, const ig_node *node, bool inside) {
  if (node->kind == IG_NODE_SCALAR) {
    if (!inside || (plain(node->text) && !node->quoted)) {
      ig_text_add(to, node->text);
      return;
    }
    ig_text_add(to, "'");
    for (const char *c = node->text; *c; c++)
      ig_text_add_bytes(to, *c == '\'' ? "''" : c, *c == '\'' ? 2 : 1);
    ig_text_add(to, "'");
    return;
  }
  const bool map = node->kind == IG_NODE_MAP;
  ig_text_add(to, map ? "{" : "[");
  for (const ig_node *child = node->child; child; child = child->next) {
    if (map) {
      ig_text_add(to, child->key);
      ig_text_add(to, ": ");
    }
    value_write(to, child, true);
    ig_text_add(to, child->next ? ", " : "");
  }
  ig_text_add(to, map ? "}" : "]");
}

ig_status ig_set_text(ig_ctx *cx, ig_arena *arena, const char *key, const ig_node *value,
                      const char **text) {
  ig_text t = {0};
  if (key) {
    ig_text_add(&t, key);
    ig_text_add(&t, "=");
  }
  value_write(&t, value, false);
  const ig_status status = t.failed ? IG_FAIL(cx, IG_MEMORY, "no memory for a value")
                                    : ig_arena_text(cx, arena, text, t.at ? t.at : "", t.length);
  free(t.at);
  return status;
}

ig_status ig_set_label(ig_ctx *cx, ig_arena *arena, const ig_src *at, const char *key,
                       const char **label) {
  char text[PATH_MAX];
  if (at->line > 0)
    snprintf(text, sizeof text, "%s:%d:%d", at->file, at->line, at->column);
  else
    snprintf(text, sizeof text, "%s %.80s", at->file, key);
  return ig_arena_text(cx, arena, label, text, strlen(text));
}

ig_status ig_path_beside(ig_ctx *cx, ig_arena *arena, const char *file, const char *path,
                         const char **found) {
  const char *slash = strrchr(file, '/');
  if (*path == '/' || !slash)
    return ig_arena_text(cx, arena, found, path, strlen(path));
  char text[PATH_MAX];
  const int n = snprintf(text, sizeof text, "%.*s/%s", (int)(slash - file), file, path);
  if (n < 0 || n >= PATH_MAX)
    return IG_FAIL(cx, IG_INPUT, "the path '%.200s' is too long", path);
  return ig_arena_text(cx, arena, found, text, (size_t)n);
}

ig_status ig_case_with(ig_ctx *cx, const char *path, const char *const *set,
                       const char *const *from, int sets, ig_case **out) {
  IG_TRY(ig_case_open(cx, path, out));
  for (int i = 0; i < sets; i++) {
    char key[256];
    const char *equals = strchr(set[i], '=');
    if (!equals || equals == set[i] || (size_t)(equals - set[i]) >= sizeof key)
      return IG_FAIL(cx, IG_INPUT, "--set '%.200s': expected KEY=VALUE", set[i]);
    snprintf(key, sizeof key, "%.*s", (int)(equals - set[i]), set[i]);
    IG_TRY(from && from[i] ? ig_case_set_from(*out, key, equals + 1, from[i])
                           : ig_case_set(*out, key, equals + 1));
  }
  return IG_OK;
}

bool ig_key_same(const char *a, const char *b) {
  for (;; a++, b++) {
    while (strncmp(a, "[0]", 3) == 0)
      a += 3;
    while (strncmp(b, "[0]", 3) == 0)
      b += 3;
    if (*a != *b || !*a)
      return *a == *b;
  }
}
