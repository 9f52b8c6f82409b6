/* Files of a design whose grid or mesh is divided between ranks: snapshots and checkpoints have the
   bytes of one rank, and no rank has the whole in memory while they are written. */
#include "check.h"
#include "core/ctx.h"
#include "counted_memory.h"
#include "harsh_ranks.h"
#include "ranks_threads.h"
#include <ingot/run.h>

#include <stdlib.h>
#include <string.h>

/* --- runs --- */

typedef struct {
  const char *const *set;
  const char *backend, *out, *restart;
  ig_ranks *ranks;
  bool begun;
  int64_t setup, memory; /* at most: until the end of the first iteration, and from there on */
  ig_status status;
  char message[512];
} seat;

/* What was needed to set all up does not count. */
static void progress(void *user, const ig_progress *p) {
  seat *s = user;
  (void)p;
  if (!s->begun) {
    s->setup = peak;
    peak = live;
  }
  s->begun = true;
}

static ig_status run(const seat *s, ig_case *c) {
  for (int i = 0; s->set[i]; i += 2)
    IG_TRY(ig_case_set(c, s->set[i], s->set[i + 1]));
  if (s->restart)
    IG_TRY(ig_case_set(c, "iterations", "3"));
  return ig_run(c, &(ig_run_options){.out = s->out, .restart = s->restart, .force = s->restart});
}

static void *sit(void *user) {
  seat *s = user;
  ig_ctx *cx;
  ig_case *c;
  const ig_ctx_options options = {
      .backend = s->backend, .threads = 1, .ranks = s->ranks, .user = s, .progress = progress};
  s->status = ig_ctx_open(&options, &cx);
  if (s->status == IG_OK)
    s->status = ig_case_new(cx, &c);
  if (s->status == IG_OK) {
    s->status = run(s, c);
    ig_case_close(c);
  }
  s->memory = peak;
  snprintf(s->message, sizeof s->message, "%s", ig_ctx_message(cx));
  ig_ctx_close(cx);
  return NULL;
}

static void together(seat *s, int count, const char *const *set, const char *backend,
                     const char *out, const char *restart, bool rough) {
  ig_ranks *ranks[MOST];
  assert_int_equal(ig_ranks_threads(count, ranks), IG_OK);
  for (int i = 0; i < count; i++) {
    s[i] = (seat){.set = set,
                  .backend = backend,
                  .ranks = ranks[i],
                  .out = i == 0 ? out : NULL,
                  .restart = restart};
    if (rough)
      harsh_use(ranks[i]);
  }
  threads_sit(count, ranks, sit, s, sizeof *s);
  for (int i = 0; i < count; i++)
    assert_string_equal(s[i].message, "");
}

