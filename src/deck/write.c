/* A case file from the tree of a deck's case: one line an item, each with its line of the deck.

   Sections of two levels (mesh) are indented; items of lists are written in flow style on one
   line, so that a table of a thousand supports stays readable and each line can name its line of
   the deck. */
#include "deck/write.h"
#include "run/case.h"

#include <string.h>

/* The sink of the text and its user data. */
typedef struct {
  ig_text_fn *text;
  void *user;
} writer;
#define put(w, ...) ig_text_put((w)->text, (w)->user, __VA_ARGS__)

/* put has a limit on the length of one piece. */
static void long_put(const writer *w, const char *text) { /* of any length */
  w->text(w->user, text);
}

/* Text with a character that YAML gives a meaning is quoted. */
static void scalar_put(const writer *w, const ig_node *node) {
  if (!node->quoted && *node->text && !strpbrk(node->text, ":#{}[],&*!|>'\"%@`\\ ")) {
    long_put(w, node->text);
    return;
  }
  put(w, "'");
  for (const char *p = node->text; *p; p++)
    put(w, *p == '\'' ? "''" : "%c", *p);
  put(w, "'");
}

/* {key: value, ...} or [a, b, ...], nested to any depth. */
static void flow_put(const writer *w, const ig_node *node) {
  if (node->kind == IG_NODE_SCALAR) {
    scalar_put(w, node);
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

/* The key `file` within a section is the mesh file: the deck, under the name that the caller
   gives.
   indent: 0 at the top level. Maps below the top are written as blocks, lists as one line an
   item. */
static void entry_put(const writer *w, const ig_node *node, int indent, const char *mesh) {
  put(w, "%*s%s:", indent, "", node->key);
  if (indent && strcmp(node->key, "file") == 0) {
    const ig_node name = {.kind = IG_NODE_SCALAR, .text = mesh};
    put(w, " ");
    scalar_put(w, &name);
    put(w, "\n");
  } else if (node->kind == IG_NODE_MAP) {
    put(w, "\n");
    for (const ig_node *child = node->child; child; child = child->next)
      entry_put(w, child, indent + 2, mesh);
  } else if (node->kind == IG_NODE_LIST) {
    put(w, "\n");
    for (const ig_node *child = node->child; child; child = child->next) {
      put(w, "%*s- ", indent + 2, "");
      flow_put(w, child);
      put(w, "  # line %d\n", child->at.line);
    }
  } else {
    put(w, " ");
    flow_put(w, node);
    put(w, "\n");
  }
}

/* Head with the name of the deck and the notes, then the tree, key by key. */
void ig_deck_write(const ig_deck *d, const ig_node *root, const char *mesh, ig_text_fn *text,
                   void *user) {
  const writer w = {text, user};
  const char *slash = strrchr(d->path, '/');
  put(&w, "# From the deck %.200s. ", slash ? slash + 1 : d->path);
  if (d->unit)
    put(&w, "Its numbers were converted from %.40s to SI.\n", d->unit);
  else
    put(&w, "A deck has no units: its numbers are taken as SI, and results are\n"
            "# in the units of the deck.");
  put(&w, d->unit ? "# Nodes" : " Nodes");
  put(&w, ", elements and sets are those of the deck.\n");
  for (int i = 0; i < d->notes; i++)
    put(&w, "# %s\n", d->note[i]);
  for (const ig_node *child = root->child; child; child = child->next)
    entry_put(&w, child, 0, mesh);
}
