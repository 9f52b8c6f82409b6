/* HDF5 through a few calls with checks and messages.

   Writing. The file is built in memory (core driver) with a user block of 512 bytes in front.
   ig_h5_save computes length and CRC-32, writes them into the user block (the seal) and stores the
   image atomically. HDF5 therefore never meets a full disk, which it handles badly.

   Reading. Length and checksum are verified before HDF5 sees the file, because the library can
   crash on damaged files. Foreign files have no seal; for them sizes are checked against the length
   of the file, and links to other files are refused. */
#include "io/format/h5.h"
#include "io/format/crc.h"
#include "io/format/atomic_file.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

/* Bytes. SEAL: user block, the smallest size HDF5 allows. CHUNK: piece of a compressed dataset.
   SMALL: arrays below are not compressed. GROW: increment of the image in memory, which
   HDF5 fills with zeros. */
enum { SEAL = 512, CHUNK = 1 << 20, SMALL = 1 << 12, GROW = 1 << 19 };
#define SEAL_FORMAT "Ingot sealed HDF5 1\nbytes %020" PRIu64 "\ncrc32 %08" PRIx32 "\n"

/* HDF5's state is global, and most builds are not thread-safe: one thread at a time in the whole
   process. Recursive, so that this thread can read one file while it writes another. */
static pthread_mutex_t one_at_a_time;
static pthread_once_t one_made = PTHREAD_ONCE_INIT;
static void one_make(void) {
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&one_at_a_time, &how);
  pthread_mutexattr_destroy(&how);
}

/* Types in the file: little endian on every machine, so that files have the same bytes. */
hid_t ig_h5_stored_type(ig_dtype dtype) {
  switch (dtype) {
  case IG_F32:
    return H5T_IEEE_F32LE;
  case IG_F64:
    return H5T_IEEE_F64LE;
  case IG_I32:
    return H5T_STD_I32LE;
  case IG_I64:
    return H5T_STD_I64LE;
  case IG_U8:
    return H5T_STD_U8LE;
  }
  return H5I_INVALID_HID;
}
/* Types in memory, as the compiler has them; HDF5 converts. */
hid_t ig_h5_memory_type(ig_dtype dtype) {
  switch (dtype) {
  case IG_F32:
    return H5T_NATIVE_FLOAT;
  case IG_F64:
    return H5T_NATIVE_DOUBLE;
  case IG_I32:
    return H5T_NATIVE_INT32;
  case IG_I64:
    return H5T_NATIVE_INT64;
  case IG_U8:
    return H5T_NATIVE_UINT8;
  }
  return H5I_INVALID_HID;
}

/* Takes the lock and silences HDF5's error stack, which would print to stderr; ig_h5_close restores
   both. */
