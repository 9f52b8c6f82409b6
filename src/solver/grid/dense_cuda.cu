/* The coarsest level on CUDA: its matrix inverted once per design, and the inverse used in every
   cycle as a product of one launch. Up to 1500 unknowns: 9 MB in single precision, which stay in
   the second-level cache. */
#include "solver/grid/level.cuh"

/* Gauss-Jordan by panels of 32 rows and columns, out of place: a launch a panel, a block a tile of
   64 x 64. Every block inverts the pivot's 32 x 32 for itself, so that one launch is one step. With
   the panel's rows and columns p, a step makes

       a_pp = a_pp^-1     a_pj = a_pp^-1 a_pj     a_ip = -a_ip a_pp^-1     a_ij -= a_ip a_pp^-1 a_pj

   No exchange of rows: the matrix is positive definite, but for what is left out. */
enum { PANEL = 32, TILE = 64, TEAM = 256 };

__global__ void fill_dense(const __grid_constant__ ig_level l, const int32_t *place, int n,
                           double *a) {
  const int64_t m = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (m < (int64_t)n * n)
    a[m] = (double)ig_stencil_entry(&l, place[m / n], place[m % n]);
}

/* `whole`: the diagonal of the matrix before elimination. What is left of a pivot under 1e-9 of it
   belongs to a motion nothing holds (or to nothing at all): it is left out. */
__global__ void __launch_bounds__(TEAM)
    eliminate(int n, int p0, const double *__restrict__ a, const double *__restrict__ whole,
              double *__restrict__ out) {
  /* one column more: threads of a warp that read a column use different banks */
  __shared__ double pivot[PANEL][PANEL + 1], rows[PANEL][TILE], columns[TILE][PANEL + 1];
  const int t = threadIdx.x, i0 = blockIdx.y * TILE, j0 = blockIdx.x * TILE;
  const int count = n - p0 < PANEL ? n - p0 : PANEL;
  for (int m = t; m < PANEL * PANEL; m += TEAM) {
    const int i = m / PANEL, j = m % PANEL;
    pivot[i][j] = i < count && j < count ? a[(int64_t)(p0 + i) * n + p0 + j] : i == j ? 1.0 : 0.0;
  }
  __syncthreads();
  for (int p = 0; p < count; p++) {
    const double d = pivot[p][p];
    const double scale = d > 1e-9 * whole[p0 + p] ? 1 / d : 0;
    double update[PANEL * PANEL / TEAM];
#pragma unroll
    for (int q = 0; q < PANEL * PANEL / TEAM; q++) {
      const int m = t + q * TEAM, i = m / PANEL, j = m % PANEL;
      const double line = (j == p ? 1.0 : pivot[p][j]) * scale;
      update[q] = i == p ? line : (j == p ? 0.0 : pivot[i][j]) - pivot[i][p] * line;
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < PANEL * PANEL / TEAM; q++)
      pivot[(t + q * TEAM) / PANEL][(t + q * TEAM) % PANEL] = update[q];
    __syncthreads();
  }
  /* the tile's part of the pivot rows, the pivot's own columns standing for the identity */
  for (int m = t; m < PANEL * TILE; m += TEAM) {
    const int i = m / TILE, j = j0 + m % TILE, own = j - p0;
    rows[i][m % TILE] = own >= 0 && own < count ? (double)(own == i)
                        : i < count && j < n    ? a[(int64_t)(p0 + i) * n + j]
                                                : 0.0;
  }
  for (int m = t; m < TILE * PANEL; m += TEAM) {
    const int i = i0 + m / PANEL, j = m % PANEL;
    columns[m / PANEL][j] = i < n && j < count ? a[(int64_t)i * n + p0 + j] : 0.0;
  }
  __syncthreads();
  double line[PANEL * TILE / TEAM];
#pragma unroll
  for (int q = 0; q < PANEL * TILE / TEAM; q++) {
    const int m = t + q * TEAM, i = m / TILE, j = m % TILE;
    double s = 0;
    for (int k = 0; k < PANEL; k++)
      s += pivot[i][k] * rows[k][j];
    line[q] = s;
  }
  __syncthreads();
#pragma unroll
  for (int q = 0; q < PANEL * TILE / TEAM; q++)
    rows[(t + q * TEAM) / TILE][(t + q * TEAM) % TILE] = line[q];
  __syncthreads();
  /* 4 x 4 entries per thread */
  const int ti = t / 16, tj = t % 16;
  double s[4][4] = {};
  for (int k = 0; k < PANEL; k++) {
    double c[4], r[4];
#pragma unroll
    for (int q = 0; q < 4; q++) {
      c[q] = columns[ti + 16 * q][k];
      r[q] = rows[k][tj + 16 * q];
    }
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
      for (int q = 0; q < 4; q++)
        s[p][q] += c[p] * r[q];
  }
#pragma unroll
  for (int p = 0; p < 4; p++)
#pragma unroll
    for (int q = 0; q < 4; q++) {
      const int i = i0 + ti + 16 * p, j = j0 + tj + 16 * q;
      if (i >= n || j >= n)
        continue;
      const int own = i - p0;
      const bool pivoted = j >= p0 && j < p0 + count;
      const int64_t at = (int64_t)i * n + j;
      out[at] =
          own >= 0 && own < count ? rows[own][tj + 16 * q] : (pivoted ? 0.0 : a[at]) - s[p][q];
    }
}

