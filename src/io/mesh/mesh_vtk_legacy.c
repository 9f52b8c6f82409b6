/* Reader of legacy VTK files, text or binary, up to version 5.1. Text and binary differ only in how
   numbers are stored; keywords are text in both. */
#include "io/format/vtk.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* State of the reader. */
typedef struct {
  ig_mesh_text t;
  char *p; /* in the current line */
  bool binary, new_style, typed;
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

/* Offsets must rise from 0 to the number of corners, and corners be valid points. */
static ig_status span_check(legacy *l) {
  ig_vtk_grid *g = &l->g;
  for (int64_t c = 0; c < g->cells; c++)
    if (g->offset[c] > g->offset[c + 1] || g->offset[c] < 0)
      return ig_text_fail(&l->t, l->p, "OFFSETS fall at cell %lld", (long long)c);
  if (g->offset[0] != 0 || g->offset[g->cells] != g->corners)
    return ig_text_fail(&l->t, l->p, "OFFSETS do not span CONNECTIVITY");
  for (int64_t i = 0; i < g->corners; i++)
    if (g->corner[i] < 0 || g->corner[i] >= g->points)
      return ig_text_fail(&l->t, l->p, "%lld in CELLS: expected 0 to %lld", (long long)g->corner[i],
                          (long long)g->points - 1);
  return IG_OK;
}

/* Version 5 and up: arrays OFFSETS and CONNECTIVITY; the count is the number of cells plus 1. */
static ig_status cells_read_new(legacy *l) {
  for (int part = 0; part < 2; part++) {
    char *from = NULL, *stop = NULL;
    int kind;
    const char *name = part ? "CONNECTIVITY" : "OFFSETS";
    IG_TRY(need_word(l, "CELLS", &from, &stop));
    if (!ig_text_is(from, stop, name))
      return ig_text_fail(&l->t, from, "expected %s", name);
    IG_TRY(kind_read(l, name, &kind));
    IG_TRY(numbers_read(l, name, kind, part ? l->g.corners : l->g.cells + 1, NULL,
                        part ? l->g.corner : l->g.offset));
  }
  return span_check(l);
}

/* Older versions: for each cell its number of points, then the points, in one list. */
static ig_status cells_read_old(legacy *l, int64_t cells, int64_t size) {
  enum { INT = 2 };
  int64_t *flat, at = 0, corners = 0;
  IG_TRY(IG_NEW(l->t.cx, &flat, size + 1, "cells"));
  ig_status status = numbers_read(l, "CELLS", INT, size, NULL, flat);
  for (int64_t c = 0; c < cells && status == IG_OK; c++) {
    const int64_t n = at < size ? flat[at] : -1;
    if (n < 0 || n > size - at - 1) {
      status = ig_text_fail(&l->t, l->p, "cell %lld of %lld points does not fit CELLS %lld %lld",
                            (long long)c, (long long)n, (long long)cells, (long long)size);
      break;
    }
    l->g.offset[c] = corners;
    memcpy(l->g.corner + corners, flat + at + 1, (size_t)n * sizeof *flat);
    corners += n;
    at += n + 1;
  }
  free(flat);
  l->g.offset[cells] = l->g.corners = corners;
  return status == IG_OK ? span_check(l) : status;
}

/* Version 5 has offsets and connectivity as arrays, earlier ones a count before each cell. */
static ig_status cells_read(legacy *l) {
  int64_t cells, size;
  IG_TRY(count_read(l, "CELLS", 1, &cells));
  IG_TRY(count_read(l, "CELLS", 1, &size));
  if (l->g.cells || !l->g.points)
    return ig_text_fail(&l->t, l->p, l->g.cells ? "CELLS comes twice" : "CELLS before POINTS");
  if (l->new_style && cells == 0)
    return ig_text_fail(&l->t, l->p, "CELLS 0: expected the number of cells plus 1");
  if (!l->new_style && size < cells)
    return ig_text_fail(&l->t, l->p, "CELLS %lld %lld: expected at least one number per cell",
                        (long long)cells, (long long)size);
  if (l->new_style) {
    IG_TRY(ig_vtk_grow(&l->g, 0, cells - 1, size));
    return cells_read_new(l);
  }
  IG_TRY(ig_vtk_grow(&l->g, 0, cells, size));
  return cells_read_old(l, cells, size);
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

/* Version, title, ASCII or BINARY, and the kind of data set: only unstructured grids are meshes. */
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
  if (!word(l, &from, &stop) || !ig_text_is(from, stop, "UNSTRUCTURED_GRID"))
    return ig_text_fail(t, from, "expected UNSTRUCTURED_GRID");
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
  if (ig_text_is(from, stop, "POINTS"))
    return points_read(l);
  if (ig_text_is(from, stop, "CELLS"))
    return cells_read(l);
  if (ig_text_is(from, stop, "CELL_TYPES"))
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
  return *in_data ? IG_OK
                  : ig_text_fail(&l->t, from, "'%.*s': expected POINTS, CELLS, CELL_TYPES or data",
                                 (int)(stop - from > 40 ? 40 : stop - from), from);
}

static ig_status legacy_read(legacy *l) {
  bool at_points = false, in_data = false, strange = false;
  char *from = NULL, *stop = NULL;
  IG_TRY(header_read(l));
  while (!strange && word(l, &from, &stop))
    IG_TRY(section_read(l, from, stop, &at_points, &in_data, &strange));
  return l->typed ? IG_OK : end_of_file(l, "the grid: expected POINTS, CELLS and CELL_TYPES");
}

ig_status ig_mesh_read_vtk(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                           ig_mesh **mesh) {
  legacy *l;
  *mesh = NULL;
  IG_TRY(IG_NEW(cx, &l, 1, "VTK reader"));
  l->g.cx = cx;
  ig_status status = ig_text_open(cx, path, &l->t);
  if (status == IG_OK) {
    status = legacy_read(l);
    if (status == IG_OK)
      status = ig_vtk_mesh(&l->g, path, options, mesh);
    ig_text_close(&l->t);
  }
  ig_vtk_free(&l->g);
  free(l);
  return status;
}
