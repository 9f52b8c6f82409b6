/* Zip archives as 3MF files are: the central directory, stored and deflated files, sizes of 64 bits
   (Zip64, which programs write that do not know a file's size when they begin it), and files in
   pieces (Open Packaging Conventions: NAME/[0].piece, NAME/[1].piece, …, NAME/[n].last.piece).
   Sizes come from the directory at the end of the archive: those in front of a file may be missing.
 */
#include "io/format/zip.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

enum { MOST_UNPACKED = 1 << 30 };

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

static size_t number(const unsigned char *p, int bytes) {
  size_t v = 0;
  for (int i = bytes - 1; i >= 0; i--)
    v = v << 8 | p[i];
  return v;
}

static ig_status broken(ig_ctx *cx, const char *path, const char *what) {
  return IG_FAIL(cx, IG_INPUT, "%s: not a sound zip archive: %s", path, what);
}

/* --- the directory */

typedef struct {
  const unsigned char *b;
  size_t size, at, left; /* the next entry; how many there are from it on */
} directory;

typedef struct {
  const char *name;
  size_t name_length, method, compressed, whole, at;
} entry;

/* NULL: sound; else what is wrong. */
static const char *directory_open(const char *bytes, size_t size, directory *d) {
  const unsigned char *b = (const unsigned char *)bytes;
  *d = (directory){.b = b, .size = size};
  if (size < 22)
    return "too short";
  size_t end = size - 22; /* the end record, perhaps before a comment */
  while (memcmp(b + end, "PK\5\6", 4) != 0 && end > 0 && size - end < 66000)
    end--;
  if (memcmp(b + end, "PK\5\6", 4) != 0)
    return "no directory at its end";
  d->left = number(b + end + 10, 2);
  d->at = number(b + end + 16, 4);
  if (end >= 20 && memcmp(b + end - 20, "PK\6\7", 4) == 0) { /* Zip64: where its own record is */
    const size_t at = number(b + end - 12, 8);
    if (at > size || size - at < 56 || memcmp(b + at, "PK\6\6", 4) != 0)
      return "no directory where it should be";
    d->left = number(b + at + 32, 8);
    d->at = number(b + at + 48, 8);
  }
  return NULL;
}

/* Numbers that did not fit into 32 bits stand in an extra field, in this order. */
static void wide_take(const unsigned char *extra, size_t length, entry *e) {
  size_t *const value[] = {&e->whole, &e->compressed, &e->at};
  for (size_t i = 0; i + 4 <= length;) {
    const size_t kind = number(extra + i, 2), bytes = number(extra + i + 2, 2);
    size_t at = i + 4;
    for (int k = 0; k < 3 && kind == 1; k++)
      if (*value[k] == 0xffffffff && at + 8 <= length && at + 8 <= i + 4 + bytes) {
        *value[k] = number(extra + at, 8);
        at += 8;
      }
    i += 4 + bytes;
  }
}

/* 1: an entry, 0: there are no more, -1: the directory is cut. */
static int entry_next(directory *d, entry *e) {
  if (d->left == 0)
    return 0;
  const unsigned char *p = d->b + d->at;
  if (d->at > d->size || d->size - d->at < 46 || memcmp(p, "PK\1\2", 4) != 0)
    return -1;
  const size_t name = number(p + 28, 2), extra = number(p + 30, 2), note = number(p + 32, 2);
  if (d->size - d->at < 46 + name + extra + note)
    return -1;
  *e = (entry){.name = (const char *)p + 46,
               .name_length = name,
               .method = number(p + 10, 2),
               .compressed = number(p + 20, 4),
               .whole = number(p + 24, 4),
               .at = number(p + 42, 4)};
  wide_take(p + 46 + name, extra, e);
  d->at += 46 + name + extra + note;
  d->left--;
  return 1;
}

/* The first file of that name, letters of either case; false: there is none. */
static bool entry_find(const char *bytes, size_t size, const char *name, entry *e) {
  directory d;
  if (directory_open(bytes, size, &d))
    return false;
  while (entry_next(&d, e) > 0)
    if (e->name_length == strlen(name) && strncasecmp(e->name, name, e->name_length) == 0)
      return true;
  return false;
}

