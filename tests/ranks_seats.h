/* Runs on several ranks, as threads of this process, and on one; what the first of them sees. */
#ifndef IG_TEST_RANKS_SEATS_H
#define IG_TEST_RANKS_SEATS_H

#include "check.h"
#include "harsh_ranks.h"
#include "ingot_io.h"
#include "ranks_threads.h"
#include "ranks/partition.h"
#include <ingot/ingot.h>

#include <unistd.h>

static inline const char *backend_of_test(int i) {
  const char *asked = getenv("INGOT_TEST_BACKEND");
  return asked ? asked : i == 0 ? "cpu" : "debug";
}

/* The second backend divides by METIS, where it is there, instead of along the curve. */
static inline ig_division division_of_test(ig_division how, int backend) {
  return how <= IG_DIVIDE_CURVE && backend && ig_divide_has_metis() ? IG_DIVIDE_METIS : how;
}

typedef struct {
  ig_ranks *ranks;
  const char *const *base; /* the case: keys and values, NULL */
  const char *backend;
  const char *key[2], *value[2]; /* changes of the case; NULL: none */
  ig_division how;
  const char *out;
  bool resume;
  int stop_after; /* this rank asks to stop after so many portions, 0: never */
  ig_status status;
  char message[512];
  uint64_t seen; /* of all rows and snapshots */
  int rows, snapshots, left;
  int64_t first_cells, most_cells; /* of snapshots */
  size_t bytes, most_bytes; /* held on the device while it steps: by this rank; by another than 0 */
  size_t peak, most_peak;   /* the same of what was held at most, also in set-up */
  ig_ctx *cx;
} seat;

