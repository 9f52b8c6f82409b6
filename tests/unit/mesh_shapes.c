/* Generators: counts, sizes and sides of every shape; boxes that join, cuts, sets. */
#include "mesh_check.h"
#include "mesh/topology.h"

static ig_mesh *make(const ig_mesh_case *c) {
  ig_mesh *mesh = NULL;
  GOOD(cx, ig_mesh_generate(cx, c, &mesh));
  return mesh;
}

static void refused(const ig_mesh_case *c, const char *words) {
  ig_mesh *mesh = NULL;
  BAD(cx, ig_mesh_generate(cx, c, &mesh), words);
  assert_null(mesh);
}

static const double tau = 6.283185307179586;

static void box_has_its_sides(void **state) {
  (void)state;
  ig_mesh *mesh;
  assert_int_equal(ig_mesh_box(cx, IG_HEX8, (double[]){1, 2, 3}, (int[]){4, 5, 6}, &mesh), IG_OK);
  assert_int_equal(mesh->dim, 3);
  assert_int_equal(mesh->nodes, 5 * 6 * 7);
  assert_int_equal(ig_mesh_elements(mesh), 4 * 5 * 6);
  assert_near(total(mesh), 6, 1e-12);
  assert_int_equal(count(mesh, "all", IG_SET_ELEMENTS), 120);
  assert_int_equal(count(mesh, "xmin", IG_SET_FACES), 30);
  assert_int_equal(count(mesh, "ymax", IG_SET_FACES), 24);
  assert_int_equal(count(mesh, "zmax", IG_SET_FACES), 20);
  assert_int_equal(count(mesh, "zmin", IG_SET_NODES), 30);
  const ig_set *top = ig_mesh_find_set(mesh, "zmax", IG_SET_FACES);
  for (ig_lid i = 0; i < top->count; i++)
    assert_int_equal(top->face[i], 5);
  ig_mesh_free(mesh);
}

static void every_plane_and_solid_element_fills_the_box(void **state) {
  (void)state;
  static const struct {
    ig_elem_type type;
    int pattern;
    ig_lid elements, nodes;
  } want[] = {
      {IG_QUAD4, 0, 12, 20},
      {IG_TRI3, IG_PATTERN_DIAGONAL, 24, 20},
      {IG_TRI3, IG_PATTERN_ALTERNATING, 24, 20},
      {IG_TRI3, IG_PATTERN_CROSSED, 48, 32},
      {IG_TRI6, IG_PATTERN_CROSSED, 48, 32 + 79},
      {IG_HEX8, 0, 24, 60},
      {IG_TET4, 0, 144, 60},
      {IG_HEX20, 0, 24, 60 + 133},
      {IG_WEDGE15, 0, 48, 60 + 169},
  };
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    const int dim = ig_elem_info_get(want[i].type)->dim;
    ig_box_case box = {.size = IG_ROW(2, 3, 1), .cells = IG_ROW(3, 4, 2)};
    box.size.count = box.cells.count = dim;
    const ig_mesh_case c = {
        .boxes = {1, &box}, .element = (int)want[i].type + 1, .triangle_pattern = want[i].pattern};
    ig_mesh *mesh = make(&c);
    assert_int_equal(mesh->dim, dim);
    assert_int_equal(mesh->nodes, want[i].nodes);
    assert_int_equal(ig_mesh_elements(mesh), want[i].elements);
    assert_near(total(mesh), 6, 1e-12);
    /* the boundary is closed: its faces add up to the sides */
    ig_boundary boundary;
    assert_int_equal(ig_mesh_boundary(cx, mesh, &boundary), IG_OK);
    ig_lid sides = 0;
    const char *const name[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    for (int s = 0; s < 2 * dim; s++)
      sides += count(mesh, name[s], IG_SET_FACES);
    assert_int_equal(boundary.count, sides);
    ig_boundary_free(&boundary);
    ig_mesh_free(mesh);
  }
}

