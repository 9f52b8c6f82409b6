/* `ingot bench topopt/multigrid`, `topopt/jacobi`, `topopt/ranks`, `topopt/blocks`: the tables of
   Martinez-Frutos et al. (2017). Whole runs, every design, of bridge, gripper and heat sink; beside
   each the same work on one thread of this machine's CPU, by an assembled matrix (the paper's CPU
   code) and by our own operator. That would take hours: its parts are timed one by one and
   multiplied by how often the run needed them. */
#include "bench/topopt/bench_paper.h"
#include "bench/topopt/bench_ranks.h"
#include "backend/backend.h"
#include "bench/common/crew.h"
#include "bench/topopt/bench_sparse.h"
#include "verify/topopt/problem.h"
#include "material/material.h"
#ifdef INGOT_HAVE_CUDA
#include "solver/grid/grid_cuda.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOLVE, SENSITIVITIES, FILTER, UPDATE, STAGES };

/* Sizes are in metres whatever the elements: a CPU takes a grid half as fine. */
typedef struct {
  const char *name;
  int n[3];
  const char *size, *body;
  double k40[2], cpu[2];           /* the paper's seconds in the solver: Jacobi, multigrid */
  double k40_rest[3], cpu_rest[3]; /* sensitivities, filter, update */
  double poisson;                  /* 0: conduction */
} example;

#define RAMPS                                                                                      \
  "penalty_ramp: {initial_value: 1, hold: 20, factor: 1.02}, optimiser: {gray_exponent: 3, "       \
  "gray_ramp: {initial_value: 1, "                                                                 \
  "hold: 15, factor: 1.01}"
static const example examples[] = {
    {"bridge",
     {184, 40, 90},
     "[184, 40, 90]",
     "symmetry: [x+], supports: [{box: {min: [60, 0, 0], max: [60, 40, 0]}}, {box: {min: [60, 0, "
     "30], max: [60, 40, 30]}, fix: z}], loads: [{box: {min: [0, 0, 32], max: [184, 40, 32]}, "
     "force: [0, 0, -1]}], passive: [{box: {min: [0, 0, 30], max: [184, 40, 32]}, as: solid}, "
     "{box: {min: [0, 4, 32], max: [184, 36, 38]}, as: void}], volume: 0.15, void_ratio: 1e-6, "
     "filter: {kind: sensitivity, radius: 3}, " RAMPS "}",
     {3509.48, 1256.81},
     {69991.92, 5104.26},
     {6.75, 2.76, 193.59},
     {84.69, 316.11, 331.65},
     0.31},
    {"gripper",
     {160, 40, 80},
     "[160, 40, 80]",
     "problem: mechanism, symmetry: [z-], supports: [{box: {min: [0, 0, 80], max: [0, 40, 80]}}], "
     "loads: [{box: {min: [0, 16, 0], max: [0, 24, 4]}, force: [1, 0, 0]}], springs: [{box: {min: "
     "[0, 16, 0], max: [0, 24, 4]}, stiffness: [0.17, 0, 0]}, {box: {min: [156, 16, 20], max: "
     "[160, 24, 20]}, stiffness: [0, 0, 0.33]}], ports: [{box: {min: [156, 16, 20], max: [160, "
     "24, 20]}, direction: [0, 0, -1]}], passive: [{box: {min: [120, 0, 0], max: [160, 40, 20]}, "
     "as: void}, {box: {min: [150, 12, 20], max: [160, 28, 22]}, as: solid}], volume: 0.1, "
     "void_ratio: 3.3333e-4, filter: {kind: sensitivity, radius: 4}, " RAMPS
     ", move_limit_kind: relative, move_limit: 0.1, damping: 0.3}",
     {16528.05, 2243.24},
     {320039.48, 9704.29},
     {15.46, 7.69, 95.10},
     {146.92, 754.21, 308.24},
     0.4},
    {"heat sink",
     {128, 64, 256},
     "[128, 64, 256]",
     "problem: heat, symmetry: [x-, y-], source: 1, supports: [{box: {min: [0, 0, 256], max: [16, "
     "16, 256]}}], volume: 0.3, void_ratio: 1e-3, filter: {kind: sensitivity, radius: 5}, " RAMPS
     "}",
     {1172.15, 1113.96},
     {26396.97, 3006.49},
     {17.34, 176.85, 719.47},
     {58.76, 28699.76, 1435.07},
     0}};
enum { EXAMPLES = sizeof examples / sizeof *examples, TEXT = 1600 };

