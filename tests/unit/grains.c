/* Grains: the octahedron of a captured cell, random orientations, substrate and nuclei, files of
   events, epitaxy where a cell melts again, what is refused. */
#include "grains_case.h"
#include "grains/cells.inc"
#include "ingot_io.h"

#include <unistd.h>

static void open_run(ig_ctx *cx, const ig_grains_case *c, ig_job *job, ig_grains_run *r) {
  *job = (ig_job){.cx = cx, .room_case = c};
  GOOD(cx, ig_grains_open(job, r));
}

/* The new octahedron shares the nearest corner with the old one, lies in it, contains the cell. */
static void octahedron_keeps_its_faces(void **state) {
  (void)state;
  static const float at[2][3][3] = {
      {{0.9f, 0.3f, -0.1f}, {-0.2f, 0.8f, 0.7f}, {0.5f, 0.5f, 0.5f}},
      {{1.6f, 1.2f, -0.4f}, {-0.1f, 2.8f, 0.3f}, {1.1f, 1.1f, -1.1f}}};
  for (int i = 0; i < 3; i++)
    for (int big = 0; big < 2; big++) {
      const float *d = at[big][i];
      const double sum = fabs((double)d[0]) + fabs((double)d[1]) + fabs((double)d[2]);
      const float size = (float)(sum + 0.1);
      float centre[3];
      const float made = grains_octahedron(d, size, centre);
      assert_true(made > 0 && made <= size);
      assert_true(big || made == size); /* small ones are not cut */
      assert_true(!big || made < size);
      /* the cell is at 0 of its own octahedron, the old centre at -d */
      double inside = 0, corner = INFINITY;
      for (int k = 0; k < 3; k++)
        inside += fabs((double)centre[k]);
      assert_true(inside <= (double)made + 1e-6);
      for (int k = 0; k < 3; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
          double apart = 0;
          for (int m = 0; m < 3; m++)
            apart += fabs((double)(centre[m] + d[m]) + (m == k ? sign * (double)(made - size) : 0));
          corner = fmin(corner, apart);
        }
      assert_true(corner < 1e-5);
    }
}

/* Orientations are rotations, and random: the mean of each direction cosine's square is 1/3. */
static void orientations_are_random(void **state) {
  (void)state;
  const ig_grains_case c = grains_box(4, 4, 4);
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_grains_run r;
  ig_job job;
  open_run(cx, &c, &job, &r);
  double square[9] = {0};
  const int count = (int)r.array.axes.count / 9;
  for (int i = 0; i < count; i++) {
    const float *a = &((const float *)r.array.axes.host)[9 * i];
    for (int k = 0; k < 9; k++)
      square[k] += (double)a[k] * (double)a[k] / count;
    for (int p = 0; p < 3; p++)
      for (int q = 0; q < 3; q++)
        assert_near((double)(a[3 * p] * a[3 * q] + a[3 * p + 1] * a[3 * q + 1] +
                             a[3 * p + 2] * a[3 * q + 2]),
                    p == q, 1e-5);
    assert_near((double)(a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
                         a[2] * (a[3] * a[7] - a[4] * a[6])),
                1, 1e-5);
  }
  for (int k = 0; k < 9; k++)
    assert_near(square[k], 1.0 / 3, 0.02); /* deviation of the mean: 0.003 */
  ig_grains_close(&r);
  ig_ctx_close(cx);
}

/* Colours and angles of known orientations. */
static void colors_are_those_of_the_triangle(void **state) {
  (void)state;
  const float s2 = (float)M_SQRT1_2, s3 = 1 / sqrtf(3);
  const float axes[3][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1},
                            {1, 0, 0, 0, s2, s2, 0, -s2, s2},
                            {0, 0, s3, 0, 0, s3, 0, 0, s3}}; /* the column along z is what counts */
  static const double angle[3] = {0, M_PI / 4, 0.9553166181245093};
  for (int i = 0; i < 3; i++) {
    float rgb[3];
    ig_grains_color(axes[i], 2, rgb);
    for (int k = 0; k < 3; k++)
      assert_near((double)rgb[k], k == i, 1e-5);
    assert_near(ig_grains_tilt(axes[i]), angle[i], 1e-6);
  }
}

