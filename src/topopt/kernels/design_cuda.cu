/* The design on CUDA, element by element; its sums are in design_sums_cuda.cu.

   Every function of ig_topopt_design_ops has a kernel and a launcher with C linkage, which
   design_cuda.c puts into the table. Kernels call the functions of design.inc, which the CPU
   calls, too. Launches go to the context's stream and return at once; errors of a launch are
   caught by IG_LAUNCHED, errors of a kernel by the next wait.

   Structs go to kernels by value; those that are read through pointers inside (ig_grid, ig_taps)
   are __grid_constant__, so that they stay in constant memory instead of being copied to each
   thread. */
#include "topopt/kernels/design_cuda.h"
#include "backend/cuda/launch.cuh"
#include "kern/hd.h"
#include "topopt/kernels/design.inc"

/* 16 blocks of 256 threads per multiprocessor are enough to hide latency; larger arrays are
   walked in strides. */
static unsigned stride_blocks(ig_ctx *cx, int64_t n) {
  const unsigned all = ig_cuda_blocks(n, 256);
  const unsigned most = 16u * IG_CUDA_UNITS;
  return all < most ? (all ? all : 1) : most;
}

/* A grid-stride loop: any number of blocks covers any number of elements. */
#define EACH(i, n)                                                                                 \
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;                                      \
  i < n;                                                                                           \
  i += (int64_t)gridDim.x * blockDim.x
#define OVER(n) stride_blocks(cx, n), 256, 0, ig_cuda_stream(cx)

/* --- filter --- */

/* A row of threads takes a row of elements. Rows of the reach that mirror each other are added
   once into shared memory, then serve the whole row of threads: y and z first, x last, as on the
   CPU. A block is 4 rows of 64 elements. REACH: the widest margin that shared memory holds (2 x
   4 x 192 doubles are 12 kB); wider filters are better done by the Helmholtz equation. */
enum { ROW = 64, ROWS = 4, REACH = 64 };

__global__ void __launch_bounds__(ROW *ROWS)
    filter_rows(const __grid_constant__ ig_grid g, const __grid_constant__ ig_taps taps,
                const double *__restrict__ in, double *__restrict__ out) {
  __shared__ double shared[2][ROWS][ROW + 2 * REACH];
  const int above = g.from + g.n[2] < g.all; /* of a slab: its last plane has elements */
  const int nz = g.dim == 3 ? g.n[2] + above : 1, n = g.n[0], rx = taps.reach[0];
  const int from = g.dim == 3 ? g.from : 0, all = g.dim == 3 ? g.all : 1;
  /* blocks beyond the last row compute nothing but take part in the barriers */
  const int64_t row = (int64_t)blockIdx.y * ROWS + threadIdx.y + (int64_t)blockIdx.z * 65535 * ROWS;
  const int j = (int)(row % g.n[1]), k = (int)(row / g.n[1]);
  const int i0 = blockIdx.x * ROW, i = i0 + threadIdx.x;
  double result = 0;
  int parity = 0;
  for (int z = 0; z <= taps.reach[2]; z++)
    for (int y = 0; y <= taps.reach[1]; y++) {
      const double *w = taps.weight + (z * (taps.reach[1] + 1) + y) * (rx + 1);
      if (w[0] == 0)
        continue;
      double *line = shared[parity][threadIdx.y];
      for (int q = threadIdx.x; q < ROW + 2 * rx; q += ROW) {
        const int at = ig_mirrored(i0 + q - rx, n, taps.mirror[0]);
        /* up to four rows mirror each other: +-y, +-z. Added in pairs, as on the CPU, for equal
           bits */
        double s[4] = {0, 0, 0, 0};
        if (at >= 0 && at < n && k < nz)
#pragma unroll
          for (int side = 0; side < 4; side++) {
            const int jj = ig_mirrored(side & 1 ? j - y : j + y, g.n[1], taps.mirror[1]);
            const int kk = ig_mirrored(from + (side & 2 ? k - z : k + z), all, taps.mirror[2]);
            const bool none = (side & 1 && !y) || (side & 2 && !z) || jj < 0 || kk < 0;
            if (!none)
              s[side] = in[g.first + at + jj * g.row + (g.dim == 3 ? (kk - from) * g.plane : 0)];
          }
        line[q] = (s[0] + s[1]) + (s[2] + s[3]);
      }
      __syncthreads();
      const double *mid = line + threadIdx.x + rx;
      result += w[0] * mid[0];
      for (int x = 1; x <= rx && w[x] != 0; x++)
        result += w[x] * (mid[-x] + mid[x]);
      parity ^= 1; /* one barrier a line: the other buffer is filled meanwhile */
    }
  if (i < n && k < nz)
    out[g.first + i + j * g.row + (g.dim == 3 ? k * g.plane : 0)] = result;
}

