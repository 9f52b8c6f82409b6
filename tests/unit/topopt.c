/* Topology optimisation: runs, restarts, surfaces, and what it says to cases that are wrong. */
#include "check.h"
#include "run/time_loop.h"
#include "closed.h"
#include "topopt/surface/surface.h"
#include "backend/backend.h"
#include "verify/topopt/problem.h"

extern const ig_room ig_room_topopt;

/* --- a sink that keeps things in memory --- */

typedef struct {
  ig_sink sink;
  int rows, snapshots, fields, stop_after;
  double objective[64];
  ig_restart restart;
  char files[8][16];
  size_t sizes[8];
  char *bytes[8]; /* with a 0 behind */
  int file_count;
  ig_ctx *cx;
} memory;

static ig_status keep_snapshot(ig_sink *sink, ig_snapshot *snap) {
  memory *m = sink->self;
  m->snapshots++;
  assert_int_equal(ig_snapshot_settle(snap), IG_OK);
  m->fields = snap->fields;
  const ig_field *density = ig_snapshot_find(snap, IG_AT_CELLS, "density");
  for (int64_t i = 0; density && i < snap->cells; i++) {
    const float x = ((const float *)density->data)[i];
    assert_true(x >= 0 && x <= 1);
  }
  ig_snapshot_free(snap);
  return IG_OK;
}
static ig_status keep_history(ig_sink *sink, int columns, const char *const *names,
                              const double *values) {
  memory *m = sink->self;
  assert_true(columns >= 8);
  assert_int_equal(strncmp(names[1], "objective", 9), 0);
  m->objective[m->rows++] = values[1];
  if (m->rows == m->stop_after)
    ig_ctx_interrupt(m->cx);
  return IG_OK;
}
static ig_status keep_checkpoint(ig_sink *sink, double time, int64_t step, const ig_saved *saved,
                                 int count) {
  memory *m = sink->self;
  m->restart = (ig_restart){.time = time, .step = step, .count = count};
  m->restart.saved = calloc((size_t)count, sizeof *saved);
  for (int i = 0; i < count; i++) {
    const size_t bytes = (size_t)saved[i].count * ig_dtype_size(saved[i].dtype);
    m->restart.saved[i] = saved[i];
    m->restart.saved[i].name = strdup(saved[i].name);
    m->restart.saved[i].data = malloc(bytes);
    memcpy(m->restart.saved[i].data, saved[i].data, bytes);
  }
  return IG_OK;
}
static ig_status keep_result(ig_sink *sink, const char *key, const char *unit, double value) {
  (void)unit;
  (void)sink;
  (void)key;
  assert_true(isfinite(value));
  return IG_OK;
}
static ig_status keep_text(ig_sink *sink, const char *key, const char *value) {
  (void)sink;
  (void)key;
  (void)value;
  return IG_OK;
}
static ig_status keep_file(ig_sink *sink, const char *name, const void *bytes, size_t size) {
  memory *m = sink->self;
  m->bytes[m->file_count] = calloc(size + 1, 1);
  memcpy(m->bytes[m->file_count], bytes, size);
  snprintf(m->files[m->file_count], sizeof m->files[0], "%s", name);
  m->sizes[m->file_count++] = size;
  return IG_OK;
}
static void memory_open(memory *m, ig_ctx *cx) {
  memset(m, 0, sizeof *m);
  m->cx = cx;
  m->sink = (ig_sink){.self = m,
                      .snapshot = keep_snapshot,
                      .history = keep_history,
                      .checkpoint = keep_checkpoint,
                      .result = keep_result,
                      .result_text = keep_text,
                      .file = keep_file};
}
static void memory_close(memory *m) {
  for (int i = 0; i < m->file_count; i++)
    free(m->bytes[i]);
  for (int i = 0; i < m->restart.count; i++) {
    free((void *)m->restart.saved[i].name);
    free(m->restart.saved[i].data);
  }
  free(m->restart.saved);
}

/* --- runs --- */

