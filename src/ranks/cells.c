/* Snapshots of a partitioned mesh: points, connectivity, cell types and element fields, streamed to
   rank 0 in the order of the undivided mesh. Each array is described by two functions: one that
   writes the row of an own item on any rank, and one that packs the rows that arrived, on rank 0.
   ig_collect_rows moves the rows. Rank 0 never has a whole array in memory. */
#include "ranks/cells.h"
#include "ranks/allgather.h"
#include "core/vtk_corner.h"

#include <stdlib.h>
#include <string.h>

/* Nodes of the largest element type, the hexahedron of 20 nodes: rows have a fixed size. */
enum { MOST_NODES = 20 }; /* of an element */

/* One element's connectivity as it travels: global node numbers in VTK's order. A row of an element
   that does not exist (not yet built, or removed) is all zeros; ig_collect_stream does not send
   rows of zeros, so absent elements cost no bytes. */
typedef struct {
  int32_t nodes;
  ig_lid node[MOST_NODES];
} corner_row;

/* The block of element e, with its number there in *local; NULL if the element is absent. */
static const ig_block *block_there(const ig_partition_cells *c, int64_t e, ig_lid *local) {
  return c->alive && !c->alive[e] ? NULL : ig_mesh_element(c->part->mesh, (ig_lid)e, local);
}

/* --- rows of the part */

static void point_row(void *user, int64_t n, void *row) {
  const ig_partition_cells *c = user;
  memcpy(row, c->part->mesh->x + 3 * n, 3 * sizeof(double));
}

static void corners_row(void *user, int64_t e, void *row) {
  const ig_partition_cells *c = user;
  corner_row *to = row;
  ig_lid local;
  const ig_block *b = block_there(c, e, &local);
  memset(to, 0, sizeof *to);
  to->nodes = b ? ig_elem_info_get(b->type)->nodes : 0;
  for (int a = 0; a < to->nodes; a++)
    to->node[a] = c->part->node[b->conn[(int64_t)to->nodes * local + ig_vtk_corner(b->type, a)]];
}

/* VTK's cell type. No type of VTK that is used has the number 0, so 0 marks an absent element. */
static void type_row(void *user, int64_t e, void *row) {
  ig_lid local;
  const ig_block *b = block_there(user, e, &local);
  *(uint8_t *)row = b ? (uint8_t)ig_elem_info_get(b->type)->vtk : 0;
}

/* Values of one element, followed by 1 if it is present. The mark is needed because the values of a
   present element may all be zero, and such a row would look absent. */
static void values_row(void *user, int64_t e, void *row) {
  const ig_partition_cells *c = user;
  float *to = row;
  const bool there = !c->alive || c->alive[e];
  for (int i = 0; i < c->components; i++)
    to[i] = there ? c->value[c->components * e + i] : 0;
  to[c->components] = there;
}

/* --- on rank 0: rows of what is there, packed */

/* A buffer for packed rows, reused by all arrays of a snapshot; it only grows. */
static ig_status room_make(ig_partition_cells *c, size_t bytes) {
  if (bytes <= c->room)
    return IG_OK;
  free(c->packed);
  c->packed = NULL;
  c->room = 0;
  IG_TRY(ig_alloc(c->cx, &c->packed, bytes, 1, "a piece of a snapshot"));
  c->room = bytes;
  return IG_OK;
}

static ig_status points_put(void *user, const void *rows, int64_t first, int64_t count) {
  const ig_partition_cells *c = user;
  (void)first;
  return c->take(c->user, rows, count);
}

/* Connectivity is written as 64-bit numbers, as VTK's readers expect them. */
static ig_status corners_put(void *user, const void *rows, int64_t first, int64_t count) {
  ig_partition_cells *c = user;
  const corner_row *row = rows;
  int64_t kept = 0;
  (void)first;
  IG_TRY(room_make(c, (size_t)count * MOST_NODES * sizeof(int64_t)));
  int64_t *to = c->packed;
  for (int64_t i = 0; i < count; i++)
    for (int a = 0; a < row[i].nodes; a++)
      to[kept++] = row[i].node[a];
  return c->take(c->user, to, kept);
}

