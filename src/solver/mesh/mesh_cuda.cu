/* A mesh of hexahedra or tetrahedra on the GPU: the passes beside the product. A thread per element
   (or node of an element, where that fills the device better), color by color or into slots. */
#include "solver/mesh/mesh_ops.h"
#include "assembly/cluster_sum.cuh"
#include "backend/cuda/launch.cuh"

#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "solver/mesh/mesh.inc"

/* Sum over a block of 256 threads, in thread 0; the order is always the same. */
static __device__ double block_sum(double s) {
  __shared__ double part[8];
  for (int d = 16; d; d /= 2)
    s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = s;
  __syncthreads();
  s = 0;
  if (threadIdx.x == 0)
    for (int w = 0; w < 8; w++)
      s += part[w];
  return s;
}

static __global__ void single_pass(int64_t n, const double *x, float *y) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = (float)x[i];
}
static ig_status to_single(ig_ctx *cx, int64_t n, const double *x, float *y) {
  single_pass<<<ig_cuda_blocks(n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* A fixed number of blocks, so that partial sums are the same on every GPU. */
static __global__ void ground_part(ig_ground g, const double *x, double *y, double *partial) {
  const int64_t n = (int64_t)g.size * g.nodes;
  double s = 0;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
       i += (int64_t)gridDim.x * blockDim.x) {
    const double v = ig_ground_value(&g, i, x[i], y[i]);
    y[i] = v;
    s += x[i] * v;
  }
  s = block_sum(s);
  if (threadIdx.x == 0)
    partial[blockIdx.x] = s;
}
/* One block, always the same order. */
static __global__ void ground_sum(const double *partial, double *dot) {
  double s = 0;
  for (int i = threadIdx.x; i < IG_MESH_CHUNKS; i += 256)
    s += partial[i];
  s = block_sum(s);
  if (threadIdx.x == 0)
    *dot = s;
}
static ig_status ground(ig_ctx *cx, const ig_ground *g, const double *x, double *y, double *partial,
                        double *dot) {
  ground_part<<<IG_MESH_CHUNKS, 256, 0, ig_cuda_stream(cx)>>>(*g, x, y, partial);
  IG_LAUNCHED(cx);
  if (dot)
    ground_sum<<<1, 256, 0, ig_cuda_stream(cx)>>>(partial, dot);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* u_e . K_e v_e: an element writes one number of its own. This and the passes below are loops over
   functions of mesh.inc; blocks of 128, as elements take many registers. */
template <int N>
static __global__ void __launch_bounds__(128)
    energy_pass(ig_mesh_args p, const double *u, const double *v, double scale, bool add,
                double *out) {
  const int32_t e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < p.scatter.elements)
    out[e] = (add ? out[e] : 0) + scale * ig_cell_energy(&p, N, e, u, v);
}
static ig_status energy(ig_ctx *cx, const ig_mesh_args *p, const double *u, const double *v,
                        double scale, bool add, double *out) {
  const unsigned blocks = ig_cuda_blocks(p->scatter.elements, 128);
  IG_BY_NODES(p->scatter.npe,
              energy_pass<N><<<blocks, 128, 0, ig_cuda_stream(cx)>>>(*p, u, v, scale, add, out));
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* a thread per node of an element */
template <int N>
static __global__ void __launch_bounds__(128)
    diagonal_pass(ig_mesh_args p, int32_t begin, int32_t end, const double *modulus,
                  double *block) {
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int64_t i = begin + t / N;
  if (i >= end)
    return;
  const int32_t e = ig_scatter_element(&p.scatter, (int32_t)i);
  /* neighbouring threads have one element, whose positions they find in the cache */
  const int a = (int)(t % N), count = p.size == 1 ? 1 : 6;
  const double scale = modulus ? modulus[e] : 1;
  double at[30], b[6];
  ig_cell_positions(&p, N, e, at);
  ig_cell_diagonal(&p, N, e, at, a, b);
#pragma unroll
  for (int j = 0; j < 6; j++)
    if (j < count)
      ig_scatter_add_f64(&p.scatter, e, a, count, j, scale * b[j], block, (double *)p.slots);
}

/* Runs a pass over the elements, color by color: LAUNCH(blocks for so many threads, begin, end). */
#define EACH_COLOR(plan, threads_an_element, LAUNCH)                                               \
  for (int color = 0; color < (plan)->colors; color++) {                                           \
    ig_lid b, e;                                                                                   \
    ig_plan_range(plan, color, (plan)->elements, &b, &e);                                          \
    if (b == e)                                                                                    \
      continue;                                                                                    \
    const unsigned blocks = ig_cuda_blocks((threads_an_element) * (int64_t)(e - b), 128);          \
    LAUNCH;                                                                                        \
    IG_LAUNCHED(cx);                                                                               \
  }

/* Cleared, added to, and with slots summed: the three steps of every pass that adds at nodes. */
static ig_status diagonal(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                          const double *modulus, double *block) {
  const size_t count = p->size == 1 ? 1 : 6;
  IG_TRY(cx->backend->fill(cx, block, 0, count * sizeof *block * (size_t)p->scatter.nodes));
  EACH_COLOR(plan, plan->npe,
             IG_BY_NODES(plan->npe, diagonal_pass<N>
                         <<<blocks, 128, 0, ig_cuda_stream(cx)>>>(*p, b, e, modulus, block)))
  return ig_plan_sum_f64(cx, plan, (int)count, (const double *)p->slots, block);
}

/* What an element gives to its corners at unit modulus; `place` of its nodes in x and t. */
#define SCALAR_PRODUCT(F, R)                                                                       \
  template <int N, typename PLACE, typename AT>                                                    \
  static __device__ __forceinline__ void scalar_of_##F(const ig_mesh_args &p, const PLACE *place,  \
                                                       const AT *at, const R *t, R *f) {           \
    R x[3 * N], te[N];                                                                             \
    _Pragma("unroll") for (int a = 0; a < N; a++) {                                                \
      const int64_t n = place[a];                                                                  \
      te[a] = t[n];                                                                                \
      _Pragma("unroll") for (int c = 0; c < 3; c++) x[3 * a + c] = (R)at[3 * n + c];               \
    }                                                                                              \
    if (N == 8)                                                                                    \
      hex_scalar_##F(x, te, (R)p.conduct, (R)p.mass, f);                                           \
    else                                                                                           \
      tet_scalar_##F(x, te, N, (R)p.conduct, (R)p.mass, f);                                        \
  }                                                                                                \
  template <int N>                                                                                 \
  static __global__ void __launch_bounds__(128)                                                    \
      scalar_pass_##F(const __grid_constant__ ig_mesh_args p, int32_t begin, int32_t end,          \
                      const R *modulus, const R *t, R *y) {                                        \
    const int32_t i = begin + blockIdx.x * blockDim.x + threadIdx.x;                               \
    if (i >= end)                                                                                  \
      return;                                                                                      \
    const int32_t e = ig_scatter_element(&p.scatter, i);                                           \
    R f[N];                                                                                        \
    scalar_of_##F<N>(p, p.scatter.conn + N * (int64_t)e, p.x, t, f);                               \
    const R scale = modulus ? modulus[e] : (R)1;                                                   \
    _Pragma("unroll") for (int a = 0; a < N; a++)                                                  \
        ig_scatter_add_##F(&p.scatter, e, a, 1, 0, scale *f[a], y, (R *)p.slots);                  \
  }                                                                                                \
  /* a block a cluster, as in ebe_cluster.inc */                                                   \
  template <int N>                                                                                 \
  static __global__ void __launch_bounds__(IG_CLUSTER_ELEMENTS) scalar_cluster_##F(                \
      const __grid_constant__ ig_mesh_args p, const R *modulus, const R *t, R *y) {                \
    __shared__ R given[N * IG_CLUSTER_ELEMENTS], ts[IG_CLUSTER_NODES];                             \
    __shared__ double xs[3 * IG_CLUSTER_NODES];                                                    \
    __shared__ uint16_t term[N * IG_CLUSTER_ELEMENTS], end[IG_CLUSTER_NODES];                      \
    constexpr int ROUNDS = (IG_CLUSTER_NODES - 1) / IG_CLUSTER_ELEMENTS + 1;                       \
    int32_t own[ROUNDS];                                                                           \
    const ig_cluster_view &v = p.cluster;                                                          \
    const ig_cluster k = v.cluster[blockIdx.x];                                                    \
    const int32_t me = (int32_t)threadIdx.x;                                                       \
    const int64_t i = k.first + me;                                                                \
    ig_cluster_own<ROUNDS>(k, v.node, own);                                                        \
    ig_cluster_load_##F<ROUNDS, 1>(own, t, ts);                                                    \
    ig_cluster_load_f64<ROUNDS, 3>(own, p.x, xs);                                                  \
    ig_cluster_terms(v, k, N, term, end);                                                          \
    __syncthreads();                                                                               \
    if (me < k.count) {                                                                            \
      R f[N];                                                                                      \
      const R scale = modulus ? modulus[v.order[i]] : (R)1;                                        \
      scalar_of_##F<N>(p, v.local + N * i, xs, ts, f);                                             \
      _Pragma("unroll") for (int a = 0; a < N; a++) given[a * IG_CLUSTER_ELEMENTS + me] =          \
          scale * f[a];                                                                            \
    }                                                                                              \
    __syncthreads();                                                                               \
    ig_cluster_finish_##F<ROUNDS, IG_CLUSTER_ELEMENTS, 1>(v, k, own, term, end, given,             \
                                                          (R *)p.borders, y);                      \
  }                                                                                                \
  static ig_status scalar_##F(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,              \
                              const R *modulus, const R *t, R *y) {                                \
    if (p->clusters) {                                                                             \
      IG_TRY(ig_clusters_clear(cx, p->clusters, p->scatter.nodes, 1, sizeof *y, y));               \
      IG_BY_NODES(p->scatter.npe, scalar_cluster_##F<N>                                            \
                  <<<(unsigned)p->cluster.count, IG_CLUSTER_ELEMENTS, 0, ig_cuda_stream(cx)>>>(    \
                      *p, modulus, t, y));                                                         \
      IG_LAUNCHED(cx);                                                                             \
      return ig_clusters_sum_##F(cx, p->clusters, 1, (const R *)p->borders, y);                    \
    }                                                                                              \
    IG_TRY(cx->backend->fill(cx, y, 0, sizeof *y *(size_t)p->scatter.nodes));                      \
    EACH_COLOR(plan, 1,                                                                            \
               IG_BY_NODES(plan->npe, scalar_pass_##F<N>                                           \
                           <<<blocks, 128, 0, ig_cuda_stream(cx)>>>(*p, b, e, modulus, t, y)))     \
    return ig_plan_sum_##F(cx, plan, 1, (const R *)p->slots, y);                                   \
  }
