/* Reader of VTK's XML files of unstructured grids, .vtu and .pvtu. A file may have several pieces,
   and a .pvtu refers to several files; their points and cells are appended to one grid. */
#include "io/format/vtk.h"
#include "io/format/vtk_xml.h"
#include "io/format/xml.h"
#include "mesh/mesh_builder.h"
#include "mesh/topology.h"
#include "io/format/atomic_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  ig_vtk_xml x;
  ig_vtk_grid *g;
} vtu;

static ig_status bad(const vtu *v, const char *what) {
  return IG_FAIL(v->x.cx, IG_INPUT, "%s: %s", v->x.path, what);
}

/* A count in an attribute of <Piece>. */
static ig_status count_of(const vtu *v, const char *tag, const char *stop, const char *name,
                          int64_t *count) {
  char text[32], *end;
  if (!ig_xml_attribute(tag, stop, name, text, sizeof text))
    return IG_FAIL(v->x.cx, IG_INPUT, "%s: <Piece> without %s", v->x.path, name);
  *count = strtoll(text, &end, 10);
  if (*end || *count < 0 || *count > INT32_MAX)
    return IG_FAIL(v->x.cx, IG_INPUT, "%s: %s=\"%s\": expected a count", v->x.path, name, text);
  return IG_OK;
}

/* --- pieces */

/* A whole-number array of the cells. The length is checked against the size of the file before
   memory is allocated. An array of whole numbers, of exactly `count`; real ones are converted if
   they are whole. */
static ig_status whole_read(const vtu *v, const char *from, const char *end, const char *name,
                            int64_t count, int64_t **out) {
  const char *stop, *tag = ig_vtk_xml_array(from, end, name, &stop);
  double *real = NULL;
  *out = NULL;
  if (!tag)
    return IG_FAIL(v->x.cx, IG_INPUT, "%s: there is no array '%s' of the cells", v->x.path, name);
  if (count > ig_vtk_xml_most(&v->x))
    return IG_FAIL(v->x.cx, IG_INPUT,
                   "%s: the array '%s' cannot have %lld values in a file this short", v->x.path,
                   name, (long long)count);
  ig_status status = IG_NEW(v->x.cx, &real, count + 1, "array");
  if (status == IG_OK)
    status = IG_NEW(v->x.cx, out, count + 1, "array");
  if (status == IG_OK)
    status = ig_vtk_xml_values(&v->x, tag, stop, count, real);
  /* Doubles have whole numbers up to 9e15. */
  for (int64_t i = 0; i < count && status == IG_OK; i++) {
    if (!(real[i] >= -9e15 && real[i] <= 9e15))
      status = bad(v, "a cell's number is beyond all points");
    else
      (*out)[i] = (int64_t)real[i];
  }
  free(real);
  if (status != IG_OK) {
    free(*out);
    *out = NULL;
  }
  return status;
}

/* base: number of points before this piece; point numbers are shifted by it. VTK's offsets are
   ends: the first cell begins at 0. They must not fall, and corners must be points of this
   piece. */
static ig_status cells_read(vtu *v, const char *from, const char *end, int64_t base,
                            int64_t cells) {
  int64_t *offset = NULL, *corner = NULL, *type = NULL;
  ig_status status = whole_read(v, from, end, "offsets", cells, &offset);
  const int64_t corners = status == IG_OK && cells ? offset[cells - 1] : 0;
  if (status == IG_OK && (corners < 0 || corners > INT32_MAX))
    status = bad(v, "the offsets of the cells are beyond all");
  for (int64_t c = 0; c < cells && status == IG_OK; c++)
    if (offset[c] < (c ? offset[c - 1] : 0))
      status = bad(v, "the offsets of the cells fall");
  if (status == IG_OK)
    status = whole_read(v, from, end, "connectivity", corners, &corner);
  if (status == IG_OK)
    status = whole_read(v, from, end, "types", cells, &type);
  ig_vtk_grid *g = v->g;
  /* Offsets of this piece continue those of the pieces before. */
  const int64_t first = g->cells, begin = g->corners;
  if (status == IG_OK)
    status = ig_vtk_grow(g, 0, cells, corners);
  for (int64_t c = 0; c < cells && status == IG_OK; c++) {
    g->type[first + c] = type[c] >= 0 && type[c] <= 255 ? (uint8_t)type[c] : 0;
    g->offset[first + c + 1] = begin + offset[c];
  }
  for (int64_t i = 0; i < corners && status == IG_OK; i++)
    g->corner[begin + i] = corner[i] < 0 ? -1 : base + corner[i];
  free(offset);
  free(corner);
  free(type);
  return status;
}

