/* Mesh files: one reader per format, selected by the ending of the name, and what they share.

   text formats   ig_mesh_text (lines, fields, numbers, includes) -> ig_gather -> mesh
   VTK formats    ig_vtk_grid (io/format/vtk.h) -> mesh
   Gmsh           child process -> mesh through a pipe */
#ifndef IG_IO_MESH_MESH_IO_H
#define IG_IO_MESH_MESH_IO_H

#include "core/number.h"
#include "core/output.h"

#include <stdio.h>

/* A reader returns coordinates in the unit of the file; scaling, reorientation and checks follow in
   ig_mesh_read. */
typedef ig_status ig_mesh_reader(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                                 ig_mesh **mesh);
typedef ig_status ig_mesh_writer(ig_ctx *cx, const ig_mesh *mesh, const char *path);
ig_mesh_reader ig_mesh_read_vtkhdf, ig_mesh_read_vtk, ig_mesh_read_vtu, ig_mesh_read_inp,
    ig_mesh_read_dyna, ig_mesh_read_cdb, ig_mesh_read_nastran, ig_mesh_read_med, ig_mesh_read_gmsh,
    ig_mesh_read_xdmf, ig_mesh_read_exodus, ig_mesh_read_mfem;
/* Whether Gmsh can be used here: compiled in, its library installed and whole. The library is
   loaded by a child process. */
bool ig_mesh_gmsh_usable(void);
/* Surfaces of triangles (.stl, .obj, .ply, .off) as shells of three nodes; mesh_triangles.c. */
ig_mesh_reader ig_mesh_read_surface;
ig_mesh_writer ig_mesh_write_vtkhdf, ig_mesh_write_vtk, ig_mesh_write_vtu, ig_mesh_write_inp,
    ig_mesh_write_msh, ig_mesh_write_stl;
/* Stores the content of a memory stream (open_memstream) of `text` and `size` as a file; closes and
   frees it. */
IG_MUST_CHECK ig_status ig_text_store(ig_ctx *cx, const char *path, FILE *f, char **text,
                                      const size_t *size);
/* A mesh as text of Abaqus and CalculiX, with its sets; and a number as they read it. */
void ig_inp_put(FILE *f, const ig_mesh *mesh);
const char *ig_inp_number(double value, char text[IG_NUMBER_TEXT]);
/* Local face of side `side` (from 1) in Abaqus' numbering; code: of the cell. */
int ig_inp_face(int code, int side);
/* A mesh as a snapshot, with its sets as fields; for the VTK writers. */
IG_MUST_CHECK ig_status ig_mesh_snapshot(ig_ctx *cx, const ig_mesh *mesh, ig_snapshot **snap);

/* Cells of any mixture of types, in the order of the file. Node numbers in `corner` start at 0 and
   are checked. */
typedef struct {
  ig_lid count;
  const uint8_t *type;   /* ig_elem_type, or a code of io/mesh/cell_types.h */
  const int64_t *offset; /* count + 1, into corner */
  const ig_lid *corner;
  const int32_t *tag; /* NULL: all 0 */
  bool split;         /* solids are cut into tetrahedra */
  uint8_t *children;  /* count, may be NULL: how many elements each cell became, in a row */
  bool quadratic;     /* hex20 and wedge15 stay; else they become their corners */
  bool curved;        /* quad8 and beam3 stay */
} ig_cells;
/* Adds the cells to a mesh, one block per type, in file order within each. number (count, may be
   NULL) gets the element of each cell. Elements of negative volume are reoriented. */
IG_MUST_CHECK ig_status ig_mesh_add_cells(ig_ctx *cx, ig_mesh *mesh, const ig_cells *cells,
                                          ig_lid *number);
/* Bit of a cell's element type in `types` below. */
unsigned ig_cell_bit(int code);
/* 2 if all nodes are at z = 0 and all types are plane, otherwise 3. */
int ig_mesh_infer_dim(const double *x, ig_lid nodes, unsigned types);

/* Empty, with control characters, or with spaces around it: a text file would not give such a name
   back. */
bool ig_name_is_odd(const char *name);

/* --- text files */

/* A text file in memory, ended by a 0 byte, with the current position for messages. */
typedef struct {
  ig_ctx *cx;
  const char *path;
  char *own;             /* `path` of a file that another one includes */
  const char *root;      /* the file that includes all others */
  char *text, *end;      /* end: where the 0 is */
  char *line, *line_end; /* the current line, without its end */
  char *next;            /* the line after it */
  int number;            /* of the current line, from 1 */
  int files;             /* included so far, each time one is */
  double bytes;          /* of this file, and of all that were included */
} ig_mesh_text;
IG_MUST_CHECK ig_status ig_text_open(ig_ctx *cx, const char *path, ig_mesh_text *t);
void ig_text_close(ig_mesh_text *t);
bool ig_text_line(ig_mesh_text *t); /* moves on; false at the end */
/* Fails with IG_INPUT and "path:line:column: ..."; `at` points into the current line. */
ig_status ig_text_fail(ig_mesh_text *t, const char *at, const char *format, ...) IG_PRINTF(3, 4);
/* Replaces `t` by a file that it includes; the name of `length` letters is at `at`. The file must
   be in the folder of the including or of the outermost file, or below. *outer keeps the state;
   ig_text_leave returns to it. On failure `t` is unchanged. Depth, number and total size of
   includes are limited, because a few files that include each other would never end. */
