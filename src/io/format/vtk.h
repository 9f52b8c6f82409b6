/* Unstructured grids as VTK's file formats contain them, on the way to a mesh. Filled by the
   readers of .vtk, .vtu and .vtkhdf; ig_vtk_mesh converts. */
#ifndef IG_IO_FORMAT_VTK_H
#define IG_IO_FORMAT_VTK_H

#include "io/mesh/mesh_io.h"

/* Fields that are kept; more are ignored. */
enum { IG_VTK_FIELDS = 256 };
/* A field of single whole numbers. */
typedef struct {
  char name[64];
  bool at_points;
  int64_t count, *value;
} ig_vtk_field;

/* Arrays may grow piece by piece (.pvtu, .vtkhdf). Only fields of single whole numbers are kept:
   they become sets. Freed by ig_vtk_free. */
typedef struct {
  ig_ctx *cx;
  int64_t points, cells, corners;
  double *point;            /* points x 3 */
  int64_t *corner, *offset; /* offset: cells + 1 */
  uint8_t *type;
  int fields;
  ig_vtk_field field[IG_VTK_FIELDS];
} ig_vtk_grid;

void ig_vtk_free(ig_vtk_grid *grid);
/* Makes room for more points, cells and corners behind the existing ones, zeroed, and increases the
   counts. */
IG_MUST_CHECK ig_status ig_vtk_grow(ig_vtk_grid *grid, int64_t points, int64_t cells,
                                    int64_t corners);
/* The next `count` values of a field, to be filled by the caller; *value NULL: the field is not
   wanted. */
IG_MUST_CHECK ig_status ig_vtk_field_add(ig_vtk_grid *grid, const char *name, bool at_points,
                                         int64_t count, int64_t **value);
/* Cuts poly-lines into lines, strips and polygons of more than four corners into triangles, each
   with the values of its cell. *made shares the points of `grid` and is freed by ig_vtk_split_free;
   it has no cells of its own if nothing had to be cut. */
IG_MUST_CHECK ig_status ig_vtk_split(const ig_vtk_grid *grid, const char *path, ig_vtk_grid *made);
void ig_vtk_split_free(ig_vtk_grid *made);
/* Converts to a mesh. Fields "nodes:NAME" and similar are sets written by Ingot; other whole
   numbers on cells become element sets NAME_value. */
IG_MUST_CHECK ig_status ig_vtk_mesh(const ig_vtk_grid *grid, const char *path,
                                    const ig_mesh_read_options *options, ig_mesh **mesh);

#endif
