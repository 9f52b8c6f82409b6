/* Large deflections without a matrix, on every backend there is: forces, tangents and slopes of all
   shapes against the elements of solid/ added up one after the other, and whole designs against the
   direct solver on the host. */
#include "check.h"
#include "backend/backend.h"
#include "kern/fault.h"
#include "topopt/design/large_items.h"
#include "geometry/mesh_case.h"
#include "verify/topopt/problem.h"

#include <string.h>

enum { MOST = 30 };

#define HELD                                                                                       \
  "supports: [{box: {max: [0, 9, 9]}}], loads: [{box: {min: [2, 0, 0]}, force: [0, -1e-6, 0]}], "
#define REST "optimiser: {method: mma}, filter: {kind: none}, void_ratio: 1e-6}"
#define FREE(law) "{analysis: {large_deflections: true, linear_solver: matrix_free, law: " law "}, "
#define FLAT "grid: {elements: [5, 3, 0], size: [2, 1, 0]}, "
#define DEEP "grid: {elements: [4, 3, 2], size: [2, 1, 0.7]}, "
#define SPRING "springs: [{box: {min: [2, 0, 0]}, stiffness: [0, 0.1, 0.2]}], "
static const struct {
  const char *text;
  ig_elem_type type; /* of a distorted mesh; hex20, which it has not: a grid */
} problems[] = {{FREE("elastic") FLAT HELD REST, IG_HEX20},
                {FREE("neo_hookean") FLAT HELD REST, IG_HEX20},
                {FREE("neo_hookean") "plane: strain, " FLAT HELD REST, IG_HEX20},
                {FREE("elastic") DEEP HELD SPRING REST, IG_HEX20},
                {FREE("neo_hookean") DEEP HELD SPRING REST, IG_HEX20},
                {FREE("elastic") HELD REST, IG_HEX8},
                {FREE("neo_hookean") HELD REST, IG_HEX8},
                {FREE("elastic") HELD REST, IG_TET4},
                {FREE("neo_hookean") HELD SPRING REST, IG_TET10}};

static ig_status open_it(ig_ctx *cx, int p, ig_mesh **mesh, ig_topopt_problem *t) {
  *mesh = NULL;
  if (problems[p].type == IG_HEX20)
    return ig_topopt_problem_open(cx, problems[p].text, t);
  const ig_box_case b = {.size = IG_ROW(2, 1, 1), .cells = IG_ROW(3, 2, 2)};
  const ig_mesh_case c = {.boxes = {1, (ig_box_case *)&b},
                          .element = (int)problems[p].type + 1,
                          .jitter = {.at.given = true, .amount = 0.2, .seed = 7}};
  IG_TRY(ig_mesh_generate(cx, &c, mesh));
  return ig_topopt_problem_open_mesh(cx, problems[p].text, *mesh, t);
}

/* Force and tangent of an element at unit modulus and a blend, as design/large.h has them. */
static void element_of(const ig_topopt_large *g, const double *X, const double *u, double blend,
                       double *f, double *K) {
  const int n = g->body.corners * g->body.dim;
  double v[MOST], F[2][MOST], D[2][MOST * MOST], none[1] = {0}, now[1];
  for (int i = 0; i < n; i++)
    v[i] = blend * u[i];
  for (int k = 0; k < 2; k++) {
    const ig_solid_law *law = k ? &g->linear : &g->law;
    const double *at = k ? u : v;
    assert_int_equal(g->body.dim == 2
                         ? ig_solid_plane(law, g->across, X, at, F[k], D[k])
                         : ig_solid_evaluate(g->body.kind, law, X, at, NULL, none, now, F[k], D[k]),
                     IG_FAULT_NONE);
  }
  const double rest = 1 - blend * blend;
  for (int i = 0; i < n; i++)
    f[i] = blend * F[0][i] + rest * F[1][i];
  for (int i = 0; i < n * n; i++)
    K[i] = blend * blend * D[0][i] + rest * D[1][i];
}

