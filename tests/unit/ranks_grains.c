/* The grains room on ranks (threads of this process): rows of the history, snapshots, tables and
   checkpoints have the bits of one rank. */
#include "ranks_seats.h"
#include "ingot_io.h"

/* Directional solidification with nuclei, epitaxy and a free seed. */
static const char *const column[] = {
    "physics",    "grains",
    "grid",       "{cell: 1 um, size: [37 um, 13 um, 40 um]}",
    "periodic",   "true",
    "field",      "{gradient: 5e5 K/m, speed: 0.6 m/s}",
    "growth",     "{law: in625}",
    "substrate",  "{grain_size: 5 um}",
    "seeds",      "[{point: [20 um, 6.5 um, 30 um]}]",
    "nucleation", "{density: 2e15 1/m^3, mean: 40 K, deviation: 10 K}",
    "output",     "{count: 4, history_every: 20}",
    NULL};

static void grains_have_the_bits_of_one(void **state) {
  (void)state;
  static const divided_run run[] = {
      {2, column, "double", NULL, NULL, IG_DIVIDE_CURVE}, /* each beside the other on both sides */
      {3, column, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {3, column, "double", "periodic", "false", IG_DIVIDE_RANDOM},
      {2, column, "double", "periodic", "false", IG_DIVIDE_CURVE},
      /* more ranks than rows */
      {5, column, "double", "grid", "{cell: 2 um, size: [36 um, 8 um, 40 um]}", IG_DIVIDE_CURVE}};
  runs_have_the_bits_of_one(run, sizeof run / sizeof *run, -1);
}

#ifdef INGOT_HAVE_IO
/* Events: a pool moves along y and back, so that cells melt twice, across all cuts. */
static void events_make(const char *path) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs("x,y,z,tm,tl,cr\n", f);
  for (int pass = 0; pass < 2; pass++)
    for (int z = 2; z < 8; z++)
      for (int y = 0; y < 12; y++)
        for (int x = 2; x < 10; x++) {
          const double from = 2e-5 * pass + 1e-6 * (pass ? 12 - y : y) + 2e-7 * (8 - z);
          if (pass == 0 || z > 4)
            fprintf(f, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", 4e-6 * x, 4e-6 * y, 4e-6 * z, from,
                    from + 3e-6 + 3e-7 * z, 1e6 + 1e5 * x);
        }
  assert_int_equal(fclose(f), 0);
}

static void files_and_restarts(void **state) {
  (void)state;
  static const char *const name[] = {"grains.csv", "heights.csv", "history.csv", "grains.vti"};
  static const char *const kept[] = {"state", "melts", "grain", "size", "centre",
                                     "under", "next",  "kept",  NULL};
  char folder[] = "/tmp/ingot-ranks-XXXXXX", list[128], path[64], one[64], many[64], command[256];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/events.csv", folder);
  snprintf(list, sizeof list, "[{file: %s}]", path);
  snprintf(one, sizeof one, "%s/one", folder);
  snprintf(many, sizeof many, "%s/many", folder);
  events_make(path);
  const char *const melt[] = {"physics",   "grains",
                              "grid",      "{cell: 2 um, refine: 2}",
                              "events",    list,
                              "growth",    "{law: in625}",
                              "substrate", "{grain_size: 6 um}",
                              "output",    "{count: 3, history_every: 20}",
                              NULL};
  (void)alone(&(seat){.base = melt, .backend = backend_of_test(0), .out = one});
  (void)together(&(seat){.base = melt, .backend = backend_of_test(1), .out = many}, 3, -1);
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    snprintf(command, sizeof command, "test ! -e %s/%s || cmp %s/%s %s/%s", one, name[i], one,
             name[i], many, name[i]);
    if (system(command) != 0)
      fail_msg("%s differs on three ranks", name[i]);
  }
  restarts_agree(melt, "cpu", "debug", 2, kept);
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grains_have_the_bits_of_one),
#ifdef INGOT_HAVE_IO
      cmocka_unit_test(files_and_restarts),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
