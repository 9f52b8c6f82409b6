/* Finding nodes whose assembled rows are alike, for the stencil form of conduction (heat_rows.h).

   Two levels of hashing. An element's pattern is its shape class, material and the steps between
   the numbers of its nodes; in a grid there is a handful. A node's key is the list of (pattern,
   corner) of the elements at it, with the classes of its bare faces; nodes with the same key share
   a row. Rows are assembled once per key, in double precision. A node stores only the number of its
   row: a step reads one byte or bit and the neighbours' temperatures, no connectivity and no
   coefficients per node.

   Equal bits on ranks: a part of a mesh has gaps in its node numbers, so its offsets differ from
   those of the whole. The order of a row's sum follows `far`, the offsets in the whole mesh. */
#include "thermal/kernels/heat_rows.h"
#include "backend/backend.h"
#include "core/hash.h"
#include "core/threads.h"
#include "thermal/engine/heat_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "thermal/kernels/state_f32.h"
#include "thermal/kernels/heat_row.inc"
#include "thermal/kernels/state_f64.h"
#include "thermal/kernels/heat_row.inc"

/* elements at a node at most: more do not occur in a grid */
enum { AROUND = 8 };

/* What decides a row: for each element at the node its pattern and corner, and which of the faces
   that meet at the node are exposed. */
typedef struct {
  uint32_t corner[AROUND]; /* pattern x 8 + corner */
  uint64_t exposed[AROUND];
  uint32_t count;
  uint32_t kind; /* HELD, BORDER: see heat_row.border */
} row_key;
enum { HELD = 1, BORDER = 2 };

/* step: from the first corner's number to the others'. far: the same in the numbers of the whole
   mesh, where this is a rank's part of it; they decide how sums are ordered. */
typedef struct {
  ig_lid shape, step[8], far[8];
  int material;
} pattern;

/* Nodes that asked for a row: how many, the lowest, the highest. */
typedef struct {
  int64_t count;
  ig_lid low, high;
} row_use;

struct ig_heat_rows {
  uint32_t *of;    /* elements: pattern */
  uint8_t *border; /* of a part: nodes, 1: own, with a ghost beside; else NULL */
  pattern *pattern;
  int patterns;
  uint32_t *pattern_slot;
  row_key *key;
  heat_row_f64 *row;
  row_use *met;                     /* rows: who asked for it */
  int32_t (*far)[IG_ROW_NEIGHBORS]; /* rows: as their offsets, in the whole mesh */
  heat_bulk_f64 *bulk_64;           /* of each row that can be one, in both precisions */
  heat_bulk_f32 *bulk_32;
  int bulks;
  int rows, pushed;
  int32_t reach;     /* the largest offset of all rows */
  bool stale;        /* films have changed since rows were pushed */
  uint64_t touch[8]; /* corners: a byte of ones for each face there */
  uint32_t *slot;    /* open addressing over keys; 0: free, else row + 1 */
  int32_t last;
};

/* Sizes of the hash tables, powers of two. A part of a mesh has gaps in its numbers, and so more
   kinds of steps between them. Tables are filled to a half or a quarter at most, which keeps
   searches short. */
enum { PATTERN_SLOTS = 1 << 16, ROW_SLOTS = 1 << 18, PART_SLOTS = 1 << 22 };

static uint32_t pattern_slots(const ig_heat *h) {
  return h->ghost ? PART_SLOTS : PATTERN_SLOTS;
}
static uint32_t row_slots(const ig_heat *h) {
  return h->ghost ? PART_SLOTS : ROW_SLOTS;
}
/* They are numbered in 16 bits, of a part in more. */
static int most_rows(const ig_heat *h) {
  return h->ghost ? PART_SLOTS / 4 : 1 << 16;
}

/* Open addressing; a slot holds number + 1, 0 is free. memcmp needs structs without undefined
   padding: pattern_make zeroes them first. */
