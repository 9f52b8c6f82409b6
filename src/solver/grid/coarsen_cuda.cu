/* The levels of the hierarchy made anew, on CUDA: as coarsen_cpu.c, but each entry is collected by
   the thread that writes it, so there is no order of additions to keep and there are no atomics.
   Two kinds of launches per level: make_stencil, a thread per node and block of its stencil, and
   make_parents, a block of threads per element matrix of the next level. */
#include "solver/grid/level.cuh"
extern "C" {
#include "solver/krylov/slab.h"
}

/* A loop with a stride: as many blocks as fill the device. */
__global__ void single_values(int64_t n, const double *x, float *y) {
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
       i += (int64_t)gridDim.x * blockDim.x)
    y[i] = (float)x[i];
}

ig_status ig_grid_cuda_to_single(ig_ctx *cx, int64_t n, const double *x, float *y) {
  single_values<<<stride_blocks(cx, n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* As ig_grid_cpu_node_inverse. */
__global__ void inverse_nodes(const __grid_constant__ ig_grid_args_f32 g, float *inverse) {
  int64_t at;
  if (!thread_node(g, &at))
    return;
  const float *e = g.modulus + at;
  const int64_t r = g.row, p = g.plane;
  float s = (e[0] + e[-1]) + (e[-r] + e[-1 - r]);
  if (g.dim == 3)
    s += (e[-p] + e[-1 - p]) + (e[-r - p] + e[-1 - r - p]);
  inverse[at] = s > 0 ? 1 / s : 0;
}

ig_status ig_grid_cuda_node_inverse(ig_ctx *cx, const ig_grid_args_f32 *g, float *inverse) {
  const int64_t nodes = (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
  inverse_nodes<<<ig_cuda_blocks(nodes, 128), 128, 0, ig_cuda_stream(cx)>>>(*g, inverse);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* Sizes and addresses of the levels that take part; what a kernel does not need is left at zero. */
struct coarsen_args {
  int dim, dof, n[3], fine[3], next[3]; /* elements of this, the finer and the next level */
  int below, layers;                    /* of a slab: a plane of ghosts below; planes of elements */
  int64_t row, plane, stored, first;    /* of this level */
  int64_t frow, fplane, ffirst;         /* of the finest */
  const float *modulus, *table, *from;  /* from: element matrices of the finer level */
  const uint16_t *kind;
  float *stencil, *to; /* to: element matrices made */
  __half *half;        /* blocks off the diagonal, scaled, or NULL */
  const float *unscale;
  int64_t offset[IG_STENCIL_HALF];
};

/* Host structs have more members than kernels need, and pointers of the host. */
static coarsen_args coarsen_of(const ig_level *l) {
  coarsen_args a = {};
  a.dim = l->grid.dim;
  a.dof = l->grid.dof;
  for (int d = 0; d < 3; d++)
    a.n[d] = l->grid.n[d];
  a.below = ig_grid_below(&l->grid);
  a.layers = ig_grid_layers(&l->grid);
  a.row = l->grid.row;
  a.plane = l->grid.dim == 3 ? l->grid.plane : 0;
  a.stored = l->grid.stored;
  a.first = l->grid.first;
  a.stencil = l->stencil;
  a.half = l->half;
  a.unscale = l->unscale;
  for (int b = 0; b < IG_STENCIL_HALF; b++)
    a.offset[b] = l->offset[b];
  return a;
}

/* Elements beyond the rim do not exist; those of the plane of ghosts do. */
static __device__ __forceinline__ bool element_there(const coarsen_args &a, const int *e) {
  return e[0] >= 0 && e[0] < a.n[0] && e[1] >= 0 && e[1] < a.n[1] && e[2] >= -a.below &&
         e[2] < a.layers;
}
static __device__ __forceinline__ int64_t element_number(const int *n, const int *e) {
  return e[0] + (int64_t)n[0] * (e[1] + (int64_t)n[1] * e[2]);
}

/* A thread makes one block of one node's stencil: blockIdx.y is the block. Either from the moduli
   (first coarse level) or from element matrices. Of a slab the ghosts below come, too: what they
   share with the own planes lies in the elements between. */
template <int DOF, bool FROM_MODULI>
__global__ void make_stencil(const __grid_constant__ coarsen_args a, int first) {
  int i[3];
  int64_t place;
  const int planes[3] = {a.n[0], a.n[1], a.n[2] + a.below};
  if (!node_place(planes, a.row, a.plane, a.first - a.below * a.plane,
                  blockIdx.x * (int64_t)blockDim.x + threadIdx.x, i, &place))
    return;
  i[2] -= a.below;
  /* the same offset for all threads of a block: no divergence in the choice of corners */
  const int block = first + blockIdx.y, nodes = 1 << a.dim, size = nodes * DOF;
  const int whole = block + (a.dim == 3 ? 13 : 4); /* of all 27 or 9, from the lowest corner */
  const int o[3] = {whole % 3 - 1, whole / 3 % 3 - 1, a.dim == 3 ? whole / 9 - 1 : 0};
  float s[DOF * DOF] = {};
  /* corners p of the elements around this node, q of the same element where the other node is */
  for (int p = 0; p < nodes; p++) {
    const int b[3] = {(p & 1) + o[0], (p >> 1 & 1) + o[1], (p >> 2) + o[2]};
    if ((b[0] | b[1] | b[2]) & ~1)
      continue;
    const int q = b[0] | b[1] << 1 | b[2] << 2;
    const int e[3] = {i[0] - (p & 1), i[1] - (p >> 1 & 1), i[2] - (p >> 2)};
    if (!element_there(a, e))
      continue;
    const int64_t number = element_number(a.n, e);
    if (FROM_MODULI) {
      const float *t = a.table + (int64_t)a.kind[number] * nodes * size * size;
      for (int child = 0; child < nodes; child++) {
        const float m =
            a.modulus[a.ffirst + 2 * e[0] + (child & 1) + (2 * e[1] + (child >> 1 & 1)) * a.frow +
                      (2 * e[2] + (child >> 2)) * a.fplane];
        const float *k = t + ((int64_t)child * size + p * DOF) * size + q * DOF;
#pragma unroll
        for (int r = 0; r < DOF; r++)
#pragma unroll
          for (int c = 0; c < DOF; c++)
            s[r * DOF + c] += m * k[r * size + c];
      }
    } else {
      const float *k = a.from + number * size * size + (int64_t)p * DOF * size + q * DOF;
#pragma unroll
      for (int r = 0; r < DOF; r++)
#pragma unroll
        for (int c = 0; c < DOF; c++)
          s[r * DOF + c] += k[r * size + c];
    }
  }
  if (a.half && block) {
    const float w = a.unscale[place] * a.unscale[place + a.offset[block]];
#pragma unroll
    for (int m = 0; m < DOF * DOF; m++)
      a.half[((int64_t)(block - 1) * DOF * DOF + m) * a.stored + place] = __float2half(w * s[m]);
    return;
  }
#pragma unroll
  for (int m = 0; m < DOF * DOF; m++)
    a.stencil[((int64_t)block * DOF * DOF + m) * a.stored + place] = s[m];
}

/* A block makes one element matrix of the next level: the sum over the children, each taken
   through its interpolation one axis at a time, rows then columns. */
template <int DIM, int DOF, bool FROM_MODULI>
__global__ void make_parents(const __grid_constant__ coarsen_args a) {
  /* entries of a matrix that each thread carries are known to the compiler */
  constexpr int nodes = 1 << DIM, size = nodes * DOF, entries = size * size;
  constexpr int threads = DIM == 3 ? 192 : 64, each = (entries + threads - 1) / threads;
  __shared__ float k[entries];
  const int64_t number = blockIdx.x;
  const int parent[3] = {(int)(number % a.next[0]), (int)(number / a.next[0] % a.next[1]),
                         (int)(number / ((int64_t)a.next[0] * a.next[1]))};
  /* in registers; the matrix in hand is in shared memory */
  float sum[each] = {};
  for (int child = 0; child < nodes; child++) {
    const int e[3] = {2 * parent[0] + (child & 1), 2 * parent[1] + (child >> 1 & 1),
                      2 * parent[2] + (child >> 2)};
    if (!element_there(a, e))
      continue;
    const int64_t mine = element_number(a.n, e);
    if (FROM_MODULI) {
      const float *t = a.table + (int64_t)a.kind[mine] * nodes * entries;
      float m[nodes];
#pragma unroll
      for (int g = 0; g < nodes; g++)
        m[g] = a.modulus[a.ffirst + 2 * e[0] + (g & 1) + (2 * e[1] + (g >> 1 & 1)) * a.frow +
                         (2 * e[2] + (g >> 2)) * a.fplane];
      for (int q = threadIdx.x; q < entries; q += threads) {
        float v = 0;
#pragma unroll
        for (int g = 0; g < nodes; g++)
          v += m[g] * t[g * entries + q];
        k[q] = v;
      }
    } else {
      for (int q = threadIdx.x; q < entries; q += threads)
        k[q] = a.from[mine * entries + q];
    }
#pragma unroll
    for (int side = 0; side < 2; side++)
#pragma unroll
      for (int axis = 0; axis < DIM; axis++) {
        const int s = child >> axis & 1;
        __syncthreads();
        for (int q = threadIdx.x; q < entries / 2; q += threads) {
          /* q counts pairs of rows (or columns) that differ in the bit `axis` of the corner */
          const int line = q / size, other = q % size, corner = line / DOF, c = line % DOF;
          const int low = (corner >> axis << (axis + 1)) | (corner & ((1 << axis) - 1));
          const int p0 = side ? other * size + low * DOF + c : (low * DOF + c) * size + other;
          const int p1 = p0 + (1 << axis) * DOF * (side ? 1 : size);
          const float u = k[p0], v = k[p1];
          k[p0] = s ? 0.5f * u : u + 0.5f * v;
          k[p1] = s ? v + 0.5f * u : 0.5f * v;
        }
      }
    __syncthreads();
#pragma unroll
    for (int m = 0; m < each; m++)
      if (threadIdx.x + m * threads < entries)
        sum[m] += k[threadIdx.x + m * threads];
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < each; m++)
    if (threadIdx.x + m * threads < entries)
      a.to[number * entries + threadIdx.x + m * threads] = sum[m];
}

/* A block per parent: 192 threads for 576 entries, three each. */
template <bool FROM_MODULI>
static ig_status launch_parents(ig_ctx *cx, coarsen_args a, const ig_level *next) {
  for (int d = 0; d < 3; d++)
    a.next[d] = d < a.dim ? next->grid.n[d] : 1;
  a.to = next->element;
  const unsigned blocks = (unsigned)ig_grid_elements(&next->grid);
  cudaStream_t stream = ig_cuda_stream(cx);
  if (a.dim == 3 && a.dof == 3)
    make_parents<3, 3, FROM_MODULI><<<blocks, 192, 0, stream>>>(a);
  else if (a.dim == 3)
    make_parents<3, 1, FROM_MODULI><<<blocks, 192, 0, stream>>>(a);
  else if (a.dof == 2)
    make_parents<2, 2, FROM_MODULI><<<blocks, 64, 0, stream>>>(a);
  else
    make_parents<2, 1, FROM_MODULI><<<blocks, 64, 0, stream>>>(a);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* `count` blocks of the stencil from `first` on, of own nodes and the ghosts below. */
template <bool FROM_MODULI>
static ig_status launch_blocks(ig_ctx *cx, const ig_level *l, const coarsen_args &a, int first,
                               int count) {
  const int64_t ghosts = a.below ? (int64_t)(a.n[0] + 1) * (a.n[1] + 1) : 0;
  const dim3 grid(ig_cuda_blocks(ig_grid_nodes(&l->grid) + ghosts, 128), count);
  if (a.dof == 3)
    make_stencil<3, FROM_MODULI><<<grid, 128, 0, ig_cuda_stream(cx)>>>(a, first);
  else if (a.dof == 2)
    make_stencil<2, FROM_MODULI><<<grid, 128, 0, ig_cuda_stream(cx)>>>(a, first);
  else
    make_stencil<1, FROM_MODULI><<<grid, 128, 0, ig_cuda_stream(cx)>>>(a, first);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* In half precision scales come first, from the diagonal blocks, and from the neighbours for
   ghosts. */
template <bool FROM_MODULI>
static ig_status launch_stencil(ig_ctx *cx, const ig_level *l, const coarsen_args &a) {
  if (!l->half)
    return launch_blocks<FROM_MODULI>(cx, l, a, 0, l->blocks);
  IG_SLAB_TRY(l->grid.slab, launch_blocks<FROM_MODULI>(cx, l, a, 0, 1));
  IG_SLAB_TRY(l->grid.slab, ig_grid_cuda_scales(cx, l));
  IG_TRY(ig_slab_refresh(&l->grid, 2, sizeof *l->scale, 1, l->scale)); /* and `unscale` */
  return launch_blocks<FROM_MODULI>(cx, l, a, 1, l->blocks - 1);
}

ig_status ig_grid_cuda_scales(ig_ctx *cx, const ig_level *l) {
  return each_node<ig_scale_make>(cx, l);
}

/* Stencil and parents are made from the moduli by two launches; no element matrices of this level
   are stored. */
ig_status ig_grid_cuda_coarsen_fine(ig_ctx *cx, const ig_level *fine, const ig_level *coarse,
                                    const ig_level *next, const uint16_t *kind,
                                    const float *table) {
  coarsen_args a = coarsen_of(coarse);
  a.modulus = fine->args.modulus;
  a.frow = fine->grid.row;
  a.fplane = fine->grid.dim == 3 ? fine->grid.plane : 0;
  a.ffirst = fine->grid.first;
  a.kind = kind;
  a.table = table;
  IG_TRY(launch_stencil<true>(cx, coarse, a));
  if (coarse->balance)
    IG_TRY(each_node<ig_half_balance>(cx, coarse, kind));
  return next ? launch_parents<true>(cx, a, next) : IG_OK;
}

ig_status ig_grid_cuda_coarsen(ig_ctx *cx, const ig_level *fine, const ig_level *coarse) {
  coarsen_args a = coarsen_of(fine);
  a.from = fine->element;
  return launch_parents<false>(cx, a, coarse);
}

ig_status ig_grid_cuda_stencil(ig_ctx *cx, const ig_level *l) {
  coarsen_args a = coarsen_of(l);
  a.from = l->element;
  return launch_stencil<false>(cx, l, a);
}

/* One block, a thread per pair of corners: springs one after the other, as they may share entries.
 */
__global__ void spread_springs(const __grid_constant__ ig_grid_args_f32 fine,
                               const __grid_constant__ ig_level l, int depth) {
  const int corners = 1 << l.grid.dim;
  for (int s = 0; s < fine.springs; s++) {
    ig_spring_spread(&fine, &l, depth, s, threadIdx.x / corners, threadIdx.x % corners);
    __syncthreads(); /* the next spring may add to the same entries */
  }
}

ig_status ig_grid_cuda_coarse_springs(ig_ctx *cx, const ig_level *fine, const ig_level *l,
                                      int depth) {
  spread_springs<<<1, 1 << 2 * l->grid.dim, 0, ig_cuda_stream(cx)>>>(fine->args, *l, depth);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* As ig_grid_cpu_coarse_inverse, with the same shift. */
__global__ void invert_diagonal(const __grid_constant__ stencil_args s, float *stencil,
                                float *inverse) {
  int64_t place;
  if (!thread_node(s, &place))
    return;
  for (int c = 0; c < s.dof; c++) {
    float *diagonal = stencil + (c * s.dof + c) * s.stored + place;
    const float v = *diagonal * IG_COARSE_SHIFT;
    *diagonal = v;
    inverse[c * s.stored + place] = v > 0 ? 1 / v : 0;
  }
}

ig_status ig_grid_cuda_coarse_inverse(ig_ctx *cx, const ig_level *l) {
  invert_diagonal<<<ig_cuda_blocks(ig_grid_nodes(&l->grid), 128), 128, 0, ig_cuda_stream(cx)>>>(
      stencil_of(l), l->stencil, l->inverse);
  IG_LAUNCHED(cx);
  return IG_OK;
}
