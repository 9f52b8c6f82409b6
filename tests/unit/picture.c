/* Pictures: the outer surface is the outer surface, pixels have the field's color, errors speak. */
#include "check.h"
#include "folder.h"
#include "io/picture/picture.h"
#include "io/mesh/stl.h"
#include "io/result/vtkhdf.h"

enum { NX = 4, NY = 3, NZ = 2, POINTS = (NX + 1) * (NY + 1) * (NZ + 1), CELLS = NX * NY * NZ };

static ig_ctx *cx;

static ig_snapshot *block(void) {
  ig_snapshot *s;
  assert_int_equal(ig_snapshot_new(cx, POINTS, CELLS, 8 * CELLS, 0.5, 7, &s), IG_OK);
  for (int n = 0; n < POINTS; n++) {
    s->point[3 * n] = n % (NX + 1);
    s->point[3 * n + 1] = n / (NX + 1) % (NY + 1);
    s->point[3 * n + 2] = n / (NX + 1) / (NY + 1);
  }
  double *layer, height[POINTS];
  assert_int_equal(ig_snapshot_add(s, "layer", "", IG_AT_CELLS, IG_F64, 1, NULL, (void **)&layer),
                   IG_OK);
  for (int e = 0; e < CELLS; e++) {
    const int low = e % NX + (NX + 1) * (e / NX % NY + (NY + 1) * (e / NX / NY));
    const int up = (NX + 1) * (NY + 1);
    const int corner[8] = {0, 1, NX + 2, NX + 1, up, up + 1, up + NX + 2, up + NX + 1};
    for (int a = 0; a < 8; a++)
      s->corner[8 * e + a] = low + corner[a];
    s->offset[e + 1] = 8 * (e + 1);
    s->type[e] = 12;
    layer[e] = e / NX / NY;
  }
  for (int n = 0; n < POINTS; n++)
    height[n] = s->point[3 * n + 2];
  assert_int_equal(ig_snapshot_add(s, "height", "m", IG_AT_POINTS, IG_F64, 1, height, NULL), IG_OK);
  return s;
}

static void surface_has_only_outer_faces(void **state) {
  (void)state;
  ig_snapshot *s = block();
  ig_surface surface;
  assert_int_equal(ig_surface_new(cx, s, NULL, &surface), IG_OK);
  assert_int_equal(surface.triangles, 2 * 2 * (NX * NY + NY * NZ + NZ * NX));
  ig_surface_free(&surface);
  uint8_t keep[CELLS] = {0}; /* two cells apart: twelve faces */
  keep[0] = keep[CELLS - 1] = 1;
  assert_int_equal(ig_surface_new(cx, s, keep, &surface), IG_OK);
  assert_int_equal(surface.triangles, 24);
  ig_surface_free(&surface);
  ig_snapshot_free(s);
}

/* The nearer of two triangles wins, whatever the order they are drawn in. */
static void nearer_triangles_hide_farther_ones(void **state) {
  (void)state;
  const ig_shading shading = {.palette = "gray"};
  const ig_vertex far[3] = {
      {0, 0, 2, 1, 0, {0, 0, 1}}, {99, 0, 2, 1, 0, {0, 0, 1}}, {0, 99, 2, 1, 0, {0, 0, 1}}};
  ig_vertex near[3];
  memcpy(near, far, sizeof near);
  for (int i = 0; i < 3; i++)
    near[i].z = 1, near[i].value = 1;
  for (int order = 0; order < 2; order++) {
    ig_canvas canvas;
    assert_int_equal(ig_canvas_new(cx, 100, 100, &canvas), IG_OK);
    ig_canvas_triangle(&canvas, order ? near : far, 0, &shading);
    ig_canvas_triangle(&canvas, order ? far : near, 0, &shading);
    const float *inside = &canvas.rgb[3 * (20 * 100 + 20)], *outside = &canvas.rgb[3 * 9999];
    assert_true(inside[0] > 0.8F); /* the light end of the palette */
    assert_true(outside[0] == 1.0F);
    ig_canvas_free(&canvas);
  }
}

