/* Multigrid on a mesh, on the GPU: one thread per block, node, or column of a block. The functions
   at the end of each group are the entries of the table in mesh_amg_cuda.c, and are described with
   it in mesh_amg.h; what a thread does is in mesh_amg.inc. Block sizes are literals of templates:
   loops over entries unroll, and local arrays stay in registers. */
#include "solver/amg/mesh_amg.h"
#include "backend/cuda/launch.cuh"

#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "solver/mesh/mesh.inc"
#include "solver/amg/mesh_amg.inc"

/* --- values of a level --- */

/* a thread per pair of nodes of an element */
template <int SIZE, int N>
static __global__ void __launch_bounds__(128)
    assemble_pass(ig_mesh_args p, int32_t begin, int32_t end, const double *modulus, ig_bsr a) {
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int64_t at = begin + t / (N * N);
  if (at >= end)
    return;
  const int32_t e = ig_scatter_element(&p.scatter, (int32_t)at);
  const int i = (int)(t / N % N), j = (int)(t % N);
  const int32_t *node = p.scatter.conn + N * (int64_t)e;
  double x[30], k[9];
  ig_cell_positions(&p, N, e, x);
  ig_cell_block(&p, N, e, x, SIZE, i, j, modulus[e], k);
  const int32_t place = ig_bsr_find(&a, node[i], node[j]);
  if (place < 0) /* another rank's row */
    return;
  float *to = a.value + (int64_t)place * (SIZE * SIZE);
#pragma unroll
  for (int c = 0; c < SIZE * SIZE; c++) { /* entries have no slots */
    const float value = (float)k[c];
    ig_scatter_put_f32(p.scatter.how == IG_COLOR ? IG_COLOR : IG_ATOMIC, 1, &value, 0, 1, to + c);
  }
}
/* After all elements are in: held unknowns are cut off, springs added. */
static __global__ void ground_pass(ig_ground g, ig_bsr a) {
  const int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (k < a.blocks)
    ig_amg_ground(&g, &a, k);
}
/* n x n threads per element, each computes one block of the element matrix: the gradients of the
   shape functions are computed n times over, but the registers of one thread could not hold a whole
   matrix. */
