/* Renumbering along a Hilbert curve: nodes and elements that are near in space get near numbers, so
   gathers of nodal values hit the cache. Each block keeps its elements. */
#include "mesh/topology.h"
#include "core/threads.h"
#include "core/sorted.h"

#include <stdlib.h>
#include <string.h>

/* 21 bits per axis give keys of 63 bits, sorted by 6 passes of 11 bits. */
enum { BITS = 21, DIGIT = 11, BUCKETS = 1 << DIGIT };

/* Position of a cell of a 2^21 cube on the curve, by the transposition algorithm of Skilling
   (2004). The place of a point along a Hilbert curve, by the transposition of Skilling (2004), with
   BITS bits an axis. */
static uint64_t hilbert(uint32_t x, uint32_t y, uint32_t z) {
  uint32_t p[3] = {x, y, z};
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
    for (int i = 0; i < 3; i++) {
      if (p[i] & q)
        p[0] ^= q - 1;
      else {
        const uint32_t t = (p[0] ^ p[i]) & (q - 1);
        p[0] ^= t;
        p[i] ^= t;
      }
    }
  p[1] ^= p[0];
  p[2] ^= p[1];
  uint32_t t = 0;
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
    if (p[2] & q)
      t ^= q - 1;
  uint64_t key = 0;
  for (int b = BITS - 1; b >= 0; b--)
    for (int i = 0; i < 3; i++)
      key = key << 1 | ((p[i] ^ t) >> b & 1);
  return key;
}

/* Bounding cube: lowest corner, and cells per metre. */
typedef struct {
  double low[3], scale;
} cube;

/* Key of a point: its cell in the cube, clamped against rounding at the upper faces. */
static uint64_t place(const cube *c, const double *x) {
  uint32_t q[3];
  for (int d = 0; d < 3; d++) {
    const double v = (x[d] - c->low[d]) * c->scale;
    q[d] = v > 0 ? v < (1 << BITS) - 1 ? (uint32_t)v : (1u << BITS) - 1 : 0;
  }
  return hilbert(q[0], q[1], q[2]);
}

typedef struct {
  uint64_t key;
  ig_lid id;
} item;

/* Radix sort by key, least significant digit first; stable, so numbers rise among equal keys. An
   even number of passes leaves the result in `list`. */
static void sort(item *list, item *spare, size_t count) {
  for (int shift = 0; shift < 3 * BITS; shift += DIGIT) {
    size_t start[BUCKETS + 1] = {0};
    for (size_t i = 0; i < count; i++)
      start[(list[i].key >> shift & (BUCKETS - 1)) + 1]++;
    for (int b = 0; b < BUCKETS; b++)
      start[b + 1] += start[b];
    for (size_t i = 0; i < count; i++)
      spare[start[list[i].key >> shift & (BUCKETS - 1)]++] = list[i];
    item *swap = list;
    list = spare;
    spare = swap;
  }
}
_Static_assert((3 * BITS + DIGIT - 1) / DIGIT % 2 == 0, "an even number of passes ends in place");

/* Permutes `count` items of `size` bytes in place through `spare`. data[i] = old data[old[i]].
   spare: count x size bytes. */
static void permute(void *data, void *spare, const ig_lid *old, ig_lid count, size_t size) {
  memcpy(spare, data, (size_t)count * size);
  for (ig_lid i = 0; i < count; i++)
    memcpy((char *)data + (size_t)i * size, (char *)spare + (size_t)old[i] * size, size);
}

/* Items of face sets are elements; the number of the face stays. */
static void sets_renumber(ig_mesh *mesh, const ig_lid *new_node, const ig_lid *new_element) {
  for (int s = 0; s < mesh->sets; s++) {
    ig_set *set = &mesh->set[s];
    const ig_lid *to = set->kind == IG_SET_NODES ? new_node : new_element;
    for (ig_lid i = 0; i < set->count; i++)
      set->item[i] = to[set->item[i]];
  }
}

/* Items of sets are kept in rising order; element and face are packed into one integer for
   sorting. */
static ig_status sets_sort(ig_ctx *cx, ig_mesh *mesh) {
  ig_lid most = 0;
  for (int s = 0; s < mesh->sets; s++)
    most = mesh->set[s].count > most ? mesh->set[s].count : most;
  int64_t *pair;
  IG_TRY(IG_NEW(cx, &pair, most, "sets"));
  for (int s = 0; s < mesh->sets; s++) {
    ig_set *set = &mesh->set[s];
    for (ig_lid i = 0; i < set->count; i++)
      pair[i] = (int64_t)set->item[i] << 8 | (set->face ? set->face[i] : 0);
    qsort(pair, (size_t)set->count, sizeof *pair, ig_rising_i64);
    for (ig_lid i = 0; i < set->count; i++) {
      set->item[i] = (ig_lid)(pair[i] >> 8);
      if (set->face)
        set->face[i] = (uint8_t)(pair[i] & 255);
    }
  }
  free(pair);
  return IG_OK;
}

