/* The finished part of a grid that is divided between ranks: pieces, cavities, islands, surface and
   shares inside are those of one rank, bit by bit, and no rank has more than its planes of it. */
#include "counted_memory.h"
#include "finished_part.h"
#include "harsh_ranks.h"
#include "ranks_threads.h"
#include "verify/topopt/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 7, NY = 6, NZ = 41, ELEMENTS = NX * NY * NZ, KINDS = 5 };

#define BODY                                                                                       \
  "grid: {elements: [7, 6, 41]}, ranks: divide, supports: [{box: {min: [0, 0, 0], max: [1, 6, "    \
  "0]}}], loads: [{box: {min: [7, 0, 20], max: [7, 6, 20]}, force: [0, 0, 1]}]"

typedef struct {
  ig_ranks *ranks;
  const char *text;
  int kind;
  found *to;
  bool divided;
  int64_t memory; /* taken while it looks, at most */
  ig_status status;
  char message[512];
} seat;

/* Noise; thin waves; bars along z through which holes go, loose ones among them; boxes in boxes;
   balls, some of them across every cut. */
static double density_at(int kind, int x, int y, int z) {
  uint32_t seed = (uint32_t)(x + NX * (y + NY * z)) * 2654435761U;
  seed = (seed ^ seed >> 16) * 73244475U;
  const double noise = (seed ^ seed >> 16) / 4294967296.0;
  switch (kind) {
  case 0:
    return noise;
  case 1:
    return 0.5 + 0.5 * sin(0.9 * x + 0.7 * y + 0.4 * z);
  case 2:
    return (x % 3 == 0 && y % 2 == 0 && z % 37 != 5) ? 0.9 : 0.1 * noise;
  case 3:
    return (x == 1 || x == 5 || y == 1 || y == 4 || z % 13 == 3) ? 1 : 0.2 * noise;
  case KINDS: /* nothing is solid */
    return 0.3;
  default:
    return hypot(hypot(x - 3, y - 2.5), (z % 8) - 3.5) < 2.4 ? 0.8 + 0.2 * noise : 0;
  }
}

static ig_status look(seat *s, ig_topopt_problem *t) {
  const ig_grid *g = &t->m->grid;
  const ig_discretisation *d = t->d;
  double *density = calloc((size_t)d->places, sizeof *density);
  double *share = calloc((size_t)d->places, sizeof *share);
  for (int k = 0; k < ig_grid_layers(g); k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++)
        density[ig_grid_place(g, i, j, k)] = density_at(s->kind, i, j, g->from + k);
  s->divided = ig_topopt_divided(d);
  const ig_status status =
      part_look(t->cx, d, density, s->kind == 2 || s->kind == KINDS ? 0.5 : NAN, share, s->to);
  for (int k = 0; k < ig_grid_layers(g); k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++) {
        const int e = i + NX * (j + NY * (g->from + k));
        s->to->left[e] = density[ig_grid_place(g, i, j, k)];
        s->to->share[e] = share[ig_grid_place(g, i, j, k)];
      }
  free(density);
  free(share);
  return status;
}

static void *sit(void *user) {
  seat *s = user;
  ig_ctx *cx;
  ig_topopt_problem t;
  s->status =
      ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1, .ranks = s->ranks}, &cx);
  if (s->status == IG_OK)
    s->status = ig_topopt_problem_open(cx, s->text, &t);
  if (s->status == IG_OK) {
    s->memory = peak = live;
    s->status = look(s, &t);
    s->memory = peak - s->memory;
    ig_topopt_problem_close(&t);
  }
  snprintf(s->message, sizeof s->message, "%s", ig_ctx_message(cx));
  ig_ctx_close(cx);
  return NULL;
}

static void same(const char *text, int kind, const int *counts, int tries) {
  found one, many;
  static seat s[MOST];
  found_new(&one, ELEMENTS);
  s[0] = (seat){.text = text, .kind = kind, .to = &one};
  sit(&s[0]);
  assert_string_equal(s[0].message, "");
  for (int k = 0; k < tries; k++) {
    ig_ranks *ranks[MOST];
    found_new(&many, ELEMENTS);
    assert_int_equal(ig_ranks_threads(counts[k], ranks), IG_OK);
    for (int i = 0; i < counts[k]; i++) {
      s[i] = (seat){.ranks = ranks[i], .text = text, .kind = kind, .to = &many};
      if (k == 0)
        harsh_use(ranks[i]);
    }
    threads_sit(counts[k], ranks, sit, s, sizeof *s);
    for (int i = 0; i < counts[k]; i++) {
      assert_string_equal(s[i].message, "");
      assert_true(s[i].divided);
    }
    found_same(&many, &one);
    found_free(&many);
  }
  found_free(&one);
}

