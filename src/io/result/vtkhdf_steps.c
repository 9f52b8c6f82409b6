/* Several snapshots as one VTKHDF 2 file: each array has the data of all steps one behind the
   other, and "Steps" gives for each step where its part begins. What does not change from one step
   to the next is stored once. */
#include "io/format/h5.h"
#include "io/result/vtkhdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "VTKHDF"
#define STEPS ROOT "/Steps"

/* number: work array with an entry per step. */
typedef struct {
  ig_ctx *cx;
  const ig_snapshot *const *snap;
  int count;
  int64_t *number; /* count entries, for what is written next */
} steps;

/* The data of one array in one snapshot; *rows: its length. */
typedef const void *part_of(const ig_snapshot *snap, const void *user, int64_t *rows);

/* Writes an array and leaves in s->number where each step's part begins (rows). own (may be NULL):
   steps whose part is stored; others use the one before. NULL: parts are compared. An array that is
   the same as that of the step before is stored once: the offset of both is the same (VTKHDF 2,
   Steps). */
static ig_status array_put(steps *s, ig_h5 *h5, const char *name, ig_dtype dtype, int components,
                           part_of *part, const void *user, const bool *own) {
  const size_t row = ig_dtype_size(dtype) * (size_t)(components ? components : 1);
  int64_t total = 0, rows = 0, former_rows = -1;
  const void *former = NULL;
  /* First where each step begins, then one array of all that differ. */
  for (int i = 0; i < s->count; i++) {
    const void *data = part(s->snap[i], user, &rows);
    const bool same =
        own ? !own[i]
            : former && rows == former_rows && memcmp(former, data, row * (size_t)rows) == 0;
    s->number[i] = same ? s->number[i - 1] : total;
    total += same ? 0 : rows;
    former = data;
    former_rows = rows;
  }
  char *all;
  IG_TRY(ig_alloc(s->cx, (void **)&all, (size_t)total, row, "the steps of a file"));
  /* Steps with the same offset as the one before share its rows. */
  for (int i = 0; i < s->count; i++)
    if (i == 0 || s->number[i] != s->number[i - 1]) {
      const void *data = part(s->snap[i], user, &rows);
      if (rows)
        memcpy(all + row * (size_t)s->number[i], data, row * (size_t)rows);
    }
  const ig_status status = ig_h5_put(h5, name, dtype, total, components, all);
  free(all);
  return status;
}

/* The parts of a snapshot that array_put joins: data and number of rows, nothing copied. */
static const void *points_part(const ig_snapshot *snap, const void *user, int64_t *rows) {
  (void)user;
  *rows = snap->points;
  return snap->point;
}
static const void *corners_part(const ig_snapshot *snap, const void *user, int64_t *rows) {
  (void)user;
  *rows = snap->corners;
  return snap->corner;
}
static const void *offsets_part(const ig_snapshot *snap, const void *user, int64_t *rows) {
  (void)user;
  *rows = snap->cells + 1;
  return snap->offset;
}
static const void *types_part(const ig_snapshot *snap, const void *user, int64_t *rows) {
  (void)user;
  *rows = snap->cells;
  return snap->type;
}
/* NULL: this snapshot lacks the field. */
static const void *field_part(const ig_snapshot *snap, const void *user, int64_t *rows) {
  const ig_field *like = user;
  *rows = like->where == IG_AT_POINTS ? snap->points : snap->cells;
  for (int i = 0; i < snap->fields; i++)
    if (snap->field[i].where == like->where && strcmp(snap->field[i].name, like->name) == 0)
      return snap->field[i].data;
  return NULL;
}

/* Compared by bytes: any difference means another grid. */
static bool grid_same(const ig_snapshot *a, const ig_snapshot *b) {
  return a->points == b->points && a->cells == b->cells && a->corners == b->corners &&
         memcmp(a->point, b->point, 24 * (size_t)a->points) == 0 &&
         memcmp(a->corner, b->corner, 8 * (size_t)a->corners) == 0 &&
         memcmp(a->offset, b->offset, 8 * (size_t)(a->cells + 1)) == 0 &&
         memcmp(a->type, b->type, (size_t)a->cells) == 0;
}

static ig_status numbers_put(steps *s, ig_h5 *h5, const char *name) {
  return ig_h5_put(h5, name, IG_I64, s->count, 0, s->number);
}

/* Writes the different grids and which one each step uses. own[i]: the grid of step i differs from
   the one before it. */