typedef struct {
  double *u, *v;           /* states, 0 where held */
  double *f, *Kv, *energy; /* what is expected */
  double *modulus, *blend, *slope;
} fields;

static double *zeros(size_t n) {
  return calloc(n, sizeof(double));
}

/* Displacements of a tenth of an element, and what comes of them. */
static void expect(const ig_topopt_problem *t, fields *x) {
  const ig_topopt_large *g = t->s->large;
  const ig_topopt_body *b = &g->body;
  const ig_node_layout *l = &t->d->layout;
  const size_t nu = (size_t)t->d->unknowns, n = (size_t)b->elements;
  *x = (fields){zeros(nu), zeros(nu), zeros(nu), zeros(nu), zeros((size_t)t->d->places),
                zeros(n),  zeros(n),  zeros(n)};
  uint8_t *fix = malloc((size_t)l->nodes);
  GOOD(t->cx, t->cx->backend->copy_out(t->cx, fix, t->d->fix, (size_t)l->nodes));
  for (int p = 0; p < b->points; p++)
    for (int c = 0; c < b->dim; c++)
      if (!(fix[b->at[p]] >> c & 1)) {
        const int64_t at = b->at[p] * l->step + c * l->stride;
        x->u[at] = 0.03 * sin(1 + 3.7 * p + c);
        x->v[at] = cos(2.3 * p - c);
      }
  for (int e = 0; e < b->elements; e++) {
    x->modulus[e] = 0.1 + 0.9 * fabs(sin(e));
    x->blend[e] = e % 3 ? 1 : e % 2 ? 0 : 0.4;
    x->slope[e] = e % 3 ? 0 : 0.7;
    double X[MOST], u[MOST], v[MOST], f[MOST], K[MOST * MOST], up[MOST], down[MOST];
    const int m = b->corners * b->dim;
    int64_t at[MOST];
    for (int i = 0; i < m; i++) {
      const int32_t node = b->node[e * b->corners + i / b->dim];
      at[i] = b->at[node] * l->step + i % b->dim * l->stride;
      X[i] = b->x[node * b->dim + i % b->dim];
      u[i] = x->u[at[i]];
      v[i] = x->v[at[i]];
    }
    const double h = 1e-6;
    element_of(g, X, u, x->blend[e] + h, up, K);
    element_of(g, X, u, x->blend[e] - h, down, K);
    element_of(g, X, u, x->blend[e], f, K);
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int j = 0; j < m; j++)
        sum += K[m * i + j] * v[j];
      x->f[at[i]] += x->modulus[e] * f[i];
      x->Kv[at[i]] += x->modulus[e] * sum;
      x->energy[b->place[e]] += v[i] * (f[i] + x->slope[e] * (up[i] - down[i]) / (2 * h));
    }
  }
  for (int p = 0; p < b->points; p++)
    for (int c = 0; c < b->dim; c++) {
      const int64_t at = b->at[p] * l->step + c * l->stride;
      const double k = b->spring ? b->spring[p * b->dim + c] : 0;
      const bool held = fix[b->at[p]] >> c & 1;
      x->f[at] = held ? 0 : x->f[at] + k * x->u[at];
      x->Kv[at] = held ? 0 : x->Kv[at] + k * x->v[at];
    }
  free(fix);
}

static void compare(ig_ctx *cx, const ig_array *a, const double *want, size_t n, double tolerance) {
  double *got = zeros(n), most = 0;
  GOOD(cx, cx->backend->copy_out(cx, got, a->dev, n * sizeof *got));
  for (size_t i = 0; i < n; i++)
    most = fmax(most, fabs(want[i]));
  assert_true(most > 0);
  for (size_t i = 0; i < n; i++)
    assert_near(got[i], want[i], tolerance * most);
  free(got);
}

