/* Operators that `ingot bench` compares ours with: products DoF by DoF, by an assembled matrix, and
   as Martinez-Frutos and others (2017) describe theirs. Not used in any analysis. */
#include "solver/grid/level.cuh"

/* one thread per DoF: the eight elements around its node, a row of the dense matrix each */
__global__ void dof_by_dof(const __grid_constant__ ig_grid_args_f64 g,
                           const double *__restrict__ matrix, const double *__restrict__ x,
                           double *__restrict__ y) {
  __shared__ double k[576];
  for (int m = threadIdx.x + blockDim.x * threadIdx.y; m < 576; m += blockDim.x * blockDim.y)
    k[m] = matrix[m];
  __syncthreads();
  const int r = threadIdx.y;
  int64_t place;
  if (!thread_node(g, &place))
    return;
  double s = 0;
  for (int a = 0; a < 8; a++) {
    const int64_t element = place - (a & 1) - (a >> 1 & 1) * g.row - (a >> 2) * g.plane;
    const double e = g.modulus[element];
    double t = 0;
    for (int b = 0; b < 8; b++) {
      const double *u = x + element + (b & 1) + (b >> 1 & 1) * g.row + (b >> 2) * g.plane;
#pragma unroll
      for (int c = 0; c < 3; c++)
        t += k[(a * 3 + r) * 24 + b * 3 + c] * u[c * g.stored];
    }
    s += e * t;
  }
  y[r * g.stored + place] = g.fix[place] >> r & 1 ? 0 : s;
}

