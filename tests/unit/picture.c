/* Pictures: the outer surface is the outer surface, pixels have the field's color, errors speak. */
#include "check.h"
#include "folder.h"
#include "io/picture.h"
#include "io/stl.h"
#include "io/vtkhdf.h"

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
  char bytes[84 + 4 * 50] = "binary STL", path[128], png[128], *folder = folder_new();
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
      assert_true(s->point[3 * s->corner[i] + d] == corner[face[i / 3][i % 3]][d]);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(surface_has_only_outer_faces),
      cmocka_unit_test(nearer_triangles_hide_farther_ones),
      cmocka_unit_test(views_are_drawn_and_errors_named),
      cmocka_unit_test(stl_surfaces_are_drawn),
  };
  cx = ctx_on("cpu", 2);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ig_ctx_close(cx);
  return failed;
}