/* The y dimension of a launch ends at 65535 blocks; more rows go into z. */
static ig_status filter(ig_ctx *cx, const ig_grid *g, const ig_taps *taps, const uint8_t *role,
                        const double *in, double *out) {
  (void)role;
  if (taps->reach[0] > REACH)
    return IG_FAIL(cx, IG_UNSUPPORTED,
                   "the filter radius is more than %d elements: use filter: {kind: helmholtz}",
                   REACH);
  const int64_t rows = (int64_t)g->n[1] * ig_grid_layers(g);
  const unsigned high = ig_cuda_blocks(rows, ROWS), deep = ig_cuda_blocks(high, 65535);
  const dim3 grid(ig_cuda_blocks(g->n[0], ROW), deep > 1 ? 65535 : high, deep);
  filter_rows<<<grid, dim3(ROW, ROWS), 0, ig_cuda_stream(cx)>>>(*g, *taps, in, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* One thread per node; thread numbers run over nodes without the halo. */
__global__ void nodes_from_elements(const __grid_constant__ ig_grid g, double share,
                                    const double *in, double *out) {
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, wide = g.n[0] + 1;
  const int64_t high = g.n[1] + 1, k = t / (wide * high);
  if (k > g.n[2])
    return;
  const int64_t at = g.first + t % wide + t / wide % high * g.row + (g.dim == 3 ? k * g.plane : 0);
  out[at] = share * ig_around_node(&g, in, at);
}

static ig_status to_nodes(ig_ctx *cx, const ig_grid *g, double share, const double *in,
                          double *out) {
  nodes_from_elements<<<ig_cuda_blocks(ig_grid_nodes(g), 128), 128, 0, ig_cuda_stream(cx)>>>(
      *g, share, in, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void elements_from_nodes(const __grid_constant__ ig_grid g, const uint8_t *role,
                                    const double *in, double *out) {
  for (EACH(i, g.stored))
    out[i] = role[i] ? ig_mean_of_nodes(&g, in, i) : 0;
}

static ig_status to_elements(ig_ctx *cx, const ig_grid *g, const uint8_t *role, const double *in,
                             double *out) {
  elements_from_nodes<<<OVER(g->stored)>>>(*g, role, in, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- overhang --- */

/* One launch per layer: a layer depends on the one below as a whole. */
__global__ void print_layer(const __grid_constant__ ig_print_layer l, const uint8_t *role,
                            const double *in, const double *below, double *out, double *now) {
  for (EACH(i, (int64_t)l.n[0] * l.n[1])) {
    const int a = (int)(i % l.n[0]), b = (int)(i / l.n[0]);
    const int64_t at = ig_print_at(&l, a, b);
    out[at] = now[ig_print_in_layer(&l, a, b)] = ig_print_value(&l, role[at], in[at], below, a, b);
  }
}

static ig_status print(ig_ctx *cx, const ig_print_layer *l, const uint8_t *role, const double *in,
                       const double *below, double *out, double *now) {
  print_layer<<<OVER((int64_t)l->n[0] * l->n[1])>>>(*l, role, in, below, out, now);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void print_layer_back(const __grid_constant__ ig_print_layer l, const uint8_t *role,
                                 const double *in, const double *printed, const double *above,
                                 double *now, double *slope) {
  for (EACH(i, (int64_t)l.n[0] * l.n[1])) {
    const int a = (int)(i % l.n[0]), b = (int)(i / l.n[0]);
    const int64_t at = ig_print_at(&l, a, b);
    slope[at] = ig_print_slope(&l, role, in, printed, above, a, b, now, slope[at]);
  }
}

static ig_status print_back(ig_ctx *cx, const ig_print_layer *l, const uint8_t *role,
                            const double *in, const double *printed, const double *above,
                            double *now, double *slope) {
  print_layer_back<<<OVER((int64_t)l->n[0] * l->n[1])>>>(*l, role, in, printed, above, now, slope);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- element by element --- */

__global__ void mix_values(int64_t n, double p, const double *a, double q, const double *b,
                           double *out) {
  for (EACH(i, n))
    out[i] = p * a[i] + q * b[i];
}

static ig_status mix(ig_ctx *cx, int64_t n, double p, const double *a, double q, const double *b,
                     double *out) {
  mix_values<<<OVER(n)>>>(n, p, a, q, b, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void physical_values(int64_t n, const uint8_t *role, ig_law law, const double *filtered,
                                double *density, double *modulus) {
  for (EACH(i, n)) {
    const double x = role[i] ? ig_design_density(role[i], &law, filtered[i]) : 0;
    density[i] = x;
    modulus[i] = role[i] ? ig_design_modulus(&law, x) : 0;
  }
}

static ig_status physical(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_law *law,
                          const double *filtered, double *density, double *modulus) {
  physical_values<<<OVER(n)>>>(n, role, *law, filtered, density, modulus);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void slope_values(int64_t n, const uint8_t *role, ig_law law, const double *filtered,
                             const double *density, const double *energy, double *dc, double *dv) {
  for (EACH(i, n))
    ig_design_slope(role[i], &law, filtered[i], density[i], energy[i], &dc[i], &dv[i]);
}

static ig_status slope(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_law *law,
                       const double *filtered, const double *density, const double *energy,
                       double *dc, double *dv) {
  slope_values<<<OVER(n)>>>(n, role, *law, filtered, density, energy, dc, dv);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void map_values(int64_t n, const uint8_t *role, ig_map how, const double *a,
                           const double *b, const double *c, double *out) {
  for (EACH(i, n))
    out[i] = role[i] ? ig_map_value(how, a[i], b[i], c ? c[i] : 0) : 0;
}

static ig_status map(ig_ctx *cx, int64_t n, const uint8_t *role, ig_map how, const double *a,
                     const double *b, const double *c, double *out) {
  map_values<<<OVER(n)>>>(n, role, how, a, b, c, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void asymptote_values(int64_t n, const uint8_t *role, bool first, double share,
                                 const double *x, const double *old, const double *older,
                                 double *lower, double *upper) {
  for (EACH(i, n))
    if (role[i])
      ig_mma_asymptotes(first, share, x[i], old[i], older[i], &lower[i], &upper[i]);
}

static ig_status asymptotes(ig_ctx *cx, int64_t n, const uint8_t *role, bool first, double share,
                            const double *x, const double *old, const double *older, double *lower,
                            double *upper) {
  asymptote_values<<<OVER(n)>>>(n, role, first, share, x, old, older, lower, upper);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- the update --- */

__global__ void minimum_values(const __grid_constant__ ig_topopt_mma mma, int64_t n,
                               const uint8_t *role, double *out) {
  for (EACH(i, n))
    out[i] = role[i] == IG_ROLE_DESIGN ? ig_mma_minimum(&mma, mma.count, i, NULL) : mma.x[i];
}

static ig_status mma(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_topopt_mma *mma,
                     double *out) {
  minimum_values<<<OVER(n)>>>(*mma, n, role, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- draw, groups, nodes, masses --- */

/* A thread per column: the elements of a column follow each other. */
__global__ void draw_columns(const __grid_constant__ ig_grid g, ig_draw d, int side, int wide,
                             int64_t n, const uint8_t *role, const double *in, double *carry,
                             double *out) {
  for (EACH(i, n))
    ig_draw_column(&g, &d, side, role, in, (int)(i % wide), (int)(i / wide), &carry[i], out);
}
__global__ void draw_columns_back(const __grid_constant__ ig_grid g, ig_draw d, int side, int wide,
                                  int64_t n, const uint8_t *role, const double *in,
                                  const double *drawn, double *carry, double *slope) {
  for (EACH(i, n))
    ig_draw_column_back(&g, &d, side, role, in, drawn, (int)(i % wide), (int)(i / wide), &carry[i],
                        slope);
}

static ig_status draw(ig_ctx *cx, const ig_grid *g, const ig_draw *d, int side, const uint8_t *role,
                      const double *in, double *carry, double *out) {
  const int wide = ig_draw_wide(g, d, 0);
  const int64_t n = (int64_t)wide * ig_draw_wide(g, d, 1);
  draw_columns<<<OVER(n)>>>(*g, *d, side, wide, n, role, in, carry, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static ig_status draw_back(ig_ctx *cx, const ig_grid *g, const ig_draw *d, int side,
                           const uint8_t *role, const double *in, const double *drawn,
                           double *carry, double *slope) {
  const int wide = ig_draw_wide(g, d, 0);
  const int64_t n = (int64_t)wide * ig_draw_wide(g, d, 1);
  draw_columns_back<<<OVER(n)>>>(*g, *d, side, wide, n, role, in, drawn, carry, slope);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void fold_sums(const __grid_constant__ ig_grid g, ig_fold f, const uint8_t *role,
                          const double *v, double *sum) {
  for (EACH(i, ig_fold_cells(&f)))
    sum[i] = ig_fold_visit(&g, &f, role, i, v, NULL, sum[i]);
}
__global__ void fold_means(const __grid_constant__ ig_grid g, ig_fold f, const uint8_t *role,
                           const double *sum, const double *count, double *v) {
  for (EACH(i, ig_fold_cells(&f)))
    (void)ig_fold_visit(&g, &f, role, i, NULL, v, sum[i] / count[i]);
}

static ig_status fold_sum(ig_ctx *cx, const ig_grid *g, const ig_fold *f, const uint8_t *role,
                          const double *v, double *sum) {
  fold_sums<<<OVER(ig_fold_cells(f))>>>(*g, *f, role, v, sum);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static ig_status fold_spread(ig_ctx *cx, const ig_grid *g, const ig_fold *f, const uint8_t *role,
                             const double *sum, const double *count, double *v) {
  fold_means<<<OVER(ig_fold_cells(f))>>>(*g, *f, role, sum, count, v);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* One thread per group, in the order of the group, for equal bits. */
__global__ void average_groups(ig_links links, double *v) {
  for (EACH(i, links.count))
    ig_links_average(&links, i, v);
}

static ig_status average(ig_ctx *cx, const ig_links *links, double *v) {
  average_groups<<<OVER(links->count)>>>(*links, v);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void scale_nodes(ig_node_layout l, const uint8_t *fix, const double *w, const double *x,
                            double *y) {
  for (EACH(i, l.nodes))
    ig_node_scale_one(&l, fix, w, x, i, y);
}

static ig_status node_scale(ig_ctx *cx, const ig_node_layout *l, const uint8_t *fix,
                            const double *w, const double *x, double *y) {
  scale_nodes<<<OVER(l->nodes)>>>(*l, fix, w, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void dot_nodes(ig_node_layout l, const double *u, const double *v, double *out) {
  for (EACH(i, l.nodes))
    out[i] = ig_node_dot_one(&l, u, v, i);
}

static ig_status node_dot(ig_ctx *cx, const ig_node_layout *l, const double *u, const double *v,
                          double *out) {
  dot_nodes<<<OVER(l->nodes)>>>(*l, u, v, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void mass_values(int64_t n, const uint8_t *role, double threshold, bool slope,
                            const double *density, double *out) {
  for (EACH(i, n))
    out[i] = !role[i] ? 0
             : slope  ? ig_design_mass_slope(density[i], threshold)
                      : ig_design_mass(density[i], threshold);
}

static ig_status mass(ig_ctx *cx, int64_t n, const uint8_t *role, double threshold, bool slope,
                      const double *density, double *out) {
  mass_values<<<OVER(n)>>>(n, role, threshold, slope, density, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void power_values(int64_t n, const double *w, const uint8_t *fix, const double *v,
                             double inverse, double power, bool sign, double *out) {
  for (EACH(i, n))
    out[i] = fix && fix[i] ? 0 : ig_power_value(w[i], inverse * v[i], power, sign);
}

static ig_status powers(ig_ctx *cx, int64_t n, const double *w, const uint8_t *fix, const double *v,
                        double inverse, double power, bool sign, double *out) {
  power_values<<<OVER(n)>>>(n, w, fix, v, inverse, power, sign, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

const ig_topopt_design_ops ig_topopt_design_cuda = {.filter = filter,
                                                    .to_nodes = to_nodes,
                                                    .to_elements = to_elements,
                                                    .print = print,
                                                    .print_back = print_back,
                                                    .draw = draw,
                                                    .draw_back = draw_back,
                                                    .fold_sum = fold_sum,
                                                    .fold_spread = fold_spread,
                                                    .average = average,
                                                    .node_scale = node_scale,
                                                    .node_dot = node_dot,
                                                    .mass = mass,
                                                    .mix = mix,
                                                    .powers = powers,
                                                    .physical = physical,
                                                    .slope = slope,
                                                    .map = map,
                                                    .asymptotes = asymptotes,
                                                    .oc = ig_topopt_design_cuda_oc,
                                                    .dual = ig_topopt_design_cuda_dual,
                                                    .mma = mma,
                                                    .stats = ig_topopt_design_cuda_stats};
