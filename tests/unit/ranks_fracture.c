/* Fracture on ranks (threads of this process): rows of the history, snapshots of the opened mesh
   and checkpoints have the bits of one rank, whatever the number of ranks and the division. */
#include "counting_ranks.h"
#include "ingot_io.h"
#include "ranks_seats.h"

#include <math.h>

/* a strip that is torn into pieces from a notch on; loads, supports, a facet's own strength */
static const char *const strip[] = {
    "physics",
    "fracture",
    "mesh",
    "{element: tri6, triangle_pattern: crossed, boxes: {size: [8 mm, 4 mm], cells: [8, 4]}}",
    "materials",
    "[{name: PMMA, density: 1190, young: 3.24e9, poisson: 0.35, fracture_energy: 352, "
    "cohesive_strength: 60e6}]",
    "cracks",
    "[{from: [0, 2 mm], to: [2 mm, 2 mm]}]",
    "supports",
    "[{set: ymin, components: y, velocity: [0, -30]}, {set: ymax, components: y, velocity: [0, "
    "30]}]",
    "loads",
    "[{set: xmax, pressure: 1e6, history: [[0, 0], [2e-6, 1]]}]",
    "cohesive",
    "{check_every: 3, weibull: 20, friction: 0.2}",
    "duration",
    "8e-6",
    "probes",
    "[{name: pull, set: ymax, quantity: fy}, {name: tip, point: [8 mm, 2 mm], quantity: vx}, "
    "{name: "
    "s, set: all, quantity: syy}]",
    "output",
    "{count: 3, history_every: 7}",
    NULL};

/* a block that flies apart */
static const char *const block[] = {
    "physics",
    "fracture",
    "mesh",
    "{element: tet4, boxes: {size: [4 mm, 3 mm, 2 mm], cells: [4, 3, 2]}}",
    "materials",
    "[{name: m, density: 2400, young: 30e9, poisson: 0.2, fracture_energy: 5, cohesive_strength: "
    "3e6}]",
    "initial",
    "[{expansion: 8000}]",
    "rotation",
    "finite",
    "cohesive",
    "{check_every: 4}",
    "duration",
    "1.5e-6",
    "output",
    "{count: 2, history_every: 5}",
    NULL};

/* a bar that breaks and whose pieces are driven through each other */
static const char *const pressed[] = {
    "physics",
    "fracture",
    "mesh",
    "{element: tri3, triangle_pattern: crossed, boxes: [{size: [6 mm, 2 mm], cells: [6, 2]}, "
    "{origin: [2 "
    "mm, "
    "2.02 mm], size: [2 mm, 2 mm], cells: [3, 2]}]}",
    "materials",
    "[{name: m, density: 1190, young: 3.24e9, poisson: 0.35, fracture_energy: 60, "
    "cohesive_strength: 40e6}]",
    "supports",
    "[{set: ymax, components: y, velocity: [0, -60]}, {set: ymin, components: y, velocity: [0, "
    "60]}]",
    "cohesive",
    "{check_every: 2, friction: 0.3}",
    "surface_contact",
    "true",
    "duration",
    "1.5e-6",
    "output",
    "{count: 3, history_every: 7}",
    NULL};

/* a stone that flies along a bar, far enough that other parts of it are met, and breaks */
static const char *const flight[] = {
    "physics",
    "fracture",
    "mesh",
    "{element: tri3, triangle_pattern: crossed, boxes: [{size: [24 mm, 1 mm], cells: [24, 1]}, "
    "{name: "
    "stone, origin: [1 mm, 1.01 mm], size: [2 mm, 1 mm], cells: [2, 1]}]}",
    "materials",
    "[{name: m, density: 1190, young: 3.24e9, poisson: 0.35, fracture_energy: 200, "
    "cohesive_strength: 60e6}]",
    "initial",
    "[{set: stone, velocity: [2500, -200]}]",
    "rotation",
    "finite",
    "cohesive",
    "{check_every: 5, friction: 0.3}",
    "surface_contact",
    "true",
    "duration",
    "6e-6",
    "output",
    "{count: 3, history_every: 20}",
    NULL};