static void views_are_drawn_and_errors_named(void **state) {
  (void)state;
  char *folder = folder_new(), snapshot[128], png[128], expected[256];
  snprintf(snapshot, sizeof snapshot, "%s/block.vtkhdf", folder);
  snprintf(png, sizeof png, "%s/block.png", folder);
  ig_snapshot *s = block();
  assert_int_equal(ig_snapshot_write(cx, s, snapshot, 1), IG_OK);
  ig_snapshot_free(s);
  ig_view_options o = {.field = "height", .width = 160, .height = 100, .edges = true};
  assert_int_equal(ig_view(cx, snapshot, &o, png), IG_OK);
  FILE *f = fopen(png, "rb");
  unsigned char head[8] = {0};
  assert_non_null(f);
  assert_int_equal(fread(head, 1, 8, f), 8);
  fclose(f);
  assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);

  ig_view_options ranged = {.field = "height", .fixed_range = true};
  GOOD(cx, ig_view_range(cx, snapshot, &ranged, ranged.range));
  assert_true(ranged.range[0] == 0 && ranged.range[1] == NZ);

  o.field = "heigth";
  assert_int_equal(ig_view(cx, snapshot, &o, png), IG_INPUT);
  snprintf(expected, sizeof expected, "%s: no field 'heigth': it has ", snapshot);
  assert_non_null(strstr(ig_ctx_message(cx), expected));
  o.field = "height.q";
  BAD(cx, ig_view(cx, snapshot, &o, png), "no component 'q'");
  o.field = "layer";
  o.threshold = "layer";
  o.threshold_range[0] = 5;
  o.threshold_range[1] = 6;
  BAD(cx, ig_view(cx, snapshot, &o, png), "no cell lies within the threshold");
  o.threshold = NULL;
  o.warp = "height";
  assert_int_equal(ig_view(cx, snapshot, &o, png), IG_INPUT);
  o.warp = NULL;
  assert_int_equal(ig_view(cx, snapshot, &o, "/nonexistent/folder/a.png"), IG_IO);
  folder_remove(folder);
}

/* A tetrahedron: four triangles, four points; a file cut short and a corner at infinity. */
static void stl_surfaces_are_drawn(void **state) {
  (void)state;
  static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  char bytes[84 + 4 * 50] = "binary STL by Ingot, in units of 0.5 m", path[128], png[128],
                      *folder = folder_new();
  memcpy(bytes + 80, &(uint32_t){4}, 4);
  for (int t = 0; t < 4; t++)
    for (int a = 0; a < 3; a++)
      memcpy(bytes + 84 + 50 * t + 12 + 12 * a, corner[face[t][a]], 12);
  snprintf(path, sizeof path, "%s/part.stl", folder);
  snprintf(png, sizeof png, "%s/part.png", folder);
  file_write(path, bytes, sizeof bytes);
  ig_snapshot *s;
  GOOD(cx, ig_stl_read(cx, path, &s));
  assert_int_equal(s->points, 4);
  assert_int_equal(s->cells, 4);
  for (int i = 0; i < 12; i++)
    for (int d = 0; d < 3; d++)
      assert_true(s->point[3 * s->corner[i] + d] == 0.5 * (double)corner[face[i / 3][i % 3]][d]);
  ig_snapshot_free(s);
  memset(bytes, 0, 80); /* no unit: millimetres */
  file_write(path, bytes, sizeof bytes);
  GOOD(cx, ig_stl_read(cx, path, &s));
  assert_true(s->point[3 * s->corner[1] + 1] == 1e-3);
  ig_snapshot_free(s);
  GOOD(cx, ig_view(cx, path, &(ig_view_options){.width = 64, .height = 64}, png));
  assert_true(file_exists(png));
  memcpy(bytes + 84 + 12, &(float){INFINITY}, 4);
  file_write(path, bytes, sizeof bytes);
  BAD(cx, ig_stl_read(cx, path, &s), "triangle 0 has a corner that is no number");
  file_write(path, bytes, sizeof bytes - 1);
  BAD(cx, ig_stl_read(cx, path, &s), "not the whole of one");
  folder_remove(folder);
}

static double area_of(const ig_snapshot *s, const ig_surface *f, int64_t t) {
  double p[3][3], n[3];
  for (int i = 0; i < 3; i++)
    ig_surface_at(s, f, f->corner[3 * t + i], p[i]);
  for (int c = 0; c < 3; c++) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    n[c] = (p[1][d] - p[0][d]) * (p[2][e] - p[0][e]) - (p[1][e] - p[0][e]) * (p[2][d] - p[0][d]);
  }
  return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
}

