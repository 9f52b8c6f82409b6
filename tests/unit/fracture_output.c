/* What a user of the fracture room gets to see: rows, snapshots, fragments, figures, warnings. */
#include "fracture_watch.h"
#include "run/time_loop.h"
#include "verify/fracture/problem.h"

extern const ig_room ig_room_fracture;

static const ig_field *field(const watcher *w, const char *name, ig_location where, int width) {
  for (int i = 0; i < w->last->fields; i++)
    if (strcmp(w->last->field[i].name, name) == 0) {
      assert_int_equal(w->last->field[i].where, where);
      assert_int_equal(w->last->field[i].components, width);
      return &w->last->field[i];
    }
  fail_msg("no field '%s'", name);
  return NULL;
}

static char said[256];
static void listen(void *user, ig_log_level level, const char *message) {
  (void)user;
  if (level == IG_LOG_WARN)
    snprintf(said, sizeof said, "%s", message);
}

/* The strip on a coarse mesh, with a strength it resolves. */
static void run_strip(ig_ctx *cx, watcher *w) {
  watch(w, true);
  ig_frac_problem p;
  static ig_output_case output;
  output = (ig_output_case){.count = 2, .interval = NAN, .history_every = 20};
  GOOD(cx, ig_frac_problem_strip(&p, cx, 12, IG_TRI6, 0));
  p.c.time_step = 6e-9;
  p.c.duration = 15e-6;
  p.material.cohesive_strength = 60e6;
  p.strain[1] = 0.010;
  p.job.sink = &w->sink;
  p.job.output = &output;
  GOOD(cx, ig_loop_all(&ig_room_fracture, &p.job));
  ig_frac_problem_free(&p);
}

