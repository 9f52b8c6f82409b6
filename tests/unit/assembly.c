/* The three strategies give the serial loop's sums; color and gather give them bit for bit. */
#include "check.h"
#include "assembly/assembly.h"
#include "assembly/cluster.h"
#include "backend/backend.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"

enum { NX = 7, NY = 5, NZ = 4, NODES = (NX + 1) * (NY + 1) * (NZ + 1), ELEMENTS = NX * NY * NZ };

/* A box of hexahedra: corner nodes have one element, inner ones eight. */
static void box(ig_lid *conn) {
  for (int e = 0; e < ELEMENTS; e++) {
    const int i = e % NX, j = e / NX % NY, k = e / NX / NY;
    const int low = i + (NX + 1) * (j + (NY + 1) * k), up = (NX + 1) * (NY + 1);
    const int corner[8] = {0, 1, NX + 2, NX + 1, up, up + 1, up + NX + 2, up + NX + 1};
    for (int a = 0; a < 8; a++)
      conn[8 * e + a] = low + corner[a];
  }
}

static double contribution(int e, int a, int c) {
  return sin(1 + 8 * e + a) / (1 + c);
}

/* What a driver does, with the scatter of the library. */
static void assemble(ig_ctx *cx, ig_plan *plan, int m, ig_lid active, double *result) {
  ig_array sum, slots;
  assert_int_equal(ig_array_new(cx, &sum, (size_t)(NODES * m), sizeof(double), "sum"), IG_OK);
  assert_int_equal(ig_array_new(cx, &slots, (size_t)(plan->slots * m) + 1, sizeof(double), "slots"),
                   IG_OK);
  assert_int_equal(ig_array_zero(cx, &sum), IG_OK);
  assert_int_equal(ig_array_zero(cx, &slots), IG_OK);
  const ig_scatter_view view = ig_plan_view(plan);
  double *s = sum.dev, *t = slots.dev;
  for (int color = 0; color < plan->colors; color++) {
    ig_lid begin, end;
    ig_plan_range(plan, color, active, &begin, &end);
#pragma omp parallel for num_threads(cx->threads)
    for (ig_lid i = begin; i < end; i++) {
      const ig_lid e = ig_scatter_element(&view, i);
      for (int a = 0; a < 8; a++)
        for (int c = 0; c < m; c++)
          ig_scatter_add_f64(&view, e, a, m, c, contribution(e, a, c), s, t);
    }
  }
  assert_int_equal(ig_plan_sum_f64(cx, plan, m, t, s), IG_OK);
  assert_int_equal(ig_array_pull(cx, &sum), IG_OK);
  memcpy(result, sum.host, sizeof(double) * (size_t)(NODES * m));
  ig_array_free(cx, &sum);
  ig_array_free(cx, &slots);
}

static void strategies_agree(void **state) {
  (void)state;
  static ig_lid conn[8 * ELEMENTS];
  static double expected[3 * NODES], first[3 * NODES], got[3 * NODES];
  box(conn);
  const char *const backends[] = {"cpu", "debug"};
  const ig_lid actives[] = {ELEMENTS, ELEMENTS / 3, 0};
  for (int b = 0; b < 2; b++)
    for (int how = 0; how < 3; how++)
      for (int form = 0; form < (how == IG_GATHER ? 2 : 1); form++)
        for (int n = 0; n < 3; n++)
          for (int m = 1; m <= 3; m += 2) {
            memset(expected, 0, sizeof expected);
            for (int e = 0; e < actives[n]; e++)
              for (int a = 0; a < 8; a++)
                for (int c = 0; c < m; c++)
                  expected[conn[8 * e + a] * m + c] += contribution(e, a, c);
            for (int threads = 1; threads <= 3; threads++) {
              ig_ctx *cx = ctx_on(backends[b], threads);
              ig_plan plan;
              assert_int_equal(ig_plan_new(cx, (ig_assembly)how, (ig_slot_form)form, NODES,
                                           ELEMENTS, 8, conn, &plan),
                               IG_OK);
              assemble(cx, &plan, m, actives[n], got);
              for (int i = 0; i < NODES * m; i++)
                assert_true(fabs(got[i] - expected[i]) < 1e-13);
              if (threads == 1)
                memcpy(first, got, sizeof got);
              else if (how != IG_ATOMIC)
                assert_memory_equal(first, got, sizeof(double) * (size_t)(NODES * m));
              ig_plan_free(cx, &plan);
              assert_int_equal(cx->device_bytes, sizeof(ig_fault));
              ig_ctx_close(cx);
            }
          }
}

