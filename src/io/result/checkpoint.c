/* Checkpoints: named arrays with checksums in a sealed HDF5 file, group "checkpoint". Attributes of
   the group: format, version and commit of the program, fingerprint of case and mesh, time, step.
   Each array has its own CRC-32, because the seal of the file is not verified again when arrays are
   read in pieces. */
#include "io/result/checkpoint.h"
#include "core/version.h"
#include "io/format/crc.h"
#include "io/format/h5.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "checkpoint"
/* FORMAT changes when the layout changes, of the file or of a room's arrays; other formats are
   refused with the program that wrote them. 2: dynamics and stress have saved more since 0.1.0. */
enum { FORMAT = 2, MOST_ARRAYS = 4096 };

/* An array that is written in pieces, with its checksum so far. */
typedef struct {
  ig_h5_array array;
  size_t size; /* bytes per item */
  uint32_t crc;
} putting;

/* Rows are written and hashed as they come: the array need never be in memory as a whole. */
static ig_status rows_put(void *user, const void *rows, int64_t count) {
  putting *p = user;
  p->crc = ig_crc32(p->crc, rows, (size_t)count * p->size);
  return ig_h5_array_put(&p->array, rows, count);
}

static ig_status rows_write(ig_h5 *h5, const char *name, const ig_saved *saved,
                            const ig_stream *rows, int array, int64_t *crc) {
  putting p = {.size = ig_dtype_size(saved->dtype)};
  ig_status status = ig_h5_array_new(h5, name, saved->dtype, saved->count, 0, &p.array);
  if (status == IG_OK)
    status = rows->pass(rows->self, array, rows_put, &p);
  if (status == IG_OK)
    status = ig_h5_array_end(&p.array);
  ig_h5_array_close(&p.array);
  *crc = p.crc;
  return status;
}

/* array: number of the array in `rows`, used if saved->data is NULL (streamed from ranks). */
static ig_status array_write(ig_h5 *h5, const ig_saved *saved, const ig_stream *rows, int array) {
  char name[256];
  if (!saved->name[0] || strchr(saved->name, '/') || strlen(saved->name) > 200 || saved->count < 0)
    return IG_FAIL(h5->cx, IG_ARG, "checkpoint array '%s' of %" PRId64 " items", saved->name,
                   saved->count);
  snprintf(name, sizeof name, ROOT "/%s", saved->name);
  int64_t crc;
  if (rows && !saved->data && saved->count > 0) {
    IG_TRY(rows_write(h5, name, saved, rows, array, &crc));
  } else {
    crc = ig_crc32_by(h5->cx->threads, saved->data,
                      (size_t)saved->count * ig_dtype_size(saved->dtype));
    IG_TRY(ig_h5_put(h5, name, saved->dtype, saved->count, 0, saved->data));
  }
  return ig_h5_put_numbers(h5, name, "crc32", IG_I64, 0, &crc);
}

/* A streamed checkpoint is written on the disk, because it may exceed the memory of rank 0. rows
   NULL: all arrays are in memory. A checksum of each array is stored beside it; the file itself is
   sealed. */
ig_status ig_checkpoint_write(ig_ctx *cx, const char *path, const ig_checkpoint_head *head,
                              const ig_saved *saved, int count, const ig_stream *rows) {
  static const int64_t format = FORMAT;
  const int64_t fingerprint = (int64_t)head->fingerprint;
  ig_h5 h5;
  ig_status status;
  IG_TRY_GOTO(status, done,
              rows ? ig_h5_create_on_disk(cx, path, &h5) : ig_h5_create(cx, path, &h5));
  h5.soon = head->soon;
  IG_TRY_GOTO(status, done, ig_h5_group(&h5, ROOT));
  IG_TRY_GOTO(status, done, ig_h5_put_numbers(&h5, ROOT, "format", IG_I64, 0, &format));
  IG_TRY_GOTO(status, done, ig_h5_put_text(&h5, ROOT, "version", ig_version()));
  IG_TRY_GOTO(status, done, ig_h5_put_text(&h5, ROOT, "commit", ig_commit()));
  IG_TRY_GOTO(status, done, ig_h5_put_numbers(&h5, ROOT, "fingerprint", IG_I64, 0, &fingerprint));
  IG_TRY_GOTO(status, done, ig_h5_put_numbers(&h5, ROOT, "time", IG_F64, 0, &head->time));
  IG_TRY_GOTO(status, done, ig_h5_put_numbers(&h5, ROOT, "step", IG_I64, 0, &head->step));
  for (int i = 0; i < count; i++)
    IG_TRY_GOTO(status, done, array_write(&h5, &saved[i], rows, i));
  status = ig_h5_save(&h5);
done:
  ig_h5_close(&h5);
  return status;
}