static ig_status pattern_find(ig_ctx *cx, const ig_heat *h, const pattern *p, uint32_t *id) {
  struct ig_heat_rows *b = h->rows.book;
  const uint32_t mask = pattern_slots(h) - 1;
  uint32_t s = (uint32_t)ig_hash(IG_HASH_START, p, sizeof *p) & mask;
  for (; b->pattern_slot[s]; s = (s + 1) & mask)
    if (memcmp(&b->pattern[b->pattern_slot[s] - 1], p, sizeof *p) == 0) {
      *id = b->pattern_slot[s] - 1;
      return IG_OK;
    }
  if (b->patterns == (int)(pattern_slots(h) / 2))
    return IG_FAIL(cx, IG_INPUT,
                   "this mesh is numbered too irregularly for conduction 'stencil': choose "
                   "'classes' or 'recompute'");
  IG_TRY(IG_MORE(cx, &b->pattern, b->patterns, "element patterns"));
  b->pattern[b->patterns] = *p;
  *id = (uint32_t)b->patterns++;
  b->pattern_slot[s] = *id + 1;
  return IG_OK;
}

/* Zeroed first, since it is compared byte by byte. */
static void pattern_make(const ig_heat *h, ig_lid e, pattern *p) {
  const ig_lid *conn = ig_heat_conn(h, e);
  memset(p, 0, sizeof *p);
  p->shape = h->shape.classes.of[e];
  p->material = ((uint8_t *)h->material.of.host)[e];
  for (int a = 0; a < 8; a++) {
    p->step[a] = conn[a] - conn[0];
    p->far[a] = h->node_of ? h->node_of[conn[a]] - h->node_of[conn[0]] : p->step[a];
  }
}

/* The pattern of every element. All threads look which elements are as the one before them; the
   others, few in a grid, are looked up one after the other: numbers do not depend on threads. */
static ig_status patterns_find(ig_ctx *cx, ig_heat *h) {
  struct ig_heat_rows *b = h->rows.book;
  pattern p;
#pragma omp parallel num_threads(ig_team(cx, h->elements, IG_WORK_NODE))
  {
    ig_lid former = -1; /* whose pattern `two[former & 1]` is */
    pattern two[2];
#pragma omp for schedule(static)
    for (ig_lid e = 1; e < h->elements; e++) {
      if (former != e - 1)
        pattern_make(h, e - 1, &two[(e - 1) & 1]);
      pattern_make(h, e, &two[e & 1]);
      former = e;
      b->of[e] = memcmp(&two[0], &two[1], sizeof p) == 0;
    }
  }
  uint32_t last = 0;
  for (ig_lid e = 0; e < h->elements; e++) {
    if (!b->of[e]) {
      pattern_make(h, e, &p);
      IG_TRY(pattern_find(cx, h, &p, &last));
    }
    b->of[e] = last;
  }
  return IG_OK;
}

/* How many nodes at the beginning and at the end are ghosts; -1: there are others, too. */
static void ends_find(ig_heat *h) {
  ig_lid low = 0, high = 0, count = 0;
  while (low < h->nodes && h->ghost[low])
    low++;
  while (high < h->nodes - low && h->ghost[h->nodes - 1 - high])
    high++;
  for (ig_lid n = 0; n < h->nodes; n++)
    count += h->ghost[n] != 0;
  h->rows.low = count == low + high ? low : -1;
  h->rows.high = count == low + high ? high : -1;
}

/* Own nodes of a part that have a ghost beside them. */
static ig_status border_find(ig_ctx *cx, ig_heat *h, uint8_t **border) {
  ig_lid count = 0;
  if (!h->ghost)
    return IG_OK;
  ends_find(h);
  IG_TRY(IG_NEW(cx, border, h->nodes, "border of a part"));
  for (ig_lid e = 0; e < h->elements; e++) {
    const ig_lid *conn = ig_heat_conn(h, e);
    bool beside = false;
    for (int a = 0; a < 8; a++)
      beside |= h->ghost[conn[a]] != 0;
    for (int a = 0; a < 8 && beside; a++)
      if (!h->ghost[conn[a]] && !(*border)[conn[a]]) {
        (*border)[conn[a]] = 1;
        count++;
      }
  }
  h->rows.border_nodes = count;
  if (count == 0)
    return IG_OK;
  IG_TRY(ig_array_new(cx, &h->rows.border, (size_t)count, sizeof(ig_lid), "border of a part"));
  ig_lid *list = h->rows.border.host;
  for (ig_lid n = 0; n < h->nodes; n++)
    if ((*border)[n])
      *list++ = n;
  return ig_array_push(cx, &h->rows.border);
}