/* As many nuclei as the density says, with the mean and the deviation; as many grains as the
   substrate's size says. */
static void places_follow_the_case(void **state) {
  (void)state;
  const ig_grains_case c = grains_box(100, 100, 50);
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_grains_run r;
  ig_job job;
  open_run(cx, &c, &job, &r);
  const double count = (double)r.array.nucleus.count, expected = 5e14 * 1e-18 * 100 * 100 * 49;
  const ig_grains_nucleus *n = r.array.nucleus.host;
  double mean = 0, square = 0;
  for (size_t i = 0; i < r.array.nucleus.count; i++) {
    mean += (double)n[i].undercooling / count;
    square += (double)n[i].undercooling * (double)n[i].undercooling / count;
  }
  assert_near(count, expected, 5 * sqrt(expected));
  assert_near(mean, 40, 5 * 10 / sqrt(count));
  assert_near(sqrt(square - mean * mean), 10, 3);
  assert_int_equal(r.substrate_grains, 400);
  ig_grains_close(&r);
  ig_ctx_close(cx);
}

/* Rows of cells that are skipped have nothing to do: with all of them the bits are the same. */
static void skipped_rows_change_nothing(void **state) {
  (void)state;
  const ig_grains_case c = grains_box(70, 20, 16);
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_grains_run r[2];
  ig_job job[2];
  grains_run(cx, &c, &job[0], &r[0]);
  open_run(cx, &c, &job[1], &r[1]);
  while (!ig_grains_ended(&r[1])) {
    memset(r[1].array.woken.dev, 1, r[1].array.woken.count);
    GOOD(cx, ig_grains_advance(&r[1], 1));
  }
  assert_int_equal(r[0].step, r[1].step);
#define X(name, type)                                                                              \
  if (r[0].array.name.count)                                                                       \
    assert_memory_equal(r[0].array.name.host, r[1].array.name.host,                                \
                        r[0].array.name.count *r[0].array.name.size);
  IG_GRAINS_STATE_ARRAYS(X)
#undef X
  ig_grains_close(&r[0]);
  ig_grains_close(&r[1]);
  ig_ctx_close(cx);
}

static void keep_text(void *user, ig_log_level level, const char *text) {
  if (level == IG_LOG_WARN)
    snprintf(user, 512, "%s", text);
}

/* Steps by the speed of tips may be long for the temperature. */
static void long_steps_are_warned_of(void **state) {
  (void)state;
  char said[512] = "";
  ig_ctx *cx;
  assert_int_equal(
      ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1, .log = keep_text, .user = said},
                  &cx),
      IG_OK);
  ig_grains_case c = grains_box(4, 4, 4);
  ig_grains_run r;
  ig_job job;
  open_run(cx, &c, &job, &r);
  ig_grains_close(&r);
  assert_string_equal(said, "");
  c.growth = (ig_grains_growth){
      .law = IG_GRAINS_CUSTOM, .linear = 1e-3, .quadratic = NAN, .cubic = NAN, .limit = 10};
  open_run(cx, &c, &job, &r);
  ig_grains_close(&r);
  assert_non_null(strstr(said, "in a step of 2e-05 s a cell cools by up to 20 K"));
  assert_non_null(strstr(said, "give a `time_step` of at most 5e-07 s"));
  ig_ctx_close(cx);
}