/* Sums through clusters, in the order a driver adds them. */
static void clusters_add(const ig_clusters *c, const ig_lid *conn, double *sum) {
  const ig_cluster_view v = ig_clusters_view(c);
  double *slots = calloc((size_t)c->slots + 1, sizeof *slots), own[2048];
  int *seen = calloc(ELEMENTS, sizeof *seen), *inner = calloc(NODES, sizeof *inner);
  assert_true(slots && seen && inner);
  memset(sum, 0, NODES * sizeof *sum);
  for (int32_t k = 0; k < v.count; k++) {
    const ig_cluster *p = &v.cluster[k];
    assert_true(p->count <= c->capacity && p->nodes <= 2 * c->capacity && p->nodes <= 2048);
    memset(own, 0, sizeof own);
    for (int32_t i = p->first; i < p->first + p->count; i++) {
      const int32_t e = v.order[i];
      assert_true(e >= p->earliest);
      seen[e]++;
      for (int a = 0; a < 8; a++) {
        const int at = v.local[8 * i + a];
        assert_int_equal(v.node[p->node + at], conn[8 * e + a]);
        own[at] += contribution(e, a, 0);
      }
    }
    for (int j = 0; j < p->nodes; j++) { /* node by node: the same terms in the same order */
      double again = 0;
      for (int t = j ? v.end[p->node + j - 1] : 0; t < v.end[p->node + j]; t++) {
        const int term = v.term[8 * p->first + t], a = term / v.capacity, i = term % v.capacity;
        assert_true(i < p->count && v.local[8 * (p->first + i) + a] == j);
        again += contribution(v.order[p->first + i], a, 0);
      }
      assert_memory_equal(&again, &own[j], sizeof again);
    }
    assert_int_equal(v.end[p->node + p->nodes - 1], 8 * p->count);
    for (int j = 0; j < p->nodes; j++)
      if (j < p->inner) {
        sum[v.node[p->node + j]] += own[j];
        inner[v.node[p->node + j]]++;
      } else {
        slots[v.slot[p->slot + j - p->inner]] += own[j];
      }
  }
  for (int32_t b = 0; b < v.borders; b++) {
    assert_int_equal(inner[v.border[b]]++, 0);
    assert_true(v.first[b + 1] - v.first[b] > 1);
    ig_node_add_f64(NULL, v.first[b], v.first[b + 1], 1, 1, slots, &sum[v.border[b]]);
  }
  for (int e = 0; e < ELEMENTS; e++)
    assert_int_equal(seen[e], 1);
  for (int n = 0; n < NODES; n++)
    assert_int_equal(inner[n], 1);
  free(slots);
  free(seen);
  free(inner);
}

/* Clusters of any size cover the mesh, once each, and give the serial sums; also of elements that
   share no node, whatever the number of threads. */
static void clusters_cover_the_mesh(void **state) {
  (void)state;
  static ig_lid conn[8 * ELEMENTS];
  static double x[3 * NODES], expected[NODES], got[NODES], first[NODES];
  const int capacity[] = {1, 6, 33, 140, 512};
  box(conn);
  for (int n = 0; n < NODES; n++) {
    x[3 * n] = 0.1 * (n % (NX + 1));
    x[3 * n + 1] = 0.1 * (n / (NX + 1) % (NY + 1));
    x[3 * n + 2] = 0.1 * (n / (NX + 1) / (NY + 1));
  }
  memset(expected, 0, sizeof expected);
  for (int e = 0; e < ELEMENTS; e++)
    for (int a = 0; a < 8; a++)
      expected[conn[8 * e + a]] += contribution(e, a, 0);
  for (int i = 0; i < 5; i++)
    for (int threads = 1; threads <= 2; threads++) {
      ig_ctx *cx = ctx_on("cpu", threads);
      ig_clusters c;
      GOOD(cx, ig_clusters_new(cx, NODES, ELEMENTS, 8, conn, x, capacity[i], 1, &c));
      if (capacity[i] >= 8) {
        assert_true(c.count >= (ELEMENTS + capacity[i] - 1) / capacity[i]);
        assert_true(c.count == 1 || capacity[i] < ELEMENTS);
        clusters_add(&c, conn, got);
        for (int n = 0; n < NODES; n++)
          assert_true(fabs(got[n] - expected[n]) < 1e-13);
        if (threads == 1)
          memcpy(first, got, sizeof got);
        else
          assert_memory_equal(first, got, sizeof got);
      }
      ig_clusters_free(cx, &c);
      assert_int_equal(cx->device_bytes, sizeof(ig_fault));
      ig_ctx_close(cx);
    }
}

