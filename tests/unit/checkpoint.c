/* Checkpoints: read back whole or refused by name, whatever happened to the file; and a run killed
   at any moment goes on from its last one to the same end. */
#include "folder.h"
#include "io/result/checkpoint.h"
#include "io/format/crc.h"
#include "io/format/h5.h"
#include "io/result/sink.h"
#include "io/result/vtkhdf.h"

#include <signal.h>
#include <sys/wait.h>

static double data_T[5] = {1, 2, 3, 4, 5};
static float data_v[2] = {0.5f, -1};
static int32_t data_i[1] = {-7};
static int64_t data_l[1] = {1LL << 50};
static uint8_t data_b[3] = {0, 1, 255};
static const ig_saved all[] = {{"T", IG_F64, 5, data_T},    {"v", IG_F32, 2, data_v},
                               {"i", IG_I32, 1, data_i},    {"l", IG_I64, 1, data_l},
                               {"alive", IG_U8, 3, data_b}, {"nothing", IG_F64, 0, data_T}};
enum { ALL = sizeof all / sizeof *all };
static const ig_checkpoint_head head = {.time = 0.1, .step = 12, .fingerprint = 0xfedcba9876543210};

typedef ig_status reading(ig_ctx *cx, const char *path, uint64_t fingerprint, ig_restart **restart);

static void arrays_read_back_by(reading *read) {
  ig_ctx *cx = ctx_on("cpu", 1);
  char *folder = folder_new();
  const char *path = in_folder(folder, "checkpoint.h5");
  ig_restart *restart = NULL;
  GOOD(cx, ig_checkpoint_write(cx, path, &head, all, ALL, NULL));
  GOOD(cx, read(cx, path, head.fingerprint, &restart));
  assert_true(restart->time == head.time);
  assert_int_equal(restart->step, 12);
  for (int i = 0; i < ALL; i++) {
    const void *data;
    GOOD(cx, ig_restart_find(cx, restart, all[i].name, all[i].dtype, all[i].count, &data));
    assert_memory_equal(data, all[i].data, (size_t)all[i].count * ig_dtype_size(all[i].dtype));
  }
  const void *data;
  int64_t count;
  BAD(cx, ig_restart_find(cx, restart, "T", IG_F32, 5, &data), "'T' is float64, expected float32");
  assert_null(data);
  BAD(cx, ig_restart_find(cx, restart, "T", IG_F64, 6, &data), "'T' has 5 items, expected 6");
  BAD(cx, ig_restart_find(cx, restart, "U", IG_F64, 5, &data), "has no array 'U'");
  GOOD(cx, ig_restart_find_any(cx, restart, "alive", IG_U8, &count, &data));
  assert_int_equal(count, 3);
  ig_restart_free(restart);
  folder_remove(folder);
  ig_ctx_close(cx);
}

static void arrays_read_back(void **state) {
  (void)state;
  arrays_read_back_by(ig_checkpoint_read);
  arrays_read_back_by(ig_checkpoint_open);
}

/* Some items of an array, when they are asked for; a file that has changed since is told. */
static void pieces_read_back(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  char *folder = folder_new();
  const char *path = in_folder(folder, "checkpoint.h5");
  ig_restart *restart = NULL;
  ig_saved *saved;
  double some[2];
  GOOD(cx, ig_checkpoint_write(cx, path, &head, all, ALL, NULL));
  GOOD(cx, ig_checkpoint_open(cx, path, head.fingerprint, &restart));
  GOOD(cx, ig_restart_look(cx, restart, "T", IG_F64, 5, &saved));
  assert_null(saved->data);
  GOOD(cx, restart->read(cx, restart, saved, 2, 2, some));
  for (int i = 0; i < ALL; i++)
    if (strcmp(all[i].name, "T") == 0)
      assert_memory_equal(some, (const double *)all[i].data + 2, sizeof some);
  BAD(cx, restart->read(cx, restart, saved, 4, 2, some), "is no list as long as it was");
  folder_remove(folder);
  BAD(cx, restart->read(cx, restart, saved, 0, 1, some), "cannot open");
  ig_restart_free(restart);
  ig_ctx_close(cx);
}

