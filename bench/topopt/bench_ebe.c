/* `ingot bench ebe`: operator x example x size x precision, time per product and speed-up over ebe;
   then whole design iterations with every operator.

   Two examples: a block of congruent bricks, and the same block bent and graded so that no two
   elements are alike, which is what a curved part looks like to the operators. */
#include "bench/topopt/bench_ebe.h"
#include "backend/backend.h"
#include "geometry/mesh_case.h"
#include "solver/mesh/ebe.h"
#include "topopt/mesh/mesh_model.h"
#include "verify/topopt/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  ig_lid nodes, elements;
  double *x;
  ig_lid *conn;
} block;

static void block_free(block *b) {
  free(b->x);
  free(b->conn);
}

/* 4n x n x n elements; `bent` turns it into a graded quarter arch. */
static ig_status block_new(ig_ctx *cx, int n, bool bent, block *b) {
  const int cells[3] = {4 * n, n, n}, row = 4 * n + 1, plane = row * (n + 1);
  b->nodes = plane * (n + 1);
  b->elements = 4 * n * n * n;
  b->conn = NULL;
  IG_TRY(IG_NEW(cx, &b->x, 3 * b->nodes, "benchmark mesh"));
  IG_TRY(IG_NEW(cx, &b->conn, 8 * b->elements, "benchmark mesh"));
  for (ig_lid p = 0; p < b->nodes; p++) {
    const double s = (double)(p % row) / cells[0], y = (double)(p / row % (n + 1)) / cells[1],
                 z = (double)(p / plane) / cells[2];
    double *at = &b->x[3 * (size_t)p];
    if (bent) {
      const double angle = 1.5 * s * (1 + 0.2 * s), r = 2 + y * (1 + 0.3 * y) + 0.1 * z * s;
      at[0] = r * cos(angle);
      at[1] = r * sin(angle);
      at[2] = z * (1 + 0.2 * z) + 0.1 * y * s;
    } else {
      at[0] = 4 * s;
      at[1] = y;
      at[2] = z;
    }
  }
  const int corner[8] = {0, 1, row + 1, row, plane, plane + 1, plane + row + 1, plane + row};
  for (ig_lid e = 0; e < b->elements; e++) {
    const ig_lid low =
        e % cells[0] + row * (e / cells[0] % n) + plane * (e / cells[0] / n); /* first node */
    for (int a = 0; a < 8; a++)
      b->conn[8 * (size_t)e + (size_t)a] = low + corner[bent ? (a < 4 ? 3 - a : 11 - a) : a];
  }
  return IG_OK;
}

/* Random vectors: zeros would be too easy. */
static ig_status vector_new(ig_ctx *cx, ig_array *a, size_t count, bool single, double shift) {
  IG_TRY(ig_array_new(cx, a, count, single ? sizeof(float) : sizeof(double), "vector"));
  uint32_t seed = 12345;
  for (size_t i = 0; i < count; i++) {
    seed = 1664525U * seed + 1013904223U;
    const double v = shift + (double)seed / 4294967296.0 - 0.5;
    if (single)
      ((float *)a->host)[i] = (float)v;
    else
      ((double *)a->host)[i] = v;
  }
  return ig_array_push(cx, a);
}

/* Mean seconds of a product over enough repeats to see; the first is not counted. */
static ig_status time_products(ig_ctx *cx, const ig_ebe *op, double *seconds) {
  ig_array u = {0}, y = {0}, modulus = {0};
  ig_status status;
  int repeats = 1;
  const double budget = ig_bench_seconds(cx, 0.05, 0.02);
  IG_TRY_GOTO(status, done, vector_new(cx, &u, 3 * (size_t)op->nodes, op->single, 0));
  IG_TRY_GOTO(status, done, vector_new(cx, &y, 3 * (size_t)op->nodes, op->single, 0));
  IG_TRY_GOTO(status, done, vector_new(cx, &modulus, (size_t)op->elements, op->single, 1));
  for (int round = 0; round < 2; round++) {
    const double start = ig_now();
    for (int i = 0; i < repeats; i++)
      IG_TRY_GOTO(status, done, ig_ebe_apply(cx, op, modulus.dev, u.dev, y.dev));
    IG_TRY_GOTO(status, done, cx->backend->sync(cx));
    *seconds = (ig_now() - start) / repeats;
    repeats = (int)fmin(50, fmax(2, budget / *seconds));
  }
done:
  ig_array_free(cx, &u);
  ig_array_free(cx, &y);
  ig_array_free(cx, &modulus);
  return status;
}

