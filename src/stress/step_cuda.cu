/* Loops of the stress room on the GPU: one thread per element. The physics is that of law.inc
   and element.inc; this file has the launches and, for assembly `cluster`, sums in shared
   memory. */
#include "stress/ops.h"
#include "assembly/cluster_sum.cuh"
#include "backend/cuda/launch.cuh"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "stress/assumed.inc"
#define STORED float
#include "stress/product.inc"
#include "stress/tet_product.inc"
#include "stress/law.inc"
#include "stress/rotation.inc"
#include "stress/point.inc"
#include "stress/element.inc"
#include "stress/tet.inc"

enum { THREADS = 128 };
/* number of this thread in the grid; 64 bits, as 3 x nodes may exceed 2^31 */
#define THREAD (blockIdx.x * (int64_t)blockDim.x + threadIdx.x)
/* One thread per item on the context's stream; nothing is launched for no items. */
#define LAUNCH(kernel, n, ...)                                                                     \
  do {                                                                                             \
    if ((n) > 0)                                                                                   \
      kernel<<<ig_cuda_blocks(n, THREADS), THREADS, 0, ig_cuda_stream(cx)>>>(__VA_ARGS__);         \
    IG_LAUNCHED(cx);                                                                               \
  } while (0)

/* What an element gives to its corners: internal forces, those of the stress that a step starts
   from, or the tangent times a vector. `place`: of its nodes in `at` and `x`; `row`: of what it
   keeps of the tangent. */
enum gift {
  FORCE,
  PAST,
  PRODUCT,
  PRODUCT_BBAR,
  PRODUCT_TURNED,
  PRODUCT_TURNED_BBAR,
  TET_FORCE,
  TET_PAST,
  TET_PRODUCT
};
static constexpr __host__ __device__ int nodes_of(gift g) {
  return g < TET_FORCE ? 8 : 10;
}
template <gift GIFT, typename PLACE>
static __device__ __forceinline__ bool element_give(const ig_stress_args &p, int64_t e, int64_t row,
                                                    const PLACE *place, const double *at,
                                                    const double *x, double *fe) {
  if (GIFT == FORCE || GIFT == PAST)
    return ig_stress_force(&p, e, row, GIFT == PAST, x, fe);
  if (GIFT == TET_FORCE || GIFT == TET_PAST)
    return ig_tet_force(&p, e, row, GIFT == TET_PAST, x, fe);
  constexpr int UNKNOWNS = 3 * nodes_of(GIFT);
  double xe[UNKNOWNS], ue[UNKNOWNS];
  if (!p.alive[e]) {
    for (int k = 0; k < UNKNOWNS; k++)
      fe[k] = 0;
    return false;
  }
  for (int k = 0; k < UNKNOWNS; k++) {
    const int64_t n = 3 * (int64_t)place[k / 3] + k % 3;
    xe[k] = at[n];
    ue[k] = x[n];
  }
  /* rotated elements have products of their own, so that the others need no registers for that */
  constexpr bool TURNED = GIFT == PRODUCT_TURNED || GIFT == PRODUCT_TURNED_BBAR;
  ig_stress_spin spin;
  double turned[3];
  if (TURNED)
    ig_stress_spin_before(&p, e, &spin, ue, turned);
  const float *slope = p.slope + ig_stress_at(row, p.slopes, 0, 0);
  if (GIFT == TET_PRODUCT)
    stress_product_tet_f64(xe, ue, slope, IG_STRESS_TILE, p.slopes, !p.assumed, p.bulk[e],
                           ig_stress_flows(&p), fe);
  else if (GIFT == PRODUCT || GIFT == PRODUCT_TURNED)
    stress_product_assumed_f64(xe, ue, slope, IG_STRESS_TILE, p.slopes, ig_stress_flows(&p), fe);
  else
    stress_product_f64(xe, ue, slope, IG_STRESS_TILE, p.bulk[e], ig_stress_flows(&p), fe);
  if (TURNED)
    ig_stress_spin_after(&p, e, &spin, ue, turned, fe);
  return true;
}

/* Assembly by color, atomics or gather: elements begin … end of a color, one per thread. */
template <gift GIFT>
static __global__ void __launch_bounds__(THREADS)
    element_pass(const __grid_constant__ ig_stress_args p, int32_t begin, int32_t end,
                 const double *x, double *y) {
  const int64_t i = begin + THREAD;
  if (i >= end)
    return;
  const int64_t e = ig_scatter_element(&p.scatter, (int32_t)i);
  constexpr int NODES = nodes_of(GIFT);
  double fe[3 * NODES];
  if (!element_give<GIFT>(p, e, e, p.scatter.conn + NODES * e, p.x, x, fe) &&
      p.scatter.how != IG_GATHER)
    return; /* gather reads every slot */
  for (int k = 0; k < 3 * NODES; k++)
    ig_scatter_add_f64(&p.scatter, (int32_t)e, k / 3, 3, k % 3, fe[k], y, p.slots);
}

