/* Passes over a mesh of hexahedra or tetrahedra on every backend against the CPU's, one thread:
   filters, energies, products, preconditioners, and whole small optimisations. */
#include "check.h"
#include "backend/backend.h"
#include "geometry/mesh_case.h"
#include "topopt/mesh/mesh_model.h"
#include "verify/topopt/problem.h"

static ig_mesh *mesh_of(ig_ctx *cx, int n, ig_elem_type type) {
  ig_box_case b = {
      .size = IG_ROW(6, 3, 2), .cells = IG_ROW(6 * n, 3 * n, 2 * n), .grading = IG_ROW(2, 1, 1)};
  const ig_mesh_case c = {.boxes = {1, &b},
                          .element = (int)type + 1,
                          .jitter = {.at.given = true, .amount = type == IG_HEX8 ? 0.25 : 0.15}};
  ig_mesh *mesh;
  assert_int_equal(ig_mesh_generate(cx, &c, &mesh), IG_OK);
  return mesh;
}

#define STIFF                                                                                      \
  "volume: 0.4, supports: [{set: xmin}], loads: [{set: xmax, force: [0, 0, -1], spread: faces}], " \
  "passive: [{sphere: {center: [2, 1, 1], radius: 0.7}, as: void}]"
#define PULL                                                                                       \
  "problem: mechanism, volume: 0.4, supports: [{set: xmin, box: {max: [9, 0.9, 9]}}], loads: "     \
  "[{set: xmin, box: {min: [0, 1.9, 0]}, force: [1, 0, 0]}], ports: [{set: xmax, direction: [0, "  \
  "-1, 0]}], springs: [{set: xmax, stiffness: [0.01, 0.01, 0.01]}, {set: xmin, stiffness: [0.1, "  \
  "0.1, 0]}], symmetry: [z-], optimiser: {method: mma}"
#define HEAT                                                                                       \
  "problem: heat, volume: 0.4, void_ratio: 1e-3, source: 1, supports: [{set: xmin}], loads: "      \
  "[{set: xmax, heat: 2, spread: faces}]"
#define EXACT "tolerance: 1e-11"

static const struct {
  const char *name, *text;
  ig_assembly how; /* not atomic: the same bits every time, for any number of threads */
  double within;   /* relative, of objectives */
} problems[] = {
    {"jacobi", "{" STIFF ", solver: {" EXACT ", preconditioner: jacobi}}", IG_COLOR, 1e-8},
    {"block_jacobi",
     "{" STIFF ", filter: {kind: density, radius: 0.8}, projection: {beta: 2}, solver: {" EXACT
     ", preconditioner: block_jacobi}}",
     IG_ATOMIC, 1e-8},
    {"block_jacobi, gather", "{" STIFF ", solver: {" EXACT ", preconditioner: block_jacobi}}",
     IG_GATHER, 1e-8},
    {"multigrid", "{" STIFF ", solver: {" EXACT "}}", IG_COLOR, 1e-8},
    {"multigrid, gather", "{" STIFF ", solver: {" EXACT "}}", IG_GATHER, 1e-8},
    {"multigrid, atomic", "{" STIFF ", void_ratio: 1e-6, solver: {" EXACT ", operator: ebeSym}}",
     IG_ATOMIC, 1e-8},
    {"multigrid, W, Jacobi",
     "{" STIFF ", solver: {" EXACT ", cycle: w, smoother: jacobi, operator: classes}}", IG_COLOR,
     1e-8},
    {"multigrid, cluster", "{" STIFF ", solver: {" EXACT "}}", IG_CLUSTER, 1e-8},
    {"helmholtz filter", "{" STIFF ", filter: {kind: helmholtz, radius: 1.2}, solver: {" EXACT "}}",
     IG_GATHER, 1e-8},
    {"heat", "{" HEAT ", solver: {" EXACT "}}", IG_GATHER, 1e-8},
    {"heat, atomic", "{" HEAT ", solver: {" EXACT "}}", IG_ATOMIC, 1e-8},
    {"heat, jacobi",
     "{" HEAT ", filter: {kind: helmholtz, radius: 1}, solver: {" EXACT
     ", preconditioner: jacobi}}",
     IG_CLUSTER, 1e-8},
    {"mechanism", "{" PULL ", solver: {" EXACT "}}", IG_COLOR, 1e-6},
    {"tet4", "{" STIFF ", solver: {" EXACT "}}", IG_GATHER, 1e-8},
    {"tet4, helmholtz filter",
     "{" STIFF ", filter: {kind: helmholtz, radius: 1.2}, solver: {" EXACT
     ", preconditioner: block_jacobi}}",
     IG_COLOR, 1e-8},
    {"tet10", "{" STIFF ", solver: {" EXACT "}}", IG_COLOR, 1e-8},
    {"tet10, stress",
     "{minimise: stress, " STIFF ", filter: {kind: density, radius: 1.2}, solver: {" EXACT "}}",
     IG_GATHER, 1e-6},
    {"tet10, helmholtz filter",
     "{" STIFF ", filter: {kind: helmholtz, radius: 1.2}, solver: {" EXACT
     ", preconditioner: block_jacobi}}",
     IG_GATHER, 1e-8},
    {"tet10, heat, atomic", "{" HEAT ", solver: {" EXACT "}}", IG_ATOMIC, 1e-8},
};
enum { PROBLEMS = sizeof problems / sizeof *problems, ITERATIONS = 4 };

