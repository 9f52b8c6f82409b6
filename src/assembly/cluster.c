/* Cutting a mesh into clusters: recursive coordinate bisection of the elements' centres, always
   across the longest side, until a piece fits (elements and nodes); then the numbers of each
   piece's nodes, and what its elements give to them. Done on the host, once per mesh. */
#include "assembly/cluster_sum.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* STEP_BITS: three coordinates of so many bits are one 64-bit key. MOST_ELEMENTS, MOST_NODES:
   places in a cluster and terms are 16-bit numbers, and one cluster's lists are on the stack. */
enum { STEP_BITS = 20, MOST_ELEMENTS = 1024, MOST_NODES = 2 * MOST_ELEMENTS };

/* --- bisection */

/* An element and its centre, in quarters of a mean element's width: in a grid, rounding must not
   decide on which side of a cut the elements of one plane fall. */
typedef struct {
  int32_t at[3];
  ig_lid id;
} item;

typedef struct {
  item *list;
  const ig_lid *conn;
  int npe, capacity, grain, most;
  int stride;    /* of terms */
  int32_t *seen; /* nodes: the last piece it was counted in */
  int32_t looks;
  struct {
    ig_lid first, count;
  } * piece;
  ig_lid pieces, room;
} cut;

/* Along `axis` first; elements of one plane in the order of the other two. */
static inline uint64_t key(const item *i, int axis) {
  return (uint64_t)i->at[axis] << 2 * STEP_BITS | (uint64_t)i->at[(axis + 1) % 3] << STEP_BITS |
         (uint64_t)i->at[(axis + 2) % 3];
}
static inline bool before(const item *a, const item *b, int axis) {
  const uint64_t p = key(a, axis), q = key(b, axis);
  return p != q ? p < q : a->id < b->id;
}

static void swap(item *a, item *b) {
  const item t = *a;
  *a = *b;
  *b = t;
}

/* Moves the `low` first ones along the axis to the front (Hoare's selection). */
static void split(item *list, ig_lid count, ig_lid low, int axis) {
  ig_lid left = 0, right = count - 1;
  while (left < right) {
    ig_lid i = left, j = right, middle = left + (right - left) / 2;
    if (before(&list[middle], &list[left], axis))
      swap(&list[middle], &list[left]);
    if (before(&list[right], &list[left], axis))
      swap(&list[right], &list[left]);
    if (before(&list[right], &list[middle], axis))
      swap(&list[right], &list[middle]);
    const item pivot = list[middle];
    while (i <= j) {
      while (before(&list[i], &pivot, axis))
        i++;
      while (before(&pivot, &list[j], axis))
        j--;
      if (i <= j)
        swap(&list[i++], &list[j--]);
    }
    if (low <= j)
      right = j;
    else if (low >= i)
      left = i;
    else
      return;
  }
}

static int longest(const item *list, ig_lid count) {
  int32_t low[3], high[3];
  memcpy(low, list[0].at, sizeof low);
  memcpy(high, list[0].at, sizeof high);
  for (ig_lid i = 1; i < count; i++)
    for (int d = 0; d < 3; d++) {
      low[d] = list[i].at[d] < low[d] ? list[i].at[d] : low[d];
      high[d] = list[i].at[d] > high[d] ? list[i].at[d] : high[d];
    }
  int axis = 2; /* of equals the last: planes lie together in memory */
  for (int d = 1; d >= 0; d--)
    axis = high[d] - low[d] > high[axis] - low[axis] ? d : axis;
  return axis;
}

/* In two, so that `pieces` of equal size fit: how many elements come first, in whole grains. */
static ig_lid halve(item *list, ig_lid count, ig_lid pieces, int grain) {
  const int64_t grains = (count + grain - 1) / grain;
  const ig_lid low = (ig_lid)(grains * (pieces / 2) / pieces) * grain;
  split(list, count, low, longest(list, count));
  return low;
}

/* Counts the nodes of a piece with marks that are never cleared: each call has a number of its own.
   A single grain always fits. */
static bool fits(cut *c, ig_lid first, ig_lid count) {
  ig_lid nodes = 0;
  if (count > c->capacity)
    return false;
  const int32_t look = ++c->looks;
  for (ig_lid i = first; i < first + count; i++)
    for (int a = 0; a < c->npe; a++) {
      const ig_lid n = c->conn[(int64_t)c->list[i].id * c->npe + a];
      nodes += c->seen[n] != look;
      c->seen[n] = look;
    }
  return nodes <= c->most || count <= c->grain;
}

