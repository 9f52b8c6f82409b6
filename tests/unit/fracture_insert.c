/* Insertion: the counts, the adjacencies, the same mesh whatever the schedule. */
#include "check.h"
#include "fracture/model.h"
#include "fracture_mesh.h"

static ig_ctx *open_backend(const char *name, int threads) {
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = name, .threads = threads};
  assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
  return cx;
}

static void ok(ig_ctx *cx, ig_status status) {
  if (status != IG_OK)
    fail_msg("%s", ig_ctx_message(cx));
}

static frac_settings settings(void) {
  frac_settings s = {
      .precision = IG_DOUBLE,
      .assembly = IG_GATHER,
      .thickness = 1,
      .dt = 1e-9,
      .materials = 1,
      .law = {.phi_n = 352, .phi_t = 352, .sigma = 324e6, .tau = 324e6, .alpha = 2, .beta = 2}};
  s.elastic[0] = frac_elastic_of(3.24e9, 0.35, 1190, 1);
  return s;
}

/* Every adjacency seen from both sides, every node one fan of closed facets, every slot listed. */
static void check_tables(frac_model *m) {
  void *p;
  ok(m->cx, frac_model_pull(m, "opp", &p));
  const int32_t *opp = p;
  ok(m->cx, frac_model_pull(m, "conn", &p));
  const int32_t *conn = p;
  ok(m->cx, frac_model_pull(m, "coh", &p));
  const int32_t *coh = p;
  ok(m->cx, frac_model_pull(m, "list", &p));
  const int32_t *list = p;
  ok(m->cx, frac_model_pull(m, "first", &p));
  const int32_t *first = p;
  ok(m->cx, frac_model_pull(m, "used", &p));
  const int32_t *used = p;
  ok(m->cx, frac_model_pull(m, "x", &p));
  const double *x = p;
  const int nf = m->shape.faces, nn = m->shape.nodes, dim = m->shape.dim;
  const int64_t ne = m->s.ne;
  int32_t *seen = calloc((size_t)m->count.cohesive + 1, sizeof *seen);
  for (int64_t i = 0; i < nf * ne; i++) {
    const int32_t e = (int32_t)(i % ne), o = opp[i];
    if (o >= ne) {
      assert_true(coh[2 * (o - ne)] == i || coh[2 * (o - ne) + 1] == i);
      seen[o - ne]++;
    } else if (o >= 0) {
      int back = 0, fo = 0;
      for (int f = 0; f < nf; f++)
        if (opp[f * ne + o] == e)
          back++, fo = f;
      assert_int_equal(back, 1);
      for (int j = 0; j < m->shape.face_nodes; j++) { /* closed facets share their nodes */
        const int32_t n = conn[frac_face_node(m->kind, (int)(i / ne), j) * ne + e];
        int found = 0;
        for (int k = 0; k < m->shape.face_nodes; k++)
          found += conn[frac_face_node(m->kind, fo, k) * ne + o] == n;
        assert_int_equal(found, 1);
      }
    }
  }
  for (int32_t c = 0; c < m->count.cohesive; c++) {
    assert_int_equal(seen[c], 2);
    assert_true(coh[2 * c] % ne < coh[2 * c + 1] % ne);
  }
  free(seen);
  int64_t slots = 0;
  for (int32_t n = 0; n < m->count.nodes; n++) {
    assert_true(used[n] > 0);
    slots += used[n];
    for (int i = 0; i < used[n]; i++)
      assert_int_equal(conn[list[first[n] + i]], n);
  }
  assert_int_equal(slots, nn * ne);
  (void)x;
  (void)dim;
}

static uint64_t rng(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

/* Opens all facets in random order in `batches`; returns a fingerprint of the connectivity. */
static uint64_t open_all(frac_model *m, int batches) {
  const int64_t all = (int64_t)m->shape.faces * m->s.ne;
  uint8_t *mark = frac_model_host(m, "mark");
  int32_t *order = malloc((size_t)m->facets * sizeof *order);
  const int32_t *opp = frac_model_host(m, "opp");
  int64_t n = 0;
  for (int64_t i = 0; i < all; i++)
    if (opp[i] > i % m->s.ne && opp[i] < m->s.ne)
      order[n++] = (int32_t)i;
  assert_int_equal(n, m->facets);
  uint64_t state = 88172645463325252u;
  for (int64_t i = n - 1; i > 0; i--) {
    const int64_t j = (int64_t)(rng(&state) % (uint64_t)(i + 1));
    const int32_t t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
  for (int b = 0; b < batches; b++) {
    memset(mark, 0, (size_t)all);
    for (int64_t i = n * b / batches; i < n * (b + 1) / batches; i++)
      mark[order[i]] = 1;
    ok(m->cx, m->cx->backend->copy_in(m->cx, m->s.mark, mark, (size_t)all));
    ok(m->cx, frac_model_insert(m, false));
    if (b == batches / 3 || b == batches - 1)
      check_tables(m);
  }
  free(order);
  uint64_t h = 1469598103934665603u;
  const int32_t *conn = frac_model_host(m, "conn");
  for (int64_t i = 0; i < (int64_t)m->shape.nodes * m->s.ne; i++)
    h = (h ^ (uint32_t)conn[i]) * 1099511628211u;
  return h;
}

static void annulus(const char *backend, int threads, int quadratic, int nr, int nth,
                    uint64_t *print) {
  ig_ctx *cx = open_backend(backend, threads);
  ig_mesh *mesh = crossed_mesh(cx, nr, nth, 0.5, 1, 1, quadratic);
  ok(cx, ig_mesh_check(cx, mesh));
  const frac_settings set = settings();
  frac_model m;
  ok(cx, frac_model_new(cx, mesh, &set, &m));
  ok(cx, frac_model_start(&m));
  const int64_t ne = 4LL * nr * nth, boundary = 2LL * nth, edges = (3 * ne + boundary) / 2;
  assert_int_equal(m.s.ne, ne);
  assert_int_equal(m.count.nodes, edges - ne + (quadratic ? edges : 0));
  *print = open_all(&m, 20);
  assert_int_equal(m.count.cohesive, (3 * ne - boundary) / 2);
  assert_int_equal(m.count.nodes, ne * (quadratic ? 6 : 3));
  frac_model_free(&m);
  ig_mesh_free(mesh);
  ig_ctx_close(cx);
}

static void annulus_comes_apart_completely(void **state) {
  (void)state;
  for (int quadratic = 0; quadratic < 2; quadratic++) {
    uint64_t a, b, c;
    annulus("cpu", 1, quadratic, 10, 60, &a);
    annulus("cpu", 3, quadratic, 10, 60, &b);
    annulus("debug", 2, quadratic, 10, 60, &c);
    assert_true(a == b && b == c);
  }
}

static void table_five_first_row(void **state) {
  (void)state;
  uint64_t print;
  annulus("cpu", 2, 1, 100, 600, &print);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(annulus_comes_apart_completely),
                                     cmocka_unit_test(table_five_first_row)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