static inline void see(seat *s, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    s->seen = (s->seen ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
}
static void on_row(void *user, int columns, const char *const *names, const double *values) {
  seat *s = user;
  (void)names;
  s->rows++;
  see(s, values, (size_t)columns * sizeof *values);
}
static void on_snapshot(void *user, const ig_snapshot_view *v) {
  seat *s = user;
  s->first_cells = s->snapshots ? s->first_cells : v->cells;
  s->most_cells = v->cells > s->most_cells ? v->cells : s->most_cells;
  s->snapshots++;
  see(s, v->point, 3 * (size_t)v->points * sizeof *v->point);
  for (int i = 0; i < v->fields; i++) {
    const ig_snapshot_field *f = &v->field[i];
    const size_t count = (size_t)(f->where == IG_AT_POINTS ? v->points : v->cells);
    see(s, f->data,
        count * (size_t)f->components *
            (f->dtype == IG_F64  ? 8
             : f->dtype == IG_U8 ? 1
                                 : 4));
  }
}
static void on_progress(void *user, const ig_progress *p) {
  seat *s = user;
  (void)p;
  s->bytes = s->cx->device_bytes;
  s->peak = s->cx->device_peak;
  if (s->stop_after && --s->left == 0)
    ig_ctx_interrupt(s->cx);
}

static ig_status run_it(seat *s, ig_case *c) {
  for (int i = 0; s->base[i]; i += 2)
    IG_TRY(ig_case_set(c, s->base[i], s->base[i + 1]));
  for (int i = 0; i < 2 && s->key[i]; i++)
    IG_TRY(ig_case_set(c, s->key[i], s->value[i]));
  const ig_run_options options = {
      .out = s->out, .resume = s->resume, .user = s, .row = on_row, .snapshot = on_snapshot};
  return ig_run(c, &options);
}

static void *sit(void *user) {
  seat *s = user;
  ig_ctx *cx;
  ig_case *c;
  const ig_ctx_options options = {
      .backend = s->backend, .threads = 1, .ranks = s->ranks, .user = s, .progress = on_progress};
  s->left = s->stop_after;
  s->seen = 0xcbf29ce484222325u;
  s->status = ig_ctx_open(&options, &cx);
  s->cx = cx;
  if (s->ranks)
    s->ranks->division = (int)s->how;
  if (s->status == IG_OK)
    s->status = ig_case_new(cx, &c);
  if (s->status == IG_OK) {
    s->status = run_it(s, c);
    ig_case_close(c);
  }
  snprintf(s->message, sizeof s->message, "%s", ig_ctx_message(cx));
  ig_ctx_close(cx);
  return NULL;
}

/* One run on `count` ranks, as `like` says; what the first one saw. */
static inline seat together(const seat *like, int count, int stopper) {
  ig_ranks *ranks[MOST];
  seat s[MOST];
  assert_int_equal(ig_ranks_threads(count, ranks), IG_OK);
  for (int i = 0; i < count; i++) {
    if (like->how == IG_DIVIDE_RANDOM) /* also in what they may rely on */
      harsh_use(ranks[i]);
    if (strcmp(like->backend, "debug") == 0 && count % 2) /* through the host, or into each other */
      assert_int_equal(ig_ranks_ipc(ranks[i], "on"), IG_OK);
    s[i] = *like;
    s[i].ranks = ranks[i];
    s[i].out = i == 0 ? like->out : NULL;
    s[i].stop_after = i == stopper ? like->stop_after : 0;
  }
  threads_sit(count, ranks, sit, s, sizeof *s);
  for (int i = 0; i < count; i++) {
    if (i > 0 && s[i].bytes > s[0].most_bytes)
      s[0].most_bytes = s[i].bytes;
    if (i > 0 && s[i].peak > s[0].most_peak)
      s[0].most_peak = s[i].peak;
    if (s[i].status != s[0].status || (s[i].status != IG_OK && s[i].status != like->status))
      fail_msg("rank %d of %d: %s", i, count, s[i].message);
  }
  return s[0];
}

static inline seat alone(const seat *like) {
  seat s = *like;
  sit(&s);
  if (s.status != like->status)
    fail_msg("alone: %s", s.message);
  return s;
}

/* A number of ranks with some case, precision, change of the case and division. */
typedef struct {
  int ranks;
  const char *const *base;
  const char *precision, *key, *value;
  ig_division how;
} divided_run;

/* On both backends rows and snapshots have the bits of one rank; snapshots gain more than `opened`
   cells on the way (-1: they need not). Under sanitizers every other run, on one backend. */
static inline void runs_have_the_bits_of_one(const divided_run *run, size_t count, int64_t opened) {
  for (size_t i = 0; i < count; i += 1 + SANITIZED)
    for (int b = SANITIZED; b < 2; b++) {
      const seat like = {.base = run[i].base,
                         .backend = backend_of_test(b),
                         .key = {"precision", run[i].key},
                         .value = {run[i].precision, run[i].value},
                         .how = division_of_test(run[i].how, b)};
      const seat one = alone(&like), many = together(&like, run[i].ranks, -1);
      assert_true(one.rows > 1 && one.snapshots > 1);
      assert_true(one.most_cells - one.first_cells > opened);
      assert_int_equal(many.rows, one.rows);
      assert_int_equal(many.snapshots, one.snapshots);
      if (many.seen != one.seen)
        fail_msg("run %zu: %d ranks, %s, %s %s: other bits than one rank", i, run[i].ranks,
                 like.backend, run[i].precision, run[i].key ? run[i].value : "");
    }
}

/* A program that takes steps, changes velocities, temperatures or a design, and loads, goes on; all
   ranks see the same in the end. */
static void velocity_info(void *user, const ig_field_info *info) {
  if (strcmp(info->name, "velocity") == 0 || strcmp(info->name, "T") == 0 ||
      strcmp(info->name, "design") == 0)
    *(ig_field_info *)user = *info;
}
static inline ig_status velocities_change(seat *s, ig_case *c) {
  ig_sim *sim = NULL;
  ig_sim_state *before = NULL;
  ig_field_info info = {0};
  int loads = 0;
  for (int i = 0; s->base[i]; i += 2) {
    IG_TRY(ig_case_set(c, s->base[i], s->base[i + 1]));
    for (const char *at = s->base[i + 1]; *at && strcmp(s->base[i], "loads") == 0; at++)
      loads += *at == '{';
  }
  IG_TRY(ig_sim_open(c, NULL, &sim));
  ig_status status = ig_sim_step(sim, 6, NULL);
  for (int look = 0; look < 3 && status == IG_OK; look++) {
    if (look == 1) /* back to where velocities were changed: the third look sees the same */
      status = ig_sim_save(sim, &before);
    if (look == 2)
      status = ig_sim_restore(sim, before);
    ig_sim_fields(sim, velocity_info, &info);
    const int64_t count = info.count * info.components;
    double *v = calloc((size_t)count + 1, sizeof *v);
    status = status == IG_OK ? ig_sim_get(sim, info.name, v) : status;
    see(s, v, (size_t)count * sizeof *v);
    for (int64_t i = 0; i < count; i++)
      v[i] = 0.9 * v[i] + 1e-3 * (double)(i % 7);
    if (look == 0 && status == IG_OK)
      status = ig_sim_set(sim, info.name, v);
    if (strcmp(info.name, "design") == 0)
      loads = 0; /* which programs do not change */
    for (int load = 0; load < loads && look == 0 && status == IG_OK; load++)
      status = ig_sim_scale_load(sim, load, 0.5 + load);
    status = status == IG_OK ? ig_sim_step(sim, 9, NULL) : status;
    free(v);
  }
  ig_sim_state_free(before);
  ig_sim_close(sim);
  return status;
}
static void *program(void *user) {
  seat *s = user;
  ig_ctx *cx;
  ig_case *c = NULL;
  const ig_ctx_options options = {.backend = s->backend, .threads = 1, .ranks = s->ranks};
  s->seen = 0xcbf29ce484222325u;
  s->status = ig_ctx_open(&options, &cx);
  if (s->status == IG_OK)
    s->status = ig_case_new(cx, &c);
  if (s->status == IG_OK)
    s->status = velocities_change(s, c);
  ig_case_close(c);
  snprintf(s->message, sizeof s->message, "%s", ig_ctx_message(cx));
  ig_ctx_close(cx);
  return NULL;
}
static inline void programs_agree(const char *const *base) {
  enum { RANKS = 3 };
  ig_ranks *ranks[RANKS];
  seat one = {.base = base, .backend = backend_of_test(0)}, s[RANKS];
  program(&one);
  assert_int_equal(one.status, IG_OK);
  assert_int_equal(ig_ranks_threads(RANKS, ranks), IG_OK);
  for (int i = 0; i < RANKS; i++) {
    s[i] = one;
    s[i].ranks = ranks[i];
  }
  threads_sit(RANKS, ranks, program, s, sizeof *s);
  for (int i = 0; i < RANKS; i++) {
    if (s[i].status != IG_OK)
      fail_msg("rank %d: %s", i, s[i].message);
    assert_true(s[i].seen == one.seen);
  }
}

/* A change of a case that ranks refuse, with these words. */
typedef struct {
  const char *key[2], *value[2], *words;
} refused_change;
static inline void changes_are_refused(const char *const *base, const refused_change *bad,
                                       size_t count) {
  for (size_t i = 0; i < count; i++) {
    const seat like = {.base = base,
                       .backend = "cpu",
                       .status = IG_INPUT,
                       .key = {bad[i].key[0], bad[i].key[1]},
                       .value = {bad[i].value[0], bad[i].value[1]}};
    const seat s = together(&like, 2, -1);
    assert_int_equal(s.status, IG_INPUT);
    if (!strstr(s.message, bad[i].words))
      fail_msg("'%s' lacks '%s'", s.message, bad[i].words);
  }
}

#ifdef INGOT_HAVE_IO
#include <hdf5.h>

/* A mark of what a checkpoint holds of these arrays. */
static inline uint64_t checkpoint_seen(const char *folder, const char *const *name) {
  char path[128];
  seat s = {.seen = 0xcbf29ce484222325u};
  snprintf(path, sizeof path, "%s/checkpoint.h5", folder);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  int found = 0;
  for (int i = 0; name[i]; i++) {
    char whole[64];
    snprintf(whole, sizeof whole, "/checkpoint/%s", name[i]);
    if (H5Lexists(file, whole, H5P_DEFAULT) <= 0)
      continue;
    const hid_t set = H5Dopen2(file, whole, H5P_DEFAULT), type = H5Dget_type(set);
    const hid_t space = H5Dget_space(set);
    const size_t size = H5Tget_size(type) * (size_t)H5Sget_simple_extent_npoints(space);
    char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    see(&s, bytes, size);
    free(bytes);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    found++;
  }
  H5Fclose(file);
  assert_true(found >= 5);
  return s.seen;
}

/* 3 -> 5 -> 1 ranks, stopped after so many portions each, and 4 at once end with the checkpoint of
   one rank. `other`: backend of the runs on 3 and 5. */
static inline void restarts_agree(const char *const *base, const char *backend, const char *other,
                                  int stop_after, const char *const *kept) {
  char folder[] = "/tmp/ingot-ranks-XXXXXX", one[64], many[64], command[128];
  assert_non_null(mkdtemp(folder));
  snprintf(one, sizeof one, "%s/one", folder);
  snprintf(many, sizeof many, "%s/many", folder);
  alone(&(seat){.base = base, .backend = backend, .out = one});
  seat like = {.base = base,
               .backend = other,
               .out = many,
               .how = IG_DIVIDE_RANDOM,
               .stop_after = stop_after,
               .status = IG_INTERRUPTED};
  assert_int_equal(together(&like, 3, 2).status, IG_INTERRUPTED);
  like.resume = true;
  like.how = IG_DIVIDE_CURVE;
  assert_int_equal(together(&like, 5, 0).status, IG_INTERRUPTED);
  alone(&(seat){.base = base, .backend = backend, .out = many, .resume = true});
  if (checkpoint_seen(one, kept) != checkpoint_seen(many, kept))
    fail_msg("%s on 3 -> 5 -> 1 ranks ends with another checkpoint", base[1]);
  snprintf(many, sizeof many, "%s/four", folder);
  like = (seat){.base = base, .backend = backend, .out = many};
  assert_int_equal(together(&like, 4, -1).status, IG_OK);
  if (checkpoint_seen(one, kept) != checkpoint_seen(many, kept))
    fail_msg("%s on 4 ranks ends with another checkpoint", base[1]);
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}
#endif

#endif
