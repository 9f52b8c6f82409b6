/* The room's benchmarks: one linear solve, and a build with its cut. A CPU does smaller ones. */
#include "bench/bench.h"
#include "backend/backend.h"
#include "verify/stress/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void row(const ig_bench_sink *sink, const ig_stress *m, const char *name, double steps,
                double seconds, double bytes, const char *note) {
  sink->row(sink->user, &(ig_bench_row){.name = name,
                                        .elements = m->elements,
                                        .steps = steps,
                                        .seconds = seconds,
                                        .rate = 3.0 * m->nodes * steps / seconds,
                                        .rate_unit = "unknowns",
                                        .bytes = bytes,
                                        .memory = (double)m->cx->device_bytes,
                                        .note = note});
}

static void memory_row(const ig_bench_sink *sink, const ig_stress *m, const char *name,
                       double seconds) {
  char note[160];
  snprintf(note, sizeof note, "%.0f B per element on the device, %.0f at most",
           (double)m->cx->device_bytes / m->elements, (double)m->cx->device_peak / m->elements);
  row(sink, m, name, 1, seconds, 0, note);
}

/* A wall on its foot: 250 x 24 x 48 cells are 0.92 M unknowns. */
static ig_status wall_new(ig_ctx *cx, ig_stress_problem *q, double yield, ig_assembly how) {
  const int cells[3] = {ig_bench_size(cx, 250, 50, 4), ig_bench_size(cx, 24, 8, 2),
                        ig_bench_size(cx, 48, 16, 4)};
  const double cell = 0.25e-3, size[3] = {cell * cells[0], cell * cells[1], cell * cells[2]};
  ig_stress_problem_new(cx, q);
  q->assembly = how;
  IG_TRY(ig_stress_problem_box(q, size, cells));
  ig_stress_problem_hold(q, "z0", "all");
  ig_stress_problem_material(q, 0, 207.5e9, 0.278, 1.2e-5, yield, isnan(yield) ? NAN : 2.5e9, 0);
  q->c.solver.tolerance = 1e-6;
  return ig_stress_problem_open(q);
}

static double warm_top(void *user, const double x[3]) {
  (void)user;
  return 293.15 + 2e4 * x[2];
}

/* Median of five. */
static double middle(double *t) {
  for (int i = 0; i < 5; i++)
    for (int k = i + 1; k < 5; k++)
      if (t[k] < t[i]) {
        const double s = t[i];
        t[i] = t[k];
        t[k] = s;
      }
  return t[2];
}

static ig_status bench_solve(ig_ctx *cx, const ig_bench_sink *sink) {
  ig_stress_problem q = {0};
  ig_solve_report report = {0};
  double times[5], start;
  char note[160];
  ig_status status;
  start = ig_now();
  TRY(wall_new(cx, &q, NAN, IG_GATHER));
  TRY(cx->backend->sync(cx));
  row(sink, q.m, "set-up", 1, ig_now() - start, 0, "mesh, colors, aggregates, once per run");
  TRY(ig_stress_problem_step(&q, 1, 0, warm_top, NULL)); /* forces and tangent are there now */
  for (int i = 0; i < 5; i++) {
    TRY(cx->backend->sync(cx));
    start = ig_now();
    TRY(ig_stress_system_build(q.m));
    TRY(cx->backend->sync(cx));
    times[i] = ig_now() - start;
  }
  row(sink, q.m, "values of the preconditioner", 1, middle(times), 0,
      "at births and where moduli have changed by 2");
  const int products = ig_bench_size(cx, 100, 100, 1);
  for (int i = 0; i < 5; i++) {
    TRY(cx->backend->sync(cx));
    start = ig_now();
    for (int k = 0; k < products; k++)
      TRY(q.m->ops->product(cx, &q.m->args, &q.m->plan, q.m->u.dev, q.m->force.dev));
    TRY(cx->backend->sync(cx));
    times[i] = ig_now() - start;
  }
  row(sink, q.m, "product with the tangent", products, middle(times),
      products * ig_stress_product_bytes(q.m), "double, tangent stored in single");
  for (int i = 0; i < 5; i++) {
    TRY(ig_stress_problem_step(&q, 1, 293.15, NULL, NULL)); /* some right hand side */
    TRY(ig_array_pull(cx, &q.m->load));
    for (ig_lid n = 0; n < q.m->nodes; n++)
      ((double *)q.m->load.host)[3 * (int64_t)n + 2] = q.mesh->x[3 * (int64_t)n + 2];
    TRY(ig_array_push(cx, &q.m->load));
    TRY(cx->backend->copy(cx, q.m->work.right.dev, q.m->load.dev, 24 * (size_t)q.m->nodes));
    TRY(q.m->mesh_ops->ground(cx, &q.m->system.ground, q.m->work.right.dev, q.m->work.right.dev,
                              q.m->work.partial.dev, NULL));
    TRY(cx->backend->sync(cx));
    start = ig_now();
    TRY(ig_stress_system_solve(q.m, 1e-6, &report));
    TRY(cx->backend->sync(cx));
    times[i] = ig_now() - start;
  }
  snprintf(note, sizeof note, "to 1e-6 in %d iterations", report.iterations);
  row(sink, q.m, "one linear solve", report.iterations, middle(times),
      report.iterations * ig_stress_product_bytes(q.m), note);
  memory_row(sink, q.m, "memory, elastic", middle(times));
done:
  ig_stress_problem_free(&q);
  return status;
}