static void case_text(const example *e, int coarser, bool multigrid, char *text) {
  snprintf(text, TEXT,
           "{grid: {elements: [%d, %d, %d], size: %s}, %s, solver: {tolerance: 1e-8, "
           "preconditioner: %s}, iterations: 150}",
           e->n[0] / coarser, e->n[1] / coarser, e->n[2] / coarser, e->size, e->body,
           multigrid ? "multigrid" : "jacobi");
}

/* Of the paper's material, with a modulus of 1. */
static ig_status example_open(ig_ctx *cx, const example *e, const char *text,
                              ig_topopt_problem *t) {
  ig_material_case solid = {.name = "solid", .young = 1, .poisson = e->poisson};
  const ig_list materials = {1, &solid};
  return ig_topopt_problem_open_with(cx, text, e->poisson > 0 ? &materials : NULL, NULL, IG_GATHER,
                                     t);
}

/* What a run took. */
typedef struct {
  int designs, solver; /* iterations */
  double seconds[STAGES], total, objective, elements, dofs, memory;
} tally;

static ig_status run_whole(ig_ctx *cx, const example *of, const char *text, int most, tally *y) {
  ig_topopt_problem t;
  ig_evaluation e = {0};
  bool arrived = false;
  *y = (tally){0};
  IG_TRY(example_open(cx, of, text, &t));
  ig_status status = cx->backend->sync(cx);
  const double start = ig_now();
  while (status == IG_OK && y->designs < most && !arrived) {
    ig_topopt_design_stats st = {0};
    status = ig_topopt_problem_iterate(&t, ++y->designs, &e);
    if (status == IG_OK)
      status = t.s->ops->stats(cx, t.d->grid, t.d->places, t.d->role, &(ig_law){0}, t.s->x.dev,
                               t.s->trial.dev, &st);
    arrived = st.change <= t.c.change && ig_topopt_design_ramped(&t.c, &e);
    y->solver += e.iterations;
  }
  y->total = ig_now() - start;
  y->objective = e.objective;
  y->elements = (double)t.d->elements;
  y->dofs = (double)t.d->dofs;
  y->memory = (double)cx->device_bytes;
  memcpy(y->seconds, t.s->seconds, sizeof y->seconds);
  ig_topopt_problem_close(&t);
  return status;
}

static void put(const ig_bench_sink *sink, const char *name, const tally *y, const char *note) {
  const ig_bench_row r = {.name = name,
                          .elements = y->elements,
                          .steps = y->designs,
                          .seconds = y->total,
                          .rate = y->dofs * y->solver / y->total,
                          .rate_unit = "DOF-iterations",
                          .memory = y->memory,
                          .note = note};
  sink->row(sink->user, &r);
}

/* --- the reference --- */

/* Seconds of one thread: an assembly; a product by the matrix and by modes; an iteration by the
   inverse diagonal; a cycle, a smoothing step of its finest level; the other stages of a design. */
typedef struct {
  double assembly, assembled, modes, jacobi, cycle, sweep, stage[STAGES];
  int sample; /* solver iterations of the design that `stage` is of */
} parts;

/* The product must be that of the operator: 1e-12 of the largest value. */
static ig_status check_product(ig_ctx *one, ig_multigrid *m, const ig_sparse *a, double *x,
                               double *y, double *rows, parts *p) {
  double worst = 0, largest = 0;
  double *image = rows + a->rows;
  for (int64_t i = 0; i < a->rows; i++)
    rows[i] = sin(1.7 * (double)i);
  ig_sparse_move(m, true, x, rows);
  for (int64_t q = 0; q < m->args.stored * m->args.dof; q++) /* what is held stays */
    if (m->args.fix[q % m->args.stored] >> q / m->args.stored & 1)
      x[q] = 0;
  ig_sparse_move(m, false, x, rows);
  double start = ig_now();
  for (int i = 0; i < 3; i++)
    IG_TRY(m->ops->apply(one, &m->args, x, y, NULL));
  p->modes = (ig_now() - start) / 3;
  start = ig_now();
  for (int i = 0; i < 3; i++)
    ig_sparse_apply(a, rows, image);
  p->assembled = (ig_now() - start) / 3;
  ig_sparse_move(m, false, y, rows);
  for (int64_t i = 0; i < a->rows; i++) {
    largest = fmax(largest, fabs(rows[i]));
    worst = fmax(worst, fabs(rows[i] - image[i]));
  }
  if (!(worst <= 1e-12 * largest))
    return IG_FAIL(one, IG_NUMERIC, "the assembled matrix is another one: %g of %g", worst,
                   largest);
  return IG_OK;
}