static void remove_folder(const char *folder) {
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

/* --- bytes --- */

/* A checkpoint carries the mark of its run, 8 bytes, and with it other checksums, of 16. */
static void same_files(const char *const *set, int ranks, const char *backend, int least) {
  static seat one, many[MOST];
  char folder[] = "/tmp/ingot-files-XXXXXX", out[2][64], command[640];
  assert_non_null(mkdtemp(folder));
  for (int i = 0; i < 2; i++)
    snprintf(out[i], sizeof out[i], "%s/%s", folder, i ? "many" : "one");
  one = (seat){.set = set, .backend = "cpu", .out = out[0]};
  sit(&one);
  assert_string_equal(one.message, "");
  together(many, ranks, set, backend, out[1], NULL, ranks == 3);
  snprintf(command, sizeof command,
           "cd '%s'; n=0; for f in *.vtkhdf *.stl; do test -e $f || continue; cmp $f '%s'/$f || "
           "exit 1; n=$((n + 1)); done; test $n -ge %d && test $(cmp -l checkpoint.h5 "
           "'%s'/checkpoint.h5 | wc -l) -le 24 && test $(stat -c %%s checkpoint.h5) = $(stat -c "
           "%%s '%s'/checkpoint.h5) || { ls; exit 1; }",
           out[0], out[1], least, out[1], out[1]);
  assert_int_equal(system(command), 0);
  remove_folder(folder);
}

#define OUTPUT "output", "{every: 1}", "iterations", "2", "ranks", "divide"

/* three realisations and an adjoint state; asymptotes */
static const char *const grid[] = {
    "physics",     "topopt",
    "grid",        "{elements: [5, 4, 33]}",
    "volume",      "0.4",
    "supports",    "[{set: zmin}]",
    "loads",       "[{set: zmax, force: [1, 0, 0], spread: faces}]",
    "filter",      "{kind: density, radius: 2.5}",
    "projection",  "{beta: 1, robust: 0.1}",
    "constraints", "[{displacement: 300, set: zmax, direction: [1, 0, 0]}]",
    OUTPUT,        NULL};
static const char *const conducts[] = {
    "physics", "topopt", "problem", "heat", "grid",     "{elements: [6, 5, 29]}",
    "volume",  "0.3",    "source",  "1",    "supports", "[{box: {min: [0, 0, 0], max: [3, 2, 0]}}]",
    OUTPUT,    NULL};
/* 1,536 nodes in three units of 512: on 5 ranks two have none */
static const char *const bar[] = {"physics",  "topopt",
                                  "mesh",     "{boxes: [{size: [7, 7, 23], cells: [7, 7, 23]}]}",
                                  "volume",   "0.4",
                                  "supports", "[{set: zmin}]",
                                  "loads",    "[{set: zmax, force: [1, 0, 0]}]",
                                  "solver",   "{tolerance: 1e-4}",
                                  OUTPUT,     NULL};
static const char *const tets[] = {"physics",
                                   "topopt",
                                   "problem",
                                   "heat",
                                   "mesh",
                                   "{element: tet4, boxes: [{size: [11, 7, 12], cells: [11, 7, "
                                   "12]}]}",
                                   "assembly",
                                   "gather",
                                   "volume",
                                   "0.4",
                                   "source",
                                   "1",
                                   "symmetry",
                                   "[y-]",
                                   "supports",
                                   "[{set: xmin}]",
                                   OUTPUT,
                                   NULL};

/* snapshots of three moments, the checkpoint at the end, the surface */
static void files_have_the_bytes_of_one(void **state) {
  (void)state;
  same_files(grid, 3, "cpu", 4);
  same_files(conducts, 2, "debug", 4);
  same_files(bar, 5, "cpu", 4);
  same_files(tets, 3, "debug", 4);
}

/* --- memory --- */

/* Of four ranks the first writes, and has little more than the others: a piece of 2 MB on its way,
   what HDF5 keeps. */
static void first_is_light(const char *const *set) {
  enum { RANKS = 4 };
  static seat s[RANKS];
  char folder[] = "/tmp/ingot-light-XXXXXX", out[64];
  int64_t others = 0;
  assert_non_null(mkdtemp(folder));
  snprintf(out, sizeof out, "%s/out", folder);
  together(s, RANKS, set, "cpu", out, NULL, false);
  for (int i = 1; i < RANKS; i++)
    others = s[i].memory > others ? s[i].memory : others;
  print_message("the first rank %.1f MB, the others %.1f MB at most\n", 1e-6 * (double)s[0].memory,
                1e-6 * (double)others);
  assert_true(s[0].memory < others + others / 4);
  remove_folder(folder);
}

static void no_rank_has_the_whole(void **state) {
  (void)state;
  static const char *const block[] = {"physics",
                                      "topopt",
                                      "grid",
                                      "{elements: [24, 20, 96]}",
                                      "volume",
                                      "0.4",
                                      "supports",
                                      "[{set: zmin}]",
                                      "loads",
                                      "[{set: zmax, force: [1, 0, 0]}]",
                                      "solver.tolerance",
                                      "1e-2",
                                      "surface.formats",
                                      "[]",
                                      OUTPUT,
                                      NULL};
  static const char *const mesh[] = {"physics",
                                     "topopt",
                                     "mesh",
                                     "{boxes: [{size: [12, 12, 96], cells: [12, 12, 96]}]}",
                                     "volume",
                                     "0.4",
                                     "supports",
                                     "[{set: zmin}]",
                                     "loads",
                                     "[{set: zmax, force: [1, 0, 0]}]",
                                     "solver.tolerance",
                                     "1e-2",
                                     "surface.formats",
                                     "[]",
                                     OUTPUT,
                                     NULL};
  if (!COUNTED)
    skip();
  first_is_light(block);
  first_is_light(mesh);
}

/* A checkpoint of 5 MB, of which each rank takes its planes, 2 MB at a time: that is less than what
   the first step takes. */
static void a_restart_is_read_in_pieces(void **state) {
  (void)state;
  enum { RANKS = 4 };
  static const char *const block[] = {"physics",
                                      "topopt",
                                      "grid",
                                      "{elements: [40, 36, 96]}",
                                      "volume",
                                      "0.4",
                                      "supports",
                                      "[{set: zmin}]",
                                      "loads",
                                      "[{set: zmax, force: [1, 0, 0]}]",
                                      "solver.tolerance",
                                      "0.1",
                                      "surface.formats",
                                      "[]",
                                      OUTPUT,
                                      "iterations",
                                      "1",
                                      NULL};
  static seat fresh[RANKS], again[RANKS];
  char folder[] = "/tmp/ingot-again-XXXXXX", out[64], from[96];
  if (!COUNTED)
    skip();
  assert_non_null(mkdtemp(folder));
  snprintf(out, sizeof out, "%s/out", folder);
  snprintf(from, sizeof from, "%s/checkpoint.h5", out);
  together(fresh, RANKS, block, "cpu", out, NULL, false);
  together(again, RANKS, block, "cpu", NULL, from, false);
  for (int i = 0; i < RANKS; i++)
    if (again[i].setup > fresh[i].setup)
      fail_msg("rank %d takes %.1f MB to begin, %.1f to continue", i, 1e-6 * (double)fresh[i].setup,
               1e-6 * (double)again[i].setup);
  remove_folder(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_have_the_bytes_of_one),
      cmocka_unit_test(no_rank_has_the_whole),
      cmocka_unit_test(a_restart_is_read_in_pieces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
