/* VTK's XML files of unstructured grids, .vtu and .pvtu: text, base64 or raw, compressed by zlib or
   not. */
#include "core/number.h"
#include "io/store.h"
#include "io/vtk.h"
#include "io/xml.h"
#include "io/zip.h"
#include "mesh/draft.h"
#include "mesh/topology.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
  ig_ctx *cx;
  const char *path;
  char *text, *end;
  const char *appended; /* behind the '_'; NULL: none */
  bool base64, compressed, big;
  int header; /* bytes of a size: 4 or 8 */
  ig_vtk_grid *g;
} vtu;

static ig_status bad(const vtu *v, const char *what) {
  return IG_FAIL(v->cx, IG_INPUT, "%s: %s", v->path, what);
}

/* --- tags */

/* The next tag from p on whose name this is; *stop is its '>'. NULL: none before `end`. */
static const char *tag_find(const char *p, const char *end, const char *name, const char **stop) {
  const size_t length = strlen(name);
  while (p < end && (p = memchr(p, '<', (size_t)(end - p)))) {
    p++;
    if ((size_t)(end - p) > length && strncmp(p, name, length) == 0 &&
        strchr(" \t\r\n/>", p[length])) {
      *stop = memchr(p, '>', (size_t)(end - p));
      return *stop ? p : NULL;
    }
  }
  return NULL;
}

static ig_status count_of(const vtu *v, const char *tag, const char *stop, const char *name,
                          int64_t *count) {
  char text[32], *end;
  if (!ig_xml_attribute(tag, stop, name, text, sizeof text))
    return IG_FAIL(v->cx, IG_INPUT, "%s: <Piece> without %s", v->path, name);
  *count = strtoll(text, &end, 10);
  if (*end || *count < 0 || *count > INT32_MAX)
    return IG_FAIL(v->cx, IG_INPUT, "%s: %s=\"%s\": expected a count", v->path, name, text);
  return IG_OK;
}

/* --- base64 */

static int digit_of(char c) {
  return c >= 'A' && c <= 'Z'   ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+'             ? 62
         : c == '/'             ? 63
                                : -1;
}

/* Decodes up to `most` bytes from *p on, ending with padding or what is no digit; *p moves on. */
static size_t decode(const char **p, const char *end, unsigned char *out, size_t most) {
  size_t made = 0;
  uint32_t bits = 0;
  int held = 0;
  while (made < most && *p < end) {
    const int d = digit_of(**p);
    if (d < 0 && (**p == ' ' || **p == '\n' || **p == '\r' || **p == '\t') && made == 0 &&
        held == 0) {
      ++*p;
      continue;
    }
    if (d < 0)
      break;
    bits = bits << 6 | (uint32_t)d;
    held += 6;
    ++*p;
    if (held >= 8) {
      held -= 8;
      out[made++] = (unsigned char)(bits >> held);
    }
  }
  return made;
}

/* --- bytes of an array */

typedef struct {
  const char *at, *end;
  bool base64;
} source;

static ig_status bytes_take(const vtu *v, source *s, unsigned char *out, size_t count) {
  if (s->base64) {
    if (decode(&s->at, s->end, out, count) != count)
      return bad(v, "an array ends too early (base64)");
    return IG_OK;
  }
  if ((size_t)(s->end - s->at) < count)
    return bad(v, "an array ends too early");
  memcpy(out, s->at, count);
  s->at += count;
  return IG_OK;
}

/* In base64 the sizes may be a stream of their own: padding follows it. */
static void padding_skip(source *s, const char *begin, size_t bytes) {
  if (!s->base64)
    return;
  const char *block = begin + (bytes + 2) / 3 * 4;
  if (block <= s->end && bytes % 3 && block[-1] == '=')
    s->at = block;
}

static uint64_t size_of(const vtu *v, const unsigned char *p) {
  uint64_t n = 0;
  for (int i = 0; i < v->header; i++)
    n = n << 8 | p[v->big ? i : v->header - 1 - i];
  return n;
}

