/* The finished part of a mesh that is divided between ranks: pieces, cavities, islands, surface and
   shares inside are those of one rank, bit by bit, and no rank has more than its elements of it. */
#include "closed.h"
#include "counted_memory.h"
#include "finished_part.h"
#include "harsh_ranks.h"
#include "geometry/mesh_case.h"
#include "mesh/topology.h"
#include "ranks_threads.h"
#include "topopt/mesh/mesh_model.h"
#include "verify/topopt/problem.h"

enum { KINDS = 4, ALL = (1 << KINDS) - 1 };

typedef struct {
  ig_ranks *ranks;
  const char *backend, *text;
  const ig_mesh *mesh;
  int kinds; /* of designs, bits */
  found *to; /* one for each kind */
  bool divided;
  int64_t own, memory; /* elements; taken while it looks, at most */
  ig_status status;
  char message[512], warning[512];
} seat;

/* --- meshes --- */

static uint32_t mixed(uint32_t seed) {
  seed *= 2654435761U;
  seed = (seed ^ seed >> 16) * 73244475U;
  return seed ^ seed >> 16;
}

/* Numbers 0 … n - 1 in an order by chance. */
static ig_lid *shuffled(ig_lid n) {
  ig_lid *order = malloc((size_t)n * sizeof *order);
  for (ig_lid i = 0; i < n; i++) {
    const ig_lid other = (ig_lid)(mixed((uint32_t)i + 77) % ((uint32_t)i + 1));
    order[i] = order[other];
    order[other] = i;
  }
  return order;
}

/* Nodes and elements that are beside each other have numbers far from each other: almost every node
   is a ghost somewhere, and every face between two ranks. */
static void shuffle(ig_mesh *mesh) {
  const ig_lid n = mesh->nodes, count = mesh->block[0].count;
  const size_t npe = (size_t)ig_elem_info_get(mesh->block[0].type)->nodes;
  ig_lid *node = shuffled(n), *element = shuffled(count);
  double *x = malloc(3 * (size_t)n * sizeof *x);
  ig_lid *conn = malloc(npe * (size_t)count * sizeof *conn);
  for (ig_lid i = 0; i < n; i++)
    memcpy(&x[3 * node[i]], &mesh->x[3 * i], 3 * sizeof *x);
  for (ig_lid e = 0; e < count; e++)
    for (size_t a = 0; a < npe; a++)
      conn[npe * (size_t)element[e] + a] = node[mesh->block[0].conn[npe * (size_t)e + a]];
  memcpy(mesh->x, x, 3 * (size_t)n * sizeof *x);
  memcpy(mesh->block[0].conn, conn, npe * (size_t)count * sizeof *conn);
  free(node);
  free(element);
  free(x);
  free(conn);
}

/* A box from the origin to (7, 5, 20), its elements of no two shapes. */
static ig_mesh *box_of(ig_elem_type type, int x, int y, int z) {
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_box_case b = {.size = IG_ROW(7, 5, 20), .cells = IG_ROW(x, y, z)};
  const ig_mesh_case c = {
      .boxes = {1, &b}, .element = (int)type + 1, .jitter = {.at.given = true, .amount = 0.1}};
  ig_mesh *mesh;
  GOOD(cx, ig_mesh_generate(cx, &c, &mesh));
  assert_int_equal(mesh->blocks, 1);
  ig_ctx_close(cx);
  return mesh;
}

/* --- designs --- */

static void middle_of(const ig_mesh *mesh, ig_lid e, double *x) {
  const int npe = ig_elem_info_get(mesh->block[0].type)->nodes;
  ig_topopt_mesh_middle(mesh->block[0].type, mesh->x, mesh->block[0].conn + (size_t)npe * (size_t)e,
                        -1, x);
}

/* Noise; thin waves; bars along z, loose ones among them, and walls of boxes; balls along z. */
static double density_at(const ig_mesh *mesh, int kind, ig_lid e) {
  const double noise = mixed((uint32_t)e) / 4294967296.0;
  double x[3];
  middle_of(mesh, e, x);
  switch (kind) {
  case 0:
    return noise;
  case 1:
    return 0.5 + 0.5 * sin(1.1 * x[0] + 0.9 * x[1] + 0.8 * x[2]);
  case 2:
    return fmod(x[0], 3) < 1 || (fmod(x[1], 2) < 1 && fmod(x[2], 5) < 1.5) ? 0.9 : 0.1 * noise;
  case KINDS: /* nothing is solid */
    return 0.3;
  default:
    return hypot(hypot(x[0] - 3, x[1] - 2.5), fmod(x[2], 5) - 2.5) < 2 ? 0.8 + 0.2 * noise : 0;
  }
}

