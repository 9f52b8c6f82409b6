/* A virtual file driver for HDF5 that writes a file on the disk while it grows.

   HDF5's own drivers report a full disk in the middle of a call, after which the library may not
   even be able to close the file. Here write always succeeds as far as HDF5 knows; the first error
   is stored and reported by ig_h5_disk_crc. The bytes equal those of the driver in memory, so
   features and flags are those of the core driver. */
#include "io/format/h5_disk.h"
#include "io/format/crc.h"
#include "io/format/atomic_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

/* Bytes read at once for the checksum. */
enum { PIECE = 1 << 20 }; /* bytes read at once for the checksum */

/* --- the driver */

/* HDF5 allocates nothing: it calls file_open, which makes this struct. `pub` must come first. */
typedef struct {
  H5FD_t pub; /* HDF5's, first */
  ig_h5_disk *disk;
} file;

/* Driver information in the access list, by which file_open finds its state. HDF5 copies it. */
typedef struct {
  ig_h5_disk *disk;
} info;

/* HDF5 calls this from H5Fcreate. The name is not used: the descriptor is open already. */
static H5FD_t *file_open(const char *name, unsigned flags, hid_t access, haddr_t most) {
  const info *given = H5Pget_driver_info(access);
  file *f = given ? calloc(1, sizeof *f) : NULL;
  (void)name, (void)flags, (void)most;
  if (f)
    f->disk = given->disk;
  return f ? &f->pub : NULL;
}

static herr_t file_close(H5FD_t *f) {
  free(f);
  return 0;
}

/* Feature flags influence how HDF5 places metadata; those of the core driver give the same
   bytes. */
static herr_t file_query(const H5FD_t *f, unsigned long *flags) {
  (void)f;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA; /* those of the driver that keeps files in memory */
  return 0;
}

static haddr_t file_end(const H5FD_t *f, H5FD_mem_t type) {
  (void)type;
  return ((const file *)f)->disk->end;
}

/* HDF5 announces the end of the allocated space; bytes up to it may never be written. */
static herr_t file_end_set(H5FD_t *f, H5FD_mem_t type, haddr_t end) {
  (void)type;
  ((file *)f)->disk->end = end;
  return 0;
}

/* Parts never written, or lost by an error, read as zeros, as in memory. */
static herr_t file_read(H5FD_t *f, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                        void *bytes) {
  const ig_h5_disk *disk = ((const file *)f)->disk;
  char *to = bytes;
  (void)type, (void)transfer;
  while (size && disk->fd >= 0) {
    const ssize_t n = pread(disk->fd, to, size, (off_t)at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    to += n;
    at += (haddr_t)n;
    size -= (size_t)n;
  }
  memset(to, 0, size);
  return 0;
}

/* After the first error nothing more is written. */
static void disk_write(ig_h5_disk *disk, uint64_t at, const char *from, size_t size) {
  while (size && disk->fd >= 0 && !disk->error) {
    const ssize_t n = pwrite(disk->fd, from, size, (off_t)at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      disk->error = n < 0 ? errno : ENOSPC;
      return;
    }
    from += n;
    at += (uint64_t)n;
    size -= (size_t)n;
  }
}

/* Never fails towards HDF5, which would leave its structures undefined: the error is kept and
   reported at the end. */
static herr_t file_write(H5FD_t *f, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                         const void *bytes) {
  (void)type, (void)transfer;
  disk_write(((file *)f)->disk, at, bytes, size);
  return 0;
}

/* No other process knows the file, so locking does nothing. The functions must exist all the same:
   HDF5 records in the file's head whether a driver can lock, and the core driver can. */
static herr_t file_lock(H5FD_t *f, hbool_t writes) {
  (void)f, (void)writes;
  return 0;
}
static herr_t file_unlock(H5FD_t *f) {
  (void)f;
  return 0;
}

/* The class that HDF5 calls; functions that are left out are not needed for a file that is written
   once. */
static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* of 512 to 65535, free for anybody */
#endif
    .name = "ingot",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(info),
    .open = file_open,
    .close = file_close,
    .query = file_query,
    .get_eoa = file_end,
    .set_eoa = file_end_set,
    .get_eof = file_end,
    .read = file_read,
    .write = file_write,
    .lock = file_lock,
    .unlock = file_unlock,
    .fl_map = H5FD_FLMAP_DICHOTOMY};

