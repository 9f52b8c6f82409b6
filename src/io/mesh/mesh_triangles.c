/* Files of triangles: STL (text and binary), OBJ, 3MF here; PLY and OFF in files of their own. */
#include "core/number.h"
#include "io/format/atomic_file.h"
#include "io/mesh/mesh_3mf.h"
#include "io/mesh/mesh_io.h"
#include "io/mesh/tri_maker.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* --- any of them */

ig_status ig_tri_read_file(ig_tri_maker *m, bool *known) {
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
  *known = k < count;
  if (!*known)
    return IG_OK;
  ig_mesh_text t;
  IG_TRY(ig_text_open(m->cx, m->path, &t));
  m->unit = 1e-3; /* all but 3MF name no unit; millimetres are usual */
  const ig_status status = formats[k].read(m, &t);
  ig_text_close(&t);
  return status;
}

/* Coordinates are in the unit of the file; ig_mesh_read scales them. */
ig_status ig_mesh_read_surface(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                               ig_mesh **mesh) {
  ig_tri_surface s;
  ig_block *block;
  ig_mesh *made = NULL;
  (void)options;
  *mesh = NULL;
  bool known;
  memset(&s, 0, sizeof s);
  ig_tri_maker m = {.cx = cx, .path = path, .s = &s};
  ig_status status = ig_tri_read_file(&m, &known);
  if (status == IG_OK)
    status = ig_tri_surface_weld(cx, &s);
  if (status == IG_OK)
    status = s.triangles > 0 ? ig_mesh_new(cx, 3, s.nodes, &made)
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
