/* Reader of XDMF meshes (.xdmf, .xmf; versions 2 and 3): XML that describes one unstructured grid,
   whose numbers stand in the file itself or in an HDF5 file beside it. Whole numbers on cells
   become element sets, as those of VTK's files do. */
#include "io/format/atomic_file.h"
#include "io/format/h5.h"
#include "io/format/vtk.h"
#include "io/format/vtk_xml.h"
#include "io/format/xml.h"
#include "core/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Types of cells: XDMF's names and its code in mixed topologies, VTK's code, nodes (0: the file
   says how many). The order of nodes is VTK's. */
static const struct {
  const char *name, *other;
  int code, vtk, nodes;
} kinds[] = {{"Polyvertex", "Polyvertex", 1, 1, 0},
             {"Polyline", "Polyline", 2, 3, 0},
             {"Triangle", "Tri", 4, 5, 3},
             {"Quadrilateral", "Quad", 5, 9, 4},
             {"Tetrahedron", "Tet", 6, 10, 4},
             {"Pyramid", "Pyramid", 7, 14, 5},
             {"Wedge", "Wedge", 8, 13, 6},
             {"Hexahedron", "Hex", 9, 12, 8},
             {"Edge_3", "Edge_3", 34, 21, 3},
             {"Quadrilateral_9", "Quad_9", 35, 28, 9},
             {"Triangle_6", "Tri_6", 36, 22, 6},
             {"Quadrilateral_8", "Quad_8", 37, 23, 8},
             {"Tetrahedron_10", "Tet_10", 38, 24, 10},
             {"Pyramid_13", "Pyramid_13", 39, 27, 13},
             {"Wedge_15", "Wedge_15", 40, 26, 15},
             {"Wedge_18", "Wedge_18", 41, 32, 18},
             {"Hexahedron_20", "Hex_20", 48, 25, 20},
             {"Hexahedron_27", "Hex_27", 50, 29, 27}};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct {
  ig_ctx *cx;
  const char *path;
  char *text, *end;
  ig_vtk_grid *g;
} xdmf;

/* A part of the file: its tag up to `stop`, its content from there to `end`. */
typedef struct {
  const char *tag, *stop, *end;
} part;

static ig_status bad(const xdmf *x, const char *what) {
  return IG_FAIL(x->cx, IG_INPUT, "%s: %s", x->path, what);
}

/* The next part of the name between two places; false: there is none. */
static bool part_find(const char *from, const char *end, const char *name, part *p) {
  char close[40];
  const char *behind;
  p->tag = ig_vtk_xml_tag(from, end, name, &p->stop);
  if (!p->tag)
    return false;
  ig_format(close, sizeof close, "/%s", name);
  const char *closing = p->stop[-1] == '/' ? NULL : ig_vtk_xml_tag(p->stop, end, close, &behind);
  p->end = p->stop[-1] == '/' ? p->stop : closing ? closing - 1 : end;
  return true;
}

/* An attribute by either of its names; "" if it has neither. */
static void attribute(const part *p, const char *name, const char *other, char *value,
                      size_t size) {
  value[0] = '\0';
  if (!ig_xml_attribute(p->tag, p->stop, name, value, size))
    (void)ig_xml_attribute(p->tag, p->stop, other, value, size);
}

/* --- numbers */

/* Numbers between the tags. */
static ig_status inline_read(const xdmf *x, const part *p, double **value, int64_t *count) {
  const char *at = p->stop + 1;
  int64_t most = (p->end - at) / 2 + 1; /* each has a digit and a blank */
  *count = 0;
  IG_TRY(IG_NEW(x->cx, value, most + 1, "numbers"));
  for (;;) {
    char *stop;
    while (at < p->end && strchr(" \t\r\n", *at))
      at++;
    if (at >= p->end)
      return IG_OK;
    const double v = ig_decimal_read(at, &stop);
    if (stop == at || stop > p->end || *count > most)
      return bad(x, "a <DataItem> holds what is no number");
    (*value)[(*count)++] = v;
    at = stop;
  }
}

