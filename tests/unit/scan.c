/* Scan paths of a part: lengths by hand, borders, contours, skins, lasers, times. */
#include "one_context.h"
#include "scan/hatch.h"

#include <math.h>

static ig_scan_part box(double x0, double y0, double z0, double x1, double y1, double z1) {
  return (ig_scan_part){.min = {x0, y0, z0}, .max = {x1, y1, z1}, .translate = {NAN, NAN, NAN}};
}

/* One layer of 5 x 3 mm at 0.1 mm, and what tests change of it. */
static ig_scan_part plain_part;
static ig_hatch_case plain(void) {
  plain_part = box(0, 0, 0, 5e-3, 3e-3, 1e-3);
  return (ig_hatch_case){.parts = {1, &plain_part},
                         .layer_height = 1e-3,
                         .base = NAN,
                         .first_layer = 1,
                         .spacing = 1e-4,
                         .power = 200,
                         .speed = 1,
                         .jump_speed = 5,
                         .width = NAN,
                         .lasers = 1};
}

static ig_toolpath_survey look(const ig_hatch_case *c, ig_toolpath *paths) {
  ig_toolpath_survey s, all = {0};
  const ig_status status = ig_hatch_make(cx, c, paths);
  if (status != IG_OK)
    print_message("%s\n", ig_ctx_message(cx));
  assert_int_equal(status, IG_OK);
  for (int64_t i = 0; i < c->lasers; i++) {
    assert_int_equal(ig_toolpath_look(cx, &paths[i], &s), IG_OK);
    all.length_on += s.length_on;
    all.energy += s.energy;
    all.time_on += s.time_on;
    all.layers = s.layers > all.layers ? s.layers : all.layers;
  }
  return all;
}
static ig_toolpath_survey look_once(const ig_hatch_case *c) {
  ig_toolpath p[64];
  const ig_toolpath_survey s = look(c, p);
  for (int64_t i = 0; i < c->lasers; i++)
    ig_toolpath_free(&p[i]);
  return s;
}

static void lines_cover_the_area(void **state) {
  (void)state;
  ig_hatch_case c = plain();
  const double all = 15e-6 / 1e-4; /* area over spacing */
  assert_float_equal(look_once(&c).length_on, all, 1e-12);
  c.angle = M_PI / 2;
  assert_float_equal(look_once(&c).length_on, all, 1e-12);
  /* At any angle a line is wrong by less than a spacing at each end: a quarter of a spacing per
     metre of outline, generously. */
  for (int k = 1; k < 18; k++) {
    c.angle = k * M_PI / 18 + 0.01;
    assert_float_equal(look_once(&c).length_on, all, 0.25 * 16e-3);
  }
  const ig_toolpath_survey s = look_once(&c);
  assert_float_equal(s.energy, 200 * s.length_on, 1e-9);
}

static void stripes_and_islands_cover_the_same(void **state) {
  (void)state;
  ig_hatch_case c = plain();
  for (c.pattern = IG_HATCH_STRIPES; c.pattern <= IG_HATCH_ISLANDS; c.pattern++) {
    c.width = 1e-3;
    c.angle = 0;
    assert_float_equal(look_once(&c).length_on, 0.15, 1e-12);
    c.angle = 0.3;
    assert_float_equal(look_once(&c).length_on, 0.15, 0.25 * 16e-3 + 1e-3);
  }
  c.pattern = IG_HATCH_STRIPES; /* five stripes, four seams, 0.1 mm more on both sides of each */
  c.angle = 0;
  c.overlap = 1e-4;
  assert_float_equal(look_once(&c).length_on, 0.15 + 4 * 2e-4 * 30, 1e-12);
}

