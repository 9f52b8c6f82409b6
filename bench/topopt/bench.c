/* Benchmarks of topology optimisation: the operator, a multigrid cycle level by level, and whole
   design iterations. On a GPU the grids are the published ones; on a CPU the smallest. */
#include "bench/bench.h"
#include "verify/topopt/problem.h"
#include "backend/backend.h"
#include "bench/topopt/bench_ebe.h"
#include "bench/topopt/bench_paper.h"
#include "topopt/design/large_items.h"
#include "topopt/output.h"
#ifdef INGOT_HAVE_CUDA
#include "solver/grid/grid_cuda.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool on_gpu(const ig_ctx *cx) {
  return cx->backend->kernels == IG_KERNELS_CUDA;
}

/* Runs `work` until a tenth of a second has passed, at least three times; seconds for one. */
typedef ig_status work_fn(void *arg);
static ig_status repeat(ig_ctx *cx, work_fn *work, void *arg, double *seconds) {
  IG_TRY(work(arg));
  IG_TRY(cx->backend->sync(cx));
  int count = 0;
  const double start = ig_now();
  do {
    for (int i = 0; i < ig_bench_size(cx, 10, 1, 1); i++, count++)
      IG_TRY(work(arg));
    IG_TRY(cx->backend->sync(cx));
  } while (count < ig_bench_size(cx, 3, 3, 1) || ig_now() - start < ig_bench_seconds(cx, 0.1, 0.1));
  *seconds = (ig_now() - start) / count;
  return IG_OK;
}

static void row(const ig_bench_sink *sink, ig_ctx *cx, const char *name, double elements,
                double seconds, double dofs, double bytes, const char *note) {
  const ig_bench_row r = {.name = name,
                          .elements = elements,
                          .steps = 1,
                          .seconds = seconds,
                          .rate = dofs / seconds,
                          .rate_unit = "DOF-products",
                          .bytes = bytes,
                          .memory = (double)cx->device_bytes,
                          .note = note};
  sink->row(sink->user, &r);
}

/* --- the operator --- */

typedef struct {
  ig_multigrid *m;
  ig_array x, y, k, value, column;
  int depth;
} product;

static ig_status do_double(void *arg) {
  product *p = arg;
  return p->m->ops->apply(p->m->cx, &p->m->args, p->x.dev, p->y.dev, NULL);
}
static ig_status do_smooth(void *arg) {
  product *p = arg;
  ig_level *l = &p->m->level[p->depth];
  const float *b = p->depth ? l->b : p->m->pcg.r32.dev;
  return p->m->ops->sweep(p->m->cx, l, IG_SWEEP_SMOOTH, b, l->x, l->d, 0.1f, 0.1f, l->y);
}
#ifdef INGOT_HAVE_CUDA
static ig_status do_dbd(void *arg) {
  product *p = arg;
  return ig_grid_cuda_dbd(p->m->cx, &p->m->args, p->k.dev, p->x.dev, p->y.dev);
}
static ig_status do_assembled(void *arg) {
  product *p = arg;
  return ig_grid_cuda_assembled(p->m->cx, &p->m->args, p->value.dev, p->column.dev, p->x.dev,
                                p->y.dev);
}
#endif

#define BLOCK                                                                                      \
  "{grid: {elements: [%d, %d, %d]}, supports: [{box: {max: [0, 1e9, 1e9]}}], loads: [{box: {min: " \
  "[%d, 0, 0]}, force: [0, 0, -1]}], filter: {kind: none}, void_ratio: 1e-6, solver: {tolerance: " \
  "1e-5, preconditioner: %s}}"

static ig_status block_open(ig_ctx *cx, const int *n, const char *preconditioner,
                            ig_topopt_problem *t) {
  char text[600];
  snprintf(text, sizeof text, BLOCK, n[0], n[1], n[2], n[0], preconditioner);
  IG_TRY(ig_topopt_problem_open(cx, text, t));
  const ig_law law = {.penalty = 3, .least = 1e-6, .eta = 0.5};
  ig_status status = t->s->ops->physical(cx, t->m->d.places, t->m->d.role, &law, t->s->x.dev,
                                         t->s->density[0].dev, t->m->d.modulus);
  if (status == IG_OK)
    status = ig_multigrid_update(t->m->solver);
  if (status != IG_OK)
    ig_topopt_problem_close(t);
  return status;
}

