/* One mesh divided between ranks (threads of this process): ghosts take their owners' values, what
   is collected is whole, and a thermal run has the bits of one rank on any number of them, however
   the mesh is divided. */
#include "counting_ranks.h"
#include "ingot_io.h"
#include "ranks_seats.h"
#include <unistd.h>

/* --- parts, ghosts, collecting */

typedef struct {
  ig_ranks *ranks;
  const char *backend;
  const ig_mesh *mesh;
  ig_division how;
  size_t item;                               /* bytes per node */
  int64_t owned, wrong, ghosts, peers, sent; /* sent: bytes of one exchange */
  counting *counted;
  char chosen[320];
  ig_status status;
} worker;

/* Any number that differs from node to node and word to word. */
static uint32_t word_of(ig_lid node, size_t word) {
  return (uint32_t)node * 2654435761u + (uint32_t)word * 40503u + 1;
}

static ig_status values_check(worker *w, ig_ctx *cx, const ig_partition *p, ig_halo *halo,
                              ig_array *a) {
  const size_t words = w->item / 4;
  uint32_t *value = a->host;
  for (ig_lid n = 0; n < p->mesh->nodes; n++)
    for (size_t k = 0; k < words; k++)
      value[(size_t)n * words + k] = p->ghost[n] ? 0 : word_of(p->node[n], k);
  for (int round = 0; round < 3; round++) { /* both halves of boxes, one of them twice */
    IG_TRY(ig_array_push(cx, a));
    w->sent = -w->counted->bytes;
    IG_TRY(ig_halo_refresh(cx, halo, a->dev, w->item, IG_OK));
    w->sent += w->counted->bytes;
  }
  IG_TRY(ig_array_pull(cx, a));
  for (ig_lid n = 0; n < p->mesh->nodes; n++)
    for (size_t k = 0; k < words; k++)
      w->wrong += value[(size_t)n * words + k] != word_of(p->node[n], k);
  return IG_OK;
}

/* A piece of the whole, in its order: each follows the one before. */
typedef struct {
  worker *w;
  int64_t next;
} pieces;
static void piece_check(void *user, const void *items, int64_t first, int64_t count) {
  pieces *p = user;
  const size_t words = p->w->item / 4;
  p->w->wrong += first != p->next || count < 1;
  for (int64_t i = 0; i < count; i++)
    for (size_t k = 0; k < words; k++)
      p->w->wrong +=
          ((const uint32_t *)items)[(size_t)i * words + k] != word_of((ig_lid)(first + i), k);
  p->next = first + count;
}

static ig_status whole_check(worker *w, ig_ctx *cx, const ig_partition *p, const ig_array *a) {
  ig_collect c = {0};
  ig_array whole = {0};
  int32_t *mine = NULL;
  int64_t own = 0;
  IG_TRY(IG_NEW(cx, &mine, (size_t)p->mesh->nodes + 1, "own nodes"));
  for (ig_lid n = 0; n < p->mesh->nodes; n++)
    if (!p->ghost[n])
      mine[own++] = n;
  w->owned = own;
  ig_status status = ig_collect_new(cx, p, p->owner, w->mesh->nodes, mine, own, &c);
  if (status == IG_OK)
    status = ig_array_new(cx, &whole, (size_t)w->mesh->nodes, w->item, "whole");
  if (status == IG_OK)
    status = ig_collect_items(cx, &c, a->dev, p->mesh->nodes, w->item, whole.dev);
  if (status == IG_OK)
    status = ig_array_pull(cx, &whole);
  for (ig_lid n = 0; n < w->mesh->nodes && status == IG_OK && p->rank == 0; n++)
    for (size_t k = 0; k < w->item / 4; k++)
      w->wrong += ((uint32_t *)whole.host)[(size_t)n * (w->item / 4) + k] != word_of(n, k);
  pieces all = {.w = w};
  if (status == IG_OK)
    status = ig_collect_pass(cx, &c, a->dev, p->mesh->nodes, w->item, 7, piece_check, &all);
  w->wrong += all.next != (p->rank == 0 ? w->mesh->nodes : 0);
  ig_array_free(cx, &whole);
  ig_collect_free(&c);
  return status;
}