static void refused(ig_ctx *cx, const char *path, uint64_t fingerprint, const char *words) {
  reading *const by[] = {ig_checkpoint_read, ig_checkpoint_open};
  for (int i = 0; i < 2; i++) {
    ig_restart *restart = NULL;
    assert_int_equal(by[i](cx, path, fingerprint, &restart), IG_INPUT);
    assert_null(restart);
    SAYS(cx, path);
    SAYS(cx, words);
  }
}

static void wrong_files_are_refused(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  char *folder = folder_new();
  const char *path = in_folder(folder, "checkpoint.h5");
  refused(cx, path, 0, "No such file");
  refused(cx, folder, 0, "is not a file");
  file_write(path, "", 0);
  refused(cx, path, 0, "not a file written by Ingot");
  GOOD(cx, ig_checkpoint_write(cx, path, &head, all, ALL, NULL));
  refused(cx, path, 1, "was written by another case");
  size_t size;
  char *bytes = file_read(path, &size);
  file_write(path, bytes + 512, size - 512); /* HDF5 still, but nobody vouches for it */
  refused(cx, path, head.fingerprint, "not a file written by Ingot");
  file_write(path, bytes, size - 1);
  refused(cx, path, head.fingerprint, "is cut short");
  free(bytes);

  ig_checkpoint_head wrong = head;
  wrong.time = NAN;
  GOOD(cx, ig_checkpoint_write(cx, path, &wrong, all, ALL, NULL));
  refused(cx, path, head.fingerprint, "time nan at step 12");
  wrong = head;
  wrong.step = -1;
  GOOD(cx, ig_checkpoint_write(cx, path, &wrong, all, ALL, NULL));
  refused(cx, path, head.fingerprint, "step -1");

  /* sealed and sound, but something else: a snapshot; an earlier format; a lying checksum */
  ig_snapshot *snap;
  GOOD(cx, ig_snapshot_new(cx, 1, 0, 0, 0, 0, &snap));
  GOOD(cx, ig_snapshot_write(cx, snap, path, 4));
  ig_snapshot_free(snap);
  refused(cx, path, head.fingerprint, "is not a checkpoint");
  for (int what = 0; what < 3; what++) {
    const int64_t format = what == 0 ? 1 : 2, step = 1, print = 7, crc = 99;
    const double time = 0;
    ig_h5 h5;
    GOOD(cx, ig_h5_create(cx, path, &h5));
    GOOD(cx, ig_h5_group(&h5, "checkpoint"));
    GOOD(cx, ig_h5_put_numbers(&h5, "checkpoint", "format", IG_I64, 0, &format));
    GOOD(cx, ig_h5_put_text(&h5, "checkpoint", "version", "9.8"));
    GOOD(cx, ig_h5_put_numbers(&h5, "checkpoint", "fingerprint", IG_I64, 0, &print));
    GOOD(cx, ig_h5_put_numbers(&h5, "checkpoint", "time", IG_F64, 0, &time));
    if (what != 1)
      GOOD(cx, ig_h5_put_numbers(&h5, "checkpoint", "step", IG_I64, 0, &step));
    GOOD(cx, ig_h5_put(&h5, "checkpoint/T", IG_F64, 5, 0, data_T));
    GOOD(cx, ig_h5_put_numbers(&h5, "checkpoint/T", "crc32", IG_I64, 0, &crc));
    GOOD(cx, ig_h5_save(&h5));
    ig_h5_close(&h5);
    static const char *const words[] = {"checkpoint format 1 of Ingot 9.8, commit ?; this Ingot ",
                                        "'step' is missing", "array 'T' is damaged"};
    const int before = cx->warnings;
    refused(cx, path, 7, words[what]);
    assert_int_equal(cx->warnings > before, what == 2); /* of another program, sound so far */
  }
  folder_remove(folder);
  ig_ctx_close(cx);
}

