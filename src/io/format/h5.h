/* HDF5 through a few calls with checks and messages.

   Files are built in memory; ig_h5_save seals the image with its length and checksum and stores it
   atomically. If the content is too large to be in memory at once, the file is written on the disk
   instead (ig_h5_create_on_disk), with the same bytes. Reading verifies the seal before HDF5 sees
   the file.

   HDF5 has global state: from create or open until close the calling thread holds a lock, and
   others wait. A thread may open a second file while it has one open, and must close it first. */
#ifndef IG_IO_FORMAT_H5_H
#define IG_IO_FORMAT_H5_H

#include "core/output.h"
#include "io/format/compress.h"
#include "io/format/h5_disk.h"
#include <hdf5.h>

/* One open file. */
typedef struct ig_h5 {
  ig_ctx *cx; /* takes the messages */
  const char *path;
  /* HDF5's handles; -1: not open. */
  hid_t file, access;
  int64_t size;              /* bytes of the file, when reading */
  ig_compressor *compressor; /* how what is put next is compressed; NULL: not at all */
  /* HDF5's error handler before the file was opened; restored by ig_h5_close. */
  H5E_auto2_t former_report;
  void *former_data;
  /* locked: this struct holds the lock. on_disk: written through h5_disk.c. */
  bool locked, on_disk;
  bool soon; /* set before ig_h5_save: it does not wait for the disk (ig_store_soon) */
  ig_h5_disk disk;
} ig_h5;

/* The type of ours in a file (little endian on every machine) and in memory. */
hid_t ig_h5_stored_type(ig_dtype dtype);
hid_t ig_h5_memory_type(ig_dtype dtype);

/* --- writing */
/* Begins a file in memory. Close it whether or not this succeeds. `path` must stay valid until
   then. */
IG_MUST_CHECK ig_status ig_h5_create(ig_ctx *cx, const char *path, ig_h5 *h5);
/* The same, growing on the disk. */
IG_MUST_CHECK ig_status ig_h5_create_on_disk(ig_ctx *cx, const char *path, ig_h5 *h5);
IG_MUST_CHECK ig_status ig_h5_group(ig_h5 *h5, const char *name);
/* Writes rows x components values; components 0: a list (rank 1). Groups in the name must exist. */
IG_MUST_CHECK ig_status ig_h5_put(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows,
                                  int components, const void *data);
/* The same of an array that is made as it is written. */
IG_MUST_CHECK ig_status ig_h5_put_made(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows,
                                       int components, const ig_made_array *made);
/* The same streamed: `rows` in all, appended in order by ig_h5_array_put. Call ig_h5_array_end
   after the last, and ig_h5_array_close in any case. */
typedef struct {
  ig_h5 *h5;
  const char *name;
  ig_dtype dtype;
  int64_t rows, written;
  int rank;
  /* Rows and components of a chunk. */
  hsize_t chunk[2];
  bool compressed;
  hid_t set;
  /* A chunk that is not yet full, `filled` bytes of it. */
  unsigned char *filling; /* of a chunk that is not full yet */
  size_t filled;
} ig_h5_array;
IG_MUST_CHECK ig_status ig_h5_array_new(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows,
                                        int components, ig_h5_array *array);
IG_MUST_CHECK ig_status ig_h5_array_put(ig_h5_array *array, const void *data, int64_t rows);
IG_MUST_CHECK ig_status ig_h5_array_end(ig_h5_array *array); /* all rows were put */
void ig_h5_array_close(ig_h5_array *array);
/* h5_slabs.c: a dataset of up to five axes, filled in any order: a slab is what the last axes hold
   at one place of the first `outer`. Real numbers that are not put read as NaN, whole ones as 0.
   Compressed by HDF5 itself, at the compressor's level. */
enum { IG_H5_AXES = 5 };
typedef struct {
  ig_h5 *h5;
  const char *name;
  ig_dtype dtype;
  int rank, outer;
  hsize_t size[IG_H5_AXES];
  hid_t set;
} ig_h5_slabs;
IG_MUST_CHECK ig_status ig_h5_slabs_new(ig_h5 *h5, const char *name, ig_dtype dtype, int rank,
                                        int outer, const int64_t *size, ig_h5_slabs *slabs);
IG_MUST_CHECK ig_status ig_h5_slabs_put(ig_h5_slabs *slabs, const int64_t *at, const void *data);
void ig_h5_slabs_close(ig_h5_slabs *slabs); /* after a failure too */
/* A table of texts (columns 0: a list), row after row, each as long as the longest. */
IG_MUST_CHECK ig_status ig_h5_put_texts(ig_h5 *h5, const char *name, int64_t rows, int columns,
                                        const char *const *text);
/* Attributes of a group or dataset: fixed-length text; numbers (count 0: a scalar). */
IG_MUST_CHECK ig_status ig_h5_put_text(ig_h5 *h5, const char *object, const char *name,
                                       const char *text);
IG_MUST_CHECK ig_status ig_h5_put_numbers(ig_h5 *h5, const char *object, const char *name,
                                          ig_dtype dtype, int count, const void *values);
/* Seals and stores the file. Nothing is on the disk under `path` before this succeeds. */
IG_MUST_CHECK ig_status ig_h5_save(ig_h5 *h5);

/* --- reading; every fault of the file gives IG_INPUT with the file and the dataset */
/* Opens a file for reading. sealed: refuse a file without seal. */
IG_MUST_CHECK ig_status ig_h5_open(ig_ctx *cx, const char *path, bool sealed, ig_h5 *h5);
/* Opens a file again whose seal was verified before: no second pass over its bytes. */
IG_MUST_CHECK ig_status ig_h5_reopen(ig_ctx *cx, const char *path, ig_h5 *h5);
bool ig_h5_has(ig_h5 *h5, const char *name);
bool ig_h5_has_attribute(ig_h5 *h5, const char *object, const char *name);
/* Shape of a dataset: rows, components (1 for a list), nearest type of ours. */
typedef struct {
  int64_t rows;
  int components;
  ig_dtype dtype;
} ig_h5_shape;
/* Opens a dataset whose values are in this file; close it with H5Dclose. */
IG_MUST_CHECK ig_status ig_h5_set_open(ig_h5 *h5, const char *name, hid_t *set);
IG_MUST_CHECK ig_status ig_h5_look(ig_h5 *h5, const char *name, ig_h5_shape *shape);
/* Reads a whole dataset as `dtype`; its size must be the given one. `data`: rows x components. */
IG_MUST_CHECK ig_status ig_h5_get(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows,
                                  int components, void *data);
/* Reads `count` items of a list, from `begin` on. */
IG_MUST_CHECK ig_status ig_h5_get_some(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t begin,
                                       int64_t count, void *data);
/* A whole dataset into new memory, freed with free(). */
IG_MUST_CHECK ig_status ig_h5_get_new(ig_h5 *h5, const char *name, ig_dtype dtype, int64_t rows,
                                      int components, void **data);
IG_MUST_CHECK ig_status ig_h5_get_text(ig_h5 *h5, const char *object, const char *name, char *text,
                                       size_t size);
IG_MUST_CHECK ig_status ig_h5_get_numbers(ig_h5 *h5, const char *object, const char *name,
                                          ig_dtype dtype, int count, void *values);
/* Calls `each` with the name of every link of a group, in alphabetical order. */
typedef ig_status ig_h5_each(ig_h5 *h5, const char *name, void *user);
IG_MUST_CHECK ig_status ig_h5_list(ig_h5 *h5, const char *group, ig_h5_each *each, void *user);

void ig_h5_close(ig_h5 *h5);

#endif
