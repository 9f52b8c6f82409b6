/* HDF5 files that are written on the disk as they grow, for who has not all of it in memory at
   once. HDF5 sees a driver of ours whose writes never fail: a full disk is noted here, and told by
   ig_h5_save. */
#ifndef IG_IO_FORMAT_H5_DISK_H
#define IG_IO_FORMAT_H5_DISK_H

#include "core/ctx.h"
#include <hdf5.h>

typedef struct {
  int fd;    /* -1: closed, and writes go nowhere */
  int error; /* errno of the first call that failed */
  uint64_t end;
  char *part; /* the file's name until it is whole */
  hid_t driver;
} ig_h5_disk;

/* A new file beside `path`, and `access` for HDF5 to write into it. Close it whether or not this
   succeeds. */
IG_MUST_CHECK ig_status ig_h5_disk_open(ig_ctx *cx, const char *path, hid_t access,
                                        ig_h5_disk *disk);
/* All is flushed: `seal` bytes go to the front, which has room for them, once `crc` of what follows
   is known; the file gets its name. */
IG_MUST_CHECK ig_status ig_h5_disk_crc(ig_ctx *cx, const char *path, ig_h5_disk *disk, size_t seal,
                                       uint32_t *crc);
IG_MUST_CHECK ig_status ig_h5_disk_store(ig_ctx *cx, const char *path, ig_h5_disk *disk,
                                         const void *seal, size_t size);
/* After HDF5 has closed its file; what was not stored goes. */
void ig_h5_disk_close(ig_h5_disk *disk);

#endif