static void border_and_contours(void **state) {
  (void)state;
  ig_hatch_case c = plain();
  c.border = 2e-4; /* 4.6 mm on the lines at 0.25 ... 2.75 mm */
  assert_float_equal(look_once(&c).length_on, 26 * 4.6e-3, 1e-12);
  c.contour = (ig_hatch_contour){.at = {.given = true},
                                 .count = 2,
                                 .offset = 5e-5,
                                 .spacing = 1e-4,
                                 .power = 100,
                                 .speed = NAN};
  const double contours = 2 * (4.9e-3 + 2.9e-3) + 2 * (4.7e-3 + 2.7e-3);
  const ig_toolpath_survey s = look_once(&c);
  assert_float_equal(s.length_on, 26 * 4.6e-3 + contours, 2e-3 * contours);
  assert_float_equal(s.energy, 200 * 26 * 4.6e-3 + 100 * contours, 0.2 * contours);
  const int told = (int)cx->warnings; /* the part is 3 mm wide: none fits, and that is said once */
  c.contour.offset = 1.6e-3;
  assert_float_equal(look_once(&c).length_on, 26 * 4.6e-3, 1e-12);
  assert_int_equal((int)cx->warnings, told + 1);
}

/* An outline of many corners: a disc of 2 mm with a hole of 1 mm. */
static ig_outline ring(void) {
  ig_outline s = {.oriented = true};
  enum { N = 200 };
  for (int hole = 0; hole < 2; hole++)
    for (int i = 0; i < N; i++) {
      const double r = hole ? 1e-3 : 2e-3, sign = hole ? -1 : 1;
      const double t0 = sign * 2 * M_PI * i / N, t1 = sign * 2 * M_PI * (i + 1) / N;
      const double a[2] = {r * cos(t0), r * sin(t0)}, b[2] = {r * cos(t1), r * sin(t1)};
      assert_int_equal(ig_outline_add(cx, &s, a, b), IG_OK);
    }
  return s;
}

static void insets_of_a_ring(void **state) {
  (void)state;
  ig_outline s = ring(), in;
  double length = 0, apart = 0;
  assert_int_equal(ig_outline_inset(cx, &s, 1e-4, &in), IG_OK);
  for (int i = 0; i < in.count; i++) {
    const double *p = in.piece[i], *q = in.piece[(i + 1) % in.count];
    const double r = hypot(p[0], p[1]);
    assert_true(fabs(r - 1.9e-3) < 2e-6 || fabs(r - 1.1e-3) < 2e-6);
    length += hypot(p[2] - p[0], p[3] - p[1]);
    apart += hypot(q[0] - p[2], q[1] - p[3]); /* two loops: two ways between them */
  }
  assert_float_equal(length, 2 * M_PI * 3e-3, 1e-3 * 2 * M_PI * 3e-3);
  assert_true(apart < 4e-3);
  ig_outline_free(&in);
  assert_int_equal(ig_outline_inset(cx, &s, 0.6e-3, &in), IG_OK);
  assert_int_equal(in.count, 0); /* the ring is 1 mm wide: nothing is 0.6 mm inside */
  ig_outline_free(&s);
  ig_outline_free(&in);
}