/* A dataset of an HDF5 file, "name.h5:/path", in the folder of this file or below. */
static ig_status dataset_read(const xdmf *x, const part *p, double **value, int64_t *count) {
  const char *from = p->stop + 1, *slash = strrchr(x->path, '/');
  const char *to = p->end;
  const int folder = slash ? (int)(slash - x->path) + 1 : 0;
  char name[512], full[1024];
  while (from < to && strchr(" \t\r\n", *from))
    from++;
  while (to > from && strchr(" \t\r\n", to[-1]))
    to--;
  ig_format(name, sizeof name, "%.*s", (int)(to - from < 511 ? to - from : 511), from);
  char *colon = strchr(name, ':');
  if (!colon || colon == name)
    return bad(x, "a <DataItem> of Format=\"HDF\" needs FILE:/DATASET");
  *colon = '\0';
  if (name[0] == '/' || strstr(name, "..") ||
      ig_format(full, sizeof full, "%.*s%s", folder, x->path, name) >= (int)sizeof full)
    return IG_FAIL(
        x->cx, IG_INPUT,
        "%s: '%.100s' is not in this file's folder: the HDF5 file must be there or below", x->path,
        name);
  ig_h5 h5;
  ig_h5_shape shape = {0};
  ig_status status = ig_h5_open(x->cx, full, false, &h5);
  if (status == IG_OK)
    status = ig_h5_look(&h5, colon + 1, &shape);
  *count = shape.rows * shape.components;
  const bool real = shape.dtype == IG_F32 || shape.dtype == IG_F64;
  int64_t *number = NULL;
  if (status == IG_OK)
    status = ig_h5_get_new(&h5, colon + 1, real ? IG_F64 : IG_I64, shape.rows, shape.components,
                           real ? (void **)value : (void **)&number);
  if (status == IG_OK && !real)
    status = IG_NEW(x->cx, value, *count + 1, "numbers");
  for (int64_t i = 0; status == IG_OK && !real && i < *count; i++)
    (*value)[i] = (double)number[i];
  free(number);
  ig_h5_close(&h5);
  return status;
}

/* The numbers of the first <DataItem> of a part; freed by the caller, after a failure too. */
static ig_status item_read(const xdmf *x, const part *of, double **value, int64_t *count,
                           bool *whole) {
  part p;
  char format[32], kind[32], type[32], size[128], *at = size;
  int64_t wanted = 1;
  *value = NULL;
  if (!part_find(of->stop, of->end, "DataItem", &p))
    return bad(x, "a part of the grid has no <DataItem>");
  attribute(&p, "Format", "Format", format, sizeof format);
  attribute(&p, "ItemType", "ItemType", kind, sizeof kind);
  attribute(&p, "NumberType", "DataType", type, sizeof type);
  attribute(&p, "Dimensions", "Dimensions", size, sizeof size);
  static const char *const whole_kinds[] = {"Int", "UInt", "Char", "UChar", "Short", "Long"};
  *whole = false;
  for (size_t k = 0; k < sizeof whole_kinds / sizeof *whole_kinds; k++)
    *whole |= strcasecmp(type, whole_kinds[k]) == 0;
  if (*kind && strcasecmp(kind, "Uniform") != 0)
    return IG_FAIL(x->cx, IG_INPUT,
                   "%s: a <DataItem> of ItemType=\"%s\" is not read: write the values themselves",
                   x->path, kind);
  if (ig_xml_attribute(p.tag, p.stop, "Reference", kind, sizeof kind))
    return bad(x, "a <DataItem> that refers to another one is not read");
  if (!*format || strcasecmp(format, "XML") == 0)
    IG_TRY(inline_read(x, &p, value, count));
  else if (strcasecmp(format, "HDF") == 0 || strcasecmp(format, "HDF5") == 0)
    IG_TRY(dataset_read(x, &p, value, count));
  else
    return IG_FAIL(x->cx, IG_INPUT, "%s: a <DataItem> of Format=\"%s\": expected XML or HDF",
                   x->path, format);
  for (int k = 0; *at && k < 8; k++) {
    char *stop;
    const long long n = strtoll(at, &stop, 10);
    if (stop == at || n < 0 || n > INT32_MAX)
      break;
    wanted = wanted <= INT64_MAX / (n ? n : 1) ? wanted * n : INT64_MAX;
    at = stop + strspn(stop, " ");
  }
  if (*size && (*at || wanted != *count))
    return IG_FAIL(x->cx, IG_INPUT, "%s: Dimensions=\"%s\" of a <DataItem> with %lld values",
                   x->path, size, (long long)*count);
  return IG_OK;
}

/* --- geometry and topology */

