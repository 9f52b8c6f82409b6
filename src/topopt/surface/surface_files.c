/* Surfaces as files: STL, 3MF, OBJ, PLY. A file is built in memory and handed to the sink, which
   writes it beside the other results. Files contain no date: equal parts are equal files. */
#include "core/number.h"
#include "core/threads.h"
#include "topopt/surface/outline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *bytes;
  size_t size, capacity;
} buffer;

/* Grows to twice the size needed: the cost per byte stays constant. */
static ig_status room_for(ig_ctx *cx, buffer *b, size_t size) {
  if (b->size + size <= b->capacity)
    return IG_OK;
  const size_t want = 2 * (b->size + size);
  char *more = realloc(b->bytes, want);
  if (!more)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a surface file of %zu bytes", want);
  b->bytes = more;
  b->capacity = want;
  return IG_OK;
}
static ig_status put(ig_ctx *cx, buffer *b, const void *data, size_t size) {
  IG_TRY(room_for(cx, b, size));
  memcpy(b->bytes + b->size, data, size);
  b->size += size;
  return IG_OK;
}

/* Coordinates of a vertex in the file's unit of length. */
static void place(const ig_topopt_part *s, int32_t vertex, double unit, float x[3]) {
  for (int d = 0; d < 3; d++)
    x[d] = (float)((double)s->vertex[vertex][d] / unit);
}

/* Normal and corners of a triangle, and two bytes of attributes: 0. */
enum { STL_RECORD = 50 };
static void stl_record(const ig_topopt_part *s, int64_t t, double unit, char *to) {
  float record[12] = {0};
  for (int i = 0; i < 3; i++)
    place(s, s->triangle[t][i], unit, &record[3 + 3 * i]);
  double n[3], norm = 0;
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    n[d] = (double)(record[6 + e] - record[3 + e]) * (double)(record[9 + f] - record[3 + f]) -
           (double)(record[6 + f] - record[3 + f]) * (double)(record[9 + e] - record[3 + e]);
    norm += n[d] * n[d];
  }
  for (int d = 0; d < 3 && norm > 0; d++)
    record[d] = (float)(n[d] / sqrt(norm));
  memcpy(to, record, sizeof record);
  memset(to + sizeof record, 0, STL_RECORD - sizeof record);
}

/* both binary formats are little-endian, as are the machines Ingot runs on. 80 bytes of text,
   the number of triangles, then 50 bytes each: normal, three corners, two bytes of attributes.
   The text must not begin with "solid", by which readers tell ASCII files. */
static ig_status write_stl(ig_ctx *cx, const ig_topopt_part *s, double unit, buffer *b) {
  char head[80] = {0};
  const uint32_t count = (uint32_t)s->triangles;
  ig_format(head, sizeof head, "binary STL by Ingot, in units of %g m", unit);
  IG_TRY(put(cx, b, head, sizeof head));
  IG_TRY(put(cx, b, &count, 4));
  IG_TRY(room_for(cx, b, STL_RECORD * (size_t)s->triangles));
  char *to = b->bytes + b->size;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, s->triangles, IG_WORK_NODE))
  for (int64_t t = 0; t < s->triangles; t++)
    stl_record(s, t, unit, to + STL_RECORD * t);
  b->size += STL_RECORD * (size_t)s->triangles;
  return IG_OK;
}

/* Numbers of vertices begin with 1. Eight digits keep single precision to about its last bit. */
static ig_status write_obj(ig_ctx *cx, const ig_topopt_part *s, double unit, buffer *b) {
  char line[128];
  for (int32_t v = 0; v < s->vertices; v++) {
    float x[3];
    place(s, v, unit, x);
    IG_TRY(put(cx, b, line,
               (size_t)ig_format(line, sizeof line, "v %.8g %.8g %.8g\n", (double)x[0],
                                 (double)x[1], (double)x[2])));
  }
  for (int64_t t = 0; t < s->triangles; t++)
    IG_TRY(put(cx, b, line,
               (size_t)snprintf(line, sizeof line, "f %d %d %d\n", s->triangle[t][0] + 1,
                                s->triangle[t][1] + 1, s->triangle[t][2] + 1)));
  return IG_OK;
}

