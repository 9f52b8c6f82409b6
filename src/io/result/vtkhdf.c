/* Snapshots as VTKHDF files: writing version 1.0, reading 1 and 2 (VTK file formats, "VTKHDF").
   Arrays come from memory, or in pieces from all ranks. */
#include "io/result/vtkhdf.h"
#include "core/image_grid.h"
#include "io/format/h5.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "VTKHDF"

static const char *field_group(ig_location where) {
  return where == IG_AT_POINTS ? ROOT "/PointData" : ROOT "/CellData";
}

/* An array written in pieces. Offsets of cells are not streamed: they follow from the cell
   types. */
typedef struct {
  ig_h5_array array;
  bool offsets;
  int64_t at;
} putting;

/* Offsets follow from the types of cells and are summed on the way, so that they need no array. */
static ig_status rows_put(void *user, const void *rows, int64_t count) {
  putting *p = user;
  enum { PIECE = 4096 };
  int64_t offset[PIECE];
  if (!p->offsets)
    return ig_h5_array_put(&p->array, rows, count);
  for (int64_t i = 0; i < count; i += PIECE) {
    const int64_t n = count - i < PIECE ? count - i : PIECE;
    for (int64_t k = 0; k < n; k++)
      offset[k] = p->at += ig_vtk_corners(((const uint8_t *)rows)[i + k]);
    IG_TRY(ig_h5_array_put(&p->array, offset, n));
  }
  return IG_OK;
}

/* offsets: the stream has types; the first offset is 0. */
static ig_status put_rows(ig_h5 *h5, const ig_snapshot *snap, const char *name, ig_dtype dtype,
                          int64_t count, int components, int array, bool offsets) {
  static const int64_t zero = 0;
  putting p = {.offsets = offsets};
  ig_status status = ig_h5_array_new(h5, name, dtype, count, components, &p.array);
  if (status == IG_OK && offsets)
    status = ig_h5_array_put(&p.array, &zero, 1);
  if (status == IG_OK)
    status = snap->rows->pass(snap->rows->self, array, rows_put, &p);
  if (status == IG_OK)
    status = ig_h5_array_end(&p.array);
  ig_h5_array_close(&p.array);
  return status;
}

/* An array of the snapshot, from memory or streamed. */
static ig_status put(ig_h5 *h5, const ig_snapshot *snap, const char *name, ig_dtype dtype,
                     int64_t count, int components, int array, const void *data) {
  return snap->rows ? put_rows(h5, snap, name, dtype, count, components, array, false)
                    : ig_h5_put(h5, name, dtype, count, components, data);
}

/* Arrays of a regular grid, made as they are written; on ranks nobody is asked for them. */
typedef struct {
  const ig_image_grid *grid;
  ig_grid_array array;
  size_t row;
} making;

static void rows_make(const void *user, size_t begin, size_t bytes, void *to) {
  const making *m = user;
  ig_image_rows(m->grid, m->array, (int64_t)(begin / m->row), (int64_t)(bytes / m->row), to);
}

/* Grids of one run differ in nothing but what is in here, if at all. */
static uint64_t grid_key(const ig_image_grid *g) {
  uint64_t word[9], key = 0;
  memcpy(word, g->nodes, sizeof g->nodes);
  memcpy(word + 3, g->origin, sizeof g->origin);
  memcpy(word + 6, g->spacing, sizeof g->spacing);
  for (int i = 0; i < 9; i++)
    key = ((key ^ word[i]) * 0xd6e8feb86659fd93u) ^ (key >> 32);
  return key;
}

static ig_status put_grid(ig_h5 *h5, const ig_snapshot *snap, const char *name, ig_dtype dtype,
                          int64_t count, int components, ig_grid_array array) {
  const making m = {&snap->image, array, ig_dtype_size(dtype) * (components ? 3 : 1)};
  const ig_made_array made = {rows_make, &m, grid_key(&snap->image)};
  return ig_h5_put_made(h5, name, dtype, count, components, &made);
}

static ig_status write_regular(ig_h5 *h5, const ig_snapshot *snap) {
  IG_TRY(put_grid(h5, snap, ROOT "/Points", IG_F64, snap->points, 3, IG_GRID_POINTS));
  IG_TRY(put_grid(h5, snap, ROOT "/Connectivity", IG_I64, snap->corners, 0, IG_GRID_CORNERS));
  IG_TRY(put_grid(h5, snap, ROOT "/Offsets", IG_I64, snap->cells + 1, 0, IG_GRID_OFFSETS));
  return put_grid(h5, snap, ROOT "/Types", IG_U8, snap->cells, 0, IG_GRID_TYPES);
}

