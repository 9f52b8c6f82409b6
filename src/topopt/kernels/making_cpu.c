/* Printing and drawing on a mesh, on the CPU. Elements of one level depend on lower levels only
   and are computed in parallel; levels follow each other. */
#include "kern/hd.h"
#include "core/threads.h"
#include "topopt/kernels/making_ops.h"
#include "topopt/topopt.h"
#include "topopt/kernels/design.inc"
#include "topopt/kernels/making.inc"

#include "backend/backend.h"

/* Within a level any order gives the same values. */
ig_status ig_topopt_making_cpu_print(ig_ctx *cx, const ig_topopt_supports *s, int from, int to,
                                     const uint8_t *role, const double *in, double *out) {
  for (int l = from; l < to; l++) {
    const int64_t begin = s->level[l], end = s->level[l + 1];
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, end - begin, IG_WORK_NODE))
    for (int64_t i = begin; i < end; i++)
      out[s->order[i]] = ig_support_value(s, role, in, out, s->order[i]);
  }
  return IG_OK;
}

/* From the highest level down: gradients of what an element holds up are complete when it is
   reached. */
ig_status ig_topopt_making_cpu_print_back(ig_ctx *cx, const ig_topopt_supports *s, int from, int to,
                                          const uint8_t *role, const double *in,
                                          const double *printed, double *work, double *slope) {
  for (int l = to - 1; l >= from; l--) {
    const int64_t begin = s->level[l], end = s->level[l + 1];
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, end - begin, IG_WORK_NODE))
    for (int64_t i = begin; i < end; i++) {
      const int32_t e = s->order[i];
      slope[e] = ig_support_slope(s, role, in, printed, e, work, slope[e]);
    }
  }
  return IG_OK;
}

ig_status ig_topopt_making_cpu_draw(ig_ctx *cx, const ig_links *columns, double power,
                                    const uint8_t *role, const double *in, double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, columns->count, IG_WORK_NODE))
  for (int64_t i = 0; i < columns->count; i++)
    ig_drawn_column(columns, power, role, in, i, out);
  return IG_OK;
}

ig_status ig_topopt_making_cpu_draw_back(ig_ctx *cx, const ig_links *columns, double power,
                                         const uint8_t *role, const double *in, const double *drawn,
                                         double *slope) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, columns->count, IG_WORK_NODE))
  for (int64_t i = 0; i < columns->count; i++)
    ig_drawn_column_back(columns, power, role, in, drawn, i, slope);
  return IG_OK;
}

#define ON_CPU(name, args) .name = ig_topopt_making_cpu_##name,
static const ig_topopt_making_ops on_cpu = {IG_TOPOPT_MAKING_OPS(ON_CPU)};
#define ON_CUDA(name, args) .name = ig_topopt_making_cuda_##name,
IG_IF_CUDA(static const ig_topopt_making_ops on_cuda = {IG_TOPOPT_MAKING_OPS(ON_CUDA)};)

const ig_topopt_making_ops *ig_topopt_making_ops_of(const ig_ctx *cx) {
  return IG_OPS_OF(cx, &on_cpu, &on_cuda);
}
