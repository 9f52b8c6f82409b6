/* Compression of arrays for HDF5 (shuffle, then deflate), piece by piece on several threads. Arrays
   with `keep` are remembered from one file to the next: the pieces of a mesh that does not change
   are hashed, but not compressed again. */
#ifndef IG_IO_FORMAT_COMPRESS_H
#define IG_IO_FORMAT_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of names of cached arrays, and how many are cached: those of a mesh (points, connectivity,
   offsets, types) and a few more. */
enum { IG_COMPRESS_NAME = 64, IG_COMPRESS_SETS = 8 };

/* One compressed piece. */
typedef struct {
  uint64_t hash; /* of what was compressed */
  size_t size;
  void *bytes;
} ig_piece;

/* One array. */
typedef struct {
  char name[IG_COMPRESS_NAME];
  size_t count;
  ig_piece *piece;
} ig_pieces;

/* State across the files of a run; zero-initialised is valid. Not safe for several threads calling
   at once; freed by ig_compress_clear. */
typedef struct {
  int level;   /* 0: no compression; 1 to 9 */
  int threads; /* 0 counts as 1 */
  bool keep;   /* the arrays compressed next */
  int kept;
  ig_pieces set[IG_COMPRESS_SETS];
} ig_compressor;

/* An array that is in no memory: `make` gives `bytes` of it from `begin` on, by several threads at
   a time. key: two arrays of one name with the same key are the same. */
typedef struct {
  void (*make)(const void *user, size_t begin, size_t bytes, void *to);
  const void *user;
  uint64_t key;
} ig_made_array;
/* Compresses `bytes` of `data`, or of `made` where that is NULL (items of `item` bytes), in pieces
   of `piece` bytes; the last piece is padded with zeros. false if memory is exhausted. Return the
   pieces with ig_compress_done, also after a failure. */
bool ig_compress_array(ig_compressor *compressor, const char *name, const void *data,
                       const ig_made_array *made, size_t bytes, size_t piece, size_t item,
                       ig_pieces **pieces);
/* Compresses a single piece; the caller frees to->bytes. */
bool ig_compress_piece(int level, const unsigned char *data, size_t bytes, size_t piece,
                       size_t item, ig_piece *to);
/* The way back: `bytes` of data from a piece of `size` bytes; false: it is damaged, or memory is
   exhausted. */
bool ig_expand_piece(const void *piece, size_t size, size_t item, void *data, size_t bytes);
/* A whole array by several threads, with the same bytes by any number of them; the caller frees
   to->bytes. And the way back, also of what ig_compress_piece made. */
bool ig_compress_parts(int level, int threads, const void *data, size_t bytes, size_t item,
                       ig_piece *to);
bool ig_expand_parts(const void *from, size_t size, size_t item, int threads, void *data,
                     size_t bytes);
void ig_compress_done(ig_compressor *compressor, ig_pieces *pieces);
void ig_compress_clear(ig_compressor *compressor); /* frees what was kept */

#endif