/* Every cut and every flipped byte is noticed before HDF5 sees it. */
static void damage_is_noticed(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  char *folder = folder_new();
  const char *path = in_folder(folder, "checkpoint.h5"), *grid = in_folder(folder, "a.vtkhdf");
  GOOD(cx, ig_checkpoint_write(cx, path, &head, all, ALL, NULL));
  size_t size;
  char *bytes = file_read(path, &size);
  for (size_t i = 0; i < size; i += 1 + i / 64) {
    bytes[i] ^= (char)(1 << (i % 8));
    file_write(path, bytes, size);
    bytes[i] ^= (char)(1 << (i % 8));
    refused(cx, path, head.fingerprint, "");
    file_write(path, bytes, i);
    refused(cx, path, head.fingerprint, "");
  }
  free(bytes);

  ig_snapshot *snap;
  GOOD(cx, ig_snapshot_new(cx, 5, 0, 0, 1, 1, &snap));
  GOOD(cx, ig_snapshot_add(snap, "T", "K", IG_AT_POINTS, IG_F64, 1, data_T, NULL));
  GOOD(cx, ig_snapshot_write(cx, snap, grid, 4));
  ig_snapshot_free(snap);
  bytes = file_read(grid, &size);
  for (size_t i = 20; i < size; i += 1 + i / 64) { /* behind the words that say it is sealed */
    bytes[i] ^= (char)(1 << (i % 8));
    file_write(grid, bytes, size);
    bytes[i] ^= (char)(1 << (i % 8));
    assert_int_equal(ig_snapshot_read(cx, grid, &snap), IG_INPUT);
    assert_null(snap);
    SAYS(cx, grid);
  }
  free(bytes);
  folder_remove(folder);
  ig_ctx_close(cx);
}

/* --- kill -9 */

enum { POINTS = 300 };

/* A run of a kind: each step maps the state on to the next. Goes on from the folder's checkpoint.
   Returns only when it has done `last` steps. */
static ig_status little_run(ig_ctx *cx, const char *folder, int64_t last) {
  static const char *const names[] = {"step", "x0"};
  double x[POINTS];
  for (int i = 0; i < POINTS; i++)
    x[i] = i;
  int64_t step = 0;
  ig_restart *restart = NULL;
  const char *path = in_folder(folder, "checkpoint.h5");
  if (file_exists(path)) {
    const void *data;
    IG_TRY(ig_checkpoint_read(cx, path, 3, &restart));
    IG_TRY(ig_restart_find(cx, restart, "x", IG_F64, POINTS, &data));
    memcpy(x, data, sizeof x);
    step = restart->step;
  }
  ig_sink *sink;
  IG_TRY(ig_sink_open(cx, folder,
                      &(ig_sink_options){.fingerprint = 3, .compression = 1, .restart = restart},
                      &sink));
  ig_restart_free(restart);
  while (step < last) {
    for (int i = 0; i < POINTS; i++)
      x[i] = sin(x[i]) + i;
    step++;
    const double row[] = {(double)step, x[0] + x[1]};
    IG_TRY(sink->history(sink, 2, names, row));
    if (step % 3 == 0) {
      ig_snapshot *snap;
      IG_TRY(ig_snapshot_new(cx, POINTS, 0, 0, (double)step, step, &snap));
      IG_TRY(ig_snapshot_add(snap, "x", "m", IG_AT_POINTS, IG_F64, 1, x, NULL));
      IG_TRY(sink->snapshot(sink, snap));
    }
    if (step % 5 == 0 || step == last) {
      const ig_saved saved[] = {{"x", IG_F64, POINTS, x}};
      IG_TRY(sink->checkpoint(sink, (double)step, step, saved, 1));
    }
  }
  IG_TRY(sink->flush(sink));
  ig_sink_close(sink);
  return IG_OK;
}

static pid_t start(const char *folder, int64_t last) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    ig_ctx *cx = ctx_on("cpu", 1);
    const ig_status status = little_run(cx, folder, last);
    if (status != IG_OK)
      fprintf(stderr, "little run: %s\n", ig_ctx_message(cx));
    _exit((int)status);
  }
  return child;
}

/* All that is in the folder is whole; returns the checkpoint's step, 0 if there is none yet. */
static int64_t all_whole(ig_ctx *cx, const char *folder) {
  int64_t step = 0;
  const char *path = in_folder(folder, "checkpoint.h5");
  if (file_exists(path)) {
    ig_restart *restart = NULL;
    GOOD(cx, ig_checkpoint_read(cx, path, 3, &restart));
    step = restart->step;
    ig_restart_free(restart);
  }
  int64_t snapshots = 0;
  for (;; snapshots++) {
    char name[64];
    snprintf(name, sizeof name, "snap_%06d.vtkhdf", (int)snapshots);
    if (!file_exists(in_folder(folder, name)))
      break;
    ig_snapshot *snap = NULL;
    GOOD(cx, ig_snapshot_read(cx, in_folder(folder, name), &snap));
    assert_int_equal(snap->step, 3 * (snapshots + 1));
    ig_snapshot_free(snap);
  }
  assert_true(snapshots >= step / 3); /* a checkpoint never runs ahead of the snapshots */
  if (snapshots && file_exists(in_folder(folder, "snap.vtkhdf.series"))) {
    char *text = file_read(in_folder(folder, "snap.vtkhdf.series"), NULL);
    for (const char *p = text; (p = strstr(p, "snap_")); p++) {
      char name[64] = "";
      sscanf(p, "%63[^\"]", name);
      assert_true(file_exists(in_folder(folder, name)));
    }
    free(text);
  }
  return step;
}