/* a bar that is torn and driven together again: facets shut hard, and rub */
static const char *const shut[] = {
    "physics",
    "fracture",
    "mesh",
    "{element: tri3, triangle_pattern: crossed, boxes: {size: [6 mm, 2 mm], cells: [6, 2]}}",
    "materials",
    "[{name: m, density: 1190, young: 3.24e9, poisson: 0.35, fracture_energy: 20, "
    "cohesive_strength: 20e6}]",
    "supports",
    "[{set: xmin, components: x, velocity: [-30, 0], history: [[0, 1], [1e-6, 1], [1.2e-6, -2]]}, "
    "{set: xmax, components: x, velocity: [30, 0], history: [[0, 1], [1e-6, 1], [1.2e-6, -2]]}, "
    "{set: ymin, components: y, velocity: [0, 5]}]",
    "cohesive",
    "{check_every: 2, friction: 0.3, contact: rigid}",
    "duration",
    "4e-6",
    "output",
    "{count: 3, history_every: 7}",
    NULL};

/* bodies that fly through each other, which is told: each rank looks at its own nodes */
static const char *const through[] = {
    "physics",
    "fracture",
    "mesh",
    "{element: tri3, triangle_pattern: crossed, boxes: [{size: [24 mm, 1 mm], cells: [24, 1]}, "
    "{name: "
    "stone, origin: [1 mm, 1.01 mm], size: [2 mm, 1 mm], cells: [2, 1]}]}",
    "materials",
    "[{name: m, density: 1190, young: 3.24e9, poisson: 0.35, fracture_energy: 200, "
    "cohesive_strength: 60e6}]",
    "initial",
    "[{set: stone, velocity: [2500, -200]}]",
    "duration",
    "6e-6",
    "output",
    "{count: 2, history_every: 5}",
    NULL};