static ig_status types_put(void *user, const void *rows, int64_t first, int64_t count) {
  ig_partition_cells *c = user;
  const uint8_t *row = rows;
  int64_t kept = 0;
  (void)first;
  IG_TRY(room_make(c, (size_t)count));
  uint8_t *to = c->packed;
  for (int64_t i = 0; i < count; i++)
    if (row[i])
      to[kept++] = row[i];
  return c->take(c->user, to, kept);
}

/* Numbers of the elements that are present, which the snapshot stores as a field. */
static ig_status elements_put(void *user, const void *rows, int64_t first, int64_t count) {
  ig_partition_cells *c = user;
  const uint8_t *row = rows;
  int64_t kept = 0;
  IG_TRY(room_make(c, (size_t)count * sizeof(ig_lid)));
  ig_lid *to = c->packed;
  for (int64_t i = 0; i < count; i++)
    if (row[i])
      to[kept++] = (ig_lid)(first + i);
  return c->take(c->user, to, kept);
}

static ig_status values_put(void *user, const void *rows, int64_t first, int64_t count) {
  ig_partition_cells *c = user;
  const size_t n = (size_t)c->components;
  const float *row = rows;
  int64_t kept = 0;
  (void)first;
  IG_TRY(room_make(c, (size_t)count * n * sizeof(float)));
  float *to = c->packed;
  for (int64_t i = 0; i < count; i++, row += n + 1)
    if (row[n] != 0)
      memcpy(to + n * (size_t)kept++, row, n * sizeof *to);
  return c->take(c->user, to, kept);
}

/* --- arrays */

/* The table maps IG_STREAM_ names to items, row size and functions. All ranks call it; `take` is
   used on rank 0 only. */
ig_status ig_cells_bring(ig_partition_cells *c, int array, ig_stream_take *take, void *user) {
  const struct {
    const ig_collect *items;
    size_t size;
    ig_collect_row *row;
    ig_collect_put *put;
  } of[] = {[IG_STREAM_POINTS] = {c->nodes, 3 * sizeof(double), point_row, points_put},
            [IG_STREAM_CORNERS] = {c->elements, sizeof(corner_row), corners_row, corners_put},
            [IG_STREAM_TYPES] = {c->elements, 1, type_row, types_put},
            [IG_STREAM_ELEMENTS] = {c->elements, 1, type_row, elements_put}};
  c->take = take;
  c->user = user;
  return ig_collect_rows(c->cx, of[array].items, of[array].size, of[array].row, of[array].put, c,
                         IG_OK);
}

ig_status ig_cells_values(ig_partition_cells *c, const float *value, int components,
                          ig_stream_take *take, void *user, ig_status status) {
  c->value = value;
  c->components = components;
  c->take = take;
  c->user = user;
  return ig_collect_rows(c->cx, c->elements, ((size_t)components + 1) * sizeof(float), values_row,
                         values_put, c, status);
}

/* Cells are counted before the snapshot is written because the file format needs array lengths
   first. Only own elements count: an element on several ranks has one owner. */
ig_status ig_cells_count(ig_partition_cells *c, ig_status status) {
  const int ranks = ig_ranks_count(c->cx->ranks);
  int64_t mine[2] = {0}, (*all)[2] = NULL;
  for (int64_t i = 0; i < c->elements->mine_count && status == IG_OK; i++) {
    ig_lid local;
    const ig_block *b = block_there(c, c->elements->mine[i], &local);
    mine[0] += b != NULL;
    mine[1] += b ? ig_elem_info_get(b->type)->nodes : 0;
  }
  status = ig_ranks_gather(c->cx, status, mine, sizeof mine, (void **)&all);
  for (int r = 0; r < ranks && status == IG_OK && ig_ranks_first(c->cx); r++) {
    c->count += all[r][0];
    c->corners += all[r][1];
  }
  free(all);
  return status;
}

void ig_cells_free(ig_partition_cells *c) {
  free(c->packed);
  c->packed = NULL;
  c->room = 0;
}