#define CASE(more)                                                                                 \
  "{grid: {elements: [10, 6, 4]}, volume: 0.4, symmetry: [z-], supports: [{box: {min: [0, 0, 0], " \
  "max: [0, 6, 4]}}], loads: [{box: {min: [10, 0, 0], max: [10, 0, 4]}, force: [0, -1, 0]}], "     \
  "iterations: 6, surface: {formats: [stl, obj, ply]}, solver: {tolerance: 1e-7}" more "}"

static ig_status run_with(ig_ctx *cx, const char *text, const ig_output_case *output, memory *m,
                          const ig_restart *restart) {
  ig_arena *arena;
  ig_node *node;
  ig_topopt_case c;
  const ig_src at = {.file = "test", .given = true};
  const ig_option_table table = {ig_topopt_options, &c};
  assert_int_equal(ig_arena_new(cx, &arena), IG_OK);
  assert_int_equal(ig_node_parse(cx, arena, text, at, &node), IG_OK);
  ig_status status = ig_options_read(cx, arena, node, &table, 1);
  if (status == IG_OK) {
    ig_job job = {.cx = cx,
                  .room_case = &c,
                  .output = output,
                  .sink = m ? &m->sink : NULL,
                  .restart = restart};
    status = ig_loop_all(&ig_room_topopt, &job);
    if (status == IG_OK) {
      assert_true(job.elements == 240 || job.elements == 24);
      assert_int_equal(job.dofs, job.elements == 240 ? 11 * 7 * 5 * 3 : 7 * 5 * 2);
      assert_true(job.element_steps > 0);
    }
  }
  ig_arena_free(arena);
  return status;
}

static ig_status run_case(ig_ctx *cx, const char *text, memory *m, const ig_restart *restart) {
  return run_with(cx, text, &(ig_output_case){.every = 3}, m, restart);
}

/* --- surface files, read back as triangles of nine floats --- */

typedef struct {
  int64_t count;
  float (*corner)[3][3];
} triangles;

static triangles read_stl(const char *bytes, size_t size) {
  uint32_t n;
  memcpy(&n, bytes + 80, 4);
  assert_int_equal(size, 84 + 50 * (size_t)n);
  triangles t = {n, malloc(n * sizeof *t.corner)};
  for (uint32_t i = 0; i < n; i++)
    memcpy(t.corner[i], bytes + 84 + 50 * (size_t)i + 12, 36);
  return t;
}

static triangles read_obj(const char *bytes, size_t size) {
  float(*vertex)[3] = malloc(size);
  triangles t = {0, malloc(4 * size)};
  int vertices = 0, at[3];
  for (const char *line = bytes; *line; line = strchr(line, '\n') + 1)
    if (*line == 'v') {
      float *v = vertex[vertices++];
      assert_int_equal(sscanf(line, "v %f %f %f", &v[0], &v[1], &v[2]), 3);
    } else {
      assert_int_equal(sscanf(line, "f %d %d %d", &at[0], &at[1], &at[2]), 3);
      for (int i = 0; i < 3; i++)
        memcpy(t.corner[t.count][i], vertex[at[i] - 1], 12);
      t.count++;
    }
  free(vertex);
  return t;
}

static triangles read_ply(const char *bytes, size_t size) {
  long long vertices, faces;
  assert_int_equal(sscanf(strstr(bytes, "element vertex"), "element vertex %lld", &vertices), 1);
  assert_int_equal(sscanf(strstr(bytes, "element face"), "element face %lld", &faces), 1);
  const char *vertex = strstr(bytes, "end_header\n") + 11, *face = vertex + 12 * vertices;
  assert_int_equal(size, face + 13 * faces - bytes);
  triangles t = {faces, malloc((size_t)faces * sizeof *t.corner)};
  for (long long f = 0; f < faces; f++)
    for (int i = 0; i < 3; i++) {
      int32_t at;
      memcpy(&at, face + 13 * f + 1 + 4 * i, 4);
      memcpy(t.corner[f][i], vertex + 12 * (size_t)at, 12);
    }
  return t;
}

static int float_order(const void *a, const void *b) {
  return memcmp(a, b, 6 * sizeof(float));
}

