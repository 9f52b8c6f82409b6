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
  if (item == 1) { /* nothing to be transposed */
    memcpy(to, from, bytes);
    memset(to + bytes, 0, piece - bytes);
    return;
  }
  for (size_t b = 0; b < item; b++) {
    unsigned char *row = to + b * items;
    for (size_t i = 0; i < filled; i++)
      row[i] = from[i * item + b];
    memset(row + filled, 0, items - filled);
  }
}

/* --- what does not compress: the last digits of computed numbers, at a tenth of the speed of the
   rest. Parts of a piece that a sample of theirs says so of are stored as they are; deflate's
   format (RFC 1951) has stored blocks for that, and every reader takes them. */

enum { PART = 1 << 15, SAMPLES = 2, SAMPLE = 1 << 12, STORED_HEAD = 5 };

/* Whether bytes repeat: some occur more often than others, or four of them in a row come again. The
   sum of squares of 256 equal numbers n / 256 is n^2 / 256, and n more by chance. */
static bool repeats(const unsigned char *from) {
  enum { TABLE = 1 << 12 };
  uint16_t count[256] = {0}, last[TABLE] = {0};
  uint64_t squares = 0;
  int again = 0;
  for (int i = 0; i < SAMPLE; i++)
    count[from[i]]++;
  for (int i = 0; i < 256; i++)
    squares += (uint64_t)count[i] * count[i];
  if (4 * squares > 5 * ((uint64_t)SAMPLE * SAMPLE / 256 + SAMPLE))
    return true;
  for (uint16_t i = 0; i + 4 <= SAMPLE; i++) {
    uint32_t word;
    memcpy(&word, from + i, sizeof word);
    uint16_t *at = &last[word * 0x9e3779b1U >> 20];
    again += *at < i && memcmp(from + *at, from + i, sizeof word) == 0;
    *at = i;
  }
  return again > SAMPLE / 64;
}

/* Whether deflate is worth its time for a part, by two samples of it. */
static bool is_worth(const unsigned char *part, size_t size) {
  if (size < (SAMPLES + 1) * SAMPLE)
    return true;
  for (size_t i = 0; i < SAMPLES; i++)
    if (repeats(part + (i + 1) * (size - SAMPLE) / (SAMPLES + 1)))
      return true;
  return false;
}

/* Appends a stored block, which begins at a byte. */
static size_t stored_put(const unsigned char *from, size_t size, unsigned char *to) {
  const unsigned char head[STORED_HEAD] = {0, (unsigned char)size, (unsigned char)(size >> 8),
                                           (unsigned char)~size, (unsigned char)(~size >> 8)};
  memcpy(to, head, sizeof head);
  memcpy(to + sizeof head, from, size);
  return sizeof head + size;
}

/* Appends deflated blocks that refer to nothing before them and end at a byte. */
static bool deflated_put(z_stream *z, const unsigned char *from, size_t size, unsigned char *to,
                         size_t space, size_t *length) {
  z->next_in = (unsigned char *)from;
  z->avail_in = (uInt)size;
  z->next_out = to;
  z->avail_out = (uInt)space;
  if (deflateReset(z) != Z_OK || deflate(z, Z_SYNC_FLUSH) != Z_OK || z->avail_in || !z->avail_out)
    return false;
  *length = space - z->avail_out;
  return true;
}

/* A stream of zlib (RFC 1950): two bytes, blocks of parts in a row that are worth it or not, an
   empty last block, the checksum. store[i]: part i is stored. */