static ig_status bench_one(ig_ctx *cx, const ig_bench_sink *sink, const block *b, bool bent,
                           bool single, ig_assembly how, ig_ebe_kind kind, double *reference) {
  char name[96], note[96];
  ig_ebe op;
  double seconds = 0;
  IG_TRY(ig_ebe_new(cx, kind, how, single, b->nodes, b->x, b->elements, 8, b->conn, 0.3, &op));
  const ig_status status = time_products(cx, &op, &seconds);
  if (status == IG_OK) {
    if (kind == IG_EBE_EBE && how == IG_ATOMIC)
      *reference = seconds;
    snprintf(name, sizeof name, "ebe/%s/%s/%s/%s/%dk", bent ? "arch" : "bricks",
             single ? "single" : "double", ig_assembly_names[how], ig_ebe_name(op.kind),
             b->elements / 1000);
    char beside[32] = ""; /* where the form of the paper was timed as well */
    if (*reference > 0)
      snprintf(beside, sizeof beside, "%.2f x ebe, ", *reference / seconds);
    snprintf(note, sizeof note, "%s%.0f bytes per element", beside,
             (double)ig_ebe_bytes(&op) / b->elements);
    const ig_bench_row row = {.name = name,
                              .elements = b->elements,
                              .steps = 1,
                              .seconds = seconds,
                              .rate = b->elements / seconds,
                              .rate_unit = "element-products",
                              .bytes = ig_ebe_traffic(&op),
                              .memory = (double)ig_ebe_bytes(&op),
                              .note = note};
    sink->row(sink->user, &row);
  }
  ig_ebe_free(cx, &op);
  return status;
}

/* Operators on two sizes of both examples, in both precisions. */
static ig_status bench_products(ig_ctx *cx, const ig_bench_sink *sink) {
  const int sizes[2] = {ig_bench_size(cx, 32, 8, 2), ig_bench_size(cx, 80, 16, 2)};
  for (int s = ig_bench_size(cx, 0, 0, 1); s < 2; s++)
    for (int bent = 0; bent < 2; bent++) {
      block b;
      ig_status status = block_new(cx, sizes[s], bent, &b);
      for (int single = 0; single < 2 && status == IG_OK; single++) {
        double reference = NAN;
        for (int kind = 0; kind < IG_EBE_KINDS && status == IG_OK; kind++)
          /* a mesh without congruent elements would only store every matrix again */
          if (!(bent && kind == IG_EBE_CLASSES))
            status =
                bench_one(cx, sink, &b, bent, single, IG_ATOMIC, (ig_ebe_kind)kind, &reference);
        for (int how = IG_COLOR; how <= IG_CLUSTER; how++)
          for (int kind = IG_EBE_EBESYM; kind < IG_EBE_KINDS && status == IG_OK; kind++)
            if (!single && !(bent && kind == IG_EBE_CLASSES))
              status = bench_one(cx, sink, &b, bent, single, (ig_assembly)how, (ig_ebe_kind)kind,
                                 &reference);
      }
      block_free(&b);
      IG_TRY(status);
    }
  return IG_OK;
}

/* --- whole optimisations --- */

enum { WARM = 1, TIMED = 3 };