static void boxes_are_welded_and_named(void **state) {
  (void)state;
  ig_box_case box[3] = {
      {.name = "base", .size = IG_ROW(1, 1, 0.3), .cells = IG_ROW(4, 4, 2)},
      {.name = "wall",
       .origin = IG_ROW(0.25, 0, 0.3),
       .size = IG_ROW(0.5, 1, 1),
       .cells = IG_ROW(2, 4, 5),
       .grading = IG_ROW(1, 1, 4)},
      {.name = "base",
       .origin = IG_ROW(1, 0, 0),
       .size = IG_ROW(1, 1, 0.3),
       .cells = IG_ROW(4, 4, 2)},
  };
  const ig_mesh_case c = {.boxes = {3, box}};
  ig_mesh *mesh = make(&c);
  assert_int_equal(ig_mesh_elements(mesh), 32 + 40 + 32);
  assert_int_equal(mesh->nodes, 75 + 90 + 75 - 15 - 15);
  assert_int_equal(count(mesh, "base", IG_SET_ELEMENTS), 64);
  assert_int_equal(count(mesh, "wall", IG_SET_ELEMENTS), 40);
  assert_int_equal(count(mesh, "zmax", IG_SET_FACES), 8);
  assert_int_equal(count(mesh, "xmax", IG_SET_FACES), 8);
  assert_near(total(mesh), 0.6 + 0.5, 1e-12);
  /* graded: last cell four times the first */
  const ig_set *wall = ig_mesh_find_set(mesh, "wall", IG_SET_ELEMENTS);
  assert_near(ig_mesh_measure(mesh, wall->item[39]) / ig_mesh_measure(mesh, wall->item[0]), 4,
              1e-9);
  ig_mesh_free(mesh);

  box[1].cells.value[1] = 3; /* does not match the base below */
  refused(&c, "grids do not match at y = ");
  box[1].cells.value[1] = 4;
  box[1].origin.value[2] = 0.2;
  refused(&c, "two boxes overlap");
}

static void cuts_and_sets(void **state) {
  (void)state;
  ig_box_case box = {.size = IG_ROW(1, 1, 1), .cells = IG_ROW(10, 10, 10)};
  ig_place cut = {.cylinder = {.at.given = true,
                               .from = IG_ROW(0.5, 0.5, -1),
                               .to = IG_ROW(0.5, 0.5, 2),
                               .radius = 0.25}};
  ig_pick_case set[3] = {
      {.name = "hole",
       .place.cylinder = {.at.given = true,
                          .from = IG_ROW(0.5, 0.5, 0),
                          .to = IG_ROW(0.5, 0.5, 1),
                          .radius = 0.45}},
      {.name = "floor",
       .of = IG_PICK_FACES,
       .place.box = {.at.given = true, .max = IG_ROW(9, 9, 0)}},
      {.name = "hot",
       .of = IG_PICK_ELEMENTS,
       .place.plane = {
           .at.given = true, .point = IG_ROW(0, 0, 0), .normal = IG_ROW(0, 0, 2), .within = 0.2}}};
  ig_mesh_case c = {.boxes = {1, &box}, .remove = {1, &cut}, .sets = {3, set}};
  ig_mesh *mesh = make(&c);
  /* 10 x 10 cells less those whose centre is within 0.25 of the axis */
  int gone = 0;
  for (int i = 0; i < 100; i++)
    gone += hypot((i % 10) * 0.1 - 0.45, (i / 10) * 0.1 - 0.45) <= 0.25 + 1e-9;
  assert_int_equal(ig_mesh_elements(mesh), 10 * (100 - gone));
  assert_int_equal(count(mesh, "hot", IG_SET_ELEMENTS), 2 * (100 - gone));
  assert_int_equal(count(mesh, "floor", IG_SET_FACES), 100 - gone);
  assert_int_equal(count(mesh, "floor", IG_SET_NODES), -1);
  assert_true(count(mesh, "hole", IG_SET_FACES) > 0);
  ig_lid region = 0;
  for (ig_lid e = 0; e < mesh->block[0].count; e++)
    region += mesh->block[0].tag[e] == 1;
  assert_int_equal(region, 2 * (100 - gone));
  ig_mesh_free(mesh);

  cut.cylinder.radius = 9;
  refused(&c, "nothing is left");
  cut.cylinder.radius = 1e-3;
  refused(&c, "nothing to remove");
  c.remove.count = 0;
  set[0].place.cylinder.radius = 1e-3; /* between two nodes */
  set[0].place.cylinder.from.value[0] = set[0].place.cylinder.to.value[0] = 0.55;
  refused(&c, "set 'hole' is empty");
  set[0] = set[2];
  refused(&c, "set 'hot': the mesh has an element set of this name already");
  set[0].name = "all"; /* of nodes, too: `set: all` would be these in some places */
  refused(&c, "set 'all': this name is reserved for the set of all elements");
  set[0].of = IG_PICK_NODES;
  refused(&c, "set 'all': this name is reserved for the set of all elements");
  set[0].name = "zmax";
  set[0].of = IG_PICK_FACES;
  refused(&c, "set 'zmax': the mesh has a face set of this name already");
  ig_box_case two[2] = {box, box};
  two[0].name = "all";
  two[1].origin = IG_ROW(0, 0, 1);
  c = (ig_mesh_case){.boxes = {2, two}};
  refused(&c, "box 'all': this name is reserved");
}

