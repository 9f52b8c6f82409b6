/* What a run leaves behind: snapshots in memory and on disk, the file sink, and what it does when
   the disk is full, the folder is somebody else's, or the run goes on after a restart. */
#include "folder.h"
#include "backend/backend.h"
#include "io/result/checkpoint.h"
#include "io/format/json.h"
#include "io/result/sink.h"
#include "io/format/atomic_file.h"
#include "io/result/vtkhdf.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* The library's calls of fsync come here: which files were flushed. */
static ino_t flushed[4096];
static int flushes, flush_error;
int fsync(int fd) {
  struct stat info;
  if (flush_error) {
    errno = flush_error;
    return -1;
  }
  if (fstat(fd, &info) == 0 && flushes < (int)(sizeof flushed / sizeof *flushed))
    flushed[flushes++] = info.st_ino;
  return (int)syscall(SYS_fsync, fd);
}

/* Two hexahedra side by side and a triangle on top. */
static double mesh_x[13 * 3];
static ig_lid mesh_hex[16] = {0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10},
              mesh_tri[3] = {6, 7, 12};
static ig_block mesh_blocks[] = {{IG_HEX8, 2, mesh_hex, NULL}, {IG_TRI3, 1, mesh_tri, NULL}};
static const ig_mesh mesh = {.dim = 3, .nodes = 13, .x = mesh_x, .blocks = 2, .block = mesh_blocks};

static int mesh_fill(void **state) {
  (void)state;
  for (int i = 0; i < 12; i++) {
    mesh_x[3 * i] = i % 3;
    mesh_x[3 * i + 1] = i / 3 % 2;
    mesh_x[3 * i + 2] = i / 6;
  }
  mesh_x[36] = 0.5, mesh_x[37] = 0.5, mesh_x[38] = 2;
  return 0;
}