/* Fields of single whole numbers on points or cells; others are skipped. Whole numbers of one
   component; others cannot be sets and are passed over. */
static ig_status fields_read(vtu *v, const char *from, const char *end, bool at_points,
                             int64_t count) {
  const char *stop;
  for (const char *tag = from; (tag = ig_vtk_xml_array(tag, end, NULL, &stop)); tag = stop) {
    char name[128] = "", text[16] = "1", kind;
    int size;
    int64_t *value;
    double *real;
    ig_xml_attribute(tag, stop, "NumberOfComponents", text, sizeof text);
    if (!ig_xml_attribute(tag, stop, "Name", name, sizeof name) || atoi(text) > 1 ||
        ig_vtk_xml_kind(&v->x, tag, stop, &kind, &size) != IG_OK || kind == 'F')
      continue;
    IG_TRY(ig_vtk_field_add(v->g, name, at_points, count, &value));
    if (!value)
      continue;
    IG_TRY(IG_NEW(v->x.cx, &real, count + 1, "array"));
    const ig_status status = ig_vtk_xml_values(&v->x, tag, stop, count, real);
    for (int64_t i = 0; i < count && status == IG_OK; i++)
      value[i] = real[i] >= -9e15 && real[i] <= 9e15 ? (int64_t)real[i] : 0;
    free(real);
    IG_TRY(status);
  }
  return IG_OK;
}

/* Points, cells, then fields of one piece. Pieces are appended; base is the number of points before
   this one. Sizes are checked against the length of the file before anything is allocated. */
static ig_status piece_read(vtu *v, const char *from, const char *end, int64_t points,
                            int64_t cells) {
  const char *begin, *stop, *close;
  const int64_t base = v->g->points;
  if (points == 0)
    return IG_OK;
  if (!ig_vtk_xml_section(from, end, "Points", &begin, &stop) ||
      !(begin = ig_vtk_xml_array(begin, stop, NULL, &close)))
    return bad(v, "a piece without <Points>");
  if (points > v->x.end - v->x.text)
    return bad(v, "more points than this file can hold");
  IG_TRY(ig_vtk_grow(v->g, points, 0, 0));
  IG_TRY(ig_vtk_xml_values(&v->x, begin, close, 3 * points, v->g->point + 3 * base));
  if (!ig_vtk_xml_section(from, end, "Cells", &begin, &stop))
    return bad(v, "a piece without <Cells>");
  if (cells > v->x.end - v->x.text)
    return bad(v, "more cells than this file can hold");
  IG_TRY(cells_read(v, begin, stop, base, cells));
  if (ig_vtk_xml_section(from, end, "PointData", &begin, &stop))
    IG_TRY(fields_read(v, begin, stop, true, points));
  if (ig_vtk_xml_section(from, end, "CellData", &begin, &stop))
    IG_TRY(fields_read(v, begin, stop, false, cells));
  return IG_OK;
}

