/* Greedy coloring of elements, so that elements of one color share no node and can be assembled in
   parallel without atomics. Elements with most neighbours come first (Welsh and Powell 1967); each
   takes the lowest color that is free at all its nodes. Afterwards elements move from large to
   small colors, because threads work through one color at a time and a tiny color wastes them.

   Each node stores the colors around it as bits, so a choice costs one look at each node of the
   element. The result depends on the mesh only. */
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

/* Words of 64 colors per node, at most. 4096 colors mean a node with 4096 elements: such a mesh is
   refused. */
enum { MOST_WORDS = 64 }; /* 64 colors a word */

/* One connectivity array, elements x npe. */
typedef struct {
  ig_lid nodes, elements;
  int npe;
  const ig_lid *conn;
} incidence;

static const ig_lid *nodes_of(const incidence *m, ig_lid e) {
  return m->conn + (size_t)e * (size_t)m->npe;
}

/* Elements by falling degree (number of elements that share a node), by a counting sort that keeps
   rising numbers within a degree. */
static ig_status degree_order(ig_ctx *cx, const incidence *m, const ig_csr *around, ig_lid *order) {
  ig_lid *seen = NULL, *degree = NULL, *start = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &seen, m->elements, "coloring"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &degree, m->elements, "coloring"));
  ig_lid most = 0;
  for (ig_lid e = 0; e < m->elements; e++) {
    const ig_lid *node = nodes_of(m, e);
    ig_lid d = 0;
    for (int a = 0; a < m->npe; a++)
      for (ig_lid i = around->start[node[a]]; i < around->start[node[a] + 1]; i++) {
        /* seen[other] == e + 1 marks elements already counted for e; no reset is needed between
           elements. */
        const ig_lid other = around->item[i];
        d += seen[other] != e + 1;
        seen[other] = e + 1;
      }
    degree[e] = d;
    most = d > most ? d : most;
  }
  IG_TRY_GOTO(status, done, IG_NEW(cx, &start, (size_t)most + 2, "coloring"));
  for (ig_lid e = 0; e < m->elements; e++)
    start[most - degree[e] + 1]++;
  for (ig_lid d = 0; d <= most; d++)
    start[d + 1] += start[d];
  for (ig_lid e = 0; e < m->elements; e++)
    order[start[most - degree[e]]++] = e;
done:
  free(seen);
  free(degree);
  free(start);
  return status;
}

/* Colors of word w that are in use at the element's nodes, as bits. */
static uint64_t taken_at(const uint64_t *used, int words, int w, const ig_lid *node, int npe) {
  uint64_t taken = 0;
  for (int a = 0; a < npe; a++)
    taken |= used[(size_t)node[a] * (size_t)words + (size_t)w];
  return taken;
}

/* The lowest color free at the element's nodes, -1 if `words` are too few. */
static int lowest_free(const uint64_t *used, int words, const ig_lid *node, int npe) {
  for (int w = 0; w < words; w++) {
    const uint64_t taken = taken_at(used, words, w, node, npe);
    if (~taken)
      return 64 * w + __builtin_ctzll(~taken);
  }
  return -1;
}

/* Sets or clears a color at all nodes of an element. */
static void mark(uint64_t *used, int words, const ig_lid *node, int npe, int color, bool on) {
  const uint64_t bit = (uint64_t)1 << (color & 63);
  for (int a = 0; a < npe; a++) {
    uint64_t *word = &used[(size_t)node[a] * (size_t)words + (size_t)(color >> 6)];
    *word = on ? *word | bit : *word & ~bit;
  }
}

/* Colors all elements in the given order. Returns the number of colors, -1 if `words` words are not
   enough. used: nodes x words. */
static int greedy(const incidence *m, const ig_lid *order, uint64_t *used, int words,
                  int16_t *color) {
  int colors = 0;
  for (ig_lid i = 0; i < m->elements; i++) {
    const ig_lid *node = nodes_of(m, order[i]);
    const int c = lowest_free(used, words, node, m->npe);
    if (c < 0)
      return -1;
    mark(used, words, node, m->npe, c, true);
    color[order[i]] = (int16_t)c;
    colors = c + 1 > colors ? c + 1 : colors;
  }
  return colors;
}