/* The order of arrays is fixed; with streaming it is also the order of requests to the ranks. */
static ig_status write_grid(ig_h5 *h5, const ig_snapshot *snap) {
  static const int64_t version[2] = {1, 0};
  IG_TRY(ig_h5_group(h5, ROOT));
  IG_TRY(ig_h5_put_numbers(h5, ROOT, "Version", IG_I64, 2, version));
  IG_TRY(ig_h5_put_text(h5, ROOT, "Type", "UnstructuredGrid"));
  IG_TRY(ig_h5_put(h5, ROOT "/NumberOfPoints", IG_I64, 1, 0, &snap->points));
  IG_TRY(ig_h5_put(h5, ROOT "/NumberOfCells", IG_I64, 1, 0, &snap->cells));
  IG_TRY(ig_h5_put(h5, ROOT "/NumberOfConnectivityIds", IG_I64, 1, 0, &snap->corners));
  if (snap->regular)
    return write_regular(h5, snap);
  IG_TRY(put(h5, snap, ROOT "/Points", IG_F64, snap->points, 3, IG_STREAM_POINTS, snap->point));
  IG_TRY(put(h5, snap, ROOT "/Connectivity", IG_I64, snap->corners, 0, IG_STREAM_CORNERS,
             snap->corner));
  IG_TRY(snap->rows ? put_rows(h5, snap, ROOT "/Offsets", IG_I64, snap->cells + 1, 0,
                               IG_STREAM_TYPES, true)
                    : ig_h5_put(h5, ROOT "/Offsets", IG_I64, snap->cells + 1, 0, snap->offset));
  return put(h5, snap, ROOT "/Types", IG_U8, snap->cells, 0, IG_STREAM_TYPES, snap->type);
}

/* The unit is an attribute of each array, which other programs ignore. */
static ig_status write_fields(ig_h5 *h5, const ig_snapshot *snap) {
  IG_TRY(ig_h5_group(h5, field_group(IG_AT_POINTS)));
  IG_TRY(ig_h5_group(h5, field_group(IG_AT_CELLS)));
  for (int i = 0; i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    char name[128];
    snprintf(name, sizeof name, "%s/%s", field_group(f->where), f->name);
    IG_TRY(put(h5, snap, name, f->dtype, f->where == IG_AT_POINTS ? snap->points : snap->cells,
               f->components > 1 ? f->components : 0, IG_STREAM_FIELDS + i, f->data));
    IG_TRY(ig_h5_put_text(h5, name, "unit", f->unit));
  }
  IG_TRY(ig_h5_group(h5, ROOT "/FieldData"));
  IG_TRY(ig_h5_put(h5, ROOT "/FieldData/TimeValue", IG_F64, 1, 0, &snap->time));
  IG_TRY(ig_h5_put_text(h5, ROOT "/FieldData/TimeValue", "unit", snap->iterations ? "1" : "s"));
  if (snap->state[0])
    IG_TRY(ig_h5_put_text(h5, ROOT "/FieldData/TimeValue", "state", snap->state));
  return ig_h5_put(h5, ROOT "/FieldData/Step", IG_I64, 1, 0, &snap->step);
}

/* Only the grid is remembered by the compressor: fields change in every snapshot. */
ig_status ig_snapshot_write_next(ig_ctx *cx, const ig_snapshot *snap, const char *path,
                                 ig_compressor *compressor, bool soon) {
  ig_h5 h5;
  ig_status status;
  IG_TRY_GOTO(status, done,
              snap->rows ? ig_h5_create_on_disk(cx, path, &h5) : ig_h5_create(cx, path, &h5));
  h5.compressor = compressor;
  h5.soon = soon;
  compressor->keep = true;
  IG_TRY_GOTO(status, done, write_grid(&h5, snap));
  compressor->keep = false;
  IG_TRY_GOTO(status, done, write_fields(&h5, snap));
  status = ig_h5_save(&h5);
done:
  ig_h5_close(&h5);
  return status;
}

