/* Shared by the parts of the reader through Gmsh's library: its functions, and the state of
   reading. */
#ifndef IG_IO_MESH_MESH_GMSH_H
#define IG_IO_MESH_MESH_GMSH_H

#include "io/mesh/cell_types.h"

#include <gmshc.h>

/* Functions that are used. The library brings about a hundred others along, so it is loaded when
   the first file needs it, not at every start of the program. */
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
  X(OptionGetNumber)                                                                               \
  X(OptionGetString)                                                                               \
  X(OptionSetNumber)
typedef struct {
  void *library;
#define X(name) __typeof__(gmsh##name) *name;
  GMSH_LIST(X)
#undef X
} ig_gmsh_api;
/* Empty until loaded, in the process that reads. */
extern ig_gmsh_api ig_gmsh; /* empty until it is loaded, in the process that reads */

/* Names of physical groups that Gmsh was not given. */
typedef struct {
  int dim, number;
  size_t order; /* in the file */
  char *name;
} ig_gmsh_name;
typedef struct {
  size_t count;
  ig_gmsh_name *list; /* by dimension and number */
} ig_gmsh_names;
/* mesh_gmsh_names.c: takes the names of a file of format 2 with very many groups; *open: what Gmsh
   is to read, the file itself or a copy without them in the current folder. */
IG_MUST_CHECK ig_status ig_gmsh_names_take(ig_ctx *cx, const char *path, ig_gmsh_names *names,
                                           const char **open);
const char *ig_gmsh_names_find(const ig_gmsh_names *names, int dim, int number); /* NULL: none */
void ig_gmsh_names_free(ig_gmsh_names *names);

/* State of reading one file. */
typedef struct {
  ig_ctx *cx;
  const char *path;
  int dim;                      /* of the elements that become blocks */
  size_t *node_tag, node_count; /* Gmsh's numbers, rising order not promised */
  ig_lid *node_of, node_most;   /* Gmsh's number -> ours, -1: none */
  ig_lid *cell_of, cell_most;   /* and its first element */
  uint8_t *children;            /* Gmsh's number -> how many elements it became */
  bool split, quadratic, curved;
  ig_gmsh_names names; /* empty: Gmsh has them */
  ig_mesh *mesh;
} ig_gmsh_reader;

/* Loads the library unless it is loaded. */
IG_MUST_CHECK ig_status ig_gmsh_load(ig_ctx *cx, const char *path);
/* Fails with `what` and Gmsh's last error message. */
ig_status ig_gmsh_failed(ig_gmsh_reader *r, const char *what);

/* A type of element; code -1: only as a face of others. */
typedef struct {
  int gmsh, code; /* ig_elem_type, or a code of io/mesh/cell_types.h */
  size_t nodes;
  int corners;
} ig_gmsh_elem;
/* Elements as Gmsh lists them, grouped by type; empty if it fails. */
typedef struct {
  int *type;
  size_t types, **tag, *tag_count, tags, **node, *node_count, nodes;
} ig_gmsh_listed;
/* Lists the elements of one entity or of all (-1); returns Gmsh's error code, 0: success. Free in
   any case. */
int ig_gmsh_list(int dim, int entity, ig_gmsh_listed *listed);
void ig_gmsh_list_free(ig_gmsh_listed *listed);
typedef ig_status ig_gmsh_take(ig_gmsh_reader *r, const ig_gmsh_elem *kind, size_t count,
                               const size_t *tag, const size_t *node, void *user);
/* Calls `take` for each element type of one entity or of all (-1). Elements of order 3 and higher
   are taken by their corners, with a warning. */
IG_MUST_CHECK ig_status ig_gmsh_elements_each(ig_gmsh_reader *r, int dim, int entity,
                                              ig_gmsh_take *take, void *user);
/* Our number of a Gmsh tag; -1: unknown. */
static inline ig_lid ig_gmsh_lookup(const ig_lid *of, ig_lid most, size_t tag) {
  return tag <= (size_t)most ? of[tag] : -1;
}
/* Converts physical groups to sets. */
IG_MUST_CHECK ig_status ig_gmsh_groups_read(ig_gmsh_reader *r);

#endif