static ig_status bench_products(ig_ctx *cx, const ig_bench_sink *sink, const int *n, bool others) {
  ig_topopt_problem t;
  char name[96];
  double s;
  IG_TRY(block_open(cx, n, "jacobi", &t));
  product p = {.m = t.m->solver};
  const size_t count = (size_t)t.m->d.unknowns;
  const double dofs = (double)t.m->d.dofs, nodes = (double)t.m->d.nodes;
  const double elements = (double)t.m->d.elements;
  ig_status status = IG_OK;
  IG_TRY_GOTO(status, done, ig_array_new_device(cx, &p.x, count, 8, "x"));
  IG_TRY_GOTO(status, done, ig_array_new_device(cx, &p.y, count, 8, "y"));
  IG_TRY_GOTO(status, done, ig_array_zero(cx, &p.x));
  IG_TRY_GOTO(status, done, ig_array_zero(cx, &p.y));
  IG_TRY_GOTO(status, done, ig_array_zero(cx, &p.m->pcg.r32));
  IG_TRY_GOTO(status, done, repeat(cx, do_double, &p, &s));
  snprintf(name, sizeof name, "%dx%dx%d double, modes", n[0], n[1], n[2]);
  row(sink, cx, name, elements, s, dofs, 48 * nodes + 8 * elements, "x, y and moduli once");
  IG_TRY_GOTO(status, done, repeat(cx, do_smooth, &p, &s));
  snprintf(name, sizeof name, "%dx%dx%d single, modes, in a smoother", n[0], n[1], n[2]);
  row(sink, cx, name, elements, s, dofs, 60 * nodes + 4 * nodes + 4 * elements,
      "x, b, d, y, d, diagonal and moduli once");
#ifdef INGOT_HAVE_CUDA
  if (others && on_gpu(cx)) {
    IG_TRY_GOTO(status, done, ig_array_from(cx, &p.k, p.m->brick.k, 576, 8, "element matrix"));
    IG_TRY_GOTO(status, done, repeat(cx, do_dbd, &p, &s));
    snprintf(name, sizeof name, "%dx%dx%d double, DoF by DoF", n[0], n[1], n[2]);
    row(sink, cx, name, elements, s, dofs, 48 * nodes + 8 * elements,
        "a plain kernel: one thread per DoF, no cached halo");
    const size_t entries = 81 * 3 * (size_t)t.m->d.nodes;
    IG_TRY_GOTO(status, done, ig_array_new_device(cx, &p.value, entries, 8, "matrix"));
    IG_TRY_GOTO(status, done, ig_array_new_device(cx, &p.column, entries, 4, "columns"));
    IG_TRY_GOTO(status, done,
                ig_grid_cuda_assemble(cx, &p.m->args, p.k.dev, p.value.dev, p.column.dev));
    IG_TRY_GOTO(status, done, repeat(cx, do_assembled, &p, &s));
    snprintf(name, sizeof name, "%dx%dx%d double, assembled", n[0], n[1], n[2]);
    row(sink, cx, name, elements, s, dofs, 12 * (double)entries + 48 * nodes,
        "sparse matrix, 81 entries per row");
  }
#else
  (void)others;
#endif
done:
  ig_array_free(cx, &p.x);
  ig_array_free(cx, &p.y);
  ig_array_free(cx, &p.k);
  ig_array_free(cx, &p.value);
  ig_array_free(cx, &p.column);
  ig_topopt_problem_close(&t);
  return status;
}

static ig_status bench_operator(ig_ctx *cx, const ig_bench_sink *sink) {
  if (cx->smoke)
    return bench_products(cx, sink, (const int[3]){8, 4, 4}, true);
  if (!on_gpu(cx))
    return bench_products(cx, sink, (const int[3]){64, 32, 32}, false);
  IG_TRY(bench_products(cx, sink, (const int[3]){184, 40, 90}, true));
  return bench_products(cx, sink, (const int[3]){256, 256, 256}, false);
}

/* --- a cycle --- */