/* A stretch that may have to be cut on: too many elements, or elements that share too few nodes. */
static ig_status pieces_note(ig_ctx *cx, cut *c, ig_lid first, ig_lid count) {
  if (!fits(c, first, count)) {
    const ig_lid pieces = (count + c->capacity - 1) / c->capacity;
    const ig_lid low = halve(c->list + first, count, pieces > 1 ? pieces : 2, c->grain);
    IG_TRY(pieces_note(cx, c, first, low));
    return pieces_note(cx, c, first + low, count - low);
  }
  if (c->pieces == c->room) {
    c->room = c->room ? 2 * c->room : 1024;
    void *bigger = realloc(c->piece, (size_t)c->room * sizeof *c->piece);
    if (!bigger)
      return IG_FAIL(cx, IG_MEMORY, "no memory for clusters");
    c->piece = bigger;
  }
  c->piece[c->pieces].first = first;
  c->piece[c->pieces++].count = count;
  return IG_OK;
}

/* Level by level, the stretches of a level on all threads, until each is one piece. */
static ig_status bisect(ig_ctx *cx, cut *c, ig_lid elements) {
  typedef struct {
    ig_lid first, count, pieces;
  } stretch;
  const ig_lid pieces = (elements + c->capacity - 1) / c->capacity;
  stretch *all, *next;
  IG_TRY(IG_NEW(cx, &all, 2 * (size_t)pieces + 2, "clusters"));
  ig_status status = IG_NEW(cx, &next, 2 * (size_t)pieces + 2, "clusters");
  ig_lid count = 1, most = pieces;
  all[0] = (stretch){0, elements, pieces};
  while (status == IG_OK && most > 1) {
    const int team = ig_team(cx, elements, IG_WORK_NODE);
#pragma omp parallel for schedule(dynamic) num_threads(team)
    for (ig_lid s = 0; s < count; s++) {
      const stretch whole = all[s];
      const ig_lid half = whole.pieces / 2;
      ig_lid low = 0;
      if (whole.pieces > 1)
        low = halve(c->list + whole.first, whole.count, whole.pieces, c->grain);
      next[2 * s] = (stretch){whole.first, low, half};
      next[2 * s + 1] = (stretch){whole.first + low, whole.count - low, whole.pieces - half};
    }
    ig_lid kept = 0; /* the first half of what was not cut is empty */
    for (ig_lid s = 0; s < 2 * count; s++)
      if (next[s].count)
        all[kept++] = next[s];
    count = kept;
    most = (most + 1) / 2;
  }
  for (ig_lid s = 0; s < count && status == IG_OK; s++)
    status = pieces_note(cx, c, all[s].first, all[s].count);
  free(all);
  free(next);
  return status;
}

/* --- places */

/* Centres of the elements in steps of a quarter of their mean width. */
static void centres(ig_ctx *cx, const cut *c, ig_lid nodes, ig_lid elements, const double *x) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (ig_lid n = 0; n < nodes; n++)
    for (int d = 0; d < 3; d++) {
      low[d] = fmin(low[d], x[3 * (int64_t)n + d]);
      high[d] = fmax(high[d], x[3 * (int64_t)n + d]);
    }
  double size = 1, longest_side = 0;
  int sides = 0;
  for (int d = 0; d < 3; d++)
    longest_side = fmax(longest_side, high[d] - low[d]);
  for (int d = 0; d < 3; d++)
    if (high[d] - low[d] > 1e-6 * longest_side) {
      size *= high[d] - low[d];
      sides++;
    }
  const double width = sides ? pow(size / elements, 1.0 / sides) : 1;
  const double step = fmax(0.25 * width, longest_side / (1 << (STEP_BITS - 1)));
  const double scale = step > 0 ? 1 / step : 0;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, elements, IG_WORK_NODE))
  for (ig_lid e = 0; e < elements; e++) {
    c->list[e].id = e;
    for (int d = 0; d < 3; d++) {
      double sum = 0;
      for (int a = 0; a < c->npe; a++)
        sum += x[3 * (int64_t)c->conn[(int64_t)e * c->npe + a] + d] - low[d];
      c->list[e].at[d] = (int32_t)(sum / c->npe * scale + 0.5);
    }
  }
}

/* --- nodes */

enum { NOBODY = -1, SEVERAL = -2 };

