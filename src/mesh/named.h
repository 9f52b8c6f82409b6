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

/* Which entry of a list in a case (materials, sections) each element belongs to: owner[e] is the
   last one that names an element set with e; the one that names none takes what is left. -1:
   nobody; with `what` ("material") that is a failure. T: the struct of the list, with an ig_texts
   `set`. */
#define IG_CLAIM(cx, mesh, list, T, what, owner)                                                   \
  ig_mesh_claim(cx, mesh, list, sizeof(T), offsetof(T, set), what, owner)
IG_MUST_CHECK ig_status ig_mesh_claim(ig_ctx *cx, const ig_mesh *mesh, const ig_list *list,
                                      size_t size, size_t set, const char *what, int *owner);

/* A set of the nodes whose places `in` accepts. */
typedef bool ig_inside_fn(void *user, const double x[3]);
/* Of that kind: within `near` of a plane across an axis. */
typedef struct {
  int axis;
  double at, near;
} ig_plane;
bool ig_plane_holds(void *side, const double x[3]);
IG_MUST_CHECK ig_status ig_set_where(ig_ctx *cx, ig_mesh *mesh, const char *name, ig_inside_fn *in,
                                     void *user);

#endif
