/* Sets as a case names them: one lookup and one error message for every key `set`. */
#ifndef IG_MESH_NAMED_H
#define IG_MESH_NAMED_H

#include "core/option.h"

#include <ingot/mesh.h>

/* Kinds of sets that a key accepts, combined by bitwise or. */
enum {
  IG_OF_NODES = 1 << IG_SET_NODES,
  IG_OF_FACES = 1 << IG_SET_FACES,
  IG_OF_ELEMENTS = 1 << IG_SET_ELEMENTS,
  IG_OF_ANY = IG_OF_NODES | IG_OF_FACES | IG_OF_ELEMENTS
};

/* The set of that name, searched among nodes, faces, elements in this order. Fails at `at` with the
   nearest name and a list of all. */
IG_MUST_CHECK ig_status ig_mesh_named_set(ig_ctx *cx, const ig_mesh *mesh, const ig_src *at,
                                          const char *name, int kinds, const ig_set **set);
/* Nodes of a set of any kind, each once, in rising order; the caller frees *node. */
IG_MUST_CHECK ig_status ig_mesh_named_nodes(ig_ctx *cx, const ig_mesh *mesh, const ig_src *at,
                                            const char *name, ig_lid **node, ig_lid *count);

/* Assigns elements to the entries of a list in a case (materials, sections): owner[e] is the last
   entry that names an element set containing e. One entry may name no set and takes the rest. -1:
   no owner; a failure if `what` ("material") is given. T: struct of the list, with an ig_texts
   member `set`. */
#define IG_CLAIM(cx, mesh, list, T, what, owner)                                                   \
  ig_mesh_claim(cx, mesh, list, sizeof(T), offsetof(T, set), what, owner)
IG_MUST_CHECK ig_status ig_mesh_claim(ig_ctx *cx, const ig_mesh *mesh, const ig_list *list,
                                      size_t size, size_t set, const char *what, int *owner);

/* Predicate over positions, and a node set of all nodes that satisfy it; for tests and
   generators. */
typedef bool ig_inside_fn(void *user, const double x[3]);
/* Such a predicate: closer than `near` (m) to the plane where coordinate `axis` is `at`. */
typedef struct {
  int axis;
  double at, near;
} ig_plane;
bool ig_plane_holds(void *side, const double x[3]);
IG_MUST_CHECK ig_status ig_set_where(ig_ctx *cx, ig_mesh *mesh, const char *name, ig_inside_fn *in,
                                     void *user);

#endif
