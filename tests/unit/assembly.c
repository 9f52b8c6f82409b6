/* The three strategies give the serial loop's sums; color and gather give them bit for bit. */
#include "check.h"
#include "assembly/assembly.h"
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
      cmocka_unit_test(compact_form_wastes_nothing),
      cmocka_unit_test(slots_of_several_blocks),
      cmocka_unit_test(vectors_are_scattered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