/* A cluster by a block, a thread an element (assembly/cluster_sum.h). A product has the positions
   and values of the cluster's nodes in shared memory; forces look up temperatures, too, and state,
   and load what they need. Least bytes of an elastic product per element: 64 tangent (in the order
   of clusters; 32 of B-bar), 9 number, life and modulus of B-bar, 32 places and sums, 1.6 nodes of
   54, 0.9 of the border of 52. */
template <gift GIFT>
static __global__ void __launch_bounds__(IG_STRESS_CLUSTER)
    cluster_pass(const __grid_constant__ ig_stress_args p, const double *x, double *y) {
  /* nodes of a cluster per thread: a block has more nodes than elements */
  constexpr int ROUNDS = (IG_STRESS_CLUSTER_NODES - 1) / IG_STRESS_CLUSTER + 1;
  __shared__ double given[24 * IG_STRESS_CLUSTER];
  constexpr bool PRODUCTS = GIFT != FORCE && GIFT != PAST;
  __shared__ double at[PRODUCTS ? 3 * IG_STRESS_CLUSTER_NODES : 1];
  __shared__ double of[PRODUCTS ? 3 * IG_STRESS_CLUSTER_NODES : 1];
  __shared__ uint16_t term[8 * IG_STRESS_CLUSTER], end[IG_STRESS_CLUSTER_NODES];
  const ig_cluster_view &v = p.cluster;
  const ig_cluster k = v.cluster[blockIdx.x];
  int32_t own[ROUNDS];
  ig_cluster_own<ROUNDS>(k, v.node, own);
  const int32_t me = (int32_t)threadIdx.x, i = k.first + me;
  const bool mine = me < k.count;
  const int64_t e = mine ? v.order[i] : 0;
  uint16_t place[8];
  for (int a = 0; a < 8; a++)
    place[a] = mine ? v.local[8 * (int64_t)i + a] : 0;
  ig_cluster_terms(v, k, 8, term, end);
  if (PRODUCTS) {
    ig_cluster_load_f64<ROUNDS, 3>(own, p.x, at);
    ig_cluster_load_f64<ROUNDS, 3>(own, x, of);
    __syncthreads();
  }
  /* threads without an element still take part in loads and sums */
  if (mine) {
    double fe[24];
    element_give<GIFT>(p, e, i, place, at, PRODUCTS ? of : x, fe);
    for (int j = 0; j < 24; j++)
      given[j * IG_STRESS_CLUSTER + me] = fe[j];
  }
  __syncthreads();
  ig_cluster_finish_f64<ROUNDS, IG_STRESS_CLUSTER, 3>(v, k, own, term, end, given, p.slots, y);
}

/* Launches the pass for the plan of the model. Clusters need one launch, colors one each. */
template <gift GIFT>
static ig_status sums(ig_ctx *cx, const ig_stress_args *p, const ig_plan *plan, const double *x,
                      double *y) {
  if (nodes_of(GIFT) == 8 && plan->how == IG_CLUSTER) { /* clusters are of hexahedra */
    constexpr gift HEX = nodes_of(GIFT) == 8 ? GIFT : FORCE;
    IG_TRY(ig_clusters_clear(cx, p->clusters, plan->nodes, 3, sizeof *y, y));
    cluster_pass<HEX>
        <<<(unsigned)p->cluster.count, IG_STRESS_CLUSTER, 0, ig_cuda_stream(cx)>>>(*p, x, y);
    IG_LAUNCHED(cx);
    return ig_clusters_sum_f64(cx, p->clusters, 3, p->slots, y);
  }
  IG_TRY(cx->backend->fill(cx, y, 0, 3 * sizeof *y * (size_t)plan->nodes));
  for (int c = 0; c < plan->colors; c++) {
    ig_lid begin, end;
    ig_plan_range(plan, c, plan->elements, &begin, &end);
    LAUNCH(element_pass<GIFT>, end - begin, *p, begin, end, x, y);
  }
  return ig_plan_sum_f64(cx, plan, 3, p->slots, y);
}
static ig_status force(ig_ctx *cx, const ig_stress_args *p, const ig_plan *plan, bool past,
                       const double *u, double *f) {
  if (p->tet)
    return past ? sums<TET_PAST>(cx, p, plan, u, f) : sums<TET_FORCE>(cx, p, plan, u, f);
  return past ? sums<PAST>(cx, p, plan, u, f) : sums<FORCE>(cx, p, plan, u, f);
}
static ig_status product(ig_ctx *cx, const ig_stress_args *p, const ig_plan *plan, const double *x,
                         double *y) {
  if (p->tet)
    return sums<TET_PRODUCT>(cx, p, plan, x, y);
  if (p->turn)
    return p->assumed ? sums<PRODUCT_TURNED>(cx, p, plan, x, y)
                      : sums<PRODUCT_TURNED_BBAR>(cx, p, plan, x, y);
  return p->assumed ? sums<PRODUCT>(cx, p, plan, x, y) : sums<PRODUCT_BBAR>(cx, p, plan, x, y);
}