static void numbers_read_back_and_are_short(void **state) {
  (void)state;
  const struct {
    double value;
    const char *text;
  } cases[] = {{0.1, "0.1"},
               {1.0 / 3, "0.3333333333333333"},
               {0.1 + 0.2, "0.30000000000000004"},
               {-0.0, "-0"},
               {1e300, "1e+300"},
               {5e-324, "4.94065645841247e-324"},
               {NAN, "nan"},
               {-INFINITY, "-inf"},
               {123456789, "123456789"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[IG_NUMBER_TEXT];
    assert_int_equal(ig_number_text(cases[i].value, text), strlen(cases[i].text));
    assert_string_equal(text, cases[i].text);
  }
}

static void json_escapes(void **state) {
  (void)state;
  ig_json json = {0};
  ig_json_object(&json, NULL);
  ig_json_text(&json, "a\"b", "tab\there, back\\slash, \xc3\xa9, bad \xff\xc3 end");
  ig_json_list(&json, "list");
  ig_json_real(&json, NULL, 0.5);
  ig_json_real(&json, NULL, NAN);
  ig_json_text(&json, NULL, NULL);
  ig_json_end(&json, ']');
  ig_json_object(&json, "empty");
  ig_json_end(&json, '}');
  ig_json_end(&json, '}');
  assert_string_equal(json.text.at,
                      "{\n  \"a\\\"b\": \"tab\\u0009here, back\\\\slash, \xc3\xa9, bad "
                      "\\ufffd\\ufffd end\",\n  \"list\": [\n    0.5,\n    null,\n    null\n  ],\n"
                      "  \"empty\": {}\n}\n");
  free(json.text.at);
}

/* Elements that are not alive leave no cell; fields given per element lose theirs too. */
static void only_the_living_are_shown(void **state) {
  (void)state;
  static const char *const backends[] = {"cpu", "debug"};
  for (int b = 0; b < 2; b++) {
    ig_ctx *cx = ctx_on(backends[b], 2);
    const uint8_t alive[3] = {0, 1, 1};
    ig_snapshot *snap;
    GOOD(cx, ig_snapshot_of_mesh(cx, &mesh, alive, 2.5, 7, &snap));
    assert_int_equal(snap->points, 13);
    assert_int_equal(snap->cells, 2);
    assert_int_equal(snap->corners, 11);
    assert_int_equal(snap->offset[0], 0);
    assert_int_equal(snap->offset[1], 8);
    assert_int_equal(snap->offset[2], 11);
    assert_int_equal(snap->type[0], 12);
    assert_int_equal(snap->type[1], 5);
    assert_int_equal(snap->corner[0], 1);
    assert_int_equal(snap->corner[10], 12);

    ig_array stress;
    const float values[6] = {1, 2, 3, 4, 5, 6};
    GOOD(cx, ig_array_from(cx, &stress, values, 6, sizeof *values, "stress"));
    GOOD(cx, ig_snapshot_add_device(snap, "stress", "Pa", IG_AT_ELEMENTS, IG_F32, 2, stress.dev));
    GOOD(cx, cx->backend->fill(cx, stress.dev, 0, sizeof values)); /* too late to matter */
    GOOD(cx, ig_snapshot_settle(snap));
    assert_int_equal(snap->field[0].where, IG_AT_CELLS);
    const float *packed = snap->field[0].data;
    assert_true(packed[0] == 3 && packed[1] == 4 && packed[2] == 5 && packed[3] == 6);

    assert_int_equal(ig_snapshot_add(snap, "stress", "Pa", IG_AT_CELLS, IG_F32, 2, values, NULL),
                     IG_ARG);
    SAYS(cx, "'stress' is in the snapshot already");
    assert_int_equal(ig_snapshot_add(snap, "a/b", "", IG_AT_CELLS, IG_F32, 2, values, NULL),
                     IG_ARG);
    ig_array_free(cx, &stress);
    ig_snapshot_free(snap);
    ig_ctx_close(cx);
  }
}

static void memory_of_fields_is_used_again(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("debug", 2);
  void *former[2] = {NULL, NULL};
  for (int round = 0; round < 3; round++) {
    ig_snapshot *snap;
    double *data[2];
    GOOD(cx, ig_snapshot_new(cx, 1000 + round, 10, 0, 0, 0, &snap));
    GOOD(cx, ig_snapshot_add(snap, "T", "K", IG_AT_POINTS, IG_F64, 1, NULL, (void **)&data[0]));
    GOOD(cx, ig_snapshot_add(snap, "T", "K", IG_AT_CELLS, IG_F64, 1, NULL, (void **)&data[1]));
    for (int i = 0; i < 2; i++) {
      assert_true(data[i][9] == 0); /* and shows nothing of its former life */
      data[i][9] = 7;
      if (round)
        assert_ptr_equal(data[i], former[i]);
      former[i] = data[i];
    }
    ig_snapshot_free(snap);
  }
  for (int i = 0; i < 40; i++) { /* not without end: the leak checker sees what is lost */
    ig_snapshot *snap;
    GOOD(cx, ig_snapshot_new(cx, 1 << (i % 20), 0, 0, 0, 0, &snap));
    GOOD(cx, ig_snapshot_add(snap, "T", "K", IG_AT_POINTS, IG_U8, 1, NULL, NULL));
    ig_snapshot_free(snap);
  }
  ig_ctx_close(cx);
}

/* A snapshot with a field of each type. */
static ig_snapshot *full_snapshot(ig_ctx *cx, double time, int64_t step) {
  ig_snapshot *snap;
  GOOD(cx, ig_snapshot_of_mesh(cx, &mesh, NULL, time, step, &snap));
  double T[13], u[39];
  for (int i = 0; i < 13; i++)
    T[i] = 300 + i + time;
  for (int i = 0; i < 39; i++)
    u[i] = 1e-3 * i;
  const float s[18] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  const int32_t region[3] = {-1, 2, 3};
  const int64_t id[3] = {1LL << 40, 2, 3};
  const uint8_t flag[3] = {0, 1, 255};
  GOOD(cx, ig_snapshot_add(snap, "T", "K", IG_AT_POINTS, IG_F64, 1, T, NULL));
  GOOD(cx, ig_snapshot_add(snap, "u", "m", IG_AT_POINTS, IG_F64, 3, u, NULL));
  GOOD(cx, ig_snapshot_add(snap, "stress", "Pa", IG_AT_CELLS, IG_F32, 6, s, NULL));
  GOOD(cx, ig_snapshot_add(snap, "region", "", IG_AT_CELLS, IG_I32, 1, region, NULL));
  GOOD(cx, ig_snapshot_add(snap, "id", "", IG_AT_CELLS, IG_I64, 1, id, NULL));
  GOOD(cx, ig_snapshot_add(snap, "flag", "", IG_AT_CELLS, IG_U8, 1, flag, NULL));
  return snap;
}

static void same_snapshot(const ig_snapshot *a, const ig_snapshot *b) {
  assert_true(a->time == b->time);
  assert_int_equal(a->step, b->step);
  assert_int_equal(a->points, b->points);
  assert_int_equal(a->cells, b->cells);
  assert_int_equal(a->corners, b->corners);
  assert_memory_equal(a->point, b->point, (size_t)a->points * 24);
  assert_memory_equal(a->corner, b->corner, (size_t)a->corners * 8);
  assert_memory_equal(a->offset, b->offset, (size_t)(a->cells + 1) * 8);
  assert_memory_equal(a->type, b->type, (size_t)a->cells);
  assert_int_equal(a->fields, b->fields);
  for (int i = 0; i < a->fields; i++) {
    const ig_field *f = &a->field[i], *g = NULL;
    for (int k = 0; k < b->fields; k++)
      if (strcmp(b->field[k].name, f->name) == 0)
        g = &b->field[k];
    assert_non_null(g);
    assert_string_equal(f->unit, g->unit);
    assert_int_equal(f->where, g->where);
    assert_int_equal(f->dtype, g->dtype);
    assert_int_equal(f->components, g->components);
    const int64_t items = f->where == IG_AT_POINTS ? a->points : a->cells;
    assert_memory_equal(f->data, g->data,
                        (size_t)items * (size_t)f->components * ig_dtype_size(f->dtype));
  }
}

static void a_snapshot_reads_back(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("debug", 2);
  char *folder = folder_new();
  for (int compression = 0; compression <= 9; compression += 4) {
    ig_snapshot *snap = full_snapshot(cx, 0.25, 1234567890123), *back = NULL;
    const char *path = in_folder(folder, "a.vtkhdf");
    GOOD(cx, ig_snapshot_write(cx, snap, path, compression));
    GOOD(cx, ig_snapshot_read(cx, path, &back));
    same_snapshot(snap, back);
    ig_snapshot_free(snap);
    ig_snapshot_free(back);
  }
  /* nothing alive yet */
  const uint8_t none[3] = {0};
  ig_snapshot *snap, *back = NULL;
  GOOD(cx, ig_snapshot_of_mesh(cx, &mesh, none, 0, 0, &snap));
  GOOD(cx, ig_snapshot_add(snap, "flag", "", IG_AT_CELLS, IG_U8, 1, NULL, NULL));
  GOOD(cx, ig_snapshot_write(cx, snap, in_folder(folder, "b.vtkhdf"), 4));
  GOOD(cx, ig_snapshot_read(cx, in_folder(folder, "b.vtkhdf"), &back));
  same_snapshot(snap, back);
  ig_snapshot_free(snap);
  ig_snapshot_free(back);
  folder_remove(folder);
  ig_ctx_close(cx);
}

/* n x n x n hexahedra, enough to be packed in pieces. */
static ig_mesh brick(int n) {
  const int m = n + 1;
  ig_mesh big = {.dim = 3, .nodes = m * m * m, .blocks = 1};
  big.x = malloc((size_t)big.nodes * 3 * sizeof *big.x);
  big.block = calloc(1, sizeof *big.block);
  *big.block = (ig_block){.type = IG_HEX8, .count = n * n * n};
  big.block->conn = malloc((size_t)big.block->count * 8 * sizeof(ig_lid));
  for (int i = 0; i < big.nodes; i++) {
    big.x[3 * i] = 1e-3 * (i % m);
    big.x[3 * i + 1] = 1e-3 * (i / m % m);
    big.x[3 * i + 2] = 1e-3 * (i / m / m);
  }
  for (int e = 0; e < big.block->count; e++)
    for (int a = 0; a < 8; a++) {
      static const int x[] = {0, 1, 1, 0, 0, 1, 1, 0}, y[] = {0, 0, 1, 1, 0, 0, 1, 1};
      big.block->conn[8 * e + a] = e % n + x[a] + m * (e / n % n + y[a] + m * (e / n / n + a / 4));
    }
  return big;
}
static void brick_free(ig_mesh *big) {
  free(big->x);
  free(big->block->conn);
  free(big->block);
}

/* What the packer keeps from one file to the next never ends up in the wrong one. */
static void a_grid_packed_once_follows_its_changes(void **state) {
  (void)state;
  enum { N = 40 };
  ig_ctx *cx = ctx_on("cpu", 2);
  char *folder = folder_new();
  ig_mesh big = brick(N);
  uint8_t *alive = malloc(N * N * N);
  float *T = malloc((size_t)big.nodes * sizeof *T);
  for (int i = 0; i < big.nodes; i++)
    T[i] = 300 + (float)sin(i);
  ig_compressor compressor = {.level = 3, .threads = 2};
  for (int round = 0; round < 6; round++) {
    memset(alive, 1, N * N * N);
    if (round == 2) /* fewer cells: fewer pieces */
      memset(alive + 9000, 0, 50000);
    if (round == 4)
      big.x[100] += 1e-9;
    ig_snapshot *snap, *back = NULL;
    GOOD(cx, ig_snapshot_of_mesh(cx, &big, alive, round, round, &snap));
    GOOD(cx, ig_snapshot_add(snap, "T", "K", IG_AT_POINTS, IG_F32, 1, T, NULL));
    const char *path = in_folder(folder, "big.vtkhdf");
    GOOD(cx, ig_snapshot_write_next(cx, snap, path, &compressor, false));
    GOOD(cx, ig_snapshot_read(cx, path, &back));
    same_snapshot(snap, back);
    ig_snapshot_free(back);
    ig_snapshot_free(snap);
  }
  struct stat info;
  assert_int_equal(stat(in_folder(folder, "big.vtkhdf"), &info), 0);
  assert_in_range(info.st_size, 10000, 1200000); /* of 6.6 MB */
  char command[512];
  snprintf(command, sizeof command,
           "/usr/bin/python3 tests/cli/vtk_read.py %s %d %d point:T:1:299:301",
           in_folder(folder, "big.vtkhdf"), big.nodes, N * N * N);
  const int status = system(command);
  ig_compress_clear(&compressor);
  free(alive);
  free(T);
  brick_free(&big);
  folder_remove(folder);
  ig_ctx_close(cx);
  if (WEXITSTATUS(status) != 77)
    assert_int_equal(status, 0);
}

/* VTK's own reader sees what we wrote; without python3-vtk9 the test is skipped. */
static void vtk_reads_snapshots(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 2);
  char *folder = folder_new();
  const uint8_t none[3] = {0};
  ig_snapshot *snap = full_snapshot(cx, 0.25, 12), *bare;
  GOOD(cx, ig_snapshot_of_mesh(cx, &mesh, none, 0, 0, &bare));
  GOOD(cx, ig_snapshot_add(bare, "T", "K", IG_AT_POINTS, IG_F32, 1, NULL, NULL));
  GOOD(cx, ig_snapshot_write(cx, snap, in_folder(folder, "full.vtkhdf"), 4));
  GOOD(cx, ig_snapshot_write(cx, bare, in_folder(folder, "bare.vtkhdf"), 0));
  const struct {
    const char *name, *expected;
  } cases[] = {{"full.vtkhdf", "13 3 point:T:1:300.25:312.25 point:u:3:0:0.038 cell:stress:6:1:18 "
                               "cell:region:1:-1:3 cell:id:1:2:1099511627776 cell:flag:1:0:255 "
                               "field:TimeValue:1:0.25:0.25 field:Step:1:12:12"},
               {"bare.vtkhdf", "13 0 point:T:1:0:0"}};
  int status = 0;
  for (int i = 0; i < 2 && status == 0; i++) {
    char command[1024];
    snprintf(command, sizeof command, "/usr/bin/python3 tests/cli/vtk_read.py %s %s",
             in_folder(folder, cases[i].name), cases[i].expected);
    status = system(command);
  }
  ig_snapshot_free(snap);
  ig_snapshot_free(bare);
  folder_remove(folder);
  ig_ctx_close(cx);
  if (WEXITSTATUS(status) == 77)
    skip();
  assert_int_equal(status, 0);
}