/* A grain that grows through the sides of a periodic box has its centre where its seed stands. */
static void centres_are_periodic(void **state) {
  (void)state;
  ig_grains_seed seed = {.point = {0.5 * UM, 10.5 * UM, 4.5 * UM}, .euler = {0, 0, 0}};
  ig_grains_case c = grains_box(21, 21, 9);
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_grains_run r;
  ig_grains_measure m;
  ig_job job;
  c.periodic = true;
  c.substrate.at.given = c.nucleation.at.given = false;
  c.seeds = (ig_list){1, &seed};
  c.field =
      (ig_grains_field){.at.given = true, .speed = NAN, .cooling_rate = NAN, .undercooling = 20};
  c.duration = 5 * UM / 0.08; /* a tip is then 5 um long, about */
  grains_run(cx, &c, &job, &r);
  GOOD(cx, ig_grains_measure_make(&r, &m));
  assert_int_equal(m.grains, 1);
  assert_true(m.grain[0].cells > 27 && m.grain[0].cells < 21 * 21 * 9);
  for (int d = 0; d < 3; d++)
    assert_near(m.grain[0].centre[d], seed.point[d], 1e-12);
  ig_grains_measure_free(&m);
  /* one that reaches around for three quarters of the period, most of it at one end: by hand */
  int32_t *grain = r.array.grain.host, id = 0;
  double sum = 0, count = 0;
  for (int64_t i = 0; i < r.view.cells; i++)
    id = grain[i] > id ? grain[i] : id;
  for (int64_t i = 0; i < r.view.cells; i++) {
    const int x = (int)(i % 21), y = (int)(i / 21 % 21), from = (x + 21 - 12) % 21;
    const bool in = from < 16 && (from < 2 || y == 3);
    grain[i] = in ? id : 0;
    ((uint8_t *)r.array.melts.host)[i] = in;
    ((uint8_t *)r.array.state.host)[i] = IG_GRAINS_LIQUID + in;
    sum += in ? (12 + from + 0.5) * UM : 0;
    count += in;
  }
  const double middle = sum / count;
  GOOD(cx, ig_grains_measure_make(&r, &m));
  assert_int_equal(m.grains, 1);
  assert_int_equal(m.grain[0].cells, (int64_t)count);
  assert_near(m.grain[0].centre[0], middle - (middle > 21 * UM ? 21 * UM : 0), 1e-12);
  ig_grains_measure_free(&m);
  ig_grains_close(&r);
  ig_ctx_close(cx);
}

#ifdef INGOT_HAVE_IO
static void temporary(char *path, const char *text) {
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
}

/* Text and binary are the same run; what melted is solid again, and nothing else has changed. */
static void formats_are_the_same(void **state) {
  (void)state;
  char path[2][64]; /* the ending says the format */
  snprintf(path[0], sizeof path[0], "/tmp/ingot-grains-%d.csv", (int)getpid());
  snprintf(path[1], sizeof path[1], "/tmp/ingot-grains-%d.catemp", (int)getpid());
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_grains_run r[2];
  ig_job job[2];
  ig_grains_file file;
  ig_grains_case c;
  for (int i = 0; i < 2; i++) {
    grains_pool_write(path[i], i == 1);
    c = grains_pool(&file, path[i]);
    grains_run(cx, &c, &job[i], &r[i]);
    remove(path[i]);
  }
  ig_grains_run start;
  grains_pool_write(path[0], false);
  c = grains_pool(&file, path[0]);
  open_run(cx, &c, &job[0], &start);
  remove(path[0]);
  const uint8_t *state_of = r[0].array.state.host, *melts = r[0].array.melts.host;
  const int32_t *grain = r[0].array.grain.host, *first = r[0].array.first.host;
  int64_t twice = 0;
  assert_int_equal(r[0].view.n[0], 44); /* two cells around, none above */
  assert_int_equal(r[0].view.n[2], 9);
  for (int64_t cell = 0; cell < r[0].view.cells; cell++) {
    assert_int_equal(state_of[cell], IG_GRAINS_SOLID);
    assert_int_equal(melts[cell], first[cell + 1] - first[cell]);
    assert_true(grain[cell] > 0);
    assert_true(melts[cell] || grain[cell] == ((const int32_t *)start.array.grain.host)[cell]);
    twice += melts[cell] == 2;
  }
  assert_true(twice > 100);
#define X(name, type)                                                                              \
  assert_memory_equal(r[0].array.name.host, r[1].array.name.host,                                  \
                      r[0].array.name.count *r[0].array.name.size);
  IG_GRAINS_STATE_ARRAYS(X)
#undef X
  ig_grains_close(&start);
  ig_grains_close(&r[0]);
  ig_grains_close(&r[1]);
  ig_ctx_close(cx);
}

