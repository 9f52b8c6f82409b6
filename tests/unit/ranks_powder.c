/* The powder room on ranks (threads of this process): rows of the history, snapshots, tables, files
   of events and checkpoints have the bits of one rank. */
#include "ranks_seats.h"
#include "ingot_io.h"

#define METAL                                                                                      \
  "materials",                                                                                     \
      "[{name: m, density: 8000, specific_heat: 500, conductivity: 20, powder_conductivity: 1, "   \
      "absorptivity: 0.4, solidus: 1500, liquidus: 1600, latent_heat: 250e3, boiling: 3000, "      \
      "evaporation_heat: 6e6, molar_mass: 0.056}]"

/* Three lasers on two layers of light powder: windows meet and part, jump, linger and close; the
   second layer is turned. Losses, vapour, keyholes, a map, events, probes in and beside lines. */
static const char *const bed[] = {
    "physics",
    "powder",
    METAL,
    "grid",
    "{cell: 20 um, ratio: 2, margin: 0.12 mm, plate: 0.16 mm}",
    "beam",
    "{radius: 30 um, keyhole: {absorptivity: 0.3}}",
    "evaporation",
    "true",
    "packing",
    "0.6",
    "convection",
    "50",
    "emissivity",
    "0.5",
    "plate_temperature",
    "300",
    "hatch",
    "{parts: [{min: [0, 0, 0], max: [1.2 mm, 0.4 mm, 0.08 mm]}], layer_height: 40 um, layers: 2, "
    "spacing: 0.1 mm, power: 80 W, speed: 1 m/s, jump_speed: 5 m/s, rotation: 67, lasers: 3, "
    "recoating: 4 ms}",
    "map",
    "{min: [0, 0, -0.04 mm], max: [0.8 mm, 0.3 mm, 0.08 mm]}",
    "events",
    "{min: [0.2 mm, 0, -0.02 mm], max: [1 mm, 0.4 mm, 0.08 mm]}",
    "probes",
    "[{name: on, point: [0.6 mm, 0.2 mm, 0.03 mm]}, {name: left, point: [0.1 mm, 0.1 mm, 0.01 "
    "mm]}, "
    "{name: deep, point: [1 mm, 0.3 mm, -0.1 mm]}, {name: side, point: [-0.1 mm, 0.2 mm, -0.02 "
    "mm]}]",
    "output",
    "{count: 6, history_every: 5, fields: [T, solid, melts, unfused]}",
    NULL};

/* A plate so thick that its lower levels are divided between ranks; a pool that reaches them; then
   a tower, whose levels follow them one after the other. */
static const char *const tower[] = {
    "physics",
    "powder",
    METAL,
    "grid",
    "{cell: 20 um, ratio: 2, margin: 0.06 mm, plate: 0.76 mm}",
    "beam",
    "{radius: 30 um, keyhole: {absorptivity: 0.5}}",
    "plate_temperature",
    "300",
    "hatch",
    "{parts: [{min: [0, 0, 0], max: [1.1 mm, 0.08 mm, 0.08 mm]}, {min: [0, 0, 0.08 mm], max: [0.12 "
    "mm, 0.08 mm, 0.56 mm]}], layer_height: 80 um, spacing: 0.08 mm, power: 700 W, speed: 2 m/s, "
    "jump_speed: 5 m/s, lasers: 2, layer_time: 3 ms}",
    "output",
    "{count: 3, history_every: 20, fields: [T, solid, melts]}",
    NULL};