/* Whose each node is; a border node's clusters, in slots: `first` of each, `of` each slot. */
typedef struct {
  int32_t *owner; /* nodes: cluster, NOBODY, or SEVERAL less its number among border nodes */
  int32_t *place; /* nodes: in the list of the cluster's nodes; inner ones only */
  int32_t *of;    /* slots: cluster */
} owners;

/* A node is inner if all its elements are in one cluster: then that cluster alone writes its sum.
 */
static void owners_find(const cut *c, ig_lid nodes, owners *o) {
  for (ig_lid n = 0; n < nodes; n++)
    o->owner[n] = NOBODY;
  for (ig_lid k = 0; k < c->pieces; k++)
    for (ig_lid i = c->piece[k].first; i < c->piece[k].first + c->piece[k].count; i++)
      for (int a = 0; a < c->npe; a++) {
        int32_t *owner = &o->owner[c->conn[(int64_t)c->list[i].id * c->npe + a]];
        *owner = *owner == NOBODY || *owner == k ? k : SEVERAL;
      }
}

/* Calls for every border node of every cluster, once each: counts, then fills the slots. */
static void slots_walk(cut *c, const owners *o, int32_t *first, bool fill) {
  for (ig_lid k = 0; k < c->pieces; k++) {
    const int32_t look = ++c->looks;
    for (ig_lid i = c->piece[k].first; i < c->piece[k].first + c->piece[k].count; i++)
      for (int a = 0; a < c->npe; a++) {
        const ig_lid n = c->conn[(int64_t)c->list[i].id * c->npe + a];
        if (o->owner[n] > SEVERAL || c->seen[n] == look)
          continue;
        c->seen[n] = look;
        int32_t *at = &first[SEVERAL - o->owner[n]];
        if (fill)
          o->of[(*at)++] = k; /* moves on to the end, which is the next one's beginning */
        else
          at[1]++;
      }
  }
}

/* Numbers the border nodes and their slots, one per cluster that has the node, by counting: `first`
   holds counts, then beginnings; filling moves each to its end, and it is shifted back. */
static ig_status border_number(ig_ctx *cx, cut *c, ig_lid nodes, owners *o, ig_clusters *out) {
  for (ig_lid n = 0; n < nodes; n++)
    out->borders += o->owner[n] == SEVERAL;
  IG_TRY(ig_array_new(cx, &out->border, (size_t)out->borders, sizeof(int32_t), "cluster borders"));
  IG_TRY(
      ig_array_new(cx, &out->first, (size_t)out->borders + 1, sizeof(int32_t), "cluster borders"));
  int32_t *border = out->border.host, *first = out->first.host, at = 0;
  for (ig_lid n = 0; n < nodes; n++)
    if (o->owner[n] == SEVERAL) {
      o->owner[n] = SEVERAL - at;
      border[at++] = n;
    }
  slots_walk(c, o, first, false);
  for (int32_t b = 0; b < out->borders; b++)
    first[b + 1] += first[b];
  out->slots = first[out->borders];
  IG_TRY(IG_NEW(cx, &o->of, out->slots, "cluster slots"));
  slots_walk(c, o, first, true);
  memmove(first + 1, first, (size_t)out->borders * sizeof *first);
  first[0] = 0;
  return IG_OK;
}

/* The nodes of every cluster: inner ones, then its part of the border, rising. */
static ig_status nodes_list(ig_ctx *cx, const cut *c, ig_lid nodes, const owners *o,
                            ig_clusters *out) {
  ig_cluster *cluster = out->cluster.host;
  int64_t inner = 0;
  for (ig_lid n = 0; n < nodes; n++)
    if (o->owner[n] >= 0) {
      cluster[o->owner[n]].inner++;
      inner++;
    }
  if (inner + out->slots > INT32_MAX)
    return IG_FAIL(cx, IG_INPUT, "assembly 'cluster': this mesh is too large: choose 'atomic'");
  for (int64_t s = 0; s < out->slots; s++)
    cluster[o->of[s]].nodes++;
  int32_t at = 0, slots = 0;
  for (ig_lid k = 0; k < c->pieces; k++) {
    cluster[k].node = at;
    cluster[k].slot = slots;
    slots += cluster[k].nodes;
    cluster[k].nodes += cluster[k].inner;
    at += cluster[k].nodes;
    out->most_nodes = cluster[k].nodes > out->most_nodes ? cluster[k].nodes : out->most_nodes;
    cluster[k].first = cluster[k].count = 0; /* counters of what is listed, for now */
  }
  IG_TRY(ig_array_new(cx, &out->node, (size_t)at, sizeof(int32_t), "nodes of clusters"));
  IG_TRY(ig_array_new(cx, &out->slot, (size_t)out->slots, sizeof(int32_t), "cluster slots"));
  int32_t *node = out->node.host, *slot = out->slot.host;
  for (ig_lid n = 0; n < nodes; n++)
    if (o->owner[n] >= 0) {
      ig_cluster *k = &cluster[o->owner[n]];
      o->place[n] = k->first++;
      node[k->node + o->place[n]] = n;
    }
  for (int32_t b = 0; b < out->borders; b++)
    for (int32_t s = ((int32_t *)out->first.host)[b]; s < ((int32_t *)out->first.host)[b + 1];
         s++) {
      ig_cluster *k = &cluster[o->of[s]];
      node[k->node + k->inner + k->count] = ((int32_t *)out->border.host)[b];
      slot[k->slot + k->count++] = s;
    }
  return IG_OK;
}

