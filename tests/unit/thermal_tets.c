/* Tetrahedra, wedges, pyramids and mixtures: exact volumes, linear fields, fluxes, births, beams
   and probes against hand calculations, on every backend. */
#include "geometry/mesh_case.h"
#include "thermal/kernels/heat_cells.h"
#include "thermal_case.h"

#define BLOCK                                                                                      \
  "physics: thermal\n"                                                                             \
  "mesh: {boxes: [{name: block, size: [3 mm, 3 mm, 3 mm], cells: [3, 3, 3]}], element: tet4}\n"    \
  "materials: {name: m, density: 8000, conductivity: 100, specific_heat: 500, solidus: 600,\n"     \
  "  liquidus: 610}\n"                                                                             \
  "output: {count: 1, history_every: 1000000}\n"

static const char *const types[] = {"tet4", "tet10", "wedge6"};
enum { TYPES = 3 };

/* Every cell of a cut tet10 has a volume above zero, and together they have the element's. */
static void cells_fill_elements(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  const double size[3] = {1, 2, 3};
  const int count[3] = {2, 1, 2};
  for (int t = 0; t < 2; t++) {
    ig_mesh *mesh;
    ig_heat_cells cells;
    GOOD(cx, ig_mesh_box(cx, t ? IG_TET10 : IG_TET4, size, count, &mesh));
    GOOD(cx, ig_heat_cells_make(cx, mesh, &cells));
    const ig_lid elements = ig_mesh_elements(mesh);
    assert_int_equal(cells.count, elements * (t ? 8 : 1));
    ig_lid *neighbor = malloc(6 * (size_t)cells.count * sizeof *neighbor), inside = 0, bare = 0;
    GOOD(cx, ig_heat_cells_neighbors(cx, mesh, &cells, neighbor));
    for (ig_lid c = 0; c < cells.count; c++)
      for (int f = 0; f < 6; f++) {
        ig_lid node[5];
        const bool face = ig_heat_face_nodes(&cells.conn[8 * c], f, node) == 3;
        const ig_lid other = neighbor[6 * c + f];
        inside += face && other >= 0;
        bare += face && other < 0;
        assert_true(face || other < 0);
      }
    assert_int_equal(inside + bare, 4 * cells.count);
    /* 16 rectangles outside (2 x 4, 2 x 4, 2 x 2 …), two triangles each, four of them cut */
    assert_int_equal(bare, 2 * 2 * (2 * 1 + 2 * 2 + 1 * 2) * (t ? 4 : 1));
    free(neighbor);
    ig_heat_cells_free(&cells);
    ig_mesh_free(mesh);
  }
  ig_ctx_close(cx);
}

/* Held by x: linear, exactly, in every node; the heat through it is k A dT / L = 30 W. */
static void a_linear_field(void **state) {
  (void)state;
  static const char *const forms[] = {"recompute", "classes"};
  static const char *const assemblies[] = {"gather", "color", "atomic"};
  text_write("case.yaml", BLOCK "duration: 1 s\n"
                                "boundary:\n"
                                "  - {set: xmin, temperature: 300}\n"
                                "  - {set: xmax, temperature: 400}\n"
                                "probes:\n"
                                "  - {name: a, point: [1 mm, 2 mm, 1 mm]}\n"
                                "  - {name: b, point: [2.2 mm, 0.9 mm, 1.7 mm]}\n");
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int t = 0; t < TYPES; t++)
      for (int i = 0; i < 6; i++) {
        const char *const keys[] = {"mesh.element", types[t],          "conduction", forms[i % 2],
                                    "assembly",     assemblies[i / 2], NULL};
        row r;
        case_run(*backend, "linear", NULL, keys, &r, NULL);
        assert_near(of(&r, "a"), 300 + 100 / 3., 1e-8);
        assert_near(of(&r, "b"), 300 + 220 / 3., 1e-8);
        assert_near(of(&r, "E_gap"), 0, 1e-10);
      }
}

/* Flux, convection and radiation take the right area: heat in, and the time it takes to lose it. In
   each form of surfaces. */