/* Checks that the form fits the mesh, then patterns; rows are found later, node by node. */
ig_status ig_heat_rows_new(ig_ctx *cx, ig_heat *h) {
  if (h->shape.classes.count == 0)
    return IG_FAIL(cx, IG_INPUT, "conduction 'stencil' needs elements that are alike");
  ig_lid crowded = h->nodes;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, h->nodes, IG_WORK_VALUE))        \
    reduction(min                                                                                  \
              : crowded)
  for (ig_lid n = 0; n < h->nodes; n++)
    if (h->node.around.start[n + 1] - h->node.around.start[n] > AROUND)
      crowded = n < crowded ? n : crowded;
  if (crowded < h->nodes)
    return IG_FAIL(cx, IG_INPUT,
                   "more than %d elements meet at node %d: conduction 'stencil' cannot be used",
                   AROUND, (int)crowded);
  struct ig_heat_rows *b;
  IG_TRY(IG_NEW(cx, &b, 1, "row book"));
  h->rows.book = b;
  IG_TRY(border_find(cx, h, &b->border));
  IG_TRY(IG_NEW(cx, &b->of, h->elements, "element patterns"));
  IG_TRY(IG_NEW(cx, &b->pattern_slot, pattern_slots(h), "element patterns"));
  IG_TRY(IG_NEW(cx, &b->slot, row_slots(h), "row book"));
  for (int f = 0; f < 6; f++)
    for (int a = 0; a < 4; a++)
      b->touch[ig_heat_corner[ig_elem_face(IG_HEX8, f)[a]]] |= (uint64_t)255 << (8 * f);
  return patterns_find(cx, h);
}

void ig_heat_rows_free(ig_heat *h) {
  struct ig_heat_rows *b = h->rows.book;
  if (!b)
    return;
  free(b->of);
  free(b->border);
  free(b->pattern);
  free(b->pattern_slot);
  free(b->key);
  free(b->row);
  free(b->met);
  free(b->far);
  free(b->slot);
  free(b->bulk_64);
  free(b->bulk_32);
  free(b);
  h->rows.book = NULL;
}

/* What element corner a adds to the weights of a row; far: see ig_heat_rows. */
static ig_status corner_add(ig_ctx *cx, const pattern *p, const ig_heat_shape *s, int a, double k,
                            heat_row_f64 *row, int32_t *far) {
  for (int c = 0; c < 8; c++) {
    const int32_t offset = p->step[c] - p->step[a];
    if (c == a)
      continue;
    int j = 0;
    /* the same neighbour through another element adds to its weight */
    while (j < row->count && row->offset[j] != offset)
      j++;
    if (j == row->count) {
      if (row->count == IG_ROW_NEIGHBORS)
        return IG_FAIL(cx, IG_INPUT,
                       "a node has more than %d neighbours: conduction 'stencil' cannot be used",
                       IG_ROW_NEIGHBORS);
      far[j] = p->far[c] - p->far[a];
      row->offset[row->count++] = offset;
    }
    row->weight[j] -= k * s->K[a > c ? a * (a + 1) / 2 + c : c * (c + 1) / 2 + a];
  }
  return IG_OK;
}

/* Rising offsets: neighbours are read in the order they lie, which is that of the whole mesh in a
   part of it, too. Edges of a cube, whose weights are nothing, drop out. */
