/* Parts that can be made, on a grid or a mesh divided between ranks: printed or drawn along each
   axis, of one pattern, found on coarser grids first. History, snapshots, checkpoint, figures and
   the finished part are those of one rank, byte for byte, on 2, 3 and 5 ranks, after a restart on
   fewer, and each rank has less memory than one. */
#include "counted_memory.h"
#include "ingot_io.h"
#include "ranks_folders.h"

#ifdef INGOT_HAVE_IO

/* held at a side that is mirrored; solid and void across cuts; two load cases */
#define MADE                                                                                       \
  "physics", "topopt", "ranks", "divide", "iterations", "3", "volume", "0.4", "symmetry", "[y-]",  \
      "supports", "[{set: zmin}]", "loads",                                                        \
      "[{set: zmax, force: [0, 1, 0.3]}, {set: xmax, force: [1, 0, 0], load_case: 2}]", "passive", \
      "[{box: {min: [0, 0, 6], max: [2, 2, 14]}, as: solid}, {box: {min: [1, 3, 4], max: [3, 5, "  \
      "13]}, as: void}]",                                                                          \
      "filter", "{kind: density, radius: 1.6}", "optimiser", "{method: mma}", "surface.formats",   \
      "[stl]"

/* bits do not depend on how far a solver goes: few iterations show what many would */
#define QUICK "iterations", "2", "solver", "{tolerance: 1e-2}"
static const char *const small[] = {MADE, QUICK, "grid", "{elements: [4, 5, 21]}", NULL};
/* levels of multigrid would keep a coarser one from being divided */
static const char *const fine[] = {
    MADE, "grid", "{elements: [6, 7, 43]}", "solver", "{preconditioner: jacobi, tolerance: 1e-2}",
    NULL};

/* layers along z; their numbers along a curve, so that parts touch in many places; no rows at all
 */
static const char *const layers[] = {MADE, QUICK, "mesh",
                                     "{boxes: [{size: [5, 5, 33], cells: [5, 5, 33]}]}", NULL};
static const char *const curve[] = {
    MADE, QUICK, "mesh", "{boxes: [{size: [6, 6, 28], cells: [6, 6, 28]}], order: curve}", NULL};
static const char *const tets[] = {
    MADE, QUICK, "mesh",
    "{boxes: [{size: [7, 7, 34], cells: [4, 5, 28]}], element: tet4, jitter: {amount: 0.1}}", NULL};

typedef struct {
  char folder[32], one[64];
  seat like;
} trial;

static bool of_mesh(const char *const *base) {
  for (; *base; base += 2)
    if (strcmp(*base, "mesh") == 0)
      return true;
  return false;
}

static trial trial_begin(const char *const *base, const char *key, const char *value) {
  trial t = {.folder = "/tmp/ingot-making-XXXXXX"};
  assert_non_null(mkdtemp(t.folder));
  snprintf(t.one, sizeof t.one, "%s/one", t.folder);
  t.like = (seat){.base = base, .backend = backend_of_test(0), .key = {key}, .value = {value}};
  if (strcmp(t.like.backend, "cuda") == 0) { /* it divides larger ones alone */
    t.like.key[1] = of_mesh(base) ? "mesh.boxes" : "grid.elements";
    t.like.value[1] = of_mesh(base) ? "[{size: [8, 6, 28], cells: [12, 8, 63]}]" : "[16, 16, 81]";
  }
  seat whole = t.like;
  whole.out = t.one;
  whole = alone(&whole);
  assert_true(whole.rows > 1 && whole.snapshots > 0);
  return t;
}
static void trial_end(const trial *t) {
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", t->folder);
  assert_int_equal(system(command), 0);
}

/* On 3 ranks, and on 2 and 5 in turn; under sanitizers on 3. */
static void same_files(const char *const *base, const char *key, const char *value) {
  static int turn;
  const int counts[] = {3, turn++ % 2 ? 5 : 2};
  trial t = trial_begin(base, key, value);
  char many[64];
  for (int i = 0; i < (SANITIZED ? 1 : 2); i++) {
    snprintf(many, sizeof many, "%s/on%d", t.folder, counts[i]);
    t.like.out = many;
    t.like.backend = backend_of_test(i == 0);
    (void)together(&t.like, counts[i], -1);
    folders_agree(t.one, many, value);
  }
  trial_end(&t);
}