static ig_status bench_whole(ig_ctx *cx, const ig_bench_sink *sink, const ig_mesh *mesh,
                             const char *example, const char *body, const char *preconditioner,
                             ig_ebe_kind kind, double *reference) {
  char text[700], name[96], note[128];
  ig_topopt_problem t;
  const double start = ig_now();
  double begin = 0;
  int iterations = 0;
  snprintf(text, sizeof text, "{%s, solver: {tolerance: 1e-4, preconditioner: %s, operator: %s}}",
           body, preconditioner, ig_ebe_name(kind));
  IG_TRY(ig_topopt_problem_open_mesh(cx, text, mesh, &t));
  const double setup = ig_now() - start;
  ig_status status = IG_OK;
  for (int i = 0; i < WARM + TIMED && status == IG_OK; i++) {
    ig_evaluation e = {0};
    begin = i == WARM ? ig_now() : begin;
    status = ig_topopt_problem_iterate(&t, i + 1, &e);
    iterations += i < WARM ? 0 : e.iterations;
  }
  const double seconds = (ig_now() - begin) / TIMED;
  if (status == IG_OK) {
    if (kind == IG_EBE_EBE)
      *reference = seconds;
    snprintf(name, sizeof name, "ebe/whole/%s/%s/%s", example, preconditioner, ig_ebe_name(kind));
    snprintf(note, sizeof note, "%.2f x ebe, %d solver iterations a design, setup %.2f s",
             *reference / seconds, iterations / TIMED, setup);
    const ig_bench_row row = {.name = name,
                              .elements = t.d->elements,
                              .steps = 1,
                              .seconds = seconds,
                              .rate = (double)t.d->dofs * iterations / TIMED / seconds,
                              .rate_unit = "dof-iterations",
                              .note = note};
    sink->row(sink->user, &row);
  }
  ig_topopt_problem_close(&t);
  return status;
}

static const char *const bodies[2] = {
    "volume: 0.3, void_ratio: 1e-3, filter: {radius: 1.2}, supports: [{set: xmin}], loads: "
    "[{set: xmax, force: [0, -1, 0], spread: faces}]",
    "volume: 0.3, void_ratio: 1e-3, filter: {radius: 1.2}, supports: [{set: start}], loads: "
    "[{set: end, force: [1, 0, 0], spread: faces}]"};
static const char *const body_names[2] = {"cantilever", "arch"};

/* The mesh of body k, n elements across it. */
static ig_status body_mesh(ig_ctx *cx, int k, int n, ig_mesh **mesh) {
  ig_box_case box = {.size = IG_ROW(40, 10, 10), .cells = IG_ROW(4 * n, n, n)};
  const ig_mesh_case meshes[2] = {{.boxes = {1, &box}},
                                  {.tube = {.at.given = true,
                                            .inner = 10,
                                            .outer = 20,
                                            .angle = 1.5,
                                            .height = 10,
                                            .cells = IG_ROW(n, 3 * n, n)}}};
  return ig_mesh_generate(cx, &meshes[k], mesh);
}

/* Seconds of a design iteration, every operator: by Jacobi as in the thesis, then by multigrid. */
static ig_status bench_designs(ig_ctx *cx, const ig_bench_sink *sink) {
  for (int k = 0; k < 2; k++) {
    ig_mesh *mesh;
    double reference = NAN;
    IG_TRY(body_mesh(cx, k, ig_bench_size(cx, 28, 8, 2), &mesh));
    ig_status status = IG_OK;
    for (int multigrid = 0; multigrid < 2; multigrid++)
      for (int kind = 0; kind < IG_EBE_KINDS && status == IG_OK; kind++) {
        if (multigrid && kind > IG_EBE_EBE && kind < IG_EBE_EBESYM)
          continue;
        status = bench_whole(cx, sink, mesh, body_names[k], bodies[k],
                             multigrid ? "multigrid" : "jacobi", (ig_ebe_kind)kind, &reference);
      }
    ig_mesh_free(mesh);
    IG_TRY(status);
  }
  return IG_OK;
}

/* --- the solver on a GPU and on one CPU thread --- */

typedef struct {
  double iteration, product; /* seconds */
  int iterations;
  double elements, dofs;
} solver_time;

