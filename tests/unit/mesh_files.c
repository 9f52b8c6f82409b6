/* Mesh files: written and read back, other programs' files, and the bad ones of tests/bad/meshes.
 */
#include "check.h"
#include "ingot_io.h"
#ifdef INGOT_HAVE_IO
#include "folder.h"
#include "io/format/h5.h"
#include "mesh/topology.h"
#include "mesh_check.h"
#include <pthread.h>

static char *folder;

/* Gmsh forgets memory when it meets a bad file; a leak sanitizer need not tell us. */
IG_API const char *__lsan_default_suppressions(void) {
  return "leak:libgmsh\n";
}

static int setup(void **state) {
  folder = folder_new();
  return open_cx(state);
}
static int teardown(void **state) {
  folder_remove(folder);
  return close_cx(state);
}

static ig_mesh *read_text(const char *name, const char *text) {
  const char *path = in_folder(folder, name);
  file_write(path, text, strlen(text));
  ig_mesh *mesh = NULL;
  GOOD(cx, ig_mesh_read(cx, path, NULL, &mesh));
  return mesh;
}

static void same_mesh(const ig_mesh *a, const ig_mesh *b, bool tags) {
  assert_int_equal(a->dim, b->dim);
  assert_int_equal(a->nodes, b->nodes);
  assert_int_equal(a->blocks, b->blocks);
  assert_int_equal(a->sets, b->sets);
  if (tags)
    assert_memory_equal(a->x, b->x, 3 * (size_t)a->nodes * sizeof *a->x);
  for (int64_t i = 0; i < 3 * (int64_t)a->nodes; i++) /* of 20 characters: see below */
    assert_true(fabs(a->x[i] - b->x[i]) <= (fabs(a->x[i]) < 0.01 ? 5e-15 : 0) * fabs(a->x[i]));
  for (int i = 0; i < a->blocks; i++) {
    const ig_block *p = &a->block[i], *q = &b->block[i];
    assert_int_equal(p->type, q->type);
    assert_int_equal(p->count, q->count);
    const size_t npe = (size_t)ig_elem_info_get(p->type)->nodes;
    assert_memory_equal(p->conn, q->conn, (size_t)p->count * npe * sizeof *p->conn);
    if (tags)
      assert_memory_equal(p->tag, q->tag, (size_t)p->count * sizeof *p->tag);
  }
  for (int i = 0; i < a->sets; i++) {
    const ig_set *p = &a->set[i], *q = ig_mesh_find_set(b, p->name, p->kind);
    if (!q)
      fail_msg("set '%s' is gone", p->name);
    assert_int_equal(p->count, q->count);
    assert_memory_equal(p->item, q->item, (size_t)p->count * sizeof *p->item);
    if (p->face)
      assert_memory_equal(p->face, q->face, (size_t)p->count);
  }
}