static void files_equal(const char *a, const char *b) {
  size_t size[2];
  char *first = file_read(a, &size[0]), *second = file_read(b, &size[1]);
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(first, second, size[0]);
  free(first);
  free(second);
}

/* 5 x 4 x 3 nodes, or as many more; each point and cell says where it is. A thin one: a single cell
   across two axes. */
static ig_snapshot *regular_snapshot(ig_ctx *cx, int more, bool thin) {
  const ig_image_grid g = {.nodes = {thin ? 2 : 5 + more, thin ? 2 : 4 + more, 3 + more},
                           .origin = {1, -2, 0.5},
                           .spacing = {0.25, 0.5, 2}};
  ig_snapshot *snap;
  double *place;
  GOOD(cx, ig_snapshot_of_image(cx, &g, 3, 7, &snap));
  for (int cells = 0; cells < 2; cells++) {
    GOOD(cx, ig_snapshot_add(snap, "place", "m", cells ? IG_AT_CELLS : IG_AT_POINTS, IG_F64, 3,
                             NULL, (void **)&place));
    for (int64_t k = 0; k < g.nodes[2] - cells; k++)
      for (int64_t j = 0; j < g.nodes[1] - cells; j++)
        for (int64_t i = 0; i < g.nodes[0] - cells; i++) {
          *place++ = 1 + 0.25 * ((double)i + 0.5 * cells);
          *place++ = -2 + 0.5 * ((double)j + 0.5 * cells);
          *place++ = 0.5 + 2 * ((double)k + 0.5 * cells);
        }
  }
  uint8_t *number;
  GOOD(cx, ig_snapshot_add(snap, "number", "", IG_AT_CELLS, IG_U8, 1, NULL, (void **)&number));
  for (int64_t c = 0; c < snap->cells; c++)
    number[c] = (uint8_t)c;
  return snap;
}

