/* The design on CUDA. */
#include "topopt/design_cuda.h"
#include "backend/cuda/launch.cuh"
#include "kern/hd.h"
#include "solver/reduce.cuh"
#include "topopt/design.inc"

static unsigned stride_blocks(ig_ctx *cx, int64_t n) {
  const unsigned all = ig_cuda_blocks(n, 256);
  const unsigned most = 16u * IG_CUDA_UNITS;
  return all < most ? (all ? all : 1) : most;
}

#define EACH(i, n)                                                                                 \
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;                                      \
  i < n;                                                                                           \
  i += (int64_t)gridDim.x * blockDim.x
#define OVER(n) stride_blocks(cx, n), 256, 0, ig_cuda_stream(cx)

/* --- filter --- */

/* A row of threads takes a row of elements. Rows of the reach that mirror each other are added once
   into shared memory, then serve the whole row of threads: y and z first, x last, as on the CPU. */
enum { ROW = 64, ROWS = 4, REACH = 64 };

__global__ void __launch_bounds__(ROW *ROWS)
    filter_rows(const __grid_constant__ ig_grid g, const __grid_constant__ ig_taps taps,
                const double *__restrict__ in, double *__restrict__ out) {
  __shared__ double shared[2][ROWS][ROW + 2 * REACH];
  const int nz = g.dim == 3 ? g.n[2] : 1, n = g.n[0], rx = taps.reach[0];
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
        double s[4] = {0, 0, 0, 0};
        if (at >= 0 && at < n && k < nz)
#pragma unroll
          for (int side = 0; side < 4; side++) {
            const int jj = ig_mirrored(side & 1 ? j - y : j + y, g.n[1], taps.mirror[1]);
            const int kk = ig_mirrored(side & 2 ? k - z : k + z, nz, taps.mirror[2]);
            const bool none = (side & 1 && !y) || (side & 2 && !z) || jj < 0 || kk < 0;
            if (!none)
              s[side] = in[g.first + at + jj * g.row + (g.dim == 3 ? kk * g.plane : 0)];
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

ig_status ig_topopt_design_cuda_filter(ig_ctx *cx, const ig_grid *g, const ig_taps *taps,
                                       const uint8_t *role, const double *in, double *out) {
  (void)role;
  if (taps->reach[0] > REACH)
    return IG_FAIL(cx, IG_UNSUPPORTED,
                   "the filter radius is more than %d elements: use filter: {kind: helmholtz}",
                   REACH);
  const int64_t rows = (int64_t)g->n[1] * (g->dim == 3 ? g->n[2] : 1);
  const unsigned high = ig_cuda_blocks(rows, ROWS), deep = ig_cuda_blocks(high, 65535);
  const dim3 grid(ig_cuda_blocks(g->n[0], ROW), deep > 1 ? 65535 : high, deep);
  filter_rows<<<grid, dim3(ROW, ROWS), 0, ig_cuda_stream(cx)>>>(*g, *taps, in, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void nodes_from_elements(const __grid_constant__ ig_grid g, double share,
                                    const double *in, double *out) {
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, wide = g.n[0] + 1;
  const int64_t high = g.n[1] + 1, k = t / (wide * high);
  if (k > g.n[2])
    return;
  const int64_t at = g.first + t % wide + t / wide % high * g.row + (g.dim == 3 ? k * g.plane : 0);
  out[at] = share * ig_around_node(&g, in, at);
}

ig_status ig_topopt_design_cuda_to_nodes(ig_ctx *cx, const ig_grid *g, double share,
                                         const double *in, double *out) {
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

ig_status ig_topopt_design_cuda_to_elements(ig_ctx *cx, const ig_grid *g, const uint8_t *role,
                                            const double *in, double *out) {
  elements_from_nodes<<<OVER(g->stored)>>>(*g, role, in, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- overhang: a launch per layer --- */

__global__ void print_layer(const __grid_constant__ ig_grid g, ig_overhang o, int layer,
                            const uint8_t *role, const double *in, double *out) {
  const int wide = ig_print_wide(&g, &o, 0), deep = ig_print_wide(&g, &o, 1);
  for (EACH(i, (int64_t)wide * deep)) {
    const int a = (int)(i % wide), b = (int)(i / wide);
    const int64_t at = ig_print_place(&g, &o, layer, a, b);
    out[at] = ig_print_value(&g, &o, role[at], in, out, layer, a, b);
  }
}

ig_status ig_topopt_design_cuda_print(ig_ctx *cx, const ig_grid *g, const ig_overhang *o,
                                      const uint8_t *role, const double *in, double *out) {
  const int64_t n = (int64_t)ig_print_wide(g, o, 0) * ig_print_wide(g, o, 1);
  for (int layer = 0; layer < g->n[o->axis]; layer++)
    print_layer<<<OVER(n)>>>(*g, *o, layer, role, in, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void print_layer_back(const __grid_constant__ ig_grid g, ig_overhang o, int layer,
                                 const uint8_t *role, const double *in, const double *printed,
                                 double *work, double *slope) {
  const int wide = ig_print_wide(&g, &o, 0), deep = ig_print_wide(&g, &o, 1);
  for (EACH(i, (int64_t)wide * deep)) {
    const int a = (int)(i % wide), b = (int)(i / wide);
    const int64_t at = ig_print_place(&g, &o, layer, a, b);
    slope[at] = ig_print_slope(&g, &o, role, in, printed, layer, a, b, work, slope[at]);
  }
}

ig_status ig_topopt_design_cuda_print_back(ig_ctx *cx, const ig_grid *g, const ig_overhang *o,
                                           const uint8_t *role, const double *in,
                                           const double *printed, double *work, double *slope) {
  const int64_t n = (int64_t)ig_print_wide(g, o, 0) * ig_print_wide(g, o, 1);
  for (int layer = g->n[o->axis] - 1; layer >= 0; layer--)
    print_layer_back<<<OVER(n)>>>(*g, *o, layer, role, in, printed, work, slope);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- element by element --- */

__global__ void mix_values(int64_t n, double p, const double *a, double q, const double *b,
                           double *out) {
  for (EACH(i, n))
    out[i] = p * a[i] + q * b[i];
}

ig_status ig_topopt_design_cuda_mix(ig_ctx *cx, int64_t n, double p, const double *a, double q,
                                    const double *b, double *out) {
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

ig_status ig_topopt_design_cuda_physical(ig_ctx *cx, int64_t n, const uint8_t *role,
                                         const ig_law *law, const double *filtered, double *density,
                                         double *modulus) {
  physical_values<<<OVER(n)>>>(n, role, *law, filtered, density, modulus);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void slope_values(int64_t n, const uint8_t *role, ig_law law, const double *filtered,
                             const double *density, const double *energy, double *dc, double *dv) {
  for (EACH(i, n))
    ig_design_slope(role[i], &law, filtered[i], density[i], energy[i], &dc[i], &dv[i]);
}

ig_status ig_topopt_design_cuda_slope(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_law *law,
                                      const double *filtered, const double *density,
                                      const double *energy, double *dc, double *dv) {
  slope_values<<<OVER(n)>>>(n, role, *law, filtered, density, energy, dc, dv);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void map_values(int64_t n, const uint8_t *role, ig_map how, const double *a,
                           const double *b, const double *c, double *out) {
  for (EACH(i, n))
    out[i] = role[i] ? ig_map_value(how, a[i], b[i], c ? c[i] : 0) : 0;
}

ig_status ig_topopt_design_cuda_map(ig_ctx *cx, int64_t n, const uint8_t *role, ig_map how,
                                    const double *a, const double *b, const double *c,
                                    double *out) {
  map_values<<<OVER(n)>>>(n, role, how, a, b, c, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void asymptote_values(int64_t n, const uint8_t *role, bool first, const double *x,
                                 const double *old, const double *older, double *lower,
                                 double *upper) {
  for (EACH(i, n))
    if (role[i])
      ig_mma_asymptotes(first, x[i], old[i], older[i], &lower[i], &upper[i]);
}

ig_status ig_topopt_design_cuda_asymptotes(ig_ctx *cx, int64_t n, const uint8_t *role, bool first,
                                           const double *x, const double *old, const double *older,
                                           double *lower, double *upper) {
  asymptote_values<<<OVER(n)>>>(n, role, first, x, old, older, lower, upper);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- the update --- */

/* The bisection lives on the device: each step is one pass that sums the volume, and its last block
   moves the bracket. The host queues steps and looks only now and then whether it is over. */
struct bisection {
  ig_bracket bracket;
  unsigned arrived;
  double partial[4096];
};

__global__ void begin_bisection(const __grid_constant__ ig_oc oc, bisection *s) {
  s->bracket = ig_bracket_begin(&oc);
  s->arrived = 0;
}

__global__ void wish_values(const __grid_constant__ ig_oc oc, int64_t n, const uint8_t *role,
                            const double *x, const double *dc, const double *dv, double *work) {
  for (EACH(i, n))
    work[i] = role[i] == IG_ROLE_DESIGN ? ig_oc_wish(&oc, x[i], dc[i], dv[i]) : 0;
}

__global__ void bisect(const __grid_constant__ ig_oc oc, int64_t n, const uint8_t *role,
                       const double *x, const double *dc, const double *dv, const double *work,
                       bisection *s) {
  if (s->bracket.over)
    return;
  const double multiplier = s->bracket.middle, factor = pow(multiplier, -oc.damping);
  double sum = 0, total;
  for (EACH(i, n)) {
    const int r = role[i];
    if (r == IG_ROLE_DESIGN)
      sum += dv[i] *
             ig_candidate(&oc, i, x[i], work[i], factor, oc.lower ? dc[i] : 0, dv[i], multiplier);
    else if (r)
      sum += dv[i] * x[i];
  }
  if (ig_grid_sum(sum, s->partial, &s->arrived, &total) && threadIdx.x == 0)
    ig_bracket_step(&oc, total, &s->bracket);
}

__global__ void candidate_values(const __grid_constant__ ig_oc oc, int64_t n, const uint8_t *role,
                                 const double *x, const double *dc, const double *dv,
                                 const double *work, const bisection *s, double *out) {
  const double multiplier = s->bracket.used, factor = pow(multiplier, -oc.damping);
  for (EACH(i, n))
    out[i] = role[i] == IG_ROLE_DESIGN
                 ? ig_candidate(&oc, i, x[i], work[i], factor, dc[i], dv[i], multiplier)
                 : x[i];
}

ig_status ig_topopt_design_cuda_oc(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_oc *oc,
                                   const double *x, const double *dc, const double *dv,
                                   double *work, double *out, double *multiplier) {
  cudaStream_t stream = ig_cuda_stream(cx);
  bisection *s;
  ig_bracket now;
  unsigned blocks = stride_blocks(cx, n);
  blocks = blocks < 4096 ? blocks : 4096;
  IG_CUDA(cx, cudaMallocAsync((void **)&s, sizeof *s, stream));
  begin_bisection<<<1, 1, 0, stream>>>(*oc, s);
  if (!oc->lower)
    wish_values<<<blocks, 256, 0, stream>>>(*oc, n, role, x, dc, dv, work);
  do {
    for (int step = 0; step < 10; step++)
      bisect<<<blocks, 256, 0, stream>>>(*oc, n, role, x, dc, dv, work, s);
    IG_CUDA(cx, cudaMemcpyAsync(&now, &s->bracket, sizeof now, cudaMemcpyDeviceToHost, stream));
    IG_CUDA(cx, cudaStreamSynchronize(stream));
  } while (!now.over);
  candidate_values<<<blocks, 256, 0, stream>>>(*oc, n, role, x, dc, dv, work, s, out);
  IG_LAUNCHED(cx);
  IG_CUDA(cx, cudaFreeAsync(s, stream));
  *multiplier = now.used;
  return IG_OK;
}

/* --- moving asymptotes, several constraints --- */

/* One launch has all sums of up to DUAL_WHOLE constraints; of more, those of a tile. */
enum { DUAL_BLOCKS = 1024, DUAL_WHOLE = 8, DUAL_MOST = 9 + 36 };
struct dual_state {
  double total[DUAL_MOST];
  unsigned arrived;
  double partial[DUAL_MOST * DUAL_BLOCKS];
};

template <int COUNT>
__global__ void dual_values(const __grid_constant__ ig_topopt_mma mma, int64_t n,
                            const uint8_t *role, dual_state *s) {
  constexpr int each = COUNT + 1 + COUNT * (COUNT + 1) / 2;
  double sum[each] = {}, total[each];
  for (EACH(i, n))
    if (role[i] == IG_ROLE_DESIGN)
      (void)ig_mma_minimum(&mma, COUNT, i, sum);
  if (ig_grid_sums<each>(sum, s->partial, &s->arrived, total) && threadIdx.x == 0)
    for (int q = 0; q < each; q++)
      s->total[q] = total[q];
}

__global__ void dual_tile(const __grid_constant__ ig_topopt_mma mma, int64_t n, const uint8_t *role,
                          int a, int b, dual_state *s) {
  double sum[IG_DUAL_TILE_SUMS] = {}, total[IG_DUAL_TILE_SUMS];
  for (EACH(i, n))
    if (role[i] == IG_ROLE_DESIGN)
      ig_mma_tile(&mma, i, a, b, sum);
  if (ig_grid_sums<IG_DUAL_TILE_SUMS>(sum, s->partial, &s->arrived, total) && threadIdx.x == 0)
    for (int q = 0; q < IG_DUAL_TILE_SUMS; q++)
      s->total[q] = total[q];
}

/* Tiles of functions 0 to 3, 4 to 7, … with each other. */
static ig_status dual_by_tiles(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_topopt_mma *mma,
                               unsigned blocks, dual_state *s, double *sums) {
  const int count = mma->count;
  double tile[IG_DUAL_TILE_SUMS];
  cudaStream_t stream = ig_cuda_stream(cx);
  for (int a = 0; a <= count; a += IG_DUAL_TILE)
    for (int b = a; b <= count; b += IG_DUAL_TILE) {
      IG_CUDA(cx, cudaMemsetAsync(&s->arrived, 0, sizeof s->arrived, stream));
      dual_tile<<<blocks, 256, 0, stream>>>(*mma, n, role, a, b, s);
      IG_LAUNCHED(cx);
      IG_CUDA(cx, cudaMemcpyAsync(tile, s->total, sizeof tile, cudaMemcpyDeviceToHost, stream));
      IG_CUDA(cx, cudaStreamSynchronize(stream));
      for (int p = 0; p < IG_DUAL_TILE && a + p <= count; p++) {
        sums[a + p] = tile[p];
        for (int q = 0; q < IG_DUAL_TILE && b + q <= count; q++) {
          const int f = a + p, h = b + q; /* where the pair f <= h is, f from 1 on */
          if (f >= 1 && h >= f)
            sums[count + 1 + (f - 1) * count - (f - 1) * (f - 2) / 2 + h - f] =
                tile[IG_DUAL_TILE * (1 + p) + q];
        }
      }
    }
  return IG_OK;
}

ig_status ig_topopt_design_cuda_dual(ig_ctx *cx, int64_t n, const uint8_t *role,
                                     const ig_topopt_mma *mma, double *sums) {
  cudaStream_t stream = ig_cuda_stream(cx);
  dual_state *s;
  unsigned blocks = stride_blocks(cx, n);
  blocks = blocks < DUAL_BLOCKS ? blocks : DUAL_BLOCKS;
  IG_CUDA(cx, cudaMallocAsync((void **)&s, sizeof *s, stream));
  IG_CUDA(cx, cudaMemsetAsync(&s->arrived, 0, sizeof s->arrived, stream));
  if (mma->count > DUAL_WHOLE) {
    const ig_status status = dual_by_tiles(cx, n, role, mma, blocks, s, sums);
    IG_CUDA(cx, cudaFreeAsync(s, stream));
    return status;
  }
#define DUAL(c)                                                                                    \
  case c:                                                                                          \
    dual_values<c><<<blocks, 256, 0, stream>>>(*mma, n, role, s);                                  \
    break
  switch (mma->count) {
    DUAL(1);
    DUAL(2);
    DUAL(3);
    DUAL(4);
    DUAL(5);
    DUAL(6);
    DUAL(7);
    DUAL(8);
  }
#undef DUAL
  IG_LAUNCHED(cx);
  IG_CUDA(cx, cudaMemcpyAsync(sums, s->total, (size_t)ig_mma_sums(mma->count) * sizeof *sums,
                              cudaMemcpyDeviceToHost, stream));
  IG_CUDA(cx, cudaStreamSynchronize(stream));
  IG_CUDA(cx, cudaFreeAsync(s, stream));
  return IG_OK;
}

__global__ void minimum_values(const __grid_constant__ ig_topopt_mma mma, int64_t n,
                               const uint8_t *role, double *out) {
  for (EACH(i, n))
    out[i] = role[i] == IG_ROLE_DESIGN ? ig_mma_minimum(&mma, mma.count, i, NULL) : mma.x[i];
}

ig_status ig_topopt_design_cuda_mma(ig_ctx *cx, int64_t n, const uint8_t *role,
                                    const ig_topopt_mma *mma, double *out) {
  minimum_values<<<OVER(n)>>>(*mma, n, role, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- draw, groups, nodes, masses --- */

__global__ void draw_columns(const __grid_constant__ ig_grid g, ig_draw d, int wide, int64_t n,
                             const uint8_t *role, const double *in, double *out) {
  for (EACH(i, n))
    ig_draw_column(&g, &d, role, in, (int)(i % wide), (int)(i / wide), out);
}
__global__ void draw_columns_back(const __grid_constant__ ig_grid g, ig_draw d, int wide, int64_t n,
                                  const uint8_t *role, const double *in, const double *drawn,
                                  double *slope) {
  for (EACH(i, n))
    ig_draw_column_back(&g, &d, role, in, drawn, (int)(i % wide), (int)(i / wide), slope);
}

ig_status ig_topopt_design_cuda_draw(ig_ctx *cx, const ig_grid *g, const ig_draw *d,
                                     const uint8_t *role, const double *in, double *out) {
  const ig_overhang o = {d->axis, 1};
  const int wide = ig_print_wide(g, &o, 0);
  const int64_t n = (int64_t)wide * ig_print_wide(g, &o, 1);
  draw_columns<<<OVER(n)>>>(*g, *d, wide, n, role, in, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

ig_status ig_topopt_design_cuda_draw_back(ig_ctx *cx, const ig_grid *g, const ig_draw *d,
                                          const uint8_t *role, const double *in,
                                          const double *drawn, double *slope) {
  const ig_overhang o = {d->axis, 1};
  const int wide = ig_print_wide(g, &o, 0);
  const int64_t n = (int64_t)wide * ig_print_wide(g, &o, 1);
  draw_columns_back<<<OVER(n)>>>(*g, *d, wide, n, role, in, drawn, slope);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void average_groups(ig_links links, double *v) {
  for (EACH(i, links.count))
    ig_links_average(&links, i, v);
}

ig_status ig_topopt_design_cuda_average(ig_ctx *cx, const ig_links *links, double *v) {
  average_groups<<<OVER(links->count)>>>(*links, v);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void scale_nodes(ig_node_layout l, const uint8_t *fix, const double *w, const double *x,
                            double *y) {
  for (EACH(i, l.nodes))
    ig_node_scale_one(&l, fix, w, x, i, y);
}

ig_status ig_topopt_design_cuda_node_scale(ig_ctx *cx, const ig_node_layout *l, const uint8_t *fix,
                                           const double *w, const double *x, double *y) {
  scale_nodes<<<OVER(l->nodes)>>>(*l, fix, w, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void dot_nodes(ig_node_layout l, const double *u, const double *v, double *out) {
  for (EACH(i, l.nodes))
    out[i] = ig_node_dot_one(&l, u, v, i);
}

ig_status ig_topopt_design_cuda_node_dot(ig_ctx *cx, const ig_node_layout *l, const double *u,
                                         const double *v, double *out) {
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

ig_status ig_topopt_design_cuda_mass(ig_ctx *cx, int64_t n, const uint8_t *role, double threshold,
                                     bool slope, const double *density, double *out) {
  mass_values<<<OVER(n)>>>(n, role, threshold, slope, density, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void power_values(int64_t n, const double *w, const uint8_t *fix, const double *v,
                             double inverse, double power, bool sign, double *out) {
  for (EACH(i, n))
    out[i] = fix && fix[i] ? 0 : ig_power_value(w[i], inverse * v[i], power, sign);
}

ig_status ig_topopt_design_cuda_powers(ig_ctx *cx, int64_t n, const double *w, const uint8_t *fix,
                                       const double *v, double inverse, double power, bool sign,
                                       double *out) {
  power_values<<<OVER(n)>>>(n, w, fix, v, inverse, power, sign, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- figures --- */

struct figures {
  double change, sum, grayness;
  unsigned arrived;
  double partial[4096];
};

__global__ void figure_values(int64_t n, const uint8_t *role, const double *x, const double *old,
                              int which, figures *s) {
  double sum = 0, total;
  for (EACH(i, n))
    if (role[i]) {
      if (which == 0)
        sum += x[i];
      else
        sum += 4 * x[i] * (1 - x[i]);
      if (which == 0) {
        /* a positive double orders like its bits */
        const double change = fabs(x[i] - old[i]);
        if (change > 0)
          atomicMax((unsigned long long *)&s->change,
                    (unsigned long long)__double_as_longlong(change));
      }
    }
  if (ig_grid_sum(sum, s->partial, &s->arrived, &total) && threadIdx.x == 0) {
    if (which == 0)
      s->sum = total;
    else
      s->grayness = total;
  }
}

ig_status ig_topopt_design_cuda_stats(ig_ctx *cx, const ig_grid *g, int64_t n, const uint8_t *role,
                                      const double *x, const double *old,
                                      ig_topopt_design_stats *stats) {
  (void)g;
  cudaStream_t stream = ig_cuda_stream(cx);
  figures *s;
  unsigned blocks = stride_blocks(cx, n);
  blocks = blocks < 4096 ? blocks : 4096;
  IG_CUDA(cx, cudaMallocAsync((void **)&s, sizeof *s, stream));
  IG_CUDA(cx, cudaMemsetAsync(s, 0, sizeof *s, stream));
  figure_values<<<blocks, 256, 0, stream>>>(n, role, x, old, 0, s);
  figure_values<<<blocks, 256, 0, stream>>>(n, role, x, old, 1, s);
  IG_LAUNCHED(cx);
  double now[3];
  IG_CUDA(cx, cudaMemcpyAsync(now, s, sizeof now, cudaMemcpyDeviceToHost, stream));
  IG_CUDA(cx, cudaStreamSynchronize(stream));
  IG_CUDA(cx, cudaFreeAsync(s, stream));
  *stats = {now[0], now[1], now[2]};
  return IG_OK;
}