static void a_run_shows_its_crack(void **state) {
  (void)state;
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = "cpu", .threads = 2, .log = listen};
  assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
  static watcher w;
  said[0] = 0;
  run_strip(cx, &w);
  assert_string_equal(said, ""); /* nothing to warn of */

  /* rows: the energies add up, the crack grows, its tip is slower than a surface wave */
  static const char *const energies[] = {"kinetic [J]",     "strain [J]",  "dissipated [J]",
                                         "recoverable [J]", "contact [J]", "external [J]"};
  double first = 0, longest = 0, top = 0;
  for (int r = 0; r < w.rows; r++) {
    double sum = 0;
    for (int i = 0; i < 6; i++)
      sum += (i == 5 ? -1 : 1) * w.row[r][column(&w, energies[i])];
    first = r ? first : sum;
    assert_float_equal(sum, first, 5e-3 * first);
    assert_true(fabs(w.row[r][column(&w, "error")]) < 5e-3);
    const double length = w.row[r][column(&w, "crack_extension [m]")];
    assert_true(length >= longest);
    longest = length;
    top = fmax(top, w.row[r][column(&w, "tip_speed [m/s]")]);
  }
  assert_true(longest > 5e-3 && top > 300 && top < 938);
  const double *last = w.row[w.rows - 1];
  assert_float_equal(last[column(&w, "tip_x [m]")], 2e-3 + longest, 1e-3);
  assert_true(last[column(&w, "crack_length [m]")] >= longest);

  /* figures of the summary */
  const int64_t ne = 4 * 12 * 48, cohesive = (int64_t)result(&w, "cohesive_elements");
  assert_true(cohesive > 0 && result(&w, "energy_error") < 5e-3);
  assert_true(result(&w, "crack_angle") < 15);
  /* of all facets without traction, not of the farthest alone: it has branches */
  const double off = result(&w, "path_deviation");
  const double at_tip = result(&w, "crack_extension") * sin(result(&w, "crack_angle") * M_PI / 180);
  assert_true(off >= at_tip - 1e-12 && off > 0 && off < 2e-3);
  assert_true(result(&w, "nodes") - result(&w, "initial_nodes") >= 2 * 6);
  const int pieces = (int)result(&w, "fragments");
  assert_int_equal(pieces, (int)last[column(&w, "fragments")]);

  /* fragments: whole mass, and each with a velocity */
  double mass = 0;
  int lines = 0;
  for (char *line = strchr(w.fragments, '\n') + 1; *line; line = strchr(line, '\n') + 1, lines++) {
    int id, elements;
    double m, x[3], v[3];
    assert_int_equal(sscanf(line, "%d,%d,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &id, &elements, &m, &x[0],
                            &x[1], &x[2], &v[0], &v[1], &v[2]),
                     9);
    assert_true(id == lines && elements > 0 && m > 0);
    assert_true(x[0] > -1e-3 && x[0] < 17e-3 && x[1] > -1e-3 && x[1] < 5e-3);
    mass += m;
  }
  assert_int_equal(lines, pieces);
  assert_float_equal(mass, 1190 * 16e-3 * 4e-3, 1e-9);

  /* the last snapshot: bulk cells, then cohesive cells that open with the crack */
  const ig_snapshot *s = w.last;
  assert_int_equal(w.snapshots, 3);
  assert_int_equal(s->cells, ne + cohesive);
  (void)field(&w, "velocity", IG_AT_POINTS, 3);
  (void)field(&w, "stress", IG_AT_CELLS, 6);
  (void)field(&w, "principal_stress", IG_AT_CELLS, 1);
  (void)field(&w, "energy_density", IG_AT_CELLS, 1);
  const float *u = field(&w, "displacement", IG_AT_POINTS, 3)->data;
  const float *damage = field(&w, "damage", IG_AT_CELLS, 1)->data;
  const float *opening = field(&w, "opening", IG_AT_CELLS, 2)->data;
  const float *traction = field(&w, "traction", IG_AT_CELLS, 2)->data;
  const uint8_t *block = field(&w, "block", IG_AT_CELLS, 1)->data;
  const int32_t *fragment = field(&w, "fragment", IG_AT_CELLS, 1)->data;
  int open = 0;
  for (int64_t c = 0; c < s->cells; c++) {
    assert_int_equal(block[c], c >= ne);
    if (c < ne) {
      assert_true(s->type[c] == 22 && fragment[c] >= 0 && fragment[c] < pieces);
      continue;
    }
    assert_int_equal(s->type[c], 9);
    const int64_t *at = s->corner + s->offset[c]; /* 0 1 below, 2 3 above, 3 over 0 */
    for (int d = 0; d < 2; d++)
      assert_float_equal(s->point[3 * at[0] + d], s->point[3 * at[3] + d], 1e-12);
    if (damage[c] < 1 || !(opening[2 * c] > 1e-6f))
      continue;
    open++;
    assert_true(traction[2 * c] == 0 && traction[2 * c + 1] == 0);
    const double gap = hypot(u[3 * at[3]] - u[3 * at[0]], u[3 * at[3] + 1] - u[3 * at[0] + 1]);
    assert_true(gap > 0);
  }
  assert_true(open > 10);
  /* the crack as a table: a line each cohesive element, along the strip */
  int facets = 0, gone = 0;
  for (char *line = strchr(w.crack, '\n') + 1; *line; line = strchr(line, '\n') + 1, facets++) {
    double x[4], d, gap, slid;
    assert_int_equal(
        sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &x[0], &x[1], &x[2], &x[3], &d, &gap, &slid),
        7);
    assert_true(hypot(x[2] - x[0], x[3] - x[1]) < 0.4e-3 && d >= 0 && d <= 1);
    gone += d == 1;
  }
  assert_int_equal(facets, cohesive);
  assert_true(gone > 10);
  watch_end(&w);
  ig_snapshot_free(w.last);
  ig_ctx_close(cx);
}

/* A crack inside the strip has two tips, and a case may name one more; each has its columns. */
/* Stress across the plane: nu (sxx + syy) in plane strain, none in plane stress. */
static void plane_strain_has_stress_across(void **state) {
  (void)state;
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1, .log = listen};
  assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
  for (int plane = 0; plane < 2; plane++) {
    static watcher w;
    static ig_output_case output;
    ig_frac_problem p;
    watch(&w, true);
    output = (ig_output_case){.count = 1, .interval = NAN, .history_every = 20};
    GOOD(cx, ig_frac_problem_strip(&p, cx, 4, IG_TRI6, 0));
    p.c.plane = plane;
    p.c.time_step = 6e-9;
    p.c.duration = 60e-9;
    p.strain[1] = 0.001;
    p.job.sink = &w.sink;
    p.job.output = &output;
    GOOD(cx, ig_loop_all(&ig_room_fracture, &p.job));
    const float *t = field(&w, "stress", IG_AT_CELLS, 6)->data;
    const double nu = p.material.poisson;
    for (int64_t c = 0; c < w.last->cells; c++)
      assert_float_equal(t[6 * c + 2], plane ? 0 : nu * (t[6 * c] + t[6 * c + 1]),
                         1e-5 * fabs(t[6 * c + 1]));
    ig_frac_problem_free(&p);
    watch_end(&w);
    ig_snapshot_free(w.last);
  }
  ig_ctx_close(cx);
}