/* Points and cells as they are read back lie where their fields say. */
static void regular_check(ig_ctx *cx, const ig_snapshot *wrote, const char *path) {
  ig_snapshot *snap;
  GOOD(cx, ig_snapshot_read(cx, path, &snap));
  assert_int_equal(snap->points, wrote->points);
  assert_int_equal(snap->cells, wrote->cells);
  assert_int_equal(snap->fields, 3);
  for (int f = 0; f < 3; f++) {
    const ig_field *one = &snap->field[f];
    int64_t items = one->where == IG_AT_POINTS ? snap->points : snap->cells;
    if (one->components == 1) {
      for (int64_t c = 0; c < snap->cells; c++)
        assert_int_equal(((const uint8_t *)one->data)[c], (uint8_t)c);
      continue;
    }
    for (int64_t i = 0; i < items; i++) {
      double at[3];
      if (one->where == IG_AT_POINTS)
        memcpy(at, snap->point + 3 * i, sizeof at);
      else
        ig_snapshot_centre(snap, i, at);
      for (int d = 0; d < 3; d++)
        assert_float_equal(at[d], ((const double *)one->data)[3 * i + d], 1e-12);
    }
  }
  assert_int_equal(snap->type[snap->cells - 1], 12);
  assert_int_equal(snap->offset[snap->cells], 8 * snap->cells);
  ig_snapshot_free(snap);
}

/* Arrays of the same grid that nobody makes for it. */
static ig_snapshot *listed_snapshot(ig_ctx *cx, const ig_snapshot *from) {
  ig_snapshot *snap;
  GOOD(cx, ig_snapshot_new(cx, from->points, from->cells, from->corners, from->time, from->step,
                           &snap));
  const int64_t *n = from->image.nodes;
  for (int64_t p = 0; p < snap->points; p++)
    memcpy(snap->point + 3 * p, (const double *)from->field[0].data + 3 * p, 3 * sizeof(double));
  for (int64_t c = 0; c < snap->cells; c++) {
    const int64_t i = c % (n[0] - 1), j = c / (n[0] - 1) % (n[1] - 1),
                  k = c / (n[0] - 1) / (n[1] - 1);
    const int64_t first = i + n[0] * (j + n[1] * k), up = n[0] * n[1];
    const int64_t corner[8] = {
        first,      first + 1,      first + n[0] + 1,      first + n[0],
        first + up, first + up + 1, first + up + n[0] + 1, first + up + n[0]};
    memcpy(snap->corner + 8 * c, corner, sizeof corner);
    snap->offset[c + 1] = 8 * (c + 1);
    snap->type[c] = 12;
  }
  for (int f = 0; f < from->fields; f++) {
    const ig_field *one = &from->field[f];
    GOOD(cx, ig_snapshot_add(snap, one->name, one->unit, one->where, one->dtype, one->components,
                             one->data, NULL));
  }
  return snap;
}

/* Points and cells of a regular grid are made as they are written, the first time and again: the
   file is that of the same arrays, and VTK finds everything in its place. */
static void regular_grids_need_no_arrays(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 2);
  char *folder = folder_new(), path[256], other[256];
  int status = 0;
  for (int size = 0; size < 3; size++)
    for (int level = 0; level < 2; level++) {
      ig_snapshot *snap = regular_snapshot(cx, size == 1 ? 40 : 0, size == 2),
                  *listed = listed_snapshot(cx, snap);
      ig_compressor compressor = {.level = level, .threads = 2};
      snprintf(path, sizeof path, "%s/a%d%d.vtkhdf", folder, size, level);
      snprintf(other, sizeof other, "%s/b%d%d.vtkhdf", folder, size, level);
      GOOD(cx, ig_snapshot_write(cx, listed, other, level));
      for (int again = 0; again < 2; again++) {
        GOOD(cx, ig_snapshot_write_next(cx, snap, path, &compressor, false));
        assert_null(snap->point);
        files_equal(path, other);
      }
      ig_compress_clear(&compressor);
      regular_check(cx, snap, path);
      GOOD(cx, ig_snapshot_load(snap));
      assert_memory_equal(snap->point, listed->point, (size_t)snap->points * 24);
      assert_memory_equal(snap->corner, listed->corner, (size_t)snap->corners * 8);
      char command[1024];
      snprintf(command, sizeof command,
               "/usr/bin/python3 tests/cli/vtk_read.py %s %d %d field:TimeValue:1:3:3", path,
               (int)snap->points, (int)snap->cells);
      status = status ? status : system(command);
      ig_snapshot_free(listed);
      ig_snapshot_free(snap);
    }
  folder_remove(folder);
  ig_ctx_close(cx);
  if (WEXITSTATUS(status) == 77)
    skip();
  assert_int_equal(status, 0);
}

/* What does not compress is stored within deflate's stream: zlib reads it back, it is no longer
   than the noise itself, and what does compress stays as short as before. */