static void objectives(ig_ctx *cx, int problem, double *history) {
  const char *name = problems[problem].name; /* begins with the element type of a smaller mesh */
  const ig_elem_type type = strncmp(name, "tet10", 5) == 0  ? IG_TET10
                            : strncmp(name, "tet4", 4) == 0 ? IG_TET4
                                                            : IG_HEX8;
  ig_mesh *mesh = mesh_of(cx, type == IG_HEX8 ? 2 : 1, type);
  ig_topopt_problem t;
  if (ig_topopt_problem_open_how(cx, problems[problem].text, mesh, problems[problem].how, &t) !=
      IG_OK)
    fail_msg("%s: %s", problems[problem].name, ig_ctx_message(cx));
  for (int i = 0; i < ITERATIONS; i++) {
    ig_evaluation e = {0};
    if (ig_topopt_problem_iterate(&t, i + 1, &e) != IG_OK)
      fail_msg("%s: %s", problems[problem].name, ig_ctx_message(cx));
    history[i] = e.objective;
  }
  ig_topopt_problem_close(&t);
  ig_mesh_free(mesh);
}

/* threads that each backend is tried with */
static int threads_on(const char *backend) {
  return strcmp(backend, "cpu") == 0 ? 3 : 2;
}

static void optimisations_agree(void **state) {
  (void)state;
  double expected[PROBLEMS][ITERATIONS];
  ig_ctx *cx = ctx_on("cpu", 1);
  for (int p = 0; p < PROBLEMS; p++)
    objectives(cx, p, expected[p]);
  ig_ctx_close(cx);
  for (const char *const *backend = backends_here(); *backend; backend++) {
    cx = ctx_on(*backend, threads_on(*backend));
    for (int p = 0; p < PROBLEMS; p++) {
      double history[ITERATIONS];
      objectives(cx, p, history);
      for (int i = 0; i < ITERATIONS; i++)
        if (!(fabs(history[i] / expected[p][i] - 1) < problems[p].within) ||
            (strcmp(*backend, "cuda") != 0 && problems[p].how != IG_ATOMIC &&
             history[i] != expected[p][i]))
          fail_msg("%s on %s, iteration %d: %.17g instead of %.17g", problems[p].name, *backend,
                   i + 1, history[i], expected[p][i]);
    }
    ig_ctx_close(cx);
  }
}

/* On a GPU too, what does not add atomically repeats. */
static void optimisations_repeat(void **state) {
  (void)state;
  if (!backend_here("cuda"))
    skip();
  ig_ctx *cx = ctx_on("cuda", 1);
  for (int p = 0; p < PROBLEMS; p++) {
    double history[2][ITERATIONS];
    if (problems[p].how == IG_ATOMIC)
      continue;
    objectives(cx, p, history[0]);
    objectives(cx, p, history[1]);
    for (int i = 0; i < ITERATIONS; i++)
      if (history[0][i] != history[1][i])
        fail_msg("%s, iteration %d: %.17g, then %.17g", problems[p].name, i + 1, history[0][i],
                 history[1][i]);
  }
  ig_ctx_close(cx);
}

/* --- single passes --- */

enum { FILTER, ENERGY, PRODUCT, BLOCKS, CYCLE, PASSES };
static const char *const pass_names[] = {"filter", "energy", "product", "blocks", "cycle"};