/* Elements that share no node make more nodes than a cluster can have: it has fewer elements. */
static void clusters_of_separate_elements(void **state) {
  (void)state;
  enum { APART = 100 };
  static ig_lid conn[8 * APART];
  static double x[3 * 8 * APART];
  for (int i = 0; i < 8 * APART; i++) {
    conn[i] = i;
    x[3 * i] = i;
  }
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_clusters c;
  GOOD(cx, ig_clusters_new(cx, 8 * APART, APART, 8, conn, x, 32, 1, &c));
  assert_int_equal(c.borders, 0);
  assert_true(c.most_nodes <= 64 && c.count >= APART / 8);
  ig_clusters_free(cx, &c);
  ig_lid star[8 * 300]; /* all elements have node 0, some a node twice */
  for (int i = 0; i < 8 * 300; i++)
    star[i] = i % 8 ? 1 + (i / 8 * 7 + i % 8) % 799 : 0;
  GOOD(cx, ig_clusters_new(cx, 800, 300, 8, star, x, 512, 1, &c));
  assert_int_equal(((uint16_t *)c.end.host)[c.node.count - 1], 8 * 300);
  ig_clusters_free(cx, &c);
  ig_ctx_close(cx);
}

/* Compact slots hold one entry a corner of an element; rows are as wide as the busiest node. */
static void compact_form_wastes_nothing(void **state) {
  (void)state;
  static ig_lid conn[8 * ELEMENTS];
  box(conn);
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_plan compact, rows;
  assert_int_equal(ig_plan_new(cx, IG_GATHER, IG_SLOTS_COMPACT, NODES, ELEMENTS, 8, conn, &compact),
                   IG_OK);
  assert_int_equal(ig_plan_new(cx, IG_GATHER, IG_SLOTS_ROWS, NODES, ELEMENTS, 8, conn, &rows),
                   IG_OK);
  assert_int_equal(compact.slots, 8 * ELEMENTS);
  assert_int_equal(rows.slots, 8 * NODES);
  ig_plan_free(cx, &compact);
  ig_plan_free(cx, &rows);
  ig_ctx_close(cx);
}

/* Two blocks that share a node: its slots come in the order of blocks, then of elements. */
static void slots_of_several_blocks(void **state) {
  (void)state;
  const ig_lid bars[4] = {0, 1, 1, 2}, triangle[3] = {1, 3, 2};
  ig_lid bar_slot[4], triangle_slot[3], first[5];
  const ig_slot_block block[2] = {{2, 2, bars, bar_slot}, {1, 3, triangle, triangle_slot}};
  ig_ctx *cx = ctx_on("cpu", 1);
  assert_int_equal(ig_slots_number(cx, 4, 2, block, first), IG_OK);
  const ig_lid starts[5] = {0, 1, 4, 6, 7}, bar[4] = {0, 1, 2, 4}, corner[3] = {3, 6, 5};
  assert_memory_equal(first, starts, sizeof starts);
  assert_memory_equal(bar_slot, bar, sizeof bar);
  assert_memory_equal(triangle_slot, corner, sizeof corner);
  ig_ctx_close(cx);
}

/* One element of two nodes with three values each, at pitch four: what stands between stays. Twice
   with each strategy; a slot is written anew, with `more` added to. */
static void vectors_are_scattered(void **state) {
  (void)state;
  const double value[6] = {1, 2, 3, 10, 20, 30};
  const int32_t place[2] = {2, 0};
  for (int how = IG_ATOMIC; how <= IG_GATHER; how++) {
    double to[12];
    for (int i = 0; i < 12; i++)
      to[i] = 0.5;
    for (int twice = 0; twice < 2; twice++)
      for (int lane = 0; lane < 2; lane++)
        ig_scatter_nodes_f64(how, 2, 3, value, place, 4, lane, 2, to);
    const double times = how == IG_GATHER ? 1 : 2, was = how == IG_GATHER ? 0 : 0.5;
    for (int c = 0; c < 3; c++) {
      assert_true(to[8 + c] == was + times * value[c]);
      assert_true(to[c] == was + times * value[3 + c]);
      assert_true(to[4 + c] == 0.5);
    }
    assert_true(to[3] == 0.5 && to[11] == 0.5);
    ig_scatter_put_f64(how, 3, value, 1, 4, to);
    assert_true(to[0] == was + times * 10 + 1);
  }
  double sum[2] = {1, -1};
  const double slots[6] = {1, 2, 4, 8, 16, 32};
  const int32_t list[3] = {2, 0, 1};
  ig_node_add_f64(list, 0, 2, 2, 2, slots, sum);
  assert_true(sum[0] == 18 && sum[1] == 33);
  ig_node_add_f64(NULL, 1, 3, 2, 2, slots, sum);
  assert_true(sum[0] == 38 && sum[1] == 73);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strategies_agree),
      cmocka_unit_test(clusters_cover_the_mesh),
      cmocka_unit_test(clusters_of_separate_elements),
      cmocka_unit_test(compact_form_wastes_nothing),
      cmocka_unit_test(slots_of_several_blocks),
      cmocka_unit_test(vectors_are_scattered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
