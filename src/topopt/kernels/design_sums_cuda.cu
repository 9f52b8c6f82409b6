/* The sums of the design on CUDA: volumes of an update, dual functions, figures. Over a grid in
   space their bits do not depend on how its planes are divided between ranks. */
#include "topopt/kernels/design_cuda.h"
#include "kern/hd.h"
#include "solver/grid/planes.cuh"
#include "topopt/kernels/design.inc"

/* 16 blocks of 256 threads per multiprocessor keep it busy; larger arrays are walked in strides. */
static unsigned stride_blocks(ig_ctx *cx, int64_t n) {
  const unsigned all = ig_cuda_blocks(n, 256);
  const unsigned most = 16u * IG_CUDA_UNITS;
  return all < most ? (all ? all : 1) : most;
}

#define EACH(i, w)                                                                                 \
  int64_t i = (w).begin;                                                                           \
  i < (w).end;                                                                                     \
  i += (w).stride
#define OVER(n) stride_blocks(cx, n), 256, 0, ig_cuda_stream(cx)

/* A launch that sums `each` values over the elements, and where its blocks leave their parts. */
struct summing {
  ig_pieces pieces;
  unsigned blocks;
  ig_slab *slab; /* the grid is divided: NULL if not */
};
/* Partial sums at most: blocks of a launch, or planes of a grid. */
enum { ROOM = 1 << 14 };
/* The pieces of a grid are its planes, so that partial sums do not depend on the number of
   blocks. */
static summing summing_over(ig_ctx *cx, const ig_grid *g, int64_t n, int each, unsigned most) {
  summing s;
  const unsigned blocks = stride_blocks(cx, n);
  s.pieces = ig_pieces_of(g, n, each, (int64_t)each * ROOM);
  s.pieces.own = s.pieces.own < n ? s.pieces.own : n; /* the last block of a mesh may be short */
  s.blocks = ig_pieces_blocks(&s.pieces, blocks < most ? blocks : most);
  s.slab = g ? g->slab : NULL;
  return s;
}
static ig_status join(ig_ctx *cx, const summing *s, int each, double *partial, double *sum,
                      double *device) {
  return ig_pieces_join(cx, &s->pieces, s->slab, 0, IG_SLAB_GROUP, each, partial, sum, device);
}

/* --- the update --- */

/* The bisection lives on the device: each step is one pass that sums the volume, and its last block
   moves the bracket. The host queues steps and looks only now and then whether it is over. */
struct bisection {
  ig_bracket bracket;
  unsigned arrived;
  double volume;
  double partial[ROOM];
};

/* One thread: the state of the search lives on the device from here on. */
__global__ void begin_bisection(const __grid_constant__ ig_oc oc, bisection *s) {
  s->bracket = ig_bracket_begin(&oc);
  s->arrived = 0;
}

__global__ void wish_values(const __grid_constant__ ig_oc oc, int64_t n, const uint8_t *role,
                            const double *x, const double *dc, const double *dv, double *work) {
  const ig_walk w = ig_pieces_walk(ig_pieces{}, n);
  for (EACH(i, w))
    work[i] = role[i] == IG_ROLE_DESIGN ? ig_oc_wish(&oc, x[i], dc[i], dv[i]) : 0;
}

/* The host of a divided grid adds the volumes of all ranks and takes the step. Every block sums
   its elements; the last block to arrive adds the blocks' sums in order and takes the step.
   Launches that are queued after the end return at once. */
__global__ void bisect(const __grid_constant__ ig_oc oc, const __grid_constant__ ig_pieces p,
                       int64_t n, const uint8_t *role, const double *x, const double *dc,
                       const double *dv, const double *work, bool step, bisection *s) {
  if (s->bracket.over)
    return;
  const ig_walk w = ig_pieces_walk(p, n);
  const double multiplier = s->bracket.middle, factor = pow(multiplier, -oc.damping);
  double sum = 0, total;
  for (EACH(i, w)) {
    const int r = role[i];
    if (r == IG_ROLE_DESIGN)
      sum += dv[i] *
             ig_candidate(&oc, i, x[i], work[i], factor, oc.lower ? dc[i] : 0, dv[i], multiplier);
    else if (r)
      sum += dv[i] * x[i];
  }
  if (ig_pieces_sums<1>(p, w, &sum, s->partial, &s->arrived, &total) && threadIdx.x == 0 && step)
    ig_bracket_step(&oc, total, &s->bracket);
}

__global__ void step_bracket(const __grid_constant__ ig_oc oc, bisection *s) {
  ig_bracket_step(&oc, s->volume, &s->bracket);
}

/* The design that belongs to the multiplier found. */
__global__ void candidate_values(const __grid_constant__ ig_oc oc, int64_t n, const uint8_t *role,
                                 const double *x, const double *dc, const double *dv,
                                 const double *work, const bisection *s, double *out) {
  const double multiplier = s->bracket.used, factor = pow(multiplier, -oc.damping);
  const ig_walk w = ig_pieces_walk(ig_pieces{}, n);
  for (EACH(i, w))
    out[i] = role[i] == IG_ROLE_DESIGN
                 ? ig_candidate(&oc, i, x[i], work[i], factor, dc[i], dv[i], multiplier)
                 : x[i];
}