static void row_order(heat_row_f64 *row, int32_t *far) {
  double largest = 0;
  for (int j = 0; j < row->count; j++)
    largest = fmax(largest, fabs(row->weight[j]));
  int kept = 0;
  for (int j = 0; j < row->count; j++) {
    const int32_t offset = row->offset[j], distant = far[j];
    const double weight = row->weight[j];
    if (!(fabs(weight) > 1e-13 * largest))
      continue;
    int i = kept++;
    for (; i > 0 && row->offset[i - 1] > offset; i--) {
      row->offset[i] = row->offset[i - 1];
      row->weight[i] = row->weight[i - 1];
      far[i] = far[i - 1];
    }
    row->offset[i] = offset;
    row->weight[i] = weight;
    far[i] = distant;
  }
  for (int j = kept; j < IG_ROW_NEIGHBORS; j++)
    row->offset[j] = far[j] = 0, row->weight[j] = 0;
  row->count = kept;
}

/* Assembles the row of a key. far: IG_ROW_NEIGHBORS. */
static ig_status row_make(ig_ctx *cx, const ig_heat *h, const row_key *key, heat_row_f64 *row,
                          int32_t *far) {
  const struct ig_heat_rows *b = h->rows.book;
  memset(row, 0, sizeof *row);
  /* sums over elements in the order of corners (key_make), the same on any number of ranks */
  double volume = 0;
  for (uint32_t i = 0; i < key->count; i++) {
    const pattern *p = &b->pattern[key->corner[i] >> 3];
    const ig_heat_shape *s = &h->shape.of_class[p->shape];
    const int a = (int)(key->corner[i] & 7);
    volume += s->volume[a];
    row->capacity += s->volume[a] * h->material.capacity[p->material];
    IG_TRY(corner_add(cx, p, s, a, h->material.conductivity[p->material], row, far));
    for (int f = 0; f < 6; f++) {
      const int class = (int)(key->exposed[i] >> (8 * f) & 255);
      for (int n = 0; n < 4 && class; n++)
        if (ig_heat_corner[ig_elem_face(IG_HEX8, f)[n]] == a)
          ig_heat_film_add(&row->film, &h->face.film[class], s->area[f][n]);
    }
  }
  row_order(row, far);
  row->body = volume * h->body;
  row->border = (key->kind & BORDER) != 0;
  row->inverse = volume == 0 ? 0 : key->kind & HELD ? -1 : 1 / row->capacity;
  return IG_OK;
}

/* The key of node n, as the elements stand now. An element brings the classes of its six faces as
   bytes of one word; those that do not meet at the node are masked out, since they do not change
   its row. */
static void key_make(const ig_heat *h, ig_lid n, row_key *key) {
  const struct ig_heat_rows *b = h->rows.book;
  memset(key, 0, sizeof *key);
  if (h->ghost && h->ghost[n])
    return; /* as if nothing were there: its temperature comes from another rank */
  for (ig_lid i = h->node.around.start[n]; i < h->node.around.start[n + 1]; i++) {
    const ig_lid e = h->node.around.item[i];
    if (e >= h->next.elements)
      break; /* rising order: the rest is not born either */
    const ig_lid *conn = (const ig_lid *)h->elems.conn.host + 8 * (int64_t)e;
    uint32_t a = 0;
    while (conn[a] != n)
      a++;
    /* By corner, as elements of a grid lie around a node, not as they were born: a beam that comes
       and goes would leave as many kinds of rows in a part as there are orders. insertion sort, at
       most eight */
    uint32_t at = key->count++;
    for (; at > 0 && (key->corner[at - 1] & 7) < a; at--) {
      key->corner[at] = key->corner[at - 1];
      key->exposed[at] = key->exposed[at - 1];
    }
    const uint8_t *x = &h->face.exposed[6 * (int64_t)e];
    key->corner[at] = b->of[e] * 8 + a;
    key->exposed[at] = ((uint64_t)x[0] | (uint64_t)x[1] << 8 | (uint64_t)x[2] << 16 |
                        (uint64_t)x[3] << 24 | (uint64_t)x[4] << 32 | (uint64_t)x[5] << 40) &
                       b->touch[a];
  }
  key->kind = (h->node.held && !isnan(h->node.held[n]) ? HELD : 0) |
              (b->border && b->border[n] ? BORDER : 0);
}

/* The row of a key, -1: there is none yet. `last` is tried first; *slot: where its number would be.
 */