/* The area of a section and of what is below a plane; a linear field has its own values there. */
static void cuts_have_their_area_and_values(void **state) {
  (void)state;
  ig_snapshot *s = block();
  ig_scalar height;
  GOOD(cx, ig_scalar_find(s, "block", "height", &height));
  static const struct {
    int axis;
    double at, area;
    bool slice;
  } cut[] = {{0, 1.3, NY * NZ, true},
             {1, 2.0, NX * NZ, true}, /* a plane of nodes */
             {2, 1.25, 2 * NX * NY + 2 * 1.25 * (NX + NY), false},
             {0, 10, 2 * (NX * NY + NY * NZ + NZ * NX), false}};
  for (size_t k = 0; k < sizeof cut / sizeof *cut; k++) {
    ig_surface f;
    double area = 0;
    GOOD(cx, ig_surface_new(cx, s, NULL, &f));
    GOOD(cx, ig_surface_cut(cx, s, NULL, cut[k].axis, cut[k].at, cut[k].slice, &f));
    for (int64_t t = 0; t < f.triangles; t++) {
      area += area_of(s, &f, t);
      for (int i = 0; i < 3; i++) {
        double p[3];
        ig_surface_at(s, &f, f.corner[3 * t + i], p);
        assert_true(cut[k].slice ? fabs(p[cut[k].axis] - cut[k].at) < 1e-12
                                 : p[cut[k].axis] <= cut[k].at + 1e-12);
        const double v = ig_surface_value(s, &f, &height, f.cell[t], f.corner[3 * t + i]);
        assert_true(fabs(v - p[2]) < 1e-12);
      }
    }
    assert_true(fabs(area - cut[k].area) < 1e-9);
    ig_surface_free(&f);
  }
  ig_surface f;
  GOOD(cx, ig_surface_new(cx, s, NULL, &f));
  BAD(cx, ig_surface_cut(cx, s, NULL, 0, 9, true, &f), "which reaches from 0 to 4 m");
  ig_surface_free(&f);
  ig_snapshot_free(s);
}

/* Whatever way a face looks, its color is that of the palette, darker by a sixth at most. */
static void shade_keeps_the_color(void **state) {
  (void)state;
  static const float way[4][3] = {{0, 0, 1}, {1, 0, 0.02F}, {0, 1, 0.02F}, {0.6F, -0.7F, 0.3F}};
  const ig_shading shading = {.palette = "viridis"};
  for (int w = 0; w < 4; w++)
    for (int step = 0; step <= 10; step++) {
      const float value = (float)step / 10;
      ig_vertex v[3] = {
          {0, 0, 1, 1, value, {0}}, {9, 0, 1, 1, value, {0}}, {0, 9, 1, 1, value, {0}}};
      ig_canvas canvas;
      float rgb[3];
      for (int i = 0; i < 3; i++)
        memcpy(v[i].normal, way[w], sizeof way[w]);
      GOOD(cx, ig_canvas_new(cx, 16, 16, &canvas));
      ig_canvas_triangle(&canvas, v, 0, &shading);
      ig_palette_color("viridis", value, rgb);
      const float *seen = &canvas.rgb[3 * (2 * 16 + 2)];
      const float light = seen[1] / rgb[1];
      assert_true(light > 0.83F && light < 1.001F);
      for (int c = 0; c < 3; c++)
        assert_true(fabsf(seen[c] - light * rgb[c]) < 0.002F);
      ig_canvas_free(&canvas);
    }
}

/* Loads in words: their sum, of a part that is pinched what acts on a side; rounding errors are
 * none. */
static void loads_in_words(void **state) {
  (void)state;
  static const struct {
    double left, right;
    const char *said;
  } cases[] = {{-101, 101, "101 N on either side"}, {-1500, -500, "2 kN"}, {3e-12, -3e-12, NULL}};
  char *folder = folder_new(), path[128], snapshot[128];
  snprintf(path, sizeof path, "%s/loads.csv", folder);
  snprintf(snapshot, sizeof snapshot, "%s/snap_000000.vtkhdf", folder);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "x [m],y [m],z [m],load_case,force_x [N],force_y [N],force_z [N],held_x,held_y,held_z\n"
            "0,0,0,1,0,0,%g,0,0,0\n1,0,0,1,0,0,%g,0,0,0\n0,1,1,0,0,0,0,1,1,1\n",
            cases[i].left, cases[i].right);
    fclose(f);
    ig_marks m;
    char text[64];
    GOOD(cx, ig_marks_read(cx, snapshot, 2, &m));
    assert_int_equal(m.cases, cases[i].said ? 1 : 0);
    if (cases[i].said) {
      ig_marks_said(&m, 0, text);
      assert_string_equal(text, cases[i].said);
    }
    ig_marks_free(&m);
  }
  folder_remove(folder);
}

/* Brightness never rises along palettes for what is lowest nearly everywhere, from light to dark.
 */
