/* Surfaces of triangles from files: those that contain them (mesh_triangles.c), and the outer
   surface of any mesh, geometry or voxel image. The result is welded (mesh/tri_surface.h), except
   for images, whose corners are shared already. */
#include "mesh/tri_surface.h"
#include "core/number.h"
#include "io/format/image.h"
#include "io/mesh/mesh_io.h"
#include "io/format/atomic_file.h"
#include "io/mesh/mesh_3mf.h"
#include "io/mesh/tri_maker.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the outer surface of a mesh */

/* Boundary faces of solids as fans of triangles, and all 3-node triangles of shells. The outer
   faces of a volume mesh, cut into triangles; a mesh of triangles gives
   its elements. */
static ig_status surface_take(ig_tri_maker *m, const ig_mesh *mesh) {
  ig_boundary b = {0};
  IG_TRY(ig_mesh_boundary(m->cx, mesh, &b));
  ig_status status = IG_OK;
  for (ig_lid n = 0; n < mesh->nodes && status == IG_OK; n++)
    status = ig_tri_node_add(m, &mesh->x[3 * (size_t)n]);
  for (ig_lid i = 0; i < b.count && status == IG_OK; i++) {
    ig_lid local;
    const ig_block *block = ig_mesh_element(mesh, b.element[i], &local);
    const ig_elem_info *info = ig_elem_info_get(block->type);
    /* Faces of shells and edges of plane elements are no surface. */
    if (info->dim != 3)
      continue;
    const ig_lid *conn = block->conn + (size_t)local * (size_t)info->nodes;
    const int *face = ig_elem_face(block->type, b.face[i]),
              corners = ig_elem_face_distinct(block->type, b.face[i]);
    /* Polygons as fans from their first corner. */
    for (int a = 2; a < corners && status == IG_OK; a++) {
      const int64_t corner[3] = {conn[face[0]], conn[face[a - 1]], conn[face[a]]};
      status = ig_tri_triangle_add(m, corner);
    }
  }
  for (int k = 0; k < mesh->blocks && status == IG_OK; k++) { /* a mesh of triangles is one */
    const ig_block *block = &mesh->block[k];
    for (ig_lid e = 0; block->type == IG_TRI3 && e < block->count && status == IG_OK; e++) {
      const ig_lid *c = &block->conn[3 * (size_t)e];
      const int64_t corner[3] = {c[0], c[1], c[2]};
      status = ig_tri_triangle_add(m, corner);
    }
  }
  ig_boundary_free(&b);
  return status;
}

/* --- any file */

/* Of an image: corners are shared already. If it gives no size of voxels, the user must. */
static ig_status image_read(ig_tri_maker *m, const ig_tri_surface_how *how) {
  ig_image image;
  IG_TRY(ig_image_read(m->cx, m->path, how->threshold, how->field, &image));
  const double unit = how->unit > 0 ? how->unit : image.unit > 0 ? image.unit : 1e-3;
  ig_status status = ig_image_surface(m->cx, m->path, &image, m->s);
  if (status == IG_OK && image.bare && !(how->unit > 0))
    status = IG_FAIL(m->cx, IG_INPUT,
                     "%s: the image says nothing of the size of its voxels: give their edge, for "
                     "example `unit: 40 um`",
                     m->path);
  for (size_t i = 0; status == IG_OK && i < 3 * (size_t)m->s->nodes; i++)
    m->s->x[i] *= unit;
  m->s->stepped = true;
  ig_image_free(&image);
  return status;
}

/* By the ending: image, STL, OBJ, 3MF, PLY, OFF, or any mesh that can be read, of which the surface
   is taken. */
static ig_status read_any(ig_tri_maker *m, const ig_tri_surface_how *how) {
  double unit = how->unit;
  ig_status status = IG_OK;
  if (ig_image_named(m->path))
    return image_read(m, how);
  if (how->field || how->threshold != 0)
    return IG_FAIL(m->cx, IG_INPUT, "%s: `threshold` and `field` are of images (.vti, .nrrd, .npy)",
                   m->path);
  /* Formats of triangles; everything else is read as a mesh. */
  bool known;
  IG_TRY(ig_tri_read_file(m, &known));
  if (!known) {
    const ig_mesh_read_options options = {.unit = unit,
                                          .edge = how->edge,
                                          .time_limit = how->time_limit,
                                          .memory_limit = how->memory_limit};
    ig_mesh *mesh;
    IG_TRY(ig_mesh_read(m->cx, m->path, &options, &mesh));
    status = surface_take(m, mesh);
    ig_mesh_free(mesh);
    unit = 1; /* metres by now */
  }
  /* Triangles are in the file's unit here, meshes in metres. */
  const double scale = unit > 0 ? unit : m->unit;
  for (size_t i = 0; status == IG_OK && i < 3 * (size_t)m->s->nodes; i++)
    m->s->x[i] *= scale;
  return status == IG_OK ? ig_tri_surface_weld(m->cx, m->s) : status;
}

ig_status ig_tri_surface_read_as(ig_ctx *cx, const char *path, const ig_tri_surface_how *how,
                                 ig_tri_surface *soup) {
  memset(soup, 0, sizeof *soup);
  ig_tri_maker m = {.cx = cx, .path = path, .s = soup};
  const ig_status status = read_any(&m, how);
  if (status != IG_OK)
    ig_tri_surface_free(soup);
  return status;
}

ig_status ig_tri_surface_read(ig_ctx *cx, const char *path, double unit, double edge,
                              ig_tri_surface *soup) {
  return ig_tri_surface_read_as(cx, path, &(ig_tri_surface_how){.unit = unit, .edge = edge}, soup);
}
