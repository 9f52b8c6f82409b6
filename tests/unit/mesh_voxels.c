/* Parts from surfaces of triangles: the voxels they become, and what is said of bad ones. */
#include "check.h"
#include "ingot_io.h"
#ifdef INGOT_HAVE_IO
#include "folder.h"
#include "geometry/mesh_case.h"
#include "mesh/tri_surface.h"
#include "scan/hatch.h"

static ig_ctx *cx;
static int warnings;
static void count_warnings(void *user, ig_log_level level, const char *message) {
  (void)user;
  (void)message;
  warnings += level == IG_LOG_WARN;
}
static char *folder;
static int open_context(void **state) {
  const ig_ctx_options options = {.backend = "cpu", .threads = 1, .log = count_warnings};
  (void)state;
  folder = folder_new();
  return ig_ctx_open(&options, &cx) != IG_OK;
}
static int close_context(void **state) {
  (void)state;
  ig_ctx_close(cx);
  folder_remove(folder);
  return 0;
}

static const char *store(const char *name, const void *bytes, size_t size) {
  const char *path = in_folder(folder, name);
  file_write(path, bytes, size);
  return path;
}

/* The twelve triangles of a box from 0 to 2, 3, 4; all face outwards. */
static const double box_x[8][3] = {{0, 0, 0}, {2, 0, 0}, {2, 3, 0}, {0, 3, 0},
                                   {0, 0, 4}, {2, 0, 4}, {2, 3, 4}, {0, 3, 4}};
