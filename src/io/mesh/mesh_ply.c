/* PLY (Stanford polygons), text and binary of either byte order: a header that describes elements
   by their properties, then their data. Read are x, y, z of `vertex` and the list of `face`; all
   else is passed over by its description. Polygons become fans of triangles. */
#include "io/mesh/tri_maker.h"
#include "core/number.h"

#include <math.h>
#include <string.h>

enum { ELEMENTS = 16, PROPERTIES = 64, CORNERS = 100000 };
typedef enum { I1, U1, I2, U2, I4, U4, F4, F8, TYPES } type;
static const int bytes_of[TYPES] = {1, 1, 2, 2, 4, 4, 4, 8};

/* What a property is for. */
typedef enum { OTHER, PLACE_X, PLACE_Y, PLACE_Z, CORNER_LIST } role;

typedef struct {
  type value, count; /* count: of a list */
  bool list;
  role what;
} property;

typedef struct {
  char name[32];
  int64_t count;
  int properties;
  property property[PROPERTIES];
} element;

typedef struct {
  ig_tri_maker *m;
  ig_mesh_text *t;
  bool text, swapped;
  bool points, faces; /* what this pass over the data takes */
  int elements;
  element element[ELEMENTS];
  char *p;          /* text: where the next word is looked for; binary: the next byte */
  const char *name; /* of the element that is read, for messages */
  int64_t at;       /* its number */
} reader;

/* --- header */

/* The next word of the header's line; empty at its end. */
static void header_word(const ig_mesh_text *t, char **p, char **from, char **stop) {
  *p += strspn(*p, " \t\r");
  *from = *p < t->line_end ? *p : t->line_end;
  *p = *from + strcspn(*from, " \t\r\n");
  if (*p > t->line_end)
    *p = t->line_end;
  *stop = *p;
}