ig_status ig_snapshot_write(ig_ctx *cx, const ig_snapshot *snap, const char *path,
                            int compression) {
  ig_compressor compressor = {.level = compression};
  const ig_status status = ig_snapshot_write_next(cx, snap, path, &compressor, false);
  ig_compress_clear(&compressor);
  return status;
}

/* --- reading: nothing in the file is trusted before it is checked */

static ig_status bad(ig_h5 *h5, const char *what) {
  return IG_FAIL(h5->cx, IG_INPUT, "'%s': %s", h5->path, what);
}

/* Where the last step begins in each array; without steps all are 0. */
typedef struct {
  bool steps;
  int64_t count, part, point, cell, corner;
} place;

/* Reads `count` rows from row `from` on. whole: the array must have exactly these. */
static ig_status read_rows(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t from, int64_t count,
                           int components, bool whole, void *data) {
  if (whole)
    return ig_h5_get(h5, name, dtype, count, components, data);
  ig_h5_shape shape = {0};
  IG_TRY(ig_h5_look(h5, name, &shape));
  if (from < 0 || count < 0 || from > shape.rows || count > shape.rows - from ||
      shape.components != components)
    return IG_FAIL(h5->cx, IG_INPUT,
                   "'%s': '%s' is %" PRId64 " x %d values, expected %" PRId64 " x %d from %" PRId64
                   " on",
                   h5->path, name, shape.rows, shape.components, count, components, from);
  char *all;
  const size_t row = ig_dtype_size(dtype) * (size_t)components;
  IG_TRY(ig_h5_get_new(h5, name, dtype, shape.rows, components, (void **)&all));
  memcpy(data, all + row * (size_t)from, row * (size_t)count);
  free(all);
  return IG_OK;
}

/* Last entry of a list with one number per step. */
static ig_status read_step(ig_h5 *h5, const place *p, const char *name, int64_t *value) {
  return read_rows(h5, name, IG_I64, p->count - 1, 1, 1, false, value);
}

/* Files of several parts per step are refused. */
static ig_status read_place(ig_h5 *h5, place *p) {
  *p = (place){.steps = ig_h5_has(h5, ROOT "/Steps")};
  if (!p->steps)
    return IG_OK;
  ig_h5_shape shape = {0};
  int64_t parts = 1;
  IG_TRY(ig_h5_look(h5, ROOT "/Steps/Values", &shape));
  p->count = shape.rows;
  IG_TRY(read_step(h5, p, ROOT "/Steps/PartOffsets", &p->part));
  if (ig_h5_has(h5, ROOT "/Steps/NumberOfParts"))
    IG_TRY(read_step(h5, p, ROOT "/Steps/NumberOfParts", &parts));
  IG_TRY(read_step(h5, p, ROOT "/Steps/PointOffsets", &p->point));
  IG_TRY(read_step(h5, p, ROOT "/Steps/CellOffsets", &p->cell));
  IG_TRY(read_step(h5, p, ROOT "/Steps/ConnectivityIdOffsets", &p->corner));
  if (parts != 1)
    return bad(h5, "its steps are in several pieces: expected one");
  if (p->part < 0 || p->part > INT64_MAX / 64 || p->cell < 0 || p->cell > INT64_MAX / 64)
    return bad(h5, "a step begins nowhere");
  return IG_OK;
}

/* A size; a file of several pieces has several and is refused. */
static ig_status read_count(ig_h5 *h5, const place *p, const char *name, int64_t *count) {
  IG_TRY(read_rows(h5, name, IG_I64, p->part, 1, 1, !p->steps, count));
  if (*count < 0 || *count > INT64_MAX / 64)
    return IG_FAIL(h5->cx, IG_INPUT, "'%s': '%s' is %" PRId64, h5->path, name, *count);
  return IG_OK;
}

/* Offsets rise, corners are valid points, and cells have as many points as their type requires:
   other code relies on it. Everything that later code uses as an index is checked once, here. */