static void annulus_full_and_part(void **state) {
  (void)state;
  ig_mesh_case c = {
      .annulus = {.at.given = true, .inner = 0.08, .outer = 0.15, .cells = IG_ROW(20, 160)},
      .element = IG_TRI6 + 1,
      .triangle_pattern = IG_PATTERN_CROSSED};
  ig_mesh *mesh = make(&c);
  assert_int_equal(ig_mesh_elements(mesh), 12800); /* ring of Alhadeff et al. (2015), Table VI */
  assert_int_equal(mesh->nodes, 25920);
  assert_int_equal(count(mesh, "inner", IG_SET_FACES), 160);
  assert_int_equal(count(mesh, "inner", IG_SET_NODES), 320);
  assert_int_equal(count(mesh, "start", IG_SET_NODES), -1);
  ig_mesh_free(mesh);

  c.element = 0;
  c.triangle_pattern = IG_PATTERN_DIAGONAL;
  c.annulus.angle = tau / 4;
  mesh = make(&c);
  assert_int_equal(count(mesh, "start", IG_SET_FACES), 20);
  assert_int_equal(count(mesh, "end", IG_SET_NODES), 21);
  assert_near(total(mesh), tau / 8 * (0.15 * 0.15 - 0.08 * 0.08), 1e-5);
  ig_mesh_free(mesh);

  const ig_mesh_case tube = {
      .tube = {.at.given = true, .inner = 1, .outer = 2, .height = 3, .cells = IG_ROW(3, 64, 5)}};
  mesh = make(&tube);
  assert_int_equal(ig_mesh_elements(mesh), 3 * 64 * 5);
  assert_int_equal(mesh->nodes, 4 * 64 * 6);
  assert_int_equal(count(mesh, "outer", IG_SET_FACES), 64 * 5);
  assert_int_equal(count(mesh, "top", IG_SET_FACES), 64 * 3);
  assert_near(total(mesh), tau / 2 * 9, 0.02 * 9);
  ig_mesh_free(mesh);
}

static void round_solids_and_shells(void **state) {
  (void)state;
  const ig_mesh_case cylinder = {
      .cylinder = {.at.given = true, .radius = 1, .height = 2, .cells = IG_ROW(8, 6, 4)}};
  ig_mesh *mesh = make(&cylinder);
  assert_int_equal(ig_mesh_elements(mesh), (64 + 32 * 6) * 4);
  assert_int_equal(count(mesh, "side", IG_SET_FACES), 32 * 4);
  assert_int_equal(count(mesh, "bottom", IG_SET_FACES), 64 + 32 * 6);
  assert_near(total(mesh), tau, 0.01 * tau);
  ig_mesh_free(mesh);

  const ig_mesh_case shell = {
      .cylinder_shell = {
          .at.given = true, .radius = 1.016, .height = 3.048, .cells = IG_ROW(60, 84)}};
  mesh = make(&shell);
  assert_int_equal(mesh->dim, 3);
  assert_int_equal(ig_mesh_elements(mesh), 60 * 84 * 2);
  assert_int_equal(mesh->nodes, 60 * 85);
  assert_int_equal(count(mesh, "bottom", IG_SET_FACES), 60);
  assert_near(total(mesh), tau * 1.016 * 3.048, 0.1);
  ig_mesh_free(mesh);

  const ig_mesh_case dome = {
      .dome = {.at.given = true, .radius = 2, .angle = 0.5, .rings = 10, .sectors = 6}};
  mesh = make(&dome);
  assert_int_equal(ig_mesh_elements(mesh), 600);
  assert_int_equal(mesh->nodes, 331);
  assert_int_equal(count(mesh, "edge", IG_SET_NODES), 60);
  assert_int_equal(count(mesh, "edge", IG_SET_FACES), 60);
  assert_int_equal(count(mesh, "apex", IG_SET_NODES), 1);
  double top = -INFINITY;
  for (ig_lid n = 0; n < mesh->nodes; n++)
    top = fmax(top, mesh->x[3 * (size_t)n + 2]);
  for (ig_lid n = 0; n < mesh->nodes; n++) { /* all on the sphere, corners of its sectors, too */
    const double *x = mesh->x + 3 * (size_t)n, z = x[2] - top + 2;
    assert_near(x[0] * x[0] + x[1] * x[1] + z * z, 4, 1e-12);
  }
  assert_near(total(mesh), tau * 4 * (1 - cos(0.5)), 0.02);
  ig_mesh_free(mesh);

  const ig_mesh_case disc = {.disc = {.at.given = true, .radius = 1, .rings = 20},
                             .element = IG_TRI6 + 1};
  mesh = make(&disc);
  assert_int_equal(mesh->dim, 2);
  assert_int_equal(ig_mesh_elements(mesh), 2400);
  assert_near(total(mesh), tau / 2, 0.01);
  ig_mesh_free(mesh);

  const ig_mesh_case hemisphere = {.hemisphere = {.at.given = true,
                                                  .radius = 10,
                                                  .hole = tau / 20,
                                                  .angle = tau / 4,
                                                  .cells = IG_ROW(16, 16)}};
  mesh = make(&hemisphere);
  assert_int_equal(ig_mesh_elements(mesh), 512);
  assert_int_equal(count(mesh, "hole", IG_SET_NODES), 17);
  assert_int_equal(count(mesh, "start", IG_SET_FACES), 16);
  assert_near(total(mesh), tau * 100 * cos(tau / 20) / 4, 1);
  ig_mesh_free(mesh);
}