static ig_status do_cycle(void *arg) {
  product *p = arg;
  const float *z;
  return ig_multigrid_linear(p->m).precondition(p->m, p->m->pcg.r32.dev, &z);
}
static ig_status do_update(void *arg) {
  return ig_multigrid_update(((product *)arg)->m);
}

static ig_status bench_cycle(ig_ctx *cx, const ig_bench_sink *sink) {
  const int n[3] = {ig_bench_size(cx, 256, 64, 16), ig_bench_size(cx, 128, 32, 8),
                    ig_bench_size(cx, 128, 32, 8)};
  ig_topopt_problem t;
  char name[96];
  double s;
  IG_TRY(block_open(cx, n, "multigrid", &t));
  product p = {.m = t.m->solver};
  ig_status status = IG_OK;
  IG_TRY_GOTO(status, done, ig_array_zero(cx, &p.m->pcg.r32));
  IG_TRY_GOTO(status, done, repeat(cx, do_cycle, &p, &s));
  snprintf(name, sizeof name, "%dx%dx%d whole V-cycle", n[0], n[1], n[2]);
  row(sink, cx, name, (double)t.m->d.elements, s, (double)t.m->d.dofs, 0, NULL);
  for (p.depth = 0; p.depth + 1 < p.m->levels; p.depth++) {
    const ig_grid *g = &p.m->level[p.depth].grid;
    const double nodes = (double)ig_grid_nodes(g);
    IG_TRY_GOTO(status, done, repeat(cx, do_smooth, &p, &s));
    snprintf(name, sizeof name, "%dx%dx%d smoothing step, level %d", g->n[0], g->n[1], g->n[2],
             p.depth);
    row(sink, cx, name, (double)ig_grid_elements(g), s, nodes * g->dof,
        nodes * (p.depth ? 504 + 72 : 68), NULL);
  }
  IG_TRY_GOTO(status, done, repeat(cx, do_update, &p, &s));
  snprintf(name, sizeof name, "%dx%dx%d levels rebuilt", n[0], n[1], n[2]);
  row(sink, cx, name, (double)t.m->d.elements, s, (double)t.m->d.dofs, 0, NULL);
done:
  ig_topopt_problem_close(&t);
  return status;
}

/* --- whole design iterations --- */

static ig_status bench_case(ig_ctx *cx, const ig_bench_sink *sink, const char *name,
                            const char *text, int warm, int timed) {
  ig_topopt_problem t;
  IG_TRY(ig_topopt_problem_open(cx, text, &t));
  ig_status status = IG_OK;
  ig_evaluation e = {0};
  int solver = 0, most = 0;
  double change = 1, start = 0;
  for (int it = 1; status == IG_OK && it <= warm + timed; it++) {
    if (it == warm + 1) {
      status = cx->backend->sync(cx);
      memset(t.s->seconds, 0, sizeof t.s->seconds);
      start = ig_now();
    }
    t.s->tolerance =
        t.c.solver.tolerance > 0 ? t.c.solver.tolerance : ig_topopt_design_tolerance(change);
    if (status == IG_OK)
      status = ig_topopt_problem_iterate(&t, it, &e);
    ig_topopt_design_stats st = {0};
    if (status == IG_OK)
      status = t.s->ops->stats(cx, t.m->d.grid, t.m->d.places, t.m->d.role, &(ig_law){0},
                               t.s->x.dev, t.s->trial.dev, &st);
    change = st.change;
    solver += it > warm ? e.iterations : 0;
    most = it > warm && e.iterations > most ? e.iterations : most;
  }
  if (status == IG_OK) {
    const double s = (ig_now() - start) / timed, *part = t.s->seconds;
    char note[200];
    snprintf(note, sizeof note,
             "a design iteration: solve %.2f, sensitivities %.2f, filter %.2f, update %.2f ms; "
             "%.1f solver iterations, %d at most; objective %.5g",
             1e3 * part[0] / timed, 1e3 * part[1] / timed, 1e3 * part[2] / timed,
             1e3 * part[3] / timed, (double)solver / timed, most, e.objective);
    const double work = (double)t.m->d.dofs * solver / timed;
    row(sink, cx, name, (double)t.m->d.elements, s, work, 0, note);
  }
  ig_topopt_problem_close(&t);
  return status;
}

