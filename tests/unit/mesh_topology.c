/* Adjacency, coloring, orders and classes, against plain definitions; and how long a million takes.
 */
#include "mesh_check.h"
#include "mesh/topology.h"
#include "thermal/kernels/heat_cells.h"

#include <time.h>

static ig_mesh *box(ig_elem_type type, int a, int b, int c) {
  ig_mesh *mesh = NULL;
  assert_int_equal(ig_mesh_box(cx, type, (double[]){1, 1, 1}, (int[]){a, b, c}, &mesh), IG_OK);
  return mesh;
}

/* Two hexahedra, two tetrahedra on a face of neither, a quadrilateral pair: blocks of all kinds. */
static ig_mesh *mixed(void) {
  static const double x[][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                {2, 1, 0}, {0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {0, 1, 1},
                                {1, 1, 1}, {2, 1, 1}, {0, 0, 2}, {1, 0, 2}};
  ig_mesh *mesh;
  ig_block *b;
  assert_int_equal(ig_mesh_new(cx, 3, 14, &mesh), IG_OK);
  memcpy(mesh->x, x, sizeof x);
  assert_int_equal(ig_mesh_add_block(cx, mesh, IG_HEX8, 2, &b), IG_OK);
  memcpy(b->conn, (ig_lid[]){0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10},
         16 * sizeof *b->conn);
  assert_int_equal(ig_mesh_add_block(cx, mesh, IG_TET4, 2, &b), IG_OK);
  memcpy(b->conn, (ig_lid[]){6, 7, 10, 12, 7, 10, 12, 13}, 8 * sizeof *b->conn);
  return mesh;
}

static void nodes_know_their_elements(void **state) {
  (void)state;
  ig_lid conn[] = {6, 7, 10, 12, 7, 10, 12, 13}; /* two tetrahedra */
  ig_csr csr;
  GOOD(cx, ig_mesh_node_elements(cx, 14, 2, 4, conn, &csr));
  const ig_lid at7[] = {0, 1};
  assert_int_equal(csr.start[8] - csr.start[7], 2);
  assert_memory_equal(csr.item + csr.start[7], at7, sizeof at7);
  assert_int_equal(csr.start[14], 8);
  assert_int_equal(csr.item[csr.start[13]], 1);
  ig_csr_free(&csr);
  conn[3] = 14;
  BAD(cx, ig_mesh_node_elements(cx, 14, 2, 4, conn, &csr), "uses node 14");
}

static void neighbors_look_back(void **state) {
  (void)state;
  ig_mesh *list[] = {mixed(), box(IG_HEX8, 3, 4, 5), box(IG_TET4, 2, 3, 2), box(IG_TRI6, 4, 3, 0)};
  const ig_lid boundary[] = {10 + 6, 94, 64, 14};
  for (int m = 0; m < 4; m++) {
    ig_adjacency adj;
    assert_int_equal(ig_mesh_adjacency(cx, list[m], &adj), IG_OK);
    ig_lid open = 0, element = 0;
    for (int b = 0; b < list[m]->blocks; b++) {
      const int faces = ig_elem_info_get(list[m]->block[b].type)->faces;
      for (ig_lid e = 0; e < list[m]->block[b].count; e++, element++)
        for (int f = 0; f < faces; f++) {
          const ig_lid id = adj.start[b] + e * faces + f, other = adj.neighbor[id];
          if (other < 0) {
            assert_int_equal(other, IG_NO_NEIGHBOR);
            open++;
            continue;
          }
          ig_lid local;
          const ig_block *back = ig_mesh_element(list[m], other, &local);
          const ig_lid mirror = adj.start[back - list[m]->block] +
                                local * ig_elem_info_get(back->type)->faces + adj.back[id];
          assert_int_equal(adj.neighbor[mirror], element);
          assert_int_equal(adj.back[mirror], f);
        }
    }
    assert_int_equal(open, boundary[m]);
    ig_adjacency_free(&adj);
    ig_mesh_free(list[m]);
  }
}

static void three_shells_at_an_edge_are_a_junction(void **state) {
  (void)state;
  ig_mesh *mesh;
  ig_block *b;
  assert_int_equal(ig_mesh_new(cx, 3, 5, &mesh), IG_OK);
  memcpy(mesh->x, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1}, 15 * sizeof(double));
  assert_int_equal(ig_mesh_add_block(cx, mesh, IG_TRI3, 3, &b), IG_OK);
  memcpy(b->conn, (ig_lid[]){0, 1, 2, 1, 0, 3, 0, 1, 4}, 9 * sizeof *b->conn);
  ig_adjacency adj;
  assert_int_equal(ig_mesh_adjacency(cx, mesh, &adj), IG_OK);
  assert_int_equal(adj.neighbor[0], IG_JUNCTION);
  assert_int_equal(adj.neighbor[6], IG_JUNCTION);
  assert_int_equal(adj.neighbor[1], IG_NO_NEIGHBOR);
  ig_adjacency_free(&adj);
  ig_mesh_free(mesh);
}