static void every_tip_is_followed(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  static watcher w;
  watch(&w, false);
  ig_frac_problem p;
  ig_frac_model m;
  ig_frac_track track;
  GOOD(cx, ig_frac_problem_strip(&p, cx, 12, IG_TRI6, 0));
  const double from[] = {7e-3, 2e-3}, to[] = {9e-3, 2e-3};
  memcpy(p.crack.from, from, sizeof from);
  memcpy(p.crack.to, to, sizeof to);
  ig_frac_tip_case named = {.point = {1e-3, 1e-3}, .direction = {1, 0}, .depth = {NAN, NAN, NAN}};
  p.c.tips = (ig_list){1, &named};
  p.c.time_step = 6e-9;
  p.c.tip_window = 1e-6;
  p.material.cohesive_strength = 60e6;
  p.strain[1] = 0.012;
  GOOD(cx, ig_frac_setup(&p.job, &m));
  GOOD(cx, ig_frac_track_start(&track, &p.job, &m, 8e-6));
  assert_int_equal(track.tips, 3);
  for (int i = 0; i <= 80; i++) {
    GOOD(cx, ig_frac_model_run(&m, (int64_t)(i * 1e-7 / m.s.dt)));
    GOOD(cx, ig_frac_history(&p.job, &m, &track, &w.sink));
  }
  const double *last = w.row[w.rows - 1];
  const double right = last[column(&w, "crack_extension [m]")];
  const double left = last[column(&w, "crack_extension_2 [m]")];
  assert_true(right > 1e-3 && left > 1e-3 && fabs(right - left) < 0.5 * right);
  assert_true(last[column(&w, "tip_x [m]")] > 9.9e-3 && last[column(&w, "tip_x_2 [m]")] < 6.1e-3);
  assert_true(last[column(&w, "crack_extension_3 [m]")] == 0);
  assert_true(track.top_speed > 100);
  assert_true(ig_frac_tip_angle(&track.tip[0]) < 30 && ig_frac_tip_angle(&track.tip[1]) < 30);
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  ig_ctx_close(cx);
}

/* The facets of a closed notch have no traction from the start: its tip has not moved by that. A
   strip that lies elsewhere has the same crack, also where facets are two lengths from the tip. */
static void a_closed_notch_is_no_extension(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_frac_problem p;
  ig_frac_model m;
  ig_frac_track track;
  double extension[2][2];
  for (int moved = 0; moved < 2; moved++) {
    GOOD(cx, ig_frac_problem_strip(&p, cx, 12, IG_TRI3, 0));
    const double shift[2] = {moved ? 1e-3 : 0, moved ? -2e-3 : 0};
    for (ig_lid n = 0; n < p.job.mesh->nodes; n++)
      for (int d = 0; d < 2; d++)
        p.job.mesh->x[3 * (int64_t)n + d] += shift[d];
    for (int d = 0; d < 2; d++) {
      p.crack.from[d] += shift[d];
      p.crack.to[d] += shift[d];
    }
    p.crack.closed = true;
    p.c.time_step = 6e-9;
    p.material.cohesive_strength = 60e6;
    p.strain[1] = 0.012;
    GOOD(cx, ig_frac_setup(&p.job, &m));
    GOOD(cx, ig_frac_track_start(&track, &p.job, &m, 8e-6));
    for (int i = 0; i < 2; i++) {
      GOOD(cx, ig_frac_model_run(&m, i * 600));
      GOOD(cx, ig_frac_tips_follow(&m, &track));
      extension[moved][i] = track.tip[0].extension;
    }
    assert_true(extension[moved][0] == 0 && extension[moved][1] > 0);
    assert_true(ig_frac_tip_angle(&track.tip[0]) < 60);
    ig_frac_model_free(&m);
    ig_frac_problem_free(&p);
  }
  assert_float_equal(extension[0][1], extension[1][1], 1e-9);
  ig_ctx_close(cx);
}

