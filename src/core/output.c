/* Snapshots and restarts in memory.

   A snapshot is made by a room on its thread, handed to the sink and written and freed on the
   writer's thread. It therefore owns copies of everything it shows. Fields may come straight
   from the device (ig_snapshot_add_device): the copy is started here and waited for in
   ig_snapshot_settle, so that the room goes on computing in between. What both threads share is
   the list of spare blocks, which has a lock.

   A restart is a list of named arrays: what a room saved, kept in memory or read from a file. */
#include "core/output.h"
#include "core/backend.h"
#include "core/image_grid.h"
#include "core/threads.h"
#include "core/vtk_corner.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  size_t size;
  const char *name;
} dtypes[] = {[IG_F32] = {4, "float32"},
              [IG_F64] = {8, "float64"},
              [IG_I32] = {4, "int32"},
              [IG_I64] = {8, "int64"},
              [IG_U8] = {1, "uint8"}};

size_t ig_dtype_size(ig_dtype dtype) {
  return (size_t)dtype < sizeof dtypes / sizeof *dtypes ? dtypes[dtype].size : 0;
}

static const char *dtype_name(ig_dtype dtype) {
  return (size_t)dtype < sizeof dtypes / sizeof *dtypes ? dtypes[dtype].name : "unknown";
}

/* --- memory for fields: pinning it for a GPU costs more than the copy, so it is used again */

enum { SPARES = 16, SPARE_HEAD = 64 }; /* a block begins with its size, and keeps the alignment */

/* Blocks of former snapshots, for the next ones. 16 of them: several snapshots of a few fields
   each may be on their way to the disk at a time. */
struct ig_spares {
  pthread_mutex_t lock; /* snapshots are freed on the writer's thread */
  int count;
  char *block[SPARES]; /* the oldest first */
};

static size_t block_size(const char *block) {
  size_t size;
  memcpy(&size, block, sizeof size);
  return size;
}

/* The smallest spare block with space for it, but none far too large. */
static char *spare_take(struct ig_spares *spares, size_t bytes) {
  pthread_mutex_lock(&spares->lock);
  int best = -1;
  for (int i = 0; i < spares->count; i++) {
    const size_t size = block_size(spares->block[i]);
    if (size >= bytes && size / 2 <= bytes && (best < 0 || size < block_size(spares->block[best])))
      best = i;
  }
  char *block = best < 0 ? NULL : spares->block[best];
  if (block)
    memmove(&spares->block[best], &spares->block[best + 1],
            (size_t)(--spares->count - best) * sizeof *spares->block);
  pthread_mutex_unlock(&spares->lock);
  return block;
}

static ig_status field_alloc(ig_ctx *cx, void **data, size_t bytes) {
  if (!cx->spares) {
    IG_TRY(IG_NEW(cx, &cx->spares, 1, "snapshots"));
    pthread_mutex_init(&cx->spares->lock, NULL);
  }
  char *block = spare_take(cx->spares, bytes);
  if (!block) {
    const size_t size = bytes + bytes / 8; /* the next one may be a little larger */
    void *p = NULL;
    IG_TRY(cx->backend->host_alloc(cx, &p, size + SPARE_HEAD));
    block = p;
    memcpy(block, &size, sizeof size);
  }
  *data = block + SPARE_HEAD;
  return IG_OK;
}

/* `out` is freed outside of the lock: unpinning memory takes long. */
static void field_free(ig_ctx *cx, void *data) {
  struct ig_spares *spares = cx->spares;
  char *block = (char *)data - SPARE_HEAD, *out = NULL;
  pthread_mutex_lock(&spares->lock);
  if (spares->count == SPARES) { /* the oldest goes: its size was not asked for lately */
    out = spares->block[0];
    memmove(&spares->block[0], &spares->block[1], (size_t)--spares->count * sizeof out);
  }
  spares->block[spares->count++] = block;
  pthread_mutex_unlock(&spares->lock);
  if (out)
    cx->backend->host_free(cx, out);
}

void ig_spares_free(ig_ctx *cx) {
  if (!cx->spares)
    return;
  for (int i = 0; i < cx->spares->count; i++)
    cx->backend->host_free(cx, cx->spares->block[i]);
  pthread_mutex_destroy(&cx->spares->lock);
  free(cx->spares);
  cx->spares = NULL;
}

/* --- snapshots */