/* Checksum of an array, with one piece of 2 MiB in memory at a time. */
static ig_status crc_read(ig_h5 *h5, const char *name, const ig_saved *saved, uint32_t *crc) {
  enum { PIECE = 2 << 20 };
  const size_t size = ig_dtype_size(saved->dtype);
  const int64_t most = PIECE / (int64_t)size;
  char *piece;
  ig_status status = IG_NEW(h5->cx, &piece, PIECE, "checkpoint");
  *crc = 0;
  for (int64_t at = 0, n; at < saved->count && status == IG_OK; at += n) {
    n = saved->count - at < most ? saved->count - at : most;
    status = ig_h5_get_some(h5, name, saved->dtype, at, n, piece);
    *crc = ig_crc32(*crc, piece, (size_t)n * size);
  }
  free(piece);
  return status;
}

/* Reads a range of an array from a file whose seal was verified before. */
static ig_status rows_read(ig_ctx *cx, const ig_restart *from, const ig_saved *saved, int64_t begin,
                           int64_t count, void *to) {
  char name[300];
  ig_h5 h5;
  snprintf(name, sizeof name, ROOT "/%s", saved->name);
  ig_status status = ig_h5_reopen(cx, from->path, &h5);
  if (status == IG_OK)
    status = ig_h5_get_some(&h5, name, saved->dtype, begin, count, to);
  ig_h5_close(&h5);
  return status;
}

/* Called for each array. Without data (restart->read set) only the checksum is verified. Called for
   each array of the file. Its size comes from a sealed file but is checked all the same. */
static ig_status array_read(ig_h5 *h5, const char *name, void *user) {
  ig_restart *restart = user;
  char whole[300];
  snprintf(whole, sizeof whole, ROOT "/%s", name);
  ig_h5_shape shape = {0};
  IG_TRY(ig_h5_look(h5, whole, &shape));
  if (restart->count == MOST_ARRAYS)
    return IG_FAIL(h5->cx, IG_INPUT, "'%s': more than %d arrays", h5->path, MOST_ARRAYS);
  IG_TRY(IG_MORE(h5->cx, &restart->saved, restart->count, "checkpoint arrays"));
  ig_saved *saved = &restart->saved[restart->count];
  *saved = (ig_saved){.name = strdup(name), .dtype = shape.dtype, .count = shape.rows};
  if (!saved->name)
    return IG_FAIL(h5->cx, IG_MEMORY, "no memory for checkpoint array '%s'", name);
  restart->count++;
  /* The checksum of each array was written with it. */
  int64_t crc = -1;
  uint32_t found;
  IG_TRY(ig_h5_get_numbers(h5, whole, "crc32", IG_I64, 0, &crc));
  /* Arrays of a run on ranks are read later, in parts; here only their checksum is verified. */
  if (restart->read) {
    IG_TRY(crc_read(h5, whole, saved, &found));
  } else {
    IG_TRY(ig_h5_get_new(h5, whole, shape.dtype, shape.rows, 1, &saved->data));
    found = ig_crc32_by(h5->cx->threads, saved->data,
                        (size_t)saved->count * ig_dtype_size(saved->dtype));
  }
  if (crc != found)
    return IG_FAIL(h5->cx, IG_INPUT, "'%s': array '%s' is damaged: its checksum does not match",
                   h5->path, name);
  return IG_OK;
}

/* A text of the head; "?" if it is missing (files of older versions). */
static void head_text(ig_h5 *h5, const char *name, char *text, size_t size) {
  ig_ctx *const cx = h5->cx;
  if (ig_h5_get_text(h5, ROOT, name, text, size) == IG_OK && *text)
    return;
  snprintf(text, size, "?");
  cx->status = IG_OK;
  cx->message[0] = '\0';
}