/* A single cell that melts continues a grain beside it; a nucleus that needs less undercooling than
   nothing does not come first, since the solid is there at the liquidus. */
static void solid_beside_goes_on(void **state) {
  (void)state;
  char path[] = "/tmp/ingot-grains-XXXXXX";
  temporary(path, "x,y,z,tm,ts,cr\n0,0,0,1e-6,2e-6,1e6\n1e-6,0,0,1e-6,2e-6,1e6\n");
  ig_grains_file file;
  ig_grains_case c = grains_pool(&file, path);
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_grains_run r;
  ig_job job;
  c.nucleation.at.given = false;
  c.substrate.grain_size = UM; /* a grain in nearly every cell */
  grains_run(cx, &c, &job, &r);
  remove(path);
  const int32_t *grain = r.array.grain.host;
  int64_t cell = 0;
  assert_true(ig_grains_cell_of(&r, (const double[3]){0, 0, 0}, &cell));
  bool beside = false;
  const int64_t step[3] = {1, r.view.n[0], (int64_t)r.view.n[0] * r.view.n[1]};
  for (int d = 0; d < 3; d++)
    for (int sign = -1; sign <= 1; sign += 2)
      if (cell + sign * step[d] < r.view.cells)
        beside = beside || grain[cell + sign * step[d]] == grain[cell];
  assert_true(beside);
  assert_int_equal(((const uint8_t *)r.array.melts.host)[cell], 1);
  ig_grains_close(&r);
  ig_ctx_close(cx);
}

/* Times that are linear in space stay so between the points of a file. */
static void refined_times_are_interpolated(void **state) {
  (void)state;
  char path[] = "/tmp/ingot-grains-XXXXXX", text[16384] = "x,y,z,tm,ts,cr\n";
  const double slope[3] = {2, 3, -1}; /* s/m */
  for (int i = 0; i < 60; i++) {
    const double x[3] = {i % 5 * 3 * UM, i / 5 % 4 * 3 * UM, (double)(i / 20) * 3 * UM};
    const double ts = 1e-3 + slope[0] * x[0] + slope[1] * x[1] + slope[2] * x[2];
    sprintf(text + strlen(text), "%.17g,%.17g,%.17g,%.17g,%.17g,1e6\n", x[0], x[1], x[2], ts - 5e-4,
            ts);
  }
  temporary(path, text);
  ig_grains_file file;
  ig_grains_case c = grains_pool(&file, path);
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_grains_run r;
  ig_job job;
  c.grid.refine = 3;
  open_run(cx, &c, &job, &r);
  remove(path);
  assert_int_equal(r.events, 60 * 27);
  assert_int_equal(r.view.n[0], 15 + 4);
  assert_int_equal(r.view.n[2], 9 + 2);
  const int32_t *first = r.array.first.host;
  const ig_grains_event *event = r.array.event.host;
  for (int64_t cell = 0; cell < r.view.cells; cell++) {
    const int64_t at[3] = {cell % r.view.n[0], cell / r.view.n[0] % r.view.n[1],
                           cell / r.view.n[0] / r.view.n[1]};
    double ts = 1e-3;
    for (int d = 0; d < 3; d++)
      ts += slope[d] * (r.low[d] + ((double)at[d] + 0.5) * UM);
    if (first[cell + 1] == first[cell])
      continue;
    assert_int_equal(first[cell + 1] - first[cell], 1);
    assert_near(event[first[cell]].liquidus, ts, 1e-12);
    assert_near(event[first[cell]].melt, ts - 5e-4, 1e-12);
  }
  ig_grains_close(&r);
  ig_ctx_close(cx);
}