ig_status ig_snapshot_new(ig_ctx *cx, int64_t points, int64_t cells, int64_t corners, double time,
                          int64_t step, ig_snapshot **out) {
  *out = NULL;
  if (points < 0 || cells < 0 || corners < 0)
    return IG_FAIL(cx, IG_ARG,
                   "snapshot of %" PRId64 " points, %" PRId64 " cells, %" PRId64 " corners", points,
                   cells, corners);
  ig_snapshot *snap = NULL;
  IG_TRY(IG_NEW(cx, &snap, 1, "snapshot"));
  *snap = (ig_snapshot){.cx = cx,
                        .time = time,
                        .step = step,
                        .points = points,
                        .cells = cells,
                        .corners = corners,
                        .elements = cells};
  ig_status status;
  IG_TRY_GOTO(status, failed, ig_alloc(cx, (void **)&snap->point, (size_t)points, 24, "points"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &snap->corner, corners, "connectivity"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &snap->offset, cells + 1, "connectivity"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &snap->type, cells, "cell types"));
  *out = snap;
  return IG_OK;
failed:
  ig_snapshot_free(snap);
  return status;
}

/* Sizes that follow from a grid's nodes. */
ig_status ig_snapshot_of_image(ig_ctx *cx, const ig_image_grid *image, double time, int64_t step,
                               ig_snapshot **out) {
  const int64_t *n = image->nodes;
  const int64_t cells = (n[0] - 1) * (n[1] - 1) * (n[2] - 1);
  IG_TRY(IG_NEW(cx, out, 1, "snapshot"));
  **out = (ig_snapshot){.cx = cx,
                        .time = time,
                        .step = step,
                        .points = n[0] * n[1] * n[2],
                        .cells = cells,
                        .corners = 8 * cells,
                        .elements = cells,
                        .regular = true,
                        .image = *image};
  return IG_OK;
}

/* Pieces are filled by all threads: what takes time is the first touch of new pages. */
static void image_fill(const ig_snapshot *s, ig_grid_array array, int64_t rows, size_t row,
                       void *to) {
  enum { PIECE = 1 << 14 };
#pragma omp parallel for schedule(static) num_threads(ig_team(s->cx, rows, IG_WORK_NODE))
  for (int64_t at = 0; at < rows; at += PIECE)
    ig_image_rows(&s->image, array, at, rows - at < PIECE ? rows - at : PIECE,
                  (char *)to + row * (size_t)at);
}

ig_status ig_snapshot_fill(ig_snapshot *s) {
  ig_ctx *cx = s->cx;
  if (!s->regular || s->type)
    return IG_OK;
  IG_TRY(ig_alloc(cx, (void **)&s->point, (size_t)s->points, 24, "points"));
  IG_TRY(IG_NEW(cx, &s->corner, s->corners, "connectivity"));
  IG_TRY(IG_NEW(cx, &s->offset, s->cells + 1, "connectivity"));
  IG_TRY(IG_NEW(cx, &s->type, s->cells, "cell types"));
  image_fill(s, IG_GRID_POINTS, s->points, 24, s->point);
  image_fill(s, IG_GRID_CORNERS, s->corners, 8, s->corner);
  image_fill(s, IG_GRID_OFFSETS, s->cells + 1, 8, s->offset);
  image_fill(s, IG_GRID_TYPES, s->cells, 1, s->type);
  return IG_OK;
}

/* Two passes over the blocks of the mesh: the first counts the cells that are alive, the second
   writes them. Connectivity is changed to VTK's order of nodes on the way. */