static ig_status time_cycle(ig_multigrid *m, parts *p) {
  const float *z;
  ig_level *l = &m->level[0];
  IG_TRY(ig_array_zero(m->cx, &m->pcg.r32));
  for (int round = 0; round < 2; round++) { /* the first makes pages warm */
    double start = ig_now();
    IG_TRY(ig_multigrid_linear(m).precondition(m, m->pcg.r32.dev, &z));
    p->cycle = ig_now() - start;
    start = ig_now();
    IG_TRY(m->ops->sweep(m->cx, l, IG_SWEEP_SMOOTH, m->pcg.r32.dev, l->x, l->d, 0.1f, 0.1f, l->y));
    p->sweep = ig_now() - start;
  }
  return IG_OK;
}

static ig_status time_parts(ig_ctx *one, const example *of, const char *text, parts *p) {
  enum { SAMPLE = 5 };
  ig_topopt_problem t;
  ig_evaluation e = {0};
  ig_sparse a = {0};
  double *rows = NULL;
  ig_status status;
  int iterations;
  IG_TRY(example_open(one, of, text, &t));
  ig_multigrid *m = t.m->solver;
  t.s->tolerance = 0.5; /* for the other stages any state will do */
  IG_TRY_GOTO(status, done, ig_topopt_problem_iterate(&t, 1, &e)); /* makes pages warm */
  memcpy(p->stage, t.s->seconds, sizeof p->stage);
  IG_TRY_GOTO(status, done, ig_topopt_problem_iterate(&t, 2, &e));
  for (int i = 0; i < STAGES; i++)
    p->stage[i] = t.s->seconds[i] - p->stage[i];
  p->sample = e.iterations;
  double start = ig_now();
  IG_TRY_GOTO(status, done, ig_sparse_assemble(m, &a));
  p->assembly = ig_now() - start;
  IG_TRY_GOTO(status, done, IG_NEW(one, &rows, 2 * a.rows, "vectors"));
  IG_TRY_GOTO(status, done, time_cycle(m, p));
  IG_TRY_GOTO(status, done, check_product(one, m, &a, t.s->u[0][0].dev, m->pcg.r.dev, rows, p));
  for (int64_t i = 0; i < a.rows; i++) {
    rows[i] = 1;
    rows[a.rows + i] = 0;
  }
  start = ig_now();
  IG_TRY_GOTO(status, done, ig_sparse_solve(one, &a, rows, rows + a.rows, 0, SAMPLE, &iterations));
  p->jacobi = (ig_now() - start) / (SAMPLE + 1); /* one product before the first */
done:
  free(rows);
  ig_sparse_free(&a);
  ig_topopt_problem_close(&t);
  return status;
}

/* The run on one thread by an assembled matrix: a cycle has two of its products on the finest level
   where ours has two smoothing steps. */
static tally compose(const parts *p, bool multigrid, const tally *ours) {
  tally y = *ours;
  double iteration = p->jacobi;
  if (multigrid)
    iteration += p->cycle + 2 * (p->assembled - p->sweep);
  y.seconds[SOLVE] = y.designs * p->assembly + y.solver * iteration;
  for (int s = SENSITIVITIES; s < STAGES; s++)
    y.seconds[s] = y.designs * p->stage[s];
  y.total = 0;
  for (int s = 0; s < STAGES; s++)
    y.total += y.seconds[s];
  return y;
}

/* The same on one thread by our own operator: what a design took in the sample beyond its
   iterations is assembly of the coarse levels. */
static tally compose_own(const parts *p, bool multigrid, const tally *ours) {
  tally y = compose(p, multigrid, ours);
  const double vectors = p->jacobi - p->assembled;
  const double iteration = p->modes + vectors + (multigrid ? p->cycle : 0);
  const double before = fmax(0, p->stage[SOLVE] - p->sample * (p->modes + vectors + p->cycle));
  y.total -= y.seconds[SOLVE];
  y.seconds[SOLVE] = (multigrid ? y.designs * before : 0) + y.solver * iteration;
  y.total += y.seconds[SOLVE];
  return y;
}