SCALAR_PRODUCT(f32, float)
SCALAR_PRODUCT(f64, double)

template <int N>
static __global__ void __launch_bounds__(128)
    nodes_pass(ig_mesh_args p, int32_t begin, int32_t end, const double *in, double *out) {
  const int32_t i = begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= end)
    return;
  const int32_t e = ig_scatter_element(&p.scatter, i);
  double x[30], weight[10];
  ig_cell_gather(&p.scatter, N, e, p.x, x);
  ig_cell_shares(&p, x, N, weight);
#pragma unroll
  for (int a = 0; a < N; a++)
    ig_scatter_add_f64(&p.scatter, e, a, 1, 0, in[e] * weight[a], out, (double *)p.slots);
}
static ig_status to_nodes(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan, const double *in,
                          double *out) {
  IG_TRY(cx->backend->fill(cx, out, 0, sizeof *out * (size_t)p->scatter.nodes));
  EACH_COLOR(plan, 1,
             IG_BY_NODES(plan->npe,
                         nodes_pass<N><<<blocks, 128, 0, ig_cuda_stream(cx)>>>(*p, b, e, in, out)))
  return ig_plan_sum_f64(cx, plan, 1, (const double *)p->slots, out);
}
template <int N>
static __global__ void __launch_bounds__(128)
    elements_pass(ig_mesh_args p, const double *in, double *out) {
  const int32_t e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < p.scatter.elements)
    out[e] = ig_cell_mean(&p, N, e, in);
}
static ig_status to_elements(ig_ctx *cx, const ig_mesh_args *p, const double *in, double *out) {
  const unsigned blocks = ig_cuda_blocks(p->scatter.elements, 128);
  IG_BY_NODES(p->scatter.npe,
              elements_pass<N><<<blocks, 128, 0, ig_cuda_stream(cx)>>>(*p, in, out));
  IG_LAUNCHED(cx);
  return IG_OK;
}