static ig_status look(seat *s, ig_topopt_problem *t, int kind) {
  const ig_topopt_mesh_model *m = t->d->self;
  const ig_lid from = m->part.divided ? m->part.cells.from : 0;
  const size_t n = (size_t)t->d->places;
  double *density = calloc(n + 1, sizeof *density), *share = calloc(n + 1, sizeof *share);
  for (size_t e = 0; e < n; e++)
    density[e] = density_at(s->mesh, kind, from + (ig_lid)e);
  const double level = kind == 2 || kind == KINDS ? 0.5 : NAN;
  const ig_status status = part_look(t->cx, t->d, density, level, share, &s->to[kind]);
  memcpy(s->to[kind].left + from, density, n * sizeof *density);
  memcpy(s->to[kind].share + from, share, n * sizeof *share);
  free(density);
  free(share);
  return status;
}

static void warned(void *user, ig_log_level level, const char *text) {
  seat *s = user;
  if (level == IG_LOG_WARN)
    snprintf(s->warning, sizeof s->warning, "%s", text);
}
static void line_drop(void *user, const char *label, const char *value) {
  (void)user, (void)label, (void)value;
}

static void *sit(void *user) {
  seat *s = user;
  ig_ctx *cx;
  ig_topopt_problem t;
  s->status = ig_ctx_open(&(ig_ctx_options){.backend = s->backend ? s->backend : "cpu",
                                            .threads = 1,
                                            .ranks = s->ranks,
                                            .log = warned,
                                            .user = s},
                          &cx);
  if (s->status == IG_OK)
    s->status = ig_topopt_problem_open_mesh(cx, s->text, s->mesh, &t);
  if (s->status == IG_OK) {
    s->divided = ig_topopt_divided(t.d);
    s->own = t.d->places;
    if (t.d->lighten) /* nothing of the whole is looked at from here on */
      t.d->lighten(t.d->self);
    s->status = ig_topopt_mesh_ranks_tell(cx, &t.c, t.d, IG_COLOR, line_drop, NULL);
    s->memory = peak = live;
    for (int kind = 0; kind <= KINDS && s->status == IG_OK; kind++)
      if (s->kinds >> kind & 1)
        s->status = look(s, &t, kind);
    s->memory = peak - s->memory;
    ig_topopt_problem_close(&t);
  }
  snprintf(s->message, sizeof s->message, "%s", ig_ctx_message(cx));
  ig_ctx_close(cx);
  return NULL;
}

static void sit_together(seat *s, const seat *like, int count, bool rough) {
  ig_ranks *ranks[MOST];
  assert_int_equal(ig_ranks_threads(count, ranks), IG_OK);
  for (int i = 0; i < count; i++) {
    s[i] = *like;
    s[i].ranks = ranks[i];
    if (rough)
      harsh_use(ranks[i]);
  }
  threads_sit(count, ranks, sit, s, sizeof *s);
  for (int i = 0; i < count; i++) {
    assert_string_equal(s[i].message, "");
    assert_true(s[i].divided);
  }
}

#define PULLED "loads: [{box: {min: [0, 0, 19.5], max: [7, 5, 20]}, force: [0, 1, 0]}]"
#define HELD "{supports: [{box: {min: [0, 0, 0], max: [1.5, 5, 0]}}], " PULLED
#define WARMED                                                                                     \
  "{problem: heat, supports: [{box: {min: [0, 0, 0], max: [1.5, 5, 0]}}], source: 1, symmetry: "   \
  "[x+, y-]}"

static void founds_new(found *f, const ig_mesh *mesh) {
  for (int kind = 0; kind <= KINDS; kind++)
    found_new(&f[kind], (size_t)ig_mesh_elements(mesh));
}
static void founds_free(found *f) {
  for (int kind = 0; kind <= KINDS; kind++)
    found_free(&f[kind]);
}

