/* The tree of a case from the model of a deck.

   Last stage of reading a deck. The keys follow the order of a case that a person would write:
   physics, title, mesh, constants, materials, sections, what joins nodes, springs and masses,
   steps. The order matters where a later stage uses a set that an earlier one made (import.c)
   and for `ingot import`, which prints the tree as it is. */
#include "deck/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every function below reports by b.status and does nothing after a failure, so that the calls
   need no check between them. */
ig_status ig_deck_build(ig_deck *d, ig_node **root) {
  const ig_src at = {.file = d->path, .line = 1, .column = 1, .given = true};
  ig_importer b = {.d = d};
  IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&b.root, 1, sizeof *b.root));
  b.root->kind = IG_NODE_MAP;
  b.root->at = at;
  IG_TRY(ig_import_names(d));
  if (!d->step)
    return ig_fail_at(d->cx, &at, "the deck has no *STEP: nothing is to be computed");
  ig_import_put(&b, "structure");
  ig_import_end(&b, "physics", false, at);
  if (d->title && *d->title) {
    ig_import_name(&b, d->title);
    ig_import_end(&b, "title", false, at);
  }
  const char *slash = strrchr(d->path, '/');
  ig_import_name(&b, slash ? slash + 1 : d->path);
  ig_import_end(&b, "mesh.file", false, at);
  /* Decks have nodes that no element uses: references of couplings, nodes of *EQUATION. */
  ig_import_put(&b, "true");
  ig_import_end(&b, "mesh.loose_nodes", false, at);
  /* A case has SI constants by default. A deck has the units and the temperature scale of its
     author, so that radiation without these constants would be wrong by any factor. */
  bool radiates = false;
  for (const ig_deck_step *s = d->step; s; s = s->next)
    for (const ig_deck_value *v = s->value; v; v = v->next)
      radiates |= strcmp(v->kind, "RADIATE") == 0;
  if (radiates) {
    if (isnan(d->absolute_zero) || isnan(d->stefan_boltzmann))
      return ig_fail_at(
          d->cx, &at, "*RADIATE needs *PHYSICAL CONSTANTS with ABSOLUTE ZERO and STEFAN BOLTZMANN");
    ig_import_real(&b, d->absolute_zero);
    ig_import_end(&b, "absolute_zero", false, at);
    ig_import_real(&b, d->stefan_boltzmann);
    ig_import_end(&b, "stefan_boltzmann", false, at);
  }
  ig_import_materials(&b);
  ig_import_sections(&b);
  ig_import_joins(&b);
  ig_import_points(&b);
  ig_import_steps(&b);
  free(b.text);
  *root = b.root;
  return b.status;
}
