/* Making assembly plans, and the CPU pass that adds up slots. Colors come from the mesh's greedy
   coloring; slots are numbered by counting the elements of each node. */
#include "core/sorted.h"
#include "core/threads.h"
#include "assembly/assembly.h"
#include "assembly/part.h"
#include "assembly/split.h"
#include "assembly/assembly_cuda.h"
#include "backend/backend.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

/* Elements of one color share no node: within a color they add without atomics, in any order. */
static ig_status plan_color(ig_ctx *cx, const ig_lid *conn, ig_plan *plan) {
  ig_coloring coloring;
  IG_TRY(ig_mesh_color(cx, plan->nodes, plan->elements, plan->npe, conn, &coloring));
  plan->colors = coloring.colors;
  plan->start = coloring.start;
  coloring.start = NULL; /* the plan's now */
  const ig_status status = ig_array_from(cx, &plan->order, coloring.order, (size_t)plan->elements,
                                         sizeof(ig_lid), "colored order");
  ig_coloring_free(&coloring);
  return status;
}

/* Algorithm 1 of Mozaffar et al. (2019): each element, in order, takes the next place of each of
   its nodes. */
ig_status ig_slots_number(ig_ctx *cx, ig_lid nodes, int blocks, const ig_slot_block *block,
                          ig_lid *first) {
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_PLANS);
  int64_t total = 0;
  memset(first, 0, sizeof *first * ((size_t)nodes + 1));
  for (int b = 0; b < blocks; b++) {
    const int64_t corners = (int64_t)block[b].elements * block[b].npe;
    total += corners;
    if (total > INT32_MAX)
      return IG_FAIL(cx, IG_INPUT,
                     "assembly `gather` needs more than 2^31 slots for this mesh: use `atomic` or "
                     "`color`");
    for (int64_t i = 0; i < corners; i++)
      first[block[b].conn[i] + 1]++;
  }
  for (ig_lid n = 0; n < nodes; n++)
    first[n + 1] += first[n];
  for (int b = 0; b < blocks; b++) /* first[n] moves on to the end of n, which is first[n + 1] */
    for (int64_t i = 0; i < (int64_t)block[b].elements * block[b].npe; i++)
      block[b].slot[i] = first[block[b].conn[i]]++;
  memmove(first + 1, first, sizeof *first * (size_t)nodes);
  first[0] = 0;
  ig_phase_end(cx, former);
  return IG_OK;
}

/* A slot per element and corner; those of a node lie together, in the order of elements, so that
   the sum over them has one order. */
static ig_status plan_slots(ig_ctx *cx, const ig_lid *conn, ig_slot_form form, ig_plan *plan) {
  const int64_t corners = (int64_t)plan->elements * plan->npe;
  IG_TRY(ig_array_new(cx, &plan->slot, (size_t)corners, sizeof(ig_lid), "assembly slots"));
  IG_TRY(ig_array_new(cx, &plan->first, (size_t)plan->nodes + 1, sizeof(ig_lid), "slot starts"));
  ig_lid *slot = plan->slot.host, *first = plan->first.host;
  const ig_slot_block block = {plan->elements, plan->npe, conn, slot};
  IG_TRY(ig_slots_number(cx, plan->nodes, 1, &block, first));
  for (ig_lid n = 0; n < plan->nodes; n++)
    plan->width = first[n + 1] - first[n] > plan->width ? first[n + 1] - first[n] : plan->width;
  plan->slots = corners;
  if (form == IG_SLOTS_ROWS) {
    plan->slots = (int64_t)plan->nodes * plan->width;
    if (plan->slots > INT32_MAX)
      return IG_FAIL(cx, IG_INPUT, "assembly `gather` needs %lld slots, more than 2^31",
                     (long long)plan->slots);
    IG_TRY(ig_array_new(cx, &plan->used, (size_t)plan->nodes, sizeof(ig_lid), "node valences"));
    for (ig_lid n = 0; n < plan->nodes; n++)
      ((ig_lid *)plan->used.host)[n] = first[n + 1] - first[n];
    for (int64_t i = 0; i < corners; i++)
      slot[i] += conn[i] * plan->width - first[conn[i]];
    ig_array_free(cx, &plan->first);
    IG_TRY(ig_array_push(cx, &plan->used));
  } else {
    IG_TRY(ig_array_push(cx, &plan->first));
  }
  return ig_array_push(cx, &plan->slot);
}

/* After a failure nothing is left to free. */
ig_status ig_plan_new(ig_ctx *cx, ig_assembly how, ig_slot_form form, ig_lid nodes, ig_lid elements,
                      int npe, const ig_lid *conn, ig_plan *plan) {
  memset(plan, 0, sizeof *plan);
  plan->how = how;
  plan->nodes = nodes;
  plan->elements = elements;
  plan->npe = npe;
  plan->colors = 1;
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_PLANS);
  ig_status status = ig_array_from(cx, &plan->conn, conn, (size_t)elements * (size_t)npe,
                                   sizeof(ig_lid), "connectivity");
  if (status == IG_OK && how == IG_COLOR)
    status = plan_color(cx, conn, plan);
  else if (status == IG_OK)
    status = IG_NEW(cx, &plan->start, 2, "element range");
  if (status == IG_OK && how != IG_COLOR)
    plan->start[1] = elements;
  if (status == IG_OK && how == IG_GATHER)
    status = plan_slots(cx, conn, form, plan);
  ig_phase_end(cx, former);
  if (status != IG_OK)
    ig_plan_free(cx, plan);
  return status;
}