template <int N>
static __global__ void __launch_bounds__(128)
    strain_pass(ig_mesh_args p, const double *u, double *tensor) {
  const int32_t e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < p.scatter.elements)
    ig_cell_strain(&p, N, e, u, tensor);
}
static ig_status strain(ig_ctx *cx, const ig_mesh_args *p, const double *u, double *tensor) {
  const unsigned blocks = ig_cuda_blocks(p->scatter.elements, 128);
  IG_BY_NODES(p->scatter.npe,
              strain_pass<N><<<blocks, 128, 0, ig_cuda_stream(cx)>>>(*p, u, tensor));
  IG_LAUNCHED(cx);
  return IG_OK;
}

template <int N>
static __global__ void __launch_bounds__(128)
    strain_back_pass(ig_mesh_args p, int32_t begin, int32_t end, const double *tensor, double *f) {
  const int32_t i = begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= end)
    return;
  const int32_t e = ig_scatter_element(&p.scatter, i);
  /* gradients at the centre are linear in `rate`, which all nodes of the element share */
  double rate[9], fe[3];
  ig_cell_center(&p, N, e, rate);
  for (int a = 0; a < N; a++) {
    ig_cell_strain_back(&p, N, e, rate, a, tensor, fe);
    for (int c = 0; c < 3; c++)
      ig_scatter_add_f64(&p.scatter, e, a, 3, c, fe[c], f, (double *)p.slots);
  }
}
static ig_status strain_back(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                             const double *tensor, double *f) {
  IG_TRY(cx->backend->fill(cx, f, 0, 3 * sizeof *f * (size_t)p->scatter.nodes));
  EACH_COLOR(plan, 1,
             IG_BY_NODES(plan->npe, strain_back_pass<N>
                         <<<blocks, 128, 0, ig_cuda_stream(cx)>>>(*p, b, e, tensor, f)))
  return ig_plan_sum_f64(cx, plan, 3, (const double *)p->slots, f);
}

