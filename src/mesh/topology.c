/* Mesh connectivity: elements at nodes, neighbours through faces, the boundary. Counting sorts
   throughout: linear in the mesh, no allocation per face. Parallel passes fill lists in arbitrary
   order and sort each list afterwards, so results do not depend on threads. */
#include "mesh/topology.h"
#include "core/threads.h"
#include "core/sorted.h"

#include <stdlib.h>
#include <string.h>

void ig_csr_free(ig_csr *csr) {
  free(csr->start);
  free(csr->item);
  memset(csr, 0, sizeof *csr);
}

/* Unsigned comparison: negative numbers are found too. */
static ig_status nodes_check(ig_ctx *cx, ig_lid nodes, int64_t corners, const ig_lid *conn) {
  uint32_t worst = 0;
#pragma omp parallel for num_threads(ig_team(cx, corners, IG_WORK_VALUE)) reduction(max            \
                                                                                    : worst)       \
    schedule(static)
  for (int64_t c = 0; c < corners; c++)
    worst = (uint32_t)conn[c] > worst ? (uint32_t)conn[c] : worst;
  if (corners > 0 && worst >= (uint32_t)nodes)
    return IG_FAIL(cx, IG_INPUT, "an element uses node %d: the mesh has %d nodes", (int)worst,
                   nodes);
  return IG_OK;
}

/* Returns *place and increments it; atomically if several threads do so (`shared`). Which thread
   comes first is arbitrary: lists filled this way are sorted afterwards. */
static inline ig_lid take(ig_lid *place, bool shared) {
  return shared ? __atomic_fetch_add(place, 1, __ATOMIC_RELAXED) : (*place)++;
}

/* Insertion sort for short lists: most are the few neighbours of a node. */
void ig_lids_sort(ig_lid *item, ig_lid count) {
  if (count > 64) { /* most lists are of a few neighbours */
    qsort(item, (size_t)count, sizeof *item, ig_rising_i32);
    return;
  }
  for (ig_lid i = 1; i < count; i++) {
    const ig_lid one = item[i];
    ig_lid j = i;
    for (; j > 0 && item[j - 1] > one; j--)
      item[j] = item[j - 1];
    item[j] = one;
  }
}

/* Stream compaction in two passes over pieces of 16384 items: count, then write at the prefix sums.
   The order is kept. Rising numbers of all marked items. Counted and filled in pieces, whose starts
   follow from a sum, so that threads share the work and the list does not depend on them. */
ig_status ig_lids_where(ig_ctx *cx, const uint8_t *mark, ig_lid count, ig_lid **list,
                        ig_lid *found) {
  enum { PIECE = 1 << 14 };
  const ig_lid pieces = (ig_lid)(((int64_t)count + PIECE - 1) / PIECE);
  const int team = ig_team(cx, count, IG_WORK_VALUE);
  ig_lid *start;
  *list = NULL;
  *found = 0;
  IG_TRY(IG_NEW(cx, &start, (size_t)pieces + 1, "marked items"));
#pragma omp parallel for num_threads(team) schedule(static)
  for (ig_lid p = 0; p < pieces; p++) {
    const ig_lid end = count - p * PIECE < PIECE ? count : (p + 1) * PIECE;
    for (ig_lid i = p * PIECE; i < end; i++)
      start[p + 1] += mark[i] != 0;
  }
  for (ig_lid p = 0; p < pieces; p++)
    start[p + 1] += start[p];
  const ig_status status = IG_NEW(cx, list, start[pieces], "marked items");
  if (status == IG_OK) {
    *found = start[pieces];
#pragma omp parallel for num_threads(team) schedule(static)
    for (ig_lid p = 0; p < pieces; p++) {
      const ig_lid end = count - p * PIECE < PIECE ? count : (p + 1) * PIECE;
      ig_lid at = start[p];
      for (ig_lid i = p * PIECE; i < end && at < start[p + 1]; i++)
        if (mark[i])
          (*list)[at++] = i;
    }
  }
  free(start);
  return status;
}

