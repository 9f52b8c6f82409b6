/* A grid divided between ranks (threads of this process): cuts lie where levels of multigrid can
   bear them, the parts are smaller than the whole, and designs have the bits of one rank. Meshes,
   whose nodes are divided in ranges, have them, too. */
#include "check.h"
#include "counting_ranks.h"
#include "core/ctx.h"
#include "harsh_ranks.h"
#include "ranks_threads.h"
#include "solver/krylov/slab.h"
#include "topopt/topopt.h"
#include <ingot/partition.h>
#include <ingot/run.h>

#include <stdlib.h>
#include <string.h>

enum { FIGURES = 64 };

#define CANTILEVER                                                                                 \
  "physics", "topopt", "volume", "0.4", "loads",                                                   \
      "[{box: {min: [4, 0, 7], max: [4, 0, 9]}, force: [0, -1, 0.3]}]", "supports",                \
      "[{box: {min: [0, 0, 0], max: [0, 5, 40]}}]"

/* multigrid whose second and third level are joined cycles, in parts; an odd number of planes */
static const char *const stiff[] = {
    CANTILEVER, "grid", "{elements: [4, 5, 37]}", "solver", "{smoothing_steps: 2}", "iterations",
    "2",        NULL};
/* a filter that reaches over more than one rank's part, mirrored at the end */
static const char *const conducts[] = {
    "physics",     "topopt",
    "problem",     "heat",
    "grid",        "{elements: [5, 4, 29]}",
    "volume",      "0.3",
    "source",      "1",
    "symmetry",    "[z+]",
    "supports",    "[{box: {min: [0, 0, 0], max: [3, 2, 0]}}]",
    "filter",      "{kind: density, radius: 6.3}",
    "solver",      "{preconditioner: jacobi, tolerance: 1e-2}",
    "optimiser",   "{method: mma}",
    "constraints", "[{volume: 0.25, box: {min: [0, 0, 10], max: [7, 5, 20]}}]",
    "iterations",  "2",
    NULL};
/* two systems; springs on both sides of every cut; elements held solid across one */
static const char *const mechanism[] = {
    "physics",    "topopt",
    "problem",    "mechanism",
    "ranks",      "divide",
    "grid",       "{elements: [6, 5, 33]}",
    "volume",     "0.3",
    "void_ratio", "1e-4",
    "symmetry",   "[y-]",
    "supports",   "[{box: {min: [0, 4, 0], max: [6, 5, 0]}}]",
    "loads",      "[{box: {min: [0, 0, 0], max: [1, 1, 1]}, force: [0, 0, 1]}]",
    "springs",    "[{box: {min: [0, 0, 0], max: [2, 1, 33]}, stiffness: [0, 0.2, 0.1]}]",
    "ports",      "[{box: {min: [0, 0, 33], max: [1, 1, 33]}, direction: [0, 0, -1]}]",
    "passive",    "[{box: {min: [0, 0, 10], max: [2, 2, 19]}, as: solid}]",
    "iterations", "2",
    NULL};
/* three realisations, an adjoint state, smoothing by blocks; a moment and faces */
static const char *const robust[] = {
    "physics",     "topopt",
    "grid",        "{elements: [5, 4, 33]}",
    "volume",      "0.4",
    "supports",    "[{set: zmin}]",
    "loads",       "[{set: zmax, force: [1, 0, 0], spread: faces}, {set: zmax, moment: [0, 0, 3]}]",
    "filter",      "{kind: density, radius: 2.5}",
    "projection",  "{beta: 1, robust: 0.1}",
    "solver",      "{smoother: block_jacobi, cycle: w}",
    "constraints", "[{displacement: 300, set: zmax, direction: [1, 0, 0]}]",
    "iterations",  "2",
    NULL};

/* two tools, drawn across the planes of z */
static const char *const drawn[] = {CANTILEVER,
                                    "grid",
                                    "{elements: [4, 5, 37]}",
                                    "filter",
                                    "{kind: density, radius: 1.6}",
                                    "draw_direction",
                                    "{direction: y+, parting: 2}",
                                    "ranks",
                                    "divide",
                                    "iterations",
                                    "2",
                                    NULL};