static void powder_has_the_bits_of_one(void **state) {
  (void)state;
  static const divided_run run[] = {
      {2, bed, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {3, bed, "double", "grid",
       "{cell: 20 um, ratio: 2, margin: 0.12 mm, plate: 0.16 mm, window: [0.4 mm, 0.4 mm, 0.12 "
       "mm]}",
       IG_DIVIDE_CURVE},
      /* more ranks than lasers, and windows of which one is molten after its beam has gone */
      {5, bed, "double", "fine_stages", "2", IG_DIVIDE_RANDOM},
      /* a pause of long steps, of many stages each */
      {3, bed, "double", "hatch",
       "{parts: [{min: [0, 0, 0], max: [1.2 mm, 0.4 mm, 0.08 mm]}], layer_height: 40 um, layers: "
       "2, spacing: 0.1 mm, power: 80 W, speed: 2 m/s, lasers: 2, recoating: 200 ms}",
       IG_DIVIDE_CURVE},
      {2, tower, "double", NULL, NULL, IG_DIVIDE_CURVE},
      /* frames of a movie are the snapshots */
      {2, bed, "double", "movie", "{layer: 2, frames: 5}", IG_DIVIDE_CURVE}};
  runs_have_the_bits_of_one(run, sizeof run / sizeof *run, -1);
}

/* Of a tall bed most memory is states of cells that no window reaches: on several ranks each has
   few of them. */
static void memory_is_divided(void **state) {
  (void)state;
  const seat like = {
      .base = tower,
      .backend = "debug",
      .key = {"grid", "hatch"},
      .value = {"{cell: 20 um, ratio: 8, margin: 2 mm, plate: 4 mm}",
                "{parts: [{min: [0, 0, 0], max: [0.2 mm, 0.08 mm, 0.08 mm]}], layer_height: 80 um, "
                "spacing: 0.08 mm, power: 100 W, speed: 2 m/s, lasers: 2}"}};
  const seat one = alone(&like), many = together(&like, 3, -1);
  print_message("one rank %.2f MB, the first of three %.2f MB, others at most %.2f MB\n",
                1e-6 * (double)one.bytes, 1e-6 * (double)many.bytes,
                1e-6 * (double)many.most_bytes);
  assert_true(one.bytes > 0 && many.bytes > 0);
  assert_true((double)many.bytes < 0.6 * (double)one.bytes);
  assert_true((double)many.most_bytes < 0.6 * (double)one.bytes);
}

#ifdef INGOT_HAVE_IO
/* Tables and files of events, byte for byte. */
static void files_have_the_bytes_of_one(void **state) {
  (void)state;
  static const char *const name[] = {"lines.csv",          "layers.csv",     "history.csv",
                                     "solidification.csv", "exaca-0001.csv", "exaca-0002.csv"};
  char folder[] = "/tmp/ingot-ranks-XXXXXX", one[64], many[64], command[256];
  assert_non_null(mkdtemp(folder));
  snprintf(one, sizeof one, "%s/one", folder);
  snprintf(many, sizeof many, "%s/many", folder);
  (void)alone(&(seat){.base = bed, .backend = backend_of_test(0), .out = one});
  (void)together(&(seat){.base = bed, .backend = backend_of_test(0), .out = many}, 3, -1);
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    snprintf(command, sizeof command, "test -s %s/%s && cmp %s/%s %s/%s", one, name[i], one,
             name[i], many, name[i]);
    if (system(command) != 0)
      fail_msg("%s differs on three ranks", name[i]);
  }
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

static void restarts_on_other_ranks(void **state) {
  (void)state;
  static const char *const kept[] = {"coarse",      "solid",       "state",  "source", "lost",
                                     "held",        "evaporated",  "pool",   "lines",  "map",
                                     "event_cells", "event_lines", "layers", "kept",   "events",
                                     "below",       "probe_peak",  NULL};
  restarts_agree(bed, "cpu", "debug", 2, kept);
  restarts_agree(tower, "cpu", "debug", 4, kept);
}

/* Small ones are rounded, and meltings of levels that no pool reaches are sums: the same from any
   number of ranks. Runs that go on from one of them end alike. */
static void small_checkpoints_agree(void **state) {
  (void)state;
  static const char *const kept[] = {"coarse", "solid", "state",  "source",     "pool",
                                     "lines",  "below", "layers", "part_melts", NULL};
  char folder[] = "/tmp/ingot-ranks-XXXXXX", one[64], many[64], command[192];
  assert_non_null(mkdtemp(folder));
  snprintf(one, sizeof one, "%s/one", folder);
  snprintf(many, sizeof many, "%s/many", folder);
  seat like = {.base = tower,
               .backend = "cpu",
               .out = one,
               .key = {"checkpoint"},
               .value = {"small"},
               .stop_after = 4,
               .status = IG_INTERRUPTED};
  assert_int_equal(together(&like, 3, 1).status, IG_INTERRUPTED);
  snprintf(command, sizeof command, "cp -r '%s' '%s'", one, many);
  assert_int_equal(system(command), 0);
  like = (seat){.base = tower,
                .backend = "cpu",
                .out = one,
                .key = {"checkpoint"},
                .value = {"small"},
                .resume = true};
  alone(&like);
  like.out = many;
  like.backend = "debug";
  assert_int_equal(together(&like, 2, -1).status, IG_OK);
  if (checkpoint_seen(one, kept) != checkpoint_seen(many, kept))
    fail_msg("a small checkpoint that two ranks go on from ends with another one");
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}
#endif

/* A failure of one rank ends all with its words. */
static void a_failure_ends_all(void **state) {
  (void)state;
  const seat like = {.base = bed,
                     .backend = "cpu",
                     .status = IG_INPUT,
                     .key = {"map"},
                     .value = {"{min: [5 mm, 0, 0], max: [6 mm, 1 mm, 1 mm]}"}};
  const seat one = alone(&like), many = together(&like, 3, -1);
  if (!strstr(one.message, "the map is not in the bed") || !strstr(many.message, one.message))
    fail_msg("'%s', on ranks '%s'", one.message, many.message);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(powder_has_the_bits_of_one),  cmocka_unit_test(memory_is_divided),
#ifdef INGOT_HAVE_IO
      cmocka_unit_test(files_have_the_bytes_of_one), cmocka_unit_test(restarts_on_other_ranks),
      cmocka_unit_test(small_checkpoints_agree),
#endif
      cmocka_unit_test(a_failure_ends_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