/* Elements at each node, rising, as a compressed list: csr->start has nodes + 1 entries. One place
 * more serves counting and filling without a second array. */
ig_status ig_mesh_node_elements(ig_ctx *cx, ig_lid nodes, ig_lid elements, int npe,
                                const ig_lid *conn, ig_csr *csr) {
  memset(csr, 0, sizeof *csr);
  const int64_t corners = (int64_t)elements * npe;
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_TOPOLOGY);
  IG_TRY(nodes_check(cx, nodes, corners, conn));
  if (corners > INT32_MAX)
    return IG_FAIL(cx, IG_INPUT, "%lld element corners are more than the %d that can be numbered",
                   (long long)corners, INT32_MAX);
  IG_TRY(IG_NEW(cx, &csr->start, (size_t)nodes + 2, "elements at nodes"));
  const ig_status status = IG_NEW(cx, &csr->item, corners, "elements at nodes");
  if (status != IG_OK) {
    ig_csr_free(csr);
    return status;
  }
  /* start has two entries more than needed at the front: counts go to start[n + 2], their prefix
     sums to start[n + 1], and filling advances start[n + 1] to the start of n + 1. No second array
     is needed. */
  const int team = ig_team(cx, corners, IG_WORK_VALUE);
  ig_lid *at = csr->start + 2;
#pragma omp parallel for num_threads(team) schedule(static)
  for (int64_t c = 0; c < corners; c++)
    (void)take(&at[conn[c]], team > 1);
  at = csr->start + 1;
  for (ig_lid n = 0; n < nodes; n++)
    at[n + 1] += at[n];
#pragma omp parallel for num_threads(team) schedule(static)
  for (ig_lid e = 0; e < elements; e++)
    for (int a = 0; a < npe; a++)
      csr->item[take(&at[conn[(size_t)e * (size_t)npe + (size_t)a]], team > 1)] = e;
  if (team > 1) {
#pragma omp parallel for num_threads(team) schedule(static)
    for (ig_lid n = 0; n < nodes; n++)
      ig_lids_sort(csr->item + csr->start[n], csr->start[n + 1] - csr->start[n]);
  }
  ig_phase_end(cx, former);
  return IG_OK;
}

/* A face for matching: corner nodes in rising order without the lowest (-1 if fewer), and where it
   comes from. Faces are first grouped by their lowest node. */
typedef struct {
  ig_lid key[3]; /* the lowest node is the bucket's */
  ig_lid element;
  ig_lid id;
  uint8_t face;
} entry;

/* Lowest node of a face. A repeated last node of a triangle does no harm here. */
static ig_lid face_low(const ig_lid *conn, const int *local, int corners) {
  ig_lid low = conn[local[0]];
  for (int a = 1; a < corners; a++)
    low = conn[local[a]] < low ? conn[local[a]] : low;
  return low;
}

/* By the remaining nodes, then by face number: the order of equal faces does not depend on how the
   bucket was filled. */
static int entry_compare(const void *a, const void *b) {
  const entry *p = a, *q = b;
  for (int i = 0; i < 3; i++)
    if (p->key[i] != q->key[i])
      return p->key[i] < q->key[i] ? -1 : 1;
  return p->id < q->id ? -1 : p->id > q->id;
}

/* Finds block, element and local face from the face number. */
static entry entry_make(const ig_mesh *mesh, const ig_adjacency *adj, ig_lid id) {
  int b = 0;
  ig_lid first = 0;
  while (id >= adj->start[b + 1])
    first += mesh->block[b++].count;
  const ig_block *block = &mesh->block[b];
  const ig_elem_info *info = ig_elem_info_get(block->type);
  const ig_lid e = (id - adj->start[b]) / info->faces;
  const int face = (id - adj->start[b]) % info->faces;
  const int corners = ig_elem_face_distinct(block->type, face);
  const int *local = ig_elem_face(block->type, face);
  const ig_lid *conn = block->conn + (size_t)e * (size_t)info->nodes;
  ig_lid node[4];
  for (int a = 0; a < corners; a++) {
    int i = a;
    for (; i > 0 && node[i - 1] > conn[local[a]]; i--)
      node[i] = node[i - 1];
    node[i] = conn[local[a]];
  }
  entry made = {.element = first + e, .id = id, .face = (uint8_t)face};
  for (int i = 0; i < 3; i++)
    made.key[i] = i + 1 < corners ? node[i + 1] : -1;
  return made;
}