/* What pivots are compared with, as elimination overwrites it. */
__global__ void copy_diagonal(int n, const double *a, double *whole) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    whole[i] = a[(int64_t)i * n + i];
}

/* Symmetric to the last bit, as the preconditioner has to be. */
__global__ void round_dense(int n, const double *a, float *inverse) {
  const int64_t m = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (m < (int64_t)n * n)
    inverse[m] = (float)(0.5 * (a[m] + a[m % n * n + m / n]));
}

/* n / 32 launches; a and `other` change places at each. */
ig_status ig_grid_cuda_dense_invert(ig_ctx *cx, const ig_level *l, const int32_t *place, int n,
                                    double *work, float *inverse) {
  const int64_t square = (int64_t)n * n;
  double *a = work, *other = work + square, *whole = work + 2 * square;
  const unsigned all = ig_cuda_blocks(square, 256), tiles = ig_cuda_blocks(n, TILE);
  cudaStream_t stream = ig_cuda_stream(cx);
  fill_dense<<<all, 256, 0, stream>>>(*l, place, n, a);
  IG_LAUNCHED(cx);
  copy_diagonal<<<ig_cuda_blocks(n, 128), 128, 0, stream>>>(n, a, whole);
  IG_LAUNCHED(cx);
  for (int p = 0; p < n; p += PANEL) {
    eliminate<<<dim3(tiles, tiles), TEAM, 0, stream>>>(n, p, a, whole, other);
    IG_LAUNCHED(cx);
    double *swap = a;
    a = other;
    other = swap;
  }
  round_dense<<<all, 256, 0, stream>>>(n, a, inverse);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* a warp per row */
__global__ void solve_dense(const int32_t *place, int n, const float *__restrict__ inverse,
                            const float *__restrict__ b, float *__restrict__ x) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= n)
    return;
  const float *line = inverse + (int64_t)row * n;
  float s = 0;
#pragma unroll 8
  for (int j = threadIdx.x; j < n; j += 32)
    s += line[j] * b[place[j]];
  for (int o = 16; o; o >>= 1)
    s += __shfl_down_sync(0xffffffffu, s, o);
  if (threadIdx.x == 0)
    x[place[row]] = s;
}

ig_status ig_grid_cuda_dense_solve(ig_ctx *cx, const int32_t *place, int n, const float *inverse,
                                   const float *b, float *x) {
  solve_dense<<<ig_cuda_blocks(n, 4), dim3(32, 4), 0, ig_cuda_stream(cx)>>>(place, n, inverse, b,
                                                                            x);
  IG_LAUNCHED(cx);
  return IG_OK;
}