static ig_status part_check(worker *w, ig_ctx *cx) {
  ig_partition p;
  ig_halo halo = {0};
  ig_array a = {0};
  cx->ranks->division = (int)w->how;
  IG_TRY(ig_partition_new(cx, w->mesh, IG_DIVIDE_CURVE, &p));
  ig_status status = ig_halo_new(cx, &p, w->item, &halo);
  if (status == IG_OK)
    status = ig_array_new(cx, &a, (size_t)p.mesh->nodes + 1, w->item, "values");
  if (status == IG_OK)
    status = values_check(w, cx, &p, &halo, &a);
  w->ghosts = halo.received ? halo.received[halo.peers] : 0;
  w->peers = halo.peers;
  if (status == IG_OK)
    status = whole_check(w, cx, &p, &a);
  for (ig_lid e = 0; e < ig_mesh_elements(p.mesh); e++)
    w->wrong +=
        ig_partition_element(&p, p.element[e]) != e || (e && p.element[e] <= p.element[e - 1]);
  ig_array_free(cx, &a);
  ig_halo_free(cx, &halo);
  ig_partition_free(&p);
  return status;
}

static void *work(void *user) {
  worker *w = user;
  ig_ctx *cx;
  const ig_ctx_options options = {.backend = w->backend, .threads = 1, .ranks = w->ranks};
  w->status = ig_ctx_open(&options, &cx);
  snprintf(w->chosen, sizeof w->chosen, "%s", w->ranks->chosen);
  if (w->status == IG_OK)
    w->status = part_check(w, cx);
  ig_ctx_close(cx);
  return NULL;
}

static void parts_check(const ig_mesh *mesh, int count, ig_division how, const char *backend,
                        size_t item) {
  ig_ranks *ranks[MOST];
  worker w[MOST];
  int64_t owned = 0, ghosts = 0, peers = 0, sent = 0;
  const bool near = item != 8 && strcmp(backend, "cpu") != 0; /* into each other's memory */
  assert_int_equal(ig_ranks_threads(count, ranks), IG_OK);
  for (int i = 0; i < count; i++) {
    assert_int_equal(ig_ranks_ipc(ranks[i], near ? "on" : "off"), IG_OK);
    w[i] = (worker){.ranks = ranks[i],
                    .backend = backend,
                    .mesh = mesh,
                    .how = how,
                    .item = item,
                    .counted = counting_use(ranks[i])};
  }
  threads_sit(count, ranks, work, w, sizeof *w);
  for (int i = 0; i < count; i++) {
    assert_int_equal(w[i].status, IG_OK);
    assert_int_equal(w[i].wrong, 0);
    owned += w[i].owned;
    ghosts += w[i].ghosts;
    peers += w[i].peers;
    sent += w[i].sent;
  }
  assert_int_equal(owned, mesh->nodes);
  /* bytes of the model: `item` per ghost; where ranks write into each other's memory, a sign to
     each neighbour */
  assert_int_equal(sent, near ? 8 * peers : ghosts * (int64_t)item);
  for (int i = 0; i < count && how == IG_DIVIDE_BOXES && count == 2; i++)
    assert_int_equal(w[i].ghosts, 5 * 4); /* a plane of nodes, as in the model of docs/scaling.md */
  if (how == IG_DIVIDE_UNEVEN && count > 2) {
    assert_int_equal(w[0].owned, 1);
    assert_int_equal(w[count - 1].owned, 0);
  }
}

/* Ranks on several computers: pairs on one of them write into each other's memory, others send;
   where there is no such pair, it is said. */
static void near_and_far(const ig_mesh *mesh, int count, bool some) {
  ig_ranks *ranks[MOST];
  worker w[MOST];
  int64_t ghosts = 0, sent = 0;
  assert_int_equal(ig_ranks_threads(count, ranks), IG_OK);
  for (int i = 0; i < count; i++) {
    assert_int_equal(ig_ranks_ipc(ranks[i], "on"), IG_OK);
    snprintf(ranks[i]->host, sizeof ranks[i]->host, i == count - 1 ? "there" : "here");
    w[i] = (worker){.ranks = ranks[i],
                    .backend = "debug",
                    .mesh = mesh,
                    .how = IG_DIVIDE_RANDOM,
                    .item = 8,
                    .counted = counting_use(ranks[i])};
  }
  threads_sit(count, ranks, work, w, sizeof *w);
  for (int i = 0; i < count; i++) {
    assert_int_equal(w[i].status, IG_OK);
    assert_int_equal(w[i].wrong, 0);
    ghosts += w[i].ghosts;
    sent += w[i].sent;
  }
  assert_true(some ? sent < 8 * ghosts && sent > 8 * w[count - 1].ghosts : sent == 8 * ghosts);
  const char *words = some ? "ghosts straight into the other rank's device memory"
                           : "not straight into device memory: the ranks are on several computers";
  if (!strstr(w[0].chosen, words))
    fail_msg("'%s' lacks '%s'", w[0].chosen, words);
}

