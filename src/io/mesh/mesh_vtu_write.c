/* Writer of VTK's XML files, .vtu, with raw appended data: compact and exact. */
#include "io/mesh/mesh_io.h"
#include "io/format/atomic_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Header and data are collected in two streams, because offsets of arrays must be in the header. */
typedef struct {
  char *xml, *raw;
  size_t xml_size, raw_size;
  FILE *x, *r;
} writer;

/* Each array: 8 bytes of length, then its bytes. The offset counts from behind the '_'. */
static void array_write(writer *w, const char *type, const char *name, int components,
                        const void *data, size_t bytes) {
  fflush(w->r);
  fprintf(w->x, "<DataArray type=\"%s\" Name=\"", type);
  for (const char *c = name; *c; c++)
    *c == '&' || *c == '<' || *c == '"' ? fputc('_', w->x) : fputc(*c, w->x);
  fprintf(w->x, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%ld\"/>\n", components,
          ftell(w->r));
  const uint64_t size = bytes;
  fwrite(&size, sizeof size, 1, w->r);
  fwrite(data, 1, bytes, w->r);
}

/* All fields of points, or of cells. */
static void fields_write(writer *w, const ig_snapshot *snap, ig_location where) {
  for (int i = 0; i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    static const char *const type[] = {"Float32", "Float64", "Int32", "Int64", "UInt8"};
    const int64_t items = where == IG_AT_POINTS ? snap->points : snap->cells;
    if (f->where == where)
      array_write(w, type[f->dtype], f->name, f->components, f->data,
                  (size_t)items * (size_t)f->components * ig_dtype_size(f->dtype));
  }
}

/* Offsets of cells in VTK are ends, hence offset + 1. The XML has offsets into one block of raw
   data at its end (appended, raw), each array behind its size in 8 bytes. The order of bytes is
   that of this machine, and is named. */
static void grid_write(writer *w, const ig_snapshot *snap) {
  const union {
    uint16_t word;
    unsigned char byte[2];
  } order = {1};
  fprintf(w->x,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
          "byte_order=\"%s\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
          "<Piece NumberOfPoints=\"%" PRId64 "\" NumberOfCells=\"%" PRId64 "\">\n<PointData>\n",
          order.byte[0] ? "LittleEndian" : "BigEndian", (int64_t)snap->points,
          (int64_t)snap->cells);
  fields_write(w, snap, IG_AT_POINTS);
  fprintf(w->x, "</PointData>\n<CellData>\n");
  fields_write(w, snap, IG_AT_CELLS);
  fprintf(w->x, "</CellData>\n<Points>\n");
  array_write(w, "Float64", "Points", 3, snap->point, 3 * (size_t)snap->points * sizeof(double));
  fprintf(w->x, "</Points>\n<Cells>\n");
  array_write(w, "Int64", "connectivity", 1, snap->corner,
              (size_t)snap->corners * sizeof *snap->corner);
  array_write(w, "Int64", "offsets", 1, snap->offset + 1,
              (size_t)snap->cells * sizeof *snap->offset);
  array_write(w, "UInt8", "types", 1, snap->type, (size_t)snap->cells);
  fprintf(w->x, "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

/* Names stand in attributes, so characters that XML escapes are refused. */
ig_status ig_mesh_write_vtu(ig_ctx *cx, const ig_mesh *mesh, const char *path) {
  ig_snapshot *snap;
  for (int s = 0; s < mesh->sets; s++)
    if (ig_name_is_odd(mesh->set[s].name) || strpbrk(mesh->set[s].name, "&<\""))
      return IG_FAIL(cx, IG_INPUT,
                     "set '%s' cannot be written to .vtu: its name has &, <, quotes or control "
                     "characters",
                     mesh->set[s].name);
  IG_TRY(ig_mesh_snapshot(cx, mesh, &snap));
  writer w = {0};
  /* XML and raw data are collected side by side, as the XML has offsets into the data. */
  w.x = open_memstream(&w.xml, &w.xml_size);
  w.r = open_memstream(&w.raw, &w.raw_size);
  ig_status status = w.x && w.r ? IG_OK : IG_FAIL(cx, IG_MEMORY, "no memory to write '%s'", path);
  if (status == IG_OK) {
    static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
    grid_write(&w, snap);
    fflush(w.r);
    fwrite(w.raw, 1, w.raw_size, w.x);
    fwrite(tail, 1, sizeof tail - 1, w.x);
    if (ferror(w.x) || ferror(w.r) || fflush(w.x) != 0)
      status = IG_FAIL(cx, IG_MEMORY, "no memory to write '%s'", path);
  }
  if (w.r)
    fclose(w.r);
  if (w.x)
    fclose(w.x);
  if (status == IG_OK)
    status = ig_store(cx, path, w.xml, w.xml_size);
  free(w.xml);
  free(w.raw);
  ig_snapshot_free(snap);
  return status;
}