#define TIED(nx, ny, nz, quarter, rest, center_x, center_y, radius, solver)                        \
  "{grid: {elements: [" #nx ", " #ny ", " #nz                                                      \
  "]}, volume: 0.2, void_ratio: 1e-6, filter: {kind: density, radius: 1.5}, supports: [{box: "     \
  "{min: [0, 0, 0], max: [0, " #quarter ", " #nz "]}}, {box: {min: [0, " #rest                     \
  ", 0], max: [0, " #ny ", " #nz "]}}], loads: [{box: {min: [0, 0, 0], max: [" #nx ", " #ny        \
  ", 0]}, cylinder: {from: [" #center_x ", " #center_y ", -1], to: [" #center_x ", " #center_y     \
  ", 1], radius: " #radius "}, force: [0, 0, -1], spread: faces}], optimiser: {move_limit: 0.1, "  \
  "tolerance: 1e-3}, solver: {tolerance: 1e-5" solver "}}"
#define TIED_16(solver) TIED(16, 8, 8, 2, 6, 16.5, 4, 1.7, solver)
#define TIED_32(solver) TIED(32, 16, 16, 4, 12, 32.5, 8, 3.3, solver)
#define TIED_64(solver) TIED(64, 32, 32, 8, 24, 64.5, 16, 6.6, solver)
#define TIED_128(solver) TIED(128, 64, 64, 16, 48, 128.5, 32, 13, solver)
#define TIED_256(solver) TIED(256, 128, 128, 32, 96, 256.5, 64, 25.8, solver)
#define TIED_640(solver) TIED(640, 320, 320, 80, 240, 640.5, 160, 64.2, solver)
static ig_status bench_tied(ig_ctx *cx, const ig_bench_sink *sink) {
  const bool gpu = on_gpu(cx);
  if (cx->smoke)
    return bench_case(cx, sink, "tied cantilever 16x8x8, 1e-5", TIED_16(""), 1, 1);
  IG_TRY(bench_case(cx, sink, "tied cantilever 64x32x32, 1e-5", TIED_64(""), gpu ? 15 : 8,
                    gpu ? 5 : 2));
  if (!gpu)
    return IG_OK;
  IG_TRY(bench_case(cx, sink, "tied cantilever 128x64x64, 1e-5", TIED_128(""), 15, 5));
  return bench_case(cx, sink, "tied cantilever 256x128x128, 1e-5", TIED_256(""), 15, 5);
}

/* late designs of the tied cantilever by every cycle and smoother */
static ig_status bench_cycles(ig_ctx *cx, const ig_bench_sink *sink) {
#define BOTH(solver) TIED_16(", " solver), TIED_64(", " solver), TIED_256(", " solver)
  static const struct {
    const char *name, *smoke, *small, *large;
  } ways[] = {{"K, Chebyshev 1 + 1", BOTH("storage: single")},
              {"K, Chebyshev 1 + 1, half storage", BOTH("storage: half")},
              {"K, Chebyshev 1 + 2, half storage", BOTH("smoothing_steps: 2, storage: half")},
              {"K, damped Jacobi 1 + 1", BOTH("smoother: jacobi, storage: single")},
              {"K, block Jacobi 1 + 1", BOTH("smoother: block_jacobi, storage: single")},
              {"V, Chebyshev 2 + 2",
               BOTH("cycle: v, fine_smoothing_steps: 2, smoothing_steps: 2, storage: single")},
              {"W, Chebyshev 1 + 1", BOTH("cycle: w, storage: single")},
              {"K, one visit", BOTH("coarse_cycles: 1")},
              {"K, two visits", BOTH("coarse_cycles: 2")}};
#undef BOTH
  const bool gpu = on_gpu(cx);
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    char name[96];
    snprintf(name, sizeof name, "%s, %s",
             cx->smoke ? "16x8x8"
             : gpu     ? "256x128x128"
                       : "64x32x32",
             ways[w].name);
    IG_TRY(bench_case(cx, sink, name,
                      cx->smoke ? ways[w].smoke
                      : gpu     ? ways[w].large
                                : ways[w].small,
                      ig_bench_size(cx, 14, 11, 1), ig_bench_size(cx, 4, 2, 1)));
  }
  return IG_OK;
}