static double *passes(ig_ctx *cx, int pass, size_t *count) {
  ig_mesh *mesh = mesh_of(cx, 3, IG_HEX8);
  ig_topopt_problem t;
  char text[600];
  snprintf(text, sizeof text, "{" STIFF ", solver: {preconditioner: %s}}",
           pass == CYCLE ? "multigrid" : "block_jacobi");
  if (ig_topopt_problem_open_how(cx, text, mesh, (ig_assembly)(pass % 3), &t) != IG_OK)
    fail_msg("%s", ig_ctx_message(cx));
  ig_topopt_mesh_model *m = t.d->self;
  const size_t ne = (size_t)m->elements, nu = (size_t)t.d->unknowns;
  ig_array u = {0}, v = {0}, e = {0};
  assert_int_equal(ig_array_new(cx, &u, nu, 8, "u"), IG_OK);
  assert_int_equal(ig_array_new(cx, &v, nu, 8, "v"), IG_OK);
  assert_int_equal(ig_array_new(cx, &e, ne, 8, "e"), IG_OK);
  for (size_t i = 0; i < nu; i++)
    ((double *)u.host)[i] = ((const uint8_t *)m->fix.host)[i / 3] ? 0 : sin(1.7 * (double)i);
  for (size_t i = 0; i < ne; i++)
    ((double *)e.host)[i] = pow(0.5 + 0.5 * sin(0.37 * (double)i), 6) + 1e-6;
  assert_int_equal(ig_array_push(cx, &u), IG_OK);
  assert_int_equal(ig_array_push(cx, &e), IG_OK);
  assert_int_equal(cx->backend->copy(cx, t.d->modulus, e.dev, ne * 8), IG_OK);
  assert_int_equal(t.d->changed(t.d->self), IG_OK);
  ig_array *result = pass == FILTER || pass == ENERGY ? &e : &v;
  if (pass == FILTER) {
    assert_int_equal(t.d->filter(t.d->self, e.dev, t.s->work.dev), IG_OK);
    assert_int_equal(cx->backend->copy(cx, e.dev, t.s->work.dev, ne * 8), IG_OK);
  } else if (pass == ENERGY) {
    assert_int_equal(t.d->energy(t.d->self, u.dev, u.dev, 2, true, e.dev), IG_OK);
  } else if (pass == PRODUCT) {
    assert_int_equal(m->system.apply(m, u.dev, v.dev, NULL), IG_OK);
  } else {
    ig_array r = {0};
    const float *z;
    assert_int_equal(ig_array_new(cx, &r, nu, 4, "r"), IG_OK);
    for (size_t i = 0; i < nu; i++)
      ((float *)r.host)[i] = (float)((double *)u.host)[i];
    assert_int_equal(ig_array_push(cx, &r), IG_OK);
    assert_int_equal(m->system.precondition(m, r.dev, &z), IG_OK);
    assert_int_equal(cx->backend->copy_out(cx, r.host, z, nu * 4), IG_OK);
    for (size_t i = 0; i < nu; i++)
      ((double *)v.host)[i] = (double)((float *)r.host)[i];
    assert_int_equal(ig_array_push(cx, &v), IG_OK);
    ig_array_free(cx, &r);
  }
  assert_int_equal(ig_array_pull(cx, result), IG_OK);
  *count = result->count;
  double *out = malloc(*count * sizeof *out);
  memcpy(out, result->host, *count * sizeof *out);
  ig_array_free(cx, &u);
  ig_array_free(cx, &v);
  ig_array_free(cx, &e);
  ig_topopt_problem_close(&t);
  ig_mesh_free(mesh);
  return out;
}

static void single_passes_agree(void **state) {
  (void)state;
  for (int p = 0; p < PASSES; p++) {
    size_t n, again;
    ig_ctx *cx = ctx_on("cpu", 1);
    double *expected = passes(cx, p, &n), size = 0;
    ig_ctx_close(cx);
    for (size_t i = 0; i < n; i++)
      size += expected[i] * expected[i];
    assert_true(size > 0);
    for (const char *const *backend = backends_here(); *backend; backend++) {
      cx = ctx_on(*backend, threads_on(*backend));
      double *got = passes(cx, p, &again), error = 0;
      assert_int_equal(n, again);
      for (size_t i = 0; i < n; i++)
        error += (got[i] - expected[i]) * (got[i] - expected[i]);
      /* a cycle is in single precision, and its spectrum found from below */
      const double within = p == CYCLE ? 1e-3 : p == BLOCKS ? 1e-6 : 1e-13;
      if (!(sqrt(error / size) < within))
        fail_msg("%s on %s: relative difference %g", pass_names[p], *backend, sqrt(error / size));
      free(got);
      ig_ctx_close(cx);
    }
    free(expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(optimisations_agree),
                                     cmocka_unit_test(optimisations_repeat),
                                     cmocka_unit_test(single_passes_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
