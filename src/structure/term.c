/* Nodes and components as equations, springs and joints name them.

   A name that is a whole number is a number of the mesh file, everything else a set. Components
   are x y z rx ry rz, 0 to 5. */
#include "structure/constrain.h"

#include <stdlib.h>

/* The unknown of a component 0 to 5 of a node, -1: it has none. */
int32_t ig_structure_unknown_at(const ig_structure *s, ig_lid node, int component) {
  if (component < 3)
    return 3 * node + component;
  return s->turn && s->turn[node] >= 0 ? s->turn[node] + component - 3 : -1;
}

/* Also rejects longer words: "xy" is no component. */
int ig_structure_component(const char *text) {
  const bool turn = text[0] == 'r';
  const char *c = text + turn;
  return *c >= 'x' && *c <= 'z' && !c[1] ? (turn ? 3 : 0) + *c - 'x' : -1;
}

int32_t ig_structure_unknown(const ig_structure *s, ig_lid node, const char *component) {
  const int c = ig_structure_component(component);
  return c < 0 ? -1 : ig_structure_unknown_at(s, node, c);
}

/* *node is allocated also on failure, for the caller to free. */
ig_status ig_structure_term_nodes(ig_structure *s, const ig_src *at, const char *text,
                                  ig_lid **node, ig_lid *count) {
  char *end;
  const long long number = strtoll(text, &end, 10);
  if (*end)
    return ig_structure_nodes(s, at, text, node, count);
  IG_TRY(IG_NEW(s->cx, node, 1, "equation"));
  *count = 1;
  if (!s->mesh->node_number && number >= 1 && number <= s->nodes) {
    (*node)[0] = (ig_lid)(number - 1);
    return IG_OK;
  }
  ig_status status = IG_OK;
  if (!s->number_of)
    status = ig_structure_numbers(s);
  const ig_lid found = status == IG_OK ? ig_structure_numbered(s, number) : -1;
  (*node)[0] = found;
  if (status == IG_OK && found < 0)
    status = ig_fail_at(s->cx, at, "the mesh has no node %lld", number);
  return status; /* the caller frees *node */
}