static bool type_read(const char *from, const char *stop, type *found) {
  static const char *const name[2][TYPES] = {
      {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
      {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < TYPES; i++)
      if (ig_text_is(from, stop, name[k][i])) {
        *found = (type)i;
        return true;
      }
  return false;
}

static role role_of(const element *e, const property *q, const char *from, const char *stop) {
  static const char *const place[] = {"x", "y", "z"};
  for (int d = 0; d < 3; d++)
    if (strcmp(e->name, "vertex") == 0 && !q->list && ig_text_is(from, stop, place[d]))
      return (role)(PLACE_X + d);
  if (strcmp(e->name, "face") == 0 && q->list &&
      (ig_text_is(from, stop, "vertex_indices") || ig_text_is(from, stop, "vertex_index")))
    return CORNER_LIST;
  return OTHER;
}

/* A line `property TYPE NAME` or `property list TYPE TYPE NAME`; p is behind its first word. */
static ig_status property_read(reader *r, char *p) {
  ig_mesh_text *t = r->t;
  char *from, *stop;
  if (r->elements == 0)
    return ig_text_fail(t, t->line, "a property before any element");
  element *e = &r->element[r->elements - 1];
  if (e->properties == PROPERTIES)
    return ig_text_fail(t, t->line, "more than %d properties", PROPERTIES);
  property *q = &e->property[e->properties++];
  *q = (property){0};
  header_word(t, &p, &from, &stop);
  q->list = ig_text_is(from, stop, "list");
  if (q->list) {
    header_word(t, &p, &from, &stop);
    if (!type_read(from, stop, &q->count) || q->count == F4 || q->count == F8)
      return ig_text_fail(t, from, "expected the integer type of a list's length");
    header_word(t, &p, &from, &stop);
  }
  if (!type_read(from, stop, &q->value))
    return ig_text_fail(t, from, "unknown type '%.*s'", (int)(stop - from < 20 ? stop - from : 20),
                        from);
  header_word(t, &p, &from, &stop);
  q->what = role_of(e, q, from, stop);
  return IG_OK;
}

static ig_status element_read(reader *r, char *p) {
  ig_mesh_text *t = r->t;
  char *from, *stop;
  if (r->elements == ELEMENTS)
    return ig_text_fail(t, t->line, "more than %d kinds of elements", ELEMENTS);
  element *e = &r->element[r->elements++];
  e->properties = 0;
  header_word(t, &p, &from, &stop);
  ig_format(e->name, sizeof e->name, "%.*s", (int)(stop - from < 31 ? stop - from : 31), from);
  if (strcmp(e->name, "tristrips") == 0)
    return ig_text_fail(t, from, "strips of triangles are not read: save the surface with faces");
  header_word(t, &p, &from, &stop);
  IG_TRY(ig_text_int(t, from, stop, &e->count));
  if (e->count < 0 || e->count > IG_TRI_SURFACE_MOST)
    return ig_text_fail(t, from, "%lld is no number of elements", (long long)e->count);
  return IG_OK;
}

static ig_status format_read(reader *r, char *p) {
  char *from, *stop;
  header_word(r->t, &p, &from, &stop);
  const uint16_t one = 1;
  const bool little = *(const uint8_t *)&one == 1;
  r->text = ig_text_is(from, stop, "ascii");
  if (r->text)
    return IG_OK;
  const bool small = ig_text_is(from, stop, "binary_little_endian");
  if (!small && !ig_text_is(from, stop, "binary_big_endian"))
    return ig_text_fail(r->t, from,
                        "expected ascii, binary_little_endian or binary_big_endian after 'format'");
  r->swapped = small != little;
  return IG_OK;
}

static ig_status header_read(reader *r) {
  ig_mesh_text *t = r->t;
  char *from = NULL, *stop = NULL;
  bool format = false;
  if (ig_text_line(t)) {
    char *p = t->line;
    header_word(t, &p, &from, &stop);
  }
  if (!from || !ig_text_is(from, stop, "ply"))
    return IG_FAIL(r->m->cx, IG_INPUT, "%s: a PLY file begins with a line 'ply'", r->m->path);
  while (ig_text_line(t)) {
    char *p = t->line;
    header_word(t, &p, &from, &stop);
    if (ig_text_is(from, stop, "end_header"))
      return format ? IG_OK : ig_text_fail(t, from, "the header has no line 'format'");
    if (ig_text_is(from, stop, "format")) {
      IG_TRY(format_read(r, p));
      format = true;
    } else if (ig_text_is(from, stop, "element")) {
      IG_TRY(element_read(r, p));
    } else if (ig_text_is(from, stop, "property")) {
      IG_TRY(property_read(r, p));
    } else if (from < stop && !ig_text_is(from, stop, "comment") &&
               !ig_text_is(from, stop, "obj_info")) {
      return ig_text_fail(t, from, "unknown word '%.*s' in the header",
                          (int)(stop - from < 20 ? stop - from : 20), from);
    }
  }
  return ig_text_fail(t, t->line_end, "the file ends within its header");
}

/* --- data */

static ig_status ended(const reader *r) {
  return IG_FAIL(r->m->cx, IG_INPUT, "%s: the file ends within %s %lld", r->m->path, r->name,
                 (long long)r->at);
}

/* One number, as the header describes it. */
static ig_status value_read(reader *r, type kind, double *value) {
  if (r->text) {
    char *from, *stop;
    if (!ig_tri_word(r->t, &r->p, &from, &stop))
      return ended(r);
    return ig_text_real(r->t, from, stop, value);
  }
  const int size = bytes_of[kind];
  unsigned char b[8];
  if (r->t->end - r->p < size)
    return ended(r);
  for (int i = 0; i < size; i++)
    b[i] = (unsigned char)r->p[r->swapped ? size - 1 - i : i];
  r->p += size;
  union {
    int8_t i1;
    uint8_t u1;
    int16_t i2;
    uint16_t u2;
    int32_t i4;
    uint32_t u4;
    float f4;
    double f8;
  } u;
  memcpy(&u, b, (size_t)size);
  *value = kind == I1   ? u.i1
           : kind == U1 ? u.u1
           : kind == I2 ? u.i2
           : kind == U2 ? u.u2
           : kind == I4 ? u.i4
           : kind == U4 ? u.u4
           : kind == F4 ? (double)u.f4
                        : u.f8;
  return IG_OK;
}

/* The corners of a face, as a fan of triangles. */
static ig_status list_read(reader *r, const property *q) {
  double length, id;
  int64_t corner[3] = {0, 0, 0};
  IG_TRY(value_read(r, q->count, &length));
  if (!(length >= 0 && length <= CORNERS) || length != (double)(int64_t)length)
    return IG_FAIL(r->m->cx, IG_INPUT, "%s: %s %lld has a list of %g numbers", r->m->path, r->name,
                   (long long)r->at, length);
  for (int64_t a = 0; a < (int64_t)length; a++) {
    IG_TRY(value_read(r, q->value, &id));
    if (q->what != CORNER_LIST || !r->faces)
      continue;
    if (!(id >= 0 && id < r->m->s->nodes) || id != (double)(int64_t)id)
      return IG_FAIL(r->m->cx, IG_INPUT, "%s: %s %lld uses point %g: there are %d, from 0",
                     r->m->path, r->name, (long long)r->at, id, (int)r->m->s->nodes);
    corner[a < 2 ? a : 2] = (int64_t)id;
    if (a < 2)
      continue;
    IG_TRY(ig_tri_triangle_add(r->m, corner));
    corner[1] = corner[2];
  }
  return IG_OK;
}

static ig_status data_read(reader *r, const element *e) {
  r->name = e->name;
  for (r->at = 0; r->at < e->count; r->at++) {
    double x[3] = {0, 0, 0}, value;
    if (r->at % 65536 == 0)
      IG_TRY(ig_interrupt_take(r->m->cx, "reading"));
    for (int k = 0; k < e->properties; k++) {
      const property *q = &e->property[k];
      if (q->list) {
        IG_TRY(list_read(r, q));
        continue;
      }
      IG_TRY(value_read(r, q->value, &value));
      if (q->what >= PLACE_X && q->what <= PLACE_Z)
        x[q->what - PLACE_X] = value;
    }
    if (strcmp(e->name, "vertex") == 0 && r->points)
      IG_TRY(ig_tri_node_add(r->m, x));
  }
  return IG_OK;
}

/* The first element of the name with a property of that role; -1: none. */
static int element_find(const reader *r, const char *name, role what) {
  for (int i = 0; i < r->elements; i++)
    for (int k = 0; strcmp(r->element[i].name, name) == 0 && k < r->element[i].properties; k++)
      if (r->element[i].property[k].what == what)
        return i;
  return -1;
}

/* One pass over the data of all elements. */
static ig_status pass(reader *r, bool points, bool faces) {
  const ig_mesh_text start = *r->t;
  char *const p = r->p;
  r->points = points;
  r->faces = faces;
  for (int i = 0; i < r->elements; i++)
    IG_TRY(data_read(r, &r->element[i]));
  *r->t = start;
  r->p = p;
  return IG_OK;
}

ig_status ig_tri_read_ply(ig_tri_maker *m, ig_mesh_text *t) {
  reader r = {.m = m, .t = t};
  IG_TRY(header_read(&r));
  const int point = element_find(&r, "vertex", PLACE_X);
  const int face = element_find(&r, "face", CORNER_LIST);
  if (point < 0 || element_find(&r, "vertex", PLACE_Y) < 0 ||
      element_find(&r, "vertex", PLACE_Z) < 0)
    return IG_FAIL(m->cx, IG_INPUT, "%s: its points have no x, y and z", m->path);
  if (face < 0)
    return IG_FAIL(m->cx, IG_INPUT,
                   "%s: a cloud of points without faces (no list 'vertex_indices'): save it as a "
                   "surface",
                   m->path);
  r.p = r.text ? t->line_end : t->next;
  /* corners are checked against the points: where these come later, they are read first */
  if (face < point)
    IG_TRY(pass(&r, true, false));
  return pass(&r, face > point, true);
}