static void noise_is_stored(void **state) {
  (void)state;
  static const size_t sizes[] = {8, 4096, 32768, 32776, 100000, 1 << 20, 3000000};
  uint32_t seed = 1;
  for (int kind = 0; kind < 4; kind++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
      for (size_t item = 1; item <= 8; item *= 2) {
        const size_t size = sizes[i];
        unsigned char *data = malloc(size), *back = malloc(size);
        size_t noise = 0;
        for (size_t k = 0; k < size; k++) {
          seed = seed * 1664525u + 1013904223u;
          const bool plain =
              kind == 0 || (kind == 1 && k % item < item / 2) || (kind == 2 && k / 40000 % 2);
          data[k] = (unsigned char)(plain ? k / 5000 : seed >> 24);
          noise += !plain;
        }
        ig_piece piece = {0};
        assert_true(ig_compress_piece(1, data, size, size, item, &piece));
        /* at most a part that begins as noise and ends as none is stored whole */
        assert_in_range(piece.size, noise, noise + size / (kind == 2 ? 8 : 50) + 100);
        assert_true(ig_expand_piece(piece.bytes, piece.size, item, back, size));
        assert_memory_equal(data, back, size);
        free(piece.bytes);
        free(data);
        free(back);
      }
}

/* Whole arrays by parts: the same bytes by any number of threads, nothing where all items are the
   same; one piece, as files had before, is read too, and damage is found. */
static void parts_come_back(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 8, 4 << 20, (4 << 20) + 8, 13 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (size_t item = 1; item <= 8; item *= 8) {
      const size_t size = sizes[i];
      unsigned char *data = malloc(size + 1), *back = malloc(size + 1);
      for (size_t k = 0; k < size; k++)
        data[k] = (unsigned char)(k < 5 << 20 ? k / item % 251 : 7);
      ig_piece one = {0}, two = {0}, whole = {0};
      assert_true(ig_compress_parts(6, 1, data, size, item, &one));
      assert_true(ig_compress_parts(6, 2, data, size, item, &two));
      assert_int_equal(one.size, two.size);
      assert_memory_equal(one.bytes, two.bytes, one.size);
      memset(back, 1, size + 1);
      assert_true(ig_expand_parts(one.bytes, one.size, item, 2, back, size));
      assert_memory_equal(data, back, size);
      assert_false(ig_expand_parts(one.bytes, one.size - 1, item, 2, back, size));
      assert_false(ig_expand_parts(one.bytes, one.size, item, 2, back, size + (5 << 20)));
      if (size) {
        assert_true(ig_compress_piece(6, data, size, size, item, &whole));
        assert_true(ig_expand_parts(whole.bytes, whole.size, item, 2, back, size));
        assert_memory_equal(data, back, size);
        free(whole.bytes);
        memset(data, 5, size);
        free(two.bytes);
        assert_true(ig_compress_parts(6, 2, data, size, item, &two));
        assert_true(two.size < 100);
        assert_true(ig_expand_parts(two.bytes, two.size, item, 2, back, size));
        assert_memory_equal(data, back, size);
      }
      free(one.bytes);
      free(two.bytes);
      free(data);
      free(back);
    }
}

static void a_wrong_grid_is_refused(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 2);
  char *folder = folder_new();
  const char *path = in_folder(folder, "a.vtkhdf");
  const struct {
    int64_t corner0, offset1;
    uint8_t type0;
    const char *words;
  } cases[] = {{13, 8, 12, "connectivity entry 0 is point 13 of 13"},
               {-1, 8, 12, "connectivity entry 0 is point -1"},
               {0, 20, 12, "the offset of cell 1 falls"},
               {0, 7, 12, "cell 0 has 7 points, its type 8"},
               {0, 8, 10, "cell 0 has 8 points, its type 4"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ig_snapshot *snap = full_snapshot(cx, 0, 0), *back;
    snap->corner[0] = cases[i].corner0;
    snap->offset[1] = cases[i].offset1;
    snap->type[0] = cases[i].type0;
    GOOD(cx, ig_snapshot_write(cx, snap, path, 4));
    BAD(cx, ig_snapshot_read(cx, path, &back), cases[i].words);
    SAYS(cx, path);
    ig_snapshot_free(snap);
  }
  ig_snapshot *back;
  BAD(cx, ig_snapshot_read(cx, in_folder(folder, "none"), &back), "No such file");
  file_write(path, "not a grid at all", 17);
  BAD(cx, ig_snapshot_read(cx, path, &back), "is not an HDF5 file");
  folder_remove(folder);
  ig_ctx_close(cx);
}

/* --- the sink */

static ig_sink *sink_open(ig_ctx *cx, const char *folder, const ig_restart *restart) {
  ig_sink *sink = NULL;
  const ig_sink_options options = {.fingerprint = 42, .compression = 4, .restart = restart};
  GOOD(cx, ig_sink_open(cx, folder, &options, &sink));
  return sink;
}

static void steps(ig_ctx *cx, ig_sink *sink, int64_t from, int64_t to) {
  static const char *const names[] = {"step", "t [s]", "T, \"max\" [K]"};
  for (int64_t step = from; step < to; step++) {
    const double t = 0.1 * (double)step, row[] = {(double)step, t, 300 + sin(t)};
    GOOD(cx, sink->history(sink, 3, names, row));
    if (step % 4 == 0)
      GOOD(cx, sink->snapshot(sink, full_snapshot(cx, t, step)));
    if (step % 10 == 9) {
      double data[3] = {t, 1, 2};
      const ig_saved saved[] = {{"T", IG_F64, 3, data}};
      GOOD(cx, sink->checkpoint(sink, t, step, saved, 1));
    }
  }
}

static void a_run_leaves_its_files(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 2);
  char *top = folder_new(), *folder = strdup(in_folder(top, "made/on/the way"));
  ig_sink *sink = sink_open(cx, folder, NULL);
  steps(cx, sink, 0, 10);
  GOOD(cx, sink->result(sink, "T_max", "K", 1));
  GOOD(cx, sink->result(sink, "T_max", "K", 301.5));
  GOOD(cx, sink->result_text(sink, "verdict", "it \"holds\""));
  GOOD(cx, sink->file(sink, "surface.stl", "solid", 5));
  assert_int_equal(sink->file(sink, "../surface.stl", "solid", 5), IG_ARG);
  assert_int_equal(sink->file(sink, "history.csv", "solid", 5), IG_ARG);
  GOOD(cx, sink->flush(sink));
  GOOD(cx, ig_sink_summary(sink, &(ig_summary){.physics = "thermal",
                                               .title = "two bricks",
                                               .status = "complete",
                                               .backend = "cpu",
                                               .elements = 3,
                                               .seconds = {.total = 1.5},
                                               .memory = {.host_peak = 1LL << 40}}));
  ig_sink_close(sink);

  char *text = file_read(in_folder(folder, "history.csv"), NULL);
  assert_ptr_equal(strstr(text, "step,t [s],\"T, \"\"max\"\" [K]\"\n0,0,300\n1,0.1,300.0998"),
                   text);
  int lines = 0;
  for (const char *p = text; *p; p++)
    lines += *p == '\n';
  assert_int_equal(lines, 11);
  free(text);
  text = file_read(in_folder(folder, "snap.vtkhdf.series"), NULL);
  assert_non_null(strstr(text, "\"file-series-version\": \"1.0\""));
  assert_non_null(strstr(text, "\"name\": \"snap_000002.vtkhdf\",\n      \"time\": 0.8\n"));
  assert_null(strstr(text, "snap_000003"));
  free(text);
  text = file_read(in_folder(folder, "summary.json"), NULL);
  assert_non_null(strstr(text, "\"physics\": \"thermal\""));
  assert_non_null(strstr(text, "\"host_peak\": 1099511627776"));
  assert_non_null(strstr(text, "\"T_max\": 301.5,\n    \"verdict\": \"it \\\"holds\\\"\"\n  },\n"
                               "  \"units\": {\n    \"T_max\": \"K\"\n  }\n}\n"));
  free(text);
  text = file_read(in_folder(folder, "surface.stl"), NULL);
  assert_string_equal(text, "solid");
  free(text);
  ig_snapshot *snap, *expected = full_snapshot(cx, 0.8, 8);
  GOOD(cx, ig_snapshot_read(cx, in_folder(folder, "snap_000002.vtkhdf"), &snap));
  expected->time = 0.1 * 8;
  same_snapshot(expected, snap);
  ig_snapshot_free(snap);
  ig_snapshot_free(expected);

  /* the next run in the same folder clears all of it away, but not what it never wrote */
  file_write(in_folder(folder, "my notes"), "", 0);
  file_write(in_folder(folder, "checkpoint.h5.part"), "half", 4);
  file_write(in_folder(folder, "surface.stl.part"), "half", 4);
  sink = sink_open(cx, folder, NULL);
  assert_true(file_exists(in_folder(folder, "history.csv"))); /* until there is something new */
  GOOD(cx, sink->file(sink, "first.txt", "new", 3));
  ig_sink_close(sink);
  static const char *const gone[] = {"history.csv",      "snap_000000.vtkhdf", "snap.vtkhdf.series",
                                     "checkpoint.h5",    "summary.json",       "surface.stl",
                                     "surface.stl.part", "checkpoint.h5.part"};
  for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
    assert_false(file_exists(in_folder(folder, gone[i])));
  assert_true(file_exists(in_folder(folder, "my notes")));
  free(folder);
  folder_remove(top);
  ig_ctx_close(cx);
}