/* Ten steps in a row, or one where ranks have to meet in between. */
static ig_status bisect_on(ig_ctx *cx, const summing *over, const ig_oc *oc, int64_t n,
                           const uint8_t *role, const double *x, const double *dc, const double *dv,
                           const double *work, bisection *s) {
  cudaStream_t stream = ig_cuda_stream(cx);
  double volume;
  for (int step = 0; step < (over->slab ? 1 : 10); step++)
    bisect<<<over->blocks, 256, 0, stream>>>(*oc, over->pieces, n, role, x, dc, dv, work,
                                             !over->slab, s);
  if (over->slab) {
    IG_TRY(join(cx, over, 1, s->partial, &volume, &s->volume));
    step_bracket<<<1, 1, 0, stream>>>(*oc, s);
  }
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* The host copies the bracket out after every batch of steps: one wait for ten passes. */
ig_status ig_topopt_design_cuda_oc(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_oc *oc,
                                   const double *x, const double *dc, const double *dv,
                                   double *work, double *out, double *multiplier) {
  cudaStream_t stream = ig_cuda_stream(cx);
  const summing over = summing_over(cx, oc->grid, n, 1, 4096);
  bisection *s;
  ig_bracket now;
  ig_status status = IG_OK;
  IG_CUDA(cx, cudaMallocAsync((void **)&s, sizeof *s, stream));
  begin_bisection<<<1, 1, 0, stream>>>(*oc, s);
  if (!oc->lower)
    wish_values<<<OVER(n)>>>(*oc, n, role, x, dc, dv, work);
  do {
    IG_TRY_GOTO(status, done, bisect_on(cx, &over, oc, n, role, x, dc, dv, work, s));
    IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, &now, &s->bracket, sizeof now));
  } while (!now.over);
  candidate_values<<<OVER(n)>>>(*oc, n, role, x, dc, dv, work, s, out);
  IG_LAUNCHED(cx);
  *multiplier = now.used;
done:
  IG_CUDA(cx, cudaFreeAsync(s, stream));
  return status;
}

/* --- moving asymptotes, several constraints --- */

/* One launch has all sums of up to DUAL_WHOLE constraints; of more, those of a tile. Up to 8
   constraints a thread has all sums, 45 at most; beyond, tiles of 4 x 4 are summed by several
   launches that each compute the minimum anew. */
enum { DUAL_BLOCKS = 1024, DUAL_WHOLE = 8, DUAL_MOST = 9 + 36 };
struct dual_state {
  double total[DUAL_MOST];
  unsigned arrived;
  double partial[DUAL_MOST * ROOM];
};

/* COUNT is a constant so that the loops over functions unroll and the sums stay out of local
   memory. */
template <int COUNT>
__global__ void dual_values(const __grid_constant__ ig_topopt_mma mma,
                            const __grid_constant__ ig_pieces p, int64_t n, const uint8_t *role,
                            dual_state *s) {
  const ig_walk w = ig_pieces_walk(p, n);
  constexpr int each = COUNT + 1 + COUNT * (COUNT + 1) / 2;
  double sum[each] = {}, total[each];
  for (EACH(i, w))
    if (role[i] == IG_ROLE_DESIGN)
      (void)ig_mma_minimum(&mma, COUNT, i, sum);
  if (ig_pieces_sums<each>(p, w, sum, s->partial, &s->arrived, total) && threadIdx.x == 0)
    for (int q = 0; q < each; q++)
      s->total[q] = total[q];
}

/* Sums of one 4 x 4 tile of second derivatives, and of the four functions of its rows. */
__global__ void dual_tile(const __grid_constant__ ig_topopt_mma mma,
                          const __grid_constant__ ig_pieces p, int64_t n, const uint8_t *role,
                          int a, int b, dual_state *s) {
  const ig_walk w = ig_pieces_walk(p, n);
  double sum[IG_DUAL_TILE_SUMS] = {}, total[IG_DUAL_TILE_SUMS];
  for (EACH(i, w))
    if (role[i] == IG_ROLE_DESIGN)
      ig_mma_tile(&mma, i, a, b, sum);
  if (ig_pieces_sums<IG_DUAL_TILE_SUMS>(p, w, sum, s->partial, &s->arrived, total) &&
      threadIdx.x == 0)
    for (int q = 0; q < IG_DUAL_TILE_SUMS; q++)
      s->total[q] = total[q];
}

/* The sums of a launch, of all ranks. */
static ig_status dual_take(ig_ctx *cx, const summing *over, int each, dual_state *s, double *sum) {
  if (over->slab)
    return join(cx, over, each, s->partial, sum, NULL);
  return cx->backend->copy_out(cx, sum, s->total, (size_t)each * sizeof *sum);
}