/* Stopped on 3 ranks after an iteration, continued on 2. */
static void same_after_restart(const char *const *base, const char *key, const char *value) {
  trial t = trial_begin(base, key, value);
  char many[64];
  snprintf(many, sizeof many, "%s/again", t.folder);
  t.like.out = many;
  t.like.stop_after = 1;
  t.like.status = IG_INTERRUPTED;
  (void)together(&t.like, 3, 1);
  t.like.stop_after = 0;
  t.like.status = IG_OK;
  t.like.resume = true;
  (void)together(&t.like, 2, -1);
  folders_agree(t.one, many, value);
  trial_end(&t);
}

static void printed_parts_have_the_bits_of_one(void **state) {
  (void)state;
  same_files(small, "overhang", "{direction: x+}");
  same_files(small, "overhang", "{direction: y-}");
  same_files(small, "overhang", "{direction: z+}");
  same_files(small, "overhang", "{direction: z-}");
  same_after_restart(small, "overhang", "{direction: z+}");
  same_after_restart(small, "overhang", "{direction: x-}");
}

/* One tool from either side, two that meet inside of a rank or at a cut. */
static void drawn_parts_have_the_bits_of_one(void **state) {
  (void)state;
  same_files(small, "draw_direction", "{direction: z+}");
  same_files(small, "draw_direction", "{direction: z-}");
  same_files(small, "draw_direction", "{direction: z+, parting: 10}");
  same_files(small, "draw_direction", "{direction: z+, parting: 8}");
  same_files(small, "draw_direction", "{direction: x-, parting: 2}");
  same_files(small, "milling", "{directions: [z+, x-, z-]}");
  same_after_restart(small, "draw_direction", "{direction: z+, parting: 9}");
}

/* Sums over planes of several ranks, of one, and of mirror images: cells of 7 planes, of which some
   have no element to design on one rank. */
static void patterns_have_the_bits_of_one(void **state) {
  (void)state;
  same_files(small, "pattern", "{extrude: z, mirror: [y]}");
  same_files(small, "pattern", "{repeat: [2, 1, 3], mirror: [z]}");
  same_files(small, "pattern", "{mirror: [z]}");
  same_files(small, "pattern", "{repeat: [2, 1, 1]}");
  same_after_restart(small, "pattern", "{repeat: [1, 1, 3]}");
}

/* Coarser grids have other cuts than half of the fine one's, or are not divided. */
static void sequences_have_the_bits_of_one(void **state) {
  (void)state;
  same_files(small, "sequence", "{grids: 1, iterations: 2}");
  same_files(fine, "sequence", "{grids: 2, iterations: 2}");
}

/* On meshes: with and against the numbers, across them; columns and groups that reach through all
   ranks, or lie on one; both a pattern and a tool. */
static void meshes_have_the_bits_of_one(void **state) {
  (void)state;
  if (SANITIZED) { /* each takes many seconds there */
    same_files(layers, "overhang", "{direction: z+}");
    same_files(curve, "draw_direction", "{direction: x-}");
    same_files(layers, "pattern", "{extrude: z, mirror: [y]}");
    return;
  }
  same_files(layers, "overhang", "{direction: z+}");
  same_files(layers, "overhang", "{direction: z-}");
  same_files(layers, "overhang", "{direction: x+}");
  same_files(curve, "overhang", "{direction: y-}");
  same_files(tets, "overhang", "{direction: z+}");
  same_files(layers, "draw_direction", "{direction: z+, parting: 9}");
  same_files(curve, "draw_direction", "{direction: x-}");
  same_files(tets, "draw_direction", "{direction: z-}");
  same_files(layers, "pattern", "{extrude: z, mirror: [y]}");
  same_files(curve, "pattern", "{repeat: [2, 1, 7], mirror: [y]}");
  same_after_restart(curve, "overhang", "{direction: z+}");
  same_after_restart(tets, "draw_direction", "{direction: z+}");
  same_after_restart(layers, "pattern", "{repeat: [1, 1, 3]}");
}

/* --- memory --- */

/* A run that shows nobody its snapshots, which the first rank would have to hold. */
typedef struct {
  const char *key, *value;
  ig_ranks *ranks;
  char message[512];
  int64_t peak;
} counted;