/* Counts by flooding, which knows no ranks and no forest. */
static int64_t flooded(int kind, bool solid, bool closed) {
  static uint8_t seen[ELEMENTS];
  static int stack[ELEMENTS];
  int64_t pieces = 0;
  memset(seen, 0, sizeof seen);
  for (int e = 0; e < ELEMENTS; e++) {
    const int at[3] = {e % NX, e / NX % NY, e / NX / NY};
    int top = 0;
    bool open = false;
    if (seen[e] || (density_at(kind, at[0], at[1], at[2]) >= 0.5) != solid)
      continue;
    seen[stack[top++] = e] = 1;
    while (top > 0) {
      const int i = stack[--top], p[3] = {i % NX, i / NX % NY, i / NX / NY};
      static const int all[] = {NX, NY, NZ}, step[] = {1, NX, NX * NY};
      for (int d = 0; d < 6; d++) {
        int q[3] = {p[0], p[1], p[2]};
        q[d / 2] += d % 2 ? 1 : -1;
        if (q[d / 2] < 0 || q[d / 2] == all[d / 2]) {
          open = true;
          continue;
        }
        const int next = i + (d % 2 ? step[d / 2] : -step[d / 2]);
        if (seen[next] || (density_at(kind, q[0], q[1], q[2]) >= 0.5) != solid)
          continue;
        seen[stack[top++] = next] = 1;
      }
    }
    pieces += !closed || !open;
  }
  return pieces;
}

static void pieces_are_those_of_a_flood(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; kind++) {
    found one;
    found_new(&one, ELEMENTS);
    seat s = {.text = "{" BODY "}", .kind = kind, .to = &one};
    sit(&s);
    assert_string_equal(s.message, "");
    assert_int_equal(one.count[0], flooded(kind, true, false));
    assert_int_equal(one.count[1], flooded(kind, false, true));
    assert_true(kind != 0 || (one.count[1] > 0 && one.count[2] > 0 && one.count[3] > one.count[2]));
    found_free(&one);
  }
}

static void parts_have_the_bits_of_one(void **state) {
  (void)state;
  static const int counts[] = {3, 2, 5};
  for (int kind = 0; kind < KINDS; kind++)
    same("{" BODY "}", kind, counts, SANITIZED ? 1 : 3);
}

/* Images of slabs lie the other way round. */
static void mirrored_parts_have_them_too(void **state) {
  (void)state;
  static const int counts[] = {3, 4};
  for (int kind = 0; kind < KINDS; kind += 2) {
    same("{" BODY ", symmetry: [z+, x-]}", kind, counts, 1);
    same("{" BODY ", symmetry: [z-, y+]}", kind, counts + 1, 1);
  }
}

/* Where there is no skin: of 44 planes one rank has, 12 to 18 with ghosts on each of four, and
   lists of what meets at the cuts. */
static void no_rank_has_the_whole(void **state) {
  (void)state;
  enum { RANKS = 4 };
  found out;
  static seat one, s[RANKS];
  ig_ranks *ranks[RANKS];
  if (!COUNTED)
    skip();
  found_new(&out, ELEMENTS);
  one = (seat){.text = "{" BODY "}", .kind = KINDS, .to = &out};
  sit(&one);
  assert_int_equal(ig_ranks_threads(RANKS, ranks), IG_OK);
  for (int i = 0; i < RANKS; i++)
    s[i] = (seat){.ranks = ranks[i], .text = one.text, .kind = KINDS, .to = &out};
  threads_sit(RANKS, ranks, sit, s, sizeof *s);
  found_free(&out);
  for (int i = 0; i < RANKS; i++)
    if (s[i].memory > one.memory * 6 / 10)
      fail_msg("rank %d takes %lld bytes, %lld are for all", i, (long long)s[i].memory,
               (long long)one.memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_those_of_a_flood),
      cmocka_unit_test(parts_have_the_bits_of_one),
      cmocka_unit_test(mirrored_parts_have_them_too),
      cmocka_unit_test(no_rank_has_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