/* Appends all pieces of one file to the grid. */
static ig_status file_read(ig_ctx *cx, const char *path, ig_vtk_grid *g, int *pieces) {
  vtu v = {.g = g};
  ig_status status = ig_vtk_xml_open(cx, path, "UnstructuredGrid", &v.x);
  IG_TRY(status);
  const char *limit = v.x.appended ? v.x.appended : v.x.end, *stop;
  for (const char *tag = v.x.text;
       status == IG_OK && (tag = ig_vtk_xml_tag(tag, limit, "Piece", &stop)); tag = stop) {
    int64_t points, cells;
    const char *ignored, *close = ig_vtk_xml_tag(stop, limit, "/Piece", &ignored);
    status = count_of(&v, tag, stop, "NumberOfPoints", &points);
    if (status == IG_OK)
      status = count_of(&v, tag, stop, "NumberOfCells", &cells);
    if (status == IG_OK)
      status = piece_read(&v, stop, close ? close : limit, points, cells);
    ++*pieces;
  }
  free(v.x.text);
  return status;
}

/* Sources must be in the folder of the .pvtu or below. */
static ig_status parallel_read(ig_ctx *cx, const char *path, ig_vtk_grid *g, int *pieces) {
  vtu v = {.g = NULL};
  char name[256], full[1024];
  ig_status status = ig_vtk_xml_open(cx, path, "PUnstructuredGrid", &v.x);
  IG_TRY(status);
  const char *slash = strrchr(path, '/'), *stop;
  const int folder = slash ? (int)(slash - path) + 1 : 0;
  for (const char *tag = v.x.text;
       status == IG_OK && (tag = ig_vtk_xml_tag(tag, v.x.end, "Piece", &stop)); tag = stop) {
    if (!ig_xml_attribute(tag, stop, "Source", name, sizeof name) || name[0] == '/' ||
        strstr(name, "..") ||
        snprintf(full, sizeof full, "%.*s%s", folder, path, name) >= (int)sizeof full)
      status = bad(&v, "<Piece> needs a Source in this file's folder or below");
    else
      status = file_read(cx, full, g, pieces);
  }
  free(v.x.text);
  return status;
}

/* Pieces repeat the points on their common border: those are welded. Cells that two pieces both
   contain (ghost layers without vtkGhostType) show up as faces with more than two solids and are
   refused. Pieces of a parallel file repeat the points of their borders, which are welded within
   1e-9 of the size. */
static ig_status pieces_join(ig_ctx *cx, const char *path, ig_mesh *mesh) {
  double low[3], high[3];
  ig_mesh_builder draft = {.mesh = mesh};
  ig_mesh_bounds(mesh, low, high);
  const double size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
  IG_TRY(ig_mesh_builder_weld(cx, &draft, 1e-9 * size, NULL));
  ig_adjacency adj;
  IG_TRY(ig_mesh_adjacency(cx, mesh, &adj));
  ig_lid crowded = 0, f = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_elem_info *info = ig_elem_info_get(mesh->block[b].type);
    for (ig_lid i = 0; i < mesh->block[b].count * info->faces; i++, f++)
      crowded += info->dim == 3 && adj.neighbor[f] == IG_JUNCTION;
  }
  ig_adjacency_free(&adj);
  if (crowded)
    return IG_FAIL(cx, IG_INPUT,
                   "%s: its pieces overlap: %d faces of more than two solids; give them "
                   "vtkGhostType, or take one piece",
                   path, crowded);
  return IG_OK;
}

/* ig_vtk_grid is large, so it is allocated. */
ig_status ig_mesh_read_vtu(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                           ig_mesh **mesh) {
  ig_vtk_grid *g;
  int pieces = 0;
  *mesh = NULL;
  IG_TRY(IG_NEW(cx, &g, 1, "VTK reader"));
  g->cx = cx;
  ig_status status = ig_path_ends(path, ".pvtu") ? parallel_read(cx, path, g, &pieces)
                                                 : file_read(cx, path, g, &pieces);
  if (status == IG_OK)
    status = ig_vtk_mesh(g, path, options, mesh);
  if (status == IG_OK && pieces > 1)
    status = pieces_join(cx, path, *mesh);
  if (status != IG_OK) {
    ig_mesh_free(*mesh);
    *mesh = NULL;
  }
  ig_vtk_free(g);
  free(g);
  return status;
}