/* Some iterations of the first design's solve by Jacobi, and a product alone. */
static ig_status time_solver(ig_ctx *cx, int k, int n, ig_ebe_kind kind, int iterations,
                             solver_time *y) {
  char text[700];
  ig_mesh *mesh;
  ig_topopt_problem t = {0};
  ig_evaluation e = {0};
  ig_solve_report report;
  double *modulus = NULL, start = 0;
  ig_status status;
  snprintf(text, sizeof text, "{%s, solver: {preconditioner: jacobi, operator: %s, limit: %d}}",
           bodies[k], ig_ebe_name(kind), iterations);
  IG_TRY(body_mesh(cx, k, n, &mesh));
  IG_TRY_GOTO(status, done, ig_topopt_problem_open_mesh(cx, text, mesh, &t));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &modulus, t.d->elements, "moduli"));
  ig_topopt_design_continue(&t.c, 1, &e);
  for (int64_t i = 0; i < t.d->elements; i++)
    modulus[i] = pow(t.c.volume, e.penalty);
  IG_TRY_GOTO(status, done,
              cx->backend->copy_in(cx, t.d->modulus, modulus, (size_t)t.d->elements * 8));
  for (int round = 0; round < 2; round++) { /* the first makes pages warm */
    IG_TRY_GOTO(status, done, t.d->changed(t.d->self));
    IG_TRY_GOTO(status, done, ig_array_zero(cx, &t.s->u[0][0]));
    IG_TRY_GOTO(status, done, cx->backend->sync(cx));
    start = ig_now();
    IG_TRY_GOTO(status, done,
                t.d->solve(t.d->self, t.d->loading->f[0].dev, t.s->u[0][0].dev, 1e-30, &report));
    IG_TRY_GOTO(status, done, cx->backend->sync(cx));
  }
  *y = (solver_time){.iteration = (ig_now() - start) / report.iterations,
                     .iterations = report.iterations,
                     .elements = (double)t.d->elements,
                     .dofs = (double)t.d->dofs};
  status = time_products(cx, &((ig_topopt_mesh_model *)t.d->self)->op, &y->product);
done:
  free(modulus);
  ig_topopt_problem_close(&t);
  ig_mesh_free(mesh);
  return status;
}

ig_status ig_topopt_bench_thesis(ig_ctx *cx, const ig_bench_sink *sink) {
  static const ig_ebe_kind kinds[] = {IG_EBE_EBE, IG_EBE_NBN, IG_EBE_EBESYM, IG_EBE_RECOMPUTE};
  const int n = ig_bench_size(cx, 28, 8, 2);
  ig_ctx *one;
  if (ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1}, &one) != IG_OK)
    return IG_FAIL(cx, IG_UNSUPPORTED, "no CPU backend to compare with");
  one->smoke = cx->smoke;
  ig_status status = IG_OK;
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == IG_OK; i++) {
      solver_time here = {0}, there = {0};
      char name[96], note[200];
      IG_TRY_GOTO(status, done,
                  time_solver(cx, k, n, kinds[i], ig_bench_size(cx, 200, 200, 4), &here));
      status = time_solver(one, k, n, kinds[i], 8, &there);
      if (status != IG_OK)
        status = IG_FAIL(cx, status, "%s", ig_ctx_message(one));
      snprintf(name, sizeof name, "thesis/%s/%s", body_names[k], ig_ebe_name(kinds[i]));
      snprintf(note, sizeof note,
               "an iteration of the solver; product %.0f %% of it; one CPU thread %.3g s, %.1f x "
               "(product %.0f %% there)%s",
               100 * here.product / here.iteration, there.iteration,
               there.iteration / here.iteration, 100 * there.product / there.iteration,
               kinds[i] == IG_EBE_EBE   ? "; the thesis: 80-99 %, 3-5 x"
               : kinds[i] == IG_EBE_NBN ? "; the thesis: 80-99 %, 2.5-4 x"
                                        : "");
      if (status == IG_OK)
        sink->row(sink->user, &(ig_bench_row){.name = name,
                                              .elements = here.elements,
                                              .steps = here.iterations,
                                              .seconds = here.iteration,
                                              .rate = here.dofs / here.iteration,
                                              .rate_unit = "dof-iterations",
                                              .note = note});
    }