/* --- files */

/* Appends a file to *text, which has *length bytes; a 0 stands behind them. */
static ig_status entry_append(ig_ctx *cx, const char *path, const char *bytes, size_t size,
                              const entry *e, char **text, size_t *length) {
  const unsigned char *b = (const unsigned char *)bytes;
  if (e->at > size || size - e->at < 30 || memcmp(b + e->at, "PK\3\4", 4) != 0)
    return broken(cx, path, "a file does not begin where it should");
  const size_t head = 30 + number(b + e->at + 26, 2) + number(b + e->at + 28, 2);
  if (size - e->at < head || size - e->at - head < e->compressed || e->whole > MOST_UNPACKED ||
      *length > MOST_UNPACKED - e->whole)
    return broken(cx, path, "a file is larger than the archive or than 1 GB");
  const unsigned char *from = b + e->at + head;
  char *more = realloc(*text, *length + e->whole + 1);
  if (!more)
    return IG_FAIL(cx, IG_MEMORY, "%s: no memory for %zu bytes", path, *length + e->whole);
  *text = more;
  if (e->method == 0 && e->compressed == e->whole)
    memcpy(more + *length, from, e->whole);
  else if (e->method != 8 || !ig_decompress(from, e->compressed, more + *length, e->whole, true))
    return broken(cx, path, "a file cannot be decompressed");
  *length += e->whole;
  more[*length] = '\0';
  return IG_OK;
}

bool ig_zip_has(const char *bytes, size_t size, const char *name) {
  entry e;
  return entry_find(bytes, size, name, &e);
}

/* Piece `i` of a file; *last: there are no more. */
static bool piece_find(const char *bytes, size_t size, const char *name, int i, entry *e,
                       bool *last) {
  char piece[512];
  snprintf(piece, sizeof piece, "%.400s/[%d].piece", name, i);
  *last = false;
  if (entry_find(bytes, size, piece, e))
    return true;
  snprintf(piece, sizeof piece, "%.400s/[%d].last.piece", name, i);
  *last = true;
  return entry_find(bytes, size, piece, e);
}

static ig_status file_append(ig_ctx *cx, const char *path, const char *bytes, size_t size,
                             const char *name, char **text, size_t *length) {
  entry e;
  bool last = false;
  if (entry_find(bytes, size, name, &e))
    return entry_append(cx, path, bytes, size, &e, text, length);
  for (int i = 0; !last; i++) {
    if (!piece_find(bytes, size, name, i, &e, &last))
      return IG_FAIL(cx, IG_INPUT, "%s: the archive holds no file '%s'", path, name);
    IG_TRY(entry_append(cx, path, bytes, size, &e, text, length));
  }
  return IG_OK;
}

ig_status ig_zip_file(ig_ctx *cx, const char *path, const char *bytes, size_t size,
                      const char *name, char **text, size_t *length) {
  *text = NULL;
  *length = 0;
  const ig_status status = file_append(cx, path, bytes, size, name, text, length);
  if (status != IG_OK) {
    free(*text);
    *text = NULL;
  }
  return status;
}

ig_status ig_zip_ending(ig_ctx *cx, const char *path, const char *bytes, size_t size,
                        const char *ending, char *name, size_t name_size) {
  static const char first_piece[] = "/[0].piece";
  const size_t length = strlen(ending);
  directory d;
  entry e;
  const char *wrong = directory_open(bytes, size, &d);
  int more = wrong ? 0 : 1;
  while (!wrong && (more = entry_next(&d, &e)) > 0) {
    size_t n = e.name_length;
    if (n > strlen(first_piece) &&
        memcmp(e.name + n - strlen(first_piece), first_piece, strlen(first_piece)) == 0)
      n -= strlen(first_piece);
    if (n >= length && n < name_size && strncasecmp(e.name + n - length, ending, length) == 0) {
      memcpy(name, e.name, n);
      name[n] = '\0';
      return IG_OK;
    }
  }
  if (wrong || more < 0)
    return broken(cx, path, wrong ? wrong : "its directory is cut");
  return IG_FAIL(cx, IG_INPUT, "%s: the archive holds no file that ends in %s", path, ending);
}