static void light_palettes_become_darker(void **state) {
  (void)state;
  static const char *const name[] = {"embers", "steel"};
  for (int k = 0; k < 2; k++) {
    float last = 1;
    for (int i = 0; i <= 40; i++) {
      float rgb[3];
      ig_palette_color(name[k], (float)i / 40, rgb);
      const float light = 0.2126F * rgb[0] + 0.7152F * rgb[1] + 0.0722F * rgb[2];
      assert_true(light < last);
      last = light;
      if (i == 0)
        assert_true(light > 0.8F);
    }
    assert_true(last < 0.15F);
  }
  assert_string_equal(ig_palette_usual("crack_opening"), "embers");
  assert_string_equal(ig_palette_usual("T"), "steel");
  assert_string_equal(ig_palette_usual("von_mises"), "viridis");
  /* numbers that are names: those that follow each other look different */
  assert_string_equal(ig_palette_usual("grain"), "distinct");
  for (int i = 0; i < 31; i++) {
    float a[3], b[3], off = 0;
    ig_palette_color("distinct", (float)i / 31, a);
    ig_palette_color("distinct", (float)(i + 1) / 31, b);
    for (int c = 0; c < 3; c++) {
      assert_true(a[c] >= 0 && a[c] <= 1);
      off = fmaxf(off, fabsf(a[c] - b[c]));
    }
    assert_true(off > 0.25F);
  }
}

/* The field people want, unless it says nothing; closed cohesive elements are lines. */
static void usual_field_and_thin_cells(void **state) {
  (void)state;
  ig_snapshot *s;
  ig_surface f;
  const double same[4] = {293, 293, 293, 293}, mises[2] = {1, 2};
  GOOD(cx, ig_snapshot_new(cx, 4, 2, 8, 0, 0, &s));
  const double x[12] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0};
  memcpy(s->point, x, sizeof x);
  for (int i = 0; i < 8; i++)
    s->corner[i] = i % 4;
  s->offset[1] = 4, s->offset[2] = 8;
  s->type[0] = s->type[1] = 9;
  GOOD(cx, ig_snapshot_add(s, "T", "K", IG_AT_POINTS, IG_F64, 1, same, NULL));
  assert_string_equal(ig_field_usual(s, NULL), "T");
  GOOD(cx, ig_snapshot_add(s, "von_mises", "Pa", IG_AT_CELLS, IG_F64, 1, mises, NULL));
  assert_string_equal(ig_field_usual(s, NULL), "von_mises");
  ((double *)s->field[0].data)[0] = nextafter(same[0], 1e9); /* the same to rounding */
  assert_string_equal(ig_field_usual(s, NULL), "von_mises");
  const double little[2] = {0, 0.03}, much[2] = {0, 0.3};
  GOOD(cx, ig_snapshot_add(s, "plastic_strain", "", IG_AT_CELLS, IG_F64, 1, little, NULL));
  assert_string_equal(ig_field_usual(s, NULL), "von_mises");
  memcpy(s->field[2].data, much, sizeof much); /* the bar is a mushroom */
  assert_string_equal(ig_field_usual(s, NULL), "plastic_strain");
  GOOD(cx, ig_surface_new(cx, s, NULL, &f));
  assert_int_equal(f.triangles, 0);
  assert_int_equal(f.rods, 2);
  ig_surface_free(&f);
  ig_snapshot_free(s);
}

/* A cube of each kind of solid cell: its surface has the cube's area and points outwards, its
   section has its area. */
