/* Compression of arrays for HDF5 (shuffle, then deflate), piece by piece on several threads. What
   is kept from one file to the next is not compressed again while it stays the same: a grid that
   does not change costs a look at each of its pieces. */
#ifndef IG_IO_FORMAT_COMPRESS_H
#define IG_IO_FORMAT_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IG_COMPRESS_NAME = 64, IG_COMPRESS_SETS = 8 };

typedef struct {
  uint64_t hash; /* of what was compressed */
  size_t size;
  void *bytes;
} ig_piece;

typedef struct {
  char name[IG_COMPRESS_NAME];
  size_t count;
  ig_piece *piece;
} ig_pieces;

typedef struct {
  int level;   /* 0: no compression; 1 to 9 */
  int threads; /* 0 counts as 1 */
  bool keep;   /* the arrays compressed next */
  int kept;
  ig_pieces set[IG_COMPRESS_SETS];
} ig_compressor;

/* Compresses `bytes` of `data` (items of `item` bytes) in pieces of `piece` bytes, the last one
   filled up with zeros. False if memory runs out. Done with the pieces, give them back. */
bool ig_compress_array(ig_compressor *compressor, const char *name, const void *data, size_t bytes,
                       size_t piece, size_t item, ig_pieces **pieces);
/* One piece of it; free its bytes. */
bool ig_compress_piece(int level, const unsigned char *data, size_t bytes, size_t piece,
                       size_t item, ig_piece *to);
void ig_compress_done(ig_compressor *compressor, ig_pieces *pieces);
void ig_compress_clear(ig_compressor *compressor); /* frees what was kept */

#endif
