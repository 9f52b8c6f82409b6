/* The backends' drivers: CPU kernels here, CUDA's behind the same table. */
#include "backend/backend.h"
#include "fracture/kernels/items_cpu.h"
#include "fracture/kernels/items_cuda.h"

#include <string.h>

/* dim, nodes, corners, faces, nodes of a facet, its points, stresses, numbers of a point's
   state. */
const ig_frac_shape ig_frac_shapes[4] = {{2, 3, 3, 3, 2, 2, 3, 8},
                                         {2, 6, 3, 3, 3, 3, 3, 8},
                                         {3, 4, 4, 4, 3, 3, 6, 11},
                                         {3, 10, 4, 4, 6, 6, 6, 11}};

/* Tables of functions by element type, one per precision. */
static ig_status cpu_run(ig_ctx *cx, int kind, int wide, ig_frac_item item, const ig_frac_state *s,
                         int64_t begin, int64_t n) {
  (wide ? ig_frac_cpu_f64 : ig_frac_cpu_f32)[kind](s, item, begin, n, cx->threads);
  return IG_OK;
}

/* Few flags are up: eight at a time are passed over. */
static ig_status cpu_compact(ig_ctx *cx, const ig_frac_state *s, uint8_t *flag, int64_t n,
                             int32_t *list, int32_t *found) {
  (void)cx;
  (void)s;
  int32_t up = 0;
  for (int64_t i = 0; i < n; i += 8) {
    uint64_t eight = 1;
    if (i + 8 <= n)
      memcpy(&eight, flag + i, 8);
    for (int64_t k = i; eight && k < i + 8 && k < n; k++)
      if (flag[k])
        list[up++] = (int32_t)k;
  }
  *found = up;
  return IG_OK;
}

/* extra becomes a running sum between the two loops, by which split knows its first free number. */
static ig_status cpu_apart(ig_ctx *cx, int kind, int wide, const ig_frac_state *s) {
  IG_TRY(cpu_run(cx, kind, wide, IG_FRAC_part, s, 0, -1));
  for (int32_t i = 1; i < s->count->touched; i++)
    s->grow.extra[i] += s->grow.extra[i - 1];
  return cpu_run(cx, kind, wide, IG_FRAC_split, s, 0, -1);
}

static const ig_frac_ops cpu_ops = {.run = cpu_run, .compact = cpu_compact, .apart = cpu_apart};

IG_IF_CUDA(static const ig_frac_ops cuda_ops = {.run = ig_frac_cuda_run,
                                                .compact = ig_frac_cuda_compact,
                                                .apart = ig_frac_cuda_apart};)

const ig_frac_ops *ig_frac_ops_of(ig_ctx *cx) {
  return IG_OPS_OF(cx, &cpu_ops, &cuda_ops);
}