static bool is_flushed(const char *path) {
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  for (int i = 0; i < flushes; i++)
    if (flushed[i] == info.st_ino)
      return true;
  return false;
}

/* A run of a moment does not wait for the disk; one that has a checkpoint to lose does, and its
   summary comes after all it stands for. */
static void what_can_be_lost_is_flushed(void **state) {
  (void)state;
  static const char *const names[] = {"history.csv",        "case.yaml",       "snap_000006.vtkhdf",
                                      "snap.vtkhdf.series", "surface.stl",     ".ingot",
                                      "snap_000007.vtkhdf", "snap.hdf.series", "checkpoint.h5",
                                      "summary.json"};
  ig_ctx *cx = ctx_on("cpu", 1);
  char *folder = folder_new();
  const ig_summary summary = {.status = "complete"};
  flushes = 0;
  ig_sink *sink = sink_open(cx, folder, NULL);
  steps(cx, sink, 0, 20);
  GOOD(cx, ig_sink_summary(sink, &summary));
  ig_sink_close(sink);
  assert_int_equal(flushes, 0);

  ig_restart *restart = NULL;
  GOOD(cx, ig_checkpoint_read(cx, in_folder(folder, "checkpoint.h5"), 42, &restart));
  const ig_sink_options options = {
      .fingerprint = 42, .restart = restart, .text = IG_CASE_HEAD "\n"};
  GOOD(cx, ig_sink_open(cx, folder, &options, &sink));
  steps(cx, sink, 16, 31);
  GOOD(cx, sink->file(sink, "surface.stl", "solid", 5));
  GOOD(cx, ig_sink_summary(sink, &summary));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!is_flushed(in_folder(folder, names[i])))
      fail_msg("%s is not on the disk", names[i]);

  /* what is gone needs none; what fails is named */
  const int fd = open(folder, O_RDONLY | O_DIRECTORY);
  GOOD(cx, ig_files_flush(cx, fd, folder, "gone\nhistory.csv\n", true));
  flush_error = EIO;
  assert_int_equal(ig_files_flush(cx, fd, folder, "gone\nhistory.csv\n", true), IG_IO);
  SAYS(cx, "history.csv");
  GOOD(cx, sink->file(sink, "more.stl", "solid", 5));
  assert_int_equal(ig_sink_summary(sink, &summary), IG_IO);
  flush_error = 0;
  close(fd);
  ig_sink_close(sink);
  ig_restart_free(restart);
  folder_remove(folder);
  ig_ctx_close(cx);
}

static void strange_folders_are_refused(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 2);
  char *folder = folder_new();
  const ig_sink_options options = {0};
  ig_sink *sink, *second;
  file_write(in_folder(folder, "thesis.tex"), "all my work", 11);
  BAD(cx, ig_sink_open(cx, folder, &options, &sink), folder);
  SAYS(cx, "holds 'thesis.tex'");
  assert_true(file_exists(in_folder(folder, "thesis.tex")));
  assert_false(file_exists(in_folder(folder, ".ingot")));

  BAD(cx, ig_sink_open(cx, in_folder(folder, "thesis.tex"), &options, &sink),
      "thesis.tex' is a file");
  BAD(cx, ig_sink_open(cx, in_folder(folder, "thesis.tex/out"), &options, &sink),
      "thesis.tex' is a file");
  assert_int_equal(ig_sink_open(cx, "/proc/ingot", &options, &sink), IG_IO);
  SAYS(cx, "'/proc/ingot'");

  const char *out = in_folder(folder, "out");
  GOOD(cx, ig_sink_open(cx, out, &options, &sink));
  assert_int_equal(ig_sink_open(cx, out, &options, &second), IG_IO);
  SAYS(cx, "another run is writing");
  ig_sink_close(sink);
  folder_remove(folder);
  ig_ctx_close(cx);
}