/* A cube of 12 triangles. */
static ig_scan_body cube(double edge) {
  static const ig_lid quad[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  ig_scan_body b = {.oriented = true, .high = {edge, edge, edge}};
  b.soup = (ig_tri_surface){.nodes = 8, .triangles = 12};
  assert_int_equal(IG_NEW(cx, &b.soup.x, 24, "test"), IG_OK);
  assert_int_equal(IG_NEW(cx, &b.soup.corner, 36, "test"), IG_OK);
  for (int n = 0; n < 8; n++)
    for (int d = 0; d < 3; d++)
      b.soup.x[3 * n + d] = n >> d & 1 ? edge : 0;
  for (int f = 0; f < 6; f++) {
    const ig_lid *q = quad[f], t[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
    memcpy(&b.soup.corner[6 * f], t, sizeof t);
  }
  return b;
}

static void a_surface_is_cut(void **state) {
  (void)state;
  ig_scan_body b = cube(2e-3);
  ig_outline s;
  assert_int_equal(ig_scan_body_cut(cx, &b, 0.7e-3, &s), IG_OK);
  double length = 0, area = 0;
  for (int i = 0; i < s.count; i++) {
    const double *p = s.piece[i];
    length += hypot(p[2] - p[0], p[3] - p[1]);
    area += 0.5 * (p[0] * p[3] - p[2] * p[1]);
  }
  assert_float_equal(length, 8e-3, 1e-15);
  assert_float_equal(fabs(area), 4e-6, 1e-18);
  ig_spans in = {0};
  const double o[2] = {0, 1e-3}, d[2] = {1, 0};
  assert_int_equal(ig_outline_inside(cx, &s, o, d, &in), IG_OK);
  assert_int_equal(in.count, 1);
  assert_float_equal(in.span[0].from, 0, 1e-18);
  assert_float_equal(in.span[0].to, 2e-3, 1e-18);
  ig_spans_free(&in);
  ig_outline_free(&s);
  assert_int_equal(ig_scan_body_cut(cx, &b, 2.1e-3, &s), IG_OK);
  assert_int_equal(s.count, 0);
  ig_scan_body_close(&b);
}

static void skins_have_their_own_power(void **state) {
  (void)state;
  ig_hatch_case c = plain();
  c.layer_height = 1e-4; /* ten layers; the two on top are up-skin */
  c.up_skin = (ig_hatch_skin){.at = {.given = true}, .layers = 2, .power = 100, .speed = 2};
  c.down_skin = (ig_hatch_skin){.at = {.given = true}, .layers = 1, .power = 50, .speed = NAN};
  const ig_toolpath_survey s = look_once(&c);
  assert_int_equal(s.layers, 10);
  assert_float_equal(s.length_on, 1.5, 1e-9);
  assert_float_equal(s.energy, 8 * 200 * 0.15 + 2 * 100 * 0.15 / 2, 1e-9);
}

static void lasers_share_the_work(void **state) {
  (void)state;
  ig_toolpath p[2];
  ig_hatch_case c = plain();
  c.lasers = 2;
  c.layer_height = 5e-4;
  c.recoating = 4;
  c.pattern = IG_HATCH_STRIPES;
  c.width = 0.5e-3;
  const ig_toolpath_survey s = look(&c, p);
  assert_float_equal(s.length_on, 0.3, 1e-12);
  assert_true(p[0].t[p[0].count - 1] == p[1].t[p[1].count - 1]);
  for (int i = 0; i < 2; i++) {
    ig_toolpath_survey one;
    assert_int_equal(ig_toolpath_look(cx, &p[i], &one), IG_OK);
    assert_float_equal(one.length_on, 0.15, 1e-12);
    assert_true(p[i].t[p[i].count - 1] > 8.15 && p[i].t[p[i].count - 1] < 8.3);
    for (int64_t k = 1; k < p[i].count; k++)
      assert_true(p[i].t[k] >= p[i].t[k - 1]);
    ig_toolpath_free(&p[i]);
  }
}

static void skywriting_takes_time_without_power(void **state) {
  (void)state;
  ig_hatch_case c = plain();
  const ig_toolpath_survey a = look_once(&c);
  c.skywriting = 2e-4;
  ig_toolpath p;
  const ig_toolpath_survey b = look(&c, &p);
  assert_float_equal(b.length_on, a.length_on, 1e-12);
  assert_float_equal(b.energy, a.energy, 1e-9);
  /* 30 lines, a run-up and a run-out each; jumps of a spacing between the 29 pairs of ends */
  const double time = 0.15 + 60 * 2e-4 + 29 * 1e-4 / 5;
  assert_float_equal(p.t[p.count - 1], time, 1e-9);
  ig_toolpath_free(&p);
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  ig_toolpath p[2];
  ig_hatch_case c = plain();
  c.pattern = IG_HATCH_STRIPES;
  assert_int_equal(ig_hatch_make(cx, &c, p), IG_INPUT);
  c = plain();
  plain_part.max[2] = -1;
  assert_int_equal(ig_hatch_make(cx, &c, p), IG_INPUT);
  c = plain();
  c.spacing = 1e-12;
  assert_int_equal(ig_hatch_make(cx, &c, p), IG_INPUT);
  c = plain();
  c.layer_height = 1e-12;
  assert_int_equal(ig_hatch_make(cx, &c, p), IG_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lines_cover_the_area),
                                     cmocka_unit_test(stripes_and_islands_cover_the_same),
                                     cmocka_unit_test(border_and_contours),
                                     cmocka_unit_test(insets_of_a_ring),
                                     cmocka_unit_test(a_surface_is_cut),
                                     cmocka_unit_test(skins_have_their_own_power),
                                     cmocka_unit_test(lasers_share_the_work),
                                     cmocka_unit_test(skywriting_takes_time_without_power),
                                     cmocka_unit_test(what_is_wrong_is_said)};
  return cmocka_run_group_tests(tests, open_context, close_context);
}