static ig_status bench_example(ig_ctx *cx, ig_ctx *one, const ig_bench_sink *sink, const example *e,
                               bool multigrid) {
  const int coarser = ig_bench_size(cx, 1, 2, 8);
  char text[TEXT], name[96], note[400];
  tally y;
  parts p;
  case_text(e, coarser, multigrid, text);
  IG_TRY(run_whole(cx, e, text, ig_bench_size(cx, 150, 2, 1), &y));
  const double *s = y.seconds, all = s[0] + s[1] + s[2] + s[3];
  snprintf(name, sizeof name, "%s, %s: %d designs", e->name, multigrid ? "multigrid" : "Jacobi",
           y.designs);
  snprintf(note, sizeof note,
           "1e-8, %d solver iterations, objective %.6g; solver %.3g s (%.1f %%), sensitivities "
           "%.3g (%.1f), filter %.3g (%.1f), update %.3g (%.1f); the paper, Tesla K40: %.0f, %.1f, "
           "%.1f, %.0f s",
           y.solver, y.objective, s[0], 100 * s[0] / all, s[1], 100 * s[1] / all, s[2],
           100 * s[2] / all, s[3], 100 * s[3] / all, e->k40[multigrid], e->k40_rest[0],
           e->k40_rest[1], e->k40_rest[2]);
  put(sink, name, &y, note);
  case_text(e, coarser, true, text);
  if (time_parts(one, e, text, &p) != IG_OK)
    return IG_FAIL(cx, IG_NUMERIC, "%s", ig_ctx_message(one));
  const tally r = compose(&p, multigrid, &y);
  snprintf(name, sizeof name, "%s, %s: assembled, one thread", e->name,
           multigrid ? "multigrid" : "Jacobi");
  snprintf(note, sizeof note,
           "composed of timed parts: assembly %.3g s, product %.3g s (by modes %.3g); solver %.4g "
           "s, sensitivities %.3g, filter %.3g, update %.3g; over the run above %.0f, %.0f, %.0f, "
           "%.0f times; in the paper %.1f, %.0f, %.0f, %.1f",
           p.assembly, p.assembled, p.modes, r.seconds[0], r.seconds[1], r.seconds[2], r.seconds[3],
           r.seconds[0] / s[0], r.seconds[1] / s[1], r.seconds[2] / s[2], r.seconds[3] / s[3],
           e->cpu[multigrid] / e->k40[multigrid], e->cpu_rest[0] / e->k40_rest[0],
           e->cpu_rest[1] / e->k40_rest[1], e->cpu_rest[2] / e->k40_rest[2]);
  put(sink, name, &r, note);
  const tally own = compose_own(&p, multigrid, &y);
  snprintf(name, sizeof name, "%s, %s: our own, one thread", e->name,
           multigrid ? "multigrid" : "Jacobi");
  snprintf(note, sizeof note,
           "composed of timed parts: product %.3g s, cycle %.3g s; solver %.4g s; over the first "
           "row %.0f times, all stages %.0f times",
           p.modes, p.cycle, own.seconds[0], own.seconds[0] / s[0], own.total / all);
  put(sink, name, &own, note);
  return IG_OK;
}

static ig_status bench_examples(ig_ctx *cx, const ig_bench_sink *sink, bool multigrid) {
  ig_ctx *one;
  if (ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1}, &one) != IG_OK)
    return IG_FAIL(cx, IG_UNSUPPORTED, "no CPU backend to compare with");
  one->smoke = cx->smoke;
  ig_status status = IG_OK;
  for (int i = ig_bench_size(cx, 0, 0, EXAMPLES - 1); i < EXAMPLES && status == IG_OK; i++)
    status = bench_example(cx, one, sink, &examples[i], multigrid);
  ig_ctx_close(one);
  return status;
}

ig_status ig_topopt_bench_multigrid(ig_ctx *cx, const ig_bench_sink *sink) {
  return bench_examples(cx, sink, true);
}
ig_status ig_topopt_bench_jacobi(ig_ctx *cx, const ig_bench_sink *sink) {
  return bench_examples(cx, sink, false);
}

/* --- two GPUs: direct and adjoint system by one rank each --- */

