/* The register of arrays (model/arrays.h): checkpoints, values for programs and rows of a model on
   ranks are those of one rank, byte by byte; what a rank takes back is right for its ghosts, too.
 */
#include "ranks_threads.h"
#include "model/arrays.h"
#include "ranks/ranks.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS = 10007, PAIR = 2, COLUMNS = 3, NONE = 5, SAVED = IG_ARRAY_SAVED };
enum { BLOCK = 4, WIDE = 3, FULL = (ITEMS + BLOCK - 1) / BLOCK * BLOCK }; /* items in blocks */

/* What the first rank found. */
typedef struct {
  uint64_t saved; /* bytes of the checkpoint, with names, types and counts */
  double sum;     /* of all rows, in their order */
  int64_t rows;
} found;

typedef struct {
  ig_ranks *ranks;
  const char *backend;
  found found;
  char wrong[256];
} seat;

/* A model of two places with the same items, the second with arrays in blocks: rank r has the items
 * r, r + ranks, ... and those beside them. */
typedef struct {
  int rank, ranks, count;
  int64_t room;
  int32_t *number;
  ig_collect own;
  ig_array adopted, kept, not_yet;
  ig_arrays arrays;
  const float *pair;
} model;

static ig_arrays_place place_of(const void *room, int place) {
  const model *m = room;
  if (place == 1)
    return (ig_arrays_place){FULL, m->count, FULL, m->ranks > 1 ? m->number : NULL};
  return (ig_arrays_place){m->room, m->count, ITEMS, m->ranks > 1 ? m->number : NULL};
}
static ig_status own_of(void *room, int place, const ig_collect **own) {
  (void)place;
  *own = &((model *)room)->own;
  return IG_OK;
}
/* Numbers of neighbours: of the part, and as the whole has them. */
typedef struct {
  const model *m;
  const int32_t *host;
  ig_stream_take *take;
  void *user;
} passing;
static void next_row(void *user, int64_t item, void *row) {
  const passing *p = user;
  *(int32_t *)row = p->m->number[p->host[item]];
}
static ig_status next_put(void *user, const void *rows, int64_t first, int64_t count) {
  const passing *p = user;
  (void)first;
  return p->take(p->user, rows, count);
}
static ig_status numbers_pass(void *room, const ig_arrays_entry *e, ig_stream_take *take,
                              void *user) {
  const model *m = room;
  void *host = NULL;
  const ig_status status = ig_arrays_pull(&m->arrays, e->def.name, &host);
  passing p = {m, host, take, user};
  return ig_arrays_rows(&m->arrays, 0, sizeof(int32_t), next_row, next_put, &p, status);
}

static bool near(const model *m, int32_t i, int reach) {
  for (int32_t k = i - reach; k <= i + reach; k++)
    if (k >= 0 && k < ITEMS && k % m->ranks == m->rank)
      return true;
  return false;
}

static ig_status model_new(ig_ctx *cx, model *m) {
  static const ig_arrays_room room = {place_of, own_of, numbers_pass};
  m->rank = ig_ranks_rank(cx->ranks);
  m->ranks = ig_ranks_count(cx->ranks);
  m->room = ITEMS;
  IG_TRY(IG_NEW(cx, &m->number, ITEMS, "test"));
  IG_TRY(IG_NEW(cx, &m->own.mine, ITEMS, "test"));
  IG_TRY(IG_NEW(cx, &m->own.whole, ITEMS, "test"));
  m->own.whole_count = ITEMS;
  for (int32_t i = 0; i < ITEMS; i++) {
    if (!near(m, i, 1))
      continue;
    if (near(m, i, 0)) {
      m->own.mine[m->own.mine_count] = m->count;
      m->own.whole[m->own.mine_count++] = i;
    }
    m->number[m->count++] = i;
  }
  IG_TRY(ig_alloc(cx, &m->kept.host, ITEMS, sizeof(double), "test"));
  IG_TRY(ig_array_new(cx, &m->adopted, (size_t)m->room, 1, "test"));
  const ig_array_def def[] = {
      {"pair", &m->pair, 0, PAIR, sizeof(float), .flags = SAVED | IG_ARRAY_GHOSTED},
      {"columns", NULL, 0, COLUMNS, 8, .flags = SAVED, .columns = COLUMNS, .dtype = IG_F64},
      {"next", NULL, 0, 1, 4, .flags = SAVED | IG_ARRAY_NUMBERS, .dtype = IG_I32},
      {"adopted", NULL, 0, 1, 1, .flags = SAVED, .dtype = IG_U8, .array = &m->adopted},
      {"none", NULL, IG_PLACE_NONE, NONE, 8, .flags = SAVED, .dtype = IG_F64},
      {"blocks", NULL, 1, WIDE, 4, .flags = SAVED, .dtype = IG_F32, .block = BLOCK},
      {"kept", NULL, 0, 1, 8, .flags = SAVED | IG_ARRAY_HOST, .dtype = IG_F64, .array = &m->kept},
      {"not yet", NULL, 0, 1, 8, .flags = SAVED, .dtype = IG_F64, .array = &m->not_yet},
      {"work", NULL, 0, 4, 8, .flags = IG_ARRAY_DEVICE}};
  ig_arrays_open(&m->arrays, cx, &room, m);
  return ig_arrays_add(&m->arrays, def, sizeof def / sizeof *def);
}

