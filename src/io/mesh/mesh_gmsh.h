/* What the parts of the reader through Gmsh's library share: its functions, what is being read. */
#ifndef IG_IO_MESH_MESH_GMSH_H
#define IG_IO_MESH_MESH_GMSH_H

#include "io/mesh/cell_types.h"

#include <gmshc.h>

/* It brings a hundred libraries along, so it is loaded by the first file that needs it, not by
   every start of the program. */
#define GMSH_LIST(X)                                                                               \
  X(Finalize)                                                                                      \
  X(Free)                                                                                          \
  X(Initialize)                                                                                    \
  X(LoggerGetLastError)                                                                            \
  X(ModelGetBoundingBox)                                                                           \
  X(ModelGetDimension)                                                                             \
  X(ModelGetEntities)                                                                              \
  X(ModelGetPhysicalGroups)                                                                        \
  X(ModelGetPhysicalGroupsForEntity)                                                               \
  X(ModelGetPhysicalName)                                                                          \
  X(ModelMeshGenerate)                                                                             \
  X(ModelMeshGetElementProperties)                                                                 \
  X(ModelMeshGetElements)                                                                          \
  X(ModelMeshGetNodes)                                                                             \
  X(Open)                                                                                          \
  X(OptionGetString)                                                                               \
  X(OptionSetNumber)
typedef struct {
  void *library;
#define X(name) __typeof__(gmsh##name) *name;
  GMSH_LIST(X)
#undef X
} ig_gmsh_api;
extern ig_gmsh_api ig_gmsh; /* empty until it is loaded, in the process that reads */

typedef struct {
  ig_ctx *cx;
  const char *path;
  int dim;                      /* of the elements that become blocks */
  size_t *node_tag, node_count; /* Gmsh's numbers, rising order not promised */
  ig_lid *node_of, node_most;   /* Gmsh's number -> ours, -1: none */
  ig_lid *cell_of, cell_most;   /* and its first element */
  uint8_t *children;            /* Gmsh's number -> how many elements it became */
  bool split, quadratic, curved;
  ig_mesh *mesh;
} ig_gmsh_reader;

/* Loads it, if that has not been done; with the reader's lock held. */
IG_MUST_CHECK ig_status ig_gmsh_load(ig_ctx *cx, const char *path);
/* Fails with Gmsh's own last error behind `what`. */
ig_status ig_gmsh_failed(ig_gmsh_reader *r, const char *what);

/* A type of element; `code` is -1 for what can only be a face of others. */
typedef struct {
  int gmsh, code; /* ig_elem_type, or a code of io/mesh/cell_types.h */
  size_t nodes;
  int corners;
} ig_gmsh_elem;
/* Elements as Gmsh lists them, by type; no types where it fails. */
typedef struct {
  int *type;
  size_t types, **tag, *tag_count, tags, **node, *node_count, nodes;
} ig_gmsh_listed;
/* Of one entity or of all (-1); what Gmsh answers, 0: good. To be freed in any case. */
int ig_gmsh_list(int dim, int entity, ig_gmsh_listed *listed);
void ig_gmsh_list_free(ig_gmsh_listed *listed);
typedef ig_status ig_gmsh_take(ig_gmsh_reader *r, const ig_gmsh_elem *kind, size_t count,
                               const size_t *tag, const size_t *node, void *user);
/* Elements of one entity or of all (-1), handed to `take` type by type. */
IG_MUST_CHECK ig_status ig_gmsh_elements_each(ig_gmsh_reader *r, int dim, int entity,
                                              ig_gmsh_take *take, void *user);
static inline ig_lid ig_gmsh_lookup(const ig_lid *of, ig_lid most, size_t tag) {
  return tag <= (size_t)most ? of[tag] : -1;
}
/* Physical groups as sets. */
IG_MUST_CHECK ig_status ig_gmsh_groups_read(ig_gmsh_reader *r);

#endif