static void ghosts_are_their_owners(void **state) {
  (void)state;
  static const int counts[] = {1, 2, 3, 5, 7};
  static const size_t items[] = {4, 8, 24};
  ig_ctx *cx;
  ig_case *c;
  ig_mesh *mesh;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
  GOOD(cx, ig_case_new(cx, &c));
  GOOD(cx, ig_case_set(c, "physics", "thermal"));
  GOOD(cx, ig_case_set(c, "mesh", "{boxes: [{size: [3, 2, 2], cells: [7, 4, 3]}]}"));
  GOOD(cx, ig_case_mesh(c, &mesh));
  for (int b = 0; b < 2; b++)
    for (int k = 0; k < 5; k++) {
      for (int how = 0; how < 4 + ig_divide_has_metis(); how++)
        parts_check(mesh, counts[k], (ig_division)how, backend_of_test(b), items[(k + how) % 3]);
      parts_check(mesh, counts[k], IG_DIVIDE_BOXES, backend_of_test(b), items[k % 3]);
    }
  near_and_far(mesh, 2, false);
  near_and_far(mesh, 3, true);
  ig_mesh_free(mesh);
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* --- thermal */

/* a wall grows on a plate under a beam; enthalpy, powder, radiation, held nodes that get warmer */
static const char *const wall[] = {
    "physics",
    "thermal",
    "conduction",
    "classes",
    "mesh",
    "{boxes: [{name: plate, size: [6 mm, 3 mm, 1 mm], cells: [6, 3, 1]}, {name: wall, origin: [1 "
    "mm, 1 mm, 1 mm], size: [4 mm, 1 mm, 1 mm], cells: [4, 1, 2]}]}",
    "materials",
    "[{name: steel, density: 7900, conductivity: [[300, 15], [1700, 30]], powder_conductivity: 1, "
    "specific_heat: [[300, 450], [1700, 700]], solidus: 1658, liquidus: 1723, latent_heat: 2.7e5, "
    "absorptivity: 0.5}]",
    "duration",
    "0.24 s",
    "time_step",
    "2 ms",
    "boundary",
    "[{set: surface, convection: 20, emissivity: 0.4}, {set: zmin, temperature: [[0, 300], [0.24, "
    "400]]}]",
    "birth",
    "{by: bead, set: wall, width: 1.2 mm, height: 0.5 mm, lead: 0.5 mm}",
    "beams",
    "[{model: surface, radius: 0.6 mm, raster: {power: 200, speed: 50 mm/s, spacing: 1 mm, "
    "layer_height: 0.5 mm, base: 1 mm, layers: 2, dwell: 0.01, regions: [{min: [1 mm, 1 mm], max: "
    "[5 mm, 2 mm]}]}}]",
    "probes",
    "[{name: p, point: [2 mm, 1.5 mm, 1 mm]}]",
    "output",
    "{count: 3, history_every: 10}",
    NULL};

/* Voxels, in stencil form: a column grows on a block deep enough for nodes that have boxes all
   around; cells that are no cubes; values of a boundary that change, probes, several beams. */
#define VOXELS(cells, column)                                                                      \
  {                                                                                                \
    "physics", "thermal", "mesh",                                                                  \
        "{boxes: [{name: plate, size: [6 mm, 4 mm, 4 mm], cells: " cells                           \
        "}, {name: wall, origin: [1 mm, 1 mm, 4 mm], size: [4 mm, 2 mm, 2 mm], cells: " column     \
        "}]}",                                                                                     \
        "materials",                                                                               \
        "[{name: steel, density: 7900, conductivity: 20, specific_heat: 500, absorptivity: 0.5}]", \
        "duration", "0.2 s", "time_step", "2 ms", "boundary",                                      \
        "[{set: surface, convection: [[0, 20], [0.2, 60]], emissivity: 0.4}, {set: zmin, "         \
        "temperature: "                                                                            \
        "[[0, 300], [0.2, 400]]}]",                                                                \
        "birth", "{by: bead, set: wall, width: 2.4 mm, height: 0.7 mm, lead: 0.5 mm}", "beams",    \
        "[{model: surface, radius: 0.6 mm, raster: {power: 200, speed: 50 mm/s, spacing: 1 mm, "   \
        "layer_height: 0.5 mm, base: 4 mm, layers: 2, dwell: 0.01, regions: [{min: [1 mm, 1 mm], " \
        "max: "                                                                                    \
        "[5 mm, 3 mm]}]}}, {model: gaussian, radius: 1 mm, depth: 1.5 mm, raster: {power: 90, "    \
        "speed: "                                                                                  \
        "80 mm/s, spacing: 2 mm, layer_height: 1 mm, base: 4 mm, layers: 1, regions: [{min: [0, "  \
        "0], "                                                                                     \
        "max: [6 mm, 4 mm]}]}}]",                                                                  \
        "probes", "[{name: p, point: [2 mm, 1.5 mm, 3.2 mm]}]", "output",                          \
        "{count: 3, history_every: 10}", NULL                                                      \
  }
static const char *const cubes[] = VOXELS("[12, 8, 8]", "[8, 4, 4]");
static const char *const boxes[] = VOXELS("[18, 8, 6]", "[12, 4, 3]");

/* A column that ranks divide into slabs, whose ghosts are its first and last nodes: several steps
   go ahead where these do not reach, and nodes follow their elements. */
static const char *const column[] = {
    "physics",
    "thermal",
    "mesh",
    "{boxes: [{size: [4 mm, 3 mm, 90 mm], cells: [4, 3, 90]}]}",
    "materials",
    "[{name: steel, density: 7900, conductivity: 20, specific_heat: 500, absorptivity: 0.5}]",
    "duration",
    "0.2 s",
    "time_step",
    "2 ms",
    "boundary",
    "[{set: surface, convection: 20, emissivity: 0.4}, {set: zmax, temperature: 900}]",
    "beams",
    "[{model: gaussian, radius: 1 mm, depth: 1.5 mm, raster: {power: 90, speed: 80 mm/s, spacing: "
    "2 "
    "mm, layer_height: 1 mm, base: 45 mm, layers: 1, regions: [{min: [0, 0], max: [4 mm, 3 "
    "mm]}]}}]",
    "output",
    "{count: 3, history_every: 7}",
    NULL};

/* layers upon layers at one time: nodes inherit over two elements, or from none */
#define ALL_AT_ONCE "{by: list, temperature: inherited, list: [{set: wall, time: 0.1}]}"

/* Every number of ranks with some precision, division, form and backend. */
static void thermal_has_the_bits_of_one(void **state) {
  (void)state;
  static const divided_run run[] = {
      {2, wall, "double", "conduction", "recompute", IG_DIVIDE_CURVE},
      {3, wall, "single", NULL, NULL, IG_DIVIDE_CURVE},
      {4, wall, "mixed", "surface", "switch", IG_DIVIDE_RANDOM},
      {5, wall, "double", "latent", "apparent", IG_DIVIDE_UNEVEN},
      {7, wall, "single", "surface", "branch", IG_DIVIDE_RANDOM},
      {3, wall, "double", "dwell_change", "20", IG_DIVIDE_UNEVEN},
      {2, wall, "mixed", "birth.temperature", "melt", IG_DIVIDE_RANDOM},
      {2, cubes, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {3, cubes, "single", "dwell_change", "20", IG_DIVIDE_RANDOM},
      {5, boxes, "double", NULL, NULL, IG_DIVIDE_UNEVEN},
      {5, boxes, "mixed", "dwell_change", "20", IG_DIVIDE_CURVE},
      {3, boxes, "single", "body_source", "1e7", IG_DIVIDE_PLAN},
      {4, cubes, "double", "birth", ALL_AT_ONCE, IG_DIVIDE_RANDOM},
      {3, boxes, "mixed", "birth", ALL_AT_ONCE, IG_DIVIDE_CURVE},
      {5, wall, "double", "birth.temperature", "inherited", IG_DIVIDE_UNEVEN},
      {3, column, "single", NULL, NULL, IG_DIVIDE_BOXES},
      {2, column, "mixed", "dwell_change", "20", IG_DIVIDE_BOXES},
      {3, column, "single", "conduction", "classes", IG_DIVIDE_BOXES}};
  runs_have_the_bits_of_one(run, sizeof run / sizeof *run, -1);
}

/* The most that any rank of so many holds. */
static double most_of(const seat *like, int ranks) {
  const seat first = together(like, ranks, -1);
  return (double)(first.bytes > first.most_bytes ? first.bytes : first.most_bytes);
}

/* What a rank holds falls with their number, the first's too: N cells per side, of which a cut
   leaves half and one more. */
static void memory_falls_with_ranks(void **state) {
  (void)state;
  enum { N = 20 };
  static const char *const block[] = {
      "physics",
      "thermal",
      "conduction",
      "classes",
      "precision",
      "double",
      "mesh",
      "{boxes: [{size: [20 mm, 20 mm, 20 mm], cells: [20, 20, 20]}]}",
      "materials",
      "[{name: m, density: 7900, conductivity: 20, specific_heat: "
      "500}]",
      "duration",
      "0.01 s",
      "boundary",
      "[{set: zmin, temperature: 400}]",
      NULL};
  const seat like = {.base = block, .backend = "cpu"};
  /* nodes of a part over those of the whole; besides, its elements in two phases, lists and buffers
     of ghosts, space for batches; nothing of the whole */
  const double one = (double)alone(&like).bytes, half = (N / 2 + 2.) / (N + 1);
  const double few = 8. * (N / 2 + 1) * N * N + 24. * (N + 1) * (N + 3) + 32e3;
  const double share[] = {most_of(&like, 2) / one, most_of(&like, 4) / one};
  if (!(share[0] < half + few / one && share[1] < half * half + few / one && few < 0.04 * one))
    fail_msg("a rank of 2, of 4 has %.3f, %.3f of the bytes of one", share[0], share[1]);
}

/* Temperatures that a program changes and states that it keeps, though no rank has all of them. */
static void programs_look_and_go_back(void **state) {
  (void)state;
  programs_agree(wall);
  programs_agree(cubes);
}

static void what_cannot_be_divided_is_refused(void **state) {
  (void)state;
  static const refused_change bad[] = {{{"assembly"}, {"color"}, "assembly: gather"}};
  changes_are_refused(wall, bad, sizeof bad / sizeof *bad);
}

#ifdef INGOT_HAVE_IO
/* 3 -> 5 -> 1 in the middle of births; the checkpoint at the end is that of a run on one rank */
/* Boundary values from the snapshots of another run: held below, ambient above. */
static void fields_of_a_file_are_those_of_one(void **state) {
  (void)state;
#define PLATE                                                                                      \
  "physics", "thermal", "assembly", "gather", "conduction", "recompute", "precision", "double",    \
      "mesh", "{boxes: [{size: [6 mm, 4 mm, 2 mm], cells: [9, 6, 3]}]}", "materials",              \
      "[{name: m, density: 7900, conductivity: 20, specific_heat: 500}]", "duration", "0.2 s",     \
      "output", "{count: 2, history_every: 5}"
  static const char *const given[] = {
      PLATE, "boundary", "[{set: xmin, temperature: 700}, {set: ymax, flux: 1e6}]", NULL};
  char folder[] = "/tmp/ingot-given-XXXXXX", out[64], entries[512], command[128];
  assert_non_null(mkdtemp(folder));
  snprintf(out, sizeof out, "%s/out", folder);
  alone(&(seat){.base = given, .backend = backend_of_test(0), .out = out});
  snprintf(entries, sizeof entries,
           "[{set: zmin, from: [{time: 0, file: %s/snap_000000.vtkhdf, temperature: T}, "
           "{time: 0.2, file: %s/snap_000002.vtkhdf, temperature: T}]}, {set: [zmax, xmax], "
           "convection: 500, from: [{time: 0, file: %s/snap_000002.vtkhdf, ambient: T}]}]",
           out, out, out);
  const char *const base[] = {PLATE, "boundary", entries, NULL};
  for (int b = 0; b < 2; b++) {
    const seat like = {.base = base, .backend = backend_of_test(b), .how = IG_DIVIDE_RANDOM};
    assert_true(together(&like, 3, -1).seen == alone(&like).seen);
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static void checkpoints_go_from_any_number_to_any_other(void **state) {
  (void)state;
  static const char *const kept[] = {"T",     "H",      "node_ledger", "face_ledger", "solid",
                                     "track", "totals", "kept",        "melt_most",   NULL};
  restarts_agree(wall, backend_of_test(0), backend_of_test(1), 4, kept);
  restarts_agree(boxes, backend_of_test(0), backend_of_test(1), 4, kept);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_falls_with_ranks),
      cmocka_unit_test(ghosts_are_their_owners),
      cmocka_unit_test(thermal_has_the_bits_of_one),
      cmocka_unit_test(programs_look_and_go_back),
      cmocka_unit_test(what_cannot_be_divided_is_refused),
#ifdef INGOT_HAVE_IO
      cmocka_unit_test(fields_of_a_file_are_those_of_one),
      cmocka_unit_test(checkpoints_go_from_any_number_to_any_other),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