/* threadIdx.y is the component: 128 nodes a block */
ig_status ig_grid_cuda_dbd(ig_ctx *cx, const ig_grid_args_f64 *g, const double *k, const double *x,
                           double *y) {
  const int64_t nodes = (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
  dof_by_dof<<<ig_cuda_blocks(nodes, 128), dim3(128, 3), 0, ig_cuda_stream(cx)>>>(*g, k, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* value, column: [81][3 x nodes], rows packed without the halo, columns as places */
__global__ void assemble_rows(const __grid_constant__ ig_grid_args_f64 g, const double *k,
                              double *value, int32_t *column) {
  const int64_t nodes = (int64_t)(g.n[0] + 1) * (g.n[1] + 1) * (g.n[2] + 1);
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int r = threadIdx.y;
  int i[3];
  int64_t place;
  if (!node_place(g.n, g.row, g.plane, g.first, t, i, &place))
    return;
  for (int q = 0; q < 27; q++) {
    const int o[3] = {q % 3 - 1, q / 3 % 3 - 1, q / 9 - 1};
    double s[3] = {0, 0, 0};
    for (int a = 0; a < 8; a++) {
      const int b[3] = {(a & 1) + o[0], (a >> 1 & 1) + o[1], (a >> 2) + o[2]};
      if ((b[0] | b[1] | b[2]) & ~1)
        continue;
      const double e = g.modulus[place - (a & 1) - (a >> 1 & 1) * g.row - (a >> 2) * g.plane];
      for (int c = 0; c < 3; c++)
        s[c] += e * k[(a * 3 + r) * 24 + (b[0] + 2 * b[1] + 4 * b[2]) * 3 + c];
    }
    const int64_t to = place + o[0] + o[1] * g.row + o[2] * g.plane;
    for (int c = 0; c < 3; c++) {
      value[(int64_t)(q * 3 + c) * 3 * nodes + r * nodes + t] = s[c];
      column[(int64_t)(q * 3 + c) * 3 * nodes + r * nodes + t] = (int32_t)(c * g.stored + to);
    }
  }
}

ig_status ig_grid_cuda_assemble(ig_ctx *cx, const ig_grid_args_f64 *g, const double *k,
                                double *value, int32_t *column) {
  const int64_t nodes = (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
  assemble_rows<<<ig_cuda_blocks(nodes, 64), dim3(64, 3), 0, ig_cuda_stream(cx)>>>(*g, k, value,
                                                                                   column);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* ELLPACK: entry q of all rows lies together, so that threads of neighbouring rows read side by
   side. */
__global__ void sparse_rows(const __grid_constant__ ig_grid_args_f64 g,
                            const double *__restrict__ value, const int32_t *__restrict__ column,
                            const double *__restrict__ x, double *__restrict__ y) {
  const int64_t nodes = (int64_t)(g.n[0] + 1) * (g.n[1] + 1) * (g.n[2] + 1);
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (t >= 3 * nodes)
    return;
  double s = 0;
#pragma unroll 9
  for (int q = 0; q < 81; q++)
    s += value[q * 3 * nodes + t] * x[column[q * 3 * nodes + t]];
  int i[3];
  int64_t place;
  const int r = (int)(t / nodes);
  (void)node_place(g.n, g.row, g.plane, g.first, t % nodes, i, &place);
  y[r * g.stored + place] = g.fix[place] >> r & 1 ? 0 : s;
}

ig_status ig_grid_cuda_assembled(ig_ctx *cx, const ig_grid_args_f64 *g, const double *value,
                                 const int32_t *column, const double *x, double *y) {
  const int64_t rows = 3 * (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
  sparse_rows<<<ig_cuda_blocks(rows, 256), 256, 0, ig_cuda_stream(cx)>>>(*g, value, column, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- the product of Martinez-Frutos et al. (2017), its dbdMVP --- */

/* [row][column] of an element, local dof = 3 corner + component */
__constant__ double paper_matrix[576];

/* A thread per DoF in blocks of three dimensions, components running fastest along x. The block
   first copies the unknowns it will need, one node more on every side, and the moduli of the
   elements around its nodes to shared memory:
     (bx + 6)(by + 2)(bz + 2) + (bx / 3 + 1)(by + 1)(bz + 1) doubles,
   which are the bytes of the paper's Table 2. x, y: [node][3] without halo; modulus: [element]. */
__global__ void __launch_bounds__(1024)
    paper_product(int nx, int ny, int nz, const double *__restrict__ modulus,
                  const double *__restrict__ x, double *__restrict__ y) {
  extern __shared__ double cache[];
  const int bx = blockDim.x, by = blockDim.y, bz = blockDim.z;
  const int ux = bx + 6, uy = by + 2, uz = bz + 2, ex = bx / 3 + 1, ey = by + 1, ez = bz + 1;
  double *u = cache, *d = cache + ux * uy * uz;
  const int x0 = blockIdx.x * bx, y0 = blockIdx.y * by, z0 = blockIdx.z * bz;
  const int wide = 3 * (nx + 1), all = bx * by * bz;
  const int me = threadIdx.x + bx * (threadIdx.y + by * threadIdx.z);
  for (int i = me; i < ux * uy * uz; i += all) {
    const int a = x0 - 3 + i % ux, b = y0 - 1 + i / ux % uy, c = z0 - 1 + i / ux / uy;
    const bool in = a >= 0 && a < wide && b >= 0 && b <= ny && c >= 0 && c <= nz;
    u[i] = in ? x[((int64_t)c * (ny + 1) + b) * wide + a] : 0;
  }
  for (int i = me; i < ex * ey * ez; i += all) {
    const int a = x0 / 3 - 1 + i % ex, b = y0 - 1 + i / ex % ey, c = z0 - 1 + i / ex / ey;
    const bool in = a >= 0 && a < nx && b >= 0 && b < ny && c >= 0 && c < nz;
    d[i] = in ? modulus[((int64_t)c * ny + b) * nx + a] : 0;
  }
  __syncthreads();
  const int gx = x0 + threadIdx.x, gy = y0 + threadIdx.y, gz = z0 + threadIdx.z;
  if (gx >= wide || gy > ny || gz > nz)
    return;
  const int node = threadIdx.x / 3, r = threadIdx.x % 3;
  double s = 0;
  for (int a = 0; a < 8; a++) { /* the node is corner a of the element */
    const int ea = node + 1 - (a & 1), eb = threadIdx.y + 1 - (a >> 1 & 1),
              ec = threadIdx.z + 1 - (a >> 2);
    double t = 0;
    for (int b = 0; b < 8; b++) {
      const double *v = u + 3 * (ea + (b & 1)) + ux * (eb + (b >> 1 & 1) + uy * (ec + (b >> 2)));
#pragma unroll
      for (int c = 0; c < 3; c++)
        t += paper_matrix[(3 * a + r) * 24 + 3 * b + c] * v[c];
    }
    s += d[ea + ex * (eb + ey * ec)] * t;
  }
  y[((int64_t)gz * (ny + 1) + gy) * wide + gx] = s;
}

ig_status ig_grid_cuda_paper_matrix(ig_ctx *cx, const double *k) {
  IG_CUDA(cx, cudaMemcpyToSymbolAsync(paper_matrix, k, sizeof paper_matrix, 0,
                                      cudaMemcpyHostToDevice, ig_cuda_stream(cx)));
  return IG_OK;
}

ig_status ig_grid_cuda_paper(ig_ctx *cx, const int *n, const int *block, const double *modulus,
                             const double *x, double *y, int *grid, int *bytes) {
  const int wide[3] = {3 * (n[0] + 1), n[1] + 1, n[2] + 1};
  for (int d = 0; d < 3; d++)
    grid[d] = (wide[d] + block[d] - 1) / block[d];
  *bytes = 8 * ((block[0] + 6) * (block[1] + 2) * (block[2] + 2) +
                (block[0] / 3 + 1) * (block[1] + 1) * (block[2] + 1));
  paper_product<<<dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2]), *bytes,
                  ig_cuda_stream(cx)>>>(n[0], n[1], n[2], modulus, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}