static void spaces_skip(source *s) {
  while (s->base64 && s->at < s->end && strchr(" \t\r\n", *s->at))
    s->at++;
}

static ig_status plain_bytes(const vtu *v, source s, unsigned char *out, size_t size) {
  unsigned char head[8];
  spaces_skip(&s);
  const char *begin = s.at;
  source look = s;
  IG_TRY(bytes_take(v, &look, head, (size_t)v->header));
  if (size_of(v, head) != size)
    return IG_FAIL(v->cx, IG_INPUT, "%s: an array of %" PRIu64 " bytes: expected %zu", v->path,
                   size_of(v, head), size);
  padding_skip(&look, begin, (size_t)v->header);
  if (!s.base64 || look.at == begin + ((size_t)v->header + 2) / 3 * 4)
    return bytes_take(v, &look, out, size);
  unsigned char *all; /* one stream: decoded from its beginning */
  IG_TRY(IG_NEW(v->cx, &all, size + 8, "array"));
  const ig_status status = bytes_take(v, &s, all, size + (size_t)v->header);
  if (status == IG_OK)
    memcpy(out, all + v->header, size);
  free(all);
  return status;
}

/* Blocks: how many, their size, the last one's, the compressed size of each; then the blocks. */
static ig_status compressed_bytes(const vtu *v, source s, unsigned char *out, size_t size) {
  unsigned char head[24], *list = NULL, *compressed = NULL;
  const size_t h = (size_t)v->header;
  spaces_skip(&s);
  const char *begin = s.at;
  source look = s;
  IG_TRY(bytes_take(v, &look, head, 3 * h));
  const uint64_t blocks = size_of(v, head), block = size_of(v, head + h),
                 last = size_of(v, head + 2 * h);
  if (blocks == 0 && size == 0)
    return IG_OK;
  if (blocks == 0 || blocks > size || block > size + (1u << 26) ||
      (last ? (blocks - 1) * block + last : blocks * block) != size)
    return bad(v, "the blocks of a compressed array do not add up");
  ig_status status = IG_NEW(v->cx, &list, (3 + blocks) * h, "array");
  if (status == IG_OK)
    status = bytes_take(v, &s, list, (3 + blocks) * h);
  if (status == IG_OK)
    padding_skip(&s, begin, (3 + blocks) * h);
  uint64_t sum = 0;
  for (uint64_t i = 0; status == IG_OK && i < blocks; i++) {
    sum += size_of(v, list + (3 + i) * h);
    if (sum > (uint64_t)(v->end - v->text))
      status = bad(v, "a compressed array is larger than the file");
  }
  if (status == IG_OK)
    status = IG_NEW(v->cx, &compressed, sum + 1, "array");
  if (status == IG_OK)
    status = bytes_take(v, &s, compressed, sum);
  uint64_t at = 0;
  for (uint64_t i = 0; status == IG_OK && i < blocks; i++) {
    const uint64_t n = size_of(v, list + (3 + i) * h),
                   whole = i + 1 == blocks && last ? last : block;
    if (!ig_decompress(compressed + at, n, out + i * block, whole, false))
      status = bad(v, "a compressed array cannot be decompressed");
    at += n;
  }
  free(list);
  free(compressed);
  return status;
}

/* --- numbers of an array */

static double number_at(const vtu *v, const unsigned char *p, char kind, int size) {
  uint64_t bits = 0;
  for (int i = 0; i < size; i++)
    bits = bits << 8 | p[v->big ? i : size - 1 - i];
  if (kind == 'F' && size == 4) {
    const uint32_t half = (uint32_t)bits;
    float f;
    memcpy(&f, &half, sizeof f);
    return f;
  }
  if (kind == 'F') {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
  }
  const int shift = 64 - 8 * size;
  return kind == 'I' ? (double)((int64_t)(bits << shift) >> shift) : (double)bits;
}