static void elements_are_those_of_solid(const char *backend) {
  for (int p = 0; p < (int)(sizeof problems / sizeof *problems); p++) {
    ig_ctx *cx = ctx_on(backend, 2);
    ig_topopt_problem t;
    ig_mesh *mesh;
    fields x;
    GOOD(cx, open_it(cx, p, &mesh, &t));
    ig_topopt_large_items *it = t.s->large->items;
    assert_non_null(it);
    assert_true((it->alike.dev != NULL) == (mesh == NULL));
    expect(&t, &x);
    memcpy(t.s->large->modulus, x.modulus, (size_t)it->body.elements * 8);
    memcpy(t.s->large->blend, x.blend, (size_t)it->body.elements * 8);
    memcpy(t.s->large->slope, x.slope, (size_t)it->body.elements * 8);
    GOOD(cx, ig_topopt_large_items_moduli(t.s));
    const size_t nu = (size_t)t.d->unknowns, n = (size_t)t.d->places;
    ig_array u, v, out, energy;
    int32_t fault = INT32_MAX;
    GOOD(cx, ig_array_from(cx, &u, x.u, nu, 8, "u"));
    GOOD(cx, ig_array_from(cx, &v, x.v, nu, 8, "v"));
    GOOD(cx, ig_array_new_device(cx, &out, nu, 8, "out"));
    GOOD(cx, ig_array_new_device(cx, &energy, n, 8, "energy"));
    GOOD(cx, ig_array_zero(cx, &out));
    GOOD(cx, ig_array_zero(cx, &energy));
    GOOD(cx, cx->backend->copy_in(cx, it->fault.dev, &fault, sizeof fault));
    GOOD(cx, it->ops->force(cx, &it->body, u.dev, it->slot.dev, it->fault.dev));
    GOOD(cx, it->ops->gather(cx, &it->body, it->slot.dev, u.dev, 0, NULL, 1, out.dev, NULL));
    compare(cx, &out, x.f, nu, 1e-12);
    GOOD(cx, ig_topopt_large_items_product(t.s, u.dev, v.dev, out.dev));
    compare(cx, &out, x.Kv, nu, 1e-12);
    GOOD(cx, it->ops->energy(cx, &it->body, u.dev, v.dev, 1, energy.dev));
    compare(cx, &energy, x.energy, n, 1e-8);
    GOOD(cx, cx->backend->copy_out(cx, &fault, it->fault.dev, sizeof fault));
    assert_int_equal(fault, INT32_MAX);
    /* the last element turned inside out is the one that is named */
    const ig_topopt_body *b = &t.s->large->body;
    const int64_t to = b->at[b->node[(int64_t)b->elements * b->corners - 2]];
    for (int c = 0; c < b->dim; c++)
      x.u[to * t.d->layout.step + c * t.d->layout.stride] = -30;
    GOOD(cx, cx->backend->copy_in(cx, u.dev, x.u, nu * 8));
    for (int e = 0; e < b->elements; e++)
      t.s->large->blend[e] = 1;
    GOOD(cx, ig_topopt_large_items_moduli(t.s));
    GOOD(cx, it->ops->force(cx, &it->body, u.dev, it->slot.dev, it->fault.dev));
    GOOD(cx, cx->backend->copy_out(cx, &fault, it->fault.dev, sizeof fault));
    assert_true(fault < b->elements);
    double *const lists[] = {x.u, x.v, x.f, x.Kv, x.energy, x.modulus, x.blend, x.slope};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
      free(lists[i]);
    ig_array *const arrays[] = {&u, &v, &out, &energy};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
      ig_array_free(cx, arrays[i]);
    ig_topopt_problem_close(&t);
    ig_mesh_free(mesh);
    ig_ctx_close(cx);
  }
}

