/* Reader of legacy VTK files, text or binary, up to version 5.1. Text and binary differ only in how
   numbers are stored; keywords are text in both. All data sets become an unstructured grid: of
   POLYDATA lines and polygons, of the structured ones the cells between neighbouring points. */
#include "io/format/vtk.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Data sets, and the sections of POLYDATA in the order of its cells. */
enum { UNSTRUCTURED, POLYDATA, GRID, IMAGE, RECTILINEAR, DATASETS };
static const char *const datasets[DATASETS] = {"UNSTRUCTURED_GRID", "POLYDATA", "STRUCTURED_GRID",
                                               "STRUCTURED_POINTS", "RECTILINEAR_GRID"};
enum { POLY_SECTIONS = 4 };
static const struct {
  const char *name;
  int type;            /* of VTK */
  int short_of, plain; /* cells of so many points are of the plain type */
} poly[POLY_SECTIONS] = {
    {"VERTICES", 2, 1, 1}, {"LINES", 4, 2, 3}, {"POLYGONS", 7, 3, 5}, {"TRIANGLE_STRIPS", 6, 3, 5}};

/* State of the reader. */
typedef struct {
  ig_mesh_text t;
  char *p; /* in the current line */
  bool binary, new_style;
  bool typed;           /* all cells are there, with their types */
  int dataset, section; /* section: of POLYDATA, the last one */
  /* Of structured data sets: points along x, y, z (0: not given yet), and where they are. */
  int64_t along[3];
  double origin[3], spacing[3], *axis[3];
  ig_vtk_grid g;
} legacy;

/* The next word, across lines; false at the end of the file. Zero bytes count as spaces: some
   writers pad with them. */
static bool word(legacy *l, char **from, char **stop) {
  ig_mesh_text *t = &l->t;
  for (;;) {
    while (l->p < t->line_end && (*l->p == ' ' || *l->p == '\t' || *l->p == '\0'))
      l->p++;
    if (l->p < t->line_end)
      break;
    if (!ig_text_line(t))
      return false;
    l->p = t->line;
  }
  *from = l->p;
  while (l->p < t->line_end && *l->p != ' ' && *l->p != '\t' && *l->p != '\0')
    l->p++;
  *stop = l->p;
  return true;
}

static ig_status end_of_file(legacy *l, const char *in) {
  return ig_text_fail(&l->t, l->t.line_end, "the file ends within %s", in);
}

static ig_status need_word(legacy *l, const char *in, char **from, char **stop) {
  return word(l, from, stop) ? IG_OK : end_of_file(l, in);
}

/* An integer in [low, high]. */
static ig_status word_int(legacy *l, const char *in, int64_t low, int64_t high, int64_t *value) {
  char *from = NULL, *stop = NULL;
  IG_TRY(need_word(l, in, &from, &stop));
  IG_TRY(ig_text_int(&l->t, from, stop, value));
  if (*value < low || *value > high)
    return ig_text_fail(&l->t, from, "%lld in %s: expected %lld to %lld", (long long)*value, in,
                        (long long)low, (long long)high);
  return IG_OK;
}

/* --- numbers, as words or big-endian binary */

