/* The heat engine is that of a part: on one rank the part is the mesh, without lists; on several it
   has the bits of one, also where a rank has no elements or no nodes at all. */
#include "check.h"
#include "ranks_threads.h"
#include "geometry/mesh_case.h"
#include "ranks/part.h"
#include "thermal/bins.h"
#include "thermal/heat_arrays.h"
#include "thermal/heat_make.h"
#include <ingot/ingot.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 4, NY = 3, NZ = 4, CELLS = NX * NY * NZ, BODY = (NX + 1) * (NY + 1) * (NZ + 1) };
enum { NODES = 2 * BODY, STEPS = 9 }; /* as many nodes again that no element has */

static double zero[] = {0}, hot[] = {300, 2000};
static double density[] = {8000}, conductivity[] = {15, 30}, heat[] = {500, 700};

typedef struct {
  ig_ranks *ranks;
  const char *backend;
  ig_division how;
  ig_heat_newborn newborn;
  /* found */
  double T[NODES], volume, area, brought, gap;
  int events;
  double born[8];
  ig_lid whole[9];
  int64_t own, elements, ghosts;
  size_t bytes;
} seat;

static ig_mesh *body(ig_ctx *cx) {
  ig_mesh *mesh;
  GOOD(cx, ig_mesh_box(cx, IG_HEX8, (double[3]){4e-3, 3e-3, 4e-3}, (int[3]){NX, NY, NZ}, &mesh));
  mesh->x = realloc(mesh->x, 3 * NODES * sizeof *mesh->x);
  for (int i = 0; i < 3 * BODY; i++)
    mesh->x[3 * BODY + i] = 1 + mesh->x[i]; /* far off */
  mesh->nodes = NODES;
  return mesh;
}

/* One rank: nothing but the counts of the mesh. */
static void part_is_mesh(const ig_heat *h) {
  const ig_heat_part *p = &h->part;
  assert_int_equal(p->of.ranks, 1);
  assert_null(p->of.node);
  assert_null(p->of.mesh);
  assert_null(h->ghost);
  assert_null(h->node_of);
  assert_null(h->cell_of);
  assert_null(p->nodes.mine);
  assert_null(p->cells.whole);
  assert_int_equal(p->halo.peers, 0);
  assert_int_equal(p->nodes.whole_count, NODES);
  assert_int_equal(p->cells.whole_count, CELLS);
  assert_int_equal(p->elements.whole_count, CELLS);
  assert_ptr_equal(h->birth.whole, h->birth.start);
}

static void look(ig_ctx *cx, ig_heat *h, seat *s) {
  ig_heat_ledger l;
  GOOD(cx, ig_heat_temperatures(cx, h, s->T));
  GOOD(cx, ig_heat_measure(cx, h, &s->volume, &s->area));
  GOOD(cx, ig_heat_born_content(cx, h, 400, &s->brought));
  GOOD(cx, ig_heat_ledger_read(cx, h, &l));
  s->gap = ig_heat_ledger_gap(&l);
  s->events = h->birth.events;
  memcpy(s->born, h->birth.time, (size_t)s->events * sizeof *s->born);
  memcpy(s->whole, h->birth.whole, ((size_t)s->events + 1) * sizeof *s->whole);
  s->own = h->part.nodes.mine_count;
  s->ghosts = h->part.of.ghosts;
  s->elements = h->elements;
  s->bytes = cx->device_bytes;
}

static void *sit(void *user) {
  seat *s = user;
  ig_ctx *cx = NULL;
  if (s->ranks)
    s->ranks->division = (int)s->how;
  GOOD(cx,
       ig_ctx_open(&(ig_ctx_options){.backend = s->backend, .threads = 1, .ranks = s->ranks}, &cx));
  ig_mesh *mesh = body(cx);
  ig_material_case steel;
  memset(&steel, 0, sizeof steel);
  steel.name = "steel";
  steel.density = (ig_table){1, zero, density};
  steel.conductivity = (ig_table){2, hot, conductivity};
  steel.specific_heat = (ig_table){2, hot, heat};
  steel.solidus = steel.liquidus = steel.emissivity = NAN;
  const ig_material_case *material = &steel;
  double birth[CELLS];
  for (int e = 0; e < CELLS; e++)
    birth[e] = e < 2 * NX * NY ? -INFINITY : e < 3 * NX * NY ? 2e-4 : 2e-4 + 1e-4 * (1 + e % 3);
  const ig_heat_condition condition[2] = {
      {.faces = ig_mesh_find_set(mesh, "zmin", IG_SET_FACES),
       .temperature = 700,
       .flux = NAN,
       .h = NAN,
       .emissivity = NAN,
       .ambient = NAN},
      {.temperature = NAN, .flux = NAN, .h = 2e4, .emissivity = 0.5, .ambient = NAN}};
  const ig_heat_setup setup = {.mesh = mesh,
                               .precision = IG_DOUBLE,
                               .assembly = IG_GATHER,
                               .conduction = IG_HEAT_CLASSES,
                               .surface = IG_HEAT_LUMPED,
                               .enthalpy = true,
                               .materials = 1,
                               .material = &material,
                               .birth = birth,
                               .conditions = 2,
                               .condition = condition,
                               .initial = 1000,
                               .ambient = 300,
                               .newborn = s->newborn};
  ig_heat h;
  GOOD(cx, ig_heat_new(cx, &setup, &h));
  if (!s->ranks)
    part_is_mesh(&h);
  GOOD(cx, ig_heat_begin(cx, &h));
  for (int i = 0; i < STEPS; i++) {
    GOOD(cx, ig_heat_batch_births(cx, &h, i * 1e-4));
    GOOD(cx, ig_heat_batch_source(cx, &h, (NX + 1) * (NY + 1) * 2 + i, 3.0)); /* W */
    GOOD(cx, ig_heat_batch_step(cx, &h, 1e-4));
    if (i % 4 == 3)
      GOOD(cx, ig_heat_batch_run(cx, &h));
  }
  GOOD(cx, ig_heat_batch_run(cx, &h));
  look(cx, &h, s);
  ig_heat_free(cx, &h);
  ig_mesh_free(mesh);
  ig_ctx_close(cx);
  return NULL;
}

