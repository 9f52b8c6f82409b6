/* Compression of arrays for HDF5 (shuffle, then deflate), piece by piece on several threads. What
   is kept from one file to the next is not compressed again while it stays the same: a grid that
   does not change costs a look at each of its pieces. */
#ifndef IG_IO_PACK_H
#define IG_IO_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IG_PACK_NAME = 64, IG_PACK_SETS = 8 };

typedef struct {
  uint64_t hash; /* of what was packed */
  size_t size;
  void *bytes;
} ig_piece;

typedef struct {
  char name[IG_PACK_NAME];
  size_t count;
  ig_piece *piece;
} ig_pieces;

typedef struct {
  int level;   /* 0: no compression; 1 to 9 */
  int threads; /* 0 counts as 1 */
  bool keep;   /* the arrays packed next */
  int kept;
  ig_pieces set[IG_PACK_SETS];
} ig_pack;

/* Packs `bytes` of `data` (items of `item` bytes) in pieces of `piece` bytes, the last one filled
   up with zeros. False if memory runs out. Done with the pieces, give them back. */
bool ig_pack_array(ig_pack *pack, const char *name, const void *data, size_t bytes, size_t piece,
                   size_t item, ig_pieces **pieces);
void ig_pack_done(ig_pack *pack, ig_pieces *pieces);
void ig_pack_clear(ig_pack *pack); /* frees what was kept */

#endif