/* A node's place in cluster k. */
static int place_of(const owners *o, const ig_cluster *k, const int32_t *node, ig_lid n) {
  if (o->owner[n] >= 0)
    return o->place[n];
  int low = k->inner, high = k->nodes - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (node[k->node + middle] < n)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* --- elements */

static int by_place(const void *a, const void *b) {
  return before(a, b, 2) ? -1 : before(b, a, 2);
}

/* Elements of piece k in the order of places; then, node by node, what they give to it. */
static void piece_write(const cut *c, const owners *o, ig_lid k, ig_clusters *out) {
  ig_cluster *piece = &((ig_cluster *)out->cluster.host)[k];
  const int count = c->piece[k].count, npe = c->npe;
  item *list = c->list + c->piece[k].first;
  uint16_t *local = (uint16_t *)out->local.host + (int64_t)c->piece[k].first * npe;
  uint16_t *term = (uint16_t *)out->term.host + (int64_t)c->piece[k].first * npe;
  uint16_t *end = (uint16_t *)out->end.host + piece->node;
  uint16_t at[MOST_NODES] = {0};
  piece->first = c->piece[k].first;
  piece->count = count;
  piece->earliest = INT32_MAX;
  qsort(list, (size_t)count, sizeof *list, by_place);
  for (int i = 0; i < count; i++) {
    ((int32_t *)out->order.host)[piece->first + i] = list[i].id;
    piece->earliest = list[i].id < piece->earliest ? list[i].id : piece->earliest;
    for (int a = 0; a < npe; a++) {
      const ig_lid n = c->conn[(int64_t)list[i].id * npe + a];
      local[i * npe + a] = (uint16_t)place_of(o, piece, out->node.host, n);
      at[local[i * npe + a]]++;
    }
  }
  int sum = 0;
  for (int j = 0; j < piece->nodes; j++) {
    const int own = at[j];
    at[j] = (uint16_t)sum;
    sum += own;
    end[j] = (uint16_t)sum;
  }
  for (int i = 0; i < count; i++)
    for (int a = 0; a < npe; a++)
      term[at[local[i * npe + a]]++] = (uint16_t)(a * c->stride + i);
}

static ig_status elements_list(ig_ctx *cx, const cut *c, ig_lid elements, const owners *o,
                               ig_clusters *out) {
  const size_t n = (size_t)elements;
  IG_TRY(ig_array_new(cx, &out->order, n, sizeof(int32_t), "elements of clusters"));
  IG_TRY(ig_array_new(cx, &out->local, n * (size_t)c->npe, sizeof(uint16_t), "nodes of elements"));
  IG_TRY(ig_array_new(cx, &out->term, n * (size_t)c->npe, sizeof(uint16_t), "sums of clusters"));
  IG_TRY(ig_array_new(cx, &out->end, out->node.count, sizeof(uint16_t), "sums of clusters"));
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, elements, IG_WORK_ELEMENT))
  for (ig_lid k = 0; k < c->pieces; k++)
    piece_write(c, o, k, out);
  return IG_OK;
}

/* Order matters: owners before borders, borders before the lists of nodes, these before elements.
 */