/* The plan's order of elements is made anew; slots are by element and stay. */
ig_status ig_plan_split(ig_ctx *cx, ig_plan *plan, const uint8_t *late) {
  ig_lid *start, at = 0;
  IG_TRY(IG_NEW(cx, &start, 3, "element ranges"));
  free(plan->start);
  plan->start = start;
  plan->colors = 2;
  IG_TRY(ig_array_new(cx, &plan->order, (size_t)plan->elements, sizeof(ig_lid), "element ranges"));
  for (int c = 0; c < 2; c++) {
    for (ig_lid e = 0; e < plan->elements; e++)
      if ((late[e] != 0) == (c == 1))
        ((ig_lid *)plan->order.host)[at++] = e;
    start[c + 1] = at;
  }
  return ig_array_push(cx, &plan->order);
}

void ig_plan_free(ig_ctx *cx, ig_plan *plan) {
  ig_array_free(cx, &plan->conn);
  ig_array_free(cx, &plan->order);
  ig_array_free(cx, &plan->slot);
  ig_array_free(cx, &plan->first);
  ig_array_free(cx, &plan->used);
  free(plan->start);
  memset(plan, 0, sizeof *plan);
}

/* Elements keep the colors of the whole; slots are numbered anew, and elements rise in both: a
   node's sum keeps its order. */
ig_status ig_plan_cut(ig_ctx *cx, const ig_plan *plan, ig_lid nodes, ig_lid elements,
                      const ig_lid *element, const ig_lid *conn, ig_plan *part) {
  const ig_lid *order = plan->order.host;
  ig_lid at = 0;
  if (plan->how != IG_COLOR)
    return ig_plan_new(cx, plan->how, IG_SLOTS_COMPACT, nodes, elements, plan->npe, conn, part);
  *part = (ig_plan){.how = IG_COLOR,
                    .nodes = nodes,
                    .elements = elements,
                    .npe = plan->npe,
                    .colors = plan->colors};
  ig_status status = ig_array_from(cx, &part->conn, conn, (size_t)elements * (size_t)plan->npe,
                                   sizeof(ig_lid), "connectivity");
  if (status == IG_OK)
    status = ig_array_new(cx, &part->order, (size_t)elements, sizeof(ig_lid), "colored order");
  if (status == IG_OK)
    status = IG_NEW(cx, &part->start, (size_t)plan->colors + 1, "element range");
  for (int c = 0; c < plan->colors && status == IG_OK; c++) {
    for (ig_lid i = plan->start[c]; i < plan->start[c + 1]; i++) {
      const ig_lid e = (ig_lid)ig_sorted_find(element, elements, order[i]);
      if (e >= 0)
        ((ig_lid *)part->order.host)[at++] = e;
    }
    part->start[c + 1] = at;
  }
  if (status == IG_OK)
    status = ig_array_push(cx, &part->order);
  if (status != IG_OK)
    ig_plan_free(cx, part);
  return status;
}

ig_scatter_view ig_plan_view(const ig_plan *plan) {
  const ig_scatter_view view = {.how = plan->how,
                                .npe = plan->npe,
                                .nodes = plan->nodes,
                                .elements = plan->elements,
                                .conn = plan->conn.dev,
                                .order = plan->order.dev,
                                .slot = plan->slot.dev,
                                .first = plan->first.dev,
                                .used = plan->used.dev,
                                .width = plan->width};
  return view;
}

/* Elements are numbered by birth, and numbers rise within a color: those that exist are a prefix of
   it, found by bisection. */
void ig_plan_range(const ig_plan *plan, int c, ig_lid active, ig_lid *begin, ig_lid *end) {
  *begin = plan->start[c];
  *end = plan->start[c + 1];
  if (!plan->order.dev) {
    *end = active < *end ? active : *end;
    return;
  }
  const ig_lid *order = plan->order.host; /* rising within a color */
  ig_lid low = *begin, high = *end;
  while (low < high) {
    const ig_lid middle = low + (high - low) / 2;
    if (order[middle] < active)
      low = middle + 1;
    else
      high = middle;
  }
  *end = low;
}

size_t ig_plan_bytes(const ig_plan *plan) {
  const ig_array *all[] = {&plan->conn, &plan->order, &plan->slot, &plan->first, &plan->used};
  size_t bytes = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    bytes += all[i]->count * all[i]->size;
  return bytes;
}

#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "assembly/plan_cpu.inc"
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "assembly/plan_cpu.inc"

const char *const ig_assembly_names[IG_CLUSTER + 1] = {"atomic", "color", "gather", "cluster"};

#ifdef INGOT_HAVE_CUDA
#define CUDA_FIRST(call)                                                                           \
  if (cx->backend->kernels == IG_KERNELS_CUDA)                                                     \
  return call
#else
#define CUDA_FIRST(call) (void)0
#endif

ig_status ig_plan_sum_f32(ig_ctx *cx, const ig_plan *plan, int m, const float *slots, float *sum) {
  if (plan->how != IG_GATHER)
    return IG_OK;
  CUDA_FIRST(ig_plan_sum_cuda_f32(cx, ig_plan_view(plan), m, slots, sum));
  return plan_sum_cpu_f32(cx, plan, m, slots, sum);
}

ig_status ig_plan_sum_f64(ig_ctx *cx, const ig_plan *plan, int m, const double *slots,
                          double *sum) {
  if (plan->how != IG_GATHER)
    return IG_OK;
  CUDA_FIRST(ig_plan_sum_cuda_f64(cx, ig_plan_view(plan), m, slots, sum));
  return plan_sum_cpu_f64(cx, plan, m, slots, sum);
}
