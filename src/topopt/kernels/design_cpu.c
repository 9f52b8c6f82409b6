/* The design on the CPU. Sums are made per fixed chunk, then over the chunks in order: the same for
   any number of threads. */
#include "topopt/kernels/design.h"
#include "solver/krylov/chunks.h"
#include "solver/krylov/slab.h"
#include "core/threads.h"
#include "backend/backend.h"
#include "kern/fma.h"
#include "kern/hd.h"
#include "topopt/kernels/design.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Separable only in its symmetry: rows at +-y, +-z are added first, then one row is weighted
   along x for all offsets, so that an element costs an eighth of the multiplications in space.
   The inner loops run along x and vectorise. Rows are dealt out to threads in fixed ranges; each
   thread has a line of work space with margins for mirrored elements. */
static ig_status filter(ig_ctx *cx, const ig_grid *g, const ig_taps *taps, const uint8_t *role,
                        const double *in, double *out) {
  (void)role;
  const int n = g->n[0], rx = taps->reach[0], ry = taps->reach[1], rz = taps->reach[2];
  const int nz = ig_grid_layers(g), all = g->dim == 3 ? g->all : 1;
  const int64_t rows = (int64_t)g->n[1] * nz;
  const size_t width = (size_t)n + 2 * (size_t)rx;
  double *work;
  const int team = ig_team(cx, rows, IG_WORK_ROW);
  IG_TRY(IG_NEW(cx, &work, (size_t)team * 2 * width, "filter work space"));
#pragma omp parallel for schedule(static, 1) num_threads(team)
  for (int t = 0; t < team; t++) {
    double *sum = work + (size_t)t * 2 * width + rx; /* zero margins of the reach */
    double *pair = work + (size_t)t * 2 * width + width;
    for (int64_t row = rows * t / team; row < rows * (t + 1) / team; row++) {
      const int j = (int)(row % g->n[1]), k = (int)(row / g->n[1]);
      double *to = out + ig_grid_place(g, 0, j, k);
      for (int i = 0; i < n; i++)
        to[i] = 0;
      for (int z = 0; z <= rz; z++)
        for (int y = 0; y <= ry; y++) {
          const double *w = taps->weight + (size_t)(z * (ry + 1) + y) * (size_t)(rx + 1);
          /* the row is outside of the radius altogether */
          if (w[0] == 0)
            continue;
          /* mirrored rows are added in pairs: a mirrored field gives the mirrored result */
          for (int side = 0; side < (z ? 2 : 1); side++) {
            const int kk = ig_mirrored(g->from + (side ? k - z : k + z), all, taps->mirror[2]);
            const int up = ig_mirrored(j + y, g->n[1], taps->mirror[1]);
            const int down = y ? ig_mirrored(j - y, g->n[1], taps->mirror[1]) : -1;
            double *s = side ? pair : sum;
            for (int i = 0; i < n; i++)
              s[i] = 0;
            if (kk < 0)
              continue;
            if (up >= 0) {
              const double *from = in + ig_grid_place(g, 0, up, kk - g->from);
              for (int i = 0; i < n; i++)
                s[i] = from[i];
            }
            if (down >= 0) {
              const double *from = in + ig_grid_place(g, 0, down, kk - g->from);
              for (int i = 0; i < n; i++)
                s[i] += from[i];
            }
          }
          for (int i = 0; z && i < n; i++)
            sum[i] += pair[i];
          /* beyond the first and last element: images, or nothing */
          for (int i = 1; i <= rx; i++) { /* margins stay 0 where nothing is mirrored */
            if (taps->mirror[0] & 1)
              sum[-i] = sum[i - 1];
            if (taps->mirror[0] & 2)
              sum[n - 1 + i] = sum[n - i];
          }
          for (int i = 0; i < n; i++)
            to[i] += w[0] * sum[i];
          for (int x = 1; x <= rx && w[x] != 0; x++)
#pragma omp simd
            for (int i = 0; i < n; i++)
              to[i] += w[x] * (sum[i - x] + sum[i + x]);
        }
    }
  }
  free(work);
  return IG_OK;
}