/* 2304 nodes in blocks of 128, cut every 512: seven ranks leave two without any. Three levels of
   multigrid, of which two are divided on two ranks; springs */
static const char *const block[] = {"physics",
                                    "topopt",
                                    "mesh",
                                    "{boxes: [{size: [11, 11, 15], cells: [11, 11, 15]}]}",
                                    "assembly",
                                    "color",
                                    "volume",
                                    "0.4",
                                    "supports",
                                    "[{set: xmin}]",
                                    "springs",
                                    "[{set: zmax, stiffness: [0, 0.1, 0]}]",
                                    "loads",
                                    "[{set: xmax, force: [0, -1, 0.3]}]",
                                    "surface.formats",
                                    "[]",
                                    "iterations",
                                    "1",
                                    NULL};
/* heat in tetrahedra, sums by slots, the inverse of the diagonal; fewer systems than ranks, or they
   would be shared */
static const char *const tets[] = {
    "physics",
    "topopt",
    "problem",
    "heat",
    "mesh",
    "{element: tet4, boxes: [{size: [11, 7, 12], cells: [11, 7, 12]}]}",
    "assembly",
    "gather",
    "volume",
    "0.4",
    "source",
    "1",
    "supports",
    "[{set: xmin}]",
    "loads",
    "[{set: xmax, heat: 1, load_case: 2}]",
    "solver",
    "{preconditioner: jacobi}",
    "filter",
    "{kind: density, radius: 1.6}",
    "constraints",
    "[{set: ymax, temperature: 40}]",
    "surface.formats",
    "[]",
    "iterations",
    "1",
    NULL};

typedef struct {
  const char *const *set;
  const char *backend, *out;
  ig_ranks *ranks;
  const char *steps; /* iterations, NULL: the case's */
  const char *restart;
  bool harsh; /* a transport that spoils, delays and mixes */
  bool near;  /* ranks write into each other's device memory */
  ig_status status;
  char message[512];
  size_t memory; /* at most; with `later` from the end of the first iteration on */
  bool later;
  ig_ctx *cx;
  int figures;
  double figure[FIGURES];
} seat;

static void keep(void *user, const char *key, double value, const char *unit, const char *text) {
  seat *s = user;
  (void)unit;
  if (!text && strncmp(key, "seconds", 7) != 0 && s->figures < FIGURES)
    s->figure[s->figures++] = value;
}

static void begun(void *user, const ig_progress *p) {
  seat *s = user;
  (void)p;
  if (s->later)
    s->cx->device_peak = s->cx->device_bytes;
  s->later = false;
}

/* A GPU inverts larger levels: the same body takes a grid three times as fine to have more. */
static ig_status grid_set(seat *s, ig_case *c, const char *text) {
  char fine[96];
  int n[3];
  if (strcmp(s->backend, "cuda") != 0 ||
      sscanf(text, "{elements: [%d, %d, %d]}", &n[0], &n[1], &n[2]) != 3)
    return ig_case_set(c, "grid", text);
  snprintf(fine, sizeof fine, "{elements: [%d, %d, %d], size: [%d, %d, %d]}", 3 * n[0], 3 * n[1],
           3 * n[2], n[0], n[1], n[2]);
  return ig_case_set(c, "grid", fine);
}

static ig_status run(seat *s, ig_case *c) {
  for (int i = 0; s->set[i]; i += 2)
    IG_TRY(strcmp(s->set[i], "grid") == 0 ? grid_set(s, c, s->set[i + 1])
                                          : ig_case_set(c, s->set[i], s->set[i + 1]));
  if (s->steps)
    IG_TRY(ig_case_set(c, "iterations", s->steps));
  const ig_run_options options = {
      .out = s->out, .restart = s->restart, .force = s->restart != NULL, .figure = keep, .user = s};
  return ig_run(c, &options);
}