/* as many triangles run along an edge one way as the other */
static void assert_watertight(triangles t) {
  float(*edge)[6] = malloc((size_t)t.count * 3 * sizeof *edge);
  float(*back)[6] = malloc((size_t)t.count * 3 * sizeof *back);
  for (int64_t i = 0; i < 3 * t.count; i++) {
    const float *from = t.corner[i / 3][i % 3], *to = t.corner[i / 3][(i + 1) % 3];
    memcpy(edge[i], from, 12);
    memcpy(edge[i] + 3, to, 12);
    memcpy(back[i], to, 12);
    memcpy(back[i] + 3, from, 12);
  }
  assert_true(t.count > 0);
  qsort(edge, (size_t)t.count * 3, sizeof *edge, float_order);
  qsort(back, (size_t)t.count * 3, sizeof *back, float_order);
  assert_memory_equal(edge, back, (size_t)t.count * 3 * sizeof *edge);
  free(edge);
  free(back);
  free(t.corner);
}

static void run_writes_what_it_should(void **state) {
  (void)state;
  for (int b = 0; b < 2; b++) {
    ig_ctx *cx = ctx_on(b ? "debug" : "cpu", 2);
    memory m;
    memory_open(&m, cx);
    GOOD(cx, run_case(cx, CASE(""), &m, NULL));
    assert_int_equal(m.rows, 6);
    assert_int_equal(m.snapshots, 3);
    assert_int_equal(m.file_count, 4);
    assert_string_equal(m.files[0], "loads.csv");
    assert_string_equal(m.files[1], "part.stl");
    assert_watertight(read_stl(m.bytes[1], m.sizes[1]));
    assert_watertight(read_obj(m.bytes[2], m.sizes[2]));
    assert_watertight(read_ply(m.bytes[3], m.sizes[3]));
    assert_true(m.objective[5] < 0.7 * m.objective[0]);
    memory_close(&m);
    ig_ctx_close(cx);
  }
}

/* Six iterations: what is shown, and how often, is as the output section says. */
static void output_follows_the_case(void **state) {
  (void)state;
  const char *fields[] = {"strain_energy", "temperature"};
  const struct {
    ig_output_case output;
    int snapshots, rows, fields;
  } expect[] = {{{.count = 2}, 3, 6, 3},
                {{.count = 0}, 0, 6, 0},
                {{.every = 4, .history_every = 4}, 3, 3, 3},
                {{.count = 6, .history_every = 100, .fields = {1, fields}}, 7, 2, 1}};
  ig_ctx *cx = ctx_on("debug", 2);
  for (size_t i = 0; i < sizeof expect / sizeof *expect; i++) {
    memory m;
    memory_open(&m, cx);
    GOOD(cx, run_with(cx, CASE(""), &expect[i].output, &m, NULL));
    assert_int_equal(m.snapshots, expect[i].snapshots);
    assert_int_equal(m.rows, expect[i].rows);
    assert_int_equal(m.fields, expect[i].fields);
    memory_close(&m);
  }
  const ig_output_case timed = {.interval = 1}, other = {.count = 1, .fields = {2, fields}};
  BAD(cx, run_with(cx, CASE(""), &timed, NULL, NULL), "give 'every' or 'count'");
  BAD(cx, run_with(cx, CASE(""), &other, NULL, NULL), "no 'temperature' here");
  ig_ctx_close(cx);
}

static void restart_continues_to_the_same_result(void **state) {
  (void)state;
  static const char *const texts[] = {
      CASE(""),
      CASE(", optimiser: {method: mma}"),
      CASE(", optimiser: {method: mma}, constraints: [{box: {max: [5, 6, 4]}, volume: 0.5}, {box: "
           "{min: [10, 0, 0]}, direction: [0, -1, 0], displacement: 100}]"),
      CASE(", filter: {kind: density}, constraints: [{stress: 0.5}], stress: {clusters: 2}"),
      CASE(", filter: {kind: density}, minimise: stress"),
      CASE(", sequence: {grids: 1, iterations: 5}")};
  for (size_t p = 0; p < sizeof texts / sizeof *texts; p++) {
    ig_ctx *cx = ctx_on("debug", 2);
    memory whole, part, rest;
    memory_open(&whole, cx);
    GOOD(cx, run_case(cx, texts[p], &whole, NULL));
    memory_open(&part, cx);
    part.stop_after = 3;
    assert_int_equal(run_case(cx, texts[p], &part, NULL), IG_INTERRUPTED);
    cx->interrupted = 0;
    memory_open(&rest, cx);
    GOOD(cx, run_case(cx, texts[p], &rest, &part.restart));
    assert_int_equal(rest.rows, 3);
    for (int i = 0; i < 3; i++)
      assert_true(rest.objective[i] == whole.objective[3 + i]);
    memory_close(&whole);
    memory_close(&part);
    memory_close(&rest);
    ig_ctx_close(cx);
  }
}