static void surfaces(void **state) {
  (void)state;
  static const char *const forms[] = {"switch", "branch", "lumped"};
  text_write("case.yaml", BLOCK "duration: 1 s\n"
                                "boundary: {set: zmax, flux: 1e5}\n");
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int t = 0; t < TYPES; t++)
      for (int i = 0; i < 3; i++) {
        const char *const keys[] = {"mesh.element", types[t], "surface", forms[i], NULL};
        const char *const film[] = {"mesh.element",
                                    types[t],
                                    "surface",
                                    forms[i],
                                    "initial_temperature",
                                    "400",
                                    "boundary",
                                    "{set: surface, convection: 1000}",
                                    NULL};
        row r;
        case_run(*backend, "flux", NULL, keys, &r, NULL);
        assert_near(of(&r, "E_flux"), 0.9, 1e-12);
        assert_near(of(&r, "E_stored"), 0.9, 1e-10);
        /* tau = 8000 x 500 x 27e-9 / (1000 x 54e-6) = 2 s, Biot number 0.005 */
        case_run(*backend, "film", NULL, film, &r, NULL);
        assert_near(of(&r, "E_stored") / (4e6 * 27e-9), 100 * (exp(-0.5) - 1), 0.15);
        assert_near(of(&r, "E_gap"), 0, 1e-10);
      }
}

/* Shapes about an axis: no face inside is left bare, so that a flux on the outer surface brings as
   much as on hexahedra. */
static void round_shapes_have_no_gaps(void **state) {
  (void)state;
  static const char *const shapes[] = {"cylinder: {radius: 5 mm, height: 4 mm, cells: [4, 3, 4]}",
                                       "boxes: [{size: [3 mm, 3 mm, 3 mm], cells: [2, 3, 2]}]"};
  for (int s = 0; s < 2; s++) {
    char text[600];
    snprintf(text, sizeof text,
             "physics: thermal\n"
             "mesh: {%s, element: hex8}\n"
             "materials: {name: m, density: 8000, conductivity: 100, specific_heat: 500}\n"
             "duration: 1 ms\n"
             "boundary: {set: surface, flux: 1e5}\n"
             "output: {count: 0, history_every: 1000000}\n",
             shapes[s]);
    text_write("case.yaml", text);
    row hexahedra, r;
    case_run("cpu", "round", NULL, NULL, &hexahedra, NULL);
    for (int t = 0; t < TYPES; t++) {
      const char *const keys[] = {"mesh.element", types[t], NULL};
      case_run("cpu", "round", NULL, keys, &r, NULL);
      assert_near(of(&r, "E_flux") / of(&hexahedra, "E_flux"), 1, 1e-12);
    }
  }
}

/* A hot layer is born on a cold block: heat is kept, and the elements are counted. */
static void births(void **state) {
  (void)state;
  text_write(
      "case.yaml",
      "physics: thermal\n"
      "mesh:\n"
      "  boxes:\n"
      "    - {name: low, size: [2 mm, 2 mm, 2 mm], cells: [2, 2, 2]}\n"
      "    - {name: high, origin: [0, 0, 2 mm], size: [2 mm, 2 mm, 2 mm], cells: [2, 2, 2]}\n"
      "  element: tet4\n"
      "materials: {name: m, density: 8000, conductivity: 100, specific_heat: 500, solidus: "
      "690, liquidus: 700}\n"
      "duration: 4 s\n"
      "birth: {by: list, list: [{set: high, time: 1 s}], temperature: melt}\n"
      "output: {count: 2, history_every: 1000000}\n");
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int t = 0; t < TYPES; t++) {
      const char *const keys[] = {"mesh.element", types[t], NULL};
      row r;
      case_run(*backend, "births", NULL, keys, &r, NULL);
      assert_near(of(&r, "elements"), t < 2 ? 16 * 6 : 16 * 2, 0);
      assert_near(of(&r, "T_max"), 500, 1e-3);
      assert_near(of(&r, "T_min"), 500, 1e-3);
      assert_near(of(&r, "E_born"), 4e6 * 8e-9 * 700, 1e-10);
      assert_near(of(&r, "E_gap"), 0, 1e-10);
    }
}

/* A beam on top: all its heat, on both kinds of source. */
static void beams(void **state) {
  (void)state;
  text_write("path.csv", "t,x,y,z,power\n0,1e-3,1.5e-3,3e-3,100\n0.01,2e-3,1.5e-3,3e-3,0\n");
  text_write("case.yaml", BLOCK "duration: 10 ms\n"
                                "track_every: 1\n"
                                "beams: {model: surface, radius: 0.8 mm, absorptivity: 0.5, path: "
                                "{file: path.csv, unit: 1 m}}\n");
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int t = 0; t < TYPES; t++)
      for (int m = 0; m < 2; m++) {
        const char *const keys[] = {"mesh.element", types[t], "beams.model",
                                    m ? "gaussian" : "surface", NULL};
        row r;
        case_run(*backend, "beam", NULL, keys, &r, NULL);
        assert_near(of(&r, "E_source"), 0.5, 1e-12);
        assert_near(of(&r, "E_gap"), 0, 1e-12);
        assert_true(of(&r, "T_max") > 310);
      }
}