/* Fails unless the file is a checkpoint of the format that this program reads. */
static ig_status format_check(ig_h5 *h5) {
  int64_t format = 0;
  char version[32], commit[64];
  if (!ig_h5_has(h5, ROOT))
    return IG_FAIL(h5->cx, IG_INPUT, "'%s' is not a checkpoint", h5->path);
  IG_TRY(ig_h5_get_numbers(h5, ROOT, "format", IG_I64, 0, &format));
  if (format == FORMAT)
    return IG_OK;
  head_text(h5, "version", version, sizeof version);
  head_text(h5, "commit", commit, sizeof commit);
  return IG_FAIL(h5->cx, IG_INPUT,
                 "'%s': checkpoint format %" PRId64 " of Ingot %s, commit %s; this Ingot %s, "
                 "commit %s, reads format %d: continue with that program, or start anew",
                 h5->path, format, version, commit, ig_version(), ig_commit(), FORMAT);
}

/* Another state of the program may compute otherwise: the result is of neither alone. */
static void writer_warn(ig_h5 *h5) {
  char version[32], commit[64];
  head_text(h5, "version", version, sizeof version);
  head_text(h5, "commit", commit, sizeof commit);
  if (strcmp(version, ig_version()) != 0 || strcmp(commit, ig_commit()) != 0)
    ig_warn(h5->cx,
            "'%s' was written by Ingot %s, commit %s, and is continued by %s, commit %s, which may "
            "compute otherwise",
            h5->path, version, commit, ig_version(), ig_commit());
}

/* Also refuses values that cannot be, so that a damaged head does not start a run. */
static ig_status head_read(ig_h5 *h5, uint64_t fingerprint, ig_restart *restart) {
  int64_t found = 0;
  IG_TRY(format_check(h5));
  IG_TRY(ig_h5_get_numbers(h5, ROOT, "fingerprint", IG_I64, 0, &found));
  if ((uint64_t)found != fingerprint)
    return IG_FAIL(h5->cx, IG_INPUT,
                   "'%s' was written by another case: continue with the case as it was", h5->path);
  IG_TRY(ig_h5_get_numbers(h5, ROOT, "time", IG_F64, 0, &restart->time));
  IG_TRY(ig_h5_get_numbers(h5, ROOT, "step", IG_I64, 0, &restart->step));
  if (!isfinite(restart->time) || restart->step < 0)
    return IG_FAIL(h5->cx, IG_INPUT, "'%s': time %g at step %" PRId64 " cannot be", h5->path,
                   restart->time, restart->step);
  return IG_OK;
}

/* Opens the file, which verifies its seal: the whole file is read once. */
ig_status ig_checkpoint_belongs(ig_ctx *cx, const char *path, uint64_t fingerprint, bool *same) {
  int64_t found = 0;
  ig_h5 h5;
  *same = false;
  ig_status status = ig_h5_open(cx, path, true, &h5);
  if (status == IG_OK)
    status = format_check(&h5);
  if (status == IG_OK)
    status = ig_h5_get_numbers(&h5, ROOT, "fingerprint", IG_I64, 0, &found);
  *same = status == IG_OK && (uint64_t)found == fingerprint;
  ig_h5_close(&h5);
  return status;
}

/* whole: arrays are loaded; otherwise read on demand. whole false: arrays are read later, in parts,
   which a run on ranks needs. The fingerprint must be that of the case. */
static ig_status restart_make(ig_ctx *cx, const char *path, uint64_t fingerprint, bool whole,
                              ig_restart **out) {
  ig_restart *restart = NULL;
  ig_h5 h5;
  ig_status status;
  *out = NULL;
  IG_TRY_GOTO(status, done, ig_h5_open(cx, path, true, &h5));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &restart, 1, "checkpoint"));
  /* Otherwise all arrays are read at once. */
  if (!whole) {
    restart->read = rows_read;
    restart->path = strdup(path);
    if (!restart->path)
      IG_TRY_GOTO(status, done, IG_FAIL(cx, IG_MEMORY, "no memory for a checkpoint"));
  }
  IG_TRY_GOTO(status, done, head_read(&h5, fingerprint, restart));
  writer_warn(&h5);
  status = ig_h5_list(&h5, ROOT, array_read, restart);
done:
  ig_h5_close(&h5);
  if (status == IG_OK)
    *out = restart;
  else
    ig_restart_free(restart);
  return status;
}

ig_status ig_checkpoint_read(ig_ctx *cx, const char *path, uint64_t fingerprint,
                             ig_restart **restart) {
  return restart_make(cx, path, fingerprint, true, restart);
}
ig_status ig_checkpoint_open(ig_ctx *cx, const char *path, uint64_t fingerprint,
                             ig_restart **restart) {
  return restart_make(cx, path, fingerprint, false, restart);
}