static ig_status check_grid(ig_h5 *h5, const ig_snapshot *snap) {
  if (snap->offset[0] != 0 || snap->offset[snap->cells] != snap->corners)
    return bad(h5, "the offsets do not span the connectivity");
  for (int64_t c = 0; c < snap->cells; c++)
    if (snap->offset[c] > snap->offset[c + 1])
      return IG_FAIL(h5->cx, IG_INPUT, "'%s': the offset of cell %" PRId64 " falls", h5->path, c);
  for (int64_t i = 0; i < snap->corners; i++)
    if (snap->corner[i] < 0 || snap->corner[i] >= snap->points)
      return IG_FAIL(h5->cx, IG_INPUT,
                     "'%s': connectivity entry %" PRId64 " is point %" PRId64 " of %" PRId64,
                     h5->path, i, snap->corner[i], snap->points);
  static const struct {
    int vtk, nodes;
  } known[] = {
#define X(name, text, dim, nodes, faces, face_nodes, vtk) {vtk, nodes},
      IG_ELEM_LIST(X)
#undef X
  };
  for (int64_t c = 0; c < snap->cells; c++)
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
      if (snap->type[c] == known[k].vtk && snap->offset[c + 1] - snap->offset[c] != known[k].nodes)
        return IG_FAIL(h5->cx, IG_INPUT,
                       "'%s': cell %" PRId64 " has %" PRId64 " points, its type %d", h5->path, c,
                       snap->offset[c + 1] - snap->offset[c], known[k].nodes);
  return IG_OK;
}

/* Sizes of the datasets are checked before memory is allocated. Versions 1 and 2, one part; of a
   file with steps the one that p names. */
static ig_status read_grid(ig_h5 *h5, place *p, ig_snapshot **snap) {
  char type[32];
  int64_t version[2], points, cells, corners;
  if (!ig_h5_has(h5, ROOT))
    return bad(h5, "holds no VTKHDF group");
  IG_TRY(ig_h5_get_numbers(h5, ROOT, "Version", IG_I64, 2, version));
  if (version[0] < 1 || version[0] > 2)
    return IG_FAIL(h5->cx, IG_INPUT, "'%s': VTKHDF version %" PRId64 ".%" PRId64 ", expected 1.0",
                   h5->path, version[0], version[1]);
  /* The first draft of the format had unstructured grids only, and did not say so. */
  snprintf(type, sizeof type, "UnstructuredGrid");
  if (ig_h5_has_attribute(h5, ROOT, "Type"))
    IG_TRY(ig_h5_get_text(h5, ROOT, "Type", type, sizeof type));
  if (strcmp(type, "UnstructuredGrid") != 0)
    return IG_FAIL(h5->cx, IG_INPUT, "'%s': holds '%s', expected 'UnstructuredGrid'", h5->path,
                   type);
  IG_TRY(read_place(h5, p));
  IG_TRY(read_count(h5, p, ROOT "/NumberOfPoints", &points));
  IG_TRY(read_count(h5, p, ROOT "/NumberOfCells", &cells));
  IG_TRY(read_count(h5, p, ROOT "/NumberOfConnectivityIds", &corners));
  /* the sizes are the datasets' own before memory is taken for them */
  const struct {
    const char *name;
    int64_t rows;
    int components;
  } expected[] = {{ROOT "/Points", points, 3},
                  {ROOT "/Connectivity", corners, 1},
                  {ROOT "/Offsets", cells + 1, 1},
                  {ROOT "/Types", cells, 1}};
  /* All arrays are looked at before any memory is taken for them. A file with steps has longer
     ones. */
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    ig_h5_shape shape = {0};
    IG_TRY(ig_h5_look(h5, expected[i].name, &shape));
    if ((p->steps ? shape.rows < expected[i].rows : shape.rows != expected[i].rows) ||
        shape.components != expected[i].components)
      return IG_FAIL(h5->cx, IG_INPUT,
                     "'%s': '%s' is %" PRId64 " x %d values, expected %" PRId64 " x %d", h5->path,
                     expected[i].name, shape.rows, shape.components, expected[i].rows,
                     expected[i].components);
  }
  IG_TRY(ig_snapshot_new(h5->cx, points, cells, corners, 0, 0, snap));
  /* Rows of this step begin at the offsets of its part. */
  const bool whole = !p->steps;
  ig_snapshot *to = *snap;
  IG_TRY(read_rows(h5, ROOT "/Points", IG_F64, p->point, points, 3, whole, to->point));
  IG_TRY(read_rows(h5, ROOT "/Connectivity", IG_I64, p->corner, corners, 1, whole, to->corner));
  IG_TRY(read_rows(h5, ROOT "/Offsets", IG_I64, p->cell + p->part, cells + 1, 1, whole,
                   to->offset)); /* one more than cells in each part */
  IG_TRY(read_rows(h5, ROOT "/Types", IG_U8, p->cell, cells, 1, whole, to->type));
  return check_grid(h5, *snap);
}