ig_status ig_snapshot_of_mesh(ig_ctx *cx, const ig_mesh *mesh, const uint8_t *alive, double time,
                              int64_t step, ig_snapshot **out) {
  static const struct {
    int nodes;
    uint8_t vtk;
  } info[] = {
#define X(name, text, dim, nodes, faces, face_nodes, vtk) {nodes, vtk},
      IG_ELEM_LIST(X)
#undef X
  };
  *out = NULL;
  int64_t elements = 0, cells = 0, corners = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    int64_t kept = block->count;
    if (alive) {
      kept = 0;
      for (ig_lid e = 0; e < block->count; e++)
        kept += alive[elements + e] != 0;
    }
    elements += block->count;
    cells += kept;
    corners += kept * info[block->type].nodes;
  }
  ig_snapshot *snap = NULL;
  IG_TRY(ig_snapshot_new(cx, mesh->nodes, cells, corners, time, step, &snap));
  snap->elements = elements;
  if (cells != elements) {
    const ig_status status = IG_NEW(cx, &snap->element, cells, "elements alive");
    if (status != IG_OK) {
      ig_snapshot_free(snap);
      return status;
    }
  }
  if (mesh->nodes)
    memcpy(snap->point, mesh->x, (size_t)mesh->nodes * 3 * sizeof *mesh->x);
  int64_t element = 0, cell = 0, corner = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const int nodes = info[block->type].nodes;
    for (ig_lid e = 0; e < block->count; e++, element++) {
      if (alive && !alive[element])
        continue;
      if (snap->element)
        snap->element[cell] = (ig_lid)element;
      snap->type[cell] = info[block->type].vtk;
      snap->offset[cell++] = corner;
      for (int a = 0; a < nodes; a++)
        snap->corner[corner++] = block->conn[(int64_t)nodes * e + ig_vtk_corner(block->type, a)];
    }
  }
  snap->offset[cells] = corners;
  *out = snap;
  return IG_OK;
}

static int64_t field_items(const ig_snapshot *snap, ig_location where) {
  return where == IG_AT_POINTS ? snap->points : where == IG_AT_CELLS ? snap->cells : snap->elements;
}

/* A new field with memory for its data; it counts as the snapshot's from here on. The name must
   be unique among fields of points and among those of cells: VTK has one list for each. A '/' is
   excluded since fields become paths in HDF5 files. Without data (snap->rows) nothing is
   allocated. */
static ig_status field_new(ig_snapshot *snap, const char *name, const char *unit, ig_location where,
                           ig_dtype dtype, int components, ig_field **out, size_t *bytes) {
  ig_ctx *cx = snap->cx;
  const size_t size = ig_dtype_size(dtype);
  if (!size || components < 1 || components > 64 || !name[0] || strchr(name, '/') ||
      strlen(name) >= sizeof snap->field->name || strlen(unit) >= sizeof snap->field->unit)
    return IG_FAIL(cx, IG_ARG, "field '%s' [%s] of %d components and type %d", name, unit,
                   components, (int)dtype);
  for (int i = 0; i < snap->fields; i++)
    if (strcmp(snap->field[i].name, name) == 0 &&
        (snap->field[i].where == IG_AT_POINTS) == (where == IG_AT_POINTS))
      return IG_FAIL(cx, IG_ARG, "field '%s' is in the snapshot already", name);
  IG_TRY(IG_MORE(cx, &snap->field, snap->fields, name));
  const size_t items = (size_t)field_items(snap, where);
  if (items > PTRDIFF_MAX / size / (size_t)components)
    return IG_FAIL(cx, IG_MEMORY, "field '%s' of %zu items is more than memory can address", name,
                   items);
  *bytes = items * size * (size_t)components;
  ig_field *f = &snap->field[snap->fields];
  *f = (ig_field){.where = where, .dtype = dtype, .components = components};
  snprintf(f->name, sizeof f->name, "%s", name);
  snprintf(f->unit, sizeof f->unit, "%s", unit);
  if (!snap->rows)
    IG_TRY(field_alloc(cx, &f->data, *bytes));
  snap->fields++;
  *out = f;
  return IG_OK;
}

ig_status ig_snapshot_add(ig_snapshot *snap, const char *name, const char *unit, ig_location where,
                          ig_dtype dtype, int components, const void *from_host, void **data) {
  ig_field *f = NULL;
  size_t bytes = 0;
  if (data)
    *data = NULL;
  IG_TRY(field_new(snap, name, unit, where, dtype, components, &f, &bytes));
  if (from_host && bytes)
    memcpy(f->data, from_host, bytes);
  else if (!from_host)
    memset(f->data, 0, bytes);
  if (data)
    *data = f->data;
  return IG_OK;
}

ig_status ig_snapshot_add_device(ig_snapshot *snap, const char *name, const char *unit,
                                 ig_location where, ig_dtype dtype, int components,
                                 const void *from_device) {
  ig_field *f = NULL;
  size_t bytes = 0;
  IG_TRY(field_new(snap, name, unit, where, dtype, components, &f, &bytes));
  return snap->cx->backend->copy_out_start(snap->cx, f->data, from_device, bytes, &f->ticket);
}