/* Iterations of the three problems on growing grids, contrast 1e9, over all designs. */
#define STIFFNESS                                                                                  \
  "{grid: {elements: [%d, %d, %d]}, volume: 0.2, void_ratio: 1e-9, filter: {kind: density, "       \
  "radius: 1.5}, supports: [{box: {max: [0, 1e9, 1e9]}}], loads: [{box: {min: [%d, 0, 0], max: "   \
  "[1e9, 1e9, 0]}, force: [0, 0, -1]}], optimiser: {move_limit: 0.1}, solver: {tolerance: 1e-5}}"
#define MECHANISM                                                                                  \
  "{problem: mechanism, grid: {elements: [%d, %d, %d]}, symmetry: [y-, z-], volume: 0.15, "        \
  "void_ratio: 1e-9, filter: {kind: density, radius: 1.5}, supports: [{box: {min: [0, %d, 0], "    \
  "max: [0, 1e9, 1e9]}}], loads: [{box: {max: [0, 2, 2]}, force: [1, 0, 0]}], springs: [{box: "    \
  "{max: [0, 2, 2]}, stiffness: [0.1, 0, 0]}, {box: {min: [%d, 0, 0], max: [1e9, 2, 2]}, "         \
  "stiffness: [0.1, 0, 0]}], ports: [{box: {min: [%d, 0, 0], max: [1e9, 2, 2]}, direction: [-1, "  \
  "0, 0]}], optimiser: {method: mma, move_limit: 0.1}, solver: {tolerance: 1e-5}}"
#define HEAT                                                                                       \
  "{problem: heat, grid: {elements: [%d, %d, %d]}, volume: 0.2, source: 1, void_ratio: 1e-9, "     \
  "filter: {kind: density, radius: 1.5}, supports: [{box: {max: [0, %d, 1e9]}}], optimiser: "      \
  "{move_limit: 0.1}, solver: {tolerance: 1e-5}}"

static ig_status bench_iterations(ig_ctx *cx, const ig_bench_sink *sink) {
  for (int problem = 0; problem < 3; problem++)
    for (int n = ig_bench_size(cx, 64, 32, 16); n <= ig_bench_size(cx, 256, 64, 16); n *= 2) {
      static const char *const what[] = {"stiffness", "mechanism, two solves", "heat"};
      char text[1000], name[96];
      const int half = n / 2;
      if (problem == 0)
        snprintf(text, sizeof text, STIFFNESS, n, half, half, n);
      else if (problem == 1)
        snprintf(text, sizeof text, MECHANISM, n, half, half, half - 2, n, n);
      else
        snprintf(text, sizeof text, HEAT, n, half, half, n / 8);
      snprintf(name, sizeof name, "%dx%dx%d %s, contrast 1e9", n, half, half, what[problem]);
      IG_TRY(bench_case(cx, sink, name, text, ig_bench_size(cx, 20, 5, 1),
                        ig_bench_size(cx, 80, 15, 1)));
    }
  return IG_OK;
}

/* CPU time of a late design iteration on one core against codes that others wrote, as recorded on a
   shared Arm Neoverse V1 core with this problem and tolerance: 4.6 s each */
static ig_status bench_peers(ig_ctx *cx, const ig_bench_sink *sink) {
  const int late = ig_bench_size(cx, 14, 14, 1), timed = ig_bench_size(cx, 3, 3, 1);
  const double recorded = 4.6;
  if (on_gpu(cx)) {
    ig_warn(cx, "left out: this benchmark is for a CPU");
    return IG_OK;
  }
  ig_topopt_problem t;
  const int threads = cx->threads;
  cx->threads = 1;
  ig_status status = ig_topopt_problem_open(cx, cx->smoke ? TIED_16("") : TIED_64(""), &t);
  if (status == IG_OK) {
    clock_t start = 0;
    int solver = 0;
    ig_evaluation e = {0};
    for (int it = 1; status == IG_OK && it <= late + timed; it++) {
      start = it == late + 1 ? clock() : start;
      status = ig_topopt_problem_iterate(&t, it, &e);
      solver += it > late ? e.iterations : 0;
    }
    const double s = (double)(clock() - start) / CLOCKS_PER_SEC / timed;
    char note[160];
    snprintf(note, sizeof note,
             "CPU time, %.1f solver iterations; TopOpt-in-OpenMP and TopOpt_in_PETSc: %.1f s "
             "recorded, %.1f times as long",
             (double)solver / timed, recorded, recorded / s);
    row(sink, cx, "tied cantilever 64x32x32, 1e-5, one core", (double)t.m->d.elements, s,
        (double)t.m->d.dofs * solver / timed, 0, note);
    ig_topopt_problem_close(&t);
  }
  cx->threads = threads;
  return status;
}