/* The same file twice is a melt in a melt. */
static void overlaps_are_warned_of(void **state) {
  (void)state;
  char said[512] = "", path[] = "/tmp/ingot-grains-XXXXXX";
  ig_ctx *cx;
  assert_int_equal(
      ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1, .log = keep_text, .user = said},
                  &cx),
      IG_OK);
  temporary(path, "x,y,z,tm,ts,cr\n0,0,0,1e-6,2e-6,1e6\n1e-6,0,0,1e-6,2e-6,1e6\n");
  ig_grains_file file[2];
  ig_grains_case c = grains_pool(&file[0], path);
  file[1] = file[0];
  ig_grains_run r;
  ig_job job;
  for (int twice = 0; twice < 2; twice++) {
    c.events = (ig_list){1 + twice, file};
    open_run(cx, &c, &job, &r);
    ig_grains_close(&r);
    assert_true(!!*said == twice);
  }
  assert_non_null(strstr(said, "2 of 4 events melt a cell that is still molten"));
  remove(path);
  ig_ctx_close(cx);
}

/* 20 K/um at 0.5 m/s: tips follow the liquidus by 60.7 K (the root of 2.2196e-3 u + 1.0533e-4 u^2 -
   1.0302e-7 u^3 = 0.5), 3 um; a quarter of that is less than a cell of 1 um. A field, and events
   that say the same; at 2 K/um nothing is said. */
static void coarse_fronts_are_warned_of(void **state) {
  (void)state;
  char said[512], path[] = "/tmp/ingot-grains-XXXXXX", text[256];
  ig_ctx *cx;
  assert_int_equal(
      ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1, .log = keep_text, .user = said},
                  &cx),
      IG_OK);
  for (int n = 0; n < 4; n++) {
    const double gradient = n % 2 ? 2e7 : 2e6;
    snprintf(text, sizeof text,
             "x,y,z,tm,ts,cr\n0,0,0,0,4e-6,%g\n0,0,1e-6,0,6e-6,%g\n0,0,2e-6,0,8e-6,%g\n",
             0.5 * gradient, 0.5 * gradient, 0.5 * gradient);
    if (n == 0)
      temporary(path, text);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    ig_grains_file file;
    ig_grains_case c = n < 2 ? grains_box(4, 4, 4) : grains_pool(&file, path);
    c.field.gradient = gradient;
    c.time_step = 1e-8;
    ig_grains_run r;
    ig_job job;
    said[0] = 0;
    open_run(cx, &c, &job, &r);
    ig_grains_front_warn(&r);
    ig_grains_close(&r);
    assert_true(!!*said == n % 2);
    if (n % 2)
      assert_non_null(
          strstr(said, "temperatures fall by 20 K, and tips follow the liquidus by 60.7 K"));
  }
  remove(path);
  ig_ctx_close(cx);
}

/* Files: one line of what is wrong, with its place. */
static void bad_events_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } bad[] = {{"", "the file is empty"},
             {"x,y,z,tm,cr\n", ":1:1: the line of column names has no 'ts'"},
             {"x,y,z,tm,ts,cr\n", "no event lies in the box"},
             {"x,y,z,tm,ts,cr\n0,0,0,1,2\n", ":2:9: the line has 5 values and not 6"},
             {"x,y,z,tm,ts,cr\n0,0,0,1,2,3,4\n", ":2:12: the line has more than 6 values"},
             {"x,y,z,tm,ts,tl,cr\n0,0,0,1,2,3,4\n", ":1:13: a second column for 'ts'"},
             {"x,y,z,tm,ts,cr\n0,0,0,1,two,3\n", ":2:9: a number is missing"},
             {"x,y,z,tm,ts,cr\n0,0,0,1,2x,3\n", ":2:9: this is no number"},
             {"x,y,z,tm,ts,cr\n0,0,0,2,1,3\n", ":2:1: an event falls through the liquidus"},
             {"x,y,z,tm,ts,cr\n0,0,0,-2,1,3\n", "before the start"},
             {"x,y,z,tm,ts,cr\n0,0,0,1,2,0\n", "must be above 0"},
             {"x,y,z,tm,ts,cr\n0,0,0,1,nan,1\n", "no number"},
             {"x,y,z,tm,ts,cr\n0,0,0,1,2,1\n1.5e-6,0,0,1,2,1\n", "1.5 cells apart"},
             {"x,y,z,tm,ts,cr\n0,0,0,1,2,1\n4e-6,0,0,1,2,1\n",
              "events are 4e-06 m apart along x: give that, or grid.refine: 4"}};
  ig_ctx *cx = ctx_on("cpu", 1);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char path[] = "/tmp/ingot-grains-XXXXXX";
    ig_grains_file file;
    temporary(path, bad[i].text);
    const ig_grains_case c = grains_pool(&file, path);
    ig_grains_run r;
    ig_job job = {.cx = cx, .room_case = &c};
    BAD(cx, ig_grains_open(&job, &r), bad[i].says);
    ig_grains_close(&r);
    remove(path);
  }
  ig_ctx_close(cx);
}
#endif