ig_status ig_snapshot_declare(ig_snapshot *snap, const char *name, const char *unit,
                              ig_location where, ig_dtype dtype, int components) {
  ig_field *f = NULL;
  size_t bytes = 0;
  return field_new(snap, name, unit, where, dtype, components, &f, &bytes);
}

/* Kept elements come in rising order, so the field is packed in place. */
static void field_pack(const ig_snapshot *snap, ig_field *f) {
  const size_t item = ig_dtype_size(f->dtype) * (size_t)f->components;
  char *data = f->data;
  for (int64_t c = 0; snap->element && c < snap->cells; c++)
    memmove(data + (size_t)c * item, data + (size_t)snap->element[c] * item, item);
  f->where = IG_AT_CELLS;
}

const ig_field *ig_snapshot_find(const ig_snapshot *snap, ig_location where, const char *name) {
  for (int i = 0; i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    if (f->where == where && f->components == 1 && strcmp(f->name, name) == 0)
      return f;
  }
  return NULL;
}

void ig_snapshot_centre(const ig_snapshot *snap, int64_t cell, double centre[3]) {
  const int64_t from = snap->offset[cell], corners = snap->offset[cell + 1] - from;
  for (int d = 0; d < 3; d++) {
    centre[d] = 0;
    for (int64_t a = 0; a < corners; a++)
      centre[d] += snap->point[3 * snap->corner[from + a] + d] / (double)corners;
  }
}

ig_status ig_snapshot_centres(ig_ctx *cx, const ig_snapshot *snap, double **centre) {
  IG_TRY(IG_NEW(cx, centre, 3 * (size_t)snap->cells, "centres of cells"));
  for (int64_t c = 0; c < snap->cells; c++)
    ig_snapshot_centre(snap, c, &(*centre)[3 * c]);
  return IG_OK;
}

ig_status ig_snapshot_used(ig_ctx *cx, const ig_snapshot *snap, uint8_t **used) {
  IG_TRY(IG_NEW(cx, used, snap->points, "points"));
  for (int64_t i = 0; i < snap->corners; i++)
    (*used)[snap->corner[i]] = 1;
  return IG_OK;
}

double ig_field_number(const ig_field *f, int64_t i) {
  switch (f->dtype) {
  case IG_F32:
    return ((const float *)f->data)[i];
  case IG_F64:
    return ((const double *)f->data)[i];
  case IG_I32:
    return ((const int32_t *)f->data)[i];
  case IG_I64:
    return (double)((const int64_t *)f->data)[i];
  case IG_U8:
    return ((const uint8_t *)f->data)[i];
  }
  return 0;
}

/* All tickets are waited for even after a failure, as each must be ended once; the first failure
   is returned. */
ig_status ig_snapshot_settle(ig_snapshot *snap) {
  ig_status status = IG_OK;
  for (int i = 0; i < snap->fields; i++) {
    ig_field *f = &snap->field[i];
    if (f->ticket) {
      const ig_status waited = snap->cx->backend->copy_out_wait(snap->cx, f->ticket);
      f->ticket = NULL;
      status = status == IG_OK ? waited : status;
    }
    if (f->where == IG_AT_ELEMENTS)
      field_pack(snap, f);
  }
  return status;
}

void ig_snapshot_free(ig_snapshot *snap) {
  if (!snap)
    return;
  /* a copy still under way writes into the memory freed below */
  (void)!ig_snapshot_settle(snap);
  for (int i = 0; i < snap->fields; i++)
    if (snap->field[i].data)
      field_free(snap->cx, snap->field[i].data);
  free(snap->field);
  free(snap->point);
  free(snap->corner);
  free(snap->offset);
  free(snap->type);
  free(snap->element);
  free(snap);
}

/* --- restarts */

/* r->count grows with every entry, so that ig_restart_free frees exactly what was copied if
   memory runs out half-way. */