static void same(const seat *one, const seat *s) {
  assert_memory_equal(one->T, s->T, sizeof one->T);
  assert_true(one->volume == s->volume && one->area == s->area);
  assert_true(one->brought == s->brought && one->gap == s->gap);
  assert_int_equal(one->events, s->events);
  assert_memory_equal(one->born, s->born, (size_t)one->events * sizeof *one->born);
  assert_memory_equal(one->whole, s->whole, ((size_t)one->events + 1) * sizeof *one->whole);
}

static void try(int count, ig_division how, ig_heat_newborn newborn, const char *backend) {
  static seat one, seats[5];
  ig_ranks *ranks[5];
  one = (seat){.backend = backend, .newborn = newborn};
  sit(&one);
  assert_near(one.volume / (4e-3 * 3e-3 * 4e-3), 1, 1e-12);
  assert_near(one.area / (2 * (12e-6 + 16e-6 + 12e-6)), 1, 1e-12);
  assert_near(one.T[NODES - 1], 1000, 0);
  assert_int_equal(ig_ranks_threads(count, ranks), IG_OK);
  for (int i = 0; i < count; i++)
    seats[i] = (seat){.ranks = ranks[i], .backend = backend, .how = how, .newborn = newborn};
  threads_sit(count, ranks, sit, seats, sizeof *seats);
  int64_t own = 0;
  bool bare = false;
  for (int i = 0; i < count; i++) {
    same(&one, &seats[i]);
    own += seats[i].own;
    bare |= seats[i].elements == 0;
  }
  assert_int_equal(own, NODES);
  if (how == IG_DIVIDE_CURVE || how == IG_DIVIDE_UNEVEN)
    assert_true(bare); /* some rank has no element, and its nodes or none */
}

static void parts_have_the_bits_of_the_mesh(void **state) {
  (void)state;
  for (int b = 0; b < 2; b++) {
    const char *backend = b ? "debug" : "cpu";
    try(2, IG_DIVIDE_CURVE, IG_BORN_AMBIENT, backend);
    try(3, IG_DIVIDE_RANDOM, IG_BORN_INHERITED, backend);
    try(5, IG_DIVIDE_UNEVEN, IG_BORN_INHERITED, backend);
  }
}

/* Places of a part lie in the bins that they lie in with all others. */
static void bins_are_those_of_all(void **state) {
  (void)state;
  enum { ALL = 500, SOME = 120, FROM = 200 };
  ig_ctx *cx = ctx_on("cpu", 1);
  double place[3 * ALL];
  for (int i = 0; i < 3 * ALL; i++)
    place[i] = fmod(0.618033988749895 * (i + 1), 1) * (1 + i % 3);
  ig_bins all, some;
  const ig_bins_extent extent = ig_bins_extent_of(ALL, place);
  GOOD(cx, ig_bins_new(cx, &all, ALL, place, 0.25));
  GOOD(cx, ig_bins_within(cx, &some, &extent, SOME, place + 3 * FROM, 0.25));
  int found = 0;
  for (int k = 0; k < some.cells[2]; k++)
    for (int j = 0; j < some.cells[1]; j++)
      for (int i = 0; i < some.cells[0]; i++) {
        const int64_t bin = ig_bins_at(&some, i, j, k), whole = ig_bins_of_all(&some, i, j, k);
        int32_t at = all.start[whole];
        for (int32_t n = some.start[bin]; n < some.start[bin + 1]; n++, found++) {
          while (at < all.start[whole + 1] && all.item[at] != some.item[n] + FROM)
            at++;
          assert_true(at < all.start[whole + 1]); /* there, and in that order */
        }
      }
  assert_int_equal(found, SOME);
  int from[3], to[3];
  const double low[3] = {0.2, 0.3, 0.4}, high[3] = {0.9, 1.7, 2.1};
  assert_true(ig_bins_range(&some, low, high, from, to));
  for (int d = 0; d < 3; d++)
    assert_true(from[d] >= 0 && from[d] <= to[d] && to[d] < some.cells[d]);
  assert_false(ig_bins_range(&some, (double[3]){5, 5, 5}, (double[3]){6, 6, 6}, from, to));
  ig_bins_free(&all);
  ig_bins_free(&some);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_have_the_bits_of_the_mesh),
      cmocka_unit_test(bins_are_those_of_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