static ig_status grids_put(steps *s, ig_h5 *h5, const bool *own) {
  static const char *const sizes[] = {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"};
  char name[64];
  for (int k = 0; k < 3; k++) {
    int64_t parts = 0;
    /* One entry for each grid that differs from the one before. */
    for (int i = 0; i < s->count; i++)
      if (own[i])
        s->number[parts++] = k == 0   ? s->snap[i]->points
                             : k == 1 ? s->snap[i]->cells
                                      : s->snap[i]->corners;
    snprintf(name, sizeof name, ROOT "/%s", sizes[k]);
    IG_TRY(ig_h5_put(h5, name, IG_I64, parts, 0, s->number));
  }
  IG_TRY(array_put(s, h5, ROOT "/Points", IG_F64, 3, points_part, NULL, own));
  IG_TRY(numbers_put(s, h5, STEPS "/PointOffsets"));
  IG_TRY(array_put(s, h5, ROOT "/Connectivity", IG_I64, 0, corners_part, NULL, own));
  IG_TRY(numbers_put(s, h5, STEPS "/ConnectivityIdOffsets"));
  IG_TRY(array_put(s, h5, ROOT "/Offsets", IG_I64, 0, offsets_part, NULL, own));
  IG_TRY(array_put(s, h5, ROOT "/Types", IG_U8, 0, types_part, NULL, own));
  IG_TRY(numbers_put(s, h5, STEPS "/CellOffsets"));
  /* The number of the grid that each step uses; every step has one part. */
  for (int i = 0, part = -1; i < s->count; i++)
    s->number[i] = part += own[i];
  IG_TRY(numbers_put(s, h5, STEPS "/PartOffsets"));
  for (int i = 0; i < s->count; i++)
    s->number[i] = 1;
  return numbers_put(s, h5, STEPS "/NumberOfParts");
}

/* A field that all steps have in the same form; VTKHDF cannot express others. */
static bool is_common(const steps *s, const ig_field *like) {
  for (int i = 0; i < s->count; i++) {
    bool found = false;
    for (int k = 0; k < s->snap[i]->fields && !found; k++) {
      const ig_field *f = &s->snap[i]->field[k];
      found = f->where == like->where && f->dtype == like->dtype &&
              f->components == like->components && strcmp(f->name, like->name) == 0;
    }
    if (!found)
      return false;
  }
  return true;
}

/* Fields of the last snapshot; those that another one lacks are left out
   with a warning. */
static ig_status fields_put(steps *s, ig_h5 *h5) {
  static const char *const group[] = {"PointData", "CellData"};
  char name[160];
  for (int k = 0; k < 2; k++) {
    snprintf(name, sizeof name, ROOT "/%s", group[k]);
    IG_TRY(ig_h5_group(h5, name));
    snprintf(name, sizeof name, STEPS "/%sOffsets", group[k]);
    IG_TRY(ig_h5_group(h5, name));
  }
  /* The last snapshot decides which fields there are. */
  const ig_snapshot *last = s->snap[s->count - 1];
  for (int i = 0; i < last->fields; i++) {
    const ig_field *f = &last->field[i];
    const char *where = group[f->where == IG_AT_POINTS ? 0 : 1];
    if (!is_common(s, f)) {
      ig_warn(s->cx, "field '%s' is not in all snapshots: left out", f->name);
      continue;
    }
    snprintf(name, sizeof name, ROOT "/%s/%s", where, f->name);
    IG_TRY(array_put(s, h5, name, f->dtype, f->components > 1 ? f->components : 0, field_part, f,
                     NULL));
    IG_TRY(ig_h5_put_text(h5, name, "unit", f->unit));
    snprintf(name, sizeof name, STEPS "/%sOffsets/%s", where, f->name);
    IG_TRY(numbers_put(s, h5, name));
  }
  return IG_OK;
}

static ig_status file_put(steps *s, ig_h5 *h5, const bool *own, double *time) {
  static const int64_t version[2] = {2, 0};
  const int64_t count = s->count;
  IG_TRY(ig_h5_group(h5, ROOT));
  IG_TRY(ig_h5_put_numbers(h5, ROOT, "Version", IG_I64, 2, version));
  IG_TRY(ig_h5_put_text(h5, ROOT, "Type", "UnstructuredGrid"));
  IG_TRY(ig_h5_group(h5, STEPS));
  IG_TRY(ig_h5_put_numbers(h5, STEPS, "NSteps", IG_I64, 0, &count));
  for (int i = 0; i < s->count; i++)
    time[i] = s->snap[i]->time;
  IG_TRY(ig_h5_put(h5, STEPS "/Values", IG_F64, s->count, 0, time));
  IG_TRY(ig_h5_put_text(h5, STEPS "/Values", "unit", s->snap[0]->iterations ? "1" : "s"));
  IG_TRY(grids_put(s, h5, own));
  return fields_put(s, h5);
}

/* All snapshots are in memory at once, because every array needs the total length first. All
   snapshots must be in memory. The file is written whole, by the usual rename. */
ig_status ig_snapshots_write(ig_ctx *cx, const ig_snapshot *const *snap, int count,
                             const char *path, int compression) {
  steps s = {.cx = cx, .snap = snap, .count = count};
  ig_compressor compressor = {.level = compression};
  bool *own = NULL;
  double *time = NULL;
  ig_h5 h5;
  ig_status status = IG_NEW(cx, &s.number, count, "steps");
  if (status == IG_OK)
    status = IG_NEW(cx, &own, count, "steps");
  if (status == IG_OK)
    status = IG_NEW(cx, &time, count, "steps");
  /* The first step always has a grid of its own. */
  if (status == IG_OK) {
    for (int i = 0; i < count; i++)
      own[i] = i == 0 || !grid_same(snap[i - 1], snap[i]);
    status = ig_h5_create(cx, path, &h5);
    h5.compressor = &compressor;
    if (status == IG_OK)
      status = file_put(&s, &h5, own, time);
    if (status == IG_OK)
      status = ig_h5_save(&h5);
    ig_h5_close(&h5);
  }
  ig_compress_clear(&compressor);
  free(s.number);
  free(own);
  free(time);
  return status;
}