ig_status ig_restart_new(ig_ctx *cx, double time, int64_t step, const ig_saved *saved, int count,
                         ig_restart **out) {
  ig_restart *r;
  *out = NULL;
  IG_TRY(IG_NEW(cx, &r, 1, "checkpoint"));
  r->time = time;
  r->step = step;
  ig_status status = IG_NEW(cx, &r->saved, count, "checkpoint");
  for (int i = 0; status == IG_OK && i < count; i++) {
    const size_t size = ig_dtype_size(saved[i].dtype);
    r->saved[i] = (ig_saved){strdup(saved[i].name), saved[i].dtype, saved[i].count, NULL};
    r->count = i + 1;
    if (!r->saved[i].name)
      status = IG_FAIL(cx, IG_MEMORY, "no memory for a checkpoint");
    else if (saved[i].data)
      status = ig_alloc(cx, &r->saved[i].data, (size_t)saved[i].count, size, "checkpoint");
    if (status == IG_OK && saved[i].data && saved[i].count > 0)
      memcpy(r->saved[i].data, saved[i].data, (size_t)saved[i].count * size);
  }
  if (status == IG_OK)
    *out = r;
  else
    ig_restart_free(r);
  return status;
}

void ig_restart_free(ig_restart *r) {
  if (!r)
    return;
  for (int i = 0; r->saved && i < r->count; i++) {
    free((char *)r->saved[i].name);
    free(r->saved[i].data);
  }
  free(r->saved);
  free(r->path);
  free(r);
}

static ig_status keeper_checkpoint(ig_sink *sink, double time, int64_t step, const ig_saved *saved,
                                   int count) {
  ig_keeper *k = sink->self;
  ig_restart_free(k->kept);
  return ig_restart_new(k->cx, time, step, saved, count, &k->kept);
}

void ig_keeper_open(ig_ctx *cx, ig_keeper *k) {
  *k = (ig_keeper){.sink = {.self = k, .checkpoint = keeper_checkpoint}, .cx = cx};
}

/* A different type means that the run began in another precision: its bits cannot be continued. */
static ig_status saved_find(ig_ctx *cx, const ig_restart *restart, const char *name, ig_dtype dtype,
                            ig_saved **saved) {
  for (int i = 0; i < restart->count; i++) {
    ig_saved *s = &restart->saved[i];
    if (strcmp(s->name, name) != 0)
      continue;
    if (s->dtype != dtype)
      return IG_FAIL(cx, IG_INPUT,
                     "the checkpoint's array '%s' is %s, expected %s: continue with the precision "
                     "the run began with",
                     name, dtype_name(s->dtype), dtype_name(dtype));
    *saved = s;
    return IG_OK;
  }
  return IG_FAIL(
      cx, IG_INPUT,
      "the checkpoint has no array '%s': it was written by another case or another Ingot", name);
}

ig_status ig_restart_look(ig_ctx *cx, const ig_restart *restart, const char *name, ig_dtype dtype,
                          int64_t count, ig_saved **saved) {
  IG_TRY(saved_find(cx, restart, name, dtype, saved));
  if ((*saved)->count != count)
    return IG_FAIL(cx, IG_INPUT,
                   "the checkpoint's array '%s' has %" PRId64 " items, expected %" PRId64
                   ": it was written by another case or another Ingot",
                   name, (*saved)->count, count);
  return IG_OK;
}

/* Reads what is not there yet. */
static ig_status data_bring(ig_ctx *cx, const ig_restart *restart, ig_saved *saved) {
  if (saved->data || saved->count == 0)
    return IG_OK;
  if (!restart->read)
    return IG_FAIL(cx, IG_ARG, "the checkpoint's array '%s' is not on this rank", saved->name);
  IG_TRY(
      ig_alloc(cx, &saved->data, (size_t)saved->count, ig_dtype_size(saved->dtype), saved->name));
  return restart->read(cx, restart, saved, 0, saved->count, saved->data);
}

ig_status ig_restart_find_any(ig_ctx *cx, const ig_restart *restart, const char *name,
                              ig_dtype dtype, int64_t *count, const void **data) {
  ig_saved *saved = NULL;
  *data = NULL;
  *count = 0;
  IG_TRY(saved_find(cx, restart, name, dtype, &saved));
  IG_TRY(data_bring(cx, restart, saved));
  *count = saved->count;
  *data = saved->data;
  return IG_OK;
}

ig_status ig_restart_find(ig_ctx *cx, const ig_restart *restart, const char *name, ig_dtype dtype,
                          int64_t count, const void **data) {
  ig_saved *saved = NULL;
  *data = NULL;
  IG_TRY(ig_restart_look(cx, restart, name, dtype, count, &saved));
  IG_TRY(data_bring(cx, restart, saved));
  *data = saved->data;
  return IG_OK;
}