/* Greg Turk's format (Stanford, 1994), version 1.0. */
static ig_status write_ply(ig_ctx *cx, const ig_topopt_part *s, double unit, buffer *b) {
  char head[400];
  const int length = ig_format(head, sizeof head,
                               "ply\nformat binary_little_endian 1.0\n"
                               "comment by Ingot, in units of %g m\n"
                               "element vertex %lld\nproperty float x\nproperty float y\n"
                               "property float z\nelement face %lld\n"
                               "property list uchar int vertex_indices\nend_header\n",
                               unit, (long long)s->vertices, (long long)s->triangles);
  IG_TRY(put(cx, b, head, (size_t)length));
  for (int32_t v = 0; v < s->vertices; v++) {
    float x[3];
    place(s, v, unit, x);
    IG_TRY(put(cx, b, x, sizeof x));
  }
  for (int64_t t = 0; t < s->triangles; t++) {
    const unsigned char three = 3;
    IG_TRY(put(cx, b, &three, 1));
    IG_TRY(put(cx, b, s->triangle[t], 12));
  }
  return IG_OK;
}

/* --- 3MF: a zip archive of stored files, the model in millimetres --- */

/* CRC-32 of zip (ISO 3309), with the reflected polynomial. */
static uint32_t crc_of(const void *bytes, size_t size) {
  uint32_t table[256], crc = ~0U;
  const unsigned char *p = bytes;
  for (uint32_t i = 0; i < 256; i++) {
    table[i] = i;
    for (int k = 0; k < 8; k++)
      table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320U : 0);
  }
  for (size_t i = 0; i < size; i++)
    crc = crc >> 8 ^ table[(crc ^ p[i]) & 255];
  return ~crc;
}

/* Little-endian, any number of bytes. */
static size_t number(unsigned char *to, size_t at, int bytes, uint64_t value) {
  for (int i = 0; i < bytes; i++)
    to[at + (size_t)i] = (unsigned char)(value >> 8 * i);
  return at + (size_t)bytes;
}

/* The head of a file in the archive, or its entry in the directory at the end (`central`). */
static ig_status put_entry(ig_ctx *cx, buffer *b, bool central, const char *name, uint32_t crc,
                           size_t size, size_t offset) {
  unsigned char head[46];
  size_t at = number(head, 0, 4, central ? 0x02014b50 : 0x04034b50);
  if (central)
    at = number(head, at, 2, 20); /* made by, needed: version 2.0 */
  at = number(head, at, 2, 20);
  at = number(head, at, 4, 0);        /* flags; stored */
  at = number(head, at, 4, 0x210000); /* 1 January 1980: the same part is the same file */
  at = number(head, at, 4, crc);
  at = number(head, at, 4, size);
  at = number(head, at, 4, size);
  at = number(head, at, 2, strlen(name));
  at = number(head, at, 2, 0);
  if (central) {
    at = number(head, at, 8, 0); /* comment 2, disk 2, attributes 2, half of the next */
    at = number(head, at, 2, 0);
    at = number(head, at, 4, offset);
  }
  IG_TRY(put(cx, b, head, at));
  return put(cx, b, name, strlen(name));
}

/* Core specification 1 of the 3MF Consortium: a mesh in one object, one item to build. */
static ig_status put_model(ig_ctx *cx, const ig_topopt_part *s, buffer *b) {
  char line[160];
  const char *const head =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model unit=\"millimeter\" xml:lang=\"en-US\" "
      "xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\">\n<metadata "
      "name=\"Application\">Ingot</metadata>\n<resources><object id=\"1\" "
      "type=\"model\"><mesh>\n<vertices>\n";
  const char *const tail = "</triangles></mesh></object></resources>\n<build><item "
                           "objectid=\"1\"/></build></model>\n";
  IG_TRY(put(cx, b, head, strlen(head)));
  for (int64_t v = 0; v < s->vertices; v++)
    IG_TRY(put(cx, b, line,
               (size_t)ig_format(line, sizeof line, "<vertex x=\"%.8g\" y=\"%.8g\" z=\"%.8g\"/>\n",
                                 1e3 * (double)s->vertex[v][0], 1e3 * (double)s->vertex[v][1],
                                 1e3 * (double)s->vertex[v][2])));
  IG_TRY(put(cx, b, "</vertices><triangles>\n", 23));
  for (int64_t t = 0; t < s->triangles; t++)
    IG_TRY(put(cx, b, line,
               (size_t)snprintf(line, sizeof line, "<triangle v1=\"%d\" v2=\"%d\" v3=\"%d\"/>\n",
                                s->triangle[t][0], s->triangle[t][1], s->triangle[t][2])));
  return put(cx, b, tail, strlen(tail));
}