static void a_killed_run_goes_on_to_the_same_end(void **state) {
  (void)state;
  enum { KILLS = 20 };
  char *killed = folder_new(), *whole = folder_new();
  unsigned seed = 5;
  int64_t step = 0;
  int status;
  ig_ctx *cx = ctx_on("cpu", 1);
  const double began = ig_now();
  const pid_t first = start(killed, 10); /* how long a beginning takes here */
  assert_int_equal(waitpid(first, &status, 0), first);
  const double beginning = ig_now() - began;
  /* and longer each time where a busy machine has let none come far */
  for (int k = 0; k < KILLS || (step <= 10 && k < 5 * KILLS); k++) {
    const pid_t child = start(killed, INT64_MAX);
    usleep((useconds_t)(1e6 * beginning * 3 * (1 + k / KILLS) * rand_r(&seed) / RAND_MAX));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status)); /* it did not end by itself, that is, badly */
    const int64_t now = all_whole(cx, killed);
    assert_true(now >= step);
    step = now;
  }
  assert_true(step > 10);
  const int64_t last = step + 17;
  for (int i = 0; i < 2; i++) {
    const pid_t child = start(i ? whole : killed, last);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == IG_OK);
  }
  assert_int_equal(all_whole(cx, killed), last);
  char snapshot[64];
  snprintf(snapshot, sizeof snapshot, "snap_%06d.vtkhdf", (int)(last / 3) - 1);
  const char *const same[] = {"history.csv", "snap.vtkhdf.series", snapshot};
  for (int i = 0; i < 3; i++) {
    size_t a, b;
    char *one = file_read(in_folder(killed, same[i]), &a),
         *two = file_read(in_folder(whole, same[i]), &b);
    assert_int_equal(a, b);
    assert_memory_equal(one, two, a);
    free(one);
    free(two);
  }
  const void *x, *y;
  ig_restart *one = NULL, *two = NULL;
  GOOD(cx, ig_checkpoint_read(cx, in_folder(killed, "checkpoint.h5"), 3, &one));
  GOOD(cx, ig_checkpoint_read(cx, in_folder(whole, "checkpoint.h5"), 3, &two));
  GOOD(cx, ig_restart_find(cx, one, "x", IG_F64, POINTS, &x));
  GOOD(cx, ig_restart_find(cx, two, "x", IG_F64, POINTS, &y));
  assert_memory_equal(x, y, POINTS * sizeof(double));
  ig_restart_free(one);
  ig_restart_free(two);
  DIR *d = opendir(killed);
  for (const struct dirent *e; (e = readdir(d));)
    assert_null(strstr(e->d_name, ".part"));
  closedir(d);
  folder_remove(killed);
  folder_remove(whole);
  ig_ctx_close(cx);
}

/* By threads, piece by piece, a checksum is what it is in one go: files stay as they were. */
static void checksums_join(void **state) {
  (void)state;
  const size_t size = (9 << 20) + 5;
  unsigned char *bytes = malloc(size);
  for (size_t i = 0; i < size; i++)
    bytes[i] = (unsigned char)(i * 2654435761u >> 13);
  for (size_t less = 0; less < size; less += 3000001)
    for (int threads = 1; threads < 4; threads += 2)
      assert_int_equal(ig_crc32_by(threads, bytes, size - less), ig_crc32(0, bytes, size - less));
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_read_back),
      cmocka_unit_test(pieces_read_back),
      cmocka_unit_test(wrong_files_are_refused),
      cmocka_unit_test(damage_is_noticed),
      cmocka_unit_test(checksums_join),
      cmocka_unit_test(a_killed_run_goes_on_to_the_same_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
