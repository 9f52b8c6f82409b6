/* Runs: stretches of elements and nodes that follow each other, for the CPU's vectors
   (heat_run_cpu.inc). In a mesh of boxes the nodes of element e + 1 are those of e plus one, so a
   vector of elements loads each corner's temperatures as one vector instead of gathering them. The
   same holds for nodes and their slots. A byte per item says how many follow, itself included. */
#include "core/threads.h"
#include "thermal/engine/heat_make.h"

#include <string.h>

/* The nodes of element e + 1 are those of e plus one; both have one class and one material. */
static bool element_follows(const ig_heat *h, ig_lid e) {
  const ig_lid *conn = ig_heat_conn(h, e), *next = ig_heat_conn(h, e + 1);
  const uint8_t *material = h->material.of.host;
  const int32_t *class = h->shape.class_of.host;
  for (int a = 0; a < 8; a++)
    if (next[a] != conn[a] + 1)
      return false;
  return material[e] == material[e + 1] && (!class || class[e] == class[e + 1]);
}

/* Whether node n + 1 has as many slots as n, and each is the next one of n's. */
static bool node_follows(const ig_heat *h, ig_lid n) {
  const ig_lid *first = h->elems.first.host, *list = h->run.list.host;
  const ig_lid count = first[n + 1] - first[n];
  if (first[n + 2] - first[n + 1] != count)
    return false;
  for (ig_lid i = 0; i < count; i++)
    if (list[first[n + 1] + i] != list[first[n] + i] + 1)
      return false;
  return true;
}

/* run[i]: 1 where i + 1 follows i, becomes the number of those that do, with i itself. */
static void count_back(uint8_t *run, ig_lid count) {
  for (ig_lid i = count - 1; i >= 0; i--)
    run[i] = (uint8_t)(1 + (run[i] && i + 1 < count ? (run[i + 1] < 254 ? run[i + 1] : 254) : 0));
}

/* Slots node after node become corner after corner; the list has what the places held. */
static ig_status corners_make(ig_ctx *cx, ig_heat *h) {
  ig_lid *slot = h->elems.slot.host;
  IG_TRY(ig_array_new(cx, &h->run.list, 8 * (size_t)h->elements, sizeof(ig_lid), "node slots"));
  ig_lid *list = h->run.list.host;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, h->elements, IG_WORK_ELEMENT))
  for (ig_lid e = 0; e < h->elements; e++)
    for (int a = 0; a < 8; a++) {
      const ig_lid own = a * h->elements + e; /* fits: the plan has counted them */
      list[slot[8 * (int64_t)e + a]] = own;
      slot[8 * (int64_t)e + a] = own;
    }
  IG_TRY(ig_array_push(cx, &h->elems.slot));
  return ig_array_push(cx, &h->run.list);
}

/* First and last element that touches each block of nodes; -1: none. sweep_cpu advances a block as
   soon as its last element is computed, while slots and temperatures are still in the cache. */
static ig_status spans_make(ig_ctx *cx, ig_heat *h) {
  const ig_lid blocks = (h->nodes + IG_HEAT_NODE_BLOCK - 1) / IG_HEAT_NODE_BLOCK;
  IG_TRY(ig_array_new(cx, &h->run.span, 2 * (size_t)blocks, sizeof(ig_lid), "runs of nodes"));
  IG_TRY(ig_array_new_device(cx, &h->run.done, (size_t)blocks, 1, "runs of nodes"));
  ig_lid *span = h->run.span.host;
  for (ig_lid b = 0; b < blocks; b++) {
    const ig_lid end = h->nodes - b * IG_HEAT_NODE_BLOCK < IG_HEAT_NODE_BLOCK
                           ? h->nodes
                           : (b + 1) * IG_HEAT_NODE_BLOCK;
    span[2 * b] = span[2 * b + 1] = -1;
    for (ig_lid n = b * IG_HEAT_NODE_BLOCK; n < end; n++) {
      const ig_lid *start = h->node.around.start;
      if (start[n] == start[n + 1])
        continue; /* lists rise */
      const ig_lid first = h->node.around.item[start[n]];
      const ig_lid last = h->node.around.item[start[n + 1] - 1];
      span[2 * b] = span[2 * b] < 0 || first < span[2 * b] ? first : span[2 * b];
      span[2 * b + 1] = last > span[2 * b + 1] ? last : span[2 * b + 1];
    }
  }
  return ig_array_push(cx, &h->run.span);
}

/* Only for `gather` on the CPU. First a byte says whether the next one follows; then bytes are
   counted backwards, up to 255. */
ig_status ig_heat_runs_make(ig_ctx *cx, ig_heat *h) {
  IG_TRY(corners_make(cx, h));
  IG_TRY(spans_make(cx, h));
  IG_TRY(ig_array_new(cx, &h->run.element, (size_t)h->elements, 1, "runs of elements"));
  IG_TRY(ig_array_new(cx, &h->run.node, (size_t)h->nodes, 1, "runs of nodes"));
  uint8_t *element = h->run.element.host, *node = h->run.node.host;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, h->elements, IG_WORK_ELEMENT))
  for (ig_lid e = 0; e < h->elements; e++)
    element[e] = e + 1 < h->elements && element_follows(h, e);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, h->nodes, IG_WORK_NODE))
  for (ig_lid n = 0; n < h->nodes; n++)
    node[n] = n + 1 < h->nodes && node_follows(h, n);
  count_back(element, h->elements);
  count_back(node, h->nodes);
  IG_TRY(ig_array_push(cx, &h->run.element));
  return ig_array_push(cx, &h->run.node);
}
