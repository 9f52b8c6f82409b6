/* Sets as a case names them: one lookup and one message for every key `set`. */
#ifndef IG_MESH_NAMED_H
#define IG_MESH_NAMED_H

#include "core/option.h"

#include <ingot/mesh.h>

/* kinds of sets that a key takes, or-ed */
enum {
  IG_OF_NODES = 1 << IG_SET_NODES,
  IG_OF_FACES = 1 << IG_SET_FACES,
  IG_OF_ELEMENTS = 1 << IG_SET_ELEMENTS,
  IG_OF_ANY = IG_OF_NODES | IG_OF_FACES | IG_OF_ELEMENTS
};

/* The set of that name; of several kinds the first of nodes, faces, elements. Fails at `at`, with
   the nearest name and those there are. */
IG_MUST_CHECK ig_status ig_mesh_named_set(ig_ctx *cx, const ig_mesh *mesh, const ig_src *at,
                                          const char *name, int kinds, const ig_set **set);
/* The nodes of a set of any kind, each once, in rising order; free *node. */
IG_MUST_CHECK ig_status ig_mesh_named_nodes(ig_ctx *cx, const ig_mesh *mesh, const ig_src *at,
                                            const char *name, ig_lid **node, ig_lid *count);

#endif