static void coloring_check(const ig_mesh *mesh, const ig_coloring *c, double spread) {
  const ig_lid elements = ig_mesh_elements(mesh);
  int *last = calloc((size_t)mesh->nodes, sizeof *last);
  char *seen = calloc((size_t)elements, 1);
  assert_int_equal(c->start[0], 0);
  assert_int_equal(c->start[c->colors], elements);
  ig_lid least = elements, most = 0;
  for (int k = 0; k < c->colors; k++) {
    const ig_lid size = c->start[k + 1] - c->start[k];
    least = size < least ? size : least;
    most = size > most ? size : most;
    for (ig_lid i = c->start[k]; i < c->start[k + 1]; i++) {
      assert_true(i == c->start[k] || c->order[i] > c->order[i - 1]);
      assert_false(seen[c->order[i]]++);
      ig_lid e;
      const ig_block *b = ig_mesh_element(mesh, c->order[i], &e);
      const int npe = ig_elem_info_get(b->type)->nodes;
      for (int a = 0; a < npe; a++) {
        assert_int_not_equal(last[b->conn[e * npe + a]], k + 1);
        last[b->conn[e * npe + a]] = k + 1;
      }
    }
  }
  if (most - least > spread * elements / c->colors + 1)
    print_error("%d colors of %d to %d\n", c->colors, least, most);
  assert_true(most - least <= spread * elements / c->colors + 1);
  free(last);
  free(seen);
}

static void colors_share_no_node_and_are_even(void **state) {
  (void)state;
  ig_mesh *hex = box(IG_HEX8, 10, 8, 6), *tet = box(IG_TET4, 6, 6, 6);
  ig_coloring c;
  const ig_block *b = &hex->block[0];
  assert_int_equal(ig_mesh_color(cx, hex->nodes, b->count, 8, b->conn, &c), IG_OK);
  coloring_check(hex, &c, 0.05);
  assert_int_equal(c.colors, 8);
  ig_coloring_free(&c);
  b = &tet->block[0];
  assert_int_equal(ig_mesh_color(cx, tet->nodes, b->count, 4, b->conn, &c), IG_OK);
  coloring_check(tet, &c, 0.1);
  assert_true(c.colors >= 24 && c.colors <= 48);
  ig_coloring_free(&c);
  ig_mesh_free(hex);
  ig_mesh_free(tet);
}

static void a_star_of_many_needs_many_colors(void **state) {
  (void)state;
  enum { N = 300, TOO_MANY = 5000 };
  ig_lid *conn = malloc(2 * TOO_MANY * sizeof *conn);
  for (ig_lid e = 0; e < TOO_MANY; e++) {
    conn[2 * e] = 0;
    conn[2 * e + 1] = e + 1;
  }
  ig_coloring c;
  assert_int_equal(ig_mesh_color(cx, TOO_MANY + 1, N, 2, conn, &c), IG_OK);
  assert_int_equal(c.colors, N);
  ig_coloring_free(&c);
  BAD(cx, ig_mesh_color(cx, TOO_MANY + 1, TOO_MANY, 2, conn, &c),
      "choose assembly atomic or gather");
  assert_int_equal(ig_mesh_color(cx, 10, 0, 2, conn, &c), IG_OK);
  assert_int_equal(c.colors, 0);
  ig_coloring_free(&c);
  free(conn);
}

static void curve_order_keeps_the_mesh(void **state) {
  (void)state;
  ig_mesh *mesh = box(IG_HEX8, 16, 16, 16), *old = box(IG_HEX8, 16, 16, 16);
  ig_order order;
  assert_int_equal(ig_mesh_reorder(cx, mesh, &order), IG_OK);
  assert_int_equal(ig_mesh_check(cx, mesh), IG_OK);
  ig_lid near = 0, near_old = 0; /* nodes of an element that are close in memory */
  for (ig_lid e = 0; e < 4096; e++)
    for (int a = 0; a < 8; a++) {
      const ig_lid n = mesh->block[0].conn[8 * e + a];
      assert_int_equal(order.node[n], old->block[0].conn[8 * order.element[e] + a]);
      assert_memory_equal(mesh->x + 3 * n, old->x + 3 * order.node[n], 3 * sizeof *mesh->x);
      near += abs(n - mesh->block[0].conn[8 * e]) < 64;
      near_old += abs(old->block[0].conn[8 * e + a] - old->block[0].conn[8 * e]) < 64;
    }
  assert_true(near > 1.2 * near_old);
  /* sets followed */
  const ig_set *a = ig_mesh_find_set(mesh, "zmax", IG_SET_FACES);
  assert_int_equal(a->count, 256);
  for (ig_lid i = 0; i < a->count; i++) {
    assert_true(i == 0 || a->item[i] > a->item[i - 1]);
    assert_true(order.element[a->item[i]] >= 4096 - 256);
  }
  ig_order_free(&order);
  ig_mesh_free(mesh);
  ig_mesh_free(old);
}