done:
  ig_ctx_close(one);
  return status;
}

ig_status ig_topopt_bench_ebe(ig_ctx *cx, const ig_bench_sink *sink) {
  IG_TRY(bench_products(cx, sink));
  return bench_designs(cx, sink);
}

/* --- tetrahedra --- */

/* Products on a box of cells of six tetrahedra, its inner nodes moved about. */
static ig_status bench_tets_of(ig_ctx *cx, const ig_bench_sink *sink, ig_elem_type type, int n,
                               bool single, ig_assembly how) {
  ig_box_case box = {.size = IG_ROW(1, 1, 1), .cells = IG_ROW(n, n, n)};
  const ig_mesh_case c = {.boxes = {1, &box},
                          .element = (int)type + 1,
                          .order = 1,
                          .jitter = {.at.given = true, .amount = 0.1, .seed = 7}};
  ig_mesh *mesh;
  ig_ebe op;
  double seconds = 0;
  IG_TRY(ig_mesh_generate(cx, &c, &mesh));
  const ig_lid elements = ig_mesh_elements(mesh);
  const int npe = type == IG_TET4 ? 4 : 10;
  ig_status status = ig_ebe_new(cx, IG_EBE_RECOMPUTE, how, single, mesh->nodes, mesh->x, elements,
                                npe, mesh->block[0].conn, 0.3, &op);
  if (status == IG_OK) {
    status = time_products(cx, &op, &seconds);
    char name[96], note[96];
    snprintf(name, sizeof name, "tets/%s/%s/%s/%dk", type == IG_TET4 ? "tet4" : "tet10",
             single ? "single" : "double", ig_assembly_names[how], elements / 1000);
    snprintf(note, sizeof note, "%d nodes, %.0f bytes per element", mesh->nodes,
             (double)ig_ebe_bytes(&op) / elements);
    const ig_bench_row row = {.name = name,
                              .elements = elements,
                              .steps = 1,
                              .seconds = seconds,
                              .rate = elements / seconds,
                              .rate_unit = "element-products",
                              .bytes = ig_ebe_traffic(&op),
                              .memory = (double)ig_ebe_bytes(&op),
                              .note = note};
    if (status == IG_OK)
      sink->row(sink->user, &row);
    ig_ebe_free(cx, &op);
  }
  ig_mesh_free(mesh);
  return status;
}

ig_status ig_topopt_bench_tets(ig_ctx *cx, const ig_bench_sink *sink) {
  for (int quadratic = 0; quadratic < 2; quadratic++)
    for (int single = 0; single < 2; single++)
      for (int how = IG_ATOMIC; how <= IG_CLUSTER; how++)
        if (!single || how == IG_ATOMIC || how == IG_CLUSTER)
          IG_TRY(bench_tets_of(cx, sink, quadratic ? IG_TET10 : IG_TET4,
                               ig_bench_size(cx, 56, 10, 2), single, (ig_assembly)how));
  return IG_OK;
}

/* The four strategies side by side: products without stored matrices, of the arch's hexahedra and
   of tetrahedra. */
ig_status ig_topopt_bench_assembly(ig_ctx *cx, const ig_bench_sink *sink) {
  block b;
  ig_status status = block_new(cx, ig_bench_size(cx, 80, 16, 2), true, &b);
  for (int single = 0; single < 2; single++)
    for (int how = IG_ATOMIC; how <= IG_CLUSTER && status == IG_OK; how++) {
      double reference = NAN;
      status =
          bench_one(cx, sink, &b, true, single, (ig_assembly)how, IG_EBE_RECOMPUTE, &reference);
    }
  block_free(&b);
  for (int quadratic = 0; quadratic < 2; quadratic++)
    for (int how = IG_ATOMIC; how <= IG_CLUSTER && status == IG_OK; how++)
      status = bench_tets_of(cx, sink, quadratic ? IG_TET10 : IG_TET4, ig_bench_size(cx, 56, 10, 2),
                             false, (ig_assembly)how);
  return status;
}