/* Types of VTK. vtkIdType has 4 bytes in files, whatever VTK was compiled with. */
static const struct {
  const char *name;
  int size;
  char kind; /* i: signed, u: not, f: real */
} kinds[] = {{"float", 4, 'f'},        {"double", 8, 'f'},         {"int", 4, 'i'},
             {"unsigned_int", 4, 'u'}, {"long", 8, 'i'},           {"unsigned_long", 8, 'u'},
             {"vtktypeint64", 8, 'i'}, {"vtktypeuint64", 8, 'u'},  {"vtkIdType", 4, 'i'},
             {"short", 2, 'i'},        {"unsigned_short", 2, 'u'}, {"char", 1, 'i'},
             {"signed_char", 1, 'i'},  {"unsigned_char", 1, 'u'},  {"vtktypeint32", 4, 'i'},
             {"vtktypeint8", 1, 'i'}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The name of a number type, as VTK writes it; its size follows from the table. */
static ig_status kind_read(legacy *l, const char *in, int *kind) {
  char *from = NULL, *stop = NULL;
  IG_TRY(need_word(l, in, &from, &stop));
  for (*kind = 0; *kind < KINDS; ++*kind)
    if (ig_text_is(from, stop, kinds[*kind].name))
      return IG_OK;
  return ig_text_fail(&l->t, from, "'%.*s' in %s: expected float, double, int and the like",
                      (int)(stop - from > 24 ? 24 : stop - from), from, in);
}

/* Binary data of legacy files is always big endian. */
static double number_of(const unsigned char *p, int kind) {
  uint64_t bits = 0;
  for (int i = 0; i < kinds[kind].size; i++)
    bits = bits << 8 | p[i];
  if (kinds[kind].kind == 'f' && kinds[kind].size == 4) {
    const uint32_t half = (uint32_t)bits;
    float f;
    memcpy(&f, &half, sizeof f);
    return f;
  }
  if (kinds[kind].kind == 'f') {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
  }
  const int shift = 64 - 8 * kinds[kind].size;
  return kinds[kind].kind == 'i' ? (double)((int64_t)(bits << shift) >> shift) : (double)bits;
}

/* `count` numbers of a type into one of the two arrays; both NULL: skipped. Binary numbers start on
   the next line and have no separators. */
static ig_status numbers_read(legacy *l, const char *in, int kind, int64_t count, double *real,
                              int64_t *whole) {
  ig_mesh_text *t = &l->t;
  if (l->binary) {
    const int64_t size = count * kinds[kind].size;
    if (size > t->end - t->next)
      return end_of_file(l, in);
    const unsigned char *p = (const unsigned char *)t->next;
    for (int64_t i = 0; i < count && (real || whole); i++) {
      const double v = number_of(p + i * kinds[kind].size, kind);
      if (real)
        real[i] = v;
      else
        /* Values beyond 2^53 cannot be represented; -1 is refused later as a point number. */
        whole[i] = v >= -9e15 && v <= 9e15 ? (int64_t)v : -1;
    }
    t->next += size;
    t->line = t->line_end = l->p = t->next;
    return IG_OK;
  }
  for (int64_t i = 0; i < count; i++) {
    char *from = NULL, *stop = NULL;
    IG_TRY(need_word(l, in, &from, &stop));
    if (real)
      IG_TRY(ig_text_real(t, from, stop, &real[i]));
    else if (whole)
      IG_TRY(ig_text_int(t, from, stop, &whole[i]));
  }
  return IG_OK;
}

/* --- the grid */

/* A count is accepted only if the file is long enough for it (`per` bytes per item at least). */
static ig_status count_read(legacy *l, const char *in, int per, int64_t *count) {
  IG_TRY(word_int(l, in, 0, INT32_MAX, count));
  if (*count * per > l->t.end - l->t.text + 2)
    return ig_text_fail(&l->t, l->p, "%s: %lld are more than this file can hold", in,
                        (long long)*count);
  return IG_OK;
}

/* Exactly one POINTS section, before the cells. */
static ig_status points_read(legacy *l) {
  int64_t count;
  int kind;
  IG_TRY(count_read(l, "POINTS", 3, &count));
  IG_TRY(kind_read(l, "POINTS", &kind));
  if (l->g.points || l->g.cells)
    return ig_text_fail(&l->t, l->p, "POINTS comes twice");
  IG_TRY(ig_vtk_grow(&l->g, count, 0, 0));
  return numbers_read(l, "POINTS", kind, 3 * count, l->g.point, NULL);
}

/* Cells of one section, behind those of earlier ones. Their offsets count from its first corner. */
typedef struct {
  const char *name;
  int64_t cells, corners; /* how many */
  int64_t *offset, *corner;
} part;

/* Offsets must rise from 0 to the number of corners, and corners be valid points. */
static ig_status span_check(legacy *l, const part *of, int64_t before) {
  for (int64_t c = 0; c < of->cells; c++)
    if (of->offset[c] > of->offset[c + 1] || of->offset[c] < 0)
      return ig_text_fail(&l->t, l->p, "OFFSETS fall at cell %lld", (long long)c);
  if (of->offset[0] != 0 || of->offset[of->cells] != of->corners)
    return ig_text_fail(&l->t, l->p, "OFFSETS do not span CONNECTIVITY");
  for (int64_t i = 0; i < of->corners; i++)
    if (of->corner[i] < 0 || of->corner[i] >= l->g.points)
      return ig_text_fail(&l->t, l->p, "%lld in %s: expected 0 to %lld", (long long)of->corner[i],
                          of->name, (long long)l->g.points - 1);
  for (int64_t c = 0; c <= of->cells; c++)
    of->offset[c] += before;
  return IG_OK;
}

/* Version 5 and up: arrays OFFSETS and CONNECTIVITY; the count is the number of cells plus 1. */
static ig_status cells_read_new(legacy *l, const part *of) {
  for (int k = 0; k < 2; k++) {
    char *from = NULL, *stop = NULL;
    int kind;
    const char *name = k ? "CONNECTIVITY" : "OFFSETS";
    IG_TRY(need_word(l, of->name, &from, &stop));
    if (!ig_text_is(from, stop, name))
      return ig_text_fail(&l->t, from, "expected %s", name);
    IG_TRY(kind_read(l, name, &kind));
    IG_TRY(numbers_read(l, name, kind, k ? of->corners : of->cells + 1, NULL,
                        k ? of->corner : of->offset));
  }
  return IG_OK;
}

/* Older versions: for each cell its number of points, then the points, in one list. */
static ig_status cells_read_old(legacy *l, part *of, int64_t size) {
  enum { INT = 2 };
  int64_t *flat, at = 0, corners = 0;
  IG_TRY(IG_NEW(l->t.cx, &flat, size + 1, "cells"));
  ig_status status = numbers_read(l, of->name, INT, size, NULL, flat);
  for (int64_t c = 0; c < of->cells && status == IG_OK; c++) {
    const int64_t n = at < size ? flat[at] : -1;
    if (n < 0 || n > size - at - 1) {
      status =
          ig_text_fail(&l->t, l->p, "cell %lld of %lld points does not fit %s %lld %lld",
                       (long long)c, (long long)n, of->name, (long long)of->cells, (long long)size);
      break;
    }
    of->offset[c] = corners;
    memcpy(of->corner + corners, flat + at + 1, (size_t)n * sizeof *flat);
    corners += n;
    at += n + 1;
  }
  free(flat);
  of->offset[of->cells] = corners;
  l->g.corners += corners - of->corners;
  of->corners = corners;
  return status;
}

/* Version 5 has offsets and connectivity as arrays, earlier ones a count before each cell. */
static ig_status cells_read(legacy *l, const char *name) {
  const int64_t first = l->g.cells, before = l->g.corners;
  int64_t cells, size;
  IG_TRY(count_read(l, name, 1, &cells));
  IG_TRY(count_read(l, name, 1, &size));
  if (!l->g.points)
    return ig_text_fail(&l->t, l->p, "%s before POINTS", name);
  if (l->new_style && cells == 0)
    return l->dataset == POLYDATA
               ? IG_OK
               : ig_text_fail(&l->t, l->p, "CELLS 0: expected the number of cells plus 1");
  if (!l->new_style && size < cells)
    return ig_text_fail(&l->t, l->p, "%s %lld %lld: expected at least one number per cell", name,
                        (long long)cells, (long long)size);
  cells -= l->new_style;
  IG_TRY(ig_vtk_grow(&l->g, 0, cells, size));
  part of = {name, cells, size, l->g.offset + first, l->g.corner + before};
  IG_TRY(l->new_style ? cells_read_new(l, &of) : cells_read_old(l, &of, size));
  return span_check(l, &of, before);
}

/* A section of POLYDATA. Cell data follow the order of `poly`, whatever the order in the file. */
static ig_status poly_read(legacy *l, int section) {
  const int64_t first = l->g.cells;
  if (section <= l->section)
    return ig_text_fail(&l->t, l->p, "%s after %s: expected it before", poly[section].name,
                        poly[l->section].name);
  l->section = section;
  IG_TRY(cells_read(l, poly[section].name));
  for (int64_t c = first; c < l->g.cells; c++) {
    const int64_t points = l->g.offset[c + 1] - l->g.offset[c];
    l->g.type[c] = (uint8_t)(points == poly[section].short_of ? poly[section].plain
                             : section == 2 && points == 4    ? 9
                                                              : poly[section].type);
  }
  l->typed = true;
  return IG_OK;
}

/* --- structured data sets */

/* Points along x, y and z. Points that are not in the file must be worth its data. */
static ig_status along_read(legacy *l) {
  enum { SMALL = 1000000 };
  const char *name = datasets[l->dataset];
  double points = 1;
  for (int d = 0; d < 3; d++) {
    IG_TRY(word_int(l, "DIMENSIONS", 1, INT32_MAX, &l->along[d]));
    points *= (double)l->along[d];
  }
  if (points > SMALL && points > 8. * (double)(l->t.end - l->t.text))
    return ig_text_fail(&l->t, l->p, "%s: %g points are more than this file can hold", name,
                        points);
  return IG_OK;
}

static ig_status axis_read(legacy *l, int d) {
  int64_t count;
  int kind;
  IG_TRY(count_read(l, "coordinates", 1, &count));
  IG_TRY(kind_read(l, "coordinates", &kind));
  if (count != l->along[d] || l->axis[d])
    return ig_text_fail(&l->t, l->p, "%lld coordinates: expected %lld as in DIMENSIONS, once",
                        (long long)count, (long long)l->along[d]);
  IG_TRY(IG_NEW(l->t.cx, &l->axis[d], count, "coordinates"));
  return numbers_read(l, "coordinates", kind, count, l->axis[d], NULL);
}

static ig_status three_read(legacy *l, const char *in, double value[3]) {
  for (int d = 0; d < 3; d++) {
    char *from = NULL, *stop = NULL;
    IG_TRY(need_word(l, in, &from, &stop));
    IG_TRY(ig_text_real(&l->t, from, stop, &value[d]));
  }
  return IG_OK;
}

/* Points of an image or rectilinear grid; x runs fastest. */
static ig_status points_make(legacy *l) {
  IG_TRY(ig_vtk_grow(&l->g, l->along[0] * l->along[1] * l->along[2], 0, 0));
  int64_t at[3] = {0, 0, 0};
  for (int64_t n = 0; n < l->g.points; n++) {
    for (int d = 0; d < 3; d++)
      l->g.point[3 * n + d] = l->dataset == RECTILINEAR
                                  ? l->axis[d][at[d]]
                                  : l->origin[d] + l->spacing[d] * (double)at[d];
    for (int d = 0; d < 3 && ++at[d] == l->along[d]; d++)
      at[d] = 0;
  }
  return IG_OK;
}

/* Lines, quadrilaterals or hexahedra between neighbouring points, by how many axes have more than
   one point. Corners of a cell: bits 0, 1, 2 of their number are steps along these axes. */
static ig_status grid_make(legacy *l) {
  static const int types[4] = {1, 3, 9, 12}, around[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  ig_vtk_grid *g = &l->g;
  if (l->typed || l->dataset < GRID)
    return IG_OK;
  if (!l->along[0])
    return end_of_file(l, "the grid: expected DIMENSIONS");
  for (int d = 0; d < 3 && l->dataset == RECTILINEAR; d++)
    if (!l->axis[d])
      return end_of_file(l, "the grid: expected X_COORDINATES, Y_COORDINATES and Z_COORDINATES");
  if (l->dataset != GRID)
    IG_TRY(points_make(l));
  if (g->points != l->along[0] * l->along[1] * l->along[2])
    return ig_text_fail(&l->t, l->p, "%lld points: expected %lld x %lld x %lld as in DIMENSIONS",
                        (long long)g->points, (long long)l->along[0], (long long)l->along[1],
                        (long long)l->along[2]);
  int axes = 0;
  int64_t step[3], count[3], cells = 1, stride = 1;
  for (int d = 0; d < 3; stride *= l->along[d++])
    if (l->along[d] > 1) {
      step[axes] = stride;
      count[axes] = l->along[d] - 1;
      cells *= count[axes++];
    }
  cells = axes ? cells : 0;
  IG_TRY(ig_vtk_grow(g, 0, cells, cells << axes));
  int64_t at[3] = {0, 0, 0};
  for (int64_t c = 0; c < cells; c++) {
    int64_t low = 0;
    for (int d = 0; d < axes; d++)
      low += at[d] * step[d];
    for (int a = 0; a < 1 << axes; a++) {
      int64_t *corner = &g->corner[(c << axes) + a];
      *corner = low;
      for (int d = 0; d < axes; d++)
        *corner += (around[a] >> d & 1) * step[d];
    }
    g->type[c] = (uint8_t)types[axes];
    g->offset[c + 1] = (c + 1) << axes;
    for (int d = 0; d < axes && ++at[d] == count[d]; d++)
      at[d] = 0;
  }
  l->typed = true;
  return IG_OK;
}

/* Kept as bytes; values out of range are refused. */
static ig_status types_read(legacy *l) {
  enum { INT = 2 };
  int64_t cells, *value;
  IG_TRY(word_int(l, "CELL_TYPES", 0, INT32_MAX, &cells));
  if (cells != l->g.cells || l->typed)
    return ig_text_fail(&l->t, l->p, "CELL_TYPES %lld: expected it once, after CELLS, with %lld",
                        (long long)cells, (long long)l->g.cells);
  IG_TRY(IG_NEW(l->t.cx, &value, cells + 1, "cell types"));
  ig_status status = numbers_read(l, "CELL_TYPES", INT, cells, NULL, value);
  for (int64_t c = 0; c < cells && status == IG_OK; c++) {
    if (value[c] < 0 || value[c] > 255)
      status =
          ig_text_fail(&l->t, l->p, "%lld in CELL_TYPES: expected 0 to 255", (long long)value[c]);
    l->g.type[c] = (uint8_t)value[c];
  }
  free(value);
  l->typed = true;
  return status;
}

/* --- fields */

/* Decodes %20 and similar in a name. */
static void name_copy(const char *from, const char *stop, char *name, size_t size) {
  size_t n = 0;
  for (; from < stop && n + 1 < size; from++) {
    unsigned code;
    if (*from == '%' && stop - from > 2 && sscanf(from + 1, "%2x", &code) == 1 && code >= ' ') {
      name[n++] = (char)code;
      from += 2;
    } else {
      name[n++] = *from;
    }
  }
  name[n] = '\0';
}

/* Values of a field; kept if they are single whole numbers at points or cells, otherwise
   skipped. */
static ig_status values_read(legacy *l, const char *name, int kind, int components, int64_t items,
                             bool at_points, bool in_data) {
  int64_t *value = NULL;
  const int64_t expected = at_points ? l->g.points : l->g.cells;
  if (in_data && components == 1 && kinds[kind].kind != 'f' && items == expected) {
    for (int i = 0; i < l->g.fields; i++)
      if (l->g.field[i].at_points == at_points && strcmp(l->g.field[i].name, name) == 0)
        return ig_text_fail(&l->t, l->p, "'%s' comes twice", name);
    IG_TRY(ig_vtk_field_add(&l->g, name, at_points, items, &value));
  }
  return numbers_read(l, name, kind, items * components, NULL, value);
}

/* SCALARS name type [components] LOOKUP_TABLE name, values. */
static ig_status scalars_read(legacy *l, bool at_points) {
  char *from = NULL, *stop = NULL, name[128];
  int64_t components = 1;
  int kind;
  IG_TRY(need_word(l, "SCALARS", &from, &stop));
  name_copy(from, stop, name, sizeof name);
  IG_TRY(kind_read(l, "SCALARS", &kind));
  IG_TRY(need_word(l, "SCALARS", &from, &stop));
  if (!ig_text_is(from, stop, "LOOKUP_TABLE")) {
    IG_TRY(ig_text_int(&l->t, from, stop, &components));
    if (components < 1 || components > 4)
      return ig_text_fail(&l->t, from, "SCALARS of %lld components: expected 1 to 4",
                          (long long)components);
    if (!word(l, &from, &stop) || !ig_text_is(from, stop, "LOOKUP_TABLE"))
      return ig_text_fail(&l->t, from, "expected LOOKUP_TABLE");
  }
  IG_TRY(need_word(l, "SCALARS", &from, &stop)); /* its name */
  return values_read(l, name, kind, (int)components, at_points ? l->g.points : l->g.cells,
                     at_points, true);
}

/* FIELD name n, then n arrays: name components tuples type values. *strange: a type without known
   size (string, bit) follows, so the rest of the file cannot be read. Strings and bits end the
   reading of data, as their length is not known here; the grid is complete before them. */
static ig_status field_read(legacy *l, bool at_points, bool in_data, bool *strange) {
  char *from = NULL, *stop = NULL, name[128];
  int64_t arrays, components, tuples;
  IG_TRY(need_word(l, "FIELD", &from, &stop));
  IG_TRY(word_int(l, "FIELD", 0, 1000000, &arrays));
  for (int64_t i = 0; i < arrays; i++) {
    int kind;
    IG_TRY(need_word(l, "FIELD", &from, &stop));
    if (ig_text_is(from, stop, "METADATA")) { /* ends with an empty line */
      while (ig_text_line(&l->t) && l->t.line != l->t.line_end)
        ;
      l->p = l->t.line_end;
      IG_TRY(need_word(l, "FIELD", &from, &stop));
    }
    /* Names may have escaped characters, as %20 for a blank. */
    name_copy(from, stop, name, sizeof name);
    IG_TRY(word_int(l, "FIELD", 0, 1000000, &components));
    IG_TRY(word_int(l, "FIELD", 0, INT32_MAX, &tuples));
    char *const at = l->p;
    if (word(l, &from, &stop) &&
        (ig_text_is(from, stop, "string") || ig_text_is(from, stop, "bit"))) {
      *strange = true;
      return IG_OK;
    }
    l->p = at;
    IG_TRY(kind_read(l, "FIELD", &kind));
    /* Each value takes at least a byte: a larger array cannot be in the file. */
    if (components * tuples > l->t.end - l->t.text)
      return ig_text_fail(&l->t, l->p, "FIELD '%.60s' is larger than this file", name);
    IG_TRY(values_read(l, name, kind, (int)components, tuples, at_points, in_data));
  }
  return IG_OK;
}

/* VECTORS, NORMALS, TENSORS, GLOBAL_IDS: name type values; skipped. */
static ig_status plain_read(legacy *l, int components, bool at_points) {
  char *from = NULL, *stop = NULL;
  int kind;
  IG_TRY(need_word(l, "data", &from, &stop));
  IG_TRY(kind_read(l, "data", &kind));
  return numbers_read(l, "data", kind, components * (at_points ? l->g.points : l->g.cells), NULL,
                      NULL);
}

/* --- the file */

/* Version, title, ASCII or BINARY, and the kind of data set. */
static ig_status header_read(legacy *l) {
  int major = 0, minor = 0;
  ig_mesh_text *t = &l->t;
  if (!ig_text_line(t) || sscanf(t->line, "# vtk DataFile Version %3d.%3d", &major, &minor) != 2)
    return ig_text_fail(t, t->line, "expected '# vtk DataFile Version …'");
  l->new_style = major >= 5;
  const bool title = ig_text_line(t);
  if (!title || !ig_text_line(t)) /* then the encoding */
    return end_of_file(l, "the header");
  char *from = NULL, *stop = NULL;
  l->p = t->line;
  IG_TRY(need_word(l, "the header", &from, &stop));
  l->binary = ig_text_is(from, stop, "BINARY");
  if (!l->binary && !ig_text_is(from, stop, "ASCII"))
    return ig_text_fail(t, from, "expected ASCII or BINARY");
  if (!word(l, &from, &stop) || !ig_text_is(from, stop, "DATASET"))
    return ig_text_fail(t, l->p, "expected DATASET UNSTRUCTURED_GRID");
  IG_TRY(need_word(l, "the header", &from, &stop));
  for (l->dataset = 0; l->dataset < DATASETS; l->dataset++)
    if (ig_text_is(from, stop, datasets[l->dataset]))
      return IG_OK;
  return ig_text_fail(t, from,
                      "expected UNSTRUCTURED_GRID, POLYDATA, STRUCTURED_GRID, STRUCTURED_POINTS or "
                      "RECTILINEAR_GRID");
}

/* Sections that only some data sets have; *known: it was one. */
static ig_status special_read(legacy *l, const char *from, const char *stop, bool *known) {
  static const char *const axes[3] = {"X_COORDINATES", "Y_COORDINATES", "Z_COORDINATES"};
  *known = true;
  for (int i = 0; l->dataset == POLYDATA && i < POLY_SECTIONS; i++)
    if (ig_text_is(from, stop, poly[i].name))
      return poly_read(l, i);
  if (l->dataset >= GRID && ig_text_is(from, stop, "DIMENSIONS"))
    return along_read(l);
  for (int d = 0; l->dataset == RECTILINEAR && d < 3; d++)
    if (ig_text_is(from, stop, axes[d]))
      return axis_read(l, d);
  if (l->dataset == IMAGE && ig_text_is(from, stop, "ORIGIN"))
    return three_read(l, "ORIGIN", l->origin);
  if (l->dataset == IMAGE &&
      (ig_text_is(from, stop, "SPACING") || ig_text_is(from, stop, "ASPECT_RATIO")))
    return three_read(l, "SPACING", l->spacing);
  *known = false;
  return IG_OK;
}

/* One section. An unknown one within the data ends reading: the mesh is complete by then. One
   keyword and its data. *strange becomes true at a keyword that is not known: its length is not
   known either, so reading ends there. */
static ig_status section_read(legacy *l, char *from, char *stop, bool *at_points, bool *in_data,
                              bool *strange) {
  static const struct {
    const char *name;
    int components;
  } plain[] = {
      {"VECTORS", 3}, {"NORMALS", 3}, {"TENSORS", 9}, {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}};
  bool known = false;
  if (!*in_data)
    IG_TRY(special_read(l, from, stop, &known));
  if (known)
    return IG_OK;
  if (ig_text_is(from, stop, "POINTS") && l->dataset < IMAGE)
    return points_read(l);
  if (ig_text_is(from, stop, "CELLS") && l->dataset == UNSTRUCTURED)
    return l->g.cells ? ig_text_fail(&l->t, l->p, "CELLS comes twice") : cells_read(l, "CELLS");
  if (ig_text_is(from, stop, "CELL_TYPES") && l->dataset == UNSTRUCTURED)
    return types_read(l);
  if (ig_text_is(from, stop, "METADATA")) { /* ends with an empty line */
    while (ig_text_line(&l->t) && l->t.line != l->t.line_end)
      ;
    l->p = l->t.line_end;
    return IG_OK;
  }
  if (ig_text_is(from, stop, "FIELD"))
    return field_read(l, *at_points, *in_data, strange);
  /* The number of items must be that of points or cells. */
  if (ig_text_is(from, stop, "CELL_DATA") || ig_text_is(from, stop, "POINT_DATA")) {
    int64_t count;
    IG_TRY(grid_make(l));
    *at_points = ig_text_is(from, stop, "POINT_DATA");
    *in_data = true;
    const int64_t expected = *at_points ? l->g.points : l->g.cells;
    IG_TRY(word_int(l, "data", expected, expected, &count));
    return l->typed ? IG_OK : ig_text_fail(&l->t, from, "data before CELL_TYPES");
  }
  if (*in_data && ig_text_is(from, stop, "SCALARS"))
    return scalars_read(l, *at_points);
  /* Known kinds of attributes; their values are read and mostly dropped. */
  for (size_t i = 0; *in_data && i < sizeof plain / sizeof *plain; i++)
    if (ig_text_is(from, stop, plain[i].name))
      return plain_read(l, plain[i].components, *at_points);
  *strange = *in_data; /* other people's data: the mesh is complete */
  return *in_data
             ? IG_OK
             : ig_text_fail(&l->t, from, "'%.*s': expected a section of %s",
                            (int)(stop - from > 40 ? 40 : stop - from), from, datasets[l->dataset]);
}

static ig_status legacy_read(legacy *l) {
  bool at_points = false, in_data = false, strange = false;
  char *from = NULL, *stop = NULL;
  IG_TRY(header_read(l));
  while (!strange && word(l, &from, &stop))
    IG_TRY(section_read(l, from, stop, &at_points, &in_data, &strange));
  IG_TRY(grid_make(l));
  return l->typed ? IG_OK : end_of_file(l, "the grid: expected POINTS, CELLS and CELL_TYPES");
}

ig_status ig_mesh_read_vtk(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                           ig_mesh **mesh) {
  legacy *l;
  *mesh = NULL;
  IG_TRY(IG_NEW(cx, &l, 1, "VTK reader"));
  l->g.cx = cx;
  l->section = -1;
  for (int d = 0; d < 3; d++)
    l->spacing[d] = 1;
  ig_status status = ig_text_open(cx, path, &l->t);
  if (status == IG_OK) {
    status = legacy_read(l);
    if (status == IG_OK)
      status = ig_vtk_mesh(&l->g, path, options, mesh);
    ig_text_close(&l->t);
  }
  for (int d = 0; d < 3; d++)
    free(l->axis[d]);
  ig_vtk_free(&l->g);
  free(l);
  return status;
}
