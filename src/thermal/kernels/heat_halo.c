/* Halos of blocks. When the whole batch is one launch (heat_persistent.inc), each block of the GPU
   has a range of nodes in its shared memory for good, and needs the temperatures of some nodes of
   other blocks in every step. Their numbers are listed here, once, for all elements born or not. */
#include "thermal/kernels/heat_rows.h"

#include <stdlib.h>

/* Marks the nodes of all elements around nodes [begin, end); the lowest and highest of them. */
static void halo_mark(const ig_heat *h, ig_lid begin, ig_lid end, int32_t block, int32_t *mark,
                      ig_lid *low, ig_lid *high) {
  *low = begin;
  *high = end - 1;
  for (ig_lid n = begin; n < end; n++)
    for (ig_lid i = h->node.around.start[n]; i < h->node.around.start[n + 1]; i++)
      for (int a = 0; a < 8; a++) {
        const ig_lid other = ig_heat_conn(h, h->node.around.item[i])[a];
        mark[other] = block;
        *low = other < *low ? other : *low;
        *high = other > *high ? other : *high;
      }
}

/* `mark` holds the number of the block that marked a node last, from 1: it need not be cleared
   between blocks. Only nodes between the lowest and the highest marked one are looked at. */
ig_status ig_heat_halos_make(ig_ctx *cx, ig_heat *h, ig_lid share) {
  ig_heat_resident *r = &h->resident;
  const int32_t blocks = (h->nodes + share - 1) / share;
  int32_t *mark = NULL, *list = NULL, *start = NULL;
  int64_t count = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &mark, h->nodes, "halos"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &start, blocks + 1, "halos"));
  r->halo_most = 0;
  for (int32_t b = 0; b < blocks; b++) {
    const ig_lid begin = b * share, end = begin + share < h->nodes ? begin + share : h->nodes;
    ig_lid low, high;
    halo_mark(h, begin, end, b + 1, mark, &low, &high);
    for (ig_lid n = low; n <= high; n++) {
      if (mark[n] != b + 1 || (n >= begin && n < end))
        continue;
      IG_TRY_GOTO(status, done, IG_MORE(cx, &list, count, "halos"));
      list[count++] = n;
    }
    start[b + 1] = (int32_t)count;
    r->halo_most = start[b + 1] - start[b] > r->halo_most ? start[b + 1] - start[b] : r->halo_most;
  }
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &r->halo_start, start, (size_t)blocks + 1, sizeof *start, "halos"));
  if (count)
    IG_TRY_GOTO(status, done,
                ig_array_from(cx, &r->halo, list, (size_t)count, sizeof *list, "halos"));
done:
  free(mark);
  free(list);
  free(start);
  return status;
}