static void all_solid_cells_are_drawn(void **state) {
  (void)state;
  static const double cube[9][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},      {0, 0, 1},
                                    {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0.5, 0.5, 0.5}};
  static const struct {
    uint8_t type;
    int cells, corners, triangles, cell[6][8];
  } kinds[] = {
      {12, 1, 8, 12, {{0, 1, 2, 3, 4, 5, 6, 7}}},
      {13, 2, 6, 12, {{0, 2, 1, 4, 6, 5}, {0, 3, 2, 4, 7, 6}}},
      {14,
       6,
       5,
       12,
       {{0, 1, 2, 3, 8},
        {4, 7, 6, 5, 8},
        {0, 4, 5, 1, 8},
        {1, 5, 6, 2, 8},
        {2, 6, 7, 3, 8},
        {3, 7, 4, 0, 8}}},
      {10, 5, 4, 12, {{0, 1, 2, 5}, {0, 2, 3, 7}, {0, 5, 7, 4}, {2, 7, 5, 6}, {0, 2, 7, 5}}},
  };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    ig_snapshot *s;
    ig_surface f;
    const int n = kinds[k].corners;
    GOOD(cx, ig_snapshot_new(cx, 9, kinds[k].cells, n * kinds[k].cells, 0, 0, &s));
    memcpy(s->point, cube, sizeof cube);
    for (int c = 0; c < kinds[k].cells; c++) {
      s->type[c] = kinds[k].type;
      s->offset[c + 1] = n * (c + 1);
      for (int i = 0; i < n; i++)
        s->corner[n * c + i] = kinds[k].cell[c][i];
    }
    GOOD(cx, ig_surface_new(cx, s, NULL, &f));
    assert_int_equal(f.triangles, kinds[k].triangles);
    double area = 0;
    for (int64_t t = 0; t < f.triangles; t++) {
      double p[3][3], outward = 0, a[3], b[3], normal[3];
      for (int i = 0; i < 3; i++)
        ig_surface_at(s, &f, f.corner[3 * t + i], p[i]);
      for (int c = 0; c < 3; c++)
        a[c] = p[1][c] - p[0][c], b[c] = p[2][c] - p[0][c];
      for (int c = 0; c < 3; c++) {
        normal[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
        outward += normal[c] * (p[0][c] - 0.5);
      }
      assert_true(outward > 0);
      area += sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]) / 2;
    }
    assert_true(fabs(area - 6) < 1e-12);
    GOOD(cx, ig_surface_cut(cx, s, NULL, 2, 0.3, true, &f));
    area = 0;
    for (int64_t t = 0; t < f.triangles; t++)
      area += area_of(s, &f, t);
    assert_true(fabs(area - 1) < 1e-12);
    ig_surface_free(&f);
    ig_snapshot_free(s);
  }
}

/* Fields constant to rounding, of huge and tiny values, with NaN and infinities: each is drawn. */
static void any_field_is_drawn(void **state) {
  (void)state;
  static const double base[] = {0, 293.15, -1e300, 1e-310, NAN, INFINITY, 1.7e308};
  static const double width[] = {0, 1e-16, 3e-16, 1e-9, 2};
  char *folder = folder_new();
  const char *snapshot = in_folder(folder, "odd.vtkhdf"), *png = in_folder(folder, "odd.png");
  for (size_t b = 0; b < sizeof base / sizeof *base; b++)
    for (size_t w = 0; w < sizeof width / sizeof *width; w++) {
      ig_snapshot *s = block();
      double value[POINTS];
      for (int n = 0; n < POINTS; n++)
        value[n] = base[b] * (n % 3 ? 1 : 1 - width[w]) + (n == 7 ? NAN : 0);
      GOOD(cx, ig_snapshot_add(s, "odd", "Pa", IG_AT_POINTS, IG_F64, 1, value, NULL));
      GOOD(cx, ig_snapshot_write(cx, s, snapshot, 1));
      ig_snapshot_free(s);
      const ig_view_options o = {.field = "odd", .width = 160, .height = 100};
      GOOD(cx, ig_view(cx, snapshot, &o, png));
    }
  const ig_view_options empty = {.field = "odd", .fixed_range = true, .range = {1, INFINITY}};
  BAD(cx, ig_view(cx, snapshot, &empty, png), "color range 1 to inf");
  folder_remove(folder);
}

/* A request to stop ends the drawing, once; no file is left. */
static void drawing_can_be_interrupted(void **state) {
  (void)state;
  char *folder = folder_new();
  const char *snapshot = in_folder(folder, "block.vtkhdf"), *png = in_folder(folder, "block.png");
  ig_snapshot *s = block();
  GOOD(cx, ig_snapshot_write(cx, s, snapshot, 1));
  ig_snapshot_free(s);
  const ig_view_options o = {.field = "height", .width = 160, .height = 100};
  ig_ctx_interrupt(cx);
  assert_int_equal(ig_view(cx, snapshot, &o, png), IG_INTERRUPTED);
  SAYS(cx, "interrupted");
  assert_false(file_exists(png));
  GOOD(cx, ig_view(cx, snapshot, &o, png));
  folder_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(surface_has_only_outer_faces),
      cmocka_unit_test(nearer_triangles_hide_farther_ones),
      cmocka_unit_test(views_are_drawn_and_errors_named),
      cmocka_unit_test(stl_surfaces_are_drawn),
      cmocka_unit_test(cuts_have_their_area_and_values),
      cmocka_unit_test(shade_keeps_the_color),
      cmocka_unit_test(loads_in_words),
      cmocka_unit_test(light_palettes_become_darker),
      cmocka_unit_test(usual_field_and_thin_cells),
      cmocka_unit_test(all_solid_cells_are_drawn),
      cmocka_unit_test(any_field_is_drawn),
      cmocka_unit_test(drawing_can_be_interrupted),
  };
  cx = ctx_on("cpu", 2);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ig_ctx_close(cx);
  return failed;
}
