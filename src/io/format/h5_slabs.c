/* Datasets of several axes that are filled slab by slab, and tables of texts: see h5.h. */
#include "io/format/h5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a chunk, at most: one slab, or a part of it along its first axis. */
enum { CHUNK = 1 << 22 };

static ig_status no_memory(ig_h5 *h5, const char *name) {
  return IG_FAIL(h5->cx, IG_MEMORY, "cannot put '%s' together for '%s'", name, h5->path);
}

static bool fill_set(hid_t layout, ig_dtype dtype) {
  const float f = NAN;
  const double d = NAN;
  const hid_t type = ig_h5_memory_type(dtype);
  return (dtype != IG_F32 && dtype != IG_F64) ||
         H5Pset_fill_value(layout, type, dtype == IG_F32 ? (const void *)&f : &d) >= 0;
}

/* Chunks hold one slab, so that a reader who takes one member reads nothing of the others. */
static bool layout_set(const ig_h5_slabs *s, hid_t layout) {
  hsize_t chunk[IG_H5_AXES], row = ig_dtype_size(s->dtype);
  for (int a = 0; a < s->rank; a++) {
    chunk[a] = a < s->outer ? 1 : s->size[a];
    row *= a > s->outer ? s->size[a] : 1;
  }
  if (s->outer < s->rank && row * chunk[s->outer] > CHUNK)
    chunk[s->outer] = CHUNK / row ? CHUNK / row : 1;
  const int level = s->h5->compressor ? s->h5->compressor->level : 0;
  return H5Pset_obj_track_times(layout, false) >= 0 && H5Pset_chunk(layout, s->rank, chunk) >= 0 &&
         (level == 0 ||
          (H5Pset_shuffle(layout) >= 0 && H5Pset_deflate(layout, (unsigned)level) >= 0)) &&
         fill_set(layout, s->dtype);
}

ig_status ig_h5_slabs_new(ig_h5 *h5, const char *name, ig_dtype dtype, int rank, int outer,
                          const int64_t *size, ig_h5_slabs *s) {
  *s = (ig_h5_slabs){
      .h5 = h5, .name = name, .dtype = dtype, .rank = rank, .outer = outer, .set = -1};
  bool good = rank >= 1 && rank <= IG_H5_AXES && outer >= 0 && outer <= rank;
  for (int a = 0; a < rank && good; a++) {
    good = size[a] > 0;
    s->size[a] = (hsize_t)size[a];
  }
  if (!good)
    return IG_FAIL(h5->cx, IG_ARG, "'%s' of '%s' has no such shape", name, h5->path);
  const hid_t space = H5Screate_simple(rank, s->size, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
  if (space >= 0 && layout >= 0 && layout_set(s, layout))
    s->set = H5Dcreate2(h5->file, name, ig_h5_stored_type(dtype), space, H5P_DEFAULT, layout,
                        H5P_DEFAULT);
  if (layout >= 0)
    H5Pclose(layout);
  if (space >= 0)
    H5Sclose(space);
  return s->set < 0 ? no_memory(h5, name) : IG_OK;
}

ig_status ig_h5_slabs_put(ig_h5_slabs *s, const int64_t *at, const void *data) {
  hsize_t first[IG_H5_AXES] = {0}, count[IG_H5_AXES];
  for (int a = 0; a < s->rank; a++) {
    count[a] = a < s->outer ? 1 : s->size[a];
    first[a] = a < s->outer ? (hsize_t)at[a] : 0;
  }
  const hid_t from = H5Screate_simple(s->rank, count, NULL), to = H5Dget_space(s->set);
  const bool good = from >= 0 && to >= 0 &&
                    H5Sselect_hyperslab(to, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
                    H5Dwrite(s->set, ig_h5_memory_type(s->dtype), from, to, H5P_DEFAULT, data) >= 0;
  if (from >= 0)
    H5Sclose(from);
  if (to >= 0)
    H5Sclose(to);
  return good ? IG_OK : no_memory(s->h5, s->name);
}

void ig_h5_slabs_close(ig_h5_slabs *s) {
  if (s->set >= 0)
    H5Dclose(s->set);
  s->set = -1;
}

ig_status ig_h5_put_texts(ig_h5 *h5, const char *name, int64_t rows, int columns,
                          const char *const *text) {
  const hsize_t size[2] = {(hsize_t)rows, (hsize_t)columns};
  const size_t count = (size_t)rows * (size_t)(columns ? columns : 1);
  size_t length = 1;
  char *all = NULL;
  for (size_t i = 0; i < count; i++)
    length = strlen(text[i]) > length ? strlen(text[i]) : length;
  IG_TRY(IG_NEW(h5->cx, &all, count * length + 1, "a table of texts"));
  for (size_t i = 0; i < count; i++)
    memcpy(all + i * length, text[i], strlen(text[i]));
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(columns ? 2 : 1, size, NULL),
              layout = H5Pcreate(H5P_DATASET_CREATE);
  hid_t set = -1;
  if (type >= 0 && space >= 0 && layout >= 0 && H5Tset_size(type, length) >= 0 &&
      H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
      H5Pset_obj_track_times(layout, false) >= 0)
    set = H5Dcreate2(h5->file, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  const bool good =
      set >= 0 && (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
  if (set >= 0)
    H5Dclose(set);
  if (layout >= 0)
    H5Pclose(layout);
  if (space >= 0)
    H5Sclose(space);
  if (type >= 0)
    H5Tclose(type);
  free(all);
  return good ? IG_OK : no_memory(h5, name);
}
