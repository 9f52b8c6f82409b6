/* Grids as VTK's file formats hold them, on their way to a mesh. */
#ifndef IG_IO_FORMAT_VTK_H
#define IG_IO_FORMAT_VTK_H

#include "io/mesh/mesh_io.h"

enum { IG_VTK_FIELDS = 256 };
typedef struct {
  char name[64];
  bool at_points;
  int64_t count, *value;
} ig_vtk_field;

/* All arrays may grow, piece by piece. Only fields of single whole numbers are kept. */
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
/* Room for more points, cells and corners behind those there are, zeroed; the counts are moved. */
IG_MUST_CHECK ig_status ig_vtk_grow(ig_vtk_grid *grid, int64_t points, int64_t cells,
                                    int64_t corners);
/* A field's next `count` values, to be filled; NULL in *value: it is not wanted. */
IG_MUST_CHECK ig_status ig_vtk_field_add(ig_vtk_grid *grid, const char *name, bool at_points,
                                         int64_t count, int64_t **value);
/* The mesh. Fields "nodes:NAME" and so on are Ingot's own sets; other whole numbers on cells become
   element sets NAME_value. */
IG_MUST_CHECK ig_status ig_vtk_mesh(const ig_vtk_grid *grid, const char *path,
                                    const ig_mesh_read_options *options, ig_mesh **mesh);

#endif