static void lines_of_beams(void **state) {
  (void)state;
  const ig_mesh_case line = {
      .beam_line = {.at.given = true, .x = IG_ROW(0, 1, 1), .z = IG_ROW(0, 0, 2), .cells = 10}};
  ig_mesh *mesh = make(&line);
  assert_int_equal(ig_mesh_elements(mesh), 20);
  assert_near(total(mesh), 3, 1e-12);
  assert_int_equal(ig_mesh_find_set(mesh, "end", IG_SET_NODES)->item[0], 20);
  ig_mesh_free(mesh);

  const ig_mesh_case ring = {.beam_line = {.at.given = true, .radius = 2, .cells = 100}};
  mesh = make(&ring);
  assert_int_equal(mesh->nodes, 100);
  assert_near(total(mesh), 2 * tau, 0.01);
  ig_mesh_free(mesh);

  const ig_mesh_case lattice = {
      .lattice_dome = {
          .at.given = true, .radius = 10, .angle = 0.6, .rings = 3, .sectors = 6, .cells = 2}};
  mesh = make(&lattice);
  /* edges of the triangulated cap: 3 rings of 6 sectors have 90, each two beams */
  assert_int_equal(ig_mesh_elements(mesh), 180);
  assert_int_equal(mesh->nodes, 37 + 90);
  assert_int_equal(count(mesh, "edge", IG_SET_NODES), 18);
  ig_mesh_free(mesh);
}

static void jitter_moves_inner_nodes_only_and_repeats(void **state) {
  (void)state;
  ig_box_case box = {.size = IG_ROW(1, 1, 1), .cells = IG_ROW(6, 6, 6)};
  ig_mesh_case c = {.boxes = {1, &box}};
  ig_mesh *plain = make(&c);
  c.jitter = (ig_jitter_case){.amount = 0.2, .seed = 7};
  ig_mesh *a = make(&c), *b = make(&c);
  assert_memory_equal(a->x, b->x, (size_t)a->nodes * 3 * sizeof *a->x);
  ig_lid moved = 0;
  for (ig_lid n = 0; n < a->nodes; n++)
    moved += memcmp(a->x + 3 * n, plain->x + 3 * n, 3 * sizeof *a->x) != 0;
  assert_int_equal(moved, 125);
  assert_near(total(a), 1, 1e-12);
  ig_mesh_free(plain);
  ig_mesh_free(a);
  ig_mesh_free(b);

  box.size.count = box.cells.count = 2;
  c.element = IG_TRI6 + 1;
  a = make(&c); /* mid-side nodes stay half way */
  for (ig_lid e = 0; e < a->block[0].count; e++)
    for (int k = 0; k < 3; k++) {
      const ig_lid *n = a->block[0].conn + 6 * e;
      for (int d = 0; d < 2; d++)
        assert_near(a->x[3 * n[3 + k] + d], (a->x[3 * n[k] + d] + a->x[3 * n[(k + 1) % 3] + d]) / 2,
                    1e-15);
    }
  ig_mesh_free(a);

  ig_place line = {.box = {.at = {.given = true}, .min = IG_ROW(0, 0.5), .max = IG_ROW(0.5, 0.5)}};
  c.element = IG_TRI3 + 1;
  plain = make(&(ig_mesh_case){.element = c.element, .boxes = c.boxes});
  c.jitter.keep = (ig_list){1, &line};
  a = make(&c);
  moved = 0;
  for (ig_lid n = 0; n < a->nodes; n++) {
    const bool same = memcmp(a->x + 3 * n, plain->x + 3 * n, 3 * sizeof *a->x) == 0;
    moved += !same;
    if (plain->x[3 * n + 1] == 0.5 && plain->x[3 * n] <= 0.5)
      assert_true(same);
  }
  assert_int_equal(moved, 25 - 3); /* all inside but those of the line */
  ig_mesh_free(plain);
  ig_mesh_free(a);
}