static ig_status gpu_only(ig_ctx *cx) {
  ig_warn(cx, "left out: this benchmark is for a GPU");
  return IG_OK;
}

/* The L-bracket in space within a stress, as stiff as possible: its adjoint is a second solve. */
#define STRESS(n, third, left, tip, edge, middle, deep)                                            \
  "{grid: {elements: [" #n ", " #n ", " #deep "]}, sets: [{name: tip, box: {min: [" #tip           \
  ", " #middle ", 0], max: [" #n ", " #third ", " #deep "]}}], supports: [{box: {min: [0, " #n     \
  ", 0], max: [" #third ", " #n ", " #deep "]}}], loads: [{box: {min: [" #edge ", " #third         \
  ", 0], max: [" #n ", " #third ", " #deep                                                         \
  "]}, force: [0, -1, 0]}], passive: [{box: {min: [" #third ", " #third                            \
  ", 0]}, as: void}], volume: 0.35, constraints: [{stress: " #left                                 \
  "}], stress: {exclude: [tip]}, void_ratio: 1e-6, filter: {kind: density, radius: 2.5}, "         \
  "optimiser: {move_limit: 0.1}}"

static ig_status bench_stress(ig_ctx *cx, const ig_bench_sink *sink) {
  if (!on_gpu(cx) || cx->smoke)
    return bench_case(cx, sink, "L-bracket 40x40x10 within a stress",
                      STRESS(40, 16, 0.05, 36, 38, 12, 10), ig_bench_size(cx, 2, 2, 0),
                      ig_bench_size(cx, 4, 4, 1));
  return bench_case(cx, sink, "L-bracket 160x160x40 within a stress",
                    STRESS(160, 64, 0.012, 144, 152, 48, 40), 5, 35);
}

/* Coarse to fine, everything counted from the case on: until no more than a thousandth is gained in
   five designs together. */
static ig_status bench_sequence_of(ig_ctx *cx, const ig_bench_sink *sink, const char *name,
                                   const char *text) {
  enum { MOST = 200, LAST = 5 };
  const int most = ig_bench_size(cx, MOST, MOST, 2);
  ig_topopt_problem t;
  const double start = ig_now();
  IG_TRY(ig_topopt_problem_open(cx, text, &t));
  ig_job job = {.cx = cx, .room_case = &t.c};
  ig_topopt_run r = {.job = &job, .d = t.d, .s = t.s, .evaluated = -1, .change = 1};
  ig_evaluation e = {0};
  double before[MOST];
  int designs = 0, solver = 0;
  bool settled = false;
  ig_status status = ig_topopt_begin(&r);
  const double coarse = ig_now() - start;
  while (status == IG_OK && designs < most && !settled) {
    ig_topopt_design_stats st = {0};
    t.s->tolerance = ig_topopt_design_tolerance(r.change);
    status = ig_topopt_problem_iterate(&t, (int)ig_topopt_ramp_at(&t.c, 1000000), &e);
    if (status == IG_OK)
      status = t.s->ops->stats(cx, t.d->grid, t.d->places, t.d->role, &(ig_law){0}, t.s->x.dev,
                               t.s->trial.dev, &st);
    r.change = st.change;
    solver += e.iterations;
    before[designs++] = e.objective;
    settled = designs > LAST && before[designs - 1 - LAST] / e.objective - 1 < 1e-3;
  }
  const double s = ig_now() - start;
  if (status == IG_OK) {
    char note[200];
    snprintf(note, sizeof note,
             "whole: coarser grids %.2f s, then %d designs, %.1f solver iterations each; objective "
             "%.5g, last change of a density %.3f",
             coarse, designs, (double)solver / designs, e.objective, r.change);
    row(sink, cx, name, (double)t.d->elements, s, (double)t.d->dofs * solver, 0, note);
  }
  ig_topopt_problem_close(&t);
  return status;
}