/* A run stopped after the checkpoint at step 19 and continued equals one that never stopped. */
static void a_restart_goes_on_as_if_nothing_happened(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 2);
  char *whole = folder_new(), *parts = folder_new();
  ig_sink *sink = sink_open(cx, whole, NULL);
  steps(cx, sink, 0, 40);
  GOOD(cx, sink->flush(sink));
  ig_sink_close(sink);

  sink = sink_open(cx, parts, NULL);
  steps(cx, sink, 0, 29);
  GOOD(cx, sink->flush(sink));
  ig_sink_close(sink);
  assert_true(file_exists(in_folder(parts, "snap_000007.vtkhdf")));
  ig_restart *restart = NULL;
  GOOD(cx, ig_checkpoint_read(cx, in_folder(parts, "checkpoint.h5"), 42, &restart));
  assert_int_equal(restart->step, 19);
  sink = sink_open(cx, parts, restart);
  assert_false(file_exists(in_folder(parts, "snap_000005.vtkhdf")));
  assert_true(file_exists(in_folder(parts, "snap_000004.vtkhdf")));
  steps(cx, sink, restart->step + 1, 40);
  GOOD(cx, sink->flush(sink));
  ig_sink_close(sink);

  static const char *const same[] = {"history.csv", "snap.vtkhdf.series", "snap_000009.vtkhdf"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    size_t a, b;
    char *one = file_read(in_folder(whole, same[i]), &a),
         *two = file_read(in_folder(parts, same[i]), &b);
    assert_int_equal(a, b);
    assert_memory_equal(one, two, a);
    free(one);
    free(two);
  }

  /* into the folder of another run: no; into an empty one: from there on */
  const ig_sink_options options = {.fingerprint = 42, .restart = restart};
  BAD(cx, ig_sink_open(cx, whole, &options, &sink), "holds another run");
  const char *fresh = in_folder(whole, "on");
  sink = sink_open(cx, fresh, restart);
  steps(cx, sink, restart->step + 1, 30);
  GOOD(cx, sink->flush(sink));
  ig_sink_close(sink);
  char *text = file_read(in_folder(fresh, "snap.vtkhdf.series"), NULL);
  assert_null(strstr(text, "snap_000004"));
  assert_non_null(strstr(text, "snap_000005"));
  free(text);
  ig_restart_free(restart);
  folder_remove(whole);
  folder_remove(parts);
  ig_ctx_close(cx);
}

static void other_columns_after_a_restart_are_refused(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 2);
  char *folder = folder_new();
  ig_sink *sink = sink_open(cx, folder, NULL);
  steps(cx, sink, 0, 10);
  GOOD(cx, sink->flush(sink));
  ig_sink_close(sink);
  ig_restart *restart = NULL;
  GOOD(cx, ig_checkpoint_read(cx, in_folder(folder, "checkpoint.h5"), 42, &restart));
  sink = sink_open(cx, folder, restart);
  const char *const names[] = {"energy [J]"};
  const double row[] = {1};
  BAD(cx, sink->history(sink, 1, names, row), "has other columns");
  ig_sink_close(sink);
  ig_restart_free(restart);
  folder_remove(folder);
  ig_ctx_close(cx);
}

/* A limit on file size stands for a full disk: what does not fit fails by name, and the last
   checkpoint is still there. */
static void a_full_disk_is_told_and_harms_nothing(void **state) {
  (void)state;
  enum { MANY = 200000 };
  ig_ctx *cx = ctx_on("cpu", 2);
  char *folder = folder_new();
  double *noise = malloc(MANY * sizeof *noise);
  srand(1);
  for (int i = 0; i < MANY; i++)
    noise[i] = rand();
  for (int what = 0; what < 4; what++) {
    ig_sink *sink = sink_open(cx, folder, NULL);
    steps(cx, sink, 0, 10);
    GOOD(cx, sink->flush(sink));
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit former, little;
    getrlimit(RLIMIT_FSIZE, &former);
    little = former;
    little.rlim_cur = 100000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    const ig_saved saved[] = {{"noise", IG_F64, MANY, noise}};
    ig_status status = IG_OK;
    const char *name = "?";
    if (what == 0) {
      ig_snapshot *snap;
      GOOD(cx, ig_snapshot_new(cx, MANY, 0, 0, 9, 9, &snap));
      GOOD(cx, ig_snapshot_add(snap, "noise", "", IG_AT_POINTS, IG_F64, 1, noise, NULL));
      GOOD(cx, sink->snapshot(sink, snap));
      name = "snap_000003.vtkhdf";
    } else if (what == 1) {
      GOOD(cx, sink->checkpoint(sink, 9, 9, saved, 1));
      name = "checkpoint.h5";
    } else if (what == 2) {
      GOOD(cx, sink->file(sink, "noise.bin", noise, MANY * sizeof *noise));
      name = "noise.bin";
    } else {
      const char *const names[] = {"a", "b", "c"};
      for (int i = 0; i < MANY && status == IG_OK; i++)
        status = sink->history(sink, 3, names, (const double[]){1.0 / 3, 1.0 / 3, 1.0 / 3});
      assert_int_equal(status, IG_IO);
      name = "history.csv";
    }
    if (what < 3)
      assert_int_equal(sink->flush(sink), IG_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &former), 0);
    SAYS(cx, in_folder(folder, name));
    SAYS(cx, "File too large");
    if (what < 3) { /* and stays told */
      assert_int_equal(sink->checkpoint(sink, 9, 9, saved, 1), IG_IO);
      SAYS(cx, in_folder(folder, name));
    }
    GOOD(cx, ig_sink_summary(sink, &(ig_summary){.status = "failed", .message = "disk full"}));
    ig_sink_close(sink);
    ig_restart *restart = NULL;
    GOOD(cx, ig_checkpoint_read(cx, in_folder(folder, "checkpoint.h5"), 42, &restart));
    assert_int_equal(restart->step, 9);
    ig_restart_free(restart);
    assert_false(file_exists(in_folder(folder, "snap_000003.vtkhdf")));
    assert_false(file_exists(in_folder(folder, "snap_000003.vtkhdf.part")));
    assert_false(file_exists(in_folder(folder, "checkpoint.h5.part")));
    char *text = file_read(in_folder(folder, "history.csv"), NULL);
    assert_int_equal(text[strlen(text) - 1], '\n'); /* no row in halves */
    free(text);
  }
  free(noise);
  folder_remove(folder);
  ig_ctx_close(cx);
}

/* Arrays in memory that come in pieces of any length. */
typedef struct {
  const void *data[8];
  size_t row[8]; /* bytes */
  int64_t rows[8];
} pieces;

static ig_status pieces_pass(void *self, int array, ig_stream_take *take, void *user) {
  const pieces *p = self;
  int64_t length = 1;
  for (int64_t at = 0; at < p->rows[array]; at += length) {
    length = (7 * length + 3) % 50021;
    length = length < p->rows[array] - at ? length : p->rows[array] - at;
    IG_TRY(take(user, (const char *)p->data[array] + (size_t)at * p->row[array], length));
  }
  return IG_OK;
}

enum { PIECED = 150000 }; /* points; more than a chunk of each array */