/* Matches the faces that share their lowest node: sorted by the other nodes, equal ones are
   neighbours. Three or more equal faces (shells that meet, non-manifold edges) are a junction.
   Insertion sort for few faces; qsort where thousands meet at a node. */
static void bucket_match(const ig_mesh *mesh, const ig_adjacency *adj, const ig_lid *id, int count,
                         entry *list) {
  for (int i = 0; i < count; i++) {
    const entry made = entry_make(mesh, adj, id[i]);
    int j = i;
    if (count <= 64)
      for (; j > 0 && entry_compare(&made, &list[j - 1]) < 0; j--)
        list[j] = list[j - 1];
    list[j] = made;
  }
  if (count > 64)
    qsort(list, (size_t)count, sizeof *list, entry_compare);
  for (int i = 0, j; i < count; i = j) {
    for (j = i + 1; j < count && memcmp(list[i].key, list[j].key, sizeof list->key) == 0;)
      j++;
    for (int k = i; k < j; k++) {
      /* Of a pair (i, i + 1) the partner of k is i + j - 1 - k. */
      const entry *other = &list[j - i == 2 ? i + j - 1 - k : k];
      adj->neighbor[list[k].id] = j - i == 1   ? IG_NO_NEIGHBOR
                                  : j - i == 2 ? other->element
                                               : IG_JUNCTION;
      adj->back[list[k].id] = other->face;
    }
  }
}

/* Counts the faces of each lowest node (bucket NULL), or lists them in arbitrary order. */
static void faces_spread(const ig_mesh *mesh, const ig_adjacency *adj, int team, ig_lid *start,
                         ig_lid *bucket) {
  for (int i = 0; i < mesh->blocks; i++) {
    const ig_block *b = &mesh->block[i];
    const ig_elem_info *info = ig_elem_info_get(b->type);
    const int corners = ig_elem_face_corners(info), faces = info->faces;
    const int *local[6];
    for (int f = 0; f < faces; f++)
      local[f] = ig_elem_face(b->type, f);
#pragma omp parallel for num_threads(team) schedule(static)
    for (ig_lid e = 0; e < b->count; e++)
      for (int f = 0; f < faces; f++) {
        const ig_lid low = face_low(b->conn + (size_t)e * (size_t)info->nodes, local[f], corners);
        if (bucket)
          bucket[take(&start[low + 1], team > 1)] = adj->start[i] + e * faces + f;
        else
          (void)take(&start[low + 2], team > 1);
      }
  }
}

/* Each thread has a list for the largest bucket. A thread without memory skips its share and the
   whole fails. Faces are spread over buckets by their lowest node; within a bucket equal ones are
   pairs. Each thread has a list as long as the largest bucket; buckets are independent. */
static ig_status adjacency_fill(ig_ctx *cx, const ig_mesh *mesh, ig_adjacency *adj, ig_lid *start,
                                ig_lid *bucket) {
  const int team = ig_team(cx, adj->faces, IG_WORK_NODE);
  faces_spread(mesh, adj, team, start, NULL);
  for (ig_lid n = 0; n < mesh->nodes; n++)
    start[n + 2] += start[n + 1];
  faces_spread(mesh, adj, team, start, bucket);
  ig_lid most = 0;
  for (ig_lid n = 0; n < mesh->nodes; n++)
    most = start[n + 1] - start[n] > most ? start[n + 1] - start[n] : most;
  bool good = true;
#pragma omp parallel num_threads(ig_team(cx, mesh->nodes, IG_WORK_ELEMENT))
  {
    entry *list = malloc((size_t)(most ? most : 1) * sizeof *list);
    if (!list) {
#pragma omp atomic write
      good = false;
    }
#pragma omp for schedule(static)
    for (ig_lid n = 0; n < mesh->nodes; n++)
      if (list)
        bucket_match(mesh, adj, bucket + start[n], start[n + 1] - start[n], list);
    free(list);
  }
  return good ? IG_OK : IG_FAIL(cx, IG_MEMORY, "no memory to match faces");
}

