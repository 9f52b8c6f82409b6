/* OFF (object file format of Geomview), text: a word, three counts, points, polygons. Lines may
   have normals and colors behind what is read here; polygons become fans of triangles. */
#include "io/mesh/tri_maker.h"

#include <string.h>

/* The next line that is neither blank nor a comment, its end cut off at a comment. */
static bool line_next(ig_mesh_text *t) {
  while (ig_text_line(t)) {
    char *note = memchr(t->line, '#', (size_t)(t->line_end - t->line));
    if (note)
      t->line_end = note;
    if (t->line + strspn(t->line, " \t\r") < t->line_end)
      return true;
  }
  return false;
}

/* The next number of the current line. */
static ig_status number_next(ig_mesh_text *t, char **p, double *value) {
  *p += strspn(*p, " \t\r");
  char *from = *p;
  if (from >= t->line_end)
    return ig_text_fail(t, t->line_end, "a number is missing at the end of the line");
  *p += strcspn(*p, " \t\r\n#");
  return ig_text_real(t, from, *p < t->line_end ? *p : t->line_end, value);
}

/* A number of things. */
static ig_status count_next(ig_mesh_text *t, char **p, int64_t *count) {
  char *from = *p;
  double value;
  IG_TRY(number_next(t, p, &value));
  if (!(value >= 0 && value <= IG_TRI_SURFACE_MOST) || value != (double)(int64_t)value)
    return ig_text_fail(t, from, "%g is no number of points or faces", value);
  *count = (int64_t)value;
  return IG_OK;
}

static ig_status face_read(ig_tri_maker *m, ig_mesh_text *t) {
  char *p = t->line;
  int64_t count, corner[3] = {0, 0, 0};
  IG_TRY(count_next(t, &p, &count));
  for (int64_t a = 0; a < count; a++) {
    char *from = p;
    int64_t id;
    IG_TRY(count_next(t, &p, &id));
    if (id >= m->s->nodes)
      return ig_text_fail(t, from, "point %lld: there are %d, from 0", (long long)id,
                          (int)m->s->nodes);
    corner[a < 2 ? a : 2] = id;
    if (a < 2)
      continue;
    IG_TRY(ig_tri_triangle_add(m, corner));
    corner[1] = corner[2];
  }
  return IG_OK;
}

ig_status ig_tri_read_off(ig_tri_maker *m, ig_mesh_text *t) {
  int64_t points, faces, edges;
  if (!line_next(t))
    return IG_FAIL(m->cx, IG_INPUT, "%s: an empty file", m->path);
  char *p = t->line + strspn(t->line, " \t");
  char *stop = p + strcspn(p, " \t\r\n#");
  if (stop > t->line_end)
    stop = t->line_end;
  /* [ST][C][N]OFF: textures, colors and normals stand behind the coordinates. Four or n
     coordinates come before them. */
  static const char *const known[] = {"OFF",   "COFF",   "NOFF",   "CNOFF",
                                      "STOFF", "STCOFF", "STNOFF", "STCNOFF"};
  size_t k = 0;
  while (k < sizeof known / sizeof *known && !ig_text_is(p, stop, known[k]))
    k++;
  if (k == sizeof known / sizeof *known)
    return ig_text_fail(t, p, "an OFF file begins with OFF, COFF, NOFF or STOFF, not '%.*s'",
                        (int)(stop - p < 20 ? stop - p : 20), p);
  p = stop + strspn(stop, " \t\r");
  if (p < t->line_end && strncasecmp(p, "BINARY", 6) == 0)
    return ig_text_fail(t, p, "a binary OFF file: only text is read");
  if (p >= t->line_end) { /* the counts may stand on a line of their own */
    if (!line_next(t))
      return ig_text_fail(t, t->line_end, "the file ends before its counts");
    p = t->line;
  }
  IG_TRY(count_next(t, &p, &points));
  IG_TRY(count_next(t, &p, &faces));
  p += strspn(p, " \t\r");
  if (p < t->line_end)
    IG_TRY(count_next(t, &p, &edges)); /* says nothing */
  for (int64_t i = 0; i < points; i++) {
    double x[3];
    if (!line_next(t))
      return ig_text_fail(t, t->line_end, "the file ends after %lld of %lld points", (long long)i,
                          (long long)points);
    p = t->line;
    for (int d = 0; d < 3; d++)
      IG_TRY(number_next(t, &p, &x[d]));
    IG_TRY(ig_tri_node_add(m, x));
  }
  for (int64_t i = 0; i < faces; i++) {
    if (!line_next(t))
      return ig_text_fail(t, t->line_end, "the file ends after %lld of %lld faces", (long long)i,
                          (long long)faces);
    IG_TRY(face_read(m, t));
  }
  return IG_OK;
}