static ig_status kind_of(const vtu *v, const char *tag, const char *stop, char *kind, int *size) {
  char type[16] = "";
  ig_xml_attribute(tag, stop, "type", type, sizeof type);
  const char *digits = type + strcspn(type, "0123456789");
  *size = atoi(digits) / 8;
  *kind = type[0];
  if (!strchr("FIU", *kind) || (*size != 1 && *size != 2 && *size != 4 && *size != 8))
    return IG_FAIL(v->cx, IG_INPUT, "%s: an array of type '%s': expected Int8 to Float64", v->path,
                   type);
  return IG_OK;
}

static ig_status words_read(const vtu *v, const char *p, const char *end, int64_t count,
                            double *out) {
  for (int64_t i = 0; i < count; i++) {
    char *stop;
    while (p < end && strchr(" \t\r\n", *p))
      p++;
    out[i] = ig_decimal_read(p, &stop);
    if (stop == p || stop > end || !isfinite(out[i]))
      return IG_FAIL(v->cx, IG_INPUT, "%s: value %lld of an array is no number", v->path,
                     (long long)i + 1);
    p = stop;
  }
  return IG_OK;
}

/* `count` numbers of the array whose tag this is. */
static ig_status array_read(const vtu *v, const char *tag, const char *stop, int64_t count,
                            double *out) {
  char format[16] = "ascii", text[32];
  ig_xml_attribute(tag, stop, "format", format, sizeof format);
  const char *close = memchr(stop, '<', (size_t)(v->end - stop));
  close = close ? close : v->end;
  if (strcmp(format, "ascii") == 0)
    return words_read(v, stop + 1, close, count, out);
  char kind;
  int size;
  IG_TRY(kind_of(v, tag, stop, &kind, &size));
  source s = {stop + 1, close, true};
  if (strcmp(format, "appended") == 0) {
    char *end;
    if (!v->appended || !ig_xml_attribute(tag, stop, "offset", text, sizeof text))
      return bad(v, "appended data that is not there");
    const unsigned long long offset = strtoull(text, &end, 10);
    if (*end || offset > (unsigned long long)(v->end - v->appended))
      return bad(v, "an array's offset is beyond the file");
    s = (source){v->appended + offset, v->end, v->base64};
  } else if (strcmp(format, "binary") != 0) {
    return IG_FAIL(v->cx, IG_INPUT, "%s: format '%s': expected ascii, binary or appended", v->path,
                   format);
  }
  unsigned char *bytes;
  IG_TRY(IG_NEW(v->cx, &bytes, (size_t)count * (size_t)size + 1, "array"));
  ig_status status = v->compressed ? compressed_bytes(v, s, bytes, (size_t)count * (size_t)size)
                                   : plain_bytes(v, s, bytes, (size_t)count * (size_t)size);
  for (int64_t i = 0; i < count && status == IG_OK; i++)
    out[i] = number_at(v, bytes + i * size, kind, size);
  free(bytes);
  return status;
}

/* The array of a name (NULL: the first) within a section. */
static const char *array_find(const char *from, const char *end, const char *name,
                              const char **stop) {
  for (const char *tag = from; (tag = tag_find(tag, end, "DataArray", stop)); tag = *stop) {
    char its[128];
    if (!name || (ig_xml_attribute(tag, *stop, "Name", its, sizeof its) && strcmp(its, name) == 0))
      return tag;
  }
  return NULL;
}

/* --- pieces */

/* Values that a byte of the file can stand for: zlib makes at most 1032 of one. */
enum { MOST_PER_BYTE = 1100 };

