/* Every driver of the fracture kernels against the same items in a plain serial loop: backend x
   precision x assembly x element type, with facets open, a load, a motion, finite rotation, rigid
   contact and contact of surfaces. The mesh that comes out has the same numbers everywhere. */
#include "check.h"
#include "assembly/scatter.h"
#include "verify/fracture/problem.h"
#include "kern/prec_f64.h"
#include "material/cohesive.inc"
#include "assembly/scatter.inc"
#include "fracture/kernels/types.inc"
#include "geometry/mesh_case.h"

#define TYPES(X) X(tri3) X(tri6) X(tet4) X(tet10)
typedef void item_fn(const ig_frac_state *s, int64_t i);
typedef int64_t items_fn(const ig_frac_state *s);
#define X(t)                                                                                       \
  static void t##_plain(const ig_frac_state *s) {                                                  \
    item_fn *const item[] = {t##_item_load_f64,    t##_item_cohesive_f64, t##_item_wipe_f64,       \
                             t##_item_link_f64,    t##_item_press_f64,    t##_item_react_f64,      \
                             t##_item_element_f64, t##_item_contact_f64,  t##_item_node_f64,       \
                             t##_item_advance_f64};                                                \
    items_fn *const items[] = {t##_items_load_f64,    t##_items_cohesive_f64, t##_items_wipe_f64,  \
                               t##_items_link_f64,    t##_items_press_f64,    t##_items_react_f64, \
                               t##_items_element_f64, t##_items_contact_f64,  t##_items_node_f64,  \
                               t##_items_advance_f64};                                             \
    for (int k = 0; k < 10; k++)                                                                   \
      if ((k != 7 || s->zone.law.rigid) && (k < 2 || k > 5 || s->surface.on))                      \
        for (int64_t i = 0, n = items[k](s); i < n; i++)                                           \
          item[k](s, i);                                                                           \
  }
TYPES(X)
#undef X
#define X(t) t##_plain,
static void (*const plain[])(const ig_frac_state *) = {TYPES(X)};
#undef X

enum { STEPS = 6 };

enum { PLAIN, TURNED, RIGID, SURFACE, VARIANTS };
static void build(ig_ctx *cx, int kind, ig_precision precision, ig_assembly how, int variant,
                  ig_frac_problem *p, ig_frac_model *m) {
  const int rotation = variant == TURNED;
  static const ig_elem_type types[] = {IG_TRI3, IG_TRI6, IG_TET4, IG_TET10};
  ig_frac_problem_init(p, cx);
  const int dim = ig_elem_info_get(types[kind])->dim;
  ig_box_case box = {.size = {dim, (double[]){1, 0.8, 0.6}}, .cells = {dim, (double[]){4, 3, 2}}};
  const ig_mesh_case mesh = {
      .element = (int)types[kind] + 1, .boxes = {1, &box}, .jitter = {.amount = 0.2, .seed = 3}};
  GOOD(cx, ig_mesh_generate(cx, &mesh, &p->job.mesh));
  ig_frac_problem_material(p, 1e9, 0.3, 1000, 100, 1e7);
  p->c.cohesive.friction = 0.2;
  p->c.cohesive.contact = variant == RIGID;
  p->c.surface_contact = variant == SURFACE;
  p->c.rotation = rotation;
  p->c.safety = variant == SURFACE ? 0.2 : 0.3;
  p->c.cohesive.check_every = 0;
  static double t[] = {0, 1}, grows[] = {1, 3};
  p->load[0] = (ig_frac_load_case){
      .set = "xmax", .pressure = 1e5, .traction = {NAN}, .history = {2, t, grows}};
  p->load[1] = (ig_frac_load_case){.set = "ymax", .pressure = NAN, .traction = {2e4, -1e4, 0}};
  p->c.loads = (ig_list){2, p->load};
  p->support[0] = ig_support_fix("xmin", "z");
  p->support[0].velocity[0] = 2;
  p->support[0].acceleration[1] = 1e3;
  p->support[1] = ig_support_fix("ymin", NULL);
  p->support[1].displacement[1] = 1e-2;
  p->support[0].history = p->support[1].history = (ig_table){2, t, grows};
  if (dim == 2)
    p->support[0].fix = NULL;
  p->c.supports = (ig_list){2, p->support};
  p->job.precision = precision;
  p->job.assembly = how;
  GOOD(cx, ig_frac_setup(&p->job, m));
  /* a displacement field, then every third facet opens */
  void *u = ig_frac_model_host(m, "u");
  for (int64_t n = 0; n < m->count.nodes; n++)
    for (int d = 0; d < m->shape.dim; d++) {
      const double *x = p->job.mesh->x + 3 * n;
      const double swing = sin(5 * x[0] + d) * cos(3 * x[1] + 2 * d) + (d == 0 ? x[0] : -x[2]);
      ig_frac_model_put(m, u, n * m->shape.dim + d,
                        8e-3 * swing + (rotation ? 0.3 * x[1 - (d == 1)] * (d == 0 ? -1 : 1) : 0));
    }
  const size_t real = m->wide ? 8 : 4;
  GOOD(cx, cx->backend->copy_in(cx, m->s.nodal.u, u,
                                (size_t)m->count.nodes * (size_t)m->shape.dim * real));
  GOOD(cx, ig_frac_model_stress(m));
  uint8_t *mark = ig_frac_model_host(m, "mark");
  const int32_t *opp = ig_frac_model_host(m, "opp");
  const int64_t all = (int64_t)m->shape.faces * m->s.ne;
  for (int64_t i = 0; i < all; i++)
    mark[i] = opp[i] > i / m->shape.faces && i % 5 < 2;
  GOOD(cx, cx->backend->copy_in(cx, m->s.grow.mark, mark, (size_t)all));
  GOOD(cx, ig_frac_model_insert(m, IG_FRAC_HOLD));
  GOOD(cx, ig_frac_tables_check(m));
  assert_true(m->count.cohesive > 0 && m->count.nodes > p->job.mesh->nodes);
}

static double difference(ig_frac_model *a, ig_frac_model *b, const char *name) {
  void *x, *y;
  GOOD(a->cx, ig_frac_model_pull(a, name, &x));
  GOOD(b->cx, ig_frac_model_pull(b, name, &y));
  assert_int_equal(a->count.nodes, b->count.nodes);
  double most = 0, size = 0;
  for (int64_t i = 0; i < (int64_t)a->count.nodes * a->shape.dim; i++) {
    const double p = ig_frac_model_real(a, x, i), q = ig_frac_model_real(b, y, i);
    most = fmax(most, fabs(p - q));
    size = fmax(size, fabs(p));
    assert_true(q == q);
  }
  assert_true(size > 0);
  return most / size;
}

/* The cracked mesh, entry by entry. */
static void same(ig_frac_model *a, ig_frac_model *b) {
  static const char *const tables[] = {"conn", "opp", "list"};
  for (int i = 0; i < 3; i++) {
    void *x, *y;
    GOOD(a->cx, ig_frac_model_pull(a, tables[i], &x));
    GOOD(b->cx, ig_frac_model_pull(b, tables[i], &y));
    const int width = i == 1 ? a->shape.faces : a->shape.nodes;
    assert_memory_equal(x, y, (size_t)width * (size_t)a->s.ne * 4);
  }
  void *x, *y;
  GOOD(a->cx, ig_frac_model_pull(a, "coh", &x));
  GOOD(b->cx, ig_frac_model_pull(b, "coh", &y));
  assert_memory_equal(x, y, (size_t)a->count.cohesive * 8);
}

static void compare(const char *backend, int kind, int variant) {
  ig_ctx *plain_cx = ctx_on("cpu", 1);
  ig_frac_problem rp, p;
  ig_frac_model ref, m;
  build(plain_cx, kind, IG_DOUBLE, IG_GATHER, variant, &rp, &ref);
  for (int i = 0; i < STEPS; i++)
    plain[kind](&ref.s);
  assert_int_equal(ref.s.count->step, STEPS);
  for (int how = IG_ATOMIC; how <= IG_CLUSTER; how++)
    for (int wide = variant == SURFACE; wide < 2; wide++) /* who touches hangs on rounding */
      for (int threads = 1; threads <= (strcmp(backend, "cuda") ? 3 : 1); threads += 2) {
        ig_ctx *cx = ctx_on(backend, threads);
        build(cx, kind, wide ? IG_DOUBLE : IG_SINGLE, how, variant, &p, &m);
        ig_frac_model_set_step(&m, ref.s.dt);
        GOOD(cx, ig_frac_model_run(&m, STEPS));
        same(&ref, &m);
        const double tolerance = wide ? 1e-11 : 5e-4;
        assert_true(difference(&ref, &m, "u") < tolerance);
        assert_true(difference(&ref, &m, "v") < 20 * tolerance);
        ig_frac_model_free(&m);
        ig_frac_problem_free(&p);
        ig_ctx_close(cx);
      }
  ig_frac_model_free(&ref);
  ig_frac_problem_free(&rp);
  ig_ctx_close(plain_cx);
}

static void on(const char *backend) {
  for (int kind = 0; kind < 4; kind++)
    for (int variant = 0; variant < VARIANTS; variant++)
      compare(backend, kind, variant);
}
ON_BACKENDS

int main(void) {
  const struct CMUnitTest tests[] = {ON_BACKENDS_TESTS};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