/* One thread per element: its points are worked on one after the other. Tetrahedra have kernels of
   their own: the wider would decide about the registers of both. */
template <bool TET>
static __global__ void __launch_bounds__(THREADS) commit_pass(ig_stress_args p, const double *u) {
  const int64_t e = THREAD;
  if (e < p.scatter.elements)
    TET ? ig_tet_commit(&p, e, u) : ig_stress_commit(&p, e, u);
}
static ig_status commit(ig_ctx *cx, const ig_stress_args *p, const double *u) {
  if (p->tet)
    LAUNCH(commit_pass<true>, p->scatter.elements, *p, u);
  else
    LAUNCH(commit_pass<false>, p->scatter.elements, *p, u);
  return IG_OK;
}

template <bool TET>
static __global__ void __launch_bounds__(THREADS)
    wipe_pass(ig_stress_args p, const double *u, bool hot, const int32_t *list, const double *value,
              int64_t count) {
  const int64_t i = THREAD;
  if (i < count)
    TET ? ig_tet_wipe(&p, list ? list[i] : i, u, hot, value[i])
        : ig_stress_wipe(&p, list ? list[i] : i, u, hot, value[i]);
}
static ig_status wipe(ig_ctx *cx, const ig_stress_args *p, const double *u, bool hot,
                      const int32_t *list, const double *value, int64_t count) {
  if (p->tet)
    LAUNCH(wipe_pass<true>, count, *p, u, hot, list, value, count);
  else
    LAUNCH(wipe_pass<false>, count, *p, u, hot, list, value, count);
  return IG_OK;
}

/* One kernel for each kind: the widest would decide about the registers of all. */
template <ig_stress_value WHAT, bool TET>
static __global__ void __launch_bounds__(THREADS)
    values_pass(ig_stress_args p, const double *old, const double *u, ig_lid begin, ig_lid count,
                double *out) {
  const int64_t i = THREAD;
  double *to = out + ig_stress_value_count(WHAT) * i;
  if (i < count)
    TET ? ig_tet_values_of(&p, WHAT, begin + i, old, u, to)
        : ig_stress_values_of(&p, WHAT, begin + i, old, u, to);
}
template <bool TET>
static ig_status values_launch(ig_ctx *cx, const ig_stress_args *p, ig_stress_value what,
                               const double *old, const double *u, ig_lid begin, ig_lid count,
                               double *out) {
  if (what == IG_VALUE_REPORT)
    LAUNCH((values_pass<IG_VALUE_REPORT, TET>), count, *p, old, u, begin, count, out);
  else if (what == IG_VALUE_POINTS)
    LAUNCH((values_pass<IG_VALUE_POINTS, TET>), count, *p, old, u, begin, count, out);
  else if (what == IG_VALUE_STORED)
    LAUNCH((values_pass<IG_VALUE_STORED, TET>), count, *p, old, u, begin, count, out);
  else
    LAUNCH((values_pass<IG_VALUE_ENERGY, TET>), count, *p, old, u, begin, count, out);
  return IG_OK;
}
static ig_status values(ig_ctx *cx, const ig_stress_args *p, ig_stress_value what,
                        const double *old, const double *u, ig_lid begin, ig_lid count,
                        double *out) {
  return (p->tet ? values_launch<true> : values_launch<false>)(cx, p, what, old, u, begin, count,
                                                               out);
}

static __global__ void young_pass(ig_stress_args p, double *out) {
  const int64_t e = THREAD;
  if (e < p.scatter.elements)
    out[e] = p.tet ? ig_tet_young(&p, e) : ig_stress_young(&p, e);
}
static ig_status young(ig_ctx *cx, const ig_stress_args *p, double *out) {
  LAUNCH(young_pass, p->scatter.elements, *p, out);
  return IG_OK;
}

/* y += a x; sums of vectors outside of conjugate gradients. */
static __global__ void add_pass(int64_t n, double a, const double *x, double *y) {
  const int64_t i = THREAD;
  if (i < n)
    y[i] += a * x[i];
}
static ig_status add(ig_ctx *cx, int64_t n, double a, const double *x, double *y) {
  LAUNCH(add_pass, n, n, a, x, y);
  return IG_OK;
}

