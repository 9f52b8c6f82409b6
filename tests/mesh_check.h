/* What the tests of meshes share: a context for all of a file, and what is in a mesh. */
#ifndef IG_TESTS_MESH_CHECK_H
#define IG_TESTS_MESH_CHECK_H

#include "check.h"
#include "geometry/mesh_case.h"

static ig_ctx *cx;

static inline int open_cx(void **state) {
  (void)state;
  cx = ctx_on("cpu", 2);
  return 0;
}
static inline int close_cx(void **state) {
  (void)state;
  ig_ctx_close(cx);
  return 0;
}

/* Length, area or volume of all elements. */
static inline double total(const ig_mesh *mesh) {
  double sum = 0;
  for (ig_lid e = 0; e < ig_mesh_elements(mesh); e++)
    sum += ig_mesh_measure(mesh, e);
  return sum;
}

/* -1: no such set. */
static inline ig_lid count(const ig_mesh *mesh, const char *name, ig_set_kind kind) {
  const ig_set *set = ig_mesh_find_set(mesh, name, kind);
  return set ? set->count : -1;
}

#endif
