/* Surfaces of triangles from files: STL (text and binary), OBJ, 3MF, PLY, OFF; and the outer
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

/* --- STL */

/* Little endian, on any machine. */
static uint32_t word_of(const unsigned char *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Header of 80 bytes, count, then 50 bytes per triangle: normal, three corners, attribute. Normals
   are ignored, because they are often wrong; the order of corners counts. */
static ig_status stl_binary(ig_tri_maker *m, const unsigned char *text, size_t triangles) {
  for (size_t t = 0; t < triangles; t++) {
    const unsigned char *p = text + 84 + 50 * t + 12;
    for (int a = 0; a < 3; a++, p += 12) {
      double x[3];
      for (int d = 0; d < 3; d++) {
        const uint32_t bits = word_of(p + 4 * d);
        float f;
        memcpy(&f, &bits, sizeof f);
        x[d] = f;
      }
      IG_TRY(ig_tri_node_add(m, x));
    }
    const int64_t n = m->s->nodes, corner[3] = {n - 3, n - 2, n - 1};
    IG_TRY(ig_tri_triangle_add(m, corner));
  }
  return IG_OK;
}

/* Only `vertex` and `endloop` matter. Only `vertex` lines matter; three make a triangle. Normals
   are computed anew, as those of files are often wrong. */
static ig_status stl_text(ig_tri_maker *m, ig_mesh_text *t) {
  char *p, *from, *stop;
  int corners = 0;
  while (ig_text_line(t)) {
    p = t->line;
    if (!ig_tri_word(t, &p, &from, &stop))
      break;
    /* `vertex` lines; `endloop` closes a facet. */
    if (ig_text_is(from, stop, "vertex")) {
      double x[3];
      for (int d = 0; d < 3; d++) {
        if (!ig_tri_word(t, &p, &from, &stop))
          return ig_text_fail(t, t->line_end, "the file ends within a vertex");
        IG_TRY(ig_text_real(t, from, stop, &x[d]));
      }
      IG_TRY(ig_tri_node_add(m, x));
      corners++;
    } else if (ig_text_is(from, stop, "endloop")) {
      if (corners != 3)
        return ig_text_fail(t, from, "a facet of %d corners: expected 3", corners);
      /* The last three points; welding merges equal ones afterwards. */
      const int64_t n = m->s->nodes, corner[3] = {n - 3, n - 2, n - 1};
      IG_TRY(ig_tri_triangle_add(m, corner));
      corners = 0;
    }
  }
  if (corners)
    return ig_text_fail(t, t->line_end, "the file ends within a facet");
  return IG_OK;
}

/* Binary if the count in the header fits the length of the file; the word "solid" at the start is
   no proof, because many binary files begin with it too. */
static ig_status stl_read(ig_tri_maker *m, ig_mesh_text *t) {
  const size_t size = (size_t)(t->end - t->text);
  const unsigned char *bytes = (const unsigned char *)t->text;
  const size_t count = size >= 84 ? word_of(bytes + 80) : 0;
  if (size >= 84 && size - 84 >= 50 * count && (count > 0 || memchr(bytes, '\0', size)) &&
      size - 84 - 50 * count < 50) /* the word "solid" begins binary files too */
    return stl_binary(m, bytes, count);
  if (size < 5 || strncasecmp(t->text + strspn(t->text, " \t\r\n"), "solid", 5) != 0)
    return IG_FAIL(m->cx, IG_INPUT,
                   "%s: neither a text STL (begins with 'solid') nor a whole binary one (%zu bytes "
                   "for %zu triangles)",
                   m->path, size, count);
  return stl_text(m, t);
}

/* --- OBJ: `v` and `f` lines; faces with more corners are cut into fans */

/* A corner is v, v/vt, v/vt/vn or v//vn; negative numbers count from the last vertex. Corners as v,
   v/vt or v/vt/vn; negative numbers count back from the last vertex. Polygons become fans of
   triangles. */
static ig_status obj_face(ig_tri_maker *m, ig_mesh_text *t, char *p) {
  int64_t corner[3] = {0, 0, 0};
  char *from, *stop;
  for (int count = 0; p < t->line_end;) {
    while (p < t->line_end && (*p == ' ' || *p == '\t'))
      p++;
    if (p == t->line_end)
      break;
    from = p;
    while (p < t->line_end && *p != ' ' && *p != '\t')
      p++;
    stop = memchr(from, '/', (size_t)(p - from));
    int64_t id;
    IG_TRY(ig_text_int(t, from, stop ? stop : p, &id));
    if (id == 0 || id > m->s->nodes || id < -(int64_t)m->s->nodes)
      return ig_text_fail(t, from, "point %lld: there are %d so far", (long long)id,
                          (int)m->s->nodes);
    corner[count < 2 ? count : 2] = id > 0 ? id - 1 : m->s->nodes + id;
    if (++count < 3)
      continue;
    IG_TRY(ig_tri_triangle_add(m, corner));
    corner[1] = corner[2];
  }
  return IG_OK;
}

/* Other statements (vn, vt, g, usemtl) are ignored. Vertices and faces; materials, groups, normals
   and textures are passed over. */
static ig_status obj_read(ig_tri_maker *m, ig_mesh_text *t) {
  while (ig_text_line(t)) {
    char *p = t->line, *from, *stop;
    while (p < t->line_end && (*p == ' ' || *p == '\t'))
      p++;
    if (t->line_end - p < 2 || (p[1] != ' ' && p[1] != '\t'))
      continue;
    if (*p == 'f')
      IG_TRY(obj_face(m, t, p + 2));
    if (*p != 'v')
      continue;
    double x[3];
    p += 2;
    for (int d = 0; d < 3; d++) {
      const int line = t->number;
      if (!ig_tri_word(t, &p, &from, &stop) || t->number != line)
        return ig_text_fail(t, t->line, "a point has fewer than 3 coordinates");
      IG_TRY(ig_text_real(t, from, stop, &x[d]));
    }
    IG_TRY(ig_tri_node_add(m, x));
  }
  return IG_OK;
}

/* --- 3MF */

static ig_status threemf_read(ig_tri_maker *m, ig_mesh_text *t) {
  return ig_3mf_read(m->cx, m->path, t->text, (size_t)(t->end - t->text), m->s, &m->unit);
}

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
  double own = 1;
  ig_status status;
  if (ig_image_named(m->path))
    return image_read(m, how);
  if (how->field || how->threshold != 0)
    return IG_FAIL(m->cx, IG_INPUT, "%s: `threshold` and `field` are of images (.vti, .nrrd, .npy)",
                   m->path);
  /* Formats of triangles; everything else is read as a mesh. */
  static const struct {
    const char *ending;
    ig_tri_reader *read;
  } formats[] = {{".stl", stl_read},
                 {".obj", obj_read},
                 {".3mf", threemf_read},
                 {".ply", ig_tri_read_ply},
                 {".off", ig_tri_read_off}};
  const size_t count = sizeof formats / sizeof *formats;
  size_t k = 0;
  while (k < count && !ig_path_ends(m->path, formats[k].ending))
    k++;
  if (k < count) {
    ig_mesh_text t;
    IG_TRY(ig_text_open(m->cx, m->path, &t));
    m->unit = 1e-3; /* all but 3MF name no unit; millimetres are usual */
    status = formats[k].read(m, &t);
    own = m->unit;
    ig_text_close(&t);
  } else {
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
  const double scale = unit > 0 ? unit : own;
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

/* Coordinates are in the unit of the file; ig_mesh_read scales them. */
ig_status ig_mesh_read_surface(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                               ig_mesh **mesh) {
  ig_tri_surface s;
  ig_block *block;
  ig_mesh *made = NULL;
  (void)options;
  *mesh = NULL;
  IG_TRY(ig_tri_surface_read_as(cx, path, &(ig_tri_surface_how){.unit = 1}, &s));
  ig_status status = s.triangles > 0 ? ig_mesh_new(cx, 3, s.nodes, &made)
                                     : IG_FAIL(cx, IG_INPUT, "%s: no triangles are in it", path);
  if (status == IG_OK)
    status = ig_mesh_add_block(cx, made, IG_TRI3, s.triangles, &block);
  if (status == IG_OK) {
    memcpy(made->x, s.x, 3 * (size_t)s.nodes * sizeof *s.x);
    memcpy(block->conn, s.corner, 3 * (size_t)s.triangles * sizeof *s.corner);
    *mesh = made;
  } else {
    ig_mesh_free(made);
  }
  ig_tri_surface_free(&s);
  return status;
}