static void a_balance_that_is_off_is_said(void **state) {
  (void)state;
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1, .log = listen};
  assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
  ig_frac_problem p;
  ig_frac_model m;
  GOOD(cx, ig_frac_problem_strip(&p, cx, 12, IG_TRI3, 0));
  GOOD(cx, ig_frac_setup(&p.job, &m));
  for (int off = 0; off < 2; off++) {
    ig_frac_track track = {.scale = 100, .worst_error = off ? 1.1 : 0.9};
    said[0] = 0;
    GOOD(cx, ig_frac_results(&p.job, &m, &track, p.job.sink));
    if (off)
      assert_non_null(strstr(said, "energy balance is off by up to 1.1 %"));
    else
      assert_string_equal(said, "");
  }
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  ig_ctx_close(cx);
}

/* Strains of 1e170: the run ends with a message, not with a result. */
static void a_run_that_blows_up_stops(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  static watcher w;
  watch(&w, false);
  ig_frac_problem p;
  static ig_output_case output;
  output = (ig_output_case){.interval = NAN, .history_every = 20};
  GOOD(cx, ig_frac_problem_strip(&p, cx, 12, IG_TRI6, 0));
  p.c.time_step = 6e-9;
  p.c.duration = 15e-6;
  p.strain[1] = 1e170;
  p.job.sink = &w.sink;
  p.job.output = &output;
  assert_int_equal(ig_loop_all(&ig_room_fracture, &p.job), IG_NUMERIC);
  assert_int_equal(w.results, 0);
  ig_frac_problem_free(&p);
  ig_ctx_close(cx);
}

/* Facets of a stiffness that is given: the step follows it, and the energy balance closes; a step
   that is given and too long for them is refused. */
static void stiff_facets_shorten_the_step(void **state) {
  (void)state;
  enum { LOOKS = 10 };
  ig_ctx *cx = ctx_on("cpu", 1);
  double step = 0;
  for (int stiff = 0; stiff < 3; stiff++) {
    ig_frac_problem p;
    ig_frac_model m;
    ig_frac_track track;
    GOOD(cx, ig_frac_problem_strip(&p, cx, 8, IG_TRI3, 0));
    p.material.cohesive_strength = 60e6;
    p.c.cohesive.penalty = stiff ? 1e17 : 0;
    p.c.time_step = stiff == 2 ? step : NAN;
    const ig_status status = ig_frac_setup(&p.job, &m);
    assert_int_equal(status, stiff == 2 ? IG_INPUT : IG_OK);
    if (stiff == 2)
      assert_non_null(strstr(ig_ctx_message(cx), "leave cohesive.penalty out"));
    if (stiff == 1) {
      assert_true(m.s.dt < 0.2 * step);
      GOOD(cx, ig_frac_track_start(&track, &p.job, &m, 5e-6));
      for (int i = 0; i <= LOOKS; i++) {
        GOOD(cx, ig_frac_model_run(&m, (int64_t)(5e-6 / m.s.dt) * i / LOOKS));
        GOOD(cx, ig_frac_history(&p.job, &m, &track, NULL));
      }
      assert_true(m.count.cohesive > 20);
      assert_true(ig_frac_track_drift(&track) < 5e-3);
    } else if (stiff == 0) {
      step = m.s.dt;
    }
    ig_frac_model_free(&m);
    ig_frac_problem_free(&p);
  }
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_shows_its_crack),
                                     cmocka_unit_test(plane_strain_has_stress_across),
                                     cmocka_unit_test(every_tip_is_followed),
                                     cmocka_unit_test(a_closed_notch_is_no_extension),
                                     cmocka_unit_test(a_balance_that_is_off_is_said),
                                     cmocka_unit_test(a_run_that_blows_up_stops),
                                     cmocka_unit_test(stiff_facets_shorten_the_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