/* Objective, bounds and their slopes; `how`: the solver. The caller frees what it gets. */
static double *design_of(const char *backend, const char *how, const char *body, ig_evaluation *e,
                         size_t *n) {
  char text[1200];
  ig_ctx *cx = ctx_on(backend, 2);
  ig_topopt_problem t;
  snprintf(text, sizeof text, "{analysis: {large_deflections: true, load_steps: 2, %s}, %s", how,
           body);
  GOOD(cx, ig_topopt_problem_open(cx, text, &t));
  *n = (size_t)t.d->places;
  double *x = zeros(*n), *slope = zeros(3 * *n);
  uint8_t *role = calloc(*n, 1);
  int designed = 0;
  GOOD(cx, cx->backend->copy_out(cx, role, t.d->role, *n));
  for (size_t i = 0; i < *n; i++)
    if (role[i] == IG_ROLE_DESIGN) {
      x[i] = designed % 4 == 2 ? 0.2 : 0.6 + 0.3 * sin(1.7 * designed);
      designed++;
    }
  GOOD(cx, cx->backend->copy_in(cx, t.s->x.dev, x, *n * 8));
  *e = (ig_evaluation){0};
  ig_topopt_design_continue(&t.c, 1, e);
  GOOD(cx, ig_topopt_design_evaluate(t.s, e));
  assert_true(t.s->large->steps >= 2);
  for (int f = 0; f < 3; f++)
    GOOD(cx, cx->backend->copy_out(cx, slope + (size_t)f * *n,
                                   (f ? t.s->limit_slope[f - 1] : t.s->dc).dev, *n * 8));
  free(x);
  free(role);
  ig_topopt_problem_close(&t);
  ig_ctx_close(cx);
  return slope;
}

static void designs_are_those_of_the_matrix(const char *backend) {
  static const char *const law[] = {"law: elastic", "law: neo_hookean"};
  static const char *const body[] = {
      "grid: {elements: [8, 4, 0], size: [2, 1, 0]}, supports: [{box: {max: [0, 9, 9]}}], loads: "
      "[{box: {min: [2, 0, 0]}, force: [0.001, -0.003, 0]}], constraints: [{stress: 0.1}, {box: "
      "{min: [2, 0, 0]}, direction: [0, -1, 0], displacement: 0.3}], " REST,
      "grid: {elements: [6, 4, 4], size: [2, 1, 1]}, supports: [{box: {max: [0, 9, 9]}}], loads: "
      "[{box: {min: [2, 0, 0]}, force: [0.001, -0.002, 0.003]}], springs: [{box: {min: [2, 1, 1]}, "
      "stiffness: [0, 0.01, 0]}], constraints: [{stress: 0.1}, {compliance: 0.01}], " REST};
  for (int k = 0; k < 4; k++) {
    char how[2][96];
    snprintf(how[0], sizeof how[0], "%s, linear_solver: direct", law[k % 2]);
    snprintf(how[1], sizeof how[1], "%s, linear_solver: matrix_free", law[k % 2]);
    ig_evaluation e[2];
    size_t n;
    double *a = design_of("cpu", how[0], body[k / 2], &e[0], &n);
    double *b = design_of(backend, how[1], body[k / 2], &e[1], &n);
    assert_near(e[1].objective, e[0].objective, 1e-10 * e[0].objective);
    for (int f = 0; f < 2; f++)
      assert_near(e[1].limit[f], e[0].limit[f], 1e-10 * e[0].limit[f]);
    for (size_t f = 0; f < 3; f++) {
      double most = 0;
      for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[f * n + i]));
      for (size_t i = 0; i < n; i++)
        assert_near(b[f * n + i], a[f * n + i], 1e-7 * most);
    }
    free(a);
    free(b);
  }
}

static void on(const char *backend) {
  elements_are_those_of_solid(backend);
  designs_are_those_of_the_matrix(backend);
}
ON_BACKENDS

int main(void) {
  const struct CMUnitTest tests[] = {ON_BACKENDS_TESTS};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
