/* The pass that adds up border nodes of clusters, on the CPU or on whatever the context has. */
#include "assembly/cluster_sum.h"
#include "assembly/cluster_sum_cuda.h"
#include "assembly/scatter.h"
#include "backend/backend.h"
#include "core/threads.h"

#define PASS(F, R)                                                                                 \
  static ig_status borders_cpu_##F(ig_ctx *cx, ig_cluster_view v, int m, const R *slots, R *sum) { \
    const int team_ = ig_team(cx, v.borders, IG_WORK_NODE);                                        \
    _Pragma("omp parallel for schedule(static) num_threads(team_)") for (int32_t b = 0;            \
                                                                         b < v.borders;            \
                                                                         b++) for (int c = 0;      \
                                                                                   c < m; c++)     \
        sum[(int64_t)v.border[b] * m + c] = ig_border_sum_##F(&v, b, m, c, slots);                 \
    return IG_OK;                                                                                  \
  }                                                                                                \
  ig_status ig_clusters_sum_##F(ig_ctx *cx, const ig_clusters *c, int m, const R *slots, R *sum) { \
    const ig_cluster_view v = ig_clusters_view(c);                                                 \
    IG_IF_CUDA(if (cx->backend->kernels ==                                                         \
                   IG_KERNELS_CUDA) return ig_clusters_sum_cuda_##F(cx, v, m, slots, sum);)        \
    return borders_cpu_##F(cx, v, m, slots, sum);                                                  \
  }

#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
PASS(f32, float)
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
PASS(f64, double)

/* Every node of a cluster is written, not added to: only where some nodes have no element is there
   anything to clear. */
ig_status ig_clusters_clear(ig_ctx *cx, const ig_clusters *c, ig_lid nodes, int m, size_t size,
                            void *sum) {
  const int64_t inner = (int64_t)c->node.count - c->slots;
  if (inner + c->borders == nodes)
    return IG_OK;
  return cx->backend->fill(cx, sum, 0, (size_t)m * size * (size_t)nodes);
}
