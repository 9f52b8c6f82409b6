/* Zip archives as used by 3MF (PKWARE APPNOTE): central directory, stored and deflated entries.
   Without zip64, encryption and several disks. */
#include "io/format/zip.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A 3MF model of 1 GB of XML is beyond use; the limit stops zip bombs. */
enum { MOST_UNPACKED = 1 << 30 };

/* windowBits 15 + 32: zlib or gzip, detected by the header; -15: raw deflate, as in zip. */
bool ig_decompress(const void *from, size_t compressed, void *to, size_t size, bool raw) {
  z_stream z = {0};
  if (compressed > UINT_MAX || size > UINT_MAX || inflateInit2(&z, raw ? -15 : 15 + 32) != Z_OK)
    return false;
  z.next_in = (Bytef *)(uintptr_t)from;
  z.avail_in = (uInt)compressed;
  z.next_out = to;
  z.avail_out = (uInt)size;
  const int code = inflate(&z, Z_FINISH);
  const bool whole = code == Z_STREAM_END && z.avail_out == 0;
  inflateEnd(&z);
  return whole;
}

/* Little-endian number. */
static size_t number(const unsigned char *p, int bytes) {
  size_t v = 0;
  for (int i = bytes - 1; i >= 0; i--)
    v = v << 8 | p[i];
  return v;
}

static ig_status broken(ig_ctx *cx, const char *path, const char *what) {
  return IG_FAIL(cx, IG_INPUT, "%s: not a sound zip archive: %s", path, what);
}

/* The local header repeats the name with possibly other lengths, so the data starts behind those of
   the local header. Sizes are taken from the central directory, because local ones may be 0. */
static ig_status entry_read(ig_ctx *cx, const char *path, const unsigned char *b, size_t size,
                            const unsigned char *entry, char **text, size_t *length) {
  const size_t method = number(entry + 10, 2), compressed = number(entry + 20, 4);
  const size_t whole = number(entry + 24, 4), at = number(entry + 42, 4);
  if (at > size || size - at < 30 || memcmp(b + at, "PK\3\4", 4) != 0)
    return broken(cx, path, "a file does not begin where it should");
  const size_t head = 30 + number(b + at + 26, 2) + number(b + at + 28, 2);
  if (size - at < head || size - at - head < compressed || whole > MOST_UNPACKED)
    return broken(cx, path, "a file is larger than the archive or than 1 GB");
  IG_TRY(IG_NEW(cx, text, whole + 1, "archive"));
  if (method == 0 && compressed == whole)
    memcpy(*text, b + at + head, whole);
  else if (method != 8 || !ig_decompress(b + at + head, compressed, *text, whole, true)) {
    free(*text);
    *text = NULL;
    return broken(cx, path, "a file cannot be decompressed");
  }
  *length = whole;
  return IG_OK;
}

/* The end record is searched backwards: a comment of up to 65535 bytes may follow it. The first
   member whose name has the ending, by the central directory at the end of the file (PKWARE APPNOTE
   6.3). A comment behind it has at most 65535 bytes, hence the search. Sizes and offsets are
   checked against the file; stored and deflated members are read. */
ig_status ig_zip_find(ig_ctx *cx, const char *path, const char *bytes, size_t size,
                      const char *ending, char **text, size_t *length) {
  const unsigned char *b = (const unsigned char *)bytes;
  *text = NULL;
  *length = 0;
  if (size < 22)
    return broken(cx, path, "too short");
  size_t end = size - 22; /* the end record, perhaps before a comment */
  while (memcmp(b + end, "PK\5\6", 4) != 0 && end > 0 && size - end < 66000)
    end--;
  if (memcmp(b + end, "PK\5\6", 4) != 0)
    return broken(cx, path, "no directory at its end");
  size_t at = number(b + end + 16, 4);
  for (size_t i = 0; i < number(b + end + 10, 2); i++) {
    if (at > size || size - at < 46 || memcmp(b + at, "PK\1\2", 4) != 0)
      return broken(cx, path, "its directory is cut");
    const size_t name = number(b + at + 28, 2);
    const size_t next = 46 + name + number(b + at + 30, 2) + number(b + at + 32, 2);
    if (size - at < next)
      return broken(cx, path, "its directory is cut");
    if (name >= strlen(ending) &&
        memcmp(b + at + 46 + name - strlen(ending), ending, strlen(ending)) == 0)
      return entry_read(cx, path, b, size, b + at, text, length);
    at += next;
  }
  return IG_FAIL(cx, IG_INPUT, "%s: the archive holds no file that ends in %s", path, ending);
}