static ig_lid classes_of(const ig_mesh *mesh) {
  ig_classes c;
  const ig_block *b = &mesh->block[0];
  const int npe = ig_elem_info_get(b->type)->nodes;
  assert_int_equal(ig_mesh_classes(cx, mesh->x, b->count, npe, b->conn, &c), IG_OK);
  const ig_lid count = c.count;
  for (ig_lid e = 0; e < b->count; e++) {
    assert_in_range(c.of[e], 0, c.count - 1);
    const ig_lid *p = b->conn + npe * e, *q = b->conn + npe * c.representative[c.of[e]];
    for (int a = 1; a < npe; a++)
      for (int d = 0; d < 3; d++)
        assert_near(mesh->x[3 * p[a] + d] - mesh->x[3 * p[0] + d],
                    mesh->x[3 * q[a] + d] - mesh->x[3 * q[0] + d], 1e-8);
  }
  ig_classes_free(&c);
  return count;
}

static void congruent_elements_share_a_class(void **state) {
  (void)state;
  ig_mesh *mesh = box(IG_HEX8, 7, 9, 11);
  assert_int_equal(classes_of(mesh), 1);
  mesh->x[3 * 300 + 1] += 1e-3; /* an inner node: its eight elements are on their own */
  assert_int_equal(classes_of(mesh), 9);
  for (ig_lid n = 0; n < mesh->nodes; n++)
    mesh->x[3 * n] += 1000; /* rounding must not part equals */
  assert_int_equal(classes_of(mesh), 9);
  ig_mesh_free(mesh);

  mesh = box(IG_TET4, 5, 5, 5);
  assert_int_equal(classes_of(mesh), 6);
  ig_mesh_free(mesh);

  ig_box_case graded = {
      .size = IG_ROW(1, 1, 1), .cells = IG_ROW(4, 5, 6), .grading = IG_ROW(1, 3, 0.5)};
  const ig_mesh_case c = {.boxes = {1, &graded}};
  assert_int_equal(ig_mesh_generate(cx, &c, &mesh), IG_OK);
  assert_int_equal(classes_of(mesh), 30);
  ig_mesh_free(mesh);

  const ig_mesh_case shaken = {.boxes = {1, &graded}, .jitter = {.amount = 0.1}};
  assert_int_equal(ig_mesh_generate(cx, &shaken, &mesh), IG_OK);
  assert_int_equal(classes_of(mesh), 120);
  ig_mesh_free(mesh);
}

/* Threads fill lists in any order: what comes out is in the same one. */
static void threads_change_nothing(void **state) {
  (void)state;
  ig_ctx *by[2] = {ctx_on("cpu", 1), ctx_on("cpu", 4)};
  ig_mesh *mesh;
  ig_csr csr[2];
  ig_adjacency adj[2];
  ig_classes classes[2];
  assert_int_equal(ig_mesh_box(by[0], IG_TET4, (double[]){1, 1, 1}, (int[]){16, 15, 17}, &mesh),
                   IG_OK);
  const ig_block *b = &mesh->block[0];
  for (int i = 0; i < 2; i++) {
    GOOD(by[i], ig_mesh_node_elements(by[i], mesh->nodes, b->count, 4, b->conn, &csr[i]));
    GOOD(by[i], ig_mesh_adjacency(by[i], mesh, &adj[i]));
    GOOD(by[i], ig_mesh_classes(by[i], mesh->x, b->count, 4, b->conn, &classes[i]));
  }
  assert_memory_equal(csr[0].start, csr[1].start, sizeof(ig_lid) * ((size_t)mesh->nodes + 1));
  assert_memory_equal(csr[0].item, csr[1].item, sizeof(ig_lid) * 4 * (size_t)b->count);
  assert_int_equal(adj[0].faces, 4 * b->count);
  assert_memory_equal(adj[0].neighbor, adj[1].neighbor, sizeof(ig_lid) * (size_t)adj[0].faces);
  assert_memory_equal(adj[0].back, adj[1].back, (size_t)adj[0].faces);
  assert_int_equal(classes[0].count, classes[1].count);
  assert_memory_equal(classes[0].of, classes[1].of, sizeof(ig_lid) * (size_t)b->count);
  for (int i = 0; i < 2; i++) {
    ig_csr_free(&csr[i]);
    ig_adjacency_free(&adj[i]);
    ig_classes_free(&classes[i]);
    ig_ctx_close(by[i]);
  }
  ig_mesh_free(mesh);
}