static void fracture_has_the_bits_of_one(void **state) {
  (void)state;
  static const divided_run run[] = {
      {2, strip, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {3, strip, "single", "cohesive.criterion", "principal_best", IG_DIVIDE_RANDOM},
      {5, strip, "double", "mesh.element", "tri3", IG_DIVIDE_UNEVEN},
      {7, strip, "single", "cohesive.criterion", "facet_mean", IG_DIVIDE_RANDOM},
      {3, block, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {7, block, "single", "rotation", "small", IG_DIVIDE_UNEVEN},
      {2, block, "double", "mesh.element", "tet10", IG_DIVIDE_RANDOM},
      {2, pressed, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {3, pressed, "single", "mesh.element", "tri6", IG_DIVIDE_RANDOM},
      {5, pressed, "double", NULL, NULL, IG_DIVIDE_UNEVEN},
      {2, block, "single", "surface_contact", "true", IG_DIVIDE_RANDOM},
      {7, flight, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {3, flight, "single", "cohesive.contact", "rigid", IG_DIVIDE_UNEVEN},
      {3, strip, "double", "cohesive.contact", "rigid", IG_DIVIDE_RANDOM},
      {5, pressed, "double", "cohesive.contact", "rigid", IG_DIVIDE_UNEVEN},
      {4, shut, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {2, shut, "single", "mesh.element", "tri6", IG_DIVIDE_RANDOM},
      {7, block, "single", "cohesive.contact", "rigid", IG_DIVIDE_RANDOM},
      {3, strip, "double", "interfaces",
       "[{from: [2 mm, 2 mm], to: [8 mm, 2 mm], fracture_energy: 100, cohesive_strength: 40e6}]",
       IG_DIVIDE_CURVE},
      {66, block, "single", "duration", "2e-7", IG_DIVIDE_CURVE}}; /* more ranks than bits */
  runs_have_the_bits_of_one(run, sizeof run / sizeof *run, 10);
  /* nothing opens: what lies near what is looked up for motion alone */
  static const divided_run sound[] = {
      {7, flight, "double", "cohesive.check_every", "0", IG_DIVIDE_CURVE},
      {5, through, "single", NULL, NULL, IG_DIVIDE_RANDOM}};
  runs_have_the_bits_of_one(sound, 2, -1);
}

/* Every facet opens at the first check: of a state that is taken up again a part has nodes whose
   elements here have all become a copy's, beside as many as its elements have corners. */
static const char *const shards[] = {
    "physics",
    "fracture",
    "mesh",
    "{element: tri3, boxes: {size: [24 mm, 6 mm], cells: [24, 6]}}",
    "materials",
    "[{name: m, density: 1190, young: 3.24e9, poisson: 0.35, fracture_energy: 1, "
    "cohesive_strength: 1e6}]",
    "initial",
    "[{strain: [0.02, 0.02, 0]}]",
    "cohesive",
    "{check_every: 3}",
    "precision",
    "double",
    "duration",
    "1e-4",
    "output",
    "{count: 1, history_every: 100000}",
    NULL};

static void programs_change_velocities(void **state) {
  (void)state;
  programs_agree(strip);
  programs_agree(shards);
}

static void what_cannot_be_divided_is_refused(void **state) {
  (void)state;
  static const refused_change bad[] = {{{"assembly"}, {"color"}, "assembly: gather"},
                                       {{"insertion"}, {"{batches: 1}"}, "run it on one rank"}};
  changes_are_refused(strip, bad, sizeof bad / sizeof *bad);
}

/* --- memory and messages of ranks, on a strip of 64 x 4 crossed cells that is cut by a plane */

static const char *const plain[] = {
    "physics",
    "fracture",
    "mesh",
    "{element: tri3, triangle_pattern: crossed, boxes: {size: [64 mm, 4 mm], cells: [64, 4]}}",
    "materials",
    "[{name: m, density: 1190, young: 3.24e9, poisson: 0.35, fracture_energy: 352, "
    "cohesive_strength: 60e6}]",
    "initial",
    "[{expansion: 1}]",
    "cohesive",
    "{check_every: 5}",
    "precision",
    "double",
    "duration",
    "1e-4",
    "output",
    "{count: 1, history_every: 100000}",
    NULL};

enum { STEPS = 20, CHECKS = 4 };
typedef struct {
  ig_ranks *ranks;
  counting *counted;
  const char *surface;      /* surface_contact */
  int64_t bytes, sent;      /* bytes held while it steps, sent */
  int64_t looking, brought; /* the same while somebody looks: most bytes held, sent */
  ig_status status;
} holder;

static void nothing_shown(void *user, const ig_snapshot_view *v) {
  (void)user;
  (void)v;
}

/* A snapshot, a checkpoint, and the figures of two rows (velocities change the energy). */
static ig_status looks_count(holder *h, ig_ctx *cx, ig_sim *sim) {
  ig_sim_state *kept = NULL;
  ig_field_info info = {0};
  ig_sim_fields(sim, velocity_info, &info);
  double *v = calloc((size_t)(info.count * info.components) + 1, sizeof *v);
  cx->device_peak = cx->device_bytes;
  ig_status status = ig_sim_show(sim, nothing_shown, NULL);
  if (status == IG_OK)
    status = ig_sim_save(sim, &kept);
  if (status == IG_OK)
    status = ig_sim_get(sim, "velocity", v);
  h->brought = h->counted ? -h->counted->bytes : 0;
  if (status == IG_OK)
    status = ig_sim_set(sim, "velocity", v);
  h->brought += h->counted ? h->counted->bytes : 0;
  h->looking = (int64_t)cx->device_peak;
  ig_sim_state_free(kept);
  free(v);
  return status;
}

static ig_status steps_count(holder *h, ig_ctx *cx, ig_sim *sim) {
  IG_TRY(ig_sim_step(sim, 7, NULL));
  h->bytes = (int64_t)cx->device_bytes;
  h->sent = h->counted ? -h->counted->bytes : 0;
  IG_TRY(ig_sim_step(sim, STEPS, NULL));
  h->sent += h->counted ? h->counted->bytes : 0;
  return looks_count(h, cx, sim);
}
static void *hold(void *user) {
  holder *h = user;
  ig_ctx *cx;
  ig_case *c = NULL;
  ig_sim *sim = NULL;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1, .ranks = h->ranks};
  h->status = ig_ctx_open(&options, &cx);
  if (h->ranks)
    h->ranks->division = IG_DIVIDE_BOXES;
  if (h->status == IG_OK)
    h->status = ig_case_new(cx, &c);
  for (int i = 0; plain[i] && h->status == IG_OK; i += 2)
    h->status = ig_case_set(c, plain[i], plain[i + 1]);
  if (h->status == IG_OK)
    h->status = ig_case_set(c, "surface_contact", h->surface ? h->surface : "false");
  if (h->status == IG_OK)
    h->status = ig_sim_open(c, NULL, &sim);
  if (h->status == IG_OK)
    h->status = steps_count(h, cx, sim);
  ig_sim_close(sim);
  ig_case_close(c);
  ig_ctx_close(cx);
  return NULL;
}

static void hold_all(int count, const char *surface, holder *h) {
  ig_ranks *ranks[MOST];
  assert_int_equal(ig_ranks_threads(count, ranks), IG_OK);
  for (int i = 0; i < count; i++)
    h[i] = (holder){.ranks = ranks[i], .counted = counting_use(ranks[i]), .surface = surface};
  threads_sit(count, ranks, hold, h, sizeof *h);
  for (int i = 0; i < count; i++)
    assert_int_equal(h[i].status, IG_OK);
}

/* A rank has its part: of 64 columns of cells 64 / P and three layers on each side,
   two columns each at most where the cut lies within one; and lists: 28 bytes per element and 8
   per node, where tables have 150 and 120, less than a fifth. So does the first. While figures are
   taken there are rows of them, 32 bytes per node.

   With contact it has a copy of the surfaces of these columns and of 9 on each side (7.5 mm, and
   what the elements there reach beyond): of 16 elements and 9 nodes of a column 6 and 6, of 48 and
   194 bytes, with a quarter to spare. One rank has 174 bytes per element and 220 per node: a column
   of the copy is less than half of one of the whole. */
static void memory_falls_with_ranks(void **state) {
  (void)state;
  for (int touching = 0; touching < 2; touching++) {
    holder one = {.surface = touching ? "true" : "false"};
    hold(&one);
    assert_int_equal(one.status, IG_OK);
    for (int count = 2; count <= 4; count += 2) {
      holder h[MOST];
      hold_all(count, one.surface, h);
      for (int i = 0; i < count; i++) {
        const double share = (double)h[i].bytes / (double)one.bytes;
        const double part = 1.2 * (64.0 / count + 8) / 64;
        const double copy = touching ? 0.5 * (64.0 / count + 18) / 64 : 0;
        const double looking = (double)h[i].looking / (double)one.bytes;
        if (share > part + copy)
          fail_msg("rank %d of %d has %.3f of the bytes of one rank", i, count, share);
        if (looking > 1.25 * part + copy)
          fail_msg("rank %d of %d has %.3f of the bytes of one rank when somebody looks", i, count,
                   looking);
      }
    }
  }
}

/* docs/scaling.md: a ghost costs its displacement, 16 bytes; before a check far ghosts come instead
   of near ones. The plane leaves centres of cells to the first rank and the corners beside them to
   the second. The first needs those 5 corners; the second the 4 centres and the 5 corners before
   them. For stresses at these each needs the next 4 centres and 5 corners. */
static void bytes_sent_are_those_of_the_model(void **state) {
  (void)state;
  enum { CENTRES = 4, CORNERS = 5, ITEM = 16, NEXT = CENTRES + CORNERS };
  const int64_t near[2] = {CENTRES + CORNERS, CORNERS}; /* sent by each */
  holder h[MOST];
  hold_all(2, NULL, h);
  for (int i = 0; i < 2; i++)
    assert_int_equal(h[i].sent, ITEM * (STEPS * near[i] + CHECKS * NEXT));
}

/* docs/scaling.md: figures cost 20 bytes per element and node of another rank than the first: two
   numbers and a place. No facet is open, no face is loaded. Velocities that a program sets have
   them taken twice, and near and far ghosts take theirs (16 bytes). */
static void figures_cost_the_bytes_of_the_model(void **state) {
  (void)state;
  enum { CELLS = 64 * 4, ROW = 20, FEW = 600 };
  holder h[MOST];
  hold_all(2, NULL, h);
  const double nodes = CELLS + 65 * 5, items = 0.5 * (4 * CELLS + nodes);
  if (fabs((double)h[1].brought - 2 * ROW * items) > 0.1 * 2 * ROW * items + FEW)
    fail_msg("rank 1 sends %lld bytes, not %.0f", (long long)h[1].brought, 2 * ROW * items);
  if (h[0].brought > FEW)
    fail_msg("rank 0 sends %lld bytes", (long long)h[0].brought);
}

/* Contact: with cells of 1.25 mm and a skin as wide the other rank's facets come whose middles are
   within 7.5 mm of a box that reaches one column beyond the cut: not more than 10 columns of 9
   nodes, with velocities; no facet is open, whose state would be told. */
static void contact_imports_what_is_near(void **state) {
  (void)state;
  enum { COLUMNS = 10, NODES = 9, ITEM = 32 };
  holder h[MOST];
  hold_all(2, "true", h);
  for (int i = 0; i < 2; i++)
    if (h[i].sent > (int64_t)ITEM * STEPS * COLUMNS * NODES)
      fail_msg("rank %d sends %lld bytes", i, (long long)h[i].sent);
}

#ifdef INGOT_HAVE_IO
static bool file_same(const char *one, const char *many, const char *name) {
  char path[2][128];
  FILE *file[2];
  int a, b;
  snprintf(path[0], sizeof path[0], "%s/%s", one, name);
  snprintf(path[1], sizeof path[1], "%s/%s", many, name);
  for (int i = 0; i < 2; i++) {
    file[i] = fopen(path[i], "rb");
    assert_non_null(file[i]);
  }
  do {
    a = getc(file[0]);
    b = getc(file[1]);
  } while (a == b && a != EOF);
  fclose(file[0]);
  fclose(file[1]);
  return a == b;
}

/* Tables of pieces and of the crack, history and snapshots are the files of one rank. */
static void files_are_those_of_one(void **state) {
  (void)state;
  static const char *const *const base[] = {strip, block, pressed, through};
  static const char *const name[] = {"history.csv", "fragments.csv", "crack.csv",
                                     "snap_000001.vtkhdf"};
  static const int ranks[] = {2, 3, 5};
  for (size_t k = 0; k < sizeof base / sizeof *base; k++) {
    char folder[] = "/tmp/ingot-ranks-XXXXXX", one[64], many[64], command[128];
    assert_non_null(mkdtemp(folder));
    snprintf(one, sizeof one, "%s/one", folder);
    alone(&(seat){.base = base[k], .backend = backend_of_test(0), .out = one});
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r += 1 + SANITIZED) {
      snprintf(many, sizeof many, "%s/%d", folder, ranks[r]);
      const seat like = {.base = base[k], .backend = backend_of_test(r == 1), .out = many};
      together(&like, ranks[r], -1);
      for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (!file_same(one, many, name[i]))
          fail_msg("case %zu: %s of %d ranks is another", k, name[i], ranks[r]);
    }
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
  }
}

/* 3 -> 5 -> 1 in the middle of a crack, and of contact; the checkpoint at the end is that of a run
 * on one rank */
static void checkpoints_go_from_any_number_to_any_other(void **state) {
  (void)state;
  static const char *const kept[] = {
      "count",        "begun",   "track", "conn",   "opp",          "list",        "attach",
      "node",         "x",       "u",     "v",      "minv",         "work",        "coh",
      "turn",         "cs",      "cf",    "ck",     "cw",           "cwork",       "lf",
      "lwork",        "pressed", "fc",    "impact", "surface_mass", "surface_gap", "surface_force",
      "surface_work", NULL};
  restarts_agree(strip, backend_of_test(1), backend_of_test(1), 3, kept);
  restarts_agree(pressed, backend_of_test(0), backend_of_test(0), 3, kept);
  restarts_agree(shut, backend_of_test(0), backend_of_test(0), 3, kept);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fracture_has_the_bits_of_one),
      cmocka_unit_test(programs_change_velocities),
      cmocka_unit_test(what_cannot_be_divided_is_refused),
      cmocka_unit_test(memory_falls_with_ranks),
      cmocka_unit_test(bytes_sent_are_those_of_the_model),
      cmocka_unit_test(figures_cost_the_bytes_of_the_model),
      cmocka_unit_test(contact_imports_what_is_near),
#ifdef INGOT_HAVE_IO
      cmocka_unit_test(files_are_those_of_one),
      cmocka_unit_test(checkpoints_go_from_any_number_to_any_other),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