/* On one rank, then on each of these. Surfaces are closed, but for that of noise, which touches
   itself. */
static void same(const ig_mesh *mesh, const char *text, const int *counts, int tries, bool closed) {
  static seat s[MOST];
  found one[KINDS + 1], many[KINDS + 1];
  founds_new(one, mesh);
  s[0] = (seat){.text = text, .mesh = mesh, .kinds = ALL, .to = one};
  sit(&s[0]);
  assert_string_equal(s[0].message, "");
  for (int kind = 0; kind < KINDS; kind++) {
    assert_true(one[kind].part.triangles > 0);
    if (closed && kind > 0)
      assert_closed(&one[kind].part);
  }
  for (int k = 0; k < tries; k++) {
    founds_new(many, mesh);
    const seat like = {
        .text = text, .mesh = mesh, .kinds = ALL, .to = many, .backend = k == 0 ? "debug" : "cpu"};
    sit_together(s, &like, counts[k], k == 0);
    for (int kind = 0; kind < KINDS; kind++)
      found_same(&many[kind], &one[kind]);
    founds_free(many);
  }
  founds_free(one);
}

/* --- tests --- */

/* Counts by flooding, which knows no ranks and no forest. */
static int64_t flooded(const ig_mesh *mesh, const ig_adjacency *adj, int kind, bool solid,
                       bool closed) {
  const ig_lid n = ig_mesh_elements(mesh);
  const int faces = ig_elem_info_get(mesh->block[0].type)->faces;
  uint8_t *seen = calloc((size_t)n, 1);
  ig_lid *stack = malloc((size_t)n * sizeof *stack);
  int64_t pieces = 0;
  for (ig_lid e = 0; e < n; e++) {
    ig_lid top = 0;
    bool open = false;
    if (seen[e] || (density_at(mesh, kind, e) >= 0.5) != solid)
      continue;
    seen[stack[top++] = e] = 1;
    while (top > 0) {
      const ig_lid i = stack[--top];
      for (int f = 0; f < faces; f++) {
        const ig_lid next = adj->neighbor[i * faces + f];
        open = open || next < 0;
        if (next < 0 || seen[next] || (density_at(mesh, kind, next) >= 0.5) != solid)
          continue;
        seen[stack[top++] = next] = 1;
      }
    }
    pieces += !closed || !open;
  }
  free(seen);
  free(stack);
  return pieces;
}

static void pieces_are_those_of_a_flood(void **state) {
  (void)state;
  static const struct {
    ig_elem_type type;
    int n[3];
  } bodies[] = {{IG_HEX8, {7, 5, 31}}, {IG_TET4, {6, 5, 24}}, {IG_TET10, {4, 3, 9}}};
  for (int b = 0; b < 3; b++) {
    ig_mesh *mesh = box_of(bodies[b].type, bodies[b].n[0], bodies[b].n[1], bodies[b].n[2]);
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_adjacency adj;
    static seat s[3];
    shuffle(mesh);
    GOOD(cx, ig_mesh_adjacency(cx, mesh, &adj));
    found out[KINDS + 1];
    founds_new(out, mesh);
    const seat like = {.text = HELD "}", .mesh = mesh, .kinds = ALL, .to = out};
    sit_together(s, &like, 3, false);
    for (int kind = 0; kind < KINDS; kind++) {
      const int64_t *count = out[kind].count;
      assert_int_equal(count[0], flooded(mesh, &adj, kind, true, false));
      assert_int_equal(count[1], flooded(mesh, &adj, kind, false, true));
      assert_true(kind != 0 || (count[1] > 0 && count[2] > 0 && count[3] > count[2]));
    }
    founds_free(out);
    ig_adjacency_free(&adj);
    ig_ctx_close(cx);
    ig_mesh_free(mesh);
  }
}