IG_MUST_CHECK ig_status ig_text_enter(ig_mesh_text *t, const char *at, int length, int depth,
                                      ig_mesh_text *outer);
void ig_text_leave(ig_mesh_text *t, const ig_mesh_text *outer);
/* A number that must end at `stop`; white space around it is allowed. */
IG_MUST_CHECK ig_status ig_text_int(ig_mesh_text *t, const char *from, const char *stop,
                                    int64_t *value);
IG_MUST_CHECK ig_status ig_text_real(ig_mesh_text *t, const char *from, const char *stop,
                                     double *value);
/* The field from *p to the next comma or line end, without spaces around it; *p moves behind the
   comma, NULL after the last. */
void ig_text_field(const ig_mesh_text *t, char **p, char **from, char **stop);
bool ig_text_is(const char *from, const char *stop, const char *word); /* whatever the case */

/* --- meshes whose nodes and elements have numbers of their own */

/* Bits of a number in a file. Formats with several numberings (instances of a part, solids and
   shells) store what tells them apart above these bits. */
#define IG_ID_BITS 40
#define IG_ID_MASK ((INT64_C(1) << IG_ID_BITS) - 1)

/* Hash table from numbers to indices; open addressing, 0 is no valid number. */
typedef struct {
  int64_t *key; /* 0: empty */
  ig_lid *value;
  size_t mask; /* slots - 1 */
  ig_lid count;
} ig_idmap;

/* Hash table from names to integers, case-insensitive; `kind` separates name spaces. */
typedef struct {
  char **key;
  int *value;
  size_t mask; /* slots - 1 */
  int count;
} ig_namemap;
int ig_namemap_get(const ig_namemap *map, int kind, const char *name, size_t length); /* -1: none */
/* Adds a name that is not there yet; false: memory is exhausted. */
bool ig_namemap_put(ig_namemap *map, int kind, const char *name, size_t length, int value);
void ig_namemap_free(ig_namemap *map);

/* A set under construction, by the file's numbers. gaps: missing members are ignored, because the
   set was a range or may name skipped elements. */
typedef struct {
  char name[128];
  ig_set_kind kind;
  ig_lid count, capacity;
  int64_t *id; /* the file's numbers */
  uint8_t *face;
  bool gaps; /* a range, or it may name elements that were passed over: what is not there is left
                out */
} ig_group;

/* A mesh under construction: everything by the file's numbers, in any order (sets before nodes,
   elements before nodes), resolved by ig_mesh_build_mesh. */
typedef struct {
  ig_ctx *cx;
  bool split, quadratic, curved; /* as ig_cells has them */
  bool bare;                     /* nodes alone are a mesh: of a deck of springs */
  ig_lid nodes, node_capacity;
  double *x;
  ig_idmap node_of, cell_of;
  ig_lid cells, cell_capacity;
  uint8_t *type;
  int32_t *tag;
  int64_t *offset; /* cells + 1 */
  int64_t *corner; /* the file's node numbers */
  int64_t corners, corner_capacity;
  int groups, group_capacity;
  ig_group *group;
  ig_namemap group_of;
  int64_t members; /* work with groups so far: members that were added, or sorted */
  ig_lid absent;   /* members of groups with gaps that were left out */
} ig_gather;

void ig_mesh_build_free(ig_gather *g);
/* Add a node or cell with its number (from 1). *taken: the number exists already; nothing was
   added. */
IG_MUST_CHECK ig_status ig_mesh_build_node(ig_gather *g, int64_t id, const double *x, bool *taken);
IG_MUST_CHECK ig_status ig_mesh_build_cell(ig_gather *g, int64_t id, int type, int32_t tag,
                                           const int64_t *node, bool *taken);
ig_lid ig_mesh_build_find_node(const ig_gather *g, int64_t id); /* -1: not there */
ig_lid ig_mesh_build_find_cell(const ig_gather *g, int64_t id);
/* Whether a node is exactly at x. */
bool ig_mesh_build_lies_at(const ig_gather *g, ig_lid node, const double x[3]);
/* The group of that name and kind, made if it does not exist; NULL: memory is exhausted. The
   pointer is valid until the next group is made. */
ig_group *ig_mesh_build_group(ig_gather *g, const char *name, size_t length, ig_set_kind kind);
ig_group *ig_mesh_build_find(ig_gather *g, const char *name, size_t length, ig_set_kind kind);
IG_MUST_CHECK ig_status ig_mesh_build_member(ig_gather *g, ig_group *group, int64_t id, int face);
/* Resolves all numbers and makes the mesh. plane: all element types were plane ones. */
IG_MUST_CHECK ig_status ig_mesh_build_mesh(ig_gather *g, const char *path, bool plane,
                                           ig_mesh **mesh);

/* A reader that is code of another project. */
typedef struct {
  const char *name;                                /* whose code it is, for messages */
  ig_status (*load)(ig_ctx *cx, const char *path); /* loads libraries, from anywhere */
  ig_mesh_reader *read;                            /* the file's folder is all it can read then */
} ig_mesh_guest;
/* Reads a file in a confined child process, within options->time_limit (s) and memory_limit
   (bytes). A crash there is an error like any other. */
IG_MUST_CHECK ig_status ig_mesh_read_apart(ig_ctx *cx, const char *path,
                                           const ig_mesh_read_options *options,
                                           const ig_mesh_guest *guest, ig_mesh **mesh);

#endif