static void *sit(void *user) {
  seat *s = user;
  ig_ctx *cx;
  ig_case *c;
  const ig_ctx_options options = {
      .backend = s->backend, .threads = 1, .ranks = s->ranks, .user = s, .progress = begun};
  s->status = ig_ctx_open(&options, &cx);
  s->cx = cx;
  if (s->status == IG_OK)
    s->status = ig_case_new(cx, &c);
  if (s->status == IG_OK) {
    s->status = run(s, c);
    ig_case_close(c);
  }
  s->memory = cx->device_peak;
  snprintf(s->message, sizeof s->message, "%s", ig_ctx_message(cx));
  ig_ctx_close(cx);
  return NULL;
}

static void together(seat *s, int count) {
  ig_ranks *ranks[MOST];
  assert_int_equal(ig_ranks_threads(count, ranks), IG_OK);
  for (int i = 0; i < count; i++) {
    s[i].ranks = ranks[i];
    if (s[i].harsh)
      harsh_use(ranks[i]);
    if (s[i].near)
      assert_int_equal(ig_ranks_ipc(ranks[i], "on"), IG_OK);
  }
  threads_sit(count, ranks, sit, s, sizeof *s);
}

static const char *backend_of_test(int i) {
  const char *asked = getenv("INGOT_TEST_BACKEND");
  return asked ? asked : i == 0 ? "cpu" : "debug";
}

static void same_bits(const char *const *set, int least) {
  static seat one, many[MOST];
  static const int counts[] = {3, 5, 2, 7};
  one = (seat){.set = set, .backend = backend_of_test(0)};
  sit(&one);
  assert_string_equal(one.message, "");
  assert_true(one.figures > 3);
  for (int k = SANITIZED ? 2 : least; k < 4 - SANITIZED; k++) {
    memset(many, 0, sizeof many);
    for (int i = 0; i < counts[k]; i++)
      many[i] =
          (seat){.set = set, .backend = backend_of_test(k % 2), .harsh = k == 2, .near = k == 3};
    together(many, counts[k]);
    for (int i = 0; i < counts[k]; i++)
      assert_string_equal(many[i].message, "");
    for (int i = 0; i < one.figures; i++)
      if (memcmp(&many[0].figure[i], &one.figure[i], sizeof(double)) != 0)
        print_message("%d ranks, figure %d: %.17g, alone %.17g\n", counts[k], i, many[0].figure[i],
                      one.figure[i]);
    assert_memory_equal(many[0].figure, one.figure, sizeof one.figure);
  }
}

static void designs_have_the_bits_of_one(void **state) {
  (void)state;
  same_bits(stiff, 0);
  same_bits(conducts, 2);
  same_bits(mechanism, 2);
  same_bits(robust, 2);
  same_bits(drawn, 3);
}

static void meshes_have_the_bits_of_one(void **state) {
  (void)state;
  same_bits(block, 2);
  same_bits(tets, 3);
}

/* A part has its planes and two ghosts on each side: 37 of 67 on two ranks, 21 on four; levels that
   all hold and the inverse of the coarsest come on top. */
static void parts_are_smaller(void **state) {
  (void)state;
  static const char *const set[] = {CANTILEVER,   "grid", "{elements: [14, 12, 64]}",
                                    "iterations", "1",    NULL};
  static seat one, many[4];
  static const double most[] = {0.62, 0.40};
  if (SANITIZED || getenv("INGOT_TEST_BACKEND"))
    skip(); /* it is about the memory of a CPU */
  one = (seat){.set = set, .backend = "cpu"};
  sit(&one);
  assert_string_equal(one.message, "");
  for (int count = 2; count <= 4; count += 2) {
    for (int i = 0; i < count; i++)
      many[i] = (seat){.set = set, .backend = "cpu"};
    together(many, count);
    assert_memory_equal(many[0].figure, one.figure, sizeof one.figure);
    for (int i = 0; i < count; i++) {
      print_message("rank %d of %d: %.3f of the memory of one\n", i, count,
                    (double)many[i].memory / (double)one.memory);
      assert_true((double)many[i].memory < most[count / 2 - 1] * (double)one.memory);
    }
  }
}