static void begin(ig_ctx *cx, const char *path, ig_h5 *h5) {
  *h5 = (ig_h5){.cx = cx, .path = path, .file = -1, .access = -1, .locked = true};
  pthread_once(&one_made, one_make);
  pthread_mutex_lock(&one_at_a_time);
  H5Eget_auto2(H5E_DEFAULT, &h5->former_report, &h5->former_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* we do the talking */
}

/* Allowed after a failed open and twice. The library is not safe for threads as it is usually
   built, so a mutex is locked from begin to here. */
void ig_h5_close(ig_h5 *h5) {
  if (!h5->locked)
    return;
  if (h5->file >= 0)
    H5Fclose(h5->file);
  if (h5->access >= 0)
    H5Pclose(h5->access);
  if (h5->on_disk)
    ig_h5_disk_close(&h5->disk);
  H5Eset_auto2(H5E_DEFAULT, h5->former_report, h5->former_data);
  pthread_mutex_unlock(&one_at_a_time);
  h5->locked = false;
}

/* --- writing: only memory is touched until ig_h5_save */

static ig_status no_memory(ig_h5 *h5, const char *name) {
  return IG_FAIL(h5->cx, IG_MEMORY, "cannot put '%s' together for '%s'", name, h5->path);
}

/* No time stamps and a fixed format version: the same run gives the same bytes. Version 1.8 is
   readable by all programs in use. */
static ig_status file_create(ig_h5 *h5) {
  const hid_t create = H5Pcreate(H5P_FILE_CREATE);
  /* no time stamps anywhere: the same run leaves the same bytes */
  if (create >= 0 && H5Pset_userblock(create, SEAL) >= 0 &&
      H5Pset_obj_track_times(create, false) >= 0 &&
      H5Pset_libver_bounds(h5->access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0)
    h5->file = H5Fcreate(h5->path, H5F_ACC_TRUNC, create, h5->access);
  if (create >= 0)
    H5Pclose(create);
  return h5->file < 0 ? no_memory(h5, "/") : IG_OK;
}

/* The file is built in memory by HDF5's core driver and stored by ig_h5_save, whole or not at all.
 */
ig_status ig_h5_create(ig_ctx *cx, const char *path, ig_h5 *h5) {
  begin(cx, path, h5);
  h5->access = H5Pcreate(H5P_FILE_ACCESS);
  if (h5->access < 0 || H5Pset_fapl_core(h5->access, GROW, false) < 0)
    return no_memory(h5, "/");
  return file_create(h5);
}

/* For files that do not fit into memory twice: written to PATH.part as it grows. */
ig_status ig_h5_create_on_disk(ig_ctx *cx, const char *path, ig_h5 *h5) {
  begin(cx, path, h5);
  h5->on_disk = true;
  h5->disk = (ig_h5_disk){.fd = -1, .driver = -1};
  h5->access = H5Pcreate(H5P_FILE_ACCESS);
  if (h5->access < 0)
    return no_memory(h5, "/");
  IG_TRY(ig_h5_disk_open(cx, path, h5->access, &h5->disk));
  return file_create(h5);
}

/* Groups are made without time stamps too. */
ig_status ig_h5_group(ig_h5 *h5, const char *name) {
  const hid_t create = H5Pcreate(H5P_GROUP_CREATE);
  const hid_t group = create >= 0 && H5Pset_obj_track_times(create, false) >= 0
                          ? H5Gcreate2(h5->file, name, H5P_DEFAULT, create, H5P_DEFAULT)
                          : -1;
  if (create >= 0)
    H5Pclose(create);
  if (group < 0)
    return no_memory(h5, name);
  H5Gclose(group);
  return IG_OK;
}

/* Writes chunks that are already compressed, past HDF5's filters. The dataset declares shuffle and
   deflate, so readers decompress as usual. */
static bool put_compressed(ig_h5_array *a, const void *data, const ig_made_array *made) {
  ig_compressor *compressor = a->h5->compressor;
  const size_t item = ig_dtype_size(a->dtype), row = item * a->chunk[1];
  ig_pieces *pieces = NULL;
  bool good = ig_compress_array(compressor, a->name, data, made, (size_t)a->rows * row,
                                a->chunk[0] * row, item, &pieces);
  for (size_t i = 0; good && i < pieces->count; i++) {
    const hsize_t at[2] = {i * a->chunk[0], 0};
    good = H5Dwrite_chunk(a->set, H5P_DEFAULT, 0, at, pieces->piece[i].size,
                          pieces->piece[i].bytes) >= 0;
  }
  ig_compress_done(compressor, pieces);
  a->written = a->rows;
  return good;
}

/* rows is known in advance; the dataset has a fixed size. Chunks span all components. components 0:
   a list rather than a table with one column. Chunks of at most CHUNK bytes are compressed one by
   one. */
ig_status ig_h5_array_new(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows, int components,
                          ig_h5_array *array) {
  const hsize_t width = components ? (hsize_t)components : 1, size[2] = {(hsize_t)rows, width};
  const int rank = components ? 2 : 1;
  const size_t row = ig_dtype_size(dtype) * width, bytes = (size_t)rows * row;
  const hsize_t most = CHUNK / row ? CHUNK / row : 1;
  *array = (ig_h5_array){.h5 = h5,
                         .name = name,
                         .dtype = dtype,
                         .rows = rows,
                         .rank = rank,
                         .chunk = {size[0] < most ? size[0] : most, width},
                         .compressed = h5->compressor && h5->compressor->level && bytes >= SMALL,
                         .set = -1};
  /* No times are stored with objects, so that the same data gives the same bytes. */
  const hid_t space = H5Screate_simple(rank, size, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
  bool good = space >= 0 && layout >= 0 && H5Pset_obj_track_times(layout, false) >= 0;
  /* Shuffling puts equal bytes of neighbouring numbers side by side, which deflate then compresses
     better. */
  if (good && array->compressed)
    good = H5Pset_chunk(layout, rank, array->chunk) >= 0 && H5Pset_shuffle(layout) >= 0 &&
           H5Pset_deflate(layout, (unsigned)h5->compressor->level) >= 0;
  if (good)
    array->set = H5Dcreate2(h5->file, name, ig_h5_stored_type(dtype), space, H5P_DEFAULT, layout,
                            H5P_DEFAULT);
  if (layout >= 0)
    H5Pclose(layout);
  if (space >= 0)
    H5Sclose(space);
  return array->set < 0 ? no_memory(h5, name) : IG_OK;
}

/* Writes uncompressed rows: the whole array at once, or the next `rows` rows as a hyperslab. */
static bool put_plain(const ig_h5_array *a, const void *data, int64_t rows) {
  if (rows == a->rows)
    return H5Dwrite(a->set, ig_h5_memory_type(a->dtype), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  const hsize_t first[2] = {(hsize_t)a->written, 0}, count[2] = {(hsize_t)rows, a->chunk[1]};
  const hid_t from = H5Screate_simple(a->rank, count, NULL), to = H5Dget_space(a->set);
  const bool good = from >= 0 && to >= 0 &&
                    H5Sselect_hyperslab(to, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
                    H5Dwrite(a->set, ig_h5_memory_type(a->dtype), from, to, H5P_DEFAULT, data) >= 0;
  if (from >= 0)
    H5Sclose(from);
  if (to >= 0)
    H5Sclose(to);
  return good;
}

/* Compresses and writes the chunk at hand, full or the last one. */
static bool chunk_put(ig_h5_array *a, int64_t first) {
  const size_t item = ig_dtype_size(a->dtype), chunk = a->chunk[0] * a->chunk[1] * item;
  const hsize_t at[2] = {(hsize_t)first, 0};
  ig_piece piece = {0};
  const bool good =
      ig_compress_piece(a->h5->compressor->level, a->filling, a->filled, chunk, item, &piece) &&
      H5Dwrite_chunk(a->set, H5P_DEFAULT, 0, at, piece.size, piece.bytes) >= 0;
  free(piece.bytes);
  a->filled = 0;
  return good;
}

/* Rows are collected until a chunk is full, because a chunk can be compressed only as a whole. Rows
   may come in any portions; what does not fill a chunk waits in `filling`. */
ig_status ig_h5_array_put(ig_h5_array *a, const void *data, int64_t rows) {
  const size_t row = ig_dtype_size(a->dtype) * a->chunk[1], chunk = a->chunk[0] * row;
  if (rows < 0 || rows > a->rows - a->written)
    return IG_FAIL(a->h5->cx, IG_ARG, "'%s' of '%s' has more rows than were announced", a->name,
                   a->h5->path);
  bool good = true;
  if (!a->compressed) {
    good = rows == 0 || put_plain(a, data, rows);
    a->written += rows;
    return good ? IG_OK : no_memory(a->h5, a->name);
  }
  if (!a->filling)
    IG_TRY(IG_NEW(a->h5->cx, &a->filling, chunk, "a piece of a file"));
  const unsigned char *from = data;
  for (size_t left = (size_t)rows * row; left && good;) {
    const size_t space = chunk - a->filled, take = left < space ? left : space;
    memcpy(a->filling + a->filled, from, take);
    a->filled += take;
    a->written += (int64_t)(take / row);
    from += take;
    left -= take;
    if (a->filled == chunk)
      good = chunk_put(a, a->written - (int64_t)a->chunk[0]);
  }
  return good ? IG_OK : no_memory(a->h5, a->name);
}

/* The last chunk may be incomplete; it is padded with zeros, which HDF5 ignores. */
ig_status ig_h5_array_end(ig_h5_array *a) {
  const size_t row = ig_dtype_size(a->dtype) * a->chunk[1];
  if (a->written != a->rows)
    return IG_FAIL(a->h5->cx, IG_ARG, "'%s' of '%s' has %" PRId64 " rows of %" PRId64, a->name,
                   a->h5->path, a->written, a->rows);
  bool good = a->filled == 0 || chunk_put(a, a->written - (int64_t)(a->filled / row));
  if (H5Dclose(a->set) < 0)
    good = false;
  a->set = -1;
  return good ? IG_OK : no_memory(a->h5, a->name);
}

/* Allowed after a failure; the array is not complete then. */
void ig_h5_array_close(ig_h5_array *a) {
  if (a->set >= 0)
    H5Dclose(a->set);
  free(a->filling);
  *a = (ig_h5_array){.set = -1};
}

/* Rows of an array that is made, a chunk at a time. */
static ig_status put_made(ig_h5_array *a, const ig_made_array *made) {
  const size_t row = ig_dtype_size(a->dtype) * a->chunk[1];
  const int64_t most = (int64_t)a->chunk[0];
  void *piece;
  ig_status status = ig_alloc(a->h5->cx, &piece, (size_t)most, row, "a piece of a file");
  while (status == IG_OK && a->written < a->rows) {
    const int64_t rows = a->rows - a->written < most ? a->rows - a->written : most;
    made->make(made->user, (size_t)a->written * row, (size_t)rows * row, piece);
    status = ig_h5_array_put(a, piece, rows);
  }
  free(piece);
  return status;
}

/* A whole array at once: chunks in parallel and with the cache of the compressor. data NULL: it is
   made. */
static ig_status put_whole(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows,
                           int components, const void *data, const ig_made_array *made) {
  ig_h5_array a;
  ig_status status = ig_h5_array_new(h5, name, dtype, rows, components, &a);
  if (status == IG_OK && a.compressed) /* by several threads, and what is kept not again */
    status = put_compressed(&a, data, made) ? IG_OK : no_memory(h5, name);
  else if (status == IG_OK)
    status = data || !made ? ig_h5_array_put(&a, data, rows) : put_made(&a, made);
  if (status == IG_OK)
    status = ig_h5_array_end(&a);
  ig_h5_array_close(&a);
  return status;
}

ig_status ig_h5_put(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows, int components,
                    const void *data) {
  return put_whole(h5, name, dtype, rows, components, data, NULL);
}

ig_status ig_h5_put_made(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows, int components,
                         const ig_made_array *made) {
  return put_whole(h5, name, dtype, rows, components, NULL, made);
}

/* count 0: a scalar attribute. */
static ig_status put_attribute(ig_h5 *h5, const char *object, const char *name, hid_t stored,
                               hid_t memory, int count, const void *values) {
  const hsize_t size = (hsize_t)count;
  const hid_t space = count ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate_by_name(h5->file, object, name, stored, space, H5P_DEFAULT,
                                            H5P_DEFAULT, H5P_DEFAULT);
  const bool good = attribute >= 0 && H5Awrite(attribute, memory, values) >= 0;
  if (attribute >= 0)
    H5Aclose(attribute);
  if (space >= 0)
    H5Sclose(space);
  return good ? IG_OK : no_memory(h5, name);
}

/* Fixed-length text without a final 0 (NULLPAD): VTK's readers compare lengths. */
ig_status ig_h5_put_text(ig_h5 *h5, const char *object, const char *name, const char *text) {
  const size_t length = strlen(text);
  const hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0 || H5Tset_size(type, length ? length : 1) < 0 ||
      H5Tset_strpad(type, H5T_STR_NULLPAD) < 0)
    return no_memory(h5, name);
  const ig_status status = put_attribute(h5, object, name, type, type, 0, text);
  H5Tclose(type);
  return status;
}

ig_status ig_h5_put_numbers(ig_h5 *h5, const char *object, const char *name, ig_dtype dtype,
                            int count, const void *values) {
  return put_attribute(h5, object, name, ig_h5_stored_type(dtype), ig_h5_memory_type(dtype), count,
                       values);
}

/* File on the disk: checksum of what was written, then the seal into the user block. */
static ig_status disk_save(ig_h5 *h5) {
  uint32_t crc;
  char seal[SEAL] = "";
  IG_TRY(ig_h5_disk_crc(h5->cx, h5->path, &h5->disk, SEAL, &crc));
  snprintf(seal, sizeof seal, SEAL_FORMAT, h5->disk.end, crc);
  return ig_h5_disk_store(h5->cx, h5->path, &h5->disk, seal, sizeof seal, !h5->soon);
}

/* The core driver's memory is reached by H5Fget_vfd_handle: the image is stored from there without
   a second copy. */
ig_status ig_h5_save(ig_h5 *h5) {
  unsigned char **image = NULL;
  if (H5Fflush(h5->file, H5F_SCOPE_GLOBAL) < 0)
    return no_memory(h5, "/");
  if (h5->on_disk)
    return disk_save(h5);
  const ssize_t end = H5Fget_file_image(h5->file, NULL, 0); /* counted behind the user block */
  if (end < 0 || H5Fget_vfd_handle(h5->file, h5->access, (void **)&image) < 0 || !image || !*image)
    return no_memory(h5, "/");
  const uint64_t bytes = (uint64_t)end + SEAL;
  char seal[SEAL] = "";
  snprintf(seal, sizeof seal, SEAL_FORMAT, bytes,
           ig_crc32_by(h5->cx->threads, *image + SEAL, (size_t)end));
  memcpy(*image, seal, sizeof seal);
  return (h5->soon ? ig_store_soon : ig_store)(h5->cx, h5->path, *image, (size_t)bytes);
}

/* --- reading */

/* Verifies length and checksum of a sealed file. *sealed: it has a seal; *size: bytes of the file.
   The whole head is compared with what it should be, so that changes within it are found too. The
   seal is a text in the user block before the HDF5 file, with its size and CRC-32. A file without
   one comes from another program and is read as it is. */
static ig_status seal_check(ig_ctx *cx, const char *path, bool *sealed, int64_t *size) {
  *sealed = false;
  FILE *f;
  IG_TRY(ig_file_open(cx, path, &f));
  char *buffer = malloc(CHUNK), head[SEAL + 1] = "";
  ig_status status = IG_OK;
  if (!buffer) {
    status = IG_FAIL(cx, IG_MEMORY, "no memory to check '%s'", path);
    goto done;
  }
  /* The head of the file is the user block, with the seal at its start. */
  size_t n = fread(head, 1, SEAL, f);
  *sealed = n >= strlen(IG_SEAL_MAGIC) && memcmp(head, IG_SEAL_MAGIC, strlen(IG_SEAL_MAGIC)) == 0;
  uint64_t bytes = n;
  uint32_t crc = 0;
  /* The checksum covers everything behind the user block; the file is read once, in chunks. */
  while (n && (n = fread(buffer, 1, CHUNK, f)) > 0) {
    if (*sealed)
      crc = ig_crc32(crc, buffer, n);
    bytes += n;
  }
  *size = (int64_t)bytes;
  if (ferror(f)) {
    status = IG_FAIL(cx, IG_IO, "cannot read '%s': %s", path, strerror(errno));
  } else if (*sealed) {
    char expected[SEAL] = "";
    uint64_t said = 0;
    /* A file that was cut off is the usual damage and gets a message of its own. */
    if (sscanf(head + strlen(IG_SEAL_MAGIC), "bytes %20" SCNu64, &said) == 1 && said > bytes)
      status = IG_FAIL(cx, IG_INPUT, "'%s' is cut short: %" PRIu64 " of %" PRIu64 " bytes", path,
                       bytes, said);
    snprintf(expected, sizeof expected, SEAL_FORMAT, bytes, crc);
    if (status == IG_OK && memcmp(expected, head, SEAL) != 0)
      status = IG_FAIL(cx, IG_INPUT, "'%s' is damaged: its checksum does not match", path);
  }
done:
  free(buffer);
  fclose(f);
  return status;
}

/* Called for every link: stops at one that leads out of the file (external or user-defined). A file
   from elsewhere could otherwise read any file of the user. */
static herr_t link_look(hid_t group, const char *name, const H5L_info_t *info, void *user) {
  (void)group;
  if (info->type == H5L_TYPE_HARD || info->type == H5L_TYPE_SOFT)
    return 0;
  snprintf(user, 128, "%.127s", name);
  return 1;
}

/* Opens the file with HDF5 and checks its links. */
static ig_status file_open(ig_ctx *cx, const char *path, int64_t size, ig_h5 *h5) {
  char name[128] = "";
  begin(cx, path, h5);
  h5->size = size;
  h5->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const herr_t found =
      h5->file < 0 ? -1 : H5Lvisit(h5->file, H5_INDEX_NAME, H5_ITER_NATIVE, link_look, name);
  if (found > 0)
    return IG_FAIL(cx, IG_INPUT,
                   "'%s': '%s' is a link to another file, which is not followed: copy what it "
                   "leads to into the file",
                   path, name);
  return found < 0 ? IG_FAIL(cx, IG_INPUT, "'%s' is not an HDF5 file that can be read", path)
                   : IG_OK;
}

/* sealed: refuse files that Ingot did not write, or that have changed since. */
ig_status ig_h5_open(ig_ctx *cx, const char *path, bool sealed, ig_h5 *h5) {
  bool found = false;
  int64_t size = 0;
  *h5 = (ig_h5){.file = -1, .access = -1};
  IG_TRY(seal_check(cx, path, &found, &size));
  if (sealed && !found)
    return IG_FAIL(cx, IG_INPUT, "'%s' is not a file written by Ingot", path);
  return file_open(cx, path, size, h5);
}

/* Without checking the seal again: it was checked before, and the file is large. */
ig_status ig_h5_reopen(ig_ctx *cx, const char *path, ig_h5 *h5) {
  struct stat info;
  *h5 = (ig_h5){.file = -1, .access = -1};
  IG_TRY(ig_file_regular(cx, path));
  if (stat(path, &info) != 0)
    return IG_FAIL(cx, IG_INPUT, "cannot open '%s': %s", path, strerror(errno));
  return file_open(cx, path, (int64_t)info.st_size, h5);
}

/* H5Lexists fails for a path with a missing group, so each prefix is tested. */
bool ig_h5_has(ig_h5 *h5, const char *name) {
  /* HDF5 wants every link on the way checked by itself */
  char part[256];
  for (size_t end = 0; name[end];) {
    end += strspn(name + end, "/");
    end += strcspn(name + end, "/");
    if (end >= sizeof part)
      return false;
    memcpy(part, name, end);
    part[end] = '\0';
    if (H5Lexists(h5->file, part, H5P_DEFAULT) <= 0)
      return false;
  }
  return H5Oexists_by_name(h5->file, name, H5P_DEFAULT) > 0;
}

/* A fault of the file, located by file and dataset. */
static ig_status bad(ig_h5 *h5, const char *name, const char *what) {
  return IG_FAIL(h5->cx, IG_INPUT, "'%s': '%s' %s", h5->path, name, what);
}

/* The type of ours that can represent the stored numbers; false: not numbers. */
static bool nearest_dtype(hid_t set, ig_dtype *dtype) {
  const hid_t type = H5Dget_type(set);
  if (type < 0)
    return false;
  const size_t size = H5Tget_size(type);
  const H5T_class_t class = H5Tget_class(type);
  const bool natural = class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_NONE;
  H5Tclose(type);
  if (class == H5T_FLOAT)
    *dtype = size <= 4 ? IG_F32 : IG_F64;
  else if (class == H5T_INTEGER)
    *dtype = natural && size == 1 ? IG_U8 : size < 4 || (size == 4 && !natural) ? IG_I32 : IG_I64;
  else
    return false;
  return size <= 8;
}

/* Checks rank and size. A damaged or hostile file may claim any size; deflate compresses at most
   1032 : 1, so more than 1100 times the stored bytes is impossible. */
static ig_status look(ig_h5 *h5, hid_t set, const char *name, ig_h5_shape *shape) {
  if (!nearest_dtype(set, &shape->dtype))
    return bad(h5, name, "does not hold plain numbers");
  const hid_t space = H5Dget_space(set);
  hsize_t size[2] = {0, 1};
  const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  const bool good = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, size, NULL) >= 0;
  if (space >= 0)
    H5Sclose(space);
  if (!good)
    return bad(h5, name, "is neither a list nor a table");
  /* no filter of ours compresses a thousandfold: more is a lie about the size */
  const hsize_t stored = H5Dget_storage_size(set);
  if (size[1] < 1 || size[1] > 1024 || size[0] > INT64_MAX / 8192 ||
      (size[0] && (stored > (hsize_t)h5->size || size[0] > 1100 * stored)))
    return bad(h5, name, "claims a size that the file cannot hold");
  shape->rows = (int64_t)size[0];
  shape->components = (int)size[1];
  return IG_OK;
}

/* Virtual datasets and external storage have their values in other files and are refused. */
ig_status ig_h5_set_open(ig_h5 *h5, const char *name, hid_t *set) {
  *set = ig_h5_has(h5, name) ? H5Dopen2(h5->file, name, H5P_DEFAULT) : -1;
  if (*set < 0)
    return bad(h5, name, "is missing");
  const hid_t how = H5Dget_create_plist(*set);
  const bool own = how >= 0 && H5Pget_layout(how) != H5D_VIRTUAL && H5Pget_external_count(how) == 0;
  if (how >= 0)
    H5Pclose(how);
  if (own)
    return IG_OK;
  H5Dclose(*set);
  *set = -1;
  return bad(h5, name, "has its values in another file, which is not read");
}

/* Shape and type without the values, so that a caller can check them before allocating. */
ig_status ig_h5_look(ig_h5 *h5, const char *name, ig_h5_shape *shape) {
  hid_t set;
  IG_TRY(ig_h5_set_open(h5, name, &set));
  const ig_status status = look(h5, set, name, shape);
  H5Dclose(set);
  return status;
}

/* Real numbers and integers are not converted into each other: that would be a sign of another
   array. The shape must be as expected; numbers are converted by HDF5, but never between whole and
   real ones. */
ig_status ig_h5_get(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows, int components,
                    void *data) {
  hid_t set;
  IG_TRY(ig_h5_set_open(h5, name, &set));
  ig_h5_shape shape = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, look(h5, set, name, &shape));
  const bool real = shape.dtype == IG_F32 || shape.dtype == IG_F64;
  if (shape.rows != rows || shape.components != components)
    status = IG_FAIL(h5->cx, IG_INPUT,
                     "'%s': '%s' is %" PRId64 " x %d values, expected %" PRId64 " x %d", h5->path,
                     name, shape.rows, shape.components, rows, components);
  else if (real != (dtype == IG_F32 || dtype == IG_F64))
    status = bad(h5, name,
                 real ? "holds real numbers, expected integers"
                      : "holds integers, expected real numbers");
  else if (rows && H5Dread(set, ig_h5_memory_type(dtype), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    status = bad(h5, name, "cannot be read");
done:
  H5Dclose(set);
  return status;
}

/* Part of a list, for checkpoints read in pieces. Items begin to begin + count of a list; `data`
   has room for them. Nothing is converted here. */
ig_status ig_h5_get_some(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t begin, int64_t count,
                         void *data) {
  hid_t set;
  IG_TRY(ig_h5_set_open(h5, name, &set));
  ig_h5_shape shape = {0};
  const hsize_t from = (hsize_t)begin, items = (hsize_t)count;
  ig_status status = look(h5, set, name, &shape);
  if (status == IG_OK && (shape.components != 1 || shape.dtype != dtype || begin < 0 || count < 0 ||
                          begin > shape.rows - count))
    status = bad(h5, name, "is no list as long as it was");
  if (status == IG_OK && count > 0) {
    const hid_t file = H5Dget_space(set), memory = H5Screate_simple(1, &items, NULL);
    if (file < 0 || memory < 0 ||
        H5Sselect_hyperslab(file, H5S_SELECT_SET, &from, NULL, &items, NULL) < 0 ||
        H5Dread(set, ig_h5_memory_type(dtype), memory, file, H5P_DEFAULT, data) < 0)
      status = bad(h5, name, "cannot be read");
    if (file >= 0)
      H5Sclose(file);
    if (memory >= 0)
      H5Sclose(memory);
  }
  H5Dclose(set);
  return status;
}

/* Allocated only after the size was checked. */
ig_status ig_h5_get_new(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows, int components,
                        void **data) {
  ig_h5_shape shape = {0};
  *data = NULL;
  IG_TRY(ig_h5_look(h5, name, &shape));
  if (shape.rows == rows && shape.components == components)
    IG_TRY(ig_alloc(h5->cx, data, (size_t)rows, ig_dtype_size(dtype) * (size_t)components, name));
  const ig_status status = ig_h5_get(h5, name, dtype, rows, components, *data);
  if (status != IG_OK) {
    free(*data);
    *data = NULL;
  }
  return status;
}

/* -1: there is no such object or attribute. The caller closes it. */
static hid_t attribute_open(ig_h5 *h5, const char *object, const char *name) {
  if (strcmp(object, "/") != 0 && !ig_h5_has(h5, object))
    return -1;
  return H5Aexists_by_name(h5->file, object, name, H5P_DEFAULT) > 0
             ? H5Aopen_by_name(h5->file, object, name, H5P_DEFAULT, H5P_DEFAULT)
             : -1;
}

/* Texts of fixed or variable length; both occur in files of other programs. Fixed and variable
   strings are both read, cut to size - 1 bytes. Variable ones are allocated by HDF5 and freed
   here. */
bool ig_h5_has_attribute(ig_h5 *h5, const char *object, const char *name) {
  return H5Aexists_by_name(h5->file, object, name, H5P_DEFAULT) > 0;
}

ig_status ig_h5_get_text(ig_h5 *h5, const char *object, const char *name, char *text, size_t size) {
  const hid_t attribute = attribute_open(h5, object, name);
  if (attribute < 0)
    return bad(h5, name, "is missing");
  memset(text, 0, size);
  const hid_t type = H5Aget_type(attribute);
  bool good = false;
  if (type >= 0 && H5Tget_class(type) == H5T_STRING) {
    if (H5Tis_variable_str(type) > 0) {
      char *found = NULL;
      good = H5Aget_storage_size(attribute) <= sizeof found &&
             H5Aread(attribute, type, &found) >= 0 && found && strlen(found) < size;
      if (good)
        memcpy(text, found, strlen(found));
      if (found)
        H5free_memory(found);
    } else {
      good = H5Aget_storage_size(attribute) < size && H5Aread(attribute, type, text) >= 0;
    }
  }
  if (type >= 0)
    H5Tclose(type);
  H5Aclose(attribute);
  return good ? IG_OK : bad(h5, name, "is not a short text");
}

/* count 0: a scalar attribute. The number of values must agree. */
ig_status ig_h5_get_numbers(ig_h5 *h5, const char *object, const char *name, ig_dtype dtype,
                            int count, void *values) {
  const hid_t attribute = attribute_open(h5, object, name);
  if (attribute < 0)
    return bad(h5, name, "is missing");
  const hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
  const bool real = dtype == IG_F32 || dtype == IG_F64;
  const bool good = space >= 0 && type >= 0 &&
                    H5Sget_simple_extent_npoints(space) == (count ? count : 1) &&
                    H5Tget_class(type) == (real ? H5T_FLOAT : H5T_INTEGER) &&
                    H5Aread(attribute, ig_h5_memory_type(dtype), values) >= 0;
  if (type >= 0)
    H5Tclose(type);
  if (space >= 0)
    H5Sclose(space);
  H5Aclose(attribute);
  return good ? IG_OK : bad(h5, name, "does not hold the numbers expected");
}

/* By name in alphabetical order; names longer than 255 bytes are skipped. */
ig_status ig_h5_list(ig_h5 *h5, const char *group, ig_h5_each *each, void *user) {
  if (!ig_h5_has(h5, group))
    return bad(h5, group, "is missing");
  const hid_t id = H5Gopen2(h5->file, group, H5P_DEFAULT);
  H5G_info_t info;
  if (id < 0)
    return bad(h5, group, "is not a group");
  ig_status status = H5Gget_info(id, &info) < 0 ? bad(h5, group, "cannot be listed") : IG_OK;
  for (hsize_t i = 0; status == IG_OK && i < info.nlinks; i++) {
    char name[256];
    const ssize_t length =
        H5Lget_name_by_idx(id, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    if (length < 0)
      status = bad(h5, group, "cannot be listed");
    else if ((size_t)length < sizeof name)
      status = each(h5, name, user);
  }
  H5Gclose(id);
  return status;
}
