/* Compression of arrays in pieces (chunks of HDF5): byte shuffle, then deflate, as HDF5's own
   filters do, but on several threads and with a cache. Results are written past the filters with
   H5Dwrite_chunk. */
#include "io/format/compress.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Hash that decides whether a piece is unchanged since the last file. 64 bits: two different pieces
   are taken for equal once in 10^19. Layout parameters are included. */
static uint64_t hash(const unsigned char *p, size_t n, size_t piece, size_t item) {
  uint64_t h = (0x9e3779b97f4a7c15u ^ n) * 0xd6e8feb86659fd93u ^ (piece * 64 + item);
  for (uint64_t word; n; p += 8) {
    const size_t take = n < 8 ? n : 8;
    word = 0;
    memcpy(&word, p, take);
    h = (h ^ word) * 0xd6e8feb86659fd93u;
    h ^= h >> 32;
    n -= take;
  }
  return h;
}

/* Transposes bytes: all first bytes of the items, then all second bytes, and so on. Neighbouring
   numbers share sign, exponent and leading digits, so long runs of equal bytes appear, which
   deflate compresses well. Identical to HDF5's shuffle filter; the missing rest of the last piece
   is zero. */
static void shuffle(const unsigned char *from, size_t bytes, size_t piece, size_t item,
                    unsigned char *to) {
  const size_t items = piece / item, filled = bytes / item;
  for (size_t b = 0; b < item; b++) {
    unsigned char *row = to + b * items;
    for (size_t i = 0; i < filled; i++)
      row[i] = from[i * item + b];
    memset(row + filled, 0, items - filled);
  }
}

/* compressBound gives the worst case; the result is shrunk, because compressed pieces may be kept
   for a whole run. */
bool ig_compress_piece(int level, const unsigned char *data, size_t bytes, size_t piece,
                       size_t item, ig_piece *to) {
  uLongf size = compressBound((uLong)piece);
  unsigned char *shuffled = malloc(piece), *compressed = malloc(size);
  bool good = shuffled && compressed;
  if (good) {
    shuffle(data, bytes, piece, item, shuffled);
    good = compress2(compressed, &size, shuffled, (uLong)piece, level) == Z_OK;
  }
  free(shuffled);
  if (good) {
    unsigned char *fitted = realloc(compressed, size);
    *to = (ig_piece){.hash = to->hash, .size = size, .bytes = fitted ? fitted : compressed};
  } else {
    free(compressed);
  }
  return good;
}

bool ig_expand_piece(const void *piece, size_t size, size_t item, void *data, size_t bytes) {
  unsigned char *shuffled = malloc(bytes ? bytes : 1), *to = data;
  uLongf length = (uLongf)bytes;
  const bool good = shuffled && uncompress(shuffled, &length, piece, (uLong)size) == Z_OK &&
                    length == bytes && bytes % item == 0;
  const size_t items = bytes / item;
  for (size_t b = 0; b < item && good; b++)
    for (size_t i = 0; i < items; i++)
      to[i * item + b] = shuffled[b * items + i];
  free(shuffled);
  return good;
}

/* Frees the bytes of all pieces; the set itself belongs to the compressor or the caller. */
static void pieces_clear(ig_pieces *pieces) {
  for (size_t i = 0; i < pieces->count; i++)
    free(pieces->piece[i].bytes);
  free(pieces->piece);
  *pieces = (ig_pieces){.count = 0};
}

/* The cached pieces of an array, or a new entry; NULL: the cache is full or the name too long, and
   the array is not cached. */
static ig_pieces *find(ig_compressor *compressor, const char *name) {
  for (int i = 0; i < compressor->kept; i++)
    if (strcmp(compressor->set[i].name, name) == 0)
      return &compressor->set[i];
  if (compressor->kept == IG_COMPRESS_SETS || strlen(name) >= IG_COMPRESS_NAME)
    return NULL;
  ig_pieces *pieces = &compressor->set[compressor->kept++];
  memcpy(pieces->name, name, strlen(name) + 1);
  return pieces;
}

/* Changes the number of pieces: existing ones stay, new ones are empty. */
static bool resize(ig_pieces *pieces, size_t count) {
  for (size_t i = count; i < pieces->count; i++)
    free(pieces->piece[i].bytes);
  if (count < pieces->count)
    pieces->count = count;
  ig_piece *piece = realloc(pieces->piece, (count ? count : 1) * sizeof *piece);
  if (!piece)
    return false;
  memset(piece + pieces->count, 0, (count - pieces->count) * sizeof *piece);
  pieces->piece = piece;
  pieces->count = count;
  return true;
}

/* dynamic schedule: compression times differ with content. The result is the same for any number of
   threads. With `keep`, pieces of the former array of the same name are used again where their hash
   has not changed, as that of a mesh does not from snapshot to snapshot. Pieces are independent, so
   threads share them; the bytes do not depend on how many. false: no memory, or zlib refused. */
bool ig_compress_array(ig_compressor *compressor, const char *name, const void *data, size_t bytes,
                       size_t piece, size_t item, ig_pieces **out) {
  ig_pieces *pieces = compressor->keep ? find(compressor, name) : NULL;
  if (!pieces)
    pieces = calloc(1, sizeof *pieces);
  *out = pieces;
  const size_t count = (bytes + piece - 1) / piece;
  if (!pieces || !resize(pieces, count))
    return false;
  const int level = compressor->level;
  bool good = true;
#pragma omp parallel for schedule(dynamic) num_threads(compressor->threads > 1 ? compressor->threads : 1) reduction(&& : good)
  for (size_t i = 0; i < count; i++) {
    const unsigned char *from = (const unsigned char *)data + i * piece;
    const size_t filled = bytes - i * piece < piece ? bytes - i * piece : piece;
    const uint64_t now = hash(from, filled, piece, item);
    ig_piece *p = &pieces->piece[i];
    if (p->bytes && p->hash == now)
      continue;
    free(p->bytes);
    *p = (ig_piece){.hash = now};
    good = ig_compress_piece(level, from, filled, piece, item, p) && good;
  }
  return good;
}

/* Pieces in the cache stay there; others are freed. */
void ig_compress_done(ig_compressor *compressor, ig_pieces *pieces) {
  const bool kept = pieces >= compressor->set && pieces < compressor->set + IG_COMPRESS_SETS;
  if (!pieces || kept)
    return;
  pieces_clear(pieces);
  free(pieces);
}

/* To be called when no more arrays follow; the compressor can then be used again. */
void ig_compress_clear(ig_compressor *compressor) {
  for (int i = 0; i < compressor->kept; i++)
    pieces_clear(&compressor->set[i]);
  compressor->kept = 0;
}