static double cpu_now(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

/* Generous: the aim is two seconds on one core. Time of this program alone: a machine may be busy.
 */
static void a_million_hexahedra_are_ready_soon(void **state) {
  (void)state;
  ig_ctx *one = ctx_on("cpu", 1);
  const double start = cpu_now();
  ig_mesh *mesh;
  ig_csr csr;
  ig_coloring coloring;
  ig_adjacency adj;
  assert_int_equal(ig_mesh_box(one, IG_HEX8, (double[]){1, 1, 1}, (int[]){100, 100, 100}, &mesh),
                   IG_OK);
  const double made = cpu_now();
  const ig_block *b = &mesh->block[0];
  assert_int_equal(ig_mesh_node_elements(one, mesh->nodes, b->count, 8, b->conn, &csr), IG_OK);
  assert_int_equal(ig_mesh_adjacency(one, mesh, &adj), IG_OK);
  const double connected = cpu_now();
  assert_int_equal(ig_mesh_color(one, mesh->nodes, b->count, 8, b->conn, &coloring), IG_OK);
  const double colored = cpu_now();
  print_message("made %.2f s, connected %.2f s, colored %.2f s (%d colors)\n", made - start,
                connected - made, colored - connected, coloring.colors);
  assert_true(colored - start < 20);
  assert_int_equal(coloring.colors, 8);
  ig_csr_free(&csr);
  ig_adjacency_free(&adj);
  ig_coloring_free(&coloring);
  ig_mesh_free(mesh);
  ig_ctx_close(one);
}

/* Neighbours of hexahedra found from the elements at nodes are those found by sorting faces:
   numbered line by line, along a curve, and with every other element turned a quarter about z. */
static void hexahedra_across_faces(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    ig_mesh *mesh = box(IG_HEX8, 7, 5, 6);
    ig_block *b = &mesh->block[0];
    ig_order order;
    if (kind == 1) {
      GOOD(cx, ig_mesh_reorder(cx, mesh, &order));
      ig_order_free(&order);
    }
    for (ig_lid e = 0; kind == 2 && e < b->count; e += 2) {
      ig_lid *n = b->conn + 8 * e, was[8];
      memcpy(was, n, sizeof was);
      for (int a = 0; a < 8; a++)
        n[a] = was[a / 4 * 4 + (a + 1) % 4];
    }
    if (kind == 3) /* a third element at the face between two */
      memcpy(b->conn + 8 * 40, b->conn + 8 * 41, 8 * sizeof *b->conn);
    ig_heat_cells cells;
    ig_csr around;
    GOOD(cx, ig_heat_cells_make(cx, mesh, &cells));
    GOOD(cx, ig_mesh_node_elements(cx, mesh->nodes, cells.count, 8, cells.conn, &around));
    ig_lid *found = calloc(6 * (size_t)cells.count, sizeof *found);
    assert_int_equal(ig_heat_cells_across(cx, cells.count, cells.conn, &around, found), kind < 3);
    ig_adjacency adj;
    GOOD(cx, ig_mesh_adjacency(cx, mesh, &adj));
    for (ig_lid i = 0; kind < 3 && i < adj.faces; i++)
      assert_int_equal(found[i], adj.neighbor[i]);
    ig_adjacency_free(&adj);
    ig_heat_cells_free(&cells);
    ig_csr_free(&around);
    free(found);
    ig_mesh_free(mesh);
  }
}

static void marked_items_are_listed(void **state) {
  (void)state;
  enum { N = 50001 };
  uint8_t *mark = calloc(N, 1);
  ig_lid *list, found, count = 0;
  for (ig_lid i = 0; i < N; i++)
    mark[i] = (uint8_t)((int64_t)i * i % 11 == 3) * 4;
  GOOD(cx, ig_lids_where(cx, mark, N, &list, &found));
  for (ig_lid i = 0; i < N; i++)
    if (mark[i])
      assert_int_equal(list[count++], i);
  assert_int_equal(found, count);
  free(list);
  GOOD(cx, ig_lids_where(cx, mark, 0, &list, &found));
  assert_int_equal(found, 0);
  free(list);
  free(mark);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_know_their_elements),
      cmocka_unit_test(neighbors_look_back),
      cmocka_unit_test(three_shells_at_an_edge_are_a_junction),
      cmocka_unit_test(colors_share_no_node_and_are_even),
      cmocka_unit_test(a_star_of_many_needs_many_colors),
      cmocka_unit_test(curve_order_keeps_the_mesh),
      cmocka_unit_test(congruent_elements_share_a_class),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(hexahedra_across_faces),
      cmocka_unit_test(marked_items_are_listed),
      cmocka_unit_test(a_million_hexahedra_are_ready_soon),
  };
  return cmocka_run_group_tests(tests, open_cx, close_cx);
}