/* 1,536 nodes and more in units of 512: on 5 ranks some have none. */
static void parts_have_the_bits_of_one(void **state) {
  (void)state;
  static const int counts[] = {3, 2, 5};
  static const struct {
    ig_elem_type type;
    int n[3];
  } bodies[] = {{IG_HEX8, {7, 7, 23}}, {IG_TET4, {7, 7, 23}}, {IG_TET10, {4, 3, 11}}};
  for (int b = 0; b < 3; b++)
    for (int by_chance = 0; by_chance < 2; by_chance++) {
      ig_mesh *mesh = box_of(bodies[b].type, bodies[b].n[0], bodies[b].n[1], bodies[b].n[2]);
      if (by_chance)
        shuffle(mesh);
      same(mesh, HELD "}", counts, SANITIZED ? 1 : 3, true);
      if (by_chance)
        same(mesh, HELD ", symmetry: [z+, x-]}", counts, 1, true);
      else
        same(mesh, WARMED, counts + 1, 1, true);
      ig_mesh_free(mesh);
    }
}

/* Elements that are there twice: three or four meet at their faces, on one rank or on several. */
static void junctions_have_them_too(void **state) {
  (void)state;
  static const int counts[] = {3, 5};
  const ig_elem_type type[] = {IG_HEX8, IG_TET4};
  for (int b = 0; b < 2; b++) {
    ig_mesh *mesh = box_of(type[b], 7, 7, 23);
    ig_block *block = &mesh->block[0];
    const size_t npe = (size_t)ig_elem_info_get(type[b])->nodes;
    const ig_lid n = block->count, more = 20;
    block->conn = realloc(block->conn, npe * (size_t)(n + more) * sizeof *block->conn);
    block->tag = realloc(block->tag, (size_t)(n + more) * sizeof *block->tag);
    for (ig_lid i = 0; i < more; i++) {
      memcpy(block->conn + npe * (size_t)(n + i), block->conn + npe * (size_t)(i * (n / more)),
             npe * sizeof *block->conn);
      block->tag[n + i] = 0;
    }
    block->count += more;
    for (int by_chance = 0; by_chance < 2; by_chance++) {
      if (by_chance)
        shuffle(mesh);
      same(mesh, HELD "}", counts, 2, false);
    }
    ig_mesh_free(mesh);
  }
}

/* Where there is no skin: a rank has its elements, those around them, and lists of what meets. */
static void no_rank_has_the_whole(void **state) {
  (void)state;
  enum { RANKS = 4 };
  static const ig_elem_type type[] = {IG_HEX8, IG_TET10};
  static seat one, s[RANKS];
  found out[KINDS + 1];
  if (!COUNTED)
    skip();
  for (int b = 0; b < 2; b++) {
    ig_mesh *mesh = box_of(type[b], b ? 4 : 8, b ? 4 : 8, b ? 48 : 96);
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_order order = {0};
    if (b) /* its middles are numbered behind all corners */
      GOOD(cx, ig_mesh_reorder(cx, mesh, &order));
    founds_new(out, mesh);
    one = (seat){.text = HELD "}", .mesh = mesh, .kinds = 1 << KINDS, .to = out};
    sit(&one);
    assert_string_equal(one.message, "");
    const seat like = one;
    sit_together(s, &like, RANKS, false);
    assert_string_equal(s[0].warning, "");
    for (int i = 0; i < RANKS; i++)
      if (s[i].memory > one.memory * 45 / 100)
        fail_msg("rank %d has %lld of %lld elements and takes %lld bytes, %lld are for all", i,
                 (long long)s[i].own, (long long)one.own, (long long)s[i].memory,
                 (long long)one.memory);
    ig_order_free(&order);
    founds_free(out);
    ig_ctx_close(cx);
    ig_mesh_free(mesh);
  }
}

static void far_numbers_are_told(void **state) {
  (void)state;
  static seat s[3];
  found out[KINDS + 1];
  ig_mesh *mesh = box_of(IG_TET10, 4, 3, 11);
  founds_new(out, mesh);
  const seat like = {.text = HELD "}", .mesh = mesh, .to = out};
  sit_together(s, &like, 3, false);
  assert_non_null(strstr(s[0].warning, "a rank computes 792 of 792 elements"));
  assert_non_null(strstr(s[0].warning, "order: curve"));
  founds_free(out);
  ig_mesh_free(mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_those_of_a_flood), cmocka_unit_test(parts_have_the_bits_of_one),
      cmocka_unit_test(junctions_have_them_too),     cmocka_unit_test(no_rank_has_the_whole),
      cmocka_unit_test(far_numbers_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