/* All nodes of the grid or slab; elements in the halo are zero. */
static ig_status to_nodes(ig_ctx *cx, const ig_grid *g, double share, const double *in,
                          double *out) {
  const int64_t rows = (int64_t)(g->n[1] + 1) * (g->n[2] + 1);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, rows, IG_WORK_ROW))
  for (int64_t row = 0; row < rows; row++) {
    const int64_t at = ig_grid_place(g, 0, (int)(row % (g->n[1] + 1)), (int)(row / (g->n[1] + 1)));
    for (int i = 0; i <= g->n[0]; i++)
      out[at + i] = share * ig_around_node(g, in, at + i);
  }
  return IG_OK;
}

/* Over all places, halo included: those have no role and become 0. */
static ig_status to_elements(ig_ctx *cx, const ig_grid *g, const uint8_t *role, const double *in,
                             double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, g->stored, IG_WORK_VALUE))
  for (int64_t i = 0; i < g->stored; i++)
    out[i] = role[i] ? ig_mean_of_nodes(g, in, i) : 0;
  return IG_OK;
}

/* Elements of a layer are independent of each other: they look at the layer below only. */
static ig_status print(ig_ctx *cx, const ig_print_layer *l, const uint8_t *role, const double *in,
                       const double *below, double *out, double *now) {
  const int64_t n = (int64_t)l->n[0] * l->n[1];
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_NODE))
  for (int64_t i = 0; i < n; i++) {
    const int a = (int)(i % l->n[0]), b = (int)(i / l->n[0]);
    const int64_t at = ig_print_at(l, a, b);
    out[at] = now[ig_print_in_layer(l, a, b)] = ig_print_value(l, role[at], in[at], below, a, b);
  }
  return IG_OK;
}

/* From the top layer down; `now` receives the gradients that the next layer below will look at. */
static ig_status print_back(ig_ctx *cx, const ig_print_layer *l, const uint8_t *role,
                            const double *in, const double *printed, const double *above,
                            double *now, double *slope) {
  const int64_t n = (int64_t)l->n[0] * l->n[1];
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_NODE))
  for (int64_t i = 0; i < n; i++) {
    const int a = (int)(i % l->n[0]), b = (int)(i / l->n[0]);
    const int64_t at = ig_print_at(l, a, b);
    slope[at] = ig_print_slope(l, role, in, printed, above, a, b, now, slope[at]);
  }
  return IG_OK;
}

static ig_status draw(ig_ctx *cx, const ig_grid *g, const ig_draw *d, int side, const uint8_t *role,
                      const double *in, double *carry, double *out) {
  const int wide = ig_draw_wide(g, d, 0);
  const int64_t n = (int64_t)wide * ig_draw_wide(g, d, 1);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_NODE))
  for (int64_t i = 0; i < n; i++)
    ig_draw_column(g, d, side, role, in, (int)(i % wide), (int)(i / wide), &carry[i], out);
  return IG_OK;
}

static ig_status draw_back(ig_ctx *cx, const ig_grid *g, const ig_draw *d, int side,
                           const uint8_t *role, const double *in, const double *drawn,
                           double *carry, double *slope) {
  const int wide = ig_draw_wide(g, d, 0);
  const int64_t n = (int64_t)wide * ig_draw_wide(g, d, 1);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_NODE))
  for (int64_t i = 0; i < n; i++)
    ig_draw_column_back(g, d, side, role, in, drawn, (int)(i % wide), (int)(i / wide), &carry[i],
                        slope);
  return IG_OK;
}

static ig_status fold_sum(ig_ctx *cx, const ig_grid *g, const ig_fold *f, const uint8_t *role,
                          const double *v, double *sum) {
  const int64_t n = ig_fold_cells(f);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_NODE))
  for (int64_t i = 0; i < n; i++)
    sum[i] = ig_fold_visit(g, f, role, i, v, NULL, sum[i]);
  return IG_OK;
}
static ig_status fold_spread(ig_ctx *cx, const ig_grid *g, const ig_fold *f, const uint8_t *role,
                             const double *sum, const double *count, double *v) {
  const int64_t n = ig_fold_cells(f);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_NODE))
  for (int64_t i = 0; i < n; i++)
    (void)ig_fold_visit(g, f, role, i, NULL, v, sum[i] / count[i]);
  return IG_OK;
}