/* One block a group; the order of the sums is always the same. */
template <typename T>
static __global__ void tie_pass(const int32_t *start, const int32_t *item, T *x) {
  __shared__ double part[THREADS];
  const int32_t begin = start[blockIdx.x], end = start[blockIdx.x + 1];
  double s = 0;
  for (int32_t i = begin + (int32_t)threadIdx.x; i < end; i += THREADS)
    s += (double)x[item[i]];
  part[threadIdx.x] = s;
  __syncthreads();
  /* tree of halves: the order depends on the number of threads alone */
  for (int d = THREADS / 2; d; d /= 2) {
    if (threadIdx.x < d)
      part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  const double mean = part[0] / (end - begin);
  for (int32_t i = begin + (int32_t)threadIdx.x; i < end; i += THREADS)
    x[item[i]] = (T)mean;
}
static ig_status tie_f64(ig_ctx *cx, int groups, const int32_t *start, const int32_t *item,
                         double *x) {
  if (groups > 0)
    tie_pass<<<groups, THREADS, 0, ig_cuda_stream(cx)>>>(start, item, x);
  IG_LAUNCHED(cx);
  return IG_OK;
}
static ig_status tie_f32(ig_ctx *cx, int groups, const int32_t *start, const int32_t *item,
                         float *x) {
  if (groups > 0)
    tie_pass<<<groups, THREADS, 0, ig_cuda_stream(cx)>>>(start, item, x);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* Places on the grid: the grid stores component after component, the mesh node after node. */
static __global__ void to_grid_pass(int64_t nodes, int64_t stored, const int32_t *list,
                                    const int32_t *place, const float *x, float *y) {
  const int64_t i = THREAD;
  if (i < 3 * nodes)
    y[i % 3 * stored + place[i / 3]] = x[list ? 3 * (int64_t)list[i / 3] + i % 3 : i];
}
static ig_status to_grid(ig_ctx *cx, int64_t nodes, int64_t stored, const int32_t *list,
                         const int32_t *place, const float *x, float *y) {
  LAUNCH(to_grid_pass, 3 * nodes, nodes, stored, list, place, x, y);
  return IG_OK;
}

static __global__ void from_grid_pass(int64_t nodes, int64_t stored, const int32_t *list,
                                      const int32_t *place, const float *x, float *y) {
  const int64_t i = THREAD;
  if (i < 3 * nodes)
    y[list ? 3 * (int64_t)list[i / 3] + i % 3 : i] = x[i % 3 * stored + place[i / 3]];
}
static ig_status from_grid(ig_ctx *cx, int64_t nodes, int64_t stored, const int32_t *list,
                           const int32_t *place, const float *x, float *y) {
  LAUNCH(from_grid_pass, 3 * nodes, nodes, stored, list, place, x, y);
  return IG_OK;
}

static __global__ void to_cells_pass(int64_t elements, const int32_t *list, const int32_t *cell,
                                     const double *x, double *y) {
  const int64_t e = THREAD;
  if (e < elements)
    y[cell[e]] = x[list ? list[e] : e];
}
static ig_status to_cells(ig_ctx *cx, int64_t elements, const int32_t *list, const int32_t *cell,
                          const double *x, double *y) {
  LAUNCH(to_cells_pass, elements, elements, list, cell, x, y);
  return IG_OK;
}

static __global__ void turn_pass(int64_t nodes, const float *turn, bool back, const float *x,
                                 float *y) {
  const int64_t n = THREAD;
  if (n < nodes)
    ig_stress_turn_single(turn + 9 * n, back, x + 3 * n, y + 3 * n);
}
static ig_status turn(ig_ctx *cx, int64_t nodes, const float *turn, bool back, const float *x,
                      float *y) {
  LAUNCH(turn_pass, nodes, nodes, turn, back, x, y);
  return IG_OK;
}

/* Corrections of prescribed unknowns are 0. */
static __global__ void still_pass(int64_t nodes, const uint8_t *fix, float *x) {
  const int64_t i = THREAD;
  if (i < 3 * nodes && (fix[i / 3] >> (i % 3) & 1))
    x[i] = 0;
}
static ig_status still(ig_ctx *cx, int64_t nodes, const uint8_t *fix, float *x) {
  LAUNCH(still_pass, 3 * nodes, nodes, fix, x);
  return IG_OK;
}

const ig_stress_ops ig_stress_cuda = {.force = force,
                                      .product = product,
                                      .commit = commit,
                                      .wipe = wipe,
                                      .values = values,
                                      .young = young,
                                      .add = add,
                                      .tie_f64 = tie_f64,
                                      .tie_f32 = tie_f32,
                                      .to_grid = to_grid,
                                      .from_grid = from_grid,
                                      .to_cells = to_cells,
                                      .turn = turn,
                                      .still = still};