static bool mixed_put(int level, const unsigned char *from, size_t size, const bool *store,
                      unsigned char *to, size_t space, uLongf *length) {
  z_stream z = {0};
  size_t at = 0;
  bool good = deflateInit2(&z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK;
  to[at++] = 0x78;
  to[at++] = 0x01;
  for (size_t begin = 0, end; begin < size && good; begin = end) {
    const bool stored = store[begin / PART];
    size_t n = 0;
    for (end = begin; end < size && store[end / PART] == stored && !(stored && end > begin);)
      end = end + PART < size ? end + PART : size;
    if (stored)
      n = stored_put(from + begin, end - begin, to + at);
    else
      good = deflated_put(&z, from + begin, end - begin, to + at, space - at, &n);
    at += n;
  }
  deflateEnd(&z);
  const uLong sum = adler32_z(adler32(0, NULL, 0), from, size);
  const unsigned char tail[] = {3,
                                0,
                                (unsigned char)(sum >> 24),
                                (unsigned char)(sum >> 16),
                                (unsigned char)(sum >> 8),
                                (unsigned char)sum};
  good = good && space - at >= sizeof tail;
  if (good)
    memcpy(to + at, tail, sizeof tail);
  *length = at + sizeof tail;
  return good;
}

/* Room for the worst case of either way. */
static size_t bound_of(size_t piece) {
  return compressBound((uLong)piece) + (piece / PART + 2) * 64;
}

static bool compress_shuffled(int level, const unsigned char *from, size_t size, unsigned char *to,
                              uLongf *length) {
  enum { PARTS = 256 };
  const size_t space = *length, parts = (size + PART - 1) / PART;
  bool store[PARTS], any = false;
  for (size_t i = 0; i < parts && parts <= PARTS; i++) {
    store[i] = !is_worth(from + i * PART, size - i * PART < PART ? size - i * PART : PART);
    any |= store[i];
  }
  return any ? mixed_put(level, from, size, store, to, space, length)
             : compress2(to, length, from, (uLong)size, level) == Z_OK;
}

/* The result is shrunk, because compressed pieces may be kept for a whole run. */
bool ig_compress_piece(int level, const unsigned char *data, size_t bytes, size_t piece,
                       size_t item, ig_piece *to) {
  uLongf size = bound_of(piece);
  unsigned char *shuffled = malloc(piece), *compressed = malloc(size);
  bool good = shuffled && compressed;
  if (good) {
    shuffle(data, bytes, piece, item, shuffled);
    good = compress_shuffled(level, shuffled, piece, compressed, &size);
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

/* --- arrays as bytes: "IGPARTS1", how many parts, the size of each, then the parts. A part whose
   items are all the same is one item, which is shorter than any of zlib's; most of a bed is. */
enum { PIECES = 4 << 20, WORD = 8 };
static const char parts_mark[WORD + 1] = "IGPARTS1";
static size_t parts_of(size_t bytes) {
  return (bytes + PIECES - 1) / PIECES;
}
static size_t part_bytes(size_t bytes, size_t i) {
  return bytes - i * PIECES < PIECES ? bytes - i * PIECES : PIECES;
}

static bool part_make(int level, const unsigned char *from, size_t bytes, size_t item,
                      ig_piece *to) {
  if (item <= WORD && memcmp(from, from + item, bytes - item) == 0) {
    *to = (ig_piece){.size = item, .bytes = malloc(item)};
    if (to->bytes)
      memcpy(to->bytes, from, item);
    return to->bytes;
  }
  return ig_compress_piece(level, from, bytes, bytes, item, to);
}

bool ig_compress_parts(int level, int threads, const void *data, size_t bytes, size_t item,
                       ig_piece *to) {
  const size_t count = parts_of(bytes);
  ig_piece *part = calloc(count ? count : 1, sizeof *part);
  bool good = part;
#pragma omp parallel for schedule(dynamic) num_threads(threads > 1 ? threads : 1) reduction(&& : good)
  for (size_t i = 0; i < count; i++)
    good = good && part_make(level, (const unsigned char *)data + i * PIECES, part_bytes(bytes, i),
                             item, &part[i]);
  size_t size = (2 + count) * WORD;
  for (size_t i = 0; i < count && good; i++)
    size += part[i].size;
  unsigned char *all = good ? malloc(size) : NULL, *at = all;
  const uint64_t parts = count;
  if (all) {
    memcpy(at, parts_mark, WORD), memcpy(at + WORD, &parts, WORD), at += (2 + count) * WORD;
    for (size_t i = 0; i < count; i++) {
      const uint64_t one = part[i].size;
      memcpy(all + (2 + i) * WORD, &one, WORD);
      memcpy(at, part[i].bytes, part[i].size);
      at += part[i].size;
    }
    *to = (ig_piece){.size = size, .bytes = all};
  }
  for (size_t i = 0; part && i < count; i++)
    free(part[i].bytes);
  free(part);
  return all;
}

static bool part_take(const unsigned char *from, size_t size, size_t item, unsigned char *to,
                      size_t bytes) {
  if (size != item)
    return ig_expand_piece(from, size, item, to, bytes);
  for (size_t i = 0; i < bytes; i += item)
    memcpy(to + i, from, item);
  return bytes % item == 0;
}

/* One piece by zlib, as files had before, has no mark: its first byte is another. */
bool ig_expand_parts(const void *from, size_t size, size_t item, int threads, void *data,
                     size_t bytes) {
  const unsigned char *all = from;
  const size_t count = parts_of(bytes);
  uint64_t parts;
  if (size < WORD || memcmp(all, parts_mark, WORD) != 0)
    return ig_expand_piece(from, size, item, data, bytes);
  if (size < (2 + count) * WORD)
    return false;
  memcpy(&parts, all + WORD, WORD);
  size_t *at = parts == count ? malloc((count + 1) * sizeof *at) : NULL;
  if (!at)
    return false;
  at[0] = (2 + count) * WORD;
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    uint64_t one;
    memcpy(&one, all + (2 + i) * WORD, WORD);
    good = one <= size - at[i];
    at[i + 1] = at[i] + (good ? (size_t)one : 0);
  }
  good = good && at[count] == size;
  const size_t todo = good ? count : 0;
#pragma omp parallel for schedule(dynamic) num_threads(threads > 1 ? threads : 1) reduction(&& : good)
  for (size_t i = 0; i < todo; i++)
    good = good && part_take(all + at[i], at[i + 1] - at[i], item,
                             (unsigned char *)data + i * PIECES, part_bytes(bytes, i));
  free(at);
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
bool ig_compress_array(ig_compressor *compressor, const char *name, const void *data,
                       const ig_made_array *made, size_t bytes, size_t piece, size_t item,
                       ig_pieces **out) {
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
    const size_t filled = bytes - i * piece < piece ? bytes - i * piece : piece;
    const unsigned char *from = data ? (const unsigned char *)data + i * piece : NULL;
    const uint64_t key[2] = {data ? 0 : made->key, i};
    const uint64_t now = from ? hash(from, filled, piece, item)
                              : hash((const unsigned char *)key, sizeof key, piece, item) + filled;
    ig_piece *p = &pieces->piece[i];
    if (p->bytes && p->hash == now)
      continue;
    unsigned char *mine = from ? NULL : malloc(filled);
    if (mine)
      made->make(made->user, i * piece, filled, mine);
    free(p->bytes);
    *p = (ig_piece){.hash = now};
    good = (from || mine) && ig_compress_piece(level, from ? from : mine, filled, piece, item, p) &&
           good;
    free(mine);
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
