/* A divided model: numbers of nodes and cohesive elements in the whole. New ones are numbered there
   in the order of the nodes that came apart and of the facets that opened: who knows these of all
   ranks knows the numbers, and nobody needs the whole. */
#include "fracture/part.h"

#include <stdlib.h>
#include <string.h>

/* Counts of all ranks, on the first; their sum on all. All ranks come here. */
static ig_status sum_of(ig_frac_model *m, ig_status status, int64_t mine, int64_t *each,
                        int64_t *sum) {
  status = ig_ranks_agree(m->cx, status);
  if (status == IG_OK)
    status = ig_ranks_collect(m->cx, &mine, sizeof mine, each);
  *sum = 0;
  for (int r = 0; r < m->divided->ranks && status == IG_OK && ig_ranks_first(m->cx); r++)
    *sum += each[r];
  status = ig_ranks_agree(m->cx, status);
  return status == IG_OK ? ig_ranks_share(m->cx, 0, sum, sizeof *sum) : status;
}

ig_status ig_frac_sum(ig_frac_model *m, ig_status status, int64_t mine, int64_t *sum) {
  int64_t *each = NULL;
  if (status == IG_OK)
    status = IG_NEW(m->cx, &each, (size_t)m->divided->ranks, "counts of ranks");
  status = sum_of(m, status, mine, each, sum);
  free(each);
  return status;
}

/* Items of all ranks on the first, one rank after the other. */
static ig_status items_collect(ig_frac_model *m, const char *mine, int64_t count, size_t size,
                               const int64_t *each, char *all) {
  const ig_frac_part *p = m->divided;
  ig_message *message = NULL;
  const ig_status status =
      ig_ranks_agree(m->cx, IG_NEW(m->cx, &message, (size_t)p->ranks, "messages"));
  if (status != IG_OK) {
    free(message);
    return status;
  }
  int messages = 0;
  char *at = all + (size_t)count * size;
  if (p->rank == 0 && count)
    memcpy(all, mine, (size_t)count * size);
  for (int r = 1; r < p->ranks && p->rank == 0; r++) {
    if (each[r])
      message[messages++] =
          (ig_message){.rank = r, .receive = at, .receive_size = (size_t)each[r] * size};
    at += (size_t)each[r] * size;
  }
  if (p->rank && count)
    message[messages++] = (ig_message){.rank = 0, .send = mine, .send_size = (size_t)count * size};
  const ig_status sent = ig_ranks_swap(m->cx, message, messages);
  free(message);
  return sent;
}

ig_status ig_frac_lists_share(ig_frac_model *m, ig_status status, const void *mine, int64_t count,
                              size_t size, int (*order)(const void *, const void *), void **all,
                              int64_t *sum) {
  int64_t *each = NULL;
  *all = NULL;
  if (status == IG_OK)
    status = IG_NEW(m->cx, &each, (size_t)m->divided->ranks, "lists of ranks");
  status = sum_of(m, status, count, each, sum);
  if (status == IG_OK)
    status = ig_alloc(m->cx, all, (size_t)*sum + 1, size, "lists of ranks");
  status = ig_ranks_agree(m->cx, status);
  if (status == IG_OK)
    status = items_collect(m, mine, count, size, each, *all);
  if (status == IG_OK && ig_ranks_first(m->cx) && *sum)
    qsort(*all, (size_t)*sum, size, order);
  status = ig_ranks_agree(m->cx, status);
  if (status == IG_OK)
    status = ig_ranks_share(m->cx, 0, *all, (size_t)*sum * size);
  free(each);
  return status;
}

ig_status ig_frac_numbers_put(ig_frac_model *m, const int32_t *node, const int32_t *cohesive) {
  ig_frac_part *p = m->divided;
  const ig_frac_count *count = &p->local.count;
  IG_TRY(ig_frac_nodes_room(m, count->nodes));
  if (count->nodes)
    memcpy(p->whole, node, (size_t)count->nodes * sizeof *node);
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

static bool known(const ig_frac_part *p, int32_t n) {
  return p->node_layer[p->origin[n]] <= p->reach + 1;
}

/* New nodes get the numbers after `first`, in the order of all that came apart. */
static ig_status numbers_give(ig_frac_model *m, split *all, int64_t count, int32_t first) {
  ig_frac_part *p = m->divided;
  const int32_t *of = p->splits.a.host;
  for (int64_t i = 0; i < count; i++) { /* each its first new node */
    const int32_t copies = all[i].copies;
    all[i].copies = first;
    first += copies;
  }
  for (int64_t i = 0; i < p->splits.count; i += 3) {
    const split key = {.node = p->whole[of[i]]};
    const split *found =
        known(p, of[i]) ? bsearch(&key, all, (size_t)count, sizeof *all, by_node) : NULL;
    if (!found && known(p, of[i]))
      return IG_FAIL(m->cx, IG_NUMERIC, "node %d came apart on one rank alone", key.node);
    for (int32_t k = 0; k < of[i + 2]; k++)
      p->whole[of[i + 1] + k] = found ? found->copies + k : -1;
  }
  return IG_OK;
}

ig_status ig_frac_numbers_grow(ig_frac_model *m, ig_status status, int64_t *splits,
                               int64_t *touched) {
  ig_frac_part *p = m->divided;
  const int32_t *of = p->splits.a.host;
  split *mine = NULL;
  void *all = NULL;
  int64_t count = 0, sum = 0;
  *splits = 0;
  if (status == IG_OK)
    status = IG_NEW(m->cx, &mine, (size_t)p->splits.count / 3 + 1, "copies of nodes");
  for (int64_t i = 0; i < p->splits.count && status == IG_OK; i += 3)
    if (p->owner[p->origin[of[i]]] == p->rank)
      mine[count++] = (split){p->whole[of[i]], of[i + 2]};
  status = ig_frac_lists_share(m, status, mine, count, sizeof *mine, by_node, &all, &sum);
  *touched = sum;
  for (int64_t i = 0; i < sum && status == IG_OK; i++)
    *splits += ((split *)all)[i].copies;
  if (status == IG_OK)
    status = numbers_give(m, all, sum, m->count.nodes);
  free(mine);
  free(all);
  return status;
}

ig_status ig_frac_numbers_known(ig_frac_model *m, int32_t **whole, int32_t **local,
                                int32_t *count) {
  const ig_frac_part *p = m->divided;
  const int32_t nodes = p->local.count.nodes;
  *whole = *local = NULL;
  *count = 0;
  IG_TRY(IG_NEW(m->cx, whole, (size_t)nodes + 1, "numbers of nodes"));
  IG_TRY(IG_NEW(m->cx, local, (size_t)nodes + 1, "numbers of nodes"));
  for (int32_t n = 0; n < nodes; n++)
    if (known(p, n)) {
      if (*count && (*whole)[*count - 1] >= p->whole[n])
        return IG_FAIL(m->cx, IG_NUMERIC, "nodes of a part are not in the order of the whole");
      (*whole)[*count] = p->whole[n];
      (*local)[(*count)++] = n;
    }
  return IG_OK;
}
