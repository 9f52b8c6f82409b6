/* A mesh: nodes, blocks of elements of one type each, named sets of nodes, elements and faces. */
#ifndef INGOT_MESH_H
#define INGOT_MESH_H

#include <ingot/context.h>

IG_C_BEGIN

/* name, text, dimension, nodes, faces, nodes of a face, VTK cell type.
   Faces are what bounds an element: faces in 3D, edges in 2D, ends of a beam. A triangle of a wedge
   or pyramid counts four nodes, the last one twice. wedge6: triangle 0 1 2, above it 3 4 5 (VTK
   itself has both triangles the other way round); pyramid5: base 0 1 2 3, apex 4. hex20: the
   corners, then the middles of edges 01 12 23 30, 45 56 67 74, 04 15 26 37; wedge15: of 01 12 20,
   34 45 53, 03 14 25; quad8: of 01 12 23 30; beam3: both ends, then its middle. */
#define IG_ELEM_LIST(X)                                                                            \
  X(BEAM2, "beam2", 1, 2, 2, 1, 3)                                                                 \
  X(TRI3, "tri3", 2, 3, 3, 2, 5)                                                                   \
  X(TRI6, "tri6", 2, 6, 3, 3, 22)                                                                  \
  X(QUAD4, "quad4", 2, 4, 4, 2, 9)                                                                 \
  X(TET4, "tet4", 3, 4, 4, 3, 10)                                                                  \
  X(TET10, "tet10", 3, 10, 4, 6, 24)                                                               \
  X(HEX8, "hex8", 3, 8, 6, 4, 12)                                                                  \
  X(WEDGE6, "wedge6", 3, 6, 5, 4, 13)                                                              \
  X(HEX20, "hex20", 3, 20, 6, 8, 25)                                                               \
  X(WEDGE15, "wedge15", 3, 15, 5, 8, 26)                                                           \
  X(PYRAMID5, "pyramid5", 3, 5, 5, 4, 14)                                                          \
  X(QUAD8, "quad8", 2, 8, 4, 3, 23)                                                                \
  X(BEAM3, "beam3", 1, 3, 2, 1, 21)

typedef enum {
#define X(name, text, dim, nodes, faces, face_nodes, vtk) IG_##name,
  IG_ELEM_LIST(X)
#undef X
      IG_ELEM_TYPES
} ig_elem_type;

typedef struct {
  const char *name;
  int dim, nodes, faces, face_nodes, vtk;
} ig_elem_info;
IG_API const ig_elem_info *ig_elem_info_get(ig_elem_type type);
/* Local node numbers of a local face, `face_nodes` of them, seen from outside counter-clockwise
   (corners first, then mid-sides). */
IG_API const int *ig_elem_face(ig_elem_type type, int face);

typedef struct {
  ig_elem_type type;
  ig_lid count;
  ig_lid *conn; /* count x nodes of the type */
  int32_t *tag; /* region number of each element; 0 where none was given */
} ig_block;

typedef enum { IG_SET_NODES, IG_SET_ELEMENTS, IG_SET_FACES } ig_set_kind;

/* Elements are numbered through all blocks: first all of block 0, then of block 1, … */
typedef struct {
  char *name;
  ig_set_kind kind;
  ig_lid count;
  ig_lid *item;  /* nodes, elements, or the elements that own the faces */
  uint8_t *face; /* local face numbers, of face sets */
} ig_set;

typedef struct ig_mesh {
  int dim; /* 2 or 3: the space the elements live in; z is 0 throughout in 2 */
  ig_lid nodes;
  double *x; /* nodes x 3, metres */
  int blocks;
  ig_block *block;
  int sets;
  ig_set *set;
  int set_slots, *set_slot;              /* the library's own: where to find sets by their names */
  int64_t *node_number, *element_number; /* as the file numbers them; NULL: it does not */
} ig_mesh;

/* Empty mesh; fill by the calls below. Everything it holds is freed with it. What the calls return
   in *block or *set (NULL: not wanted) stays where it is until the next call of the same name. */
IG_API IG_MUST_CHECK ig_status ig_mesh_new(ig_ctx *cx, int dim, ig_lid nodes, ig_mesh **mesh);
IG_API void ig_mesh_free(ig_mesh *mesh);
IG_API IG_MUST_CHECK ig_status ig_mesh_add_block(ig_ctx *cx, ig_mesh *mesh, ig_elem_type type,
                                                 ig_lid count, ig_block **block);
IG_API IG_MUST_CHECK ig_status ig_mesh_add_set(ig_ctx *cx, ig_mesh *mesh, const char *name,
                                               ig_set_kind kind, ig_lid count, ig_set **set);
/* The set of that name and kind, NULL if there is none. */
IG_API const ig_set *ig_mesh_find_set(const ig_mesh *mesh, const char *name, ig_set_kind kind);
IG_API ig_lid ig_mesh_elements(const ig_mesh *mesh); /* over all blocks */
/* The block an element is in, by the number through all blocks; *local is its place there. */
IG_API const ig_block *ig_mesh_element(const ig_mesh *mesh, ig_lid element, ig_lid *local);
/* low[3], high[3] over all nodes; zeros for a mesh without nodes. */
IG_API void ig_mesh_bounds(const ig_mesh *mesh, double *low, double *high);
/* Length, area or volume of an element, signed where its dimension is the mesh's. */
IG_API double ig_mesh_measure(const ig_mesh *mesh, ig_lid element);
/* Checks ids, finite coordinates, positive Jacobians; the message names the first bad element. */
IG_API IG_MUST_CHECK ig_status ig_mesh_check(ig_ctx *cx, const ig_mesh *mesh);

/* Keeps the elements whose byte is not 0 and the nodes they use; sets follow. *old_node (NULL: not
   wanted; free it) gives the old number of each node that stays. */
IG_API IG_MUST_CHECK ig_status ig_mesh_keep(ig_ctx *cx, ig_mesh *mesh, const uint8_t *keep,
                                            ig_lid **old_node);

/* --- files; in builds with input and output */

typedef struct {
  double unit; /* metres, of the file's coordinates; 0: 1 */
  double edge; /* element size in metres where geometry (.geo, .step) is meshed; 0: Gmsh's choice */
  bool split;  /* hexahedra, wedges and pyramids are cut into tetrahedra */
  double time_limit;   /* s that Gmsh may take; 0: 600 */
  double memory_limit; /* bytes that it may take; 0: three quarters of what is left */
  bool loose;          /* nodes of no element stay, which couplings may refer to */
  bool quadratic; /* hex20 and wedge15 of .inp, .msh and VTK files stay; else by their corners */
  bool curved;    /* quad8 and beam3 of them, too */
} ig_mesh_read_options;
/* Reads a mesh by the ending of its name: .vtkhdf (Ingot's own), .vtu, .pvtu, .vtk, .inp, .k, and
   through Gmsh .msh, .unv, .med, .cgns, .bdf and geometry .geo, .step, .stp, .brep, .igs. `options`
   may be NULL. Checked: ids, coordinates, Jacobians. */
IG_API IG_MUST_CHECK ig_status ig_mesh_read(ig_ctx *cx, const char *path,
                                            const ig_mesh_read_options *options, ig_mesh **mesh);
/* Writes by the ending of the name: .vtkhdf, .vtu, .vtk, .inp, .msh with sets, .stl the outer
   surface. Beside, then renamed. */
IG_API IG_MUST_CHECK ig_status ig_mesh_write(ig_ctx *cx, const ig_mesh *mesh, const char *path);

IG_C_END
#endif