static ig_status average(ig_ctx *cx, const ig_links *links, double *v) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, links->count, IG_WORK_NODE))
  for (int64_t i = 0; i < links->count; i++)
    ig_links_average(links, i, v);
  return IG_OK;
}

static ig_status node_scale(ig_ctx *cx, const ig_node_layout *l, const uint8_t *fix,
                            const double *w, const double *x, double *y) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, l->nodes, IG_WORK_VALUE))
  for (int64_t i = 0; i < l->nodes; i++)
    ig_node_scale_one(l, fix, w, x, i, y);
  return IG_OK;
}

static ig_status node_dot(ig_ctx *cx, const ig_node_layout *l, const double *u, const double *v,
                          double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, l->nodes, IG_WORK_VALUE))
  for (int64_t i = 0; i < l->nodes; i++)
    out[i] = ig_node_dot_one(l, u, v, i);
  return IG_OK;
}

static ig_status mass(ig_ctx *cx, int64_t n, const uint8_t *role, double threshold, bool slope,
                      const double *density, double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    out[i] = !role[i] ? 0
             : slope  ? ig_design_mass_slope(density[i], threshold)
                      : ig_design_mass(density[i], threshold);
  return IG_OK;
}

/* fma is written out: whether a compiler contracts p a + q b, and which product, must not change
   bits. */
static ig_status mix(ig_ctx *cx, int64_t n, double p, const double *a, double q, const double *b,
                     double *out) {
#pragma omp parallel for simd schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    out[i] = ig_fma_f64(p, a[i], q * b[i]); /* of two products it is the first, in any rest */
  return IG_OK;
}

static ig_status physical(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_law *law,
                          const double *filtered, double *density, double *modulus) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++) {
    density[i] = role[i] ? ig_design_density(role[i], law, filtered[i]) : 0;
    modulus[i] = role[i] ? ig_design_modulus(law, density[i]) : 0;
  }
  return IG_OK;
}

static ig_status slope(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_law *law,
                       const double *filtered, const double *density, const double *energy,
                       double *dc, double *dv) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    ig_design_slope(role[i], law, filtered[i], density[i], energy[i], &dc[i], &dv[i]);
  return IG_OK;
}

static ig_status map(ig_ctx *cx, int64_t n, const uint8_t *role, ig_map how, const double *a,
                     const double *b, const double *c, double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    out[i] = role[i] ? ig_map_value(how, a[i], b[i], c ? c[i] : 0) : 0;
  return IG_OK;
}

/* In place: lower and upper hold those of the design before. */
static ig_status asymptotes(ig_ctx *cx, int64_t n, const uint8_t *role, bool first, double share,
                            const double *x, const double *old, const double *older, double *lower,
                            double *upper) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    if (role[i])
      ig_mma_asymptotes(first, share, x[i], old[i], older[i], &lower[i], &upper[i]);
  return IG_OK;
}

/* One loop for both methods: `oc->lower` chooses between the optimality criterion and moving
   asymptotes. The pass with the answer itself comes last, so that `out` is what belongs to it. */
static ig_status oc_update(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_oc *oc,
                           const double *x, const double *dc, const double *dv, double *work,
                           double *out, double *multiplier) {
  const ig_chunks all = ig_chunks_of(oc->grid, n);
  double *part = NULL;
  ig_status status = IG_NEW(cx, &part, all.count, "volume sums");
  if (status != IG_OK && !ig_chunks_divided(oc->grid))
    return status;
  const int64_t chunks = part ? all.count : 0; /* without memory all fail in the sum */
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    work[i] = role[i] == IG_ROLE_DESIGN && !oc->lower ? ig_oc_wish(oc, x[i], dc[i], dv[i]) : 0;
  ig_bracket bracket = ig_bracket_begin(oc);
  for (bool last = false; !last;) {
    last = bracket.over; /* the answer itself */
    const double now = last ? bracket.used : bracket.middle, factor = pow(now, -oc->damping);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
    for (int64_t c = 0; c < chunks; c++) {
      const int64_t end = ig_chunk_end(&all, c);
      double s = 0;
      for (int64_t i = ig_chunk_begin(&all, c); i < end; i++) {
        out[i] = role[i] == IG_ROLE_DESIGN
                     ? ig_candidate(oc, i, x[i], work[i], factor, dc[i], dv[i], now)
                     : x[i];
        s += dv[i] * out[i];
      }
      part[c] = s;
    }
    double volume;
    status = ig_chunks_total(oc->grid, &all, 1, part, &volume);
    if (status != IG_OK)
      break;
    if (!last)
      ig_bracket_step(oc, volume, &bracket);
  }
  free(part);
  *multiplier = bracket.used;
  return status;
}