static const int box_face[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                    {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                    {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

static const char *box_text(int triangles, bool turned) {
  static char text[8192];
  size_t n = (size_t)snprintf(text, sizeof text, "solid box\n");
  for (int t = 0; t < triangles; t++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "facet normal 0 0 0\n outer loop\n");
    for (int a = 0; a < 3; a++) {
      const double *x = box_x[box_face[t][turned && t == 0 ? 2 - a : a]];
      n += (size_t)snprintf(text + n, sizeof text - n, "  vertex %g %g %g\n", x[0], x[1], x[2]);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, " endloop\nendfacet\n");
  }
  snprintf(text + n, sizeof text - n, "endsolid box\n");
  return text;
}

static ig_status make(const ig_voxel_case *v, double unit, ig_mesh **mesh) {
  const ig_mesh_case c = {.voxels = *v, .unit = unit};
  return ig_mesh_generate(cx, &c, mesh);
}

static double volume_of(const ig_mesh *mesh) {
  double volume = 0;
  for (ig_lid e = 0; e < ig_mesh_elements(mesh); e++)
    volume += ig_mesh_measure(mesh, e);
  return volume;
}

static void a_box_is_its_voxels(void **state) {
  (void)state;
  ig_mesh *mesh;
  ig_voxel_case v = {.stl = store("box.stl", box_text(12, false), strlen(box_text(12, false))),
                     .voxel = 0.5e-3};
  assert_int_equal(make(&v, 0, &mesh), IG_OK); /* rays meet the faces' diagonals */
  assert_int_equal(ig_mesh_elements(mesh), 4 * 6 * 8);
  assert_int_equal(mesh->nodes, 5 * 7 * 9);
  assert_float_equal(volume_of(mesh), 24e-9, 1e-20);
  assert_int_equal(ig_mesh_find_set(mesh, "part", IG_SET_ELEMENTS)->count, 192);
  assert_int_equal(ig_mesh_find_set(mesh, "zmax", IG_SET_FACES)->count, 24);
  ig_mesh_free(mesh);
  /* turned by a right angle, on a plate of two layers that reaches one voxel further */
  v.rotate[0] = M_PI / 2;
  v.build_plate = (ig_voxel_plate){.at.given = true, .thickness = 0.8e-3, .margin = 0.5e-3};
  assert_int_equal(make(&v, 0, &mesh), IG_OK);
  double low[3], high[3];
  ig_mesh_bounds(mesh, low, high);
  assert_int_equal(ig_mesh_find_set(mesh, "part", IG_SET_ELEMENTS)->count, 192);
  assert_int_equal(ig_mesh_find_set(mesh, "plate", IG_SET_ELEMENTS)->count, 6 * 10 * 2);
  assert_float_equal(low[2], -1e-3, 1e-12);
  assert_float_equal(high[2], 3e-3, 1e-12);
  assert_float_equal(high[1] - low[1], 5e-3, 1e-12);
  ig_mesh_free(mesh);
  /* in metres */
  v = (ig_voxel_case){.stl = v.stl, .voxel = 0.5};
  assert_int_equal(make(&v, 1, &mesh), IG_OK);
  assert_float_equal(volume_of(mesh), 24, 1e-9);
  ig_mesh_free(mesh);
}

static void binary_though_it_begins_with_solid(void **state) {
  (void)state;
  unsigned char bytes[84 + 12 * 50] = "solid made by a CAD program";
  bytes[80] = 12;
  for (int t = 0; t < 12; t++)
    for (int a = 0; a < 3; a++)
      for (int d = 0; d < 3; d++) {
        /* corners a hair apart, as programs write them: they are one */
        const float x = (float)(box_x[box_face[t][a]][d] + (d == 1 && t == 3 ? 8e-16 : 0));
        memcpy(bytes + 84 + 50 * t + 12 + 12 * a + 4 * d, &x, 4);
      }
  ig_mesh *mesh;
  const ig_voxel_case v = {.stl = store("binary.stl", bytes, sizeof bytes), .voxel = 1e-3};
  assert_int_equal(make(&v, 0, &mesh), IG_OK);
  assert_int_equal(ig_mesh_elements(mesh), 24);
  ig_mesh_free(mesh);
  const ig_voxel_case cut = {.stl = store("cut.stl", bytes, 300), .voxel = 1e-3};
  assert_int_equal(make(&cut, 0, &mesh), IG_INPUT);
}

static void obj_with_polygons(void **state) {
  (void)state;
  static const char text[] =
      "# a box\nv 0 0 0\nv 2 0 0\nv 2 3 0\nv 0 3 0\nv 0 0 4\nv 2 0 4\nv 2 3 4\n"
      "v 0 3 4\nf 1/1/1 4/2/1 3/3/1 2/4/1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\n"
      "f 3 4 8 7\nf -5 -8 -4 -1\n";
  ig_mesh *mesh;
  const ig_voxel_case v = {.stl = store("box.obj", text, sizeof text - 1), .voxel = 1e-3};
  assert_int_equal(make(&v, 0, &mesh), IG_OK);
  assert_int_equal(ig_mesh_elements(mesh), 24);
  ig_mesh_free(mesh);
}

/* PLY in text, with other elements and properties between, and with faces before their points; OFF
   in text, with colors and comments. */
static void ply_and_off(void **state) {
  (void)state;
  static const char *const text[] = {
      "ply\nformat ascii 1.0\ncomment a box\nelement camera 1\nproperty float zoom\n"
      "element vertex 8\nproperty float x\nproperty uchar red\nproperty double y\nproperty float "
      "z\n"
      "element face 6\nproperty list uchar float texcoord\nproperty list uchar int vertex_indices\n"
      "end_header\n7\n0 1 0 0\n2 1 0 0\n2 1 3 0\n0 1 3 0\n0 1 0 4\n2 1 0 4\n2 1 3 4\n0 1 3 4\n"
      "0 4 0 3 2 1\n1 0.5 4 4 5 6 7\n0 4 0 1 5 4\n0 4 1 2 6 5\n0 4 2 3 7 6\n0 4 3 0 4 7\n",
      "ply\nformat ascii 1.0\nelement face 6\nproperty list uchar int vertex_indices\n"
      "element vertex 8\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
      "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n"
      "0 0 0\n2 0 0\n2 3 0\n0 3 0\n0 0 4\n2 0 4\n2 3 4\n0 3 4\n",
      "COFF # a box\n\n8 6 12\n0 0 0 1 1 1 1\n2 0 0 1 1 1 1\n2 3 0\n# between\n0 3 0\n0 0 4\n2 0 "
      "4\n"
      "2 3 4\n0 3 4\n4 0 3 2 1 255 0 0\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n",
      "OFF 8 6 0\r\n0 0 0\r\n2 0 0\r\n2 3 0\r\n0 3 0\r\n0 0 4\r\n2 0 4\r\n2 3 4\r\n0 3 4\r\n"
      "4 0 3 2 1\r\n4 4 5 6 7\r\n4 0 1 5 4\r\n4 1 2 6 5\r\n4 2 3 7 6\r\n4 3 0 4 7\r\n"};
  static const char *const name[] = {"box.ply", "faces-first.ply", "box.off", "dos.off"};
  for (int k = 0; k < 4; k++) {
    ig_mesh *mesh;
    const ig_voxel_case v = {.stl = store(name[k], text[k], strlen(text[k])), .voxel = 1e-3};
    assert_int_equal(make(&v, 0, &mesh), IG_OK);
    assert_int_equal(ig_mesh_elements(mesh), 24);
    assert_float_equal(volume_of(mesh), 24e-9, 1e-20);
    ig_mesh_free(mesh);
  }
}

/* Appends the bytes of a value, in either order. */
static size_t add(unsigned char *at, const void *value, size_t bytes, bool turned) {
  for (size_t i = 0; i < bytes; i++)
    at[i] = ((const unsigned char *)value)[turned ? bytes - 1 - i : i];
  return bytes;
}

static void binary_ply(void **state) {
  (void)state;
  const uint16_t one = 1;
  const bool little = *(const unsigned char *)&one == 1;
  for (int big = 0; big < 2; big++) {
    unsigned char bytes[2000];
    const bool turned = little == (big == 1);
    size_t n = (size_t)snprintf((char *)bytes, sizeof bytes,
                                "ply\nformat binary_%s_endian 1.0\nelement vertex 8\n"
                                "property double x\nproperty float32 y\nproperty int16 z\n"
                                "property uchar flags\nelement face 12\n"
                                "property list uint8 uint32 vertex_index\nend_header\n",
                                big ? "big" : "little");
    for (int p = 0; p < 8; p++) {
      const double x = box_x[p][0];
      const float y = (float)box_x[p][1];
      const int16_t z = (int16_t)box_x[p][2];
      n += add(bytes + n, &x, 8, turned);
      n += add(bytes + n, &y, 4, turned);
      n += add(bytes + n, &z, 2, turned);
      bytes[n++] = 10; /* a line feed is no line feed here */
    }
    for (int t = 0; t < 12; t++) {
      bytes[n++] = 3;
      for (int a = 0; a < 3; a++) {
        const uint32_t corner = (uint32_t)box_face[t][a];
        n += add(bytes + n, &corner, 4, turned);
      }
    }
    ig_mesh *mesh;
    ig_voxel_case v = {.stl = store("binary.ply", bytes, n), .voxel = 1e-3};
    assert_int_equal(make(&v, 0, &mesh), IG_OK);
    assert_int_equal(ig_mesh_elements(mesh), 24);
    ig_mesh_free(mesh);
    v.stl = store("cut.ply", bytes, n - 5);
    assert_int_equal(make(&v, 0, &mesh), IG_INPUT);
    assert_non_null(strstr(ig_ctx_message(cx), "cut.ply: the file ends within face 11"));
  }
}

static size_t put(unsigned char *at, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    at[i] = (unsigned char)(value >> 8 * i);
  return (size_t)bytes;
}

/* An archive of one stored file. */
static size_t zip_of(const char *name, const char *text, unsigned char *zip) {
  const uint32_t length = (uint32_t)strlen(text), named = (uint32_t)strlen(name);
  size_t n = 0;
  memset(zip, 0, 200);
  memcpy(zip, "PK\3\4", 4);
  put(zip + 18, length, 4);
  put(zip + 22, length, 4);
  put(zip + 26, named, 2);
  memcpy(zip + 30, name, named);
  memcpy(zip + 30 + named, text, length);
  const uint32_t directory = 30 + named + length;
  unsigned char *d = zip + directory;
  memset(d, 0, 46 + 22 + named);
  memcpy(d, "PK\1\2", 4);
  put(d + 20, length, 4);
  put(d + 24, length, 4);
  put(d + 28, named, 2);
  memcpy(d + 46, name, named);
  unsigned char *e = d + 46 + named;
  memcpy(e, "PK\5\6", 4);
  put(e + 8, 1, 2);
  put(e + 10, 1, 2);
  put(e + 12, 46 + named, 4);
  put(e + 16, directory, 4);
  n = (size_t)(e + 22 - zip);
  return n;
}

static void threemf_with_its_unit(void **state) {
  (void)state;
  static char model[4096];
  static unsigned char zip[8192];
  size_t n = (size_t)snprintf(model, sizeof model,
                              "<?xml version=\"1.0\"?>\n<model unit=\"centimeter\"><resources>"
                              "<object id=\"1\"><mesh><vertices>");
  for (int i = 0; i < 8; i++)
    n += (size_t)snprintf(model + n, sizeof model - n, "<vertex x=\"%g\" y=\"%g\" z=\"%g\" />",
                          box_x[i][0], box_x[i][1], box_x[i][2]);
  n += (size_t)snprintf(model + n, sizeof model - n, "</vertices><triangles>");
  for (int t = 0; t < 12; t++)
    n += (size_t)snprintf(model + n, sizeof model - n, "<triangle v1=\"%d\" v2=\"%d\" v3=\"%d\"/>",
                          box_face[t][0], box_face[t][1], box_face[t][2]);
  snprintf(model + n, sizeof model - n,
           "</triangles></mesh></object></resources><build><item objectid=\"1\"/></build></model>");
  const size_t size = zip_of("3D/3dmodel.model", model, zip);
  ig_mesh *mesh;
  const ig_voxel_case v = {.stl = store("box.3mf", zip, size), .voxel = 1e-2};
  assert_int_equal(make(&v, 0, &mesh), IG_OK);
  assert_int_equal(ig_mesh_elements(mesh), 24);
  assert_float_equal(volume_of(mesh), 24e-6, 1e-15);
  ig_mesh_free(mesh);
}

static ig_lid set_count(const ig_mesh *mesh, const char *name) {
  for (int s = 0; s < mesh->sets; s++)
    if (mesh->set[s].kind == IG_SET_ELEMENTS && strcmp(mesh->set[s].name, name) == 0)
      return mesh->set[s].count;
  return 0;
}

/* Prisms along y, 0 to 2 mm, of a polygon in x and z, given against the clock seen from -y. */
static const char *prism_text(const double (*p)[2], int corners) {
  static char text[16384];
  size_t n = (size_t)snprintf(text, sizeof text, "solid prism\n");
  for (int t = 0; t < 2 * corners + 2 * (corners - 2); t++) {
    double v[3][3];
    for (int a = 0; a < 3; a++) {
      int at, y;
      if (t < 2 * corners) { /* sides */
        const int e = t / 2, f = (e + 1) % corners;
        const int corner[2][3] = {{e, e, f}, {f, e, f}}, side[2][3] = {{0, 1, 0}, {0, 1, 1}};
        at = corner[t % 2][a];
        y = side[t % 2][a];
      } else { /* ends, as fans about the first corner */
        const int k = (t - 2 * corners) / 2, fan[3] = {0, k + 1, k + 2};
        y = t % 2;
        at = fan[y ? 2 - a : a];
      }
      v[a][0] = p[at][0];
      v[a][1] = 2 * y;
      v[a][2] = p[at][1];
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "facet normal 0 0 0\n outer loop\n");
    for (int a = 0; a < 3; a++)
      n += (size_t)snprintf(text + n, sizeof text - n, "  vertex %g %g %g\n", v[a][0], v[a][1],
                            v[a][2]);
    n += (size_t)snprintf(text + n, sizeof text - n, " endloop\nendfacet\n");
  }
  snprintf(text + n, sizeof text - n, "endsolid prism\n");
  return text;
}

static void supports_stand_under_what_overhangs(void **state) {
  (void)state;
  /* a column 2 mm wide, 4 high, with an arm from x = 2 to 6 at z = 3 to 4: convex from corner 1 */
  static const double arm[6][2] = {{2, 3}, {6, 3}, {6, 4}, {0, 4}, {0, 0}, {2, 0}};
  const char *text = prism_text(arm, 6);
  ig_voxel_case c = {.stl = store("arm.stl", text, strlen(text)),
                     .voxel = 0.5e-3,
                     .support_structure = {.at.given = true, .angle = M_PI / 4}};
  ig_mesh *mesh;
  GOOD(cx, make(&c, 0, &mesh));
  assert_int_equal(set_count(mesh, "part"), (4 * 4 * 8) + 8 * 4 * 2);
  assert_int_equal(set_count(mesh, "supports"), 8 * 4 * 6); /* 4 x 2 x 3 mm */
  ig_mesh_free(mesh);
  /* a face 60 degrees above the horizontal holds itself, one of 30 degrees does not */
  for (int steep = 0; steep < 2; steep++) {
    const double out = steep ? 6 / tan(M_PI / 3) : 6 / tan(M_PI / 6);
    const double wedge[4][2] = {{2, 0}, {2 + out, 6}, {0, 6}, {0, 0}};
    text = prism_text(wedge, 4);
    c.stl = store("wedge.stl", text, strlen(text));
    if (steep) {
      assert_int_equal(make(&c, 0, &mesh), IG_INPUT);
      assert_non_null(strstr(ig_ctx_message(cx), "nothing overhangs"));
    } else {
      GOOD(cx, make(&c, 0, &mesh));
      /* the triangle below the slope; at its tip, thinner than half a voxel, is no part */
      const double reach = out - 0.25 / tan(M_PI / 6), volume = reach * reach * tan(M_PI / 6);
      assert_float_equal(set_count(mesh, "supports") * 0.125, volume, 0.03 * volume);
      ig_mesh_free(mesh);
    }
  }
}

static void holes_are_named(void **state) {
  (void)state;
  ig_mesh *mesh;
  ig_voxel_case v = {.stl = store("hole.stl", box_text(11, false), strlen(box_text(11, false))),
                     .voxel = 0.5e-3};
  assert_int_equal(make(&v, 0, &mesh), IG_INPUT);
  assert_non_null(strstr(ig_ctx_message(cx), "not closed: 1 hole, 3 open edges"));
  v.fill_holes = true; /* two of three rays see it whole */
  assert_int_equal(make(&v, 0, &mesh), IG_OK);
  assert_int_equal(ig_mesh_elements(mesh), 192);
  ig_mesh_free(mesh);
  /* a triangle that faces inwards is warned about, and does not matter */
  warnings = 0;
  v = (ig_voxel_case){.stl = store("turned.stl", box_text(12, true), strlen(box_text(12, true))),
                      .voxel = 0.5e-3};
  assert_int_equal(make(&v, 0, &mesh), IG_OK);
  assert_int_equal(warnings, 1);
  assert_int_equal(ig_mesh_elements(mesh), 192);
  ig_mesh_free(mesh);
  static const struct {
    const char *name, *text, *message;
  } bad[] = {
      {"a.stl", "nothing", "neither a text STL"},
      {"b.stl", "solid a\nfacet\nouter loop\nvertex 0 0\n", "b.stl:4:"},
      {"c.stl", "solid a\nendsolid\n", "there are no triangles"},
      {"d.stl", "solid a\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", "of 2 corners"},
      {"e.obj", "v 0 0 0\nf 1 2 3\n", "e.obj:2:5: point 2: there are 1"},
      {"f.3mf", "PK and nothing else in here, really", "not a sound zip archive"},
      {"g.off", "SOLID\n", "g.off:1:1: an OFF file begins with OFF"},
      {"h.off", "OFF BINARY\n", "h.off:1:5: a binary OFF file: only text is read"},
      {"i.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n", "the file ends after 2 of 3 points"},
      {"j.off", "OFF\n1 1 0\n0 0 0\n3 0 1 2\n", "j.off:4:4: point 1: there are 1, from 0"},
      {"k.ply", "plz\n", "k.ply: a PLY file begins with a line 'ply'"},
      {"l.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\n",
       "l.ply:4:10: unknown type 'half'"},
      {"m.ply",
       "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
       "property float z\nend_header\n0 0 0\n",
       "a cloud of points without faces"},
      {"n.ply",
       "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
       "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
       "0 0 0\n3 0 1 0\n",
       "face 0 uses point 1: there are 1, from 0"},
      {"o.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", "the file ends within its header"},
      {"p.ply", "ply\nend_header\n", "p.ply:2:1: the header has no line 'format'"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    v = (ig_voxel_case){.stl = store(bad[i].name, bad[i].text, strlen(bad[i].text)), .voxel = 1e-3};
    assert_int_equal(make(&v, 0, &mesh), IG_INPUT);
    if (!strstr(ig_ctx_message(cx), bad[i].message))
      print_message("%s\n", ig_ctx_message(cx));
    assert_non_null(strstr(ig_ctx_message(cx), bad[i].message));
  }
}

/* A ball of 2 x 12 x 24 triangles: the voxels hold its volume, and refinement brings them closer.
   By chance a voxel at the surface is in or out: of s^2 surface voxels the sum is off by s. */
static void a_ball_keeps_its_volume(void **state) {
  (void)state;
  enum { RINGS = 12, ROUND = 24 };
  ig_tri_surface s = {.nodes = 2 * RINGS * ROUND * 3, .triangles = 0};
  assert_int_equal(IG_NEW(cx, &s.x, 3 * s.nodes, "x"), IG_OK);
  assert_int_equal(IG_NEW(cx, &s.corner, s.nodes, "c"), IG_OK);
  for (int r = 0; r < RINGS; r++)
    for (int k = 0; k < ROUND; k++)
      for (int t = 0; t < 2; t++) {
        const int at[2][3][2] = {{{r, k}, {r + 1, k}, {r + 1, k + 1}},
                                 {{r, k}, {r + 1, k + 1}, {r, k + 1}}};
        for (int a = 0; a < 3; a++) {
          const double p = M_PI * at[t][a][0] / RINGS, q = 2 * M_PI * (at[t][a][1] % ROUND) / ROUND;
          double *x = &s.x[9 * (size_t)s.triangles + 3 * (size_t)a];
          x[0] = sin(p) * cos(q), x[1] = sin(p) * sin(q), x[2] = cos(p);
          s.corner[3 * s.triangles + a] = 3 * s.triangles + a;
        }
        s.triangles++;
      }
  ig_tri_surface_survey v;
  assert_int_equal(ig_tri_surface_weld(cx, &s), IG_OK);
  assert_int_equal(ig_tri_surface_look(cx, &s, &v), IG_OK);
  assert_true(v.open_edges == 0 && v.oriented && v.crowded_edges == 0);
  assert_int_equal(s.nodes, 2 + (RINGS - 1) * ROUND);
  for (int n = 10; n <= 40; n *= 2) {
    const double edge = 2.0 / n, low[3] = {-1, -1, -1};
    const ig_lid cells[3] = {n, n, n};
    uint8_t *inside;
    int64_t count = 0;
    assert_int_equal(IG_NEW(cx, &inside, n * n * n, "v"), IG_OK);
    for (int vote = 0; vote < 2; vote++) {
      assert_int_equal(ig_tri_surface_voxels(cx, &s, low, edge, cells, true, vote, inside), IG_OK);
      count = 0;
      for (int i = 0; i < n * n * n; i++)
        count += inside[i];
      assert_true(fabs((double)count * pow(edge, 3) / fabs(v.volume) - 1) < 1.5 / n);
    }
    free(inside);
  }
  ig_tri_surface_free(&s);
}

/* --- images: 4 x 3 x 2 voxels of 0.5 mm, a slab with a hole of one voxel through it */

static const uint8_t slab[24] = {9, 9, 9, 9, 9, 0, 9, 9, 9, 9, 9, 9,
                                 9, 9, 9, 9, 9, 0, 9, 9, 9, 9, 9, 9};

static void store_after(const char *name, const char *head, size_t length) {
  char bytes[1024];
  memcpy(bytes, head, length);
  memcpy(bytes + length, slab, sizeof slab);
  store(name, bytes, length + sizeof slab);
}

static const char *nrrd(const char *name, const char *sizes, const char *more) {
  char head[512];
  const int length = snprintf(head, sizeof head,
                              "NRRD0004\ntype: uchar\ndimension: 3\nsizes: %s\nspacings: 0.5 0.5 "
                              "0.5\nencoding: raw\n%s\n",
                              sizes, more);
  store_after(name, head, (size_t)length);
  return name;
}

static const char *vti(const char *name, const char *extent, const char *turn) {
  char text[1024];
  int n =
      snprintf(text, sizeof text,
               "<VTKFile type=\"ImageData\"><ImageData WholeExtent=\"%s\" Origin=\"0 0 0\" "
               "Spacing=\".5 .5 .5\"%s><Piece Extent=\"%s\"><CellData><DataArray type=\"UInt8\" "
               "Name=\"grey\" format=\"ascii\">",
               extent, turn, extent);
  for (int i = 0; i < 24; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, " %d", slab[i]);
  n += snprintf(text + n, sizeof text - (size_t)n,
                "</DataArray></CellData></Piece></ImageData></VTKFile>");
  store(name, text, (size_t)n);
  return name;
}

/* numpy's first format: the header's length in two bytes. */
static const char *npy(const char *name, const char *shape) {
  char head[256] = "\x93NUMPY\1";
  const int length = snprintf(head + 10, sizeof head - 10,
                              "{'descr': '|u1', 'fortran_order': False, 'shape': %s, }\n", shape);
  head[8] = (char)length;
  store_after(name, head, 10 + (size_t)length);
  return name;
}

static void images_become_voxels(void **state) {
  (void)state;
  const struct {
    const char *name;
    double unit;
  } good[] = {{npy("a.npy", "(2, 3, 4)"), 0.5e-3},
              {nrrd("a.nrrd", "4 3 2", ""), 0},
              {nrrd("um.nrrd", "4 3 2", "units: \"um\" \"um\" \"um\"\n"), 0},
              {vti("a.vti", "0 4 0 3 0 2", ""), 1e-3}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    const double edge = i == 2 ? 0.5e-6 : 0.5e-3;
    ig_voxel_case v = {.stl = in_folder(folder, good[i].name), .voxel = edge, .threshold = 8.5};
    ig_tri_surface soup;
    ig_tri_surface_survey look;
    ig_mesh *mesh;
    assert_int_equal(
        ig_tri_surface_read_as(
            cx, v.stl, &(ig_tri_surface_how){.unit = good[i].unit, .threshold = 8.5}, &soup),
        IG_OK);
    assert_int_equal(ig_tri_surface_look(cx, &soup, &look), IG_OK);
    assert_true(look.oriented && look.open_edges == 0 && soup.stepped);
    assert_float_equal(look.volume / (22 * pow(edge, 3)), 1, 1e-12);
    assert_float_equal(look.area / (58 * pow(edge, 2)), 1,
                       1e-12); /* 22 flat, 28 around, 8 in the hole */
    ig_tri_surface_free(&soup);
    assert_int_equal(make(&v, good[i].unit, &mesh), IG_OK);
    assert_int_equal(ig_mesh_elements(mesh), 22);
    ig_mesh_free(mesh);
    const ig_scan_part part = {.stl = v.stl,
                               .unit = good[i].unit,
                               .threshold = 8.5,
                               .min = {NAN, NAN, NAN},
                               .max = {NAN, NAN, NAN},
                               .translate = {1, NAN, NAN}};
    ig_scan_body body;
    ig_outline outline;
    assert_int_equal(ig_scan_body_open(cx, &part, &body), IG_OK);
    assert_int_equal(ig_scan_body_cut(cx, &body, 0.5 * edge, &outline), IG_OK);
    assert_int_equal(outline.count, 8); /* two loops of four straight pieces */
    double length = 0;
    for (int k = 0; k < outline.count; k++)
      length += hypot(outline.piece[k][2] - outline.piece[k][0],
                      outline.piece[k][3] - outline.piece[k][1]);
    assert_float_equal(length / (18 * edge), 1, 1e-9);
    ig_outline_free(&outline);
    ig_scan_body_close(&body);
    v.threshold = 9;
    assert_int_equal(make(&v, good[i].unit, &mesh), IG_INPUT);
  }
  const struct {
    const char *name, *said;
  } bad[] = {{npy("bare.npy", "(2, 3, 4)"), "says nothing of the size"},
             {npy("short.npy", "(2, 3, 3)"), "expected 18"},
             {npy("flat.npy", "(6, 4)"), "expected three numbers"},
             {npy("large.npy", "(2000000, 3000, 4000)"), "at most"},
             {npy("long.npy", "(2, 3, 5)"), "this short"},
             {nrrd("skew.nrrd", "4 3 2", "space directions: (1,1,0) (0,1,0) (0,0,1)\n"), "axes"},
             {nrrd("away.nrrd", "4 3 2", "data file: ../x.raw\n"), "beside it"},
             {nrrd("few.nrrd", "4 3 3", ""), "this short"},
             {vti("turned.vti", "0 4 0 3 0 2", " Direction=\"0 1 0 1 0 0 0 0 1\""), "turned"},
             {vti("huge.vti", "0 4000 0 3000 0 20", ""), "this short"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ig_tri_surface soup;
    assert_int_equal(ig_tri_surface_read_as(cx, in_folder(folder, bad[i].name),
                                            &(ig_tri_surface_how){.unit = i ? 1e-3 : 0}, &soup),
                     IG_INPUT);
    if (!strstr(ig_ctx_message(cx), bad[i].said))
      fail_msg("%s: %s", bad[i].name, ig_ctx_message(cx));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(images_become_voxels),
      cmocka_unit_test(a_box_is_its_voxels),
      cmocka_unit_test(binary_though_it_begins_with_solid),
      cmocka_unit_test(obj_with_polygons),
      cmocka_unit_test(ply_and_off),
      cmocka_unit_test(binary_ply),
      cmocka_unit_test(threemf_with_its_unit),
      cmocka_unit_test(supports_stand_under_what_overhangs),
      cmocka_unit_test(holes_are_named),
      cmocka_unit_test(a_ball_keeps_its_volume),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
#else
int main(void) {
  return 0;
}
#endif