static void wrong_cases_are_told(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } wrong[] = {
      {"{grid: {elements: [4, 4, 0]}, symmetry: [w-]}", "'w-' is no plane"},
      {"{grid: {elements: [4, 4, 0]}, symmetry: [x-, x+]}", "x- and x+ are planes of one axis"},
      {"{grid: {elements: [4, 4, 0]}, supports: [{box: {min: [9, 9, 9]}}]}",
       "no node of the grid lies there"},
      {"{grid: {elements: [4, 4, 0]}, supports: [{fix: q}]}", "some of x y"},
      {"{grid: {elements: [4, 4, 0]}, loads: [{box: {min: [9, 9, 0]}, force: [1, 0, 0]}]}",
       "no node of the grid lies there"},
      {"{grid: {elements: [4, 4, 0]}}", "nothing acts on a node"},
      {"{grid: {elements: [4, 4, 0]}, passive: [{as: void}]}", "no element is left"},
      {"{grid: {elements: [4, 4, 0]}, projection: {beta: 2}, loads: [{force: [1, 0, 0]}]}",
       "projection: needs filter"},
      {"{grid: {elements: [4, 4, 0]}, loads: [{force: [1, 0, 0]}], optimiser: {method: oc}, "
       "constraints: [{volume: 0.3}]}",
       "need optimiser: {method: mma}"},
      {"{grid: {elements: [4, 4, 0]}, loads: [{force: [1, 0, 0]}], optimiser: {method: mma}, "
       "constraints: [{volume: 0.3, compliance: 2}]}",
       "give one of"},
      {"{grid: {elements: [4, 4, 0]}, loads: [{force: [1, 0, 0]}], optimiser: {method: mma}, "
       "constraints: [{compliance: 2, load_case: 2}]}",
       "no load case 2"},
      {"{grid: {elements: [4, 4, 0]}, loads: [{force: [1, 0, 0]}], constraints: [{stress: 2}]}",
       "stress: needs filter: {kind: density}"},
      {"{grid: {elements: [4, 4, 0]}, loads: [{force: [1, 0, 0]}], filter: {kind: density}, "
       "minimise: stress, stress: {exclude: [tip]}}",
       "there is no 'tip'"},
      {"{grid: {elements: [4, 4, 0]}, loads: [{force: [1, 0, 0]}], filter: {kind: density}, "
       "constraints: [{volume: 0.3}, {stress: 2}], stress: {clusters: 31}}",
       "clusters of stresses counted"},
      {"{problem: heat, source: 1, grid: {elements: [4, 4, 0]}, supports: [{box: {max: [0, 9]}}], "
       "filter: {kind: density}, minimise: stress}",
       "none in a heat problem"},
      {"{grid: {elements: [4, 4, 0]}, supports: [{set: wall}]}", "there is no 'wall'"},
      {"{grid: {elements: [0, 4, 0]}}", "at least 1"}};
  ig_ctx *cx = ctx_on("cpu", 2);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    BAD(cx, run_case(cx, wrong[i].text, NULL, NULL), wrong[i].says);
  }
  ig_ctx_close(cx);
}

/* A run ends when neither the design nor the objective changes any more, not when one of them does.
 */
