/* Numbers of nodes and cohesive elements of a part in the whole. New ones are numbered there
   in the order of the nodes that came apart and of the facets that opened: who knows these of all
   ranks knows the numbers, and nobody needs the whole. */
#include "fracture/engine/model.h"
#include "ranks/allgather.h"

#include <stdlib.h>
#include <string.h>

/* node, cohesive: numbers in the whole of all items of the part, copied. */
ig_status ig_frac_numbers_put(ig_frac_model *m, const int32_t *node, const int32_t *cohesive) {
  ig_frac_part *p = &m->part;
  const ig_frac_count *count = &m->count;
  IG_TRY(ig_frac_nodes_room(m, count->nodes));
  if (count->nodes)
    memcpy(p->node, node, (size_t)count->nodes * sizeof *node);
  return ig_frac_list_put(m->cx, &p->crack_number, cohesive, count->cohesive);
}

/* A node of the whole that has a facet which opened, and how many copies it got. */
typedef struct {
  int32_t node, copies;
} split;

static int by_node(const void *a, const void *b) {
  const int32_t x = ((const split *)a)->node, y = ((const split *)b)->node;
  return (x > y) - (x < y);
}

/* Numbers of far nodes and nearer are known; of the rim only that they exist. */
static bool known(const ig_frac_part *p, int32_t n) {
  return p->node_layer[p->origin[n]] <= p->reach + 1;
}

/* New nodes get the numbers after `first`, in the order of all that came apart.
   all: sorted by node; copies becomes the running sum, the first new number of each. */
static ig_status numbers_give(ig_frac_model *m, split *all, int64_t count, int32_t first) {
  ig_frac_part *p = &m->part;
  const int32_t *of = p->splits.a.host;
  for (int64_t i = 0; i < count; i++) { /* each its first new node */
    const int32_t copies = all[i].copies;
    all[i].copies = first;
    first += copies;
  }
  for (int64_t i = 0; i < p->splits.count; i += 3) {
    const split key = {.node = p->node[of[i]]};
    const split *found =
        known(p, of[i]) ? bsearch(&key, all, (size_t)count, sizeof *all, by_node) : NULL;
    if (!found && known(p, of[i]))
      return IG_FAIL(m->cx, IG_NUMERIC, "node %d came apart on one rank alone", key.node);
    for (int32_t k = 0; k < of[i + 2]; k++)
      p->node[of[i + 1] + k] = found ? found->copies + k : -1;
  }
  return IG_OK;
}

/* Collective. Owners report their split nodes, every rank gets the sorted list. */
ig_status ig_frac_numbers_grow(ig_frac_model *m, ig_status status, int64_t *splits,
                               int64_t *touched) {
  ig_frac_part *p = &m->part;
  const int32_t *of = p->splits.a.host;
  split *mine = NULL;
  void *all = NULL;
  int64_t count = 0, sum = 0;
  *splits = 0;
  if (status == IG_OK)
    status = IG_NEW(m->cx, &mine, (size_t)p->splits.count / 3 + 1, "copies of nodes");
  for (int64_t i = 0; i < p->splits.count && status == IG_OK; i += 3)
    if (p->owner[p->origin[of[i]]] == p->rank)
      mine[count++] = (split){p->node[of[i]], of[i + 2]};
  status = ig_ranks_allgatherv(m->cx, status, mine, count, sizeof *mine, by_node, &all, &sum, NULL);
  *touched = sum;
  for (int64_t i = 0; i < sum && status == IG_OK; i++)
    *splits += ((split *)all)[i].copies;
  if (status == IG_OK)
    status = numbers_give(m, all, sum, p->total.count.nodes);
  free(mine);
  free(all);
  return status;
}

ig_status ig_frac_numbers_known(ig_frac_model *m, int32_t **whole, int32_t **local,
                                int32_t *count) {
  const ig_frac_part *p = &m->part;
  const int32_t nodes = m->count.nodes;
  *whole = *local = NULL;
  *count = 0;
  IG_TRY(IG_NEW(m->cx, whole, (size_t)nodes + 1, "numbers of nodes"));
  IG_TRY(IG_NEW(m->cx, local, (size_t)nodes + 1, "numbers of nodes"));
  for (int32_t n = 0; n < nodes; n++)
    if (known(p, n)) {
      if (*count && (*whole)[*count - 1] >= p->node[n])
        return IG_FAIL(m->cx, IG_NUMERIC, "nodes of a part are not in the order of the whole");
      (*whole)[*count] = p->node[n];
      (*local)[(*count)++] = n;
    }
  return IG_OK;
}