/* A row of lines between noise, and what its arrays are in pieces. */
static ig_snapshot *noise_snapshot(ig_ctx *cx, pieces *p) {
  ig_snapshot *snap;
  double *noise;
  GOOD(cx, ig_snapshot_new(cx, PIECED, PIECED - 1, 2 * (PIECED - 1), 9, 9, &snap));
  GOOD(cx, ig_snapshot_add(snap, "noise", "K", IG_AT_POINTS, IG_F64, 1, NULL, (void **)&noise));
  srand(1);
  for (int i = 0; i < PIECED; i++) {
    noise[i] = snap->point[3 * i] = rand();
    snap->offset[i] = 2 * (int64_t)i;
  }
  for (int i = 0; i + 1 < PIECED; i++) {
    snap->corner[2 * i] = i;
    snap->corner[2 * i + 1] = i + 1;
    snap->type[i] = 3;
  }
  *p = (pieces){{snap->point, snap->corner, snap->type, NULL, noise},
                {24, 8, 1, 4, 8},
                {PIECED, 2 * (PIECED - 1), PIECED - 1, 0, PIECED}};
  return snap;
}

static ig_snapshot *pieces_snapshot(ig_ctx *cx, const ig_stream *stream) {
  ig_snapshot *snap;
  GOOD(cx,
       ig_snapshot_of_rows(cx, stream, PIECED, PIECED - 1, 2 * (PIECED - 1), PIECED - 1, &snap));
  GOOD(cx, ig_snapshot_declare(snap, "noise", "K", IG_AT_POINTS, IG_F64, 1));
  snap->time = snap->step = 9;
  return snap;
}

/* What comes in pieces leaves the file, byte for byte, that it leaves from memory. */
static void pieces_leave_the_same_file(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  char *folder = folder_new(), one[256], other[256];
  pieces p;
  const ig_stream stream = {&p, pieces_pass};
  ig_snapshot *whole = noise_snapshot(cx, &p), *snap = pieces_snapshot(cx, &stream);
  for (int level = 0; level < 2; level++) {
    snprintf(one, sizeof one, "%s/one%d", folder, level);
    snprintf(other, sizeof other, "%s/other%d", folder, level);
    GOOD(cx, ig_snapshot_write(cx, whole, one, level));
    GOOD(cx, ig_snapshot_write(cx, snap, other, level));
    files_equal(one, other);
  }
  GOOD(cx, ig_snapshot_load(snap)); /* and for who needs it in memory */
  assert_memory_equal(snap->offset, whole->offset, PIECED * sizeof *snap->offset);
  assert_memory_equal(snap->field[0].data, whole->field[0].data, PIECED * sizeof(double));
  ig_saved saved[] = {{"offset", IG_I64, PIECED, whole->offset},
                      {"few", IG_F64, 3, whole->point},
                      {"noise", IG_F64, PIECED, whole->field[0].data}};
  const ig_checkpoint_head head = {.time = 9, .step = 9, .fingerprint = 42};
  GOOD(cx, ig_checkpoint_write(cx, one, &head, saved, 3, NULL));
  p = (pieces){{saved[0].data, NULL, saved[2].data}, {8, 0, 8}, {PIECED, 0, PIECED}};
  saved[0].data = saved[2].data = NULL;
  GOOD(cx, ig_checkpoint_write(cx, other, &head, saved, 3, &stream));
  files_equal(one, other);
  ig_snapshot_free(whole);
  ig_snapshot_free(snap);
  folder_remove(folder);
  ig_ctx_close(cx);
}

/* The same full disk, met by what is written as it comes: nothing is left of it. */
static void a_full_disk_is_told_in_pieces(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  pieces p;
  const ig_stream stream = {&p, pieces_pass};
  ig_snapshot *whole = noise_snapshot(cx, &p);
  for (int what = 0; what < 2; what++) {
    char *folder = folder_new();
    ig_sink *sink = sink_open(cx, folder, NULL);
    steps(cx, sink, 0, 10);
    GOOD(cx, sink->flush(sink));
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit former, little;
    getrlimit(RLIMIT_FSIZE, &former);
    little = former;
    little.rlim_cur = 100000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    const ig_saved saved[] = {{"noise", IG_F64, 3 * PIECED, NULL}};
    p.row[0] = what ? 8 : 24;
    p.rows[0] = what ? 3 * PIECED : PIECED;
    const ig_status status = what ? sink->checkpoint_rows(sink, 9, 9, saved, 1, &stream)
                                  : sink->snapshot_rows(sink, pieces_snapshot(cx, &stream));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &former), 0);
    assert_int_equal(status, IG_IO);
    SAYS(cx, in_folder(folder, what ? "checkpoint.h5" : "snap_000003.vtkhdf"));
    SAYS(cx, "File too large");
    ig_sink_close(sink);
    ig_restart *restart = NULL;
    GOOD(cx, ig_checkpoint_read(cx, in_folder(folder, "checkpoint.h5"), 42, &restart));
    assert_int_equal(restart->step, 9);
    ig_restart_free(restart);
    assert_false(file_exists(in_folder(folder, "snap_000003.vtkhdf")));
    assert_false(file_exists(in_folder(folder, "snap_000003.vtkhdf.part")));
    assert_false(file_exists(in_folder(folder, "checkpoint.h5.part")));
    folder_remove(folder);
  }
  ig_snapshot_free(whole);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_read_back_and_are_short),
      cmocka_unit_test(pieces_leave_the_same_file),
      cmocka_unit_test(a_full_disk_is_told_in_pieces),
      cmocka_unit_test(json_escapes),
      cmocka_unit_test(only_the_living_are_shown),
      cmocka_unit_test(memory_of_fields_is_used_again),
      cmocka_unit_test(a_snapshot_reads_back),
      cmocka_unit_test(a_grid_packed_once_follows_its_changes),
      cmocka_unit_test(vtk_reads_snapshots),
      cmocka_unit_test(regular_grids_need_no_arrays),
      cmocka_unit_test(noise_is_stored),
      cmocka_unit_test(parts_come_back),
      cmocka_unit_test(a_wrong_grid_is_refused),
      cmocka_unit_test(a_run_leaves_its_files),
      cmocka_unit_test(what_can_be_lost_is_flushed),
      cmocka_unit_test(strange_folders_are_refused),
      cmocka_unit_test(a_restart_goes_on_as_if_nothing_happened),
      cmocka_unit_test(other_columns_after_a_restart_are_refused),
      cmocka_unit_test(a_full_disk_is_told_and_harms_nothing),
  };
  return cmocka_run_group_tests(tests, mesh_fill, NULL);
}