static ig_status bench_sequence(ig_ctx *cx, const ig_bench_sink *sink) {
  if (cx->smoke)
    return bench_sequence_of(cx, sink, "tied cantilever 32x16x16, coarse to fine",
                             TIED_32("}, sequence: {grids: 1, iterations: 2"));
  if (!on_gpu(cx))
    return bench_sequence_of(cx, sink, "tied cantilever 64x32x32, coarse to fine",
                             TIED_64("}, sequence: {grids: 2, iterations: 40"));
  IG_TRY(bench_sequence_of(cx, sink, "tied cantilever 256x128x128, 4 coarser grids",
                           TIED_256("}, sequence: {grids: 4, iterations: 40")));
  IG_TRY(bench_sequence_of(cx, sink, "tied cantilever 256x128x128, 2 coarser grids",
                           TIED_256("}, sequence: {grids: 2, iterations: 40")));
  return bench_sequence_of(cx, sink, "tied cantilever 256x128x128, no coarser grid",
                           TIED_256("}, sequence: {grids: 0"));
}

static ig_status bench_large(ig_ctx *cx, const ig_bench_sink *sink) {
  if (cx->smoke)
    return bench_case(cx, sink, "tied cantilever 16x8x8, 1e-5", TIED_16(""), 0, 1);
  if (!on_gpu(cx))
    return gpu_only(cx);
  IG_TRY(bench_case(cx, sink, "tied cantilever 640x320x320, 1e-5: 65 million elements",
                    TIED_640(""), 2, 3));
  return bench_case(cx, sink, "tied cantilever 816x408x408, 1e-5: 136 million elements",
                    TIED(816, 408, 408, 102, 306, 816.5, 204, 81.8, ""), 1, 1);
}

static ig_status bench_hundred(ig_ctx *cx, const ig_bench_sink *sink) {
  if (cx->smoke)
    return bench_case(cx, sink, "tied cantilever 16x8x8, 1e-5: mean of 2", TIED_16(""), 0, 2);
  if (!on_gpu(cx))
    return gpu_only(cx);
  return bench_case(cx, sink, "tied cantilever 640x320x320, 1e-5: mean of 100", TIED_640(""), 0,
                    100);
}

/* Large deflections without a matrix: a cantilever of elements [24, 12, 7] times a number whose
   first design bends by a fifth of its length. A product with the tangent, then Newton's method in
   the last of a few designs. */
typedef struct {
  ig_topopt_problem t;
  ig_array v, y;
} tangent_product;

static ig_status do_tangent(void *arg) {
  const tangent_product *p = arg;
  return ig_topopt_large_items_product(p->t.s, p->t.s->large->items->now.dev, p->v.dev, p->y.dev);
}