template <int N>
static __global__ void __launch_bounds__(128)
    gradient_pass(ig_mesh_args p, const double *u, double *to) {
  const int32_t e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < p.scatter.elements)
    ig_cell_gradient(&p, N, e, u, to);
}
static ig_status gradient(ig_ctx *cx, const ig_mesh_args *p, const double *u, double *to) {
  const unsigned blocks = ig_cuda_blocks(p->scatter.elements, 128);
  IG_BY_NODES(p->scatter.npe, gradient_pass<N><<<blocks, 128, 0, ig_cuda_stream(cx)>>>(*p, u, to));
  IG_LAUNCHED(cx);
  return IG_OK;
}

template <int N>
static __global__ void __launch_bounds__(128)
    gradient_back_pass(ig_mesh_args p, int32_t begin, int32_t end, const double *from, double *f) {
  const int32_t i = begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= end)
    return;
  const int32_t e = ig_scatter_element(&p.scatter, i);
  double rate[9], fe[3];
  ig_cell_center(&p, N, e, rate);
  for (int a = 0; a < N; a++) {
    ig_cell_gradient_back(&p, N, e, rate, a, from, fe);
    for (int c = 0; c < 3; c++)
      ig_scatter_add_f64(&p.scatter, e, a, 3, c, fe[c], f, (double *)p.slots);
  }
}
static ig_status gradient_back(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                               const double *from, double *f) {
  IG_TRY(cx->backend->fill(cx, f, 0, 3 * sizeof *f * (size_t)p->scatter.nodes));
  EACH_COLOR(plan, 1,
             IG_BY_NODES(plan->npe, gradient_back_pass<N>
                         <<<blocks, 128, 0, ig_cuda_stream(cx)>>>(*p, b, e, from, f)))
  return ig_plan_sum_f64(cx, plan, 3, (const double *)p->slots, f);
}

/* The preconditioner by nodes: inverses once per design, scale_pass in every iteration. */
static __global__ void invert_pass(ig_ground g, bool whole, const double *block, float *inverse) {
  const int32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < g.nodes)
    ig_ground_invert(&g, n, whole, block, inverse);
}
static ig_status invert(ig_ctx *cx, const ig_ground *g, bool whole, const double *block,
                        float *inverse) {
  invert_pass<<<ig_cuda_blocks(g->nodes, 256), 256, 0, ig_cuda_stream(cx)>>>(*g, whole, block,
                                                                             inverse);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static __global__ void scale_pass(int32_t nodes, int size, const float *inverse, const float *r,
                                  float *z) {
  const int32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < nodes)
    ig_node_scale(n, size, inverse, r, z);
}
static ig_status scale(ig_ctx *cx, ig_lid nodes, int size, const float *inverse, const float *r,
                       float *z) {
  scale_pass<<<ig_cuda_blocks(nodes, 256), 256, 0, ig_cuda_stream(cx)>>>(nodes, size, inverse, r,
                                                                         z);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* A thread per element looks at the 27 cells around it; no lists of neighbours. */
static __global__ void cone_pass(ig_cone c, const double *in, double *out) {
  const int32_t e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < c.elements)
    out[e] = ig_cone_sum(&c, e, in);
}
static ig_status cone(ig_ctx *cx, const ig_cone *c, const double *in, double *out) {
  cone_pass<<<ig_cuda_blocks(c->elements, 128), 128, 0, ig_cuda_stream(cx)>>>(*c, in, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

const ig_solver_mesh_ops ig_solver_mesh_cuda = {.to_single = to_single,
                                                .ground = ground,
                                                .energy = energy,
                                                .scalar_f32 = scalar_f32,
                                                .scalar_f64 = scalar_f64,
                                                .to_nodes = to_nodes,
                                                .to_elements = to_elements,
                                                .strain = strain,
                                                .strain_back = strain_back,
                                                .gradient = gradient,
                                                .gradient_back = gradient_back,
                                                .diagonal = diagonal,
                                                .invert = invert,
                                                .scale = scale,
                                                .cone = cone};