/* Tiles of functions 0 to 3, 4 to 7, … with each other. */
static ig_status dual_by_tiles(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_topopt_mma *mma,
                               dual_state *s, double *sums) {
  const summing over = summing_over(cx, mma->grid, n, IG_DUAL_TILE_SUMS, DUAL_BLOCKS);
  const int count = mma->count;
  double tile[IG_DUAL_TILE_SUMS];
  cudaStream_t stream = ig_cuda_stream(cx);
  for (int a = 0; a <= count; a += IG_DUAL_TILE)
    for (int b = a; b <= count; b += IG_DUAL_TILE) {
      IG_CUDA(cx, cudaMemsetAsync(&s->arrived, 0, sizeof s->arrived, stream));
      dual_tile<<<over.blocks, 256, 0, stream>>>(*mma, over.pieces, n, role, a, b, s);
      IG_LAUNCHED(cx);
      IG_TRY(dual_take(cx, &over, IG_DUAL_TILE_SUMS, s, tile));
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

/* A switch over the number of constraints, as the kernel's template needs a constant. */
static ig_status dual_whole(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_topopt_mma *mma,
                            dual_state *s, double *sums) {
  const int each = ig_mma_sums(mma->count);
  const summing over = summing_over(cx, mma->grid, n, each, DUAL_BLOCKS);
  cudaStream_t stream = ig_cuda_stream(cx);
#define DUAL(c)                                                                                    \
  case c:                                                                                          \
    dual_values<c><<<over.blocks, 256, 0, stream>>>(*mma, over.pieces, n, role, s);                \
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
  return dual_take(cx, &over, each, s, sums);
}

/* cudaMallocAsync is ordered on the stream: the device is not synchronised for work space. */
ig_status ig_topopt_design_cuda_dual(ig_ctx *cx, int64_t n, const uint8_t *role,
                                     const ig_topopt_mma *mma, double *sums) {
  cudaStream_t stream = ig_cuda_stream(cx);
  dual_state *s;
  IG_CUDA(cx, cudaMallocAsync((void **)&s, sizeof *s, stream));
  IG_CUDA(cx, cudaMemsetAsync(&s->arrived, 0, sizeof s->arrived, stream));
  const ig_status status = mma->count > DUAL_WHOLE ? dual_by_tiles(cx, n, role, mma, s, sums)
                                                   : dual_whole(cx, n, role, mma, s, sums);
  IG_CUDA(cx, cudaFreeAsync(s, stream));
  return status;
}

/* --- figures --- */

/* `change` first: the host reads change and sums in one copy of three doubles. */
struct figures {
  double change, sum[2]; /* of the densities, of 4 x (1 - x) */
  unsigned arrived;
  double partial[2 * ROOM];
};

/* Starts from zero (cudaMemsetAsync), which is the least value of the atomic maximum. */
__global__ void figure_values(const __grid_constant__ ig_pieces p, int64_t n, const uint8_t *role,
                              const __grid_constant__ ig_law law, const double *x,
                              const double *old, figures *s) {
  const ig_walk w = ig_pieces_walk(p, n);
  double sum[2] = {0, 0}, total[2], most = 0;
  for (EACH(i, w))
    if (role[i]) {
      sum[0] += x[i];
      sum[1] += ig_design_gray(&law, x[i]);
      most = fmax(most, fabs(x[i] - old[i]));
    }
  if (most > 0) /* a positive double orders like its bits */
    atomicMax((unsigned long long *)&s->change, (unsigned long long)__double_as_longlong(most));
  if (ig_pieces_sums<2>(p, w, sum, s->partial, &s->arrived, total) && threadIdx.x == 0)
    for (int q = 0; q < 2; q++)
      s->sum[q] = total[q];
}

/* Only the counters and results are cleared: partial sums are written before they are read. */
ig_status ig_topopt_design_cuda_stats(ig_ctx *cx, const ig_grid *g, int64_t n, const uint8_t *role,
                                      const ig_law *law, const double *x, const double *old,
                                      ig_topopt_design_stats *stats) {
  cudaStream_t stream = ig_cuda_stream(cx);
  const summing over = summing_over(cx, g, n, 2, 4096);
  double now[3];
  figures *s;
  IG_CUDA(cx, cudaMallocAsync((void **)&s, sizeof *s, stream));
  IG_CUDA(cx, cudaMemsetAsync(s, 0, offsetof(figures, partial), stream));
  figure_values<<<over.blocks, 256, 0, stream>>>(over.pieces, n, role, *law, x, old, s);
  ig_status status = cx->backend->copy_out(cx, now, s, sizeof now);
  if (over.slab) {
    if (status != IG_OK)
      ig_slab_fail(over.slab, status);
    status = join(cx, &over, 2, s->partial, now + 1, NULL);
    if (status == IG_OK)
      status = ig_slab_most(over.slab, now, 1);
  }
  IG_CUDA(cx, cudaFreeAsync(s, stream));
  *stats = {now[0], now[1], now[2]};
  return status;
}
