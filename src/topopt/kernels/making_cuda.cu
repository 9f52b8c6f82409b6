/* Printing and drawing on a mesh, on CUDA: a launch per level; a thread per column. Levels are
   ordered by the stream, so that no other synchronisation is needed between them. Bits are those
   of the CPU as far as pow agrees, since every element is computed by one thread in the same
   order. */
#include "topopt/kernels/making_ops.h"
#include "backend/cuda/launch.cuh"
#include "kern/hd.h"
#include "topopt/kernels/design.inc"
#include "topopt/kernels/making.inc"

#define EACH(i, n)                                                                                 \
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;                                      \
  i < n;                                                                                           \
  i += (int64_t)gridDim.x * blockDim.x
#define OVER(n) ig_cuda_blocks(n, 256), 256, 0, ig_cuda_stream(cx)

/* Elements of one level; what they stand on was written by earlier launches on the same stream. */
__global__ void print_level(ig_topopt_supports s, int64_t from, int64_t n, const uint8_t *role,
                            const double *in, double *out) {
  for (EACH(i, n)) {
    const int32_t e = s.order[from + i];
    out[e] = ig_support_value(&s, role, in, out, e);
  }
}

ig_status ig_topopt_making_cuda_print(ig_ctx *cx, const ig_topopt_supports *s, int from, int to,
                                      const uint8_t *role, const double *in, double *out) {
  for (int l = from; l < to; l++) {
    const int64_t n = s->level[l + 1] - s->level[l];
    print_level<<<OVER(n)>>>(*s, s->level[l], n, role, in, out);
    IG_LAUNCHED(cx);
  }
  return IG_OK;
}

__global__ void print_level_back(ig_topopt_supports s, int64_t from, int64_t n, const uint8_t *role,
                                 const double *in, const double *printed, double *work,
                                 double *slope) {
  for (EACH(i, n)) {
    const int32_t e = s.order[from + i];
    slope[e] = ig_support_slope(&s, role, in, printed, e, work, slope[e]);
  }
}

ig_status ig_topopt_making_cuda_print_back(ig_ctx *cx, const ig_topopt_supports *s, int from,
                                           int to, const uint8_t *role, const double *in,
                                           const double *printed, double *work, double *slope) {
  for (int l = to - 1; l >= from; l--) {
    const int64_t n = s->level[l + 1] - s->level[l];
    print_level_back<<<OVER(n)>>>(*s, s->level[l], n, role, in, printed, work, slope);
    IG_LAUNCHED(cx);
  }
  return IG_OK;
}

/* A thread walks one column. */
__global__ void draw_lists(ig_links columns, double power, const uint8_t *role, const double *in,
                           double *out) {
  for (EACH(i, columns.count))
    ig_drawn_column(&columns, power, role, in, i, out);
}
__global__ void draw_lists_back(ig_links columns, double power, const uint8_t *role,
                                const double *in, const double *drawn, double *slope) {
  for (EACH(i, columns.count))
    ig_drawn_column_back(&columns, power, role, in, drawn, i, slope);
}

ig_status ig_topopt_making_cuda_draw(ig_ctx *cx, const ig_links *columns, double power,
                                     const uint8_t *role, const double *in, double *out) {
  draw_lists<<<OVER(columns->count)>>>(*columns, power, role, in, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

ig_status ig_topopt_making_cuda_draw_back(ig_ctx *cx, const ig_links *columns, double power,
                                          const uint8_t *role, const double *in,
                                          const double *drawn, double *slope) {
  draw_lists_back<<<OVER(columns->count)>>>(*columns, power, role, in, drawn, slope);
  IG_LAUNCHED(cx);
  return IG_OK;
}