/* A hexahedron and a tetrahedron apart are two bodies; on common nodes they do not fit. */
static void mixed_types(void **state) {
  (void)state;
  static const double x[12][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1},
                                  {1, 1, 1}, {0, 1, 1}, {3, 0, 0}, {4, 0, 0}, {3, 1, 0}, {3, 0, 1}};
  static const ig_lid tets[2][4] = {{8, 9, 10, 11}, {4, 5, 7, 11}};
  ig_ctx *cx = ctx_on("cpu", 1);
  for (int shared = 0; shared < 2; shared++) {
    ig_mesh *mesh;
    ig_block *block;
    ig_heat_cells cells;
    GOOD(cx, ig_mesh_new(cx, 3, 12, &mesh));
    memcpy(mesh->x, x, sizeof x);
    GOOD(cx, ig_mesh_add_block(cx, mesh, IG_HEX8, 1, &block));
    for (int a = 0; a < 8; a++)
      block->conn[a] = a;
    GOOD(cx, ig_mesh_add_block(cx, mesh, IG_TET4, 1, &block));
    memcpy(block->conn, tets[shared], sizeof tets[shared]);
    const ig_status status = ig_heat_cells_make(cx, mesh, &cells);
    assert_int_equal(status, shared ? IG_INPUT : IG_OK);
    if (shared)
      assert_non_null(strstr(ig_ctx_message(cx), "quadrilateral of element 0 (hex8) meets a "
                                                 "triangle of element 1 (tet4)"));
    else
      ig_heat_cells_free(&cells);
    ig_mesh_free(mesh);
  }
  ig_ctx_close(cx);
}

/* A hexahedron; five pyramids and two tetrahedra about the middle of the next cube; two wedges in
   the last: faces match, and a linear field is exact, as are volume and surface. */
static void a_mixed_bar(void **state) {
  (void)state;
  char text[2400];
  int at = snprintf(text, sizeof text, "*NODE\n");
  for (int n = 0; n < 16; n++) /* 1 + i + 4 (j + 2 k) */
    at += snprintf(text + at, sizeof text - (size_t)at, "%d, %d, %d, %d\n", n + 1, n % 4, n / 4 % 2,
                   n / 8);
  snprintf(text + at, sizeof text - (size_t)at,
           "17, 1.4, 0.6, 0.45\n"
           "*ELEMENT, TYPE=C3D8, ELSET=cube\n1, 1, 2, 6, 5, 9, 10, 14, 13\n"
           "*ELEMENT, TYPE=C3D5, ELSET=pyramids\n"
           "2, 2, 6, 14, 10, 17\n3, 3, 11, 15, 7, 17\n4, 2, 10, 11, 3, 17\n"
           "5, 6, 7, 15, 14, 17\n6, 10, 14, 15, 11, 17\n"
           "*ELEMENT, TYPE=C3D4, ELSET=tets\n7, 2, 3, 7, 17\n8, 2, 7, 6, 17\n"
           "*ELEMENT, TYPE=C3D6, ELSET=wedges\n9, 3, 4, 8, 11, 12, 16\n10, 3, 8, 7, 11, 16, 15\n"
           "*SURFACE, NAME=end\n9, S4\n*SURFACE, NAME=floor\nwedges, S1\ntets, S1\n1, S1\n");
  text_write("mixed.inp", text);
  text_write("case.yaml", "physics: thermal\n"
                          "mesh: {file: mixed.inp, unit: 1 mm}\n"
                          "materials: {name: m, density: 8000, conductivity: 100, specific_heat: "
                          "500, solidus: 600, liquidus: 610}\n"
                          "duration: 1 s\n"
                          "boundary:\n"
                          "  - {set: xmin, temperature: 300}\n"
                          "  - {set: end, temperature: 400}\n"
                          "probes:\n"
                          "  - {name: a, point: [1.4 mm, 0.6 mm, 0.45 mm]}\n"
                          "  - {name: b, point: [1.9 mm, 0.3 mm, 0.6 mm]}\n"
                          "  - {name: c, point: [2.7 mm, 0.2 mm, 0.9 mm]}\n"
                          "  - {name: d, point: [3 mm, 1 mm, 0 mm]}\n"
                          "  - {name: e, point: [1.5 mm, 0.1 mm, 0.01 mm]}\n"
                          "output: {count: 1, history_every: 1000000}\n");
  static const char *const surfaces[] = {"switch", "branch", "lumped"};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < 3; i++) {
      const char *const keys[] = {"surface", surfaces[i], NULL};
      const char *const flux[] = {"surface", surfaces[i], "boundary", "{set: surface, flux: 1e4}",
                                  NULL};
      const char *const low[] = {"surface", surfaces[i], "boundary", "{set: floor, flux: 1e4}",
                                 NULL};
      row r;
      case_run(*backend, "mixed", NULL, keys, &r, NULL);
      assert_near(of(&r, "a"), 300 + 140 / 3., 1e-8);
      assert_near(of(&r, "b"), 300 + 190 / 3., 1e-8);
      assert_near(of(&r, "c"), 390, 1e-8);
      assert_near(of(&r, "d"), 400, 1e-8);
      assert_near(of(&r, "e"), 350, 1e-8);
      assert_near(of(&r, "E_gap"), 0, 1e-12);
      case_run(*backend, "mixed", NULL, flux, &r, NULL);
      assert_near(of(&r, "E_flux"), 14e-6 * 1e4, 1e-12);
      assert_near(of(&r, "E_stored"), 0.14, 1e-10); /* and so the volume: 3 mm^3 hold it */
      case_run(*backend, "mixed", NULL, low, &r, NULL);
      assert_near(of(&r, "E_flux"), 3e-6 * 1e4, 1e-12);
      assert_near(of(&r, "E_gap"), 0, 1e-12);
    }
}

