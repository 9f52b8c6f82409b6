/* Compression of arrays, piece by piece. */
#include "io/format/compress.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* 64 bits: two pieces that differ are taken for the same once in 10^19. */
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

/* All first bytes, then all second bytes, …: near numbers share most of theirs. */
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

static void pieces_clear(ig_pieces *pieces) {
  for (size_t i = 0; i < pieces->count; i++)
    free(pieces->piece[i].bytes);
  free(pieces->piece);
  *pieces = (ig_pieces){.count = 0};
}

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

/* As many pieces as asked for: those there stay, new ones are empty. */
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

void ig_compress_done(ig_compressor *compressor, ig_pieces *pieces) {
  const bool kept = pieces >= compressor->set && pieces < compressor->set + IG_COMPRESS_SETS;
  if (!pieces || kept)
    return;
  pieces_clear(pieces);
  free(pieces);
}

void ig_compress_clear(ig_compressor *compressor) {
  for (int i = 0; i < compressor->kept; i++)
    pieces_clear(&compressor->set[i]);
  compressor->kept = 0;
}