static ig_status geometry_read(const xdmf *x, const part *p) {
  char type[32];
  double *value = NULL;
  int64_t count = 0;
  bool whole;
  attribute(p, "GeometryType", "Type", type, sizeof type);
  const int dim = !*type || strcasecmp(type, "XYZ") == 0 ? 3 : strcasecmp(type, "XY") == 0 ? 2 : 0;
  if (!dim)
    return IG_FAIL(x->cx, IG_INPUT,
                   "%s: a geometry of type %s is not read: expected points, XYZ or XY", x->path,
                   type);
  ig_status status = item_read(x, p, &value, &count, &whole);
  if (status == IG_OK && count % dim != 0)
    status = bad(x, "the coordinates are no whole number of points");
  if (status == IG_OK)
    status = ig_vtk_grow(x->g, count / dim, 0, 0);
  for (int64_t i = 0; status == IG_OK && i < count; i++)
    x->g->point[3 * (i / dim) + i % dim] = value[i];
  free(value);
  return status;
}

/* The number of a point; -1 if it is none, which is refused later. */
static int64_t corner_of(double value) {
  return value >= 0 && value < 2147483648.0 && floor(value) == value ? (int64_t)value : -1;
}

/* Appends a cell. */
static void cell_add(ig_vtk_grid *g, int64_t *cell, int64_t *corner, int vtk, const double *node,
                     int64_t nodes) {
  for (int64_t a = 0; a < nodes; a++)
    g->corner[(*corner)++] = corner_of(node[a]);
  g->type[*cell] = (uint8_t)vtk;
  g->offset[++*cell] = *corner;
}

/* Cells of one mixture: a code, for points and lines the number of nodes, the nodes. With fill
   false they are counted. */
static ig_status mixed_read(const xdmf *x, const double *value, int64_t count, bool fill,
                            int64_t *cells, int64_t *corners) {
  *cells = *corners = 0;
  for (int64_t i = 0; i < count;) {
    int k = 0;
    while (k < KINDS && kinds[k].code != corner_of(value[i]))
      k++;
    if (k == KINDS)
      return IG_FAIL(x->cx, IG_INPUT, "%s: cell %lld is of type %g, which is not read", x->path,
                     (long long)*cells, value[i]);
    i++;
    const bool said = kinds[k].nodes == 0;
    const int64_t nodes = !said ? kinds[k].nodes : i < count ? corner_of(value[i++]) : -1;
    if (nodes < 1 || nodes > count - i || (said && nodes > 2))
      return IG_FAIL(x->cx, IG_INPUT, "%s: cell %lld has %lld nodes", x->path, (long long)*cells,
                     (long long)nodes);
    if (fill) {
      cell_add(x->g, cells, corners, kinds[k].vtk, value + i, nodes);
    } else {
      ++*cells;
      *corners += nodes;
    }
    i += nodes;
  }
  return IG_OK;
}

/* Cells of one type. */
static ig_status uniform_read(const xdmf *x, const part *p, const char *type, const double *value,
                              int64_t count) {
  char text[32];
  int k = 0;
  while (k < KINDS && strcasecmp(type, kinds[k].name) != 0 && strcasecmp(type, kinds[k].other) != 0)
    k++;
  if (k == KINDS)
    return IG_FAIL(x->cx, IG_INPUT,
                   "%s: a topology of type %s is not read: expected cells with nodes", x->path,
                   *type ? type : "''");
  attribute(p, "NodesPerElement", "NodesPerElement", text, sizeof text);
  const int64_t nodes = kinds[k].nodes      ? kinds[k].nodes
                        : *text             ? atoi(text)
                        : kinds[k].vtk == 1 ? 1
                                            : 2;
  if (nodes < 1 || (kinds[k].nodes == 0 && nodes != (kinds[k].vtk == 1 ? 1 : 2)) || count % nodes)
    return IG_FAIL(x->cx, IG_INPUT, "%s: %lld numbers are no cells of type %s", x->path,
                   (long long)count, type);
  int64_t cell = 0, corner = 0;
  IG_TRY(ig_vtk_grow(x->g, 0, count / nodes, count));
  while (corner < count)
    cell_add(x->g, &cell, &corner, kinds[k].vtk, value + corner, nodes);
  return IG_OK;
}