/* A quarter of a long body's nodes, with the rows of two layers of ghosts and what their aggregates
   reach: 4 ranks have 25 % each and about as many layers more as 100 of them allow. Set-up, which
   sees the whole, is over. */
static void parts_of_meshes_are_smaller(void **state) {
  (void)state;
  enum { RANKS = 4 };
  static const char *const set[] = {"physics",
                                    "topopt",
                                    "mesh",
                                    "{boxes: [{size: [7, 7, 96], cells: [7, 7, 96]}]}",
                                    "assembly",
                                    "color",
                                    "volume",
                                    "0.4",
                                    "supports",
                                    "[{set: zmin}]",
                                    "loads",
                                    "[{set: zmax, force: [0, -1, 0.3]}]",
                                    "solver.tolerance",
                                    "1e-2",
                                    "iterations",
                                    "2",
                                    NULL};
  static seat one, many[RANKS];
  if (SANITIZED || getenv("INGOT_TEST_BACKEND"))
    skip(); /* it is about the memory of a CPU */
  one = (seat){.set = set, .backend = "cpu", .later = true};
  sit(&one);
  assert_string_equal(one.message, "");
  for (int i = 0; i < RANKS; i++)
    many[i] = (seat){.set = set, .backend = "cpu", .later = true};
  together(many, RANKS);
  assert_memory_equal(many[0].figure, one.figure, sizeof one.figure);
  for (int i = 0; i < RANKS; i++) {
    print_message("rank %d of %d: %.3f of the memory of one\n", i, RANKS,
                  (double)many[i].memory / (double)one.memory);
    assert_true((double)many[i].memory < 0.45 * (double)one.memory);
  }
}

/* Stopped and continued on other numbers of ranks: the design of one rank. */
static void restarts(const char *const *set, const int counts[3]) {
  static seat whole, s[MOST];
  static const char *const steps[] = {"1", "2", "3"};
  char folder[] = "/tmp/ingot-grid-XXXXXX", out[64], checkpoint[80], command[128];
  assert_non_null(mkdtemp(folder));
  snprintf(out, sizeof out, "%s/out", folder);
  snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.h5", out);
  whole = (seat){.set = set, .backend = backend_of_test(0), .steps = "3"};
  sit(&whole);
  assert_string_equal(whole.message, "");
  for (int k = 0; k < 3; k++) {
    memset(s, 0, sizeof s);
    for (int i = 0; i < counts[k]; i++)
      s[i] = (seat){.set = set,
                    .backend = backend_of_test(0),
                    .steps = steps[k],
                    .restart = k > 0 ? checkpoint : NULL,
                    .out = i == 0 ? out : NULL};
    together(s, counts[k]);
    for (int i = 0; i < counts[k]; i++)
      assert_string_equal(s[i].message, "");
  }
  assert_int_equal(s[0].figures, whole.figures);
  assert_memory_equal(s[0].figure, whole.figure, sizeof whole.figure);
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

static void checkpoints_fit_any_division(void **state) {
  (void)state;
  /* 1536 nodes in three units of 512: on 5 ranks two have none */
  static const char *const bar[] = {"physics",
                                    "topopt",
                                    "mesh",
                                    "{boxes: [{size: [7, 7, 23], cells: [7, 7, 23]}]}",
                                    "ranks",
                                    "divide",
                                    "volume",
                                    "0.4",
                                    "supports",
                                    "[{set: zmin}]",
                                    "loads",
                                    "[{set: zmax, force: [1, 0, 0]}]",
                                    "solver",
                                    "{tolerance: 1e-4}",
                                    "surface.formats",
                                    "[]",
                                    NULL};
  restarts(robust, (const int[]){3, 1, 2});
  restarts(bar, (const int[]){3, 5, 1});
}

typedef struct {
  ig_ranks *ranks;
  int planes, levels, depth, wrong;
} cutting;

/* Parts follow each other, each has whole units of its deepest level, none is empty. */
static void *cut(void *user) {
  cutting *c = user;
  ig_ctx *cx;
  ig_slab *s = NULL;
  int from, to, last = 0;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1, .ranks = c->ranks};
  c->wrong += ig_ctx_open(&options, &cx) != IG_OK;
  c->wrong += ig_slab_new(cx, c->planes, c->levels, 2, &s) != IG_OK;
  c->depth = s ? s->depth : 0;
  for (int r = 0; s && r < s->ranks; r++) {
    ig_slab_range(s, 0, r, &from, &to);
    c->wrong += from != last || to - from < 1 << s->depth || from % (1 << s->depth) != 0;
    last = to;
  }
  c->wrong += s && last != c->planes;
  ig_slab_free(s);
  ig_ctx_close(cx);
  return NULL;
}