static void meshes_come_back_as_they_were(void **state) {
  (void)state;
  ig_box_case boxes[2] = {{.name = "base", .size = IG_ROW(1, 1, 0.1), .cells = IG_ROW(4, 3, 2)},
                          {.name = "rib",
                           .origin = IG_ROW(0, 0, 0.1),
                           .size = IG_ROW(1, 1, 1),
                           .cells = IG_ROW(4, 3, 2)}};
  ig_pick_case hot = {.name = "hot",
                      .of = IG_PICK_ELEMENTS,
                      .place.box = {.at.given = true, .min = IG_ROW(0.5, 0)}};
  const ig_mesh_case list[] = {
      {.boxes = {2, boxes}, .sets = {1, &hot}},
      {.boxes = {2, boxes}, .element = IG_TET10 + 1},
      {.boxes = {2, boxes}, .element = IG_WEDGE6 + 1},
      {.boxes = {2, boxes}, .element = IG_HEX20 + 1},
      {.boxes = {2, boxes}, .element = IG_WEDGE15 + 1},
      {.plate = {.at.given = true, .size = IG_ROW(2, 1), .cells = IG_ROW(4, 2)},
       .element = IG_TRI6 + 1},
      {.plate = {.at.given = true, .size = IG_ROW(2, 1), .cells = IG_ROW(4, 2)}, .shell = true},
      {.lattice_dome = {.at.given = true, .radius = 3, .angle = 0.6, .rings = 3}},
  };
  static const char *const names[] = {"a.vtkhdf", "a.vtk", "a.vtu", "a.inp"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    for (int f = 0; f < 4; f++) {
      ig_mesh *a, *b;
      GOOD(cx, ig_mesh_generate(cx, &list[i], &a));
      const char *path = in_folder(folder, names[f]);
      GOOD(cx, ig_mesh_write(cx, a, path));
      GOOD(cx, ig_mesh_read(cx, path, &(ig_mesh_read_options){.quadratic = true}, &b));
      same_mesh(a, b, f < 3); /* .inp keeps sets, not region numbers */
      ig_mesh_free(a);
      ig_mesh_free(b);
    }
}

/* Rooms without quadratic hexahedra and wedges get their corners. */
static void mid_side_nodes_stay_on_request_only(void **state) {
  (void)state;
  ig_box_case box = {.size = IG_ROW(1, 1, 1), .cells = IG_ROW(2, 1, 1)};
  static const ig_elem_type types[] = {IG_HEX20, IG_WEDGE15}, corners[] = {IG_HEX8, IG_WEDGE6};
  static const char *const names[] = {"q.vtu", "q.inp"};
  for (int t = 0; t < 2; t++)
    for (int f = 0; f < 2; f++) {
      ig_mesh *a, *b;
      const ig_mesh_case c = {.boxes = {1, &box}, .element = (int)types[t] + 1};
      GOOD(cx, ig_mesh_generate(cx, &c, &a));
      const char *path = in_folder(folder, names[f]);
      GOOD(cx, ig_mesh_write(cx, a, path));
      GOOD(cx, ig_mesh_read(cx, path, NULL, &b));
      assert_int_equal(b->block[0].type, corners[t]);
      assert_int_equal(b->nodes, 12);
      assert_near(total(b), 1, 1e-12);
      assert_int_equal(count(b, "xmin", IG_SET_FACES), 1);
      ig_mesh_free(a);
      ig_mesh_free(b);
    }
}

static void units_apply(void **state) {
  (void)state;
  ig_mesh *mesh;
  GOOD(cx, ig_mesh_box(cx, IG_HEX8, (double[]){10, 20, 30}, (int[]){1, 1, 1}, &mesh));
  const char *path = in_folder(folder, "mm.vtkhdf");
  GOOD(cx, ig_mesh_write(cx, mesh, path));
  ig_mesh_free(mesh);
  const ig_mesh_case c = {.file = path, .unit = 1e-3};
  GOOD(cx, ig_mesh_generate(cx, &c, &mesh));
  assert_near(total(mesh), 6e-6, 1e-18);
  assert_int_equal(count(mesh, "xmin", IG_SET_FACES), 1); /* from the file, not made twice */
  ig_mesh_free(mesh);
}

static void abaqus_files(void **state) {
  (void)state;
  ig_mesh *mesh =
      read_text("part.inp", "** a comment\r\n"
                            "*Heading\n two blocks\n"
                            "*Node, nset=everything\n"
                            "1, 0., 0., 0.\n2, 1., 0., 0.\n3, 1., 1., 0.\n4, 0., 1., 0.\n"
                            "105, 0., 0., 1.\n106, 1., 0., 1.\n107, 1.D0, 1., 1.\n108, 0, 1, 1\n"
                            "*Element, type=C3D8R, elset=\"block\"\n"
                            "7, 1, 2, 3, 4, 105,\n"
                            "   106, 107, 108\n"
                            "*Nset, nset=some, generate\n1, 4, 1\n"
                            "*Nset, nset=more\nsome, 108\n"
                            "*Elset, elset=one\n7,\n"
                            "*Surface, type=element, name=top\none, S2\n"
                            "*Material, name=steel\n*Elastic\n210e9, 0.3\n");
  assert_int_equal(mesh->dim, 3);
  assert_int_equal(mesh->nodes, 8);
  assert_near(total(mesh), 1, 1e-15);
  assert_int_equal(count(mesh, "everything", IG_SET_NODES), 8);
  assert_int_equal(count(mesh, "more", IG_SET_NODES), 5);
  assert_int_equal(count(mesh, "block", IG_SET_ELEMENTS), 1);
  assert_int_equal(ig_mesh_find_set(mesh, "top", IG_SET_FACES)->face[0], 5);
  ig_mesh_free(mesh);

  mesh = read_text("plane.inp", "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n"
                                "*ELEMENT, TYPE=CPS4R\n1, 4, 3, 2, 1\n");
  assert_int_equal(mesh->dim, 2);
  assert_near(total(mesh), 1, 1e-15); /* clockwise in the file */
  ig_mesh_free(mesh);
}

static void dyna_files(void **state) {
  (void)state;
  ig_mesh *mesh = read_text(
      "part.k", "*KEYWORD\n$ comment\n*NODE\n"
                "       1 0.000000000E+00 0.000000000E+00 0.000000000E+00\n"
                "       2-1.000000000E+00-1.000000000E+00 0.000000000E+00\n"
                "       3             1.0             0.0             0.0\n"
                "4,1.0,1.0,0.0\n5,0.0,1.0,0.0\n6,0,0,1\n7,1,0,1\n8,1,1,1\n9,0,1,1\n10,0.5,0.5,2\n"
                "*ELEMENT_SOLID\n"
                "       1       3       1       3       4       5       6       7       8       9\n"
                "2,4\n6,7,8,10,10,10,10,10\n"
                "*ELEMENT_SHELL\n"
                "       3       5       1       3       4       4\n"
                "*ELEMENT_BEAM\n4,6,2,1,3\n"
                "*SET_NODE_LIST_TITLE\nthe base\n         1\n         1         3         4\n"
                "*SET_SOLID\n2\n1,2\n"
                "*END\nnot read any more\n");
  assert_int_equal(mesh->blocks, 4);
  assert_int_equal(mesh->nodes, 10);
  assert_near(mesh->x[3 * 1 + 1], -1, 0);
  assert_int_equal(count(mesh, "part_3", IG_SET_ELEMENTS), 1);
  assert_int_equal(count(mesh, "the base", IG_SET_NODES), 3);
  assert_int_equal(count(mesh, "elements_2", IG_SET_ELEMENTS), 2);
  assert_int_equal(ig_mesh_find_set(mesh, "part_5", IG_SET_ELEMENTS)->item[0], 1); /* tri3 */
  ig_mesh_free(mesh);
}

static void vtk_files(void **state) {
  (void)state;
  static const char head[] = "# vtk DataFile Version 4.2\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                             "POINTS 5 float\n0 0 0 1 0 0  1 1 0\n0 1 0 0.5 0.5 1\n";
  char text[1024];
  snprintf(text, sizeof text,
           "%sCELLS 3 13\n3 0 1 2\n4 0 1 2 4\n3 0 2 3\nCELL_TYPES 3\n5\n10\n5\n"
           "CELL_DATA 3\nSCALARS elements:skin unsigned_char 1\nLOOKUP_TABLE default\n1 0 1\n"
           "SCALARS pressure float\nLOOKUP_TABLE default\n1.5 2.5 -3\n"
           "VECTORS v float\n0 0 0 0 0 0 0 0 0\n",
           head);
  ig_mesh *mesh = read_text("a.vtk", text);
  assert_int_equal(mesh->blocks, 2);
  assert_int_equal(mesh->block[0].type, IG_TRI3);
  const ig_set *skin = ig_mesh_find_set(mesh, "skin", IG_SET_ELEMENTS);
  assert_int_equal(skin->count, 2); /* cells 0 and 2 are elements 0 and 1 */
  assert_int_equal(skin->item[1], 1);
  ig_mesh_free(mesh);

  snprintf(text, sizeof text,
           "%sCELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n"
           "0 1 2 4\nCELL_TYPES 1\n10\n",
           head);
  text[strlen("# vtk DataFile Version ")] = '5';
  mesh = read_text("b.vtk", text);
  assert_int_equal(ig_mesh_elements(mesh), 1);
  ig_mesh_free(mesh);
}

static void gmsh_files(void **state) {
  (void)state;
#ifdef INGOT_HAVE_GMSH
  static const char text[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                             "$PhysicalNames\n3\n0 9 \"tip\"\n2 1 \"floor\"\n3 2 \"body\"\n"
                             "$EndPhysicalNames\n"
                             "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n7 0 0 1\n8 1 1 1\n$EndNodes\n"
                             "$Elements\n4\n1 15 2 9 1 7\n2 2 2 1 1 1 2 3\n"
                             "3 4 2 2 1 1 2 3 7\n4 4 2 2 1 2 3 7 8\n$EndElements\n";
  ig_mesh *mesh = read_text("a.msh", text);
  assert_int_equal(mesh->dim, 3);
  assert_int_equal(mesh->nodes, 5);
  assert_int_equal(mesh->blocks, 1);
  assert_int_equal(ig_mesh_elements(mesh), 2);
  assert_int_equal(count(mesh, "body", IG_SET_ELEMENTS), 2);
  assert_int_equal(count(mesh, "floor", IG_SET_FACES), 1);
  assert_int_equal(count(mesh, "floor", IG_SET_NODES), 3);
  const ig_set *tip = ig_mesh_find_set(mesh, "tip", IG_SET_NODES);
  assert_int_equal(tip->count, 1);
  assert_near(mesh->x[3 * tip->item[0] + 2], 1, 0);
  assert_int_equal(mesh->block[0].tag[0], 2);
  const ig_set *floor = ig_mesh_find_set(mesh, "floor", IG_SET_FACES);
  const int *local = ig_elem_face(IG_TET4, floor->face[0]);
  for (int k = 0; k < 3; k++)
    assert_near(mesh->x[3 * mesh->block[0].conn[4 * floor->item[0] + local[k]] + 2], 0, 0);
  ig_mesh_free(mesh);

  static const char geo[] = "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 2, 1, 1};\n"
                            "Physical Volume(\"part\") = {1};\n"
                            "Physical Surface(\"left\") = {1};\n";
  const char *path = in_folder(folder, "a.geo");
  file_write(path, geo, strlen(geo));
  const ig_mesh_read_options options = {.unit = 0.1, .edge = 0.04};
  GOOD(cx, ig_mesh_read(cx, path, &options, &mesh));
  assert_near(total(mesh), 2e-3, 1e-12);
  assert_int_equal(count(mesh, "part", IG_SET_ELEMENTS), ig_mesh_elements(mesh));
  assert_true(count(mesh, "left", IG_SET_FACES) >= 12);
  const ig_set *left = ig_mesh_find_set(mesh, "left", IG_SET_NODES);
  for (ig_lid i = 0; i < left->count; i++)
    assert_near(mesh->x[3 * left->item[i]], 0, 1e-12);
  ig_mesh_free(mesh);

  static const char plane[] =
      "Point(1) = {0, 0, 0, 0.5};\nPoint(2) = {1, 0, 0, 0.5};\n"
      "Point(3) = {0, 1, 0, 0.5};\nLine(1) = {1, 3};\nLine(2) = {3, 2};\n"
      "Line(3) = {2, 1};\nCurve Loop(1) = {1, 2, 3};\nPlane Surface(1) = {1};\n"
      "Physical Surface(\"sheet\") = {1};\nPhysical Curve(\"rim\") = {1, 2, 3};\n"
      "Mesh.ElementOrder = 2;\n";
  mesh = read_text("plane.geo", plane); /* clockwise: turned over on the way in */
  assert_int_equal(mesh->dim, 2);
  assert_int_equal(mesh->block[0].type, IG_TRI6);
  assert_near(total(mesh), 0.5, 1e-12);
  assert_true(count(mesh, "rim", IG_SET_FACES) >= 6);
  ig_mesh_free(mesh);
#else
  ig_mesh *mesh;
  const char *path = in_folder(folder, "a.msh");
  file_write(path, "$MeshFormat\n", 12);
  assert_int_equal(ig_mesh_read(cx, path, NULL, &mesh), IG_UNSUPPORTED);
  assert_non_null(strstr(ig_ctx_message(cx), "install libgmsh-dev"));
#endif
}

#ifdef INGOT_HAVE_GMSH
typedef struct {
  const char *path;
  int good;
} reading;

static void *several_read(void *user) {
  reading *r = user;
  ig_ctx *own = ctx_on("cpu", 1);
  for (int i = 0; i < 4; i++) {
    ig_mesh *mesh = NULL;
    if (ig_mesh_read(own, r->path, &(ig_mesh_read_options){.time_limit = 60}, &mesh) != IG_OK)
      print_message("%s\n", ig_ctx_message(own));
    r->good += mesh && ig_mesh_elements(mesh) > 0;
    ig_mesh_free(mesh);
  }
  ig_ctx_close(own);
  return NULL;
}
#endif

/* The reader's process is a fork, whatever other threads do at the time. */
static void geometry_is_read_by_several_threads(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  skip(); /* its allocator is not made ready for a fork beside threads: the child may wait for ever
           */
#endif
#ifdef INGOT_HAVE_GMSH
  static const char geo[] = "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\n";
  const char *path = in_folder(folder, "threads.geo");
  pthread_t thread[4];
  reading part[4];
  file_write(path, geo, strlen(geo));
  for (int i = 0; i < 4; i++) {
    part[i] = (reading){path, 0};
    assert_int_equal(pthread_create(&thread[i], NULL, several_read, &part[i]), 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(thread[i], NULL);
    assert_int_equal(part[i].good, 4);
  }
#endif
}

static void damaged_files_are_told(void **state) {
  (void)state;
  ig_mesh *mesh;
  GOOD(cx, ig_mesh_box(cx, IG_HEX8, (double[]){1, 1, 1}, (int[]){2, 2, 2}, &mesh));
  const char *path = in_folder(folder, "whole.vtkhdf"), *other = in_folder(folder, "bad.vtkhdf");
  GOOD(cx, ig_mesh_write(cx, mesh, path));
  ig_mesh_free(mesh);
  size_t size;
  char *bytes = file_read(path, &size);
  file_write(other, bytes, size / 2);
  BAD(cx, ig_mesh_read(cx, other, NULL, &mesh), "bad.vtkhdf' is cut short");
  bytes[size / 2] ^= 1;
  file_write(other, bytes, size);
  BAD(cx, ig_mesh_read(cx, other, NULL, &mesh), "bad.vtkhdf' is damaged");
  assert_null(mesh);
  free(bytes);
}

/* The case of a deck: a part placed twice, sets by instance, files included, quadratic elements. */
static void abaqus_assemblies(void **state) {
  (void)state;
  static const char cube[] =
      "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n"
      "8,0,1,1\n*ELEMENT, TYPE=C3D8R, ELSET=c\n1,1,2,3,4,5,6,7,8\n"
      "*NSET, NSET=bottom\n1,2,3,4\n*SURFACE, NAME=top\nc, S2\n";
  file_write(in_folder(folder, "cube.inp"), cube, strlen(cube));
  ig_mesh *m = read_text(
      "assembly.inp", "*PART, NAME=Cube\n*INCLUDE, INPUT=cube.inp\n*END PART\n*ASSEMBLY, NAME=A\n"
                      "*INSTANCE, NAME=Cube-1, PART=cube\n*END INSTANCE\n"
                      "*INSTANCE, NAME=Cube-2, PART=Cube\n3., 0., 0.\n3,0,0, 3,0,1, 90.\n"
                      "*END INSTANCE\n*NSET, NSET=one, INSTANCE=Cube-2\n7\n"
                      "*NSET, NSET=two\nCube-1.7, Cube-2.8\n*NSET, NSET=four\nCube-2.bottom\n"
                      "*END ASSEMBLY\n");
  double low[3], high[3];
  ig_mesh_bounds(m, low, high);
  assert_int_equal(ig_mesh_elements(m), 2);
  assert_float_equal(high[0], 3, 1e-12); /* 3 to 4, turned about (3, 0) by 90 degrees: 2 to 3 */
  assert_int_equal(ig_mesh_find_set(m, "top", IG_SET_FACES)->count, 2);
  assert_int_equal(ig_mesh_find_set(m, "Cube-2", IG_SET_ELEMENTS)->count, 1);
  assert_int_equal(ig_mesh_find_set(m, "four", IG_SET_NODES)->count, 4);
  assert_int_equal(ig_mesh_find_set(m, "two", IG_SET_NODES)->count, 2);
  const ig_lid seven = ig_mesh_find_set(m, "one", IG_SET_NODES)->item[0];
  assert_float_equal(m->x[3 * (size_t)seven], 2, 1e-12); /* (1, 1, 1) -> (4, 1, 1) -> (2, 1, 1) */
  assert_float_equal(m->x[3 * (size_t)seven + 1], 1, 1e-12);
  ig_mesh_free(m);
  ig_mesh *none;
  file_write(in_folder(folder, "up.inp"), "*INCLUDE, INPUT=../x.inp\n", 25);
  BAD(cx, ig_mesh_read(cx, in_folder(folder, "up.inp"), NULL, &none), "folder and below");
}

/* Quadratic hexahedra as their corners; the mid-side nodes are gone. */
static void corners_of_quadratic_elements(void **state) {
  (void)state;
  char text[2048] = "*NODE\n";
  size_t n = strlen(text);
  for (int i = 0; i < 20; i++) {
    static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const int edge[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                    {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = i < 8 ? corner[i][d] : 0.5 * (corner[edge[i - 8][0]][d] + corner[edge[i - 8][1]][d]);
    n += (size_t)snprintf(text + n, sizeof text - n, "%d, %g, %g, %g\n", i + 1, x[0], x[1], x[2]);
  }
  n += (size_t)snprintf(text + n, sizeof text - n,
                        "*ELEMENT, TYPE=C3D20R, ELSET=e\n1, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,\n"
                        "16,17,18,19,20\n*NSET, NSET=all\n1,2,9\n*SURFACE, NAME=s\n1, S6\n");
  ig_mesh *m = read_text("c3d20.inp", text);
  assert_int_equal(m->nodes, 8);
  assert_int_equal(m->block[0].type, IG_HEX8);
  assert_int_equal(ig_mesh_find_set(m, "all", IG_SET_NODES)->count, 2);
  assert_int_equal(ig_mesh_find_set(m, "s", IG_SET_FACES)->count, 1);
  ig_mesh_free(m);
}

/* A wedge, a pyramid and a hexahedron that share faces, as they are and cut into tetrahedra: they
   fit, the volume and the sets stay. */
static void cut_into_tetrahedra(void **state) {
  (void)state;
  static const char text[] =
      "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
      "9,2,0,0\n10,2,0,1\n11,.5,.5,2\n*ELEMENT,TYPE=C3D8,ELSET=h\n1,1,2,3,4,5,6,7,8\n"
      "*ELEMENT,TYPE=C3D6,ELSET=w\n2,2,9,3,6,10,7\n*ELEMENT,TYPE=C3D5,ELSET=p\n3,5,6,7,8,11\n"
      "*SURFACE,NAME=end\nw,S2\n*SURFACE,NAME=side\nh,S6\n";
  const char *path = in_folder(folder, "mixed.inp");
  const ig_mesh_read_options split = {.split = true};
  file_write(path, text, strlen(text));
  ig_mesh *m;
  double volume = 0;
  ig_boundary b;
  GOOD(cx, ig_mesh_read(cx, path, NULL, &m));
  for (ig_lid e = 0; e < 3; e++)
    volume += ig_mesh_measure(m, e);
  assert_float_equal(volume, 1 + 0.5 + 1.0 / 3, 1e-12);
  GOOD(cx, ig_mesh_boundary(cx, m, &b));
  assert_int_equal(b.count, 4 + 4 + 4);
  ig_boundary_free(&b);
  assert_int_equal(ig_mesh_find_set(m, "end", IG_SET_FACES)->count, 1);
  static const char *const names[] = {"mixed.inp", "mixed.vtu", "mixed.vtkhdf", "mixed.vtk"};
  for (int i = 1; i < 4; i++)
    GOOD(cx, ig_mesh_write(cx, m, in_folder(folder, names[i])));
  ig_mesh_free(m);
  for (int i = 0; i < 4; i++) {
    GOOD(cx, ig_mesh_read(cx, in_folder(folder, names[i]), &split, &m));
    volume = 0;
    for (ig_lid e = 0; e < ig_mesh_elements(m); e++)
      volume += ig_mesh_measure(m, e);
    assert_float_equal(volume, 1 + 0.5 + 1.0 / 3, 1e-12);
    assert_int_equal(ig_mesh_elements(m), 6 + 3 + 2);
    assert_int_equal(ig_mesh_find_set(m, "w", IG_SET_ELEMENTS)->count, 3);
    assert_int_equal(ig_mesh_find_set(m, "end", IG_SET_FACES)->count, 1);
    assert_int_equal(ig_mesh_find_set(m, "side", IG_SET_FACES)->count, 2);
    GOOD(cx, ig_mesh_boundary(cx, m, &b)); /* hexahedron 4 x 2, wedge 2 x 1 + 2 x 2, pyramid 4 */
    assert_int_equal(b.count, 8 + 6 + 4);
    ig_boundary_free(&b);
    ig_mesh_free(m);
  }
}

/* Sides of elements that were inverted in the file, and turned over, are still the file's sides. */
static void sides_of_inverted_elements(void **state) {
  (void)state;
  static const char *const text[] = {
      "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,-1\n6,1,0,-1\n7,1,1,-1\n8,0,1,-1\n"
      "*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,8\n*SURFACE,NAME=s\n1,S1\n",
      "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,.3,-1\n"
      "*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n*SURFACE,NAME=s\n1,S1\n",
      "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,-1\n5,1,0,-1\n6,0,1,-1\n"
      "*ELEMENT,TYPE=C3D6\n1,1,2,3,4,5,6\n*SURFACE,NAME=s\n1,S1\n"};
  for (int i = 0; i < 3; i++) {
    ig_mesh *m = read_text("inverted.inp", text[i]);
    const ig_set *s = ig_mesh_find_set(m, "s", IG_SET_FACES);
    assert_int_equal(s->count, 1);
    const ig_block *b = &m->block[0];
    for (int a = 0; a < 3; a++) /* the file's first side lies at z = 0 */
      assert_float_equal(m->x[3 * b->conn[ig_elem_face(b->type, s->face[0])[a]] + 2], 0, 0);
    ig_mesh_free(m);
  }
}

/* Wedges and pyramids through every format that is written: nodes, elements and sets stay. */
static void wedges_round_trip(void **state) {
  (void)state;
  static const char text[] =
      "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
      "9,2,0,0\n10,2,0,1\n11,.5,.5,2\n*ELEMENT,TYPE=C3D8,ELSET=h\n1,1,2,3,4,5,6,7,8\n"
      "*ELEMENT,TYPE=C3D6,ELSET=w\n2,2,9,3,6,10,7\n*ELEMENT,TYPE=C3D5,ELSET=p\n3,5,6,7,8,11\n"
      "*SURFACE,NAME=end\n2,S2\n*SURFACE,NAME=side\n2,S4\n3,S3\n";
  static const char *const ending[] = {"w.vtkhdf", "w.vtu", "w.vtk", "w.inp", "w.msh"};
#ifdef INGOT_HAVE_GMSH
  const int formats = 5;
#else
  const int formats = 4;
#endif
  ig_mesh *first = read_text("wedges.inp", text);
  for (int i = 0; i < formats; i++) {
    char path[300];
    ig_mesh *m;
    snprintf(path, sizeof path, "%s", in_folder(folder, ending[i]));
    GOOD(cx, ig_mesh_write(cx, first, path));
    GOOD(cx, ig_mesh_read(cx, path, NULL, &m));
    assert_int_equal(m->nodes, first->nodes);
    assert_int_equal(m->blocks, first->blocks);
    for (int b = 0; b < m->blocks; b++) {
      assert_int_equal(m->block[b].type, first->block[b].type);
      if (i < 4) /* Gmsh numbers nodes anew */
        assert_memory_equal(m->block[b].conn, first->block[b].conn,
                            (size_t)ig_elem_info_get(m->block[b].type)->nodes * sizeof(ig_lid));
    }
    for (int s = 0; s < first->sets; s++) {
      const ig_set *was = &first->set[s], *is = ig_mesh_find_set(m, was->name, was->kind);
      assert_non_null(is);
      assert_int_equal(is->count, was->count);
      if (was->kind != IG_SET_NODES)
        assert_memory_equal(is->item, was->item, (size_t)was->count * sizeof *was->item);
      if (was->face)
        assert_memory_equal(is->face, was->face, (size_t)was->count);
    }
    ig_mesh_free(m);
  }
  ig_mesh_free(first);
}

/* Solids and shells of a deck are numbered apart. */
static void dyna_numbers_apart(void **state) {
  (void)state;
  ig_mesh *m = read_text("apart.k", "*KEYWORD\n*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"
                                    "*ELEMENT_SOLID\n1,1,1,2,3,4,4,4,4,4\n*ELEMENT_SHELL\n"
                                    "1,2,1,2,3,3\n*SET_SHELL_LIST\n7\n1\n*END\n");
  assert_int_equal(ig_mesh_elements(m), 2);
  const ig_set *shells = ig_mesh_find_set(m, "elements_7", IG_SET_ELEMENTS);
  ig_lid local;
  assert_int_equal(shells->count, 1);
  assert_int_equal(ig_mesh_element(m, shells->item[0], &local)->type, IG_TRI3);
  ig_mesh_free(m);
}

/* CalculiX reads numbers of 20 characters at most. */
static void abaqus_numbers_are_short(void **state) {
  (void)state;
  const double hard[12] = {-1.2345678901234567e-5,
                           1.2345678901234567e-9,
                           -0.1234567890123456789,
                           1.0 / 3,
                           -2e5 / 3,
                           1e-4 / 3,
                           -0.0123456789012345678,
                           0,
                           1e22,
                           -0.00012345678901234567,
                           2.0 / 300,
                           5};
  ig_mesh *mesh = read_text("short.inp", "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"
                                         "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n"),
          *back = NULL;
  memcpy(mesh->x, hard, sizeof hard);
  GOOD(cx, ig_mesh_write(cx, mesh, in_folder(folder, "back.inp")));
  GOOD(cx, ig_mesh_read(cx, in_folder(folder, "back.inp"), NULL, &back));
  for (int k = 0; k < 12; k++) { /* as they were, but for what has no space */
    const bool space = hard[k] == 0 || fabs(hard[k]) >= (hard[k] < 0 ? 0.01 : 0.001);
    assert_true(fabs(back->x[k] - hard[k]) <= (space ? 0 : 5e-15) * fabs(hard[k]));
  }
  FILE *f = fopen(in_folder(folder, "back.inp"), "r");
  assert_non_null(f);
  char line[256];
  int numbers = 0;
  while (fgets(line, sizeof line, f))
    for (char *p = strtok(line, ", \n"); p && line[0] != '*'; p = strtok(NULL, ", \n"), numbers++)
      if (strlen(p) > 20)
        fail_msg("'%s' has %zu characters", p, strlen(p));
  assert_true(numbers >= 16);
  fclose(f);
  ig_mesh_free(mesh);
  ig_mesh_free(back);
}

static char warned[1024];
static void warnings(void *user, ig_log_level level, const char *text) {
  (void)user;
  if (level == IG_LOG_WARN)
    snprintf(warned + strlen(warned), sizeof warned - strlen(warned), "%s|", text);
}

/* A deck is more than its mesh: what of it is not read is said once. */
static void decks_say_what_is_not_read(void **state) {
  (void)state;
  static const struct {
    const char *name, *text, *words;
  } t[] = {{"deck.inp",
            "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n"
            "*Material, name=a\n*ELASTIC\n210000, 0.3\n*MATERIAL, NAME=b\n*BOUNDARY\n1, 1\n"
            "*STEP\n*STATIC\n*CLOAD\n2, 1, 5\n*END STEP\n",
            "by *MATERIAL, *BOUNDARY, *STEP, *CLOAD is not"},
           {"deck.k",
            "*KEYWORD\n*MAT_ELASTIC\n1,7850.,210e9,0.3\n*CONTACT_AUTOMATIC_SINGLE_SURFACE\n1\n"
            "*NODE\n1,0.,0.,0.\n2,1.,0.,0.\n3,0.,1.,0.\n4,0.,0.,1.\n*ELEMENT_SOLID\n"
            "1,1,1,2,3,4,4,4,4,4\n*END\n",
            "by *MAT_, *CONTACT_ is not"},
           {"mesh.inp",
            "*HEADING\nx\n*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT, "
            "TYPE=C3D4\n1,1,2,3,4\n",
            NULL}};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    ig_ctx *own = NULL;
    ig_mesh *mesh = NULL;
    const char *path = in_folder(folder, t[i].name);
    const ig_ctx_options options = {.backend = "cpu", .threads = 1, .log = warnings};
    assert_int_equal(ig_ctx_open(&options, &own), IG_OK);
    file_write(path, t[i].text, strlen(t[i].text));
    warned[0] = 0;
    GOOD(own, ig_mesh_read(own, path, NULL, &mesh));
    const char *said = strstr(warned, "what the deck says");
    if (t[i].words ? !said || !strstr(said, t[i].words) || strstr(said + 1, "what the deck says")
                   : said != NULL)
      fail_msg("%s: '%s'", t[i].name, warned);
    ig_mesh_free(mesh);
    ig_ctx_close(own);
  }
}

static void names_that_cannot_be(void **state) {
  (void)state;
  ig_mesh *mesh;
  BAD(cx, ig_mesh_read(cx, "part.3mf", NULL, &mesh), "cannot end in '.3mf': expected .vtkhdf");
  BAD(cx, ig_mesh_read(cx, "not/there.inp", NULL, &mesh), "cannot open 'not/there.inp'");
  GOOD(cx, ig_mesh_box(cx, IG_HEX8, (double[]){1, 1, 1}, (int[]){1, 1, 1}, &mesh));
  assert_int_equal(ig_mesh_write(cx, mesh, "a.step"), IG_INPUT);
  /* names that a text file would not give back */
  GOOD(cx, ig_mesh_add_set(cx, mesh, "bell\a", IG_SET_ELEMENTS, 0, NULL));
  static const char *const ending[] = {"a.inp", "a.vtk", "a.vtu", "a.msh"};
  for (int i = 0; i < 4; i++)
    assert_int_equal(ig_mesh_write(cx, mesh, in_folder(folder, ending[i])), IG_INPUT);
  assert_int_equal(ig_mesh_write(cx, mesh, in_folder(folder, "none/a.vtkhdf")), IG_IO);
  assert_non_null(strstr(ig_ctx_message(cx), "none/a.vtkhdf"));
  ig_mesh_free(mesh);
}

/* The message a bad mesh must bring: NAME.expect beside it. */
static char *expected(const char *path) {
  char name[600];
  snprintf(name, sizeof name, "%s.expect", path);
  char *text = file_read(name, NULL);
  text[strcspn(text, "\r\n")] = '\0';
  return text;
}

static void bad_meshes_are_refused_clearly(void **state) {
  (void)state;
  DIR *list = opendir("tests/bad/meshes");
  assert_non_null(list);
  int seen = 0, wrong = 0;
  for (const struct dirent *entry; (entry = readdir(list));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || entry->d_name[0] == '.' || strcmp(dot, ".expect") == 0)
      continue;
#ifndef INGOT_HAVE_GMSH
    if (strcmp(dot, ".msh") == 0 || strcmp(dot, ".geo") == 0 || strcmp(dot, ".cgns") == 0)
      continue;
#endif
    char path[512];
    snprintf(path, sizeof path, "tests/bad/meshes/%s", entry->d_name);
    char *words = expected(path);
    ig_mesh *mesh = NULL;
    cx->message[0] = '\0';
    const ig_status status = ig_mesh_read(cx, path, NULL, &mesh);
    const char *message = ig_ctx_message(cx);
    if (status != IG_INPUT || mesh || !*words || !strstr(message, words) ||
        !strstr(message, entry->d_name) || strchr(message, '\n')) {
      print_error("%s\n  gave %d: %s\n  expected %s\n", path, status, message, words);
      wrong++;
    }
    ig_mesh_free(mesh);
    free(words);
    seen++;
  }
  closedir(list);
  assert_int_equal(wrong, 0);
  assert_true(seen >= 60);
}

/* A copy of a .med in the test's folder, open to be changed. */
static hid_t med_copy(const char *name) {
  static char bytes[1 << 20];
  FILE *f = fopen("tests/files/meshio.med", "rb");
  assert_non_null(f);
  const size_t size = fread(bytes, 1, sizeof bytes, f);
  fclose(f);
  file_write(in_folder(folder, name), bytes, size);
  const hid_t file = H5Fopen(in_folder(folder, name), H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

/* Values in other files are not read: neither by links nor by datasets that have them there. */
static void hdf5_stays_in_its_file(void **state) {
  (void)state;
  ig_mesh *mesh = NULL;
  hid_t file = med_copy("plain.med");
  H5Fclose(file);
  GOOD(cx, ig_mesh_read(cx, in_folder(folder, "plain.med"), NULL, &mesh));
  ig_mesh_free(mesh);
  file = med_copy("link.med");
  assert_true(H5Lcreate_external("plain.med", "/ENS_MAA", file, "more", H5P_DEFAULT, H5P_DEFAULT) >=
              0);
  H5Fclose(file);
  BAD(cx, ig_mesh_read(cx, in_folder(folder, "link.med"), NULL, &mesh), "a link to another file");

  const char *path = in_folder(folder, "elsewhere.h5");
  file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t size = 4;
  const hid_t space = H5Screate_simple(1, &size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
  assert_true(H5Pset_external(how, "/etc/hostname", 0, 4) >= 0);
  const hid_t set =
      H5Dcreate2(file, "numbers", H5T_NATIVE_UINT8, space, H5P_DEFAULT, how, H5P_DEFAULT);
  assert_true(set >= 0);
  H5Dclose(set);
  H5Pclose(how);
  H5Sclose(space);
  H5Fclose(file);
  ig_h5 h5;
  ig_h5_shape shape;
  GOOD(cx, ig_h5_open(cx, path, false, &h5));
  BAD(cx, ig_h5_look(&h5, "numbers", &shape), "values in another file");
  ig_h5_close(&h5);
}
#endif

int main(void) {
#ifdef INGOT_HAVE_IO
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_come_back_as_they_were),
      cmocka_unit_test(mid_side_nodes_stay_on_request_only),
      cmocka_unit_test(units_apply),
      cmocka_unit_test(abaqus_files),
      cmocka_unit_test(dyna_files),
      cmocka_unit_test(vtk_files),
      cmocka_unit_test(gmsh_files),
      cmocka_unit_test(geometry_is_read_by_several_threads),
      cmocka_unit_test(damaged_files_are_told),
      cmocka_unit_test(abaqus_assemblies),
      cmocka_unit_test(corners_of_quadratic_elements),
      cmocka_unit_test(cut_into_tetrahedra),
      cmocka_unit_test(sides_of_inverted_elements),
      cmocka_unit_test(wedges_round_trip),
      cmocka_unit_test(dyna_numbers_apart),
      cmocka_unit_test(abaqus_numbers_are_short),
      cmocka_unit_test(decks_say_what_is_not_read),
      cmocka_unit_test(names_that_cannot_be),
      cmocka_unit_test(bad_meshes_are_refused_clearly),
      cmocka_unit_test(hdf5_stays_in_its_file),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
#else
  return 0;
#endif
}