/* `fix` is by unknown here: temperatures have one per node. */
static ig_status powers(ig_ctx *cx, int64_t n, const double *w, const uint8_t *fix, const double *v,
                        double inverse, double power, bool sign, double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    out[i] = fix && fix[i] ? 0 : ig_power_value(w[i], inverse * v[i], power, sign);
  return IG_OK;
}

/* Every chunk has its own sums: no two threads add to the same number, and the chunks are added
   in order. */
static ig_status dual(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_topopt_mma *mma,
                      double *sums) {
  const ig_chunks all = ig_chunks_of(mma->grid, n);
  const int each = ig_mma_sums(mma->count);
  double *part = NULL;
  ig_status status = IG_NEW(cx, &part, all.count * each, "dual sums");
  if (status != IG_OK && !ig_chunks_divided(mma->grid))
    return status;
  const int64_t chunks = part ? all.count : 0;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t c = 0; c < chunks; c++)
    for (int64_t i = ig_chunk_begin(&all, c); i < ig_chunk_end(&all, c); i++)
      if (role[i] == IG_ROLE_DESIGN)
        (void)ig_mma_minimum(mma, mma->count, i, part + c * each);
  status = ig_chunks_total(mma->grid, &all, each, part, sums);
  free(part);
  return status;
}

/* Passive elements keep their value. */
static ig_status mma_update(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_topopt_mma *mma,
                            double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_NODE))
  for (int64_t i = 0; i < n; i++)
    out[i] = role[i] == IG_ROLE_DESIGN ? ig_mma_minimum(mma, mma->count, i, NULL) : mma->x[i];
  return IG_OK;
}

/* The maximum is exact in any order; the two sums are made by chunks. Only places with a role
   count. */
static ig_status stats(ig_ctx *cx, const ig_grid *g, int64_t n, const uint8_t *role,
                       const ig_law *law, const double *x, const double *old,
                       ig_topopt_design_stats *st) {
  enum { SUMS = 2 };
  const ig_chunks all = ig_chunks_of(g, n);
  double(*part)[SUMS] = NULL, sum[SUMS], most = 0;
  ig_status status = IG_NEW(cx, &part, all.count, "design figures");
  if (status != IG_OK && !ig_chunks_divided(g))
    return status;
  const int64_t chunks = part ? all.count : 0;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))               \
    reduction(max                                                                                  \
              : most)
  for (int64_t c = 0; c < chunks; c++)
    for (int64_t i = ig_chunk_begin(&all, c); i < ig_chunk_end(&all, c); i++)
      if (role[i]) {
        most = fmax(most, fabs(x[i] - old[i]));
        part[c][0] += x[i];
        part[c][1] += ig_design_gray(law, x[i]);
      }
  status = ig_chunks_total(g, &all, SUMS, part ? &part[0][0] : NULL, sum);
  free(part);
  IG_TRY(status);
  if (ig_chunks_divided(g))
    IG_TRY(ig_slab_most(g->slab, &most, 1));
  *st = (ig_topopt_design_stats){most, sum[0], sum[1]};
  return IG_OK;
}

const ig_topopt_design_ops ig_topopt_design_cpu = {.filter = filter,
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
                                                   .physical = physical,
                                                   .slope = slope,
                                                   .map = map,
                                                   .asymptotes = asymptotes,
                                                   .oc = oc_update,
                                                   .powers = powers,
                                                   .dual = dual,
                                                   .mma = mma_update,
                                                   .stats = stats};

const ig_topopt_design_ops *ig_topopt_design_ops_of(const ig_ctx *cx) {
  return IG_OPS_OF(cx, &ig_topopt_design_cpu, &ig_topopt_design_cuda);
}