/* Where read_field puts a field. */
typedef struct {
  ig_snapshot *snap;
  ig_location where;
  const place *p;
} read_field_to;

/* With steps each field has a list of offsets. */
static ig_status read_field(ig_h5 *h5, const char *name, void *user) {
  const read_field_to *to = user;
  char whole[300], unit[sizeof to->snap->field->unit] = "";
  snprintf(whole, sizeof whole, "%s/%s", field_group(to->where), name);
  ig_h5_shape shape = {0};
  IG_TRY(ig_h5_look(h5, whole, &shape));
  const int64_t rows = to->where == IG_AT_POINTS ? to->snap->points : to->snap->cells;
  int64_t from = 0;
  char offsets[320];
  snprintf(offsets, sizeof offsets, ROOT "/Steps/%sOffsets/%s",
           to->where == IG_AT_POINTS ? "PointData" : "CellData", name);
  if (to->p->steps && ig_h5_has(h5, offsets))
    IG_TRY(read_step(h5, to->p, offsets, &from));
  if ((to->p->steps ? shape.rows < rows : shape.rows != rows) || shape.components > 64 ||
      strlen(name) >= sizeof to->snap->field->name)
    return IG_FAIL(h5->cx, IG_INPUT,
                   "'%s': field '%s' is %" PRId64 " x %d values, expected %" PRId64
                   " x (1 to 64) under a name of less than %zu letters",
                   h5->path, name, shape.rows, shape.components, rows,
                   sizeof to->snap->field->name);
  /* other programs store no unit, or one of another kind */
  if (ig_h5_get_text(h5, whole, "unit", unit, sizeof unit) != IG_OK)
    unit[0] = '\0';
  void *data = NULL;
  IG_TRY(
      ig_snapshot_add(to->snap, name, unit, to->where, shape.dtype, shape.components, NULL, &data));
  return read_rows(h5, whole, shape.dtype, from, rows, shape.components, !to->p->steps, data);
}

/* A file without a time has 0 there. */
static ig_status read_fields(ig_h5 *h5, const place *p, ig_snapshot *snap) {
  static const ig_location places[] = {IG_AT_POINTS, IG_AT_CELLS};
  for (int i = 0; i < 2; i++)
    if (ig_h5_has(h5, field_group(places[i])))
      IG_TRY(
          ig_h5_list(h5, field_group(places[i]), read_field, &(read_field_to){snap, places[i], p}));
  if (ig_h5_has(h5, ROOT "/FieldData/TimeValue"))
    IG_TRY(ig_h5_get(h5, ROOT "/FieldData/TimeValue", IG_F64, 1, 1, &snap->time));
  if (p->steps)
    IG_TRY(read_rows(h5, ROOT "/Steps/Values", IG_F64, p->count - 1, 1, 1, false, &snap->time));
  char unit[8] = "s";
  const char *const values = p->steps ? ROOT "/Steps/Values" : ROOT "/FieldData/TimeValue";
  if (ig_h5_has(h5, values) && ig_h5_get_text(h5, values, "unit", unit, sizeof unit) == IG_OK)
    snap->iterations = strcmp(unit, "1") == 0;
  if (p->steps || !ig_h5_has(h5, values) ||
      ig_h5_get_text(h5, values, "state", snap->state, sizeof snap->state) != IG_OK)
    snap->state[0] = '\0'; /* there is none */
  if (ig_h5_has(h5, ROOT "/FieldData/Step"))
    IG_TRY(ig_h5_get(h5, ROOT "/FieldData/Step", IG_I64, 1, 1, &snap->step));
  return IG_OK;
}

/* A file of another program may lack time, step and units. */
ig_status ig_snapshot_read(ig_ctx *cx, const char *path, ig_snapshot **out) {
  ig_snapshot *snap = NULL;
  ig_h5 h5;
  place p;
  ig_status status;
  *out = NULL;
  IG_TRY_GOTO(status, done, ig_h5_open(cx, path, false, &h5));
  IG_TRY_GOTO(status, done, read_grid(&h5, &p, &snap));
  status = read_fields(&h5, &p, snap);
done:
  ig_h5_close(&h5);
  if (status == IG_OK)
    *out = snap;
  else
    ig_snapshot_free(snap);
  return status;
}