static ig_status assemble(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                          const ig_ground *g, const double *modulus, ig_bsr *a) {
  IG_TRY(cx->backend->fill(cx, a->value, 0,
                           sizeof(float) * (size_t)a->blocks * (size_t)(a->br * a->bc)));
  for (int color = 0; color < plan->colors; color++) {
    ig_lid b, e;
    ig_plan_range(plan, color, plan->elements, &b, &e);
    if (b == e)
      continue;
    const int npe = p->scatter.npe;
    const unsigned blocks = ig_cuda_blocks(npe * npe * (int64_t)(e - b), 128);
    if (a->br == 1)
      IG_BY_NODES(npe, assemble_pass<1, N>
                  <<<blocks, 128, 0, ig_cuda_stream(cx)>>>(*p, b, e, modulus, *a));
    else
      IG_BY_NODES(npe, assemble_pass<3, N>
                  <<<blocks, 128, 0, ig_cuda_stream(cx)>>>(*p, b, e, modulus, *a));
    IG_LAUNCHED(cx);
  }
  ground_pass<<<ig_cuda_blocks(a->blocks, 256), 256, 0, ig_cuda_stream(cx)>>>(*g, *a);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* Small blocks: a thread holds a matrix of up to 6 x 12 doubles. */
template <int SIZE>
static __global__ void __launch_bounds__(64)
    invert_pass(ig_bsr a, const int32_t *diagonal, const uint8_t *fix, float *inverse) {
  const int32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < a.rows)
    ig_amg_invert(a.value + (int64_t)diagonal[n] * (SIZE * SIZE), SIZE, fix ? fix[n] : 0,
                  inverse + (int64_t)n * (SIZE * SIZE));
}
static ig_status invert(ig_ctx *cx, const ig_bsr *a, const int32_t *diagonal, const uint8_t *fix,
                        float *inverse) {
  const unsigned blocks = ig_cuda_blocks(a->rows, 64);
  const cudaStream_t stream = ig_cuda_stream(cx);
  if (a->br == 3)
    invert_pass<3><<<blocks, 64, 0, stream>>>(*a, diagonal, fix, inverse);
  else if (a->br == 6)
    invert_pass<6><<<blocks, 64, 0, stream>>>(*a, diagonal, fix, inverse);
  else
    invert_pass<1><<<blocks, 64, 0, stream>>>(*a, diagonal, fix, inverse);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* Three launches, each of which needs all results of the one before. */
static __global__ void norm_pass(ig_bsr a, double *norm) {
  const int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (k < a.blocks)
    norm[k] = ig_amg_norm(&a, k);
}
static __global__ void largest_pass(ig_bsr a, const double *norm, double *largest) {
  const int32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < a.rows)
    largest[n] = ig_amg_largest(&a, norm, n);
}
static __global__ void strong_pass(ig_bsr a, const double *norm, const double *largest,
                                   uint8_t *strong) {
  const int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (k < a.blocks)
    strong[k] = ig_amg_strong(&a, norm, largest, k);
}
static ig_status norms(ig_ctx *cx, const ig_bsr *a, double *norm, double *largest,
                       uint8_t *strong) {
  const cudaStream_t stream = ig_cuda_stream(cx);
  const unsigned blocks = ig_cuda_blocks(a->blocks, 128);
  norm_pass<<<blocks, 128, 0, stream>>>(*a, norm);
  largest_pass<<<ig_cuda_blocks(a->rows, 128), 128, 0, stream>>>(*a, norm, largest);
  strong_pass<<<blocks, 128, 0, stream>>>(*a, norm, largest, strong);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static __global__ void diagonal_pass(ig_bsr a, int32_t *place) {
  const int32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < a.rows)
    place[n] = ig_bsr_diagonal(&a, n);
}
static ig_status diagonal(ig_ctx *cx, const ig_bsr *a, int32_t *place) {
  diagonal_pass<<<ig_cuda_blocks(a->rows, 128), 128, 0, ig_cuda_stream(cx)>>>(*a, place);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* A thread per row: rows are short, and this is done once per matrix. */
static __global__ void rows_pass(ig_bsr a, int32_t *row) {
  const int32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  for (int32_t k = n < a.rows ? a.start[n] : 0; n < a.rows && k < a.start[n + 1]; k++)
    row[k] = n;
}
static ig_status rows(ig_ctx *cx, const ig_bsr *a, int32_t *row) {
  rows_pass<<<ig_cuda_blocks(a->rows, 128), 128, 0, ig_cuda_stream(cx)>>>(*a, row);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* Reads `of` as the first pass of aggregation left it and writes elsewhere: the order of threads
   does not matter. */
static __global__ void join_pass(ig_bsr a, const double *norm, const uint8_t *strong,
                                 const int32_t *of, int32_t count, int32_t *joined) {
  const int32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < a.rows)
    joined[n] = of[n] < 0 ? ig_amg_join(&a, norm, strong, of, count, n) : -1;
}
static ig_status join(ig_ctx *cx, const ig_bsr *a, const double *norm, const uint8_t *strong,
                      const int32_t *of, int32_t count, int32_t *joined) {
  join_pass<<<ig_cuda_blocks(a->rows, 128), 128, 0, ig_cuda_stream(cx)>>>(*a, norm, strong, of,
                                                                          count, joined);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static __global__ void modes_pass(ig_amg_frame frame, int32_t nodes, int size, const double *x,
                                  const uint8_t *fix, double *modes) {
  const int32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < nodes)
    ig_amg_modes(&frame, x + 3 * (int64_t)n, size, fix[n],
                 modes + (size == 3 ? 18 : 1) * (int64_t)n);
}
static ig_status modes(ig_ctx *cx, const ig_amg_frame *frame, int32_t nodes, int size,
                       const double *x, const uint8_t *fix, double *modes) {
  modes_pass<<<ig_cuda_blocks(nodes, 128), 128, 0, ig_cuda_stream(cx)>>>(*frame, nodes, size, x,
                                                                         fix, modes);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* Rounds an array. */
static __global__ void single_pass(int64_t n, const double *from, float *to) {
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (t < n)
    to[t] = (float)from[t];
}

/* a thread per aggregate: there are few, so blocks are small */
static __global__ void __launch_bounds__(32)
    orthonormal_pass(ig_amg_members m, int size, int count, double *modes, double *coarse) {
  const int32_t g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < m.aggregates)
    ig_amg_orthonormal(m.item + m.start[g], m.start[g + 1] - m.start[g], size, count, modes,
                       coarse + (int64_t)g * (count * count));
}
static ig_status orthonormal(ig_ctx *cx, const ig_amg_members *m, int32_t nodes, int size,
                             int count, double *modes, double *coarse, float *tentative) {
  const int64_t values = (int64_t)nodes * size * count;
  const cudaStream_t stream = ig_cuda_stream(cx);
  orthonormal_pass<<<ig_cuda_blocks(m->aggregates, 32), 32, 0, stream>>>(*m, size, count, modes,
                                                                         coarse);
  IG_LAUNCHED(cx);
  single_pass<<<ig_cuda_blocks(values, 256), 256, 0, stream>>>(values, modes, tentative);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* a thread per column of a block; KERNEL<rows, columns> */
#define BY_SIZE(KERNEL, c, size, ...)                                                              \
  do {                                                                                             \
    const int64_t threads = (c)->blocks * ((size) == 1 ? 1 : 6);                                   \
    const unsigned blocks = ig_cuda_blocks(threads, 192);                                          \
    if ((size) == 3)                                                                               \
      KERNEL<3, 6><<<blocks, 192, 0, ig_cuda_stream(cx)>>>(__VA_ARGS__);                           \
    else if ((size) == 6)                                                                          \
      KERNEL<6, 6><<<blocks, 192, 0, ig_cuda_stream(cx)>>>(__VA_ARGS__);                           \
    else                                                                                           \
      KERNEL<1, 1><<<blocks, 192, 0, ig_cuda_stream(cx)>>>(__VA_ARGS__);                           \
    IG_LAUNCHED(cx);                                                                               \
  } while (0)

/* B x M: block of a row's node and a column's; a thread makes one of its M columns, so that
   neighbouring threads write side by side. */
template <int B, int M>
static __global__ void prolongator_pass(ig_bsr a, const float *inverse, const int32_t *of,
                                        const float *tentative, float omega, ig_bsr p) {
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (t < p.blocks * M)
    ig_amg_prolongator(&a, inverse, of, tentative, omega, &p, t / M, (int)(t % M), 1, B, M);
}
static ig_status prolongator(ig_ctx *cx, const ig_bsr *a, const float *inverse, const int32_t *of,
                             const float *tentative, float omega, ig_bsr *p) {
  BY_SIZE(prolongator_pass, p, a->br, *a, inverse, of, tentative, omega, *p);
  return IG_OK;
}

/* A thread per number. */
static __global__ void transpose_pass(ig_bsr p, const int32_t *from, ig_bsr r) {
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int size = p.br * p.bc;
  if (t >= r.blocks * size)
    return;
  const int e = (int)(t % size);
  r.value[t] = p.value[(int64_t)from[t / size] * size + e % p.br * p.bc + e / p.br];
}
static ig_status transpose(ig_ctx *cx, const ig_bsr *p, const int32_t *from, ig_bsr *r) {
  transpose_pass<<<ig_cuda_blocks(r->blocks * p->br * p->bc, 256), 256, 0, ig_cuda_stream(cx)>>>(
      *p, from, *r);
  IG_LAUNCHED(cx);
  return IG_OK;
}

template <int B, int M> static __global__ void times_pass(ig_bsr a, ig_bsr p, ig_bsr ap) {
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (t < ap.blocks * M)
    ig_amg_times(&a, &p, &ap, t / M, (int)(t % M), 1, B, M);
}
static ig_status times(ig_ctx *cx, const ig_bsr *a, const ig_bsr *p, ig_bsr *ap) {
  BY_SIZE(times_pass, ap, a->br, *a, *p, *ap);
  return IG_OK;
}

template <int B, int M> static __global__ void coarse_pass(ig_bsr r, ig_bsr ap, ig_bsr a) {
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (t < a.blocks * M)
    ig_amg_coarse(&r, &ap, &a, t / M, (int)(t % M), 1, B, M);
}
static ig_status coarse(ig_ctx *cx, const ig_bsr *r, const ig_bsr *ap, ig_bsr *a) {
  BY_SIZE(coarse_pass, a, ap->br, *r, *ap, *a);
  return IG_OK;
}

/* The sparse matrix into a dense one, whose other entries are zero already. */
static __global__ void dense_fill_pass(ig_bsr a, int n, double *to) {
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int size = a.br * a.br;
  if (t >= a.blocks * size)
    return;
  const int64_t k = t / size;
  const int e = (int)(t % size);
  to[(int64_t)(a.row[k] * a.br + e / a.br) * n + a.column[k] * a.br + e % a.br] =
      (double)a.value[t];
}
static __global__ void dense_own_pass(int n, const double *a, double *own) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    own[i] = a[(int64_t)i * n + i];
}
/* n launches of n^2 threads: n is 600 at most, and this runs once per design. */
static __global__ void dense_step_pass(int n, int k, const double *own, const double *from,
                                       double *to) {
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (t < (int64_t)n * n)
    to[t] = ig_dense_step(n, k, (int)(t / n), (int)(t % n), own, from);
}
/* Gauss and Jordan's elimination, a launch per pivot: a launch is also the barrier between steps.
 */
static ig_status dense_invert(ig_ctx *cx, const ig_bsr *a, int n, double *work, float *inverse) {
  const cudaStream_t stream = ig_cuda_stream(cx);
  const int64_t all = (int64_t)n * n;
  /* a step reads one matrix and writes the other: no entry is overwritten before it has been read
   */
  double *from = work, *to = work + all, *own = work + 2 * all;
  IG_TRY(cx->backend->fill(cx, from, 0, sizeof(double) * (size_t)all));
  dense_fill_pass<<<ig_cuda_blocks(a->blocks * a->br * a->br, 256), 256, 0, stream>>>(*a, n, from);
  IG_LAUNCHED(cx);
  dense_own_pass<<<ig_cuda_blocks(n, 128), 128, 0, stream>>>(n, from, own);
  IG_LAUNCHED(cx);
  for (int k = 0; k < n; k++) {
    dense_step_pass<<<ig_cuda_blocks(all, 256), 256, 0, stream>>>(n, k, own, from, to);
    IG_LAUNCHED(cx);
    double *swap = from;
    from = to;
    to = swap;
  }
  single_pass<<<ig_cuda_blocks(all, 256), 256, 0, stream>>>(all, from, inverse);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- a cycle --- */

/* Pairwise over neighbouring lanes, in one order; all lanes have the sum. */
static __device__ float lanes_sum(float s, int lanes) {
  for (int d = lanes / 2; d; d /= 2)
    s += __shfl_xor_sync(0xffffffffu, s, d);
  return s;
}

/* a few lanes per row, as many as a row has blocks; whole warps stay for the sums */
template <int LANES>
static __global__ void product_pass(ig_bsr a, bool add, const float *x, float *y) {
  const int64_t row = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / LANES;
  const int lane = threadIdx.x % LANES;
  const bool mine = row < (int64_t)a.rows * a.br;
  const float s = lanes_sum(mine ? ig_bsr_row(&a, row, lane, LANES, x) : 0, LANES);
  if (mine && lane == 0)
    y[row] = (add ? y[row] : 0) + s;
}
/* Lanes per row by the mean width of rows: too many would idle, too few would read with large
   strides. */
static ig_status product(ig_ctx *cx, const ig_bsr *a, bool add, const float *x, float *y) {
  const int64_t rows = (int64_t)a->rows * a->br, width = a->blocks / (a->rows > 0 ? a->rows : 1);
  const cudaStream_t stream = ig_cuda_stream(cx);
  if (width <= 6)
    product_pass<4><<<ig_cuda_blocks(4 * rows, 128), 128, 0, stream>>>(*a, add, x, y);
  else if (width <= 24)
    product_pass<16><<<ig_cuda_blocks(16 * rows, 128), 128, 0, stream>>>(*a, add, x, y);
  else
    product_pass<32><<<ig_cuda_blocks(32 * rows, 128), 128, 0, stream>>>(*a, add, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}

template <int SIZE>
static __global__ void smooth_pass(int32_t nodes, const float *inverse, const double *spring,
                                   const float *b, const float *ax, bool first, float c0, float c1,
                                   float *d, float *x) {
  const int32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < nodes)
    ig_amg_smooth_node(n, SIZE, inverse, spring, b, ax, first, c0, c1, d, x);
}
/* A thread per node: its residual, block inverse and update in registers. */
static ig_status smooth(ig_ctx *cx, int32_t nodes, int size, const float *inverse,
                        const double *spring, const float *b, const float *ax, bool first, float c0,
                        float c1, float *d, float *x) {
  const unsigned blocks = ig_cuda_blocks(nodes, 128);
  if (size == 3)
    smooth_pass<3><<<blocks, 128, 0, ig_cuda_stream(cx)>>>(nodes, inverse, spring, b, ax, first, c0,
                                                           c1, d, x);
  else if (size == 1)
    smooth_pass<1><<<blocks, 128, 0, ig_cuda_stream(cx)>>>(nodes, inverse, spring, b, ax, first, c0,
                                                           c1, d, x);
  else
    smooth_pass<IG_AMG_BLOCK><<<blocks, 128, 0, ig_cuda_stream(cx)>>>(nodes, inverse, spring, b, ax,
                                                                      first, c0, c1, d, x);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static __global__ void residual_pass(int64_t n, const double *spring, const float *b,
                                     const float *x, float *ax) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    ax[i] = b[i] - ax[i] - (spring ? (float)spring[i] * x[i] : 0);
}
static ig_status residual(ig_ctx *cx, int64_t n, const double *spring, const float *b,
                          const float *x, float *ax) {
  residual_pass<<<ig_cuda_blocks(n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, spring, b, x, ax);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static __global__ void dense_pass(int n, const float *m, const float *b, float *x) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= n)
    return;
  const float s = lanes_sum(ig_amg_dense_row(n, row, lane, 32, m, b), 32);
  if (lane == 0)
    x[row] = s;
}
static ig_status dense(ig_ctx *cx, int n, const float *m, const float *b, float *x) {
  dense_pass<<<ig_cuda_blocks(32 * (int64_t)n, 128), 128, 0, ig_cuda_stream(cx)>>>(n, m, b, x);
  IG_LAUNCHED(cx);
  return IG_OK;
}

const ig_amg_ops ig_amg_cuda = {.assemble = assemble,
                                .invert = invert,
                                .diagonal = diagonal,
                                .rows = rows,
                                .norms = norms,
                                .join = join,
                                .modes = modes,
                                .orthonormal = orthonormal,
                                .prolongator = prolongator,
                                .transpose = transpose,
                                .times = times,
                                .coarse = coarse,
                                .dense_invert = dense_invert,
                                .product = product,
                                .smooth = smooth,
                                .residual = residual,
                                .dense = dense};