static ig_status bench_deflections_of(ig_ctx *cx, const ig_bench_sink *sink, int times,
                                      int designs) {
  char text[700], name[96], note[200];
  tangent_product p = {0};
  ig_evaluation e = {0};
  double seconds;
  snprintf(text, sizeof text,
           "{analysis: {large_deflections: true, linear_solver: matrix_free}, grid: {elements: "
           "[%d, %d, %d], size: [24, 12, 7]}, volume: 0.5, void_ratio: 1e-6, filter: {kind: "
           "density, radius: %g}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: [24, "
           "0, 0]}, force: [0, -0.06, 0]}], optimiser: {method: mma, move_limit: 0.2}}",
           24 * times, 12 * times, 7 * times, 1.5 / times);
  IG_TRY(ig_topopt_problem_open(cx, text, &p.t));
  ig_topopt_design *s = p.t.s;
  const size_t nu = (size_t)p.t.d->unknowns;
  ig_status status = IG_OK;
  for (int i = 1; status == IG_OK && i <= designs; i++) {
    memset(s->seconds, 0, sizeof s->seconds);
    status = ig_topopt_problem_iterate(&p.t, i, &e);
  }
  const ig_topopt_large *g = s->large;
  snprintf(name, sizeof name, "cantilever %dx%dx%d", 24 * times, 12 * times, 7 * times);
  if (status == IG_OK) {
    seconds = s->seconds[IG_STAGE_SOLVE] / (double)g->iterations;
    snprintf(note, sizeof note,
             "an iteration of Newton's method, design %d: %.1f of conjugate gradients each, %d "
             "iterations in %d load steps; sensitivities %.2f s; objective %.6g",
             designs, (double)g->products / (double)g->iterations, (int)g->iterations,
             (int)g->steps, s->seconds[IG_STAGE_SENSITIVITY], e.objective);
    row(sink, cx, name, (double)p.t.d->elements, seconds,
        (double)p.t.d->dofs * (double)g->products / (double)g->iterations, 0, note);
    status = ig_array_new_device(cx, &p.v, nu, sizeof(double), "direction");
  }
  if (status == IG_OK)
    status = ig_array_new_device(cx, &p.y, nu, sizeof(double), "product");
  if (status == IG_OK)
    status = ig_array_zero(cx, &p.v);
  if (status == IG_OK)
    status = repeat(cx, do_tangent, &p, &seconds);
  if (status == IG_OK) {
    snprintf(name, sizeof name, "cantilever %dx%dx%d, product", 24 * times, 12 * times, 7 * times);
    /* two states in, one out, slots there and back */
    row(sink, cx, name, (double)p.t.d->elements, seconds, (double)p.t.d->dofs,
        8 * (3 * (double)p.t.d->dofs + 2 * 24 * (double)p.t.d->elements),
        "a product with the tangent, in double, from displacements");
  }
  ig_array_free(cx, &p.v);
  ig_array_free(cx, &p.y);
  ig_topopt_problem_close(&p.t);
  return status;
}

static ig_status bench_deflections(ig_ctx *cx, const ig_bench_sink *sink) {
  if (cx->smoke)
    return bench_deflections_of(cx, sink, 1, 1);
  IG_TRY(bench_deflections_of(cx, sink, ig_bench_size(cx, 4, 1, 1), 4));
  return bench_deflections_of(cx, sink, ig_bench_size(cx, 8, 2, 1), 4);
}

const ig_bench_entry ig_topopt_bench[] = {
    {"operator", "product of the stiffness matrix with a vector, and what others do",
     bench_operator},
    {"cycle", "a multigrid cycle, level by level", bench_cycle},
    {"tied", "design iterations of the tied cantilever of the DTU codes", bench_tied},
    {"cycles", "design iterations of the tied cantilever by every cycle and smoother",
     bench_cycles},
    {"iterations", "solver iterations of stiffness, mechanism and heat on growing grids",
     bench_iterations},
    {"peers", "a design iteration on one core against codes of others", bench_peers},
    {"multigrid",
     "whole runs of bridge, gripper and heat sink beside an assembled matrix on one thread",
     ig_topopt_bench_multigrid},
    {"jacobi", "the same by the inverse diagonal", ig_topopt_bench_jacobi},
    {"ranks",
     "designs of the gripper, its two linear systems shared by ranks, or its grid divided; grid "
     "and mesh of a million",
     ig_topopt_bench_ranks},
    {"blocks", "the published product by blocks of threads of several shapes",
     ig_topopt_bench_blocks},
    {"stress", "design iterations within a bound on the stress", bench_stress},
    {"sequence", "whole runs from coarse to fine", bench_sequence},
    {"thesis", "solvers on hexahedral meshes: GPU over one CPU thread, share of the product",
     ig_topopt_bench_thesis},
    {"tets", "element-by-element products on tetrahedral meshes", ig_topopt_bench_tets},
    {"assembly", "products on meshes by atomic, color, gather and cluster",
     ig_topopt_bench_assembly},
    {"large", "design iterations with 65 and 136 million elements", bench_large},
    {"deflections",
     "large deflections without a matrix: an iteration of Newton's method, a product with the "
     "tangent, up to a million hexahedra",
     bench_deflections},
    {"hundred", "100 design iterations with 65 million elements: minutes", bench_hundred},
    {"ebe", "element-by-element products on hexahedral meshes: every operator, time and memory",
     ig_topopt_bench_ebe},
    {.name = NULL}};
