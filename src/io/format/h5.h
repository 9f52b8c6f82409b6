/* HDF5 through few calls that check and tell.

   Writing happens in memory; `save` seals the image with its length and checksum and stores it in
   one piece, so that a full disk is met by us and never inside HDF5. Who has not all of a file at
   once writes it on the disk, to the same bytes. Reading checks the seal before
   HDF5 sees a byte. HDF5 is one global thing: from create or open until close the calling thread
   has it to itself, others wait. */
#ifndef IG_IO_FORMAT_H5_H
#define IG_IO_FORMAT_H5_H

#include "core/output.h"
#include "io/format/compress.h"
#include "io/format/h5_disk.h"
#include <hdf5.h>

typedef struct ig_h5 {
  ig_ctx *cx; /* takes the messages */
  const char *path;
  hid_t file, access;
  int64_t size;              /* bytes of the file, when reading */
  ig_compressor *compressor; /* how what is put next is compressed; NULL: not at all */
  H5E_auto2_t former_report;
  void *former_data;
  bool locked, on_disk;
  ig_h5_disk disk;
} ig_h5;

/* --- writing */
/* Close it whether or not this succeeds. `path` must live until then. */
IG_MUST_CHECK ig_status ig_h5_create(ig_ctx *cx, const char *path, ig_h5 *h5);
/* The same on the disk. */
IG_MUST_CHECK ig_status ig_h5_create_on_disk(ig_ctx *cx, const char *path, ig_h5 *h5);
IG_MUST_CHECK ig_status ig_h5_group(ig_h5 *h5, const char *name);
/* rows x components values; components 0: a plain list. Groups in the name must exist. */
IG_MUST_CHECK ig_status ig_h5_put(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows,
                                  int components, const void *data);
/* The same a piece at a time: `rows` rows in all, in their order. Close it whether or not all goes
   well. */
typedef struct {
  ig_h5 *h5;
  const char *name;
  ig_dtype dtype;
  int64_t rows, written;
  int rank;
  hsize_t chunk[2];
  bool compressed;
  hid_t set;
  unsigned char *filling; /* of a chunk that is not full yet */
  size_t filled;
} ig_h5_array;
IG_MUST_CHECK ig_status ig_h5_array_new(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows,
                                        int components, ig_h5_array *array);
IG_MUST_CHECK ig_status ig_h5_array_put(ig_h5_array *array, const void *data, int64_t rows);
IG_MUST_CHECK ig_status ig_h5_array_end(ig_h5_array *array); /* all rows were put */
void ig_h5_array_close(ig_h5_array *array);
/* Attributes of a group or dataset: fixed-length ASCII text; numbers (count 0: one, no list). */
IG_MUST_CHECK ig_status ig_h5_put_text(ig_h5 *h5, const char *object, const char *name,
                                       const char *text);
IG_MUST_CHECK ig_status ig_h5_put_numbers(ig_h5 *h5, const char *object, const char *name,
                                          ig_dtype dtype, int count, const void *values);
IG_MUST_CHECK ig_status ig_h5_save(ig_h5 *h5);

/* --- reading; whatever is wrong in the file fails with IG_INPUT and names it */
/* `sealed`: refuse a file without our seal. */
IG_MUST_CHECK ig_status ig_h5_open(ig_ctx *cx, const char *path, bool sealed, ig_h5 *h5);
/* Again: its seal was checked before. */
IG_MUST_CHECK ig_status ig_h5_reopen(ig_ctx *cx, const char *path, ig_h5 *h5);
bool ig_h5_has(ig_h5 *h5, const char *name);
/* What a dataset holds: rows, components (1 for a plain list), the nearest type of ours. */
typedef struct {
  int64_t rows;
  int components;
  ig_dtype dtype;
} ig_h5_shape;
/* A dataset whose values are in this file; H5Dclose it. */
IG_MUST_CHECK ig_status ig_h5_set_open(ig_h5 *h5, const char *name, hid_t *set);
IG_MUST_CHECK ig_status ig_h5_look(ig_h5 *h5, const char *name, ig_h5_shape *shape);
/* Reads a whole dataset as `dtype`; sizes must be those given. `data` has space for it. */
IG_MUST_CHECK ig_status ig_h5_get(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows,
                                  int components, void *data);
/* `count` items of a plain list, from `begin` on. */
IG_MUST_CHECK ig_status ig_h5_get_some(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t begin,
                                       int64_t count, void *data);
/* A whole dataset into new memory, to be freed with free(). */
IG_MUST_CHECK ig_status ig_h5_get_new(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows,
                                      int components, void **data);
IG_MUST_CHECK ig_status ig_h5_get_text(ig_h5 *h5, const char *object, const char *name, char *text,
                                       size_t size);
IG_MUST_CHECK ig_status ig_h5_get_numbers(ig_h5 *h5, const char *object, const char *name,
                                          ig_dtype dtype, int count, void *values);
/* Calls `each` with the name of every dataset of a group, in alphabetical order. */
typedef ig_status ig_h5_each(ig_h5 *h5, const char *name, void *user);
IG_MUST_CHECK ig_status ig_h5_list(ig_h5 *h5, const char *group, ig_h5_each *each, void *user);

void ig_h5_close(ig_h5 *h5);

#endif