/* order: new place -> old number. new_node, new_element: old number -> new place. Nodes are
   numbered along the curve by their places, elements by their centres. Ties are broken by the
   former numbers, so that the order is unique. */
static ig_status reorder(ig_ctx *cx, ig_mesh *mesh, ig_order *order, item *list, item *spare,
                         ig_lid *new_node, ig_lid *new_element) {
  cube c = {.scale = 0};
  double high[3], size = 0;
  ig_mesh_bounds(mesh, c.low, high);
  for (int d = 0; d < 3; d++)
    size = high[d] - c.low[d] > size ? high[d] - c.low[d] : size;
  c.scale = size > 0 ? (double)(1 << BITS) / size : 0;

#pragma omp parallel for num_threads(ig_team(cx, mesh->nodes, IG_WORK_NODE)) schedule(static)
  for (ig_lid n = 0; n < mesh->nodes; n++)
    list[n] = (item){place(&c, mesh->x + 3 * (size_t)n), n};
  sort(list, spare, (size_t)mesh->nodes);
  for (ig_lid n = 0; n < mesh->nodes; n++) {
    order->node[n] = list[n].id;
    new_node[list[n].id] = n;
  }
  ig_lid first = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    ig_block *block = &mesh->block[b];
    const size_t npe = (size_t)ig_elem_info_get(block->type)->nodes;
#pragma omp parallel for num_threads(ig_team(cx, block->count, IG_WORK_ELEMENT)) schedule(static)
    for (ig_lid e = 0; e < block->count; e++) {
      double center[3] = {0, 0, 0};
      for (size_t a = 0; a < npe; a++)
        for (size_t d = 0; d < 3; d++)
          center[d] += mesh->x[3 * (size_t)block->conn[(size_t)e * npe + a] + d] / (double)npe;
      list[e] = (item){place(&c, center), e};
    }
    sort(list, spare, (size_t)block->count);
    for (ig_lid e = 0; e < block->count; e++) {
      order->element[first + e] = list[e].id;
      new_element[first + list[e].id] = first + e;
    }
    first += block->count;
  }
  /* `item` is larger than any scalar moved below, and there is one for every node and element. */
  for (size_t d = 0; d < 3; d++) {
    double *column = (double *)(void *)spare;
    for (ig_lid n = 0; n < mesh->nodes; n++)
      column[n] = mesh->x[3 * (size_t)n + d];
    for (ig_lid n = 0; n < mesh->nodes; n++)
      mesh->x[3 * (size_t)n + d] = column[order->node[n]];
  }
  first = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    ig_block *block = &mesh->block[b];
    const size_t npe = (size_t)ig_elem_info_get(block->type)->nodes;
    ig_lid *copy;
    IG_TRY(IG_NEW(cx, &copy, (size_t)block->count * npe, "connectivity"));
    for (size_t i = 0; i < (size_t)block->count * npe; i++)
      block->conn[i] = new_node[block->conn[i]];
    permute(block->conn, copy, order->element + first, block->count, npe * sizeof *copy);
    permute(block->tag, copy, order->element + first, block->count, sizeof *block->tag);
    free(copy);
    for (ig_lid e = 0; e < block->count; e++)
      order->element[first + e] += first; /* numbered through all blocks */
    first += block->count;
  }
  int64_t *number = (int64_t *)(void *)spare;
  for (ig_lid n = 0; mesh->node_number && n < mesh->nodes; n++)
    number[n] = mesh->node_number[order->node[n]];
  if (mesh->node_number)
    memcpy(mesh->node_number, number, (size_t)mesh->nodes * sizeof *number);
  for (ig_lid e = 0; mesh->element_number && e < first; e++)
    number[e] = mesh->element_number[order->element[e]];
  if (mesh->element_number)
    memcpy(mesh->element_number, number, (size_t)first * sizeof *number);
  sets_renumber(mesh, new_node, new_element);
  return sets_sort(cx, mesh);
}

/* On failure the mesh may be partly renumbered; the caller must free it. */
ig_status ig_mesh_reorder(ig_ctx *cx, ig_mesh *mesh, ig_order *order) {
  memset(order, 0, sizeof *order);
  const ig_lid elements = ig_mesh_elements(mesh);
  /* `list` and `spare` serve nodes and then each block, so they are as long as the longer of the
     two. */
  const ig_lid most = elements > mesh->nodes ? elements : mesh->nodes;
  item *list = NULL, *spare = NULL;
  ig_lid *new_node = NULL, *new_element = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &order->node, mesh->nodes, "numbering"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &order->element, elements, "numbering"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &new_node, mesh->nodes, "numbering"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &new_element, elements, "numbering"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &list, most, "numbering"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &spare, most, "numbering"));
  status = reorder(cx, mesh, order, list, spare, new_node, new_element);
done:
  free(list);
  free(spare);
  free(new_node);
  free(new_element);
  if (status != IG_OK)
    ig_order_free(order);
  return status;
}

void ig_order_free(ig_order *order) {
  free(order->node);
  free(order->element);
  memset(order, 0, sizeof *order);
}