/* Designs of the gripper, which has two systems; `how`: what the ranks do with it. */
static ig_status gripper_work(ig_ctx *cx, const char *how, int steps, double *seconds) {
  const example *e = &examples[1];
  char text[TEXT], more[TEXT + 32];
  ig_topopt_problem t;
  ig_evaluation now = {0};
  case_text(e, ig_bench_size(cx, 1, 4, 4), true, text);
  snprintf(more, sizeof more, "{ranks: %s, %s", how, text + 1);
  IG_TRY(ig_ranks_agree(cx, example_open(cx, e, more, &t)));
  ig_status status = ig_topopt_problem_iterate(&t, 1, &now); /* makes buffers and pages warm */
  status = ig_ranks_agree(cx, status);
  const double start = ig_now();
  for (int i = 0; i < steps && status == IG_OK; i++)
    status = ig_topopt_problem_iterate(&t, i + 2, &now);
  status = ig_ranks_agree(cx, status);
  *seconds = ig_now() - start;
  ig_topopt_problem_close(&t);
  return status;
}
static ig_status share_work(ig_ctx *cx, int steps, double *seconds) {
  return gripper_work(cx, "share", steps, seconds);
}
static ig_status divide_work(ig_ctx *cx, int steps, double *seconds) {
  return gripper_work(cx, "divide", steps, seconds);
}

ig_status ig_topopt_bench_ranks(ig_ctx *cx, const ig_bench_sink *sink) {
  const int c = ig_bench_size(cx, 1, 4, 4), *n = examples[1].n;
  const int designs = ig_bench_size(cx, 20, 4, 1);
  const double elements = (double)(n[0] / c) * (n[1] / c) * (n[2] / c);
  IG_TRY(ig_crew_bench(cx, sink, "gripper, systems shared", elements, designs, share_work));
  IG_TRY(ig_crew_bench(cx, sink, "gripper, grid divided", elements, designs, divide_work));
  return ig_topopt_bench_divided(cx, sink);
}

/* --- Table 2 --- */

#ifdef INGOT_HAVE_CUDA
static bool on_gpu(const ig_ctx *cx) {
  return cx->backend->kernels == IG_KERNELS_CUDA;
}

static const struct {
  int block[3];
  double k40; /* ms */
} shapes[] = {{{111, 3, 3}, 17.2}, {{63, 4, 4}, 18.0}, {{39, 5, 5}, 18.7}, {{24, 7, 6}, 21.6},
              {{21, 7, 6}, 22.1},  {{21, 6, 6}, 25.0}, {{18, 6, 6}, 25.1}};

static ig_status time_shape(ig_ctx *cx, const ig_bench_sink *sink, const ig_topopt_problem *t,
                            int shape, const double *modulus, const double *x, double *y) {
  enum { PRODUCTS = 50 };
  const int *n = t->m->grid.n, *b = shapes[shape].block;
  char name[96], note[200];
  int grid[3], bytes;
  double start = 0;
  for (int i = 0; i <= PRODUCTS; i++) {
    if (i == 1) { /* the first is not counted */
      IG_TRY(cx->backend->sync(cx));
      start = ig_now();
    }
    IG_TRY(ig_grid_cuda_paper(cx, n, b, modulus, x, y, grid, &bytes));
  }
  IG_TRY(cx->backend->sync(cx));
  const double s = (ig_now() - start) / PRODUCTS, nodes = (double)t->d->nodes;
  snprintf(name, sizeof name, "the paper's product, blocks of %d x %d x %d", b[0], b[1], b[2]);
  snprintf(note, sizeof note,
           "grid %d x %d x %d, %d bytes of shared memory, %d threads; Tesla K40: %.1f ms", grid[0],
           grid[1], grid[2], bytes, b[0] * b[1] * b[2], shapes[shape].k40);
  const ig_bench_row r = {.name = name,
                          .elements = (double)t->d->elements,
                          .steps = 1,
                          .seconds = s,
                          .rate = (double)t->d->dofs / s,
                          .rate_unit = "DOF-products",
                          .bytes = 48 * nodes + 8 * (double)t->d->elements,
                          .memory = (double)cx->device_bytes,
                          .note = note};
  sink->row(sink->user, &r);
  return IG_OK;
}