static ig_status whole_read(const vtu *v, const char *from, const char *end, const char *name,
                            int64_t count, int64_t **out) {
  const char *stop, *tag = array_find(from, end, name, &stop);
  double *real = NULL;
  *out = NULL;
  if (!tag)
    return IG_FAIL(v->cx, IG_INPUT, "%s: there is no array '%s' of the cells", v->path, name);
  if (count > (int64_t)(v->end - from) * (v->compressed ? MOST_PER_BYTE : 1))
    return IG_FAIL(v->cx, IG_INPUT,
                   "%s: the array '%s' cannot have %lld values in a file this short", v->path, name,
                   (long long)count);
  ig_status status = IG_NEW(v->cx, &real, count + 1, "array");
  if (status == IG_OK)
    status = IG_NEW(v->cx, out, count + 1, "array");
  if (status == IG_OK)
    status = array_read(v, tag, stop, count, real);
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

/* Single whole numbers on points or cells. */
static ig_status fields_read(vtu *v, const char *from, const char *end, bool at_points,
                             int64_t count) {
  const char *stop;
  for (const char *tag = from; (tag = array_find(tag, end, NULL, &stop)); tag = stop) {
    char name[128] = "", text[16] = "1", kind;
    int size;
    int64_t *value;
    double *real;
    ig_xml_attribute(tag, stop, "NumberOfComponents", text, sizeof text);
    if (!ig_xml_attribute(tag, stop, "Name", name, sizeof name) || atoi(text) > 1 ||
        kind_of(v, tag, stop, &kind, &size) != IG_OK || kind == 'F')
      continue;
    IG_TRY(ig_vtk_field_add(v->g, name, at_points, count, &value));
    if (!value)
      continue;
    IG_TRY(IG_NEW(v->cx, &real, count + 1, "array"));
    const ig_status status = array_read(v, tag, stop, count, real);
    for (int64_t i = 0; i < count && status == IG_OK; i++)
      value[i] = real[i] >= -9e15 && real[i] <= 9e15 ? (int64_t)real[i] : 0;
    free(real);
    IG_TRY(status);
  }
  return IG_OK;
}

/* From <name …> to </name>. */
static bool section_find(const char *from, const char *end, const char *name, const char **begin,
                         const char **stop) {
  char closing[32];
  const char *tag = tag_find(from, end, name, begin), *ignored;
  snprintf(closing, sizeof closing, "/%s", name);
  if (!tag || (*begin)[-1] == '/')
    return false;
  *stop = tag_find(*begin, end, closing, &ignored);
  return *stop != NULL;
}

static ig_status piece_read(vtu *v, const char *from, const char *end, int64_t points,
                            int64_t cells) {
  const char *begin, *stop, *close;
  const int64_t base = v->g->points;
  if (points == 0)
    return IG_OK;
  if (!section_find(from, end, "Points", &begin, &stop) ||
      !(begin = array_find(begin, stop, NULL, &close)))
    return bad(v, "a piece without <Points>");
  if (points > v->end - v->text)
    return bad(v, "more points than this file can hold");
  IG_TRY(ig_vtk_grow(v->g, points, 0, 0));
  IG_TRY(array_read(v, begin, close, 3 * points, v->g->point + 3 * base));
  if (!section_find(from, end, "Cells", &begin, &stop))
    return bad(v, "a piece without <Cells>");
  if (cells > v->end - v->text)
    return bad(v, "more cells than this file can hold");
  IG_TRY(cells_read(v, begin, stop, base, cells));
  if (section_find(from, end, "PointData", &begin, &stop))
    IG_TRY(fields_read(v, begin, stop, true, points));
  if (section_find(from, end, "CellData", &begin, &stop))
    IG_TRY(fields_read(v, begin, stop, false, cells));
  return IG_OK;
}

static ig_status header_read(vtu *v, const char *wanted) {
  char text[64];
  const char *stop, *tag = tag_find(v->text, v->end, "VTKFile", &stop);
  if (!tag || !ig_xml_attribute(tag, stop, "type", text, sizeof text))
    return bad(v, "expected <VTKFile type=…>");
  if (strcmp(text, wanted) != 0)
    return IG_FAIL(v->cx, IG_INPUT, "%s: a file of type %s: expected %s", v->path, text, wanted);
  v->big = ig_xml_attribute(tag, stop, "byte_order", text, sizeof text) &&
           strcmp(text, "BigEndian") == 0;
  v->header =
      ig_xml_attribute(tag, stop, "header_type", text, sizeof text) && strcmp(text, "UInt64") == 0
          ? 8
          : 4;
  v->compressed = ig_xml_attribute(tag, stop, "compressor", text, sizeof text) && text[0];
  if (v->compressed && strcmp(text, "vtkZLibDataCompressor") != 0)
    return IG_FAIL(v->cx, IG_INPUT, "%s: compressed by %s: save it with zlib or not compressed",
                   v->path, text);
  tag = tag_find(stop, v->end, "AppendedData", &stop);
  if (!tag)
    return IG_OK;
  v->base64 =
      ig_xml_attribute(tag, stop, "encoding", text, sizeof text) && strcmp(text, "base64") == 0;
  const char *mark = memchr(stop, '_', (size_t)(v->end - stop));
  v->appended = mark ? mark + 1 : NULL;
  return IG_OK;
}

/* All pieces of one file, behind what the grid has. */
static ig_status file_read(ig_ctx *cx, const char *path, ig_vtk_grid *g, int *pieces) {
  vtu v = {.cx = cx, .path = path, .g = g};
  size_t size;
  IG_TRY(ig_file_read(cx, path, 0, &v.text, &size));
  v.end = v.text + size;
  ig_status status = header_read(&v, "UnstructuredGrid");
  const char *limit = v.appended ? v.appended : v.end, *stop;
  for (const char *tag = v.text; status == IG_OK && (tag = tag_find(tag, limit, "Piece", &stop));
       tag = stop) {
    int64_t points, cells;
    const char *ignored, *close = tag_find(stop, limit, "/Piece", &ignored);
    status = count_of(&v, tag, stop, "NumberOfPoints", &points);
    if (status == IG_OK)
      status = count_of(&v, tag, stop, "NumberOfCells", &cells);
    if (status == IG_OK)
      status = piece_read(&v, stop, close ? close : limit, points, cells);
    ++*pieces;
  }
  free(v.text);
  return status;
}

static ig_status parallel_read(ig_ctx *cx, const char *path, ig_vtk_grid *g, int *pieces) {
  vtu v = {.cx = cx, .path = path};
  size_t size;
  char name[256], full[1024];
  IG_TRY(ig_file_read(cx, path, 0, &v.text, &size));
  v.end = v.text + size;
  ig_status status = header_read(&v, "PUnstructuredGrid");
  const char *slash = strrchr(path, '/'), *stop;
  const int folder = slash ? (int)(slash - path) + 1 : 0;
  for (const char *tag = v.text; status == IG_OK && (tag = tag_find(tag, v.end, "Piece", &stop));
       tag = stop) {
    if (!ig_xml_attribute(tag, stop, "Source", name, sizeof name) || name[0] == '/' ||
        strstr(name, "..") ||
        snprintf(full, sizeof full, "%.*s%s", folder, path, name) >= (int)sizeof full)
      status = bad(&v, "<Piece> needs a Source in this file's folder or below");
    else
      status = file_read(cx, full, g, pieces);
  }
  free(v.text);
  return status;
}

/* Pieces repeat the points they share: those become one. Cells they repeat cannot be told. */
static ig_status pieces_join(ig_ctx *cx, const char *path, ig_mesh *mesh) {
  double low[3], high[3];
  ig_draft draft = {.mesh = mesh};
  ig_mesh_bounds(mesh, low, high);
  const double size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
  IG_TRY(ig_draft_weld(cx, &draft, 1e-9 * size));
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

ig_status ig_mesh_read_vtu(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                           ig_mesh **mesh) {
  ig_vtk_grid *g;
  int pieces = 0;
  const size_t length = strlen(path);
  *mesh = NULL;
  IG_TRY(IG_NEW(cx, &g, 1, "VTK reader"));
  g->cx = cx;
  ig_status status = length > 5 && strcasecmp(path + length - 5, ".pvtu") == 0
                         ? parallel_read(cx, path, g, &pieces)
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