static ig_status run_counted(const counted *s, ig_case *c) {
  static const char *const large[] = {
      MADE, "grid", "{elements: [16, 16, 128]}", "surface.formats", "[]", "iterations", "1", NULL};
  for (int i = 0; large[i]; i += 2)
    IG_TRY(ig_case_set(c, large[i], large[i + 1]));
  IG_TRY(ig_case_set(c, s->key, s->value));
  return ig_run(c, &(ig_run_options){.out = NULL});
}

static void *sit_counted(void *user) {
  counted *s = user;
  ig_ctx *cx;
  ig_case *c;
  live = peak = 0;
  if (ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1, .ranks = s->ranks}, &cx) ==
          IG_OK &&
      ig_case_new(cx, &c) == IG_OK) {
    (void)run_counted(s, c);
    ig_case_close(c);
  }
  s->peak = peak;
  snprintf(s->message, sizeof s->message, "%s", ig_ctx_message(cx));
  ig_ctx_close(cx);
  return NULL;
}

/* Of all that a rank takes, at set-up, in steps and at the end. */
static void less_memory_than_one(const char *key, const char *value) {
  enum { RANKS = 4 };
  counted one = {.key = key, .value = value}, many[RANKS];
  ig_ranks *ranks[RANKS];
  sit_counted(&one);
  assert_string_equal(one.message, "");
  assert_int_equal(ig_ranks_threads(RANKS, ranks), IG_OK);
  for (int i = 0; i < RANKS; i++) {
    many[i] = one;
    many[i].ranks = ranks[i];
  }
  threads_sit(RANKS, ranks, sit_counted, many, sizeof *many);
  for (int i = 0; i < RANKS; i++) {
    assert_string_equal(many[i].message, "");
    print_message("%s: rank %d has %.3f of the memory of one\n", value, i,
                  (double)many[i].peak / (double)one.peak);
    assert_true((double)many[i].peak < 0.42 * (double)one.peak);
  }
}

static void ranks_have_less_memory(void **state) {
  (void)state;
  if (!COUNTED || getenv("INGOT_TEST_BACKEND"))
    skip(); /* it is about the memory of a CPU */
  less_memory_than_one("overhang", "{direction: x+}");
  less_memory_than_one("overhang", "{direction: z+}");
  less_memory_than_one("draw_direction", "{direction: z+}");
  less_memory_than_one("pattern", "{extrude: z}");
  less_memory_than_one("pattern", "{repeat: [1, 1, 2]}");
  less_memory_than_one("sequence", "{grids: 1, iterations: 1}");
}

/* Of a mesh, which is whole while it is set up: what is there afterwards. */
static void parts_of_meshes_are_small(void **state) {
  (void)state;
  static const char *const large[] = {MADE,
                                      "iterations",
                                      "1",
                                      "mesh",
                                      "{boxes: [{size: [8, 8, 80], cells: [8, 8, 80]}]}",
                                      "supports", /* along it: a solver is done soon */
                                      "[{set: xmin}]",
                                      "solver",
                                      "{preconditioner: jacobi, tolerance: 0.1}",
                                      "surface.formats",
                                      "[]",
                                      NULL};
  static const char *const how[][2] = {{"overhang", "{direction: x+}"},
                                       {"overhang", "{direction: z+}"},
                                       {"draw_direction", "{direction: z+}"},
                                       {"pattern", "{extrude: z}"}};
  if (getenv("INGOT_TEST_BACKEND") || SANITIZED)
    skip();
  for (int i = 0; i < 4; i++) {
    const seat like = {.base = large, .backend = "cpu", .key = {how[i][0]}, .value = {how[i][1]}};
    const seat one = alone(&like), many = together(&like, 4, -1);
    const double most = (double)(many.bytes > many.most_bytes ? many.bytes : many.most_bytes);
    print_message("%s %s: %.3f of the memory of one\n", how[i][0], how[i][1],
                  most / (double)one.bytes);
    assert_true(most < 0.36 * (double)one.bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(printed_parts_have_the_bits_of_one),
      cmocka_unit_test(drawn_parts_have_the_bits_of_one),
      cmocka_unit_test(patterns_have_the_bits_of_one),
      cmocka_unit_test(sequences_have_the_bits_of_one),
      cmocka_unit_test(meshes_have_the_bits_of_one),
      cmocka_unit_test(ranks_have_less_memory),
      cmocka_unit_test(parts_of_meshes_are_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
  return 0; /* it compares files */
}
#endif
