/* Names in stages that are yet to run: sets of the mesh that an earlier stage makes, phases,
   figures. The mesh is not there yet, but for a shape and for boxes the case says which sets it
   will have. Rooms know sets of their own besides, so that only what is like a known name and none
   is refused: a misspelling that would end the chain after its first stages have run. */
#include "chain/chain.h"
#include "run/figures.h"
#include "run/rooms.h"

#include <stdio.h>
#include <string.h>

/* "a|b|c"; what does not fit is left out, and then nothing is known. */
typedef struct {
  char list[4096];
  bool all;
} names;

static void name_add(names *n, const char *name) {
  const size_t used = strlen(n->list);
  if (!name || ig_choices_find(n->list, name) >= 0)
    return;
  n->all = n->all && !strchr(name, '|') && used + strlen(name) + 2 < sizeof n->list;
  if (n->all)
    snprintf(n->list + used, sizeof n->list - used, "%s%s", used ? "|" : "", name);
}

/* `name` of a map, or of each of a list of them; false: one has none. */
static bool named_add(names *n, const ig_node *maps) {
  bool each = true;
  if (!maps)
    return false;
  const ig_node *first = maps->kind == IG_NODE_LIST ? maps->child : maps;
  for (const ig_node *m = first; m; m = maps->kind == IG_NODE_LIST ? m->next : NULL) {
    const ig_node *name = m->kind == IG_NODE_MAP ? ig_node_find(m, "name") : NULL;
    if (name && name->kind == IG_NODE_SCALAR)
      name_add(n, name->text);
    else
      each = false;
  }
  return each;
}

/* Sets of the mesh of a stage, as far as the case says them; n->all false: there may be others. */
static void sets_of(const ig_chain *chain, int stage, names *n) {
  const ig_node *node = chain->stage[stage].node, *mesh = ig_node_find(node, "mesh");
  const ig_node *physics = ig_node_find(node, "physics");
  if (physics && physics->text && strcmp(physics->text, "shape") == 0) {
    static const char *const own[] = {"part", "plate", "bottom"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
      name_add(n, own[i]);
    (void)named_add(n, ig_node_find(node, "sets"));
    return;
  }
  const ig_node *from = mesh ? ig_node_find(mesh, "from") : NULL;
  const ig_node *boxes = mesh ? ig_node_find(mesh, "boxes") : NULL;
  const int source = from && from->text ? ig_stage_find(chain, stage, from->text) : -1;
  if (mesh)
    (void)named_add(n, ig_node_find(mesh, "sets"));
  if (source >= 0)
    sets_of(chain, source, n);
  else if (boxes)
    (void)named_add(n, boxes);
  else
    n->all = false;
}

static ig_status set_check(ig_chain *chain, int stage, const names *n, const ig_node *node) {
  char near[128];
  if (node->kind != IG_NODE_SCALAR || !n->all || ig_choices_find(n->list, node->text) >= 0 ||
      !ig_nearest(node->text, n->list, near, sizeof near))
    return IG_OK;
  return ig_fail_at(chain->cx, &node->at, "stage '%s' will have no set '%.60s': did you mean '%s'?",
                    chain->stage[stage].name, node->text, near);
}

static ig_status phase_check(ig_chain *chain, int stage, const names *n, const ig_node *node) {
  char known[512];
  if (node->kind != IG_NODE_SCALAR || !n->all || ig_choices_find(n->list, node->text) >= 0)
    return IG_OK;
  ig_choices_list(n->list, known, sizeof known);
  return ig_fail_at(chain->cx, &node->at, "stage '%s' has no phase '%.60s': expected %s",
                    chain->stage[stage].name, node->text, known);
}

static ig_status walk(ig_chain *chain, int stage, const names *sets, const names *phases,
                      const ig_node *node) {
  for (const ig_node *child = node->child; child; child = child->next) {
    const char *key = child->key ? child->key : "";
    if (strcmp(key, "set") == 0)
      IG_TRY(set_check(chain, stage, sets, child));
    else if (strcmp(key, "since") == 0 || strcmp(key, "until") == 0)
      IG_TRY(phase_check(chain, stage, phases, child));
    IG_TRY(walk(chain, stage, sets, phases, child));
  }
  return IG_OK;
}

ig_status ig_stage_names_check(ig_chain *chain, int stage) {
  const ig_node *node = chain->stage[stage].node;
  names sets = {.list = "all|xmin|xmax|ymin|ymax|zmin|zmax|surface|outside", .all = true};
  names phases = {.list = "", .all = true};
  sets_of(chain, stage, &sets);
  phases.all = named_add(&phases, ig_node_find(node, "phases")) && phases.all;
  return walk(chain, stage, &sets, &phases, node);
}

ig_status ig_stage_figure_check(ig_chain *chain, int stage, const ig_src *at, const char *figure) {
  const ig_stage *s = &chain->stage[stage];
  const ig_node *physics = ig_node_find(s->node, "physics");
  char what[64];
  snprintf(what, sizeof what, "stage '%s'", s->name);
  return ig_figure_check(chain->cx, at, what,
                         physics && physics->text ? ig_room_find(physics->text) : NULL, s->node,
                         figure);
}