static ig_status topology_read(const xdmf *x, const part *p) {
  char type[40], most[32];
  double *value = NULL;
  int64_t count = 0, cells, corners;
  bool whole;
  attribute(p, "TopologyType", "Type", type, sizeof type);
  ig_status status = item_read(x, p, &value, &count, &whole);
  if (status == IG_OK && strcasecmp(type, "Mixed") == 0) {
    status = mixed_read(x, value, count, false, &cells, &corners);
    if (status == IG_OK)
      status = ig_vtk_grow(x->g, 0, cells, corners);
    if (status == IG_OK)
      status = mixed_read(x, value, count, true, &cells, &corners);
  } else if (status == IG_OK) {
    status = uniform_read(x, p, type, value, count);
  }
  attribute(p, "NumberOfElements", "Dimensions", most, sizeof most);
  if (status == IG_OK && *most && !strchr(most, ' ') && strtoll(most, NULL, 10) != x->g->cells)
    status = IG_FAIL(x->cx, IG_INPUT, "%s: %s cells are announced, there are %lld", x->path, most,
                     (long long)x->g->cells);
  free(value);
  return status;
}

/* Single whole numbers on cells or points; all else is passed over. */
static ig_status fields_read(const xdmf *x, const part *grid) {
  part p;
  for (const char *from = grid->stop; part_find(from, grid->end, "Attribute", &p); from = p.end) {
    char name[64], center[16], type[16];
    double *value = NULL;
    int64_t count = 0, *into;
    bool whole;
    attribute(&p, "Name", "Name", name, sizeof name);
    attribute(&p, "Center", "Center", center, sizeof center);
    attribute(&p, "AttributeType", "Type", type, sizeof type);
    const bool cells = strcasecmp(center, "Cell") == 0;
    const int64_t items = cells ? x->g->cells : x->g->points;
    if (!*name || (!cells && *center && strcasecmp(center, "Node") != 0) ||
        (*type && strcasecmp(type, "Scalar") != 0))
      continue;
    ig_status status = item_read(x, &p, &value, &count, &whole);
    if (status == IG_OK && whole && count == items) {
      status = ig_vtk_field_add(x->g, name, !cells, count, &into);
      for (int64_t i = 0; status == IG_OK && into && i < count; i++)
        into[i] = fabs(value[i]) < 9e15 ? (int64_t)value[i] : 0;
    }
    free(value);
    IG_TRY(status);
  }
  return IG_OK;
}

/* The first grid that has cells. Grids of later times are passed over. */
static ig_status grid_read(const xdmf *x) {
  part grid, geometry, topology;
  char kind[32];
  for (const char *from = x->text; part_find(from, x->end, "Grid", &grid); from = grid.stop) {
    attribute(&grid, "CollectionType", "CollectionType", kind, sizeof kind);
    if (strcasecmp(kind, "Spatial") == 0)
      return bad(x, "a collection of grids in space is not read: save it as one grid");
    attribute(&grid, "GridType", "Type", kind, sizeof kind);
    if (*kind && strcasecmp(kind, "Uniform") != 0)
      continue;
    if (!part_find(grid.stop, grid.end, "Geometry", &geometry) ||
        !part_find(grid.stop, grid.end, "Topology", &topology))
      continue;
    IG_TRY(geometry_read(x, &geometry));
    IG_TRY(topology_read(x, &topology));
    return fields_read(x, &grid);
  }
  return bad(x, "there is no <Grid> with its own <Geometry> and <Topology>");
}

/* ig_vtk_grid is large, so it is allocated. */
ig_status ig_mesh_read_xdmf(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                            ig_mesh **mesh) {
  xdmf x = {.cx = cx, .path = path};
  size_t size = 0;
  ig_status status;
  *mesh = NULL;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &x.g, 1, "XDMF reader"));
  x.g->cx = cx;
  IG_TRY_GOTO(status, done, ig_file_read(cx, path, 0, &x.text, &size));
  x.end = x.text + size;
  const char *stop;
  if (!ig_vtk_xml_tag(x.text, x.end, "Xdmf", &stop)) {
    status = bad(&x, "this is no XDMF file: <Xdmf> is missing");
    goto done;
  }
  IG_TRY_GOTO(status, done, grid_read(&x));
  status = ig_vtk_mesh(x.g, path, options, mesh);
done:
  free(x.text);
  if (x.g)
    ig_vtk_free(x.g);
  free(x.g);
  return status;
}