static void stops_on_both(void **state) {
  (void)state;
  int rows[3];
  static const char *const when[] = {", change: 1, objective_change: 0",
                                     ", change: 1, objective_change: 0.2",
                                     ", change: 1e-9, objective_change: 0.2"};
  for (int i = 0; i < 3; i++) {
    ig_ctx *cx = ctx_on("cpu", 2);
    memory m;
    memory_open(&m, cx);
    char text[1000];
    snprintf(text, sizeof text, CASE("%s"), when[i]);
    GOOD(cx, run_case(cx, text, &m, NULL));
    rows[i] = m.rows;
    memory_close(&m);
    ig_ctx_close(cx);
  }
  assert_int_equal(rows[0], 1); /* any change will do, the objective is not asked */
  assert_true(rows[1] > 1 && rows[1] < 6);
  assert_int_equal(rows[2], 6);
}

/* what `ingot check` says of a grid is what a run takes */
static void memory_is_foretold(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{grid: {elements: [48, 20, 24]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{force: [1, "
      "0, 0]}], filter: {kind: density, radius: 1.5}}",
      "{grid: {elements: [48, 20, 24]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{force: [1, "
      "0, 0]}, {force: [0, 1, 0], load_case: 2}], filter: {kind: helmholtz, radius: 3}, "
      "projection: {beta: 2, robust: 0.1}, solver: {smoother: block_jacobi, storage: half}}",
      "{grid: {elements: [48, 20, 24]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{force: [1, "
      "0, 0]}, {force: [0, 1, 0], load_case: 2}], filter: {kind: density, radius: 1.5}, "
      "constraints: [{stress: 1}], stress: {clusters: 2}}",
      "{grid: {elements: [48, 20, 24]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{force: [1, "
      "0, 0]}], filter: {kind: density, radius: 1.5}, optimiser: {method: mma}, analysis: "
      "{large_deflections: true, linear_solver: matrix_free}}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ig_ctx *cx = ctx_on("debug", 2);
    ig_topopt_problem t;
    double bytes;
    assert_int_equal(ig_topopt_problem_open(cx, texts[i], &t), IG_OK);
    assert_int_equal(ig_topopt_grid_model_bytes(cx, &t.c, &bytes), IG_OK);
    if (ig_topopt_method(&t.c) == IG_OPTIMISER_MMA)
      assert_int_equal(ig_topopt_mma_prepare(t.s), IG_OK);
    const double taken = (double)cx->device_bytes;
    assert_true(fabs(bytes - taken) < 0.05 * taken);
    ig_topopt_problem_close(&t);
    ig_ctx_close(cx);
  }
}

/* three steps on the grid of a mechanism, one of others, unless asked for */
static void mechanisms_are_smoothed_more(void **state) {
  (void)state;
#define PUSHED                                                                                     \
  "grid: {elements: [8, 4, 4]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{force: [1, 0, "    \
  "0]}], filter: {kind: density, radius: 1.5}"
#define PULLED                                                                                     \
  "problem: mechanism, ports: [{box: {min: [8, 0, 0]}, direction: [-1, 0, 0]}], " PUSHED
  static const struct {
    const char *text;
    int steps;
  } all[] = {{"{" PUSHED "}", 1},
             {"{" PULLED "}", 3},
             {"{" PULLED ", solver: {fine_smoothing_steps: 2}}", 2}};
#undef PULLED
#undef PUSHED
  ig_ctx *cx = ctx_on("cpu", 1);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ig_topopt_problem t;
    assert_int_equal(ig_topopt_problem_open(cx, all[i].text, &t), IG_OK);
    assert_int_equal(t.m->solver->options.fine_steps, all[i].steps);
    ig_topopt_problem_close(&t);
  }
  ig_ctx_close(cx);
}

/* a body that too little holds is refused before anything is written; one that void holds is found
   out by the solver */
static void floating_body_is_reported(void **state) {
  (void)state;
  static const struct {
    const char *supports, *says;
  } loose[] = {{"", "it moves along x"},
               {"{box: {max: [0, 4]}, fix: x}", "it moves along y"},
               {"{box: {max: [0, 0]}}", "it turns about the z axis"},
               {"{box: {max: [0, 0]}}, {box: {min: [6, 0]}, fix: y}", NULL}};
  ig_ctx *cx = ctx_on("cpu", 2);
  char text[400];
  for (size_t i = 0; i < sizeof loose / sizeof *loose; i++) {
    snprintf(text, sizeof text,
             "{grid: {elements: [6, 4, 0]}, loads: [{box: {min: [6, 0]}, force: [1, 0, 0]}], "
             "supports: [%s], iterations: 1}",
             loose[i].supports);
    ig_status status = run_case(cx, text, NULL, NULL);
    assert_int_equal(status, loose[i].says ? IG_INPUT : IG_OK);
    if (loose[i].says)
      SAYS(cx, loose[i].says);
  }
  assert_int_equal(run_case(cx,
                            "{grid: {elements: [6, 4, 0]}, loads: [{box: {min: [6, 0]}, force: [1, "
                            "0, 0]}], supports: [{box: {max: [0, 4]}}], passive: [{box: {max: [2, "
                            "4]}, as: void}], void_ratio: 1e-300, solver: {limit: 300}}",
                            NULL, NULL),
                   IG_INPUT);
  SAYS(cx, "supports: all elements there are held void");
  ig_ctx_close(cx);
}

/* --- surfaces --- */

static void surface_is_closed(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 2);
  ig_grid g;
  assert_int_equal(ig_grid_init(cx, &g, 3, 3, (const int[3]){7, 5, 6}), IG_OK);
  double *x = calloc((size_t)g.stored, sizeof *x);
  const double h[3] = {1, 2, 0.5};
  const char *planes[] = {"x+", "z-"};
  uint32_t seed = 1;
  for (int kind = 0; kind < 6; kind++) { /* the last two: a hole through it, a cavity */
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < 5; j++)
        for (int i = 0; i < 7; i++) {
          seed = seed * 1664525u + 1013904223u;
          x[ig_grid_place(&g, i, j, k)] =
              kind == 0   ? 1
              : kind == 1 ? (seed >> 16) % 2
              : kind == 2 ? (seed >> 8) / 16777216.0
              : kind == 3 ? i > 2
                          : i < 2 || i > 4 || j < 1 || j > 3 || (kind == 5 && (k < 2 || k > 3));
        }
    for (int mirror = 0; mirror < 2; mirror++) {
      const ig_texts sides = {mirror ? 2 : 0, planes};
      ig_topopt_part s;
      ig_topopt_part_shape shape;
      assert_int_equal(ig_topopt_part_of_grid(cx, &g, h, x, kind < 4 ? 0.5 : 0.4, &sides, &s),
                       IG_OK);
      assert_closed(&s);
      assert_int_equal(ig_topopt_part_look(cx, &s, &shape), IG_OK);
      assert_int_equal(shape.open, 0);
      if (kind != 1 && kind != 2) {
        assert_int_equal(shape.pinched, 0);
        assert_int_equal(shape.shells, kind == 5 ? (mirror ? 5 : 2) : 1);
        assert_int_equal(shape.handles, kind == 4 ? (mirror ? 2 : 1) : 0);
      }
      s.triangles--; /* a triangle is missing */
      assert_int_equal(ig_topopt_part_look(cx, &s, &shape), IG_OK);
      assert_int_equal(shape.open, 3);
      s.triangles++;
      if (kind == 0) {
        const double scale = mirror ? 4 : 1, box = 7 * 10 * 3 * scale;
        assert_true(fabs(s.volume - box) < 1e-2 * box);
        const double a = 7 * (mirror ? 2 : 1), b = 10, c = 3 * (mirror ? 2 : 1);
        const double area = 2 * (a * b + b * c + c * a);
        assert_true(fabs(s.area - area) < 1e-2 * area);
      }
      ig_topopt_part_free(&s);
    }
  }
  free(x);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(run_writes_what_it_should),
      cmocka_unit_test(output_follows_the_case),
      cmocka_unit_test(restart_continues_to_the_same_result),
      cmocka_unit_test(wrong_cases_are_told),
      cmocka_unit_test(mechanisms_are_smoothed_more),
      cmocka_unit_test(floating_body_is_reported),
      cmocka_unit_test(stops_on_both),
      cmocka_unit_test(memory_is_foretold),
      cmocka_unit_test(surface_is_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