/* Whether the kernel above gives what the operator gives: 1e-12 of the largest. */
static ig_status check_blocks(ig_ctx *cx, const ig_topopt_problem *t, ig_array *x, ig_array *y,
                              ig_array *modulus) {
  ig_multigrid *m = t->m->solver;
  const ig_grid *g = &t->m->grid;
  ig_array u = {0}, au = {0};
  ig_status status;
  double worst = 0, largest = 0;
  const size_t nu = (size_t)(3 * g->stored);
  IG_TRY_GOTO(status, done, ig_array_new(cx, &u, nu, 8, "x"));
  IG_TRY_GOTO(status, done, ig_array_new(cx, &au, nu, 8, "y"));
  double *flat = x->host, *at = u.host;
  for (int64_t i = 0; i < (int64_t)x->count; i++)
    flat[i] = i / 3 % (g->n[0] + 1) == 0 ? 0 : sin(1.7 * (double)i); /* 0 on the face held */
  ig_sparse_move(m, true, at, flat);
  IG_TRY_GOTO(status, done, ig_array_push(cx, &u));
  IG_TRY_GOTO(status, done, ig_array_push(cx, x));
  IG_TRY_GOTO(status, done, m->ops->apply(cx, &m->args, u.dev, au.dev, NULL));
  IG_TRY_GOTO(status, done, ig_array_pull(cx, &au));
  int grid[3], bytes;
  IG_TRY_GOTO(
      status, done,
      ig_grid_cuda_paper(cx, g->n, shapes[0].block, modulus->dev, x->dev, y->dev, grid, &bytes));
  IG_TRY_GOTO(status, done, ig_array_pull(cx, y));
  ig_sparse_move(m, false, au.host, flat);
  const double *mine = y->host;
  for (size_t i = 0; i < x->count; i++) {
    if (i / 3 % (size_t)(g->n[0] + 1) == 0)
      continue;
    largest = fmax(largest, fabs(flat[i]));
    worst = fmax(worst, fabs(flat[i] - mine[i]));
  }
  if (!(worst <= 1e-12 * largest))
    status =
        IG_FAIL(cx, IG_NUMERIC, "the paper's product is another one: %g of %g", worst, largest);
done:
  ig_array_free(cx, &u);
  ig_array_free(cx, &au);
  return status;
}

ig_status ig_topopt_bench_blocks(ig_ctx *cx, const ig_bench_sink *sink) {
  ig_topopt_problem t;
  ig_array x = {0}, y = {0}, modulus = {0};
  if (!on_gpu(cx)) {
    ig_warn(cx, "left out: this benchmark is for a GPU");
    return IG_OK;
  }
  IG_TRY(ig_topopt_problem_open(
      cx,
      "{grid: {elements: [184, 40, 90]}, supports: [{box: {max: [0, 1e9, 1e9]}}], loads: [{box: "
      "{min: [184, 0, 0]}, force: [0, 0, -1]}], filter: {kind: none}, void_ratio: 1e-6, solver: "
      "{preconditioner: jacobi}}",
      &t));
  const ig_grid *g = &t.m->grid;
  const ig_law law = {.penalty = 3, .least = 1e-6, .eta = 0.5};
  const size_t dofs = 3 * (size_t)ig_grid_nodes(g);
  ig_status status;
  IG_TRY_GOTO(status, done, ig_array_new(cx, &x, dofs, 8, "x"));
  IG_TRY_GOTO(status, done, ig_array_new(cx, &y, dofs, 8, "y"));
  IG_TRY_GOTO(status, done, ig_array_new(cx, &modulus, (size_t)ig_grid_elements(g), 8, "moduli"));
  for (int64_t e = 0; e < (int64_t)modulus.count; e++) {
    const int i = (int)(e % g->n[0]), j = (int)(e / g->n[0] % g->n[1]);
    const double density = 0.5 + 0.4 * sin((double)e);
    ((double *)t.s->x.host)[ig_grid_place(g, i, j, (int)(e / g->n[0] / g->n[1]))] = density;
    ((double *)modulus.host)[e] = 1e-6 + pow(density, 3) * (1 - 1e-6);
  }
  IG_TRY_GOTO(status, done, ig_array_push(cx, &modulus));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &t.s->x));
  IG_TRY_GOTO(status, done, ig_grid_cuda_paper_matrix(cx, &t.m->solver->brick.k[0][0]));
  IG_TRY_GOTO(status, done,
              t.s->ops->physical(cx, t.d->places, t.d->role, &law, t.s->x.dev, t.s->density[0].dev,
                                 t.d->modulus));
  IG_TRY_GOTO(status, done, ig_multigrid_update(t.m->solver));
  IG_TRY_GOTO(status, done, check_blocks(cx, &t, &x, &y, &modulus));
  for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes) && status == IG_OK; i++)
    status = time_shape(cx, sink, &t, i, modulus.dev, x.dev, y.dev);
done:
  ig_array_free(cx, &x);
  ig_array_free(cx, &y);
  ig_array_free(cx, &modulus);
  ig_topopt_problem_close(&t);
  return status;
}
#else
ig_status ig_topopt_bench_blocks(ig_ctx *cx, const ig_bench_sink *sink) {
  (void)sink;
  ig_warn(cx, "left out: this benchmark is for a GPU");
  return IG_OK;
}
#endif
