/* HDF5 files that are written on the disk while they grow, for content that is not in memory as a
   whole. HDF5 uses a driver of ours whose writes never fail; a full disk is recorded here and
   reported by ig_h5_save. */
#ifndef IG_IO_FORMAT_H5_DISK_H
#define IG_IO_FORMAT_H5_DISK_H

#include "core/ctx.h"
#include <hdf5.h>

/* State of one file; must not move while HDF5 has it open. */
typedef struct {
  int fd;    /* -1: closed, and writes go nowhere */
  int error; /* errno of the first call that failed */
  /* Bytes of the file so far (HDF5's end of allocation). */
  uint64_t end;
  char *part; /* the file's name until it is whole */
  hid_t driver;
} ig_h5_disk;

/* Creates NAME.part beside `path` and sets up `access` so that HDF5 writes into it. Call
   ig_h5_disk_close whether or not this succeeds. */
IG_MUST_CHECK ig_status ig_h5_disk_open(ig_ctx *cx, const char *path, hid_t access,
                                        ig_h5_disk *disk);
/* After H5Fflush: *crc of everything behind the first `seal` bytes; then ig_h5_disk_store writes
   the seal to the front and renames the file to `path`, flushed if asked to. */
IG_MUST_CHECK ig_status ig_h5_disk_crc(ig_ctx *cx, const char *path, ig_h5_disk *disk, size_t seal,
                                       uint32_t *crc);
IG_MUST_CHECK ig_status ig_h5_disk_store(ig_ctx *cx, const char *path, ig_h5_disk *disk,
                                         const void *seal, size_t size, bool flush);
/* After HDF5 has closed its file. A file that was not stored is removed. */
void ig_h5_disk_close(ig_h5_disk *disk);

#endif