static void bad_cases_are_refused(void **state) {
  (void)state;
  enum { COUNT = 12 };
  static const char *const says[COUNT] = {"no temperatures: give `field` or `events`",
                                          "no whole number of cells",
                                          "give either `speed` or",
                                          "nothing cools",
                                          "nothing grows: give a",
                                          "less than grid.cell",
                                          "are for `law: custom`",
                                          "needs a `limit`",
                                          "slower again above 5",
                                          "cells are 8e+18",
                                          "a tip may advance by",
                                          "is outside of the box"};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_grains_seed seed = {.point = {1, 1, 1}, .euler = {NAN, NAN, NAN}};
  for (int i = 0; i < COUNT; i++) {
    ig_grains_case c = grains_box(8, 8, 8);
    switch (i) {
    case 0:
      c.field.at.given = false;
      break;
    case 1:
      c.grid.size[1] = 8.5 * UM;
      break;
    case 2:
      c.field.cooling_rate = 1;
      break;
    case 3:
      c.field.speed = NAN, c.field.cooling_rate = 0;
      break;
    case 4:
      c.substrate.at.given = c.nucleation.at.given = false;
      break;
    case 5:
      c.substrate.grain_size = 0.5 * UM;
      break;
    case 6:
      c.growth.linear = 1;
      break;
    case 7:
      c.growth.law = IG_GRAINS_CUSTOM, c.growth.linear = 1;
      break;
    case 8:
      c.growth.law = IG_GRAINS_CUSTOM, c.growth.limit = 10;
      c.growth.linear = 1, c.growth.quadratic = -0.1;
      break;
    case 9:
      c.grid.size[0] = c.grid.size[1] = c.grid.size[2] = 2;
      break;
    case 10:
      c.time_step = 1;
      break;
    default:
      c.seeds = (ig_list){1, &seed};
    }
    ig_grains_run r;
    ig_job job = {.cx = cx, .room_case = &c};
    BAD(cx, ig_grains_open(&job, &r), says[i]);
    ig_grains_close(&r);
  }
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(octahedron_keeps_its_faces),
      cmocka_unit_test(orientations_are_random),
      cmocka_unit_test(colors_are_those_of_the_triangle),
      cmocka_unit_test(places_follow_the_case),
      cmocka_unit_test(skipped_rows_change_nothing),
      cmocka_unit_test(centres_are_periodic),
      cmocka_unit_test(long_steps_are_warned_of),
#ifdef INGOT_HAVE_IO
      cmocka_unit_test(formats_are_the_same),
      cmocka_unit_test(solid_beside_goes_on),
      cmocka_unit_test(refined_times_are_interpolated),
      cmocka_unit_test(overlaps_are_warned_of),
      cmocka_unit_test(coarse_fronts_are_warned_of),
      cmocka_unit_test(bad_events_are_refused),
#endif
      cmocka_unit_test(bad_cases_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