static void model_free(ig_ctx *cx, model *m) {
  ig_arrays_free(&m->arrays);
  ig_array_free(cx, &m->adopted);
  ig_array_free(cx, &m->kept);
  ig_collect_free(&m->own);
  free(m->number);
}

/* Values of item `number` of the whole; zeros make items that are not sent. */
static float pair_of(int64_t number, int k) {
  return number % 7 ? (float)(0.1 * (double)number + k) : 0;
}
static double column_of(int64_t number, int k) {
  return number % 5 ? (double)number / 3 + 1000 * k : 0;
}

/* Where value k of an item lies in blocks. */
static int64_t block_at(int64_t item, int k) {
  return item / BLOCK * BLOCK * WIDE + k * BLOCK + item % BLOCK;
}

/* `blank`: nothing, as before a checkpoint is read. */
static ig_status fill(model *m, bool blank) {
  float *pair = ig_arrays_at(&m->arrays, "pair")->host;
  double *column = ig_arrays_at(&m->arrays, "columns")->host;
  double *none = ig_arrays_at(&m->arrays, "none")->host;
  int32_t *next = ig_arrays_at(&m->arrays, "next")->host;
  uint8_t *byte = m->adopted.host;
  float *block = ig_arrays_at(&m->arrays, "blocks")->host;
  for (int32_t i = 0; i < m->count; i++) {
    const int32_t n = m->number[i];
    for (int k = 0; k < PAIR; k++)
      pair[PAIR * i + k] = blank ? -1 : pair_of(n, k);
    for (int k = 0; k < COLUMNS; k++)
      column[k * m->room + i] = blank ? -1 : column_of(n, k);
    for (int k = 0; k < WIDE; k++)
      block[block_at(i, k)] = blank ? -1 : pair_of(n, k);
    ((double *)m->kept.host)[i] = blank ? -1 : column_of(n, 1);
    next[i] = i + 1 < m->count ? i + 1 : i;
    byte[i] = blank ? 255 : (uint8_t)(n % 251);
  }
  for (int k = 0; k < NONE; k++)
    none[k] = blank ? -1 : 0.5 * k;
  return ig_arrays_push(&m->arrays);
}

/* What arrays have after a checkpoint was read; NULL: all is right. */
static const char *check(model *m) {
  void *pair, *column, *byte, *none, *block, *kept;
  if (ig_arrays_pull(&m->arrays, "pair", &pair) || ig_arrays_pull(&m->arrays, "none", &none) ||
      ig_arrays_pull(&m->arrays, "columns", &column) ||
      ig_arrays_pull(&m->arrays, "adopted", &byte) ||
      ig_arrays_pull(&m->arrays, "blocks", &block) || ig_arrays_pull(&m->arrays, "kept", &kept))
    return "arrays do not come";
  for (int32_t i = 0; i < m->count; i++) {
    const int32_t n = m->number[i];
    for (int k = 0; k < PAIR; k++)
      if (((float *)pair)[PAIR * i + k] != pair_of(n, k))
        return "pair";
    for (int k = 0; k < COLUMNS; k++)
      if (((double *)column)[k * m->room + i] != column_of(n, k))
        return "columns";
    for (int k = 0; k < WIDE; k++)
      if (((float *)block)[block_at(i, k)] != pair_of(n, k))
        return "blocks";
    if (((double *)kept)[i] != column_of(n, 1))
      return "kept";
    if (((uint8_t *)byte)[i] != n % 251)
      return "adopted";
  }
  for (int k = 0; k < NONE; k++)
    if (((double *)none)[k] != 0.5 * k)
      return "none";
  return NULL;
}