/* --- the file */

static ig_status cannot(ig_ctx *cx, const char *what, const char *path, int error) {
  return IG_FAIL(cx, IG_IO, "cannot %s '%s': %s", what, path, strerror(error));
}

/* On failure nothing is left open, and a file of the name PATH.part may remain empty. */
ig_status ig_h5_disk_open(ig_ctx *cx, const char *path, hid_t access, ig_h5_disk *disk) {
  *disk = (ig_h5_disk){.fd = -1, .driver = -1};
  const size_t length = strlen(path) + sizeof IG_PART;
  disk->part = malloc(length);
  if (!disk->part)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  snprintf(disk->part, length, "%s" IG_PART, path);
  disk->fd = ig_partition_create(disk->part);
  if (disk->fd < 0)
    return cannot(cx, "create", path, errno);
  const info given = {disk};
  disk->driver = H5FDregister(&driver);
  return disk->driver < 0 || H5Pset_driver(access, disk->driver, &given) < 0
             ? IG_FAIL(cx, IG_MEMORY, "HDF5 takes no driver for '%s'", path)
             : IG_OK;
}

/* The file is truncated to the end address, because HDF5 may have allocated more than it wrote. The
   checksum is computed by reading back what is on the disk. The file is read back in pieces, as
   HDF5 writes in no order. Gaps count as zeros: ftruncate makes them so. */
ig_status ig_h5_disk_crc(ig_ctx *cx, const char *path, ig_h5_disk *disk, size_t seal,
                         uint32_t *crc) {
  if (disk->error)
    return cannot(cx, "write", path, disk->error);
  if (ftruncate(disk->fd, (off_t)disk->end) != 0)
    return cannot(cx, "write", path, errno);
  char *bytes;
  IG_TRY(IG_NEW(cx, &bytes, PIECE, "checksum"));
  ig_status status = IG_OK;
  *crc = 0;
  for (uint64_t at = seal; at < disk->end && status == IG_OK;) {
    const uint64_t left = disk->end - at;
    const ssize_t n = pread(disk->fd, bytes, left < PIECE ? left : PIECE, (off_t)at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      status = cannot(cx, "read back", path, n < 0 ? errno : EIO);
    else
      *crc = ig_crc32(*crc, bytes, (size_t)n);
    at += n > 0 ? (uint64_t)n : 0;
  }
  free(bytes);
  return status;
}

/* Writes the seal, then closes: HDF5 flushes nothing of importance afterwards, and writes with fd
   -1 are ignored. */
ig_status ig_h5_disk_store(ig_ctx *cx, const char *path, ig_h5_disk *disk, const void *seal,
                           size_t size, bool flush) {
  disk_write(disk, 0, seal, size);
  if (disk->error)
    return cannot(cx, "write", path, disk->error);
  const int fd = disk->fd;
  disk->fd = -1; /* what HDF5 writes when it closes is there already */
  const ig_status status = ig_partition_finish(cx, fd, disk->part, path, flush);
  free(disk->part);
  disk->part = NULL;
  return status;
}

/* Removes the partial file if it was not stored. */
void ig_h5_disk_close(ig_h5_disk *disk) {
  if (disk->driver >= 0)
    H5FDunregister(disk->driver);
  if (disk->fd >= 0)
    close(disk->fd);
  if (disk->fd >= 0 && disk->part)
    unlink(disk->part);
  free(disk->part);
  *disk = (ig_h5_disk){.fd = -1, .driver = -1};
}