static ig_status clusters_make(ig_ctx *cx, cut *c, ig_lid nodes, ig_lid elements, const double *x,
                               owners *o, ig_clusters *out) {
  IG_TRY(IG_NEW(cx, &c->list, elements, "centres of elements"));
  IG_TRY(IG_NEW(cx, &c->seen, nodes, "nodes of clusters"));
  IG_TRY(IG_NEW(cx, &o->owner, nodes, "nodes of clusters"));
  IG_TRY(IG_NEW(cx, &o->place, nodes, "nodes of clusters"));
  centres(cx, c, nodes, elements, x);
  IG_TRY(bisect(cx, c, elements));
  out->count = c->pieces;
  IG_TRY(ig_array_new(cx, &out->cluster, (size_t)c->pieces, sizeof(ig_cluster), "clusters"));
  owners_find(c, nodes, o);
  IG_TRY(border_number(cx, c, nodes, o, out));
  IG_TRY(nodes_list(cx, c, nodes, o, out));
  IG_TRY(elements_list(cx, c, elements, o, out));
  ig_array *all[] = {&out->cluster, &out->order, &out->local,  &out->term, &out->end,
                     &out->node,    &out->slot,  &out->border, &out->first};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    IG_TRY(ig_array_push(cx, all[i]));
  return IG_OK;
}

static ig_status clusters_new(ig_ctx *cx, ig_lid nodes, ig_lid elements, const double *x, cut c,
                              ig_clusters *out) {
  memset(out, 0, sizeof *out);
  if (c.capacity < 1 || c.stride > MOST_ELEMENTS || c.most > MOST_NODES || c.grain < 1 ||
      c.capacity % c.grain != 0)
    return IG_FAIL(cx, IG_INPUT, "clusters of %d elements, %d by %d: 1 to %d are possible",
                   c.capacity, c.grain, c.grain, MOST_ELEMENTS);
  owners o = {NULL, NULL, NULL};
  out->capacity = c.stride;
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_PLANS);
  const ig_status status = clusters_make(cx, &c, nodes, elements, x, &o, out);
  ig_phase_end(cx, former);
  free(c.list);
  free(c.seen);
  free(c.piece);
  free(o.owner);
  free(o.place);
  free(o.of);
  if (status != IG_OK)
    ig_clusters_free(cx, out);
  return status;
}

ig_status ig_clusters_new(ig_ctx *cx, ig_lid nodes, ig_lid elements, int npe, const ig_lid *conn,
                          const double *x, int capacity, int grain, ig_clusters *out) {
  return clusters_new(cx, nodes, elements, x,
                      (cut){.conn = conn,
                            .npe = npe,
                            .capacity = capacity,
                            .stride = capacity,
                            .grain = grain,
                            .most = 2 * capacity},
                      out);
}

/* Blocks that give each multiprocessor of a large GPU two. */
enum { BLOCKS = 264, LEAST = 16 };
ig_status ig_clusters_new_sized(ig_ctx *cx, ig_lid nodes, ig_lid elements, int npe,
                                const ig_lid *conn, const double *x, int capacity, int most,
                                ig_clusters *out) {
  const ig_lid share = (elements / BLOCKS + LEAST) / LEAST * LEAST;
  return clusters_new(cx, nodes, elements, x,
                      (cut){.conn = conn,
                            .npe = npe,
                            .capacity = share < capacity ? (int)share : capacity,
                            .stride = capacity,
                            .grain = 1,
                            .most = most},
                      out);
}

void ig_clusters_free(ig_ctx *cx, ig_clusters *c) {
  ig_array *all[] = {&c->cluster, &c->order, &c->local,  &c->term, &c->end,
                     &c->node,    &c->slot,  &c->border, &c->first};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ig_array_free(cx, all[i]);
  memset(c, 0, sizeof *c);
}

ig_cluster_view ig_clusters_view(const ig_clusters *c) {
  return (ig_cluster_view){.count = c->count,
                           .borders = c->borders,
                           .most_nodes = c->most_nodes,
                           .capacity = c->capacity,
                           .cluster = c->cluster.dev,
                           .order = c->order.dev,
                           .node = c->node.dev,
                           .slot = c->slot.dev,
                           .border = c->border.dev,
                           .first = c->first.dev,
                           .local = c->local.dev,
                           .term = c->term.dev,
                           .end = c->end.dev};
}

double ig_clusters_bytes(const ig_clusters *c, int npe, double size) {
  const double elements = (double)c->order.count;
  return (double)c->count * sizeof(ig_cluster) + elements * 4 * npe + 6.0 * (double)c->node.count +
         (4 + 2 * size) * (double)c->slots + 8.0 * c->borders;
}