/* neighbor[f]: the face on the other side of face f, or IG_NO_NEIGHBOR. Free with
   ig_adjacency_free. */
ig_status ig_mesh_adjacency(ig_ctx *cx, const ig_mesh *mesh, ig_adjacency *adj) {
  memset(adj, 0, sizeof *adj);
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_TOPOLOGY);
  ig_lid *start = NULL, *bucket = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &adj->start, (size_t)mesh->blocks + 1, "face numbers"));
  /* Counted in 64 bits: the limit is checked before numbers are stored in 32. */
  int64_t faces = 0;
  for (int i = 0; i < mesh->blocks; i++) {
    const ig_block *b = &mesh->block[i];
    const ig_elem_info *info = ig_elem_info_get(b->type);
    IG_TRY_GOTO(status, done,
                nodes_check(cx, mesh->nodes, (int64_t)b->count * info->nodes, b->conn));
    faces += (int64_t)b->count * info->faces;
    if (faces > INT32_MAX) {
      status = IG_FAIL(cx, IG_INPUT, "the mesh has more faces than the %d that can be numbered",
                       INT32_MAX);
      goto done;
    }
    adj->start[i + 1] = (ig_lid)faces;
  }
  adj->faces = (ig_lid)faces;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &adj->neighbor, faces, "face neighbours"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &adj->back, faces, "face neighbours"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &start, (size_t)mesh->nodes + 2, "face buckets"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &bucket, faces, "face buckets"));
  status = adjacency_fill(cx, mesh, adj, start, bucket);
done:
  free(start);
  free(bucket);
  ig_phase_end(cx, former);
  if (status != IG_OK)
    ig_adjacency_free(adj);
  return status;
}

void ig_adjacency_free(ig_adjacency *adj) {
  free(adj->start);
  free(adj->neighbor);
  free(adj->back);
  memset(adj, 0, sizeof *adj);
}

/* A junction is not boundary: there are elements on the other side. Faces without a neighbour, by
   element and then by face. */
ig_status ig_mesh_boundary(ig_ctx *cx, const ig_mesh *mesh, ig_boundary *boundary) {
  memset(boundary, 0, sizeof *boundary);
  ig_adjacency adj;
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_TOPOLOGY);
  IG_TRY(ig_mesh_adjacency(cx, mesh, &adj));
  ig_lid count = 0;
  for (ig_lid f = 0; f < adj.faces; f++)
    count += adj.neighbor[f] == IG_NO_NEIGHBOR;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &boundary->element, count, "boundary faces"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &boundary->face, count, "boundary faces"));
  boundary->count = count;
  count = 0;
  ig_lid id = 0, element = 0;
  for (int i = 0; i < mesh->blocks; i++) {
    const int faces = ig_elem_info_get(mesh->block[i].type)->faces;
    for (ig_lid e = 0; e < mesh->block[i].count; e++, element++)
      for (int f = 0; f < faces; f++)
        if (adj.neighbor[id++] == IG_NO_NEIGHBOR) {
          boundary->element[count] = element;
          boundary->face[count++] = (uint8_t)f;
        }
  }
done:
  ig_adjacency_free(&adj);
  ig_phase_end(cx, former);
  if (status != IG_OK)
    ig_boundary_free(boundary);
  return status;
}

void ig_boundary_free(ig_boundary *boundary) {
  free(boundary->element);
  free(boundary->face);
  memset(boundary, 0, sizeof *boundary);
}