/* Forces of a wall that yields. */
static ig_status bench_force(ig_ctx *cx, const ig_bench_sink *sink) {
  ig_stress_problem q = {0};
  double times[5];
  const int calls = ig_bench_size(cx, 20, 20, 1);
  ig_status status;
  TRY(wall_new(cx, &q, 100e6, IG_GATHER));
  TRY(ig_stress_problem_step(&q, 1, 0, warm_top, NULL));
  for (int i = 0; i < 5; i++) {
    TRY(cx->backend->sync(cx));
    const double start = ig_now();
    for (int k = 0; k < calls; k++)
      TRY(ig_stress_forces(q.m));
    TRY(cx->backend->sync(cx));
    times[i] = ig_now() - start;
  }
  row(sink, q.m, "forces, plastic", calls, middle(times),
      calls * (ig_stress_product_bytes(q.m) + 8 * 8.0 * q.m->args.states * q.m->elements),
      "state read once");
  memory_row(sink, q.m, "memory, plastic", middle(times));
done:
  ig_stress_problem_free(&q);
  return status;
}

/* The four strategies side by side: the product of an elastic wall, then forces and product of one
   that yields. */
static ig_status assembly_rows(ig_ctx *cx, const ig_bench_sink *sink, ig_assembly how,
                               double yield) {
  ig_stress_problem q = {0};
  double times[5];
  const int calls = ig_bench_size(cx, 50, 50, 1);
  char name[64];
  ig_status status;
  TRY(wall_new(cx, &q, yield, how));
  TRY(ig_stress_problem_step(&q, 1, 0, warm_top, NULL));
  for (int forces = isnan(yield); forces < 2; forces++) {
    for (int i = 0; i < 5; i++) {
      TRY(cx->backend->sync(cx));
      const double start = ig_now();
      for (int k = 0; k < calls; k++)
        TRY(forces ? q.m->ops->product(cx, &q.m->args, &q.m->plan, q.m->u.dev, q.m->work.right.dev)
                   : ig_stress_forces(q.m));
      TRY(cx->backend->sync(cx));
      times[i] = ig_now() - start;
    }
    snprintf(name, sizeof name, "%s, %s, %s", forces ? "product" : "forces",
             isnan(yield) ? "elastic" : "plastic", ig_assembly_names[how]);
    row(sink, q.m, name, calls, middle(times),
        calls * (ig_stress_product_bytes(q.m) +
                 (forces ? 0 : 8 * 8.0 * q.m->args.states * q.m->elements)),
        "each value once, without slots");
  }
done:
  ig_stress_problem_free(&q);
  return status;
}

static ig_status bench_assembly(ig_ctx *cx, const ig_bench_sink *sink) {
  for (int plastic = 0; plastic < 2; plastic++)
    for (int how = IG_ATOMIC; how <= IG_CLUSTER; how++)
      IG_TRY(assembly_rows(cx, sink, (ig_assembly)how, plastic ? 100e6 : NAN));
  return IG_OK;
}

const ig_bench_entry ig_stress_bench[] = {
    {"solve", "one linear solve at 0.9 M unknowns, its product and its set-up", bench_solve},
    {"force", "forces and tangents of a body that yields", bench_force},
    {"assembly", "products and forces by atomic, color, gather and cluster", bench_assembly},
    {NULL, NULL, NULL}};