static int32_t row_seek(const ig_heat *h, const row_key *key, int32_t last, uint32_t *slot) {
  const struct ig_heat_rows *b = h->rows.book;
  const uint32_t mask = row_slots(h) - 1;
  if (b->rows && memcmp(key, &b->key[last], sizeof *key) == 0)
    return last;
  uint32_t s = (uint32_t)ig_hash(IG_HASH_START, key, sizeof *key) & mask;
  for (; b->slot[s]; s = (s + 1) & mask)
    if (memcmp(&b->key[b->slot[s] - 1], key, sizeof *key) == 0)
      return (int32_t)b->slot[s] - 1;
  *slot = s;
  return -1;
}

/* How many nodes have a row, and between which numbers they lie, for launches over bulks. */
static void row_met(row_use *u, ig_lid n) {
  u->count++;
  u->low = n < u->low ? n : u->low;
  u->high = n > u->high ? n : u->high;
}

/* A new row is assembled on the host and reaches the device with the next push. `last`:
   neighbouring nodes mostly have the same row, so it is tried before hashing. */
ig_status ig_heat_row_find(ig_ctx *cx, ig_heat *h, ig_lid n, int32_t *out) {
  struct ig_heat_rows *b = h->rows.book;
  row_key key;
  uint32_t slot = 0;
  key_make(h, n, &key);
  *out = row_seek(h, &key, b->last, &slot);
  if (*out >= 0) {
    b->last = *out;
    row_met(&b->met[b->last], n);
    return IG_OK;
  }
  if (b->rows == most_rows(h))
    return IG_FAIL(cx, IG_INPUT,
                   "this mesh needs more than %d different rows: choose conduction 'classes'",
                   most_rows(h));
  IG_TRY(IG_MORE(cx, &b->key, b->rows, "rows"));
  IG_TRY(IG_MORE(cx, &b->row, b->rows, "rows"));
  IG_TRY(IG_MORE(cx, &b->met, b->rows, "rows"));
  IG_TRY(IG_MORE(cx, &b->far, b->rows, "rows"));
  IG_TRY(row_make(cx, h, &key, &b->row[b->rows], b->far[b->rows]));
  for (int j = 0; j < IG_ROW_NEIGHBORS; j++)
    if (abs(b->row[b->rows].offset[j]) > b->reach)
      b->reach = abs(b->row[b->rows].offset[j]);
  b->key[b->rows] = key;
  b->slot[slot] = (uint32_t)b->rows + 1;
  b->met[b->rows] = (row_use){1, n, n};
  *out = b->last = b->rows++;
  return IG_OK;
}

/* Portions double in size: at first most rows are new and found one after the other, later almost
   none. */
ig_status ig_heat_rows_find_all(ig_ctx *cx, ig_heat *h) {
  enum { FIRST = 4096, MOST = 1 << 22 };
  struct ig_heat_rows *b = h->rows.book;
  int32_t *of = h->rows.of.host;
  for (ig_lid begin = 0, size = FIRST; begin < h->nodes; size = size < MOST ? 2 * size : size) {
    const ig_lid end = size < h->nodes - begin ? begin + size : h->nodes;
#pragma omp parallel num_threads(ig_team(cx, end - begin, IG_WORK_ELEMENT))
    {
      int32_t last = 0;
#pragma omp for schedule(static)
      for (ig_lid n = begin; n < end; n++) {
        row_key key;
        uint32_t slot;
        key_make(h, n, &key);
        of[n] = row_seek(h, &key, last, &slot);
        last = of[n] >= 0 ? of[n] : last;
      }
    }
    for (; begin < end; begin++)
      if (of[begin] >= 0)
        row_met(&b->met[of[begin]], begin);
      else
        IG_TRY(ig_heat_row_find(cx, h, begin, &of[begin]));
  }
  return IG_OK;
}