static void cuts_lie_where_levels_bear_them(void **state) {
  (void)state;
  static const struct {
    int ranks, planes, levels, depth;
  } given[] = {{2, 9, 4, 2},  {2, 8, 4, 0},   {2, 9, 2, 0},  {3, 14, 5, 2},
               {7, 29, 3, 2}, {7, 28, 3, 0},  {2, 9, 1, 2},  {2, 65, 6, 5},
               {3, 97, 6, 5}, {4, 257, 8, 6}, {5, 38, 5, 2}, {1, 99, 5, 0}};
  for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
    ig_ranks *ranks[MOST];
    cutting c[MOST];
    assert_int_equal(ig_ranks_threads(given[g].ranks, ranks), IG_OK);
    for (int i = 0; i < given[g].ranks; i++)
      c[i] = (cutting){.ranks = ranks[i], .planes = given[g].planes, .levels = given[g].levels};
    threads_sit(given[g].ranks, ranks, cut, c, sizeof *c);
    for (int i = 0; i < given[g].ranks; i++) {
      assert_int_equal(c[i].wrong, 0);
      assert_int_equal(c[i].depth, given[g].depth);
    }
  }
}

/* Ghosts of a vector: `reach` planes to each neighbour, all of its components; where ranks write
   into each other's memory, a sign of 8 bytes. */
typedef struct {
  ig_ranks *ranks;
  counting *counted;
  const char *backend;
  int reach;
  int64_t sent, plane; /* bytes; places of a plane */
  int neighbours;
  ig_status status;
} slab_seat;

static ig_status planes_send(slab_seat *s, ig_ctx *cx) {
  const int n[3] = {4, 3, 36};
  ig_grid whole;
  ig_slab *slab = NULL;
  ig_array values = {0};
  IG_TRY(ig_grid_outline(cx, &whole, 3, 3, n));
  IG_TRY(ig_slab_new(cx, n[2] + 1, 3, 2, &slab));
  const ig_grid part = ig_slab_grid(slab, 0, &whole);
  ig_status status = ig_array_new(cx, &values, 3 * (size_t)part.stored, sizeof(double), "vector");
  for (int round = 0; round < 2 && status == IG_OK; round++) { /* in the first they get to know */
    s->sent = -s->counted->bytes;
    status = ig_slab_refresh(&part, 3, sizeof(double), s->reach, values.dev);
    s->sent += s->counted->bytes;
  }
  s->plane = part.plane;
  s->neighbours = ig_grid_above(&part) + ig_grid_below(&part);
  ig_array_free(cx, &values);
  ig_slab_free(slab);
  return status;
}

static void *planes_sit(void *user) {
  slab_seat *s = user;
  ig_ctx *cx;
  const ig_ctx_options options = {.backend = s->backend, .threads = 1, .ranks = s->ranks};
  s->status = ig_ctx_open(&options, &cx);
  if (s->status == IG_OK)
    s->status = planes_send(s, cx);
  ig_ctx_close(cx);
  return NULL;
}