static void a_flat_shell_lives_in_space(void **state) {
  (void)state;
  ig_box_case box[2] = {{.size = IG_ROW(1, 1), .cells = IG_ROW(2, 3)},
                        {.origin = IG_ROW(1, 0), .size = IG_ROW(1, 1), .cells = IG_ROW(2, 3)}};
  const ig_mesh_case c = {.boxes = {2, box}, .shell = true, .element = IG_TRI3 + 1};
  ig_mesh *mesh = make(&c);
  assert_int_equal(mesh->dim, 3);
  assert_int_equal(mesh->nodes, 5 * 4);
  assert_int_equal(count(mesh, "ymin", IG_SET_FACES), 4);
  assert_int_equal(count(mesh, "zmin", IG_SET_NODES), -1);
  ig_mesh_free(mesh);
}

static void nonsense_is_refused_with_words(void **state) {
  (void)state;
  refused(&(ig_mesh_case){.element = 0}, "no source: expected file, boxes");
  ig_box_case box = {.size = IG_ROW(1, 1, 1), .cells = IG_ROW(2, 2, 2)};
  ig_mesh_case c = {.boxes = {1, &box}};
  c.plate = (ig_plate_case){.at.given = true};
  refused(&c, "both boxes and plate");
  c.plate.at.given = false;
  c.element = IG_TRI3 + 1;
  refused(&c, "a solid box is not made of tri3");
  c.element = 0;
  c.triangle_pattern = IG_PATTERN_CROSSED;
  refused(&c, "triangle_pattern: has no effect here");
  c.triangle_pattern = IG_PATTERN_DIAGONAL;
  c.shell = true;
  refused(&c, "shell: has no effect here");
  c.shell = false;
  box.cells.value[1] = 2.5;
  refused(&c, "cells in y: 2.5: expected a whole number");
  box.cells.value[1] = 1e9;
  refused(&c, "more than one mesh can number");
  /* too many together, or once they are cut, are found before any of them is made */
  ig_box_case row[2] = {
      {.size = IG_ROW(1, 1, 1), .cells = IG_ROW(600, 600, 600)},
      {.origin = IG_ROW(1, 0, 0), .size = IG_ROW(1, 1, 1), .cells = IG_ROW(600, 600, 600)}};
  refused(&(ig_mesh_case){.boxes = {2, row}},
          "4.32e+08 elements (hex8) are more than one mesh can number: at most 268435455");
  refused(&(ig_mesh_case){.boxes = {1, row}, .element = IG_TET4 + 1}, "1.3e+09 elements (tet4)");
  box.cells.value[1] = 2;
  box.size.value[0] = -1;
  refused(&c, "size: -1: expected more than 0");
  box.size.value[0] = 1;
  box.size.count = 2;
  refused(&c, "size has 2 entries, cells has 3");
  const ig_mesh_case ring = {
      .annulus = {.at.given = true, .inner = 1, .outer = 0.5, .cells = IG_ROW(2, 8)}};
  refused(&ring, "outer: 0.5: expected more than inner");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(box_has_its_sides),
      cmocka_unit_test(every_plane_and_solid_element_fills_the_box),
      cmocka_unit_test(boxes_are_welded_and_named),
      cmocka_unit_test(cuts_and_sets),
      cmocka_unit_test(annulus_full_and_part),
      cmocka_unit_test(round_solids_and_shells),
      cmocka_unit_test(lines_of_beams),
      cmocka_unit_test(jitter_moves_inner_nodes_only_and_repeats),
      cmocka_unit_test(a_flat_shell_lives_in_space),
      cmocka_unit_test(nonsense_is_refused_with_words),
  };
  return cmocka_run_group_tests(tests, open_cx, close_cx);
}