static void hash(uint64_t *h, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    *h = (*h ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
}

static void value_row(void *user, int64_t item, void *row) {
  const model *m = *(model **)user;
  *(double *)row = (double)m->number[item] * 0.3;
}
typedef struct {
  model *m;
  found *to;
} adding;
static ig_status value_add(void *user, const void *rows, int64_t first, int64_t count) {
  adding *a = user;
  if (first != a->to->rows)
    return IG_NUMERIC;
  for (int64_t i = 0; i < count; i++)
    a->to->sum += ((const double *)rows)[i];
  a->to->rows += count;
  return IG_OK;
}

/* A checkpoint from all ranks, to all ranks (as ig_restart_share gives it), and back. */
static ig_status saved_and_restored(ig_ctx *cx, model *m, found *to, const char **wrong) {
  ig_keeper keeper;
  int64_t mark = 42;
  const ig_saved own = {"mark", IG_I64, 1, &mark};
  ig_keeper_open(cx, &keeper);
  ig_status status = ig_arrays_save(&m->arrays, 1.5, 3, &own, 1, &keeper.sink);
  const ig_restart *kept = keeper.kept;
  to->saved = 0xcbf29ce484222325u;
  for (int i = 0; i < kept->count && status == IG_OK; i++) {
    const ig_saved *s = &kept->saved[i];
    hash(&to->saved, s->name, strlen(s->name));
    hash(&to->saved, s->data, (size_t)s->count * ig_dtype_size(s->dtype));
  }
  /* of the whole, which every rank has from the first */
  float *pair = calloc((size_t)ITEMS * PAIR, sizeof *pair),
        *block = calloc((size_t)FULL * WIDE, sizeof *block);
  double *column = calloc((size_t)ITEMS * COLUMNS, sizeof *column), none[NONE];
  uint8_t *byte = calloc(ITEMS, 1);
  int32_t *next = calloc(ITEMS, sizeof *next);
  for (int64_t n = 0; n < ITEMS; n++) {
    for (int k = 0; k < PAIR; k++)
      pair[PAIR * n + k] = pair_of(n, k);
    for (int k = 0; k < COLUMNS; k++)
      column[k * (int64_t)ITEMS + n] = column_of(n, k);
    byte[n] = (uint8_t)(n % 251);
    next[n] = (int32_t)(n + 1 < ITEMS ? n + 1 : n);
  }
  for (int64_t n = 0; n < FULL; n++) /* the last block is filled up with the last item */
    for (int k = 0; k < WIDE; k++)
      block[block_at(n, k)] = pair_of(n < ITEMS ? n : ITEMS - 1, k);
  for (int k = 0; k < NONE; k++)
    none[k] = 0.5 * k;
  ig_saved all[] = {{"pair", IG_F32, (int64_t)ITEMS * PAIR, pair},
                    {"columns", IG_F64, (int64_t)ITEMS * COLUMNS, column},
                    {"next", IG_I32, ITEMS, next},
                    {"adopted", IG_U8, ITEMS, byte},
                    {"none", IG_F64, NONE, none},
                    {"blocks", IG_F32, (int64_t)FULL * WIDE, block},
                    {"kept", IG_F64, ITEMS, column + ITEMS}};
  enum { ALL = sizeof all / sizeof *all };
  const ig_restart from = {.count = ALL, .saved = all};
  if (status == IG_OK)
    status = fill(m, true);
  if (status == IG_OK)
    status = ig_arrays_restore(&m->arrays, &from);
  *wrong = status == IG_OK ? check(m) : ig_ctx_message(cx);
  /* the first rank's has the same */
  for (int i = 0; i < ALL && ig_ranks_first(cx) && !*wrong; i++) {
    const void *data;
    if (ig_restart_find(cx, kept, all[i].name, all[i].dtype, all[i].count, &data) != IG_OK ||
        memcmp(data, all[i].data, (size_t)all[i].count * ig_dtype_size(all[i].dtype)) != 0)
      *wrong = all[i].name;
  }
  ig_restart_free(keeper.kept);
  free(pair);
  free(block);
  free(column);
  free(byte);
  free(next);
  return status;
}

/* Values of all items; doubled, they reach ghosts, too. */
static ig_status got_and_set(ig_ctx *cx, model *m, const char **wrong) {
  double *v;
  void *pair;
  IG_TRY(IG_NEW(cx, &v, (size_t)ITEMS * PAIR, "test"));
  ig_status status = ig_arrays_get(&m->arrays, "pair", v);
  for (int64_t i = 0; i < (int64_t)ITEMS * PAIR && status == IG_OK && !*wrong; i++) {
    if (v[i] != (double)pair_of(i / PAIR, (int)(i % PAIR)))
      *wrong = "values of all items";
    v[i] *= 2;
  }
  if (status == IG_OK)
    status = ig_arrays_set(&m->arrays, "pair", v);
  if (status == IG_OK)
    status = ig_arrays_pull(&m->arrays, "pair", &pair);
  for (int64_t i = 0; i < (int64_t)m->count * PAIR && status == IG_OK && !*wrong; i++)
    if (((float *)pair)[i] != 2 * pair_of(m->number[i / PAIR], (int)(i % PAIR)))
      *wrong = "values that were set";
  free(v);
  return status;
}

/* More rows: what is there stays, and pointers of kernels follow. */
static ig_status grown(model *m, const char **wrong) {
  ig_halo_array ghosts[IG_ARRAYS];
  const double bytes = ig_arrays_bytes(&m->arrays), more = ig_arrays_bytes_of(&m->arrays, 0, 100);
  void *pair;
  m->room += 100;
  IG_TRY(ig_arrays_grow(&m->arrays, 0));
  IG_TRY(ig_arrays_pull(&m->arrays, "pair", &pair));
  if (ig_arrays_bytes(&m->arrays) != bytes + more)
    *wrong = "bytes";
  if ((const void *)m->pair != ig_arrays_at(&m->arrays, "pair")->dev)
    *wrong = "the pointer of kernels";
  if (((float *)pair)[PAIR + 1] != 2 * pair_of(m->number[1], 1))
    *wrong = "contents of an array that has grown";
  if (ig_arrays_ghosts(&m->arrays, 0, ghosts) != 1 || ghosts[0].item != PAIR * sizeof(float))
    *wrong = "ghosts";
  return IG_OK;
}

static ig_status all_of_it(ig_ctx *cx, seat *s) {
  model m = {0};
  adding a = {&m, &s->found};
  const char *wrong = NULL;
  ig_status status = model_new(cx, &m);
  if (status == IG_OK)
    status = fill(&m, false);
  status = ig_arrays_rows(&m.arrays, 0, sizeof(double), value_row, value_add, &a, status);
  if (status == IG_OK)
    status = saved_and_restored(cx, &m, &s->found, &wrong);
  if (status == IG_OK)
    status = got_and_set(cx, &m, &wrong);
  if (status == IG_OK)
    status = grown(&m, &wrong);
  if (wrong || status != IG_OK)
    snprintf(s->wrong, sizeof s->wrong, "%s", wrong ? wrong : ig_ctx_message(cx));
  model_free(cx, &m);
  return status;
}

static void *sit(void *user) {
  seat *s = user;
  ig_ctx *cx;
  if (ig_ctx_open(&(ig_ctx_options){.backend = s->backend, .threads = 1, .ranks = s->ranks}, &cx) ==
          IG_OK &&
      all_of_it(cx, s) != IG_OK && !s->wrong[0])
    snprintf(s->wrong, sizeof s->wrong, "it failed");
  ig_ctx_close(cx);
  return NULL;
}

static void arrays_of_ranks_are_those_of_one(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    seat one = {.backend = *backend};
    sit(&one);
    assert_string_equal(one.wrong, "");
    assert_int_equal(one.found.rows, ITEMS);
    for (int count = 2; count <= 5; count += 3) {
      ig_ranks *ranks[MOST];
      seat s[MOST];
      assert_int_equal(ig_ranks_threads(count, ranks), IG_OK);
      for (int i = 0; i < count; i++)
        s[i] = (seat){.backend = *backend, .ranks = ranks[i]};
      threads_sit(count, ranks, sit, s, sizeof *s);
      for (int i = 0; i < count; i++)
        assert_string_equal(s[i].wrong, "");
      assert_int_equal(s[0].found.rows, ITEMS);
      assert_true(s[0].found.sum == one.found.sum);
      assert_true(s[0].found.saved == one.found.saved);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(arrays_of_ranks_are_those_of_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