/* Ambient temperatures or films have changed: keys stay, films of rows are made anew. */
ig_status ig_heat_rows_renew(ig_ctx *cx, ig_heat *h) {
  struct ig_heat_rows *b = h->rows.book;
  for (int r = 0; r < b->rows; r++) {
    heat_row_f64 row;
    int32_t far[IG_ROW_NEIGHBORS];
    IG_TRY(row_make(cx, h, &b->key[r], &row, far));
    b->row[r].film = row.film;
  }
  b->stale = true;
  return IG_OK;
}

/* Neighbours of a node in a grid of boxes, in rising order, with (26) or without (20) the six along
   the axes: steps along x, y, z. */
static void box_neighbors(bool full, int step[26][3]) {
  int j = 0;
  for (int i = 0; i < 27; i++) {
    const int d[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    if (i != 13 && (full || abs(d[0]) + abs(d[1]) + abs(d[2]) > 1))
      memcpy(step[j++], d, sizeof d);
  }
}

/* Whether offsets, rising, are those of a grid with some steps along y and z, and 1 along x. */
static bool box_fits(const int32_t *o, bool full, int step[26][3], int32_t *sy, int32_t *sz) {
  *sy = full ? o[15] : (o[10] + o[11]) / 2;
  *sz = full ? o[21] : (o[12] + o[19]) / 2;
  for (int j = 0; j < (full ? 26 : 20); j++)
    if (o[j] != step[j][0] + step[j][1] * *sy + step[j][2] * *sz)
      return false;
  return true;
}

/* A bulk row: deep inside a grid of boxes weights are symmetric, so 26 of them are 7 numbers, one
   per group of 2, 4 or 8 neighbours that are mirrored about the node. Sums of groups are shared
   between neighbouring nodes (heat_row.inc), which saves most of the additions. False: not a box's
   row. Whether a row is one is decided in the numbers of the whole mesh. */
static bool bulk_order(const heat_row_f64 *row, const int32_t *far, heat_bulk_f64 *bulk) {
  static const int group[8] = {-1, 0, 1, 3, 2, 4, 5, 6}; /* of axes: 1 x, 2 y, 4 z */
  /* neighbours of a box's node, in rising order of numbers */
  int step[26][3];
  int32_t sy, sz;
  if ((row->count != 26 && row->count != 20) || row->inverse <= 0 || row->body != 0 ||
      row->film.flux != 0 || row->film.h != 0 || row->film.e != 0)
    return false;
  bulk->full = row->count == 26;
  box_neighbors(bulk->full, step);
  if (!box_fits(far, bulk->full, step, &sy, &sz))
    return false;
  for (int j = row->count - 1; j >= 0; j--) { /* the last of a group has positive steps */
    const int axes = (step[j][0] != 0) + 2 * (step[j][1] != 0) + 4 * (step[j][2] != 0);
    double *weight = &bulk->weight[group[axes]];
    if (step[j][0] + step[j][1] + step[j][2] == (axes & 1) + (axes >> 1 & 1) + (axes >> 2))
      *weight = row->weight[j];
    else if (fabs(row->weight[j] - *weight) > 1e-9 * fabs(row->weight[j]))
      return false;
  }
  bulk->inverse = row->inverse;
  if (!row->border && box_fits(row->offset, bulk->full, step, &sy, &sz)) {
    bulk->sy = sy;
    bulk->sz = sz;
  }
  return true;
}

static void bulk_round(const heat_bulk_f64 *from, heat_bulk_f32 *to) {
  to->row = from->row;
  to->full = from->full;
  to->sy = from->sy;
  to->sz = from->sz;
  for (int g = 0; g < 7; g++)
    to->weight[g] = (float)from->weight[g];
  to->inverse = (float)from->inverse;
}

/* Rows made since the last call that can be a bulk. */
static ig_status bulks_collect(ig_ctx *cx, struct ig_heat_rows *b) {
  for (int r = b->pushed; r < b->rows; r++) {
    heat_bulk_f64 bulk;
    memset(&bulk, 0, sizeof bulk);
    b->row[r].bulk = -1;
    if (!bulk_order(&b->row[r], b->far[r], &bulk))
      continue;
    bulk.row = r;
    IG_TRY(IG_MORE(cx, &b->bulk_64, b->bulks, "rows"));
    IG_TRY(IG_MORE(cx, &b->bulk_32, b->bulks, "rows"));
    b->bulk_64[b->bulks] = bulk;
    bulk_round(&bulk, &b->bulk_32[b->bulks]);
    b->row[r].bulk = b->bulks++;
  }
  return IG_OK;
}

const void *ig_heat_bulks(const ig_heat *h, int *count) {
  const struct ig_heat_rows *b = h->rows.book;
  *count = b->bulks;
  return h->precision == IG_SINGLE ? (const void *)b->bulk_32 : (const void *)b->bulk_64;
}

/* Bulks by falling number of nodes: the one after `after` (-1: the first). */
int ig_heat_bulk_next(const ig_heat *h, int after) {
  const struct ig_heat_rows *b = h->rows.book;
  int best = -1;
  for (int i = 0; i < b->bulks; i++) {
    const int64_t met = b->met[b->bulk_64[i].row].count;
    const int64_t most = best < 0 ? -1 : b->met[b->bulk_64[best].row].count;
    const int64_t last = after < 0 ? INT64_MAX : b->met[b->bulk_64[after].row].count;
    if (met > most && (met < last || (met == last && i > after)))
      best = i;
  }
  return best;
}

int32_t ig_heat_rows_reach(const ig_heat *h) {
  return h->rows.book->reach;
}

void ig_heat_row_range(const ig_heat *h, int32_t row, ig_lid *low, ig_lid *high) {
  *low = h->rows.book->met[row].low;
  *high = h->rows.book->met[row].high;
}

int64_t ig_heat_row_uses(const ig_heat *h, int32_t row) {
  return h->rows.book->met[row].count;
}

/* To single precision, for the device. */
static void row_round(const heat_row_f64 *from, heat_row_f32 *to) {
  to->count = from->count;
  to->bulk = from->bulk;
  to->border = from->border;
  memcpy(to->offset, from->offset, sizeof to->offset);
  for (int j = 0; j < IG_ROW_NEIGHBORS; j++)
    to->weight[j] = (float)from->weight[j];
  to->inverse = (float)from->inverse;
  to->film = ig_heat_film_round(&from->film);
  to->body = (float)from->body;
  to->capacity = (float)from->capacity;
}

/* Twice as much memory as needed, as rows keep coming. */
static ig_status bulks_push(ig_ctx *cx, ig_heat *h, size_t size) {
  int count;
  const void *bulks = ig_heat_bulks(h, &count);
  if (count == 0)
    return IG_OK;
  if (h->rows.bulk.count < (size_t)count) {
    ig_array_free(cx, &h->rows.bulk);
    IG_TRY(ig_array_new(cx, &h->rows.bulk, 2 * (size_t)count, size, "rows"));
  }
  memcpy(h->rows.bulk.host, bulks, (size_t)count * size);
  return ig_array_push(cx, &h->rows.bulk);
}

/* Capacity doubles. All rows are rounded and copied again: they are few, and pushes are rare. */
ig_status ig_heat_rows_push(ig_ctx *cx, ig_heat *h) {
  struct ig_heat_rows *b = h->rows.book;
  if (b->pushed == b->rows && !b->stale)
    return IG_OK;
  b->stale = false;
  IG_TRY(bulks_collect(cx, b));
  b->pushed = b->rows;
  const bool single = h->precision == IG_SINGLE;
  const size_t size = single ? sizeof(heat_row_f32) : sizeof(heat_row_f64);
  IG_TRY(bulks_push(cx, h, single ? sizeof *b->bulk_32 : sizeof *b->bulk_64));
  if (h->rows.row.count < (size_t)b->rows) {
    ig_array_free(cx, &h->rows.row);
    IG_TRY(ig_array_new(cx, &h->rows.row, 2 * (size_t)b->rows, size, "rows"));
  }
  for (int r = 0; r < b->rows; r++)
    if (single)
      row_round(&b->row[r], &((heat_row_f32 *)h->rows.row.host)[r]);
    else
      ((heat_row_f64 *)h->rows.row.host)[r] = b->row[r];
  return ig_array_push(cx, &h->rows.row);
}