static void slabs_send_the_bytes_of_the_model(void **state) {
  (void)state;
  enum { RANKS = 3 };
  static const struct {
    const char *backend, *ipc;
    int reach;
  } given[] = {{"cpu", "off", 1}, {"debug", "off", 2}, {"debug", "on", 1}};
  for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
    ig_ranks *ranks[RANKS];
    slab_seat s[RANKS];
    assert_int_equal(ig_ranks_threads(RANKS, ranks), IG_OK);
    for (int i = 0; i < RANKS; i++) {
      assert_int_equal(ig_ranks_ipc(ranks[i], given[g].ipc), IG_OK);
      s[i] = (slab_seat){.ranks = ranks[i],
                         .counted = counting_use(ranks[i]),
                         .backend = given[g].backend,
                         .reach = given[g].reach};
    }
    threads_sit(RANKS, ranks, planes_sit, s, sizeof *s);
    const bool near = strcmp(given[g].ipc, "on") == 0;
    for (int i = 0; i < RANKS; i++) {
      assert_int_equal(s[i].status, IG_OK);
      assert_int_equal(s[i].neighbours, i == 1 ? 2 : 1);
      assert_int_equal(s[i].sent, s[i].neighbours * (near ? 8 : given[g].reach * s[i].plane * 24));
    }
  }
}

/* A wing of 1.08 G elements on 16 ranks, by the count of bytes, with nothing allocated. A rank has
   256 / 16 of the planes, 4 of ghosts and perhaps the last of the grid; of each node at least
   residual, direction, its product, force and displacement in double (3 x 8 x 5 bytes), at most
   what cards of 40 GB have. One rank cannot number the unknowns. */
typedef struct {
  ig_ranks *ranks;
  ig_status status;
  double bytes;
} wing;

static void *wing_count(void *user) {
  wing *w = user;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1, .ranks = w->ranks};
  const ig_src at = {.file = "a wing", .given = true};
  ig_ctx *cx;
  ig_arena *arena = NULL;
  ig_node *node;
  ig_topopt_case c = {0};
  const ig_option_table table = {ig_topopt_options, &c};
  w->status = ig_ctx_open(&options, &cx);
  if (w->status == IG_OK)
    w->status = ig_arena_new(cx, &arena);
  if (w->status == IG_OK)
    w->status = ig_node_parse(cx, arena,
                              "{grid: {elements: [1216, 3456, 256]}, volume: 0.1, supports: [{set: "
                              "ymin}], loads: [{set: ymax, force: [0, 0, 1]}]}",
                              at, &node);
  if (w->status == IG_OK)
    w->status = ig_options_read(cx, arena, node, &table, 1);
  if (w->status == IG_OK)
    w->status = ig_topopt_grid_model_bytes(cx, &c, &w->bytes);
  ig_arena_free(arena);
  ig_ctx_close(cx);
  return NULL;
}

static void a_wing_fits_on_sixteen(void **state) {
  (void)state;
  enum { RANKS = 16 };
  static const double nodes = 1217.0 * 3457;
  ig_ranks *ranks[RANKS];
  pthread_t thread[RANKS];
  wing w[RANKS], one = {0};
  assert_int_equal(ig_ranks_threads(RANKS, ranks), IG_OK);
  for (int i = 0; i < RANKS; i++) {
    w[i] = (wing){.ranks = ranks[i]};
    assert_int_equal(pthread_create(&thread[i], NULL, wing_count, &w[i]), 0);
  }
  for (int i = 0; i < RANKS; i++) {
    pthread_join(thread[i], NULL);
    assert_int_equal(w[i].status, IG_OK);
    assert_true(w[i].bytes > 120 * 16 * nodes && w[i].bytes < 40e9);
  }
  wing_count(&one);
  assert_int_not_equal(one.status, IG_OK);
  for (int i = 0; i < RANKS; i++)
    ig_ranks_close(ranks[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cuts_lie_where_levels_bear_them),
      cmocka_unit_test(designs_have_the_bits_of_one),
      cmocka_unit_test(meshes_have_the_bits_of_one),
      cmocka_unit_test(parts_are_smaller),
      cmocka_unit_test(parts_of_meshes_are_smaller),
      cmocka_unit_test(slabs_send_the_bytes_of_the_model),
      cmocka_unit_test(a_wing_fits_on_sixteen),
      cmocka_unit_test(checkpoints_fit_any_division),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