/* A bar heated at its lower end: where the field depends on z alone, wedges that stand upright do
   as hexahedra do; and both as the half-space, 2 q/k sqrt(alpha t/pi), before the heat arrives at
   the other end. Across, the cut shows, below a hundredth of the rise. */
static void a_bar_of_wedges(void **state) {
  (void)state;
  text_write(
      "case.yaml",
      "physics: thermal\n"
      "mesh: {boxes: [{size: [1 mm, 1 mm, 20 mm], cells: [2, 2, 80]}], element: hex8}\n"
      "materials: {name: m, density: 8000, conductivity: 20, specific_heat: 500}\n"
      "conduction: recompute\n"
      "duration: 1 s\n"
      "boundary: {set: zmin, flux: 1e6}\n"
      "probes: [{name: a, point: [0.3 mm, 0.8 mm, 0 mm]}, {name: b, point: [0, 0, 4.1 mm]}]\n"
      "output: {count: 0, history_every: 1000000}\n");
  for (const char *const *backend = backends_here(); *backend; backend++) {
    const char *const across[] = {"mesh.boxes",
                                  "[{size: [20 mm, 1 mm, 1 mm], cells: [80, 2, 2]}]",
                                  "boundary",
                                  "{set: xmin, flux: 1e6}",
                                  "probes",
                                  "[{name: a, point: [0, 0, 0]}]",
                                  "mesh.element",
                                  "wedge6",
                                  NULL};
    const char *const wedges[] = {"mesh.element", "wedge6", NULL};
    row hexahedra, r;
    case_run(*backend, "bar", NULL, NULL, &hexahedra, NULL);
    case_run(*backend, "bar", NULL, wedges, &r, NULL);
    assert_near(of(&r, "a"), of(&hexahedra, "a"), 1e-8);
    assert_near(of(&r, "b"), of(&hexahedra, "b"), 1e-8);
    assert_near(of(&r, "a") - 300, 126.157, 0.5); /* 2e6/20 sqrt(5e-6/pi) */
    assert_near(of(&r, "E_gap"), 0, 1e-11);
    case_run(*backend, "bar", NULL, across, &r, NULL);
    assert_near(of(&r, "a") - 300, 126.157, 1.3);
    assert_near(of(&r, "E_flux"), 1, 1e-12);
  }
}

/* What does not fit is refused, with what does. */
static void refused(void **state) {
  (void)state;
  static const char *const cases[][3] = {
      {"conduction", "stencil", "needs hexahedra"},
      {"materials.conductivity", "[[300, 100], [400, 200]]", "choose 'recompute'"}};
  text_write("case.yaml", BLOCK "duration: 1 ms\n"
                                "boundary: {set: zmin, temperature: 400}\n");
  for (int i = 0; i < 2; i++) {
    const char *const keys[] = {cases[i][0], cases[i][1], i ? "conduction" : NULL, "classes", NULL};
    case_refused(keys, cases[i][2]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_fill_elements),
      cmocka_unit_test(a_linear_field),
      cmocka_unit_test(surfaces),
      cmocka_unit_test(births),
      cmocka_unit_test(beams),
      cmocka_unit_test(refused),
      cmocka_unit_test(mixed_types),
      cmocka_unit_test(a_mixed_bar),
      cmocka_unit_test(a_bar_of_wedges),
      cmocka_unit_test(round_shapes_have_no_gaps),
  };
  IN_FOLDER(tests);
}
