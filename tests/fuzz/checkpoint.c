/* Checkpoints and snapshots from nowhere. An input is either a file as it is, or a recipe: bytes
   that say which groups, arrays and attributes go into a sound HDF5 file, under the right names
   and the wrong ones, so that the readers' own checks are met and not only the seal. (A snapshot
   without a seal, another program's, is as safe to read as HDF5 is: not tried here.) */
#include "io/result/checkpoint.h"
#include "io/format/h5.h"
#include "io/result/vtkhdf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const uint8_t *at, *end;
} bytes;

static unsigned take(bytes *b) {
  return b->at < b->end ? *b->at++ : 0;
}

static const char *const groups[] = {"checkpoint", "VTKHDF", "VTKHDF/PointData", "VTKHDF/CellData",
                                     "VTKHDF/FieldData"};
static const char *const sets[] = {"checkpoint/T",
                                   "checkpoint/u",
                                   "VTKHDF/NumberOfPoints",
                                   "VTKHDF/NumberOfCells",
                                   "VTKHDF/NumberOfConnectivityIds",
                                   "VTKHDF/Points",
                                   "VTKHDF/Connectivity",
                                   "VTKHDF/Offsets",
                                   "VTKHDF/Types",
                                   "VTKHDF/PointData/T",
                                   "VTKHDF/CellData/T",
                                   "VTKHDF/CellData",
                                   "VTKHDF/FieldData/TimeValue",
                                   "VTKHDF/FieldData/Step"};
static const char *const attributes[] = {"format", "fingerprint", "time", "step",
                                         "crc32",  "Version",     "Type", "unit"};
#define PICK(list, n) (list)[(n) % (sizeof(list) / sizeof *(list))]

static void values(bytes *b, ig_dtype dtype, int count, void *to) {
  for (int i = 0; i < count; i++) {
    const int v = (int)take(b) - (take(b) & 1 ? 200 : 0);
    switch (dtype) {
    case IG_F32:
      ((float *)to)[i] = (float)v;
      break;
    case IG_F64:
      ((double *)to)[i] = v == 77 ? (double)NAN : v;
      break;
    case IG_I32:
      ((int32_t *)to)[i] = v;
      break;
    case IG_I64:
      ((int64_t *)to)[i] = v == 77 ? INT64_MAX : v;
      break;
    case IG_U8:
      ((uint8_t *)to)[i] = (uint8_t)v;
      break;
    }
  }
}

/* Each step of a recipe may fail (a name twice, a group that is not there): the next goes on. */
static void cook(ig_ctx *cx, bytes b, const char *path) {
  ig_h5 h5;
  ig_compressor compressor = {0};
  ig_status ignored = ig_h5_create(cx, path, &h5);
  for (size_t i = 0; ignored == IG_OK && i < sizeof groups / sizeof *groups; i++)
    if (take(&b))
      (void)!ig_h5_group(&h5, groups[i]);
  while (ignored == IG_OK && b.at < b.end) {
    int64_t buffer[64];
    const unsigned what = take(&b);
    const ig_dtype dtype = (ig_dtype)(take(&b) % 5);
    const char *set = PICK(sets, take(&b));
    compressor.level = (int)(what / 4 % 10);
    h5.compressor = &compressor;
    switch (what % 4) {
    case 0:
    case 1: {
      const int rows = (int)(take(&b) % 16), components = (int)(take(&b) % 4);
      values(&b, dtype, rows * (components ? components : 1), buffer);
      (void)!ig_h5_put(&h5, set, dtype, rows, components, buffer);
      break;
    }
    case 2: {
      const char *object = take(&b) % 2 ? set : PICK(groups, take(&b));
      const int count = (int)(take(&b) % 3);
      const char *name = PICK(attributes, take(&b));
      values(&b, dtype, count ? count : 1, buffer);
      (void)!ig_h5_put_numbers(&h5, object, name, dtype, count, buffer);
      break;
    }
    default: {
      const char *object = take(&b) % 2 ? set : PICK(groups, take(&b));
      const char *name = PICK(attributes, take(&b));
      (void)!ig_h5_put_text(&h5, object, name, take(&b) % 2 ? "UnstructuredGrid" : "ImageData");
    }
    }
  }
  if (ignored == IG_OK)
    ignored = ig_h5_save(&h5);
  ig_h5_close(&h5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char recipe[] = "recipe\n";
  char path[64];
  snprintf(path, sizeof path, "fuzz_checkpoint.%ld", (long)getpid());
  ig_ctx *cx = NULL;
  if (ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1}, &cx) != IG_OK)
    abort();
  const bool cooked = size >= sizeof recipe - 1 && memcmp(data, recipe, sizeof recipe - 1) == 0;
  if (cooked) {
    cook(cx, (bytes){data + sizeof recipe - 1, data + size}, path);
  } else {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
      abort();
  }
  const bool sealed = cooked || (size > 20 && memcmp(data, "Ingot sealed HDF5 1\n", 20) == 0);
  ig_restart *restart = NULL;
  ig_snapshot *snap = NULL;
  cx->message[0] = '\0';
  if (ig_checkpoint_read(cx, path, 7, &restart) == IG_OK) {
    const void *found;
    int64_t count;
    for (int i = 0; i < restart->count; i++)
      if (ig_restart_find_any(cx, restart, restart->saved[i].name, restart->saved[i].dtype, &count,
                              &found) != IG_OK)
        abort();
  } else if (!strstr(cx->message, path)) {
    abort(); /* a refusal names the file */
  }
  cx->message[0] = '\0';
  if (sealed && ig_snapshot_read(cx, path, &snap) == IG_OK) {
    for (int64_t c = 0; c < snap->cells; c++)
      for (int64_t i = snap->offset[c]; i < snap->offset[c + 1]; i++)
        if (snap->corner[i] < 0 || snap->corner[i] >= snap->points)
          abort();
  } else if (sealed && !strstr(cx->message, path)) {
    abort();
  }
  ig_restart_free(restart);
  ig_snapshot_free(snap);
  ig_ctx_close(cx);
  unlink(path);
  return 0;
}