/* One pass: an element of a color above the mean goes to the smallest color below the mean that is
   free at all its nodes. Moves elements from colours that have more than their share into smaller
   ones that have no element at the same nodes. Greedy and in the order of elements: the result is
   the same for any number of threads. */
static void balance(const incidence *m, uint64_t *used, int words, int colors, ig_lid *size,
                    int16_t *color) {
  const ig_lid fair = (m->elements + colors - 1) / colors;
  for (ig_lid e = 0; e < m->elements; e++) {
    const int from = color[e];
    if (size[from] <= fair)
      continue;
    int to = -1;
    const ig_lid *node = nodes_of(m, e);
    for (int w = 0; w < words; w++) {
      const uint64_t taken = taken_at(used, words, w, node, m->npe);
      for (int c = 64 * w; c < 64 * (w + 1) && c < colors; c++)
        if (!(taken >> (c & 63) & 1) && size[c] < fair && (to < 0 || size[c] < size[to]))
          to = c;
    }
    if (to < 0)
      continue;
    mark(used, words, node, m->npe, from, false);
    mark(used, words, node, m->npe, to, true);
    size[from]--;
    size[to]++;
    color[e] = (int16_t)to;
  }
}

/* Colours in the order of falling degree (Welsh and Powell 1967), then balances them. Each node has
 * a bit for every colour, in words of 64. */
static ig_status color(ig_ctx *cx, const incidence *m, const ig_csr *around, ig_coloring *out) {
  memset(out, 0, sizeof *out);
  ig_lid *size = NULL;
  uint64_t *used = NULL;
  int16_t *color_of = NULL;
  int colors = -1, words = 1;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &out->order, m->elements, "coloring"));
  IG_TRY_GOTO(status, done, degree_order(cx, m, around, out->order));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &color_of, m->elements, "coloring"));
  /* 64 colors suffice for almost all meshes; if not, the whole coloring is repeated with four times
     as many. */
  for (; words <= MOST_WORDS; words *= 4) {
    free(used);
    IG_TRY_GOTO(status, done, IG_NEW(cx, &used, (size_t)m->nodes * (size_t)words, "coloring"));
    if ((colors = greedy(m, out->order, used, words, color_of)) >= 0)
      break;
  }
  if (colors < 0) {
    status = IG_FAIL(cx, IG_INPUT,
                     "the mesh needs more than %d colors, some node has that many elements: choose "
                     "assembly atomic or gather",
                     64 * MOST_WORDS);
    goto done;
  }
  IG_TRY_GOTO(status, done, IG_NEW(cx, &size, (size_t)colors + 1, "coloring"));
  for (ig_lid e = 0; e < m->elements; e++)
    size[color_of[e]]++;
  if (colors > 0)
    balance(m, used, words, colors, size, color_of);
  IG_TRY_GOTO(status, done, IG_NEW(cx, &out->start, (size_t)colors + 1, "coloring"));
  out->colors = colors;
  for (int c = 0; c < colors; c++)
    out->start[c + 1] = out->start[c] + size[c];
  /* Second use of `size`: the next free place of each color. Elements are taken in rising order, so
     they rise within a color. */
  memcpy(size, out->start, (size_t)(colors + 1) * sizeof *size);
  for (ig_lid e = 0; e < m->elements; e++)
    out->order[size[color_of[e]]++] = e;
done:
  free(size);
  free(used);
  free(color_of);
  if (status != IG_OK)
    ig_coloring_free(out);
  return status;
}

/* start and order of the result are freed by ig_coloring_free. Sequential: O(corners x words). */
ig_status ig_mesh_color(ig_ctx *cx, ig_lid nodes, ig_lid elements, int npe, const ig_lid *conn,
                        ig_coloring *coloring) {
  memset(coloring, 0, sizeof *coloring);
  ig_csr around;
  IG_TRY(ig_mesh_node_elements(cx, nodes, elements, npe, conn, &around));
  const incidence m = {nodes, elements, npe, conn};
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_COLORING);
  const ig_status status = color(cx, &m, &around, coloring);
  ig_phase_end(cx, former);
  ig_csr_free(&around);
  return status;
}

void ig_coloring_free(ig_coloring *coloring) {
  free(coloring->start);
  free(coloring->order);
  memset(coloring, 0, sizeof *coloring);
}