/* The file names its unit: `unit` is not needed. Open Packaging Conventions: content types,
   relationships, the model; stored without compression. Without the zip64 extension sizes end at
   4 GB. */
static ig_status write_3mf(ig_ctx *cx, const ig_topopt_part *s, double unit, buffer *b) {
  (void)unit;
  enum { FILES = 3 };
  static const char *const name[FILES] = {"[Content_Types].xml", "_rels/.rels", "3D/3dmodel.model"};
  static const char *const text[FILES] = {
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Types "
      "xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default "
      "Extension=\"rels\" "
      "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default "
      "Extension=\"model\" "
      "ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/></Types>\n",
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Relationships "
      "xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship "
      "Target=\"/3D/3dmodel.model\" Id=\"rel0\" "
      "Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>\n",
      NULL};
  buffer model = {0};
  uint32_t crc[FILES];
  size_t offset[FILES + 1], size[FILES];
  ig_status status = put_model(cx, s, &model);
  if (status == IG_OK && model.size > UINT32_MAX - 4096)
    status = IG_FAIL(cx, IG_UNSUPPORTED, "a 3MF file of more than 4 GB: write stl or ply instead");
  for (int i = 0; i < FILES && status == IG_OK; i++) {
    const void *bytes = text[i] ? (const void *)text[i] : model.bytes;
    offset[i] = b->size;
    size[i] = text[i] ? strlen(text[i]) : model.size;
    crc[i] = crc_of(bytes, size[i]);
    status = put_entry(cx, b, false, name[i], crc[i], size[i], 0);
    if (status == IG_OK)
      status = put(cx, b, bytes, size[i]);
  }
  free(model.bytes);
  offset[FILES] = b->size;
  for (int i = 0; i < FILES && status == IG_OK; i++)
    status = put_entry(cx, b, true, name[i], crc[i], size[i], offset[i]);
  unsigned char end[22];
  size_t at = number(end, 0, 4, 0x06054b50);
  at = number(end, at, 4, 0); /* disks */
  at = number(end, at, 2, FILES);
  at = number(end, at, 2, FILES);
  at = number(end, at, 4, b->size - offset[FILES]);
  at = number(end, at, 4, offset[FILES]);
  at = number(end, at, 2, 0);
  IG_TRY(status);
  return put(cx, b, end, at);
}

static const struct {
  const char *name;
  ig_status (*write)(ig_ctx *, const ig_topopt_part *, double unit, buffer *);
} writers[] = {{"stl", write_stl}, {"obj", write_obj}, {"ply", write_ply}, {"3mf", write_3mf}};
enum { WRITERS = sizeof writers / sizeof *writers };

/* At the start of a run: a format that cannot be written is found before hours of computing. */
ig_status ig_topopt_part_formats_check(ig_ctx *cx, const ig_surface_case *c) {
  for (int i = 0; i < c->formats.count; i++) {
    int w = 0;
    while (w < WRITERS && strcmp(c->formats.value[i], writers[w].name) != 0)
      w++;
    if (w == WRITERS && !ig_topopt_outline_knows(c->formats.value[i]))
      return ig_fail_at(cx, &c->at,
                        "surface.formats: '%.40s' is none: expected stl, 3mf, obj or ply; of plane "
                        "problems svg or dxf",
                        c->formats.value[i]);
  }
  return IG_OK;
}

/* "part." and the format is the name of the file. */
ig_status ig_topopt_part_write(ig_ctx *cx, const ig_topopt_part *surface, const char *format,
                               double unit, ig_sink *sink) {
  for (int w = 0; w < WRITERS; w++)
    if (strcmp(format, writers[w].name) == 0) {
      buffer b = {0};
      char name[16];
      snprintf(name, sizeof name, "part.%s", format);
      ig_status status = writers[w].write(cx, surface, unit, &b);
      if (status == IG_OK)
        status = sink->file(sink, name, b.bytes, b.size);
      free(b.bytes);
      return status;
    }
  return IG_FAIL(cx, IG_INPUT, "surface: '%s' is no format: expected stl, 3mf, obj or ply", format);
}
