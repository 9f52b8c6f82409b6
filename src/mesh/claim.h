/* Which entry of a list in a case (materials, sections) each element belongs to. */
#ifndef IG_MESH_CLAIM_H
#define IG_MESH_CLAIM_H

#include "core/option.h"
#include <ingot/mesh.h>

/* owner[e] = the last entry of `list` that names an element set with e; entries that name none take
   what is left. -1: nobody; with `what` ("material") that is a failure. T: the struct of the list,
   which has an ig_texts `set`. */
#define IG_CLAIM(cx, mesh, list, T, what, owner)                                                   \
  ig_mesh_claim(cx, mesh, list, sizeof(T), offsetof(T, set), what, owner)
IG_MUST_CHECK ig_status ig_mesh_claim(ig_ctx *cx, const ig_mesh *mesh, const ig_list *list,
                                      size_t size, size_t set, const char *what, int *owner);

#endif
